"""Rows of more than two classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Indices
from .labels import class_array
from .problem import Problem


@dataclass(frozen=True)
class Classes(Problem):
    """Labelled rows of more than two classes: ``y`` is 1 for all, and `codes` are their classes, counted from 0."""

    codes: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of_labels(cls, X: Any, labels: NDArray[Any], classes: list[Any], intercept: bool, weights: ArrayLike | None) -> Self:
        """Validate rows and labels, as `Problem.of` does."""
        problem = Problem.of(X, labels, classes=classes, positive=classes[-1], intercept=intercept, sample_weight=weights)
        kept = labels if problem.kept is None else labels[problem.kept]
        codes = np.searchsorted(class_array(classes), kept).astype(np.int64)
        fields = {**problem.__dict__, "y": np.ones(problem.n), "classes": tuple(classes)}
        return cls(**fields, codes=codes)

    @property
    def vectors(self) -> int:
        """Number of vectors of weights: one for each class."""
        return len(self.classes)

    def with_rows(self, rows: list[int] | Indices) -> Self:
        """Return the problem of some of its rows only, without weights."""
        return replace(super().with_rows(rows), codes=self.codes[rows])

    def against_the_rest(self, k: int) -> Problem:
        """Return the problem of class k against all others."""
        return replace(self, y=np.where(self.codes == k, 1.0, -1.0))
