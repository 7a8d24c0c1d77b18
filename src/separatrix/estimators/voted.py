"""The voted perceptron."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rounding import rounded_in_order
from ..perceptron.run import Run
from ..perceptron.voting import Survivors
from ..problem.exact_rows import ExactRows
from ..problem.labels import is_class, read_labels
from ..problem.problem import Problem
from ..problem.reading_rows import read_rows
from ..problem.ties import TIES, predictions
from ..support.calls import Verbose
from ..support.remedies import Remedy
from .learnt import Learnt, learnt_by
from .shared.blocks import refuse_blocks
from .shared.copies import Copies, LearntByCopies
from .shared.inputs import new_rows
from .shared.raw_rows import OfRawRows
from .shared.training import Training, Visiting


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntVotes(Learnt):
    """What is kept of a run: the rows erred on, and when, which tell all the weights it went through.

    Attributes
    ----------
    erred : ExactRows
        The rows erred on.
    signs : array
        Their classes, 1 or -1.
    places : array
        For each mistake the place of its row among these.
    times : array
        For each mistake the number of its visit, counted from 1.
    trace : array
        For each mistake its row, counted from the first row given since the beginning.
    weights : Dyadic
        The exact last weights, to go on from, counted in 1 over the denominator of the rows.
    visits, passes, halted
        As the estimator shows them.
    rows : int
        How many rows were given since the beginning.
    """

    erred: ExactRows
    signs: Floats
    places: Indices
    times: Indices
    trace: Indices
    weights: Dyadic
    visits: int
    passes: int
    halted: bool
    rows: int

    @property
    def intercept(self) -> bool:
        """Whether the weights end with an intercept."""
        return len(self.weights) > self.features

    def after(self, before: LearntVotes) -> LearntVotes:
        """Return what was learnt by a run that went on from another one, with what that has learnt."""
        return replace(
            self,
            erred=ExactRows.stacked(before.erred, self.erred),
            signs=np.concatenate([before.signs, self.signs]),
            places=np.concatenate([before.places, self.places + before.signs.size]),
            times=np.concatenate([before.times, self.times + before.visits]),
            trace=np.concatenate([before.trace, self.trace + before.rows]),
            visits=before.visits + self.visits,
            passes=before.passes + self.passes,
            rows=before.rows + self.rows,
        )

    def _shown(self) -> dict[str, Any]:
        return {
            "mistakes_": self.trace,
            "n_mistakes_": len(self.trace),
            "n_visits_": self.visits,
            "n_iter_": self.passes,
            "halted_": self.halted,
            "survivals_": _survivals(self.times, self.visits),
        }


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
    n_iter_ : int, or array of shape (K,) for K > 2 classes
        Passes; each call of `partial_fit` counts as one.
    n_mistakes_ : int, or array of shape (K,)
        Mistakes; there is one vector of weights more than that.
    n_visits_ : int, or array of shape (K,)
        Visits, which are the votes.
    halted_ : bool, or array of shape (K,)
        Whether the run ended with a pass without a mistake: then its last weights have every training row right. The vote
        of all weights may have one wrong all the same.
    estimators_ : list of K VotedPerceptron
        For more than two classes: what learnt each against the rest. Only they have what follows.
    mistakes_ : array
        The trace: the row of each mistake, in order, counted from the first row given since the beginning.
    survivals_ : array of shape (mistakes + 1,)
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

    _per_class = ("n_iter_", "n_mistakes_", "n_visits_", "halted_")
    _called = "The voted perceptron"
    _advice = (
        "That need not harm the vote; but it may be poor where ",
        OfRawRows("features differ in scale, or "),
        "passes are few: then ",
        OfRawRows("standardise the features, or "),
        "allow more passes (",
        Remedy("max_iter"),
        ").",
    )

    def __init__(
        self,
        *,
        order: str | ArrayLike = "cyclic",
        tie: str = "update",
        max_iter: int = 10,
        fit_intercept: bool = True,
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
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
        refuse_blocks(self, X, "it keeps every row that it errs on")
        self._check_parameters()
        training = self._train(X, y)
        if training is not None:
            self._tell_if_erring(training.run.problem)
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
        problem, known = self._online(X, classes, lambda values: self._rows_among(values, X, y))
        values, before = known["classes"], self._learnt
        if len(values) > 2:
            copies = self._copies([None] * len(values) if before is None else map(learnt_by, self.estimators_))
            for copy, value in zip(copies, values, strict=True):
                copy.partial_fit(problem.rows, is_class(read_labels(y), value), classes=[False, True])
            self._adopt(LearntByCopies(**known, estimators=tuple(copies)))
            return self
        if before is not None and before.intercept != problem.intercept:
            raise ValueError("fit_intercept has changed since the last call. Change it back, or start anew with fit.")
        start = None
        if before is not None:  # all over one denominator: then every update adds a row of numerators
            erred, rows = ExactRows.alike(before.erred, problem.rows)
            problem = replace(problem, rows=rows)
            start = before.weights.times(erred.denominator // before.erred.denominator)
        run = Run(problem, tie=self.tie, start=start, record=True, timed=True)
        try:
            run.advance(None, 1)
        finally:
            self._adopt(_value(run, False, before, **known))
        return self

    def decision_function(self, X: Any) -> Floats:
        """Votes for the positive class minus those for the negative one, over all votes: from -1 to 1.

        For K > 2 classes of shape (n, K), for each class against the rest.
        """
        if not self._is_plural():
            return self._votes(X) / self.n_visits_
        votes, visits = self._votes_of_copies(new_rows(self, X))
        shares: Floats = votes / visits
        level = np.count_nonzero(shares == shares.max(axis=1, keepdims=True), axis=1) > 1  # some may be equal by rounding
        for i in np.flatnonzero(level).tolist():
            shares[i] = rounded_in_order([Fraction(int(v), int(n)) for v, n in zip(votes[i], visits, strict=True)])
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the majority of votes, or the largest share of them; shares are exact."""
        if self._is_plural():
            votes, visits = self._votes_of_copies(new_rows(self, X))
            whole = math.lcm(*visits.tolist())  # so that shares are compared as whole numbers, of any size
            return self._largest(votes.astype(object) * np.array([whole // number for number in visits.tolist()], object))
        signs = predictions(self._votes(X), TIES[self.tie])
        return self.classes_[(signs == 1).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _rows_among(self, classes: NDArray[Any], X: Any, y: Any) -> Problem:
        """Return rows with labels that are among the known classes."""
        last = classes[-1] if classes.size > 2 else None
        return Problem.of(X, y, classes=classes, positive=last, intercept=self.fit_intercept)

    def _training(self, problem: Problem, start: Dyadic | Quotient | None) -> Training:
        visit = self._visits(problem)
        run = Run(problem, tie=self.tie, record=True, timed=True)
        return Training(run, lambda: visit(run), lambda halted, **known: _value(run, halted, None, **known))

    def _votes_of_copies(self, rows: ExactRows) -> tuple[Indices, Indices]:
        """Return the votes for each class against the rest, a column for each, and how many votes there are in all."""
        votes = np.stack([copy._votes(rows) for copy in self.estimators_], axis=1)
        return votes, np.array([int(copy.n_visits_) for copy in self.estimators_])

    def _votes(self, X: Any) -> Indices:
        rows = new_rows(self, X)
        tie, learnt = TIES[self.tie], self._learnt
        if not learnt.signs.size:
            return predictions(np.zeros(len(rows)), tie) * self.n_visits_
        erred = Problem.bare(read_rows(learnt.erred), learnt.intercept, learnt.signs)
        return Survivors(erred, learnt.places, self.survivals_, tie).votes(rows)


def _value(run: Run, halted: bool, before: LearntVotes | None, **known: Any) -> LearntVotes:
    """Return what a run has learnt, counted on from what was learnt before."""
    problem, weights = run.problem, run.weights()
    trace, times = run.hand_over()
    erred = np.zeros(problem.n, bool)
    erred[trace] = True
    used, places = np.flatnonzero(erred), (np.cumsum(erred) - 1)[trace]
    found = LearntVotes(
        **known,
        erred=problem.rows[used],
        signs=problem.y[used],
        places=places,
        times=times,
        trace=trace,
        weights=weights,
        visits=run.visits,
        passes=max(1, run.passes),
        halted=halted,
        rows=problem.given,
    )
    return found if before is None else found.after(before)


def _survivals(times: Indices, visits: int) -> Indices:
    """Return the visits that each of the weights survived, the first ones included, of the times of mistakes.

    Written out, as `numpy.diff` copies the times twice, and there may be many millions.
    """
    survivals = np.empty(times.size + 1, times.dtype)
    survivals[:-1] = times
    survivals[-1] = visits + 1
    survivals[1:] -= times
    survivals[0] -= 1
    return survivals
