"""The perceptron."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .._types import Floats
from ..exact.dyadic import Dyadic, Quotient
from ..perceptron.multiclass import MulticlassRun
from ..perceptron.run import Run
from ..problem.digest import digest
from ..problem.labels import class_array, read_labels
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..support.remedies import Message, Remedy
from ._exact_weights import Learner
from ._inputs import classes_used, initial_guess, require_two_classes, visiting_order, with_class_weight
from ._orders import Visiting


class Perceptron(Visiting, Learner):
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
        each update. The run itself is the same. Rows that are sorted by class had better be shuffled: most weights of a
        long stretch of one class know that class only.
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
        require_two_classes(self, problem.classes)
        order, rng = visiting_order(self.order, problem), check_random_state(self.random_state)
        run, unit = self._begin(problem, initial_guess(problem, coef_init, intercept_init), 1.0)
        validate_data(self, X, skip_check_array=True, reset=True)
        converged = False
        try:
            converged = run.learn(order, self.max_iter, rng)
        finally:  # also on Ctrl-C: what was learnt so far is there
            self.classes_ = class_array(problem.classes)
            self._start_counting()
            self._finish(run, unit, converged)
        two = not isinstance(problem, Classes)
        self._digest = digest(problem) if self.record and two else None  # so that an audit knows the rows
        self._tell_of_rounding(run)
        if not converged:
            told = Message(
                f"The perceptron made {self.n_mistakes_:,} mistakes in {self.n_iter_:,} passes and has not come to a pass "
                "without one. Either no hyperplane separates the classes, and it never will, or it needs more passes (",
                Remedy("max_iter"),
                "), standardised features, or both.",
            )
            warnings.warn(told, ConvergenceWarning, stacklevel=3)
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

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplane, ``(w.x + b) / ||w||``, for two classes.

        With more, classes are told apart by differences of their weights, and nothing by where one score is zero.
        """
        if self._vectors > 1:
            raise ValueError(f"There is one hyperplane for two classes only; the perceptron has learnt {self._vectors}.")
        return super().distance(X)

    # Below: what fit and partial_fit are made of.

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_exact_number("eta0", "a positive, finite number")

    def _problem(self, X: Any, y: Any, sample_weight: ArrayLike | None, classes: ArrayLike | None = None) -> Problem:
        labels = read_labels(y)
        weights = with_class_weight(self.class_weight, labels, sample_weight, classes=classes)
        values = classes_used(labels, weights) if classes is None else list(np.asarray(classes))
        if len(values) > 2:
            return Classes.of_labels(X, labels, values, bool(self.fit_intercept), weights)
        return Problem.of(X, labels, classes=classes, intercept=self.fit_intercept, sample_weight=weights)

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
        kind = MulticlassRun if isinstance(problem, Classes) else Run
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
        self._publish(run.weights(), unit, problem.d, total, self._visits + run.visits, problem.vectors)
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
        mean = None if total is None or not visits else Quotient(total, visits)
        self._show_rounded(weights.times(unit) if mean is None else mean, d, vectors)
        self._weights, self._unit, self._total, self._visits, self._vectors = weights, unit, total, visits, vectors
