"""Labels, classes and sample weights, as users give them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Floats
from ..exact.float64 import read_floats, refuse_masked


class Others(str):
    """The name of the negative class where one class is set against several others."""


def read_labels(y: Any, n: int | None = None) -> NDArray[Any]:
    """Return the labels as a one-dimensional array without gaps, of the given length."""
    if y is None:
        raise ValueError(
            "A classifier requires y to be passed, but the target y is None. Give the labels beside the rows; those of data "
            "that read_data returns are data.y: fit(data.rows, data.y)."
        )
    refuse_masked(y, "y")
    if isinstance(y, Iterable) and not (isinstance(y, str | bytes) or hasattr(y, "__array__") or hasattr(y, "to_list")):
        y = list(y)
        if len({isinstance(label, str) for label in y}) > 1:  # numpy would make texts of all
            raise ValueError(
                "Unknown label type: unknown. y mixes texts and numbers; give all bools, all integers or all strings."
            )
    import narwhals.stable.v2 as nw

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
        there = set(known)
        strange = [value for value in found if value not in there]
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
