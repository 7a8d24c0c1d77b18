"""Note 001, The Perceptron Algorithm (online), item by item, on data of a reader's own."""

import copy
import itertools
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from commands import succeeded, written
from fits import fitted
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_data import AND, STREAMS, XOR, csv, plus, squared
from reference import dot, lifted, separability
from sections import section, squeezed

import separatrix as sx

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")  # of weights on the way
streams = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)


def loop(rows, labels):
    """The note to the letter: the signs of w.x, the rounds of the mistakes, the weights before each round and at the end."""
    weights, signs, mistakes = [[Fraction(0)] * len(rows[0])], [], []
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        score = dot(weights[-1], x)
        signs.append((score > 0) - (score < 0))
        weights.append(plus(weights[-1], y, x) if signs[-1] != y else weights[-1])
        mistakes += [i] if signs[-1] != y else []
    return signs, mistakes, weights


def learner(**parameters):
    return sx.conventions.get("online").perceptron(**parameters)


def played(rows, labels, perceptron=None):
    """The rounds, and the weights after each."""
    perceptron = learner() if perceptron is None else perceptron
    game = sx.play(perceptron, zip(rows, labels, strict=True), classes=[-1, 1])
    return [(each, perceptron.exact_weights().fractions()) for each in game]


def audited(stream, **more):
    """The ledger of a run row by row."""
    rows, labels, _ = stream
    perceptron = learner()
    for x, y in zip(rows, labels, strict=True):
        perceptron.partial_fit([x], [y], classes=[-1, 1])
    return sx.audit(perceptron, rows, labels, **more)


def gamma_squared(rows, labels, star):
    """The square of the least y x.w*, for w* at length 1."""
    return min(y * dot(x, star) for x, y in zip(rows, labels, strict=True)) ** 2 / squared(star)


@streams
def test_040_predicts_the_sign_before_the_outcome_is_revealed(stream):
    rows, labels, _ = stream
    signs, mistakes, _ = loop(rows, labels)
    rounds = [each for each, _ in played(rows, labels)]
    assert [each.prediction for each in rounds] == [sign or -1 for sign in signs]
    assert [each.outcome for each in rounds] == labels
    assert [each.number - 1 for each in rounds if each.mistake] == mistakes
    perceptron = learner()
    for x, outcome, each in zip(rows, labels, rounds, strict=True):  # whatever comes, or if nothing does, it is the same
        for other in (-1, 1, None):
            assert played([x], [other], copy.deepcopy(perceptron))[0][0].prediction == each.prediction
        played([x], [outcome], perceptron)
    assert learner().begin(len(rows[0]), [-1, 1]).predict(rows[:1]).tolist() == [-1]  # without any round


@streams
def test_041_starts_with_zero(stream):
    rows, labels, _ = stream
    first, _ = played(rows, labels)[0]
    assert first.tie  # zero weights have the score 0, whatever the row
    assert first.mistake
    for weights in (
        learner().begin(len(rows[0]), [-1, 1]).exact_weights().fractions(),
        list(sx.steps(fitted(rows, labels, fit_intercept=False, max_iter=1), rows, labels).start),
        audited(stream).weights(0).fractions(),
    ):
        assert weights == [0] * len(rows[0])


@streams
def test_042_changes_the_weights_at_mistakes_only_and_by_y_x(stream):
    rows, labels, _ = stream
    _, mistakes, weights = loop(rows, labels)
    assert 0 < len(mistakes) < len(rows)
    before = [Fraction(0)] * len(rows[0])
    for i, (each, after) in enumerate(played(rows, labels)):
        assert after == (plus(before, labels[i], rows[i]) if each.mistake else before)
        assert after == weights[i + 1]
        before = after


