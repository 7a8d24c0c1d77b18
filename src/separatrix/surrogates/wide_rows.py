"""The squared hinge loss of rows of many columns, mostly sparse: dual coordinate descent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Floats, Indices
from ..compiled.dual_descent import descend
from ..problem.lifted import Lifted
from ..problem.rows import squared_lengths, times_powers
from ..problem.scaled import ScaledRows
from ..support.clock import Clock

_ROWS_PER_CALL = 2**18
"""Rows that are visited before the clock is asked."""

_ROWS_TOGETHER = 16
"""Rows that are visited one after the other: whole pages of memory are read, which takes a fraction of the time."""

_COST = 1.0
"""What a violation counts, against the squared length of the weights for columns that are scaled to at most 1."""

_SMALLEST_CHANGE = 1e-2
"""What slopes may still want to change where it ends."""


def least_squared_violation(
    rows: ScaledRows, costs: Floats, most: int, clock: Clock, rng: np.random.Generator
) -> Iterator[Floats]:
    """Yield weights for the scaled columns after each pass over all rows."""
    lifted = Lifted.of(rows.problem)
    n, d = rows.problem.n, rows.problem.d
    exponents = np.zeros(lifted.columns, np.int64)
    exponents[: rows.width] = rows.exponents - lifted.shift
    scale = np.ldexp(1.0, 2 * np.clip(exponents, -500, 500))
    squares = squared_lengths(times_powers(lifted.unsigned, exponents[:d])) + (
        scale[d] * lifted.rows.constant**2 if rows.problem.intercept else 0.0
    )
    multipliers, w = np.zeros(n), np.zeros(lifted.columns)
    for _ in range(most):
        order, largest = _shuffled(n, rng), 0.0
        for start in range(0, n, _ROWS_PER_CALL):
            some = order[start : start + _ROWS_PER_CALL]
            if start and not clock.left():
                break
            largest = max(largest, descend(lifted.rows, some, scale, _COST * costs, squares, multipliers, w))
        yield np.ldexp(w[: rows.width], -exponents[: rows.width])
        if not clock.left() or largest < _SMALLEST_CHANGE:
            return


def _shuffled(n: int, rng: np.random.Generator) -> Indices:
    """Return all rows, a few consecutive ones at a time, in random order."""
    starts = rng.permutation(-(-n // _ROWS_TOGETHER)) * _ROWS_TOGETHER
    order = (starts[:, None] + np.arange(_ROWS_TOGETHER)).ravel()
    return order[order < n]
