"""The command ``score``: compare the predictions of a model file with the labels of a table."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from ...problem.provenance import Layout
from ...support.console import console, printed
from ...support.counts import counted, percent
from ...support.escaping import shown
from .. import inputs
from ..clusters import Scheduler
from ..models_in_blocks import confusion_of, stream_for
from ..options import DataFiles, Json, ModelFile, Unseen, with_data_options
from ..pages import Page
from ..streams import Memory, in_blocks
from ..terminal import progress
from ..wording import MAX_CLASSES_SHOWN


@with_data_options
def score(
    model: ModelFile,
    data: DataFiles,
    layout: Layout,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if not the one learnt from.")] = None,
    unseen: Unseen = "refuse",
    memory: Memory = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Count the errors of a model on labelled rows."""
    import numpy as np
    from sklearn.metrics import confusion_matrix

    from ...exceptions import FileError
    from ...models.model_file import read_model
    from ...problem.majority import Majority

    learnt = read_model(model)
    column = label or learnt.label
    unlabelled = FileError(f"{model} does not say which column it predicts. Name it with --label.")
    classes = learnt.classifier.classes_.tolist()
    blocks = in_blocks(memory, scheduler)
    if blocks is not None:
        if column is None:
            raise unlabelled
        stream = stream_for(learnt, data, layout, column, unseen, blocks)
        with progress("predicting", "Ctrl-C stops it"):
            confusion = confusion_of(stream, learnt, classes)
        dropped = stream.facts.given - stream.facts.n
    else:
        rows = inputs.reread(learnt, data, layout, column, unseen)
        if rows.codes is None:
            raise unlabelled
        truth = inputs.coded(rows, classes, learnt.others)
        places = {each: k for k, each in enumerate(classes)}
        predicted = [places[each] for each in learnt.classifier.predict(rows.rows).tolist()]
        confusion, dropped = confusion_matrix(truth, predicted, labels=range(len(classes))), rows.dropped
    n = int(confusion.sum())
    errors = n - int(np.trace(confusion))
    majority = Majority.of_counts(confusion.sum(axis=1).tolist(), classes)
    if as_json:
        result = {
            "rows": n, "errors": errors, "accuracy": (n - errors) / n, "classes": classes, "confusion": confusion.tolist(),
            "majority": majority.document(),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    from rich.table import Table as Grid

    page = Page()
    page.print(f"{counted(errors, 'error')} in {counted(n, 'row')}: {percent(n - errors, n)} right. {majority.in_words()}")
    grid = Grid(show_edge=False)
    grid.add_column(f"{shown(column or 'class')} is")
    if len(classes) <= MAX_CLASSES_SHOWN:
        for each in classes:
            grid.add_column(f"said {shown(each)}", justify="right")
        for each, counts in zip(classes, confusion.tolist(), strict=True):
            grid.add_row(shown(each), *(f"{count:,}" for count in counts))
    else:
        for name in ("rows", "errors"):
            grid.add_column(name, justify="right")
        for k, each in enumerate(classes):
            total = int(confusion[k].sum())
            grid.add_row(shown(each), f"{total:,}", f"{total - int(confusion[k, k]):,}")
    sys.stdout.write(printed(grid, console().width))
    if dropped:
        page.print(f"{counted(dropped, 'row')} with missing values left out.")
