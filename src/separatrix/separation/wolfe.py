"""The points of convex hulls that are nearest to each other, in floating point: proposed, and never trusted.

For the lifted margin it is the point nearest to the origin in the hull of the ``z_i``, for the geometric one the two nearest
points of the hulls of the classes. Either way ``v = sum lambda_i z_i`` is to be as short as possible, with multipliers that
are not negative and add up to 1 in each *group*: one group of all rows, or one for each class and ``z_i`` without its
constant. Wolfe's method (1976): keep affinely independent rows and the shortest affine combination of them; let a row
enter that has a smaller score under ``v`` than those of its group; if a multiplier would turn negative, go as far as it
allows and let that row leave. Rows enter from a working set, which takes up the lowest of all rows in each round.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._types import Floats, Indices
from ..problem.problem import Problem
from ..problem.rows import affine_scores, filled_in, lift, times_powers
from ..support.blas import one_thread

_MAX_EXPONENT = 300
"""The largest exponent by which rows are scaled on the fly; beyond it they are copied, lest products overflow."""

_MAX_ROUNDS = 1000
"""Rounds, each of which takes rows into the working set, after which what is found by then must do."""

_ROWS_PER_COLUMN = 40
"""Rows of the working set, for each column, from which on those without a multiplier are let go."""

_ROWS_PER_ROUND = 150
"""Rows of each group that a round takes into the working set, at least."""


class Hulls:
    """The rows of a problem, in groups, scaled by one power of two to about 1."""

    def __init__(self, problem: Problem, classes: bool) -> None:
        last = 0.0 if classes else float(problem.constant)
        largest = max(problem.measures.largest, last)
        self.shift = -int(np.frexp(largest)[1]) if largest else 0
        self.problem = problem
        self.classes = classes and problem.intercept
        self._X, self._scale = problem.X, 1.0
        if abs(self.shift) <= _MAX_EXPONENT:
            self._scale = 2.0**self.shift  # applied on the fly
        else:
            self._X = times_powers(problem.X, self.shift)
        self._constant = float(np.ldexp(last, self.shift))

    def groups(self, rows: Indices | slice) -> Indices:
        """Return the group of some rows."""
        if not self.classes:
            return np.zeros(self.problem.y[rows].shape, np.int64)
        return (self.problem.y[rows] < 0).astype(np.int64)

    def take(self, rows: Indices) -> Floats:
        """Return some rows, dense."""
        return filled_in(lift(filled_in(self._X[rows]) * self._scale, self.problem.y[rows], self._constant))

    def scores(self, v: Floats) -> Floats:
        """Scores of all rows."""
        d = self.problem.d
        scores = affine_scores(self._X, np.append(v[:d] * self._scale, v[d:]), self._constant)
        scores *= self.problem.y
        return scores

    def first(self) -> Indices:
        """Return a row of each group to begin with: the lowest on the line through the means."""
        y = self.problem.y
        mean = np.asarray(self._X.T @ (y * self._scale)).ravel() / len(y)
        scores = self.scores(np.append(mean, y.mean() * self._constant) if self._constant else mean)
        return self.lowest(scores, 1)

    def lowest(self, scores: Floats, count: int) -> Indices:
        """Return so many rows of each group, those with the lowest scores."""
        found = []
        for group in range(1 + self.classes):
            rows = np.flatnonzero(self.problem.y < 0 if group else self.problem.y > 0) if self.classes else None
            some = scores if rows is None else scores[rows]
            k = min(count, some.size)
            low = np.argpartition(some, k - 1)[:k] if k < some.size else np.arange(some.size)
            found.append(low if rows is None else rows[low])
        return np.concatenate(found)

    @one_thread
    @np.errstate(all="ignore")
    def nearest(self, tolerance: float) -> tuple[Indices, Floats]:
        """Return rows and multipliers, to within about the relative tolerance."""
        rows = self.first()
        chosen = _Chosen(self.take(rows), self.groups(rows))
        best = np.inf
        for _ in range(_MAX_ROUNDS):
            v = chosen.point()
            scores = self.scores(v)
            least = sum(float(scores[self.lowest(scores, 1)][g]) for g in range(1 + self.classes))
            length = float(v @ v)
            if length - least <= tolerance * length or length >= best:
                break
            best = length
            more = np.setdiff1d(self.lowest(scores, max(_ROWS_PER_ROUND, 2 * self.problem.d // (1 + self.classes))), rows)
            kept = np.arange(len(rows)) if len(rows) < _ROWS_PER_COLUMN * len(v) else chosen.kept
            rows = np.concatenate([rows[kept], more])
            chosen = chosen.with_rows(kept, self.take(more), self.groups(more))
            chosen.shorten(tolerance / 4)
        kept = chosen.kept
        return rows[kept], chosen.multipliers[kept]


class _Chosen:
    """A working set of rows, and the shortest convex combination of some of them."""

    def __init__(self, Z: Floats, groups: Indices) -> None:
        self.Z, self.groups = Z, groups
        self.multipliers = np.zeros(len(Z))
        for group in np.unique(groups):
            self.multipliers[np.flatnonzero(groups == group)[0]] = 1.0

    @property
    def kept(self) -> Indices:
        """The rows with a multiplier."""
        return np.flatnonzero(self.multipliers)

    def with_rows(self, kept: Indices, Z: Floats, groups: Indices) -> _Chosen:
        """Return the rows that are kept, and others."""
        chosen = _Chosen.__new__(_Chosen)
        chosen.Z, chosen.groups = np.vstack([self.Z[kept], Z]), np.concatenate([self.groups[kept], groups])
        chosen.multipliers = np.concatenate([self.multipliers[kept], np.zeros(len(Z))])
        return chosen

    def point(self) -> Floats:
        """Return the combination."""
        return self.multipliers @ self.Z

    def shorten(self, tolerance: float) -> None:
        """Make the combination as short as these rows allow."""
        for _ in range(20 * len(self.Z) + 100):
            v = self.point()
            scores = self.Z @ v
            kept = self.kept
            above = np.empty(len(scores))
            for group in np.unique(self.groups):
                mine = self.groups == group
                above[mine] = scores[mine] - scores[kept[self.groups[kept] == group]].min()
            entering = int(np.argmin(above))
            if above[entering] >= -tolerance * float(v @ v) or self.multipliers[entering] or not self._enter(entering):
                return

    def _enter(self, entering: int) -> bool:
        """Let a row enter; return whether that made the combination shorter."""
        before = float(self.point() @ self.point())
        saved = self.multipliers.copy()
        active = np.append(self.kept, entering)
        while True:
            target = self._affine(active)
            if not np.isfinite(target).all():
                self.multipliers = saved
                return False
            negative = target <= 0.0
            if not negative.any():
                self.multipliers[active] = target
                break
            now = self.multipliers[active]
            steps = now[negative] / (now[negative] - target[negative])
            step = float(steps.min())
            moved = now + step * (target - now)
            moved[np.flatnonzero(negative)[steps <= step]] = 0.0
            self.multipliers[active] = np.maximum(moved, 0.0)
            active = active[moved > 0.0]
            if len(np.unique(self.groups[active])) < len(np.unique(self.groups)):
                self.multipliers = saved
                return False
        if float(self.point() @ self.point()) < before:
            return True
        self.multipliers = saved
        return False

    def _affine(self, active: Indices) -> Floats:
        """Return the multipliers, of any sign, of the shortest affine combination of some rows."""
        groups = self.groups[active]
        base = {int(group): int(np.flatnonzero(groups == group)[0]) for group in np.unique(groups)}
        others = [k for k in range(len(active)) if k not in base.values()]
        Z = self.Z[active]
        result = np.zeros(len(active))
        result[list(base.values())] = 1.0
        if others:
            differences = Z[others] - Z[[base[int(groups[k])] for k in others]]
            start = sum(Z[k] for k in base.values())
            t = scipy.linalg.lstsq(differences.T, -start, lapack_driver="gelsy", check_finite=False)[0]
            result[others] = t
            for k, value in zip(others, t.tolist(), strict=True):
                result[base[int(groups[k])]] -= value
        return result
