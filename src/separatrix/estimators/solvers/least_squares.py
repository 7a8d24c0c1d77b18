"""Least squares: the regression of the labels -1 and 1 on the rows, in floating point.

Dense rows are factorised. Where there are more rows than columns, QR leaves a triangle of them, part after part, so that
nobody waits long for an end; where there are fewer, coordinates in the space of the rows are left (`row_space`). Singular
values solve the rest. Sparse rows are not filled in: they take an iteration, LSQR (Paige and Saunders 1982).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...problem.problem import Problem
from ...problem.rows import column_extremes, is_dense, times_powers
from ...separation.row_space import RowSpace
from ...support import progress
from ...support.blas import one_thread
from ...support.clock import Clock

_RELATIVE_RESIDUAL = 1e-15
"""The relative residual at which the iteration for sparse rows ends. It is then begun once more from where it ended."""

_ITERATIONS, _ITERATIONS_PER_COLUMN = 1000, 20
"""Iterations for sparse rows, at most: so many, and so many for each column besides."""

_NUMBERS_AT_ONCE = 2_000_000
"""Numbers of a part of the rows that is factorised at a time, unless they have very many columns."""

_MAX_EXPONENT = 300
"""The largest exponent by which sparse rows are scaled on the fly; beyond it they are copied, lest products overflow."""

_WIDE = 1000
"""Columns from which on rows that are fewer are given by their coordinates in the space that they span."""


@one_thread
def least_squares(problem: Problem, labels: Floats, clock: Clock | None = None) -> tuple[Floats, bool]:
    """Return weights, the intercept last if there is one, that minimise the weighted sum of ``(w.x_i + b - y_i)^2``.

    There is a column of labels y for each problem on these rows, and a row of weights for each in return. Of several such
    weights these have the least length, the intercept counted. With them comes whether they are as exact as floating point
    allows: for sparse rows an iteration may end too early; and if time runs out, dense rows are regressed on as far as they
    were read.
    """
    clock = Clock() if clock is None else clock
    factors = np.ones(problem.n) if problem.weights is None else np.sqrt(problem.weights / problem.weights.max())
    if is_dense(problem.X):
        return _dense(problem, labels, factors, clock)
    return _sparse(problem, labels, factors, clock)


def _dense(problem: Problem, labels: Floats, factors: Floats, clock: Clock) -> tuple[Floats, bool]:
    """Factorise with columns scaled by powers of two, lest one of small numbers be taken for one of zeros.

    The solution does not depend on scales unless there are several. Then lengths count, and are those of unscaled weights.
    """
    D = problem.d + problem.intercept
    exponents = np.zeros(D, np.int64)
    exponents[: problem.d] = -np.frexp(column_extremes(problem.X))[1]
    rows = _Regression(problem, labels, factors)
    if problem.n >= D:
        weights, rank, whole = rows.solve(exponents, clock)
        if rank == D or not whole:
            return weights, whole
    weights, _, whole = rows.solve(np.full_like(exponents, exponents.min()), clock)
    return weights, whole


class _Regression:
    """Dense rows with their labels behind them, each times a factor."""

    def __init__(self, problem: Problem, labels: Floats, factors: Floats) -> None:
        self.problem, self.labels, self.factors = problem, labels, factors

    def solve(self, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, int, bool]:
        """Return weights, the rank, and whether all rows were read in time."""
        n, D = self.problem.n, len(exponents)
        space = RowSpace() if n < D and D >= _WIDE else None
        A, whole = self._spanned(space, exponents, clock) if space is not None else self._triangle(exponents, clock)
        left = A[:, : -self.labels.shape[1]]
        U, values, Vt = np.linalg.svd(left, full_matrices=False)
        rank = int(np.count_nonzero(values > values[0] * max(n, D) * np.finfo(np.float64).eps))
        scaled = ((A[:, left.shape[1] :].T @ U[:, :rank]) / values[:rank]) @ Vt[:rank]
        if space is not None:
            scaled = scaled @ space.basis
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(scaled, exponents), rank, whole

    def _take(self, rows: slice, exponents: NDArray[np.int64]) -> Floats:
        """Return some rows, columns scaled, a constant and the labels behind them."""
        X = self.problem.X[rows]
        d, D = X.shape[1], len(exponents)
        A = np.empty((X.shape[0], D + self.labels.shape[1]))
        np.ldexp(X, exponents[:d], out=A[:, :d])
        A[:, d:D] = np.ldexp(1.0, exponents[d:])
        A[:, D:] = self.labels[rows]
        A *= self.factors[rows, None]
        return A

    def _parts(self, size: int) -> list[slice]:
        """Return parts of about so many rows, each from everywhere among them: they may be sorted by their labels."""
        count = max(1, -(-self.problem.n // size))
        return [slice(k, None, count) for k in range(count)]

    def _triangle(self, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, bool]:
        """Return all rows, or as few as have the same products of columns."""
        width = len(exponents) + self.labels.shape[1]
        R = np.empty((0, width))
        for k, part in enumerate(parts := self._parts(max(4 * width, _NUMBERS_AT_ONCE // width))):
            R = np.vstack([R, self._take(part, exponents)])
            if len(R) > width:
                R = np.asarray(np.linalg.qr(R, mode="r"))
            if k + 1 < len(parts) and not clock.left():
                return R, False
            progress.report(lambda: f"least squares: {(k + 1) / len(parts):.0%} of the rows")  # noqa: B023 (called at once)
        return R, True

    def _spanned(self, space: RowSpace, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, bool]:
        """Return the rows by their coordinates in the space that they span, the labels behind them."""
        D, done = len(exponents), []
        for part in (parts := self._parts(64)):
            rows = self._take(part, exponents)
            done.append((space.coordinates(rows[:, :D], Clock()), rows[:, D:]))
            if not clock.left():
                break
        A = np.zeros((sum(len(right) for _, right in done), len(space.basis) + self.labels.shape[1]))
        start = 0
        for left, right in done:
            A[start : start + len(left), : left.shape[1]] = left
            A[start : start + len(left), len(space.basis) :] = right
            start += len(left)
        return A, len(done) == len(parts)


def _sparse(problem: Problem, labels: Floats, factors: Floats, clock: Clock) -> tuple[Floats, bool]:
    """Iterate, from zero, so that of all solutions the shortest is found; rows are not filled in."""
    A = _Scaled(problem, factors)
    weights, ended = np.zeros((labels.shape[1], A.shape[1])), True
    for k, right in enumerate((factors[:, None] * labels).T):
        some = clock if clock.limit is None else Clock(max(1e-3, clock.left() / (labels.shape[1] - k)))
        for _ in range(2):
            weights[k], converged = _lsqr(A, right, weights[k], _ITERATIONS + _ITERATIONS_PER_COLUMN * min(A.shape), some)
        ended = ended and converged
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(weights, A.power), ended


class _Scaled:
    """Rows with a constant behind them, each times a factor, and all times a power of two: multiplied as they stand."""

    def __init__(self, problem: Problem, factors: Floats) -> None:
        largest = max(problem.measures.largest, 1.0 if problem.intercept else 0.0)
        self.power = -int(np.frexp(largest)[1])
        self._X, self._scale = problem.X, 1.0
        if abs(self.power) <= _MAX_EXPONENT:
            self._scale = 2.0**self.power  # applied on the fly
        else:
            self._X = times_powers(problem.X, self.power)
        self._factors, self._d = factors, problem.d
        self._constant = float(np.ldexp(1.0, self.power))
        self.shape = problem.n, problem.width

    def times(self, w: Floats) -> Floats:
        """Return what the rows score under weights."""
        scores: Floats = self._X @ (w[: self._d] * self._scale)
        if len(w) > self._d:
            scores += w[self._d] * self._constant
        scores *= self._factors
        return scores

    def combined(self, u: Floats) -> Floats:
        """Return the sum of the rows, each times a number."""
        numbers = u * self._factors
        total = np.empty(self.shape[1])
        total[: self._d] = self._X.T @ numbers * self._scale
        total[self._d :] = numbers.sum() * self._constant
        return total


@np.errstate(all="ignore")
def _lsqr(A: _Scaled, right: Floats, x: Floats, most: int, clock: Clock) -> tuple[Floats, bool]:
    """Minimise ``||Ax - b||`` from some x on; return x, and whether it is as exact as asked for.

    A is made bidiagonal, a column at a time, and the triangle that rotations make of that is solved as it grows.
    """
    x = x.copy()
    u = right - A.times(x)
    beta = float(np.linalg.norm(u))
    if not beta:
        return x, True
    u /= beta
    v = A.combined(u)
    alpha = float(np.linalg.norm(v))
    if not alpha:
        return x, True
    v /= alpha
    along, rho_bar, phi_bar, squares, size = v.copy(), alpha, beta, 0.0, float(np.linalg.norm(right))
    for step in range(most):
        u = A.times(v) - alpha * u
        beta = float(np.linalg.norm(u))
        squares += alpha * alpha + beta * beta
        if beta:
            u /= beta
        v = A.combined(u) - beta * v
        alpha = float(np.linalg.norm(v))
        if alpha:
            v /= alpha
        rho = math.hypot(rho_bar, beta)
        cosine, sine = rho_bar / rho, beta / rho
        x += (cosine * phi_bar / rho) * along
        along = v - (sine * alpha / rho) * along
        rho_bar, phi_bar = -cosine * alpha, sine * phi_bar
        norm = math.sqrt(squares)
        if phi_bar <= _RELATIVE_RESIDUAL * (size + norm * float(np.linalg.norm(x))):
            return x, True
        if alpha * abs(cosine) <= _RELATIVE_RESIDUAL * norm:
            return x, True
        progress.report(lambda: f"least squares, {step + 1} iterations")  # noqa: B023 (called at once)
        if not clock.left():
            return x, False
    return x, False
