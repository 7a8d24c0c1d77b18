"""Exported models predict as the models do: every linear member of the family, on numbers, words and gaps."""

import csv
import io
import math
import os
import random
import runpy
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.pipeline import make_pipeline

import separatrix as sx
from separatrix.estimators.family import ALGORITHMS
from separatrix.exporting.export import TARGETS

LINEAR = ("perceptron", "averaged", "pocket", "max-margin", "least-squares", "linear-program")

pytestmark = pytest.mark.filterwarnings("ignore")


def member(name, **parameters):
    kind = ALGORITHMS[name]
    short = {each: 20 for each in ("max_iter", "max_updates") if each in kind.options}
    seeded = {"random_state": 0} if "seed" in kind.options else {}
    return kind.make(**short, **seeded, **parameters)


def credit(n=120, seed=0):
    """Return a table as CSV: numbers with decimals, words with blanks, true and false, gaps of several kinds."""
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        age, income = f"{rng.randint(18, 80)}.{rng.randint(0, 99):02d}", str(rng.randint(0, 9000))
        job = rng.choice(["clerk", "cook", "self employed", "O'Brien"])
        owner = rng.choice(["true", "FALSE"])
        good = float(age) * 20 + int(income) / 9 + (300 if job == "cook" else 0) + rng.gauss(0, 200) > 1300
        cells = [rng.choice(["?", "NA", " ", ""]) if rng.random() < 0.08 else cell for cell in (age, income, job)]
        lines.append([*cells, owner, "yes" if good else "no"])
    return "age,income,job,owner,paid\n" + "".join(",".join(line) + "\n" for line in lines)


def labels_by(export, cells):
    """Run exported Python on rows of cells."""
    there = {"__name__": "exported"}
    exec(compile(export.content, "exported", "exec"), there)
    return there["predict_many"](cells)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", LINEAR)
def test_wdbc(name, to):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2], y[::2]
    if name == "max-margin":
        X, y = load_iris(return_X_y=True)
        X, y = X[:100], y[:100]
    for model in (member(name), make_pipeline(sx.Scaler(), member(name))):
        check = sx.export_model(model.fit(X, y), to).check(X)
        assert check.differing == ()
        assert check.rows == len(X)
        assert check.proved == len(X)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", [name for name in LINEAR if name != "max-margin"])
def test_digits(name, to):
    X, y = load_digits(return_X_y=True)
    X, y = X[:150], y[:150]
    model = member(name, tie="positive") if name in ("perceptron", "averaged", "pocket") else member(name)
    check = sx.export_model(model.fit(X, y), to).check(X)
    assert check.differing == ()
    assert check.proved == len(X)


@pytest.mark.parametrize("missing", ["indicator", "drop-rows"])
@pytest.mark.parametrize("name", [name for name in LINEAR if name != "max-margin"])
@pytest.mark.parametrize("scale", [None, "standard"])
def test_a_table_with_words_and_gaps(tmp_path, name, missing, scale):
    (tmp_path / "credit.csv").write_text(credit(60))
    data = sx.read_data(tmp_path / "credit.csv", label="paid", missing=missing)
    model = member(name) if scale is None else make_pipeline(sx.Scaler(scale), member(name))
    sx.save_model(model.fit(data.rows, data.y), tmp_path / "model.json", data=data)
    for to in TARGETS:
        export = sx.export_model(tmp_path / "model.json", to)
        check = export.check(data)
        assert check.differing == ()
        assert check.rows == len(data.rows)
    predicted = model.predict(data.rows).tolist()
    places = range(60) if data.kept is None else data.kept.tolist()
    wanted = dict(zip(places, predicted, strict=True))
    found = labels_by(sx.export_model(tmp_path / "model.json", "python"), csv.DictReader(io.StringIO(credit(60))))
    assert found == [wanted.get(i) for i in range(60)]
    values = labels_by(sx.export_model(model, "python", data=data), _as_values(credit(60)))
    assert values == found or scale is None  # decimals as floats are other numbers, unless they are rounded to floats


