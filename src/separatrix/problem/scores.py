"""What hyperplanes say of rows: scores whose signs are exact, and the classes they predict."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..exact.dyadic import Dyadic, product
from ..exact.rounding import nearest
from .lifted import Lifted
from .problem import Problem
from .rows import Measures
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
    d = X.shape[1]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values: Floats = X @ weights[:d] + (weights[d] if weights.size > d else 0.0)
    exact = Dyadic.from_parts(weights)
    lifted = _lifted(X, measures, weights)
    signs = lifted.classify(exact)  # UNKNOWN is the sign of no float
    for i in np.flatnonzero((np.sign(values) != signs) | ~np.isfinite(values)).tolist():
        columns, entries = lifted.problem.row(i)
        products = map(Fraction.__mul__, exact.fractions_at(columns), map(Fraction, entries.tolist()))
        values[i] = nearest(sum(products, Fraction(0)))
    return values


def least_score(lifted: Lifted, weights: Dyadic) -> Fraction:
    """Return the exact least score of signed, lifted rows: floating point tells which of them may have it."""
    values, errors = lifted.scores(weights)
    rows = np.flatnonzero(~(values - errors > np.min(values + errors)))
    products = (product(weights, *lifted.problem.row(i)) for i in rows.tolist())
    return min(number * Fraction(2) ** exponent for number, exponent in products)
