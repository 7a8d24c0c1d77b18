"""What a person at the terminal sees: texts, tables and progress."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from ..support.blocks import lines_of
from ..support.escaping import shown, tamed
from ..support.recorded_warnings import about_the_work
from .pages import laid_out, width_of
from .wording import worded


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


def progress(first: str, hint: str = "Ctrl-C keeps what is learnt so far") -> AbstractContextManager[None]:
    """Show how far the work has come, once it has taken more than a second, and that time goes by."""
    from ..support.display import showing

    return showing(first, hint)


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


def factor(name: str) -> str:
    """Write the name of a column as a factor; one that is a number, as of a column without a name, in brackets.

    >>> factor("age"), factor("2")
    ('age', '[2]')
    """
    return f"[{name}]" if name.isdecimal() else shown(name)


def hyperplane(features: list[str], coef: list[float], intercept: float, sign: str = ">") -> str:
    """Write ``w.x > threshold`` in feature names, a term a line.

    >>> print(hyperplane(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0))
      +   2 * income
      - 3.5 * debt
      > 60
    """
    terms = [(abs(w), "-" if w < 0 else "+", factor(name)) for w, name in zip(coef, features, strict=True) if w != 0.0]
    if not terms:
        return f"  0 {sign} {0.0 - intercept:.6g}   (all coefficients are zero: no hyperplane)"
    width = max(len(f"{size:.6g}") for size, _, _ in terms)
    lines = [f"  {plus} {size:>{width}.6g} * {name}" for size, plus, name in terms]
    return "\n".join([*lines, f"  {sign} {0.0 - intercept:.6g}"])
