"""The run of the pocket algorithm: errors of the weights in hand, and of those in the pocket, after each update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...estimators.learnt import learnt_by
from ...estimators.pocket import Pocket
from ...estimators.shared.inputs import with_class_weight
from ...perceptron.pocket import PocketRun, best_start
from ...problem.labels import read_labels
from ...problem.lifted import Lifted
from ...problem.problem import Problem
from ...problem.ties import mistakes
from ...support.clock import Clock
from ...support.counts import counted
from ...support.escaping import shown
from ...tables.data import rows_and_labels
from ...tracing.step_table import StepTable
from ...tracing.visits import is_seed
from ..scene import Chart, Curve
from ..thinning import MOST_STEPS, chosen_steps
from .curves import curve

_AXES = ("updates", "rows misclassified")
_IN_HAND, _IN_POCKET = "weights in hand, w_t", "weights in the pocket"

CHEAP = 20_000_000
"""Numbers that repeating a run takes up to which it is done unasked: updates, times rows, times columns."""


def pocket_chart(pocket: Pocket, X: Any = None, y: Any = None, *, most: float = np.inf) -> Chart:
    """Return errors over the updates of a run. Those of the weights in hand are counted by repeating it.

    Where it cannot be repeated, or that would take more numbers than ``most``, the pocket alone is shown, and the note says
    why.
    """
    if hasattr(pocket, "estimators_"):
        names = [f"pocket of {shown(label)} against the rest" for label in pocket.classes_.tolist()]
        return Chart(_AXES, tuple(_of_history(each, name) for each, name in zip(pocket.estimators_, names, strict=True)))
    kept = _of_history(pocket, _IN_POCKET)
    weighted = any(each.weighted_error != each.errors for each in pocket.history_)
    known = pocket.lower_bound_ is not None and not weighted  # with weights the bound is none of numbers of rows
    levels = (("no hyperplane makes fewer", float(pocket.lower_bound_)),) if known else ()
    problem, reason = None, "Errors of the weights in hand are left out: there are no rows to count them on."
    if X is not None:
        problem, reason = _problem(pocket, *rows_and_labels(X, y)), _obstacle(pocket)
        if not reason and problem.n * problem.width * pocket.n_updates_ > most:
            reason = "Errors of the weights in hand are left out, as counting them takes long; sx.plot.pocket does."
    run = None if reason or problem is None else _Repeated.of(pocket, problem)
    if run is None:
        other = "Errors of the weights in hand are left out: on these rows the run would be another."
        return Chart(_AXES, (kept,), levels, reason or other)
    hand = curve(_IN_HAND, np.array(run.updates), np.array(run.errors), steps=True)
    note = None
    if len(run.updates) < pocket.n_updates_ + 1:
        note = f"Errors in hand are shown after {len(run.updates):,} of {counted(pocket.n_updates_, 'update')}."
    return Chart(_AXES, (hand, kept), levels, note)


def _of_history(pocket: Pocket, name: str) -> Curve:
    """Return the errors of the pocket, which it has kept, to the end of the run."""
    history = pocket.history_
    at = [*(each.updates for each in history), pocket.n_updates_]
    return curve(name, np.array(at), np.array([*(each.errors for each in history), history[-1].errors]), steps=True)


def _obstacle(pocket: Pocket) -> str:
    if is_seed(pocket.random_state):
        return ""
    return (
        f"Errors of the weights in hand are left out: rows were drawn with random_state={pocket.random_state!r} and cannot "
        "be drawn again. Fit with a whole number as random_state."
    )


def _problem(pocket: Pocket, X: Any, y: Any) -> Problem:
    labels = read_labels(y)
    weights = with_class_weight(pocket.class_weight, labels, None, classes=pocket.classes_)
    return Problem.of(X, labels, classes=pocket.classes_, intercept=bool(pocket.fit_intercept), sample_weight=weights)


@dataclass
class _Repeated:
    """A run made once more, with the errors of its weights counted in between, by exact signs."""

    run: PocketRun
    updates: list[int]
    errors: list[int]

    @classmethod
    def of(cls, pocket: Pocket, problem: Problem) -> _Repeated | None:
        """Repeat a run; None if it comes to something else."""
        first = learnt_by(pocket).start
        if first is None and pocket.init == "best":
            first = best_start(problem, pocket.tie).weights
        run = PocketRun(problem, tie=pocket.tie, start=first, average=bool(pocket.average))
        rng, lifted = check_random_state(pocket.random_state), Lifted.of(problem)
        total, most = int(pocket.n_updates_), int(pocket.max_updates)
        wanted = {*chosen_steps(total + 1, MOST_STEPS // 2).tolist(), *(each.updates for each in pocket.history_)}
        stops = sorted(wanted, reverse=True)
        found = cls(run, [], [])
        found._count(lifted)
        for again in range(1 + int(pocket.restarts)):
            if again and (not run.errors or run.updates >= total):
                break
            if again:
                run.restart()
            end = min(run.updates + most, total)
            while run.errors and run.updates < end:
                while stops[-1] <= run.updates:
                    stops.pop()
                run.climb(min(stops[-1], end) - run.updates, rng, Clock())
                found._count(lifted)
        same = [*run.history] == [*pocket.history_] and run.updates == total
        return found if same else None

    def _count(self, lifted: Lifted) -> None:
        run = self.run
        self.updates.append(run.updates)
        self.errors.append(int(mistakes(lifted.signs(run.weights()), run.problem.y, run.tie).sum()))


def pocket_chart_of_steps(table: StepTable) -> Chart | None:
    """Return the same of a run that is known step by step; None if it is not that of a pocket."""
    if table.kind != "pocket" or table.start_errors is None:
        return None
    errors = [table.start_errors, *(each.errors or 0 for each in table)]
    at = np.arange(len(errors))
    note = None if table.whole else f"The table has the first {counted(len(table), 'update')} of {table.mistakes:,}."
    return Chart(_AXES, (curve(_IN_HAND, at, np.array(errors), steps=True),), note=note)
