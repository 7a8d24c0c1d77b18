"""Gordan's alternative, decided exactly: a hyperplane or an obstruction, never both, always one.

Either some w has ``z_i.w > 0`` for every row, or there are multipliers ``lambda_i >= 0``, not all 0, with
``sum lambda_i z_i = 0``. The second is a linear system in non-negative unknowns::

    sum lambda_i z_i = 0,    sum lambda_i = 1

A *basis* is a choice of as many independent columns ``(z_i, 1)`` as there are equations, completed by unit columns
whose unknowns must come out 0. Its solution, in integers, is an obstruction unless some unknown is on the wrong side of
0. Then the row of the inverse that belongs to it is a direction ``(w, t)``, t < 0, under which every column of the basis
is 0 but one. If ``z_i.w + t >= 0`` for all rows, w is a strict separator; else a row with ``z_i.w + t < 0`` takes the place
of the unknown at fault. That is the dual simplex method with nothing to minimise, so the rule of the least index ends it.

Rows that are *tied*, known to be 0 under every weak separator, come in with unknowns of any sign: what is decided
then is the same question for the other rows modulo the span of the tied ones.

The support of an obstruction found without tied rows is minimal: its columns are independent, so that no part of it
is an obstruction.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiled.signs import UNKNOWN
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, bits_of, combination, independent, seconds_to_solve, solve, transposed
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..support import progress
from ..support.clock import Clock

_QUICK_PIVOTS, _QUICK_PIVOTS_PER_COLUMN = 30, 2
"""Pivots, so many and so many for each column besides, in which the unknown that is most at fault leaves. That is quick as
a rule; the rule of the least index, by which all further pivots go, is sure to end."""


class Kind(IntEnum):
    """What a column of a basis stands for."""

    ROW = 0
    """A row of the problem, with a multiplier that must not be negative."""
    COORDINATE = 1
    """A unit column, whose unknown must be 0."""
    TIED = 2
    """A tied row, with a multiplier of any sign."""


Member = tuple[Kind, int]
"""A column of a basis: what it stands for, and the number of the row or coordinate."""


@dataclass(frozen=True)
class Multipliers:
    """Integers without common divisor under which rows add up to zero: positive ones of rows, and any of tied rows."""

    rows: dict[int, int]
    tied: dict[int, int]


class Alternative:
    """The question for some rows of a problem, the ``live`` ones, given independent tied ones.

    With a ``loser``, a label, it is Motzkin's: weights are to have ``z_i.w > 0`` for live rows of that label, and
    ``z_i.w >= 0`` for the others; an obstruction has one of the loser's rows. In the last equation these alone count.
    """

    def __init__(self, problem: Problem, live: NDArray[np.bool_], tied: list[int], loser: int = 0) -> None:
        self.loser = loser
        self.problem = problem
        self.live = live
        self.tied = tied
        self.D = problem.width
        self._lifted: Lifted | None = None
        self._pace = 1.0
        """How long the last system took to solve, over what was guessed."""

    def obstruction(self, tight: list[int], clock: Clock) -> Multipliers | None:
        """Return the obstruction that independent ones among these rows and the tied ones are, if they are one.

        It takes as many equations as there are rows, independent ones; the others are checked.
        """
        members = [(Kind.TIED, i) for i in self.tied] + [(Kind.ROW, i) for i in tight]
        system = self._system(members)
        columns = transposed(system.matrix)
        chosen = independent(columns)
        members, columns = [members[k] for k in chosen], [columns[k] for k in chosen]
        equations = [self.D, *range(self.D)]  # the last is not to be missed: it is the one whose correct side is not 0
        some = [equations[k] for k in independent([[column[j] for column in columns] for j in equations])]
        if len(some) < len(members):
            return None
        matrix = [[column[j] for column in columns] for j in some]
        x, denominator = self._solved(matrix, [system.right[j] for j in some], clock)
        if combination(x, columns) != [denominator * number for number in system.right] or _at_fault(members, x):
            return None
        return _multipliers(members, system.rows.take(chosen).multipliers(x))

    def decide(self, tight: list[int], columns: list[int], clock: Clock) -> Multipliers | Dyadic:
        """Pivot from the basis that these rows and columns suggest to an obstruction or to a strict separator."""
        basis = self._basis(tight, columns)
        patience = _QUICK_PIVOTS + _QUICK_PIVOTS_PER_COLUMN * self.D
        pivots = 0
        while True:
            clock.check()
            system = self._system(basis)
            x, _ = self._solved(system.matrix, system.right, clock)
            faults = _at_fault(basis, x)
            if not faults:
                of_rows = [k for k, (kind, _) in enumerate(basis) if kind != Kind.COORDINATE]
                return _multipliers([basis[k] for k in of_rows], system.rows.multipliers([x[k] for k in of_rows]))
            quick = pivots < patience
            r = max(faults, key=lambda k: abs(x[k])) if quick else min(faults, key=lambda k: (-basis[k][0], basis[k][1]))
            rho, _ = self._solved(transposed(system.matrix), [int(k == r) for k in range(self.D + 1)], clock)
            if x[r] > 0:
                rho = [-number for number in rho]
            entering = self._violated(system, rho, quick)
            if entering is None:
                return system.direction(rho)[0]
            basis[r] = (Kind.ROW, entering)
            pivots += 1
            progress.report(lambda pivots=pivots: f"exact pivot {pivots:,}")  # type: ignore[misc]

    def _solved(self, matrix: list[list[int]], right: list[int], clock: Clock) -> tuple[list[int], int]:
        """Solve a system, if there is time for it: that cannot be interrupted, and takes long if exponents are far apart.

        How long is guessed, and the guess corrected by how long it took the last time.
        """
        guess = seconds_to_solve(len(matrix), bits_of(matrix))
        clock.check(guess * self._pace)
        started = time.monotonic()
        solution = solve(matrix, right)
        self._pace = min(max((time.monotonic() - started) / guess, 0.1), 10.0)
        return solution

    def _basis(self, tight: list[int], columns: list[int]) -> list[Member]:
        """Complete rows to a basis, preferring these columns."""
        rows = tight or [int(np.flatnonzero(self.live & (self._counts(self.problem.y)))[0])]
        first = set(columns)
        units = [*columns, *(j for j in range(self.D) if j not in first)]
        members = [(Kind.TIED, i) for i in self.tied] + [(Kind.ROW, i) for i in rows]
        members += [(Kind.COORDINATE, j) for j in units]
        chosen = [members[k] for k in independent(transposed(self._system(members).matrix))]
        if len(chosen) != self.D + 1:
            raise ArithmeticError(f"a basis of {self.D + 1} columns has {len(chosen)}: the prime is unlucky")
        return chosen

    def _system(self, members: list[Member]) -> _System:
        rows = IntegerRows.of(self.problem.lifted([i for kind, i in members if kind != Kind.COORDINATE]))
        total = rows.sum_of_multipliers()
        columns = []
        of_rows = iter(zip(rows.numbers, total.integers, strict=True))
        for kind, j in members:
            if kind == Kind.COORDINATE:
                columns.append([int(k == j) for k in range(self.D + 1)])
            else:
                row, share = next(of_rows)
                columns.append([*row, share if kind == Kind.ROW and self._counts(self.problem.y[j]) else 0])
        return _System(transposed(columns), [0] * self.D + [1], rows, total)

    def _counts(self, label: Any) -> Any:
        """Whether rows of a label count in the sum of the multipliers."""
        return (label == self.loser) | (self.loser == 0)

    def _violated(self, system: _System, rho: list[int], quick: bool) -> int | None:
        """Find a live row with ``z.w + t < 0``: a bad one if quick, else the first; None if there is none."""
        if self._lifted is None:
            self._lifted = Lifted.of(self.problem if self.problem.intercept else replace(self.problem, intercept=True))
        y = self.problem.y
        direction = Dyadic.joined(system.direction(rho))
        *w, t = direction.integers
        c = self.problem.rows.denominator
        b = c * w.pop() if self.problem.intercept else 0
        # For a row with label y, z.w + t = y * (x.w + b + y * t): the score of the same weights with another intercept. That
        # counts c times; so all are taken c times.
        ends = {label: b + (label * t if self._counts(label) else 0) for label in (1, -1)}
        weights = {label: Dyadic([*(c * k for k in w), ends[label]], direction.exponent) for label in (1, -1)}
        above, below = (self._lifted.classify(weights[label], refine=True) for label in (1, -1))
        signs = np.where(y > 0, above, below)
        signs[~self.live] = 1
        if quick and np.any(signs == -1):
            found = np.flatnonzero(signs == -1)
            *rounded, least, most = _floats([*w, ends[-1], ends[1]])
            with np.errstate(all="ignore"):
                scores = y[found] * (self.problem.X[found] @ np.array(rounded) + np.where(y[found] > 0, most, least))
                scores /= self._lifted.rows.norms[found]
            return int(found[np.argmin(np.nan_to_num(scores))])
        for i in np.flatnonzero((signs == -1) | (signs == UNKNOWN)).tolist():
            if signs[i] == -1 or self._lifted.exact_sign(i, weights[int(y[i])]) < 0:
                return int(i)
        return None


def _at_fault(basis: list[Member], x: list[int]) -> list[int]:
    """Places of the unknowns on the wrong side of 0."""
    return [
        k for k, ((kind, _), number) in enumerate(zip(basis, x, strict=True))
        if (kind == Kind.ROW and number < 0) or (kind == Kind.COORDINATE and number != 0)
    ]  # fmt: skip


def _multipliers(members: list[Member], numbers: list[int]) -> Multipliers:
    """Sort the multipliers of rows by what the rows are, without those that are 0."""
    pairs = [(kind, i, number) for (kind, i), number in zip(members, numbers, strict=True) if number]
    return Multipliers(
        {i: number for kind, i, number in pairs if kind == Kind.ROW},
        {i: number for kind, i, number in pairs if kind == Kind.TIED},
    )


def _floats(numbers: list[int]) -> list[float]:
    """About the numbers over a power of two that none of them reaches; to choose by, not to prove with."""
    bits = max(abs(number).bit_length() for number in numbers)
    return [float(number >> (bits - 900)) / 2.0**900 if bits > 900 else number / 2.0**bits for number in numbers]


@dataclass(frozen=True)
class _System:
    """The equations for a basis, in integers: its unknowns multiply the integers of the rows instead of the rows."""

    matrix: list[list[int]]
    right: list[int]
    rows: IntegerRows
    total: Dyadic
    """The coefficients of the last equation, ``sum lambda_i = 1``, for all rows."""

    def direction(self, rho: list[int]) -> tuple[Dyadic, Dyadic]:
        """Return a row of the inverse as weights ``w`` of the rows themselves, and ``t``."""
        return self.rows.weights(rho[:-1]), Dyadic(rho[-1:], -self.total.exponent)
