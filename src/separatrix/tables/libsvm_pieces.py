"""LIBSVM text in pieces: where indices begin, how many columns there are and what the classes are is told by all of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.labels import class_array, read_labels
from ..problem.provenance import POSITIONS, Choice, Layout, LibsvmTable, Place, Places
from ..problem.reading_rows import read_rows
from ..problem.rows import measured
from ..support import progress
from .binary_files import whole_labels
from .data import notes_of_rows
from .decimals import Decimals, Digits, rows_of, settled, to_numerators
from .frame import arrow_head, name_of_all
from .learnt import PieceRows
from .pieces import HERE, Part, Reach
from .reading import refuse_choice, require_proportion
from .sources import Source
from .text import libsvm
from .text.record_spans import Records, RecordSpan, RecordSpans, line_end


class LibsvmText(NamedTuple):
    """Whole lines of a file."""

    records: Records
    name: str

    def parsed(self, decimals: int) -> libsvm.Parsed | None:
        """Read them, their numbers in a way; None if there is no row."""
        try:
            return libsvm.parse(self.records.content, self.name, decimals, self.records.span.lines)
        except libsvm.NoRows:
            return None
        except libsvm.LibsvmError as error:
            raise FileError(str(error)) from None


class LibsvmPart(Part):
    """A file of LIBSVM text, cut at ends of lines; its pieces are `LibsvmText`."""

    def __init__(self, source: Source, size: int, most: int) -> None:
        self.source, self.name = source, source.name
        self._spans = RecordSpans(source, "latin-1", size, most, line_end)
        self._cuts: dict[int, RecordSpan] = {}

    def cut(self, wanted: Sequence[int]) -> Iterator[Any]:
        """Go through the file for the first time."""
        self._cuts = {}
        for records in self._spans.cut():
            self._cuts[len(self._cuts)] = records.span
            yield LibsvmText(records, self.name)

    def again(self, numbers: Sequence[int]) -> Iterator[Any]:
        """Read pieces of the file."""
        for records in self._spans.again([self._cuts[k] for k in numbers]):
            yield LibsvmText(records, self.name)

    def alone(self, number: int) -> LibsvmPart:
        """Return what it takes to read one of its pieces."""
        lean = copy.copy(self)
        lean._cuts = {number: self._cuts[number]}
        return lean


@dataclass
class _Counted:
    """What was counted in rows that follow each other."""

    given: int = 0
    sizes: list[int] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    """How often each label occurs."""
    least: int | None = None
    """The smallest index."""
    most: int = -1
    """The largest index."""
    refused: str | None = None
    """Why labels are none."""
    fraction: int | None = None
    """The first row whose label is a fraction, though all are whole numbers to float64."""
    entries: int = 0
    largest: float = 0.0
    smallest: float = float("inf")
    longest: int = 0
    digits: Digits = field(default_factory=Digits)

    def add(self, after: _Counted) -> None:
        """Add what was counted in the rows that come next."""
        self.given += after.given
        self.sizes += after.sizes
        for label, count in after.counts.items():
            self.counts[label] = self.counts.get(label, 0) + count
        if after.least is not None:
            self.least = after.least if self.least is None else min(self.least, after.least)
        self.most, self.longest = max(self.most, after.most), max(self.longest, after.longest)
        self.refused = self.refused or after.refused
        self.entries += after.entries
        self.largest, self.smallest = max(self.largest, after.largest), min(self.smallest, after.smallest)
        self.digits = self.digits.beside(after.digits)


def _counted(piece: LibsvmText, decimals: int) -> _Counted:
    """Count what is in a piece."""
    parsed = piece.parsed(decimals)
    if parsed is None:
        return _Counted(sizes=[0])
    n = parsed.labels.size
    found = _Counted(given=n, sizes=[n], entries=parsed.data.size, digits=parsed.digits)
    try:
        labels = whole_labels(parsed.labels, parsed.long, parsed.name)
    except FileError:  # it is told where all rows before are known
        found.fraction = next(row for row, label in parsed.long.items() if label is None)
        return found
    try:
        read_labels(labels)
    except ValueError as error:
        found.refused = str(error)
    counts = zip(*np.unique(labels, return_counts=True), strict=True)
    found.counts = {int(label): int(count) for label, count in counts}
    if parsed.least is not None and parsed.most is not None:
        found.least, found.most = parsed.least, parsed.most
    measures = measured(libsvm.rows(parsed, 0)[0])
    found.largest, found.smallest, found.longest = measures.largest, measures.smallest, measures.longest
    return found


@dataclass(frozen=True)
class LibsvmRows:
    """How rows are made of a piece; picklable."""

    way: int
    read_as: Decimals | None
    decimals: Decimals | None
    base: int
    width: int
    classes: tuple[int, ...]

    def rows(self, piece: LibsvmText) -> PieceRows:
        """Make rows of a piece that has some."""
        parsed = piece.parsed(self.way)
        assert parsed is not None
        X, _ = libsvm.rows(parsed, self.base, self.width)
        to_numerators(X.data, self.read_as)
        labels = whole_labels(parsed.labels, parsed.long, parsed.name)
        codes = np.searchsorted(class_array(self.classes), labels).astype(np.int64)
        return PieceRows(rows_of(X, self.decimals), codes)


def _places_of(piece: LibsvmText, rows: Sequence[int]) -> list[Place]:
    lines = libsvm.lines_of(piece.records.content, rows)
    return [Place(piece.name, "line", piece.records.span.lines + line) for line in lines]


class LibsvmPieces:
    """Files of LIBSVM text, to be read in pieces of about so many bytes, and no line of which is longer than the most."""

    def __init__(
        self, sources: Sequence[Source], layout: Layout, choice: Choice, size: int, most: int, reach: Reach = HERE
    ) -> None:
        refuse_choice(choice, libsvm=True)
        self._sources, self._numbers = list(sources), layout.numbers
        self.name = name_of_all([source.name for source in sources])
        head = arrow_head([self.name], [[]], layout, "libsvm")
        self.pieces = reach.pieces([LibsvmPart(source, size, most) for source in sources], head)
        self._found = _Counted()
        self.decimals: Decimals | None = None

    def survey(self) -> None:
        """Go through all files, and find out what holds for all of them."""
        with progress.part("surveying"):
            self._found, decimals = settled(self._numbers, self._gone_through)
        found = self._found
        require_proportion(self.name, self.width, found.entries)
        if decimals is None and not self.width:
            try:
                read_rows(sp.csr_array((self.n, 0)))
            except ValueError as error:
                raise FileError(f"{self.name}: {error}") from None
        if found.refused is not None:
            raise FileError(f"{self.name}: {found.refused}")
        self._read_as, self.decimals = decimals, to_numerators(np.empty(0), decimals)
        self.classes = tuple(sorted(found.counts))
        self.kept = [k for k, size in enumerate(found.sizes) if size]
        self.way = LibsvmRows(
            way=NEAREST if decimals is None or not decimals.whole else decimals.places, read_as=decimals,
            decimals=self.decimals, base=self.table.base, width=self.width, classes=self.classes,
        )  # fmt: skip

    def _gone_through(self, decimals: int) -> tuple[_Counted, Digits]:
        """Go through all files, their numbers read in a way; return what was counted, and what their digits are."""
        found, current, before = _Counted(), 0, 0

        def end_parts(last: int) -> None:
            nonlocal current, before
            for k in range(current, last):
                if found.given == before:
                    self._refuse_empty(k)
                before = found.given
            current = last

        for k, told in self.pieces.first([], _counted, decimals):
            end_parts(k)
            if told.fraction is not None:
                whole_labels(np.zeros(1), {told.fraction: None}, self._sources[k].name, found.given - before)
            found.add(told)
            progress.report(lambda: f"{found.given:,} rows", found.given, None, "rows")
        end_parts(len(self._sources))
        return found, found.digits

    def _refuse_empty(self, k: int) -> None:
        """Refuse a file without rows, as the reader of whole files does."""
        head = self._sources[k].head(1)
        try:
            libsvm.parse(b"\n" if head else b"", self._sources[k].name)
        except libsvm.LibsvmError as error:
            raise FileError(str(error)) from None

    # ---- What was found.

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self._found.given

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each piece has, of those that have any."""
        return tuple(self._found.sizes[k] for k in self.kept)

    @property
    def table(self) -> LibsvmTable:
        """How the files are written: where indices begin."""
        return LibsvmTable(0 if self._found.least == 0 else 1)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return max(0, self._found.most + 1 - self.table.base)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many rows each class has."""
        return tuple(self._found.counts[each] for each in self.classes)

    @property
    def extremes(self) -> tuple[float, float, int]:
        """The largest numerator, the smallest that is not 0, and the most entries of a row."""
        found, decimals = self._found, self._read_as
        ends = np.array([found.largest, found.smallest])
        if np.isfinite(ends[1]):
            to_numerators(ends, decimals)
        return float(ends[0]), float(ends[1]), found.longest

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return list(notes_of_rows(self.decimals, self.n, 0, 0, len(self.classes)))

    # ---- Rows.

    def again(self, numbers: Sequence[int]) -> Iterator[PieceRows]:
        """Read pieces, by their numbers among those that have rows, in the order given."""
        pieces: Iterator[Any] = self.pieces.again([self.kept[k] for k in numbers])
        for _, piece in pieces:
            yield self.way.rows(piece)

    @property
    def places(self) -> Places:
        """What tells where rows are."""
        return Places(self._places, len(self._sources))

    def _places(self, rows: Sequence[int]) -> list[Place]:
        starts = np.concatenate([[0], np.cumsum(self._found.sizes)])
        wanted = np.asarray(rows, np.int64)
        numbers = np.searchsorted(starts, wanted, side="right") - 1
        found: dict[int, Place] = {}
        for number in sorted(set(numbers.tolist())):
            here = wanted[numbers == number]
            inside = (here - starts[number]).tolist()
            found |= zip(here.tolist(), self.pieces.locate(number, _places_of, inside), strict=False)
        return [found.get(row) or POSITIONS([row])[0] for row in wanted.tolist()]
