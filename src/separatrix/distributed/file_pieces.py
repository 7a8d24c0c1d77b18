"""Files that workers read: opened, cut and surveyed by them, piece by piece; what they tell is put together by the client.

The client knows of each file its name, its stamp, how it is written and where its pieces are, and no row of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..exceptions import FileError
from ..problem.batches import ended
from ..streaming.files import block_of
from ..tables.frame import Frame
from ..tables.learnt import Learnt
from ..tables.libsvm_pieces import LibsvmRows
from ..tables.pieces import Found, Part, Piece, Pieces, Reach, mapped


class Ask(Protocol):
    """Has workers call ``function(item, *given)`` with each item.

    It yields the place of each among the items with what came of it, in any order.
    """

    def __call__(self, function: Callable[..., Any], items: Sequence[Any], *given: Any) -> Iterator[tuple[int, Any]]:
        """Do it."""


@dataclass(frozen=True)
class Refused:
    """What is wrong with a file: it is raised where the rows before it were heard."""

    error: ValueError


class Named:
    """Something of a file, with a key that tells it from other things, and from what it was before the file changed."""

    def __init__(self, value: Any, *key: Any) -> None:
        self.value, self.key = value, repr(key)


class PieceOfFile:
    """A piece of a file, to be read wherever it is sent."""

    def __init__(self, part: Part, own: Sequence[int], number: int, first: int | None = None) -> None:
        self._part, self._own, self._number = part.alone(number), own, number
        self.first = first
        """The number of its first row among all that are given, if rows are left out of some pieces."""
        self.key = repr((_stamp(part), number, getattr(self._part, "_cuts", None)))

    def read(self) -> Piece:
        """Read it."""
        (piece,) = self._part.again([self._number])
        return mapped(piece, self._own)


@dataclass(frozen=True)
class OnNamed:
    """Calls a function with something of a file."""

    function: Callable[..., Any]

    def __call__(self, item: Named, start: int, *given: Any) -> Any:
        """Do it."""
        try:
            return self.function(item.value, *given)
        except ValueError as error:
            return Refused(error)


@dataclass(frozen=True)
class OnPiece:
    """Reads a piece, and calls a function with it."""

    function: Callable[..., Any]

    def __call__(self, item: PieceOfFile, start: int, *given: Any) -> Any:
        """Do it."""
        try:
            return self.function(item.read(), *given)
        except ValueError as error:
            return Refused(error)


@dataclass(frozen=True)
class OnRowsOfPiece:
    """Reads a piece, makes a block of it, and calls a function with that and the number of its first row."""

    function: Callable[..., Any]
    learnt: Learnt | LibsvmRows

    def __call__(self, item: PieceOfFile, start: int, *given: Any) -> Any:
        """Do it."""
        piece: Any = item.read()
        return self.function(block_of(self.learnt.rows(piece), item.first), start, *given)


class OnWorkers(Reach):
    """Has workers open files, and read their pieces."""

    away = True

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Call a function with each of some files, on the workers."""
        named = [Named(each, _stamp(each), k) for k, each in enumerate(items)]
        return list(self.in_order(OnNamed(function), named))

    def pieces(self, parts: Sequence[Part], frame: Frame, own: Sequence[Sequence[int]] | None = None) -> Pieces:
        """Return the parts of a table as one, which workers read."""
        return PiecesElsewhere(parts, frame, own, self)

    def in_order(self, function: Callable[..., Any], items: Sequence[Any], *given: Any) -> Iterator[Any]:
        """Yield what comes of each item in the order of items; raise what is wrong where its turn is."""
        waiting: dict[int, Any] = {}
        due = 0
        with ended(self._ask(function, items, *given)) as found:
            for k, each in found:
                waiting[k] = each
                while due in waiting:
                    told = waiting.pop(due)
                    if isinstance(told, Refused):
                        raise told.error
                    yield told
                    due += 1


class PiecesElsewhere(Pieces):
    """The parts of a table, which workers read."""

    def __init__(self, parts: Sequence[Part], frame: Frame, own: Sequence[Sequence[int]] | None, reach: OnWorkers) -> None:
        super().__init__(parts, frame, own)
        self._reach = reach
        self._cut_for: list[int] | None = None
        self._counts: list[int] = []
        """How many pieces each part has."""
        self._wrong: dict[int, FileError] = {}
        """What is wrong with a part behind its last piece."""

    def made_of(self, parts: Sequence[Part]) -> Pieces:
        """Return other parts as one, which workers read, too."""
        return PiecesElsewhere(parts, self.frame, None, self._reach)

    def first(self, wanted: Sequence[int], function: Callable[..., Found], *given: Any) -> Iterator[tuple[int, Found]]:
        """Have all pieces looked at; they are cut when that is asked for first."""
        if self._cut_for != list(wanted):
            self._cut_up(list(wanted))
        self.ends = [[] for _ in self.parts]
        items = [self._item(k, number) for k, count in enumerate(self._counts) for number in range(count)]
        with ended(self._reach.in_order(OnPiece(function), items, *given)) as found:
            for k, count in enumerate(self._counts):
                for _ in range(count):
                    each: Found = next(found)
                    self.counted(k, each.given)
                    yield k, each
                if k in self._wrong:
                    raise self._wrong[k]

    def ask(self, numbers: Sequence[int], function: Callable[..., Any], *given: Any) -> Iterator[tuple[int, Any]]:
        """Have some pieces read, by their numbers; yield what comes of each in the order given."""
        items = [self.piece(number) for number in numbers]
        with ended(self._reach.in_order(OnPiece(function), items, *given)) as found:
            yield from zip(numbers, found, strict=True)

    def done(self, k: int, rows: int) -> tuple[float, float | None, str]:
        """Tell how many pieces were heard of, of how many."""
        return float(self.count), float(sum(self._counts)), "pieces"

    def piece(self, number: int, first: int | None = None) -> PieceOfFile:
        """Return a piece, by its number among those of all parts; its first row may be told."""
        k = 0
        while number >= self._counts[k]:
            number -= self._counts[k]
            k += 1
        return self._item(k, number, first)

    def _item(self, k: int, number: int, first: int | None = None) -> PieceOfFile:
        return PieceOfFile(self.parts[k], self._own[k], number, first)

    def _cut_up(self, wanted: list[int]) -> None:
        """Have each file cut into pieces, by the worker that is free."""
        parts = [Named((part, [own[each] for each in wanted]), _stamp(part), wanted)
                 for part, own in zip(self.parts, self._own, strict=True)]  # fmt: skip
        cut = list(self._reach.in_order(OnNamed(_cut), parts))
        self.parts = [part for part, _, _ in cut]
        self._counts = [count for _, count, _ in cut]
        self._wrong = {k: error for k, (_, _, error) in enumerate(cut) if error is not None}
        self._cut_for = wanted


def _cut(given: tuple[Part, list[int]]) -> tuple[Part, int, FileError | None]:
    part, wanted = given
    part = copy.copy(part)
    count, error = part.cut_up(wanted)
    return part, count, error


def _stamp(given: Any) -> Any:
    """Return what tells a file from another one, and from what it was before."""
    source = getattr(given, "source", given)
    return source.name, source.path, source.stamp
