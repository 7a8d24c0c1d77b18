"""Note 004, Liang, Perceptron Learning Algorithm, up to claim 1: items 116 to 126.

A score above the threshold approves, an equal one does not; the threshold is minus the weight of x0 = 1.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from commands import succeeded, written
from lecture_data import BITS, SEPARABLE, as_table, exact, plus, separable, signed_rows, square, weights_after
from reference import dot, perceptron, separability

import separatrix as sx

BANK = [2, -3, 4, -10, 0, 4, 8, 0, -6, -16], 40  # points, and the threshold


def liang(**parameters):
    return sx.conventions.get("liang").perceptron(record=True, **parameters)


def next_mistakes(rows, labels, most=10**6):
    """Find the next mistake, correct it, until a full cycle is without: the corrections, and W with x0 = 1 in front."""
    X, n = [[Fraction(1), *row] for row in rows], len(rows)
    W, corrected, i, clean = [Fraction(0)] * len(X[0]), [], 0, 0
    while clean < n and len(corrected) < most:
        if (1 if dot(W, X[i]) > 0 else -1) != labels[i]:
            W, clean = plus(W, X[i], labels[i]), 0
            corrected.append(i)
        else:
            clean += 1
        i = (i + 1) % n
    return corrected, W


# ---- 1 and 2: the problem, and the hypothesis set


def test_116_credit_cards_are_a_yes_or_no_question(credit):
    X, y = sx.examples.load("credit")
    points = X @ BANK[0]
    assert set(y.tolist()) == {"yes", "no"}
    assert np.where(points > BANK[1], "yes", "no").tolist() == y.tolist()
    data = sx.read_data(credit, "approved")  # as a table with words
    assert data.y.tolist() == y.tolist()
    assert np.array_equal(data.X, X)


@separable
def test_117_approved_above_a_threshold(tmp_path, rows, labels):
    """What is learnt, as the command line writes it: approve those whose weighted score is above the threshold."""
    if any(number.denominator == 3 for row in rows for number in row):
        rows = [[3 * number for number in row] for row in rows]  # thirds are no decimals
    path = written(tmp_path, as_table(rows, ["no" if label < 0 else "yes" for label in labels]))
    said = succeeded("fit", path, "--label", "y", "--tie", "negative")
    rule = said[said.index("yes if\n") :].split("\n\n")[0].splitlines()[1:]
    *terms, (sign, threshold) = [line.split() if line.split()[0] == ">" else line for line in rule]
    assert sign == ">"
    for row, label in zip(rows, labels, strict=True):
        score = sum(Fraction("".join(term.split("*")[0].split())) * row[int(term.rsplit("x", 1)[1]) - 1] for term in terms)
        assert (score > Fraction(threshold)) is (label > 0)


def test_117_the_rule_of_the_bank_beside_the_learnt_one():
    X, y = sx.examples.load("credit")
    learnt = liang().fit(X, y)
    bank = sx.Perceptron.of(BANK[0], threshold=BANK[1], classes=["no", "yes"], tie="negative")
    assert bank.predict(X).tolist() == learnt.predict(X).tolist() == y.tolist()
    by_hand = [sum(map(int.__mul__, BANK[0], map(int, row))) > BANK[1] for row in X.tolist()]
    assert (bank.predict(X) == "yes").tolist() == by_hand
    applicant = np.array([[60, 0, 5, 0, 1, 0, 1, 0, 0, 0]])
    assert bank.predict(applicant) == ["yes"]
    assert bank.hyperplane().score(applicant)[0] == 120 + 20 + 8 - 40


@separable
def test_118_the_threshold_is_minus_w0(rows, labels):
    learnt = liang().fit(rows, labels)
    *w, w0 = learnt.exact_weights().fractions()
    assert learnt.hyperplane().threshold == -w0
    assert -learnt.intercept_[0] == float(-w0)
    one, other = sx.Perceptron.of(w, threshold=-w0, tie="negative"), sx.Perceptron.of(w, w0, tie="negative")
    assert one.exact_weights().fractions() == other.exact_weights().fractions() == [*w, w0]
    assert [score > -w0 for score in (dot(w, row) for row in rows)] == (other.predict(rows) == other.classes_[1]).tolist()


def test_119_a_score_equal_to_the_threshold_is_a_denial(tmp_path):
    unit = {tie: sx.Perceptron.of(["0.1", "0.2"], threshold="0.3", tie=tie, classes=["deny", "approve"])
            for tie in ("negative", "positive")}  # fmt: skip
    at = [[1, 1], [3, 0], [Fraction(1, 3), Fraction(4, 3)]]
    assert unit["negative"].predict(at).tolist() == ["deny"] * 3
    assert unit["positive"].predict(at).tolist() == ["approve"] * 3
    assert unit["negative"].predict([[Fraction("1.001"), 1]]) == ["approve"]
    path = written(tmp_path, as_table(*SEPARABLE["and"]))
    for tie, sign in (("negative", ">"), ("positive", ">="), ("update", ">")):  # the printed rule says the same
        said = succeeded("fit", path, "--label", "y", "--tie", tie)
        assert f"\n  {sign} " in said
        assert said.count("\n  >") == 1


@separable
def test_120_the_threshold_is_the_weight_of_x0(rows, labels):
    in_front = [[1, *row] for row in rows]
    learnt = liang().fit(rows, labels)
    first = liang(fit_intercept=False).fit(in_front, labels)
    corrected, W = next_mistakes(rows, labels)
    assert first.mistakes_.tolist() == learnt.mistakes_.tolist() == corrected
    assert first.exact_weights().fractions() == W
    *w, w0 = learnt.exact_weights().fractions()
    assert [w0, *w] == W


@separable
def test_121_good_and_bad_hypotheses(rows, labels):
    counts = set()
    for *w, b in itertools.product([-2, 0, Fraction(1, 2), 3], repeat=len(rows[0]) + 1):
        wrong = [i for i, row in enumerate(rows) if (1 if dot(exact([w])[0], row) + b > 0 else -1) != labels[i]]
        found = sx.count_errors(w, b, rows, labels, tie="negative")
        assert found.rows.tolist() == wrong
        assert found.rate == Fraction(len(wrong), len(rows))
        counts.add(found.count)
    assert len(counts) > 2
    *w, b = sx.decide(rows, labels).certificate.separator.exact(True).fractions()
    assert sx.count_errors(w, b, rows, labels).count == 0
    assert sx.perceptron_loss(w, b, rows, labels) == 0


# ---- 3 The algorithm


@separable
def test_122_correct_the_next_mistake_until_a_cycle_has_none(rows, labels):
    corrected, (w0, *w) = next_mistakes(rows, labels)
    learnt = liang().fit(rows, labels)
    assert learnt.halted_
    assert learnt.mistakes_.tolist() == corrected
    assert learnt.exact_weights().fractions() == [*w, w0]
    table = sx.steps(learnt, rows, labels)
    assert not any(step.mistake for step in table[-len(rows) :])


def test_122_of_the_credit_cards():
    X, y = sx.examples.load("credit")
    Z, W, corrected, clean, i = np.column_stack([np.ones(200), X]).astype(int), np.zeros(11, int), [], 0, 0
    while clean < 200:
        label = 1 if y[i] == "yes" else -1
        clean += 1
        if (1 if W @ Z[i] > 0 else -1) != label:
            W, clean = W + label * Z[i], 0
            corrected.append(i)
        i = (i + 1) % 200
    learnt = liang().fit(X, y)
    assert learnt.mistakes_.tolist() == corrected
    assert [learnt.intercept_[0], *learnt.coef_[0]] == W.tolist()


@separable
@pytest.mark.parametrize("order", ["shuffle", "random", "given"])
def test_123_other_ways_to_find_the_next_mistake(rows, labels, order):
    order = list(range(len(rows)))[::-1] if order == "given" else order
    trace, weights, _, ended = perceptron(rows, labels, order=order, tie="negative", random_state=3)
    learnt = liang(order=order, random_state=3).fit(rows, labels)
    assert ended
    assert learnt.halted_
    assert learnt.mistakes_.tolist() == trace
    assert learnt.exact_weights().fractions() == weights


@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_124_halts_only_if_separable(tie, intercept):
    """Of all functions of two bits: a run that halts has a separator under its rule; without a bias that may be weak."""
    weak = 0
    for labels in itertools.product([-1, 1], repeat=4):
        if len(set(labels)) == 1:
            continue
        verdict = sx.decide(BITS, labels, fit_intercept=intercept, tie=tie)
        learnt = sx.Perceptron(fit_intercept=intercept, tie=tie, max_iter=60, record=True).fit(BITS, labels)
        strict = separability(BITS, labels, intercept)[0] == "separable"
        assert not learnt.halted_ or verdict.separable
        assert learnt.halted_ or not verdict.always_halts
        assert str(verdict.strict) == separability(BITS, labels, intercept)[0]
        assert verdict.separable or not strict
        if tie == "update" or intercept:
            assert learnt.halted_ is verdict.separable is strict
        elif learnt.halted_ and not strict:
            weak += 1
            assert "does not end" not in sx.audit(learnt, BITS, labels).explain()
    assert bool(weak) is (tie != "update" and not intercept)


def test_124_separable_and_yet_not_halting():
    X, y = exact([[-1, -2], [2, 0], [-2, 0]]), [-1, 1, 1]
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive")
    assert [1 if dot(exact([[0, 1]])[0], row) >= 0 else -1 for row in X] == y
    assert verdict.separable
    assert not verdict.always_halts
    assert not perceptron(X, y, tie="positive", intercept=False, max_iter=200)[3]


@separable
def test_125_a_perfect_w_has_every_row_right_by_something(rows, labels):
    Z, margin = signed_rows(rows, labels), sx.margin(rows, labels, exact=True)
    star = margin.weights.fractions()
    least = min(dot(star, z) for z in Z)
    assert least > 0
    assert margin.squared == least**2 / square(star)
    assert 0 < margin.lo <= margin.hi
    assert Fraction(margin.lo) ** 2 <= margin.squared <= Fraction(margin.hi) ** 2
    sx.verify(margin.at_least, rows, labels)
    sx.verify(margin.at_most, rows, labels)


@separable
def test_126_the_product_with_w_star_grows_at_each_update(rows, labels):
    learnt, Z = liang().fit(rows, labels), signed_rows(rows, labels)
    table = sx.steps(learnt, rows, labels, mistakes_only=True)
    least = min(dot(table.star, z) for z in Z)
    before = table.start
    for step in table:
        grown = dot(table.star, step.weights) - dot(table.star, before)
        assert grown == step.alignment == dot(table.star, Z[step.row]) >= least > 0
        before = step.weights
    ledger = sx.audit(learnt, rows, labels)
    assert np.all(np.diff(ledger.alignment) > 0)
    star = ledger.margin.weights.fractions()
    exactly = [float(dot(star, w)) / float(square(star)) ** 0.5 for w in weights_after(Z, learnt.mistakes_)[1:]]
    assert np.allclose(ledger.alignment, exactly)
