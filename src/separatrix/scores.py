"""What a hyperplane says of rows: scores whose signs are exact, and the classes they predict."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .exact import Dyadic, Floats
from .kernels.signs import UNKNOWN, predicted
from .lifted import Lifted
from .problem import Measures, Problem, Rows

_BLOCK = 2**22
"""Numbers to lift at a time."""


def _blocks(X: Rows, measures: Measures, weights: Floats) -> Iterator[tuple[slice, Lifted]]:
    """Lift rows in blocks, all labelled 1: their scores under the weights, the intercept last, are ``w.x + b``."""
    n, d = X.shape
    height = max(1, _BLOCK // d) if isinstance(X, np.ndarray) else n
    for start in range(0, n, height):
        span = slice(start, min(n, start + height))
        rows = X[span] if height < n else X
        part = Measures(measures.norms[span], measures.largest, measures.smallest, measures.longest)
        problem = Problem(rows, np.ones(rows.shape[0]), (1,), weights.size > d, None, None, rows.shape[0], None, part)
        yield span, Lifted.of(problem)


def exact_signs(X: Rows, measures: Measures, weights: Floats) -> NDArray[np.int64]:
    """Exact signs of ``w.x + b`` for float64 weights, the intercept last (if there are d + 1)."""
    signs = np.empty(X.shape[0], np.int64)
    for span, lifted in _blocks(X, measures, weights):
        signs[span] = lifted.signs(Dyadic.from_parts(weights))
    return signs


def predict_signs(X: Rows, measures: Measures, weights: Floats, tie: int) -> NDArray[np.int64]:
    """Return the predicted class of each row, -1, 1, or 0 where the tie rule leaves it open."""
    signs = exact_signs(X, measures, weights)
    signs[signs == 0] = predicted(0, tie)
    return signs


def scores(X: Rows, measures: Measures, weights: Floats) -> Floats:
    """Scores ``w.x + b`` in float64, with the sign of the exact score; correctly rounded where they nearly cancel."""
    d = X.shape[1]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values: Floats = X @ weights[:d] + (weights[d] if weights.size > d else 0.0)
    exact = Dyadic.from_parts(weights)
    for span, lifted in _blocks(X, measures, weights):
        unsure = (lifted.classify(exact) == UNKNOWN) | ~np.isfinite(values[span])
        for i in np.flatnonzero(unsure).tolist():
            columns, entries = lifted.problem.row(i)
            numbers = exact.fractions_at(columns)
            values[span.start + i] = nearest(sum(
                (w * Fraction(x) for w, x in zip(numbers, entries.tolist(), strict=True)), Fraction(0)
            ))  # fmt: skip
    return values


def nearest(number: Fraction) -> float:
    """Round to the nearest float64 that keeps the sign: never to 0 from a number that is not, infinity if too large."""
    try:
        rounded = number.numerator / number.denominator
    except OverflowError:
        return np.inf if number > 0 else -np.inf
    if rounded == 0.0 and number:
        return 5e-324 if number > 0 else -5e-324
    return rounded
