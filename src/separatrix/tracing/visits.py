"""Which rows a run visited, and when, as its trace tells.

Weights do not change between two mistakes. So the next mistake is in the same pass if its row comes later in that pass, and
otherwise in the next one; and only the last pass may be without a mistake.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._types import Indices
from ..estimators.learnt import learnt_by
from ..estimators.shared.inputs import visiting_order
from ..exceptions import RoundingWarning
from ..perceptron.orders import shuffled
from ..problem.problem import Problem
from ..theorem.replay import places_of

Visit = tuple[int | None, int | None, int]
"""The number of a visit, from 1, its pass, from 1, and its row; None where that is not known."""

Orders = Callable[[], Iterator[NDArray[np.int64]]]
"""Gives the rows of each pass in their order."""


def other_rows(excuse: str) -> str:
    """Say that a run is not one on these rows."""
    return (
        f"The run cannot be shown on these rows. {excuse} Give the rows, sample_weight, coef_init and intercept_init that "
        "it was fitted with, and leave its parameters as they were."
    )


def is_seed(state: Any) -> bool:
    """Whether what is drawn with a random state can be drawn again."""
    return isinstance(state, numbers.Integral)


def draws_mistakes(estimator: Any) -> bool:
    """Whether a run is in random order, where nothing but updates is visited."""
    return isinstance(estimator.order, str) and estimator.order == "random"


@dataclass(frozen=True)
class Itinerary:
    """The visits of a run, if its mistakes are these."""

    n: int
    trace: Indices
    passes: int
    orders: Orders | None
    """None: nothing but mistakes is visited, or seen."""
    numbered: bool = True
    """Whether it is known when the mistakes were made."""

    @property
    def visits(self) -> int | None:
        """How many there are; None if that is not known."""
        if not self.numbered:
            return None
        return int(self.trace.size) if self.orders is None else self.passes * self.n

    def all(self) -> Iterator[Visit]:
        """Give all visits."""
        assert self.orders is not None
        rows = chain.from_iterable(order.tolist() for order in islice(self.orders(), self.passes))
        return ((t, (t - 1) // self.n + 1, i) for t, i in enumerate(rows, 1))

    def mistakes(self) -> Iterator[Visit]:
        """Give the visits that were mistakes."""
        if not self.numbered:
            return ((None, None, i) for i in self.trace.tolist())
        if self.orders is None:
            return ((k, (k - 1) // self.n + 1, i) for k, i in enumerate(self.trace.tolist(), 1))
        return mistaken(self.orders(), self.n, self.trace)


def mistaken(passes: Iterator[NDArray[np.int64]], n: int, trace: Indices) -> Iterator[Visit]:
    """Give the visits that were mistakes, from the order of each pass."""
    passed, last, position = 0, n, np.empty(n, np.int64)
    for i in trace.tolist():
        if not passed or position[i] <= last:
            position[next(passes)] = np.arange(n)
            passed += 1
        last = int(position[i])
        yield (passed - 1) * n + last + 1, passed, i


def itineraries(estimator: Any, problem: Problem, trace: Indices) -> list[Itinerary]:
    """Return the ways in which the mistakes may have been made: pass after pass, or with each row given once, online."""
    n, found = problem.n, []
    if draws_mistakes(estimator):
        found.append(Itinerary(n, trace, int(estimator.n_iter_), None))
    else:
        orders = _orders(estimator, problem)
        if orders is None:
            found.append(Itinerary(n, trace, int(estimator.n_iter_), None, numbered=False))
        else:
            last = max((passed or 0 for _, passed, _ in mistaken(orders(), n, trace)), default=0)
            if _ended_as_fit_does(estimator) and last + bool(estimator.halted_) == estimator.n_iter_:
                found.append(Itinerary(n, trace, int(estimator.n_iter_), orders))
    if not estimator.halted_ and np.all(np.diff(trace) > 0):
        found.append(Itinerary(n, trace, 1, lambda: repeat(np.arange(n))))
    if not found:
        raise ValueError(other_rows("Its mistakes are not in the order of their rows, or it was stopped half-way."))
    return found


def _ended_as_fit_does(estimator: Any) -> bool:
    """Whether a run came to its end or to the last of its passes; one of `partial_fit` does so by chance only."""
    return bool(estimator.halted_ or estimator.n_iter_ == estimator.max_iter)


def _orders(estimator: Any, problem: Problem) -> Orders | None:
    order = visiting_order(estimator.order, problem)
    if not isinstance(order, str):
        return lambda: repeat(np.asarray(order, np.int64))
    if order == "cyclic":
        return lambda: repeat(np.arange(problem.n))
    if not is_seed(estimator.random_state):
        return None

    def drawn() -> Iterator[NDArray[np.int64]]:
        rng, block_rows = check_random_state(estimator.random_state), getattr(estimator, "block_rows", None)
        return (shuffled(problem.n, rng, block_rows) for _ in repeat(None))

    return drawn


def trace_of_run(estimator: Any, problem: Problem, X: Any, y: Any, given: dict[str, Any]) -> Indices:
    """Return the trace of a run, recorded or found by repeating it, in rows as the problem counts them."""
    recorded = getattr(estimator, "mistakes_", None)
    if recorded is None:
        recorded = _repeated(estimator, X, y, given).mistakes_
    trace = places_of(problem, np.asarray(recorded))
    if trace is None or trace.size != estimator.n_mistakes_:
        raise ValueError(other_rows("Its trace does not fit them."))
    return trace


def _repeated(estimator: Any, X: Any, y: Any, given: dict[str, Any]) -> Any:
    """Fit again, and record."""
    if isinstance(estimator.order, str) and estimator.order != "cyclic" and not is_seed(estimator.random_state):
        raise ValueError(
            f"The order {estimator.order!r} was drawn with random_state={estimator.random_state!r} and cannot be repeated: "
            "fit with a whole number as random_state, or with record=True."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RoundingWarning)
        twin = clone(estimator).set_params(record=True, max_iter=int(estimator.n_iter_)).fit(X, y, **given)
        fitted = _ended_as_fit_does(estimator) and _agree(twin, estimator)
        if not fitted and not estimator.halted_ and hasattr(twin, "partial_fit"):
            once = {name: value for name, value in given.items() if name == "sample_weight"}
            twin = clone(twin).partial_fit(X, y, classes=estimator.classes_, **once)
    if not _agree(twin, estimator):
        raise ValueError(other_rows("Repeated on them, it comes to other weights."))
    return twin


def _agree(twin: Any, estimator: Any) -> bool:
    if twin.n_mistakes_ != estimator.n_mistakes_:
        return False
    if hasattr(twin, "last_weights"):
        return bool(twin.last_weights() == estimator.last_weights())
    same_rows = np.array_equal(twin.support_, estimator.support_)
    return bool(same_rows and learnt_by(twin).multiples == learnt_by(estimator).multiples)
