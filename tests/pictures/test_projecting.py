"""Rows as points and hyperplanes as lines: what is seen is what is the case."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

import separatrix as sx
from separatrix.pictures.projecting import Projection, codes_of
from separatrix.pictures.staging import Stage
from separatrix.pictures.thinning import chosen_rows
from separatrix.problem.problem import Problem


def drawn(problem, projection):
    return projection.points(problem.rows.nearest(), codes_of(problem))


def exact_side(problem, weights, intercept):
    rows = problem.points(list(range(problem.n)))
    scores = [sum(w * x for w, x in zip(weights, row, strict=True)) + intercept for row in rows]
    return [(score > 0) - (score < 0) for score in scores]


numbers = st.integers(-8, 8).map(lambda k: k / 4)


@pytest.mark.parametrize("scale", [1.0, 2.0**-990, 2.0**990])
@given(data=st.data())
def test_each_point_is_on_the_side_of_its_row(data, scale):
    d = data.draw(st.integers(1, 6))
    row = st.lists(numbers, min_size=d, max_size=d)
    X = np.array(data.draw(st.lists(row, min_size=2, max_size=8))) * scale
    y = np.arange(len(X)) % 2
    weights = [Fraction(each) for each in data.draw(st.lists(numbers, min_size=d, max_size=d))]
    intercept = Fraction(data.draw(numbers)) * Fraction(scale)
    problem = Problem.of(X, y)
    line = Projection.of(problem, weights, intercept).line("w", weights, intercept)
    if not any(weights):
        assert line.cut is None
        return
    a, b, c = line.cut
    assert a * a + b * b == pytest.approx(1)
    at = drawn(problem, Projection.of(problem, weights, intercept))
    seen = at @ [a, b] + c
    for value, side in zip(seen, exact_side(problem, weights, intercept), strict=True):
        assert abs(value) < 1e-9 if side == 0 else value * side > 0


@given(data=st.data())
def test_distances_from_the_hyperplane_are_true_and_others_are_never_too_long(data):
    d = data.draw(st.integers(3, 7))
    row = st.lists(numbers, min_size=d, max_size=d)
    X = np.array(data.draw(st.lists(row, min_size=2, max_size=8)))
    weights = [Fraction(each) for each in data.draw(st.lists(numbers, min_size=d, max_size=d).filter(any))]
    problem = Problem.of(X, np.arange(len(X)) % 2)
    projection = Projection.of(problem, weights, Fraction(1, 2))
    at = drawn(problem, projection)
    w = np.array(weights, float)
    assert at[:, 0] == pytest.approx((X @ w + 0.5) / np.linalg.norm(w), abs=1e-9)
    assert np.all(pdist(at) <= pdist(X) + 1e-9)
    assert projection.basis @ projection.basis.T == pytest.approx(np.eye(2), abs=1e-9)


def test_up_is_the_direction_along_the_hyperplane_in_which_rows_differ_most():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 5)) * [10, 1, 5, 1, 1]
    projection = Projection.of(Problem.of(X, np.arange(200) % 2), [Fraction(1)] + [Fraction(0)] * 4)
    assert abs(projection.basis[1, 2]) > 0.99
    assert "5 features are projected" in projection.view.note
    assert projection.view.kind == "weights"


def test_many_columns_give_the_same_plane_however_it_is_computed(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 40)) * np.linspace(1, 5, 40)
    weights = [Fraction(int(k)) for k in rng.integers(-3, 4, 40)]
    found = []
    for width in (512, 3):
        monkeypatch.setattr("separatrix.pictures.projecting._WIDEST", width)
        for rows in (X, sp.csr_array(X)):
            problem = Problem.of(rows, np.arange(60) % 2)
            found.append(drawn(problem, Projection.of(problem, weights)))
    for each in found[1:]:
        assert each == pytest.approx(found[0], abs=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3, 600])
@pytest.mark.parametrize("rows", ["equal", "single", "zero"])
def test_rows_that_do_not_differ(d, rows):
    X = {"equal": np.full((4, d), 7.0), "single": np.full((1, d), -2.0), "zero": np.zeros((3, d))}[rows]
    problem = Problem.of(X, ["a"] * len(X))
    for weights in (None, [Fraction(1)] * d):
        at = drawn(problem, Projection.of(problem, weights))
        assert np.isfinite(at).all()
        assert np.ptp(at, axis=0) == pytest.approx([0, 0], abs=1e-9)


def test_without_a_hyperplane_the_means_of_the_classes_or_the_principal_directions():
    X = np.array([[0, 0, 0], [0, 1, 0], [4, 0, 0], [4, 1, 0.0]])
    two = Projection.of(Problem.of(X, [0, 0, 1, 1]))
    assert two.view.kind == "means"
    assert two.basis[0] == pytest.approx([1, 0, 0])
    same = Projection.of(Problem.of(X, [0, 1, 1, 0]))
    assert same.view.kind == "principal"
    assert abs(same.basis[0, 0]) == pytest.approx(1)


def test_units_are_said_where_numbers_are_very_large_or_very_small():
    view = Projection.of(Problem.of([[1e200, 1e-200], [2e200, 3e-200]], [0, 1])).view
    assert view.units == (1e200, 1e-200)
    assert view.axes == ("x1, in units of 1e+200", "x2, in units of 1e-200")


def test_the_margin_is_shown_where_distances_are_true():
    X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], [0, 0, 1, 1]
    assert sx.scene(sx.margin(X, y, kind="geometric")).lines[0].margin == pytest.approx(1.5)
    stage = Stage.of(Problem.of(np.eye(4), [0, 1, 0, 1]), [Fraction(1), *[Fraction(0)] * 3])
    assert stage.line("w", [Fraction(1), *[Fraction(0)] * 3], Fraction(0), 0.5).margin == 0.5
    assert stage.line("v", [Fraction(1)] * 4, Fraction(0), 0.5).margin is None


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=5),
    most=st.integers(5, 40),
    seed=st.integers(0, 99),
)
def test_thinning_keeps_what_the_picture_is_about_and_all_classes(sizes, most, seed):
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    first = np.random.default_rng(seed).choice(codes.size, min(codes.size, 3), replace=False)
    rows, note = chosen_rows(codes, first, most)
    assert rows.size == min(most, codes.size)
    assert np.all(np.diff(rows) > 0)
    assert set(first) <= set(rows)
    assert (note is None) == (rows.size == codes.size)
    if most >= len(sizes) + 3:
        assert set(codes[rows]) == set(range(len(sizes)))
    again, _ = chosen_rows(codes, first, most)
    assert np.array_equal(rows, again)


def test_more_rows_to_be_shown_than_there_is_room_for():
    rows, note = chosen_rows(np.zeros(100, np.int64), np.arange(50), 10)
    assert rows.size == 10
    assert set(rows) <= set(range(50))
    assert note.startswith("10 of 100 rows are shown")


def test_many_rows_are_thinned_and_it_is_said():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    seen = sx.scene(sx.decide(X, X[:, 0] > 0))
    assert len(seen.points.at) == 2_000
    assert seen.points.total == 20_000
    assert seen.points.note.startswith("2,000 of 20,000 rows are shown")
    a, b, c = seen.lines[0].cut
    assert np.array_equal(seen.points.at @ [a, b] + c > 0, X[seen.points.row, 0] > 0)
