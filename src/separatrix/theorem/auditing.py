"""The perceptron convergence theorem, audited on an actual run.

The theorem bounds the mistakes of a run from two sides: each mistake turns the weights towards a separating direction,
and lets them grow only slowly. The trace of a run determines all that the proof speaks of; here it is computed, mistake by
mistake, and held against its line. Squares of everything are rational numbers, so that the statements are decided exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..estimators.kernel_perceptron import KernelPerceptron
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron, begin, problem_for
from ..estimators.scaler import parts_of
from ..estimators.shared.inputs import initial_guess
from ..exact.rationals import read_rational
from ..perceptron.trace import UpdateRule
from ..problem.batches import Batches
from ..problem.digest import digest
from ..problem.lifted import Lifted
from ..support.calls import Verbose, whole_call
from ..support.clock import present
from ..tables.data import rows_and_labels
from .kernel_audit import audit_kernel
from .kernel_ledger import KernelLedger
from .ledger import Ledger
from .mistake_bound import margin_or_obstruction
from .replay import RunInMemory, check_end, refusal, trace_of
from .stars import read_star
from .statements import Auditor


@whole_call
def audit(
    perceptron: Perceptron | KernelPerceptron,
    X: Any,
    y: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
    star: ArrayLike | None = None,
    verbose: Verbose = False,
) -> Ledger | KernelLedger:
    """Audit the convergence theorem on a run of the perceptron.

    Parameters
    ----------
    perceptron : Perceptron or KernelPerceptron
        The fitted perceptron; of one with a kernel the theorem is audited in feature space. Without a recorded trace the
        run is repeated, which a random order needs a whole number as ``random_state`` for. Or a pipeline of a `Scaler` and
        such a one: then all is about scaled rows.
    X, y, sample_weight, coef_init, intercept_init
        What it was fitted with; after several calls of `partial_fit` all rows in their order. In place of X and y it may
        be `Data`, or a `Stream`.
    star : array of shape (d + 1,), or (d,) without an intercept, optional
        A w* of your own, beside the best one: one number for each feature, the intercept last. The proof works with any
        vector that has every row strictly right, of any length. Texts are decimals, fractions are exact.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    Ledger or KernelLedger
        ``holds``, ``bound``, the quantities of the proof after each mistake, ``star`` if one was given; ``explain()`` reads
        like a lecture.

    Raises
    ------
    ValueError
        If the perceptron was fitted on other rows, the run cannot be repeated, or ``star`` has a row wrong.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> ledger = audit(sx.Perceptron().fit(X, y), X, y)
    >>> ledger
    <Ledger: 18 mistakes, at most 51 allowed; holds>
    >>> ledger.squared_length[:4], ledger.squared_length_line[:4]
    (array([1., 2., 3., 5.]), array([ 3.,  6.,  9., 12.]))
    >>> own = audit(sx.Perceptron().fit(X, y), X, y, star=[1, 1, "-1.5"]).star  # the line x1 + x2 = 1.5
    >>> own.margin_squared, own.bound
    (Fraction(1, 17), 51.0)
    >>> X, y = sx.examples.load("xor")
    >>> audit(sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y), X, y)
    <KernelLedger: 21 mistakes, at most 85 allowed; holds>
    """
    if isinstance(X, Batches):
        X.refuse_besides(y)
        if sample_weight is not None:
            raise ValueError("A stream takes no sample_weight.")
        found: Ledger = X.audit(perceptron, coef_init=coef_init, intercept_init=intercept_init, star=star)
        return found
    scaler, perceptron = parts_of(perceptron)
    X, y = rows_and_labels(X, y)
    X = X if scaler is None else scaler.transform(X)
    if isinstance(perceptron, KernelPerceptron):
        check_is_fitted(perceptron)
        if coef_init is not None or intercept_init is not None:
            raise ValueError("A kernel perceptron starts from zero: it has no coef_init and no intercept_init.")
        if star is not None:
            raise ValueError("A w* of one's own (star) is a vector of weights; the feature space of a kernel has none.")
        return audit_kernel(perceptron, X, y, sample_weight)
    require_perceptron(perceptron)
    twin = clone(perceptron).set_params(record=True, average=False)
    problem = problem_for(twin, X, y, sample_weight, perceptron.classes_)
    require_rows(perceptron, problem.d, problem.given, lambda: digest(problem))
    start = initial_guess(problem, coef_init, intercept_init)
    run, unit = begin(twin, problem, *((None,) if start is None else (start.numerators, Fraction(1, start.divisor))))
    counted_in, rate = Fraction(1, problem.rows.denominator), Fraction(1)  # from zero, the learning rate cancels
    if run.start:
        counted_in, rate = unit, read_rational(perceptron.eta0, "eta0")
    steps = UpdateRule(run.start, run.row_steps, run.factor, run.tie, counted_in, rate)
    trace, violations = trace_of(perceptron, RunInMemory(perceptron, twin, run, steps, unit))
    lifted = Lifted.of(problem)
    check_end(perceptron, lifted, steps.tie)
    given = None if star is None else read_star(star, problem, steps.tie)
    margin, obstruction = margin_or_obstruction(problem, steps.tie, clock=present())
    auditor = Auditor(
        perceptron=perceptron, lifted=lifted, trace=trace, steps=steps, margin=margin, obstruction=obstruction, star=given
    )
    return auditor.ledger(violations)


def require_perceptron(perceptron: Any) -> None:
    """Refuse what is no fitted perceptron of two classes."""
    if not isinstance(perceptron, Perceptron):
        raise TypeError(
            f"The theorem is about the perceptron; got {type(perceptron).__name__}, expected sx.Perceptron or "
            "sx.KernelPerceptron."
        )
    check_is_fitted(perceptron)
    if len(perceptron.classes_) > 2:
        raise ValueError(
            f"The theorem is about two classes; the perceptron has learnt {len(perceptron.classes_)}. Set one class against "
            f"the rest, as in y == {perceptron.classes_[0]!r}, and audit that."
        )


def require_rows(perceptron: Perceptron, d: int, given: int, digest: Callable[[], str]) -> None:
    """Refuse rows that a perceptron was not fitted on."""
    learnt = learnt_by(perceptron)
    if d != perceptron.coef_.shape[1]:
        raise ValueError(f"X has {d} columns, but the perceptron was fitted on {perceptron.coef_.shape[1]}.")
    if given != learnt.rows:
        raise ValueError(refusal(f"It was fitted on {learnt.rows:,} rows; there are {given:,}."))
    if learnt.digest is not None and learnt.digest != digest():
        raise ValueError(refusal("Their digest is not that of the rows it was fitted on."))
