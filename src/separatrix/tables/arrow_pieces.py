"""Tables of Arrow in pieces: Parquet by row groups, Arrow files and streams by batches.

Only the columns that are asked for are read, and no more at a time than a piece takes. What a file stores is checked where
it could point outside: words and lists. Numbers are what they are.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, pairwise
from typing import Any

import pyarrow as pa

from ..exceptions import FileError
from ..problem.provenance import Layout, Place, Places
from .decimals import Digits
from .foreign_errors import reason_of
from .frame import arrow_frame, kind_of, unlike_columns
from .pieces import Part, Piece
from .sources import Source

_BUFFER_BYTES = 2**15
"""Bytes of a column of Parquet that are read from the file at a time, at least; more than a page are copied once more."""

_PAGE_ROWS = 20 * 2**10
"""Rows of a page of Parquet, as Arrow writes them; what is read beyond the end of a page is copied once more."""

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
        self.casts: dict[int, pa.DataType] = {}
        """What columns of numbers are taken as, where other files have them in another type."""

    def type_of(self, place: int) -> Any:
        """Return the type of a column."""
        return self.casts.get(place, self.schema.field(place).type)

    def alone(self, number: int) -> ArrowPart:
        """Return what it takes to read one of its pieces."""
        lean = copy.copy(self)
        cuts = getattr(self, "_cuts", None)
        if cuts is not None:
            lean.__dict__["_cuts"] = {number: cuts[number]}
        return lean

    def done(self) -> float:
        """Tell how many rows were gone through."""
        return float(self._passed)

    def _piece(self, start: int, table: pa.Table) -> Piece:
        """Return a piece of the columns that are wanted; so many rows come before it."""
        _require_sound(table, self.name)
        for j, k in enumerate(self._wanted):
            if k in self.casts:
                table = table.set_column(j, self.schema.names[k], self._cast(table.column(j), k))
        place = {k: j for j, k in enumerate(self._wanted)}
        frame = arrow_frame(table, self.name, self.layout)
        self._passed = start + table.num_rows

        def read(wanted: Sequence[int], words: Collection[int], decimals: int, judged: bool) -> tuple[Any, Digits]:
            return frame.read([place[k] for k in wanted], [place[k] for k in words]).table, Digits()

        def places(rows: Sequence[int]) -> list[Place]:
            return [Place(self.name, "row", start + row) for row in rows]

        return Piece(read, Places(places), whole=True)

    def _cast(self, column: pa.ChunkedArray, k: int) -> pa.ChunkedArray:
        try:
            return column.cast(self.casts[k])
        except pa.ArrowException as error:
            raise unlike_columns(self.name, error) from None


def alike(parts: Sequence[ArrowPart]) -> None:
    """Have columns of numbers be of one type in all parts of a table."""
    for k, name in enumerate(parts[0].schema.names):
        types = [part.schema.field(k).type for part in parts if kind_of(part.schema.field(k).type) == "numbers"]
        if len(set(types)) < 2:
            continue
        try:
            schemas = [pa.schema([(name, each)]) for each in types]
            common = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
        except pa.ArrowException as error:
            raise unlike_columns(parts[0].name, error) from None
        for part in parts:
            own = part.schema.field(k).type
            if kind_of(own) == "numbers" and own != common:
                part.casts[k] = common


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
        rows = size // max(width, 1)
        super().__init__(source.name, schema, layout, rows // _PAGE_ROWS * _PAGE_ROWS or rows)
        self.total = float(n), "rows"
        self._cuts = [
            (group, start, min(start + self._rows, rows))
            for group, rows in enumerate(self._groups)
            for start in range(0, rows, self._rows)
        ]
        """The row group of each piece, and the rows of it."""

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with told_of(self.source, "a Parquet"), _opened(self.source) as content:
            yield pq.ParquetFile(content, buffer_size=_BUFFER_BYTES, pre_buffer=False)

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the file."""
        return self.again(range(self.cut_up(wanted)[0]))

    def cut_up(self, wanted: Sequence[int]) -> tuple[int, FileError | None]:
        """Be told what is wanted; row groups tell how it is cut."""
        self._wanted = list(wanted)
        return len(self._cuts), None

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
                for _, cuts in groupby((self._cuts[number] for number in numbers[k : last + 1]), self._alone):
                    run = [*cuts]
                    rows = _Rows(self._batches(file, run[0][0], run[-1][0]))
                    rows.skip(run[0][1])
                    for group, start, stop in run:
                        yield self._piece(starts[group] + start, self._taken(rows, stop - start))
                k = last + 1

    def _alone(self, cut: tuple[int, int, int]) -> int:
        """Return the group that is read by itself, so that pages begin with pieces; -1 for one that is a single piece."""
        return cut[0] if self._groups[cut[0]] > self._rows else -1

    def _batches(self, file: Any, first: int, last: int) -> Iterator[pa.RecordBatch]:
        names = [self.schema.names[k] for k in self._wanted]
        groups = list(range(first, last + 1))
        return file.iter_batches(self._rows, row_groups=groups, columns=names, use_threads=False)

    def _taken(self, rows: _Rows, count: int) -> pa.Table:
        table = rows.take(count)
        self.source.require_same()
        if table is None or table.num_rows < count:
            raise FileError(f"{self.name} is damaged: it has fewer rows than it says.")
        return table.select([self.schema.names[k] for k in self._wanted])


