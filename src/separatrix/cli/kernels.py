"""The options that name a kernel, for the commands that ask about its feature space."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import typer

from ..exceptions import FileError
from .algorithms import read_gamma, refuse_for_kernel

_TOLERANCE = 1e-6
"""How near the bounds of a margin must be that is found at once."""

KernelName = Annotated[
    str | None, typer.Option("--kernel", help="Ask in the feature space of a kernel: linear, poly or rbf.")
]

Degree = Annotated[int | None, typer.Option(help="Of the kernel poly: its degree, 3.")]

Gamma = Annotated[str | None, typer.Option(help="Of the kernels poly and rbf: a number, or scale (the default).")]

Coef0 = Annotated[float | None, typer.Option(help="Of the kernel poly: its constant, 0.")]


def kernel_given(kernel: str | None, degree: int | None, gamma: str | None, coef0: float | None) -> dict[str, Any] | None:
    """Return the parameters of the kernel that options name, or None if there is none; refuse options without one."""
    options: dict[str, Any] = {"degree": degree, "gamma": gamma, "coef0": coef0}
    given = {option: value for option, value in options.items() if value is not None}
    if kernel is None:
        if given:
            raise FileError(f"--{next(iter(given))} is for a kernel: name it with --kernel.")
        return None
    refuse_for_kernel(kernel, given)
    if "gamma" in given:
        given["gamma"] = read_gamma(given["gamma"])
    return {"kernel": kernel, "degree": 3, "gamma": "scale", "coef0": 0.0, **given}


def allowed_by_kernel(perceptron: Any, X: Any, y: Any) -> dict[str, Any] | None:
    """Return radius, margin and most mistakes of the theorem in feature space; None if the margin is not found at once."""
    from ..estimators.learnt import learnt_by
    from ..exact.rounding import root
    from ..feature_space.gram_matrix import gram_matrix
    from ..problem.problem import Problem
    from ..separation.kernel_margins import margin_at_once

    kernel = learnt_by(perceptron).kernel
    problem = Problem.of(X, y, intercept=kernel.intercept)
    margin = margin_at_once(problem, kernel, "lifted", _TOLERANCE)
    if margin is None:
        return None
    gram = gram_matrix(kernel, problem.rows)
    square = Fraction(max(gram.diagonal()), gram.divisor)
    most = square / margin.lo_squared
    return {
        "radius": root(square, up=True), "margin": [margin.lo, margin.hi],
        "most_mistakes": most.numerator // most.denominator,
    }  # fmt: skip
