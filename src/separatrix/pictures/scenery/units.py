"""The perceptron as a unit: inputs, weights, sum, threshold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...problem.problem import Problem
from ...problem.wording import column_names
from ...support.escaping import shown
from ...support.numbers import number_text
from ..scene import Unit
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
