"""The command line, as a person uses it."""

import json
import math
import re
import shlex
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from commands import failed, separatrix, succeeded
from paths import DOCS
from sklearn.datasets import load_iris

import separatrix as sx


@pytest.fixture(scope="module")
def credit(tmp_path_factory):
    path = tmp_path_factory.mktemp("credit") / "credit.csv"
    succeeded("examples", "credit", "--output", path)
    return path


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
    assert "Training errors: 0 of 200." in text


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
                      "confusion": [[truth.count("no"), 0], [0, truth.count("yes")]]}  # fmt: skip
    assert "0 errors in 200 rows: 100.0 % right." in succeeded("score", model, credit)
    output = tmp_path / "out.csv"
    succeeded("predict", model, credit, "--output", output)
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
    "semicolons": ("a;b;y\n1;2;0\n", "say --separator semicolon"),
    "spaces": ("a, y\n1,0\n2,1\n", "Did you mean ' y'?"),
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

    def interrupt(make_text):
        reports.append(make_text())
        if len(reports) == 9:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
        patch.setattr("separatrix.support.progress.report", interrupt)
        done = separatrix("fit", credit, "--label", "approved", "--model", model)
    assert done.returncode == 130
    assert "Note: Stopped by Ctrl-C" in done.stdout
    loaded = sx.load_model(model)
    assert 0 < loaded.n_mistakes_ < sx.Perceptron().fit(*sx.examples.load("credit")).n_mistakes_
    assert not loaded.converged_


def test_progress_is_shown_after_a_second(credit, monkeypatch):
    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)
    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
    shown = []
    monkeypatch.setattr("rich.status.Status.update", lambda self, text: shown.append(text))
    succeeded("fit", credit, "--label", "approved", "--json")
    assert any("pass 3: " in text and "mistakes" in text for text in shown)


