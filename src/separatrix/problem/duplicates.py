"""Equal rows, exactly: which are the same point, and which contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..compiled import integers
from .digest import entries
from .exact_rows import ExactRows
from .problem import Problem
from .provenance import Column
from .rows import filled_in, is_dense

_TELLING_COLUMNS = 3
"""Columns that tell most rows apart: only if they do not are all columns looked at."""

_PAIRS_PER_CHUNK = 2**15
"""Pairs of rows that are compared at a time."""


def contradiction(problem: Problem) -> tuple[int, int] | None:
    """Find two equal rows with different labels, if there are any."""
    if problem.rows.wide is not None:
        return next(_at_odds(points_of(problem), problem.y), None)
    codes = np.empty(problem.n, np.uint64)
    for most in (_TELLING_COLUMNS, problem.d):  # rows that are not equal mostly differ soon
        integers.hashes(entries(problem), most, codes)
        ordered = np.sort(codes)
        if not np.any(ordered[1:] == ordered[:-1]):
            return None
    for i, j in _at_odds(codes, problem.y):
        if not np.any(problem.lifted([i]) + problem.lifted([j])):  # the labels make them opposite
            return i, j
        # Different rows have the same hash. Among them there may be equal ones all the same: look at what they hold.
        return next(_at_odds(points_of(problem), problem.y), None)
    return None


def _at_odds(points: NDArray[Any], labels: Floats) -> Iterator[tuple[int, int]]:
    """Yield for each point that has rows of both labels two of them, one of each."""
    order = np.lexsort((labels, points))
    first, second = order[:-1], order[1:]
    for k in np.flatnonzero((points[first] == points[second]) & (labels[first] != labels[second])).tolist():
        i, j = sorted((int(first[k]), int(second[k])))
        yield i, j


def points_of(problem: Problem) -> NDArray[np.int64]:
    """Return for each row the number of its point: equal rows have equal ones, from 0 on."""
    if problem.rows.wide is not None:
        seen: dict[tuple[int, ...], int] = {}
        return np.array([seen.setdefault(tuple(row), len(seen)) for row in problem.rows.wide.tolist()], np.int64)
    codes = np.empty(problem.n, np.uint64)
    integers.hashes(entries(problem), problem.d, codes)
    _, points = np.unique(codes, return_inverse=True)
    order = np.argsort(points, kind="stable")
    same = np.flatnonzero(points[order[1:]] == points[order[:-1]])
    unlike: list[int] = []
    for start in range(0, same.size, _PAIRS_PER_CHUNK):
        first, second = (order[same[start : start + _PAIRS_PER_CHUNK] + k] for k in (0, 1))
        unlike += first[_differ(problem.X, first, second)].tolist()
    if not unlike:
        return points.astype(np.int64)
    # Different rows with equal hashes: name points by what they hold.
    named: dict[Any, int] = {}
    suspects = set(points[unlike].tolist())
    for i, point in enumerate(points.tolist()):
        content = (point, (filled_in(problem.X[i : i + 1]) + 0.0).tobytes()) if point in suspects else point
        points[i] = named.setdefault(content, len(named))
    return points.astype(np.int64)


def labelled_points_of(problem: Problem) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that are equal in point and label; half of it is that of the point."""
    numbers: NDArray[np.int64] = 2 * points_of(problem) + (problem.y > 0)
    return numbers


def places_among(problem: Problem, listed: Problem) -> Indices:
    """Return for each row the place of the first of some listed rows that is equal to it in point and label, or -1."""
    codes = [np.empty(each.n, np.uint64) for each in (listed, problem)]
    for each, its_own in zip((listed, problem), codes, strict=True):
        integers.hashes(entries(each), each.d, its_own)
    places = np.full(problem.n, -1, np.int64)
    alike = np.flatnonzero(np.isin(codes[1], codes[0]))  # and few others, if any
    if alike.size:
        both = ExactRows.stacked(listed.rows, problem.rows[alike])
        keys = labelled_points_of(Problem.bare(both, False, np.append(listed.y, problem.y[alike])))
        known, first = np.unique(keys[: listed.n], return_index=True)
        at = np.minimum(np.searchsorted(known, keys[listed.n :]), len(known) - 1)
        places[alike] = np.where(known[at] == keys[listed.n :], first[at], -1)
    return places


def _differ(X: Rows, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which pairs of rows differ."""
    if is_dense(X):
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
