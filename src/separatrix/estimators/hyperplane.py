"""What all classifiers by a hyperplane have in common: scores, distances and classes, by exact signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..exact import Floats
from ..problem import read_rows
from ..run import TIES
from ..scores import predict_signs, scores


class Hyperplane(ClassifierMixin, BaseEstimator):
    """A classifier of two classes with ``coef_``, ``intercept_`` and ``classes_``."""

    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> Floats:
        """Signed scores ``w.x + b``: positive for the positive class, exactly 0 on the hyperplane.

        The sign is that of the exact score of the stored weights.
        """
        rows, measures = self._rows(X)
        return scores(rows, measures, self._stored())

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplane, ``(w.x + b) / ||w||``."""
        values = self.decision_function(X)
        coef = self.coef_[0]
        largest = np.abs(coef).max()
        if largest == 0.0:
            raise ValueError("All coefficients are zero: they define no hyperplane to be distant from.")
        return values / largest / np.linalg.norm(coef / largest)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the exact sign of the score of the stored weights."""
        rows, measures = self._rows(X)
        signs = predict_signs(rows, measures, self._stored(), TIES[self._tie()])
        return self.classes_[(signs == 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _rows(self, X: Any) -> tuple[Any, Any]:
        check_is_fitted(self)
        rows, _, measures = read_rows(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return rows, measures

    def _tie(self) -> str:
        """Return what a score of zero predicts."""
        return "update"

    def _stored(self) -> Floats:
        """Return the stored weights, the intercept last if one was learnt."""
        raise NotImplementedError