ALGORITHMS = {
    "perceptron": (sx.Perceptron(random_state=0), "went through all rows without one"),
    "averaged": (sx.Perceptron(average=True, random_state=0), "The weights are their mean over all visits."),
    "voted": (sx.VotedPerceptron(random_state=0), "each with the visits it survived: 2,000 votes"),
    "pocket": (sx.Pocket(random_state=0), "The pocket holds the best weights of"),
    "max-margin": (sx.MaxMargin(), "The largest margin is 0."),
    "kernel": (sx.KernelPerceptron(random_state=0), "(kernel rbf, gamma "),
    "least-squares": (sx.LeastSquaresClassifier(), "They need not separate what is separable."),
    "linear-program": (sx.LinearProgramClassifier(), "The hyperplane separates the classes, which is proved"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_is_the_estimator(credit, tmp_path, name):
    estimator, words = ALGORITHMS[name]
    path = tmp_path / "model.json"
    text = succeeded("fit", credit, "--label", "approved", "--algorithm", name, "--model", path)
    assert "200 rows, 10 features: yes against no." in text
    assert words in text
    assert ("* income_keur" in text) == (name not in ("voted", "kernel"))
    rows = sx.read_data(credit, "approved")
    X, y = rows.X, rows.y
    estimator.fit(X, y)
    errors = int((estimator.predict(X) != y).sum())
    assert f"Training errors: {errors:,} of 200." in text
    result = json.loads(succeeded("fit", credit, "--label", "approved", "--algorithm", name, "--json"))
    assert (result["algorithm"], result["training_errors"], result["classes"]) == (name, errors, ["no", "yes"])
    if "coef" in result:
        assert result["coef"] == estimator.coef_[0].tolist()
    loaded = sx.load_model(path)
    assert loaded.get_params() == estimator.get_params()
    assert loaded.decision_function(X).tolist() == estimator.decision_function(X).tolist()
    predicted = json.loads(succeeded("predict", path, credit, "--json"))
    assert predicted["predictions"] == estimator.predict(X).tolist()
    assert predicted["scores"] == estimator.decision_function(X).tolist()
    assert json.loads(succeeded("score", path, credit, "--json"))["errors"] == errors
    held = json.loads(succeeded("fit", credit, "--label", "approved", "--algorithm", name, "--holdout", "0.25", "--json"))
    assert (held["rows"], held["holdout"]["rows"]) == (150, 50)


def test_options_reach_the_estimator(credit, tmp_path):
    path = tmp_path / "model.json"

    def parameters(*arguments):
        succeeded("fit", credit, "--label", "approved", "--model", path, *arguments)
        return sx.load_model(path).get_params()

    found = parameters("--algorithm", "pocket", "--max-updates", "7", "--restarts", "2", "--start", "best", "--time-limit",
                       "9", "--seed", "5", "--tie", "positive", "--class-weight", "balanced", "--no-intercept")  # fmt: skip
    assert found == sx.Pocket(max_updates=7, restarts=2, init="best", time_limit=9.0, random_state=5, tie="positive",
                              class_weight="balanced", fit_intercept=False).get_params()  # fmt: skip
    found = parameters("--algorithm", "kernel", "--kernel", "poly", "--degree", "2", "--gamma", "0.5", "--coef0", "1",
                       "--max-iter", "3", "--order", "shuffle")  # fmt: skip
    assert found == sx.KernelPerceptron(kernel="poly", degree=2, gamma=0.5, coef0=1.0, max_iter=3, order="shuffle",
                                        random_state=0).get_params()  # fmt: skip
    assert parameters("--algorithm", "max-margin", "--tolerance", "1e-3")["tolerance"] == 1e-3
    assert parameters("--algorithm", "linear-program", "--class-weight", "none")["class_weight"] is None
    assert parameters("--algorithm", "voted", "--max-iter", "4")["max_iter"] == 4
    assert parameters("--algorithm", "averaged", "--eta0", "0.5")["eta0"] == 0.5


WRONG_OPTIONS = {
    "an algorithm that is none": (["--algorithm", "forest"], "--algorithm must be one of perceptron, averaged, voted"),
    "passes of max-margin": (
        ["--algorithm", "max-margin", "--max-iter", "3"],
        "--max-iter is not for --algorithm max-margin",
    ),
    "a kernel of the perceptron": (["--kernel", "rbf"], "--kernel is not for --algorithm perceptron, which takes --order"),
    "a rate of voted": (["--algorithm", "voted", "--eta0", "2"], "--eta0 is not for --algorithm voted"),
    "restarts of least squares": (["--algorithm", "least-squares", "--restarts", "2"], "--restarts is not for"),
    "a seed of nothing": (["--algorithm", "least-squares", "--seed", "2"], "--seed is not for"),
    "a degree of rbf": (["--algorithm", "kernel", "--degree", "2"], "--degree is not for --kernel rbf, but for poly"),
    "a gamma of linear": (["--algorithm", "kernel", "--kernel", "linear", "--gamma", "1"], "but for poly and rbf"),
    "a gamma that is none": (["--algorithm", "kernel", "--gamma", "big"], "--gamma must be scale or a number"),
    "a kernel that is none": (["--algorithm", "kernel", "--kernel", "precomputed"], "--kernel must be linear, poly or rbf"),
    "a weight that is none": (["--class-weight", "heavy"], "--class-weight must be balanced or none"),
    "a start that is none": (["--algorithm", "pocket", "--start", "middle"], "'init' parameter"),
}


@pytest.mark.parametrize("name", WRONG_OPTIONS)
def test_options_that_are_not_for_the_algorithm_are_refused(credit, tmp_path, name):
    arguments, message = WRONG_OPTIONS[name]
    model = tmp_path / "model.json"
    model.write_text("old")
    said = failed("fit", credit, "--label", "approved", "--model", model, *arguments)
    assert message in said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert model.read_text() == "old"


def test_what_is_not_separable_has_no_margin(tmp_path):
    data, model = written(tmp_path, XOR), tmp_path / "model.json"
    said = failed("fit", data, "--label", "odd", "--algorithm", "max-margin", "--model", model)
    assert "No hyperplane separates the classes" in said
    assert "--algorithm pocket or linear-program" in said
    assert not model.exists()
    text = succeeded("fit", data, "--label", "odd", "--algorithm", "pocket", "--max-updates", "50")
    assert "of 50 updates: " in text
    assert f"separatrix least-errors {data} --label odd" in text
    assert "does not separate the classes" in succeeded("fit", data, "--label", "odd", "--algorithm", "linear-program")
    solved = succeeded("fit", data, "--label", "odd", "--algorithm", "kernel", "--kernel", "poly", "--degree", "2")
    assert "Training errors: 0 of 4." in solved


FLOWERS = "long,wide,kind\n0,0,aster\n0,1,aster\n5,0,rose\n5,1,rose\n0,6,tulip\n1,6,tulip\n"


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "max-margin"])
def test_more_than_two_classes_are_learnt(tmp_path, name):
    data, model = written(tmp_path, FLOWERS), tmp_path / "model.json"
    text = succeeded("fit", data, "--label", "kind", "--algorithm", name, "--model", model)
    assert "3 classes, aster, rose, tulip" in text
    for kind in ("aster", "rose", "tulip"):
        assert f"\n  {kind}: " in text
    result = json.loads(succeeded("fit", data, "--label", "kind", "--algorithm", name, "--json"))
    assert name in ("voted", "kernel") or np.shape(result["coef"]) == (3, 2)
    predicted = json.loads(succeeded("predict", model, data, "--json"))
    assert predicted["classes"] == ["aster", "rose", "tulip"]
    assert np.array(predicted["classes"])[np.argmax(predicted["scores"], axis=1)].tolist() == predicted["predictions"]
    assert succeeded("predict", model, data).splitlines()[0] == "kind,score of aster,score of rose,score of tulip"
    result = json.loads(succeeded("score", model, data, "--json"))
    assert np.sum(result["confusion"]) == 6
    assert result["errors"] == 6 - np.trace(result["confusion"])
    assert result["errors"] == 0 or name in ("averaged", "voted", "pocket")
    assert "said tulip" in succeeded("score", model, data)
    other = written(tmp_path, FLOWERS.replace("rose", "lily"), "other.csv")
    assert "The label lily is none of the 3 classes" in failed("score", model, other)
    assert "takes at least two rows of each class" in failed(
        "fit", data, "--label", "kind", "--algorithm", name, "--holdout", "0.2"
    )


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    table = load_iris(as_frame=True)
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    table.data.assign(species=table.target_names[table.target]).to_csv(path, index=False)
    return path


