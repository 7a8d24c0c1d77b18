"""The checks of each claim: the same as those of the stand-alone `checker`, on arrays of any size.

Signs are decided by certified floating point, by exact arithmetic only where that cannot; sums are exact integers. What is
claimed of all rows is asked of blocks, of which rows in memory are one; of the others those that are listed are taken.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from reprlib import repr as brief
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..checker import refuse, sign_of
from ..compiled.environment import refuse_flushing
from ..exact.dyadic import Dyadic, mantissas_and_exponents
from ..exact.linear_algebra import IntegerRows, vanishes
from ..problem import sums
from ..problem.batches import AnyProblem, AskedRows, BatchedProblem, InOneBlock
from ..problem.digest import digest
from ..problem.lifted import SAFE, Lifted
from ..problem.monomials import PolynomialKernel, written_out
from ..problem.problem import Problem
from ..problem.rows import is_dense
from ..problem.ties import TIES
from ..tables.cells import label_text
from . import packing_checks
from .certificate import Certificate, Subject
from .claims import Claim, Combination, Cover, MarginBound, Obstruction, Separator, whole


def check(certificate: Certificate, problem: Problem | AskedRows, seen: Seen | None = None) -> int:
    """Check what a certificate claims of a problem; that it speaks of this problem is taken for granted.

    Rows in blocks are asked block by block; what a pass has ``seen`` of all rows need not be asked again.

    Return how many rows the separator goes through, if it is one of quasi-separable classes.
    """
    kernel = certificate.problem.kernel
    given: AskedRows = InOneBlock(problem) if isinstance(problem, Problem) else problem
    rows = given
    if kernel is not None:
        assert isinstance(problem, Problem)
        rows = InOneBlock(written_out(problem, kernel))
    lengths = None if certificate.margin is None else _Lengths(given, kernel, certificate.margin)
    if certificate.separator is not None:
        if lengths is not None:
            lengths.refuse_no_length(certificate.separator, rows.intercept)
        if seen is None:
            question = Question.of(certificate, rows.intercept, lengths)
            seen = Seen.of_all(part for _, part in rows.map(_look, question))
        _conclude(certificate, seen)
    if certificate.obstruction is not None:
        _check_obstruction(certificate.obstruction, given, rows, -TIES[certificate.problem.tie])
    if certificate.cover is not None:
        if seen is None:
            question = Question.of(certificate, rows.intercept, None)
            seen = Seen.of_all(part for _, part in rows.map(_look, question))
        _check_cover(certificate.cover, rows, seen)
    if lengths is not None and certificate.combination is not None:
        _check_margin_at_most(certificate.combination, rows, lengths)
    if certificate.errors is not None and certificate.packing is not None:
        packing_checks.check(certificate.errors, certificate.packing, rows)
    return rows.n if seen is None else seen.zero


@dataclass(frozen=True)
class Question:
    """What is asked of all rows, in one pass; picklable."""

    weights: Dyadic | None
    """Those of a separator; None: all rows are 0."""
    weak: bool = False
    loser: int = 0
    """Under a tie rule the label of which rows must be above 0; 0: all must."""
    listed: tuple[int, ...] | None = None
    """The rows that a cover lists: they must be 0, and so the sum of all that are is wanted; None: there is no cover."""
    lengths: _Lengths | None = None
    """The margin that all rows must have."""

    @classmethod
    def of(cls, certificate: Certificate, intercept: bool, lengths: _Lengths | None) -> Question:
        """Ask what a certificate claims of all rows."""
        separator, cover = certificate.separator, certificate.cover
        return cls(
            weights=None if separator is None else separator.exact(intercept),
            weak=certificate.claim == Claim.QUASI_SEPARABLE, loser=-TIES[certificate.problem.tie],
            listed=None if cover is None else cover.rows, lengths=lengths,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a pass over rows, or over some of them, has seen."""

    wrong: tuple[int, int] | None = None
    """The first row that is not where the separator must have it, and the sign of its score."""
    zero: int = 0
    """How many rows score 0."""
    above: int = 0
    """How many score above 0."""
    outside: int | None = None
    """The first row of the cover's that does not score 0."""
    total: Dyadic | None = None
    """The exact sum of all rows that score 0, if it is wanted."""
    near: int | None = None
    """The first row that has not the margin."""

    @classmethod
    def of_all(cls, parts: Iterable[Seen]) -> Seen:
        """Put together what was seen of blocks, in any order."""
        return reduce(cls._with, parts)

    def _with(self, other: Seen) -> Seen:
        totals = [each.total for each in (self, other) if each.total is not None]
        return Seen(
            wrong=min((each.wrong for each in (self, other) if each.wrong is not None), default=None),
            zero=self.zero + other.zero,
            above=self.above + other.above,
            outside=min((each.outside for each in (self, other) if each.outside is not None), default=None),
            total=reduce(Dyadic.plus, totals) if totals else None,
            near=min((each.near for each in (self, other) if each.near is not None), default=None),
        )


