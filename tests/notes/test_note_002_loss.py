"""Note 002, Bloch, Perceptron Learning Algorithm: the loss, its subgradients, and the theorem."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_data import AND, SEPARABLE, XOR, bloch, fractions, minus, plus, sign, squared
from reference import dot, kernel, lifted
from sections import section, squeezed
from sklearn.linear_model import SGDClassifier

import separatrix as sx

sets = pytest.mark.parametrize("problem", SEPARABLE.values(), ids=SEPARABLE)


def loss_of(theta, z):
    """The loss of one row, z = y (x, 1)."""
    return max(Fraction(0), -dot(theta, z))


THETAS = fractions([[3, 2, -4], [-1, -1, 1], ["0.5", "-0.25", 0], [0, 0, 0], [0, 0, -1]])
PLANE = {name: SEPARABLE[name] for name in ("and", "decimals")} | {"xor": XOR}
in_the_plane = pytest.mark.parametrize("problem", PLANE.values(), ids=PLANE)


def rows_of(problem):
    X, y = problem
    return lifted(np.asarray(X, object), y, True)


@in_the_plane
@pytest.mark.parametrize("theta", THETAS)
def test_076_and_077_the_loss_and_that_of_each_row(problem, theta):
    losses = [loss_of(theta, z) for z in rows_of(problem)]
    assert sx.perceptron_loss(theta[:2], theta[2], *problem) == pytest.approx(float(sum(losses)))
    assert sx.perceptron_loss(theta[:2], theta[2], *problem, reduction="none") == pytest.approx(list(map(float, losses)))
    assert sx.perceptron_loss(theta[:2], theta[2], *problem, reduction="mean") == pytest.approx(
        float(sum(losses) / len(losses))
    )
    right = [dot(theta, z) >= 0 for z in rows_of(problem)]
    assert [loss == 0 for loss in losses] == right


@in_the_plane
def test_078_the_penalty_is_proportional_to_the_distance(problem):
    X, y = problem
    H = sx.Hyperplane(["0.5", "-0.3"], "-0.1")
    losses = sx.perceptron_loss(H.weights, H.intercept, X, y, reduction="none")
    wrong = H.side(X) == -np.asarray(y)
    assert wrong.any()
    assert losses[wrong] == pytest.approx(np.abs(H.distance(X)[wrong]) * math.sqrt(H.squared_length))
    assert (losses[~wrong] == 0).all()
    far = [plus(foot, 3, minus(x, foot)) for x, foot in zip(X, H.project(X).tolist(), strict=True)]  # thrice as far
    assert sx.perceptron_loss(H.weights, H.intercept, far, y, reduction="none") == pytest.approx(3 * losses)


@in_the_plane
@pytest.mark.parametrize("theta", THETAS)
def test_079_the_gradient_off_the_kink(problem, theta):
    X, y = problem
    for x, label, z in zip(X, y, rows_of(problem), strict=True):
        if dot(theta, z) == 0:
            continue
        coef, intercept = sx.perceptron_subgradient(theta[:2], theta[2], [x], [label], classes=[-1, 1])
        slope = [0] * 3 if dot(theta, z) > 0 else [-number for number in z]
        assert [*coef, intercept] == list(map(float, slope))
        tiny = abs(dot(theta, z)) / (1000 * squared(z))
        for direction in fractions(
            [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-2, 3, 1]]
        ):  # the definition: the loss is linear nearby
            grown = loss_of(plus(theta, tiny, direction), z) - loss_of(theta, z)
            assert grown == tiny * dot(slope, direction)


def kinks(problem):
    """Places on the kink of each row, with the row: zero, and two that are at a right angle to it."""
    for i, z in enumerate(rows_of(problem)):
        yield from ((i, z, theta) for theta in ([Fraction(0)] * 3, *kernel([z])))


def is_subgradient(v, theta, z):
    """Whether l(t') >= l(t) + v.(t' - t) at places t' around t."""
    others = [plus(theta, 1, step) for step in fractions(itertools.product([-1, "1/7", 2], repeat=3))]
    return all(loss_of(other, z) >= loss_of(theta, z) + dot(v, minus(other, theta)) for other in others)


