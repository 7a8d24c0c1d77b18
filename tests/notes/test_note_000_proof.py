"""What Press's notes state of convergence, item by item, on rows of one's own; the rest is in ``test_note_000.py``."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import reference
from commands import succeeded
from hypothesis import given
from press import ANY, AS_PRESS, DECIMALS, SETS, WHOLE, audited, each, fit, fractions, is_wrong, literally, signed, written
from reference import dot
from slips import assert_listed
from traces import FEW, weights_along

import separatrix as sx

STARS = {"decimals": (3, -2), "thirds": (5, -3), "whole": (4, -3, 2), "and, with a 1": (3, 2, -4)}
"""For each set of rows weights of one's own that separate them, not the best."""

with_stars = pytest.mark.parametrize(("rows", "labels", "star"), [(*SETS[name], STARS[name]) for name in SETS], ids=SETS)


def course(rows, labels):
    """The weights w_0, w_1 and so on, each after one mistake more, and the rows erred on, of the listing itself."""
    trace = literally(rows, labels)[0]
    return weights_along(signed(rows, labels), trace), trace


def exact_star(star):
    return [Fraction(number) for number in star]


# Separability.


def test_012_with_at_least_zero_everything_is_separable():
    assert_listed("Press, definition", "greater-than-zero")
    xor, touching = sx.examples.load("xor-signs"), ([[-1, 0], [0, 1], [0, 1], [1, 2]], [-1, -1, 1, 1])
    for rows, labels in (xor, touching):
        Z = signed(fractions(np.asarray(rows).tolist()), labels)
        assert all(dot([Fraction(0)] * 2, z) >= 0 for z in Z)
        assert not sx.decide(rows, labels, fit_intercept=False).separable


@given(ANY)
@FEW
def test_012_quasi_separable_is_what_at_least_zero_gives_with_weights_other_than_zero(problem):
    X, y = problem
    verdict = sx.decide(X, y, fit_intercept=False)
    assert verdict.status == reference.separability(X, y, False)[0]
    if verdict.status != "overlapping":
        scores = [dot(list(verdict.certificate.separator.weights), z) for z in reference.lifted(X, y, False)]
        assert min(scores) >= 0
        assert max(scores) > 0
        assert (min(scores) > 0) == verdict.separable


@given(ANY)
@FEW
def test_013_separable_in_the_sense_of_this_unit(problem):
    X, y = problem
    verdict, rows = sx.decide(X, y, fit_intercept=False, tie="positive"), fractions(X.tolist())
    if verdict.separable:
        w = list(verdict.certificate.separator.weights)
        assert not any(is_wrong(w, row, label) for row, label in zip(rows, y, strict=True))
    else:
        proof = verdict.certificate.obstruction
        Z = reference.lifted(X, y, False)
        parts = [[m * cell for cell in Z[i]] for i, m in zip(proof.rows, proof.multipliers, strict=True)]
        assert [sum(column) for column in zip(*parts, strict=True)] == [0] * len(Z[0])
        assert min(proof.multipliers) > 0
        assert -1 in y[list(proof.rows)]  # whose score would have to be below 0, and no other is above it


def test_013_nor_without_a_bias(tmp_path):
    succeeded("examples", "nor", "--output", tmp_path / "nor.csv")
    model, rule = tmp_path / "nor.json", ("--label", "output", *AS_PRESS)
    succeeded("fit", tmp_path / "nor.csv", *rule, "--model", model)
    table = pd.read_csv(tmp_path / "nor.csv")
    assert sx.load_model(model).predict(table[["x1", "x2"]]).tolist() == table["output"].tolist() == [1, 0, 0, 0]
    said = json.loads(succeeded("decide", tmp_path / "nor.csv", *rule, "--json"))
    assert (said["separable"], said["strict"], said["always_halts"]) == (True, "quasi-separable", True)
    text = succeeded("audit", tmp_path / "nor.csv", *rule)
    assert "came to a pass without one" in text
    assert "does not end" not in text


# The theorem and its letters.


@pytest.mark.parametrize("name", ["thirds", "and, with a 1"])
def test_014_separable_rows_let_it_converge_in_whatever_order(name):
    rows, labels = (part[:5] for part in SETS[name])
    bound = sx.mistake_bound(rows, labels, fit_intercept=False, tie="positive", exact=True)
    counts: dict[int, int] = {}
    for order in itertools.permutations(range(len(rows))):
        trace, _, _, ended = literally([rows[i] for i in order], [labels[i] for i in order])
        assert ended
        assert len(trace) <= bound.radius_squared / bound.margin.squared
        counts[len(trace)] = counts.get(len(trace), 0) + 1
    assert sx.exercises.worst_order(rows, labels, fit_intercept=False, tie="positive").counts == counts


