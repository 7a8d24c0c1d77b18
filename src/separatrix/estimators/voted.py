"""The voted perceptron."""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic
from ..perceptron.run import Run
from ..perceptron.voting import Survivors
from ..problem.labels import class_array, is_class, read_labels
from ..problem.problem import Problem
from ..problem.rows import read_rows
from ..problem.ties import TIES, predictions
from ._copies import Copies
from ._inputs import classes_used, new_rows, require_two_classes, visiting_order
from ._orders import Visiting


class VotedPerceptron(Copies, Visiting, ClassifierMixin, BaseEstimator):
    """The voted perceptron of Freund and Schapire (1999), run and counted exactly.

    The run is that of `Perceptron`. All the weights it goes through predict, each with as many votes as the visits it
    survived, the one that made it included, and the majority wins. Of the run, the rows erred on and the trace are kept,
    which tell all weights; a prediction takes time in proportion to the mistakes. Votes are counted by the exact signs of
    the scores of exact weights.

    Of more than two classes each is set against the rest, by a voted perceptron of its own, and the one with the largest
    share of votes is predicted.

    Parameters
    ----------
    order : {"cyclic", "shuffle", "random"} or array of shape (n,), default="cyclic"
        The order of visits, as for `Perceptron`. In the order "random", where nothing but updates is visited, all weights
        have one vote.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts, in the run and in the vote: nothing, so that it is a mistake for either class
        and a vote for neither; the positive class; or the negative class. The positive class wins an equal vote under
        "positive" only.
    max_iter : int, default=10
        The most passes; one without a mistake is the last, as others would only repeat its votes.
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant 1.
    random_state : int, RandomState or None, default=None
        The source of the orders "shuffle" and "random".

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    n_iter_ : int, or array of shape (K,) for K > 2 classes
        Passes; each call of `partial_fit` counts as one.
    n_mistakes_ : int, or array of shape (K,)
        Mistakes; there is one vector of weights more than that.
    n_visits_ : int, or array of shape (K,)
        Visits, which are the votes.
    converged_ : bool, or array of shape (K,)
        Whether the run ended with a pass without a mistake.
    estimators_ : list of K VotedPerceptron
        For more than two classes: what learnt each against the rest. Only they have what follows.
    mistakes_ : array
        The trace: the row of each mistake, in order, counted from the first row given since the beginning.
    survivals_ : array of shape (n_mistakes_ + 1,)
        The votes of each of the weights, the first ones, which are zero, included.

    See Also
    --------
    separatrix.Perceptron : With ``average=True``, a single vector of weights that does nearly as well.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> voted = sx.VotedPerceptron().fit(X, y)
    >>> voted.predict(X), voted.survivals_[:5]
    (array([0, 0, 0, 1]), array([0, 3, 1, 1, 2]))
    >>> voted.decision_function([[2, 2], [0, 1]])
    array([ 0.72222222, -0.69444444])
    """

    _per_class = ("n_iter_", "n_mistakes_", "n_visits_", "converged_")
    _hidden = ("_intercept", "_weights", "_rows", "_labels", "_places", "_times", "_seen")

    def __init__(
        self,
        *,
        order: str | ArrayLike = "cyclic",
        tie: str = "update",
        max_iter: int = 10,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.order = order
        self.tie = tie
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from zero weights.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The labels, of two classes or more.

        Returns
        -------
        VotedPerceptron
            Itself. If none of ``max_iter`` passes was without a mistake, a ConvergenceWarning says what to make of it.
        """
        self._check_parameters()
        labels = read_labels(y)
        classes = classes_used(labels, None)
        if len(classes) > 2:
            return self._fit_copies(X, labels, classes)
        problem = Problem.of(X, labels, intercept=self.fit_intercept)
        require_two_classes(self, problem.classes)
        order, rng = visiting_order(self.order, problem), check_random_state(self.random_state)
        run = Run(problem, tie=self.tie, record=True, timed=True)
        validate_data(self, X, skip_check_array=True, reset=True)
        converged = False
        try:
            converged = run.learn(order, self.max_iter, rng)
        finally:  # also on Ctrl-C: what was learnt so far is there
            self.__dict__.pop("estimators_", None)
            self.classes_ = class_array(problem.classes)
            self._forget(problem)
            self._take_over(run, converged)
        if not converged:
            warnings.warn(
                f"The voted perceptron made {self.n_mistakes_:,} mistakes in {self.n_iter_:,} passes and has not come to a "
                "pass without one. That need not harm the vote; but it may be poor where rows are sorted by class or "
                "features differ in scale: then shuffle the rows (order), standardise the features, or allow more passes "
                "(max_iter).",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Learn online: visit each row once in the given order, predict, compare, update at a mistake.

        Parameters
        ----------
        X, y
            As for `fit`; ``y`` may hold one class only.
        classes : array of shape (K,), optional
            All classes, in the first call.

        Returns
        -------
        VotedPerceptron
            Itself, with the votes of all visits since the beginning.
        """
        self._check_parameters()
        problem, first = self._online_problem(X, classes, lambda: self._labelled(X, y))
        if self.classes_.size > 2:
            if first:
                self._make_copies(self.classes_)
                validate_data(self, X, skip_check_array=True, reset=True)
            for copy, value in zip(self.estimators_, self.classes_, strict=True):
                copy.set_params(**self.get_params(deep=False))
                copy.partial_fit(problem.X, is_class(read_labels(y), value), classes=[False, True])
            self._put_together()
            return self
        if first:
            self._forget(problem)
        elif self._intercept != problem.intercept:
            raise ValueError("fit_intercept has changed since the last call. Change it back, or start anew with fit.")
        run = Run(problem, tie=self.tie, start=self._weights, record=True, timed=True)
        try:
            run.advance(None, 1)
        finally:
            self._take_over(run, False)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Votes for the positive class minus those for the negative one, over all votes: from -1 to 1.

        For K > 2 classes of shape (n, K), for each class against the rest.
        """
        if self._is_plural():
            rows, _ = new_rows(self, X)
            return np.stack([copy.decision_function(rows) for copy in self.estimators_], axis=1)
        return self._votes(X) / self.n_visits_

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the majority of votes, or the largest share of them; shares are exact."""
        if self._is_plural():
            rows, _ = new_rows(self, X)
            visits = [int(copy.n_visits_) for copy in self.estimators_]
            whole = math.lcm(*visits)  # so that shares are compared as whole numbers, of any size
            shares = [
                copy._votes(rows).astype(object) * (whole // number)
                for copy, number in zip(self.estimators_, visits, strict=True)
            ]
            return self._largest(np.stack(shares, axis=1))
        return self.classes_[(predictions(self._votes(X), TIES[self.tie]) == 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _labelled(self, X: Any, y: Any) -> Problem:
        """Return rows with labels that are among the known classes."""
        last = self.classes_[-1] if self.classes_.size > 2 else None
        return Problem.of(X, y, classes=self.classes_, positive=last, intercept=self.fit_intercept)

    # Below: what is kept of a run. Rows erred on, `_rows` and their `_labels`; for each mistake its place among them and
    # the number of its visit; the exact last weights, to go on from.

    def _forget(self, problem: Problem) -> None:
        self._intercept = problem.intercept
        self._weights: Dyadic | None = None
        self._rows, self._labels = problem.X[:0], np.empty(0)
        self._places, self._times = np.empty(0, np.int64), np.empty(0, np.int64)
        self.mistakes_ = np.empty(0, np.int64)
        self.n_mistakes_ = self.n_iter_ = self.n_visits_ = self._seen = 0

    def _take_over(self, run: Run, converged: bool) -> None:
        trace, problem = run.trace, run.problem
        used, places = np.unique(trace, return_inverse=True)
        self._places = np.concatenate([self._places, places + self._labels.size])
        self._rows = _stacked(self._rows, problem.X[used])
        self._labels = np.concatenate([self._labels, problem.y[used]])
        self._times = np.concatenate([self._times, run.times + self.n_visits_])
        self._weights = run.weights()
        self.mistakes_ = np.concatenate([self.mistakes_, trace + self._seen])
        self._seen += problem.given
        self.n_mistakes_ += run.mistakes
        self.n_visits_ += run.visits
        self.n_iter_ += max(1, run.passes)
        self.converged_ = converged
        self.survivals_: Indices = np.diff(self._times, prepend=1, append=self.n_visits_ + 1)

    def _votes(self, X: Any) -> Indices:
        rows, measures = new_rows(self, X)
        tie = TIES[self.tie]
        if not self._labels.size:
            return predictions(np.zeros(rows.shape[0]), tie) * self.n_visits_
        erred = Problem.bare(read_rows(self._rows)[0], self._intercept, self._labels)
        return Survivors(erred, self._places, self.survivals_, tie).votes(rows, measures)


def _stacked(above: Any, below: Any) -> Any:
    """Put rows below others: dense if all are, else CSR."""
    if isinstance(above, np.ndarray) and isinstance(below, np.ndarray):
        return np.vstack([above, below])
    return sp.csr_array(sp.vstack([sp.csr_array(above), sp.csr_array(below)]))
