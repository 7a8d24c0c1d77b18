"""Numbers that need not be float64: fractions, decimals, and decimals that are written as text."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .dyadic import Dyadic, Quotient
from .float64 import exact_float64, gathered, read_float

_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")

_FRACTION = re.compile(r"[+-]?[0-9]+/0*[1-9][0-9]*")

_MAX_DIGITS = 1000
"""Digits of a number that is typed as text, at most."""


def read_rational(value: Any, what: str) -> Fraction:
    """Return a number exactly: a text is the decimal or the fraction that it writes, anything else the number that it is.

    >>> read_rational("0.1", "eta0"), read_rational(0.5, "eta0"), read_rational("-1/3", "eta0")
    (Fraction(1, 10), Fraction(1, 2), Fraction(-1, 3))
    """
    if isinstance(value, str):
        text = value.strip()
        if not (_DECIMAL.fullmatch(text) or _FRACTION.fullmatch(text)) or len(text) > _MAX_DIGITS:
            raise ValueError(f"{what} is {value[:80]!r}, which is not a decimal number such as '0.1', or a fraction '1/3'.")
        return Fraction(text)
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    try:
        if hasattr(value, "as_integer_ratio"):
            return Fraction(*value.as_integer_ratio())
        return Fraction(read_float(value, what))
    except (OverflowError, ValueError):  # infinite, or no number
        raise ValueError(f"{what} is {value}. It must be a finite number.") from None


def as_written(values: Any) -> Any:
    """Return numbers with each float as the text of the shortest decimal for it, which is what somebody typed.

    >>> as_written(0.1), as_written([0.5, 1, "1/3"]), as_written(np.array([0.1, 2]))
    ('0.1', ['0.5', 1, '1/3'], ['0.1', '2.0'])
    """
    if isinstance(values, float | np.floating):
        return str(values) if math.isfinite(values) else values
    if isinstance(values, list | tuple):
        return [as_written(each) for each in values]
    if isinstance(values, np.generic | np.ma.MaskedArray) or not hasattr(values, "__array__"):
        return values
    array = np.asarray(values)
    return [as_written(each) for each in array] if array.ndim else as_written(array[()])


def read_fraction(value: Any, what: str) -> Fraction:
    """Return a number exactly, as `read_rational` does; a text may also be a fraction.

    >>> read_fraction("1/2", "margin"), read_fraction("0.1", "margin"), read_fraction(2, "margin")
    (Fraction(1, 2), Fraction(1, 10), Fraction(2, 1))
    """
    if isinstance(value, str) and value.count("/") == 1:
        above, below = (read_rational(part, what) for part in value.split("/"))
        if not below:
            raise ValueError(f"{what} is {value[:80]!r}, which divides by 0.")
        return above / below
    return read_rational(value, what)


def read_whole(value: Any, what: str, least: int, most: int) -> int:
    """Return a whole number between two others, or refuse it.

    >>> read_whole(3, "rows", 1, 9)
    3
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not least <= int(value) <= most:
        raise ValueError(f"{what} must be a whole number from {least:,} to {most:,}, got {value!r}.")
    return int(value)


def read_square(value: Any, squared: Any, what: str) -> Fraction | None:
    """Return the square of a positive number that is given itself or by its square; None if it is not given at all.

    >>> read_square("0.5", None, "margin"), read_square(None, "1/2", "margin"), read_square(None, None, "margin")
    (Fraction(1, 4), Fraction(1, 2), None)
    """
    if value is not None and squared is not None:
        raise ValueError(f"Give {what} or {what}_squared, not both.")
    if value is None and squared is None:
        return None
    name = what if squared is None else f"{what}_squared"
    number = read_fraction(value if squared is None else squared, name)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {number}.")
    return number * number if squared is None else number


def read_rationals(values: Any, what: str) -> list[Fraction]:
    """Return numbers in an array, or in nested lists, as fractions, row after row."""
    array = gathered(values, what) if not isinstance(values, str) else np.array([values], object)
    if array.dtype.kind in "US":
        array = np.asarray(values, object)
    elif array.dtype.kind != "O":
        array = exact_float64(array, what)
        if not np.isfinite(array).all():
            raise ValueError(f"{what} must be finite, but holds NaN or infinity.")
    return [read_rational(each, what) for each in array.reshape(-1).tolist()]


def vector_of(numbers: Sequence[Fraction]) -> Dyadic | Quotient:
    """Return fractions as a vector.

    >>> vector_of([Fraction(1, 10), Fraction(1, 4)])
    Quotient(['1/10', '1/4'])
    """
    common = math.lcm(*(number.denominator for number in numbers)) if numbers else 1
    whole = Dyadic([number.numerator * (common // number.denominator) for number in numbers], 0)
    return whole.times_fraction(Fraction(1, common))
