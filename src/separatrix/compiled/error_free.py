"""Floating-point arithmetic whose rounding errors are known: sums and products with their remainders.

Nothing here may be compiled with fast-math: reassociation would simplify the remainders to zero.
"""

from __future__ import annotations

from .compilation import kernel

UNIT = 2.0**-53
"""Half the distance from 1 to the next float64: the relative error of one rounding."""

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
