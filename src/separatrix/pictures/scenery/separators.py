"""Several hyperplanes that separate the same classes: the widest, that of a proof, and those of a few runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...estimators.perceptron import Perceptron
from ...problem.problem import Problem
from ...separation.decision import decide_problem
from ...separation.margins import Margin
from ...separation.maximum_margin import margin_of_problem
from ...separation.verdict import Verdict
from ...support.clock import Clock
from ..scene import Scene
from ..staging import Stage

_MOST_PASSES = 200

Named = tuple[str, Sequence[Fraction], Fraction]


def scene_of_separators(
    problem: Problem, runs: int, others: Sequence[Named] = (), verdict: Verdict | None = None, widest: Margin | None = None
) -> Scene:
    """Return the scene of the widest separator with its band, others that are given, that of `decide`, and those of runs."""
    if widest is None or widest.kind != "geometric":
        widest = margin_of_problem(problem, "geometric" if len(problem.classes) == 2 else "lifted")
    proved = (decide_problem(problem, Clock()) if verdict is None else verdict).certificate
    found: list[Named] = [("the widest", *_split(problem, widest.weights.fractions())), *others]
    if proved is not None and proved.separator is not None:
        found.append(("of the proof", proved.separator.weights, proved.separator.intercept))
    found += _runs(problem, runs)
    found = [each for each in found if any(each[1])]
    notes = () if len(found) > 1 or not runs else ("There is one hyperplane alone to be shown.",)
    stage = Stage.of(problem, *found[0][1:]) if found else Stage.of(problem)
    margin, nearest = stage.nearest(*found[0][1:]) if found else (None, [])
    if problem.d > 2 and len(found) > 1:
        notes = (
            "Only of the widest is each row on the side where it is seen; of the others the picture shows where they cut "
            "its plane.",
        )
    lines = tuple(stage.line(*each, margin if k == 0 else None) for k, each in enumerate(found))
    points = stage.points(first=nearest, support=widest.support)
    return Scene("Hyperplanes that separate the classes", stage.projection.view, points, lines, notes=notes)


def _runs(problem: Problem, runs: int) -> list[Named]:
    """Return the hyperplanes of runs in different orders, as far as they come to one that separates."""
    labels = np.where(problem.y > 0, 1, 0)
    found: list[Named] = []
    for seed in range(runs):
        model = Perceptron(order="shuffle", random_state=seed, max_iter=_MOST_PASSES, fit_intercept=problem.intercept)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(problem.rows, labels)
        if model.halted_ and len(model.classes_) == 2:
            weights, intercept = _split(problem, model.exact_weights().fractions())
            found.append((f"perceptron, order {seed + 1}", weights, intercept))
    return found


def _split(problem: Problem, numbers: list[Fraction]) -> tuple[list[Fraction], Fraction]:
    return (numbers[:-1], numbers[-1]) if problem.intercept else (numbers, Fraction(0))
