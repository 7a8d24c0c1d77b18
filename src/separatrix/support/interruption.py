"""Ctrl-C, which is to long work what the end of its time is: what there is comes back.

Work that is stopped ends with a KeyboardInterrupt, wherever it is. A function that has something to show for it is
`stoppable`: it catches that, asks `is_kept` whether to return what there is, and returns it. Inside another one that is
stoppable it does not: what is half done is for the outer one to judge, and the exception goes on; unless that one has asked
for what there is (`delegating`).
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")

Result = TypeVar("Result")

SECONDS_TO_INSIST = 2.0
"""Whoever presses Ctrl-C again within so many seconds wants to get out: of a loop that calls us, for example."""

_depth: ContextVar[int] = ContextVar("separatrix depth of what is stoppable", default=0)

_handled: ContextVar[bool] = ContextVar("separatrix handles Ctrl-C", default=False)


class Interrupt:
    """A signal handler that remembers a Ctrl-C: who is called back, or compiled, may swallow the exception."""

    came = False
    """Whether there was one."""

    unheard = False
    """Whether there was one of which nobody has taken notice yet."""

    kept_at = -1e9
    """When there was one after which something was returned."""

    held_off = 0
    """How many there are who have it wait, see `held_off`."""

    def forget(self) -> None:
        """Begin anew, as if there had been none."""
        self.came, self.unheard, self.kept_at = False, False, -1e9

    def __call__(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Hear a signal."""
        self.came = self.unheard = True
        if not self.held_off:
            raise KeyboardInterrupt


interrupt = Interrupt()


def check() -> None:
    """Raise a KeyboardInterrupt if there was one that got lost."""
    if interrupt.unheard and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


@contextmanager
def held_off() -> Iterator[None]:
    """Have Ctrl-C wait until something is done that takes a moment, and would be costly to leave half done."""
    here = threading.current_thread() is threading.main_thread()  # which hears of signals
    interrupt.held_off += here
    try:
        yield
    finally:
        interrupt.held_off -= here
    check()


def is_kept(reason: BaseException) -> bool:
    """Whether it was Ctrl-C that ended the work, of what may end it; raise it again, if it is not ours to return.

    It is not inside another function that is stoppable; nor if there was one before within two seconds.
    """
    if not isinstance(reason, KeyboardInterrupt):
        return False
    if _depth.get() > 1:
        raise reason
    interrupt.came, interrupt.unheard = True, False
    before, interrupt.kept_at = interrupt.kept_at, time.monotonic()
    if interrupt.kept_at - before <= SECONDS_TO_INSIST:
        raise reason
    return True


@contextmanager
def one_deeper() -> Iterator[None]:
    """Enter what is stoppable."""
    outer = _depth.get()
    try:
        _depth.set(outer + 1)
        yield
    finally:
        _depth.set(outer)


def stoppable(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function be stopped as a whole: what it calls raises a Ctrl-C anew, and it may return what it has itself."""

    @wraps(function)
    def stopped_as_one(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with one_deeper():
            return function(*args, **kwargs)

    return stopped_as_one


@contextmanager
def delegating() -> Iterator[None]:
    """Have what is called inside return what it has on Ctrl-C, if whoever calls it would: its answer is made use of."""
    depth = _depth.get()
    try:
        _depth.set(max(0, depth - 1))
        yield
    finally:
        _depth.set(depth)


@contextmanager
def handled() -> Iterator[bool]:
    """Remember a Ctrl-C inside, if nobody else handles it; gives whether this is the outermost call that does."""
    outermost = not _handled.get()
    ours = outermost and _is_pythons_own()
    try:
        _handled.set(True)
        if ours:
            signal.signal(signal.SIGINT, interrupt)
        yield outermost
    finally:
        _handled.set(not outermost)
        if ours:
            interrupt.came = interrupt.unheard = False
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_pythons_own() -> bool:
    """Whether Python's own handler of Ctrl-C is in place, and we may replace it, as only the main thread may."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
