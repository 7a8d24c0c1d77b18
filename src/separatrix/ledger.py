"""The perceptron convergence theorem, audited on an actual run.

The theorem bounds the mistakes of a run from two sides: each mistake turns the weights towards a separating direction,
and lets them grow only slowly. The trace of a run determines all that the proof speaks of; here it is computed, mistake by
mistake, and held against its line. Squares of everything are rational numbers, so that the statements are decided exactly.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .certificate import Certificate, digest
from .decision import NotSeparable
from .estimators import Perceptron
from .estimators.inputs import initial_guess, visiting_order
from .exact import Dyadic, Floats
from .generalization import Generalization, generalize
from .kernels.environment import checked_arithmetic
from .lecture import lecture
from .lifted import Lifted
from .margins import Margin, find_margin
from .online import OnlineBound, online_bound, online_pass
from .problem import Problem
from .rounding import nearest, outward, rational_root, root
from .run import Run
from .walk import Course, Indices, Prefix, Steps, follow, radius_squared

_NEAR = 2.0**-48
"""Relative slack for the few roundings of a line: only what exceeds it contradicts a statement."""


_SMALL = 64
"""Numbers up to which the margin of a problem is found exactly, for a lecture with short fractions."""


@dataclass(frozen=True, repr=False, eq=False)
class Ledger:
    """The convergence theorem, audited on a run; `audit` makes it.

    Lengths are counted in units of the learning rate: ``w_k`` is the sum of the rows erred on up to mistake k. ``w*`` is the
    unit vector that attains ``margin.lo``. The arrays have an entry for each k in ``k``: every mistake of a short run, a
    thinned choice of a long one. Where ``exact`` they are correctly rounded and the statements are decided in rational
    numbers, elsewhere they are known up to their errors. Numbers beyond float64 are infinite.

    Attributes
    ----------
    holds : bool
        Whether every step is a mistake, every statement is proved where exact, and none is contradicted elsewhere.
    violations : tuple of str
        What does not hold.
    mistakes, passes, converged
        What the run did.
    radius, radius_squared : float, Fraction
        R, the largest length of a signed, lifted row, and its exact square.
    margin : Margin or None
        The margin gamma between proved bounds; None if the classes are not separable.
    bound : tuple of float or None
        Bounds, rounded outwards, of the most mistakes that the theorem allows.
    obstruction : Certificate or None
        What proves that the classes are not separable.
    online : OnlineBound or None
        What is known of one pass where they are not.
    k, exact : array
        The mistakes looked at, and whether exactly.
    alignment, alignment_line : array
        ``w*.w_k``, and ``k gamma``, which it is not below.
    squared_length, squared_length_line : array
        ``||w_k||^2``, and ``k R^2``, which it is not above.
    cosine, cosine_line : array
        ``cos(w*, w_k)``, and ``sqrt(k) gamma / R``, which it is not below.
    margin_ceiling : array
        ``||w_k|| / k``, which the margin is not above.
    alignment_error, squared_length_error : array
        Bounds of the errors of rounding.
    updates : array
        Mistakes on each row.
    """

    problem: Problem
    perceptron: Perceptron
    steps: Steps
    start_squared: Fraction
    mistakes: int
    passes: int
    converged: bool
    radius_squared: Fraction
    margin: Margin | None
    bound: tuple[float, float] | None
    obstruction: Certificate | None
    online: OnlineBound | None
    violations: tuple[str, ...]
    k: Indices
    exact: NDArray[np.bool_]
    alignment: Floats
    alignment_line: Floats
    alignment_error: Floats
    squared_length: Floats
    squared_length_line: Floats
    squared_length_error: Floats
    cosine: Floats
    cosine_line: Floats
    margin_ceiling: Floats
    updates: Indices

    @property
    def holds(self) -> bool:
        """Whether the theorem holds on this run."""
        return not self.violations

    @property
    def radius(self) -> float:
        """R, rounded upwards."""
        return root(self.radius_squared, up=True)

    @property
    def applies(self) -> bool:
        """Whether the theorem applies as it is usually stated; if not, an adjusted one is audited."""
        return self.margin is not None and not self.start_squared and self.steps.plain

    @checked_arithmetic
    def generalization(self, delta: float = 0.05, *, folds: int = 5, X: Any = None, y: Any = None) -> Generalization:
        """Say what the run promises for rows not seen: bounds of the error, beside an estimate.

        Parameters
        ----------
        delta : float
            The chance that a bound may fail with.
        folds : int
            Parts for the cross-validated estimate; 0 for none.
        X, y
            Rows held out, to estimate on instead.

        Returns
        -------
        Generalization
            ``bounds``, each with formula, assumptions and value; ``estimate``; ``explain()``.
        """
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        if self.perceptron.average:
            raise ValueError("The bounds speak of the last weights, and average=True predicts with their mean. Audit a "
                             "perceptron fitted with average=False.")  # fmt: skip
        return generalize(
            self.problem, self.perceptron, self.updates, self.steps.plain and not self.start_squared, delta, folds,
            None if X is None else (X, y),
        )  # fmt: skip

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write the audit like a lecture: the quantities, the two inequalities, the squeeze, the conclusion.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}
            How to write it.
        """
        return lecture(self, format)

    def __repr__(self) -> str:
        bound = "not separable" if self.bound is None else f"at most {self.bound[1]:,.6g} allowed"
        return f"<Ledger: {self.mistakes:,} mistakes, {bound}; {'holds' if self.holds else 'does not hold'}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")


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
    >>> from separatrix.ledger import audit
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
    problem = twin._problem(X, y, sample_weight, classes=perceptron.classes_)
    if problem.d != perceptron.coef_.shape[1]:
        raise ValueError(f"X has {problem.d} columns, but the perceptron was fitted on {perceptron.coef_.shape[1]}.")
    if problem.given != perceptron._seen:
        raise ValueError(_refusal(f"It was fitted on {perceptron._seen:,} rows; there are {problem.given:,}."))
    known = getattr(perceptron, "_digest", None)
    if known is not None and known != digest(problem):
        raise ValueError(_refusal("Their digest is not that of the rows it was fitted on."))
    start = initial_guess(problem, coef_init, intercept_init)
    run, unit = twin._begin(problem, start, 1.0)
    if run.start and unit != 1.0:  # the run counts in units of the learning rate; its statements are about the weights
        steps, unit = Steps(run.start.times(unit), run.row_steps, run.factor * unit, run.tie), 1.0
    else:
        steps = Steps(run.start, run.row_steps, run.factor, run.tie)
    trace, violations = _trace(perceptron, twin, run, steps, unit)
    lifted = Lifted.of(problem)
    _check_end(perceptron, lifted, steps.tie)
    margin, obstruction = None, None
    try:
        margin = find_margin(problem, "lifted", exact=problem.n * len(steps.start) <= _SMALL)
    except NotSeparable as refusal:
        obstruction = refusal.certificate
    course = follow(lifted, trace, steps, None if margin is None else margin.weights)
    return _Auditor(perceptron, lifted, trace, steps, course, margin, obstruction).ledger(violations)


