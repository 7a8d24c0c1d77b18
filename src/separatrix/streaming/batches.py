"""Batches that a function gives anew for each pass: tables, or rows with their labels."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import TableError
from ..problem.blocks import Block, Facts
from ..problem.exact_rows import ExactRows, Reading
from ..problem.labels import class_array, distinct, is_class, read_labels
from ..problem.provenance import POSITIONS, Layout, Places
from ..problem.reading_rows import read_rows
from ..problem.rows import arrays_of, is_dense
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.arrow_pieces import ArrowPart
from ..tables.frame import arrow_table
from ..tables.pieces import Piece

Give = Callable[[], Iterable[Any]]
"""A function that gives batches anew."""

_NAME = "the batches"

_ROWS_LOOKED_AT = 16
"""Rows at the beginning and at the end of a batch by which it is told from another one."""


class _Mark(NamedTuple):
    """What tells a batch from another one, as a rule."""

    rows: int
    sum: int


class Passes:
    """The passes through what a function gives: each batch is to be what it was in the first one."""

    def __init__(self, give: Give, read: Callable[[Any], tuple[Any, _Mark]]) -> None:
        self._give, self._read = give, read
        self._marks: list[_Mark] = []
        self._ended = False
        self._passes = 0

    def __iter__(self) -> Iterator[Any]:
        """Go through all batches once more; errors tell where they came from."""
        self._passes += 1
        number, first = self._passes, not self._ended
        if first:
            self._marks.clear()
        k = 0
        batches = iter(self._told(self._give, number, 0))
        while True:
            batch = self._told(lambda: next(batches, _END), number, k)
            if batch is _END:
                break
            found, mark = self._told(lambda batch=batch: self._read(batch), number, k)  # type: ignore[misc]
            if first:
                self._marks.append(mark)
            elif k >= len(self._marks) or mark != self._marks[k]:
                raise self._other(number, k, mark)
            k += 1
            yield found
        if not first and k < len(self._marks):
            raise self._other(number, k, None)
        self._ended = True

    def _told(self, do: Callable[[], Any], number: int, k: int) -> Any:
        try:
            return do()
        except (KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise TableError(f"In pass {number}, batch {k} (counted from 0): {error}") from error

    def _other(self, number: int, k: int, mark: _Mark | None) -> TableError:
        if mark is None:
            what = f"ended after {k:,} batches, but gave {len(self._marks):,} in the first pass"
        elif k >= len(self._marks):
            what = f"gave more than the {len(self._marks):,} batches of the first pass"
        elif mark.rows != self._marks[k].rows:
            what = f"gave {mark.rows:,} rows in batch {k}, but {self._marks[k].rows:,} in the first pass"
        else:
            what = f"gave other rows in batch {k} than in the first pass"
        return TableError(
            f"In pass {number} the function {what}. It must give the same batches in the same order each time: "
            "fix the seed of whatever is random, or write the rows to a file once."
        )


_END: Any = object()


def in_order(numbers: Sequence[int]) -> None:
    """Refuse blocks in another order than that in which a function gives them."""
    if any(after <= before for before, after in itertools.pairwise(numbers)):
        raise TableError(
            "A function gives its batches in one order, and not one by one: blocks in another order cannot be had from it. "
            "Write the rows to Parquet or CSV, which can be read here and there."
        )


class BatchTables(ArrowPart):
    """Tables that a function gives."""

    def __init__(self, give: Give, first: Any, layout: Layout, size: int) -> None:
        table = _as_table(first)
        width = max(8 * table.num_columns, -(-table.nbytes // max(table.num_rows, 1)))
        super().__init__(_NAME, table.schema, layout, size // max(width, 1))
        self._passes = Passes(give, self._read)
        self._counts: list[int] = []
        """How many pieces each batch has."""

    def _read(self, batch: Any) -> tuple[pa.Table, _Mark]:
        table = _as_table(batch)
        if table.column_names != self.schema.names:
            raise ValueError(f"its columns are {table.column_names}, those of the first batch {self.schema.names}.")
        ends = [table.slice(0, _ROWS_LOOKED_AT), table.slice(max(0, table.num_rows - _ROWS_LOOKED_AT))]
        return table, _Mark(table.num_rows, zlib.crc32(repr([some.to_pylist() for some in ends]).encode()))

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through all batches for the first time."""
        self._wanted, self._counts = list(wanted), []
        start = 0
        for table in self._passes:
            pieces = -(-table.num_rows // self._rows)
            self._counts.append(pieces)
            yield from self._cut(table, start, range(pieces))
            start += table.num_rows

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Go through the batches again, and take some pieces of them, in their order."""
        in_order(numbers)
        wanted, start, first = set(numbers), 0, 0
        for table, pieces in zip(self._passes, self._counts, strict=False):
            yield from self._cut(table, start, [k for k in range(pieces) if first + k in wanted])
            start, first = start + table.num_rows, first + pieces
            if wanted and first > max(wanted) and first < sum(self._counts):
                return

    def _cut(self, table: pa.Table, start: int, numbers: Sequence[int]) -> Iterator[Piece]:
        chosen = table.select(self._wanted)
        for k in numbers:
            yield self._piece(start + k * self._rows, chosen.slice(k * self._rows, self._rows))


def _as_table(batch: Any) -> pa.Table:
    return pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else arrow_table(batch)


class ArrayBatches:
    """Rows with their labels that a function gives, or that are read in parts: a block for each batch."""

    def __init__(self, give: Give) -> None:
        self._passes = Passes(give, self._read)
        self._facts: Facts | None = None

    def _read(self, batch: Any) -> tuple[tuple[ExactRows, NDArray[Any]], _Mark]:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise ValueError(f"expected a pair of rows and labels, as the first batch is, got {type(batch).__name__}.")
        rows = read_rows(batch[0])
        labels = read_labels(batch[1], len(rows))
        if rows.wide is not None:
            raise ValueError("it has numbers that float64 does not hold as numerators, which are for rows in memory alone.")
        ends = [
            arrays_of(rows.numerators[some])[0].tobytes() for some in (slice(_ROWS_LOOKED_AT), slice(-_ROWS_LOOKED_AT, None))
        ]
        return (rows, labels), _Mark(len(rows), zlib.crc32(b"".join(ends) + repr(labels[:_ROWS_LOOKED_AT]).encode()))

    def facts(self) -> Facts:
        """Go through all batches once, and tell of them."""
        sizes: list[int] = []
        counts: dict[Any, int] = {}
        kinds: set[tuple[int, Reading, bool]] = set()
        denominator, largest, smallest, longest = 1, Fraction(0), math.inf, 0
        for rows, labels in ahead(iter(self._passes)):
            kinds.add((rows.shape[1], rows.reading, is_dense(rows.numerators)))
            self._require_alike(kinds, len(sizes))
            sizes.append(len(rows))
            for label in distinct(labels):
                counts[label] = counts.get(label, 0) + int(np.count_nonzero(is_class(labels, label)))
            measures, denominator = rows.measures, math.lcm(denominator, rows.denominator)
            largest = max(largest, Fraction(measures.largest) / rows.denominator)
            smallest = min(
                smallest, Fraction(measures.smallest) / rows.denominator if measures.smallest < math.inf else math.inf
            )
            longest = max(longest, measures.longest)
            report(lambda: f"{sum(sizes):,} rows", sum(sizes), None, "rows")
        if not sizes:
            raise TableError("The function gives no batch: expected rows and labels, or tables.")
        classes = _sorted(counts)
        d, reading, dense = kinds.pop()
        self._facts = Facts(
            sizes=tuple(sizes), d=d, classes=classes, counts=tuple(counts[each] for each in classes), reading=reading,
            denominator=denominator, sparse=not dense, largest=float(largest * denominator),
            smallest=float(smallest * denominator), longest=longest, given=sum(sizes),
        )  # fmt: skip
        return self._facts

    def _require_alike(self, kinds: set[tuple[int, Reading, bool]], number: int) -> None:
        """Refuse a batch that does not go with those before."""
        if len(kinds) == 1:
            return
        if len({width for width, _, _ in kinds}) > 1:
            widths = " and ".join(f"{width:,}" for width in sorted({width for width, _, _ in kinds}))
            raise TableError(f"Up to batch {number} (counted from 0) there are batches of {widths} columns.")
        raise TableError(
            f"Batch {number} (counted from 0) holds numbers of another kind than those before, or in another form: give all "
            "rows as float64, or all as decimals; all dense, or all sparse."
        )

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Go through the batches again, and take some of them, in their order."""
        in_order(numbers)
        facts = self._facts or self.facts()
        classes = class_array(facts.classes)
        wanted = set(numbers)
        last, done = max(numbers, default=-1), 0
        for k, (rows, labels) in enumerate(ahead(iter(self._passes))):
            if k in wanted:
                codes = np.searchsorted(classes, labels).astype(np.int64)
                yield k, Block(replace(rows.over(facts.denominator), reading=facts.reading, names=None), codes)
            done += len(rows)
            report(lambda: f"{done:,} of {facts.n:,} rows", done, facts.n, "rows")  # noqa: B023
            if k >= last and last < len(facts.sizes) - 1:
                return

    @property
    def places(self) -> Places:
        """What tells where rows are: their positions."""
        return POSITIONS


def _sorted(counts: dict[Any, int]) -> tuple[Any, ...]:
    """Return the classes of all batches, sorted."""
    if len({isinstance(label, str) for label in counts}) > 1:
        raise TableError("Some batches have texts for labels, others numbers: give all bools, all integers or all strings.")
    return tuple(sorted(counts))
