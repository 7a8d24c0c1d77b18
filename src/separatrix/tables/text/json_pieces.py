"""JSON lines in pieces: a column for each key that any line has, so that all lines are looked at before they are read."""

from __future__ import annotations

import copy
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...exceptions import FileError
from ...problem.provenance import Layout
from ..pieces import Part, Piece
from ..sources import Source
from . import csv_layout
from .csv_layout import Longer, Text
from .json_lines import layout_of_objects, objects_in, require_names, written
from .record_spans import Records, RecordSpans, newline_end
from .text_pieces import example_of, piece_of_text

_BEGINNING = 2**22
"""Bytes of the text that is written out which are enough, as a rule, to find out what is in it."""

_TIMES_AS_LARGE = 8
"""Objects take about so many times as much memory as their text."""


class JsonPart(Part):
    """JSON lines in pieces, each of which is written out as text; parameters as of `TextPart`."""

    is_text = True

    def __init__(self, source: Source, layout: Layout, size: int, most: int) -> None:
        self.source, self.name = source, source.name
        wide = source.head(2) in (BOM_UTF16_LE, BOM_UTF16_BE)
        size = max(1, size // _TIMES_AS_LARGE)
        self._spans = RecordSpans(source, "utf-16" if wide else "utf-8", size, most, newline_end)
        self._cuts: Any = []
        """Where pieces are, by their numbers."""
        names: dict[str, None] = {}
        objects = 0
        for records in self._spans.cut():
            before = objects
            for _, found in objects_in(records.content, self.name, records.span.lines):
                names.update(dict.fromkeys(found))
                objects += 1
            if objects > before:
                self._cuts.append(records.span)
        require_names(self.name, names, objects)
        self._names, self._asked = list(names), layout
        self.text = self._look()
        self.layout = self.text.layout
        self._example = example_of(self.text)
        self._passed = 0
        self.total = self._spans.stop / 1e6, "MB"

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the text."""
        return self.again(range(len(self._cuts)))

    def cut_up(self, wanted: Sequence[int]) -> tuple[int, FileError | None]:
        """Return how many pieces it has, which is known since its keys are."""
        return len(self._cuts), None

    def alone(self, number: int) -> JsonPart:
        """Return what it takes to read one of its pieces."""
        lean = copy.copy(self)
        lean._cuts, lean.text = {number: self._cuts[number]}, self.lean_text
        return lean

    @property
    def lean_text(self) -> Text:
        """The text without what was looked at."""
        return replace(self.text, source=self.source, given=self.source, sample=(self._example,))

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces of the text."""
        for records in self._spans.again([self._cuts[k] for k in numbers]):
            self._passed = records.span.stop
            layout = replace(self.layout, header=False)
            made = self._written([records], records.span.lines)
            yield piece_of_text(
                replace(self.text, source=made, given=made, layout=layout, skipped=0, sample=(self._example,))
            )

    def done(self) -> float:
        """Tell how many megabytes were gone through."""
        return self._passed / 1e6

    def _look(self) -> Text:
        """Find out what is in the beginning, as of any text; look at more of it if that is not enough."""
        some: list[Records] = []
        size, enough = 0, _BEGINNING
        pieces = self._spans.again(self._cuts)
        while True:
            while size < enough and (records := next(pieces, None)) is not None:
                some.append(records)
                size += len(records.content)
            made = replace(self._written(some), is_beginning=len(some) < len(self._cuts))
            try:
                return csv_layout.look(made, layout_of_objects(self._asked))
            except Longer:
                enough *= 4

    def _written(self, some: Sequence[Records], before: int | None = None) -> Source:
        objects = (each for records in some for each in objects_in(records.content, self.name, records.span.lines))
        return written(self.source, objects, self._names, self._asked, before)
