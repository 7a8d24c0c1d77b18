"""The comparison: what stands in the table is what the classifiers do, and the bound holds for those it applies to."""

import json
import re
import sys
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from commands import failed, separatrix, succeeded
from hypothesis import given
from profiles import quickly
from reference import dot, lifted
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from strategies import problems

import separatrix as sx
from separatrix.comparison import comparing
from separatrix.comparison.comparing import members, named
from separatrix.support.interruption import interrupt
from separatrix.support.progress import listening


class Odd(ClassifierMixin, BaseEstimator):
    """Learns the first label it sees; fails, warns or is interrupted as it is told."""

    def __init__(self, fails_below=0, warns=False, interrupted_below=0):
        self.fails_below, self.warns, self.interrupted_below = fails_below, warns, interrupted_below

    def fit(self, X, y):
        if len(y) < self.interrupted_below:
            raise KeyboardInterrupt
        if len(y) < self.fails_below:
            raise ArithmeticError(f"only {len(y)} rows")
        if self.warns:
            warnings.warn(f"{len(y)} rows are odd", UserWarning, stacklevel=1)
        self.classes_, self.first_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.first_)


class Liar(Odd):
    """Has the weights of a hyperplane, but other predictions."""

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_, self.intercept_ = np.ones((1, X.shape[1])), np.zeros(1)
        return self


@pytest.fixture(scope="module")
def virginica():
    return sx.compare(*sx.examples.load("iris-virginica"))


def test_the_table_has_what_the_classifiers_do(virginica):
    X, y = sx.examples.load("iris-virginica")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert [each.name for each in virginica.table] == list(members())
    for name, member in members().items():
        found = virginica[name]
        if name == "max margin":
            assert (found.errors, found.failure) == (None, "not separable")
            continue
        pipeline = make_pipeline(sx.Scaler(), member)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shares = 1.0 - cross_val_score(pipeline, X, y, cv=folds)
            pipeline.fit(X, y)
        assert found.errors == np.sum(pipeline.predict(X) != y)
        assert found.fold_errors == pytest.approx(shares)
        assert found.cv_error == pytest.approx(shares.mean())
        assert found.cv_spread == pytest.approx(shares.std(ddof=1))
        assert found.mistakes == getattr(pipeline[-1], "n_mistakes_", None)
        assert found.hyperplane is (name not in ("voted perceptron", "kernel perceptron"))
        assert found.seconds > 0
    assert virginica.lower_bound == virginica.upper_bound == 1
    sx.verify(virginica.certificate, X, y)
    assert virginica["perceptron"].notes == ("stopped after 100 passes, still making mistakes.",)
    with pytest.raises(KeyError, match=r"no 'svm' in the table.*perceptron"):
        virginica["svm"]


@given(problems())
@quickly(25)
def test_no_hyperplane_is_below_the_bound_and_margins_are_exact(problem):
    """Margins by definition: the least distance of a row, in fractions, is not below what is said, and hardly above."""
    X, y = problem
    chosen = {
        "perceptron": sx.Perceptron(max_iter=20),
        "pocket": sx.Pocket(max_updates=100, random_state=0),
        "max margin": sx.MaxMargin(),
        "voted": sx.VotedPerceptron(max_iter=3),
    }
    result = sx.compare(X, y, chosen, cv=None, scale="none", bound_time_limit=0.5)
    verdict = sx.decide(X, y)
    assert result.upper_bound > 0 or verdict.separable
    assert result.lower_bound == 0 or not verdict.separable
    for name, found in ((each.name, each) for each in result.table if each.errors is not None):
        if found.hyperplane:
            assert found.errors >= result.lower_bound
        if found.margin is None:
            continue
        assert found.errors == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learnt = clone(chosen[name]).fit(X, y)
        w = learnt.exact_weights().fractions()
        square = min(dot(w, z) for z in lifted(X, y, True)) ** 2 / sum(v * v for v in w[:-1])
        assert Fraction(found.margin) ** 2 <= square <= Fraction(np.nextafter(found.margin, np.inf)) ** 2


