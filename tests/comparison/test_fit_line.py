"""What `compare` ranks can be learnt: by the line that it prints, or as it returns it, with the errors of the table."""

import csv
import json
import shlex
import warnings
from dataclasses import replace

import numpy as np
import pytest
from commands import separatrix, succeeded
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

import separatrix as sx
from separatrix.comparison.comparing import members
from separatrix.comparison.results import Standing
from separatrix.support.progress import listening


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables: credit with errors, the same without, and three classes in decimals, in columns of very different size."""
    made = tmp_path_factory.mktemp("tables")
    succeeded("examples", "credit-noisy", "--output", made / "noisy.csv")
    succeeded("examples", "credit", "--output", made / "credit.csv")
    rng = np.random.RandomState(1)
    rows = rng.randint(-40, 41, (45, 3)) / 10
    score = rows @ [1.0, -1.0, 0.5] + rng.randint(-9, 10, 45) / 10
    with open(made / "three.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["small", "large", "other words", "kind of"])
        for row, kind in zip(rows.tolist(), np.digitize(score, [-1.5, 1.5]), strict=True):
            out.writerow([row[0], f"{row[1] * 1e4 + 7:.1f}", f"{row[2] / 100:.3f}", ["10", "9", "a b"][kind]])
    return made


def labels_of(path, label):
    with open(path, newline="") as file:
        return [row[label] for row in csv.DictReader(file)]


CASES = [
    ("noisy.csv", "approved", []),
    ("credit.csv", "approved", ["--scale", "minmax", "--seed", "3"]),
    ("noisy.csv", "approved", ["--scale", "none", "--positive", "no"]),
    ("three.csv", "kind of", []),
    ("three.csv", "kind of", ["--positive", "a b", "--drop", "other words", "--scale", "maxabs"]),
]


@pytest.mark.parametrize(("name", "label", "more"), CASES)
def test_the_lines_learn_what_was_compared(folder, tmp_path, monkeypatch, name, label, more):
    """Each line makes the errors of the table, to the row, in `fit`, in `score` and in `predict`."""
    monkeypatch.chdir(tmp_path)
    said = json.loads(
        succeeded("compare", folder / name, "--label", label, *more, "--cv", "0", "--bound-time-limit", "1", "--json")
    )
    truth = labels_of(folder / name, label)
    if "--positive" in more:
        one = more[more.index("--positive") + 1]
        truth = [text if text == one else f"not {one}" for text in truth]
        truth = ["yes" if text == "not no" else text for text in truth]
    learnt = [row for row in said["table"] if row["errors"] is not None]
    assert len(learnt) >= 7 - (len(said["classes"]) > 2)
    for row in learnt:
        program, *line = shlex.split(row["fit"])
        assert program == "separatrix"
        fitted = json.loads(succeeded(*line, "--json"))
        assert fitted["training_errors"] == row["errors"], row["name"]
        assert fitted.get("mistakes") in (row["mistakes"], None) or sum(fitted["mistakes"]) == row["mistakes"]
        scored = json.loads(succeeded("score", "model.json", folder / name, "--json"))
        assert scored["errors"] == row["errors"], row["name"]
        found = json.loads(succeeded("predict", "model.json", folder / name, "--json"))["predictions"]
        assert sum(str(a) != b for a, b in zip(found, truth, strict=True)) == row["errors"], row["name"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("positive", "scale"), [(None, "standard"), ("9", "minmax"), ("10", "none")])
def test_what_was_compared_is_returned(folder, tmp_path, positive, scale):
    """The classifiers themselves, with the names of their classes; model files keep them, and fit lines learn the same."""
    data = sx.read_data(folder / "three.csv", label="kind of")
    result = sx.compare(data, cv=None, positive=positive, scale=scale, bound_time_limit=1)
    truth = data.y if positive is None else np.where(data.y == positive, positive, f"not {positive}")
    for each in result.table:
        if each.errors is None:
            with pytest.raises(ValueError, match=f"'{each.name}' has not learnt from all rows: not separable"):
                result.fitted(each.name)
            continue
        model = result.fitted(each.name)
        assert isinstance(model, Pipeline) == (scale != "none")
        assert np.sum(model.predict(data.rows) != truth) == each.errors
        sx.save_model(model, tmp_path / "model.json", data=data)
        loaded = sx.load_model(tmp_path / "model.json")
        assert np.array_equal(loaded.predict(data.X), model.predict(data.X))


def test_the_best_is_that_of_cross_validation_then_of_training():
    X, y = sx.examples.load("iris-virginica")
    result = sx.compare(X, y, bound_time_limit=1)
    there = [each for each in result.table if each.errors is not None]
    least = min(each.cv_error for each in there)
    assert result.best is not None
    assert result.best.cv_error == least
    assert result.best.errors == min(each.errors for each in there if each.cv_error == least)
    assert result.fitted() is result.fitted(result.best.name)
    with pytest.raises(KeyError, match="no 'svm'"):
        result.fitted("svm")
    alone = sx.compare(X, y, {"max margin": sx.MaxMargin()}, cv=None, bound_time_limit=1)
    assert alone.best is None
    with pytest.raises(ValueError, match="No classifier of the table"):
        alone.fitted()


def test_the_best_has_been_tried_on_most_folds():
    """What was left out for want of time, or by Ctrl-C, is no reason to prefer a classifier."""
    few = Standing(name="few folds", errors=1, cv_error=0.0, fold_errors=(0.0,))
    none = Standing(name="no fold", errors=0)
    all_folds = Standing(name="all folds", errors=5, cv_error=0.2, fold_errors=(0.1, 0.3))
    result = sx.compare([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], [sx.Perceptron()], cv=2)
    assert replace(result, table=(none, few, all_folds)).best is all_folds
    assert replace(result, table=(none, few)).best is few
    assert replace(result, table=(none,)).best is none


def test_classifiers_of_others_are_returned_as_they_are():
    X, y = sx.examples.load("iris-virginica")
    result = sx.compare(
        X, np.where(y == "virginica", "a", "b"), [LogisticRegression()], cv=None, positive="a", bound_time_limit=1
    )
    assert result.fitted("LogisticRegression").classes_.tolist() == [False, True]


def test_the_run_that_was_compared_is_audited(folder):
    """`audit`, with the options of the line, is about the same run."""
    said = json.loads(succeeded("compare", folder / "credit.csv", "--label", "approved", "--cv", "0", "--json"))
    row = next(row for row in said["table"] if row["name"] == "perceptron")
    words = shlex.split(row["fit"])[2:-2]
    place = words.index("--algorithm")
    found = json.loads(succeeded("audit", *words[:place], *words[place + 2 :], "--json"))
    assert found["mistakes"] == row["mistakes"]
    assert found["holds"]
    assert "about scaled rows: each column minus its mean, divided by its standard deviation." in found["notes"][0]


def test_the_line_is_below_the_table(folder):
    text = succeeded("compare", folder / "noisy.csv", "--label", "approved", "--cv", "2")
    said = json.loads(succeeded("compare", folder / "noisy.csv", "--label", "approved", "--cv", "2", "--json"))
    line = next(row["fit"] for row in said["table"] if row["name"] == said["best"])
    assert text.endswith(f"\n\nThis learns the best of them, {said['best']}:\n{line}\n")
    limited = succeeded("compare", folder / "noisy.csv", "--label", "approved", "--cv", "2", "--time-limit", "60")
    assert "\nThis learns the best of them, " in limited
    assert ", without a limit of time:\nseparatrix fit " in limited
    markdown = succeeded("compare", folder / "noisy.csv", "--label", "approved", "--cv", "2", "--markdown")
    assert markdown.endswith(f"\n```\n{line}\n```\n")


def test_the_old_names_of_the_parameter_work(folder):
    X, y = sx.examples.load("xor")
    for old, new in ((True, "standard"), (False, "none")):
        with pytest.warns(FutureWarning, match=f"standardise is deprecated: use scale='{new}'"):
            assert sx.compare(X, y, [sx.LeastSquaresClassifier()], cv=None, standardise=old).scale == new
    for old, new in (("--standardise", "standard"), ("--raw", "none")):
        done = separatrix("compare", folder / "credit.csv", "--label", "approved", "--cv", "0", "--json", old)
        assert f"{old} is deprecated: use --scale {new}." in done.stderr
        assert json.loads(done.stdout)["scale"] == new


def test_progress_is_of_the_candidate_that_learns():
    """Neither what compiles loops before is told, nor a pass beyond the last."""
    X, y = sx.examples.load("iris-virginica")
    heard: list[str] = []
    with warnings.catch_warnings(), listening(lambda told: heard.append(str(told))):
        warnings.simplefilter("ignore")
        result = sx.compare(X, y, {"mine": members()["perceptron"]}, cv=2, bound_time_limit=1)
    heard = heard[heard.index("mine") :]
    assert all(text.startswith("mine") for text in heard)
    assert not any("pass 101" in text for text in heard)
    learning = heard[: heard.index("mine: fold 1 of 2")]
    assert learning[-1] == f"mine: 100 passes, {result['mine'].mistakes:,} mistakes in all"
    counts = [int(text.split()[-4].replace(",", "")) for text in learning if text.endswith("mistakes in all")]
    assert counts == sorted(counts)
