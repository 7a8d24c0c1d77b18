"""Thin scikit-learn classes over the library's own machinery."""

from .encoder import TableEncoder
from .kernel_perceptron import KernelPerceptron
from .max_margin import MaxMargin
from .perceptron import Perceptron

__all__ = ["KernelPerceptron", "MaxMargin", "Perceptron", "TableEncoder"]