def test_the_margin_of_the_largest_margin_is_it():
    X, y = sx.examples.load("iris-setosa")
    raw = sx.compare(X, y, cv=None, scale="none")
    largest = sx.margin(X, y, kind="geometric")
    assert raw["max margin"].margin == pytest.approx(largest.lo, rel=1e-9)
    assert raw.upper_bound == 0
    assert "A hyperplane separates the classes" in str(raw)
    scaled = sx.compare(X, y, cv=None)
    assert scaled["max margin"].margin == pytest.approx(
        sx.margin(StandardScaler().fit_transform(X), y, kind="geometric").lo, rel=1e-9
    )
    for result in (raw, scaled):
        margins = [each.margin for each in result.table if each.margin is not None]
        assert len(margins) >= 5
        assert max(margins) == result["max margin"].margin


def test_any_classifiers_and_pipelines(virginica):
    X, y = sx.examples.load("iris-virginica")
    chosen = {
        "logistic": LogisticRegression(),
        "bayes": GaussianNB(),
        "rbf": SVC(),
        "scaled": make_pipeline(StandardScaler(), sx.LeastSquaresClassifier()),
        "squares": make_pipeline(PolynomialFeatures(2), StandardScaler(), LogisticRegression()),
        "liar": Liar(),
    }
    result = sx.compare(X, y, chosen, cv=3)
    assert {each.name: each.hyperplane for each in result.table} == {
        "logistic": True, "bayes": False, "rbf": False, "scaled": True, "squares": False, "liar": False,
    }  # fmt: skip
    assert not hasattr(chosen["logistic"], "classes_")  # clones are fitted
    assert result["scaled"].errors == virginica["least squares"].errors
    assert [each.name for each in sx.compare(X, y, [GaussianNB(), GaussianNB()], cv=None).table] == [
        "GaussianNB", "GaussianNB 2",
    ]  # fmt: skip


def test_a_failure_is_told_and_the_others_go_on():
    X, y = sx.examples.load("iris-virginica")
    result = sx.compare(X, y, {"all": Odd(1000), "folds": Odd(100), "odd": Odd(warns=True), "pocket": sx.Pocket()}, cv=2)
    assert (result["all"].failure, result["all"].errors) == ("ArithmeticError: only 100 rows", None)
    assert result["folds"].failure == "fold 1 of 2 failed: ArithmeticError: only 50 rows"
    assert (result["folds"].errors, result["folds"].cv_error) == (50, None)
    assert result["odd"].notes == ("100 rows are odd",)  # one of its kind is enough
    assert result["pocket"].cv_error is not None
    text = str(result)
    assert "failed" in text
    assert "\nall *" not in text  # nothing is known of it, not even that
    assert "\nfolds *" in text
    assert "- all: ArithmeticError: only 100 rows" in text
    assert "- odd: 100 rows are odd" in text


def test_ctrl_c_returns_what_is_there(monkeypatch):
    X, y = sx.examples.load("iris-virginica")
    chosen = {"first": sx.LeastSquaresClassifier(), "second": Odd(interrupted_below=100), "third": sx.Pocket()}
    result = sx.compare(X, y, chosen)
    assert result.interrupted
    assert [each.name for each in result.table] == ["first", "second"]
    assert (result["second"].errors, result["second"].cv_error) == (50, None)
    assert "Stopped by Ctrl-C" in str(result)
    assert "Stopped by Ctrl-C" in result.to_markdown()

    def stop(text):
        raise KeyboardInterrupt

    interrupt.forget()  # a second one within two seconds would be raised
    with listening(stop):
        nothing = sx.compare(X, y, chosen)
    assert nothing.interrupted
    assert nothing.table == ()
    assert "classifier" not in str(nothing)

    def stop_the_proof(text):
        if str(text).startswith("proving how many errors no hyperplane avoids: between"):
            raise KeyboardInterrupt

    interrupt.forget()
    with listening(stop_the_proof):
        unproved = sx.compare(X, y, chosen)
    assert unproved.interrupted
    assert unproved.table == ()


def test_more_than_two_classes_have_no_bound():
    X, y = load_iris(return_X_y=True)
    result = sx.compare(X, y, cv=3)
    assert result.lower_bound is result.certificate is None
    assert [each.name for each in result.table] == [name for name in members() if name != "max margin"]
    assert not any(each.failure for each in result.table)
    assert all(each.hyperplane is None and each.margin is None for each in result.table)
    assert result.notes[0] == "Left out: max margin, which is of two classes."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        voted = make_pipeline(StandardScaler(), members()["voted perceptron"]).fit(X, y)
    assert result["voted perceptron"].mistakes == sum(copy.n_mistakes_ for copy in voted[-1].estimators_)
    assert "3 classes" in str(result)
    assert "*" not in str(result)
    one = sx.compare(X, y, positive=0, cv=3)
    assert one.upper_bound == 0
    assert one.classes[1] == 0
    assert one["max margin"].errors == 0
    assert one["max margin"].margin == pytest.approx(sx.compare(X, y == 0, cv=None)["max margin"].margin)


