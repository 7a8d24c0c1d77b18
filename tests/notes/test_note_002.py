"""Note 002, Bloch, Perceptron Learning Algorithm, item by item, on data of a reader's own: geometry and updates."""

import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from commands import succeeded, written
from reader_data import SEPARABLE, XOR, bloch, csv, fractions, minus, plus, sign, squared
from reference import dot, kernel, separability
from sections import section, squeezed

import separatrix as sx

sets = pytest.mark.parametrize("problem", SEPARABLE.values(), ids=SEPARABLE)
planes = pytest.mark.parametrize(
    ("w", "b"), [(["3", "2"], "-4"), (["0.1", "-0.7"], "0.3"), (["0", "2", "-1/3"], "5"), (["4"], "-1"), (["1", "2"], "0")]
)
POINTS = ["-2", "0", "1/3", "0.7", "5"]
TWO_POINT_SETS = [[[0, 0], [0, 1], [1, 0], [1, 1]], [["0.1", "0.2"], ["0.2", "0.4"], ["0.3", "0.6"], ["0.5", "0.1"]]]


def hyperplane(w, b):
    """The hyperplane, its weights in fractions, and points around it: many, some of them on it."""
    coef, intercept = [Fraction(number) for number in w], Fraction(b)
    around = fractions(itertools.product(POINTS, repeat=len(w)))
    pivot = next(j for j, weight in enumerate(coef) if weight)
    onto = []
    for point in around:
        rest = dot(coef, point) + intercept - coef[pivot] * point[pivot]
        onto.append([*point[:pivot], -rest / coef[pivot], *point[pivot + 1 :]])
    assert all(dot(coef, point) + intercept == 0 for point in onto)
    return sx.Hyperplane(w, b), coef, intercept, around, onto


@pytest.mark.parametrize("points", TWO_POINT_SETS)
def test_060_separable_is_that_some_w_and_b_give_every_label(points):
    X, found = fractions(points), set()
    for y in itertools.product([-1, 1], repeat=4):
        if len(set(y)) < 2:
            continue
        status, _ = separability(np.asarray(X, object), y, True)
        verdict = sx.decide(X, y, tie="negative")
        assert verdict.separable == (status == "separable") == sx.decide(X, y).separable  # with a bias the rule is no matter
        found.add(verdict.separable)
        if verdict.separable:
            unit = sx.Perceptron.of(verdict.coef, verdict.intercept, tie="negative")
            assert [sign(dot(map(Fraction, verdict.coef.tolist()), x) + Fraction(verdict.intercept)) for x in X] == list(y)
            assert unit.predict(X).tolist() == list(y)
    assert found == {True, False}


@sets
def test_061_the_sign_of_zero_is_minus_one(problem):
    X, y = problem
    trace, w = bloch(X, y)
    perceptron = sx.conventions.get("bloch").perceptron(record=True).fit(X, y)
    assert perceptron.mistakes_.tolist() == trace
    on = sx.Perceptron.of(w[:-1], -dot(w[:-1], X[0]), tie="negative")  # through the first row
    assert on.ties(X[:1]).all()
    assert on.predict(X[:1]).tolist() == [-1]


def test_061_the_rule_may_separate_without_a_bias():
    X, y = sx.examples.load("or")
    verdict = sx.decide(X, y, fit_intercept=False, tie="negative")
    assert (verdict.status, verdict.strict) == ("separable", "quasi-separable")
    coef = list(map(Fraction, verdict.coef.tolist()))
    assert [sign(dot(coef, x)) for x in fractions(X.tolist())] == [-1, 1, 1, 1]
    assert sx.Perceptron(tie="negative", fit_intercept=False).fit(X, y).predict(X).tolist() == y.tolist()


@planes
def test_062_the_hyperplane_is_the_affine_set_of_score_zero(w, b):
    H, coef, intercept, around, onto = hyperplane(w, b)
    assert H.contains(around).tolist() == [dot(coef, point) + intercept == 0 for point in around]
    assert H.contains(onto).all()
    first, last = onto[0], onto[-1]
    lines = [[p + Fraction(t, 3) * (q - p) for p, q in zip(first, last, strict=True)] for t in (-4, 1, 2, 9)]
    assert H.contains(lines).all()  # with two points the whole line through them


@planes
def test_063_it_is_no_vector_space_unless_b_is_zero(w, b):
    H, _, intercept, _, onto = hyperplane(w, b)
    sums = [plus(p, 1, q) for p, q in itertools.product(onto[:4], repeat=2)]
    origin = [[0] * len(w)]
    assert H.contains(sums).tolist() == [intercept == 0] * len(sums)
    assert H.contains(origin).tolist() == [intercept == 0]
    assert (H.score(sums) == -intercept).all()


