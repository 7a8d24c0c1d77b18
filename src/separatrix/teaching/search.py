"""The search for rows on which the perceptron makes a given number of mistakes: climbing, and where it can be, all of them.

Rows of a placement have the margin and the radius by their place; which of them are taken, and in which order they are
visited, is changed a little at a time, always towards the number of mistakes asked for. What is found depends on the seed
alone, not on the speed of the machine, unless the time runs out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from .._types import Indices
from ..perceptron.short_runs import mistakes_of_orders
from ..support.clock import Clock
from .placement import Placement, Placer
from .request import Request

_MUTANTS = 48
"""Changes looked at in each step."""

_STEPS = 25
"""Steps of a climb that lead no higher, at most."""

_LONGEST = 8
"""Rows of an exercise whose number is not given, at most, unless margin, radius or dimension ask for more."""

_DRAWS = 20_000
"""Placements drawn before the search ends."""

_FEW_DRAWS = 10
"""Placements drawn where all sets of rows can be looked at instead."""

_FEW_ROWS = 6
"""Rows all orders of which are tried, where it is settled which rows they are."""

_MAX_SETS = 300_000
"""Sequences of rows that are looked at one by one."""

Found = tuple[Indices, Indices]
"""Rows and labels, in the order of visits."""


def candidates(request: Request, rng: np.random.RandomState, clock: Clock) -> Iterator[Found]:
    """Draw rows with as many mistakes as asked for; margin and radius are meant to be right, and are to be checked."""
    placer = Placer(request, rng)
    for _ in range(_FEW_DRAWS if few_sets(request) else _DRAWS):
        clock.check()
        placement = placer.draw()
        if placement is None:
            continue
        chosen = _climb(request, placement, rng)
        if chosen is not None:
            yield placement.X[chosen], placement.y[chosen]


def few_sets(request: Request) -> int:
    """Return the number of all sequences of rows, if they are few enough to be looked at; else 0."""
    if request.rows is None:
        return 0
    points = (2 * request.largest + 1) ** request.dimension - (not request.intercept)
    number = math.perm(points, request.rows) * 2**request.rows if points < 10**6 else _MAX_SETS + 1
    return number if number <= _MAX_SETS else 0


def all_sets(request: Request, clock: Clock) -> Iterator[Found]:
    """Go through all sequences of different rows with as many mistakes as asked for and both classes."""
    assert request.rows is not None
    values = range(-request.largest, request.largest + 1)
    X = np.array([x for x in itertools.product(values, repeat=request.dimension) if request.intercept or any(x)], np.int64)
    both = Placement(np.vstack([X, X]), np.repeat([1, -1], len(X)), ())
    Z, signs = both.lifted(request.intercept), np.array(list(itertools.product([0, 1], repeat=request.rows)))
    lengths = np.full(len(signs), request.rows, np.int64)
    for points in itertools.permutations(range(len(X)), request.rows):
        clock.check()
        orders = np.array(points) + signs * len(X)
        counts = mistakes_of_orders(Z, both.y, orders, lengths, request.tie, request.mistakes)
        for order in orders[counts == request.mistakes]:
            if len(set(both.y[order].tolist())) == 2:
                yield both.X[order], both.y[order]


def _climb(request: Request, placement: Placement, rng: np.random.RandomState) -> Indices | None:
    """Choose rows and their order so that the mistakes are right; None if that does not succeed."""
    Z, y, core = placement.lifted(request.intercept), placement.y, placement.core
    pool, k = len(y), request.mistakes
    least = max(len(set(core)), 2) if request.rows is None else request.rows
    most = max(least + 1, _LONGEST) if request.rows is None else request.rows
    if len(set(core)) > most or pool < least:
        return None
    least, most = (max(least, min(4, pool)), min(most, pool)) if request.rows is None else (least, most)
    start = list(dict.fromkeys(core))
    if len(start) == most <= _FEW_ROWS:  # nothing to choose but the order
        return _ordered(request, Z, y, start, rng)
    others = [int(i) for i in rng.permutation(pool)[: 2 * most] if i not in core]
    size = int(rng.randint(least, most + 1))
    now = (start + others)[:size]
    if len(now) < size:
        return None
    rng.shuffle(now)
    now = _with_both(now, y, core, pool, rng)
    limit = 4 * k + 64
    gap: float = math.inf
    left = _STEPS
    while left:
        left -= 1
        tried = [now, *(_changed(now, core, pool, least, most, rng) for _ in range(_MUTANTS))]
        lengths = np.array([len(each) for each in tried], np.int64)
        orders = np.zeros((len(tried), most), np.int64)
        for order, each in zip(orders, tried, strict=True):
            order[: len(each)] = each
        counts = mistakes_of_orders(Z, y, orders, lengths, request.tie, limit)
        gaps = np.abs(counts - k).astype(float)
        gaps[[len(set(y[each].tolist())) < 2 for each in tried]] = math.inf
        best = int(rng.choice(np.flatnonzero(gaps == gaps.min())))
        if gaps[best] == 0.0:
            return np.array(tried[best], np.int64)
        if gaps[best] <= gap:
            left = _STEPS if gaps[best] < gap else left
            now, gap = tried[best], float(gaps[best])
    return None


def _ordered(request: Request, Z: Indices, y: Indices, rows: list[int], rng: np.random.RandomState) -> Indices | None:
    """Choose an order of these rows so that the mistakes are right."""
    if len(set(y[rows].tolist())) < 2:
        return None
    orders = np.array(list(itertools.permutations(rows)), np.int64)
    lengths = np.full(len(orders), len(rows), np.int64)
    counts = mistakes_of_orders(Z, y, orders, lengths, request.tie, request.mistakes)
    right = np.flatnonzero(counts == request.mistakes)
    return orders[rng.choice(right)] if right.size else None


def _with_both(now: list[int], y: Indices, core: tuple[int, ...], pool: int, rng: np.random.RandomState) -> list[int]:
    """Put a row of the other class in the place of one that may go, if all are of one."""
    free = [t for t, i in enumerate(now) if i not in core]
    if len(set(y[now].tolist())) == 2 or not free:
        return now
    now[int(rng.choice(free))] = int(rng.choice(np.flatnonzero(y != y[now[0]])))
    return now


def _changed(
    now: list[int], core: tuple[int, ...], pool: int, least: int, most: int, rng: np.random.RandomState
) -> list[int]:
    """Change a sequence a little: exchange two rows, put another row in the place of one, take one in or leave one out."""
    new, kind = list(now), int(rng.randint(6))
    a, b = (int(t) for t in rng.randint(len(new), size=2))
    other = int(rng.randint(pool))
    if kind == 0 and len(new) < most and other not in new:
        new.insert(a, other)
    elif kind == 1 and len(new) > least and new[a] not in core:
        del new[a]
    elif kind <= 3 and new[a] not in core and other not in new:
        new[a] = other
    else:
        new[a], new[b] = new[b], new[a]
    return new