class BatchPart(ArrowPart):
    """A file of record batches: Arrow's, Feather's, or a stream of Arrow, which may be compressed."""

    def __init__(self, source: Source, layout: Layout, size: int, most: int) -> None:
        self.source, self._most = source, most
        self._is_file = source.head(6) == b"ARROW1"
        with self._opened() as reader:
            schema = reader.schema
        super().__init__(source.name, schema, layout, 1)
        self._size = size
        self._cuts: list[tuple[int, int, int]] = []
        """The batch of each piece, and the rows of it."""
        self._starts: list[int] = []
        """The row that each batch begins with."""

    @contextmanager
    def _opened(self, wanted: Sequence[int] | None = None) -> Iterator[Any]:
        from pyarrow import ipc

        options = ipc.IpcReadOptions(included_fields=None if wanted is None else sorted(wanted), use_threads=False)
        with told_of(self.source, "an Arrow or Feather"):
            if self._is_file:
                with _opened(self.source) as content:
                    yield ipc.open_file(content, options=options)
            else:
                with self.source.open() as file, ipc.open_stream(file, options=options) as reader:
                    yield reader

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the file for the first time."""
        self._wanted, self._cuts, self._starts = list(wanted), [], [0]
        for k, batch in self._batches(None):
            rows = max(1, self._size // max(8 * len(wanted), -(-batch.nbytes // max(batch.num_rows, 1)), 1))
            parts = -(-batch.num_rows // rows)
            ends = [batch.num_rows * part // parts for part in range(parts + 1)] if parts else []
            cuts = [(k, *pair) for pair in pairwise(ends)]
            self._cuts += cuts
            self._starts.append(self._starts[-1] + batch.num_rows)
            for cut in cuts:
                yield self._of(batch, cut)

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces of the file."""
        asked = [self._cuts[number] for number in numbers]
        batches = self._batches([each for each, _ in groupby(asked, key=lambda cut: cut[0])])
        for (_, cuts), (_, batch) in zip(groupby(asked, key=lambda cut: cut[0]), batches, strict=True):
            for cut in cuts:
                yield self._of(batch, cut)

    def _of(self, batch: pa.RecordBatch, cut: tuple[int, int, int]) -> Piece:
        k, start, stop = cut
        self.source.require_same()
        table = pa.Table.from_batches([batch.slice(start, stop - start)])
        return self._piece(self._starts[k] + start, table.select([self.schema.names[j] for j in self._wanted]))

    def _batches(self, numbers: Sequence[int] | None) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Read batches, all of them or those asked for, which of a stream means to go through it."""
        if self._is_file:
            with self._opened(self._wanted) as reader:
                for k in range(reader.num_record_batches) if numbers is None else numbers:
                    yield k, self._fitting(reader.get_batch(k), k)
            return
        runs = [[*run] for run in _ascending(numbers)] if numbers is not None else [None]
        for run in runs:
            with self._opened(self._wanted) as reader:
                left = None if run is None else [*run]
                for k, batch in enumerate(reader):
                    if left is None or (left and left[0] == k):
                        yield k, self._fitting(batch, k)
                        left = left[1:] if left is not None else None
                    if left is not None and not left:
                        break

    def _fitting(self, batch: pa.RecordBatch, k: int) -> pa.RecordBatch:
        if batch.nbytes > self._most:
            raise FileError(
                f"{self.name}: record batch {k} has {batch.nbytes:,} bytes, more than there is room for. Write the file "
                "with smaller batches, or as Parquet; or allow more memory."
            )
        return batch


def _ascending(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Cut numbers where they do not ascend."""
    start = 0
    for k in range(1, len(numbers) + 1):
        if k == len(numbers) or numbers[k] <= numbers[k - 1]:
            yield numbers[start:k]
            start = k


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
def told_of(source: Source, what: str) -> Iterator[None]:
    """Have errors of Arrow tell of the file: that it is damaged, or that it is no longer what it was."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        source.require_same()
        raise FileError(f"{source.name} is not {what} file that can be read: {reason_of(error)}.") from None
