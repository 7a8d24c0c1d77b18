"""A stream: rows in blocks that are read one after another, ahead of what is done with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..problem.batches import Block, Facts, Setting
from ..problem.digest import parts_of
from ..problem.labels import class_array, distinct, read_labels
from ..problem.reading_rows import read_rows
from ..problem.rows import is_dense
from .answers import Answering

Result = TypeVar("Result")

State = TypeVar("State")


class BlockSource(Protocol):
    """Where the blocks of a stream come from."""

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks, in the order given, ahead of who takes them; they are as the facts say."""


class Stream(Answering):
    """Rows that are read in blocks, anew for each pass, in bounded memory."""

    here = True

    def __init__(self, source: BlockSource) -> None:
        self._source = source

    @cached_property
    def facts(self) -> Facts:
        """What the first pass tells; it is made when first asked for."""
        return self._source.facts()

    def _numbers(self, blocks: Sequence[int] | None) -> Sequence[int]:
        return range(len(self.facts.sizes)) if blocks is None else blocks

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(block, first row, *given)``."""
        starts = self.facts.starts
        for k, block in self._source.blocks(self._numbers(blocks)):
            yield k, function(block, int(starts[k]), *given)

    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Hand a state from block to block; yield the number of each with the state after it."""
        starts = self.facts.starts
        for k, block in self._source.blocks(self._numbers(blocks)):
            state = function(block, int(starts[k]), state, *given)
            yield k, state

    def digest(self, setting: Setting) -> str:
        """Return the digest of all rows and labels."""
        total = hashlib.sha256()
        for _, block in self._source.blocks(self._numbers(None)):
            for part in parts_of(setting.problem(block)):
                total.update(part)
        return f"sha256:{total.hexdigest()}"


class HeldRows:
    """Blocks of rows that are in memory already."""

    def __init__(self, X: Any, y: Any, sizes: Sequence[int]) -> None:
        self._rows = read_rows(X)
        labels = read_labels(y, len(self._rows))
        self._classes = distinct(labels)
        self._codes: NDArray[np.int64] = np.searchsorted(class_array(self._classes), labels).astype(np.int64)
        self._sizes = tuple(sizes)
        if sum(sizes) != len(self._rows):
            raise ValueError(f"The sizes add up to {sum(sizes)}, but there are {len(self._rows)} rows.")

    def facts(self) -> Facts:
        """Tell of all rows."""
        rows, measures = self._rows, self._rows.measures
        return Facts(
            sizes=self._sizes, d=rows.shape[1], classes=tuple(self._classes),
            counts=tuple(np.bincount(self._codes, minlength=len(self._classes)).tolist()), reading=rows.reading,
            denominator=rows.denominator, sparse=not is_dense(rows.numerators), largest=measures.largest,
            smallest=measures.smallest, longest=measures.longest, given=len(rows),
        )  # fmt: skip

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Take some blocks."""
        ends = np.cumsum(self._sizes)
        for k in numbers:
            some = slice(int(ends[k]) - self._sizes[k], int(ends[k]))
            yield k, Block(self._rows[some], self._codes[some])
