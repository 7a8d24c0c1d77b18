"""Coordinates of rows in the space that they span, in floating point, for rows that have many columns.

A thousand rows span a space of a thousand dimensions at most, however many columns they have. An orthonormal basis of it,
which grows with the rows that are asked for, turns them into rows that are as long as they are many. Lengths and angles stay
the same, up to the rounding of the numbers themselves: unlike a Gram matrix, which squares them, and what is lost with them.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._types import Floats
from ..support.clock import Clock

_ROWS_AT_ONCE = 64
"""Rows that are taken into the basis at a time: between them the clock is looked at."""

_LEAST_RESIDUAL = 1e-13
"""The part of a row outside the space, relative to the longest row, from which on it adds a direction."""


class RowSpace:
    """An orthonormal basis of the space of some rows."""

    def __init__(self) -> None:
        self.basis = np.zeros((0, 0))
        self._longest = 0.0

    def coordinates(self, rows: Floats, clock: Clock) -> Floats:
        """Extend the space so that it has some more rows, and return their coordinates."""
        if not len(self.basis):
            self.basis = np.zeros((0, rows.shape[1]))
        parts = []
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            clock.check()
            parts.append(self._with(rows[start : start + _ROWS_AT_ONCE]))
        found = np.zeros((len(rows), len(self.basis)))
        for k, part in enumerate(parts):
            found[k * _ROWS_AT_ONCE : k * _ROWS_AT_ONCE + len(part), : part.shape[1]] = part
        return found

    def _with(self, rows: Floats) -> Floats:
        inside = rows @ self.basis.T
        rest = rows - inside @ self.basis
        self._longest = max(self._longest, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))))
        Q, R, _ = scipy.linalg.qr(rest.T, mode="economic", pivoting=True, check_finite=False)
        new = Q[:, np.abs(np.diagonal(R)) > _LEAST_RESIDUAL * self._longest].T
        if not len(new):
            return inside
        new -= (new @ self.basis.T) @ self.basis  # once more, now that it is of length 1: what is left of others is gone
        new = scipy.linalg.qr(new.T, mode="economic", check_finite=False)[0].T
        self.basis = np.vstack([self.basis, new])
        return np.hstack([inside, rows @ new.T])
