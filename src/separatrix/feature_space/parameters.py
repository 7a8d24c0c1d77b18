"""A kernel by its name and parameters, as the functions take them; the same names and defaults as in `KernelPerceptron`."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ..exact.float64 import read_float
from ..perceptron.gram import Kernel
from ..perceptron.kernels import KERNELS, scaled_gamma
from ..problem.problem import Problem

MAX_DEGREE = 1000
"""The highest degree of a polynomial kernel."""


def kernel_of(problem: Problem, kernel: Any, degree: Any, gamma: Any, coef0: Any) -> Kernel:
    """Return the kernel that is named, for these rows; with the constant, if the problem has an intercept."""
    if callable(kernel):
        raise TypeError(
            "A kernel that is a function is known by its values alone. Compute the matrix of products of all rows, and give "
            "it in place of the rows with kernel='precomputed'."
        )
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}, got {kernel!r}.")
    whole = isinstance(degree, numbers.Integral) and not isinstance(degree, bool)
    if not whole or not 1 <= degree <= MAX_DEGREE:
        raise ValueError(f"degree must be an integer from 1 to {MAX_DEGREE}, got {degree!r}.")
    if isinstance(gamma, str):
        if gamma != "scale":
            raise ValueError(f"gamma must be 'scale' or a positive, finite number, got {gamma!r}.")
        coefficient = scaled_gamma(problem.rows.nearest()) if kernel in ("poly", "rbf") else 1.0
    else:
        coefficient = _number(gamma, "gamma", "'scale' or a positive, finite number", 0.0)
    constant = _number(coef0, "coef0", "a finite number", -math.inf)
    if kernel == "precomputed":
        if problem.n != problem.d:
            raise ValueError(
                f"A precomputed matrix must be square; X has shape ({problem.n}, {problem.d}). Give the products of all "
                "rows with each other."
            )
        return Kernel("precomputed", 1.0, 0.0, 1, problem.intercept)
    if kernel == "linear":
        return Kernel("linear", 1.0, 0.0, 1, problem.intercept)
    return Kernel(kernel, coefficient, constant, int(degree), problem.intercept)


def in_words(kernel: Kernel) -> str:
    """Write a kernel as a formula.

    >>> in_words(Kernel("poly", 1.0, 0.0, 2, True)), in_words(Kernel("rbf", 0.5, 0.0, 3, False))
    ("(x.x')^2 + 1", "exp(-0.5 ||x - x'||^2)")
    """
    more = " + 1" if kernel.intercept else ""
    if kernel.name == "precomputed":
        return f"the matrix given{more}"
    factor = "" if kernel.gamma == 1.0 else f"{kernel.gamma:.6g} "
    if kernel.name == "rbf":
        return f"exp(-{factor}||x - x'||^2){more}"
    inner = f"{factor}x.x'" + (f" {'-' if kernel.coef0 < 0 else '+'} {abs(kernel.coef0):.6g}" if kernel.coef0 else "")
    plain = kernel.name == "linear" or kernel.degree == 1
    return f"{inner}{more}" if plain else f"({inner})^{kernel.degree}{more}"


def _number(value: Any, name: str, expected: str, above: float) -> float:
    try:
        fits = isinstance(value, numbers.Real) and not isinstance(value, bool) and above < float(value) < math.inf
    except OverflowError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must be {expected}, got {value!r}.")
    return read_float(value, name)
