"""Loops over many rows, shared among the processor's cores: kernels release the interpreter's lock while they run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numba

from .environment import checked_arithmetic

config: Any = numba.config
Result = TypeVar("Result")

WORTHWHILE = 2**20
"""Numbers to read for which another thread, a tenth of a millisecond, pays."""


def in_parts(function: Callable[[int, int], Result], n: int, numbers: int) -> list[Result]:
    """Return ``function(start, stop)`` for consecutive parts of ``range(n)``, in order, each in a thread of its own.

    ``numbers`` says how much there is to read in all. As many threads as numba would use (``NUMBA_NUM_THREADS``, which
    joblib sets in its workers). They are new ones, as only those inherit from the thread that calls how it treats
    subnormal numbers.
    """
    parts = max(1, min(config.NUMBA_NUM_THREADS, numbers // WORTHWHILE, n))
    cuts = [n * part // parts for part in range(parts + 1)]
    function = checked_arithmetic(function)
    if parts == 1:
        return [function(0, n)]
    with ThreadPoolExecutor(parts - 1, "separatrix") as pool:
        others = [pool.submit(function, start, stop) for start, stop in pairwise(cuts[1:])]
        first = function(cuts[0], cuts[1])
        return [first, *(other.result() for other in others)]
