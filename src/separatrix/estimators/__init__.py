"""Thin scikit-learn classes over the library's own machinery."""

from .perceptron import Perceptron

__all__ = ["Perceptron"]
