"""Linear algebra over the rationals, by FLINT: rows as integers, square systems, independence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from .._types import Floats

PRIME = 2305843009213693921
"""A prime below ``2**61``, not a Mersenne prime: powers of two, of which rows are full, have no small order."""


@dataclass(frozen=True)
class IntegerRows:
    """Rows written as ``numbers[i][j] * 2**(rows[i] + columns[j])``.

    Multiplying equations and unknowns by powers of two keeps the integers short, whatever the scale of the features.
    """

    numbers: list[list[int]]
    rows: list[int]
    columns: list[int]

    @classmethod
    def of(cls, values: Floats) -> IntegerRows:
        """Write a matrix of float64 numbers exactly.

        >>> IntegerRows.of(np.array([[0.5, 6.0], [0.0, 3.0]])).numbers
        [[1, 12], [0, 3]]
        """
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


def product(left: Sequence[int], matrix: Sequence[Sequence[int]]) -> list[int]:
    """Add up the rows of a matrix, each times its number on the left."""
    row = flint.fmpz_mat(1, len(left), list(left))
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
    integers = IntegerRows.of(rows)
    low = min(integers.rows)
    return not any(product([m << (r - low) for m, r in zip(multipliers, integers.rows, strict=True)], integers.numbers))


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


def primitive(numbers: Iterable[int]) -> list[int]:
    """Divide integers by their greatest common divisor.

    >>> primitive([4, -6])
    [2, -3]
    """
    numbers = list(numbers)
    divisor = math.gcd(*numbers) or 1
    return [number // divisor for number in numbers] if divisor > 1 else numbers
