"""Whether a run of the perceptron that was done by hand is right."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.environment import checked_arithmetic
from ..estimators.shared.inputs import initial_guess
from ..exact.rationals import as_written, read_rational, read_rationals
from ..exceptions import FileError
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..problem.wording import column_names
from ..separation.decision import decide_problem
from ..support.clock import Clock
from ..support.progress import unheard
from ..tables.data import Data
from ..tables.reading import problem_of
from ..tracing.step_table import StepTable
from .causes import Cause, Diagnosis, Explained, Guess, diagnose
from .hand_rules import Manner, Task
from .hand_run import HandRun, read_hand_run
from .run_check import RunCheck, checked_run

MAX_NUMBERS = 1_000_000
"""Numbers that the rows of a run done by hand may have."""

_SECONDS = 10.0
"""What it may take to find out whether a run that was stopped would ever end."""


def check_run(
    run: Any,
    X: Any,
    y: Any = None,
    *,
    tie: str = "update",
    fit_intercept: bool = True,
    order: str | ArrayLike = "cyclic",
    eta0: Any = 1,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
    max_iter: int | None = None,
    star: Any = None,
    positive: Any = None,
    mistakes_only: bool | None = None,
    first_row: int = 0,
    names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
) -> RunCheck:
    """Check a run of the perceptron that was done by hand; name its first wrong line, and the likely cause.

    Parameters
    ----------
    run : path, table, dict of columns, or StepTable
        The run, a line for each visit, or for each mistake. Columns have the names that `StepTable` gives them, as ``row``,
        ``score``, ``decision``, ``mistake``, ``w[x1]`` and ``b``; or ``w1``, ``w2``. Those that are missing, and cells that
        are empty, are not checked. Numbers are decimals, or fractions such as 1/3; a float is the shortest decimal for it.
    X, y : rows and labels, or Data
        What is learnt from, of two classes.
    tie, fit_intercept, eta0, coef_init, intercept_init
        The convention, as in `Perceptron`, but about what a person wrote: as in the run, a float is the shortest decimal
        for it, and ``eta0=0.1`` is one tenth. A run with the float64 itself, as `steps` shows it, is right as well.
    order : "cyclic", "any" or array of shape (n,)
        The order of visits: as the rows stand, as the run has it, or as given.
    max_iter : int, optional
        The run stops after so many passes at the latest; without it, it must go on to the end.
    star : array of shape (d + 1,), or (d,) without an intercept, optional
        The w* of the column ``w*.u``, which is not checked without it. A `StepTable` brings its own.
    positive : label, optional
        The class that is +1.
    mistakes_only : bool, optional
        Whether lines are mistakes only; found out if not said.
    first_row : int
        The number that the first row has in the run.
    names, classes : sequences, optional
        What the run calls the features, and the negative and the positive class, if not as X and y do.

    Returns
    -------
    RunCheck
        ``right``, ``line``, ``cause``, ``explain()``.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> table = sx.steps(sx.Perceptron().fit(X, y), X, y)
    >>> check_run(table, X, y)
    <RunCheck: right>
    >>> check_run(table, X, y, tie="negative")
    <RunCheck: line 1 is wrong, sign-of-zero>
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}, got {tie!r}.")
    problem = problem_of(X, y, positive=positive, intercept=bool(fit_intercept))
    if len(problem.classes) != 2:
        raise ValueError(f"A run needs rows of two classes, but all are of one: {problem.classes[0]!r}.")
    if problem.n * problem.width > MAX_NUMBERS:
        size = problem.n * problem.width
        raise ValueError(f"The rows have {size:,} numbers. Runs by hand are checked on up to {MAX_NUMBERS:,}.")
    features = names or (X.names if isinstance(X, Data) else column_names(problem))
    called = list(classes or problem.classes)
    if len(features) != problem.d or len(called) != 2:
        raise ValueError(f"names must be {problem.d} and classes 2, got {len(features)} and {len(called)}.")
    reference = _star(run.star if star is None and isinstance(run, StepTable) else star, problem)
    hand = read_hand_run(run, features, problem.intercept, called, first_row, reference is not None)
    visits = _order(order, problem, hand)
    one = (Fraction(1),) if problem.intercept else ()
    rows = tuple((*point, *one) for point in problem.points(list(range(problem.n))))
    task = Task(rows, tuple(map(int, problem.y)), problem.intercept, max_iter, reference)
    weights = [*(f"w[{each}]" for each in features), *(["b"] if problem.intercept else [])]
    given = (eta0, coef_init, intercept_init)
    outcomes: list[tuple[Manner, HandRun, bool, Diagnosis | None]] = []
    for numbers in (tuple(map(as_written, given)), given):
        rate, start = _convention(problem, *numbers)
        right = Manner(tie=TIES[tie], rate=rate, start=start, order=visits)
        if outcomes and outcomes[0][0] == right:
            break
        begun = _without_start(hand, start)
        tried = {each: diagnose(task, right, begun.lines, each) for each in _modes(mistakes_only)}
        only = min(tried, key=lambda each: _badness(tried[each]))
        outcomes.append((right, begun, only, tried[only]))
        if tried[only] is None:
            break
    _, begun, only, found = outcomes[0] if outcomes[-1][-1] is not None else outcomes[-1]
    if found is not None and found.causes[0].guess.cause == Cause.STOPPED and max_iter is None and _never_ends(problem, tie):
        endless = Explained(Guess(Cause.ENDLESS, found.right), found.causes[0].lines)
        found = replace(found, causes=(endless,))
    return checked_run(begun, only, found, weights, called, first_row, max_iter)


