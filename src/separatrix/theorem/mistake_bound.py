"""How many mistakes the perceptron can make, before any run: the bound of the convergence theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.environment import checked_arithmetic
from ..exact.rounding import outward, root
from ..perceptron.trace import longest_rows
from ..problem.batches import AnyProblem, Batches
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.ties import TIES
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim
from ..separation.margins import Margin
from ..separation.maximum_margin import margin_of_problem
from ..separation.verdict import NotSeparable
from ..support.answer import Answer
from ..support.blocks import Block, Formulas, said, written
from ..support.calls import Verbose, long_call
from ..support.clock import Clock, read_time_limit
from ..support.counts import counted
from ..support.formulas import AT_LEAST, dot, formula, norm
from ..tables.reading import problem_of
from .explanation import between, every_row, gamma_between, lifted_row, own_gamma, radius_line
from .letters import BOUND, GAMMA, STAR, Z_I, R
from .stars import GivenStar, read_star
from .unseparated import obstructed

MAX_NUMBERS_FOR_EXACT_MARGIN = 64
"""Numbers up to which the margin of a problem is found exactly, for a lecture with short fractions."""

_MAX_ROWS = 12
"""Rows of the largest length that are listed."""


@dataclass(frozen=True, repr=False, kw_only=True)
class MistakeBound(Answer):
    """The most mistakes that the convergence theorem allows; `mistake_bound` makes it.

    Attributes
    ----------
    radius, radius_squared : float, Fraction
        R, the largest length of a signed, lifted row, rounded upwards, and its exact square.
    longest : tuple of int
        The rows that have this length.
    margin : Margin or None
        The margin gamma between proved bounds; None if the classes are not separable.
    bound : tuple of float or None
        Bounds of ``R^2 / gamma^2``, rounded outwards.
    most_mistakes : int or None
        The largest whole number of mistakes that is not excluded.
    star : GivenStar or None
        The w* that was given, with its margin.
    star_bound : float or None
        ``R^2 / gamma^2`` with it, rounded upwards.
    obstruction : Certificate or None
        What proves that the classes are not separable.
    """

    radius_squared: Fraction
    longest: tuple[int, ...]
    margin: Margin | None
    obstruction: Certificate | None
    star: GivenStar | None
    tie: str
    problem: AnyProblem = field(compare=False)

    @property
    def radius(self) -> float:
        """R, rounded upwards."""
        return root(self.radius_squared, up=True)

    @property
    def bound(self) -> tuple[float, float] | None:
        """``R^2 / gamma^2`` between bounds, rounded outwards."""
        if self.margin is None:
            return None
        lo, hi = self.radius_squared / self.margin.hi_squared, self.radius_squared / self.margin.lo_squared
        return outward(lo, up=False), outward(hi, up=True)

    @property
    def most_mistakes(self) -> int | None:
        """The largest whole number of mistakes that is not excluded; None if the classes are not separable."""
        if self.margin is None:
            return None
        most = self.radius_squared / self.margin.lo_squared
        return most.numerator // most.denominator

    @property
    def star_bound(self) -> float | None:
        """``R^2 / gamma^2`` with the w* that was given, rounded upwards."""
        return None if self.star is None else outward(self.radius_squared / self.star.margin_squared, up=True)

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write it out.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        return written(_explained(self), format)

    def __repr__(self) -> str:
        if self.most_mistakes is None:
            return "<MistakeBound: none, no hyperplane has every row strictly right>"
        return f"<MistakeBound: at most {counted(self.most_mistakes, 'mistake')}>"


@long_call
def mistake_bound(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    tie: str = "update",
    exact: bool | None = None,
    star: ArrayLike | None = None,
    time_limit: float | None = None,
    verbose: Verbose = False,
) -> MistakeBound:
    """Bound the mistakes of the perceptron before any run: at most ``R^2 / gamma^2``, whatever the order.

    It is about runs from zero weights, without sample weights; the learning rate does not matter.

    Parameters
    ----------
    X, y, positive, fit_intercept
        As in `decide`; rows in blocks, as a `Stream`, have their labels with them.
    tie : {"update", "positive", "negative"}
        The tie rule of the run. Without an intercept, rows of zeros that it never has wrong do not count in the margin.
    exact : bool, optional
        Whether to find the margin exactly; if not given, for small problems.
    star : array of shape (d + 1,), or (d,) without an intercept, optional
        A w* of your own, beside the best one, as in `audit`.
    time_limit : float, optional
        Seconds after which to make do with the bounds of the margin that are proved by then, as in `margin`.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    MistakeBound
        ``most_mistakes``, ``radius``, ``margin``; if the classes are not separable, the ``obstruction`` instead.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.mistake_bound(*sx.examples.load("and"))
    >>> found, found.radius_squared, found.longest, found.margin.squared
    (<MistakeBound: at most 51 mistakes>, Fraction(3, 1), (3,), Fraction(1, 17))
    >>> sx.mistake_bound(*sx.examples.load("xor"))
    <MistakeBound: none, no hyperplane has every row strictly right>
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(TIES)}, got {tie!r}.")
    limit = read_time_limit(time_limit)
    if isinstance(X, Batches):
        X.refuse_besides(y)
        options = {"positive": positive, "fit_intercept": fit_intercept, "tie": tie, "exact": exact, "star": star}
        found: MistakeBound = X.mistake_bound(**options, time_limit=limit)
        return found
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    return bound_of_problem(problem, tie, exact, star, Clock(limit))