@streams
def test_043_a_score_of_zero_is_neither_label(stream):
    rows, labels, _ = stream
    signs, mistakes, weights = loop(rows, labels)
    assert signs.count(0) > 0
    perceptron = learner()
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        for outcome in (-1, 1) if signs[i] == 0 else ():
            [(each, after)] = played([x], [outcome], copy.deepcopy(perceptron))
            assert each.tie
            assert each.mistake
            assert after == plus(weights[i], outcome, x)
        played([x], [y], perceptron)
    rounds = [each for each, _ in played(rows, labels)]
    shown_wrong = sum(each.prediction != each.outcome for each in rounds)
    shown_right = sum(each.tie and each.prediction == each.outcome for each in rounds)
    assert shown_wrong + shown_right == len(mistakes)  # what is shown and what is counted differ at 0
    assert "a mistake is counted even if the outcome is what was shown" in squeezed(section("online.md", "A score of zero"))


@streams
def test_044_rounds_and_mistakes_of_one_pass(stream):
    rows, labels, _ = stream
    _, mistakes, _ = loop(rows, labels)
    ledger = audited(stream)
    assert (ledger.rounds, ledger.mistakes) == (len(rows), len(mistakes))
    first = ledger.explain().splitlines()[0]
    assert f"{len(mistakes)} mistakes in {len(rows)} rounds: it was shown each row once." in first
    assert "pass" not in first


@streams
def test_045_a_single_pass_of_fit_is_the_same(stream):
    rows, labels, _ = stream
    _, mistakes, weights = loop(rows, labels)
    perceptron = fitted(rows, labels, fit_intercept=False, max_iter=1, record=True)
    assert learner().get_params() == sx.Perceptron(fit_intercept=False, max_iter=1).get_params()
    assert perceptron.mistakes_.tolist() == mistakes
    assert perceptron.exact_weights().fractions() == weights[-1]


@pytest.mark.parametrize("name", ["whole numbers", "tenths"])
def test_046_plays_and_goes_on_on_the_command_line(tmp_path, monkeypatch, name):
    rows, labels, _ = STREAMS[name]
    signs, mistakes, weights = loop(rows, labels)
    half, first, second, after = len(rows) // 2, tmp_path / "1.json", tmp_path / "2.json", tmp_path / "3.json"
    parts = [written(tmp_path, csv(rows[s], labels[s]), f"{k}.csv") for k, s in enumerate((slice(half), slice(half, None)))]
    with parts[0].open() as typed, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", typed)
        lines = succeeded("play", "--label", "y", "--no-intercept", "--model", first).splitlines()[1:]
    lines += succeeded("play", parts[1], "--from", first, "--model", second).splitlines()[1:]
    said = [line.split(",") for line in lines]
    assert [int(each[1]) for each in said] == [sign or -1 for sign in signs]
    assert [i for i, each in enumerate(said) if each[3] == "yes"] == mistakes
    assert sx.load_model(second).exact_weights().fractions() == weights[-1]
    succeeded("fit", parts[0], "--label", "y", "--from", second, "--model", after)  # until a pass is without a mistake
    w = sx.load_model(after).exact_weights().fractions()
    assert all(y * dot(w, x) > 0 for x, y in zip(rows[:half], labels[:half], strict=True))


@streams
def test_047_each_mistake_adds_gamma_at_least_to_the_product_with_any_separating_vector(stream):
    rows, labels, star = stream
    perceptron = fitted(rows, labels, fit_intercept=False, max_iter=1)
    best = sx.margin(rows, labels, fit_intercept=False, exact=True)
    for w_star, gamma2 in ((star, gamma_squared(rows, labels, star)), (best.weights.fractions(), best.squared)):
        lines = sx.steps(perceptron, rows, labels, star=w_star, mistakes_only=True)
        _, mistakes, weights = loop(rows, labels)
        assert [line.row for line in lines] == mistakes
        for line, i in zip(lines, mistakes, strict=True):
            growth = dot(weights[i + 1], w_star) - dot(weights[i], w_star)
            assert line.alignment == growth > 0
            assert growth**2 >= gamma2 * squared(w_star)
    own = audited(stream, star=star).star
    assert own.margin_squared == gamma_squared(rows, labels, star) <= best.squared
    ledger = audited(stream)  # "increases by gamma": by gamma at least, and here by more
    growth = np.diff(ledger.alignment, prepend=0.0)
    assert np.all(growth >= ledger.margin.lo * (1 - 1e-12))
    assert growth.max() > 1.01 * ledger.margin.hi
    assert "gamma only for the rows nearest" in squeezed(section("slips.md", "By gamma at least"))


