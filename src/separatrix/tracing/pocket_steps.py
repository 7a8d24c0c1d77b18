"""The run of the pocket algorithm, update by update: its draws are repeated, and its errors counted by exact signs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from sklearn.utils import check_random_state

from .._types import Indices
from ..estimators.learnt import learnt_by
from ..estimators.pocket import Pocket
from ..exact.dyadic import Dyadic
from ..perceptron.orders import MIN_DRAWS_PER_PASS
from ..perceptron.pocket import MAX_DRAWS_PER_PASS, UPDATES_PER_MEAN, best_start
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.ties import TIES, mistakes
from .step import Step
from .visits import is_seed, other_rows
from .walking import LinearMachine, Vector, called, given_row, label_of


@dataclass
class _PocketWalk:
    """The pocket, and what it is filled with."""

    problem: Problem
    tie: int
    lifted: Lifted
    weights: list[Fraction] | None
    pocket: Vector = ()
    wrong: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    """The rows that the weights in hand misclassify."""
    fewest: int = 0
    """How many the pocket misclassifies."""
    least: Fraction | None = None
    """Their weight together."""
    load: Fraction = Fraction(0)
    history: list[tuple[int, int]] = field(default_factory=list)

    def consider(self, weights: Vector, integers: list[int], updates: int) -> bool:
        """Count the errors of weights; put them in the pocket if they err less, and say whether they do."""
        self.wrong = np.flatnonzero(mistakes(self.lifted.signs(Dyadic(integers, 0)), self.problem.y, self.tie))
        self.load = Fraction(self.wrong.size)
        if self.weights is not None:
            self.load = sum((self.weights[i] for i in self.wrong.tolist()), Fraction(0))
        if self.least is not None and self.load >= self.least:
            return False
        self.pocket, self.least, self.fewest = weights, self.load, int(self.wrong.size)
        self.history.append((updates, self.fewest))
        return True


def _draws(n: int, rng: np.random.RandomState) -> Iterator[int]:
    size = min(max(n, MIN_DRAWS_PER_PASS), MAX_DRAWS_PER_PASS)
    while True:
        yield from rng.randint(n, size=size, dtype=np.int64).tolist()


def walk_pocket(
    pocket: Pocket, problem: Problem, start: Vector | None, star: Vector | None, first: int | None
) -> tuple[list[Step], Vector, int]:
    """Return the updates of a run, its first weights and their errors."""
    if not is_seed(pocket.random_state):
        raise ValueError(
            f"The rows were drawn with random_state={pocket.random_state!r} and cannot be drawn again: fit with a whole "
            "number as random_state."
        )
    tie, rng, updates = TIES[pocket.tie], check_random_state(pocket.random_state), int(pocket.n_updates_)
    if start is None and pocket.init == "best":
        found = learnt_by(pocket).start
        found = best_start(problem, pocket.tie).weights if found is None else found
        start = tuple(found.times_fraction(Fraction(1, problem.rows.denominator)).fractions())
    elif start is None:
        start = (Fraction(0),) * problem.width
    weights = None if problem.weights is None else [Fraction(float(each)) for each in problem.weights]
    walk = _PocketWalk(problem, tie, Lifted.of(problem), weights)
    lines: list[Step] = []
    ones = [Fraction(1)] * problem.n
    start_errors = 0
    for run in range(1 + int(pocket.restarts)):
        machine = LinearMachine(problem, tie, ones, start, star)
        walk.consider(machine.weights(), machine.integers, len(lines))
        start_errors, wrong = int(walk.wrong.size), set(walk.wrong.tolist())
        draws, done, total = _draws(problem.n, rng), 0, [0] * problem.width
        while walk.fewest and done < pocket.max_updates and len(lines) < updates:
            i = next(draws)
            if i not in wrong:
                continue
            seen = machine.look(i)
            update, terms = machine.update(i, seen), machine.terms(i, seen)
            machine.learn(i, seen)
            done += 1
            now = machine.weights()
            kept = walk.consider(now, machine.integers, len(lines) + 1)
            errors, load, wrong = int(walk.wrong.size), walk.load, set(walk.wrong.tolist())
            total = list(map(int.__add__, total, machine.integers))
            if pocket.average and walk.fewest and done % UPDATES_PER_MEAN == 0:
                kept |= walk.consider(tuple(Fraction(each, machine.unit) for each in total), total, len(lines) + 1)
                if (done // UPDATES_PER_MEAN).bit_count() == 1:
                    total = [0] * problem.width
            lines.append(
                Step(
                    step=len(lines) + 1, passed=run + 1, row=given_row(problem, i),
                    label=label_of(problem, i), scores=seen.scores, mistake=True, mistakes=len(lines) + 1, update=update,
                    decision=called(problem, seen.decision), weights=now,
                    **terms._asdict(), errors=errors, load=None if weights is None else load, kept=kept,
                )
            )  # fmt: skip
            if first is not None and len(lines) == first:
                return lines, start, start_errors
    _check(pocket, walk, len(lines))
    return lines, start, start_errors


def _check(pocket: Pocket, walk: _PocketWalk, updates: int) -> None:
    found = [(each.updates, each.errors) for each in pocket.history_]
    exact = tuple(learnt_by(pocket).exact().fractions())
    if updates != pocket.n_updates_ or found != walk.history or exact != walk.pocket:
        raise ValueError(other_rows("Repeated on them, it comes to other weights."))
