"""Inner products in feature space: blocks of the Gram matrix in floating point, with bounds of their errors, and exact ones.

A kernel ``K(x, x')`` is the inner product of what a feature map makes of two points. With an intercept the map has one
more feature, the constant 1, and every product grows by 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic
from ..problem.exact_rows import ExactRows
from ..problem.rows import Measures, filled_in, is_dense
from ..support.blas import one_thread
from ..support.threads import in_parts

PRODUCTS_PER_TILE = 2**18
"""Multiplications in one product of matrices: few enough for the processor's cache, and for one thread of its own."""

POINTS_PER_GROUP = 64
"""Points on the left to take at a time."""


@dataclass(frozen=True)
class Points:
    """The points that rows are, by their numerators."""

    rows: ExactRows

    @property
    def X(self) -> Rows:  # noqa: N802 (as everybody calls it)
        """The numerators."""
        return self.rows.numerators

    @property
    def measures(self) -> Measures:
        """What one pass over the numerators tells."""
        return self.rows.measures

    def nearest(self) -> Points:
        """Return the points next to these that are float64."""
        return self if self.rows.denominator == 1 else Points(ExactRows(self.rows.nearest()))

    def dense(self, rows: Any) -> Floats:
        """Return some of the rows, or one, as an array."""
        return filled_in(self.X[rows])


@dataclass(frozen=True)
class Kernel:
    """A kernel by its name and parameters, or as a function of two matrices; with the constant, if there is an intercept."""

    name: str
    gamma: float
    coef0: float
    degree: int
    intercept: bool
    function: Callable[[Any, Any], Any] | None = None

    def gram(self, left: Points, right: Points) -> Gram:
        """Return the products of two sets of points; of the right one alone, if it holds the products already."""
        from .kernels import GivenGram, PolynomialGram, PrecomputedGram, RadialGram

        if self.function is None and self.name in ("linear", "poly"):
            return PolynomialGram(self, left, right)
        if self.name == "precomputed" and self.function is None and right.rows.wide is None:
            return PrecomputedGram(self, left, right)
        left, right = (left.nearest(), right.nearest()) if left is not right else (left.nearest(),) * 2
        if self.function is not None:
            return GivenGram(self, left, right)
        return PrecomputedGram(self, left, right) if self.name == "precomputed" else RadialGram(self, left, right)


class Gram(ABC):
    """The products of points on the left with points on the right, all of them times one whole number.

    Attributes
    ----------
    divisor : int
        That number: what products are to be divided by. It changes no sign.
    left_spans, spans : array
        ``left_spans[j] * spans[i]`` is at least ``|K(j, i)|``, for products asked for with `fill` at any rate.
    error : float
        Entries of a block are known up to this times both spans, and up to the rounding of the constant's addition.
    limit : float
        Sums of products below this number are exact in floating point; 0 if nothing is known.
    """

    def __init__(self, kernel: Kernel, left: Points, right: Points) -> None:
        self.kernel, self.left, self.right = kernel, left, right
        self.n = int(right.X.shape[0])
        self.error = self.limit = 0.0
        self.divisor = 1
        self.left_spans, self.spans = np.ones(int(left.X.shape[0])), np.ones(self.n)

    @one_thread
    def fill(self, rows: Indices, target: Floats, places: Indices) -> None:
        """Write the products of some points on the left with all on the right into rows of a matrix, at these places."""
        some, width = self._take(rows)

        def fill_part(start: int, stop: int) -> None:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                for begin in range(start, stop, width):
                    end = min(begin + width, stop)
                    target[places, begin:end] = self._tile(some, begin, end)

        in_parts(fill_part, self.n, 4 * rows.size * self.n)

    def block(self, rows: Indices) -> Floats:
        """Return the same in a new matrix."""
        values = np.empty((rows.size, self.n))
        for start in range(0, rows.size, POINTS_PER_GROUP):
            places = np.arange(start, min(start + POINTS_PER_GROUP, rows.size))
            self.fill(rows[places], values, places)
        return values

    def _take(self, rows: Indices) -> tuple[Any, int]:
        """Return some points on the left, and with how many on the right to multiply them at a time."""
        raise NotImplementedError

    def _tile(self, some: Any, begin: int, end: int) -> Floats:
        """Return the products of these points with some on the right."""
        raise NotImplementedError

    @abstractmethod
    def exact(self, rows: Sequence[int], i: int) -> tuple[list[int], int]:
        """Return the products of some points on the left with one on the right, as integers times a power of two."""

    @abstractmethod
    def diagonal(self) -> tuple[Floats, Floats]:
        """Return the product of each point with itself, without the constant, and bounds of the errors."""

    @property
    def constant(self) -> int:
        """What the intercept adds to each product."""
        return self.divisor if self.kernel.intercept else 0

    def _exactly(self, values: Floats) -> tuple[list[int], int]:
        """Add the constant to float64 numbers, exactly."""
        if self.kernel.intercept:
            values = np.append(values, float(self.constant))
        vector = Dyadic.from_parts(values)
        integers, exponent = vector.integers, vector.exponent
        if not self.kernel.intercept:
            return integers, exponent
        return [number + integers[-1] for number in integers[:-1]], exponent


def taken(left: Rows, right: Rows, rows: Indices) -> tuple[Rows, int]:
    """Return some rows as columns, and with how many on the right to multiply them at a time."""
    some = left[rows].T
    if not (is_dense(some) and is_dense(right)):
        return some, int(right.shape[0])
    return np.ascontiguousarray(some), max(64, PRODUCTS_PER_TILE // (rows.size * left.shape[1]))


def tile_product(right: Rows, some: Rows) -> Floats:
    """Return the product of two matrices as a contiguous array."""
    return np.ascontiguousarray(filled_in(right @ some))
