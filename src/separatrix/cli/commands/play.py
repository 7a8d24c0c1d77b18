"""The command ``play``: the online protocol on rows that come one by one."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from ...support.counts import counted
from ...support.escaping import shown
from ..options import Json, refuse_unwritable, with_data_options
from ..terminal import as_csv, put, say

if TYPE_CHECKING:
    from ...estimators.scaler import Scaler
    from ...models.model_file import Model
    from ...online.protocol import Round
    from ...tables.text.row_stream import RowStream, StreamedRow


@with_data_options
def play(
    choice: Choice,
    layout: Layout,
    data: Annotated[str, typer.Argument(help="A table as text, read line by line; - is standard input.")] = "-",
    classes: Annotated[
        str | None, typer.Option(help="All classes, with commas between them: of two the negative one first. -1,1")
    ] = None,
    begin: Annotated[Path | None, typer.Option("--from", help="Go on with the perceptron of this model file.")] = None,
    model: Annotated[Path | None, typer.Option(help="Write the perceptron to this file at the end, or at Ctrl-C.")] = None,
    tie: Annotated[str | None, typer.Option(help="What a score of zero predicts: update, positive or negative.")] = None,
    eta0: Annotated[str | None, typer.Option(help="The learning rate, a decimal: 1.")] = None,
    intercept: Annotated[
        bool | None, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane has one; the default is yes.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play the online protocol: read a row, predict its class, compare with the outcome, learn from a mistake.

    A line is printed for each row as soon as it is there. A row whose label is empty is predicted, and nothing is learnt.
    """
    given = {"tie": tie, "eta0": eta0, "fit_intercept": intercept}
    parameters = {name: value for name, value in given.items() if value is not None}
    inputs = {"the data": [data], "the model that it begins with": [] if begin is None else [str(begin)]}
    refuse_unwritable(model, "--model", inputs)
    with ExitStack() as stack:
        lines = _checked(stack.enter_context(_opened(data, layout)), data, layout)
        if lines is None:
            raise FileError("standard input is closed: there are no rows to read.")
        name = "standard input" if data == "-" else data
        table = _begun(begin, lines, name, layout, choice, classes, parameters)
        rounds, interrupted = _played(table, as_json)
    if model is not None:
        table.save(model)
    result = {
        "rounds": rounds, "mistakes": table.mistakes, "model": None if model is None else str(model),
        "interrupted": interrupted,
    }  # fmt: skip
    if as_json:
        put(json.dumps(result) + "\n")
    kept = "" if model is None else f" Model written to {shown(model)}."
    say(f"{'Stopped after ' if interrupted else ''}{counted(rounds, 'round')}, {counted(table.mistakes, 'mistake')}.{kept}")
    if interrupted:
        raise typer.Exit(130)


