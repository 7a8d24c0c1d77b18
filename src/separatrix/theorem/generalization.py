"""How well does it generalise? Bounds of the error on rows not seen, from what a run did, beside an estimate."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron
from ..estimators.shared.inputs import visiting_order
from ..exceptions import RoundingWarning
from ..perceptron.run import Run
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..support.answer import Answer
from ..support.blocks import Block, Grid, said, written
from ..support.counts import counted
from ..support.formulas import AT_MOST, Formula, formula, glued, named

_DEVIATIONS = 6.0
"""Standard deviations by which the number of runs of equal labels must fall short to be called sorted."""


_DELTA = named("delta")

_CHOICES = formula(
    named("ln"), Formula("C(n, m)", r"\tbinom{n}{m}"), "+", glued(named("ln"), "(n / ", _DELTA, ")")
)  # fmt: skip
"""The logarithm of the ways to choose the rows erred on, and of what is divided among them."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A bound of the probability of an error on a new row.

    Attributes
    ----------
    name : str
        What it is called.
    value : float or None
        The bound, at most 1, as a probability is; None where it does not apply.
    formula, numbers : str
        How it is computed, and from what.
    assumes : str
        What must be true; where it does not apply, what is not.
    says : str
        Of which classifier it speaks, and with which certainty.
    """

    name: str
    value: float | None
    formula: str
    numbers: str
    assumes: str
    says: str
    terms: Formula = field(repr=False, compare=False)
    """The formula as styles print it."""

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing that guessing does not promise: an error of a half or more."""
        return self.value is not None and self.value >= 0.5

    @property
    def verdict(self) -> str:
        """What to make of the value, in words."""
        if self.value is None:
            return "does not apply"
        return "vacuous" if self.vacuous else "says something"


@dataclass(frozen=True)
class Generalization(Answer):
    """What a run promises for rows not seen.

    Attributes
    ----------
    bounds : tuple of Bound
        Leave-one-out, online-to-batch, compression.
    estimate : float or None
        The share of errors on rows held out.
    source : str
        Where the estimate comes from.
    delta : float
        The chance that a bound may fail with.
    caution : str
        What speaks against the assumptions, if anything does.
    """

    bounds: tuple[Bound, ...]
    estimate: float | None
    source: str
    delta: float
    caution: str = ""

    def __repr__(self) -> str:
        found = [f"{each.name} {'none' if each.value is None else f'{each.value:.4g}'}" for each in self.bounds]
        return f"<Generalization: {', '.join(found)}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write it out; ``format`` as in `Ledger.explain`."""
        blocks: list[Block] = [
            "How well does it generalise? All bounds assume that rows, old and new, are drawn independently from one "
            "distribution, and that order and parameters were chosen without looking at them."
        ]
        rows = [[bound.name, "-" if bound.value is None else f"{bound.value:.4g}", bound.verdict] for bound in self.bounds]
        if self.estimate is not None:
            rows.append([self.source, f"{self.estimate:.4g}", "an estimate, no bound"])
        blocks.append(Grid(["what", "error", "verdict"], rows))
        for bound in self.bounds:
            blocks.append(
                said(
                    f"{bound.name.capitalize()}: {{}}, with {bound.numbers}. {bound.says} Assumes: {bound.assumes}",
                    bound.terms,
                )
            )
        if self.caution:
            blocks.append(self.caution)
        return written(blocks, format)


def generalize(
    problem: Problem,
    perceptron: Perceptron,
    updates: NDArray[np.int64],
    plain: bool,
    delta: float,
    folds: int,
    held_out: tuple[Any, Any] | None,
) -> Generalization:
    """Bound and estimate the error of a run on new rows."""
    n, used = problem.n, int(np.count_nonzero(updates))
    run = Run(replace(problem, weights=None), tie=perceptron.tie)
    run.advance(np.random.RandomState(0).permutation(n).astype(np.int64), 1)
    bounds = (
        _leave_one_out(perceptron, n, used, int(updates.sum()), plain),
        _online_to_batch(n, run.mistakes, delta),
        _compression(problem, perceptron, used, updates, plain, delta),
    )
    estimate, source = None, ""
    if held_out is not None:
        rows, labels = held_out
        estimate, source = 1.0 - float(perceptron.score(rows, labels)), f"held out ({len(labels):,} rows)"
    elif folds:
        found = _cross_validated(problem, perceptron, folds)
        if found is not None:
            estimate, source = found[0], f"{found[1]}-fold cross-validation"
    return Generalization(bounds, estimate, source, delta, _caution(problem))


def _caution(problem: Problem) -> str:
    """Say so if the rows do not look as if they stood in random order."""
    n, positive = problem.n, int(np.count_nonzero(problem.y > 0))
    groups = 1 + int(np.count_nonzero(np.diff(problem.y)))
    pairs = 2 * positive * (n - positive)
    expected = 1 + pairs / n  # mean and variance of the number of runs (Wald and Wolfowitz 1940)
    variance = pairs * (pairs - n) / (n * n * (n - 1)) if n > 1 else 0.0
    if variance <= 0 or groups >= expected - _DEVIATIONS * math.sqrt(variance):
        return ""
    times = "once" if groups == 2 else f"{groups - 1:,} times"
    return (
        f"The labels change only {times} from row to row, where {expected - 1:,.0f} changes are to be "
        "expected: the rows are sorted, not in random order. Leave-one-out and compression assume a random order; shuffle "
        "the rows first."
    )


