"""Least squares: the regression of the labels -1 and 1 on the rows, in floating point.

Dense rows are factorised. Where there are more rows than columns, QR leaves a triangle of them, part after part, so that
nobody waits long for an end; where there are fewer, coordinates in the space of the rows are left (`row_space`). Singular
values solve the rest. Sparse rows are not filled in: they take an iteration, LSQR (Paige and Saunders 1982).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...problem.problem import Problem
from ...problem.rows import column_extremes, is_dense, times_powers
from ...separation.row_space import ROWS_AT_ONCE, RowSpace
from ...support import progress
from ...support.blas import one_thread
from ...support.clock import Clock
from ...support.counts import counted
from ...support.interruption import is_kept

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


class Ending(IntEnum):
    """What ended a regression."""

    EXACT = 0
    ITERATIONS = 1
    TIME = 2
    INTERRUPT = 3


@one_thread
def least_squares(problem: Problem, labels: Floats, clock: Clock | None = None) -> tuple[Floats, Ending]:
    """Return weights, the intercept last if there is one, that minimise the weighted sum of ``(w.x_i + b - y_i)^2``.

    There is a column of labels y for each problem on these rows, and a row of weights for each in return. Of several such
    weights these have the least length, the intercept counted. With them comes what ended it: for sparse rows an iteration
    may end before it is as exact as floating point allows; when time runs out, or on Ctrl-C, dense rows are regressed on as
    far as they were read.
    """
    clock = Clock() if clock is None else clock
    factors = np.ones(problem.n) if problem.weights is None else np.sqrt(problem.weights / problem.weights.max())
    if is_dense(problem.X):
        return _dense(problem, labels, factors, clock)
    return _sparse(problem, labels, factors, clock)


def _dense(problem: Problem, labels: Floats, factors: Floats, clock: Clock) -> tuple[Floats, Ending]:
    """Factorise with columns scaled by powers of two, lest one of small numbers be taken for one of zeros.

    The solution does not depend on scales unless there are several. Then lengths count, and are those of unscaled weights.
    """
    D = problem.d + problem.intercept
    exponents = np.zeros(D, np.int64)
    exponents[: problem.d] = -np.frexp(column_extremes(problem.X))[1]
    rows = _Regression(problem, labels, factors)
    if problem.n >= D:
        weights, rank, ending = rows.solve(exponents, clock)
        if rank == D or ending != Ending.EXACT:
            return weights, ending
    weights, _, ending = rows.solve(np.full_like(exponents, exponents.min()), clock)
    return weights, ending


class _Regression:
    """Dense rows with their labels behind them, each times a factor."""

    def __init__(self, problem: Problem, labels: Floats, factors: Floats) -> None:
        self.problem, self.labels, self.factors = problem, labels, factors

    def solve(self, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, int, Ending]:
        """Return weights, the rank, and what ended the reading of rows."""
        n, D = self.problem.n, len(exponents)
        space = RowSpace() if n < D and D >= _WIDE else None
        A, ending = self._spanned(space, exponents, clock) if space is not None else self._triangle(exponents, clock)
        left = A[:, : -self.labels.shape[1]]
        U, values, Vt = np.linalg.svd(left, full_matrices=False)
        rank = int(np.count_nonzero(values > values[0] * max(n, D) * np.finfo(np.float64).eps))
        scaled = ((A[:, left.shape[1] :].T @ U[:, :rank]) / values[:rank]) @ Vt[:rank]
        if space is not None:
            scaled = space.combine(scaled)
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(scaled, exponents), rank, ending

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

    def _read(self, size: int, exponents: NDArray[np.int64], clock: Clock, use: Callable[[Floats], None]) -> Ending:
        """Use parts of about so many rows; each is from everywhere among them, as they may be sorted by their labels."""
        count = max(1, -(-self.problem.n // size))
        done = 0
        try:
            for k in range(count):
                if k and not clock.left():
                    return Ending.TIME
                use(self._take(slice(k, None, count), exponents))
                done += 1
                progress.report(lambda: "least squares", done, count, "parts of the rows")
        except KeyboardInterrupt as reason:
            if not done or not is_kept(reason):
                raise
            return Ending.INTERRUPT
        return Ending.EXACT

    def _triangle(self, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, Ending]:
        """Return all rows, or as few as have the same products of columns."""
        width = len(exponents) + self.labels.shape[1]
        R = [np.empty((0, width))]

        def use(part: Floats) -> None:
            both = np.vstack([R[0], part])
            R[0] = np.asarray(np.linalg.qr(both, mode="r")) if len(both) > width else both

        ending = self._read(max(4 * width, _NUMBERS_AT_ONCE // width), exponents, clock, use)
        return R[0], ending

    def _spanned(self, space: RowSpace, exponents: NDArray[np.int64], clock: Clock) -> tuple[Floats, Ending]:
        """Return the rows by their coordinates in the space that they span, the labels behind them."""
        D, done = len(exponents), []
        ending = self._read(
            ROWS_AT_ONCE,
            exponents,
            clock,
            lambda part: done.append((space.coordinates([part[:, :D]], Clock()), part[:, D:])),
        )
        A = np.zeros((sum(len(right) for _, right in done), space.dimension + self.labels.shape[1]))
        start = 0
        for left, right in done:
            A[start : start + len(left), : left.shape[1]] = left
            A[start : start + len(left), space.dimension :] = right
            start += len(left)
        return A, ending


def _sparse(problem: Problem, labels: Floats, factors: Floats, clock: Clock) -> tuple[Floats, Ending]:
    """Iterate, from zero, so that of all solutions the shortest is found; rows are not filled in."""
    A = _Scaled(problem, factors)
    count = labels.shape[1]
    weights, endings = np.zeros((count, A.shape[1])), []
    most = _ITERATIONS + _ITERATIONS_PER_COLUMN * min(A.shape)
    for k, right in enumerate((factors[:, None] * labels).T):
        some = clock if clock.limit is None else Clock(max(1e-3, clock.left() / (count - k)))
        for _ in range(2):
            weights[k], ending = _lsqr(A, right, weights[k], most, some, may_stop=k == count - 1)
            if ending > Ending.ITERATIONS:
                break
        endings.append(ending)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(weights, A.power), max(endings)


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
def _lsqr(A: _Scaled, right: Floats, x: Floats, most: int, clock: Clock, may_stop: bool) -> tuple[Floats, Ending]:
    """Minimise ``||Ax - b||`` from some x on; return x, and what ended it. Ctrl-C does if it may.

    A is made bidiagonal, a column at a time, and the triangle that rotations make of that is solved as it grows.
    """
    x = x.copy()
    u = right - A.times(x)
    beta = float(np.linalg.norm(u))
    if not beta:
        return x, Ending.EXACT
    u /= beta
    v = A.combined(u)
    alpha = float(np.linalg.norm(v))
    if not alpha:
        return x, Ending.EXACT
    v /= alpha
    along, rho_bar, phi_bar, squares, size = v.copy(), alpha, beta, 0.0, float(np.linalg.norm(right))
    try:
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
            near = phi_bar <= _RELATIVE_RESIDUAL * (size + norm * float(np.linalg.norm(x)))
            if near or alpha * abs(cosine) <= _RELATIVE_RESIDUAL * norm:
                return x, Ending.EXACT
            progress.report(lambda: f"least squares, {counted(step + 1, 'iteration')}")  # noqa: B023 (called at once)
            if not clock.left():
                return x, Ending.TIME
    except KeyboardInterrupt as reason:
        if not may_stop or not x.any() or not is_kept(reason):
            raise
        return x, Ending.INTERRUPT
    return x, Ending.ITERATIONS
