"""What separates the values of a text, found from how each character that may do so divides its first lines.

A character divides a table if it divides all lines of it alike. One that divides lines which another one would have to
skip, as if they were a title, is the more likely of the two: decimal commas divide the rows of a table alike, but not its
names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

from ...exceptions import FileError
from ...problem.provenance import Layout
from ...support.counts import counted
from ...support.remedies import Remedy
from .titles import MAX_TITLES, are_names, holds_numbers, place_in_text

_LINES_LOOKED_AT = 50
"""Lines in which separators are looked for, besides those above the table."""

_FEW_TITLES = 5
"""Lines that may be above a table that is shorter still."""

_FIRST_LINES = 9
"""Lines that must be divided alike by what is named."""

_FOUND = ("semicolon", "tab", "bar")
"""Separators that are found, besides commas."""

_NAMED = ("blanks", "colon")
"""Separators that are not found, but named where they divide lines that commas do not."""

_DECIMAL_COMMA = re.compile(r"\s*[+-]?(?:[0-9]*|[0-9]{1,3}(?:[. '][0-9]{3})+),[0-9]+([eE][+-]?[0-9]+)?\s*")


class Record(NamedTuple):
    """The cells of a line, and its number."""

    line: int
    cells: list[str]

    def __len__(self) -> int:
        return len(self.cells)


class Cut(NamedTuple):
    """The first lines of a text, as a separator divides them."""

    separator: str
    records: Sequence[Record]

    @classmethod
    def of(cls, separator: str, records: Sequence[Record]) -> Cut:
        """Return that of some records, as many of them as are looked at."""
        return cls(separator, records[: MAX_TITLES + _LINES_LOOKED_AT])

    @property
    def cells(self) -> list[list[str]]:
        """The cells of all lines."""
        return [record.cells for record in self.records]

    @property
    def width(self) -> int:
        """How many values the last line has."""
        return len(self.records[-1])

    @property
    def start(self) -> int:
        """The first record from which on all have equally many values."""
        alike = sum(1 for _ in takewhile(lambda record: len(record) == self.width, reversed(self.records)))
        return len(self.records) - alike

    @property
    def before(self) -> int:
        """The last line before that record."""
        return self.records[self.start - 1].line if self.start else 0

    @property
    def divides(self) -> bool:
        """Whether it divides the last lines alike, two at least: most lines, or all but a few that may be a title."""
        most, few = (len(self.records) - 1) // 2, min(_FEW_TITLES, len(self.records) - 2)
        return self.width > 1 and self.start <= min(MAX_TITLES, max(most, few))

    @property
    def is_certain(self) -> bool:
        """Whether it divides all lines, but for those that are a title for certain."""
        return self.start <= place_in_text(self.cells)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether all cells with a comma below the first record of the table are numbers, and some are."""
        with_comma = [cell for record in self.records[self.start + 1 :] for cell in record.cells if "," in cell]
        return bool(with_comma) and all(map(_DECIMAL_COMMA.fullmatch, with_comma))

    @property
    def has_numbers(self) -> bool:
        """Whether some column holds numbers only."""
        below = self.cells[self.start + 1 :]
        return bool(below) and any(map(holds_numbers, zip(*below, strict=True)))

    @property
    def usual_width(self) -> int:
        """How many values most lines have, three of four at least; 0 if there is no such number."""
        (width, count), *_ = Counter(map(len, self.records)).most_common(1)
        return width if 4 * count >= 3 * len(self.records) else 0


