"""Points, and their feet on a hyperplane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...geometry.hyperplane import Hyperplane
from ...problem.problem import Problem
from ...support.numbers import number_text
from ..projecting import codes_of
from ..scene import Foot, Scene
from ..staging import Stage


def scene_of_feet(problem: Problem, hyperplane: Hyperplane, rows: Sequence[int]) -> Scene:
    """Return the scene of some rows with their feet on a hyperplane, each computed exactly."""
    stage = Stage.of(problem, hyperplane.weights, hyperplane.intercept)
    chosen, codes = list(rows), codes_of(problem)
    points = np.array(problem.points(chosen), object)
    feet, squares = hyperplane.project(points), hyperplane.squared_distance(points)
    distances = hyperplane.distance(points)
    here = stage.projection.points(problem.rows[chosen].nearest(), codes[chosen])
    there = stage.projection.points(feet.astype(float), codes[chosen])
    found = tuple(
        Foot(
            point=(float(start[0]), float(start[1])),
            foot=(float(end[0]), float(end[1])),
            distance=_distance(square, abs(distance)),
            label=f"row {row:,}",
        )
        for row, start, end, square, distance in zip(chosen, here, there, squares, distances, strict=True)
    )
    line = stage.line("hyperplane", hyperplane.weights, hyperplane.intercept)
    return Scene("Distances from a hyperplane", stage.projection.view, stage.points(first=chosen), (line,), feet=found)


def _distance(square: Fraction, rounded: float) -> str:
    """Write a distance: exactly if it is rational, and short, else rounded."""
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    exact = number_text(root) if root * root == square else ""
    return exact if 0 < len(exact) <= 10 else f"{rounded:.6g}"
