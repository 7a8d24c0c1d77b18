"""Weights and intercepts as somebody writes them down, read exactly: whole numbers, decimals as text, fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rationals, vector_of


@dataclass(frozen=True)
class GivenWeights:
    """The weights of one score, or of one for each class, and as many intercepts."""

    coef: tuple[tuple[Fraction, ...], ...]
    intercept: tuple[Fraction, ...]

    @property
    def features(self) -> int:
        """How many weights each score has, the intercept not counted."""
        return len(self.coef[0])

    @property
    def vectors(self) -> int:
        """How many scores there are."""
        return len(self.coef)

    def joined(self, intercept: bool = True) -> Dyadic | Quotient:
        """Return the weights, score after score, each with its intercept last if that is wanted."""
        ends = [(number,) if intercept else () for number in self.intercept]
        return vector_of([number for row, end in zip(self.coef, ends, strict=True) for number in (*row, *end)])

    def difference(self, first: int, second: int) -> Dyadic | Quotient:
        """Return the weights of one score minus those of another, the intercept last."""
        pairs = zip(self.coef[first], self.coef[second], strict=True)
        rest = self.intercept[first] - self.intercept[second]
        return vector_of([*(a - b for a, b in pairs), rest])


def read_weights(weights: Any, intercept: Any = 0, threshold: Any = None) -> GivenWeights:
    """Read weights of shape (d,) or (1, d), of several scores (K, d), and an intercept or a threshold for each.

    A threshold is minus an intercept: ``w.x > 4`` says the same as ``w.x - 4 > 0``.

    >>> read_weights(["0.1", "1/3"], threshold=4)
    GivenWeights(coef=((Fraction(1, 10), Fraction(1, 3)),), intercept=(Fraction(-4, 1),))
    """
    shape = np.shape(np.asarray(weights, object))
    if len(shape) > 2 or 0 in shape:
        raise ValueError(
            f"weights must be one number for each feature, or a row of them for each class; their shape is {shape}."
        )
    count = shape[0] if len(shape) == 2 else 1
    numbers = read_rationals(weights, "weights")
    size = len(numbers) // count
    table = tuple(tuple(numbers[k * size : (k + 1) * size]) for k in range(count))
    if threshold is None:
        return GivenWeights(table, _one_each(intercept, "intercept", count))
    if any(_one_each(intercept, "intercept", count)):
        raise ValueError("intercept and threshold were both given. The threshold is minus the intercept: leave one out.")
    return GivenWeights(table, tuple(-number for number in _one_each(threshold, "threshold", count)))


def _one_each(values: Any, what: str, count: int) -> tuple[Fraction, ...]:
    """Read a number for each score; a single 0 stands for all."""
    found = read_rationals(values, what)
    if found == [0]:
        return (Fraction(0),) * count
    if len(found) != count:
        raise ValueError(
            f"{what} has {len(found)} numbers, expected {'one' if count == 1 else f'{count}: one for each class'}."
        )
    return tuple(found)
