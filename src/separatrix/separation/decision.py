"""Is there a hyperplane that separates the classes? The question, asked of any data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..exact.dyadic import Dyadic
from ..exceptions import SeparationWarning
from ..feature_space.parameters import kernel_of
from ..problem.batches import AnyProblem, Batches
from ..problem.labels import distinct, read_labels
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.ties import TIES
from ..problem.wording import winner_name
from ..proof import claim_checks
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Obstruction, Separator
from ..support.blas import one_thread
from ..support.calls import Verbose, long_call
from ..support.clock import STOPS, Clock, read_time_limit
from ..support.counts import counted, few_of
from ..support.interruption import is_kept, stoppable
from ..tables.data import Data
from ..tables.reading import problem_of
from .search import Findings, Search
from .separating_columns import SECONDS_FOR_COLUMNS
from .verdict import Status, Verdict


@long_call
def decide(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    tie: str = "update",
    kernel: str | None = None,
    degree: int = 3,
    gamma: str | float = "scale",
    coef0: float = 0.0,
    time_limit: float | None = None,
    verbose: Verbose = False,
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
    tie : {"update", "positive", "negative"}
        What a score of exactly 0 predicts, as for `Perceptron`: nothing, so that rows must be strictly on their correct
        side; the positive class, of which rows may then be on the hyperplane; or the negative class. It makes a difference
        without an intercept only: with one, a hyperplane that has rows of one class on itself can be moved.
    kernel : {"linear", "poly", "rbf", "precomputed"}, optional
        Decide about the images of the rows in the feature space of this kernel; X is the matrix of products of all rows
        with each other if it is precomputed, which must be positive semidefinite.
    degree, gamma, coef0
        Its parameters, as in `KernelPerceptron`.
    time_limit : float, optional
        Seconds after which to give up, with the status ``"unknown"``.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

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

    Without an intercept the weights of OR have the row of zeros on the hyperplane, where it is right if that says "no":

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> sx.decide(X, y, fit_intercept=False).separable, sx.decide(X, y, fit_intercept=False, tie="negative").separable
    (False, True)

    No line separates the classes of XOR, but a hyperplane does in the feature space of a polynomial kernel:

    >>> sx.decide(X, [0, 1, 1, 0], kernel="poly", degree=2).separable
    True
    """
    time_limit = read_time_limit(time_limit)
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(TIES)}, got {tie!r}.")
    if isinstance(X, Batches):
        X.refuse_besides(y, kernel)
        return X.decide(positive=positive, fit_intercept=fit_intercept, tie=tie, time_limit=time_limit)
    problem, clock = _problem(X, y, positive, fit_intercept, tie), Clock(time_limit)
    if kernel is None:
        return decide_problem(problem, clock, tie)
    from .kernel_decision import decide_in_feature_space

    return decide_in_feature_space(problem, kernel_of(problem, kernel, degree, gamma, coef0), clock, tie)


def decide_data(
    data: Data,
    positive: Any,
    intercept: bool,
    tie: str,
    clock: Clock,
    kernel: Mapping[str, Any] | None = None,
) -> Verdict:
    """Decide about data that is read already; in the feature space of a kernel, if its parameters are given."""
    problem = _problem(data, None, positive, intercept, tie)
    if kernel is None:
        return decide_problem(problem, clock, tie)
    from .kernel_decision import decide_in_feature_space

    return decide_in_feature_space(problem, kernel_of(problem, **kernel), clock, tie)


def _problem(X: Any, y: Any, positive: Any, intercept: bool, tie: str) -> Problem:
    """Return the problem. Under a tie rule, without an intercept, it matters on which side a single class is."""
    if tie == "update" or intercept:
        return problem_of(X, y, positive=positive, intercept=intercept)
    classes = list(X.classes) if isinstance(X, Data) else [] if y is None else distinct(read_labels(y))
    if len(classes) != 1:
        return problem_of(X, y, positive=positive, intercept=False)
    problem, only = problem_of(X, y, intercept=False), classes[0]
    positive = positive_beside(only, positive)
    if only == positive:
        return problem
    return replace(problem, y=-problem.y, classes=(only, positive))


def positive_beside(only: Any, positive: Any) -> Any:
    """Return the positive class where all rows are of one, which it need not be, under a rule that tells the two apart."""
    if positive is None and only not in (-1, 0, 1):
        raise ValueError(
            f"All rows are of one class, {only!r}. Whether a score of 0 predicts it depends on which class is the "
            f"positive one: give positive={only!r}, or the name of the other class."
        )
    return 1 if positive is None else positive


@one_thread
@stoppable
def decide_problem(problem: Problem, clock: Clock, tie: str = "update") -> Verdict:
    """Decide a problem that is validated already."""
    search = Search(problem, clock)
    rule = "update" if problem.intercept else tie  # with an intercept it makes no difference
    try:
        findings = search.run()
        certificate = _certificate(problem, findings, Subject.of(problem, rule))
        strict = Status(certificate.claim)
        if rule != "update" and strict != Status.SEPARABLE:
            certificate = _under_rule(problem, findings, certificate, search)
    except STOPS as reason:
        return _unknown(problem, is_kept(reason), clock, search, tie)
    claim_checks.check(certificate, problem)
    status, on = Status(certificate.claim), 0
    if status == Status.SEPARABLE and rule != "update" and certificate.separator is not None:
        on = int(np.count_nonzero(Lifted.of(problem).signs(certificate.separator.exact(problem.intercept)) == 0))
    return Verdict(status, certificate, message_of(problem, certificate, status, on), problem, tie, strict)


