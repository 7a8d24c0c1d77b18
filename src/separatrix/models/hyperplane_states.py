"""Hyperplanes in floating point, as JSON: the maximum margin, least squares, the linear program.

A kind of value is written and read by two functions side by side. The one that reads is given the classes and the number of
features, as fields of the value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.kernel_margin import LearntKernelMargin
from ..estimators.learnt import LearntHyperplanes
from ..estimators.linear_program import LearntProgram
from ..estimators.max_margin import LearntMargin
from .fields import (
    Section,
    ascending,
    boolean,
    each,
    floats,
    indices,
    quantities,
    rational,
    refuse,
    table,
    write_quantity,
)
from .run_states import SUPPORT, read_support, vector, write_support

# ---- Maximum margin.


def write_margin(learnt: LearntMargin) -> dict[str, Any]:
    """Write a hyperplane with its margin."""
    return {
        "weights": learnt.weights.strings(),
        "margin_bounds": [write_quantity(bound) for bound in learnt.margin_bounds],
        "support": learnt.support.tolist(),
        "dual_coef": [write_quantity(multiple) for multiple in learnt.dual_coef],
    }


def read_margin(document: Any, known: dict[str, Any]) -> LearntMargin | LearntKernelMargin:
    """Read a hyperplane with its margin."""
    if isinstance(document, dict) and "kernel" in document:
        return _read_kernel_margin(document, known)
    state = Section(document, "state", "weights", "margin_bounds", "support", "dual_coef")
    low, high = state.get("margin_bounds", quantities, 2).tolist()
    if not 0.0 <= low <= high:
        refuse("state.margin_bounds", "two numbers in order", [low, high])
    support = ascending(state.get("support", indices), "state.support")
    return LearntMargin(
        **known,
        weights=vector(state, "weights", known["features"]),
        margin_bounds=(low, high),
        support=support,
        dual_coef=state.get("dual_coef", quantities, support.size),
    )


def write_kernel_margin(learnt: LearntKernelMargin) -> dict[str, Any]:
    """Write a hyperplane in the feature space of a kernel with its margin."""
    return {
        **write_support(learnt.kernel, learnt.support, learnt.support_rows, learnt.multiples),
        "intercept": str(learnt.intercept),
        "reach": str(learnt.reach),
        "margin_bounds": [write_quantity(bound) for bound in learnt.margin_bounds],
    }


def _read_kernel_margin(document: Any, known: dict[str, Any]) -> LearntKernelMargin:
    state = Section(document, "state", *SUPPORT, "intercept", "reach", "margin_bounds")
    low, high = state.get("margin_bounds", quantities, 2).tolist()
    if not 0.0 <= low <= high:
        refuse("state.margin_bounds", "two numbers in order", [low, high])
    reach = state.get("reach", rational)
    if reach <= 0:
        refuse("state.reach", "a positive number", str(reach))
    return LearntKernelMargin(
        **known,
        **read_support(state, known["features"]),
        intercept=state.get("intercept", rational),
        reach=reach,
        margin_bounds=(low, high),
    )


# ---- Least squares and the linear program: weights of each class against the rest.


def write_hyperplanes(learnt: LearntHyperplanes) -> dict[str, Any]:
    """Write hyperplanes."""
    return {"coef": learnt.coef.tolist(), "intercept": learnt.intercept.tolist()}


def _hyperplanes(document: Any, known: dict[str, Any], *more: str) -> tuple[Section, dict[str, Any]]:
    state = Section(document, "state", "coef", "intercept", *more)
    count = len(known["classes"]) if len(known["classes"]) > 2 else 1
    coef, intercept = state.get("coef", table, count, known["features"]), state.get("intercept", floats, count)
    return state, {**known, "coef": coef, "intercept": intercept}


def read_hyperplanes(document: Any, known: dict[str, Any]) -> LearntHyperplanes:
    """Read hyperplanes."""
    return LearntHyperplanes(**_hyperplanes(document, known)[1])


def write_program(learnt: LearntProgram) -> dict[str, Any]:
    """Write hyperplanes with what they violate, and whether they separate."""
    return {
        **write_hyperplanes(learnt),
        "violation": [write_quantity(violation) for violation in learnt.violation],
        "separated": learnt.separated.tolist(),
    }


def read_program(document: Any, known: dict[str, Any]) -> LearntProgram:
    """Read hyperplanes with what they violate, and whether they separate."""
    state, fields = _hyperplanes(document, known, "violation", "separated")
    count = len(fields["coef"])
    violation = state.get("violation", quantities, count)
    separated = state.get("separated", lambda value, where: each(boolean, value, where, count))
    if np.any(violation < 0.0):
        refuse("state.violation", "no numbers below 0", violation.tolist())
    return LearntProgram(**fields, violation=violation, separated=np.array(separated))
