"""Descent on the number of errors: hyperplanes moved along lines to where fewest rows are wrong.

In floating point: it proposes. Along a line ``w + a v`` each row changes its side at one place; sorting these places gives
the errors everywhere on the line, and its best stretch (random coordinate descent, Li and Lin 2007). Lines along which some
of the nearest rows keep their side search the hyperplanes through combinations of rows that Nguyen and Sanner (2013)
enumerate.
"""

from __future__ import annotations

import time

import numpy as np

from .._types import Floats

_LINES_PER_DIMENSION = 10
"""Lines to try for each dimension of the space before the walk begins anew."""

_LONGEST_THROWS = (0.03, 0.1, 0.3, 1.0)
"""How far to be thrown at most, over the length of the weights, when no line leads down: one of these, drawn at random."""


class Descent:
    """A walk over hyperplanes for points with costs, which keeps the best one."""

    def __init__(self, points: Floats, costs: Floats, rng: np.random.Generator) -> None:
        self.points = points
        self.costs = costs
        self.rng = rng
        self.best = np.zeros(points.shape[1])
        self.errors = float(costs.sum())

    def start(self, w: Floats) -> None:
        """Consider a hyperplane, and go on from it if it is not worse than the best."""
        length = float(np.linalg.norm(w))
        if not np.isfinite(length) or not length:
            return
        errors = float(self.costs[self.points @ w <= 0.0].sum())
        if errors <= self.errors:
            self.best, self.errors = w / length, errors

    def walk(self, end: float) -> None:
        """Try lines until a time, again and again from the best hyperplane, thrown off it if no line led down from there."""
        thrown = False
        while time.monotonic() < end:
            before = self.errors
            self._go_down(self._thrown() if thrown else self.best, end)
            thrown = self.errors == before

    def _go_down(self, w: Floats, end: float) -> None:
        """Try as many lines as the space has dimensions, some times over."""
        scores = self.points @ w
        errors = float(self.costs[scores <= 0.0].sum())
        for _ in range(_LINES_PER_DIMENSION * w.size):
            if time.monotonic() > end:
                return
            v = self._direction(w, scores)
            slopes = self.points @ v
            a, reached = self._along(scores, slopes)
            if reached > errors:
                continue
            w, scores, errors = w + a * v, scores + a * slopes, reached
            if errors <= self.errors:
                self.start(w)
                scores = self.points @ w
                errors = float(self.costs[scores <= 0.0].sum())

    def _thrown(self) -> Floats:
        """Return a hyperplane not far from the best one."""
        noise = self.rng.standard_normal(self.best.size)
        return self.best + self.rng.choice(_LONGEST_THROWS) * self.rng.random() * noise / np.linalg.norm(noise)

    def _direction(self, w: Floats, scores: Floats) -> Floats:
        """Draw a line: along an axis, anywhere, towards a row, or such that some of the nearest rows keep their side."""
        r = w.size
        kind = self.rng.integers(4)
        if kind == 0:
            v = np.zeros(r)
            v[self.rng.integers(r)] = 1.0
            return v
        v = self.rng.standard_normal(r)
        if kind == 1:
            return v
        near = np.abs(scores)
        few = np.argpartition(near, min(len(near), 4 * r) - 1)[: 4 * r]
        if kind == 2:
            return self.points[self.rng.choice(few)] + 0.0
        held = self.points[self.rng.choice(few, min(len(few), int(self.rng.integers(1, max(2, r)))), replace=False)]
        Q, _ = np.linalg.qr(held.T)
        return v - Q @ (Q.T @ v)

    def _along(self, scores: Floats, slopes: Floats) -> tuple[float, float]:
        """Return where on the line fewest errors are, on one of the best stretches, and how many."""
        moving = np.flatnonzero(np.abs(slopes) > 1e-12)
        if not moving.size:
            return 0.0, np.inf
        places = -scores[moving] / slopes[moving]
        order = np.argsort(places)
        places, moving = places[order], moving[order]
        rising = slopes[moving] > 0.0
        costs = self.costs[moving]
        still = np.abs(slopes) <= 1e-12
        before = float(costs[rising].sum()) + float(self.costs[still & (scores <= 0.0)].sum())
        errors = before + np.concatenate([[0.0], np.cumsum(np.where(rising, -costs, costs))])
        ends = np.concatenate([[places[0] - 2.0], places, [places[-1] + 2.0]])
        wide = np.diff(ends) > 1e-11 * (1.0 + np.abs(ends[:-1]))
        errors[~wide] = np.inf
        least = errors.min()
        best = np.flatnonzero(errors == least)
        k = int(self.rng.choice(best))
        return 0.5 * float(ends[k] + ends[k + 1]), float(least)
