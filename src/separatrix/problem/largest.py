"""Which of several vectors of weights gives each row the largest exact score; the vectors are laid end to end."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Floats, Indices, Rows
from ..compiled.error_free import UNIT
from ..compiled.largest import OPEN, PAIR_NORM, Table, find_leaders
from ..exact.dyadic import Dyadic, integer_score
from .lifted import Lifted
from .problem import Problem
from .rows import Measures


def largest(X: Rows, measures: Measures, weights: Floats, *, last: bool = False) -> Indices:
    """Tell which rows of ``weights`` give the rows of ``X`` the largest scores ``w.x + b``, exactly.

    Of equals the first is taken, or the last. The intercepts come last, if there are d + 1 columns.
    """
    lifted = Lifted.of(Problem.bare(X, weights.shape[1] > X.shape[1], measures=measures))
    exact, vectors = Dyadic.from_parts(weights.reshape(1, -1)), weights.shape[0]
    found = leaders(lifted, exact, vectors, last)
    for i in np.flatnonzero(found == OPEN).tolist():
        found[i] = leader(exact_scores(lifted.problem, i, exact, vectors), last)
    return found


def leaders(lifted: Lifted, weights: Dyadic, vectors: int, last: bool, unknown: float | None = None) -> Indices:
    """Return the vector of the largest exact score for each row, or `OPEN` where integers must find out.

    With ``unknown``, only for rows of which it is certain whatever the weights are within that part of their length.
    """
    result = np.full(lifted.problem.n, OPEN, np.int64)
    if not lifted.faithful:
        return result
    parts, loss = weights.split(3, -weights.magnitude())
    table = table_of(lifted, parts, loss, vectors)
    norm = float(np.linalg.norm(table.parts[0])) * (1 + 2.0**-20) + 2.0**-500
    low = float(np.linalg.norm(np.abs(table.parts[1:]).sum(axis=0) + 1.01 * table.loss)) * (1 + 2.0**-20)
    error = PAIR_NORM * (((2 * lifted.rows.longest + 4) * UNIT * (1 + 2.0**-20) + (unknown or 0.0)) * norm + low)
    first = table.parts[0].reshape(vectors, -1).copy()
    find_leaders(
        lifted.rows, table, first, error if unknown is None else -error, last, np.empty(vectors), first.shape[1], result
    )  # fmt: skip
    return result


def table_of(lifted: Lifted, parts: Floats, loss: Floats, vectors: int) -> Table:
    """Lay out weights for the kernels."""

    def placed(numbers: Floats) -> Floats:
        shape = numbers.shape[:-1]
        return np.array(lifted.place(numbers.reshape(*shape, vectors, -1)), order="C").reshape(*shape, -1)

    columns, entries, _ = lifted.buffers()
    pairs = np.empty(2 * columns.size, np.int64), np.empty(2 * columns.size)
    terms = np.empty(12 * (lifted.rows.longest + 2))
    return Table(placed(parts), placed(loss), columns, entries, *pairs, terms)


# The same in integers.


def exact_scores(problem: Problem, i: int, weights: Dyadic, vectors: int) -> list[int]:
    """Return the exact scores of a row under several vectors of weights, in some unit."""
    columns, entries = problem.row(i)
    size = len(weights) // vectors
    parts = [weights.integers[k * size : (k + 1) * size] for k in range(vectors)]
    return [integer_score(Dyadic(part, 0), columns, entries)[0] for part in parts]


def leader(scores: list[Any], last: bool) -> int:
    """Return the place of the largest score, the first of equals, or the last."""
    top = max(scores)
    return len(scores) - 1 - scores[::-1].index(top) if last else scores.index(top)
