"""Equal rows among more than memory holds: what a block tells of its points, and what all blocks tell together.

Rows are known by a digest: BLAKE2b, of 128 bits, of the bytes that certificates hash, salted with 16 bytes that are drawn
anew for each question. Nobody can look for rows with equal digests before, and chance would have to hit one in ``2**128``:
among ``2**40`` rows there are less than ``2**79`` pairs, so that a wrong count takes a chance of ``2**-49``, and one of
``2**-69`` among a thousand million rows, far below that of a fault of the machine.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Indices
from ..compiled.integers import encode
from ..support.spill import Spill, parts_for
from .digest import entries
from .duplicates import points_of
from .problem import Problem
from .rows import is_dense

_RECORD = np.dtype([("high", "<u8"), ("low", "<u8"), ("code", "<i8"), ("rows", "<i8"), ("first", "<i8")])
"""Rows of a block that are equal and have the same label: their digest, its two halves; label; how many; the first one."""

_NUMBERS_PER_CHUNK = 2**20
"""Numbers that are hashed at a time."""


def equal_rows(problem: Problem, start: int, codes: Indices, salt: bytes) -> NDArray[Any]:
    """Tell which points a block has, whose rows are numbered from ``start``, with the places of their labels."""
    points, width = points_of(problem), int(codes.max()) + 1
    pairs, firsts, counts = np.unique(points * width + codes, return_index=True, return_counts=True)
    of_point = pairs // width
    begins = np.flatnonzero(np.diff(of_point, prepend=-1))
    digests = _digests(problem.with_rows(firsts[begins]), salt)[np.cumsum(np.diff(of_point, prepend=-1) != 0) - 1]
    found = np.empty(pairs.size, _RECORD)
    found["high"], found["low"] = digests[:, 0], digests[:, 1]
    found["code"], found["rows"], found["first"] = pairs % width, counts, firsts + start
    return found


def _digests(problem: Problem, salt: bytes) -> NDArray[np.uint64]:
    """Return the digest of each row, as two numbers."""
    found: list[bytes] = []
    for rows in _written(problem):
        found += [hashlib.blake2b(row, digest_size=16, salt=salt).digest() for row in rows]
    return np.frombuffer(b"".join(found), "<u8").reshape(-1, 2)


def _written(problem: Problem) -> Any:
    """Write rows out, some at a time: equal ones alike, different ones differently."""
    if problem.rows.wide is not None:
        yield [repr(row).encode() for row in problem.rows.wide.tolist()]
        return
    X = problem.X
    sizes = np.count_nonzero(X, axis=1) if is_dense(X) else _stored(X)
    step = max(1, _NUMBERS_PER_CHUNK // max(1, int(sizes.max())))
    for start in range(0, problem.n, step):
        stop = min(problem.n, start + step)
        ends = np.cumsum(12 * sizes[start:stop] + 5)
        room = np.empty(int(ends[-1]), np.uint8)
        encode(entries(problem, start, stop), np.ones(stop - start), room)
        content = room.tobytes()
        yield [content[a:b] for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]


def _stored(X: Any) -> Indices:
    """Return how many entries of each row are not 0."""
    ends = np.concatenate([[0], np.cumsum(X.data != 0.0)])
    return np.diff(ends[X.indptr])


class Equal(NamedTuple):
    """What is known of equal rows."""

    points: int
    """How many rows are different."""
    groups: int = 0
    """Points that occur with different labels."""
    wrong: int = 0
    """Rows that are not of the most frequent label of their point."""
    pair: tuple[int, int] | None = None
    """The first row with another label than the first row of its point, after that row."""

    def beside(self, other: Equal) -> Equal:
        """Return what is known of two sets of rows that have no point in common."""
        pairs = [each for each in (self.pair, other.pair) if each is not None]
        pair = min(pairs, key=lambda each: each[1], default=None)
        return Equal(self.points + other.points, self.groups + other.groups, self.wrong + other.wrong, pair)


class EqualRows:
    """Puts together what blocks tell, in any order; what there is no room for goes to temporary files.

    Parameters
    ----------
    room : int
        Bytes that may be held, about.
    n : int
        How many rows there are.

    Examples
    --------
    >>> from separatrix.problem.reading_rows import read_rows
    >>> problem = Problem.bare(read_rows([[0.0], [-0.0], [1.0], [0.0]]), True)
    >>> with EqualRows(10**6, 4) as seen:
    ...     seen.add(equal_rows(problem, 0, np.array([0, 0, 0, 1]), b"salt"))
    ...     seen.found()
    Equal(points=2, groups=1, wrong=1, pair=(0, 3))
    """

    def __init__(self, room: int, n: int) -> None:
        self._room, self._n = room, n
        self._held: list[NDArray[Any]] = []
        self._bytes = 0
        self._spill: Spill | None = None

    def add(self, told: NDArray[Any]) -> None:
        """See what a block tells."""
        self._held.append(told)
        self._bytes += told.nbytes
        if self._bytes > self._room:
            self._unite()
            if self._spill is not None or self._bytes > self._room // 2:
                self._write()

    def _unite(self) -> None:
        united = _united(np.concatenate(self._held))
        self._held, self._bytes = [united], united.nbytes

    def _write(self) -> None:
        if self._spill is None:
            self._spill = Spill(parts_for(_RECORD.itemsize * self._n, self._room))
        for told in self._held:
            self._spill.add(told["high"], told)
        self._held, self._bytes = [], 0

    def found(self) -> Equal:
        """Return what all rows come to, and forget them."""
        if self._spill is None:
            return _counted(np.concatenate(self._held))
        self._write()
        found = Equal(0)
        for part in self._spill:
            found = found.beside(_counted(part))
        return found

    @property
    def parts(self) -> int:
        """How many files hold what there was no room for."""
        return 0 if self._spill is None else self._spill.count

    def close(self) -> None:
        """Remove what was written to files."""
        if self._spill is not None:
            self._spill.close()

    def __enter__(self) -> EqualRows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _united(told: NDArray[Any]) -> NDArray[Any]:
    """Put together what is told of the same point and label; points are sorted then."""
    told = told[_order(told)]
    starts = np.flatnonzero(_are_new(told, "high", "low", "code"))
    found = told[starts]
    found["rows"] = np.add.reduceat(told["rows"], starts)
    found["first"] = np.minimum.reduceat(told["first"], starts)
    return found


def _order(told: NDArray[Any]) -> Indices:
    """Sort by digest and label; mostly the first half of the digest tells, which is sorted several times as fast alone."""
    order = np.argsort(told["high"])
    high = told["high"][order]
    same = np.zeros(told.size + 1, bool)
    same[1:-1] = high[1:] == high[:-1]
    open_ = np.flatnonzero(same[1:] | same[:-1])
    some = order[open_]
    order[open_] = some[np.lexsort((told["code"][some], told["low"][some], told["high"][some]))]
    return order


def _are_new(told: NDArray[Any], *names: str) -> NDArray[np.bool_]:
    """Tell which records differ from the one before."""
    new = np.ones(told.size, bool)
    new[1:] = np.any([told[name][1:] != told[name][:-1] for name in names], axis=0)
    return new


def _counted(told: NDArray[Any]) -> Equal:
    told = _united(told)
    starts = np.flatnonzero(_are_new(told, "high", "low"))
    labels = np.diff(starts, append=told.size)
    wrong = np.add.reduceat(told["rows"], starts) - np.maximum.reduceat(told["rows"], starts)
    heads = np.repeat(np.minimum.reduceat(told["first"], starts), labels)
    others = np.flatnonzero(told["first"] != heads)
    pair = None
    if others.size:
        k = others[told["first"][others].argmin()]
        pair = int(heads[k]), int(told["first"][k])
    return Equal(starts.size, int(np.count_nonzero(labels > 1)), int(wrong.sum()), pair)
