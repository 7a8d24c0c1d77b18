"""Passes over rows in blocks: what each block is asked, and how many passes the blocks read make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..problem.batches import BatchedProblem
from ..support import progress
from ..support.clock import Clock

Result = TypeVar("Result")


class Passes:
    """Blocks that are read one after another, again and again; the clock is looked at, and progress told, between them."""

    def __init__(self, problem: BatchedProblem, clock: Clock) -> None:
        self.problem, self.clock = problem, clock
        self.rows_read, self._seconds = 0, 0.0
        self.doing = "reading"
        """What is done, for whoever looks on."""

    @property
    def count(self) -> float:
        """How many passes have been made: the rows read, over all rows."""
        return self.rows_read / max(1, self.problem.n)

    @property
    def seconds_of_one(self) -> float:
        """How long a pass takes, as far as can be told from those before, with what was done in them."""
        return self._seconds / max(1, self.rows_read) * self.problem.n

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Ask blocks; all, or some."""
        self.clock.check()
        begun = self.clock.passed()
        n, sizes = self.problem.n, self.problem.facts.sizes
        for k, found in self.problem.map(function, *given, blocks=blocks):
            self.rows_read += sizes[k]
            number, done = divmod(self.rows_read - 1, n)
            progress.report(lambda number=number: f"pass {number + 1}: {self.doing}", done + 1, n, "rows")  # type: ignore[misc]
            yield k, found
            begun, before = self.clock.passed(), begun
            self._seconds += begun - before
            self.clock.check()
