"""What each kind of classifier has learnt, as JSON: a section of the model file for each of them.

A kind is written and read by two functions side by side. The one that reads is given a classifier with its parameters and
classes, and the number of features.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..estimators.bayes import BayesClassifier
from ..estimators.kernel_perceptron import KernelPerceptron
from ..estimators.least_squares import LeastSquaresClassifier
from ..estimators.linear_program import LinearProgramClassifier
from ..estimators.max_margin import MaxMargin
from ..estimators.perceptron import Perceptron
from ..estimators.pocket import Pocket
from ..estimators.voted import VotedPerceptron
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest
from ..exceptions import ModelError
from ..perceptron.expansion import Expansion
from ..perceptron.gram import Kernel, Points
from ..perceptron.kernels import KERNELS
from ..perceptron.pocket import Improvement
from .fields import (
    Section,
    ascending,
    boolean,
    choice,
    each,
    exact,
    floats,
    indices,
    integer,
    items,
    number,
    quantities,
    quantity,
    rational,
    read_rows,
    refuse,
    table,
    write_quantity,
    write_rows,
)


@dataclass(frozen=True)
class Kind:
    """A kind of classifier, and how what it has learnt is written and read."""

    estimator: type
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, Any, int], None]
    any_number: bool = False
    """Whether it learns more than two classes."""


def _vector(state: Section, key: str, d: int) -> Dyadic:
    """Read the exact weights of a hyperplane: one for each feature, and a last one for the intercept, if there is one."""
    found = state.get(key, items)
    return state.get(key, exact, d if len(found) == d else d + 1)


def _published(publish: Callable[..., None], *arguments: Any) -> None:
    """Publish exact weights, rounded."""
    try:
        publish(*arguments)
    except OverflowError:
        raise ModelError("state.weights must be in the range of float64, and some are too large.") from None


# ---- The perceptron, of two classes or more, averaged or not.


def _rows_of(vectors: Dyadic, count: int) -> list[list[str]]:
    texts = vectors.strings()
    size = len(texts) // count
    return [texts[k * size : (k + 1) * size] for k in range(count)]


def _write_perceptron(perceptron: Perceptron) -> dict[str, Any]:
    count, total = perceptron._vectors, perceptron._total
    return {
        "weights": _rows_of(perceptron.last_weights(), count),
        "sum": None if total is None else _rows_of(total, count),
        "visits": int(perceptron._visits),
        "passes": int(perceptron.n_iter_),
        "mistakes": int(perceptron.n_mistakes_),
        "converged": bool(perceptron.converged_),
        "rows": int(perceptron._seen),
    }


def _read_perceptron(perceptron: Perceptron, document: Any, d: int) -> None:
    state = Section(document, "state", "weights", "sum", "visits", "passes", "mistakes", "converged", "rows")
    classes = perceptron.classes_.tolist()
    count = len(classes) if len(classes) > 2 else 1
    if count > 1 and sorted(classes) != classes:
        refuse("classes", "in ascending order if there are more than two", classes)

    def vectors(value: Any, where: str) -> Dyadic:
        found = items(value, where, count)
        size = d if len(items(found[0], f"{where}[0]")) == d else d + 1
        return Dyadic.joined([exact(vector, f"{where}[{k}]", size) for k, vector in enumerate(found)])

    weights, total = state.get("weights", vectors), state.maybe("sum", vectors)
    if total is not None and len(total) != len(weights):
        raise ModelError("state.sum must have as many entries as state.weights.")
    _published(perceptron._publish, weights, 1.0, d, total, state.get("visits", integer), count)
    perceptron.n_iter_, perceptron.n_mistakes_ = state.get("passes", integer), state.get("mistakes", integer)
    perceptron.converged_, perceptron._seen = state.get("converged", boolean), state.get("rows", integer)


# ---- The voted perceptron: rows erred on, and when.


def _write_voted(voted: VotedPerceptron) -> dict[str, Any]:
    assert voted._weights is not None
    return {
        "erred": write_rows(voted._rows),
        "signs": [int(sign) for sign in voted._labels],
        "places": voted._places.tolist(),
        "times": voted._times.tolist(),
        "mistakes": voted.mistakes_.tolist(),
        "weights": voted._weights.strings(),
        "visits": int(voted.n_visits_),
        "passes": int(voted.n_iter_),
        "converged": bool(voted.converged_),
        "rows": int(voted._seen),
    }


def _read_voted(voted: VotedPerceptron, document: Any, d: int) -> None:
    state = Section(
        document,
        "state",
        "erred",
        "signs",
        "places",
        "times",
        "mistakes",
        "weights",
        "visits",
        "passes",
        "converged",
        "rows",
    )
    voted._rows = state.get("erred", read_rows, d)
    n = int(voted._rows.shape[0])
    voted._labels = np.array(state.get("signs", lambda value, where: each(_sign, value, where, n)), dtype=np.float64)
    voted._places = state.get("places", indices, below=n)
    count = voted._places.size
    voted.n_visits_, voted.n_iter_ = state.get("visits", integer), state.get("passes", integer)
    voted._seen, voted.n_mistakes_ = state.get("rows", integer), count
    voted._times = ascending(state.get("times", indices, count, below=voted.n_visits_ + 1), "state.times")
    if count and not voted._times[0]:
        raise ModelError("state.times must begin at 1 or later.")
    voted.mistakes_ = state.get("mistakes", indices, count, below=voted._seen)
    voted.converged_ = state.get("converged", boolean)
    voted._weights = _vector(state, "weights", d)
    voted._intercept = len(voted._weights) > d
    voted.survivals_ = np.diff(voted._times, prepend=1, append=voted.n_visits_ + 1)


def _sign(value: Any, where: str) -> int:
    return value if value in (-1, 1) and type(value) is int else refuse(where, "1 or -1", value)


# ---- Pocket.


def _write_pocket(pocket: Pocket) -> dict[str, Any]:
    bound = pocket.lower_bound_
    return {
        "weights": pocket.exact_weights().strings(),
        "updates": int(pocket.n_updates_),
        "history": [[int(updates), int(errors), float(weighted)] for updates, errors, weighted in pocket.history_],
        "lower_bound": None if bound is None else str(bound),
    }


def _read_pocket(pocket: Pocket, document: Any, d: int) -> None:
    state = Section(document, "state", "weights", "updates", "history", "lower_bound")
    _published(pocket._publish, _vector(state, "weights", d), 1.0, d)
    pocket.n_updates_ = state.get("updates", integer)
    pocket.history_ = state.get("history", lambda value, where: each(_improvement, value, where))
    moments = [moment for moment, _, _ in pocket.history_]
    if not moments or moments != sorted(moments) or moments[-1] > pocket.n_updates_:
        raise ModelError("state.history must have entries, in the order of their updates, of which there are state.updates.")
    _, pocket.n_errors_, pocket.weighted_error_ = pocket.history_[-1]
    bound = state.maybe("lower_bound", rational)
    pocket.lower_bound_ = int(bound) if bound is not None and bound.denominator == 1 else bound
    pocket.certificate_ = None


def _improvement(value: Any, where: str) -> Improvement:
    updates, errors, weighted = items(value, where, 3)
    cost = float(number(weighted, f"{where}[2]"))
    if cost < 0.0:
        refuse(f"{where}[2]", "a number of at least 0", weighted)
    return Improvement(integer(updates, f"{where}[0]"), integer(errors, f"{where}[1]"), cost)


# ---- Maximum margin.


def _write_margin(classifier: Any) -> dict[str, Any]:
    return {
        "coef": classifier.coef_[0].tolist(),
        "intercept": float(classifier.intercept_[0]) if classifier._has_intercept else None,
        "margin_bounds": [write_quantity(bound) for bound in classifier.margin_bounds_],
        "support": classifier.support_.tolist(),
        "dual_coef": [write_quantity(multiple) for multiple in classifier.dual_coef_[0]],
    }


def _read_margin(classifier: Any, document: Any, d: int) -> None:
    state = Section(document, "state", "coef", "intercept", "margin_bounds", "support", "dual_coef")
    classifier.coef_ = state.get("coef", floats, d)[None]
    intercept = state.maybe("intercept", number)
    classifier._has_intercept = intercept is not None
    classifier.intercept_ = np.array([intercept or 0.0], dtype=np.float64)
    low, high = state.get("margin_bounds", quantities, 2).tolist()
    if not 0.0 <= low <= high:
        refuse("state.margin_bounds", "two numbers in order", [low, high])
    classifier.margin_, classifier.margin_bounds_ = low, (low, high)
    classifier.support_ = ascending(state.get("support", indices), "state.support")
    classifier.dual_coef_ = state.get("dual_coef", quantities, classifier.support_.size)[None]


# ---- The kernel perceptron: rows erred on, with exact multiples.


def _write_kernel(classifier: KernelPerceptron) -> dict[str, Any]:
    kernel = classifier._kernel
    if kernel.function is not None:
        raise TypeError("A model file holds no functions, and the kernel that was learnt with is one. Pickle the model.")
    listed = kernel.name == "precomputed"
    return {
        "kernel": {
            "name": kernel.name, "gamma": kernel.gamma, "coef0": kernel.coef0, "degree": kernel.degree,
            "intercept": kernel.intercept,
        },
        "gamma": float(classifier.gamma_),
        "support": classifier.support_.tolist(),
        "support_rows": None if listed else write_rows(classifier.support_vectors_),
        "multiples": classifier._expansion.multiples.strings(),
        "passes": int(classifier.n_iter_),
        "mistakes": int(classifier.n_mistakes_),
        "converged": bool(classifier.converged_),
        "radius_squared": write_quantity(classifier.radius_squared_),
        "margin": None if classifier.margin_ is None else write_quantity(classifier.margin_),
        "bound": None if classifier.bound_ is None else write_quantity(classifier.bound_),
    }  # fmt: skip


def _read_kernel(classifier: KernelPerceptron, document: Any, d: int) -> None:
    state = Section(
        document, "state", "kernel", "gamma", "support", "support_rows", "multiples", "passes", "mistakes", "converged",
        "radius_squared", "margin", "bound",
    )  # fmt: skip
    kernel = classifier._kernel = state.get("kernel", _kernel)
    listed = kernel.name == "precomputed"
    classifier.gamma_ = float(state.get("gamma", number, above=0.0))
    support = ascending(state.get("support", indices, below=d) if listed else state.get("support", indices), "state.support")
    multiples = state.get("multiples", exact, support.size)
    classifier.support_, classifier._support = support, None
    if listed:
        if state.document["support_rows"] is not None:
            refuse("state.support_rows", "null, as the kernel is precomputed", state.document["support_rows"])
        classifier._expansion = Expansion(support, multiples)
    else:
        rows = classifier.support_vectors_ = state.get("support_rows", read_rows, d)
        if rows.shape[0] != support.size:
            raise ModelError(
                f"state.support_rows must have {support.size} rows, as many as state.support, not {rows.shape[0]}."
            )
        classifier._support = Points.of(rows) if support.size else None
        classifier._expansion = Expansion(np.arange(support.size), multiples)
    try:
        classifier.dual_coef_ = multiples.round()[None]
    except OverflowError:
        raise ModelError("state.multiples must be in the range of float64, and some are too large.") from None
    total = sum(multiples.fractions(), Fraction(0)) if kernel.intercept else Fraction(0)
    classifier.intercept_ = np.array([nearest(total)])
    classifier.n_iter_, classifier.n_mistakes_ = state.get("passes", integer), state.get("mistakes", integer)
    classifier.converged_ = state.get("converged", boolean)
    classifier.radius_squared_ = state.get("radius_squared", quantity)
    classifier.margin_, classifier.bound_ = state.maybe("margin", quantity), state.maybe("bound", quantity)


def _kernel(value: Any, where: str) -> Kernel:
    section = Section(value, where, "name", "gamma", "coef0", "degree", "intercept")
    return Kernel(
        section.get("name", choice, *KERNELS), float(section.get("gamma", number, above=0.0)),
        float(section.get("coef0", number)), section.get("degree", integer, least=1, below=1001),
        section.get("intercept", boolean),
    )  # fmt: skip


# ---- Least squares and the linear program: weights in floating point, of each class against the rest.


def _write_linear(classifier: LeastSquaresClassifier | LinearProgramClassifier) -> dict[str, Any]:
    return {"coef": classifier.coef_.tolist(), "intercept": classifier.intercept_.tolist()}


def _read_linear(classifier: Any, document: Any, d: int, *more: str) -> Section:
    state = Section(document, "state", "coef", "intercept", *more)
    count = classifier.classes_.size if classifier.classes_.size > 2 else 1
    classifier.coef_ = state.get("coef", table, count, d)
    classifier.intercept_ = state.get("intercept", floats, count)
    return state


def _read_least_squares(classifier: LeastSquaresClassifier, document: Any, d: int) -> None:
    _read_linear(classifier, document, d)


def _write_program(classifier: LinearProgramClassifier) -> dict[str, Any]:
    return {
        **_write_linear(classifier),
        "violation": [write_quantity(violation) for violation in np.atleast_1d(classifier.violation_)],
        "separated": np.atleast_1d(classifier.separated_).tolist(),
    }


def _read_program(classifier: LinearProgramClassifier, document: Any, d: int) -> None:
    state = _read_linear(classifier, document, d, "violation", "separated")
    count = classifier.coef_.shape[0]
    violation = state.get("violation", quantities, count)
    separated = state.get("separated", lambda value, where: each(boolean, value, where, count))
    if np.any(violation < 0.0):
        refuse("state.violation", "no numbers below 0", violation.tolist())
    classifier.violation_ = violation if count > 1 else float(violation[0])
    classifier.separated_ = np.array(separated) if count > 1 else separated[0]


# ---- The Bayes classifier, which is its parameters.


def _write_bayes(_: BayesClassifier) -> dict[str, Any]:
    return {}


def _read_bayes(classifier: BayesClassifier, document: Any, d: int | None) -> None:
    Section(document, "state")
    try:
        mixture = classifier._mixture()
        if d is not None:
            classifier._require_dimension(mixture, d)
    except ValueError as error:
        raise ModelError(str(error)) from None
    known = classifier._labels(len(mixture.densities)).tolist()
    if classifier.classes_.size != len(known) or (classifier.classes is not None and classifier.classes_.tolist() != known):
        refuse("classes", "one for each of the distributions, and those of parameters.classes", classifier.classes_.tolist())
    if any(math.isnan(value) for value in mixture.log_priors):
        refuse("parameters.priors", "probabilities", classifier.priors)
    if d is None:  # never fitted, which it need not be
        del classifier.classes_


# ---- More than two classes by copies: the same for each of them.


def _by_copies(kind: Kind) -> Kind:
    """Return a kind of estimator that learns more than two classes by copies of itself."""

    def write(classifier: Any) -> dict[str, Any]:
        if classifier._is_plural():
            return {"copies": [kind.write(copy) for copy in classifier.estimators_]}
        return kind.write(classifier)

    def read(classifier: Any, document: Any, d: int) -> None:
        classes = classifier.classes_
        if classes.size == 2:
            kind.read(classifier, document, d)
            return
        if sorted(classes.tolist()) != classes.tolist():
            refuse("classes", "in ascending order if there are more than two", classes.tolist())
        states = Section(document, "state", "copies").get("copies", items, classes.size)
        classifier._make_copies(classes)
        classifier.n_features_in_ = d
        for copy, state in zip(classifier.estimators_, states, strict=True):
            copy.classes_, copy.n_features_in_ = np.array([False, True]), d
            kind.read(copy, state, d)
        classifier._put_together()

    return Kind(kind.estimator, write, read, any_number=True)


KINDS: dict[str, Kind] = {
    "perceptron": Kind(Perceptron, _write_perceptron, _read_perceptron, any_number=True),
    "voted": _by_copies(Kind(VotedPerceptron, _write_voted, _read_voted)),
    "pocket": _by_copies(Kind(Pocket, _write_pocket, _read_pocket)),
    "max-margin": Kind(MaxMargin, _write_margin, _read_margin),
    "kernel": _by_copies(Kind(KernelPerceptron, _write_kernel, _read_kernel)),
    "least-squares": Kind(LeastSquaresClassifier, _write_linear, _read_least_squares, any_number=True),
    "linear-program": Kind(LinearProgramClassifier, _write_program, _read_program, any_number=True),
    "bayes": Kind(BayesClassifier, _write_bayes, _read_bayes, any_number=True),
}
