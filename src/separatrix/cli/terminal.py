"""What a person at the terminal sees: texts, tables, progress, and that Ctrl-C is heard."""

from __future__ import annotations

import csv
import io
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..support.blocks import lines_of
from ..support.console import console
from ..support.escaping import shown, tamed
from ..support.recorded_warnings import about_the_work
from .pages import laid_out, width_of
from .wording import worded

PATIENCE = 1.0
"""Seconds of work before progress is shown."""

_TICK = 1.0
"""Seconds between two looks at the time while work is silent."""


class Interrupt:
    """Remembers a Ctrl-C: a library may swallow the exception, as happens while modules load and loops are compiled."""

    came = False

    def __call__(self, *_: object) -> None:
        """Hear a signal."""
        self.came = True
        sys.unraisablehook = lambda _: None  # nor need anybody read that it was swallowed
        raise KeyboardInterrupt


interrupt = Interrupt()


def say(text: str) -> None:
    """Tell the person something that is not the result, on one line; if nobody can hear it, be silent."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            with lines_of(width_of(sys.stderr)):
                print(laid_out(tamed(text)), file=sys.stderr, flush=True)


def put(text: str) -> None:
    """Write data to standard output, in UTF-8 whatever the language of the terminal: data are no message."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Turn warnings into notes for the person at the terminal, where parameters are options."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes.extend(worded(warning.message) for warning in about_the_work(caught))


@contextmanager
def progress(first: str, hint: str = "Ctrl-C keeps what is learnt so far") -> Iterator[None]:
    """Show how far the work has come, once it has taken more than a second, and that time goes by.

    What is shown is made ready here, since importing in another thread could wait for ever after a Ctrl-C.
    """
    from rich.markup import escape

    from ..support.progress import compiling, listening

    started = time.monotonic()
    lock = threading.Lock()
    status = console(stderr=True).status("")
    visible, over = False, threading.Event()
    latest, at_work = first, compiling()

    def heard(text: str) -> None:
        nonlocal latest
        if interrupt.came:
            raise KeyboardInterrupt
        latest = text
        show()

    def show() -> None:
        nonlocal visible
        elapsed = time.monotonic() - started
        if elapsed < PATIENCE:
            return
        text = "compiling loops, which happens once" if at_work else latest
        with lock:
            if over.is_set():
                return
            status.update(escape(tamed(f"{text}, {elapsed:.0f} s ({hint})")))  # what is told has names of users in it
            if not visible:
                visible = True
                status.start()

    def watch() -> None:
        while not over.wait(_TICK):
            show()

    threading.Thread(target=watch, daemon=True).start()
    try:
        with listening(heard):
            yield
    finally:
        with lock:
            over.set()
        if visible:
            status.stop()


def as_csv(columns: list[str], rows: Iterable[Iterable[Any]], written: Callable[[str], str] = str) -> str:
    """Write a table as CSV, whole numbers without a point, and texts as they are, or as a function has them."""

    def cell(value: Any) -> Any:
        if isinstance(value, str):
            return written(value)
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in ([columns], rows):
        writer.writerows([cell(value) for value in each] for each in row)
    return text.getvalue()


def no_formula(text: str) -> str:
    """Return a text so that no spreadsheet takes it for a formula: with an apostrophe before it, if it begins like one.

    >>> no_formula("=1+1"), no_formula("@SUM(1)"), no_formula("-2.5"), no_formula("a=b")
    ("'=1+1", "'@SUM(1)", '-2.5', 'a=b')
    """
    from ..checker import CELL

    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) and not CELL.fullmatch(text) else text


def hyperplane(features: list[str], coef: list[float], intercept: float, sign: str = ">") -> str:
    """Write ``w.x > threshold`` in feature names, a term a line.

    >>> print(hyperplane(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0))
      +   2 * income
      - 3.5 * debt
      > 60
    """
    terms = [(abs(w), "-" if w < 0 else "+", shown(name)) for w, name in zip(coef, features, strict=True) if w != 0.0]
    if not terms:
        return f"  0 {sign} {0.0 - intercept:.6g}   (all coefficients are zero: no hyperplane)"
    width = max(len(f"{size:.6g}") for size, _, _ in terms)
    lines = [f"  {plus} {size:>{width}.6g} * {name}" for size, plus, name in terms]
    return "\n".join([*lines, f"  {sign} {0.0 - intercept:.6g}"])
