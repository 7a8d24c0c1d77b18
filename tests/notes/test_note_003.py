"""Note 003, Chapter 1, Perceptron, sections 1 and 2: items 88 to 104. Its sigma(0) is +1, and its rows end with a 1.

Pictures, items 93 and 98 among them, are in test_note_pictures.py.
"""

import itertools
import json
import random
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from commands import succeeded, written
from lecture_data import (
    OVERLAPPING,
    SEPARABLE,
    algorithm,
    as_table,
    chapter,
    exact,
    is_listed_slip,
    lifted_rows,
    overlapping,
    plus,
    separable,
    sigma,
    signed_rows,
)
from reference import dot, separability

import separatrix as sx

SMALL = list(itertools.product(range(-3, 4), repeat=3))  # many w1, w2, b


# ---- 1 The structure


@pytest.mark.parametrize(
    ("w", "b"), [(["0.1", "0.2"], "-0.3"), (["3", "2"], "-4"), (["1/3", "-1/7"], "0"), (["0", "0"], "0")]
)
def test_088_threshold_function(w, b):
    unit = sx.Perceptron.of(w, b, tie="positive", classes=[-1, 1])
    points = [*itertools.product(range(-3, 4), repeat=2), *exact([["0.3", "0.7"], [3, 7], ["0.2", "0.5"]])]
    scores = [dot(exact([[*w, b]])[0], row) for row in lifted_rows(exact(points))]
    assert 0 in scores
    assert unit.predict(points).tolist() == [sigma(score) for score in scores]
    assert np.sign(unit.decision_function(points)).tolist() == [(score > 0) - (score < 0) for score in scores]


@separable
def test_089_outputs_are_any_two_labels(tmp_path, rows, labels):
    signs = chapter().fit(rows, labels)
    bits = chapter().fit(rows, [int(y > 0) for y in labels])
    words = ["approve" if y > 0 else "deny" for y in labels]
    truth = chapter().fit(rows, np.array(words) == "approve")  # of two words the second, deny, would be positive
    for perceptron, answers in ((signs, labels), (bits, [int(y > 0) for y in labels]), (truth, [y > 0 for y in labels])):
        assert perceptron.predict(rows).tolist() == answers
        assert perceptron.mistakes_.tolist() == signs.mistakes_.tolist()
        assert perceptron.exact_weights().fractions() == signs.exact_weights().fractions()
    w = signs.exact_weights().fractions()
    unit = sx.Perceptron.of(w[:-1], w[-1], tie="positive", classes=["deny", "approve"])
    assert unit.predict(rows).tolist() == words
    score = sx.decide(rows, words, positive="approve")
    assert np.sign(np.array(rows, float) @ score.coef + score.intercept).tolist() == labels
    if all(float(number) == round(float(number), 6) for row in rows for number in row):
        path = written(tmp_path, as_table(rows, words))
        result = json.loads(succeeded("fit", path, "--label", "y", "--positive", "approve", "--tie", "positive", "--json"))
        assert result["mistakes"] == signs.n_mistakes_
        assert np.allclose([*result["coef"], result["intercept"]], np.array(w, float))


@separable
def test_090_the_bias_is_one_more_weight(rows, labels):
    apart = chapter().fit(rows, labels)
    trick = chapter(fit_intercept=False).fit(lifted_rows(rows), labels)
    assert apart.mistakes_.tolist() == trick.mistakes_.tolist() == [i for _, i in algorithm(rows, labels, 200)[0]]
    assert apart.exact_weights().fractions() == trick.exact_weights().fractions()


def test_090_the_size_of_the_constant_matters():
    rows, labels = SEPARABLE["and"]
    with_ten = [[*row, 10] for row in rows]
    w, errors, clean = [Fraction(0)] * 3, 0, False
    while not clean:
        clean = True
        for x, y in zip(exact(with_ten), labels, strict=True):
            if sigma(dot(w, x)) != y:
                w, errors, clean = plus(w, x, y), errors + 1, False
    ten = chapter(fit_intercept=False).fit(with_ten, labels)
    assert ten.n_mistakes_ == errors > 5 * chapter().fit(rows, labels).n_mistakes_
    assert ten.exact_weights().fractions() == w


