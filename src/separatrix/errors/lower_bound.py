"""How few errors a hyperplane can make: a lower bound, proved by packings of obstructions at the leaves of a tree.

At a leaf some groups are *kept*, on the correct side, and some *given up*. Obstructions are generated until the linear
program of the fractional hitting set does not get dearer, and its packing is made exact. Where that leaves a gap, cases are
distinguished: a group that the program would halve is kept in one branch and given up in the other. The bound is that of the
worst leaf.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..exact.linear_algebra import independent, solve
from ..proof.claims import Combination, Leaf, Packing, Split
from ..separation.gordan import Alternative
from ..support import progress
from ..support.clock import Clock
from .groups import Groups
from .hitting_set import HittingSet, Optimum
from .obstruction_polytope import Oracle

_OBSTRUCTIONS_PER_ROUND = 100
"""Violated obstructions that are looked for, at most, before the linear program is solved again; twice as many tries."""

_SECONDS_PER_ROUND = 0.5
"""Seconds for which they are looked for, at most."""

_FRUITLESS_TRIES_PER_GROUP = 10
"""Tries in a row, for each group, without an obstruction that is violated, after which a leaf is split."""

_LEAST_BLUR = 1e-4
"""Loads are blurred by random numbers of up to 1 down to this, lest the same way down is taken each time."""

_MAX_NUMBERS_FOR_ALL_GROUPS = 1_000_000
"""Numbers in the points of all groups up to which obstructions are looked for among all; among a sample of more."""

_SAMPLED_GROUPS_PER_COLUMN = 20
"""Groups in a sample, for each column of the points."""

_VIOLATED = 1.0 - 1e-6
"""An obstruction is violated by a fractional hitting set that has less than this of it: all of 1, but for rounding."""

_MAX_OBSTRUCTIONS_TO_SOLVE_FOR = 400
"""Obstructions in a packing up to which their weights are found by exact equations."""

_MAX_REFUTED_PER_UPHELD = 20
"""Proposed obstructions that prove to be none, for each that proves to be one, up to which floating point is trusted to
propose more."""

_MAX_DENOMINATOR_BITS = 3000
"""Bits of the denominator of a packing's weights up to which the format of certificates is sure to take it."""

_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 12, 60)
"""Denominators with which the weights of a packing are tried first; powers of two follow."""


@dataclass(eq=False)
class Branch:
    """A node of the tree, a leaf as long as it is not split."""

    fates: dict[int, bool]
    """Which groups are kept (True) and which given up (False)."""
    given_up: int = 0
    """What the latter cost."""
    packing: dict[int, Fraction] = field(default_factory=dict)
    """Weights of obstructions, by their place in the pool."""
    bound: int = 0
    """What is proved, in units: the least cost of errors here."""
    split: int | None = None
    children: tuple[Branch, ...] = ()
    """If it is split, the branch that keeps the group and the one that gives it up."""
    cost: float = 0.0
    """What the linear program says."""
    fruitless: int = 0
    """Tries for an obstruction since one was found."""
    hitting: Floats | None = None
    """The fractional hitting set: how much of each group is given up."""
    mean: Floats | None = None
    """A smoothed course of the fractional hitting sets."""

    def leaves(self) -> Iterator[Branch]:
        """Yield the leaves of the branch."""
        waiting = [self]
        while waiting:
            branch = waiting.pop()
            if branch.split is None:
                yield branch
            waiting += branch.children


