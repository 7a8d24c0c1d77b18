"""One class against all others: the same blocks, labelled False and True."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..problem.blocks import Block, Facts
from ..problem.provenance import Places
from .block_source import BlockSource

Result = TypeVar("Result")


class OneAgainstRest:
    """Blocks in which the label says whether a row is of a class."""

    def __init__(self, source: BlockSource, facts: Facts, label: Any) -> None:
        self._source, self._facts, self._code = source, facts, facts.classes.index(label)

    def facts(self) -> Facts:
        """Tell of all rows."""
        return against_rest(self._facts, self._facts.classes[self._code])

    def blocks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Block]]:
        """Read some blocks."""
        single = len(self.facts().classes) == 1
        for k, block in self._source.blocks(numbers):
            yield k, _labelled(block, self._code, single)

    @property
    def places(self) -> Places:
        """What tells where rows are."""
        return self._source.places


def against_rest(facts: Facts, label: Any) -> Facts:
    """Return what is known of rows that are labelled by whether they are of a class."""
    mine = facts.counts[facts.classes.index(label)]
    known = {False: facts.n - mine, True: mine}
    kept = {each: count for each, count in known.items() if count}
    return replace(facts, classes=tuple(kept), counts=tuple(kept.values()))


def on_one_against_rest(
    function: Callable[..., Result], code: int, single: bool, block: Block, start: int, *given: Any
) -> Result:  # fmt: skip
    """Call a function with a block whose labels say whether rows are of a class; ``single`` if all are, or none is."""
    return function(_labelled(block, code, single), start, *given)


def _labelled(block: Block, code: int, single: bool) -> Block:
    return block._replace(codes=(block.codes == code).astype(np.int64) * (not single))
