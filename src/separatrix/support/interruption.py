"""Ctrl-C, which is to long work what the end of its time is: what there is comes back.

Work that is stopped ends with a KeyboardInterrupt, wherever it is. Whoever has something to show for it catches that, asks
`keeps` whether to return it, and raises it anew if not. One who is called by another of the library does not return: what
is half done is for the outermost to judge (`calls.long_call`).
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

SECONDS_TO_INSIST = 2.0
"""Whoever presses Ctrl-C again within so many seconds wants to get out: of a loop that calls us, for example."""

_depth: ContextVar[int] = ContextVar("separatrix calls", default=0)


class Interrupt:
    """A signal handler that remembers a Ctrl-C: who is called back, or compiled, may swallow the exception."""

    came = False
    """Whether there was one."""

    unheard = False
    """Whether there was one of which nobody has taken notice yet."""

    def __call__(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Hear a signal."""
        self.came = self.unheard = True
        raise KeyboardInterrupt


interrupt = Interrupt()
_kept_at = -1e9


def check() -> None:
    """Raise a KeyboardInterrupt if there was one that got lost."""
    if interrupt.unheard and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


def keeps() -> bool:
    """Whether a Ctrl-C that has just been caught is to end the work with what there is, and not be raised anew.

    Not inside another call of the library, which is to end, too; and not if there was one before within two seconds.
    """
    global _kept_at
    if _depth.get() > 1:
        return False
    interrupt.unheard = False
    before, _kept_at = _kept_at, time.monotonic()
    return _kept_at - before > SECONDS_TO_INSIST


@contextmanager
def inside_call() -> Iterator[bool]:
    """Enter a call of the library; gives whether it is the outermost.

    While it lasts, a Ctrl-C is remembered, if nobody else handles it.
    """
    outer = _depth.get()
    ours = not outer and _is_pythons_own()
    try:
        _depth.set(outer + 1)
        if ours:
            signal.signal(signal.SIGINT, interrupt)
        yield not outer
    finally:
        _depth.set(outer)
        if ours:
            interrupt.came = interrupt.unheard = False
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_pythons_own() -> bool:
    """Whether Python's own handler of Ctrl-C is in place, and we may replace it, as only the main thread may."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