def _under_rule(problem: Problem, findings: Findings, strict: Certificate, search: Search) -> Certificate:
    """Decide under a tie rule what is not strictly separable.

    The rows that no weak separator has strictly on its correct side are known: if none of them is of the loser, the class
    that a score of 0 does not predict, the separator of the others does. Else they hold an obstruction with such a row.
    """
    subject, loser = strict.problem, -TIES[strict.problem.tie]
    weights = Dyadic([0] * problem.width, 0) if findings.weights is None else findings.weights
    tied = Lifted.of(problem).signs(weights) == 0
    if not np.any(tied & (problem.y == loser)):
        return Certificate(Claim.SEPARABLE, subject, Separator.of(weights, problem.intercept))
    assert findings.witness is not None
    if any(problem.y[i] == loser for i in findings.witness):
        return strict
    return replace(strict, obstruction=Obstruction.of(problem, search.obstruction_of(loser, tied)))


def _unknown(problem: Problem, interrupted: bool, clock: Clock, search: Search, tie: str) -> Verdict:
    tried = ", ".join(search.tried.values()) or "nothing yet"
    search = search.narrow or search
    subject = Subject.of(problem, "update" if problem.intercept else tie)
    witness = search.witness
    proof = None if witness is None else half_proved(subject, Obstruction.of(problem, witness))
    if proof is not None:
        claim_checks.check(proof, problem)
    text = when_stopped(interrupted, clock, f"{search.stage} (tried: {tried})", proof)
    return Verdict(Status.UNKNOWN, proof, text, problem, tie, Status.UNKNOWN)


def half_proved(subject: Subject, obstruction: Obstruction) -> Certificate | None:
    """Return the proof that classes are not separable; None if it is none under a tie rule."""
    loser = -TIES[subject.tie]
    if loser and loser not in obstruction.labels:
        return None
    return Certificate(Claim.NOT_SEPARABLE, subject, obstruction=obstruction)


def when_stopped(interrupted: bool, clock: Clock, stage: str, proof: Certificate | None) -> str:
    """Say what is proved by the time that a search is stopped."""
    why = "Ctrl-C came" if interrupted else f"The time limit of {clock.limit:g} s ran out"
    known = (
        "nothing is proved. Give it more time."
        if proof is None
        else (
            "the classes are not separable, which is proved, but whether they are quasi-separable or overlapping is not "
            "known."
        )
    )
    return f"{why} while {stage}: {known}"


def _certificate(problem: Problem, findings: Findings, subject: Subject) -> Certificate:
    separator = None if findings.weights is None else Separator.of(findings.weights, problem.intercept)
    if findings.witness is None or findings.cover is None:
        return Certificate(Claim.SEPARABLE, subject, separator)
    claim = Claim.OVERLAPPING if separator is None else Claim.QUASI_SEPARABLE
    return Certificate(claim, subject, separator, Obstruction.of(problem, findings.witness), findings.cover)


def message_of(problem: AnyProblem, certificate: Certificate, status: Status, on: int) -> str:
    """Say what a certificate proves; under a tie rule some rows may be on the separator itself, so many."""
    n, tie = counted(problem.n, "row"), certificate.problem.tie
    if status == Status.SEPARABLE:
        if not on:
            return f"A hyperplane has all {n} strictly on its correct side."
        winner = winner_name(problem, tie)
        return f"A hyperplane has all {n} right, {on:,} of them on itself, where a score of 0 counts for {winner}."
    assert certificate.obstruction is not None
    count = len(certificate.obstruction.rows)
    proof = f"{count} of the {n} prove it" if count > 1 else f"one of the {n} proves it"
    if tie != "update":
        right = f"has every row right, even if a score of 0 counts for {winner_name(problem, tie)}"
        return f"No hyperplane through the origin {right}: {proof}."
    if status == Status.OVERLAPPING:
        return f"No hyperplane separates the classes, not even weakly: {proof}."
    return f"No hyperplane separates all rows ({proof}), but one separates some of them and has the others on itself."


@long_call
def check_separation(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    verbose: Verbose = False,
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
    if isinstance(X, Batches):
        classes = list(X.facts.classes)
    else:
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
        shown = few_of(list(map(repr, columns)), 10, in_all=True)
        shown += "" if isinstance(columns[0], str) else ", counted from 0,"
        extent = "completely" if verdict.separable else f"quasi-completely ({len(rows):,} of {problem.n:,} rows)"
        subject = f"The columns {shown} separate" if len(columns) > 1 else f"The column {shown} separates"
        what = f"{subject} the classes {extent}"
    which = "its coefficients" if verdict.separable else "some of its coefficients"
    return (
        f"{what}: a logistic regression has no maximum-likelihood estimate here, as {which} grow without end. "
        "Penalise it, or reconsider what it is fitted to. The verdict that is returned explains itself."
    )