# Where the trace comes from.


def _trace(perceptron: Perceptron, twin: Perceptron, run: Run, steps: Steps, unit: float) -> tuple[Indices, list[str]]:
    """Return the trace of a run on these rows, and what is wrong with the one that was recorded."""
    problem, exact = run.problem, perceptron.last_weights()
    recorded = getattr(perceptron, "mistakes_", None)
    if recorded is None:
        trace, excuse = _replayed(perceptron, twin, run, unit, exact)
        if trace is None:
            raise ValueError(_refusal(excuse))
        return trace, []
    places = _places(problem, np.asarray(recorded))
    complaint = f"The recorded trace has {np.size(recorded):,} mistakes, but the run made {perceptron.n_mistakes_:,}."
    if places is None:
        complaint = "The recorded trace names rows that there are not."
    elif places.size == perceptron.n_mistakes_:
        if Prefix(problem, places, steps).at(places.size).times(unit) == exact:
            return places, []
        complaint = "The rows of the recorded trace do not add up to the weights of the run."
    trace, excuse = _replayed(perceptron, twin, run, unit, exact)
    if trace is None:
        raise ValueError(_refusal(f"{complaint} {excuse}"))
    return trace if places is None else places, [complaint]


def _check_end(perceptron: Perceptron, lifted: Lifted, tie: int) -> None:
    """Refuse rows that a run which came to an end has wrong: it was not theirs."""
    if perceptron.converged_:
        signs = lifted.signs(perceptron._weights)
        labels = lifted.problem.y
        wrong = np.flatnonzero((signs < 0) | ((signs == 0) & (labels != tie)))
        if wrong.size:
            kept = lifted.problem.kept
            i = int(wrong[0]) if kept is None else int(kept[wrong[0]])
            raise ValueError(_refusal(f"It came to an end, but has row {i} wrong: they are not the rows it was fitted on."))


