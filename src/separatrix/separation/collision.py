"""How far the numbers of separable classes must be off for them to collide: an interval that is proved.

Weights w prove that they do not below ``min_i z_i.w / sum_j t_j |w_j|``. Multipliers prove that they may from some point on:
they have a mean v of signed rows that is 0 in all exact columns, and if each signed row moves by -v, it is at the origin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from ..exact.linear_algebra import seconds_to_solve
from ..support.clock import STOPS, Clock
from ..support.interruption import is_kept
from .movable_rows import MovableRows, near
from .moving_programs import Answer, LeastScore
from .search import Search

_MOST_BITS = 400
"""Bits up to which exact solutions of linear programs are kept; longer ones are rounded."""

_LARGEST_SCORE = 1e6
"""The largest score that a linear program may give all rows where nothing is known of a collision yet."""

_ROOM = 1.001
"""Room that is left above a score that is known to be the largest."""


@dataclass
class Collision:
    """What is known of separable classes so far."""

    rows: MovableRows
    clock: Clock
    lower: Fraction | float = Fraction(0)
    """The classes are separable, whatever their numbers are, as long as they are off by less than so many tolerances."""
    upper: Fraction | float = math.inf
    """They need not be if numbers are off by so many."""
    weights: list[int] = field(default_factory=list)
    """What proves the lower bound."""
    multipliers: dict[int, int] = field(default_factory=dict)
    """What proves the upper bound."""
    shift: list[Fraction] | None = None
    """By what signed rows move to the collision."""
    finished: bool = False

    def search(self, separator: list[int]) -> None:
        """Look for the best weights and multipliers, from a separator on."""
        clock, self.clock = self.clock, Clock()
        self._take_weights(separator)  # at once, whatever the time is
        self._take_pair()
        self.clock = clock
        try:
            if self.lower < math.inf and not self._separable_by_exact_columns():
                most = near(self.upper / self.rows.scale) if self.upper < math.inf else _LARGEST_SCORE
                answer = LeastScore(self.rows, self.clock).within_magnitude(_ROOM * most)
                if answer is not None:
                    self._take(answer)
            self.finished = True
        except STOPS as reason:
            is_kept(reason)

    def _separable_by_exact_columns(self) -> bool:
        """Whether exact columns alone separate the classes, so that it does not matter what the others hold."""
        problem, columns = self.rows.problem, [j for j in self.rows.exact if j < self.rows.problem.d]
        if len(problem.classes) < 2 and problem.intercept:
            weights = [0] * problem.d + [int(problem.y[0])]
        elif not columns:
            return False
        else:
            found = Search(problem.with_columns(columns), self.clock).separator()
            if found is None:
                return False
            weights = [0] * self.rows.width
            for j, number in zip(self.rows.exact, found.integers, strict=True):
                weights[j] = number
        self._take_weights(weights)
        return True

    def _take_weights(self, weights: list[int]) -> None:
        least, reach = self.rows.least_score(weights, self.clock), self.rows.reach(weights)
        if least <= 0:
            return
        ratio = least / reach if reach else math.inf
        if ratio > self.lower or not self.weights:
            self.lower, self.weights = ratio, weights
        if ratio == math.inf:
            self.upper = ratio

    def _take_multipliers(self, multipliers: dict[int, int] | None) -> None:
        if not multipliers:
            return
        mean = self.rows.mean(multipliers)
        if any(mean[j] for j in self.rows.exact):
            return
        ratio = max((abs(mean[j]) / self.rows.tolerances[j] for j in self.rows.inexact), default=Fraction(0))
        if ratio < self.upper:
            self.upper, self.multipliers = ratio, multipliers
            self.shift = [-number for number in mean[: self.rows.problem.d]]

    def _take_pair(self) -> None:
        """Begin with a row of each class, which can meet half-way, unless exact columns keep them apart."""
        y = self.rows.problem.y
        if self.upper == math.inf == self.lower or (self.rows.problem.intercept and len(self.rows.problem.classes) < 2):
            return
        ends = [0] if not self.rows.problem.intercept else [int((y == label).argmax()) for label in (1.0, -1.0)]
        self._take_multipliers(dict.fromkeys(ends, 1))

    def _take(self, answer: Answer) -> None:
        """Make exact weights and multipliers of what a linear program proposes."""
        rows, w, exact = self.rows, answer.w, self.rows.exact
        self._take_weights(rows.weights(w))
        self._take_multipliers(rows.multipliers(answer.tight, answer.duals, exact))
        if self.clock.left() < 10 * seconds_to_solve(rows.width):
            return
        signs = {j: (weight > 0) - (weight < 0) for j, weight in enumerate(rows.weights(w))}
        direction = {j: signs[j] * rows.tolerances[j] for j in rows.inexact if signs[j]}
        corrected = rows.corrected(w, answer.tight)
        if corrected is not None and max(map(abs, corrected)).bit_length() < _MOST_BITS:
            self._take_weights(corrected)
        found = rows.multipliers(answer.tight, answer.duals, [*exact, *direction], direction)
        if found is not None and max(found.values()).bit_length() < _MOST_BITS:
            self._take_multipliers(found)
