"""The commands for teachers: ``exercise``, ``worst-order`` and ``boolean-functions``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ...problem.provenance import Choice, Layout
from ...support.counts import counted
from ...support.escaping import shown
from .. import inputs
from ..durations import duration_option
from ..options import DataFiles, Intercept, Json, Tie, refuse_seed, refuse_style, seconds_of, with_data_options
from ..pages import Page
from ..terminal import progress, say
from ..wording import all_worded

_STYLES = {".tex": "latex", ".md": "markdown"}
"""The style of a text by the ending of its file."""

TimeLimit = Annotated[float, duration_option(help="The most seconds to search.")]


def exercise(
    mistakes: Annotated[int, typer.Option(help="Mistakes that the perceptron is to make.")] = 5,
    dimension: Annotated[int, typer.Option(help="Number of features.")] = 2,
    rows: Annotated[int | None, typer.Option(help="Number of rows; some four to eight if not given.")] = None,
    margin: Annotated[str | None, typer.Option(help="The margin gamma, such as 2, 0.5 or 1/2.")] = None,
    margin_squared: Annotated[str | None, typer.Option(help="The square of the margin instead, such as 1/17.")] = None,
    kind: Annotated[
        str, typer.Option(help="Which margin: lifted (of the theorem) or geometric (of the classes).")
    ] = "lifted",
    radius: Annotated[str | None, typer.Option(help="R, the length of the longest row, the constant 1 included.")] = None,
    radius_squared: Annotated[str | None, typer.Option(help="R^2 instead, a whole number.")] = None,
    tie: Tie = "update",
    intercept: Intercept = True,
    order: Annotated[str, typer.Option(help="Order of visits: cyclic, or the rows from 0, such as 2,0,1,3.")] = "cyclic",
    largest: Annotated[int, typer.Option(help="The largest coordinate.")] = 9,
    seed: Annotated[int, typer.Option(help="Each seed has data of its own.")] = 0,
    time_limit: TimeLimit = 10.0,
    output: Annotated[Path | None, typer.Option(help="Write the data to this CSV file.")] = None,
    task: Annotated[Path | None, typer.Option(help="Write the task to this file: .tex, .md or text.")] = None,
    solution: Annotated[Path | None, typer.Option(help="Write task and solution to this file: .tex, .md or text.")] = None,
    style: Annotated[str | None, typer.Option(help="How to write texts: text, markdown or latex.")] = None,
    as_json: Json = False,
) -> None:
    """Make data on which the perceptron makes so many mistakes, with margin and radius as asked for, and the solution."""
    from ...exceptions import FileError
    from ...support.writing import write_whole
    from ...teaching.exercises import make

    if style is not None:
        refuse_style(style)
    refuse_seed(seed)
    files = [path for path in (output, task, solution) if path is not None]
    if len({path.resolve() for path in files}) < len(files):
        raise FileError("--output, --task and --solution must be different files.")
    with progress("looking for data", "Ctrl-C stops it"):
        made = make(
            mistakes, dimension=dimension, rows=rows, margin=margin, margin_squared=margin_squared, kind=kind, radius=radius,
            radius_squared=radius_squared, tie=tie, fit_intercept=intercept, order=_order(order), largest=largest, seed=seed,
            time_limit=seconds_of(time_limit),
        )  # fmt: skip
    if output is not None:
        made.to_csv(output)
    for path, text in ((task, made.task), (solution, made.solution)):
        if path is not None:
            write_whole(path, text(style or _STYLES.get(path.suffix.lower(), "text")).rstrip() + "\n")
    if as_json:
        print(json.dumps(made.document(), indent=1))
    elif not files:
        Page(style or "text").print(lambda: made.solution(style or "text").rstrip())
    else:
        names = " and ".join(shown(path) for path in files)
        told = f"{counted(made.mistakes, 'mistake')}, gamma^2 = {made.margin_squared}, R^2 = {made.radius_squared}"
        say(f"{told}: written to {names}.")


@with_data_options
def worst_order(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    tie: Tie = "update",
    intercept: Intercept = True,
    exhaustive: Annotated[int, typer.Option(help="Up to so many rows all orders are run; beyond, a search.")] = 8,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    time_limit: TimeLimit = 10.0,
    style: Annotated[str, typer.Option(help="How to write it: text, markdown or latex.")] = "text",
    as_json: Json = False,
) -> None:
    """Find the order of visits in which the perceptron makes the most mistakes: all orders of a few rows, else a search."""
    from ...support.blocks import STYLES
    from ...teaching.exercises import worst_order as find

    refuse_style(style)
    refuse_seed(seed)
    limit = seconds_of(time_limit)
    rows = inputs.read(data, layout, choice)
    y, _ = inputs.two_classes(rows, choice.positive)
    notes = all_worded(rows.notes())
    with progress("running the perceptron", "Ctrl-C stops it"):
        found = find(rows.rows, y, tie=tie, fit_intercept=intercept, exhaustive=exhaustive, seed=seed, time_limit=limit)
    if as_json:
        result = {
            "complete": found.complete, "orders": found.orders, "most": found.most, "fewest": found.fewest,
            "worst": list(found.worst), "best": list(found.best), "counts": {str(k): n for k, n in found.counts.items()},
            "radius_squared": str(found.radius_squared), "margin_squared": str(found.margin_squared),
            "exact_margin": found.exact_margin, "bound": str(found.bound), "notes": notes,
        }  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    out = Page(style)
    out.print(lambda: found.explain(style).rstrip())
    for note in notes:
        out.print(f"\n{STYLES[style]().sentence(f'Note: {note}')}")


def boolean_functions(
    n: Annotated[int, typer.Argument(help="Number of inputs, from 0 to 4.")],
    coding: Annotated[str, typer.Option(help="What inputs are: 01 (0 and 1) or pm1 (-1 and 1).")] = "01",
    as_json: Json = False,
) -> None:
    """List all Boolean functions of a few inputs: the smallest weights of each, or why no hyperplane separates it."""
    from ...teaching.exercises import boolean_functions as find

    with progress("trying weights", "Ctrl-C stops it"):
        functions = find(n, coding=coding)
    separable = sum(each.separable for each in functions)
    if as_json:
        names = ("index", "table", "separable", "weights", "threshold", "witness", "mistakes")
        found = [{name: getattr(each, name) for name in names} for each in functions]
        print(json.dumps({"n": n, "coding": coding, "separable": separable, "functions": found}))
        return
    out = Page()
    out.print("\n".join(each.explain() for each in functions))
    out.print(f"\n{separable:,} of {len(functions):,} are threshold functions.")


def _order(text: str) -> str | list[int]:
    """Return an order that is typed: a word, or numbers of rows with commas."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else text
