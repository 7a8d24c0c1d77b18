"""What a person sees of long work: one line that says what is done, how fast, how long it takes yet, and the time.

The same in a terminal, where it is on the error output, and in a notebook; where neither is, as in a log file, lines in
growing intervals if they are asked for, else nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from .console import console
from .escaping import tamed
from .progress import Progress, compiling, listening

PATIENCE = 1.0
"""Seconds of work before progress is shown."""

_TICK = 1.0
"""Seconds between two looks at the time while work is silent."""

_FIRST_INTERVAL, _LONGEST_INTERVAL = 5.0, 60.0
"""Seconds between lines in a log file: at first, and at most."""


_LIMITED = ("s", "passes", "updates")
"""Units of which the total is the most that will be done: it may well be less."""


class Place(Protocol):
    """Where the line is shown."""

    def show(self, line: str) -> None:
        """Show a line in place of the last one."""

    def close(self) -> None:
        """Take the line away."""


class _Terminal:
    """The last line of a terminal."""

    def __init__(self, screen: Any) -> None:
        from rich.markup import escape

        self._status, self._escape, self._begun = screen.status(""), escape, False

    def show(self, line: str) -> None:
        self._status.update(self._escape(line))  # what is told has names of users in it, which are no markup
        if not self._begun:
            self._begun = True
            self._status.start()

    def close(self) -> None:
        if self._begun:
            self._status.stop()


class _Notebook:
    """An output of the cell of a notebook, which is changed, and empty in the end."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, line: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        if self._handle is None:
            self._handle = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


class _Log:
    """A file, or whatever the error output is if nobody sits before it: a line now and then."""

    def __init__(self) -> None:
        self._next, self._interval = 0.0, _FIRST_INTERVAL

    def show(self, line: str) -> None:
        now = time.monotonic()
        if now < self._next or sys.stderr is None:
            return
        with suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)
        self._next, self._interval = now + self._interval, min(2 * self._interval, _LONGEST_INTERVAL)

    def close(self) -> None:
        pass


def _place(in_logs: bool) -> Place:
    """Return where a line can be shown here."""
    screen = console(stderr=True)
    if screen.is_jupyter:
        return _Notebook()
    return _Log() if in_logs and not screen.is_terminal else _Terminal(screen)


@contextmanager
def showing(first: str, hint: str = "", in_logs: bool = False) -> Iterator[None]:
    """Show how far the work inside has come, once it has taken more than a second, and that time goes by.

    ``first`` is shown until something is reported, and ``hint`` says what Ctrl-C does. What is shown is made ready here,
    since importing in another thread could wait for ever after a Ctrl-C.
    """
    with _ticking(_Line(first, hint), _place(in_logs)) as heard, listening(heard):
        yield


class _Line:
    """The line, from what was last reported and the time."""

    def __init__(self, first: str, hint: str) -> None:
        self.begun = self.told_at = time.monotonic()
        self.latest, self._hint, self._compiling = Progress(first), f" ({hint})" if hint else "", compiling()

    def hear(self, told: Progress) -> None:
        self.latest, self.told_at = told, time.monotonic()

    def text(self, now: float) -> str:
        if self._compiling:
            told = "compiling loops, which happens once"
        else:
            told = ", ".join([str(self.latest), *pace(self.latest, now - self.told_at)])
        return tamed(f"{told}, {duration(now - self.begun)}{self._hint}")


@contextmanager
def _ticking(line: _Line, place: Place) -> Iterator[Callable[[Progress], None]]:
    """Show a line whenever something is heard, and every second; gives what hears."""
    lock, over = threading.Lock(), threading.Event()

    def show() -> None:
        now = time.monotonic()
        if now - line.begun >= PATIENCE:
            with lock:
                if not over.is_set():
                    place.show(line.text(now))

    def hear(told: Progress) -> None:
        line.hear(told)
        show()

    def watch() -> None:
        while not over.wait(_TICK):
            show()

    threading.Thread(target=watch, name="separatrix progress", daemon=True).start()
    try:
        yield hear
    finally:
        with lock:
            over.set()
        place.close()


def pace(told: Progress, since: float = 0.0) -> list[str]:
    """Say how much is done, how fast, and how long the rest takes, as far as it is known; some seconds after it was told.

    >>> pace(Progress("reading", done=30, total=120, unit="rows", rate=15.0, left=6.0), since=2.0)
    ['25 %', '15 rows a second', 'about 4 s left']
    >>> pace(Progress("searching", done=4.0, total=10.0, unit="s", rate=1.0, left=6.0))
    ['at most 6 s more']
    """
    words = []
    in_seconds = told.unit == "s"
    if told.done is not None and told.total and told.unit not in _LIMITED:
        words.append(f"{min(100.0, 100 * told.done / told.total):.0f} %")
    if told.rate is not None and told.unit and not in_seconds:
        words.append(_rate(told.rate, told.unit))
    if told.left is not None:
        left = duration(max(0.0, told.left - since))
        words.append(f"at most {left} more" if told.unit in _LIMITED else f"about {left} left")
    return words


def _rate(rate: float, unit: str) -> str:
    """Say how much is done in a second, or in a minute or an hour if that is little.

    >>> _rate(12345.6, "rows"), _rate(0.5, "folds"), _rate(0.001, "folds")
    ('12,346 rows a second', '30 folds a minute', '3.6 folds an hour')
    """
    seconds, name = next((each for each in ((1, "a second"), (60, "a minute")) if rate * each[0] >= 2), (3600, "an hour"))
    number = rate * seconds
    return f"{number:,.0f} {unit} {name}" if number >= 10 else f"{number:.2g} {unit} {name}"


def duration(seconds: float) -> str:
    """Say how long something takes.

    >>> duration(59.4), duration(61), duration(4000)
    ('59 s', '1 min 1 s', '1 h 6 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
