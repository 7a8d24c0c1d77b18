"""The fewest errors that any hyperplane makes: a hyperplane, and the proof of how many none avoids."""

from __future__ import annotations

import numbers
import threading
import time
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import progress, verifier
from .blas import one_thread
from .bounding import VIOLATED, Bounding, Branch
from .cautions import RoundingWarning
from .certificate import Certificate, Claim, ErrorBound, Leaf, Packing, Subject
from .descent import Descent
from .encoding import problem_of
from .exact import Dyadic, Floats
from .explanation import number_text
from .groups import Groups
from .kernels.environment import checked_arithmetic
from .lifted import Lifted
from .oracle import Oracle
from .problem import Problem, measured, read_weights
from .progress import Clock, OutOfTime
from .reckoning import reckoning
from .search import Search

_TURN = 2.0
"""Seconds that the descent may take at a time, as many as the search for a bound took before,"""
_IDLE = 2.0
"""and for which it may go on without success, besides those that it took to come so far."""

_DIGITS = (1, 2, 3, 4, 6, 8)
"""Digits with which the weights of the hyperplane are tried."""


@dataclass(frozen=True, repr=False)
class Disagreement:
    """What `least_errors` found: a hyperplane with few errors, and how many errors no hyperplane avoids.

    An error is a row on the wrong side of the hyperplane or on the hyperplane itself. With sample weights, errors are
    counted by their weights, exactly: ``lower`` and ``upper`` may then be fractions.

    Attributes
    ----------
    lower : int or Fraction
        No hyperplane makes fewer errors; the certificate proves it.
    upper : int or Fraction
        The errors that the hyperplane found makes, counted exactly.
    certificate : Certificate
        What proves the lower bound.
    rows_given_up : array
        The rows on which the hyperplane errs.
    weights : Dyadic
        The exact weights of the hyperplane, the intercept last if there is one.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    lower: int | Fraction
    upper: int | Fraction
    certificate: Certificate
    rows_given_up: NDArray[np.int64] = field(compare=False)
    weights: Dyadic = field(compare=False)
    interrupted: bool
    problem: Problem = field(compare=False)

    @property
    def optimal(self) -> bool:
        """Whether the hyperplane is proved to make the fewest errors possible."""
        return self.lower == self.upper

    @property
    def coef(self) -> Floats:
        """The weights of the hyperplane; rounded to float64 in the rare case that they are not such numbers.

        If that changes which rows it errs on, a `RoundingWarning` has told of it; ``weights`` has them exactly.
        """
        return self._rounded[: self.problem.d]

    @property
    def intercept(self) -> float:
        """The intercept of the hyperplane, likewise."""
        return float(self._rounded[self.problem.d]) if self.problem.intercept else 0.0

    @cached_property
    @checked_arithmetic
    def _rounded(self) -> Floats:
        rounded = nearby(self.weights)
        return self.weights.round() if rounded is None else rounded

    def tell_of_rounding(self, stacklevel: int = 2) -> None:
        """Warn if ``coef`` and ``intercept`` err on other rows than the exact weights, which are counted."""
        if self.weights.holds(self._rounded):
            return
        wrong = np.flatnonzero(Lifted.of(self.problem).signs(Dyadic.from_parts(self._rounded)) <= 0)
        if not np.array_equal(wrong, self.rows_given_up):
            warnings.warn(
                f"The errors of the hyperplane found are {len(self.rows_given_up):,} of {self.problem.n:,} rows; with its "
                f"weights rounded to float64, as coef and intercept have them, {len(wrong):,}. The attribute weights has "
                "them exactly; standardised features make rounding harmless.",
                RoundingWarning,
                stacklevel=stacklevel + 1,
            )

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say in words how many errors there are, on which rows, and why there are no fewer.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}
            How to write it.

        Examples
        --------
        >>> import separatrix as sx
        >>> print(sx.least_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).explain())
        4 rows, 2 features, 1 against 0. A hyperplane errs on 1 of them, and none errs on fewer.
        ...
            (row 1) + (row 2) = (row 0) + (row 3)
        ...
        """
        return reckoning(self, format)

    def __bool__(self) -> bool:
        raise TypeError("A disagreement is neither true nor false. Ask whether it is optimal, or whether upper is 0.")

    def __repr__(self) -> str:
        errors = f"{number_text(self.upper)} error{'' if self.upper == 1 else 's'}"
        return f"<Disagreement: {errors}; no hyperplane makes fewer than {number_text(self.lower)}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")


