"""Descent on the number of errors itself: a hyperplane is moved along lines to where fewest rows are wrong.

Along a line ``w + a v`` each row changes its side at one place. Sorting these places gives the number of errors everywhere
on the line. The line is that along which rows near the hyperplane, on either side, are turned to their correct side: the
slope of a count that is smoothed over a window of scores. Windows of several widths take turns, and where none leads down,
lines are drawn with some of the rows in the window only.
"""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..problem.scaled import ScaledRows

_WINDOWS = (0.3, 0.1, 0.03, 0.6, 0.01)
"""Shares of the rows that are in the window, one after the other."""

_DRAWN = (0.5, 0.1, 0.02)
"""Shares of the rows in the window that a line is drawn with, if those of all do not lead down."""

_FEWEST_IN_WINDOW = 4
"""Rows in the window, at least."""

_SAMPLE = 20_000
"""Rows from which the width of the window is told."""

_BITS = 26
"""Weights are rounded to so many bits, lest the last ones be seen, which depend on the order of sums."""

_MAX_NUMBERS_FOR_DRIFT = 10**6
"""Numbers in the rows up to which the hyperplane drifts where errors are no more, if it cannot go where they are fewer."""

_MOMENTUM = 0.7
"""How much of the last line is in the next one, if it led down."""


def shortened(w: Floats) -> Floats:
    """Round weights to a few bits."""
    mantissas, exponents = np.frexp(w)
    short: Floats = np.ldexp(np.round(mantissas * 2.0**_BITS), exponents - _BITS)
    return short


class CountDescent:
    """The best weights so far, and a way on from there.

    Parameters
    ----------
    rows : ScaledRows
        The rows.
    costs : array of shape (n,)
        What it costs to err on each.
    rng : Generator
        The source of lines.
    """

    def __init__(self, rows: ScaledRows, costs: Floats, rng: np.random.Generator) -> None:
        self.rows, self.costs, self.rng = rows, costs, rng
        self.best = np.zeros(rows.width)
        """Weights for the scaled columns."""
        self.errors = float(costs.sum())
        """What their errors cost."""
        self.failures = 0
        """Lines in a row that led nowhere."""
        self._scores = np.zeros(len(costs))
        self._last: Floats | None = None
        self._spread: Floats | None = None
        self._window = 0
        self._drifts = rows.problem.n * rows.width <= _MAX_NUMBERS_FOR_DRIFT

    def spread_by(self, inverse: Floats) -> None:
        """Say how far scores spread: slopes are multiplied by the inverse of the matrix of products, or of its diagonal."""
        self._spread = inverse

    def take(self, w: Floats, drifting: bool = False) -> bool:
        """Go on from some weights if they err less, or, drifting, no more; return whether they err less."""
        if not np.all(np.isfinite(w)) or not np.any(w):
            return False
        w = shortened(w / np.abs(w).max())
        scores = self.rows.scores(w)
        errors = float(self.costs[~(scores > 0.0)].sum())
        if errors > self.errors or not (drifting or errors < self.errors):
            return False
        fewer = errors < self.errors
        self.best, self.errors, self._scores = w, errors, scores
        if fewer:
            self.failures, self._last = 0, None
        return fewer

    def step(self) -> bool:
        """Search a line for fewer errors; return whether there were."""
        slope, width = self._slope()
        v = slope if self._spread is None else self._spread @ slope if self._spread.ndim == 2 else self._spread * slope
        length = float(np.abs(v).max(initial=0.0))
        if not 0.0 < length < np.inf:
            return self._failed()
        v = v / length
        if self._last is not None:
            v = v + _MOMENTUM * self._last
        slopes = self.rows.scores(v)
        typical = float(np.abs(slopes[:_SAMPLE]).mean())
        if not 0.0 < typical < np.inf:
            return self._failed()
        found = self._along(slopes, 2.0 * width / typical)
        if found is None or not self.take(self.best + found * v, self._drifts):
            return self._failed()
        self._last = v
        return True

    def _failed(self) -> bool:
        self.failures += 1
        self._last = None
        self._window = (self._window + 1) % len(_WINDOWS)
        return False

    def _slope(self) -> tuple[Floats, float]:
        """Return the slope of the smoothed count, as weights that lower it, and the width of the window."""
        near = np.abs(self._scores)
        some = near if near.size <= _SAMPLE else near[self.rng.integers(near.size, size=_SAMPLE)]
        place = min(max(int(_WINDOWS[self._window] * some.size), _FEWEST_IN_WINDOW), some.size - 1)
        width = float(np.partition(some, place)[place])
        if not width > 0.0:
            return np.zeros(self.rows.width), 0.0
        inside = np.flatnonzero(near < width)
        if self.failures >= len(_WINDOWS):
            share = _DRAWN[int(self.rng.integers(len(_DRAWN)))]
            inside = inside[self.rng.random(inside.size) < max(share, 1.0 / max(1, inside.size))]
        pull = np.zeros(near.size)
        pull[inside] = self.costs[inside] * (1.0 - (near[inside] / width) ** 2)
        return self.rows.combine(pull), width

    def _along(self, slopes: Floats, reach: float) -> float | None:
        """Return where on the line, within reach, fewest errors are, if they are fewer: amid the widest such stretch.

        Where they are no fewer, but no more: amid any such stretch, if the hyperplane drifts.
        """
        places = -self._scores / slopes
        near = np.flatnonzero(np.abs(places) <= reach)
        if not near.size:
            return None
        order = np.argsort(places[near])
        near = near[order]
        places, costs, rising = places[near], self.costs[near], slopes[near] > 0.0
        wrong = ~(self._scores[near] > 0.0)
        first = self.errors - float(costs[wrong].sum()) + float(costs[rising].sum())
        errors = first + np.concatenate([[0.0], np.cumsum(np.where(rising, -costs, costs))])
        widths = np.diff(np.concatenate([[-reach], places, [reach]]))
        errors[widths <= 1e-9 * reach] = np.inf
        least = float(errors.min())
        if least < self.errors * (1.0 - 1e-12):
            k = int(np.argmax(np.where(errors == least, widths, -1.0)))
        elif self._drifts and least <= self.errors:
            k = int(self.rng.choice(np.flatnonzero(errors == least)))
        else:
            return None
        start = -reach if k == 0 else float(places[k - 1])
        return start + 0.5 * float(widths[k])
