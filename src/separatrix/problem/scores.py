"""What hyperplanes say of rows: scores whose signs, and whose largest, are exact, and the classes they predict.

Weights are exact, and so are predictions. Scores are shown as float64, but so that whoever goes by them predicts the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.error_free import UNIT
from ..compiled.signs import OPEN
from ..exact.dyadic import Dyadic, Quotient
from ..exact.products import exact_score
from ..exact.rounding import nearest, rounded_in_order
from .exact_rows import ExactRows
from .largest import certain_leaders, leaders_of, vectors_of
from .lifted import SAFE, Lifted
from .problem import Problem
from .rows import affine_scores, steady_scores, transposed
from .sums import total
from .ties import predictions

_MANY_NUMBERS = 20_000
"""Numbers of rows from which on their exact scores are found in a compiled loop."""

_CLOSE = 2.0**-30
"""How far off, relative to itself or to 1, a score may be that is close."""


def unlabelled(rows: ExactRows, size: int) -> Lifted:
    """Lift rows that are all labelled 1: their scores under so many weights, the intercept last, are ``w.x + b``."""
    return Lifted.of(Problem.bare(rows, size > rows.shape[1]))


def exact_signs(rows: ExactRows, weights: Dyadic | Quotient) -> NDArray[np.int64]:
    """Exact signs of ``w.x + b`` for weights with the intercept last (if there are d + 1)."""
    return unlabelled(rows, len(weights)).signs(weights.numerators)


def predicted_codes(rows: ExactRows, weights: Dyadic | Quotient, vectors: int, tie: int) -> Indices:
    """Return the place of the class that is predicted for each row, by the sign of one score or the largest of several."""
    if vectors == 1:
        return (predictions(exact_signs(rows, weights), tie) == 1).astype(np.int64)
    return leaders_of(unlabelled(rows, len(weights) // vectors), weights.numerators, vectors, tie)


def scores(rows: ExactRows, weights: Dyadic | Quotient) -> Floats:
    """Scores ``w.x + b`` in float64, with the sign of the exact score; correctly rounded where they nearly cancel."""
    lifted = unlabelled(rows, len(weights))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = steady_scores(rows.numerators, weights.round(), float(rows.denominator)) + 0.0  # never -0.0
        if rows.denominator != 1:
            values /= rows.denominator
    signs = lifted.classify(weights.numerators)  # UNKNOWN is the sign of no float
    for i in np.flatnonzero((np.sign(values) != signs) | ~np.isfinite(values)).tolist():
        values[i] = nearest(_score(lifted, i, weights))
    return values


def close_scores(rows: ExactRows, weights: Floats) -> Floats:
    """Scores ``w.x + b`` in float64, each off by a billionth of itself, or of 1, at the most.

    Where terms cancel so far that floating point cannot promise it, exact scores are rounded.
    """
    lifted = unlabelled(rows, weights.size)
    units, unit = (rows.shape[1] + 4) * UNIT, rows.denominator
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = affine_scores(rows.numerators, weights, float(unit)) / unit
        most = _CLOSE * np.maximum(np.abs(values), 1.0)
        doubtful = np.flatnonzero(~(units * float(np.linalg.norm(weights)) * (lifted.rows.norms / unit) <= most))
        if doubtful.size and rows.wide is None:
            terms = affine_scores(abs(rows.numerators[doubtful]), np.abs(weights), float(unit)) / unit
            doubtful = doubtful[~(units * terms <= most[doubtful])]
    if doubtful.size:
        numbers, counted_in = _exact_scores(lifted.problem, Dyadic.from_parts(weights), doubtful.tolist())
        values[doubtful] = [nearest(number * counted_in / unit) for number in numbers]
    return values


def compared_scores(rows: ExactRows, weights: Dyadic | Quotient, vectors: int) -> Floats:
    """Scores under several vectors of weights, laid end to end, of shape (n, vectors).

    The largest of a row is the largest of its exact scores; where several are equal, and no others, so are these.
    """
    each = vectors_of(weights, vectors)
    values = np.stack([scores(rows, vector) for vector in each], axis=1)
    lifted = unlabelled(rows, len(each[0]))
    unknown = (2 * lifted.rows.longest + 16) * UNIT  # of float scores, and of the rounded weights that they are made with
    doubtful = certain_leaders(lifted, weights.numerators, vectors, 0, unknown) == OPEN
    doubtful |= ~np.isfinite(values).all(axis=1)  # infinite ones are equal, the exact ones not
    # Below the normal numbers rounding is coarse: of scores, and of weights whatever the scores.
    doubtful |= (np.abs(values).max(axis=1) < SAFE) | (float(np.abs(weights.round()).max()) < SAFE)
    for i in np.flatnonzero(doubtful).tolist():
        values[i] = rounded_in_order([_score(lifted, i, vector) for vector in each])
    return values


def _score(lifted: Lifted, i: int, weights: Dyadic | Quotient) -> Fraction:
    """Return the exact score of row i."""
    score = exact_score(weights.numerators, *lifted.problem.row(i))
    return score / (weights.divisor * lifted.problem.rows.denominator)


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
        found.append(_least_of(lifted.problem, weights, near))
    return found


def _least_of(problem: Problem, weights: Dyadic, rows: list[int]) -> tuple[Fraction, int]:
    """Return the least exact score of some signed, lifted rows, times the denominator of the rows, and the first of them.

    Many, as where rows are tied, are compared as integers.
    """
    numbers, unit = _exact_scores(problem, weights, rows)
    least, first = min(zip(numbers, rows, strict=True))
    return least * unit, first


def _exact_scores(problem: Problem, weights: Dyadic, rows: list[int]) -> tuple[Sequence[int | Fraction], Fraction]:
    """Return the exact scores of some signed, lifted rows, times the denominator of the rows, and what they count in."""
    if len(rows) * problem.measures.longest < _MANY_NUMBERS or problem.rows.wide is not None:
        return [exact_score(weights, *problem.row(i)) for i in rows], Fraction(1)
    numbers, exponent = _whole_scores(problem, weights, rows)
    return numbers, Fraction(2) ** exponent


def _whole_scores(problem: Problem, weights: Dyadic, rows: list[int]) -> tuple[list[int], int]:
    """Return the exact scores of some signed, lifted rows, times the denominator of the rows: integers, and their exponent.

    They are found in a compiled loop: the scores of rows are a sum of columns, each times its weight.
    """
    integers = weights.integers
    multiples = np.zeros(problem.d, object)
    multiples[:] = [abs(number) for number in integers[: problem.d]]
    signs = np.array([-1.0 if number < 0 else 1.0 for number in integers[: problem.d]])
    sums = total(Problem.bare(ExactRows(transposed(problem.X[rows])), False, signs), multiples)
    last = integers[problem.d] * problem.constant if problem.intercept else 0
    exponent = min(sums.exponent, 0)
    up, more = sums.exponent - exponent, last << -exponent
    pairs = zip(sums.integers, problem.y[rows].tolist(), strict=True)
    return [int(sign) * ((number << up) + more) for number, sign in pairs], exponent + weights.exponent
