"""Columns of numbers among texts that Arrow has read: the same loops as on plain tables, cell by cell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...checker import CELL, is_gap
from ...compiled.csv_cells import Found, read_column
from ...problem.provenance import Layout
from ..decimals import Digits

_MAX_STRANGE_CELLS = 10_000
"""Cells of a column that may be something else than numbers; more of them, and the column is looked at word by word."""


def number_column(
    column: pa.ChunkedArray, layout: Layout, decimals: int
) -> tuple[pa.ChunkedArray, Digits, int | None] | None:
    """Read a column of texts as numbers and gaps: return it with its digits and the first row that has no decimal form.

    None if there is anything else in it.
    """
    if any(CELL.fullmatch(gap.strip(" \t")) for gap in layout.gaps):
        return None  # a number may stand for a missing value
    parts: list[pa.Array] = []
    digits, odd, start = Digits(), None, 0
    for chunk in column.chunks:
        cells = chunk.fill_null("").cast(pa.large_string())
        lines = pc.binary_join_element_wise(cells, *(pa.scalar(text, pa.large_string()) for text in ("", "\n")))
        _, offsets, content = lines.buffers()
        places = np.frombuffer(offsets, np.int64)[lines.offset : lines.offset + len(lines) + 1]
        text = np.frombuffer(content, np.uint8) if content is not None else np.empty(0, np.uint8)
        text.flags.writeable = False
        values, strange = np.empty(len(chunk)), np.empty(len(chunk), np.int64)
        found = Found(*read_column(text, places, decimals, values, strange))
        if found.missing:
            gone = strange[: found.missing]
            there = gone[np.asarray(chunk.is_valid())[gone]] if chunk.null_count else gone
            if there.size > _MAX_STRANGE_CELLS or not all(
                is_gap(chunk[i].as_py(), layout.gaps, layout.words) for i in there.tolist()
            ):
                return None
        parts.append(pa.array(values, mask=np.isnan(values)) if found.missing else pa.array(values))
        digits = digits.beside(Digits(found.decimals, found.largest))
        odd = start + found.odd if odd is None and found.odd >= 0 else odd
        start += len(chunk)
    return pa.chunked_array(parts, pa.float64()), digits, odd