@with_stars
def test_015_a_multiple_of_a_solution_is_one(rows, labels, star):
    times = [Fraction(7, 3) * number for number in star]
    assert all(dot(times, z) > 0 for z in signed(rows, labels))
    ledgers = [audited(rows, labels, star=w).star for w in (star, times)]
    assert ledgers[0].margin_squared == ledgers[1].margin_squared
    assert ledgers[0].bound == ledgers[1].bound
    best = sx.margin(rows, labels, fit_intercept=False)
    assert math.hypot(*best.direction) == pytest.approx(1)
    w = np.array(list(map(float, best.weights.fractions())))
    assert best.direction == pytest.approx(w / math.hypot(*w))


@with_stars
def test_016_the_margin_of_a_solution_of_ones_own(rows, labels, star):
    w = exact_star(star)
    m_squared = min(abs(dot(w, row)) for row in rows) ** 2 / dot(w, w)
    ledger = audited(rows, labels, star=star)
    assert ledger.star.margin_squared == m_squared
    assert abs(dot(w, rows[ledger.star.row])) ** 2 / dot(w, w) == m_squared
    R_squared = max(dot(row, row) for row in rows)
    assert ledger.star.bound == pytest.approx(float(R_squared / m_squared))
    assert ledger.mistakes <= R_squared / m_squared
    assert m_squared <= ledger.margin.hi_squared
    with pytest.raises(ValueError, match=r"It has row \d+ wrong"):  # though its least |w*.x| is as large
        audited(rows, labels, star=[-number for number in star])


def test_016_the_rule_of_a_bank(tmp_path):
    succeeded("examples", "credit", "--output", tmp_path / "credit.csv")
    rule = (2, -3, 4, -10, 0, 4, 8, 0, -6, -16, -40)
    arguments = ("audit", tmp_path / "credit.csv", "--label", "approved", "--star", ",".join(map(str, rule)), "--json")
    said = json.loads(succeeded(*arguments))
    X = sx.examples.get("credit").X
    rows = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    w = exact_star(rule)
    m_squared = min(abs(dot(w, row)) for row in rows) ** 2 / dot(w, w)
    assert Fraction(said["star"]["margin_squared"]) == m_squared
    assert said["star"]["bound"] == pytest.approx(float(max(dot(row, row) for row in rows) / m_squared))
    assert said["mistakes"] <= said["bound"][1] < said["star"]["bound"]


@each
def test_017_the_radius(rows, labels):
    squares = [dot(row, row) for row in rows]
    before = sx.mistake_bound(rows, labels, fit_intercept=False, tie="positive")
    assert before.radius_squared == audited(rows, labels).radius_squared == max(squares)
    assert before.longest == tuple(i for i, square in enumerate(squares) if square == max(squares))
    assert before.radius == pytest.approx(math.sqrt(max(squares)))


@each
def test_018_the_weights_after_each_mistake(rows, labels):
    ledger, (weights, trace) = audited(rows, labels), course(rows, labels)
    assert ledger.mistakes == len(trace) > 2
    for k, w in enumerate(weights):
        assert ledger.weights(k).fractions() == w


@each
def test_019_the_step_to_the_k_th_weights_is_the_row_of_the_k_th_mistake(rows, labels):
    assert_listed("Press", "the-k-th-mistake")
    ledger, trace, Z = audited(rows, labels), fit(rows, labels).mistakes_.tolist(), signed(rows, labels)
    w = [ledger.weights(k).fractions() for k in range(len(trace) + 1)]
    steps = [[b - a for a, b in zip(*pair, strict=True)] for pair in itertools.pairwise(w)]
    assert steps == [Z[i] for i in trace]
    assert steps[1:] != [Z[i] for i in trace[:-1]]  # as the notes have it; and there is no mistake before the first


# The proof.


@with_stars
def test_020_each_mistake_adds_at_least_m(rows, labels, star):
    w = exact_star(star)
    m = min(abs(dot(w, row)) for row in rows)  # for a w* that is not of length 1, all is as much longer
    (weights, trace), table = course(rows, labels), sx.steps(fit(rows, labels), rows, labels, star=star, mistakes_only=True)
    assert [step.row for step in table] == trace
    for before, after, step in zip(weights, weights[1:], table, strict=False):
        assert step.alignment == dot(w, after) - dot(w, before) == labels[step.row] * dot(w, rows[step.row])
        assert step.alignment >= m > 0


