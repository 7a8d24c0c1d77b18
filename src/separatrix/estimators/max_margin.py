"""The maximum-margin classifier, for two classes that a hyperplane separates."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from .._types import Floats, Indices
from ..exact.rounding import nearest
from ..exceptions import RoundingWarning
from ..problem.labels import class_array
from ..problem.problem import Problem
from ..problem.scores import exact_signs
from ..separation.maximum_margin import margin_of_problem
from ._hyperplanes import Hyperplanes
from ._inputs import require_two_classes
from .learnt import Learnt, features_of, hyperplanes


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntMargin(Learnt):
    """The hyperplane with the widest margin, and what holds it in its place.

    Attributes
    ----------
    coef : array of shape (d,)
        The weights.
    intercept : float or None
        The intercept, if there is one.
    margin_bounds : tuple of float
        What the largest margin is not below, and not above.
    support : array
        The rows at the margin, in ascending order.
    dual_coef : array
        Their multipliers with the sign of their class.
    """

    coef: Floats
    intercept: float | None
    margin_bounds: tuple[float, float]
    support: Indices
    dual_coef: Floats

    def _shown(self) -> dict[str, Any]:
        return {
            "coef_": self.coef[None],
            "intercept_": np.array([0.0 if self.intercept is None else self.intercept]),
            "margin_bounds_": self.margin_bounds,
            "margin_": self.margin_bounds[0],
            "support_": self.support,
            "dual_coef_": self.dual_coef[None],
        }


class MaxMargin(Hyperplanes):
    """The hyperplane that is farthest from both classes: the support vector machine without slack.

    Of all hyperplanes that separate the classes it has the largest distance from the nearest row, the margin; the intercept
    is not penalised. The margin is known between proved bounds. Scores are scaled so that the nearest rows have -1 and 1,
    as in scikit-learn's `SVC` with ``C`` at infinity.

    It is for two classes only: of more, one against the rest is seldom separable, even where any two of them are, and what
    is not separable has no margin.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the hyperplane has an intercept; without, it goes through the origin.
    tolerance : float, default=1e-9
        The largest distance between the bounds of the margin, relative to it.

    Attributes
    ----------
    coef_ : array of shape (1, d)
        The weights.
    intercept_ : array of shape (1,)
        The intercept.
    classes_ : array of shape (2,)
        The classes; the second is the positive one.
    margin_ : float
        The distance of the nearest rows: the lower of its bounds.
    margin_bounds_ : tuple of float
        What the largest possible margin is not below, and not above; proved.
    support_ : array
        The rows that hold the hyperplane in its place, all at the margin.
    dual_coef_ : array of shape (1, n_support)
        Their multipliers with the sign of their class: ``coef_`` is ``dual_coef_ @ X[support_]``.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> classifier = sx.MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> classifier.coef_, classifier.intercept_, round(classifier.margin_, 6)
    (array([[2., 2.]]), array([-3.]), 0.353553)
    """

    _multiclass = False

    def __init__(self, *, fit_intercept: bool = True, tolerance: float = 1e-9) -> None:
        self.fit_intercept = fit_intercept
        self.tolerance = tolerance

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyperplane. There are no sample weights: repeating a row changes nothing.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The labels, of two classes.

        Returns
        -------
        MaxMargin
            Itself.

        Raises
        ------
        NotSeparable
            If no hyperplane separates the classes; with the certificate that proves it.
        """
        self._require_switches("fit_intercept")
        self._require_number("tolerance", "a number between 0 and 1", 0.0, 1.0)
        problem = Problem.of(X, y, intercept=bool(self.fit_intercept))
        require_two_classes(self, problem.classes)
        found = margin_of_problem(problem, "geometric", tolerance=float(self.tolerance))
        d = problem.d
        weights = found.weights.fractions()
        length = sum((weight * weight for weight in weights[:d]), Fraction(0))
        square = found.lo_squared * length  # of the least score, which is rational
        least = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        stored = np.array([nearest(weight / least) for weight in weights])
        coef = hyperplanes(stored[None], d)["coef_"][0]
        order = np.argsort(found.rows)
        support: Indices = np.array(found.rows, np.int64)[order]
        shares = np.array([float(found.multipliers[k]) for k in order])
        scale = float(np.linalg.norm(coef)) / (found.hi * (2 if problem.intercept else 1))
        self._adopt(
            LearntMargin(
                classes=class_array(problem.classes),
                **features_of(X),
                coef=coef,
                intercept=float(stored[d]) if problem.intercept else None,
                margin_bounds=(found.lo, found.hi),
                support=support,
                dual_coef=shares * problem.y[support] * scale,
            )
        )
        self._tell_of_rounding(problem)
        return self

    def _tell_of_rounding(self, problem: Problem) -> None:
        signs = exact_signs(problem.X, problem.measures, self._stored()[0])
        wrong = int(np.count_nonzero(signs != problem.y))
        if wrong:
            warnings.warn(
                f"The margin is so small that rounding the weights to float64 puts {wrong} training "
                f"{'row' if wrong == 1 else 'rows'} on the wrong side. sx.margin has the weights exactly.",
                RoundingWarning,
                stacklevel=4,
            )

    def _known(self) -> Any:
        intercept = float(self.intercept_[0]) if self._is_lifted() else None
        return replace(self._learnt, coef=self.coef_[0], intercept=intercept)

    def _is_lifted(self) -> bool:
        return self._learnt is not None and self._learnt.intercept is not None
