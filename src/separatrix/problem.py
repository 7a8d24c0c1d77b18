"""A labelled data set, validated once: rows, labels -1 and 1, intercept, names, weights.

Everything the library does starts from a `Problem`. Its numbers are float64 and exact: float32 is widened, an integer
that float64 cannot hold is refused, NaN and infinity are refused with their place, nothing is rounded in silence. The
user's arrays are never changed, and copied only where their type or layout asks for it.

The wording of errors keeps the phrases that scikit-learn's users, and its own checks, look for.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, NoReturn, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from narwhals.exceptions import DuplicateError
from numpy.typing import ArrayLike, NDArray

from .columns import Column, Table
from .csr import canonical_csr, frozen
from .doubles import Floats, exact_float64, gathered, read_floats, refuse_masked
from .kernels.environment import require_rounding_to_nearest
from .kernels.rows import grid_exponent, measure
from .kernels.threads import in_parts

Rows: TypeAlias = Any
"""Rows of float64: a C-contiguous array of shape (n, d), or a canonical CSR array."""

_INFINITY_BITS = 0x7FF << 52
_ALL_ZERO = 2**64 - 1


class Others(str):
    """The name of the negative class where one class is set against several others."""


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


@dataclass(frozen=True)
class Problem:
    """Labelled rows, ready for exact work. Make one with `Problem.of`."""

    X: Rows
    y: Floats
    """-1.0 or 1.0 for each row."""
    classes: tuple[Any, ...]
    """What -1 and 1 stand for; just one class if all rows have the same."""
    intercept: bool
    columns: tuple[Column, ...] | None
    """What the features are, where that is known."""
    weights: Floats | None
    """Positive sample weights; None if all are 1."""
    given: int
    """How many rows were given, those of weight zero included."""
    kept: NDArray[np.int64] | None
    """The original numbers of the rows, where rows of weight zero were left out; None if all are here."""
    measures: Measures = field(repr=False)
    table: Table | None = None
    """How the rows came from a table, where they did."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        classes: ArrayLike | None = None,
        intercept: bool = True,
        sample_weight: ArrayLike | None = None,
    ) -> Problem:
        """Validate rows and labels.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels: bools, integers or strings.
        positive : label, optional
            The class that is +1; all others are -1. Without it there must be at most two classes, and the second in
            sorted order is +1.
        classes : two labels, optional
            The negative and the positive class, where ``y`` need not hold both.
        intercept : bool
            Whether the lifted rows end with a constant 1.
        sample_weight : array of shape (n,), optional
            Weights; rows of weight 0 are left out.

        Examples
        --------
        >>> problem = Problem.of([[0, 1], [1, 0]], ["no", "yes"])
        >>> problem.y, problem.classes
        (array([-1.,  1.]), ('no', 'yes'))
        """
        rows, names, measures = read_rows(X)
        labels = read_labels(y, rows.shape[0])
        given = rows.shape[0]
        weights = read_weights(sample_weight, given)
        kept = None
        if weights is not None:
            if not weights.all():
                kept = np.flatnonzero(weights)
                if not kept.size:
                    raise ValueError("sample_weight is zero for every row: no row and no class is left to learn from.")
                rows, labels, weights = rows[kept], labels[kept], weights[kept]
                measures = measured(rows)
            if np.all(weights == 1.0):
                weights = None
        signs, found = code_labels(labels, positive=positive, classes=classes)
        columns = None if names is None else tuple(map(Column, names))
        return cls(rows, signs, found, bool(intercept), columns, weights, given, kept, measures)

    @classmethod
    def bare(cls, X: Rows, intercept: bool, y: Floats | None = None, measures: Measures | None = None) -> Problem:
        """Take rows, and labels -1.0 and 1.0, that were validated before; without labels they are all 1."""
        n, classes = X.shape[0], (1,) if y is None else (-1, 1)
        y, measures = np.ones(n) if y is None else y, measured(X) if measures is None else measures
        return cls(X, y, classes, intercept, None, None, n, None, measures)

    @property
    def names(self) -> list[str] | None:
        """The names of the features, where they have any."""
        return None if self.columns is None else [str(column) for column in self.columns]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of features, the intercept not counted."""
        return int(self.X.shape[1])

    @property
    def vectors(self) -> int:
        """Number of vectors of weights that tell the classes apart: one for two classes."""
        return 1

    @cached_property
    def grid(self) -> int:
        """Largest g such that all entries are multiples of ``2**g``; or some number below, if 53 bits do not reach to it."""
        return grid(self.X, math.frexp(self.measures.largest)[1] - 53)

    def row(self, i: int) -> tuple[list[int], Floats]:
        """Return the columns and the values of the entries of ``z_i``, unscaled; column d is the intercept."""
        if isinstance(self.X, np.ndarray):
            columns = np.flatnonzero(self.X[i]).tolist()
            entries = self.X[i, columns]
        else:
            span = slice(self.X.indptr[i], self.X.indptr[i + 1])
            kept = np.flatnonzero(self.X.data[span])
            columns, entries = self.X.indices[span][kept].tolist(), self.X.data[span][kept]
        if self.intercept:
            columns, entries = [*columns, self.d], np.append(entries, 1.0)
        return columns, self.y[i] * entries

    def with_columns(self, columns: list[int]) -> Problem:
        """Return the problem with some of its columns only."""
        X = self.X[:, columns]
        X = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else sp.csr_array(X)
        chosen = None if self.columns is None else tuple(self.columns[j] for j in columns)
        return replace(self, X=X, columns=chosen, measures=measured(X))

    def lifted(self, rows: list[int]) -> Floats:
        """Return some of the ``z_i`` as a dense matrix."""
        some = self.X[rows] if isinstance(self.X, np.ndarray) else self.X[rows].toarray()
        if self.intercept:
            some = np.hstack([some, np.ones((len(rows), 1))])
        return some * self.y[rows, None]


def _located(where: tuple[int, int], names: tuple[str, ...] | None) -> str:
    row, column = where
    return f"row {row}, column {names[column]!r}" if names else f"row {row}, column {column}"


def read_rows(X: Any, what: str = "X") -> tuple[Rows, tuple[str, ...] | None, Measures]:
    """Return the rows as float64, C-contiguous or CSR, with the names of their columns and their measures."""
    names = None
    if sp.issparse(X):
        rows = canonical_csr(X, what)
    else:
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


def read_labels(y: Any, n: int | None = None) -> NDArray[Any]:
    """Return the labels as a one-dimensional array without gaps, of the given length."""
    if y is None:
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    refuse_masked(y, "y")
    if isinstance(y, Iterable) and not (isinstance(y, str | bytes) or hasattr(y, "__array__") or hasattr(y, "to_list")):
        y = list(y)
        if len({isinstance(label, str) for label in y}) > 1:  # numpy would make texts of all
            raise ValueError(
                "Unknown label type: unknown. y mixes texts and numbers; give all bools, all integers or all strings."
            )
    series = y if isinstance(y, np.ndarray) else nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.null_count():
            _refuse_gap(int(np.flatnonzero(series.is_null().to_numpy())[0]))
        labels = class_array(series.to_list()) if series.dtype in (nw.Int128, nw.UInt128) else series.to_numpy()
    else:
        labels = class_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.utils.validation import column_or_1d

        labels = column_or_1d(labels, warn=True)
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead: one label per row.")
    if n is not None and labels.shape[0] != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n}, {labels.shape[0]}]. "
            f"X has {n} rows, y has {labels.shape[0]} labels."
        )
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold bools, integers or strings.")
    if labels.dtype.kind in "SMmV":
        raise ValueError(f"Unknown label type: y holds {labels.dtype}; give bools, integers or strings.")
    if labels.dtype.kind == "f":
        for bad, kind in ((np.isnan(labels), "NaN"), (np.isinf(labels), "infinity")):
            if bad.any():
                raise ValueError(f"Input y contains {kind}, first in row {np.flatnonzero(bad)[0]}: every row needs a label.")
        if np.any(labels != np.floor(labels)):
            value = labels[labels != np.floor(labels)][0]
            raise ValueError(
                f"Unknown label type: continuous. y holds {value}: a classifier takes classes, as bools, integers or "
                "strings, not a regression target."
            )
    elif labels.dtype.kind == "O":
        gap = next((i for i, v in enumerate(labels) if v is None or type(v).__name__ == "NAType" or v != v), None)
        if gap is not None:
            _refuse_gap(gap)
        if not (all(isinstance(v, str) for v in labels) or all(isinstance(v, int | np.integer) for v in labels)):
            raise ValueError(
                "Unknown label type: unknown. y mixes kinds of labels; give all bools, all integers or all strings."
            )
    return labels


def _refuse_gap(row: int) -> NoReturn:
    raise ValueError(f"Input y contains NaN, first in row {row}: every row needs a label.")


def distinct(labels: NDArray[Any]) -> list[Any]:
    """Sorted distinct labels as Python values; fast for the usual two."""
    if labels.dtype.kind in "biuf":
        differs = labels != labels[0]
        second = labels[differs.argmax()]
        if second == labels[0]:
            return [second.item()]
        if np.array_equal(differs, labels == second):
            return sorted([labels[0].item(), second.item()])
    values = np.unique(labels)
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def is_class(labels: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """Tell which labels are this class; objects are compared as they are, as numpy would drop the end of a text."""
    return np.array([label == value for label in labels], bool) if labels.dtype == object else labels == value


def class_array(classes: Any) -> NDArray[Any]:
    """Return classes as an array, in which none changes."""
    array = np.asarray(classes)
    if not isinstance(classes, list | tuple) or not array.size:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return class_array([row[0] for row in classes])[:, None]
    if array.ndim != 1:
        return array
    classes = [value[()] if isinstance(value, np.ndarray) else value for value in classes]
    whole = [isinstance(value, numbers.Integral) for value in classes]
    if array.dtype.kind == "f" and all(whole):  # beyond int64
        return _array_of([int(value) for value in classes], np.uint64 if min(classes) >= 0 else object)
    if array.dtype.kind == "f" and any(whole) and bool(np.any(np.abs(array) >= 2.0**53)):  # some may have been rounded
        return _array_of(classes, object)
    if array.dtype.kind == "U" and any(value.endswith("\0") for value in classes):  # numpy would drop the end
        return _array_of(classes, object)
    return array


def _array_of(values: Sequence[Any], dtype: Any) -> NDArray[Any]:
    array = np.empty(len(values), dtype)
    array[:] = values
    return array


def code_labels(
    labels: NDArray[Any], *, positive: Any = None, classes: ArrayLike | None = None
) -> tuple[Floats, tuple[Any, ...]]:
    """Return -1.0 or 1.0 for each label, and the classes (negative, positive), or the only class."""
    found = distinct(labels)
    if classes is not None:
        known = [value.item() if isinstance(value, np.generic) else value for value in class_array(classes)]
        strange = [value for value in found if value not in known]
        if strange:
            raise ValueError(f"y holds the class {strange[0]!r}, which is not among classes: {_listed(known)}.")
        found = known
    if positive is not None:
        if positive not in found:
            raise ValueError(f"positive={positive!r} is not a class of y, which holds {_listed(found)}.")
        others = [value for value in found if value != positive]
        if not others:
            return np.ones(labels.shape), (positive,)
        negative = others[0] if len(others) == 1 else Others(f"not {positive}")
        return np.where(is_class(labels, positive), 1.0, -1.0), (negative, positive)
    if len(found) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: y holds "
            f"{_listed(found)}. Set one class against the rest, as in y == {found[0]!r} (or positive={found[0]!r}, where "
            "there is such a parameter), or keep two classes only."
        )
    if len(found) == 1:
        return np.ones(labels.shape), (found[0],)
    return np.where(is_class(labels, found[1]), 1.0, -1.0), (found[0], found[1])


def _listed(values: list[Any]) -> str:
    shown = ", ".join(repr(value) for value in values[:6])
    return f"{shown}, … ({len(values)} classes)" if len(values) > 6 else shown


def read_weights(sample_weight: ArrayLike | None, n: int) -> Floats | None:
    """Return finite, non-negative float64 weights, one for each row."""
    if sample_weight is None:
        return None
    weights = read_floats(sample_weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got an array of shape {weights.shape}.")
    if weights.shape[0] != n:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({n},): one weight for each row.")
    for bad, kind in ((np.isnan(weights), "NaN"), (np.isinf(weights), "infinity"), (weights < 0, "Negative values")):
        if bad.any():
            raise ValueError(
                f"{kind} in sample_weight, first in row {np.flatnonzero(bad)[0]}: weights must be finite and at least 0."
            )
    return weights
