"""What classifiers of any number of classes by linear scores have in common: one hyperplane for two, K scores for K."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exact import Floats
from ..scores import largest, scores
from .hyperplane import Hyperplane


class Hyperplanes(Hyperplane):
    """A classifier with ``coef_`` of shape (1, d) for two classes, and (K, d), one row for each, for K > 2.

    Two classes are told apart by the exact sign of one score, as in `Hyperplane`. Of more, the one with the largest score
    is predicted; scores are compared exactly, and the first of equals wins.
    """

    def decision_function(self, X: Any) -> Floats:
        """Scores ``w.x + b``: of shape (n,) for two classes, positive for the second; of shape (n, K) for K > 2.

        Signs are those of the exact scores of the stored weights.
        """
        if self._is_binary():
            return super().decision_function(X)
        rows, measures = self._rows(X)
        return np.stack([scores(rows, measures, weights) for weights in self._all_stored()], axis=1)

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplanes, ``(w.x + b) / ||w||``; of shape (n,) for two classes, (n, K) for K > 2."""
        if self._is_binary():
            return super().distance(X)
        values = self.decision_function(X)
        sizes = np.abs(self.coef_).max(axis=1)
        if not sizes.all():
            empty = self.classes_.tolist()[int(np.argmin(sizes))]
            raise ValueError(f"All coefficients of class {empty!r} are zero: they define no hyperplane to be distant from.")
        return values / sizes / np.linalg.norm(self.coef_ / sizes[:, None], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: by the exact sign of its score, or as that of the largest of its K scores."""
        if self._is_binary():
            return super().predict(X)
        rows, measures = self._rows(X)
        return self.classes_[largest(rows, measures, self._all_stored())]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _is_binary(self) -> bool:
        return not hasattr(self, "coef_") or self.coef_.shape[0] == 1  # what is not fitted is refused further on

    def _all_stored(self) -> Floats:
        """Return the stored weights, one row for each score; the intercepts last, unless all are 0."""
        return np.column_stack([self.coef_, self.intercept_]) if np.any(self.intercept_) else self.coef_

    def _stored(self) -> Floats:
        return self._all_stored()[0]
