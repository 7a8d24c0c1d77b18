"""Claim 2 along a trace: how long the weights are, and the two lines that their squared length stays below."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..exact.rounding import nearest, root
from ..perceptron.trace import Course, UpdateRule, radius_squared, squared_length
from ..problem.lifted import Lifted
from ..support.clock import present

RELATIVE_SLACK = 2.0**-48
"""Relative slack for the few roundings of a line: only what exceeds it contradicts a statement."""


@dataclass(kw_only=True)
class Lengths:
    """What can be said of the weights along a trace without any ``w*``.

    Lists have an entry for each exact mark, arrays one for each mark. With steps other than 1 the sum of ``||z_i||^2`` is
    that of ``c_i^2 ||z_i||^2``, and with a start other than 0 both lines begin at its square.
    """

    lifted: Lifted
    trace: Indices
    steps: UpdateRule
    course: Course

    def __post_init__(self) -> None:
        start, unit, course = self.steps.start, self.steps.unit, self.course
        self.radius_squared = radius_squared(self.lifted)
        """``R^2``."""
        self.start_squared = start.dot(start) * unit**2
        """``||w_0||^2``."""
        self.in_course = Fraction(2) ** course.scale / unit
        """What the course multiplies lengths with."""
        self.exact_marks: list[int] = course.marks[course.exact].tolist()
        self.step_sums, self.square_sums = self._step_sums()
        """Sums of the steps, and of their squares, rounded."""
        self.sums = [self.steps.sums(self.trace[:k]) for k in self.exact_marks]
        """The same, exactly."""
        self.squared = [w.dot(w) * unit * unit for w in course.weights]
        """``||w_k||^2``."""
        self.row_sums, self.rounded_row_sums = self._row_sums()
        """``||w_0||^2`` and the ``||z_i||^2`` of the rows erred on, added up."""

    @property
    def plain(self) -> bool:
        """Whether the run began at zero, and every step added the row itself."""
        return self.steps.plain and not self.start_squared

    def _step_sums(self) -> tuple[Floats, Floats]:
        marks = self.course.marks
        if self.steps.plain:
            return marks.astype(np.float64), marks.astype(np.float64)
        weights = np.ones(self.lifted.problem.n) if self.steps.multiples is None else self.steps.multiples
        along = (weights * nearest(self.steps.rate))[self.trace]
        return np.cumsum(along)[marks - 1], np.cumsum(along * along)[marks - 1]

    def _row_sums(self) -> tuple[list[Fraction], Floats]:
        marks, problem = self.course.marks, self.lifted.problem
        erred = np.flatnonzero(np.bincount(self.trace, minlength=problem.n)).tolist()
        squares, clock = {}, present()
        for i in erred:
            clock.check()
            squares[i] = self.steps.of(i) ** 2 * squared_length(problem, i)
        common = math.lcm(*(square.denominator for square in squares.values()))
        whole = {i: square.numerator * (common // square.denominator) for i, square in squares.items()}
        total, before, sums = 0, 0, []
        for k in self.exact_marks:
            counts = np.bincount(self.trace[before:k])
            total += sum(int(counts[i]) * whole[i] for i in np.flatnonzero(counts).tolist())
            before = k
            sums.append(self.start_squared + Fraction(total, common))
        rounded = np.zeros(marks.size)
        if marks.size:
            table = np.zeros(problem.n)
            table[erred] = [nearest(squares[i]) for i in erred]
            with np.errstate(all="ignore"):
                between = np.add.reduceat(table[self.trace], np.append(0, marks[:-1]))
                rounded = nearest(self.start_squared) + np.cumsum(between)
            rounded[self.course.exact] = [nearest(total) for total in sums]
        return sums, rounded

    def decided(self) -> dict[str, int]:
        """Decide every statement at the exact marks; return those that fail, with the mistake where they first do."""
        failed: dict[str, int] = {}
        for k, (_, squares), squared, rows in zip(self.exact_marks, self.sums, self.squared, self.row_sums, strict=True):
            line = self.start_squared + squares * self.radius_squared
            statements = {
                "||w_k||^2 is above the sum of the ||z_i||^2": squared <= rows,
                "the sum of the ||z_i||^2 is above its line k R^2": rows <= line,
                "||w_k||^2 is above its line k R^2": squared <= line,
            }
            for statement, holds in statements.items():
                if not holds:
                    failed.setdefault(statement, k)
        return failed

    def slack(self) -> float:
        """Relative slack of lines that are summed up in floating point."""
        return RELATIVE_SLACK + 2.0**-52 * self.trace.size * (not self.steps.plain)

    def contradicted(self) -> list[str]:
        """Return the statements that the numbers between the exact marks contradict, their errors considered."""
        course, between = self.course, ~self.course.exact
        if not between.any():
            return []
        scale, found = self.in_course**2, []
        with np.errstate(all="ignore"):
            least = course.squares - course.square_errors
            line = nearest(self.start_squared * scale) + self.square_sums * nearest(self.radius_squared * scale)
            sharper = self.rounded_row_sums * nearest(scale) * (1 + 2.0**-52 * self.trace.size)
        for statement, above in (
            ("||w_k||^2 is above the sum of the ||z_i||^2", least > sharper * (1 + self.slack())),
            ("||w_k||^2 is above its line k R^2", least > line * (1 + self.slack())),
        ):
            if np.any(between & above):
                found.append(f"After {course.marks[between & above][0]:,} mistakes {statement}.")
        return found

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays of a ledger that need no ``w*``, in natural units."""
        course, exact = self.course, self.course.exact
        unit = nearest(self.steps.unit)
        lengths = np.ldexp(course.squares, -2 * course.scale) * (unit * unit)
        errors = np.ldexp(course.square_errors, -2 * course.scale) * (unit * unit)
        errors += (unit != 1.0) * 2.0**-50 * lengths
        lengths[exact] = [nearest(length) for length in self.squared]
        errors[exact] = lengths[exact] * 2.0**-52
        line = nearest(self.start_squared) + self.square_sums * nearest(self.radius_squared)
        line[exact] = [nearest(self.start_squared + squares * self.radius_squared) for _, squares in self.sums]
        roots = np.ldexp(np.sqrt(course.squares), -course.scale) * unit
        roots[exact] = [root(length, up=False) for length in self.squared]
        return {
            "squared_length": lengths,
            "squared_length_line": line,
            "squared_length_error": errors,
            "squared_rows": self.rounded_row_sums,
            "margin_ceiling": (roots + root(self.start_squared, up=True)) / self.step_sums,
        }
