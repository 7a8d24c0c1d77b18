"""The perceptron, for two classes."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted, validate_data

from ..cautions import RoundingWarning
from ..certificate import digest
from ..exact import Dyadic, Floats
from ..problem import Problem, exact_float64
from ..run import TIES, Run
from .hyperplane import Hyperplane
from .inputs import ORDERS, visiting_order, weighted_problem


class Perceptron(Hyperplane):
    """The perceptron learning algorithm, run exactly.

    Rows are visited one after another; at a mistake on row i the weights become ``w + eta0 * y_i * (x_i, 1)``. The run
    ends after a whole pass without a mistake, or after ``max_iter`` passes. Whether a row is a mistake is decided by
    the sign of the exact product of the exact weights, so that mistakes, passes and weights are the same on every
    machine, for dense and sparse rows alike.

    Parameters
    ----------
    order : {"cyclic", "shuffle", "random"} or array of shape (n,), default="cyclic"
        The order of visits: as the rows stand; in a new permutation for each pass; each update on a row drawn
        uniformly among those now misclassified (n updates count as a pass); or in the permutation given. `partial_fit`
        takes rows as they come.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts: nothing, so that it is a mistake for either class; the positive class;
        or the negative class. `predict` answers with the negative class under "update".
    max_iter : int, default=1000
        The most passes.
    eta0 : float, default=1.0
        The learning rate. From zero weights it only scales them.
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant 1.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into ``sample_weight``. A weight multiplies the row's updates, not its visits.
    random_state : int, RandomState or None, default=None
        The source of the orders "shuffle" and "random".
    record : bool, default=False
        Whether to keep the trace, ``mistakes_``.

    Attributes
    ----------
    coef_ : array of shape (1, d)
        The weights: exact ones, correctly rounded.
    intercept_ : array of shape (1,)
        The intercept, minus the threshold.
    classes_ : array of shape (2,)
        The classes; the second is the positive one.
    n_iter_ : int
        Passes, the last one without a mistake included; each call of `partial_fit` counts as one.
    n_mistakes_ : int
        Mistakes, which are the updates.
    converged_ : bool
        Whether the run ended by itself: then every training row is classified rightly by the exact weights. After
        `partial_fit` False, as nothing is known of the rows seen before.
    mistakes_ : array
        The trace, if ``record``: the row of each mistake made while recording, in order. After `partial_fit` rows are
        counted from the first row given since the beginning.

    See Also
    --------
    separatrix.perceptron_loss : The loss that the perceptron descends.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> perceptron = sx.Perceptron().fit(X, y)
    >>> perceptron.coef_, perceptron.intercept_
    (array([[3., 2.]]), array([-4.]))
    >>> perceptron.n_mistakes_, perceptron.n_iter_, perceptron.converged_
    (18, 9, True)
    """

    _unit = 1.0  # what the exact weights are counted in

    def __init__(
        self,
        *,
        order: str | ArrayLike = "cyclic",
        tie: str = "update",
        max_iter: int = 1000,
        eta0: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        record: bool = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.max_iter = max_iter
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.record = record

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from zero weights, or from an initial guess.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The labels, of two classes.
        coef_init : array of shape (d,) or (1, d), optional
            The first weights.
        intercept_init : float or array of shape (1,), optional
            The first intercept.
        sample_weight : array of shape (n,), optional
            Multiplies each row's updates; rows of weight 0 are left out.

        Returns
        -------
        Perceptron
            Itself. If ``max_iter`` passes were not enough, a ConvergenceWarning says what to do.
        """
        self._check_parameters()
        problem = self._problem(X, y, sample_weight)
        validate_data(self, X, skip_check_array=True, reset=True)
        if len(problem.classes) < 2:
            raise ValueError(
                f"Perceptron needs rows of two classes, but y holds only one class: {problem.classes[0]!r}. "
                "Give rows of both."
            )
        order = visiting_order(self.order, problem)
        run, unit = self._begin(problem, self._initial_guess(problem, coef_init, intercept_init), 1.0)
        converged = False
        try:
            converged = run.learn(order, self.max_iter, check_random_state(self.random_state))
        finally:  # also on Ctrl-C: what was learnt so far is there
            self.classes_ = np.array(problem.classes)
            self._start_counting()
            self._finish(run, unit, converged)
        self._digest = digest(problem) if self.record else None  # so that an audit knows the rows
        self._tell_of_rounding(run)
        if not converged:
            warnings.warn(
                f"The perceptron made {self.n_mistakes_:,} mistakes in {self.n_iter_:,} passes and has not come to a pass "
                "without one. Either no hyperplane separates the classes, and it never will, or it needs more passes "
                "(max_iter), standardised features, or both.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn online: visit each row once in the given order, predict, compare, update at a mistake.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; ``y`` may hold one class only.
        classes : array of shape (2,), optional
            The classes, in the first call.

        Returns
        -------
        Perceptron
            Itself, ``n_mistakes_`` and ``n_iter_`` counted on.
        """
        self._check_parameters()
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight '{self.class_weight}' is not supported for partial_fit, which does not see all labels. "
                "Compute the weights with sklearn.utils.compute_class_weight and give them as a dict."
            )
        first = not hasattr(self, "_weights")
        if first and hasattr(self, "classes_"):
            del self.classes_
        _check_partial_fit_first_call(self, classes)
        try:
            if self.classes_.size != 2:
                raise ValueError(
                    "Only binary classification is supported. The type of the target is "
                    f"{'multiclass' if self.classes_.size > 2 else 'unknown'}: {self.classes_.size} classes, expected two."
                )
            problem = self._problem(X, y, sample_weight, classes=self.classes_)
            validate_data(self, X, skip_check_array=True, reset=first)
        except BaseException:
            if first:  # leave no half-made estimator behind
                del self.classes_
            raise
        if first:
            self._start_counting()
        elif len(self._weights) != problem.d + problem.intercept:
            raise ValueError("fit_intercept has changed since the last call. Change it back, or start anew with fit.")
        run, unit = self._begin(problem, None if first else self._weights, self._unit)
        try:
            run.advance(None, 1)
        finally:
            self._finish(run, unit, False)
        self._digest = None
        self._tell_of_rounding(run)
        return self

    def exact_weights(self) -> Dyadic:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``.

        >>> import separatrix as sx
        >>> sx.Perceptron(eta0=0.1).fit([[1], [2]], [0, 1]).exact_weights().strings()[1]
        '-10808639105689191/36028797018963968'
        """
        check_is_fitted(self)
        return self._weights.times(self._unit)

    # Below: what fit and partial_fit are made of.

    def _check_parameters(self) -> None:
        def refuse(name: str, expected: str) -> None:
            value = getattr(self, name)
            raise ValueError(f"The {name!r} parameter of Perceptron must be {expected}. Got {value!r} instead.")

        if isinstance(self.order, str) and self.order not in ORDERS:
            refuse("order", f"one of {', '.join(map(repr, ORDERS))} or a permutation of the rows")
        if self.tie not in TIES:
            refuse("tie", f"one of {', '.join(map(repr, TIES))}")
        if not isinstance(self.max_iter, numbers.Integral) or self.max_iter < 1:
            refuse("max_iter", "an integer of at least 1")
        if not isinstance(self.eta0, numbers.Real) or not (0 < float(self.eta0) < np.inf):
            refuse("eta0", "a positive, finite number")
        for name in ("fit_intercept", "record"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                refuse(name, "True or False")

    def _problem(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Problem:
        return weighted_problem(X, y, self.class_weight, sample_weight, intercept=self.fit_intercept, classes=classes)

    def _initial_guess(self, problem: Problem, coef: ArrayLike | None, intercept: ArrayLike | None) -> Dyadic | None:
        if coef is None and intercept is None:
            return None
        first = np.zeros(problem.d) if coef is None else exact_float64(np.asarray(coef), "coef_init").reshape(-1)
        if first.size != problem.d:
            raise ValueError(f"coef_init has {first.size} weights, expected {problem.d}: one for each feature.")
        if intercept is not None:
            last = exact_float64(np.asarray(intercept), "intercept_init").reshape(-1)
            if last.size != 1:
                raise ValueError(f"intercept_init has {last.size} numbers, expected one.")
            if not problem.intercept:
                raise ValueError("intercept_init was given, but fit_intercept is False. Leave one of the two out.")
        else:
            last = np.zeros(1)
        weights = np.concatenate([first, last]) if problem.intercept else first
        if not np.isfinite(weights).all():
            raise ValueError("coef_init and intercept_init must be finite, but hold NaN or infinity.")
        return Dyadic.from_parts(weights)

    def _begin(self, problem: Problem, start: Dyadic | None, unit: float) -> tuple[Run, float]:
        """Start a run from ``start * unit``; return it with the unit in which it counts the weights.

        The learning rate is factored out where that keeps the start exact (from zero, at a power of two, or where the
        start was already counted in it): then updates are rows themselves, and the kernels are at their fastest.
        """
        eta = float(self.eta0)
        factor = 1.0
        if start is not None and not start:
            start = None
        if start is None or unit == eta:
            unit = eta
        else:
            start = start.times(unit)
            half, power = np.frexp(eta)
            if half == 0.5:
                start, unit = start.times_power(1 - int(power)), eta
            else:
                factor, unit = eta, 1.0
        run = Run(problem, tie=self.tie, start=start, steps=problem.weights, factor=factor, record=self.record)
        return run, unit

    def _start_counting(self) -> None:
        self._seen = self.n_mistakes_ = self.n_iter_ = 0
        self.mistakes_ = np.empty(0, np.int64)

    def _finish(self, run: Run, unit: float, converged: bool) -> None:
        """Take over what a run has learnt, and count on."""
        problem = run.problem
        self._publish(run.weights(), unit, problem.d)
        self.converged_ = converged
        self.n_mistakes_ += run.mistakes
        self.n_iter_ += max(1, run.passes)
        if self.record:
            rows = run.trace if problem.kept is None else problem.kept[run.trace]
            before = getattr(self, "mistakes_", np.empty(0, np.int64))
            self.mistakes_ = np.concatenate([before, rows + self._seen])
        elif hasattr(self, "mistakes_"):
            del self.mistakes_
        self._seen += problem.given

    def _publish(self, weights: Dyadic, unit: float, d: int) -> None:
        """Keep exact weights, counted in a unit, and publish them rounded."""
        try:
            rounded = weights.times(unit).round()
        except OverflowError:
            raise OverflowError(
                "The weights have grown too large for float64. Rescale the features, or lower eta0 or the sample weights."
            ) from None
        self._weights, self._unit = weights, unit
        self.coef_ = rounded[None, :d].copy()
        self.intercept_ = rounded[d:].copy() if rounded.size > d else np.zeros(1)

    def _tell_of_rounding(self, run: Run) -> None:
        changed = run.changed_by_rounding(self._unit, self._stored())
        if changed:
            warnings.warn(
                f"Rounding the exact weights to float64 changes the predicted class of {changed} training "
                f"{'row' if changed == 1 else 'rows'}. The run is exact all the same; standardised features make "
                "rounding harmless.",
                RoundingWarning,
                stacklevel=3,
            )

    def _tie(self) -> str:
        return self.tie

    def _stored(self) -> Floats:
        lifted = len(self._weights) > self.coef_.shape[1]
        return np.append(self.coef_[0], self.intercept_) if lifted else self.coef_[0]