@separable
@pytest.mark.parametrize("by", ["2", "-0.7", "1/3"])
def test_091_the_bias_shifts_and_does_not_turn(rows, labels, by):
    perceptron = chapter().fit(rows, labels)
    here = perceptron.hyperplane()
    there = here.shifted(by)
    assert there.weights == here.weights
    assert there.directions == here.directions
    assert [b - a for a, b in zip(here.score(rows), there.score(rows), strict=True)] == [Fraction(by)] * len(rows)
    assert np.allclose(there.distance(rows) - here.distance(rows), float(Fraction(by)) / float(here.squared_length) ** 0.5)
    perceptron.intercept_ = perceptron.intercept_ + float(Fraction(by))
    assert perceptron.predict(rows).tolist() == [sigma(score) for score in there.score(rows)]


@separable
def test_092_without_a_bias_it_goes_through_the_origin(rows, labels):
    perceptron = sx.Perceptron(fit_intercept=False).partial_fit(rows[:2], labels[:2], classes=[-1, 1])
    assert perceptron.hyperplane().contains([[0] * len(rows[0])]).all()
    verdict = sx.decide(rows, labels, fit_intercept=False)
    assert str(verdict.status) == separability(rows, labels, False)[0]
    zero = [i for i, row in enumerate(rows) if not any(row)]
    if zero:
        assert verdict.witness.tolist() == zero
        assert f"Row {zero[0]} is all zeros" in verdict.explain()


# ---- 2 The XOR problem


def triples(decimals, count=60):
    """Three collinear points with so many decimals, the second between the others."""
    rng = random.Random(decimals)
    for k in range(count):
        d, last = (2, 3, 5)[k % 3], rng.randint(2, 6)
        a = [Fraction(rng.randint(-9, 9), 10**decimals) for _ in range(d)]
        v = [Fraction(rng.randint(1, 9), 10**decimals) for _ in range(d)]
        yield [a, plus(a, v, rng.randint(1, last - 1)), plus(a, v, last)]


@pytest.mark.parametrize("label", [-1, 1])
def test_094_three_collinear_points(label):
    for points in triples(0):
        verdict = sx.decide(points, [label, -label, label])
        assert str(verdict.status) == "overlapping"
        assert "Three collinear points: row 1 " in verdict.explain()
        found = verdict.certificate.obstruction
        assert found.rows == (0, 1, 2)
        one, two, three = found.multipliers
        assert min(one, two, three) > 0
        assert two == one + three
        assert [two * number for number in points[1]] == plus([one * n for n in points[0]], points[2], three)


@pytest.mark.parametrize("decimals", [1, 2])
def test_095_three_collinear_points_with_decimals(tmp_path, decimals):
    for k, points in enumerate(triples(decimals, 30)):
        as_decimals = [[Decimal(n.numerator) / n.denominator for n in row] for row in points]
        for rows in (points, as_decimals):
            assert str(sx.decide(rows, [0, 1, 0]).status) == "overlapping"
        path = written(tmp_path, as_table(points, [0, 1, 0]))
        assert str(sx.decide(sx.read_data(path, "y")).status) == "overlapping"
        if k < 3:  # the command line, and a point that is a little off the line
            assert json.loads(succeeded("decide", path, "--label", "y", "--json"))["status"] == "overlapping"
            points[1][0] += Fraction(1, 1000)
            assert json.loads(succeeded("decide", written(tmp_path, as_table(points, [0, 1, 0])), "--label", "y", "--json"))[
                "separable"
            ]


def test_096_a_middle_point_like_its_neighbour():
    for points in [*triples(0, 10), *triples(1, 10)]:
        verdict = sx.decide(points, [0, 0, 1])
        assert verdict.separable
        w = verdict.certificate.separator
        scores = [dot([*map(Fraction, w.weights), Fraction(w.intercept)], row) for row in lifted_rows(points)]
        assert scores[0] < 0
        assert scores[1] < 0 < scores[2]


def test_097_why_no_line_separates_three_collinear_points():
    """The proof, line by line of the plane: a line through B has A and C apart, and the others have two of a side."""
    assert is_listed_slip("Two points, or one twice", "Theorem 2.1")
    for points in triples(1, 12):
        points = [row[:2] for row in points]
        through = 0
        for *w, b in [*SMALL, *((*w, -dot(exact([w])[0], points[1])) for w in ([3, -1], [1, 2], [-2, 3]))]:
            a, middle, c = (dot(exact([[*w, b]])[0], row) for row in lifted_rows(points))
            if middle == 0:
                through += any(w)
                assert (a == c == 0) or a * c < 0
            assert (a < 0) + (middle >= 0) + (c < 0)  # an error, if a score of 0 is +1
            assert (a <= 0) + (middle > 0) + (c <= 0)  # and if it is -1
        assert through
        assert all(sx.count_errors(w[:2], w[2], points, [1, -1, 1], tie="positive").count for w in SMALL[::40])
        assert not any(sx.decide(points, [1, -1, 1], tie=tie).separable for tie in ("update", "positive", "negative"))


