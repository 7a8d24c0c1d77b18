"""The search for what proves a verdict: a hyperplane, an obstruction, or both.

Floating point proposes (`program`), exact signs and exact solves dispose (`lifted`, `gordan`). Where no hyperplane
separates all rows, the question is asked again for those that no obstruction holds yet, *modulo* those it does hold:
the rows of an obstruction, and all rows in their span, are 0 under every weak separator. They are bound; the others are
live. Each round binds more directions, so it ends: with a separator of the rows still live, or with none left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.run import Stop
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, independent, primitive, solve, transposed
from ..perceptron.run import Run
from ..problem import duplicates, spans
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.scaled import ScaledRows, scaled_back
from ..problem.sums import total
from ..support import progress
from ..support.clock import Clock
from .covers import split
from .gordan import Alternative, Multipliers
from .program import Optimum, Program, whitened

_SPREAD = 2.0**-100
"""The least entry over the longest row from where a perceptron has a chance."""

_WORST = 1000
"""Rows on which to try a shorter separator before trying it on all."""

_TINY = 1e-13
"""A margin that a linear program cannot tell from 0."""

_LEAST_EFFORT, _MOST_EFFORT, _PER_VISIT = 200_000, 5_000_000_000, 20
"""Entries for the perceptron to read before linear programs have their turn, between milliseconds and seconds; a visit
costs as much as so many."""


@dataclass(frozen=True)
class Cover:
    """Positive multipliers for all bound rows, under which they add up to zero: listed ones, and one for the rest."""

    listed: dict[int, int]
    rest: int


@dataclass(frozen=True)
class Findings:
    """What the search found; which of these there are is the verdict."""

    weights: Dyadic | None
    """Strictly separates the live rows, and is 0 on the bound ones; None if no row is live."""
    witness: dict[int, int] | None
    """A minimal obstruction; None if all rows are separated."""
    cover: Cover | None


class Search:
    """A search on one problem."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem = problem
        self.clock = clock
        self.D = problem.d + problem.intercept
        self.lifted = Lifted.of(problem)
        self.rows = ScaledRows(problem)
        self.rng = np.random.default_rng(0)
        self.stage = "looking for a hyperplane"
        self.narrow: Search | None = None  # the same search with fewer columns, where that is enough
        self.tried: dict[str, str] = {}  # what has been done so far, for whoever runs out of time
        self.witness: dict[int, int] | None = None  # an obstruction, as soon as one is found
        self._direction: Floats | None = None  # float weights for the rows that no obstruction holds
        self._guess: Floats | None = None  # scores of all rows under the first float hyperplane tried

    # The rounds.

    def run(self) -> Findings:
        """Search until the verdict is proved."""
        found = self._quick()
        if not isinstance(found, Dyadic):
            kept = spans.spanning_columns(self.problem, self.clock)
            if kept is not None:
                return self._narrowed(kept)
        return self._rounds(found)

    def separate(self) -> Multipliers | Dyadic:
        """Find weights that strictly separate all rows, or an obstruction: there is either, and no more is asked."""
        found = self._quick()
        if found is None:
            kept = spans.spanning_columns(self.problem, self.clock)
            part = self if kept is None else Search(self.problem.with_columns(kept), self.clock)
            found = part._obvious or part._alternative(np.ones(self.problem.n, bool), [])
            if kept is not None and isinstance(found, Dyadic):
                found = self._placed(found, kept)
        return self._shortened(found) if isinstance(found, Dyadic) else found

    def separator(self) -> Dyadic | None:
        """Find weights that strictly separate all rows; None if it is proved that there are none."""
        found = self.separate()
        return found if isinstance(found, Dyadic) else None

    def _quick(self) -> Multipliers | Dyadic | None:
        """Try what costs little."""
        passes = self._affordable_passes()
        found = self._obvious if passes else None
        return found or self._learnt(passes) or self._regressed()

    def _narrowed(self, kept: list[int]) -> Findings:
        """Search with columns that all others depend on; the others get the weight 0."""
        self.narrow = Search(self.problem.with_columns(kept), self.clock)
        found = self.narrow._rounds(self.narrow._obvious)
        return found if found.weights is None else replace(found, weights=self._placed(found.weights, kept))

    def _placed(self, weights: Dyadic, kept: list[int]) -> Dyadic:
        """Return weights of some columns, and the intercept, as weights of all, 0 for the others."""
        integers = [0] * self.D
        places = [*kept, self.D - 1] if self.problem.intercept else kept
        for j, number in zip(places, weights.integers, strict=True):
            integers[j] = number
        return Dyadic(integers, weights.exponent)

    def _rounds(self, found: Multipliers | Dyadic | None) -> Findings:
        """Ask Gordan's alternative until no row is left of which it is not known, beginning with what is found already."""
        live = np.ones(self.problem.n, bool)
        bound: list[int] = []
        together: dict[int, int] = {}
        if found is None:
            found = self._alternative(live, bound)
        while isinstance(found, Multipliers):
            self.witness = self.witness or found.rows
            together = _merged(together, found)
            bound = self._basis([*bound, *found.rows])
            if not together.keys() - found.rows.keys() and len(bound) < self.D:
                self.stage = "looking for all rows that cannot be separated"
                together = self._widened(together)
                bound = self._basis(list(together))
            live = ~spans.spanned(self.problem, bound, self.rng)
            if not live.any():
                return Findings(None, self.witness, self._cover(together, bound, ~live))
            self.stage = f"separating the {np.count_nonzero(live):,} rows that no obstruction holds"
            found = self._directed(live, bound) or self._alternative(live, bound)
        if self.witness is None:
            return Findings(self._shortened(found), None, None)
        return Findings(found, self.witness, self._cover(together, bound, ~live))

    @cached_property
    def _obvious(self) -> Multipliers | None:
        """Find an obstruction of one row or two, which takes no linear program: a row of zeros, a contradiction."""
        if not self.problem.intercept:
            X = self.problem.X
            zero = np.flatnonzero(~X.any(axis=1) if self.rows.dense else X.count_nonzero(axis=1) == 0)
            if zero.size:
                return Multipliers({int(zero[0]): 1}, {})
        pair = duplicates.contradiction(self.problem)
        return Multipliers({pair[0]: 1, pair[1]: 1}, {}) if pair is not None else None

    def _separates(self, weights: Dyadic, live: NDArray[np.bool_] | None = None) -> bool:
        """Whether the weights are exactly positive on all live rows, and 0 on the others."""
        signs = self.lifted.signs(weights)
        return bool(np.all(signs == (1 if live is None else live)))

    # Hyperplanes that cost little.

    def _affordable_passes(self) -> int:
        """Return how many passes of the perceptron take no longer than a linear program would at least."""
        if self.lifted.smallest < _SPREAD * self.lifted.rows.radius:
            return 0
        return int(np.clip(20.0 * self.D**3, _LEAST_EFFORT, _MOST_EFFORT)) // self._cost_of_pass()

    def _cost_of_pass(self) -> int:
        entries = self.problem.X.size if self.rows.dense else self.problem.X.nnz
        return int(entries) + _PER_VISIT * self.problem.n

    def _learnt(self, passes: int) -> Dyadic | None:
        """Let the perceptron try, for so many passes."""
        if not passes:
            return None
        run = Run(self.problem)
        step = max(1, 200_000_000 // self._cost_of_pass())
        while run.passes < passes:
            self.clock.check()
            if run.advance(None, min(passes, run.passes + step)) == Stop.CLEAN:
                return run.weights()
            self.tried["perceptron"] = f"{run.passes:,} passes of the perceptron"
        return None

    def _regressed(self) -> Dyadic | None:
        """Try least squares; its scores tell the rows that matter to the linear programs."""
        w = self.rows.least_squares()
        if w is None:
            return None
        self.tried["regression"] = "least squares"
        self._guess = self.rows.scores(w)
        weights = self.rows.exact(w)
        return weights if self._guess.min() > 0.0 and self._separates(weights) else None

    def _directed(self, live: NDArray[np.bool_], bound: list[int]) -> Dyadic | None:
        """Try the direction that came with the guess at which rows cannot be separated, in as few bits as do."""
        if self._direction is None:
            return None
        directions = (self._orthogonal(self._direction, bound, bits) for bits in (4, 10, 20, 40))
        return next((w for w in directions if w is not None and self._separates(w, live)), None)

    # Gordan's alternative for the live rows.

    def _alternative(self, live: NDArray[np.bool_], bound: list[int]) -> Multipliers | Dyadic:
        """Separate the live rows by weights orthogonal to the bound ones, or obstruct some of them."""
        exact = Alternative(self.problem, live, bound)
        members = self._first(np.flatnonzero(live))
        coordinates = None
        for attempt in range(2):
            program = Program(self.rows, np.array(bound, np.int64), coordinates)
            program.add(members)
            found = self._generate(program, live, bound)
            if isinstance(found, Dyadic):
                return found
            tight, columns = (found.tight, found.columns) if found is not None else ([], [])
            self.clock.check()
            obstruction = self._obvious if live.all() else None
            if obstruction is None and tight:
                self.tried["exact"] = "exact solutions"
                obstruction = exact.obstruction(tight, self.clock)
            if obstruction is not None and obstruction.rows:
                return obstruction
            if attempt == 0:
                members = np.array(program.members)
                coordinates = whitened(self.rows.take(members))
                if coordinates is None:
                    break
        return exact.decide(tight, columns, self.clock)

    def _first(self, candidates: Indices) -> Indices:
        """Rows to begin with: of each class those that the first hyperplane found worst, and some others."""
        most = max(100, 6 * self.D)
        if len(candidates) <= most:
            return candidates
        if self._guess is None:
            return np.sort(self.rng.choice(candidates, most, replace=False))
        chosen = [self.rng.choice(candidates, most // 3, replace=False)]
        for label in (-1.0, 1.0):
            some = candidates[self.problem.y[candidates] == label]
            if len(some) > most // 3:
                some = some[np.argpartition(self._guess[some], most // 3)[: most // 3]]
            chosen.append(some)
        return np.unique(np.concatenate(chosen))

    def _generate(self, program: Program, live: NDArray[np.bool_], bound: list[int]) -> Dyadic | Optimum | None:
        """Solve the program, adding rows that its optimum violates, until it separates all or cannot tell."""
        inside = np.zeros(self.problem.n, bool)
        inside[program.members] = True
        optimum: Optimum | None = None
        while True:
            self.tried["program"] = f"linear programs with up to {len(program.members):,} rows"
            progress.report(lambda: f"{self.stage}: a linear program with {len(program.members):,} rows")
            optimum = program.solve(self.clock)
            if optimum is None or optimum.t <= _TINY:
                return optimum
            scores = self.rows.scores(optimum.w[0])
            if scores[live].min() > 0.0:
                weights = self._proposed(optimum.w, bound)
                if weights is not None and self._separates(weights, live):
                    return weights
            violated = np.flatnonzero(live & ~inside & (scores < 0.5 * optimum.t))
            if not violated.size:
                return optimum
            if violated.size > 3 * self.D + 50:
                violated = violated[np.argpartition(scores[violated], 3 * self.D + 50)[: 3 * self.D + 50]]
            program.add(violated)
            inside[violated] = True

    def _proposed(self, w: Floats, bound: list[int]) -> Dyadic | None:
        """Return float weights as exact ones, orthogonal to the bound rows."""
        return self.rows.exact(w) if not bound else self._orthogonal(w[0], bound, 40)

    def _orthogonal(self, w: Floats, bound: list[int], bits: int) -> Dyadic | None:
        """Round weights to so many bits and correct some of them so that they are orthogonal to the bound rows."""
        integers = IntegerRows.of(self.problem.lifted(bound))
        pivots = independent(transposed(integers.numbers))
        if len(pivots) < len(bound):
            return None
        largest = float(np.abs(w).max())
        if not largest or not np.isfinite(largest):
            return None
        # In units in which the bound rows are integers.
        powers = self.rows.exponents + np.array(integers.columns)
        rounded = np.round(w / largest * 2.0**bits).astype(np.int64).tolist()
        a = [k << int(e - powers.min()) for k, e in zip(rounded, powers, strict=True)]
        for j in pivots:
            a[j] = 0
        right = [-sum(n * k for n, k in zip(row, a, strict=True) if k) for row in integers.numbers]
        solution, denominator = solve([[row[j] for j in pivots] for row in integers.numbers], right)
        a = [k * denominator for k in a]
        for j, k in zip(pivots, solution, strict=True):
            a[j] = k
        return scaled_back(Dyadic(primitive(a), 0), -np.array(integers.columns))

    def _shortened(self, weights: Dyadic) -> Dyadic:
        """Round a strict separator to as few bits as still separate."""
        scaled = scaled_back(weights, -self.rows.exponents)
        top = scaled.magnitude()
        scores = self.rows.scores(scaled.times_power(-top).round())
        worst = self.rows.take(np.argpartition(scores, min(len(scores), _WORST) - 1)[:_WORST])
        for bits in (2, 4, 8, 12, 16, 24, 32, 52, 104):
            rounded = [_shift(number, scaled.exponent + bits - top) for number in scaled.integers]
            shorter = scaled_back(Dyadic(primitive(rounded), 0), self.rows.exponents)
            guess = worst @ (np.array(rounded, dtype=float) / 2.0**bits)
            if guess.min() > -1e-9 and self._separates(shorter):
                return shorter
        return weights

    # Obstructions put together.

    def _basis(self, rows: list[int]) -> list[int]:
        """Return the first independent ones among rows."""
        return [rows[k] for k in independent(IntegerRows.of(self.problem.lifted(rows)).numbers)]

    def _widened(self, together: dict[int, int]) -> dict[int, int]:
        """Extend an obstruction to all rows that cannot be separated, as one linear program tells them, if it can."""
        n = self.problem.n
        size = min(n, max(100, 8 * self.D))
        chosen = np.union1d(self.rng.choice(n, size, replace=False), np.array(list(together)))
        while True:
            progress.report(lambda chosen=chosen: f"{self.stage}: a linear program with {len(chosen):,} rows")  # type: ignore[misc]
            found = split(self.rows, chosen, self.clock)
            if found is None:
                return together
            obstructed = found.multipliers > 0.5
            if not obstructed.any():
                return together
            scores = self.rows.scores(found.w)
            inside = np.zeros(n, bool)
            inside[chosen] = True
            missing = np.flatnonzero((scores < -1e-7) & ~inside)
            if not missing.size:
                rows, values = chosen[obstructed], found.multipliers[obstructed]
                # What lies between the bounds of the program depends on the rest, so that it may take up the rounding.
                order = np.lexsort([-values, np.abs(values - 1.0) < 1e-7])
                rows, values = rows[order], values[order]
                basis = self._basis(rows.tolist())
                spanned = spans.spanned(self.problem, basis, self.rng)
                missing = np.flatnonzero((scores < 0.5) & ~spanned & ~inside)
                if not missing.size:
                    self._direction = found.w
                    wide = self._made_exact(rows, values, basis)
                    return together if wide is None else _merged(together, Multipliers(wide, {}))
            if missing.size > 4 * self.D + 200:
                missing = missing[np.argpartition(scores[missing], 4 * self.D + 200)[: 4 * self.D + 200]]
            chosen = np.union1d(chosen, missing)

    def _made_exact(self, rows: Indices, values: Floats, basis: list[int]) -> dict[int, int] | None:
        """Round the multipliers outside a basis and solve for those of the basis; None if one is not positive."""
        integers = IntegerRows.of(self.problem.lifted(rows.tolist()))
        place = {int(i): k for k, i in enumerate(rows)}
        within = [place[i] for i in basis]
        matrix = [integers.numbers[k] for k in within]
        pivots = independent(transposed(matrix))
        if len(pivots) < len(basis):
            return None
        scales = self.rows.row_exponents(rows)
        least = int(scales.min()) + min(integers.rows)
        taken = set(basis)
        others = [k for k, i in enumerate(rows.tolist()) if i not in taken]
        for bits in (0, 8, 24):
            raw = {
                k: max(1, round(float(values[k]) * 2.0**bits)) << int(scales[k] + integers.rows[k] - least) for k in others
            }
            right = [-sum(number * integers.numbers[k][j] for k, number in raw.items()) for j in pivots]
            solution, denominator = solve(transposed([[row[j] for j in pivots] for row in matrix]), right)
            if all(number > 0 for number in solution):
                top = max(integers.rows)
                numbers = {k: number * denominator for k, number in raw.items()}
                numbers.update(zip(within, solution, strict=True))
                scaled = primitive(number << (top - integers.rows[k]) for k, number in numbers.items())
                return {int(rows[k]): number for k, number in zip(numbers, scaled, strict=True)}
        return None

    def _cover(self, together: dict[int, int], bound: list[int], zero: NDArray[np.bool_]) -> Cover:
        """Give every bound row a positive multiplier, from an obstruction that spans them all.

        With 1 for each, they add up to some combination of the basis; enough of the obstruction outweighs it.
        """
        if len(together) == np.count_nonzero(zero):
            return Cover(together, 1)
        sums = total(self.problem, zero)
        integers = IntegerRows.of(self.problem.lifted(bound))
        pivots = independent(transposed(integers.numbers))
        low = min(integers.columns)
        shifts = [sums.exponent - c + low for c in integers.columns]
        least = min(shifts)
        right = [sums.integers[j] << (shifts[j] - least) for j in pivots]
        matrix = transposed([[row[j] for j in pivots] for row in integers.numbers])
        solution, denominator = solve(matrix, right)
        unit = Fraction(2) ** (least - low) / denominator
        shares = {i: number * unit / Fraction(2) ** r for i, number, r in zip(bound, solution, integers.rows, strict=True)}
        factor = max([Fraction(0), *(((shares[i] - 1) / together[i]) for i in bound)])
        factor = Fraction(factor.numerator // factor.denominator + 1)
        listed = {i: 1 + factor * number - shares.get(i, 0) for i, number in together.items()}
        common = math.lcm(*(number.denominator for number in listed.values()))
        numbers = primitive([int(number * common) for number in listed.values()] + [common])
        return Cover(dict(zip(listed, numbers, strict=False)), numbers[-1])


def _shift(number: int, bits: int) -> int:
    """Round ``number * 2**bits`` to the nearest integer."""
    if bits >= 0:
        return number << bits
    return (number + (1 << (-bits - 1))) >> -bits


def _merged(together: dict[int, int], found: Multipliers) -> dict[int, int]:
    """Add an obstruction of live rows to one of the rows that bind them, often enough to keep all positive."""
    times = 1
    for i, number in found.bound.items():
        if number < 0:
            times = max(times, -number // together[i] + 1)
    merged = {i: times * number + found.bound.get(i, 0) for i, number in together.items()}
    for i, number in found.rows.items():
        merged[i] = merged.get(i, 0) + number
    return dict(zip(merged, primitive(merged.values()), strict=True))
