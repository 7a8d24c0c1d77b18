"""The exact weights of a run in integers, from how often it erred on which row: slow, and right whatever the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exact.dyadic import Dyadic, mantissas_and_exponents
from ..problem.problem import Problem


class IntegerWeights:
    """Weights ``start + sum_i counts_i * factor * steps_i * z_i``, brought up to date from the counts when asked.

    Where a problem has several vectors of weights, laid end to end, there is a column of counts for each of them.
    """

    def __init__(self, problem: Problem, start: Dyadic, steps: Floats | None = None, factor: float | int = 1) -> None:
        self._problem, self._start, self._steps = problem, start, steps
        self._multiple, power = factor.as_integer_ratio()
        self._power = 1 - power.bit_length()  # the factor is the multiple times two to this
        values = [problem.measures.smallest, *([float(problem.constant)] if problem.intercept else [])]
        lowest = min((math.frexp(v)[1] - 53 for v in values if math.isfinite(v)), default=0)
        if problem.rows.wide is not None:
            lowest = min(lowest, 0)
        lowest += self._power
        if steps is not None:
            lowest += math.frexp(float(steps.min()))[1] - 53
        self._exponent = min(lowest, start.exponent)
        self._begin()

    def _begin(self) -> None:
        up = self._start.exponent - self._exponent
        self._integers = [number << up for number in self._start.integers]
        self._counts: NDArray[np.int64] | None = None
        self._known: Dyadic | None = None

    def weights(self, counts: NDArray[np.int64]) -> Dyadic:
        """Return the weights after so many mistakes on each row."""
        new = counts if self._counts is None else counts - self._counts
        if new.any():
            table, size = new.reshape(self._problem.n, -1), len(self._integers) // self._problem.vectors
            try:
                for i, k in np.argwhere(table).tolist():
                    self.add(i, int(table[i, k]), k * size)
            except BaseException:  # Ctrl-C, half-way: begin anew next time
                self._begin()
                raise
            self._counts = counts.copy()
        return self.now()

    def add(self, i: int, number: int, place: int = 0) -> None:
        """Add a multiple of the step on row i to the vector that begins at a place."""
        self._known = None
        for j, term in self._step(i):
            self._integers[place + j] += number * term

    def now(self) -> Dyadic:
        """Return the weights as they are."""
        if self._known is None:
            self._known = Dyadic(self._integers, self._exponent)
        return self._known

    def _step(self, i: int) -> Iterator[tuple[int, int]]:
        """``factor * steps_i * z_i`` as columns and integers."""
        columns, entries = self._problem.row(i)
        multiple, power = self._multiple, self._power - self._exponent
        if self._steps is not None:
            (m,), (e,) = mantissas_and_exponents(self._steps[i : i + 1])
            multiple, power = multiple * m, power + e
        for j, m, e in zip(columns, *mantissas_and_exponents(entries), strict=True):
            yield j, multiple * m << (power + e)
