"""How far each number of a table may be off: a tolerance for each column, in exact numbers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.decimals import MAX_DECIMALS
from ..problem.exact_rows import LARGEST_NUMERATOR, ExactRows
from ..problem.problem import Problem
from ..problem.rows import is_dense
from ..problem.wording import column_names
from ..support.counts import few_of
from ..support.escaping import shown
from ..support.remedies import Message, Remedy

_MOST_NAMES = 10
"""Columns that are named where one is not found."""

_MOST_DIGITS = 17
"""Digits, at most, of the shortest decimal that is read as a float64."""

DIGITS = "digits"
"""The tolerance of half the last digit."""


@dataclass(frozen=True)
class Tolerances:
    """How far the numbers of each column may be off."""

    columns: tuple[Fraction, ...]
    """One for each column; 0 where its numbers are exact."""
    common: Fraction | None
    """The number that was given for all columns, if one was."""
    digits: bool = False
    """Whether they are half the last digit."""

    @property
    def inexact(self) -> list[int]:
        """The columns whose numbers may be off."""
        return [j for j, each in enumerate(self.columns) if each]


def read_tolerances(problem: Problem, tolerance: Any, exact: Iterable[Any] = ()) -> Tolerances:
    """Read what a user says: "digits", a number for all columns, one for each in order, or some by the names of columns.

    Columns of categories, those that tell of gaps, and those that are said to be exact, have the tolerance 0.
    """
    fixed = {_place(problem, column) for column in ([exact] if isinstance(exact, str | int) else exact)}
    fixed |= {j for j, column in enumerate(problem.columns or ()) if column.category is not None or column.gap}
    if isinstance(tolerance, str) and tolerance == DIGITS:
        found = [Fraction(0) if j in fixed else each for j, each in enumerate(_half_digits(problem.rows))]
        return Tolerances(tuple(found), None, digits=True)
    if isinstance(tolerance, Mapping):
        given = {_place(problem, column): read_tolerance(value) for column, value in tolerance.items()}
        return Tolerances(tuple(Fraction(0) if j in fixed else given.get(j, Fraction(0)) for j in range(problem.d)), None)
    if isinstance(tolerance, list | tuple | np.ndarray) and np.ndim(tolerance):
        if np.ndim(tolerance) != 1 or len(tolerance) != problem.d:
            raise ValueError(
                f"tolerance has the shape {np.shape(tolerance)}. Give one number, or one for each of the {problem.d:,} "
                "columns, or a dictionary with names of columns."
            )
        return Tolerances(
            tuple(Fraction(0) if j in fixed else read_tolerance(each) for j, each in enumerate(tolerance)), None
        )
    common = read_tolerance(tolerance)
    return Tolerances(tuple(Fraction(0) if j in fixed else common for j in range(problem.d)), common)


def read_tolerance(value: Any) -> Fraction:
    """Read a tolerance; a float is the short decimal that Python prints, since nobody means 0.1000000000000000055."""
    try:
        if isinstance(value, numbers.Rational):
            number = Fraction(int(value.numerator), int(value.denominator))
        elif isinstance(value, float | np.floating):
            number = Fraction(repr(float(value)))
        else:
            number = Fraction(value)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        number = Fraction(-1)
    if number < 0:
        raise ValueError(f"The tolerance must be {DIGITS!r} or a number that is not negative, got {value!r}.")
    return number


def _place(problem: Problem, column: Any) -> int:
    """Find a column by its name or, where columns have none, by its number from 0."""
    names = problem.names
    if isinstance(column, str):
        known = column_names(problem) if names is None else names
        if column in known:
            return known.index(column)
    elif isinstance(column, numbers.Integral) and 0 <= int(column) < problem.d:
        return int(column)
    some = few_of(column_names(problem), _MOST_NAMES, in_all=True)
    counted = "; count them from 0" if names is None else ""
    raise ValueError(f"There is no column {shown(column)}. The columns are: {some}{counted}.")


# ---- Half the last digit.


def _half_digits(rows: ExactRows) -> list[Fraction]:
    """Return half the last digit of each column: of the finest that one of its numbers has.

    Columns of at most two whole numbers, such as 0 and 1, are marks rather than measurements, and exact.
    """
    if rows.reading == "rational":
        raise ValueError(
            Message("Fractions have no last digit. Give the tolerance as a number: ", Remedy("tolerance", "0.005"), ".")
        )
    return [_half_digit(numerators, rows) for numerators in _columns(rows)]


def _columns(rows: ExactRows) -> Iterator[NDArray[Any]]:
    """Give the numerators of each column; of those that are not stored, a single 0."""
    if rows.wide is not None:
        yield from rows.wide.T
    elif is_dense(rows.numerators):
        yield from rows.numerators.T
    else:
        by_column = rows.numerators.tocsc()
        for start, stop in pairwise(by_column.indptr):
            found = by_column.data[start:stop]
            yield found if found.size == len(rows) else np.append(found, 0.0)


def _half_digit(numerators: NDArray[Any], rows: ExactRows) -> Fraction:
    """Return half the last digit of a column; 0 for one of marks."""
    ends = numerators.min(), numerators.max()
    if not any(end % rows.denominator for end in ends) and np.all((numerators == ends[0]) | (numerators == ends[1])):
        return Fraction(0)
    if rows.reading == "decimal":
        return Fraction(1, 2 * 10 ** _places_of_decimals(numerators, rows.denominator))
    return Fraction(10) ** -_places_of_floats(numerators) / 2


def _places_of_decimals(numerators: NDArray[Any], denominator: int) -> int:
    """Return how many decimals numbers have, at most, of which these are the numerators."""
    whole = numerators if numerators.dtype == object else numerators.astype(np.int64)
    common = math.gcd(denominator, int(np.gcd.reduce(whole)))
    places = len(str(denominator)) - 1
    zeros = next(zeros for zeros in range(places + 1) if zeros == places or common % 10 ** (zeros + 1))
    return places - zeros


def _places_of_floats(values: Floats) -> int:
    """Return how many decimals float64 numbers have, at most, as the shortest decimals that are read as them."""
    left, most = values[values != 0.0], 0
    for places in range(MAX_DECIMALS + 1):
        ten = float(10**places)
        with np.errstate(over="ignore", invalid="ignore"):
            near = np.rint(left * ten)
            # A whole number below 2**53 over a power of ten is rounded once, as the decimal is that it stands for.
            fits = (near / ten == left) & (np.abs(near) <= LARGEST_NUMERATOR) | (left == np.rint(left))
        if fits.any():
            most, left = places, left[~fits]
        if not left.size:
            break
    for value in left[np.argsort(np.abs(left))].tolist():  # the smallest have the most decimals, as all have 17 digits
        if most >= _MOST_DIGITS - math.floor(math.log10(abs(value))):
            break
        most = max(most, -int(Decimal(repr(value)).as_tuple().exponent))
    return most
