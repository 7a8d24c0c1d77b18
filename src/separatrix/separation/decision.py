"""Is there a hyperplane that separates the classes? The question, asked of any data."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..compiled.environment import checked_arithmetic
from ..exceptions import SeparationWarning
from ..problem.labels import distinct, read_labels
from ..problem.problem import Problem
from ..proof import claim_checks
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Obstruction, Separator
from ..support.blas import one_thread
from ..support.clock import Clock, OutOfTime, read_time_limit
from ..support.counts import counted
from ..tables.data import Data
from ..tables.reading import problem_of
from .search import Findings, Search
from .separating_columns import SECONDS_FOR_COLUMNS
from .verdict import Status, Verdict


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
    time_limit = read_time_limit(time_limit)
    problem = problem_of(X, y, positive=positive, intercept=fit_intercept)
    return decide_problem(problem, Clock(time_limit))


@one_thread
def decide_problem(problem: Problem, clock: Clock) -> Verdict:
    """Decide a problem that is validated already."""
    search = Search(problem, clock)
    try:
        findings = search.run()
    except OutOfTime:
        return _unknown(problem, clock, search)
    certificate = _certificate(problem, findings)
    claim_checks.check(certificate, problem)
    status = Status(certificate.claim)
    return Verdict(status, certificate, _message(problem, certificate, status), problem)


def _unknown(problem: Problem, clock: Clock, search: Search) -> Verdict:
    tried = ", ".join(search.tried.values()) or "nothing yet"
    search = search.narrow or search
    text = f"The time limit of {clock.limit:g} s ran out while {search.stage} (tried: {tried}): "
    if search.witness is None:
        return Verdict(Status.UNKNOWN, None, text + "nothing is proved. Give it more time.", problem)
    proof = Certificate(Claim.NOT_SEPARABLE, Subject.of(problem), obstruction=Obstruction.of(problem, search.witness))
    claim_checks.check(proof, problem)
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
    return Certificate(claim, subject, separator, Obstruction.of(problem, findings.witness), findings.cover)


def _message(problem: Problem, certificate: Certificate, status: Status) -> str:
    n = counted(problem.n, "row")
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
        left = SECONDS_FOR_COLUMNS if time_limit is None else clock.left()
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
