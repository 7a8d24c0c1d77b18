"""The perceptron for more than two classes, by Kesler's construction: a vector of weights for each class.

At a visit to a row of class c its rival is the class other than c with the largest exact score, the first in order among
equals. If the rival wins, the row is added to the weights of c and subtracted from those of the rival. All vectors are laid
end to end: then this is the perceptron of two classes on rows that hold x in one place and -x in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.binary_run import OWED, ROOMY
from ..compiled.error_free import UNIT
from ..compiled.largest import OPEN
from ..compiled.multiclass_run import RIGHT, advance, settle
from ..exact.dyadic import Dyadic
from ..problem.largest import exact_scores, leader, leaders, table_of
from ..problem.multiclass import Classes
from ..problem.sums import weighted_total
from .run import _BUDGET, _GLANCE, Run


class MulticlassRun(Run):
    """The perceptron on a problem of several classes; its weights are those of all classes, end to end.

    Parameters and the rest are those of `Run`, except that ``timed`` is not for it. An exact tie of the largest scores goes
    to the first class in order under the rule "negative", to the last under "positive", and is a mistake under "update".
    """

    problem: Classes
    _undecided = OPEN

    def _prepare(self) -> bool:
        self._rows = self._lifted.rows
        if not self._scale_steps():
            return False
        parts, loss = self._begin()
        self._weights = table_of(self._lifted, parts, loss, self.problem.vectors)
        self._pending = np.empty((2, _BUDGET), np.int64)
        self._plain = np.zeros((self.problem.vectors, self._lifted.columns))
        self._scores = np.empty(self.problem.vectors)
        self._grid = 0.0 if loss.any() else self._find_grid()
        self._visits = max(1, _GLANCE // ((self._rows.longest + 1) * self.problem.vectors))
        return True

    def _go_on(self, order: Indices | None, passes: int, limit: int, known: int) -> int:
        # No optional arguments, each of which would double the number of kernels to compile.
        sums = np.empty((0, self.problem.vectors), np.int64) if self._moments is None else self._moments.sums
        order = np.arange(self.problem.n) if order is None else order
        reason: int = advance(
            self._rows, self.problem.codes, order, self._steps, self._largest_step, self.tie, self._grid, self._room,
            self._weights, self._pending, self._plain, self._scores, self.counts, self._trace, sums, self._per_visit,
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

    def _settle(self) -> None:
        owed, roomy = int(self._state[OWED]), bool(self._state[ROOMY])
        self._half_settled = True  # until done: Ctrl-C may come in between
        settle(
            self._rows, self.problem.codes, self._steps, roomy, self._weights, self._pending, owed, self._lifted.columns
        )  # fmt: skip
        self._state[OWED] = 0
        self._half_settled = False

    def _sum_of_rows(self, multiples: NDArray[Any]) -> Dyadic:
        problem = self.problem
        sums = [
            weighted_total(problem.against_the_rest(k), np.abs(multiples[:, k]), self.row_steps, self.factor)
            for k in range(self.problem.vectors)
        ]
        return Dyadic.joined(sums)

    def _exact_scores(self, i: int, weights: Dyadic) -> list[int]:
        return exact_scores(self.problem, i, weights, self.problem.vectors)

    def changed_by_rounding(self, exact: Dyadic, rounded: Floats) -> int:
        """Count the rows of which these weights, rounded from a multiple of exact ones, predict another class."""
        approximate = Dyadic.from_parts(rounded)
        if self._faithful and exact.holds(rounded):
            return 0
        last = self.tie > 0
        rows: Iterable[int] = range(self.problem.n)
        if self._lifted.faithful and not np.any((np.abs(rounded) < 2.0**-1021) & ~exact.zeros()):
            found = leaders(self._lifted, approximate, self.problem.vectors, last, 2 * UNIT)
            rows = np.flatnonzero(found == OPEN).tolist()
        return sum(
            leader(self._exact_scores(i, exact), last) != leader(self._exact_scores(i, approximate), last) for i in rows
        )


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
