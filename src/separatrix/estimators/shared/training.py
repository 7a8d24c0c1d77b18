"""What all that learn by a run have in common: one way through ``fit``, the order of visits, and ``partial_fit``."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import validate_data

from ...exact.dyadic import Dyadic, Quotient
from ...perceptron.orders import Visitor
from ...problem.labels import class_array, read_labels
from ...problem.multiclass import Classes
from ...problem.problem import Problem
from ...problem.ties import TIES
from ...support import interruption
from ...support.clock import STOPS, Clock, read_time_limit
from ...support.counts import counted
from ...support.remedies import Message, Question, Remedy
from ..learnt import Learner, Learnt, features_of
from .copies import Copies
from .inputs import classes_used, initial_guess, require_two_classes, visiting_order, with_class_weight
from .parameters import Parameters
from .raw_rows import fitting

ORDERS = ("cyclic", "shuffle", "random")

_ROWS_THAT_TELL = 30
"""Rows, at least, that are said to be sorted by class."""

_SORTED = (
    "The rows are sorted by class, and visited in this order a whole class comes before the next: shuffle them (",
    Remedy("order", "shuffle"),
    "). ",
)


@dataclass(frozen=True)
class Training:
    """A run that is ready to begin.

    Attributes
    ----------
    run : object
        The run.
    learn : callable
        Goes through with it; returns whether it ended by itself.
    learnt : callable
        Returns what the run has learnt by now, given whether it ended by itself, and the fields of `Learnt`.
    """

    run: Any
    learn: Callable[[], bool]
    learnt: Callable[..., Learnt]


class Trained(Learner, Parameters):
    """An estimator that learns by a run."""

    fit_intercept: bool

    _called = "The run"
    """What a warning calls it."""

    _starts_well = False
    """Whether the first weights are worth keeping."""

    _way_on: tuple[str | Remedy | Question, ...] = (
        Question("decide"),
        " says whether a hyperplane separates the classes, ",
        Question("least_errors"),
        " with how few errors if none does.",
    )
    """What a warning advises if the run was stopped from outside."""

    def _train(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Training | None:
        """Learn; return the run when it is over, or None where copies have learnt each class against the rest.

        Whatever ends the run, what was learnt by then is adopted, and nothing before. If that was the time or Ctrl-C, a
        warning tells of it, and None is returned as well.
        """
        clock = self._clock()
        labels = read_labels(y)
        weights = with_class_weight(getattr(self, "class_weight", None), labels, sample_weight)
        classes = classes_used(labels, weights)
        if len(classes) > 2 and isinstance(self, Copies):
            self._fit_copies(X, labels, classes, weights, coef_init=coef_init, intercept_init=intercept_init)
            return None
        problem = self._problem(X, labels, weights, classes)
        require_two_classes(self, problem.classes)
        training = self._training(problem, initial_guess(problem, coef_init, intercept_init))
        known = {"classes": class_array(problem.classes), **features_of(X)}
        training.run.clock = clock
        ended, stopped = False, None
        try:
            ended = training.learn()
        except STOPS as reason:
            interrupted = interruption.is_kept(reason)
            if interrupted and not (training.run.mistakes or self._starts_well):
                raise  # nothing is learnt yet
            stopped = "Ctrl-C" if interrupted else "its time limit"
        finally:
            self._adopt(training.learnt(ended, **known))
        if stopped is None:
            return training
        self._tell_of_stop(stopped)
        return None

    def _clock(self) -> Clock | None:
        """Return the time that a run may take, from now on; None if it has no limit, or minds it itself."""
        return None

    def _tell_of_stop(self, by: str) -> None:
        """Warn that the run was stopped from outside."""
        told = Message(f"{self._called} was stopped by {by}{self._so_far()}. What it had learnt is kept. ", *self._way_on)
        warnings.warn(told, ConvergenceWarning, stacklevel=5)

    def _so_far(self) -> str:
        """Say how far the run came."""
        return ""

    def _problem(self, X: Any, labels: NDArray[Any], weights: ArrayLike | None, classes: list[Any]) -> Problem:
        """Return the problem that rows of these classes are; of two, unless the run takes more."""
        return Problem.of(X, labels, intercept=bool(self.fit_intercept), sample_weight=weights)

    @abstractmethod
    def _training(self, problem: Problem, start: Dyadic | Quotient | None) -> Training:
        """Return the run that learns from a problem, from weights to start with if some were given."""


class Visiting(Trained):
    """An estimator that visits rows, pass by pass, with parameters ``order``, ``tie`` and ``max_iter``."""

    order: Any
    tie: str
    max_iter: int
    random_state: Any
    time_limit: float | None
    classes_: NDArray[Any]
    halted_: Any
    n_mistakes_: Any
    n_iter_: Any

    _flags: tuple[str, ...] = ("fit_intercept",)
    """Parameters that are True or False."""

    _called = "The perceptron"

    _advice: tuple[str | Remedy | Question, ...] = ()
    """What a warning advises if no pass was without a mistake."""

    def _check_parameters(self) -> None:
        if isinstance(self.order, str):
            self._require_choice("order", ORDERS, " or a permutation of the rows")
        self._require_choice("tie", TIES)
        self._require_integer("max_iter", 1)
        self._require_time_limit()
        self._require_switches(*self._flags)

    def _visits(self, problem: Problem) -> Callable[[Visitor], bool]:
        """Return what has a run visit the rows in their order, pass by pass."""
        order, rng = visiting_order(self.order, problem), check_random_state(self.random_state)
        return lambda run: run.learn(order, self.max_iter, rng)

    def _clock(self) -> Clock | None:
        limit = read_time_limit(self.time_limit)
        return None if limit is None else Clock(limit)

    def _tell_if_erring(self, problem: Problem, advice: Callable[[], tuple[Any, ...]] | None = None) -> None:
        """Warn if the run did not end by itself, with some advice: one that is found then, or the usual one.

        If the rows are sorted by class, that comes first.
        """
        if not self.halted_ and not _is_ignored(ConvergenceWarning):
            told = Message(
                f"{self._called} made {self._counts()} and has not come to a pass without one. ",
                *(_SORTED if isinstance(self.order, str) and self.order == "cyclic" and is_sorted_by_class(problem) else ()),
                *fitting(self._advice if advice is None else advice(), problem),
            )
            warnings.warn(told, ConvergenceWarning, stacklevel=4)

    def _counts(self) -> str:
        return f"{counted(self.n_mistakes_, 'mistake')} in {counted(self.n_iter_, 'pass')}"

    def _so_far(self) -> str:
        return f" after {self._counts()}"

    def _online(
        self, X: Any, classes: ArrayLike | None, make: Callable[[NDArray[Any]], Problem]
    ) -> tuple[Problem, dict[str, Any]]:
        """Return the problem of a call of ``partial_fit``, made when the classes are known, and the fields of `Learnt`."""
        values = self._classes_so_far(classes)
        if values.size < 2:
            raise ValueError(f"classes holds {values.size} class, expected two or more.")
        problem = make(values)
        if self._learnt is None:
            return problem, {"classes": values, **features_of(X)}
        validate_data(self, X, skip_check_array=True, reset=False)
        names = getattr(self, "feature_names_in_", None)
        known = {"classes": values, "features": problem.d, "names": names}
        return problem, {**known, "against_rest": self._learnt.against_rest}

    def _classes_so_far(self, classes: ArrayLike | None) -> NDArray[Any]:
        """Return the classes, which the first call of ``partial_fit`` is given; later ones may repeat them."""
        if self._learnt is None:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            first: NDArray[Any] = unique_labels(classes)
            return first
        if classes is not None and not np.array_equal(unique_labels(self.classes_), unique_labels(classes)):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}")
        return self.classes_


def is_sorted_by_class(problem: Problem) -> bool:
    """Whether rows come class by class, and are enough for that to be no accident: the order of visits then matters much."""
    labels = problem.codes if isinstance(problem, Classes) else problem.y
    blocks = 1 + int(np.count_nonzero(labels[1:] != labels[:-1]))
    # Of two classes one may be several that are taken together, and then come before and after the other.
    return problem.n >= _ROWS_THAT_TELL and 2 <= blocks <= max(3, len(problem.classes))


def _is_ignored(category: type[Warning]) -> bool:
    """Whether warnings of a category are ignored wherever they come from, so that there is no need to put one together."""
    for action, message, kind, module, line in warnings.filters:
        if issubclass(category, kind):
            return action == "ignore" and message is None and module is None and not line
    return False
