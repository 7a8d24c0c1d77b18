"""What the first lines of a text tell of how it is written, where they leave no doubt: marks in numbers, percent signs.

Nothing is guessed that could be meant otherwise; what is left open is refused later, with the option that settles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...checker import CELL, is_gap, number_text
from ...problem.provenance import SEPARATORS, Layout
from ...support.escaping import brief
from ..sources import Source

SEPARATOR_LINE = re.compile("\ufeff?[\"']?sep=(.)[\"']?[\r\n]", re.IGNORECASE)
"""A first line by which spreadsheets are told what separates the values."""

_TAIL = r"(?:[eE][+-]?[0-9]+)?"

# What is certain of the marks in a number: pairs of the decimal mark and what stands between thousands, with a pattern.
# 1,234 may be either, and so may 1.234; an address such as 192.168.100.200 is no number.
_CERTAIN = [
    ((",", "."), re.compile(rf"[+-]?[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]+{_TAIL}")),
    ((".", ","), re.compile(rf"[+-]?[0-9]{{1,3}}(?:,[0-9]{{3}})+\.[0-9]+{_TAIL}")),
    ((".", ","), re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}")),
    ((",", "'"), re.compile(rf"[+-]?[0-9]{{1,3}}(?:'[0-9]{{3}})+,[0-9]+{_TAIL}")),
    ((".", "'"), re.compile(rf"[+-]?[0-9]{{1,3}}(?:'[0-9]{{3}})+(?:\.[0-9]+)?{_TAIL}")),
    ((",", " "), re.compile(rf"[+-]?[0-9]{{1,3}}(?: [0-9]{{3}})+,[0-9]+{_TAIL}")),
    ((".", " "), re.compile(rf"[+-]?[0-9]{{1,3}}(?: [0-9]{{3}})+\.[0-9]+{_TAIL}")),
    ((",", None), re.compile(rf"[+-]?(?:[0-9]*,(?:[0-9]{{1,2}}|[0-9]{{4,}})|0[0-9]*,[0-9]+|[0-9]{{4,}},[0-9]+){_TAIL}")),
]  # fmt: skip

_PERCENT = re.compile(r"([+-]?[0-9][0-9., ']*?)[ \u00a0\u2009\u202f]?%")

_OTHER_BLANKS = re.compile("(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""Blanks between thousands that are not the usual one: they keep a line from being broken, or are thin."""

_ZEROS = re.compile("0[0-9]+")

_SPOTS = 64
"""Places of a large text that are looked at for codes with leading zeros."""

_SPOT_BYTES = 2**12


def columns_of(sample: Sequence[Sequence[str]], width: int, layout: Layout) -> list[list[str]]:
    """Return the cells of each column that are not gaps, without the blanks around them."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for record in sample:
        for column, cell in zip(columns, record, strict=False):
            if not is_gap(cell, layout.gaps):
                column.append(cell.strip(" \t"))
    return columns


def marks_in(columns: Sequence[Sequence[str]]) -> tuple[str, str | None, str] | None:
    """Return the decimal mark and what stands between thousands, with a number that tells; None if they are the usual ones.

    None as well if it is not certain: if columns contradict each other, or some number would be read otherwise.

    >>> marks_in([["12,5", "3"], ["no", "yes"]]), marks_in([["1,234", "2,345"]]), marks_in([["12,5"], ["0.5"]])
    ((',', None, '12,5'), None, None)
    """
    found: dict[tuple[str, str | None], str] = {}
    for cells in columns:
        if not any(_has_mark(cell) for cell in cells):
            continue
        told = {marks: cell for cell in cells for marks, pattern in _CERTAIN if pattern.fullmatch(cell)}
        marks = _joined(set(told))
        if marks is not None and all(_is_number(cell, marks) for cell in cells):
            found[marks] = told.get(marks) or next(iter(told.values()))
    marks = _joined(set(found))
    if marks is None:
        return None
    usual: tuple[str, None] = (".", None)
    for cells in columns:
        as_usual = cells and all(_is_number(cell, usual) for cell in cells) and any("." in cell for cell in cells)
        if as_usual and "." in (marks[1], "." if marks[0] != "." else None):
            return None
    return *marks, found.get(marks) or next(iter(found.values()))


def _has_mark(cell: str) -> bool:
    return any(mark in cell for mark in ",' ")


def _joined(found: set[tuple[str, str | None]]) -> tuple[str, str | None] | None:
    """Return the one pair of marks that all those found go together with."""
    decimals, thousands = {decimal for decimal, _ in found}, {mark for _, mark in found} - {None}
    if len(decimals) != 1 or len(thousands) > 1:
        return None
    return decimals.pop(), thousands.pop() if thousands else None


def _is_number(cell: str, marks: tuple[str, str | None]) -> bool:
    return bool(CELL.fullmatch(number_text(cell, {"decimal": marks[0], "thousands": marks[1]})))


def percents_in(columns: Sequence[Sequence[str]], layout: Layout) -> list[int]:
    """Return the columns in which every number has a percent sign."""
    return [k for k, cells in enumerate(columns) if cells and all(without_percent(cell, layout) for cell in cells)]


def without_percent(cell: str, layout: Layout) -> str | None:
    """Return a number that has a percent sign as one without: a hundredth, by its exponent; None if it is none.

    >>> without_percent(" 12,5 %", Layout(decimal=",")), without_percent("12", Layout())
    ('12,5e-2', None)
    """
    number = _PERCENT.fullmatch(cell.strip(" \t"))
    if number is None or not CELL.fullmatch(number_text(number[1], layout.marks)):
        return None
    return f"{number[1]}e-2"


def bare(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return columns to look for marks in: with the usual blanks, and without the percent signs that every number has."""
    columns = [list(map(with_usual_blanks, cells)) for cells in columns]
    numbers = [[_PERCENT.fullmatch(cell) for cell in cells] for cells in columns]
    return [
        [number[1] for number in found if number] if found and all(found) else list(cells)
        for cells, found in zip(columns, numbers, strict=True)
    ]


