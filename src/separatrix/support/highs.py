"""HiGHS, as all linear programs here use it: quiet, stopped by a clock, and interrupted by Ctrl-C."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats, Rows
from . import progress
from .clock import Clock
from .counts import counted
from .interruption import held_off

_FIRST_SECONDS = 0.5
"""Seconds that a linear program runs before Python looks for Ctrl-C the first time."""

_SECONDS_BETWEEN_REPORTS = 0.1
"""Seconds between two looks at the clock, and between two reports, from then on."""


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


def run_solver(highs: Any, clock: Clock, slice_of_time: float = _FIRST_SECONDS, *, kept: bool = True) -> bool:
    """Solve so that Ctrl-C and the clock are heard; whether it came to an optimum.

    Most programs are solved in the first slice of time. In one that takes longer HiGHS asks between its steps whether to go
    on, which a short one would take twice as long for. A step may take seconds, and for these it is waited, unless the
    solver is not ``kept``: nobody may touch it any more if this is stopped.
    """
    clock.check()
    if slice_of_time:
        highs.setOptionValue("time_limit", highs.getRunTime() + min(slice_of_time, clock.left()))
        highs.run()
    if not slice_of_time or highs.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        clock.check()
        highs.setOptionValue("time_limit", highspy.kHighsInf)
        _Watch(highs, clock).run(kept)
    values = highs.getSolution().col_value
    optimal = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return bool(optimal and np.all(np.isfinite(values)))


class _Watch:
    """Looks at the clock, and tells how far it is, while HiGHS works in a thread of its own."""

    def __init__(self, highs: Any, clock: Clock) -> None:
        self._highs, self._clock = highs, clock
        self._steps, self._stopped = 0, False

    def run(self, kept: bool) -> None:
        callbacks = (self._highs.cbSimplexInterrupt, self._highs.cbIpmInterrupt)
        for callback in callbacks:
            callback.subscribe(self._asked)
        pool = ThreadPoolExecutor(1, "separatrix")
        try:
            work = pool.submit(self._highs.run)
            while not wait([work], _SECONDS_BETWEEN_REPORTS).done:
                self._clock.check()
                progress.report(lambda: f"a linear program, {counted(self._steps, 'step')}")
        except BaseException:  # Ctrl-C among them
            self._stopped = True
            raise
        finally:
            if kept or not self._stopped:
                with held_off():
                    pool.shutdown()
                    for callback in callbacks:
                        callback.unsubscribe(self._asked)

    def _asked(self, event: Any) -> None:
        counts = event.data_out.simplex_iteration_count, event.data_out.ipm_iteration_count
        self._steps = sum(max(0, count) for count in counts)
        if self._stopped:
            event.data_in.user_interrupt = True
