"""The shortest convex combination of some rows, in floating point: Wolfe's method, with a factorisation that is updated.

Wolfe (1976): keep affinely independent rows and the shortest affine combination of them; let a row enter that has a smaller
score under the combination than those of its group; if a multiplier would turn negative, go as far as it allows and let that
row leave. A step changes the rows kept by one or a few, and so does it their QR factorisation: that costs as much as reading
the rows kept once, where to solve anew costs as much for each of them.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._types import Floats, Indices
from ..support import progress
from ..support.clock import Clock

_CHANGES_BEFORE_ANEW = 300
"""Changes of a factorisation after which it is made anew, as each adds a rounding error."""

_LEAST_PIVOT = 1e-12
"""The smallest diagonal entry, relative to the largest, with which a factorisation is relied on."""

_STEPS_BETWEEN_REPORTS = 100
"""Steps after which listeners hear again how far it has come."""


class WorkingSet:
    """Rows in groups, and the shortest convex combination of some of them: multipliers add up to 1 in each group."""

    def __init__(self, Z: Floats, groups: Indices, multipliers: Floats | None = None) -> None:
        self.Z, self.groups = Z, groups
        if multipliers is None:
            multipliers = np.zeros(len(Z))
            for group in np.unique(groups):
                multipliers[np.flatnonzero(groups == group)[0]] = 1.0
        self.multipliers = multipliers  # never changed in place: whoever is interrupted finds them whole
        self._sides = [np.flatnonzero(groups == group) for group in np.unique(groups)]

    @property
    def kept(self) -> Indices:
        """The rows with a multiplier."""
        return np.flatnonzero(self.multipliers)

    def point(self) -> Floats:
        """Return the combination."""
        return self.multipliers @ self.Z

    def shorten(self, tolerance: float, clock: Clock) -> None:
        """Make the combination as short as these rows allow."""
        corral = _Corral(self.Z, self.groups, self.kept)
        v = self.point()
        for step in range(20 * len(self.Z) + 100):
            clock.check()
            if step % _STEPS_BETWEEN_REPORTS == _STEPS_BETWEEN_REPORTS - 1:
                progress.report(lambda: f"the margin: {len(corral.active):,} rows hold the hyperplane")
            scores = self.Z @ v
            entering, above = self._lowest(scores)
            if above >= -tolerance * float(v @ v) or self.multipliers[entering]:
                return
            before = self.multipliers
            if not self._enter(corral, entering):
                return
            shorter = self.point()
            if not float(shorter @ shorter) < float(v @ v):
                self.multipliers = before
                return
            v = shorter

    def _lowest(self, scores: Floats) -> tuple[int, float]:
        """Return the row that is farthest below the rows of its group with a multiplier, and how far above them it is."""
        found = []
        for side in self._sides:
            mine = scores[side]
            at = int(np.argmin(mine))
            found.append((float(mine[at] - mine[self.multipliers[side] > 0.0].min()), int(side[at])))
        above, entering = min(found)
        return entering, above

    def _enter(self, corral: _Corral, entering: int) -> bool:
        """Let a row enter; return whether that could be done."""
        multipliers = self.multipliers.copy()
        corral.add(entering)
        while True:
            active = corral.active
            target = corral.affine()
            if not np.isfinite(target).all():
                return False
            negative = target <= 0.0
            if not negative.any():
                multipliers[active] = target
                break
            now = multipliers[active]
            steps = now[negative] / (now[negative] - target[negative])
            step = float(steps.min())
            moved = now + step * (target - now)
            moved[np.flatnonzero(negative)[steps <= step]] = 0.0
            multipliers[active] = np.where(moved > 0.0, moved, 0.0)  # NaN is let go as well
            corral.remove(np.flatnonzero(~(moved > 0.0)))
            if any(not multipliers[side].any() for side in self._sides):
                return False
        self.multipliers = multipliers
        return True


class _Corral:
    """The rows kept, and the QR factorisation of the matrix that has them as columns below what tells their groups.

    With ``E`` for the groups, times a number of the size of rows, and ``Z`` for the rows, ``[E; Z] = QR``. Multipliers t of
    any sign that add up to 1 in each group, and make ``Zt`` as short as possible, solve ``Rt = P' s`` for the rows P of Q
    that belong to E, and some s: then ``[E; Z]t`` is the orthogonal projection of ``(s, 0)``, so that ``Zt`` is orthogonal
    to all differences of rows of a group; and ``PP' s = (1, ..., 1)`` makes the sums right.
    """

    def __init__(self, Z: Floats, groups: Indices, active: Indices) -> None:
        self.Z, self.groups, self.active = Z, groups, active
        self._count = len(np.unique(groups))
        norms = np.einsum("ij,ij->i", Z[active], Z[active])
        self._unit = float(np.sqrt(norms.max(initial=0.0))) or 1.0
        self._anew()

    def _columns(self, rows: Indices) -> Floats:
        sides = np.zeros((self._count, len(rows)))
        sides[self.groups[rows], np.arange(len(rows))] = self._unit
        return np.vstack([sides, self.Z[rows].T])

    def _anew(self) -> None:
        self._changes = 0
        columns = self._columns(self.active)
        self._factors = None
        if columns.shape[1] < columns.shape[0] and np.isfinite(columns).all():  # a square one is not economic
            self._factors = scipy.linalg.qr(columns, mode="economic", check_finite=False)

    def add(self, row: int) -> None:
        """Take up a row."""
        self.active = np.append(self.active, row)
        self._changes += 1
        if self._factors is None or self._changes > _CHANGES_BEFORE_ANEW:
            self._anew()
            return
        Q, R = self._factors
        self._factors = None
        if Q.shape[1] < Q.shape[0] - 1:
            column = self._columns(self.active[-1:])[:, 0]
            try:
                self._factors = scipy.linalg.qr_insert(Q, R, column, R.shape[1], which="col", check_finite=False)
            except (np.linalg.LinAlgError, ValueError):  # it depends on the others, or is not finite
                return

    def remove(self, places: Indices) -> None:
        """Let rows go, given by their places among those kept."""
        self.active = np.delete(self.active, places)
        self._changes += len(places)
        if self._factors is None or self._changes > _CHANGES_BEFORE_ANEW:
            self._anew()
            return
        for place in places[::-1].tolist():
            self._factors = scipy.linalg.qr_delete(*self._factors, place, which="col", check_finite=False)

    def affine(self) -> Floats:
        """Return the multipliers, of any sign, of the shortest affine combination in each group."""
        if self._factors is None:
            return self._solved_anew()
        Q, R = self._factors
        pivots = np.abs(np.diagonal(R))
        if not pivots.min() > _LEAST_PIVOT * pivots.max():
            return self._solved_anew()
        P = Q[: self._count]
        try:
            s = np.linalg.solve(P @ P.T, np.ones(self._count))
        except np.linalg.LinAlgError:
            return self._solved_anew()
        result: Floats = scipy.linalg.solve_triangular(R, P.T @ s, check_finite=False) * self._unit
        groups = self.groups[self.active]
        return result / np.bincount(groups, result)[groups]

    def _solved_anew(self) -> Floats:
        """Return the same by a solver that tells the rank, for rows that are nearly dependent."""
        active, groups = self.active, self.groups[self.active]
        base = {int(group): int(np.flatnonzero(groups == group)[0]) for group in np.unique(groups)}
        others = [k for k in range(len(active)) if k not in base.values()]
        Z = self.Z[active]
        result = np.zeros(len(active))
        result[list(base.values())] = 1.0
        if others:
            differences = Z[others] - Z[[base[int(groups[k])] for k in others]]
            start = sum(Z[k] for k in base.values())
            t = scipy.linalg.lstsq(differences.T, -start, lapack_driver="gelsy", check_finite=False)[0]
            result[others] = t
            for k, value in zip(others, t.tolist(), strict=True):
                result[base[int(groups[k])]] -= value
        return result
