"""Scenes of runs: each number against one that is found by definition."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx
from separatrix.pictures.scenery import losses, pocket_course
from separatrix.pictures.scenery.curves import comparison_bars
from separatrix.pictures.scenery.pocket_course import pocket_chart
from separatrix.pictures.thinning import MOST_STEPS, chosen_steps

AND, XOR, OR = (sx.examples.load(name) for name in ("and", "xor", "or"))


def walked(X, y, mistakes):
    """Return the weights after each mistake of a cyclic run, as they are taught, the intercept last."""
    w, found = np.zeros(3), [np.zeros(3)]
    while len(found) <= mistakes:
        for x, label in zip(X, np.where(y, 1, -1), strict=True):
            z = label * np.array([*x, 1.0])
            if w @ z <= 0:
                w = w + z
                found.append(w)
    return np.array(found[: mistakes + 1])


@pytest.fixture(scope="module")
def ledger():
    X, y = AND
    return sx.audit(sx.Perceptron().fit(X, y), X, y)


def same(part):
    assert sx.Scene.from_json(part.to_json()) == part
    return part


def test_the_course_of_an_audit(ledger):
    course = same(sx.scene(ledger)).course
    weights = walked(*AND, 18)[1:]
    star = np.array([2, 2, -3]) / math.sqrt(17)
    k = np.arange(1, 19)
    assert course.k.tolist() == k.tolist()
    assert course.length == pytest.approx(np.linalg.norm(weights, axis=1))
    assert course.length_line == pytest.approx(np.sqrt(3 * k))
    assert course.alignment == pytest.approx(weights @ star)
    assert course.alignment_line == pytest.approx(k / math.sqrt(17))
    assert course.cosine == pytest.approx(weights @ star / np.linalg.norm(weights, axis=1))
    assert course.cosine_line == pytest.approx(np.sqrt(k / 51))
    assert (course.bound, course.mistakes, course.converged, course.notes) == (51.0, 18, True, ())
    assert course.meeting == pytest.approx((51.0, math.sqrt(51 * 3)))
    assert course.letters == ("γ = 0.242536", "R = 1.73205")
    assert course.lines[0] == "k γ"


def test_a_ledger_shows_its_rows_and_its_hyperplane(ledger):
    shown = sx.scene(ledger)
    assert shown.points.total == 4
    assert [each.equation for each in shown.lines] == ["3*x1 + 2*x2 > 4"]
    assert shown.title == "18 mistakes; at most 51 allowed"


def test_the_course_where_there_is_no_margin():
    X, y = XOR
    with pytest.warns(ConvergenceWarning):
        perceptron = sx.Perceptron(max_iter=5).fit(X, y)
    course = same(sx.scene(sx.audit(perceptron, X, y))).course
    assert course.alignment is None
    assert course.cosine_line is None
    assert course.bound is course.meeting is None
    assert course.length_line == pytest.approx(np.sqrt(3 * course.k))
    assert course.notes[0].startswith("No hyperplane separates the classes")
    assert "stopped after 20 mistakes" in course.notes[1]
    assert course.lines[1] == "√k R"


def test_the_course_of_a_run_without_mistakes_and_of_one_that_does_not_start_from_zero():
    X, y, given = [[1.0], [2.0]], [0, 1], {"coef_init": [2], "intercept_init": [-3]}
    course = same(sx.scene(sx.audit(sx.Perceptron().fit(X, y, **given), X, y, **given))).course
    assert course.k.size == course.length.size == course.mistakes == 0
    assert "The run made no mistake." in course.notes
    assert course.meeting is None
    assert "w₀" in course.lines[0]


def test_weighted_steps_have_lines_of_their_own():
    X, y = AND
    weights = [1, 2, 1, 1]
    found = sx.audit(sx.Perceptron().fit(X, y, sample_weight=weights), X, y, sample_weight=weights)
    course = sx.scene(found).course
    assert course.lines[0] == "S γ"
    assert course.meeting is None


def test_a_long_course_is_thinned_and_says_so():
    X, y = np.array([[0.0], [1e-3], [1.0]]), [0, 1, 1]
    found = long_ledger(X, y)
    course = same(sx.scene(found)).course
    assert course.k.size <= MOST_STEPS
    assert (course.k[0], course.k[-1]) == (1, found.mistakes)
    assert course.k.size == course.alignment.size == course.length_line.size == course.cosine.size
    assert any(f"{course.k.size:,} of {found.mistakes:,} mistakes are shown" in note for note in course.notes)
    places = np.searchsorted(found.k, course.k)
    assert course.length.tolist() == np.sqrt(found.squared_length[places]).tolist()


def long_ledger(X, y):
    with pytest.warns(ConvergenceWarning):
        perceptron = sx.Perceptron(max_iter=10**5).fit(X, y)
    return sx.audit(perceptron, X, y)


def test_the_course_of_a_kernel_ledger():
    X, y = XOR
    found = sx.audit(sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y), X, y)
    course = same(sx.scene(found)).course
    assert course.alignment.tolist() == found.alignment.tolist()
    assert course.length == pytest.approx(np.sqrt(found.squared_length))
    assert course.meeting == pytest.approx((found.bound[1], found.bound[1] * found.margin.lo))


def test_the_course_of_steps(ledger):
    X, y = AND
    table = sx.steps(sx.Perceptron().fit(X, y), X, y)
    course = same(sx.scene(table)).course
    weights = walked(X, y, 18)
    rows = np.diff(weights, axis=0)
    assert course.length == pytest.approx(np.linalg.norm(weights[1:], axis=1))
    assert course.length_line == pytest.approx(np.sqrt(np.cumsum((rows**2).sum(axis=1))))
    assert course.alignment == pytest.approx(sx.scene(ledger).course.alignment)
    assert course.converged
    assert course.bound is None
    first = sx.scene(sx.steps(sx.Perceptron().fit(X, y), X, y, first=10)).course
    assert first.converged is None
    assert "The table has the first" in first.notes[0]
    assert first.length.tolist() == course.length[: first.k.size].tolist()


def test_the_loss_over_a_run(ledger, monkeypatch):
    X, y = AND
    signed = np.where(y, 1, -1)[:, None] * np.column_stack([X, np.ones(4)])
    by_definition = [np.maximum(0, -signed @ w).sum() for w in walked(X, y, 18)]
    for shown in (sx.scene(ledger), sx.scene(sx.Perceptron().fit(X, y), X, y)):
        [curve] = same(shown).loss.curves
        assert curve.at.tolist() == list(range(19))
        assert curve.value.tolist() == by_definition
        assert shown.loss.note is None
    monkeypatch.setattr(losses, "_MOST_MARKS", 16)
    [curve] = (chart := losses.loss_of_ledger(ledger, ledger.problem)).curves
    assert chart.note == "The loss is shown after 16 of 18 mistakes."
    assert (curve.at[0], curve.at[-1]) == (0, 18)
    assert curve.value.tolist() == [by_definition[int(k)] for k in curve.at]


def test_the_kink(ledger):
    chart = sx.scene(ledger).kink
    loss, *slopes, rows = chart.curves
    assert np.interp([-4, -1, 0, 3], loss.at, loss.value).tolist() == [4, 1, 0, 0]
    for each in slopes:
        assert np.all(each.value <= np.maximum(0, -each.at)), "a subgradient is nowhere above the loss"
        assert np.interp(0, each.at, each.value) == 0
    assert sorted(rows.at.tolist()) == [1, 1, 2, 4]  # 3 x1 + 2 x2 - 4 at the four rows, signed
    assert rows.dots
    assert rows.value.tolist() == [0, 0, 0, 0]


def test_a_descent():
    descent = sx.descend_on_loss(*AND)
    shown = same(sx.scene(descent))
    assert shown.loss.curves[0].value.tolist() == [float(each) for each in descent.losses]
    assert shown.loss.note is None
    assert "stopped with" in sx.scene(sx.descend_on_loss(*XOR, steps=3)).loss.note


def test_rounds_are_counted():
    X, y = AND
    rounds = list(sx.play(sx.Perceptron(), [*zip(X, y, strict=True)] * 3, classes=[0, 1]))
    [curve] = same(sx.scene(rounds)).online.curves
    assert curve.at.tolist() == list(range(13))
    assert curve.value.tolist() == [0, *np.cumsum([each.mistake for each in rounds])]
    assert curve.steps
    [later] = sx.scene(rounds[5:]).online.curves
    assert later.at.tolist() == list(range(5, 13))
    assert later.value.tolist() == curve.value[5:].tolist()
    [twice] = sx.scene(tuple(rounds + rounds)).online.curves
    assert twice.value[-1] == 2 * curve.value[-1]
    assert sx.scene([]).online.note == "No round was played."
    with pytest.raises(TypeError, match="entry 12 is of type int"):
        sx.scene([*rounds, 3])


def test_many_rounds_are_thinned():
    one = next(sx.play(sx.Perceptron(), [([0, 0], 0)], classes=[0, 1]))
    rounds = [replace(one, number=t, mistake=t % 3 == 0, mistakes=t // 3) for t in range(1, 10**5 + 1)]
    chart = sx.scene(rounds).online
    assert chart.curves[0].at.size == MOST_STEPS
    assert (chart.curves[0].at[-1], chart.curves[0].value[-1]) == (10**5, 33_333)
    assert chart.curves[0].value.tolist() == (chart.curves[0].at // 3).tolist()
    assert chart.note == "2,000 of 100,001 rounds are shown, the first and the last among them."


def test_an_audited_game_has_its_bounds():
    X, y = AND
    online = sx.Perceptron().partial_fit(X, y, classes=[0, 1])
    chart = sx.scene(sx.audit(online, X, y)).online
    assert chart.curves[0].value[-1] == online.n_mistakes_
    assert chart.curves[0].at[-1] == 4
    assert ("bound R²/γ²", 51.0) in chart.levels


def test_the_search_for_the_fewest_errors():
    found = sx.least_errors(*XOR)
    upper, lower = same(sx.scene(found)).bounds.curves
    assert upper.at.tolist() == lower.at.tolist() == [each.seconds for each in found.history]
    assert upper.value.tolist() == [float(each.upper) for each in found.history]
    assert lower.value.tolist() == [float(each.lower) for each in found.history]
    assert sx.scene(found).bounds.note == "Proved and found meet at 1."
    weighted = sx.least_errors(*XOR, sample_weight=[0.5, 1, 1, 1])
    assert sx.scene(weighted).bounds.axes[1] == "errors, by weight"
    assert sx.scene(weighted).bounds.curves[0].value[-1] == 0.5
    stopped = sx.scene(replace(found, lower=0, upper=Fraction(3, 2), interrupted=True)).bounds
    assert stopped.note == "The fewest errors are between 0 and 1.5. The search was stopped by Ctrl-C."


def test_the_pocket_and_the_weights_in_hand():
    X, y = sx.examples.load("iris-virginica")
    for options in ({}, {"average": True}, {"init": "best"}, {"restarts": 2}, {"tie": "positive"}):
        pocket = sx.Pocket(**{"init": "zero", "max_updates": 150, "random_state": 3, **options}).fit(X, y)
        table = sx.steps(pocket, X, y, star=False)
        hand, kept = same(sx.scene(pocket, X, y)).pocket.curves
        errors = [table.start_errors, *(each.errors for each in table)]
        if "restarts" in options:  # at a restart the weights are the first again, which is no update
            assert hand.value[1:].tolist() == errors[1:]
        else:
            assert hand.value.tolist() == errors
        assert hand.at.tolist() == list(range(pocket.n_updates_ + 1))
        assert list(zip(kept.at, kept.value, strict=True))[:-1] == [(each.updates, each.errors) for each in pocket.history_]
        assert (kept.at[-1], kept.value[-1]) == (pocket.n_updates_, pocket.n_errors_)


def test_a_long_pocket_is_thinned_and_keeps_its_improvements(monkeypatch):
    X, y = sx.examples.load("iris-virginica")
    monkeypatch.setattr(pocket_course, "MOST_STEPS", 40)
    pocket = sx.Pocket(init="zero", max_updates=300, random_state=0).fit(X, y)
    chart = pocket_chart(pocket, X, y)
    hand, _ = chart.curves
    counted = dict(zip(hand.at.tolist(), hand.value.tolist(), strict=True))
    table = sx.steps(pocket, X, y, star=False)
    assert len(counted) < 40
    assert all(table[int(t) - 1].errors == errors for t, errors in counted.items() if t)
    assert all(counted[each.updates] == each.errors for each in pocket.history_)
    assert chart.note == f"Errors in hand are shown after {len(counted)} of 300 updates."


def test_a_pocket_whose_run_is_not_repeated_is_shown_alone():
    X, y = sx.examples.load("iris-virginica")
    drawn = sx.Pocket(init="zero", max_updates=20).fit(X, y)
    assert "random_state=None" in one(pocket_chart(drawn, X, y))
    pocket = sx.Pocket(init="zero", max_updates=20, random_state=0).fit(X, y)
    assert "another" in one(pocket_chart(pocket, X[::-1], y[::-1]))
    assert "no rows" in one(pocket_chart(pocket))
    assert "takes long" in one(pocket_chart(pocket, X, y, most=1))


def one(chart):
    assert [each.name for each in chart.curves] == ["weights in the pocket"]
    return chart.note


def test_pockets_of_several_classes_and_a_proved_bound():
    X, _ = sx.examples.load("iris-virginica")
    labels = np.array(["<a>", "b", "c"])[np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))]
    chart = sx.scene(sx.Pocket(init="zero", max_updates=30, random_state=0).fit(X, labels), X, labels).pocket
    assert chart.curves[0].name == "pocket of <a> against the rest"
    assert len(chart.curves) == 3
    proved = sx.Pocket(init="zero", max_updates=30, random_state=0, certify=5).fit(*XOR)
    assert sx.scene(proved, *XOR).pocket.levels == (("no hyperplane makes fewer", 1.0),)


def test_steps_of_a_pocket():
    pocket = sx.Pocket(init="zero", max_updates=30, random_state=0).fit(*XOR)
    table = sx.steps(pocket, *XOR)
    [curve] = sx.scene(table).pocket.curves
    assert curve.value.tolist() == [table.start_errors, *(each.errors for each in table)]


def test_a_comparison():
    standings = (
        sx.Standing(name="a", errors=3, cv_error=0.1, cv_spread=0.02, hyperplane=True),
        sx.Standing(name="b\n<i>", failure="ValueError:\n too bad", hyperplane=None),
        sx.Standing(name="c", errors=0, hyperplane=False),
    )
    found = sx.Comparison(
        table=standings, lower_bound=2, upper_bound=3, certificate=None, rows=50, features=2, classes=(0, 1), folds=5,
        scale="none", interrupted=True, notes=(),
    )  # fmt: skip
    bars = same(sx.scene(found)).comparison
    assert bars == comparison_bars(found)
    assert [(each.name, each.errors, each.failure, each.bounded) for each in bars.bars] == [
        ("a", 3, None, True), (r"b\n<i>", None, "ValueError: too bad", True), ("c", 0, None, False),
    ]  # fmt: skip
    assert (bars.rows, bars.lower_bound, bars.folds) == (50, 2.0, 5)
    assert "Ctrl-C" in bars.note


def test_series_are_thinned_evenly():
    places = chosen_steps(10**6)
    assert places.size == MOST_STEPS
    assert (places[0], places[-1]) == (0, 10**6 - 1)
    assert set(np.diff(places)) <= {500, 501}
    assert chosen_steps(0).size == 0


def test_a_perceptron_whose_run_cannot_be_repeated_is_shown_without_its_loss():
    X, y = AND
    shown = sx.scene(sx.Perceptron().fit(X, y), *OR)
    assert shown.loss is None
    assert shown.points.total == 4
    several = np.array([0, 1, 2, 2])
    assert sx.scene(sx.Perceptron(max_iter=50).fit(X, several), X, several).loss is None