@planes
def test_064_it_is_a_point_plus_a_vector_space(w, b):
    H, coef, _, around, onto = hyperplane(w, b)
    assert H.contains([H.point]).all()
    basis = [list(vector) for vector in H.directions]
    assert len(basis) == len(w) - 1
    assert all(dot(coef, vector) == 0 for vector in basis)
    if basis:  # independent: as many coefficients of zero as there are columns left
        assert len(kernel(basis)) == 1
    for shares in itertools.product([-2, Fraction(1, 3), 1], repeat=len(basis)):
        point = list(H.point)
        for share, vector in zip(shares, basis, strict=True):
            point = plus(point, share, vector)
        assert H.contains([point]).all()
    for point in around + onto:  # x is in H if and only if x - x0 is in V
        assert (dot(coef, minus(point, H.point)) == 0) == bool(H.contains([point])[0])
    assert "`H = x0 + V`" in section("geometry.md", "The hyperplane")  # the proof


@planes
def test_065_where_it_cuts_the_axes(w, b):
    H, coef, intercept, _, _ = hyperplane(w, b)
    assert H.axis_cuts == tuple(-intercept / weight if weight else None for weight in coef)
    for j, cut in enumerate(H.axis_cuts):
        axis = [[Fraction(int(k == j)) * t for k in range(len(w))] for t in (0, 1, 2, cut or 3)]
        held = H.contains(axis).tolist()
        assert held == ([intercept == 0] * 4 if cut is None else [cut == t for t in (0, 1, 2, cut or 3)])


def test_065_a_cloud_of_separable_points_to_draw():
    X, y = sx.examples.load("cloud")
    assert X.shape[1] == 2
    line = sx.MaxMargin().fit(X, y).hyperplane()
    positive = np.asarray(y) == sorted(set(np.asarray(y).tolist()))[1]
    assert (line.side(X) == np.where(positive, 1, -1)).all()
    assert line.contains([[0, line.axis_cuts[1]]]).all()


@planes
def test_066_w_is_at_a_right_angle_to_all_vectors_within(w, b):
    H, coef, _, _, onto = hyperplane(w, b)
    assert all(dot(coef, minus(p, q)) == 0 for p, q in itertools.pairwise(onto))
    assert all(dot(coef, vector) == 0 for vector in H.directions)
    assert H.side([plus(onto[0], 1, coef)]).tolist() == [1]  # and points to the positive side


@planes
def test_067_distance(w, b):
    H, coef, intercept, around, onto = hyperplane(w, b)
    squares, distances = H.squared_distance(around), H.distance(around)
    unit = sx.Perceptron.of(w, b)
    for z, square, distance in zip(around, squares, distances, strict=True):
        score = dot(coef, z) + intercept
        assert square == score**2 / squared(coef)
        assert distance == pytest.approx(float(score) / math.sqrt(squared(coef)))  # the sign is the side
        assert {dot(coef, minus(z, p)) ** 2 for p in onto[:5]} == {score**2}  # (1): whatever the point of H
        assert min(squared(minus(z, p)) for p in onto) >= square  # no point of H is nearer
    assert unit.distance(around) == pytest.approx(distances)


@planes
def test_068_projection(w, b):
    H, _, _, around, onto = hyperplane(w, b)
    feet = H.project(around)
    assert H.contains(feet.tolist()).all()
    for z, foot, square in zip(around, feet.tolist(), H.squared_distance(around), strict=True):
        assert squared(minus(z, foot)) == square
        assert all(dot(minus(z, foot), minus(p, foot)) == 0 for p in onto[:5])
    assert H.project(onto).tolist() == onto


def test_069_who_proposed_it_and_where_to_read_on():
    first = section("history.md", "The perceptron and its theorem")
    assert "**1958.** F. Rosenblatt" in first
    assert "Psychological Review 65, 386-408" in squeezed(first)
    reading = section("history.md", "Reading")
    for author, work in (
        ("S. Ruder", "gradient descent optimization"), ("Hastie", "section 4.5"), ("K. P. Murphy", "section 8.5.4"),
    ):  # fmt: skip
        [entry] = [each for each in reading.split("\n- ") if author in each]
        assert work in squeezed(entry)


@sets
def test_069_it_finds_a_separating_hyperplane_if_there_is_one(problem):
    X, y = problem
    w = sx.Perceptron(tie="negative").fit(X, y).exact_weights().fractions()
    assert [sign(dot(w, [*x, Fraction(1)])) for x in X] == y
    with pytest.warns(UserWarning, match="no hyperplane separates"):
        assert not sx.Perceptron(tie="negative", max_iter=100).fit(*XOR).halted_


@sets
def test_070_a_constant_of_1_in_front_is_the_bias(problem):
    X, y = problem
    own = sx.Perceptron(tie="negative", record=True).fit(X, y)
    front = sx.Perceptron(tie="negative", record=True, fit_intercept=False).fit([[1, *x] for x in X], y)
    *coef, intercept = own.exact_weights().fractions()
    assert front.mistakes_.tolist() == own.mistakes_.tolist()
    assert front.exact_weights().fractions() == [intercept, *coef]
    text = sx.decide(X, y).explain()
    names = [f"x{j + 1}" for j in range(len(X[0]))]  # x0 is the constant
    assert set() < set(re.findall(r"\bx\d+", text)) <= set(names)
    assert sx.steps(own, X, y).features == tuple(names)