def test_rows_of_every_kind_are_the_same(tmp_path):
    X, y = sx.examples.load("iris-virginica")
    names = [f"c{j}" for j in range(4)]
    frame = pd.DataFrame(X, columns=names)
    path = tmp_path / "rows.csv"
    frame.assign(kind=y).to_csv(path, index=False)
    chosen = {name: members()[name] for name in ("perceptron", "least squares")}

    def facts(result):
        return [(each.name, each.errors, each.fold_errors, each.mistakes) for each in result.table]

    expected = facts(sx.compare(X, y, chosen))
    others = [frame, pl.DataFrame(X, schema=names), pa.table(dict(zip(names, X.T, strict=True))), X.tolist()]
    for other in others:
        assert facts(sx.compare(other, y, chosen)) == expected
    assert facts(sx.compare(sx.read_data(path, label="kind"), estimators=chosen)) == expected
    raw = facts(sx.compare(X, y, chosen, scale="none"))
    assert [row[:2] for row in facts(sx.compare(sp.csr_array(X), y, chosen, scale="none"))] == [row[:2] for row in raw]
    scaled = sx.compare(sp.csr_array(X), y, chosen)
    assert [each.failure for each in scaled.table] == [None, None]
    with pytest.raises(ValueError, match="labels with it"):
        sx.compare(sx.read_data(path, label="kind"), y)


def test_a_table_with_words_is_for_pipelines():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0] * 5, "job": ["cook", "clerk"] * 10})
    y = np.array([0, 0, 1, 1] * 5)
    encoder = ColumnTransformer([("words", OneHotEncoder(), ["job"])], remainder="passthrough")
    result = sx.compare(frame, y, {"encoded": make_pipeline(encoder, sx.Perceptron())}, cv=2)
    assert result["encoded"].errors == 0
    assert result.lower_bound is None
    assert result.notes[0].startswith("No bound on errors: ")
    with pytest.raises((ValueError, TypeError), match="job"):
        sx.compare(frame, y)


def test_folds():
    X, y = sx.examples.load("xor")
    result = sx.compare(X, y, [sx.LeastSquaresClassifier()])
    assert (result.folds, result.notes) == (2, ("2 folds instead of 5, as the smallest class has 2 rows.",))
    assert "single row" in sx.compare(*sx.examples.load("and"), [sx.LeastSquaresClassifier()]).notes[0]
    X, y = sx.examples.load("iris-virginica")
    own = sx.compare(X, y, [sx.LeastSquaresClassifier()], cv=KFold(4, shuffle=True, random_state=3))
    shares = 1 - cross_val_score(sx.LeastSquaresClassifier(), X, y, cv=KFold(4, shuffle=True, random_state=3))
    assert own["LeastSquaresClassifier"].fold_errors == pytest.approx(shares)


def test_rounding_while_scaling_is_told():
    """Rows on a line, the outer ones of one class: no hyperplane separates them. Scaled and rounded they leave the line."""
    X, y = np.array([[5.5, 4.75], [17.875, 17.5], [26.125, 26.0]]), [0, 1, 0]
    scaled = sx.Scaler().fit_transform(X)
    assert sx.decide(scaled, y).separable
    result = sx.compare(X, y, [sx.LinearProgramClassifier()], cv=None)
    assert (result.lower_bound, result.table[0].errors) == (1, 0)
    assert "rounding" in result.table[0].notes[-1]
    raw = sx.compare(X, y, [sx.LinearProgramClassifier()], cv=None, scale="none").table[0]
    assert (raw.errors, raw.notes) == (1, ())


def test_many_rows_go_without_those_of_quadratic_time():
    assert set(members()) - set(members(rows=10_001)) == {"voted perceptron", "kernel perceptron"}
    assert members(rows=10_000).keys() == members().keys()


