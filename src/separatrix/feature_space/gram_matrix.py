"""The Gram matrix of rows in whole numbers: products in feature space, times one number.

Products of the linear and the polynomial kernel, and those that are given, are rational: they are exact. Those of the
radial kernel are not. They are computed by FLINT's ball arithmetic as whole multiples of ``2^-bits``, and the error of each
is proved to be less than `error` of these. So whatever is concluded from them, with that error, is true of the exponential
function itself, not of its values in float64.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from fractions import Fraction

import flint

from ..perceptron.gram import Kernel
from ..problem.exact_rows import ExactRows
from ..problem.monomials import whole_rows

_GUARD_BITS = 40
"""Bits of the ball arithmetic beyond those that are kept."""


class GramMatrix(ABC):
    """The products of rows with each other.

    Attributes
    ----------
    n : int
        How many rows there are.
    divisor : int
        What products are to be divided by.
    error : int
        How far a product may be from the true one, before that division; 0 if all are exact.
    """

    error = 0

    def __init__(self, kernel: Kernel, rows: ExactRows) -> None:
        self.kernel, self.n = kernel, len(rows)
        self.divisor = 1
        self._columns: dict[int, list[int]] = {}

    def column(self, j: int) -> list[int]:
        """Return the products of all rows with row j."""
        if j not in self._columns:
            constant = self.divisor if self.kernel.intercept else 0
            self._columns[j] = [product + constant for product in self._products(j)]
        return self._columns[j]

    @abstractmethod
    def _products(self, j: int) -> list[int]:
        """Return the products of all rows with row j, without the constant."""

    @abstractmethod
    def diagonal(self) -> list[int]:
        """Return the product of each row with itself."""

    def scores(self, multiples: dict[int, int]) -> list[int]:
        """Return the products of all rows with a combination of some: each is off by at most `slack`."""
        totals = [0] * self.n
        for j, multiple in multiples.items():
            totals = [total + multiple * product for total, product in zip(totals, self.column(j), strict=True)]
        return totals

    def slack(self, multiples: dict[int, int]) -> int:
        """Return how far the scores of a combination may be from the true ones."""
        return self.error * sum(map(abs, multiples.values()))

    def is_zero(self, multiples: dict[int, int], i: int) -> bool:
        """Whether the true score of row i under a combination is exactly 0."""
        return sum(multiple * self.column(j)[i] for j, multiple in multiples.items()) == 0

    def matrix(self) -> list[list[int]]:
        """Return all products."""
        return [self.column(j) for j in range(self.n)]


class _InnerProducts(GramMatrix):
    """What polynomial and radial kernels have in common: they are functions of inner products of whole rows."""

    def __init__(self, kernel: Kernel, rows: ExactRows) -> None:
        super().__init__(kernel, rows)
        whole, self._unit = whole_rows(rows)
        self._rows = flint.fmpz_mat(whole)
        self._squares = [sum(number * number for number in row) for row in whole]

    def _inner(self, j: int) -> list[int]:
        d = self._rows.ncols()
        row = flint.fmpz_mat(d, 1, [self._rows[j, k] for k in range(d)])
        return [int(number) for number in (self._rows * row).entries()]


class PolynomialMatrix(_InnerProducts):
    """``(gamma x.x' + coef0)^degree``, exactly; the linear kernel is one of them."""

    def __init__(self, kernel: Kernel, rows: ExactRows) -> None:
        super().__init__(kernel, rows)
        slope, constant = Fraction(kernel.gamma) * self._unit**2, Fraction(kernel.coef0)
        common = math.lcm(slope.denominator, constant.denominator)
        self._slope, self._constant = int(slope * common), int(constant * common)
        self.divisor = common**kernel.degree

    def _values(self, inner: list[int]) -> list[int]:
        return [(self._slope * product + self._constant) ** self.kernel.degree for product in inner]

    def _products(self, j: int) -> list[int]:
        return self._values(self._inner(j))

    def diagonal(self) -> list[int]:
        """Return the product of each row with itself."""
        constant = self.divisor if self.kernel.intercept else 0
        return [value + constant for value in self._values(self._squares)]


class PrecomputedMatrix(GramMatrix):
    """The products that are given."""

    def __init__(self, kernel: Kernel, rows: ExactRows) -> None:
        super().__init__(kernel, rows)
        whole, unit = whole_rows(rows)
        self._whole = [[number * unit.numerator for number in row] for row in whole]
        self.divisor = unit.denominator

    def _products(self, j: int) -> list[int]:
        return self._whole[j]

    def diagonal(self) -> list[int]:
        """Return the product of each row with itself."""
        constant = self.divisor if self.kernel.intercept else 0
        return [self._whole[i][i] + constant for i in range(self.n)]


class RadialMatrix(_InnerProducts):
    """``exp(-gamma ||x - x'||^2)``, in multiples of ``2^-bits``."""

    error = 2

    def __init__(self, kernel: Kernel, rows: ExactRows, bits: int) -> None:
        super().__init__(kernel, rows)
        self.bits, self.divisor = bits, 2**bits
        self._slope = Fraction(kernel.gamma) * self._unit**2
        self._known: dict[int, int] = {0: self.divisor}  # the exponential of 0 is 1

    def _distances(self, j: int) -> list[int]:
        """Return the squared distances of all rows from row j, in units of the whole rows."""
        squares = self._squares
        return [squares[i] + squares[j] - 2 * inner for i, inner in enumerate(self._inner(j))]

    def _products(self, j: int) -> list[int]:
        known, distances = self._known, self._distances(j)
        p, q = self._slope.numerator, self._slope.denominator
        with flint.ctx.workprec(self.bits + _GUARD_BITS):
            for distance in distances:
                if distance not in known:
                    # The ball holds the true value, which is at most 1: off its middle by less than 2^-bits. Rounded down,
                    # the middle is off by one unit more.
                    value = flint.arb(flint.fmpq(-distance * p, q)).exp() * self.divisor
                    whole = value.mid().floor().unique_fmpz()
                    assert value.rad() < 1
                    assert whole is not None
                    known[distance] = int(whole)
        return [known[distance] for distance in distances]

    def diagonal(self) -> list[int]:
        """Return the product of each row with itself, which is exact."""
        return [self.divisor * (2 if self.kernel.intercept else 1)] * self.n

    def is_zero(self, multiples: dict[int, int], i: int) -> bool:
        """Whether the true score is exactly 0.

        It is a sum of whole multiples of exponentials of rational numbers. By the theorem of Lindemann and Weierstrass
        exponentials of different rational numbers are independent over the rationals: the sum is 0 if and only if the
        multiples of each exponential add up to 0.
        """
        sums: Counter[int] = Counter()
        for j, distance in zip(multiples, self._distances_from(i, list(multiples)), strict=True):
            sums[distance] += multiples[j]
        if self.kernel.intercept:
            sums[0] += sum(multiples.values())
        return not any(sums.values())

    def _distances_from(self, i: int, rows: list[int]) -> list[int]:
        distances = self._distances(i)
        return [distances[j] for j in rows]


def gram_matrix(kernel: Kernel, rows: ExactRows, bits: int = 128) -> GramMatrix:
    """Return the Gram matrix of rows; that of the radial kernel in so many bits."""
    if kernel.name == "precomputed":
        return PrecomputedMatrix(kernel, rows)
    return RadialMatrix(kernel, rows, bits) if kernel.name == "rbf" else PolynomialMatrix(kernel, rows)
