"""The online protocol, against the definition in fractions."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, is_mistake, lifted
from strategies import TIES, problems

import separatrix as sx

FEW = ("integers", "halves", "decimals", "duplicates", "zeros", "xor", "cancelling")


@given(problems(FEW), TIES, st.booleans(), st.booleans(), st.data())
def test_rounds_are_those_of_the_definition(problem, tie, intercept, exact, data):
    X, y = problem
    hidden = data.draw(st.sets(st.integers(0, len(y) - 1)))  # outcomes that are not revealed
    rows = [[Fraction(str(number)) for number in row] for row in X.tolist()] if exact else X
    Z = lifted(np.asarray(rows, object), np.ones(len(y)), intercept)
    w, expected, mistakes = [Fraction(0)] * len(Z[0]), [], 0
    for i, (z, label) in enumerate(zip(Z, y, strict=True)):
        score = dot(w, z)
        said = 1 if score > 0 or (score == 0 and tie == "positive") else -1
        wrong = i not in hidden and is_mistake(int(label) * score, label, tie)
        if wrong:
            w = [a + int(label) * b for a, b in zip(w, z, strict=True)]
        mistakes += wrong
        expected.append(sx.Round(i + 1, said, score == 0, None if i in hidden else int(label), wrong, mistakes))
    perceptron = sx.Perceptron(tie=tie, fit_intercept=intercept, record=True)
    outcomes = [None if i in hidden else int(label) for i, label in enumerate(y)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.RoundingWarning)
        assert list(sx.play(perceptron, zip(rows, outcomes, strict=True), classes=[-1, 1])) == expected
    assert perceptron.exact_weights().fractions() == w
    assert perceptron.n_mistakes_ == mistakes
    if not hidden:
        assert perceptron.mistakes_.tolist() == [each.number - 1 for each in expected if each.mistake]


def test_rounds_are_played_when_they_are_asked_for():
    perceptron = sx.Perceptron()
    endless = sx.play(perceptron, (([1], 1) for _ in itertools.count()), classes=[-1, 1])
    assert not hasattr(perceptron, "classes_")
    assert [next(endless).mistake for _ in range(3)] == [True, False, False]
    answers = []

    def adversary():
        for _ in range(4):
            yield [1], -answers[-1] if answers else 1

    for each in sx.play(sx.Perceptron.of([0], fit_intercept=False), adversary()):
        answers.append(each.prediction)
    assert answers == [-1, 1, 1, -1]


def test_it_goes_on_where_another_game_ended():
    X, y = sx.examples.load("credit")
    whole, halves = sx.Perceptron(), sx.Perceptron()
    once = list(sx.play(whole, zip(X, y, strict=True), classes=["no", "yes"]))
    first = list(sx.play(halves, zip(X[:90], y[:90], strict=True), classes=["no", "yes"]))
    second = list(sx.play(halves, zip(X[90:], y[90:], strict=True)))
    assert [each.mistake for each in once] == [each.mistake for each in first + second]
    assert whole.exact_weights() == halves.exact_weights()
    assert second[0].number == 1
    data = sx.read_data({"a": [1, 2], "y": ["no", "yes"]}, label="y")
    rounds = sx.play(sx.Perceptron(), zip(data.rows, data.y, strict=True), classes=data.classes)
    assert [each.outcome for each in rounds] == ["no", "yes"]


def test_several_classes_tie_at_zero():
    rounds = list(sx.play(sx.Perceptron(), zip([[1], [1], [2]], "bbc", strict=True), classes=["a", "b", "c"]))
    assert [(each.prediction, each.tie, each.mistake) for each in rounds] == [
        ("a", True, True),
        ("b", False, False),
        ("b", False, True),
    ]


def test_what_is_no_game_is_refused():
    with pytest.raises(TypeError, match=r"expected sx\.Perceptron"):
        sx.play(sx.Pocket(), [])
    with pytest.raises(ValueError, match="classes must be named"):
        list(sx.play(sx.Perceptron(), [([1], 1)]))
    with pytest.raises(ValueError, match="a row and its outcome"):
        list(sx.play(sx.Perceptron(), [[1, 2, 3]], classes=[0, 1]))
    with pytest.raises(ValueError, match="not the same as on last call"):
        list(sx.play(sx.Perceptron.of([0]), [([1], 1)], classes=[0, 1]))
    with pytest.raises(ValueError, match="must name 2 classes"):
        list(sx.play(sx.Perceptron(), [([1], 1)], classes=[1]))