BY_COPIES = {
    "voted": (sx.VotedPerceptron(random_state=0, order="shuffle"), ["--order", "shuffle"], "; 1,500 votes"),
    "pocket": (sx.Pocket(random_state=0, max_updates=500), ["--max-updates", "500"], " after 500 updates"),
    "kernel": (sx.KernelPerceptron(random_state=0, max_iter=20), ["--max-iter", "20"], " in 20 passes, still erring"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_COPIES)
def test_each_class_against_the_rest_is_the_estimator(iris, tmp_path, name):
    estimator, arguments, words = BY_COPIES[name]
    path, words_of_fit = tmp_path / "model.json", ("fit", iris, "--label", "species", "--algorithm", name, *arguments)
    rows = sx.read_data(iris, "species")
    X, y = rows.X, rows.y
    estimator.fit(X, y)
    said, scores = estimator.predict(X), estimator.decision_function(X)
    errors, copies = int((said != y).sum()), estimator.estimators_
    text = succeeded(*words_of_fit, "--model", path)
    assert f"Training errors: {errors:,} of 150." in text
    for k, kind in enumerate(("setosa", "versicolor", "virginica")):
        line = next(line for line in text.splitlines() if line.startswith(f"  {kind}: "))
        done = f"{copies[k].n_errors_:,} error" if name == "pocket" else f"{copies[k].n_mistakes_:,} mistake"
        assert line.startswith(f"  {kind}: {done}")
        assert (words in line) == (kind != "setosa")
    assert text.count("\nNote: ") == 1

    result = json.loads(succeeded(*words_of_fit, "--json"))
    assert (result["training_errors"], result["classes"]) == (errors, ["setosa", "versicolor", "virginica"])
    if name == "pocket":
        assert (result["coef"], result["intercept"]) == (estimator.coef_.tolist(), estimator.intercept_.tolist())
        assert result["updates"] == [copy.n_updates_ for copy in copies]
        assert result["errors"] == result["weighted_error"] == [copy.n_errors_ for copy in copies]
        assert "How many errors no hyperplane avoids, versicolor against the rest, is proved by: " in text
        assert f"separatrix least-errors {iris} --label species --positive versicolor\n" in text
    else:
        assert "coef" not in result
        assert result["mistakes"] == [copy.n_mistakes_ for copy in copies]
        assert result["passes"] == [copy.n_iter_ for copy in copies]
        assert result["converged"] == [copy.converged_ for copy in copies] == [True, False, False]
    if name == "voted":
        assert result["visits"] == [copy.n_visits_ for copy in copies]
        assert "Note: Still erring: versicolor, virginica. " in text
    elif name == "kernel":
        assert (result["kernel"], result["gamma"]) == ("rbf", copies[0].gamma_)
        assert result["support"] == [copy.support_.tolist() for copy in copies]
        assert result["margin"] == [copy.margin_ for copy in copies]
        assert result["most_mistakes"] == [copy.bound_ for copy in copies]
        assert f"on {len(copies[0].support_)} rows in " in text
        assert f"; the theorem allows {math.floor(copies[0].bound_):,}\n" in text
        assert "Note: Still erring: versicolor, virginica. " in text

    loaded = sx.load_model(path)
    assert loaded.get_params() == estimator.get_params()
    assert loaded.predict(X).tolist() == said.tolist()
    predicted = json.loads(succeeded("predict", path, iris, "--json"))
    assert (predicted["predictions"], predicted["scores"]) == (said.tolist(), scores.tolist())
    assert json.loads(succeeded("score", path, iris, "--json"))["errors"] == errors

    result = json.loads(succeeded(*words_of_fit, "--holdout", "0.2", "--json", "--model", path))
    table = pd.read_csv(iris)
    confusion = np.array(json.loads(succeeded("score", path, iris, "--json"))["confusion"])
    assert (result["rows"], result["holdout"]["rows"]) == (120, 30)
    assert confusion.sum() - np.trace(confusion) == result["training_errors"] + result["holdout"]["errors"]
    assert set(sx.load_model(path).predict(table.drop(columns="species"))) == set(table["species"])


def test_a_margin_is_of_two_classes(tmp_path):
    said = failed("fit", written(tmp_path, FLOWERS), "--label", "kind", "--algorithm", "max-margin")
    assert said.startswith(
        "Error: --algorithm max-margin learns two classes, and the label has 3. Set one against the rest "
    )
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["voted", "pocket", "max-margin", "kernel"])
def test_one_of_many_classes_against_the_rest(tmp_path, name):
    data, model = written(tmp_path, FLOWERS), tmp_path / "model.json"
    succeeded("fit", data, "--label", "kind", "--algorithm", name, "--positive", "aster", "--model", model)
    predicted = sx.load_model(model).predict(pd.read_csv(data)[["long", "wide"]])
    truth = np.array(["aster" if kind == "aster" else "not aster" for kind in pd.read_csv(data)["kind"]])
    assert json.loads(succeeded("score", model, data, "--json"))["errors"] == int((predicted != truth).sum())


