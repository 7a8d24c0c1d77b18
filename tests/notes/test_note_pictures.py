"""Figures of the notes, and what else is easier to show than to tell: what is drawn, against the notes' own sums."""

from fractions import Fraction

import numpy as np
import pytest
from lecture_data import BITS, OVERLAPPING, exact, separable, signed_rows, weights_after
from pictures import axes, labels, offsets
from reference import dot
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx

CLOUD = sx.examples.load("cloud")


def data_of(line):
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def scores_along(line, weights):
    """The scores at both ends of a line that is drawn, relative to the weights."""
    x, y = data_of(line)
    a, b, c = (float(weight) for weight in weights)
    return (a * x + b * y + c) / max(abs(a), abs(b), abs(c))


def unit_vector(numbers):
    vector = np.array([float(number) for number in numbers])
    return vector / np.linalg.norm(vector)


@separable
def test_026_the_squeeze(rows, labels):
    ledger = sx.audit(sx.Perceptron(tie="negative", record=True).fit(rows, labels), rows, labels)
    drawn = sx.plot.squeeze(ledger, ax=axes())
    k, products = data_of(drawn.alignment_)
    _, lengths = data_of(drawn.length_)
    assert k.tolist() == list(range(1, ledger.mistakes + 1))
    at_least, at_most = k * drawn.scene.course.alignment_line[0], np.sqrt(k) * drawn.scene.course.length_line[0]
    assert np.all(at_least <= products * (1 + 1e-12))
    assert np.all(products <= lengths * (1 + 1e-12))
    assert np.all(lengths <= at_most * (1 + 1e-12))
    assert drawn.scene.course.bound >= k[-1]


def test_027_several_of_the_solutions():
    X, y = CLOUD
    drawn = sx.plot.separators(sx.decide(X, y), ax=axes())
    signs, found = np.where(y == np.unique(y)[1], 1, -1), set()
    for line in drawn.scene.lines:
        a, b, c = line.cut
        assert np.all(signs * (X @ [a, b] + c) > 0)
        found.add((round(a, 9), round(b, 9), round(c, 9)))
    assert len(found) == len(drawn.lines_) >= 3


def test_059_the_curve_of_mistakes():
    X, y = CLOUD
    rounds = list(sx.play(sx.Perceptron(), zip(X, y, strict=True), classes=np.unique(y)))
    at, mistakes = data_of(sx.plot.online(rounds, ax=axes()).mistakes_)
    assert mistakes[-1] == sum(each.mistake for each in rounds) > 0
    for t, counted in zip(at, mistakes, strict=True):
        assert counted == sum(each.mistake for each in rounds[: int(t)])


def test_065_figure_1_points_line_and_axis_cuts():
    X, y = CLOUD
    perceptron = sx.Perceptron().fit(X, y)
    drawn = sx.plot.boundary(perceptron, X, y, ax=axes())
    w = [*perceptron.coef_[0], perceptron.intercept_[0]]
    assert scores_along(drawn.lines_[0], w) == pytest.approx([0, 0], abs=1e-9)
    cuts = {(-w[2] / w[0], 0.0), (0.0, -w[2] / w[1])}
    for at in offsets(drawn.cuts_):  # those that are near the points
        assert any(at == pytest.approx(cut) for cut in cuts)
    written = [str(Fraction(-w[2]) / Fraction(w[j])) for j in (0, 1)]
    assert f"cuts the axes at x1 = {written[0]} and x2 = {written[1]}" in labels(drawn.legend_)
    assert {tuple(at) for each in drawn.points_ for at in offsets(each)} == set(map(tuple, X))


