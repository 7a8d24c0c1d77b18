"""The perceptron as a unit: inputs, weights, sum, threshold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...estimators.shared.hyperplanes import Hyperplanes
from ...geometry.hyperplane import Hyperplane
from ...problem.exact_rows import ExactRows
from ...problem.problem import Problem
from ...problem.wording import column_names
from ...support.escaping import shown
from ...support.numbers import number_text
from ..scene import Scene, Unit
from ..staging import readable

MOST_INPUTS = 8
"""Inputs that are drawn; there may be more."""


def unit_of(problem: Problem, weights: Sequence[Fraction], intercept: Fraction, tie: str | None = None) -> Unit:
    """Return the unit, with the inputs of the largest weights where there are many, in their order."""
    names = column_names(problem)
    weights, intercept, divided = readable(weights, intercept)
    largest = sorted(range(len(weights)), key=lambda j: (-abs(weights[j]), j))[:MOST_INPUTS]
    return Unit(
        inputs=tuple(names[j] for j in sorted(largest)),
        weights=tuple(number_text(weights[j]) for j in sorted(largest)),
        total=len(weights),
        intercept=number_text(intercept) if problem.intercept else None,
        classes=tuple(map(shown, problem.classes)),
        tie=tie,
        divided=divided,
    )


def unit_alone(answer: Hyperplane | Hyperplanes) -> Scene:
    """Return the scene of a unit whose rows are not given; what their columns are called may be known."""
    if isinstance(answer, Hyperplane):
        found, names, classes, intercept = answer, None, np.array(["negative side", "positive side"]), bool(answer.intercept)
    else:
        check_is_fitted(answer)
        found, names, classes = answer.hyperplane(), getattr(answer, "feature_names_in_", None), answer.classes_
        intercept = bool(getattr(answer, "fit_intercept", True))
    nothing = ExactRows(np.zeros((2, found.dimension)), names=None if names is None else tuple(map(str, names)))
    problem = Problem.of(nothing, classes, classes=classes, intercept=intercept)
    unit = unit_of(problem, found.weights, found.intercept, getattr(answer, "tie", None))
    return Scene(type(answer).__name__, unit=unit)