def test_a_proof_that_is_suggested_is_of_the_same_classes(iris):
    fit = ("fit", iris, "--label", "species", "--algorithm", "pocket", "--max-updates", "9")
    text = succeeded(*fit, "--positive", "virginica")
    assert f"is proved by: separatrix least-errors {iris} --label species --positive virginica\n" in text


def test_a_proof_that_is_suggested_is_of_the_same_rows(tmp_path):
    data = written(tmp_path, "a;b;c;odd\n0;0;1;0\n0;1;;1\n1;0;-;1\n1;1;1;0\n0;1;3;1\n1;0;2;1\n")
    said = ["--label", "odd", "--drop", "c", "--no-intercept", "--separator", "semicolon", "--gap", "-", "--gap", ""]
    text = succeeded("fit", data, "--algorithm", "pocket", "--max-updates", "9", *said)
    command = shlex.split(text.partition("is proved by: separatrix ")[2].splitlines()[0])
    assert sorted(command) == sorted(["least-errors", str(data), *said])
    succeeded(*command)


def test_a_label_that_is_a_quantity_is_told_of(tmp_path):
    data = written(tmp_path, "a,size\n" + "".join(f"{k},{k * k / 8}\n" for k in range(30)))
    text = succeeded("fit", data, "--label", "size", "--max-iter", "2")
    assert "The label has 30 classes in 30 rows: it looks like a quantity" in text
    assert "it needs more passes (--max-iter)" in text


def test_many_classes_are_cut_short(tmp_path):
    lines = [f"{j},{j * j},{k}\n" for k in range(14) for j in (k, k + 0.25)]
    data, model = written(tmp_path, "a,b,kind\n" + "".join(lines)), tmp_path / "model.json"
    text = succeeded("fit", data, "--label", "kind", "--model", model, "--max-iter", "3")
    assert "… and 4 more classes" in text
    assert "said" not in succeeded("score", model, data)
    text = succeeded("fit", data, "--label", "kind", "--algorithm", "pocket", "--max-updates", "3")
    assert text.count("\n  … and 4 more classes\n") == 2
    assert text.count("\n  9: ") == 2
    assert "\n  10: " not in text


def test_a_model_from_python_with_labels_of_floats(tmp_path):
    data, model = written(tmp_path, LINE["separable"]), tmp_path / "model.json"
    frame = pd.read_csv(data)
    sx.save_model(sx.MaxMargin().fit(frame[["x"]], frame["y"].astype(float)), model, label="y")
    assert json.loads(succeeded("score", model, data, "--json"))["errors"] == 0
    sx.save_model(sx.MaxMargin().fit(frame[["x"]].to_numpy(), frame["y"]), model)
    assert "no feature names" in failed("predict", model, data)


STOPPED = pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("pocket", "perceptron.pocket.MAX_WEIGHTS_PER_BLOCK"),
        ("kernel", "perceptron.kernel_run.NUMBERS_PER_CALL"),
        ("voted", "perceptron.run.NUMBERS_PER_CALL"),
    ],
)


def stopped(monkeypatch, budget, *arguments, at=3):
    """Run a command that Ctrl-C stops at one of its reports of progress; return also how many there were."""
    begun = []

    def interrupt(make_text):
        begun.append(make_text())
        if len(begun) == at:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(f"separatrix.{budget}", 1000)
        patch.setattr("separatrix.support.progress.report", interrupt)
        done = separatrix(*arguments)
    return done, len(begun)


