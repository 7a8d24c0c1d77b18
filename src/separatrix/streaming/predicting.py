"""What a fitted classifier says of rows in blocks: each block is rows in memory to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._types import Indices
from ..problem.batches import Batches, ended
from ..problem.blocks import Block
from ..problem.exact_rows import ExactRows
from ..problem.labels import class_array
from ..problem.provenance import Column, Provenance
from ..support import progress
from ..support.counts import counted


def predict(batches: Batches, classifier: Any, method: str = "predict") -> Iterator[NDArray[Any]]:
    """Yield what a classifier says of rows, block by block in their order."""
    return (found.said[0] for found in ask(batches, classifier, method))


class Answer(NamedTuple):
    """What is said of the rows of a block."""

    said: tuple[NDArray[Any], ...]
    """What each method says."""
    given: Indices | None
    """The numbers of the rows among all that are given, see `Block`."""


def ask(batches: Batches, classifier: Any, *methods: str) -> Iterator[Answer]:
    """Yield what several methods of a classifier say of rows, all in one pass, block by block in their order."""
    check_is_fitted(classifier)
    columns = common_columns(batches, classifier)
    waiting: dict[int, Answer] = {}
    facts, due = batches.facts, 0
    with ended(batches.map(_all_said, classifier, methods, columns)) as found:
        for k, said in found:
            waiting[k] = said
            while due in waiting:
                yield waiting.pop(due)
                due += 1
                _report(int(facts.starts[due]), facts.n)


def score(batches: Batches, classifier: Any) -> float:
    """Return the share of rows that are predicted right."""
    facts = batches.facts
    table = confusion(batches, classifier)
    known = classifier.classes_.tolist()
    right = sum(int(table[k, known.index(label)]) for k, label in enumerate(facts.classes) if label in known)
    return right / facts.n


def confusion(batches: Batches, classifier: Any) -> NDArray[np.int64]:
    """Count the rows of each class of the batches that are said to be of each class of the classifier."""
    check_is_fitted(classifier)
    facts = batches.facts
    if not facts.classes:
        raise ValueError("This stream has no labels to hold predictions against: say which column they are in.")
    columns = common_columns(batches, classifier)
    table = np.zeros((len(facts.classes), len(classifier.classes_)), np.int64)
    done = 0
    with ended(batches.map(_counts, classifier, len(facts.classes), columns)) as found:
        for k, counts in found:
            table += counts
            done += facts.sizes[k]
            _report(done, facts.n)
    return table


class Named(NamedTuple):
    """Rows, and the columns that they have: what a classifier that knows its columns is given."""

    rows: ExactRows
    provenance: Provenance


def common_columns(batches: Batches, classifier: Any) -> tuple[Column, ...] | None:
    """Return the columns of rows, if a classifier knows by their names which it has learnt from; refuse too few or many."""
    facts, d = batches.facts, getattr(classifier, "n_features_in_", None)
    if d is not None and d != facts.d:
        raise ValueError(f"X has {facts.d} features, but {type(classifier).__name__} is expecting {d} features as input.")
    return None if getattr(classifier, "feature_names_in_", None) is None else facts.columns


def _report(done: int, n: int) -> None:
    progress.report(lambda: f"{done:,} of {counted(n, 'row')}", done, n, "rows")


def _all_said(
    block: Block, start: int, classifier: Any, methods: tuple[str, ...], columns: tuple[Column, ...] | None
) -> Answer:
    return Answer(tuple(_said(block, start, classifier, method, columns) for method in methods), block.given)


def _said(block: Block, start: int, classifier: Any, method: str, columns: tuple[Column, ...] | None) -> NDArray[Any]:
    """Return what a method of a classifier says of a block; of no rows what it says of one, cut off."""
    n, d = block.rows.shape
    rows = block.rows if n else ExactRows(np.zeros((1, d)))
    said: NDArray[Any] = getattr(classifier, method)(rows if columns is None else Named(rows, Provenance(columns)))
    return said[:n]


def _counts(
    block: Block, start: int, classifier: Any, classes: int, columns: tuple[Column, ...] | None
) -> NDArray[np.int64]:
    known = class_array(classifier.classes_.tolist())
    order = np.argsort(known)
    said = order[np.searchsorted(known[order], _said(block, start, classifier, "predict", columns))]
    return np.bincount(block.codes * len(known) + said, minlength=classes * len(known)).reshape(classes, len(known))
