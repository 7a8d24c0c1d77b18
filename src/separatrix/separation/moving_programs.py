"""Where the origin lies beside the hull of rows, proposed by linear programs in floating point. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

from .._types import Floats, Indices
from ..problem.rows import stored
from ..support.clock import Clock
from ..support.highs import add_rows, new_solver, run_solver
from .movable_rows import MovableRows

_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN = 50, 4
"""Rows that the first linear program has: so many, and so many for each column besides."""

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 50, 2
"""Violated rows that are added at a time: so many, and so many for each column besides."""

_SECONDS_PER_NUMBER = 3e-7
"""Seconds, about, that a number of a row takes on its way into a linear program."""

_SLACK = 1e-9
"""Scores that fall short by less, over the largest score, are not taken for violations."""


@dataclass(frozen=True)
class Answer:
    """The optimum of a linear program."""

    w: Floats
    """Weights for the floats of the rows."""
    tight: list[int]
    """Rows of the optimal basis."""
    duals: list[float]
    """Their multipliers, about, none of them negative."""


class LeastScore:
    """The linear program: weights with the largest least score, under one condition on those of the inexact columns.

    Either their magnitudes add up to 1 at most, or some of them, with signs, add up to 1. The second may be changed, and the
    program begins from where it was. Columns that are not kept have the weight 0.
    """

    def __init__(self, rows: MovableRows, clock: Clock, kept: Sequence[int] | None = None) -> None:
        self.rows, self.clock = rows, clock
        self._left_out = [] if kept is None else sorted(set(range(rows.width)) - set(kept))
        self.n, self.D = rows.problem.n, rows.width
        self.members: list[int] = []
        self._inside = np.zeros(self.n, bool)
        self._highs = new_solver()
        self._first_row = 0
        self._built = False

    def within_magnitude(self, most: float) -> Answer | None:
        """Solve it for weights of inexact columns whose magnitudes add up to 1 at most; no score needs to be larger."""
        k, D = len(self.rows.inexact), self.D
        self._columns(k, most)
        up = sp.coo_array((np.ones(k), (np.arange(k), self.rows.inexact)), shape=(k, D)).tocsr()
        unit = sp.eye_array(k, format="csr")
        total = sp.hstack([sp.csr_array((1, D)), np.full((1, k), -1.0)])
        conditions = sp.vstack([sp.hstack([up, unit]), sp.hstack([-up, unit]), total], format="csr")
        add_rows(self._highs, conditions, np.append(np.zeros(2 * k), -1.0), highspy.kHighsInf)
        self._first_row = conditions.shape[0]
        return self._solve()

    def along(self, signs: dict[int, int]) -> Answer | None:
        """Solve it for weights that, with these signs in these columns, add up to 1."""
        if not self._built:
            self._columns(0, 0.0)
            self._highs.addRow(1.0, 1.0, self.D, np.arange(self.D, dtype=np.int32), np.full(self.D, 1e-3))
            self._first_row = 1
        for j in range(self.D):
            self._highs.changeCoeff(0, j, float(signs.get(j, 0)))
        return self._solve()

    def _columns(self, extra: int, most: float) -> None:
        """Add the weights, as many more variables, and the least score, which is to be large, but not more than so much.

        Without an end to it, few rows of many would have no optimum.
        """
        count, endless = self.D + extra + 1, highspy.kHighsInf
        cost = np.append(np.zeros(count - 1), -1.0)
        nothing = np.zeros(0, np.int32)
        free = np.full(count, endless)
        free[self._left_out] = 0.0
        least, free[-1] = -free, most
        self._highs.addCols(count, cost, least, free, 0, np.zeros(count, np.int32), nothing, np.zeros(0))
        self._built = True

    def _add(self, rows: Indices) -> None:
        """Add rows, if there is time to hand them over, which cannot be interrupted."""
        self.clock.check(_SECONDS_PER_NUMBER * len(rows) * stored(self.rows.problem.X) / self.n)
        Z, width, count = self.rows.take(rows), self._highs.getNumCol(), len(rows)
        least = sp.coo_array(
            (np.full(count, -1.0), (np.arange(count), np.full(count, width - self.D - 1))), shape=(count, width - self.D)
        )
        whole = sp.hstack([sp.csr_array(Z), least], format="csr")
        add_rows(self._highs, whole, np.zeros(count), highspy.kHighsInf)
        self.members += rows.tolist()
        self._inside[rows] = True

    def _solve(self) -> Answer | None:
        if not self.members:
            most = _FIRST_ROWS + _FIRST_ROWS_PER_COLUMN * self.D
            rng = np.random.default_rng(0)
            self._add(np.arange(self.n) if self.n <= most else np.sort(rng.choice(self.n, most, replace=False)))
        while True:
            if not run_solver(self._highs, self.clock):
                return None
            answer, least = self._answer()
            if len(self.members) == self.n:
                return answer
            scores = self.rows.scores(answer.w)
            short = least - scores
            violated = np.flatnonzero(~self._inside & (short > _SLACK * np.abs(scores).max()))
            if not violated.size:
                return answer
            most = _MORE_ROWS + _MORE_ROWS_PER_COLUMN * self.D
            self._add(violated[np.argsort(-short[violated])[:most]])

    def _answer(self) -> tuple[Answer, float]:
        solution, basis = self._highs.getSolution(), self._highs.getBasis()
        values: Any = np.array(solution.col_value)
        duals = np.array(solution.row_dual)[self._first_row :]
        basic = highspy.HighsBasisStatus.kBasic
        tight = [k for k, status in enumerate(basis.row_status[self._first_row :]) if status != basic]
        return (
            Answer(values[: self.D], [self.members[k] for k in tight], [max(0.0, float(duals[k])) for k in tight]),
            float(values[-1]),
        )


def best_along(rows: MovableRows, j: int) -> Floats:
    """Return the weights of a single column, with the intercept that serves them best: what there is without a program."""
    w = np.zeros(rows.width)
    w[j] = 1.0
    if rows.problem.intercept:
        scores, y = rows.scores(w), rows.problem.y
        above, below = scores[y > 0].min(initial=np.inf), scores[y < 0].min(initial=np.inf)
        w[-1] = (below - above) / 2 if np.isfinite(above + below) else 0.0
    return w
