"""Whether the numbers of a table are read as the decimals that it writes, or as float64.

Decimals need one power of ten, up to the 22nd, that makes all numbers whole, and none of them larger than 2**53. Then
claims and runs are about the decimals: 0.1 is one tenth. Else they are about the float64 nearest to each number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from .._types import Floats, Rows
from ..checker import decimal_in
from ..compiled.decimals import MAX_DECIMALS, NEAREST, TOO_LONG, TRIMMED
from ..exceptions import FileError
from ..problem.exact_rows import ExactRows
from ..problem.provenance import NumbersAs, Place
from ..support.escaping import brief
from ..support.remedies import Remedy
from ..support.threads import in_parts

LARGEST_NUMERATOR = 2**53
"""Up to here every whole number is a float64."""

LARGEST_FROM_NEAREST = 2.0**50
"""Up to here a numerator is the whole number next to the nearest float64 times the power of ten.

The float64 is off by 2**-53 of itself at most, and so is their product in floating point: by a quarter, together.
"""


Found = TypeVar("Found")


class Misfit(NamedTuple):
    """A number that does not fit beside the others as a decimal."""

    place: Place
    column: str | int
    """The name of its column; in LIBSVM text, its index."""
    text: str

    def __str__(self) -> str:
        column = f"index {self.column}" if isinstance(self.column, int) else f"column {brief(self.column)}"
        return f"{self.place}, {column}: {brief(self.text)}"


class TooManyDigits(FileError):  # noqa: N818 (it is what it says)
    """Numbers that do not fit as decimals, where they must."""


class Digits(NamedTuple):
    """What one pass over the numbers of a text tells of their digits."""

    decimals: int = 0
    """The most decimals of any of them; zeros at the end may be counted."""
    largest: float = 0.0
    """The largest magnitude."""
    misfit: Misfit | None = None
    """The first of them that has no decimal form, by itself or with as many decimals as were asked for."""

    def beside(self, other: Digits) -> Digits:
        """Return what two texts tell together."""
        return Digits(max(self.decimals, other.decimals), max(self.largest, other.largest), self.misfit or other.misfit)

    @property
    def next_to_nearest(self) -> bool:
        """Whether the numerators are next to the nearest float64 times the power of ten."""
        return self.misfit is None and self.largest * float(10**self.decimals) <= LARGEST_FROM_NEAREST


class Decimals(NamedTuple):
    """How the numbers of a table are read: the decimals of all, or what keeps them from being read as decimals."""

    places: int = 0
    """The power of ten that makes all of them whole."""
    whole: bool = False
    """Whether columns hold the numerators already; else they hold the nearest float64."""
    misfit: Misfit | None = None
    """The first number that does not fit; None if all do."""


def read_number(cell: str, decimals: int) -> tuple[float, int]:
    """Read a number as `compiled.decimals` does: return its value, and how many decimals it has, or `TOO_LONG`.

    >>> read_number("0.50", NEAREST), read_number("0.50", 3), read_number("1e-30", NEAREST)
    ((0.5, 1), (500.0, 0), (1e-30, 64))
    """
    mantissa, power = decimal_in(cell)
    if decimals < 0:
        places, size = max(0, -power), mantissa * 10 ** min(max(0, power), MAX_DECIMALS)
        fits = places <= MAX_DECIMALS and power <= MAX_DECIMALS and abs(size) <= LARGEST_NUMERATOR
        return (float(cell) if decimals == NEAREST else 0.0), places if fits else TOO_LONG
    power += decimals
    whole = mantissa * 10**power if 0 <= power <= MAX_DECIMALS else LARGEST_NUMERATOR + 1
    return (float(whole), 0) if abs(whole) <= LARGEST_NUMERATOR or not mantissa else (0.0, TOO_LONG)


def settled(numbers: NumbersAs, read: Callable[[int], tuple[Found, Digits]]) -> tuple[Found, Decimals | None]:
    """Read a text as decimals if its numbers fit, and if not, as chosen; None: it was chosen to be read as float64.

    ``read`` reads it to the nearest float64, or only tells the decimals, or reads numerators: `NEAREST`, `TRIMMED`, or the
    power of ten of these. Mostly once is enough.
    """
    found, digits = read(NEAREST)
    if numbers == "float64":
        return found, None
    misfit = digits.misfit
    if misfit is None and not digits.next_to_nearest:
        _, trimmed = read(TRIMMED)
        whole, misfits = read(trimmed.decimals)
        if misfits.misfit is None:
            return whole, Decimals(trimmed.decimals, whole=True)
        misfit = misfits.misfit
    return found, required(numbers, Decimals(0 if misfit else digits.decimals, misfit=misfit))


def rows_of(X: Rows, decimals: Decimals | None) -> ExactRows:
    """Take rows that hold numerators for what they are; or float64, if they are not read as decimals."""
    if decimals is None or decimals.misfit is not None:
        return ExactRows(X)
    return ExactRows(X, 10**decimals.places, "decimal")


def to_numerators(data: Floats, decimals: Decimals | None) -> Decimals | None:
    """Turn the nearest float64 into the numerators next to them, in place, where numbers are read as decimals.

    Return how numbers are read then.
    """
    if decimals is None or decimals.misfit is not None or decimals.whole:
        return decimals
    ten = float(10**decimals.places)

    def multiply(first: int, last: int) -> None:
        some = data[first:last]
        np.rint(np.multiply(some, ten, out=some), out=some)

    if decimals.places:
        in_parts(multiply, data.size, data.size)
    return decimals._replace(whole=True)


def required(numbers: NumbersAs, found: Decimals) -> Decimals:
    """Refuse numbers that do not fit, if they must."""
    if numbers == "decimal" and found.misfit is not None:
        raise TooManyDigits(
            f"{found.misfit} does not fit as a decimal: times a power of ten that makes every number of the table whole, "
            "up to 10^22, none may be more than 2^53. Round the numbers, or say ",
            Remedy("numbers", "float64"),
            " to take the float64 nearest to each.",
        )
    return found
