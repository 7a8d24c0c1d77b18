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
from ..problem.problem import Problem
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Combination, MarginBound, Separator, whole

KINDS_OF_MARGIN = ("lifted", "geometric")


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
