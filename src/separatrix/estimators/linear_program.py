"""The hyperplane of the least violation, by linear programming."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest
from ..exceptions import RoundingWarning
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import affine_scores
from ..problem.scores import least_score, scores
from ..separation.search import Search
from ..support.blas import one_thread
from ..support.calls import Verbose
from ..support.clock import Clock, OutOfTime, read_time_limit
from ..support.interruption import is_kept
from ..support.remedies import Message, Question, Remedy
from .learnt import LearntHyperplanes
from .shared.asking import is_asked
from .shared.blocks import refuse_blocks
from .shared.one_vs_rest import OneVsRest
from .solvers.least_squares import least_squares
from .solvers.least_violation import LeastViolation

_ROWS_IN_A_HURRY = 20_000
"""Rows that are looked at, at most, when a search is ended before it has begun."""

_MIN_COLUMNS_TO_SEPARATE_FIRST = 500
"""Columns from which on a separator is looked for before the linear program is solved, if there are no more rows."""

_SECONDS_TO_SEPARATE = 60.0
"""Seconds for the question whether the rows are separable, where the linear program is too large to be solved."""

_MAX_SCORE_LOST_BY_ROUNDING = Fraction(1, 2**40)
"""The most that the least score of a separator may lack to 1 after rounding; a separator that lacks more is scaled by a
power of two instead."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntProgram(LearntHyperplanes):
    """Hyperplanes with the least violation: what each of them violates, and whether it separates."""

    violation: Floats
    separated: NDArray[np.bool_]

    def _shown(self) -> dict[str, Any]:
        one = len(self.violation) == 1
        return {
            **super()._shown(),
            "violation_": float(self.violation[0]) if one else self.violation,
            "separated_": bool(self.separated[0]) if one else self.separated,
        }


class LinearProgramClassifier(OneVsRest):
    """The hyperplane with the least total violation of ``y_i (w.x_i + b) >= 1``, and a separator whenever there is one.

    The violation of a row is ``max(0, 1 - y_i (w.x_i + b))``. By default the mean violation of the one class plus that of
    the other is minimised: the robust linear program of Bennett and Mangasarian (1992), solved with HiGHS. If a hyperplane
    separates the classes, the least violation is 0, and the hyperplane found separates them. This is a theorem and not a
    matter of tolerances: where the floating-point solution does not separate the rows by exact signs, an exact search
    either finds a separator or proves that there is none. Of more than two classes each is set against the rest.

    A program with more than some 6,000 rows and as many columns is beyond solvers. Then, and where time is short, coordinate
    descent on the multipliers of rows finds a hyperplane with little violation, if not the least, and a warning says so.

    Why means are the default: with the plain sum the larger class may outweigh the smaller so far that the best weights are
    zero, and all rows get the class of the majority. Not so with means: zero weights are optimal only if the classes have
    the same mean, and then never alone. (Near zero weights every row is violated, and what is minimised falls by ``w`` times
    the difference of the means.)

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the hyperplane has an intercept; without, it goes through the origin.
    class_weight : "balanced", dict or None, default="balanced"
        "balanced": the costs of violations add up to 1 in either class (or in a class and in the rest), so that means are
        minimised. None: a violation costs 1, so that their sum is minimised. A dict has the cost for each class.
    time_limit : float, optional
        Seconds after which the hyperplane with the least violation found by then is kept, with a warning.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    coef_ : array of shape (1, d), or (K, d) for K > 2 classes
        The weights. If they separate the rows, the least of ``y_i (w.x_i + b)`` is 1, up to rounding; or more, where
        rounding would matter.
    intercept_ : array of shape (1,) or (K,)
        The intercepts.
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    violation_ : float, or array of shape (K,) for K > 2 classes
        The total violation of the weights: what was minimised. In floating point, unless it is 0 because the rows are
        separated. It is the least possible unless a ConvergenceWarning said otherwise.
    separated_ : bool, or array of shape (K,) for K > 2 classes
        Whether every row is strictly on its correct side; proved by exact signs of the stored weights. If False, no
        hyperplane does that, which is proved too, unless a RoundingWarning or a ConvergenceWarning said otherwise.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> classifier = sx.LinearProgramClassifier().fit(X, y)
    >>> classifier.separated_, classifier.violation_, classifier.predict(X).tolist()
    (True, 0.0, [0, 0, 0, 1])

    No hyperplane separates these; the best has one row of either class lack 4/3, a mean of 2/3 in each:

    >>> classifier = sx.LinearProgramClassifier().fit([[1], [2], [3], [4]], [0, 1, 0, 1])
    >>> classifier.separated_, round(classifier.violation_, 9)
    (False, 1.333333333)
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        class_weight: Any = "balanced",
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the linear program, and prove whether its solution separates.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The labels, of two classes or more.
        sample_weight : array of shape (n,), optional
            Multiplies the costs of violations: a weight of 2 is a row given twice.

        Returns
        -------
        LinearProgramClassifier
            Itself.
        """
        refuse_blocks(self, X, "its linear program has a variable for each row")
        if isinstance(self.class_weight, str) and self.class_weight != "balanced":
            self._refuse("class_weight", "'balanced', a dict or None")
        self._require_time_limit()
        clock = Clock(read_time_limit(self.time_limit))
        means = isinstance(self.class_weight, str)
        to_solve = self._problems(X, y, sample_weight, None if means else self.class_weight)
        attempts = [_Attempt(problem, _costs(problem, means)) for problem in to_solve.problems]
        interrupted = False
        try:
            for k, attempt in enumerate(attempts):
                attempt.run(clock if clock.limit is None else Clock(max(1e-3, clock.left() / (len(attempts) - k))))
        except KeyboardInterrupt as reason:
            interrupted = is_kept(reason)
        finally:  # whatever ends it
            found = [attempt.result() for attempt in attempts]
            weights, violations, separated = zip(*found, strict=True)
            fields = to_solve.solved(list(weights))
            self._adopt(LearntProgram(**fields, violation=np.array(violations), separated=np.array(separated)))
        if interrupted:
            told = "Ctrl-C ended the search: the hyperplane is the best of those tried, and others may violate less. "
            told = Message(told, "Whether one separates the rows, ", Question("decide"), " answers.")
            warnings.warn(told, ConvergenceWarning, stacklevel=3)
        else:
            for attempt in attempts:
                for message, category in attempt.warnings:
                    warnings.warn(message, category, stacklevel=3)
        return self


