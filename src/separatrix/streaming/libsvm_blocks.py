"""Blocks of rows from LIBSVM text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..problem.blocks import Block, Facts
from ..problem.provenance import Places
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.libsvm_pieces import LibsvmPieces


class LibsvmBlocks:
    """The rows of LIBSVM text, a block for each of its pieces."""

    def __init__(self, pieces: LibsvmPieces) -> None:
        self._pieces = pieces

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""
        pieces = self._pieces
        pieces.survey()
        largest, smallest, longest = pieces.extremes
        decimals = pieces.decimals
        fits = decimals is not None and decimals.misfit is None
        return Facts(
            sizes=pieces.sizes, d=pieces.width, classes=pieces.classes, counts=pieces.counts, table=pieces.table,
            reading="decimal" if fits else "float64", denominator=10**decimals.places if fits and decimals else 1,
            sparse=True, largest=largest, smallest=smallest, longest=longest, given=pieces.n,
        )  # fmt: skip

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks, ahead of who takes them."""
        read = self._pieces.again(numbers)
        total, done = int(np.sum([self._pieces.sizes[k] for k in numbers])), 0
        for k, (rows, codes, _) in zip(numbers, ahead(read) if len(numbers) > 1 else read, strict=True):
            assert codes is not None
            yield k, Block(rows, codes)
            done += len(rows)
            report(lambda: f"{done:,} of {total:,} rows", done, total, "rows")  # noqa: B023

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return self._pieces.notes()

    @property
    def places(self) -> Places:
        """What tells where rows are in the files."""
        return self._pieces.places
