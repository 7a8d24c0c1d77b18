"""Rows as the user's own table has them: the numbers that were made of a column of words are that column again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..support.escaping import shown
from ..support.numbers import number_text
from .batches import AnyProblem
from .wording import column_names


def own_columns(problem: AnyProblem, used: list[int]) -> dict[str, list[int]]:
    """Return the columns to show, as the user's table has them: all categories of a source are one."""
    if problem.columns is None:
        names = column_names(problem)
        return {names[j]: [j] for j in used}
    sources = {problem.columns[j].source for j in used}
    chosen: dict[str, list[int]] = {}
    for j, column in enumerate(problem.columns):
        if column.source in sources:
            chosen.setdefault(shown(column.source), []).append(j)
    return chosen


def own_value(problem: AnyProblem, point: Sequence[Fraction], columns: list[int]) -> str:
    """Return what the user's table has in a column: a number, a category, or nothing."""
    described = problem.columns
    if described is None:
        return number_text(point[columns[0]])
    if any(described[j].gap and point[j] for j in columns):
        return "(missing)"
    for j in columns:
        category = described[j].category
        if category is None and not described[j].gap:
            return number_text(point[j])
        if category is not None and point[j]:
            return shown(category)
    return "(other)"
