"""Loops over many rows, shared among the processor's cores: compiled loops release the interpreter's lock while they run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numba
import numpy as np

from .._types import Floats
from ..compiled.environment import checked_arithmetic

config: Any = numba.config

Result = TypeVar("Result")

NUMBERS_PER_THREAD = 2**20
"""Numbers to read for which another thread, which takes a tenth of a millisecond to begin, pays."""

NUMBERS_PER_BLOCK = 2**23
"""Numbers that a thread reads at a time, some hundredths of a second: between them Ctrl-C is heard."""

_PRODUCTS_PER_READ = 8
"""Products of numbers in a matrix product that take as long as reading one number."""


def in_parts(function: Callable[[int, int], Result], n: int, numbers: int) -> list[Result]:
    """Return ``function(start, stop)`` for consecutive parts of ``range(n)``, in order: as many for each of some threads.

    ``numbers`` says how much there is to read in all. As many threads as numba would use (``NUMBA_NUM_THREADS``, which
    joblib sets in its workers). They are new ones, as only those inherit from the thread that calls how it treats
    subnormal numbers. A part is small enough that Ctrl-C need not wait for more than one of each thread.
    """
    threads = max(1, min(config.NUMBA_NUM_THREADS, numbers // NUMBERS_PER_THREAD, n))
    parts = max(threads, min(n, threads * -(-numbers // (threads * NUMBERS_PER_BLOCK))))
    spans = list(pairwise(n * part // parts for part in range(parts + 1)))
    function = checked_arithmetic(function)
    own = -(-parts // threads)
    if threads == 1:
        return [function(*span) for span in spans]
    pool = ThreadPoolExecutor(threads - 1, "separatrix")
    try:
        others = [pool.submit(function, *span) for span in spans[own:]]
        first = [function(*span) for span in spans[:own]]
        return [*first, *(other.result() for other in others)]
    finally:
        pool.shutdown(cancel_futures=True)


def matrix_product(left: Floats, right: Floats, out: Floats) -> Floats:
    """Write the product of two matrices into a third, and return it: rows are shared, for where BLAS has one thread.

    Overflow and the like are left to who looks at the result.
    """

    def multiply(start: int, stop: int) -> None:
        np.matmul(left[start:stop], right, out=out[start:stop])

    in_parts(multiply, left.shape[0], left.shape[0] * left.shape[1] * right.shape[1] // _PRODUCTS_PER_READ)
    return out
