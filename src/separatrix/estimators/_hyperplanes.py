"""What all linear classifiers have in common: one hyperplane for two classes, a score for each of more, compared exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from .._types import Floats, Rows
from ..problem.largest import largest
from ..problem.scores import predict_signs, scores
from ..problem.ties import TIES
from ._inputs import new_rows
from ._parameters import Parameters
from .learnt import Learner


class Hyperplanes(Learner, Parameters, ClassifierMixin, BaseEstimator):
    """A classifier with ``coef_`` of shape (1, d) for two classes, and (K, d), one row for each, for K > 2.

    Two classes are told apart by the exact sign of one score. Of more, the one with the largest score is predicted; scores
    are compared exactly. A score of zero, or a tie for the largest, goes to the first class, or, under the tie rule
    "positive", to the last.
    """

    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]

    _multiclass = True
    """Whether more than two classes are learnt."""

    def decision_function(self, X: Any) -> Floats:
        """Scores ``w.x + b``: of shape (n,) for two classes, positive for the second; of shape (n, K) for K > 2.

        Signs are those of the exact scores of the stored weights: exactly 0 on a hyperplane.
        """
        rows, measures = new_rows(self, X)
        values = [scores(rows, measures, weights) for weights in self._stored_for(rows)]
        return values[0] if len(values) == 1 else np.stack(values, axis=1)

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplanes, ``(w.x + b) / ||w||``; of shape (n,) for two classes, (n, K) for K > 2."""
        values = self.decision_function(X)
        sizes = np.abs(self.coef_).max(axis=1)
        if not sizes.all():
            which = "" if len(sizes) == 1 else f" of class {self.classes_.tolist()[int(np.argmin(sizes))]!r}"
            raise ValueError(f"All coefficients{which} are zero: they define no hyperplane to be distant from.")
        lengths = np.linalg.norm(self.coef_ / sizes[:, None], axis=1)
        return values / sizes[0] / lengths[0] if len(sizes) == 1 else values / sizes / lengths

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: by the exact sign of its score, or as that of the largest of its K scores."""
        rows, measures = new_rows(self, X)
        stored, tie = self._stored_for(rows), TIES[self._tie()]
        if len(stored) == 1:
            return self.classes_[(predict_signs(rows, measures, stored[0], tie) == 1).astype(np.intp)]
        return self.classes_[largest(rows, measures, stored, tie)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._multiclass
        return tags

    def _tie(self) -> str:
        """Return the tie rule."""
        return "update"

    def _is_lifted(self) -> bool:
        """Whether the stored weights end with an intercept."""
        return bool(np.any(self.intercept_))

    def _stored(self) -> Floats:
        """Return the stored weights, a row for each score, the intercept last if there is one."""
        return np.column_stack([self.coef_, self.intercept_]) if self._is_lifted() else self.coef_

    def _stored_for(self, rows: Rows) -> Floats:
        """Return the stored weights for rows, after a look at what anybody may have changed."""
        names = f"coef_ and intercept_ of this {type(self).__name__}"
        if self.coef_.ndim != 2 or self.coef_.shape != (self.intercept_.size, rows.shape[1]):
            raise ValueError(
                f"{names} have been changed: their shapes are {self.coef_.shape} and {self.intercept_.shape}, that of the "
                f"rows is {rows.shape}."
            )
        weights = self._stored()
        if not np.isfinite(weights).all():
            raise ValueError(f"{names} hold NaN or infinity. Every weight must be a finite number.")
        return np.ascontiguousarray(weights, np.float64)
