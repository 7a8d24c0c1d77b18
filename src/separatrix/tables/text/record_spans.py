"""Texts cut at ends of records, in spans of bounded size: each is read by itself, again and again if need be."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ...compiled.text_ends import last_record_end
from ...exceptions import FileError
from ...problem.provenance import Place
from ..sources import Source
from .csv_layout import undecodable

_GROWTH = 4
"""A span in which no record ends is taken so many times as long."""

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class RecordSpan(NamedTuple):
    """Whole records of a text: where they are in the file, and how many lines come before."""

    start: int
    stop: int
    lines: int


class Records(NamedTuple):
    """A span with what is in it, in bytes of one for each character of ASCII."""

    span: RecordSpan
    content: bytes


End = Callable[[bytes, bool], int]
"""Tells where the last whole record of a text ends, 0 if none does; and whether it is the last part of all."""


class RecordSpans:
    """A text in spans of whole records.

    Parameters
    ----------
    source : Source
        The text.
    encoding : str
        That of the text; of UTF-16, spans are given as UTF-8.
    size : int
        Bytes of a span, about.
    most : int
        Bytes of a record, at most.
    end : function
        Tells where records end.
    visible : function, optional
        Makes of lines, and how many come before them, what is to be seen of them, line for line.
    """

    def __init__(
        self, source: Source, encoding: str, size: int, most: int, end: End,
        visible: Callable[[bytes, int], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.source, self._size, self._most, self._end, self._visible = source, size, max(most, size), end, visible
        self.stop = 0
        """Where the text ends, once it was cut."""
        self._wide: str | None = None
        self._mark = b""
        if encoding == "utf-16":
            self._mark = source.head(2)
            self._wide = _MARKS.get(self._mark, "utf-16-le")
            self._mark = self._mark if self._mark in _MARKS else b""

    def cut(self) -> Iterator[Records]:
        """Go through the text for the first time, and cut it; spans without any cell are left out."""
        with self.source.open() as file:
            start, lines = len(self._mark), 0
            file.seek(start)
            rest, ended = b"", False
            while rest or not ended:
                size = self._size
                while True:
                    if len(rest) < size and not ended:
                        part = bytes(file.read(size - len(rest)))
                        rest, ended = rest + part, len(part) < size - len(rest)
                    taken, content, count = self._cut(rest, ended, lines)
                    if taken or ended:
                        break
                    if size >= self._most:
                        place = Place(self.source.name, "line", lines + 1)
                        raise FileError(
                            f"{place}: a record that begins here does not end within {size:,} bytes, more than there is "
                            "room for. Is there a double quote without an end? Else allow more memory."
                        )
                    size *= _GROWTH
                self.source.require_same()
                span = RecordSpan(start, start + taken, lines)
                start, lines, rest = span.stop, lines + count, rest[taken:]
                if content.strip(b"\r\n"):
                    yield Records(span, content)
                if not taken:
                    break
            self.stop = start

    def again(self, spans: Sequence[RecordSpan]) -> Iterator[Records]:
        """Read some spans, in the order given."""
        if not spans:
            return
        with self.source.open() as file:
            for span in spans:
                file.seek(span.start)
                raw = bytes(file.read(span.stop - span.start))
                self.source.require_same()
                if len(raw) < span.stop - span.start:
                    raise self.source.changed()
                yield Records(span, self._seen(self._plain(raw, True)[0], span.lines))

    def _cut(self, raw: bytes, ended: bool, lines: int) -> tuple[int, bytes, int]:
        """Return how many bytes the whole records at the beginning take, what is in them, and how many lines they have."""
        text, decoded = self._plain(raw, ended)
        if self._visible is None:
            end = len(text) if ended else self._end(text, False)
            content, taken = text[:end], end
        else:
            whole = text if ended else text[: line_end(text, False)]
            seen = self._visible(whole, lines)
            end = len(seen) if ended else self._end(seen, False)
            content = seen[:end]
            taken = len(text) if ended else end_of_lines(whole, count_lines(content))
        count = count_lines(content)
        if self._wide is not None:
            taken = decoded if taken == len(text) else len(text[:taken].decode().encode(self._wide))
        return taken, content, count

    def _seen(self, text: bytes, lines: int) -> bytes:
        return text if self._visible is None else self._visible(text, lines)

    def _plain(self, raw: bytes, ended: bool) -> tuple[bytes, int]:
        """Return a text in UTF-8 if it is in UTF-16, and how many bytes of it that is."""
        if self._wide is None:
            return raw, len(raw)
        decoder = codecs.getincrementaldecoder(self._wide)()
        try:
            text = decoder.decode(raw, ended)
        except UnicodeError:
            raise undecodable(self.source, "utf-16") from None
        return text.encode(), len(raw) - len(decoder.getstate()[0])


def count_lines(text: bytes) -> int:
    r"""Return how many line ends there are.

    >>> count_lines(b"a\r\nb\rc\n")
    3
    """
    returns = text.count(b"\r")
    return text.count(b"\n") + (returns - text.count(b"\r\n") if returns else 0)


def line_end(text: bytes, ended: bool) -> int:
    r"""Return where the last line ends; a carriage return at the end is not taken for one, unless the text ends there.

    >>> line_end(b"a\nb", False), line_end(b"a\nb\r", False), line_end(b"a\rb", False)
    (2, 2, 2)
    """
    if ended:
        return len(text)
    end = text.rfind(b"\n") + 1
    alone = text.rfind(b"\r", end, len(text) - 1) + 1
    return max(end, alone)


def newline_end(text: bytes, ended: bool) -> int:
    """Return where the last line ends, if nothing but a newline ends one."""
    return len(text) if ended else text.rfind(b"\n") + 1


def record_end(separator: str | None) -> End:
    """Return what tells where records of CSV end: cells in double quotes may hold line ends."""
    return partial(_record_end, separator)


def _record_end(separator: str | None, text: bytes, ended: bool) -> int:
    if separator is None or b'"' not in text:
        return line_end(text, ended)
    array = np.frombuffer(text, np.uint8)
    return len(text) if ended else int(last_record_end(array, np.uint8(ord(separator))))


def end_of_lines(text: bytes, count: int) -> int:
    """Return where so many lines end."""
    array = np.frombuffer(text, np.uint8)
    ends = array == ord("\n")
    alone = array == ord("\r")
    alone[:-1] &= ~ends[1:]
    places = np.flatnonzero(ends | alone)
    return int(places[count - 1]) + 1 if count else 0
