"""What all linear classifiers have in common: one hyperplane for two classes, a score for each of more, compared exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..._types import Floats
from ...exact.dyadic import Dyadic, Quotient
from ...exact.float64 import exact_float64, gathered
from ...geometry.hyperplane import Hyperplane, between
from ...problem.batches import Batches
from ...problem.exact_rows import ExactRows
from ...problem.scores import compared_scores, predicted_codes, scores
from ...problem.ties import TIES
from ...problem.wording import sum_of
from ...support.blocks import Block, Sentence
from ...support.escaping import shown
from ...support.formulas import feature, formula, number
from ..learnt import Learner, learnt_by
from .blocks import refuse_beside_blocks
from .inputs import new_rows
from .parameters import Parameters


class Hyperplanes(Learner, Parameters, ClassifierMixin, BaseEstimator):
    """A classifier with ``coef_`` of shape (1, d) for two classes, and (K, d), one row for each, for K > 2.

    Two classes are told apart by the exact sign of one score. Of more, the one with the largest score is predicted; scores
    are compared exactly. A score of zero, or a tie for the largest, goes to the first class, or, under the tie rule
    "positive", to the last. Scores are those of the exact weights, of which ``coef_`` and ``intercept_`` are rounded; of
    these, if they have been set to something else.
    """

    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]

    _multiclass = True
    """Whether more than two classes are learnt."""

    def decision_function(self, X: Any) -> Floats:
        """Scores ``w.x + b``: of shape (n,) for two classes, positive for the second; of shape (n, K) for K > 2.

        They are rounded, but never to another prediction: signs are those of the exact scores, exactly 0 on a hyperplane,
        and the largest of K is the largest of the exact ones.
        """
        if isinstance(X, Batches):
            return np.concatenate(list(X.predict(self, "decision_function")))
        rows, weights, vectors = self._weighed(X)
        return scores(rows, weights) if vectors == 1 else compared_scores(rows, weights, vectors)

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplanes, ``(w.x + b) / ||w||``; of shape (n,) for two classes, (n, K) for K > 2."""
        values = self.decision_function(X)
        sizes = np.abs(self.coef_).max(axis=1)
        if not sizes.all():
            which = "" if len(sizes) == 1 else f" of class {self.classes_.tolist()[int(np.argmin(sizes))]!r}"
            raise ValueError(f"All coefficients{which} are zero: they define no hyperplane to be distant from.")
        lengths = np.linalg.norm(self.coef_ / sizes[:, None], axis=1)
        return values / sizes[0] / lengths[0] if len(sizes) == 1 else values / sizes / lengths

    def hyperplane(self, first: Any = None, second: Any = None) -> Hyperplane:
        """Return the hyperplane between two classes, exactly: where it lies, projections onto it, and more.

        Parameters
        ----------
        first, second : labels, optional
            Of more than two classes, the two whose scores are equal on it; the first is on its positive side. Of two
            classes the second in order is, and none need be named.

        Examples
        --------
        >>> import separatrix as sx
        >>> sx.Perceptron().fit(*sx.examples.load("and")).hyperplane()
        <Hyperplane: 3*x1 + 2*x2 = 4>
        """
        learnt = learnt_by(self)
        return between(learnt.exact(), learnt.features, self.classes_.tolist(), first, second)

    def _rule(self) -> list[Block]:
        if len(self.classes_) != 2 or not self.coef_.any():
            return []
        found = self.hyperplane()
        given = getattr(self, "feature_names_in_", None)
        names = [f"x{j + 1}" for j in range(found.dimension)] if given is None else list(map(shown, given))
        terms = [(weight, feature(name)) for weight, name in zip(found.weights, names, strict=True)]
        rule = formula(sum_of(terms), ">", number(found.threshold))
        return [Sentence((f"Predicts {shown(self.classes_[1])} where ", rule, "."))]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: by the exact sign of its score, or as that of the largest of its K scores."""
        if isinstance(X, Batches):
            return np.concatenate(list(X.predict(self)))
        rows, weights, vectors = self._weighed(X)
        return self.classes_[predicted_codes(rows, weights, vectors, TIES[self._tie()])]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows that are predicted right; of a stream, which has its labels in it, block by block."""
        if isinstance(X, Batches):
            refuse_beside_blocks(X, y, sample_weight)
            return X.score(self)
        share: float = super().score(X, y, sample_weight)
        return share

    def ties(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows the tie rule decides: of exactly zero score or, of K > 2 classes, with several largest scores."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return scores == 0.0
        return (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1

    def exact_weights(self) -> Dyadic | Quotient:
        """Return the exact weights, class after class, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``.

        >>> import separatrix as sx
        >>> sx.MaxMargin().fit([[0], [3]], [0, 1]).exact_weights().strings()
        ['2/3', '-1']
        """
        check_is_fitted(self)
        exact: Dyadic | Quotient = learnt_by(self).exact()
        return exact

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._multiclass
        return tags

    def _tie(self) -> str:
        """Return the tie rule."""
        return "update"

    def _weighed(self, X: Any) -> tuple[ExactRows, Dyadic | Quotient, int]:
        """Return new rows, the exact weights, vector after vector with the intercept last, and the number of vectors."""
        rows = new_rows(self, X)
        learnt = learnt_by(self)
        if rows.shape[1] != learnt.features:
            name = type(self).__name__
            raise ValueError(
                f"coef_ and n_features_in_ of this {name} have been changed: there are {learnt.features} weights for "
                f"{rows.shape[1]} columns."
            )
        return rows, learnt.exact(), learnt.vectors

    def _known(self) -> Any:
        """Return what was learnt, with ``coef_`` and ``intercept_`` in place of the exact weights if they have been set."""
        shown = self._learnt.attributes
        if np.array_equal(self.coef_, shown["coef_"]) and np.array_equal(self.intercept_, shown["intercept_"]):
            return self._learnt
        names = f"coef_ and intercept_ of this {type(self).__name__}"
        coef, intercept = (exact_float64(gathered(each, names), names) for each in (self.coef_, self.intercept_))
        if coef.shape != shown["coef_"].shape or intercept.shape != shown["intercept_"].shape:
            raise ValueError(
                f"{names} have been changed: their shapes are {coef.shape} and {intercept.shape}, expected "
                f"{shown['coef_'].shape} and {shown['intercept_'].shape}."
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(f"{names} hold NaN or infinity. Every weight must be a finite number.")
        return self._learnt.with_floats(coef, intercept)
