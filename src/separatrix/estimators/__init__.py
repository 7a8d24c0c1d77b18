"""Thin scikit-learn classes over the library's own machinery."""

from .encoder import TableEncoder
from .max_margin import MaxMargin
from .perceptron import Perceptron
from .pocket import Pocket
from .voted import VotedPerceptron

__all__ = ["MaxMargin", "Perceptron", "Pocket", "TableEncoder", "VotedPerceptron"]
