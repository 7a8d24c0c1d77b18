"""Rows scaled by powers of two for floating point: what solvers are given.

Nothing here is trusted. Rows may be rounded and coordinates changed, because exact arithmetic disposes of every proposal;
good ones only make that quick.
"""

from __future__ import annotations

import math

import numpy as np

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic
from ..support.blas import one_thread
from ..support.threads import products_of_columns
from .lifted import LARGEST, SMALLEST, KernelRows, kernel_rows
from .problem import Problem
from .rows import (  # fmt: skip
    affine_scores,
    column_extremes,
    is_dense,
    lift,
    measured,
    row_extremes,
    times_factors,
    times_powers,
    with_numbers,
)

_MAX_EXPONENT = 400
"""The largest exponent by which columns are scaled on the fly; beyond it rows are copied, lest products overflow."""

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

    def scores(self, w: Floats) -> Floats:
        """Scores of all rows under weights for the scaled columns."""
        d = self.problem.d
        scores = affine_scores(self._X, np.append(np.ldexp(w[:d], self._left), w[d:]), self.constant)
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

    @one_thread
    def least_squares(self) -> Floats | None:
        """Weights of the regression of 1 on the signed, lifted rows; None if there are too many columns."""
        d, y = self.problem.d, self.problem.y
        if self.width > MAX_DENSE_COLUMNS:
            return None
        gram, right = np.empty((self.width, self.width)), np.empty(self.width)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            X = self._X
            if self._factors is not None:
                X = times_factors(X, self._factors)
            gram[:d, :d] = products_of_columns(X) if is_dense(X) else (X.T @ X).toarray()
            right[:d] = X.T @ y
            if self.problem.intercept:
                gram[d, :d] = gram[:d, d] = X.sum(axis=0) * self.constant
                gram[d, d], right[d] = self.problem.n * self.constant**2, y.sum() * self.constant
            scale = np.ldexp(1.0, np.append(self._left, np.zeros(self.width - d, np.int64)))
            gram *= scale[:, None] * scale
            right *= scale
            gram[np.diag_indices(self.width)] += 1e-9 * np.trace(gram) / self.width + 1e-300
            try:
                w: Floats = np.linalg.solve(gram, right).astype(np.float64)
            except np.linalg.LinAlgError:
                return None
        return w if np.all(np.isfinite(w)) and np.any(w) else None
