"""The trace of a run, recorded or found again by running once more."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._types import Indices
from ..estimators.learnt import learnt_by
from ..estimators.perceptron import Perceptron
from ..estimators.shared.inputs import visiting_order
from ..exact.dyadic import Dyadic, Quotient
from ..perceptron.orders import shuffled
from ..perceptron.run import Run
from ..perceptron.trace import Prefix, UpdateRule
from ..problem.batches import AnyProblem
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.ties import mistakes

# Where the trace comes from.


class Runs(Protocol):
    """What knows the rows of a run."""

    def places(self, recorded: NDArray[Any]) -> Indices | None:
        """Return the rows of a trace as the problem counts them; None if there are no such rows."""

    def add_up(self, trace: Indices, exact: Dyadic | Quotient) -> bool:
        """Whether the rows of a trace add up to these weights."""

    def again(self, exact: Dyadic | Quotient) -> tuple[Indices | None, str]:
        """Repeat the run; return its trace if it comes to the same weights, else None and what to say."""


@dataclass(frozen=True)
class RunInMemory:
    """A run on rows that are in memory."""

    perceptron: Perceptron
    twin: Perceptron
    run: Run
    steps: UpdateRule
    unit: Fraction

    def places(self, recorded: NDArray[Any]) -> Indices | None:
        """Return the rows of a trace as the problem counts them."""
        return places_of(self.run.problem, recorded)

    def add_up(self, trace: Indices, exact: Dyadic | Quotient) -> bool:
        """Whether the rows of a trace add up to these weights."""
        return Prefix(self.run.problem, trace, self.steps).at(trace.size).times_fraction(self.unit) == exact

    def again(self, exact: Dyadic | Quotient) -> tuple[Indices | None, str]:
        """Repeat the run."""
        return _replayed(self.perceptron, self.twin, self.run, self.unit, exact)


def trace_of(perceptron: Perceptron, rows: Runs) -> tuple[Indices, list[str]]:
    """Return the trace of a run on these rows, and what is wrong with the one that was recorded."""
    exact, recorded = perceptron.last_weights(), getattr(perceptron, "mistakes_", None)
    if recorded is None:
        trace, excuse = rows.again(exact)
        if trace is None:
            raise ValueError(refusal(excuse))
        return trace, []
    places = rows.places(np.asarray(recorded))
    complaint = f"The recorded trace has {np.size(recorded):,} mistakes, but the run made {perceptron.n_mistakes_:,}."
    if places is None:
        complaint = "The recorded trace names rows that there are not."
    elif places.size == perceptron.n_mistakes_:
        if rows.add_up(places, exact):
            return places, []
        complaint = "The rows of the recorded trace do not add up to the weights of the run."
    trace, excuse = rows.again(exact)
    if trace is None:
        raise ValueError(refusal(f"{complaint} {excuse}"))
    return trace if places is None else places, [complaint]


def check_end(perceptron: Perceptron, lifted: Lifted, tie: int) -> None:
    """Refuse rows that a run which came to an end has wrong: it was not theirs."""
    if perceptron.halted_:
        refuse_wrong(lifted.problem, first_wrong(lifted, 0, learnt_by(perceptron).weights, tie))


def first_wrong(lifted: Lifted, start: int, weights: Dyadic, tie: int) -> int | None:
    """Return the number of the first row that weights have wrong."""
    wrong = np.flatnonzero(mistakes(lifted.signs(weights), lifted.problem.y, tie))
    return start + int(wrong[0]) if wrong.size else None


def refuse_wrong(problem: AnyProblem, row: int | None) -> None:
    """Refuse rows of which a run that came to an end has one wrong."""
    if row is not None:
        name = RowNames(problem).name(row)
        raise ValueError(refusal(f"It came to an end, but has {name} wrong: they are not the rows it was fitted on."))


def refusal(excuse: str) -> str:
    """Say that a run is not one on these rows."""
    return (
        f"The perceptron's run cannot be audited on these rows. {excuse} Give the rows, sample_weight, coef_init and "
        "intercept_init that it was fitted with, and leave its parameters as they were."
    )


def places_of(problem: Problem, recorded: NDArray[Any]) -> Indices | None:
    """Return the rows of a trace as the problem counts them; None if there are no such rows."""
    if recorded.ndim != 1 or recorded.dtype.kind not in "iu":
        return None
    if recorded.size and not (int(recorded.min()) >= 0 and int(recorded.max()) < problem.given):
        return None
    trace = np.ascontiguousarray(recorded, np.int64)
    if problem.kept is None:
        return trace
    places = np.full(problem.given, -1)
    places[problem.kept] = np.arange(problem.kept.size)
    trace = places[trace]
    return None if np.any(trace < 0) else trace


def _replayed(
    perceptron: Perceptron, twin: Perceptron, run: Run, unit: Fraction, exact: Dyadic | Quotient
) -> tuple[Indices | None, str]:
    """Repeat the run; return its trace if it comes to the same weights, else None and what to say."""
    random = isinstance(twin.order, str) and twin.order != "cyclic"
    excuse = "Repeated on them, it comes to other weights: they are not the rows it was fitted on."

    def agrees(run: Run) -> bool:
        return run.mistakes == perceptron.n_mistakes_ and run.weights().times_fraction(unit) == exact

    if random and not isinstance(twin.random_state, numbers.Integral):
        excuse = (
            f"Its order, {twin.order!r}, was drawn with random_state={twin.random_state!r} and cannot be repeated: fit with "
            "record=True, or with a whole number as random_state."
        )
    else:
        again = Run(run.problem, tie=twin.tie, start=run.start, steps=run.row_steps, factor=run.factor, record=True)
        order, rng = visiting_order(twin.order, run.problem), check_random_state(twin.random_state)
        again.learn(order, perceptron.n_iter_, rng, twin.block_rows)
        if agrees(again):
            return again.trace, ""
    if not perceptron.halted_:  # it may have learnt online, each row once
        run.advance(None, 1)
        if agrees(run):
            return run.trace, ""
    return None, excuse


def first_order(perceptron: Perceptron, problem: Problem) -> Indices | None:
    """Return the order of the first pass; None: as the rows stand."""
    if not isinstance(perceptron.order, str):
        return np.ascontiguousarray(visiting_order(perceptron.order, problem), np.int64)
    if perceptron.order == "shuffle" and isinstance(perceptron.random_state, numbers.Integral):
        return shuffled(problem.n, check_random_state(perceptron.random_state), perceptron.block_rows)
    return None