def bound_of_problem(
    problem: Problem, tie: str, exact: bool | None = None, star: Any = None, clock: Clock | None = None
) -> MistakeBound:
    """Bound the mistakes on a problem that is validated already."""
    given = None if star is None else read_star(star, problem, TIES[tie])
    square, rows = longest_rows(Lifted.of(problem))
    margin, obstruction = margin_or_obstruction(problem, TIES[tie], exact, clock)
    return MistakeBound(
        radius_squared=square, longest=tuple(rows), margin=margin, obstruction=obstruction, star=given, tie=tie,
        problem=problem,
    )  # fmt: skip


def margin_or_obstruction(
    problem: Problem, tie: int, exact: bool | None = None, clock: Clock | None = None
) -> tuple[Margin | None, Certificate | None]:
    """Find the margin of the rows that can be wrong, exactly if they are few, or what proves that there is none."""
    some = problem.fallible(tie)
    if exact is None:
        exact = problem.n * problem.width <= MAX_NUMBERS_FOR_EXACT_MARGIN
    try:
        return margin_of_problem(some, "lifted", exact=exact, clock=clock), None
    except NotSeparable as error:
        if some is problem or error.certificate.obstruction is None:
            return None, error.certificate
        found, places = error.certificate.obstruction, np.flatnonzero(problem.is_fallible(tie))
        among_all = replace(found, rows=tuple(int(places[i]) for i in found.rows))
        return None, Certificate(Claim.NOT_SEPARABLE, Subject.of(problem), obstruction=among_all)


def _explained(found: MistakeBound) -> list[Block]:
    problem, tie = found.problem, TIES[found.tie]
    opening = f"{counted(problem.n, 'row')} of {counted(problem.d, 'feature')}. How many mistakes can the perceptron make?"
    names = RowNames(problem, found.longest[:_MAX_ROWS])
    blocks: list[Block] = [
        opening,
        said(
            "Write {} for row i times its label, -1 or 1. The largest of the lengths {} is {}: "
            f"{names.listed(found.longest, _MAX_ROWS)}{names.aside}.",
            lifted_row(problem), norm(Z_I), R,
        ),
        Formulas([radius_line(found.radius, found.radius_squared)]),
    ]  # fmt: skip
    if found.margin is None:
        assert found.obstruction is not None
        assert found.obstruction.obstruction is not None
        none = said("There is no bound: no unit vector {} has {} for every row, which is proved.", STAR,
                    formula(dot(STAR, Z_I), ">", "0"))  # fmt: skip
        return [*blocks, none, *obstructed(problem, found.obstruction.obstruction, tie)]
    assert found.bound is not None
    most = found.most_mistakes
    assert most is not None
    blocks += [
        said(
            f"The margin {{}} is the largest number for which a unit vector {{}} has {{}} for {every_row(problem, tie)}.",
            GAMMA, STAR, formula(dot(STAR, Z_I), AT_LEAST, GAMMA),
        ),
        Formulas([gamma_between(found.margin)]),
        said(
            f"So a run from zero makes at most {counted(most, 'mistake')}, in whatever order the rows come and whatever the "
            f"learning rate: {{}} {between(*found.bound)}. Each pass but the last has one at least, so that there are at "
            f"most {counted(most + 1, 'pass')}.",
            BOUND,
        ),
    ]  # fmt: skip
    if found.star is not None and found.star_bound is not None:
        blocks.append(
            said(
                "With the {} given, at length 1, {}, attained by "
                f"{names.name_of_given(found.star.row)}; it allows {counted(math.floor(found.star_bound), 'mistake')}.",
                STAR, own_gamma(found.star),
            )
        )  # fmt: skip
    return blocks
