"""The statements of the convergence theorem, computed along a trace and held against their lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..estimators.perceptron import Perceptron
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


def _rooted(number: Fraction, square: Fraction) -> float:
    """Return ``number / sqrt(square)``, nearly rounded."""
    size = root(number * number / square, up=False)
    return size if number > 0 else -size


@dataclass(kw_only=True)
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
        start, self.star = self.steps.start, None if self.margin is None else self.margin.weights
        self.radius_squared = radius_squared(self.lifted)
        """``R^2``."""
        self.start_squared = start.dot(start) * self.steps.unit**2
        """``||w_0||^2``."""
        self.star_squared = Fraction(1) if self.star is None else self.star.dot(self.star)
        """The square of the length of ``star``, the weights of which ``w*`` is the direction."""
        self.star_at_start = Fraction(0) if self.star is None else self.star.dot(start) * self.steps.unit
        """``star.w_0``."""
        self.in_course = Fraction(2) ** self.course.scale / self.steps.unit
        """What the course multiplies lengths with."""
        self.margin_squared = Fraction(0) if self.margin is None else self.margin.lo_squared
        """``gamma^2``, from below."""

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
        step_sums, square_sums = self._sums()
        lengths_squared, products = self._exact_values()
        sums = [self.steps.sums(self.trace[:k]) for k, exact in zip(marks, course.exact, strict=True) if exact]
        violations += self._decided(course.marks[course.exact].tolist(), sums, lengths_squared, products)
        violations += self._contradicted(step_sums, square_sums)
        with np.errstate(all="ignore"):
            arrays = self._lengths(sums, lengths_squared, step_sums, square_sums)
            arrays |= self._alignments(
                sums, lengths_squared, products, step_sums, square_sums, arrays["squared_length_line"]
            )
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
            start_squared=self.start_squared,
            mistakes=self.trace.size,
            passes=int(self.perceptron.n_iter_),
            converged=bool(self.perceptron.halted_),
            radius_squared=self.radius_squared,
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
        weights = self.steps.multiples
        least, most = (1.0, 1.0) if weights is None else (float(weights.min()), float(weights.max()))
        return Fraction(least) * self.steps.rate, Fraction(most) * self.steps.rate

    def _sums(self) -> tuple[Floats, Floats]:
        """Return the sums of the steps, and of their squares, up to each mark, rounded."""
        marks = self.course.marks
        if self.steps.plain:
            return marks.astype(np.float64), marks.astype(np.float64)
        weights = np.ones(self.lifted.problem.n) if self.steps.multiples is None else self.steps.multiples
        along = (weights * nearest(self.steps.rate))[self.trace]
        return np.cumsum(along)[marks - 1], np.cumsum(along * along)[marks - 1]

    def _exact_values(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return ``||w_k||^2`` and ``star.w_k`` at the exact marks."""
        weights, unit = self.course.weights, self.steps.unit
        products = [Fraction(0) if self.star is None else self.star.dot(w) * unit for w in weights]
        return [w.dot(w) * unit * unit for w in weights], products

    def _decided(
        self,
        marks: list[int],
        sums: list[tuple[Fraction, Fraction]],
        lengths_squared: list[Fraction],
        products: list[Fraction],
    ) -> list[str]:
        """Decide every statement at the exact marks, in squares; return those that fail."""
        failed: dict[str, int] = {}
        start_squared, star_squared = self.start_squared, self.star_squared
        for k, (steps, squares), length_squared, product in zip(marks, sums, lengths_squared, products, strict=True):
            least = steps * steps * self.margin_squared  # the square of what the alignment has grown by, at least
            most = start_squared + squares * self.radius_squared
            grown = product - self.star_at_start
            over = least - length_squared - start_squared
            squeeze = least - squares * self.radius_squared
            statements = {
                "||w_k||^2 is above its line k R^2": length_squared <= most,
                "w*.w_k is below its line k gamma": grown >= 0 and grown * grown >= least * star_squared,
                "gamma is above ||w_k|| / k": over <= 0 or over * over <= 4 * length_squared * start_squared,
                "k is above the bound": squeeze <= 0 or squeeze * squeeze <= 4 * least * start_squared,
                "cos(w*, w_k) is below its line": (
                    bool(start_squared) or product * product * most >= least * star_squared * length_squared
                ),
            }
            for statement, holds in statements.items():
                if not holds:
                    failed.setdefault(statement, k)
        return [f"After {k:,} mistakes {statement}: decided exactly." for statement, k in failed.items()]

    def _contradicted(self, step_sums: Floats, square_sums: Floats) -> list[str]:
        """Return the statements that the numbers between the exact marks contradict, their errors considered."""
        course = self.course
        between = ~course.exact
        if not between.any():
            return []
        slack = _RELATIVE_SLACK + 2.0**-52 * self.trace.size * (not self.steps.plain)
        scale = self.in_course**2
        found = []
        line = nearest(self.start_squared * scale) + square_sums * nearest(self.radius_squared * scale)
        bad = between & (course.squares - course.square_errors > line * (1 + slack))
        if bad.any():
            found.append(f"After {course.marks[bad][0]:,} mistakes ||w_k||^2 is above its line k R^2.")
        if self.star is not None:
            unit = self.in_course / Fraction(2) ** self.star.magnitude()
            first = nearest(self.star_at_start * unit)
            growth = step_sums * root(self.margin_squared * self.star_squared * unit * unit, up=False)
            bad = between & (course.products + course.product_errors - first + abs(first) * slack < growth * (1 - slack))
            if bad.any():
                found.append(f"After {course.marks[bad][0]:,} mistakes w*.w_k is below its line k gamma.")
        return found

    def _lengths(
        self, sums: list[tuple[Fraction, Fraction]], lengths_squared: list[Fraction], step_sums: Floats, square_sums: Floats
    ) -> dict[str, Floats]:
        """Return the arrays of the ledger that need no ``w*``, in natural units."""
        course, exact = self.course, self.course.exact
        unit = nearest(self.steps.unit)
        lengths = np.ldexp(course.squares, -2 * course.scale) * (unit * unit)
        errors = np.ldexp(course.square_errors, -2 * course.scale) * (unit * unit)
        errors += (unit != 1.0) * 2.0**-50 * lengths
        lengths[exact] = [nearest(length) for length in lengths_squared]
        errors[exact] = lengths[exact] * 2.0**-52
        line = nearest(self.start_squared) + square_sums * nearest(self.radius_squared)
        line[exact] = [nearest(self.start_squared + squares * self.radius_squared) for _, squares in sums]
        roots = np.ldexp(np.sqrt(course.squares), -course.scale) * unit
        roots[exact] = [root(length, up=False) for length in lengths_squared]
        return {
            "squared_length": lengths,
            "squared_length_line": line,
            "squared_length_error": errors,
            "margin_ceiling": (roots + root(self.start_squared, up=True)) / step_sums,
        }

    def _alignments(
        self,
        sums: list[tuple[Fraction, Fraction]],
        lengths_squared: list[Fraction],
        products: list[Fraction],
        step_sums: Floats,
        square_sums: Floats,
        length_line: Floats,
    ) -> dict[str, Floats]:
        """Return the arrays of the ledger about ``w*``, in natural units; NaN where there is none."""
        course, exact = self.course, self.course.exact
        if self.margin is None or self.star is None:
            absent = ("alignment", "alignment_line", "alignment_error", "cosine", "cosine_line")
            return {name: np.full(course.marks.size, np.nan) for name in absent}
        size = root(self.star_squared * Fraction(4) ** -self.star.magnitude(), up=False)  # of the scaled reference
        unit = nearest(self.steps.unit)
        alignment = np.ldexp(course.products / size, -course.scale) * unit
        errors = np.ldexp(course.product_errors / size * (1 + 2.0**-48), -course.scale) * unit
        errors += np.abs(alignment) * 2.0**-50
        alignment[exact] = [_rooted(product, self.star_squared) for product in products]
        errors[exact] = np.abs(alignment[exact]) * 2.0**-51
        first = _rooted(self.star_at_start, self.star_squared) if self.star_at_start else 0.0
        alignment_line = first + step_sums * self.margin.lo
        if not self.star_at_start:
            alignment_line[exact] = [root(steps * steps * self.margin_squared, up=False) for steps, _ in sums]
        cosine = course.products / size / np.sqrt(course.squares)
        cosine[exact] = [
            _rooted(product, self.star_squared * length) if length else np.nan
            for product, length in zip(products, lengths_squared, strict=True)
        ]
        if self.start_squared:
            cosine_line = alignment_line / np.sqrt(length_line)
        else:
            ratio = self.margin_squared / self.radius_squared if self.radius_squared else Fraction(0)
            cosine_line = step_sums / np.sqrt(square_sums) * root(ratio, up=False)
            if ratio:
                cosine_line[exact] = [root(steps * steps / squares * ratio, up=False) for steps, squares in sums]
        return {
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
        ratio = (most / least) ** 2 * self.radius_squared

        def allowed(margin_squared: Fraction, up: bool) -> float:
            if not margin_squared:
                return math.inf
            exact = ratio / margin_squared
            if self.start_squared:
                exact += 2 * rational_root(self.start_squared / margin_squared / least**2, up=up)
            return outward(exact, up)

        return allowed(self.margin.hi_squared, False), allowed(self.margin.lo_squared, True)
