"""What all runs of the perceptron have in common: what they count, and the orders in which they visit rows."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from .._types import Indices
from ..compiled.run import (
    BUDGET,
    MISTAKES,
    OWED,
    PASS_MISTAKES,
    PASSES,
    POSITION,
    STATE_SIZE,
    VISITS_BEFORE,
    Stop,
)
from ..problem.problem import Problem
from ..support import progress
from ..support.clock import Clock
from ..support.counts import counted

UNLIMITED = 2**62
"""More mistakes than there will ever be."""

MIN_DRAWS_PER_PASS = 256
"""Rows in random order are drawn at least so many at a time."""

_SECONDS_PER_PAUSE = 0.2
"""Seconds between two reports, and looks at the clock, at least if kernels return in between."""

INITIAL_TRACE_LENGTH = 1024
"""A trace has room for so many mistakes at first, and for twice as many whenever there is no more."""

_MISTAKES_COPIED_AT_ONCE = 2**20
"""Mistakes of a trace that are copied at a time when it is given more room: between them Ctrl-C is heard."""


def with_more_room(trace: Indices) -> Indices:
    """Return a trace, or what is kept beside it, with room for twice as many mistakes."""
    longer = np.empty(2 * trace.size, trace.dtype)
    for start in range(0, trace.size, _MISTAKES_COPIED_AT_ONCE):
        part = trace[start : start + _MISTAKES_COPIED_AT_ONCE]
        longer[start : start + part.size] = part
    return longer


ROWS_TOGETHER = 2**18
"""Where rows come in blocks, so many are shuffled together if nobody says how many."""

_SEEDS = 2**32


@dataclass(frozen=True)
class Shuffle:
    """The order of a pass, drawn: blocks of so many rows, which come in some order, each shuffled in itself.

    What is drawn is small, and makes the order of any block when that is visited.

    Examples
    --------
    >>> shuffle = Shuffle.draw(5, 2, np.random.RandomState(0))
    >>> shuffle.blocks.tolist(), [shuffle.of(k).tolist() for k in shuffle.blocks], shuffle.whole().tolist()
    ([2, 1, 0], [[4], [3, 2], [0, 1]], [4, 3, 2, 0, 1])
    """

    n: int
    block_rows: int
    blocks: Indices
    """The numbers of the blocks, in the order of their visits; the last block may be shorter."""
    seeds: Indices
    """For each block what its rows are shuffled by."""

    @classmethod
    def draw(cls, n: int, block_rows: int, rng: np.random.RandomState) -> Shuffle:
        """Draw the order of a pass over n rows."""
        count = -(-n // block_rows)
        return cls(n, block_rows, rng.permutation(count), rng.randint(_SEEDS, size=count, dtype=np.int64))

    def rows_of(self, k: int) -> tuple[int, int]:
        """Return the first row of a block, and the one after its last."""
        return k * self.block_rows, min(self.n, (k + 1) * self.block_rows)

    def of(self, k: int) -> Indices:
        """Return the rows of a block in the order of their visits."""
        start, stop = self.rows_of(k)
        return start + np.random.RandomState(self.seeds[k]).permutation(stop - start)

    def whole(self) -> Indices:
        """Return all rows in the order of their visits."""
        return np.concatenate([self.of(k) for k in self.blocks.tolist()])


def shuffled(n: int, rng: np.random.RandomState, block_rows: int | None = None) -> Indices:
    """Return a new permutation of rows for a pass; with ``block_rows``, block by block."""
    if block_rows is None:
        return np.asarray(rng.permutation(n), np.int64)
    return Shuffle.draw(n, int(block_rows), rng).whole()


class _Number:
    """One of the numbers of a state, by where it stands in the array."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __get__(self, state: RunState, owner: type | None = None) -> int:
        return int(state.array[self._index])

    def __set__(self, state: RunState, number: int) -> None:
        state.array[self._index] = number


class RunState:
    """Where a run stands: an array of whole numbers, which kernels change, and a name for each."""

    position = _Number(POSITION)
    """Visits made in the present pass."""
    pass_mistakes = _Number(PASS_MISTAKES)
    """Mistakes in the present pass."""
    mistakes = _Number(MISTAKES)
    """Mistakes so far."""
    passes = _Number(PASSES)
    """Passes that are over."""
    owed = _Number(OWED)
    """Mistakes that the exact weights do not include yet."""
    visits_before = _Number(VISITS_BEFORE)
    """Visits before the present pass."""
    budget = _Number(BUDGET)
    """The number of mistakes at which the bounds of errors are renewed."""

    def __init__(self) -> None:
        self.array: Indices = np.zeros(STATE_SIZE, np.int64)


