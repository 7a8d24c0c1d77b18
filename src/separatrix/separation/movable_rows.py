"""Rows whose numbers may be off by a tolerance, and what is exactly true of weights and of multipliers for them.

Where the tolerance of a number depends on its column alone, the worst that can happen to weights is that the two classes
move against each other as they are: ``x_i + y_i delta`` with ``|delta_j| <= r t_j``. So a signed row moves by delta,
whichever its class, and all that matters is where the origin lies beside the hull of the signed, lifted rows ``z_i``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from .._types import Floats, Indices, Rows
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, combination, independent, primitive, solve, transposed
from ..exact.products import exact_score
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import affine_scores, column_ends, filled_in, is_dense, lift, stored, with_numbers
from ..support.clock import Clock

_MOST_BITS = 23
"""Bits of the largest entry that a linear program is given: beyond it, all are scaled."""

_MOST_COPIED = 3_000_000
"""Numbers up to which all rows are copied in other units, about their origin, for scores that are more exact."""

_BITS = 40
"""Bits to which numbers are rounded that may be chosen freely."""

_NEGLIGIBLE = 1e-12
"""Weights below this, over the largest, are taken for what is left of a 0."""

_SCORES_BETWEEN_LOOKS = 1000
"""Exact scores that are computed before the clock is looked at again."""


@dataclass(frozen=True)
class MovableRows:
    """The rows of a problem with the tolerance of each column; 0 for those that are exact."""

    problem: Problem
    tolerances: tuple[Fraction, ...]

    @property
    def width(self) -> int:
        """How many weights there are, that of the intercept counted."""
        return self.problem.width

    @cached_property
    def inexact(self) -> list[int]:
        """The columns whose numbers may be off."""
        return [j for j, each in enumerate(self.tolerances) if each]

    @cached_property
    def exact(self) -> list[int]:
        """The other ones; the last is the intercept, if there is one."""
        return [j for j in range(self.width) if j >= self.problem.d or not self.tolerances[j]]

    @cached_property
    def _lifted(self) -> Lifted:
        return Lifted.of(self.problem)

    # What weights prove.

    def reach(self, weights: Sequence[int]) -> Fraction:
        """Return how far scores may be off at most, if numbers may be as far as their tolerances."""
        return sum((self.tolerances[j] * abs(weights[j]) for j in self.inexact), Fraction(0))

    def least_score(self, weights: Sequence[int], clock: Clock) -> Fraction:
        """Return the least ``z_i.w``, exactly: float scores tell which rows may have it."""
        exact = Dyadic(weights, 0)
        with np.errstate(all="ignore"):
            values, errors = self._lifted.scores(exact)
            doubtful = ~(values - errors > (values + errors).min())
        least: Fraction | None = None
        for k, i in enumerate(np.flatnonzero(doubtful).tolist()):
            if k % _SCORES_BETWEEN_LOOKS == 0:
                clock.check()
            score = exact_score(exact, *self.problem.row(i))
            least = score if least is None else min(least, score)
        assert least is not None
        return least / self.problem.rows.denominator

    # What multipliers prove.

    def mean(self, multipliers: dict[int, int]) -> list[Fraction]:
        """Return the mean of signed, lifted rows, each counted as often as its multiplier says: a point of their hull."""
        rows = list(multipliers)
        total = IntegerRows.of(self.problem.lifted(rows)).combine(list(multipliers.values()))
        return [number / (self.problem.rows.denominator * sum(multipliers.values())) for number in total.fractions()]

    # Floats, which propose.

    @cached_property
    def origin(self) -> list[Fraction]:
        """What is subtracted from columns in floating point: with an intercept, and dense rows, their first row."""
        if not self.problem.intercept or not is_dense(self.problem.X):
            return [Fraction(0)] * self.problem.d
        return [Fraction(number) for number in filled_in(self.problem.rows[[0]].nearest())[0].tolist()]

    @cached_property
    def scale(self) -> Fraction:
        """What tolerances are multiplied with to be units: rows are not to be too large, nor small altogether."""
        sizes = self._sizes[self.inexact].tolist()
        of = [(size, self.tolerances[j]) for size, j in zip(sizes, self.inexact, strict=True) if size]
        bits = [math.frexp(size)[1] - t.numerator.bit_length() + t.denominator.bit_length() for size, t in of]
        most = max(bits, default=0)
        return Fraction(2) ** (most if most < 0 else max(0, most - _MOST_BITS))

    @cached_property
    def units(self) -> list[Fraction]:
        """What columns are measured by in floating point: their tolerances, scaled; exact ones by their largest number."""
        pairs = zip(self.tolerances, self._sizes.tolist(), strict=True)
        found = [tolerance * self.scale or Fraction(size or 1.0) for tolerance, size in pairs]
        return [*found, *([Fraction(1)] if self.problem.intercept else [])]

    @cached_property
    def _sizes(self) -> Floats:
        """The largest magnitude of each column, less its origin."""
        with np.errstate(all="ignore"):
            ends = np.stack(column_ends(self.problem.X)) / float(self.problem.rows.denominator)
            return np.nan_to_num(np.abs(ends - self._floats_of(self.origin)).max(axis=0))

    def _floats_of(self, numbers: Sequence[Fraction]) -> Floats:
        return np.array([near(number) for number in numbers])

    def take(self, rows: Indices | slice) -> Rows:
        """Return some signed, lifted rows in these units."""
        X, divisors = self.problem.rows[rows].nearest(), self._floats_of(self.units[: self.problem.d])
        divisors[divisors == 0.0] = 5e-324
        with np.errstate(all="ignore"):
            if is_dense(X):
                X = (X - self._floats_of(self.origin)) / divisors
            else:
                X = with_numbers(X, X.data / divisors[X.indices])
            np.nan_to_num(X if is_dense(X) else X.data, copy=False, posinf=1.0, neginf=-1.0)
        return lift(X, self.problem.y[rows], float(self.problem.intercept))

    @cached_property
    def _all(self) -> Rows | None:
        """All of them, where they are not too many to be copied."""
        return self.take(slice(None)) if stored(self.problem.X) <= _MOST_COPIED else None

    def scores(self, w: Floats) -> Floats:
        """Return the scores of all rows, in these units, under weights for them."""
        with np.errstate(all="ignore"):
            if self._all is not None:
                return np.asarray(self._all @ w)
            d, weights = self.problem.d, w / self._floats_of(self.units)
            if self.problem.intercept:
                weights[d] -= weights[:d] @ self._floats_of(self.origin)
            weights[:d] /= float(self.problem.rows.denominator)
            return np.nan_to_num(affine_scores(self.problem.X, weights) * self.problem.y)

    def ratio(self, w: Floats) -> float:
        """Return about the least score of weights for the floats, over how far scores may be off."""
        with np.errstate(all="ignore"):
            return float(self.scores(w).min() / np.abs(w[self.inexact]).sum()) * near(self.scale)

    def weights(self, w: Floats) -> list[int]:
        """Return weights for these floats as exact weights for the rows, times a positive number that makes them whole."""
        size = np.abs(w)
        kept = np.where(size > _NEGLIGIBLE * size.max(initial=0.0), w, 0.0)
        numbers = [Fraction(number) / unit for number, unit in zip(kept.tolist(), self.units, strict=True)]
        if self.problem.intercept:
            numbers[-1] -= sum((a * b for a, b in zip(numbers, self.origin, strict=False)), Fraction(0))
        return whole_numbers(numbers)

    # Exact solutions of what floats propose.

    def corrected(self, w: Floats, rows: Sequence[int]) -> list[int] | None:
        """Correct weights for the floats so that rows score exactly alike; columns of the weight 0 keep it."""
        guess = self.weights(w)
        used = [j for j, weight in enumerate(guess) if weight]
        if not used or not rows:
            return None
        system = IntegerRows.of(self.problem.lifted(list(rows))[:, used])
        most = max(system.row_exponents)
        alike = [-(1 << (most - exponent)) for exponent in system.row_exponents]
        values = [guess[j] * Fraction(2) ** e for j, e in zip(used, system.column_exponents, strict=True)]
        score = max(map(abs, values))  # it comes first
        found = balanced([alike, *transposed(system.numbers)], [score, *values])
        if found is None:
            return None
        whole = [0] * self.width
        solved = Dyadic(found[1:], 0).times_powers(-e for e in system.column_exponents).integers
        for j, number in zip(used, solved, strict=True):
            whole[j] = number
        largest = max(used, key=lambda j: abs(guess[j]))
        return primitive([-number for number in whole] if whole[largest] * guess[largest] < 0 else whole)

    def multipliers(
        self,
        rows: Sequence[int],
        values: Sequence[float],
        columns: Sequence[int],
        direction: dict[int, Fraction] | None = None,
    ) -> dict[int, int] | None:
        """Find positive multipliers near these values under which rows add up to 0 in some columns.

        With a direction, they are to add up to some positive multiple of that, in these columns.
        """
        if not rows:
            return None
        system = IntegerRows.of(self.problem.lifted(list(rows)))
        least = min(system.row_exponents)  # multipliers are to be of the rows, so that small ones are not rounded to 0
        numbers = [[k << (e - least) for k in row] for row, e in zip(system.numbers, system.row_exponents, strict=True)]
        vectors, guess = [[row[j] for j in columns] for row in numbers], [Fraction(value) for value in values]
        if direction is not None:
            of = [direction.get(j, Fraction(0)) / Fraction(2) ** system.column_exponents[j] for j in columns]
            vectors, guess = [[-number for number in whole_numbers(of)], *vectors], [max(guess), *guess]
        found = balanced(vectors, guess)
        if found is None or min(found) < 0 or not any(found[direction is not None :]):
            return None
        whole = primitive(found[direction is not None :])
        return {i: number for i, number in zip(rows, whole, strict=True) if number}


def near(number: Fraction | float) -> float:
    """Return the float64 next to a number, infinity if it is too large; to choose by, not to prove with."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def balanced(vectors: Sequence[Sequence[int]], values: Sequence[Fraction]) -> list[int] | None:
    """Find whole numbers near a multiple of values, the first of which is not to be negative, that sum vectors to zero.

    Vectors that do not depend on others of larger values are solved for, the others' numbers are rounded. None if there is
    no such solution.

    >>> balanced([[2, 0], [0, 3], [-1, -1]], [Fraction(1, 2), Fraction(1, 3), Fraction(1)])
    [3, 2, 6]
    """
    order = sorted(range(len(vectors)), key=lambda k: -abs(values[k]))
    solved = [order[k] for k in independent([vectors[k] for k in order])] if vectors[0] else []
    free = [k for k in order if k not in set(solved)]
    largest = max((abs(values[k]) for k in free), default=Fraction(0))
    if not largest:
        return None
    fixed = {k: round(values[k] / largest * 2**_BITS) for k in free}
    if not vectors[0]:
        return primitive([fixed[k] for k in range(len(vectors))])
    right = [-number for number in combination(list(fixed.values()), [vectors[k] for k in free])]
    found = dict(fixed)
    if solved:
        columns = transposed([vectors[k] for k in solved])
        equations = independent(columns)
        if len(equations) < len(solved):
            return None
        x, denominator = solve([columns[j] for j in equations], [right[j] for j in equations])
        found = {k: number * denominator for k, number in fixed.items()} | dict(zip(solved, x, strict=True))
    numbers = primitive([found[k] for k in range(len(vectors))])
    if any(combination(numbers, vectors)):
        return None
    return [-number for number in numbers] if numbers[0] < 0 else numbers


def whole_numbers(numbers: Sequence[Fraction]) -> list[int]:
    """Return whole numbers without common divisor in proportion to fractions."""
    common = math.lcm(*(number.denominator for number in numbers))
    return primitive([number.numerator * (common // number.denominator) for number in numbers])