@checked_arithmetic
def least_errors(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    time_limit: float | None = 60.0,
    random_state: int = 0,
) -> Disagreement:
    """Find a hyperplane with few errors, and prove how many errors no hyperplane avoids.

    From above, a descent moves hyperplanes along lines to where fewest rows are wrong. From below, obstructions are
    generated: sets of rows on which no hyperplane is right throughout, so that each costs it an error. A packing of them,
    found by linear programming and made exact, proves a bound; where a gap is left, cases are distinguished. The search ends
    when the two meet, when the time is up or on Ctrl-C, with what is proved by then.

    Parameters
    ----------
    X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d), or Data
        The rows.
    y : array of shape (n,)
        The labels: bools, integers or strings. Not given if X is what `read_data` returns, which has them.
    positive : label, optional
        The class that is set against all others, where there are more than two.
    fit_intercept : bool, default=True
        Whether hyperplanes have an intercept; without, they go through the origin.
    sample_weight : array of shape (n,), optional
        What an error on each row counts; 1 if not given. Finding the least total weight is the same search.
    time_limit : float or None, default=60
        Seconds after which the search ends, about; None: when the bounds meet, which may take for ever.
    random_state : int, default=0
        The seed of the search. How far it comes, and so which hyperplane and which proof it finds, depends on the speed of
        the machine all the same; what is proved is true in any case.

    Returns
    -------
    Disagreement
        The bounds, the hyperplane, the rows it errs on and the certificate. If the hyperplane, rounded to float64, errs on
        other rows, a `RoundingWarning` tells of it.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.least_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.lower, found.upper, found.optimal
    (1, 1, True)
    >>> found.certificate.claim
    <Claim.ERRORS_AT_LEAST: 'errors-at-least'>
    """
    if time_limit is not None and not (isinstance(time_limit, numbers.Real) and 0 < time_limit < threading.TIMEOUT_MAX):
        raise ValueError(f"time_limit must be a positive number of seconds, or None for no limit, got {time_limit!r}.")
    if not isinstance(random_state, numbers.Integral) or isinstance(random_state, bool) or random_state < 0:
        raise ValueError(f"random_state must be an integer from 0 up, got {random_state!r}.")
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, got {fit_intercept!r}.")
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    found = find_least_errors(problem, read_weights(sample_weight, problem.n), time_limit, random_state)
    found.tell_of_rounding(stacklevel=3)
    return found


@one_thread
def find_least_errors(problem: Problem, weights: Floats | None, time_limit: float | None, random_state: int) -> Disagreement:
    """Do the same for a problem, whose own weights count for nothing."""
    Oracle(np.array([[1.0, 1.0], [-1.0, 1.0]]), np.random.default_rng(0), Clock()).lighter(
        np.zeros(2)
    )  # compiles, if it must
    contest = _Contest(problem, weights, Clock(time_limit), int(random_state))
    interrupted = False
    try:
        contest.run()
    except OutOfTime:
        pass
    except KeyboardInterrupt:
        interrupted = True
    return contest.result(weights, interrupted)


