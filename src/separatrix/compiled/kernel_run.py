"""The run of the perceptron by kernels: it keeps the scores of all rows, and adds a row of the Gram matrix at a mistake.

A visit then costs one comparison. What is known of the error of a score, relative to the *span* of its row, which is its
length in feature space or more, so that ``|K(j, i)| <= span_j * span_i``:

1. *Reach.* ``|scores[i]| <= reach * span_i``. It grows with each mistake by the span of the row erred on, and is measured
   anew every `REFRESH` mistakes.
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

from .binary_run import CLEAN, FINISHED, LIMITED, MISTAKES, PASS_MISTAKES, PASSES, PAUSED, PLACE, UNDECIDED
from .compilation import kernel
from .error_free import SAFE_MATH, UNIT
from .signs import UNKNOWN, is_mistake

MISSING = 6
"""In place of a reason to stop: the row at hand is a mistake, and its row of the matrix is not in the cache."""

REACH, DRIFT, SINCE = range(3)
"""Places in ``bounds``; the last counts the mistakes since the reach was measured."""

REFRESH = 256

TINY = 2.0**-400

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


@kernel
def _err(j, scores, labels, left_spans, spans, cache, steps, error, largest, limit, bounds):
    """Learn from a mistake on row j, and bound what that does to the errors."""
    step = 1.0 if steps is None else steps[j]
    _add(scores, cache.rows[cache.slots[j]], labels[j] * step)
    length = (step + TINY) * left_spans[j]
    size = 1.02 * length  # of what is added, the errors of the matrix included
    if bounds[SINCE] >= REFRESH:
        bounds[REACH] = _reach(scores, spans) + TINY
        bounds[SINCE] = 0.0
    else:
        bounds[REACH] += size
        bounds[SINCE] += 1.0
    # Measured anew, the reach is that of the sums; what was added may have been larger.
    farthest = max(bounds[REACH], size) * (1.0 + 2.0**-30)
    if not (farthest * largest <= limit):
        bounds[DRIFT] += UNIT * (SUM_SLACK * farthest + STEP_SLACK * size) + MATRIX_SLACK * error * length


@kernel
def advance(
    scores, labels, left_spans, spans, order, cache, steps, error, largest, limit, bounds, tie, counts, trace, state,
    passes, most, work, known,
):  # fmt: skip
    """Visit rows until so many passes are over, a pass is clean, or there is another reason to stop, which is returned.

    ``known`` is the sign of the row at hand, if whoever calls has found it. ``work`` is how many numbers may be read.
    Changes ``scores``, ``bounds``, ``counts``, ``trace`` and ``state``.
    """
    n = scores.shape[0]
    visits = n if order is None else order.shape[0]
    while state[PASSES] < passes:
        while state[PLACE] < visits:
            i = state[PLACE] if order is None else order[state[PLACE]]
            score = labels[i] * scores[i]
            threshold = 1.01 * bounds[DRIFT] * spans[i]
            if known != UNKNOWN:
                sign = known
                known = UNKNOWN
            elif bounds[DRIFT] == 0.0:
                sign = 1 if score > 0.0 else (-1 if score < 0.0 else 0)
            elif threshold < score < math.inf:
                sign = 1
            elif -math.inf < score < -threshold:
                sign = -1
            else:
                return UNDECIDED
            work -= 1
            if is_mistake(sign, labels[i], tie):
                if state[MISTAKES] >= most:
                    return LIMITED
                if cache.slots[i] < 0:
                    return MISSING
                _err(i, scores, labels, left_spans, spans, cache, steps, error, largest, limit, bounds)
                counts[i] += 1
                if state[MISTAKES] < trace.shape[0]:
                    trace[state[MISTAKES]] = i
                state[MISTAKES] += 1
                state[PASS_MISTAKES] += 1
                work -= n
            state[PLACE] += 1
            if work < 0:
                return PAUSED
        clean = state[PASS_MISTAKES] == 0
        state[PLACE] = 0
        state[PASS_MISTAKES] = 0
        state[PASSES] += 1
        if clean:
            return CLEAN
    return FINISHED
