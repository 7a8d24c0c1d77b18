"""Sheets of Excel's files, written out as text; another package reads them, which need not be installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..exceptions import FileError
from ..problem.provenance import Layout
from ..support.counts import few_of
from ..support.escaping import brief
from ..support.limits import enough_memory, exceeded, most_bytes
from ..support.remedies import Message, Remedy
from .archives import MARK, clean_copy
from .foreign_errors import reason_of
from .sources import Source
from .text.csv_reading import is_number
from .text.titles import place_of_names
from .text.transcript import Transcript, cell_text, layout_of_transcript

_BYTES_PER_CELL = 100
"""Bytes that a cell takes, used or not: a sheet is laid out in full, up to its last row and column."""

_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,9})["']""")
"""Where a cell, or a row, says that it is."""

_MAX_SHEETS_NAMED = 12

_MAX_COLUMNS_NAMED = 6


def as_text(source: Source, layout: Layout) -> tuple[Source, Layout, list[str]]:
    """Write a sheet out as text; return also how it is written, and what whoever uses it should know.

    The lines of the text are the rows of the sheet.
    """
    name, rows = _sheet(source, layout.sheet)
    if layout.numbers == "auto":
        layout = replace(layout, numbers="float64")
    written = layout_of_transcript(layout)
    texts = [[cell_text(value, written) for value in row] for row in rows]
    notes: list[str] = [
        Message(
            f"Read from the sheet {brief(name)}. "
            + (
                "Its numbers are float64, as the spreadsheet stores them; to have 0.1 as one tenth, say "
                if layout.numbers == "float64"
                else "Its numbers are the shortest decimals of what the spreadsheet stores, by "
            ),
            Remedy("numbers", "decimal"),
            ".",
        )
    ]
    filled = [k for k, row in enumerate(texts) if any(cell.strip() for cell in row) and k >= (layout.skipped or 0)]
    if not filled:
        raise FileError(f"{source.name}: the sheet {brief(name)} is empty.")
    first = 0
    if layout.header is not False and not layout.skipped:
        first = place_of_names([texts[k] for k in filled])
        if first:
            above = few_of([brief(cell) for k in filled[:first] for cell in texts[k] if cell.strip()], 3)
            notes.append(
                Message(
                    f"The table is taken to begin in row {filled[first] + 1} of the sheet, below {above}. If it begins "
                    "elsewhere, say ",
                    Remedy("skip_lines", filled[first]),
                    " with another number.",
                )
            )
    there = [j for j in range(max(map(len, texts))) if any(texts[k][j].strip() for k in filled[first:])]
    table = filled[first:]
    names: list[str | int] = [j + 1 for j in range(len(there))]
    if written.header is not False:
        names = [texts[table[0]][j] or names[k] for k, j in enumerate(there)]
        table = table[1:]
    notes += _about_texts({name: [rows[k][j] for k in table] for name, j in zip(names, there, strict=True)}, written)
    transcript = Transcript(written)
    for k in filled[first:]:
        transcript.write([texts[k][j] for j in there], k + 1)
    return transcript.source(source), written, notes


def _about_texts(columns: dict[str | int, list[Any]], layout: Layout) -> Iterator[str]:
    """Say which columns of numbers have cells that the spreadsheet stores as text."""
    found: dict[str | int, str] = {}
    for name, cells in columns.items():
        texts = [cell for cell in cells if isinstance(cell, str) and cell.strip() not in layout.gaps]
        if all(isinstance(cell, float | str) for cell in cells) and all(is_number(cell, layout) for cell in texts) and texts:
            found[name] = texts[0]
    if found:
        examples = [f"{brief(name) if isinstance(name, str) else name} ({brief(text)})" for name, text in found.items()]
        yield Message(
            "Numbers that the spreadsheet stores as text are read as numbers, in the column "
            f"{few_of(examples, _MAX_COLUMNS_NAMED)}. If they are codes of categories, say ",
            Remedy("text", next(iter(found))),
            ".",
        )


def _sheet(source: Source, wanted: str | None) -> tuple[str, list[list[Any]]]:
    """Return the name of a sheet and its rows, all of the same length."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise FileError(
            f"{source.name} is a spreadsheet, and reading one takes another package: pip install 'separatrix[excel]'. Or "
            "save the table as CSV (in UTF-8), and name that file."
        ) from None
    if not source.head(2).startswith(MARK):
        raise FileError(f"{source.name} is not a spreadsheet (.xlsx): it does not begin as one.")
    with enough_memory(source.name):
        copy, parts = clean_copy(source.name, source.buffer())
        _refuse_large(source, parts)
        try:
            workbook = calamine.CalamineWorkbook.from_filelike(copy)
            names = list(workbook.sheet_names)
            chosen = _chosen(source, workbook, names, wanted)
            sheet = workbook.get_sheet_by_name(chosen)
            return chosen, list(sheet.iter_rows()) if sheet.height else []
        except (FileError, MemoryError):
            raise
        except BaseException as error:  # damaged files fail in many ways, some of which are no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            raise FileError(f"{source.name} is not a spreadsheet that can be read: {reason_of(error)}.") from None


def _chosen(source: Source, workbook: Any, names: list[str], wanted: str | None) -> str:
    """Return the sheet that is named, by its name or position; or the only one that is not empty."""
    if wanted is not None:
        if wanted in names:
            return wanted
        if re.fullmatch("[0-9]{1,6}", wanted) and 1 <= int(wanted) <= len(names):
            return names[int(wanted) - 1]
        raise FileError(f"{source.name} has no sheet {brief(wanted)}. Its sheets are: {_named(names)}.")
    filled = [name for name in names if workbook.get_sheet_by_name(name).height]
    if not filled:
        raise FileError(f"{source.name} is empty: none of its sheets ({_named(names)}) holds anything.")
    if len(filled) > 1:
        raise FileError(
            f"{source.name} has {len(filled)} sheets that are not empty: {_named(filled)}. Say which one, as in ",
            Remedy("sheet", filled[0]),
            ".",
        )
    return filled[0]


def _named(names: list[str]) -> str:
    return few_of([brief(name) for name in names], _MAX_SHEETS_NAMED, in_all=True)


def _refuse_large(source: Source, parts: list[bytes]) -> None:
    """Refuse a sheet with a cell far away from the others: room would be made for all that lies between."""
    most = most_bytes()
    for part in parts:
        if b"\0" in part[:100]:
            raise FileError(f"{source.name} is not a spreadsheet that can be read: a sheet is in UTF-16.")
        places = _PLACE.findall(part)
        rows = max((int(digits) for digits in {digits for _, digits in places}), default=1)
        columns = max(map(_column, {letters for letters, _ in places}), default=1)
        if rows * columns * _BYTES_PER_CELL > max(most, _BYTES_PER_CELL * len(part)):
            raise FileError(
                exceeded(f"{source.name} has a sheet of {rows:,} rows and {columns:,} columns, which takes", most)
            )


def _column(letters: bytes) -> int:
    """Return the number of a column.

    >>> _column(b"A"), _column(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
