"""Steps of a run: the row that is looked at, the weights before and after, and where their hyperplanes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..._types import Floats
from ...problem.problem import Problem
from ...support.escaping import shown
from ...support.numbers import number_text
from ...tracing.step import Step
from ...tracing.step_table import StepTable
from ..projecting import Projection, codes_of
from ..scene import Line, Scene, Update
from ..staging import Stage

MOST_STEPS = 50
"""Steps that a scene has, where none is asked for."""

_KINDS = ("perceptron", "voted", "pocket")

Vector = Sequence[Fraction]


def scene_of_steps(table: StepTable, problem: Problem, step: int | None = None) -> Scene:
    """Return the scene of one step of a run, or of the first ones; of more than two features, of the first one alone.

    With more than two features the plane is that of the weights before and after the step, another one for each step.
    """
    if table.kind not in _KINDS:
        what = "a kernel" if table.kind == "kernel" else f"{len(table.classes)} classes"
        raise ValueError(f"The picture 'update' is of the weights of two classes, and this is a run of {what}.")
    if len(table.features) != problem.d:
        raise ValueError(f"X has {problem.d} columns, but the run was on {len(table.features)}: give the rows that ran.")
    chosen = _chosen(table, step, 1 if problem.d > 2 else MOST_STEPS)
    stage = _stage(problem, table, chosen[0][1])
    rows = sorted({each.row for _, each in chosen})
    updates = tuple(_update(stage, table, number, each) for number, each in chosen)
    title = f"Step {updates[0].step:,}" if len(updates) == 1 else f"The first {len(updates)} steps"
    return Scene(title, stage.projection.view, stage.points(first=rows), updates=updates)


def _chosen(table: StepTable, step: int | None, most: int) -> list[tuple[int, Step]]:
    """Return the lines of the table that are to be shown, each with its number."""
    numbered = [(place if each.step is None else each.step, each) for place, each in enumerate(table, 1)]
    if not numbered:
        raise ValueError("The run has no steps to be shown.")
    if step is None:
        return numbered[:most]
    found = [each for each in numbered if each[0] == step]
    if not found:
        last = numbered[-1][0]
        raise ValueError(f"step must be the number of a step of the table, from {numbered[0][0]} to {last:,}; got {step!r}.")
    return found[:1]


def _before(table: StepTable, step: Step) -> tuple[Fraction, ...]:
    if step.update is None:
        return step.weights
    return tuple(a - b for a, b in zip(step.weights, step.update, strict=True))


def _split(table: StepTable, weights: Vector) -> tuple[list[Fraction], Fraction]:
    return (list(weights[:-1]), weights[-1]) if table.intercept else (list(weights), Fraction(0))


def _stage(problem: Problem, table: StepTable, step: Step) -> Stage:
    """Choose the plane: of more than two features, the one of the weights before and after."""
    (old, _), (new, offset) = _split(table, _before(table, step)), _split(table, step.weights)
    if problem.d <= 2 or not any(new):
        return Stage.of(problem, old if any(old) else None, _split(table, _before(table, step))[1])
    stage = Stage.of(problem, new, offset)
    across = stage.projection.basis[0]
    size = max(map(abs, old), default=Fraction(0)) or Fraction(1)
    other = np.array([float(each / size) for each in old])
    up = other - (other @ across) * across
    if np.linalg.norm(up) <= 1e-9 * max(float(np.linalg.norm(other)), 1e-300):
        return stage  # old and new weights have the same direction, or there are no old ones
    view = replace(
        stage.projection.view,
        kind="step",
        axes=(stage.projection.view.axes[0], "orthogonal to it, in the plane of old and new weights"),
        note=f"{problem.d:,} features are projected to the plane of the old and the new weights: on which side of either "
        "hyperplane a row is, is seen as it is.",
    )
    basis = np.array([across, up / np.linalg.norm(up)])
    return Stage(problem, Projection(view, stage.projection.origin, basis))


def _update(stage: Stage, table: StepTable, number: int, step: Step) -> Update:
    codes = codes_of(stage.problem)
    at = stage.projection.points(stage.problem.rows[[step.row]].nearest(), codes[[step.row]])[0]
    before, after = _before(table, step), step.weights
    vectors = [_split(table, each)[0] for each in (before, step.update or [Fraction(0)] * len(after), after)]
    return Update(
        step=number,
        row=step.row,
        at=(float(at[0]), float(at[1])),
        label=int(codes[step.row]),
        mistake=step.mistake,
        score=number_text(step.score),
        before=_line(stage, table, "old hyperplane", before),
        after=_line(stage, table, "new hyperplane", after),
        weights_before=tuple(map(number_text, before)),
        weights_after=tuple(map(number_text, after)),
        arrows=_arrows(stage, vectors),
    )


def _line(stage: Stage, table: StepTable, name: str, weights: Vector) -> Line | None:
    vector, intercept = _split(table, weights)
    return stage.line(name, vector, intercept) if any(vector) else None


def _arrows(stage: Stage, vectors: list[list[Fraction]]) -> Floats:
    """Return vectors of weights in the plane, divided by the largest number among them, so that any are drawn."""
    largest = max((abs(each) for vector in vectors for each in vector), default=Fraction(0)) or Fraction(1)
    return np.array([stage.projection.direction([each / largest for each in vector]) for vector in vectors])


def named(update: Update, classes: tuple[str, ...]) -> str:
    """Say what a step is: its row, the class of it, its score, and whether it is a mistake."""
    what = "wrong" if update.mistake else "right: nothing changes"
    return f"row {update.row:,}, class {shown(classes[update.label])}, score {update.score}: {what}"
