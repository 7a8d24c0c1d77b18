"""What Press's notes state, item by item, on rows of one's own: the unit and the algorithm.

The proof is in ``test_note_000_proof.py``, the remarks are in ``test_note_000_remarks.py``. A number in a name is that of
the item in ``docs/notes.md``.
"""

import csv
import json
from fractions import Fraction

import numpy as np
import pytest
import reference
from commands import separatrix, succeeded
from fits import quietly
from hypothesis import given
from press import ANY, AS_PRESS, DECIMALS, WHOLE, each, fit, fractions, is_wrong, literally, written
from reference import dot
from slips import assert_listed
from traces import FEW

import separatrix as sx

# The unit.


@pytest.mark.parametrize("weights", [["3", "2"], ["1/3", "-0.2"], ["0", "0"], ["-0.1", "0.3"]])
def test_001_a_unit_has_the_weights_that_one_chooses(weights, tmp_path):
    w = [Fraction(text) for text in weights]
    rows = [*DECIMALS[0], *fractions([(0, 0), ("0.3", "0.1"), ("0.6", 1)])]
    yes = [dot(w, row) >= 0 for row in rows]
    unit = sx.Perceptron.of(weights, tie="positive", fit_intercept=False, classes=["no", "yes"])
    assert (unit.predict(rows) == np.where(yes, "yes", "no")).all()
    sx.save_model(unit, tmp_path / "unit.json")
    again = sx.load_model(tmp_path / "unit.json")
    assert again.exact_weights().fractions()[:2] == w
    assert (again.predict(rows) == unit.predict(rows)).all()


def test_001_weights_that_are_assigned_are_those_of_the_unit():
    unit = fit(*DECIMALS)
    unit.coef_ = np.array([[-1.0, 0.5]])
    assert unit.exact_weights().fractions()[:2] == [-1, Fraction(1, 2)]
    assert unit.predict(DECIMALS[0]).tolist() == [1 if dot([-1, Fraction(1, 2)], row) >= 0 else -1 for row in DECIMALS[0]]


@each
def test_002_the_output_is_a_threshold_of_the_weighted_sum(rows, labels):
    unit = fit(rows, labels)
    sums = [dot(unit.exact_weights().fractions(), row) for row in rows]
    assert unit.decision_function(rows).tolist() == pytest.approx(list(map(float, sums)), rel=1e-15)
    assert unit.predict(rows).tolist() == [1 if total >= 0 else -1 for total in sums]


@pytest.mark.parametrize("weights", [["0.1", "-0.3"], ["2", "1"]])
def test_003_zero_says_yes(weights):
    unit = sx.Perceptron.of(weights, tie="positive", fit_intercept=False, classes=[-1, 1])
    w = [Fraction(text) for text in weights]
    across = [[w[1] * t, -w[0] * t] for t in (Fraction(-1, 3), Fraction(0), Fraction(5))]  # on the hyperplane
    assert unit.predict(across).tolist() == [1, 1, 1]
    below = [[w[1] - w[0], -w[0] - w[1]]]
    assert unit.predict(below).tolist() == [-1]
    strict = sx.Perceptron.of(weights, tie="negative", fit_intercept=False, classes=[-1, 1])
    assert strict.predict(across).tolist() == [-1, -1, -1]


def test_003_the_rule_that_is_printed_is_the_one_that_predicts(tmp_path):
    succeeded("examples", "and", "--output", tmp_path / "and.csv")
    for tie, sign in (("positive", ">="), ("negative", ">")):
        text = succeeded("fit", tmp_path / "and.csv", "--label", "output", "--tie", tie)
        rule = text.partition("1 if\n")[2].partition("\n\n")[0].splitlines()
        *terms, (relation, threshold) = (line.split() for line in rule)
        assert relation == sign
        w = [int(plus + size) for plus, size, _, _ in terms]
        X, y = sx.examples.load("and")
        scores = X.astype(int) @ w
        says = scores >= int(threshold) if relation == ">=" else scores > int(threshold)
        assert says.tolist() == (y == 1).tolist()
        assert int(threshold) in scores  # so that the sign matters


@each
def test_004_there_is_no_bias(rows, labels):
    unit = fit(rows, labels)
    assert unit.intercept_.tolist() == [0.0]
    assert unit.predict([[0] * len(rows[0])]).tolist() == [1]
    longer = [[Fraction(i + 1, 3) * cell for cell in row] for i, row in enumerate(rows)]
    assert unit.predict(longer).tolist() == unit.predict(rows).tolist()  # only the direction of a row matters
    assert len(sx.audit(unit, rows, labels).weights(1).fractions()) == len(rows[0])


@pytest.mark.parametrize(("rows", "labels"), [DECIMALS, WHOLE], ids=["decimals", "whole"])
def test_005_labels_are_minus_one_and_one(rows, labels, tmp_path):
    data = sx.read_data(written(tmp_path / "own.csv", rows, labels), "y")
    assert data.y.tolist() == labels
    from_file, words = fit(data.rows, data.y), fit(rows, ["yes" if label == 1 else "no" for label in labels])
    trace = literally(rows, labels)[0]
    assert from_file.mistakes_.tolist() == words.mistakes_.tolist() == trace


