"""Least squares: the regression of the labels -1 and 1 on the rows, in floating point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import lsqr

from ..._types import Floats
from ...problem.problem import Problem
from ...problem.rows import beside, column_extremes, is_dense, times_factors, times_powers
from ...support.blas import one_thread

_RELATIVE_RESIDUAL = 1e-15
"""The relative residual at which the iteration for sparse rows ends. It is then begun once more from where it ended."""

_ITERATION_LIMIT_REACHED = 7
"""What `lsqr` returns as its reason if it was ended by the limit of its iterations."""


@one_thread
def least_squares(problem: Problem, labels: Floats) -> tuple[Floats, bool]:
    """Return weights, the intercept last if there is one, that minimise the weighted sum of ``(w.x_i + b - y_i)^2``.

    There is a column of labels y for each problem on these rows, and a row of weights for each in return. Of several such
    weights these have the least length, the intercept counted. With them comes whether they are as exact as floating point
    allows: for sparse rows an iteration may end too early.
    """
    factors = np.ones(problem.n) if problem.weights is None else np.sqrt(problem.weights / problem.weights.max())
    if is_dense(problem.X):
        return _dense(problem, labels, factors), True
    return _sparse(problem, labels, factors)


def _dense(problem: Problem, labels: Floats, factors: Floats) -> Floats:
    """Factorise with columns scaled by powers of two, lest one of small numbers be taken for one of zeros.

    The solution does not depend on scales unless there are several. Then lengths count, and are those of unscaled weights.
    """
    exponents = np.zeros(problem.d + problem.intercept, np.int64)
    exponents[: problem.d] = -np.frexp(column_extremes(problem.X))[1]
    weights, rank = _factorised(problem, labels, factors, exponents)
    if rank < len(exponents):
        weights, _ = _factorised(problem, labels, factors, np.full_like(exponents, exponents.min()))
    return weights


def _factorised(problem: Problem, labels: Floats, factors: Floats, exponents: NDArray[np.int64]) -> tuple[Floats, int]:
    """Solve by QR, where there are more rows than columns, and singular values; return the rank too."""
    n, d = problem.X.shape
    D = len(exponents)
    A = np.empty((n, D + labels.shape[1]))
    np.ldexp(problem.X, exponents[:d], out=A[:, :d])
    A[:, d:D] = np.ldexp(1.0, exponents[d:])
    A[:, D:] = labels
    A *= factors[:, None]
    if n > A.shape[1]:
        A = np.asarray(np.linalg.qr(A, mode="r"))
    U, values, Vt = np.linalg.svd(A[:, :D], full_matrices=False)
    rank = int(np.count_nonzero(values > values[0] * max(n, D) * np.finfo(np.float64).eps))
    scaled = ((A[:, D:].T @ U[:, :rank]) / values[:rank]) @ Vt[:rank]
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(scaled, exponents), rank


def _sparse(problem: Problem, labels: Floats, factors: Floats) -> tuple[Floats, bool]:
    """Iterate (LSQR), from zero, so that of all solutions the shortest is found; rows are not filled in."""
    largest = max(problem.measures.largest, 1.0 if problem.intercept else 0.0)
    power = -int(np.frexp(largest)[1])
    X = times_powers(problem.X, power)
    exponents = np.full(problem.d + problem.intercept, power)
    if problem.intercept:
        X = beside(X, np.full((problem.n, 1), np.ldexp(1.0, power)))
    A = times_factors(X, factors)
    limit = 1000 + 20 * min(A.shape)
    weights, ended = np.zeros((labels.shape[1], A.shape[1])), True
    for k, right in enumerate((factors[:, None] * labels).T):
        reason = 0
        for _ in range(2):
            more = {"atol": _RELATIVE_RESIDUAL, "btol": _RELATIVE_RESIDUAL, "conlim": 0.0, "iter_lim": limit}
            weights[k], reason = lsqr(A, right, x0=weights[k], **more)[:2]
        ended = ended and reason != _ITERATION_LIMIT_REACHED
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(weights, exponents), ended
