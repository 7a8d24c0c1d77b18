"""The verdict on rows in blocks: what `Verdict` is for rows in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..compiled.environment import checked_arithmetic
from ..exact.dyadic import Dyadic
from ..problem.batches import BatchedProblem
from ..problem.exact_rows import ExactRows
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..separation.explanation import Sides
from ..separation.verdict import Status, Verdict
from ..support.notebook import framed

if TYPE_CHECKING:
    from ..separation.stability import Stability


@dataclass(frozen=True, repr=False)
class BatchedVerdict(Verdict):
    """A verdict on rows in blocks.

    It says and proves what a `Verdict` does. Rows are named by their numbers among all rows. ``separated_rows`` takes
    another pass when it is first asked for, and memory for a bit of each row.

    Attributes
    ----------
    passes : float
        How many times all rows were read.
    """

    problem: BatchedProblem = field(compare=False)  # type: ignore[assignment]
    sides: Sides = field(default_factory=Sides, compare=False)
    level: int = field(default=0, compare=False)
    """How many rows, but for rows of zeros, are on the hyperplane."""
    passes: float = field(default=0.0, compare=False)

    @cached_property
    def always_halts(self) -> bool | None:
        """Whether the perceptron halts with this tie rule from every start and in every order; None if unknown."""
        if self.strict == Status.UNKNOWN:
            return None
        return self.strict == Status.SEPARABLE or (bool(self.separable) and not self.level)

    @property
    def features(self) -> ExactRows:
        """Refuse: all rows are not in memory."""
        raise ValueError("The rows are in blocks, and not in memory all at once.")

    @cached_property
    @checked_arithmetic
    def separated_rows(self) -> NDArray[np.int64] | None:
        """The rows that some weak separator has strictly on its correct side: all, some or none; None if unknown.

        It takes a pass when it is first asked for.
        """
        if self.status == Status.UNKNOWN:
            return None
        if self.certificate is None or self.certificate.separator is None:
            return np.zeros(0, np.int64)
        weights = self.certificate.separator.exact(self.problem.intercept)
        bits: dict[int, NDArray[np.uint8]] = dict(self.problem.map(_separated, weights))
        starts, sizes = self.problem.facts.starts, self.problem.facts.sizes
        parts = [np.flatnonzero(np.unpackbits(bits[k], count=sizes[k])) + starts[k] for k in sorted(bits)]
        return np.concatenate(parts).astype(np.int64)

    @property
    def columns(self) -> list[str] | list[int] | None:
        """Refuse: it takes a search for each column."""
        raise ValueError(
            "Which columns suffice is found by a search for each column, all of which would read all rows again and again. "
            "Ask that of some of the rows, in memory."
        )

    def columns_within(self, seconds: float) -> list[str] | list[int] | None:
        """Return None: it takes too long, see `columns`."""
        return None

    def stability(self, tolerance: Any = "digits", **options: Any) -> Stability:
        """Refuse: the search moves all rows at once."""
        raise ValueError(
            "How far numbers may be off is found by moving all rows that no hyperplane separates, which must be in memory. "
            "Ask that of some of the rows."
        )

    def _sides(self) -> Sides:
        return self.sides

    def _columns_to_tell(self) -> str | None:
        return None

    def _repr_html_(self) -> str:
        return framed(self.explain("html"))


def _separated(problem: Problem, start: int, weights: Dyadic) -> NDArray[np.uint8]:
    """Return for each row of a block a bit: whether it is strictly on its correct side."""
    return np.packbits(Lifted.of(problem).signs(weights) > 0)
