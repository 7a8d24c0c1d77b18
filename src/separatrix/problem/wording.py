"""Words for a problem: its classes, columns and rows, and scores in feature names."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..support.blocks import Style
from ..support.escaping import quoted, shown
from ..support.numbers import signed_sum
from .labels import Others
from .problem import Problem
from .provenance import LibsvmTable

MAX_ROWS = 12
"""Rows of a witness that are written out; a longer one is for machines."""

MAX_COLUMNS = 8
"""Features that a formula shows before it is cut short."""


def class_name(problem: Problem, label: int) -> str:
    """Name the class of a label."""
    name = problem.classes[-1] if label > 0 else problem.classes[0]
    return quoted(name) if isinstance(name, str) and not isinstance(name, Others) else shown(name)


def counted_from(problem: Problem) -> str:
    """Say how rows are counted."""
    return "counted from 0" if problem.kept is None else "counted from 0 among the rows that are not left out"


def column_names(problem: Problem) -> list[str]:
    """Name the columns."""
    if problem.names is not None:
        return [shown(name) for name in problem.names]
    first = problem.table.base if isinstance(problem.table, LibsvmTable) else 0  # as the file counts them
    return [f"x{first + j}" for j in range(problem.d)]


def sum_text(terms: list[tuple[Fraction, str]], style: Style, unit: str = "") -> str:
    """Write a linear combination, without what is 0, cut short if it is long."""
    there = [(number, name) for number, name in terms if number]
    cut = len(there) > MAX_COLUMNS + 1
    bodies: list[tuple[bool, str]] = []
    for number, name in there[:MAX_COLUMNS] if cut else there:
        size = style.number(abs(number))
        body = size if not name else name if size == "1" else f"{size}{style.times}{name}"
        bodies.append((number < 0, body))
    text = signed_sum(bodies, style.plus, style.minus)
    return text + (f" {style.plus} {style.more}" if cut else "") or "0"


def listed_rows(rows: Sequence[int]) -> str:
    """List rows, not too many."""
    more = len(rows) - MAX_ROWS
    texts = [str(i) for i in rows[:MAX_ROWS]] + ([f"{more:,} more"] if more > 0 else [])
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
