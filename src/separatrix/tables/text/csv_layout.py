"""How a table is written as text: its separator, encoding and header, told by the user or found in its first lines."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...compiled.decimals import NEWLINE
from ...exceptions import FileError
from ...problem.provenance import SEPARATORS, Layout, Place
from ...support.escaping import brief
from ...support.remedies import Message, Remedy
from ..sources import Source, is_tab_separated
from .csv_guesses import (
    SEPARATOR_LINE,
    as_usual_number,
    bare,
    columns_of,
    has_other_blanks,
    marks_in,
    marks_in_words,
    percents_in,
    spots,
    zeros_in,
)
from .separators import Cut, Record, found_separator, plural, refuse_other
from .titles import first_repeated, odd_name, place_in_text

_HEAD_BYTES = 2**16
"""Bytes of a text that are looked at first."""

_FEW_LINES = 1000
"""Lines up to which a text is read anew to find a row."""

_LINE_END = re.compile(r"\r\n|\r|\n")


def look(source: Source, layout: Layout, notes: Sequence[str] = ()) -> Text:
    """Find out how a table is written, and what its columns are called; what was not told is noted."""
    layout, found = replace(layout, encoding=layout.encoding or _encoding(source)), Found()
    if (line := SEPARATOR_LINE.match(_decoded(source.head(64), layout.encoding or "utf-8", source, False))) is not None:
        layout = replace(layout, skipped=max(layout.skipped or 0, 1))
        told = next((name for name, character in SEPARATORS.items() if character == line[1]), None)
        if layout.separator is None and told is not None:
            layout = replace(layout, separator=told)
            found.say(f"separated by {plural(told)}, by its first line", Remedy("separator", told))
    said = layout.separator
    usual = "semicolon" if "," in (layout.decimal, layout.thousands) else "comma"
    separator = said or ("tab" if is_tab_separated(source) else usual)
    layout = replace(layout, separator=separator)
    if SEPARATORS[separator] is None and layout.thousands == " ":
        raise FileError(
            "A blank cannot be a mark in numbers and stand between the values of a line. Say ",
            Remedy("separator", "comma"),
            ".",
        )
    given = source
    if layout.skipped or layout.comment:
        source = _blanked(source, layout)
    records, empty = _beginning(source, layout)
    if not records:
        raise FileError(
            f"{source.name} is empty: expected a {'header line, then a ' if layout.header else ''}line for each row."
        )

    def cut(by: str) -> list[Record]:
        return _beginning(source, replace(layout, separator=by))[0]

    if said is None:
        other = found_separator(source.name, layout, separator, cut, named=separator != usual)
        if other != separator:
            layout = replace(layout, separator=other)
            records, empty = _beginning(source, layout)
            found.say(f"separated by {plural(other)}", Remedy("separator", other))
        elif separator == usual == "semicolon" and len(records[0]) == 1 and "," in records[0].cells[0]:
            layout, records = _with_commas(source, layout, records)
    elif separator == "comma" and len(records[0]) == 1:
        refuse_other(source.name, cut)
    skipped = _lines_above(records, layout)
    if skipped:
        layout = replace(layout, skipped=skipped)
        source = _blanked(given, layout)
        records, empty = _beginning(source, layout)
        found.say(f"the table begins in line {records[0].line}, with its names", Remedy("skip_lines", skipped))
    _refuse_titles(source, records)
    first = records[0].cells
    if layout.header is None:
        odd = odd_name(first)
        if odd is not None:
            raise FileError(
                f"The first line of {source.name} looks like a row, not like names of columns: {odd}. Say ",
                Remedy("header", False),
                " if it is one, or ",
                Remedy("header", True),
                " if these are names.",
            )
    header = layout.header is not False
    names = tuple(first) if header else tuple(str(k + 1) for k in range(len(first)))
    _refuse_repeated(source, names)
    sample = tuple(record.cells for record in (records[1:] if header else records))
    if not sample:
        raise FileError(f"{source.name} has a header but no rows.")
    layout = replace(layout, header=header)
    columns = columns_of(sample, len(names), layout)
    if layout.decimal is None and layout.thousands is None and (marks := marks_in(bare(columns))) is not None:
        decimal, thousands, example = marks
        layout = replace(layout, decimal=decimal, thousands=thousands)
        parts = [Remedy("decimal", decimal)] if decimal != "." else []
        parts += [Remedy("thousands", thousands)] if thousands else []
        found.say(marks_in_words(decimal, thousands, example), *parts)
    blanks = layout.thousands == " " and has_other_blanks(source, layout)
    if blanks:
        columns = [[as_usual_number(cell, layout) for cell in cells] for cells in columns]
    return Text(
        source=source,
        given=given,
        layout=layout,
        names=names,
        sample=sample,
        skipped=empty + header,
        notes=(*found.notes(source.name), *notes),
        percents=tuple(percents_in(columns, layout)),
        has_other_blanks=blanks,
    )


def _refuse_titles(source: Source, records: Sequence[Record]) -> None:
    """Refuse lines that are not divided above lines that are: they are no part of the table, as it seems."""
    start = next((k for k, record in enumerate(records) if len(record) > 1), 0)
    if start and len({len(record) for record in records[start:]}) == 1:
        line = records[start].line
        raise FileError(
            f"{source.name}, line {records[0].line}: 1 value, but from line {line} on there are {len(records[start])}. If "
            "the table begins there, say ",
            Remedy("skip_lines", line - 1),
            ".",
        )


class Found:
    """What was found out of a table that nobody told: texts, with the options that would have told it."""

    def __init__(self) -> None:
        self._parts: list[Any] = []

    def say(self, what: str, *remedies: Remedy) -> None:
        """Add something."""
        options = [part for remedy in remedies for part in (" and ", remedy)][1:]
        self._parts += ["; " if self._parts else "", what, *([" (", *options, ")"] if options else [])]

    def notes(self, name: str) -> tuple[Message, ...]:
        """Return it as a note."""
        return (Message(f"Found in the first lines of {name}, as nothing was said: ", *self._parts, "."),) * bool(
            self._parts
        )


def _with_commas(source: Source, layout: Layout, records: list[Record]) -> tuple[Layout, list[Record]]:
    """Return a table as separated by commas, although they are marks in its numbers, too: such numbers are in quotes."""
    if Cut.of("semicolon", records).divides:
        return layout, records
    by_commas = replace(layout, separator="comma")
    records = _beginning(source, by_commas)[0]
    alike = len(records[0]) > 1 and len({len(record) for record in records}) == 1
    if alike and any("," in cell for record in records[1:] for cell in record.cells):
        return by_commas, records
    raise FileError(
        f"{source.name} seems to be separated by commas, and a comma is a mark in its numbers, too. If such numbers are "
        "in quotation marks, say ",
        Remedy("separator", "comma"),
        ".",
    )


def _lines_above(records: Sequence[Record], layout: Layout) -> int:
    """Return how many lines there are above the table, 0 if that is told, or not certain."""
    if layout.skipped is not None or layout.header is False:
        return 0
    cells = [record.cells for record in records]
    place = place_in_text(cells)
    if not place or len({len(record) for record in records[place:]}) > 1:
        return 0
    return records[place - 1].line


def _blanked(source: Source, layout: Layout) -> Source:
    """Return a text with empty lines in place of those that are no part of the table; so lines keep their numbers."""
    content, wide = source.buffer().to_pybytes(), layout.encoding == "utf-16"
    if not wide:
        return replace(source, content=pa.py_buffer(blanked(content, layout)))
    text = _decoded(content, "utf-16", source, True).encode("utf-8", "surrogatepass")
    return replace(source, content=pa.py_buffer(blanked(text, layout).decode("utf-8", "surrogatepass").encode("utf-16")))


_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


def blanked(content: bytes, layout: Layout, before: int = 0) -> bytes:
    """Return a text of some bytes for each character with empty lines in place of those that are no part of the table.

    So many lines come before it.
    """
    skipped, comment = max(0, (layout.skipped or 0) - before), (layout.comment or "").encode()
    kept = [
        line[len(line.rstrip(b"\r\n")) :] or b"\n"
        if k < skipped or (comment and line.removeprefix(codecs.BOM_UTF8).startswith(comment))
        else line
        for k, line in enumerate(_LINE.findall(content))
    ]
    return b"".join(kept)


def _encoding(source: Source) -> str:
    head = source.head(4)
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


class Longer(Exception):  # noqa: N818 (it is what it says)
    """More of a text must be looked at than the beginning that is there."""


def _beginning(source: Source, layout: Layout) -> tuple[list[Record], int]:
    """Return the first records, whole ones, and how many empty lines come before."""
    size = _HEAD_BYTES
    while True:
        head = source.head(size)
        whole = len(head) < size
        if whole and source.is_beginning:
            raise Longer
        text = _decoded(head, layout.encoding or "utf-8", source, whole)
        records = [Record(*each) for each in _split(io.StringIO(text, newline=""), layout, source, strict=False)]
        if not whole:
            records = records[:-1]
        if whole or len(records) > 1:
            return records, len(_LINE_END.findall(text, 0, len(text) - len(text.lstrip("\r\n"))))
        size *= 16


def _decoded(head: bytes, encoding: str, source: Source, whole: bool) -> str:
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    try:
        text = decoder.decode(head, whole)
    except UnicodeError:
        raise undecodable(source, encoding) from None
    if "\0" in text:
        raise holds_nul(source.name)
    return text


def holds_nul(name: str) -> FileError:
    """Return the error that a file is not text."""
    remedy = Remedy("encoding", "utf-16")
    return FileError(f"{name} is not text: it holds NUL bytes. If it is a table in UTF-16, say ", remedy, ".")


def undecodable(source: Source, encoding: str) -> FileError:
    """Return the error that a file is not text in an encoding, with the one that it may be in."""
    other, where = "utf-8", ""
    if encoding == "utf-8":
        try:
            source.buffer().to_pybytes().decode("cp1252")
            other, where = "cp1252", ", the usual one of Windows in Western Europe"
        except UnicodeError:
            other = "latin-1"
    remedy = Remedy("encoding", other)
    return FileError(
        f"{source.name} is not text in {encoding.upper()}. It may be in {other.upper()}{where}: say ", remedy,
        ", or save it in UTF-8.",
    )  # fmt: skip


def records_of(source: Source, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Read the lines of a table slowly, each with its number."""
    encoding = "utf-8-sig" if layout.encoding == "utf-8" else layout.encoding
    with source.open() as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
        try:
            yield from _split(text, layout, source)
        except UnicodeError:
            raise undecodable(source, layout.encoding or "utf-8") from None


