"""The linear program of the fractional hitting set: the least cost that meets every obstruction found so far.

Whatever hyperplane, it errs on at least one row of each obstruction: the rows it errs on are a *hitting set* of all
obstructions. So the least ``sum cost_g e_g`` with ``e >= 0`` and ``sum over O e_g >= 1`` for some obstructions O is a lower
bound of its errors. The dual solution is a *packing*: weights of obstructions, for each group at most its cost in sum. It is
what proves the bound. In floating point: the packing is a proposal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from .._types import Floats, Indices
from ..support.clock import Clock
from ..support.highs import new_solver, run_solver


@dataclass(frozen=True)
class Optimum:
    """A fractional hitting set of least cost and the packing that proves it so."""

    cost: float
    hitting: Floats
    """How much of each group is given up, from 0 to 1."""
    weights: Floats
    """The weight of each obstruction of the pool."""


class HittingSet:
    """Groups with costs, and a pool of obstructions to be met."""

    def __init__(self, costs: Floats) -> None:
        self.costs = costs
        self.pool: list[Indices] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._fates: Mapping[int, bool] = {}
        self._highs: Any = new_solver()
        m = len(costs)
        nothing = np.zeros(0, np.int32)
        self._highs.addCols(m, costs, np.zeros(m), np.ones(m), 0, np.zeros(m, np.int32), nothing, np.zeros(0))

    def add(self, groups: Indices) -> int | None:
        """Add an obstruction, given by the groups it has rows of; return its place, None if it is there already."""
        key = tuple(sorted(groups.tolist()))
        if key in self._places:
            return None
        self._places[key] = len(self.pool)
        self.pool.append(np.array(key, np.int64))
        self._highs.addRow(1.0, highspy.kHighsInf, len(key), np.array(key, np.int32), np.ones(len(key)))
        return len(self.pool) - 1

    def drop(self, place: int) -> None:
        """Ask no longer for an obstruction to be met."""
        self._highs.changeRowBounds(place, -highspy.kHighsInf, highspy.kHighsInf)

    def solve(self, fates: Mapping[int, bool], clock: Clock) -> Optimum | None:
        """Solve with some groups kept (True: nothing of them) or given up (False: all); None if the solver gives up."""
        for g in self._fates.keys() - fates.keys():
            self._highs.changeColBounds(g, 0.0, 1.0)
        for g, kept in fates.items():
            self._highs.changeColBounds(g, 0.0 if kept else 1.0, 0.0 if kept else 1.0)
        self._fates = dict(fates)
        if not run_solver(self._highs, clock):
            return None
        solution = self._highs.getSolution()
        return Optimum(
            float(self._highs.getInfo().objective_function_value),
            np.clip(np.array(solution.col_value), 0.0, 1.0),
            np.maximum(np.array(solution.row_dual), 0.0),
        )

    def rounded(self, hitting: Floats, priority: Floats) -> Indices:
        """Round a fractional hitting set to a whole one, leaving groups out that are not needed, low priorities first."""
        inside = hitting > 1e-9
        hits = np.array([np.count_nonzero(inside[groups]) for groups in self.pool], np.int64)
        holding: dict[int, list[int]] = {}
        for k, groups in enumerate(self.pool):
            for g in groups.tolist():
                holding.setdefault(g, []).append(k)
        some = np.flatnonzero(inside)
        for g in some[np.argsort(priority[some])].tolist():
            its_own = holding.get(g, [])
            if np.all(hits[its_own] > 1):
                inside[g] = False
                hits[its_own] -= 1
        return np.flatnonzero(inside)
