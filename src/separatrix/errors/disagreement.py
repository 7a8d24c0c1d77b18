"""The fewest errors that any hyperplane makes: a hyperplane, and the proof of how many none avoids."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..exact.dyadic import Dyadic
from ..exceptions import RoundingWarning
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..proof.certificate import Certificate
from ..support.notebook import with_picture
from ..support.numbers import number_text
from .explanation import explained


class Known(NamedTuple):
    """What a search knew after some time: the bound that was proved, and the errors of the best hyperplane found."""

    seconds: float
    lower: int | Fraction
    upper: int | Fraction


@dataclass(frozen=True, repr=False, kw_only=True)
class Disagreement:
    """What `least_errors` found: a hyperplane with few errors, and how many errors no hyperplane avoids.

    An error is a row on the wrong side of the hyperplane or on the hyperplane itself. With sample weights, errors are
    counted by their weights, exactly: ``lower`` and ``upper`` may then be fractions.

    Attributes
    ----------
    lower : int or Fraction
        No hyperplane makes fewer errors; the certificate proves it.
    upper : int or Fraction
        The errors that the hyperplane found makes, counted exactly.
    certificate : Certificate
        What proves the lower bound.
    rows_given_up : array
        The rows on which the hyperplane errs.
    weights : Dyadic
        The exact weights of the hyperplane, the intercept last if there is one.
    interrupted : bool
        Whether Ctrl-C ended the search.
    history : tuple of Known
        How the search came to it: seconds, and the lower and the upper bound that were known by then, whenever one of them
        got better, and at the end. Seconds depend on the machine, so that it takes no part in comparisons.
    """

    lower: int | Fraction
    upper: int | Fraction
    certificate: Certificate
    rows_given_up: NDArray[np.int64] = field(compare=False)
    weights: Dyadic = field(compare=False)
    interrupted: bool
    problem: Problem = field(compare=False)
    history: tuple[Known, ...] = field(compare=False, default=())

    @property
    def count(self) -> int:
        """The number of rows on which the hyperplane errs."""
        return len(self.rows_given_up)

    @property
    def in_memory(self) -> Disagreement | None:
        """What is proved of rows in memory, which are what can be written out: all of them, as a rule."""
        return self

    @property
    def whole(self) -> Disagreement:
        """The same of all rows in memory, where they are."""
        return self

    @property
    def optimal(self) -> bool:
        """Whether the hyperplane is proved to make the fewest errors possible."""
        return self.lower == self.upper

    @property
    def coef(self) -> Floats:
        """The weights of the hyperplane; rounded to float64 in the rare case that they are not such numbers.

        If that changes which rows it errs on, a `RoundingWarning` has told of it; ``weights`` has them exactly.
        """
        return self._rounded[: self.problem.d]

    @property
    def intercept(self) -> float:
        """The intercept of the hyperplane, likewise."""
        return float(self._rounded[self.problem.d]) if self.problem.intercept else 0.0

    @cached_property
    @checked_arithmetic
    def _rounded(self) -> Floats:
        rounded = nearby(self.weights)
        return self.weights.round() if rounded is None else rounded

    def tell_of_rounding(self, stacklevel: int = 2) -> None:
        """Warn if ``coef`` and ``intercept`` err on other rows than the exact weights, which are counted."""
        if self.weights.holds(self._rounded):
            return
        wrong = np.flatnonzero(Lifted.of(self.problem).signs(Dyadic.from_parts(self._rounded)) <= 0)
        if not np.array_equal(wrong, self.rows_given_up):
            self._warn(len(wrong), stacklevel + 1)

    def _warn(self, rounded: int, stacklevel: int) -> None:
        """Warn that the rounded weights err on so many rows."""
        warnings.warn(
            f"The errors of the hyperplane found are {self.count:,} of {self.problem.n:,} rows; with its weights rounded to "
            f"float64, as coef and intercept have them, {rounded:,}. The attribute weights has them exactly.",
            RoundingWarning,
            stacklevel=stacklevel + 1,
        )

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say in words how many errors there are, on which rows, and why there are no fewer.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.

        Examples
        --------
        >>> import separatrix as sx
        >>> print(sx.least_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).explain())
        4 rows, 2 features, 1 against 0. A hyperplane errs on 1 of them, and none errs on fewer.
        ...
            (row 1) + (row 2) = (row 0) + (row 3)
        ...
        """
        return explained(self, format)

    def __bool__(self) -> bool:
        raise TypeError("A disagreement is neither true nor false. Ask whether it is optimal, or whether upper is 0.")

    def __repr__(self) -> str:
        errors = f"{number_text(self.upper)} error{'' if self.upper == 1 else 's'}"
        return f"<Disagreement: {errors}; no hyperplane makes fewer than {number_text(self.lower)}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))


def nearby(weights: Dyadic) -> Floats | None:
    """Return a positive multiple of weights rounded to float64; None if they are all 0."""
    if not weights:
        return None
    top = weights.magnitude()
    return weights.times_power(-top if abs(top) > 64 else 0).round()