class _Attempt:
    """The search for the hyperplane of one problem, and what it has come to, whatever ends it."""

    def __init__(self, problem: Problem, costs: Floats) -> None:
        self.problem, self.costs = problem, costs
        self.warnings: list[tuple[str, type[Warning]]] = []
        self._separator: Dyadic | None = None
        self._program: LeastViolation | None = None
        self._optimal = self._decided = False

    @one_thread
    def run(self, clock: Clock) -> None:
        """Search for a separator, or for the least violation."""
        with suppress(OutOfTime):
            self._search(clock)
        if self._separator is None:
            self.warnings += self._shortcomings(clock)

    def _search(self, clock: Clock) -> None:
        problem = self.problem
        # Rows with so many columns are almost always separable, and their programs slow.
        wide = problem.d >= max(_MIN_COLUMNS_TO_SEPARATE_FIRST, problem.n)
        if wide:
            self._separate(clock if clock.limit is None else Clock(clock.left() / 2))
        if self._separator is not None:
            return
        self._program = LeastViolation(problem.nearest(), self.costs, clock)
        try:
            self._optimal = self._program.run()
        finally:
            if self._program.may_separate:
                proposed = self._program.best
                if proposed is not None and np.all(Lifted.of(problem).signs(proposed) == 1):
                    self._separator = proposed
        if self._separator is None and not self._decided:
            limited = clock.limit is not None or not self._program.solvable
            self._separate(Clock(min(clock.left(), _SECONDS_TO_SEPARATE)) if limited else clock)

    def _separate(self, clock: Clock) -> None:
        with suppress(OutOfTime):
            self._separator = Search(self.problem, clock).separator()
            self._decided = True

    def _shortcomings(self, clock: Clock) -> list[tuple[str, type[Warning]]]:
        """Say what was not found."""
        program = self._program
        said: list[str | Remedy | Question] = []
        if program is not None and program.ill_conditioned:
            best = "that of least squares" if program.best is None else "the best of those tried"
            proved = " That none separates the rows is proved all the same." if self._decided else ""
            solved = "The linear program was too ill-conditioned to be solved"
            said = [f"{solved}: the hyperplane is {best}.{proved} Rescale the features. "]
        elif not self._optimal:
            n, weights = self.problem.n, self.problem.width
            large = f"A linear program of {n:,} rows and {weights:,} weights is too large to be solved"
            why = "Time was up before the linear program was solved" if program is None or program.solvable else large
            said = [f"{why}: the hyperplane is the best of those tried, and others may violate less. "]
            said += [] if clock.limit is None or not is_asked() else ["Raise ", Remedy("time_limit"), ". "]
        if not self._decided and is_asked():
            said += ["Whether a hyperplane separates the rows is not known: ", Question("decide"), " answers that."]
        return [(Message(*said), ConvergenceWarning)] if said else []

    def result(self) -> tuple[Floats, float, bool]:
        """Return the weights, what they violate, and whether they separate."""
        problem, lifted = self.problem, Lifted.of(self.problem)
        proposed = None if self._program is None else self._program.best
        if self._separator is not None:
            stored, separates = _at_least_one(lifted, self._separator)
            if separates:
                return stored, 0.0, True
            self.warnings.append(
                (
                    Message(
                        "A hyperplane separates the rows, but not any more when its weights are rounded to float64. ",
                        Question("decide"),
                        " has the weights exactly.",
                    ),
                    RoundingWarning,
                )
            )
            if proposed is not None:  # which is good in floating point, if the separator is good in no other way
                stored = min(stored, proposed.round(), key=lambda weights: _violation(problem, self.costs, weights))
        elif proposed is not None:
            stored = proposed.round()
        elif self._decided:
            stored = least_squares(problem.nearest(), problem.y[:, None])[0][0]
        else:
            stored = _quick(problem, self.costs)
        return stored, _violation(problem, self.costs, stored), False


