"""LIBSVM text in pieces: where indices begin, how many columns there are and what the classes are is told by all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.labels import class_array, read_labels
from ..problem.provenance import POSITIONS, Choice, Layout, LibsvmTable, Place, Places
from ..problem.reading_rows import read_rows
from ..problem.rows import measured
from ..support import progress
from ..support.ahead import ahead
from .binary_files import whole_labels
from .data import notes_of_rows
from .decimals import Decimals, Digits, rows_of, settled, to_numerators
from .frame import name_of_all
from .learnt import PieceRows
from .reading import refuse_choice, require_proportion
from .sources import Source
from .text import libsvm
from .text.record_spans import Records, RecordSpan, RecordSpans, line_end


@dataclass
class _Counted:
    """What was counted in all pieces so far."""

    cuts: list[tuple[int, RecordSpan]] = field(default_factory=list)
    """Of each piece the file, and where it is there."""
    sizes: list[int] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    """How often each label occurs."""
    least: int | None = None
    """The smallest index."""
    most: int = -1
    """The largest index."""
    refused: FileError | None = None
    """Labels that are none."""
    entries: int = 0
    largest: float = 0.0
    smallest: float = float("inf")
    longest: int = 0


class LibsvmPieces:
    """Files of LIBSVM text, to be read in pieces of about so many bytes, and no line of which is longer than the most."""

    def __init__(self, sources: Sequence[Source], layout: Layout, choice: Choice, size: int, most: int) -> None:
        refuse_choice(choice, libsvm=True)
        self._sources, self._numbers = list(sources), layout.numbers
        self._spans = [RecordSpans(source, "latin-1", size, most, line_end) for source in self._sources]
        self.name = name_of_all([source.name for source in sources])
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
            raise found.refused
        self._way = NEAREST if decimals is None or not decimals.whole else decimals.places
        self._read_as, self.decimals = decimals, to_numerators(np.empty(0), decimals)
        self.classes = tuple(sorted(found.counts))

    def _gone_through(self, decimals: int) -> tuple[_Counted, Digits]:
        """Go through all files, their numbers read in a way; return what was counted, and what their digits are."""
        found, digits = _Counted(), Digits()
        for k, spans in enumerate(self._spans):
            before = sum(found.sizes)
            for records in ahead(spans.cut()):
                try:
                    parsed = self._parsed(k, records, decimals)
                except libsvm.NoRows:
                    continue
                found.cuts.append((k, records.span))
                digits = digits.beside(parsed.digits)
                labels = whole_labels(parsed.labels, parsed.long, parsed.name, sum(found.sizes) - before)
                self._count(found, parsed, labels)
                progress.report(lambda: f"{sum(found.sizes):,} rows", sum(found.sizes), None, "rows")
            if sum(found.sizes) == before:
                self._refuse_empty(k)
        return found, digits

    def _refuse_empty(self, k: int) -> None:
        """Refuse a file without rows, as the reader of whole files does."""
        head = self._sources[k].head(1)
        try:
            libsvm.parse(b"\n" if head else b"", self._sources[k].name)
        except libsvm.LibsvmError as error:
            raise FileError(str(error)) from None

    def _parsed(self, k: int, records: Records, decimals: int) -> libsvm.Parsed:
        try:
            return libsvm.parse(records.content, self._sources[k].name, decimals, records.span.lines)
        except libsvm.NoRows:
            raise
        except libsvm.LibsvmError as error:
            raise FileError(str(error)) from None

    def _count(self, found: _Counted, parsed: libsvm.Parsed, labels: NDArray[Any]) -> None:
        found.sizes.append(labels.size)
        try:
            read_labels(labels)
        except ValueError as error:
            found.refused = found.refused or FileError(f"{self.name}: {error}")
        for label, count in zip(*np.unique(labels, return_counts=True), strict=True):
            found.counts[int(label)] = found.counts.get(int(label), 0) + int(count)
        if parsed.least is not None and parsed.most is not None:
            found.least = parsed.least if found.least is None else min(found.least, parsed.least)
            found.most = max(found.most, parsed.most)
        found.entries += parsed.data.size
        measures = measured(libsvm.rows(parsed, 0)[0])
        found.largest, found.smallest = max(found.largest, measures.largest), min(found.smallest, measures.smallest)
        found.longest = max(found.longest, measures.longest)

    # ---- What was found.

    @property
    def n(self) -> int:
        """How many rows there are."""
        return sum(self._found.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each piece has."""
        return tuple(self._found.sizes)

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
        """Read pieces, by their numbers, in the order given."""
        classes = class_array(self.classes)
        for records, k in self._records(numbers):
            parsed = self._parsed(k, records, self._way)
            X, _ = libsvm.rows(parsed, self.table.base, self.width)
            to_numerators(X.data, self._read_as)
            codes = np.searchsorted(classes, whole_labels(parsed.labels, parsed.long, parsed.name)).astype(np.int64)
            yield PieceRows(rows_of(X, self.decimals), codes)

    def _records(self, numbers: Sequence[int]) -> Iterator[tuple[Records, int]]:
        cuts = [self._found.cuts[number] for number in numbers]
        start = 0
        while start < len(cuts):
            k, stop = cuts[start][0], start
            while stop < len(cuts) and cuts[stop][0] == k:
                stop += 1
            for records in self._spans[k].again([span for _, span in cuts[start:stop]]):
                yield records, k
            start = stop

    @property
    def places(self) -> Places:
        """What tells where rows are."""
        return Places(self._places, len(self._sources))

    def _places(self, rows: Sequence[int]) -> list[Place]:
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        wanted = np.asarray(rows, np.int64)
        pieces = np.searchsorted(starts, wanted, side="right") - 1
        found: dict[int, Place] = {}
        order = sorted(set(pieces.tolist()))
        with suppress(FileError):  # it may have changed since, and its lines with it
            for number, (records, k) in zip(order, self._records(order), strict=True):
                here = wanted[pieces == number]
                lines = libsvm.lines_of(records.content, (here - starts[number]).tolist())
                name = self._sources[k].name
                found |= {
                    row: Place(name, "line", records.span.lines + line)
                    for row, line in zip(here.tolist(), lines, strict=True)
                }
        return [found.get(row) or POSITIONS([row])[0] for row in wanted.tolist()]
