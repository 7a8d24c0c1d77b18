"""The command line, as a person uses it: examples, learning, predicting, and mistakes."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from commands import failed, separatrix, succeeded

import separatrix as sx


@pytest.fixture(scope="module")
def model(credit):
    path = credit.with_name("model.json")
    succeeded("fit", credit, "--label", "approved", "--model", path)
    return path


def test_examples():
    assert set(json.loads(succeeded("examples", "--json"))) == set(sx.examples.names())
    for name in sx.examples.names():
        assert name in succeeded("examples")
    assert succeeded("examples", "and").splitlines() == ["x1,x2,output", "0,0,0", "0,1,0", "1,0,0", "1,1,1"]
    assert "There is no example 'nor2'" in failed("examples", "nor2")


def test_the_csv_of_an_example_is_the_example(credit, tmp_path):
    for name in ("credit", "breast-cancer", "iris-setosa"):
        path = tmp_path / f"{name}.csv"
        succeeded("examples", name, "--output", path)
        example = sx.examples.get(name)
        data = sx.read_data(path, label=example.label)
        assert np.array_equal(data.X, example.X)
        assert data.y.tolist() == example.y.tolist()
        assert data.names == list(example.features)


def test_fit_prints_the_hyperplane_in_feature_names(credit):
    text = succeeded("fit", credit, "--label", "approved")
    assert "yes against no" in text
    for feature in ("income_keur", "debt_keur", "years_employed", "late_payments"):
        assert f"* {feature}" in text
    assert "Training errors: 0 of 200. Always saying no makes " in text


def test_fit_as_json_is_the_estimator(credit):
    result = json.loads(succeeded("fit", credit, "--label", "approved", "--json"))
    perceptron = sx.Perceptron().fit(*sx.examples.load("credit"))
    assert result["coef"] == perceptron.coef_[0].tolist()
    assert result["intercept"] == perceptron.intercept_[0]
    assert (result["mistakes"], result["passes"]) == (perceptron.n_mistakes_, perceptron.n_iter_)
    assert result["converged"] is True
    assert result["notes"] == []


def test_predict_and_score(credit, model, tmp_path):
    lines = succeeded("predict", model, credit).splitlines()
    assert lines[0] == "approved,score"
    truth = [line.rsplit(",", 1)[1] for line in credit.read_text().splitlines()[1:]]
    assert [line.split(",")[0] for line in lines[1:]] == truth
    result = json.loads(succeeded("score", model, credit, "--json"))
    assert result == {"rows": 200, "errors": 0, "accuracy": 1.0, "classes": ["no", "yes"],
                      "confusion": [[truth.count("no"), 0], [0, truth.count("yes")]],
                      "majority": {"class": "no", "errors": truth.count("yes")}}  # fmt: skip
    assert f" Always saying no makes {truth.count('yes')} errors (" in succeeded("score", model, credit)
    assert "0 errors in 200 rows: 100.0 % right." in succeeded("score", model, credit)
    output = tmp_path / "out.csv"
    succeeded("predict", model, credit, "--output", output)
    short = tmp_path / "short.csv"
    succeeded("predict", model, credit, "-o", short)
    assert short.read_bytes() == output.read_bytes()
    assert output.read_text().splitlines() == lines
    assert json.loads(succeeded("predict", model, credit, "--json"))["predictions"] == truth


def test_columns_are_matched_by_name(credit, model, tmp_path):
    rows = [line.split(",") for line in credit.read_text().splitlines()]
    other = tmp_path / "other.csv"
    other.write_text("\n".join(",".join([*reversed(row[:-1]), "99" if i else "more"]) for i, row in enumerate(rows)) + "\n")
    assert succeeded("predict", model, other) == succeeded("predict", model, credit)
    narrow = tmp_path / "narrow.csv"
    narrow.write_text("\n".join(",".join(row[2:]) for row in rows) + "\n")
    assert "lacks the 2 columns 'income_keur', 'debt_keur'" in failed("predict", model, narrow)


def test_holdout(credit):
    result = json.loads(succeeded("fit", credit, "--label", "approved", "--holdout", "0.25", "--json"))
    assert (result["rows"], result["holdout"]["rows"]) == (150, 50)
    assert "Rows kept back" in succeeded("fit", credit, "--label", "approved", "--holdout", "0.25")
    assert "--holdout must be" in failed("fit", credit, "--label", "approved", "--holdout", "1")


def test_one_class_against_the_rest(tmp_path):
    data = tmp_path / "flowers.csv"
    data.write_text("size,kind\n1,aster\n2,rose\n3,tulip\n")
    assert "aster, rose, tulip. Set one against the rest with --positive" in failed("audit", data, "--label", "kind")
    model = tmp_path / "m.json"
    for positive in ("aster", "tulip"):
        succeeded("fit", data, "--label", "kind", "--positive", positive, "--model", model)
        predicted = json.loads(succeeded("predict", model, data, "--json"))["predictions"]
        assert [p == positive for p in predicted] == [kind == positive for kind in ("aster", "rose", "tulip")]
        assert json.loads(succeeded("score", model, data, "--json"))["errors"] == 0
    assert "--positive lily is not a class" in failed("fit", data, "--label", "kind", "--positive", "lily")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("size,kind\n1,1\n2,2\n3,3\n")
    succeeded("fit", numbers, "--label", "kind", "--positive", "1", "--model", model)
    assert json.loads(succeeded("score", model, numbers, "--json"))["errors"] == 0


def test_names_are_printed_as_they_are(tmp_path):
    data = tmp_path / "units.csv"
    data.write_text("length [cm],kind\n1,[bold]p[/bold]\n2,[/q]\n")
    model = tmp_path / "m.json"
    text = succeeded("fit", data, "--label", "kind", "--model", model)
    assert "* length [cm]" in text
    assert "[bold]p[/bold] against [/q]" in text
    assert "said [/q]" in succeeded("score", model, data)


def test_labels_that_look_like_numbers_are_not_merged(tmp_path):
    data = tmp_path / "codes.csv"
    data.write_text("a,y\n0,01\n2,1\n")
    assert json.loads(succeeded("fit", data, "--label", "y", "--json"))["classes"] == ["01", "1"]


def test_holdout_that_is_not_possible(tmp_path):
    data = tmp_path / "four.csv"
    data.write_text("a,y\n1,p\n2,p\n3,q\n4,q\n")
    assert "keeps back 4 of 4 rows" in failed("fit", data, "--label", "y", "--holdout", "0.9")
    assert "--seed must be" in failed("fit", data, "--label", "y", "--seed", "-1")
    data.write_text("a,y\n" + "".join(f"{k},{'q' if k < 2 else 'p'}\n" for k in range(40)))
    assert "some of each to learn from" in failed("fit", data, "--label", "y", "--holdout", "0.9")


def test_labels_written_as_signed_numbers(tmp_path):
    data = tmp_path / "signed.csv"
    data.write_text("x,y\n1,+1\n-1,-1\n")
    assert json.loads(succeeded("fit", data, "--label", "y", "--json"))["classes"] == [-1, 1]


def test_not_separable_is_told_in_a_note(tmp_path):
    data = tmp_path / "xor.csv"
    succeeded("examples", "xor", "--output", data)
    text = succeeded("fit", data, "--label", "output", "--max-iter", "5")
    assert "was still erring" in text
    assert "Note: The perceptron made 20 mistakes in 5 passes" in text


BAD_FILES = {
    "empty": ("", "is empty"),
    "header only": ("a,y\n", "has a header but no rows"),
    "text": ("a,b,y\n1,2,0\n3,four,1\n", "line 3, column 'b': 'four' is not a number, but other values"),
    "gap": ("a,b,y\n1,2,0\n3,,1\n", "line 3, column 'b'. By column: 'b' 1. Leave such rows out with --missing drop-rows"),
    "nan": ("a,b,y\n1,2,0\n3,nan,1\n", "missing values in 1 of its 2 rows"),
    "infinite": ("a,y\n1,0\ninf,1\n", "line 3, column 'a': 'inf' is not a number"),
    "too large": ("a,y\n1,0\n1e400,1\n", "line 3, column 'a': an infinite number, or one too large"),
    "ragged": ("a,b,y\n1,2,0\n3,1\n", "line 3: 2 values for 3 columns"),
    "one class": ("a,y\n1,0\n2,0\n", "one class"),
    "no label": ("a,b\n1,2\n", "has no column 'y' for the label. Its columns are: 'a', 'b'"),
    "only labels": ("y\n1\n0\n", "no column to learn from besides the label"),
    "label missing": ("a,y\n1,0\n2,\n", "line 3: no label (column 'y')"),
    "twin columns": ("a,a,y\n1,2,0\n", "has two columns named 'a'. Rename one of them, or say --no-header"),
    "no name": (",a,y\n0,1,0\n1,2,1\n", "Column 1 of"),
    "semicolons": ("a;b;y\n1,5;2,5;0\n1;2,5,5;0\n3;0\n", "say --separator semicolon"),
    "spaces": ("a, y, y \n1,0,1\n2,1,1\n", "Did you mean ' y'?"),
    "latin-1": ("a,y\n1,\xe9\n2,b\n", "not text in UTF-8"),
    "nan label": ("a,y\n1,nan\n2,b\n", "line 2: no label (column 'y')"),
    "binary": ("\x00\x01\x02\xff\xfe,\n", ""),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_clear_message(tmp_path, name):
    text, message = BAD_FILES[name]
    data = tmp_path / "data.csv"
    data.write_bytes(text.encode("latin-1"))
    model = tmp_path / "model.json"
    said = failed("fit", data, "--label", "y", "--model", model)
    assert message in said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert not model.exists()


def test_other_mistakes_get_one_clear_message(credit, model, tmp_path):
    assert "There is no file" in failed("fit", tmp_path / "none.csv", "--label", "y")
    assert "is a folder" in failed("fit", tmp_path, "--label", "y")
    assert "'tie' parameter" in failed("fit", credit, "--label", "approved", "--tie", "coin")
    assert "'order' parameter" in failed("fit", credit, "--label", "approved", "--order", "up")
    assert "There is no file" in failed("predict", tmp_path / "none.json", credit)
    assert "not a model" in failed("predict", credit, credit)
    assert "cannot be written" in failed("fit", credit, "--label", "approved", "--model", tmp_path / "no" / "m.json")
    assert "holds the classes? Name it with --label. It has: 'income_keur', 'debt_keur'" in failed("fit", credit)
    assert "No such command" in failed("fly")


def test_score_refuses_labels_that_were_not_learnt(credit, model, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(credit.read_text().replace("yes", "maybe"))
    assert "The label maybe is neither no nor yes" in failed("score", model, other)


def test_a_class_called_not_another_is_a_class_like_any_other(tmp_path):
    """Only where one class was set against several others, a label that was never seen is one of these."""
    data, other, model = tmp_path / "data.csv", tmp_path / "other.csv", tmp_path / "model.json"
    data.write_text("x,y\n1,z\n2,z\n-1,not z\n-2,not z\n")
    other.write_text("x,y\n1,z\n-1,something else\n")
    succeeded("fit", data, "--label", "y", "--model", model)
    assert json.loads(model.read_text())["classes"] == ["not z", "z"]
    assert json.loads(model.read_text())["others"] is False
    assert json.loads(succeeded("score", model, data, "--json"))["errors"] == 0
    assert "The label something else is neither not z nor z" in failed("score", model, other)
    data.write_text("x,y\n1,z\n2,z\n-1,not z\n-2,y\n")
    succeeded("fit", data, "--label", "y", "--positive", "z", "--model", model)
    assert json.loads(model.read_text())["classes"] == ["not z", "z"]
    assert "others" not in json.loads(model.read_text())  # so that the first version can read it, too
    assert json.loads(succeeded("score", model, data, "--json"))["errors"] == 0
    assert json.loads(succeeded("score", model, other, "--json"))["errors"] == 0


@pytest.mark.parametrize("positive", ["TRUE", "true", "True", "tRuE", "false", "no"])
def test_all_commands_agree_on_the_class_that_is_named(tmp_path, positive):
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,TRUE\n2,TRUE\n-1,false\n-2,false\n")
    named = [data, "--label", "y", "--positive", positive]
    codes = {command: separatrix(command, *named).returncode for command in ("describe", "decide", "fit", "least-errors")}
    assert set(codes.values()) == {2 if positive == "no" else 0}
    if positive != "no":
        expected = positive.lower() == "true"
        assert json.loads(succeeded("decide", *named, "--json"))["classes"] == [not expected, expected]


def test_ctrl_c_saves_the_weights_so_far(credit, tmp_path, monkeypatch):
    model = tmp_path / "model.json"
    reports = []

    def interrupt(make_text, *_):
        reports.append(make_text())
        if len(reports) == 9:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
        patch.setattr("separatrix.support.progress.report", interrupt)
        done = separatrix("fit", credit, "--label", "approved", "--model", model)
    assert done.returncode == 130
    assert "Note: The perceptron was stopped by Ctrl-C after " in done.stdout
    loaded = sx.load_model(model)
    assert 0 < loaded.n_mistakes_ < sx.Perceptron().fit(*sx.examples.load("credit")).n_mistakes_
    assert not loaded.converged_


def test_progress_is_shown_after_a_second(credit, monkeypatch):
    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)
    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
    shown = []
    monkeypatch.setattr("rich.status.Status.update", lambda self, text: shown.append(text))
    succeeded("fit", credit, "--label", "approved", "--json")
    assert any("pass 3: " in text and "mistakes" in text for text in shown)


def test_version_and_module():
    command = [sys.executable, "-m", "separatrix", "examples", "spam"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: There is no example 'spam'")
    assert succeeded("--version").strip() == f"separatrix {sx.__version__}"
    assert "fit" in succeeded("--help")
