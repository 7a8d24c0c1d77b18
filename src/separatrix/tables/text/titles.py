"""Where a table begins: what stands above it, such as the title of a sheet, is told from the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from ...checker import CELL, is_gap
from ...problem.provenance import GAPS
from ...support.escaping import brief

_DIGITS = re.compile("[0-9]{1,9}")

_WITH_COMMA = re.compile(r"[+-]?(?:[0-9]*|[0-9]{1,3}(?:[. '][0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?")
"""A number with a decimal comma, be there something between thousands or not."""

MAX_TITLES = 30
"""Records above a table that are looked at."""

_RECORDS_LOOKED_AT = 60
"""Records below, which must be like the names."""

_MIN_COLUMNS = 3
"""Columns that a table has at least in which a title can be told from names."""


def odd_name(names: Sequence[str]) -> str | None:
    """Say what in a line is unlikely to be the name of a column."""
    for name in names:
        if _is_number(name.strip(" \t")) and not _DIGITS.fullmatch(name.strip(" \t")):
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
    filled = [[cell.strip() for cell in record if cell.strip()] for record in records[: MAX_TITLES + _RECORDS_LOOKED_AT]]
    if not filled:
        return 0
    for k, names in enumerate(filled[:MAX_TITLES]):
        below = filled[k + 1 : k + 1 + _RECORDS_LOOKED_AT]
        if len(names) < _MIN_COLUMNS or not below or max(map(len, below)) > len(names):
            continue
        if k and (max(map(len, filled[:k])) > (len(names) - 1) // 2 or _unlikely(names)):
            return 0
        return k
    return 0


def place_in_text(records: Sequence[Sequence[str]]) -> int:
    """Return which record of a text has the names of the columns, as `place_of_names` does; records may differ in length.

    It is certain as well that another record than the first has them if all records from there on are equally long, and
    those above shorter by two cells at least (by one, they may be names of columns, the first of which has none); if it
    names all columns, each differently and none by a number; and if some column below holds numbers only, so that the names
    are no row.

    >>> place_in_text([["Patients", " May"], ["age", "size", "sex", "ill"], ["1", "2", "f", "no"]])
    1
    >>> place_in_text([["age", "ill"], ["a", "b", "c", "no"], ["d", "e", "f", "no"]])
    0
    """
    place = place_of_names(records)
    if place or not records:
        return place
    widths = list(map(len, records))
    start = len(widths) - sum(1 for _ in takewhile(lambda width: width == widths[-1], reversed(widths)))
    if not 0 < start <= MAX_TITLES or max(widths[:start]) > widths[-1] - 2:
        return 0
    names, below = [cell.strip() for cell in records[start]], records[start + 1 : start + 1 + _RECORDS_LOOKED_AT]
    if not are_names(names):
        return 0
    return start if below and any(map(holds_numbers, zip(*below, strict=True))) else 0


def holds_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells but gaps are numbers, be it with decimal commas, and some are."""
    there = [cell.strip(" \t") for cell in cells if not is_gap(cell, GAPS)]
    return bool(there) and all(map(_is_number, there))


def are_names(cells: Sequence[str]) -> bool:
    """Whether cells are likely to be the names of columns: all differently named, and none by a number."""
    names = [cell.strip() for cell in cells]
    return all(names) and not _unlikely(names)


def _is_number(cell: str) -> bool:
    return bool(CELL.fullmatch(cell) or _WITH_COMMA.fullmatch(cell))


def _unlikely(names: Sequence[str]) -> bool:
    return odd_name(names) is not None or any(map(str.isdigit, names)) or first_repeated(names) is not None
