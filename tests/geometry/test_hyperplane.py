"""Hyperplanes by their definitions, in fractions."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, kernel

import separatrix as sx

LINEAR = ("Perceptron", "Pocket", "MaxMargin", "LeastSquaresClassifier", "LinearProgramClassifier")

NUMBERS = st.one_of(
    st.integers(-3, 3).map(Fraction),
    st.fractions(-2, 2, max_denominator=7),
    st.sampled_from([Fraction(1, 10), Fraction(-3, 10), Fraction(0.1), Fraction(10) ** 30, Fraction(1, 10**30)]),
)


@st.composite
def hyperplanes(draw):
    d = draw(st.integers(1, 4))
    weights = draw(st.lists(NUMBERS, min_size=d, max_size=d).filter(any))
    return weights, draw(NUMBERS)


def points(data, d, most=4):
    return data.draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1, max_size=most))


@given(hyperplanes(), st.data())
def test_projections_are_the_nearest_points_of_the_hyperplane(given_by, data):
    w, b = given_by
    H, Z = sx.Hyperplane(w, b), points(data, len(w))
    scores = [dot(w, z) + b for z in Z]
    assert H.score(Z).tolist() == scores
    assert H.side(Z).tolist() == [(s > 0) - (s < 0) for s in scores]
    assert H.contains(Z).tolist() == [s == 0 for s in scores]
    for z, p, square in zip(Z, H.project(Z).tolist(), H.squared_distance(Z), strict=True):
        assert dot(w, p) + b == 0
        step = [a - c for a, c in zip(z, p, strict=True)]
        assert all(dot(step, v) == 0 for v in map(list, H.directions))  # at a right angle to H: so it is the nearest
        assert square == dot(step, step)


@given(hyperplanes(), st.data())
def test_distances_are_next_to_the_root_of_their_squares(given_by, data):
    w, b = given_by
    H, Z = sx.Hyperplane(w, b), points(data, len(w))
    for distance, score, square in zip(H.distance(Z).tolist(), H.score(Z), H.squared_distance(Z), strict=True):
        assert (distance > 0) - (distance < 0) == (score > 0) - (score < 0)
        size = abs(distance)
        below, above = Fraction(math.nextafter(size, 0)), Fraction(math.nextafter(size, math.inf))
        assert below**2 <= square <= above**2
    if len(w) == 1:  # where all is rational, nothing is rounded but the result
        assert H.distance(Z).tolist() == [float(s / abs(w[0])) for s in H.score(Z)]


@given(hyperplanes(), NUMBERS)
def test_a_point_and_directions_make_up_the_hyperplane(given_by, number):
    w, b = given_by
    H = sx.Hyperplane(w, b)
    assert dot(w, H.point) + b == 0
    assert len(H.directions) == len(w) - 1
    assert all(dot(w, v) == 0 for v in H.directions)
    if H.directions:
        assert not kernel([list(column) for column in zip(*H.directions, strict=True)])  # they are independent
    ahead = [x + number * sum(v) for x, *v in zip(H.point, *H.directions, strict=True)]
    assert H.contains([ahead]).tolist() == [True]
    assert dot(H.point, H.point) == H.squared_distance([[0] * len(w)])[0]
    for j, cut in enumerate(H.axis_cuts):
        axis = [[Fraction(0)] * len(w) for _ in range(2)]
        axis[0][j], axis[1][j] = Fraction(1), Fraction(7)
        if cut is None:
            assert H.score(axis)[0] == H.score(axis)[1]  # parallel
        else:
            assert H.contains([[cut if k == j else 0 for k in range(len(w))]]).tolist() == [True]


@given(hyperplanes(), NUMBERS, st.data())
def test_the_intercept_shifts_all_scores_by_the_same(given_by, by, data):
    w, b = given_by
    H, Z = sx.Hyperplane(w, b), points(data, len(w))
    assert (H.shifted(by).score(Z) - H.score(Z)).tolist() == [by] * len(Z)
    assert H.shifted(by).weights == H.weights
    assert H.through(Z[0]).contains([Z[0]]).tolist() == [True]
    assert sx.Hyperplane(w, threshold=-b) == H


def test_points_are_given_as_rows_are():
    H = sx.Hyperplane([1, 2], -1)
    rows = [[1, 0], [0, 1]]
    for form in (np.array(rows), sp.csr_array(np.array(rows, float)), [[Decimal(1), 0], [0, 1]]):
        assert H.score(form).tolist() == [0, 1]
    assert H.side([[Fraction(1, 3), Fraction(1, 3)]]).tolist() == [0]
    assert H.side([[1e300, -5e299]]).tolist() == [-1]


def test_what_defines_no_hyperplane_is_refused():
    with pytest.raises(ValueError, match="All weights are zero"):
        sx.Hyperplane([0, 0], 1)
    with pytest.raises(ValueError, match="weights has 2 rows"):
        sx.Hyperplane([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="3 columns, and the hyperplane 2 weights"):
        sx.Hyperplane([1, 2]).distance([[1, 2, 3]])
    with pytest.raises(ValueError, match="both given"):
        sx.Hyperplane([1], 1, threshold=1)


@pytest.mark.parametrize("member", LINEAR)
def test_every_linear_classifier_has_one(member):
    X, y = sx.examples.load("and")
    classifier = getattr(sx, member)().fit(X, y)
    H = classifier.hyperplane()
    assert [*H.weights, H.intercept] == classifier.exact_weights().fractions()
    assert np.allclose(H.distance(X), classifier.distance(X))
    assert classifier.hyperplane(0, 1).side(X).tolist() == (-H.side(X)).tolist()
    with pytest.raises(ValueError, match="between 0 and 1, and not between 2 and 1"):
        classifier.hyperplane(2, 1)


def test_between_two_of_several_classes_scores_are_equal():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [5.0, 1.0]])
    perceptron = sx.Perceptron().fit(X, ["a", "b", "c", "b"])
    H = perceptron.hyperplane("c", "a")
    scores = perceptron.decision_function(X)
    assert H.score(X).tolist() == (scores[:, 2] - scores[:, 0]).tolist()
    with pytest.raises(ValueError, match=r"3 classes.*hyperplane\('a', 'b'\)"):
        perceptron.hyperplane()
    with pytest.raises(ValueError, match="are the same"):
        sx.Perceptron.of([[1, 1], [1, 1], [0, 0]], classes=[0, 1, 2]).hyperplane(0, 1)


def test_without_an_intercept_it_holds_the_origin():
    perceptron = sx.Perceptron(fit_intercept=False).fit([[1, 2], [-1, 0]], [1, 0])
    assert perceptron.hyperplane().contains([[0, 0]]).tolist() == [True]
