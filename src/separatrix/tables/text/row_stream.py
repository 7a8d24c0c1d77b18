"""A table of numbers as text, read line by line while it is written: rows are there as soon as their lines are."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from ...checker import CELL, is_gap, number_text
from ...exact.rationals import read_rational
from ...exceptions import FileError
from ...problem.provenance import SEPARATORS, Choice, Layout, Place
from ...support.escaping import brief
from ...support.remedies import Remedy
from ..cells import FOR_THE_LABEL, listed, place_of
from .titles import first_repeated, odd_name


class StreamedRow(NamedTuple):
    """A row, its label as it is written (None if the cell is empty), and where it is."""

    numbers: list[Fraction]
    label: str | None
    place: Place


class RowStream:
    """The rows of a text that need not have ended: the names of the columns are read at once, rows when they are asked for.

    All columns but the label must hold numbers, which are decimals as everywhere: a category that nobody has seen yet
    cannot have a column of its own.

    Parameters
    ----------
    lines : iterable of str
        The lines, as an open file gives them.
    name : str
        What the text is called in errors.
    layout, choice
        How it is written, and what is chosen of it.
    columns : list of str, optional
        The names of the columns to read, in their order; without, all but the label and those dropped.
    """

    def __init__(
        self, lines: Iterable[str], name: str, layout: Layout, choice: Choice, columns: list[str] | None = None
    ) -> None:
        if choice.text or choice.missing != "refuse":
            raise FileError("Rows that are read one by one hold numbers: ", Remedy("text"), " and ", Remedy("missing"),
                            " are for whole tables.")  # fmt: skip
        self.name, self.layout = name, layout
        self._records = _records(lines, layout)
        self._first: tuple[int, list[str]] | None = next(self._records, None)
        if self._first is None:
            raise FileError(f"{name} is empty: expected a header line, then a line for each row.")
        cells = self._first[1]
        if layout.header is None and (odd := odd_name(cells)) is not None:
            raise FileError(
                f"The first line of {name} looks like a row, not like names of columns: {odd}. Say ",
                *(Remedy("header", False), " if it is one, or ", Remedy("header", True), " if these are names."),
            )
        self.names = [str(k + 1) for k in range(len(cells))]
        if layout.header is not False:
            self.names, self._first = cells, None
        if (twice := first_repeated(self.names)) is not None:
            raise FileError(f"{name} has two columns named {brief(twice)}. Rename one of them.")
        if choice.label is None:
            raise FileError(
                f"Which column of {name} holds the classes? Name it with ", Remedy("label"),
                f". It has: {listed(self.names)}. The last column is ", Remedy("label", -1), ".",
            )  # fmt: skip
        self.label = place_of(choice.label, self.names, name, FOR_THE_LABEL)
        self.columns = self._chosen(choice) if columns is None else [place_of(each, self.names, name) for each in columns]
        if not self.columns:
            raise FileError(f"{name} has no column to learn from besides the label and those dropped.")

    @property
    def features(self) -> list[str]:
        """The names of the columns that rows are made of."""
        return [self.names[k] for k in self.columns]

    def __iter__(self) -> Iterator[StreamedRow]:
        if self._first is not None:
            yield self._row(*self._first)
        for number, cells in self._records:
            yield self._row(number, cells)

    def _chosen(self, choice: Choice) -> list[int]:
        dropped = {place_of(each, self.names, self.name, " to drop") for each in choice.drop}
        only = {place_of(each, self.names, self.name, " to use") for each in choice.only}
        if self.label in dropped | only:
            raise FileError(f"The label, {self.names[self.label]!r}, cannot be dropped, nor be used as a column.")
        wanted = sorted(only) if only else range(len(self.names))
        return [k for k in wanted if k != self.label and k not in dropped]

    def _row(self, number: int, cells: list[str]) -> StreamedRow:
        place = Place(self.name, "line", number)
        if len(cells) != len(self.names):
            raise FileError(f"{place}: {len(cells)} values, expected {len(self.names)}, one for each column.")
        label = None if is_gap(cells[self.label], self.layout.gaps) else cells[self.label].strip(" \t")
        return StreamedRow([self._number(place, k, cells[k]) for k in self.columns], label, place)

    def _number(self, place: Place, k: int, cell: str) -> Fraction:
        text = number_text(cell, self.layout.marks)
        if not CELL.fullmatch(text):
            raise FileError(f"{place}, column {brief(self.names[k])}: {brief(cell)} is not a number. Rows that are read one "
                            "by one hold numbers, and no gaps.")  # fmt: skip
        if self.layout.numbers == "float64":
            text = repr(float(text))
        try:
            found = read_rational(text, "the number")
        except ValueError as error:
            raise FileError(f"{place}, column {brief(self.names[k])}: {error}") from None
        return Fraction(float(found)) if self.layout.numbers == "float64" else found


def _records(lines: Iterable[str], layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Split lines into cells, each with its number; lines that are empty or no part of the table are left out."""
    between = SEPARATORS[layout.separator or ("semicolon" if "," in (layout.decimal, layout.thousands) else "comma")]
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        left_out = number <= (layout.skipped or 0) or (layout.comment is not None and text.startswith(layout.comment))
        if left_out or not text.strip():
            continue
        yield number, text.split() if between is None else next(csv.reader([text], delimiter=between))
