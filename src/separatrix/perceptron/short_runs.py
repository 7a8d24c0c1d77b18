"""The mistakes of many short runs, from zero, on a few rows: one for each order of visits."""

from __future__ import annotations

import numpy as np

from .._types import Indices
from ..compiled.binary_run import count_mistakes
from ..compiled.run import Stop
from ..exact.linear_algebra import IntegerRows
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..support.clock import Clock
from .orders import UNLIMITED
from .run import Run

_LARGEST = 2**62
"""Numbers of 64 bits hold what is below."""

_SHORT = 10_000
"""Runs of at most so many mistakes are short."""

_MISTAKES_BETWEEN_CHECKS = 10**6
"""Mistakes of a long run between two looks at the clock."""


def mistakes_of_orders(Z: Indices, y: Indices, orders: Indices, lengths: Indices, tie: str, limit: int) -> Indices:
    """Count the mistakes of a run through each order of some rows, from zero, until every row is right.

    Parameters
    ----------
    Z, y : arrays of int64
        The signed, lifted rows and their labels, -1 and 1.
    orders, lengths : arrays of int64
        The rows to visit over and over, an order a line; how many of each line count.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    limit : int
        Runs with more mistakes are ended, and counted as ``limit + 1``.

    Examples
    --------
    >>> Z, y = np.array([[0, -1], [-1, -1], [2, 1]]), np.array([-1, -1, 1])
    >>> mistakes_of_orders(Z, y, np.array([[0, 1, 2], [2, 1, 0]]), np.array([3, 3]), "update", 100)
    array([ 9, 11])
    """
    longest = int(np.square(Z.astype(object)).sum(axis=1).max(initial=0))
    if (limit + 1) * longest >= _LARGEST:
        raise ValueError(f"{limit:,} mistakes on rows as long as these do not fit in 64 bits.")
    counts = np.empty(len(orders), np.int64)
    count_mistakes(
        *(np.ascontiguousarray(each, np.int64) for each in (Z, y, orders, lengths)),
        *(TIES[tie], limit, np.zeros(Z.shape[1], np.int64), counts),
    )
    return counts


class ShortRuns:
    """Runs on one problem, through any order of its rows, each until all rows are right; most of them are to be short.

    Parameters
    ----------
    problem : Problem
        The rows; they are separable, so that each run has an end.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    """

    def __init__(self, problem: Problem, tie: str) -> None:
        self.problem, self.tie = problem, tie
        numbers = IntegerRows.of(problem.lifted(list(range(problem.n)))).common()
        longest = max(sum(number * number for number in row) for row in numbers)
        self.fits = (_SHORT + 1) * longest < _LARGEST
        self._Z = np.array(numbers, np.int64) if self.fits else None
        self._y = problem.y.astype(np.int64)

    def counts(self, orders: Indices, clock: Clock) -> Indices:
        """Count the mistakes of each order, an order a line; raise `OutOfTime` when the time is up."""
        counts = np.full(len(orders), _SHORT + 1, np.int64)
        if self._Z is not None:
            lengths = np.full(len(orders), orders.shape[1], np.int64)
            counts = mistakes_of_orders(self._Z, self._y, orders, lengths, self.tie, _SHORT)
        for r in np.flatnonzero(counts > _SHORT):
            counts[r] = self._count(np.ascontiguousarray(orders[r]), clock)
        return counts

    def _count(self, order: Indices, clock: Clock) -> int:
        """Count the mistakes of a long run."""
        run = Run(self.problem, tie=self.tie)
        while run.advance(order, UNLIMITED, run.mistakes + _MISTAKES_BETWEEN_CHECKS) == Stop.LIMITED:
            clock.check()
        return run.mistakes
