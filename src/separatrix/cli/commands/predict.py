"""The command ``predict``: apply a model file to a table."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...problem.provenance import Layout
from ...support.counts import counted
from ...support.escaping import shown
from .. import inputs
from ..clusters import Scheduler
from ..models_in_blocks import csv_of, predictions, stream_for
from ..options import DataFiles, Json, ModelFile, Unseen, refuse_unwritable, with_data_options
from ..streams import Memory, in_blocks
from ..terminal import as_csv, no_formula, progress, put, say
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
    scheduler: Scheduler = None,
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
    blocks = in_blocks(memory, scheduler)
    if blocks is not None:
        if as_json:
            raise FileError("--json has all predictions at once: leave --memory and --scheduler out, or write CSV.")
        stream = stream_for(learnt, data, layout, None, unseen, blocks)
        written = no_formula if spreadsheet_safe else str
        name = learnt.label or "prediction"
        with progress("predicting", "Ctrl-C stops it"):
            parts = csv_of(predictions(stream, learnt.classifier), name, learnt.classifier.classes_.tolist(), written)
            if output is None:
                for part in parts:
                    put(part)
            else:
                write_whole(output, parts)
        if output is not None:
            say(f"{counted(stream.facts.n, 'prediction')} written to {shown(output)}.")
        return
    rows = inputs.reread(learnt, data, layout, None, unseen)
    for note in all_worded(rows.said):
        say(f"Note: {note}")
    predicted = learnt.classifier.predict(rows.rows).tolist()
    scores = learnt.classifier.decision_function(rows.rows).tolist()
    several = bool(scores) and isinstance(scores[0], list)
    if rows.kept is not None:  # rows with missing values, which the model has not learnt to predict
        places = {row: k for k, row in enumerate(rows.kept.tolist())}
        nothing = [None] * len(scores[0]) if several else None
        predicted = [predicted[places[row]] if row in places else None for row in range(rows.given)]
        scores = [scores[places[row]] if row in places else nothing for row in range(rows.given)]
    if as_json:
        finite = [[_finite(each) for each in row] for row in scores] if several else [_finite(each) for each in scores]
        result = {"label": learnt.label, "predictions": predicted, "scores": finite}
        if several:
            result["classes"] = learnt.classifier.classes_.tolist()
        text = json.dumps(result, indent=1) + "\n"
    else:
        name = learnt.label or "prediction"
        if several:
            header = [f"score of {each}" for each in learnt.classifier.classes_.tolist()]
            lines = [[label, *row] for label, row in zip(predicted, scores, strict=True)]
        else:
            header = ["score" if name != "score" else "score of it"]
            lines = [[label, each] for label, each in zip(predicted, scores, strict=True)]
        written = no_formula if spreadsheet_safe else str
        seen = output is None and sys.stdout.isatty()  # by a person, not by a program
        text = as_csv([name, *header], lines, (lambda text: shown(written(text))) if seen else written)
    if output is None:
        put(text)
    else:
        write_whole(output, text)
        say(f"{counted(len(predicted), 'prediction')} written to {shown(output)}.")
    if rows.kept is not None:
        say(f"{counted(rows.dropped, 'row')} with missing values: no prediction, as the model was learnt without such.")


def _finite(score: float | None) -> float | None:
    """Return a score for JSON, which has no infinite numbers; a row that no class can have made has no score."""
    return score if score is not None and math.isfinite(score) else None
