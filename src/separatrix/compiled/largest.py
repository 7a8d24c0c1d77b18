"""Which of several vectors of weights gives a row the largest score, proved.

The vectors are laid end to end. The score under one of them minus that under another is the score of a row that holds x in
the place of the one and -x in that of the other, so that its sign is found as any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import UNDERFLOW, UNIT
from .rows import Buffers, gather, score
from .signs import OPEN, UNKNOWN, sign_of_score

PAIR_NORM = 1.4143
"""More than the square root of 2, by which such a row is longer than x."""


class Table(NamedTuple):
    """Exact weights of all classes, as parts to be added up, with room for one row and for a pair of them."""

    parts: np.ndarray
    loss: np.ndarray
    row: Buffers
    pair: Buffers


@kernel
def pair(table, m, width, a, b):
    """Lay out the gathered row in the place of class a, and its opposite in that of class b; return the entries."""
    row, both = table.row, table.pair
    for t in range(m):
        both.columns[t] = a * width + row.columns[t]
        both.entries[t] = row.entries[t]
        both.columns[m + t] = b * width + row.columns[t]
        both.entries[m + t] = -row.entries[t]
    return 2 * m


@kernel
def compare(table, scores, bound, m, width, a, b):
    """Sign of the exact score of class a minus that of class b, or `UNKNOWN`; without a bound float scores are exact."""
    gap = scores[a] - scores[b]
    if gap > bound:
        return 1
    if gap < -bound:
        return -1
    if bound == 0.0 and gap == 0.0:
        return 0
    size = pair(table, m, width, a, b)
    return sign_of_score(table.parts, table.loss, table.pair, size)


@kernel
def leader(table, scores, bound, m, width, skipped):
    """Return the first and the last of the classes with the largest exact score, one of all skipped; or `OPEN` twice."""
    first = last = np.int64(-1)  # a literal would have other kernels compiled for it
    for k in range(scores.shape[0]):
        if k == skipped:
            continue
        sign = 1 if last < 0 else compare(table, scores, bound, m, width, k, last)
        if sign == UNKNOWN:
            return OPEN, OPEN
        if sign > 0:
            first = k
        if sign >= 0:
            last = k
    return first, last


@kernel
def find_leaders(rows, table, first, error, last, scores, result):
    """Fill ``result`` with the class of the largest exact score of each row, the first or the last among equals, or `OPEN`.

    ``first`` has a row of plain weights for each class; ``error * ||x_i||`` bounds the error of a difference of their
    scores. With a negative error only what is certain without exact weights is found.
    """
    width = first.shape[1]
    floor = (2 * rows.longest + 4) * UNDERFLOW
    for i in range(result.shape[0]):
        top, second, r = -np.inf, -np.inf, -1
        for a in range(first.shape[0]):
            s = score(rows, i, first[a])
            scores[a] = s
            if s > top:
                top, second, r = s, top, a
            elif s > second:
                second = s
        bound = (rows.norms[i] * abs(error) + floor) * (1.0 + 16 * UNIT)
        result[i] = OPEN
        if top - second > bound:
            result[i] = r
        elif error >= 0.0:
            m = gather(rows, i, table.row)
            leaders = leader(table, scores, bound, m, width, np.int64(-1))
            result[i] = leaders[1] if last else leaders[0]
