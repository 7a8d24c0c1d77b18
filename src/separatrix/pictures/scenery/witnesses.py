"""Why no hyperplane separates: rows of the proof, and the point that convex combinations of both classes have in common."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.spatial

from ..._types import Floats
from ...problem.problem import Problem
from ...problem.row_names import RowNames
from ...proof.claims import Obstruction
from ...support.escaping import shown
from ...support.numbers import number_text
from ..projecting import Projection, codes_of
from ..scene import Points, Witness
from ..staging import Stage

_MOST_NUMBERS = 3
"""Coordinates of the common point that the sentence names; of more it names none."""

_MANY = 2_000
"""From so many points up, those that are clearly within their hull are left out first."""


def witness_of(stage: Stage, obstruction: Obstruction, *, apart: bool = False) -> Witness:
    """Return what a picture of a proof shows; ``apart`` from a scene of another plane, it has its own.

    Without an intercept, a proof is that the origin is a convex combination of rows once those of the first class are turned
    about the origin: so they are drawn like that.
    """
    problem, turned = stage.problem, not stage.problem.intercept
    rows, codes = list(obstruction.rows), codes_of(problem)
    stage = replace(stage, projection=_about_origin(stage.projection)) if turned else stage
    at = stage.projection.points(problem.rows[rows].nearest(), codes[rows])
    shares = _shares(obstruction, turned)
    common = _common(problem, obstruction, shares, turned)
    seen = stage.projection.points(np.array([[float(each) for each in common]]), np.zeros(1, np.int64))[0]
    if problem.d < 2:
        seen[1] = (len(problem.classes) - 1) / 2  # between the lanes of both classes
    names = RowNames(problem, rows)
    points = _turned_points(stage, rows) if turned else stage.points(first=rows) if apart else None
    return Witness(
        row=np.array(rows if problem.kept is None else problem.kept[rows].tolist(), np.int64),
        code=codes[rows],
        at=_turned(problem, at, problem.y[rows]) if turned else at,
        shares=tuple(map(str, shares)),
        common=(float(seen[0]), float(seen[1])),
        hulls=_hulls(stage, turned),
        exact=problem.d <= 2,
        sentence=_sentence(problem, common, turned),
        points=points,
        view=stage.projection.view if apart else None,
        names=tuple(map(names.name, rows)) if names.are_lines else None,
    )


def _turned_points(stage: Stage, rows: list[int]) -> Points:
    points = stage.points(first=rows)
    places = points.row if stage.problem.kept is None else np.searchsorted(stage.problem.kept, points.row)
    return replace(points, at=_turned(stage.problem, points.at, stage.problem.y[places]))


def _shares(obstruction: Obstruction, turned: bool) -> list[Fraction]:
    """Return the share of each row in the combination of its class, or of all rows if some are turned."""
    groups = [0] * len(obstruction.labels) if turned else obstruction.labels
    total = {
        group: sum((m for m, each in zip(obstruction.multipliers, groups, strict=True) if each == group), Fraction(0))
        for group in set(groups)
    }
    return [m / total[group] for m, group in zip(obstruction.multipliers, groups, strict=True)]


def _common(problem: Problem, obstruction: Obstruction, shares: list[Fraction], turned: bool) -> list[Fraction]:
    """Return the common point, exactly."""
    if turned:
        return [Fraction(0)] * problem.d
    points = problem.points(list(obstruction.rows))  # of a kernel, features, and not the points of the certificate
    return [
        sum((s * p[j] for s, p, y in zip(shares, points, obstruction.labels, strict=True) if y > 0), Fraction(0))
        for j in range(problem.d)
    ]


def _sentence(problem: Problem, common: list[Fraction], turned: bool) -> str:
    if turned:
        return (
            f"There is no intercept. Rows of class {shown(problem.classes[0])} are turned about the origin, and the origin "
            "is a mean of the marked rows: so no hyperplane through it has all of them on one side."
        )
    named = f" ({', '.join(map(number_text, common))})" if len(common) <= _MOST_NUMBERS else ""
    return f"The star{named} is a mean of the marked rows of either class, so no hyperplane has these on two sides."


def _hulls(stage: Stage, turned: bool) -> tuple[Floats, ...]:
    """Return the corners of the convex hull of each class, or of all rows if some are turned."""
    problem, codes = stage.problem, codes_of(stage.problem)
    at = stage.projection.points(problem.rows.nearest(), codes)
    if turned:
        return (hull(_turned(problem, at, problem.y)),)
    return tuple(hull(at[codes == k]) for k in range(len(problem.classes)))


def hull(points: Floats) -> Floats:
    """Return the corners of the convex hull of points of a plane, in order; two if all are on a line, one, or none.

    >>> hull(np.array([[0, 0], [2, 0], [1, 0.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """
    places = np.unique(_outer(points), axis=0)
    if len(places) <= 2:
        return places
    try:
        return np.asarray(places[scipy.spatial.ConvexHull(places).vertices])
    except scipy.spatial.QhullError:  # all on a line, or nearly: sorted by one coordinate, then the other
        across, up = np.ptp(places, axis=0)
        order = np.argsort(places[:, 0 if across >= up else 1], kind="stable")
        return places[[order[0], order[-1]]]


def _outer(points: Floats) -> Floats:
    """Leave out most of the points that are no corners: those well within a polygon of corners."""
    if len(points) < _MANY:
        return points
    turns = np.arange(16) * np.pi / 8
    ways = np.array([np.cos(turns), np.sin(turns)])
    reach = points @ ways
    corners = points[np.unique(reach.argmax(axis=0))]
    try:
        sides = scipy.spatial.ConvexHull(corners).equations
    except scipy.spatial.QhullError:
        return points
    size = float(np.abs(points).max())
    within = np.all(points @ sides[:, :2].T + sides[:, 2] < -1e-9 * size, axis=1)
    return points[~within]


def _about_origin(projection: Projection) -> Projection:
    return replace(projection, origin=np.zeros_like(projection.origin))


def _turned(problem: Problem, at: Floats, signs: Floats) -> Floats:
    """Turn the rows of the first class about the origin; of one feature they stay in the lanes of their classes."""
    return at * (np.column_stack([signs, np.ones(len(at))]) if problem.d < 2 else signs[:, None])
