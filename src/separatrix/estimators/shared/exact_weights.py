"""What the estimators that learn by exact updates have in common: exact weights, and rounded ones for all to see."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ...exact.dyadic import Dyadic, Quotient
from ...exceptions import RoundingWarning
from ...geometry.given_weights import read_weights
from ...perceptron.run import Run
from ...problem.labels import class_array
from ..learnt import LearntWeights
from .hyperplanes import Hyperplanes


class ExactHyperplanes(Hyperplanes):
    """Hyperplanes with exact weights, of which the published ones are rounded.

    What was learnt has the ``weights`` of the run, and says by ``exact()`` which ones predictions are made with.
    """

    tie: str
    fit_intercept: bool
    class_weight: Any

    def _tell_of_rounding(self, run: Run) -> None:
        exact = self.exact_weights()
        changed = run.changed_by_rounding(exact.numerators, exact.round())
        if changed:
            warnings.warn(
                f"coef_ and intercept_, the weights rounded to float64, give {changed} training "
                f"{'row' if changed == 1 else 'rows'} another class than the exact weights do. Predictions here are made "
                "with the exact weights; where you go by the rounded ones, take exact_weights() instead.",
                RoundingWarning,
                stacklevel=4,
            )

    def _tie(self) -> str:
        return self.tie


class FromWeights(ExactHyperplanes):
    """Hyperplanes that may be given instead of learnt: a unit whose weights somebody has chosen."""

    @classmethod
    def of(
        cls,
        weights: Any,
        intercept: Any = 0,
        *,
        threshold: Any = None,
        classes: Any = (-1, 1),
        feature_names: Any = None,
        **parameters: Any,
    ) -> Self:
        """Return a unit with these weights: it predicts at once, and learns on from there with `partial_fit`.

        Parameters
        ----------
        weights : array of shape (d,), or (K, d) for K > 2 classes
            The weights, exactly: numbers, fractions, or texts, which are the decimals that they write.
        intercept : number or text, or array of shape (K,), default=0
            The intercept, as exactly. Zero weights, ``of([0, 0])``, are where the algorithm begins.
        threshold : number or text, or array of shape (K,), optional
            Minus the intercept, in its place: of two classes, the positive one is predicted if ``w.x`` is above
            it, and what the tie rule says if it is equal.
        classes : labels, default=(-1, 1)
            The negative and the positive class, in this order, or all K > 2 classes in ascending order.
        feature_names : list of str, optional
            Names of the features.
        **parameters
            Parameters of the class, such as ``tie`` and ``eta0``. Without an intercept, say ``fit_intercept=False``.

        Examples
        --------
        Two merits, of 3 and 2 points, and a threshold of 4 points:

        >>> import separatrix as sx
        >>> unit = sx.Perceptron.of([3, 2], threshold=4, classes=["deny", "approve"])
        >>> unit.predict([[1, 1], [1, 0]])
        array(['approve', 'deny'], dtype='<U7')
        """
        given = read_weights(weights, intercept, threshold)
        names = class_array(list(classes))
        _require_classes(names, given.vectors)
        unit = cls(**parameters)
        unit._check_parameters()
        if any(given.intercept) and not unit.fit_intercept:
            raise ValueError("An intercept was given, but fit_intercept is False. Leave one of the two out.")
        features = None if feature_names is None else np.array([str(name) for name in feature_names], object)
        if features is not None and len(features) != given.features:
            raise ValueError(f"feature_names has {len(features)} names for {given.features} weights. Give one for each.")
        unit._adopt(unit._given(given.joined(unit.fit_intercept), classes=names, features=given.features, names=features))
        return unit

    def begin(self, features: int, classes: Any) -> Self:
        """Begin with zero weights, so that it predicts before any row has been seen.

        Parameters
        ----------
        features : int
            The number of features.
        classes : labels
            All classes, two or more.

        Examples
        --------
        >>> import separatrix as sx
        >>> sx.Perceptron(tie="positive").begin(2, classes=["no", "yes"]).predict([[5, 6]])
        array(['yes'], dtype='<U3')
        """
        self._check_parameters()
        if classes is None:
            raise ValueError("classes must be named to begin with: a prediction is one of them.")
        names = class_array(sorted(set(np.asarray(classes).tolist())))
        _require_classes(names, 1 if len(names) == 2 else len(names))
        size = (features + bool(self.fit_intercept)) * (1 if len(names) == 2 else len(names))
        self._adopt(self._given(Dyadic([0] * size, 0), classes=names, features=features))
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that are not possible."""

    @abstractmethod
    def _given(self, weights: Dyadic | Quotient, **known: Any) -> LearntWeights:
        """Return what would have been learnt, were these weights learnt from no rows at all."""


def _require_classes(names: Any, vectors: int) -> None:
    """Refuse classes that are not as many as there are scores for, that are named twice, or not in order."""
    wanted = 2 if vectors == 1 else vectors
    if names.ndim != 1 or len(names) != wanted or vectors == 2:
        if vectors == 2:
            raise ValueError("Two classes are told apart by one score: give one row of weights, not 2.")
        raise ValueError(f"classes must name {wanted} classes for {vectors} {'row' if vectors == 1 else 'rows'} of weights.")
    if len(set(names.tolist())) < wanted:
        raise ValueError(f"classes names a class twice: {names.tolist()}.")
    if wanted > 2 and sorted(names.tolist()) != names.tolist():
        raise ValueError(f"More than two classes must be in ascending order, as their weights are. Got {names.tolist()}.")
