"""What is true of rows, exactly: which are equal, which contradict each other, which columns depend on others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .doubles import Floats
from .kernels import integers as kernels
from .problem import Problem, Rows
from .rational import IntegerRows, independent, seconds_to_solve, solve, transposed
from .tallies import entries, spanned

MOST_COLUMNS = 1000
"""Columns of the problem up to which it is found out which depend on others."""

_PATIENCE = 2.0
"""Seconds, about, for finding how dependent columns depend on others."""

_CHUNK = 2**15


def dense(values: Any) -> Floats:
    """Return a vector as an array, whatever scipy made of it."""
    return values if isinstance(values, np.ndarray) else values.toarray().ravel()


def points_of(problem: Problem) -> NDArray[np.int64]:
    """Return for each row the number of its point: equal rows have equal ones, from 0 on."""
    codes = np.empty(problem.n, np.uint64)
    kernels.hashes(*entries(problem), problem.d, codes)
    _, points = np.unique(codes, return_inverse=True)
    order = np.argsort(points, kind="stable")
    same = np.flatnonzero(points[order[1:]] == points[order[:-1]])
    unlike: list[int] = []
    for start in range(0, same.size, _CHUNK):
        first, second = (order[same[start : start + _CHUNK] + k] for k in (0, 1))
        unlike += first[_differ(problem.X, first, second)].tolist()
    if not unlike:
        return points.astype(np.int64)
    # Different rows with equal hashes: name points by what they hold.
    named: dict[Any, int] = {}
    suspects = set(points[unlike].tolist())
    for i, point in enumerate(points.tolist()):
        content = (point, (dense(problem.X[i : i + 1]) + 0.0).tobytes()) if point in suspects else point
        points[i] = named.setdefault(content, len(named))
    return points.astype(np.int64)


def _differ(X: Rows, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which pairs of rows differ."""
    if isinstance(X, np.ndarray):
        return np.any(X[first] != X[second], axis=1)
    return np.diff((X[first] != X[second]).tocsr().indptr) > 0


def contradicting(points: NDArray[np.int64], codes: NDArray[np.int64]) -> tuple[int, int, list[int]]:
    """Count points with different labels, and the rows that are not of the most frequent label of their point.

    Also return two such rows, of the point that shows first.
    """
    width = int(codes.max()) + 1
    pairs, counts = np.unique(points * width + codes, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // width, prepend=-1))
    labels = np.diff(starts, append=pairs.size)
    wrong = np.add.reduceat(counts, starts) - np.maximum.reduceat(counts, starts)
    if labels.max() == 1:
        return 0, 0, []
    # The first row with another label than the first row of its point.
    order = np.argsort(points, kind="stable")
    begins = np.flatnonzero(np.diff(points[order], prepend=-1))
    heads = order[begins]
    other = int(np.flatnonzero(codes != codes[heads[points]])[0])
    return int(np.count_nonzero(labels > 1)), int(wrong.sum()), [int(heads[points[other]]), other]


def inevitable_in(columns: Sequence[Column]) -> tuple[tuple[str, ...], list[int]]:
    """Return the sources whose categories add up to the constant, and the last column of each."""
    place: dict[str, list[int]] = {}
    words = {column.source for column in columns if column.category is not None}
    for j, column in enumerate(columns):
        if column.source in words:
            place.setdefault(column.source, []).append(j)
    several = {source: its_own for source, its_own in place.items() if len(its_own) > 1}
    return tuple(several), [its_own[-1] for its_own in several.values()]


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
    most = min(most, int(_PATIENCE / seconds_to_solve(r)))
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
