"""How many different numbers columns hold, exactly, in bounded memory."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..support.spill import Spill, parts_for

_RECORD = np.dtype([("column", "<u4"), ("value", "<f8")])


class DifferentNumbers:
    """The different numbers of each column; those of columns with many go to temporary files where there is no room.

    Numbers are compared as they are, bit by bit, so that nothing is left to chance.

    Parameters
    ----------
    room : int
        Bytes that they may take in memory, about.
    most : int
        How many numbers may come in all, at most.

    Examples
    --------
    >>> with DifferentNumbers(10**6, 10) as seen:
    ...     seen.add(0, np.array([1.0, 2.0]))
    ...     seen.add(0, np.array([2.0, 3.0]))
    ...     seen.counts()
    {0: 3}
    """

    def __init__(self, room: int, most: int) -> None:
        self._room, self._most = room, most
        self._held: dict[int, list[Floats]] = {}
        self._numbers = 0
        self._written: set[int] = set()
        """Columns whose numbers go to files."""
        self._spill: Spill | None = None

    def add(self, column: int, values: Floats) -> None:
        """See numbers of a column, sorted and each once; none is -0.0."""
        self._held.setdefault(column, []).append(values)
        self._numbers += values.size
        if 8 * self._numbers > self._room:
            self._make_room()

    def _make_room(self) -> None:
        """Keep each number once; if that is not enough, write columns to files, those with the most numbers first."""
        self._unite()
        for column in sorted(self._held, key=lambda each: -self._held[each][0].size):
            if column not in self._written and 8 * self._numbers <= self._room // 2:
                break
            self._written.add(column)
            self._write(column)

    def _unite(self) -> None:
        for column, parts in self._held.items():
            if len(parts) > 1:
                self._held[column] = [np.unique(np.concatenate(parts))]
        self._numbers = sum(parts[0].size for parts in self._held.values())

    def _write(self, column: int) -> None:
        (values,) = self._held.pop(column)
        self._numbers -= values.size
        if self._spill is None:
            self._spill = Spill(parts_for(_RECORD.itemsize * self._most, self._room))
        records = np.empty(values.size, _RECORD)
        records["column"], records["value"] = column, values
        self._spill.add(values.view(np.uint64), records)

    def counts(self) -> dict[int, int]:
        """Return how many different numbers each column has, and forget them."""
        self._unite()
        for column in self._written & set(self._held):
            self._write(column)
        found = {column: parts[0].size for column, parts in self._held.items()}
        for records in self._spill or ():
            order = np.argsort(records["column"], kind="stable")
            columns, starts = np.unique(records["column"][order], return_index=True)
            for column, values in zip(columns.tolist(), np.split(records["value"][order], starts[1:]), strict=True):
                found[column] = found.get(column, 0) + np.unique(values).size
        self.close()
        return found

    @property
    def parts(self) -> int:
        """How many files hold numbers."""
        return 0 if self._spill is None else self._spill.count

    def close(self) -> None:
        """Forget all numbers."""
        self._held.clear()
        if self._spill is not None:
            self._spill.close()
            self._spill = None

    def __enter__(self) -> DifferentNumbers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
