"""What is found out about rows before a run: their structure, norms and least bits; and a screen of them in float32."""

from __future__ import annotations

import math

import numpy as np

from .compilation import kernel
from .error_free import SAFE_MATH, UNDERFLOW, UNIT


@kernel(fastmath=SAFE_MATH)
def fill_screen(matrix, signs, constant, screen):
    """Fill the screen, of float64 or float32, with ``y_i * (x_i, constant)`` and zeros behind."""
    n, d = matrix.shape
    for i in range(n):
        for j in range(d):
            screen[i, j] = signs[i] * matrix[i, j]
        for j in range(d, screen.shape[1]):
            screen[i, j] = 0.0
        if constant != 0.0:
            screen[i, d] = signs[i] * constant


@kernel(fastmath=SAFE_MATH, inline=True)
def _measure(values, bits):
    """Sum of squares, greatest magnitude, and least magnitude minus one (so that zeros come out greatest), as bits."""
    s = 0.0
    most = np.uint64(0)
    least = np.uint64(0xFFFFFFFFFFFFFFFF)
    magnitude = np.uint64(0x7FFFFFFFFFFFFFFF)
    one = np.uint64(1)
    for t in range(values.shape[0]):
        s += values[t] * values[t]
        b = bits[t] & magnitude
        most = max(most, b)
        least = min(least, b - one)
    return s, most, least


@kernel
def measure(values, bits, indptr, width, norms, extremes):
    """Measure rows in one pass: CSR (``indptr``), or dense rows of the given width laid end to end (None).

    Fills ``norms`` with upper bounds of the Euclidean norms and ``extremes``, as the bits of float64 numbers, with the
    greatest magnitude of all and the least non-zero one (the greatest uint64 if all are zero). NaN and infinity show as
    a greatest magnitude of at least ``0x7FF << 52``. Returns the most entries in a row.
    """
    longest = width
    most = np.uint64(0)
    least = np.uint64(0xFFFFFFFFFFFFFFFF)
    for i in range(norms.shape[0]):
        start, stop = i * width, (i + 1) * width
        if indptr is not None:
            start, stop = indptr[i], indptr[i + 1]
        m = stop - start
        longest = max(longest, m)
        s, row_most, row_least = _measure(values[start:stop], bits[start:stop])
        most = max(most, row_most)
        least = min(least, row_least)
        norms[i] = math.sqrt((s + m * UNDERFLOW) * (1.0 + (2 * m + 16) * UNIT)) * (1.0 + 8 * UNIT)
    extremes[0] = most
    extremes[1] = least + np.uint64(1) if least != np.uint64(0xFFFFFFFFFFFFFFFF) else least
    return longest


@kernel
def _lie_on_grid(bits, g):
    """Whether all float64 numbers, given as uint64, are multiples of ``2**g``."""
    rest = np.uint64(0)
    for t in range(bits.shape[0]):
        magnitude = bits[t] & np.uint64(0x7FFFFFFFFFFFFFFF)
        exponent = np.int64(magnitude >> np.uint64(52))
        normal = min(exponent, 1)
        mantissa = magnitude & np.uint64(0xFFFFFFFFFFFFF) | np.uint64(normal) << np.uint64(52)
        below = min(max(g + 1074 - (exponent - normal), 0), 63)  # bits of it that are to be 0
        rest |= mantissa & ((np.uint64(1) << np.uint64(below)) - np.uint64(1))
    return rest == np.uint64(0)


@kernel
def grid_exponent(bits, floor):
    """Largest g such that all float64 numbers, given as uint64, are multiples of ``2**g``; ``floor - 1`` if below floor.

    Returns 1100 if all are zero.
    """
    g = 1100
    one = np.uint64(1)
    for start in range(0, bits.shape[0], 512):
        some = bits[start : start + 512]
        if _lie_on_grid(some, g):  # as most do, once the grid is found
            continue
        for t in range(some.shape[0]):
            if _lie_on_grid(some[t : t + 1], g):
                continue
            magnitude = some[t] & np.uint64(0x7FFFFFFFFFFFFFFF)
            mantissa = magnitude & np.uint64(0xFFFFFFFFFFFFF)
            g = np.int64(magnitude >> np.uint64(52)) - 1074
            if g > -1074:
                mantissa |= one << np.uint64(52)
                g -= 1
            while mantissa & one == 0:
                mantissa >>= one
                g += 1
            if g < floor:
                return floor - 1
    return g


# What `copy_structure` says of the structure of CSR rows.
CANONICAL, UNORDERED, BROKEN_INDPTR, BROKEN_INDEX = range(4)


@kernel
def copy_structure(indices, indptr, width, copied):
    """Copy the column indices of CSR rows, and check that all that they and ``indptr`` point to exists.

    Returns `CANONICAL` if columns increase within each row; `UNORDERED` if they do not, or are repeated; `BROKEN_INDPTR`
    or `BROKEN_INDEX` if something points outside; and the row or the place at fault. Nothing outside is read.
    """
    ordered = True
    if indptr[0] != 0:
        return BROKEN_INDPTR, 0
    for i in range(indptr.shape[0] - 1):
        start, stop = indptr[i], indptr[i + 1]
        if not (start <= stop <= copied.shape[0]):
            return BROKEN_INDPTR, i
        before = -1
        for t in range(start, stop):
            j = np.int64(indices[t])
            if not (0 <= j < width):
                return BROKEN_INDEX, t
            ordered = ordered and j > before
            before = j
            copied[t] = j  # what was checked, whatever another thread does
    return (CANONICAL if ordered else UNORDERED), 0
