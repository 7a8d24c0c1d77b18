"""Names, words and labels from strangers: what is exported is run, predicts the same, and does nothing else."""

import ast
import io
import sqlite3
import tokenize
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly

import separatrix as sx
from separatrix.problem.exact_rows import ExactRows
from separatrix.problem.provenance import Column, TextTable
from separatrix.tables.data import Data

NASTY = [
    '"', "'", '"""', "'''", "\\", "\\'", '\\"', "\n", "\r\n", "\t", " ", "{}", "{x}", "%s", "*/", "--", ";", "`", "[", "]",
    '"; DROP TABLE data; --', "'; DROP TABLE data; --", '""; exit(); #', "'''\nraise SystemExit\n'''", "__import__('os')",
    "\u202egnp.exe", "\u2066", "\ufeff", "\u2028", "\x0c", "\x1b[2J", "ä", "漢", "🙂", "a\\", "t",
    "sx_x1", "sx_gaps", "sx_scores", "SX_numbers", "sx_score", "TRUE", "false",
    "prediction", "label", "scores", "predicted", "sx", "row", "data", "gaps", "cell", "scaling", "words", "number", "gap",
    "NaN ", " ?", "\\N{BULLET}", "\\x00", "$1", ":x", "?1", "@x",
]  # fmt: skip

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=3).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6),
)


def made(names, words, labels, gaps):
    """Return data of two columns, one of numbers and one of words, with such names, and a model that was fitted to it."""
    number, text = names
    columns = (Column(number), *(Column(text, word) for word in words), Column(text, gap=True))
    d = len(columns)
    rows = [[k - 2.0, *(float(k % (d - 1) == j) for j in range(d - 1))] for k in range(2 * d)]
    table = TextTable(label="label of its own", missing="indicator", gaps=gaps)
    data = Data(rows=ExactRows(np.array(rows)), columns=columns, table=table)
    model = sx.Perceptron.of(range(1, d + 1), -3, classes=labels)
    return data, model


def nasty_models():
    names = st.lists(TEXTS, min_size=2, max_size=2, unique_by=str.casefold)
    words = st.lists(TEXTS.filter(lambda text: text.strip(" \t") not in ("?", "")), min_size=1, max_size=3, unique=True)
    return st.tuples(names, words, st.lists(TEXTS, min_size=2, max_size=2, unique=True))


def calls_of(code):
    """Return the names that exported Python has besides those of texts."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def comments(code):
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [each.string for each in tokens if each.type == tokenize.COMMENT]


@cache
def plain(words, to):
    """Return what is exported of a model with plain names."""
    data, model = made(["a", "b"], [f"w{k}" for k in range(words)], ["no", "yes"], ("?", ""))
    return sx.export_model(model, to, data=data).content


@quickly(20)
@given(nasty=nasty_models())
def test_they_are_texts_and_nothing_else(nasty):
    """No statement more than with plain names, nor a name, nor a word in a comment; and predictions are the same."""
    names, words, labels = nasty
    data, model = made(names, words, labels, ("?", ""))
    exports = {to: sx.export_model(model, to, data=data) for to in ("python", "sql", "onnx")}
    code, tame = exports["python"].content, plain(len(words), "python")
    assert calls_of(code) == calls_of(tame)
    assert len(ast.parse(code).body) == len(ast.parse(tame).body)
    assert comments(code) == comments(tame)
    assert ast.get_docstring(ast.parse(code)) == ast.get_docstring(ast.parse(tame))
    head = plain(len(words), "sql").partition("WITH")[0]
    assert exports["sql"].content.startswith(head)
    assert all(line.startswith("-- ") for line in head.splitlines())
    for export in exports.values():
        assert export.check(data).differing == (), export


@quickly(20)
@given(nasty=nasty_models(), table=TEXTS)
def test_a_database_is_left_as_it_was(nasty, table):
    """The query is one statement that reads: it runs where nothing may be written, and on a table of any name."""
    names, words, labels = nasty
    data, model = made(names, words, labels, ("?", ""))
    query = sx.export_model(model, "sql", data=data, table=table).content

    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    if table.casefold().startswith("sqlite_"):
        return
    database = sqlite3.connect(":memory:")
    try:
        database.execute(f"CREATE TABLE {quoted(table)} ({quoted(names[0])}, {quoted(names[1])})")
        database.execute(f"INSERT INTO {quoted(table)} VALUES (?, ?)", (5.0, words[0]))
        database.execute("PRAGMA query_only = ON")
        assert sqlite3.complete_statement(query + ";")
        [found] = database.execute(query).fetchall()  # refuses more than one statement
        assert found[0] == model.predict([[5.0, 1.0, *[0.0] * len(words)]])[0]
    finally:
        database.close()


def test_nul_and_halves_of_pairs():
    """NUL is no character of SQL; half of a surrogate pair none of SQL and ONNX; Python takes both."""
    for name in ("a\0b", "a\ud800"):
        model = sx.Perceptron.of([1], classes=["no", "yes"], feature_names=[name])
        there = {"__name__": "exported"}
        exec(sx.export_model(model, "python").content, there)
        assert there["predict"]({name: 1}) == "yes"
        with pytest.raises(ValueError, match="SQL has no place"):
            sx.export_model(model, "sql")
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        sx.export_model(sx.Perceptron.of([1], feature_names=["a\ud800"]), "onnx")
    with pytest.raises(ValueError, match="without a name"):
        sx.export_model(sx.Perceptron.of([1], feature_names=[""]), "onnx")


def test_a_column_that_is_not_there():
    """SQLite takes a name in double quotes for a text if there is no such column: not here."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (b)")
    database.execute("INSERT INTO data VALUES (1)")
    query = sx.export_model(sx.Perceptron.of([1], feature_names=["a"]), "sql").content
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        database.execute(query)
    database.close()


def test_a_query_run_on_its_own_result():
    """Columns that an earlier query has left are not taken for those of this one."""
    one = sx.Perceptron.of([1], classes=["no", "yes"], feature_names=["a"])
    other = sx.Perceptron.of([-1], classes=["no", "yes"], feature_names=["b"])
    first, second = sx.export_model(one, "sql").content, sx.export_model(other, "sql", table="first").content
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (a, b)")
    database.execute("INSERT INTO data VALUES (1, 2)")
    database.execute(f"CREATE TABLE first AS {first!s}")
    assert database.execute(second).fetchone()[0] == "no"
    database.close()
