"""Files and tables opened to be read in pieces; what can be read only as a whole is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa

from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.remedies import Remedy
from . import sources
from .array_pieces import ArrayPart
from .arrow_pieces import ArrowPart, BatchPart, ParquetPart, TablePart, alike
from .frame import arrow_head, arrow_table, is_file, places_in_each, text_frame
from .libsvm_pieces import LibsvmPieces
from .pieces import HERE, Pieces, Reach
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


def opened_in_pieces(
    source: Any, layout: Layout, choice: Choice, room: Room, reach: Reach = HERE
) -> Pieces | LibsvmPieces | None:
    """Open files or a table; None if it must be read as a whole, for which there is room."""
    if is_file(source):
        found = sources.streamed(source)
        return _of_files([_from_anywhere(each) for each in found] if reach.away else found, layout, choice, room, reach)
    table = arrow_table(source)
    part = TablePart(table, "the table", layout, rows_in(room, table))
    return Pieces([part], arrow_head([part.name], [table.column_names], layout, "table"))


def _from_anywhere(source: Source) -> Source:
    """Return a file as other processes find it, which may be on other machines."""
    if source.path is None or source.stamp is None:
        raise FileError(
            f"{source.name} can be read only once, or by this process alone: name a file that all workers can read."
        )
    return replace(source, path=source.path.absolute(), stamp=source.stamp._replace(device=None))


def rows_in(room: Room, table: pa.Table) -> int:
    """Return how many rows a piece of a table has."""
    width = max(8 * table.num_columns, -(-table.nbytes // max(table.num_rows, 1)))
    return max(1, room.piece // max(width, 1))


def _of_files(
    found: list[Source], layout: Layout, choice: Choice, room: Room, reach: Reach
) -> Pieces | LibsvmPieces | None:  # fmt: skip
    kind = sources.alike(found, reach.each(partial(sources.format_of, given=layout.format), found))
    if kind in ("csv", "jsonl"):
        opened = _of_text if kind == "csv" else _of_json
        (first,) = reach.each(partial(opened, layout, room, reach.away), found[:1])
        others = reach.each(partial(opened, first[0].layout, room, reach.away), found[1:])
        parts = [part for part, _ in (first, *others)]
        texts, (_, zeros) = [part.text for part in parts], first
        head = text_frame(texts, kind)
        return reach.pieces(
            parts, head if zeros is None else head._replace(zeros=partial(dict, zeros)), places_in_each(texts)
        )
    if kind == "libsvm":
        return LibsvmPieces(found, layout, choice, room.piece, room.most, reach)
    if kind == "parquet":
        whole = [source if source.packed is None else _held(source, kind, room, reach) for source in found]
        return _of_arrow(reach.each(partial(_of_parquet, layout, room), whole), layout, kind, reach)
    if kind == "arrow":
        held = reach.each(_must_be_held, found)
        batches = [_held(each, kind, room, reach) if packed else each for each, packed in zip(found, held, strict=True)]
        return _of_arrow(reach.each(partial(_of_batches, layout, room), batches), layout, kind, reach)
    if kind == "npy" and all(source.packed is None for source in found) and all(reach.each(ArrayPart.opens, found)):
        return _of_arrow(reach.each(partial(_of_array, layout, room), found), layout, kind, reach)
    if reach.away:
        raise FileError(
            f"{found[0].name} is {_WHOLE.get(kind, kind)}, which is read as a whole, and workers read files piece by piece. "
            "Save it as CSV or Parquet."
        )
    for source in found:
        _require_room(source, kind, room)
    return None


_Opened = tuple[TextPart | JsonPart, dict[int, str] | None]
"""A part, and its columns of numbers that begin with 0 where that was looked for in another process."""


# Functions that open a file, wherever it is read.


def _of_text(layout: Layout, room: Room, away: bool, source: Source) -> _Opened:
    size = room.piece if not away or source.packed is None else room.batch  # each piece unfolds all that is before it
    return _away(TextPart(source, layout, size, room.most)) if away else (TextPart(source, layout, size, room.most), None)


def _of_json(layout: Layout, room: Room, away: bool, source: Source) -> _Opened:
    size = room.piece if not away or source.packed is None else room.batch
    return _away(JsonPart(source, layout, size, room.most)) if away else (JsonPart(source, layout, size, room.most), None)


def _away(part: TextPart | JsonPart) -> _Opened:
    """Leave in another process what is known of the first rows, but for numbers there that begin with 0."""
    zeros = part.text.zeros()
    part.text = part.lean_text
    return part, zeros


def _of_parquet(layout: Layout, room: Room, source: Source) -> ParquetPart:
    return ParquetPart(source, layout, room.piece)


def _of_batches(layout: Layout, room: Room, source: Source) -> BatchPart:
    return BatchPart(source, layout, room.piece, room.batch)


def _of_array(layout: Layout, room: Room, source: Source) -> ArrayPart:
    return ArrayPart(source, layout, room.piece)


def _of_arrow(parts: Sequence[ArrowPart], layout: Layout, kind: str, reach: Reach) -> Pieces:
    head = arrow_head([part.name for part in parts], [part.schema.names for part in parts], layout, kind)
    alike(parts)
    return reach.pieces(parts, head)


def _must_be_held(source: Source) -> bool:
    """Whether a compressed file is read here and there."""
    return source.packed is not None and source.head(6) == b"ARROW1"


def _held(source: Source, kind: str, room: Room, reach: Reach) -> Source:
    """Unfold a file that is read here and there."""
    if reach.away:
        raise FileError(
            f"{source.name} is compressed as a whole, and would be unfolded for each piece of it. Unpack it: Parquet "
            "and Arrow compress their columns themselves."
        )
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
