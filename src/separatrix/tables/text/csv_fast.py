"""Plain tables in text, read by all cores: no quotes, a line for each row, numbers where numbers are expected.

Most large files are like that, and then this takes a third of the time that Arrow does, with the same result. Whatever is
not plain is left to `csv_reading`, which knows what to make of it.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..._types import Bytes
from ...checker import CELL, is_gap
from ...compiled.csv_cells import NUMBER, SKIPPED, WORD, CellReading, Found, gather, read_cells
from ...compiled.decimals import NEWLINE
from ...compiled.libsvm_lines import TOO_MANY
from ...support.threads import in_parts
from ..decimals import Digits
from .spans import spans_of

_MAX_ARROW_COLUMNS = 1000
"""Columns above which those of numbers stay NumPy's: an array of Arrow's for each would take most of the time."""


class Changed(Exception):  # noqa: N818 (it is what it says)
    """The text has more rows than were counted in it: it is another one by now."""


def read(
    content: pa.Buffer,
    skipped: int,
    width: int,
    separator: str,
    words: dict[int, bool],
    gaps: Sequence[str],
    decimals: int,
) -> tuple[dict[int, Any], Digits, tuple[int, int, str] | None] | None:
    """Read columns, by their places, as words (True) or as numbers; None if the text is not plain.

    With them come the digits of the numbers, and of the first that has no decimal form the line, the column and the text.

    Parameters
    ----------
    content : Buffer
        The text, in UTF-8.
    skipped : int
        How many lines there are before the first row.
    width : int
        How many columns the text has.
    separator : str
        The character between cells.
    words : dict
        The columns to read: whether they are words.
    gaps : texts
        Cells that stand for a missing value.
    decimals : int
        How numbers are read: `compiled.csv_cells.NEAREST`, `TRIMMED`, or as numerators over ten to this power.
    """
    text = np.frombuffer(content, np.uint8)
    text.flags.writeable = False  # kernels are compiled for one kind of array only
    start = _after_lines(text, skipped)
    if start is None:
        return None
    text = text[start:]
    roles = np.full(width, SKIPPED)
    slots = np.zeros(width, np.int64)
    for role in (NUMBER, WORD):
        mine = [k for k, is_word in words.items() if is_word == (role == WORD)]
        roles[mine], slots[mine] = role, np.arange(len(mine))
    spans = spans_of(text)
    places = [0, *accumulate(span.lines for span in spans)]
    numbers = np.empty((np.count_nonzero(roles == NUMBER), places[-1]))
    cells = np.empty((np.count_nonzero(roles == WORD), 2, places[-1]), np.int64)
    gap_text, gap_ends = _joined([gap.encode() for gap in gaps])
    numeric_gaps = any(CELL.fullmatch(gap.strip(" \t")) for gap in gaps)
    reading = CellReading(np.uint8(ord(separator)), roles, slots, gap_text, gap_ends, numeric_gaps, decimals)

    def read_spans(first: int, last: int) -> list[Found]:
        return [
            Found(*read_cells(*spans[k][:3], reading, numbers[:, slice(*part)], cells[:, :, slice(*part)]))
            for k, part in zip(range(first, last), [*pairwise(places)][first:last], strict=True)
        ]

    found = [each for some in in_parts(read_spans, len(spans), text.size) for each in some]
    rows = [each.rows for each in found]
    if TOO_MANY in rows:
        raise Changed
    if min(rows, default=0) < 0 or not sum(rows):
        return None
    whole = [slice(at, at + count) for at, count in zip(places, rows, strict=False)]
    missing = any(each.missing for each in found)
    very_many = len(words) > _MAX_ARROW_COLUMNS and sum(rows) == places[-1] and not missing  # and no line is empty
    floats = numbers.reshape(-1)
    every = pa.array(floats, mask=np.isnan(floats)) if missing else pa.array(floats)  # of which columns are slices
    columns: dict[int, Any] = {}
    for (k, is_word), slot in zip(words.items(), slots[list(words)].tolist(), strict=True):
        if is_word:
            parts = [_strings(span.text, cells[slot, :, part], gaps) for span, part in zip(spans, whole, strict=True)]
            if None in parts:
                return None
            columns[k] = pa.chunked_array(parts)
        elif very_many:
            columns[k] = numbers[slot]
        elif len(rows) == 1:
            columns[k] = every.slice(slot * places[-1], rows[0])
        else:
            begin = slot * places[-1]
            columns[k] = pa.chunked_array([every.slice(begin + at, n) for at, n in zip(places, rows, strict=False)])
    odd = None
    for k, (span, each) in enumerate(zip(spans, found, strict=True)):
        if each.odd >= 0:
            line = skipped + places[k] + int(np.count_nonzero(span.text[span.start : each.odd] == NEWLINE)) + 1
            odd = line, each.odd_column, _cell(span.text, each.odd, separator)
            break
    digits = Digits(max(each.decimals for each in found), max(each.largest for each in found))
    return columns, digits, odd


def _cell(text: Bytes, place: int, separator: str) -> str:
    """Return the cell that begins at a place."""
    some = text[place : place + 2000].tobytes().split(b"\n")[0].split(separator.encode())[0]
    return some.strip(b" \t\r").decode("utf-8", "replace")


def _after_lines(text: Bytes, skipped: int) -> int | None:
    """Return where the lines begin that are not skipped; None if one of those ends with a carriage return only."""
    place = len(codecs.BOM_UTF8) if text[:3].tobytes() == codecs.BOM_UTF8 else 0
    begin = place
    for _ in range(skipped):
        some = 2**12
        while (end := text[place : place + some].tobytes().find(b"\n")) < 0:
            if place + some >= text.size:
                return None
            some *= 16
        place += end + 1
    head = text[begin:place].tobytes()
    return None if b"\r" in head.replace(b"\r\n", b"") else place


def _joined(texts: list[bytes]) -> tuple[Bytes, NDArray[np.int64]]:
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum([len(text) for text in texts], dtype=np.int64)


def _strings(text: Bytes, cells: NDArray[np.int64], gaps: Sequence[str]) -> Any:
    """Return words, gaps as nulls, in a dictionary; None if they are not UTF-8."""
    offsets = np.zeros(cells.shape[1] + 1, np.int64)
    np.cumsum(cells[1] - cells[0], out=offsets[1:])
    content = np.empty(offsets[-1], np.uint8)
    gather(text, cells, offsets, content)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    words = pa.Array.from_buffers(pa.large_string(), cells.shape[1], buffers).dictionary_encode()
    try:
        words.dictionary.validate(full=True)
    except pa.ArrowInvalid:
        return None
    texts = words.dictionary.to_pylist()
    codes = words.indices
    missing = [k for k, each in enumerate(texts) if is_gap(each, gaps)]
    if missing:
        codes = pa.array(codes.to_numpy(), pa.int32(), mask=np.isin(codes.to_numpy(), missing))
    return pa.DictionaryArray.from_arrays(codes, words.dictionary.cast(pa.string()))
