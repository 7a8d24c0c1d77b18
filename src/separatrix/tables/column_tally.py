"""What is counted of a column, piece by piece: texts and where they are first, gaps, the smallest and largest numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exceptions import FileError
from ..problem.provenance import Layout
from ..problem.rows import measured
from .cells import Cells, Numbers, Words
from .row_numbering import RowNumbering
from .text.csv_reading import is_number, meaning_of

_TEXT_BYTES = 300
"""Bytes that it takes to keep a text with its counts, its characters not counted."""

_KINDS = {"flags": "true and false", "words": "words", "numbers": "numbers"}

Rows = Callable[[int], int]
"""Tells the number of a row in the whole table by that in a piece."""


@dataclass
class _Text:
    """How often a text occurs in rows that have a label, if others are left out, and in those that are kept."""

    there: int = 0
    kept: int = 0


@dataclass
class ColumnTally:
    """What was counted of a column."""

    name: str
    numbering: RowNumbering
    cells: int = 0
    """Cells in all, those that are missing included."""
    gaps: int = 0
    first_gap: int | None = None
    texts: dict[str, _Text] = field(default_factory=dict)
    text_bytes: int = 0
    kinds: list[str | None] = field(default_factory=list)
    """What it holds in each part of the table, as `frame.kind_of` says; None: nothing."""
    unusable: FileError | None = None
    first_endless: int | None = None
    """The first row that is not left out and has an infinite number."""
    has_endless: bool = False
    largest: float = 0.0
    smallest: float = float("inf")
    has_cells: bool = False
    """Whether the part of the table that is being read has any cell that is no gap."""
    has_numbers: bool = False
    """Whether it has one that is a number for sure."""
    firsts: dict[str, int] = field(default_factory=dict)
    """The other texts of it, with the row where each is first."""

    @property
    def kind(self) -> str | None:
        """What it holds."""
        return next((kind for kind in self.kinds if kind is not None), None)

    def see(self, cells: Cells) -> None:
        """See what is in a piece, all of its rows."""
        if not isinstance(cells, Words):
            self.has_numbers = self.has_numbers or cells.gaps is None or not cells.gaps.all()
            return
        n = cells.codes.size
        first = np.full(len(cells.texts) + 1, n)
        first[cells.codes[::-1]] = np.arange(n)[::-1]  # of several, the last one stays
        for k in np.flatnonzero(first[:-1] < n).tolist():
            self.firsts.setdefault(cells.texts[k], int(first[k]))
            self._told(cells.texts[k])

    def add(self, after: ColumnTally, start: int) -> None:
        """Add what was counted in the rows that come next, the first of which has a number of its own."""
        self.cells += after.cells
        self.gaps += after.gaps
        self.first_gap = _first(self.first_gap, after.first_gap, start)
        self.first_endless = _first(self.first_endless, after.first_endless, start)
        for text, told in after.texts.items():
            mine = self._told(text)
            mine.there += told.there
            mine.kept += told.kept
        for text, row in after.firsts.items():
            self.firsts.setdefault(text, start + row)
        self.unusable = self.unusable or after.unusable
        self.has_endless = self.has_endless or after.has_endless
        self.largest, self.smallest = max(self.largest, after.largest), min(self.smallest, after.smallest)
        self.has_cells, self.has_numbers = self.has_cells or after.has_cells, self.has_numbers or after.has_numbers
        self.numbering.add(after.numbering)

    def expect(self, texts: Iterable[str]) -> None:
        """Keep texts in this order, if they come."""
        for text in texts:
            self._told(text)

    def _told(self, text: str) -> _Text:
        """Return what is told of a text, which may be new."""
        if text not in self.texts:
            self.texts[text] = _Text()
            self.text_bytes += _TEXT_BYTES + 4 * len(text)
        return self.texts[text]

    def judged(self, layout: Layout) -> tuple[str | None, int | None]:
        """Tell what a column of text holds in a part of a table, and, if it is mixed, the first row that has no number."""
        if not self.firsts:
            return "numbers" if self.has_numbers else None, None
        meaning, _ = meaning_of(self.firsts, layout)
        if meaning is not None and not self.has_numbers:
            return _KINDS[meaning], None
        return None, min(row for text, row in self.firsts.items() if not is_number(text, layout))

    def end_part(self, kind: str | None) -> None:
        """Begin with another part of the table."""
        self.kinds.append(kind)
        self.has_cells, self.has_numbers = False, False
        self.firsts = {}

    def count(self, cells: Cells, n: int, kept: NDArray[np.int64] | None, rows: Rows) -> None:
        """Count what is in a piece, in so many rows that have a label, if others are left out; some of them are kept."""
        gaps = cells.gaps
        self.cells += n
        if gaps is not None:
            self.gaps += int(np.count_nonzero(gaps))
            if self.first_gap is None:
                self.first_gap = rows(int(np.flatnonzero(gaps)[0]))
        if isinstance(cells, Words):
            there = np.bincount(cells.codes + 1, minlength=len(cells.texts) + 1)[1:]
            still = there if kept is None else np.bincount(cells.codes[kept] + 1, minlength=len(cells.texts) + 1)[1:]
            for k in np.flatnonzero(there).tolist():
                told = self._told(cells.texts[k])
                told.there += int(there[k])
                told.kept += int(still[k])
            return
        self._count_numbers(cells, kept, rows)

    def _count_numbers(self, cells: Numbers, kept: NDArray[np.int64] | None, rows: Rows) -> None:
        endless = cells.endless
        if endless is not None:
            self.has_endless = True
            places = np.flatnonzero(endless) if kept is None else kept[endless[kept]]
            if places.size and self.first_endless is None:
                self.first_endless = rows(int(places[0]))
        for values in _arrays(cells, kept):
            found = measured(values.reshape(1, -1))
            self.largest, self.smallest = max(self.largest, found.largest), min(self.smallest, found.smallest)
        if not self.gaps and not self.has_endless:
            self.numbering.see(cells.array())

    def alike(self, kept: bool = False) -> Cells:
        """Return cells with the same texts, gaps and kind as those counted, but fewer; of rows that are kept or of all."""
        gaps = [-1] * bool(self.gaps)
        if self.kind == "words":
            texts = [text for text, told in self.texts.items() if (told.kept if kept else told.there)]
            return Words(self.name, texts, np.array([*range(len(texts)), *gaps], np.int64))
        mask = np.array([*([False] * (self.cells > self.gaps)), *([True] * bool(self.gaps))])
        return Numbers(self.name, np.zeros(mask.size), mask if mask.any() else None)

    def numbers_rows(self, n: int, at_least: int) -> bool:
        """Whether it numbers so many rows; only if they are more than some."""
        return (
            self.kind == "numbers"
            and n > at_least
            and not self.gaps
            and not self.has_endless
            and self.numbering.are_dense(n)
        )


def _first(row: int | None, after: int | None, start: int) -> int | None:
    """Return the first of two rows, where the second is counted from a row of its own."""
    return row if row is not None or after is None else start + after


def _arrays(cells: Numbers, kept: NDArray[np.int64] | None) -> Sequence[Floats]:
    """Return numbers as arrays; 0 where they are missing."""
    if kept is not None:
        return [cells.array()[kept]]
    if isinstance(cells.values, np.ndarray):
        return [np.ascontiguousarray(cells.values)]
    return [chunk.to_numpy(zero_copy_only=False) for chunk in cells.values.chunks if len(chunk)]
