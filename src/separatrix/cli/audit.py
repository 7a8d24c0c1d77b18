"""The command ``audit``: the convergence theorem, checked on a run."""

from __future__ import annotations

import json
import math
import warnings
from typing import Annotated

import typer

from ..problem.provenance import Choice, Layout
from ..support.console import console
from . import inputs
from .options import DataFiles, Intercept, Json, MaxIter, Order, Tie, refuse_style, with_data_options
from .terminal import collected, progress
from .wording import all_worded


@with_data_options
def audit(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    order: Order = "cyclic",
    tie: Tie = "update",
    max_iter: MaxIter = 1000,
    intercept: Intercept = True,
    seed: Annotated[int, typer.Option(help="Seed of the orders shuffle and random.")] = 0,
    delta: Annotated[float, typer.Option(help="The chance that a bound of the error on new rows may fail with.")] = 0.05,
    style: Annotated[str, typer.Option(help="How to write it: text, markdown or latex.")] = "text",
    as_json: Json = False,
) -> None:
    """Run the perceptron and audit its convergence theorem: mistakes, margin, bound, and both inequalities."""
    from sklearn.exceptions import ConvergenceWarning

    from ..estimators.perceptron import Perceptron
    from ..support.blocks import STYLES
    from ..theorem.auditing import audit as audited

    refuse_style(style)
    rows = inputs.read(data, layout, choice)
    y, classes = inputs.two_classes(rows, choice.positive)
    notes = all_worded(rows.notes())
    with progress("running the perceptron", "Ctrl-C stops it"), collected(notes):
        warnings.simplefilter("ignore", ConvergenceWarning)  # what is known of the run is said below
        perceptron = Perceptron(
            order=order, tie=tie, max_iter=max_iter, fit_intercept=intercept, random_state=seed, record=True
        ).fit(rows.rows, y)  # fmt: skip
        ledger = audited(perceptron, rows.rows, y)
        promise = ledger.generalization(delta)
    if not ledger.converged and ledger.bound is not None:
        most = f", after {math.floor(ledger.bound[1]):,} mistakes at most" if math.isfinite(ledger.bound[1]) else ""
        notes.append(
            f"The run was stopped after {ledger.passes:,} passes, before it came to rest. With more passes (--max-iter) it "
            f"does, as a hyperplane separates the classes, which is proved{most}."
        )
    if as_json:
        margin = None if ledger.margin is None else [ledger.margin.lo, ledger.margin.hi]
        arrays = ("k", "alignment", "alignment_line", "squared_length", "squared_length_line", "cosine", "cosine_line",
                  "margin_ceiling")  # fmt: skip
        result = {
            "rows": rows.shape[0], "features": rows.names, "classes": classes, "mistakes": ledger.mistakes,
            "passes": ledger.passes, "converged": ledger.converged, "radius": ledger.radius, "margin": margin,
            "bound": None if ledger.bound is None else list(ledger.bound), "holds": ledger.holds,
            "violations": list(ledger.violations), "per_mistake": {name: getattr(ledger, name).tolist() for name in arrays},
            "generalization": [{"name": b.name, "value": b.value, "verdict": b.verdict} for b in promise.bounds],
            "estimate": promise.estimate, "notes": notes,
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out = console(soft_wrap=True)
        out.print(ledger.explain(style).rstrip())
        out.print(f"\n{promise.explain(style).rstrip()}")
        for note in notes:
            out.print(f"\n{STYLES[style]().sentence(f'Note: {note}')}")