def test_075_and_114_figures_of_one_update():
    rows, labels = exact([[2, 1], [-1, 3], [1, -2], [-2, -1], [3, 3]]), [1, -1, 1, -1, -1]
    Z = signed_rows(rows, labels)
    with pytest.warns(ConvergenceWarning):
        perceptron = sx.Perceptron(max_iter=3, tie="negative", record=True).fit(rows, labels)
    table = sx.steps(perceptron, rows, labels)
    mistakes = [step for step in table if step.mistake]
    course = weights_after(Z, [step.row for step in mistakes])
    for k, step in enumerate(mistakes):
        drawn = sx.plot.update(table, rows, labels, step=step.step, ax=axes())
        assert offsets(drawn.row_).tolist() == [[float(number) for number in rows[step.row]]]
        for line, w in ((drawn.before_, course[k]), (drawn.after_, course[k + 1])):
            if line is not None:
                assert scores_along(line, w) == pytest.approx([0, 0], abs=1e-9)
        turned = dot(course[k + 1], Z[step.row]) - dot(course[k], Z[step.row])
        assert turned == dot(Z[step.row], Z[step.row]) > 0
        added = drawn.scene.updates[0].arrows[1]  # its length is that of the picture, its direction that of y x
        assert unit_vector(added) == pytest.approx(unit_vector(Z[step.row][:2]))
    quiet = next(step for step in table if not step.mistake)
    unchanged = sx.plot.update(table, rows, labels, step=quiet.step, ax=axes())
    assert unchanged.after_ is None


def test_086_the_loss_of_a_row_with_its_kink():
    X, y = exact([[1, 2], [3, -1], [-2, 1]]), [1, 1, -1]
    ledger = sx.audit(sx.Perceptron(record=True).fit(X, y), X, y)
    drawn = sx.plot.loss(ledger, part="row", ax=axes())
    score, loss = data_of(drawn.row_[0])
    assert loss == pytest.approx(np.maximum(0, -score))
    assert 0.0 in score
    for each in drawn.row_[1:]:  # a subgradient never lies above the loss, and touches it at the kink
        at, height = data_of(each)
        assert np.all(height <= np.maximum(0, -at) + 1e-12)


def test_091_a_bias_moves_the_line_and_does_not_turn_it():
    X, y = CLOUD
    line = sx.Perceptron().fit(X, y).hyperplane()
    first, second = (sx.plot.boundary(each, X, y, ax=axes()).scene.lines[0].cut for each in (line, line.shifted(2)))
    assert first[:2] == pytest.approx(second[:2])
    assert first[2] != pytest.approx(second[2])


def test_093_figure_1_1_the_parts_of_the_unit():
    unit = sx.Perceptron.of(["0.5", "-2"], "1/4", tie="positive", classes=[-1, 1])
    drawn = sx.plot.structure(unit, ax=axes())
    assert [each.get_text() for each in drawn.names_] == ["x1", "x2", "constant 1"]
    assert [each.get_text() for each in drawn.weights_] == ["0.5", "-2", "0.25"]
    assert [each.get_text() for each in drawn.outputs_] == ["yes: 1", "no: -1"]


def segments(drawn):
    return {frozenset(map(tuple, each.get_xydata())) for each in drawn.proof_}


def test_097_and_098_three_points_on_a_line_and_the_four_of_xor():
    collinear = exact([[0, 0], [1, 1], [3, 3]])
    drawn = sx.plot.witness(sx.decide(collinear, [1, -1, 1]), ax=axes())
    assert segments(drawn) == {frozenset({(0, 0), (3, 3)})}
    assert offsets(drawn.common_).tolist() == [[1, 1]]
    drawn = sx.plot.witness(sx.decide(BITS, OVERLAPPING["xor"][1]), ax=axes())
    assert segments(drawn) == {frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})}
    assert offsets(drawn.common_).tolist() == [[0.5, 0.5]]
    assert any("row 3" in text for text in labels(drawn.legend_))


@separable
def test_127_the_cosine_and_where_it_falls(rows, labels):
    ledger = sx.audit(sx.Perceptron(tie="negative", record=True).fit(rows, labels), rows, labels)
    k, cosine = data_of(sx.plot.alignment(ledger, ax=axes()).cosine_)
    assert k.tolist() == list(range(1, ledger.mistakes + 1))
    assert int(np.sum(np.diff(cosine) < -1e-12)) == ledger.cosine_falls


@pytest.mark.parametrize("name", ["xor", "line"])
def test_140_the_errors_in_hand_and_in_the_pocket(name):
    rows, labels = OVERLAPPING[name]
    learnt = sx.Pocket(init="zero", max_updates=30, random_state=0).fit(rows, labels)
    hand, kept = sx.plot.pocket(learnt, rows, labels, ax=axes()).curves_
    updates, errors = data_of(hand)
    best = dict(zip(updates, np.minimum.accumulate(errors), strict=True))
    at, held = data_of(kept)
    assert [best[t] for t in at] == held.tolist()
    assert held[-1] == learnt.n_errors_
