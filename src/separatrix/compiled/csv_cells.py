"""Cells of a table in text, a line for each row: compiled loops on its bytes, for tables without quotes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import kernel
from .decimals import BLANK, NEAREST, NEWLINE, RETURN, TAB, TOO_LONG, number_as, short_number
from .libsvm_lines import TOO_MANY

SKIPPED, NUMBER, WORD = range(3)
"""What a column is read as."""

QUOTE = ord('"')


class CellReading(NamedTuple):
    """How the cells of a table are to be read."""

    separator: np.uint8
    roles: np.ndarray
    """What each column is: `NUMBER`, `WORD` or `SKIPPED`."""
    slots: np.ndarray
    """In which row of the numbers, or of the words, a column goes."""
    gaps: np.ndarray
    """What stands for a missing value: these texts, end to end."""
    gap_ends: np.ndarray
    """Where each of them ends."""
    numeric_gaps: bool
    """Whether a number may be one of them."""
    decimals: int
    """How numbers are read, see `decimals.number_as`."""


class Found(NamedTuple):
    """What was found in lines of a table."""

    rows: int
    """How many rows there are; -1 if something needs a more patient reader, `TOO_MANY` if there is no room for them all."""
    missing: int
    """How many numbers are missing."""
    decimals: int
    """The most decimals of a number that has a decimal form."""
    largest: float
    """The largest magnitude."""
    odd: int
    """Where the first number begins that has none, or -1."""
    odd_column: int
    """Its column."""


@kernel
def _is_listed(text, start, stop, gaps, ends):
    """Whether a text is one of those that follow each other in ``gaps``."""
    begin = 0
    for k in range(ends.shape[0]):
        if ends[k] - begin == stop - start:
            same = True
            for t in range(stop - start):
                same = same and gaps[begin + t] == text[start + t]
            if same:
                return True
        begin = ends[k]
    return False


@kernel
def _is_gap(text, start, stop, gaps, ends):
    """Whether a cell stands for a missing value, as `checker.is_gap` tells: with the blanks around it or without."""
    if _is_listed(text, start, stop, gaps, ends):
        return True
    begin, end = start, stop
    while begin < end and (text[begin] == BLANK or text[begin] == TAB):
        begin += 1
    while begin < end and (text[end - 1] == BLANK or text[end - 1] == TAB):
        end -= 1
    return end - begin < stop - start and _is_listed(text, begin, end, gaps, ends)


@kernel
def _past_blanks(text, p, separator):
    while (text[p] == BLANK or text[p] == TAB) and text[p] != separator:
        p += 1
    return p


@kernel
def _end_of_cell(text, p, separator):
    """Return where a cell ends, -1 if it holds a quote or a NUL."""
    c = text[p]
    while c != separator and c != NEWLINE and c != RETURN:
        if c == QUOTE or c == 0:
            return -1
        p += 1
        c = text[p]
    return p


@kernel
def read_cells(text, start, stop, reading, numbers, words):
    """Read the lines from start to stop, a row each, empty ones skipped: numbers, and where words begin and end.

    ``reading`` says what columns are, and in which row of ``numbers`` or ``words`` they go; NaN stands for a gap. Lines
    end with a newline. Return the fields of `Found`. What needs a more patient reader is a quote, a cell that is no number,
    one too long to be rounded here, a line with more or fewer cells.
    """
    separator, roles, slots = reading.separator, reading.roles, reading.slots
    gaps, gap_ends, numeric_gaps = reading.gaps, reading.gap_ends, reading.numeric_gaps
    width, room = roles.shape[0], numbers.shape[1]
    nearest = reading.decimals == NEAREST
    row = missing = most = 0
    odd = odd_column = -1
    largest = 0.0
    p = start
    while p < stop:
        if text[p] == NEWLINE:
            p += 1
            continue
        if text[p] == RETURN and text[p + 1] == NEWLINE:
            p += 2
            continue
        if row >= room:
            return TOO_MANY, missing, most, largest, odd, odd_column
        for column in range(width):
            if roles[column] == NUMBER:
                end, value, places = short_number(text, p) if nearest else (-1, 0.0, 0)
                if end < 0 or text[end] != separator:
                    end, value, places = number_as(text, _past_blanks(text, p, separator), reading.decimals)
                    end = _past_blanks(text, end, separator) if end >= 0 else p
                    c = text[end]
                    if end == p or (c != separator and c != NEWLINE and c != RETURN) or not np.isfinite(value):
                        end = _end_of_cell(text, p, separator)
                        if end < 0 or not _is_gap(text, p, end, gaps, gap_ends):
                            return -1, missing, most, largest, odd, odd_column
                        value = np.nan
                        missing += 1
                if numeric_gaps and value == value and _is_gap(text, p, end, gaps, gap_ends):
                    value = np.nan
                    missing += 1
                if value == value:
                    if places < TOO_LONG:
                        most = max(most, places)
                    elif odd < 0:
                        odd, odd_column = p, column
                    largest = max(largest, abs(value))
                numbers[slots[column], row] = value
            else:
                end = _end_of_cell(text, p, separator)
                if end < 0:
                    return -1, missing, most, largest, odd, odd_column
                if roles[column] == WORD:
                    words[slots[column], 0, row] = p
                    words[slots[column], 1, row] = end
            p = end + 1
            if column < width - 1:
                if text[end] != separator:
                    return -1, missing, most, largest, odd, odd_column
            elif text[end] == RETURN:
                if text[p] != NEWLINE:
                    return -1, missing, most, largest, odd, odd_column
                p += 1
            elif text[end] != NEWLINE:
                return -1, missing, most, largest, odd, odd_column
        row += 1
    return row, missing, most, largest, odd, odd_column


@kernel
def read_column(text, offsets, decimals, values, strange):
    """Read cells, each a line of its own that begins at its offset, as numbers: NaN where there is none, or an endless one.

    Return the fields of `Found`, where ``missing`` counts these, whose places are left in ``strange``, and ``odd`` is a
    row.
    """
    n = values.shape[0]
    missing = most = 0
    odd = -1
    largest = 0.0
    for i in range(n):
        end, value, places = number_as(text, _past_blanks(text, offsets[i], np.uint8(NEWLINE)), decimals)
        end = _past_blanks(text, end, np.uint8(NEWLINE)) if end >= 0 else -1
        if end + 1 != offsets[i + 1] or not np.isfinite(value):
            values[i] = np.nan
            strange[missing] = i
            missing += 1
            continue
        if places < TOO_LONG:
            most = max(most, places)
        elif odd < 0:
            odd = i
        largest = max(largest, abs(value))
        values[i] = value
    return n, missing, most, largest, odd, 0


@kernel
def gather(text, spans, offsets, result):
    """Copy the words that begin and end at ``spans`` to one text, in which ``offsets`` are their places."""
    for i in range(spans.shape[1]):
        begin, at = spans[0, i], offsets[i]
        for t in range(spans[1, i] - begin):
            result[at + t] = text[begin + t]
