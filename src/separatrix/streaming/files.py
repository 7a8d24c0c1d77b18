"""Blocks of rows from tables that are read in pieces: files of many kinds, tables in memory, functions that give batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from .._types import Indices
from ..problem.blocks import Block, Facts
from ..problem.provenance import Choice, Column, Place, Places
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.learnt import Learnt
from ..tables.opened_pieces import Room
from ..tables.pieces import Pieces
from ..tables.survey import Survey


class TableBlocks:
    """The rows of a table, a block for each of its pieces that has any."""

    def __init__(self, pieces: Pieces, choice: Choice, room: Room) -> None:
        self._pieces, self._choice, self._room = pieces, choice, room

    @property
    def table_columns(self) -> tuple[str, ...]:
        """What the columns of the table are called; that takes no pass."""
        return self._pieces.frame.names

    def in_columns(self, columns: tuple[Column, ...], unseen: str) -> TableBlocks:
        """Return the rows of the same table in columns that were learnt before.

        Cells that have no place in them are refused at once, and not when half of an answer may have been written.
        """
        other = TableBlocks(self._pieces, self._choice, self._room)
        other.__dict__["learnt"] = self.learnt.in_columns(columns, unseen)
        strange = set(self.learnt.columns) - set(columns)
        if any(unseen == "refuse" or Column(each.source) in columns for each in strange):
            for _ in other.blocks(range(len(other._numbers))):
                pass
        return other

    @cached_property
    def learnt(self) -> Learnt:
        """How rows are made of the table; the first pass finds it out."""
        return Survey(self._pieces, self._choice, self._room.most).learnt()

    @cached_property
    def _numbers(self) -> list[int]:
        """The piece of each block."""
        return [k for k, size in enumerate(self.learnt.sizes) if size]

    @cached_property
    def _starts(self) -> Indices:
        """The number of the first row of each piece, those that are left out counted."""
        return np.concatenate([[0], np.cumsum(self._pieces.rows())]).astype(np.int64)

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""
        learnt = self.learnt
        longest, largest, smallest = len(learnt.columns), learnt.largest, learnt.smallest
        if learnt.sparse:
            measures = [block.rows.measures for _, block in self._read(range(len(self._numbers)))]
            longest = max(each.longest for each in measures)
        return Facts(
            sizes=tuple(learnt.sizes[k] for k in self._numbers), d=len(learnt.columns), classes=learnt.classes,
            counts=learnt.counts, columns=learnt.columns, table=learnt.table, reading=learnt.reading,
            denominator=learnt.denominator, sparse=learnt.sparse, largest=largest, smallest=smallest, longest=longest,
            given=learnt.given,
        )  # fmt: skip

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks, ahead of who takes them."""
        several = len(numbers) > 1
        read = self._read(numbers, several)
        sizes = [self.learnt.sizes[self._numbers[k]] for k in numbers]
        done, total = 0, sum(sizes)
        for (k, block), size in zip(ahead(read, 2) if several else read, sizes, strict=True):
            yield k, block
            done += size
            report(lambda: f"{done:,} of {total:,} rows", done, total, "rows")  # noqa: B023

    def _read(self, numbers: Sequence[int], several: bool = True) -> Iterator[tuple[int, Block]]:
        """Read some blocks; of several, the next piece is being read while rows are made of the last one."""
        learnt, pieces = self.learnt, self._pieces.again([self._numbers[k] for k in numbers])
        for k, (_, piece) in zip(numbers, ahead(pieces) if several else pieces, strict=True):
            rows, codes, kept = learnt.rows(piece)
            given = None
            if learnt.dropped:
                given = self._starts[self._numbers[k]] + (np.arange(len(rows)) if kept is None else kept)
            yield k, Block(rows, np.zeros(len(rows), np.int64) if codes is None else codes, given)

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return self.learnt.notes()

    @property
    def places(self) -> Places:
        """What tells where rows are in the files."""
        return Places(self._places, len(self._pieces.parts))

    def _places(self, rows: Sequence[int]) -> list[Place]:
        learnt, given = self.learnt, self._pieces.rows()
        starts = np.concatenate([[0], np.cumsum(learnt.sizes)])
        wanted = np.asarray(rows, np.int64)
        pieces = np.searchsorted(starts, wanted, side="right") - 1
        found: dict[int, Place] = {}
        for number, piece in self._pieces.again(sorted(set(pieces.tolist()))):
            here = wanted[pieces == number]
            inside = here - starts[number]
            if learnt.sizes[number] < given[number]:
                kept = learnt.data(piece).kept
                inside = inside if kept is None else kept[inside]
            found |= dict(zip(here.tolist(), piece.places(inside.tolist()), strict=True))
        return [found[row] for row in wanted.tolist()]
