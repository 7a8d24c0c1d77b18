"""Time limits, and how much time is left."""

from __future__ import annotations

import math
import numbers
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from . import interruption
from .progress import compiling


class OutOfTime(Exception):  # noqa: N818 (it is what it says)
    """The time limit of a caller ran out."""


STOPS = (OutOfTime, KeyboardInterrupt)
"""What ends work before it is done. Whoever catches it asks `interruption.is_kept` which of the two it was."""


def is_time_limit(limit: Any) -> bool:
    """Whether this limits time: a number of seconds above 0; or None or infinity, which do not limit it."""
    return limit is None or (isinstance(limit, numbers.Real) and float(limit) > 0)


def read_time_limit(limit: Any) -> float | None:
    """Return the parameter ``time_limit`` in seconds, None if there is no limit; refuse what is none."""
    if not is_time_limit(limit):
        raise ValueError(f"time_limit must be a positive number of seconds, or None for no limit, got {limit!r}.")
    return None if limit is None or limit >= threading.TIMEOUT_MAX else float(limit)


class Clock:
    """The time that work may take; asked between steps, it ends the work when the time is up.

    Compiling, which happens once on a machine, does not count: what is found must not depend on whether it was first.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._begun = time.monotonic() - compiling().seconds()
        self._end = math.inf if limit is None else self._begun + limit

    def passed(self) -> float:
        """Seconds since the beginning."""
        return max(0.0, time.monotonic() - compiling().seconds() - self._begun)

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end + compiling().seconds() - time.monotonic())

    def check(self, needed: float = 0.0) -> None:
        """Raise `OutOfTime` if no time is left, or less than a step that cannot be interrupted is going to take."""
        interruption.check()
        if self.left() <= needed:
            raise OutOfTime


_present: ContextVar[Clock | None] = ContextVar("separatrix clock of the work at hand", default=None)


@contextmanager
def within(clock: Clock) -> Iterator[None]:
    """Have work inside that is given no clock look at this one: see `present`."""
    token = _present.set(clock)
    try:
        yield
    finally:
        _present.reset(token)


def present() -> Clock:
    """Return the clock that the work at hand is within, or one without a limit."""
    return _present.get() or Clock()
