"""Obstructions put together until they cover all rows that are tied.

Rows are *tied* if they are 0 under every weak separator. By Stiemke's theorem they are so exactly if there are positive
multipliers for all of them under which they add up to zero: a `Cover`. It is made of an obstruction that spans them all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import highspy
import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, primitive
from ..problem.problem import Problem
from ..problem.scaled import ScaledRows
from ..problem.spans import spanned
from ..problem.sums import total
from ..proof.claims import Cover, whole
from ..support import progress
from ..support.clock import Clock
from ..support.highs import new_solver, run_solver, sparse_parts
from .gordan import Multipliers

_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN = 100, 8
"""Rows that the first linear program for all tied rows has: so many, or so many for each column if that is more."""

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 200, 4
"""Rows that are added to a linear program at a time: so many, and so many for each column besides."""

_BITS_OF_MULTIPLIERS = (0, 8, 24)
"""Bits to which multipliers proposed in floating point are rounded: few make short proofs, more keep small ones positive."""


def basis_of(problem: Problem, rows: list[int]) -> list[int]:
    """Return the first independent ones among rows, which span all of them."""
    return [rows[k] for k in IntegerRows.of(problem.lifted(rows)).basis()]


def merged(together: dict[int, int], found: Multipliers) -> dict[int, int]:
    """Add an obstruction of live rows to one of tied rows, taken often enough to keep all multipliers positive."""
    times = 1
    for i, number in found.tied.items():
        if number < 0:
            times = max(times, -number // together[i] + 1)
    sums = {i: times * number + found.tied.get(i, 0) for i, number in together.items()}
    for i, number in found.rows.items():
        sums[i] = sums.get(i, 0) + number
    return dict(zip(sums, primitive(sums.values()), strict=True))


def cover(problem: Problem, together: dict[int, int], tied: list[int], zero: NDArray[np.bool_]) -> Cover:
    """Give every tied row a positive multiplier, from an obstruction that spans them all and a basis of it."""
    if len(together) == np.count_nonzero(zero):
        return Cover.of(together, 1)
    multipliers = IntegerRows.of(problem.lifted(tied)).coordinates(total(problem, zero))
    return outweighed(together, dict(zip(tied, multipliers, strict=True)))


def outweighed(together: dict[int, int], shares: dict[int, Fraction]) -> Cover:
    """Give every tied row a positive multiplier: with 1 for each they add up to shares of a basis of the obstruction.

    Enough of the obstruction outweighs it.
    """
    factor = max([Fraction(0), *((share - 1) / together[i] for i, share in shares.items())])
    factor = Fraction(factor.numerator // factor.denominator + 1)
    listed = {i: 1 + factor * number - shares.get(i, 0) for i, number in together.items()}
    *numbers, rest = whole([*listed.values(), Fraction(1)])
    return Cover.of(dict(zip(listed, numbers, strict=True)), rest)


def widened(
    rows: ScaledRows, together: dict[int, int], rng: np.random.Generator, clock: Clock, stage: str
) -> tuple[dict[int, int], Floats | None]:
    """Extend an obstruction to all rows that cannot be separated, as one linear program tells them, if it can.

    Also return weights for the scaled columns that may separate the others, if there are any. ``stage`` says what it is
    for, where progress is shown.
    """
    problem, n, D = rows.problem, rows.problem.n, rows.width
    size = min(n, max(_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN * D))
    chosen = np.union1d(rng.choice(n, size, replace=False), np.array(list(together)))
    while True:
        progress.report(lambda chosen=chosen: f"{stage}: a linear program with {len(chosen):,} rows")  # type: ignore[misc]
        found = partition(rows, chosen, clock)
        if found is None:
            return together, None
        obstructed = found.multipliers > 0.5
        if not obstructed.any():
            return together, None
        scores = rows.scores(found.w)
        inside = np.zeros(n, bool)
        inside[chosen] = True
        missing = np.flatnonzero((scores < -1e-7) & ~inside)
        if not missing.size:
            members, values = chosen[obstructed], found.multipliers[obstructed]
            # What lies between the bounds of the program depends on the rest, so that it may take up the rounding.
            order = np.lexsort([-values, np.abs(values - 1.0) < 1e-7])
            members, values = members[order], values[order]
            basis = basis_of(problem, members.tolist())
            missing = np.flatnonzero((scores < 0.5) & ~spanned(problem, basis, rng) & ~inside)
            if not missing.size:
                wide = _made_exact(rows, members, values, basis)
                return together if wide is None else merged(together, Multipliers(wide, {})), found.w
        most = _MORE_ROWS + _MORE_ROWS_PER_COLUMN * D
        if missing.size > most:
            missing = missing[np.argpartition(scores[missing], most)[:most]]
        chosen = np.union1d(chosen, missing)


def _made_exact(rows: ScaledRows, members: Indices, values: Floats, basis: list[int]) -> dict[int, int] | None:
    """Round the multipliers of scaled rows outside a basis and solve for those of the basis; None if one is not positive."""
    taken = set(basis)
    others = [k for k, i in enumerate(members.tolist()) if i not in taken]
    independent = IntegerRows.of(rows.problem.lifted(basis))
    if len(independent.pivots) < len(basis):
        return None
    dependent = IntegerRows.of(rows.problem.lifted(members[others].tolist()))
    exponents = rows.row_exponents(members[others])
    for bits in _BITS_OF_MULTIPLIERS:
        rounded = [max(1, round(float(values[k]) * 2.0**bits)) for k in others]
        multipliers = Dyadic(rounded, 0).times_powers(exponents).integers
        shares = independent.coordinates(dependent.combine(multipliers))
        if all(share < 0 for share in shares):
            common = math.lcm(*(share.denominator for share in shares))
            numbers = primitive([*(m * common for m in multipliers), *(int(-share * common) for share in shares)])
            return dict(zip([*members[others].tolist(), *basis], numbers, strict=True))
    return None


@dataclass(frozen=True)
class Partition:
    """A guess at which rows no hyperplane can separate, and the multipliers and weights that show it."""

    rows: Indices
    multipliers: Floats
    """One for each of the rows, all about 1 or more where the row cannot be separated, else 0."""
    w: Floats
    """Weights for the scaled columns under which the others score at least about 1."""


def partition(rows: ScaledRows, chosen: Indices, clock: Clock) -> Partition | None:
    """Maximise the sum of ``min(lambda_i, 1)`` over ``sum lambda_i z_i = 0``, ``lambda >= 0``, for some rows.

    The optimum is strictly complementary: it tells all obstructed rows from all that can be strictly separated at once.
    """
    Z = rows.take(chosen)
    n, D = Z.shape
    highs = new_solver()
    highs.setOptionValue("presolve", "choose")
    nothing = np.zeros(0, np.int32)
    highs.addRows(D, np.zeros(D), np.zeros(D), 0, np.zeros(D, np.int32), nothing, np.zeros(0))
    for cost, most in ((-1.0, 1.0), (0.0, highspy.kHighsInf)):
        highs.addCols(n, np.full(n, cost), np.zeros(n), np.full(n, most), *sparse_parts(Z))
    if not run_solver(highs, clock):
        return None
    solution = highs.getSolution()
    values = np.array(solution.col_value)
    return Partition(chosen, values[:n] + values[n:], -np.array(solution.row_dual))
