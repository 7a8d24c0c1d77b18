"""The convergence theorem, audited on a run through rows in blocks.

The proof speaks of the rows erred on, one after another, and of three numbers of all rows: the radius, the margin, and
whether a run that came to an end has every row right. The rows erred on are fetched, each once, and audited as rows in
memory are; the numbers take a pass each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from .._types import Floats, Indices
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rational
from ..perceptron.trace import Prefix, UpdateRule, radius_squared
from ..problem.batches import BatchedProblem, Batches
from ..problem.blocks import Setting
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from ..support.clock import present
from ..support.counts import counted
from ..theorem.auditing import require_perceptron, require_rows
from ..theorem.ledger import Ledger
from ..theorem.replay import first_wrong, refusal, refuse_wrong, trace_of
from ..theorem.stars import GivenStar, least_at, star_of, star_weights
from ..theorem.statements import Auditor, Whole
from .bounding import margin_or_obstruction, refuse_infallible
from .learning import Lesson, refuse_order
from .passes import Passes


def audit(
    batches: Batches,
    perceptron: Any,
    *,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
    star: ArrayLike | None = None,
) -> Ledger:
    """Audit the theorem on a run; parameters as in `separatrix.audit`."""
    require_perceptron(perceptron)
    problem = _problem_for(batches, perceptron)
    require_rows(perceptron, problem.d, problem.n, problem.digest)
    return _Audit(perceptron, problem, coef_init, intercept_init, star).ledger()


def _problem_for(batches: Batches, perceptron: Perceptron) -> BatchedProblem:
    """Return the problem that a perceptron has learnt, or is said to have."""
    facts, classes = batches.facts, perceptron.classes_.tolist()
    strange = [label for label in facts.classes if label not in classes]
    if strange:
        raise ValueError(
            refusal(f"They have the class {strange[0]!r}, and it was fitted on {classes[0]!r} and {classes[1]!r}.")
        )
    signs = tuple(1.0 if label == classes[1] else -1.0 for label in facts.classes)
    setting = Setting(facts=facts, classes=tuple(classes), signs=signs, intercept=bool(perceptron.fit_intercept))
    return BatchedProblem(batches=batches, setting=setting)


@dataclass
class _Audit:
    """An audit: the run, the rows erred on, and what passes over all rows tell."""

    perceptron: Perceptron
    problem: BatchedProblem
    coef_init: Any
    intercept_init: Any
    star: Any

    def __post_init__(self) -> None:
        self.passes = Passes(self.problem, present())
        self.tie = TIES[self.perceptron.tie]
        twin = clone(self.perceptron).set_params(
            record=False, average=False, time_limit=None, max_iter=int(self.perceptron.n_iter_)
        )
        self.lesson = Lesson.begin(twin, self.problem, self.coef_init, self.intercept_init)
        self.lesson.rule = replace(self.lesson.rule, record=True)
        self.start = self.lesson.standing.weights

    def ledger(self) -> Ledger:
        """Return what is found."""
        trace, violations = trace_of(self.perceptron, self)
        if self.perceptron.halted_:
            self.passes.doing = "whether the run has all rows right"
            weights = learnt_by(self.perceptron).weights
            found = [row for _, row in self.passes.map(_first_wrong, weights, self.tie) if row is not None]
            refuse_wrong(self.problem, min(found, default=None))
        star = self._star()
        margin, obstruction = self._margin()
        self.passes.doing = "the radius"
        squares = [square for _, square in self.passes.map(_radius_squared)]
        problem, numbers = self._erred(trace)
        whole = Whole(problem=self.problem, numbers=numbers, radius_squared=max(squares), step_range=self._step_range())
        auditor = Auditor(
            perceptron=self.perceptron, lifted=Lifted.of(problem), trace=np.searchsorted(numbers, trace),
            steps=self._steps(problem), margin=margin, obstruction=obstruction, star=star, whole=whole,
        )  # fmt: skip
        return auditor.ledger(violations)

    # What the run did, as `theorem.replay.Runs` asks.

    def places(self, recorded: NDArray[Any]) -> Indices | None:
        """Return the rows of a trace; None if there are no such rows."""
        there = recorded.ndim == 1 and recorded.dtype.kind in "iu"
        there = there and (not recorded.size or (int(recorded.min()) >= 0 and int(recorded.max()) < self.problem.n))
        return np.ascontiguousarray(recorded, np.int64) if there else None

    def add_up(self, trace: Indices, exact: Dyadic | Quotient) -> bool:
        """Whether the rows of a trace add up to these weights."""
        problem, numbers = self._erred(trace)
        weights = Prefix(problem, np.searchsorted(numbers, trace), self._steps(problem)).at(trace.size)
        return weights.times_fraction(self.lesson.rule.unit) == exact

    def again(self, exact: Dyadic | Quotient) -> tuple[Indices | None, str]:
        """Repeat the run; return its trace if it comes to the same weights, else None and what to say."""
        perceptron = self.perceptron
        refuse_order(perceptron)
        if self.lesson.shuffled and not isinstance(perceptron.random_state, int | np.integer):
            return None, (
                f"Its order, {perceptron.order!r}, was drawn with random_state={perceptron.random_state!r} and cannot be "
                "repeated: fit with record=True, or with a whole number as random_state."
            )
        self.lesson.learn()
        standing = self.lesson.standing
        if standing.mistakes != perceptron.n_mistakes_ or standing.weights.times_fraction(self.lesson.rule.unit) != exact:
            return None, "Repeated on them, it comes to other weights: they are not the rows it was fitted on."
        return self.lesson.erred(), ""

    # The rows erred on.

    def _erred(self, trace: Indices) -> tuple[Problem, Indices]:
        """Return the rows erred on, each once, and their numbers, in ascending order; one row if there are none."""
        numbers = np.unique(trace) if trace.size else np.array([0])
        if self._held is None or not np.array_equal(self._held[1], numbers):
            facts = self.problem.facts
            if numbers.size * facts.longest > self.problem.batches.most_numbers:
                raise ValueError(
                    f"The run erred on {counted(numbers.size, 'row')}, and an audit needs all of them in memory, which does "
                    "not hold so many. Audit a run of fewer passes, or allow more memory."
                )
            self._held = self.problem.take(numbers.tolist()), numbers
        return self._held

    _held: tuple[Problem, Indices] | None = None

    def _steps(self, problem: Problem) -> UpdateRule:
        """Return what mistakes on these rows add."""
        rule, counted_in, rate = self.lesson.rule, Fraction(1, self.problem.facts.denominator), Fraction(1)
        if self.start:  # from zero, the learning rate cancels
            counted_in, rate = rule.unit, read_rational(self.perceptron.eta0, "eta0")
        multiples: Floats | None = None
        if rule.steps is not None:
            multiples = np.array(rule.steps)[(problem.y > 0.0).astype(np.int64)]
        return UpdateRule(self.start, multiples, rule.factor, self.tie, counted_in, rate)

    def _step_range(self) -> tuple[Fraction, Fraction]:
        steps = self.lesson.rule.steps or (1.0,)
        rate = read_rational(self.perceptron.eta0, "eta0") if self.start else Fraction(1)
        return Fraction(min(steps)) * rate, Fraction(max(steps)) * rate

    # What is true of all rows.

    def _star(self) -> GivenStar | None:
        if self.star is None:
            return None
        self.passes.doing = "the margin of the w* given"
        weights = star_weights(self.star, self.problem)
        score, row = min(found for _, found in self.passes.map(least_at, weights, self.tie))
        return star_of(weights, self.problem, score, row)

    @cached_property
    def _fallible(self) -> bool:
        """Whether all rows can be wrong."""
        if self.problem.intercept or not self.tie:
            return True
        return all(found for _, found in self.passes.map(_all_fallible, self.tie))

    def _margin(self) -> tuple[Margin | None, Certificate | None]:
        """Find the margin of all rows, or what proves that there is none."""
        refuse_infallible(self._fallible, self.perceptron.tie, "audit a run")
        return margin_or_obstruction(self.problem)


def _first_wrong(problem: Problem, start: int, weights: Dyadic, tie: int) -> int | None:
    return first_wrong(Lifted.of(problem), start, weights, tie)


def _radius_squared(problem: Problem, start: int) -> Fraction:
    return radius_squared(Lifted.of(problem))


def _all_fallible(problem: Problem, start: int, tie: int) -> bool:
    return bool(problem.is_fallible(tie).all())
