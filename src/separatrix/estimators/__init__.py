"""Thin scikit-learn classes over the library's own machinery."""

from .bayes import BayesClassifier
from .encoder import TableEncoder
from .kernel_perceptron import KernelPerceptron
from .least_squares import LeastSquaresClassifier
from .linear_program import LinearProgramClassifier
from .max_margin import MaxMargin
from .perceptron import Perceptron
from .pocket import Pocket
from .voted import VotedPerceptron

__all__ = [
    "BayesClassifier",
    "KernelPerceptron",
    "LeastSquaresClassifier",
    "LinearProgramClassifier",
    "MaxMargin",
    "Perceptron",
    "Pocket",
    "TableEncoder",
    "VotedPerceptron",
]
