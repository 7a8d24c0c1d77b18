"""Blocks of rows from LIBSVM text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..problem.batches import Batches
from ..problem.blocks import Block, Facts
from ..problem.provenance import Places
from ..support.ahead import ahead
from ..support.progress import report
from ..tables.description_text import Description
from ..tables.libsvm_pieces import LibsvmPieces, LibsvmRows
from ..tables.pieces import Pieces


class LibsvmBlocks:
    """The rows of LIBSVM text, a block for each of its pieces."""

    def __init__(self, pieces: LibsvmPieces) -> None:
        self.libsvm = pieces

    @property
    def way(self) -> LibsvmRows:
        """How rows are made of a piece; picklable."""
        return self.libsvm.way

    @property
    def numbers(self) -> list[int]:
        """The piece of each block."""
        return self.libsvm.kept

    def first(self, k: int) -> None:
        """Return nothing, as no row is ever left out."""

    @property
    def pieces(self) -> Pieces:
        """The pieces of the files."""
        return self.libsvm.pieces

    def facts(self) -> Facts:
        """Go through all rows once, and tell of them."""
        pieces = self.libsvm
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
        read = self.libsvm.again(numbers)
        total, done = int(np.sum([self.libsvm.sizes[k] for k in numbers])), 0
        for k, (rows, codes, _) in zip(numbers, ahead(read) if len(numbers) > 1 else read, strict=True):
            assert codes is not None
            yield k, Block(rows, codes)
            done += len(rows)
            report(lambda: f"{done:,} of {total:,} rows", done, total, "rows")  # noqa: B023

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return self.libsvm.notes()

    def describe(self, batches: Batches, positive: str | None, held: int) -> Description:
        """Describe the rows."""
        from .describing import describe_libsvm

        return describe_libsvm(self.libsvm, batches, positive, held)

    @property
    def places(self) -> Places:
        """What tells where rows are in the files."""
        return self.libsvm.places
