"""Tables in pieces of bounded size, which can be read again for each pass.

A `Part` is one file, or one table in memory; it is gone through once, which cuts it into pieces, and then pieces are read
again by their numbers. A `Piece` is some rows that follow each other. It is read column by column as a `Frame` is, but what
is in a column is not judged by one piece alone: `survey` puts together what all of them tell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ..exceptions import FileError
from ..problem.provenance import Layout, Place, Places
from ..support.ahead import ahead
from .decimals import Digits
from .frame import Frame


class HasRows(Protocol):
    """What tells of how many rows it is."""

    given: int


Found = TypeVar("Found", bound=HasRows)

Columns = Any
"""Columns as Arrow has them, or `csv_reading.Columns`."""


class Piece(NamedTuple):
    """Rows of a table that follow each other."""

    read: Callable[[Sequence[int], Collection[int], int, bool], tuple[Columns, Digits]]
    """Read columns, by their places, the second ones as words; numbers of text as `csv_reading.read` has them, and what is
    in a column of text judged or not."""
    places: Places
    """Where its rows are."""
    whole: bool = False
    """Whether columns come as Arrow has stored them."""


class Part(ABC):
    """A file, or a table, that is read in pieces."""

    name: str
    layout: Layout
    is_text: bool = False
    """Whether what is in a column is told by its cells alone."""
    total: tuple[float, str] | None = None
    """How much there is to go through, and in what unit, where that is known before."""

    @abstractmethod
    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through it for the first time; only some of the columns will be asked for, now and later."""

    @abstractmethod
    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces by their numbers, in the order given."""

    def cut_up(self, wanted: Sequence[int]) -> tuple[int, FileError | None]:
        """Cut it without looking at what is in it; return how many pieces it has, and what is wrong behind them."""
        count = 0
        try:
            for _ in self.cut(wanted):
                count += 1
        except FileError as error:
            return count, error
        return count, None

    def alone(self, number: int) -> Part:
        """Return what it takes to read one of its pieces, by its number: as little as can be, once it was cut."""
        return self

    def type_of(self, place: int) -> Any:
        """Return the type of a column, where Arrow has one."""
        raise NotImplementedError

    def done(self) -> float:
        """Tell how much of it has been gone through, as `total` counts."""
        return 0.0


class Pieces:
    """The parts of a table, one after the other, as one."""

    def __init__(self, parts: Sequence[Part], frame: Frame, own: Sequence[Sequence[int]] | None = None) -> None:
        """Keep the parts, what the whole is called and how it is written, and the places of its columns in each part."""
        self.parts, self.frame = list(parts), frame
        self._own = own or [range(len(frame.names))] * len(parts)
        self.ends: list[list[int]] = []
        """For each part, how many rows there are up to the end of each of its pieces."""

    def made_of(self, parts: Sequence[Part]) -> Pieces:
        """Return other parts as one, which are read where these are."""
        return Pieces(parts, self.frame)

    def cut(self, wanted: Sequence[int]) -> Iterator[tuple[int, Piece]]:
        """Go through all parts for the first time; give each piece with the number of its part."""
        self.ends = [[] for _ in self.parts]
        for k, part in enumerate(self.parts):
            own = self._own[k]
            for piece in part.cut([own[each] for each in wanted]):
                yield k, mapped(piece, own)

    def first(self, wanted: Sequence[int], function: Callable[..., Found], *given: Any) -> Iterator[tuple[int, Found]]:
        """Go through all parts for the first time; give ``function(piece, *given)`` of each piece, with the part's number.

        What the function returns tells how many rows the piece has, as ``given``.
        """
        for k, piece in ahead(self.cut(wanted)):
            found = function(piece, *given)
            self.counted(k, found.given)
            yield k, found

    def ask(self, numbers: Sequence[int], function: Callable[..., Any], *given: Any) -> Iterator[tuple[int, Any]]:
        """Give ``function(piece, *given)`` of some pieces, by their numbers, in the order given."""
        for number, piece in ahead(self.again(numbers)):
            yield number, function(piece, *given)

    def done(self, k: int, rows: int) -> tuple[float, float | None, str]:
        """Tell how much was gone through, up to some rows of a part; of how much, if that is known, and in what unit."""
        totals = [part.total for part in self.parts if part.total is not None]
        if len(totals) < len(self.parts):
            return float(rows), None, "rows"
        return sum(part.done() for part in self.parts[: k + 1]), sum(each for each, _ in totals), totals[0][1]

    def cut_parts(self) -> list[tuple[Part, Sequence[int], int]]:
        """Return the parts, the places of columns in each, and how many pieces each has, once they were gone through."""
        return [(part, own, len(ends)) for part, own, ends in zip(self.parts, self._own, self.ends, strict=True)]

    def counted(self, k: int, rows: int) -> None:
        """Be told how many rows the next piece of a part has."""
        ends = self.ends[k]
        ends.append((ends[-1] if ends else 0) + rows)

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return sum(map(len, self.ends))

    def again(self, numbers: Sequence[int]) -> Iterator[tuple[int, Piece]]:
        """Read pieces, by their numbers among those of all parts, in the order given."""
        firsts = np.concatenate([[0], np.cumsum([len(each) for each in self.ends])])
        parts = np.searchsorted(firsts, np.asarray(numbers), side="right") - 1
        start = 0
        while start < len(numbers):
            stop = start
            while stop < len(numbers) and parts[stop] == parts[start]:
                stop += 1
            k = int(parts[start])
            some = [int(number) - int(firsts[k]) for number in numbers[start:stop]]
            for number, piece in zip(numbers[start:stop], self.parts[k].again(some), strict=True):
                yield int(number), mapped(piece, self._own[k])
            start = stop

    def rows(self) -> list[int]:
        """Return how many rows each piece has."""
        return [int(size) for ends in self.ends for size in np.diff([0, *ends])]

    def locate(self, number: int, function: Callable[..., list[Place]], *given: Any) -> list[Place]:
        """Return ``function(piece, *given)``, places in a piece, by its number; none if the file has changed since."""
        try:
            ((_, found),) = self.ask([number], function, *given)
        except FileError:
            return []
        return list(found)

    @property
    def places(self) -> Places:
        """What tells where rows are, by their numbers in the table."""
        return Places(self._places, len(self.parts))

    def _places(self, rows: Sequence[int]) -> list[Place]:
        starts = np.concatenate([[0], np.cumsum(self.rows())])
        wanted = np.asarray(rows, np.int64)
        numbers = np.searchsorted(starts, wanted, side="right") - 1
        found: dict[int, Place] = {}
        for number in sorted(set(numbers.tolist())):
            here = wanted[numbers == number]
            found |= zip(here.tolist(), self.locate(number, _places_of, (here - starts[number]).tolist()), strict=False)
        return [found.get(row, Place(None, "row", row)) for row in wanted.tolist()]


def _places_of(piece: Piece, rows: Sequence[int]) -> list[Place]:
    return piece.places(rows)


class Reach:
    """Where files are opened, and their pieces read: here."""

    away = False
    """Whether it is in other processes."""

    def each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Call a function with each of some files; it is picklable, and so is what it returns."""
        return list(map(function, items))

    def pieces(self, parts: Sequence[Part], frame: Frame, own: Sequence[Sequence[int]] | None = None) -> Pieces:
        """Return the parts of a table as one."""
        return Pieces(parts, frame, own)


HERE = Reach()


def mapped(piece: Piece, own: Sequence[int]) -> Piece:
    """Have a piece take the places that columns have in the whole."""
    if isinstance(own, range):
        return piece
    read = piece.read
    return piece._replace(
        read=lambda wanted, words, decimals, judged: read(
            [own[k] for k in wanted], [own[k] for k in words], decimals, judged
        )
    )
