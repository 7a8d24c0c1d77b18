"""The maximum margin of rows in blocks, as an interval that is proved, or exactly.

The margin of the rows that are held bounds that of all rows from above, by the same combination. Its weights bound it from
below, by the least score that they give any row, which one pass finds exactly. Rows that score less than those held are held
as well, until there are none.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from ..exact.dyadic import Dyadic
from ..exact.rounding import root
from ..problem.batches import BatchedProblem, Batches
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..separation.margin_bounds import lower_bound
from ..separation.margins import Margin, undecided
from ..separation.maximum_margin import MarginSearch, no_margin, require_kind
from ..support.blas import one_thread
from ..support.clock import STOPS, Clock
from ..support.interruption import is_kept, stoppable
from ..support.notebook import framed
from .asking import Least, least_of, lesser, scores_of
from .deciding import Deciding
from .working_rows import Rows, lowest

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 100, 5
"""Rows of each class that a block gives at a time, at most: so many, and so many for each column besides."""

_MOST_BLOCKS = 10
"""All blocks together give so many times as many, at most."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchedMargin(Margin):
    """A margin of rows in blocks between proved bounds; rows are named by their numbers among all rows."""

    problem: BatchedProblem = field(repr=False, compare=False)  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        return framed(self.explain("html"))


def margin(
    batches: Batches,
    *,
    kind: str = "lifted",
    positive: Any = None,
    fit_intercept: bool = True,
    exact: bool = False,
    tolerance: float = 1e-9,
    time_limit: float | None = None,
) -> BatchedMargin:
    """Return the maximum margin between proved bounds; parameters as in `separatrix.margin`."""
    clock = Clock(time_limit)
    problem = BatchedProblem.of(batches, positive=positive, intercept=fit_intercept)
    return BatchedMarginSearch(problem, kind, exact=exact, tolerance=tolerance, clock=clock).run()


@dataclass(frozen=True)
class _Near:
    """What a block tells of weights: its exact least scores, and the rows that have less than those held."""

    least: Least
    rows: Rows

    def with_(self, other: _Near, most: int) -> _Near:
        """Put together what two parts tell: some of the rows, those with the least scores of all among them."""
        least, rows = lesser(self.least, other.least), Rows.together([self.rows, other.rows])
        first = np.isin(rows.numbers, [row for _, row in (least or {}).values()])
        kept = np.union1d(lowest(rows.scores, rows.problem.y, most), np.flatnonzero(first))
        return _Near(least, rows.at(kept))


def _nearest(problem: Problem, start: int, weights: Dyadic, two: bool, reach: dict[int, float], most: int) -> _Near:
    """Ask a block."""
    least = least_of(problem, start, weights, two)
    assert least is not None
    lifted = Lifted.of(replace(problem, intercept=False) if two else problem)
    scores = scores_of(lifted, weights.part(0, problem.d) if two else weights, by_length=False)
    below = np.zeros(problem.n, bool)
    for label, reached in reach.items():
        below |= (scores < reached) & ((problem.y == label) | (label == 0))
    below[[row - start for _, row in least.values()]] = True
    chosen = np.flatnonzero(below)
    chosen = chosen[lowest(scores[chosen], problem.y[chosen], most)]
    chosen = np.union1d(chosen, [row - start for _, row in least.values()]).astype(np.int64)
    return _Near(least, Rows(start + chosen, scores[chosen], problem.with_rows(chosen)))