@dataclass
class _Table:
    """A perceptron, the rows that come, and the names of its classes."""

    perceptron: Any
    rows: RowStream
    classes: list[Any]
    others: bool
    """Whether the first of two classes stands for every label but the second."""
    label: str
    scaler: Scaler | None = None
    """What scales the rows before the perceptron sees them."""
    mistakes: int = 0

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield rows with their outcomes."""
        for row in self.rows:
            numbers = row.numbers if self.scaler is None else self.scaler.transform([row.numbers])[0].tolist()
            yield numbers, None if row.label is None else self._outcome(row)

    def _outcome(self, row: StreamedRow) -> Any:
        from ...checker import sign_of

        assert row.label is not None
        for each in self.classes:
            if sign_of(row.label, (None, each)) == 1:
                return each
        if self.others:
            return self.classes[0]
        raise FileError(
            f"{row.place}: the label {shown(row.label)} is none of the classes {', '.join(map(shown, self.classes))}. Name "
            "all of them with --classes, or one against the rest with --positive."
        )

    def save(self, path: Path) -> None:
        """Write the perceptron, with the names of the columns."""
        import numpy as np
        from sklearn.pipeline import make_pipeline

        from ...estimators.learnt import adopt, learnt_by
        from ...estimators.scaler import scaler_of, scaling_of
        from ...models.model_file import save_model

        learnt, names = learnt_by(self.perceptron), np.array(self.rows.features, object)
        adopt(self.perceptron, replace(learnt, names=names, against_rest=self.others))
        model = self.perceptron
        if self.scaler is not None:
            model = make_pipeline(scaler_of(scaling_of(self.scaler), names), self.perceptron)
        save_model(model, path, label=self.label)


@contextmanager
def _standard_input(codec: str) -> Iterator[Any]:
    """Read standard input as text in an encoding, and leave it open."""
    text = io.TextIOWrapper(sys.stdin.buffer, encoding=codec, newline="")
    try:
        yield text
    finally:
        text.detach()


def _opened(path: str, layout: Layout) -> Any:
    """Open a file, or standard input, as text."""
    encoding = layout.encoding or "utf-8"
    codec = "utf-8-sig" if encoding == "utf-8" else encoding  # with or without a byte order mark
    if path == "-":
        if sys.stdin is None:
            raise FileError("There is no standard input to read from.")
        return _standard_input(codec)
    try:
        return open(path, encoding=codec, newline="")
    except FileNotFoundError:
        raise FileError(f"There is no file {path}.") from None


def _checked(lines: Iterable[str], name: str, layout: Layout) -> Iterator[str]:
    """Yield lines as they come; refuse what is no text."""
    try:
        yield from lines
    except UnicodeDecodeError as error:
        packed = error.object[:2] == b"\x1f\x8b"
        advice = "It is compressed: unpack it first, as in gunzip -c FILE | separatrix play." if packed else (
            "Name its encoding with --encoding, such as latin-1.")  # fmt: skip
        where = "Standard input" if name == "-" else shown(name)
        raise FileError(f"{where} is not text in {layout.encoding or 'utf-8'}. {advice}") from None


def _begun(
    begin: Path | None, lines: Any, name: str, layout: Layout, choice: Choice, named: str | None, parameters: dict[str, Any]
) -> _Table:
    """Lay out the game: with a perceptron from a file, or one with zero weights."""
    from ...estimators.perceptron import Perceptron
    from ...tables.text.row_stream import RowStream

    if begin is not None:
        return _continued(begin, lines, name, layout, choice, [*parameters, *([] if named is None else ["classes"])])
    if named is not None and choice.positive is not None:
        raise FileError("--classes and --positive both say what the classes are: leave one out.")
    classes = [f"not {choice.positive}", choice.positive] if choice.positive is not None else _classes(named or "-1,1")
    rows = RowStream(lines, name, layout, choice)
    zeros: Any = [0] * len(rows.features)
    perceptron = Perceptron.of(zeros if len(classes) == 2 else [zeros] * len(classes), classes=classes, **parameters)
    return _Table(perceptron, rows, classes, choice.positive is not None, rows.names[rows.label])


def _continued(begin: Path, lines: Any, name: str, layout: Layout, choice: Choice, given: list[str]) -> _Table:
    """Go on with a perceptron that a file has, in the columns that it has learnt from."""
    from ...estimators.perceptron import Perceptron
    from ...models.model_file import read_model
    from ...problem.provenance import TextTable
    from ...tables.text.row_stream import RowStream

    given += ["positive"] if choice.positive is not None else []
    if given or choice.drop or choice.only:
        words = [f"--{each.replace('fit_', '').replace('_', '-')}" for each in given] or ["--drop and --only"]
        raise FileError(f"{', '.join(words)} cannot be said with --from: the perceptron of {shown(begin)} has all that.")
    learnt: Model = read_model(begin)
    perceptron = learnt.learner
    if not isinstance(perceptron, Perceptron):
        raise FileError(f"{begin} holds a {type(perceptron).__name__}: only a Perceptron plays rounds.")
    if any(column.category is not None or column.gap for column in learnt.columns or ()):
        raise FileError(f"{begin} has columns of words or gaps, and rows that are read one by one hold numbers.")
    written = layout.or_else(learnt.table) if isinstance(learnt.table, TextTable) else layout
    label = choice.label if choice.label is not None else learnt.label
    columns = None if learnt.columns is None else [column.source for column in learnt.columns]
    rows = RowStream(lines, name, written, replace(choice, label=label), columns)
    if len(rows.features) != perceptron.n_features_in_:
        raise FileError(f"{begin} has learnt {perceptron.n_features_in_} columns; {name} has {len(rows.features)}.")
    classes = perceptron.classes_.tolist()
    return _Table(perceptron, rows, classes, learnt.others, rows.names[rows.label], learnt.scaler)


def _classes(text: str) -> list[Any]:
    """Read the names of classes: whole numbers if all are; more than two in their order."""
    import re

    names = [each.strip() for each in text.split(",")]
    if len(set(names)) < max(2, len(names)) or "" in names:
        raise FileError(f"--classes must name two or more classes, with commas between them, such as no,yes; got {text!r}.")
    numbers = all(re.fullmatch("[+-]?[0-9]{1,18}", name) for name in names)
    classes: list[Any] = [int(name) for name in names] if numbers else names
    return classes if len(classes) == 2 else sorted(classes)


def _played(table: _Table, as_json: bool) -> tuple[int, bool]:
    """Play until the rows end, or Ctrl-C comes; return the number of rounds, and whether it came."""
    from ...online.protocol import play as rounds_of

    number, interrupted = 0, False
    if not as_json:
        put("round,prediction,outcome,mistake,mistakes\n")
    try:
        for each in rounds_of(table.perceptron, table.pairs()):
            number, table.mistakes = each.number, each.mistakes
            put(_line(each, as_json))
            sys.stdout.flush()
    except KeyboardInterrupt:
        interrupted = True
    return number, interrupted


def _line(each: Round, as_json: bool) -> str:
    """Write a round."""
    known = each.outcome is not None
    if as_json:
        fields = {
            "round": each.number, "prediction": each.prediction, "tie": each.tie, "outcome": each.outcome,
            "mistake": each.mistake if known else None, "mistakes": each.mistakes,
        }  # fmt: skip
        return json.dumps(fields) + "\n"
    mistake = ("yes" if each.mistake else "no") if known else ""
    cells = [each.number, each.prediction, each.outcome if known else "", mistake, each.mistakes]
    return as_csv([], [cells], shown if sys.stdout.isatty() else str).removeprefix("\n")
