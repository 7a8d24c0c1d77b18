"""The run of the perceptron for several classes: one vector of weights for each, laid end to end (Kesler's construction).

A row x of class c against a rival r is the row ``(…, x, …, -x, …)``, x in the place of c and -x in that of r: its score is
the difference of two scores, and a mistake adds it to all weights. So the bounds are those of `binary_run`, for rows that
are ``sqrt(2)`` times as long, and signs, sums and rules are shared with it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .binary_run import UPDATE_SLACK
from .compilation import kernel
from .error_free import UNDERFLOW, UNIT, add_multiple, norm_and_loss
from .largest import PAIR_NORM, Table, compare, leader, pair
from .rows import Buffers, CsrRows, DenseRows, add, add_exactly, gather, score
from .run import (
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
from .signs import OPEN, UNKNOWN, loses_tie, prefers_last

PAIR_SLACK = 1.0
"""Coefficient of the error of a difference of float scores; a test weakens it and sees a wrong run."""


class Multiclass(NamedTuple):
    """A run for several classes, as kernels take it; what is not explained here is as in `binary_run.Binary`."""

    rows: DenseRows | CsrRows
    codes: np.ndarray
    """The classes of the rows."""
    steps: Steps | None
    largest_step: float
    tie: int
    grid: float
    room: float
    parts: np.ndarray
    loss: np.ndarray
    row: Buffers
    """Room for a row."""
    pair: Buffers
    """Room for a row in the place of its class, and its opposite in that of a rival."""
    pending: np.ndarray
    """Rows erred on, and their rivals, since the exact weights were settled."""
    v: np.ndarray
    vectors: np.ndarray
    """The plain weights of each class: ``v`` as a matrix."""
    bounds: np.ndarray
    scores: np.ndarray
    """The scores of all classes, for the row at which the last sweep stopped."""


@kernel(inline=True)
def _bound(norm, bounds):
    """Upper bound of the error of a difference of float scores of a row of this norm at most."""
    return (norm * bounds.B + bounds.floor) * (1.0 + 16 * UNIT)


@kernel(inline=True)
def _certain(scores, c, bound):
    """Return the rival that a row of class c is mistaken for, or `RIGHT`, if that is certain, else `OPEN`."""
    r = OPEN
    first = second = -np.inf
    for a in range(scores.shape[0]):
        if a != c:
            if scores[a] > first:
                first, second, r = scores[a], first, a
            elif scores[a] > second:
                second = scores[a]
    if scores[c] - first > bound:
        return RIGHT
    return r if scores[c] - first < -bound and first - second > bound else OPEN


@kernel
def _rival(table, scores, bound, m, width, c, tie):
    """Return the rival that a row of class c, gathered, is mistaken for, `RIGHT` or `OPEN`; without a bound floats tell."""
    r, other = leader(table, scores, bound, m, width, c)
    if r == OPEN:
        return OPEN
    sign = compare(table, scores, bound, m, width, c, r)
    if sign == UNKNOWN:
        return OPEN
    if sign != 0:
        return RIGHT if sign > 0 else r
    return r if loses_tie(c, other if prefers_last(tie) else r, tie) else RIGHT


@sweep.register(Multiclass)
def _(run, order, record, bounds, stretch, owed, k):
    rows, vectors, scores = run.rows, run.vectors, run.scores
    position = stretch.start
    while position < stretch.stop:
        i = position if order is None else order[position]
        for a in range(vectors.shape[0]):
            scores[a] = score(rows, i, vectors[a])
        found = _certain(scores, run.codes[i], _bound(run.rows.norms[i], bounds))
        if found != RIGHT:
            if k >= stretch.quota or found == OPEN:
                break
            err(run, i, found, record, owed, k, number_of(record.per_visit, stretch.visits_before, position, k))
            owed += 1
            k += 1
        position += 1
    return position, owed, k


@find_by_scores.register(Multiclass)
def _(run, i, bounds):
    bound, c = _bound(run.rows.norms[i], bounds), run.codes[i]
    if bound == 0.0:
        table, none = Table(run.parts, run.loss, run.row, run.pair), np.int64(0)
        return _rival(table, run.scores, bound, none, run.vectors.shape[1], c, run.tie)
    return _certain(run.scores, c, bound)


@find_exactly.register(Multiclass)
def _(run, i, bounds):
    bound, c, m = _bound(run.rows.norms[i], bounds), run.codes[i], gather(run.rows, i, run.row)
    table = Table(run.parts, run.loss, run.row, run.pair)
    return _rival(table, run.scores, bound, m, run.vectors.shape[1], c, run.tie)


@err.register(Multiclass)
def _(run, i, found, record, owed, k, number):
    c, step = run.codes[i], step_of(run.steps, i)
    add(run.rows, i, step, run.vectors[c])
    add(run.rows, i, -step, run.vectors[found])
    record.counts[i, c] += 1
    record.counts[i, found] -= 1
    keep(record.trace, k, i)
    keep(record.times, k, number)
    if i < record.sums.shape[0]:
        record.sums[i, c] += number
        record.sums[i, found] -= number
    run.pending[0, owed], run.pending[1, owed] = i, found


@settle.register(Multiclass)
def _(run, roomy, start, stop, counts):
    w, loss, width = run.parts, run.loss, run.vectors.shape[1]
    for t in range(start, stop):
        i, r = run.pending[0, t], run.pending[1, t]
        c = run.codes[i]
        if roomy:
            for a, sign in ((c, 1.0), (r, -1.0)):
                high, low = w[0, a * width : (a + 1) * width], w[1, a * width : (a + 1) * width]
                add_exactly(run.rows, i, sign, high, low)
        else:
            m = pair(Table(run.parts, run.loss, run.row, run.pair), gather(run.rows, i, run.row), width, c, r)
            _add_step(run.steps, i, run.pair, m, w, loss)


@kernel
def _add_step(steps, i, buffers, m, w, loss):
    """Add the step on row i, whose pair of rows is laid out, to the exact weights."""
    if steps is None:
        add_multiple(buffers, m, 1.0, w, loss)
    else:
        for step in (steps.high[i], steps.low[i]):
            if step != 0.0:
                add_multiple(buffers, m, step, w, loss)


@find_bounds.register(Multiclass)
def _(run, q):
    S, longest = PAIR_NORM * run.largest_step, 2 * run.rows.longest + 4
    gamma = PAIR_SLACK * longest * UNIT / (1.0 - longest * UNIT)
    W, lost = norm_and_loss(run.parts, run.loss)
    W = math.sqrt(W * W + q * S * S) * (1.0 + 16 * UNIT)
    drift = q * (2.0 * UPDATE_SLACK * UNIT * (W + S) + longest * UNDERFLOW) + lost
    roomy = run.steps is None and W + q * S <= run.room
    floor = longest * UNDERFLOW
    B = PAIR_NORM * (gamma * (W + drift) + drift) * (1.0 + 16 * UNIT)
    if run.grid > 0.0 and W * PAIR_NORM * run.rows.radius <= run.grid:
        B = floor = 0.0
    return Bounds(W, B, math.inf, floor, roomy)  # no T: each row has its own bound