class BatchedMarginSearch:
    """The search for the margin of rows in blocks."""

    def __init__(self, problem: BatchedProblem, kind: str, *, exact: bool, tolerance: float, clock: Clock) -> None:
        require_kind(kind, problem.intercept and len(problem.classes) < 2)
        self.problem, self.kind, self.exact, self.tolerance, self.clock = problem, kind, exact, tolerance, clock
        self.two = kind == "geometric" and problem.intercept
        self.deciding = Deciding(problem, clock, two=self.two)
        self.held = self.deciding.held
        self._lower: tuple[Fraction, Dyadic] | None = None
        """The best lower bound of the square, and the weights that attain it."""
        self._upper: Margin | None = None
        """The margin of the rows that were held last; its combination bounds that of all rows."""
        self._inner: MarginSearch | None = None

    @one_thread
    @stoppable
    def run(self) -> BatchedMargin:
        """Find the margin; when time runs out, or on Ctrl-C, what is proved by then."""
        try:
            return self._complete()
        except STOPS as reason:
            interrupted, found = is_kept(reason), self._known()
            if found is None and interrupted:
                raise
            if found is None:
                raise undecided(self.clock) from None
            return found

    def _complete(self) -> BatchedMargin:
        told = self.deciding.settle()
        verdict = self.deciding.verdict(told)
        if not verdict.separable:
            raise no_margin(verdict)
        assert self.deciding.weights is not None
        self._take(self.deciding.weights, told.least)
        exact = False
        while True:
            self.deciding.passes.doing = f"the margin, with {len(self.held):,} rows held"
            self._inner = MarginSearch(
                self.held.problem, self.kind, exact=exact, tolerance=self.tolerance, clock=self.clock
            )  # fmt: skip
            self._upper = self._inner.complete()
            new = self._ask(self._upper.weights)
            found = self._known()
            assert found is not None
            if self._reached(found):
                return found
            exact = self.exact and (not new or found.hi - found.lo <= self.tolerance * found.hi)

    def _take(self, weights: Dyadic, least: Least) -> None:
        """Keep a lower bound if it is better than that before."""
        assert least is not None
        labels = (1, -1) if self.two else (0,)
        direction = weights.part(0, self.problem.d) if self.two else weights
        scores = [least[label][0] for label in labels]
        if sum(scores) > 0:
            found = lower_bound(direction, scores, self.problem.facts.denominator)
            self._lower = found if self._lower is None else max(self._lower, found, key=lambda each: each[0])

    def _ask(self, weights: Dyadic) -> int:
        """Ask all rows for their least scores; hold those with less than the rows held have, and return how many are new."""
        here = least_of(self.held.problem, 0, weights, self.two)
        assert here is not None
        lifted = Lifted.of(replace(self.held.problem, intercept=False) if self.two else self.held.problem)
        scores = scores_of(lifted, weights.part(0, self.problem.d) if self.two else weights, by_length=False)
        reach = {label: float(scores[row]) for label, (_, row) in here.items()}
        most = _MORE_ROWS + _MORE_ROWS_PER_COLUMN * self.problem.width
        parts = (near for _, near in self.deciding.passes.map(_nearest, weights, self.two, reach, most))
        found = reduce(lambda known, near: known.with_(near, _MOST_BLOCKS * most), parts)
        self._take(weights, found.least)
        return self.held.add(found.rows)

    def _known(self) -> BatchedMargin | None:
        """Return the bounds that are proved by now; None if there are none from below."""
        upper = self._upper
        if upper is None and self._lower is not None:
            inner = self._inner or MarginSearch(self.held.problem, self.kind, tolerance=self.tolerance)
            upper = inner.bounds.best_known(self._lower[1])
        if upper is None or self._lower is None:
            return None
        lo_squared, weights = self._lower
        found = BatchedMargin(
            kind=self.kind, lo=root(lo_squared, up=False), hi=upper.hi, lo_squared=lo_squared, hi_squared=upper.hi_squared,
            weights=weights, rows=tuple(self.held.numbers[list(upper.rows)].tolist()), multipliers=upper.multipliers,
            problem=self.problem,
        )  # fmt: skip
        return replace(found, interrupted=not self._reached(found))

    def _reached(self, found: Margin) -> bool:
        return found.squared is not None or (not self.exact and found.hi - found.lo <= self.tolerance * found.hi)
