"""Note 004, Liang, Perceptron Learning Algorithm, section 3 from claim 1 on: items 127 to 136, the proof and its bound."""

import json
from fractions import Fraction
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from commands import succeeded, written
from lecture_data import (
    OVERLAPPING,
    SEPARABLE,
    as_table,
    is_listed_slip,
    plus,
    separable,
    signed_rows,
    square,
    weights_after,
)
from reference import dot, perceptron

import separatrix as sx


def audited(rows, labels):
    """A run, its ledger, its signed rows, the weights after each mistake, and W*, of any length."""
    learnt = sx.conventions.get("liang").perceptron(record=True).fit(rows, labels)
    ledger, Z = sx.audit(learnt, rows, labels), signed_rows(rows, labels)
    assert ledger.holds
    return learnt, ledger, Z, weights_after(Z, learnt.mistakes_), ledger.margin.weights.fractions()


def squared_cosine(star, w):
    """With its sign."""
    product = dot(star, w)
    return product * abs(product) / (square(star) * square(w))


@pytest.fixture(scope="module")
def credit_ledger():
    X, y = sx.examples.load("credit")
    return sx.audit(sx.Perceptron().fit(X, y), X, y)


@separable
def test_127_the_cosine_may_fall(rows, labels):
    _, ledger, _, course, star = audited(rows, labels)
    cosines = [squared_cosine(star, w) for w in course[1:]]
    falls = sum(after < before for before, after in pairwise(cosines))
    assert (ledger.cosine_falls, ledger.cosine_steps) == (falls, len(cosines) - 1)
    assert np.allclose(ledger.cosine * abs(ledger.cosine), np.array(cosines, float))


def test_127_it_does_on_and():
    assert is_listed_slip("Not at each step", "Liang, claim 1")
    X, y = sx.examples.load("and")
    ledger = sx.audit(sx.Perceptron().fit(X, y), X, y)
    trace = perceptron(X, np.where(y == 1, 1, -1), tie="update")[0]
    course = weights_after(signed_rows([list(map(Fraction, row)) for row in X.tolist()], [-1, -1, -1, 1]), trace)
    cosines = [squared_cosine([2, 2, -3], w) for w in course[1:]]
    assert sum(b < a for a, b in pairwise(cosines)) == ledger.cosine_falls == 8
    assert "The cosine fell in 8 of the 17 steps" in ledger.explain()


@separable
def test_128_longer_or_better_aligned(rows, labels):
    _, ledger, _, course, star = audited(rows, labels)
    first, last = course[1], course[-1]
    assert np.isclose(ledger.growth.alignment, float(dot(star, last) / dot(star, first)))
    assert np.isclose(ledger.growth.length, sqrt(square(last) / square(first)))
    assert np.isclose(ledger.growth.cosine, sqrt(squared_cosine(star, last) / squared_cosine(star, first)))
    assert np.isclose(ledger.growth.alignment, ledger.growth.length * ledger.growth.cosine)
    assert np.allclose(ledger.squared_length, np.array([square(w) for w in course[1:]], float))


@separable
def test_129_the_length_does_not_grow_too_fast(rows, labels):
    learnt, ledger, Z, course, _ = audited(rows, labels)
    longest = max(map(square, Z))
    for step, before, after in zip(sx.steps(learnt, rows, labels, mistakes_only=True), course, course[1:], strict=False):
        z = Z[step.row]
        assert (step.cross, step.square) == (2 * dot(before, z), square(z))
        assert square(after) == square(before) + step.cross + step.square  # (6), (7) with W_t
        assert step.cross <= 0  # (8)
        assert square(after) <= square(before) + longest  # (9)
    assert ledger.zero_scores == sum(dot(w, Z[i]) == 0 for w, i in zip(course, learnt.mistakes_, strict=False))
    assert np.all(ledger.squared_length <= ledger.squared_rows)
    assert np.all(ledger.squared_rows <= ledger.squared_length_line)
    assert ledger.radius_squared == longest


@separable
def test_130_the_middle_term_has_the_weights_before_the_mistake(rows, labels):
    """With W* in their place it is always positive, so that (8) would not follow, and (7) is false."""
    assert is_listed_slip("The weights before the mistake", "Liang, (7) and (17)")
    learnt, _, Z, course, star = audited(rows, labels)
    assert all(2 * dot(star, z) > 0 for z in Z)
    as_written = [
        square(after) == square(before) + 2 * dot(star, Z[i]) + square(Z[i])
        for i, before, after in zip(learnt.mistakes_, course, course[1:], strict=False)
    ]
    assert not any(as_written)


def test_131_mainly_from_the_alignment_depends_on_the_rows(credit_ledger):
    """On the rows, and on what a score of 0 says: of AND it is the cosine by the rule of the note, else the length."""
    assert is_listed_slip("Longer, or better aligned", "Liang, claim 2")
    rows, labels = SEPARABLE["and"]
    factors = {}
    for tie in ("negative", "update"):
        growth = sx.audit(sx.Perceptron(tie=tie).fit(rows, labels), rows, labels).growth
        trace, last, _, _ = perceptron(rows, labels, tie=tie)
        first, star = signed_rows(rows, labels)[trace[0]], [2, 2, -3]
        factors[tie] = sqrt(square(last) / square(first)), sqrt(squared_cosine(star, last) / squared_cosine(star, first))
        assert np.allclose(factors[tie], (growth.length, growth.cosine))
    assert factors["update"][0] > factors["update"][1]
    assert factors["negative"][0] < factors["negative"][1]
    assert credit_ledger.growth.cosine > credit_ledger.growth.length


