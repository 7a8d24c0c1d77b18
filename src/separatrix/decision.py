"""Is there a hyperplane that separates the classes? The verdict, and its proof."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import verifier
from .blas import one_thread
from .cautions import SeparationWarning
from .certificate import Certificate, Claim, Cover, Obstruction, Separator, Subject
from .encoding import Data, problem_of
from .exact import Floats
from .explanation import explained
from .kernels.environment import checked_arithmetic
from .lifted import Lifted
from .problem import Problem, distinct, read_labels
from .progress import Clock, OutOfTime
from .proposal import sparse_direction
from .search import Findings, Search

_COLUMNS_PATIENCE = 10.0
"""Seconds for which a warning may look for the columns that are to blame."""


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
    """

    status: Status
    certificate: Certificate | None
    message: str
    problem: Problem = field(compare=False)

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane has every row strictly on its correct side; None if unknown."""
        return None if self.certificate is None else self.certificate.claim == Claim.SEPARABLE

    @property
    def witness(self) -> NDArray[np.int64] | None:
        """Rows, at most d + 2, that no hyperplane separates, while it does as soon as one is left out; None if separable."""
        if self.certificate is None or self.certificate.obstruction is None:
            return None
        return np.array(self.certificate.obstruction.rows)

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
        try:
            return self._columns(Clock(seconds))
        except OutOfTime:
            return None

    def _columns(self, clock: Clock) -> list[str] | list[int] | None:
        if self.certificate is None or self.certificate.separator is None or self.separated_rows is None:
            return None
        strict = np.zeros(self.problem.n, bool)
        strict[self.separated_rows] = True
        support = [j for j, weight in enumerate(self.certificate.separator.weights) if weight]
        found = _fewest_columns(self.problem, support, strict, clock)
        names = self.problem.names
        return found if names is None else [names[j] for j in found]

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
        format : {"text", "markdown", "latex"}
            How to write it.
        """
        return explained(self.problem, self.certificate, self.message, format)

    def __bool__(self) -> bool:
        raise TypeError("A verdict is neither true nor false. Ask for verdict.separable, or look at verdict.status.")

    def __repr__(self) -> str:
        return f"<Verdict: {self.status}. {self.message}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")


@checked_arithmetic
def decide(
    X: Any, y: Any = None, *, positive: Any = None, fit_intercept: bool = True, time_limit: float | None = None
) -> Verdict:
    """Decide whether a hyperplane separates the classes, and prove it.

    The answer is exact, whatever the scale of the features: floating point proposes hyperplanes and obstructions, exact
    arithmetic checks them. The certificate has been verified when this returns.

    Parameters
    ----------
    X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d), or Data
        The rows; or rows with their labels, as `read_data` returns them.
    y : array of shape (n,)
        Labels of at most two classes; of any number with ``positive``. Not given if X has them.
    positive : label, optional
        The class to set against all others.
    fit_intercept : bool
        Whether the hyperplane may pass beside the origin.
    time_limit : float, optional
        Seconds after which to give up, with the status ``"unknown"``.

    Returns
    -------
    Verdict
        ``status``, ``certificate``, ``witness`` and more; ``explain()`` writes the proof out.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.decide([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    <Verdict: separable. A hyperplane has all 4 rows strictly on its correct side.>
    >>> xor = sx.decide([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> xor.separable, xor.witness
    (False, array([0, 1, 2, 3]))
    """
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds, or None for no limit; got {time_limit!r}.")
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    return decided(problem, Clock(time_limit))


@one_thread
def decided(problem: Problem, clock: Clock) -> Verdict:
    """Decide a problem that is validated already."""
    search = Search(problem, clock)
    try:
        findings = search.run()
    except OutOfTime:
        return _unknown(problem, clock, search)
    certificate = _certificate(problem, findings)
    verifier.check(certificate, problem)
    status = Status(certificate.claim)
    return Verdict(status, certificate, _message(problem, certificate, status), problem)


def _unknown(problem: Problem, clock: Clock, search: Search) -> Verdict:
    tried = ", ".join(search.tried.values()) or "nothing yet"
    search = search.narrow or search
    text = f"The time limit of {clock.limit:g} s ran out while {search.stage} (tried: {tried}): "
    if search.witness is None:
        return Verdict(Status.UNKNOWN, None, text + "nothing is proved. Give it more time.", problem)
    proof = Certificate(Claim.NOT_SEPARABLE, Subject.of(problem), obstruction=Obstruction.of(problem, search.witness))
    verifier.check(proof, problem)
    text += (
        "the classes are not separable, which is proved, but whether they are quasi-separable or overlapping is not known."
    )
    return Verdict(Status.UNKNOWN, proof, text, problem)


def _certificate(problem: Problem, findings: Findings) -> Certificate:
    separator = None if findings.weights is None else Separator.of(findings.weights, problem.intercept)
    subject = Subject.of(problem)
    if findings.witness is None or findings.cover is None:
        return Certificate(Claim.SEPARABLE, subject, separator)
    claim = Claim.OVERLAPPING if separator is None else Claim.QUASI_SEPARABLE
    cover = Cover.of(findings.cover.listed, findings.cover.rest)
    return Certificate(claim, subject, separator, Obstruction.of(problem, findings.witness), cover)


