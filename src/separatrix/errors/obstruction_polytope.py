"""Obstructions proposed in floating point: of least cost, or of light rows; and hyperplanes with them.

An obstruction is ``lambda >= 0`` with ``sum lambda_i z_i = 0``. Scaled to ``sum lambda_i = 1``, obstructions are the points
of a polytope whose corners are the minimal ones, of at most D + 1 rows. The simplex method goes from corner to corner: to
the least ``sum cost_i lambda_i``, which comes with weights that separate the better the less rows cost; or down the sum of
loads over the rows that a corner has, however small its multipliers.
"""

from __future__ import annotations

import numpy as np

from .._types import Floats, Indices
from ..compiled.simplex import LEAST_LEVEL, PivotStop, Tableau, improve, lighten
from ..support.clock import Clock

_PIVOTS_PER_INVERSE = 50
"""Pivots after which the inverse is computed anew, lest errors add up."""

_MAX_INVERSES_PER_QUESTION = 400
"""Times that the inverse is computed anew before the search for one obstruction is given up."""

_MAX_CORNERS = 40
"""Corners to go through on the way to a lighter one, at most."""

_MAX_PRODUCTS_PER_LOOK = 5e6
"""Products for a look at all neighbours of a corner, some milliseconds; where it would take more, some are looked at."""


class Oracle:
    """The polytope of the obstructions of points ``z_i``, which span their space: given are the rows ``(z_i, 1)``."""

    def __init__(self, columns: Floats, rng: np.random.Generator, clock: Clock) -> None:
        self._rng = rng
        self._clock = clock
        self._columns = columns
        m, size = columns.shape
        self._basis = m + np.arange(size)
        self._inverse = np.eye(size)
        self._level = np.append(np.zeros(size - 1), 1.0)
        self._prices = np.zeros(size)
        self._tableau = Tableau(self._basis, self._inverse, self._level, np.zeros(size))
        solved = self._solve(np.zeros(m), 1.0)
        self.exists = solved and float(self._level[self._basis >= m].sum()) < LEAST_LEVEL
        """Whether there is any obstruction, as far as floating point can tell."""

    @property
    def weights(self) -> Floats:
        """The weights that came with the last answer of `cheapest`."""
        return -self._prices[:-1]

    def cheapest(self, costs: Floats) -> Indices | None:
        """Return the rows of an obstruction with the least sum of costs times multipliers; None if floats give up."""
        return self._support() if self._solve(costs, 0.0) else None

    def lighter(self, loads: Floats) -> Indices:
        """Return the rows of an obstruction near the last one whose loads add up to little."""
        m, size = self._columns.shape
        candidates = np.arange(m)
        if m * size * size > _MAX_PRODUCTS_PER_LOOK:  # the lightest, and some others
            half = max(1, int(_MAX_PRODUCTS_PER_LOOK / size**2 / 2))
            light = np.argpartition(loads, min(half, m - 1))[:half]
            candidates = np.union1d(light, self._rng.integers(m, size=half))
        lighten(self._columns, loads, candidates, self._tableau, _MAX_CORNERS)
        self._refresh()
        return self._support()

    def _support(self) -> Indices:
        return self._basis[(self._level > LEAST_LEVEL) & (self._basis < len(self._columns))].copy()

    def _solve(self, costs: Floats, artificial: float) -> bool:
        for _ in range(_MAX_INVERSES_PER_QUESTION):
            self._clock.check()
            answer = improve(self._columns, costs, artificial, self._tableau, self._prices, _PIVOTS_PER_INVERSE)
            if answer != PivotStop.LIMITED:
                return bool(answer == PivotStop.OPTIMAL)
            self._refresh()
        return False

    def _refresh(self) -> None:
        """Compute the inverse and the levels from the basis alone."""
        m, size = len(self._columns), len(self._basis)
        B = np.zeros((size, size))
        real = self._basis < m
        B[:, real] = self._columns[self._basis[real]].T
        B[self._basis[~real] - m, np.flatnonzero(~real)] = 1.0
        try:
            self._inverse[:] = np.linalg.inv(B)
        except np.linalg.LinAlgError:  # what there is must do: whatever comes of it is checked
            return
        self._level[:] = np.maximum(self._inverse[:, -1], 0.0)
