"""How much a file may ask for beyond its own size, in one place: what is packed unfolds, what is no file may never end."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "SEPARATRIX_MAX_BYTES"
"""The environment variable that sets the limit: a number of bytes, or one with K, M, G or T behind it."""

MAX_UNPACKED_BYTES = 4 * 2**30
"""Bytes that may be unpacked, or read from what is no file, unless the variable says otherwise."""

MAX_DOCUMENT_BYTES = 2**30
"""Bytes that a model file may have, unless the variable says otherwise; for certificates their format sets a limit."""

_NOT_ENOUGH = "There is not enough memory"

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def most_bytes(usual: int = MAX_UNPACKED_BYTES) -> int:
    """Return the limit: the usual one, or half of the memory if that is less, unless the variable sets another.

    >>> most_bytes() >= most_bytes(2**20) > 0
    True
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return min(usual, _memory() // 2)
    number = re.fullmatch(r"([0-9]{1,18})([KMGT]?)", given.upper())
    if number is None or not int(number[1]):
        raise ValueError(f"{VARIABLE} must be a number of bytes, as 8000000000 or 8G, not {given!r}.")
    return int(number[1]) * _UNITS[number[2]]


def _memory() -> int:
    """Return how many bytes of memory the machine has; where it does not tell, as many as matter here."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2 * MAX_UNPACKED_BYTES


def exceeded(what: str, most: int) -> str:
    """Name the limit, and the way out."""
    return f"{what} more than {most:,} bytes, the limit. If that is meant, raise it: set {VARIABLE}, as in {VARIABLE}=16G."


@contextmanager
def enough_memory(name: str) -> Iterator[None]:
    """Say what was read when memory ended."""
    try:
        yield
    except MemoryError as error:
        if str(error).startswith(_NOT_ENOUGH):
            raise
        details = f" ({error})" if str(error) else ""
        raise MemoryError(f"{_NOT_ENOUGH} to read {name}{details}.") from None
