"""Note 004, Liang, Perceptron Learning Algorithm, noise, section 4 and the references: items 137 to 144."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from commands import succeeded, written
from lecture_data import OVERLAPPING, as_table, exact, overlapping, plus, separable, signed_rows
from paths import DOCS
from reference import dot, pocket
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx


def errors_of(w, Z):
    """Rows that are not strictly right, as under the rule "update"."""
    return [i for i, z in enumerate(Z) if dot(w, z) <= 0]


def follow(Z, drawn, start):
    """Section 4, for the mistakes that were drawn: the errors of each W_t, and of the pocket after it."""
    w, best, course = start, len(errors_of(start, Z)), []
    for i in drawn:
        assert i in errors_of(w, Z)  # it is a mistake of W_t
        w = plus(w, Z[i])
        wrong = len(errors_of(w, Z))
        course.append((wrong, wrong < best))
        best = min(best, wrong)
    return course, best


@pytest.fixture(scope="module")
def noisy():
    return sx.examples.load("credit-noisy")


@overlapping
def test_137_with_noise_it_does_not_halt(rows, labels):
    with pytest.warns(ConvergenceWarning, match="It never will: no hyperplane separates the classes"):
        learnt = sx.Perceptron(max_iter=40, tie="negative", record=True).fit(rows, labels)
    assert not learnt.halted_
    ledger = sx.audit(learnt, rows, labels)
    found, Z, total = ledger.obstruction.obstruction, signed_rows(rows, labels), [Fraction(0)] * (len(rows[0]) + 1)
    for i, multiplier in zip(found.rows, found.multipliers, strict=True):
        total = plus(total, Z[i], multiplier)
    assert not any(total)
    table = sx.steps(learnt, rows, labels)
    for passed in range(1, 41):  # of the rows that add up to zero each pass errs on one
        assert {step.row for step in table if step.passed == passed and step.mistake} & set(found.rows)


def test_137_noise_in_the_credit_cards(noisy):
    X, y = noisy
    clean = sx.examples.load("credit")[1]
    assert 0 < (y != clean).sum() < 20
    found = sx.decide(X, y).certificate.obstruction
    Z = np.where(y == "yes", 1, -1)[:, None] * np.column_stack([X, np.ones(200)]).astype(int)
    total = sum(int(multiplier) * Z[i].astype(object) for i, multiplier in zip(found.rows, found.multipliers, strict=True))
    assert min(found.multipliers) > 0
    assert not total.any()


@overlapping
def test_138_the_pocket_holds_the_best_so_far(rows, labels):
    learnt = sx.Pocket(init="zero", max_updates=60, random_state=5).fit(rows, labels)
    best, history, updates = pocket(rows, labels, max_updates=60, random_state=5)
    assert learnt.exact_weights().fractions() == best
    assert [(each.updates, each.errors) for each in learnt.history_] == [(k, len(wrong)) for k, wrong, _ in history]
    assert learnt.n_updates_ == updates
    table, Z = sx.steps(learnt, rows, labels), signed_rows(rows, labels)
    course, fewest = follow(Z, [step.row for step in table], [Fraction(0)] * len(Z[0]))
    assert [(step.errors, step.kept) for step in table] == course  # the errors of W_t, and whether it went into the pocket
    assert learnt.n_errors_ == fewest == len(errors_of(best, Z))


def test_138_the_mistakes_are_drawn_at_random():
    rows, labels = OVERLAPPING["xor"]
    traces = set()
    for seed in range(6):
        learnt = sx.Pocket(init="zero", max_updates=8, random_state=seed).fit(rows, labels)
        traces.add(tuple(step.row for step in sx.steps(learnt, rows, labels)))
    assert len(traces) > 3
    assert {trace[0] for trace in traces} > {0}


@overlapping
def test_139_initial_pocket_weights(rows, labels):
    Z = signed_rows(rows, labels)
    for start in itertools.product([-1, Fraction(1, 2), 3], repeat=len(Z[0])):
        start = exact([start])[0]
        learnt = sx.Pocket(init="zero", max_updates=5, random_state=1).fit(
            rows, labels, coef_init=start[:-1], intercept_init=start[-1]
        )
        assert (learnt.history_[0].updates, learnt.history_[0].errors) == (0, len(errors_of(start, Z)))
        assert learnt.n_errors_ <= len(errors_of(start, Z))
        assert len(learnt.history_) > 1 or learnt.exact_weights().fractions() == start
    best = sx.Pocket(init="best", max_updates=5, random_state=1).fit(rows, labels)
    assert (
        best.history_[0].errors <= sx.Pocket(init="zero", max_updates=5, random_state=1).fit(rows, labels).history_[0].errors
    )


def test_140_replaced_only_by_fewer_mistakes(noisy):
    X, y = noisy
    learnt = sx.Pocket(init="zero", max_updates=300, random_state=0).fit(X, y)
    Z = np.where(y == "yes", 1, -1)[:, None] * np.column_stack([X, np.ones(200)])
    table = sx.steps(learnt, X, y)
    errors = (Z[[step.row for step in table]].cumsum(axis=0) @ Z.T <= 0).sum(axis=1)  # whole numbers: exact
    assert [step.errors for step in table] == errors.tolist()
    best = np.minimum.accumulate([200, *errors])
    assert [step.kept for step in table] == (errors < best[:-1]).tolist()
    assert [each.errors for each in learnt.history_] == [200, *errors[errors < best[:-1]]]
    assert np.any(np.diff(errors) > 0), "W_t itself goes up and down"


@overlapping
@pytest.mark.parametrize("updates", [1, 10, 50])
def test_141_halts_after_as_many_iterations_as_asked(rows, labels, updates):
    learnt = sx.Pocket(init="zero", max_updates=updates, random_state=0).fit(rows, labels)
    assert learnt.n_updates_ == len(sx.steps(learnt, rows, labels)) == updates
    assert learnt.n_errors_ > 0


@separable
def test_141_or_before_if_nothing_is_wrong(rows, labels):
    learnt = sx.Pocket(init="zero", max_updates=10_000, random_state=0).fit(rows, labels)
    assert learnt.n_updates_ < 10_000
    assert not errors_of(learnt.exact_weights().fractions(), signed_rows(rows, labels))


@overlapping
def test_142_the_pocket_on_the_command_line(tmp_path, rows, labels):
    path, model = written(tmp_path, as_table(rows, labels)), tmp_path / "pocket.json"
    options = ("--label", "y", "--algorithm", "pocket", "--start", "zero", "--max-updates", 40, "--seed", 3)
    result = json.loads(succeeded("fit", path, *options, "--model", model, "--json"))
    _, history, _ = pocket(rows, labels, max_updates=40, random_state=3)
    wrong = len(history[-1][1])
    assert result["training_errors"] <= wrong  # rows on the hyperplane may be right when they are predicted
    learnt = sx.load_model(model)
    weights = learnt.exact_weights().fractions()
    assert len(errors_of(weights, signed_rows(rows, labels))) == wrong
    assert f"Training errors: {result['training_errors']} of {len(rows)}." in succeeded("fit", path, *options)


def test_143_the_perceptron_against_the_pocket_on_noise(noisy):
    X, y = noisy
    with pytest.warns(ConvergenceWarning):
        plain = sx.Perceptron(order="random", random_state=0, max_iter=10).fit(X, y)
    kept = sx.Pocket(init="zero", max_updates=2_000, random_state=0).fit(X, y)
    wrong = {
        name: sx.count_errors(each.coef_[0], each.intercept_[0], X, y).count
        for name, each in (("pla", plain), ("pocket", kept))
    }
    assert wrong["pocket"] == kept.n_errors_ < wrong["pla"]
    Z = np.where(y == "yes", 1, -1)[:, None] * np.column_stack([X, np.ones(200)])
    for each in (plain, kept):
        w = np.append(each.coef_[0], each.intercept_)
        assert sx.count_errors(w[:-1], w[-1], X, y).count == int((Z @ w <= 0).sum())


@pytest.mark.parametrize("name", ["xor", "line"])
def test_143_side_by_side(name):
    rows, labels = OVERLAPPING[name]
    found = sx.compare(np.array(rows, float), labels, cv=None)
    errors = {each.name: each.errors for each in found.table}
    fewest = sx.least_errors(rows, labels).upper
    assert found.lower_bound <= fewest <= errors["pocket"] <= errors["perceptron"]


def test_144_the_course_that_it_follows_is_named():
    page = (DOCS / "history.md").read_text(encoding="utf-8")
    reading = " ".join(page.partition("\n## Reading\n")[2].split())
    assert "H.-T. Lin's course *Machine Learning Foundations* (National Taiwan University)" in reading
    assert "*Learning From Data* (2012)" in reading
    assert "(slips.md)" in reading
