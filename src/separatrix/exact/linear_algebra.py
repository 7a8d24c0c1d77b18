"""Linear algebra over the rationals, by FLINT: rows as integers, square systems, independence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from .dyadic import Dyadic

PRIME = 2305843009213693921
"""A prime below ``2**61``, not a Mersenne prime: powers of two, of which rows are full, have no small order."""


@dataclass(frozen=True)
class IntegerRows:
    """Rows written as ``numbers[i][j] * 2**(row_exponents[i] + column_exponents[j])``.

    Multiplying equations and unknowns by powers of two keeps the integers short, whatever the scale of the features. The
    methods speak of the rows themselves: whoever calls them need not know of the exponents.
    """

    numbers: list[list[int]]
    row_exponents: list[int]
    column_exponents: list[int]

    @classmethod
    def of(cls, values: Floats) -> IntegerRows:
        """Write a matrix of float64 numbers, or of Python's integers, exactly.

        >>> IntegerRows.of(np.array([[0.5, 6.0], [0.0, 3.0]])).numbers
        [[1, 12], [0, 3]]
        """
        if values.dtype == object:
            return cls(values.tolist(), [0] * values.shape[0], [0] * values.shape[1])
        fractions, exponents = np.frexp(values)
        mantissas = (fractions * 2.0**53).astype(np.int64)
        trailing = np.frexp((mantissas & -mantissas).astype(np.float64))[1].astype(np.int64) - 1
        zero = mantissas == 0
        trailing[zero] = 0
        mantissas >>= trailing
        powers = exponents.astype(np.int64) - 53 + trailing
        powers[zero] = 2**40
        rows = _least(powers, axis=1)
        columns = _least(powers - rows[:, None], axis=0)
        shifts = np.where(zero, 0, powers - rows[:, None] - columns)
        if shifts.max(initial=0) < 10:
            numbers = (mantissas << shifts).tolist()
        else:
            pairs = zip(mantissas.tolist(), shifts.tolist(), strict=True)
            numbers = [[m << s for m, s in zip(ms, ss, strict=True)] for ms, ss in pairs]
        return cls(numbers, rows.tolist(), columns.tolist())

    def take(self, places: Sequence[int]) -> IntegerRows:
        """Return some of the rows."""
        return IntegerRows([self.numbers[i] for i in places], [self.row_exponents[i] for i in places], self.column_exponents)

    def transposed(self) -> IntegerRows:
        """Exchange rows and columns."""
        return IntegerRows(transposed(self.numbers), self.column_exponents, self.row_exponents)

    def row(self, i: int) -> Dyadic:
        """Return one of the rows."""
        return Dyadic(self.numbers[i], self.row_exponents[i]).times_powers(self.column_exponents)

    def common(self) -> list[list[int]]:
        """Return all rows times one power of two that makes them whole.

        >>> IntegerRows.of(np.array([[0.5, 6.0], [0.0, 3.0]])).common()
        [[1, 12], [0, 6]]
        """
        least = min(self.row_exponents, default=0) + min(self.column_exponents, default=0)
        return [
            [number << (r + c - least) for number, c in zip(row, self.column_exponents, strict=True)]
            for row, r in zip(self.numbers, self.row_exponents, strict=True)
        ]

    def combine(self, multipliers: Sequence[int]) -> Dyadic:
        """Add up the rows, each times a whole number.

        >>> IntegerRows.of(np.array([[0.5, 6.0], [0.0, 3.0]])).combine([3, -6])
        Dyadic(['3/2', '0'])
        """
        if not self.numbers:
            return Dyadic([0] * len(self.column_exponents), 0)
        scaled = Dyadic(multipliers, 0).times_powers(self.row_exponents)
        return Dyadic(combination(scaled.integers, self.numbers), scaled.exponent).times_powers(self.column_exponents)

    def basis(self) -> list[int]:
        """Return the places of the first rows that span all, as `independent` does."""
        return independent(self.numbers)

    @cached_property
    def pivots(self) -> list[int]:
        """The first columns that span all columns: as many as there are rows, if these are independent."""
        return independent(transposed(self.numbers))

    def coordinates(self, vector: Dyadic) -> list[Fraction]:
        """Write a vector as a combination of the rows, which are independent and span it: return its multipliers.

        Only the `pivots` are looked at: of a vector that the rows do not span, the others come out different.

        >>> IntegerRows.of(np.array([[0.5, 6.0], [0.0, 3.0]])).coordinates(Dyadic([1, 0], 0))
        [Fraction(2, 1), Fraction(-4, 1)]
        """
        right = vector.times_powers(-c for c in self.column_exponents)
        square = [[row[j] for row in self.numbers] for j in self.pivots]
        solution, denominator = solve(square, [right.integers[j] for j in self.pivots])
        unit = Fraction(2) ** right.exponent / denominator
        return [number * unit / Fraction(2) ** r for number, r in zip(solution, self.row_exponents, strict=True)]

    def weights(self, solution: Sequence[int]) -> Dyadic:
        """Return the weights under which rows score what their integers do under a solution, each times its power of two."""
        return Dyadic(solution, 0).times_powers(-c for c in self.column_exponents)

    def multipliers(self, solution: Sequence[int]) -> list[int]:
        """Return whole multipliers of the rows in proportion to a solution, which has multipliers of their integers."""
        return primitive(Dyadic(solution, 0).times_powers(-r for r in self.row_exponents).integers)

    def sum_of_multipliers(self) -> Dyadic:
        """Return the coefficients that add up the multipliers of the rows, for unknowns that multiply their integers."""
        return Dyadic([1] * len(self.numbers), 0).times_powers(-r for r in self.row_exponents)

    def orthogonal(self, weights: Dyadic) -> Dyadic | None:
        """Correct weights in as many columns as there are rows, so that all rows score 0; None if rows are dependent.

        The result is right up to a positive factor.

        >>> IntegerRows.of(np.array([[0.5, 6.0]])).orthogonal(Dyadic([7, 1], 0))
        Dyadic(['-3', '1/4'])
        """
        if len(self.pivots) < len(self.numbers):
            return None
        solution = weights.times_powers(self.column_exponents).integers
        for j in self.pivots:
            solution[j] = 0
        right = [-sum(number * k for number, k in zip(row, solution, strict=True) if k) for row in self.numbers]
        corrected, denominator = solve([[row[j] for j in self.pivots] for row in self.numbers], right)
        solution = [k * denominator for k in solution]
        for j, k in zip(self.pivots, corrected, strict=True):
            solution[j] = k
        return self.weights(primitive(solution))

    def orthogonal_modulo(self, p: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Draw weights at random under which all rows score 0 modulo a prime."""
        k, D = len(self.numbers), len(self.column_exponents)
        vector = rng.integers(0, p, D).astype(object)
        if k:
            matrix = flint.nmod_mat(k, D, [number % p for row in self.numbers for number in row], p)
            reduced, rank = matrix.rref()
            table = np.array([int(entry) for entry in reduced.entries()], dtype=object).reshape(k, D)[:rank]
            pivots = [int(np.flatnonzero(row)[0]) for row in table]
            vector[pivots] = 0
            vector[pivots] = -(table @ vector) % p
        back = np.array([pow(2, -c, p) for c in self.column_exponents], dtype=object)
        return (vector * back % p).astype(np.uint64)


