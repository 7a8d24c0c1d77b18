"""The fewest errors that any hyperplane makes on rows in blocks: true bounds, from the rows that are held.

What is proved of the rows held is true of all: an obstruction of some rows is one of all, and a row has no fewer equals
among all. From above, the errors of hyperplanes are counted on all rows, some of them in one pass. Rows that the best one
for the rows held has wrong are held next, with the rows nearest to it, as long as there are memory and time for it.
Where classes overlap by more than a few rows, better hyperplanes come from a sample of all rows, and from the rows next to
the best one (`proposing`). If there is room for all rows, they are taken into memory and searched as such.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors.disagreement import Disagreement, Known, nearby
from ..errors.least_errors import least_errors_of_problem
from ..exact.dyadic import Dyadic
from ..problem.batches import BatchedProblem, Batches, joined
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import Origin
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, ErrorBound, Leaf, Obstruction, Packing, Split
from ..support import progress
from ..support.blas import one_thread
from ..support.clock import STOPS, Clock
from ..support.interruption import delegating, is_kept, stoppable
from ..support.notebook import framed
from .asking import scores_of
from .deciding import Deciding
from .proposing import Near, Proposing, Window, near
from .working_rows import Rows, lowest

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 100, 3
"""Rows of each class that a block gives at a time, at most, of those that are wrong and as many of the others: so many, and
so many for each column besides."""

_MOST_HELD, _MOST_HELD_PER_COLUMN = 5000, 50
"""Rows that are held, about, at most: so many, and so many for each column besides."""

_LEAST_TURN = 1.0
"""Seconds that the search among the rows held takes the first time; then twice as long each time."""

_LEAST_SECONDS = 0.01
"""Seconds that it has in any case, which is enough for an obstruction that is known to prove an error."""

_MORE_THAN_A_PASS = 1.3
"""For how many passes time is kept to count errors, as not every pass takes the same time."""

_MOST_FRUITLESS = 3
"""Passes in a row for rows next to the best hyperplane that may lead to no better one."""

_SHARE_TO_DECIDE = 0.3
"""How much of the time may go to the question whether the classes are separable."""


@dataclass(frozen=True, repr=False, kw_only=True)
class BatchedDisagreement(Disagreement):
    """What is found and proved of the errors on rows in blocks; rows are named by their numbers among all rows.

    ``rows_given_up`` takes a pass when it is first asked for.
    """

    problem: BatchedProblem = field(compare=False)  # type: ignore[assignment]
    rows_given_up: NDArray[np.int64] = field(init=False, compare=False)
    held: Disagreement | None = field(compare=False)
    """What is proved of the rows that are held; None: nothing."""
    holds_all: bool = field(compare=False, default=False)
    """Whether these are all rows, in their order, and the hyperplane is that found for them."""

    def __getattr__(self, name: str) -> Any:
        """Find the rows that are given up, when they are asked for."""
        if name != "rows_given_up":
            raise AttributeError(name)
        if self.whole is not self:
            found = self.whole.rows_given_up
        else:
            parts = dict(self.problem.map(_wrong, self.weights))
            found = np.concatenate([parts[k] for k in sorted(parts)])
        object.__setattr__(self, name, found)
        return found

    @property
    def count(self) -> int:
        """The number of rows on which the hyperplane errs."""
        return int(self.upper)

    @property
    def in_memory(self) -> Disagreement | None:
        """What is proved of rows in memory."""
        return self.held

    @property
    def whole(self) -> Disagreement:
        """The same of all rows in memory, if they were searched there; else itself."""
        return self.held if self.holds_all and self.held is not None else self

    def tell_of_rounding(self, stacklevel: int = 2) -> None:
        """Warn if ``coef`` and ``intercept`` make more or fewer errors than the exact weights, which are counted."""
        if self.weights.holds(self._rounded):
            return
        counts = self.problem.map(_counted, [Dyadic.from_parts(self._rounded)])
        wrong = int(sum(count for _, (count,) in counts))
        if wrong != self.upper:
            self._warn(wrong, stacklevel + 1)

    def _repr_html_(self) -> str:
        return framed(self.explain("html"))


# What a block is asked.


def _wrong(problem: Problem, start: int, weights: Dyadic) -> NDArray[np.int64]:
    return start + np.flatnonzero(Lifted.of(problem).signs(weights) <= 0)


def _counted(problem: Problem, _start: int, candidates: list[Dyadic]) -> list[int]:
    lifted = Lifted.of(problem)
    return [int(np.count_nonzero(lifted.signs(weights) <= 0)) for weights in candidates]


def _ask(problem: Problem, start: int, candidates: list[Dyadic], most: int, window: Window) -> tuple[list[int], Rows, Near]:
    """Count the errors of some weights; return rows that the first have wrong, as many of those nearest to them, and more.

    These are the rows next to the hyperplane of the window.
    """
    lifted, first = Lifted.of(problem), candidates[0]
    signs = lifted.signs(first)
    counts = [int(np.count_nonzero(signs <= 0)), *_counted(problem, start, candidates[1:])]
    scores = scores_of(lifted, first, not problem.intercept)
    wrong, right = np.flatnonzero(signs <= 0), np.flatnonzero(signs > 0)
    chosen = np.concatenate([some[lowest(scores[some], problem.y[some], most)] for some in (wrong, right)])
    beside = near(problem, start, window, scores_of(lifted, window.weights, not problem.intercept))
    return counts, Rows(start + chosen, scores[chosen], problem.with_rows(chosen)), beside


def _whole(problem: Problem, start: int) -> tuple[NDArray[np.int64], Problem]:
    return start + np.arange(problem.n), problem


# The search.


def least_errors(
    batches: Batches,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    time_limit: float | None = 60.0,
    random_state: int = 0,
) -> BatchedDisagreement:
    """Find a hyperplane with few errors, and how many errors none avoids; parameters as in `separatrix.least_errors`."""
    clock = Clock(time_limit)  # the survey counts as well, if the rows were not read yet
    problem = BatchedProblem.of(batches, positive=positive, intercept=fit_intercept)
    return BatchedContest(problem, clock, random_state).run()


class BatchedContest:
    """The two bounds, brought closer to each other until they meet or the time is up."""

    def __init__(self, problem: BatchedProblem, clock: Clock, seed: int) -> None:
        self.problem, self.clock, self.seed = problem, clock, seed
        self.subject = Subject.of(problem)
        to_decide = Clock(None if clock.limit is None else _SHARE_TO_DECIDE * clock.left())
        self.deciding = Deciding(problem, to_decide)
        self.passes, self.working = self.deciding.passes, self.deciding.held
        self.proposing = Proposing(problem, self.passes, seed)
        self.best = Dyadic.from_parts(np.zeros(problem.width))
        self.upper = problem.n
        self.held: Disagreement | None = None
        """What is proved of the rows that were held when most was proved."""
        self.all: NDArray[np.int64] | None = None
        """The numbers of all rows, if they are held."""
        self.history: list[Known] = []
        self._begin()

    @property
    def lower(self) -> int:
        """The errors that are proved to be unavoidable."""
        known = 0 if self.deciding.witness is None else 1
        return known if self.held is None else int(self.held.lower)

    def _begin(self) -> None:
        """Have all rows of one class right, which takes no pass."""
        counts: dict[float, int] = {}
        for sign, count in zip(self.problem.setting.signs, self.problem.facts.counts, strict=True):
            counts[sign] = counts.get(sign, 0) + count
        if self.problem.intercept:
            sign = max(counts, key=lambda each: counts[each])
            self._take(Dyadic.from_parts(np.append(np.zeros(self.problem.d), sign)), self.problem.n - counts[sign])
        self._record()

    def _take(self, weights: Dyadic, errors: int) -> None:
        if errors < self.upper:
            self.best, self.upper = weights, errors

    def _record(self) -> None:
        """Write down what is known by now, unless that is nothing new."""
        known = Known(self.clock.passed(), self.lower, self.upper)
        if not self.history or self.history[-1][1:] != known[1:]:
            self.history.append(known)

    @one_thread
    @stoppable
    def run(self) -> BatchedDisagreement:
        """Work until the bounds meet or the time is up."""
        interrupted = False
        try:
            if self._has_room_for_all():
                self.passes.clock = self.clock
                interrupted = self._search_in_memory()
            else:
                self._decide()
                self.passes.clock = self.clock
                if self.upper:
                    self._search()
        except STOPS as reason:
            interrupted = is_kept(reason)
        return self._result(interrupted)

    def _has_room_for_all(self) -> bool:
        facts = self.problem.facts
        return facts.n * max(1, facts.longest) <= self.problem.batches.most_numbers

    def _search_in_memory(self) -> bool:
        """Take all rows into memory, and search as it is done there; return whether Ctrl-C ended the search."""
        self.passes.doing = "taking all rows into memory"
        problem = joined([part for _, part in self.passes.map(_whole)])
        begun, left = self.clock.passed(), self.clock.left()
        with delegating():
            limit = None if self.clock.limit is None else max(left, _LEAST_SECONDS)
            self.held = found = least_errors_of_problem(problem, None, limit, self.seed)
        self.all = np.arange(problem.n)
        later = [each for each in found.history if each.upper <= self.upper]  # it began with less than is known here
        self.history += [each._replace(seconds=begun + each.seconds) for each in later]
        if found.upper <= self.upper:  # of two that err as often, that whose errors the search has named
            self.best, self.upper = found.weights, int(found.upper)
        return found.interrupted

    def _decide(self) -> None:
        """Find out whether there are errors at all, in a part of the time."""
        try:
            self.deciding.search(until_witness=True)
        except STOPS as reason:
            if isinstance(reason, KeyboardInterrupt):
                raise
            return
        if self.deciding.witness is None and self.deciding.weights is not None:
            self._take(self.deciding.weights, 0)

    def _search(self) -> None:
        """Let the search among the rows held, that for better hyperplanes, and passes over all rows take turns."""
        offered = self.proposing.learn(self.clock, _LEAST_TURN + _MORE_THAN_A_PASS * self.passes.seconds_of_one)
        offered = self.proposing.of_sample(offered, Clock(self._seconds_to_propose()))
        turn, new, counted, fruitless, last = _LEAST_TURN, 1, not offered, 0, None
        while self.lower < self.upper:
            spare = self.clock.left() - _MORE_THAN_A_PASS * self.passes.seconds_of_one
            if spare < _LEAST_TURN and not counted:  # first of all a hyperplane is needed whose errors are known
                self._count(offered, self.proposing.window(offered[0]))
                offered, counted = [], True
            # What there is no time to count the errors of may still prove more of the rows held.
            proposed = self._proposed(min(turn, spare if spare > 0.0 else self.clock.left()))
            if proposed == last and not new:
                proposed = None
            worth = proposed is not None or offered or fruitless < _MOST_FRUITLESS
            if not worth or not self._has_time_for_a_pass():
                turn *= 2
                continue
            before, window = self.upper, self.proposing.window(offered[0] if offered else self.best)
            candidates = [each for each in (proposed, *offered) if each is not None] or [self.best]
            new, beside = self._count(candidates, window)
            counted, last = True, proposed or last
            offered = self.proposing.beside(self.best, window, beside, Clock(self._seconds_to_propose()))
            fruitless = 0 if self.upper < before else fruitless + 1
            turn = turn if self.upper < before else 2 * turn

    def _has_time_for_a_pass(self) -> bool:
        """Whether a pass would be over in time, as far as can be told; one that is not tells nothing."""
        return self.clock.left() >= self.passes.seconds_of_one

    def _seconds_to_propose(self) -> float:
        """Return how long hyperplanes may be proposed, before it is time to count their errors in a pass."""
        one = self.passes.seconds_of_one
        return max(0.0, min(max(_LEAST_TURN, one, 0.1 * self.clock.left()), self.clock.left() - _MORE_THAN_A_PASS * one))

    def _proposed(self, seconds: float) -> Dyadic | None:
        """Search among the rows held; return the hyperplane that has fewest of them wrong, in float64, if it is one."""
        self.clock.check()
        problem = self.working.problem
        progress.report(lambda: f"between {self.lower:,} and {self.upper:,} errors, {len(self.working):,} rows held")
        witness = self.deciding.witness
        known = None if witness is None else Obstruction.of(problem, witness)
        found = least_errors_of_problem(problem, None, max(seconds, _LEAST_SECONDS), self.seed, known)
        if self.held is None or found.lower > self.held.lower:
            self.held = found
            self._record()
        rounded = nearby(found.weights)
        return None if rounded is None else Dyadic.from_parts(rounded)

    def _count(self, candidates: list[Dyadic], window: Window) -> tuple[int, Near]:
        """Count the errors of hyperplanes on all rows, and hold rows that matter for the first.

        Return how many of these are new, and the rows in a window.
        """
        most = _MORE_ROWS + _MORE_ROWS_PER_COLUMN * self.problem.width
        self.passes.doing = f"between {self.lower:,} and {self.upper:,} errors, counting those of hyperplanes"
        counts, rows, beside = np.zeros(len(candidates), np.int64), None, Near(0, ())
        for _, (some, part, more) in self.passes.map(_ask, candidates, most, window):
            counts += some
            beside = beside.plus(more)
            rows = part if rows is None else Rows.together([rows, part]).lowest(10 * most)
        for weights, errors in zip(candidates, counts.tolist(), strict=True):
            self._take(weights, errors)
        self._record()
        full = len(self.working) > _MOST_HELD + _MOST_HELD_PER_COLUMN * self.problem.width
        return 0 if rows is None or full else self.working.add(rows), beside

    # The answer.

    def _result(self, interrupted: bool) -> BatchedDisagreement:
        self._record()
        held = self._named()
        packing = Packing((), (Leaf((), ()),))
        if held is not None and held.certificate.packing is not None:
            packing = _numbered(held.certificate.packing, self._numbers)
        certificate = Certificate(
            Claim.ERRORS_AT_LEAST, self.subject, errors=ErrorBound(Fraction(self.lower)), packing=packing
        )  # fmt: skip
        return BatchedDisagreement(
            lower=self.lower, upper=self.upper, certificate=certificate, weights=self.best, interrupted=interrupted,
            problem=self.problem, history=tuple(self.history), held=held,
            holds_all=self.all is not None and held is not None and held.weights == self.best,
        )  # fmt: skip

    @property
    def _numbers(self) -> NDArray[np.int64]:
        """The numbers that the rows held have among all rows."""
        return self.working.numbers if self.all is None else self.all

    def _named(self) -> Disagreement | None:
        """Return what is proved of the rows held, which are called by their places among all."""
        if self.held is None and self.deciding.witness is not None:  # there was no time for more than this one error
            known = Obstruction.of(self.working.problem, self.deciding.witness)
            self.held = least_errors_of_problem(self.working.problem, None, _LEAST_SECONDS, self.seed, known)
        if self.held is None:
            return None
        problem = self.held.problem
        origin = Origin(self.problem.batches.places, self._numbers[: problem.n])
        return replace(self.held, problem=replace(problem, rows=problem.rows.coming_from(origin)))


def _numbered(packing: Packing, numbers: NDArray[np.int64]) -> Packing:
    """Return a packing with the numbers that rows have among all rows."""
    pool = tuple(replace(each, rows=tuple(numbers[list(each.rows)].tolist())) for each in packing.obstructions)
    nodes = (replace(node, row=int(numbers[node.row])) if isinstance(node, Split) else node for node in packing.nodes)
    return Packing(pool, tuple(nodes))
