"""Sources of a table laid out as rows of numbers, in the columns of a problem: dense, or CSR where most would be 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..exceptions import OtherTable
from ..problem.provenance import Column, Missing, Place
from ..support.escaping import brief
from ..support.remedies import Remedy
from ..support.threads import in_parts
from .cells import Numbers, Words, listed
from .exact_columns import whole

_MAX_COLUMNS_PER_ENTRY = 4
"""Columns for each entry of a row up to which rows are dense."""

_ROWS_PER_BLOCK = 2**14
"""Rows written at a time: few enough to stay in the processor's caches."""


def columns_for(found: Sequence[Numbers | Words], missing: Missing) -> tuple[Column, ...]:
    """Return the columns that sources ask for."""
    columns: list[Column] = []
    for source in found:
        if isinstance(source, Words):
            columns += [Column(source.name, text) for text in sorted(source.used())]
        elif source.gaps is None or not source.gaps.all():
            columns.append(Column(source.name))
        if missing == "indicator" and source.gaps is not None:
            columns.append(Column(source.name, gap=True))
    return tuple(columns)


def is_sparse(columns: Sequence[Column], sources: int) -> bool:
    """Whether rows are CSR that have these columns, of so many sources."""
    return len(columns) > _MAX_COLUMNS_PER_ENTRY * sources


@dataclass(frozen=True)
class Design:
    """Columns to lay sources out in."""

    columns: tuple[Column, ...]
    unseen: str
    """Whether to "refuse" what no column stands for, or to "ignore" it, which counts it as 0."""
    where: Callable[[int], Place]
    """Where a row is."""
    unit: float = 1.0
    """What stands for 1 in the rows."""

    def rows(self, found: Sequence[Numbers | Words], n: int) -> Rows:
        """Lay out n rows of sources whose numbers are finite."""
        place = {column: j for j, column in enumerate(self.columns)}
        numbers = dict(self._numbers(found))
        some = (source for source in found if isinstance(source, Words) or source.gaps is not None)
        ones = (pair for source in some for pair in self._ones(source, place))
        if is_sparse(self.columns, len(found)):
            return _sparse(numbers, ones, self.unit, (n, len(self.columns)))
        X = np.zeros((n, len(self.columns)))
        _fill(X, numbers)
        for rows, columns in ones:
            X[rows, columns] = self.unit
        return X

    def _ones(self, source: Numbers | Words, place: dict[Column, int]) -> Iterator[tuple[NDArray[np.int64], Any]]:
        """Give rows with the columns in which a source has them at 1: those of its categories, and that of its gaps."""
        if isinstance(source, Words):
            lookup = np.array([place.get(Column(source.name, text), -1) for text in source.texts] + [-1])
            columns = lookup[source.codes]
            strange = np.flatnonzero((columns < 0) & (source.codes >= 0))
            if strange.size and self.unseen == "refuse":
                text = source.texts[source.codes[strange[0]]]
                known = [column.category for column in place if column.source == source.name and column.category is not None]
                learnt = f"those learnt are {listed(known)}" if known else "every cell of it was missing when it was learnt"
                self._refuse(strange[0], source.name, f"the category {brief(text)} is new; {learnt}.")
            there = np.flatnonzero(columns >= 0)
            yield there, columns[there]
        gaps = source.gaps
        if gaps is None:
            return
        rows = np.flatnonzero(gaps)
        if Column(source.name, gap=True) in place:
            yield rows, place[Column(source.name, gap=True)]
        elif self.unseen == "refuse":
            self._refuse(rows[0], source.name, "a missing value, in a column that had none when it was learnt.")

    def _numbers(self, found: Sequence[Numbers | Words]) -> Iterator[tuple[int, Numbers]]:
        """Give the places of numbers with their sources."""
        place = {source: j for j, (source, category, gap) in enumerate(self.columns) if category is None and not gap}
        for source in found:
            if not isinstance(source, Numbers):
                continue
            j = place.get(source.name)
            if j is not None:
                yield j, source
                continue
            there = np.ones(len(source.array()), bool) if source.gaps is None else ~source.gaps
            if there.any() and self.unseen == "refuse":
                self._refuse(
                    np.flatnonzero(there)[0], source.name, "a number, in a column that was all missing when it was learnt."
                )

    def _refuse(self, row: Any, name: str, what: str) -> None:
        where = f"{self.where(int(row))}, column {brief(name)}"
        raise OtherTable(f"{where}: {what} Say ", Remedy("unseen", "ignore"), " to count such cells as 0.")


def _fill(X: Floats, numbers: dict[int, Numbers]) -> None:
    """Write columns of numbers into rows."""
    straight = {j: source.values for j, source in numbers.items() if isinstance(source.values, pa.ChunkedArray)}
    for j, source in numbers.items():
        if j not in straight:
            X[:, j] = whole(source.values, source.factor)
    if not straight:
        return
    places = list(straight)
    factor = numbers[places[0]].factor  # as they are all of one text
    table = pa.table(list(straight.values()), names=[str(j) for j in places])
    start = 0
    for batch in table.to_batches():
        _write(X[start : start + batch.num_rows], places, batch, factor)
        start += batch.num_rows


def _write(X: Floats, places: list[int], batch: pa.RecordBatch, factor: float) -> None:
    """Write columns into rows, times a factor."""
    together = slice(places[0], places[-1] + 1) if places == list(range(places[0], places[-1] + 1)) else places
    if batch.num_columns > batch.num_rows:  # then an array for each would take most of the time
        X[:, together] = whole(batch.to_tensor().to_numpy(), factor)
        return
    columns = [column.to_numpy() for column in batch.columns]

    def write(start: int, stop: int) -> None:
        """Write few rows at a time, so that they stay in the processor's caches."""
        block = np.empty((len(places), min(_ROWS_PER_BLOCK, stop - start)))
        for begin in range(start, stop, _ROWS_PER_BLOCK):
            end = min(begin + _ROWS_PER_BLOCK, stop)
            some = block[:, : end - begin]
            for k, column in enumerate(columns):
                some[k] = column[begin:end]
            if factor != 1.0:
                some *= factor
                np.rint(some, out=some)
            X[begin:end, together] = some.T

    in_parts(write, X.shape[0], X.shape[0] * len(places))


def _sparse(
    numbers: dict[int, Numbers], ones: Iterator[tuple[NDArray[np.int64], Any]], unit: float, shape: tuple[int, int]
) -> Rows:
    rows, columns, values = [], [], []
    for j, source in numbers.items():
        array = whole(source.values, source.factor)
        there = np.flatnonzero(array)
        rows.append(there)
        columns.append(np.full(there.size, j))
        values.append(array[there])
    for there, column in ones:
        rows.append(there)
        columns.append(np.broadcast_to(column, there.shape))
        values.append(np.full(there.size, unit))
    return sp.coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsr()
