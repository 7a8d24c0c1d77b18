"""The run of the perceptron by kernels: it keeps the scores of all rows, and adds a row of the Gram matrix at a mistake.

A visit then costs one comparison. What is known of the error of a score, relative to the *span* of its row, which is its
length in feature space or more, so that ``|K(j, i)| <= span_j * span_i``:

1. *Reach.* ``|scores[i]| <= reach * span_i``. It grows with each mistake by the span of the row erred on, and is measured
   anew every `MISTAKES_PER_REACH` mistakes.
2. *Drift.* Each mistake adds at most ``UNIT * reach`` for the rounded sum, ``2 * UNIT`` times what is added for the
   rounded product and the constant in the matrix, and ``error * |step| * span_j`` for the matrix itself, whose entries
   are known up to ``error * span_j * span_i``. `TINY` in the sizes covers underflow, even where it is flushed to zero.
3. *Grid.* As long as ``reach * largest <= limit``, all sums are multiples of a power of two and below ``2**53`` of it:
   nothing is rounded, and the drift stays what it is. While it is 0, scores are exact, zero included.

Scores within their drift are left to whoever calls.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import SAFE_MATH, UNIT
from .run import MISTAKES, PASS_MISTAKES, PASSES, POSITION, Stop, keep
from .signs import UNKNOWN, is_mistake

REACH, DRIFT, SINCE = range(3)
"""Where numbers stand in ``bounds``; the last is the number of mistakes since the reach was measured."""

MISTAKES_PER_REACH = 256
"""After so many mistakes the reach, which until then is only bounded, is measured anew."""

TINY = 2.0**-400
"""More than what underflow takes from a step, or from a score relative to the span of its row."""

# Coefficients of the bounds above; a test weakens each and sees a wrong run.
SUM_SLACK = 1.0

STEP_SLACK = 2.0

MATRIX_SLACK = 1.0


class Cache(NamedTuple):
    """Rows of the Gram matrix that are at hand."""

    rows: np.ndarray
    slots: np.ndarray
    """For each row of the data, where its row of the matrix is, or -1."""


@kernel
def _reach(values, spans):
    """Largest ``|values[i]| / spans[i]``; infinity if one is not a number."""
    largest = 0.0
    for i in range(values.shape[0]):
        share = abs(values[i]) / spans[i]
        if not (share < math.inf):
            return math.inf
        largest = max(largest, share)
    return largest * (1.0 + 4 * UNIT)


@kernel(fastmath=SAFE_MATH)
def _add(scores, row, step):
    for i in range(scores.shape[0]):
        scores[i] += step * row[i]


@kernel(fastmath=SAFE_MATH)
def polynomial(values, gamma, coef0, degree, constant):
    """Replace each v by ``(gamma * v + coef0)**degree + constant``, the power by squaring."""
    for i in range(values.shape[0]):
        base = gamma * values[i] + coef0
        power = 1.0
        left = degree
        while left > 1:
            if left & 1:
                power *= base
            base *= base
            left >>= 1
        values[i] = power * base + constant


class Dual(NamedTuple):
    """A run by kernels."""

    scores: np.ndarray
    """The scores of all rows."""
    bounds: np.ndarray
    """What is known of their errors: reach, drift, and the mistakes since the reach was measured."""
    labels: np.ndarray
    left_spans: np.ndarray
    """The spans of points as rows of the Gram matrix."""
    spans: np.ndarray
    """The spans of points as columns of the Gram matrix."""
    cache: Cache
    steps: np.ndarray | None
    """The multiples of updates; None: all are 1."""
    error: float
    """Relative error of the entries of the matrix."""
    largest: float
    """The largest span."""
    limit: float
    """While ``reach * largest <= limit`` all sums are exact."""
    tie: int
    """The tie rule."""


@kernel(inline=True)
def _step_of(steps, i):
    return 1.0 if steps is None else steps[i]


@kernel
def _err(run, j):
    """Learn from a mistake on row j, and bound what that does to the errors."""
    bounds, step = run.bounds, _step_of(run.steps, j)
    _add(run.scores, run.cache.rows[run.cache.slots[j]], run.labels[j] * step)
    length = (step + TINY) * run.left_spans[j]
    size = 1.02 * length  # of what is added, the errors of the matrix included
    if bounds[SINCE] >= MISTAKES_PER_REACH:
        bounds[REACH] = _reach(run.scores, run.spans) + TINY
        bounds[SINCE] = 0.0
    else:
        bounds[REACH] += size
        bounds[SINCE] += 1.0
    # Measured anew, the reach is that of the sums; what was added may have been larger.
    farthest = max(bounds[REACH], size) * (1.0 + 2.0**-30)
    if not (farthest * run.largest <= run.limit):
        bounds[DRIFT] += UNIT * (SUM_SLACK * farthest + STEP_SLACK * size) + MATRIX_SLACK * run.error * length


@kernel(inline=True)
def _sign(run, i):
    """Return the certain sign of the score of row i, times its label, or `UNKNOWN`."""
    score, drift = run.labels[i] * run.scores[i], run.bounds[DRIFT]
    threshold = 1.01 * drift * run.spans[i]
    if drift == 0.0:
        return 1 if score > 0.0 else (-1 if score < 0.0 else 0)
    if threshold < score < math.inf:
        return 1
    if -math.inf < score < -threshold:
        return -1
    return UNKNOWN


@kernel
def advance(run, order, record, state, passes, limit, work, known):
    """Visit rows until so many passes are over, a pass is clean, or there is another reason to stop, which is returned.

    ``limit`` bounds the mistakes since the beginning of the run, ``work`` the numbers read in this call. ``known`` is the
    sign of the row at hand, if whoever calls has found it. Scores and bounds of the run, record and state are changed.
    """
    n = run.scores.shape[0]
    visits = n if order is None else order.shape[0]
    while state[PASSES] < passes:
        while state[POSITION] < visits:
            i = state[POSITION] if order is None else order[state[POSITION]]
            sign = _sign(run, i) if known == UNKNOWN else known
            known = UNKNOWN
            if sign == UNKNOWN:
                return Stop.UNDECIDED
            work -= 1
            if is_mistake(sign, run.labels[i], run.tie):
                if state[MISTAKES] >= limit:
                    return Stop.LIMITED
                if run.cache.slots[i] < 0:
                    return Stop.MISSING
                _err(run, i)
                record.counts[i] += 1
                keep(record.trace, state[MISTAKES], i)
                state[MISTAKES] += 1
                state[PASS_MISTAKES] += 1
                work -= n
            state[POSITION] += 1
            if work < 0:
                return Stop.PAUSED
        clean = state[PASS_MISTAKES] == 0
        state[POSITION] = 0
        state[PASS_MISTAKES] = 0
        state[PASSES] += 1
        if clean:
            return Stop.CLEAN
    return Stop.FINISHED
