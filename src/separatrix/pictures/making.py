"""Scenes of what the library answers: give it a result, or a fitted classifier with its rows."""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..compiled.environment import checked_arithmetic
from ..errors.disagreement import Disagreement
from ..estimators.learnt import Learner
from ..problem.labels import read_labels
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..separation.margins import Margin
from ..separation.verdict import Verdict
from ..tables.data import rows_and_labels
from .curves import bounds_chart
from .scene import Scene
from .staging import Stage


@checked_arithmetic
def scene(answer: Any, X: Any = None, y: Any = None) -> Scene:
    """Return what there is to see of an answer: points, lines, curves, all that pictures of it are drawn from.

    Parameters
    ----------
    answer : Verdict, Margin, Disagreement, Ledger, Comparison, StepTable, Descent, list of Rounds, or a fitted classifier
        What to show. A scene is returned as it is.
    X, y : rows and labels, or `Data` in place of X
        The rows that a classifier is shown with; other answers have theirs.

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
        f"There is no picture of {type(answer).__name__}: give an answer of this library, or a fitted classifier."
    )


@seen.register
def _(answer: Scene, X: Any = None, y: Any = None) -> Scene:
    return answer


@seen.register
def _(answer: Verdict, X: Any = None, y: Any = None) -> Scene:
    problem, certificate = answer.problem, answer.certificate
    separator = None if certificate is None else certificate.separator
    if separator is None or not any(separator.weights):
        rows = () if answer.witness is None else answer.witness
        stage = Stage.of(problem)
        return Scene(answer.message, stage.projection.view, stage.points(first=rows))
    weights, intercept = separator.weights, separator.intercept
    stage = Stage.of(problem, weights, intercept)
    name = "a separating hyperplane" if answer.separable else "a weak separator"
    return Scene(answer.message, stage.projection.view, stage.points(), (stage.line(name, weights, intercept),))


@seen.register
def _(answer: Margin, X: Any = None, y: Any = None) -> Scene:
    weights, intercept = _split(answer.problem, answer.weights.fractions())
    stage = Stage.of(answer.problem, weights, intercept)
    line = stage.line("the widest margin", weights, intercept, answer.lo if answer.kind == "geometric" else None)
    return Scene(f"The margin is {answer.lo:.6g}.", stage.projection.view, stage.points(support=answer.support), (line,))


@seen.register
def _(answer: Disagreement, X: Any = None, y: Any = None) -> Scene:
    weights, intercept = _split(answer.problem, answer.weights.fractions())
    stage = Stage.of(answer.problem, weights, intercept)
    points = stage.points(first=answer.rows_given_up, wrong=answer.rows_given_up)
    return Scene(
        answer.explain().split("\n", 1)[0],
        stage.projection.view,
        points,
        (stage.line("a hyperplane with the fewest errors found", weights, intercept),),
        bounds=bounds_chart(answer),
    )


def _split(problem: Problem, weights: list[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Part the weights from the intercept."""
    return (weights[:-1], weights[-1]) if problem.intercept else (weights, Fraction(0))


@seen.register
def _(answer: Learner, X: Any = None, y: Any = None) -> Scene:
    return of_classifier(answer, *rows_and_labels(X, y))


def of_classifier(classifier: Any, X: Any, y: Any) -> Scene:
    """Make the scene of a fitted classifier: rows, and its hyperplane if it is one."""
    check_is_fitted(classifier)
    name, classes = type(classifier).__name__, classifier.classes_.tolist()
    problem = problem_of(X, y, classes)
    wrong = np.flatnonzero(classifier.predict(problem.rows) != read_labels(y))
    exact = classifier.exact_weights().fractions() if len(classes) == 2 and hasattr(classifier, "coef_") else []
    weights, intercept = exact[: problem.d], sum(exact[problem.d :], Fraction(0))
    if not any(weights):
        stage = Stage.of(problem)
        return Scene(name, stage.projection.view, stage.points(wrong=wrong))
    stage = Stage.of(problem, weights, intercept)
    return Scene(name, stage.projection.view, stage.points(wrong=wrong), (stage.line(name, weights, intercept),))


def problem_of(rows: Any, labels: Any, classes: list[Any]) -> Problem:
    """Return rows and labels as a problem of two or more classes."""
    if len(classes) > 2:
        return Classes.of_labels(rows, read_labels(labels), classes, True, None)
    return Problem.of(rows, labels, classes=classes if len(classes) == 2 else None)
