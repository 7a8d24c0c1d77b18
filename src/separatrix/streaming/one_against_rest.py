"""One class against all others: the same blocks, labelled False and True."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..problem.blocks import Block, Facts
from ..problem.provenance import Places
from .block_source import BlockSource


class OneAgainstRest:
    """Blocks in which the label says whether a row is of a class."""

    def __init__(self, source: BlockSource, facts: Facts, label: Any) -> None:
        self._source, self._facts, self._code = source, facts, facts.classes.index(label)

    def facts(self) -> Facts:
        """Tell of all rows."""
        mine, everything = self._facts.counts[self._code], self._facts.n
        known = {False: everything - mine, True: mine}
        kept = {label: count for label, count in known.items() if count}
        return replace(self._facts, classes=tuple(kept), counts=tuple(kept.values()))

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks."""
        single = len(self.facts().classes) == 1
        for k, block in self._source.blocks(numbers):
            codes = (block.codes == self._code).astype(np.int64)
            yield k, block._replace(codes=codes * (not single))

    @property
    def places(self) -> Places:
        """What tells where rows are."""
        return self._source.places
