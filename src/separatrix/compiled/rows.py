"""What dense and CSR rows do differently, and nothing else.

A problem's rows ``x_i`` are either a ``matrix`` or ``data, indices, indptr``; what they are not is None, and numba
prunes the branch that asks for it when it compiles. They are the user's, untouched: the sign ``signs[i]`` and the
constant column, whose value is ``constant`` and whose place is the one after the features, are applied on the fly, so
that every function here sees the signed, lifted rows ``z_i``.

For dense rows the hot loop reads a ``screen`` instead: the ``z_i`` themselves, padded with zero columns so that the
compiler can use whole vector registers, and in float32 where they are too many for the processor's caches. Where the
screen is exact it is the matrix as well, signs and constant included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .error_free import SAFE_MATH, SMALLEST_PRODUCT, UNDERFLOW, split, two_product, two_sum
from .prefetch import fetch

MANY = 2**21
"""Entries that are too many for the processor's caches."""


class Rows(NamedTuple):
    """The signed, lifted rows of a problem, and how long they are."""

    matrix: np.ndarray | None
    screen: np.ndarray | None
    coarse: float
    """Relative error of the entries of the screen, 0.0 if they are exact."""
    data: np.ndarray | None
    indices: np.ndarray | None
    indptr: np.ndarray | None
    signs: np.ndarray
    """What rows are to be multiplied with: -1.0 or 1.0."""
    constant: float
    """The entry of the constant column; 0.0 without an intercept, or where the rows have it already."""
    labels: np.ndarray
    """-1.0 or 1.0 for each row."""
    norms: np.ndarray
    """Upper bounds of ``||z_i||``."""
    radius: float
    """Upper bound of all norms."""
    longest: int
    """Most non-zero entries in one row, at least."""


@kernel(fastmath={"contract"}, inline=True)
def _sparse_dot(entries, columns, w):
    """Dot product of entries with the weights of their columns, in four interleaved sums.

    Not fast-math: the compiler would use gather instructions, which take four times as long. The up to three entries
    left over are always taken as three, some of them times 0: a branch that cannot be foreseen costs more.
    """
    m = entries.shape[0]
    if m == 0:
        return 0.0
    a = b = c = d = 0.0
    whole = m - m % 4
    for t in range(0, whole, 4):
        a += w[columns[t]] * entries[t]
        b += w[columns[t + 1]] * entries[t + 1]
        c += w[columns[t + 2]] * entries[t + 2]
        d += w[columns[t + 3]] * entries[t + 3]
    for extra in range(3):
        t = min(whole + extra, m - 1)
        a += (1.0 if whole + extra < m else 0.0) * (w[columns[t]] * entries[t])
    return (a + b) + (c + d)


@kernel(fastmath=SAFE_MATH, inline=True)
def score(matrix, data, indices, indptr, signs, constant, i, w):
    """Return the float score ``w.z_i``, summed in any order."""
    s = 0.0
    last = w.shape[0] - 1
    if matrix is not None:
        last = matrix.shape[1]
        for j in range(matrix.shape[1]):
            s += w[j] * matrix[i, j]
    if data is not None:
        start, stop = indptr[i], indptr[i + 1]
        s = _sparse_dot(data[start:stop], indices[start:stop], w)
    if constant != 0.0:
        s += w[last] * constant
    return signs[i] * s


@kernel(fastmath=SAFE_MATH, inline=True)
def glance(screen, data, indices, indptr, signs, constant, i, w):
    """Return the float score ``w.z_i`` as far as the screen tells: what the hot loop looks at."""
    s = 0.0
    if screen is not None:
        for j in range(screen.shape[1]):
            s += w[j] * screen[i, j]
    if data is not None:
        start, stop = indptr[i], indptr[i + 1]
        s = _sparse_dot(data[start:stop], indices[start:stop], w)
        s = signs[i] * (s + w[w.shape[0] - 1] * constant)
    return s


