"""A smallest set of columns that separates the classes as well as all columns do."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import beside
from ..problem.scaled import ScaledRows
from ..support.blas import one_thread
from ..support.clock import Clock
from ..support.highs import add_rows, new_solver, run_solver
from .search import Search


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
        add_rows(highs, beside(Z, -Z), least[chosen], highspy.kHighsInf)
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


SECONDS_FOR_COLUMNS = 10.0
"""Seconds for which a warning may look for the columns that are to blame."""


@one_thread
def fewest_columns(problem: Problem, support: list[int], strict: NDArray[np.bool_], clock: Clock) -> list[int]:
    """Find a set of columns that keeps the separation and loses it without any one of its members."""
    found = support
    guess = sparse_direction(problem, strict, clock)
    if guess is not None and len(guess) < len(support) and _persists(problem, guess, strict, clock):
        found = guess
    for j in list(found):
        without = [k for k in found if k != j]
        if _persists(problem, without, strict, clock):
            found = without
    return found


def _persists(problem: Problem, columns: list[int], strict: NDArray[np.bool_], clock: Clock) -> bool:
    """Whether these columns alone separate the same rows, exactly."""
    if not columns:
        return problem.intercept and bool(np.all(problem.y == problem.y[0]))
    part = problem.with_columns(columns)
    weights = Search(part, clock).run().weights
    return weights is not None and bool(np.array_equal(Lifted.of(part).signs(weights) > 0, strict))
