"""What errors of Arrow and NumPy say, where only their texts tell. This is the one place that reads such texts."""

from __future__ import annotations

import re

_UNKNOWN_TYPE = re.compile(r"Could not convert .* with type (\w+): .*Conversion failed for column (.+) with type", re.DOTALL)
_NOT_A_NUMBER = re.compile(r"column #(\d+): CSV conversion error to double")


def reason_of(error: BaseException) -> str:
    """Return what an error says in its first line, or what it is."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def is_long_line(error: BaseException) -> bool:
    """Whether Arrow met a line of CSV that does not fit into a block."""
    return "straddl" in str(error)


def column_not_of_numbers(error: BaseException) -> int | None:
    """Return the place of the column of CSV that Arrow could not take as numbers; None if that is not what it says."""
    place = _NOT_A_NUMBER.search(str(error))
    return None if place is None else int(place[1])


def is_about_objects(error: BaseException) -> bool:
    """Whether NumPy refuses to load an array because it holds Python objects, which are pickled."""
    return "pickle" in str(error) or "Object arrays" in str(error)


def foreign_type(error: BaseException) -> tuple[str, str] | None:
    """Return column and type of Python objects that Arrow cannot take; None if that is not what it says."""
    unknown = _UNKNOWN_TYPE.search(str(error))
    return None if unknown is None else (unknown[2], unknown[1])