def found_separator(
    name: str, layout: Layout, usual: str, cut: Callable[[str], Sequence[Record]], *, named: bool = False
) -> str:
    """Return what separates the values of a text, if another character than the usual one does so for certain.

    Refuse what is likely, but not certain: that the usual one is in the values, and that another one is between them. If the
    separator is ``named`` by what the file is called, another one is taken only where it divides nothing.
    """
    first, *others = _cuts(cut, [usual, *(each for each in _FOUND if each != usual), *(["comma"] if named else [])])
    nothing = all(len(record) == 1 for record in first.records)
    if named and not nothing:
        return usual
    for other in sorted((other for other in others if other.divides), key=lambda other: other.before):
        if first.width == 1 or other.before < first.before:
            if other.is_certain:
                return other.separator
            if not named:
                raise _title_above(name, other, usual, nothing)
        elif usual == "comma" and _may_be_meant(first, other, layout):
            if other.before == first.before and other.separator == "tab" and other.has_decimal_commas:
                return other.separator
            raise _separated(name, other, "; if they do separate its values, say ", Remedy("separator", usual))
    if usual == "comma":
        _refuse_uneven(name, first, others, _cuts(cut, _NAMED), nothing)
    return usual


def _cuts(cut: Callable[[str], Sequence[Record]], separators: Sequence[str]) -> list[Cut]:
    return [Cut.of(each, records) for each in separators if (records := cut(each))]


def refuse_other(name: str, cut: Callable[[str], Sequence[Record]]) -> None:
    """Refuse commas, though they were told, if they divide nothing where another character divides all lines alike."""
    for other in _cuts(cut, _FOUND):
        if other.divides and other.is_certain:
            raise _separated(name, other)


def _may_be_meant(commas: Cut, other: Cut, layout: Layout) -> bool:
    """Whether a character may separate values, and commas be in them, though commas divide these lines alike, too."""
    if other.separator == "tab" and not any("\t" in cell.strip(" \t") for cells in commas.cells for cell in cells):
        return False  # tabs beside commas, as blanks may be
    if other.before > commas.before:
        return other.has_decimal_commas or (are_names(other.records[other.start].cells) and other.has_numbers)
    return layout.header is not False or other.has_decimal_commas or other.has_numbers


def _refuse_uneven(name: str, commas: Cut, others: Sequence[Cut], rare: Sequence[Cut], nothing: bool) -> None:
    """Refuse commas that divide nothing, or skip lines which another character divides as it does most of them."""
    place = place_in_text(commas.cells)
    if not (nothing or commas.start or place):
        return
    for other in others:
        widths = [len(record) for record in other.records[place_in_text(other.cells) :]]
        alone = len(commas.records[place]) == 1 and widths[0] > 1 and max(widths[1:], default=2) > 1
        if alone or len(other.records[0]) == other.usual_width > 1:
            raise _separated(name, other)
    for other in rare:
        widths = [len(record) for record in other.records[:_FIRST_LINES]]
        beside_commas = any(cell[:1] == "," or cell[-1:] == "," for cells in other.cells for cell in cells)
        if len(widths) > 1 and len(set(widths)) == 1 and widths[0] > 1 + nothing and not beside_commas:
            raise _separated(name, other)


def _title_above(name: str, other: Cut, usual: str, nothing: bool) -> FileError:
    """Return the error that there may be a title above lines that commas do not divide alike, but another character does."""
    line = other.before + 1
    return FileError(
        f"{name}, line {other.records[0].line}: {counted(len(other.records[0]), 'value')}, but from line {line} on there "
        f"are {other.width}, separated by {plural(other.separator)}. If the table begins there, say ",
        Remedy("skip_lines", line - 1),
        "; if it has but one column, say " if nothing else f"; if {plural(usual)} separate its values, say ",
        Remedy("separator", usual),
        ".",
    )


def _separated(name: str, other: Cut, *unless: str | Remedy) -> FileError:
    """Return the error that a table is separated by something else than commas."""
    hint: tuple[str | Remedy, ...] = ()
    if other.has_decimal_commas:
        hint = (" Its numbers seem to have decimal commas: say ", Remedy("decimal", ","), " as well.")
    between, remedy = plural(other.separator), Remedy("separator", other.separator)
    return FileError(f"{name} seems to be separated by {between}, not commas: say ", remedy, *unless, ".", *hint)


def plural(separator: str) -> str:
    """Return what several of a separator are called."""
    return separator if separator.endswith("s") else f"{separator}s"
