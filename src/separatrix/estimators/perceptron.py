"""The perceptron."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from ..cautions import RoundingWarning
from ..certificate import digest
from ..exact import Dyadic, Floats, Quotient
from ..kesler import Classes, KeslerRun, predict_codes
from ..problem import Problem, distinct, exact_float64, read_labels, read_weights
from ..run import TIES, Run
from ..scores import scores
from .hyperplane import Hyperplane
from .visiting import Visiting, require_two_classes


class Perceptron(Visiting, Hyperplane):
    """The perceptron learning algorithm, run exactly.

    Rows are visited one after another; at a mistake on row i the weights become ``w + eta0 * y_i * (x_i, 1)``. The run
    ends after a whole pass without a mistake, or after ``max_iter`` passes. Whether a row is a mistake is decided by
    the sign of the exact product of the exact weights, so that mistakes, passes and weights are the same on every
    machine, for dense and sparse rows alike.

    More than two classes have a vector of weights each (Kesler's construction): a row x of class c is a mistake unless c has
    the largest score. Then ``eta0 * (x, 1)`` is added to the weights of c and subtracted from those of its rival, the class
    with the largest score among the others, the first in order if there are several.

    Parameters
    ----------
    order : {"cyclic", "shuffle", "random"} or array of shape (n,), default="cyclic"
        The order of visits: as the rows stand; in a new permutation for each pass; each update on a row drawn
        uniformly among those now misclassified (n updates count as a pass); or in the permutation given. `partial_fit`
        takes rows as they come.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts: nothing, so that it is a mistake for either class; the positive class;
        or the negative class. `predict` answers with the negative class under "update". With more classes, the same of
        largest scores that are exactly equal: none of them, the last of them in order, or the first.
    max_iter : int, default=1000
        The most passes.
    eta0 : float, default=1.0
        The learning rate. From zero weights it only scales them.
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant 1.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into ``sample_weight``. A weight multiplies the row's updates, not its visits.
    average : bool, default=False
        Whether to predict with the mean of the weights after each visit, updates included, over all passes (Collins
        2002), instead of the last ones. In the order "random", where nothing but updates is visited, it is the mean after
        each update. The run itself is the same.
    random_state : int, RandomState or None, default=None
        The source of the orders "shuffle" and "random".
    record : bool, default=False
        Whether to keep the trace, ``mistakes_``.

    Attributes
    ----------
    coef_ : array of shape (1, d), or (n_classes, d) if there are more than two
        The weights: exact ones, or the exact mean of them if ``average``, correctly rounded.
    intercept_ : array of shape (1,), or (n_classes,)
        The intercept, minus the threshold.
    classes_ : array of shape (n_classes,)
        The classes in order; of two the second is the positive one.
    n_iter_ : int
        Passes, the last one without a mistake included; each call of `partial_fit` counts as one.
    n_mistakes_ : int
        Mistakes, which are the updates.
    converged_ : bool
        Whether the run ended by itself: then every training row is classified rightly by the exact last weights. After
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
    >>> sx.Perceptron(average=True).fit(X, y).exact_weights().strings()
    ['25/12', '4/3', '-23/9']
    """

    _flags = ("fit_intercept", "average", "record")
    _multiclass = True
    _unit = 1.0  # what the exact weights are counted in
    _total: Dyadic | None = None  # the sum of the weights after each visit, if they are averaged,
    _visits = 0  # and how many there were
    _vectors = 1  # vectors of weights: one for two classes, else one for each

    def __init__(
        self,
        *,
        order: str | ArrayLike = "cyclic",
        tie: str = "update",
        max_iter: int = 1000,
        eta0: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        average: bool = False,
        random_state: Any = None,
        record: bool = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.max_iter = max_iter
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.average = average
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
            The labels, of two classes or more.
        coef_init : array of shape (d,) or (1, d), optional
            The first weights; of more than two classes (n_classes, d).
        intercept_init : float or array of shape (1,), optional
            The first intercept; of more than two classes (n_classes,).
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
        require_two_classes(self, problem)
        order = self._visiting_order(problem)
        run, unit = self._begin(problem, self._initial_guess(problem, coef_init, intercept_init), 1.0)
        converged = False
        try:
            converged = run.learn(order, self.max_iter, check_random_state(self.random_state))
        finally:  # also on Ctrl-C: what was learnt so far is there
            self.classes_ = np.array(problem.classes)
            self._start_counting()
            self._finish(run, unit, converged)
        two = not isinstance(problem, Classes)
        self._digest = digest(problem) if self.record and two else None  # so that an audit knows the rows
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
        classes : array of shape (n_classes,), optional
            All classes, in the first call.

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
        problem, first = self._online_problem(X, classes, lambda: self._problem(X, y, sample_weight, classes=self.classes_))
        if first:
            self._start_counting()
        else:
            changed = {
                "fit_intercept": len(self._weights) != self._vectors * (problem.d + problem.intercept),
                "average": (self._total is None) == bool(self.average),
            }
            for name in [name for name in changed if changed[name]]:
                raise ValueError(f"{name} has changed since the last call. Change it back, or start anew with fit.")
        run, unit = self._begin(problem, None if first else self._weights, self._unit)
        try:
            run.advance(None, 1)
        finally:
            self._finish(run, unit, False)
        self._digest = None
        self._tell_of_rounding(run)
        return self

    def exact_weights(self) -> Dyadic | Quotient:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``. With ``average`` they are the
        mean, and `last_weights` are those that the run came to.

        >>> import separatrix as sx
        >>> sx.Perceptron(eta0=0.1).fit([[1], [2]], [0, 1]).exact_weights().strings()[1]
        '-10808639105689191/36028797018963968'
        """
        check_is_fitted(self)
        if self._total is None or not self._visits:
            return self.last_weights()
        return Quotient(self._total, self._visits)

    def last_weights(self) -> Dyadic:
        """Return the exact weights after the last visit, averaged or not."""
        check_is_fitted(self)
        return self._weights.times(self._unit)

    def decision_function(self, X: Any) -> Floats:
        """Signed scores ``w.x + b``: positive for the positive class, exactly 0 on the hyperplane.

        The sign is that of the exact score of the stored weights. With more than two classes, a column for each of them.
        """
        if self._vectors == 1:
            return super().decision_function(X)
        rows, measures = self._rows(X)
        return np.column_stack([scores(rows, measures, weights) for weights in self._stored_table()])

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplane, ``(w.x + b) / ||w||``."""
        if self._vectors > 1:
            raise ValueError(f"There is one hyperplane for two classes only; the perceptron has learnt {self._vectors}.")
        return super().distance(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the exact sign of the score of the stored weights, or the largest score."""
        if self._vectors == 1:
            return super().predict(X)
        rows, measures = self._rows(X)
        return self.classes_[predict_codes(rows, measures, self._stored_table(), TIES[self.tie])]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    # Below: what fit and partial_fit are made of.

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.eta0, numbers.Real) or not (0 < float(self.eta0) < np.inf):
            self._refuse("eta0", "a positive, finite number")

    def _problem(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Problem:
        if self.class_weight is not None:
            labels = read_labels(y)
            values = distinct(labels) if classes is None else list(classes)
            per_class = compute_class_weight(self.class_weight, classes=np.array(values), y=labels)
            weights = read_weights(sample_weight, labels.shape[0])
            sample_weight = np.ones(labels.shape[0]) if weights is None else weights.copy()
            for value, weight in zip(values, per_class, strict=True):
                sample_weight[labels == value] *= weight
        labels = read_labels(y)
        if classes is None:
            used = read_weights(sample_weight, labels.shape[0])
            labels_used = labels if used is None or used.all() else labels[used != 0]
            values = distinct(labels_used) if labels_used.size else []
        else:
            values = list(classes)
        if len(values) > 2:
            return Classes.of_labels(X, labels, values, bool(self.fit_intercept), sample_weight)
        return Problem.of(X, labels, classes=classes, intercept=self.fit_intercept, sample_weight=sample_weight)

    def _initial_guess(self, problem: Problem, coef: ArrayLike | None, intercept: ArrayLike | None) -> Dyadic | None:
        if coef is None and intercept is None:
            return None
        vectors = len(problem.classes) if isinstance(problem, Classes) else 1
        size = vectors * problem.d
        first = np.zeros(size) if coef is None else exact_float64(np.asarray(coef), "coef_init").reshape(-1)
        if first.size != size:
            raise ValueError(
                f"coef_init has {first.size} weights, expected {size}: one for each feature"
                f"{'' if vectors == 1 else f' and each of the {vectors} classes'}."
            )
        if intercept is not None:
            last = exact_float64(np.asarray(intercept), "intercept_init").reshape(-1)
            if last.size != vectors:
                raise ValueError(f"intercept_init has {last.size} numbers, expected {'one' if vectors == 1 else vectors}.")
            if not problem.intercept:
                raise ValueError("intercept_init was given, but fit_intercept is False. Leave one of the two out.")
        else:
            last = np.zeros(vectors)
        weights = first
        if problem.intercept:
            weights = np.column_stack([first.reshape(vectors, -1), last]).reshape(-1)
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
        kind = KeslerRun if isinstance(problem, Classes) else Run
        run = kind(
            problem, tie=self.tie, start=start, steps=problem.weights, factor=factor, record=self.record,
            average=bool(self.average),
        )  # fmt: skip
        return run, unit

    def _start_counting(self) -> None:
        self._seen = self.n_mistakes_ = self.n_iter_ = self._visits = 0
        self._total = None
        self.mistakes_ = np.empty(0, np.int64)

    def _finish(self, run: Run, unit: float, converged: bool) -> None:
        """Take over what a run has learnt, and count on."""
        problem, total = run.problem, self._total
        if self.average:
            total = run.total().times(unit) if total is None else total.plus(run.total().times(unit))
        vectors = len(problem.classes) if isinstance(problem, Classes) else 1
        self._publish(run.weights(), unit, problem.d, total, self._visits + run.visits, vectors)
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

    def _publish(
        self, weights: Dyadic, unit: float, d: int, total: Dyadic | None = None, visits: int = 0, vectors: int = 1
    ) -> None:
        """Keep exact weights, counted in a unit, and their sum over visits; publish them, or their mean, rounded."""
        try:
            rounded = (Quotient(total, visits) if total is not None and visits else weights.times(unit)).round()
        except OverflowError:
            raise OverflowError(
                "The weights have grown too large for float64. Rescale the features, or lower eta0 or the sample weights."
            ) from None
        self._weights, self._unit, self._total, self._visits, self._vectors = weights, unit, total, visits, vectors
        table = rounded.reshape(vectors, -1)
        self.coef_ = table[:, :d].copy()
        self.intercept_ = table[:, d].copy() if table.shape[1] > d else np.zeros(vectors)

    def _tell_of_rounding(self, run: Run) -> None:
        exact = self.exact_weights()
        numbers = exact.numerators if isinstance(exact, Quotient) else exact
        changed = run.changed_by_rounding(numbers, self._stored_table().reshape(-1))
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
        return self._stored_table()[0]

    def _stored_table(self) -> Floats:
        """Return a row of stored weights for each vector, the intercept last if one was learnt."""
        lifted = len(self._weights) > self.coef_.size
        return np.column_stack([self.coef_, self.intercept_]) if lifted else self.coef_
