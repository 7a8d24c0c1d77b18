"""Two perceptrons on the same rows: the first visit at which they do not do the same, and what comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from .._types import Indices
from ..estimators.perceptron import Perceptron
from ..exact.rationals import read_rational
from ..exceptions import RoundingWarning
from ..perceptron.orders import shuffled
from ..problem.problem import Problem
from ..problem.ties import TIES, is_mistake
from ..problem.wording import class_name, column_names
from ..support.answer import Answer
from ..support.blocks import Block, written
from ..support.counts import counted, few_of
from ..support.formulas import linear_combination
from ..support.numbers import number_text

_MAX_ROWS_NAMED = 10

_MAX_TERMS = 8


class Visit(NamedTuple):
    """A visit of a run: of which row, what its score was, and whether the weights were corrected."""

    row: int
    score: Fraction
    mistake: bool


@dataclass(frozen=True)
class Runner:
    """A perceptron with its name, after its run."""

    name: str
    perceptron: Perceptron

    @property
    def weights(self) -> list[Fraction]:
        """The weights that it has come to, the intercept last: 0 if it has none."""
        found = self.perceptron.exact_weights().fractions()
        return found if self.perceptron.fit_intercept else [*found, Fraction(0)]

    def rule(self, names: list[str]) -> str:
        """Write what it predicts the positive class by."""
        *coef, intercept = self.weights
        sign = ">=" if self.perceptron.tie == "positive" else ">"
        terms = linear_combination(zip(coef, names, strict=True), _MAX_TERMS).text
        return f"{terms} {sign} {number_text(-intercept)}"


@dataclass(frozen=True, repr=False)
class Parting(Answer):
    """Where two runs on the same rows part.

    Attributes
    ----------
    visit : int or None
        The first visit, counted from 1, at which they do not do the same; None if they never part.
    first, second : Visit or None
        What each does there; None for a run that is over by then.
    reason : {"order", "tie", "score", "end"} or None
        Why: they visit different rows; a score of 0 is a mistake for one of them only; the signs of their scores differ, as
        one has a bias; one has ended. A learning rate is never the reason: from zero weights it only scales them.
    differing : array
        The rows that the two predict differently in the end.
    runners : tuple
        The two perceptrons, fitted, by name.
    """

    visit: int | None
    first: Visit | None
    second: Visit | None
    differing: Indices
    runners: tuple[Runner, Runner]
    problem: Problem

    @property
    def reason(self) -> str | None:
        """Why they part."""
        if self.visit is None:
            return None
        if self.first is None or self.second is None:
            return "end"
        if self.first.row != self.second.row:
            return "order"
        return "tie" if _sign(self.first.score) == _sign(self.second.score) else "score"

    @property
    def matters(self) -> bool:
        """Whether the two predict some row differently in the end."""
        return bool(self.differing.size)

    def __repr__(self) -> str:
        names = " and ".join(runner.name for runner in self.runners)
        where = "never part" if self.visit is None else f"part at visit {self.visit} ({self.reason})"
        return f"<Parting: {names} {where}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say it in words, as text, Markdown or LaTeX."""
        blocks: list[Block] = [self._beginning(), self._end()]
        return written(blocks, format)

    def _beginning(self) -> str:
        one, other = (runner.name for runner in self.runners)
        if self.visit is None:
            return f"{one} and {other} do the same at every visit: the two never part."
        if self.first is None or self.second is None:
            over, longer = (one, other) if self.first is None else (other, one)
            return f"Up to visit {self.visit - 1} both do the same; then {over} has ended, and {longer} goes on."
        if self.first.row != self.second.row:
            return f"They part at visit {self.visit}: {one} visits row {self.first.row}, {other} row {self.second.row}."
        label = class_name(self.problem, int(self.problem.y[self.first.row]))
        when = "first" if self.visit == 1 else f"at visit {self.visit}, having done the same before"
        scores = [number_text(visit.score) for visit in (self.first, self.second)]
        did = ["corrects the weights", "leaves them as they are"]
        if self.second.mistake:
            did = ["leaves the weights as they are", "corrects them"]
        return (
            f"Both visit row {self.first.row} {when}, of the class {label}. {one} has the score {scores[0]} there and "
            f"{did[0]}; {other} has the score {scores[1]} and {did[1]}. {self._why()}"
        )

    def _why(self) -> str:
        if self.reason == "tie":
            return "The scores are the same: it is the tie rule that makes the difference."
        return "The scores differ, as one of the two has a bias, which corrections before have changed."

    def _end(self) -> str:
        names = column_names(self.problem)
        told = " ".join(
            f"{runner.name} makes {counted(runner.perceptron.n_mistakes_, 'mistake')} and "
            f"{'ends' if runner.perceptron.halted_ else 'is stopped'} with {runner.rule(names)}."
            for runner in self.runners
        )
        if self.matters:
            rows = [str(i) for i in self.differing.tolist()]
            some = few_of(rows, _MAX_ROWS_NAMED, in_all=True)
            return f"{told} It matters: they predict different classes for {'row' if len(rows) == 1 else 'rows'} {some}."
        same = "They predict the same class for every row: it makes no difference in the end to these rows"
        one, other = (runner.weights for runner in self.runners)
        return f"{told} {same}{', though the weights differ' if one != other else ''}."


