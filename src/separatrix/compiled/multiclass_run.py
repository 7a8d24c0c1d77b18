"""The perceptron for several classes: one vector of weights for each, laid end to end (Kesler's construction).

A row x of class c against a rival r is the row ``(…, x, …, -x, …)``, x in the place of c and -x in that of r: its score is
the difference of two scores, and a mistake adds it to all weights. So the bounds are those of `visits`, for rows that are
``sqrt(2)`` times as long, and signs, sums and rules are shared with it.
"""

from __future__ import annotations

import math

import numpy as np

from .binary_run import (
    BEGAN,
    CLEAN,
    FINISHED,
    LIMITED,
    MISTAKES,
    OWED,
    PASS_MISTAKES,
    PASSES,
    PAUSED,
    PLACE,
    ROOMY,
    UNDECIDED,
    UPDATE_SLACK,
    norm_and_loss,
)
from .compilation import kernel
from .error_free import UNDERFLOW, UNIT
from .largest import OPEN, PAIR_NORM, compare, leader, pair
from .rows import add, add_exactly, add_multiple, gather, score
from .signs import UNKNOWN

RIGHT = -1
"""In place of a rival: the row is right."""

PAIR_SLACK = 1.0
"""Coefficient of the error of a difference of float scores; a test weakens it and sees a wrong run."""


@kernel
def _rival(table, scores, bound, m, width, c, tie):
    """Return the rival that a row of class c is mistaken for, `RIGHT` or `OPEN`."""
    r = leader(table, scores, bound, m, width, c, False)
    if r == OPEN:
        return OPEN
    sign = compare(table, scores, bound, m, width, c, r)
    if sign == UNKNOWN:
        return OPEN
    if sign != 0:
        return RIGHT if sign > 0 else r
    other = r  # of the classes that tie, the one that would be predicted in place of c
    if tie > 0:
        other = leader(table, scores, bound, m, width, c, True)
        if other == OPEN:
            return OPEN
    return r if tie == 0 or (other - c) * tie > 0 else RIGHT


@kernel
def settle(rows, codes, steps, roomy, table, pending, owed, width):
    """Bring the exact weights up to date with the pending mistakes: rows and rivals."""
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant = rows.signs, rows.constant
    w = table.parts
    for t in range(owed):
        i, r = pending[0, t], pending[1, t]
        c = codes[i]
        if roomy:
            for k, sign in ((c, 1.0), (r, -1.0)):
                high, low = w[0, k * width : (k + 1) * width], w[1, k * width : (k + 1) * width]
                add_exactly(matrix, data, indices, indptr, signs, constant, i, sign, high, low)
            continue
        m = gather(matrix, data, indices, indptr, signs, constant, i, table.columns, table.entries)
        m = pair(table, m, width, c, r)
        if steps is None:
            add_multiple(table.pair_columns, table.pair_entries, m, 1.0, w, table.loss)
        else:
            for step in (steps.high[i], steps.low[i]):
                if step != 0.0:
                    add_multiple(table.pair_columns, table.pair_entries, m, step, w, table.loss)


@kernel
def advance(
    rows, codes, order, steps, largest_step, tie, grid, room, table, pending, v, scores, counts, trace, sums, per_visit,
    state, passes, limit, visits, known,
):  # fmt: skip
    """Go on with a run, in place, until there is a reason to stop; return the reason, as `visits.advance` does.

    ``codes`` are the classes of the rows, ``v`` has a row of plain weights for each class, ``counts[i, k]`` and
    ``sums[i, k]`` (empty: not kept) are what row i has done to the weights of class k. ``known`` is the rival at the
    present place, or `RIGHT`, if exact integers found out, else `OPEN`.
    """
    n = order.shape[0]
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant = rows.signs, rows.constant
    classes, width = v.shape
    S, radius = PAIR_NORM * largest_step, PAIR_NORM * rows.radius
    q = pending.shape[1]
    longest = 2 * rows.longest + 4
    gamma = PAIR_SLACK * longest * UNIT / (1.0 - longest * UNIT)
    floor_of_scores = longest * UNDERFLOW
    place, here, k, done = state[PLACE], state[PASS_MISTAKES], state[MISTAKES], state[PASSES]
    owed, began = state[OWED], state[BEGAN]
    roomy = state[ROOMY] == 1
    budget = k
    W = B = floor = 0.0
    fresh = True
    reason = FINISHED
    while done < passes:
        stop = min(n, place + visits)
        while place < stop:
            if fresh:
                fresh = False
                settle(rows, codes, steps, roomy, table, pending, owed, width)
                owed = 0
                budget = k + q
                for a in range(classes):
                    for j in range(width):
                        v[a, j] = table.parts[0, a * width + j]
                W, lost = norm_and_loss(table.parts, table.loss)
                W = math.sqrt(W * W + q * S * S) * (1.0 + 16 * UNIT)
                drift = q * (2.0 * UPDATE_SLACK * UNIT * (W + S) + longest * UNDERFLOW) + lost
                roomy = steps is None and W + q * S <= room
                B = PAIR_NORM * (gamma * (W + drift) + drift) * (1.0 + 16 * UNIT)
                floor = floor_of_scores
                if grid > 0.0 and W * radius <= grid:
                    B = floor = 0.0
            i = order[place]
            c = codes[i]
            r = known
            known = OPEN
            if r == OPEN:
                bound = (rows.norms[i] * B + floor) * (1.0 + 16 * UNIT)
                first = second = -np.inf
                for a in range(classes):
                    s = score(matrix, data, indices, indptr, signs, constant, i, v[a])
                    scores[a] = s
                    if a != c:
                        if s > first:
                            first, second, r = s, first, a
                        elif s > second:
                            second = s
                if scores[c] - first > bound:
                    r = RIGHT
                elif not (scores[c] - first < -bound and first - second > bound):
                    settle(rows, codes, steps, roomy, table, pending, owed, width)
                    owed = 0
                    m = gather(matrix, data, indices, indptr, signs, constant, i, table.columns, table.entries)
                    r = _rival(table, scores, bound, m, width, c, tie)
                    if r == OPEN:
                        reason = UNDECIDED
                        break
            if r != RIGHT:
                if k >= limit:
                    reason = LIMITED
                    break
                if k >= budget:
                    fresh = True
                    known = r
                    continue
                step = 1.0 if steps is None else steps.high[i]
                add(matrix, data, indices, indptr, signs, constant, i, step, v[c])
                add(matrix, data, indices, indptr, signs, constant, i, -step, v[r])
                counts[i, c] += 1
                counts[i, r] -= 1
                number = began + (place if per_visit else k) + 1
                if k < trace.shape[0]:
                    trace[k] = i
                if sums.shape[0] > 0:
                    sums[i, c] += number
                    sums[i, r] -= number
                pending[0, owed], pending[1, owed] = i, r
                owed += 1
                here += 1
                k += 1
            place += 1
            visits -= 1
        if reason != FINISHED:
            break
        if place < n:
            reason = PAUSED
            break
        place = 0
        if per_visit:
            began += n
        done += 1
        clean = here == 0
        here = 0
        if clean:
            reason = CLEAN
            break
    state[PLACE], state[PASS_MISTAKES], state[MISTAKES], state[PASSES] = place, here, k, done
    state[OWED], state[ROOMY], state[BEGAN] = owed, roomy, began
    return reason