def _refusal(excuse: str) -> str:
    return (
        f"The perceptron's run cannot be audited on these rows. {excuse} Give the rows, sample_weight, coef_init and "
        "intercept_init that it was fitted with, and leave its parameters as they were."
    )


def _places(problem: Problem, recorded: NDArray[Any]) -> Indices | None:
    """Return the rows of a trace as the problem counts them; None if there are no such rows."""
    if recorded.ndim != 1 or recorded.dtype.kind not in "iu":
        return None
    if recorded.size and not (int(recorded.min()) >= 0 and int(recorded.max()) < problem.given):
        return None
    trace = np.ascontiguousarray(recorded, np.int64)
    if problem.kept is None:
        return trace
    places = np.full(problem.given, -1)
    places[problem.kept] = np.arange(problem.kept.size)
    trace = places[trace]
    return None if np.any(trace < 0) else trace


def _replayed(perceptron: Perceptron, twin: Perceptron, run: Run, unit: float, exact: Dyadic) -> tuple[Indices | None, str]:
    """Repeat the run; return its trace if it comes to the same weights, else None and what to say."""
    random = isinstance(twin.order, str) and twin.order != "cyclic"
    excuse = "Repeated on them, it comes to other weights: they are not the rows it was fitted on."

    def agrees(run: Run) -> bool:
        return run.mistakes == perceptron.n_mistakes_ and run.weights().times(unit) == exact

    if random and not isinstance(twin.random_state, numbers.Integral):
        excuse = (
            f"Its order, {twin.order!r}, was drawn with random_state={twin.random_state!r} and cannot be repeated: fit with "
            "record=True, or with a whole number as random_state."
        )
    else:
        again = Run(run.problem, tie=twin.tie, start=run.start, steps=run.row_steps, factor=run.factor, record=True)
        again.learn(visiting_order(twin.order, run.problem), perceptron.n_iter_, check_random_state(twin.random_state))
        if agrees(again):
            return again.trace, ""
    if not perceptron.converged_:  # it may have learnt online, each row once
        run.advance(None, 1)
        if agrees(run):
            return run.trace, ""
    return None, excuse


def _first_order(perceptron: Perceptron, problem: Problem) -> Indices | None:
    """Return the order of the first pass; None: as the rows stand."""
    if not isinstance(perceptron.order, str):
        return np.ascontiguousarray(visiting_order(perceptron.order, problem), np.int64)
    if perceptron.order == "shuffle" and isinstance(perceptron.random_state, numbers.Integral):
        return np.asarray(check_random_state(perceptron.random_state).permutation(problem.n), np.int64)
    return None


# The statements.


def _dot(a: Dyadic, b: Dyadic) -> Fraction:
    return sum(map(int.__mul__, a.integers, b.integers)) * Fraction(2) ** (a.exponent + b.exponent)


def _rooted(number: Fraction, square: Fraction) -> float:
    """Return ``number / sqrt(square)``, nearly rounded."""
    size = root(number * number / square, up=False)
    return size if number > 0 else -size


