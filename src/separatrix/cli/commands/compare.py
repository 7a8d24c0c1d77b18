"""The command ``compare``: classifiers side by side."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ...problem.provenance import Choice, Layout
from ...support.console import console
from .. import inputs
from ..durations import duration_option
from ..options import DataFiles, Json, refuse_seed, seconds_of, with_data_options
from ..scaling import ScaleOfCandidates, read_scale
from ..terminal import progress, say
from ..wording import all_worded

if TYPE_CHECKING:
    from ...comparison.results import Comparison
    from ...problem.scaling import Kind


@with_data_options
def compare(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    cv: Annotated[int, typer.Option(help="The number of folds of cross-validation; 0 for none.")] = 5,
    scale: ScaleOfCandidates = None,
    standardise: Annotated[bool | None, typer.Option("--standardise/--raw", hidden=True)] = None,
    time_limit: Annotated[float | None, duration_option(help="For the comparison as a whole, about.")] = None,
    bound_time_limit: Annotated[
        float, duration_option(help="For the proof of the errors that no hyperplane avoids, at most.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the folds, the orders of visits and the search.")] = 0,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Compare the classifiers on the same rows, beside the errors that no hyperplane avoids.

    The line below the table learns the best of them, and writes it to a model file.
    """
    from ...comparison.comparing import compare as compared
    from ...comparison.comparing import members
    from ...exceptions import FileError
    from ..fit_line import fit_lines

    if cv < 0 or cv == 1:
        raise FileError(f"--cv must be a number of folds of at least 2, or 0 for none, got {cv}.")
    kind = _scale(scale, standardise)
    seconds, seconds_for_bound = seconds_of(time_limit), seconds_of(bound_time_limit, "--bound-time-limit")
    refuse_seed(seed)
    if markdown and as_json:
        raise FileError("--markdown and --json exclude each other: choose one.")
    rows = inputs.read(data, layout, choice)
    named = None if choice.positive is None else rows.class_called(choice.positive)
    with progress("comparing", "Ctrl-C shows what is there"):
        result = compared(
            rows, cv=cv or None, positive=named, scale=kind, random_state=seed, time_limit=seconds,
            bound_time_limit=seconds_for_bound,
        )  # fmt: skip
    table = tuple(replace(each, notes=tuple(all_worded(each.notes))) for each in result.table)
    result = replace(result, notes=tuple(all_worded(result.notes)), table=table)
    learnt = [each.name for each in result.table if each.errors is not None]
    candidates = members(two_classes=len(result.classes) == 2, rows=result.rows, random_state=seed)
    lines = fit_lines(data, choice, layout, kind, {name: candidates[name] for name in learnt})
    hint = _export_hint(result)
    if as_json:
        document = result.document()
        document["table"] = [{**each, "fit": lines.get(each["name"])} for each in document["table"]]
        best = None if result.best is None else result.best.name
        exported = best if hint is None else hint.best
        print(json.dumps({**document, "best": best, "best_to_export": exported}, indent=1))
    elif markdown:
        sys.stdout.write(result.to_markdown())
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(out.width))
    if result.best is not None and not as_json:
        unlimited = "" if seconds is None else ", without a limit of time"
        _show_line(f"This learns the best of them, {result.best.name}{unlimited}:", lines[result.best.name], markdown)
        if hint is not None and hint.best is not None:
            title = f"{hint.why} The best of those that can be exported to Python, SQL and ONNX is {hint.best}:"
            _show_line(title, lines[hint.best], markdown)
        elif hint is not None:
            sys.stdout.write(f"\n{hint.why}\n")


def _scale(scale: str | None, standardise: bool | None) -> Kind:
    """Return how to scale, by the option of today or by those of before."""
    if standardise is None:
        return read_scale(scale, "standard")
    old, new = ("--standardise", "standard") if standardise else ("--raw", "none")
    say(f"Warning: {old} is deprecated: use --scale {new}.")
    return read_scale(new if scale is None else scale)


class _ExportHint(NamedTuple):
    """That the best classifier cannot be exported to everything, and the best of those that can."""

    why: str
    best: str | None


def _export_hint(result: Comparison) -> _ExportHint | None:
    """Say whether the best classifier cannot be exported to all there is; None if it can."""
    from ...exporting.export import TARGETS, targets_of

    if result.best is None or (possible := targets_of(result.fitted())) == TARGETS:
        return None
    others = tuple(each for each in result.table if each.name in result.models)
    others = tuple(each for each in others if targets_of(result.models[each.name]) == TARGETS)
    best = replace(result, table=others).best
    why = "can be exported to Python only" if possible else "cannot be exported"
    return _ExportHint(f"The {result.best.name} {why} (separatrix export).", None if best is None else best.name)


def _show_line(title: str, line: str, markdown: bool) -> None:
    """Give the line that learns a classifier, unbroken."""
    written = f"{title}\n\n```\n{line}\n```\n" if markdown else f"{fill(title, console().width)}\n{line}\n"
    sys.stdout.write(f"\n{written}")
