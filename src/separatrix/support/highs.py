"""HiGHS, as all linear programs here use it: quiet, stopped by a clock, and interrupted by Ctrl-C."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats, Rows
from .clock import Clock

_SECONDS_BETWEEN_LOOKS = 0.5
"""Seconds that a linear program runs before Python looks for Ctrl-C the first time."""


def new_solver() -> Any:
    """Return a solver of linear programs without any program yet, set to be exact rather than fast."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in {
        "output_flag": False, "presolve": "off", "threads": 1,
        "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10,
    }.items():  # fmt: skip
        highs.setOptionValue(option, value)
    return highs


def sparse_parts(A: Rows) -> tuple[int, NDArray[np.int32], NDArray[np.int32], Floats]:
    """Return the rows of a matrix as HiGHS takes them: how many entries, where rows start, columns and values."""
    rows = sp.csr_array(A, copy=True)
    rows.eliminate_zeros()
    return rows.nnz, rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32), rows.data


def add_rows(highs: Any, A: Rows, least: Floats, most: float) -> None:
    """Add constraints to a linear program."""
    highs.addRows(A.shape[0], least, np.full(A.shape[0], most), *sparse_parts(A))


def run_solver(highs: Any, clock: Clock, slice_of_time: float = _SECONDS_BETWEEN_LOOKS) -> bool:
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
