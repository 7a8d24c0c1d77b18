"""The command ``decide``: whether a hyperplane separates the classes, and the proof."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...problem.provenance import Choice, Layout
from .. import inputs
from ..durations import duration_option
from ..kernels import Coef0, Degree, Gamma, KernelName, kernel_given
from ..options import DataFiles, Intercept, Json, refuse_style, refuse_unwritable, seconds_of, with_data_options
from ..proofs import Output, ProofFiles, proof_files
from ..streams import Memory, positive_class, proof_of_stream, refuse_in_blocks, stream_of
from ..terminal import progress
from ..wording import all_worded

if TYPE_CHECKING:
    from ...separation.kernel_decision import KernelVerdict
    from ...separation.verdict import Status, Verdict
    from ...streaming.stream import Stream
    from ...streaming.verdicts import BatchedVerdict
    from ...tables.data import Data


@with_data_options
def decide(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    intercept: Intercept = True,
    tie: Annotated[
        str, typer.Option(help="What a score of 0 predicts: update (neither class), positive or negative.")
    ] = "update",
    kernel: KernelName = None,
    degree: Degree = None,
    gamma: Gamma = None,
    coef0: Coef0 = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file.")] = None,
    time_limit: Annotated[float | None, duration_option(help="Give up after so many seconds.")] = None,
    stability: Annotated[
        str | None,
        typer.Option(
            help="Say whether the verdict stays if every number is off by so much: digits (half of its last digit), or a "
            "number for all columns."
        ),
    ] = None,
    exact: Annotated[
        list[str] | None,
        typer.Option(help="For --stability, a column whose numbers are exact, such as a count; repeatable."),
    ] = None,
    memory: Memory = None,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 0 if separable, 3 if quasi-separable, 4 if overlapping, 5 if unknown."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Decide whether a hyperplane separates the classes, and prove it."""
    from ...exceptions import FileError
    from ...problem.ties import TIES
    from ...separation.decision import decide_data
    from ...separation.kernel_decision import KernelVerdict
    from ...separation.separating_columns import SECONDS_FOR_COLUMNS
    from ...separation.verdict import SECONDS_FOR_STABILITY, Status
    from ...support.clock import Clock
    from ...support.progress import report
    from ...tables.column_notes import about_positive

    refuse_style(style)
    if tie not in TIES:
        raise FileError(f"--tie must be {', '.join(TIES)}, got {tie!r}.")
    seconds_allowed = seconds_of(time_limit)
    named_kernel = kernel_given(kernel, degree, gamma, coef0)
    if exact and stability is None:
        raise FileError("--exact is for --stability: say how far the other columns may be off.")
    if stability is not None and named_kernel is not None:
        raise FileError("--stability is about the rows themselves: leave --kernel out.")
    if stability is not None:
        _refuse_tolerance(stability)
    refuse_unwritable(certificate, "--certificate", {"the data": data})
    refuse_in_blocks(memory, {"--kernel": kernel, "--stability": stability}.items())
    output = Output(certificate, layout, style, as_json)
    if memory is not None:
        options = {"fit_intercept": intercept, "tie": tie, "time_limit": seconds_allowed}
        status = _decide_stream(data, choice, memory, options, output)
        if exit_code:
            raise typer.Exit(EXIT_CODES[status])
        return
    rows = inputs.read(data, layout, choice)
    proof = proof_files(certificate, data, rows)
    named = inputs.positive_class(rows, choice.positive)
    with progress("deciding", "Ctrl-C stops it"):
        clock, started = Clock(seconds_allowed), time.perf_counter()
        verdict = decide_data(rows, named, intercept, tie, clock, named_kernel)
        seconds = time.perf_counter() - started
        if certificate is not None and isinstance(verdict, KernelVerdict) and verdict.by_products:
            raise FileError(
                "This kernel has too many features for --certificate: the proof is about products of rows, which no file "
                "has. Lower --degree, or leave --certificate out."
            )
        if proof is not None and verdict.certificate is not None:
            proof.save(verdict.certificate)
        report(lambda: f"{verdict.status}; looking for few columns that suffice")
        separated, columns = verdict.separated_rows, None
        if named_kernel is None:  # few features of a kernel are no fewer columns
            found = verdict.columns_within(min(SECONDS_FOR_COLUMNS, clock.left()))
            columns = None if found is None else [rows.names[each] if isinstance(each, int) else each for each in found]
        sure = None
        if stability is not None and verdict.status != Status.UNKNOWN:
            report(lambda: f"{verdict.status}; asking how far numbers may be off")
            seconds_left = SECONDS_FOR_STABILITY if seconds_allowed is None else max(clock.left(), _LEAST_SECONDS)
            sure = verdict.stability(stability, exact=exact or (), time_limit=seconds_left)
    notes = all_worded([*rows.notes(), *about_positive(rows.classes, choice.positive)])
    more: dict[str, Any] = {
        "numbers": rows.rows.reading, "kept_rows": None if rows.kept is None else rows.kept.tolist(),
        "separated_rows": None if separated is None else separated.tolist(), "separating_columns": columns,
        "stability": None if sure is None else sure.document(),
    }  # fmt: skip
    if isinstance(verdict, KernelVerdict):
        more |= {"kernel": verdict.parameters(), "kernel_features": verdict.problem.names}
    besides = None
    if sure is not None:
        besides = lambda: f"\n{sure.explain(format=style)}"  # noqa: E731
    elif stability is not None:
        besides = lambda: "\nHow far numbers may be off is not known, as the verdict is not.\n"  # noqa: E731
    _show(verdict, rows, output, proof, notes, {**more, "seconds": round(seconds, 6)}, besides)
    if exit_code:
        raise typer.Exit(EXIT_CODES[verdict.status])