@STOPPED
def test_ctrl_c_saves_what_there_is(tmp_path, monkeypatch, name, budget):
    data, model = tmp_path / "noisy.csv", tmp_path / "model.json"
    succeeded("examples", "credit-noisy", "--output", data)
    done, _ = stopped(monkeypatch, budget, "fit", data, "--label", "approved", "--algorithm", name, "--model", model)
    assert done.returncode == 130, done
    assert "Note: Stopped by Ctrl-C" in done.stdout
    assert json.loads(succeeded("score", model, data, "--json"))["rows"] == len(data.read_text().splitlines()) - 1


@STOPPED
def test_ctrl_c_keeps_nothing_of_classes_learnt_one_by_one(iris, tmp_path, monkeypatch, name, budget):
    model = tmp_path / "model.json"
    fit = ("fit", iris, "--label", "species", "--algorithm", name)
    done, reports = stopped(monkeypatch, budget, *fit, at=None)
    assert done.returncode == 0, done
    model.write_text("old")
    done, _ = stopped(monkeypatch, budget, *fit, "--model", model, at=3 * reports // 4)  # amid the classes
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped; nothing is kept.\n")
    assert model.read_text() == "old"


def test_version_and_module():
    command = [sys.executable, "-m", "separatrix", "examples", "spam"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: There is no example 'spam'")
    assert succeeded("--version").strip() == f"separatrix {sx.__version__}"
    assert "fit" in succeeded("--help")


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


XOR = "left,right,odd\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
LINE = {
    "separable": "x,y\n1,0\n2,0\n3,1\n",
    "quasi-separable": "x,y\n1,0\n2,0\n2,1\n3,1\n",
    "overlapping": "x,y\n1,0\n2,1\n3,0\n",
}


def test_decide_explains_and_proves(tmp_path):
    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    text = succeeded("decide", data, "--label", "odd", "--certificate", proof)
    assert "XOR pattern" in text
    assert "0 > 0" in text
    assert f"separatrix verify {proof} {data}" in text
    about = "4 rows, 2 columns ('left', 'right'), an intercept, class 'yes' against 'no', labels in column 'odd'"
    assert f"Proved for {about}: the classes overlap: any hyperplane" in succeeded("verify", proof, data)
    assert json.loads(succeeded("verify", proof, data, "--label", "odd", "--json")) == {
        "valid": True, "claim": "overlapping", "about": about, "reason": None,
    }  # fmt: skip


@pytest.mark.parametrize(("status", "code"), [("separable", 0), ("quasi-separable", 3), ("overlapping", 4)])
def test_decide_as_json_and_exit_codes(tmp_path, status, code):
    data = written(tmp_path, LINE[status])
    result = json.loads(succeeded("decide", data, "--label", "y", "--json"))
    assert result["status"] == status
    assert result["separable"] is (status == "separable")
    assert result["classes"] == [0, 1]
    assert result["separating_columns"] == (None if status == "overlapping" else ["x"])
    assert len(result["separated_rows"]) == {"separable": 3, "quasi-separable": 2, "overlapping": 0}[status]
    assert separatrix("decide", data, "--label", "y", "--exit-code").returncode == code


def test_decide_says_when_the_time_is_up(tmp_path):
    data = written(tmp_path, XOR)
    assert "time limit" in succeeded("decide", data, "--label", "odd", "--time-limit", "1e-9")
    done = separatrix("decide", data, "--label", "odd", "--time-limit", "1e-9", "--exit-code", "--json")
    assert done.returncode == 5
    assert json.loads(done.stdout)["status"] == "unknown"
    assert "--time-limit must be" in failed("decide", data, "--label", "odd", "--time-limit", "-1")
    proof = tmp_path / "proof.json"
    assert "No proof was written" in succeeded(
        "decide", data, "--label", "odd", "--time-limit", "1e-9", "--certificate", proof
    )
    assert not proof.exists()


def test_decide_one_class_against_the_rest_and_without_intercept(tmp_path):
    data = written(tmp_path, "x,kind\n1,a\n2,b\n3,c\n")
    assert "3 classes" in failed("decide", data, "--label", "kind")
    assert "no-such" in failed("decide", data, "--label", "kind", "--positive", "no-such")
    assert json.loads(succeeded("decide", data, "--label", "kind", "--positive", "b", "--json"))["status"] == "overlapping"
    proof = tmp_path / "proof.json"
    succeeded("decide", data, "--label", "kind", "--positive", "c", "--no-intercept", "--certificate", proof)
    succeeded("verify", proof, data, "--label", "kind")
    single = written(tmp_path, "x,kind\n1,a\n2,a\n", "single.csv")
    assert json.loads(succeeded("decide", single, "--label", "kind", "--json"))["separating_columns"] == []


def test_verify_says_what_is_wrong(tmp_path):
    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    succeeded("decide", data, "--label", "odd", "--certificate", proof)
    other = written(tmp_path, XOR.replace("1,1,no", "1,2,no"), "other.csv")
    done = separatrix("verify", proof, other, "--label", "odd")
    assert done.returncode == 1
    assert "not that of the certificate" in done.stdout
    strange = written(tmp_path, XOR.replace("1,1,no", "1,1,maybe"), "strange.csv")
    done = separatrix("verify", proof, strange, "--label", "odd", "--json")
    assert done.returncode == 1
    assert "maybe" in json.loads(done.stdout)["reason"]
    proof.write_text(proof.read_text().replace('"multipliers": [\n   "1"', '"multipliers": [\n   "2"', 1))
    done = separatrix("verify", proof, data, "--label", "odd")
    assert done.returncode == 1
    assert "add up to zero" in done.stdout
    assert "not JSON" in separatrix("verify", data, data, "--label", "odd").stdout
    assert "cannot be read" in failed("verify", tmp_path / "none.json", data, "--label", "odd")
    done = separatrix("verify", proof, data, "--label", "left")
    assert done.returncode == 1
    assert "about the label 'odd', not 'left'" in done.stdout


def test_verify_refuses_the_label_as_a_column_as_the_checker_does(tmp_path):
    from separatrix import checker

    data, proof = written(tmp_path, LINE["separable"]), tmp_path / "proof.json"
    table = pd.read_csv(data)
    sx.decide(table, table["y"]).certificate.save(proof)
    assert separatrix("verify", proof, data, "--label", "y").returncode == 1
    assert checker.main([str(proof), str(data), "--label", "y"]) == 1
    missing = written(tmp_path, LINE["separable"].replace("x,y", "z,y"), "missing.csv")
    assert separatrix("verify", proof, missing, "--label", "y").returncode == 1


def test_decide_refuses_at_once_what_it_could_not_write(tmp_path):
    data = written(tmp_path, XOR)
    assert "would overwrite the data" in failed("decide", data, "--label", "odd", "--certificate", data)
    assert data.read_text() == XOR
    assert "no such folder" in failed("decide", data, "--label", "odd", "--certificate", tmp_path / "no" / "proof.json")


def test_the_checker_stands_alone(tmp_path):
    """As a file somewhere else, with a Python that knows no package but its own."""
    import shutil

    from separatrix import checker

    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    succeeded("decide", data, "--label", "odd", "--certificate", proof)
    alone = shutil.copy(checker.__file__, tmp_path / "checker.py")
    for command in (
        [sys.executable, "-I", "-S", alone],
        [sys.executable, checker.__file__],
        [sys.executable, "-m", "separatrix.checker"],
    ):
        done = subprocess.run([*command, proof, data, "--label", "odd"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "overlap" in done.stdout


def test_ctrl_c_stops_decide(tmp_path):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.standard_normal((2000, 250)), np.arange(2000) % 2])
    data = tmp_path / "large.csv"
    np.savetxt(data, table, delimiter=",", header=",".join([*(f"x{j}" for j in range(250)), "y"]), comments="", fmt="%.17g")
    text = data.read_text().replace(",0\n", ",no\n").replace(",1\n", ",yes\n")
    data.write_text(text)
    command = [sys.executable, "-c", "from separatrix.cli.app import main; print('ready', flush=True); main()"]
    process = subprocess.Popen(
        [*command, "decide", str(data), "--label", "y"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(timeout=2.5)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)
    assert process.returncode == 0 or "Stopped." in errors


def test_audit_reads_like_a_lecture(tmp_path):
    data = tmp_path / "and.csv"
    succeeded("examples", "and", "--output", data)
    text = succeeded("audit", data, "--label", "output")
    for part in ("Claim 1", "Claim 2", "The squeeze", "more mistakes are impossible", "How well does it generalise?"):
        assert part in text
    result = json.loads(succeeded("audit", data, "--label", "output", "--json"))
    assert (result["mistakes"], result["holds"]) == (18, True)
    assert result["bound"][0] <= 51 <= result["bound"][1]
    assert len(result["per_mistake"]["k"]) == len(result["per_mistake"]["cosine"]) == 18
    assert "\\gamma" in succeeded("audit", data, "--label", "output", "--style", "latex")
    assert "--style must be" in failed("audit", data, "--label", "output", "--style", "html")


def test_audit_says_why_a_run_cannot_end(tmp_path):
    data = written(tmp_path, XOR)
    text = succeeded("audit", data, "--label", "odd", "--max-iter", "20")
    assert "The theorem does not apply" in text
    assert "the run cannot halt" in text
    assert json.loads(succeeded("audit", data, "--label", "odd", "--max-iter", "20", "--json"))["margin"] is None


def test_fit_prints_the_bound_of_the_theorem(tmp_path):
    data = tmp_path / "and.csv"
    succeeded("examples", "and", "--output", data)
    assert "The convergence theorem allows 51 mistakes" in succeeded("fit", data, "--label", "output")
    assert json.loads(succeeded("fit", data, "--label", "output", "--json"))["theorem"]["most_mistakes"] == 51
    assert "theorem" not in json.loads(succeeded("fit", written(tmp_path, XOR), "--label", "odd", "--json"))


def test_verify_says_what_a_margin_certificate_proves(tmp_path):
    data, proof = written(tmp_path, LINE["separable"]), tmp_path / "proof.json"
    rows = sx.read_data(data, "y")
    sx.margin(rows, kind="geometric").at_least.save(proof)
    assert "the margin (geometric) is at least 0.5: the given hyperplane" in succeeded("verify", proof, data)
    sx.margin(rows).at_most.save(proof)
    assert "the margin (lifted) is at most 0." in succeeded("verify", proof, data)


def test_verify_says_how_many_errors_are_proved(tmp_path):
    """The example of the specification, and a copy with costs."""
    page = (DOCS / "certificate-format.md").read_text(encoding="utf-8")
    table, document = re.search(r"```csv\n(x,side\n.*?)```.*?```json\n(.*?)```", page, re.DOTALL).groups()
    data, proof = tmp_path / "line.csv", tmp_path / "proof.json"
    data.write_text(table)
    proof.write_text(document)
    said = succeeded("verify", proof, data, "--label", "side")
    assert ": every hyperplane has at least 2 rows on its wrong side or goes through them." in said
    costly = json.loads(document) | {"errors": {"least": "5/2", "costs": ["3/2"] * 6}}
    costly["packing"]["nodes"][2]["weights"] = ["3/2"]
    costly["packing"]["nodes"][1]["weights"] = ["5/4", "5/4"]
    proof.write_text(json.dumps(costly))
    said = succeeded("verify", proof, data, "--label", "side")
    assert "rows of a total cost of at least 5/2 (in the costs of the certificate) on its wrong side" in said
    costly["errors"]["least"] = "31/10"  # all sums of costs are multiples of 3/2, so that 5/2 is as good as 3
    proof.write_text(json.dumps(costly))
    assert (
        "Not proved. Node 1 proves errors of 3 at least, but 3.1 are claimed"
        in separatrix("verify", proof, data, "--label", "side").stdout
    )


def test_least_errors_explains_and_proves(tmp_path):
    from separatrix import checker

    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    text = succeeded("least-errors", data, "--label", "odd", "--certificate", proof)
    assert "'yes' against 'no'. A hyperplane errs on 1 of them, and none errs on fewer." in text
    assert "(row 1) + (row 2) = (row 0) + (row 3)" in text
    assert re.search(rf"Where the errors are: {data}, line [2-5]\.", text)
    assert f"Proof written to {proof}; check it with: separatrix verify {proof} {data}" in text
    assert "every hyperplane has at least 1 row on its wrong side or goes through it." in succeeded("verify", proof, data)
    assert checker.main([str(proof), str(data)]) == 0
    assert r"\text{left}" in succeeded("least-errors", data, "--label", "odd", "--style", "latex")


def test_least_errors_as_json(tmp_path):
    data, proof = tmp_path / "credit.csv", tmp_path / "proof.json"
    succeeded("examples", "credit-noisy", "--gaps", "0.04", "--output", data)
    arguments = ("least-errors", data, "--label", "approved", "--missing", "drop-rows")
    result = json.loads(succeeded(*arguments, "--json", "--certificate", proof))
    rows = sx.read_data(data, "approved", missing="drop-rows")
    found = sx.least_errors(rows)
    assert result["lower"] == result["upper"] == found.lower == found.upper
    assert result["optimal"] is True
    assert result["interrupted"] is False
    assert len(result["coef"]) == len(result["features"]) == len(rows.names)
    signs = (rows.X @ np.array(result["coef"]) + result["intercept"]) * np.where(rows.y == "yes", 1, -1)
    assert result["errors"] == np.flatnonzero(signs <= 0).tolist()
    assert len(result["errors"]) == result["upper"]
    lines = [int(place.rpartition(" ")[2]) for place in result["error_places"]]
    assert lines == [result["kept_rows"][i] + 2 for i in result["errors"]]
    assert result["certificate"] == str(proof)
    assert result["notes"]
    succeeded("verify", proof, data)
    assert "counted from 0 among the rows that are not left out" in succeeded(*arguments)


def test_least_errors_with_weights(tmp_path):
    table = "left,right,count,odd\n0,0,5,no\n0,1,0.5,yes\n1,0,2,yes\n1,1,4,no\n"
    data, proof = written(tmp_path, table), tmp_path / "proof.json"
    arguments = ("least-errors", data, "--label", "odd", "--weights", "count")
    result = json.loads(succeeded(*arguments, "--json", "--certificate", proof))
    assert (result["lower"], result["upper"], result["errors"]) == ("1/2", "1/2", [1])
    assert result["features"] == ["left", "right"]
    assert "with a weight of 0.5 out of 11.5 in all" in succeeded(*arguments)
    assert "a total cost of at least 1/2" in succeeded("verify", proof, data)
    piped = subprocess.run(
        [sys.executable, "-m", "separatrix", "least-errors", "-", "--label", "odd", "--weights", "count", "--json"],
        input=table, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(piped.stdout)["lower"] == "1/2"
    dropped = written(tmp_path, table.replace("0,1,0.5", ",1,-1"), "dropped.csv")
    result = json.loads(succeeded("least-errors", dropped, *arguments[2:], "--missing", "drop-rows", "--json"))
    assert (result["upper"], result["rows"]) == (0, 3)


def test_least_errors_refuses_bad_arguments(tmp_path):
    data = written(tmp_path, XOR)
    usual = ("least-errors", data, "--label", "odd")
    text = written(tmp_path, "left,right,odd\n0,few,no\n1,many,yes\n", "text.csv")
    negative = written(tmp_path, XOR.replace("1,1,no", "1,-1,no"), "negative.csv")
    gap = written(tmp_path, XOR.replace("1,1,no", "1,,no"), "gap.csv")
    libsvm = written(tmp_path, "1 1:1\n-1 2:1\n", "rows.libsvm")
    for arguments, message in [
        ((*usual, "--time-limit", "0"), "--time-limit must be a number of seconds above 0, got 0"),
        ((*usual, "--time-limit", "nan"), "--time-limit must be"),
        ((*usual, "--seed", "-1"), "--seed must be at least 0"),
        ((*usual, "--style", "html"), "--style must be text, markdown or latex"),
        ((*usual, "--certificate", data), "would overwrite the data"),
        ((*usual, "--certificate", tmp_path / "no" / "proof.json"), "no such folder"),
        ((*usual, "--weights", "count"), "has no column 'count' of weights"),
        ((*usual, "--weights", "odd"), "cannot be both the label and --weights"),
        (("least-errors", text, "--label", "odd", "--weights", "right"), "holds text, such as 'few': --weights must be"),
        (("least-errors", negative, "--label", "odd", "--weights", "right"), "line 5, column 'right': no number from 0 up"),
        (("least-errors", gap, "--label", "odd", "--weights", "right"), "line 5, column 'right': no number from 0 up"),
        (("least-errors", libsvm, "--weights", "right"), "no columns by name to take --weights from"),
        (("least-errors", data), "Name it with --label"),
    ]:
        said = failed(*arguments)
        assert message in said
        assert said.startswith("Error: ")
        assert said.count("\n") == 1
    assert data.read_text() == XOR


@pytest.fixture
def noise(tmp_path):
    """Rows whose labels are noise: the bounds stay apart for long."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((300, 10)), columns=[f"x{j}" for j in range(10)])
    table["y"] = rng.integers(0, 2, 300)
    path = tmp_path / "noise.csv"
    table.to_csv(path, index=False)
    return path


def test_least_errors_says_when_the_time_is_up(noise):
    arguments = ("least-errors", noise, "--label", "y", "--time-limit", "0.5")
    assert "The search ended when its time was up, with a gap" in succeeded(*arguments)
    done = separatrix(*arguments, "--exit-code", "--json")
    assert done.returncode == 5
    result = json.loads(done.stdout)
    assert result["optimal"] is False
    assert result["lower"] < result["upper"] == len(result["errors"])


def test_ctrl_c_keeps_the_bounds_so_far(noise, tmp_path, monkeypatch):
    proof, shown = tmp_path / "proof.json", []

    def show(self, text):
        shown.append(text)
        if len(shown) == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr("rich.status.Status.update", show)
        done = separatrix("least-errors", noise, "--label", "y", "--certificate", proof)
    assert done.returncode == 130
    assert "Ctrl-C ended the search" in done.stdout
    assert "Traceback" not in done.stderr
    assert any(re.match(r"between \d+ and \d+ errors, \d+ s \(Ctrl-C keeps what is proved so far\)", text) for text in shown)
    assert "Proved for 300 rows" in succeeded("verify", proof, noise)
