"""The errors of a run's weights after each of its updates, as far as it takes to see which of them err least.

Whom a run errs on next does not depend on how good its weights are. So the pocket algorithm lets the run go ahead by a
block of updates, and then counts the errors of all weights of the block at once: their scores are the product of two
matrices, which is much less work than as many products of a matrix and a vector. And counts end as soon as they have
come to the errors of the best weights so far, which is soon: ``order`` begins with rows that were often wrong lately,
and these, mislabelled ones above all, are nearly always wrong.

Signs are proved as in `binary_run`: by the same bounds for the block as there for a budget, then, for suspects, with the
row's own norm, on a grid, by `sign_of_score` on the exact weights after the update in question; else by whoever called.

Errors may be weighed. Their weights are added up in float64, which may end a count by a bound with room for all rounding;
what it does not end is for exact sums to tell.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .binary_run import sign_by_score
from .compilation import by_type, kernel
from .error_free import SAFE_MATH, add_multiple
from .integers import accumulate
from .rows import CsrRows, DenseRows, add, gather, score
from .run import settle, step_of
from .signs import UNKNOWN, is_mistake, sign_of_score

# Where numbers stand in `position`: the row in the order, the update, how many updates the exact weights include, and how
# long the front is, of rows that are often wrong.
ROW, UPDATE, STAND, FRONT = range(4)

MAX_UPDATES_PER_BLOCK = 256
"""The most updates in a block, a multiple of 8."""


class CountStop(IntEnum):
    """Why a count of errors stopped."""

    COUNTED = 0
    """All counts have come to their ends."""
    UNDECIDED = 1
    """The sign at hand takes exact integers."""
    PAUSED = 2
    """There are no more scores."""


class Block(NamedTuple):
    """The updates of a block, and the weights after each."""

    trace: np.ndarray
    """The rows that were added to the weights, in order."""
    V: np.ndarray
    """The plain weights after each update, as rows if the rows of the problem are dense, and as columns if sparse."""
    counts: np.ndarray
    """How often each row is among the updates that the exact weights include."""
    which: np.ndarray
    """The updates whose weights are still counted, by their indices in the trace; what is in V."""


class Panel(NamedTuple):
    """Float scores of some rows of the problem under all weights of a block that are still counted."""

    first: int
    """Where the first of these rows is in the order."""
    scores: np.ndarray
    """A row for each row, a column for each of the weights; suspects become -1 or 1 once their sides are known."""


class Loads(NamedTuple):
    """The errors of all weights of a block that are still counted: how many, or their weights together."""

    loads: np.ndarray
    rough: np.ndarray | None
    """The weights of errors, one for each row, if they are weighed."""
    enough: float
    """A load at which a count may end."""


@kernel
def lay_out(run, block, v):
    """Fill V with the plain weights after each update; ``v`` holds those before, and is changed."""
    for t in range(block.trace.shape[0]):
        i = block.trace[t]
        add(run.rows, i, step_of(run.steps, i), v)
        _write(run.rows, block.V, t, v)


@by_type
def _write(rows, V, t, v):
    """Write weights number t, as a row or a column."""


@_write.register(DenseRows)
def _(rows, V, t, v):
    for j in range(v.shape[0]):
        V[t, j] = v[j]


@_write.register(CsrRows)
def _(rows, V, t, v):
    for j in range(v.shape[0]):
        V[j, t] = v[j]


@kernel
def stand_at(run, roomy, block, stand, t):
    """Bring the exact weights of a block from where they stand after so many updates to where t are done."""
    while stand < t:
        block.counts[block.trace[stand]] += 1
        settle(run, roomy, stand, stand + 1, block.counts)
        stand += 1
    while stand > t:
        stand -= 1
        block.counts[block.trace[stand]] -= 1
        settle(run, roomy, stand, stand + 1, block.counts)
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


@kernel(inline=True)
def _weight(rough, i):
    return 1.0 if rough is None else rough[i]


@kernel
def count(run, bounds, block, order, panel, loads, position, known):
    """Go on counting the errors after each update of a block, in place, until there is a reason to stop; return it.

    ``run`` has the exact weights of the block, after some of its updates, with its trace as what is pending, and ``bounds``
    hold for all of the block. The scores of the panel are of rows in the ``order``, which is changed; a count goes through
    all of them, beginning with a ``position`` of zeros, or ends earlier, with loads that are enough. ``known`` is the sign
    at the present position, if exact integers found it, else `UNKNOWN`.
    """
    rows, T = run.rows, bounds.T
    m = loads.loads.shape[0]
    row, update, stand, front = position[ROW], position[UPDATE], position[STAND], position[FRONT]
    reason = CountStop.COUNTED
    while row < order.shape[0]:
        if row - panel.first == panel.scores.shape[0]:
            reason = CountStop.PAUSED
            break
        i, scores = order[row], panel.scores[row - panel.first]
        if known == UNKNOWN:
            update = 0 if _suspects(scores, m, T) else m
        while update < m:
            if known != UNKNOWN or not (abs(scores[update]) > T):
                sign = known
                known = UNKNOWN
                if sign == UNKNOWN:
                    s = scores[update] if rows.coarse == 0.0 else score(rows, i, block.V[update])
                    sign = sign_by_score(s, rows.norms[i], bounds, run.grid)
                if sign == UNKNOWN:
                    stand = stand_at(run, bounds.roomy, block, stand, block.which[update] + 1)
                    sign = sign_of_score(run.parts, run.loss, run.buffers, gather(rows, i, run.buffers))
                if sign == UNKNOWN:
                    reason = CountStop.UNDECIDED
                    break
                scores[update] = -1.0 if is_mistake(sign, rows.labels[i], run.tie) else 1.0
            update += 1
        if reason != CountStop.COUNTED:
            break
        wrong = _take_up(scores, m, _weight(loads.rough, i), loads.loads)
        if 4 * wrong > m:
            order[row] = order[front]
            order[front] = i
            front += 1
        row += 1
        if row % 64 == 0 and _all_have(loads.loads, loads.enough):
            break
    position[ROW], position[UPDATE], position[STAND], position[FRONT] = row, update, stand, front
    return reason


@kernel
def add_up(rows, trace, first, w, loss, buffers):
    """Add the rows of a trace to ``w``, the first one ``first`` times and each next one once more.

    The sum is an unevaluated one of three parts; ``loss`` takes up what these do not hold.
    """
    for k in range(trace.shape[0]):
        if first + k == 0:
            continue
        m = gather(rows, trace[k], buffers)
        add_multiple(buffers, m, float(first + k), w, loss)


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
