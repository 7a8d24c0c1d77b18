"""Claim 1 along a trace, and the squeeze: how well the weights are aligned with a ``w*``, the best one or any other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest, outward, rational_root, root
from ..perceptron.trace import Course, Prefix
from .lengths import RELATIVE_SLACK, Lengths


class Growth(NamedTuple):
    """By what ``w*.w_k`` has grown from the first mistake to the last: the product of two factors.

    Attributes
    ----------
    alignment : float
        The factor of ``w*.w_k``.
    length : float
        That of ``||w_k||``.
    cosine : float
        That of ``cos(w*, w_k)``.
    """

    alignment: float
    length: float
    cosine: float


@dataclass(kw_only=True)
class Alignments:
    """What can be said of the weights along a trace by a ``w*``."""

    lengths: Lengths
    course: Course
    """That of the lengths, but followed with ``star`` as its reference."""
    star: Dyadic
    """A multiple of ``w*``."""
    margin_squared: Fraction
    """``gamma^2``: a lower bound of the square of what ``w*`` has every row right by."""
    margin: float
    """``gamma``, rounded downwards."""

    def __post_init__(self) -> None:
        steps = self.lengths.steps
        self.star_squared = self.star.dot(self.star)
        """The square of the length of ``star``."""
        self.at_start = self.star.dot(steps.start) * steps.unit
        """``star.w_0``."""
        self.products = [self.star.dot(w) * steps.unit for w in self.course.weights]
        """``star.w_k`` at the exact marks."""

    def decided(self) -> dict[str, int]:
        """Decide every statement at the exact marks, in squares; return those that fail, as `Lengths.decided` does."""
        failed: dict[str, int] = {}
        lengths, star_squared = self.lengths, self.star_squared
        start_squared = lengths.start_squared
        rows = zip(lengths.exact_marks, lengths.sums, lengths.squared, self.products, strict=True)
        for k, (steps, squares), length_squared, product in rows:
            least = steps * steps * self.margin_squared  # the square of what the alignment has grown by, at least
            most = start_squared + squares * lengths.radius_squared
            grown = product - self.at_start
            over = least - length_squared - start_squared
            squeeze = least - squares * lengths.radius_squared
            statements = {
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
        return failed

    def contradicted(self) -> list[str]:
        """Return the statement that the numbers between the exact marks contradict, their errors considered."""
        course, between = self.course, ~self.course.exact
        if not between.any():
            return []
        slack, unit = self.lengths.slack(), self.lengths.in_course / Fraction(2) ** self.star.magnitude()
        first = nearest(self.at_start * unit)
        growth = self.lengths.step_sums * root(self.margin_squared * self.star_squared * unit * unit, up=False)
        bad = between & (course.products + course.product_errors - first + abs(first) * slack < growth * (1 - slack))
        return [f"After {course.marks[bad][0]:,} mistakes w*.w_k is below its line k gamma."] if bad.any() else []

    def arrays(self, length_line: Floats) -> dict[str, Floats]:
        """Return the arrays of a ledger about ``w*``, in natural units."""
        course, exact, lengths = self.course, self.course.exact, self.lengths
        size = root(self.star_squared * Fraction(4) ** -self.star.magnitude(), up=False)  # of the scaled reference
        unit = nearest(lengths.steps.unit)
        alignment = np.ldexp(course.products / size, -course.scale) * unit
        errors = np.ldexp(course.product_errors / size * (1 + 2.0**-48), -course.scale) * unit
        errors += np.abs(alignment) * 2.0**-50
        alignment[exact] = [_rooted(product, self.star_squared) for product in self.products]
        errors[exact] = np.abs(alignment[exact]) * 2.0**-51
        first = _rooted(self.at_start, self.star_squared) if self.at_start else 0.0
        alignment_line = first + lengths.step_sums * self.margin
        if not self.at_start:
            alignment_line[exact] = [root(steps * steps * self.margin_squared, up=False) for steps, _ in lengths.sums]
        cosine = course.products / size / np.sqrt(course.squares)
        cosine[exact] = [
            _rooted(product, self.star_squared * length) if length else np.nan
            for product, length in zip(self.products, lengths.squared, strict=True)
        ]
        if lengths.start_squared:
            cosine_line = alignment_line / np.sqrt(length_line)
        else:
            ratio = self.margin_squared / lengths.radius_squared if lengths.radius_squared else Fraction(0)
            cosine_line = lengths.step_sums / np.sqrt(lengths.square_sums) * root(ratio, up=False)
            if ratio:
                cosine_line[exact] = [root(steps * steps / squares * ratio, up=False) for steps, squares in lengths.sums]
        return {
            "alignment": alignment,
            "alignment_line": alignment_line,
            "alignment_error": errors,
            "cosine": cosine,
            "cosine_line": cosine_line,
        }

    def run_bound(self) -> float | None:
        """Bound the mistakes by ``R^2 cos(w*, w_k)^2 / gamma^2`` at the last one, rounded upwards; None unless plain."""
        if not self.lengths.plain or not self.products or not self.lengths.squared[-1]:
            return None
        cosine_squared = self.products[-1] ** 2 / (self.star_squared * self.lengths.squared[-1])
        return outward(self.lengths.radius_squared * cosine_squared / self.margin_squared, up=True)

    def growth(self) -> Growth | None:
        """Split the growth of ``w*.w_k`` between the first mistake and the last; None where it is no growth."""
        if not self.products:
            return None
        first, last = self.products[0], self.products[-1]
        short, long = self.lengths.squared[0], self.lengths.squared[-1]
        if min(first, last, short, long) <= 0:
            return None
        alignment, squared = last / first, long / short
        return Growth(nearest(alignment), root(squared, up=False), root(alignment**2 / squared, up=False))

    def falls(self) -> tuple[int, int]:
        """Count the steps from one mistake to the next that were looked at, and those in which the cosine fell: exactly."""
        course, marks = self.course, self.course.marks
        places = np.cumsum(course.exact) - 1
        least, most = self._cosine_squares()
        fell = steps = 0
        open_steps: list[int] = []
        for t in np.flatnonzero(np.diff(marks) == 1).tolist():
            if course.exact[t] and course.exact[t + 1]:
                before, after = (self._known(int(places[s])) for s in (t, t + 1))
                fell, steps = fell + _fell(before, after), steps + bool(before[1] and after[1])
            elif most[t + 1] < least[t] or least[t + 1] > most[t]:
                fell, steps = fell + bool(most[t + 1] < least[t]), steps + 1
            else:
                open_steps.append(int(marks[t]))
        for before, after in self._exactly(open_steps):
            fell, steps = fell + _fell(before, after), steps + bool(before[1] and after[1])
        return steps, fell

    def _known(self, place: int) -> tuple[Fraction, Fraction]:
        return self.products[place], self.lengths.squared[place]

    def _cosine_squares(self) -> tuple[Floats, Floats]:
        """Return bounds of multiples of the squared cosines; NaN where floating point does not tell, or it is exact."""
        course = self.course
        with np.errstate(all="ignore"):
            products = course.products - course.product_errors, course.products + course.product_errors
            squares = course.squares - course.square_errors, course.squares + course.square_errors
            told = ~course.exact & (products[0] > 0) & (squares[0] > 0)
            least = np.where(told, products[0] ** 2 / squares[1] * (1 - RELATIVE_SLACK), np.nan)
            most = np.where(told, products[1] ** 2 / squares[0] * (1 + RELATIVE_SLACK), np.nan)
        usual = (least > 2.0**-900) & (most < 2.0**900)  # clear of underflow and overflow
        return np.where(usual, least, np.nan), np.where(usual, most, np.nan)

    def _exactly(self, marks: list[int]) -> list[tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]]:
        """Return ``star.w_k`` and ``||w_k||^2`` after some mistakes, and after those that follow them."""
        lengths = self.lengths
        prefix = Prefix(lengths.lifted.problem, lengths.trace, lengths.steps)
        known = {}
        for k in sorted({*marks, *(k + 1 for k in marks)}):
            w = prefix.at(k)
            known[k] = self.star.dot(w), w.dot(w)
        return [(known[k], known[k + 1]) for k in marks]


def _fell(before: tuple[Fraction, Fraction], after: tuple[Fraction, Fraction]) -> bool:
    """Whether a cosine is smaller after a step; both are given as a product and a squared length."""
    (p, a), (q, b) = before, after
    return bool(a and b) and q * abs(q) * a < p * abs(p) * b


def _rooted(number: Fraction, square: Fraction) -> float:
    """Return ``number / sqrt(square)``, nearly rounded."""
    size = root(number * number / square, up=False)
    return size if number > 0 else -size


def allowed(
    margin_squared: Fraction, radius_squared: Fraction, start_squared: Fraction, steps: tuple[Fraction, Fraction], up: bool
) -> float:
    """Round the bound of the mistakes, ``(max c / min c)^2 R^2 / gamma^2 + 2 ||w_0|| / (gamma min c)``, outwards."""
    if not margin_squared:
        return math.inf
    least, most = steps
    exact = (most / least) ** 2 * radius_squared / margin_squared
    if start_squared:
        exact += 2 * rational_root(start_squared / margin_squared / least**2, up=up)
    return outward(exact, up)
