"""Conventions against their pseudo-codes, literally, and where two of them part."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import DOCS
from reference import dot, is_mistake, lifted
from strategies import problems

import separatrix as sx

PASSES = 6
FEW = ("integers", "halves", "decimals", "duplicates", "zeros", "xor")


def press(rows, labels):
    """The flag loop of note 000: 0 counts as yes."""
    w, trace = [Fraction(0)] * len(rows[0]), []
    for _ in range(PASSES):
        flag = False
        for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
            if (y == -1 and dot(w, x) >= 0) or (y == 1 and dot(w, x) < 0):
                w = [a + y * b for a, b in zip(w, x, strict=True)]
                flag = True
                trace.append(i)
        if not flag:
            break
    return trace, w


def online(rows, labels):
    """The rounds of note 001, with sign(0) = 0."""
    w, trace = [Fraction(0)] * len(rows[0]), []
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        if np.sign(float(dot(w, x) > 0) - float(dot(w, x) < 0)) != y:
            w = [a + y * b for a, b in zip(w, x, strict=True)]
            trace.append(i)
    return trace, w


def bloch(rows, labels):
    """The updates of note 002, x0 = 1 in front, from the guess 0: sign(0) = -1."""
    rows = [[Fraction(1), *x] for x in rows]
    w, trace = [Fraction(0)] * len(rows[0]), []
    for _ in range(PASSES):
        before = len(trace)
        for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
            if (1 if dot(w, x) > 0 else -1) != y:
                w = [a + y * b for a, b in zip(w, x, strict=True)]
                trace.append(i)
        if len(trace) == before:
            break
    return trace, [*w[1:], w[0]]


def chapter(rows, labels, eta=Fraction(1)):
    """Algorithm 2.1 of note 003: sigma(0) = +1, a 1 at the end."""
    rows = [[*x, Fraction(1)] for x in rows]
    w, trace = [Fraction(0)] * len(rows[0]), []
    for _ in range(PASSES):
        for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
            if (1 if dot(w, x) >= 0 else -1) != y:
                w = [a + eta * y * b for a, b in zip(w, x, strict=True)]
                trace.append(i)
    return trace, w


def liang(rows, labels):
    """Note 004: find the next mistake, correct it, until a full cycle has none; x0 = 1 in front."""
    rows, n = [[Fraction(1), *x] for x in rows], len(rows)
    w, trace, i, clean, visits = [Fraction(0)] * len(rows[0]), [], 0, 0, 0
    while clean < n and visits < PASSES * n:
        if (1 if dot(w, rows[i]) > 0 else -1) != labels[i]:
            w = [a + labels[i] * b for a, b in zip(w, rows[i], strict=True)]
            trace.append(i)
            clean = 0
        else:
            clean += 1
        i, visits = (i + 1) % n, visits + 1
    return trace, [*w[1:], w[0]]


LITERAL = {"press": press, "online": online, "bloch": bloch, "chapter": chapter, "liang": liang}


@given(problems(FEW), st.sampled_from(sorted(LITERAL)))
@pytest.mark.filterwarnings("ignore")
def test_a_convention_does_what_its_text_says(problem, name):
    X, y = problem
    rows = [[Fraction(number) for number in row] for row in X.tolist()]
    trace, weights = LITERAL[name](rows, [int(label) for label in y])
    parameters = {} if name == "online" else {"max_iter": PASSES}
    perceptron = sx.conventions.get(name).perceptron(record=True, **parameters).fit(X, y)
    assert perceptron.mistakes_.tolist() == trace
    assert perceptron.exact_weights().fractions() == weights


def course(X, y, convention):
    """All visits of a run, as the definition has it: the row, its score, whether it is a mistake."""
    perceptron = convention.perceptron()
    Z = lifted(X, y, perceptron.fit_intercept)
    w, passes = [Fraction(0)] * len(Z[0]), min(PASSES, perceptron.max_iter)
    rng = np.random.RandomState(0)
    for _ in range(passes):
        clean = True
        for i in rng.permutation(len(y)).tolist() if perceptron.order == "shuffle" else range(len(y)):
            wrong = is_mistake(dot(w, Z[i]), y[i], perceptron.tie)
            yield i, int(y[i]) * dot(w, Z[i]), wrong
            if wrong:
                w, clean = [a + b for a, b in zip(w, Z[i], strict=True)], False
        if clean:
            return


NAMES = st.sampled_from(sx.conventions.names())


@given(problems(FEW, max_rows=6, max_columns=3), NAMES, NAMES)
def test_two_part_where_they_first_do_not_do_the_same(problem, first, second):
    X, y = problem
    one, other = sx.conventions.get(first), sx.conventions.get(second)
    limit = {} if "online" in (first, second) else {"max_iter": PASSES}
    if not limit:  # that of one pass has its own limit
        one, other = (each if each.name == "online" else limited(each) for each in (one, other))
    courses = [list(course(X, y, each)) for each in (one, other)]
    found = sx.conventions.compare(one, other, X, y, **limit)
    number = next((k for k, (a, b) in enumerate(zip(*courses, strict=False)) if (a[0], a[2]) != (b[0], b[2])), None)
    if number is None and len(courses[0]) != len(courses[1]):
        number = min(map(len, courses))
    if number is None:
        assert found.visit is found.reason is None
    else:
        assert found.visit == number + 1
        here = [visits[number] if number < len(visits) else None for visits in (courses)]
        assert [found.first, found.second] == here
        if None in here:
            assert found.reason == "end"
        elif here[0][0] != here[1][0]:
            assert found.reason == "order"
        else:
            assert found.reason == ("tie" if here[0][1] == here[1][1] == 0 else "score")
            if found.reason == "score":
                assert one.perceptron().fit_intercept != other.perceptron().fit_intercept
    one_says, other_says = (runner.perceptron.predict(X) for runner in found.runners)
    assert found.differing.tolist() == np.flatnonzero(one_says != other_says).tolist()
    for style in ("text", "markdown", "latex"):
        assert found.explain(style)


def limited(convention):
    return replace(convention, parameters={**convention.parameters, "max_iter": PASSES})


def test_words_of_partings():
    X, y = sx.examples.load("or")
    told = sx.conventions.compare("press", "chapter", X, y, max_iter=10).explain()
    assert "Both visit row 1 at visit 2, having done the same before, of the class 1." in told
    assert "The scores differ, as one of the two has a bias" in told
    assert "It matters: they predict different classes for row 0." in told
    assert "do the same at every visit" in sx.conventions.compare("bloch", "liang", X, y).explain()
    assert "then online has ended" in sx.conventions.compare("online", "novikoff", X, y).explain()
    parting = sx.conventions.compare("bloch", "scikit-learn", X, y)
    assert repr(parting) == "<Parting: bloch and scikit-learn part at visit 1 (order)>"


def test_what_cannot_be_compared_is_refused():
    X, y = sx.examples.load("or")
    with pytest.raises(ValueError, match=r"no convention 'spam'.*press, online"):
        sx.conventions.get("spam")
    for parameters, message in (
        ({"order": "random"}, "visit by visit"),
        ({"order": "shuffle", "random_state": None}, "whole number"),
        ({"class_weight": "balanced"}, "class_weight"),
    ):
        with pytest.raises(ValueError, match=message):
            sx.conventions.compare("press", "bloch", X, y, **parameters)


def test_the_page_has_the_table():
    assert sx.conventions.table() in (DOCS / "conventions.md").read_text(encoding="utf-8")
