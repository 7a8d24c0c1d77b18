"""The perceptron loss in pictures: of one row, with its kink, and of all rows in the course of a run."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..._types import Floats, Indices
from ...estimators.perceptron import Perceptron, problem_for
from ...exact.dyadic import Dyadic, Quotient
from ...exact.rationals import read_rational, vector_of
from ...exact.rounding import nearest
from ...perceptron.descent import Descent
from ...perceptron.trace import Prefix, UpdateRule
from ...problem.problem import Problem
from ...problem.scores import scores
from ...problem.ties import TIES
from ...support.counts import counted
from ...tables.data import rows_and_labels
from ...theorem.ledger import Ledger
from ...tracing.visits import trace_of_run
from ..scene import Chart, Curve
from ..thinning import chosen_steps
from .curves import curve, thinning_note

_MOST_NUMBERS = 100_000_000
"""Numbers of rows that are multiplied by weights for one picture: what takes a second or so."""

_FEWEST_MARKS, _MOST_MARKS = 16, 400
"""Mistakes after which the loss is computed."""

_MOST_ROWS = 200
"""Rows that are shown on the loss of one row."""

_SLOPES = (0.25, 0.5, 0.75)
"""Subgradients at the kink that are drawn, besides those of the two sides."""


def loss_of_descent(descent: Descent) -> Chart:
    """Return the loss at each step of a descent."""
    at = np.arange(len(descent.losses), dtype=np.float64)
    loss = curve("loss of all rows", at, np.array([nearest(each) for each in descent.losses]))
    stopped = None if descent.ended else f"The descent was stopped with {counted(descent.errors[-1], 'row')} wrong."
    return Chart(("step", "perceptron loss"), (loss,), note=_together(stopped, thinning_note(at.size, "loss")))


def loss_of_ledger(ledger: Ledger, problem: Problem) -> Chart:
    """Return the loss after mistakes of an audited run on these rows, in the units of the ledger."""
    return _loss_of_run(problem, ledger.trace, ledger.steps, ledger.steps.unit)


def of_perceptron(perceptron: Perceptron, X: Any, y: Any = None) -> tuple[Chart, Chart] | None:
    """Return the loss over the run, which is repeated unless it was recorded, and the rows on the loss of one row.

    None of more than two classes, which have another loss.
    """
    X, y = rows_and_labels(X, y)
    if len(perceptron.classes_) > 2:
        return None
    problem = problem_for(perceptron, X, y, None, perceptron.classes_)
    trace = trace_of_run(perceptron, problem, X, y, {})
    rule = UpdateRule(Dyadic([0] * problem.width, 0), problem.weights, 1, TIES[perceptron.tie])
    unit = read_rational(perceptron.eta0, "eta0") / problem.rows.denominator
    return _loss_of_run(problem, trace, rule, unit), kink(problem, perceptron.exact_weights())


def _loss_of_run(problem: Problem, trace: Indices, rule: UpdateRule, unit: Fraction) -> Chart:
    most = int(np.clip(_MOST_NUMBERS // max(1, problem.n * problem.width), _FEWEST_MARKS, _MOST_MARKS))
    marks = chosen_steps(trace.size + 1, most)
    prefix = Prefix(problem, trace, rule)
    value = [loss(problem, prefix.at(k).times_fraction(unit)) for k in marks.tolist()]
    note = (
        f"The loss is shown after {len(marks):,} of {counted(trace.size, 'mistake')}." if marks.size <= trace.size else None
    )
    return Chart(
        ("mistakes so far", "perceptron loss"), (curve("loss of all rows", marks, np.array(value), steps=True),), note=note
    )


def loss(problem: Problem, weights: Dyadic | Quotient) -> float:
    """Return the sum of ``max(0, -y_i (w.x_i + b))``; which rows count is decided exactly."""
    if not weights.numerators:  # which is slow to decide row by row
        return 0.0
    return float(np.maximum(0.0, -problem.y * scores(problem.rows, weights)).sum())


def kink(problem: Problem | None = None, weights: Dyadic | Quotient | Sequence[Fraction] | None = None) -> Chart:
    """Return the loss of one row by its signed score, its subgradients at the kink, and where rows are on it."""
    signed: Floats = np.zeros(0)
    if problem is not None and weights is not None:
        exact = weights if isinstance(weights, Dyadic | Quotient) else vector_of(tuple(weights))
        signed = np.sort(problem.y * scores(problem.rows, exact))
    total, signed = signed.size, signed[chosen_steps(signed.size, _MOST_ROWS)]
    reach = float(np.abs(signed[np.isfinite(signed)]).max(initial=0.0)) or 1.0
    ends = np.array([-reach, 0.0, reach])
    curves = [Curve("loss of a row, max(0, -s)", ends, np.maximum(0.0, -ends))]
    half = np.array([-0.5, 0.5]) * reach
    curves += [Curve("slopes -t with 0 ≤ t ≤ 1: subgradients at the kink", half, -t * half) for t in _SLOPES]
    if signed.size:
        curves.append(Curve("rows, by the weights at the end", signed, np.maximum(0.0, -signed), dots=True))
    note = f"{signed.size:,} of {total:,} rows are shown, evenly among their scores." if signed.size < total else None
    return Chart(("s = y (w·x + b), the signed score of a row", "loss of the row"), tuple(curves), note=note)


def _together(*notes: str | None) -> str | None:
    return " ".join(each for each in notes if each) or None
