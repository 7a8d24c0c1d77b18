"""How sure a verdict is: whether it stays the same if the numbers of the rows are off by some tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled.environment import checked_arithmetic
from ..exact.linear_algebra import primitive
from ..problem.exact_rows import MAX_WIDE_CELLS
from ..problem.problem import Problem
from ..support.blas import one_thread
from ..support.calls import Verbose, long_call
from ..support.clock import Clock, read_time_limit
from ..support.interruption import stoppable
from .collision import Collision
from .decision import decide_problem
from .escape import Escape, Inside, Leaf, Signs
from .movable_rows import MovableRows
from .stability_explanation import explained, message
from .tolerances import Tolerances, read_tolerances
from .verdict import Status, Verdict

Ratio = Fraction | float
"""A number of tolerances: exact, or infinite."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Stability:
    """How far the numbers of the rows may be off without changing the verdict, between proved bounds.

    Attributes
    ----------
    status : Status
        The verdict that it is about.
    stable : bool or None
        Whether the verdict is the same for all rows within the tolerance; None if the time did not suffice to tell.
    lower, upper : Fraction, or ``math.inf``
        The verdict stays the same as long as every number is off by less than ``lower`` times its tolerance; and not if they
        may be off by more than ``upper`` times it. Both are infinite if it never changes.
    attained : bool
        Whether the verdict changes at ``upper`` itself, not only beyond.
    tolerances : tuple of Fraction
        The tolerance of each column, 0 for those that are exact.
    common : Fraction or None
        The tolerance of all inexact columns, if one was given; ``bounds`` has the bounds in its units.
    shift : tuple of Fraction, or None
        Rows with another verdict: the rows of the positive class moved by this, those of the negative class by its negative.
        ``example`` has them written out, ``example_verdict`` what they are.
    weights : tuple of Fraction
        Weights, the intercept last if there is one, that prove a bound: the lower one of separable classes, else the upper
        one.
    multipliers : dict
        What proves the upper bound of separable classes: under these multipliers the rows moved by ``shift`` have their
        signed sum at the origin.
    inside, leaves : dict, tuple
        What proves the lower bound of classes that are not separable, see :doc:`/stability`.
    finished : bool
        Whether the search came to its end, or the time ran out first.
    """

    status: Status
    stable: bool | None
    lower: Ratio
    upper: Ratio
    attained: bool
    tolerances: tuple[Fraction, ...]
    common: Fraction | None = None
    digits: bool = False
    shift: tuple[Fraction, ...] | None = None
    weights: tuple[Fraction, ...] = ()
    multipliers: dict[int, int] = field(default_factory=dict)
    inside: dict[Signs, Inside] = field(default_factory=dict)
    leaves: tuple[Leaf, ...] = ()
    finished: bool = True
    problem: Problem = field(compare=False)

    @property
    def bounds(self) -> tuple[Ratio, Ratio] | None:
        """The bounds in units of the columns, where one tolerance was given for all of them."""
        if self.common is None or not self.common:
            return None
        return self.lower * self.common, self.upper * self.common

    @property
    def message(self) -> str:
        """In short: whether the verdict is stable, and up to where; and whether the search was stopped before its end."""
        return message(self)

    @cached_property
    def example(self) -> NDArray[Any] | None:
        """Rows with another verdict, in fractions, which `decide` takes as they are; None if none are known."""
        if self.shift is None:
            return None
        n, d = self.problem.n, self.problem.d
        if n * d > MAX_WIDE_CELLS:
            raise ValueError(
                f"The rows have {n * d:,} numbers, and up to {MAX_WIDE_CELLS:,} are written out as fractions. The attribute "
                "shift says by what each of them moves."
            )
        rows = np.empty((n, d), object)
        for i, point in enumerate(self.problem.points(list(range(n)))):
            sign = int(self.problem.y[i])
            rows[i] = [number + sign * move for number, move in zip(point, self.shift, strict=True)]
        return rows

    @cached_property
    @checked_arithmetic
    def example_verdict(self) -> Verdict | None:
        """What `decide` says of the example."""
        if self.example is None:
            return None
        labels, classes = self.problem.y.astype(np.int64), [-1, 1] if len(self.problem.classes) > 1 else None
        moved = Problem.of(self.example, labels, classes=classes, intercept=self.problem.intercept)
        return decide_problem(moved, Clock())

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it: fractions are texts, and null stands for infinity."""
        names = self.problem.names or list(map(str, range(self.problem.d)))
        return {
            "status": str(self.status),
            "stable": self.stable,
            "lower": _text(self.lower),
            "upper": _text(self.upper),
            "attained": self.attained,
            "tolerance": "digits" if self.digits else None if self.common is None else str(self.common),
            "tolerances": {name: str(each) for name, each in zip(names, self.tolerances, strict=True)},
            "shift": None if self.shift is None else [str(each) for each in self.shift],
            "finished": self.finished,
            "message": self.message,
        }

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how far numbers may be off, and how rows look for which the verdict is another one.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        return explained(self, format)

    def __bool__(self) -> bool:
        raise TypeError("A stability is neither true nor false. Ask for stability.stable.")

    def __repr__(self) -> str:
        return f"<Stability: {self.message}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return self.explain("html")


def _text(ratio: Ratio) -> str | None:
    return None if ratio == math.inf else str(ratio)


@long_call
@one_thread
@stoppable
def stability_of(
    verdict: Verdict, tolerance: Any, exact: Iterable[Any], time_limit: float | None, *, verbose: Verbose = False
) -> Stability:
    """Find out how far numbers may be off without changing a verdict; see `Verdict.stability`."""
    clock = Clock(read_time_limit(time_limit))
    problem = verdict.problem
    if verdict.status == Status.UNKNOWN or verdict.certificate is None:
        raise ValueError("The verdict is not known, so that nothing can be said of its stability. Give decide more time.")
    if verdict.certificate.problem.tie != "update":
        raise ValueError(
            "Stability is about rows strictly on their correct side: without an intercept, decide with tie='update'."
        )
    tolerances = read_tolerances(problem, tolerance, exact)
    kept: dict[Tolerances, _Kept] = verdict.__dict__.setdefault("_stabilities", {})
    seconds = math.inf if clock.limit is None else clock.limit
    if tolerances in kept and (kept[tolerances].found.finished or seconds <= kept[tolerances].seconds):
        return kept[tolerances].found
    found = (_of_separable if verdict.status == Status.SEPARABLE else _of_others)(verdict, tolerances, clock)
    if found.finished or not clock.left():  # what Ctrl-C ended is searched for anew
        kept[tolerances] = _Kept(seconds, found)
    return found


class _Kept(NamedTuple):
    """An answer that a verdict keeps, and the seconds that were allowed for it."""

    seconds: float
    found: Stability


def _separator(verdict: Verdict) -> list[int] | None:
    assert verdict.certificate is not None
    found = verdict.certificate.separator
    return None if found is None else found.exact(verdict.problem.intercept).integers


def _of_separable(verdict: Verdict, tolerances: Tolerances, clock: Clock) -> Stability:
    """Ask how far separable classes are from a collision, at which they are separable no more."""
    separator = _separator(verdict)
    assert separator is not None
    found = Collision(MovableRows(verdict.problem, tolerances.columns), clock)
    found.search(separator)
    return Stability(
        status=verdict.status,
        stable=True if found.lower > 1 else False if found.upper <= 1 else None,
        lower=found.lower,
        upper=found.upper,
        attained=True,
        tolerances=tolerances.columns,
        common=tolerances.common,
        digits=tolerances.digits,
        shift=None if found.shift is None else tuple(found.shift),
        weights=tuple(map(Fraction, found.weights)),
        multipliers=found.multipliers,
        finished=found.finished,
        problem=verdict.problem,
    )


def _of_others(verdict: Verdict, tolerances: Tolerances, clock: Clock) -> Stability:
    """Ask how far the rows that no weak separator separates are from being separable."""
    problem, separator = verdict.problem, _separator(verdict)
    live = verdict.separated_rows
    assert live is not None
    tied = problem if separator is None else problem.with_rows(np.setdiff1d(np.arange(problem.n), live))
    found = Escape(MovableRows(tied, tolerances.columns), clock)
    if separator is not None and found.rows.reach(separator):
        found.upper, found.weights, found.finished = Fraction(0), separator, True
    else:
        found.search()
    weights = found.weights
    if separator is not None and weights and weights is not separator:
        weights = _together(problem, live, separator, weights)
    quasi = verdict.status == Status.QUASI_SEPARABLE
    attained = not quasi and found.upper > 0
    upper, shift = found.upper, None
    if weights and upper < math.inf:
        assert isinstance(upper, Fraction)
        by = upper if attained else Fraction(1) if upper < 1 else upper * Fraction(1025, 1024)
        shift = tuple(
            by * each * ((weight > 0) - (weight < 0)) for each, weight in zip(tolerances.columns, weights, strict=False)
        )
    nothing = not any(tolerances.columns)
    below = found.lower >= 1 if quasi else found.lower > 1
    above = found.upper <= 1 if attained else found.upper < 1
    return Stability(
        status=verdict.status,
        stable=True if below or nothing else False if above else None,
        lower=found.lower,
        upper=found.upper,
        attained=attained and upper < math.inf,
        tolerances=tolerances.columns,
        common=tolerances.common,
        digits=tolerances.digits,
        shift=shift,
        weights=tuple(map(Fraction, weights)),
        inside=found.inside,
        leaves=found.leaves,
        finished=found.finished,
        problem=problem,
    )


def _together(problem: Problem, live: NDArray[np.int64], separator: list[int], weights: list[int]) -> list[int]:
    """Add enough of a weak separator to weights that they have the rows right, too, which it separates."""
    rows = MovableRows(problem.with_rows(live), (Fraction(0),) * problem.d)
    short = max(Fraction(0), -rows.least_score(weights, Clock()))
    times = math.floor(short / rows.least_score(separator, Clock())) + 1
    return primitive([times * a + b for a, b in zip(separator, weights, strict=True)])
