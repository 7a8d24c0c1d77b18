"""Thin scikit-learn classes over the library's own machinery."""

from .encoder import TableEncoder
from .perceptron import Perceptron

__all__ = ["Perceptron", "TableEncoder"]
