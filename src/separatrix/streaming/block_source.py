"""Where the blocks of a stream come from; and blocks of rows that are in memory already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..problem.blocks import Block, Facts
from ..problem.exact_rows import ExactRows
from ..problem.labels import class_array, distinct, read_labels
from ..problem.provenance import POSITIONS, Places
from ..problem.reading_rows import read_rows
from ..problem.rows import is_dense
from ..tables.data import Data


@runtime_checkable
class BlockSource(Protocol):
    """Where the blocks of a stream come from."""

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks, in the order given, ahead of who takes them; they are as the facts say."""

    @property
    def places(self) -> Places:
        """What tells where rows are."""


class HeldRows:
    """Blocks of rows that are in memory already."""

    def __init__(self, X: Any, y: Any, sizes: Sequence[int]) -> None:
        rows = read_rows(X)
        labels = read_labels(y, len(rows))
        classes = distinct(labels)
        codes = np.searchsorted(class_array(classes), labels).astype(np.int64)
        if sum(sizes) != len(rows):
            raise ValueError(f"The sizes add up to {sum(sizes)}, but there are {len(rows)} rows.")
        self._hold(rows, codes, tuple(classes), sizes)

    @classmethod
    def of_data(cls, data: Data, sizes: Sequence[int]) -> HeldRows:
        """Return the blocks of data that was read as a whole."""
        held = cls.__new__(cls)
        codes = np.zeros(len(data.rows), np.int64) if data.codes is None else data.codes
        held._hold(data.rows, codes, data.classes, sizes, data)
        return held

    def _hold(
        self, rows: ExactRows, codes: NDArray[np.int64], classes: tuple[Any, ...], sizes: Sequence[int],
        data: Data | None = None,
    ) -> None:  # fmt: skip
        self._rows, self._codes, self._classes, self._sizes, self.data = rows, codes, classes, tuple(sizes), data

    def facts(self) -> Facts:
        """Tell of all rows."""
        rows, measures, data = self._rows, self._rows.measures, self.data
        return Facts(
            sizes=self._sizes, d=rows.shape[1], classes=self._classes,
            counts=tuple(np.bincount(self._codes, minlength=len(self._classes)).tolist()) if self._classes else (),
            columns=None if data is None else data.columns, table=None if data is None else data.table,
            reading=rows.reading, denominator=rows.denominator, sparse=not is_dense(rows.numerators),
            largest=measures.largest, smallest=measures.smallest, longest=measures.longest,
            given=len(rows) if data is None else data.given,
        )  # fmt: skip

    @property
    def places(self) -> Places:
        """What tells where rows are: in their file, or their positions."""
        return POSITIONS if self.data is None else Places(self.data.places_of, self.data.places.files)

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Take some blocks."""
        ends = np.cumsum(self._sizes)
        for k in numbers:
            some = slice(int(ends[k]) - self._sizes[k], int(ends[k]))
            kept = None if self.data is None else self.data.kept
            yield k, Block(self._rows[some], self._codes[some], None if kept is None else kept[some])
