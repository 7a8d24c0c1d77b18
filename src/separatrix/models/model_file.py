"""Model files: a learnt classifier as versioned JSON, its numbers exact.

Reading one executes nothing and refuses what it does not know. What a kind of classifier has learnt is in `states`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from .. import __version__
from ..checker import InvalidCertificate, require_columns, require_table
from ..compiled.environment import checked_arithmetic
from ..estimators.bayes import BayesClassifier
from ..estimators.family import KINDS
from ..estimators.learnt import adopt, learnt_by
from ..estimators.scaler import Scaler, parts_of, scaler_of, scaling_of
from ..exceptions import ModelError
from ..problem.labels import class_array
from ..problem.provenance import NUMBERS_AS, Column, NumbersAs, Provenance, Table, TextTable, table_of
from ..problem.scaling import Scaling
from ..support.limits import MAX_DOCUMENT_BYTES, exceeded, most_bytes
from ..support.writing import write_whole
from ..tables.sources import read_document
from .fields import Section, choice, integer, labels, plain, refuse
from .parameters import read_parameters, write_parameters
from .scalings import read_scaling, write_scaling
from .states import read_state, write_state
from .upgrading import FIRST, SECOND, upgraded

_OPTIONAL = {"others", "scaling", "ignore_case"}

_KEYS = ("format", "library", "kind", "parameters", "classes", "features", "label", "columns", "table", "numbers", "state")


@dataclass(frozen=True)
class Model:
    """A classifier, the name of the column it predicts, and how its columns come from a table."""

    classifier: Any
    """What predicts rows as a table has them: a classifier or, if columns are scaled, a pipeline of a scaler and one."""
    label: str | None
    columns: tuple[Column, ...] | None = None
    table: Table | None = None
    numbers: NumbersAs = "auto"
    """How numbers of text are read."""
    others: bool = False
    """Whether the first of two classes stands for every label but the second."""
    ignore_case: bool = False
    """Whether labels that differ by case, or by blanks around them, are one."""

    @property
    def learner(self) -> Any:
        """The classifier itself, which knows scaled rows only, if they are scaled."""
        return parts_of(self.classifier)[1]

    @property
    def scaler(self) -> Scaler | None:
        """What scales columns before the classifier sees them."""
        return parts_of(self.classifier)[0]

    @property
    def scaling(self) -> Scaling | None:
        """How it does that."""
        return None if self.scaler is None else scaling_of(self.scaler)


class Read(Protocol):
    """Rows that come from a table: `Data`, or a `Stream`."""

    @property
    def provenance(self) -> Provenance:
        """How their columns come from the table."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The distinct labels."""


@checked_arithmetic
def save_model(classifier: Any, path: str | Path, *, label: str | None = None, data: Read | None = None) -> None:
    """Write a fitted classifier to a file, its numbers exact.

    Not kept: the trace of a perceptron with ``record=True``, the certificate of a `Pocket`, a ``random_state`` other than
    an integer. Functions are refused, and with them kernels and distributions of your own.

    Parameters
    ----------
    classifier : Perceptron or any other classifier of this library, or Pipeline
        The classifier; or ``make_pipeline(sx.Scaler(), classifier)``, which learnt from scaled rows.
    path : str or Path
        The file; an old one is replaced, whole or not at all.
    label : str, optional
        The name of the column it predicts.
    data : Data or Stream, optional
        What it was fitted to, if it was read from a table: then the file says how to make its columns of a table. A
        classifier of a `Comparison` of such data knows that by itself.

    Examples
    --------
    >>> import tempfile
    >>> import separatrix as sx
    >>> perceptron = sx.Perceptron().fit(*sx.examples.load("and"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sx.save_model(perceptron, f"{folder}/and.json")
    ...     loaded = sx.load_model(f"{folder}/and.json")
    >>> loaded.predict([[1, 1], [0, 1]])
    array([1, 0])
    """
    given, (scaler, classifier) = classifier, parts_of(classifier)
    name = next((name for name, kind in KINDS.items() if type(classifier) is kind.load()), None)
    if name is None:
        known = ", ".join(kind.class_name for kind in KINDS.values())
        raise TypeError(
            f"A model file holds a classifier of separatrix ({known}), or a pipeline of a Scaler and one, not "
            f"{_described(classifier)}."
        )
    if label is not None and not isinstance(label, str):
        raise TypeError(f"label must be the name of a column, got {label!r}.")
    if not isinstance(classifier, BayesClassifier):
        check_is_fitted(classifier)
    if scaler is not None:
        check_is_fitted(scaler)
    d = getattr(classifier, "n_features_in_", None)
    source = source_of(given) if data is None else data.provenance
    label = source.table.label if label is None and isinstance(source.table, TextTable) else label
    document: dict[str, Any] = {
        "format": SECOND,
        "library": __version__,
        "kind": name,
        "parameters": write_parameters(classifier),
        "classes": [plain(value) for value in classifier.classes_],
        "features": None if d is None else int(d),
        "label": label,
        "columns": None if source.columns is None else [column.document() for column in source.columns],
        "table": None if source.table is None else source.table.document(),
        "numbers": source.numbers,
        "state": write_state(classifier),
    }
    learnt = learnt_by(classifier)
    against_rest = (learnt is not None and learnt.against_rest) or (data is not None and len(data.classes) > 2)
    if _named_as_others(document["classes"]) and not against_rest:
        document["others"] = False
    if source.ignore_case:
        document["ignore_case"] = True
    if scaler is not None and scaler.kind != "none":
        document["scaling"] = write_scaling(scaler)
    try:
        _read(document)  # what could not be read again is not written
    except ModelError as error:
        raise TypeError(f"The model cannot be written to a file: {error} Pickle it.") from None
    text = _text(document)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise TypeError("The model cannot be written to a file: a name holds half of a surrogate pair. Pickle it.") from None
    write_whole(path, text)


