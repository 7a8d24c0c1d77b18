"""The door for numbers: whatever comes in is a float64 that is exactly the number meant, or it is refused with its place.

float32 is widened; integers, fractions and decimals pass if a float64 is equal to them; nothing is rounded on the way.
Lists are looked at before numpy chooses one type for all their members: it would round large integers beside floats.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats

_LARGEST_WHOLE = 2.0**53
"""Up to here every integer is a float64."""


def read_float(value: Any, what: str) -> float:
    """Return one number as a float64; refuse it if it would change.

    >>> from fractions import Fraction
    >>> read_float(Fraction(1, 4), "eta0")
    0.25
    >>> read_float(Fraction(1, 3), "eta0")
    Traceback (most recent call last):
      ...
    ValueError: eta0 is 1/3, which float64 cannot hold exactly. Rescale it, or round it yourself.
    """
    return _float(value, f"{what} is", ())


def read_floats(values: Any, what: str) -> Floats:
    """Return numbers in an array, or in nested lists, as a float64 array of the same shape; refuse what would change."""
    return exact_float64(gathered(values, what), what)


def gathered(values: Any, what: str) -> NDArray[Any]:
    """Return an array, or nested lists as an array in which no number has changed yet."""
    refuse_masked(values, what)
    is_array = isinstance(values, np.ndarray) or hasattr(values, "__array__")
    for each in () if is_array or not isinstance(values, Iterable) else values:
        refuse_masked(each, what)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is no array of numbers: its rows differ in length, or hold lists. {error}") from None
    except Exception:
        if not hasattr(values, "to_list"):
            raise
        array = np.array(values.to_list(), object)  # a column of a type that numpy does not have
    if array.dtype.kind == "f" and not is_array:
        with np.errstate(all="ignore"):
            rounded = bool(np.any(np.abs(array) >= _LARGEST_WHOLE))  # if they were integers
        return np.asarray(values, dtype=object) if rounded else array
    return array


def exact_float64(array: NDArray[Any], what: str) -> Floats:
    """Return an array as float64, itself if it is; refuse it if a value would change."""
    dtype = array.dtype
    if dtype == np.float64:
        return array.astype(np.float64, copy=False)  # only the byte order may change
    refuse_kind(dtype, what)
    if dtype.kind == "O":
        return _from_objects(array, what)
    with np.errstate(all="ignore"):
        widened = array.astype(np.float64)
        doubtful = np.abs(widened) >= _LARGEST_WHOLE if dtype.kind in "iu" else widened != array
    if dtype.kind in "iu" or dtype.itemsize > 8:
        for at in map(tuple, np.argwhere(doubtful)):
            _float(array[at], f"{what} holds", at)
    return widened


def refuse_kind(dtype: np.dtype[Any], what: str) -> None:
    """Refuse types that are not numbers."""
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has dtype {dtype}; give real and imaginary parts as columns.")
    if dtype.kind in "USTmMV":
        raise ValueError(
            f"{what} holds {dtype}, not numbers, and dtype='numeric' is not compatible with arrays of bytes/strings or "
            "dates. Convert your data to numeric values explicitly instead."
        )


def refuse_masked(values: Any, what: str) -> None:
    """Refuse masked arrays with masked entries: what is behind a mask would be taken for a value."""
    if np.ma.is_masked(values):
        count = int(np.ma.getmaskarray(values).sum())
        raise ValueError(
            f"Input {what} contains NaN: {count} masked {'entry' if count == 1 else 'entries'}, which count as missing. "
            "Leave such rows out, or fill the gaps first."
        )


def _from_objects(array: NDArray[Any], what: str) -> Floats:
    """Convert Python objects one by one, so that text is refused and a number that would change too."""
    result = np.empty(array.shape)
    for at, value in np.ndenumerate(array):
        result[at] = value if type(value) is float else float_in(value, what, at)
    return result


def float_in(value: Any, what: str, at: tuple[int, ...]) -> float:
    """Return a Python object that stands somewhere in an array as a float64; refuse text, and a number that would change."""
    if isinstance(value, str | bytes):
        raise ValueError(f"{what} holds the text {value!r}{_place(at)}, not a number. Convert it to a number, or encode it.")
    return _float(value, f"{what} holds", at)


def _float(value: Any, held: str, at: tuple[int, ...]) -> float:
    """Return a number as a float64; an error says what held it, and where."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, complex | np.complexfloating):
        raise ValueError(f"Complex data not supported: {held} {value}{_place(at)}.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{held} {value!r}{_place(at)}: argument must be a string or a number, here a number.") from None
    if not _is_equal(value, result):
        raise ValueError(
            f"{held} {_short(value)}{_place(at)}, which float64 cannot hold exactly. Rescale it, or round it yourself."
        )
    return result


def _short(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 500:
        return f"an integer of {value.bit_length():,} bits"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"


def _is_equal(value: Any, result: float) -> bool:
    """Whether a float64 is exactly a number: NaN for NaN, infinity for infinity."""
    if isinstance(value, float | np.float32 | np.float16 | bool | np.bool_) or math.isnan(result):
        return True
    if isinstance(value, numbers.Integral):  # numpy would compare its own integers with a float in float64
        return not math.isinf(result) and int(value) == int(result)
    if hasattr(value, "as_integer_ratio") and math.isfinite(result):
        return Fraction(*value.as_integer_ratio()) == Fraction(result)
    if isinstance(value, numbers.Rational):
        return math.isfinite(result) and Fraction(int(value.numerator), int(value.denominator)) == Fraction(result)
    return bool(value == result)


def _place(at: tuple[int, ...]) -> str:
    """Say where in an array a value stands."""
    if not at:
        return ""
    return " in " + ", ".join(f"{name} {index}" for name, index in zip(("row", "column", "layer"), at, strict=False))
