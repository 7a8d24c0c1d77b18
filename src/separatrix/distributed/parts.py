"""What rows on Dask are given as, in parts: each becomes a `Delayed` or a future whose value `labelled.read_part` reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..problem.labels import class_array

Lengths = Callable[[list[Any]], list[int]]
"""Finds out how many rows each of some parts has."""


def parts_of(X: Any, y: Any, label: Any, lengths: Lengths) -> list[Any]:
    """Return the parts, in the order of rows."""
    kind = type(X).__module__.partition(".")[0]
    if kind == "dask" and hasattr(X, "numblocks"):
        if label is not None:
            raise ValueError("label names a column of a table; the labels of an array are given as y.")
        return _of_array(X, y, lengths)
    if hasattr(X, "to_delayed") and hasattr(X, "npartitions") and hasattr(X, "columns"):
        if label is None:
            raise ValueError("A table needs label, the name of the column with the labels.")
        _refuse_y(y, "the labels of a table are its column label=")
        return _lean(X.to_delayed())
    if isinstance(X, list | tuple) and X and all(map(_is_lazy, X)):
        _refuse_y(y, "each part is a pair of rows and labels already")
        return list(X)
    raise TypeError(
        f"X must be a dask.array, a dask.dataframe, or a list of delayed values or futures that give rows and labels, got "
        f"{type(X).__name__}. Rows that are in memory need no cluster: give them as they are."
    )


def _of_array(X: Any, y: Any, lengths: Lengths) -> list[Any]:
    """Pair the parts of an array of rows with their labels."""
    import dask.array as da
    from dask.delayed import delayed

    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, but it has {X.ndim} dimensions.")
    if y is None:
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    rows = _lean(X.to_delayed().ravel())
    if isinstance(y, da.Array):
        y = y if y.ndim != 2 or y.shape[1] != 1 else y[:, 0]
        known = not (np.isnan(X.chunks[0]).any() or np.isnan(y.chunks[0]).any())
        if known:
            _require_as_many(sum(X.chunks[0]), sum(y.chunks[0]))
            y = y.rechunk((X.chunks[0],))
        elif X.numblocks[0] != y.numblocks[0]:
            raise ValueError(
                f"X has {X.numblocks[0]} chunks of rows and y {y.numblocks[0]}, of unknown sizes. Give both in the same "
                "chunks, or find their sizes first: X.compute_chunk_sizes()."
            )
        labels = _lean(y.to_delayed().ravel())
    else:
        y = class_array(y)
        sizes = list(X.chunks[0])
        if np.isnan(sizes).any():
            sizes = lengths(rows)
        _require_as_many(sum(sizes), len(y))
        ends = np.cumsum(sizes, dtype=np.int64)
        labels = [y[end - size : end] for end, size in zip(ends.tolist(), sizes, strict=True)]
    pair = delayed(_pair, pure=True)
    return [pair(part, some) for part, some in zip(rows, labels, strict=True)]


def _pair(rows: Any, labels: Any) -> tuple[Any, Any]:
    return rows, labels


def _lean(parts: Sequence[Any]) -> list[Any]:
    """Return delayed values of one graph that each know only what they are made from: so little is sent of each."""
    from dask.delayed import Delayed
    from dask.optimization import cull
    from dask.utils import ensure_dict

    parts = list(parts)
    graph = ensure_dict(parts[0].__dask_graph__()) if parts else {}
    return [Delayed(part.key, cull(graph, [part.key])[0]) for part in parts]


def _is_lazy(part: Any) -> bool:
    return hasattr(part, "key") and type(part).__module__.partition(".")[0] in ("dask", "distributed")


def _require_as_many(rows: int, labels: int) -> None:
    if rows != labels:
        raise ValueError(f"X has {rows:,} rows, y has {labels:,} labels: there must be one for each row.")


def _refuse_y(y: Any, why: str) -> None:
    if y is not None:
        raise ValueError(f"y was given, but {why}. Leave y out.")