def see(problem: Problem, start: int, question: Question, signs: NDArray[np.int64]) -> Seen:
    """Return what there is to see of a block whose signs are known."""
    strictly = np.zeros(problem.n, bool) if question.weak else (problem.y == question.loser) | (question.loser == 0)
    wrong, zero, near = np.flatnonzero(signs < strictly), signs == 0, None
    outside, total = None, None
    if question.listed is not None:
        listed = np.array(question.listed, np.int64) - start
        listed = listed[(listed >= 0) & (listed < problem.n)]
        outside = next((int(i) + start for i in listed if not zero[i]), None)
        total = sums.total(problem, zero)
    if question.lengths is not None and question.weights is not None and not wrong.size:
        near = question.lengths.nearer(question.weights, problem)
    return Seen(
        wrong=(start + int(wrong[0]), int(signs[wrong[0]])) if wrong.size and question.weights is not None else None,
        zero=int(np.count_nonzero(zero)),
        above=int(np.count_nonzero(signs > 0)),
        outside=outside,
        total=total,
        near=None if near is None else start + near,
    )


def _look(problem: Problem, start: int, question: Question) -> Seen:
    """Look at a block."""
    weights = question.weights
    signs = np.zeros(problem.n, np.int64) if weights is None else Lifted.of(problem).signs(weights)
    return see(problem, start, question, signs)


def _conclude(certificate: Certificate, seen: Seen) -> None:
    """See that all rows score above 0, or, for a weak separator, at least 0 and some above.

    Under a tie rule only rows of the loser, the label that a score of 0 does not predict, must be above 0; 0: all. With a
    margin, they must have that.
    """
    if seen.wrong is not None:
        row, sign = seen.wrong
        refuse(f"Row {row} lies on the {'wrong side of the separator' if sign < 0 else 'separator itself'}.")
    if certificate.claim == Claim.QUASI_SEPARABLE and not seen.above:
        refuse("Every row lies on the separator itself: it separates none.")
    if seen.near is not None:
        refuse(f"Row {seen.near} is nearer to the separator than the margin that is claimed.")