def parted(first: tuple[str, Perceptron], second: tuple[str, Perceptron], X: Any, y: Any) -> Parting:
    """Run two perceptrons on the same rows, and find where they part."""
    problem = Problem.of(X, y)
    runners = (_run(*first, X, y), _run(*second, X, y))
    one, other = (runner.perceptron for runner in runners)
    differing = np.flatnonzero(one.predict(X) != other.predict(X))
    alike = np.array_equal(one.mistakes_, other.mistakes_) and one.n_iter_ == other.n_iter_
    if not (alike and _same_orders(one, other)):
        courses = zip_longest(*(visits(each, problem) for each in (one, other)))
        for number, (here, there) in enumerate(courses, 1):
            if here is None or there is None or (here.row, here.mistake) != (there.row, there.mistake):
                return Parting(number, here, there, differing, runners, problem)
    return Parting(None, None, None, differing, runners, problem)


def visits(perceptron: Perceptron, problem: Problem) -> Iterator[Visit]:
    """Run the algorithm once more, literally, in fractions: yield each visit of a run from zero weights."""
    points, labels = problem.points(list(range(problem.n))), problem.y.astype(np.int64).tolist()
    rows = [(*point, Fraction(1)) if perceptron.fit_intercept else point for point in points]
    rate, tie = read_rational(perceptron.eta0, "eta0"), TIES[perceptron.tie]
    weights = [Fraction(0)] * len(rows[0])
    rng = np.random.RandomState(perceptron.random_state or 0)
    for _ in range(perceptron.max_iter):
        clean = True
        shuffle = perceptron.order == "shuffle"
        order = shuffled(problem.n, rng, perceptron.block_rows).tolist() if shuffle else range(problem.n)
        for i in order:
            score = sum((a * b for a, b in zip(weights, rows[i], strict=True)), Fraction(0))
            mistake = bool(is_mistake(labels[i] * _sign(score), float(labels[i]), tie))
            yield Visit(i, score, mistake)
            if mistake:
                weights = [a + rate * labels[i] * b for a, b in zip(weights, rows[i], strict=True)]
                clean = False
        if clean:
            return


def _run(name: str, perceptron: Perceptron, X: Any, y: Any) -> Runner:
    fitted = clone(perceptron).set_params(record=True)
    if not isinstance(fitted.order, str) or fitted.order == "random":
        raise ValueError(f"The order of {name} must be 'cyclic' or 'shuffle' to be compared visit by visit.")
    if fitted.order == "shuffle" and not isinstance(fitted.random_state, int):
        raise ValueError(
            f"random_state must be a whole number, so that {name} can be run again. Got {fitted.random_state!r}."
        )
    if fitted.class_weight is not None:
        raise ValueError("class_weight is of no text that is known here: leave it out.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what became of the run is told
        warnings.simplefilter("ignore", RoundingWarning)
        return Runner(name, fitted.fit(X, y))


def _same_orders(one: Perceptron, other: Perceptron) -> bool:
    return bool(one.order == other.order and one.random_state == other.random_state)


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)
