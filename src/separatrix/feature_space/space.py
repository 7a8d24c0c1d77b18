"""Whether a kernel has a feature space on some rows, and coordinates there in floating point, which propose only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.linalg

from .._types import Floats
from ..exact.linear_algebra import is_semidefinite
from ..exact.rounding import nearest
from ..perceptron.gram import Kernel, Points
from ..problem.problem import Problem
from .gram_matrix import GramMatrix
from .monomials import float_features, has_monomials

MAX_ROWS_TO_CHECK = 250
"""Rows up to which a matrix is checked to be positive semidefinite: exactly, which takes time."""

MAX_ROWS = 2000
"""Rows up to which a Gram matrix is formed in floating point."""


def is_inner_product(kernel: Kernel) -> bool:
    """Whether a kernel is an inner product by its form: linear, radial, or polynomial with a constant not below 0."""
    return kernel.name in ("linear", "rbf") or (kernel.name == "poly" and kernel.coef0 >= 0)


def require_feature_space(gram: GramMatrix) -> None:
    """Refuse products that are those of no feature space: not symmetric, or not positive semidefinite."""
    kernel = gram.kernel
    if is_inner_product(kernel):
        return
    what = "The precomputed matrix" if kernel.name == "precomputed" else f"With coef0={kernel.coef0:g} the Gram matrix"
    if gram.n > MAX_ROWS_TO_CHECK:
        raise ValueError(
            f"{what} must be positive semidefinite, or there is no feature space. That is checked exactly, for at most "
            f"{MAX_ROWS_TO_CHECK} rows; there are {gram.n:,}. Take fewer rows, or a kernel that is an inner product by its "
            "form: linear, rbf, or poly with coef0 of at least 0."
        )
    matrix = gram.matrix()
    for i, row in enumerate(matrix):
        for j in range(i):
            if row[j] != matrix[j][i]:
                raise ValueError(
                    f"{what} is not symmetric: its entries ({j}, {i}) and ({i}, {j}) differ. Products of rows are the same "
                    "either way; make it so, as with (K + K.T) / 2."
                )
    constant = gram.divisor if kernel.intercept else 0
    if not is_semidefinite([[number - constant for number in row] for row in matrix]):
        raise ValueError(
            f"{what} is not positive semidefinite, which is decided exactly: there is no feature space whose inner products "
            "its entries are. If rounding made it so, add a small number to its diagonal; else take another kernel."
        )


def coordinates(problem: Problem, kernel: Kernel) -> Floats | None:
    """Return coordinates of the rows in feature space, in floating point; None if they are out of its range."""
    if has_monomials(kernel, problem.d):
        found = float_features(problem, kernel)
        return found if np.isfinite(found).all() else None
    require_moderate(problem)
    points = Points(problem.rows)
    gram = kernel.gram(points, points)
    with np.errstate(all="ignore"):
        products = gram.block(np.arange(problem.n)) / nearest(Fraction(gram.divisor))
        if not np.isfinite(products).all():
            return None
        factor, order, rank, _ = scipy.linalg.lapack.dpstrf((products + products.T) / 2, lower=1)
    found = np.zeros((problem.n, max(1, int(rank))))
    found[order - 1] = np.tril(factor)[:, : max(1, int(rank))]
    return found if np.isfinite(found).all() else None


def require_moderate(problem: Problem) -> None:
    """Refuse more rows than a Gram matrix is formed of."""
    if problem.n > MAX_ROWS:
        raise ValueError(
            f"This kernel takes the products of all rows with each other, of {MAX_ROWS:,} rows at most; there are "
            f"{problem.n:,}. Take fewer rows, or a polynomial kernel of a degree with fewer features."
        )
