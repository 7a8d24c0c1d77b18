"""Classifiers that set each class against the rest, where there are more than two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from .._types import Floats
from ..problem.labels import class_array, code_labels, distinct, read_labels
from ..problem.problem import Problem
from ._hyperplanes import Hyperplanes
from ._inputs import require_two_classes, with_class_weight


class OneVsRest(Hyperplanes):
    """What `fit` is made of where a learner of two classes learns K > 2 of them by setting each against the rest."""

    fit_intercept: bool

    def _problems(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, class_weight: Any
    ) -> tuple[list[Any], list[Problem]]:
        """Return the classes and the problems to solve: one for two classes, one for each of more. Rows are read once."""
        self._require_switches("fit_intercept")
        labels = read_labels(y)
        weights = with_class_weight(class_weight, labels, sample_weight, repetitions=True)
        nothing = np.zeros(labels.shape[0], np.int8)
        common = Problem.of(X, nothing, intercept=bool(self.fit_intercept), sample_weight=weights)
        if common.kept is not None:
            labels = labels[common.kept]
        classes = distinct(labels)
        require_two_classes(self, classes)
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
        self.classes_ = class_array(classes)
        self._show(learnt, self.n_features_in_)
