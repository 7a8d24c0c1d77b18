"""The maximum margin of separable classes, as an interval that is proved, or exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..exact.dyadic import Dyadic
from ..exact.rounding import rational_root
from ..problem.problem import Problem
from ..problem.row_names import MAX_ROWS_SHOWN, RowNames
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Combination, MarginBound, Separator, whole
from ..support.blocks import Sentence, written
from ..support.clock import Clock
from ..support.formulas import Formula, number, square_root
from ..support.notebook import with_picture

KINDS_OF_MARGIN = ("lifted", "geometric")

TIME_WAS_UP = "Time ran out before the bounds were as close as was asked for: with more time they come closer."


@dataclass(frozen=True, kw_only=True)
class Margin:
    """A margin between proved bounds.

    Attributes
    ----------
    kind : {"lifted", "geometric"}
        Whether the intercept counts in the length of the weights, as in the theorem, or not, as in the classifier.
    lo, hi : float
        Bounds of the margin, rounded outwards.
    lo_squared, hi_squared : Fraction
        Exact bounds of its square.
    weights : Dyadic
        The weights that attain the lower bound, the intercept last if there is one.
    rows, multipliers : tuple
        The convex combination that proves the upper bound; the multipliers add up to 1, in either class if geometric.
    interrupted : bool
        Whether time ran out before the bounds were as close, or as exact, as was asked for. They are proved all the same.
    """

    kind: str
    lo: float
    hi: float
    lo_squared: Fraction
    hi_squared: Fraction
    weights: Dyadic = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    multipliers: tuple[Fraction, ...] = field(repr=False)
    problem: Problem = field(repr=False, compare=False)
    interrupted: bool = False
    _subject: Subject = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_subject", Subject.of(self.problem))  # at once: the rows may be changed later

    @property
    def squared(self) -> Fraction | None:
        """The square of the margin, if it is known exactly."""
        return self.lo_squared if self.lo_squared == self.hi_squared else None

    @property
    def support(self) -> NDArray[np.int64]:
        """The rows of the combination: those nearest to the hyperplane."""
        return np.array(sorted(self.rows), np.int64)

    @cached_property
    @checked_arithmetic
    def direction(self) -> Floats:
        """The weights at length 1, rounded; the intercept last, not counted in the length if geometric."""
        rounded = self.weights.times_power(-self.weights.magnitude()).round()
        counted = rounded[: self.problem.d] if self.kind == "geometric" else rounded
        unit: Floats = rounded / np.linalg.norm(counted)
        return unit

    def __repr__(self) -> str:
        exact = self.squared is not None
        size = f"{self.lo:.6g}" if exact or f"{self.lo:.6g}" == f"{self.hi:.6g}" else f"{self.lo:.6g} to {self.hi:.6g}"
        return f"<Margin: {self.kind}, {size}, {'exactly known' if exact else 'between proved bounds'}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how wide the margin is, and which rows prove that it is no wider.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.

        Examples
        --------
        >>> import separatrix as sx
        >>> print(sx.margin([[0, 0], [0, 3], [4, 0], [4, 3]], [0, 0, 1, 1], kind="geometric").explain())
        The geometric margin is 2. A hyperplane keeps every row away by at least that, and none keeps all away by more: both
        are proved.
        <BLANKLINE>
        It is proved by a convex combination of rows 0 and 2, counted from 0.
        """
        lo, hi = number(self.lo), number(self.hi)
        size: tuple[str | Formula, ...] = ("between ", lo, " and ", hi)
        if self.squared is not None:
            exact = rational_root(self.squared, up=False)
            size = (number(exact),) if exact * exact == self.squared else (square_root(number(self.squared)), ", about ", lo)
        lifted = self.kind == "lifted"
        what = "lifted margin, in which the intercept counts in the length of the weights," if lifted else "geometric margin"
        has = (
            "Weights of length 1 have every row right by at least"
            if lifted
            else "A hyperplane keeps every row away by at least"
        )
        more = "have all right by more" if lifted else "keeps all away by more"
        first, second = ("that", "") if self.squared is not None else ("the first number", " than the second")
        proved = f"{has} {first}, and none {more}{second}: both are proved."
        support = self.support.tolist()
        names = RowNames(self.problem, support[:MAX_ROWS_SHOWN])
        rows = f"It is proved by a convex combination of {names.listed(support)}{names.aside}."
        early = [TIME_WAS_UP] if self.interrupted else []
        return written([Sentence((f"The {what} is ", *size, f". {proved}")), rows, *early], format)

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))

    @property
    @checked_arithmetic
    def at_least(self) -> Certificate:
        """The proof that the margin is at least ``lo``."""
        bound = MarginBound(self.kind, self.lo_squared)
        separator = Separator.of(self.weights, self.problem.intercept)
        return Certificate(Claim.MARGIN_AT_LEAST, self._subject, separator, margin=bound)

    @property
    @checked_arithmetic
    def at_most(self) -> Certificate:
        """The proof that the margin is at most ``hi``."""
        bound = MarginBound(self.kind, self.hi_squared)
        numbers = whole(self.multipliers)
        combination = Combination(self.rows, tuple(map(Fraction, numbers)))
        return Certificate(Claim.MARGIN_AT_MOST, self._subject, margin=bound, combination=combination)


def undecided(clock: Clock) -> TimeoutError:
    """Return the error for whoever asks for a margin when it is not known yet whether there is one."""
    when = "Stopped: it" if clock.limit is None else f"After {clock.limit:g} s it"
    return TimeoutError(
        f"{when} is not known yet whether a hyperplane separates the classes, so that there is no bound of the margin. "
        "Allow more time, or ask that alone: sx.decide."
    )
