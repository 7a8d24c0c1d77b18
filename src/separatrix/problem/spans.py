"""Linear dependence, exactly: which rows lie in the span of others, which columns depend on others."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..compiled import integers
from ..exact.linear_algebra import IntegerRows, seconds_to_solve
from ..support.clock import Clock
from .digest import entries
from .problem import Problem
from .rows import is_dense

_PRIMES = (2147483629, 2147483587, 2147483579, 2147483563, 2147483549)
"""Primes below ``2**31``, so that products of residues fit in 64 bits; not ``2**31 - 1``, where 2 has order 31."""

_MAX_ROWS_FOR_INTEGERS = 2000
"""Rows up to which a matrix of rows by rows, in integers, is fine."""


def spanned(problem: Problem, rows: list[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Tell which rows lie in the span of some independent ones.

    They all do if there are as many as columns. See `annihilators`.
    """
    if len(rows) == problem.width:
        return np.ones(problem.n, bool)
    return annihilated(problem, annihilators(problem.lifted(rows), rng))


Annihilators: TypeAlias = list[tuple[int, NDArray[np.uint64]]]
"""Random vectors modulo random primes, with these: some rows are orthogonal to them."""


def annihilators(basis: Floats, rng: np.random.Generator) -> Annihilators:
    """Draw vectors that tell the span of some lifted rows, which are fewer than there are columns.

    A row is in it if it is orthogonal to a random vector, modulo a random prime, that the given ones are orthogonal to: up
    to one chance in ``2**60``, so that whoever relies on it must check in the end.
    """
    rows = IntegerRows.of(basis)
    return [(p, rows.orthogonal_modulo(p, rng)) for p in rng.choice(_PRIMES, 2, replace=False).tolist()]


def annihilated(problem: Problem, vectors: Annihilators) -> NDArray[np.bool_]:
    """Tell which rows are orthogonal to all of these vectors."""
    inside = np.ones(problem.n, bool)
    wide = None if problem.rows.wide is None else problem.lifted(list(range(problem.n)))
    bits = entries(problem)
    for p, vector in vectors:
        if wide is not None:
            inside &= wide @ vector.astype(object) % p == 0
            continue
        powers = _powers(p)
        constant = np.uint64(int(powers[1074]) * problem.constant % p)
        result = np.empty(problem.n, np.uint64)
        integers.residues(bits, constant, vector, powers, np.uint64(p), result)
        inside &= result == 0
    return inside


@cache
def _powers(p: int) -> NDArray[np.uint64]:
    return np.array([pow(2, e, p) for e in range(integers.EXPONENTS)], np.uint64)


def spanning_columns(problem: Problem, clock: Clock) -> list[int] | None:
    """Find columns that all others, the constant included, depend on, if there are more columns than rows.

    What is separable is so with these alone, and multipliers under which they add up to zero do the same for the rest.
    None if there is nothing to gain.
    """
    n, d = problem.n, problem.d
    if not n < min(problem.width, _MAX_ROWS_FOR_INTEGERS):
        return None
    kept: list[int] = []
    for start in range(0, d, n):
        clock.check()
        tried = [*kept, *range(start, min(d, start + n))]
        columns = problem.with_columns(tried).lifted(list(range(n)))  # their signs change nothing
        if problem.intercept:
            columns = np.hstack([columns[:, -1:], columns[:, :-1]])
        found = IntegerRows.of(columns).pivots
        kept = [tried[k - problem.intercept] for k in found if k >= problem.intercept]
        if len(found) == n:
            break
    return kept or [0]


MAX_COLUMNS = 1000
"""Columns of the problem up to which it is found out which depend on others."""

_SECONDS_FOR_RELATIONS = 2.0
"""Seconds, about, for finding how dependent columns depend on others."""


Relations: TypeAlias = dict[int, list[tuple[int, Fraction]] | None]
"""Columns that depend on those before, with the coefficients of these, -1 being the constant; None: not computed."""


def dependent_columns(problem: Problem, expected: Iterable[int]) -> Relations:
    """Find the columns that are linear combinations of the constant and those before, but for those that are expected.

    For each, return the coefficients of columns, -1 being the constant; None where they would take long. Rows that span all
    others have the same dependences, and are few. Residues modulo primes decide: up to one chance in ``2**60``.
    """
    return relations(problem.lifted(spanning_rows(problem)), expected)


def relations(basis: Floats, expected: Iterable[int]) -> Relations:
    """Do the same, given lifted rows that span all others."""
    columns = IntegerRows.of(np.hstack([basis[:, -1:], basis[:, :-1]])).transposed()  # the constant first
    pivots = columns.basis()
    skipped = {j + 1 for j in expected} | set(pivots)
    wanted = [j for j in range(len(columns.numbers)) if j not in skipped]
    rank = len(pivots)
    most = int(_SECONDS_FOR_RELATIONS / seconds_to_solve(rank)) if rank == len(basis) else 0
    independent = columns.take(pivots)
    found: Relations = {j - 1: None for j in wanted}
    for j in wanted[:most]:
        multipliers = independent.coordinates(columns.row(j))
        found[j - 1] = [(k - 1, multiplier) for k, multiplier in zip(pivots, multipliers, strict=True) if multiplier]
    return found


def spanning_rows(problem: Problem) -> list[int]:
    """Find independent rows, lifted, that span all others, up to one chance in ``2**60``."""
    rng = np.random.default_rng(0)
    width = problem.d + 1
    basis: list[int] = []
    new, outside = np.unique(first_entries(problem.X)[1]).tolist(), np.arange(problem.n)
    while outside.size:
        drawn = rng.choice(outside, min(outside.size, width - len(basis) + 8), replace=False).tolist()
        rows = list(dict.fromkeys([*basis, *new, *drawn]))
        found = [rows[k] for k in IntegerRows.of(problem.lifted(rows)).basis()]
        if len(found) == len(basis):
            break
        basis, new = found, []
        outside = np.flatnonzero(~spanned(problem, basis, rng))
    return basis


def first_entries(X: Rows) -> tuple[Indices, Indices]:
    """Return the columns that are not 0 throughout, and the first row that is not: chance seldom finds rare categories."""
    if is_dense(X):
        found = (X != 0.0).argmax(axis=0)
        columns = np.flatnonzero(X[found, np.arange(X.shape[1])])
        return columns, found[columns]
    first = np.full(X.shape[1], -1)
    first[X.indices[::-1]] = np.arange(X.indices.size)[::-1]  # of several, the last one stays
    columns = np.flatnonzero(first >= 0)
    return columns, np.searchsorted(X.indptr, first[columns], side="right") - 1