@pytest.mark.parametrize("points", [[[-1, -1], [-1, 2], [1, 0], [2, 1]], [["0.1", "0.2"], ["-0.3", "0.1"], ["0.2", "0.4"]]])
def test_048_gamma_is_positive_if_and_only_if_the_rows_are_separable(points):
    rows, found = [[Fraction(number) for number in row] for row in points], set()
    for labels in itertools.product([-1, 1], repeat=len(rows)):
        status, _ = separability(np.asarray(rows, object), labels, False)
        found.add(status)
        if len(set(labels)) < 2:
            continue  # a margin is between two classes
        if status == "separable":
            margin = sx.margin(rows, labels, fit_intercept=False, exact=True)
            assert margin.squared > 0
            assert margin.squared == gamma_squared(rows, labels, margin.weights.fractions())
        else:
            with pytest.raises(sx.NotSeparable) as refused:
                sx.margin(rows, labels, fit_intercept=False)
            against = refused.value.certificate.obstruction
            total = [Fraction(0)] * len(rows[0])
            for i, multiplier in zip(against.rows, against.multipliers, strict=True):
                assert multiplier > 0
                total = plus(total, multiplier * labels[i], rows[i])
            assert total == [0] * len(total)  # no w has a positive product with each of them
    assert len(found) > 1


@streams
def test_049_after_m_mistakes_the_product_is_m_gamma_at_least(stream):
    rows, labels, star = stream
    _, mistakes, weights = loop(rows, labels)
    ledger = audited(stream, star=star)
    assert ledger.weights(ledger.mistakes).fractions() == weights[-1]
    assert dot(weights[-1], star) ** 2 >= len(mistakes) ** 2 * ledger.star.margin_squared * squared(star)
    for held in (ledger, ledger.star):
        assert np.all(held.alignment >= held.alignment_line)
    assert np.isclose(ledger.star.alignment[-1], float(dot(weights[-1], star)) / math.sqrt(squared(star)))
    assert np.isclose(ledger.star.alignment_line[-1], len(mistakes) * ledger.star.margin)


@streams
def test_050_longer_or_at_a_smaller_angle(stream):
    rows, labels, star = stream
    _, mistakes, weights = loop(rows, labels)
    first, last = weights[mistakes[0] + 1], weights[-1]
    held = audited(stream, star=star).star
    product = dot(last, star) / dot(first, star)
    length = math.sqrt(squared(last) / squared(first))
    assert held.growth == pytest.approx((float(product), length, float(product) / length))
    after = [weights[i + 1] for i in mistakes]
    cosines = [dot(w, star) * abs(dot(w, star)) / squared(w) for w in after]  # squares with their signs, times ||w*||^2
    assert (held.cosine_steps, held.cosine_falls) == (len(after) - 1, sum(b < a for a, b in itertools.pairwise(cosines)))


def test_050_the_answer_depends_on_the_rows_and_is_in_words():
    ledger = sx.audit(sx.Perceptron().fit(*AND), *AND)
    alignment, length, cosine = ledger.growth
    assert length > cosine > 1
    text = squeezed(ledger.explain())
    assert f"Longer, or better aligned? From the first mistake to the last w*.w_k has become {alignment:.3g} times" in text
    assert f"{length:.3g} by the length of w_k, times {cosine:.3g} by the cosine" in text
    turned = audited(STREAMS["tenths"]).growth
    assert turned.cosine > turned.length > 1  # the other way round


