"""Rows without a label, left out of a table before anything else is made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import FileError
from .cells import Words
from .data import Data
from .frame import Frame


def with_labels(frame: Frame, table: Any, labels: Words | None) -> tuple[Frame, Any, Words | None, Callable[[Data], Data]]:
    """Leave rows without a label out of the columns that were read, and of the labels, if the layout says so.

    The frame that is returned knows where the other rows are. A function tells what was left out to the data that is made
    of them.
    """
    if labels is None or labels.gaps is None or not frame.layout.drop_unlabelled:
        return frame, table, labels, lambda data: data
    there = np.flatnonzero(~labels.gaps)
    if not there.size:
        raise none_labelled(frame.name, labels.name)
    n, place = labels.codes.size, frame.names.index(labels.name)

    def finish(data: Data) -> Data:
        kept = there if data.kept is None else there[data.kept]
        seen = None if data.seen is None else replace(data.seen, rows=n)
        return replace(
            data, kept=kept, dropped=n - kept.size, unlabelled=n - there.size, places=frame.places, seen=seen,
            copies=lambda: frame.copies(place),
        )  # fmt: skip

    places = replace(frame.places, find=lambda rows: frame.places(there[list(rows)].tolist()))
    return frame._replace(places=places), rows_taken(table, there), labels._replace(codes=labels.codes[there]), finish


def none_labelled(name: str, label: str) -> FileError:
    """Return the error that no row of a table has a label."""
    return FileError(f"No row of {name} has a label, in the column {label!r}.")


def rows_taken(table: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table; Arrow takes none of texts that are views, as polars has them."""
    if isinstance(table, pa.Table):
        for k, field in enumerate(table.schema):
            if pa.types.is_string_view(field.type):
                table = table.set_column(k, field.name, table.column(k).cast(pa.large_string()))
    return table.take(rows)
