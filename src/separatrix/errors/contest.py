"""The search for the fewest errors: a descent and a lower bound take turns until they meet or the time is up."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..perceptron.pocket import averaged
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..proof import claim_checks
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Combination, ErrorBound, Leaf, Obstruction, Packing
from ..separation.search import Search
from ..support import progress
from ..support.clock import Clock, OutOfTime
from ..surrogates.proposals import Proposals
from .disagreement import Disagreement, Known, nearby
from .groups import Groups
from .lower_bound import Branch, LowerBound
from .upper_bound import Descent

_MAX_SECONDS_PER_TURN = 2.0
"""Seconds that the descent takes at a time, at most; otherwise as long as the lower bound took for its turn before."""

_IDLE_SECONDS = 2.0
"""Seconds for which the descent goes on without success, besides as many as it took until its last success."""

_MANY_NUMBERS = 20_000
"""Numbers in the rows beyond which good hyperplanes are proposed first of all."""

_SHARE_TO_AVERAGE = 0.15
"""What the averaged perceptron may take of the time, if there is a limit and rows are many."""

_SHARE_OF_PROPOSALS = 0.3
"""How much of the time that takes, at most, before bounds are looked for."""

_MOST_FRUITLESS_STEPS = 15
"""Steps that may come to nothing better, one after the other, before it is the turn of the bound."""

_LEAST_SECONDS_OF_PROPOSALS = 0.1
"""Seconds that it takes in any case, if it does not end before."""

_SECONDS_BEFORE_PROPOSALS = 0.05
"""Seconds after which they are proposed for fewer rows, which are mostly done by then."""

_DIGITS_OF_WEIGHTS = (1, 2, 3, 4, 6, 8)
"""Decimal digits to which the weights of the hyperplane are rounded, one after the other, until it errs no more."""


class Contest:
    """The two bounds, brought closer to each other until they meet or the time is up."""

    def __init__(
        self, problem: Problem, weights: Floats | None, clock: Clock, seed: int, known: Obstruction | None = None
    ) -> None:
        self.problem = problem
        self.known = known
        self.clock = clock
        self.rng = np.random.default_rng(seed)
        self.lifted = Lifted.of(problem)
        self.groups = Groups.of(problem, weights)
        self.best = Dyadic.from_parts(np.zeros(problem.width))
        self.upper = self.groups.total
        self.bounding: LowerBound | None = None
        self.history: list[Known] = []
        limit = None if clock.limit is None else max(clock.limit, clock.passed() + _LEAST_SECONDS_OF_PROPOSALS)
        self._proposing = Proposals(problem, weights, Clock(limit))
        self._proposals = iter(self._proposing)
        self._record()

    def run(self) -> None:
        """Work until the bounds meet."""
        groups, problem = self.groups, self.problem
        if not self.upper:  # no row counts
            return
        if problem.intercept:
            for sign in (1.0, -1.0):
                self._consider(Dyadic.from_parts(np.append(np.zeros(problem.d), sign)))
        self.bounding = bounding = LowerBound(groups, self.clock, self.rng)
        if len(groups.first) <= 2 * problem.width and self._separate():
            return
        many = problem.n * problem.width > _MANY_NUMBERS
        if many:
            limited = self.clock.limit is not None
            mean = averaged(problem, seconds=_SHARE_TO_AVERAGE * self.clock.left() if limited else None)
            self._consider(mean)
            self._proposing.begin_with(mean)
            self._propose(max(_SHARE_OF_PROPOSALS * self.clock.left(), _LEAST_SECONDS_OF_PROPOSALS))
        if groups.tractable and groups.seconds_for_points > self.clock.left():  # then all of the time is for proposals
            self._propose(self.clock.left())
            self.clock.check(groups.seconds_for_points)
        descent = None
        if groups.tractable:
            descent = Descent(groups.points, groups.weighed, self.rng)
            descent.start(groups.points.mean(axis=0))  # least squares, as the points are spread evenly in all directions
            descent.start(groups.weighed @ groups.points)
            self._consider(groups.exact(descent.best))
            descent.start(groups.coordinates_of(self.best))
        walked = idle = 0.0  # seconds: until the last improvement, and since then
        turn = 0.01
        while bounding.bound < self.upper:
            self._record()
            progress.report(lambda: f"between {groups.text(bounding.bound)} and {groups.text(self.upper)} errors")
            self.clock.check()
            if many or self.clock.passed() > _SECONDS_BEFORE_PROPOSALS:
                better = self._propose(min(turn, self.clock.left()))
                if better and descent is not None:
                    descent.start(groups.coordinates_of(self.best))
            if descent is not None and idle < _IDLE_SECONDS + walked:
                before = self.upper
                descent.walk(time.monotonic() + min(turn, self.clock.left()))
                self._consider(groups.exact(descent.best))
                idle += turn
                if self.upper < before:
                    walked, idle = walked + idle, 0.0
            started = time.monotonic()
            stuck = bounding.advance(self.upper)
            turn = min(_MAX_SECONDS_PER_TURN, time.monotonic() - started)
            if descent is not None and bounding.direction is not None:
                descent.start(bounding.direction)
            if stuck is not None and stuck.bound < self.upper and not self._ask_exactly(bounding, stuck):
                bounding.divide(stuck)

    def _propose(self, seconds: float) -> bool:
        """Have hyperplanes proposed for some time, at least one; return whether the last of them errs less than all before.

        The last has the fewest errors, as floats tell, and exact signs are asked for it alone; of rows next to it they may
        say something else, in which case those proposed before are not worth the time either.
        """
        before, end = self.upper, time.monotonic() + seconds
        last: Dyadic | None = None
        try:
            fruitless = 0
            for proposed in self._proposals:
                last, fruitless = (last, fruitless + 1) if proposed is None else (proposed, 0)
                if time.monotonic() > end or fruitless > _MOST_FRUITLESS_STEPS:
                    break
        finally:  # Ctrl-C included
            if last is not None:
                self._consider(last)
        return self.upper < before

    def _separate(self) -> bool:
        """See whether few rows in many dimensions can all be separated, which they mostly can, in a part of the time."""
        clock = Clock(None if self.clock.limit is None else 0.3 * self.clock.left())
        try:
            found = Search(self._part(self.groups.first), clock).separator()
        except OutOfTime:
            return False
        if found is not None:
            self._consider(found)
        return self.upper == 0

    def _part(self, rows: NDArray[np.int64]) -> Problem:
        return self.problem.with_rows(rows)

    def _consider(self, weights: Dyadic) -> None:
        """Count the errors of a hyperplane, and keep it if they are the fewest: in float64 where that does no harm."""
        rounded = nearby(weights)
        if rounded is not None and self._keep(Dyadic.from_parts(rounded)):
            return
        self._keep(weights)

    def _keep(self, weights: Dyadic) -> bool:
        errors = self.groups.errors(self._wrong(weights))
        better = errors < self.upper
        if better:
            self.best, self.upper = weights, errors
            self._record()
        return better

    @property
    def lower(self) -> int:
        """The errors that are proved to be unavoidable, in units."""
        return max(self._proved, 0 if self.known is None else 1)

    @property
    def _proved(self) -> int:
        """The errors that the search has proved to be unavoidable, in units."""
        return 0 if self.bounding is None else self.bounding.bound

    def _packing(self) -> Packing:
        """Return the proof of the lower bound."""
        if self.known is not None and not self._proved:
            one = Combination(self.known.rows, self.known.multipliers)
            return Packing((one,), (Leaf((0,), (Fraction(1),)),))
        return Packing((), (Leaf((), ()),)) if self.bounding is None else self.bounding.packing()

    def _record(self, *, end: bool = False) -> None:
        """Write down what is known by now, unless that is nothing new; at the end in any case."""
        unit = self.groups.unit
        known = Known(self.clock.passed(), _plain(self.lower * unit), _plain(self.upper * unit))
        if end or not self.history or self.history[-1][1:] != known[1:]:
            self.history.append(known)

    def _wrong(self, weights: Dyadic) -> NDArray[np.bool_]:
        return self.lifted.signs(weights)[self.groups.first] <= 0

    def _ask_exactly(self, bounding: LowerBound, leaf: Branch) -> bool:
        """Give up a whole hitting set: the others are separated exactly, or obstruct each other; False if neither helps."""
        groups = self.groups
        kept = np.ones(len(groups.first), bool)
        kept[bounding.hitting_set(leaf)] = False
        if not kept.any():  # nothing is left to ask about
            return False
        rows = groups.first[kept]
        part = self._part(rows)
        found = Search(part, self.clock).separate()
        if isinstance(found, Dyadic):
            before = self.upper
            self._consider(found)
            return self.upper < before
        multipliers = {int(rows[k]): number for k, number in found.rows.items()}
        return bounding.take_up(leaf, groups.of_rows[list(multipliers)], multipliers)

    def _shorten(self) -> None:
        """Replace the hyperplane by one of as few decimal digits as err no more, for whoever reads it."""
        rounded = nearby(self.best)
        largest = 0.0 if rounded is None else float(np.abs(rounded[: self.problem.d]).max(initial=0.0))
        if rounded is None or not 1e-300 < largest < 1e300:
            return
        for digits in _DIGITS_OF_WEIGHTS:
            few = Dyadic.from_parts(np.array([float(f"{weight:.{digits}g}") for weight in (rounded / largest).tolist()]))
            errors = self.groups.errors(self._wrong(few))
            if errors <= self.upper:
                self.best, self.upper = few, errors
                return

    def result(self, weights: Floats | None, interrupted: bool) -> Disagreement:
        """Return what is proved."""
        self._shorten()
        self._record(end=True)
        unit, lower = self.groups.unit, self.lower
        costs = None if weights is None else tuple(map(Fraction, weights.tolist()))
        certificate = Certificate(
            Claim.ERRORS_AT_LEAST, Subject.of(self.problem), errors=ErrorBound(lower * unit, costs), packing=self._packing()
        )
        claim_checks.check(certificate, self.problem)
        wrong = self.lifted.signs(self.best) <= 0
        return Disagreement(
            lower=_plain(lower * unit),
            upper=_plain(self.upper * unit),
            certificate=certificate,
            rows_given_up=np.flatnonzero(wrong),
            weights=self.best,
            interrupted=interrupted,
            problem=self.problem,
            history=tuple(self.history),
        )


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number
