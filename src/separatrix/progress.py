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
from functools import cache
from typing import Any

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


class _Compiling:
    """How long loops have been compiled, and whether one is being compiled just now; numba tells."""

    def __init__(self) -> None:
        self._depth, self._since, self._spent = 0, 0.0, 0.0

    def notify(self, event: Any) -> None:
        """Hear that a loop begins to be compiled, or is; while a loop is, others may be that it calls."""
        if event.is_start and not self._depth:
            self._since = time.monotonic()
        self._depth += 1 if event.is_start else -1
        if not self._depth:
            self._spent += time.monotonic() - self._since

    def __bool__(self) -> bool:
        return self._depth > 0

    def seconds(self) -> float:
        """Seconds spent until now."""
        return self._spent + (time.monotonic() - self._since if self else 0.0)


@cache
def compiling() -> _Compiling:
    """Return the watch on all compiling, which begins with the first call."""
    from numba.core import event

    watch = _Compiling()
    event.Listener.register(_Compiling)
    event.register("numba:compile", watch)  # type: ignore[no-untyped-call]
    return watch


class Clock:
    """The time that work may take; asked between steps, it ends the work when the time is up.

    Compiling, which happens once on a machine, does not count: what is found must not depend on whether it was first.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._end = math.inf if limit is None else time.monotonic() + limit - compiling().seconds()

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end + compiling().seconds() - time.monotonic())

    def check(self, needed: float = 0.0) -> None:
        """Raise `OutOfTime` if no time is left, or less than a step that cannot be interrupted is going to take."""
        if self.left() <= needed:
            raise OutOfTime
