"""The run of the perceptron as a machine: visits to rows in order, an update at each mistake, every decision proved.

The machine is one, and what it does at a visit is a function with a body for each kind of run, `binary_run.Binary` and
`multiclass_run.Multiclass`. Its phases:

1. *Sweep.* A hot loop on plain float weights passes rows that are certainly right and learns from certain mistakes. It
   stops at a row that its bounds leave open, the suspect, or before a mistake too many.
2. *Float scores.* The suspect is looked at again, with bounds of its own.
3. *Proof.* The exact weights are brought up to date, and decide; if they cannot, whoever called does, with integers.
4. *Mistake.* The plain weights take up the row, and it is noted for the exact ones, and for the record.
5. *Renewal.* Bounds hold for a budget of mistakes. When it is spent, whoever called settles the exact weights; then the
   plain ones become their first part again, and new bounds are found.

What a visit finds is one number: `RIGHT`, `OPEN`, or the class that the row is mistaken for.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .compilation import by_type, kernel
from .signs import OPEN

RIGHT = -1
"""Found at a visit: the row is right."""

MISTAKEN = 0
"""Found at a visit, of two classes: the row is a mistake, for the only other class there is."""

# Where numbers stand in `state`: the position in the pass; the mistakes of the pass and of all; passes that are over;
# suspects so far; rows owed to the exact weights; visits before the pass; and the mistakes at which bounds are renewed.
POSITION, PASS_MISTAKES, MISTAKES, PASSES, SUSPECTS, OWED, VISITS_BEFORE, BUDGET = range(8)

STATE_SIZE = 8

SUSPECTS_BEFORE_GRID = 64
"""Suspects to settle one by one before asking for the grid, which costs a pass over all numbers."""


class Stop(IntEnum):
    """Why a run stopped."""

    FINISHED = 0
    """The passes asked for are over."""
    CLEAN = 1
    """A whole pass was without a mistake."""
    LIMITED = 2
    """The visit at hand is a mistake, and one more than allowed."""
    PAUSED = 3
    """The visits allowed in one call are over."""
    UNDECIDED = 4
    """The visit at hand takes exact integers."""
    SPENT = 5
    """The visit at hand is a mistake, and one more than the bounds hold for: settle the exact weights."""
    UNGRIDDED = 6
    """Suspects abound, and whether the numbers lie on a grid is not known."""
    MISSING = 7
    """In a run by kernels: the row at hand is a mistake, and its row of the Gram matrix is not in the cache."""


class Steps(NamedTuple):
    """The multiples of ``z_i`` that updates add: ``high[i] + low[i]``."""

    high: np.ndarray
    low: np.ndarray


class Bounds(NamedTuple):
    """What holds for the weights through a budget of mistakes."""

    W: float
    """Upper bound of ``||w||``."""
    B: float
    """Upper bound of the error of a float score, relative to the length of the row; 0.0 where float scores are exact."""
    T: float
    """Upper bound of the error of what the hot loop looks at, for any row."""
    floor: float
    """Upper bound of what underflow may add to the error of a float score."""
    roomy: bool
    """Whether two parts hold the weights exactly."""


class Record(NamedTuple):
    """What a run keeps of its mistakes; an array of what it does not keep is empty."""

    counts: np.ndarray
    """Mistakes on each row; of several classes, for each row and class, how often the one was added to the other."""
    trace: np.ndarray
    """The rows erred on, as far as there is room."""
    times: np.ndarray
    """Beside the trace, the number of the visit."""
    sums: np.ndarray
    """For each count, the numbers of the visits added up."""
    per_visit: bool
    """Whether visits are numbered, from 1, or else mistakes."""


class Stretch(NamedTuple):
    """Which visits to make in one sweep."""

    start: int
    stop: int
    """They go through ``order[start:stop]``, or through the rows as they stand if there is no order."""
    quota: int
    """The number of mistakes in all at which to stop."""
    visits_before: int
    """Visits before ``order[0]``, for numbering them."""


@by_type
def settle(run, roomy, start, stop, counts):
    """Bring the exact weights up to date with ``pending[start:stop]``; ``roomy`` is whether two parts hold the sums."""


@by_type
def find_bounds(run, q):
    """Return the `Bounds` for the settled weights and through q more mistakes."""


@by_type(inline=True)
def sweep(run, order, record, bounds, stretch, owed, k):
    """Visit rows, and update at certain mistakes, until a row is suspect or ``k`` mistakes have reached the quota.

    Returns the position of the last visit (the stop if no row was suspect), the number of rows owed to the exact
    weights, and ``k``. The scores of the suspect are left in ``run.scores``.
    """


@by_type(inline=True)
def find_by_scores(run, i, bounds):
    """Return what float scores say of row i, at which the last sweep stopped, with bounds of its own."""


@by_type
def find_exactly(run, i, bounds):
    """Return what the settled exact weights say of row i."""


@by_type(inline=True)
def err(run, i, found, record, owed, k, number):
    """Learn from mistake number k, on row i at visit ``number``, in the plain weights; note it for the exact ones."""


@kernel(inline=True)
def step_of(steps, i):
    """Return the multiple of row i that plain weights take up: 1 without ``steps``."""
    return 1.0 if steps is None else steps.high[i]


@kernel(inline=True)
def number_of(per_visit, visits_before, position, k):
    """Return the number of a visit, or of a mistake."""
    return visits_before + (position if per_visit else k) + 1


@kernel(inline=True)
def keep(array, k, number):
    """Write a number into an array, if that has room for it."""
    if k < array.shape[0]:
        array[k] = number


@kernel
def bounds_held(numbers):
    """Return the bounds that a run holds as five numbers."""
    return Bounds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] == 1.0)


@kernel
def hold(numbers, bounds):
    """Keep bounds as five numbers."""
    numbers[0], numbers[1], numbers[2], numbers[3] = bounds.W, bounds.B, bounds.T, bounds.floor
    numbers[4] = 1.0 if bounds.roomy else 0.0


@kernel
def advance(run, order, record, state, passes, limit, visits, known):
    """Go on with a run, in place, until there is a reason to stop; return the value of that `Stop`.

    ``order`` holds the rows of a pass (None: as they stand). The weights of the run, the record and the state are changed;
    the exact weights are left unsettled, but are settled where the budget of mistakes is spent at the beginning. ``passes``
    and ``limit`` bound passes and mistakes since the beginning of the run, ``visits`` this call. ``known`` is what exact
    integers have found of the row at the present position, else `OPEN`.
    """
    n = run.rows.norms.shape[0] if order is None else order.shape[0]
    position, here, k, done = state[POSITION], state[PASS_MISTAKES], state[MISTAKES], state[PASSES]
    owed, before, budget = state[OWED], state[VISITS_BEFORE], state[BUDGET]
    q = run.pending.shape[-1]
    bounds = bounds_held(run.bounds)
    if k >= budget:
        budget = k + q
        for j in range(run.v.shape[0]):
            run.v[j] = run.parts[0, j]
        bounds = find_bounds(run, q)
        hold(run.bounds, bounds)
    reason = Stop.FINISHED
    while done < passes:
        stop = min(n, position + visits)
        while True:
            found = known
            known = OPEN
            swept = found == OPEN
            if swept:
                stretch = Stretch(position, stop, min(budget, limit), before)
                at, owed, now = sweep(run, order, record, bounds, stretch, owed, k)
                visits -= at - position
                position = at
                here += now - k
                k = now
                if at == stop:
                    break
            i = position if order is None else order[position]
            if swept:
                found = find_by_scores(run, i, bounds)
                if found == OPEN:
                    state[SUSPECTS] += 1
                    if math.isnan(run.grid) and state[SUSPECTS] > SUSPECTS_BEFORE_GRID:
                        reason = Stop.UNGRIDDED
                        break
                    settle(run, bounds.roomy, 0, owed, record.counts)
                    owed = 0
                    found = find_exactly(run, i, bounds)
                    if found == OPEN:
                        reason = Stop.UNDECIDED
                        break
            if found != RIGHT:
                if k >= limit:
                    reason = Stop.LIMITED
                    break
                if k >= budget:
                    reason = Stop.SPENT
                    break
                err(run, i, found, record, owed, k, number_of(record.per_visit, before, position, k))
                owed += 1
                here += 1
                k += 1
            position += 1
            visits -= 1
        if reason != Stop.FINISHED:
            break
        if position < n:
            reason = Stop.PAUSED
            break
        position = 0
        if record.per_visit:
            before += n
        done += 1
        clean = here == 0
        here = 0
        if clean:
            reason = Stop.CLEAN
            break
    state[POSITION], state[PASS_MISTAKES], state[MISTAKES], state[PASSES] = position, here, k, done
    state[OWED], state[VISITS_BEFORE], state[BUDGET] = owed, before, budget
    return reason.value  # members of an enumeration take longer to be made for Python
