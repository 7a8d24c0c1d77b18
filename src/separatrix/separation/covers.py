"""Positive multipliers for all rows that an obstruction ties."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from .._types import Floats, Indices
from ..problem.scaled import ScaledRows
from ..support.clock import Clock
from ..support.highs import new_solver, run_solver, sparse_parts


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
