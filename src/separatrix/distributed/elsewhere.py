"""What rows on the workers of a cluster have in common, whichever cluster it is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..problem.blocks import Block, Facts, Setting
from ..problem.digest import parts_of
from ..streaming.answers import Answering
from ..support.sha256 import Sha256
from .survey import Survey, is_uniform, together


class Elsewhere(Answering):
    """Rows in parts that workers have: those parts that have rows are the blocks."""

    _kept: Sequence[int]
    """The part that each block is."""

    @abstractmethod
    def _surveys(self, *given: Any) -> Iterator[tuple[int, Survey | None]]:
        """Yield the number of each part with what `survey` tells of it, in any order."""

    @cached_property
    def facts(self) -> Facts:
        """What the first pass tells; it is made when first asked for."""
        found = dict(self._surveys())
        facts, self._kept = together(found.items())
        if not is_uniform(found.values()):  # what is largest and smallest is so over one denominator only
            measured, _ = together(self._surveys(facts.denominator))
            facts = replace(measured, reading=facts.reading, denominator=facts.denominator)
        return facts

    def digest(self, setting: Setting) -> str:
        """Return the digest of all rows and labels; they are hashed where they are, one part after another."""
        total = Sha256()
        for _, after in self.fold(_hashed, total, setting):
            total = after
        return f"sha256:{total.hexdigest()}"


def _hashed(block: Block, start: int, total: Sha256, setting: Setting) -> Sha256:
    for part in parts_of(setting.problem(block)):
        total = total.after(part)
    return total
