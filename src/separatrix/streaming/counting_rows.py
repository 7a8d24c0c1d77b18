"""What `describe` says of all rows together, found block by block: equal ones, constant columns, columns that depend."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..problem import spans
from ..problem.batches import Batches
from ..problem.blocks import Block
from ..problem.equal_rows import EqualRows, equal_rows
from ..problem.problem import Problem
from ..problem.rows import column_ends, filled_in, is_dense
from ..tables.column_facts import NumberFacts
from ..tables.column_pass import EqualColumns, NumberTally
from ..tables.different_numbers import DifferentNumbers
from ..tables.row_facts import CountedRows, KnownRows, constant_columns
from .asking_all import each_block
from .spanning import Basis, Drawn, drawn


@dataclass(frozen=True)
class Asked:
    """What is asked of each block."""

    salt: bytes = field(repr=False)
    """That of the digests of rows."""
    meant: Indices
    """For each class the place of the one that it counts as; none without labels."""
    share: float | None
    """The share of rows to be drawn; None: none is."""
    numbers: bool
    """Whether to tell the numbers of each column."""
    alike: bool
    """Whether to tell which columns are equal."""


class Told(NamedTuple):
    """What a block tells."""

    equal: NDArray[Any]
    """Its points, see `equal_rows`."""
    least: Floats
    largest: Floats
    """The smallest and the largest numerator of each column."""
    drawn: Drawn | None
    numbers: list[tuple[int, Floats]]
    """The different numbers of columns, sorted."""
    alike: dict[int, bytes]
    """What is the same for columns that are equal."""


def told_of(block: Block, start: int, asked: Asked) -> Told:
    """Ask a block."""
    problem = Problem.bare(block.rows, True)
    codes = asked.meant[block.codes] if asked.meant.size else np.zeros(problem.n, np.int64)
    return Told(
        equal_rows(problem, start, codes, asked.salt),
        *column_ends(problem.X),
        None if asked.share is None else drawn(block, start, asked.share),
        list(_numbers(block.rows.nearest())) if asked.numbers else [],
        _digests(problem.X) if asked.alike else {},
    )


def _digests(X: Rows) -> dict[int, bytes]:
    columns = filled_in(X).T + 0.0  # -0.0 is 0.0
    return {j: hashlib.blake2b(column.tobytes()).digest() for j, column in enumerate(columns)}


def _numbers(X: Rows) -> Iterator[tuple[int, Floats]]:
    """Yield the different numbers of each column, sorted; of a sparse one that is 0 throughout, nothing."""
    if is_dense(X):
        for j in range(X.shape[1]):
            yield j, np.unique(X[:, j] + 0.0)  # -0.0 is 0.0
        return
    columns = X.tocsc()
    sizes = np.diff(columns.indptr)
    for j in np.flatnonzero(sizes).tolist():
        values = columns.data[columns.indptr[j] : columns.indptr[j + 1]] + 0.0
        yield j, np.unique(values if values.size == X.shape[0] else np.append(values, 0.0))


class RowCount:
    """What all blocks tell.

    Parameters
    ----------
    batches : Batches
        The rows.
    known : KnownRows
        What is known of them.
    positive : str or None
        The class that is set against all others.
    room : int
        How many bytes may be held of what is counted, about.
    numbers : bool
        Whether to find out what numbers the columns hold.
    """

    def __init__(
        self, batches: Batches, known: KnownRows, positive: str | None, room: int, *, numbers: bool = False
    ) -> None:
        d, n = batches.facts.d, batches.facts.n
        self._least, self._largest = np.full(d, np.inf), np.full(d, -np.inf)
        self._blocks = np.zeros(d, np.int64)
        """In how many blocks each column had numbers; in others it is 0."""
        self._tallies: dict[int, NumberTally] = {}
        self.alike = EqualColumns(dict.fromkeys(range(d), 0))
        """Which columns of a table are equal, if the rows come from one."""
        self.spilled = 0
        """How many files took what there was no room for."""
        basis = Basis(d + 1) if d <= spans.MAX_COLUMNS else None
        share = None if basis is None else Basis.share(d + 1, n)
        asked = Asked(secrets.token_bytes(16), known.meant(positive), share, numbers, batches.label_column is not None)
        with EqualRows(room, n) as equal, DifferentNumbers(room, n * d) as values:
            asked_blocks = 0
            for told in each_block(batches, "comparing rows", told_of, asked):
                asked_blocks += 1
                equal.add(told.equal)
                self._least, self._largest = np.minimum(self._least, told.least), np.maximum(self._largest, told.largest)
                if basis is not None and told.drawn is not None:
                    basis.add_drawn(told.drawn)
                self.alike.see(told.alike)
                for j, some in told.numbers:
                    self._blocks[j] += 1
                    self._tallies.setdefault(j, NumberTally()).see(some)
                    values.add(j, some)
            for j in np.flatnonzero((self._blocks > 0) & (self._blocks < asked_blocks)).tolist():
                self._tallies[j].see(np.zeros(1))
                values.add(j, np.zeros(1))
            self.spilled = equal.parts + values.parts
            self._equal, self._counts = equal.found(), values.counts()
        constant, relations = constant_columns(self._least, self._largest), None
        if basis is not None:
            relations = spans.relations(basis.spanning(batches), known.expected(constant))
        example = batches.places(self._equal.pair) if self._equal.pair is not None else ()
        self.rows = CountedRows(self._equal, example, constant, relations)

    def numbers(self, columns: Sequence[int]) -> dict[int, NumberFacts]:
        """Return what is known of the numbers of columns."""
        return {j: self._facts(j) for j in columns}

    def _facts(self, j: int) -> NumberFacts:
        if j not in self._tallies:  # of a sparse column
            return NumberFacts(0.0, 0.0, 1, whole=True)
        return self._tallies[j].facts(self._counts[j])
