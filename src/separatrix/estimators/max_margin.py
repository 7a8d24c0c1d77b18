"""The maximum-margin classifier, for two classes that a hyperplane separates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rounding import root
from ..exceptions import RoundingWarning
from ..feature_space.parameters import MAX_DEGREE, kernel_of
from ..perceptron.gram import Kernel
from ..perceptron.kernels import KERNELS
from ..problem.labels import class_array
from ..problem.problem import Problem
from ..problem.scores import exact_signs
from ..separation.kernel_margins import KernelMargin, KernelMarginSearch
from ..separation.margins import Margin
from ..separation.maximum_margin import MarginSearch
from ..support.calls import Verbose
from ..support.clock import Clock, read_time_limit
from ..support.interruption import delegating
from ..support.remedies import Message, Remedy
from .kernel_margin import LearntKernelMargin, in_support
from .learnt import LearntWeights, features_of, learnt_by
from .shared.asking import is_asked
from .shared.blocks import refuse_blocks
from .shared.hyperplanes import Hyperplanes
from .shared.inputs import new_rows, require_two_classes


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntMargin(LearntWeights):
    """The hyperplane with the widest margin, and what holds it in its place.

    Attributes
    ----------
    weights : Dyadic or Quotient
        The exact weights, the intercept last if there is one.
    margin_bounds : tuple of float
        What the largest margin is not below, and not above.
    support : array
        The rows at the margin, in ascending order.
    dual_coef : array
        Their multipliers with the sign of their class.
    """

    weights: Dyadic | Quotient
    margin_bounds: tuple[float, float]
    support: Indices
    dual_coef: Floats

    def exact(self) -> Dyadic | Quotient:
        """Return the weights."""
        return self.weights

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights."""
        return replace(self, weights=weights)

    def _shown(self) -> dict[str, Any]:
        return {
            **self._rounded(),
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
    kernel : {"linear", "poly", "rbf", "precomputed"}, optional
        Find the hyperplane in the feature space of this kernel. It is known by multiples of rows then, and there is no
        ``coef_``.
    degree, gamma, coef0
        The parameters of the kernel, as in `KernelPerceptron`.
    time_limit : float, optional
        Seconds after which the widest margin found by then is kept, with a warning. Its bounds are proved all the same,
        which may take a second more.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    coef_ : array of shape (1, d)
        The weights; not there if there is a kernel.
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
        Their multipliers with the sign of their class: ``coef_`` is ``dual_coef_ @ X[support_]``; with a kernel, the score
        of a row is the sum of ``dual_coef_ * K(X[support_], x)``, and ``intercept_``. After a time limit that was too short
        for both bounds to meet they prove the upper one only, and ``coef_`` may be another separator.
    support_vectors_, gamma_ : array, float
        With a kernel: the rows of ``support_``, unless it is precomputed, and the gamma that was used.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> classifier = sx.MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> classifier.coef_, classifier.intercept_, round(classifier.margin_, 6)
    (array([[2., 2.]]), array([-3.]), 0.353553)
    >>> curved = sx.MaxMargin(kernel="poly", degree=2, gamma=1.0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> curved.decision_function([[0, 0], [0, 1], [1, 0], [1, 1]]), round(curved.margin_, 6)
    (array([-1.,  1.,  1., -1.]), 0.25)
    """

    _multiclass = False

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        tolerance: float = 1e-9,
        kernel: str | None = None,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.tolerance = tolerance
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the hyperplane. There are no sample weights: repeating a row changes nothing.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows; if the kernel is precomputed, the matrix of their products, of shape (n, n).
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
        TimeoutError
            If the time was not enough to find out whether one does.
        """
        refuse_blocks(
            self, X, "it looks at all rows time and again; sx.margin takes a stream, and finds the margin and its weights"
        )
        self._require_switches("fit_intercept")
        self._require_number("tolerance", "a number between 0 and 1", 0.0, 1.0)
        self._require_time_limit()
        self._require_kernel()
        clock = Clock(read_time_limit(self.time_limit))
        problem = Problem.of(X, y, intercept=bool(self.fit_intercept))
        require_two_classes(self, problem.classes)
        if self.kernel is not None:
            kernel = kernel_of(problem, self.kernel, self.degree, self.gamma, self.coef0)
            self._tell_if_interrupted(self._fit_by_products(X, problem, kernel, clock))
            return self
        search = MarginSearch(problem, "geometric", tolerance=float(self.tolerance), clock=clock)
        found = self._found(search, lambda margin: self._adopt_margin(X, margin))
        self._tell_of_rounding(problem)
        self._tell_if_interrupted(found)
        return self

    def _found(self, search: Any, adopt: Callable[[Any], None]) -> Any:
        """Return what a search finds, and adopt it; on Ctrl-C, what it has found by then, if that is anything."""
        found = None
        try:
            with delegating():
                found = search.run()
        except KeyboardInterrupt:  # inside another call
            found = search.known()
            raise
        finally:
            if found is not None:
                adopt(found)
        return found

    def _adopt_margin(self, X: Any, found: Margin) -> None:
        problem = found.problem
        coef = found.weights.part(0, problem.d)
        square = found.lo_squared * coef.dot(coef)  # of the least score, which is rational
        least = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        length = root(coef.dot(coef) / (least * least), up=False)
        order = np.argsort(found.rows)
        support: Indices = np.array(found.rows, np.int64)[order]
        shares = np.array([float(found.multipliers[k]) for k in order])
        scale = length / (found.hi * (2 if problem.intercept else 1))
        self._adopt(
            LearntMargin(
                classes=class_array(problem.classes),
                **features_of(X),
                weights=found.weights.times_fraction(1 / least),
                margin_bounds=(found.lo, found.hi),
                support=support,
                dual_coef=shares * problem.y[support] * scale,
            )
        )

    def _require_kernel(self) -> None:
        if self.kernel is not None:
            self._require_choice("kernel", KERNELS, " or None; of a kernel that is a function give the matrix, precomputed")
        self._require_integer("degree", 1, MAX_DEGREE)
        if not isinstance(self.gamma, str) or self.gamma != "scale":
            self._require_exact_number("gamma", "'scale' or a positive, finite number")
        self._require_exact_number("coef0", "a finite number", -math.inf)

    def _fit_by_products(self, X: Any, problem: Problem, kernel: Kernel, clock: Clock) -> KernelMargin:
        def adopt(found: KernelMargin) -> None:
            known = {"classes": class_array(problem.classes), **features_of(X), **in_support(found)}
            self._adopt(LearntKernelMargin(**known, kernel=replace(kernel, intercept=False)))

        search = KernelMarginSearch(problem, kernel, "geometric", tolerance=float(self.tolerance), clock=clock)
        return self._found(search, adopt)

    def decision_function(self, X: Any) -> Floats:
        """Scores, positive for the second class: -1 and 1 at the margin.

        They are rounded, but their signs are those of the exact scores; with a kernel, of the exact sum of its values, which
        are exact themselves but for those of "rbf".
        """
        learnt = learnt_by(self)
        return learnt.scores(new_rows(self, X)) if isinstance(learnt, LearntKernelMargin) else super().decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the exact sign of its score."""
        if isinstance(learnt_by(self), LearntKernelMargin):
            return self.classes_[(self.decision_function(X) > 0.0).astype(np.intp)]
        return super().predict(X)

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplane; with a kernel, those of the images of the rows, in feature space."""
        learnt = learnt_by(self)
        if isinstance(learnt, LearntKernelMargin):
            return self.decision_function(X) * learnt.margin_bounds[0]
        return super().distance(X)

    def exact_weights(self) -> Dyadic | Quotient:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded."""
        if isinstance(learnt_by(self), LearntKernelMargin):
            raise ValueError("With a kernel there are no weights of features: the hyperplane is known by dual_coef_.")
        return super().exact_weights()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _known(self) -> Any:
        return self._learnt if isinstance(self._learnt, LearntKernelMargin) else super()._known()

    def _tell_if_interrupted(self, found: Margin | KernelMargin) -> None:
        if found.interrupted:
            way_out = (" Raise ", Remedy("time_limit"), ", or be content with a wider ", Remedy("tolerance"), ".")
            told = Message(
                f"It was stopped before the margin was known as closely as asked for: it is between {found.lo:.6g} and "
                f"{found.hi:.6g}, which is proved, and the hyperplane kept has the lower one.",
                *(way_out if is_asked() else ()),
            )
            warnings.warn(told, ConvergenceWarning, stacklevel=4)

    def _tell_of_rounding(self, problem: Problem) -> None:
        signs = exact_signs(problem.rows, Dyadic.from_parts(self._learnt.weights.round()))
        wrong = int(np.count_nonzero(signs != problem.y))
        if wrong:
            warnings.warn(
                f"The margin is so small that coef_ and intercept_, the weights rounded to float64, have {wrong} training "
                f"{'row' if wrong == 1 else 'rows'} on the wrong side. Predictions here are made with the exact weights; "
                "where you go by the rounded ones, take those of sx.margin instead.",
                RoundingWarning,
                stacklevel=4,
            )
