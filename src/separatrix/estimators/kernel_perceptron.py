"""The perceptron in the feature space of a kernel."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .._types import Floats, Rows
from ..exact.rounding import nearest, outward, root
from ..perceptron.expansion import Expansion, Machine, largest
from ..perceptron.gram import Kernel, Points
from ..perceptron.kernel_run import KernelRun
from ..perceptron.kernels import KERNELS
from ..problem.labels import class_array, read_labels
from ..problem.problem import Problem
from ..problem.ties import TIES, predictions
from ._copies import Copies
from ._inputs import classes_used, new_rows, require_two_classes, visiting_order, with_class_weight
from ._orders import Visiting


class KernelPerceptron(Copies, Visiting, ClassifierMixin, BaseEstimator):
    """The perceptron learning algorithm in the feature space of a kernel.

    Rows are visited one after another; at a mistake on row j, ``y_j K(x_j, .)`` is added to the function that scores rows:
    the perceptron on the images ``phi(x)`` of the rows in a space where ``phi(x).phi(x') = K(x, x')``. Its weights there
    are known by how often it erred on which row, and nothing else.

    With "linear", "poly" and "precomputed" every mistake is decided by the exact sign of the score, so that the run is that
    of the theory; "linear" makes the mistakes of `Perceptron`, one for one. With "rbf" the values of the kernel are
    rounded, as is inevitable, and the sign of their sum is exact; a function's values are taken as it gives them.

    Of more than two classes each is set against the rest, by a perceptron of its own, and the one with the largest score is
    predicted; these scores are compared as they are, in floating point.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="rbf"
        ``x.x'``; ``(gamma * x.x' + coef0) ** degree``; ``exp(-gamma * ||x - x'||**2)``; a matrix of products in place of the
        rows, of the training rows with each other in `fit`, and of new rows with them in `predict`; or a function that
        takes two matrices of rows and returns the matrix of their products, as in scikit-learn. It must give the same
        value for the same two rows, whatever else is in the matrices. Any but the first three must be symmetric and
        positive semidefinite for the theory to hold, which is not checked.
    degree : int, default=3
        The degree of "poly".
    gamma : "scale" or float, default="scale"
        The coefficient of "poly" and "rbf". "scale" is ``1 / (d * X.var())``, computed once in floating point.
    coef0 : float, default=0.0
        The constant in "poly".
    fit_intercept : bool, default=True
        Whether the feature space has a constant 1 besides: it adds 1 to every value of the kernel.
    tie, order, max_iter, class_weight, random_state, record
        As in `Perceptron`.
    cache_size : float, default=200
        The most megabytes (of 2**20 bytes) of rows of the Gram matrix to keep. It changes the time, not the result.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    n_iter_, n_mistakes_, converged_
        As in `Perceptron`; arrays of shape (K,) for K > 2 classes.
    estimators_ : list of K KernelPerceptron
        For more than two classes: what learnt each against the rest. Only they have what follows.
    support_ : array of shape (n_support,)
        The rows erred on, in ascending order.
    support_vectors_ : array or CSR array of shape (n_support, d)
        These rows; not there if the kernel is precomputed.
    dual_coef_ : array of shape (1, n_support)
        How often it erred on them, times their weight if they have one, with the sign of their class: the weights in
        feature space are the sum of ``dual_coef_ * phi(x)``.
    intercept_ : array of shape (1,)
        The weight of the constant 1, the sum of ``dual_coef_``; 0 without an intercept.
    gamma_ : float
        The gamma that was used.
    mistakes_ : array
        The trace, if ``record``, as in `Perceptron`.
    radius_squared_ : float
        R^2, the largest ``K(x, x)`` of a row, with the constant.
    margin_ : float or None
        The least distance of a row from the hyperplane in feature space, rounded down where it is not exact; None if the
        run did not end by itself.
    bound_ : float or None
        ``R^2 / margin_^2``, times the ratio of the largest to the smallest weight if there are weights. By the theorem
        no order of visits leads to more mistakes; None if ``margin_`` is.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("xor")
    >>> classifier = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    >>> classifier.predict(X), classifier.n_mistakes_, classifier.converged_
    (array([0, 1, 1, 0]), 21, True)
    """

    _flags = ("fit_intercept", "record")
    _per_class = ("n_iter_", "n_mistakes_", "converged_")
    _hidden = ("_kernel", "_support", "_expansion")

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tie: str = "update",
        order: str | ArrayLike = "cyclic",
        max_iter: int = 1000,
        class_weight: Any = None,
        cache_size: float = 200.0,
        random_state: Any = None,
        record: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tie = tie
        self.order = order
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.random_state = random_state
        self.record = record

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from zero weights.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows; if the kernel is precomputed, the matrix of their products, of shape (n, n).
        y : array of shape (n,)
            The labels, of two classes or more.
        sample_weight : array of shape (n,), optional
            Multiplies each row's updates; rows of weight 0 are left out.

        Returns
        -------
        KernelPerceptron
            Itself. If ``max_iter`` passes were not enough, a ConvergenceWarning says what to do.
        """
        self._check_parameters()
        labels = read_labels(y)
        weights = with_class_weight(self.class_weight, labels, sample_weight)
        classes = classes_used(labels, weights)
        if len(classes) > 2:
            return self._fit_copies(X, labels, classes, lambda k: {"sample_weight": weights}, class_weight=None)
        problem = Problem.of(X, labels, intercept=bool(self.fit_intercept), sample_weight=weights)
        if self.kernel == "precomputed" and problem.given != problem.d:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. X has shape ({problem.given}, {problem.d}): give the products "
                "of all training rows with each other."
            )
        require_two_classes(self, problem.classes)
        order, rng = visiting_order(self.order, problem), check_random_state(self.random_state)
        gamma = self._find_gamma(problem.X)
        points = Points(problem.X, problem.measures)
        if self.kernel == "precomputed" and problem.kept is not None:
            points = Points.of(problem.X[:, problem.kept])
        kernel = self._named_kernel(gamma)
        run = KernelRun(
            problem,
            kernel.gram(points, points),
            tie=self.tie,
            steps=problem.weights,
            record=bool(self.record),
            cache=int(float(self.cache_size) * 2**20),
        )
        validate_data(self, X, skip_check_array=True, reset=True)
        self.gamma_, self._kernel = gamma, kernel
        converged = False
        try:
            converged = run.learn(order, self.max_iter, rng)
        finally:  # also on Ctrl-C: what was learnt so far is there
            self.__dict__.pop("estimators_", None)
            self.classes_ = class_array(problem.classes)
            self._finish(run, converged)
        if not converged:
            warnings.warn(
                f"The perceptron made {self.n_mistakes_:,} mistakes in {self.n_iter_:,} passes and has not come to a pass "
                "without one. Either no hyperplane in the feature space of this kernel separates the classes, and it "
                "never will, or it needs more passes (max_iter), or a kernel with more features: a higher degree, a "
                "larger gamma.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores ``sum_j dual_coef_j K(x_j, x) + intercept_``: positive for the positive class; (n, K) for K > 2 classes.

        The sign is that of the exact sum, of exact values of the kernel if that is linear or polynomial. Computed in blocks,
        in bounded memory.
        """
        rows, _ = new_rows(self, X)
        if self._is_plural():
            return np.stack([copy.decision_function(rows) for copy in self.estimators_], axis=1)
        return self._machine().scores(rows)[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the sign of its score, or the largest of its K scores, compared likewise."""
        if self._is_plural():
            rows, _ = new_rows(self, X)
            machines = [copy._machine() for copy in self.estimators_]
            return self.classes_[largest(machines, rows, TIES[self.tie])]
        return self.classes_[(predictions(self.decision_function(X), TIES[self.tie]) == 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # Below: what fit and predict are made of.

    def _machine(self) -> Machine:
        return Machine(self._kernel, self._expansion, self._support)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not callable(self.kernel):
            self._require_choice("kernel", KERNELS, " or a function of two matrices")
        self._require_integer("degree", 1, 1000)
        if not isinstance(self.gamma, str) or self.gamma != "scale":
            self._require_exact_number("gamma", "'scale' or a positive, finite number")
        self._require_exact_number("coef0", "a finite number", -math.inf)
        self._require_number("cache_size", "a positive, finite number of megabytes")

    def _find_gamma(self, X: Rows) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.kernel not in ("poly", "rbf"):
            return 1.0
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            variance = float(X.multiply(X).mean() - X.mean() ** 2) if sp.issparse(X) else float(X.var())
        if variance == 0.0:
            return 1.0
        gamma = 1.0 / (X.shape[1] * variance) if variance >= 2.0**-1000 else math.inf
        if not 0.0 < gamma < math.inf:
            raise ValueError(
                "gamma='scale' is out of range, as the variance of X is. Rescale the features, or give a number."
            )
        return gamma

    def _named_kernel(self, gamma: float) -> Kernel:
        if callable(self.kernel):
            return Kernel("function", 1.0, 0.0, 1, bool(self.fit_intercept), self.kernel)
        if self.kernel == "linear":
            return Kernel("linear", 1.0, 0.0, 1, bool(self.fit_intercept))
        return Kernel(self.kernel, gamma, float(self.coef0), int(self.degree), bool(self.fit_intercept))

    def _finish(self, run: KernelRun, converged: bool) -> None:
        """Take over what a run has learnt."""
        problem, expansion = run.problem, run.expansion()
        original = expansion.rows if problem.kept is None else problem.kept[expansion.rows]
        try:
            self.dual_coef_ = expansion.multiples.round()[None]
        except OverflowError:
            raise OverflowError(
                "The multiples of rows have grown too large for float64. Lower the sample weights."
            ) from None
        total = sum(expansion.multiples.fractions(), Fraction(0)) if self.fit_intercept else Fraction(0)
        self.intercept_ = np.array([nearest(total)])
        self.support_: NDArray[np.int64] = original
        self._support: Points | None = None
        if self.kernel == "precomputed":
            self._expansion = Expansion(original, expansion.multiples)
            self.__dict__.pop("support_vectors_", None)
        else:
            self.support_vectors_ = problem.X[expansion.rows]
            self._support = Points.of(self.support_vectors_) if expansion.rows.size else None
            self._expansion = Expansion(np.arange(original.size), expansion.multiples)
        self.converged_, self.n_mistakes_, self.n_iter_ = converged, run.mistakes, max(1, run.passes)
        self.__dict__.pop("mistakes_", None)
        if self.record:
            self.mistakes_ = run.trace if problem.kept is None else problem.kept[run.trace]
        self._say_what_the_theorem_says(run, problem)

    def _say_what_the_theorem_says(self, run: KernelRun, problem: Problem) -> None:
        radius_squared = run.radius_squared()
        self.radius_squared_ = outward(radius_squared, up=True)
        self.margin_: float | None = None
        self.bound_: float | None = None
        square = run.margin_squared() if self.converged_ else None
        if square is None:
            return
        self.margin_ = root(square, up=False)
        weights = problem.weights
        ratio = Fraction(1) if weights is None else Fraction(float(weights.max())) / Fraction(float(weights.min()))
        self.bound_ = outward(ratio * radius_squared / square, up=True) if square else math.inf
