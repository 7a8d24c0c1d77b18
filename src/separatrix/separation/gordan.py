"""Gordan's alternative, decided exactly: a hyperplane or an obstruction, never both, always one.

Either some w has ``z_i.w > 0`` for every row, or there are multipliers ``lambda_i >= 0``, not all 0, with
``sum lambda_i z_i = 0``. The second is a linear system in non-negative unknowns::

    sum lambda_i z_i = 0,    sum lambda_i = 1

A *basis* is a choice of as many independent columns ``(z_i, 1)`` as there are equations, completed by unit columns
whose unknowns must come out 0. Its solution, in integers, is an obstruction unless some unknown is on the wrong side of
0. Then the row of the inverse that belongs to it is a direction ``(w, t)``, t < 0, under which every column of the basis
is 0 but one. If ``z_i.w + t >= 0`` for all rows, w is a strict separator; else a row with ``z_i.w + t < 0`` takes the place
of the unknown at fault. That is the dual simplex method with nothing to minimise, so the rule of the least index ends it.

Rows that are *bound*, known to be 0 under every weak separator, come in with unknowns of any sign: what is decided
then is the same question for the other rows modulo the span of the bound ones.

The support of an obstruction found without bound rows is minimal: its columns are independent, so that no part of it
is an obstruction.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..compiled.signs import UNKNOWN
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, bits_of, independent, primitive, product, seconds_to_solve, solve, transposed
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..support import progress
from ..support.clock import Clock

ROW, UNIT, BOUND = range(3)
"""What a column of a basis stands for: a row of the problem, a coordinate, a bound row."""

Member = tuple[int, int]


@dataclass(frozen=True)
class Multipliers:
    """Integers without common divisor: positive ones of rows, and of bound rows, which add up to zero."""

    rows: dict[int, int]
    bound: dict[int, int]


class Alternative:
    """The question for some rows of a problem, the ``live`` ones, given independent bound ones."""

    def __init__(self, problem: Problem, live: NDArray[np.bool_], bound: list[int]) -> None:
        self.problem = problem
        self.live = live
        self.bound = bound
        self.D = problem.d + problem.intercept
        self._lifted: Lifted | None = None
        self._pace = 1.0

    def obstruction(self, tight: list[int], clock: Clock) -> Multipliers | None:
        """Return the obstruction that independent ones among these rows and the bound ones are, if they are one.

        It takes as many equations as there are rows, independent ones; the others are checked.
        """
        members = [(BOUND, i) for i in self.bound] + [(ROW, i) for i in tight]
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
        if product(x, columns) != [denominator * number for number in system.right] or _at_fault(members, x):
            return None
        exponents = [system.integers.rows[k] for k in chosen]
        return self._multipliers(members, exponents, x)

    def decide(self, tight: list[int], columns: list[int], clock: Clock) -> Multipliers | Dyadic:
        """Pivot from the basis that these rows and columns suggest to an obstruction or to a strict separator."""
        basis = self._basis(tight, columns)
        patience = 30 + 2 * self.D
        pivots = 0
        while True:
            clock.check()
            system = self._system(basis)
            x, _ = self._solved(system.matrix, system.right, clock)
            faults = _at_fault(basis, x)
            if not faults:
                of_rows = [(member, number) for member, number in zip(basis, x, strict=True) if member[0] != UNIT]
                members, numbers = (list(each) for each in zip(*of_rows, strict=True))
                return self._multipliers(members, system.integers.rows, numbers)
            # The largest violation is quick, the least index sure.
            quick = pivots < patience
            r = max(faults, key=lambda k: abs(x[k])) if quick else min(faults, key=lambda k: (-basis[k][0], basis[k][1]))
            rho, _ = self._solved(transposed(system.matrix), [int(k == r) for k in range(self.D + 1)], clock)
            if x[r] > 0:
                rho = [-number for number in rho]
            entering = self._violated(system, rho, quick)
            if entering is None:
                return Dyadic(*system.weights(rho))
            basis[r] = (ROW, entering)
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
        rows = tight or [int(np.flatnonzero(self.live)[0])]
        first = set(columns)
        units = [*columns, *(j for j in range(self.D) if j not in first)]
        members = [(BOUND, i) for i in self.bound] + [(ROW, i) for i in rows] + [(UNIT, j) for j in units]
        chosen = [members[k] for k in independent(self._columns(members))]
        if len(chosen) != self.D + 1:
            raise ArithmeticError(f"a basis of {self.D + 1} columns has {len(chosen)}: the prime is unlucky")
        return chosen

    def _columns(self, members: list[Member]) -> list[list[int]]:
        return transposed(self._system(members).matrix)

    def _system(self, members: list[Member]) -> _System:
        rows = [i for kind, i in members if kind != UNIT]
        integers = IntegerRows.of(self.problem.lifted(rows))
        top = max(integers.rows)
        columns = []
        numbers = iter(zip(integers.numbers, integers.rows, strict=True))
        for kind, j in members:
            if kind == UNIT:
                columns.append([int(k == j) for k in range(self.D + 1)])
            else:
                row, exponent = next(numbers)
                columns.append([*row, 1 << (top - exponent) if kind == ROW else 0])
        return _System(transposed(columns), [0] * self.D + [1], integers, top)

    @staticmethod
    def _multipliers(members: list[Member], exponents: list[int], x: list[int]) -> Multipliers:
        """Turn the solution for rows, each divided by a power of two, into multipliers of the rows themselves."""
        top = max(exponents)
        scaled = primitive(number << (top - r) for number, r in zip(x, exponents, strict=True))
        pairs = [(kind, i, number) for (kind, i), number in zip(members, scaled, strict=True) if number]
        return Multipliers(
            {i: number for kind, i, number in pairs if kind == ROW},
            {i: number for kind, i, number in pairs if kind == BOUND},
        )

    def _violated(self, system: _System, rho: list[int], quick: bool) -> int | None:
        """Find a live row with ``z.w + t < 0``: a bad one if quick, else the first; None if there is none."""
        if self._lifted is None:
            self._lifted = Lifted.of(self.problem if self.problem.intercept else replace(self.problem, intercept=True))
        integers, exponent = system.weights(rho)
        low = min(exponent, system.top)
        integers = [number << (exponent - low) for number in integers]
        t = rho[self.D] << (system.top - low)
        # For a row with label y, z.w + t = y * (x.w + b + y * t).
        d = self.problem.d
        b = integers[d] if self.problem.intercept else 0
        weights = {y: Dyadic([*integers[:d], b + y * t], low) for y in (1, -1)}
        signs = np.where(self.problem.y > 0, *(self._lifted.classify(weights[y], refine=True) for y in (1, -1)))
        signs[~self.live] = 1
        if quick and np.any(signs == -1):
            found = np.flatnonzero(signs == -1)
            w = np.array(_floats([*integers[:d], b - t, b + t]))
            X, y = self.problem.X[found], self.problem.y[found]
            with np.errstate(all="ignore"):
                scores = y * (X @ w[:d] + np.where(y > 0, w[d + 1], w[d])) / self._lifted.rows.norms[found]
            return int(found[np.argmin(np.nan_to_num(scores))])
        for i in np.flatnonzero((signs == -1) | (signs == UNKNOWN)).tolist():
            if signs[i] == -1 or self._lifted.exact_sign(i, weights[int(self.problem.y[i])]) < 0:
                return int(i)
        return None


def _at_fault(basis: list[Member], x: list[int]) -> list[int]:
    """Places of the unknowns on the wrong side of 0."""
    return [
        k for k, ((kind, _), number) in enumerate(zip(basis, x, strict=True))
        if (kind == ROW and number < 0) or (kind == UNIT and number != 0)
    ]  # fmt: skip


def _floats(numbers: list[int]) -> list[float]:
    """About the numbers over a power of two that none of them reaches; to choose by, not to prove with."""
    bits = max(abs(number).bit_length() for number in numbers)
    return [float(number >> (bits - 900)) / 2.0**900 if bits > 900 else number / 2.0**bits for number in numbers]


@dataclass(frozen=True)
class _System:
    """The equations for a basis, in integers: rows divided by ``2**integers.rows``, columns by ``2**integers.columns``."""

    matrix: list[list[int]]
    right: list[int]
    integers: IntegerRows
    top: int

    def weights(self, rho: list[int]) -> tuple[list[int], int]:
        """Return the direction as weights of the rows themselves: integers, and the exponent of their unit."""
        top = max(self.integers.columns)
        return [number << (top - c) for number, c in zip(rho, self.integers.columns, strict=False)], -top
