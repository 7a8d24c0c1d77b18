"""Rows scaled by powers of two for floating point: what solvers are given.

Nothing here is trusted. Rows may be rounded and coordinates changed, because exact arithmetic disposes of every proposal;
good ones only make that quick.
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic
from ..support.blas import one_thread
from ..support.threads import NUMBERS_PER_THREAD, in_parts
from .lifted import LARGEST, SMALLEST, KernelRows, kernel_rows
from .problem import Problem
from .rows import (
    affine_scores,
    column_extremes,
    is_dense,
    lift,
    measured,
    row_extremes,
    stored,
    times_factors,
    times_powers,
    with_numbers,
)

_MAX_EXPONENT = 400
"""The largest exponent by which columns are scaled on the fly; beyond it rows are copied, lest products overflow."""

_NUMBERS_PER_STEP = 2**18
"""Numbers of dense rows that are multiplied at a time."""

_PRODUCTS_PER_READ = 8
"""Products of numbers in a matrix product that take as long as reading one number."""

_MAX_SUMS = 8
"""Threads, at most, that have a matrix of their own to add up in."""

MAX_DENSE_COLUMNS = 2000
"""Columns up to which dense matrices of columns by columns are fine."""


class ScaledRows:
    """The signed, lifted rows in float64, columns scaled by powers of two so that their largest entry is below 1.

    Without an intercept rows are scaled likewise, unless their lengths matter; with one, the constant sees to their length.
    """

    def __init__(self, problem: Problem, scale_rows: bool = True) -> None:
        self.problem = problem
        self.width = problem.width
        self.exponents = np.zeros(self.width, np.int64)
        self.exponents[: problem.d] = -np.frexp(column_extremes(problem.X))[1]
        if problem.intercept:
            self.exponents[problem.d] = 1 - math.frexp(problem.constant)[1]
        self.constant = math.ldexp(problem.constant, int(self.exponents[-1]))
        """What follows a row, scaled: from 1 up to 2; 0 without an intercept."""
        self._X, self._left = problem.X, self.exponents[: problem.d]
        if np.abs(self._left).max(initial=0) > _MAX_EXPONENT:
            self._X, self._left = times_powers(problem.X, self._left), np.zeros_like(self._left)
        self._factors: Floats | None = None
        if scale_rows and not problem.intercept:
            lengths = row_extremes(self._X, self._left)
            self._factors = np.ldexp(1.0, np.clip(-np.frexp(np.where(lengths == 0.0, 1.0, lengths))[1], -1000, 1000))

    def part(self, rows: Indices) -> ScaledRows:
        """Return some of the rows, scaled alike."""
        some = copy(self)
        some.problem = self.problem.with_rows(rows)
        some._X = self._X[rows]
        some._factors = None if self._factors is None else self._factors[rows]
        return some

    def scores(self, w: Floats) -> Floats:
        """Scores of all rows under weights for the scaled columns."""
        d, n = self.problem.d, self.problem.n
        weights = np.append(np.ldexp(w[:d], self._left), w[d:])
        scores = np.empty(n)

        def compute(start: int, stop: int) -> None:
            scores[start:stop] = affine_scores(self._X[start:stop], weights, self.constant)

        if is_dense(self._X):
            in_parts(compute, n, stored(self._X))
        else:
            scores[:] = affine_scores(self._X, weights, self.constant)
        scores *= self._signs()
        return scores

    def _signs(self, rows: Indices | slice = slice(None)) -> Floats:
        """Return the labels of some rows, times the powers of two that the rows are multiplied with."""
        y = self.problem.y[rows]
        return y if self._factors is None else y * self._factors[rows]

    def combine(self, multipliers: Floats) -> Floats:
        """Add up all rows, multiplied by one number each."""
        signed = multipliers * self._signs()
        total = np.empty(self.width)
        total[: self.problem.d] = np.ldexp(signed @ self._X, self._left)
        total[self.problem.d :] = signed.sum() * self.constant
        return total

    def take(self, rows: Indices) -> Rows:
        """Return some rows, as a CSR array if the problem has one."""
        return lift(times_powers(self._X[rows], self._left), self._signs(rows), self.constant)

    def for_loops(self) -> tuple[KernelRows, Floats]:
        """Return all rows as compiled loops take them, unless they are scaled themselves, and their squared lengths."""
        X, powers = self._X, np.ldexp(1.0, self._left)
        if self._left.any():
            X = X * powers if is_dense(X) else with_numbers(X, X.data * powers[X.indices])
        known = measured(X)
        squares = known.norms**2 + self.constant**2
        return kernel_rows(X, self.problem.y, self.constant, np.sqrt(squares), known.longest + 1), squares

    def row_exponents(self, rows: Indices) -> Indices:
        """Exponents of the powers of two that some rows are multiplied with."""
        if self._factors is None:
            return np.zeros(len(rows), np.int64)
        return np.frexp(self._factors[rows])[1].astype(np.int64) - 1

    def exact(self, parts: Floats) -> Dyadic:
        """Return weights for the scaled columns, sums of float64 vectors, as exact weights for the rows themselves."""
        with np.errstate(over="ignore", under="ignore"):
            moved = np.ldexp(parts, self.exponents)
        sizes = np.abs(moved)
        if np.all((sizes < LARGEST) & ((sizes > SMALLEST) | (parts == 0.0))):
            return Dyadic.from_parts(moved)
        return Dyadic.from_parts(parts).times_powers(self.exponents)

    def squares(self, factors: Floats) -> Floats:
        """Add up the squares of each column, times a factor of the row: the diagonal of `gram`, for many columns."""
        d, scale = self.problem.d, factors * self._signs() ** 2
        squares = np.empty(self.width)
        X = self._X * self._X if is_dense(self._X) else with_numbers(self._X, self._X.data**2)
        squares[:d] = np.ldexp(scale @ X, 2 * self._left)
        squares[d:] = scale.sum() * self.constant**2
        return squares

    def gram(self, factors: Floats | None = None) -> Floats:
        """Add up the products of each row with itself, columns by columns, times a factor of the row, 1 if not given."""
        d, D = self.problem.d, self.width
        scale = self._signs() ** 2 if factors is None else factors * self._signs() ** 2
        gram = np.empty((D, D))
        if is_dense(self._X):
            gram[:d, :d] = self._dense_gram(scale)
        else:
            gram[:d, :d] = (self._X.T @ times_factors(self._X, scale)).toarray()
        if self.problem.intercept:
            gram[d, :d] = gram[:d, d] = (scale @ self._X) * self.constant
            gram[d, d] = scale.sum() * self.constant**2
        powers = np.ldexp(1.0, np.append(self._left, np.zeros(D - d, np.int64)))
        gram *= powers[:, None] * powers
        return gram

    def _dense_gram(self, scale: Floats) -> Floats:
        """Return the products of columns, some rows at a time, lest all are copied."""
        n, d = self._X.shape
        roots = np.sqrt(scale)
        kept = np.flatnonzero(roots) if np.count_nonzero(roots) < n // 2 else None  # of few rows, only those
        n = n if kept is None else kept.size
        step = max(1, _NUMBERS_PER_STEP // max(1, d))

        def add_up(start: int, stop: int) -> Floats:
            total = np.zeros((d, d))
            for first in range(start, stop, step):
                some: Any = slice(first, min(first + step, stop))
                some = some if kept is None else kept[some]
                rows = self._X[some] * roots[some, None]
                total += rows.T @ rows
            return total

        products = n * d * d // _PRODUCTS_PER_READ
        return np.sum(in_parts(add_up, n, min(products, _MAX_SUMS * NUMBERS_PER_THREAD)), axis=0)

    @one_thread
    def least_squares(self) -> Floats | None:
        """Weights of the regression of 1 on the signed, lifted rows; None if there are too many columns."""
        if self.width > MAX_DENSE_COLUMNS:
            return None
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            gram = self.gram()
            right = self.combine(np.ones(self.problem.n))
            gram[np.diag_indices(self.width)] += 1e-9 * np.trace(gram) / self.width + 1e-300
            try:
                w: Floats = np.linalg.solve(gram, right).astype(np.float64)
            except np.linalg.LinAlgError:
                return None
        return w if np.all(np.isfinite(w)) and np.any(w) else None