def signs_of(certificate: Certificate, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Code labels by their texts, as the checker does with the cells of a file."""
    classes = certificate.problem.classes
    found, places = np.unique(labels, return_inverse=True)
    signs = np.array([sign_of_label(label, classes) for label in found.tolist()], dtype=float)[places]
    strange = np.flatnonzero(signs == 0.0)
    if strange.size:
        label = labels[strange[0]]
        refuse_label(certificate, int(strange[0]), label.item() if isinstance(label, np.generic) else label)
    return signs


def refuse_label(certificate: Certificate, row: int, label: Any) -> NoReturn:
    """Refuse data with a row that is of no class."""
    negative, positive = certificate.problem.classes or (-1, 1)
    refuse(
        f"The data is not that of the certificate: row {row} is labelled {brief(label)}, neither {brief(negative)} nor "
        f"{brief(positive)}."
    )


def refuse_size(certificate: Certificate, n: int, d: int) -> None:
    """Refuse data of another size than the certificate is about."""
    subject = certificate.problem
    if (n, d) != (subject.rows, subject.dimension):
        refuse(
            f"The data is not that of the certificate: it has {n} rows and {d} columns, expected {subject.rows} and "
            f"{subject.dimension}."
        )


def refuse_reading(certificate: Certificate, reading: str, way_out: str = "") -> NoReturn:
    """Refuse data whose numbers are read as something else."""
    refuse(
        "The data is not that of the certificate, which is about numbers that are "
        f"{certificate.problem.numbers}; here they are {reading}.{way_out}"
    )


def sign_of_label(label: Any, classes: tuple[Any, Any] | None) -> int:
    """Code a label; 0: it is of no class. Numbers too long for a table go by their value, all others by their texts."""
    if isinstance(label, int | float) and abs(label) >= 10**20:
        negative, positive = classes or (-1, 1)
        return 1 if label == positive else -1 if negative is None or label == negative else 0
    return sign_of(label_text(label), classes)


def compare_subject(certificate: Certificate, problem: AnyProblem) -> None:
    """See that the data is that of the certificate: entry by entry where it is at hand as it was, else by its digest."""
    if not _is_source(certificate.problem, problem):
        own = digest(problem) if isinstance(problem, Problem) else problem.digest()
        if own != certificate.problem.digest:
            refuse(
                "The data is not that of the certificate: a number, a label, or the order of rows or columns differs, as "
                "their digests tell."
            )


def _is_source(subject: Subject, problem: AnyProblem) -> bool:
    """Whether a problem is seen to be the one that a certificate was made of, without its digest."""
    source = subject.source
    if isinstance(source, BatchedProblem) and isinstance(problem, BatchedProblem):
        same = source.batches is problem.batches and source.setting.signs == problem.setting.signs
        return same and subject.fingerprint is not None and subject.is_unchanged()
    if not isinstance(source, Problem) or not isinstance(problem, Problem):
        return False
    if not (is_dense(source.X) and is_dense(problem.X) and source.rows.denominator == problem.rows.denominator):
        return False
    same = np.array_equal(source.y, problem.y) and source.rows.equals(problem.rows)
    return same and subject.is_unchanged()  # by others, who may share its memory


def _check_obstruction(obstruction: Obstruction, given: AskedRows, images: AskedRows, loser: int) -> None:
    """See that the rows are those of the data, and that they add up to zero; ``images`` are what they add up as."""
    listed = given.take(obstruction.rows)
    if loser and all(listed.y != loser):
        refuse("The obstruction has no row of the class that a score of 0 does not predict: all of them may score 0.")
    for k, (i, point) in enumerate(zip(obstruction.rows, listed.points(list(range(listed.n))), strict=True)):
        if obstruction.labels[k] != listed.y[k]:
            refuse(f"The obstruction gives row {i} the label {obstruction.labels[k]}, the data {int(listed.y[k])}.")
        for j, (claimed, value) in enumerate(zip(obstruction.points[k], point, strict=True)):
            if claimed != value:
                refuse(f"The obstruction gives row {i} another value in column {j} than the data, {brief(float(value))}.")
    added = listed if images is given else images.take(obstruction.rows)
    if not vanishes(_lifted(added), whole(obstruction.multipliers)):
        refuse("The rows of the obstruction, times their multipliers, do not add up to zero.")


def _lifted(listed: Problem) -> NDArray[np.float64]:
    return listed.lifted(list(range(listed.n)))


def _check_cover(cover: Cover, rows: AskedRows, seen: Seen) -> None:
    if seen.outside is not None:
        refuse(f"The cover lists row {seen.outside}, which the separator does not leave at 0.")
    # rest * (sum of all zero rows) + sum of (multiplier - rest) * row over those listed
    total = seen.total
    assert total is not None
    unit = Fraction(2) ** total.exponent * cover.rest
    changes = [number - cover.rest for number in cover.multipliers]
    listed = _combination(_lifted(rows.take(cover.rows)), changes) if cover.rows else [Fraction(0)] * len(total)
    for number, other in zip(total.integers, listed, strict=True):
        if number * unit + other:
            refuse("The rows of the cover, times their multipliers, do not add up to zero.")


class _Lengths:
    """How long hyperplanes and rows are: without a kernel as usual, with one by the weights of its monomials."""

    def __init__(self, rows: AskedRows, kernel: PolynomialKernel | None, margin: MarginBound) -> None:
        self.squared = margin.squared
        self.weights = None if kernel is None else kernel.weights(rows.d, rows.intercept)
        self.without_last = margin.kind == "geometric" and rows.intercept

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

    def refuse_no_length(self, separator: Separator, intercept: bool) -> None:
        """Refuse a hyperplane that has none."""
        if not self.of_hyperplane(separator.exact(intercept).integers):
            refuse("The weights of the separator are all 0: nothing has a distance from it.")

    def nearer(self, weights: Dyadic, problem: Problem) -> int | None:
        """Return the first row with ``z_i.w < sqrt(squared) |w|``, if there is one; that all are above 0 is known.

        Scores are multiples of the `_unit`, so the right hand side is rounded up to one: a threshold ``t`` without a root.
        Then ``z_i.w - t`` is the score of ``w`` with the intercept less ``t`` for rows labelled 1, plus ``t`` for the
        others, and its sign is found as those of all scores are. The constant of a row is the denominator c of the rows: so
        the weights are taken c times, and ``t`` once.
        """
        if not self.squared:
            return None
        numbers, shift, unit = weights.integers, -_unit(problem), problem.rows.denominator
        top, bottom = (self.of_hyperplane(numbers) * self.squared * unit * unit * 4**shift).as_integer_ratio()
        threshold = math.isqrt(top // bottom)
        threshold += threshold * threshold * bottom < top
        *others, intercept = numbers if problem.intercept else [*numbers, 0]
        lifted = Lifted.of(replace(problem, intercept=True))
        near = np.zeros(problem.n, bool)
        for label in np.unique(problem.y).tolist():
            moved = [*(weight * unit << shift for weight in others), (intercept * unit << shift) - int(label) * threshold]
            near |= (lifted.signs(Dyadic(moved, -shift)) < 0) & (problem.y == label)
        return int(np.flatnonzero(near)[0]) if near.any() else None


def _check_margin_at_most(combination: Combination, rows: AskedRows, lengths: _Lengths) -> None:
    """See that ``||sum lambda_i z_i|| <= sqrt(squared) sum lambda_i``; geometric, that either class has half of that sum."""
    problem = rows.take(combination.rows)
    if problem.measures.smallest < SAFE:
        refuse_flushing("the rows hold")
    unit = _unit(problem)
    multipliers = whole(combination.multipliers)
    totals: dict[int, int] = defaultdict(int)
    for i, multiplier in enumerate(multipliers):
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
    numbers = whole(multipliers)
    unit = next((m / n for m, n in zip(multipliers, numbers, strict=True) if n), Fraction(1))
    return [number * unit for number in IntegerRows.of(rows).combine(numbers).fractions()]