KEEPING_ROWS = {
    "voted": sx.VotedPerceptron(max_iter=3),
    "voted, ties positive": sx.VotedPerceptron(max_iter=3, tie="positive", fit_intercept=False),
    "linear": sx.KernelPerceptron(kernel="linear", max_iter=3),
    "polynomial": sx.KernelPerceptron(kernel="poly", degree=3, gamma=0.5, coef0=1.5, max_iter=3, tie="positive"),
}


@pytest.mark.parametrize("name", KEEPING_ROWS)
@pytest.mark.parametrize("scale", [None, "minmax"])
def test_classifiers_that_keep_rows(tmp_path, name, scale):
    """Votes and sums of a kernel's values, of two classes and three, are the same in exported Python, ties included."""
    model = clone(KEEPING_ROWS[name])
    model = model if scale is None else make_pipeline(sx.Scaler(scale), model)
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    assert sx.export_model(model.fit(X, y), "python").check(X).differing == ()
    (tmp_path / "credit.csv").write_text(credit(60))
    data = sx.read_data(tmp_path / "credit.csv", label="paid", missing="indicator")
    sx.save_model(model.fit(data.rows, data.y), tmp_path / "model.json", data=data)
    export = sx.export_model(tmp_path / "model.json", "python")
    wanted = model.predict(data.rows).tolist()
    assert labels_by(export, csv.DictReader(io.StringIO(credit(60)))) == wanted
    assert export.check(data).differing == ()
    there = {"__name__": "exported"}
    exec(export.content, there)
    rows = list(csv.DictReader(io.StringIO(credit(60))))
    assert np.allclose([there["score"](row) for row in rows[:5]], model.decision_function(data.rows[:5]))


def test_votes_that_are_tied():
    model = sx.VotedPerceptron(max_iter=1).fit([[1.0], [-1.0]], ["no", "yes"])
    for tie in ("update", "positive", "negative"):
        again = sx.VotedPerceptron(max_iter=1, tie=tie).fit([[1.0], [-1.0]], ["no", "yes"])
        rows = [[number] for number in (-2.0, -1.0, 0.0, 0.5, 1.0, 3.0)]
        assert sx.export_model(again, "python").check(rows).differing == ()
    assert sx.export_model(model, "python").check([[0.0]]).proved == 1


def test_a_kernel_of_the_widest_margin():
    X, y = load_iris(return_X_y=True)
    model = sx.MaxMargin(kernel="poly", degree=2).fit(X[:100:2], y[:100:2])
    assert sx.export_model(model, "python").check(X[:100]).differing == ()


def test_too_many_rows_to_keep(monkeypatch):
    monkeypatch.setattr("separatrix.exporting.rule.MOST_NUMBERS", 3)
    model = sx.VotedPerceptron().fit([[0, 1], [1, 1], [3, 4]], [0, 1, 0])
    with pytest.raises(ValueError, match="more than the 3 that are written"):
        sx.export_model(model, "python")


def _as_values(text):
    """Return the rows of a table as a program has them: numbers, truth values, None."""
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        gone = {key: None if cell.strip() in ("?", "NA", "") else cell for key, cell in row.items()}
        numbers = {key: None if gone[key] is None else float(gone[key]) for key in ("age", "income")}
        rows.append({**gone, **numbers, "owner": row["owner"].lower() == "true"})
    return rows


@pytest.mark.parametrize("missing", ["indicator", "drop-rows"])
def test_as_a_program(tmp_path, missing):
    (tmp_path / "credit.csv").write_text("﻿" + credit(), encoding="utf-8")
    data = sx.read_data(tmp_path / "credit.csv", label="paid", missing=missing)
    model = sx.LeastSquaresClassifier().fit(data.rows, data.y)
    sx.export_model(model, "python", tmp_path / "model.py", data=data)
    with open(tmp_path / "credit.csv", "rb") as table:
        done = subprocess.run([sys.executable, "-I", tmp_path / "model.py"], stdin=table, capture_output=True, check=True)
    named = subprocess.run(
        [sys.executable, "-I", tmp_path / "model.py", tmp_path / "credit.csv"], capture_output=True, check=True
    )
    assert named.stdout == done.stdout
    found = [row[0] if row else "" for row in csv.reader(io.StringIO(done.stdout.decode()))]
    wanted = dict(zip(range(120) if data.kept is None else data.kept.tolist(), model.predict(data.rows), strict=True))
    assert found == [wanted.get(i, "") for i in range(120)]