def _quick(problem: Problem, costs: Floats) -> Floats:
    """Return weights for a search that was ended before it had any: of some rows, as to prepare all takes too long."""
    some = np.arange(0, problem.n, -(-problem.n // _ROWS_IN_A_HURRY))
    program = LeastViolation(problem.with_rows(some).nearest(), costs[some], Clock())
    program.descend(Clock(1e-3))
    assert program.best is not None
    return program.best.round()


def _violation(problem: Problem, costs: Floats, weights: Floats) -> float:
    """Return by how much rows lack a score of 1 on their side, at their costs."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = affine_scores(problem.X, weights, float(problem.rows.denominator)) / problem.rows.denominator
    if not np.isfinite(values).all():
        values = scores(problem.rows, Dyadic.from_parts(weights))
    return float(costs @ np.maximum(1.0 - problem.y * values, 0.0))


def _costs(problem: Problem, means: bool) -> Floats:
    """Return what a violation of each row costs: its weight, over the total weight of its class if means are minimised."""
    costs = np.ones(problem.n) if problem.weights is None else problem.weights
    if not means:
        return costs
    positive = problem.y > 0.0
    costs = costs / np.where(positive, costs[positive].max(), costs[~positive].max())  # lest their sums overflow
    return costs / np.where(positive, costs[positive].sum(), costs[~positive].sum())


def _at_least_one(lifted: Lifted, weights: Dyadic) -> tuple[Floats, bool]:
    """Scale a separator so that its least score is 1, and round it; return whether it separates then.

    Where rounding lowers the least score, a power of two, which is exact, lifts it above 1.
    """
    unit = lifted.problem.rows.denominator  # scores of numerators are as many times as large
    least = least_score(lifted, weights) / unit
    scaled = np.array([nearest(weight / least) for weight in weights.fractions()])
    try:
        tried = (scaled, weights.times_power(_power(least)).round())  # the other one is exact if 53 bits suffice
    except OverflowError:
        raise OverflowError("The weights have grown too large for float64. Rescale the features.") from None
    for rounded in tried:
        reached = least_score(lifted, Dyadic.from_parts(rounded)) / unit if np.isfinite(rounded).all() else 0
        if reached > 0:
            return np.ldexp(rounded, 0 if reached >= 1 - _MAX_SCORE_LOST_BY_ROUNDING else _power(Fraction(reached))), True
    return scaled, False


def _power(number: Fraction) -> int:
    """Return the least k for which ``2**k`` times a positive number is at least 1."""
    k = number.denominator.bit_length() - number.numerator.bit_length()
    return k + (number * Fraction(2) ** k < 1)
