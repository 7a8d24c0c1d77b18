"""Transcripts: tables of other kinds written out as CSV, in memory, so that one reader reads them all.

The stand-alone checker reads text and no other tables. So whatever a sheet or another file holds is written out first, and
the rows are read from there: a proof is about the transcript, which the command line writes beside it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime, time, timedelta
from typing import Any

import pyarrow as pa

from ...problem.provenance import SEPARATORS, Layout
from ..sources import Source


class Number(str):
    """The digits of a number, as they are written."""

    __slots__ = ()


class Transcript:
    """A table that is written out; each record in its line, if that is said. Between runs of blanks no cell has one."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._text = layout, io.StringIO(newline="")
        separator = SEPARATORS[layout.separator or "comma"]
        self._writer = csv.writer(self._text, delimiter=separator or " ", lineterminator="\n")
        self._lines = 0

    def write(self, cells: Iterable[str], line: int | None = None) -> None:
        """Write a record, which ends in a line; empty lines, which do not count, come before."""
        cells = list(cells)
        whole = "".join(cells)
        ends = 1 + whole.count("\n") + whole.count("\r") - whole.count("\r\n")
        if line is not None and line > self._lines + ends:
            self._text.write("\n" * (line - ends - self._lines))
            self._lines = line - ends
        self._writer.writerow(cells)
        self._lines += ends

    def source(self, of: Source, lines_before: int = 0) -> Source:
        """Return the text as what the reader of CSV takes, in the place of a file."""
        content = self._text.getvalue().encode(self._layout.encoding or "utf-8")
        return Source(of.name, None, pa.py_buffer(content), member=of.member, is_copy=True, lines_before=lines_before)


def layout_of_transcript(layout: Layout) -> Layout:
    """Return how a table is written out: like others that are known, as far as it makes no difference, else plainly."""
    separator = layout.separator
    if separator is None or SEPARATORS[separator] is None:
        separator = "semicolon" if "," in (layout.decimal, layout.thousands) else "comma"
    return Layout(
        header=True if layout.header is None else layout.header, separator=separator, encoding="utf-8", gaps=layout.gaps,
        numbers=layout.numbers, decimal=layout.decimal, thousands=layout.thousands, words=layout.words,
        ignore_case=layout.ignore_case, drop_unlabelled=layout.drop_unlabelled,
    )  # fmt: skip


def cell_text(value: Any, layout: Layout) -> str:
    """Write a value as a cell: numbers with the decimal mark of the layout, dates as in 2024-01-31; nothing is empty.

    >>> from datetime import date
    >>> [cell_text(value, Layout()) for value in (1.0, 0.1, True, None, date(2024, 1, 31), "size in cm")]
    ['1', '0.1', 'true', '', '2024-01-31', 'size in cm']
    """
    if type(value) is float:  # most of them
        text = str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
        return text if layout.decimal in (None, ".") else text.replace(".", layout.decimal)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value.replace(".", layout.decimal or ".")
    if isinstance(value, str):
        return " ".join(value.splitlines()) if "\n" in value or "\r" in value else value  # a record is a line
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, timedelta):
        return cell_text(value.total_seconds() / 86400, layout)  # in days, as spreadsheets have it
    return str(value)
