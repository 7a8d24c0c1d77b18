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

_MAX_DIGITS = 1000
"""Digits of a number that is typed as text, at most."""


def read_rational(value: Any, what: str) -> Fraction:
    """Return a number exactly: a text is the decimal that it writes, anything else the number that it is.

    >>> read_rational("0.1", "eta0"), read_rational(0.5, "eta0"), read_rational(Fraction(1, 3), "eta0")
    (Fraction(1, 10), Fraction(1, 2), Fraction(1, 3))
    """
    if isinstance(value, str):
        text = value.strip()
        if not _DECIMAL.fullmatch(text) or len(text) > _MAX_DIGITS:
            raise ValueError(f"{what} is {value[:80]!r}, which is not a decimal number such as '0.1'.")
        return Fraction(text)
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    try:
        if hasattr(value, "as_integer_ratio"):
            return Fraction(*value.as_integer_ratio())
        return Fraction(read_float(value, what))
    except (OverflowError, ValueError):  # infinite, or no number
        raise ValueError(f"{what} is {value}. It must be a finite number.") from None


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