def with_usual_blanks(cell: str) -> str:
    """Return a cell with the usual blank for others between thousands.

    >>> with_usual_blanks("1\u00a0234\u202f567,5\u00a0%") == "1 234 567,5\u00a0%"
    True
    """
    return _OTHER_BLANKS.sub(" ", cell)


def as_usual_number(cell: str, layout: Layout) -> str:
    """Return a number that has other blanks between thousands with the usual ones; anything else as it is."""
    usual = with_usual_blanks(cell)
    is_number = CELL.fullmatch(number_text(usual, layout.marks)) or without_percent(usual, layout)
    return usual if is_number else cell


def has_other_blanks(source: Source, layout: Layout) -> bool:
    """Whether there are blanks anywhere in a text that may stand between thousands, besides the usual one."""
    encoding = layout.encoding or "utf-8"
    blanks = "\u00a0" if encoding in ("latin-1", "cp1252") else "\u00a0\u2009\u202f"
    if encoding == "utf-16":
        return any(blank in source.buffer().to_pybytes().decode(encoding, "replace") for blank in blanks)
    content = source.buffer().to_pybytes()
    return any(blank.encode(encoding) in content for blank in blanks)


def zeros_in(columns: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the columns of whole numbers some of which begin with 0, as postal codes do, each with the first such."""
    found = {}
    for k, cells in enumerate(columns):
        first = next((cell for cell in cells if _ZEROS.fullmatch(cell)), None)
        if first is not None and all(cell.isascii() and cell.isdigit() for cell in cells):
            found[k] = first
    return found


def spots(source: Source, layout: Layout, width: int, before: int) -> Iterator[list[str]]:
    """Give records from all over a text, as far as they are plain, but for so many lines at its beginning."""
    separator = SEPARATORS[layout.separator or "comma"]
    if separator is None or layout.encoding == "utf-16" or source.size < _SPOT_BYTES:
        return
    with source.open() as file:
        head = bytes(file.read(_SPOT_BYTES)).split(b"\n", before)
        if len(head) <= before:
            return
        begin = sum(len(line) + 1 for line in head[:before])
        room = max(0, source.size - _SPOT_BYTES - begin)
        for k in range(_SPOTS):
            file.seek(begin + k * room // (_SPOTS - 1))
            for line in bytes(file.read(_SPOT_BYTES)).decode("latin-1").split("\n")[1:-1]:
                cells = line.rstrip("\r").split(separator)
                if len(cells) == width and '"' not in line:
                    yield cells


def marks_in_words(decimal: str, thousands: str | None, example: str) -> str:
    """Say which marks numbers have."""
    named = {",": "commas", ".": "points", "'": "apostrophes", " ": "blanks"}
    parts = ["decimal commas"] if decimal == "," else []
    parts += [f"{named[thousands]} between thousands"] if thousands else []
    return f"its numbers have {' and '.join(parts)}, as {brief(example)}"
