"""The checks of each claim: the same as those of the stand-alone `checker`, on arrays of any size.

Signs are decided by certified floating point, by exact arithmetic only where that cannot; sums are exact integers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from reprlib import repr as brief
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checker import refuse, sign_of
from ..compiled.environment import refuse_flushing
from ..exact.dyadic import Dyadic, mantissas_and_exponents
from ..exact.linear_algebra import IntegerRows, vanishes
from ..problem import sums
from ..problem.digest import digest
from ..problem.lifted import SAFE, Lifted
from ..problem.monomials import PolynomialKernel, written_out
from ..problem.problem import Problem
from ..problem.rows import is_dense
from ..problem.ties import TIES
from ..tables.cells import label_text
from . import packing_checks
from .certificate import Certificate
from .claims import Claim, Combination, Cover, MarginBound, Obstruction, Separator, whole


def check(certificate: Certificate, problem: Problem) -> int:
    """Check what a certificate claims of a problem; that it speaks of this problem is taken for granted.

    Return how many rows the separator goes through, if it is one of quasi-separable classes.
    """
    weak, kernel = certificate.claim == Claim.QUASI_SEPARABLE, certificate.problem.kernel
    zero = np.ones(problem.n, bool)
    loser = -TIES[certificate.problem.tie]
    images = problem if kernel is None else written_out(problem, kernel)
    if certificate.separator is not None:
        zero = _check_separator(certificate.separator, images, weak, loser)
    if certificate.obstruction is not None:
        _check_obstruction(certificate.obstruction, problem, images, loser)
    if certificate.cover is not None:
        _check_cover(certificate.cover, images, zero)
    if certificate.margin is not None:
        lengths = _Lengths(problem, kernel, certificate.margin)
        if certificate.separator is not None:
            _check_margin_at_least(certificate.separator, images, lengths)
        if certificate.combination is not None:
            _check_margin_at_most(certificate.combination, images, lengths)
    if certificate.errors is not None and certificate.packing is not None:
        packing_checks.check(certificate.errors, certificate.packing, images)
    return int(np.count_nonzero(zero))


def signs_of(certificate: Certificate, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Code labels by their texts, as the checker does with the cells of a file."""
    classes = certificate.problem.classes
    found, places = np.unique(labels, return_inverse=True)
    signs = np.array([_sign(label, classes) for label in found.tolist()], dtype=float)[places]
    strange = np.flatnonzero(signs == 0.0)
    if strange.size:
        negative, positive = classes or (-1, 1)
        label = labels[strange[0]]
        refuse(
            f"The data is not that of the certificate: row {strange[0]} is labelled "
            f"{brief(label.item() if isinstance(label, np.generic) else label)}, "
            f"neither {brief(negative)} nor {brief(positive)}."
        )
    return signs


def _sign(label: Any, classes: tuple[Any, Any] | None) -> int:
    """Code a label: a number that is too long for a table by its value, all others by their texts."""
    if isinstance(label, int | float) and abs(label) >= 10**20:
        negative, positive = classes or (-1, 1)
        return 1 if label == positive else -1 if negative is None or label == negative else 0
    return sign_of(label_text(label), classes)


def compare_subject(certificate: Certificate, problem: Problem) -> None:
    """See that the data is that of the certificate: entry by entry where it is at hand as it was, else by its digest."""
    source = certificate.problem.source
    dense = source is not None and is_dense(source.X) and is_dense(problem.X)
    if source is not None and dense and certificate.problem.is_unchanged():  # by others, who may share its memory
        same = np.array_equal(source.y, problem.y) and source.rows.equals(problem.rows)
        if source.rows.denominator != problem.rows.denominator:
            same = digest(problem) == certificate.problem.digest
    else:
        same = digest(problem) == certificate.problem.digest
    if not same:
        refuse(
            "The data is not that of the certificate: a number, a label, or the order of rows or columns differs, as their "
            "digests tell."
        )


def _check_separator(separator: Separator, problem: Problem, weak: bool, loser: int) -> NDArray[np.bool_]:
    """See that all rows score above 0, or, for a weak separator, at least 0 and some above; tell which score 0.

    Under a tie rule only rows of the loser, the label that a score of 0 does not predict, must be above 0; 0: all.
    """
    signs = Lifted.of(problem).signs(separator.exact(problem.intercept))
    strictly = np.zeros(problem.n, bool) if weak else (problem.y == loser) | (loser == 0)
    wrong = np.flatnonzero(signs < strictly)
    if wrong.size:
        side = "wrong side of the separator" if signs[wrong[0]] < 0 else "separator itself"
        refuse(f"Row {wrong[0]} lies on the {side}.")
    if weak and not signs.any():
        refuse("Every row lies on the separator itself: it separates none.")
    return signs == 0


def _check_obstruction(obstruction: Obstruction, problem: Problem, images: Problem, loser: int) -> None:
    rows = list(obstruction.rows)
    if loser and all(problem.y[i] != loser for i in rows):
        refuse("The obstruction has no row of the class that a score of 0 does not predict: all of them may score 0.")
    lifted, points = images.lifted(rows), problem.points(rows)
    for k, i in enumerate(rows):
        if obstruction.labels[k] != problem.y[i]:
            refuse(f"The obstruction gives row {i} the label {obstruction.labels[k]}, the data {int(problem.y[i])}.")
        for j, (claimed, value) in enumerate(zip(obstruction.points[k], points[k], strict=True)):
            if claimed != value:
                refuse(f"The obstruction gives row {i} another value in column {j} than the data, {brief(float(value))}.")
    if not vanishes(lifted, whole(obstruction.multipliers)):
        refuse("The rows of the obstruction, times their multipliers, do not add up to zero.")


