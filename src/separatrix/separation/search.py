"""The search for what proves a verdict: a hyperplane, an obstruction, or both.

Floating point proposes (`program`), exact signs and exact solves dispose (`lifted`, `gordan`). Where no hyperplane
separates all rows, the question is asked again for those that no obstruction holds yet, *modulo* those it does hold:
the rows of an obstruction, and all rows in their span, are 0 under every weak separator. They are *tied*; the others are
*live*. Each round ties more directions, so it ends: with a separator of the rows still live, or with none left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.run import Stop
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import IntegerRows, primitive
from ..perceptron.run import Run
from ..problem import duplicates, spans
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import stored, zero_rows
from ..problem.scaled import ScaledRows
from ..proof.claims import Cover
from ..support import progress
from ..support.clock import Clock
from ..support.counts import counted
from .covers import basis_of, cover, merged, widened
from .gordan import Alternative, Multipliers
from .program import Program, Proposal, whitened

_LEAST_SPREAD = 2.0**-100
"""The smallest entry over the length of the longest row, from where up a perceptron has a chance."""

_MIN_NUMBERS_READ, _MAX_NUMBERS_READ = 200_000, 5_000_000_000
"""Numbers that the perceptron may read before linear programs have their turn, between milliseconds and seconds; in between
as many as a linear program takes steps for, about."""

_NUMBERS_PER_VISIT = 20
"""Numbers that could be read in the time that a visit of the perceptron takes besides reading the row."""

_NUMBERS_BETWEEN_LOOKS = 200_000_000
"""Numbers that the perceptron reads before the clock is looked at again."""

_ROWS_TRIED_FIRST = 1000
"""Rows, those with the lowest scores, on which a shorter separator is tried before it is tried on all."""

_BITS_OF_SEPARATORS = (2, 4, 8, 12, 16, 24, 32, 52, 104)
"""Bits to which the weights of a separator are rounded, one after the other, until it still separates."""

_BITS_OF_DIRECTIONS = (4, 10, 20, 40)
"""Bits to which a direction is rounded, one after the other, before it is made orthogonal to the tied rows."""

_LEAST_MARGIN = 1e-13
"""A margin that a linear program cannot tell from 0."""

_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN = 100, 6
"""Rows that the first linear program has: so many, or so many for each column if that is more."""

_MORE_ROWS, _MORE_ROWS_PER_COLUMN = 50, 3
"""Violated rows that are added to a linear program at a time: so many, and so many for each column besides."""


@dataclass(frozen=True)
class Findings:
    """What the search found; which of these there are is the verdict."""

    weights: Dyadic | None
    """Weights that strictly separate the live rows, and are 0 on the tied ones; None if no row is live."""
    witness: dict[int, int] | None
    """A minimal obstruction; None if all rows are separated."""
    cover: Cover | None
    """Positive multipliers for all tied rows, under which they add up to zero; None if there are none."""


class Search:
    """A search on one problem."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem = problem
        self.clock = clock
        self.D = problem.width
        self.lifted = Lifted.of(problem)
        self.rows = ScaledRows(problem)
        self.rng = np.random.default_rng(0)
        self.stage = "looking for a hyperplane"
        self.narrow: Search | None = None  # the same search with fewer columns, where that is enough
        self.tried: dict[str, str] = {}  # what has been done so far, for whoever runs out of time
        self.witness: dict[int, int] | None = None  # an obstruction, as soon as one is found
        self.together: dict[int, int] = {}  # an obstruction that spans all rows known to be tied
        self.tied: list[int] = []  # a basis of it
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

    def obstruction_of(self, label: int, rows: NDArray[np.bool_]) -> dict[int, int]:
        """Return an obstruction among some rows that has one of a label; there must be one."""
        found = Alternative(self.problem, rows, [], label).decide([], [], self.clock)
        assert isinstance(found, Multipliers)
        return found.rows

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
        tied: list[int] = []
        together: dict[int, int] = {}
        if found is None:
            found = self._alternative(live, tied)
        while isinstance(found, Multipliers):
            self.witness = self.witness or found.rows
            together = merged(together, found)
            tied = basis_of(self.problem, [*tied, *found.rows])
            if not together.keys() - found.rows.keys() and len(tied) < self.D:
                self.stage = "looking for all rows that cannot be separated"
                together = self._widened(together)
                tied = basis_of(self.problem, list(together))
            self.together, self.tied = together, tied
            live = ~spans.spanned(self.problem, tied, self.rng)
            if not live.any():
                return Findings(None, self.witness, cover(self.problem, together, tied, ~live))
            self.stage = f"separating the {np.count_nonzero(live):,} rows that no obstruction holds"
            found = self._directed(live, tied) or self._alternative(live, tied)
        if self.witness is None:
            return Findings(self._shortened(found), None, None)
        return Findings(found, self.witness, cover(self.problem, together, tied, ~live))

    def _widened(self, together: dict[int, int]) -> dict[int, int]:
        """Extend an obstruction to all rows that cannot be separated, and keep the direction that separates the others."""
        wide, self._direction = widened(self.rows, together, self.rng, self.clock, self.stage)
        return wide

    @cached_property
    def _obvious(self) -> Multipliers | None:
        """Find an obstruction of one row or two, which takes no linear program: a row of zeros, a contradiction."""
        if not self.problem.intercept:
            zero = zero_rows(self.problem.X)
            if zero.size:
                return Multipliers({int(zero[0]): 1}, {})
        pair = duplicates.contradiction(self.problem)
        return Multipliers({pair[0]: 1, pair[1]: 1}, {}) if pair is not None else None

    def separates(self, weights: Dyadic, live: NDArray[np.bool_] | None = None) -> bool:
        """Whether the weights are exactly positive on all live rows, and 0 on the others."""
        signs = self.lifted.signs(weights)
        return bool(np.all(signs == (1 if live is None else live)))

    # Hyperplanes that cost little.

    def _affordable_passes(self) -> int:
        """Return how many passes of the perceptron take no longer than a linear program would at least."""
        if self.lifted.smallest < _LEAST_SPREAD * self.lifted.rows.radius:
            return 0
        return int(np.clip(20.0 * self.D**3, _MIN_NUMBERS_READ, _MAX_NUMBERS_READ)) // self._cost_of_pass()

    def _cost_of_pass(self) -> int:
        return stored(self.problem.X) + _NUMBERS_PER_VISIT * self.problem.n

    def _learnt(self, passes: int) -> Dyadic | None:
        """Let the perceptron try, for so many passes."""
        if not passes:
            return None
        run = Run(self.problem)
        step = max(1, _NUMBERS_BETWEEN_LOOKS // self._cost_of_pass())
        while run.passes < passes:
            self.clock.check()
            if run.advance(None, min(passes, run.passes + step)) == Stop.CLEAN:
                return run.weights()
            self.tried["perceptron"] = f"{counted(run.passes, 'pass')} of the perceptron"
        return None

    def _regressed(self) -> Dyadic | None:
        """Try least squares; its scores tell the rows that matter to the linear programs."""
        w = self.rows.least_squares()
        if w is None:
            return None
        self.tried["regression"] = "least squares"
        self._guess = self.rows.scores(w)
        weights = self.rows.exact(w)
        return weights if self._guess.min() > 0.0 and self.separates(weights) else None

    def _directed(self, live: NDArray[np.bool_], tied: list[int]) -> Dyadic | None:
        """Try the direction that came with the guess at which rows cannot be separated, in as few bits as do."""
        if self._direction is None:
            return None
        directions = (self.orthogonal(self._direction, tied, bits) for bits in _BITS_OF_DIRECTIONS)
        return next((w for w in directions if w is not None and self.separates(w, live)), None)

    # Gordan's alternative for the live rows.

    def _alternative(self, live: NDArray[np.bool_], tied: list[int]) -> Multipliers | Dyadic:
        """Separate the live rows by weights orthogonal to the tied ones, or obstruct some of them."""
        exact = Alternative(self.problem, live, tied)
        members = self._first(np.flatnonzero(live))
        coordinates = None
        for attempt in range(2):
            program = Program(self.rows, np.array(tied, np.int64), coordinates)
            program.add(members)
            found = self._generate(program, live, tied)
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
        most = max(_FIRST_ROWS, _FIRST_ROWS_PER_COLUMN * self.D)
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

    def _generate(self, program: Program, live: NDArray[np.bool_], tied: list[int]) -> Dyadic | Proposal | None:
        """Solve the program, adding rows that its proposal violates, until it separates all or cannot tell."""
        inside = np.zeros(self.problem.n, bool)
        inside[program.members] = True
        proposal: Proposal | None = None
        while True:
            self.tried["program"] = f"linear programs with up to {len(program.members):,} rows"
            progress.report(lambda: f"{self.stage}: a linear program with {len(program.members):,} rows")
            proposal = program.solve(self.clock)
            if proposal is None or proposal.t <= _LEAST_MARGIN:
                return proposal
            scores = self.rows.scores(proposal.w[0])
            if scores[live].min() > 0.0:
                weights = self._proposed(proposal.w, tied)
                if weights is not None and self.separates(weights, live):
                    return weights
            violated = np.flatnonzero(live & ~inside & (scores < 0.5 * proposal.t))
            if not violated.size:
                return proposal
            most = _MORE_ROWS + _MORE_ROWS_PER_COLUMN * self.D
            if violated.size > most:
                violated = violated[np.argpartition(scores[violated], most)[:most]]
            program.add(violated)
            inside[violated] = True

    def _proposed(self, w: Floats, tied: list[int]) -> Dyadic | None:
        """Return float weights as exact ones, orthogonal to the tied rows."""
        return self.rows.exact(w) if not tied else self.orthogonal(w[0], tied, 40)

    def orthogonal(self, w: Floats, tied: list[int], bits: int) -> Dyadic | None:
        """Round weights to so many bits and correct some of them so that they are orthogonal to the tied rows."""
        largest = float(np.abs(w).max())
        if not largest or not np.isfinite(largest):
            return None
        rounded = Dyadic(np.round(w / largest * 2.0**bits).astype(np.int64).tolist(), 0)
        weights = rounded.times_powers(self.rows.exponents)
        return IntegerRows.of(self.problem.lifted(tied)).orthogonal(weights) if tied else weights

    def _shortened(self, weights: Dyadic) -> Dyadic:
        """Round a strict separator to as few bits as still separate."""
        scaled = weights.times_powers(-self.rows.exponents)
        top = scaled.magnitude()
        scores = self.rows.scores(scaled.times_power(-top).round())
        worst = self.rows.take(np.argpartition(scores, min(len(scores), _ROWS_TRIED_FIRST) - 1)[:_ROWS_TRIED_FIRST])
        for bits in _BITS_OF_SEPARATORS:
            rounded = [_shift(number, scaled.exponent + bits - top) for number in scaled.integers]
            shorter = Dyadic(primitive(rounded), 0).times_powers(self.rows.exponents)
            guess = worst @ (np.array(rounded, dtype=float) / 2.0**bits)
            if guess.min() > -1e-9 and self.separates(shorter):
                return shorter
        return weights


def _shift(number: int, bits: int) -> int:
    """Round ``number * 2**bits`` to the nearest integer."""
    if bits >= 0:
        return number << bits
    return (number + (1 << (-bits - 1))) >> -bits