def _least(powers: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    least = powers.min(axis=axis, initial=2**40)
    return np.where(least > 2**39, 0, least)


def seconds_to_solve(n: int, bits: int = 53) -> float:
    """Guess how long it takes to solve a dense system of n equations in numbers of so many bits."""
    return 4e-8 * n**3 * (max(bits, 53) / 53) ** 1.5


def bits_of(matrix: Sequence[Sequence[int]]) -> int:
    """Return how many bits the longest number takes."""
    return max((abs(number).bit_length() for row in matrix for number in row), default=0)


def solve(matrix: Sequence[Sequence[int]], right: Sequence[int]) -> tuple[list[int], int]:
    """Solve a regular square system; return numerators and their common denominator, which is positive."""
    n = len(matrix)
    left = flint.fmpz_mat(n, n, [number for row in matrix for number in row])
    quotients: Any = left.solve(flint.fmpz_mat(n, 1, list(right)))
    numerators, denominator = quotients.numer_denom()
    sign = -1 if denominator < 0 else 1
    return [sign * int(numerators[i, 0]) for i in range(n)], sign * int(denominator)


def combination(multipliers: Sequence[int], matrix: Sequence[Sequence[int]]) -> list[int]:
    """Add up the rows of a matrix, each times its multiplier."""
    row = flint.fmpz_mat(1, len(multipliers), list(multipliers))
    combined = row * flint.fmpz_mat(len(matrix), len(matrix[0]), [number for row in matrix for number in row])
    return [int(number) for number in combined.entries()]


def vanishes(rows: Floats, multipliers: Sequence[int]) -> bool:
    """Tell whether rows, each times its multiplier, add up to zero.

    >>> vanishes(np.array([[0.5, 0.0], [-1.5, 0.0]]), [3, 1])
    True
    """
    rows = rows[:, rows.any(axis=0)]
    if not rows.size:
        return True
    return not IntegerRows.of(rows).combine(multipliers)


def transposed(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    """Exchange rows and columns."""
    return [list(column) for column in zip(*matrix, strict=True)]


def independent(vectors: Sequence[Sequence[int]], p: int = PRIME) -> list[int]:
    """Return the places of the first vectors that span all: independent modulo a prime, so independent.

    By bad luck, one in ``2**60``, the prime may miss some; whoever needs them all notices by their number or by the
    exact check that follows.

    >>> independent([[1, 2], [2, 4], [0, 1]])
    [0, 2]
    """
    if not vectors:
        return []
    n, m = len(vectors[0]), len(vectors)
    columns = flint.nmod_mat(n, m, [vector[i] % p for i in range(n) for vector in vectors], p)
    reduced, rank = columns.rref()
    places: list[int] = []
    for i in range(rank):
        place = places[-1] + 1 if places else 0
        while not int(reduced[i, place]):
            place += 1
        places.append(place)
    return places


def is_semidefinite(matrix: Sequence[Sequence[int]]) -> bool:
    """Tell whether a symmetric matrix of integers is positive semidefinite.

    Its eigenvalues are real, and they are roots of its characteristic polynomial. None is negative if and only if the
    coefficients of that, from the highest on, are by turns at least 0 and at most 0: then no negative number is a root,
    as all terms have the same sign there; and products of numbers that are not negative are such coefficients.

    >>> is_semidefinite([[1, 1], [1, 1]]), is_semidefinite([[1, 2], [2, 1]])
    (True, False)
    """
    coefficients = flint.fmpz_mat([list(row) for row in matrix]).charpoly().coeffs()
    return all((-1) ** k * number >= 0 for k, number in enumerate(reversed(coefficients)))


def primitive(numbers: Iterable[int]) -> list[int]:
    """Divide integers by their greatest common divisor.

    >>> primitive([4, -6])
    [2, -3]
    """
    numbers = list(numbers)
    divisor = math.gcd(*numbers) or 1
    return [number // divisor for number in numbers] if divisor > 1 else numbers
