"""The perceptron for more than two classes, by Kesler's construction: a vector of weights for each class.

At a visit to a row of class c its rival is the class other than c with the largest exact score, the first in order among
equals. If the rival wins, the row is added to the weights of c and subtracted from those of the rival. All vectors are laid
end to end: then this is the perceptron of two classes on rows that hold x in one place and -x in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .exact import Dyadic, Floats, product
from .kernels.floats import UNIT
from .kernels.kesler import OPEN, PAIR_NORM, RIGHT, Table, advance, leaders, settle
from .kernels.visits import OWED, ROOMY
from .learner import Indices
from .lifted import Lifted
from .moments import weighted_total
from .problem import Measures, Problem, Rows
from .run import _BUDGET, _GLANCE, Run


@dataclass(frozen=True)
class Classes(Problem):
    """Labelled rows of more than two classes: ``y`` is 1 for all, and `codes` are their classes, counted from 0."""

    codes: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of_labels(cls, X: Any, labels: NDArray[Any], classes: list[Any], intercept: bool, weights: ArrayLike | None) -> Self:
        """Validate rows and labels, as `Problem.of` does."""
        problem = Problem.of(X, labels, classes=classes, positive=classes[-1], intercept=intercept, sample_weight=weights)
        kept = labels if problem.kept is None else labels[problem.kept]
        codes = np.searchsorted(np.array(classes), kept).astype(np.int64)
        fields = {**problem.__dict__, "y": np.ones(problem.n), "classes": tuple(classes)}
        return cls(**fields, codes=codes)

    def against_the_rest(self, k: int) -> Problem:
        """Return the problem of class k against all others."""
        return replace(self, y=np.where(self.codes == k, 1.0, -1.0))


class KeslerRun(Run):
    """The perceptron on a problem of several classes; its weights are those of all classes, end to end.

    Parameters and the rest are those of `Run`, except that ``timed`` is not for it. An exact tie of the largest scores goes
    to the first class in order under the rule "negative", to the last under "positive", and is a mistake under "update".
    """

    problem: Classes
    _undecided = OPEN
    _exact: Dyadic | None = None
    _exact_counts: Indices

    def _vectors(self) -> int:
        return len(self.problem.classes)

    def _prepare(self) -> bool:
        self._rows = self._lifted.rows
        if not self._scale_steps():
            return False
        parts, loss = self._begin()
        self._table = _table(self._lifted, parts, loss, self._vectors())
        self._pending = np.empty((2, _BUDGET), np.int64)
        self._plain = np.zeros((self._vectors(), self._lifted.columns))
        self._scores = np.empty(self._vectors())
        self._grid = 0.0 if loss.any() else self._find_grid()
        self._visits = max(1, _GLANCE // ((self._rows.longest + 1) * self._vectors()))
        return True

    def _go_on(self, order: Indices | None, passes: int, limit: int, known: int) -> int:
        # No optional arguments, each of which would double the number of kernels to compile.
        sums = np.empty((0, self._vectors()), np.int64) if self._moments is None else self._moments.sums
        order = np.arange(self.problem.n) if order is None else order
        reason: int = advance(
            self._rows, self.problem.codes, order, self._steps, self._largest_step, self.tie, self._grid, self._room,
            self._table, self._pending, self._plain, self._scores, self.counts, self._trace, sums, self._per_visit,
            self._state, passes, limit, self._visits, known,
        )  # fmt: skip
        return reason

    def _decide(self, i: int) -> int:
        return _rival(self._exact_scores(i, self.weights()), int(self.problem.codes[i]), self.tie)

    def _errs(self, i: int, known: int) -> bool:
        return known != RIGHT

    def _note(self, changed: Indices, i: int, known: int, number: int) -> None:
        changed[i, self.problem.codes[i]] += number
        changed[i, known] -= number

    def weights(self) -> Dyadic:
        """Return the exact weights of all classes, end to end, the intercept of each last."""
        if self._faithful and not self._half_settled:
            self._settle()
            if not np.any(self._table.loss):
                parts = self._table.parts.reshape(-1, self._vectors(), self._lifted.columns)
                kept = self._lifted.unplace(parts)
                return Dyadic.from_parts(kept.reshape(kept.shape[0], -1).copy(), -self._scale)
        if self._exact is None:
            self._exact, self._exact_counts = self.start, np.zeros_like(self.counts)
        new = self.counts - self._exact_counts
        if np.any(new):
            self._exact, self._exact_counts = self._exact.plus(self._sum_of_rows(new)), self.counts.copy()
        return self._exact

    def _settle(self) -> None:
        owed, roomy = int(self._state[OWED]), bool(self._state[ROOMY])
        self._half_settled = True  # until done: Ctrl-C may come in between
        settle(
            self._rows, self.problem.codes, self._steps, roomy, self._table, self._pending, owed, self._lifted.columns
        )  # fmt: skip
        self._state[OWED] = 0
        self._half_settled = False

    def _sum_of_rows(self, multiples: NDArray[Any]) -> Dyadic:
        problem = self.problem
        sums = [
            weighted_total(problem.against_the_rest(k), np.abs(multiples[:, k]), self.row_steps, self.factor)
            for k in range(self._vectors())
        ]
        return Dyadic.joined(sums)

    def _exact_scores(self, i: int, weights: Dyadic) -> list[int]:
        return exact_scores(self.problem, i, weights, self._vectors())

    def changed_by_rounding(self, exact: Dyadic, rounded: Floats) -> int:
        """Count the rows of which these weights, rounded from a multiple of exact ones, predict another class."""
        approximate = Dyadic.from_parts(rounded)
        if self._faithful and exact.holds(rounded):
            return 0
        last = self.tie > 0
        rows: Iterable[int] = range(self.problem.n)
        if self._lifted.faithful and not np.any((np.abs(rounded) < 2.0**-1021) & ~exact.zeros()):
            found = _leaders(self._lifted, approximate, self._vectors(), last, 2 * UNIT)
            rows = np.flatnonzero(found == OPEN).tolist()
        return sum(
            _leader(self._exact_scores(i, exact), last) != _leader(self._exact_scores(i, approximate), last) for i in rows
        )


# The same in integers.


def exact_scores(problem: Problem, i: int, weights: Dyadic, vectors: int) -> list[int]:
    """Return the exact scores of a row under several vectors of weights, in some unit."""
    columns, entries = problem.row(i)
    size = len(weights) // vectors
    parts = [weights.integers[k * size : (k + 1) * size] for k in range(vectors)]
    return [product(Dyadic(part, 0), columns, entries)[0] for part in parts]


def _leader(scores: list[int], last: bool) -> int:
    top = max(scores)
    return len(scores) - 1 - scores[::-1].index(top) if last else scores.index(top)


def _rival(scores: list[int], c: int, tie: int) -> int:
    """Return the rival that a row of class c is mistaken for, or `RIGHT`."""
    top = max(score for k, score in enumerate(scores) if k != c)
    tied = [k for k, score in enumerate(scores) if k != c and score == top]
    if scores[c] > top:
        return RIGHT
    if scores[c] < top or tie == 0:
        return tied[0]
    other = tied[-1] if tie > 0 else tied[0]
    return tied[0] if (other - c) * tie > 0 else RIGHT


# Predictions.


def _table(lifted: Lifted, parts: Floats, loss: Floats, vectors: int) -> Table:
    """Lay out weights for the kernels."""

    def placed(numbers: Floats) -> Floats:
        shape = numbers.shape[:-1]
        return np.array(lifted.place(numbers.reshape(*shape, vectors, -1)), order="C").reshape(*shape, -1)

    columns, entries, _ = lifted.buffers()
    terms = np.empty(12 * (lifted.rows.longest + 2))
    return Table(
        placed(parts),
        placed(loss),
        columns,
        entries,
        np.empty(2 * columns.size, np.int64),
        np.empty(2 * columns.size),
        terms,
    )


def _leaders(lifted: Lifted, weights: Dyadic, vectors: int, last: bool, unknown: float | None = None) -> Indices:
    """Return the class of the largest exact score for each row, or `OPEN`.

    With ``unknown``, only for rows of which it is certain whatever the weights are within that part of their length.
    """
    result = np.full(lifted.problem.n, OPEN, np.int64)
    if not lifted.faithful:
        return result
    parts, loss = weights.split(3, -weights.magnitude())
    table = _table(lifted, parts, loss, vectors)
    norm = float(np.linalg.norm(table.parts[0])) * (1 + 2.0**-20) + 2.0**-500
    low = float(np.linalg.norm(np.abs(table.parts[1:]).sum(axis=0) + 1.01 * table.loss)) * (1 + 2.0**-20)
    error = PAIR_NORM * (((2 * lifted.rows.longest + 4) * UNIT * (1 + 2.0**-20) + (unknown or 0.0)) * norm + low)
    first = table.parts[0].reshape(vectors, -1).copy()
    leaders(
        lifted.rows, table, first, error if unknown is None else -error, last, np.empty(vectors), first.shape[1], result
    )  # fmt: skip
    return result


def predict_codes(X: Rows, measures: Measures, weights: Floats, tie: int) -> Indices:
    """Return the class of the largest exact score, ``weights`` with a row for each, the intercept last (if there is one)."""
    n, d = X.shape
    problem = Problem(X, np.ones(n), (1,), weights.shape[1] > d, None, None, n, None, measures)
    exact, vectors, last = Dyadic.from_parts(weights.reshape(1, -1)), weights.shape[0], tie > 0
    codes = _leaders(Lifted.of(problem), exact, vectors, last)
    for i in np.flatnonzero(codes == OPEN).tolist():
        codes[i] = _leader(exact_scores(problem, i, exact, vectors), last)
    return codes


__all__ = ["Classes", "KeslerRun", "predict_codes"]
