"""Tables of Arrow in pieces: Parquet by row groups, Arrow files and streams by batches, arrays of NumPy by rows.

Only the columns that are asked for are read, and no more at a time than a piece takes. What a file stores is checked where
it could point outside: words and lists. Numbers are what they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ..exceptions import FileError
from ..problem.provenance import Layout, Place, Places
from .decimals import Digits
from .foreign_errors import reason_of
from .frame import arrow_frame
from .pieces import Part, Piece
from .sources import Source

_BUFFER_BYTES = 2**20
"""Bytes of a column of Parquet that are read from the file at a time."""

Batch = tuple[int, pa.Table]
"""The number of the first row, and rows."""


class ArrowPart(Part):
    """A table of Arrow, in memory or not.

    Parameters
    ----------
    name : str
        What it is called.
    schema : Schema
        Its columns.
    layout : Layout
        How gaps are written, and labels.
    rows : int
        Rows of a piece, at most.
    """

    def __init__(self, name: str, schema: pa.Schema, layout: Layout, rows: int) -> None:
        self.name, self.schema, self.layout, self._rows = name, schema, layout, max(1, rows)
        self._wanted: list[int] = []
        self._passed = 0

    def type_of(self, place: int) -> Any:
        """Return the type of a column."""
        return self.schema.field(place).type

    def done(self) -> float:
        """Tell how many rows were gone through."""
        return float(self._passed)

    def _piece(self, start: int, table: pa.Table) -> Piece:
        """Return a piece of the columns that are wanted; so many rows come before it."""
        _require_sound(table, self.name)
        place = {k: j for j, k in enumerate(self._wanted)}
        frame = arrow_frame(table, self.name, self.layout)
        self._passed = start + table.num_rows

        def read(wanted: Sequence[int], words: Collection[int], decimals: int, judged: bool) -> tuple[Any, Digits]:
            return frame.read([place[k] for k in wanted], [place[k] for k in words]).table, Digits()

        def places(rows: Sequence[int]) -> list[Place]:
            return [Place(self.name, "row", start + row) for row in rows]

        return Piece(read, Places(places), whole=True)


class TablePart(ArrowPart):
    """A table in memory."""

    def __init__(self, table: pa.Table, name: str, layout: Layout, rows: int) -> None:
        super().__init__(name, table.schema, layout, rows)
        self._table = table
        self.total = float(table.num_rows), "rows"

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the table."""
        self._wanted = list(wanted)
        return self.again(range(-(-self._table.num_rows // self._rows)))

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Take pieces of the table."""
        chosen = self._table.select(self._wanted)
        for number in numbers:
            yield self._piece(number * self._rows, chosen.slice(number * self._rows, self._rows))


class ParquetPart(ArrowPart):
    """A Parquet file: pieces are row groups, or parts of these."""

    def __init__(self, source: Source, layout: Layout, size: int) -> None:
        self.source = source
        with self._opened() as file:
            schema, metadata = file.schema_arrow, file.metadata
            self._groups = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
            stored = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
        n = sum(self._groups)
        width = max(8 * len(schema.names), -(-stored // max(n, 1)))
        super().__init__(source.name, schema, layout, size // max(width, 1))
        self.total = float(n), "rows"
        self._cuts: list[tuple[int, int, int]] = []
        """The row group of each piece, and the rows of it."""
        for group, rows in enumerate(self._groups):
            parts = -(-rows // self._rows)
            ends = [rows * k // parts for k in range(parts + 1)] if parts else []
            self._cuts += [(group, *pair) for pair in itertools.pairwise(ends)]

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with _told(self.source.name, "a Parquet"), _opened(self.source) as content:
            yield pq.ParquetFile(content, buffer_size=_BUFFER_BYTES, pre_buffer=False)

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the file."""
        self._wanted = list(wanted)
        return self.again(range(len(self._cuts)))

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces of the file; those that follow each other in one go."""
        starts = [0]
        for rows in self._groups:
            starts.append(starts[-1] + rows)
        with self._opened() as file:
            k = 0
            while k < len(numbers):
                last = k
                while last + 1 < len(numbers) and numbers[last + 1] == numbers[last] + 1:
                    last += 1
                run = [self._cuts[number] for number in numbers[k : last + 1]]
                batches = self._batches(file, run[0][0], run[-1][0])
                rows = _Rows(batches)
                rows.skip(run[0][1])
                for group, start, stop in run:
                    yield self._piece(starts[group] + start, self._taken(rows, stop - start))
                k = last + 1

    def _batches(self, file: Any, first: int, last: int) -> Iterator[pa.RecordBatch]:
        names = [self.schema.names[k] for k in self._wanted]
        groups = list(range(first, last + 1))
        return file.iter_batches(min(self._rows, 2**16), row_groups=groups, columns=names, use_threads=False)

    def _taken(self, rows: _Rows, count: int) -> pa.Table:
        table = rows.take(count)
        self.source.require_same()
        if table is None or table.num_rows < count:
            raise FileError(f"{self.name} is damaged: it has fewer rows than it says.")
        return table.select([self.schema.names[k] for k in self._wanted])


class _Rows:
    """Rows that come in batches, to be taken in any number."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches, self._left = batches, None

    def take(self, count: int) -> pa.Table | None:
        """Take so many rows, or all that are left; None if there is none."""
        parts: list[Any] = []
        while count:
            batch = self._left if self._left is not None else next(self._batches, None)
            if batch is None:
                break
            part = batch.slice(0, count)
            self._left = batch.slice(count) if batch.num_rows > count else None
            count -= part.num_rows
            parts.append(part)
        return pa.Table.from_batches(parts) if parts else None

    def skip(self, count: int) -> None:
        """Leave so many rows out."""
        while count and (some := self.take(min(count, 2**16))) is not None:
            count -= some.num_rows


def _require_sound(table: pa.Table, name: str) -> None:
    """See that columns from a file point to nothing outside, if they point at all."""
    try:
        for column in table.columns:
            kind = column.type
            column.validate(full=not (pa.types.is_primitive(kind) or pa.types.is_null(kind)))
    except pa.ArrowException as error:
        raise FileError(f"{name} is damaged: {reason_of(error)}.") from None


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """Open a file as Arrow reads it, or what is held of it."""
    if source.content is not None:
        with pa.BufferReader(source.content) as content:
            yield content
        return
    with source.open_file():  # which tells whether it is the same
        file = pa.OSFile(str(source.path))
    with file:
        source.require_same()
        yield file


@contextmanager
def _told(name: str, what: str) -> Iterator[None]:
    """Have errors of Arrow tell of the file."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        raise FileError(f"{name} is not {what} file that can be read: {reason_of(error)}.") from None
