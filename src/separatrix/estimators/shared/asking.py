"""Whether somebody reads more of the warnings of fits than that they were stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_asked: ContextVar[bool] = ContextVar("_is_asked", default=True)


@contextmanager
def unasked() -> Iterator[None]:
    """Let fits within go without deciding, where nobody reads more of their warnings than that they were stopped."""
    token = _is_asked.set(False)
    try:
        yield
    finally:
        _is_asked.reset(token)


def is_asked() -> bool:
    """Whether somebody reads more of a warning than that a fit was stopped: what to do, and what is not known."""
    return _is_asked.get()
