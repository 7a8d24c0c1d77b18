"""The perceptron convergence theorem, audited on an actual run.

The theorem bounds the mistakes of a run from two sides: each mistake turns the weights towards a separating direction,
and lets them grow only slowly. The trace of a run determines all that the proof speaks of; here it is computed, mistake by
mistake, and held against its line. Squares of everything are rational numbers, so that the statements are decided exactly.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..compiled.environment import checked_arithmetic
from ..estimators._inputs import initial_guess
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron, begin, problem_for
from ..exact.rationals import read_rational
from ..perceptron.trace import UpdateRule, follow
from ..problem.digest import digest
from ..problem.lifted import Lifted
from ..separation.maximum_margin import margin_of_problem
from ..separation.verdict import NotSeparable
from .ledger import Ledger
from .replay import check_end, refusal, trace_of
from .statements import Auditor

_MAX_NUMBERS_FOR_EXACT_MARGIN = 64
"""Numbers up to which the margin of a problem is found exactly, for a lecture with short fractions."""


@checked_arithmetic
def audit(
    perceptron: Perceptron,
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    coef_init: ArrayLike | None = None,
    intercept_init: ArrayLike | None = None,
) -> Ledger:
    """Audit the convergence theorem on a run of the perceptron.

    Parameters
    ----------
    perceptron : Perceptron
        The fitted perceptron. Without a recorded trace the run is repeated, which a random order needs a whole number as
        ``random_state`` for.
    X, y, sample_weight, coef_init, intercept_init
        What it was fitted with; after several calls of `partial_fit` all rows in their order.

    Returns
    -------
    Ledger
        ``holds``, ``bound``, the quantities of the proof after each mistake; ``explain()`` reads like a lecture.

    Raises
    ------
    ValueError
        If the perceptron was fitted on other rows, or the run cannot be repeated.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> ledger = audit(sx.Perceptron().fit(X, y), X, y)
    >>> ledger
    <Ledger: 18 mistakes, at most 51 allowed; holds>
    >>> ledger.squared_length[:4], ledger.squared_length_line[:4]
    (array([1., 2., 3., 5.]), array([ 3.,  6.,  9., 12.]))
    """
    if not isinstance(perceptron, Perceptron):
        raise TypeError(f"The theorem is about the perceptron; got {type(perceptron).__name__}, expected sx.Perceptron.")
    check_is_fitted(perceptron)
    if len(perceptron.classes_) > 2:
        raise ValueError(
            f"The theorem is about two classes; the perceptron has learnt {len(perceptron.classes_)}. Set one class against "
            f"the rest, as in y == {perceptron.classes_[0]!r}, and audit that."
        )
    twin = clone(perceptron).set_params(record=True, average=False)
    learnt = learnt_by(perceptron)
    problem = problem_for(twin, X, y, sample_weight, perceptron.classes_)
    if problem.d != perceptron.coef_.shape[1]:
        raise ValueError(f"X has {problem.d} columns, but the perceptron was fitted on {perceptron.coef_.shape[1]}.")
    if problem.given != learnt.rows:
        raise ValueError(refusal(f"It was fitted on {learnt.rows:,} rows; there are {problem.given:,}."))
    if learnt.digest is not None and learnt.digest != digest(problem):
        raise ValueError(refusal("Their digest is not that of the rows it was fitted on."))
    start = initial_guess(problem, coef_init, intercept_init)
    run, unit = begin(twin, problem, *((None,) if start is None else (start.numerators, Fraction(1, start.divisor))))
    counted_in, rate = Fraction(1, problem.rows.denominator), Fraction(1)  # from zero, the learning rate cancels
    if run.start:
        counted_in, rate = unit, read_rational(perceptron.eta0, "eta0")
    steps = UpdateRule(run.start, run.row_steps, run.factor, run.tie, counted_in, rate)
    trace, violations = trace_of(perceptron, twin, run, steps, unit)
    lifted = Lifted.of(problem)
    check_end(perceptron, lifted, steps.tie)
    margin, obstruction = None, None
    try:
        few = problem.n * len(steps.start) <= _MAX_NUMBERS_FOR_EXACT_MARGIN
        margin = margin_of_problem(problem.fallible(steps.tie), "lifted", exact=few)
    except NotSeparable as error:
        obstruction = error.certificate
    course = follow(lifted, trace, steps, None if margin is None else margin.weights)
    auditor = Auditor(
        perceptron=perceptron, lifted=lifted, trace=trace, steps=steps, course=course, margin=margin, obstruction=obstruction
    )
    return auditor.ledger(violations)
