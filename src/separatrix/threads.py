"""Long loops over rows, shared among the cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_WORTHWHILE = 2_000_000
"""Fewest numbers to read for which starting threads pays."""


def spans(work: Callable[[int, int], T], n: int, size: int) -> list[T]:
    """Call ``work(start, stop)`` on pieces of ``range(n)``, in threads where ``size`` numbers are worth it."""
    pieces = min(os.cpu_count() or 1, n) if size >= _WORTHWHILE else 1
    if pieces == 1:
        return [work(0, n)]
    cuts = [n * p // pieces for p in range(pieces + 1)]
    with ThreadPoolExecutor(pieces) as pool:
        return list(pool.map(work, cuts[:-1], cuts[1:]))
