"""The statements of the convergence theorem, computed along a trace and held against their lines."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Floats, Indices
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron
from ..perceptron.trace import UpdateRule, follow
from ..problem.batches import AnyProblem, BatchedProblem
from ..problem.lifted import Lifted
from ..problem.row_names import RowNames
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from .alignments import Alignments, allowed
from .ledger import Erred, Ledger
from .lengths import Lengths
from .one_pass import HingeBound, OnlineBound, hinge_bound, online_bound, online_pass
from .replay import first_order
from .stars import GivenStar, Star


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What an audit knows of all rows where it has no more of them at hand than those erred on."""

    problem: BatchedProblem
    numbers: Indices
    """The numbers of the rows at hand among all."""
    radius_squared: Fraction
    step_range: tuple[Fraction, Fraction]
    """The smallest step, and the largest, on any row."""


@dataclass(kw_only=True)
class Auditor:
    """Holds every line of the proof against the course of a run."""

    perceptron: Perceptron
    lifted: Lifted
    trace: Indices
    steps: UpdateRule
    margin: Margin | None
    obstruction: Certificate | None
    star: GivenStar | None = None
    whole: Whole | None = None

    def __post_init__(self) -> None:
        best = None if self.margin is None else self.margin.weights
        self.course = follow(self.lifted, self.trace, self.steps, best)
        self.lengths = Lengths(lifted=self.lifted, trace=self.trace, steps=self.steps, course=self.course)
        if self.whole is not None:
            self.lengths.radius_squared = self.whole.radius_squared
        self.best: Alignments | None = None
        if self.margin is not None:
            self.best = Alignments(
                lengths=self.lengths, course=self.course, star=self.margin.weights,
                margin_squared=self.margin.lo_squared, margin=self.margin.lo,
            )  # fmt: skip

    def ledger(self, violations: list[str]) -> Ledger:
        """Return what was found, besides violations that are known already."""
        course, lengths, best = self.course, self.lengths, self.best
        violations = violations + self._wrong_steps()
        violations += _told(lengths.decided()) + lengths.contradicted()
        if best is not None:
            violations += _told(best.decided()) + best.contradicted()
        with np.errstate(all="ignore"):
            arrays = lengths.arrays()
            length_line = arrays["squared_length_line"]
            arrays |= _absent(course.marks.size) if best is None else best.arrays(length_line)
        star = None if self.star is None else self._held(self.star, length_line, violations)
        online, hinge = self._one_pass(violations) if self.margin is None and self.whole is None else (None, None)
        falls = (0, 0) if best is None else best.falls()
        return Ledger(
            problem=self.problem,
            perceptron=self.perceptron,
            steps=self.steps,
            trace=self.trace if self.whole is None else self.whole.numbers[self.trace],
            erred=None if self.whole is None else Erred(self.lifted.problem, self.whole.numbers),
            start_squared=lengths.start_squared,
            mistakes=self.trace.size,
            passes=int(self.perceptron.n_iter_),
            rounds=self._rounds(),
            converged=bool(self.perceptron.halted_),
            radius_squared=lengths.radius_squared,
            margin=self.margin,
            bound=None if self.margin is None else self._bound(self.margin.lo_squared, self.margin.hi_squared),
            run_bound=None if best is None else best.run_bound(),
            growth=None if best is None else best.growth(),
            cosine_steps=falls[0],
            cosine_falls=falls[1],
            zero_scores=course.zeros,
            star=star,
            obstruction=self.obstruction,
            online=online,
            hinge=hinge,
            violations=tuple(violations),
            k=course.marks,
            exact=course.exact,
            updates=np.bincount(self.trace, minlength=self.lifted.problem.n),
            **arrays,
        )

    def _wrong_steps(self) -> list[str]:
        course = self.course
        if not course.wrong:
            return []
        i = int(self.trace[course.first_wrong - 1])
        i = i if self.whole is None else int(self.whole.numbers[i])
        return [
            f"Mistake {course.first_wrong:,} of the trace, on {RowNames(self.problem, [i]).name(i)}, is none: the "
            f"weights before it have the row right. So it is with {course.wrong:,} of {self.trace.size:,} steps."
        ]

    def _held(self, given: GivenStar, length_line: Floats, violations: list[str]) -> Star:
        """Hold a ``w*`` that was given against the run."""
        weights = given.weights.numerators
        course = follow(self.lifted, self.trace, self.steps, weights)
        own = Alignments(
            lengths=self.lengths, course=course, star=weights, margin_squared=given.margin_squared, margin=given.margin
        )
        found = _told(own.decided()) + own.contradicted()
        violations.extend(f"With the w* given: {text[0].lower()}{text[1:]}" for text in found)
        steps, falls = own.falls()
        with np.errstate(all="ignore"):
            arrays: dict[str, Any] = own.arrays(length_line)
        return Star(
            weights=given.weights,
            margin_squared=given.margin_squared,
            row=given.row,
            bound=self._bound(given.margin_squared, given.margin_squared)[1],
            run_bound=own.run_bound(),
            growth=own.growth(),
            cosine_steps=steps,
            cosine_falls=falls,
            **arrays,
        )

    def _one_pass(self, violations: list[str]) -> tuple[OnlineBound, HingeBound]:
        problem, tie = self.lifted.problem, self.perceptron.tie
        observed, directions = online_pass(problem, tie, first_order(self.perceptron, problem))
        online, hinge = online_bound(problem, observed, directions), hinge_bound(problem, observed, directions)
        violations.extend(
            f"One pass made {observed:,} mistakes, more than the {bound.bound:,.6g} allowed."
            for bound in (online, hinge)
            if not bound.holds
        )
        return online, hinge

    def _rounds(self) -> int | None:
        """Return the number of rounds of a run that was shown each row once; None if it went on after that."""
        n, each_once = self.problem.n, bool(np.all(np.bincount(self.trace) <= 1))
        online = learnt_by(self.perceptron).visits == n and each_once and not self.perceptron.halted_
        return n if online else None

    @property
    def problem(self) -> AnyProblem:
        """All rows."""
        return self.lifted.problem if self.whole is None else self.whole.problem

    def _step_range(self) -> tuple[Fraction, Fraction]:
        if self.whole is not None:
            return self.whole.step_range
        if self.steps.plain:
            return Fraction(1), Fraction(1)
        weights = self.steps.multiples
        least, most = (1.0, 1.0) if weights is None else (float(weights.min()), float(weights.max()))
        return Fraction(least) * self.steps.rate, Fraction(most) * self.steps.rate

    def _bound(self, lo_squared: Fraction, hi_squared: Fraction) -> tuple[float, float]:
        """Bound the mistakes that the theorem allows from below and above, for a margin between bounds."""
        known = self.lengths.radius_squared, self.lengths.start_squared, self._step_range()
        return allowed(hi_squared, *known, up=False), allowed(lo_squared, *known, up=True)


def _told(failed: dict[str, int]) -> list[str]:
    return [f"After {k:,} mistakes {statement}: decided exactly." for statement, k in failed.items()]


def _absent(count: int) -> dict[str, Floats]:
    """Return what is shown where there is no ``w*``."""
    names = ("alignment", "alignment_line", "alignment_error", "cosine", "cosine_line")
    return {name: np.full(count, np.nan) for name in names}