def test_099_the_table_of_xor(tmp_path):
    X, y = sx.examples.load("xor")
    assert [(*row, out) for row, out in zip(X.astype(int).tolist(), y.tolist(), strict=True)] == [
        (a, b, a ^ b) for a in (0, 1) for b in (0, 1)
    ]
    path = tmp_path / "xor.csv"
    succeeded("examples", "xor", "--output", path)
    assert json.loads(succeeded("decide", path, "--label", "output", "--json"))["separable"] is False


@overlapping
def test_099_what_looks_like_it_on_your_own_data(tmp_path, rows, labels):
    path = written(tmp_path, as_table(rows, labels))
    verdict = json.loads(succeeded("decide", path, "--label", "y", "--json"))
    assert verdict["status"] == separability(rows, labels, True)[0] == "overlapping"
    assert min(sx.count_errors(w[: len(rows[0])], w[-1], rows, labels, tie="positive").count for w in SMALL[::7]) > 0


def inequalities(text):
    """The left sides of the inequalities that an explanation writes, as functions of w by name, and b."""
    lines = [line.strip().removesuffix(" > 0") for line in text.splitlines() if line.startswith("    ") and "> 0" in line]
    assert lines.pop() == "0"  # the sum
    precise = [re.sub(r"[0-9]+\.[0-9]+", r"Fraction('\g<0>')", line) for line in lines]
    quoted = [re.sub(r"w\[(\w+)\]", r"w['\1']", line) for line in precise]
    return [lambda w, b, line=line: eval(line, {"w": w, "b": b, "Fraction": Fraction}) for line in quoted]


@overlapping
def test_100_the_inequalities(rows, labels):
    verdict = sx.decide(rows, labels)
    found = verdict.certificate.obstruction
    sides = inequalities(verdict.explain())
    assert len(sides) == len(found.rows)
    for side, i, multiplier in zip(sides, found.rows, found.multipliers, strict=True):
        for w in SMALL[::11]:
            *w, b = exact([w])[0][-len(rows[0]) - 1 :]
            said = side({f"x{j + 1}": weight for j, weight in enumerate(w)}, b)
            assert said == multiplier * labels[i] * (dot(w, rows[i]) + b)


def test_100_the_inequalities_of_xor_as_the_note_has_them():
    text = sx.decide(*sx.examples.load("xor")).explain()
    for line in ("-b > 0", "w[x2] + b > 0", "w[x1] + b > 0", "-w[x1] - w[x2] - b > 0"):
        assert f"    {line}\n" in text
    assert r"-w_{1} - w_{2} - b > 0" in sx.decide(*sx.examples.load("xor")).explain("latex")


def test_100_with_zero_for_yes_they_are_not_all_strict():
    """A unit whose 0 is a yes may have the rows (0, 1) and (1, 0) at 0; without a bias that decides what can be done."""
    assert is_listed_slip("At least zero", "Theorem 2.2")
    X, y = sx.examples.load("or")
    assert not sx.count_errors([1, 1], -1, X, y, tie="positive").count
    assert (np.array([[0, 1], [1, 0]]) @ [1, 1] - 1).tolist() == [0, 0]
    text = sx.decide([[1, 1], [2, 2]], [1, -1], fit_intercept=False, tie="positive").explain()
    assert "    2 * (w[x1] + w[x2]) >= 0\n    -2*w[x1] - 2*w[x2] > 0\n" in text


