"""What hyperplanes say of rows: scores whose signs are exact, and the classes they predict."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .exact import Dyadic, Floats, product
from .kernels.floats import UNDERFLOW, UNIT
from .kernels.signs import predicted
from .lifted import Lifted
from .problem import Measures, Problem, Rows, measured


def _lifted(X: Rows, measures: Measures, weights: Floats) -> Lifted:
    """Rows all labelled 1: their scores under the weights, the intercept last (if there are d + 1), are ``w.x + b``."""
    n, d = X.shape
    return Lifted.of(Problem(X, np.ones(n), (1,), weights.size > d, None, None, n, None, measures))


def exact_signs(X: Rows, measures: Measures, weights: Floats) -> NDArray[np.int64]:
    """Exact signs of ``w.x + b`` for float64 weights, the intercept last (if there are d + 1)."""
    return _lifted(X, measures, weights).signs(Dyadic.from_parts(weights))


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


def largest(X: Rows, measures: Measures, weights: Floats) -> NDArray[np.int64]:
    """Tell which of several weight vectors gives each row the largest score ``w.x + b``, exactly; the first of equals.

    The vectors are the rows of ``weights``, the intercepts last (if there are d + 1 columns).
    """
    n, count = X.shape[0], weights.shape[0]
    lifted = _lifted(X, measures, weights[0])
    vectors = [Dyadic.from_parts(vector) for vector in weights]
    powers = [vector.magnitude() for vector in vectors]  # now: a bound, which may change once integers are made
    top = max((power for power, vector in zip(powers, vectors, strict=True) if vector), default=0)
    low, high = np.empty((n, count)), np.empty((n, count))
    for k, vector in enumerate(vectors):
        values, errors = lifted.scores(vector)
        power = min(0, powers[k] - top)  # these scores are those of a vector with entries below 1
        values = np.ldexp(values, power)
        errors = np.ldexp(errors, power) + 4 * UNIT * np.abs(values) + UNDERFLOW
        low[:, k], high[:, k] = values - errors, values + errors
    possible = ~(high < low.max(axis=1, keepdims=True))  # so that what is not known, NaN, is possible too
    winners: NDArray[np.int64] = possible.argmax(axis=1)
    doubtful = np.flatnonzero(np.count_nonzero(possible, axis=1) > 1)
    if doubtful.size:
        winners[doubtful] = _knock_out(X[doubtful], weights, possible[doubtful])
    return winners


def _knock_out(X: Rows, weights: Floats, possible: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Compare the scores of possible winners one after another, by exact signs of their differences."""
    best: NDArray[np.int64] = possible.argmax(axis=1)
    for k in range(1, weights.shape[0]):
        challenged = possible[:, k] & (best < k)
        for holder in np.unique(best[challenged]).tolist():
            rows = np.flatnonzero(challenged & (best == holder))
            some = X[rows]
            signs = _lifted(some, measured(some), weights[k]).signs(_difference(weights[k], weights[holder]))
            best[rows[signs > 0]] = k
    return best


def _difference(a: Floats, b: Floats) -> Dyadic:
    """Return ``a - b`` exactly: as its rounded value and what rounding lost (Knuth's TwoSum), if that cannot overflow."""
    if max(np.abs(a).max(), np.abs(b).max()) > 2.0**1000:
        whole = Dyadic.from_parts(np.stack([a, -b]))
        return Dyadic(whole.integers, whole.exponent)
    rounded = a - b
    taken = rounded - a
    return Dyadic.from_parts(np.stack([rounded, (a - (rounded - taken)) - (b + taken)]))


def nearest(number: Fraction) -> float:
    """Round to the nearest float64 that keeps the sign: never to 0 from a number that is not, infinity if too large."""
    try:
        rounded = number.numerator / number.denominator
    except OverflowError:
        return np.inf if number > 0 else -np.inf
    if rounded == 0.0 and number:
        return 5e-324 if number > 0 else -5e-324
    return rounded
