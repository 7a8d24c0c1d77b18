"""The order of visits with the most mistakes: all orders of a few rows, or a search among those of many."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Indices
from ..exact.rationals import read_whole
from ..perceptron.short_runs import ShortRuns
from ..perceptron.trace import radius_squared
from ..problem.lifted import Lifted
from ..problem.ties import TIES
from ..separation.maximum_margin import margin_of_problem
from ..support import progress
from ..support.answer import Answer
from ..support.blocks import Block, Grid, said, written
from ..support.calls import Verbose, whole_call
from ..support.clock import STOPS, Clock, read_time_limit
from ..support.counts import counted
from ..support.formulas import Formula, formula, named, square_of
from ..support.interruption import is_kept
from ..support.numbers import number_text
from ..tables.reading import problem_of

_BATCH = 720
"""Orders that are run between two looks at the clock."""

_MUTANTS = 64
"""Changed orders looked at in a step of the search."""

_MAX_EXHAUSTIVE = 11
"""All orders of more rows than this would take days."""

_MAX_NUMBERS_FOR_EXACT_MARGIN = 5000
"""The exact margin is found for so many numbers; beyond, an interval that is proved."""

_MAX_LINES = 20
"""Numbers of mistakes in the table of an explanation; more are put together."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Orders(Answer):
    """The mistakes of the perceptron in many orders of visits, each repeated until all rows are right.

    Attributes
    ----------
    complete : bool
        Whether all orders were run: then no order has more mistakes than ``most``, nor fewer than ``fewest``. If not, these
        are the most and the fewest of those that were looked at.
    orders : int
        How many were run.
    counts : dict
        Numbers of mistakes, ascending, and how many of the orders make them. In a search these are the orders that the
        search looked at, which are not drawn at random.
    most, fewest : int
        The most mistakes and the fewest.
    worst, best : tuple of int
        The first order that makes them: rows, numbered from 0.
    radius_squared : Fraction
        R^2 of the convergence theorem.
    margin_squared : Fraction
        gamma^2, or a proved lower bound of it if ``exact_margin`` is False.
    """

    complete: bool
    orders: int
    counts: dict[int, int]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    radius_squared: Fraction
    margin_squared: Fraction
    exact_margin: bool

    @property
    def most(self) -> int:
        """The most mistakes."""
        return max(self.counts)

    @property
    def fewest(self) -> int:
        """The fewest mistakes."""
        return min(self.counts)

    @property
    def mean(self) -> Fraction:
        """The mean of the mistakes over the orders that were run."""
        return Fraction(sum(k * times for k, times in self.counts.items()), self.orders)

    @property
    def bound(self) -> Fraction:
        """``R^2 / gamma^2``: no order has more mistakes than this, whether it was looked at or not."""
        return self.radius_squared / self.margin_squared

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what was found, with the distribution.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        return written(_blocks(self), format)

    def __repr__(self) -> str:
        looked = f"all {self.orders:,} orders" if self.complete else f"{self.orders:,} orders looked at"
        return f"<Orders: {self.fewest:,} to {self.most:,} mistakes in {looked}; at most {math.floor(self.bound):,} allowed>"


@whole_call
def worst_order(
    X: Any,
    y: Any = None,
    *,
    tie: str = "update",
    fit_intercept: bool = True,
    positive: Any = None,
    exhaustive: int = 8,
    seed: int = 0,
    time_limit: float | None = 10.0,
    verbose: Verbose = False,
) -> Orders:
    """Find the order of visits, the same in each pass, in which the perceptron makes the most mistakes from zero.

    Up to ``exhaustive`` rows, all orders are run, and the answer is proved. Of more rows, orders are changed a little at a
    time towards more mistakes: the worst one found need not be the worst there is.

    Parameters
    ----------
    X, y, positive, fit_intercept
        As in `decide`.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    exhaustive : int
        Up to so many rows, at most 11, all orders are run.
    seed : int
        Of the search.
    time_limit : float or None
        Seconds that it may take; what was found until then is returned.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Raises
    ------
    NotSeparable
        If no hyperplane separates the classes: then no order has an end.

    Examples
    --------
    >>> import separatrix as sx
    >>> orders = sx.exercises.worst_order(*sx.examples.load("and"))
    >>> orders
    <Orders: 18 to 22 mistakes in all 24 orders; at most 51 allowed>
    >>> orders.worst, orders.counts
    ((1, 0, 2, 3), {18: 2, 20: 12, 22: 10})
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(TIES)}, got {tie!r}.")
    few_rows = read_whole(exhaustive, "exhaustive", 0, _MAX_EXHAUSTIVE)
    rng = np.random.RandomState(read_whole(seed, "seed", 0, 2**32 - 1))
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    fallible = problem.fallible(TIES[tie])
    few = problem.n * problem.width <= _MAX_NUMBERS_FOR_EXACT_MARGIN
    margin = margin_of_problem(fallible, "lifted", exact=few)
    square = radius_squared(Lifted.of(problem))
    clock = Clock(read_time_limit(time_limit))
    runs = ShortRuns(problem, tie)
    tally = _Tally()
    complete = problem.n <= few_rows
    try:
        for orders in _all_orders(problem.n) if complete else _search(problem.n, tally, rng):
            tally.take(orders, runs.counts(orders, clock))
            clock.check()
    except STOPS as reason:
        if is_kept(reason) and not tally.orders:
            raise
        complete = complete and tally.orders == math.factorial(problem.n)
        if not tally.orders:
            most = number_text(square / margin.lo_squared)
            raise ValueError(
                f"No order came to its end in time. The convergence theorem allows up to {most} mistakes on these rows: "
                "allow more time, or scale the features."
            ) from None
    return Orders(
        complete=complete, orders=tally.orders, counts=dict(sorted(tally.counts.items())), worst=tally.worst,
        best=tally.best, radius_squared=square, margin_squared=margin.lo_squared, exact_margin=margin.squared is not None,
    )  # fmt: skip


class _Tally:
    """What was found so far."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.orders = 0
        self.worst: tuple[int, ...] = ()
        self.best: tuple[int, ...] = ()
        self.latest: tuple[Indices, Indices] | None = None

    def take(self, orders: Indices, found: Indices) -> None:
        """Count orders and their mistakes."""
        if not self.orders or found.max() > max(self.counts):
            self.worst = tuple(orders[found.argmax()].tolist())
        if not self.orders or found.min() < min(self.counts):
            self.best = tuple(orders[found.argmin()].tolist())
        self.counts.update(found.tolist())
        self.orders += len(orders)
        self.latest = orders, found
        progress.report(lambda: f"{counted(self.orders, 'order')}, at most {max(self.counts):,} mistakes")


