"""A pass over a table in pieces that tells what numbers its columns hold, and which columns are equal."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._types import Floats
from ..support import progress
from ..support.ahead import ahead
from .cells import Cells, Numbers, Words, cells_of, told_apart
from .column_facts import NumberFacts, are_whole
from .different_numbers import DifferentNumbers
from .loose_survey import LooseSurvey


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
            for table in self._tables():
                self._see(table)
                rows += next((len(each.codes if isinstance(each, Words) else each.values) for each in table.values()), 0)
                progress.report(lambda: f"{rows:,} of {survey.rows:,} rows", rows, survey.rows, "rows")  # noqa: B023
            self.spilled = self._values.parts
            counts = self._values.counts()
        self.found |= {k: tally.facts(counts.get(k, 0)) for k, tally in self._numbers.items()}
        self.found |= self._true

    def _tables(self) -> Iterator[dict[int, Cells]]:
        survey = self._survey
        for _, piece in ahead(survey.pieces.again(range(survey.pieces.count))):
            asked = sorted({*self._numbers, *self._true, *self._equal.undecided()})
            if not asked:
                return
            table, _ = piece.read(asked, [k for k in survey.words if k in asked], survey.way, True)
            frame = survey.frame
            cells = [cells_of(frame.names[k], each, frame.layout.gaps, frame.where)
                     for k, each in zip(asked, table.columns, strict=True)]  # fmt: skip
            yield dict(zip(asked, told_apart(cells), strict=True))

    def _see(self, table: dict[int, Cells]) -> None:
        for k, source in table.items():
            if isinstance(source, Words):
                continue
            values = source.array()
            present = values if source.gaps is None else values[~source.gaps]
            if k in self._true:
                self._true[k] += int(np.count_nonzero(present))
            elif k in self._numbers and present.size:
                different = np.unique(present + 0.0)  # -0.0 is 0.0
                self._numbers[k].see(different, self._survey.unit)
                self._values.add(k, different)
        self._equal.see({k: self._told(k, table[k]) for k in self._equal.undecided()})

    def _told(self, k: int, source: Cells) -> bytes:
        """Return what the cells of a piece tell; of words, which ones are equal in the whole table."""
        if isinstance(source, Numbers):
            digest = hashlib.blake2b((source.array() + 0.0).tobytes())
            if source.gaps is not None:
                digest.update(source.gaps.tobytes())
            return digest.digest()
        firsts = self._survey.firsts[k]
        lookup = np.array([*(firsts.get(text, -1) for text in source.texts), -1])
        return hashlib.blake2b(lookup[source.codes].tobytes()).digest()

    def equal(self) -> dict[int, tuple[Hashable, Sequence[str]]]:
        """Return what columns tell, as `column_facts.told_by` does: the same of those that are equal."""
        found: dict[int, tuple[Hashable, Sequence[str]]] = {}
        for k, number in self._equal.classes.items():
            firsts = self._survey.firsts[k] if self._survey.kind(k) == "category" else {}
            found[k] = number, sorted(firsts, key=lambda text: firsts[text])
        return found
