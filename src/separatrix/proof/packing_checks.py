"""Bounds of errors, checked fast: obstructions as exact integers, then the tree whose leaves weigh them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checker import refuse
from ..compiled.environment import refuse_flushing
from ..exact.linear_algebra import vanishes
from ..problem.duplicates import labelled_points_of
from ..problem.lifted import SAFE
from ..problem.problem import Problem
from .claims import ErrorBound, Leaf, Packing, Split, in_units


def check(errors: ErrorBound, packing: Packing, problem: Problem) -> None:
    """See that every obstruction adds up to zero, and that the packing of every leaf proves the bound."""
    if problem.measures.smallest < SAFE:
        refuse_flushing("the rows hold")
    if errors.least <= 0 and packing == Packing((), (Leaf((), ()),)):  # nothing is claimed, and nothing to be looked at
        return
    for k, each in enumerate(packing.obstructions):
        if not vanishes(problem.lifted(list(each.rows)), in_units(each.multipliers)[0]):
            refuse(f"The rows of obstruction {k} of the packing, times their multipliers, do not add up to zero.")
    keys = labelled_points_of(problem)
    rows = np.bincount(keys)
    groups = (np.cumsum(rows > 0) - 1)[keys]
    if errors.costs is None:
        cost, unit, grain = rows[rows > 0].tolist(), 1, Fraction(1)
    else:
        costs, unit = in_units(errors.costs)
        grain = Fraction(math.gcd(*costs), unit)
        cost = [0] * (int(groups.max()) + 1)
        for group, number in zip(groups.tolist(), costs, strict=True):
            cost[group] += number
    held = [np.unique(groups[list(each.rows)]) for each in packing.obstructions]
    _Walk(errors.least, cost, unit, grain, held).take(packing.nodes, groups)


class _Walk:
    """A walk through the nodes of a tree, that knows at each of them which groups are kept and which are given up."""

    def __init__(self, least: Fraction, cost: list[int], unit: int, grain: Fraction, held: list[Any]) -> None:
        self.least = least
        self.grain = grain
        """The greatest common divisor of all costs. Sums of costs are multiples of it, so a bound is rounded up to one."""
        self.cost = cost
        """Of each group, in units of ``1 / unit``."""
        self.unit = unit
        self.held = held
        self.fate = np.zeros(len(cost), np.int8)
        """Of each group: 1 if it is kept, -1 if it is given up, else 0."""
        self.given_up = 0

    def take(self, nodes: Sequence[Split | Leaf], groups: NDArray[np.int64]) -> None:
        """Go from node to node of a tree that is whole."""
        split: list[int] = []
        for k, node in enumerate(nodes):
            if isinstance(node, Split):
                group = int(groups[node.row])
                if self.fate[group]:
                    refuse(f"Node {k} splits on row {node.row}, but that or its equal is kept or given up already.")
                self.fate[group] = 1
                split.append(group)
                continue
            self._check(node, k)
            while split and self.fate[split[-1]] < 0:
                group = split.pop()
                self.fate[group] = 0
                self.given_up -= self.cost[group]
            if split:
                self.fate[split[-1]] = -1
                self.given_up += self.cost[split[-1]]

    def _check(self, leaf: Leaf, k: int) -> None:
        weights, own = in_units(leaf.weights)
        total = sum(weights)
        if leaf.obstructions:
            some = [self.held[place] for place in leaf.obstructions]
            groups, places = np.unique(np.concatenate(some), return_inverse=True)
            numbers = np.array(weights, np.int64 if total < 2**63 else object)
            loads = np.zeros(groups.size, numbers.dtype)
            np.add.at(loads, places, np.repeat(numbers, [each.size for each in some]))
            fates = self.fate[groups]
            if np.any(fates < 0):
                refuse(f"Node {k} has an obstruction that holds a row which is given up there.")
            free = fates == 0
            for group, load in zip(groups[free].tolist(), loads[free].tolist(), strict=True):
                if load * self.unit > self.cost[group] * own:
                    refuse(
                        f"Node {k} has obstructions with a row, or equals of it, in common, of more weight than its cost."
                    )
        bound = Fraction(self.given_up, self.unit) + Fraction(total, own)
        if self.grain:
            bound = math.ceil(bound / self.grain) * self.grain
        if bound < self.least:
            refuse(f"Node {k} proves errors of {_short(bound)} at least, but {_short(self.least)} are claimed.")


def _short(number: Fraction) -> str:
    return f"{float(number):.12g}" if number < 2**1000 else "more than a float64 holds"