@in_the_plane
def test_080_at_the_kink_all_of_0_to_1_times_minus_y_x(problem):
    X, y = problem
    for i, z, theta in kinks(problem):
        known = sx.perceptron_subdifferential(theta[:2], theta[2], [X[i]], [y[i]], classes=[-1, 1])
        assert known.kinks.tolist() == [0]
        assert [list(end) for end in known.ends] == [[0] * 3, [-number for number in z]]
        for t in (Fraction(0), Fraction(1, 3), Fraction(1)):
            v = [-t * number for number in z]
            assert list(known.at(t)) == v
            assert is_subgradient(v, theta, z)
            coef, intercept = sx.perceptron_subgradient(theta[:2], theta[2], [X[i]], [y[i]], classes=[-1, 1], t=t)
            assert [*coef, intercept] == pytest.approx(list(map(float, v)))
        for t in (Fraction(-1, 10), Fraction(11, 10)):
            assert not is_subgradient([-t * number for number in z], theta, z)
            with pytest.raises(ValueError, match="from 0 to 1"):
                known.at(t)


@given(st.lists(st.lists(st.fractions(-3, 3, max_denominator=8), min_size=3, max_size=3), min_size=2, max_size=2),
       st.sampled_from(["and", "decimals", "xor"]), st.integers(0, 3))  # fmt: skip
def test_081_a_subgradient_lies_below_and_not_above(thetas, name, i):
    (X, y), z = PLANE[name], rows_of(PLANE[name])[i]
    theta, other = thetas
    known = sx.perceptron_subdifferential(theta[:2], theta[2], [X[i]], [y[i]], classes=[-1, 1])
    for v in known.ends:
        assert loss_of(theta, z) - loss_of(other, z) <= dot(v, minus(theta, other))


def test_081_the_reversed_inequality_fails():
    z, theta, other = rows_of(AND)[3], [Fraction(0)] * 3, [Fraction(-1)] * 3
    v = sx.perceptron_subdifferential(theta[:2], theta[2], [[1, 1]], [1], classes=[-1, 1]).at(0)
    assert loss_of(theta, z) - loss_of(other, z) == -3 < dot(v, minus(theta, other)) == 0
    assert "`l(t) - l(t') <= v.(t - t')`" in section("slips.md", "Subgradients, the other way round")


def descended(X, y, tie, passes=1000):
    """Stochastic gradient descent with step 1, by the subgradients of single rows: the rows that moved it, and the end."""
    theta, moved = [Fraction(0)] * (len(X[0]) + 1), []
    for _ in range(passes):
        before = len(moved)
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            coef, intercept = sx.perceptron_subgradient(theta[:-1], theta[-1], [x], [label], classes=[-1, 1], tie=tie)
            if coef.any() or intercept:
                moved.append(i)
                theta = [a - b for a, b in zip(theta, [*map(Fraction, coef.tolist()), Fraction(intercept)], strict=True)]
        if len(moved) == before:
            break
    return moved, theta


@pytest.mark.parametrize("name", ["and", "three columns"])
@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
def test_082_stochastic_gradient_descent_with_step_1_is_the_perceptron(name, tie):
    X, y = SEPARABLE[name]
    moved, theta = descended(X, y, tie)
    perceptron = sx.Perceptron(tie=tie, record=True).fit(X, y)
    assert perceptron.mistakes_.tolist() == moved
    assert perceptron.exact_weights().fractions() == theta
    if tie == "update":
        rows = np.array(X, float)
        other = SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, shuffle=False, tol=None,
                              max_iter=perceptron.n_iter_).fit(rows, y)  # fmt: skip
        assert [*other.coef_[0], *other.intercept_] == list(map(float, theta))


