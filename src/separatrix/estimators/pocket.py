"""The pocket algorithm, for classes that need not be separable."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..exact.dyadic import Dyadic, Quotient
from ..perceptron.pocket import Improvement, PocketRun, best_start
from ..problem.largest import vectors_of
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..support.calls import Verbose
from ..support.clock import Clock
from ..support.interruption import delegating
from .learnt import LearntWeights, adopt, learnt_by
from .shared.blocks import refuse_blocks
from .shared.copies import Copies, LearntByCopies
from .shared.exact_weights import ExactHyperplanes
from .shared.inputs import counted
from .shared.parameters import is_number
from .shared.training import Trained, Training

if TYPE_CHECKING:
    from ..proof.certificate import Certificate

STARTS = ("best", "zero")

_SHARE_OF_START = 0.85
"""Of the time that there is, so much may be spent on finding the first weights."""

_LEAST_SECONDS = 0.1
"""Seconds that may be spent on it in any case."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntPocket(LearntWeights):
    """What is in the pocket.

    Attributes
    ----------
    weights : Dyadic or Quotient
        The weights, exact.
    updates : int
        How many updates there were.
    history : tuple of Improvement
        When the pocket was filled, and with what; the last is that of the weights.
    start : Dyadic or None
        The first weights that were found, counted in 1 over the denominator of the rows; None if there was no search.
    lower_bound : int, Fraction or None
        Errors that no hyperplane can do without, if that was asked for.
    certificate : Certificate or None
        What proves it.
    """

    weights: Dyadic | Quotient
    updates: int
    history: tuple[Improvement, ...]
    start: Dyadic | None = None
    lower_bound: int | Fraction | None = None
    certificate: Certificate | None = None

    def exact(self) -> Dyadic | Quotient:
        """Return the weights."""
        return self.weights

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights."""
        return replace(self, weights=weights)

    def _shown(self) -> dict[str, Any]:
        _, errors, weighted = self.history[-1]
        return {
            **self._rounded(),
            "n_updates_": self.updates,
            "history_": list(self.history),
            "n_errors_": errors,
            "weighted_error_": weighted,
            "lower_bound_": self.lower_bound,
            "certificate_": self.certificate,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntPockets(LearntByCopies, LearntWeights):
    """The pockets of K > 2 classes: their weights one after another."""

    @cached_property
    def weights(self) -> Dyadic | Quotient:
        """The exact weights, class after class."""
        return Quotient.joined([copy.exact_weights() for copy in self.estimators])

    def exact(self) -> Dyadic | Quotient:
        """Return the weights."""
        return self.weights

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights."""
        copies = [copy(each) for each in self.estimators]
        for pocket, vector in zip(copies, vectors_of(weights, self.vectors), strict=True):
            adopt(pocket, learnt_by(pocket).replaced(vector))
        return replace(self, estimators=tuple(copies))

    def _shown(self) -> dict[str, Any]:
        proofs = {"lower_bound_": None, "certificate_": None}  # the copies have theirs
        return {**super()._shown(), **self._rounded(), **proofs}


