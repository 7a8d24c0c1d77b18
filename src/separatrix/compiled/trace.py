"""A walk along the trace of a run: whether each step is a mistake, and how long and how well aligned the weights are.

The weights are held as unevaluated sums of floats, exact as long as ``loss`` is 0, as in `binary_run`.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import UNDERFLOW, UNIT, add_multiple, norm_and_loss
from .rows import Buffers, CsrRows, DenseRows, add_exactly, gather, score
from .signs import UNKNOWN, is_mistake, sign_of_score

# Where numbers stand in `state`: steps taken, marks and snapshots passed, the first step that is no mistake (0: none), how
# many are none, and at how many the score is exactly 0.
STEP, MARK, SHOT, FIRST_WRONG, WRONG, ZERO = range(6)

WALK_SLACK = 2.0
"""Coefficient of ``(m + 4) * UNIT * ||w|| ||z||`` in the error of a float score of the first part of the weights."""


class WalkStop(IntEnum):
    """Why a walk stopped."""

    ARRIVED = 0
    """The trace is at its end."""
    UNDECIDED = 1
    """Exact integers must find the sign of a score."""


class Walker(NamedTuple):
    """Weights that follow a trace."""

    rows: DenseRows | CsrRows
    multiples: np.ndarray | None
    """For each row what a step adds of it, as a sum of two floats; None: the row itself."""
    roomy: bool
    """Whether two parts hold all sums."""
    tie: int
    """The tie rule."""
    parts: np.ndarray
    loss: np.ndarray
    buffers: Buffers


class Marks(NamedTuple):
    """Where lengths and products are measured."""

    steps: np.ndarray
    """After how many steps, ascending."""
    star: np.ndarray
    """What the weights are multiplied with."""
    star_loss: np.ndarray
    """Upper bound of its error, for each column."""
    measured: np.ndarray
    """For each mark a column of what `measure` returns."""


class Snapshots(NamedTuple):
    """Where the weights are kept."""

    steps: np.ndarray
    """After how many steps, ascending."""
    parts: np.ndarray
    exact: np.ndarray
    """Whether the parts are all of the weights."""


@kernel
def measure(w, loss, star, star_loss):
    """Return ``||w||^2`` with a bound of its error, and ``star.w`` with one."""
    m = w.shape[1]
    squares = products = 0.0
    unheld = sizes = unknown = 0.0
    for j in range(m):
        high = w[0, j]
        rest = 1.01 * loss[j]
        for part in range(1, w.shape[0]):
            rest += abs(w[part, j])
        squares += high * high
        unheld += (2.0 * abs(high) + rest) * rest
        products += star[j] * high
        sizes += abs(star[j] * high)
        unknown += abs(star[j]) * rest + star_loss[j] * (abs(high) + rest)
    slack = (m + 4) * UNIT
    grown = 1.0 + (4 * m + 32) * UNIT
    floor = 4 * (m + 4) * UNDERFLOW
    return squares, (slack * squares + unheld) * grown + floor, products, (slack * sizes + unknown) * grown + floor


@kernel
def walk(walker, trace, marks, snapshots, state, known):
    """Follow the trace from where the state says, in place, until it ends or a sign is not certain; return why.

    Before each step the sign of the score is proved, and the state counts the steps that are no mistakes under the tie
    rule. ``known`` is the sign of the next score, if exact integers found it. The weights of the walker, the state, and
    what is to be filled at marks and snapshots are changed.
    """
    rows, w, loss, roomy = walker.rows, walker.parts, walker.loss, walker.roomy
    relative = WALK_SLACK * (rows.longest + 4) * UNIT
    floor = (rows.longest + 4) * UNDERFLOW
    steps_per_norm = w.shape[1] // max(1, rows.longest) + 1 if roomy else 1
    since = steps_per_norm
    W = lost = 0.0
    t, mark, shot = state[STEP], state[MARK], state[SHOT]
    reason = WalkStop.ARRIVED
    while t < trace.shape[0]:
        i = trace[t]
        if since >= steps_per_norm:
            since = 0
            W, lost = norm_and_loss(w, loss)
        sign = known
        known = UNKNOWN
        if sign == UNKNOWN:
            s = score(rows, i, w[0])
            bound = (rows.norms[i] * (relative * W + lost) + floor) * (1.0 + 16 * UNIT)
            if bound < s < math.inf:
                sign = 1
            elif -math.inf < s < -bound:
                sign = -1
            else:
                sign = sign_of_score(w, loss, walker.buffers, gather(rows, i, walker.buffers))
                if sign == UNKNOWN:
                    reason = WalkStop.UNDECIDED
                    break
        if not is_mistake(sign, rows.labels[i], walker.tie):
            if state[WRONG] == 0:
                state[FIRST_WRONG] = t + 1
            state[WRONG] += 1
        if sign == 0:
            state[ZERO] += 1
        if roomy:
            add_exactly(rows, i, 1.0, w[0], w[1])
            W = (W + rows.norms[i]) * (1.0 + 4 * UNIT)
        else:
            m = gather(rows, i, walker.buffers)
            _add_step(walker.multiples, i, walker.buffers, m, w, loss)
        since += 1
        t += 1
        if mark < marks.steps.shape[0] and t == marks.steps[mark]:
            a, b, c, d = measure(w, loss, marks.star, marks.star_loss)
            measured = marks.measured
            measured[0, mark], measured[1, mark], measured[2, mark], measured[3, mark] = a, b, c, d
            mark += 1
        if shot < snapshots.steps.shape[0] and t == snapshots.steps[shot]:
            exact = True
            for j in range(w.shape[1]):
                exact = exact and loss[j] == 0.0
                for part in range(w.shape[0]):
                    snapshots.parts[shot, part, j] = w[part, j]
            snapshots.exact[shot] = exact
            shot += 1
    state[STEP], state[MARK], state[SHOT] = t, mark, shot
    return reason


@kernel
def _add_step(multiples, i, buffers, m, w, loss):
    """Add the step on row i, which is gathered, to the weights."""
    if multiples is None:
        add_multiple(buffers, m, 1.0, w, loss)
    else:
        for multiple in (multiples[0, i], multiples[1, i]):
            if multiple != 0.0:
                add_multiple(buffers, m, multiple, w, loss)
