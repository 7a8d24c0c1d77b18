"""Classifiers that set each class against the rest, where there are more than two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import validate_data

from ..exact import Floats
from ..problem import Problem, code_labels, distinct, read_labels, read_weights
from .hyperplanes import Hyperplanes


class OneVsRest(Hyperplanes):
    """What `fit` is made of where a learner of two classes learns K > 2 of them by setting each against the rest."""

    fit_intercept: bool

    def _problems(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, class_weight: Any
    ) -> tuple[list[Any], list[Problem]]:
        """Return the classes and the problems to solve: one for two classes, one for each of more. Rows are read once."""
        name = type(self).__name__
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise ValueError(f"The 'fit_intercept' parameter of {name} must be True or False, got {self.fit_intercept!r}.")
        labels = read_labels(y)
        weights = with_class_weight(class_weight, labels, sample_weight)
        nothing = np.zeros(labels.shape[0], np.int8)
        common = Problem.of(X, nothing, intercept=bool(self.fit_intercept), sample_weight=weights)
        if common.kept is not None:
            labels = labels[common.kept]
        classes = distinct(labels)
        if len(classes) < 2:
            raise ValueError(
                f"{name} needs rows of two classes, but y holds only one class: {classes[0]!r}. Give rows of more."
            )
        validate_data(self, X, skip_check_array=True, reset=True)
        problems = []
        for value in classes if len(classes) > 2 else classes[1:]:
            signs, sides = code_labels(labels, positive=value)
            problems.append(replace(common, y=signs, classes=sides))
        return classes, problems

    def _publish(self, classes: list[Any], weights: list[Floats]) -> None:
        """Keep what was learnt: the classes, and for each problem the weights, the intercept last if there is one."""
        learnt = np.stack(weights)
        if not np.isfinite(learnt).all():
            raise OverflowError("The weights have grown too large for float64. Rescale the features.")
        d: int = self.n_features_in_
        self.classes_ = np.array(classes)
        self.coef_ = learnt[:, :d].copy()
        self.intercept_ = learnt[:, d].copy() if learnt.shape[1] > d else np.zeros(len(weights))


def with_class_weight(class_weight: Any, labels: NDArray[Any], sample_weight: ArrayLike | None) -> ArrayLike | None:
    """Return sample weights multiplied by class weights; "balanced" gives all classes the same total weight.

    In totals a sample weight counts as so many repetitions of its row.
    """
    if class_weight is None or not labels.size:
        return sample_weight
    given = read_weights(sample_weight, labels.shape[0])
    weights = np.ones(labels.shape[0]) if given is None else given.copy()
    classes = distinct(labels)
    members = [labels == value for value in classes]
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = [float(weights[rows].sum()) for rows in members]
        factors = [sum(totals) / (np.count_nonzero(totals) * total) if total else 0.0 for total in totals]
    else:
        factors = compute_class_weight(class_weight, classes=np.array(classes), y=labels)
    for rows, factor in zip(members, factors, strict=True):
        weights[rows] *= factor
    return weights
