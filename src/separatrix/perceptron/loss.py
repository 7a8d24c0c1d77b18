"""The perceptron loss, of which the perceptron learning algorithm is a stochastic subgradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..exact.dyadic import Dyadic
from ..exact.float64 import read_floats
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.scores import scores
from ..problem.ties import TIES, mistakes


@checked_arithmetic
def perceptron_loss(coef: ArrayLike, intercept: ArrayLike, X: Any, y: Any, *, classes: ArrayLike | None = None) -> float:
    """Sum over rows of ``max(0, -y_i (w.x_i + b))``: how far the misclassified rows are on the wrong side.

    Parameters
    ----------
    coef : array of shape (d,) or (1, d)
        The weights ``w``.
    intercept : float or array of shape (1,)
        The intercept ``b``.
    X, y
        Rows and labels; of two sorted classes the second is +1.
    classes : two labels, optional
        The negative and the positive class; needed where ``y`` holds one only.

    Returns
    -------
    float
        The loss, 0 if and only if no row is on the wrong side.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.perceptron_loss([1.0, -1.0], 0.0, [[2, 0], [0, 3]], [0, 1])
    5.0
    """
    problem, weights = _problem(coef, intercept, X, y, classes)
    return float(np.maximum(0.0, -problem.y * scores(problem.rows, Dyadic.from_parts(weights))).sum())


@checked_arithmetic
def perceptron_subgradient(
    coef: ArrayLike, intercept: ArrayLike, X: Any, y: Any, *, classes: ArrayLike | None = None, tie: str = "update"
) -> tuple[Floats, float]:
    """Return a subgradient of `perceptron_loss`: minus the sum of ``y_i (x_i, 1)`` over the mistakes.

    Where a row lies exactly on the hyperplane the loss has a kink, and any multiple between 0 and 1 of that row's
    term will do; the tie rule chooses 1 where it calls the row a mistake and 0 where it does not.

    Parameters
    ----------
    coef, intercept, X, y, classes
        As for `perceptron_loss`.
    tie : {"update", "positive", "negative"}
        The tie rule.

    Returns
    -------
    gradient : array of shape (d,)
        The part for ``coef``.
    gradient_intercept : float
        The part for ``intercept``.

    Examples
    --------
    A step of size 1 down the subgradient of a single row is the perceptron's update, here by ``-(2, 0)`` and -1:

    >>> import separatrix as sx
    >>> sx.perceptron_subgradient([1.0, -1.0], 0.0, [[2, 0]], [0], classes=[0, 1])
    (array([2., 0.]), 1.0)
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}. Got {tie!r} instead.")
    problem, weights = _problem(coef, intercept, X, y, classes)
    signs = Lifted.of(problem).signs(Dyadic.from_parts(weights))
    pull = problem.y * mistakes(signs, problem.y, TIES[tie])
    return 0.0 - problem.X.T @ pull, float(0.0 - pull.sum())


def _problem(coef: ArrayLike, intercept: ArrayLike, X: Any, y: Any, classes: ArrayLike | None) -> tuple[Problem, Floats]:
    problem = Problem.of(X, y, classes=classes)
    if len(problem.classes) < 2:
        raise ValueError(f"y holds the class {problem.classes[0]!r} only. Say which class is positive with classes=.")
    weights = np.append(read_floats(coef, "coef"), read_floats(intercept, "intercept"))
    if not np.isfinite(weights).all():
        raise ValueError("coef and intercept must be finite, but hold NaN or infinity.")
    if weights.shape != (problem.d + 1,):
        raise ValueError(
            f"coef has shape {np.shape(coef)} and intercept {np.shape(intercept)}: expected {problem.d} weights, one for "
            "each column of X, and one intercept."
        )
    return problem, weights
