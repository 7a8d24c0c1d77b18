"""The votes of all weights of a run: their scores of new rows, one mistake after another, and the certain signs of them.

The scores of weight vector k are those of the one before plus the products with the row of mistake k. What floats leave
open is listed, and decided on exact weights, which follow the trace in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import UNIT, add_multiple
from .rows import Buffers, CsrRows, DenseRows, gather
from .signs import predicted, sign_of_score


class Voters(NamedTuple):
    """All weights of a run, of which number k + 1 come after mistake number k; of the arrays below, the first is of zero."""

    trace: np.ndarray
    """The rows erred on."""
    lengths: np.ndarray
    """The votes of each of the weights."""
    errors: np.ndarray
    """The errors of their scores, relative to the length of a new row, at most."""
    floors: np.ndarray
    """What is to be added to that."""


class Poll(NamedTuple):
    """New rows, and what is said of them so far."""

    norms: np.ndarray
    """Their lengths, at most."""
    scores: np.ndarray
    """Their scores under the last weights that voted."""
    votes: np.ndarray
    """The votes for the positive class minus those for the negative one."""


class Gathered(NamedTuple):
    """Rows, and room for one of them."""

    rows: DenseRows | CsrRows
    buffers: Buffers


@kernel
def count(products, voters, poll, tie, position, doubtful):
    """Go on with the votes of weights ``position + 1`` and after; return how far it went and how many scores are doubtful.

    ``products[i, r]`` is the product of new row r with row i. The scores and votes of the poll are changed: weights add
    their votes times the sign of their score, where that is certain. Where it is not, the numbers of weights and new row
    are put into a column of ``doubtful``; it stops when there might not be room for another row of them. Without errors
    zero is zero, and the tie rule says what it votes for.
    """
    scores, votes = poll.scores, poll.votes
    n = scores.shape[0]
    found = 0
    while position < voters.trace.shape[0] and found + n <= doubtful.shape[1]:
        i = voters.trace[position]
        position += 1
        length, error, floor = voters.lengths[position], voters.errors[position], voters.floors[position]
        certain = 0
        for r in range(n):
            s = scores[r] + products[i, r]
            scores[r] = s
            bound = (error * poll.norms[r] + floor) * (1.0 + 4 * UNIT)
            above, below = s > bound, s < -bound
            votes[r] += length * (np.int64(above) - np.int64(below))
            certain += above | below
        if certain < n and error == 0.0:
            for r in range(n):
                if scores[r] == 0.0:
                    votes[r] += length * predicted(0, tie)
        elif certain < n:
            for r in range(n):
                bound = (error * poll.norms[r] + floor) * (1.0 + 4 * UNIT)
                if not (abs(scores[r]) > bound):
                    doubtful[0, found] = position
                    doubtful[1, found] = r
                    found += 1
    return position, found


@kernel
def decide(old, trace, w, loss, new, ks, rs, signs):
    """Fill ``signs`` with those of the scores of new rows ``rs`` under weights ``ks``, which ascend, or `UNKNOWN`.

    ``w``, with its ``loss``, is 0 at first and follows the trace through the old rows.
    """
    position = 0
    for t in range(ks.shape[0]):
        while position < ks[t]:
            m = gather(old.rows, trace[position], old.buffers)
            add_multiple(old.buffers, m, 1.0, w, loss)
            position += 1
        signs[t] = sign_of_score(w, loss, new.buffers, gather(new.rows, rs[t], new.buffers))
