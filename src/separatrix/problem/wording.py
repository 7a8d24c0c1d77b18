"""Words for a problem: its classes and columns, and scores in feature names. `row_names` has those of rows."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..support.escaping import quoted, shown
from ..support.formulas import Formula, Part, linear_combination
from .batches import AnyProblem
from .labels import Others
from .provenance import LibsvmTable
from .ties import TIES

MAX_FEATURES_SHOWN = 8
"""Features that a formula shows before it is cut short."""


def class_name(problem: AnyProblem, label: int) -> str:
    """Name the class of a label."""
    name = problem.classes[-1] if label > 0 else problem.classes[0]
    return quoted(name) if isinstance(name, str) and not isinstance(name, Others) else shown(name)


def winner_name(problem: AnyProblem, tie: str) -> str:
    """Name the class that a score of 0 predicts under a tie rule, which may be one that no row is of."""
    winner = TIES[tie]
    return "the other class" if winner < 0 and len(problem.classes) == 1 else f"class {class_name(problem, winner)}"


def column_names(problem: AnyProblem) -> list[str]:
    """Name the columns: x1 is the first that has no name, as x0 is the constant 1 in many texts."""
    if problem.names is not None:
        return [shown(name) for name in problem.names]
    first = problem.table.base if isinstance(problem.table, LibsvmTable) else 1  # as the file counts them
    return [f"x{first + j}" for j in range(problem.d)]


def sum_of(terms: Iterable[tuple[Fraction, Part]]) -> Formula:
    """Write a linear combination of features, cut short if it is long."""
    return linear_combination(terms, MAX_FEATURES_SHOWN)
