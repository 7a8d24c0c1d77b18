"""How far the numbers of classes that are not separable must be off for them to come apart: an interval that is proved.

The origin lies in the hull of the signed rows. It is to be left by moving all of them by some delta, ``|delta_j| <= r t_j``,
and the corners of this box reach farthest. Weights w prove that a corner comes out at ``max_i -z_i.w / sum_j t_j |w_j|``.
That none does before takes a proof for each of the ``2**k`` corners, k being the number of inexact columns, or for many
at once: a *gauge* says how many times a direction must be shortened to lie in the hull, from the origin, and that of a sum
is at most the sum of the gauges. So corners with some signs in common have a gauge of at most that of what they share, plus,
for each other column, the larger one of its two directions. Signs are decided one by one, where that is not enough.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from .._types import Floats
from ..exact.linear_algebra import IntegerRows, seconds_to_solve
from ..problem.spans import spanning_rows
from ..support import progress
from ..support.clock import STOPS, Clock
from ..support.interruption import is_kept
from .movable_rows import MovableRows, near, whole_numbers
from .moving_programs import LeastScore, best_along

Signs: TypeAlias = tuple[tuple[int, int], ...]
"""Some inexact columns, in order, each with a sign: the direction in which they move, by their tolerances."""

_MOST_STARTS = 20
"""Weights, the best ones, from which the search goes on."""

_NEGLIGIBLE = 1e-9
"""Weights below this, over the largest, point nowhere."""

_PROMISING = 1.0 + 1e-6
"""What floats find is looked at exactly unless it is worse than the best by more than this factor."""


@dataclass(frozen=True)
class Inside:
    """A direction with a distance up to which it lies in the hull, reversed: the mean of rows under these multipliers."""

    distance: Fraction
    multipliers: dict[int, int]


@dataclass(frozen=True)
class Leaf:
    """Directions whose sum the signs of some corners begin with; the other columns may have either sign."""

    parts: tuple[Signs, ...]
    bound: Fraction
    """Up to here all of these corners lie in the hull."""


@dataclass
class Escape:
    """What is known of classes that are not separable so far."""

    rows: MovableRows
    """All rows that no weak separator separates."""
    clock: Clock
    lower: Fraction | float = Fraction(0)
    """The classes stay what they are as long as their numbers are off by less than so many tolerances."""
    upper: Fraction | float = math.inf
    """They need not if numbers are off by more."""
    weights: list[int] = field(default_factory=list)
    """What proves the upper bound."""
    inside: dict[Signs, Inside] = field(default_factory=dict)
    leaves: tuple[Leaf, ...] = ()
    """What proves the lower bound, together: the leaves of a tree of signs."""
    finished: bool = False

    def search(self) -> None:
        """Look for the best weights, and for a proof that there are no better ones."""
        if not self.rows.inexact:
            self.lower = self.upper = math.inf
            self.finished = True
            return
        clock, self.clock = self.clock, Clock()
        self._take(best_along(self.rows, self.rows.inexact[0]))  # at once, whatever the time is
        self.clock = clock
        try:
            self.kept = self._independent_columns()
            if self.upper > 0:
                self._begin()
                self._branch()
            self.finished = True
        except STOPS as reason:
            is_kept(reason)
            axes = self._axes()
            if axes and not self.leaves:
                self._keep([Leaf((), 1 / sum(axes.values(), Fraction(0)))])

    # Weights.

    def take_weights(self, weights: list[int]) -> bool:
        """Take weights if they are better than those before."""
        reach = self.rows.reach(weights)
        if not reach:
            return False
        ratio = max(Fraction(0), -self.rows.least_score(weights, self.clock)) / reach
        if ratio >= self.upper:
            return False
        self.upper, self.weights = ratio, weights
        return True

    def _independent_columns(self) -> list[int]:
        """Find columns that all others depend on, exact ones first.

        If an inexact column depends on those before it, there are weights, not 0 in that column, under which all rows score
        0: as soon as numbers are off at all, there is a hyperplane.
        """
        problem = self.rows.problem
        order = [*reversed(self.rows.exact), *self.rows.inexact]  # the intercept first
        self.clock.check(seconds_to_solve(min(problem.n, problem.width)))
        basis = IntegerRows.of(problem.lifted(spanning_rows(problem))[:, order])
        columns = basis.transposed()
        found = columns.basis()
        exact = len(self.rows.exact)
        loose = next((k for k in range(exact, len(order)) if k not in set(found)), None)
        if loose is not None:
            before = [k for k in found if k < loose]
            relation = columns.take(before).coordinates(columns.row(loose)) if before else []
            weights = [Fraction(0)] * len(order)
            weights[order[loose]] = Fraction(-1)
            for k, number in zip(before, relation, strict=True):
                weights[order[k]] = number
            self.take_weights(whole_numbers(weights))
        return sorted(order[k] for k in found)

    def _begin(self) -> None:
        """Visit both directions of each inexact column, and follow the weights that are found, the best ones first."""
        self._program = LeastScore(self.rows, self.clock, self.kept)
        self._followed: set[Signs] = set()
        starts: list[tuple[float, Signs]] = []
        for j in self.rows.inexact:
            for sign in (1, -1):
                progress.report(lambda j=j: f"column {j + 1:,} of {self.rows.problem.d:,}")  # type: ignore[misc]
                w = self._visit(((j, sign),))
                if w is not None:
                    starts.append((-self.rows.ratio(w), self._signs(w)))
                    if len(starts) == 1:
                        self._follow(starts[0][1])
        for _, signs in sorted(starts)[:_MOST_STARTS]:
            self._follow(signs)

    def _signs(self, w: Floats) -> Signs:
        """Return the corner that weights point to."""
        size = np.abs(w)
        return tuple((j, 1 if w[j] > 0 else -1) for j in self.rows.inexact if size[j] > _NEGLIGIBLE * size.max())

    def _follow(self, signs: Signs) -> None:
        """Ask for the corner that weights point to, and for that which the answer points to, until one is known."""
        while signs and signs not in self._followed:
            self._followed.add(signs)
            w = self._visit(signs)
            if w is None:
                return
            signs = self._signs(w)

    def _take(self, w: Floats, tight: list[int] | None = None) -> None:
        """Take weights for the floats, made exact, if they promise to be better than those before."""
        if -self.rows.ratio(w) > near(self.upper) * _PROMISING:
            return
        self.take_weights(self.rows.weights(w))
        corrected = self.rows.corrected(w, tight or [])
        if corrected is not None:
            self.take_weights(corrected)

    def _visit(self, signs: Signs) -> Floats | None:
        """Ask how far the hull reaches in a direction; keep what is proved, and return weights that leave it there."""
        rows = self.rows
        if signs in self.inside:
            return None
        answer = self._program.along(dict(signs))
        if answer is None:
            return None
        self.clock.check(4 * seconds_to_solve(rows.width))
        self._take(answer.w, answer.tight)
        direction = {j: -sign * rows.tolerances[j] for j, sign in signs}
        multipliers = rows.multipliers(answer.tight, answer.duals, self.kept, direction)
        if multipliers is not None:
            mean = rows.mean(multipliers)
            j, sign = signs[0]
            distance = -sign * mean[j] / rows.tolerances[j]
            at = {j: -sign * distance * rows.tolerances[j] for j, sign in signs}
            if distance > 0 and all(number == at.get(j, 0) for j, number in enumerate(mean)):
                self.inside[signs] = Inside(distance, multipliers)
        return answer.w

    # The tree.

    def _gauge(self, signs: Signs) -> Fraction | None:
        found = self.inside.get(signs)
        return None if found is None else 1 / found.distance

    def _axes(self) -> dict[int, Fraction] | None:
        """Return for each inexact column the larger gauge of its two directions; None if one is not known."""
        found: dict[int, Fraction] = {}
        for j in self.rows.inexact:
            up, down = self._gauge(((j, 1),)), self._gauge(((j, -1),))
            if up is None or down is None:
                return None
            found[j] = max(up, down)
        return found

    def _keep(self, leaves: list[Leaf]) -> None:
        """Keep leaves that stand for all corners, and what they prove."""
        self.leaves, self.lower = tuple(leaves), min(self.upper, *(leaf.bound for leaf in leaves))

    def _branch(self) -> None:
        """Decide signs one by one, those first of which least is known, until no corner can come out before the best."""
        axes = self._axes()
        if axes is None:
            return  # then nothing is proved of any corner
        order = sorted(axes, key=lambda j: -axes[j])
        rest = [sum((axes[j] for j in order[k:]), Fraction(0)) for k in range(len(order) + 1)]
        number = itertools.count()
        root = Leaf((), 1 / rest[0])
        heap: list[tuple[Fraction, int, int, Leaf]] = [(root.bound, next(number), 0, root)]
        done: list[Leaf] = []
        try:
            while heap and heap[0][0] < self.upper:
                bound, _, depth, leaf = heap[0]
                ends = near(bound), near(self.upper)
                progress.report(lambda ends=ends: "proved from {:.4g} up to {:.4g}".format(*ends))  # type: ignore[misc]
                if depth == len(order):
                    done.append(leaf)
                    heapq.heappop(heap)
                    continue
                children = [self._child(leaf, order[depth], sign, rest[depth + 1]) for sign in (1, -1)]
                grown = [*heap[1:], *((child.bound, next(number), depth + 1, child) for child in children)]
                heapq.heapify(grown)
                heap = grown  # at once: whenever the search is interrupted, no corner is missing
        finally:
            self._keep([*done, *(leaf for *_, leaf in heap)])

    def _child(self, leaf: Leaf, j: int, sign: int, rest: Fraction) -> Leaf:
        """Decide one more sign: visit the direction of all decided ones, or add a part where that proves nothing."""
        signs = tuple(sorted([*(pair for part in leaf.parts for pair in part), (j, sign)]))
        self._visit(signs)
        gauge = self._gauge(signs)
        parts: tuple[Signs, ...] = (*leaf.parts, ((j, sign),))
        sums = sum((1 / self.inside[part].distance for part in parts), Fraction(0))
        if gauge is not None and gauge <= sums:
            parts, sums = (signs,), gauge
        return Leaf(parts, 1 / (sums + rest))
