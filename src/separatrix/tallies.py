"""What is true of all rows together, exactly: their sum, which of them lie in a span, which contradict each other."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from .csr import frozen
from .exact import Dyadic, Floats
from .kernels import integers as kernels
from .kernels.rows import add_all
from .kernels.threads import in_parts
from .problem import Problem
from .progress import Clock
from .rational import IntegerRows, independent, transposed

_PRIMES = (2147483629, 2147483587, 2147483579, 2147483563, 2147483549)
"""Primes below ``2**31``, so that products of residues fit in 64 bits; not ``2**31 - 1``, where 2 has order 31."""

_DIGIT = 2**31 - 1
"""Multiples of rows are taken 31 bits at a time."""

_FEW = 3
"""Columns that tell most rows apart."""

_MANY = 2000
"""Rows up to which a matrix of rows by rows, in integers, is fine."""


def entries(problem: Problem, start: int = 0, stop: int | None = None) -> tuple[Any, Any, Any, int]:
    """Return some rows as `kernels.integers` takes them: bits, indices, indptr and width."""
    X, stop = problem.X, problem.n if stop is None else stop
    if isinstance(X, np.ndarray):
        return frozen(X[start:stop].reshape(-1).view(np.uint64)), None, None, problem.d
    return frozen(X.data.view(np.uint64)), frozen(X.indices), frozen(X.indptr[start : stop + 1]), 0


def total(problem: Problem, multiples: NDArray[Any]) -> Dyadic:
    """Exact sum of the signed, lifted rows, each times a whole number of at least 0 and of any size."""
    chosen = np.flatnonzero(multiples)
    if _fit_in_floats(problem, multiples):
        return _total_in_floats(problem, chosen, multiples[chosen].astype(np.float64))
    digits, rest = [], multiples[chosen]
    while np.any(rest):
        if rest.dtype != object:
            rest = rest.astype(np.int64)
        digits.append((rest & _DIGIT).astype(np.int64))
        rest = rest >> 31
    first, last = (_place(size) for size in (problem.measures.smallest, problem.measures.largest))
    bits, indices, indptr, width = entries(problem)

    def add_up(start: int, stop: int) -> NDArray[np.int64]:
        limbs = np.zeros((len(digits), problem.d, last - first + 4), np.int64)
        some = chosen[start:stop]
        for digit, sums in zip(digits, limbs, strict=True):
            if not kernels.add_up(bits, indices, indptr, width, problem.y, some, digit[start:stop], first, sums):
                raise ValueError("The rows have changed since they were read: some of their numbers are out of range now.")
        return limbs

    numbers = chosen.size * problem.measures.longest * len(digits)
    sums = [0] * (problem.d + problem.intercept)
    for power, limbs in enumerate(np.sum(in_parts(add_up, chosen.size, numbers), axis=0)):
        for j, number in enumerate(_integers(limbs)):
            sums[j] += number << (31 * power)
    unit = 32 * first - 1074
    if problem.intercept:
        signs = problem.y[chosen].astype(np.int64)
        last_sum = sum(int((digit * signs).sum()) << (31 * power) for power, digit in enumerate(digits))
        if unit > 0:
            sums, unit = [number << unit for number in sums], 0
        sums[problem.d] = last_sum << -unit
    return Dyadic(sums, unit)


def _fit_in_floats(problem: Problem, multiples: NDArray[Any]) -> bool:
    """Whether floats hold all sums of rows so many times: all are small multiples of one power of two."""
    largest = problem.measures.largest
    if multiples.dtype == object or not 0.0 < largest < 2.0**900:
        return False
    count = float(multiples.sum(dtype=np.float64))
    return count < 2.0**52 and problem.grid >= max(math.frexp(largest * count)[1] - 52, -1000)


def _total_in_floats(problem: Problem, chosen: NDArray[np.int64], multiples: Floats) -> Dyadic:
    X: Any = problem.X
    rows = (
        (frozen(X), None, None, None) if isinstance(X, np.ndarray) else (None, *map(frozen, (X.data, X.indices, X.indptr)))
    )

    def add_up(start: int, stop: int) -> Floats:
        sums = np.zeros(problem.d + 1)
        constant = 1.0 if problem.intercept else 0.0
        add_all(*rows, problem.y, constant, chosen[start:stop], multiples[start:stop], sums)
        return sums

    sums = in_parts(add_up, chosen.size, chosen.size * problem.measures.longest)
    return Dyadic.from_parts(np.sum(sums, axis=0)[: problem.d + problem.intercept])


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


def spanned(problem: Problem, rows: list[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Tell which rows lie in the span of some independent ones.

    A row does if it is orthogonal to a random vector, modulo a random prime, that the given ones are orthogonal to: up
    to one chance in ``2**60``, so that whoever relies on it must check in the end.
    """
    inside = np.ones(problem.n, bool)
    if len(rows) == problem.d + problem.intercept:
        return inside
    basis = IntegerRows.of(problem.lifted(rows))
    bits, indices, indptr, width = entries(problem)
    for p in rng.choice(_PRIMES, 2, replace=False).tolist():
        vector = _orthogonal(basis, p, rng)
        powers = _powers(p)
        constant = powers[1074] if problem.intercept else np.uint64(0)
        result = np.empty(problem.n, np.uint64)
        kernels.residues(bits, indices, indptr, width, constant, vector, powers, np.uint64(p), result)
        inside &= result == 0
    return inside


