"""The door: models as Python, SQL or ONNX."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..compiled.environment import checked_arithmetic
from ..estimators.family import KINDS
from ..estimators.scaler import parts_of
from ..estimators.table_encoder import TableEncoder
from ..models.model_file import Model, read_model, source_of
from ..problem.provenance import Missing, TextTable, all_gaps
from ..problem.reading_rows import read_rows
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from ..support.escaping import brief
from ..support.remedies import Message, Remedy
from ..support.writing import write_whole
from ..tables.data import Data
from .checking import ExportCheck, checked
from .onnx_graph import onnx_model
from .python_file import python_text
from .rule import Rule, linear_kinds, rule_of
from .running import Cells, Ran, run_onnx, run_python, run_sql
from .sql import sql_text

Target: TypeAlias = Literal["python", "sql", "onnx"]

TARGETS: tuple[Target, ...] = ("python", "sql", "onnx")
"""What models can be exported to."""


@dataclass(frozen=True, repr=False)
class Export(Answer):
    """A model in another form, which predicts without this library.

    Attributes
    ----------
    to : {"python", "sql", "onnx"}
        What it is.
    content : str or bytes
        The file: text, or the bytes of ONNX.
    """

    to: Target
    content: str | bytes
    _rule: Rule = field(repr=False)
    _model: Model = field(repr=False)
    _table: str = field(repr=False)
    _encoder: TableEncoder | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return repr(self) if isinstance(self.content, bytes) else self.content

    def __repr__(self) -> str:
        size = len(self.content) if isinstance(self.content, bytes) else len(self.content.encode("utf-8", "replace"))
        return f"<Export of a {self._rule.kind} model to {self.to}: {len(self._rule.classes)} classes, {size:,} bytes>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what it is, and how to use it; ``format`` as in `Verdict.explain`."""
        what = {
            "python": "One file of Python, whose predict(row) takes a dict of cells by the names of their columns",
            "sql": "A query of SQL, whose first column is the prediction for each row of the table",
            "onnx": "A graph of ONNX, with an input for each column of the table",
        }[self.to]
        sure = "It computes exactly, as the model does" if self.to == "python" else "It computes in float64"
        columns = counted(len(self._rule.sources), "column")
        return written(
            [f"{what}: {columns}, {counted(len(self._rule.classes), 'class')}. {sure}; check(rows) compares predictions."],
            format,
        )

    def save(self, path: str | Path) -> None:
        """Write the file; an old one is replaced, whole or not at all."""
        write_whole(path, self.content)

    @checked_arithmetic
    def check(self, data: Any) -> ExportCheck:
        """Run it on rows, and compare what it predicts with the model; say for which rows equality is proved.

        Parameters
        ----------
        data : Data, or rows or a table as ``predict`` takes them
            What to predict; `Data` read in the columns of the model, as by ``read_data(..., like=...)``.

        Returns
        -------
        ExportCheck
            The near ties, and the rows in which predictions differed.
        """
        if self._encoder is not None and not isinstance(data, Data):
            data = self._encoder.transform(data)
        rows = data.rows if isinstance(data, Data) else read_rows(data)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
            expected = self._model.classifier.predict(rows if isinstance(data, Data) else data).tolist()
        return checked(self.to, self._rule, rows, expected, self._run)

    def _run(self, cells: Cells) -> Ran:
        if isinstance(self.content, bytes):
            return run_onnx(self._rule, self.content, cells)
        if self.to == "python":
            return run_python(self.content, cells)
        return run_sql(self._rule, self.content, self._table, cells)


