"""A walk along the trace of a run: whether each step is a mistake, and how long and how well aligned the weights are.

The weights are held as unevaluated sums of floats, exact as long as ``loss`` is 0, as in `visits`.
"""

from __future__ import annotations

import math

from .compilation import kernel
from .error_free import UNDERFLOW, UNIT
from .rows import add_exactly, add_multiple, gather, score
from .signs import UNKNOWN, is_mistake, sign_of_score

ARRIVED, UNDECIDED = 0, 1
"""Why a walk stops: at the end of the trace, or at a score whose sign exact integers must find."""

PLACE, MARK, SHOT, FIRST_WRONG, WRONG = range(5)
"""Places of the state: steps taken, marks and snapshots passed, the first step that is no mistake (0: none), how many."""

WALK_SLACK = 2.0
"""Coefficient of ``(m + 4) * UNIT * ||w|| ||z||`` in the error of a float score of the first part of the weights."""


@kernel
def _length(w, loss):
    """Upper bounds of ``||w||`` and of what is lost."""
    s = 0.0
    lost = 0.0
    m = w.shape[1]
    for j in range(m):
        s += w[0, j] * w[0, j]
        lost += loss[j]
    lost *= 1.01  # the losses are themselves rounded sums, of fewer than 2**40 terms
    return math.sqrt((s + m * UNDERFLOW) * (1.0 + (2 * m + 16) * UNIT)) * (1.0 + 16 * UNIT) + lost, lost


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
def walk(
    rows, trace, steps, roomy, tie, w, loss, star, star_loss, marks, shots, measured, snapshots, whole, columns, entries,
    terms, state, known,
):  # fmt: skip
    """Follow the trace from where the state says, in place, until it ends or a sign is not certain; return why.

    Step t adds ``steps[trace[t]]`` (None: 1) times the row to ``w``; ``roomy`` says that two parts hold all sums. Before
    each step the sign of the score is proved, and the state counts the steps that are no mistakes under the tie rule.
    After ``marks[c]`` steps column c of ``measured`` gets the square of the length, its error, the product with
    ``star`` (known up to ``star_loss``) and its error; after ``shots[c]`` steps ``snapshots[c]`` gets the weights and
    ``whole[c]`` whether they are exact. ``known`` is the sign of the next score, if exact integers found it.
    """
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    signs, constant = rows.signs, rows.constant
    relative = WALK_SLACK * (rows.longest + 4) * UNIT
    floor = (rows.longest + 4) * UNDERFLOW
    patience = w.shape[1] // max(1, rows.longest) + 1 if roomy else 1
    since = patience
    W = lost = 0.0
    t, mark, shot = state[PLACE], state[MARK], state[SHOT]
    reason = ARRIVED
    while t < trace.shape[0]:
        i = trace[t]
        if since >= patience:
            since = 0
            W, lost = _length(w, loss)
        sign = known
        known = UNKNOWN
        if sign == UNKNOWN:
            s = score(matrix, data, indices, indptr, signs, constant, i, w[0])
            bound = (rows.norms[i] * (relative * W + lost) + floor) * (1.0 + 16 * UNIT)
            if bound < s < math.inf:
                sign = 1
            elif -math.inf < s < -bound:
                sign = -1
            else:
                m = gather(matrix, data, indices, indptr, signs, constant, i, columns, entries)
                sign = sign_of_score(w, loss, columns, entries, m, terms)
                if sign == UNKNOWN:
                    reason = UNDECIDED
                    break
        if not is_mistake(sign, rows.labels[i], tie):
            if state[WRONG] == 0:
                state[FIRST_WRONG] = t + 1
            state[WRONG] += 1
        if roomy:
            add_exactly(matrix, data, indices, indptr, signs, constant, i, 1.0, w[0], w[1])
            W = (W + rows.norms[i]) * (1.0 + 4 * UNIT)
        else:
            m = gather(matrix, data, indices, indptr, signs, constant, i, columns, entries)
            if steps is None:
                add_multiple(columns, entries, m, 1.0, w, loss)
            else:
                for step in (steps[0, i], steps[1, i]):
                    if step != 0.0:
                        add_multiple(columns, entries, m, step, w, loss)
        since += 1
        t += 1
        if mark < marks.shape[0] and t == marks[mark]:
            a, b, c, d = measure(w, loss, star, star_loss)
            measured[0, mark], measured[1, mark], measured[2, mark], measured[3, mark] = a, b, c, d
            mark += 1
        if shot < shots.shape[0] and t == shots[shot]:
            exact = True
            for j in range(w.shape[1]):
                exact = exact and loss[j] == 0.0
                for part in range(w.shape[0]):
                    snapshots[shot, part, j] = w[part, j]
            whole[shot] = exact
            shot += 1
    state[PLACE], state[MARK], state[SHOT] = t, mark, shot
    return reason
