"""Arrays of NumPy in files, in pieces: some rows at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import FileError
from ..problem.provenance import Layout
from .arrow_pieces import ArrowPart, told_of
from .binary_files import array_header, columns_of_array
from .frame import table_of_columns
from .pieces import Piece
from .sources import Source


class ArrayPart(ArrowPart):
    """An array of NumPy in a file: its rows, or its columns, follow each other."""

    def __init__(self, source: Source, layout: Layout, size: int) -> None:
        self.source = source
        with source.open() as file, told_of(source, "a NumPy"):
            header = array_header(file)
            assert header is not None  # see `opens`
            self._shape, self._by_columns, self._dtype = header
            self._begin = file.tell()
        self._by_columns = self._by_columns and len(self._shape) == 2
        if self._begin + self._shape[0] * self._row_bytes > source.size:
            raise FileError(f"{source.name} is not a NumPy file that can be read: it is cut off.")
        schema = self._table(self._array(0, min(1, self._shape[0]))).schema
        super().__init__(source.name, schema, layout, size // max(8 * len(schema.names), self._row_bytes))
        self.total = float(self._shape[0]), "rows"

    @staticmethod
    def opens(source: Source) -> bool:
        """Whether an array is one that can be read in pieces."""
        with source.open() as file, suppress(ValueError):
            header = array_header(file)
            return header is not None and bool(header[0]) and not header[2].hasobject
        return False

    @property
    def _row_bytes(self) -> int:
        return self._dtype.itemsize * math.prod(self._shape[1:])

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the array."""
        return self.again(range(self.cut_up(wanted)[0]))

    def cut_up(self, wanted: Sequence[int]) -> tuple[int, FileError | None]:
        """Be told what is wanted; rows are counted."""
        self._wanted = list(wanted)
        return -(-int(self._shape[0]) // self._rows), None

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces of the array."""
        for number in numbers:
            start = number * self._rows
            table = self._table(self._array(start, min(start + self._rows, self._shape[0])))
            self.source.require_same()
            yield self._piece(start, table.select(self._wanted))

    def _table(self, array: NDArray[Any]) -> pa.Table:
        return table_of_columns(columns_of_array(array, self.source.name), self.source.name)

    def _array(self, start: int, stop: int) -> NDArray[Any]:
        """Read some rows."""
        n, *rest = self._shape
        with self.source.open() as file:
            if not self._by_columns:
                file.seek(self._begin + start * self._row_bytes)
                content = bytes(file.read((stop - start) * self._row_bytes))
                return self._filled(content, (stop - start) * math.prod(rest)).reshape(stop - start, *rest)
            columns = []
            for j in range(rest[0]):
                file.seek(self._begin + (j * n + start) * self._dtype.itemsize)
                columns.append(self._filled(bytes(file.read((stop - start) * self._dtype.itemsize)), stop - start))
            return np.array(columns, self._dtype).T

    def _filled(self, content: bytes, count: int) -> NDArray[Any]:
        if len(content) < count * self._dtype.itemsize:
            raise self.source.changed()
        return np.frombuffer(content, self._dtype, count)
