"""Rows that span all others, among rows in blocks: drawn at random, and then from those that the ones before do not span."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats, Indices
from ..exact.linear_algebra import IntegerRows
from ..problem import spans
from ..problem.batches import Batches
from ..problem.blocks import Block
from ..problem.problem import Problem
from .asking_all import each_block

_TIMES_AS_MANY = 2
"""Rows that are drawn at first, for each column."""

_SPARE = 8
"""Rows that a block gives of those that are not spanned yet, besides as many as are missing."""


class Drawn(NamedTuple):
    """Rows of a block, lifted."""

    rows: Floats
    others: Floats
    """Rows that are not 0 in columns in which those drawn are."""
    columns: Indices
    """For each of these the column."""


def drawn(block: Block, start: int, share: float) -> Drawn:
    """Draw some share of the rows of a block, and those that chance would miss."""
    problem = Problem.bare(block.rows, True)
    size = min(problem.n, max(1, int(np.ceil(share * problem.n))))
    chosen = np.random.default_rng(start).choice(problem.n, size, replace=False)
    columns, first = spans.first_entries(problem.X)
    covered, _ = spans.first_entries(problem.with_rows(chosen).X)
    missed = ~np.isin(columns, covered)
    return Drawn(problem.lifted(chosen.tolist()), problem.lifted(first[missed].tolist()), columns[missed])


class Basis:
    """Independent rows of those seen so far, which span these, up to one chance in ``2**60``."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._parts: list[Floats] = []
        self._rows = 0
        self._covered = np.zeros(width, bool)

    @staticmethod
    def share(width: int, n: int) -> float:
        """Return which share of n rows to draw at first."""
        return min(1.0, _TIMES_AS_MANY * width / max(n, 1))

    def add(self, rows: Floats) -> None:
        """See some rows."""
        if len(rows):
            self._parts.append(rows)
            self._rows += len(rows)
        if self._rows > 8 * self._width + 64:
            self._unite()

    def add_drawn(self, found: Drawn) -> None:
        """See what was drawn from a block."""
        self.add(found.rows)
        new = ~self._covered[found.columns]
        self._covered[found.columns] = True
        self.add(found.others[new])

    def _unite(self) -> None:
        rows = np.vstack(self._parts)
        rows = rows[IntegerRows.of(rows).basis()]
        self._parts, self._rows = [rows], len(rows)

    def spanning(self, batches: Batches) -> Floats:
        """Return rows that span all rows; those that the ones seen so far do not span are looked for, pass by pass."""
        rng, size = np.random.default_rng(0), 0
        self._unite()
        while size < self._rows < self._width:
            size, (basis,) = self._rows, self._parts
            told = spans.annihilators(basis, rng)
            for outside in each_block(batches, "looking for dependent columns", _outside, told, self._width - size + _SPARE):
                self.add(outside)
            self._unite()
        return self._parts[0]


def _outside(block: Block, start: int, told: spans.Annihilators, most: int) -> Floats:
    """Return some lifted rows that are outside of the span."""
    problem = Problem.bare(block.rows, True)
    outside = np.flatnonzero(~spans.annihilated(problem, told))
    chosen = np.random.default_rng(start).permutation(outside)[:most]
    return problem.lifted(chosen.tolist())
