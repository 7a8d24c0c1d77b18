"""Scenes of what the library answers: give it a result, or a fitted classifier with its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..compiled.environment import checked_arithmetic
from ..errors.disagreement import Disagreement
from ..estimators.learnt import Learner
from ..exact.dyadic import Dyadic, Quotient
from ..geometry.hyperplane import Hyperplane
from ..problem.labels import read_labels
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..separation.margins import Margin
from ..separation.verdict import Verdict
from ..tables.data import rows_and_labels
from ..tables.reading import problem_of as tabled_problem
from .scene import Border, Scene
from .scenery.borders import MOST_CLASSES, borders
from .scenery.curves import bounds_chart
from .scenery.units import unit_of
from .scenery.witnesses import witness_of
from .staging import Stage


@checked_arithmetic
def scene(answer: Any, X: Any = None, y: Any = None) -> Scene:
    """Return what there is to see of an answer: points, lines, curves, all that pictures of it are drawn from.

    Parameters
    ----------
    answer : Verdict, Margin, Disagreement, Ledger, Comparison, StepTable, Descent, list of Rounds, Hyperplane, or classifier
        What to show; a classifier must be fitted. A scene is returned as it is.
    X, y : rows and labels, or `Data` in place of X
        The rows that a classifier or a hyperplane is shown with; other answers have theirs.

    Returns
    -------
    Scene
        It has the parts that the answer has something to say on. Draw it with `separatrix.plot`, or write it as JSON.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> seen = sx.scene(sx.Perceptron().fit(X, y), X, y)
    >>> seen.lines[0].equation
    '3*x1 + 2*x2 > 4'
    """
    from . import run_scenes  # noqa: F401 (it registers what it makes, by what is here)

    return seen(answer, X, y)


@singledispatch
def seen(answer: Any, X: Any = None, y: Any = None) -> Scene:
    """Make the scene of an answer; other files of this room register answers of other types."""
    raise TypeError(
        f"There is no picture of {type(answer).__name__}: give an answer or a fitted classifier of this library. Weights of "
        "another one are drawn with separatrix.Perceptron.of(weights, intercept)."
    )


@seen.register
def _(answer: Scene, X: Any = None, y: Any = None) -> Scene:
    return answer


@seen.register
def _(answer: Verdict, X: Any = None, y: Any = None) -> Scene:
    problem, certificate = answer.problem, answer.certificate
    obstruction = None if certificate is None else certificate.obstruction
    separator = None if certificate is None else certificate.separator
    rows, apart = () if obstruction is None else obstruction.rows, False
    if separator is None or not any(separator.weights):
        stage = Stage.of(problem)
        found = Scene(answer.message, stage.projection.view, stage.points(first=rows))
    else:
        name = "a separating hyperplane" if answer.separable else "a weak separator"
        weights, intercept = separator.weights, separator.intercept
        found = scene_of_hyperplane(answer.message, name, problem, weights, intercept, first=rows, tie=answer.tie)
        if obstruction is None:
            return found
        apart = problem.d > 2
        stage = Stage.of(problem) if apart else Stage.of(problem, weights, intercept)
    return found if obstruction is None else replace(found, witness=witness_of(stage, obstruction, apart=apart))


@seen.register
def _(answer: Margin, X: Any = None, y: Any = None) -> Scene:
    title, name = f"The margin is {answer.lo:.6g}.", "the widest margin"
    return scene_of_hyperplane(title, name, answer.problem, *_split(answer.problem, answer.weights), support=answer.support)


@seen.register
def _(answer: Disagreement, X: Any = None, y: Any = None) -> Scene:
    title, name = answer.explain().split("\n", 1)[0], "a hyperplane with the fewest errors found"
    weights, wrong = _split(answer.problem, answer.weights), answer.rows_given_up
    return replace(scene_of_hyperplane(title, name, answer.problem, *weights, wrong=wrong), bounds=bounds_chart(answer))


def _split(problem: Problem, weights: Dyadic | Quotient) -> tuple[list[Fraction], Fraction]:
    """Part the weights from the intercept."""
    numbers = weights.fractions()
    return (numbers[:-1], numbers[-1]) if problem.intercept else (numbers, Fraction(0))


def scene_of_hyperplane(
    title: str,
    name: str,
    problem: Problem,
    weights: Sequence[Fraction],
    intercept: Fraction,
    *,
    first: Sequence[int] = (),
    wrong: Any = None,
    support: Any = None,
    tie: str | None = None,
) -> Scene:
    """Return the scene of rows of two classes with a hyperplane; if no weight is other than zero, without one."""
    unit = unit_of(problem, weights, intercept, tie)
    if not any(weights):
        stage = Stage.of(problem)
        notes = ("All weights are zero: there is no hyperplane.",)
        return Scene(title, stage.projection.view, stage.points(wrong=wrong), notes=notes, unit=unit)
    stage = Stage.of(problem, weights, intercept)
    margin, nearest = stage.nearest(weights, intercept)
    on = None if margin else np.flatnonzero(stage.signs(weights, intercept) == 0)
    points = stage.points(first=[*nearest, *first], wrong=wrong, support=support, on=on)
    return Scene(title, stage.projection.view, points, (stage.line(name, weights, intercept, margin),), unit=unit)


@seen.register
def _(answer: Hyperplane, X: Any = None, y: Any = None) -> Scene:
    rows_and_labels(X, y)  # or it says which of them is missing
    problem = tabled_problem(X, y)
    if problem.d != answer.dimension:
        raise ValueError(f"X has {problem.d} columns, and the hyperplane {answer.dimension} weights.")
    wrong = np.flatnonzero(Stage.of(problem).signs(answer.weights, answer.intercept) < 0)
    return scene_of_hyperplane(repr(answer), "the hyperplane", problem, answer.weights, answer.intercept, wrong=wrong)


@seen.register
def _(answer: Learner, X: Any = None, y: Any = None) -> Scene:
    return of_classifier(answer, *rows_and_labels(X, y))


def of_classifier(classifier: Any, X: Any, y: Any) -> Scene:
    """Make the scene of a fitted classifier: rows, and its hyperplane if it is one."""
    check_is_fitted(classifier)
    name, classes = type(classifier).__name__, classifier.classes_.tolist()
    problem = problem_of(X, y, classes)
    wrong = np.flatnonzero(classifier.predict(problem.rows) != read_labels(y))
    if not hasattr(classifier, "coef_"):
        stage = Stage.of(problem)
        notes = (f"{name} predicts by no hyperplane between features: its boundary is not drawn.",)
        return Scene(name, stage.projection.view, stage.points(wrong=wrong), notes=notes)
    exact, size = classifier.exact_weights().fractions(), classifier.coef_.shape[1]
    if len(classes) > 2:
        return _of_several(name, problem, exact, wrong)
    weights, intercept = exact[:size], sum(exact[size:], Fraction(0))
    return scene_of_hyperplane(name, name, problem, weights, intercept, wrong=wrong, tie=getattr(classifier, "tie", None))


def _of_several(name: str, problem: Problem, exact: list[Fraction], wrong: Any) -> Scene:
    """Return the scene of more than two classes, told apart by their scores."""
    stage, count = Stage.of(problem), len(problem.classes)
    size = len(exact) // count
    vectors = [exact[size * k : size * (k + 1)] for k in range(count)]
    view = stage.projection.view
    found: tuple[Border, ...] = ()
    notes: tuple[str, ...] = ()
    if problem.d > 2:
        notes = (f"The borders between {count} classes are not seen in this plane, and are not drawn.",)
    elif count > MOST_CLASSES:
        notes = (f"The borders between {count} classes are too many, and are not drawn.",)
    else:
        found = borders(view, [(each[: problem.d], sum(each[problem.d :], Fraction(0))) for each in vectors])
    return Scene(name, view, stage.points(wrong=wrong), borders=found, notes=notes)


def problem_of(rows: Any, labels: Any, classes: list[Any]) -> Problem:
    """Return rows and labels as a problem of two or more classes."""
    if len(classes) > 2:
        return Classes.of_labels(rows, read_labels(labels), classes, True, None)
    return Problem.of(rows, labels, classes=classes if len(classes) == 2 else None)
