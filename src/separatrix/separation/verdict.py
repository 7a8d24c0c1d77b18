"""The verdict on separability, with its proof."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..problem.exact_rows import ExactRows
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import zero_rows
from ..proof.certificate import Certificate
from ..proof.claims import Claim
from ..support.calls import Verbose
from ..support.clock import Clock, OutOfTime
from ..support.notebook import with_picture
from .explanation import Sides, explained, suffices
from .separating_columns import fewest_columns

if TYPE_CHECKING:
    from .stability import Stability

_SECONDS_TO_EXPLAIN = 1.0
"""Seconds that an explanation may look for columns that suffice, once."""

SECONDS_FOR_STABILITY = 10.0
"""Seconds for which it is looked for how far numbers may be off, unless told otherwise."""


class Status(StrEnum):
    """The three verdicts of Albert and Anderson (1984), and what there is when a time limit runs out."""

    SEPARABLE = "separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAPPING = "overlapping"
    UNKNOWN = "unknown"


class NotSeparable(ValueError):  # noqa: N818 (it is what it says)
    """No hyperplane separates the classes; ``certificate`` proves it."""

    def __init__(self, message: str, certificate: Certificate) -> None:
        super().__init__(message)
        self.certificate = certificate

    def __reduce__(self) -> tuple[Any, ...]:  # so that it comes out of another process
        return type(self), (*self.args, self.certificate), self.__dict__


@dataclass(frozen=True, repr=False)
class Verdict:
    """What `decide` found, with its proof.

    Attributes
    ----------
    status : Status
        ``"separable"``, ``"quasi-separable"``, ``"overlapping"``, or ``"unknown"`` if a time limit ran out.
    certificate : Certificate or None
        What proves it. If a time limit ran out: None, or what proves at least that the classes are not separable.
    message : str
        One sentence: the verdict, or what was tried when the time ran out.
    tie : {"update", "positive", "negative"}
        The tie rule that it is about: what a score of 0 predicts.
    strict : Status
        The status if a score of 0 is wrong for either class, which is what regressions ask. It differs from ``status`` only
        if that is "separable" under a tie rule, without an intercept.
    """

    status: Status
    certificate: Certificate | None
    message: str
    problem: Problem = field(compare=False)
    tie: str = "update"
    strict: Status = Status.UNKNOWN

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane has every row right under the tie rule: strictly on its correct side, unless 0 is right, too.

        None if unknown.
        """
        return None if self.certificate is None else self.certificate.claim == Claim.SEPARABLE

    @cached_property
    @checked_arithmetic
    def always_halts(self) -> bool | None:
        """Whether the perceptron halts with this tie rule from every start and in every order; None if unknown.

        It does if and only if the rows are strictly separable, but for rows of zeros in the class that a score of 0
        predicts, which are never wrong. Under a tie rule, without an intercept, rows may be separable where it need not.
        """
        if self.strict == Status.UNKNOWN:
            return None
        if self.strict == Status.SEPARABLE:
            return True
        if not self.separable or self.certificate is None or self.certificate.separator is None:
            return False
        on = Lifted.of(self.problem).signs(self.certificate.separator.exact(self.problem.intercept)) == 0
        on[zero_rows(self.problem.X)] = False
        return not on.any()

    @property
    def witness(self) -> NDArray[np.int64] | None:
        """Rows, at most d + 2, that no hyperplane separates, while it does as soon as one is left out; None if separable."""
        if self.certificate is None or self.certificate.obstruction is None:
            return None
        return np.array(self.certificate.obstruction.rows)

    @property
    def features(self) -> ExactRows:
        """The rows that the hyperplane gives weights to: those given or, with a kernel, the features that they have."""
        return self.problem.rows

    @property
    def coef(self) -> Floats | None:
        """The weights of the hyperplane, rounded to float64; None if there is none. The certificate has them exactly."""
        return None if self._hyperplane is None else self._hyperplane[: self.problem.d]

    @property
    def intercept(self) -> float | None:
        """The intercept of the hyperplane, rounded likewise."""
        if self._hyperplane is None:
            return None
        return float(self._hyperplane[self.problem.d]) if self.problem.intercept else 0.0

    @cached_property
    @checked_arithmetic
    def _hyperplane(self) -> Floats | None:
        if self.certificate is None or self.certificate.separator is None:
            return None
        weights = self.certificate.separator.exact(self.problem.intercept)
        top = weights.magnitude()
        return weights.times_power(-top if top > 53 else 0).round()

    @cached_property
    @checked_arithmetic
    def separated_rows(self) -> NDArray[np.int64] | None:
        """The rows that some weak separator has strictly on its correct side: all, some or none; None if unknown."""
        if self.status == Status.UNKNOWN:
            return None
        if self.certificate is None or self.certificate.separator is None:
            return np.zeros(0, np.int64)
        weights = self.certificate.separator.exact(self.problem.intercept)
        return np.flatnonzero(Lifted.of(self.problem).signs(weights) > 0)

    @cached_property
    @checked_arithmetic
    def columns(self) -> list[str] | list[int] | None:
        """Columns that by themselves separate the same rows, and do not without any one of them; None if overlapping.

        Their names, or their numbers where they have none. There may be other such sets. It takes a search for each
        column, which is made when this is first asked for.
        """
        return self._columns(Clock())

    @checked_arithmetic
    def columns_within(self, seconds: float) -> list[str] | list[int] | None:
        """Return the same, or None if it takes longer."""
        if "columns" in self.__dict__:
            return self.columns
        try:
            self.__dict__["columns"] = self._columns(Clock(seconds))
        except OutOfTime:
            self.__dict__["_searched"] = max(seconds, self.__dict__.get("_searched", 0.0))
            return None
        return self.columns

    def leave_columns(self) -> None:
        """Have explanations not look for columns that suffice: there is no time for it."""
        self.__dict__["_searched"] = math.inf

    def _columns_to_tell(self) -> str | None:
        """Say which columns suffice, if that is fewer than all, and is known or soon found out."""
        if not self._is_of_given_rows() or self.__dict__.get("_searched", 0.0) >= _SECONDS_TO_EXPLAIN:
            return None
        found = self.columns_within(_SECONDS_TO_EXPLAIN)
        return suffices(self.problem, found) if found and len(found) < self.problem.d else None

    def _columns(self, clock: Clock) -> list[str] | list[int] | None:
        if self.certificate is None or self.certificate.separator is None or self.separated_rows is None:
            return None
        strict = np.zeros(self.problem.n, bool)
        strict[self.separated_rows] = True
        support = [j for j, weight in enumerate(self.certificate.separator.weights) if weight]
        found = fewest_columns(self.problem, support, strict, clock)
        names = self.problem.names
        return found if names is None else [names[j] for j in found]

    def stability(
        self,
        tolerance: Any = "digits",
        *,
        exact: Iterable[str | int] = (),
        time_limit: float | None = SECONDS_FOR_STABILITY,
        verbose: Verbose = False,
    ) -> Stability:
        """Find out whether the verdict is the same if every number is off by some tolerance, and how far it may be.

        The answer is kept: asked for the same tolerances again, and for no more time unless it is final, it is there at
        once.

        Parameters
        ----------
        tolerance : "digits", number, array of shape (d,), or dict
            How far each number may be off, upwards or downwards: half of the last digit, that is of the finest digit that
            occurs in its column; a number for all columns; one for each; or some by the names of columns. Columns of
            categories and of gaps, the intercept and the labels are exact, and so, for "digits", are columns of at most two
            different whole numbers, such as 0 and 1.
        exact : names of columns, or their numbers
            Columns that are exact besides, such as counts.
        time_limit : float, optional
            Seconds after which to return what is proved by then, as after Ctrl-C.
        verbose : bool or callable, default=False
            Whether to show the progress, once it takes longer than a second; or a function that is called with each
            `Progress`.

        Returns
        -------
        Stability
            ``stable``, and ``lower`` and ``upper``: between these multiples of the tolerance the verdict begins to change.

        Examples
        --------
        >>> import separatrix as sx
        >>> verdict = sx.decide([[0.0, 1.5], [0.5, 2.0], [2.5, 0.5], [3.0, 1.5]], [0, 0, 1, 1])
        >>> stability = verdict.stability()
        >>> stability.stable, stability.lower, stability.upper
        (True, Fraction(20, 1), Fraction(20, 1))
        >>> verdict.stability(1).example_verdict.status
        <Status.QUASI_SEPARABLE: 'quasi-separable'>
        """
        from .stability import stability_of

        return stability_of(self, tolerance, exact, time_limit, verbose=verbose)

    def require_separable(self) -> None:
        """Raise `NotSeparable`, with the witness as certificate, unless the classes are separable."""
        if self.status == Status.SEPARABLE:
            return
        if self.certificate is None or self.certificate.obstruction is None:
            raise ValueError(f"Whether the classes are separable is not known. {self.message}")
        proof = Certificate(Claim.NOT_SEPARABLE, self.certificate.problem, obstruction=self.certificate.obstruction)
        raise NotSeparable(f"The classes are not separable. {self.message}", proof)

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write the proof out for a person.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        more = []
        if self.separable and not self.always_halts:
            more.append(
                "So weights exist that have every row right, but a run of the perceptron need not come to them: it halts "
                "from every start and in every order only if all rows can be strictly on their correct side, but for rows "
                "of zeros where a score of 0 is right."
            )
        if (columns := self._columns_to_tell()) is not None:
            more.append(columns)
        return explained(self.problem, self._shown(), self.message, format, *more, sides=self._sides(), tie=self.tie)

    def _sides(self) -> Sides:
        """Return how the rows lie to the hyperplane, if there is one."""
        return Sides.of(self.problem, self.certificate, self._is_of_given_rows())

    def _shown(self) -> Certificate | None:
        """Return the certificate as it is to be explained."""
        return self.certificate

    def _is_of_given_rows(self) -> bool:
        """Whether the problem is that of the rows as they were given, so that distances mean something."""
        return True

    def __bool__(self) -> bool:
        raise TypeError("A verdict is neither true nor false. Ask for verdict.separable, or look at verdict.status.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.status}. {self.message}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))
