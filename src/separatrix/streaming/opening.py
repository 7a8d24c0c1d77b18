"""Whatever a stream may be made of, opened as a source of blocks."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..exceptions import TableError
from ..problem.provenance import Choice, Layout
from ..tables.binary_files import Matrix
from ..tables.description import describe
from ..tables.description_text import Description
from ..tables.encoding import MissingValues, columns_there, learn
from ..tables.frame import Frame, arrow_head, opened_as, telling_of
from ..tables.libsvm_pieces import LibsvmPieces
from ..tables.opened_pieces import Room, opened_in_pieces
from ..tables.pieces import HERE, Pieces, Reach
from ..tables.reading import Known, from_matrix, read_as
from .batches import ArrayBatches, BatchTables, Give
from .block_source import BlockSource, HeldRows, ReadWhole
from .files import TableBlocks
from .libsvm_blocks import LibsvmBlocks


def opened(source: Any, layout: Layout, choice: Choice, memory: int) -> BlockSource:
    """Open files, tables, arrays or functions, to be read in blocks."""
    room = Room(memory)
    if isinstance(source, BlockSource):
        return source
    if isinstance(source, tuple) and len(source) == 2 and not isinstance(source[0], str):
        X, y = source
        return HeldRows(X, y, _sizes(len(y), room.piece // max(8 * _width(X), 1)))
    if hasattr(source, "scanner"):  # a dataset of Arrow
        dataset = source
        source = lambda: dataset.to_batches(batch_readahead=1, fragment_readahead=1)  # noqa: E731
    if callable(source):
        return _of_function(source, layout, choice, room)
    with telling_of(source):
        pieces = opened_in_pieces(source, layout, choice, room)
        if isinstance(pieces, LibsvmPieces):
            return LibsvmBlocks(pieces)
        if pieces is not None:
            return TableBlocks(pieces, choice, room)
        found = opened_as(source, layout, choice.label)
        data = from_matrix(found, choice) if isinstance(found, Matrix) else learn(found, choice)
        n, d = data.shape
        sizes = _sizes(n, room.piece // (8 * max(d, 1)))
        return ReadWhole.read(data, sizes, partial(_described, source, layout, choice))


def _described(source: Any, layout: Layout, choice: Choice, positive: str | None) -> Description:
    return describe(source, choice if positive is None else replace(choice, positive=positive), layout=layout)


def opened_again(source: Any, known: Known, memory: int) -> BlockSource:
    """Open files of which something is known from before, a model's columns, to be read in blocks: see `reading.read_as`."""
    room = Room(memory)
    found = table_again(source, known, room)
    if found is not None:
        return found
    data = read_as(source, known)
    n, d = data.shape
    return HeldRows.of_data(data, _sizes(n, room.piece // (8 * max(d, 1))))


def table_again(source: Any, known: Known, room: Room, reach: Reach = HERE) -> TableBlocks | None:
    """Open the files of a table of which the columns are known from before; None if they are no table in pieces."""
    columns = known.columns
    assert columns is not None
    pieces = known.opened(lambda written: opened_in_pieces(source, written, known.choice, room, reach), _frame_of)
    if not isinstance(pieces, Pieces):
        return None
    columns_there(pieces.frame, columns, known.label)
    try:
        return TableBlocks(pieces, known.choice, room).in_columns(columns, known.unseen)
    except MissingValues as error:
        raise MissingValues.of(error.facts, learnt=True) from None


def _frame_of(pieces: Pieces | LibsvmPieces | None) -> Frame | None:
    return pieces.frame if isinstance(pieces, Pieces) else None


def _of_function(give: Give, layout: Layout, choice: Choice, room: Room) -> BlockSource:
    """Look at the first batch, and tell what all of them are."""
    first = next(iter(give()), None)
    if first is None:
        raise TableError("The function gives no batch: expected rows and labels, or tables.")
    if isinstance(first, tuple | list):
        if choice.label is not None or choice.drop or choice.only or choice.text:
            raise TableError("Rows without names, and their labels beside them, have no columns to choose from.")
        return ArrayBatches(give)
    part = BatchTables(give, first, layout, room.piece)
    return TableBlocks(Pieces([part], arrow_head([part.name], [part.schema.names], layout, "table")), choice, room)


def _width(X: Any) -> int:
    shape = np.shape(X)
    return int(shape[1]) if len(shape) > 1 else 1


def _sizes(n: int, rows: int) -> list[int]:
    """Cut n rows in blocks of about so many."""
    parts = max(1, -(-n // max(rows, 1)))
    ends = [n * k // parts for k in range(parts + 1)]
    return [stop - start for start, stop in itertools.pairwise(ends)]
