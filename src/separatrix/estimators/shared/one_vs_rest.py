"""Classifiers that set each class against the rest, where there are more than two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._types import Floats
from ...problem.labels import class_array, code_labels, distinct, read_labels
from ...problem.problem import Problem
from ..learnt import features_of, hyperplanes
from .hyperplanes import Hyperplanes
from .inputs import require_two_classes, with_class_weight


@dataclass(frozen=True)
class OneVsRestProblems:
    """The classes of some rows, and the problems to solve: one for two classes, one for each of more."""

    classes: list[Any]
    features: dict[str, Any]
    problems: list[Problem]

    def solved(self, weights: list[Floats]) -> dict[str, Any]:
        """Return fields of `LearntHyperplanes`: the weights of each problem, the intercept last if there is one."""
        shown = hyperplanes(np.stack(weights), self.features["features"])
        return {
            "classes": class_array(self.classes), **self.features,
            "coef": shown["coef_"], "intercept": shown["intercept_"],
        }  # fmt: skip


class OneVsRest(Hyperplanes):
    """What `fit` is made of where a learner of two classes learns K > 2 of them by setting each against the rest."""

    fit_intercept: bool

    def _problems(self, X: Any, y: Any, sample_weight: ArrayLike | None, class_weight: Any) -> OneVsRestProblems:
        """Return what is to be solved. Rows are read once."""
        self._require_switches("fit_intercept")
        labels = read_labels(y)
        weights = with_class_weight(class_weight, labels, sample_weight, repetitions=True)
        nothing = np.zeros(labels.shape[0], np.int8)
        common = Problem.of(X, nothing, intercept=bool(self.fit_intercept), sample_weight=weights)
        if common.kept is not None:
            labels = labels[common.kept]
        classes = distinct(labels)
        require_two_classes(self, classes)
        problems = []
        for value in classes if len(classes) > 2 else classes[1:]:
            signs, sides = code_labels(labels, positive=value)
            problems.append(replace(common, y=signs, classes=sides))
        return OneVsRestProblems(classes, features_of(X), problems)
