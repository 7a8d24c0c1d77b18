"""Hyperplanes of the least total violation, proposed in floating point.

The violation of a row is what its score lacks to 1: ``max(0, 1 - z.w)``. The weighted sum over the rows is minimised by its
dual linear program, which has one constraint for each weight and one bounded multiplier for each row:

    maximise sum a_i  over  sum a_i z_i = 0,  0 <= a_i <= c_i.

Where there are many rows, most multipliers are known once a good hyperplane is: c_i for rows clearly violated, 0 for rows
clearly not. Only rows near the kink, where ``z.w`` is about 1, need be in the program. To take the others' violations for
linear can only lower the sum, so that an optimum of the smaller program that has them on their presumed side is one of all.
"""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from ..._types import Floats, Indices
from ...exact.dyadic import Dyadic
from ...problem.problem import Problem
from ...problem.scaled import ScaledRows
from ...support import progress
from ...support.blas import one_thread
from ...support.clock import Clock, OutOfTime
from ...support.highs import new_solver, run_solver, sparse_parts
from .violation_descent import ViolationDescent

_ROWS_PER_PROGRAM = 4000
"""Rows of a linear program that has some of the rows only, unless there are many columns."""

_MAX_COLUMNS_FOR_SIMPLEX = 100
"""Columns beyond which an interior point method is faster than the simplex method."""

_NUMBERS_AT_ONCE = 2**20
"""Numbers of rows that a program takes up at a time: between them Ctrl-C is heard."""

_SECONDS_PER_CUBE = 5e-9
"""Seconds that a solver takes for a program of as many rows and columns, about, over the cube of their number."""

_MAX_SECONDS = 1200.0
"""Seconds from which on a program is not given to a solver."""

_MAX_PARTIAL_PROGRAMS = 60
"""Programs with some of the rows that are tried before one with all."""

_DOUBTFUL_SCORE = 1e-6
"""A score, of rows of which the nearest should score 1, whose sign is not told by floating point."""

_KINK_TOLERANCE = 1e-9
"""What the score of a row may be beyond the kink for the row still to count as on its presumed side."""


class LeastViolation:
    """The search for weights that minimise the sum of ``c_i max(0, 1 - z_i.w)``, and the best that it has come to.

    Where time is limited, or the program too large for any solver, coordinate descent finds good weights first.
    """

    def __init__(self, problem: Problem, costs: Floats, clock: Clock) -> None:
        self.rows = ScaledRows(problem, scale_rows=False)  # a violation counts in the units of its row
        self.clock = clock
        self._program = _Violations(self.rows, costs / costs.max(), clock)
        self._descent = ViolationDescent(self.rows, costs / costs.max())
        self.solvable = _seconds_to_solve(problem) < _MAX_SECONDS
        """Whether the program is of a size that a solver comes to an end with."""
        self.ill_conditioned = False
        """Whether the solver gave up."""

    @property
    def _best(self) -> Floats | None:
        known = [(self._program.least, self._program.best), (self._descent.least, self._descent.best)]
        return min(known, key=lambda pair: pair[0])[1]

    @property
    def best(self) -> Dyadic | None:
        """The best weights known; None if there are none yet."""
        w = self._best
        return None if w is None else self.rows.exact(w)

    @property
    def may_separate(self) -> bool:
        """Whether the best weights separate the rows, as far as floating point tells."""
        w = self._best
        return w is not None and bool(self.rows.scores(w).min() > -_DOUBTFUL_SCORE)

    @one_thread
    def run(self) -> bool:
        """Search for the optimum; return whether it was found. Raises `OutOfTime` if the time is up before."""
        problem, limited = self.rows.problem, self.clock.limit is not None
        if limited or not self.solvable:
            solvable = self.solvable and _seconds_to_solve(problem) < self.clock.left()
            self.descend(Clock(self.clock.left() / 4) if solvable else self.clock)
            if not solvable:
                return False
        size = max(_ROWS_PER_PROGRAM, 20 * self.rows.width)
        w = self._program.sift(size) if problem.n > 2 * size else None
        if w is None:
            w = self._program.solve(np.arange(problem.n), costs=self._program.costs)
        if w is None:
            self.ill_conditioned = True
            return False
        self._program.best, self._program.least = w, -np.inf  # no other is better
        return True

    def descend(self, clock: Clock) -> None:
        """Find good weights, as far as the time allows."""
        try:
            self._descent.run(clock)
        except OutOfTime:
            self.clock.check()


def _seconds_to_solve(problem: Problem) -> float:
    """Guess how long a solver takes at least: factorisations of matrices, of as many rows as there are rows or columns."""
    return _SECONDS_PER_CUBE * float(min(problem.n, problem.width)) ** 3


