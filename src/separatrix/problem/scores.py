"""What hyperplanes say of rows: scores whose signs are exact, and the classes they predict."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..exact.dyadic import Dyadic, exact_score
from ..exact.rounding import nearest
from .lifted import Lifted
from .problem import Problem
from .rows import Measures, affine_scores
from .ties import predictions


def _lifted(X: Rows, measures: Measures, weights: Floats) -> Lifted:
    """Rows all labelled 1: their scores under the weights, the intercept last (if there are d + 1), are ``w.x + b``."""
    return Lifted.of(Problem.bare(X, weights.size > X.shape[1], measures=measures))


def exact_signs(X: Rows, measures: Measures, weights: Floats) -> NDArray[np.int64]:
    """Exact signs of ``w.x + b`` for float64 weights, the intercept last (if there are d + 1)."""
    return _lifted(X, measures, weights).signs(Dyadic.from_parts(weights))


def predict_signs(X: Rows, measures: Measures, weights: Floats, tie: int) -> NDArray[np.int64]:
    """Return the predicted class of each row, -1, 1, or 0 where the tie rule leaves it open."""
    return predictions(exact_signs(X, measures, weights), tie)


def scores(X: Rows, measures: Measures, weights: Floats) -> Floats:
    """Scores ``w.x + b`` in float64, with the sign of the exact score; correctly rounded where they nearly cancel."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = affine_scores(X, weights) + 0.0  # never -0.0
    exact = Dyadic.from_parts(weights)
    lifted = _lifted(X, measures, weights)
    signs = lifted.classify(exact)  # UNKNOWN is the sign of no float
    for i in np.flatnonzero((np.sign(values) != signs) | ~np.isfinite(values)).tolist():
        values[i] = nearest(exact_score(exact, *lifted.problem.row(i)))
    return values


def least_score(lifted: Lifted, weights: Dyadic) -> Fraction:
    """Return the exact least score of signed, lifted rows."""
    [(score, _)] = least_scores(lifted, weights, [np.ones(lifted.problem.n, bool)])
    return score


def least_scores(lifted: Lifted, weights: Dyadic, groups: Sequence[NDArray[np.bool_]]) -> list[tuple[Fraction, int]]:
    """Return for each group of signed, lifted rows the exact least score, and the first row that has it.

    Scores in floating point, with bounds of their errors, tell which rows may have it, which are few.
    """
    values, errors = lifted.scores(weights)
    found = []
    for group in groups:
        highest = np.where(group, values + errors, np.inf).min()
        near = np.flatnonzero(group & ~(values - errors > highest)).tolist()  # where it is NaN, a row may have it, too
        found.append(min((exact_score(weights, *lifted.problem.row(i)), i) for i in near))
    return found
