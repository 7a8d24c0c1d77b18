"""The run of the perceptron: visits to rows in order, an update at each mistake, every decision proved.

Rosenblatt's algorithm on the signed, lifted rows ``z_i``: at a visit to row i with ``w.z_i <= 0`` (the tie rule decides
at 0), ``w <- w + step_i * z_i``. The sign is that of the exact product of the exact weights, so that a run is a
function of the data alone. How that costs no more than a plain loop:

1. *Hot loop.* It keeps plain float weights ``v`` and the list of rows it erred on, nothing else. One comparison,
   ``s > T`` for the float score ``s = fl(v.z)``, tells the rows that are right, and ``s < -T`` those that are wrong.
2. *Bound.* For rows of at most m entries, in any order of summation, with or without fused multiply-add,
   ``|s - w.z| <= B * ||z|| + floor`` with ``B = (m + 4) * UNIT * ||v|| + ||v - w||``. Within a budget of q mistakes
   ``||w||**2`` grows by at most ``q * S**2``, S the length of the longest step, because every mistake has
   ``w.z <= 0``; and each plain update adds at most ``2 * UNIT * (||w|| + S)`` to ``||v - w||``. So ``T = R * B + floor``
   is a constant until the budget is spent.
3. *Exact weights.* Between hot loops the mistakes are settled: ``w``, an unevaluated sum of two or three floats in each
   column, takes up the rows erred on, each once with its count. What the parts cannot hold is known as ``loss``. Where
   the scores of all rows are exact (see 5) so is v, which then is w.
4. *Screen.* Many dense rows are read from a copy in float32, half as long; T grows by the error of its entries, about
   ``2**-24 * ||w|| * R``, and the score of a suspect is computed anew from the rows themselves.
5. *Suspects*, neither above T nor below -T, are refined: with their own norm; then, if all numbers are multiples of a
   power of two and the products stay below ``2**53`` of its squares, the score is exact as it is; else by
   `sign_of_score` on the exact weights; else whoever called decides.
6. *Memory.* Rows in another order than they stand, or too many for the caches, are asked for some visits ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import SAFE_MATH, UNDERFLOW, UNIT, two_product
from .rows import add, add_exactly, add_multiple, gather, glance, look_ahead, score, tally
from .signs import UNKNOWN, is_mistake, sign_of_score

# What `advance` returns: why it stopped.
FINISHED = 0  # the passes asked for are over

CLEAN = 1  # a whole pass without a mistake

LIMITED = 2  # the visit at hand is a mistake, and one more than allowed

PAUSED = 3  # the visits allowed in one call are over

UNDECIDED = 4  # the sign at hand takes exact integers

UNGRIDDED = 5  # suspects abound, and whether the numbers lie on a grid is not known

# Places in `state`.
PLACE, PASS_MISTAKES, MISTAKES, PASSES, SUSPECTS, OWED, ROOMY, BEGAN, BUDGET = range(9)

# Coefficients of the bounds above; a test weakens each and sees a wrong run.
SCORE_SLACK = 1.0

UPDATE_SLACK = 2.0

COARSE_SLACK = 1.01

SCREEN_UNDERFLOW = 2.0**-125
"""More than an entry loses when it underflows in float32."""

PATIENCE = 64
"""Suspects to settle one by one before asking for the grid, which costs a pass over all numbers."""


class Steps(NamedTuple):
    """The multiples of ``z_i`` that updates add: ``high[i] + low[i]``."""

    high: np.ndarray
    low: np.ndarray


class Weights(NamedTuple):
    """The exact weights, and what it takes to bring them up to date."""

    parts: np.ndarray
    """Two or three rows, to be added up; the first is the sum rounded, give or take."""
    loss: np.ndarray
    """Upper bound, for each column, of what the parts do not hold."""
    pending: np.ndarray
    """Rows erred on since the parts were up to date; its length is the budget of mistakes."""
    settled: np.ndarray
    """For each row, the mistakes that the parts include."""


class Buffers(NamedTuple):
    """Room for the hot weights and what holds for them, for one row's entries and for their products."""

    v: np.ndarray
    bounds: np.ndarray
    columns: np.ndarray
    entries: np.ndarray
    terms: np.ndarray


@kernel(inline=True)
def _err(matrix, data, indices, indptr, signs, constant, i, steps, v, counts, trace, pending, owed, k, sums, times, number):
    """Learn from mistake number k, on row i at visit ``number``, in the plain weights; note it for the exact ones."""
    step = 1.0 if steps is None else steps.high[i]
    add(matrix, data, indices, indptr, signs, constant, i, step, v)
    counts[i] += 1
    if k < trace.shape[0]:
        trace[k] = i
        if times is not None:
            times[k] = number
    if sums is not None:
        sums[i] += number
    pending[owed] = i


