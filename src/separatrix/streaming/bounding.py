"""How many mistakes the perceptron can make on rows in blocks: the radius takes a pass, the margin is that of `margins`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.dyadic import Dyadic, Quotient
from ..perceptron.trace import longest_rows
from ..problem.batches import BatchedProblem, Batches
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from ..separation.verdict import NotSeparable
from ..support.clock import Clock
from ..theorem.mistake_bound import MAX_NUMBERS_FOR_EXACT_MARGIN, MistakeBound
from ..theorem.stars import least_at, star_of, star_weights
from .passes import Passes

_LEAST_SECONDS = 1e-3
"""Seconds that the margin has in any case: then it says itself that time is up."""


def mistake_bound(
    batches: Batches,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    tie: str = "update",
    exact: bool | None = None,
    star: Any = None,
    time_limit: float | None = None,
) -> MistakeBound:
    """Bound the mistakes before any run; parameters as in `separatrix.mistake_bound`.

    The pass for the radius, without which there is no bound at all, is made whatever the time limit.
    """
    clock = Clock(time_limit)
    problem = BatchedProblem.of(batches, positive=positive, intercept=fit_intercept)
    weights = None if star is None else star_weights(star, problem)
    passes = Passes(problem, Clock())
    passes.doing = "the radius"
    square, parts, least, all_fallible = Fraction(0), dict[int, list[int]](), list[tuple[Fraction, int]](), True
    for k, (found, rows, fallible, lowest) in passes.map(_of_block, weights, TIES[tie]):
        if found > square:
            square = found
            parts.clear()
        if found == square:
            parts[k] = rows
        all_fallible = all_fallible and fallible
        least += [] if lowest is None else [lowest]
    refuse_infallible(all_fallible, tie, "bound the mistakes")
    given = None if weights is None else star_of(weights, problem, *min(least))
    left = None if clock.limit is None else max(clock.left(), _LEAST_SECONDS)
    margin, obstruction = margin_or_obstruction(problem, exact, time_limit=left)
    return MistakeBound(
        radius_squared=square, longest=tuple(row for k in sorted(parts) for row in parts[k]), margin=margin,
        obstruction=obstruction, star=given, tie=tie, problem=problem,
    )  # fmt: skip


def margin_or_obstruction(
    problem: BatchedProblem, exact: bool | None = None, **options: Any
) -> tuple[Margin | None, Certificate | None]:
    """Find the margin of all rows, exactly if they are few, or what proves that there is none."""
    if exact is None:
        exact = problem.n * problem.width <= MAX_NUMBERS_FOR_EXACT_MARGIN
    options |= {"positive": problem.classes[-1], "fit_intercept": problem.intercept, "exact": exact}
    try:
        found: Margin = problem.batches.margin(kind="lifted", **options)
    except NotSeparable as error:
        return None, error.certificate
    return found, None


def refuse_infallible(all_fallible: bool, tie: str, purpose: str) -> None:
    """Refuse rows that are never wrong, which the margin would have to leave out."""
    if not all_fallible:
        raise ValueError(
            f"Rows of zeros are never wrong here, as a score of 0 predicts the {tie} class, and have no margin: leave them "
            f"out of the stream to {purpose}."
        )


def _of_block(
    problem: Problem, start: int, weights: Dyadic | Quotient | None, tie: int
) -> tuple[Fraction, list[int], bool, tuple[Fraction, int] | None]:
    """Return the largest square of a length, the rows that have it, whether all rows can be wrong, and the least score."""
    square, rows = longest_rows(Lifted.of(problem))
    fallible = bool(np.all(problem.is_fallible(tie)))
    least = None if weights is None or not fallible else least_at(problem, start, weights, tie)
    return square, [start + row for row in rows], fallible, least
