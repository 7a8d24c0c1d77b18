"""The command ``compare``: classifiers side by side."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Annotated

import typer

from ...problem.provenance import Choice, Layout
from ...support.console import console
from .. import inputs
from ..options import DataFiles, Json, refuse_seed, seconds_of, with_data_options
from ..terminal import progress
from ..wording import all_worded


@with_data_options
def compare(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    cv: Annotated[int, typer.Option(help="The number of folds of cross-validation; 0 for none.")] = 5,
    standardise: Annotated[
        bool, typer.Option("--standardise/--raw", help="Whether features are brought to mean 0 and variance 1 first.")
    ] = True,
    time_limit: Annotated[float, typer.Option(help="Seconds for the proof of the errors that no hyperplane avoids.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the folds, the orders of visits and the search.")] = 0,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Compare the classifiers on the same rows, beside the errors that no hyperplane avoids."""
    from ...comparison.comparing import compare as compared
    from ...exceptions import FileError

    if cv < 0 or cv == 1:
        raise FileError(f"--cv must be a number of folds of at least 2, or 0 for none, got {cv}.")
    seconds_allowed = seconds_of(time_limit)
    refuse_seed(seed)
    if markdown and as_json:
        raise FileError("--markdown and --json exclude each other: choose one.")
    rows = inputs.read(data, layout, choice)
    named = None if choice.positive is None else rows.class_called(choice.positive)
    with progress("comparing", "Ctrl-C shows what is there"):
        result = compared(
            rows, cv=cv or None, positive=named, standardise=standardise, time_limit=seconds_allowed, random_state=seed
        )
    result = replace(result, notes=tuple(all_worded(result.notes)))
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif markdown:
        sys.stdout.write(result.to_markdown())
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(out.width))
