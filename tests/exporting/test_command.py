"""The command ``export``: what it writes, prints and refuses."""

import json
import sqlite3

import pytest
from commands import failed, separatrix, succeeded, written
from scipy import stats
from sklearn.linear_model import LogisticRegression

import separatrix as sx

TABLE = "age,job,paid\n20,clerk,no\n30,cook,yes\n41.5,clerk,yes\n18,,no\n"


@pytest.fixture
def model(tmp_path):
    data, path = written(tmp_path, TABLE), tmp_path / "model.json"
    succeeded("fit", data, "--label", "paid", "--missing", "indicator", "--model", path)
    return path


def test_files(tmp_path, model):
    for to, name in (("python", "m.py"), ("sql", "m.sql"), ("onnx", "m.onnx")):
        done = separatrix("export", model, "--to", to, "-o", tmp_path / name)
        assert done.returncode == 0
        assert done.stdout == ""
        assert done.stderr == f"Written to {tmp_path / name}.\n"
        content = sx.export_model(model, to).content
        assert (tmp_path / name).read_bytes() == (content if to == "onnx" else content.encode())


def test_text_is_printed(model):
    assert succeeded("export", model, "--to", "python") == sx.export_model(model, "python").content
    query = succeeded("export", model, "--to", "sql", "--table", 'a "b"')
    database = sqlite3.connect(":memory:")
    database.execute('CREATE TABLE "a ""b""" (age, job)')
    database.execute('INSERT INTO "a ""b""" VALUES (30, \'cook\'), (18, NULL)')
    assert [row[0] for row in database.execute(query)] == ["yes", "no"]
    database.close()


@pytest.mark.parametrize("to", ["python", "sql", "onnx"])
def test_check(tmp_path, model, to):
    data = tmp_path / "data.csv"
    printed = succeeded("export", model, "--to", to, "-o", tmp_path / "out", "--check", data)
    assert printed.startswith("Predictions are proved to be those of the model for all of the 4 rows. Run by ")
    found = json.loads(succeeded("export", model, "--to", to, "-o", tmp_path / "out", "--check", data, "--json"))
    assert found["output"] == str(tmp_path / "out")
    assert {key: found["check"][key] for key in ("rows", "proved", "near_ties", "differing", "left_out")} == {
        "rows": 4, "proved": 4, "near_ties": [], "differing": [], "left_out": 0
    }  # fmt: skip


def test_near_ties_by_their_lines(tmp_path):
    unit = sx.Perceptron.of(["0.1", "0.2", "-0.3"], classes=["no", "yes"], feature_names=["a", "b", "c"])
    sx.save_model(unit, tmp_path / "unit.json", label="y")
    data = written(tmp_path, "a,b,c\n1,1,0\n1,1,1\n0.5,0,0\n7,7,7\n")
    printed = succeeded("export", tmp_path / "unit.json", "--to", "sql", "--check", data)
    assert "2 of 4 rows" in printed
    assert "lines 3 and 5" in printed
    found = json.loads(succeeded("export", tmp_path / "unit.json", "--to", "sql", "--check", data, "--json"))
    assert found["check"]["near_ties"] == [1, 3]
    assert found["check"]["near_tie_places"] == ["line 3", "line 5"]
    assert "WITH" in found["content"]


def test_rows_left_out(tmp_path):
    data, model = written(tmp_path, TABLE), tmp_path / "model.json"
    succeeded("fit", data, "--label", "paid", "--missing", "drop-rows", "--model", model)
    done = separatrix("export", model, "--to", "sql", "--check", data)
    assert "all of the 3 rows" in done.stdout
    assert "1 row with missing values: no prediction" in done.stderr


def test_refusals(tmp_path, model):
    assert "--to must be one of python, sql, onnx" in failed("export", model, "--to", "java")
    assert "--output" in failed("export", model, "--to", "onnx")
    assert "would overwrite the model" in failed("export", model, "--to", "python", "-o", model)
    data = tmp_path / "data.csv"
    assert "would overwrite the data" in failed("export", model, "--to", "python", "-o", data, "--check", data)
    assert "is new" in failed("export", model, "--to", "sql", "--check", written(tmp_path, "age,job\n1,baker\n", "new.csv"))
    radial = tmp_path / "radial.json"
    kernel = sx.KernelPerceptron(kernel="rbf").fit([[0, 0], [1, 1]], ["no", "yes"])
    sx.save_model(kernel, radial)
    assert "What can be exported: Perceptron, Pocket" in failed("export", radial, "--to", "python")


def test_refusals_in_python(model):
    bayes = sx.BayesClassifier(distributions=[stats.norm(0), stats.norm(1)]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="to='java' is not known"):
        sx.export_model(model, "java")
    with pytest.raises(ValueError, match="unseen='x' is not known"):
        sx.export_model(model, "sql", unseen="x")
    with pytest.raises(ValueError, match="table must be the name"):
        sx.export_model(model, "sql", table="")
    with pytest.raises(TypeError, match="leave data out"):
        sx.export_model(model, "sql", data=sx.read_data({"a": [1, 2], "y": [0, 1]}, label="y"))
    with pytest.raises(TypeError, match="can be exported, not LogisticRegression"):
        sx.export_model(LogisticRegression(), "sql")
    voted = sx.VotedPerceptron().fit([[0], [1]], [0, 1])
    for to in ("sql", "onnx"):
        with pytest.raises(TypeError, match="VotedPerceptron can be exported to Python only"):
            sx.export_model(voted, to)
    with pytest.raises(TypeError, match="This BayesClassifier cannot be exported"):
        sx.export_model(bayes, "sql")


def test_what_sqlite_cannot_run_is_said():
    """Names that differ by case alone are one to SQLite, and two to other databases."""
    unit = sx.Perceptron.of([1, 1], classes=["no", "yes"], feature_names=["a", "A"])
    check = sx.export_model(unit, "sql").check([[1, 2], [3, 4]])
    assert check.differing is None
    assert "duplicate column name" in check.explain()
    assert "not run" in repr(check)
