"""The data that commands name: read, with labels and weights, or in the columns that a model has learnt from."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..exceptions import FileError, ModelError
from ..problem.provenance import Choice, Layout
from ..support.counts import few_of
from ..support.escaping import shown

if TYPE_CHECKING:
    from .._types import Floats
    from ..models.model_file import Model
    from ..tables.binary_files import Matrix
    from ..tables.data import Data
    from ..tables.frame import Frame
    from ..tables.reading import Known

_MAX_CLASSES_SHOWN = 6
"""Classes that are named where one of them must be chosen."""


def read(paths: list[str], layout: Layout, choice: Choice) -> Data:
    """Read the data that a command names, with labels."""
    from ..tables.frame import opened_as

    gc.disable()  # with many columns, garbage would be looked for time and again among all that is loaded, and read
    try:
        return _made(opened_as(paths, layout, choice.label), paths, choice)
    finally:
        gc.enable()
        gc.freeze()  # until the command line ends


def read_weighed(paths: list[str], layout: Layout, choice: Choice, weights: str | None) -> tuple[Data, Floats | None]:
    """Read data with labels, and one of its columns as weights of the rows, in no other use then."""
    import numpy as np

    from ..tables.binary_files import Matrix
    from ..tables.cells import FOR_THE_LABEL, Words, cells_of, place_of
    from ..tables.frame import opened_as

    opened = opened_as(paths, layout, choice.label)
    if weights is None:
        return _made(opened, paths, choice), None
    if isinstance(opened, Matrix):
        raise FileError(f"{paths[0]} has no columns by name to take --weights from: only tables have.")
    place = place_of(weights, opened.names, opened.name, " of weights")
    if choice.label is not None and place == place_of(choice.label, opened.names, opened.name, FOR_THE_LABEL):
        raise FileError(f"The column {opened.names[place]!r} cannot be both the label and --weights.")
    data = _made(opened, paths, replace(choice, drop=(*choice.drop, weights)))
    cells = cells_of(opened.names[place], opened.read([place], []).table.column(0), opened.layout.gaps, opened.where)
    if isinstance(cells, Words):
        raise FileError(f"The column {cells.name!r} holds text, such as {cells.texts[0]!r}: --weights must be numbers.")
    values = cells.array()
    bad = np.isnan(values) | np.isinf(values) | (values < 0.0) | (False if cells.gaps is None else cells.gaps)
    bad = bad if data.kept is None else bad[data.kept]
    if bad.any():
        (where,) = data.places_of([int(np.flatnonzero(bad)[0])])
        raise FileError(f"{where}, column {cells.name!r}: no number from 0 up. Every row needs such a weight.")
    return data, values if data.kept is None else values[data.kept]


def _made(opened: Frame | Matrix, paths: list[str], choice: Choice) -> Data:
    from ..tables.binary_files import Matrix
    from ..tables.cells import listed
    from ..tables.encoding import learn
    from ..tables.reading import from_matrix

    if isinstance(opened, Matrix):
        data = from_matrix(opened, choice)
        if data.codes is None:
            raise FileError(f"{paths[0]} holds no labels: save them beside the rows, as an array named y.")
        return data
    if choice.label is None:
        raise FileError(
            f"Which column of {opened.name} holds the classes? Name it with --label. It has: "
            f"{listed(opened.names)}. The last column is --label -1."
        )
    return learn(opened, choice)


def positive_class(data: Data, positive: str | None) -> Any:
    """Return the class that is named, as the labels have it; see that it is there, or else that two classes are."""
    if positive is not None:
        return data.class_called(positive)
    if len(data.classes) > 2:
        from ..tables.cells import class_text

        data.refuse_alike()
        some = few_of(list(map(class_text, data.classes)), _MAX_CLASSES_SHOWN)
        raise ValueError(f"The label has {len(data.classes)} classes: {some}. Set one against the rest with --positive.")
    return None


def two_classes(rows: Data, positive: str | None) -> tuple[Any, list[Any]]:
    """Whether each row is of the positive class, and the two classes; ``positive`` against the rest."""
    import numpy as np

    from ..problem.labels import code_labels

    signs, classes = code_labels(np.array(rows.classes), positive=positive_class(rows, positive))
    if len(classes) < 2:
        raise ValueError(f"All rows are of one class, {classes[0]!r}: there is nothing to tell apart. Give rows of two.")
    same_kind = type(classes[0]) is type(classes[1])
    return signs[rows.codes] > 0, list(classes) if same_kind else [str(each) for each in classes]


def reread(learnt: Model, data: list[str], layout: Layout, label: str | None, unseen: str) -> Data:
    """Read data in the columns that a model has learnt from."""
    from ..tables.reading import read_as

    return read_as(data, known_by(learnt, layout, label, unseen))


def known_by(learnt: Model, layout: Layout, label: str | None, unseen: str) -> Known:
    """Return what a model knows of data that it is to predict."""
    from ..problem.provenance import LibsvmTable
    from ..tables.reading import Known

    if unseen not in ("refuse", "ignore"):
        raise FileError(f"--unseen must be refuse or ignore, got {unseen!r}.")
    dimension = getattr(learnt.classifier, "n_features_in_", None)
    nameless = learnt.columns is None and not isinstance(learnt.table, LibsvmTable)
    if dimension is None or (nameless and layout.format not in ("libsvm", "npz")):
        raise ModelError("The model has no feature names, so columns cannot be matched. Use it from Python.")
    if layout.numbers == "auto":
        layout = replace(layout, numbers=learnt.numbers)
    layout = replace(layout, ignore_case=layout.ignore_case or learnt.ignore_case)
    return Known(learnt.columns, learnt.table, dimension, label, layout, unseen, predicting=True)


def coded(rows: Data, classes: list[Any], others: bool) -> Any:
    """Return for each label its place among the classes, see `places_among`."""
    import numpy as np

    return np.array(places_among(rows.texts, classes, others))[rows.codes]


def places_among(texts: Iterable[str], classes: list[Any], others: bool) -> list[int]:
    """Return for labels, as a table writes them, their places among the classes that a model has learnt.

    One that it has not learnt is refused; or it is the first, if that class stands for all ``others``.
    """
    from ..checker import sign_of

    # Whole numbers are written without a point, whatever they were learnt as.
    meant = [int(each) if isinstance(each, float) and each.is_integer() else each for each in classes]
    codes = []
    for text in texts:
        found = [k for k, each in enumerate(meant) if sign_of(text, (None, each)) == 1]
        if not found and not others:
            if len(classes) == 2:
                strange = f"neither {shown(classes[0])} nor {shown(classes[1])}, the classes"
            else:
                strange = f"none of the {len(classes)} classes"
            raise FileError(f"The label {shown(text)} is {strange} the model has learnt.")
        codes.append(found[0] if found else 0)
    return codes
