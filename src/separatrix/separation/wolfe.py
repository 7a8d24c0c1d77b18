"""The points of convex hulls that are nearest to each other, in floating point: proposed, and never trusted.

For the lifted margin it is the point nearest to the origin in the hull of the ``z_i``, for the geometric one the two nearest
points of the hulls of the classes. Either way ``v = sum lambda_i z_i`` is to be as short as possible, with multipliers that
are not negative and add up to 1 in each *group*: one group of all rows, or one for each class and ``z_i`` without its
constant. Wolfe's method finds it (`working_set`). Rows enter from a working set, which takes up the lowest of all rows in
each round: of a million rows it sees a few hundred. Where there are many columns, rows of the working set are given by their
coordinates in the space that they span (`row_space`): of 20,000 columns and 500 rows, 500 are left.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from .._types import Floats, Indices
from ..problem.problem import Problem
from ..problem.rows import affine_scores, filled_in, lift, times_powers
from ..support import progress
from ..support.blas import one_thread
from ..support.clock import Clock
from .row_space import ROWS_AT_ONCE, RowSpace
from .working_set import WorkingSet

Proposal: TypeAlias = tuple[Indices, Floats]
"""Rows, and multipliers of them that add up to 1 in each group."""

_MAX_EXPONENT = 300
"""The largest exponent by which rows are scaled on the fly; beyond it they are copied, lest products overflow."""

_MAX_ROUNDS = 1000
"""Rounds, each of which takes rows into the working set, after which what is found by then must do."""

_WIDE = 1000
"""Columns from which on rows of the working set are given by their coordinates in the space that they span."""

_ROWS_PER_COLUMN, _ROWS_PER_ROW = 40, 4
"""Rows of the working set from which on those without a multiplier are let go: so many for each column; where rows are wide,
so many for each row with a multiplier, and 2,000 at least."""

_ROWS_PER_ROUND, _NUMBERS_PER_ROUND, _FIRST_ROWS = 150, 5_000_000, 16
"""Rows of each group that a round takes into the working set, at least; fewer where they have more numbers than that. Of
wide rows the first round takes some, and each the double of the one before."""


_SHARES_TRIED = 65
"""Weights that are tried between two."""


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
        self.wide = problem.width >= _WIDE
        self.shortest: Proposal | None = None
        """The shortest combination known."""
        self.widest: Proposal | None = None
        """The combination whose least score, over its length, is the largest of those seen."""
        self._reach = -np.inf

    def groups(self, rows: Indices | slice) -> Indices:
        """Return the group of some rows."""
        if not self.classes:
            return np.zeros(self.problem.y[rows].shape, np.int64)
        return (self.problem.y[rows] < 0).astype(np.int64)

    def take(self, rows: Indices) -> Floats:
        """Return some rows, dense."""
        return filled_in(lift(filled_in(self._X[rows]) * self._scale, self.problem.y[rows], self._constant))

    def _combined(self, rows: Indices, multipliers: Floats) -> Floats:
        """Add up some rows, each times its multiplier; none of them is filled in for it."""
        signed = multipliers * self.problem.y[rows]
        v: Floats = (signed * self._scale) @ self._X[rows]
        return np.append(v, signed.sum() * self._constant) if self._constant else v

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
        return np.concatenate(self.lowest(scores, 1))

    def lowest(self, scores: Floats, count: int) -> list[Indices]:
        """Return for each group so many rows of it, those with the lowest scores."""
        found = []
        for group in range(1 + self.classes):
            rows = np.flatnonzero(self.problem.y < 0 if group else self.problem.y > 0) if self.classes else None
            some = scores if rows is None else scores[rows]
            k = min(count, some.size)
            low = np.argpartition(some, k - 1)[:k] if k < some.size else np.arange(some.size)
            found.append(low if rows is None else rows[low])
        return found

    @property
    def separates(self) -> bool:
        """Whether one of the combinations seems to separate the classes."""
        return self._reach > 0.0

    def proposals(self) -> list[Proposal]:
        """Return the shortest combination known, and the one with the best scores if that is another."""
        known = [self.shortest] if self.widest is self.shortest else [self.shortest, self.widest]
        return [proposal for proposal in known if proposal is not None]

    @one_thread
    @np.errstate(all="ignore")
    def directions(self, separator: Floats | None) -> list[Floats]:
        """Return weights that seem to separate the classes: the combinations known, a separator, and the best between them.

        Between a separator, which has all rows right, and a combination that is the best for those that it knows of, there
        are weights that are better than either.
        """
        found = [self._combined(rows, m) for rows, m in self.proposals()]
        if separator is not None:
            found.append(separator)
        found = [v for v in (v / np.linalg.norm(v) for v in found) if np.isfinite(v).all()]
        scores = [self.scores(v) for v in found]
        if separator is not None and len(found) > 1:
            (v, *_, w), (at_v, *_, at_w) = found, scores
            shares = np.linspace(0.0, 1.0, _SHARES_TRIED)
            reached = [self._reach_of(t * v + (1 - t) * w, t * at_v + (1 - t) * at_w) for t in shares]
            t = float(shares[int(np.argmax(reached))])
            found.append(t * v + (1 - t) * w)
            scores.append(t * at_v + (1 - t) * at_w)
        reached = [self._reach_of(v, mine) for v, mine in zip(found, scores, strict=True)]
        order = np.argsort(reached)[::-1]
        return [found[k] for k in order if reached[k] > 0.0]

    def _reach_of(self, v: Floats, scores: Floats) -> float:
        """Return the least score, added up over the groups, over the length of the weights."""
        least = sum(float(scores[mine].min()) for mine in self.lowest(scores, 1))
        return float(least / np.linalg.norm(v))

    @one_thread
    @np.errstate(all="ignore")
    def nearest(self, tolerance: float, clock: Clock) -> Proposal:
        """Return rows and multipliers, to within about the relative tolerance.

        If time runs out, `proposals` has what there is, and another call goes on from there.
        """
        if self.shortest is None:
            first = self.first()
            self.shortest = first, np.ones(len(first))
        rows, multipliers = self.shortest
        space = RowSpace() if self.wide else None
        chosen = WorkingSet(self._points(rows, space, clock), self.groups(rows), multipliers)
        best = np.inf
        for number in range(_MAX_ROUNDS):
            clock.check()
            v = chosen.point() if space is None else space.combine(chosen.point())
            scores, length = self.scores(v), float(v @ v)
            lowest = self.lowest(scores, self._rows_in_round(number))
            least = sum(float(scores[mine].min()) for mine in lowest)
            self._compare(least / np.sqrt(length))
            if length - least <= tolerance * length or not length < best:
                break
            best, kept = length, chosen.kept
            progress.report(lambda: f"the margin: {len(kept):,} rows hold the hyperplane")  # noqa: B023 (called at once)
            if len(rows) >= self._most_rows(len(kept)):
                rows, multipliers = rows[kept], chosen.multipliers[kept]
                space = None if space is None else RowSpace()
                chosen = WorkingSet(self._points(rows, space, clock), self.groups(rows), multipliers)
            more = np.setdiff1d(np.concatenate(lowest), rows)
            new = self._points(more, space, clock)
            old = np.pad(chosen.Z, [(0, 0), (0, new.shape[1] - chosen.Z.shape[1])])
            rows = np.concatenate([rows, more])
            multipliers = np.concatenate([chosen.multipliers, np.zeros(len(more))])
            chosen = WorkingSet(np.vstack([old, new]), self.groups(rows), multipliers)
            try:
                chosen.shorten(tolerance / 4, clock)
            finally:  # whatever ends it
                kept = chosen.kept
                self.shortest = rows[kept], chosen.multipliers[kept]
        return self.shortest

    def _points(self, rows: Indices, space: RowSpace | None, clock: Clock) -> Floats:
        if space is None:
            return self.take(rows)
        starts = range(0, len(rows), ROWS_AT_ONCE)
        return space.coordinates((self.take(rows[start : start + ROWS_AT_ONCE]) for start in starts), clock)

    def _compare(self, reach: float) -> None:
        if reach > self._reach:
            self.widest, self._reach = self.shortest, reach

    def _rows_in_round(self, number: int) -> int:
        """Return how many rows of each group a round takes up: of wide rows few at first, so that bounds are there soon."""
        if self.wide:
            most = max(_FIRST_ROWS, min(_ROWS_PER_ROUND, _NUMBERS_PER_ROUND // self.problem.d))
            return min(most, _FIRST_ROWS << min(number, 10))
        return max(_ROWS_PER_ROUND, 2 * self.problem.d // (1 + self.classes))

    def _most_rows(self, kept: int) -> int:
        return max(2000, _ROWS_PER_ROW * kept) if self.wide else _ROWS_PER_COLUMN * self.problem.width
