"""Values of a JSON document, read with suspicion: what is not of the kind expected is refused, and named."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..checker import SURROGATE
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import vector_of
from ..exceptions import ModelError
from ..problem.exact_rows import MAX_WIDE_BITS, READINGS, ExactRows
from ..problem.rows import arrays_of, is_dense

MAX_COUNT = 2**62
"""Whole numbers in a model file are below this, unless another limit is given."""

_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")

_SPECIAL = {"infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}

_MAX_CHARACTERS_SHOWN = 60
"""Characters of a value that is refused up to which it is quoted whole."""


def refuse(where: str, expected: str, value: Any) -> NoReturn:
    """Say what a value must be, and what it is."""
    text = repr(value)
    shown = text if len(text) <= _MAX_CHARACTERS_SHOWN else f"{text[:_MAX_CHARACTERS_SHOWN]}…"
    raise ModelError(f"{where} must be {expected}, not {shown}.")


# ---- One value.


def boolean(value: Any, where: str) -> bool:
    """Read true or false."""
    return value if isinstance(value, bool) else refuse(where, "true or false", value)


def integer(value: Any, where: str, least: int = 0, below: int = MAX_COUNT) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < below:
        refuse(where, f"a whole number from {least}{'' if below == MAX_COUNT else f' to {below - 1}'}", value)
    return int(value)


def number(value: Any, where: str, above: float = -math.inf, below: float = math.inf) -> float | int:
    """Read a finite number that a float64 holds exactly."""
    finite = not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max
    if not finite or float(value) != value or not above < value < below:
        range_ = "" if above == -math.inf else f" above {above:g}"
        refuse(where, f"a number{range_}{'' if below == math.inf else f' and below {below:g}'}", value)
    return value if abs(value) < 2**53 else float(value)  # a larger integer is no number to compute with


def quantity(value: Any, where: str) -> float:
    """Read a number that may be infinite, or none."""
    return _SPECIAL[value] if isinstance(value, str) and value in _SPECIAL else float(number(value, where))


def choice(value: Any, where: str, *names: str) -> str:
    """Read one of some texts."""
    if not isinstance(value, str) or value not in names:
        refuse(where, f"one of {', '.join(map(repr, names))}", value)
    return value


def rational(value: Any, where: str) -> Fraction:
    """Read a number ``"p"`` or ``"p/q"``."""
    if not isinstance(value, str) or not _RATIONAL.fullmatch(value):
        refuse(where, "an integer or a quotient of integers, as a text", value)
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError) as error:
        raise ModelError(f"{where} cannot be read: {error}.") from None


# ---- Lists.


def items(value: Any, where: str, size: int | None = None) -> list[Any]:
    """Read a list."""
    if not isinstance(value, list):
        refuse(where, "a list", value)
    if size is not None and len(value) != size:
        raise ModelError(f"{where} must have {size} entries, not {len(value)}.")
    return value


def each(read: Callable[..., Any], value: Any, where: str, size: int | None = None, **limits: Any) -> list[Any]:
    """Read a list of values of one kind."""
    return [read(item, f"{where}[{k}]", **limits) for k, item in enumerate(items(value, where, size))]


def floats(value: Any, where: str, size: int | None = None) -> Floats:
    """Read finite numbers."""
    return np.array(each(number, value, where, size), dtype=np.float64)


def quantities(value: Any, where: str, size: int | None = None) -> Floats:
    """Read numbers that may be infinite, or none."""
    return np.array(each(quantity, value, where, size), dtype=np.float64)


def table(value: Any, where: str, rows: int | None, columns: int) -> Floats:
    """Read a matrix, as a list of rows."""
    found = [floats(row, f"{where}[{k}]", columns) for k, row in enumerate(items(value, where, rows))]
    return np.array(found, dtype=np.float64).reshape(len(found), columns)


def indices(value: Any, where: str, size: int | None = None, below: int = MAX_COUNT) -> Indices:
    """Read whole numbers."""
    return np.array(each(integer, value, where, size, below=below), dtype=np.int64)


def ascending(numbers: Indices, where: str) -> Indices:
    """See that whole numbers rise from each to the next."""
    if np.any(numbers[1:] <= numbers[:-1]):
        raise ModelError(f"{where} must ascend.")
    return numbers


def exact(value: Any, where: str, size: int | None = None) -> Dyadic | Quotient:
    """Read exact numbers."""
    return vector_of(each(rational, value, where, size))


def dyadic(value: Any, where: str, size: int | None = None) -> Dyadic:
    """Read exact numbers, whose denominators are powers of two."""
    found = exact(value, where, size)
    if found.divisor != 1:
        refuse(where, "a list of integers over powers of two", value)
    return found.numerators


def labels(value: Any, where: str, size: int | None = None) -> list[Any]:
    """Read the labels of classes: different ones, of one kind."""
    found = items(value, where, size)
    kinds = {type(label) for label in found}
    if len(found) < 2 or len(kinds) != 1 or not kinds <= {str, int, bool, float}:
        refuse(where, "a list of two or more labels, all strings, all integers, all booleans or all numbers", value)
    if len(set(found)) < len(found):
        refuse(where, "a list of labels that differ", value)
    if kinds == {float} and not all(map(math.isfinite, found)):
        refuse(where, "a list of finite numbers", value)
    if kinds == {int} and not (min(found) >= -(2**63) and max(found) < (2**63 if min(found) < 0 else 2**64)):
        refuse(where, "a list of integers of 64 bits", value)
    if kinds == {str} and any(map(SURROGATE.search, found)):
        refuse(where, "a list of texts, none with half of a surrogate pair", value)
    return found


def ascending_classes(classes: NDArray[Any]) -> None:
    """See that more than two classes are in order, as what was learnt of each is."""
    if classes.size > 2 and sorted(classes.tolist()) != classes.tolist():
        refuse("classes", "in ascending order if there are more than two", classes.tolist())


# ---- Objects.


class Section:
    """An object with the keys that are known, no more and no fewer; its values are asked for by a way to read them."""

    def __init__(self, document: Any, where: str, *keys: str) -> None:
        if not isinstance(document, dict):
            refuse(where, "an object", document)
        if set(document) != set(keys):
            strange, missing = sorted(set(document) - set(keys)), sorted(set(keys) - set(document))
            wrong = (
                f"it has {', '.join(map(repr, strange))} besides" if strange else f"{', '.join(map(repr, missing))} missing"
            )
            raise ModelError(f"{where} must have the keys {', '.join(map(repr, keys))}; {wrong}.")
        self.document, self.where = document, where

    def get(self, key: str, read: Callable[..., Any], *arguments: Any, **limits: Any) -> Any:
        """Read a value."""
        return read(self.document[key], f"{self.where}.{key}", *arguments, **limits)

    def maybe(self, key: str, read: Callable[..., Any], *arguments: Any, **limits: Any) -> Any:
        """Read a value that may be null."""
        return None if self.document[key] is None else self.get(key, read, *arguments, **limits)


# ---- Rows, exactly.


def write_rows(rows: ExactRows) -> dict[str, Any]:
    """Write rows as numerators over a denominator: dense ones row by row, sparse ones as CSR has them.

    Numerators that float64 does not hold are texts.
    """
    X, over = rows.numerators, {"numbers": rows.reading, "denominator": str(rows.denominator)}
    if is_dense(X):
        return {**over, "dense": X.tolist() if rows.wide is None else [[str(number) for number in row] for row in rows.wide]}
    return {**over, "indptr": X.indptr.tolist(), "indices": X.indices.tolist(), "data": X.data.tolist()}


def read_rows(document: Any, where: str, columns: int) -> ExactRows:
    """Read what `write_rows` wrote."""
    dense = isinstance(document, dict) and "dense" in document
    section = Section(document, where, "numbers", "denominator", *(("dense",) if dense else ("indptr", "indices", "data")))
    denominator = section.get("denominator", rational)
    if denominator < 1 or denominator.denominator != 1 or denominator > 2**MAX_WIDE_BITS:
        refuse(f"{where}.denominator", "a positive whole number of at most 1,000 bits, as a text", str(denominator))
    reading = section.get("numbers", choice, *READINGS)
    if (reading == "float64") != (denominator == 1 and reading == "float64"):
        refuse(f"{where}.denominator", "1, as the numbers are float64", str(denominator))
    if reading == "decimal" and str(denominator).strip("0") != "1":
        refuse(f"{where}.denominator", "a power of ten, as the numbers are decimals", str(denominator))
    if dense and _has_texts(document["dense"]):
        return ExactRows.of_whole(section.get("dense", _whole_numbers, columns), int(denominator), reading, None)
    if float(denominator) != denominator:
        refuse(f"{where}.denominator", "a whole number that float64 holds", str(denominator))
    X = section.get("dense", table, None, columns) if dense else _csr(section, where, columns)
    if reading != "float64" and not all(np.array_equal(part, np.rint(part)) for part in (arrays_of(X)[0],)):
        raise ModelError(f"{where} must have whole numbers only, as they are numerators.")
    return ExactRows(X, int(denominator), reading)


def _has_texts(dense: Any) -> bool:
    """Whether rows begin with a text in place of a number."""
    first = dense[0] if isinstance(dense, list) and dense else None
    return isinstance(first, list) and bool(first) and isinstance(first[0], str)


def _whole_numbers(value: list[Any], where: str, columns: int) -> NDArray[Any]:
    """Read rows of whole numbers of any size, as texts."""
    found = [each(rational, row, f"{where}[{i}]", columns) for i, row in enumerate(value)]
    if any(number.denominator != 1 or abs(number.numerator) > 2**MAX_WIDE_BITS for row in found for number in row):
        raise ModelError(f"{where} must have whole numbers of at most 1,000 bits only.")
    return np.array([[number.numerator for number in row] for row in found], object).reshape(len(found), columns)


def _csr(section: Section, where: str, columns: int) -> Rows:
    data = section.get("data", floats)
    places = section.get("indices", indices, data.size, below=columns)
    starts = section.get("indptr", indices, below=data.size + 1)
    if not starts.size or starts[0] != 0 or starts[-1] != data.size or np.any(starts[1:] < starts[:-1]):
        raise ModelError(f"{where}.indptr must rise from 0 to {data.size}, the number of data.")
    inner = np.ones(max(0, data.size - 1), bool)
    inner[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < data.size)] - 1] = False
    if np.any((places[1:] <= places[:-1]) & inner):
        raise ModelError(f"{where}.indices must ascend within each row.")
    narrow = np.int32 if max(columns, data.size) < 2**31 else np.int64  # as scipy would choose
    return sp.csr_array((data, places.astype(narrow), starts.astype(narrow)), (starts.size - 1, columns))


def write_quantity(value: float) -> float | str:
    """Write a number that may be infinite, or none."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "infinity" if value > 0 else "-infinity"


def plain(value: Any) -> Any:
    """Return a number, a text or a truth value as Python's own."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else value
