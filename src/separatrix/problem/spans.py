"""Linear dependence, exactly: which rows lie in the span of others, which columns depend on others."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..compiled import integers
from ..exact.linear_algebra import IntegerRows, independent, seconds_to_solve, solve, transposed
from ..support.clock import Clock
from .digest import entries
from .problem import Problem

_PRIMES = (2147483629, 2147483587, 2147483579, 2147483563, 2147483549)
"""Primes below ``2**31``, so that products of residues fit in 64 bits; not ``2**31 - 1``, where 2 has order 31."""

_MAX_ROWS_FOR_INTEGERS = 2000
"""Rows up to which a matrix of rows by rows, in integers, is fine."""


def spanned(problem: Problem, rows: list[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Tell which rows lie in the span of some independent ones.

    A row does if it is orthogonal to a random vector, modulo a random prime, that the given ones are orthogonal to: up
    to one chance in ``2**60``, so that whoever relies on it must check in the end.
    """
    inside = np.ones(problem.n, bool)
    if len(rows) == problem.d + problem.intercept:
        return inside
    basis = IntegerRows.of(problem.lifted(rows))
    bits = entries(problem)
    for p in rng.choice(_PRIMES, 2, replace=False).tolist():
        vector = _orthogonal(basis, p, rng)
        powers = _powers(p)
        constant = powers[1074] if problem.intercept else np.uint64(0)
        result = np.empty(problem.n, np.uint64)
        integers.residues(bits, constant, vector, powers, np.uint64(p), result)
        inside &= result == 0
    return inside


@cache
def _powers(p: int) -> NDArray[np.uint64]:
    return np.array([pow(2, e, p) for e in range(integers.EXPONENTS)], np.uint64)


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
    if not n < min(d + problem.intercept, _MAX_ROWS_FOR_INTEGERS):
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


MAX_COLUMNS = 1000
"""Columns of the problem up to which it is found out which depend on others."""

_SECONDS_FOR_RELATIONS = 2.0
"""Seconds, about, for finding how dependent columns depend on others."""


def dense(values: Any) -> Floats:
    """Return a vector as an array, whatever scipy made of it."""
    return values if isinstance(values, np.ndarray) else values.toarray().ravel()


def dependent_columns(problem: Problem, expected: Iterable[int]) -> dict[int, list[tuple[int, Fraction]] | None]:
    """Find the columns that are linear combinations of the constant and those before, but for those that are expected.

    For each, return the coefficients of columns, -1 being the constant; None where they would take long. Rows that span all
    others have the same dependences, and are few. Residues modulo primes decide: up to one chance in ``2**60``.
    """
    basis = problem.lifted(_spanning(problem))
    whole = IntegerRows.of(np.hstack([basis[:, -1:], basis[:, :-1]]))  # the constant first
    vectors = transposed(whole.numbers)
    pivots = independent(vectors)
    skipped = {j + 1 for j in expected} | set(pivots)
    wanted = [j for j in range(len(vectors)) if j not in skipped]
    r = len(pivots)
    most = len(wanted) if r == len(whole.numbers) else 0
    most = min(most, int(_SECONDS_FOR_RELATIONS / seconds_to_solve(r)))
    square = transposed([vectors[j] for j in pivots])
    found: dict[int, list[tuple[int, Fraction]] | None] = {j - 1: None for j in wanted}
    for j in wanted[:most]:
        numerators, denominator = solve(square, vectors[j])
        scale = {k: Fraction(2) ** (whole.columns[j] - whole.columns[k]) for k in pivots}
        found[j - 1] = [(k - 1, Fraction(c, denominator) * scale[k]) for k, c in zip(pivots, numerators, strict=True) if c]
    return found


def _spanning(problem: Problem) -> list[int]:
    """Find independent rows, lifted, that span all others."""
    rng = np.random.default_rng(0)
    width = problem.d + 1
    basis: list[int] = []
    new, outside = _first_entries(problem.X), np.arange(problem.n)
    while outside.size:
        drawn = rng.choice(outside, min(outside.size, width - len(basis) + 8), replace=False).tolist()
        rows = list(dict.fromkeys([*basis, *new, *drawn]))
        found = [rows[k] for k in independent(IntegerRows.of(problem.lifted(rows)).numbers)]
        if len(found) == len(basis):
            break
        basis, new = found, []
        outside = np.flatnonzero(~spanned(problem, basis, rng))
    return basis


def _first_entries(X: Rows) -> list[int]:
    """Return for each column the first row that is not 0 there: chance seldom finds those of rare categories."""
    if isinstance(X, np.ndarray):
        found = (X != 0.0).argmax(axis=0)
    else:
        first = np.full(X.shape[1], -1)
        first[X.indices[::-1]] = np.arange(X.indices.size)[::-1]  # of several, the last one stays
        found = np.searchsorted(X.indptr, first[first >= 0], side="right") - 1
    return np.unique(found).tolist()
