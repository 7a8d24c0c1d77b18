"""Where a table begins: what stands above it, such as the title of a sheet, is told from the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...checker import CELL, is_gap
from ...problem.provenance import GAPS
from ...support.escaping import brief

_DIGITS = re.compile("[0-9]{1,9}")

_MAX_TITLES = 30
"""Records above a table that are looked at."""

_RECORDS_LOOKED_AT = 60
"""Records below, which must be like the names."""

_MIN_COLUMNS = 3
"""Columns that a table has at least in which a title can be told from names."""


def odd_name(names: Sequence[str]) -> str | None:
    """Say what in a line is unlikely to be the name of a column."""
    for name in names:
        if CELL.fullmatch(name.strip(" \t")) and not _DIGITS.fullmatch(name.strip(" \t")):
            return f"{brief(name)} is a number"
        if is_gap(name, GAPS) and name.strip(" \t"):
            return f"{name!r} stands for a missing value"
    digits = [name for name in names if _DIGITS.fullmatch(name)]
    if digits and len(digits) == len(names) and [int(name) for name in digits] != sorted({int(name) for name in digits}):
        return "it is all numbers"
    return None


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that was there before; what has no name does not count."""
    seen: set[str] = set()
    return next((name for name in names if name and (name in seen or seen.add(name))), None)  # type: ignore[func-returns-value]


def place_of_names(records: Sequence[Sequence[str]]) -> int:
    """Return which record has the names of the columns; the first, unless it is certain that another one has.

    It is certain if a record names at least three columns, all of them differently and none by a number; if no record below
    fills more columns; and if those above fill less than half of them.

    >>> place_of_names([["Patients, May"], ["", "", ""], ["age", "size", "ill"], ["1", "2", "no"]])
    2
    >>> place_of_names([["", "size", "ill"], ["a", "b", "no"]])
    0
    """
    filled = [[cell.strip() for cell in record if cell.strip()] for record in records[: _MAX_TITLES + _RECORDS_LOOKED_AT]]
    if not filled:
        return 0
    for k, names in enumerate(filled[:_MAX_TITLES]):
        below = filled[k + 1 : k + 1 + _RECORDS_LOOKED_AT]
        if len(names) < _MIN_COLUMNS or not below or max(map(len, below)) > len(names):
            continue
        if k and (max(map(len, filled[:k])) > (len(names) - 1) // 2 or _unlikely(names)):
            return 0
        return k
    return 0


def _unlikely(names: Sequence[str]) -> bool:
    return odd_name(names) is not None or any(map(str.isdigit, names)) or first_repeated(names) is not None
