"""The features of a polynomial kernel, written out: monomials, each with a weight in the inner product.

``(gamma x.x' + c)^p`` is a sum over all monomials ``m`` of degree k <= p (k = p alone if c is 0) of ``weight * m(x) m(x')``,
with the weight ``binomial(p, k) gamma^k c^(p - k)`` times the multinomial coefficient of ``m`` in ``(x_1 + ... + x_d)^k``.
The weights are positive if c is not negative. A hyperplane separates images of rows if and only if one separates their
monomials, whatever the positive weights; lengths, and so margins, depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exact.linear_algebra import IntegerRows
from .exact_rows import LARGEST_NUMERATOR, MAX_WIDE_BITS, MAX_WIDE_CELLS, ExactRows, Reading
from .problem import Problem
from .provenance import Column, LibsvmTable
from .rows import filled_in


class LongFeatures(ValueError):  # noqa: N818 (it is what it says)
    """The features of a kernel that are too long, or too many long ones, to be written out."""


@dataclass(frozen=True)
class PolynomialKernel:
    """``(gamma x.x' + coef0)^degree``, with gamma above 0 and coef0 not below."""

    degree: int
    gamma: Fraction
    coef0: Fraction

    def monomials(self, d: int) -> Iterator[Monomial]:
        """Go through the monomials of d features, those of the highest degree first; without the constant.

        >>> [each.places for each in PolynomialKernel(2, Fraction(1), Fraction(1)).monomials(2)]
        [(0, 0), (0, 1), (1, 1), (0,), (1,)]
        """
        for degree in range(self.degree, 0 if self.coef0 else self.degree - 1, -1):
            yield from map(Monomial, combinations_with_replacement(range(d), degree))

    def number(self, d: int) -> int:
        """Return the number of monomials, the constant left out."""
        if self.coef0:
            return math.comb(d + self.degree, self.degree) - 1
        return math.comb(d + self.degree - 1, self.degree)

    def weights(self, d: int, intercept: bool) -> list[Fraction]:
        """Return the weight of each monomial in the inner product, then that of the constant: 0 if there is none."""
        constant = self.coef0**self.degree + intercept
        return [*(each.weight(self) for each in self.monomials(d)), constant]

    def document(self) -> dict[str, Any]:
        """Return it as an object of a JSON document."""
        return {"degree": self.degree, "gamma": str(self.gamma), "coef0": str(self.coef0)}


@dataclass(frozen=True)
class Monomial:
    """A product of features, by their places in ascending order, with repetitions; of none it is the constant 1."""

    places: tuple[int, ...]

    def name(self, names: list[str]) -> str:
        """Write it in the names of the features.

        >>> Monomial((0, 0, 1)).name(["a", "b"])
        'a^2*b'
        """
        powers = ((j, self.places.count(j)) for j in dict.fromkeys(self.places))
        return "*".join(names[j] if power == 1 else f"{names[j]}^{power}" for j, power in powers)

    def weight(self, kernel: PolynomialKernel) -> Fraction:
        """Return its weight in the inner product.

        >>> Monomial((0, 1)).weight(PolynomialKernel(2, Fraction(1), Fraction(0)))
        Fraction(2, 1)
        """
        k, p = len(self.places), kernel.degree
        orders = math.factorial(k)
        for j in set(self.places):
            orders //= math.factorial(self.places.count(j))
        return math.comb(p, k) * orders * kernel.gamma**k * kernel.coef0 ** (p - k)


def written_out(problem: Problem, kernel: PolynomialKernel) -> Problem:
    """Return the problem of the monomials: separable, quasi-separable or overlapping as the images of the rows are.

    Its rows are exact, and the constant, which is there if there is an intercept or if ``coef0`` is not 0, is its intercept.
    """
    chosen = list(kernel.monomials(problem.d))
    base = problem.table.base if isinstance(problem.table, LibsvmTable) else 1
    names = problem.names or [f"x{base + j}" for j in range(problem.d)]
    columns = tuple(Column(each.name(names)) for each in chosen)
    rows = _small(problem, chosen, kernel.degree) or _wide(problem, chosen, kernel.degree)
    constant = problem.intercept or kernel.coef0 > 0
    rows = replace(rows, names=None, origin=problem.rows.origin)
    return replace(problem, rows=rows, columns=columns, intercept=constant, table=None)


def _small(problem: Problem, chosen: list[Monomial], degree: int) -> ExactRows | None:
    """Multiply whole numbers in floating point, if that is exact: no product is too large for float64."""
    rows = problem.rows
    X = filled_in(rows.numerators)
    largest = max(math.ceil(rows.measures.largest), rows.denominator)
    if rows.wide is not None or largest**degree > LARGEST_NUMERATOR or not np.array_equal(X, np.rint(X)):
        return None
    table = np.empty((len(rows), len(chosen)))
    for k, each in enumerate(chosen):
        table[:, k] = X[:, list(each.places)].prod(axis=1) * float(rows.denominator ** (degree - len(each.places)))
    return ExactRows(table + 0.0, rows.denominator**degree, rows.reading)


def _wide(problem: Problem, chosen: list[Monomial], degree: int) -> ExactRows:
    """Multiply in Python's integers."""
    n = problem.n
    if n * len(chosen) > MAX_WIDE_CELLS:
        raise LongFeatures(
            f"The kernel has {len(chosen):,} features, and float64 does not hold their values exactly: of {n:,} rows they "
            f"are more than {MAX_WIDE_CELLS:,} long numbers. Round the features to fewer digits, or lower the degree."
        )
    whole, unit = whole_rows(problem.rows)
    q = problem.rows.denominator if problem.rows.denominator > 1 else unit.denominator
    p = int(unit * q)  # a feature is whole * p / q; over q^degree all monomials are whole
    longest = max(q, *(abs(number) * p for row in whole for number in row))
    if (longest.bit_length() - 1) * degree >= MAX_WIDE_BITS:  # its power is one of the features, or the denominator
        raise LongFeatures(
            f"Some features of the kernel take more than {MAX_WIDE_BITS:,} bits. Round the numbers, or lower the degree."
        )
    table: NDArray[Any] = np.empty((n, len(chosen)), object)
    for k, each in enumerate(chosen):
        factor = p ** len(each.places) * q ** (degree - len(each.places))
        for i, row in enumerate(whole):
            table[i, k] = math.prod(row[j] for j in each.places) * factor
    if max(max(map(abs, table.flat)), q**degree).bit_length() > MAX_WIDE_BITS:
        raise LongFeatures(
            f"Some features of the kernel take more than {MAX_WIDE_BITS:,} bits. Round the numbers, or lower the degree."
        )
    reading: Reading = "decimal" if q == 1 or problem.rows.reading == "decimal" else "rational"
    return ExactRows.of_whole(table, q**degree, reading, None)


def whole_rows(rows: ExactRows) -> tuple[list[list[int]], Fraction]:
    """Return whole numbers, and what they are to be multiplied with to be the rows."""
    if rows.wide is not None:
        return rows.wide.tolist(), Fraction(1, rows.denominator)
    integers = IntegerRows.of(filled_in(rows.numerators))
    power = min(integers.row_exponents) + min(integers.column_exponents)
    return integers.common(), Fraction(2) ** power / rows.denominator