@streams
def test_051_the_squared_length_grows_by_that_of_the_row_at_most(stream):
    rows, labels, _ = stream
    _, mistakes, weights = loop(rows, labels)
    ledger = audited(stream)
    lines = sx.steps(fitted(rows, labels, fit_intercept=False, max_iter=1), rows, labels, mistakes_only=True)
    total = Fraction(0)
    for k, (i, line) in enumerate(zip(mistakes, lines, strict=True)):
        before, after, x = squared(weights[i]), squared(weights[i + 1]), squared(rows[i])
        assert after == before + 2 * labels[i] * dot(weights[i], rows[i]) + x
        assert (line.cross, line.square) == (after - before - x, x)
        assert after <= before + x
        total += x
        assert ledger.squared_rows[k] == float(total)  # the sharper line
        assert after <= total <= (k + 1) * ledger.radius_squared
    assert ledger.squared_rows[-1] < ledger.squared_length_line[-1]


@streams
def test_052_y_w_x_is_not_positive_and_not_always_negative(stream):
    rows, labels, _ = stream
    _, mistakes, weights = loop(rows, labels)
    products = [labels[i] * dot(weights[i], rows[i]) for i in mistakes]
    assert max(products) == 0  # that of the first mistake, if of no other
    assert audited(stream).zero_scores == products.count(0) >= 1
    text = section("slips.md", "Not positive")
    assert "ledger.zero_scores" in text
    assert "*The Perceptron Algorithm* | `y w.x` is negative at a mistake |" in section(
        "slips.md", "Slips in texts on the perceptron"
    )


@streams
def test_053_features_are_not_mistakes(stream):
    rows, labels, _ = stream
    twice = [[*row, *row] for row in rows]
    one, two = (fitted(each, labels, fit_intercept=False, max_iter=1, record=True) for each in (rows, twice))
    assert (one.n_features_in_, two.n_features_in_) == (len(rows[0]), 2 * len(rows[0]))
    assert one.mistakes_.tolist() == two.mistakes_.tolist()
    assert one.n_mistakes_ == len(loop(rows, labels)[1])
    bounds = [sx.mistake_bound(each, labels, fit_intercept=False, exact=True) for each in (rows, twice)]
    assert len({each.radius_squared / each.margin.squared for each in bounds}) == 1  # the theorem has no m


@streams
def test_054_squared_length_is_at_most_m_times_squared_radius(stream):
    rows, labels, _ = stream
    _, mistakes, weights = loop(rows, labels)
    bound, ledger = sx.mistake_bound(rows, labels, fit_intercept=False), audited(stream)
    lengths = [squared(row) for row in rows]
    assert bound.radius_squared == ledger.radius_squared == max(lengths)
    assert list(bound.longest) == [i for i, length in enumerate(lengths) if length == max(lengths)]
    assert squared(weights[-1]) <= len(mistakes) * max(lengths)
    for k, i in enumerate(mistakes, 1):
        assert ledger.squared_length[k - 1] == float(squared(weights[i + 1])) <= ledger.squared_length_line[k - 1]
        assert ledger.squared_length_line[k - 1] == float(k * max(lengths))


@streams
def test_055_the_chain_with_the_angle(stream):
    rows, labels, star = stream
    _, mistakes, weights = loop(rows, labels)
    held = audited(stream, star=star).star
    radius = max(map(squared, rows))
    for k, i in enumerate(mistakes, 1):
        w = weights[i + 1]
        product, length = dot(w, star), squared(w)
        cosine = math.sqrt(product**2 / (length * squared(star)))
        assert held.cosine[k - 1] == pytest.approx(cosine)
        assert held.alignment[k - 1] == pytest.approx(math.sqrt(length) * cosine)  # (2) is an equality
        assert k**2 * held.margin_squared <= product**2 / squared(star) <= length <= k * radius
    assert "Cauchy-Schwarz" in audited(stream).explain()
    assert "in its line (2) for what is an equality" in squeezed(section("slips.md", "Letters"))


@streams
def test_056_only_the_direction_of_w_star_counts(stream):
    rows, labels, star = stream
    assert np.linalg.norm(audited(stream).margin.direction) == pytest.approx(1)
    known = [audited(stream, star=[factor * number for number in star]).star for factor in (1, 7, Fraction(1, 3))]
    assert {each.margin_squared for each in known} == {gamma_squared(rows, labels, star)}
    assert len({each.bound for each in known}) == 1
    assert all(np.array_equal(each.cosine, known[0].cosine) for each in known)