def _named_as_others(classes: list[Any]) -> bool:
    """Whether the first of two classes has the name of all others beside the second, as `Problem` calls them.

    Then it stands for all others, unless the file says ``"others": false``. Files of the first versions never say so, nor
    do files in which it is true, so that those versions can read them; a file that says so they refuse, as they would take
    every label for the class of that name.
    """
    return len(classes) == 2 and isinstance(classes[1], str) and classes[0] == f"not {classes[1]}"


def _described(model: Any) -> str:
    if not isinstance(model, Pipeline):
        return type(model).__name__
    return f"a pipeline of {', '.join(type(step).__name__ for _, step in model.steps)}"


def source_of(model: Any) -> Provenance:
    """Return how the features of a classifier, or of one behind a scaler, come from a table, as far as it knows."""
    learnt = learnt_by(parts_of(model)[1])
    if learnt is not None and learnt.provenance is not None:
        known: Provenance = learnt.provenance
        return known
    names = getattr(model, "feature_names_in_", None)
    return Provenance(None if names is None else tuple(Column(str(name)) for name in names))


def _text(document: dict[str, Any], indent: str = "") -> str:
    """Write an object with a line for each of its keys, and for each key of what was learnt."""

    def line(key: str, value: Any) -> str:
        if key == "state" and value:
            text = _text(value, " ").rstrip("\n")
        else:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return f"{indent} {json.dumps(key)}: {text}"

    return "{\n" + ",\n".join(line(key, value) for key, value in document.items()) + f"\n{indent}}}\n"


@checked_arithmetic
def load_model(path: str | Path) -> Any:
    """Read a classifier from a file; it predicts as the one that was saved, and goes on learning where that does.

    What was saved as a pipeline of a `Scaler` and a classifier is one again, and takes rows that are not scaled.

    Raises
    ------
    ModelError
        If the file is not a model, or of a version that is not known.
    """
    model = read_model(path)
    if model.columns is None:
        return model.classifier
    names = np.array([str(column) for column in model.columns], dtype=object)
    if model.scaling is not None:
        return make_pipeline(scaler_of(model.scaling, names), model.learner)
    learnt = learnt_by(model.classifier)
    if learnt is not None:
        adopt(model.classifier, replace(learnt, names=names))
    return model.classifier


def read_model(path: str | Path) -> Model:
    """Read a model file, for rows that are laid out as it says: the classifier itself knows no names of columns."""
    try:
        most = most_bytes(MAX_DOCUMENT_BYTES)
        text = read_document(path, most)
        if len(text) > most:
            raise ModelError(exceeded(f"{path} is too large for a model file: it has", most))
        document = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_without_twins)
    except FileNotFoundError:
        raise ModelError(f"There is no file {path}.") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is not a model file: it is not JSON ({error}).") from None
    try:
        return _read(document)
    except ModelError as error:
        raise ModelError(f"{path} is not a model that can be read: {error}") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _class_array(classes: list[Any]) -> NDArray[Any]:
    """Return classes as an array; texts that end with NUL as objects, as numpy's own texts do not keep it."""
    if any(isinstance(name, str) and name.endswith("\0") for name in classes):
        return np.array(classes, dtype=object)
    return class_array(classes)


def _read(document: Any) -> Model:
    if not isinstance(document, dict):
        refuse("the document", "an object", document)
    version = document.get("format")
    if version not in (FIRST, SECOND):
        raise ModelError(f"its format is {version!r}, and this version of separatrix knows {FIRST!r} and {SECOND!r} only.")
    if version == FIRST:
        document = upgraded(document)
    Section(document, "the document", *_KEYS, *(_OPTIONAL & set(document)))
    name, label = document["kind"], document["label"]
    for key in ("library", "kind"):
        if not isinstance(document[key], str):
            refuse(key, "a text", document[key])
    if name not in KINDS:
        raise ModelError(f"its kind is {name!r}, and only {', '.join(map(repr, KINDS))} are known.")
    if label is not None and not isinstance(label, str):
        refuse("label", "null or a name", label)
    others = _named_as_others(document["classes"]) if isinstance(document["classes"], list) else False
    if "others" in document:
        if not others or document["others"] is not False:
            refuse(
                "others", "false, and there only if the first of two classes has the name of all others", document["others"]
            )
        others = False
    if document.get("ignore_case", True) is not True:
        refuse("ignore_case", "true, if it is there", document["ignore_case"])
    kind = KINDS[name]
    classifier = read_parameters(kind.load(), document["parameters"])
    classes = _class_array(labels(document["classes"], "classes", None if kind.multiclass else 2))
    d = document["features"]
    if d is not None or name != "bayes" or "scaling" in document:
        d = integer(d, "features", least=1)
    try:
        require_table(document["table"], root="")
        require_columns(document["columns"], d or 0, document["table"] or {}, root="")
    except InvalidCertificate as error:
        raise ModelError(str(error)) from None
    learnt = read_state(kind, classifier, document["state"], classes, d)
    if learnt is not None:
        adopt(classifier, replace(learnt, against_rest=others))
    if "scaling" in document:
        classifier = make_pipeline(scaler_of(read_scaling(document["scaling"], d)), classifier)
    columns = None if document["columns"] is None else tuple(map(Column.of, document["columns"]))
    numbers: Any = choice(document["numbers"], "numbers", *NUMBERS_AS)
    return Model(classifier, label, columns, table_of(document["table"]), numbers, others, "ignore_case" in document)
