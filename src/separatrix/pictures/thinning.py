"""Which rows a picture shows, where it cannot show all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._types import Indices
from ..support.counts import counted

MOST_POINTS = 2_000
"""More points are a blot, and make files large."""

MOST_STEPS = 2_000
"""Values of a long series that are shown: more than a picture has dots across."""

_SEED = 0


def chosen_rows(codes: Indices, first: Sequence[int] | Indices = (), most: int = MOST_POINTS) -> tuple[Indices, str | None]:
    """Choose at most so many rows, in order, and say what is left out: those to be shown first, then some of each class.

    The others are drawn at random, always the same, and as many of each class as its share, but at least one.

    >>> rows, note = chosen_rows(np.repeat([0, 1], [9_000, 1_000]), first=[42], most=100)
    >>> rows.size, 42 in rows, note
    (100, True, '100 of 10,000 rows are shown, drawn at random from each class.')
    """
    n = codes.size
    if n <= most:
        return np.arange(n), None
    kept = np.unique(np.asarray(first, np.int64))
    if kept.size > most:
        kept = kept[np.linspace(0, kept.size - 1, most).astype(np.int64)]
    shown = np.zeros(n, bool)
    shown[kept] = True
    room = most - kept.size
    rng = np.random.default_rng(_SEED)
    left = [np.flatnonzero((codes == code) & ~shown) for code in np.unique(codes)]
    for rows, share in zip(left, _shares([rows.size for rows in left], room), strict=True):
        shown[rng.choice(rows, share, replace=False)] = True
    beside = f" beside {counted(kept.size, 'row')} that the picture is about" if kept.size > 1 else ""
    return np.flatnonzero(shown), f"{most:,} of {n:,} rows are shown, drawn at random from each class{beside}."


def chosen_steps(size: int, most: int = MOST_STEPS) -> Indices:
    """Choose at most so many places of a long series, evenly, the first and the last among them.

    >>> chosen_steps(3), chosen_steps(1_000_001, 3)
    (array([0, 1, 2]), array([      0,  500000, 1000000]))
    """
    return np.arange(size) if size <= most else np.unique(np.linspace(0, size - 1, most).round().astype(np.int64))


def _shares(sizes: list[int], room: int) -> list[int]:
    """Divide the room in proportion, at least one for each while there is room, with nothing left over."""
    total = sum(sizes)
    shares = [min(size, max(1, room * size // total)) for size in sizes]
    order = sorted(range(len(sizes)), key=lambda k: -sizes[k])
    while sum(shares) > room:
        k = max(order, key=lambda k: shares[k])
        shares[k] -= 1
    for k in order:
        shares[k] += min(sizes[k] - shares[k], room - sum(shares))
    return shares