@sets
def test_083_the_two_differ_at_a_score_of_zero_only(problem):
    X, y = problem
    parting = sx.conventions.compare("bloch", sx.conventions.get("scikit-learn"), X, y, order="cyclic")
    assert parting.reason == "tie"  # t = 1 at the kink for both labels, which (5) allows; (2) has it for +1 only
    assert parting.first.row == parting.second.row
    assert parting.first.score == parting.second.score == 0
    assert (parting.first.mistake, parting.second.mistake) == (False, True)
    assert y[parting.first.row] == -1
    start = {"intercept_init": Fraction(1, 17)}  # with which no score is ever 0, as no row has a 17 in a denominator
    runs = [sx.Perceptron(tie=tie, record=True).fit(X, y, **start) for tie in ("update", "positive", "negative")]
    assert len({(tuple(run.mistakes_.tolist()), tuple(run.exact_weights().strings())) for run in runs}) == 1
    assert descended(X, y, "update")[0] == sx.Perceptron(record=True).fit(X, y).mistakes_.tolist()


@in_the_plane
def test_084_the_loss_is_least_at_zero_where_every_row_has_its_kink(problem):
    X, y = problem
    assert sx.perceptron_loss([0, 0], 0, X, y) == 0
    known = sx.perceptron_subdifferential([0, 0], 0, X, y)
    assert known.kinks.tolist() == list(range(len(X)))
    assert [list(vector) for vector in known.free] == [[-number for number in z] for z in rows_of(problem)]
    assert not any(known.at(0))  # so that 0 is a subgradient, and zero weights are a minimum
    assert sx.count_errors([0, 0], 0, X, y, tie="update").count == len(X)


@sets
@pytest.mark.parametrize("eta", [1, "0.5", lambda k: Fraction(1, k)], ids=["1", "0.5", "1/k"])
def test_085_descent_on_the_whole_loss(problem, eta):
    X, y = problem
    Z, w = lifted(np.asarray(X, object), y, True), [Fraction(0)] * (len(X[0]) + 1)
    course = sx.descend_on_loss(X, y, eta=eta, steps=200)
    for k, (weights, loss, errors) in enumerate(zip(course.weights, course.losses, course.errors, strict=True), 1):
        wrong = [z for z in Z if dot(w, z) <= 0]
        assert (list(weights), loss, errors) == (w, sum(loss_of(w, z) for z in Z), len(wrong))
        for z in wrong:
            w = plus(w, Fraction(eta(k) if callable(eta) else eta), z)
    assert course.ended == all(dot(course.weights[-1], z) > 0 for z in Z)
    assert course.ended or callable(eta)  # a constant step comes to an end
    assert course.steps == 200 or course.ended


@sets
@pytest.mark.parametrize("guess", [0, 1, "-2.5", "20"])
def test_087_the_updates_are_bounded_from_any_start(problem, guess):
    X, y = problem
    d, start = len(X[0]), [Fraction(guess)] * (len(X[0]) + 1)
    inits = {"coef_init": [guess] * d, "intercept_init": guess}
    bound = sx.mistake_bound(X, y, exact=True)
    gamma2, most = bound.margin.squared, bound.radius_squared / bound.margin.squared
    for order in ("cyclic", list(range(len(X)))[::-1]):
        perceptron = sx.Perceptron(tie="negative", order=order).fit(X, y, **inits)
        trace, w = bloch(X, y, start=start, order=order)
        assert perceptron.n_mistakes_ == len(trace)
        assert [sign(dot(w, [*x, Fraction(1)])) for x in X] == y
        over = max(Fraction(0), len(trace) - most)  # k <= R^2 / gamma^2 + 2 ||w_0|| / gamma
        assert over**2 <= 4 * squared(start) / gamma2
        ledger = sx.audit(perceptron, X, y, **inits)
        assert ledger.holds
        assert ledger.bound[1] == pytest.approx(float(most) + 2 * math.sqrt(squared(start) / gamma2))
        text = squeezed(ledger.explain())
        assert ("w_0 plus a sum of k rows" in text) == bool(start[0])
        assert ("are a sum of k rows (times the learning rate" in text) == (not start[0])