@sets
@pytest.mark.parametrize("guess", [1, "-0.5", "7/3"])
def test_071_starts_from_a_guess(problem, guess):
    X, y = problem
    start = [Fraction(guess)] * (len(X[0]) + 1)
    trace, w = bloch(X, y, start=start)
    perceptron = sx.Perceptron(tie="negative", record=True)
    perceptron.fit(X, y, coef_init=[guess] * len(X[0]), intercept_init=guess)
    assert perceptron.mistakes_.tolist() == trace
    assert perceptron.exact_weights().fractions() == w
    ledger = sx.audit(perceptron, X, y, coef_init=[guess] * len(X[0]), intercept_init=guess)
    assert ledger.weights(0).fractions() == start


@pytest.mark.parametrize("name", ["and", "decimals"])
def test_071_and_072_start_and_order_on_the_command_line(tmp_path, name):
    X, y = SEPARABLE[name]
    order = list(range(len(X)))[::-1]
    trace, w = bloch(X, y, start=[1, Fraction(1, 2), -2], order=order)
    data, steps, model = written(tmp_path, csv(X, y)), tmp_path / "steps.csv", tmp_path / "m.json"
    done = succeeded("fit", data, "--label", "y", "--tie", "negative", "--start", "1,0.5,-2", "--order",
                     ",".join(map(str, order)), "--steps", steps, "--model", model, "--json")  # fmt: skip
    assert json.loads(done)["mistakes"] == len(trace)
    assert sx.load_model(model).exact_weights().fractions() == w
    header, *lines = [line.split(",") for line in steps.read_text().splitlines()]
    place = {column: k for k, column in enumerate(header)}
    assert [int(line[place["row"]]) for line in lines if line[place["mistake"]] == "yes"] == trace


@sets
def test_072_in_any_order(problem):
    X, y = problem
    for order in [*itertools.islice(itertools.permutations(range(len(X))), 0, None, 37), "shuffle", "random"]:
        perceptron = sx.Perceptron(tie="negative", order=order, random_state=3, record=True).fit(X, y)
        assert perceptron.converged_
        assert perceptron.predict(X).tolist() == y
        if not isinstance(order, str):
            assert perceptron.mistakes_.tolist() == bloch(X, y, order=order)[0]


@sets
def test_072_rows_may_come_again_within_an_order(problem):
    X, y = problem
    visits = [0, 0, 1, 0, len(X) - 1, 1, 1, *range(len(X)), 0] * 20
    perceptron, w = sx.Perceptron(tie="negative"), [Fraction(0)] * (len(X[0]) + 1)
    rounds = sx.play(perceptron, ((X[i], y[i]) for i in visits), classes=[-1, 1])
    for i, each in zip(visits, rounds, strict=True):
        wrong = sign(dot(w, [*X[i], Fraction(1)])) != y[i]
        assert each.mistake == wrong
        w = plus(w, y[i], [*X[i], Fraction(1)]) if wrong else w
    assert perceptron.exact_weights().fractions() == w
    assert perceptron.predict(X).tolist() == y


@sets
def test_073_the_update(problem):
    X, y = problem
    w = (Fraction(0),) * (len(X[0]) + 1)
    for step in sx.steps(sx.Perceptron(tie="negative").fit(X, y), X, y):
        x = [*X[step.row], Fraction(1)]
        assert step.score == dot(w, x)
        assert step.decision == sign(dot(w, x))
        assert step.mistake == (y[step.row] != sign(dot(w, x)))
        w = tuple(plus(w, y[step.row], x)) if step.mistake else w
        assert step.weights == w


@sets
def test_074_the_offset_changes_and_not_just_the_slope(problem):
    X, y = problem
    before, turned, shifted = None, 0, 0
    for step in sx.steps(sx.Perceptron(tie="negative").fit(X, y), X, y, mistakes_only=True):
        *coef, intercept = step.weights
        after = sx.Hyperplane(coef, intercept) if any(coef) else None
        if before is not None and after is not None:
            assert abs(after.intercept - before.intercept) == 1  # by the label, at each update
            parallel = all(dot(coef, vector) == 0 for vector in before.directions)
            beside = all(dot(X[step.row], vector) == 0 for vector in before.directions)
            assert parallel == beside  # the slope stays only if x is a multiple of w
            turned += not parallel
            shifted += before.axis_cuts != after.axis_cuts
        before = after
    assert shifted > 0
    assert turned > 0 or len(X[0]) == 1  # on a line there is no slope


@sets
@pytest.mark.parametrize("label", [-1, 1])
def test_075_one_update_before_and_after(problem, label):
    X, _ = problem
    w, b = [Fraction(k + 1, 3) for k in range(len(X[0]))], Fraction(-1, 7)
    for x in X:
        unit = sx.Perceptron.of(w, b, tie="negative")
        wrong = sign(dot(w, x) + b) != label
        unit.partial_fit([x], [label])
        *after, shift = unit.exact_weights().fractions()
        assert after == (plus(w, label, x) if wrong else w)
        assert shift == (b + label if wrong else b)
        if wrong and any(after):
            assert unit.hyperplane().axis_cuts == tuple(-shift / each if each else None for each in after)
