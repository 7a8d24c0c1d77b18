"""The fewest errors that any hyperplane makes: the question, asked of any data."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats
from ..problem.batches import Batches
from ..problem.labels import read_weights
from ..problem.problem import Problem
from ..proof.claims import Obstruction
from ..support.blas import one_thread
from ..support.calls import Verbose, long_call
from ..support.clock import STOPS, Clock, read_time_limit
from ..support.interruption import is_kept, stoppable
from ..tables.reading import problem_of
from .contest import Contest
from .disagreement import Disagreement
from .obstruction_polytope import Oracle


@long_call
def least_errors(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    time_limit: float | None = 60.0,
    random_state: int = 0,
    verbose: Verbose = False,
) -> Disagreement:
    """Find a hyperplane with few errors, and prove how many errors no hyperplane avoids.

    From above, the best of some hyperplanes that are quickly found is moved along lines to where fewest rows are wrong, and
    so are others. From below, obstructions are
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
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

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
    time_limit = read_time_limit(time_limit)
    if not isinstance(random_state, numbers.Integral) or isinstance(random_state, bool) or random_state < 0:
        raise ValueError(f"random_state must be an integer from 0 up, got {random_state!r}.")
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, got {fit_intercept!r}.")
    if isinstance(X, Batches):
        X.refuse_besides(y)
        if sample_weight is not None:
            raise ValueError("Rows in blocks count 1 each: sample_weight, one for each row, is for rows in memory.")
        given = {"positive": positive, "fit_intercept": bool(fit_intercept)}
        in_blocks: Disagreement = X.least_errors(**given, time_limit=time_limit, random_state=int(random_state))
        in_blocks.tell_of_rounding(stacklevel=3)
        return in_blocks
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    found = least_errors_of_problem(problem, read_weights(sample_weight, problem.n), time_limit, int(random_state))
    found.tell_of_rounding(stacklevel=3)
    return found


@one_thread
@stoppable
def least_errors_of_problem(
    problem: Problem, weights: Floats | None, time_limit: float | None, seed: int, known: Obstruction | None = None
) -> Disagreement:
    """Find the fewest errors of a problem that is validated already; its own weights count for nothing.

    An obstruction that is known proves one error, where no weights are given and there is no time to prove more.
    """
    tiny = Oracle(np.array([[1.0, 1.0], [-1.0, 1.0]]), np.random.default_rng(0), Clock())
    tiny.lighter(np.zeros(2))  # loops are compiled or loaded here, where it does not count: the clock starts below
    contest = Contest(problem, weights, Clock(time_limit), seed, known if weights is None else None)
    interrupted = False
    try:
        contest.run()
    except STOPS as reason:
        interrupted = is_kept(reason)
    return contest.result(weights, interrupted)
