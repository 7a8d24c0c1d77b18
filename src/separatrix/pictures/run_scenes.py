"""Scenes of runs: audits, tables of steps, games, descents, comparisons, and the runs of fitted classifiers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..comparison.results import Comparison
from ..estimators.perceptron import Perceptron
from ..estimators.pocket import Pocket
from ..online.protocol import Round
from ..perceptron.descent import Descent
from ..problem.problem import Problem
from ..support.counts import counted
from ..tables.data import rows_and_labels
from ..theorem.kernel_ledger import KernelLedger
from ..theorem.ledger import Ledger
from ..tracing.step_table import StepTable
from .making import of_classifier, seen
from .scene import Scene
from .scenery.courses import course_of, course_of_steps
from .scenery.curves import comparison_bars, online_chart, online_chart_of_ledger
from .scenery.losses import kink, loss_of_descent, loss_of_ledger, of_perceptron
from .scenery.pocket_course import CHEAP, pocket_chart, pocket_chart_of_steps
from .staging import Stage


@seen.register
def _(answer: Ledger, X: Any = None, y: Any = None) -> Scene:
    problem, weights = answer.problem, answer.perceptron.last_weights()
    if not isinstance(problem, Problem):  # rows in blocks, too many for a picture
        return Scene(_title(answer), course=course_of(answer), online=online_chart_of_ledger(answer))
    exact = weights.fractions()
    vector, intercept = exact[: problem.d], sum(exact[problem.d :], Fraction(0))
    stage = Stage.of(problem, vector, intercept) if any(vector) else Stage.of(problem)
    lines = (stage.line("the perceptron", vector, intercept),) if any(vector) else ()
    return Scene(
        _title(answer), stage.projection.view, stage.points(), lines, course=course_of(answer),
        loss=loss_of_ledger(answer, problem), kink=kink(problem, weights), online=online_chart_of_ledger(answer),
    )  # fmt: skip


@seen.register
def _(answer: KernelLedger, X: Any = None, y: Any = None) -> Scene:
    return Scene(_title(answer), course=course_of(answer))


def _title(ledger: Ledger | KernelLedger) -> str:
    made = counted(ledger.mistakes, "mistake")
    return f"{made}; no bound" if ledger.bound is None else f"{made}; at most {ledger.bound[1]:,.6g} allowed"


@seen.register
def _(answer: StepTable, X: Any = None, y: Any = None) -> Scene:
    title = f"A run of {counted(answer.mistakes, 'mistake')}"
    return Scene(title, course=course_of_steps(answer), pocket=pocket_chart_of_steps(answer))


@seen.register(list)
@seen.register(tuple)
def _(answer: Any, X: Any = None, y: Any = None) -> Scene:
    for place, each in enumerate(answer):
        if not isinstance(each, Round):
            raise TypeError(
                f"A list is shown if it is one of the rounds that separatrix.play gives; entry {place} is of type "
                f"{type(each).__name__}."
            )
    return Scene(counted(len(answer), "round"), online=online_chart(answer))


@seen.register
def _(answer: Descent, X: Any = None, y: Any = None) -> Scene:
    return Scene(f"A descent of {counted(answer.steps, 'step')}", loss=loss_of_descent(answer), kink=kink())


@seen.register
def _(answer: Comparison, X: Any = None, y: Any = None) -> Scene:
    return Scene(f"{counted(len(answer.table), 'classifier')} compared", comparison=comparison_bars(answer))


@seen.register
def _(answer: Pocket, X: Any = None, y: Any = None) -> Scene:
    X, y = rows_and_labels(X, y)
    return replace(of_classifier(answer, X, y), pocket=pocket_chart(answer, X, y, most=CHEAP))


@seen.register
def _(answer: Perceptron, X: Any = None, y: Any = None) -> Scene:
    X, y = rows_and_labels(X, y)
    shown = of_classifier(answer, X, y)
    if shown.points is None or shown.points.total * answer.n_features_in_ * max(1, answer.n_iter_) > CHEAP:
        return shown
    try:
        charts = of_perceptron(answer, X, y)
    except ValueError:  # a run on other rows, or one that cannot be repeated: its classifier can be shown all the same
        return shown
    return shown if charts is None else replace(shown, loss=charts[0], kink=charts[1])
