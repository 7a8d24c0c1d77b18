"""What all pieces of a table tell together: columns and categories, gaps, classes, how numbers are read.

It is what `encoding.learn` finds out of a table that is there as a whole, and the same is refused in the same words. What is
kept of a piece is counts, and the texts that occur.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..checker import Seen
from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.provenance import POSITIONS, Choice, Column, Place
from ..support import progress
from ..support.remedies import Remedy
from .cells import Numbers, Words, classes_of, require_finite
from .column_notes import MIN_IDENTIFYING, notes_of_columns
from .column_tally import ColumnTally
from .decimal_survey import DecimalColumn, places_of, settled_decimals
from .decimals import Decimals, Digits, settled
from .design_matrix import columns_for, is_sparse
from .encoding import Chosen, chosen_to_learn, missing_values, no_label, none_left
from .frame import Frame, first_kind, kind_of
from .labelled_rows import none_labelled
from .learnt import Learnt
from .piece_survey import Counted, Look
from .pieces import Pieces
from .text.csv_reading import FirstWord, MixedColumns


def refuse_endless(tally: ColumnTally, where: Callable[[int], Place]) -> None:
    """Refuse a column with an infinite number."""
    if tally.first_endless is not None:
        place = where(tally.first_endless)
        require_finite([Numbers(tally.name, np.zeros(1), None, np.ones(1, bool))], lambda _: place)


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

    _looking: ClassVar[type[Look]] = Look
    """How pieces are looked at."""

    def __init__(self, pieces: Pieces, choice: Choice, most: int) -> None:
        self.pieces, self.choice, self._most = pieces, choice, most
        self.frame = pieces.frame._replace(places=pieces.places)
        self.is_text = pieces.parts[0].is_text
        self.label, self.wanted, texts = self._chosen(self.frame, choice)
        parts = [] if self.is_text or self.frame.layout.numbers == "float64" else pieces.parts
        self._look = self._looking(
            frame=pieces.frame._replace(zeros=dict, places=POSITIONS), wanted=tuple(self.wanted), label=self.label,
            as_words=(*(texts & set(self.wanted)), *([] if self.label is None else [self.label])), missing=choice.missing,
            is_text=self.is_text, most=most,
            has_decimals=any(pa.types.is_decimal(part.type_of(k)) for part in parts for k in self.wanted),
        )  # fmt: skip
        self.now = self._nothing()

    @staticmethod
    def _chosen(frame: Frame, choice: Choice) -> Chosen:
        return chosen_to_learn(frame, choice)

    def _nothing(self) -> Counted:
        return self._look.nothing()

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
        known = self.now.decimals
        columns = list(known.values())
        if all(column.scale is None for column in columns):
            return None
        places, start = places_of(columns), 0
        for _, (rows, checked) in self.pieces.ask(range(self.pieces.count), self._look.checked, known, places):
            for k, column in known.items():
                column.add(checked[k], start)
            start += rows
        return settled_decimals(columns, self.frame.layout.numbers, self.frame.where)

    def _gone_through(self, decimals: int) -> tuple[Counted, Digits]:
        """Go through all pieces, their numbers read in a way; return what was counted, and what their digits are."""
        self.now = self._nothing()
        parts, current = self.pieces.parts, 0
        for k, found in self.pieces.first(self._look.places, self._look, decimals):
            for ended in range(current, k):
                self._end_part(ended)
            current = k
            self.now.add(found)
            self._require_room()
            done, total, unit = self.pieces.done(k, self.now.given)
            progress.report(lambda: f"{self.now.given:,} rows", done, total, unit)
        for ended in range(current, len(parts)):
            self._end_part(ended)
        for tally in self.now.tallies.values():
            first_kind(tally.kinds, tally.name, [part.name for part in parts])
        return self.now, self.now.digits

    def _end_part(self, k: int) -> None:
        """Judge what is in the columns of a file, now that all of it is known."""
        part, odd = self.pieces.parts[k], {}
        for place, tally in self.now.tallies.items():
            kind, row = None, None
            if place in self._look.as_words:
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
            refuse_endless(tally, where)
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
        if self.now.decimals and decimals is not None and decimals.misfit is None:
            numbers: Sequence[ColumnTally | DecimalColumn] = list(self.now.decimals.values())
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
