"""The perceptron in the feature space of a kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rounding import nearest, outward, root
from ..perceptron.expansion import Expansion, Machine, compared
from ..perceptron.gram import Kernel, Points
from ..perceptron.kernel_run import KernelRun
from ..perceptron.kernels import KERNELS, scaled_gamma
from ..problem.exact_rows import ExactRows
from ..problem.problem import Problem
from ..problem.reading_rows import read_rows
from ..problem.ties import TIES, predictions
from ..support.calls import Verbose
from ..support.remedies import Question, Remedy
from .learnt import Learnt, learnt_by
from .shared.blocks import refuse_blocks
from .shared.copies import Copies
from .shared.inputs import new_rows
from .shared.training import Training, Visiting


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntExpansion(Learnt):
    """Weights in the feature space of a kernel, by the rows erred on.

    Attributes
    ----------
    kernel : Kernel
        The kernel that was learnt with.
    gamma : float
        What the estimator shows as ``gamma_``.
    support : array
        The rows erred on, in ascending order.
    support_rows : ExactRows or None
        These rows; None if the kernel is precomputed.
    multiples : Dyadic
        Their exact multiples, signed as their classes.
    passes, mistakes, converged, radius_squared, margin, bound
        As the estimator shows them.
    trace : array or None
        The row of each mistake, if they were recorded.
    """

    kernel: Kernel
    gamma: float
    support: Indices
    support_rows: ExactRows | None
    multiples: Dyadic
    passes: int
    mistakes: int
    converged: bool
    radius_squared: float
    margin: float | None
    bound: float | None
    trace: Indices | None = None

    @cached_property
    def machine(self) -> Machine:
        """What scores new rows."""
        if self.support_rows is None:
            return Machine(self.kernel, Expansion(self.support, self.multiples), None)
        points = Points(read_rows(self.support_rows)) if self.support.size else None
        return Machine(self.kernel, Expansion(np.arange(self.support.size), self.multiples), points)

    def _shown(self) -> dict[str, Any]:
        try:
            multiples = self.multiples.round()
        except OverflowError:
            raise OverflowError(
                "The multiples of rows have grown too large for float64. Lower the sample weights."
            ) from None
        total = sum(self.multiples.fractions(), Fraction(0)) if self.kernel.intercept else Fraction(0)
        return {
            "gamma_": self.gamma,
            "dual_coef_": multiples[None],
            "intercept_": np.array([nearest(total)]),
            "support_": self.support,
            **({} if self.support_rows is None else {"support_vectors_": self.support_rows.nearest()}),
            "converged_": self.converged,
            "halted_": self.converged,
            "n_mistakes_": self.mistakes,
            "n_iter_": self.passes,
            **({} if self.trace is None else {"mistakes_": self.trace}),
            "radius_squared_": self.radius_squared,
            "margin_": self.margin,
            "bound_": self.bound,
        }


class KernelPerceptron(Copies, Visiting, ClassifierMixin, BaseEstimator):
    """The perceptron learning algorithm in the feature space of a kernel.

    Rows are visited one after another; at a mistake on row j, ``y_j K(x_j, .)`` is added to the function that scores rows:
    the perceptron on the images ``phi(x)`` of the rows in a space where ``phi(x).phi(x') = K(x, x')``. Its weights there
    are known by how often it erred on which row, and nothing else.

    With "linear", "poly" and "precomputed" every mistake is decided by the exact sign of the score, so that the run is that
    of the theory; "linear" makes the mistakes of `Perceptron`, one for one. With "rbf" the values of the kernel are
    rounded, as is inevitable, and the sign of their sum is exact; a function's values are taken as it gives them.

    Of more than two classes each is set against the rest, by a perceptron of its own, and the one with the largest score is
    predicted. Scores are compared exactly, as sums of the kernel's values: exact ones of "linear", "poly" and
    "precomputed", rounded ones of "rbf", those that a function gives.

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
    time_limit : float or None, default=None
        Seconds after which to stop, and to keep what is learnt by then; a ConvergenceWarning tells of it. Of more than two
        classes, for each of them.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    n_iter_, n_mistakes_, converged_, halted_
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
    _per_class = ("n_iter_", "n_mistakes_", "converged_", "halted_")
    _advice = (
        "Either no hyperplane in the feature space of this kernel separates the classes, and it never will, or it needs "
        "more passes (",
        Remedy("max_iter"),
        "), or a kernel with more features: a higher degree, a larger gamma. ",
        Question("decide"),
        " with the same kernel says which, with a proof.",
    )
    _way_on = (Question("decide"), ", given the kernel, says whether a hyperplane in feature space separates the classes.")

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
        time_limit: float | None = None,
        verbose: Verbose = False,
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
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
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
        refuse_blocks(self, X, "it compares each row with all those it erred on, which memory has to hold")
        self._check_parameters()
        training = self._train(X, y, sample_weight)
        if training is not None:
            self._tell_if_erring(training.run.problem)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores ``sum_j dual_coef_j K(x_j, x) + intercept_``: positive for the positive class; (n, K) for K > 2 classes.

        The sign is that of the exact sum, of exact values of the kernel if that is linear or polynomial. Computed in blocks,
        in bounded memory.
        """
        rows = new_rows(self, X)
        scores: Floats = self._compared(rows)[0] if self._is_plural() else self._learnt.machine.scores(rows)[0]
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the sign of its score, or the largest of its K scores, compared likewise."""
        if self._is_plural():
            return self.classes_[self._compared(new_rows(self, X))[1]]
        signs = predictions(self.decision_function(X), TIES[self.tie])
        return self.classes_[(signs == 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # Below: what fit and predict are made of.

    def _compared(self, rows: ExactRows) -> tuple[Floats, Indices]:
        return compared([learnt_by(copy).machine for copy in self.estimators_], rows, TIES[self.tie])

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
        return scaled_gamma(X)

    def _named_kernel(self, gamma: float) -> Kernel:
        if callable(self.kernel):
            return Kernel("function", 1.0, 0.0, 1, bool(self.fit_intercept), self.kernel)
        if self.kernel == "linear":
            return Kernel("linear", 1.0, 0.0, 1, bool(self.fit_intercept))
        return Kernel(self.kernel, gamma, float(self.coef0), int(self.degree), bool(self.fit_intercept))

    def _problem(self, X: Any, labels: NDArray[Any], weights: ArrayLike | None, classes: list[Any]) -> Problem:
        problem = super()._problem(X, labels, weights, classes)
        if self.kernel == "precomputed" and problem.given != problem.d:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. X has shape ({problem.given}, {problem.d}): give the products "
                "of all training rows with each other."
            )
        return problem

    def _training(self, problem: Problem, start: Dyadic | Quotient | None) -> Training:
        visit = self._visits(problem)
        gamma = self._find_gamma(problem.rows.nearest())
        points = Points(problem.rows)
        if self.kernel == "precomputed" and problem.kept is not None:
            points = Points(problem.rows.columns(problem.kept.tolist()))
        kernel = self._named_kernel(gamma)
        run = KernelRun(
            problem,
            kernel.gram(points, points),
            tie=self.tie,
            steps=problem.weights,
            record=bool(self.record),
            cache=int(float(self.cache_size) * 2**20),
        )

        def learnt(converged: bool, **known: Any) -> LearntExpansion:
            expansion = run.expansion()
            of_run = _of_run(run, converged, bool(self.record))
            rows = None if kernel.name == "precomputed" else problem.rows[expansion.rows]
            support = expansion.rows if problem.kept is None else problem.kept[expansion.rows]
            multiples = expansion.multiples
            return LearntExpansion(
                **known, **of_run, kernel=kernel, gamma=gamma, support=support, support_rows=rows, multiples=multiples
            )

        return Training(run, lambda: visit(run), learnt)


def _of_run(run: KernelRun, converged: bool, record: bool) -> dict[str, Any]:
    """Return what is known of a run, and what the convergence theorem says of it, as fields of `LearntExpansion`."""
    problem, radius_squared = run.problem, run.radius_squared()
    margin = bound = trace = None
    square = run.margin_squared() if converged else None
    if square is not None:
        margin = root(square, up=False)
        weights = problem.weights
        ratio = Fraction(1) if weights is None else Fraction(float(weights.max())) / Fraction(float(weights.min()))
        bound = outward(ratio * radius_squared / square, up=True) if square else math.inf
    if record:
        trace = run.trace if problem.kept is None else problem.kept[run.trace]
    return {
        "passes": max(1, run.passes), "mistakes": run.mistakes, "converged": converged, "trace": trace,
        "radius_squared": outward(radius_squared, up=True), "margin": margin, "bound": bound,
    }  # fmt: skip