@kernel(fastmath=SAFE_MATH)
def _sweep(
    screen, matrix, data, indices, indptr, signs, constant, order, steps, v, T, start, stop, counts, trace, pending,
    owed, k, quota, sums, times, per_visit, began,
):  # fmt: skip
    """Visit rows, and update at the certain mistakes, until a row is suspect or ``k`` mistakes have reached the quota.

    Visits go through ``order[start:stop]``, or through the rows as they stand if it is None. Returns the place of the
    last visit (``stop`` if no row was suspect), its score, the number of rows owed to the exact weights, and ``k``.
    """
    s = 0.0
    place = start
    while place < stop:
        i = place if order is None else order[place]
        look_ahead(screen, data, indices, indptr, signs, order, place, stop - 1)
        s = glance(screen, data, indices, indptr, signs, constant, i, v)
        if not (s > T):
            if k >= quota or not (s < -T):
                break
            number = began + (place if per_visit else k) + 1
            _err(
                matrix, data, indices, indptr, signs, constant, i, steps, v, counts, trace, pending, owed, k, sums, times,
                number,
            )  # fmt: skip
            owed += 1
            k += 1
        place += 1
    return place, s, owed, k


@kernel
def take_over(weights, v, owed, counts):
    """Bring the exact weights up to date with plain ones that are exact, as those are whose scores have no error."""
    for j in range(v.shape[0]):
        weights.parts[0, j] = v[j]
        for part in range(1, weights.parts.shape[0]):
            weights.parts[part, j] = 0.0
    for t in range(owed):
        i = weights.pending[t]
        weights.settled[i] = counts[i]


@kernel
def settle(rows, steps, roomy, weights, start, stop, counts, buffers):
    """Bring the exact weights up to date with the counts of the rows in ``pending[start:stop]``."""
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant = rows.signs, rows.constant
    w, loss = weights.parts, weights.loss
    for t in range(start, stop):
        i = weights.pending[t]
        count = counts[i] - weights.settled[i]
        if count == 0:
            continue
        weights.settled[i] = counts[i]
        c = float(count)
        if roomy:
            add_exactly(matrix, data, indices, indptr, signs, constant, i, c, w[0], w[1])
            continue
        m = gather(matrix, data, indices, indptr, signs, constant, i, buffers.columns, buffers.entries)
        if steps is None:
            add_multiple(buffers.columns, buffers.entries, m, c, w, loss)
        else:
            for step in (steps.high[i], steps.low[i]):
                p, rest = two_product(c, step)
                if p != 0.0:
                    add_multiple(buffers.columns, buffers.entries, m, p, w, loss)
                if rest != 0.0:
                    add_multiple(buffers.columns, buffers.entries, m, rest, w, loss)


@kernel
def settle_in_bulk(rows, weights, pending, counts, cut, high, low):
    """Add up the rows of ``pending``, each listed once, with their unsettled counts, into ``high + low``."""
    for t in range(pending.shape[0]):
        i = pending[t]
        count = float(counts[i] - weights.settled[i])
        weights.settled[i] = counts[i]
        tally(
            rows.matrix, rows.data, rows.indices, rows.indptr, rows.signs, rows.constant, i, count, cut, high, low
        )  # fmt: skip


@kernel
def norm_and_loss(parts, loss):
    """Upper bounds of ``||w||`` and of the loss."""
    s = 0.0
    lost = 0.0
    m = loss.shape[0]
    for j in range(m):
        s += parts[0, j] * parts[0, j]
        lost += loss[j]
    lost *= 1.01  # the losses are themselves rounded sums, of fewer than 2**40 terms
    return math.sqrt((s + m * UNDERFLOW) * (1.0 + (2 * m + 16) * UNIT)) * (1.0 + 16 * UNIT) + lost, lost


@kernel
def bounds(rows, steps, largest_step, weights, q, grid, room):
    """Return what holds for the settled weights, and through q more mistakes.

    That is: upper bounds of ``||w||``, of the error of a float score relative to the row, and of the error of what the hot
    loop looks at, for any row; what underflow may add; and whether two parts are going to hold the weights.
    """
    S = largest_step
    gamma = SCORE_SLACK * (rows.longest + 4) * UNIT / (1.0 - (rows.longest + 4) * UNIT)
    W, lost = norm_and_loss(weights.parts, weights.loss)
    W = math.sqrt(W * W + q * S * S) * (1.0 + 16 * UNIT)
    drift = q * (UPDATE_SLACK * UNIT * (W + S) + rows.longest * UNDERFLOW) + lost
    roomy = steps is None and W + q * S <= room
    floor = (rows.longest + 4) * UNDERFLOW
    B = (gamma * (W + drift) + drift) * (1.0 + 16 * UNIT)
    if grid > 0.0 and W * rows.radius <= grid:
        B = floor = 0.0
    T = (rows.radius * B + floor) * (1.0 + 16 * UNIT)
    if rows.coarse > 0.0:
        T += COARSE_SLACK * (W + drift) * (rows.coarse * rows.radius + SCREEN_UNDERFLOW * rows.longest)
    return W, B, T, floor, roomy


