"""The run of the perceptron for two classes: what it does at a visit, and why that is certain.

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
from .error_free import UNDERFLOW, UNIT, add_multiple, norm_and_loss, two_product
from .rows import Buffers, CsrRows, DenseRows, add, add_exactly, gather, glance, look_ahead, score, tally
from .run import (
    MISTAKEN,
    RIGHT,
    Bounds,
    Steps,
    err,
    find_bounds,
    find_by_scores,
    find_exactly,
    keep,
    number_of,
    settle,
    step_of,
    sweep,
)
from .signs import OPEN, UNKNOWN, is_mistake, sign_of_score

# Coefficients of the bounds above; a test weakens each and sees a wrong run.
SCORE_SLACK = 1.0

UPDATE_SLACK = 2.0

COARSE_SLACK = 1.01

SCREEN_UNDERFLOW = 2.0**-125
"""More than an entry loses when it underflows in float32."""


class Binary(NamedTuple):
    """A run for two classes, as kernels take it."""

    rows: DenseRows | CsrRows
    steps: Steps | None
    """The multiples of updates; None: all are 1."""
    largest_step: float
    """Upper bound of ``||step_i z_i||``."""
    tie: int
    """The tie rule."""
    grid: float
    """While ``||w|| ||z|| <= grid`` a float score is exact; NaN: not known yet."""
    room: float
    """While ``||w|| <= room`` two parts hold the weights exactly."""
    parts: np.ndarray
    """The exact weights in two or three rows, to be added up; the first is the sum rounded, give or take."""
    loss: np.ndarray
    """Upper bound, for each column, of what the parts do not hold."""
    settled: np.ndarray
    """For each row, the mistakes that the parts include."""
    pending: np.ndarray
    """Rows erred on since the exact weights were settled; its length is the budget of mistakes."""
    v: np.ndarray
    """The plain weights of the hot loop."""
    bounds: np.ndarray
    """The `Bounds` that hold for them until the budget is spent, as five numbers."""
    scores: np.ndarray
    """The score of the row at which the last sweep stopped."""
    buffers: Buffers


@err.register(Binary)
def _(run, i, found, record, owed, k, number):
    add(run.rows, i, step_of(run.steps, i), run.v)
    record.counts[i] += 1
    keep(record.trace, k, i)
    keep(record.times, k, number)
    if i < record.sums.shape[0]:
        record.sums[i] += number
    run.pending[owed] = i


@sweep.register(Binary)
def _(run, order, record, bounds, stretch, owed, k):
    rows, v, T, stop, quota = run.rows, run.v, bounds.T, stretch.stop, stretch.quota
    s = 0.0
    position = stretch.start
    while position < stop:
        i = position if order is None else order[position]
        look_ahead(rows, order, position, stop - 1)
        s = glance(rows, i, v)
        if not (s > T):
            if k >= quota or not (s < -T):
                break
            err(run, i, MISTAKEN, record, owed, k, number_of(record.per_visit, stretch.visits_before, position, k))
            owed += 1
            k += 1
        position += 1
    run.scores[0] = s
    return position, owed, k


@find_by_scores.register(Binary)
def _(run, i, bounds):
    rows = run.rows
    s = run.scores[0] if rows.coarse == 0.0 else score(rows, i, run.v)
    return _found(sign_by_score(s, rows.norms[i], bounds, run.grid), rows.labels[i], run.tie)


@find_exactly.register(Binary)
def _(run, i, bounds):
    m = gather(run.rows, i, run.buffers)
    return _found(sign_of_score(run.parts, run.loss, run.buffers, m), run.rows.labels[i], run.tie)


@kernel(inline=True)
def _found(sign, label, tie):
    """Return what the sign of a score, times its label, says of the row."""
    if sign == UNKNOWN:
        return OPEN
    return MISTAKEN if is_mistake(sign, label, tie) else RIGHT


@kernel(inline=True)
def sign_by_score(s, norm, bounds, grid):
    """Return the certain sign of a score whose float is ``s``, for a row of this norm at most, or `UNKNOWN`."""
    bound = (norm * bounds.B + bounds.floor) * (1.0 + 16 * UNIT)
    if s > bound:
        return 1
    if s < -bound:
        return -1
    if grid > 0.0 and bounds.W * norm <= grid:
        return 1 if s > 0.0 else (-1 if s < 0.0 else 0)
    return UNKNOWN


@settle.register(Binary)
def _(run, roomy, start, stop, counts):
    w, loss, settled = run.parts, run.loss, run.settled
    for t in range(start, stop):
        i = run.pending[t]
        count = counts[i] - settled[i]
        if count == 0:
            continue
        settled[i] = counts[i]
        if roomy:
            add_exactly(run.rows, i, float(count), w[0], w[1])
        else:
            m = gather(run.rows, i, run.buffers)
            _add_steps(run.steps, i, float(count), run.buffers, m, w, loss)


@kernel
def _add_steps(steps, i, c, buffers, m, w, loss):
    """Add c times the step on row i, which is gathered, to the exact weights."""
    if steps is None:
        add_multiple(buffers, m, c, w, loss)
    else:
        for step in (steps.high[i], steps.low[i]):
            p, rest = two_product(c, step)
            if p != 0.0:
                add_multiple(buffers, m, p, w, loss)
            if rest != 0.0:
                add_multiple(buffers, m, rest, w, loss)


@kernel
def settle_in_bulk(run, pending, counts, cut, high, low):
    """Add up the rows of ``pending``, each listed once, with their unsettled counts, into ``high + low``."""
    settled = run.settled
    for t in range(pending.shape[0]):
        i = pending[t]
        count = float(counts[i] - settled[i])
        settled[i] = counts[i]
        tally(run.rows, i, count, cut, high, low)


@find_bounds.register(Binary)
def _(run, q):
    rows, S = run.rows, run.largest_step
    gamma = SCORE_SLACK * (rows.longest + 4) * UNIT / (1.0 - (rows.longest + 4) * UNIT)
    W, lost = norm_and_loss(run.parts, run.loss)
    W = math.sqrt(W * W + q * S * S) * (1.0 + 16 * UNIT)
    drift = q * (UPDATE_SLACK * UNIT * (W + S) + rows.longest * UNDERFLOW) + lost
    roomy = run.steps is None and W + q * S <= run.room
    floor = (rows.longest + 4) * UNDERFLOW
    B = (gamma * (W + drift) + drift) * (1.0 + 16 * UNIT)
    if run.grid > 0.0 and W * rows.radius <= run.grid:
        B = floor = 0.0
    T = (rows.radius * B + floor) * (1.0 + 16 * UNIT)
    if rows.coarse > 0.0:
        T += COARSE_SLACK * (W + drift) * (rows.coarse * rows.radius + SCREEN_UNDERFLOW * rows.longest)
    return Bounds(W, B, T, floor, roomy)


@kernel
def count_mistakes(Z, y, orders, lengths, tie, limit, w, counts):
    """Run from zero through each order over and over until a pass is without a mistake; count the mistakes of each.

    Plain loops in whole numbers of 64 bits, for many short runs on a few short rows. ``Z`` has the signed, lifted rows and
    ``y`` their labels; order r is ``orders[r, :lengths[r]]``, and ``w`` has room for the weights. A run with more mistakes
    than ``limit`` ends there and counts as ``limit + 1``. Whoever calls makes sure that ``(limit + 1) * ||z||**2`` fits.
    """
    for r in range(orders.shape[0]):
        w[:] = 0
        k, last, t = 0, 0, 0  # mistakes; visits since the last one; the visit at hand
        while last < lengths[r] and k <= limit:
            i = orders[r, t]
            s = 0
            for j in range(w.shape[0]):
                s += w[j] * Z[i, j]
            sign = 1 if s > 0 else -1 if s < 0 else 0
            last += 1
            if is_mistake(sign, y[i], tie):
                k += 1
                last = 0
                for j in range(w.shape[0]):
                    w[j] += Z[i, j]
            t += 1
            if t == lengths[r]:
                t = 0
        counts[r] = k
