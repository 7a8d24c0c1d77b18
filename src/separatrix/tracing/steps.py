"""The run of a perceptron, step by step, in exact numbers.

The trace of a run, recorded or found again by repeating it, tells every visit. They are gone through once more, slowly, and
each decision is made anew: what comes out is the run, or the rows are not those that it was fitted on.
"""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..estimators.kernel_perceptron import KernelPerceptron
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron, problem_for
from ..estimators.pocket import Pocket
from ..estimators.scaler import parts_of
from ..estimators.shared.inputs import initial_guess, with_class_weight
from ..estimators.voted import VotedPerceptron
from ..exact.rationals import read_rational, read_rationals
from ..exceptions import LongTable
from ..perceptron.gram import Points
from ..problem.digest import digest
from ..problem.labels import read_labels
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.ties import TIES
from ..problem.wording import column_names
from ..proof.claims import whole
from ..separation.maximum_margin import margin_of_problem
from ..separation.verdict import NotSeparable
from ..support.calls import Verbose, whole_call
from ..support.remedies import Remedy
from ..tables.data import Data, rows_and_labels
from .pocket_steps import walk_pocket
from .retracing import Retracing
from .step_table import StepTable
from .visits import itineraries, other_rows, trace_of_run
from .walking import KernelMachine, LinearMachine, Machine, Vector, given_row

MAX_LINES = 100_000
"""Lines that a table may have."""

MAX_NUMBERS = 5_000_000
"""Weights that a table may have, over all its lines."""

_MAX_NUMBERS_FOR_EXACT_MARGIN = 64
"""Numbers up to which the margin of a problem is found exactly, so that w* has short entries."""

Learner = Perceptron | KernelPerceptron | VotedPerceptron | Pocket


