"""The command ``report``: every answer about some data, in one file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from ...support.escaping import shown, tamed
from .. import inputs
from ..durations import duration_option
from ..options import (
    DataFiles,
    Json,
    refuse_seed,
    refuse_unwritable,
    seconds_of,
    with_data_options,
    words_of_choice,
    words_of_layout,
)
from ..pages import Page
from ..scaling import read_scale
from ..terminal import progress
from ..wording import all_worded


@with_data_options
def report(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the report to this file.")] = Path("report.html"),
    without_rows: Annotated[
        bool, typer.Option("--without-rows", help="Leave out the values of rows, and pictures that show single rows.")
    ] = False,
    time_limit: Annotated[
        float | None,
        duration_option("--time-limit", "--seconds", help="For the report as a whole, about, once the data is read."),
    ] = None,
    bound_time_limit: Annotated[float, duration_option(help="For the search for the fewest errors, at most.")] = 10.0,
    scale: Annotated[
        str | None,
        typer.Option(
            help="Bring columns to one size for the perceptron's run, its audit and the comparison: none, standard, minmax "
            "or maxabs. If not given, the comparison is standardised, and the run is on the rows as they are."
        ),
    ] = None,
    max_iter: Annotated[int, typer.Option(help="The most passes of the perceptron.")] = 1000,
    cv: Annotated[int, typer.Option(help="The number of folds of the comparison; 0 for none.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the search and of the comparison.")] = 0,
    as_json: Json = False,
) -> None:
    """Write a report: verdict and proof, classifier, margin, errors, theorem and comparison, in one HTML file.

    It needs matplotlib: pip install 'separatrix[plot]'. Ctrl-C ends the work, and so does --time-limit: the report has what
    there is, and says what is missing.
    """
    from ...reporting.drawing import require_matplotlib
    from ...reporting.material import Material, Origin
    from ...reporting.report import Report, read_limits

    try:
        require_matplotlib()
    except ImportError as error:
        raise FileError(str(error)) from None
    read_scale(scale)
    seconds, seconds_for_bound = seconds_of(time_limit), seconds_of(bound_time_limit, "--bound-time-limit")
    refuse_seed(seed)
    for option, value, least in (("--max-iter", max_iter, 1), ("--cv", cv or 2, 2)):
        if value < least:
            none = ", or 0 for none" if option == "--cv" else ""
            raise FileError(f"{option} must be at least {least}{none}, got {value}.")
    refuse_unwritable(output, "--output", {"the data": data})
    rows = inputs.read(data, layout, choice)
    positive = None if choice.positive is None else rows.class_called(choice.positive)
    kind = () if layout.format is None else ("--format", layout.format)
    origin = Origin(
        title=", ".join(Path(each).name for each in data), files=tuple(data), kind=kind,
        options=(*words_of_choice(choice), *words_of_layout(layout)),
    )  # fmt: skip
    material = Material.of(rows, None, positive, origin, all_worded(rows.notes()))
    with progress("getting ready", "Ctrl-C leaves a report of what there is"):
        limits = read_limits(seconds, seconds_for_bound, max_iter, cv or None, seed, scale)
        made = Report.of(material, limits, without_rows)
    with progress("drawing", "Ctrl-C leaves pictures out"):
        made.save(output)
    findings = _findings(made, output)
    if as_json:
        print(json.dumps(findings, indent=1))
    else:
        _show(findings, made)


def _findings(made: Any, output: Path) -> dict[str, Any]:
    """Return the path and the numbers of a report, for JSON."""
    verdict, margin, ledger, least = made.verdict, made.margin, made.ledger, made.disagreement
    compared = made.comparison
    return {
        "report": str(output), "bytes": output.stat().st_size if output.is_file() else None,
        "status": None if verdict is None else str(verdict.status),
        "message": None if verdict is None else verdict.message,
        "margin": None if margin is None else _finite([margin.lo, margin.hi]),
        "least_errors": None if least is None else {"lower": int(least.lower), "upper": int(least.upper)},
        "scale": "none" if made.scaler is None else made.scaler.kind,
        "perceptron": None if ledger is None else {
            "mistakes": ledger.mistakes, "passes": ledger.passes, "converged": ledger.converged,
            "bound": None if ledger.bound is None else _finite(ledger.bound), "holds": ledger.holds,
        },
        "comparison": None if compared is None else [
            {"name": each.name, "errors": each.errors, "cv_error": each.cv_error, "margin": each.margin}
            for each in compared.table
        ],
        "interrupted": made.interrupted, "out_of_time": made.out_of_time, "missing": made.missing,
        "seconds": {name: round(seconds, 6) for name, seconds in made.seconds.items()},
    }  # fmt: skip


def _finite(numbers: Iterable[float]) -> list[float | None]:
    """Return numbers for JSON, which has no infinity: None is one that is too large for float64."""
    return [number if math.isfinite(number) else None for number in numbers]


def _show(findings: dict[str, Any], made: Any) -> None:
    out = Page()
    if findings["status"] is not None:
        out.print(tamed(f"{findings['status']}: {findings['message']}"))
    if findings["margin"] is not None:
        low = findings["margin"][0]
        out.print(f"Margin: {low:.6g}, proved." if low else "Margin: above 0, and too small for float64.")
    least, run = findings["least_errors"], findings["perceptron"]
    if least is not None and least["upper"]:
        proved = (
            f"{least['lower']:,}" if least["lower"] == least["upper"] else f"from {least['lower']:,} to {least['upper']:,}"
        )
        out.print(f"Fewest errors of a hyperplane: {proved}, proved.")
    if run is not None:
        known = run["bound"] is not None and run["bound"][1] is not None
        most = f", of {run['bound'][1]:,.6g} that the theorem allows" if known else ""
        out.print(f"Mistakes of the perceptron: {run['mistakes']:,} in {run['passes']:,} passes{most}.")
    best = min((each for each in findings["comparison"] or () if each["cv_error"] is not None), key=_error, default=None)
    if best is not None:
        out.print(tamed(f"Best in cross-validation: {shown(best['name'])}, {100 * best['cv_error']:.1f} % errors."))
    if made.interrupted:
        out.print(f"Stopped by Ctrl-C. Not done: {', '.join(made.missing)}.")
    elif made.out_of_time:
        out.print(f"The time limit was too short for all of it. Not done: {', '.join(made.missing)}.")
    out.print(tamed(f"Report written to {shown(findings['report'])}."))


def _error(each: dict[str, Any]) -> float:
    return float(each["cv_error"])
