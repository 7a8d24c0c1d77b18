"""Hyperplanes and obstructions proposed in floating point: scaled rows, least squares, linear programs.

Nothing here is trusted. Rows may be rounded, coordinates changed and tolerances chosen at will, because exact
arithmetic disposes of every proposal; good ones only make that quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .blas import one_thread
from .exact import Dyadic, Floats
from .kernels.threads import products_of_columns
from .problem import Problem
from .progress import Clock

Indices = NDArray[np.int64]
Matrix: TypeAlias = Any
"""Rows of float64: a NumPy array or a CSR array."""

_FAR = 400  # exponents of columns beyond which rows are copied and scaled, lest products overflow
_CHUNK = 2**20  # entries to look at at a time
_SLICE = 0.5  # seconds a linear program runs at first before Python looks for Ctrl-C
_WIDE = 2000  # columns up to which dense matrices of columns by columns are fine


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
        if np.abs(self._left).max(initial=0) > _FAR:
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
        step = max(1, _CHUNK // self.problem.d)
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

    def take(self, rows: Indices) -> Matrix:
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
        return scaled_back(Dyadic.from_parts(parts), self.exponents)

    @one_thread
    def least_squares(self) -> Floats | None:
        """Weights of the regression of 1 on the signed, lifted rows; None if there are too many columns."""
        d, y = self.problem.d, self.problem.y
        if self.width > _WIDE:
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


def scaled_back(weights: Dyadic, exponents: Indices) -> Dyadic:
    """Multiply weights by powers of two, one for each column, exactly."""
    least = int(exponents.min(initial=0))
    integers = [number << (int(e) - least) for number, e in zip(weights.integers, exponents, strict=True)]
    return Dyadic(integers, weights.exponent + least)


@dataclass(frozen=True)
class Optimum:
    """What a linear program came to."""

    w: Floats
    """Weights for the scaled columns: two parts, to be added up."""
    t: float
    """The least score that they give a row of the program, in the coordinates of the program."""
    tight: list[int]
    """Rows of the optimal basis, those with the largest multipliers first."""
    columns: list[int]
    """Columns whose weights are at their bounds."""


class Program:
    """The linear program: maximise t over ``|w_j| <= 1`` with ``z.w >= t`` for some rows and ``z.w = 0`` for bound ones.

    Rows are added as they are found violated. A change of coordinates, any regular matrix, may precede.
    """

    def __init__(self, rows: ScaledRows, bound: Indices, coordinates: NDArray[np.longdouble] | None = None) -> None:
        self.rows = rows
        self.coordinates = coordinates
        self.members: list[int] = []
        self._bound = len(bound)
        self._highs = new_solver()
        D = rows.width
        cost = np.append(np.zeros(D), -1.0)
        lower, upper = np.append(-np.ones(D), -highspy.kHighsInf), np.ones(D + 1)
        nothing = np.zeros(0, np.int32)
        self._highs.addCols(D + 1, cost, lower, upper, 0, np.zeros(D + 1, np.int32), nothing, np.zeros(0))
        if len(bound):
            self._add(bound, 0.0, 0.0)

    def add(self, rows: Indices) -> None:
        """Add rows that are to score at least t."""
        self._add(rows, -1.0, highspy.kHighsInf)
        self.members += rows.tolist()

    def _add(self, rows: Indices, of_t: float, most: float) -> None:
        Z = self.rows.take(rows)
        if self.coordinates is not None:
            Z = (filled_in(Z).astype(np.longdouble) @ self.coordinates).astype(np.float64)
        _add_rows(self._highs, _beside(Z, np.full((len(rows), 1), of_t)), np.zeros(len(rows)), most)

    def solve(self, clock: Clock) -> Optimum | None:
        """Solve the program as it stands; None if the solver gave up."""
        if not run_solver(self._highs, clock):
            return None
        solution, basis = self._highs.getSolution(), self._highs.getBasis()
        values = np.array(solution.col_value)
        duals = np.abs(np.array(solution.row_dual))[self._bound :]
        basic = highspy.HighsBasisStatus.kBasic
        places = [k for k, status in enumerate(basis.row_status[self._bound :]) if status != basic]
        places.sort(key=lambda k: -duals[k])
        columns = [j for j, status in enumerate(basis.col_status[:-1]) if status != basic]
        w = values[:-1].astype(np.longdouble)
        if self.coordinates is not None:
            w = self.coordinates @ w
            columns = []
        high = w.astype(np.float64)
        return Optimum(
            np.stack([high, (w - high).astype(np.float64)]), float(values[-1]), [self.members[k] for k in places], columns
        )


def new_solver() -> Any:
    """Return a solver of linear programs without any program yet, set to be exact rather than fast."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in {
        "output_flag": False, "presolve": "off", "threads": 1,
        "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10,
    }.items():  # fmt: skip
        highs.setOptionValue(option, value)
    return highs


def filled_in(A: Matrix) -> Floats:
    """Return a matrix as a dense one."""
    return A if isinstance(A, np.ndarray) else A.toarray()


def _beside(left: Matrix, right: Matrix) -> Matrix:
    return np.hstack([left, right]) if isinstance(left, np.ndarray) else sp.csr_array(sp.hstack([left, right]))


def sparse_parts(A: Matrix) -> tuple[int, NDArray[np.int32], NDArray[np.int32], Floats]:
    """Return the rows of a matrix as HiGHS takes them: how many entries, where rows start, columns and values."""
    rows = sp.csr_array(A)
    rows.eliminate_zeros()
    return rows.nnz, rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32), rows.data


