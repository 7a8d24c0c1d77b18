"""Rows scaled by powers of two for floating point: what solvers are given.

Nothing here is trusted. Rows may be rounded and coordinates changed, because exact arithmetic disposes of every proposal;
good ones only make that quick.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic
from ..support.blas import one_thread
from ..support.threads import products_of_columns
from .problem import Problem

_MAX_EXPONENT = 400  # exponents of columns beyond which rows are copied and scaled, lest products overflow

_NUMBERS_PER_CHUNK = 2**20  # entries to look at at a time

MAX_DENSE_COLUMNS = 2000  # columns up to which dense matrices of columns by columns are fine


class ScaledRows:
    """The signed, lifted rows in float64, columns scaled by powers of two so that their largest entry is below 1.

    Without an intercept rows are scaled likewise, unless their lengths matter; with one, the constant sees to their length.
    """

    def __init__(self, problem: Problem, scale_rows: bool = True) -> None:
        self.problem = problem
        self.width = problem.d + problem.intercept
        X = problem.X
        self.dense = isinstance(X, np.ndarray)
        self.exponents = np.zeros(self.width, np.int64)
        self.exponents[: problem.d] = -np.frexp(self._column_extremes())[1]
        self._left = self.exponents[: problem.d]
        if np.abs(self._left).max(initial=0) > _MAX_EXPONENT:
            if self.dense:
                X = np.ldexp(X, self._left)
            else:
                X = X.copy()
                X.data = np.ldexp(X.data, self._left[X.indices])
            self._left = np.zeros_like(self._left)
        self._X = X
        self._factors: Floats | None = None
        if scale_rows and not problem.intercept:
            lengths = self._row_extremes()
            self._factors = np.ldexp(1.0, np.clip(-np.frexp(np.where(lengths == 0.0, 1.0, lengths))[1], -1000, 1000))

    def _column_extremes(self) -> Floats:
        X = self.problem.X
        if self.dense:
            return np.maximum(X.max(axis=0), -X.min(axis=0))
        extremes = np.zeros(self.problem.d)
        np.maximum.at(extremes, X.indices, np.abs(X.data))
        return extremes

    def _row_extremes(self) -> Floats:
        if not self.dense:
            magnitudes = self._X.copy()
            magnitudes.data = np.ldexp(np.abs(magnitudes.data), self._left[magnitudes.indices])
            return magnitudes.max(axis=1).toarray().ravel()
        extremes = np.empty(self.problem.n)
        step = max(1, _NUMBERS_PER_CHUNK // self.problem.d)
        for start in range(0, self.problem.n, step):
            some = self._X[start : start + step]
            extremes[start : start + step] = np.abs(np.ldexp(some, self._left)).max(axis=1)
        return extremes

    def scores(self, w: Floats) -> Floats:
        """Scores of all rows under weights for the scaled columns."""
        d = self.problem.d
        s: Floats = self._X @ np.ldexp(w[:d], self._left)
        if self.problem.intercept:
            s += w[d]
        s *= self.problem.y
        if self._factors is not None:
            s *= self._factors
        return s

    def combine(self, multipliers: Floats) -> Floats:
        """Add up all rows, multiplied by one number each."""
        signed = multipliers * self.problem.y if self._factors is None else multipliers * self.problem.y * self._factors
        total = np.empty(self.width)
        total[: self.problem.d] = np.ldexp(signed @ self._X, self._left)
        total[self.problem.d :] = signed.sum()
        return total

    def take(self, rows: Indices) -> Rows:
        """Return some rows, as a CSR array if the problem has one."""
        factors = self.problem.y[rows] if self._factors is None else self.problem.y[rows] * self._factors[rows]
        some = self._X[rows]
        if self.dense:
            Z = np.empty((len(rows), self.width))
            Z[:, : self.problem.d] = np.ldexp(some, self._left)
            if self.problem.intercept:
                Z[:, -1] = 1.0
            return Z * factors[:, None]
        some.data = np.ldexp(some.data, self._left[some.indices])
        if self.problem.intercept:
            some = sp.hstack([some, np.ones((len(rows), 1))])
        return sp.csr_array(some.multiply(factors[:, None]))

    def row_exponents(self, rows: Indices) -> Indices:
        """Exponents of the powers of two that some rows are multiplied with."""
        if self._factors is None:
            return np.zeros(len(rows), np.int64)
        return np.frexp(self._factors[rows])[1].astype(np.int64) - 1

    def exact(self, parts: Floats) -> Dyadic:
        """Return weights for the scaled columns, sums of float64 vectors, as exact weights for the rows themselves."""
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
                X = X * self._factors[:, None] if self.dense else X.multiply(self._factors[:, None]).tocsr()
            gram[:d, :d] = products_of_columns(X) if self.dense else (X.T @ X).toarray()
            right[:d] = X.T @ y
            if self.problem.intercept:
                gram[d, :d] = gram[:d, d] = X.sum(axis=0)
                gram[d, d], right[d] = self.problem.n, y.sum()
            scale = np.ldexp(1.0, np.append(self._left, np.zeros(self.width - d, np.int64)))
            gram *= scale[:, None] * scale
            right *= scale
            gram[np.diag_indices(self.width)] += 1e-9 * np.trace(gram) / self.width + 1e-300
            try:
                w: Floats = np.linalg.solve(gram, right).astype(np.float64)
            except np.linalg.LinAlgError:
                return None
        return w if np.all(np.isfinite(w)) and np.any(w) else None


def filled_in(A: Rows) -> Floats:
    """Return a matrix as a dense one."""
    return A if isinstance(A, np.ndarray) else A.toarray()


def beside(left: Rows, right: Rows) -> Rows:
    """Put the columns of two matrices side by side."""
    return np.hstack([left, right]) if isinstance(left, np.ndarray) else sp.csr_array(sp.hstack([left, right]))
