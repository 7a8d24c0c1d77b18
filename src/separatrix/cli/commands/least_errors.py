"""The command ``least-errors``: a good hyperplane, and how many errors none avoids."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...problem.provenance import Choice, Layout
from .. import inputs
from ..durations import duration_option
from ..options import DataFiles, Intercept, Json, refuse_seed, refuse_style, refuse_unwritable, seconds_of, with_data_options
from ..proofs import Output, ProofFiles, proof_files
from ..streams import Memory, positive_class, proof_of_stream, refuse_in_blocks, stream_of
from ..terminal import collected, progress
from ..wording import all_worded, worded
from .decide import EXIT_CODES

if TYPE_CHECKING:
    from ...errors.disagreement import Disagreement
    from ...streaming.stream import Stream
    from ...tables.data import Data


@with_data_options
def least_errors(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    intercept: Intercept = True,
    weights: Annotated[str | None, typer.Option(help="A column that says what an error on each row counts.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof of the lower bound to this file.")] = None,
    time_limit: Annotated[
        float, duration_option(help="End after so many seconds, with what is proved by then; or inf.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    memory: Memory = None,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 0 if the bounds meet, 5 if not.")] = False,
    as_json: Json = False,
) -> None:
    """Find a hyperplane with few errors, and prove how few any hyperplane can make."""
    from ...errors.least_errors import least_errors_of_problem

    refuse_style(style)
    seconds_allowed = seconds_of(time_limit)
    refuse_seed(seed)
    refuse_unwritable(certificate, "--certificate", {"the data": data})
    refuse_in_blocks(memory, {"--weights": weights}.items())
    output = Output(certificate, layout, style, as_json)
    if memory is not None:
        options = {"fit_intercept": intercept, "time_limit": seconds_allowed, "random_state": seed}
        optimal = _of_stream(data, choice, memory, options, output)
        if exit_code and not optimal:
            raise typer.Exit(EXIT_CODES["unknown"])
        return
    rows, costs = inputs.read_weighed(data, layout, choice, weights)
    proof = proof_files(certificate, data, rows)
    named = inputs.positive_class(rows, choice.positive)
    with progress("searching", "Ctrl-C keeps what is proved so far"):
        problem = rows.problem(positive=named, intercept=intercept)
        started = time.perf_counter()
        found = least_errors_of_problem(problem, costs, seconds_allowed, seed)
        seconds = time.perf_counter() - started
        with collected(notes := all_worded(rows.notes())):
            found.tell_of_rounding()
        if proof is not None:
            proof.save(found.certificate)
    kept = None if rows.kept is None else rows.kept.tolist()
    more = {"kept_rows": kept, "error_places": rows.locate(found.rows_given_up.tolist()) if as_json else None}
    _show(found, rows, output, proof, notes, {**more, "seconds": round(seconds, 6)})
    if exit_code and not found.optimal:
        raise typer.Exit(EXIT_CODES["unknown"])


def _of_stream(data: list[str], choice: Choice, memory: str, options: dict[str, Any], output: Output) -> bool:
    """Do it for rows that are read in blocks; return whether the bounds meet."""
    started = time.perf_counter()
    with progress("reading the table", "Ctrl-C stops it"):
        stream = stream_of(data, output.layout, choice, memory)
        proof = proof_of_stream(output.certificate, data, stream)
        named = positive_class(stream, choice.positive)
    with progress("searching", "Ctrl-C keeps what is proved so far"):
        found = stream.least_errors(positive=named, **options)
        if proof is not None:
            proof.save(found.certificate)
    _show(found, stream, output, proof, all_worded(stream.notes()), {"seconds": round(time.perf_counter() - started, 6)})
    return bool(found.optimal)


_KEYS = (
    "lower", "upper", "optimal", "rows", "features", "classes", "kept_rows", "errors", "error_places", "coef", "intercept",
    "exact_weights", "certificate", "certificate_data", "interrupted", "notes", "seconds",
)  # fmt: skip
"""What ``--json`` prints, in this order; some of it is known only of rows in memory."""


def _show(
    found: Disagreement,
    rows: Data | Stream,
    output: Output,
    proof: ProofFiles | None,
    notes: list[str],
    more: dict[str, Any],
) -> None:
    """Print what was found of rows, in memory or in blocks."""
    from ...errors.explanation import explained

    if output.as_json:
        result = {
            "lower": _exactly(found.lower), "upper": _exactly(found.upper), "optimal": found.optimal,
            "rows": found.problem.n, "features": rows.names, "classes": list(found.problem.classes),
            "errors": found.rows_given_up.tolist(), "coef": found.coef.tolist(), "intercept": found.intercept,
            "exact_weights": found.weights.strings(), **output.of_proof(proof), "interrupted": found.interrupted,
            "notes": notes, **more,
        }  # fmt: skip
        print(json.dumps({key: result[key] for key in _KEYS if key in result}, indent=1))
        return
    output.show(lambda: explained(found, output.style, worded), notes, proof)


def _exactly(number: Any) -> int | str:
    """Return a number as JSON has it: whole, or else as certificates write it."""
    return number if isinstance(number, int) else str(number)