class Visitor(ABC):
    """A run that visits the rows of a problem, counts its mistakes in ``_state`` and keeps them in ``_trace``."""

    problem: Problem
    _state: RunState
    _trace: Indices
    _per_visit = True  # whether visits are counted, or updates only
    _most_passes: int | None = None
    _paused_at = 0.0
    clock: Clock | None = None
    """The time that it may take; when that is up, it stops between two visits with `OutOfTime`."""

    @property
    def mistakes(self) -> int:
        """Number of mistakes so far."""
        return self._state.mistakes

    @property
    def passes(self) -> int:
        """Number of passes finished so far."""
        return self._state.passes

    @property
    def trace(self) -> Indices:
        """The rows erred on, in order."""
        return self._trace[: self.mistakes].copy()

    @abstractmethod
    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> Stop:
        """Visit rows until so many passes are over, a pass is clean or one more mistake would exceed the limit.

        Returns `Stop.FINISHED`, `Stop.CLEAN` or `Stop.LIMITED`.
        """

    def learn(self, order: str | Indices, max_iter: int, rng: np.random.RandomState, block_rows: int | None = None) -> bool:
        """Run for at most ``max_iter`` passes; return whether the run came to an end by itself.

        ``order`` is "cyclic", "shuffle" (a new permutation for each pass), "random" (each update on a row drawn
        uniformly among those now misclassified; n updates are a pass), or the rows of a pass in their order. What is
        shuffled is shuffled in blocks of ``block_rows``, see `Shuffle`, if that is given.
        """
        max_iter = self._most_passes = min(int(max_iter), UNLIMITED)
        self._paused_at = time.monotonic()
        if not isinstance(order, str):
            return self.advance(np.ascontiguousarray(order, np.int64), max_iter) == Stop.CLEAN
        if order == "cyclic":
            return self.advance(None, max_iter) == Stop.CLEAN
        if order == "shuffle":
            return any(self._shuffled_pass(rng, block_rows) == Stop.CLEAN for _ in range(max_iter))
        self._per_visit = False
        return self._learn_from_random_mistakes(max_iter, rng)

    def _shuffled_pass(self, rng: np.random.RandomState, block_rows: int | None) -> Stop:
        self._check_clock()
        return self.advance(shuffled(self.problem.n, rng, block_rows), self.passes + 1)

    def _learn_from_random_mistakes(self, max_iter: int, rng: np.random.RandomState) -> bool:
        """Visit rows drawn uniformly: a mistake among them is a uniform draw among the misclassified rows."""
        n = self.problem.n
        limit = min(max_iter * n, UNLIMITED)
        try:
            while True:
                self._check_clock()
                draws = rng.randint(n, size=max(n, MIN_DRAWS_PER_PASS), dtype=np.int64)
                reason = self.advance(draws, self.passes + 1, limit)
                if reason == Stop.LIMITED:
                    return False
                if reason == Stop.CLEAN and self._errs_nowhere():
                    return True
        finally:  # also when it is stopped
            self._state.passes = max(1, -(-self.mistakes // n))

    def _errs_nowhere(self) -> bool:
        self._state.position = 0
        clean = self.advance(None, self.passes + 1, self.mistakes) == Stop.CLEAN
        self._state.position = 0
        return clean

    def _check_clock(self) -> None:
        if self.clock is not None:
            self.clock.check()

    def _pause(self) -> None:
        """Tell how far it is, and look at the clock; called some times a second."""
        self._paused_at = time.monotonic()
        self._report()
        self._check_clock()

    def _pause_if_due(self) -> None:
        """Do so if it is long since it was done: kernels return for many reasons, one of which may keep the others away."""
        if time.monotonic() - self._paused_at >= _SECONDS_PER_PAUSE:
            self._pause()

    def _report(self) -> None:
        done = self.passes + self._state.position / self.problem.n if self._per_visit else self.mistakes / self.problem.n
        progress.report(self._so_far, done, self._most_passes, "passes")

    def _so_far(self) -> str:
        passes, here, over = self.passes, self._state.pass_mistakes, not self._state.position
        if not self._per_visit:  # rows are drawn among the mistaken ones, and as many mistakes as rows are a pass
            passes, here = divmod(self.mistakes, self.problem.n)
            over = True
        if over and not here:  # a pass is over, and it may be the last
            return f"{counted(passes, 'pass')}, {counted(self.mistakes, 'mistake')} in all"
        return f"pass {passes + 1:,}: {counted(here, 'mistake')} in it, {self.mistakes:,} in all"