@overlapping
def test_101_added_up_they_contradict_each_other(tmp_path, rows, labels):
    verdict = sx.decide(rows, labels)
    found, Z = verdict.certificate.obstruction, signed_rows(rows, labels)
    total = [Fraction(0)] * len(Z[0])
    for i, multiplier in zip(found.rows, found.multipliers, strict=True):
        assert multiplier > 0
        total = plus(total, Z[i], multiplier)
    assert not any(total)
    assert (
        sum(side({f"x{j}": Fraction(j, 7) for j in (1, 2)}, Fraction(5, 3)) for side in inequalities(verdict.explain())) == 0
    )
    sx.verify(verdict.certificate, rows, labels)
    with pytest.raises(sx.InvalidCertificate):
        sx.verify(verdict.certificate, rows, [-y for y in labels[:1]] + labels[1:])
    path, proof = written(tmp_path, as_table(rows, labels)), tmp_path / "proof.json"
    succeeded("decide", path, "--label", "y", "--certificate", proof)
    succeeded("verify", proof, path, "--label", "y")


def test_102_solvable_if_and_only_if_separable():
    for function in sx.exercises.boolean_functions(2):
        rows, labels = function.data()
        assert sx.decide(rows, labels, positive=1).separable is function.separable if len(set(labels)) > 1 else True
        outputs = np.column_stack([rows, np.ones(4)]) @ np.array(SMALL).T >= 0
        solved = np.array(SMALL)[(outputs == (labels == 1)[:, None]).all(axis=0)].tolist()
        assert bool(solved) is function.separable
        for w in solved[:3]:
            assert not sx.count_errors(w[:2], w[2], rows, labels, tie="positive", classes=[0, 1]).count
        if function.separable and len(set(labels)) > 1:
            assert chapter().fit(rows, labels).predict(rows).tolist() == labels.tolist()
    assert sum(each.separable for each in sx.exercises.boolean_functions(2)) == 14


def test_102_all_functions_of_three_bits():
    inputs, solved = list(itertools.product((0, 1), repeat=3)), 0
    for function in sx.exercises.boolean_functions(3):
        outputs = dict(zip(inputs, map(int, function.table), strict=True))
        solved += function.separable
        if function.separable:
            w, threshold = function.weights, function.threshold
            assert all((sum(map(int.__mul__, w, x)) >= threshold) is bool(out) for x, out in outputs.items())
        else:
            (a, b), (c, d) = function.witness
            assert [outputs[x] for x in (a, b, c, d)] == [1, 1, 0, 0]
            assert np.array_equal(np.add(a, b), np.add(c, d))
    assert solved == 104


def test_102_without_a_bias_zero_may_be_right(tmp_path):
    path, model = tmp_path / "nor.csv", tmp_path / "nor.json"
    succeeded("examples", "nor", "--output", path)
    options = ("--label", "output", "--no-intercept", "--tie", "positive")
    succeeded("fit", path, *options, "--model", model)
    assert json.loads(succeeded("score", model, path, "--json"))["errors"] == 0
    X, y = sx.examples.load("nor")
    assert json.loads(succeeded("decide", path, *options, "--json"))["separable"]
    assert not sx.decide(X, y, fit_intercept=False).separable


@overlapping
def test_103_how_near_it_can_come(rows, labels):
    found, n = sx.least_errors(rows, labels), len(rows)
    fewest = next(
        k
        for k in range(n)
        for left in itertools.combinations(range(n), n - k)
        if separability([rows[i] for i in left], [labels[i] for i in left], True)[0] == "separable"
    )
    assert found.lower == found.upper == fewest == sx.count_errors(found.coef, found.intercept, rows, labels).count
    sx.verify(found.certificate, rows, labels)
    pocket = sx.Pocket(init="zero", random_state=0, max_updates=500).fit(rows, labels).n_errors_
    assert pocket == fewest if len(rows) == 4 else pocket >= fewest


@pytest.mark.parametrize("name", ["xor", "xor, moved"])
def test_104_xor_otherwise(name):
    rows, labels = OVERLAPPING[name]
    either = sx.Perceptron.of([1, 1], threshold="0.8", classes=[0, 1])
    both = sx.Perceptron.of([1, 1], threshold="1.8", classes=[0, 1])
    hidden = np.column_stack([either.predict(rows), both.predict(rows)])
    assert sx.Perceptron.of([1, -1], threshold="0.5", classes=[-1, 1]).predict(hidden).tolist() == labels
    assert not sx.decide(rows, labels).separable
    assert sx.decide(hidden, labels).separable
    assert sx.Perceptron().fit(hidden, labels).converged_
    kernel = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
    assert sx.decide(rows, labels, **kernel).separable
    assert sx.KernelPerceptron(**kernel).fit(rows, labels).predict(rows).tolist() == labels
