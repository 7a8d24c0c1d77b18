"""Model files: a learnt classifier as versioned JSON, its weights exact.

Reading one executes nothing and refuses what it does not know.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import __version__
from .checker import InvalidCertificate, require_columns, require_table
from .columns import Column, Table, TextTable, table_of
from .encoding import Data
from .estimators import Perceptron
from .exact import Dyadic
from .files import write_whole

FORMAT = "separatrix-model/1"
_NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")
_KEYS = {"format", "library", "kind", "parameters", "classes", "label", "columns", "table", "weights", "run"}
_RUN_KEYS = {"passes", "mistakes", "converged", "rows"}
_LARGEST_FILE = 2**30


class ModelError(ValueError):
    """A file is not a model that this version of the library can read, and why."""


@dataclass(frozen=True)
class Model:
    """A classifier, the name of the column it predicts, and how its columns come from a table."""

    perceptron: Perceptron
    label: str | None
    columns: tuple[Column, ...] | None = None
    table: Table | None = None


def save_model(perceptron: Perceptron, path: str | Path, *, label: str | None = None, data: Data | None = None) -> None:
    """Write a fitted perceptron to a file, weights exact.

    The trace is not kept, nor a ``random_state`` other than an integer.

    Parameters
    ----------
    perceptron : Perceptron
        The classifier.
    path : str or Path
        The file; an old one is replaced, whole or not at all.
    label : str, optional
        The name of the column it predicts.
    data : Data, optional
        What it was fitted to, if `read_data` read it: then the file says how to make its columns of a table.

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
    if not isinstance(perceptron, Perceptron):
        raise TypeError(f"save_model takes a separatrix Perceptron, got {type(perceptron).__name__}.")
    if label is not None and not isinstance(label, str):
        raise TypeError(f"label must be the name of a column, got {label!r}.")
    check_is_fitted(perceptron)
    if len(perceptron.classes_) > 2:
        raise TypeError(
            f"A model file holds two classes, and the perceptron has learnt {len(perceptron.classes_)}. Pickle it."
        )
    if perceptron.average:
        raise TypeError("A model file holds the last weights, not their mean. Fit with average=False, or pickle the model.")
    if not all(isinstance(_plain(value), str | int | float) for value in perceptron.classes_):
        raise TypeError(f"A model file holds classes that are strings, numbers or booleans, not {perceptron.classes_[0]!r}.")
    parameters = perceptron.get_params()
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    if not isinstance(parameters["order"], str):
        parameters["order"] = np.asarray(parameters["order"]).tolist()
    if isinstance(parameters["class_weight"], dict):
        parameters["class_weight"] = [[_plain(key), float(value)] for key, value in parameters["class_weight"].items()]
    names = getattr(perceptron, "feature_names_in_", None)
    columns = None if names is None else tuple(Column(str(name)) for name in names)
    table = None
    if data is not None:
        columns, table = data.columns, data.table
        label = table.label if label is None and isinstance(table, TextTable) else label
    document = {
        "format": FORMAT,
        "library": __version__,
        "kind": "perceptron",
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "classes": [_plain(value) for value in perceptron.classes_],
        "label": label,
        "columns": None if columns is None else [column.document() for column in columns],
        "table": None if table is None else table.document(),
        "weights": perceptron.exact_weights().strings(),
        "run": {
            "passes": int(perceptron.n_iter_),
            "mistakes": int(perceptron.n_mistakes_),
            "converged": bool(perceptron.converged_),
            "rows": int(perceptron._seen),
        },
    }
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def load_model(path: str | Path) -> Perceptron:
    """Read a perceptron from a file; it predicts, and goes on learning with `partial_fit`.

    Raises
    ------
    ModelError
        If the file is not a model, or of a version that is not known.
    """
    model = read_model(path)
    if model.columns is not None:
        model.perceptron.feature_names_in_ = np.array([str(column) for column in model.columns], dtype=object)
    return model.perceptron


