"""How much a file may ask for beyond its own size, in one place: what is packed unfolds, what is no file may never end."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "SEPARATRIX_MAX_BYTES"
"""The environment variable that sets the limit: a number of bytes, or one with K, M, G or T behind it."""

_DEFAULT = 4 * 2**30
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def most_bytes() -> int:
    """Return how many bytes may be unpacked, or read from what is no file: 4 GiB, or half of the memory, unless set.

    >>> most_bytes() > 2**20
    True
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return min(_DEFAULT, _memory() // 2)
    number = re.fullmatch(r"([0-9]{1,18})([KMGT]?)", given.upper())
    if number is None or not int(number[1]):
        raise ValueError(f"{VARIABLE} must be a number of bytes, as 8000000000 or 8G, not {given!r}.")
    return int(number[1]) * _UNITS[number[2]]


def _memory() -> int:
    """Return how many bytes of memory the machine has; where it does not tell, as much as matters here."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2 * _DEFAULT


def exceeded(what: str, most: int) -> str:
    """Name the limit, and the way out."""
    return f"{what} more than {most:,} bytes, the limit. If that is meant, raise it: set {VARIABLE}, as in {VARIABLE}=16G."


@contextmanager
def enough_memory(name: str) -> Iterator[None]:
    """Say what was read when memory ended."""
    try:
        yield
    except MemoryError as error:
        details = f" ({error})" if str(error) else ""
        raise MemoryError(f"There is not enough memory to read {name}{details}.") from None
