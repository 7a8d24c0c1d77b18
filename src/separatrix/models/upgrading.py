"""Documents of the first version of the model format, as the second one has them.

The first knew no decimals: its rows and weights are float64, and integers over powers of two. What it called converged was
that the run had ended; of a mean of weights it did not know if that has every row right.
"""

from __future__ import annotations

from typing import Any

from ..exceptions import ModelError
from .fields import boolean, floats, items, number

FIRST, SECOND = "separatrix-model/1", "separatrix-model/2"


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of the first version as one of the second, as far as it has the form of one."""
    table = document.get("table")
    if isinstance(table, dict) and table.get("format") == "csv":
        new = {"skipped": 0, "comment": None, "decimal": ".", "thousands": None}
        if new.keys() & table.keys():
            raise ModelError(f"table must not have the key {sorted(new.keys() & table.keys())[0]!r}.")
        table = {**table, **new}
    for key in ("numbers", "scaling"):
        if key in document:
            raise ModelError(f"the document must not have the key {key!r}.")
    state = _state(document.get("kind"), document.get("state"))
    return {**document, "format": SECOND, "table": table, "numbers": "float64", "state": state}


def _state(kind: Any, state: Any) -> Any:
    if not isinstance(state, dict):
        return state
    if "copies" in state and isinstance(state["copies"], list):
        return {**state, "copies": [_state(kind, each) for each in state["copies"]]}
    upgrade = {"perceptron": _perceptron, "averaged": _perceptron, "voted": _votes, "kernel": _kernel, "max-margin": _margin}
    return upgrade[kind](state) if kind in upgrade else state


def _perceptron(state: dict[str, Any]) -> dict[str, Any]:
    if "converged" not in state or "halted" in state:
        return state
    halted = boolean(state["converged"], "state.converged")
    return {**state, "halted": halted, "converged": halted and state.get("sum") is None}


def _votes(state: dict[str, Any]) -> dict[str, Any]:
    if "converged" not in state or "halted" in state:
        return state
    rest = {key: value for key, value in state.items() if key != "converged"}
    return {**rest, "halted": state["converged"], "erred": _rows(state.get("erred"))}


def _kernel(state: dict[str, Any]) -> dict[str, Any]:
    rows = state.get("support_rows")
    return {**state, "support_rows": _rows(rows)} if rows is not None else state


def _rows(rows: Any) -> Any:
    """Say of rows that they are float64."""
    if not isinstance(rows, dict) or rows.keys() & {"numbers", "denominator"}:
        return rows
    return {"numbers": "float64", "denominator": "1", **rows}


def _margin(state: dict[str, Any]) -> dict[str, Any]:
    if "coef" not in state or "intercept" not in state or "weights" in state:
        return state
    coef = floats(items(state["coef"], "state.coef"), "state.coef").tolist()
    intercept = state["intercept"]
    last = [] if intercept is None else [float(number(intercept, "state.intercept"))]
    weights = ["/".join(map(str, value.as_integer_ratio())) for value in (*coef, *last)]
    rest = {key: value for key, value in state.items() if key not in ("coef", "intercept")}
    return {"weights": weights, **rest}
