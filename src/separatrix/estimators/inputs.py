"""What estimators that visit rows are given: rows with their weights, and the order of visits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_class_weight

from ..problem import Problem, distinct, read_labels, read_weights

ORDERS = ("cyclic", "shuffle", "random")


def weighted_problem(
    X: Any, y: Any, class_weight: Any, sample_weight: ArrayLike | None, *, intercept: bool, classes: Any = None
) -> Problem:
    """Return rows and labels, their weights multiplied by those of their classes."""
    if class_weight is not None:
        labels = read_labels(y)
        values = distinct(labels) if classes is None else list(classes)
        per_class = compute_class_weight(class_weight, classes=np.array(values), y=labels)
        weights = read_weights(sample_weight, labels.shape[0])
        weights = np.ones(labels.shape[0]) if weights is None else weights.copy()
        for value, weight in zip(values, per_class, strict=True):
            weights[labels == value] *= weight
        sample_weight = weights
    return Problem.of(X, y, classes=classes, intercept=intercept, sample_weight=sample_weight)


def visiting_order(order: str | ArrayLike, problem: Problem) -> str | NDArray[np.int64]:
    """Return an order by its name, or a permutation of the given rows without those that were left out."""
    if isinstance(order, str):
        return order
    places, n = np.asarray(order), problem.given
    if places.shape != (n,) or places.dtype.kind not in "iu" or not np.array_equal(np.sort(places), np.arange(n)):
        raise ValueError(f"order must be a permutation of the {n} rows: each of 0 to {n - 1} once.")
    if problem.kept is None:
        return places
    now = np.full(n, -1)
    now[problem.kept] = np.arange(problem.kept.size)
    kept: NDArray[np.int64] = now[places][now[places] >= 0]
    return kept