def _convention(problem: Problem, eta0: Any, coef: Any, intercept: Any) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Return the learning rate and the first weights."""
    rate = read_rational(eta0, "eta0")
    if rate <= 0:
        raise ValueError(f"eta0 must be a positive number, got {eta0!r}.")
    guess = initial_guess(problem, coef, intercept)
    return rate, tuple([Fraction(0)] * problem.width if guess is None else guess.fractions())


def _star(star: Any, problem: Problem) -> tuple[Fraction, ...] | None:
    if star is None:
        return None
    found = tuple(read_rationals(as_written(star), "star"))
    if len(found) != problem.width:
        last = ", the intercept last" if problem.intercept else ""
        raise ValueError(f"star has {len(found)} numbers, expected {problem.width}: one for each feature{last}.")
    return found


def _never_ends(problem: Problem, tie: str) -> bool:
    """Whether no weights have every row right, if that is found out soon."""
    with suppress(ArithmeticError), unheard():
        return checked_arithmetic(decide_problem)(problem, Clock(_SECONDS), tie).separable is False
    return False


def _modes(mistakes_only: bool | None) -> list[bool]:
    return [False, True] if mistakes_only is None else [bool(mistakes_only)]


def _badness(found: Diagnosis | None) -> tuple[int, int]:
    """Order outcomes: right ones first, then those that explain more lines."""
    return (-(10**9), 0) if found is None else (-found.causes[0].lines, -found.line)


def _order(order: str | ArrayLike, problem: Problem, hand: HandRun) -> tuple[int, ...] | None:
    if isinstance(order, str):
        if order == "cyclic":
            return tuple(range(problem.n))
        if order != "any":
            raise ValueError(f"order must be 'cyclic', 'any', or the rows in their order, got {order!r}.")
        if any(line.row is None for line in hand.lines):
            raise FileError(f"With order any, {hand.name} must name the row of every visit, in a column called row.")
        return None
    places = np.asarray(order)
    if places.dtype.kind not in "iu" or sorted(places.tolist()) != list(range(problem.n)):
        raise ValueError(f"order must name each of the {problem.n} rows once, from 0 to {problem.n - 1}.")
    return tuple(places.tolist())


def _without_start(hand: HandRun, start: tuple[Fraction, ...]) -> HandRun:
    """Leave out a first line that has the first weights and nothing else."""
    first, *rest = hand.lines
    others = {"row", "score", "decision", "mistake", "label"}
    told = any(getattr(line, name) is not None for line in rest for name in others)
    bare = all(getattr(first, name) is None for name in others) and first.known_weights == start
    return replace(hand, lines=tuple(rest)) if told and bare else hand
