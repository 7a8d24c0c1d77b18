"""How rows are made of a table in pieces: what a survey of all pieces has told, and the rows of any one of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Floats
from ..checker import Seen
from ..compiled.columns import lay_out
from ..compiled.decimals import NEAREST
from ..problem.exact_rows import ExactRows, Reading
from ..problem.provenance import POSITIONS, Choice, Column, TextTable
from .cells import Words
from .data import Data, notes_of_rows
from .decimals import Decimals
from .design_matrix import is_sparse
from .encoding import apply, labels_of
from .frame import Frame, Read, as_text, is_text
from .pieces import Columns, Piece

_MAX_LOOKUP = 2**16
"""Integers among which labels are looked up in a table of all of them."""


class PieceRows(NamedTuple):
    """The rows of a piece."""

    rows: ExactRows
    codes: NDArray[np.int64] | None
    """For each the place of its label among all classes."""
    kept: NDArray[np.int64] | None = None
    """The rows of the piece that these are; None: all."""


@dataclass(frozen=True, kw_only=True)
class Learnt:
    """How rows are made of a table, and what there is to know of all of them.

    Names are those of `Data` wherever they mean the same.
    """

    frame: Frame = field(repr=False)
    """The whole table, which is not to be read as such."""
    wanted: tuple[int, ...]
    """The places of the columns that rows are made of."""
    label: int | None
    choice: Choice
    columns: tuple[Column, ...]
    table: TextTable | None
    classes: tuple[Any, ...]
    texts: tuple[str, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    """How many rows are made of each piece."""
    given: int
    unlabelled: int
    decimals: Decimals | None
    sparse: bool
    largest: float
    smallest: float
    said: tuple[str, ...] = field(repr=False)
    seen: Seen | None = field(repr=False)
    is_plain: bool = False
    """Whether all columns are numbers without gaps, as Arrow stores them, and no row is left out."""
    unseen: str = "refuse"
    """What to do with a category that has no column: refuse it, or ignore it."""

    @property
    def dropped(self) -> int:
        """How many rows are left out."""
        return self.given - sum(self.sizes)

    @property
    def reading(self) -> Reading:
        """What numbers are read as."""
        return "float64" if self.decimals is None or self.decimals.misfit is not None else "decimal"

    @property
    def denominator(self) -> int:
        """The denominator of all rows."""
        return 1 if self.decimals is None or self.reading == "float64" else 10**self.decimals.places

    @property
    def ignore_case(self) -> bool:
        """Whether labels that differ by case, or by blanks around them, are one."""
        return self.frame.layout.ignore_case

    @property
    def label_name(self) -> str | None:
        """What the column of the label is called."""
        return None if self.label is None else self.frame.names[self.label]

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        rows = notes_of_rows(self.decimals, self.given, self.dropped, self.unlabelled, len(self.classes))
        return [*self.said, *rows]

    def in_columns(self, columns: tuple[Column, ...], unseen: str) -> Learnt:
        """Return how rows are made in columns that were learnt before; ``unseen`` as in `read_data`.

        What is said of the columns of this table is of no interest then.
        """
        sparse = is_sparse(columns, len({column.source for column in columns}))
        return replace(self, columns=columns, sparse=sparse, is_plain=False, unseen=unseen, said=tuple(self.frame.notes))

    @property
    def lean(self) -> Learnt:
        """What it takes to make rows of a piece: as little as can be, and picklable."""
        frame = self.frame._replace(zeros=dict, places=POSITIONS, notes=(), copies=_no_copies)
        return replace(self, frame=frame, sizes=(), counts=(), said=(), seen=None)

    def rows(self, piece: Piece) -> PieceRows:
        """Make rows of a piece."""
        if self.is_plain:
            return self._straight(piece)
        data = self.data(piece)
        rows = replace(data.rows.over(self.denominator), origin=None, reading=self.reading)
        if data.codes is None:
            return PieceRows(rows, None, data.kept)
        place = {text: k for k, text in enumerate(self.texts)}
        return PieceRows(rows, np.array([place[text] for text in data.texts], np.int64)[data.codes], data.kept)

    def data(self, piece: Piece) -> Data:
        """Make rows of a piece, with what tells where each is."""
        decimals = self.decimals
        way = decimals.places if decimals is not None and decimals.whole and not piece.whole else NEAREST

        def read(wanted: Sequence[int], words: Sequence[int]) -> Read:
            table, _ = piece.read(wanted, words, way, True)
            return Read(table, None if piece.whole else decimals)

        layout = self.frame.layout
        if piece.whole and self.reading == "float64":
            layout = replace(layout, numbers="float64")
        frame = self.frame._replace(read=read, places=piece.places, layout=layout)
        return apply(frame, self.columns, self.choice.missing, label=self.label_name, unseen=self.unseen)

    def _straight(self, piece: Piece) -> PieceRows:
        """Make rows of numbers as Arrow stores them."""
        extra = [] if self.label is None else [self.label]
        table, _ = piece.read([*self.wanted, *extra], [], NEAREST, True)
        rows = ExactRows(row_major(table, len(self.wanted)))
        return PieceRows(rows, None if self.label is None else self._codes(table.column(len(self.wanted))))

    def _codes(self, column: pa.ChunkedArray) -> NDArray[np.int64]:
        """Return the places of labels among the classes."""
        assert self.label is not None
        if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
            values = [int({"true": "1", "false": "0"}.get(text, text)) for text in self.texts]
            least, most = min(values), max(values)
            if most - least < _MAX_LOOKUP and max(-least, most) < 2**62:  # then there is no need to make words of them
                lookup = np.full(most - least + 1, -1)
                lookup[np.array(values) - least] = np.arange(len(values))
                chunks = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]
                labels = chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
                return lookup.take(labels.astype(np.int64) - least)
        words: Words = labels_of(
            self.frame, self.label, column if is_text(column.type) else as_text(column, self.label_name or "")
        )
        place = {text: k for k, text in enumerate(self.texts)}
        codes: NDArray[np.int64] = np.array([place.get(text, -1) for text in words.texts] + [-1])[words.codes]
        return codes


def _no_copies(label: int | None) -> list[tuple[str, bytes | None]]:
    return []


def row_major(table: Columns, width: int) -> Floats:
    """Copy the first columns of a table, numbers without gaps, to rows."""
    n = table.num_rows
    room = pa.allocate_buffer(8 * n * width)  # Arrow's memory is used again, and need not be cleared
    X: Floats = np.frombuffer(room, np.float64).reshape(n, width)
    columns = [table.column(j) for j in range(width)]
    if all(column.num_chunks == 1 for column in columns):  # as a piece of Parquet is
        arrays = [_floats(column.chunk(0)) for column in columns]
        lay_out(np.array([array.ctypes.data for array in arrays], np.int64), X)
        return X
    cuts = sorted({0, n, *(int(end) for column in columns for end in np.cumsum([len(c) for c in column.chunks]))})
    for start, stop in itertools.pairwise(cuts):
        arrays = [_numbers(column, start, stop) for column in columns]
        lay_out(np.array([array.ctypes.data for array in arrays], np.int64), X[start:stop])
    return X


def _numbers(column: pa.ChunkedArray, start: int, stop: int) -> Floats:
    """Return some rows of a column as float64, without a copy if they are such in one chunk."""
    some = column.slice(start, stop - start)
    return _floats(some.chunk(0) if some.num_chunks == 1 else some.combine_chunks())


def _floats(chunk: pa.Array) -> Floats:
    found: Floats = np.ascontiguousarray(chunk.to_numpy(zero_copy_only=False), np.float64)
    return found
