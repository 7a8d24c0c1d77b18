"""What a piece of a table tells: counts, gaps, texts, kinds; and what pieces that follow each other tell together.

A piece is looked at by itself, wherever that is done: rows are numbered from its first one, and move on when what it tells
is added to what the rows before it tell.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.provenance import Missing, Place
from .cells import Cells, Numbers, Words, cells_of, told_apart
from .column_tally import ColumnTally
from .decimal_survey import DecimalColumn
from .decimals import Digits
from .encoding import labels_of, rows_with_gaps
from .frame import Frame
from .labelled_rows import rows_taken
from .pieces import Columns, Piece
from .row_numbering import RowNumbering


@dataclass
class Counted:
    """What was counted in rows that follow each other."""

    tallies: dict[int, ColumnTally]
    decimals: dict[int, DecimalColumn]
    """Of columns among which some hold decimals of Arrow."""
    digits: Digits = field(default_factory=Digits)
    given: int = 0
    """Rows in all."""
    there: int = 0
    """Rows that have a label, if others are left out."""
    sizes: list[int] = field(default_factory=list)
    incomplete: int = 0
    """Rows with a gap in a column that rows are made of."""
    touched: int = 0
    """Rows with a gap in one of these, or in the label."""
    first_gap: tuple[int, str] | None = None
    """The first row with a gap, and its column."""
    is_plain: bool = True

    def add(self, after: Counted) -> None:
        """Add what was counted in the rows that come next."""
        start = self.given
        for k, tally in self.tallies.items():
            tally.add(after.tallies[k], start)
        for k, column in self.decimals.items():
            column.add(after.decimals[k], start)
        if self.first_gap is None and after.first_gap is not None:
            self.first_gap = start + after.first_gap[0], after.first_gap[1]
        self.digits = self.digits.beside(after.digits)
        self.given += after.given
        self.there += after.there
        self.sizes += after.sizes
        self.incomplete += after.incomplete
        self.touched += after.touched
        self.is_plain = self.is_plain and after.is_plain


class PieceCells(NamedTuple):
    """The cells of a piece."""

    table: Columns
    found: list[tuple[int, Cells]]
    """Those of each column that can be used, by its place."""
    labels: Words | None
    masks: dict[str, NDArray[np.bool_] | None]
    """Which cells of each column are missing."""
    rows: NDArray[np.int64]
    """The numbers of the rows in the piece."""
    kept: NDArray[np.int64] | None
    """Which of these rows are kept; None: all."""
    is_all: bool
    """Whether these are all rows of the piece."""

    def row(self, row: int) -> int:
        """Return the number of a row in the piece."""
        return int(self.rows[row])


@dataclass(frozen=True)
class Look:
    """How a piece is looked at; picklable, as pieces may be looked at elsewhere."""

    frame: Frame
    """The table, but for what reads it."""
    wanted: tuple[int, ...]
    label: int | None
    as_words: tuple[int, ...]
    missing: Missing
    is_text: bool
    most: int
    """Bytes that may be kept of numbers that may number the rows."""
    has_decimals: bool = False
    """Whether some columns hold decimals of Arrow."""

    @property
    def places(self) -> list[int]:
        """The columns that are read."""
        return [*self.wanted, *([] if self.label is None else [self.label])]

    def nothing(self) -> Counted:
        """Return what no rows tell."""
        names = self.frame.names
        tallies = {k: ColumnTally(names[k], RowNumbering(self.most)) for k in self.places}
        return Counted(tallies, {k: DecimalColumn(names[k]) for k in self.wanted} if self.has_decimals else {})

    def __call__(self, piece: Piece, decimals: int) -> Counted:
        """Look at a piece, its numbers read in a way."""
        found = self.nothing()
        table, found.digits = piece.read(self.places, self.as_words, decimals, False)
        found.given = table.num_rows
        if not table.num_rows:
            found.sizes.append(0)
            return found
        for k, column in zip(self.places, table.columns, strict=True):
            found.tallies[k].has_cells = getattr(column, "null_count", 0) < len(column)
        where = _places_in(piece)
        cells = self._cells(table, found, where)
        if self.is_text:  # what is in a column is judged by all of its cells
            for k, source in cells.found if cells.is_all else self._of_columns(table, found, where):
                found.tallies[k].see(source)
        if self.label is not None:
            found.tallies[self.label].see(self._labels(self.label, table))
        self._count(found, cells)
        found.is_plain = piece.whole and cells.is_all and cells.kept is None
        return found

    def checked(self, piece: Piece, columns: dict[int, DecimalColumn], places: int) -> tuple[int, dict[int, DecimalColumn]]:
        """Return how many rows a piece has, and whether its numbers fit as decimals, with so many places."""
        table, _ = piece.read(self.places, self.as_words, NEAREST, False)
        cells = self._cells(table, self.nothing(), _places_in(piece))
        found = {k: copy.copy(column) for k, column in columns.items()}
        for k, source in cells.found:
            if isinstance(source, Numbers):
                found[k].check(source, cells.table.column(self.wanted.index(k)), places, cells.row, cells.kept)
        return table.num_rows, found

    def _labels(self, label: int, table: Columns) -> Words:
        return labels_of(self.frame, label, table.column(len(self.wanted)), self.frame.layout.words)

    def _cells(self, table: Columns, counted: Counted, where: Callable[[int], Place]) -> PieceCells:
        """Return the cells of a piece, in rows that have a label if others are left out."""
        labels, there = None, np.arange(table.num_rows)
        if self.label is not None and table.num_rows:
            labels = self._labels(self.label, table)
            if labels.gaps is not None and self.frame.layout.drop_unlabelled:
                there = np.flatnonzero(~labels.gaps)
                labels = labels._replace(codes=labels.codes[there])
        is_all = there.size == table.num_rows
        table = table if is_all else rows_taken(table, there)
        found = self._of_columns(table, counted, lambda row: where(int(there[row])))
        masks = {source.name: source.gaps for _, source in found}
        gone = rows_with_gaps(masks, labels, there.size) if self.missing == "drop-rows" else None
        kept = None if gone is None else np.flatnonzero(~gone)
        return PieceCells(table, found, labels, masks, there, kept, is_all)

    def _count(self, found: Counted, cells: PieceCells) -> None:
        """Count what is in a piece."""
        n = cells.rows.size
        found.there += n
        found.sizes.append(n if cells.kept is None else cells.kept.size)
        for k, source in cells.found:
            found.tallies[k].count(source, n, cells.kept, cells.row)
            if k in found.decimals and isinstance(source, Numbers):
                found.decimals[k].measure(source, cells.row)
        if self.label is not None and cells.labels is not None:
            found.tallies[self.label].count(cells.labels, n, cells.kept, cells.row)
        touched = rows_with_gaps(cells.masks, cells.labels, n)
        incomplete = rows_with_gaps(cells.masks, None, n)
        found.touched += 0 if touched is None else int(np.count_nonzero(touched))
        if incomplete is None:
            return
        found.incomplete += int(np.count_nonzero(incomplete))
        first = int(np.flatnonzero(incomplete)[0])
        named = (name for name, mask in cells.masks.items() if mask is not None and mask[first])
        found.first_gap = cells.row(first), next(named)

    def _of_columns(self, table: Columns, counted: Counted, where: Callable[[int], Place]) -> list[tuple[int, Cells]]:
        found: list[tuple[int, Cells]] = []
        layout = self.frame.layout
        for k, column in zip(self.wanted, table.columns, strict=False):
            tally = counted.tallies[k]
            try:
                found.append((k, cells_of(tally.name, column, layout.gaps, where, layout.words)))
            except FileError as error:  # of several, the first column is named
                tally.unusable = tally.unusable or error
        return list(zip([k for k, _ in found], told_apart([source for _, source in found]), strict=True))


def _places_in(piece: Piece) -> Callable[[int], Place]:
    return lambda row: piece.places([row])[0]
