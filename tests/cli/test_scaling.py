"""Scaled rows on the command line: learnt, shown in the user's units, kept in the model, audited, and said so."""

import json
import re
import shlex
from fractions import Fraction

import numpy as np
import pytest
from commands import failed, separatrix, succeeded, written

import separatrix as sx
from separatrix.cli.scaling import differing
from separatrix.models.model_file import read_model

TABLE = "age,income,approved\n15.5,2000,no\n25.5,1000,no\n35.1,9000,yes\n41.2,8000,yes\n3.3,7000,no\n"
FLOWERS = "size,weight,kind\n" + "".join(
    f"{k / 10},{(7 * k) % 11 * 1000},{kind}\n" for k, kind in enumerate(["aster"] * 4 + ["rose"] * 4 + ["tulip"] * 4)
)
KINDS = ("standard", "minmax", "maxabs")


@pytest.fixture
def table(tmp_path):
    return written(tmp_path, TABLE)


def told(*arguments):
    return json.loads(succeeded(*arguments, "--json"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ["perceptron", "averaged", "pocket", "max-margin", "least-squares", "linear-program"])
def test_weights_are_in_the_units_of_the_table(table, kind, algorithm):
    """Rounded once from what is exact: those of the scaled rows over the scale, the threshold moved by the shift."""
    found = told("fit", table, "--label", "approved", "--algorithm", algorithm, "--scale", kind)
    data = sx.read_data(table, label="approved")
    scaler = sx.Scaler(kind).fit(data.rows)
    assert found["scaling"] == {"kind": kind, "shift": scaler.shift_.tolist(), "scale": scaler.scale_.tolist()}
    assert found["training_errors"] == 0
    coef, intercept = found["scaled"]["coef"], found["scaled"]["intercept"]
    for given, weight, scale in zip(found["coef"], coef, scaler.scale_.tolist(), strict=True):
        assert given == pytest.approx(weight / scale, rel=1e-14)
    moved = sum(weight * shift for weight, shift in zip(found["coef"], scaler.shift_.tolist(), strict=True))
    assert found["intercept"] == pytest.approx(intercept - moved, rel=1e-9, abs=1e-9 * (abs(intercept) + abs(moved)))
    scores = data.X @ found["coef"] + found["intercept"]
    assert ((scores > 0) == (data.y == "yes")).all()


def test_weights_of_several_classes(tmp_path):
    data = written(tmp_path, FLOWERS)
    for algorithm in ("averaged", "pocket"):
        found = told("fit", data, "--label", "kind", "--algorithm", algorithm, "--max-iter" if algorithm == "averaged" else
                     "--max-updates", "50", "--scale", "minmax")  # fmt: skip
        assert len(found["coef"]) == len(found["intercept"]) == 3
        scale = found["scaling"]["scale"]
        for given, scaled in zip(found["coef"], found["scaled"]["coef"], strict=True):
            assert given == pytest.approx(np.array(scaled) / scale)


def test_without_an_intercept_there_is_a_threshold_all_the_same(table):
    found = told("fit", table, "--label", "approved", "--scale", "minmax", "--no-intercept", "--algorithm", "linear-program")
    assert found["scaled"]["intercept"] == 0.0
    coef, shift = map(np.array, (found["coef"], found["scaling"]["shift"]))
    assert found["intercept"] == pytest.approx(-(coef @ shift))


def test_weights_beyond_float64_are_left_out(tmp_path):
    data = written(tmp_path, "a,y\n0,no\n1e-323,yes\n")
    found = told("fit", data, "--label", "y", "--scale", "maxabs", "--numbers", "float64")
    assert (found["coef"], found["intercept"], found["training_errors"]) == (None, None, 0)
    assert found["scaled"]["coef"] == [2.0]
    assert "Training errors: 0 of 2." in succeeded("fit", data, "--label", "y", "--scale", "maxabs", "--numbers", "float64")


def test_what_is_about_scaled_rows_says_so(table):
    text = succeeded("fit", table, "--label", "approved", "--scale", "standard")
    assert "Columns are scaled first: each column minus its mean, divided by its standard deviation." in text
    assert "the weights, which are those of the columns as they are" in text
    for command in ("audit", "mistake-bound"):
        said = succeeded(command, table, "--label", "approved", "--scale", "minmax")
        assert "about scaled rows: each column minus its smallest number, divided by its range." in said
        assert told(command, table, "--label", "approved", "--scale", "minmax")["scale"] == "minmax"
        assert told(command, table, "--label", "approved")["scale"] == "none"


def test_the_audit_is_of_the_run_of_fit(table):
    fitted = told("fit", table, "--label", "approved", "--scale", "standard")
    audited = told("audit", table, "--label", "approved", "--scale", "standard")
    bounded = told("mistake-bound", table, "--label", "approved", "--scale", "standard")
    assert audited["mistakes"] == fitted["mistakes"]
    assert audited["holds"]
    assert bounded["most_mistakes"] == fitted["theorem"]["most_mistakes"]
    assert audited["mistakes"] <= bounded["most_mistakes"]


def test_steps_of_scaled_rows_are_checked(table, tmp_path):
    run = tmp_path / "run.csv"
    succeeded("fit", table, "--label", "approved", "--scale", "standard", "--steps", run)
    done = separatrix("check-run", run, table, "--label", "approved", "--scale", "standard")
    assert (done.returncode, done.stdout[:6]) == (0, "Right:")
    assert "about scaled rows" in done.stderr
    assert separatrix("check-run", run, table, "--label", "approved").returncode == 1


def test_the_errors_of_rows_kept_back_are_those_of_the_model(tmp_path):
    """Scaling is learnt from the rows learnt from alone, and applied to those kept back."""
    rng = np.random.RandomState(0)
    X = rng.randint(-99, 100, (60, 2)) * [1, 1000]
    y = np.where(X @ [1000, 1] + rng.randint(-50000, 50001, 60) > 0, "b", "a")
    text = "u,v,y\n" + "".join(f"{u},{v},{kind}\n" for (u, v), kind in zip(X.tolist(), y, strict=True))
    data, model = written(tmp_path, text), tmp_path / "m.json"
    found = told("fit", data, "--label", "y", "--algorithm", "least-squares", "--scale", "standard", "--holdout", "0.3",
                 "--model", model)  # fmt: skip
    assert found["holdout"]["rows"] == 18
    scored = told("score", model, data)
    assert scored["errors"] == found["training_errors"] + found["holdout"]["errors"]
    assert found["scaling"]["shift"] != sx.Scaler().fit(X).shift_.tolist()


def test_predictions_are_those_of_the_pipeline(table, tmp_path):
    model = tmp_path / "m.json"
    succeeded("fit", table, "--label", "approved", "--scale", "standard", "--algorithm", "averaged", "--model", model)
    loaded = sx.load_model(model)
    assert loaded.feature_names_in_.tolist() == ["age", "income"]
    new = written(tmp_path, "income,age\n5000,20\n100,99.5\n", "new.csv")
    found = told("predict", model, new)
    rows = sx.read_data(written(tmp_path, "age,income,x\n20,5000,0\n99.5,100,1\n", "other.csv"), label="x").X
    loaded[0].__dict__.pop("feature_names_in_")
    assert found["predictions"] == loaded.predict(rows).tolist()
    assert found["scores"] == loaded.decision_function(rows).tolist()


def test_learning_goes_on_in_scaled_rows(table, tmp_path):
    """`fit --from` and `play --from` keep the scaling of the model, and go on with its weights."""
    first, second, third = (tmp_path / f"{name}.json" for name in "abc")
    options = ["--label", "approved", "--scale", "standard"]
    succeeded("fit", table, *options, "--model", first)
    assert told("fit", table, "--from", first, "--model", second)["mistakes"] == 0
    succeeded("play", table, "--label", "approved", "--from", first, "--model", third)
    weights = [read_model(path).learner.exact_weights().fractions() for path in (first, second, third)]
    assert weights[0] == weights[1] == weights[2]
    scalings = [read_model(path).scaling for path in (first, second, third)]
    assert len({(each.kind, tuple(each.shift), tuple(each.scale)) for each in scalings}) == 1
    found = [succeeded("predict", path, table) for path in (first, second, third)]
    assert found[0] == found[1] == found[2]
    assert "--scale cannot be said beside --from" in failed("fit", table, "--from", first, "--scale", "minmax")


def test_play_predicts_scaled_rows(table, tmp_path):
    model = tmp_path / "m.json"
    succeeded("fit", table, "--label", "approved", "--scale", "minmax", "--model", model)
    rounds = succeeded("play", table, "--label", "approved", "--from", model).splitlines()[1:]
    assert [line.split(",")[1] for line in rounds] == ["no", "no", "yes", "yes", "no"]
    assert [line.split(",")[3] for line in rounds] == ["no"] * 5


def test_sparse_rows_are_divided_only(tmp_path):
    data = written(tmp_path, "1 1:1 3:2000\n-1 2:4\n1 1:3\n-1 2:1 3:500\n", "data.libsvm")
    found = told("fit", data, "--format", "libsvm", "--scale", "standard", "--algorithm", "least-squares")
    assert found["scaling"]["shift"] == [0.0, 0.0, 0.0]
    text = succeeded("fit", data, "--format", "libsvm", "--scale", "minmax", "--algorithm", "least-squares")
    assert "Columns are scaled first: each column divided by its range." in text


# ---- Columns of very different size.


def test_columns_that_differ_a_thousandfold_are_told_of(tmp_path):
    data = written(tmp_path, "a b,c,d,y\n1,-2000,0,no\n2,1000,0,no\n3,900,0,yes\n-2,800,0,yes\n", "my data.csv")
    typed = ["fit", str(data), "--label", "y", "--max-iter", "7", "--algorithm", "averaged"]
    text = succeeded(*typed)
    assert text.count("thousandfold") == 0  # 2000 / 3 is below
    data.write_text(data.read_text().replace("-2000", "-3000"))
    text = succeeded(*typed)
    assert text.count("Columns differ a thousandfold in size") == 1
    assert "the largest magnitude of 'a b' is 3, that of 'c' 3000." in text
    line = re.search(r"scaled: (separatrix fit .*)", text)[1]
    words = shlex.split(line)
    assert words == ["separatrix", *typed, "--scale", "standard"]
    assert "Columns are scaled first" in succeeded(*words[1:])
    assert "thousandfold" in "".join(told(*typed)["notes"])


def test_who_has_chosen_is_not_told(tmp_path):
    """Nor is one whose classifier is the same in any units."""
    data = written(tmp_path, "a,c,y\n1,-2000,no\n2,1000,no\n.1,9000,yes\n-.1,8000,yes\n")
    assert "thousandfold" in succeeded("fit", data, "--label", "y", "--max-iter", "5")
    for more in (["--scale", "none"], ["--scale", "minmax"], ["--algorithm", "least-squares"],
                 ["--algorithm", "linear-program"]):  # fmt: skip
        assert "thousandfold" not in succeeded("fit", data, "--label", "y", *more)


@pytest.mark.parametrize(
    ("rows", "differ"),
    [
        ([[1.0, 1000.0]], True), ([[1.0, 999.0]], False), ([[0.0, 1000.0]], False), ([[1e-300, -1e300]], True),
        ([[5.0]], False), ([["0.001", "1"]], True),
    ],
)  # fmt: skip
def test_what_differs_a_thousandfold(rows, differ, tmp_path):
    text = "".join(f"c{j}," for j in range(len(rows[0]))) + "y\n"
    text += "".join(",".join(map(str, row)) + f",{label}\n" for row in rows for label in "ab")
    data = sx.read_data(written(tmp_path, text), label="y")
    assert (differing(data) is not None) == differ


# ---- Refusals.


@pytest.mark.parametrize("command", ["fit", "audit", "mistake-bound", "compare", "report"])
def test_other_scalings_are_refused(table, command):
    message = failed(command, table, "--label", "approved", "--scale", "unit")
    assert "--scale must be one of none, standard, minmax, maxabs, got 'unit'." in message


def test_numbers_too_far_apart_are_refused(tmp_path):
    data = written(tmp_path, "a,y\n1.7e308,no\n-1.7e308,yes\n-1.7e308,yes\n")
    message = failed("fit", data, "--label", "y", "--scale", "standard", "--numbers", "float64")
    assert "reaches from -1.7e+308 to 1.7e+308" in message
    assert told("fit", data, "--label", "y", "--scale", "maxabs", "--numbers", "float64")["training_errors"] == 0


# ---- In Python.


def test_pipelines_are_audited_and_have_steps(table):
    data = sx.read_data(table, label="approved")
    model = sx.compare(data, cv=None, time_limit=1).fitted("perceptron")
    ledger = sx.audit(model, data)
    assert (ledger.holds, ledger.mistakes) == (True, model[-1].n_mistakes_)
    steps = sx.steps(model, data)
    assert steps.features == ("age", "income")
    scaled = model[0].transform(data.rows)
    first = next(step for step in steps if step.mistake)
    assert list(map(abs, first.update[:2])) == [abs(Fraction(x)) for x in scaled[first.row].tolist()]
