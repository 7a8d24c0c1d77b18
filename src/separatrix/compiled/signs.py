"""The exact sign of a score, and the rule for a score of exactly zero.

A score is the dot product of a row's entries with weights held as unevaluated sums of floats, ``w[0] + w[1] + ...``,
known up to ``loss`` in each column. The sign is proved in two steps, by a dot product in twice the working precision
(Ogita, Rump and Oishi 2005, algorithm Dot2) and by an exact sum of all products; where neither can, the answer is
`UNKNOWN`, and exact integers outside decide.
"""

from __future__ import annotations

import numpy as np

from .compilation import kernel
from .error_free import SMALLEST_PRODUCT, UNDERFLOW, UNIT, two_product, two_sum
from .rows import gather, look_ahead, score

UNKNOWN = 2
"""In place of a sign: take exact integers."""

OPEN = -2
"""In place of a class: take exact integers."""

DOT2_SLACK = 4.0
"""Coefficient of ``(m + 4)**2 * UNIT**2 * sum |w_j z_j|`` in the error of a dot product in twice the precision."""

MAX_SWEEPS_PER_SUM = 40
"""An exact sum that is not settled after so many sweeps is left to integers."""


# The tie rule, owned here and in `problem.ties`: what is predicted where scores are equal. ``tie`` is 1 ("positive"), -1
# ("negative") or 0 ("update").


@kernel
def predicted(sign, tie):
    """Return the class, -1 or 1, that a score of this sign predicts.

    Zero predicts the class ``tie``; if that is 0 it predicts none, so that zero is a mistake whatever the label.
    """
    return tie if sign == 0 else sign


@kernel
def is_mistake(sign, label, tie):
    """Whether a row with this label errs; ``sign`` is that of ``z.w``, the score times the label."""
    return predicted(label * sign, tie) != label


@kernel
def prefers_last(tie):
    """Whether of several classes with equal scores the last in order is predicted, and not the first."""
    return tie > 0


@kernel
def loses_tie(c, other, tie):
    """Whether a row of class c errs whose score equals that of another class, the one predicted in place of c.

    With ``tie`` 0 it does in any case, although the first of equals is predicted.
    """
    return tie == 0 or (other > c) == prefers_last(tie)


@kernel
def _sign_of_sum(terms, m):
    """Sign of an exact sum of floats, by sweeps of error-free sums that leave the remainders; changes ``terms``."""
    for _ in range(MAX_SWEEPS_PER_SUM):
        s = 0.0
        rest = 0.0
        left = 0
        for t in range(m):
            s, e = two_sum(s, terms[t])
            if e != 0.0:
                terms[left] = e
                left += 1
                rest += abs(e)
        rest *= 1.0 + (left + 4) * UNIT
        if s > rest:
            return 1
        if s < -rest:
            return -1
        if left == 0:
            return 0
        if left == m or not abs(s) < np.inf:  # never so of finite numbers, whose first sum leaves no remainder
            return UNKNOWN
        terms[left] = s
        m = left + 1
    return UNKNOWN


@kernel
def sign_of_score(w, loss, buffers, m):
    """Sign of the exact score of m gathered entries: -1, 0, 1, or `UNKNOWN`.

    The buffer of terms has room for at least ``2 * len(w) * m + 1`` floats.
    """
    columns, entries, terms = buffers.columns, buffers.entries, buffers.terms
    parts = w.shape[0]
    zero = True
    for t in range(m):
        zero = zero and w[0, columns[t]] == 0.0 and loss[columns[t]] == 0.0
    if zero:  # the parts below a zero are zero
        return 0
    s = 0.0  # the sum in working precision,
    c = 0.0  # all its remainders,
    size = 0.0  # and the sums of magnitudes that bound the error of c
    size_low = 0.0
    unknown = 0.0
    lossy = False
    for t in range(m):
        j, z = columns[t], entries[t]
        if loss[j] > 0.0:
            unknown += loss[j] * abs(z)
            lossy = True  # even if that product underflows
        p, p_rest = two_product(w[0, j], z)
        low = 0.0
        for part in range(1, parts):
            low += w[part, j] * z
            size_low += abs(w[part, j] * z)
        s, s_rest = two_sum(s, p)
        c += (p_rest + s_rest) + low
        size += abs(p)
    r = s + c
    bound = DOT2_SLACK * (m + 4) * UNIT * ((m + 4) * UNIT * size + size_low)
    # 1.01: the losses are themselves rounded sums, of fewer than 2**40 terms.
    bound = (bound + 1.01 * unknown) * (1.0 + (4 * m + 32) * UNIT) + (m + 4) * UNDERFLOW
    if r > bound:
        return 1
    if r < -bound:
        return -1
    if lossy:
        return UNKNOWN
    k = 0
    for t in range(m):
        for part in range(parts):
            a = w[part, columns[t]]
            if a != 0.0:
                p, p_rest = two_product(a, entries[t])
                if not (abs(p) >= SMALLEST_PRODUCT):
                    return UNKNOWN
                terms[k] = p
                terms[k + 1] = p_rest
                k += 2
    return _sign_of_sum(terms, k)


@kernel
def classify(rows, w, loss, error, refine, signs, buffers):
    """Fill ``signs`` with the exact signs of ``w.z_i``, or `UNKNOWN` where integers must decide.

    ``error * ||z_i||``, plus a little for underflow, bounds the error of a float score ``w[0].z_i``. What that leaves
    open is refined by `sign_of_score`, or, without ``refine``, left unknown. Buffers as there.
    """
    for i in range(signs.shape[0]):
        s = score(rows, i, w[0])
        bound = (rows.norms[i] * error + (rows.longest + 4) * UNDERFLOW) * (1.0 + 16 * UNIT)
        if bound < s < np.inf:
            signs[i] = 1
        elif -np.inf < s < -bound:
            signs[i] = -1
        elif refine:
            m = gather(rows, i, buffers)
            signs[i] = sign_of_score(w, loss, buffers, m)
        else:
            signs[i] = UNKNOWN


@kernel
def find_doubtful(rows, w, error, found):
    """Fill ``found`` with the rows whose float score is not beyond its error, as in `classify`; return how many."""
    floor = (rows.longest + 4) * UNDERFLOW
    count = 0
    for i in range(rows.norms.shape[0]):
        look_ahead(rows, None, i, 0)
        s = abs(score(rows, i, w[0]))
        if not ((rows.norms[i] * error + floor) * (1.0 + 16 * UNIT) < s < np.inf):
            found[count] = i
            count += 1
    return count
