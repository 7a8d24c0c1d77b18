"""When the mistakes of a run are made, and the sum of its weights over all visits, which follows from that.

A mistake on row i at visit t of V is part of the weights after that visit and all later ones, ``V - t + 1`` in all. So
the weights after each visit add up to ``V w_0 + sum_i m_i step_i z_i``, where ``m_i``, from the number of mistakes on row
i and the sum of their visits alone, is a whole number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Indices

MAX_VISIT_NUMBER = 2**31
"""When the numbers of visits have come to this, visits are numbered from 1 again: sums of so many fit in 64 bits."""


class Moments:
    """For each row of a run, the sum of the numbers of the visits that were mistakes on it.

    With several classes there is a column for each of them, positive where the row is added to its weights and negative
    where it is subtracted.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.sums: Indices = np.zeros(shape, np.int64)
        """For each row the sum of the numbers of its mistakes' visits, which are counted from 1 after the first `before`."""
        self.before = 0
        """Visits that these numbers leave out."""
        self._earlier: NDArray[Any] | int = 0  # the sums up to there, in integers of any size
        self._counts: Indices | int = 0  # and the mistakes

    def begin_anew(self, counts: Indices, visits: int) -> bool:
        """Begin to number visits from 1 again if there are so many that sums might overflow; return whether."""
        if visits < MAX_VISIT_NUMBER:
            return False
        self._earlier = self._late(counts)
        self._counts = counts.copy()
        self.sums[:] = 0
        self.before += visits
        return True

    def multiples(self, counts: Indices, visits: int) -> NDArray[Any]:
        """Return, for each row, in how many of the weights its mistakes are, added up; ``visits`` is since `before`."""
        if not self.before:
            return counts * (visits + 1) - self.sums
        return counts.astype(object) * (self.before + visits + 1) - self._late(counts)

    def _late(self, counts: Indices) -> NDArray[Any]:
        late: NDArray[Any] = self._earlier + self.sums + self.before * (counts - self._counts).astype(object)
        return late