@kernel(inline=True)
def look_ahead(screen, data, indices, indptr, signs, order, place, last):
    """Begin to load what the visits soon after ``place`` are going to read; the ``last`` one is the end of them.

    They go through ``order``. Rows as they stand, if it is None, are foreseen by the processor; but it does not look far
    enough ahead where there are many.
    """
    if order is not None:
        later, soon = order[min(place + 8, last)], order[min(place + 4, last)]
        fetch(signs, later)
        if data is not None:
            fetch(indptr, later)
            _fetch_entries(data, indices, indptr[soon], indptr[soon + 1])
        if screen is not None:
            entries = screen[soon]
            for j in range(0, screen.shape[1], 8):
                fetch(entries, j)
    elif data is not None and data.shape[0] > MANY:
        _fetch_entries(data, indices, indptr[place] + 256, indptr[place + 1] + 256)


@kernel(inline=True)
def _fetch_entries(data, indices, start, stop):
    for t in range(start, stop, 8):
        fetch(data, t)
    for t in range(start, stop, 16):
        fetch(indices, t)


@kernel(fastmath=SAFE_MATH)
def multiply(data, indices, indptr, signs, constant, chosen, V, scores):
    """Fill ``scores`` with those of the chosen sparse rows, each for all the weights that are the columns of V."""
    last, m = V.shape[0] - 1, scores.shape[1]
    for r in range(chosen.shape[0]):
        i = chosen[r]
        start, stop = indptr[i], indptr[i + 1]
        entries, columns, sums = data[start:stop], indices[start:stop], scores[r]
        for t in range(m):
            sums[t] = V[last, t] * constant
        for k in range(entries.shape[0]):
            x, j = entries[k], columns[k]
            for t in range(m):
                sums[t] += x * V[j, t]
        for t in range(m):
            sums[t] *= signs[i]


@kernel(fastmath=SAFE_MATH, inline=True)
def add(matrix, data, indices, indptr, signs, constant, i, step, v):
    """Update ``v += step * z_i`` in place, in plain floating point."""
    f = step * signs[i]
    if matrix is not None:
        for j in range(matrix.shape[1]):
            v[j] += f * matrix[i, j]
        if constant != 0.0:
            v[matrix.shape[1]] += f * constant
    if data is not None:
        start, stop = indptr[i], indptr[i + 1]
        entries, columns = data[start:stop], indices[start:stop]
        for t in range(entries.shape[0]):
            v[columns[t]] += f * entries[t]
        v[v.shape[0] - 1] += f * constant


@kernel
def add_all(matrix, data, indices, indptr, signs, constant, chosen, multiples, v):
    """Update ``v`` likewise with multiples of some rows."""
    for k in range(chosen.shape[0]):
        add(matrix, data, indices, indptr, signs, constant, chosen[k], multiples[k], v)


@kernel
def gather(matrix, data, indices, indptr, signs, constant, i, columns, entries):
    """Copy the non-zero entries of ``z_i`` and their columns into the buffers; return how many there are."""
    m = 0
    last = columns.shape[0] - 1
    if matrix is not None:
        last = matrix.shape[1]
        for j in range(matrix.shape[1]):
            if matrix[i, j] != 0.0:
                columns[m] = j
                entries[m] = signs[i] * matrix[i, j]
                m += 1
    if data is not None:
        for t in range(indptr[i], indptr[i + 1]):
            if data[t] != 0.0:
                columns[m] = indices[t]
                entries[m] = signs[i] * data[t]
                m += 1
    if constant != 0.0:
        columns[m] = last
        entries[m] = signs[i] * constant
        m += 1
    return m


@kernel
def _pair_plus(high, low, z):
    """Add a float to a pair that has room for the exact sum.

    There is room while the sum stays below ``2**51`` times the smallest number ever added: then ``t`` is exact, and
    either ``s`` is 0 or ``|s| >= |t|``, so that three operations do for the second sum (Dekker).
    """
    s, e = two_sum(high, z)
    t = low + e
    h = s + t
    return h, t - (h - s)


@kernel
def _pair_plus_multiple(high, low, count, z):
    """Add ``count * z`` likewise, for a whole count below ``2**26``: its products with the halves of z are exact."""
    z_high, z_low = split(z)
    p = count * z
    rest = count * z_low - (p - count * z_high)
    s, e = two_sum(high, p)
    return two_sum(s, (low + e) + rest)


