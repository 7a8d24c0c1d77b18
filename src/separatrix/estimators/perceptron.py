"""The perceptron."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rational
from ..perceptron.multiclass import MulticlassRun
from ..perceptron.orders import Visitor
from ..perceptron.run import Run
from ..problem.batches import Batches
from ..problem.digest import digest
from ..problem.labels import read_labels
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..support.calls import Verbose
from ..support.interruption import delegating
from .learnt import LearntWeights, learnt_by
from .shared.blocks import refuse_beside_blocks
from .shared.exact_weights import FromWeights
from .shared.inputs import counted, visiting_order, with_class_weight
from .shared.training import Training, Visiting


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntPerceptron(LearntWeights):
    """What a run of the perceptron has learnt, and what it takes to go on with it.

    Attributes
    ----------
    weights : Dyadic
        The exact last weights, counted in ``unit``: one vector for two classes, one after another for more.
    unit : Fraction
        What the weights are counted in: the learning rate over the denominator of the rows, where a run could do without.
    total : Dyadic, Quotient or None
        The sum of the weights after each visit, if they are averaged.
    visits : int
        How many visits these were.
    passes, mistakes, halted, converged
        As the perceptron shows them.
    rows : int
        How many rows were given since the beginning.
    trace : array or None
        The row of each mistake, if they were recorded.
    digest : str or None
        The digest of the rows, if mistakes were recorded, so that an audit knows the rows.
    """

    weights: Dyadic
    unit: Fraction = Fraction(1)
    total: Dyadic | Quotient | None = None
    visits: int
    passes: int
    mistakes: int
    halted: bool
    converged: bool
    rows: int
    trace: Indices | None = None
    digest: str | None = None

    def last(self) -> Dyadic | Quotient:
        """Return the weights after the last visit."""
        return self.weights.times_fraction(self.unit)

    def exact(self) -> Dyadic | Quotient:
        """Return the mean of the weights if they are averaged, else the last ones."""
        averaged = self.total is not None and self.visits
        return self.total.times_fraction(Fraction(1, self.visits)) if averaged else self.last()  # type: ignore[union-attr]

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights, of which nothing is known; a mean goes on from there as if it had been so."""
        total = None if self.total is None else weights.times(self.visits)
        return replace(self, weights=weights, unit=Fraction(1), total=total, halted=False, converged=False)

    def _shown(self) -> dict[str, Any]:
        return {
            **self._rounded(),
            "halted_": self.halted,
            "converged_": self.converged,
            "n_mistakes_": self.mistakes,
            "n_iter_": self.passes,
            **({} if self.trace is None else {"mistakes_": self.trace}),
        }


