"""Tables in text, in pieces: the layout is found once, in the beginning, and holds for all of them."""

from __future__ import annotations

import copy
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from ...checker import is_gap
from ...problem.provenance import Layout, Place, Places
from ..decimals import Digits
from ..pieces import Part, Piece
from ..sources import Source
from . import csv_layout, csv_reading
from .csv_layout import Longer, Text, blanked
from .csv_reading import is_number
from .percents import with_plain_numbers
from .record_spans import Records, RecordSpan, RecordSpans, count_lines, end_of_lines, record_end

_BEGINNING = 2**22
"""Bytes of a text that are enough, as a rule, to find out how it is written."""

_MEGABYTE = 1e6


class TextPart(Part):
    """CSV text in pieces.

    Parameters
    ----------
    source : Source
        The file, or the text.
    layout : Layout
        How it is written, as far as it was said.
    size : int
        Bytes of a piece, when it has become rows; about.
    most : int
        Bytes of a record, at most.
    """

    is_text = True

    def __init__(self, source: Source, layout: Layout, size: int, most: int, notes: Sequence[str] = ()) -> None:
        self.source, self.name = source, source.name
        beginning = _look(source, layout, notes)
        self.text = replace(beginning, source=source, given=source)
        self.layout = found = self.text.layout
        visible = None
        if found.skipped or found.comment:
            visible = partial(_visible, found)
        encoding = found.encoding or "utf-8"
        self._spans = RecordSpans(
            source, encoding, _text_bytes(size, beginning), most, record_end(self.text.separator), visible
        )
        self._head_lines = beginning.header_line
        self._example = example_of(self.text)
        self._cuts: Any = []
        """Where pieces are, by their numbers."""
        self._passed = 0
        if source.packed is None:
            self.total = source.size / _MEGABYTE, "MB"

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the text for the first time."""
        self._cuts, self._passed = [], 0
        head: RecordSpan | None = None
        for records in self._spans.cut():
            if head is not None:  # the names of the columns were all that there was
                (records,) = self._spans.again([RecordSpan(head.start, records.span.stop, head.lines)])
                head = None
            if not self._cuts and not self._has_rows(records):
                head = records.span
                continue
            self._cuts.append(records.span)
            self._passed = records.span.stop
            yield self._piece(records, len(self._cuts) == 1)
        if self.source.packed is not None:
            self.source = replace(self.source, unfolded=self._spans.stop)
            self.text = replace(self.text, source=self.source)

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces of the text."""
        for number, records in zip(numbers, self._spans.again([self._cuts[k] for k in numbers]), strict=True):
            yield self._piece(records, number == 0)

    def alone(self, number: int) -> TextPart:
        """Return what it takes to read one of its pieces."""
        lean = copy.copy(self)
        lean._cuts, lean.text = {number: self._cuts[number]}, self.lean_text
        return lean

    @property
    def lean_text(self) -> Text:
        """The text without what was looked at."""
        return replace(self.text, sample=(self._example,))

    def done(self) -> float:
        """Tell how many megabytes were gone through."""
        return self._passed / _MEGABYTE

    def _has_rows(self, records: Records) -> bool:
        """Whether there is more in the first piece than the names of the columns."""
        if not self.layout.header:
            return True
        content, lines = records.content, self._head_lines - records.span.lines
        return count_lines(content) >= lines and bool(content[end_of_lines(content, lines) :].strip(b"\r\n"))

    def _piece(self, records: Records, is_first: bool) -> Piece:
        layout = self.layout
        wide = layout.encoding == "utf-16"
        layout = replace(layout, encoding="utf-8" if wide else layout.encoding)
        content = records.content
        if not is_first:
            layout = replace(layout, header=False)
            if content.startswith(BOM_UTF8) and layout.encoding == "utf-8":  # a character here, and no mark
                content = BOM_UTF8 + content
        source = replace(
            self.source, path=None, content=pa.py_buffer(content), stamp=None, packed=None,
            lines_before=self.source.lines_before - records.span.lines,
        )  # fmt: skip
        skipped = self.text.skipped - records.span.lines if is_first else 0
        return piece_of_text(
            replace(self.text, source=source, given=source, layout=layout, skipped=skipped, sample=(self._example,))
        )


def _visible(layout: Layout, text: bytes, before: int) -> bytes:
    return blanked(text, layout, before)


def piece_of_text(text: Text) -> Piece:
    """Return the piece of a table that a text is."""

    def read(wanted: Sequence[int], words: Collection[int], decimals: int, judged: bool) -> tuple[Any, Digits]:
        plain = with_plain_numbers(text, set(wanted) - set(words))
        return csv_reading.read(plain, wanted, words, decimals, judged=judged)

    def places(rows: Sequence[int]) -> list[Place]:
        lines = text.lines(rows)
        return [text.place(lines[row]) for row in rows]

    return Piece(read, Places(places))


def _text_bytes(size: int, text: Text) -> int:
    """Return how many bytes of a text become about so many bytes of rows."""
    cells = sum(map(len, text.sample))
    characters = sum(len(cell) + 1 for record in text.sample for cell in record)
    return max(1, min(size, size * characters // (8 * max(cells, 1))))


def example_of(text: Text) -> list[str]:
    """Return a row that tells as much of what is in columns as the first rows do: a word, wherever there is one."""
    example = ["0"] * len(text.names)
    for record in text.sample:
        for k, cell in enumerate(record[: len(example)]):
            if example[k] == "0" and not is_number(cell, text.layout) and not is_gap(cell, text.layout.gaps):
                example[k] = cell
    return example


def _look(source: Source, layout: Layout, notes: Sequence[str]) -> Text:
    """Find out how a text is written, by its beginning; look at more of it if that is not enough."""
    size = _BEGINNING
    while True:
        head = source.head(size)
        if len(head) == size and (layout.encoding == "utf-16" or head.startswith((BOM_UTF16_LE, BOM_UTF16_BE))):
            decoder = getincrementaldecoder("utf-16")(errors="ignore")
            decoder.decode(head)
            head = head[: size - len(decoder.getstate()[0])]  # whole characters
        beginning = replace(
            source, path=None, stamp=None, packed=None, content=pa.py_buffer(head), is_beginning=len(head) >= size - 4
        )
        try:
            return csv_layout.look(beginning, layout, notes)
        except Longer:
            size *= 4
