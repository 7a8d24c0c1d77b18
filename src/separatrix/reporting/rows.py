"""Rows of the data in a table: where each is, its class, and its values in the columns that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._types import Floats
from ..problem.own_columns import own_columns, own_value
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.wording import class_name
from .draft import Draft
from .markup import Markup, brief, name, table
from .material import Material

MOST_ROWS = 40
"""Rows that a table shows."""

_MOST_COLUMNS = 8
"""Columns of the user's table that a table shows of each row."""


def effects(material: Material, weights: Floats) -> Floats:
    """Return what each weight counts for: times the standard deviation of its column."""
    with np.errstate(all="ignore"):
        found: Floats = weights * material.spreads
    return found


def by_effect(material: Material, weights: Floats) -> list[int]:
    """Return the columns that have a weight, the one that counts most first."""
    size = np.abs(effects(material, weights))
    size[np.isnan(size)] = np.inf
    order = np.argsort(-size, kind="stable")
    return [j for j in order.tolist() if weights[j]]


def rows_table(
    draft: Draft, rows: Sequence[int], order: Sequence[int], key: str, caption: str, more: dict[str, Sequence[Any]]
) -> Markup:
    """Show rows, with their values in the first columns of an order; of many rows the first, which is said."""
    problem = draft.material.problem
    assert problem is not None
    shown = list(map(int, rows[:MOST_ROWS]))
    names = RowNames(problem, shown)
    header = [names.unit, "class", *more]
    lines: list[list[Any]] = [[name(names.cell(i))] for i in shown]
    for k, line in enumerate(lines):
        line += [brief(class_name(problem, int(problem.y[shown[k]]))), *(values[k] for values in more.values())]
    words = len(header)
    if not draft.without_rows and problem.d:
        header, lines = _with_values(problem, shown, order, header, lines)
        draft.values_of(shown)
    foot = f"Rows are named {names.counting}." if names.are_lines else f"Rows are {names.counting}."
    if len(rows) > len(shown):
        foot += f" These are the first {len(shown):,} of {len(rows):,}."
    return table(caption, header, lines, key=key, words=words, foot=foot)


def _with_values(
    problem: Problem, rows: list[int], order: Sequence[int], header: list[str], lines: list[list[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Add the values of the columns that matter most."""
    chosen = list(order[:_MOST_COLUMNS]) or list(range(min(problem.d, _MOST_COLUMNS)))
    own = dict(list(own_columns(problem, chosen).items())[:_MOST_COLUMNS])
    used = sorted({j for columns in own.values() for j in columns})
    narrow, at = problem.with_columns(used), {j: k for k, j in enumerate(used)}
    values = [
        [name(own_value(narrow, point, [at[j] for j in columns])) for columns in own.values()]
        for point in narrow.points(rows)
    ]
    sources = len({column.source for column in problem.columns}) if problem.columns is not None else problem.d
    more = ["…"] if sources > len(own) else []
    return [*header, *map(brief, own), *more], [[*line, *found, *more] for line, found in zip(lines, values, strict=True)]
