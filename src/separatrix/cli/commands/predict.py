"""The command ``predict``: apply a model file to a table."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ...problem.provenance import Layout
from ...support.counts import counted
from ...support.escaping import shown
from .. import inputs
from ..models_in_blocks import stream_for
from ..options import DataFiles, Json, ModelFile, Unseen, refuse_unwritable, with_data_options
from ..predictions import csv_of, json_of, of_data, of_stream
from ..streams import Memory
from ..terminal import no_formula, progress, put, say
from ..wording import all_worded


@with_data_options
def predict(
    model: ModelFile,
    data: DataFiles,
    layout: Layout,
    unseen: Unseen = "refuse",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the predictions to this CSV file.")] = None,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe", help="Write an apostrophe before texts that a spreadsheet would take for a formula."
        ),
    ] = False,
    memory: Memory = None,
    as_json: Json = False,
) -> None:
    """Predict the class of each row, with its score, or one for each of several classes; columns are matched by name."""
    from ...exceptions import FileError
    from ...models.model_file import read_model
    from ...support.writing import write_whole

    if spreadsheet_safe and as_json:
        raise FileError("--spreadsheet-safe is for CSV, and not for --json: choose one.")
    refuse_unwritable(output, "--output", {"the data": data, "the model": [str(model)]})
    learnt = read_model(model)
    if memory is None:
        found = of_data(learnt, inputs.reread(learnt, data, layout, None, unseen))
    else:
        found = of_stream(learnt, stream_for(learnt, data, layout, None, unseen, memory))
    for note in all_worded(found.notes):
        say(f"Note: {note}")
    written = no_formula if spreadsheet_safe else str
    seen = output is None and sys.stdout.isatty()  # by a person, not by a program
    with nullcontext() if seen else progress("predicting", "Ctrl-C stops it"):
        if as_json:
            texts = json_of(learnt, found)
        else:
            texts = csv_of(learnt, found, (lambda text: shown(written(text))) if seen else written)
        if output is None:
            for text in texts:
                put(text)
        else:
            write_whole(output, texts)
    if output is not None:
        say(f"{counted(found.given, 'prediction')} written to {shown(output)}.")
    if found.dropped:
        say(f"{counted(found.dropped, 'row')} with missing values: no prediction, as the model was learnt without such.")
