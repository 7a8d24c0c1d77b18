"""The perceptron, learning from rows in blocks: pass by pass, to what it would learn were they in memory, bit for bit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight

from .._types import Indices
from ..estimators.learnt import adopt
from ..estimators.perceptron import LearntPerceptron, Perceptron
from ..estimators.shared.inputs import counted as counted_in
from ..estimators.shared.inputs import initial_guess, require_two_classes
from ..exact.dyadic import Dyadic
from ..exact.float64 import read_float
from ..exact.rationals import read_rational
from ..perceptron.orders import ROWS_TOGETHER, Shuffle
from ..problem.batches import BatchedProblem, Batches, ended
from ..problem.labels import class_array
from ..support import interruption, progress
from ..support.calls import long_fit
from ..support.clock import STOPS, Clock, read_time_limit
from ..support.counts import counted
from ..support.remedies import Message, Question, Remedy
from .checkpoints import Checkpoints
from .walk import Gathering, Rule, Seen, Standing, TooMany, errs, look_at, visit_in_turn, visit_shuffled

_SECONDS_PER_REPORT = 0.2
"""Seconds between two reports of progress, at least."""


@long_fit
def learn(
    perceptron: Perceptron,
    batches: Batches,
    *,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
    checkpoint: str | PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
) -> Perceptron:
    """Have a perceptron learn from rows in blocks; see `Stream.fit`."""
    refuse_others(perceptron)
    perceptron._check_parameters()
    refuse_order(perceptron)
    problem = BatchedProblem.of(batches, intercept=bool(perceptron.fit_intercept), several=True)
    require_two_classes(perceptron, problem.classes)
    lesson = Lesson.begin(perceptron, problem, coef_init, intercept_init)
    if checkpoint is not None:
        lesson.checkpoints = Checkpoints.at(checkpoint, every, resume, lesson)
    elif resume:
        raise ValueError("There is nothing to resume from without a checkpoint: name the file, checkpoint='run.ckpt'.")
    stopped = None
    try:
        lesson.learn()
    except STOPS as reason:
        interrupted = interruption.is_kept(reason)
        if interrupted and not lesson.standing.mistakes:
            raise  # nothing is learnt yet
        stopped = "Ctrl-C" if interrupted else "its time limit"
    finally:
        adopt(perceptron, lesson.learnt())
    lesson.keep()
    if stopped is not None:
        perceptron._tell_of_stop(stopped)
    elif not lesson.halted:
        lesson.tell_of_erring()
    return perceptron


def refuse_others(perceptron: Any) -> None:
    """Refuse all but perceptrons."""
    if not isinstance(perceptron, Perceptron):
        raise TypeError(
            f"A stream teaches sx.Perceptron, also averaged, of two classes or more; got {type(perceptron).__name__}, which "
            "needs all rows in memory. Read as many as memory holds, with sx.read_data, and fit it to those."
        )


def refuse_order(perceptron: Perceptron) -> None:
    """Refuse orders of visits that rows in blocks cannot be visited in."""
    if not isinstance(perceptron.order, str):
        raise ValueError(Message(
            "An order of all rows visits rows wherever they are, and those of a stream are read block by block. Take ",
            Remedy("order", "cyclic"), ", or shuffle them in blocks: ", Remedy("order", "shuffle"), ".",
        ))  # fmt: skip
    if perceptron.order == "random":
        raise ValueError(Message(
            "The order 'random' draws every update among all rows that are misclassified at the time, which would take a "
            "pass for each. Take ", Remedy("order", "shuffle"), ", which draws the order of each pass.",
        ))  # fmt: skip


def class_steps(perceptron: Perceptron, problem: BatchedProblem) -> tuple[float, ...] | None:
    """Return for each class what updates on its rows are multiplied with; None if that is 1 for all."""
    given, classes = perceptron.class_weight, class_array(list(problem.classes))
    if given is None:
        return None
    if isinstance(given, str) and given == "balanced":
        counts = np.array(problem.facts.counts)
        weights = counts.sum() / (len(counts) * counts.astype(np.float64))
    else:
        if isinstance(given, dict):
            given = {label: read_float(weight, f"class_weight[{label!r}]") for label, weight in given.items()}
        weights = compute_class_weight(given, classes=classes, y=classes)
    for label, weight in zip(problem.classes, weights.tolist(), strict=True):
        if not 0.0 < weight < np.inf:
            raise ValueError(
                f"The weight of the class {label!r} is {weight}: a stream takes finite weights above 0. Leave the rows of a "
                "class out when the stream is made, not by its weight."
            )
    return None if np.all(weights == 1.0) else tuple(weights.tolist())


@dataclass(kw_only=True)
class Lesson:
    """A perceptron, the rows in blocks that it learns from, and how far it is."""

    perceptron: Perceptron
    problem: BatchedProblem
    rule: Rule
    first: tuple[str, ...] | None
    """The first weights, if some were given."""
    standing: Standing
    rng: np.random.RandomState
    clock: Clock
    seen: Seen | None = None
    """What is known of the rows, where that is kept."""
    digest: str | None = None
    halted: bool = False
    converged: bool = False
    checkpoints: Checkpoints | None = None
    trace: list[Indices] = field(default_factory=list)
    drawn: Any = None
    """What the numbers of the present pass are drawn from: the state of ``rng`` at its beginning."""
    _told: float = 0.0

    @classmethod
    def begin(cls, perceptron: Perceptron, problem: BatchedProblem, coef: Any, intercept: Any) -> Lesson:
        """Get ready, from zero weights or from others."""
        limit = read_time_limit(perceptron.time_limit)
        clock, start = Clock(limit), initial_guess(problem, coef, intercept)
        unit, weights, factor = read_rational(perceptron.eta0, "eta0") / problem.facts.denominator, None, 1
        if start is not None and start.numerators:
            weights, unit, factor = counted_in(start.numerators, Fraction(1, start.divisor), unit)
        zero = Dyadic([0] * (problem.vectors * problem.width), 0)
        average = bool(perceptron.average)
        rule = Rule.of(
            problem.facts, tie=perceptron.tie, unit=unit, factor=factor, steps=class_steps(perceptron, problem),
            record=bool(perceptron.record), average=average,
        )  # fmt: skip
        standing = Standing(weights=zero if weights is None else weights, total=zero if average else None)
        lesson = cls(
            perceptron=perceptron, problem=problem, rule=rule, first=None if start is None else tuple(start.strings()),
            standing=standing, rng=check_random_state(perceptron.random_state), clock=clock,
        )  # fmt: skip
        if perceptron.record and problem.vectors == 1:  # so that an audit knows the rows
            lesson.take_note()
        return lesson

    @property
    def shuffled(self) -> bool:
        """Whether rows are shuffled."""
        return bool(self.perceptron.order == "shuffle")

    @property
    def block_rows(self) -> int:
        """How many rows are shuffled together."""
        return ROWS_TOGETHER if self.perceptron.block_rows is None else int(self.perceptron.block_rows)

    @property
    def max_iter(self) -> int:
        """The most passes."""
        return int(self.perceptron.max_iter)

    def take_note(self) -> None:
        """Have the digest of the rows made: in the first pass if that goes through them as they stand, else before."""
        if self.seen is not None or self.digest is not None:
            return
        if self.problem.batches.here and not self.shuffled:
            self.seen = Seen()
        else:
            self.digest = self.looked_up(self.problem.n)

    def looked_up(self, stop: int) -> str:
        """Return the digest of the rows up to some number, for which they are read."""
        if not self.problem.batches.here:
            return self.problem.digest()
        return self.look(stop).digest

    def look(self, stop: int) -> Seen:
        """Go through the rows up to some number, and take note of them."""
        seen, last = Seen(), int(np.searchsorted(self.problem.facts.starts[1:], stop, side="left")) + 1
        blocks = range(min(last, len(self.problem.facts.sizes)) if stop else 0)
        with ended(self.problem.fold(look_at, seen, stop, blocks=blocks)) as found:
            for _, seen in found:
                self.clock.check()
                self._report(lambda: "looking at the rows", seen.rows, stop, "rows")
        return seen

    # The run.

    def learn(self) -> None:
        """Go through pass after pass, until one is without a mistake, the passes are over or the time is up."""
        while not self.halted and self.standing.passes < self.max_iter:
            if self.drawn is None:
                self.drawn = self.rng.get_state()
            with ended(self._shuffled_pass() if self.shuffled else self._pass_in_turn()) as stands:
                for standing in stands:
                    with interruption.held_off():
                        self.standing = standing
                        if standing.erred.size:
                            self.trace.append(standing.erred)
                    self._report(self._so_far, self._done(), self.max_iter, "passes")
                    if self.checkpoints is not None:
                        self.checkpoints.write_if_due(self)
                    self.clock.check()
            with interruption.held_off():
                self.halted = self.standing.clean
                self.standing, self.drawn = self.standing.next_pass(), None
                if self.seen is not None and self.digest is None:
                    self.digest = self.seen.digest
            progress.report(self._so_far, self._done(), self.max_iter, "passes")
        self.converged = self.halted and not (self.rule.average and self._errs())

    def _pass_in_turn(self) -> Iterator[Standing]:
        facts = self.problem.facts
        first = int(np.searchsorted(facts.starts[1:], self.standing.visits, side="right"))
        seen = self.seen if self.digest is None else None
        state = (replace(self.standing, erred=self.standing.erred[:0]), seen)
        blocks = range(first, len(facts.sizes))
        with ended(self.problem.fold(visit_in_turn, state, self.rule, blocks=blocks)) as stands:
            for _, (standing, seen) in stands:
                if seen is not None:
                    self.seen = seen
                yield standing

    def _shuffled_pass(self) -> Iterator[Standing]:
        self.rng.set_state(self.drawn)
        shuffle = Shuffle.draw(self.problem.n, self.block_rows, self.rng)
        lengths = [stop - start for start, stop in map(shuffle.rows_of, shuffle.blocks.tolist())]
        turn = int(np.searchsorted(np.cumsum(lengths), self.standing.visits, side="right"))
        blocks = [k for block in shuffle.blocks[turn:].tolist() for k in self._blocks_of(*shuffle.rows_of(block))]
        state = Gathering(standing=self.standing, turn=turn)
        most = self.problem.batches.most_numbers
        try:
            found = self.problem.fold(visit_shuffled, state, self.rule, shuffle, most, blocks=blocks)
            with ended(found) as gathered:
                for _, state in gathered:
                    yield state.standing
        except TooMany:
            raise ValueError(Message(
                f"{counted(self.block_rows, 'row')} shuffled together take more memory than there is. Shuffle fewer "
                "together: ", Remedy("block_rows"), ".",
            )) from None  # fmt: skip

    def _blocks_of(self, start: int, stop: int) -> Sequence[int]:
        """Return the blocks of the stream that some rows are in, those without rows left out."""
        facts = self.problem.facts
        first, last = facts.blocks_of([start, stop - 1]).tolist()
        return [k for k in range(first, last + 1) if facts.sizes[k]]

    def _errs(self) -> bool:
        """Whether the mean of the weights has a row wrong."""
        assert self.standing.total is not None
        weights = self.standing.total if self._visits() else self.standing.weights
        with ended(self.problem.map(errs, self.rule, weights)) as found:
            for _, wrong in found:
                self.clock.check()
                self._report(lambda: "looking whether the mean of the weights has all rows right", None)
                if wrong:
                    return True
        return False

    # What comes of it.

    def _visits(self) -> int:
        return self.standing.passes * self.problem.n + self.standing.visits

    def learnt(self) -> LearntPerceptron:
        """Return what is learnt by now."""
        standing, problem, rule = self.standing, self.problem, self.rule
        columns = problem.columns
        names = None if columns is None else np.array([str(column) for column in columns], object)
        return LearntPerceptron(
            classes=class_array(list(problem.classes)), features=problem.d, names=names, weights=standing.weights,
            unit=rule.unit, total=None if standing.total is None else standing.total.times_fraction(rule.unit),
            visits=self._visits(), passes=max(1, standing.passes), mistakes=standing.mistakes, halted=self.halted,
            converged=self.converged, rows=problem.n, trace=self.erred() if rule.record else None,
            digest=self.digest if rule.record and problem.vectors == 1 else None,
        )  # fmt: skip

    def erred(self) -> NDArray[np.int64]:
        """Return the trace."""
        return np.concatenate([np.empty(0, np.int64), *self.trace])

    def keep(self) -> None:
        """Write the last checkpoint."""
        if self.checkpoints is not None:
            self.checkpoints.write(self)

    # What is told.

    def _done(self) -> float:
        return self.standing.passes + self.standing.visits / self.problem.n

    def _so_far(self) -> str:
        standing = self.standing
        if not standing.visits:
            return f"{counted(standing.passes, 'pass')}, {counted(standing.mistakes, 'mistake')} in all"
        return (
            f"pass {standing.passes + 1:,}, {standing.visits:,} of {counted(self.problem.n, 'row')}: "
            f"{counted(standing.pass_mistakes, 'mistake')} in it, {standing.mistakes:,} in all"
        )

    def _report(self, text: Any, done: float | None, total: float | None = None, unit: str = "") -> None:
        now = time.monotonic()
        if now - self._told >= _SECONDS_PER_REPORT:
            self._told = now
            progress.report(text, done, total, unit)

    def tell_of_erring(self) -> None:
        """Warn that no pass was without a mistake."""
        if self.problem.vectors > 1:
            advice: tuple[Any, ...] = (
                "Either no vectors of weights tell the classes apart, and it never will, or it needs more passes (",
                Remedy("max_iter"), ").",
            )  # fmt: skip
        else:
            advice = (
                "Either no hyperplane separates the classes, and it never will, or it needs more passes (",
                Remedy("max_iter"), "): ", Question("decide"), " says which, with a proof.",
            )  # fmt: skip
        told = Message(f"The perceptron made {self.perceptron._counts()} and has not come to a pass without one. ", *advice)
        warnings.warn(told, ConvergenceWarning, stacklevel=6)
