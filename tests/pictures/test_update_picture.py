"""One step of a run: row, weights and hyperplanes that are drawn, against the run done here."""

import numpy as np
import pytest
from pictures import SIZES, axes, labels, offsets, require_legible

import separatrix as sx

AND = sx.examples.load("and")


def run(X, y, visits):
    """Return row, weights before and weights after of each visit of the textbook's perceptron, ties being mistakes."""
    w, found = np.zeros(X.shape[1] + 1), []
    for t in range(visits):
        i = t % len(X)
        x, sign = np.append(X[i], 1.0), 1 if y[i] else -1
        before = w
        if sign * (w @ x) <= 0:
            w = w + sign * x
        found.append((i, before, w))
    return found


def on_line(line, weights):
    ends = np.array(line.get_data()).T
    return ends @ weights[:2] + weights[2]


def test_every_step_of_and_is_the_step_of_the_run():
    X, y = AND
    model = sx.Perceptron().fit(X, y)
    seen = sx.plot.update(sx.steps(model, X, y), X, y, step=None, ax=axes()).scene
    assert len(seen.updates) == 36
    for number, (row, before, after) in enumerate(run(X, y, 36), 1):
        drawn = sx.plot.update(seen, step=number, ax=axes())
        assert offsets(drawn.row_).tolist() == [X[row].tolist()]
        changed, note = not np.array_equal(before, after), "" if drawn.notes_ is None else drawn.notes_.get_text()
        assert (drawn.before_ is None) == (not before[:2].any() or "ld weights: x1 > 3 lies outside" in note)
        assert (drawn.after_ is None) == (not after[:2].any() or not changed or "New weights: x1 > 3 lies outside" in note)
        for line, weights in ((drawn.before_, before), (drawn.after_, after)):
            if line is not None:
                assert on_line(line, weights) == pytest.approx([0, 0], abs=1e-9)
        assert ("nothing changes" in labels(drawn.legend_)[0]) == (not changed)


def test_arrows_are_at_right_angles_and_add_up():
    X, y = AND
    drawn = sx.plot.update(sx.Perceptron().fit(X, y), X, y, step=8, ax=axes())
    old, added, new = ([np.array(point) for point in vars(each)["_posA_posB"]] for each in drawn.arrows_)
    assert old[0] == pytest.approx(new[0])
    assert added[0] == pytest.approx(old[1])
    assert added[1] == pytest.approx(new[1])
    for arrow, line in ((old, drawn.before_), (new, drawn.after_)):
        ends = np.array(line.get_data()).T
        assert (ends[1] - ends[0]) @ (arrow[1] - arrow[0]) == pytest.approx(0, abs=1e-9)
    (left, right), (bottom, top) = drawn.ax_.get_xlim(), drawn.ax_.get_ylim()
    for tip in (old[1], new[1], old[0]):
        assert left < tip[0] < right
        assert bottom < tip[1] < top


def test_in_space_the_plane_has_every_row_on_its_side_of_both_hyperplanes():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 6))
    y = (X @ rng.normal(size=6) > 0).astype(int)
    model = sx.Perceptron().fit(X, y)
    table = sx.steps(model, X, y, star=False)
    step = [each for each in table if each.mistake][4]
    update = sx.plot.update(table, X, y, step=step.step, ax=axes()).scene
    after = np.array(step.weights, float)
    before = after - np.array(step.update, float)
    for line, w in ((update.updates[0].before, before), (update.updates[0].after, after)):
        a, b, c = line.cut
        seen = update.points.at @ [a, b] + c
        assert seen == pytest.approx((X @ w[:-1] + w[-1]) / np.linalg.norm(w[:-1]))
    assert "plane of the old and the new weights" in update.view.note


@pytest.mark.parametrize(("d", "size"), [(1, SIZES[0]), (2, SIZES[0]), (3, SIZES[1]), (50, SIZES[1]), (2, SIZES[2])])
def test_every_dimension(d, size):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(30, d))
    X[:, 0] += np.where(X[:, 0] > 0, 1, -1)
    y = np.where(X[:, 0] > 0, "$yes_$", "no")
    model = sx.Perceptron().fit(X, y)
    number = [each.step for each in sx.steps(model, X, y) if each.mistake][-1]
    drawn = sx.plot.update(model, X, y, step=number, ax=axes(size))
    require_legible(drawn)
    assert drawn.after_ is not None


def test_without_an_intercept_and_from_a_pocket():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2)) + 0.1
    y = (X[:, 0] > 0).astype(int)
    drawn = sx.plot.update(sx.Perceptron(fit_intercept=False).fit(X, y), X, y, step=1, ax=axes())
    sign = 1 if y[0] else -1
    ends = np.array(drawn.after_.get_data()).T
    assert ends @ (sign * X[0]) == pytest.approx([0, 0], abs=1e-9)
    pocket = sx.Pocket(init="zero", max_updates=20, random_state=0).fit(X, y)
    assert sx.plot.update(pocket, X, y, step=3, ax=axes()).scene.updates[0].step == 3


def test_steps_that_there_are_not():
    X, y = AND
    model = sx.Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="from 1 to 36; got 99"):
        sx.plot.update(model, X, y, step=99)
    with pytest.raises(ValueError, match="give X and y, too"):
        sx.plot.update(sx.steps(model, X, y))
    with pytest.raises(ValueError, match=r"has no step 7\. It has: 3"):
        sx.plot.update(sx.plot.update(model, X, y, step=3, ax=axes()).scene, step=7)
    with pytest.raises(ValueError, match="this is a run of 3 classes"):
        sx.plot.update(sx.Perceptron().fit([[0], [1], [3]], [0, 1, 2]), [[0], [1], [3]], [0, 1, 2])
    with pytest.raises(ValueError, match="X has 1 columns, but the run was on 2"):
        sx.plot.update(sx.steps(model, X, y), X[:, :1], y)
    with pytest.raises(sx.SceneError, match="shows updates"):
        sx.plot.update(sx.scene(model, X, y))


def test_the_scene_comes_back_from_json():
    X, y = AND
    seen = sx.plot.update(sx.Perceptron().fit(X, y), X, y, step=5, ax=axes()).scene
    assert sx.Scene.from_json(seen.to_json()) == seen