@separable
def test_132_the_cosine_has_a_line_that_rises(rows, labels):
    _, ledger, Z, course, star = audited(rows, labels)
    squared = min(dot(star, z) for z in Z) ** 2 / (square(star) * max(map(square, Z)))  # of C
    for T, w in enumerate(course[1:], 1):
        assert squared_cosine(star, w) >= T * squared
    assert np.allclose(ledger.cosine_line**2, ledger.k * float(squared))
    assert np.all(np.diff(ledger.cosine_line) > 0)


@separable
def test_133_the_constant_c_whatever_the_length_of_w_star(rows, labels):
    learnt, ledger, Z, _, _ = audited(rows, labels)
    own = plus([3 * weight for weight in sx.Perceptron().fit(rows, labels).exact_weights().fractions()], Z[0], 0)
    C = float(min(dot(own, z) for z in Z)) / sqrt(square(own) * max(map(square, Z)))
    for star in (own, [weight / 7 for weight in own]):
        given = sx.audit(learnt, rows, labels, star=star).star
        assert np.allclose(given.cosine_line, np.sqrt(ledger.k) * C)
        assert np.isclose(given.margin / ledger.radius, C)
        assert np.isclose(given.bound, C**-2)
    assert ledger.margin.hi / ledger.radius * (1 + 1e-12) >= C  # the best W* has the largest C


@separable
@pytest.mark.parametrize("start", [[3, -1, 2, 5], [0, 0, 0, -4]])
def test_134_from_another_start(rows, labels, start):
    """W_0 = 0 in the proof; from elsewhere the same proof has more terms. Minus the threshold is w_0, of x_0."""
    assert is_listed_slip("Two kinds of index", "Liang, after (15)")
    _, ledger, Z, _, star = audited(rows, labels)
    assert not any(ledger.weights(0).fractions())
    start = [Fraction(number) for number in start[-len(Z[0]) :]]
    other = sx.Perceptron(tie="negative", record=True).fit(rows, labels, coef_init=start[:-1], intercept_init=start[-1])
    trace, weights, _, _ = perceptron(rows, labels, tie="negative", start=start)
    assert other.mistakes_.tolist() == trace
    assert other.exact_weights().fractions() == weights
    R, gamma = sqrt(max(map(square, Z))), float(min(dot(star, z) for z in Z)) / sqrt(square(star))
    bound = R**2 / gamma**2 + 2 * sqrt(square(start)) / gamma
    found = sx.audit(other, rows, labels, coef_init=start[:-1], intercept_init=start[-1])
    assert found.holds
    assert not found.applies
    assert len(trace) <= found.bound[1] <= bound * (1 + 1e-9)
    assert found.weights(0).fractions() == start


@separable
def test_135_a_bound_that_depends_on_the_run(rows, labels):
    assert is_listed_slip("A bound that depends on the run", "Liang, (24)")
    learnt, ledger, Z, course, star = audited(rows, labels)
    last, least = course[-1], min(dot(star, z) for z in Z)
    of_run = max(map(square, Z)) * dot(star, last) ** 2 / (square(last) * least**2)  # (24)
    assert np.isclose(ledger.run_bound, float(of_run))
    assert learnt.n_mistakes_ <= of_run <= max(map(square, Z)) * square(star) / least**2
    assert ledger.run_bound <= ledger.bound[1]


@separable
def test_136_how_long_it_will_take_is_known_before(tmp_path, rows, labels):
    bound, Z = sx.mistake_bound(rows, labels, exact=True), signed_rows(rows, labels)
    assert bound.radius_squared == max(map(square, Z))
    assert [square(Z[i]) for i in bound.longest] == [bound.radius_squared] * len(bound.longest)
    assert bound.most_mistakes == bound.radius_squared / bound.margin.squared // 1
    for tie in ("update", "positive", "negative"):
        for order in ("cyclic", "shuffle"):
            learnt = sx.Perceptron(tie=tie, order=order, random_state=1).fit(rows, labels)
            assert learnt.n_mistakes_ <= bound.most_mistakes
            assert learnt.n_iter_ <= bound.most_mistakes + 1
    if all(number.denominator != 3 for row in rows for number in row):
        path = written(tmp_path, as_table(rows, labels))
        said = json.loads(succeeded("mistake-bound", path, "--label", "y", "--exact", "--json"))
        assert said["most_mistakes"] == bound.most_mistakes
        assert Fraction(said["margin_squared"]) == bound.margin.squared


def test_136_or_that_it_never_ends():
    for rows, labels in OVERLAPPING.values():
        bound = sx.mistake_bound(rows, labels)
        assert bound.most_mistakes is None
        found, total = bound.obstruction.obstruction, [Fraction(0)] * (len(rows[0]) + 1)
        for i, multiplier in zip(found.rows, found.multipliers, strict=True):
            total = plus(total, signed_rows(rows, labels)[i], multiplier)
        assert min(found.multipliers) > 0
        assert not any(total)
