"""Blocks of rows from tables that are read in pieces: files of many kinds, tables in memory, functions that give batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from .._types import Indices
from ..problem.batches import Batches
from ..problem.blocks import Block, Facts
from ..problem.provenance import Choice, Column, Place, Places
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.description_text import Description
from ..tables.learnt import Learnt, PieceRows
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
        """Return the rows of the same table in columns that were learnt before.

        Cells that have no place in them are refused at once, and not when half of an answer may have been written.
        """
        other = TableBlocks.of(self.pieces, self.learnt.in_columns(columns, unseen), self._room)
        strange = set(self.learnt.columns) - set(columns)
        if any(unseen == "refuse" or Column(each.source) in columns for each in strange):
            other._make_all()
        return other

    def _make_all(self) -> None:
        """Make rows of all pieces once, to see that it can be done."""
        sizes, done = self.learnt.sizes, 0
        for number, _ in self.pieces.ask(self.numbers, _made, self.learnt.lean):
            done += sizes[number]
            report(lambda: f"{done:,} of {sum(sizes):,} rows", done, sum(sizes), "rows")  # noqa: B023

    @classmethod
    def of(cls, pieces: Pieces, learnt: Learnt, room: Room) -> TableBlocks:
        """Return the rows of a table that is surveyed already."""
        blocks = cls(pieces, learnt.choice, room)
        blocks.__dict__["learnt"] = learnt
        return blocks

    def describe(
        self, batches: Batches, positive: str | None, held: int, rows_of: Callable[[TableBlocks], Batches] | None = None
    ) -> Description:
        """Describe the table; a function has its rows read as these are, if they are not a stream."""
        from .describing import describe_table

        choice = self._choice if positive is None else replace(self._choice, positive=positive)
        return describe_table(self.pieces, choice, self._room, held, rows_of)

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

    @cached_property
    def starts(self) -> Indices:
        """The number of the first row of each piece, those that are left out counted."""
        return np.concatenate([[0], np.cumsum(self.pieces.rows())]).astype(np.int64)

    def first(self, k: int) -> int | None:
        """Return the number of the first row of a block's piece, those that are left out counted; None: none is left out."""
        return int(self.starts[self.numbers[k]]) if self.learnt.dropped else None

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
            yield k, block_of(learnt.rows(piece), self.first(k))

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


def block_of(made: PieceRows, first: int | None) -> Block:
    """Return the block that the rows of a piece are; of these the first has a number, if any rows are left out."""
    rows, codes, kept = made
    given = None if first is None else first + (np.arange(len(rows)) if kept is None else kept)
    return Block(rows, np.zeros(len(rows), np.int64) if codes is None else codes, given)


# Functions of a piece, wherever it is read.


def _made(piece: Piece, learnt: Learnt) -> None:
    learnt.rows(piece)


def _longest(piece: Piece, learnt: Learnt) -> int:
    return learnt.rows(piece).rows.measures.longest


def _places_of(piece: Piece, rows: list[int], learnt: Learnt | None) -> list[Place]:
    """Return where some rows of a block are; of those of a piece, if some were left out, it is told how."""
    kept = None if learnt is None else learnt.data(piece).kept
    return piece.places(rows if kept is None else kept[rows].tolist())