@checked_arithmetic
def export_model(
    model: Any,
    to: str,
    path: str | Path | None = None,
    *,
    data: Data | None = None,
    unseen: str | None = None,
    table: str = "data",
) -> Export:
    """Turn a model into Python, SQL or ONNX that predicts as it does, from the columns of its table.

    Parameters
    ----------
    model : path, or fitted classifier or pipeline
        A model file; or a classifier, alone or in a pipeline behind a `TableEncoder`, a `Scaler` or both. All that predict
        by hyperplanes can be exported; to Python also `VotedPerceptron`, and kernels that are linear or polynomial.
    to : {"python", "sql", "onnx"}
        One file of Python that needs the standard library alone; a query of standard SQL; or a graph of ONNX, for which the
        extra ``separatrix[onnx]`` must be installed.
    path : str or Path, optional
        Write it to this file, too.
    data : Data, optional
        What a classifier was fitted to, if `read_data` read it: then the columns are those of its table, categories and
        missing values included. A model file knows them by itself. Without, columns are called as the classifier knows
        them, or x1, x2 and so on.
    unseen : {"refuse", "ignore"}, optional
        What is done with categories and missing values that were not there when the model was learnt: such rows are refused
        (an error in Python, NULL in SQL, no label in ONNX), or they count as 0. By default they are refused, unless the
        `TableEncoder` of a pipeline ignores them.
    table : str
        The name of the table that the SQL is about.

    Returns
    -------
    Export
        The file as its ``content``; ``check(rows)`` runs it and compares.

    Notes
    -----
    Exported Python computes exactly: its predictions are those of the model, ties included. SQL and ONNX compute in float64:
    predictions are the same wherever scores are further from a tie than a bound that ``check`` computes.

    Examples
    --------
    >>> import separatrix as sx
    >>> data = sx.read_data({"age": [20, 30, 40], "job": ["clerk", "cook", "clerk"], "paid": [0, 1, 1]}, label="paid")
    >>> exported = sx.export_model(sx.Perceptron().fit(data.rows, data.y), "python", data=data)
    >>> exported
    <Export of a perceptron model to python: 2 classes, ... bytes>
    >>> exported.check(data)
    <ExportCheck of python: proved equal for 3 of 3 rows; 0 differences in 3>
    """
    if to not in TARGETS:
        raise ValueError(Message(Remedy("to", to), f" is not known; it must be one of {', '.join(TARGETS)}."))
    if not isinstance(table, str) or not table:
        raise ValueError(Message(Remedy("table"), f" must be the name of a table, got {table!r}."))
    encoder = None
    if isinstance(model, Pipeline) and type(model[0]) is TableEncoder:
        encoder = model[0]
        check_is_fitted(encoder)
        unseen = unseen or encoder.unseen
        known = _encoded(model, encoder, data)
    else:
        known = _model(model, data)
    rule = rule_of(known, unseen or "refuse")
    if rule.machines and to != "python":
        raise TypeError(
            f"{type(known.learner).__name__} can be exported to Python only, as it keeps rows. What can be exported to "
            f"{'SQL' if to == 'sql' else 'ONNX'}: {linear_kinds()}."
        )
    content: str | bytes
    if to == "onnx":
        content = onnx_model(rule)
    else:
        content = python_text(rule) if to == "python" else sql_text(rule, table)
        try:
            content.encode("utf-8")
        except UnicodeEncodeError as error:
            half = brief(error.object[error.start])
            raise ValueError(f"SQL has no place for half of a surrogate pair, such as {half}. Export to Python.") from None
    made = Export(to, content, rule, known, table, encoder)
    if path is not None:
        made.save(path)
    return made


def targets_of(model: Any) -> tuple[Target, ...]:
    """Return what a fitted classifier, alone or behind a scaler, can be exported to."""
    try:
        rule = rule_of(_model(model, None), "refuse")
    except (TypeError, ValueError):
        return ()
    return ("python",) if rule.machines else TARGETS


def _encoded(pipeline: Pipeline, encoder: TableEncoder, data: Data | None) -> Model:
    """Return what stands behind the encoder of a pipeline, with the columns that this makes of a table."""
    if data is not None:
        raise TypeError("A TableEncoder knows how columns come from a table: leave data out.")
    rest = pipeline[1:]
    found = _model(rest[0] if len(rest) == 1 else rest, None)
    missing: Missing = "indicator" if encoder.missing == "indicator" else "refuse"
    table = TextTable(label="", missing=missing, gaps=all_gaps(encoder.gaps, encoder.usual_gaps))
    return Model(found.classifier, None, encoder.columns_, table)


def _model(model: Any, data: Data | None) -> Model:
    """Return the model that was given: in a file, or a classifier with the data that it was fitted to."""
    if isinstance(model, str | os.PathLike):
        if data is not None:
            raise TypeError("A model file says by itself how its columns come from a table: leave data out.")
        return read_model(Path(model))
    if isinstance(model, Model):
        return model
    scaler, classifier = parts_of(model)
    if not any(type(classifier) is kind.load() for kind in KINDS.values()):
        known = ", ".join(kind.class_name for kind in KINDS.values())
        raise TypeError(
            f"A model file, a classifier of separatrix ({known}), or a pipeline of a TableEncoder, "
            f"a Scaler or both and one can be exported, not {type(model).__name__}."
        )
    for each in filter(None, (scaler, classifier)):
        check_is_fitted(each)
    source = source_of(model) if data is None else data.provenance
    label = source.table.label if isinstance(source.table, TextTable) else None
    return Model(model, label, *source)