class _Contest:
    """The two bounds, brought closer to each other until they meet or the time is up."""

    def __init__(self, problem: Problem, weights: Floats | None, clock: Clock, seed: int) -> None:
        self.problem = problem
        self.clock = clock
        self.rng = np.random.default_rng(seed)
        self.lifted = Lifted.of(problem)
        self.groups = Groups.of(problem, weights)
        self.best = Dyadic.from_parts(np.zeros(problem.d + problem.intercept))
        self.upper = self.groups.total
        self.bounding: Bounding | None = None

    def run(self) -> None:
        """Work until the bounds meet."""
        groups, problem = self.groups, self.problem
        if not self.upper:  # no row counts
            return
        if problem.intercept:
            for sign in (1.0, -1.0):
                self._consider(Dyadic.from_parts(np.append(np.zeros(problem.d), sign)))
        self.bounding = bounding = Bounding(groups, self.clock, self.rng)
        if len(groups.first) <= 2 * (problem.d + problem.intercept) and self._separate():
            return
        descent = None
        if groups.tractable:
            descent = Descent(groups.points, groups.weighed, self.rng)
            descent.start(groups.points.mean(axis=0))  # least squares, as the points are spread evenly in all directions
            descent.start(groups.weighed @ groups.points)
            self._consider(groups.exact(descent.best))
        walked = idle = 0.0  # seconds: until the last improvement, and since then
        turn = 0.01
        while bounding.bound < self.upper:
            progress.report(lambda: f"between {groups.text(bounding.bound)} and {groups.text(self.upper)} errors")
            self.clock.check()
            if descent is not None and idle < _IDLE + walked:
                before = self.upper
                descent.walk(time.monotonic() + min(turn, self.clock.left()))
                self._consider(groups.exact(descent.best))
                idle += turn
                if self.upper < before:
                    walked, idle = walked + idle, 0.0
            started = time.monotonic()
            stuck = bounding.advance(self.upper)
            turn = min(_TURN, time.monotonic() - started)
            if descent is not None and bounding.oracle is not None:
                descent.start(bounding.oracle.weights)
            if stuck is not None and stuck.bound < self.upper and not self._ask_exactly(bounding, stuck):
                bounding.divide(stuck)

    def _separate(self) -> bool:
        """See whether few rows in many dimensions can all be separated, which they mostly can, in a part of the time."""
        clock = Clock(None if self.clock.limit is None else 0.3 * self.clock.left())
        try:
            found = Search(self._part(self.groups.first), clock).separator()
        except OutOfTime:
            return False
        if found is not None:
            self._consider(found)
        return self.upper == 0

    def _part(self, rows: NDArray[np.int64]) -> Problem:
        X = self.problem.X[rows]
        return replace(
            self.problem, X=X, y=self.problem.y[rows], weights=None, given=len(rows), kept=None, measures=measured(X)
        )

    def _consider(self, weights: Dyadic) -> None:
        """Count the errors of a hyperplane, and keep it if they are the fewest: in float64 where that does no harm."""
        rounded = nearby(weights)
        if rounded is not None and self._keep(Dyadic.from_parts(rounded)):
            return
        self._keep(weights)

    def _keep(self, weights: Dyadic) -> bool:
        errors = self.groups.errors(self._wrong(weights))
        better = errors < self.upper
        if better:
            self.best, self.upper = weights, errors
        return better

    def _wrong(self, weights: Dyadic) -> NDArray[np.bool_]:
        return self.lifted.signs(weights)[self.groups.first] <= 0

    def _ask_exactly(self, bounding: Bounding, leaf: Branch) -> bool:
        """Give up a whole hitting set: the others are separated exactly, or obstruct each other; False if neither helps."""
        groups = self.groups
        e = leaf.e if leaf.e is not None else np.zeros(len(groups.first))
        chosen = bounding.program.rounded(e, e + 1e-3 * self.rng.random(len(e)))
        kept = np.ones(len(groups.first), bool)
        kept[chosen] = False
        if not kept.any():  # nothing is left to ask about
            return False
        rows = groups.first[kept]
        part = self._part(rows)
        found = Search(part, self.clock).separate()
        if isinstance(found, Dyadic):
            before = self.upper
            self._consider(found)
            return self.upper < before
        multipliers = {int(rows[k]): number for k, number in found.rows.items()}
        held = groups.of_rows[list(multipliers)]
        # One that the fractional hitting set meets is of no use here: there is always another, and no end of them.
        useful = bounding.note(held, multipliers) and float(e[held].sum()) < VIOLATED
        if useful:
            leaf.barren = 0
        return useful

    def _shorten(self) -> None:
        """Replace the hyperplane by one of as few decimal digits as err no more, for whoever reads it."""
        rounded = nearby(self.best)
        largest = 0.0 if rounded is None else float(np.abs(rounded[: self.problem.d]).max(initial=0.0))
        if rounded is None or not 1e-300 < largest < 1e300:
            return
        for digits in _DIGITS:
            few = Dyadic.from_parts(np.array([float(f"{weight:.{digits}g}") for weight in (rounded / largest).tolist()]))
            errors = self.groups.errors(self._wrong(few))
            if errors <= self.upper:
                self.best, self.upper = few, errors
                return

    def result(self, weights: Floats | None, interrupted: bool) -> Disagreement:
        """Return what is proved."""
        self._shorten()
        unit = self.groups.unit
        lower = self.bounding.bound if self.bounding is not None else 0
        packing = self.bounding.packing() if self.bounding is not None else Packing((), (Leaf((), ()),))
        costs = None if weights is None else tuple(map(Fraction, weights.tolist()))
        certificate = Certificate(
            Claim.ERRORS_AT_LEAST, Subject.of(self.problem), errors=ErrorBound(lower * unit, costs), packing=packing
        )
        verifier.check(certificate, self.problem)
        wrong = self.lifted.signs(self.best) <= 0
        return Disagreement(
            _plain(lower * unit), _plain(self.upper * unit), certificate, np.flatnonzero(wrong), self.best, interrupted,
            self.problem,
        )  # fmt: skip


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def nearby(weights: Dyadic) -> Floats | None:
    """Return a positive multiple of weights rounded to float64; None if they are all 0."""
    if not weights:
        return None
    top = weights.magnitude()
    return weights.times_power(-top if abs(top) > 64 else 0).round()
