"""Exact means, variances and ends of columns, as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..exact.dyadic import mantissas_and_exponents
from .exact_rows import ExactRows
from .rows import column_ends, column_extremes, is_dense

_BITS = 16
"""Bits of a digit. A product of two has 32, and float64 holds the sum of a million of them."""

_MAX_APART = 4
"""Digits of one number that are not 0 are no farther apart than this: 53 bits lie in five digits at most."""

_NUMBERS_AT_A_TIME = 2**20

_LARGEST_RATIO = 2.0**900
"""Of the largest to the smallest number, so that a column can be multiplied by a power of two without rounding."""


def means_and_variances(rows: ExactRows) -> tuple[list[Fraction], list[Fraction]]:
    """Return the mean and the variance of each column: the mean square of what it differs from its mean."""
    n, s = rows.shape[0], rows.denominator
    if rows.wide is not None:
        sums, squares = rows.wide.sum(axis=0).tolist(), (rows.wide * rows.wide).sum(axis=0).tolist()
        units = [Fraction(1, s)] * rows.shape[1]
    else:
        measures = rows.measures
        alike = measures.largest / _LARGEST_RATIO < measures.smallest
        sums, squares, exponents = _sums(rows.numerators) if alike else _sums_of_integers(rows.numerators)
        units = [Fraction(2) ** e / s for e in exponents]
    means = [total * unit / n for total, unit in zip(sums, units, strict=True)]
    variances = [
        (n * square - total * total) * (unit / n) ** 2
        for total, square, unit in zip(sums, squares, units, strict=True)
    ]  # fmt: skip
    return means, variances


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
    digits, products = _Tally(X.shape[1]), _Tally(X.shape[1])
    for places, numbers in _in_pieces(X, exponents):
        _add(places, numbers, digits, products)
    count = max(len(digits.sums), (len(products.sums) + 1) // 2)
    unit = [int(e) - _BITS * count for e in exponents]
    return digits.as_integers(count), products.as_integers(2 * count - 1), unit


class _Tally:
    """Sums of digits of each column, by their places: the first is that of the highest power."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.sums: list[NDArray[np.int64]] = []

    def add(self, place: int, sums: Floats, times: int = 1) -> None:
        """Add whole numbers, all that float64 holds exactly, at a place."""
        while len(self.sums) <= place:
            self.sums.append(np.zeros(self.columns, np.int64))
        self.sums[place] += times * sums.astype(np.int64)

    def as_integers(self, places: int) -> list[int]:
        """Return the numbers that the digits make, in units of the last of so many places."""
        total: NDArray[Any] = np.zeros(self.columns, object)
        for place in range(places):
            total = (total << _BITS) + (self.sums[place].astype(object) if place < len(self.sums) else 0)
        return [int(number) for number in total]


def _in_pieces(X: Rows, exponents: NDArray[Any]) -> Any:
    """Yield the numbers of some rows at a time, below 1 by powers of two; of sparse ones with their columns."""
    if is_dense(X):
        step = max(1, _NUMBERS_AT_A_TIME // X.shape[1])
        for start in range(0, X.shape[0], step):
            yield None, np.ldexp(X[start : start + step], -exponents)
        return
    for start in range(0, X.nnz, _NUMBERS_AT_A_TIME):
        places = X.indices[start : start + _NUMBERS_AT_A_TIME]
        yield places, np.ldexp(X.data[start : start + _NUMBERS_AT_A_TIME], -exponents[places])


def _add(places: Any, numbers: Floats, digits: _Tally, products: _Tally) -> None:
    """Take numbers below 1 apart into digits, and add these up, and the products of those of the same number."""

    def by_column(values: Floats) -> Floats:
        if places is None:
            return np.asarray(values.sum(axis=0))
        return np.bincount(places, values, digits.columns).astype(np.float64, copy=False)

    recent: list[tuple[int, Floats]] = []
    rest, place = numbers, 0
    while rest.any():
        rest = rest * 2.0**_BITS
        digit = np.trunc(rest)
        rest = rest - digit  # exact, as is the product: what is left of a float64 is one
        if digit.any():
            digits.add(place, by_column(digit))
            products.add(2 * place, by_column(digit * digit))
            recent = [(at, other) for at, other in recent if place - at <= _MAX_APART]
            for at, other in recent:
                products.add(place + at, by_column(digit * other), 2)
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
