"""Weights in the feature space of a kernel: an expansion in rows, and what it says of new ones.

The weights ``w = sum_j alpha_j phi(x_j)`` are never formed; all that is asked of them is scores,
``w.phi(x) = sum_j alpha_j K(x_j, x)``, in floating point whose error is bounded, or in integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._types import Floats, Indices
from ..compiled.error_free import UNDERFLOW, UNIT
from ..compiled.kernel_run import TINY
from ..compiled.measures import grid_exponent
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest, rounded_in_order
from ..problem.exact_rows import ExactRows
from ..problem.ties import leader, leaders
from ..support import progress
from .gram import Gram, Kernel, Points

NUMBERS_PER_BLOCK = 2**21
"""Scores are computed in blocks: by matrices of about so many numbers."""


@dataclass(frozen=True)
class Expansion:
    """Weights in feature space: the points erred on, by number, and the exact multiple of each, signed as its class."""

    rows: Indices
    multiples: Dyadic

    def score(self, gram: Gram, i: int) -> Fraction:
        """Return the exact score of a point on the right, in the unit of the products."""
        if not self.rows.size:
            return Fraction(0)
        products, exponent = gram.exact(self.rows.tolist(), i)
        total = sum(map(int.__mul__, self.multiples.integers, products))
        return Fraction(total) * Fraction(2) ** (exponent + self.multiples.exponent)

    def scores(self, gram: Gram) -> tuple[Floats, Floats]:
        """Return the scores of all points on the right, and bounds of their errors.

        They have the exact sign, and are correctly rounded where they nearly cancel.
        """
        values, errors = self._scores(gram)
        if gram.divisor == 1:
            return values, errors
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            divisor = nearest(Fraction(gram.divisor))
            result = values / divisor
            # The divisor and the quotient are rounded; near the subnormal numbers, by more than a unit of themselves.
            bounds = errors / divisor * (1 + 8 * UNIT) + 4 * UNIT * np.abs(result) + 2.0**-1073
        strange = (~np.isfinite(result)) | ((np.abs(result) < 2.0**-1000) & (values != 0.0)) | math.isinf(divisor)
        for i in np.flatnonzero(strange).tolist():
            result[i] = nearest(self.score(gram, i) / gram.divisor)
            bounds[i] = UNIT * abs(result[i]) + 2.0**-1074
        return result, np.where((errors == 0.0) & (result == 0.0), 0.0, bounds)

    def _scores(self, gram: Gram) -> tuple[Floats, Floats]:
        """Return the same in the unit of the products."""
        if not self.rows.size:
            return np.zeros(gram.n), np.zeros(gram.n)
        # Scaled so that products with them stay in range as far as possible.
        scale = self.multiples.magnitude()
        multiples = self.multiples.split(1, -scale)[0][0]
        sizes = np.abs(multiples) + TINY  # what rounding and underflow take from the smallest is in it
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            block = gram.block(self.rows)
            values: Floats = multiples @ block
            spread = sizes @ np.abs(block, out=block)
            if self._sums_exactly(gram, multiples, scale, float(spread.max())):
                exact = np.ldexp(values, scale)
                errors = np.zeros(exact.size)
                for i in np.flatnonzero(np.ldexp(exact, -scale) != values).tolist():  # out of range, or not far from it
                    exact[i] = nearest(Fraction(float(values[i])) * Fraction(2) ** scale)
                    errors[i] = UNIT * abs(exact[i]) + 2.0**-1074
                return exact, errors
            matrix = gram.error * float(sizes @ gram.left_spans[self.rows]) * gram.spans
            errors = 1.01 * ((sizes.size + 8) * UNIT * spread + matrix) + (sizes.size + 8) * UNDERFLOW
            result: Floats = np.ldexp(values, scale)
            certain = (np.abs(values) > errors) & np.isfinite(result) & (np.abs(result) > 2.0**-1021)
            errors = np.ldexp(errors, scale) + 2.0**-1074
            for i in np.flatnonzero(~certain).tolist():
                result[i] = nearest(self.score(gram, i))
                errors[i] = UNIT * abs(result[i]) + 2.0**-1074
        return result, errors

    def _sums_exactly(self, gram: Gram, multiples: Floats, scale: int, largest: float) -> bool:
        """Whether sums of products with the scaled, rounded multiples are exact in floating point."""
        if not gram.limit or not largest <= gram.limit * 2.0 ** int(grid_exponent(multiples.view(np.uint64), -1100)):
            return False
        return self.multiples.times_power(-scale).holds(multiples)


class Machine(NamedTuple):
    """What a run has learnt, and can say of new rows.

    The expansion is in the support points, or, where the rows hold the products, in their columns.
    """

    kernel: Kernel
    expansion: Expansion
    support: Points | None

    def scores(self, rows: ExactRows) -> tuple[Floats, Floats]:
        """Return the scores of rows, computed in blocks of bounded memory, and bounds of their errors."""
        n, d = rows.shape
        step = max(1, NUMBERS_PER_BLOCK // max(self.expansion.rows.size, d))
        result, errors = np.empty(n), np.empty(n)
        for start in range(0, n, step):
            progress.report(lambda: f"scoring {n:,} rows", start, n, "rows")
            some = slice(start, start + step)
            result[some], errors[some] = self.expansion.scores(self._gram(rows[some]))
        return result, errors

    def exact_scores(self, rows: ExactRows) -> list[Fraction]:
        """Return the exact scores of rows."""
        gram = self._gram(rows)
        return [self.expansion.score(gram, i) / gram.divisor for i in range(len(rows))]

    def _gram(self, rows: ExactRows) -> Gram:
        points = Points(rows)
        return self.kernel.gram(points if self.support is None else self.support, points)


def compared(machines: Sequence[Machine], rows: ExactRows, tie: int) -> tuple[Floats, Indices]:
    """Return the scores of rows under several machines, and which of these gives each row the largest exact score.

    Among equals the tie rule chooses. In floating point, too, the largest is the largest.
    """
    values, errors = (np.stack(each, axis=1) for each in zip(*(each.scores(rows) for each in machines), strict=True))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        errors = np.where(errors > 0.0, 1.01 * errors + 4 * UNIT * np.abs(values), 0.0)
        rivals = ~(values + errors < (values - errors).max(axis=1, keepdims=True))
    best = leaders(values, tie)
    doubtful = np.flatnonzero((np.count_nonzero(rivals, axis=1) > 1) & np.any(rivals & (errors > 0.0), axis=1))
    if doubtful.size:
        exact = zip(*(machine.exact_scores(rows[doubtful]) for machine in machines), strict=True)
        for i, each in zip(doubtful.tolist(), exact, strict=True):
            best[i], values[i] = leader(each, tie), rounded_in_order(each)
    return values, best
