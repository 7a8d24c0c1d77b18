"""The command ``audit``: the convergence theorem, checked on a run."""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from ...support.counts import counted
from ...support.interruption import one_deeper
from .. import inputs
from ..clusters import Scheduler
from ..kernels import Coef0, Degree, Gamma, KernelName, kernel_given
from ..lessons import order_of
from ..models_in_blocks import one_or_all
from ..options import (
    DataFiles,
    Intercept,
    Json,
    MaxIter,
    Order,
    StarNumbers,
    Tie,
    read_star,
    refuse_style,
    with_data_options,
)
from ..pages import Page
from ..scaling import Scale, read_scale, scaled
from ..streams import Memory, in_blocks, positive_class, refuse_in_blocks, stream_of
from ..terminal import collected, progress
from ..wording import all_worded

if TYPE_CHECKING:
    from ...theorem.generalization import Generalization
    from ...theorem.kernel_ledger import KernelLedger
    from ...theorem.ledger import Ledger
    from ...theorem.one_pass import HingeBound, OnlineBound
    from ...theorem.stars import Star


@with_data_options
def audit(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    order: Order = "cyclic",
    tie: Tie = "update",
    eta0: Annotated[str | None, typer.Option(help="The learning rate, a decimal or a fraction such as 1/3: 1.")] = None,
    max_iter: MaxIter = 1000,
    intercept: Intercept = True,
    scale: Scale = None,
    kernel: KernelName = None,
    degree: Degree = None,
    gamma: Gamma = None,
    coef0: Coef0 = None,
    seed: Annotated[int, typer.Option(help="Seed of the orders shuffle and random.")] = 0,
    delta: Annotated[float, typer.Option(help="The chance that a bound of the error on new rows may fail with.")] = 0.05,
    star: StarNumbers = None,
    memory: Memory = None,
    scheduler: Scheduler = None,
    style: Annotated[str, typer.Option(help="How to write it: text, markdown or latex.")] = "text",
    as_json: Json = False,
) -> None:
    """Run the perceptron and audit its convergence theorem: mistakes, margin, bound, and both inequalities."""
    from sklearn.exceptions import ConvergenceWarning

    from ...estimators.kernel_perceptron import KernelPerceptron
    from ...estimators.perceptron import Perceptron
    from ...support.blocks import STYLES
    from ...theorem.auditing import audit as audited
    from ...theorem.ledger import Ledger

    refuse_style(style)
    parameters = kernel_given(kernel, degree, gamma, coef0)
    if eta0 is not None and parameters is not None:
        raise FileError("--eta0 is not for --kernel: a kernel perceptron counts its mistakes, and has no learning rate.")
    kind = read_scale(scale)
    blocks = in_blocks(memory, scheduler)
    refuse_in_blocks(blocks, {"--kernel": kernel, "--scale": scale}.items())
    X: Any
    if blocks is not None:
        with progress("reading the table", "Ctrl-C stops it"):
            stream = stream_of(data, layout, choice, blocks)
        positive_class(stream, choice.positive)  # of two
        X, classes = one_or_all(stream, choice.positive)
        y, notes, names = None, all_worded(stream.notes()), stream.names
    else:
        given = inputs.read(data, layout, choice)
        y, classes = inputs.two_classes(given, choice.positive)
        rows, about = scaled(given, kind)
        X, notes, names = rows.rows, [*about, *all_worded(given.notes())], rows.names
    with progress("running the perceptron", "Ctrl-C stops it"), collected(notes):
        warnings.simplefilter("ignore", ConvergenceWarning)  # what is known of the run is said below
        options: dict[str, Any] = {
            "order": order_of(order), "tie": tie, "max_iter": max_iter, "fit_intercept": intercept, "random_state": seed,
            "record": True,
        }  # fmt: skip
        if eta0 is not None:
            options["eta0"] = eta0
        perceptron = Perceptron(**options) if parameters is None else KernelPerceptron(**options, **parameters)
        with one_deeper():  # a run that Ctrl-C ended would be audited at length
            perceptron.fit(X, y)
        ledger = audited(perceptron, X, y, star=read_star(star))
        promise = ledger.generalization(delta) if isinstance(ledger, Ledger) and blocks is None else None
    if not ledger.converged and ledger.bound is not None:
        most = f", after {math.floor(ledger.bound[1]):,} mistakes at most" if math.isfinite(ledger.bound[1]) else ""
        notes.append(
            f"The run was stopped after {counted(ledger.passes, 'pass')}, before it came to rest. With more passes "
            f"(--max-iter) it does, as a hyperplane separates the classes, which is proved{most}."
        )
    if as_json:
        size = {"rows": ledger.problem.n, "features": names, "classes": classes, "scale": kind}
        print(json.dumps(size | _findings(ledger, promise) | {"notes": notes}, indent=1))
    else:
        out = Page(style)
        out.print(lambda: ledger.explain(style).rstrip())
        if promise is not None:
            out.print(lambda: f"\n{promise.explain(style).rstrip()}")
        for note in notes:
            out.print(f"\n{STYLES[style]().sentence(f'Note: {note}')}")


def _findings(ledger: Ledger | KernelLedger, promise: Generalization | None) -> dict[str, Any]:
    """Return what the audit found, for JSON."""
    from ...theorem.ledger import Ledger

    arrays = ["k", "alignment", "alignment_line", "squared_length", "squared_length_line", "cosine", "cosine_line",
              "margin_ceiling"]  # fmt: skip
    result: dict[str, Any] = {
        "mistakes": ledger.mistakes, "passes": ledger.passes, "converged": ledger.converged, "radius": ledger.radius,
        "margin": None if ledger.margin is None else [ledger.margin.lo, ledger.margin.hi],
        "bound": None if ledger.bound is None else list(ledger.bound), "holds": ledger.holds,
        "violations": list(ledger.violations),
    }  # fmt: skip
    if isinstance(ledger, Ledger) and promise is not None:
        arrays.append("squared_rows")
        result |= {
            "run_bound": ledger.run_bound, "growth": None if ledger.growth is None else ledger.growth._asdict(),
            "cosine_steps": ledger.cosine_steps, "cosine_falls": ledger.cosine_falls, "zero_scores": ledger.zero_scores,
            "star": None if ledger.star is None else _star(ledger.star),
            "online": None if ledger.online is None else _one_pass(ledger.online),
            "hinge": None if ledger.hinge is None else _one_pass(ledger.hinge),
            "generalization": [{"name": b.name, "value": b.value, "verdict": b.verdict} for b in promise.bounds],
            "estimate": promise.estimate,
        }  # fmt: skip
    return result | {"per_mistake": {name: getattr(ledger, name).tolist() for name in arrays}}


def _star(star: Star) -> dict[str, Any]:
    """Return what the theorem says with a w* that was given."""
    arrays = ("alignment", "alignment_line", "cosine", "cosine_line")
    return {
        "weights": star.weights.strings(), "margin": star.margin, "margin_squared": str(star.margin_squared),
        "row": star.row, "bound": star.bound, "run_bound": star.run_bound,
        "growth": None if star.growth is None else star.growth._asdict(), "cosine_steps": star.cosine_steps,
        "cosine_falls": star.cosine_falls, "per_mistake": {name: getattr(star, name).tolist() for name in arrays},
    }  # fmt: skip


def _one_pass(bound: OnlineBound | HingeBound) -> dict[str, Any]:
    """Return a bound of the mistakes of one pass, beside what happened."""
    return {"mistakes": bound.mistakes, "bound": bound.bound, "vacuous": bound.direction is None}
