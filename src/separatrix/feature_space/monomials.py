"""Kernels whose features are monomials, written out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .._types import Floats
from ..exact.rounding import nearest
from ..perceptron.gram import Kernel
from ..problem.monomials import PolynomialKernel
from ..problem.problem import Problem
from ..problem.rows import filled_in

MAX_MONOMIALS = 300
"""Monomials up to which they are written out."""


def polynomial(kernel: Kernel) -> PolynomialKernel:
    """Return a kernel, linear or polynomial, with its parameters as fractions."""
    return PolynomialKernel(kernel.degree, Fraction(kernel.gamma), Fraction(kernel.coef0))


def has_monomials(kernel: Kernel, d: int) -> bool:
    """Whether the features of a kernel are monomials, and few enough to be written out."""
    if kernel.name not in ("linear", "poly") or kernel.coef0 < 0:
        return False
    return polynomial(kernel).number(d) <= MAX_MONOMIALS


def float_features(problem: Problem, kernel: Kernel) -> Floats:
    """Return coordinates of the rows in feature space, in floating point; the last is the constant, if there is one."""
    X, exactly = filled_in(problem.rows.nearest()), polynomial(kernel)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        columns = [
            X[:, list(each.places)].prod(axis=1) * math.sqrt(nearest(each.weight(exactly)))
            for each in exactly.monomials(problem.d)
        ]
        if kernel.coef0:
            columns.append(np.full(problem.n, math.sqrt(nearest(exactly.coef0**kernel.degree))))
    return np.column_stack([*columns, *([np.ones(problem.n)] if kernel.intercept else [])])
