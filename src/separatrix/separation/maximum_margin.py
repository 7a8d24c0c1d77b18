"""The maximum margin of separable classes, as an interval that is proved, or exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..compiled.run import Stop
from ..exact.dyadic import Dyadic
from ..feature_space.parameters import kernel_of
from ..perceptron.run import Run
from ..problem.batches import Batches
from ..problem.problem import Problem
from ..support.blas import one_thread
from ..support.calls import Verbose, long_call
from ..support.clock import STOPS, Clock, OutOfTime, read_time_limit
from ..support.interruption import is_kept, stoppable
from ..tables.reading import problem_of
from .decision import decide_problem
from .kernel_margins import KernelMargin, margin_in_feature_space
from .margin_bounds import MarginBounds
from .margins import KINDS_OF_MARGIN, Margin, undecided
from .verdict import NotSeparable, Verdict

_MAX_PASSES = 20
"""Passes of the perceptron that are tried on wide rows first."""


@long_call
def margin(
    X: Any,
    y: Any = None,
    *,
    kind: str = "lifted",
    positive: Any = None,
    fit_intercept: bool = True,
    exact: bool = False,
    tolerance: float = 1e-9,
    kernel: str | None = None,
    degree: int = 3,
    gamma: str | float = "scale",
    coef0: float = 0.0,
    time_limit: float | None = None,
    verbose: Verbose = False,
) -> Margin | KernelMargin:
    """Return the maximum margin between proved bounds.

    Parameters
    ----------
    X, y, positive, fit_intercept
        As in `decide`.
    kind : {"lifted", "geometric"}
        The distance of the origin from the hull of the signed, lifted rows, the gamma of the convergence theorem; or half
        the distance between the hulls of the classes, which is that of the maximum-margin classifier.
    exact : bool
        Whether to find the square of the margin as a rational number.
    tolerance : float
        The largest distance between the bounds, relative to the margin.
    kernel, degree, gamma, coef0
        A kernel, as in `decide`: the margin is that of the images of the rows in its feature space.
    time_limit : float, optional
        Seconds after which the bounds that are proved by then are returned, farther apart than the tolerance, which
        ``interrupted`` says. To prove them, and to end a step that has begun, may take a second more.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    Margin or KernelMargin
        Bounds, and what proves them: weights and a combination of rows; in feature space the combination alone.

    Raises
    ------
    NotSeparable
        If no hyperplane separates the classes; with the certificate.
    TimeoutError
        If the time was not enough to find out whether one does.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.margin([[0.0], [3.0]], [0, 1], kind="geometric", exact=True)
    >>> found.squared, found.support.tolist()
    (Fraction(9, 4), [0, 1])
    >>> X, y = sx.examples.load("xor")
    >>> sx.margin(X, y, kernel="poly", degree=2, gamma=1.0, exact=True).squared
    Fraction(1, 17)
    """
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance must be between 0 and 1, got {tolerance!r}.")
    limit = read_time_limit(time_limit)
    if isinstance(X, Batches):
        X.refuse_besides(y, kernel)
        return X.margin(
            kind=kind, positive=positive, fit_intercept=fit_intercept, exact=exact, tolerance=tolerance, time_limit=limit
        )
    clock = Clock(limit)
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    if kernel is None:
        return margin_of_problem(problem, kind, exact=exact, tolerance=tolerance, clock=clock)
    named = kernel_of(problem, kernel, degree, gamma, coef0)
    return margin_in_feature_space(problem, named, kind, exact=exact, tolerance=tolerance, clock=clock)


class MarginSearch:
    """The search for the margin of a problem that is validated already; what it knows when it is stopped is `known`.

    Floating point proposes a combination of rows, whose bounds are made exact. Where they are not close enough, the
    optimality conditions are solved over the rationals. With a time limit, half of it is for the first proposals: if none of
    them separates the classes by then, what is left goes to the question whether any hyperplane does.
    """

    def __init__(
        self, problem: Problem, kind: str, *, exact: bool = False, tolerance: float = 1e-9, clock: Clock | None = None
    ) -> None:
        require_kind(kind, problem.intercept and len(set(problem.y.tolist())) < 2)
        self.problem, self.exact, self.tolerance = problem, exact, tolerance
        self.clock = Clock() if clock is None else clock
        self.bounds = MarginBounds(problem, kind, self.clock)
        self._separator: Dyadic | None = None
        self._found: Margin | None = None

    @one_thread
    @stoppable
    def run(self) -> Margin:
        """Find the margin; when time runs out, or on Ctrl-C, what is proved by then."""
        try:
            return self.complete()
        except STOPS as reason:
            interrupted, found = is_kept(reason), self.known()
            if found is None and interrupted:
                raise
            if found is None:
                raise undecided(self.clock) from None
            return found

    def known(self) -> Margin | None:
        """Return the bounds that are proved by now; None if no separator is known yet."""
        found = self._found or self.bounds.best_known(self._separator)
        return None if found is None else replace(found, interrupted=not self.reached(found))

    def complete(self) -> Margin:
        """Find the margin, or raise what stops the search."""
        proposed = self._proposed()
        self._found = self.bounds.proved(proposed)
        if self._found is not None and self.reached(self._found):
            return self._found
        if self._found is None:
            self._separate()
        return self.bounds.exact(proposed)

    def reached(self, found: Margin) -> bool:
        """Whether bounds are as close, or as exact, as is asked for."""
        return found.squared is not None or (not self.exact and found.hi - found.lo <= self.tolerance * found.hi)

    def _proposed(self) -> dict[int, int]:
        aim = self.tolerance / 16
        first = self.clock if self.clock.limit is None else Clock(self.clock.left() / 2)
        wide = self.bounds.hulls.wide and self.problem.n <= self.problem.d and self.bounds.lifted.faithful
        if wide and self._separator is None:  # combinations separate the classes late, and a run of the perceptron soon
            self._separator = self._learnt()
        try:
            return self.bounds.proposed(aim, first)
        except OutOfTime:
            self.clock.check()
            if not self.bounds.hulls.separates:
                self._separate()
            return self.bounds.proposed(aim)

    def _learnt(self) -> Dyadic | None:
        """Return a separator if the perceptron finds one in a few passes."""
        run = Run(self.problem)
        for passes in range(1, _MAX_PASSES + 1):
            if self.clock.left() and run.advance(None, passes) == Stop.CLEAN:
                return run.weights()
        return None

    def _separate(self) -> None:
        """Find a separator, or the proof that there is none."""
        if self._separator is not None:
            return
        verdict = decide_problem(self.problem, self.clock)
        if not verdict.separable:
            raise no_margin(verdict)
        assert verdict.certificate is not None
        assert verdict.certificate.separator is not None
        self._separator = verdict.certificate.separator.exact(self.problem.intercept)


def require_kind(kind: str, single: bool) -> None:
    """Refuse an unknown kind of margin, and the distance of two classes where all rows are of a single one."""
    if kind not in KINDS_OF_MARGIN:
        raise ValueError(f"kind must be one of {', '.join(KINDS_OF_MARGIN)}, got {kind!r}.")
    if kind == "geometric" and single:
        raise ValueError("The geometric margin is the distance of two classes, but all rows are of one.")


def no_margin(verdict: Verdict) -> NotSeparable | OutOfTime:
    """Return the error for whoever asks for the margin of classes that are not separable, or not known to be."""
    if verdict.certificate is None:
        return OutOfTime()
    return NotSeparable(f"There is no margin. {verdict.message}", verdict.certificate)


def margin_of_problem(
    problem: Problem, kind: str, *, exact: bool = False, tolerance: float = 1e-9, clock: Clock | None = None
) -> Margin:
    """Find the margin of a problem that is validated already."""
    return MarginSearch(problem, kind, exact=exact, tolerance=tolerance, clock=clock).run()
