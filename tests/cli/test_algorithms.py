"""Every algorithm on the command line is the estimator, with its options, for two classes and for more."""

import json
import math
import shlex
import signal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import LINE, XOR, failed, separatrix, succeeded, written
from sklearn.datasets import load_iris

import separatrix as sx

ALGORITHMS: dict[str, Any] = {
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
    for algorithm in ("max-margin", "least-squares", "linear-program"):
        assert parameters("--algorithm", algorithm, "--time-limit", "60")["time_limit"] is None  # which no model keeps
    assert parameters("--algorithm", "averaged", "--eta0", "0.5")["eta0"] == "0.5"


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


BY_COPIES: dict[str, Any] = {
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
    X, y = rows.rows, rows.y
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
        assert result["halted"] == [copy.halted_ for copy in copies] == [True, False, False]
    if name == "voted":
        assert result["visits"] == [copy.n_visits_ for copy in copies]
        assert "Note: Still erring: versicolor, virginica. " in text
    elif name == "kernel":
        assert (result["kernel"], result["gamma"]) == ("rbf", copies[0].gamma_)
        assert result["support"] == [copy.support_.tolist() for copy in copies]
        assert result["margin"] == [copy.margin_ for copy in copies]
        assert result["most_mistakes"] == [copy.bound_ for copy in copies]
        assert f"on {len(copies[0].support_)} rows in " in text
        assert f"; in no order more than {math.floor(copies[0].bound_):,}\n" in text
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
    said = ["--label", "odd", "--drop", "c", "--no-intercept", "--separator", "semicolon", "--gap", "-"]
    for more in ([], ["--gap", "", "--no-usual-gaps"]):
        text = succeeded("fit", data, "--algorithm", "pocket", "--max-updates", "9", *said, *more)
        command = shlex.split(text.partition("is proved by: separatrix ")[2].splitlines()[0])
        assert sorted(command) == sorted(["least-errors", str(data), *said, *more])
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

    def interrupt(make_text, *_):
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
    assert " was stopped by Ctrl-C" in done.stdout
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