def _add_rows(highs: Any, A: Matrix, least: Floats, most: float) -> None:
    highs.addRows(A.shape[0], least, np.full(A.shape[0], most), *sparse_parts(A))


def run_solver(highs: Any, clock: Clock, slice_of_time: float = _SLICE) -> bool:
    """Solve in slices of time, so that Ctrl-C and the clock are heard; whether it came to an optimum.

    Slices grow, because a solver that is interrupted may begin anew.
    """
    while True:
        clock.check()
        highs.setOptionValue("time_limit", highs.getRunTime() + min(slice_of_time, clock.left()))
        highs.run()
        slice_of_time *= 2
        status = highs.getModelStatus()
        if status != highspy.HighsModelStatus.kTimeLimit:
            values = highs.getSolution().col_value
            return bool(status == highspy.HighsModelStatus.kOptimal and np.all(np.isfinite(values)))


def whitened(A: Matrix, rounds: int = 3) -> NDArray[np.longdouble] | None:
    """Coordinates in which rows are spread evenly in all directions: their differences, however small, show.

    Each round is a QR factorisation, in extended precision where the machine has it. None if there is nothing to gain.
    """
    if A.shape[1] > _WIDE or A.shape[0] < 2:
        return None
    long = filled_in(A).astype(np.longdouble)
    M = np.eye(A.shape[1], dtype=np.longdouble)
    current = long
    for _ in range(rounds):
        R: Floats = np.asarray(np.linalg.qr(current.astype(np.float64), mode="r"))
        if R.shape[0] < R.shape[1]:
            R = np.vstack([R, np.zeros((R.shape[1] - R.shape[0], R.shape[1]))])
        diagonal = np.abs(np.diag(R))
        weak = diagonal <= 1e-14 * diagonal.max()
        R[np.diag_indices(len(R))] += weak  # directions the rows lack
        try:
            M = M @ np.linalg.inv(R).astype(np.longdouble)
        except np.linalg.LinAlgError:
            return None
        M /= np.abs(M).max(axis=0)
        current = long @ M
        size = np.abs(current).max(axis=0)
        size[size == 0] = 1
        M /= size
        current = current / size
    return M if np.all(np.isfinite(M.astype(np.float64))) else None


@dataclass(frozen=True)
class Split:
    """A guess at which rows no hyperplane can separate, and the multipliers and weights that show it."""

    rows: Indices
    multipliers: Floats
    """One for each of the rows, all about 1 or more where the row cannot be separated, else 0."""
    w: Floats
    """Weights for the scaled columns under which the others score at least about 1."""


def split(rows: ScaledRows, chosen: Indices, clock: Clock) -> Split | None:
    """Maximise the sum of ``min(lambda_i, 1)`` over ``sum lambda_i z_i = 0``, ``lambda >= 0``, for some rows.

    The optimum is strictly complementary: it tells all obstructed rows from all that can be strictly separated at once.
    """
    Z = rows.take(chosen)
    n, D = Z.shape
    highs = new_solver()
    highs.setOptionValue("presolve", "choose")
    nothing = np.zeros(0, np.int32)
    highs.addRows(D, np.zeros(D), np.zeros(D), 0, np.zeros(D, np.int32), nothing, np.zeros(0))
    for cost, most in ((-1.0, 1.0), (0.0, highspy.kHighsInf)):
        highs.addCols(n, np.full(n, cost), np.zeros(n), np.full(n, most), *sparse_parts(Z))
    if not run_solver(highs, clock):
        return None
    solution = highs.getSolution()
    values = np.array(solution.col_value)
    return Split(chosen, values[:n] + values[n:], -np.array(solution.row_dual))


def sparse_direction(problem: Problem, strict: NDArray[np.bool_], clock: Clock) -> list[int] | None:
    """Guess a few columns that keep a separation: those of the weights with the least sum of magnitudes.

    The strict rows are to score at least 1, the others at least 0. None if the solver gives up.
    """
    rows, rng = ScaledRows(problem), np.random.default_rng(0)
    n, d, D = problem.n, problem.d, rows.width
    highs = new_solver()
    nothing = np.zeros(0, np.int32)
    cost = np.tile(np.where(np.arange(D) < d, 1.0, 0.0), 2)  # w = u - v, both at least 0
    unbounded = np.full(2 * D, highspy.kHighsInf)
    highs.addCols(2 * D, cost, np.zeros(2 * D), unbounded, 0, np.zeros(2 * D, np.int32), nothing, np.zeros(0))
    least = np.where(strict, 1.0, 0.0)
    chosen = rng.permutation(n)[: max(100, 2 * D)]
    inside = np.zeros(n, bool)
    while True:
        Z = rows.take(chosen)
        _add_rows(highs, _beside(Z, -Z), least[chosen], highspy.kHighsInf)
        inside[chosen] = True
        if not run_solver(highs, clock):
            return None
        values = np.array(highs.getSolution().col_value)
        w = values[:D] - values[D:]
        violation = least - rows.scores(w)
        violated = np.flatnonzero(~inside & (violation > 1e-9))
        if not violated.size:
            size = np.abs(w[:d])
            return np.flatnonzero(size > 1e-7 * size.max(initial=0.0)).tolist()
        chosen = violated[np.argsort(-violation[violated])[: 3 * D + 50]]
