"""The space of weights: each row allows a half-space, all of them together a cone, and the run is a path into it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..._types import Floats, Indices
from ...problem.problem import Problem
from ...problem.wording import column_names
from ...support.counts import counted
from ...tracing.step_table import StepTable
from ..projecting import axis_named, codes_of, unit_for
from ..scene import Scene, WeightSpace
from ..staging import Stage

MOST_ROWS = 60
"""Rows whose half-planes are drawn: those next to the cone first, as the others do not bound it."""

MOST_WEIGHTS = 300
"""Weights of the run that are drawn."""

_KINDS = ("perceptron", "voted", "pocket")

Vector = Sequence[Fraction]


def scene_of_weights(table: StepTable, problem: Problem) -> Scene:
    """Return the scene of a run in the space of weights."""
    if table.kind not in _KINDS:
        what = "a kernel" if table.kind == "kernel" else f"{len(table.classes)} classes"
        raise ValueError(f"The picture 'weight_space' is of the weights of two classes, and this is a run of {what}.")
    if len(table.features) != problem.d:
        raise ValueError(f"X has {problem.d} columns, but the run was on {len(table.features)}: give the rows that ran.")
    run = [table.start, *(each.weights for each in table if each.mistake)]
    k = np.unique(np.linspace(0, len(run) - 1, MOST_WEIGHTS).astype(np.int64))
    shown = [run[place] for place in k]
    largest = max((abs(each) for weights in shown for each in weights), default=Fraction(0))
    unit = unit_for(float(min(largest, Fraction(10) ** 300)))
    path = np.array([[float(each / Fraction(unit)) for each in weights] for weights in shown])
    basis, axes, notes = _plane(problem, table, path)
    normals = _normals(problem, table.intercept, basis)
    rows = _chosen(normals)
    notes += _notes(problem, table, len(run) - 1, len(rows))
    part = WeightSpace(
        axes=(axis_named(axes[0], unit), axis_named(axes[1], unit)),
        normals=normals[rows],
        code=codes_of(problem)[rows],
        row=rows if problem.kept is None else problem.kept[rows],
        path=path @ basis.T,
        k=k,
        star=_star(table, basis),
        classes=Stage.of(problem).classes,
        total=problem.n,
        cone=cone_of(normals),
        note=" ".join(notes) or None,
    )
    return Scene(f"A run of {counted(table.mistakes, 'mistake')} in the space of weights", weight_space=part)


def cone_of(normals: Floats) -> tuple[float, float] | None:
    """Return between which angles the directions are that have a positive product with all these; None if none has.

    >>> cone_of(np.array([[1.0, 0.0], [0.0, 1.0]]))
    (0.0, 1.5707963267948966)
    """
    turned = normals[np.any(normals != 0, axis=1)]
    angles = np.sort(np.arctan2(turned[:, 1], turned[:, 0]))
    if not angles.size:
        return None
    gaps = np.diff(np.append(angles, angles[0] + 2 * math.pi))
    widest = int(np.argmax(gaps))
    if gaps[widest] <= math.pi * (1 + 1e-12):  # they are not within one half-plane
        return None
    last = float(angles[widest])
    first = float(angles[(widest + 1) % angles.size])
    first -= 2 * math.pi * math.ceil((first - last) / (2 * math.pi))  # the arc from first up to last
    return last - math.pi / 2, first + math.pi / 2


def _plane(problem: Problem, table: StepTable, path: Floats) -> tuple[Floats, tuple[str, str], list[str]]:
    """Return two orthonormal directions of the space of weights, what they are called, and what must be known of them."""
    names = [*(f"weight of {name}" for name in column_names(problem)), *(["intercept"] if table.intercept else [])]
    if len(names) == 2:
        return np.eye(2), (names[0], names[1]), []
    if len(names) == 1:
        return np.eye(2, 1), (names[0], ""), ["There is one weight alone, and nothing to be seen upwards."]
    star = None if table.star is None else np.array([float(each) for each in _small(table.star)])
    starred = star is not None and bool(star.any())
    first = star if starred and star is not None else path[-1]
    called = "w*" if starred else "the last weights" if first.any() else names[0]
    across = _unit(first) if first.any() else np.eye(1, len(names))[0]
    away = path - (path @ across)[:, None] * across
    lengths = np.linalg.norm(away, axis=1)
    most = len(path) - 1 if lengths[-1] > 1e-9 * max(lengths.max(), 1e-300) and starred else int(np.argmax(lengths))
    up = _unit(away[most]) if lengths[most] > 0 else _orthogonal(across)
    other = "the last weights" if most == len(path) - 1 else "weights of the run"
    note = (
        f"Of {len(names):,} weights, the plane of {called} and of {other} is shown: half-planes and cone are cut by it, and "
        "the run is projected to it."
    )
    return np.array([across, up]), (f"along {called}", "orthogonal to it"), [note]


def _small(numbers: Vector) -> list[Fraction]:
    largest = max(map(abs, numbers)) or Fraction(1)
    return [each / largest for each in numbers]


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


def _orthogonal(vector: Floats) -> Floats:
    start = np.eye(1, vector.size, int(np.argmin(np.abs(vector))))[0]
    return _unit(start - (start @ vector) * vector)


def _normals(problem: Problem, intercept: bool, basis: Floats) -> Floats:
    """Return the signed, lifted rows in the plane: weights are right about a row if their product with it is positive."""
    rows, d = problem.rows.nearest(), problem.d
    unit = unit_for(problem.measures.largest / float(problem.rows.denominator))
    found = np.asarray((rows / unit if unit != 1.0 else rows) @ basis[:, :d].T)
    if intercept:
        found = found + basis[:, d] / unit
    return problem.y[:, None] * found


def _chosen(normals: Floats) -> Indices:
    """Choose the rows that are drawn: those that bound the cone first, and of equal ones one."""
    lengths = np.linalg.norm(normals, axis=1)
    there = np.flatnonzero(lengths > 0)
    if there.size <= MOST_ROWS:
        return there
    angles = np.arctan2(normals[there, 1], normals[there, 0])
    _, first = np.unique(np.round(angles, 9), return_index=True)
    there, angles = there[first], angles[first]
    if there.size <= MOST_ROWS:
        return np.sort(there)
    cone = cone_of(normals)
    middle = float(angles.mean()) if cone is None else (cone[0] + cone[1]) / 2
    away = np.abs((angles - middle + math.pi) % (2 * math.pi) - math.pi)
    return np.sort(there[np.argsort(-away, kind="stable")[:MOST_ROWS]])  # the more a row is turned away, the more it bounds


def _star(table: StepTable, basis: Floats) -> tuple[float, float] | None:
    """Return the direction of w* in the plane, at length 1 there; None if there is none."""
    if table.star is None or not any(table.star):
        return None
    seen = basis @ np.array([float(each) for each in _small(table.star)])
    length = float(np.linalg.norm(seen))
    return (float(seen[0]) / length, float(seen[1]) / length) if length else None


def _notes(problem: Problem, table: StepTable, mistakes: int, rows: int) -> list[str]:
    notes = []
    if rows < problem.n:
        notes.append(f"Half-planes of {rows:,} of {counted(problem.n, 'row')} are drawn; the cone is that of all rows.")
    if mistakes < table.mistakes:
        notes.append(f"The first {mistakes:,} of {table.mistakes:,} mistakes are shown.")
    elif mistakes >= MOST_WEIGHTS:
        notes.append(f"{MOST_WEIGHTS:,} weights of {mistakes + 1:,} are shown.")
    return notes