def test_as_a_program_it_says_how_it_is_used_and_what_is_wrong(tmp_path):
    program, table = tmp_path / "model.py", tmp_path / "table.csv"
    sx.export_model(sx.Perceptron().fit(*sx.examples.load("and")), "python", program)

    def ran(*arguments):
        return subprocess.run([sys.executable, "-I", program, *arguments], capture_output=True, text=True, check=False)

    told = ran("--help")
    assert told.returncode == 0
    assert "standard input" in told.stdout
    gone = ran(tmp_path / "gone.csv")
    assert gone.returncode == 2
    assert gone.stderr == f"Error: {tmp_path / 'gone.csv'}: No such file or directory.\n"
    table.write_text("x1,x2\n1,much\n", encoding="utf-8")
    wrong = ran(table)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "Error: Column 'x2': 'much' is not a number.\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_as_a_program_it_leaves_silently_when_nobody_reads_on(tmp_path):
    program, table = tmp_path / "model.py", tmp_path / "table.csv"
    sx.export_model(sx.Perceptron().fit(*sx.examples.load("and")), "python", program)
    table.write_text("x1,x2\n" + "1,1\n" * 50_000, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed:
        done = subprocess.run([sys.executable, "-I", program, table], stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


def test_the_functions_with_their_own_constants():
    """The file that exports are made of is a model itself."""
    there = runpy.run_module("separatrix.exporting.predictor")
    assert there["predict"]({"age": "20.5", "job": "cook", "name": "?"}) == "yes"
    assert there["score"]({"age": 20, "job": "cook"}) == -1 / 3
    assert there["predict"]({"age": Fraction(61, 3), "job": "cook"}) == "no"  # a tie
    for row in ({"age": 20}, {"age": "?", "job": "cook"}, {"age": "x", "job": "cook"}, {"age": 1, "job": "baker"},
                {"age": math.inf, "job": "cook"}, {"age": "1e999", "job": "cook"}, {"age": [], "job": "cook"}):  # fmt: skip
        with pytest.raises(ValueError, match="olumn"):
            there["predict"](row)


def test_marks_of_numbers(tmp_path):
    """Decimal commas and thousands are read as the table has them."""
    text = "a;b;y\n1.234,5;-1;0\n12,25;1.000.000;1\n,5;0;0\n7;1e3;1\n"
    (tmp_path / "table.csv").write_text(text)
    data = sx.read_data(tmp_path / "table.csv", label="y", decimal=",", thousands=".", separator="semicolon")
    model = sx.Perceptron(max_iter=1000).fit(data.rows, data.y)
    export = sx.export_model(model, "python", data=data)
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert labels_by(export, rows) == model.predict(data.rows).tolist() == [0, 1, 0, 1]
    there = {"__name__": "exported"}
    exec(export.content, there)
    assert [there["score"](row) for row in rows] == model.decision_function(data.rows).tolist()


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("scale", [False, True])
def test_pipelines_with_an_encoder(to, scale):
    frame = pd.DataFrame({"age": [20, 30.5, None, 41], "job": ["clerk", "cook", "clerk", None], "row": [1, 2, 3, 4]})
    for unseen in ("refuse", "ignore"):
        steps = [sx.TableEncoder(drop=["row"], missing="indicator", unseen=unseen), *([sx.Scaler()] if scale else [])]
        model = make_pipeline(*steps, sx.LeastSquaresClassifier()).fit(frame, ["no", "yes", "no", "yes"])
        export = sx.export_model(model, to)
        assert export.check(frame).differing == ()
        new = pd.DataFrame({"age": [1.0], "job": ["pilot"], "row": [0]})
        if unseen == "ignore":
            assert export.check(new).differing == ()
        if to == "python" and unseen == "ignore":
            assert labels_by(export, new.to_dict("records")) == model.predict(new).tolist()
        elif to == "python":
            with pytest.raises(ValueError, match="is new"):
                labels_by(export, new.to_dict("records"))


def test_percents(tmp_path):
    (tmp_path / "table.csv").write_text("a,y\n12 %,0\n5%,0\n30.5 %,1\n")
    data = sx.read_data(tmp_path / "table.csv", label="y")
    model = sx.Perceptron.of([1], "-0.12", classes=[0, 1], tie="positive")
    export = sx.export_model(model, "python", data=data)
    assert labels_by(export, [{"a": "12 %"}, {"a": "5%"}, {"a": "30.5 %"}]) == model.predict(data.rows).tolist() == [1, 0, 1]


def test_a_decimal_comma_before_three_digits(tmp_path):
    (tmp_path / "table.csv").write_text("a;y\n1,234;0\n2,5;1\n")
    data = sx.read_data(tmp_path / "table.csv", label="y", decimal=",", separator="semicolon")
    export = sx.export_model(sx.Perceptron.of([1], -2, classes=[0, 1]), "python", data=data)
    assert labels_by(export, [{"a": "1,234"}, {"a": "2,5"}]) == [0, 1]


@quickly(30)
@given(
    cells=st.lists(
        st.one_of(
            st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-100, max_value=100).map(str),
            st.sampled_from(["1e-300", "-1e300", "0.1", "-0.0", "1e22", "+.5", "3.", "9007199254740993"]),
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.integers(-(10**17), 10**17).map(str),
        ),
        min_size=2, max_size=8,
    ).filter(lambda cells: len(cells) % 2 == 0),
    weights=st.lists(st.sampled_from(["1", "-1", "1/3", "0.1", "-10", "7"]), min_size=2, max_size=2),
    numbers=st.sampled_from(["auto", "float64"]),
    tie=st.sampled_from(["update", "positive"]),
)  # fmt: skip
def test_numbers_of_text_are_read_alike(tmp_path_factory, cells, weights, numbers, tie):
    """Whatever numbers a table writes, exported Python has the same scores as the model: decimals if all fit, or floats."""
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    pairs = list(zip(cells[::2], cells[1::2], strict=True))
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{k % 2}\n" for k, (a, b) in enumerate(pairs)) + "0,0,0\n0,0,1\n")
    data = sx.read_data(path, label="y", numbers=numbers)
    model = sx.Perceptron.of([Fraction(each) for each in weights], Fraction(1, 7), classes=[0, 1], tie=tie)
    there = {"__name__": "exported"}
    exec(sx.export_model(model, "python", data=data).content, there)
    rows = [{"a": a, "b": b} for a, b in [*pairs, ("0", "0"), ("0", "0")]]
    assert there["predict_many"](rows) == model.predict(data.rows).tolist()


def test_decimals_if_all_fit(tmp_path):
    """What a row is depends on the others of its table, as for the model: 0.1 + 0.2 = 0.3 in decimals, and not in floats."""
    model = sx.Perceptron.of([1, 1, -1], classes=["even", "odd"])
    rows = [{"x1": "0.1", "x2": "0.2", "x3": "0.3"}]
    export = sx.export_model(model, "python")
    assert labels_by(export, rows) == ["even"]
    assert labels_by(export, [*rows, {"x1": "1e-30", "x2": "0", "x3": "0"}]) == ["odd", "odd"]
    assert labels_by(export, [{"x1": 0.1, "x2": 0.2, "x3": 0.3}]) == ["odd"]


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
def test_ties(to, tie):
    """Scores that are equal, exactly: of two classes and of three."""
    X = [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [-0.0, 0.0], [3.0, 1.0]]
    two = sx.Perceptron.of([1, -1], classes=["no", "yes"], tie=tie)
    three = sx.Perceptron.of([[1, 0], [0, 1], [1, 0]], classes=[1, 2, 3], tie=tie)
    for model in (two, three):
        check = sx.export_model(model, to).check(X)
        assert check.differing == ()
        assert check.proved == len(X)  # whole numbers: float64 is exact


@pytest.mark.parametrize("to", TARGETS)
def test_huge_and_tiny_numbers(to):
    X = np.array([[1e300, -1e300], [1e-300, 1e-300], [-0.0, 0.0], [1e-320, -1e-320], [1e300, 1e-300], [-1e300, 5.0]])
    for weights in ([1.0, 1.0], [1e-300, 1e-200], [1e5, -1e5]):
        check = sx.export_model(sx.Perceptron.of(weights, classes=[0, 1]), to).check(X)
        assert set(check.differing) <= set(check.near_ties)
        assert check.differing == () or to != "python"


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [0, 1], [False, True], [0.5, 1.5], ["not a", "a"], [-(2**62), 2**62], ["", "'"]]
)
@pytest.mark.parametrize("to", TARGETS)
def test_labels_of_every_type(labels, to):
    X = [[1.0], [-1.0], [2.0]]
    check = sx.export_model(sx.Perceptron.of([1.0], classes=labels), to).check(X)
    assert check.differing == ()


