"""What `fit`, `audit`, `predict` and `score` do with rows that are read in blocks."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exceptions import FileError, ModelError
from ..problem.provenance import Choice, Layout
from ..support.counts import counted
from ..support.escaping import shown, tamed
from ..support.interruption import interrupt, one_deeper
from .algorithms import drawn, findings, told
from .inputs import known_by, places_among
from .pages import Page
from .streams import positive_class, refuse_standard_input, size_of, stream_of
from .terminal import collected, progress
from .wording import all_worded

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

    refuse_standard_input(data)
    known = known_by(model, layout, label, unseen)
    if model.columns is None:
        raise ModelError("The model has no feature names, so columns cannot be matched in blocks: leave --memory out.")
    with progress("reading the table", "Ctrl-C stops it"):
        return Stream.again(data, known, size_of(memory))


def confusion_of(stream: Stream, model: Model, classes: list[Any]) -> Any:
    """Count the rows of each class that are said to be of each, as the model has its classes."""
    import numpy as np

    from ..streaming.predicting import confusion

    known = stream.known
    places = places_among(map(str, stream.classes) if known is None else known.texts, classes, model.others)
    table = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(table, places, confusion(stream, model.classifier))
    return table
