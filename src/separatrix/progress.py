"""How far long work has come, for whoever cares to listen.

Workers call `report`; a command line that wants to show it, or a test, listens with `listening`. Nothing is shown by
the library itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("separatrix progress listener", default=None)


def report(make_text: Callable[[], str]) -> None:
    """Tell the listener, if there is one; the text is made only then."""
    listener = _listener.get()
    if listener is not None:
        listener(make_text())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the reports of the work done inside to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class OutOfTime(Exception):  # noqa: N818 (it is what it says)
    """The time limit of a caller ran out."""


class Clock:
    """The time that work may take; asked between steps, it ends the work when the time is up."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._end = math.inf if limit is None else time.monotonic() + limit

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - time.monotonic())

    def check(self, needed: float = 0.0) -> None:
        """Raise `OutOfTime` if no time is left, or less than a step that cannot be interrupted is going to take."""
        if self.left() <= needed:
            raise OutOfTime