@cache
def _powers(p: int) -> NDArray[np.uint64]:
    return np.array([pow(2, e, p) for e in range(kernels.EXPONENTS)], np.uint64)


def _orthogonal(basis: IntegerRows, p: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw a vector that the rows are orthogonal to modulo p."""
    k, D = len(basis.numbers), len(basis.columns)
    vector = rng.integers(0, p, D).astype(object)
    if k:
        matrix = flint.nmod_mat(k, D, [number % p for row in basis.numbers for number in row], p)
        reduced, rank = matrix.rref()
        table = np.array([int(entry) for entry in reduced.entries()], dtype=object).reshape(k, D)[:rank]
        pivots = [int(np.flatnonzero(row)[0]) for row in table]
        vector[pivots] = 0
        vector[pivots] = -(table @ vector) % p
    back = np.array([pow(2, -c, p) for c in basis.columns], dtype=object)
    return (vector * back % p).astype(np.uint64)


def spanning_columns(problem: Problem, clock: Clock) -> list[int] | None:
    """Find columns that all others, the constant included, depend on, if there are more columns than rows.

    What is separable is so with these alone, and multipliers under which they add up to zero do the same for the rest.
    None if there is nothing to gain.
    """
    n, d = problem.n, problem.d
    if not n < min(d + problem.intercept, _MANY):
        return None
    kept: list[int] = []
    for start in range(0, d, n):
        clock.check()
        tried = [*kept, *range(start, min(d, start + n))]
        X = problem.X[:, tried]
        columns = X if isinstance(X, np.ndarray) else X.toarray()
        if problem.intercept:
            columns = np.hstack([np.ones((n, 1)), columns])
        found = independent(transposed(IntegerRows.of(columns).numbers))
        kept = [tried[k - problem.intercept] for k in found if k >= problem.intercept]
        if len(found) == n:
            break
    return kept or [0]


def contradiction(problem: Problem) -> tuple[int, int] | None:
    """Find two equal rows with different labels, if there are any."""
    codes = np.empty(problem.n, np.uint64)
    for most in (_FEW, problem.d):  # rows that are not equal mostly differ soon
        kernels.hashes(*entries(problem), most, codes)
        ordered = np.sort(codes)
        if not np.any(ordered[1:] == ordered[:-1]):
            return None
    order = np.lexsort((problem.y, codes))
    same = codes[order[1:]] == codes[order[:-1]]
    for k in np.flatnonzero(same & (problem.y[order[1:]] != problem.y[order[:-1]])).tolist():
        i, j = sorted((int(order[k]), int(order[k + 1])))
        if not np.any(problem.lifted([i]) + problem.lifted([j])):  # the labels make them opposite
            return i, j
        seen: dict[bytes, int] = {}  # different rows have the same hash: look at what they hold
        for i in np.flatnonzero(codes == codes[j]).tolist():
            row = (problem.lifted([i]) * problem.y[i] + 0.0).tobytes()
            other = seen.setdefault(row, i)
            if problem.y[other] != problem.y[i]:
                return other, i
    return None
