"""What dense and CSR rows do differently, and nothing else.

The rows ``x_i`` are the user's, untouched: the sign ``signs[i]`` and the constant column, whose value is ``constant`` and
which comes after the features, are applied on the fly, so that every function here sees the signed, lifted rows ``z_i``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compilation import by_type, kernel
from .error_free import SAFE_MATH, pair_plus, pair_plus_multiple

config: Any = numba.config

ENTRIES_BEYOND_CACHES = 2**21
"""Where rows have more entries than this, the processor's caches do not hold them."""

VISITS_AHEAD = 4
"""The entries of a row are asked for so many visits ahead."""

VISITS_AHEAD_OF_ENTRIES = 8
"""Where the entries of a CSR row begin is asked for so many visits ahead."""

ENTRIES_AHEAD = 256
"""Of CSR rows that are visited as they stand, entries are asked for so far ahead."""


class DenseRows(NamedTuple):
    """The signed, lifted rows of a problem that is a matrix, and how long they are.

    The hot loop reads a ``screen`` instead of the matrix: the ``z_i`` themselves, padded with zero columns so that the
    compiler can use whole vector registers, and in float32 where they are too many for the processor's caches. Where the
    screen is exact it is the matrix as well, signs and constant included.
    """

    matrix: np.ndarray
    screen: np.ndarray | None
    coarse: float
    """Relative error of the entries of the screen, 0.0 if they are exact."""
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


class BareRows(DenseRows):
    """Dense rows without a screen, which pays where rows are visited time and again: the hot loop reads the matrix."""


