"""Bounds of errors, checked fast: obstructions as exact integers, then the tree whose leaves weigh them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..checker import refuse
from ..compiled.environment import refuse_flushing
from ..exact.linear_algebra import vanishes
from ..problem.batches import AskedRows
from ..problem.duplicates import places_among
from ..problem.lifted import SAFE
from ..problem.problem import Problem
from .claims import ErrorBound, Leaf, Packing, Split, in_units


def check(errors: ErrorBound, packing: Packing, rows: AskedRows) -> None:
    """See that every obstruction adds up to zero, and that the packing of every leaf proves the bound."""
    if errors.least <= 0 and packing == Packing((), (Leaf((), ()),)):  # nothing is claimed, and nothing to be looked at
        return
    split = [node.row for node in packing.nodes if isinstance(node, Split)]
    numbers = sorted({*split, *(i for each in packing.obstructions for i in each.rows)})
    place = {i: k for k, i in enumerate(numbers)}
    listed = rows.take(numbers)
    if listed.measures.smallest < SAFE:
        refuse_flushing("the rows hold")
    held = [[place[i] for i in each.rows] for each in packing.obstructions]
    for k, each in enumerate(packing.obstructions):
        if not vanishes(listed.lifted(held[k]), in_units(each.multipliers)[0]):
            refuse(f"The rows of obstruction {k} of the packing, times their multipliers, do not add up to zero.")
    groups = places_among(listed, listed)
    costs, unit = (None, 1) if errors.costs is None else in_units(errors.costs)
    cost = [0] * listed.n
    for _, part in rows.map(_costs_of, listed, costs):
        for group, number in part.items():
            cost[group] += number
    grain = Fraction(1 if costs is None else math.gcd(*costs), unit)
    walk = _Walk(errors.least, cost, unit, grain, [np.unique(groups[each]) for each in held])
    walk.take(packing.nodes, {i: int(groups[k]) for i, k in place.items()})


def _costs_of(problem: Problem, start: int, listed: Problem, costs: list[int] | None) -> dict[int, int]:
    """Return what the rows of a block cost that are equal to listed ones, by the first of these; 1 each if not said."""
    places, found = places_among(problem, listed), dict[int, int]()
    for i in np.flatnonzero(places >= 0).tolist():
        group = int(places[i])
        found[group] = found.get(group, 0) + (1 if costs is None else costs[start + i])
    return found


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

    def take(self, nodes: Sequence[Split | Leaf], groups: dict[int, int]) -> None:
        """Go from node to node of a tree that is whole, with the groups of rows."""
        split: list[int] = []
        for k, node in enumerate(nodes):
            if isinstance(node, Split):
                group = groups[node.row]
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
