"""Cells that are written otherwise before they are read: numbers with a percent sign, and labels that differ by case alone.

The text stays as it is but for them, so that what a certificate says of the table holds of the text that was made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ...checker import is_gap
from ...support.escaping import brief
from ...support.remedies import Remedy
from .csv_guesses import without_percent
from .csv_layout import Text, records_of
from .csv_reading import FirstWord, MixedColumns
from .transcript import Transcript


def without_percents(text: Text, places: Collection[int]) -> Text:
    """Write a table out anew, with hundredths for the numbers of some columns, all of which have a percent sign."""

    def hundredth(line: int, k: int, cell: str) -> str:
        number = without_percent(cell, text.layout)
        if number is None:
            raise _without_sign(text, line, k, cell)
        return number

    sample = tuple(
        [(without_percent(cell, text.layout) or cell) if k in places else cell for k, cell in enumerate(record)]
        for record in text.sample
    )
    return replace(rewritten(text, places, hundredth), sample=sample)


def _without_sign(text: Text, line: int, k: int, cell: str) -> MixedColumns:
    error = MixedColumns(
        f"{text.place(line)}, column {brief(text.names[k])}: {brief(cell)} is no number with a percent sign, but others of "
        "the column are. Write all of them alike, take them as categories with ",
        Remedy("text", text.names[k]),
        ", or leave the column out with ",
        Remedy("drop", text.names[k]),
        ".",
    )
    error.found = {k: FirstWord(text.place(line), cell)}
    return error


def in_small_letters(text: Text, label: int) -> Text:
    """Write a table out anew, its labels in small letters and without blanks around them."""
    return rewritten(text, [label], lambda line, k, cell: folded(cell))


def folded(label: str) -> str:
    """Return what is common to labels that differ by case, or by blanks around them.

    >>> folded(" Ja")
    'ja'
    """
    return label.strip().lower()


def rewritten(text: Text, places: Collection[int], change: Callable[[int, int, str], str]) -> Text:
    """Write a table out anew, with other cells in some columns: a function is given the line, the column and the cell."""
    transcript, layout, names_end = Transcript(text.layout), text.layout, text.header_line
    for line, cells in records_of(text.source, layout):
        for k in places if line > names_end else ():
            if k < len(cells) and not is_gap(cells[k], layout.gaps, layout.words):
                cells[k] = change(line, k, cells[k])
        transcript.write(cells, line)
    source = transcript.source(text.source, text.source.lines_before)
    return replace(text, source=source, given=source)
