"""Arrays, frames and lists as tables of columns, for `TableEncoder`."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from ..checker import CELL, is_gap
from ..exact.float64 import exact_float64, refuse_masked
from ..exceptions import TableError
from ..problem.provenance import Column
from ..support.remedies import Remedy
from .cells import place_of
from .frame import arrow_table
from .text.csv_reading import flag_in

_REFUSAL = "X cannot be read as a table"


class _Given(NamedTuple):
    table: pa.Table
    named: bool
    """Whether its columns have names of their own."""
    written: bool = False
    """Whether all its cells are texts because an array holds nothing else."""


def as_table(X: Any, gaps: tuple[str, ...]) -> _Given:
    """Return what was given as a table of columns, whether its columns have names, and how it was written."""
    if sp.issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but a table or a dense array is required. Sparse rows are numbers already: they "
            "need no encoding."
        )
    try:
        frame = nw.from_native(X, allow_series=True, pass_through=True)
    except DuplicateError as error:
        raise ValueError(f"X has columns of the same name. Rename them. {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy table: call .collect() on it first.")
    if isinstance(frame, nw.Series):
        raise ValueError("Expected 2D array, got 1D array instead: X is a single column. Give a table that has it.")
    if isinstance(frame, nw.DataFrame):
        given = _Given(_from_frame(frame, gaps), True)
    elif hasattr(X, "__arrow_c_stream__") or isinstance(X, dict):
        given = _Given(arrow_table(X, _REFUSAL), True)
    else:
        given = _from_array(X, gaps)
    _refuse_empty(*given.table.shape)
    return given


def _refuse_empty(n: int, d: int) -> None:
    for size, what in ((d, "feature"), (n, "sample")):
        if size == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape=({n}, {d})) while a minimum of 1 is required.")


def _from_frame(frame: nw.DataFrame[Any], gaps: tuple[str, ...]) -> pa.Table:
    """Take a data frame without its index; columns of Python objects, and sparse ones of pandas, as what they hold."""
    frame = nw.maybe_reset_index(frame)
    rest = [name for name, kind in frame.schema.items() if kind != nw.Object and not _is_sparse(frame.get_column(name))]
    if len(rest) == len(frame.columns):
        return arrow_table(frame.to_native(), _REFUSAL)
    arrow = arrow_table(frame.select(rest).to_native(), _REFUSAL)
    others = dict(zip(rest, arrow.columns, strict=True))
    return pa.table({
        str(name): others[name] if name in others else _from_objects(frame.get_column(name).to_numpy(), str(name), gaps)
        for name in frame.columns
    })  # fmt: skip


def _is_sparse(column: nw.Series[Any]) -> bool:
    """Whether it is a sparse one of pandas, which Arrow does not take."""
    native = column.to_native()
    return column.dtype == nw.Unknown and type(getattr(native, "dtype", None)).__name__ == "SparseDtype"


def _from_array(X: Any, gaps: tuple[str, ...]) -> _Given:
    refuse_masked(X, "X")
    # Of a list NumPy would make an array of texts if one cell is a text, or round whole numbers if one is a fraction.
    array = np.asarray(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead: X={X!r}. Files are read by separatrix.read_data.")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead for X: rows that all have a cell for each column. Reshape "
            "your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "is a single row."
        )
    _refuse_empty(*array.shape)
    names = [f"x{j}" for j in range(array.shape[1])]
    if array.dtype.kind in "OUT":
        columns = [_from_objects(array[:, j].astype(object), name, gaps) for j, name in enumerate(names)]
        return _Given(pa.table(columns, names=names), False, array.dtype.kind != "O")
    if array.dtype.kind in "biu":
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
    else:
        array = exact_float64(array, "X")
    return _Given(pa.table([pa.array(np.ascontiguousarray(column)) for column in array.T], names=names), False)


def _from_objects(values: NDArray[Any], name: str, gaps: tuple[str, ...]) -> pa.Array:
    """Take a column of Python objects as what they are, if they are all of one kind."""
    missing = np.array([_is_gap(value, gaps) for value in values])
    there = np.flatnonzero(~missing)
    is_word = [isinstance(values[i], str) for i in there]
    if any(is_word) and not all(is_word):
        word, other = there[is_word.index(True)], there[is_word.index(False)]
        raise ValueError(
            f"Column {name!r} of X mixes text and numbers: {values[word]!r} in row {word}, {values[other]!r} in row "
            f"{other}. Make all its cells texts, or all of them numbers; a text that stands for a missing value belongs to "
            "gaps."
        )
    kinds = (bool | np.bool_, numbers.Integral, numbers.Real | np.bool_)
    flags, whole, real = (all(isinstance(values[i], kind) for i in there) for kind in kinds)
    if flags or whole or not real:  # Arrow may round other numbers
        try:
            return pa.array([None if gap else value for value, gap in zip(values, missing, strict=True)], from_pandas=True)
        except UnicodeError as error:
            raise ValueError(f"Column {name!r} of X holds text that is not valid Unicode: {error}.") from None
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            odd = next((i for i in there if not isinstance(values[i], numbers.Real | np.bool_ | Decimal)), None)
            if odd is not None:
                raise TypeError(
                    f"X holds {values[odd]!r} in row {odd}, column {name!r}: argument must be a string or a number."
                ) from None
    floats = exact_float64(np.where(missing, 0.0, values), f"X, column {name!r},")
    return pa.array(floats, mask=missing)


def _is_gap(value: Any, gaps: tuple[str, ...]) -> bool:
    if isinstance(value, str):
        return is_gap(value, gaps)
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(np.isscalar(value) and value != value)


def refuse_written_numbers(columns: tuple[Column, ...], names: list[str], text: tuple[str | int, ...]) -> None:
    """Refuse numbers that have become texts because NumPy's arrays hold nothing else beside a text."""
    meant = {names[place_of(each, names, "X")] for each in text}
    categories: dict[str, list[str]] = {}
    for column in columns:
        if column.category is not None and column.source not in meant:
            categories.setdefault(column.source, []).append(column.category)
    for name, texts in categories.items():
        if all(CELL.fullmatch(each.strip(" \t")) or flag_in(each, blanks=False) is not None for each in texts):
            raise TableError(
                f"X is an array of texts, but all those in column {name!r} are numbers, such as {texts[0]!r}: NumPy makes "
                "texts of numbers beside a text. Give a table, a list of rows or an array of dtype=object; or, if they are "
                "categories, say ",
                Remedy("text", name),
                ".",
            )
