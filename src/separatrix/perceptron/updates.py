"""The updates of a run, and its first weights, as kernels take them: scaled by a power of two, and written in few floats."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._types import Floats
from ..compiled.environment import refuse_flushing
from ..compiled.error_free import MANTISSA_BITS
from ..compiled.measures import grid_exponent
from ..compiled.run import Steps
from ..exact.dyadic import Dyadic
from ..problem.lifted import LARGEST, Lifted, exponent, is_tiny

ROOM_BITS = 51
"""Bits by which weights may outgrow the smallest entry and still fit in two floats."""


@dataclass(frozen=True, kw_only=True)
class Updates:
    """What the mistakes of a run add to its weights, and what these are at first, on the scale of the kernels."""

    lifted: Lifted
    start: Dyadic
    """The first weights."""
    scale: int
    """Weights are multiplied by ``2**scale``: as the rows are, and less where the steps or the start ask for it."""
    steps: Steps | None
    """The multiples of rows, on that scale; None: all are 1."""
    largest_step: float
    """Upper bound of ``||step_i z_i||``."""

    @classmethod
    def of(cls, lifted: Lifted, start: Dyadic, row_steps: Floats | None, factor: float | int) -> Updates | None:
        """Choose the scale, and write the steps in it; None if the kernels cannot hold them."""
        exact = _in_two_floats(lifted.problem.n, row_steps, factor)
        if exact is None:
            return None
        high, low = exact
        largest = 1.0 if high is None else float(high.max())
        lower = 0 if 2.0**-100 <= largest <= 2.0**100 else -exponent(largest)
        if start:
            lower = min(lower, exponent(LARGEST) - start.magnitude() - lifted.shift)
        if lower:
            high = np.ones(lifted.problem.n) if high is None else high
            low = np.zeros(lifted.problem.n) if low is None else low
            scaled = np.ldexp(high, lower), np.ldexp(low, lower)
            if not (np.array_equal(np.ldexp(scaled[0], -lower), high) and np.array_equal(np.ldexp(scaled[1], -lower), low)):
                return None
            high, low = scaled
        if any(is_tiny(each) for each in (high, low) if each is not None):
            refuse_flushing("the steps are")
        rows = lifted.rows
        return cls(
            lifted=lifted,
            start=start,
            scale=lifted.shift + lower,
            steps=None if high is None else Steps(high, np.zeros_like(high) if low is None else low),
            largest_step=rows.radius if high is None else float((high * rows.norms).max()) * (1 + 2.0**-40),
        )

    def first_weights(self) -> tuple[Floats, Floats, float]:
        """Write the first weights as sums of floats; return these, what they do not hold, and how far they have room.

        As long as the length of the weights is within that, two floats for each of them hold all sums exactly.
        """
        parts, loss = self.start.split(2 if self.steps is None else 3, self.scale)
        if is_tiny(parts) or is_tiny(loss):
            refuse_flushing("the initial weights hold")
        # Two floats hold what one number as small as the smallest entry, and one as large as the weights become, need: so
        # they do for a start that ends where an entry of this size would.
        last = grid_exponent(parts.reshape(-1).view(np.uint64), -1100)
        least = min(self.lifted.smallest, math.ldexp(1.0, int(min(last, 900)) + MANTISSA_BITS - 1))
        return parts, loss, 2.0**ROOM_BITS * least if not loss.any() else 0.0

    def grid(self) -> float:
        """Return the bound of ``||w|| ||z||`` below which float scores are exact."""
        rows = self.lifted.rows
        if not rows.constant and not self.lifted.problem.measures.largest:
            return 0.0  # a bound of the scores, which are all zero, would be none of the weights, to be exact as well
        floor = exponent(rows.radius) - 28  # below, 53 bits would not hold a single product
        g = self.lifted.grid
        of_weights = g
        if self.steps is not None:
            of_weights += grid_exponent(self.steps.high.view(np.uint64), -1100)
            if np.any(self.steps.low):
                return 0.0
        start, _ = self.start.split(3, self.scale)
        of_weights = min(of_weights, grid_exponent(start.reshape(-1).view(np.uint64), -1100))
        if g < floor or g + of_weights < -900:
            return 0.0
        return math.ldexp(1.0, min(MANTISSA_BITS + int(g) + int(of_weights), 1000))


def _in_two_floats(n: int, row_steps: Floats | None, factor: float | int) -> tuple[Floats | None, Floats | None] | None:
    """Return the steps, the factor included, as sums of two floats; None if two do not hold them."""
    if factor == 1:
        return row_steps, None
    numbers = Dyadic([1], 0) if row_steps is None else Dyadic.from_parts(row_steps)
    try:
        parts, loss = numbers.times(factor).split(2, 0)
    except OverflowError:
        return None
    if loss.any():
        return None
    return (parts[0], parts[1]) if row_steps is not None else (np.full(n, parts[0]), np.full(n, parts[1]))
