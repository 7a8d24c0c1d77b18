"""The bounds of the margin from both sides, made exact.

Any separating ``w`` bounds the margin from below: by the least ``z_i.w / ||w||``. Any convex combination of the ``z_i``
bounds it from above: by its length. `wolfe` proposes both in floating point; here they are made exact rationals, and where
they do not meet closely enough, the optimality conditions are solved over the rationals, row by row (Wolfe's method).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count

import flint
import numpy as np

from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, independent, seconds_to_solve, solve
from ..exact.products import exact_score
from ..exact.rounding import root
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.scores import least_scores
from ..problem.sums import total
from ..support import progress
from ..support.clock import Clock
from .margins import Margin
from .wolfe import Hulls, Proposal

MULTIPLIER_BITS = 60
"""Bits to which the multipliers that floating point proposes are rounded."""

_WEIGHT_BITS = 96
"""Bits to which the weights of a separator are rounded, unless the margin is to be exact."""


_BITS_OF_PRODUCTS = 106
"""Bits that products of rows have, about."""

_MANY_NUMBERS = 20_000
"""Numbers of a combination of rows from which on a compiled loop adds it up."""


def lower_bound(direction: Dyadic, least: Sequence[Fraction], unit: int) -> tuple[Fraction, Dyadic]:
    """Return the square of the margin that a direction attains, and its weights, from the least score of each group.

    Of two groups, the classes, rows go without the constant; the intercept is the one that has both equally far. The rows
    are multiplied by the ``unit``.
    """
    reach, weights = least[0], direction
    if len(least) == 2:
        reach = (least[0] + least[1]) / 2
        weights = Dyadic.joined([direction.times(unit), Dyadic.from_fraction((least[1] - least[0]) / 2)])
    return reach * reach / (direction.dot(direction) * unit * unit), weights


class MarginBounds:
    """Bounds of the margin of a problem.

    The rows are in groups, as in `wolfe`: one group for the lifted margin, one for each class for the geometric one, where
    rows go without the constant. Multipliers are whole numbers that add up to the same in each group.
    """

    def __init__(self, problem: Problem, kind: str, clock: Clock | None = None) -> None:
        self.problem, self.kind = problem, kind
        self.clock = Clock() if clock is None else clock
        self.hulls = Hulls(problem, kind == "geometric")
        self.two = self.hulls.classes
        self.plain = replace(problem, intercept=False) if self.two else problem
        self.lifted = Lifted.of(self.plain)
        self.sides = [problem.y > 0, problem.y < 0] if self.two else [np.ones(problem.n, bool)]

    def _group(self, i: int) -> int:
        return int(self.two and self.problem.y[i] < 0)

    def proposed(self, tolerance: float, clock: Clock | None = None) -> dict[int, int]:
        """Return the multipliers that floating point proposes."""
        return self.whole(self.hulls.nearest(tolerance, self.clock if clock is None else clock))

    def whole(self, proposal: Proposal) -> dict[int, int]:
        """Return multipliers as whole numbers."""
        numbers = {int(i): round(float(m) * 2**MULTIPLIER_BITS) for i, m in zip(*proposal, strict=True)}
        return self._balanced({i: n for i, n in numbers.items() if n})

    def _balanced(self, numbers: dict[int, int]) -> dict[int, int]:
        if not self.two:
            return numbers
        sums = [sum(n for i, n in numbers.items() if self._group(i) == group) for group in (0, 1)]
        return {i: n * sums[1 - self._group(i)] for i, n in numbers.items()}

    def proved(self, numbers: dict[int, int], bits: int | None = _WEIGHT_BITS) -> Margin | None:
        """Return what multipliers prove; None if their combination does not separate the classes.

        Weights are rounded to so many bits, if given: a separator needs no more than its margin asks for.
        """
        direction = self._combination(numbers)
        return self._joined(numbers, direction, direction if bits is None else direction.shortened(bits))

    def best_known(self, separator: Dyadic | None = None) -> Margin | None:
        """Return what is proved by the combinations that floating point has come to, and by a separator if there is one.

        The lower bound is that of the best weights that they make, the upper one that of the shortest combination. None if
        nothing separates.
        """
        proposals = self.hulls.proposals()
        numbers = self.whole(proposals[0]) if proposals else {int(np.flatnonzero(side)[0]): 1 for side in self.sides}
        plain = None if separator is None else separator.part(0, len(separator) - self.two)
        rounded = None if plain is None else plain.times_power(-plain.magnitude()).round()
        directions = [*map(Dyadic.from_parts, self.hulls.directions(rounded)), *([] if plain is None else [plain])]
        few = self.problem.n * self.problem.width < _MANY_NUMBERS  # floating point may not tell, and exact sums cost little
        if not directions and not few:
            return None
        combination = self._combination(numbers)
        for direction in directions or [combination.shortened(_WEIGHT_BITS)]:
            found = self._joined(numbers, combination, direction)
            if found is not None:  # the best one, as far as floating point tells
                return found
        return None

    def _joined(self, numbers: dict[int, int], combination: Dyadic, direction: Dyadic) -> Margin | None:
        """Return the upper bound that a combination proves with the lower one that a direction does; None if it does not."""
        if not combination or not direction:
            return None
        everything = sum(n for i, n in numbers.items() if self._group(i) == 0)
        unit = self.problem.rows.denominator  # that the rows are multiplied with here
        hi_squared = combination.dot(combination) / (everything * everything * unit * unit) / (4 if self.two else 1)
        least = [score for score, _ in least_scores(self.lifted, direction, self.sides)]
        if sum(least) <= 0:
            return None
        lo_squared, weights = lower_bound(direction, least, unit)
        multipliers = tuple(Fraction(n, everything) for n in numbers.values())
        return Margin(
            kind=self.kind,
            lo=root(lo_squared, up=False),
            hi=root(hi_squared, up=True),
            lo_squared=lo_squared,
            hi_squared=hi_squared,
            weights=weights,
            rows=tuple(numbers),
            multipliers=multipliers,
            problem=self.problem,
        )

    def _combination(self, numbers: dict[int, int]) -> Dyadic:
        """Return the exact sum of rows times their multipliers."""
        if len(numbers) * self.lifted.rows.longest < _MANY_NUMBERS:
            return self._integers(list(numbers)).combine(list(numbers.values()))
        multiples = np.zeros(self.problem.n, object)
        multiples[list(numbers)] = list(numbers.values())
        return total(self.plain, multiples)

    def _integers(self, rows: list[int]) -> IntegerRows:
        return IntegerRows.of(self.plain.lifted(rows))

    # Exactly: Wolfe's method in rational numbers.

    def exact(self, start: dict[int, int]) -> Margin:
        """Return the margin exactly, beginning with some multipliers."""
        best = self.optimal(start)
        assert best is not None
        found = self.proved(best, None)
        assert found is not None
        return found

    def optimal(self, start: dict[int, int], most: int | None = None) -> dict[int, int] | None:
        """Return the multipliers of the shortest convex combination, beginning with some; None after so many steps."""
        now = self._independent(start)
        for _ in count() if most is None else range(most):
            self._have_time_for(len(now))
            best = self._shortest(list(now))
            leaving = [i for i in now if best[i] <= 0]
            if leaving:
                now = self._towards(now, best, leaving)
                continue
            now = {i: n for i, n in best.items() if n}
            gap, entering = min(self._lowest(now))
            if gap >= 0:
                return now
            now[entering] = 0
        return None

    def _have_time_for(self, rows: int) -> None:
        """See to it that there is time for a step, whose system of equations cannot be interrupted."""
        self.clock.check(seconds_to_solve(rows, _BITS_OF_PRODUCTS) if self.clock.limit is not None else 0.0)
        progress.report(lambda: f"the margin: an exact solve with {rows:,} rows")

    def _lowest(self, now: dict[int, int]) -> list[tuple[Fraction, int]]:
        """Return for each group how far its lowest row is above the rows that have multipliers, and which row it is."""
        direction = self._combination(now)
        return [
            (score - self._score(direction, next(k for k in now if self._group(k) == group)), i)
            for group, (score, i) in enumerate(least_scores(self.lifted, direction, self.sides))
        ]

    def _score(self, weights: Dyadic, i: int) -> Fraction:
        return exact_score(weights, *self.plain.row(i))

    def _independent(self, numbers: dict[int, int]) -> dict[int, int]:
        """Keep multipliers of affinely independent rows, balanced."""
        rows = sorted(numbers, key=lambda i: -numbers[i])
        Z = self._integers(rows).common()
        groups = [[int(self._group(i) == group) for group in range(len(self.sides))] for i in rows]
        kept = independent([[*group, *row] for group, row in zip(groups, Z, strict=True)])
        return self._balanced({rows[k]: numbers[rows[k]] for k in kept})

    def _shortest(self, rows: list[int]) -> dict[int, int]:
        """Return the multipliers, of any sign, of the shortest affine combination of independent rows."""
        Z = self._integers(rows).common()
        groups = range(len(self.sides))
        sides = [[int(self._group(i) == group) for group in groups] for i in rows]
        gram = flint.fmpz_mat(Z) * flint.fmpz_mat(Z).transpose()
        matrix = [[*map(int, gram.tolist()[k]), *side] for k, side in enumerate(sides)]
        matrix += [[*(side[group] for side in sides), *(0 for _ in groups)] for group in groups]
        solution, _ = solve(matrix, [*(0 for _ in rows), *(1 for _ in groups)])
        return dict(zip(rows, solution[: len(rows)], strict=True))

    def _towards(self, now: dict[int, int], best: dict[int, int], leaving: list[int]) -> dict[int, int]:
        """Go from some multipliers towards others, of any sign, until the first turns 0."""
        a = sum(n for i, n in now.items() if self._group(i) == 0)
        b = sum(n for i, n in best.items() if self._group(i) == 0)
        # In shares, now/a + t * (best/b - now/a); t is the least at which one that is to leave is 0.
        t = min(Fraction(now[i] * b, now[i] * b - best[i] * a) for i in leaving)
        moved = {i: Fraction(now[i], a) * (1 - t) + Fraction(best[i], b) * t for i in now}
        common = math.lcm(*(share.denominator for share in moved.values()))
        return {i: int(share * common) for i, share in moved.items() if share}
