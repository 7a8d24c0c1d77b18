"""The errors of a run's weights after each of its updates, as far as it takes to see which of them err least.

Whom a run errs on next does not depend on how good its weights are. So the pocket algorithm lets the run go ahead by a
block of updates, and then counts the errors of all weights of the block at once: their scores are the product of two
matrices, which is much less work than as many products of a matrix and a vector. And counts end as soon as they have
come to the errors of the best weights so far, which is soon: ``order`` begins with rows that were often wrong lately,
and these, mislabelled ones above all, are nearly always wrong.

Signs are proved as in `visits`: by the same bounds for the block as there for a budget, then, for suspects, with the
row's own norm, on a grid, by `sign_of_score` on the exact weights after the update in question; else by whoever called.

Errors may be weighed. Their weights are added up in float64, which may end a count by a bound with room for all rounding;
what it does not end is for exact sums to tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .binary_run import settle
from .compilation import kernel
from .error_free import SAFE_MATH, UNIT
from .integers import accumulate
from .rows import add, add_multiple, gather, score
from .signs import UNKNOWN, is_mistake, sign_of_score

# What `count` returns: why it stopped.
COUNTED = 0  # all counts have come to their ends

UNDECIDED = 1  # the sign at hand takes exact integers

PAUSED = 2  # there are no more scores

# Places in `place`: the row in the order, the update, where the exact weights stand, and how long the front is.
ROW, UPDATE, STAND, FRONT = range(4)

BLOCK = 256
"""The most updates in a block, a multiple of 8."""


class Block(NamedTuple):
    """The updates of a block, and the weights after each."""

    trace: np.ndarray
    """The rows that were added to the weights, in order."""
    V: np.ndarray
    """The plain weights after each update, as rows if the rows of the problem are dense, and as columns if sparse."""
    exact: NamedTuple
    """The exact weights after `STAND` updates; their ``pending`` is the trace."""
    counts: np.ndarray
    """How often each row is in that part of the trace."""
    which: np.ndarray
    """The updates whose weights are still counted, by their places in the trace; what is in V."""


@kernel
def lay_out(rows, steps, block, v):
    """Fill V with the plain weights after each update; ``v`` holds those before, and is changed."""
    for t in range(block.trace.shape[0]):
        i = block.trace[t]
        step = 1.0 if steps is None else steps.high[i]
        add(rows.matrix, rows.data, rows.indices, rows.indptr, rows.signs, rows.constant, i, step, v)
        for j in range(v.shape[0]):
            if rows.data is None:
                block.V[t, j] = v[j]
            else:
                block.V[j, t] = v[j]


@kernel
def stand_at(rows, steps, roomy, block, stand, t, buffers):
    """Bring the exact weights of a block from where they stand after so many updates to where t are done."""
    while stand < t:
        block.counts[block.trace[stand]] += 1
        settle(rows, steps, roomy, block.exact, stand, stand + 1, block.counts, buffers)
        stand += 1
    while stand > t:
        stand -= 1
        block.counts[block.trace[stand]] -= 1
        settle(rows, steps, roomy, block.exact, stand, stand + 1, block.counts, buffers)
    return stand


@kernel(fastmath=SAFE_MATH)
def _suspects(scores, m, T):
    """Return how many of the first m scores do not tell a sign."""
    found = 0
    for t in range(m):
        found += not (abs(scores[t]) > T)
    return found


@kernel(fastmath=SAFE_MATH)
def _take_up(scores, m, weight, loads):
    """Add the weight of a row to the loads of the updates after which it is wrong; return after how many it is."""
    wrong = 0
    for t in range(m):
        loads[t] += weight if scores[t] < 0.0 else 0.0
        wrong += scores[t] < 0.0
    return wrong


@kernel
def _all_have(loads, enough):
    least = loads[0]
    for t in range(1, loads.shape[0]):
        least = min(least, loads[t])
    return least >= enough


@kernel
def count(
    rows, steps, tie, grid, W, B, T, floor, roomy, block, buffers, order, first, panel, rough, loads, enough, place, known
):  # fmt: skip
    """Go on counting the errors after each update of a block, in place, until there is a reason to stop; return it.

    ``W`` to ``roomy`` are the `bounds` of the block. ``panel`` has a row of scores, one for each of the weights, for each
    row of the problem from ``first`` on in the ``order``; those that were suspect become -1 or 1 once their sides are
    known. ``loads`` takes up, for each update, the number of errors or, where there are such, their ``rough`` weights. A
    count may end at ``enough``; all of them are to begin with a `place` of zeros, and go through the rows in the
    ``order``, which is changed. ``known`` is the sign at the present place, if exact integers found it, else `UNKNOWN`.
    """
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant, labels = rows.signs, rows.constant, rows.labels
    m = loads.shape[0]
    row, update, stand, front = place[ROW], place[UPDATE], place[STAND], place[FRONT]
    reason = COUNTED
    while row < order.shape[0]:
        if row - first == panel.shape[0]:
            reason = PAUSED
            break
        i, scores = order[row], panel[row - first]
        if known == UNKNOWN:
            update = 0 if _suspects(scores, m, T) else m
        while update < m:
            if known != UNKNOWN or not (abs(scores[update]) > T):
                sign = known
                known = UNKNOWN
                if sign == UNKNOWN:
                    s = scores[update]
                    if rows.coarse > 0.0:
                        s = score(matrix, data, indices, indptr, signs, constant, i, block.V[update])
                    bound = (rows.norms[i] * B + floor) * (1.0 + 16 * UNIT)
                    if s > bound:
                        sign = 1
                    elif s < -bound:
                        sign = -1
                    elif grid > 0.0 and W * rows.norms[i] <= grid:
                        sign = 1 if s > 0.0 else (-1 if s < 0.0 else 0)
                    else:
                        stand = stand_at(rows, steps, roomy, block, stand, block.which[update] + 1, buffers)
                        entries = gather(matrix, data, indices, indptr, signs, constant, i, buffers.columns, buffers.entries)
                        sign = sign_of_score(
                            block.exact.parts, block.exact.loss, buffers.columns, buffers.entries, entries, buffers.terms
                        )  # fmt: skip
                if sign == UNKNOWN:
                    reason = UNDECIDED
                    break
                scores[update] = -1.0 if is_mistake(sign, labels[i], tie) else 1.0
            update += 1
        if reason != COUNTED:
            break
        wrong = _take_up(scores, m, 1.0 if rough is None else rough[i], loads)
        if 4 * wrong > m:
            order[row] = order[front]
            order[front] = i
            front += 1
        row += 1
        if row % 64 == 0 and _all_have(loads, enough):
            break
    place[ROW], place[UPDATE], place[STAND], place[FRONT] = row, update, stand, front
    return reason


@kernel
def add_up(rows, trace, first, w, loss, buffers):
    """Add the rows of a trace to ``w``, the first one ``first`` times and each next one once more.

    The sum is an unevaluated one of three parts; ``loss`` takes up what these do not hold.
    """
    for k in range(trace.shape[0]):
        if first + k == 0:
            continue
        m = gather(
            rows.matrix, rows.data, rows.indices, rows.indptr, rows.signs, rows.constant, trace[k],
            buffers.columns, buffers.entries,
        )  # fmt: skip
        add_multiple(buffers.columns, buffers.entries, m, float(first + k), w, loss)


@kernel
def weigh(bits, chosen, limbs):
    """Fill ``limbs`` with the exact sum of some weights, given by their bits, in units of ``2**-1074``."""
    for k in range(limbs.shape[0]):
        limbs[k] = 0
    for t in range(chosen.shape[0]):
        accumulate(limbs, bits[chosen[t]], np.uint64(1), np.int64(1), 0)
    for k in range(limbs.shape[0] - 1):
        limbs[k + 1] += limbs[k] >> 32
        limbs[k] &= 0xFFFFFFFF
