"""Floating-point arithmetic whose rounding errors are known: sums and products with their remainders.

Nothing here may be compiled with fast-math: reassociation would simplify the remainders to zero.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

UNIT = 2.0**-53
"""Half the distance from 1 to the next float64: the relative error of one rounding."""

SAFE_MATH = {"reassoc", "contract", "nsz", "arcp"}
"""Fast-math flags for sums with an error bound that holds in any order, with or without fused multiply-add.

NaN and infinity keep their meaning: ``not (score > bound)`` must stay true for NaN.
"""


def kernel(function: Callable[..., Any] | None = None, *, fastmath: Any = False, inline: bool = False) -> Any:
    """Compile a function on plain arrays, kept on disk for the next process.

    Kernels allocate nothing, so they do without numba's reference counting (``_nrt``): counting the arrays of a call
    would cost more than a short row. They release the interpreter's lock while they run.

    What a hot loop calls for each row is to be compiled in its place (``inline``): an array is passed as seven arguments,
    and a call takes as long as a short row.
    """
    options: Any = {"cache": True, "nogil": True, "fastmath": fastmath, "_nrt": False, "forceinline": inline}
    compiled = njit(**options)
    return compiled if function is None else compiled(function)


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
