"""The maximum margin of separable classes, as an interval that is proved, or exactly."""

from __future__ import annotations

from typing import Any

from ..compiled.environment import checked_arithmetic
from ..problem.problem import Problem
from ..support.blas import one_thread
from ..support.clock import Clock
from ..tables.reading import problem_of
from .decision import decide_problem
from .margin_bounds import MarginBounds
from .margins import KINDS_OF_MARGIN, Margin
from .verdict import NotSeparable


@checked_arithmetic
def margin(
    X: Any,
    y: Any = None,
    *,
    kind: str = "lifted",
    positive: Any = None,
    fit_intercept: bool = True,
    exact: bool = False,
    tolerance: float = 1e-9,
) -> Margin:
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
    """
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance must be between 0 and 1, got {tolerance!r}.")
    return margin_of_problem(
        problem_of(X, y, positive=positive, intercept=fit_intercept), kind, exact=exact, tolerance=tolerance
    )


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
