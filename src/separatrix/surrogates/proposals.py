"""Hyperplanes with fewer and fewer errors, from the quickest to find on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..problem.problem import Problem
from ..problem.rows import filled_in, is_dense, stored
from ..problem.scaled import MAX_DENSE_COLUMNS, ScaledRows
from ..support import progress
from ..support.clock import Clock
from .count_descent import CountDescent
from .newton import LOGISTIC, SQUARED_HINGE, minimised, solved
from .wide_rows import least_squared_violation

_MOST_STEPS, _NUMBERS_OF_STEPS = 60, 10**7
"""Lines that are searched, at most, where there is no limit of time; more of little data, by so many numbers read in all."""

_MOST_FAILURES, _MOST_FAILURES_ON_LITTLE, _MOST_FAILURES_IN_TIME = 15, 100, 1000
"""Lines in a row that may lead nowhere, likewise; on little data; and on little data with a limit of time."""

_LEAST_PASSES, _MOST_PASSES, _NUMBERS_OF_PASSES = 4, 20, 4 * 10**7
"""Passes over wide or sparse rows: the more the fewer numbers they have, by so many numbers read in all."""

_CELLS_FILLED_IN = 2**22
"""Cells up to which sparse rows are taken as dense ones, so that proposals do not depend on how rows are stored."""

_SAMPLED_ROWS, _SAMPLED_ROWS_PER_COLUMN = 20_000, 40
"""Of more rows than this, and so many for each column, losses are minimised over a sample first."""

_STEPS_OF_NEWTON = 10
"""There must be time for so many steps of Newton's method, each of which takes about as long as such a matrix."""

_MOST_PRODUCTS = 2e11
"""Products for one matrix of columns by columns, about ten seconds, beyond which rows count as wide."""

_FEW_PRODUCTS = 5e8
"""Products that it does in no time, whatever the limit."""

_PRODUCTS_PER_SECOND = 1e10
"""What a processor does of them, about."""


class Proposals:
    """An iterator over weights, exact and ready to be counted, each with fewer errors than those before, as floats tell.

    Where a step has come to nothing better it yields None, so that who iterates may look at the clock. It ends when nothing
    better comes; where there is a limit of time, later, and at that limit at the latest. Without one it is a function of
    the rows.

    Parameters
    ----------
    problem : Problem
        The rows.
    costs : array of shape (n,) or None
        What it costs to err on each row; 1 if not given.
    clock : Clock
        The time that it may take.
    """

    def __init__(self, problem: Problem, costs: Floats | None, clock: Clock) -> None:
        if not is_dense(problem.X) and problem.n * problem.d <= _CELLS_FILLED_IN:
            problem = replace(problem, rows=replace(problem.rows, numerators=filled_in(problem.X)))
        with np.errstate(all="ignore"):
            self.rows = ScaledRows(problem, scale_rows=False)  # losses are those of the rows as they are
            self.costs = np.ones(problem.n) if costs is None else costs / costs.max()
        self.clock = clock
        self._rng = np.random.default_rng(0)
        self.descent = CountDescent(self.rows, self.costs, self._rng)
        self._begun = False

    @property
    def errors(self) -> float:
        """What the errors of the last proposal cost, as floats tell, over the largest cost of a row."""
        return self.descent.errors

    def begin_with(self, weights: Dyadic) -> None:
        """Take weights, found otherwise, as the best so far: others must err less."""
        scaled = weights.times_powers(-self.rows.exponents)
        with np.errstate(all="ignore"):
            self.descent.take(scaled.times_power(-scaled.magnitude()).round())
        self._begun = True

    def __iter__(self) -> Iterator[Dyadic | None]:
        starts, steps = self._starts(), 0
        while self.descent.errors:
            with np.errstate(all="ignore"):  # what comes of it is looked at
                w = next(starts, None)
                if w is None:
                    break
                better = self.descent.take(w)
            yield self._proposal() if better else None
        while self.descent.errors and self._goes_on(steps):
            steps += 1
            with np.errstate(all="ignore"):
                better = self.descent.step()
            yield self._proposal() if better else None

    def _proposal(self) -> Dyadic:
        errors = self.descent.errors
        progress.report(lambda: f"a good start: about {errors:,.6g} errors")
        return self.rows.exact(self.descent.best)

    def _goes_on(self, steps: int) -> bool:
        problem = self.rows.problem
        more = _NUMBERS_OF_STEPS // (problem.n * problem.width)
        if self.clock.limit is None:
            patience = min(max(_MOST_FAILURES, more), _MOST_FAILURES_ON_LITTLE)
            return steps < max(_MOST_STEPS, more) and self.descent.failures < patience
        return bool(self.clock.left()) and self.descent.failures < min(
            max(_MOST_FAILURES_ON_LITTLE, more), _MOST_FAILURES_IN_TIME
        )

    def _starts(self) -> Iterator[Floats]:
        """Yield what surrogate losses come to, until the time is up."""
        n, D = self.rows.problem.n, self.rows.width
        products = float(n) * D * D
        left = self.clock.left()
        X = self.rows.problem.X
        wide = D > MAX_DENSE_COLUMNS or products > min(_MOST_PRODUCTS, max(_FEW_PRODUCTS, 0.5 * left * _PRODUCTS_PER_SECOND))
        if wide or not is_dense(X):
            squares = self.rows.squares(self.costs)
            self.descent.spread_by(1.0 / (squares + 1e-9 * float(squares.mean()) + 1e-300))
            if not (wide and self._begun and self.clock.limit is not None):  # else the time is better spent on lines
                passes = min(max(_LEAST_PASSES, _NUMBERS_OF_PASSES // max(1, stored(X))), _MOST_PASSES)
                yield from least_squared_violation(self.rows, self.costs, passes, self.clock, self._rng)
        if wide:
            return
        begun = time.monotonic()
        gram = self.rows.gram(self.costs)
        seconds = time.monotonic() - begun
        w = solved(gram, self.rows.combine(self.costs))
        if w is None:
            return
        yield w
        inverse = solved(gram, np.eye(D))
        if inverse is not None:
            self.descent.spread_by(inverse)
        if not is_dense(X):  # products of columns take long, and the squared hinge loss is done
            return
        if self._begun and self.clock.left() < _STEPS_OF_NEWTON * seconds:  # lines lead farther in so little time
            return
        size = _SAMPLED_ROWS + _SAMPLED_ROWS_PER_COLUMN * D
        few = n <= 2 * size
        sample = None if few else np.sort(self._rng.choice(n, size, replace=False))
        for loss in (LOGISTIC, SQUARED_HINGE):
            start = w
            if sample is not None:
                part = self.rows.part(sample)
                for better in minimised(part, self.costs[sample], loss, w, 8):
                    start = better
                    if not self.clock.left():
                        return
                yield start
            for better in minimised(self.rows, self.costs, loss, start, 10 if few else 2):
                yield better
                if not self.clock.left():
                    return
