"""Hyperplanes and obstructions proposed by linear programs, in floating point.

Nothing here is trusted. Coordinates may be changed and tolerances chosen at will, because exact arithmetic disposes of every
proposal; good ones only make that quick.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..problem.rows import beside, filled_in
from ..problem.scaled import MAX_DENSE_COLUMNS, ScaledRows
from ..support.clock import Clock
from ..support.highs import add_rows, new_solver, run_solver


@dataclass(frozen=True)
class Proposal:
    """What the optimum of a linear program proposes."""

    w: Floats
    """Weights for the scaled columns: two parts, to be added up."""
    t: float
    """The least score that they give a row of the program, in the coordinates of the program."""
    tight: list[int]
    """Rows of the optimal basis, those with the largest multipliers first."""
    columns: list[int]
    """Columns whose weights are at their bounds."""


class Program:
    """The linear program: maximise t over ``|w_j| <= 1`` with ``z.w >= t`` for some rows and ``z.w = 0`` for tied ones.

    Rows are added as they are found violated. A change of coordinates, any regular matrix, may precede.
    """

    def __init__(self, rows: ScaledRows, tied: Indices, coordinates: NDArray[np.longdouble] | None = None) -> None:
        self.rows = rows
        self.coordinates = coordinates
        self.members: list[int] = []
        self._tied = len(tied)
        self._highs = new_solver()
        D = rows.width
        cost = np.append(np.zeros(D), -1.0)
        lower, upper = np.append(-np.ones(D), -highspy.kHighsInf), np.ones(D + 1)
        nothing = np.zeros(0, np.int32)
        self._highs.addCols(D + 1, cost, lower, upper, 0, np.zeros(D + 1, np.int32), nothing, np.zeros(0))
        if len(tied):
            self._add(tied, 0.0, 0.0)

    def add(self, rows: Indices) -> None:
        """Add rows that are to score at least t."""
        self._add(rows, -1.0, highspy.kHighsInf)
        self.members += rows.tolist()

    def _add(self, rows: Indices, of_t: float, most: float) -> None:
        Z = self.rows.take(rows)
        if self.coordinates is not None:
            Z = (filled_in(Z).astype(np.longdouble) @ self.coordinates).astype(np.float64)
        add_rows(self._highs, beside(Z, np.full((len(rows), 1), of_t)), np.zeros(len(rows)), most)

    def solve(self, clock: Clock) -> Proposal | None:
        """Solve the program as it stands; None if the solver gave up."""
        if not run_solver(self._highs, clock):
            return None
        solution, basis = self._highs.getSolution(), self._highs.getBasis()
        values = np.array(solution.col_value)
        duals = np.abs(np.array(solution.row_dual))[self._tied :]
        basic = highspy.HighsBasisStatus.kBasic
        places = [k for k, status in enumerate(basis.row_status[self._tied :]) if status != basic]
        places.sort(key=lambda k: -duals[k])
        columns = [j for j, status in enumerate(basis.col_status[:-1]) if status != basic]
        w = values[:-1].astype(np.longdouble)
        if self.coordinates is not None:
            w = self.coordinates @ w
            columns = []
        high = w.astype(np.float64)
        return Proposal(
            np.stack([high, (w - high).astype(np.float64)]), float(values[-1]), [self.members[k] for k in places], columns
        )


def whitened(A: Rows, rounds: int = 3) -> NDArray[np.longdouble] | None:
    """Coordinates in which rows are spread evenly in all directions: their differences, however small, show.

    Each round is a QR factorisation, in extended precision where the machine has it. None if there is nothing to gain.
    """
    if A.shape[1] > MAX_DENSE_COLUMNS or A.shape[0] < 2:
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
    with np.errstate(over="ignore"):
        return M if np.all(np.isfinite(M.astype(np.float64))) else None
