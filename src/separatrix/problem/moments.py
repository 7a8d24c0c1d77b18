"""Exact means, variances and ends of columns: quotients of integers, which are not brought to lowest terms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..exact.dyadic import mantissas_and_exponents
from .exact_rows import ExactRows
from .rows import column_ends, column_extremes, is_dense

_MOST_ROWS, _BITS = 2**11, 21
"""Rows that are added up at a time, and bits of a digit of their numbers: float64 holds the sum of so many products."""

_MOST_ENTRIES, _BITS_OF_ENTRIES = 2**20, 16
"""The same of the numbers of sparse rows, which may all be in one column."""

_MAX_APART = 4
"""Digits of one number that are not 0 are no farther apart than this: 53 bits lie in five of 16 bits, or in four of 21."""

_NUMBERS_AT_A_TIME = 2**17

_HALF = 31
"""Bits of the lower part of a sum of digits."""

_LARGEST_RATIO = 2.0**900
"""Of the largest to the smallest number, so that a column can be multiplied by a power of two without rounding."""


class Quotients(NamedTuple):
    """Integers over integers, one for each column; what they are divided by is positive."""

    above: list[int]
    below: list[int]

    def fractions(self) -> list[Fraction]:
        """Return them in lowest terms."""
        return [Fraction(p, q) for p, q in zip(self.above, self.below, strict=True)]


def means_and_variances(rows: ExactRows) -> tuple[Quotients, Quotients]:
    """Return the mean and the variance of each column: the mean square of what it differs from its mean."""
    n, s = rows.shape[0], rows.denominator
    if rows.wide is not None:
        sums, squares = rows.wide.sum(axis=0).tolist(), (rows.wide * rows.wide).sum(axis=0).tolist()
        exponents = [0] * rows.shape[1]
    else:
        measures = rows.measures
        alike = measures.largest / _LARGEST_RATIO < measures.smallest
        sums, squares, exponents = _sums(rows.numerators) if alike else _sums_of_integers(rows.numerators)
    differences = [n * square - total * total for total, square in zip(sums, squares, strict=True)]
    return _times_powers(sums, exponents, n * s), _times_powers(differences, [2 * e for e in exponents], (n * s) ** 2)


def _times_powers(numbers: list[int], exponents: list[int], divisor: int) -> Quotients:
    """Return numbers times powers of two, over a divisor."""
    above = [number << max(e, 0) for number, e in zip(numbers, exponents, strict=True)]
    return Quotients(above, [divisor << max(-e, 0) for e in exponents])


def ends(rows: ExactRows) -> tuple[list[Fraction], list[Fraction]]:
    """Return the smallest and the largest number of each column."""
    if rows.wide is not None:
        least, most = rows.wide.min(axis=0).tolist(), rows.wide.max(axis=0).tolist()
    else:
        least, most = (each.tolist() for each in column_ends(rows.numerators))
    s = rows.denominator
    return [Fraction(number) / s for number in least], [Fraction(number) / s for number in most]


def _sums(X: Rows) -> tuple[list[int], list[int], list[int]]:
    """Return the sums of columns, and of their squares, as integers; and exponents of the units they are counted in.

    A sum is counted in the power of two with that exponent, a sum of squares in its square.
    """
    exponents = np.frexp(column_extremes(X))[1]
    bits = _BITS if is_dense(X) else _BITS_OF_ENTRIES
    digits, products = _Tally(X.shape[1], bits), _Tally(X.shape[1], bits)
    for places, numbers in _in_pieces(X, exponents):
        _add(places, numbers, digits, products)
    count = max(len(digits.sums), (len(products.sums) + 1) // 2)
    unit = [int(e) - bits * count for e in exponents]
    return digits.as_integers(count), products.as_integers(2 * count - 1), unit


class _Tally:
    """Sums of digits of each column, by their places: the first is that of the highest power."""

    def __init__(self, columns: int, bits: int) -> None:
        self.columns, self.bits = columns, bits
        self.sums: list[NDArray[np.int64]] = []
        """For each place two rows, which do not overflow: what the sums are in units of ``2**_HALF``, and the rest."""

    def add(self, place: int, sums: Floats, times: int = 1) -> None:
        """Add whole numbers, all that float64 holds exactly, at a place."""
        while len(self.sums) <= place:
            self.sums.append(np.zeros((2, self.columns), np.int64))
        whole = times * sums.astype(np.int64)
        self.sums[place][0] += whole >> _HALF
        self.sums[place][1] += whole & (2**_HALF - 1)

    def as_integers(self, places: int) -> list[int]:
        """Return the numbers that the digits make, in units of the last of so many places."""
        total: NDArray[Any] = np.zeros(self.columns, object)
        for place in range(places):
            total = total << self.bits
            if place < len(self.sums):
                high, low = self.sums[place].astype(object)
                total = total + (high << _HALF) + low
        return [int(number) for number in total]


def _in_pieces(X: Rows, exponents: NDArray[Any]) -> Iterator[tuple[Any, Floats]]:
    """Yield the numbers of some rows at a time, below 1 by powers of two; of sparse ones with their columns."""
    if is_dense(X):
        step = max(1, min(_MOST_ROWS, _NUMBERS_AT_A_TIME // X.shape[1]))
        for start in range(0, X.shape[0], step):
            yield None, np.ldexp(X[start : start + step], -exponents)
        return
    for start in range(0, X.nnz, _MOST_ENTRIES):
        places = X.indices[start : start + _MOST_ENTRIES]
        yield places, np.ldexp(X.data[start : start + _MOST_ENTRIES], -exponents[places])


def _add(places: Any, numbers: Floats, digits: _Tally, products: _Tally) -> None:
    """Take numbers below 1 apart into digits, and add these up, and the products of those of the same number."""

    def by_column(first: Floats, second: Floats | None = None) -> Floats:
        if places is not None:
            values = first if second is None else first * second
            return np.bincount(places, values, digits.columns).astype(np.float64, copy=False)
        return np.asarray(first.sum(axis=0) if second is None else np.einsum("ij,ij->j", first, second))

    recent: list[tuple[int, Floats]] = []
    rest, place = numbers, 0
    while rest.any():
        rest = rest * 2.0**digits.bits
        digit = np.trunc(rest)
        rest -= digit  # exact, as is the product: what is left of a float64 is one
        digits.add(place, by_column(digit))
        products.add(2 * place, by_column(digit, digit))
        recent = [(at, other) for at, other in recent if place - at <= _MAX_APART]
        for at, other in recent:
            products.add(place + at, by_column(digit, other), 2)
        recent.append((place, digit))
        place += 1


def _sums_of_integers(X: Rows) -> tuple[list[int], list[int], list[int]]:
    """Return the same, slowly, of numbers so far apart that no power of two suits them all."""
    sums, squares, units = [], [], []
    for column in _columns(X):
        numbers, exponents = mantissas_and_exponents(column[column != 0.0])
        unit = min(exponents, default=0)
        whole = [number << (e - unit) for number, e in zip(numbers, exponents, strict=True)]
        sums.append(sum(whole))
        squares.append(sum(number * number for number in whole))
        units.append(unit)
    return sums, squares, units


def _columns(X: Rows) -> list[Floats]:
    """Return the numbers of each column, those that are not stored left out."""
    if is_dense(X):
        return [np.ascontiguousarray(column) for column in X.T]
    by_column = X.tocsc()
    return [np.asarray(part) for part in np.split(by_column.data, by_column.indptr[1:-1])]