class CsrRows(NamedTuple):
    """The signed, lifted rows of a problem in CSR form; what is not explained here is as in `DenseRows`."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    coarse: float
    """Always 0.0: the hot loop reads the rows themselves."""
    signs: np.ndarray
    constant: float
    labels: np.ndarray
    norms: np.ndarray
    radius: float
    longest: int


class Buffers(NamedTuple):
    """Room for the non-zero entries of one row, their columns, and their products with weights."""

    columns: np.ndarray
    entries: np.ndarray
    terms: np.ndarray


# Scores.


@by_type(fastmath=SAFE_MATH, inline=True)
def score(rows, i, w):
    """Return the float score ``w.z_i``, summed in any order."""


@score.register(DenseRows)
def _(rows, i, w):
    matrix = rows.matrix
    s = 0.0
    for j in range(matrix.shape[1]):
        s += w[j] * matrix[i, j]
    if rows.constant != 0.0:
        s += w[matrix.shape[1]] * rows.constant
    return rows.signs[i] * s


@score.register(CsrRows)
def _(rows, i, w):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    s = _sparse_dot(rows.data[start:stop], rows.indices[start:stop], w)
    return rows.signs[i] * (s + w[w.shape[0] - 1] * rows.constant)


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


@by_type(fastmath=SAFE_MATH, inline=True)
def glance(rows, i, w):
    """Return the float score ``w.z_i`` as far as the screen tells: what the hot loop looks at."""


@glance.register(DenseRows)
def _(rows, i, w):
    screen = rows.screen
    s = 0.0
    for j in range(screen.shape[1]):
        s += w[j] * screen[i, j]
    return s


@glance.register(BareRows)
def _(rows, i, w):
    return score(rows, i, w)


@glance.register(CsrRows)
def _(rows, i, w):
    return score(rows, i, w)


@kernel(fastmath=SAFE_MATH)
def multiply(rows, chosen, V, scores):
    """Fill ``scores`` with those of the chosen CSR rows, each for all the weights that are the columns of V."""
    last, m = V.shape[0] - 1, scores.shape[1]
    for r in range(chosen.shape[0]):
        i = chosen[r]
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        entries, columns, sums = rows.data[start:stop], rows.indices[start:stop], scores[r]
        for t in range(m):
            sums[t] = V[last, t] * rows.constant
        for k in range(entries.shape[0]):
            x, j = entries[k], columns[k]
            for t in range(m):
                sums[t] += x * V[j, t]
        for t in range(m):
            sums[t] *= rows.signs[i]


# What is going to be read is asked for ahead: rows in no order that the processor could guess take longer to come from
# memory than to be read.


def _fetch(typing, array, index):
    """Begin to load the 64 bytes or so around ``array[index]``, which need not exist."""

    def generate(context, builder, signature, arguments):
        values = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number, nothing = ir.IntType(8).as_pointer(), ir.IntType(32), ir.VoidType()
        prefetch = ir.FunctionType(nothing, [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], prefetch)
        address = builder.bitcast(builder.gep(values.data, [arguments[1]]), byte)
        builder.call(hint, [address, *(ir.Constant(number, choice) for choice in (0, 3, 1))])  # to read, and keep: data
        return context.get_dummy_value()

    return types.void(array, index), generate


fetch: Any = (lambda array, index: None) if config.DISABLE_JIT else intrinsic(_fetch)


@by_type(inline=True)
def look_ahead(rows, order, position, last):
    """Begin to load what the visits soon after ``position`` are going to read; the ``last`` one is the end of them.

    They go through ``order``. Rows as they stand, if it is None, are foreseen by the processor; but it does not look far
    enough ahead where there are many.
    """


@look_ahead.register(DenseRows)
def _(rows, order, position, last):
    if order is not None:
        entries = rows.screen[order[min(position + VISITS_AHEAD, last)]]
        for j in range(0, entries.shape[0], 8):
            fetch(entries, j)


@look_ahead.register(BareRows)
def _(rows, order, position, last):
    if order is not None:
        entries = rows.matrix[order[min(position + VISITS_AHEAD, last)]]
        for j in range(0, entries.shape[0], 8):
            fetch(entries, j)


@look_ahead.register(CsrRows)
def _(rows, order, position, last):
    indptr = rows.indptr
    if order is not None:
        later = order[min(position + VISITS_AHEAD_OF_ENTRIES, last)]
        soon = order[min(position + VISITS_AHEAD, last)]
        fetch(rows.signs, later)
        fetch(indptr, later)
        _fetch_entries(rows, indptr[soon], indptr[soon + 1])
    elif rows.data.shape[0] > ENTRIES_BEYOND_CACHES:
        _fetch_entries(rows, indptr[position] + ENTRIES_AHEAD, indptr[position + 1] + ENTRIES_AHEAD)


@kernel(inline=True)
def _fetch_entries(rows, start, stop):
    for t in range(start, stop, 8):
        fetch(rows.data, t)
    for t in range(start, stop, 16):
        fetch(rows.indices, t)


# Sums of rows in plain floats.


@by_type(fastmath=SAFE_MATH, inline=True)
def add(rows, i, step, v):
    """Update ``v += step * z_i`` in place, in plain floating point."""


@add.register(DenseRows)
def _(rows, i, step, v):
    matrix = rows.matrix
    f = step * rows.signs[i]
    for j in range(matrix.shape[1]):
        v[j] += f * matrix[i, j]
    if rows.constant != 0.0:
        v[matrix.shape[1]] += f * rows.constant


@add.register(CsrRows)
def _(rows, i, step, v):
    f = step * rows.signs[i]
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    entries, columns = rows.data[start:stop], rows.indices[start:stop]
    for t in range(entries.shape[0]):
        v[columns[t]] += f * entries[t]
    v[v.shape[0] - 1] += f * rows.constant


@kernel
def add_all(rows, chosen, multiples, v):
    """Update ``v`` likewise with multiples of some rows."""
    for k in range(chosen.shape[0]):
        add(rows, chosen[k], multiples[k], v)


# Exact sums of rows.


@by_type
def gather(rows, i, buffers):
    """Copy the non-zero entries of ``z_i`` and their columns into the buffers; return how many there are."""


@gather.register(DenseRows)
def _(rows, i, buffers):
    matrix, sign = rows.matrix, rows.signs[i]
    m = 0
    for j in range(matrix.shape[1]):
        if matrix[i, j] != 0.0:
            buffers.columns[m] = j
            buffers.entries[m] = sign * matrix[i, j]
            m += 1
    if rows.constant != 0.0:
        buffers.columns[m] = matrix.shape[1]
        buffers.entries[m] = sign * rows.constant
        m += 1
    return m


@gather.register(CsrRows)
def _(rows, i, buffers):
    sign = rows.signs[i]
    m = 0
    for t in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.data[t] != 0.0:
            buffers.columns[m] = rows.indices[t]
            buffers.entries[m] = sign * rows.data[t]
            m += 1
    if rows.constant != 0.0:
        buffers.columns[m] = buffers.columns.shape[0] - 1
        buffers.entries[m] = sign * rows.constant
        m += 1
    return m


@by_type(inline=True)
def add_exactly(rows, i, count, high, low):
    """Update ``w += count * z_i`` in place, for weights held as pairs ``high + low`` with room for the exact sums."""


@add_exactly.register(DenseRows)
def _(rows, i, count, high, low):
    matrix, sign, last = rows.matrix, rows.signs[i], rows.matrix.shape[1]
    if count == 1.0:
        for j in range(last):
            high[j], low[j] = pair_plus(high[j], low[j], sign * matrix[i, j])
    else:
        for j in range(last):
            high[j], low[j] = pair_plus_multiple(high[j], low[j], sign * count, matrix[i, j])
    if rows.constant != 0.0:
        high[last], low[last] = pair_plus_multiple(high[last], low[last], sign * count, rows.constant)


@add_exactly.register(CsrRows)
def _(rows, i, count, high, low):
    sign, last = rows.signs[i], high.shape[0] - 1
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    entries, columns = rows.data[start:stop], rows.indices[start:stop]
    if count == 1.0:
        for t in range(entries.shape[0]):
            j = columns[t]
            high[j], low[j] = pair_plus(high[j], low[j], sign * entries[t])
    else:
        for t in range(entries.shape[0]):
            j = columns[t]
            high[j], low[j] = pair_plus_multiple(high[j], low[j], sign * count, entries[t])
    if rows.constant != 0.0:
        high[last], low[last] = pair_plus_multiple(high[last], low[last], sign * count, rows.constant)


@by_type(fastmath={"contract"}, inline=True)
def tally(rows, i, count, cut, high, low):
    """Update ``high + low += count * z_i`` in place, exactly, with five operations for each entry and no normalising.

    Adding and subtracting ``cut``, three halves of a power of two, rounds an entry to a multiple of that power's last
    bit. High parts go to ``high``, what is left to ``low``, and all sums are exact as long as both stay within 53 bits
    of their grids: whoever chooses the cut sees to that.
    """


@tally.register(DenseRows)
def _(rows, i, count, cut, high, low):
    matrix, f = rows.matrix, rows.signs[i] * count
    for j in range(matrix.shape[1]):
        a = (matrix[i, j] + cut) - cut
        high[j] += f * a
        low[j] += f * (matrix[i, j] - a)
    if rows.constant != 0.0:
        a = (rows.constant + cut) - cut
        high[matrix.shape[1]] += f * a
        low[matrix.shape[1]] += f * (rows.constant - a)


@tally.register(CsrRows)
def _(rows, i, count, cut, high, low):
    f, last = rows.signs[i] * count, high.shape[0] - 1
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    entries, columns = rows.data[start:stop], rows.indices[start:stop]
    for t in range(entries.shape[0]):
        a = (entries[t] + cut) - cut
        high[columns[t]] += f * a
        low[columns[t]] += f * (entries[t] - a)
    if rows.constant != 0.0:
        a = (rows.constant + cut) - cut
        high[last] += f * a
        low[last] += f * (rows.constant - a)
