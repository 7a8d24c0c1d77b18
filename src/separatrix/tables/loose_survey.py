"""A survey for `describe`: what another survey refuses is counted, as gaps are, or noted of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.provenance import Choice
from ..support import progress
from .cells import Words
from .column_facts import (
    NumberFacts,
    as_mixed,
    column_of_counts,
    column_of_facts,
    column_of_flags,
    column_of_gaps,
    column_of_others,
)
from .decimals import Decimals, settled
from .encoding import Chosen, chosen
from .facts import ColumnDescription
from .frame import Frame
from .learnt import Learnt
from .piece_survey import Counted, Look, PieceCells
from .pieces import Pieces
from .survey import Survey, refuse_endless
from .text.csv_reading import FirstWord, MixedColumns, is_number


@dataclass
class LooseCounted(Counted):
    """What was counted in rows that follow each other, and what else is told of their columns."""

    nulls: dict[int, int] = field(default_factory=dict)
    """Cells of each column that are missing as Arrow has it."""
    firsts: dict[int, dict[str, int]] = field(default_factory=dict)
    """Of each column of words the row that each is in first."""

    def add(self, after: Counted) -> None:
        """Add what was counted in the rows that come next."""
        assert isinstance(after, LooseCounted)
        for k, nulls in after.nulls.items():
            self.nulls[k] += nulls
        for k, firsts in after.firsts.items():
            for text, row in firsts.items():
                self.firsts[k].setdefault(text, self.given + row)
        super().add(after)


class LooseLook(Look):
    """How a piece is looked at whatever is in it."""

    def nothing(self) -> LooseCounted:
        """Return what no rows tell."""
        found = super().nothing()
        return LooseCounted(
            found.tallies, found.decimals, nulls=dict.fromkeys(self.wanted, 0), firsts={k: {} for k in self.wanted}
        )

    def _count(self, found: Counted, cells: PieceCells) -> None:
        super()._count(found, cells)
        assert isinstance(found, LooseCounted)
        for k, column in zip(self.wanted, cells.table.columns, strict=False):
            found.nulls[k] = getattr(column, "null_count", 0)
        for k, source in cells.found:
            if isinstance(source, Words):
                first = np.full(len(source.texts) + 1, -1)
                first[source.codes[::-1]] = cells.rows[::-1]  # of several, the last one stays
                found.firsts[k] = {text: row for text, row in zip(source.texts, first.tolist(), strict=False) if row >= 0}


class LooseSurvey(Survey):
    """A survey of all rows of a table, whatever is in them; parameters as of `Survey`."""

    _looking = LooseLook
    now: LooseCounted

    def __init__(self, pieces: Pieces, choice: Choice, most: int) -> None:
        super().__init__(pieces, replace(choice, missing="indicator"), most)
        layout = replace(self.frame.layout, drop_unlabelled=False)
        self.frame = self.frame._replace(layout=layout)
        self._look = replace(self._look, frame=self._look.frame._replace(layout=layout))
        self.asked = choice
        self.mixed: dict[int, FirstWord] = {}
        """Columns that have both numbers and words, with the first word."""
        self.decimals: Decimals | None = None
        """Of text: how numbers are read."""
        self._go_through()

    @staticmethod
    def _chosen(frame: Frame, choice: Choice) -> Chosen:
        return chosen(frame, choice)

    def _go_through(self) -> None:
        with progress.part("surveying"):
            while True:
                try:
                    if self.is_text:
                        found, self.decimals = settled(self.frame.layout.numbers, self._gone_through)
                        assert isinstance(found, LooseCounted)
                        self.now = found
                    else:
                        self._gone_through(NEAREST)
                    break
                except MixedColumns as odd:  # they are read anew, as words
                    self.mixed |= odd.found
                    self._look = replace(self._look, as_words=(*{*self._look.as_words, *odd.found},))
        if not self.now.given:
            raise FileError(f"{self.pieces.parts[0].name} has no rows.")

    # ---- What was found of columns.

    @property
    def head(self) -> Frame:
        """The table, but for what reads it; picklable."""
        return self._look.frame

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.now.given

    @property
    def places(self) -> list[int]:
        """The columns that are not dropped, by their places."""
        return sorted(self._look.places)

    @property
    def words(self) -> list[int]:
        """The columns to be read as words, whatever is in some of the pieces."""
        found = [k for k in self.wanted if self.is_text and self.now.tallies[k].kind == "words"]
        return [*{*self._look.as_words, *found}]

    @property
    def firsts(self) -> dict[int, dict[str, int]]:
        """Of each column of words the row that each is in first."""
        return self.now.firsts

    @property
    def way(self) -> int:
        """How numbers of text are read."""
        return self.decimals.places if self.decimals is not None and self.decimals.whole else NEAREST

    @property
    def unit(self) -> float:
        """How many times too large numbers are, read so."""
        return 1.0 if self.way == NEAREST else float(10**self.way)

    def kind(self, k: int) -> str:
        """Tell what a column is, as `ColumnDescription` has it."""
        tally = self.now.tallies[k]
        if k == self.label:
            return "label"
        if k in self.mixed:
            return "mixed"
        if self._error(k) is not None:
            return "other"
        if tally.gaps == tally.cells:
            return "empty"
        return {"words": "category", "true and false": "flag"}.get(tally.kind or "", "number")

    @property
    def used(self) -> list[int]:
        """The columns that rows are made of."""
        kinds = {"number", "flag", "category"} | ({"empty"} if self.asked.missing == "indicator" else set())
        return [k for k in self.wanted if self.frame.names[k] and self.kind(k) in kinds]

    @property
    def label_texts(self) -> list[str]:
        """The texts of the labels."""
        return [] if self.label is None else list(self._counts(self.label))

    def described(self, k: int, found: NumberFacts | int | None = None) -> ColumnDescription:
        """Describe a column; of numbers, by what was found of them, of true and false by how many are true."""
        tally, kind = self.now.tallies[k], self.kind(k)
        error, cells = self._error(k), tally.cells - tally.gaps
        if kind == "other" and error is not None:
            return column_of_others(tally.name, error, self.now.nulls[k])
        if kind == "empty":
            return column_of_gaps(tally.name, tally.gaps, self.asked)
        if isinstance(found, NumberFacts):
            return column_of_facts(tally.name, found, cells, tally.gaps, self.unit)
        if isinstance(found, int):
            return column_of_flags(tally.name, found, cells, tally.gaps)
        counts = self._counts(k)
        column = column_of_counts(tally.name, kind, counts, tally.gaps)
        if kind == "mixed":
            words = sum(count for text, count in counts.items() if not is_number(text, self.frame.layout))
            return as_mixed(column, words, self.mixed[k])
        return replace(column, notes=()) if kind == "label" else column

    def _counts(self, k: int) -> dict[str, int]:
        return {text: told.there for text, told in self.now.tallies[k].texts.items() if told.there}

    def _error(self, k: int) -> Exception | None:
        """Return why a column cannot be used."""
        tally = self.now.tallies[k]
        if tally.unusable is not None:
            return tally.unusable
        try:
            refuse_endless(tally, self.frame.where)
        except FileError as error:
            return error
        return None

    # ---- What rows can be made of.

    @property
    def is_plain(self) -> bool:
        """Whether another survey would have refused nothing, so that all rows and columns are used."""
        return bool(self.wanted) and self.used == self.wanted and not self._has_gaps(self.places)

    def _has_gaps(self, places: Sequence[int]) -> bool:
        return any(self.now.tallies[k].gaps for k in places)

    def learnt(self) -> Learnt:
        """Return how rows are made, if it is plain."""
        return self._learnt(self.decimals if self.is_text else self._settled())
