"""How far long work has come, for whoever cares to listen.

Workers call `report`; a command line that wants to show it, or a test, listens with `listening`. Nothing is shown by
the library itself.
"""

from __future__ import annotations

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


@contextmanager
def part(name: str) -> Iterator[None]:
    """Have what is reported of the work inside begin with the name of the part that it is.

    >>> with listening(print), part("2 of 3"):
    ...     report(lambda: "half done")
    2 of 3
    2 of 3: half done
    """
    listener = _listener.get()
    if listener is None:
        yield
        return
    listener(name)
    with listening(lambda text: listener(f"{name}: {text}")):
        yield


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