def read_model(path: str | Path) -> Model:
    """Read a model file, for rows that are laid out as it says: the classifier itself knows no names of columns."""
    try:
        if Path(path).stat().st_size > _LARGEST_FILE:
            raise ModelError(f"{path} is too large for a model file.")
        document = json.loads(Path(path).read_text(encoding="utf-8"))
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


def _require(condition: object, message: str) -> None:
    if not condition:
        raise ModelError(message)


def _read(document: Any) -> Model:
    _require(isinstance(document, dict), "it is not a JSON object.")
    version = document.get("format")
    if version != FORMAT:
        raise ModelError(f"its format is {version!r}, and this version of separatrix knows {FORMAT!r} only.")
    _require(set(document) == _KEYS, f"its keys are not {', '.join(sorted(_KEYS))}.")
    _require(document["kind"] == "perceptron", f"its kind is {document['kind']!r}, and only 'perceptron' is known.")
    classes, columns, weights, run = (document[key] for key in ("classes", "columns", "weights", "run"))
    _require(_is_list(classes, (str, int, float)) and len(classes) == 2, "'classes' must be a list of two labels.")
    _require(type(classes[0]) is type(classes[1]) and classes[0] != classes[1], "'classes' must differ, and be of one kind.")
    _require(document["label"] is None or isinstance(document["label"], str), "'label' must be null or a name.")
    _require(_is_list(weights, str), "'weights' must be a list of texts.")
    _require(all(_NUMBER.fullmatch(w) for w in weights), "'weights' must be integers or quotients of integers.")
    _require(isinstance(run, dict) and set(run) == _RUN_KEYS, f"'run' must have the keys {', '.join(sorted(_RUN_KEYS))}.")
    counts = [run["passes"], run["mistakes"], run["rows"]]
    _require(_is_list(counts, int) and min(counts) >= 0, "the counts in 'run' must be whole numbers.")
    _require(isinstance(run["converged"], bool), "'converged' must be true or false.")
    perceptron = _with_parameters(document["parameters"])
    d = len(weights) - perceptron.fit_intercept
    _require(d >= 1, "it has no weights.")
    try:
        require_table(document["table"])
        require_columns(columns, d, document["table"] or {})
    except InvalidCertificate as error:
        raise ModelError(str(error)) from None
    try:
        exact = Dyadic.from_strings(weights)
        perceptron._publish(exact, 1.0, d)
    except (ValueError, ZeroDivisionError) as error:
        raise ModelError(f"a weight cannot be read: {error}.") from None
    except OverflowError:
        raise ModelError("a weight is too large for float64.") from None
    perceptron.classes_ = np.array(classes)
    perceptron.n_iter_, perceptron.n_mistakes_, perceptron._seen = counts
    perceptron.converged_ = run["converged"]
    perceptron.n_features_in_ = d
    described = None if columns is None else tuple(map(Column.of, columns))
    return Model(perceptron, document["label"], described, table_of(document["table"]))


def _is_list(value: Any, of: type | tuple[type, ...]) -> bool:
    return isinstance(value, list) and all(isinstance(item, of) and not (of is int and item is True) for item in value)


def _with_parameters(parameters: Any) -> Perceptron:
    _require(isinstance(parameters, dict), "'parameters' must be an object.")
    parameters = dict(parameters)
    known = Perceptron().get_params()
    _require(set(parameters) == set(known), f"its parameters are not {', '.join(sorted(known))}.")
    weights = parameters["class_weight"]
    if isinstance(weights, list):
        _require(all(isinstance(p, list) and len(p) == 2 for p in weights), "'class_weight' must hold pairs.")
        parameters["class_weight"] = {_key(key): value for key, value in weights}
    perceptron = Perceptron(**parameters)
    try:
        perceptron._check_parameters()
    except ValueError as error:
        raise ModelError(str(error)) from None
    return perceptron


def _key(key: Any) -> Any:
    _require(isinstance(key, str | int | float), "'class_weight' must have labels as keys.")
    return key