def test_frames_and_texts(virginica, monkeypatch):
    for backend, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)):
        frame = virginica.to_frame(backend)
        assert isinstance(frame, kind)
        names = [name for name in sx.Standing.__dataclass_fields__ if name != "fold_errors"]
        assert list(frame.columns if kind is not pa.Table else frame.column_names) == names
    assert virginica.to_frame("polars")["errors"].to_list() == [each.errors for each in virginica.table]
    with pytest.raises(ValueError, match="'pandas', 'polars' or 'pyarrow'"):
        virginica.to_frame("excel")
    markdown = virginica.to_markdown()
    assert markdown == virginica._repr_markdown_()
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(virginica.table)
    assert {line.count("|") for line in rows} == {7}
    assert json.loads(json.dumps(virginica.document()))["table"][0]["errors"] == virginica["perceptron"].errors
    assert all(len(line) <= 80 for line in virginica.explain(80).splitlines())
    assert repr(virginica) == "<Comparison: 8 classifiers, 100 rows; no hyperplane makes fewer than 1 error>"
    assert "voted perceptron *" in str(virginica)
    assert "averaged perceptron *" not in str(virginica)


def test_a_library_that_is_not_there_is_named(virginica, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)  # as if it were not installed
    with pytest.raises(ImportError, match="needs polars, which is not installed: pip install polars"):
        virginica.to_frame("polars")


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"cv": 1}, ValueError, "at least 2"),
        ({"cv": "five"}, ValueError, "number of folds"),
        ({"time_limit": 0}, ValueError, "positive number of seconds"),
        ({"standardise": "yes"}, ValueError, "True or False"),
        ({"scale": "unit"}, ValueError, "one of 'none', 'standard', 'minmax', 'maxabs', got 'unit'"),
        ({"scale": True}, ValueError, "scale must be one of"),
        ({"estimators": []}, ValueError, "at least one"),
        ({"estimators": sx.Pocket()}, TypeError, "in a list"),
        ({"estimators": [StandardScaler()]}, TypeError, "fit and predict"),
        ({"y": None}, ValueError, "needs the labels"),
        ({"y": [1, 1, 1, 1]}, ValueError, "one class"),
        ({"y": [1, 1]}, ValueError, "2"),
    ],
)
def test_bad_calls_are_refused(parameters, error, message):
    X, y = sx.examples.load("xor")
    with pytest.raises(error, match=message):
        sx.compare(X, **{"y": y, **parameters})


def test_names():
    assert list(named({"a": sx.Pocket()})) == ["a"]
    assert list(named([("a", sx.Pocket()), ("a", sx.Pocket())])) == ["a", "a 2"]


# On the command line.


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    succeeded("examples", "credit-noisy", "--output", path)
    return path


