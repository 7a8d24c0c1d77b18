"""What was exported, run on rows: Python here and now, SQL by SQLite, ONNX by the runtime that is installed."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..problem.exact_rows import ExactRows
from ..problem.rows import filled_in
from .onnx_graph import of_words, onnx_names
from .rule import Rule, Source
from .sql import PREDICTION, named

Cells = dict[str, list[Any]]
"""The cells of a table, column by column; None where one is missing."""


class Ran(NamedTuple):
    """What came out."""

    labels: list[Any]
    by: str
    """What has run it."""


class NotRun(Exception):  # noqa: N818 (it is what it says)
    """Why it could not be run."""


# ---- Tables, made of the rows that a model is given.


def cells_of(rule: Rule, rows: ExactRows, *, exact: bool) -> Cells:
    """Return a table that the rows come from: its numbers exactly, or the float64 nearest to them."""
    X, nearest = filled_in(rows.numerators), filled_in(rows.nearest())
    strange = unseen_text(rule)

    def number(i: int, j: int) -> Any:
        if not exact or (rows.denominator == 1 and rows.wide is None):
            return float(nearest[i, j])
        return Fraction(int(X[i, j] if rows.wide is None else rows.wide[i, j]), rows.denominator)

    def cell(source: Source, i: int) -> Any:
        if source.gap is not None and X[i, source.gap]:
            return None
        if source.number is not None:
            return number(i, source.number)
        return next((text for text, j in source.categories.items() if X[i, j]), strange)

    return {source.name: [cell(source, i) for i in range(len(rows))] for source in rule.sources}


def unseen_text(rule: Rule) -> str:
    """Return a text that is no category of the model, and no gap."""
    text = "another"
    while text in rule.names():
        text += "_"
    return text


# ---- Running.


def run_python(code: str, cells: Cells) -> Ran:
    """Run exported Python."""
    there: dict[str, Any] = {"__name__": "exported"}
    exec(compile(code, "<exported>", "exec"), there)
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    return Ran(there["predict_many"](rows), f"Python {platform.python_version()}")


def run_sql(rule: Rule, query: str, table: str, cells: Cells) -> Ran:
    """Run an exported query on a table that SQLite has in memory."""
    key, taken = "row", {name.casefold() for name in cells}
    while key in taken:
        key += "_"
    kinds = {source.name: "TEXT" if source.of_words else "REAL" for source in rule.sources}
    columns = ", ".join(f"{named(name)} {kind}" for name, kind in kinds.items())
    places = ", ".join("?" * (len(kinds) + 1))
    records = ((k, *cells) for k, cells in enumerate(zip(*cells.values(), strict=True)))
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute(f"CREATE TABLE {named(table)} ({named(key)} INTEGER, {columns})")
            database.executemany(f"INSERT INTO {named(table)} VALUES ({places})", records)
            found = database.execute(f"SELECT {named(PREDICTION)}, {named(key)} FROM ({query})").fetchall()
        except sqlite3.Error as error:
            raise NotRun(f"SQLite {sqlite3.sqlite_version} cannot run it: {error}") from None
    labels = [label for label, _ in sorted(found, key=lambda each: each[1])]
    return Ran(list(map(_as_class(rule), labels)), f"SQLite {sqlite3.sqlite_version}")


def _as_class(rule: Rule) -> Callable[[Any], Any]:
    """Return what makes labels of those that SQLite gives, which has no truth values."""
    if isinstance(rule.classes[0], bool):
        return lambda label: None if label is None else bool(label)
    return lambda label: label


def run_onnx(rule: Rule, model: bytes, cells: Cells) -> Ran:
    """Run an exported graph: by ONNX Runtime if it is installed, or else by the slow evaluator of the package itself."""
    given = {}
    for source in rule.sources:
        values: Iterable[Any] = cells[source.name]
        if of_words(source):
            column = np.array(["" if value is None else value for value in values], object)
        else:
            column = np.array([np.nan if value is None else value for value in values], np.float64)
        given[source.name] = column.reshape(-1, 1)
    names = onnx_names(rule)
    try:
        import onnxruntime
    except ImportError:
        import onnx
        from onnx.reference import ReferenceEvaluator

        run, by = ReferenceEvaluator(model).run, f"the evaluator of onnx {onnx.__version__}"
    else:
        onnxruntime.set_default_logger_severity(3)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # threads cost more here than they save
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        run, by = session.run, f"ONNX Runtime {onnxruntime.__version__}"
    labels, predicted = map(np.asarray, run([names.label, names.predicted], given))
    kind = type(rule.classes[0])
    known = zip(labels.tolist(), predicted.tolist(), strict=True)
    return Ran([kind(label) if there else None for label, there in known], by)