@whole_call
def steps(
    estimator: Learner,
    X: Any,
    y: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
    star: Any = None,
    mistakes_only: bool = False,
    first: int | None = None,
    verbose: Verbose = False,
) -> StepTable:
    """Return a run as a table: row, score, decision, update and weights of each visit, exactly.

    Parameters
    ----------
    estimator : Perceptron, KernelPerceptron, VotedPerceptron or Pocket
        The fitted classifier. The run is repeated, unless its trace was recorded (``record=True``); a random order needs a
        whole number as ``random_state`` for that. Or a pipeline of a `Scaler` and such a one: then steps are on scaled
        rows.
    X, y, sample_weight, coef_init, intercept_init
        What it was fitted with; after several calls of `partial_fit` all rows in their order. In place of X and y it may
        be `Data`, whose names the columns then have.
    star : array of shape (d + 1,), or (d,) without an intercept, or False, optional
        The w* of the proof. Without it the direction of the maximum margin, if the classes are separable, in the smallest
        whole numbers; False for none.
    mistakes_only : bool
        Whether to leave out visits that were right.
    first : int, optional
        How many lines to show; without it all, at most 100,000.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    StepTable
        A sequence of `Step`, with ``explain()``, ``to_pandas()``, ``to_polars()``, ``to_markdown()``, ``to_latex()``,
        ``to_csv(path)`` and ``document()``.

    Raises
    ------
    ValueError
        If the classifier was fitted on other rows, the run cannot be repeated, or the table would be too long.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> table = steps(sx.Perceptron().fit(X, y), X, y)
    >>> table
    <StepTable: 36 visits, 18 mistakes>
    >>> table[3].row, table[3].score, table[3].mistake, list(map(str, table[3].update)), list(map(str, table[3].weights))
    (3, Fraction(-1, 1), True, ['1', '1', '1'], ['1', '1', '0'])
    """
    scaler, estimator = parts_of(estimator)
    if not isinstance(estimator, Learner):
        raise TypeError(
            f"Steps are those of a perceptron; got {type(estimator).__name__}, expected sx.Perceptron, sx.KernelPerceptron, "
            "sx.VotedPerceptron or sx.Pocket."
        )
    check_is_fitted(estimator)
    if hasattr(estimator, "estimators_"):
        raise ValueError(
            f"{type(estimator).__name__} has learnt each of {len(estimator.classes_)} classes against the rest, by a run of "
            "its own. Ask for one of them: steps(estimator.estimators_[k], X, y == estimator.classes_[k])."
        )
    if first is not None and (not isinstance(first, numbers.Integral) or first < 1):
        raise ValueError(f"first must be a whole number of lines, at least 1, got {first!r}.")
    features = tuple(X.names) if isinstance(X, Data) else None
    X, y = rows_and_labels(X, y)
    if scaler is not None:
        features = features or tuple(getattr(scaler, "feature_names_in_", ())) or None
        X = scaler.transform(X)
    starts = {"coef_init": coef_init, "intercept_init": intercept_init}
    given = {name: value for name, value in {**starts, "sample_weight": sample_weight}.items() if value is not None}
    _refuse_unknown(estimator, given)
    problem = _problem(estimator, X, y, sample_weight)
    tie = TIES[estimator.tie]
    guess = initial_guess(problem, coef_init, intercept_init)
    zero = (Fraction(0),) * (problem.vectors * problem.width)
    start = zero if guess is None else tuple(guess.fractions())
    reference = _star(problem, tie, star, isinstance(estimator, KernelPerceptron))
    names = RowNames(problem)
    known: dict[str, Any] = {
        "kind": _KINDS[type(estimator)] if problem.vectors == 1 else "multiclass",
        "features": _features(estimator, problem, features), "classes": tuple(problem.classes), "star": reference,
        "intercept": problem.intercept and not isinstance(estimator, KernelPerceptron),
        "first_row": names.name(0) if names.are_lines and problem.kept is None else None,
    }  # fmt: skip
    known |= _promise(problem, tie, reference, _multiples(estimator, problem))
    if isinstance(estimator, Pocket):
        updates = int(estimator.n_updates_)
        _require_short(updates, first, problem.width)
        lines, start, errors = walk_pocket(estimator, problem, None if guess is None else start, reference, first)
        known |= {"start_errors": errors, "visits": updates, "mistakes": updates, "whole": len(lines) == updates}
        return StepTable(**known, lines=tuple(lines), start=start, mistakes_only=True)
    trace = trace_of_run(estimator, problem, X, y, given)
    for itinerary in itineraries(estimator, problem, trace):
        only = bool(mistakes_only) or itinerary.orders is None
        visits = int(trace.size) if only else itinerary.passes * problem.n
        machine = _machine(estimator, problem, tie, start, reference)
        _require_short(visits, first, len(machine.weights()), None if only else int(trace.size))
        begin = machine.weights()
        retraced = Retracing(estimator, machine, trace, only).lines(itinerary, first)
        if retraced is not None:
            known |= {"visits": itinerary.visits, "mistakes": int(trace.size), "whole": len(retraced) == visits}
            return StepTable(**known, lines=tuple(retraced), start=begin, mistakes_only=only)
    raise ValueError(other_rows("On them, other rows would be mistakes."))


_KINDS = {Perceptron: "perceptron", KernelPerceptron: "kernel", VotedPerceptron: "voted", Pocket: "pocket"}

# What a run is made of.


def _refuse_unknown(estimator: Learner, given: dict[str, Any]) -> None:
    """Refuse what the fit of an estimator does not take."""
    takes = {KernelPerceptron: ("sample_weight",), VotedPerceptron: ()}.get(type(estimator))
    for name in given if takes is not None else ():
        if name not in (takes or ()):
            raise ValueError(f"{type(estimator).__name__} is not fitted with {name}: leave it out.")


def _problem(estimator: Learner, X: Any, y: Any, sample_weight: ArrayLike | None) -> Problem:
    classes = estimator.classes_
    if isinstance(estimator, Perceptron):
        problem = problem_for(estimator, X, y, sample_weight, classes)
    else:
        labels = read_labels(y)
        weights = with_class_weight(getattr(estimator, "class_weight", None), labels, sample_weight, classes=classes)
        intercept = bool(estimator.fit_intercept)
        problem = Problem.of(X, labels, classes=classes, intercept=intercept, sample_weight=weights)
    if problem.d != estimator.n_features_in_:
        raise ValueError(f"X has {problem.d} columns, but the run was on {estimator.n_features_in_}.")
    known = learnt_by(estimator)
    if getattr(known, "digest", None) is not None and known.digest != digest(problem):
        raise ValueError(other_rows("Their digest is not that of the rows it was fitted on."))
    if problem.n * problem.width > MAX_NUMBERS:
        raise LongTable(f"The rows have {problem.n * problem.width:,} numbers, more than the {MAX_NUMBERS:,} of a table.")
    return problem


