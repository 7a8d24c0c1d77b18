"""Advice for rows that are not standardised yet: nobody is told to do what is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from ...problem.multiclass import Classes
from ...problem.problem import Problem

_MANY_TIMES = 2.0
"""Standard deviations from the reciprocal of this up to this are about 1."""

_FAR = 0.5
"""Standard deviations from 0 up to which a mean is about 0."""

_ROUNDED = 1e-6
"""Of its mean, the standard deviation up to which a column counts as constant: rounding may make as much of it."""


class OfRawRows(str):
    """A part of a message that is left out where rows are standardised."""


def fitting(advice: Iterable[Any], problem: Problem | Classes) -> tuple[Any, ...]:
    """Return the parts of a message that are about such rows."""
    parts = tuple(advice)
    if any(isinstance(part, OfRawRows) for part in parts) and is_standardised(problem.rows.nearest()):
        return tuple(part for part in parts if not isinstance(part, OfRawRows))
    return parts


def is_standardised(X: Any) -> bool:
    """Whether columns have about the mean 0, unless they are sparse, and the standard deviation 1; constant ones may differ.

    >>> is_standardised(np.array([[-1.0, 5.0], [1.0, 5.0]])), is_standardised(np.array([[-1.0, 5.0], [1.0, 7.0]]))
    (True, False)
    """
    is_sparse = sparse.issparse(X)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = X.multiply(X) if is_sparse else np.square(X)
        deviation = np.sqrt(np.maximum(np.asarray(square.mean(axis=0)).ravel() - np.square(mean), 0.0))
        varies = ~(deviation <= _ROUNDED * np.abs(mean))
        sized = (deviation >= 1 / _MANY_TIMES) & (deviation <= _MANY_TIMES)
        centred = np.full(len(mean), is_sparse) | (np.abs(mean) <= _FAR * deviation)
    return bool(np.all(~varies | (sized & centred)))