def _split(text: Any, layout: Layout, source: Source, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Split text into records, skipping empty lines; strictly, quotes are around whole cells or nothing special."""
    separator = SEPARATORS[layout.separator or "comma"]
    if separator is None:
        for number, line in enumerate(_LINE_END.split(text.read()), 1):
            if cells := line.strip(" \t").replace("\t", " ").split(" "):
                cells = [cell for cell in cells if cell]
                if cells:
                    yield number, cells
        return
    limit = csv.field_size_limit(sys.maxsize)
    reader = csv.reader(text, delimiter=separator, strict=strict)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        place = Place(source.name, "line", reader.line_num - source.lines_before)
        raise FileError(
            f"{place}: {error}. A value that begins with a double quote goes to the next one; two of them stand for one."
        ) from None
    finally:
        csv.field_size_limit(limit)


def _refuse_repeated(source: Source, names: Sequence[str]) -> None:
    if (name := first_repeated(names)) is not None:
        raise FileError(
            f"{source.name} has two columns named {brief(name)}. Rename one of them, or say ",
            Remedy("header", False),
            " if it has no header.",
        )


@dataclass(frozen=True, kw_only=True)
class Text:
    """A table as text, its layout found out and its beginning looked at."""

    source: Source
    given: Source
    """The same, with the lines that are no part of the table."""
    layout: Layout
    names: tuple[str, ...]
    """Of the columns; empty for a column without one."""
    sample: tuple[list[str], ...]
    """The first rows."""
    skipped: int
    """Empty lines at the beginning, and the header: what comes before the first row."""
    notes: tuple[str, ...] = ()
    """What whoever uses the table should know of how it is read."""
    percents: tuple[int, ...] = ()
    """Columns in which every number has a percent sign."""
    has_other_blanks: bool = False
    """Whether other blanks than the usual one may stand between thousands."""

    @property
    def separator(self) -> str | None:
        """The character between cells, None for runs of blanks."""
        return SEPARATORS[self.layout.separator or "comma"]

    @property
    def header_line(self) -> int:
        """The line that the names of the columns end in; 0 if there is none."""
        return next(records_of(self.source, self.layout))[0] if self.layout.header else 0

    def zeros(self) -> dict[int, str]:
        """Return the columns of whole numbers that begin with 0 here and there, as codes do, each with the first such."""
        records: list[Sequence[str]] = [*self.sample]
        with suppress(FileError, OSError):  # the file may have changed since
            records.extend(spots(self.source, self.layout, len(self.names), self.header_line))
        return zeros_in(columns_of(records, len(self.names), self.layout))

    def place(self, line: int) -> Place:
        """Return where a line of the text is in the file."""
        return Place(self.source.name, "line", line - self.source.lines_before)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Go through the rows again, slowly, each with the number of its line."""
        first = True
        for line, cells in records_of(self.source, self.layout):
            if first and self.layout.header:
                first = False
                continue
            yield line, cells

    def lines(self, rows: Collection[int], size: int | None = None) -> dict[int, int]:
        """Return the lines that rows end in, of so many rows in all, if that is known."""
        wanted, last = set(rows), max(rows, default=-1)
        if size is not None and last >= _FEW_LINES and self._has_a_line_for_each(size):
            return {row: self.skipped + row + 1 for row in wanted}
        found: dict[int, int] = {}
        for i, (line, _) in enumerate(self.records()):
            if i > last:
                break
            if i in wanted:
                found[i] = line
        return found

    def _has_a_line_for_each(self, size: int) -> bool:
        """Whether each of so many rows has a line of its own, and nothing stands between them: then lines can be counted.

        No row takes less than a line; so it is enough that there are no more lines than rows.
        """
        if self.layout.encoding == "utf-16":
            return False
        text = np.frombuffer(self.source.buffer(), np.uint8)
        lines = sum(np.count_nonzero(text[at : at + 2**24] == NEWLINE) for at in range(0, text.size, 2**24))
        return self.skipped + size == lines + bool(text.size and text[-1] != NEWLINE)