def _decide_stream(data: list[str], choice: Choice, memory: str, options: dict[str, Any], output: Output) -> Status:
    """Decide about rows that are read in blocks; return how."""
    from ...tables.column_notes import about_positive

    started = time.perf_counter()
    with progress("reading the table", "Ctrl-C stops it"):
        stream = stream_of(data, output.layout, choice, memory)
        proof = proof_of_stream(output.certificate, data, stream)
        named = positive_class(stream, choice.positive)
    with progress("deciding", "Ctrl-C stops it"):
        verdict: BatchedVerdict = stream.decide(positive=named, **options)
        if proof is not None and verdict.certificate is not None:
            proof.save(verdict.certificate)
    notes = all_worded([*stream.notes(), *about_positive(stream.facts.classes, choice.positive)])
    seconds = round(time.perf_counter() - started, 6)
    more = {"numbers": stream.facts.reading, "passes": verdict.passes, "seconds": seconds}
    _show(verdict, stream, output, proof, notes, more)
    return verdict.status


_KEYS = (
    "status", "separable", "message", "tie", "strict", "always_halts", "numbers", "rows", "features", "classes", "kept_rows",
    "witness", "witness_places", "separated_rows", "separating_columns", "coef", "intercept", "certificate",
    "certificate_data", "stability", "passes", "notes", "seconds", "kernel", "kernel_features",
)  # fmt: skip
"""What ``--json`` prints, in this order; some of it is known only of rows in memory, or in blocks."""


def _show(
    verdict: Verdict | KernelVerdict,
    rows: Data | Stream,
    output: Output,
    proof: ProofFiles | None,
    notes: list[str],
    more: dict[str, Any],
    besides: Callable[[], str] | None = None,
) -> None:
    """Print a verdict on rows, in memory or in blocks, and what else there is to say."""
    witness = None if verdict.witness is None else verdict.witness.tolist()
    proof = None if verdict.certificate is None else proof
    if output.as_json:
        found = {
            "status": str(verdict.status), "separable": verdict.separable, "message": verdict.message, "tie": verdict.tie,
            "strict": str(verdict.strict), "always_halts": verdict.always_halts, "rows": verdict.problem.n,
            "features": rows.names, "classes": list(verdict.problem.classes), "witness": witness,
            "witness_places": None if witness is None else rows.locate(witness),
            "coef": None if verdict.coef is None else verdict.coef.tolist(), "intercept": verdict.intercept,
            **output.of_proof(proof), "notes": notes, **more,
        }  # fmt: skip
        print(json.dumps({key: found[key] for key in _KEYS if key in found}, indent=1))
        return
    output.show(lambda: verdict.explain(format=output.style), notes, proof, besides)


def _refuse_tolerance(stability: str) -> None:
    """Refuse at once what is no tolerance."""
    from ...exceptions import FileError
    from ...separation.tolerances import DIGITS, read_tolerance

    if stability != DIGITS:
        try:
            read_tolerance(stability)
        except ValueError:
            raise FileError(f"--stability must be {DIGITS}, or a number from 0 up, got {stability!r}.") from None


_LEAST_SECONDS = 0.01
"""Seconds that stability has where the time limit is over: then it tells what takes no search."""

EXIT_CODES = {"separable": 0, "quasi-separable": 3, "overlapping": 4, "unknown": 5}
