"""How far long work has come, for whoever cares to listen.

Workers call `report` between steps; a display or a function of the user's (`verbose=`) listens with `listening`. Nothing is
shown here: see `display`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from . import interruption

_SOONEST_RATE = 0.2
"""Seconds of work after which its rate is told."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come; what a function given as ``verbose=`` is called with.

    Attributes
    ----------
    text : str
        What is being done, or what there is by now. Names of columns and classes may be in it.
    stage : tuple of str
        The parts of the work that this is a part of, outermost first.
    done, total : float or None
        How much is done, of how much; None where it is not known.
    unit : str
        What is counted, in the plural, such as ``"passes"``; ``"s"`` where the time limit is all that is known.
    rate : float or None
        So much is done in a second; None where it is not known, or not yet.
    left : float or None
        The seconds that the rest of what is counted takes at this rate.
    seconds : float
        Seconds since the call began.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> heard = []
    >>> _ = sx.Perceptron(verbose=heard.append).fit(X, y)
    >>> heard[-1].text, heard[-1].done, heard[-1].unit
    ('9 passes, 18 mistakes in all', 9.0, 'passes')
    """

    text: str
    stage: tuple[str, ...] = ()
    done: float | None = None
    total: float | None = None
    unit: str = ""
    rate: float | None = None
    left: float | None = None
    seconds: float = 0.0

    def __str__(self) -> str:
        return ": ".join((*self.stage, self.text))


Listener = Callable[[Progress], Any]


@dataclass(frozen=True)
class _Counting:
    """What was counted first of something, and when: the rate is taken from there."""

    what: tuple[Any, ...]
    done: float
    at: float


@dataclass
class _Shared:
    """What all parts of the work that somebody listens to have in common."""

    listener: Listener
    begun: float = field(default_factory=lambda: time.monotonic())
    counting: _Counting | None = None

    def tell(self, told: Progress) -> None:
        """Send what is told to the listener, with the time, and the rate where something is counted."""
        now = time.monotonic()
        rate = left = None
        if told.done is not None:
            at_work = now - compiling().seconds()  # to compile is no part of it
            what, counting = (told.stage, told.total, told.unit), self.counting
            if counting is None or counting.what != what or told.done < counting.done:
                counting = self.counting = _Counting(what, told.done, at_work)
            passed = at_work - counting.at
            if passed >= _SOONEST_RATE and told.done > counting.done:
                rate = (told.done - counting.done) / passed
                left = None if told.total is None else max(0.0, told.total - told.done) / rate
        self.listener(replace(told, rate=rate, left=left, seconds=now - self.begun))


@dataclass(frozen=True)
class _Heard:
    """A part of the work that somebody listens to."""

    shared: _Shared
    stage: tuple[str, ...] = ()
    done: float | None = None
    total: float | None = None
    unit: str = ""


_heard: ContextVar[_Heard | None] = ContextVar("separatrix progress", default=None)


def report(make_text: Callable[[], str], done: float | None = None, total: float | None = None, unit: str = "") -> None:
    """Tell the listener, if there is one; the text is made only then. To be called at most some ten times a second.

    ``done`` of ``total`` says how much is done, where it is known, and ``unit`` what is counted. Rate and time left follow
    from it. Where a time limit is all that is known, count seconds: ``report(text, clock.passed(), clock.limit, "s")``.

    A Ctrl-C that was swallowed, as happens in callbacks and while loops are compiled, is heard here.
    """
    interruption.check()
    heard = _heard.get()
    if heard is not None:
        if done is None:
            done, total, unit = heard.done, heard.total, heard.unit
        heard.shared.tell(Progress(make_text(), heard.stage, done, total, unit))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the reports of the work done inside to the listener."""
    token = _heard.set(_Heard(_Shared(listener)))
    try:
        yield
    finally:
        _heard.reset(token)


def is_heard() -> bool:
    """Whether somebody listens."""
    return _heard.get() is not None


@contextmanager
def unheard() -> Iterator[None]:
    """Send the reports of the work done inside to nobody."""
    token = _heard.set(None)
    try:
        yield
    finally:
        _heard.reset(token)


@contextmanager
def part(name: str, done: float | None = None, total: float | None = None, unit: str = "") -> Iterator[None]:
    """Have what is reported of the work inside be part of a stage of this name; of how many, if that is known.

    >>> with listening(print), part("fold 2 of 3", 1, 3, "folds"):
    ...     report(lambda: "half done")
    fold 2 of 3
    fold 2 of 3: half done
    """
    outer = _heard.get()
    report(lambda: name, done, total, unit)
    if outer is None:
        yield
        return
    if done is None:
        done, total, unit = outer.done, outer.total, outer.unit
    token = _heard.set(_Heard(outer.shared, (*outer.stage, name), done, total, unit))
    try:
        yield
    finally:
        _heard.reset(token)


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
