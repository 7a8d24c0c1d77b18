"""Is there a hyperplane that separates rows in blocks? Row generation, and the proof, in few passes.

Some rows are held in memory, and decided by the search that decides rows in memory. What it finds for them is asked of all
rows: have the weights all of them right but for those that are *tied*, that is in the span of an obstruction that is held?
If so, the verdict holds for all. The tied rows are 0 under every weak separator, as those of the obstruction are, and they
add up to something that enough of the obstruction outweighs; the others are separated. If not, rows that are wrong are held
as well, those with the lowest scores. Each time there is at least one that is not held yet, so it ends; also where there is
no room for all of them, and some are let go (`Deciding._make_room` says why).

The first blocks are asked first, then twice as many, and so on, since few rows tell most: when all blocks are asked, most
of the rows that decide are held already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows
from ..problem import spans
from ..problem.batches import BatchedProblem, Batches
from ..problem.blocks import Setting
from ..problem.lifted import Lifted
from ..problem.ties import TIES
from ..proof import claim_checks
from ..proof.certificate import Certificate, Subject
from ..proof.claim_checks import Question, Seen
from ..proof.claims import Claim, Cover, Obstruction, Separator
from ..separation.centres import centred
from ..separation.covers import basis_of, outweighed
from ..separation.decision import half_proved, message_of, positive_beside, when_stopped
from ..separation.explanation import Sides, closest_rows
from ..separation.search import Search
from ..separation.verdict import Status
from ..support.blas import one_thread
from ..support.clock import STOPS, Clock
from ..support.counts import counted
from ..support.interruption import is_kept, stoppable
from .asking import Asked, Told, ask, sample, scores_of
from .passes import Passes
from .verdicts import BatchedVerdict
from .working_rows import Rows, WorkingRows, lowest

_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN = 200, 6
"""Rows of each class that the first blocks give: so many, and so many for each column besides."""

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 100, 3
"""Rows of each class that a block gives at a time, at most: so many, and so many for each column besides."""

_MOST_ROWS, _MOST_ROWS_PER_COLUMN = 1000, 30
"""Rows of each class that are taken up at a time, at most, of what all blocks give: so many, and so many for each column."""

_LEAST_ROWS_PER_COLUMN = 2
"""Rows of each class that are taken at a time, however little room there is: so many for each weight."""

_SPARE = 20
"""How many times rows are let go without anything that shows progress."""

_NEAREST = 3
"""Rows that are to be known of those nearest to a hyperplane."""


def question_of(batches: Batches, positive: Any, intercept: bool, tie: str) -> BatchedProblem:
    """Return the problem. Under a tie rule, without an intercept, it matters on which side a single class is."""
    classes = batches.facts.classes
    if tie == "update" or intercept or len(classes) != 1:
        return BatchedProblem.of(batches, positive=positive, intercept=intercept)
    known = BatchedProblem.of(batches, intercept=False)
    positive = positive_beside(classes[0], positive)
    if classes[0] == positive:
        return known
    setting = Setting(facts=batches.facts, classes=(classes[0], positive), signs=(-1.0,), intercept=False)
    return replace(known, setting=setting)


def decide(
    batches: Batches,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    tie: str = "update",
    time_limit: float | None = None,
) -> BatchedVerdict:
    """Decide whether a hyperplane separates the classes, and prove it; parameters as in `separatrix.decide`."""
    clock = Clock(time_limit)
    return Deciding(question_of(batches, positive, fit_intercept, tie), clock, tie).run()


class Deciding:
    """The search for one verdict."""

    def __init__(self, problem: BatchedProblem, clock: Clock, tie: str = "update", two: bool | None = None) -> None:
        self.problem, self.clock, self.tie, self.two = problem, clock, tie, two
        self.subject = Subject.of(problem, "update" if problem.intercept else tie)
        self.passes = Passes(problem, clock)
        self.held = WorkingRows(problem)
        self.rng = np.random.default_rng(0)
        self.D = problem.width
        self.weights: Dyadic | None = None
        """What is asked of all rows: weights that have the rows held right, but for tied ones; None: all are tied."""
        self.tied: list[int] = []
        """Independent tied rows, by their places, which span the others that are known."""
        self.together: dict[int, int] = {}
        """An obstruction that spans them."""
        self.witness: dict[int, int] | None = None
        self._gap = math.inf
        """How far the nearest row held is from the hyperplane, but for tied ones."""
        self._least_gap: dict[int, float] = {}
        """For numbers of tied rows the least gap at which rows were let go."""
        self._spare = _SPARE

    @one_thread
    @stoppable
    def run(self) -> BatchedVerdict:
        """Search until the verdict is proved."""
        try:
            return self.verdict(self.settle())
        except STOPS as reason:
            return self._unknown(is_kept(reason))

    # What is asked of all rows, and what comes of it.

    def settle(self) -> Told:
        """Hold more rows until what is found for them holds for all; return what all rows tell."""
        told = self.search()
        assert told is not None
        return told

    def search(self, *, until_witness: bool = False) -> Told | None:
        """Do as `settle` does; or, if so wanted, no more than to find a witness where there is one, and return None then."""
        blocks = self.problem.blocks
        self._begin(blocks[: self.problem.batches.at_once])
        size, at, again = self.problem.batches.at_once, 0, 0
        known: Told | None = None
        asked, left = self._asked(), len(blocks)
        while left:
            if until_witness and self.witness is not None:
                return None
            some = [blocks[(at + k) % len(blocks)] for k in range(min(size, left))]
            told = self._tell(asked, some)
            known = told if known is None else known.with_(told, self._most)
            if not told.wrong:
                left -= len(some)
                at, size = at + len(some), 2 * size
                continue
            assert told.rows is not None
            self._make_room(len(told.rows.numbers))
            new = self.held.add(told.rows)
            if not new:
                raise ArithmeticError("rows that are held are wrong, though weights have them right")
            asked, left, known = self._asked(), len(blocks), None
            again += len(some)
            if again > len(blocks):  # few blocks are asked again until they are right: that is soon done
                at, size = at + len(some), 2 * size
        assert known is not None
        if known.rows is not None:
            self.held.add(known.rows)  # those next to the hyperplane, for whoever asks
        return known

    @property
    def _room(self) -> int:
        """How many rows may be held."""
        return int(self.problem.batches.most_numbers // max(1, self.problem.facts.longest))

    def _at_a_time(self, rows: int, per_column: int) -> int:
        """Return how many rows of each class are taken at a time: few where there is little room."""
        return min(rows + per_column * self.D, max(self._room // 8, _LEAST_ROWS_PER_COLUMN * self.D))

    @property
    def _most(self) -> int:
        return self._at_a_time(_MOST_ROWS, _MOST_ROWS_PER_COLUMN)

    def _make_room(self, coming: int) -> None:
        """Let go of the rows held that are farthest from the hyperplane, if there is no room for so many more.

        The search ends all the same. Each round but those in which rows are let go makes the rows held more, of which there
        are no more than all; so it suffices that rows are let go a limited number of times. That is so since one of these
        holds each time: more directions are tied than ever before, of which there are no more than columns; the gap is less
        than whenever rows were let go with as many tied, and there are so many floats only; or one of a few spare times is
        used up. (As a rule the gap does get less: that of rows among which some are wrong is less than the widest gap
        without these, which the nearest rows alone determine, and they are kept.) When all that is over, rows are held
        beyond what there is room for.
        """
        if self.weights is None or len(self.held) + coming <= self._room:
            return
        tied = len(self.tied)
        if not self._gap < self._least_gap.get(tied, math.inf):
            if not self._spare:
                return
            self._spare -= 1
        self._least_gap[tied] = min(self._gap, self._least_gap.get(tied, math.inf))
        problem = self.held.problem
        lifted = Lifted.of(problem)
        scores = scores_of(lifted, self.weights, not problem.intercept)
        scores[lifted.signs(self.weights) == 0] = np.inf  # of tied rows those that are named suffice
        named = {*self.tied, *self.together, *(self.witness or {})}
        near = lowest(scores, problem.y, max(self._room // 4, _LEAST_ROWS_PER_COLUMN * self.D))
        place = self.held.keep(np.union1d(near, sorted(named)).astype(np.int64))
        self.tied = [place[i] for i in self.tied]
        self.together = {place[i]: number for i, number in self.together.items()}
        self.witness = None if self.witness is None else {place[i]: number for i, number in self.witness.items()}

    def _begin(self, blocks: Sequence[int]) -> None:
        """Hold some of the first rows."""
        self.passes.doing = "looking for a hyperplane"
        first = self._at_a_time(_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN)
        for _, rows in self.passes.map(sample, first, blocks=blocks):
            self.held.add(rows)

    def _tell(self, asked: Asked, blocks: Sequence[int]) -> Told:
        """Ask some blocks."""
        parts = (part for _, part in self.passes.map(ask, asked, blocks=blocks))
        return reduce(lambda known, part: known.with_(part, self._most), parts)

    def _asked(self) -> Asked:
        """Decide the rows that are held, and return what is to be asked of all rows."""
        self._propose()
        full = len(self.tied) == self.D
        problem, sums = self.held.problem, () if self.together else None
        question = Question(
            weights=self.weights, weak=bool(self.together), loser=-TIES[self.subject.tie], listed=sums
        )  # fmt: skip
        tied = None
        if self.together:
            tied = [] if full else spans.annihilators(problem.lifted(self.tied), self.rng)
        reach = -math.inf
        if self.weights is not None:
            lifted = Lifted.of(problem)
            scores = np.sort(scores_of(lifted, self.weights, not problem.intercept)[lifted.signs(self.weights) > 0])
            reach = float(scores[min(_NEAREST, scores.size) - 1])
            self._gap = float(scores[0] / np.linalg.norm(self.weights.times_power(-self.weights.magnitude()).round()))
        self.passes.doing = f"asking all rows what holds for {len(self.held):,} of them"
        return Asked(question, self.two, tied, reach, self._at_a_time(_MORE_ROWS, _MORE_ROWS_PER_COLUMN))

    def _propose(self) -> None:
        """Find weights for the rows held, those that are tied excepted; the more so if some of them turn out to be."""
        if len(self.tied) == self.D:
            self.weights = None
            return
        problem = self.held.problem
        search = Search(problem, self.clock)
        if not self._centre(search):
            found = search.run()
            self.weights = found.weights
            if found.witness is None:
                return
            self.witness = self.witness or found.witness
            inner = search.narrow or search
            self.together = inner.together
            self.tied = basis_of(problem, list(self.together))
            self._centre(search)

    def _centre(self, search: Search) -> bool:
        """Take weights in the middle of the gap between the rows that are not tied, if they are soon found."""
        live = ~spans.spanned(search.problem, self.tied, self.rng) if self.together else np.ones(search.problem.n, bool)
        weights = centred(search, live, self.tied) if live.any() else None
        self.weights = weights or self.weights
        return weights is not None

    # The verdict.

    def verdict(self, told: Told) -> BatchedVerdict:
        """Return the verdict that follows from what all rows tell, with its proof."""
        certificate = self._certificate(told.seen)
        strict = Status(certificate.claim)
        if self.subject.tie != "update" and strict != Status.SEPARABLE:
            certificate = self._under_rule(told, certificate)
        rows = None if certificate.cover is None else certificate.cover.rows
        seen = replace(told.seen, outside=self._outside(rows or ()))
        claim_checks.check(certificate, self.held, seen)
        status = Status(certificate.claim)
        message = message_of(self.problem, certificate, status, seen.zero)
        return BatchedVerdict(
            status, certificate, message, self.problem, self.tie, strict,
            sides=self._sides(told, certificate), level=told.level, passes=self.passes.count,
        )  # fmt: skip

    def _certificate(self, seen: Seen) -> Certificate:
        separator = None if self.weights is None else Separator.of(self.weights, self.problem.intercept)
        if self.witness is None:
            return Certificate(Claim.SEPARABLE, self.subject, separator)
        claim = Claim.OVERLAPPING if separator is None else Claim.QUASI_SEPARABLE
        return Certificate(claim, self.subject, separator, self._obstruction(self.witness), self._cover(seen))

    def _obstruction(self, multipliers: dict[int, int]) -> Obstruction:
        """Return an obstruction with the numbers that its rows have among all rows."""
        named = self.held.named(multipliers)
        rows = sorted(named)
        listed = self.held.take(rows)
        points, numbers = listed.points(list(range(listed.n))), tuple(Fraction(named[i]) for i in rows)
        return Obstruction(tuple(rows), tuple(int(y) for y in listed.y), points, numbers)

    def _cover(self, seen: Seen) -> Cover:
        """Return multipliers for all tied rows, from their sum."""
        together, total = self.held.named(self.together), seen.total
        assert total is not None
        if len(together) == seen.zero:
            return Cover.of(together, 1)
        shares = IntegerRows.of(self.held.problem.lifted(self.tied)).coordinates(total)
        return outweighed(together, self.held.named(dict(zip(self.tied, shares, strict=True))))

    def _outside(self, rows: Sequence[int]) -> int | None:
        """Return the first of some rows that are held that does not score 0."""
        if self.weights is None or not rows:
            return None
        some = self.held.take(rows)
        signs = Lifted.of(some).signs(self.weights)
        return next((i for i, sign in zip(rows, signs.tolist(), strict=True) if sign), None)

    def _under_rule(self, told: Told, strict: Certificate) -> Certificate:
        """Decide under a tie rule what is not strictly separable, as `separation.decision` does.

        If no tied row is of the loser, the class that a score of 0 does not predict, the separator of the others has all
        right. Else such a row is in an obstruction with those held, since they add up to zero.
        """
        loser = -TIES[self.subject.tie]
        weights = Dyadic([0] * self.D, 0) if self.weights is None else self.weights
        if told.losing is None:
            return Certificate(Claim.SEPARABLE, self.subject, Separator.of(weights, self.problem.intercept))
        assert strict.obstruction is not None
        if loser in strict.obstruction.labels:
            return strict
        row = self.held.take([told.losing])
        self.held.add(Rows(np.array([told.losing]), np.zeros(1), row))
        problem = self.held.problem
        tied = Lifted.of(problem).signs(weights) == 0
        found = Search(problem, self.clock).obstruction_of(loser, tied)
        return replace(strict, obstruction=self._obstruction(found))

    def _sides(self, told: Told, certificate: Certificate) -> Sides:
        separator = certificate.separator
        if separator is None:
            return Sides()
        problem, closest = self.held.problem, []
        if certificate.claim == Claim.SEPARABLE:
            closest = closest_rows(problem, separator)
        near = tuple((far, int(self.held.numbers[k]), int(problem.y[k])) for far, k in closest)
        return Sides(told.seen.above, told.first, near)

    def _unknown(self, interrupted: bool) -> BatchedVerdict:
        proof = None if self.witness is None else half_proved(self.subject, self._obstruction(self.witness))
        if proof is not None:
            claim_checks.check(proof, self.held)
        stage = f"{self.passes.doing} ({counted(math.ceil(self.passes.count), 'pass')} begun, {len(self.held):,} rows held)"
        text = when_stopped(interrupted, self.clock, stage, proof)
        return BatchedVerdict(
            Status.UNKNOWN, proof, text, self.problem, self.tie, Status.UNKNOWN, passes=self.passes.count
        )  # fmt: skip