class Pocket(Copies, Trained, ExactHyperplanes):
    """The pocket algorithm with ratchet (Gallant 1990), run exactly.

    The perceptron never rests where no hyperplane separates the classes, and its last weights are as good as chance left
    them. This one keeps the best it has come by: at each update a row is drawn uniformly among those now misclassified,
    and ``y_i * (x_i, 1)`` is added to the weights; whenever these misclassify fewer training rows than those in the pocket,
    they replace them. Errors are those of the exact weights by exact signs, so that the run is a function of the data, its
    start and the random state, the same on every machine, for dense and sparse rows alike.

    Of more than two classes each is set against the rest, by a pocket of its own, and the one with the largest exact score
    is predicted.

    Parameters
    ----------
    init : {"best", "zero"}, default="best"
        The first weights. "best": those that err least of some that are quickly found: the mean of the weights in a
        perceptron's first pass, least squares, the least logistic and squared hinge loss, and a descent from there along
        lines. They are found in floating point, so that another machine, or many sparse rows, may start from others.
        "zero": zero weights, as the algorithm is taught.
    max_updates : int, default=10_000
        The most updates from a start. The pocket gets better the more slowly the longer it takes; this many is less than
        a second for thousands of rows, and some seconds for a hundred thousand.
    time_limit : float or None, default=None
        Seconds after which to stop, beyond the first count of errors, whatever is left to do; of more than two classes, for
        each of them. Up to 70 % of them, and a tenth of a second at least, are spent on the first weights, which then depend
        on the speed of the machine.
    restarts : int, default=0
        How many times to begin again from the first weights, with further random draws; the pocket is kept.
    average : bool, default=False
        Whether the mean of the weights, too, is tried for the pocket, every 100 updates: not part of the algorithm as
        it is taught, but often much better. It is taken over about the later half of the updates.
    certify : float or None, default=None
        Seconds for which to look, after learning, for a proof of how many errors no hyperplane can do without, as
        `separatrix.least_errors` does; of more than two classes, for each of them. It needs ``tie="update"`` or an
        intercept: without either, zero weights are right on a whole class, which no hyperplane is.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts: nothing, so that it is an error for either class; the positive class; or
        the negative class. `predict` answers with the negative class under "update".
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant 1.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into ``sample_weight``. Weights weigh errors: the pocket is replaced when their
        exact sum over the misclassified rows falls. They change neither draws nor updates.
    random_state : int, RandomState or None, default=None
        The source of the draws.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    coef_ : array of shape (1, d), or (K, d) for K > 2 classes
        The weights in the pocket: exact ones, correctly rounded.
    intercept_ : array of shape (1,) or (K,)
        The intercept.
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    n_errors_ : int, or array of shape (K,) for K > 2 classes
        Number of training rows that the exact weights misclassify; rows of weight 0 are not counted. Of more than two
        classes, for each the rows that are on the wrong side of its hyperplane.
    weighted_error_ : float, or array of shape (K,)
        The weights of these rows together, rounded once; ``n_errors_`` if there are no weights.
    n_updates_ : int, or array of shape (K,)
        Number of updates, over all restarts.
    estimators_ : list of K Pocket
        For more than two classes: what learnt each against the rest. Only they have what follows.
    history_ : list of Improvement
        When the pocket was filled, and with what: triples ``(updates, errors, weighted_error)``, the first one that of the
        first weights.
    lower_bound_ : int, Fraction or None
        Errors that no hyperplane can do without, if ``certify``; by their weights, if there are any.
    certificate_ : Certificate or None
        What proves it; it is about the rows of positive weight.

    See Also
    --------
    separatrix.least_errors : Proves how few errors are possible, and mostly finds a better hyperplane.

    Examples
    --------
    >>> import separatrix as sx
    >>> pocket = sx.Pocket(init="zero", random_state=0).fit(*sx.examples.load("iris-virginica"))
    >>> pocket.n_errors_, pocket.n_updates_
    (1, 10000)
    >>> pocket.history_[0]
    Improvement(updates=0, errors=100, weighted_error=100.0)
    """

    _called = "The pocket algorithm"
    _starts_well = True
    _learnt_by_copies = LearntPockets
    _per_class = ("n_errors_", "weighted_error_", "n_updates_")

    def __init__(
        self,
        *,
        init: str = "best",
        max_updates: int = 10_000,
        time_limit: float | None = None,
        restarts: int = 0,
        average: bool = False,
        certify: float | None = None,
        tie: str = "update",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: Verbose = False,
    ) -> None:
        self.init = init
        self.max_updates = max_updates
        self.time_limit = time_limit
        self.restarts = restarts
        self.average = average
        self.certify = certify
        self.tie = tie
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn, and keep the best weights; on Ctrl-C, too, those found so far are there.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The labels, of two classes or more.
        coef_init : array of shape (d,) or (1, d), optional
            The first weights, in place of ``init``; of K > 2 classes (K, d).
        intercept_init : float or array of shape (1,), optional
            The first intercept; of K > 2 classes (K,).
        sample_weight : array of shape (n,), optional
            Weighs the errors; rows of weight 0 are left out.

        Returns
        -------
        Pocket
            Itself.
        """
        refuse_blocks(
            self, X, "it counts errors on all rows whenever it finds better weights; sx.least_errors takes a stream"
        )
        self._check_parameters()
        training = self._train(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)
        if training is None:
            return self
        run: PocketRun = training.run
        if self.certify is not None:
            from ..errors.least_errors import least_errors_of_problem

            problem = run.problem
            with delegating():
                found = least_errors_of_problem(replace(problem, weights=None), problem.weights, float(self.certify), 0)
            self._adopt(replace(self._learnt, lower_bound=found.lower, certificate=found.certificate))
        self._tell_of_rounding(run)
        return self

    def _training(self, problem: Problem, start: Dyadic | Quotient | None) -> Training:
        unit, first, factor = Fraction(1, problem.rows.denominator), None, 1
        limit = None if self.time_limit is None or self.time_limit == math.inf else float(self.time_limit)
        clock, begun = Clock(limit), None
        if start is not None:
            first, unit, factor = counted(start.numerators, Fraction(1, start.divisor), unit)
        elif self.init == "best":
            begun = best_start(problem, self.tie, None if limit is None else max(_SHARE_OF_START * limit, _LEAST_SECONDS))
            first = begun.weights
        scout = None if begun is None else begun.run
        run = PocketRun(problem, tie=self.tie, start=first, factor=factor, average=bool(self.average), like=scout)
        rng = check_random_state(self.random_state)

        def learn() -> bool:
            if begun is not None and begun.interrupted:
                raise KeyboardInterrupt
            run.climb(int(self.max_updates), rng, clock)
            for _ in range(int(self.restarts)):
                if not run.errors or not clock.left():
                    break
                run.restart()
                run.climb(int(self.max_updates), rng, clock)
            return not run.errors

        def learnt(_: bool, **known: Any) -> LearntPocket:
            weights = run.pocket.times_fraction(unit)
            found = None if begun is None else begun.weights
            return LearntPocket(**known, weights=weights, updates=run.updates, history=tuple(run.history), start=found)

        return Training(run, learn, learnt)

    def _so_far(self) -> str:
        return f" after {self.n_updates_:,} updates, with {self.n_errors_:,} errors"

    def _check_parameters(self) -> None:
        self._require_choice("init", STARTS)
        self._require_choice("tie", TIES)
        self._require_integer("max_updates", 1)
        self._require_integer("restarts", 0)
        for name in ("time_limit", "certify"):
            limit = getattr(self, name)
            if limit is not None and not (is_number(limit) or limit == math.inf):
                self._refuse(name, "a positive number of seconds or None")
        if self.certify is not None and self.tie != "update" and not self.fit_intercept:
            self._refuse("certify", "None without an intercept, unless tie='update'")
        self._require_switches("fit_intercept", "average")
