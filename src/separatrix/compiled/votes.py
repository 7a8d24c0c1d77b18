"""The votes of all weights of a run: their scores of new rows, one mistake after another, and the certain signs of them.

The scores of weight vector k are those of the one before plus the products with the row of mistake k. What floats leave
open is listed, and decided on exact weights, which follow the trace in the same way.
"""

from __future__ import annotations

import numpy as np

from .compilation import kernel
from .error_free import UNIT
from .rows import add_multiple, gather
from .signs import sign_of_score


@kernel
def count(products, trace, lengths, tie, errors, floors, norms, scores, votes, place, doubtful):
    """Go on with the votes of weights ``place + 1`` and after; return how far it went and how many scores are doubtful.

    ``products[i, r]`` is the product of new row r, of length ``norms[r]`` at most, with row i. ``scores`` and ``votes``
    are changed: weights k add ``lengths[k]`` votes times the sign of their score, which is certain beyond
    ``errors[k] * norms[r] + floors[k]``. Where it is not, k and r are put into a column of ``doubtful``; it stops when
    there might not be room for another row of them. Without errors, zero is zero, and counts as ``tie``.
    """
    n = scores.shape[0]
    found = 0
    while place < trace.shape[0] and found + n <= doubtful.shape[1]:
        i = trace[place]
        place += 1
        length, error, floor = lengths[place], errors[place], floors[place]
        certain = 0
        for r in range(n):
            s = scores[r] + products[i, r]
            scores[r] = s
            bound = (error * norms[r] + floor) * (1.0 + 4 * UNIT)
            above, below = s > bound, s < -bound
            votes[r] += length * (np.int64(above) - np.int64(below))
            certain += above | below
        if certain < n and error == 0.0:
            for r in range(n):
                if scores[r] == 0.0:
                    votes[r] += length * tie
        elif certain < n:
            for r in range(n):
                bound = (error * norms[r] + floor) * (1.0 + 4 * UNIT)
                if not (abs(scores[r]) > bound):
                    doubtful[0, found] = place
                    doubtful[1, found] = r
                    found += 1
    return place, found


@kernel
def decide(rows, trace, w, loss, columns, entries, new, ks, rs, signs, new_columns, new_entries, terms):
    """Fill ``signs`` with those of the scores of new rows ``rs`` under weights ``ks``, which ascend, or `UNKNOWN`.

    ``w``, with its ``loss``, is 0 at first and follows the trace; buffers are for one row of each kind.
    """
    place = 0
    for t in range(ks.shape[0]):
        while place < ks[t]:
            m = gather(
                rows.matrix, rows.data, rows.indices, rows.indptr, rows.signs, rows.constant, trace[place], columns, entries
            )  # fmt: skip
            add_multiple(columns, entries, m, 1.0, w, loss)
            place += 1
        m = gather(
            new.matrix, new.data, new.indices, new.indptr, new.signs, new.constant, rs[t], new_columns, new_entries
        )  # fmt: skip
        signs[t] = sign_of_score(w, loss, new_columns, new_entries, m, terms)
