"""Files and tables opened to be read in pieces; what can be read only as a whole is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa

from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.remedies import Remedy
from . import sources
from .arrow_pieces import ArrayPart, ArrowPart, BatchPart, ParquetPart, TablePart, alike
from .frame import arrow_head, arrow_table, is_file, places_in_each, text_frame
from .libsvm_pieces import LibsvmPieces
from .pieces import Pieces
from .sources import Source
from .text.json_pieces import JsonPart
from .text.text_pieces import TextPart

_WHOLE = {
    "xlsx": "a spreadsheet", "npz": "an archive of NumPy", "npy": "an array of NumPy", "arrow": "an Arrow file",
}  # fmt: skip
"""What is read as a whole."""


class Room(NamedTuple):
    """How much memory there is."""

    memory: int
    """Bytes in all."""

    @property
    def piece(self) -> int:
        """Bytes of a piece, when it has become rows."""
        return max(2**12, min(2**25, self.memory // 30))

    @property
    def batch(self) -> int:
        """Bytes of a batch that can only be read as a whole."""
        return self.memory // 3

    @property
    def most(self) -> int:
        """Bytes of a single record, or of texts that are kept."""
        return self.memory // 8


def opened_in_pieces(source: Any, layout: Layout, choice: Choice, room: Room) -> Pieces | LibsvmPieces | None:
    """Open files or a table; None if it must be read as a whole, for which there is room."""
    if is_file(source):
        return _of_files(sources.streamed(source), layout, choice, room)
    table = arrow_table(source)
    part = TablePart(table, "the table", layout, rows_in(room, table))
    return Pieces([part], arrow_head([part.name], [table.column_names], layout, "table"))


def rows_in(room: Room, table: pa.Table) -> int:
    """Return how many rows a piece of a table has."""
    width = max(8 * table.num_columns, -(-table.nbytes // max(table.num_rows, 1)))
    return max(1, room.piece // max(width, 1))


def _of_files(found: list[Source], layout: Layout, choice: Choice, room: Room) -> Pieces | LibsvmPieces | None:
    kind = sources.format_of_all(found, layout.format)
    if kind in ("csv", "jsonl"):
        read = TextPart if kind == "csv" else JsonPart
        first = read(found[0], layout, room.piece, room.most)
        parts = [first, *(read(source, first.layout, room.piece, room.most) for source in found[1:])]
        texts = [part.text for part in parts]
        return Pieces(parts, text_frame(texts, kind), places_in_each(texts))
    if kind == "libsvm":
        return LibsvmPieces(found, layout, choice, room.piece, room.most)
    if kind == "parquet":
        whole = [source if source.packed is None else _held(source, kind, room) for source in found]
        return _of_arrow([ParquetPart(source, layout, room.piece) for source in whole], layout, kind)
    if kind == "arrow":
        batches = [_held(source, kind, room) if _must_be_held(source) else source for source in found]
        return _of_arrow([BatchPart(source, layout, room.piece, room.batch) for source in batches], layout, kind)
    if kind == "npy" and all(source.packed is None and ArrayPart.opens(source) for source in found):
        return _of_arrow([ArrayPart(source, layout, room.piece) for source in found], layout, kind)
    for source in found:
        _require_room(source, kind, room)
    return None


def _of_arrow(parts: Sequence[ArrowPart], layout: Layout, kind: str) -> Pieces:
    head = arrow_head([part.name for part in parts], [part.schema.names for part in parts], layout, kind)
    alike(parts)
    return Pieces(parts, head)


def _must_be_held(source: Source) -> bool:
    """Whether a compressed file is read here and there."""
    return source.packed is not None and source.head(6) == b"ARROW1"


def _held(source: Source, kind: str, room: Room) -> Source:
    """Unfold a file that is read here and there."""
    _require_room(source, kind, room)
    held = replace(source.held(), packed=None, path=None, stamp=None)
    _require_room(held, kind, room)
    return held


def _require_room(source: Source, kind: str, room: Room) -> None:
    """Refuse what must be read as a whole, and is larger than memory."""
    size = source.size if source.packed is None else 0
    if size > room.memory:
        raise FileError(
            f"{source.name} is {_WHOLE.get(kind, kind)}, which is read as a whole: {size:,} bytes, more than the memory "
            "that it may take. Allow more with ",
            Remedy("memory"),
            ", or save it as CSV or Parquet, which are read piece by piece.",
        )
