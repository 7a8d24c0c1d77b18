"""What blocks of rows are, and what a pass over all of them tells: what it takes to make a `Problem` of any block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Indices
from .exact_rows import ExactRows, Reading
from .labels import class_array, code_labels
from .multiclass import Classes
from .problem import Problem
from .provenance import Column, Table


class Block(NamedTuple):
    """Some rows that follow each other, over the denominator of all, and the place of each one's label among the classes."""

    rows: ExactRows
    codes: NDArray[np.int64]
    given: Indices | None = None
    """The number of each among all rows that are given, those that are left out counted; None: none is left out."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a pass over all blocks tells of the rows; picklable, as workers take it.

    Attributes
    ----------
    sizes : tuple of int
        The number of rows of each block; rows that are left out are not counted.
    d : int
        The number of features.
    classes : tuple
        The distinct labels of all rows, sorted, as `labels.distinct` has them.
    counts : tuple of int
        How many rows each class has.
    columns : tuple of Column, or None
        What the features are, where that is known.
    table : TextTable, LibsvmTable or None
        How the table is written that the rows come from.
    reading : {"float64", "decimal", "rational"}
        What all numbers are read as.
    denominator : int
        The denominator of all rows.
    sparse : bool
        Whether the rows are CSR.
    largest, smallest : float
        The largest magnitude of all numerators, and the smallest that is not 0; infinity if all are.
    longest : int
        The most entries in one row.
    given : int
        How many rows there are, those left out included.
    """

    sizes: tuple[int, ...]
    d: int
    classes: tuple[Any, ...]
    counts: tuple[int, ...]
    columns: tuple[Column, ...] | None = None
    table: Table | None = None
    reading: Reading = "float64"
    denominator: int = 1
    sparse: bool = False
    largest: float = 0.0
    smallest: float = float("inf")
    longest: int = 0
    given: int = 0

    @cached_property
    def n(self) -> int:
        """The number of rows."""
        return sum(self.sizes)

    @cached_property
    def starts(self) -> Indices:
        """The number of the first row of each block, and that of all rows."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def blocks_of(self, rows: Sequence[int] | Indices) -> Indices:
        """Return for some rows the number of the block that each is in."""
        return np.searchsorted(self.starts, np.asarray(rows, np.int64), side="right") - 1


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What makes a problem of a block: which class is +1, and whether there is an intercept; picklable.

    ``signs`` has -1.0 or 1.0 for each of the classes of the facts; it is empty if more than two are told apart.
    """

    facts: Facts
    classes: tuple[Any, ...]
    signs: tuple[float, ...]
    intercept: bool

    @classmethod
    def of(cls, facts: Facts, *, positive: Any = None, intercept: bool = True, several: bool = False) -> Setting:
        """Choose the classes as `Problem.of` does; with ``several``, tell apart more than two if there are more."""
        if several and positive is None and len(facts.classes) > 2:
            return cls(facts=facts, classes=facts.classes, signs=(), intercept=bool(intercept))
        signs, classes = code_labels(class_array(facts.classes), positive=positive)
        return cls(facts=facts, classes=classes, signs=tuple(signs.tolist()), intercept=bool(intercept))

    def problem(self, block: Block) -> Problem:
        """Return the problem that a block is."""
        facts, n = self.facts, len(block.codes)
        known: Any = {"classes": self.classes, "intercept": self.intercept, "columns": facts.columns, "given": n}
        if not self.signs:
            return Classes(rows=block.rows, y=np.ones(n), codes=block.codes, **known)
        return Problem(rows=block.rows, y=np.array(self.signs)[block.codes], **known)
