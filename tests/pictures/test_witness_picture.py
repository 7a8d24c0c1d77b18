"""Why no hyperplane separates: hulls, the rows of the proof and the common point, against what is the case."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import SIZES, axes, labels, offsets, require_legible
from profiles import quickly
from scipy.spatial import ConvexHull

import separatrix as sx
from separatrix.pictures.scenery.witnesses import hull

XOR = sx.examples.load("xor")


def segments(artists):
    return {frozenset(map(tuple, each.get_xydata())) for each in artists}


def test_xor_is_two_diagonals_that_cross():
    drawn = sx.plot.witness(sx.decide(*XOR), ax=axes())
    assert segments(drawn.proof_) == {frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})}
    assert offsets(drawn.common_).tolist() == [[0.5, 0.5]]
    assert len(offsets(drawn.rows_)) == 4
    assert labels(drawn.legend_)[1:] == [
        "1/2 of row 0, class 0",
        "1/2 of row 1, class 1",
        "1/2 of row 2, class 1",
        "1/2 of row 3, class 0",
    ]
    assert "(0.5, 0.5)" in drawn.notes_.get_text()
    require_legible(drawn)


def test_three_points_on_a_line_are_a_segment_and_a_point_on_it():
    drawn = sx.plot.witness(sx.decide([[0, 0], [1, 1], [3, 3]], ["A", "B", "A"]), ax=axes())
    assert segments(drawn.proof_) == {frozenset({(0, 0), (3, 3)})}
    assert offsets(drawn.common_).tolist() == [[1, 1]]
    assert drawn.scene.witness.shares == ("2/3", "1", "1/3")


@quickly(40)
@given(data=st.data())
def test_the_common_point_is_the_combination_of_either_class(data):
    d = data.draw(st.integers(1, 5))
    X = np.array(data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=4, max_size=12)), float)
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    if len(set(y)) < 2:
        return
    verdict = sx.decide(X, y)
    seen = sx.scene(verdict)
    assert (seen.witness is None) == verdict.separable
    if verdict.separable:
        return
    witness = seen.witness
    shares = [Fraction(each) for each in witness.shares]
    sums = {}
    for k in (0, 1):
        mine = [(s, X[i]) for s, i, c in zip(shares, witness.row, witness.code, strict=True) if c == k]
        assert sum(s for s, _ in mine) == 1
        assert all(s > 0 for s, _ in mine)
        sums[k] = [sum(s * Fraction(x[j]) for s, x in mine) for j in range(d)]
    assert sums[0] == sums[1]
    assert np.array_equal(witness.code, y[witness.row])
    assert witness.exact == (d <= 2)
    if d == 2:
        assert witness.common == pytest.approx([float(each) for each in sums[0]])
    if d > 2:  # the projection of a combination is the combination of the projections
        for k in (0, 1):
            mine = witness.code == k
            mixed = np.array([float(s) for s in shares])[mine] @ witness.at[mine]
            assert witness.common == pytest.approx(mixed, abs=1e-9)


@quickly(60)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12))
def test_hulls_hold_all_points_and_have_their_corners(points):
    at = np.array(points, float)
    corners = hull(at)
    assert set(map(tuple, corners)) <= set(map(tuple, at))
    places = np.unique(at, axis=0)
    flat = np.linalg.matrix_rank(places - places[0]) < 2
    if not flat:
        assert set(map(tuple, corners)) == set(map(tuple, places[ConvexHull(places).vertices]))
    else:
        assert len(corners) == min(len(places), 2)
        spread = [np.linalg.norm(p - q) for p in places for q in places]
        assert max(spread) == pytest.approx(np.linalg.norm(corners[0] - corners[-1]))


@pytest.mark.parametrize(("d", "size"), [(1, SIZES[0]), (2, SIZES[0]), (3, SIZES[1]), (50, SIZES[1]), (2, SIZES[2])])
def test_every_dimension(d, size):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(40 + 4 * d, d)), rng.integers(0, 2, 40 + 4 * d)
    verdict = sx.decide(X, y)
    drawn = sx.plot.witness(verdict, ax=axes(size))
    require_legible(drawn)
    assert len(offsets(drawn.rows_)) == len(verdict.witness)
    note = drawn.notes_.get_text().replace("\n", " ")
    assert ("may be apart in space" in note) == (d > 2)


def test_a_quasi_separable_table_has_its_weak_separator_and_the_rows_on_it():
    X = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [3, 0], [1, -1.0]])
    drawn = sx.plot.witness(sx.decide(X, [1, 0, 0, 1, 1, 1, 0]), ax=axes())
    [line] = drawn.lines_
    assert np.array(line.get_ydata()) == pytest.approx([0, 0], abs=1e-12)
    assert {tuple(each) for each in offsets(drawn.on_)} == {(0, 0), (1, 0), (2, 0), (3, 0)}
    require_legible(drawn)


def test_without_an_intercept_rows_of_the_first_class_are_turned_about_the_origin():
    X, y = np.array([[1.0, 0], [0, 1], [1, 1], [2, 2]]), [0, 0, 1, 0]
    verdict = sx.decide(X, y, fit_intercept=False)
    assert not verdict.separable
    drawn = sx.plot.witness(verdict, ax=axes())
    assert sorted(map(tuple, offsets(drawn.points_[0]))) == [(-2, -2), (-1, 0), (0, -1)]
    assert offsets(drawn.common_).tolist() == [[0, 0]]
    shares = np.array([float(Fraction(each)) for each in drawn.scene.witness.shares])
    assert shares @ drawn.scene.witness.at == pytest.approx([0, 0], abs=1e-12)
    assert "turned about the origin" in drawn.notes_.get_text().replace("\n", " ")
    assert drawn.scene.points.at.tolist() == X.tolist()  # other pictures have the rows as they are


def test_letters_are_beside_their_rows_and_on_no_other():
    drawn = sx.plot.witness(sx.decide(*XOR), ax=axes())
    drawn.figure_.draw_without_rendering()
    marks = drawn.ax_.transData.transform(drawn.scene.points.at)
    for letter in drawn.letters_:
        box = letter.get_window_extent()
        assert not any(box.contains(*each) for each in marks)
        assert drawn.ax_.get_window_extent().contains(*box.get_points().mean(axis=0))
    assert [each.get_text() for each in drawn.letters_] == list("ABCD")


def test_separable_classes_have_no_such_picture():
    with pytest.raises(sx.SceneError, match=r"'witness' shows witness, and the scene .* has none"):
        sx.plot.witness(sx.decide(*sx.examples.load("and")))


def test_the_scene_comes_back_from_json():
    seen = sx.scene(sx.decide(*XOR))
    assert sx.Scene.from_json(seen.to_json()) == seen


@pytest.mark.parametrize("intercept", [True, False])
def test_a_proof_in_space_is_seen_in_a_plane_of_its_own_where_there_is_a_weak_separator(intercept):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4)).round(2)
    y = rng.integers(0, 2, 80)
    X[:, 3] = (np.arange(80) < 5) * y  # the last column separates a few rows, and has the others on the hyperplane
    verdict = sx.decide(X, y, fit_intercept=intercept)
    assert verdict.status == "quasi-separable"
    seen = sx.scene(verdict)
    assert seen.view.kind == "weights"
    assert seen.witness.view.kind == "means"
    drawn = sx.plot.witness(seen, ax=axes())
    assert drawn.lines_ == []
    at = np.concatenate([offsets(each) for each in drawn.points_])
    assert len(np.unique(at[:, 0].round(6))) > 60, "rows are not on one line"
    require_legible(drawn)
    assert sx.Scene.from_json(seen.to_json()) == seen
    boundary = sx.plot.boundary(seen, ax=axes())
    assert boundary.on_ is None
    assert (
        f"{np.count_nonzero(seen.points.on)} of the rows that are shown are on the hyperplane." in boundary.notes_.get_text()
    )


def test_rows_of_a_text_are_named_by_their_lines(tmp_path):
    (tmp_path / "xor.csv").write_text("a,b,y\n0,0,0\n\n0,1,1\n1,0,1\n1,1,0\n")
    seen = sx.scene(sx.decide(sx.read_data(tmp_path / "xor.csv", label="y"))).witness
    assert seen is not None
    assert seen.names == ("line 2", "line 4", "line 5", "line 6")
    assert seen.row.tolist() == [0, 1, 2, 3]
