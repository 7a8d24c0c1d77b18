"""What errors of Arrow and NumPy say, where only their texts tell. This is the one place that reads such texts."""

from __future__ import annotations

import re

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
