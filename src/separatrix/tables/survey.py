"""What all pieces of a table tell together: columns and categories, gaps, classes, how numbers are read.

It is what `encoding.learn` finds out of a table that is there as a whole, and the same is refused in the same words. What is
kept of a piece is counts, and the texts that occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..checker import Seen
from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.provenance import Choice, Column, Place
from ..support import progress
from ..support.ahead import ahead
from ..support.remedies import Remedy
from .cells import Cells, Numbers, Words, cells_of, classes_of, require_finite, told_apart
from .column_notes import MIN_IDENTIFYING, notes_of_columns
from .column_tally import ColumnTally, Rows
from .decimal_survey import DecimalColumn, places_of, settled_decimals
from .decimals import Decimals, Digits, settled
from .design_matrix import columns_for, is_sparse
from .encoding import chosen_to_learn, labels_of, missing_values, no_label, none_left, rows_with_gaps
from .frame import first_kind, kind_of
from .labelled_rows import none_labelled
from .learnt import Learnt
from .pieces import Columns, Piece, Pieces
from .row_numbering import RowNumbering
from .text.csv_reading import FirstWord, MixedColumns


class _Cells(NamedTuple):
    """The cells of a piece."""

    table: Columns
    found: list[tuple[int, Cells]]
    """Those of each column that can be used, by its place."""
    labels: Words | None
    masks: dict[str, NDArray[np.bool_] | None]
    """Which cells of each column are missing."""
    rows: NDArray[np.int64]
    """The numbers of the rows in the whole table."""
    kept: NDArray[np.int64] | None
    """Which of these rows are kept; None: all."""
    is_all: bool
    """Whether these are all rows of the piece."""

    def row(self, row: int) -> int:
        """Return the number of a row in the whole table."""
        return int(self.rows[row])


@dataclass
class _Counted:
    """What was counted in all pieces so far."""

    tallies: dict[int, ColumnTally]
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


def _at(place: Place, _row: int) -> Place:
    return place


class Survey:
    """A survey of a table.

    Parameters
    ----------
    pieces : Pieces
        The table.
    choice : Choice
        What is chosen of it.
    most : int
        Bytes that may be kept of texts, and as many of numbers that may number the rows.
    """

    def __init__(self, pieces: Pieces, choice: Choice, most: int) -> None:
        self.pieces, self.choice, self._most = pieces, choice, most
        self.frame = pieces.frame._replace(places=pieces.places)
        self.is_text = pieces.parts[0].is_text
        self.label, self.wanted, texts = chosen_to_learn(self.frame, choice)
        self._extra = [] if self.label is None else [self.label]
        self._as_words = [*(texts & set(self.wanted)), *self._extra]
        self._decimals: dict[int, DecimalColumn] = {}
        parts = [] if self.is_text or self.frame.layout.numbers == "float64" else pieces.parts
        if any(pa.types.is_decimal(part.type_of(k)) for part in parts for k in self.wanted):
            self._decimals = {k: DecimalColumn(self.frame.names[k]) for k in self.wanted}
        self.now = self._nothing()

    def _nothing(self) -> _Counted:
        places, names = [*self.wanted, *self._extra], self.frame.names
        return _Counted({k: ColumnTally(names[k], RowNumbering(self._most)) for k in places})

    # ---- All pieces.

    def learnt(self) -> Learnt:
        """Go through all pieces, and return what they tell."""
        with progress.part("surveying"):
            if self.is_text:
                self.now, decimals = settled(self.frame.layout.numbers, self._gone_through)
                self._refuse_cells()
            else:
                self._gone_through(NEAREST)
                self._refuse_cells()
                decimals = self._settled()
        self._refuse_rows()
        return self._learnt(decimals)

    def _settled(self) -> Decimals | None:
        """Tell how the numbers of a table of Arrow are read; if it has decimals, that takes another pass."""
        columns = list(self._decimals.values())
        if all(column.scale is None for column in columns):
            return None
        places, start = places_of(columns), 0
        for _, piece in ahead(self.pieces.again(range(self.pieces.count))):
            table, _ = piece.read([*self.wanted, *self._extra], self._as_words, NEAREST, False)
            cells = self._cells(table, start)
            for k, source in cells.found:
                if isinstance(source, Numbers):
                    column = cells.table.column(self.wanted.index(k))
                    self._decimals[k].check(source, column, places, cells.row, cells.kept)
            start += table.num_rows
        return settled_decimals(columns, self.frame.layout.numbers, self.frame.where)

    def _gone_through(self, decimals: int) -> tuple[_Counted, Digits]:
        """Go through all pieces, their numbers read in a way; return what was counted, and what their digits are."""
        self.now = self._nothing()
        parts, digits, current = self.pieces.parts, Digits(), 0
        for k, piece in ahead(self.pieces.cut([*self.wanted, *self._extra])):
            for ended in range(current, k):
                self._end_part(ended)
            current = k
            table, told = piece.read([*self.wanted, *self._extra], self._as_words, decimals, False)
            self.pieces.counted(k, table.num_rows)
            digits = digits.beside(told)
            self._see(piece, table)
            self._tell(k)
        for ended in range(current, len(parts)):
            self._end_part(ended)
        for tally in self.now.tallies.values():
            first_kind(tally.kinds, tally.name, [part.name for part in parts])
        return self.now, digits

    def _tell(self, k: int) -> None:
        parts = self.pieces.parts
        totals = [part.total for part in parts if part.total is not None]
        done, total, unit = float(self.now.given), None, "rows"
        if len(totals) == len(parts):
            done, total = sum(part.done() for part in parts[: k + 1]), sum(each for each, _ in totals)
            unit = totals[0][1]
        progress.report(lambda: f"{self.now.given:,} rows", done, total, unit)

    def _end_part(self, k: int) -> None:
        """Judge what is in the columns of a file, now that all of it is known."""
        part, odd = self.pieces.parts[k], {}
        for place, tally in self.now.tallies.items():
            kind, row = None, None
            if place in self._as_words:
                kind = "words" if tally.has_cells else None
            elif self.is_text:
                kind, row = tally.judged(self.frame.layout)
            elif tally.has_cells:
                kind = kind_of(part.type_of(place))
            if row is not None:
                text = next(text for text, first in tally.firsts.items() if first == row)
                odd[place] = FirstWord(self.frame.where(row), text)
            tally.end_part(kind)
        if odd:
            raise MixedColumns.of(self.frame.names, odd)

    # ---- One piece.

    def _see(self, piece: Piece, table: Columns) -> None:
        start = self.now.given
        self.now.given += table.num_rows
        if not table.num_rows:
            self.now.sizes.append(0)
            return
        for k, column in zip([*self.wanted, *self._extra], table.columns, strict=True):
            tally = self.now.tallies[k]
            tally.has_cells = tally.has_cells or getattr(column, "null_count", 0) < len(column)
        cells = self._cells(table, start)
        if self.is_text:  # what is in a column is judged by all of its cells
            for k, source in cells.found if cells.is_all else self._of_columns(table, lambda row: start + row):
                self.now.tallies[k].see(source, start)
        if self.label is not None:
            labels = labels_of(self.frame, self.label, table.column(len(self.wanted)), self.frame.layout.words)
            self.now.tallies[self.label].see(labels, start)
        self._count(cells)
        self.now.is_plain = self.now.is_plain and piece.whole and cells.is_all and cells.kept is None
        self._require_room()

    def _cells(self, table: Columns, start: int) -> _Cells:
        """Return the cells of a piece, in rows that have a label if others are left out."""
        labels, there = None, np.arange(table.num_rows)
        if self.label is not None and table.num_rows:
            labels = labels_of(self.frame, self.label, table.column(len(self.wanted)), self.frame.layout.words)
            if labels.gaps is not None and self.frame.layout.drop_unlabelled:
                there = np.flatnonzero(~labels.gaps)
                labels = labels._replace(codes=labels.codes[there])
        is_all = there.size == table.num_rows
        table = table if is_all else table.take(there)
        found = self._of_columns(table, lambda row: start + int(there[row]))
        masks = {source.name: source.gaps for _, source in found}
        gone = rows_with_gaps(masks, labels, there.size) if self.choice.missing == "drop-rows" else None
        kept = None if gone is None else np.flatnonzero(~gone)
        return _Cells(table, found, labels, masks, start + there, kept, is_all)

    def _count(self, cells: _Cells) -> None:
        """Count what is in a piece."""
        n = cells.rows.size
        self.now.there += n
        self.now.sizes.append(n if cells.kept is None else cells.kept.size)
        for k, source in cells.found:
            self.now.tallies[k].count(source, n, cells.kept, cells.row)
            if k in self._decimals and isinstance(source, Numbers):
                self._decimals[k].measure(source, cells.row)
        if self.label is not None and cells.labels is not None:
            self.now.tallies[self.label].count(cells.labels, n, cells.kept, cells.row)
        touched = rows_with_gaps(cells.masks, cells.labels, n)
        incomplete = rows_with_gaps(cells.masks, None, n)
        self.now.touched += 0 if touched is None else int(np.count_nonzero(touched))
        if incomplete is None:
            return
        self.now.incomplete += int(np.count_nonzero(incomplete))
        if self.now.first_gap is None:
            first = int(np.flatnonzero(incomplete)[0])
            named = (name for name, mask in cells.masks.items() if mask is not None and mask[first])
            self.now.first_gap = cells.row(first), next(named)

    def _of_columns(self, table: Columns, rows: Rows) -> list[tuple[int, Cells]]:
        found: list[tuple[int, Cells]] = []
        where, layout = self.frame.where, self.frame.layout
        for k, column in zip(self.wanted, table.columns, strict=False):
            tally = self.now.tallies[k]
            try:
                found.append((k, cells_of(tally.name, column, layout.gaps, lambda row: where(rows(row)), layout.words)))
            except FileError as error:  # of several, the first column is named
                tally.unusable = tally.unusable or error
        return list(zip([k for k, _ in found], told_apart([source for _, source in found]), strict=True))

    def _require_room(self) -> None:
        """Refuse more texts than there is room for."""
        if sum(tally.text_bytes for tally in self.now.tallies.values()) > self._most:
            tally = max(self.now.tallies.values(), key=lambda each: each.text_bytes)
            raise FileError(
                f"The column {tally.name!r} has {len(tally.texts):,} different texts in the first {self.now.given:,} rows "
                f"of {self.frame.name}, more than there is room for. Leave it out with ",
                Remedy("drop", tally.name),
                ", or allow more memory.",
            )

    # ---- What comes of it.

    def _sources(self) -> list[ColumnTally]:
        return [self.now.tallies[k] for k in self.wanted]

    def _refuse_cells(self) -> None:
        """Refuse a table without rows, columns that cannot be used, and rows without a label."""
        label, where = None if self.label is None else self.now.tallies[self.label], self.frame.where
        if not self.now.given:
            raise FileError(f"{self.pieces.parts[0].name} has no rows.")
        if label is not None and self.frame.layout.drop_unlabelled and not self.now.there:
            raise none_labelled(self.frame.name, label.name)
        for tally in self._sources():
            if tally.unusable is not None:
                raise tally.unusable
        if label is not None and label.first_gap is not None and self.choice.missing != "drop-rows":
            raise no_label(where(label.first_gap), label.name)

    def _refuse_rows(self) -> None:
        """Refuse numbers that are infinite, and gaps if they are to be refused."""
        sources, where = self._sources(), self.frame.where
        for tally in sources:
            if (row := tally.first_endless) is not None:
                require_finite([Numbers(tally.name, np.zeros(1), None, np.ones(1, bool))], partial(_at, where(row)))
        counts = {tally.name: tally.gaps for tally in sources if tally.gaps}
        if self.choice.missing == "refuse" and self.now.first_gap is not None:
            first = where(self.now.first_gap[0]), self.now.first_gap[1]
            raise missing_values(self.frame.name, (self.now.incomplete, self.now.there), first, counts, learnt=False)
        if not sum(self.now.sizes):
            raise none_left(self.frame.name, counts)

    def _learnt(self, decimals: Decimals | None) -> Learnt:
        sources, frame = self._sources(), self.frame
        columns = columns_for([tally.alike(kept=True) for tally in sources], self.choice.missing)
        label = None if self.label is None else self.now.tallies[self.label]
        classes: tuple[Any, ...] = ()
        texts: tuple[str, ...] = ()
        if label is not None:
            kept = label.alike(kept=True)
            assert isinstance(kept, Words)
            classes, texts, _ = classes_of(kept._replace(codes=kept.codes[kept.codes >= 0]))
        said = notes_of_columns(
            frame, [tally.alike() for tally in sources], None if label is None else label.alike(),  # type: ignore[arg-type]
            self.now.there, self._numbers_rows,
        )  # fmt: skip
        largest, smallest = self._extremes(columns, decimals)
        plain = self.now.is_plain and all(tally.kind in ("numbers", "true and false") for tally in sources)
        sparse = is_sparse(columns, len(sources))
        return Learnt(
            frame=frame, wanted=tuple(self.wanted), label=self.label, choice=self.choice, columns=columns,
            table=None if label is None else frame.layout.table(label.name, self.choice.missing), classes=classes,
            texts=texts, counts=() if label is None else tuple(label.texts[text].kept for text in texts),
            sizes=tuple(self.now.sizes), given=self.now.given, unlabelled=self.now.given - self.now.there, decimals=decimals,
            sparse=sparse, largest=largest, smallest=smallest, said=(*frame.notes, *said),
            seen=None if label is None else self._seen(label, columns),
            is_plain=plain and not sparse and decimals is None and not self.now.incomplete,
        )  # fmt: skip

    def _numbers_rows(self, source: Numbers) -> bool:
        tally = next(each for each in self._sources() if each.name == source.name)
        return tally.numbers_rows(self.now.there, MIN_IDENTIFYING)

    def _extremes(self, columns: tuple[Column, ...], decimals: Decimals | None) -> tuple[float, float]:
        """Return the largest magnitude of all numerators, and the smallest that is not 0."""
        places = 0 if decimals is None or decimals.misfit is not None else decimals.places
        unit = float(10**places)
        factor = 1.0 if decimals is not None and decimals.whole else unit
        if self._decimals and decimals is not None and decimals.misfit is None:
            numbers: Sequence[ColumnTally | DecimalColumn] = list(self._decimals.values())
        else:
            numbers = [tally for tally in self._sources() if tally.kind == "numbers"]
        ends = [max((tally.largest for tally in numbers), default=0.0), min((t.smallest for t in numbers), default=np.inf)]
        if factor != 1.0:
            ends = [float(np.rint(end * factor)) if np.isfinite(end) else end for end in ends]
        if any(column.category is not None or column.gap for column in columns) or self._has_true():
            ends = [max(ends[0], unit), min(ends[1], unit)]
        return ends[0], ends[1]

    def _has_true(self) -> bool:
        """Whether anything is true, in columns of true and false."""
        flags = [tally for tally in self._sources() if tally.kind == "true and false"]
        spelled = any(told.kept for tally in flags for text, told in tally.texts.items() if text.strip().lower() == "true")
        return spelled or any(tally.largest for tally in flags)

    def _seen(self, label: ColumnTally, columns: tuple[Column, ...]) -> Seen:
        seen, asked = Seen(), set(columns)
        seen.label, seen.rows = label.name, self.now.given
        seen.columns = tuple(name for name in self.frame.names if name != label.name)
        seen.gaps = sum(tally.gaps for tally in [*self._sources(), label])
        seen.untold = sum(tally.gaps for tally in self._sources() if Column(tally.name, gap=True) not in asked)
        seen.rows_with_gaps = self.now.touched
        return seen