def _all_orders(n: int) -> Iterator[Indices]:
    """Go through all permutations, in batches."""
    permutations = itertools.permutations(range(n))
    while batch := list(itertools.islice(permutations, _BATCH)):
        yield np.array(batch, np.int64)


def _search(n: int, tally: _Tally, rng: np.random.RandomState) -> Iterator[Indices]:
    """Propose orders that may have more mistakes than those before: climbs from random orders, as far as they lead."""
    for _ in range(200):
        now, height, stalled = rng.permutation(n), -1, 0
        while stalled < 12:
            yield np.array([now, *(_changed(now, rng) for _ in range(_MUTANTS - 1))])
            assert tally.latest is not None
            orders, found = tally.latest
            top = int(found.max())
            stalled = 0 if top > height else stalled + 1
            if top >= height:
                now, height = orders[rng.choice(np.flatnonzero(found == top))], top


def _changed(order: Indices, rng: np.random.RandomState) -> Indices:
    """Exchange two rows, or move one to another place."""
    a, b = rng.randint(len(order), size=2)
    if rng.randint(2):
        new = order.copy()
        new[a], new[b] = new[b], new[a]
        return new
    return np.insert(np.delete(order, a), b, order[a])


def _blocks(found: Orders) -> list[Block]:
    n = len(found.worst)
    if found.complete:
        opening = (
            f"All {counted(found.orders, 'order')} of {counted(n, 'row')} were run, each repeated until every row was right."
        )
    else:
        opening = (
            f"Of the orders of {counted(n, 'row')}, a search looked at {counted(found.orders, 'order')}: there may be worse "
            "ones, and better ones."
        )
    rows = _lines(found.counts)
    bound, ratio = found.bound, formula(square_of(Formula("R", "R")), "/", square_of(named("gamma")))
    how = "" if found.exact_margin else "at most "
    return [
        opening,
        Grid(["mistakes", "orders"], rows),
        f"The most mistakes, {found.most:,}, are made in the order {_listed(found.worst)}; the fewest, {found.fewest:,}, in "
        f"the order {_listed(found.best)}. The mean is {float(found.mean):.6g}.",
        said(
            f"The convergence theorem allows {{}} = {how}{number_text(bound)} in any order; the worst one makes "
            f"{100 * found.most / float(bound):.3g} % of that.",
            ratio,
        ),
    ]


def _lines(counts: dict[int, int]) -> list[list[str]]:
    """Write the distribution, numbers of mistakes put together where they are many."""
    numbers = list(counts)
    size = -(-(numbers[-1] - numbers[0] + 1) // _MAX_LINES) if len(numbers) > _MAX_LINES else 1
    if size == 1:
        return [[f"{k:,}", f"{times:,}"] for k, times in counts.items()]
    parts: Counter[int] = Counter()
    for k, times in counts.items():
        parts[(k - numbers[0]) // size] += times
    starts = {part: numbers[0] + part * size for part in sorted(parts)}
    return [[f"{start:,} to {start + size - 1:,}", f"{parts[part]:,}"] for part, start in starts.items()]


def _listed(order: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, order[:30]))
    return shown if len(order) <= 30 else f"{shown}, …"