def _message(problem: Problem, certificate: Certificate, status: Status) -> str:
    n = f"{problem.n:,} row{'s' if problem.n != 1 else ''}"
    if status == Status.SEPARABLE:
        return f"A hyperplane has all {n} strictly on its correct side."
    assert certificate.obstruction is not None
    count = len(certificate.obstruction.rows)
    proof = f"{count} of the {n} prove it" if count > 1 else f"one of the {n} proves it"
    if status == Status.OVERLAPPING:
        return f"No hyperplane separates the classes, not even weakly: {proof}."
    return f"No hyperplane separates all rows ({proof}), but one separates some of them and has the others on itself."


@checked_arithmetic
def check_separation(
    X: Any, y: Any = None, *, positive: Any = None, fit_intercept: bool = True, time_limit: float | None = None
) -> Verdict:
    """Warn if the classes are separable or quasi-separable, before a logistic regression is fitted to them.

    Its maximum-likelihood estimate does not exist then: some coefficients grow without end, and what a library reports
    is where it stopped. The warning names columns that are to blame. Parameters as in `decide`, whose verdict is returned.

    It is about a regression of two classes. With ``positive``, one of several classes is set against the others: where
    these are separated, a multinomial regression has no estimate either; but it may have none where no class is.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.check_separation([[1], [2], [3], [4]], [0, 1, 0, 1]).status
    <Status.OVERLAPPING: 'overlapping'>
    """
    if positive is None:
        _require_two_classes(X, y)
    clock = Clock(time_limit)
    verdict = decide(X, y, positive=positive, fit_intercept=fit_intercept, time_limit=time_limit)
    if verdict.status in (Status.SEPARABLE, Status.QUASI_SEPARABLE):
        left = _COLUMNS_PATIENCE if time_limit is None else clock.left()
        warnings.warn(_blame(verdict, verdict.columns_within(left)), SeparationWarning, stacklevel=3)
    elif verdict.status == Status.UNKNOWN:
        warnings.warn(f"Separation cannot be ruled out. {verdict.message}", SeparationWarning, stacklevel=3)
    return verdict


def _require_two_classes(X: Any, y: Any) -> None:
    classes = list(X.classes) if isinstance(X, Data) else [] if y is None else distinct(read_labels(y))
    if len(classes) > 2:
        raise ValueError(
            f"y holds {len(classes)} classes, and this check is of a logistic regression of two. Fit one of a single class "
            f"against the others, as in positive={classes[0]!r}, and it is checked. Of a multinomial regression that tells "
            "only half: it has no estimate if any class is separated from the others, but it may have none although no "
            "class is."
        )


def _blame(verdict: Verdict, columns: Sequence[str | int] | None) -> str:
    rows, problem = verdict.separated_rows, verdict.problem
    assert rows is not None
    if len(problem.classes) < 2:
        what = f"All rows are of one class, {problem.classes[0]!r}"
    elif columns is None:
        extent = "completely" if verdict.separable else f"quasi-completely ({len(rows):,} of {problem.n:,} rows)"
        what = f"The columns together separate the classes {extent}; which of them suffice takes longer to find"
    else:
        shown = ", ".join(map(repr, columns[:10])) + (f", … ({len(columns)} in all)" if len(columns) > 10 else "")
        extent = "completely" if verdict.separable else f"quasi-completely ({len(rows):,} of {problem.n:,} rows)"
        subject = f"The columns {shown} separate" if len(columns) > 1 else f"The column {shown} separates"
        what = f"{subject} the classes {extent}"
    return (
        f"{what}: a logistic regression has no maximum-likelihood estimate here, its coefficients grow without end. "
        "Penalise it, or reconsider what it is fitted to. The verdict that is returned explains itself."
    )


@one_thread
def _fewest_columns(problem: Problem, support: list[int], strict: NDArray[np.bool_], clock: Clock) -> list[int]:
    """Find a set of columns that keeps the separation and loses it without any one of its members."""
    found = support
    guess = sparse_direction(problem, strict, clock)
    if guess is not None and len(guess) < len(support) and _persists(problem, guess, strict, clock):
        found = guess
    for j in list(found):
        without = [k for k in found if k != j]
        if _persists(problem, without, strict, clock):
            found = without
    return found


def _persists(problem: Problem, columns: list[int], strict: NDArray[np.bool_], clock: Clock) -> bool:
    """Whether these columns alone separate the same rows, exactly."""
    if not columns:
        return problem.intercept and bool(np.all(problem.y == problem.y[0]))
    part = problem.with_columns(columns)
    weights = Search(part, clock).run().weights
    return weights is not None and bool(np.array_equal(Lifted.of(part).signs(weights) > 0, strict))


__all__ = ["NotSeparable", "Status", "Verdict", "check_separation", "decide"]
