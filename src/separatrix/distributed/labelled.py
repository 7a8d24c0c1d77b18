"""A part of the rows, as a worker has it: rows with labels, or a table with a column of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..problem.blocks import Block, Facts
from ..problem.exact_rows import ExactRows
from ..problem.labels import class_array, read_labels
from ..problem.reading_rows import read_rows
from ..problem.rows import is_dense


class Labelled(NamedTuple):
    """Rows with their labels; None for a part without rows."""

    rows: ExactRows
    labels: NDArray[Any]


def read_part(part: Any, label: Any = None) -> Labelled | None:
    """Read a part: a pair of rows and labels, or a table, of which a column has the labels."""
    if label is None:
        try:
            X, y = part
        except (TypeError, ValueError):
            raise TypeError(f"Each part must be a pair of rows and labels, got {type(part).__name__}.") from None
    else:
        X, y = _without_labels(part, label)
    if X.shape[0] == 0:
        if len(y):
            raise ValueError(f"A part has no rows, but {len(y)} labels.")
        return None
    rows = read_rows(X)
    return Labelled(rows, read_labels(y, len(rows)))


def block_of(found: Labelled, facts: Facts) -> Block:
    """Make a block of some rows, by what is known of all."""
    rows = found.rows
    if rows.reading != facts.reading or rows.denominator != facts.denominator:
        rows = replace(in_fractions(rows).over(facts.denominator), reading=facts.reading)
    if facts.sparse and is_dense(rows.numerators):
        rows = replace(rows, numerators=sp.csr_array(rows.numerators))
    codes = np.searchsorted(class_array(list(facts.classes)), found.labels)
    return Block(rows, codes.astype(np.int64))


def in_fractions(rows: ExactRows) -> ExactRows:
    """Return the same rows as whole numerators over a denominator, as they are beside rows that are no float64."""
    whole = ExactRows(np.zeros((1, 1)), reading="decimal")
    return ExactRows.alike(rows, whole)[0]


def _without_labels(table: Any, label: Any) -> tuple[Any, Any]:
    """Part the columns of a table into rows and labels."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(f"label={label!r} names a column of a table, but a part is a {type(table).__name__}. Leave it out.")
    if label not in frame.columns:
        raise ValueError(f"There is no column {label!r}: a part has the columns {', '.join(map(repr, frame.columns))}.")
    return frame.drop(label).to_native(), frame.get_column(label).to_native()