class _Violations:
    """The violations of all rows, and programs that minimise their sum."""

    def __init__(self, rows: ScaledRows, costs: Floats, clock: Clock) -> None:
        self.rows, self.costs, self.clock = rows, costs, clock
        self.best: Floats | None = None
        self.least = np.inf

    def lacking(self, w: Floats) -> Floats:
        """Return what the scores lack to 1; negative where they exceed it."""
        return 1.0 - self.rows.scores(w)

    def total(self, lacking: Floats) -> float:
        """Add up the violations."""
        return float(self.costs @ np.maximum(lacking, 0.0))

    def solve(
        self,
        members: Indices,
        *,
        costs: Floats,
        linear: NDArray[np.bool_] | None = None,
        centre: Floats | None = None,
        reach: float = np.inf,
    ) -> Floats | None:
        """Minimise over the violations of some rows, and of others taken for linear, within reach of a centre.

        None if the solver gave up.
        """
        D = self.rows.width
        w = np.zeros(D) if centre is None else centre
        others = np.zeros(D) if linear is None else -self.rows.combine(np.where(linear, self.costs, 0.0))
        highs = new_solver()
        highs.setOptionValue("solver", "ipm" if D > _MAX_COLUMNS_FOR_SIMPLEX else "simplex")
        nothing = np.zeros(0, np.int32)
        highs.addRows(D, others, others, 0, np.zeros(D, np.int32), nothing, np.zeros(0))
        gains = self.lacking(w)[members]
        step = max(1, _NUMBERS_AT_ONCE // D)
        for start in range(0, len(members), step):
            self.clock.check()
            some, part = slice(start, start + step), members[start : start + step]
            parts = sparse_parts(self.rows.take(part))
            highs.addCols(len(part), -gains[some], np.zeros(len(part)), costs[part], *parts)
        if np.isfinite(reach):  # a multiplier for each of the bounds -reach <= w_j - centre_j <= reach
            places = np.arange(D, dtype=np.int32)
            for sign in (1.0, -1.0):
                unbounded = np.full(D, highspy.kHighsInf)
                highs.addCols(D, np.full(D, reach), np.zeros(D), unbounded, D, places, places, np.full(D, sign))
        slices = [0.0] if D > _MAX_COLUMNS_FOR_SIMPLEX else []  # interior points begin anew after a slice
        if not run_solver(highs, self.clock, *slices, kept=False):
            return None
        found: Floats = w - np.array(highs.getSolution().row_dual)
        return found

    def sift(self, size: int) -> Floats | None:
        """Minimise the total by programs with about so many rows; None if that does not come to an end."""
        w = self._sampled(size)
        if w is None:
            return None
        lacking = self.lacking(w)
        best = self.total(lacking)
        self.best, self.least = w, best
        members = _nearest(lacking, size)
        reach = 0.125 * float(np.abs(w).max()) or 1.0
        for _ in range(_MAX_PARTIAL_PROGRAMS):
            progress.report(lambda: f"a linear program with {np.count_nonzero(members):,} rows")  # noqa: B023 (called at once)
            linear = ~members & (lacking > 0.0)
            u = self.solve(np.flatnonzero(members), costs=self.costs, linear=linear, centre=w, reach=reach)
            if u is None:
                return None
            lacks = self.lacking(u)
            wrong = ~members & (np.where(linear, -lacks, lacks) > _KINK_TOLERANCE)
            found = self.total(lacks)
            bounded = bool(np.any(np.abs(u - w) > (1.0 - 1e-9) * reach))
            if not wrong.any() and not bounded:
                return u
            if found < best or not wrong.any():
                w, lacking, best = u, lacks, found
                if found < self.least:
                    self.best, self.least = u, found
                members = _nearest(lacking, size)
                reach *= 2.0 if bounded and np.count_nonzero(wrong) < size // 4 else 1.0
            elif np.count_nonzero(wrong) <= size:
                members |= wrong
            else:
                reach /= 4.0
        return None

    def _sampled(self, size: int) -> Floats | None:
        """Minimise over a random sample, half of it from either class."""
        rng, y = np.random.default_rng(0), self.rows.problem.y
        costs, chosen = self.costs.copy(), []
        for label in (-1.0, 1.0):
            side = np.flatnonzero(y == label)
            some = rng.choice(side, min(size // 2, len(side)), replace=False)
            costs[some] *= len(side) / max(1, len(some))
            chosen.append(some)
        return self.solve(np.sort(np.concatenate(chosen)), costs=costs)


def _nearest(lacking: Floats, size: int) -> NDArray[np.bool_]:
    """Tell the rows nearest to the kink."""
    members = np.zeros(len(lacking), bool)
    members[np.argpartition(np.abs(lacking), size)[:size]] = True
    return members
