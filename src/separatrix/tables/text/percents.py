"""Tables that are written otherwise before they are read: percent signs, blanks, labels in any case, rows without one.

The text stays as it is but for them, so that what a certificate says of the table holds of the text that was made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ...checker import is_gap
from ...support.escaping import brief
from ...support.remedies import Remedy
from .csv_guesses import as_usual_number, without_percent
from .csv_layout import Text, records_of
from .csv_reading import FirstWord, MixedColumns
from .transcript import Transcript


def with_plain_numbers(text: Text, wanted: Collection[int]) -> Text:
    """Take numbers with percent signs, or with other blanks, as numbers, in columns that are not read as words."""
    signed = set(wanted) & set(text.percents)
    text = with_usual_blanks(text, wanted) if text.has_other_blanks and wanted else text
    return without_percents(text, signed) if signed else text


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


def with_usual_blanks(text: Text, places: Collection[int]) -> Text:
    """Write a table out anew, with the usual blanks between the thousands of numbers in some columns."""
    sample = tuple(
        [as_usual_number(cell, text.layout) if k in places else cell for k, cell in enumerate(record)]
        for record in text.sample
    )
    made = rewritten(text, places, lambda line, k, cell: as_usual_number(cell, text.layout))
    return replace(made, sample=sample)


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


def with_labels(text: Text, label: int) -> Text:
    """Write a table out anew, with its labels as the layout has them.

    They are in small letters and without blanks around them, if their case is to be ignored; and rows without a label give
    way to empty lines, if they are to be left out.
    """
    layout = text.layout
    without = label if layout.drop_unlabelled else None
    return rewritten(text, [label] if layout.ignore_case else [], lambda line, k, cell: folded(cell), without)


def folded(label: str) -> str:
    """Return what is common to labels that differ by case, or by blanks around them.

    >>> folded(" Ja")
    'ja'
    """
    return label.strip().lower()


def rewritten(
    text: Text, places: Collection[int], change: Callable[[int, int, str], str], needed: int | None = None
) -> Text:
    """Write a table out anew, with other cells in some columns: a function is given the line, the column and the cell.

    Rows with a gap in the column that is needed, if there is one, are left out.
    """
    transcript, layout, names_end = Transcript(text.layout), text.layout, text.header_line
    for line, cells in records_of(text.source, layout):
        below = line > names_end
        if below and needed is not None and needed < len(cells) and is_gap(cells[needed], layout.gaps, layout.words):
            continue
        for k in places if below else ():
            if k < len(cells) and not is_gap(cells[k], layout.gaps, layout.words):
                cells[k] = change(line, k, cells[k])
        transcript.write(cells, line)
    source = transcript.source(text.source, text.source.lines_before)
    return replace(text, source=source, given=source)
