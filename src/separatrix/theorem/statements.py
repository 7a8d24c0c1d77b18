"""The statements of the convergence theorem, computed along a trace and held against their lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..estimators.perceptron import Perceptron
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest, outward, rational_root, root
from ..perceptron.trace import Course, UpdateRule, radius_squared
from ..problem.lifted import Lifted
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from .ledger import Ledger
from .one_pass import online_bound, online_pass
from .replay import first_order

_RELATIVE_SLACK = 2.0**-48
"""Relative slack for the few roundings of a line: only what exceeds it contradicts a statement."""


# The statements.


def _dot(a: Dyadic, b: Dyadic) -> Fraction:
    return sum(map(int.__mul__, a.integers, b.integers)) * Fraction(2) ** (a.exponent + b.exponent)


def _rooted(number: Fraction, square: Fraction) -> float:
    """Return ``number / sqrt(square)``, nearly rounded."""
    size = root(number * number / square, up=False)
    return size if number > 0 else -size


@dataclass
class Auditor:
    """Holds every line of the proof against the course of a run."""

    perceptron: Perceptron
    lifted: Lifted
    trace: Indices
    steps: UpdateRule
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
        """Return what was found, besides violations that are known already."""
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
            observed, directions = online_pass(problem, tie, first_order(self.perceptron, problem))
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
        slack = _RELATIVE_SLACK + 2.0**-52 * self.trace.size * (not self.steps.plain)
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