@kernel(inline=True)
def add_exactly(matrix, data, indices, indptr, signs, constant, i, count, high, low):
    """Update ``w += count * z_i`` in place, for weights held as pairs ``high + low`` with room for the exact sums."""
    last = high.shape[0] - 1
    sign = signs[i]
    if matrix is not None:
        last = matrix.shape[1]
        if count == 1.0:
            for j in range(matrix.shape[1]):
                high[j], low[j] = _pair_plus(high[j], low[j], sign * matrix[i, j])
        else:
            for j in range(matrix.shape[1]):
                high[j], low[j] = _pair_plus_multiple(high[j], low[j], sign * count, matrix[i, j])
    if data is not None:
        start, stop = indptr[i], indptr[i + 1]
        entries, columns = data[start:stop], indices[start:stop]
        if count == 1.0:
            for t in range(entries.shape[0]):
                j = columns[t]
                high[j], low[j] = _pair_plus(high[j], low[j], sign * entries[t])
        else:
            for t in range(entries.shape[0]):
                j = columns[t]
                high[j], low[j] = _pair_plus_multiple(high[j], low[j], sign * count, entries[t])
    if constant != 0.0:
        high[last], low[last] = _pair_plus_multiple(high[last], low[last], sign * count, constant)


@kernel(fastmath={"contract"}, inline=True)
def tally(matrix, data, indices, indptr, signs, constant, i, count, cut, high, low):
    """Update ``high + low += count * z_i`` in place, exactly, with five operations for each entry and no normalising.

    Adding and subtracting ``cut``, three halves of a power of two, rounds an entry to a multiple of that power's last
    bit. High parts go to ``high``, what is left to ``low``, and all sums are exact as long as both stay within 53 bits
    of their grids: whoever chooses the cut sees to that.
    """
    f = signs[i] * count
    last = high.shape[0] - 1
    if matrix is not None:
        last = matrix.shape[1]
        for j in range(matrix.shape[1]):
            z = matrix[i, j]
            a = (z + cut) - cut
            high[j] += f * a
            low[j] += f * (z - a)
    if data is not None:
        start, stop = indptr[i], indptr[i + 1]
        entries, columns = data[start:stop], indices[start:stop]
        for t in range(entries.shape[0]):
            z = entries[t]
            a = (z + cut) - cut
            high[columns[t]] += f * a
            low[columns[t]] += f * (z - a)
    if constant != 0.0:
        a = (constant + cut) - cut
        high[last] += f * a
        low[last] += f * (constant - a)


@kernel
def merge(high, low, other_high, other_low):
    """Update ``w += other`` in place, for two vectors of pairs with room for the exact sums."""
    for j in range(high.shape[0]):
        h, rest = _pair_plus(high[j], low[j], other_high[j])
        high[j], low[j] = _pair_plus(h, rest, other_low[j])


@kernel
def add_multiple(columns, entries, m, multiple, w, loss):
    """Update ``w += multiple * z`` in place, ``z`` gathered, for weights held as unevaluated sums of two or three parts.

    What the parts cannot hold is added to ``loss``, column by column.
    """
    parts = w.shape[0]
    for t in range(m):
        j = columns[t]
        p, p_rest = two_product(multiple, entries[t])
        lost = 0.0 if abs(p) >= SMALLEST_PRODUCT else UNDERFLOW
        for x in (p, p_rest):
            a, e = two_sum(w[0, j], x)
            b, e = two_sum(w[1, j], e)
            c = 0.0
            if parts == 3:
                c, e = two_sum(w[2, j], e)
            lost += abs(e)
            # Normalise from below, then from above: after a cancellation the second part may outweigh the first.
            b, c = two_sum(b, c)
            a, e = two_sum(a, b)
            b, c = two_sum(e, c)
            a, b = two_sum(a, b)
            b, c = two_sum(b, c)
            w[0, j], w[1, j] = a, b
            if parts == 3:
                w[2, j] = c
            else:
                lost += abs(c)
        loss[j] += lost
