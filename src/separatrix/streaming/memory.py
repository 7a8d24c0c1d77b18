"""How much memory rows may take: sizes as they are said."""

from __future__ import annotations

import re

_UNITS = {"": 1, **{f"{letter}{i}b": (2**10 if i else 10**3) ** k for k, letter in enumerate("kmgt", 1) for i in ("", "i")}}

_LEAST = 10**6
"""Bytes, at least: with less, nothing is done but to look for files."""


def bytes_of(size: str | int, what: str = "memory") -> int:
    """Read a size in bytes: a number, or one with a unit.

    >>> bytes_of("500MB"), bytes_of("1 GiB"), bytes_of(2_000_000)
    (500000000, 1073741824, 2000000)
    """
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) *([kmgt]i?b?|b?)", str(size).strip().lower())
    if found is None:
        raise ValueError(f"{what} must be a size, such as 500MB, 1GB or 2GiB, not {size!r}.")
    unit = found[2] if found[2] in ("", "b") or found[2].endswith("b") else f"{found[2]}b"
    number = int(float(found[1]) * (1 if unit in ("", "b") else _UNITS[unit]))
    if number < _LEAST:
        raise ValueError(f"{what} must be at least 1MB, got {size!r}.")
    return number
