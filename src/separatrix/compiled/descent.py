"""Coordinate descent on the multipliers of rows, for hyperplanes of little violation."""

from __future__ import annotations

from .compilation import kernel
from .rows import add, score


@kernel
def descend(rows, order, squares, most, multipliers, w):
    """Set the multiplier of one row after the other to what is best for it; ``w`` stays the sum of all, times their rows.

    The best is where the score of the row is 1, or as near as a multiplier between 0 and ``most[i]`` allows. ``squares``
    are the squared lengths of the rows. Returns how many multipliers were changed.
    """
    changed = 0
    for k in range(order.shape[0]):
        i = order[k]
        if squares[i] > 0.0:
            now = multipliers[i]
            best = min(max(now + (1.0 - score(rows, i, w)) / squares[i], 0.0), most[i])
            if best != now:
                add(rows, i, best - now, w)
                multipliers[i] = best
                changed += 1
    return changed
