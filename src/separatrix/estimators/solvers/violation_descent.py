"""Hyperplanes of little violation for data of any size, by coordinate descent: quick, and not the least.

To the violations ``sum c_i max(0, 1 - z_i.w)`` a small multiple of ``||w||^2`` is added. The dual problem then has one
multiplier for each row, between 0 and a bound, and no constraint besides, so that one after the other can be set to what is
best for it (Hsieh et al. 2008): a pass costs as much as reading the rows. The multiple is made smaller step by step.
"""

from __future__ import annotations

import numpy as np

from ..._types import Floats
from ...compiled.descent import descend
from ...problem.rows import stored
from ...problem.scaled import ScaledRows
from ...support import progress
from ...support.clock import Clock

_MAX_PASSES = 100
"""Passes after which what is found by then must do."""

_MIN_PASSES = 4
"""Passes for each multiple of the squared length, at least."""

_LEAST_GAIN = 0.01
"""What a pass must gain, relative to the violations, for another one with the same multiple; and each multiple, for the
next."""

_NUMBERS_BETWEEN_LOOKS = 5_000_000
"""Numbers that are read before the clock is looked at again."""


class ViolationDescent:
    """Coordinate descent, and the best weights that it has come to."""

    def __init__(self, rows: ScaledRows, costs: Floats) -> None:
        self.rows, self.costs = rows, costs
        self.best: Floats | None = None
        """Weights for the scaled columns."""
        self.least = np.inf
        """What they violate, at the costs."""

    def run(self, clock: Clock) -> None:
        """Descend until little is gained any more; raises `OutOfTime` if the time is up before.

        There are weights in any case: some rows are always looked at.
        """
        kernel_rows, squares = self.rows.for_loops()
        n = self.rows.problem.n
        size = max(1, _NUMBERS_BETWEEN_LOOKS * n // max(1, stored(self.rows.problem.X)))
        bound = self.costs.sum() / max(float(self.costs @ squares), 1e-300)  # where a row alone would come to a score of 1
        multipliers, w, total = np.zeros(n), np.zeros(self.rows.problem.d + 1), np.zeros(self.rows.problem.d + 1)
        rng = np.random.default_rng(0)
        before, last, passes = np.inf, np.inf, 0
        for done in range(_MAX_PASSES):
            order, most = rng.permutation(n), bound * self.costs
            for start in range(0, n, size):
                descend(kernel_rows, order[start : start + size], squares, most, multipliers, w)
                if self.best is None:
                    self._tried(w)
                clock.check()
            passes += 1
            total = w.copy() if passes <= 2 else total + w  # the first pass after a change is far from the others
            violated = min(self._tried(w), self._tried(total / max(1, passes - 1)))
            progress.report(lambda: f"coordinate descent, {done + 1} passes: violation {self.least:.6g}")  # noqa: B023 (at once)
            if passes >= _MIN_PASSES and violated > (1.0 - _LEAST_GAIN) * last:
                if self.least > (1.0 - _LEAST_GAIN) * before:
                    return
                bound, before, passes, last = 2.0 * bound, self.least, 0, np.inf
            else:
                last = violated

    def _tried(self, w: Floats) -> float:
        """Return what weights violate, and keep them if they are the best."""
        weights = w[: self.rows.width]
        lacking = 1.0 - self.rows.scores(weights)
        violated = float(self.costs @ np.maximum(lacking, 0.0))
        if violated < self.least:
            self.best, self.least = weights.copy(), violated
        return violated