def _check_cover(cover: Cover, problem: Problem, zero: NDArray[np.bool_]) -> None:
    rows = list(cover.rows)
    outside = [i for i in rows if not zero[i]]
    if outside:
        refuse(f"The cover lists row {outside[0]}, which the separator does not leave at 0.")
    # rest * (sum of all zero rows) + sum of (multiplier - rest) * row over those listed
    rest = sums.total(problem, zero)
    unit = Fraction(2) ** rest.exponent * cover.rest
    listed = _combination(problem.lifted(rows), [number - cover.rest for number in cover.multipliers])
    for number, other in zip(rest.integers, listed, strict=True):
        if number * unit + other:
            refuse("The rows of the cover, times their multipliers, do not add up to zero.")


class _Lengths:
    """How long hyperplanes and rows are: without a kernel as usual, with one by the weights of its monomials."""

    def __init__(self, problem: Problem, kernel: PolynomialKernel | None, margin: MarginBound) -> None:
        self.squared = margin.squared
        self.weights = None if kernel is None else kernel.weights(problem.d, problem.intercept)
        self.without_last = margin.kind == "geometric" and problem.intercept

    def of_hyperplane(self, numbers: Sequence[int]) -> Fraction:
        """Return the square of the length of a hyperplane, given by its weights, with the constant's last."""
        if self.without_last:
            numbers = numbers[:-1]
        if self.weights is None:
            return Fraction(sum(number * number for number in numbers))
        return sum((number * number / weight for number, weight in zip(numbers, self.weights, strict=False)), Fraction(0))

    def of_row(self, numbers: dict[int, int]) -> Fraction:
        """Return the square of the length of a sum of rows, by their columns."""
        if self.weights is None:
            return Fraction(sum(number * number for number in numbers.values()))
        return sum((number * number * self.weights[j] for j, number in numbers.items()), Fraction(0))


def _check_margin_at_least(separator: Separator, problem: Problem, lengths: _Lengths) -> None:
    """See that ``z_i.w >= sqrt(squared) |w|`` for every row; that all are above 0 is known.

    Scores are multiples of the `_unit`, so the right hand side is rounded up to one: a threshold ``t`` without a root.
    Then ``z_i.w - t`` is the score of ``w`` with the intercept less ``t`` for rows labelled 1, plus ``t`` for the others,
    and its sign is found as those of all scores are. The constant of a row is the denominator c of the rows: so the weights
    are taken c times, and ``t`` once.
    """
    numbers = separator.exact(problem.intercept).integers
    square = lengths.of_hyperplane(numbers)
    if not square:
        refuse("The weights of the separator are all 0: nothing has a distance from it.")
    if not lengths.squared:
        return
    shift = -_unit(problem)
    unit = problem.rows.denominator
    top, bottom = (square * lengths.squared * unit * unit * 4**shift).as_integer_ratio()
    threshold = math.isqrt(top // bottom)
    threshold += threshold * threshold * bottom < top
    *weights, intercept = numbers if problem.intercept else [*numbers, 0]
    lifted = Lifted.of(replace(problem, intercept=True))
    near = np.zeros(problem.n, bool)
    for label in np.unique(problem.y).tolist():
        moved = [*(weight * unit << shift for weight in weights), (intercept * unit << shift) - int(label) * threshold]
        near |= (lifted.signs(Dyadic(moved, -shift)) < 0) & (problem.y == label)
    if near.any():
        refuse(f"Row {np.flatnonzero(near)[0]} is nearer to the separator than the margin that is claimed.")


def _check_margin_at_most(combination: Combination, problem: Problem, lengths: _Lengths) -> None:
    """See that ``||sum lambda_i z_i|| <= sqrt(squared) sum lambda_i``; geometric, that either class has half of that sum."""
    if problem.measures.smallest < SAFE:
        refuse_flushing("the rows hold")
    unit = _unit(problem)
    multipliers = whole(combination.multipliers)
    totals: dict[int, int] = defaultdict(int)
    for i, multiplier in zip(combination.rows, multipliers, strict=True):
        columns, entries = problem.row(i)
        for j, number, exponent in zip(columns, *mantissas_and_exponents(entries), strict=True):
            totals[j] += multiplier * (number << (exponent - unit) if exponent >= unit else number >> (unit - exponent))
    if lengths.without_last and totals[problem.d]:
        refuse("The multipliers of the combination do not add up to the same in either class.")
    if lengths.of_row(totals) > lengths.squared * (sum(multipliers) * problem.rows.denominator) ** 2 * 4**-unit:
        refuse("The rows of the combination, times their multipliers, add up to more than the margin that is claimed.")


def _unit(problem: Problem) -> int:
    """Return an exponent, 0 or less, of a power of two of which all numerators of the rows are whole multiples."""
    smallest = problem.measures.smallest
    return 0 if math.isinf(smallest) else min(0, max(math.frexp(smallest)[1] - 53, -1074))


def _combination(rows: NDArray[np.float64], multipliers: Sequence[Fraction]) -> list[Fraction]:
    """Exact sum of rows times multipliers."""
    if not len(rows):
        return [Fraction(0)] * rows.shape[1]
    numbers = whole(multipliers)
    unit = next((m / n for m, n in zip(multipliers, numbers, strict=True) if n), Fraction(1))
    return [number * unit for number in IntegerRows.of(rows).combine(numbers).fractions()]
