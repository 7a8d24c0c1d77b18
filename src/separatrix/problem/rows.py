"""Rows of numbers as users give them: made float64, dense or CSR, checked and measured.

Numbers are exact: float32 is widened, an integer that float64 cannot hold is refused, NaN and infinity are refused with
their place, nothing is rounded in silence.

The wording of errors keeps the phrases that scikit-learn's users, and its own checks, look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .._types import Floats, Rows
from ..compiled.environment import require_rounding_to_nearest
from ..compiled.measures import grid_exponent, measure
from ..exact.float64 import exact_float64, gathered
from ..support.threads import in_parts
from .csr import canonical_csr, frozen

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

_INFINITY_BITS = 0x7FF << 52

_ALL_ZERO = 2**64 - 1


@dataclass(frozen=True)
class Measures:
    """What one pass over the rows tells."""

    norms: Floats
    """Upper bounds of the rows' Euclidean norms; infinite where a square overflows."""
    largest: float
    """The largest magnitude."""
    smallest: float
    """The smallest non-zero magnitude; infinity if all entries are zero."""
    longest: int
    """Most entries in one row."""


def _located(where: tuple[int, int], names: tuple[str, ...] | None) -> str:
    row, column = where
    return f"row {row}, column {names[column]!r}" if names else f"row {row}, column {column}"


def read_rows(X: Any, what: str = "X") -> tuple[Rows, tuple[str, ...] | None, Measures]:
    """Return the rows as float64, C-contiguous or CSR, with the names of their columns and their measures."""
    names = None
    if sp.issparse(X):
        rows = canonical_csr(X, what)
    else:
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import DuplicateError

        try:
            table = X if isinstance(X, np.ndarray) else nw.from_native(X, eager_only=True, pass_through=True)
        except DuplicateError:
            raise ValueError(f"{what} has columns of the same name. Rename them, so that each is told apart.") from None
        if isinstance(table, nw.DataFrame):
            rows, names = _from_table(table, what)
        elif isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
            raise TypeError(f"{what} is a lazy table: call .collect() on it first.")
        else:
            rows = _from_array(X, what)
    n, d = rows.shape
    if n == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={rows.shape}) while a minimum of 1 is required.")
    if d == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={rows.shape}) while a minimum of 1 is required.")
    measures = measured(rows)
    if not np.isfinite(measures.largest):
        _refuse_nonfinite(rows, names, what)
    return rows, names, measures


def measured(rows: Rows) -> Measures:
    """Measure rows in one pass."""
    require_rounding_to_nearest()
    norms = np.empty(rows.shape[0])
    if isinstance(rows, np.ndarray):
        values, indptr, width = frozen(rows.reshape(-1)), None, rows.shape[1]
    else:
        values, indptr, width = frozen(rows.data), frozen(rows.indptr), 0
    bits = values.view(np.uint64)

    def measure_part(start: int, stop: int) -> tuple[int, int, int]:
        extremes = np.empty(2, np.uint64)
        if indptr is None:
            its_own, its_rows = slice(start * width, stop * width), None
        else:
            its_own, its_rows = slice(None), indptr[start : stop + 1]
        longest = measure(values[its_own], bits[its_own], its_rows, width, norms[start:stop], extremes)
        return int(extremes[0]), int(extremes[1]), int(longest)

    largest, smallest, longest = zip(*in_parts(measure_part, rows.shape[0], values.size), strict=True)
    return Measures(
        norms,
        float(np.uint64(max(largest)).view(np.float64)) if max(largest) <= _INFINITY_BITS else np.nan,
        np.inf if min(smallest) == _ALL_ZERO else float(np.uint64(min(smallest)).view(np.float64)),
        max(longest),
    )


def grid(X: Rows, floor: int) -> int:
    """Largest g such that all numbers are multiples of ``2**g``; less than ``floor`` if that is below it."""
    values = X.reshape(-1) if isinstance(X, np.ndarray) else X.data
    return int(grid_exponent(frozen(values.view(np.uint64)), floor))


def _refuse_nonfinite(rows: Rows, names: tuple[str, ...] | None, what: str) -> None:
    dense = isinstance(rows, np.ndarray)
    values = rows if dense else rows.data
    bad = np.isnan(values)
    kind = "NaN" if bad.any() else "infinity"
    if kind == "infinity":
        bad = np.isinf(values)
    if not bad.any():
        raise ValueError(f"Input {what} has changed while it was read. Keep other threads from writing to it meanwhile.")
    at = np.argwhere(bad)[0]
    if dense:
        where = int(at[0]), int(at[1])
    else:
        where = int(np.searchsorted(rows.indptr, at[0], side="right")) - 1, int(rows.indices[at[0]])
    count = int(np.count_nonzero(bad))
    raise ValueError(
        f"Input {what} contains {kind}: {count} {'entry' if count == 1 else 'entries'}, the first in "
        f"{_located(where, names)}. Every entry must be a finite number: leave such rows out, or fill the gaps first."
    )


def _from_array(X: Any, what: str) -> Floats:
    if isinstance(X, str | PathLike):
        raise TypeError(f"Expected 2D array, got the path of a file instead: {what}={X!r}. Read it with read_data first.")
    array = gathered(X, what)
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead: {what}={X!r}.")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead for {what}. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it is a single row."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim} for {what}, while dim 2 is required: one row per example.")
    return np.ascontiguousarray(exact_float64(array, what))


def _from_table(table: nw.DataFrame[Any], what: str) -> tuple[Floats, tuple[str, ...] | None]:
    import narwhals.stable.v2 as nw

    names = tuple(table.columns)
    rows = np.empty(table.shape)
    for j, name in enumerate(names):
        column = table.get_column(name)
        numeric = column.dtype.is_numeric() or column.dtype in (nw.Boolean, nw.Object, nw.Unknown)  # of pandas: sparse
        if not numeric:
            raise ValueError(
                f"Column {name!r} of {what} holds {column.dtype}, not numbers: drop it, or encode it as numbers, as "
                "TableEncoder does."
            )
        gaps = int(column.null_count())
        if gaps:
            first = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise ValueError(
                f"Input {what} contains NaN: {gaps} missing in column {name!r}, the first in row {first}. Every entry "
                "must be a finite number: leave such rows out, or fill the gaps first."
            )
        wide = column.dtype in (nw.Int128, nw.UInt128)  # which numpy does not have
        values = np.array(column.to_list(), object) if wide else column.to_numpy()
        rows[:, j] = exact_float64(values, f"{what}, column {name!r},")
    return rows, names if all(isinstance(name, str) for name in names) else None
