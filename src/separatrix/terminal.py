"""What a person at the terminal sees: texts, tables, progress, and that Ctrl-C is heard."""

from __future__ import annotations

import csv
import io
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .cautions import about_the_work

PATIENCE = 1.0
"""Seconds of work before progress is shown."""


class Interrupt:
    """Remembers a Ctrl-C: a library may swallow the exception, as happens while modules load and loops are compiled."""

    came = False

    def __call__(self, *_: object) -> None:
        """Hear a signal."""
        self.came = True
        sys.unraisablehook = lambda _: None  # nor need anybody read that it was swallowed
        raise KeyboardInterrupt


interrupt = Interrupt()


def console(**options: Any) -> Any:
    """Return a console that prints texts as they are: names of columns and classes are no markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **options)


def say(text: str) -> None:
    """Tell the person something that is not the result."""
    print(text, file=sys.stderr)


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Turn warnings into notes for the person at the terminal, where parameters are options."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    told = (str(warning.message) for warning in about_the_work(caught))
    notes.extend(text.replace("(max_iter)", "(--max-iter)") for text in told)


@contextmanager
def progress(first: str, hint: str = "Ctrl-C keeps what is learnt so far") -> Iterator[None]:
    """Show how far the work has come, once it has taken more than a second.

    What is shown is made ready here, since importing in the timer's thread could wait for ever after a Ctrl-C.
    """
    from .progress import listening

    started = time.monotonic()
    lock = threading.Lock()
    status = console(stderr=True).status("")
    shown = over = False

    def heard(text: str) -> None:
        if interrupt.came:
            raise KeyboardInterrupt
        show(text)

    def show(text: str) -> None:
        nonlocal shown
        elapsed = time.monotonic() - started
        if elapsed < PATIENCE:
            return
        line = f"{text}, {elapsed:.0f} s ({hint})"
        with lock:
            if over:
                return
            status.update(line)
            if not shown:
                shown = True
                status.start()

    timer = threading.Timer(PATIENCE, show, [first])
    timer.daemon = True
    timer.start()
    try:
        with listening(heard):
            yield
    finally:
        timer.cancel()
        with lock:
            over = True
        if shown:
            status.stop()


def counted(number: int, thing: str) -> str:
    """Write a number of things.

    >>> counted(1, "pass"), counted(1200, "pass"), counted(0, "row"), counted(2, "category")
    ('1 pass', '1,200 passes', '0 rows', '2 categories')
    """
    if number == 1:
        return f"{number:,} {thing}"
    return (
        f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"
    )


def percent(part: int, whole: int) -> str:
    """Write a percentage that says 100 % and 0 % only when it is so."""
    share = 100 * part / whole
    if 0 < part < whole:
        share = min(max(share, 0.1), 99.9)
    return f"{share:.1f} %"


def as_csv(columns: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write a table as CSV, whole numbers without a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 1e15 else v for v in row])
    return text.getvalue()


def hyperplane(features: list[str], coef: list[float], intercept: float) -> str:
    """Write ``w.x > threshold`` in feature names, a term a line.

    >>> print(hyperplane(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0))
      +   2 * income
      - 3.5 * debt
      > 60
    """
    terms = [(abs(w), "-" if w < 0 else "+", name) for w, name in zip(coef, features, strict=True) if w != 0.0]
    if not terms:
        return f"  0 > {0.0 - intercept:.6g}   (all coefficients are zero: no hyperplane)"
    width = max(len(f"{size:.6g}") for size, _, _ in terms)
    lines = [f"  {sign} {size:>{width}.6g} * {name}" for size, sign, name in terms]
    return "\n".join([*lines, f"  > {0.0 - intercept:.6g}"])