def test_the_command_prints_the_table(noisy, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = succeeded("compare", noisy, "--label", "approved", "--cv", "3")
    for name in members():
        assert f"\n{name} " in text
    assert "200 rows, 10 features, standardised: yes against no." in text
    assert "No hyperplane makes fewer than 7 errors" in text
    assert "over 3 folds" in text.replace("\n", " ")
    assert "\nAlways saying no makes 84 errors (42.0 %).\n" in text
    command = f"separatrix fit {noisy} --label approved --algorithm "
    *lines, fit = text.splitlines()
    assert max(len(line) for line in lines if not line.startswith(command)) <= 80
    assert fit.startswith(command)
    markdown = succeeded("compare", noisy, "--label", "approved", "--cv", "0", "--markdown")
    assert "| classifier | errors |" in markdown
    assert "folds" not in markdown


def test_the_command_as_json_is_the_function(noisy):
    found = json.loads(
        succeeded("compare", noisy, "--label", "approved", "--json", "--seed", "2", "--scale", "none", "--cv", "2")
    )
    expected = sx.compare(
        sx.read_data(noisy, label="approved"), cv=2, scale="none", random_state=2
    ).document()  # fmt: skip
    for document in (found, expected):
        for row in document["table"]:
            del row["seconds"]
    assert {row["name"] for row in found["table"] if row.pop("fit") is None} == {"max margin"}
    assert found.pop("best") in {row["name"] for row in found["table"]}
    assert found.pop("best_to_export") in {row["name"] for row in found["table"]}
    assert found["majority"] == {"class": "no", "errors": 84}
    assert found == expected


def test_one_class_against_the_rest_or_all_classes(tmp_path):
    data = tmp_path / "flowers.csv"
    data.write_text(
        "size,kind\n" + "".join(f"{k},{kind}\n" for k, kind in enumerate(["aster"] * 3 + ["rose"] * 3 + ["tulip"] * 3))
    )
    assert "3 classes" in succeeded("compare", data, "--label", "kind")
    assert "rose against not rose" in succeeded("compare", data, "--label", "kind", "--positive", "rose")
    assert "--positive lily is not a class" in failed("compare", data, "--label", "kind", "--positive", "lily")


def test_the_command_refuses(noisy):
    assert "--cv must be" in failed("compare", noisy, "--label", "approved", "--cv", "1")
    assert "--time-limit must be" in failed("compare", noisy, "--label", "approved", "--time-limit", "0")
    assert "--seed must be" in failed("compare", noisy, "--label", "approved", "--seed", "-1")
    assert "exclude each other" in separatrix("compare", noisy, "--label", "approved", "--markdown", "--json").stderr
    assert "Name it with --label" in failed("compare", noisy)


def test_the_command_stopped_shows_what_is_there(noisy, monkeypatch):
    learn = sx.Pocket.fit

    def fit(self, X, y):
        if len(y) == 200:
            raise KeyboardInterrupt
        return learn(self, X, y)

    monkeypatch.setattr(sx.Pocket, "fit", fit)
    done = separatrix("compare", noisy, "--label", "approved", "--cv", "0")
    assert done.returncode == 130
    assert "voted perceptron" in done.stdout
    assert "pocket" not in done.stdout
    assert "Stopped by Ctrl-C" in done.stdout


@pytest.mark.parametrize(
    ("best", "why"),
    [("kernel perceptron", "cannot be exported"), ("voted perceptron", "can be exported to Python only"), ("pocket", None)],
)
def test_the_best_to_export_is_named(noisy, monkeypatch, best, why):
    """As if one of them were the best, and the averaged perceptron the next that can be exported."""
    compared = comparing.compare

    def judged(*given, **named):
        found = compared(*given, **named)
        errors = {best: 0.0, "voted perceptron": 0.1, "averaged perceptron": 0.2}
        table = [replace(each, cv_error=errors.get(each.name, 0.9), fold_errors=(0.0,)) for each in found.table]
        return replace(found, table=tuple(table))

    monkeypatch.setattr(comparing, "compare", judged)
    options = ("compare", noisy, "--label", "approved", "--cv", "0", "--bound-time-limit", "1")
    text = " ".join(succeeded(*options).split())
    assert f"This learns the best of them, {best}:" in text
    told = (
        f"The {best} {why} (separatrix export). The best of those that can be exported to Python, SQL and ONNX is averaged"
    )
    assert (told in text) == (why is not None)
    found = json.loads(succeeded(*options, "--json"))
    assert (found["best"], found["best_to_export"]) == (best, best if why is None else "averaged perceptron")


def test_what_always_saying_one_class_comes_to():
    X, y = np.arange(9.0)[:, None], np.array(list("aabbbbccc"))
    chosen = [sx.LeastSquaresClassifier()]
    assert sx.compare(X, y, chosen, cv=None).majority[:2] == ("b", 5)
    assert sx.compare(X, y, chosen, cv=None, positive="a").majority[:2] == ("not a", 2)
    found = sx.compare(X, y == "b", chosen, cv=None)
    assert found.majority[:2] == (False, 4)
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert "Always saying False makes 4 errors (44.4 %)." in text
    assert json.loads(json.dumps(found.document()))["majority"] == {"class": False, "errors": 4}


def test_how_long_the_bound_took_is_told_if_it_was_long(noisy, monkeypatch):
    X, y = sx.examples.load("credit-noisy")
    assert not any("took" in note for note in sx.compare(X, y, [sx.Pocket()], cv=None).notes)
    monkeypatch.setattr(comparing, "_SECONDS_TO_TELL_OF", 0.0)
    (note,) = sx.compare(X, y, [sx.Pocket()], cv=None).notes
    assert re.fullmatch(r"The bound on errors took \d+ s; a smaller bound_time_limit takes less.", note)
    text = " ".join(succeeded("compare", noisy, "--label", "approved", "--cv", "0").split())
    assert "a smaller --bound-time-limit takes less." in text


def test_progress_says_that_the_bound_is_being_proved():
    X, y = sx.examples.load("credit-noisy")
    told = []
    with listening(lambda progress: told.append(str(progress))):
        sx.compare(X, y, [sx.Pocket()], cv=None)
    first = [each for each in told if each.startswith("proving how many errors no hyperplane avoids")]
    assert len(first) > 1  # also while it goes on