def _machine(estimator: Learner, problem: Problem, tie: int, start: Vector, star: Vector | None) -> Machine:
    multiples = _multiples(estimator, problem)
    if not isinstance(estimator, KernelPerceptron):
        return LinearMachine(problem, tie, multiples, start, star)
    rows = problem.rows
    if estimator.kernel == "precomputed" and problem.kept is not None:
        rows = rows.columns(problem.kept.tolist())
    points = Points(rows)
    return KernelMachine(problem, tie, multiples, learnt_by(estimator).kernel.gram(points, points))


def _multiples(estimator: Learner, problem: Problem) -> list[Fraction]:
    """Return, for each row, what a mistake on it adds, in multiples of the row."""
    if isinstance(estimator, Pocket):
        return [Fraction(1)] * problem.n
    rate = read_rational(estimator.eta0, "eta0") if isinstance(estimator, Perceptron) else Fraction(1)
    weights = problem.weights
    return [rate * (1 if weights is None else Fraction(float(weights[i]))) for i in range(problem.n)]


def _promise(problem: Problem, tie: int, star: Vector | None, multiples: list[Fraction]) -> dict[str, Fraction]:
    """Return the smallest score of w* times the label, and the smallest ``w*.u`` that an update can have."""
    if star is None or isinstance(problem, Classes):
        return {}
    can_err = np.flatnonzero(problem.is_fallible(tie)).tolist()
    if not can_err:
        return {}
    one = (Fraction(1),) if problem.intercept else ()
    scores = [
        int(problem.y[i]) * sum(map(Fraction.__mul__, star, (*point, *one)), Fraction(0))
        for i, point in zip(can_err, problem.points(can_err), strict=True)
    ]
    return {
        "star_score": min(scores),
        "star_growth": min(multiples[i] * score for i, score in zip(can_err, scores, strict=True)),
    }


def _star(problem: Problem, tie: int, star: Any, feature_space: bool) -> Vector | None:
    """Return w*: what is given, or the direction of the maximum margin in whole numbers, if there is one."""
    if star is False or (star is None and (feature_space or isinstance(problem, Classes))):
        return None
    if star is not None:
        if feature_space:
            raise ValueError("A w* in the feature space of a kernel cannot be given: leave star out.")
        numbers_given, size = tuple(read_rationals(star, "star")), problem.vectors * problem.width
        if len(numbers_given) != size:
            raise ValueError(f"star has {len(numbers_given)} numbers, expected {size}: as many as there are weights.")
        return numbers_given
    try:
        few = problem.n * problem.width <= _MAX_NUMBERS_FOR_EXACT_MARGIN
        weights = margin_of_problem(problem.fallible(tie), "lifted", exact=few).weights
    except NotSeparable:
        return None
    return tuple(map(Fraction, whole(weights.fractions())))


def _features(estimator: Learner, problem: Problem, names: tuple[str, ...] | None) -> tuple[str, ...]:
    if isinstance(estimator, KernelPerceptron):
        return tuple(str(given_row(problem, i)) for i in range(problem.n))
    known = getattr(estimator, "feature_names_in_", None) if names is None else names
    return tuple(column_names(problem) if known is None else map(str, known))


def _require_short(size: int, first: int | None, width: int, mistakes: int | None = None) -> None:
    """Refuse a table that would be too long, and say what to ask for."""
    lines = size if first is None else min(size, first)
    most = min(MAX_LINES, max(1, MAX_NUMBERS // width))
    if lines <= most:
        return
    fewer = (
        ()
        if mistakes is None
        else ("its mistakes alone, which are ", f"{mistakes:,} (", Remedy("mistakes_only", True), "), or ")
    )
    raise LongTable(
        f"The table would have {lines:,} lines of {width:,} weights; {most:,} such lines are the most. Ask for ",
        *fewer, "the first of them (", Remedy("first", most), ").",
    )  # fmt: skip
