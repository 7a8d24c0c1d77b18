"""Floating-point arithmetic whose rounding errors are known: sums and products with their remainders.

On these rest weights that are more exact than a float: unevaluated sums of two or three in each column, the parts, the first
of which is the sum rounded, give or take; and the loss, an upper bound of what the parts do not hold.

Nothing here may be compiled with fast-math: reassociation would simplify the remainders to zero.
"""

from __future__ import annotations

import math

from .compilation import kernel

UNIT = 2.0**-53
"""Half the distance from 1 to the next float64: the relative error of one rounding."""

MANTISSA_BITS = 53
"""Bits of a float64: a sum of products is exact if it stays below so many bits of a grid that all of them lie on."""

SAFE_MATH = {"reassoc", "contract", "nsz", "arcp"}
"""Fast-math flags for sums with an error bound that holds in any order, with or without fused multiply-add.

NaN and infinity keep their meaning: ``not (score > bound)`` must stay true for NaN.
"""

SMALLEST_PRODUCT = 2.0**-900
"""Above this a product's remainder is exact, far from the subnormal numbers."""

UNDERFLOW = 2.0**-1010
"""More than one multiplication loses when it underflows, even where subnormals are flushed to zero."""


@kernel
def two_sum(a, b):
    """Return ``s = fl(a + b)`` and the exact remainder ``a + b - s`` (Knuth)."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@kernel
def split(a):
    """Cut a float64 into two halves of at most 26 bits each (Veltkamp)."""
    t = 134217729.0 * a
    high = t - (t - a)
    return high, a - high


@kernel
def two_product(a, b):
    """Return ``p = fl(a * b)`` and the remainder ``a * b - p``, exact for ``|p| >= SMALLEST_PRODUCT`` (Dekker)."""
    p = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    return p, a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)


@kernel
def pair_plus(high, low, z):
    """Add a float to a pair that has room for the exact sum.

    There is room while the sum stays below ``2**51`` times the smallest number ever added: then ``t`` is exact, and
    either ``s`` is 0 or ``|s| >= |t|``, so that three operations do for the second sum (Dekker).
    """
    s, e = two_sum(high, z)
    t = low + e
    h = s + t
    return h, t - (h - s)


@kernel
def pair_plus_multiple(high, low, count, z):
    """Add ``count * z`` likewise, for a whole count below ``2**26``: its products with the halves of z are exact."""
    z_high, z_low = split(z)
    p = count * z
    rest = count * z_low - (p - count * z_high)
    s, e = two_sum(high, p)
    return two_sum(s, (low + e) + rest)


@kernel
def merge(high, low, other_high, other_low):
    """Update ``w += other`` in place, for two vectors of pairs with room for the exact sums."""
    for j in range(high.shape[0]):
        h, rest = pair_plus(high[j], low[j], other_high[j])
        high[j], low[j] = pair_plus(h, rest, other_low[j])


@kernel
def add_multiple(buffers, m, multiple, w, loss):
    """Update ``w += multiple * z`` in place, where z has m entries, gathered in the buffers, and w two or three parts.

    What the parts cannot hold is added to ``loss``, column by column.
    """
    parts = w.shape[0]
    for t in range(m):
        j = buffers.columns[t]
        p, p_rest = two_product(multiple, buffers.entries[t])
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


@kernel
def norm_and_loss(parts, loss):
    """Return upper bounds of ``||w||`` and of the length of the loss."""
    s = 0.0
    lost = 0.0
    m = loss.shape[0]
    for j in range(m):
        s += parts[0, j] * parts[0, j]
        lost += loss[j]
    lost *= 1.01  # the losses are themselves rounded sums, of fewer than 2**40 terms
    return math.sqrt((s + m * UNDERFLOW) * (1.0 + (2 * m + 16) * UNIT)) * (1.0 + 16 * UNIT) + lost, lost
