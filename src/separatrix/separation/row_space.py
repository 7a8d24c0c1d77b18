"""Coordinates of rows in the space that they span, in floating point, for rows that have many columns.

A thousand rows span a space of a thousand dimensions at most, however many columns they have. An orthonormal basis of it,
which grows with the rows that are asked for, turns them into rows that are as long as they are many. Lengths and angles stay
the same, up to the rounding of the numbers themselves: unlike a Gram matrix, which squares them, and what is lost with them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.linalg

from .._types import Floats
from ..support.clock import Clock

ROWS_AT_ONCE = 64
"""Rows that are best taken into the basis at a time: between them the clock is looked at, and Ctrl-C is heard."""

_LEAST_RESIDUAL = 1e-13
"""The part of a row outside the space, relative to the longest row, from which on it adds a direction."""


class RowSpace:
    """An orthonormal basis of the space of some rows."""

    def __init__(self) -> None:
        self._basis: list[Floats] = []  # in parts, as it has grown: to put them together would take long
        self._width = 0
        self._longest = 0.0

    @property
    def dimension(self) -> int:
        """The number of vectors in the basis."""
        return sum(map(len, self._basis))

    def coordinates(self, rows: Iterable[Floats], clock: Clock) -> Floats:
        """Extend the space so that it has some more rows, given in parts, and return their coordinates."""
        parts = []
        for some in rows:
            clock.check()
            parts.append(self._with(some))
        found = np.zeros((sum(map(len, parts)), self.dimension))
        start = 0
        for part in parts:
            found[start : start + len(part), : part.shape[1]] = part
            start += len(part)
        return found

    def combine(self, coordinates: Floats) -> Floats:
        """Return the vectors of the space that have some coordinates."""
        found = np.zeros((*coordinates.shape[:-1], self._width))
        start = 0
        for part in self._basis:
            found += coordinates[..., start : start + len(part)] @ part
            start += len(part)
        return found

    def _inside(self, rows: Floats) -> Floats:
        """Return the coordinates of what of rows lies in the space."""
        return np.hstack([np.zeros((len(rows), 0)), *(rows @ part.T for part in self._basis)])

    def _with(self, rows: Floats) -> Floats:
        self._width = rows.shape[1]
        inside = self._inside(rows)
        rest = rows - self.combine(inside)
        self._longest = max(self._longest, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))))
        Q, R, _ = scipy.linalg.qr(rest.T, mode="economic", pivoting=True, check_finite=False)
        new = Q[:, np.abs(np.diagonal(R)) > _LEAST_RESIDUAL * self._longest].T
        if not len(new):
            return inside
        new -= self.combine(self._inside(new))  # once more, now that it is of length 1: what is left of others is gone
        new = scipy.linalg.qr(new.T, mode="economic", check_finite=False)[0].T
        self._basis.append(new)
        return np.hstack([inside, rows @ new.T])
