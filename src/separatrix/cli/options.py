"""The options that several commands share, above all the one way in which all of them name data and columns."""

from __future__ import annotations

import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..support.escaping import command as command_of
from ..support.escaping import shown

if TYPE_CHECKING:
    from .._types import Floats
    from ..models.model_file import Model
    from ..tables.binary_files import Matrix
    from ..tables.csv_layout import Layout
    from ..tables.data import Data
    from ..tables.frame import Frame


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

DataFiles = Annotated[
    list[str],
    typer.Argument(help="CSV or TSV (also compressed), Parquet, Arrow, LIBSVM, .npy or .npz; - is standard input."),
]

Intercept = Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane has one.")]


@dataclass(frozen=True)
class Reading:
    """How files are written, as far as it was said."""

    header: bool | None
    separator: str | None
    encoding: str | None
    gap: tuple[str, ...]
    kind: str | None

    def layout(self) -> Layout:
        """Return what is said of text."""
        from ..problem.provenance import GAPS
        from ..tables.csv_layout import Layout

        return Layout(self.header, self.separator, self.encoding, self.gap or GAPS)

    def words(self) -> list[str]:
        """Return the options that say the same."""
        header = {None: [], True: ["--header"], False: ["--no-header"]}[self.header]
        return header + _words(separator=self.separator, encoding=self.encoding, gap=self.gap, format=self.kind)


@dataclass(frozen=True)
class Choosing:
    """Which columns are used, and what for."""

    label: str | None
    positive: str | None
    drop: tuple[str, ...]
    only: tuple[str, ...]
    text: tuple[str, ...]
    missing: str

    def words(self) -> list[str]:
        """Return the options that say the same."""
        missing = None if self.missing == "refuse" else self.missing
        return _words(
            label=self.label, positive=self.positive, drop=self.drop, only=self.only, text=self.text, missing=missing
        )


def _words(**given: str | tuple[str, ...] | None) -> list[str]:
    each = {name: (value,) if isinstance(value, str) else value or () for name, value in given.items()}
    return [word for name, values in each.items() for value in values for word in (f"--{name}", value)]


def _reading(
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first line has the names of the columns.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="Between the values of a line: comma, semicolon, tab, bar, space, colon or blanks.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of the text: utf-8, utf-16, latin-1 or cp1252.")] = None,
    gap: Annotated[
        list[str] | None,
        typer.Option(help="A text that stands for a missing value, in place of the usual ones; repeatable."),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--format", help="What the file is: csv, parquet, arrow, libsvm, npy or npz.")
    ] = None,
) -> Reading:
    return Reading(header, separator, encoding, tuple(gap or ()), kind)


def _choosing(
    label: Annotated[
        str | None,
        typer.Option(help="The column that holds the classes, by name or position (1 is the first, -1 the last)."),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="The class to set against all others.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="A column to use, and no others; repeatable.")] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="A column of categories, even if it looks like numbers; repeatable.")
    ] = None,
    missing: Annotated[
        str,
        typer.Option(help="What to do with missing values: refuse, drop-rows, or indicator (0, and a column that tells)."),
    ] = "refuse",
) -> Choosing:
    return Choosing(label, positive, tuple(drop or ()), tuple(only or ()), tuple(text or ()), missing)


_GROUPS: dict[str, Callable[..., Any]] = {"reading": _reading, "choosing": _choosing}


