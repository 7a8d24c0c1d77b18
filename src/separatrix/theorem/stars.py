"""A ``w*`` of one's own: any vector that has every row strictly right, and what the theorem says with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .._types import Floats
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rationals, vector_of
from ..exact.rounding import root
from ..problem.batches import AnyProblem
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.scores import least_scores
from ..support.numbers import number_text
from .alignments import Growth


@dataclass(frozen=True, kw_only=True)
class GivenStar:
    """A ``w*`` that was given, and its margin.

    Attributes
    ----------
    weights : Dyadic or Quotient
        The vector as it was given, the intercept last if there is one; ``w*`` is it at length 1.
    margin_squared : Fraction
        The square of its margin gamma: the least ``w*.z_i``, which is at most that of the best ``w*``.
    row : int
        A row that has it.
    """

    weights: Dyadic | Quotient
    margin_squared: Fraction
    row: int

    @property
    def margin(self) -> float:
        """The margin, rounded downwards."""
        return root(self.margin_squared, up=False)


@dataclass(frozen=True, kw_only=True)
class Star(GivenStar):
    """A ``w*`` that was given, held against a run: as a ledger holds the best one.

    Attributes
    ----------
    bound : float
        The most mistakes that the theorem allows with it, rounded upwards.
    run_bound, growth, cosine_steps, cosine_falls, alignment, alignment_line, alignment_error, cosine, cosine_line
        As in `Ledger`.
    """

    bound: float
    run_bound: float | None
    growth: Growth | None
    cosine_steps: int
    cosine_falls: int
    alignment: Floats = field(repr=False)
    alignment_line: Floats = field(repr=False)
    alignment_error: Floats = field(repr=False)
    cosine: Floats = field(repr=False)
    cosine_line: Floats = field(repr=False)


def read_star(star: Any, problem: Problem, tie: int) -> GivenStar:
    """Read a ``w*``; refuse one that does not have every row strictly right, with the row that it has wrong."""
    weights = star_weights(star, problem)
    return star_of(weights, problem, *least_at(problem, 0, weights, tie))


def star_weights(star: Any, problem: AnyProblem) -> Dyadic | Quotient:
    """Read a vector of as many numbers as there are weights."""
    numbers = read_rationals(star, "star")
    if len(numbers) != problem.width:
        last = ", and the intercept last" if problem.intercept else ", and no intercept"
        raise ValueError(f"star has {len(numbers):,} numbers, expected {problem.width:,}: one for each feature{last}.")
    return vector_of(numbers)


def least_at(problem: Problem, start: int, weights: Dyadic | Quotient, tie: int) -> tuple[Fraction, int]:
    """Return the least exact score of rows that can be wrong, in numerators, and the number of the first that has it."""
    [(score, row)] = least_scores(Lifted.of(problem), weights.numerators, [problem.is_fallible(tie)])
    return score, start + row


def star_of(weights: Dyadic | Quotient, problem: AnyProblem, score: Fraction, row: int) -> GivenStar:
    """Return a ``w*`` whose least score is this; refuse it if that is not above 0."""
    denominator = problem.denominator
    given = row if problem.kept is None else int(problem.kept[row])
    if score <= 0:
        found = number_text(score / (weights.divisor * denominator))
        names = RowNames(problem, [row])
        raise ValueError(
            f"star does not separate the classes. It has {names.name(row)} wrong: the label times the score, "
            f"w*.z_{names.index(row)}, is {found}, and must be above 0 for every row. Give a vector that has all rows "
            "strictly right, or none for the best one."
        )
    square = score * score / (weights.numerators.dot(weights.numerators) * denominator**2)
    return GivenStar(weights=weights, margin_squared=square, row=given)
