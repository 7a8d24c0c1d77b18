"""Blocks of rows from tables that are read in pieces: files of many kinds, tables in memory, functions that give batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ..problem.batches import Block, Facts
from ..problem.provenance import Choice, Column, Place, Places
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.learnt import Learnt
from ..tables.opened_pieces import Room
from ..tables.pieces import Piece, Pieces
from ..tables.survey import Survey


class TableBlocks:
    """The rows of a table, a block for each of its pieces that has any."""

    def __init__(self, pieces: Pieces, choice: Choice, room: Room) -> None:
        self.pieces, self._choice, self._room = pieces, choice, room

    @property
    def table_columns(self) -> tuple[str, ...]:
        """What the columns of the table are called; that takes no pass."""
        return self.pieces.frame.names

    def in_columns(self, columns: tuple[Column, ...], unseen: str) -> TableBlocks:
        """Return the rows of the same table in columns that were learnt before."""
        other = TableBlocks(self.pieces, self._choice, self._room)
        other.__dict__["learnt"] = self.learnt.in_columns(columns, unseen)
        return other

    @cached_property
    def learnt(self) -> Learnt:
        """How rows are made of the table; the first pass finds it out."""
        return Survey(self.pieces, self._choice, self._room.most).learnt()

    @property
    def way(self) -> Learnt:
        """How rows are made of a piece; picklable."""
        return self.learnt.lean

    @cached_property
    def numbers(self) -> list[int]:
        """The piece of each block."""
        return [k for k, size in enumerate(self.learnt.sizes) if size]

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""
        learnt = self.learnt
        longest, largest, smallest = len(learnt.columns), learnt.largest, learnt.smallest
        if learnt.sparse:
            longest = max(found for _, found in self.pieces.ask(self.numbers, _longest, learnt.lean))
        return Facts(
            sizes=tuple(learnt.sizes[k] for k in self.numbers), d=len(learnt.columns), classes=learnt.classes,
            counts=learnt.counts, columns=learnt.columns, table=learnt.table, reading=learnt.reading,
            denominator=learnt.denominator, sparse=learnt.sparse, largest=largest, smallest=smallest, longest=longest,
            given=learnt.given,
        )  # fmt: skip

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks, ahead of who takes them."""
        several = len(numbers) > 1
        read = self._read(numbers, several)
        sizes = [self.learnt.sizes[self.numbers[k]] for k in numbers]
        done, total = 0, sum(sizes)
        for (k, block), size in zip(ahead(read, 2) if several else read, sizes, strict=True):
            yield k, block
            done += size
            report(lambda: f"{done:,} of {total:,} rows", done, total, "rows")  # noqa: B023

    def _read(self, numbers: Sequence[int], several: bool = True) -> Iterator[tuple[int, Block]]:
        """Read some blocks; of several, the next piece is being read while rows are made of the last one."""
        learnt, pieces = self.learnt, self.pieces.again([self.numbers[k] for k in numbers])
        for k, (_, piece) in zip(numbers, ahead(pieces) if several else pieces, strict=True):
            rows, codes = learnt.rows(piece)
            yield k, Block(rows, np.zeros(len(rows), np.int64) if codes is None else codes)

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return self.learnt.notes()

    @property
    def places(self) -> Places:
        """What tells where rows are in the files."""
        return Places(self._places, len(self.pieces.parts))

    def _places(self, rows: Sequence[int]) -> list[Place]:
        learnt, given = self.learnt, self.pieces.rows()
        starts = np.concatenate([[0], np.cumsum(learnt.sizes)])
        wanted = np.asarray(rows, np.int64)
        pieces = np.searchsorted(starts, wanted, side="right") - 1
        found: dict[int, Place] = {}
        for number in sorted(set(pieces.tolist())):
            here = wanted[pieces == number]
            inside, whole = (here - starts[number]).tolist(), learnt.sizes[number] == given[number]
            ((_, places),) = self.pieces.ask([number], _places_of, inside, None if whole else learnt.lean)
            found |= zip(here.tolist(), places, strict=True)
        return [found[row] for row in wanted.tolist()]


def _longest(piece: Piece, learnt: Learnt) -> int:
    return learnt.rows(piece).rows.measures.longest


def _places_of(piece: Piece, rows: list[int], learnt: Learnt | None) -> list[Place]:
    """Return where some rows of a block are; of those of a piece, if some were left out, it is told how."""
    kept = None if learnt is None else learnt.data(piece).kept
    return piece.places(rows if kept is None else kept[rows].tolist())
