"""The perceptron for more than two classes, by Kesler's construction: a vector of weights for each class.

At a visit to a row of class c its rival is the class other than c with the largest exact score, the first in order among
equals. If the rival wins, the row is added to the weights of c and subtracted from those of the rival. All vectors are laid
end to end: then this is the perceptron of two classes on rows that hold x in one place and -x in another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.error_free import UNIT
from ..compiled.multiclass_run import Multiclass
from ..compiled.run import RIGHT, Stop
from ..compiled.signs import OPEN
from ..exact.dyadic import Dyadic
from ..problem.largest import certain_leaders, exact_scores, leaders_of, table_of
from ..problem.lifted import aligned
from ..problem.multiclass import Classes
from ..problem.sums import weighted_total
from ..problem.ties import leader, rival
from .orders import UNLIMITED
from .run import Run


class MulticlassRun(Run):
    """The perceptron on a problem of several classes; its weights are those of all classes, end to end.

    Parameters and the rest are those of `Run`. An exact tie of the largest scores goes to the first class in order under the
    rule "negative", to the last under "positive", and is a mistake under "update".
    """

    problem: Classes

    def _laid_out(self, parts: Floats, loss: Floats, **known: Any) -> Any:
        lifted, vectors = self._lifted, self.problem.vectors
        plain = aligned((vectors, lifted.columns), np.float64)
        return Multiclass(
            rows=lifted.rows,
            codes=self.problem.codes,
            pending=np.empty((2, self._budget()), np.int64),
            v=plain.reshape(-1),
            vectors=plain,
            scores=np.empty(vectors),
            **table_of(lifted, parts, loss, vectors)._asdict(),
            **known,
        )

    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> Stop:
        """Visit rows, as `Run.advance` does."""
        # Kernels that take no order as well as one would be twice as many to compile.
        return super().advance(np.arange(self.problem.n) if order is None else order, passes, limit)

    def _decide(self, i: int) -> int:
        found = rival(self._exact_scores(i, self.weights()), int(self.problem.codes[i]), self.tie)
        return RIGHT if found is None else found

    def _note(self, changed: Indices, i: int, found: int, number: int) -> None:
        changed[i, self.problem.codes[i]] += number
        changed[i, found] -= number

    def _take_over(self) -> None:
        self._kernel.parts[0], self._kernel.parts[1:] = self._kernel.v, 0.0

    def _settle_in_bulk(self, mistakes: int) -> bool:
        return False  # each mistake changes two vectors, whose sums would have to be kept apart

    def _sum_of_rows(self, multiples: NDArray[Any]) -> Dyadic:
        problem = self.problem
        sums = [
            weighted_total(problem.against_the_rest(k), np.abs(multiples[:, k]), self.row_steps, self.factor)
            for k in range(self.problem.vectors)
        ]
        return Dyadic.joined(sums)

    def errs(self, weights: Dyadic) -> bool:
        """Whether weights predict another class than its own for a row."""
        return bool(np.any(leaders_of(self._lifted, weights, self.problem.vectors, self.tie) != self.problem.codes))

    def _exact_scores(self, i: int, weights: Dyadic) -> list[int]:
        return exact_scores(self.problem, i, weights, self.problem.vectors)

    def _doubtful(self, rounded: Dyadic) -> list[int]:
        found = certain_leaders(self._lifted, rounded, self.problem.vectors, self.tie, 2 * UNIT)
        return np.flatnonzero(found == OPEN).tolist()

    def _predicted(self, i: int, weights: Dyadic) -> int:
        return leader(self._exact_scores(i, weights), self.tie)
