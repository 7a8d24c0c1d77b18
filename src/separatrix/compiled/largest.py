"""Which of several vectors of weights gives a row the largest score, proved.

The vectors are laid end to end. The score under one of them minus that under another is the score of a row that holds x in
the place of the one and -x in that of the other, so that its sign is found as any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import UNDERFLOW, UNIT
from .rows import gather, score
from .signs import UNKNOWN, sign_of_score

OPEN = -2
"""In place of a vector: exact integers must find out."""

PAIR_NORM = 1.4143
"""More than the square root of 2, by which such a row is longer than x."""


class Table(NamedTuple):
    """Exact weights of all classes, as parts to be added up, with room for one row and for a pair of them."""

    parts: np.ndarray
    loss: np.ndarray
    columns: np.ndarray
    entries: np.ndarray
    pair_columns: np.ndarray
    pair_entries: np.ndarray
    terms: np.ndarray


@kernel
def pair(table, m, width, a, b):
    """Lay out the gathered row in the place of class a, and its opposite in that of class b; return the entries."""
    for t in range(m):
        table.pair_columns[t] = a * width + table.columns[t]
        table.pair_entries[t] = table.entries[t]
        table.pair_columns[m + t] = b * width + table.columns[t]
        table.pair_entries[m + t] = -table.entries[t]
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
    return sign_of_score(table.parts, table.loss, table.pair_columns, table.pair_entries, size, table.terms)


@kernel
def leader(table, scores, bound, m, width, skipped, last):
    """Class with the largest exact score, one of them skipped; the first among equals, or the last; or `OPEN`."""
    top = -1
    for k in range(scores.shape[0]):
        if k == skipped:
            continue
        sign = 1 if top < 0 else compare(table, scores, bound, m, width, k, top)
        if sign == UNKNOWN:
            return OPEN
        if sign > 0 or (sign == 0 and last):
            top = k
    return top


@kernel
def find_leaders(rows, table, first, error, last, scores, width, result):
    """Fill ``result`` with the class of the largest exact score of each row, the first or the last among equals, or `OPEN`.

    ``first`` has a row of plain weights for each class; ``error * ||x_i||`` bounds the error of a difference of their
    scores. With a negative error only what is certain without exact weights is found.
    """
    matrix, data, indices, indptr = rows.matrix, rows.data, rows.indices, rows.indptr
    floor = (2 * rows.longest + 4) * UNDERFLOW
    for i in range(result.shape[0]):
        top, second, r = -np.inf, -np.inf, -1
        for a in range(first.shape[0]):
            s = score(matrix, data, indices, indptr, rows.signs, rows.constant, i, first[a])
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
            m = gather(
                matrix, data, indices, indptr, rows.signs, rows.constant, i, table.columns, table.entries
            )  # fmt: skip
            result[i] = leader(table, scores, bound, m, width, -1, last)
