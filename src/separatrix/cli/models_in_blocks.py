"""What `fit`, `audit`, `predict` and `score` do with rows that are read in blocks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exceptions import FileError, ModelError
from ..problem.provenance import Choice, Layout, TextTable
from ..support.counts import counted
from ..support.escaping import shown, tamed
from ..support.interruption import interrupt, one_deeper
from .algorithms import drawn, findings, told
from .pages import Page
from .streams import positive_class, size_of, stream_of
from .terminal import collected, progress
from .wording import MAX_CLASSES_SHOWN, all_worded

if TYPE_CHECKING:
    from ..models.model_file import Model
    from ..streaming.stream import Stream

ROWS_IN_BLOCKS = "1GB"
"""What --memory is if only --checkpoint says that rows are read in blocks."""

_LEARNING = ("perceptron", "averaged")


class Checkpoint(NamedTuple):
    """Where the state of a run is kept, how often, and whether it goes on from there."""

    path: Path | None
    every: float | None
    resume: bool

    def refuse(self) -> None:
        """Refuse what makes no sense."""
        if self.path is None and (self.every is not None or self.resume):
            raise FileError(
                f"{'--resume' if self.resume else '--every'} is about a checkpoint: name its file with --checkpoint."
            )

    def options(self) -> dict[str, Any]:
        """Return it as arguments of `Stream.fit`."""
        if self.path is None:
            return {}
        return {"checkpoint": self.path, "every": 60.0 if self.every is None else self.every, "resume": self.resume}


def fit_in_blocks(
    algorithm: str,
    parameters: dict[str, Any],
    data: list[str],
    choice: Choice,
    layout: Layout,
    memory: str | None,
    intercept: bool,
    typed: list[Any] | None,
    kept: Checkpoint,
    model: Path | None,
    as_json: bool,
) -> None:
    """Learn from rows in blocks, and write the model."""
    from ..estimators.family import ALGORITHMS
    from ..estimators.learnt import with_classes
    from ..models.model_file import save_model
    from ..problem.majority import Majority
    from ..streaming.stream import Stream
    from ..tables.column_notes import about_positive
    from .lessons import first_weights

    if algorithm not in _LEARNING:
        raise FileError(
            f"--algorithm {algorithm} takes all rows in memory. With --memory, learn with {' or '.join(_LEARNING)}."
        )
    with progress("reading the table", "Ctrl-C stops it"):
        stream = stream_of(data, layout, choice, memory or ROWS_IN_BLOCKS)
    learnt_from, classes = one_or_all(stream, choice.positive)
    notes = all_worded([*stream.notes(), *about_positive(stream.classes, choice.positive)])
    classifier = ALGORITHMS[algorithm].make(fit_intercept=intercept, **parameters)
    vectors = len(classes) if len(classes) > 2 else 1
    first = {} if typed is None else first_weights(typed, stream.facts.d, vectors, intercept)
    keeps = "Ctrl-C keeps what is learnt so far"
    with progress("getting ready", keeps), collected(notes):
        with collected([]), one_deeper():  # what it takes to compile loops is no part of learning
            two = [0, 1] if len(classes) < 3 else [0, 1, 2]
            Stream(([[float(each)] for each in two], two)).fit(ALGORITHMS[algorithm].make())
        started = time.perf_counter()
        learnt_from.fit(classifier, **first, **kept.options())
        seconds = time.perf_counter() - started
    interrupted = interrupt.came
    named = with_classes(classifier, classes)
    result: dict[str, Any] = {
        "algorithm": algorithm, "rows": stream.facts.n, "features": stream.names, **findings(algorithm, named),
        "training_errors": None if interrupted else _errors(learnt_from, classifier),
        "seconds": round(seconds, 6), "classes": classes,
        "majority": Majority.of_counts(learnt_from.facts.counts, classes).document(),
        "model": None if model is None else str(model),
        "checkpoint": None if kept.path is None else str(kept.path), "interrupted": interrupted, "notes": notes,
    }  # fmt: skip
    if model is not None:
        save_model(named, model, data=stream)
    if as_json:
        print(json.dumps(result, indent=1))
        return
    out = Page()
    about = f"{shown(classes[1])} against {shown(classes[0])}" if len(classes) == 2 else counted(len(classes), "class")
    out.print(f"{counted(stream.facts.n, 'row')}, {counted(stream.facts.d, 'feature')}: {about}.")
    out.print(told(result))
    drawing = drawn(result, ">=" if parameters.get("tie") == "positive" else ">")
    if drawing is not None:
        out.print(f"\n{drawing}\n")
    wrong = result["training_errors"]
    errors = "Training errors: not counted." if wrong is None else f"Training errors: {wrong:,} of {stream.facts.n:,}."
    out.print(f"{errors} {Majority.of_counts(learnt_from.facts.counts, classes).in_words()}")
    if model is not None:
        out.print(f"Model written to {shown(model)}.")
    for note in notes:
        out.print(tamed(f"Note: {note}"))


def one_or_all(stream: Stream, positive: str | None) -> tuple[Stream, list[Any]]:
    """Return the rows to learn from, and the classes that are told apart: all, or one and the others."""
    from ..problem.labels import class_array, code_labels

    classes = list(stream.classes)
    if len(classes) < 2:
        raise ValueError(f"All rows are of one class, {classes[0]!r}: there is nothing to tell apart. Give rows of two.")
    if positive is None:
        return stream, classes
    named = positive_class(stream, positive)
    _, both = code_labels(class_array(classes), positive=named)
    same_kind = type(both[0]) is type(both[1])
    return stream.against_rest(named), list(both) if same_kind else [str(each) for each in both]


def _errors(stream: Stream, classifier: Any) -> int | None:
    """Count the rows that are predicted wrong, in a pass more; None if Ctrl-C came."""
    from ..support.interruption import is_kept

    if classifier.halted_ and not classifier.average:
        return 0
    with progress("counting the errors", "Ctrl-C leaves that out"):
        try:
            return stream.facts.n - round(stream.score(classifier) * stream.facts.n)
        except KeyboardInterrupt as reason:
            is_kept(reason)
            return None


# ---- Models on new rows.


def stream_for(
    model: Model, data: list[str], layout: Layout, label: str | None, unseen: str, memory: str
) -> Stream:  # fmt: skip
    """Open rows in the columns that a model has learnt from, to be read in blocks."""
    from ..streaming.stream import Stream
    from ..tables.cells import listed
    from ..tables.encoding import at_prediction

    if unseen not in ("refuse", "ignore"):
        raise FileError(f"--unseen must be refuse or ignore, got {unseen!r}.")
    if model.columns is None:
        raise ModelError("The model has no feature names, so columns cannot be matched in blocks: leave --memory out.")
    text = model.table if isinstance(model.table, TextTable) else None
    layout = layout if text is None else layout.or_else(text, loosely=True)
    if layout.numbers == "auto":
        layout = replace(layout, numbers=model.numbers)
    layout = replace(layout, ignore_case=layout.ignore_case or model.ignore_case)
    choice = Choice(
        label=label,
        only=tuple(dict.fromkeys(column.source for column in model.columns)),
        text=tuple(dict.fromkeys(column.source for column in model.columns if column.category is not None)),
        missing=at_prediction("refuse" if text is None else text.missing, unseen),
    )
    with progress("reading the table", "Ctrl-C stops it"):
        stream = Stream.of(data, layout, choice, size_of(memory))
        names = stream.table_columns
        absent = [str(name) for name in choice.only if names is not None and name not in names]
        if absent and names is not None:
            what = "column" if len(absent) == 1 else f"{len(absent)} columns"
            raise FileError(f"{data[0]} lacks the {what} {listed(absent)}. It has: {listed(names)}.")
        if stream.facts.given != stream.facts.n:
            left_out = counted(stream.facts.given - stream.facts.n, "row")
            raise FileError(
                f"{left_out} of {data[0]} have missing values, and the model was learnt without such. Leave --memory out, "
                "or leave them out of the table."
            )
        return stream.in_columns(model.columns, unseen)


def predictions(stream: Stream, classifier: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the predictions and the scores of each block."""
    from ..streaming.predicting import ask

    return ((labels.tolist(), scores.tolist()) for labels, scores in ask(stream, classifier, "predict", "decision_function"))


