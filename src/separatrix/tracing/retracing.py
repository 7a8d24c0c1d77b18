"""A run gone through once more: the lines of its table, each decision made anew and held against the trace."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from .._types import Indices
from ..estimators.kernel_perceptron import KernelPerceptron
from ..estimators.learnt import learnt_by
from ..estimators.voted import VotedPerceptron
from .step import Step
from .visits import Itinerary
from .walking import LinearMachine, Machine, Vector, called, given_row, label_of


@dataclass
class Retracing:
    """A run that is gone through once more."""

    estimator: Any
    machine: Machine
    trace: Indices
    only: bool
    """Whether mistakes only are visited."""

    def lines(self, itinerary: Itinerary, first: int | None) -> list[Step] | None:
        """Return the lines of the table; None if the run is not one on these rows."""
        machine, problem = self.machine, self.machine.problem
        visits = itinerary.mistakes() if self.only else itinerary.all()
        means = _Means(machine) if getattr(self.estimator, "average", False) and itinerary.numbered else None
        votes = isinstance(self.estimator, VotedPerceptron) and itinerary.numbered
        found: list[Step] = []
        made, since = 0, 1
        for number, passed, i in islice(visits, first):
            step = number or 0
            seen = machine.look(i)
            if seen.mistake and (made == self.trace.size or self.trace[made] != i):
                return None
            if self.only and not seen.mistake:
                return None
            update = terms = None
            if seen.mistake:
                update, terms = machine.update(i, seen), machine.terms(i, seen)._asdict()
                if means is not None:
                    means.stay(step)
                machine.learn(i, seen)
                made, since = made + 1, step
            found.append(
                Step(
                    step=number, passed=passed, row=given_row(problem, i), label=label_of(problem, i), scores=seen.scores,
                    decision=called(problem, seen.decision), mistake=seen.mistake, mistakes=made, update=update,
                    weights=machine.weights(), **terms or {}, rival=called(problem, seen.rival),
                    mean=None if means is None else means.at(step),
                    votes=None if not votes else step - since + 1,
                )
            )  # fmt: skip
        if len(found) == (self.trace.size if self.only else itinerary.visits) and not self._ends_rightly(made, found):
            return None
        return found

    def _ends_rightly(self, made: int, found: list[Step]) -> bool:
        """Whether the run has come to what the estimator has learnt."""
        weights, problem = self.machine.weights(), self.machine.problem
        if made != self.trace.size:
            return False
        if isinstance(self.estimator, KernelPerceptron):
            learnt = learnt_by(self.estimator)
            multiples = dict(zip(learnt.support.tolist(), learnt.multiples.fractions(), strict=True))
            return all(multiples.get(given_row(problem, i), 0) == each for i, each in enumerate(weights))
        if isinstance(self.estimator, VotedPerceptron):
            learnt = learnt_by(self.estimator)
            unit = Fraction(1, learnt.erred.denominator)
            return tuple(learnt.weights.times_fraction(unit).fractions()) == weights
        if self.estimator.average and found and not self.only and found[-1].mean is not None:
            return found[-1].mean == tuple(self.estimator.exact_weights().fractions())
        return tuple(self.estimator.last_weights().fractions()) == weights


class _Means:
    """The mean of the weights after each visit."""

    def __init__(self, machine: Machine) -> None:
        assert isinstance(machine, LinearMachine)
        self._machine, self._total, self._until = machine, [0] * len(machine.integers), 0

    def stay(self, step: int) -> None:
        """Count the present weights up to the visit before this one."""
        times = step - 1 - self._until
        self._total = [a + times * b for a, b in zip(self._total, self._machine.integers, strict=True)]
        self._until = step - 1

    def at(self, step: int) -> Vector:
        """Return the mean after a visit."""
        self.stay(step + 1)
        return tuple(Fraction(each, self._machine.unit * step) for each in self._total)
