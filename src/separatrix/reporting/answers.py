"""The answers of a report, gathered one after the other: each is timed, and Ctrl-C ends with those that are there.

Where there is a time limit, each has a share of what is left of it. One that would need more than there is, if only to read
the rows, is not begun.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..comparison.comparing import Entries, compare_entries
from ..comparison.results import Comparison
from ..errors.disagreement import Disagreement
from ..errors.least_errors import least_errors_of_problem
from ..estimators.perceptron import Perceptron
from ..estimators.scaler import Scaler, scaling_of
from ..estimators.shared.asking import unasked
from ..exact.rounding import nearest
from ..problem.problem import Problem
from ..problem.rows import stored
from ..problem.scaling import Kind
from ..separation.decision import decide_problem
from ..separation.margins import Margin
from ..separation.maximum_margin import margin_of_problem
from ..separation.separating_columns import SECONDS_FOR_COLUMNS
from ..separation.verdict import Status, Verdict
from ..support.clock import Clock, OutOfTime, within
from ..support.interruption import delegating, is_kept, stoppable
from ..support.progress import part
from ..support.recorded_warnings import about_the_work
from ..theorem.auditing import audit
from ..theorem.ledger import Ledger
from .material import Material

SHARE_OF_PAGE = 0.15
"""What is kept of the time limit for the page, with its pictures."""

SECONDS_AFTER_CTRL_C = 1.0
"""Seconds for the pictures of a page that is written after Ctrl-C."""

VERDICT, MARGIN, ERRORS, RUN, THEOREM, COMPARISON = (
    "the verdict", "the margin", "the fewest errors", "a run of the perceptron", "the convergence theorem", "the comparison",
)  # fmt: skip

_SHARES = {VERDICT: 0.5, MARGIN: 0.5, ERRORS: 0.4, RUN: 0.3, THEOREM: 0.5, COMPARISON: 1.0}
"""What a part may take of the time that is left when it begins."""

_NUMBERS_PER_SECOND = {VERDICT: 1e9, MARGIN: 1e8, ERRORS: 4e7, RUN: 2e7, THEOREM: 2e7, COMPARISON: 2.5e7}
"""Numbers of the rows that a part reads in a second, about, before and after what it can be stopped in."""

_NUMBERS_PER_SECOND_FOR_COLUMNS = 1e6
"""The same of the search for few columns that suffice, which reads the rows once for each column."""


@dataclass(frozen=True)
class Limits:
    """How far the work goes."""

    seconds: float | None = None
    """For all of the work together."""
    bound_seconds: float | None = 10.0
    """For the search for the fewest errors, and for that of few columns that suffice, at most."""
    max_iter: int = 1000
    """Passes of the perceptron, at most."""
    cv: int | None = 5
    """Folds of the comparison."""
    seed: int = 0
    scale: Kind | None = None
    """How rows are scaled for the run and the comparison; None: not for the run, and to standard for the comparison."""


@dataclass
class Answers:
    """What was found; None is what was not asked, or not answered before Ctrl-C or the end of the time."""

    verdict: Verdict | None = None
    columns: list[str] | list[int] | None = None
    """Columns that by themselves separate the same rows, where they were found soon enough."""
    margin: Margin | None = None
    perceptron: Perceptron | None = None
    scaler: Scaler | None = None
    """What has scaled the rows of the run."""
    ledger: Ledger | None = None
    disagreement: Disagreement | None = None
    comparison: Comparison | None = None
    interrupted: bool = False
    out_of_time: bool = False
    missing: list[str] = field(default_factory=list)
    """What Ctrl-C, or the end of the time, left undone, in words."""
    left: float | None = None
    """Seconds for the pictures of the page: what is left of a time limit, or few after Ctrl-C."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each took, by its name."""
    notes: list[str] = field(default_factory=list)
    """What was warned of on the way."""

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane separates the classes; None if that is not known."""
        return None if self.verdict is None else self.verdict.separable

    def rows_of_run(self, material: Material) -> Any:
        """Return the rows that the perceptron has learnt from."""
        return material.rows if self.scaler is None else self.scaler.transform(material.rows)

    def about_run(self) -> str:
        """Say which rows the run is about."""
        if self.scaler is None:
            return "The run is on the rows as they are."
        return f"The run is on scaled rows: {scaling_of(self.scaler).in_words()}."

    def weights_of_run(self) -> tuple[list[float], float]:
        """Return the weights of the run and their intercept, for columns as they are."""
        assert self.perceptron is not None
        if self.scaler is None:
            return self.perceptron.coef_[0].tolist(), float(self.perceptron.intercept_[0])
        weights = scaling_of(self.scaler).in_given_units(self.perceptron.exact_weights().fractions())
        return [nearest(weight) for weight in weights[:-1]], nearest(weights[-1])


@stoppable
def gather(material: Material, limits: Limits) -> Answers:
    """Ask everything that can be asked of the data, and tell how far it is."""
    work = _Work(material, limits)
    parts = work.of_two_classes(material.problem) if material.problem is not None else work.of_several()
    for k, (name, ask) in enumerate(parts.items()):
        if work.answers.interrupted:
            work.answers.missing.append(name)
        elif not work.has_time_for(name):
            work.give_up(name)
        else:
            work.do(f"{name} ({k + 1} of {len(parts)})", name, ask)
    if work.answers.interrupted:
        work.answers.left = SECONDS_AFTER_CTRL_C
    elif limits.seconds is not None:
        work.answers.left = work.clock.left() + SHARE_OF_PAGE * limits.seconds
    return work.answers


class _Work:
    """Answers in the making."""

    def __init__(self, material: Material, limits: Limits) -> None:
        self.material, self.limits = material, limits
        self.answers = Answers()
        self.numbers = stored(material.rows.numerators)
        self.clock = Clock(None if limits.seconds is None else (1.0 - SHARE_OF_PAGE) * limits.seconds)
        self.share = self.clock
        """The clock of the part at hand."""

    def of_two_classes(self, problem: Problem) -> dict[str, Callable[[], None]]:
        """Return what there is to ask, in order."""
        return {
            VERDICT: lambda: self._decide(problem),
            MARGIN: lambda: self._margin(problem),
            ERRORS: lambda: self._least_errors(problem),
            RUN: self._fit,
            THEOREM: self._audit,
            COMPARISON: self._compare,
        }

    def of_several(self) -> dict[str, Callable[[], None]]:
        """Return the same of more than two classes, of which nothing is proved."""
        return {RUN: self._fit, COMPARISON: self._compare}

    def has_time_for(self, name: str) -> bool:
        """Whether there is time to begin with a part."""
        if self.clock.limit is None or (name == MARGIN and self.answers.separable is False):
            return True
        if name == THEOREM and self.answers.perceptron is None:
            return False
        return self.numbers / _NUMBERS_PER_SECOND[name] < self.clock.left()

    def give_up(self, name: str) -> None:
        """Keep in mind that there was no time for a part."""
        self.answers.out_of_time = True
        self.answers.missing.append(name)

    def do(self, told: str, name: str, ask: Callable[[], None]) -> None:
        """Do a part of the work, however it ends."""
        answers, started = self.answers, time.perf_counter()
        self.share = Clock(None if self.clock.limit is None else max(_SHARES[name] * self.clock.left(), 1e-9))
        try:
            with part(told), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it itself
                ask()
            answers.notes += [str(each.message) for each in about_the_work(caught)]
        except KeyboardInterrupt as reason:
            answers.interrupted = is_kept(reason)
            answers.missing.append(name)
        except (OutOfTime, TimeoutError):
            self.give_up(name)
        else:
            if answers.interrupted:
                answers.missing.append(f"the rest of {name}")
        answers.seconds[name] = time.perf_counter() - started

    def _decide(self, problem: Problem) -> None:
        self.answers.verdict = verdict = decide_problem(problem, self.share)
        if verdict.status is Status.UNKNOWN:
            self.give_up(VERDICT if verdict.separable is None else f"the rest of {VERDICT}")
        if self.numbers / _NUMBERS_PER_SECOND_FOR_COLUMNS > self.share.left():
            verdict.leave_columns()
            return
        limits = self._for_search(), self.share.left(), SECONDS_FOR_COLUMNS
        self.answers.columns = verdict.columns_within(min(limit for limit in limits if limit is not None))

    def _margin(self, problem: Problem) -> None:
        if self.answers.separable is None:
            raise OutOfTime
        if self.answers.separable:
            self.answers.margin = found = margin_of_problem(problem, "geometric", clock=self.share)
            if found.interrupted:
                self.give_up(f"the rest of {MARGIN}")

    def _fit(self) -> None:
        perceptron = Perceptron(max_iter=self.limits.max_iter, record=True, time_limit=self.share.limit)
        if self.limits.scale not in (None, "none"):
            self.answers.scaler = Scaler(self.limits.scale).fit(self.material.rows)
        try:
            with unasked():
                perceptron.fit(self.answers.rows_of_run(self.material), self.material.labels)
        finally:  # also on Ctrl-C: the weights of that moment
            if hasattr(perceptron, "classes_"):
                self.answers.perceptron = perceptron

    def _audit(self) -> None:
        assert self.answers.perceptron is not None
        with within(self.share):
            found: Any = audit(self.answers.perceptron, self.answers.rows_of_run(self.material), self.material.labels)
        self.answers.ledger = found

    def _least_errors(self, problem: Problem) -> None:
        certificate = None if self.answers.verdict is None else self.answers.verdict.certificate
        known = None if certificate is None else certificate.obstruction
        with delegating():
            found = least_errors_of_problem(problem, None, self._for_search(), self.limits.seed, known)
        self.answers.disagreement, self.answers.interrupted = found, found.interrupted
        found.tell_of_rounding()

    def _compare(self) -> None:
        material, limits = self.material, self.limits
        entries = Entries(material.rows, material.labels, material.problem, material.classes, [])
        scale = limits.scale or "standard"
        with delegating():
            found = compare_entries(
                entries, None, limits.cv, scale, limits.bound_seconds, limits.seed, self.answers.disagreement, self.share
            )
        self.answers.comparison, self.answers.interrupted = found, found.interrupted

    def _for_search(self) -> float | None:
        """Return the seconds that a search may take: its own, or what the part has of the time if that is less."""
        limits = [seconds for seconds in (self.limits.bound_seconds, self.share.limit) if seconds is not None]
        return max(min(limits), 1e-9) if limits else None