@dataclass
class _Auditor:
    perceptron: Perceptron
    lifted: Lifted
    trace: Indices
    steps: Steps
    course: Course
    margin: Margin | None
    obstruction: Certificate | None

    def __post_init__(self) -> None:
        self.R2 = radius_squared(self.lifted)
        self.a2 = _dot(self.steps.start, self.steps.start)  # ||w_0||^2
        self.star = None if self.margin is None else self.margin.weights
        self.N2 = Fraction(1) if self.star is None else _dot(self.star, self.star)
        self.P0 = Fraction(0) if self.star is None else _dot(self.star, self.steps.start)
        self.g2 = Fraction(0) if self.margin is None else self.margin.lo_squared

    def ledger(self, violations: list[str]) -> Ledger:
        course, violations = self.course, list(violations)
        if course.wrong:
            i = int(self.trace[course.first_wrong - 1])
            violations.append(
                f"Mistake {course.first_wrong:,} of the trace, on row {self._given(i)}, is none: the weights before it have "
                f"the row right. So it is with {course.wrong:,} of {self.trace.size:,} steps."
            )
        marks = course.marks.tolist()
        once, squared = self._sums()
        L2, P = self._exact_values()
        sums = [self.steps.sums(self.trace[:k]) for k, exact in zip(marks, course.exact, strict=True) if exact]
        violations += self._decided(course.marks[course.exact].tolist(), sums, L2, P)
        violations += self._contradicted(once, squared)
        with np.errstate(all="ignore"):
            arrays = self._arrays(sums, L2, P, once, squared)
        online = None
        if self.margin is None:
            problem, tie = self.lifted.problem, self.perceptron.tie
            observed, directions = online_pass(problem, tie, _first_order(self.perceptron, problem))
            online = online_bound(problem, observed, directions)
            if not online.holds:
                violations.append(f"One pass made {observed:,} mistakes, more than the {online.bound:,.6g} allowed.")
        return Ledger(
            problem=self.lifted.problem,
            perceptron=self.perceptron,
            steps=self.steps,
            start_squared=self.a2,
            mistakes=self.trace.size,
            passes=int(self.perceptron.n_iter_),
            converged=bool(self.perceptron.converged_),
            radius_squared=self.R2,
            margin=self.margin,
            bound=self._bound(),
            obstruction=self.obstruction,
            online=online,
            violations=tuple(violations),
            k=course.marks,
            exact=course.exact,
            updates=np.bincount(self.trace, minlength=self.lifted.problem.n),
            **arrays,
        )

    def _given(self, i: int) -> int:
        kept = self.lifted.problem.kept
        return i if kept is None else int(kept[i])

    def _step_range(self) -> tuple[Fraction, Fraction]:
        if self.steps.plain:
            return Fraction(1), Fraction(1)
        weights = self.steps.weights
        least, most = (1.0, 1.0) if weights is None else (float(weights.min()), float(weights.max()))
        return Fraction(least) * Fraction(self.steps.factor), Fraction(most) * Fraction(self.steps.factor)

    def _sums(self) -> tuple[Floats, Floats]:
        """Return the sums of the steps, and of their squares, up to each mark, rounded."""
        marks = self.course.marks
        if self.steps.plain:
            return marks.astype(np.float64), marks.astype(np.float64)
        weights = np.ones(self.lifted.problem.n) if self.steps.weights is None else self.steps.weights
        along = (weights * self.steps.factor)[self.trace]
        return np.cumsum(along)[marks - 1], np.cumsum(along * along)[marks - 1]

    def _exact_values(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return ``||w_k||^2`` and ``w*.w_k``, for the weights as they are, at the exact marks."""
        weights = self.course.weights
        return [_dot(w, w) for w in weights], [Fraction(0) if self.star is None else _dot(self.star, w) for w in weights]

    def _decided(
        self, marks: list[int], sums: list[tuple[Fraction, Fraction]], L2: list[Fraction], P: list[Fraction]
    ) -> list[str]:
        """Decide every statement at the exact marks, in squares; return those that fail."""
        failed: dict[str, int] = {}
        R2, a2, g2, N2 = self.R2, self.a2, self.g2, self.N2
        for k, (once, squared), length, product in zip(marks, sums, L2, P, strict=True):
            least = once * once * g2  # the square of what the alignment has grown by, at least
            most = a2 + squared * R2
            grown = product - self.P0
            over = least - length - a2
            squeeze = least - squared * R2
            statements = {
                "||w_k||^2 is above its line k R^2": length <= most,
                "w*.w_k is below its line k gamma": grown >= 0 and grown * grown >= least * N2,
                "gamma is above ||w_k|| / k": over <= 0 or over * over <= 4 * length * a2,
                "k is above the bound": squeeze <= 0 or squeeze * squeeze <= 4 * least * a2,
                "cos(w*, w_k) is below its line": bool(a2) or product * product * most >= least * N2 * length,
            }
            for statement, holds in statements.items():
                if not holds:
                    failed.setdefault(statement, k)
        return [f"After {k:,} mistakes {statement}: decided exactly." for statement, k in failed.items()]

    def _contradicted(self, once: Floats, squared: Floats) -> list[str]:
        """Return the statements that the numbers between the exact marks contradict, their errors considered."""
        course = self.course
        between = ~course.exact
        if not between.any():
            return []
        slack = _NEAR + 2.0**-52 * self.trace.size * (not self.steps.plain)
        scale = Fraction(4) ** course.scale
        found = []
        line = nearest(self.a2 * scale) + squared * nearest(self.R2 * scale)
        bad = between & (course.squares - course.square_errors > line * (1 + slack))
        if bad.any():
            found.append(f"After {course.marks[bad][0]:,} mistakes ||w_k||^2 is above its line k R^2.")
        if self.star is not None:
            unit = Fraction(2) ** (course.scale - self.star.magnitude())
            first = nearest(self.P0 * unit)
            growth = once * root(self.g2 * self.N2 * unit * unit, up=False)
            bad = between & (course.products + course.product_errors - first + abs(first) * slack < growth * (1 - slack))
            if bad.any():
                found.append(f"After {course.marks[bad][0]:,} mistakes w*.w_k is below its line k gamma.")
        return found

    def _arrays(
        self,
        sums: list[tuple[Fraction, Fraction]],
        L2: list[Fraction],
        P: list[Fraction],
        once: Floats,
        squared: Floats,
    ) -> dict[str, Floats]:
        """Return the arrays of the ledger, in natural units."""
        course, exact = self.course, self.course.exact
        lengths = np.ldexp(course.squares, -2 * course.scale)
        length_errors = np.ldexp(course.square_errors, -2 * course.scale)
        lengths[exact] = [nearest(length) for length in L2]
        length_errors[exact] = lengths[exact] * 2.0**-52
        length_line = nearest(self.a2) + squared * nearest(self.R2)
        length_line[exact] = [nearest(self.a2 + each * self.R2) for _, each in sums]
        roots = np.ldexp(np.sqrt(course.squares), -course.scale)
        roots[exact] = [root(length, up=False) for length in L2]
        found = {
            "squared_length": lengths,
            "squared_length_line": length_line,
            "squared_length_error": length_errors,
            "margin_ceiling": (roots + root(self.a2, up=True)) / once,
        }
        if self.margin is None or self.star is None:
            absent = ("alignment", "alignment_line", "alignment_error", "cosine", "cosine_line")
            return found | {name: np.full(lengths.size, np.nan) for name in absent}
        size = root(self.N2 * Fraction(4) ** -self.star.magnitude(), up=False)  # of the scaled reference
        alignment = np.ldexp(course.products / size, -course.scale)
        errors = np.ldexp(course.product_errors / size * (1 + 2.0**-48), -course.scale) + np.abs(alignment) * 2.0**-50
        alignment[exact] = [_rooted(product, self.N2) for product in P]
        errors[exact] = np.abs(alignment[exact]) * 2.0**-51
        first, gamma = (_rooted(self.P0, self.N2) if self.P0 else 0.0), self.margin.lo
        alignment_line = first + once * gamma
        if not self.P0:
            alignment_line[exact] = [root(each * each * self.g2, up=False) for each, _ in sums]
        cosine = course.products / size / np.sqrt(course.squares)
        cosine[exact] = [
            _rooted(product, self.N2 * length) if length else np.nan for product, length in zip(P, L2, strict=True)
        ]
        relative = root(self.g2 / self.R2, up=False) if self.R2 else 0.0
        cosine_line = alignment_line / np.sqrt(length_line) if self.a2 else once / np.sqrt(squared) * relative
        if not self.a2 and self.R2:
            cosine_line[exact] = [root(each * each / squares * self.g2 / self.R2, up=False) for each, squares in sums]
        return found | {
            "alignment": alignment,
            "alignment_line": alignment_line,
            "alignment_error": errors,
            "cosine": cosine,
            "cosine_line": cosine_line,
        }

    def _bound(self) -> tuple[float, float] | None:
        """Bound the mistakes that the theorem allows from below and above."""
        if self.margin is None:
            return None
        least, most = self._step_range()
        ratio = (most / least) ** 2 * self.R2

        def allowed(g2: Fraction, up: bool) -> float:
            if not g2:
                return math.inf
            exact = ratio / g2
            if self.a2:
                exact += 2 * rational_root(self.a2 / g2 / least**2, up=up)
            return outward(exact, up)

        return allowed(self.margin.hi_squared, False), allowed(self.margin.lo_squared, True)


__all__ = ["Ledger", "audit"]