@pytest.mark.parametrize(("rows", "labels"), [DECIMALS, WHOLE], ids=["decimals", "whole"])
def test_006_correct_at_least_on_the_test_data(rows, labels, tmp_path):
    data, model = written(tmp_path / "own.csv", rows, labels), tmp_path / "model.json"
    arguments = ("fit", data, "--label", "y", *AS_PRESS, "--holdout", "0.3", "--model", model, "--json")
    said = json.loads(succeeded(*arguments))
    w = sx.load_model(model).exact_weights().fractions()
    errors = sum(is_wrong(w, row, label) for row, label in zip(rows, labels, strict=True))
    assert said["rows"] + said["holdout"]["rows"] == len(rows)
    assert said["holdout"]["rows"] > 0
    assert said["training_errors"] == 0
    assert said["holdout"]["errors"] == errors == json.loads(succeeded("score", model, data, "--json"))["errors"]


# The algorithm.


@each
def test_007_the_listing_run_as_it_stands(rows, labels):
    trace, w, passes, ended = literally(rows, labels)
    run = fit(rows, labels)
    assert trace
    assert ended
    assert run.mistakes_.tolist() == trace
    assert run.exact_weights().fractions()[: len(w)] == w
    assert run.n_iter_ == passes


@given(ANY)
@FEW
def test_007_the_listing_on_any_rows(problem):
    X, y = problem
    trace, w, passes, ended = literally(fractions(X.tolist()), y.astype(int).tolist(), max_passes=20)
    run = quietly(sx.conventions.get("press").perceptron(record=True, max_iter=20), X, y)
    assert run.mistakes_.tolist() == trace
    assert run.exact_weights().fractions()[: len(w)] == w
    assert (run.n_iter_, run.halted_) == (passes, ended)


@each
def test_008_with_weights_for_each_row_nothing_is_learnt(rows, labels):
    assert_listed("Press, section 2", "one-vector-for-all-rows")
    own, w = [[Fraction(0)] * len(rows[0]) for _ in rows], [Fraction(0)] * len(rows[0])
    for _ in range(9):
        flag = False
        for w_i, row, label in zip(own, rows, labels, strict=True):
            if is_wrong(w_i, row, label):
                w = [a + label * b for a, b in zip(w, row, strict=True)]
                flag = True
    noes = [row for row, label in zip(rows, labels, strict=True) if label == -1]
    assert flag
    assert w == [-9 * sum(column) for column in zip(*noes, strict=True)]  # nothing but the rows of one class, each pass anew
    assert fit(rows, labels).halted_


@each
def test_009_the_loop_can_be_watched(rows, labels):
    lines = reference.perceptron_lines(rows, labels, tie="positive", intercept=False)
    table = sx.steps(fit(rows, labels), rows, labels)
    seen = [(s.step, s.passed, s.row, s.scores[0], s.mistake, s.update and [*s.update], [*s.weights]) for s in table]
    assert seen == lines
    assert [step.label for step in table] == [labels[step.row] for step in table]


def test_009_on_the_command_line_and_checked(tmp_path):
    data, steps = written(tmp_path / "own.csv", *WHOLE), tmp_path / "steps.csv"
    succeeded("fit", data, "--label", "y", *AS_PRESS, "--steps", steps)
    check = ("check-run", steps, data, "--label", "y", *AS_PRESS)
    assert separatrix(*check).returncode == 0
    with open(steps, encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    lines[4][header.index("w[x2]")] += "1"
    with open(steps, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    wrong = separatrix(*check)
    assert wrong.returncode == 1
    assert "line 6 (row 4) is the first wrong line" in wrong.stdout  # the first line is the header


@each
def test_010_stops_when_no_weight_changes(rows, labels):
    run = fit(rows, labels)
    w = run.exact_weights().fractions()[: len(rows[0])]
    assert not any(is_wrong(w, row, label) for row, label in zip(rows, labels, strict=True))
    erring = {step.passed for step in sx.steps(run, rows, labels, mistakes_only=True)}
    assert erring == set(range(1, run.n_iter_))  # every pass but the last
    on = sx.conventions.get("press").perceptron().fit(rows, labels, coef_init=w)
    assert (on.n_mistakes_, on.n_iter_) == (0, 1)


@given(ANY)
@FEW
def test_011_whether_it_is_guaranteed_to_stop(problem):
    X, y = problem
    rows, labels = fractions(X.tolist()), y.astype(int).tolist()
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive")
    bound = sx.mistake_bound(X, y, fit_intercept=False, tie="positive")
    if not verdict.separable:
        assert not literally(rows, labels, max_passes=60)[3]
    elif verdict.always_halts and bound.most_mistakes < 3000:
        trace, _, _, ended = literally(rows, labels, max_passes=bound.most_mistakes + 1)
        assert ended
        assert len(trace) <= bound.most_mistakes


def test_011_a_warning_says_that_it_never_will():
    with pytest.warns(UserWarning, match="It never will: no hyperplane through the origin separates the classes"):
        sx.conventions.get("press").perceptron(max_iter=30).fit([[1, 2], [2, 1], [3, 3]], [1, 1, -1])
