"""What all runs of the perceptron have in common: what they count, and the orders in which they visit rows."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._types import Indices
from ..compiled.binary_run import CLEAN, LIMITED, MISTAKES, PASS_MISTAKES, PASSES, PLACE
from ..problem.problem import Problem
from ..support import progress

UNLIMITED = 2**62
"""More mistakes than there will ever be."""


class Visitor(ABC):
    """A run that visits the rows of a problem, counts its mistakes in ``_state`` and keeps them in ``_trace``."""

    problem: Problem
    _state: Indices
    _trace: Indices
    _per_visit = True  # whether visits are counted, or updates only

    @property
    def mistakes(self) -> int:
        """Number of mistakes so far."""
        return int(self._state[MISTAKES])

    @property
    def passes(self) -> int:
        """Number of passes finished so far."""
        return int(self._state[PASSES])

    @property
    def trace(self) -> Indices:
        """The rows erred on, in order."""
        return self._trace[: self.mistakes].copy()

    @abstractmethod
    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> int:
        """Visit rows until so many passes are over, a pass is clean or one more mistake would exceed the limit.

        Returns `FINISHED`, `CLEAN` or `LIMITED`.
        """

    def learn(self, order: str | Indices, max_iter: int, rng: np.random.RandomState) -> bool:
        """Run for at most ``max_iter`` passes; return whether the run came to an end by itself.

        ``order`` is "cyclic", "shuffle" (a new permutation for each pass), "random" (each update on a row drawn
        uniformly among those now misclassified; n updates are a pass), or the rows of a pass in their order.
        """
        max_iter = min(int(max_iter), UNLIMITED)
        if not isinstance(order, str):
            return self.advance(np.ascontiguousarray(order, np.int64), max_iter) == CLEAN
        if order == "cyclic":
            return self.advance(None, max_iter) == CLEAN
        if order == "shuffle":
            permutations = (rng.permutation(self.problem.n) for _ in range(max_iter))
            return any(self.advance(order, self.passes + 1) == CLEAN for order in permutations)
        self._per_visit = False
        return self._learn_from_random_mistakes(max_iter, rng)

    def _learn_from_random_mistakes(self, max_iter: int, rng: np.random.RandomState) -> bool:
        """Visit rows drawn uniformly: a mistake among them is a uniform draw among the misclassified rows."""
        n = self.problem.n
        limit = min(max_iter * n, UNLIMITED)
        while True:
            draws = rng.randint(n, size=max(n, 256), dtype=np.int64)
            reason = self.advance(draws, self.passes + 1, limit)
            if reason == LIMITED:
                converged = False
            elif reason == CLEAN and self._errs_nowhere():
                converged = True
            else:
                continue
            self._state[PASSES] = max(1, -(-self.mistakes // n))
            return converged

    def _errs_nowhere(self) -> bool:
        self._state[PLACE] = 0
        clean = self.advance(None, self.passes + 1, self.mistakes) == CLEAN
        self._state[PLACE] = 0
        return clean

    def _report(self) -> None:
        progress.report(self._so_far)

    def _so_far(self) -> str:
        if not self._state[PLACE] and not self._state[PASS_MISTAKES]:  # a pass is over, and it may be the last
            return f"{self.passes:,} {'pass' if self.passes == 1 else 'passes'}, {self.mistakes:,} mistakes in all"
        return f"pass {self.passes + 1:,}: {self._state[PASS_MISTAKES]:,} mistakes in it, {self.mistakes:,} in all"
