"""The maximum margin of separable classes, as an interval that is proved, or exactly."""

from __future__ import annotations

from typing import Any

from ..feature_space.parameters import kernel_of
from ..problem.problem import Problem
from ..support.blas import one_thread
from ..support.calls import Verbose, long_call
from ..support.clock import Clock
from ..tables.reading import problem_of
from .decision import decide_problem
from .kernel_margins import KernelMargin, margin_in_feature_space
from .margin_bounds import MarginBounds
from .margins import KINDS_OF_MARGIN, Margin
from .verdict import NotSeparable


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
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    if kernel is None:
        return margin_of_problem(problem, kind, exact=exact, tolerance=tolerance)
    named = kernel_of(problem, kernel, degree, gamma, coef0)
    return margin_in_feature_space(problem, named, kind, exact=exact, tolerance=tolerance)


@one_thread
def margin_of_problem(problem: Problem, kind: str, *, exact: bool = False, tolerance: float = 1e-9) -> Margin:
    """Find the margin of a problem that is validated already."""
    if kind not in KINDS_OF_MARGIN:
        raise ValueError(f"kind must be one of {', '.join(KINDS_OF_MARGIN)}, got {kind!r}.")
    if kind == "geometric" and problem.intercept and len(set(problem.y.tolist())) < 2:
        raise ValueError("The geometric margin is the distance of two classes, but all rows are of one.")
    bounds = MarginBounds(problem, kind)
    proposed = bounds.proposed(tolerance / 16)
    found = None if exact else bounds.proved(proposed)
    if found is not None and found.hi - found.lo <= tolerance * found.hi:
        return found
    if found is None:
        verdict = decide_problem(problem, Clock(None))
        if not verdict.separable:
            assert verdict.certificate is not None
            raise NotSeparable(f"There is no margin. {verdict.message}", verdict.certificate)
    return bounds.exact(proposed)
