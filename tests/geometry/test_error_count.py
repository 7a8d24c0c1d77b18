"""Errors of given weights, against a count in fractions."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, is_mistake, lifted
from strategies import TIES, problems

import separatrix as sx

FEW = ("integers", "halves", "decimals", "duplicates", "zeros", "xor", "huge", "tiny", "cancelling", "ulps")


@given(problems(FEW), TIES, st.booleans(), st.data())
def test_errors_are_those_of_the_definition(problem, tie, weighted, data):
    X, y = problem
    numbers = st.sampled_from([0, 1, -1, "0.1", Fraction(-1, 3), 0.1, *X[0].tolist()])
    w = data.draw(st.lists(numbers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    exact = [Fraction(number) for number in w]
    costs = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.1]), min_size=len(y), max_size=len(y)))
    costs = costs if weighted and any(costs) else None
    Z = lifted(X, y, True)
    there = [i for i in range(len(y)) if costs is None or costs[i]]
    wrong = [i for i in there if is_mistake(dot(exact, Z[i]), y[i], tie)]
    found = sx.count_errors(w[:-1], w[-1], X, y, tie=tie, sample_weight=costs, classes=[-1.0, 1.0])
    assert (found.count, found.rows.tolist(), found.total) == (len(wrong), wrong, len(there))
    assert found.ties.tolist() == [i for i in there if dot(exact, Z[i]) == 0]
    assert found.weighted == sum((Fraction(1 if costs is None else costs[i]) for i in wrong), Fraction(0))
    assert found.rate == Fraction(len(wrong), len(there))


@given(st.integers(3, 5), TIES, st.data())
def test_errors_of_several_classes(count, tie, data):
    d, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 6))
    cell = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 10)])
    W = data.draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=count, max_size=count))
    b = data.draw(st.lists(cell, min_size=count, max_size=count))
    X = data.draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n))
    codes = data.draw(st.lists(st.integers(0, count - 1), min_size=n, max_size=n))
    wrong, tied = [], []
    for i, (x, c) in enumerate(zip(X, codes, strict=True)):
        scores = [dot(w, x) + number for w, number in zip(W, b, strict=True)]
        best = [k for k in range(count) if scores[k] == max(scores)]
        if len(best) > 1:
            tied.append(i)
        said = {"update": best[0] if len(best) == 1 else None, "negative": best[0], "positive": best[-1]}[tie]
        if said != c:
            wrong.append(i)
    found = sx.count_errors(W, b, X, codes, tie=tie, classes=list(range(count)))
    assert found.rows.tolist() == wrong
    assert found.ties.tolist() == tied
    if tie != "update":
        unit = sx.Perceptron.of(W, b, classes=list(range(count)), tie=tie)
        assert np.flatnonzero(unit.predict(X) != codes).tolist() == wrong


def test_the_rule_of_the_bank_makes_no_errors_and_a_lower_threshold_some():
    example = sx.examples.get("credit")
    rule = [2, -3, 4, -10, 0, 4, 8, 0, -6, -16]  # employment is retired, salaried, self-employed, student, unemployed
    assert sx.count_errors(rule, -40, example.X, example.y).count == 0
    looser = sx.count_errors(rule, -20, example.X, example.y)
    assert 0 < looser.count < len(example.y)
    assert set(example.y[looser.rows].tolist()) == {"no"}
    unit = sx.Perceptron.of(rule, threshold=40, classes=["no", "yes"], feature_names=example.features)
    assert unit.score(pd.DataFrame(example.X, columns=list(example.features)), example.y) == 1.0


def test_what_cannot_be_counted_is_refused():
    X, y = sx.examples.load("and")
    for arguments, message in (
        (([1], 0, X, y), "1 weights for 2 columns"),
        (([1, 1], 0, X, y[:2]), "4 rows, y has 2 labels"),
        (([1, 1], 0, X, [1, 1, 1, 1]), "Name both with classes="),
        (([[1, 1]] * 3, 0, X, y), "3 rows of weights, and 2 classes"),
        ((["x", 1], 0, X, y), "not a decimal number"),
    ):
        with pytest.raises(ValueError, match=message):
            sx.count_errors(*arguments)
    with pytest.raises(ValueError, match="tie must be"):
        sx.count_errors([1, 1], 0, X, y, tie="spam")
    with pytest.raises(ValueError, match="no rows to count"):
        sx.count_errors([1, 1], 0, X, y, sample_weight=[0, 0, 0, 0])
    with pytest.raises(ValueError, match="not among classes"):
        sx.count_errors([[1, 1]] * 3, 0, X, y, classes=[0, 2, 3])
