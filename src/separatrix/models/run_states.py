"""What was learnt by a run, as JSON: the perceptron, its votes, the pocket, an expansion in rows.

A kind of value is written and read by two functions side by side. The one that reads is given the classes and the number of
features, as fields of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Indices
from ..estimators.kernel_perceptron import LearntExpansion
from ..estimators.learnt import Learnt
from ..estimators.mixture import LearntMixture
from ..estimators.perceptron import LearntPerceptron
from ..estimators.pocket import LearntPocket
from ..estimators.voted import LearntVotes
from ..exact.dyadic import Dyadic, Quotient
from ..exceptions import ModelError
from ..perceptron.gram import Kernel
from ..perceptron.kernels import KERNELS
from ..perceptron.pocket import Improvement
from ..problem.exact_rows import ExactRows
from .fields import (
    Section,
    ascending,
    ascending_classes,
    boolean,
    choice,
    dyadic,
    each,
    exact,
    indices,
    integer,
    items,
    number,
    quantity,
    rational,
    read_rows,
    refuse,
    write_quantity,
    write_rows,
)


def vector(state: Section, key: str, d: int) -> Dyadic | Quotient:
    """Read the exact weights of a hyperplane: one for each feature, and a last one for the intercept, if there is one."""
    found = state.get(key, items)
    return state.get(key, exact, d if len(found) == d else d + 1)


def _require_floats(learnt: Learnt, key: str) -> None:
    """Refuse exact numbers that cannot be shown as floats."""
    try:
        _ = learnt.attributes
    except OverflowError:
        raise ModelError(f"state.{key} must be in the range of float64, and some are too large.") from None


# ---- The perceptron, of two classes or more, averaged or not.


def _rows_of(vectors: Dyadic | Quotient, count: int) -> list[list[str]]:
    texts = vectors.strings()
    size = len(texts) // count
    return [texts[k * size : (k + 1) * size] for k in range(count)]


def vectors_for(known: dict[str, Any]) -> Callable[[Any, str], Dyadic | Quotient]:
    """Return what reads vectors of weights: one for two classes, one for each of more, which must ascend."""
    ascending_classes(known["classes"])
    count, d = len(known["classes"]) if len(known["classes"]) > 2 else 1, known["features"]

    def vectors(value: Any, where: str) -> Dyadic | Quotient:
        found = items(value, where, count)
        size = d if len(items(found[0], f"{where}[0]")) == d else d + 1
        return Quotient.joined([exact(vector, f"{where}[{k}]", size) for k, vector in enumerate(found)])

    return vectors


def write_perceptron(learnt: LearntPerceptron) -> dict[str, Any]:
    """Write what a perceptron has learnt, but for the trace."""
    return {
        "weights": _rows_of(learnt.last(), learnt.vectors),
        "sum": None if learnt.total is None else _rows_of(learnt.total, learnt.vectors),
        "visits": int(learnt.visits),
        "passes": int(learnt.passes),
        "mistakes": int(learnt.mistakes),
        "halted": bool(learnt.halted),
        "converged": bool(learnt.converged),
        "rows": int(learnt.rows),
    }


def read_perceptron(document: Any, known: dict[str, Any]) -> LearntPerceptron:
    """Read what a perceptron has learnt."""
    state = Section(document, "state", "weights", "sum", "visits", "passes", "mistakes", "halted", "converged", "rows")
    vectors = vectors_for(known)
    weights, total = state.get("weights", vectors), state.maybe("sum", vectors)
    if total is not None and len(total) != len(weights):
        raise ModelError("state.sum must have as many entries as state.weights.")
    counts = {key: state.get(key, integer) for key in ("visits", "passes", "mistakes", "rows")}
    flags = {key: state.get(key, boolean) for key in ("halted", "converged")}
    if flags["converged"] and not flags["halted"]:
        raise ModelError("state.converged must be false, as state.halted is.")
    unit = Fraction(1, weights.divisor)
    learnt = LearntPerceptron(**known, **counts, **flags, weights=weights.numerators, unit=unit, total=total)
    _require_floats(learnt, "weights")
    return learnt


# ---- The perceptron by parameter mixing.


def write_mixture(learnt: LearntMixture) -> dict[str, Any]:
    """Write what was learnt by mixing."""
    return {
        "weights": _rows_of(learnt.exact(), learnt.vectors),
        "shards": list(learnt.shards),
        "mistakes": learnt.mistakes.tolist(),
        "squared": list(map(str, learnt.squared)),
        "converged": bool(learnt.converged),
    }


def read_mixture(document: Any, known: dict[str, Any]) -> LearntMixture:
    """Read what was learnt by mixing."""
    state = Section(document, "state", "weights", "shards", "mistakes", "squared", "converged")
    weights = state.get("weights", vectors_for(known))
    shards = tuple(state.get("shards", lambda value, where: each(integer, value, where, least=1)))
    if not shards:
        refuse("state.shards", "a list of the rows of each shard", [])
    mistakes = state.get("mistakes", lambda value, where: each(_of_shards, value, where, shards=len(shards)))
    if not mistakes or any(np.any(epoch > shards) for epoch in mistakes):
        raise ModelError("state.mistakes must have entries, and no shard more mistakes in an epoch than it has rows.")
    squared = tuple(state.get("squared", lambda value, where: each(rational, value, where, len(mistakes))))
    if min(squared) < 0:
        refuse("state.squared", "no numbers below 0", list(map(str, squared)))
    converged = state.get("converged", boolean)
    if converged and mistakes[-1].any():
        raise ModelError("state.converged must be false, as there are mistakes in the last epoch.")
    learnt = LearntMixture(
        **known, weights=weights.numerators.times(len(shards)), denominator=weights.divisor, shards=shards,
        mistakes=np.array(mistakes), squared=squared, converged=converged,
    )  # fmt: skip
    _require_floats(learnt, "weights")
    return learnt


def _of_shards(value: Any, where: str, shards: int) -> Indices:
    return indices(value, where, shards)


# ---- The voted perceptron: rows erred on, and when.


def write_votes(learnt: LearntVotes) -> dict[str, Any]:
    """Write what a voted perceptron has learnt."""
    return {
        "erred": write_rows(learnt.erred),
        "signs": [int(sign) for sign in learnt.signs],
        "places": learnt.places.tolist(),
        "times": learnt.times.tolist(),
        "mistakes": learnt.trace.tolist(),
        "weights": learnt.weights.strings(),
        "visits": int(learnt.visits),
        "passes": int(learnt.passes),
        "halted": bool(learnt.halted),
        "rows": int(learnt.rows),
    }


def read_votes(document: Any, known: dict[str, Any]) -> LearntVotes:
    """Read what a voted perceptron has learnt."""
    state = Section(
        document, "state", "erred", "signs", "places", "times", "mistakes", "weights", "visits", "passes", "halted", "rows",
    )  # fmt: skip
    erred = state.get("erred", read_rows, known["features"])
    n = int(erred.shape[0])
    signs = np.array(state.get("signs", lambda value, where: each(_sign, value, where, n)), dtype=np.float64)
    places = state.get("places", indices, below=n)
    visits, passes, rows = (state.get(key, integer) for key in ("visits", "passes", "rows"))
    times = ascending(state.get("times", indices, places.size, below=visits + 1), "state.times")
    if times.size and not times[0]:
        raise ModelError("state.times must begin at 1 or later.")
    trace = state.get("mistakes", indices, places.size, below=rows)
    halted, weights = state.get("halted", boolean), vector(state, "weights", known["features"])
    if weights.divisor != 1:
        raise ModelError(
            "state.weights must be integers over powers of two: they are counted in the numerators of the rows."
        )
    return LearntVotes(
        **known, erred=erred, signs=signs, places=places, times=times, trace=trace, weights=weights.numerators,
        visits=visits, passes=passes, halted=halted, rows=rows,
    )  # fmt: skip


def _sign(value: Any, where: str) -> int:
    return value if value in (-1, 1) and type(value) is int else refuse(where, "1 or -1", value)


# ---- Pocket.


def write_pocket(learnt: LearntPocket) -> dict[str, Any]:
    """Write what is in a pocket, but for the certificate."""
    bound = learnt.lower_bound
    return {
        "weights": learnt.weights.strings(),
        "updates": int(learnt.updates),
        "history": [[int(updates), int(errors), float(weighted)] for updates, errors, weighted in learnt.history],
        "lower_bound": None if bound is None else str(bound),
    }


def read_pocket(document: Any, known: dict[str, Any]) -> LearntPocket:
    """Read what is in a pocket."""
    state = Section(document, "state", "weights", "updates", "history", "lower_bound")
    weights, updates = vector(state, "weights", known["features"]), state.get("updates", integer)
    history = tuple(state.get("history", lambda value, where: each(_improvement, value, where)))
    moments = [moment for moment, _, _ in history]
    if not moments or moments != sorted(moments) or moments[-1] > updates:
        raise ModelError("state.history must have entries, in the order of their updates, of which there are state.updates.")
    bound = state.maybe("lower_bound", rational)
    lower = int(bound) if bound is not None and bound.denominator == 1 else bound
    learnt = LearntPocket(**known, weights=weights, updates=updates, history=history, lower_bound=lower)
    _require_floats(learnt, "weights")
    return learnt


def _improvement(value: Any, where: str) -> Improvement:
    updates, errors, weighted = items(value, where, 3)
    cost = float(number(weighted, f"{where}[2]"))
    if cost < 0.0:
        refuse(f"{where}[2]", "a number of at least 0", weighted)
    return Improvement(integer(updates, f"{where}[0]"), integer(errors, f"{where}[1]"), cost)


# ---- The kernel perceptron: rows erred on, with exact multiples.


def write_expansion(learnt: LearntExpansion) -> dict[str, Any]:
    """Write what a kernel perceptron has learnt, but for the trace."""
    kernel = learnt.kernel
    if kernel.function is not None:
        raise TypeError("A model file holds no functions, and the kernel that was learnt with is one. Pickle the model.")
    return {
        **write_support(kernel, learnt.support, learnt.support_rows, learnt.multiples),
        "gamma": float(learnt.gamma),
        "passes": int(learnt.passes),
        "mistakes": int(learnt.mistakes),
        "converged": bool(learnt.converged),
        "radius_squared": write_quantity(learnt.radius_squared),
        "margin": None if learnt.margin is None else write_quantity(learnt.margin),
        "bound": None if learnt.bound is None else write_quantity(learnt.bound),
    }  # fmt: skip


SUPPORT = ("kernel", "support", "support_rows", "multiples")
"""What weights in feature space are written as."""


def write_support(kernel: Kernel, support: Indices, rows: ExactRows | None, multiples: Dyadic) -> dict[str, Any]:
    """Write weights in the feature space of a kernel: multiples of rows."""
    return {
        "kernel": {
            "name": kernel.name, "gamma": kernel.gamma, "coef0": kernel.coef0, "degree": kernel.degree,
            "intercept": kernel.intercept,
        },
        "support": support.tolist(),
        "support_rows": None if rows is None else write_rows(rows),
        "multiples": multiples.strings(),
    }  # fmt: skip


def read_support(state: Section, d: int) -> dict[str, Any]:
    """Read weights in the feature space of a kernel, as fields of what was learnt."""
    kernel = state.get("kernel", _kernel)
    listed = kernel.name == "precomputed"
    support = ascending(state.get("support", indices, below=d) if listed else state.get("support", indices), "state.support")
    multiples = state.get("multiples", dyadic, support.size)
    rows = None
    if not listed:
        rows = state.get("support_rows", read_rows, d)
        if rows.shape[0] != support.size:
            raise ModelError(
                f"state.support_rows must have {support.size} rows, as many as state.support, not {rows.shape[0]}."
            )
    elif state.document["support_rows"] is not None:
        refuse("state.support_rows", "null, as the kernel is precomputed", state.document["support_rows"])
    return {"kernel": kernel, "support": support, "support_rows": rows, "multiples": multiples}


def read_expansion(document: Any, known: dict[str, Any]) -> LearntExpansion:
    """Read what a kernel perceptron has learnt."""
    state = Section(
        document, "state", *SUPPORT, "gamma", "passes", "mistakes", "converged", "radius_squared", "margin", "bound",
    )  # fmt: skip
    gamma = float(state.get("gamma", number, above=0.0))
    learnt = LearntExpansion(
        **known, **read_support(state, known["features"]), gamma=gamma,
        passes=state.get("passes", integer), mistakes=state.get("mistakes", integer),
        converged=state.get("converged", boolean), radius_squared=state.get("radius_squared", quantity),
        margin=state.maybe("margin", quantity), bound=state.maybe("bound", quantity),
    )  # fmt: skip
    _require_floats(learnt, "multiples")
    return learnt


def _kernel(value: Any, where: str) -> Kernel:
    section = Section(value, where, "name", "gamma", "coef0", "degree", "intercept")
    return Kernel(
        section.get("name", choice, *KERNELS), float(section.get("gamma", number, above=0.0)),
        float(section.get("coef0", number)), section.get("degree", integer, least=1, below=1001),
        section.get("intercept", boolean),
    )  # fmt: skip
