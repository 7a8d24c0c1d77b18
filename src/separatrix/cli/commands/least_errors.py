"""The command ``least-errors``: a good hyperplane, and how many errors none avoids."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ...problem.provenance import Choice, Layout
from .. import inputs
from ..clusters import Scheduler
from ..durations import duration_option
from ..options import DataFiles, Intercept, Json, refuse_seed, refuse_style, refuse_unwritable, seconds_of, with_data_options
from ..pages import Page
from ..proofs import proof_files
from ..streams import InBlocks, Memory, in_blocks, positive_class, proof_of_stream, refuse_in_blocks, stream_of
from ..terminal import collected, progress
from ..wording import all_worded, worded
from .decide import EXIT_CODES


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
    scheduler: Scheduler = None,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 0 if the bounds meet, 5 if not.")] = False,
    as_json: Json = False,
) -> None:
    """Find a hyperplane with few errors, and prove how few any hyperplane can make."""
    from ...errors.explanation import explained
    from ...errors.least_errors import least_errors_of_problem
    from ...support.blocks import STYLES

    refuse_style(style)
    seconds_allowed = seconds_of(time_limit)
    refuse_seed(seed)
    refuse_unwritable(certificate, "--certificate", {"the data": data})
    blocks = in_blocks(memory, scheduler)
    refuse_in_blocks(blocks, {"--weights": weights}.items())
    if blocks is not None:
        options = {"fit_intercept": intercept, "time_limit": seconds_allowed, "random_state": seed}
        optimal = _of_stream(data, choice, layout, blocks, certificate, options, style, as_json)
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
    wrong = found.rows_given_up.tolist()
    if as_json:
        result = {
            "lower": _exactly(found.lower), "upper": _exactly(found.upper), "optimal": found.optimal,
            "rows": problem.n, "features": rows.names, "classes": list(problem.classes),
            "kept_rows": None if rows.kept is None else rows.kept.tolist(),
            "errors": wrong, "error_places": rows.locate(wrong),
            "coef": found.coef.tolist(), "intercept": found.intercept, "exact_weights": found.weights.strings(),
            "certificate": None if certificate is None else str(certificate),
            "certificate_data": None if proof is None else proof.data,
            "interrupted": found.interrupted, "notes": notes, "seconds": round(seconds, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out, sentence = Page(style), STYLES[style]().sentence
        out.print(lambda: explained(found, style, worded), end="")
        for note in notes:
            out.print(f"\n{sentence(f'Note: {note}')}")
        if proof is not None:
            out.print(f"\n{sentence(proof.in_words(layout))}")
    if exit_code and not found.optimal:
        raise typer.Exit(EXIT_CODES["unknown"])


def _of_stream(
    data: list[str],
    choice: Choice,
    layout: Layout,
    blocks: InBlocks,
    certificate: Path | None,
    options: dict[str, Any],
    style: str,
    as_json: bool,
) -> bool:
    """Do it for rows that are read in blocks; return whether the bounds meet."""
    from ...errors.explanation import explained
    from ...support.blocks import STYLES

    started = time.perf_counter()
    with progress("reading the table", "Ctrl-C stops it"):
        stream = stream_of(data, layout, choice, blocks)
        proof = proof_of_stream(certificate, data, stream)
        named = positive_class(stream, choice.positive)
    with progress("searching", "Ctrl-C keeps what is proved so far"):
        found = stream.least_errors(positive=named, **options)
        notes = all_worded(stream.notes())
        if proof is not None:
            proof.save(found.certificate)
    if as_json:
        result = {
            "lower": _exactly(found.lower), "upper": _exactly(found.upper), "optimal": found.optimal,
            "rows": stream.facts.n, "features": stream.names, "classes": list(found.problem.classes),
            "errors": found.rows_given_up.tolist(),
            "coef": found.coef.tolist(), "intercept": found.intercept, "exact_weights": found.weights.strings(),
            "certificate": None if certificate is None else str(certificate),
            "certificate_data": None if proof is None else proof.data,
            "interrupted": found.interrupted, "notes": notes, "seconds": round(time.perf_counter() - started, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out, sentence = Page(style), STYLES[style]().sentence
        out.print(lambda: explained(found, style, worded), end="")
        for note in notes:
            out.print(f"\n{sentence(f'Note: {note}')}")
        if proof is not None:
            out.print(f"\n{sentence(proof.in_words(layout))}")
    return bool(found.optimal)


def _exactly(number: Any) -> int | str:
    """Return a number as JSON has it: whole, or else as certificates write it."""
    return number if isinstance(number, int) else str(number)