BOUNDS = {
    name: sx.mistake_bound(rows, labels, fit_intercept=False, exact=True, star=star)
    for name, (rows, labels, star) in STREAMS.items()
}


@settings(max_examples=settings().max_examples // 5)
@given(st.sampled_from(list(STREAMS)), st.randoms(use_true_random=False), st.integers(1, 3))
def test_057_at_most_squared_radius_over_squared_margin_mistakes(name, random, times):
    rows, labels, star = STREAMS[name]
    visits = random.choices(range(len(rows)), k=times * len(rows))  # in any order, some rows often, some never
    seen = [rows[i] for i in visits], [labels[i] for i in visits]
    bound = BOUNDS[name]
    _, mistakes, _ = loop(*seen)
    assert len(mistakes) <= bound.most_mistakes <= bound.radius_squared / bound.margin.squared
    assert len(mistakes) <= bound.radius_squared / gamma_squared(rows, labels, star) <= bound.star_bound
    assert learner().partial_fit(*seen, classes=[-1, 1]).n_mistakes_ == len(mistakes)


@streams
def test_057_the_audit_of_the_online_run_holds(stream):
    ledger = audited(stream)
    assert ledger.holds
    assert ledger.mistakes <= ledger.bound[0] <= ledger.bound[1]
    assert ledger.bound[1] == pytest.approx(float(ledger.radius_squared / ledger.margin.lo_squared))


@pytest.mark.parametrize("flipped", [[3], [0, 5, 11], [7, 8]])
@pytest.mark.parametrize("name", STREAMS)
def test_058_classes_that_are_not_separable_have_bounds_of_one_pass(name, flipped):
    rows, labels, _ = STREAMS[name]
    wrong = [-label if i in flipped else label for i, label in enumerate(labels)]
    rows, labels = rows * 3, labels + wrong + labels  # so that some rows are of both classes
    ledger = audited((rows, labels, None))
    assert ledger.margin is None
    assert ledger.obstruction is not None
    _, mistakes, _ = loop(rows, labels)
    radius = math.sqrt(max(map(squared, rows)))
    Z = np.array(lifted(np.asarray(rows, object), labels, False), float)
    for found in (ledger.online, ledger.hinge):
        assert found.mistakes == len(mistakes) <= found.bound
        if found.direction is None:  # vacuous: as many as there are rows
            assert found.bound >= len(rows)
            continue
        short = np.maximum(0.0, found.gamma - Z @ found.direction)
        assert np.linalg.norm(found.direction) == pytest.approx(1)
        if found is ledger.online:
            assert found.bound == pytest.approx(((radius + np.linalg.norm(short)) / found.gamma) ** 2, rel=1e-6)
        else:
            ratio, loss = radius / found.gamma, short.sum() / found.gamma
            assert found.bound == pytest.approx((ratio + math.sqrt(ratio**2 + 4 * loss)) ** 2 / 4, rel=1e-6)


def test_058_the_perceptron_never_ends_and_the_pocket_has_the_fewest_errors():
    perceptron = fitted(*XOR, max_iter=50)
    assert not perceptron.halted_
    fewest = sx.least_errors(*XOR)
    assert (fewest.lower, fewest.upper) == (1, 1)
    best = sx.Pocket(init="zero", random_state=0, max_updates=200).fit(*XOR)
    assert sum(best.predict(XOR[0]) != XOR[1]) == fewest.upper


@streams
def test_059_mistakes_so_far_round_by_round(tmp_path, stream):
    rows, labels, _ = stream
    _, mistakes, _ = loop(rows, labels)
    curve = [sum(i <= j for i in mistakes) for j in range(len(rows))]
    assert [each.mistakes for each, _ in played(rows, labels)] == curve
    printed = succeeded("play", written(tmp_path, csv(rows, labels)), "--label", "y", "--no-intercept").splitlines()
    assert printed[0] == "round,prediction,outcome,mistake,mistakes"
    assert [int(line.split(",")[-1]) for line in printed[1:]] == curve