def test_unseen_cells():
    """What was not there when the model was learnt is refused, or counts as 0, as the model has it."""
    data = sx.read_data({"a": [1, 2, 3], "job": ["x", "y", "x"], "y": [0, 1, 0]}, label="y")
    model = sx.Perceptron().fit(data.rows, data.y)
    rows = [{"a": 1, "job": "z"}, {"a": None, "job": "y"}, {"a": 2, "job": None}, {"a": 3, "job": "x"}]
    refusing = sx.export_model(model, "python", data=data)
    for row in rows[:3]:
        with pytest.raises(ValueError, match="Column"):
            labels_by(refusing, [row])
    table = sx.read_data(pd.DataFrame(rows), like=data, unseen="ignore")
    wanted = model.predict(table.rows).tolist()
    assert labels_by(sx.export_model(model, "python", data=data, unseen="ignore"), rows) == wanted
    for to in TARGETS:
        assert sx.export_model(model, to, data=data, unseen="ignore").check(table).differing == ()


def test_rows_without_a_prediction_in_sql_and_onnx():
    import sqlite3

    import onnxruntime

    data = sx.read_data({"a": [1, 2, 3], "job": ["x", "y", "x"], "y": [0, 1, 0]}, label="y")
    model = sx.Perceptron().fit(data.rows, data.y)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (a, job)")
    database.executemany(
        "INSERT INTO data VALUES (?, ?)", [(1, "z"), (None, "y"), ("NA", "y"), (2, " "), (2, "y"), ("3", "x")]
    )
    found = database.execute(sx.export_model(model, "sql", data=data).content).fetchall()
    assert [row[0] for row in found] == [None, None, None, None, 1, 0]
    database.close()
    session = onnxruntime.InferenceSession(sx.export_model(model, "onnx", data=data).content)
    cells = {"a": np.array([[1.0], [np.nan], [2.0]]), "job": np.array([["z"], ["y"], ["y"]], object)}
    labels, scores, predicted = session.run(None, cells)
    assert predicted.tolist() == [False, False, True]
    assert labels.tolist() == [-(2**63), -(2**63), 1]
    assert np.isnan(scores[:2]).all()
    assert scores[2] == model.decision_function([[2, 0, 1]])[0]


def test_scores():
    X, y = load_digits(return_X_y=True)
    model = sx.LeastSquaresClassifier().fit(X[:100], y[:100])
    there = {"__name__": "exported"}
    exec(sx.export_model(model, "python").content, there)
    row = {f"x{j + 1}": number for j, number in enumerate(X[0])}
    assert np.allclose(there["score"](row), model.decision_function(X[:1])[0], rtol=1e-12)
