"""Corners of a polytope ``A x = b, x >= 0``, few equations in many unknowns: the simplex method, for costs and for supports.

In floating point: it proposes. Any corner is a start for any question, as only the questions change, not the polytope.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import SAFE_MATH

COST_TOLERANCE = 1e-10
"""A reduced cost counts as negative below minus this, and levels this close as equal."""

UNKNOWNS_PER_BLOCK = 2000
"""So many unknowns are looked at before one of them is taken."""

LEAST_PIVOT = 1e-8
"""The least entry to pivot on."""

LEAST_LEVEL = 1e-9
"""The least level of an unknown that counts as positive."""


class PivotStop(IntEnum):
    """Why `improve` came back."""

    OPTIMAL = 0
    """No unknown improves the sum of costs."""
    STUCK = 1
    """No pivot is safe."""
    LIMITED = 2
    """The pivots are used up."""


class Tableau(NamedTuple):
    """A basis of the unknowns. Those beyond the columns are artificial."""

    basis: np.ndarray
    """The unknowns of the basis."""
    inverse: np.ndarray
    """The inverse of their columns."""
    level: np.ndarray
    """Their values."""
    direction: np.ndarray
    """Room for the column of an unknown in terms of the basis."""


@kernel(fastmath=SAFE_MATH)
def _dot(a, b):
    s = 0.0
    for k in range(a.shape[0]):
        s += a[k] * b[k]
    return s


@kernel(fastmath=SAFE_MATH)
def _priced(columns, costs, prices, start, stop):
    """Return which of some unknowns has the most negative reduced cost; -1 if there is none."""
    entering, least = -1, -COST_TOLERANCE
    for j in range(start, stop):
        s = 0.0
        for k in range(columns.shape[1]):
            s += columns[j, k] * prices[k]
        reduced = costs[j] - s
        if reduced < least:
            entering, least = j, reduced
    return entering


@kernel
def _cheapest(columns, costs, prices, start):
    """Return an unknown with a negative reduced cost, the best of its block, looking from the block at ``start`` on; or -1.

    Also return where the block begins, which is where to go on looking.
    """
    count = columns.shape[0]
    seen = 0
    while seen < count:
        stop = min(count, start + UNKNOWNS_PER_BLOCK)
        entering = _priced(columns, costs, prices, start, stop)
        if entering >= 0:
            return entering, start
        seen += stop - start
        start = stop if stop < count else 0
    return -1, start


@kernel
def _blocks(k, basis, level, direction, count):
    """Whether the unknown at a place of the basis keeps another one from growing: an artificial one, once 0, stays so."""
    return direction[k] > LEAST_PIVOT or (basis[k] >= count and level[k] <= COST_TOLERANCE and direction[k] < -LEAST_PIVOT)


@kernel
def _leaving(basis, level, direction, count):
    """Return the place in the basis that reaches 0 first, of several the one with the largest entry; -1 if none does."""
    nearest = math.inf
    for k in range(level.shape[0]):
        if _blocks(k, basis, level, direction, count):
            nearest = min(nearest, max(0.0, level[k]) / abs(direction[k]))
    place, largest = -1, 0.0
    for k in range(level.shape[0]):
        size = abs(direction[k])
        if (
            size > largest
            and _blocks(k, basis, level, direction, count)
            and max(0.0, level[k]) <= (nearest + COST_TOLERANCE) * size
        ):
            place, largest = k, size
    return place


@kernel
def _exchange(tableau, entering, place):
    """Let an unknown, whose column in terms of the basis is the direction, enter the basis at a place."""
    basis, inverse, level, direction = tableau.basis, tableau.inverse, tableau.level, tableau.direction
    size = level.shape[0]
    step = max(0.0, level[place]) / direction[place]
    for i in range(size):
        level[i] = max(0.0, level[i] - step * direction[i])
    level[place] = step
    basis[place] = entering
    pivot = direction[place]
    for k in range(size):
        inverse[place, k] /= pivot
    for i in range(size):
        factor = direction[i]
        if i != place and factor != 0.0:
            for k in range(size):
                inverse[i, k] -= factor * inverse[place, k]


@kernel
def improve(columns, costs, artificial, tableau, prices, most):
    """Pivot, in place, until the sum of costs times unknowns is least or so many pivots are made.

    ``columns[j]`` is the column of unknown j; an unknown beyond them is artificial, with one cost for all. The ``prices``
    are the dual solution in the end.
    """
    basis, inverse, level, direction = tableau.basis, tableau.inverse, tableau.level, tableau.direction
    size, count = level.shape[0], columns.shape[0]
    start = 0
    for _ in range(most):
        for k in range(size):
            prices[k] = 0.0
        for i in range(size):
            cost = costs[basis[i]] if basis[i] < count else artificial
            if cost != 0.0:
                for k in range(size):
                    prices[k] += cost * inverse[i, k]
        entering, start = _cheapest(columns, costs, prices, start)
        if entering < 0:
            return PivotStop.OPTIMAL
        for i in range(size):
            direction[i] = _dot(inverse[i], columns[entering])
        place = _leaving(basis, level, direction, count)
        if place < 0:
            return PivotStop.STUCK
        _exchange(tableau, entering, place)
    return PivotStop.LIMITED


@kernel
def lighten(columns, loads, candidates, tableau, most):
    """Go from corner to neighbouring corner, in place, as long as the loads of the positive unknowns add up to less.

    Each step lets the best of the candidates enter the basis; there are at most so many steps. The sum of the loads of a
    support is no linear function, so that this finds a corner better than its neighbours, not the best of all.
    """
    basis, inverse, level, direction = tableau.basis, tableau.inverse, tableau.level, tableau.direction
    size, count = level.shape[0], columns.shape[0]
    now = 0.0
    for i in range(size):
        if level[i] > LEAST_LEVEL and basis[i] < count:
            now += loads[basis[i]]
    for _ in range(most):
        best, entering, where = now - LEAST_LEVEL, -1, -1
        for j in candidates:
            if loads[j] >= best:
                continue
            for i in range(size):
                direction[i] = _dot(inverse[i], columns[j])
            place = _leaving(basis, level, direction, count)
            if place < 0:
                continue
            step = max(0.0, level[place]) / direction[place]
            total = loads[j] if step > LEAST_LEVEL else 0.0
            for i in range(size):
                if i != place and basis[i] < count and level[i] - step * direction[i] > LEAST_LEVEL:
                    total += loads[basis[i]]
            if total < best:
                best, entering, where = total, j, place
        if entering < 0:
            break
        for i in range(size):
            direction[i] = _dot(inverse[i], columns[entering])
        _exchange(tableau, entering, where)
        now = best