class LowerBound:
    """A search for the best lower bound."""

    def __init__(self, groups: Groups, clock: Clock, rng: np.random.Generator) -> None:
        self.groups = groups
        self.clock = clock
        self.rng = rng
        self.program = HittingSet(groups.weighed)
        self.oracle: Oracle | None = None
        """Where there are obstructions, as soon as they are looked for."""
        self.root = Branch({})
        self.proofs: dict[int, dict[int, int] | None] = {}
        """Multipliers of rows, by the place of their obstruction in the pool; None if it is none."""
        self._alternative = Alternative(groups.problem, np.ones(groups.problem.n, bool), [])
        self._uses = np.zeros(len(groups.first))
        """How many obstructions of the pool hold each group."""
        self._patience = _FRUITLESS_TRIES_PER_GROUP * len(groups.first)
        self._spent = self._proved_at = 0.0
        self._refuted = self._upheld = 0
        """How many obstructions that floating point proposed are none, and how many are."""
        self._meet_contradictions()

    @property
    def bound(self) -> int:
        """What is proved, in units."""
        return min(leaf.bound for leaf in self.root.leaves())

    @property
    def weakest(self) -> Branch:
        """The leaf that the bound is due to."""
        return min(self.root.leaves(), key=lambda leaf: (leaf.bound, leaf.cost))

    def _meet_contradictions(self) -> None:
        """Begin the pool with pairs of groups that are each other's opposite."""
        problem, groups = self.groups.problem, self.groups
        points = groups.places
        order = np.argsort(points, kind="stable")
        for k in np.flatnonzero(points[order[1:]] == points[order[:-1]]).tolist():
            pair = order[k : k + 2]
            i, j = groups.first[pair].tolist()
            assert problem.y[i] != problem.y[j]
            self.note(pair, {i: 1, j: 1})

    def note(self, groups: Indices, multipliers: dict[int, int] | None = None) -> bool:
        """Add an obstruction to the pool, with its multipliers if they are known; whether it is new."""
        place = self.program.add(groups)
        self._uses[groups] += place is not None
        if place is not None and multipliers is not None:
            self.proofs[place] = multipliers
        return place is not None

    # What others may ask, and add.

    @property
    def direction(self) -> Floats | None:
        """Weights that came with the last obstruction that was looked for, in the coordinates of `Groups.points`."""
        return None if self.oracle is None else self.oracle.weights

    def hitting_set(self, leaf: Branch) -> Indices:
        """Return groups that meet every obstruction of the pool: the fractional hitting set of a leaf, made whole."""
        fractions = self._hitting(leaf)
        return self.program.rounded(fractions, fractions + 1e-3 * self.rng.random(len(fractions)))

    def take_up(self, leaf: Branch, groups: Indices, multipliers: dict[int, int]) -> bool:
        """Add an obstruction that is proved to the pool; return whether it is of use at a leaf.

        One that the fractional hitting set meets is of no use there: there is always another, and no end of them.
        """
        useful = self.note(groups, multipliers) and float(self._hitting(leaf)[groups].sum()) < _VIOLATED
        if useful:
            leaf.fruitless = 0
        return useful

    def _hitting(self, leaf: Branch) -> Floats:
        return np.zeros(len(self.groups.first)) if leaf.hitting is None else leaf.hitting

    # A round at one leaf.

    def advance(self, upper: int) -> Branch | None:
        """Work for a while on the weakest leaf; return it if nothing more seems to come of it."""
        leaf = self.weakest
        if self._is_void(leaf, upper):
            return None
        optimum = self.program.solve(leaf.fates, self.clock)
        if optimum is None:
            return leaf
        leaf.cost, leaf.hitting = optimum.cost, optimum.hitting
        leaf.mean = optimum.hitting if leaf.mean is None else 0.8 * leaf.mean + 0.2 * optimum.hitting
        closing = self._in_units(optimum.cost) >= upper
        if (closing or self._in_units(optimum.cost) > leaf.bound) and (closing or self._may_prove()):
            self._prove(leaf, optimum)
            if leaf.bound >= upper:
                return None
            if self._is_blind:  # what is asked next must not be led by obstructions that are none
                for k in range(len(self.program.pool)):
                    if k not in self.proofs:
                        self.program.drop(k)
                optimum = self.program.solve(leaf.fates, self.clock) or optimum
                leaf.cost, leaf.hitting = optimum.cost, optimum.hitting
        found = self._seek(leaf, optimum.hitting, leaf.mean)
        if found:
            leaf.fruitless = 0
        return leaf if leaf.fruitless >= self._patience or self.oracle is None else None

    @property
    def _is_blind(self) -> bool:
        """Whether floating point sees obstructions where there are none, and they must be found exactly, one by one.

        So it is with columns that depend on each other up to rounding: their difference is data, which floats take for none.
        """
        return self._refuted > _MAX_REFUTED_PER_UPHELD * max(1, self._upheld)

    def _is_void(self, leaf: Branch, upper: int) -> bool:
        """Whether an obstruction has kept rows only: no hyperplane is there, and its weight may be as large as one likes."""
        kept = {g for g, is_kept in leaf.fates.items() if is_kept}
        for k, groups in enumerate(self.program.pool if kept else ()):
            if kept.issuperset(groups.tolist()) and self._is_obstruction(k):
                leaf.packing, leaf.bound = {k: Fraction(upper)}, leaf.given_up + upper
                return True
        return False

    def _in_units(self, cost: float) -> int:
        """Return the bound that a cost, which is rounded, would prove at best."""
        exact = Fraction(cost) * self.groups.factor
        slack = max(Fraction(1, 10**6), exact / 10**9)
        return math.ceil(exact - slack)

    def _may_prove(self) -> bool:
        """Spend at most a quarter of the time on exact arithmetic."""
        return time.monotonic() - self._proved_at >= 3 * self._spent

    def _seek(self, leaf: Branch, hitting: Floats, mean: Floats) -> int:
        """Look for obstructions that the fractional hitting set meets by less than 1; return how many were found.

        The way leads down loads between the hitting set and the mean of those before, lest it is led astray by corners.
        """
        if self._is_blind:
            self.oracle = None
        elif self.oracle is None and self.groups.tractable:
            oracle = Oracle(self.groups.columns, self.rng, self.clock)
            self.oracle = oracle if oracle.exists else None
        if self.oracle is None:
            return 0
        m, found, end = len(hitting), 0, time.monotonic() + _SECONDS_PER_ROUND
        barred = np.zeros(m)
        barred[[g for g, kept in leaf.fates.items() if not kept]] = 10.0
        for k in range(2 * _OBSTRUCTIONS_PER_ROUND):
            self.clock.check()
            leaf.fruitless += 1
            oracle, some = self._sampled(hitting + barred) or (self.oracle, np.arange(m))
            noise = self.rng.random(len(some))
            costs = noise**2 if k % 2 else hitting[some] + self.rng.random() * noise
            if oracle.cheapest(costs + barred[some]) is None:
                if oracle is self.oracle:
                    self.oracle = Oracle(self.groups.columns, self.rng, self.clock)
                continue
            share, blur = self.rng.random(), _LEAST_BLUR ** self.rng.random()
            groups = some[oracle.lighter((share * hitting + (1.0 - share) * mean + barred)[some] + blur * noise)]
            if float((hitting + barred)[groups].sum()) < _VIOLATED:
                found += self.note(groups)
            if found >= _OBSTRUCTIONS_PER_ROUND or time.monotonic() > end:
                break
        return found

    def _sampled(self, loads: Floats) -> tuple[Oracle, Indices] | None:
        """Draw some of many groups, light ones above all, and the polytope of their obstructions, if there are any.

        Those that are little used come first, since obstructions that share nothing prove most.
        """
        m, size = self.groups.columns.shape
        count = _SAMPLED_GROUPS_PER_COLUMN * size
        if m * size < _MAX_NUMBERS_FOR_ALL_GROUPS or m <= count:
            return None
        for avoided in (self._uses, 0.0):
            some = np.argpartition(loads + avoided + self.rng.random(m), count)[:count]
            oracle = Oracle(self.groups.columns[some], self.rng, self.clock)
            if oracle.exists:
                return oracle, some
        return None

    def divide(self, leaf: Branch) -> None:
        """Split a leaf at the group that its fractional hitting set halves most nearly, the dearest of these."""
        open_ones = [g for g in range(len(self.groups.first)) if g not in leaf.fates]
        halves = leaf.hitting[open_ones] if leaf.hitting is not None else np.full(len(open_ones), 0.5)
        doubt = np.abs(halves - 0.5) - 1e-3 * self.groups.weighed[open_ones] / self.groups.weighed.max()
        g = open_ones[int(np.argmin(doubt))]
        cost = self.groups.costs[g]
        kept = Branch({**leaf.fates, g: True}, leaf.given_up, leaf.packing, leaf.bound, cost=leaf.cost)
        # Without the obstructions that hold the group, at most as much as it costs is lost, and that is certain here.
        packing = {k: weight for k, weight in leaf.packing.items() if g not in self.program.pool[k]}
        given_up = Branch({**leaf.fates, g: False}, leaf.given_up + cost, packing, cost=leaf.cost)
        given_up.bound = given_up.given_up + math.ceil(_total(packing))
        leaf.children = (kept, given_up)
        leaf.split = g  # last: a Ctrl-C in between leaves a leaf

    # Packings made exact.

    def _prove(self, leaf: Branch, optimum: Optimum) -> None:
        """Turn the packing of the linear program into an exact one, if that raises the bound of the leaf."""
        started = time.monotonic()
        progress.report(lambda: f"proving at least {self.groups.text(self._in_units(optimum.cost))} errors")
        lost = {g for g, kept in leaf.fates.items() if not kept}
        places = [
            k for k in np.flatnonzero(optimum.weights > 1e-9).tolist() if lost.isdisjoint(self.program.pool[k].tolist())
        ]
        places = [k for k in places if self._is_obstruction(k)]
        packing = self._rounded(places, optimum, leaf)
        bound = leaf.given_up + math.ceil(_total(packing))
        if bound > leaf.bound:
            leaf.packing, leaf.bound = packing, bound
        self._proved_at = time.monotonic()
        self._spent = self._proved_at - started

    def _is_obstruction(self, place: int) -> bool:
        """Whether a member of the pool is one, exactly; if not it is dropped, and what is left of it noted instead."""
        if place not in self.proofs:
            groups = self.program.pool[place]
            rows = self.groups.first[groups]
            found = self._alternative.obstruction(rows.tolist(), self.clock)
            self.proofs[place] = None if found is None else found.rows
            self._refuted += found is None
            self._upheld += found is not None
            if found is None or len(found.rows) < len(rows):
                self.program.drop(place)
                if found is not None:
                    self.note(self.groups.of_rows[list(found.rows)], found.rows)
        return self.proofs[place] is not None

    def _rounded(self, places: list[int], optimum: Optimum, leaf: Branch) -> dict[int, Fraction]:
        """Return rational weights of obstructions, in units, which for no group that is not kept exceed its cost."""
        weights, limits = optimum.weights, self._limits(places, leaf)
        target = Fraction(optimum.cost) * self.groups.factor - leaf.given_up
        counts = self.groups.factor == 1
        best: dict[int, Fraction] = {}
        # Whole numbers and simple fractions where costs are counts, else and in the end long ones, rounded down.
        overload = max((float(weights[ks].sum()) / max(self.groups.weighed[g], 1e-300) for g, ks in limits), default=0.0)
        shrunk = weights * ((1.0 - 1e-12) / max(1.0, overload))
        for q, proposed in [(q, weights) for q in _DENOMINATORS if counts] + [(2**20, shrunk), (2**40, shrunk)]:
            turn = round if proposed is weights else math.floor
            numbers = {k: turn(Fraction(float(proposed[k])) * self.groups.factor * q) for k in places}
            if all(sum(numbers[k] for k in ks) <= self.groups.costs[g] * q for g, ks in limits):
                packing = {k: Fraction(number, q) for k, number in numbers.items() if number}
                best = max(best, packing, key=_total)
                if counts and math.ceil(_total(best)) >= math.ceil(target - Fraction(1, 10**6)):
                    return best
        if len(places) <= _MAX_OBSTRUCTIONS_TO_SOLVE_FOR:
            best = max(best, self._solved(places, weights, limits), key=_total)
        return best

    def _limits(self, places: list[int], leaf: Branch) -> list[tuple[int, list[int]]]:
        """Return for each group that is not kept the obstructions that hold it."""
        holding: dict[int, list[int]] = {}
        for k in places:
            for g in self.program.pool[k].tolist():
                if g not in leaf.fates:
                    holding.setdefault(g, []).append(k)
        return list(holding.items())

    def _solved(self, places: list[int], weights: Floats, limits: list[tuple[int, list[int]]]) -> dict[int, Fraction]:
        """Solve for the weights under which every group that is packed to the full, as it seems, is so."""
        column = {k: j for j, k in enumerate(places)}
        full = [(g, ks) for g, ks in limits if weights[ks].sum() > (1.0 - 1e-9) * self.groups.weighed[g]]
        rows = [[0] * len(places) for _ in full]
        for row, (_, ks) in zip(rows, full, strict=True):
            for k in ks:
                row[column[k]] = 1
        chosen = independent(rows)
        if len(chosen) < len(places):
            return {}
        numbers, denominator = solve([rows[j] for j in chosen], [self.groups.costs[full[j][0]] for j in chosen])
        packing = {k: Fraction(number, denominator) for k, number in zip(places, numbers, strict=True)}
        if denominator.bit_length() > _MAX_DENOMINATOR_BITS or any(weight < 0 for weight in packing.values()):
            return {}
        if any(sum(packing[k] for k in ks) > self.groups.costs[g] for g, ks in limits):
            return {}
        return {k: weight for k, weight in packing.items() if weight}

    # The proof.

    def packing(self) -> Packing:
        """Return the tree with its packings, the obstructions numbered as they come."""
        numbers: dict[int, int] = {}
        nodes: list[Split | Leaf] = []
        waiting = [self.root]
        while waiting:
            branch = waiting.pop()
            if branch.split is not None:
                nodes.append(Split(int(self.groups.first[branch.split])))
                waiting += reversed(branch.children)
                continue
            places = [numbers.setdefault(k, len(numbers)) for k in branch.packing]
            nodes.append(Leaf(tuple(places), tuple(weight * self.groups.unit for weight in branch.packing.values())))
        return Packing(tuple(self._combination(k) for k in numbers), tuple(nodes))

    def _combination(self, place: int) -> Combination:
        multipliers = self.proofs[place]
        assert multipliers is not None
        rows = sorted(multipliers)
        return Combination(tuple(rows), tuple(Fraction(multipliers[i]) for i in rows))


def _total(packing: dict[int, Fraction]) -> Fraction:
    return sum(packing.values(), Fraction(0))