def _bound(name: str, value: float | None, terms: Formula, numbers: str, assumes: str, says: str) -> Bound:
    return Bound(name=name, value=value, formula=terms.text, numbers=numbers, assumes=assumes, says=says, terms=terms)


def _leave_one_out(perceptron: Perceptron, n: int, used: int, mistakes: int, plain: bool) -> Bound:
    fixed = not (isinstance(perceptron.order, str) and perceptron.order in ("shuffle", "random"))
    applies = bool(perceptron.halted_) and fixed and plain
    why = "the run came to an end by itself, from zero, with unit steps, in an order that leaving a row out does not change"
    return _bound(
        "leave-one-out",
        used / n if applies else None,
        formula("m / n", AT_MOST, "k / n"),
        f"m = {counted(used, 'row')} erred on, k = {counted(mistakes, 'mistake')} and n = {n:,} rows",
        f"{why}{'.' if applies else '; this one did not.'}",
        "A row never erred on could have been left out: the same run, which has it right. So leaving one out gives at most "
        "m errors, and m / n bounds, in expectation and not with confidence, the error after n - 1 rows.",
    )


def _online_to_batch(n: int, mistakes: int, delta: float) -> Bound:
    return _bound(
        "online-to-batch",
        min(1.0, mistakes / n + math.sqrt(math.log(1 / delta) / (2 * n))),
        formula("M / n +", glued("(", named("ln"), "(1 / ", _DELTA, ") / (2 n))^(1/2)")),
        f"M = {counted(mistakes, 'mistake')} in one pass over the n = {n:,} rows in random order, delta = {delta:g}",
        "nothing more.",
        "It speaks of weights drawn at random among those that such a pass predicts with, not of the last ones, and fails "
        f"with a chance of at most {delta:g} (Cesa-Bianchi, Conconi and Gentile 2004).",
    )


def _compression(
    problem: Problem, perceptron: Perceptron, used: int, updates: NDArray[np.int64], plain: bool, delta: float
) -> Bound:
    n, rest = problem.n, problem.n - used
    says = (
        "The rows erred on determine the run: on them alone it is the same. The other rows test it as if they were new. It "
        f"fails with a chance of at most {delta:g} (Littlestone and Warmuth 1986)."
    )
    numbers = f"m = {counted(used, 'row')} erred on of n = {n:,}"
    if not plain:
        return _bound("compression", None, glued("-"), numbers, "a run from zero with unit steps; this one was not.", says)
    choices = float(gammaln(n + 1) - gammaln(used + 1) - gammaln(rest + 1)) + math.log(n / delta)
    if perceptron.halted_:
        value = 1.0 if not rest else -math.expm1(-choices / rest)
        terms = formula("1 -", glued(named("exp"), "(-(", _CHOICES, ") / (n - m))"))
        return _bound(
            "compression", value, terms, numbers, "no error on the other rows: the run came to an end by itself.", says
        )
    terms = formula("e / (n - m) +", glued("((", _CHOICES, ") / (2 n - 2 m))^(1/2)"))
    if not rest:
        return _bound("compression", 1.0, terms, numbers, "rows that were never erred on; there is none.", says)
    signs = Lifted.of(problem).signs(learnt_by(perceptron).weights)
    errors = int(np.count_nonzero((signs <= 0) & (updates == 0)))
    value = min(1.0, errors / rest + math.sqrt(choices / (2 * rest)))
    numbers = f"{numbers} and e = {counted(errors, 'error')} on the others"
    return _bound("compression", value, terms, numbers, "nothing more.", says)


def _cross_validated(problem: Problem, perceptron: Perceptron, folds: int) -> tuple[float, int] | None:
    """Return the share of errors on rows left out in turn, and the number of parts; None if classes are too small."""
    n = problem.n
    smaller = int(min(np.count_nonzero(problem.y > 0), np.count_nonzero(problem.y < 0)))
    folds = min(folds, smaller)
    if folds < 2:
        return None
    parts = np.empty(n, np.int64)
    rng = np.random.RandomState(0)
    for label in (-1.0, 1.0):  # each class is dealt out by itself; other splits would change published estimates
        rows = rng.permutation(np.flatnonzero(problem.y == label))
        parts[rows] = np.arange(rows.size) % folds
    errors = 0
    for part in range(folds):
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        learner = clone(perceptron).set_params(record=False, class_weight=None)
        if not isinstance(perceptron.order, str):
            order = np.asarray(visiting_order(perceptron.order, problem))
            learner.order = np.searchsorted(train, order[np.isin(order, train)])
        weights = None if problem.weights is None else problem.weights[train]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RoundingWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            learner.fit(problem.rows[train], problem.y[train], sample_weight=weights)
        errors += int(np.count_nonzero(learner.predict(problem.rows[test]) != problem.y[test]))
    return errors / n, folds
