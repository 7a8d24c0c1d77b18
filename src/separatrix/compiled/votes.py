"""The votes of all weights of a run: their scores of new rows, one mistake after another, and the certain signs of them.

The scores of weight vector k are those of the one before plus the products with the row of mistake k. What floats leave
open is listed, and decided on exact weights, which follow the trace in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import add_multiple
from .rows import Buffers, CsrRows, DenseRows, gather
from .signs import predicted, sign_of_score


class Voters(NamedTuple):
    """All weights of a run, of which number k + 1 come after mistake number k; the first are zero.

    They are taken in segments of consecutive mistakes, in each of which one bound of the errors holds.
    """

    trace: np.ndarray
    """The rows erred on."""
    lengths: np.ndarray
    """The votes of each of the weights, the first ones included; the type holds the sum of all."""
    segment: int
    """Mistakes in a segment."""
    errors: np.ndarray
    """For each segment the errors of scores, relative to the length of a new row, at most."""
    floors: np.ndarray
    """What is to be added to that."""


class Poll(NamedTuple):
    """A few new rows, and what is said of them so far. Numbers are of the type of the products."""

    norms: np.ndarray
    """Their lengths, at most, in float64."""
    starts: np.ndarray
    """Their scores at the beginning of each segment, which are taken up there; without any, scores go on."""
    scores: np.ndarray
    """Their scores under the last weights that voted."""
    before: np.ndarray
    """Their scores some weights before, from which these are computed."""
    bounds: np.ndarray
    """The errors of scores, at most, where their sign is wrong."""
    least: np.ndarray
    """The smallest absolute value of the scores since `before`."""
    recent: np.ndarray
    """Votes that are yet to be added to `votes`, of the type of the lengths; all 0 between calls."""
    votes: np.ndarray
    """The votes for the positive class minus those for the negative one."""


class Gathered(NamedTuple):
    """Rows, and room for one of them."""

    rows: DenseRows | CsrRows
    buffers: Buffers


@kernel
def count(products, voters, poll, tie, position, doubtful):
    """Go on with the votes of weights ``position + 1`` and after; return how far it went and how many scores are doubtful.

    ``products[i, r]`` is the product of new row r with row i. The arrays of the poll are changed: weights add their votes
    times the sign of their score, where that is certain. Where it is not, the numbers of weights and new row are put into a
    column of ``doubtful``; it stops when there might not be room for those of eight more weights. Without errors zero is
    zero, and the tie rule says what it votes for.
    """
    scores, recent, votes = poll.scores, poll.recent, poll.votes
    n, end = scores.shape[0], voters.trace.shape[0]
    found = 0
    while position < end and found + 8 * n <= doubtful.shape[1]:
        k = position // voters.segment
        if position % voters.segment == 0:
            for r in range(n):
                # Rounded to the type of the scores, and up.
                poll.bounds[r] = (voters.errors[k] * poll.norms[r] + voters.floors[k]) * (1.0 + 2.0**-20)
            if poll.starts.shape[0]:
                for r in range(n):
                    scores[r] = poll.starts[k, r]
        stop = min((k + 1) * voters.segment, end)
        while position + 8 <= stop and found + 8 * n <= doubtful.shape[1]:
            if _add_eight(products, voters, poll, position):
                found = _look_again(products, voters, poll, tie, (position, position + 8), doubtful, found)
            position += 8
        while stop - 8 < position < stop and found + n <= doubtful.shape[1]:
            if _add_one(products, voters, poll, position):
                found = _look_again(products, voters, poll, tie, (position, position + 1), doubtful, found)
            position += 1
        for r in range(n):
            votes[r] += recent[r]
            recent[r] = 0
    return position, found


@kernel(inline=True)
def _add_eight(products, voters, poll, position):
    """Add the votes of eight weights, as the signs of their scores in floating point say; tell whether one is doubtful.

    Nearly all of the time is spent here: each vote reads one product, in the vector registers of the processor, and what is
    read and written besides serves eight.
    """
    trace, lengths, scores, bounds, recent = voters.trace, voters.lengths, poll.scores, poll.bounds, poll.recent
    row_1, row_2 = products[trace[position]], products[trace[position + 1]]
    row_3, row_4 = products[trace[position + 2]], products[trace[position + 3]]
    row_5, row_6 = products[trace[position + 4]], products[trace[position + 5]]
    row_7, row_8 = products[trace[position + 6]], products[trace[position + 7]]
    v_1, v_2, v_3, v_4 = lengths[position + 1], lengths[position + 2], lengths[position + 3], lengths[position + 4]
    v_5, v_6, v_7, v_8 = lengths[position + 5], lengths[position + 6], lengths[position + 7], lengths[position + 8]
    doubt = False
    for r in range(scores.shape[0]):
        s = scores[r]
        poll.before[r] = s
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
            (v_1 if a > 0.0 else -v_1) + (v_2 if b > 0.0 else -v_2) + (v_3 if c > 0.0 else -v_3) + (v_4 if d > 0.0 else -v_4)
            + (v_5 if e > 0.0 else -v_5) + (v_6 if f > 0.0 else -v_6) + (v_7 if g > 0.0 else -v_7)
            + (v_8 if h > 0.0 else -v_8)
        )  # fmt: skip
        least = min(min(min(abs(a), abs(b)), min(abs(c), abs(d))), min(min(abs(e), abs(f)), min(abs(g), abs(h))))
        poll.least[r] = least
        doubt |= not least > bounds[r]
    return doubt


@kernel(inline=True)
def _add_one(products, voters, poll, position):
    """Add the votes of one of the weights likewise."""
    scores, bounds, recent = poll.scores, poll.bounds, poll.recent
    row, length = products[voters.trace[position]], voters.lengths[position + 1]
    doubt = False
    for r in range(scores.shape[0]):
        poll.before[r] = scores[r]
        s = scores[r] + row[r]
        scores[r] = s
        recent[r] += length if s > 0.0 else -length
        poll.least[r] = abs(s)
        doubt |= not abs(s) > bounds[r]
    return doubt


@kernel
def _look_again(products, voters, poll, tie, span, doubtful, found):
    """Take back the doubtful votes of the last weights, those of a span of mistakes, and list them; return how many are."""
    for r in range(poll.scores.shape[0]):
        s, bound = poll.before[r], poll.bounds[r]
        if poll.least[r] > bound:
            continue
        for position in range(span[0], span[1]):
            s += products[voters.trace[position], r]
            if abs(s) > bound:
                continue
            length = voters.lengths[position + 1]
            poll.recent[r] -= length if s > 0.0 else -length
            if s == 0.0 and bound == 0.0:
                poll.recent[r] += length * predicted(0, tie)
            else:
                doubtful[0, found] = position + 1
                doubtful[1, found] = r
                found += 1
    return found


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
