"""The votes of all weights of a run: their scores of new rows, one mistake after another, and the certain signs of them.

The scores of weight vector k are those of the one before plus the products with the row of mistake k. What floats leave
open is listed, and decided on exact weights, which follow the trace in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import UNDERFLOW, UNIT, add_multiple, norm_and_loss
from .rows import Buffers, CsrRows, DenseRows, add, gather, score
from .scratch import scratch
from .signs import predicted, sign_of_score

MAX_ROWS = 128
"""So many new rows are looked at together, at most."""


class Voters(NamedTuple):
    """All weights of a run but the first, which are zero: number k + 1 come after mistake number k.

    They are taken in segments of consecutive mistakes. Mistakes are looked at eight at a time: what fills up the last
    eight has no votes.
    """

    trace: np.ndarray
    """The rows erred on, eight in each row of an array, filled up with any."""
    lengths: np.ndarray
    """The votes of the weights after each of these mistakes, likewise, filled up with 0; the type
    holds the sum of all."""
    segment: int
    """Eights of mistakes in a segment."""
    first_start: int
    """The row of products that holds scores at the beginning of the first segment, followed by those of others; 0 if
    there are none, and scores go on."""
    errors: np.ndarray
    """For each eight mistakes the errors of scores, at most, where their sign is wrong; of the type of the products."""


class Poll(NamedTuple):
    """A few new rows, and what is said of them so far."""

    scores: np.ndarray
    """Their scores under the last weights that voted, of the type of the products."""
    votes: np.ndarray
    """The votes for the positive class minus those for the negative one."""


class Gathered(NamedTuple):
    """Rows, and room for one of them."""

    rows: DenseRows | CsrRows
    buffers: Buffers


@kernel
def count(products, voters, poll, tie, eight, doubtful):
    """Go on with the votes from an eight of mistakes on; return the eight to go on with and how many scores are doubtful.

    ``products[i, r]`` is the product of new row r with row i. The arrays of the poll are changed: weights add their votes
    times the sign of their score, where that is certain. Where it is not, the numbers of weights and new row are put into a
    column of ``doubtful``; it stops when there might not be room for those of eight more weights. Without errors zero is
    zero, and the tie rule says what it votes for.

    Nearly all of the time is spent on the loop that adds eight products: each vote reads one, in the vector registers of
    the processor, and what is read and written besides serves eight. A kernel of its own would be compiled without knowing
    that the scratch arrays do not overlap with others.
    """
    scores = scratch(products, MAX_ROWS)
    before = scratch(products, MAX_ROWS)  # the scores eight weights before, from which these are computed
    least = scratch(products, MAX_ROWS)  # the smallest absolute values of the eight scores since
    recent = scratch(voters.lengths, MAX_ROWS)  # votes for the positive class that are yet to be added
    trace, lengths, n = voters.trace, voters.lengths, poll.scores.shape[0]
    for r in range(n):
        scores[r] = poll.scores[r]
        recent[r] = 0
    found, total = 0, 0
    for place in range(eight, trace.shape[0]):
        if found + 8 * n > doubtful.shape[1]:
            break
        if voters.first_start and place % voters.segment == 0:
            start = products[voters.first_start + place // voters.segment]
            for r in range(n):
                scores[r] = start[r]
        bound = voters.errors[place]
        row_1, row_2 = products[trace[place, 0]], products[trace[place, 1]]
        row_3, row_4 = products[trace[place, 2]], products[trace[place, 3]]
        row_5, row_6 = products[trace[place, 4]], products[trace[place, 5]]
        row_7, row_8 = products[trace[place, 6]], products[trace[place, 7]]
        v_1, v_2, v_3, v_4 = lengths[place, 0], lengths[place, 1], lengths[place, 2], lengths[place, 3]
        v_5, v_6, v_7, v_8 = lengths[place, 4], lengths[place, 5], lengths[place, 6], lengths[place, 7]
        none = v_1 - v_1  # of the same type
        doubt = False
        for r in range(n):
            s = scores[r]
            before[r] = s
            a = s + row_1[r]
            b = a + row_2[r]
            c = b + row_3[r]
            d = c + row_4[r]
            e = d + row_5[r]
            f = e + row_6[r]
            g = f + row_7[r]
            h = g + row_8[r]
            scores[r] = h
            recent[r] += (
                (v_1 if a > 0.0 else none) + (v_2 if b > 0.0 else none) + (v_3 if c > 0.0 else none)
                + (v_4 if d > 0.0 else none) + (v_5 if e > 0.0 else none) + (v_6 if f > 0.0 else none)
                + (v_7 if g > 0.0 else none) + (v_8 if h > 0.0 else none)
            )  # fmt: skip
            smallest = min(min(min(abs(a), abs(b)), min(abs(c), abs(d))), min(min(abs(e), abs(f)), min(abs(g), abs(h))))
            least[r] = smallest
            doubt |= not smallest > bound
        if doubt:
            for r in range(n):
                if not least[r] > bound:
                    found = _look_again(products, voters, poll.votes, tie, place, r, before[r], doubtful, found)
        for t in range(8):
            total += lengths[place, t]
        eight = place + 1
    for r in range(n):
        poll.votes[r] += 2 * recent[r] - total
        poll.scores[r] = scores[r]
    return eight, found


@kernel(inline=True)
def _look_again(products, voters, votes, tie, eight, r, s, doubtful, found):
    """Take back the doubtful votes of eight weights on new row r, and list them; return how many are listed."""
    bound = voters.errors[eight]
    for t in range(8):
        s += products[voters.trace[eight, t], r]
        length = voters.lengths[eight, t]
        if abs(s) > bound or length == 0:
            continue
        votes[r] -= length if s > 0.0 else -length
        if s == 0.0 and bound == 0.0:
            votes[r] += length * predicted(0, tie)
        else:
            doubtful[0, found] = 8 * eight + t + 1
            doubtful[1, found] = r
            found += 1
    return found


@kernel
def decide_plainly(old, trace, w, zero, new, ks, rs, slack, signs):
    """Fill ``signs`` with those of the scores of new rows ``rs`` under weights ``ks``, which ascend, where floats tell.

    ``w``, a single part, is 0 at first, as ``zero`` is and stays, and follows the trace through the old rows in plain
    floating point; it has a place for each column, and the last one for the constant. An update rounds each weight once, so
    that the weights are off by ``UNIT`` times the sum of their lengths so far, at most; and a score adds
    ``(m + 4) * UNIT * ||w|| ||x||``. The slack covers what is lost in adding the lengths up.
    """
    position, norm, lost = 0, 0.0, 0.0
    for t in range(ks.shape[0]):
        while position < ks[t]:
            add(old.rows, trace[position], 1.0, w[0])
            norm, _ = norm_and_loss(w, zero)
            lost += UNIT * norm
            position += 1
        error = slack * (lost + (new.rows.longest + 4) * UNIT * norm)
        s = score(new.rows, rs[t], w[0])
        bound = new.rows.norms[rs[t]] * error + (new.rows.longest + 4) * UNDERFLOW
        if bound < s < np.inf:
            signs[t] = 1
        elif -np.inf < s < -bound:
            signs[t] = -1


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
