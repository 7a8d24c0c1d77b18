"""Exercises by the numbers: data with small whole coordinates and a chosen number of mistakes, margin and radius.

- `make`: make an exercise, `Exercise`, with its solution; `NoExercise` says why there is none.
- `worst_order`: the order of visits with the most mistakes, `Orders`.
- `boolean_functions`: all of a few inputs, each a `BooleanFunction` with its verdict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exact.rationals import read_whole
from ..exceptions import NoExercise
from ..support.calls import Verbose, whole_call
from ..support.clock import Clock, OutOfTime, read_time_limit
from ..support.counts import counted
from ..support.remedies import Remedy
from .boolean_functions import BooleanFunction, boolean_functions
from .exercise import Exercise, Visit, worked_out
from .impossible import why_impossible
from .request import Request, read_request
from .search import Found, all_sets, candidates, few_sets
from .worst_order import Orders, worst_order

__all__ = [
    "BooleanFunction",
    "Exercise",
    "NoExercise",
    "Orders",
    "Visit",
    "boolean_functions",
    "make",
    "worst_order",
]


@whole_call
def make(
    mistakes: int = 5,
    *,
    dimension: int = 2,
    rows: int | None = None,
    margin: Any = None,
    margin_squared: Any = None,
    kind: str = "lifted",
    radius: Any = None,
    radius_squared: Any = None,
    tie: str = "update",
    fit_intercept: bool = True,
    order: Any = "cyclic",
    largest: int = 9,
    seed: int = 0,
    time_limit: float | None = 10.0,
    verbose: Verbose = False,
) -> Exercise:
    """Make data with small whole coordinates on which the perceptron, from zero, makes exactly so many mistakes.

    Parameters
    ----------
    mistakes : int
        Mistakes until a pass is without one.
    dimension : int
        Number of features, at most 9.
    rows : int, optional
        Number of rows, all of them different; without, some four to eight.
    margin, margin_squared : number, optional
        The margin gamma, or its square: as a number, a fraction, or a text such as "1/2". Margins are often roots, such as
        the root of 1/2, and then only their squares can be given exactly.
    kind : {"lifted", "geometric"}
        Which margin is given: gamma of the convergence theorem, the distance of the origin from the hull of the signed,
        lifted rows; or half the distance between the classes.
    radius, radius_squared : number, optional
        R, the length of the longest lifted row, or its square, which is a whole number. With an intercept the constant 1
        counts: ``R^2 = max ||x||^2 + 1``.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    fit_intercept : bool
        Whether the weights have an intercept.
    order : "cyclic" or numbers of rows
        The order of visits, the same in every pass: as the rows stand, or all of their numbers, from 0.
    largest : int
        No coordinate is larger than this, nor smaller than its negative.
    seed : int
        Each has data of its own, and the same data every time.
    time_limit : float or None
        Seconds that the search may take.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    Exercise
        The data, checked by the exact run and the exact margin, with ``solution()``.

    Raises
    ------
    NoExercise
        If none can exist (``proved`` is True, and the message says why) or none was found (False).

    Examples
    --------
    >>> import separatrix as sx
    >>> exercise = sx.exercises.make(5, margin_squared="1/2", radius_squared=26, seed=3)
    >>> exercise.mistakes, exercise.margin_squared, exercise.radius_squared, exercise.bound
    (5, Fraction(1, 2), 26, Fraction(52, 1))
    >>> sx.exercises.make(60, margin_squared="1/2", radius_squared=26)
    Traceback (most recent call last):
    separatrix.exceptions.NoExercise: There is no such exercise. 60 mistakes cannot be made: the convergence...
    """
    request = read_request(
        mistakes, dimension=dimension, rows=rows, margin=margin, margin_squared=margin_squared, kind=kind, radius=radius,
        radius_squared=radius_squared, tie=tie, fit_intercept=fit_intercept, order=order, largest=largest,
    )  # fmt: skip
    seed = read_whole(seed, "seed", 0, 2**32 - 1)
    limit = read_time_limit(time_limit)
    reason = why_impossible(request)
    if reason is not None:
        raise NoExercise("There is no such exercise. ", reason, proved=True)
    clock = Clock(limit)
    try:
        for found in candidates(request, np.random.RandomState(seed), clock):
            exercise = _checked(request, found, seed)
            if exercise is not None:
                return exercise
        number = few_sets(request)
        if number:
            return _first_of_all(request, seed, number, clock)
    except OutOfTime:
        pass
    raise NoExercise(
        "None was found, which does not mean that there is none. Try another ",
        *(
            Remedy("seed"),
            " or a longer ",
            Remedy("time_limit"),
            ", or ask for less: other mistakes, no margin or radius, more ",
        ),
        *(Remedy("rows"), ", a larger ", Remedy("largest"), " coordinate."),
    )


def _checked(request: Request, found: Found, seed: int) -> Exercise | None:
    """Return the exercise if the exact run and the exact margin are as asked for."""
    X, y = found
    if request.order is not None:
        X, y = np.empty_like(X), np.empty_like(y)
        X[list(request.order)], y[list(request.order)] = found
    made = worked_out(
        X, y, order=request.order, tie=request.tie, intercept=request.intercept, seed=seed, most=request.mistakes
    )
    if made is None or made.mistakes != request.mistakes:
        return None
    square = made.geometric_margin_squared if request.kind == "geometric" else made.margin_squared
    if request.margin_squared not in (None, square) or request.radius_squared not in (None, made.radius_squared):
        return None
    return made


def _first_of_all(request: Request, seed: int, number: int, clock: Clock) -> Exercise:
    """Look at all rows there can be; return the first that are as asked for, or say that none are."""
    for found in all_sets(request, clock):
        exercise = _checked(request, found, seed)
        if exercise is not None:
            return exercise
    raise NoExercise(
        f"There is no such exercise: all {number:,} ways to choose {counted(request.rows or 0, 'different row')}, in order, "
        "and their labels were looked at.",
        proved=True,
    )