class Perceptron(Visiting, FromWeights):
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
    eta0 : number or str, default=1.0
        The learning rate. From zero weights it only scales them. A float is the float64 that it is; a text, a decimal or a
        fraction is exact: ``eta0="0.1"`` is one tenth.
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
    block_rows : int or None, default=None
        Of the order "shuffle": rows are shuffled in blocks of so many, which come in a new order in each pass, with a new
        permutation of the rows of each. None: all rows at once or, where they come in blocks (`Stream`) and are too many
        for that, in blocks of 262,144 rows, however they come.
    record : bool, default=False
        Whether to keep the trace, ``mistakes_``.
    time_limit : float or None, default=None
        Seconds after which to stop, and to keep what is learnt by then; a ConvergenceWarning tells of it.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

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
        Whether every training row is predicted rightly, which is known when the run ended by itself. After `partial_fit`
        False, as nothing is known of the rows seen before.
    halted_ : bool
        Whether the run ended by itself, with a pass without a mistake. With ``average`` it may have ended although the mean
        of the weights, which predicts, has a training row wrong; else it is the same as ``converged_``.
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

    def __init__(
        self,
        *,
        order: str | ArrayLike = "cyclic",
        tie: str = "update",
        max_iter: int = 1000,
        eta0: Any = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        average: bool = False,
        random_state: Any = None,
        block_rows: int | None = None,
        record: bool = False,
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.max_iter = max_iter
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.average = average
        self.random_state = random_state
        self.block_rows = block_rows
        self.record = record
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from zero weights, or from an initial guess.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows; or a `Stream` of rows and labels, which come in blocks, pass by pass.
        y : array of shape (n,)
            The labels, of two classes or more; those of a stream are in it.
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
        if isinstance(X, Batches):
            refuse_beside_blocks(X, y, sample_weight)
            with delegating():
                X.fit(self, coef_init=coef_init, intercept_init=intercept_init)
            return self
        training = self._train(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)
        if training is None:
            return self
        self._tell_of_rounding(training.run)
        self._tell_if_erring(training.run.problem, lambda: _prospects(training.run, self.tie))
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
        problem, known = self._online(X, classes, lambda values: problem_for(self, X, y, sample_weight, values))
        before = None if self._learnt is None else learnt_by(self)
        if before is not None:
            changed = {
                "fit_intercept": len(before.weights) != before.vectors * (problem.d + problem.intercept),
                "average": (before.total is None) == bool(self.average),
            }
            for name in [name for name in changed if changed[name]]:
                raise ValueError(f"{name} has changed since the last call. Change it back, or start anew with fit.")
        run, unit = begin(self, problem, *((None,) if before is None else (before.weights, before.unit)), once=True)
        try:
            run.advance(None, 1)
        finally:
            self._adopt(self._value(run, unit, False, before, **known))
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
        return super().exact_weights()

    def last_weights(self) -> Dyadic | Quotient:
        """Return the exact weights after the last visit, averaged or not."""
        last: Dyadic | Quotient = learnt_by(self).last()
        return last

    def distance(self, X: Any) -> Floats:
        """Signed distances to the hyperplane, ``(w.x + b) / ||w||``, for two classes.

        With more, classes are told apart by differences of their weights, and nothing by where one score is zero.
        """
        check_is_fitted(self)
        if self._learnt.vectors > 1:
            count = self._learnt.vectors
            raise ValueError(f"There is one hyperplane for two classes only; the perceptron has learnt {count}.")
        return super().distance(X)

    # Below: what fit and partial_fit are made of.

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_positive_rational("eta0")
        if self.block_rows is not None:
            self._require_integer("block_rows", 1)
            if not (isinstance(self.order, str) and self.order == "shuffle"):
                self._refuse("block_rows", "None, unless order='shuffle', as it is about shuffling")

    def _problem(self, X: Any, labels: NDArray[Any], weights: ArrayLike | None, classes: list[Any]) -> Problem:
        if len(classes) > 2:
            return Classes.of_labels(X, labels, classes, bool(self.fit_intercept), weights)
        return super()._problem(X, labels, weights, classes)

    def _visits(self, problem: Problem) -> Callable[[Visitor], bool]:
        order, rng = visiting_order(self.order, problem), check_random_state(self.random_state)
        return lambda run: run.learn(order, self.max_iter, rng, self.block_rows)

    def _training(self, problem: Problem, start: Dyadic | Quotient | None) -> Training:
        visit = self._visits(problem)
        run, unit = begin(self, problem, *((None,) if start is None else (start.numerators, Fraction(1, start.divisor))))

        def learnt(halted: bool, **known: Any) -> LearntPerceptron:
            two = not isinstance(problem, Classes)
            rows = digest(problem) if self.record and two else None  # so that an audit knows the rows
            return self._value(run, unit, halted, None, digest=rows, **known)

        return Training(run, lambda: visit(run), learnt)

    def _given(self, weights: Dyadic | Quotient, **known: Any) -> LearntPerceptron:
        return LearntPerceptron(
            **known, weights=weights.numerators, unit=Fraction(1, weights.divisor),
            total=Dyadic([0] * len(weights), 0) if self.average else None, visits=0, passes=0, mistakes=0, halted=False,
            converged=False, rows=0, trace=np.empty(0, np.int64) if self.record else None,
        )  # fmt: skip

    def _value(
        self, run: Run, unit: Fraction, halted: bool, before: LearntPerceptron | None, **known: Any
    ) -> LearntPerceptron:
        """Return what a run has learnt, counted on from what was learnt before."""
        problem, total, trace, converged = run.problem, None, None, halted
        seen, visits, mistakes, passes = (
            (0, 0, 0, 0) if before is None else (before.rows, before.visits, before.mistakes, before.passes)
        )
        if self.average:
            total = run.total().times_fraction(unit)
            if before is not None and before.total is not None:
                total = Quotient.sum_of(before.total, total)
            predicting = total.numerators if visits + run.visits else run.weights()  # without a visit there is no mean
            converged = halted and not run.errs(predicting)
        if self.record:
            rows = run.trace if problem.kept is None else problem.kept[run.trace]
            earlier = [] if before is None or before.trace is None else [before.trace]
            trace = np.concatenate([*earlier, rows + seen])
        return LearntPerceptron(
            **known,
            weights=run.weights(),
            unit=unit,
            total=total,
            visits=visits + run.visits,
            passes=passes + max(1, run.passes),
            mistakes=mistakes + run.mistakes,
            halted=halted,
            converged=converged,
            rows=seen + problem.given,
            trace=trace,
        )


def _prospects(run: Run, tie: str) -> tuple[Any, ...]:
    """Say whether a run that was stopped would come to an end; what decides it is loaded only then."""
    from .shared.prospects import prospects

    return prospects(run, tie)


# What an audit does once more.


def problem_for(perceptron: Perceptron, X: Any, y: Any, sample_weight: ArrayLike | None, classes: ArrayLike) -> Problem:
    """Return the problem that a perceptron learns from rows with labels that are among these classes."""
    labels, values = read_labels(y), list(np.asarray(classes))
    weights = with_class_weight(perceptron.class_weight, labels, sample_weight, classes=classes)
    if len(values) > 2:
        return Classes.of_labels(X, labels, values, bool(perceptron.fit_intercept), weights)
    return Problem.of(X, labels, classes=classes, intercept=bool(perceptron.fit_intercept), sample_weight=weights)


def begin(
    perceptron: Perceptron,
    problem: Problem,
    start: Dyadic | None,
    counted_in: Fraction = Fraction(1),
    *,
    once: bool = False,
) -> tuple[Run, Fraction]:
    """Start a run of a perceptron from weights that are counted in some unit; return it with the unit that it counts in.

    A mistake adds the learning rate times a row, which is a row of numerators over their denominator. Counted in the rate
    over the denominator, updates are rows of numerators themselves, and the kernels are at their fastest. The start may be
    no dyadic number then; counted in a fraction of that unit it is, and a mistake adds so many rows. ``once`` as in `Run`.
    """
    unit = read_rational(perceptron.eta0, "eta0") / problem.rows.denominator
    first, factor = None, 1
    if start is not None and start:
        first, unit, factor = counted(start, counted_in, unit)
    kind = MulticlassRun if isinstance(problem, Classes) else Run
    run = kind(
        problem, tie=perceptron.tie, start=first, steps=problem.weights, factor=factor, record=perceptron.record,
        average=bool(perceptron.average), once=once,
    )  # fmt: skip
    return run, unit
