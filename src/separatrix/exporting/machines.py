"""Classifiers that score a row by its products with rows that they keep: votes, and sums of multiples of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from ..estimators.kernel_margin import LearntKernelMargin
from ..estimators.kernel_perceptron import LearntExpansion
from ..estimators.learnt import learnt_by
from ..estimators.shared.copies import LearntByCopies
from ..estimators.voted import LearntVotes
from ..problem.exact_rows import ExactRows
from ..problem.rows import row_entries

MOST_NUMBERS = 10**6
"""Numbers of rows, at most, that are exported: what a reader, and an interpreter, can still take."""

KERNELS = ("linear", "poly")
"""The kernels whose values are fractions."""

Row: TypeAlias = dict[int, Fraction]
"""The entries of a row that are not 0, by their places."""


@dataclass(frozen=True)
class Votes:
    """All weights of a run, each with votes: they begin at 0, and a mistake adds a row times its sign."""

    rows: tuple[Row, ...]
    signs: tuple[int, ...]
    places: tuple[int, ...]
    """For each mistake, in order, its row."""
    votes: tuple[int, ...]
    """Of the first weights, and of those after each mistake."""
    constant: int
    """What is added to the product of two rows: 1 for an intercept."""
    tie: int
    """What a score of 0 votes for: 1, -1 or, with 0, nothing."""


@dataclass(frozen=True)
class Sum:
    """A sum of multiples of a kernel's values, ``(gamma * x.x' + coef0) ** degree + constant``, and an intercept."""

    rows: tuple[Row, ...]
    multiples: tuple[Fraction, ...]
    gamma: float
    coef0: float
    degree: int
    constant: int
    intercept: Fraction
    reach: Fraction
    """What the whole is divided by."""


Machine: TypeAlias = Votes | Sum


def machines_of(learnt: Any, tie: int) -> tuple[Machine, ...]:
    """Return what scores rows, one machine for two classes, else one for each; none if it cannot be written down."""
    if isinstance(learnt, LearntByCopies):
        found = [machines_of(learnt_by(copy), tie) for copy in learnt.estimators]
        return tuple(each for some in found for each in some) if all(found) else ()
    if isinstance(learnt, LearntVotes):
        votes = learnt.attributes["survivals_"].tolist()
        signs = tuple(int(sign) for sign in learnt.signs.tolist())
        return (Votes(_rows(learnt.erred), signs, tuple(learnt.places.tolist()), tuple(votes), int(learnt.intercept), tie),)
    if not isinstance(learnt, LearntExpansion | LearntKernelMargin) or learnt.kernel.name not in KERNELS:
        return ()
    kernel, multiples = learnt.kernel, tuple(learnt.multiples.fractions())
    assert learnt.support_rows is not None
    rows = _rows(learnt.support_rows)
    intercept, reach = Fraction(0), Fraction(1)
    if isinstance(learnt, LearntKernelMargin):
        intercept, reach = learnt.intercept, learnt.reach
    linear = kernel.name == "linear"
    gamma, coef0, degree = (1.0, 0.0, 1) if linear else (kernel.gamma, kernel.coef0, kernel.degree)
    return (Sum(rows, multiples, gamma, coef0, degree, int(kernel.intercept), intercept, reach),)


def _rows(rows: ExactRows) -> tuple[Row, ...]:
    found = []
    for i in range(len(rows)):
        columns, entries = row_entries(rows.numerators, i)
        exact = entries.tolist() if rows.wide is None else rows.wide[i, columns].tolist()
        found.append({j: Fraction(number) / rows.denominator for j, number in zip(columns.tolist(), exact, strict=True)})
    return tuple(found)
