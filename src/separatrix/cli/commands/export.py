"""The command ``export``: a model file as Python, SQL or ONNX."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ...problem.provenance import Layout
from ...support.counts import counted
from ...support.escaping import shown
from .. import inputs
from ..options import Json, ModelFile, Unseen, refuse_unwritable, with_data_options
from ..pages import Page
from ..terminal import progress, put, say


@with_data_options
def export(
    model: ModelFile,
    layout: Layout,
    to: Annotated[str, typer.Option(help="What to make of it: python (one file), sql (one query) or onnx.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; without it, text is printed.")
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(help="Data to run it on, and to say for which rows equal predictions are proved; repeatable."),
    ] = None,
    table: Annotated[str, typer.Option(help="The name of the table that the SQL is about.")] = "data",
    unseen: Unseen = "refuse",
    as_json: Json = False,
) -> None:
    """Turn a model file into Python, SQL or ONNX that predicts the same, its table's categories and gaps included."""
    from ...exceptions import FileError
    from ...exporting.export import TARGETS, export_model
    from ...models.model_file import read_model

    if to not in TARGETS:
        raise FileError(f"--to must be one of {', '.join(TARGETS)}, got {to!r}.")
    if to == "onnx" and output is None:
        raise FileError("A file of ONNX is not text: name one to write with --output.")
    refuse_unwritable(output, "--output", {"the data": check or [], "the model": [str(model)]})
    learnt = read_model(model)
    made = export_model(learnt, to, unseen=unseen, table=table)
    found, rows = None, None
    if check:
        rows = inputs.reread(learnt, check, layout, None, unseen)
        with progress("running what was exported", "Ctrl-C stops it"):
            found = made.check(rows)
    if output is not None:
        made.save(output)
    if as_json:
        result: dict[str, Any] = {"to": to, "output": None if output is None else str(output)}
        if output is None:
            result["content"] = made.content
        if found is not None and rows is not None:
            result["check"] = {**found.document(), "left_out": rows.dropped}
        put(json.dumps(result, indent=1) + "\n")
    else:
        if output is None and found is None:
            put(str(made))
        elif output is not None:
            say(f"Written to {shown(output)}.")
        if found is not None:
            text = found.explain().rstrip()
            Page().print(text)
    if rows is not None and rows.dropped:
        say(f"{counted(rows.dropped, 'row')} with missing values: no prediction, as the model was learnt without such.")
    if found is not None and set(found.differing or ()) - set(found.near_ties):
        raise RuntimeError("predictions differ where they are proved to be the same")
