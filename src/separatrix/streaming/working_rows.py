"""Rows of a stream that are held in memory, since they decide: with their numbers among all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._types import Floats, Indices
from ..problem.batches import BatchedProblem, joined
from ..problem.problem import Problem

Result = TypeVar("Result")


class Rows(NamedTuple):
    """Some rows with their numbers among all rows, and how they score: the least matter most."""

    numbers: Indices
    scores: Floats
    problem: Problem

    def lowest(self, count: int) -> Rows:
        """Return so many of them of each label, those with the lowest scores."""
        kept = lowest(self.scores, self.problem.y, count)
        return self if kept.size == len(self.numbers) else self.at(kept)

    def at(self, places: Indices) -> Rows:
        """Return some of them, by their places."""
        return Rows(self.numbers[places], self.scores[places], self.problem.with_rows(places))

    @classmethod
    def together(cls, parts: Sequence[Rows]) -> Rows:
        """Put rows together, at least one part."""
        sizes = np.cumsum([0, *(len(part.numbers) for part in parts)])
        places = [np.arange(sizes[k], sizes[k + 1]) for k in range(len(parts))]
        problem = joined(list(zip(places, (part.problem for part in parts), strict=True)))
        numbers, scores = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return cls(numbers, scores, problem)


def lowest(scores: Floats, y: Floats, count: int) -> Indices:
    """Return the places of so many scores of each label, the lowest ones, in order."""
    found = []
    for label in (-1.0, 1.0):
        places = np.flatnonzero(y == label)
        if places.size > count:
            places = places[np.argpartition(scores[places], count - 1)[:count]]
        found.append(places)
    return np.sort(np.concatenate(found))


class WorkingRows:
    """The rows that are held, each once, in the order in which they came: their places change only when some are let go.

    What is asked of listed rows is answered from here, without a pass (`proof.claim_checks` asks so).
    """

    def __init__(self, whole: BatchedProblem) -> None:
        self.whole = whole
        self.numbers: Indices = np.zeros(0, np.int64)
        self._problem: Problem | None = None
        self._places: dict[int, int] = {}

    @property
    def n(self) -> int:
        """Number of all rows."""
        return self.whole.n

    @property
    def d(self) -> int:
        """Number of features."""
        return self.whole.d

    @property
    def intercept(self) -> bool:
        """Whether the lifted rows end with a constant."""
        return self.whole.intercept

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def problem(self) -> Problem:
        """The problem of the rows held, of which there is at least one."""
        assert self._problem is not None
        return self._problem

    def add(self, rows: Rows) -> int:
        """Hold some more rows; return how many are new."""
        _, first = np.unique(rows.numbers, return_index=True)
        first.sort()
        new = np.array([k for k in first.tolist() if int(rows.numbers[k]) not in self._places], np.int64)
        if not new.size:
            return 0
        some = rows.at(new)
        if self._problem is not None:
            some = Rows.together([Rows(self.numbers, np.zeros(len(self)), self._problem), some])
        self._hold(some)
        return int(new.size)

    def keep(self, places: Indices) -> dict[int, int]:
        """Let go of all rows but those at some places, in ascending order; return the place that each of these has then."""
        self._hold(Rows(self.numbers, np.zeros(len(self)), self.problem).at(places))
        return {place: k for k, place in enumerate(places.tolist())}

    def _hold(self, rows: Rows) -> None:
        self.numbers, self._problem = rows.numbers, rows.problem
        self._places = {number: place for place, number in enumerate(self.numbers.tolist())}

    def named(self, multipliers: dict[int, Any]) -> dict[int, Any]:
        """Return multipliers of rows by their numbers among all rows instead of their places here."""
        return {int(self.numbers[place]): number for place, number in multipliers.items()}

    def places_of(self, numbers: Iterable[int]) -> list[int]:
        """Return the places of rows that are held."""
        return [self._places[int(number)] for number in numbers]

    def map(self, function: Callable[..., Result], *given: Any) -> Iterator[tuple[int, Result]]:
        """Ask all rows."""
        return self.whole.map(function, *given)

    def take(self, rows: Sequence[int]) -> Problem:
        """Return the problem of some rows, which need be read only if they are not held."""
        if all(int(i) in self._places for i in rows) and len(self):
            return self.problem.with_rows(np.array(self.places_of(rows), np.int64))
        return self.whole.take(rows)
