"""How far long work has come, for whoever cares to listen.

Workers call `report`; a command line that wants to show it, or a test, listens with `listening`. Nothing is shown by
the library itself.
"""

from __future__ import annotations

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