def csv_of(
    parts: Iterable[tuple[list[Any], list[Any]]], name: str, classes: list[Any], written: Callable[[str], str]
) -> Iterator[str]:
    """Write predictions as CSV, block by block."""
    from .terminal import as_csv

    several = len(classes) > 2
    header = [f"score of {each}" for each in classes] if several else ["score" if name != "score" else "score of it"]
    yield as_csv([name, *header], [], written)
    for labels, scores in parts:
        rows = ([label, *(score if several else [score])] for label, score in zip(labels, scores, strict=True))
        yield as_csv([], rows, written).removeprefix("\n")


def confusion_of(stream: Stream, model: Model, classes: list[Any]) -> Any:
    """Count the rows of each class that are said to be of each, as the model has its classes."""
    import numpy as np

    from ..checker import sign_of
    from ..streaming.predicting import confusion

    known = stream.known
    texts = tuple(map(str, stream.classes)) if known is None else known.texts
    found = confusion(stream, model.classifier)
    meant = [int(each) if isinstance(each, float) and each.is_integer() else each for each in classes]
    table = np.zeros((len(classes), len(classes)), np.int64)
    for k, text in enumerate(texts):
        place = [j for j, each in enumerate(meant) if sign_of(text, (None, each)) == 1]
        if not place and not model.others:
            which = f"none of the {len(classes)} classes"
            if len(classes) <= MAX_CLASSES_SHOWN:
                which = f"none of {', '.join(map(shown, classes))}, the classes"
            raise FileError(f"The label {shown(text)} is {which} the model has learnt.")
        table[place[0] if place else 0] += found[k]
    return table
