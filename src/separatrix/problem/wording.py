"""Words for a problem: its classes, columns and rows, and scores in feature names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..support.escaping import quoted, shown
from ..support.formulas import Formula, Part, linear_combination
from .labels import Others
from .problem import Problem
from .provenance import LibsvmTable
from .ties import TIES

MAX_ROWS_SHOWN = 12
"""Rows of a witness that are written out; a longer one is for machines."""

MAX_FEATURES_SHOWN = 8
"""Features that a formula shows before it is cut short."""


def class_name(problem: Problem, label: int) -> str:
    """Name the class of a label."""
    name = problem.classes[-1] if label > 0 else problem.classes[0]
    return quoted(name) if isinstance(name, str) and not isinstance(name, Others) else shown(name)


def winner_name(problem: Problem, tie: str) -> str:
    """Name the class that a score of 0 predicts under a tie rule, which may be one that no row is of."""
    winner = TIES[tie]
    return "the other class" if winner < 0 and len(problem.classes) == 1 else f"class {class_name(problem, winner)}"


def counted_from(problem: Problem) -> str:
    """Say how rows are counted."""
    return "counted from 0" if problem.kept is None else "counted from 0 among the rows that are not left out"


def column_names(problem: Problem) -> list[str]:
    """Name the columns: x1 is the first that has no name, as x0 is the constant 1 in many texts."""
    if problem.names is not None:
        return [shown(name) for name in problem.names]
    first = problem.table.base if isinstance(problem.table, LibsvmTable) else 1  # as the file counts them
    return [f"x{first + j}" for j in range(problem.d)]


def sum_of(terms: Iterable[tuple[Fraction, Part]]) -> Formula:
    """Write a linear combination of features, cut short if it is long."""
    return linear_combination(terms, MAX_FEATURES_SHOWN)


def listed_rows(rows: Sequence[int]) -> str:
    """List rows, not too many."""
    more = len(rows) - MAX_ROWS_SHOWN
    texts = [str(i) for i in rows[:MAX_ROWS_SHOWN]] + ([f"{more:,} more"] if more > 0 else [])
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
