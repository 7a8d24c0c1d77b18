"""The command ``decide``: whether a hyperplane separates the classes, and the proof."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..support.console import console
from ..support.escaping import shown
from . import options
from .options import (
    MAX_PLACES,
    Choosing,
    DataFiles,
    Intercept,
    Json,
    Reading,
    places_in_words,
    proof_written,
    refuse_style,
    with_data_options,
)
from .options import refuse_unwritable as _refuse_unwritable
from .terminal import progress


@with_data_options
def decide(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    intercept: Intercept = True,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Give up after so many seconds.")] = None,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 0 if separable, 3 if quasi-separable, 4 if overlapping, 5 if unknown."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Decide whether a hyperplane separates the classes, and prove it."""
    from ..exceptions import FileError
    from ..separation.decision import decide_problem
    from ..separation.separating_columns import SECONDS_FOR_COLUMNS
    from ..support.blocks import STYLES
    from ..support.clock import Clock
    from ..support.progress import report

    refuse_style(style)
    if time_limit is not None and not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    _refuse_unwritable(certificate, "--certificate", {"the data": data})
    rows = options.read(data, reading, choosing)
    named = options.positive_class(rows, choosing.positive)
    with progress("deciding", "Ctrl-C stops it"):
        clock, started = Clock(time_limit), time.perf_counter()
        verdict = decide_problem(rows.problem(positive=named, intercept=intercept), clock)
        seconds = time.perf_counter() - started
        written = certificate if verdict.certificate is not None else None
        if written is not None and verdict.certificate is not None:
            verdict.certificate.save(written)
        report(lambda: f"{verdict.status}; looking for few columns that suffice")
        separated, found = verdict.separated_rows, verdict.columns_within(min(SECONDS_FOR_COLUMNS, clock.left()))
        columns = None if found is None else [rows.names[each] if isinstance(each, int) else each for each in found]
    witness = None if verdict.witness is None else verdict.witness.tolist()
    if as_json:
        result = {
            "status": str(verdict.status), "separable": verdict.separable, "message": verdict.message,
            "rows": verdict.problem.n, "features": rows.names, "classes": list(verdict.problem.classes),
            "kept_rows": None if rows.kept is None else rows.kept.tolist(),
            "witness": witness, "witness_places": None if witness is None else rows.locate(witness),
            "separated_rows": None if separated is None else separated.tolist(),
            "separating_columns": columns, "coef": None if verdict.coef is None else verdict.coef.tolist(),
            "intercept": verdict.intercept, "certificate": None if written is None else str(written),
            "notes": rows.notes(), "seconds": round(seconds, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out, sentence = console(soft_wrap=True), STYLES[style]().sentence
        out.print(verdict.explain(format=style), end="")
        if witness is not None and len(witness) <= MAX_PLACES:
            out.print(f"\n{sentence(places_in_words(rows.locate(witness)))}")
        if columns and len(columns) < len(rows.names):
            out.print(f"\n{sentence(_suffices(columns))}")
        for note in rows.notes():
            out.print(f"\n{sentence(f'Note: {note}')}")
        if written is not None:
            out.print(f"\n{sentence(proof_written(written, data, reading))}")
        elif certificate is not None:
            out.print("\nNo proof was written.")
    if exit_code:
        raise typer.Exit(EXIT_CODES[verdict.status])


EXIT_CODES = {"separable": 0, "quasi-separable": 3, "overlapping": 4, "unknown": 5}


def _suffices(columns: Any) -> str:
    if len(columns) == 1:
        return f"The column {shown(columns[0])} alone separates the same rows."
    some = ", ".join(map(shown, columns[:10])) + (f", … ({len(columns)} in all)" if len(columns) > 10 else "")
    return f"The columns {some} alone separate the same rows; none of them can be left out, but other sets may do as well."
