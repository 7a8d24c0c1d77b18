"""A pass over a table in pieces that tells what numbers its columns hold, and which columns are equal."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..support import progress
from .cells import Cells, Numbers, Words, cells_of, told_apart
from .column_facts import NumberFacts, are_whole
from .different_numbers import DifferentNumbers
from .frame import Frame
from .loose_survey import LooseSurvey
from .pieces import Piece


@dataclass
class NumberTally:
    """What was seen of the numbers of a column, but for how many are different."""

    least: float = np.inf
    largest: float = -np.inf
    whole: bool = True

    def see(self, values: Floats, unit: float = 1.0) -> None:
        """See some numbers, sorted, which are so many times too large."""
        if values.size:
            self.least, self.largest = min(self.least, float(values[0])), max(self.largest, float(values[-1]))
            self.whole = self.whole and are_whole(values, unit)

    def facts(self, distinct: int) -> NumberFacts:
        """Return what was seen, and that so many were different."""
        return NumberFacts(self.least, self.largest, distinct, self.whole)


@dataclass
class EqualColumns:
    """Which columns are equal: each block tells some of them apart."""

    classes: dict[int, int]
    """For each column the number of those that it has been equal to so far."""
    _next: int = field(default=10**6)

    def undecided(self) -> list[int]:
        """Return the columns that may be equal to others."""
        counts = dict[int, int]()
        for number in self.classes.values():
            counts[number] = counts.get(number, 0) + 1
        return [k for k, number in self.classes.items() if counts[number] > 1]

    def see(self, told: dict[int, bytes]) -> None:
        """Tell columns apart for which other things are told of a block."""
        numbers: dict[tuple[int, bytes], int] = {}
        for k, what in told.items():
            key = self.classes[k], what
            if key not in numbers:
                numbers[key], self._next = self._next, self._next + 1
            self.classes[k] = numbers[key]


class ToldOfColumns(NamedTuple):
    """What a piece tells of columns."""

    rows: int
    true: dict[int, int]
    """How many cells are true, of columns of true and false."""
    numbers: dict[int, Floats]
    """The different numbers of columns, sorted."""
    alike: dict[int, bytes]
    """What is the same for columns that are equal."""


@dataclass(frozen=True, kw_only=True)
class ColumnsAsked:
    """What a piece is asked of columns; picklable, as pieces may be read elsewhere."""

    frame: Frame
    words: tuple[int, ...]
    """The columns that are read as words."""
    way: int
    """How numbers of text are read."""
    numbers: tuple[int, ...]
    true: tuple[int, ...]
    alike: dict[int, dict[str, int]]
    """The columns that may be equal to others, and of words the row that each is in first."""

    @property
    def places(self) -> list[int]:
        """The columns that are read."""
        return sorted({*self.numbers, *self.true, *self.alike})

    def __call__(self, piece: Piece) -> ToldOfColumns:
        """Ask a piece."""
        names, gaps = self.frame.names, self.frame.layout.gaps
        table, _ = piece.read(self.places, [k for k in self.words if k in self.places], self.way, True)
        cells = [cells_of(names[k], each, gaps, self.frame.where)
                 for k, each in zip(self.places, table.columns, strict=True)]  # fmt: skip
        found = dict(zip(self.places, told_apart(cells), strict=True))
        told = ToldOfColumns(table.num_rows, {}, {}, {k: self._told(k, found[k]) for k in self.alike})
        for k in (*self.numbers, *self.true):
            source = found[k]
            if isinstance(source, Words):
                continue
            values = source.array()
            present = values if source.gaps is None else values[~source.gaps]
            if k in self.true:
                told.true[k] = int(np.count_nonzero(present))
            elif present.size:
                told.numbers[k] = np.unique(present + 0.0)  # -0.0 is 0.0
        return told

    def _told(self, k: int, source: Cells) -> bytes:
        """Return what the cells of a piece tell; of words, which ones are equal in the whole table."""
        if isinstance(source, Numbers):
            digest = hashlib.blake2b((source.array() + 0.0).tobytes())
            if source.gaps is not None:
                digest.update(source.gaps.tobytes())
            return digest.digest()
        firsts = self.alike[k]
        lookup = np.array([*(firsts.get(text, -1) for text in source.texts), -1])
        return hashlib.blake2b(lookup[source.codes].tobytes()).digest()


class ColumnPass:
    """What a pass over the pieces of a table tells of its columns; ``room`` is how many bytes it may hold, about."""

    def __init__(self, survey: LooseSurvey, room: int) -> None:
        kinds = {k: survey.kind(k) for k in survey.wanted}
        self._survey = survey
        self._numbers = {k: NumberTally() for k, kind in kinds.items() if kind == "number"}
        self._true = {k: 0 for k, kind in kinds.items() if kind == "flag"}
        self._equal = EqualColumns({k: int(kinds[k] == "category") for k in survey.used if kinds[k] != "empty"})
        self._values = DifferentNumbers(room, survey.rows * len(self._numbers))
        self.found: dict[int, NumberFacts | int] = {}
        """Of columns of numbers what is known of them, of those of true and false how many cells are true."""
        self.spilled = 0
        """How many files took numbers that there was no room for."""
        if self._numbers or self._true or self._equal.undecided():
            self._go_through()

    def _go_through(self) -> None:
        survey, rows = self._survey, 0
        with self._values, progress.part("comparing columns"):
            for told in self._all_told():
                self._see(told)
                rows += told.rows
                progress.report(lambda: f"{rows:,} of {survey.rows:,} rows", rows, survey.rows, "rows")  # noqa: B023
            self.spilled = self._values.parts
            counts = self._values.counts()
        self.found |= {k: tally.facts(counts.get(k, 0)) for k, tally in self._numbers.items()}
        self.found |= self._true

    def _all_told(self) -> Iterator[ToldOfColumns]:
        """Ask all pieces, in rounds each of which is larger: columns that are told apart need not be read any more."""
        pieces, start, size = self._survey.pieces, 0, 1
        while start < pieces.count:
            asked = self._asked()
            if not asked.places:
                return
            for _, told in pieces.ask(range(start, min(start + size, pieces.count)), asked):
                yield told
            start, size = start + size, 2 * size

    def _asked(self) -> ColumnsAsked:
        survey = self._survey
        return ColumnsAsked(
            frame=survey.head, words=tuple(survey.words), way=survey.way, numbers=tuple(self._numbers),
            true=tuple(self._true), alike={k: survey.firsts[k] for k in self._equal.undecided()},
        )  # fmt: skip

    def _see(self, told: ToldOfColumns) -> None:
        for k, true in told.true.items():
            self._true[k] += true
        for k, different in told.numbers.items():
            self._numbers[k].see(different, self._survey.unit)
            self._values.add(k, different)
        self._equal.see(told.alike)

    def equal(self) -> dict[int, tuple[Hashable, Sequence[str]]]:
        """Return what columns tell, as `column_facts.told_by` does: the same of those that are equal."""
        found: dict[int, tuple[Hashable, Sequence[str]]] = {}
        for k, number in self._equal.classes.items():
            firsts = self._survey.firsts[k] if self._survey.kind(k) == "category" else {}
            found[k] = number, sorted(firsts, key=lambda text: firsts[text])
        return found