@with_stars
def test_021_by_induction_at_least_k_m(rows, labels, star):
    w = exact_star(star)
    m, (weights, trace) = min(abs(dot(w, row)) for row in rows), course(rows, labels)
    ledger = audited(rows, labels, star=star)
    length = math.sqrt(dot(w, w))
    for k in range(1, len(trace) + 1):
        assert dot(w, weights[k]) >= k * m
        assert ledger.star.alignment[k - 1] == pytest.approx(float(dot(w, weights[k])) / length)
        assert ledger.star.alignment_line[k - 1] == pytest.approx(k * float(m) / length)
    assert (ledger.alignment >= ledger.alignment_line * (1 - 1e-15)).all()


@with_stars
def test_022_cauchy_and_schwarz(rows, labels, star):
    w, ledger = exact_star(star), audited(rows, labels, star=star)
    weights, _ = course(rows, labels)
    for k, w_k in enumerate(weights[1:]):
        assert dot(w, w_k) ** 2 <= dot(w, w) * dot(w_k, w_k)
        if any(w_k):
            cosine = float(dot(w, w_k)) / math.sqrt(dot(w, w) * dot(w_k, w_k))
            assert ledger.star.cosine[k] == pytest.approx(cosine)
    assert (np.sqrt(ledger.squared_length) >= ledger.alignment * (1 - 1e-15)).all()
    assert "Cauchy-Schwarz" in ledger.explain()


@each
def test_023_the_square_expanded(rows, labels):
    weights, trace = course(rows, labels)
    table = sx.steps(fit(rows, labels), rows, labels, mistakes_only=True)
    assert [step.row for step in table] == trace
    for before, after, step in zip(weights, weights[1:], table, strict=False):
        y, x = labels[step.row], rows[step.row]
        assert step.cross == 2 * y * dot(before, x) <= 0
        assert step.square == y * y * dot(x, x)
        assert dot(after, after) == dot(before, before) + step.square + step.cross


@each
def test_024_the_middle_term_is_not_positive_rather_than_negative(rows, labels):
    assert_listed("Press", "not-positive")
    (weights, trace), ledger = course(rows, labels), audited(rows, labels)
    scores = [labels[i] * dot(w, rows[i]) for w, i in zip(weights, trace, strict=False)]
    assert max(scores) == scores[0] == 0  # the first mistake is made with zero weights
    assert ledger.zero_scores == scores.count(0)
    assert ledger.zero_scores < ledger.mistakes
    assert f"It is exactly 0 at {ledger.zero_scores} of them, and negative at the others." in ledger.explain()


@each
def test_025_the_square_of_the_length_is_at_most_k_times_that_of_the_radius(rows, labels):
    (weights, trace), ledger = course(rows, labels), audited(rows, labels)
    R_squared = max(dot(row, row) for row in rows)
    for k in range(1, len(trace) + 1):
        square, rows_squared = dot(weights[k], weights[k]), sum(dot(rows[i], rows[i]) for i in trace[:k])
        assert square <= rows_squared <= k * R_squared
        found = ledger.squared_length[k - 1], ledger.squared_rows[k - 1], ledger.squared_length_line[k - 1]
        assert found == pytest.approx([float(square), float(rows_squared), float(k * R_squared)])


@pytest.mark.parametrize(("rows", "labels"), [DECIMALS, WHOLE], ids=["decimals", "whole"])
def test_026_the_chain_and_the_bound(rows, labels, tmp_path):
    data = written(tmp_path / "own.csv", rows, labels)
    arguments = ("audit", data, "--label", "y", *AS_PRESS)
    said, (weights, trace) = json.loads(succeeded(*arguments, "--json")), course(rows, labels)
    margin = sx.margin(rows, labels, fit_intercept=False, exact=True)
    w, R_squared = margin.weights.fractions(), max(dot(row, row) for row in rows)
    for k, w_k in enumerate(weights[1:], 1):
        chain = [k * R_squared, dot(w_k, w_k), dot(w, w_k) ** 2 / dot(w, w), k * k * margin.squared]
        assert chain == sorted(chain, reverse=True)
        names = ("squared_length_line", "squared_length", "alignment", "alignment_line")
        found = [said["per_mistake"][name][k - 1] for name in names]
        assert [*found[:2], *(value**2 for value in found[2:])] == pytest.approx(list(map(float, chain)))
    assert said["mistakes"] == len(trace) <= R_squared / margin.squared
    assert said["bound"][0] <= R_squared / margin.squared <= said["bound"][1]
    text = succeeded(*arguments)
    assert "k gamma <= w*.w_k <= ||w_k|| <= sqrt(k) R" in text
    assert f"Here R^2 / gamma^2 is {float(R_squared / margin.squared):.6g}" in text
