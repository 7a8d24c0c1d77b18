"""Which of several vectors of weights gives each row the largest exact score; the vectors are laid end to end."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Indices
from ..compiled.error_free import UNIT
from ..compiled.largest import PAIR_NORM, Table, find_leaders
from ..compiled.rows import Buffers
from ..compiled.signs import OPEN
from ..exact.dyadic import Dyadic, Quotient
from ..exact.products import integer_score
from .lifted import Lifted
from .problem import Problem
from .ties import leader, prefers_last


def leaders_of(lifted: Lifted, weights: Dyadic, vectors: int, tie: int) -> Indices:
    """Tell which of several vectors of weights gives each row the largest score, exactly; of equals the tie rule chooses."""
    found = certain_leaders(lifted, weights, vectors, tie)
    for i in np.flatnonzero(found == OPEN).tolist():
        found[i] = leader(exact_scores(lifted.problem, i, weights, vectors), tie)
    return found


def vectors_of(weights: Dyadic | Quotient, vectors: int) -> list[Dyadic | Quotient]:
    """Take vectors apart that are laid end to end."""
    size = len(weights) // vectors
    return [weights.part(k * size, (k + 1) * size) for k in range(vectors)]


def certain_leaders(lifted: Lifted, weights: Dyadic, vectors: int, tie: int, unknown: float | None = None) -> Indices:
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
    error = error if unknown is None else -error
    find_leaders(lifted.rows, table, first, error, prefers_last(tie), np.empty(vectors), result)
    return result


def table_of(lifted: Lifted, parts: Floats, loss: Floats, vectors: int) -> Table:
    """Lay out weights for the kernels."""

    def placed(numbers: Floats) -> Floats:
        shape = numbers.shape[:-1]
        return np.array(lifted.place(numbers.reshape(*shape, vectors, -1)), order="C").reshape(*shape, -1)

    row = lifted.buffers()
    pair = Buffers(np.empty(2 * row.columns.size, np.int64), np.empty(2 * row.entries.size), np.empty(2 * row.terms.size))
    return Table(placed(parts), placed(loss), row, pair)


def exact_scores(problem: Problem, i: int, weights: Dyadic, vectors: int) -> list[int]:
    """Return the exact scores of a row under several vectors of weights, in some unit."""
    columns, entries = problem.row(i)
    size = len(weights) // vectors
    parts = [weights.integers[k * size : (k + 1) * size] for k in range(vectors)]
    return [integer_score(Dyadic(part, 0), columns, entries)[0] for part in parts]
