"""Lengths of time as they are typed: in seconds, or with a unit."""

from __future__ import annotations

import re
from typing import Any

import typer

_UNITS = {
    "ms": 0.001,
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}

_TYPED = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|nan)) *([a-z]*)")


def seconds(typed: str | float) -> float:
    """Read a length of time in seconds.

    >>> seconds("30"), seconds("90s"), seconds("2 min"), seconds("1.5h"), seconds("250ms"), seconds("inf")
    (30.0, 90.0, 120.0, 5400.0, 0.25, inf)
    """
    if isinstance(typed, int | float):  # a default
        return float(typed)
    found = _TYPED.fullmatch(typed.strip().lower())
    if found is None or found[2] not in _UNITS:
        raise typer.BadParameter(
            f"{typed!r} is not a length of time. Give a number of seconds, such as 30, or 90s, 5min, 2h."
        )
    return float(found[1]) * _UNITS[found[2]]


def duration_option(*names: str, help: str) -> Any:  # noqa: A002 (the word of the library that reads options)
    """Return an option that is a length of time."""
    return typer.Option(*names, parser=seconds, metavar="SECONDS", help=help)
