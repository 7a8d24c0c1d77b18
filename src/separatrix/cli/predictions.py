"""What a model predicts, as CSV or JSON, written part by part: rows in memory are one part, and each block is one.

A part is a list with an entry for each row of the table; None where a row has missing values, which the model has not learnt
to predict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .terminal import as_csv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..models.model_file import Model
    from ..streaming.stream import Stream
    from ..tables.data import Data

_MOST_AT_ONCE = 2**16
"""Rows that are left out, one after another, in one part."""


class Predictions(NamedTuple):
    """What a model says of the rows of a table."""

    given: int
    """How many rows the table has."""
    dropped: int
    """How many of these have missing values that the model has not learnt to predict."""
    notes: list[Any]
    said: Callable[..., Iterator[tuple[list[Any], ...]]]
    """Gives what some methods of the classifier say, part by part."""


def of_data(model: Model, rows: Data) -> Predictions:
    """Predict rows in memory."""

    def said(*methods: str) -> Iterator[tuple[list[Any], ...]]:
        found = tuple(getattr(model.classifier, method)(rows.rows) for method in methods)
        yield from _spread([(found, rows.kept)], rows.given)

    return Predictions(rows.given, rows.dropped, list(rows.said), said)


def of_stream(model: Model, stream: Stream) -> Predictions:
    """Predict rows in blocks."""
    from ..streaming.predicting import ask

    facts, known = stream.facts, stream.known

    def said(*methods: str) -> Iterator[tuple[list[Any], ...]]:
        return _spread(ask(stream, model.classifier, *methods), facts.given)

    return Predictions(facts.given, facts.given - facts.n, [] if known is None else list(known.said), said)


def _spread(
    parts: Iterable[tuple[tuple[NDArray[Any], ...], NDArray[Any] | None]], given: int
) -> Iterator[tuple[list[Any], ...]]:
    """Yield what is said of the rows that are there, with None for those that are left out between them."""
    due, methods = 0, 0
    for said, rows in parts:
        methods = len(said)
        if rows is None:
            yield tuple(each.tolist() for each in said)
            due += len(said[0])
        elif rows.size:
            yield from _nothing(int(rows[0]) - due, methods)
            due = int(rows[-1]) + 1
            places = (rows - rows[0]).tolist()
            found: tuple[list[Any], ...] = tuple([None] * (due - int(rows[0])) for _ in said)
            for here, there in zip(found, said, strict=True):
                for place, value in zip(places, there.tolist(), strict=True):
                    here[place] = value
            yield found
    yield from _nothing(given - due, methods)


def _nothing(rows: int, methods: int) -> Iterator[tuple[list[Any], ...]]:
    """Yield None for so many rows."""
    for start in range(0, rows, _MOST_AT_ONCE):
        yield tuple([None] * min(_MOST_AT_ONCE, rows - start) for _ in range(methods))


# ---- Written.


def csv_of(model: Model, found: Predictions, written: Callable[[str], str]) -> Iterator[str]:
    """Write predictions and scores as CSV, in one pass; texts as a function has them."""
    name, classes = model.label or "prediction", model.classifier.classes_.tolist()
    several = len(classes) > 2
    header = [f"score of {each}" for each in classes] if several else ["score" if name != "score" else "score of it"]
    yield as_csv([name, *header], [], written)
    nothing = [None] * len(header)
    for labels, scores in found.said("predict", "decision_function"):
        rows = ([label, *(nothing if s is None else s if several else [s])] for label, s in zip(labels, scores, strict=True))
        yield as_csv([], rows, written).removeprefix("\n")


def json_of(model: Model, found: Predictions) -> Iterator[str]:
    """Write predictions and scores as one document of JSON; they stand one after the other, which takes a pass for each."""
    classes = model.classifier.classes_.tolist()
    yield f'{{\n "label": {json.dumps(model.label)},\n "predictions": '
    yield from _array(part for (part,) in found.said("predict"))
    yield ',\n "scores": '
    yield from _array([_finite(score) for score in part] for (part,) in found.said("decision_function"))
    if len(classes) > 2:
        yield f',\n "classes": {_inside(classes)}'
    yield "\n}\n"


def _array(parts: Iterable[list[Any]]) -> Iterator[str]:
    """Write the elements of an array that is the value of a key, as `json.dumps` does with an indent of 1."""
    empty = True
    for part in parts:
        if part:
            inner = _inside(part).removeprefix("[").removesuffix("\n ]")
            yield f"[{inner}" if empty else f",{inner}"
            empty = False
    yield "[]" if empty else "\n ]"


def _inside(value: list[Any]) -> str:
    """Write a list as it stands one level deeper; texts of JSON hold no line breaks."""
    return json.dumps(value, indent=1).replace("\n", "\n ")


def _finite(score: Any) -> Any:
    """Return a score for JSON, which has no infinite numbers; a row that no class can have made has no score."""
    if isinstance(score, list):
        return list(map(_finite, score))
    return score if score is not None and math.isfinite(score) else None