def with_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of its parameters ``reading`` and ``choosing``, in their place."""
    own = inspect.signature(command, eval_str=True).parameters
    groups = [name for name in _GROUPS if name in own]
    shared = {name: inspect.signature(_GROUPS[name], eval_str=True).parameters for name in groups}

    def run(**given: Any) -> Any:
        for group, parameters in shared.items():
            given[group] = _GROUPS[group](**{name: given.pop(name) for name in parameters})
        return command(**given)

    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        parameters += shared[name].values() if name in groups else [parameter]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def read(paths: list[str], reading: Reading, choosing: Choosing, *, labelled: bool = True) -> Data:
    """Read the data that a command names; with labels, unless they may be absent."""
    from ..tables.frame import opened_as

    gc.disable()  # with many columns, garbage would be looked for time and again among all that is loaded, and read
    try:
        return _made(opened_as(paths, reading.layout(), reading.kind, choosing.label), paths, choosing, labelled)
    finally:
        gc.enable()
        gc.freeze()  # until the command line ends


def read_weighed(paths: list[str], reading: Reading, choosing: Choosing, weights: str | None) -> tuple[Data, Floats | None]:
    """Read data with labels, and one of its columns as weights of the rows, in no other use then."""
    import numpy as np

    from ..exceptions import FileError
    from ..tables.binary_files import Matrix
    from ..tables.cells import Words, cells_of, place_of
    from ..tables.frame import opened_as

    opened = opened_as(paths, reading.layout(), reading.kind, choosing.label)
    if weights is None:
        return _made(opened, paths, choosing, True), None
    if isinstance(opened, Matrix):
        raise FileError(f"{paths[0]} has no columns by name to take --weights from: only tables have.")
    place = place_of(weights, opened.names, opened.name, " of weights")
    if choosing.label is not None and place == place_of(choosing.label, opened.names, opened.name, " for the label"):
        raise FileError(f"The column {opened.names[place]!r} cannot be both the label and --weights.")
    data = _made(opened, paths, replace(choosing, drop=(*choosing.drop, weights)), True)
    cells = cells_of(opened.names[place], opened.read([place], []).column(0), opened.layout.gaps, opened.where)
    if isinstance(cells, Words):
        raise FileError(f"The column {cells.name!r} holds text, such as {cells.texts[0]!r}: --weights must be numbers.")
    values = cells.array()
    bad = np.isnan(values) | np.isinf(values) | (values < 0.0) | (False if cells.gaps is None else cells.gaps)
    bad = bad if data.kept is None else bad[data.kept]
    if bad.any():
        where = data.locate([int(np.flatnonzero(bad)[0])])[0]
        raise FileError(f"{where}, column {cells.name!r}: no number from 0 up. Every row needs such a weight.")
    return data, values if data.kept is None else values[data.kept]


def _made(opened: Frame | Matrix, paths: list[str], choosing: Choosing, labelled: bool) -> Data:
    from ..exceptions import FileError
    from ..tables.binary_files import Matrix
    from ..tables.data import Choice
    from ..tables.encoding import learn
    from ..tables.reading import from_matrix

    choice = Choice(choosing.label, choosing.drop, choosing.only, choosing.text, choosing.missing)  # type: ignore[arg-type]
    if isinstance(opened, Matrix):
        data = from_matrix(opened, choice)
        if labelled and data.codes is None:
            raise FileError(f"{paths[0]} holds no labels: save them beside the rows, as an array named y.")
        return data
    if labelled and choosing.label is None:
        from ..tables.cells import listed

        raise FileError(
            f"Which column of {opened.name} holds the classes? Name it with --label. It has: {listed(opened.names)}."
        )
    return learn(opened, choice)


def positive_class(data: Data, positive: str | None) -> Any:
    """Return the class that is named, as the labels have it; see that it is there, or else that two classes are."""
    found = list(data.classes)
    if positive is None:
        if len(found) > 2:
            some = ", ".join(map(shown, found[:6])) + (", …" if len(found) > 6 else "")
            raise ValueError(f"The label has {len(found)} classes: {some}. Set one against the rest with --positive.")
        return None
    named = [
        value
        for value, text in zip(found, data.texts, strict=True)
        if positive in (text, str(value)) or (isinstance(value, bool) and positive.lower() == str(value).lower())
    ]
    if not named:
        raise ValueError(
            f"--positive {shown(positive)} is not a class of the label, which has: {', '.join(map(shown, found[:12]))}."
        )
    return named[0]


def two_classes(rows: Data, positive: str | None) -> tuple[Any, list[Any]]:
    """Whether each row is of the positive class, and the two classes; ``positive`` against the rest."""
    import numpy as np

    from ..problem.labels import code_labels

    signs, classes = code_labels(np.array(rows.classes), positive=positive_class(rows, positive))
    if len(classes) < 2:
        raise ValueError(f"All rows are of one class, {classes[0]!r}: there is nothing to tell apart. Give rows of two.")
    same_kind = type(classes[0]) is type(classes[1])
    return signs[rows.codes] > 0, list(classes) if same_kind else [str(each) for each in classes]


def refuse_unwritable(path: Path | None, option: str, inputs: dict[str, list[str]]) -> None:
    """Say at once, before any work, that a result cannot be written, or would overwrite what it is made from."""
    from ..exceptions import FileError

    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise FileError(f"{path} cannot be written: {'it is a' if path.is_dir() else 'there is no such'} folder.")
    if not path.is_file():  # a new file, or one that is not replaced, such as a pipe
        return
    target = path.stat()
    for what, names in inputs.items():
        if any(os.path.samestat(target, found) for name in names for found in _files(name)):
            raise FileError(f"{option} {path} would overwrite {what}.")


def _files(name: str) -> Iterator[os.stat_result]:
    """Find the files that a name stands for, which may have wildcards or be standard input, by device and number."""
    with suppress(OSError, ValueError):
        if name == "-":
            yield os.fstat(sys.stdin.fileno())
            return
    for each in (name, *glob(name, recursive=True)):
        with suppress(OSError, ValueError):
            yield os.stat(each)


Order = Annotated[str, typer.Option(help="Order of visits: cyclic, shuffle or random.")]

Tie = Annotated[str, typer.Option(help="What a score of zero predicts: update (nothing), positive or negative.")]

MaxIter = Annotated[int, typer.Option(help="The most passes.")]

MAX_PLACES = 60


def proof_written(proof: Path, data: list[str], reading: Reading) -> str:
    """Say where a proof is, and how to check it."""
    kind = [] if reading.kind is None else ["--format", reading.kind]
    check = command_of(["separatrix", "verify", str(proof), *data, *kind])
    return f"Proof written to {shown(proof)}; check it with: {check}"


def places_in_words(places: list[str], what: str = "The witness, in its order") -> str:
    """Say where rows are.

    >>> places_in_words(["a.csv, line 2", "a.csv, line 7", "b.csv, line 3"])
    'The witness, in its order: a.csv, lines 2, 7; b.csv, line 3.'
    """
    files: dict[str, list[str]] = {}
    for place in places:
        file, _, row = place.rpartition(" ")
        files.setdefault(file, []).append(row)
    texts = [f"{shown(file)}{'s' if len(rows) > 1 else ''} {', '.join(rows)}" for file, rows in files.items()]
    return f"{what}: {'; '.join(texts)}."


def refuse_style(style: str) -> None:
    """Refuse a style of explanations that there is not."""
    from ..exceptions import FileError

    if style not in ("text", "markdown", "latex"):
        raise FileError(f"--style must be text, markdown or latex, got {style!r}.")


ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]

Unseen = Annotated[str, typer.Option(help="Categories that were not there before: refuse them, or ignore (count as 0).")]


def reread(learnt: Model, data: list[str], reading: Reading, label: str | None, unseen: str) -> Data:
    """Read data in the columns that a model has learnt from."""
    from ..exceptions import FileError, ModelError
    from ..problem.provenance import LibsvmTable
    from ..tables.reading import reread

    if unseen not in ("refuse", "ignore"):
        raise FileError(f"--unseen must be refuse or ignore, got {unseen!r}.")
    dimension = getattr(learnt.classifier, "n_features_in_", None)
    nameless = learnt.columns is None and not isinstance(learnt.table, LibsvmTable)
    if dimension is None or (nameless and reading.kind not in ("libsvm", "npz")):
        raise ModelError("The model has no feature names, so columns cannot be matched. Use it from Python.")
    return reread(
        data, learnt.columns, learnt.table, dimension, label=label, layout=reading.layout(), kind=reading.kind,
        unseen=unseen, predicting=True,
    )  # fmt: skip
