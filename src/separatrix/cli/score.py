"""The command ``score``: compare the predictions of a model file with the labels of a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..support.console import console
from ..support.counts import counted, percent
from ..support.escaping import shown
from .options import DataFiles, Json, ModelFile, Reading, Unseen, reread, with_data_options

if TYPE_CHECKING:
    from ..tables.data import Data


_MAX_CLASSES = 12
"""Classes up to which `score` prints which of them was taken for which."""


@with_data_options
def score(
    model: ModelFile,
    data: DataFiles,
    reading: Reading,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if not the one learnt from.")] = None,
    unseen: Unseen = "refuse",
    as_json: Json = False,
) -> None:
    """Count the errors of a model on labelled rows."""
    import numpy as np

    from ..exceptions import FileError
    from ..models.model_file import read_model

    learnt = read_model(model)
    column = label or learnt.label
    rows = reread(learnt, data, reading, column, unseen)
    if rows.codes is None:
        raise FileError(f"{model} does not say which column it predicts. Name it with --label.")
    classes = learnt.classifier.classes_.tolist()
    truth = _coded(rows, classes)
    places = {each: k for k, each in enumerate(classes)}
    predicted = np.array([places[each] for each in learnt.classifier.predict(rows.X).tolist()])
    confusion = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    n = len(truth)
    errors = n - int(np.trace(confusion))
    if as_json:
        result = {
            "rows": n, "errors": errors, "accuracy": (n - errors) / n, "classes": classes, "confusion": confusion.tolist(),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    from rich.table import Table as Grid

    out = console()
    out.print(f"{counted(errors, 'error')} in {counted(n, 'row')}: {percent(n - errors, n)} right.")
    grid = Grid(show_edge=False)
    grid.add_column(f"{shown(column or 'class')} is")
    if len(classes) <= _MAX_CLASSES:
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
    out.print(grid)
    if rows.kept is not None:
        out.print(f"{counted(rows.dropped, 'row')} with missing values left out.")


def _coded(rows: Data, classes: list[Any]) -> Any:
    """Return for each label its place among the classes; labels that the model has not learnt are refused."""
    import numpy as np

    from ..checker import sign_of
    from ..exceptions import FileError

    # Whole numbers are written without a point, whatever they were learnt as.
    meant = [int(each) if isinstance(each, float) and each.is_integer() else each for each in classes]
    one_against_rest = len(classes) == 2 and isinstance(classes[0], str) and classes[0] == f"not {classes[1]}"
    codes = []
    for text in rows.texts:
        found = [k for k, each in enumerate(meant) if sign_of(text, (None, each)) == 1]
        if not found and not one_against_rest:
            if len(classes) == 2:
                strange = f"neither {shown(classes[0])} nor {shown(classes[1])}, the classes"
            else:
                strange = f"none of the {len(classes)} classes"
            raise FileError(f"The label {shown(text)} is {strange} the model has learnt.")
        codes.append(found[0] if found else 0)
    return np.array(codes)[rows.codes]
