"""The exact sum of all rows, each times a whole number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled import integers
from ..compiled.rows import add_all
from ..exact.dyadic import Dyadic, mantissas_and_exponents
from ..support.threads import in_parts
from .digest import entries
from .lifted import kernel_rows
from .problem import Problem

_BITS_PER_DIGIT = 31
"""Bits of the multiples of rows that are taken at a time."""


def total(problem: Problem, multiples: NDArray[Any]) -> Dyadic:
    """Exact sum of the signed, lifted rows, each times a whole number of at least 0 and of any size."""
    chosen = np.flatnonzero(multiples)
    if problem.rows.wide is not None:
        from ..exact.linear_algebra import IntegerRows  # and with it FLINT, which runs do without

        rows = IntegerRows.of(problem.lifted(chosen.tolist()))
        return rows.combine([int(number) for number in multiples[chosen]])
    if _fit_in_floats(problem, multiples):
        return _total_in_floats(problem, chosen, multiples[chosen].astype(np.float64))
    digits, rest = [], multiples[chosen]
    while np.any(rest):
        if rest.dtype != object:
            rest = rest.astype(np.int64)
        digits.append((rest & (2**_BITS_PER_DIGIT - 1)).astype(np.int64))
        rest = rest >> _BITS_PER_DIGIT
    first, last = (_place(size) for size in (problem.measures.smallest, problem.measures.largest))
    bits = entries(problem)

    def add_up(start: int, stop: int) -> NDArray[np.int64]:
        limbs = np.zeros((len(digits), problem.d, last - first + 4), np.int64)
        some = chosen[start:stop]
        for digit, sums in zip(digits, limbs, strict=True):
            if not integers.add_up(bits, problem.y, some, digit[start:stop], first, sums):
                raise ValueError("The rows have changed since they were read: some of their numbers are out of range now.")
        return limbs

    numbers = chosen.size * problem.measures.longest * len(digits)
    sums = [0] * problem.width
    for power, limbs in enumerate(np.sum(in_parts(add_up, chosen.size, numbers), axis=0)):
        for j, number in enumerate(_integers(limbs)):
            sums[j] += number << (_BITS_PER_DIGIT * power)
    unit = 32 * first - 1074
    if problem.intercept:
        signs = problem.y[chosen].astype(np.int64)
        last_sum = sum(int((digit * signs).sum()) << (_BITS_PER_DIGIT * power) for power, digit in enumerate(digits))
        last_sum *= problem.constant
        if unit > 0:
            sums, unit = [number << unit for number in sums], 0
        sums[problem.d] = last_sum << -unit
    return Dyadic(sums, unit)


def _fit_in_floats(problem: Problem, multiples: NDArray[Any]) -> bool:
    """Whether floats hold all sums of rows so many times: all are small multiples of one power of two."""
    largest, last = problem.measures.largest, problem.constant
    if multiples.dtype == object or not 0.0 < largest < 2.0**900:
        return False
    count, grid = float(multiples.sum(dtype=np.float64)), problem.grid
    if last:
        largest, grid = max(largest, float(last)), min(grid, (last & -last).bit_length() - 1)
    return count < 2.0**52 and grid >= max(math.frexp(largest * count)[1] - 52, -1000)


def _total_in_floats(problem: Problem, chosen: NDArray[np.int64], multiples: Floats) -> Dyadic:
    rows = kernel_rows(problem.X, problem.y, float(problem.constant), problem.measures.norms, problem.measures.longest)

    def add_up(start: int, stop: int) -> Floats:
        sums = np.zeros(problem.d + 1)
        add_all(rows, chosen[start:stop], multiples[start:stop], sums)
        return sums

    sums = in_parts(add_up, chosen.size, chosen.size * problem.measures.longest)
    return Dyadic.from_parts(np.sum(sums, axis=0)[: problem.width])


def _place(size: float) -> int:
    """Return the limb in which a float64 begins; 0 for infinity, the least of no numbers."""
    return max(0, math.frexp(size)[1] + 1021) >> 5 if math.isfinite(size) else 0


def _integers(limbs: NDArray[np.int64]) -> list[int]:
    """Return the integers that rows of limbs of 32 bits stand for."""
    rows, count = limbs.shape
    words = np.empty((rows, count + 2), np.uint32)
    carry = np.zeros(rows, np.int64)
    for k in range(count):
        carry += limbs[:, k]
        words[:, k] = carry & 0xFFFFFFFF
        carry >>= 32
    words[:, count], words[:, count + 1] = carry & 0xFFFFFFFF, (carry >> 32) & 0xFFFFFFFF
    text, size = words.astype("<u4", copy=False).tobytes(), 4 * (count + 2)
    return [int.from_bytes(text[at : at + size], "little", signed=True) for at in range(0, len(text), size)]


def weighted_total(problem: Problem, multiples: NDArray[Any], steps: Floats | None, factor: float | int) -> Dyadic:
    """Exact sum of ``multiples[i] * factor * steps[i] * z_i``; without steps, they are all 1."""
    if steps is None:
        return total(problem, multiples).times(factor)
    some = np.flatnonzero(multiples)
    numbers, exponents = mantissas_and_exponents(steps[some])
    least = min(exponents, default=0)
    whole = np.zeros(problem.n, object)
    whole[some] = [number << (e - least) for number, e in zip(numbers, exponents, strict=True)]
    return total(problem, multiples * whole).times(factor).times_power(least)