@kernel
def advance(
    rows, order, steps, largest_step, tie, grid, room, weights, buffers, counts, trace, sums, times, per_visit, state,
    passes, limit, visits, known,
):  # fmt: skip
    """Go on with a run, in place, until there is a reason to stop; return the reason.

    ``order`` holds the rows of a pass (None: as they stand), ``steps`` the multiples of updates (None: all 1) and
    ``largest_step`` bounds ``||step_i z_i||``. While ``||w|| ||z|| <= grid`` a float score is exact; NaN: not known
    yet. While ``||w|| <= room`` two parts hold the weights exactly. ``weights``, ``counts`` (mistakes on each row),
    ``trace`` (rows erred on, if it has room), ``state`` and ``buffers``, with the plain weights and what holds for them
    until the budget in the state is spent, are changed; the exact weights are left unsettled. So are, unless
    None, ``sums`` (for each row, the numbers of the visits that were mistakes on it, added up) and ``times`` (these
    numbers one by one, beside the trace): visits are numbered from 1, or, unless ``per_visit``, mistakes. ``passes`` and
    ``limit`` bound passes and mistakes since the beginning of the run, ``visits`` this call. ``known`` is the sign of
    the score at the present place, if exact integers found it, else `UNKNOWN`.
    """
    n = rows.norms.shape[0] if order is None else order.shape[0]
    screen, matrix, data, indices, indptr = rows.screen, rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant, labels, norms = rows.signs, rows.constant, rows.labels, rows.norms
    w, v, pending = weights.parts, buffers.v, weights.pending
    q = pending.shape[0]
    place, here, k, done = state[PLACE], state[PASS_MISTAKES], state[MISTAKES], state[PASSES]
    owed, began, budget = state[OWED], state[BEGAN], state[BUDGET]
    W, B, T, floor = buffers.bounds[0], buffers.bounds[1], buffers.bounds[2], buffers.bounds[3]
    roomy = state[ROOMY] == 1
    fresh = k >= budget
    reason = FINISHED
    while done < passes:
        stop = min(n, place + visits)
        while True:
            if fresh:
                fresh = False
                if B == 0.0 and owed > 0:
                    take_over(weights, v, owed, counts)
                else:
                    settle(rows, steps, roomy, weights, 0, owed, counts, buffers)
                owed = 0
                budget = k + q
                for j in range(v.shape[0]):
                    v[j] = w[0, j]
                W, B, T, floor, roomy = bounds(rows, steps, largest_step, weights, q, grid, room)
                buffers.bounds[0], buffers.bounds[1], buffers.bounds[2], buffers.bounds[3] = W, B, T, floor
            sign = known
            known = UNKNOWN
            s = 0.0
            if sign == UNKNOWN:
                at, s, owed, now = _sweep(
                    screen, matrix, data, indices, indptr, signs, constant, order, steps, v, T, place, stop,
                    counts, trace, pending, owed, k, min(budget, limit), sums, times, per_visit, began,
                )  # fmt: skip
                visits -= at - place
                place = at
                here += now - k
                k = now
                if at == stop:
                    break
            i = place if order is None else order[place]
            if sign == UNKNOWN:
                if rows.coarse > 0.0:
                    s = score(matrix, data, indices, indptr, signs, constant, i, v)
                bound = (norms[i] * B + floor) * (1.0 + 16 * UNIT)
                if s > bound:
                    sign = 1
                elif s < -bound:
                    sign = -1
                elif grid > 0.0 and W * norms[i] <= grid:
                    sign = 1 if s > 0.0 else (-1 if s < 0.0 else 0)
                else:
                    state[SUSPECTS] += 1
                    if math.isnan(grid) and state[SUSPECTS] > PATIENCE:
                        reason = UNGRIDDED
                        break
                    settle(rows, steps, roomy, weights, 0, owed, counts, buffers)
                    owed = 0
                    m = gather(matrix, data, indices, indptr, signs, constant, i, buffers.columns, buffers.entries)
                    sign = sign_of_score(w, weights.loss, buffers.columns, buffers.entries, m, buffers.terms)
                    if sign == UNKNOWN:
                        reason = UNDECIDED
                        break
            if is_mistake(sign, labels[i], tie):
                if k >= limit:
                    reason = LIMITED
                    break
                if k >= budget:
                    fresh = True
                    known = sign
                    continue
                number = began + (place if per_visit else k) + 1
                _err(
                    matrix, data, indices, indptr, signs, constant, i, steps, v, counts, trace, pending, owed, k, sums,
                    times, number,
                )  # fmt: skip
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
    state[OWED], state[ROOMY], state[BEGAN], state[BUDGET] = owed, roomy, began, budget
    return reason
