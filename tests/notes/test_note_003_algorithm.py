"""Note 003, Chapter 1, Perceptron, section 2.1: items 105 to 115, the algorithm with a rate eta, and its theorem."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from lecture_data import (
    BITS,
    OVERLAPPING,
    SEPARABLE,
    algorithm,
    chapter,
    exact,
    is_listed_slip,
    lifted_rows,
    plus,
    separable,
    sigma,
    signed_rows,
    square,
    weights_after,
)
from reference import dot, separability
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx


@separable
@pytest.mark.parametrize("eta", ["1/2", "0.1", "3"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::separatrix.RoundingWarning")
def test_105_algorithm_2_1(rows, labels, eta):
    for passes in (1, 3, 9):
        errors, w = algorithm(rows, labels, passes, Fraction(eta))
        perceptron = chapter(eta0=eta, max_iter=passes).fit(rows, labels)
        assert perceptron.mistakes_.tolist() == [i for _, i in errors]
        assert perceptron.exact_weights().fractions() == w


@separable
@pytest.mark.parametrize("eta", [0.1, "0.1", "1/3", 0.05, 0.2])
@pytest.mark.parametrize("tie", ["positive", "negative"])
@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
def test_106_small_rates_have_every_row_right(rows, labels, eta, tie):
    for targets in (labels, [-y for y in labels]):
        perceptron = sx.Perceptron(tie=tie, eta0=eta).fit(rows, targets)
        assert perceptron.converged_
        assert perceptron.predict(rows).tolist() == targets
        plain = sx.Perceptron(tie=tie).fit(rows, targets)
        scaled = [Fraction(eta) * weight for weight in plain.exact_weights().fractions()]
        assert perceptron.exact_weights().fractions() == scaled
        assert np.allclose(perceptron.coef_, np.array(scaled[:-1], float))


def test_106_the_warning_of_rounding_tells_the_truth():
    X, y = sx.examples.load("and")
    with pytest.warns(sx.RoundingWarning, match="give 1 training row another class than the exact weights do"):
        perceptron = chapter(eta0=0.1).fit(X, y)
    rounded = exact([[*perceptron.coef_[0], perceptron.intercept_[0]]])[0]
    wrong = [sigma(dot(rounded, x)) != 2 * out - 1 for x, out in zip(lifted_rows(BITS), y.tolist(), strict=True)]
    assert sum(wrong) == 1
    assert perceptron.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(("rows", "labels"), [SEPARABLE["and"], *OVERLAPPING.values()], ids=["and", *OVERLAPPING])
def test_107_weights_of_a_run_that_has_not_ended(rows, labels):
    """They are there, and the warning says whether more passes would help, as `decide` knows."""
    ends = separability(rows, labels, True)[0] == "separable"
    said = r"A hyperplane separates the classes .* so that it will, after 51 mistakes at most" if ends else "It never will"
    with pytest.warns(ConvergenceWarning, match=said):
        perceptron = chapter(max_iter=2).fit(rows, labels)
    assert not perceptron.halted_
    assert perceptron.exact_weights().fractions() == algorithm(rows, labels, 2)[1]
    assert sx.decide(rows, labels).separable is ends


def overwritten(rows, labels):
    """Algorithm 2.1 to the letter: w_{t+1} is made of w_t at each error, so that the last error of a pass counts."""
    w, last, updates = None, [Fraction(0)] * (len(rows[0]) + 1), 0
    while w != last:
        w = last
        for x, y in zip(lifted_rows(rows), labels, strict=True):
            if sigma(dot(w, x)) != y:
                last = plus(w, x, y)
        updates += w != last
    return last, updates


@separable
def test_108_the_inner_loop_overwrites(rows, labels):
    assert is_listed_slip("One update a pass", "Algorithm 2.1")
    w, updates = overwritten(rows, labels)
    assert not sx.count_errors(w[:-1], w[-1], rows, labels, tie="positive").count  # it is a perceptron, too,
    assert updates <= sx.mistake_bound(rows, labels, exact=True).most_mistakes  # and the theorem bounds it


def test_108_it_is_not_the_algorithm_that_is_described():
    differ = [overwritten(*data)[0] != chapter().fit(*data).exact_weights().fractions() for data in SEPARABLE.values()]
    assert any(differ)


@separable
def test_109_at_most_r_squared_over_gamma_squared_errors(rows, labels):
    perceptron, Z = chapter().fit(rows, labels), signed_rows(rows, labels)
    bound = sx.mistake_bound(rows, labels, tie="positive", exact=True)
    star = bound.margin.weights.fractions()
    assert bound.radius_squared == max(map(square, Z))
    assert bound.margin.squared == min(dot(star, z) for z in Z) ** 2 / square(star)  # attained by w*, and
    course = weights_after(Z, perceptron.mistakes_)
    assert all(bound.margin.squared * k * k <= square(course[k]) for k in range(1, len(course)))  # never above this
    assert perceptron.n_mistakes_ * bound.margin.squared <= bound.radius_squared
    ledger = sx.audit(perceptron, rows, labels)
    assert ledger.holds
    assert ledger.mistakes == perceptron.n_mistakes_ <= bound.most_mistakes
    orders = list(itertools.permutations(range(len(rows))))[::12]
    assert max(chapter(order=order).fit(rows, labels).n_mistakes_ for order in orders) <= bound.most_mistakes


def test_109_of_rows_that_are_not_lifted_it_is_false():
    assert is_listed_slip("Lifted rows", "Theorem 2.3")
    rows, labels = exact([["1/10"], ["-1/10"]]), [1, -1]
    assert min(y * x for (x,), y in zip(rows, labels, strict=True)) == max(abs(x) for (x,) in rows)  # w* = 1: gamma is R
    errors, _ = algorithm(rows, labels, 100)
    assert len(errors) == chapter().fit(rows, labels).n_mistakes_ > 1
    assert len(errors) <= sx.mistake_bound(rows, labels).most_mistakes


@separable
@pytest.mark.parametrize("eta", ["0.1", "1/3", "2"])
@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
def test_110_the_claims_with_the_rate_in_them(rows, labels, eta):
    assert is_listed_slip("A proof without the rate", "Chapter 1, proof of Theorem 2.3")
    bound, rate = sx.mistake_bound(rows, labels, exact=True), Fraction(eta)
    star = bound.margin.weights.fractions()
    least = min(dot(star, z) for z in signed_rows(rows, labels))  # gamma ||w*||
    table = sx.steps(chapter(eta0=eta).fit(rows, labels), rows, labels, mistakes_only=True)
    aligned = [dot(star, step.weights) for step in table]
    for k, step in enumerate(table, 1):
        assert aligned[k - 1] >= k * rate * least
        assert square(step.weights) <= k * rate**2 * bound.radius_squared


def test_110_growth_at_an_error_may_be_less_than_gamma():
    rows, labels = SEPARABLE["and"]
    star = sx.margin(rows, labels, exact=True).weights.fractions()
    _, w = algorithm(rows, labels, 1, Fraction(1, 10))
    errors = len(algorithm(rows, labels, 1)[0])
    assert 0 < dot(star, w) < errors * min(dot(star, z) for z in signed_rows(rows, labels))


@separable
@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
def test_110_the_rate_does_not_matter(rows, labels):
    traces = {tuple(chapter(eta0=eta).fit(rows, labels).mistakes_.tolist()) for eta in ("0.001", 0.1, "1/3", 1, 10**6)}
    assert traces == {tuple(i for _, i in algorithm(rows, labels, 100)[0])}


def test_110_in_plain_floats_it_does():
    """AND with a rate of 0.1, added up in floats, has other mistakes than the algorithm."""
    rows, labels = SEPARABLE["and"]
    w, errors, clean = np.zeros(3), 0, False
    while not clean:
        clean = True
        for row, label in zip(np.array(lifted_rows(rows), float), labels, strict=True):
            if sigma(w @ row) != label:
                w, errors, clean = w + 0.1 * label * row, errors + 1, False
    assert errors != len(algorithm(rows, labels, 100)[0])


@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
def test_110_from_another_start_it_matters():
    rows, labels = SEPARABLE["and"]
    runs = set()
    for eta in (1, Fraction(1, 10)):
        fitted = chapter(eta0=eta).fit(rows, labels, coef_init=[1, -2], intercept_init=3)
        runs.add(tuple(fitted.mistakes_.tolist()))
        assert fitted.mistakes_.tolist() == [i for _, i in algorithm(rows, labels, 500, eta, exact([[1, -2, 3]])[0])[0]]
    assert len(runs) == 2


@separable
def test_111_errors_are_pairs_of_a_pass_and_a_sample(rows, labels):
    table = sx.steps(chapter().fit(rows, labels), rows, labels)
    assert [(step.passed, step.row) for step in table if step.mistake] == algorithm(rows, labels, 100)[0]


@separable
def test_112_the_weights_after_the_k_th_error(rows, labels):
    assert is_listed_slip("The k-th mistake", "Chapter 1")
    ledger = sx.audit(chapter().fit(rows, labels), rows, labels)
    star, course = ledger.margin.weights.fractions(), [ledger.weights(k).fractions() for k in range(ledger.mistakes + 1)]
    least = min(dot(star, z) for z in signed_rows(rows, labels))  # gamma ||w*||
    assert not any(course[0])
    assert course == weights_after(signed_rows(rows, labels), ledger.trace)
    assert all(dot(course[k], star) >= k * least for k in range(len(course)))
    assert dot(course[1 - 1], star) < 1 * least  # w_1 = 0 after the first error, as the note counts


@separable
def test_113_any_separating_w_star_will_do(rows, labels):
    assert is_listed_slip("Any that separates", "Chapter 1, proof of Theorem 2.3")
    perceptron, Z = sx.Perceptron(record=True).fit(rows, labels), signed_rows(rows, labels)
    own = perceptron.exact_weights().fractions()
    ledger = sx.audit(perceptron, rows, labels, star=own)
    scores = [dot(own, z) for z in Z]
    assert ledger.star.margin_squared == min(scores) ** 2 / square(own) <= ledger.margin.hi_squared
    assert scores[ledger.star.row] == min(scores)
    course = weights_after(Z, perceptron.mistakes_)
    assert all(dot(own, w) >= k * min(scores) for k, w in enumerate(course))
    assert perceptron.n_mistakes_ <= ledger.star.bound
    assert ledger.star.bound >= ledger.bound[0]
    assert Fraction(ledger.star.bound) >= ledger.radius_squared / ledger.star.margin_squared
    wrong = [-number for number in own]
    with pytest.raises(ValueError, match="star does not separate the classes"):
        sx.audit(perceptron, rows, labels, star=wrong)


@separable
def test_113_both_claims_are_combined_by_cauchy_and_schwarz(rows, labels):
    assert is_listed_slip("A step by Cauchy and Schwarz", "Chapter 1, proof of Theorem 2.3")
    perceptron, Z = chapter().fit(rows, labels), signed_rows(rows, labels)
    star = sx.margin(rows, labels, exact=True).weights.fractions()
    course = weights_after(Z, perceptron.mistakes_)
    assert all(dot(star, w) ** 2 <= square(star) * square(w) for w in course)
    longer = [100 * number for number in star]  # without ||w*|| on the right it depends on the length of w*
    assert any(dot(longer, w) ** 2 > square(w) for w in course)


def parallel(a, b):
    """Whether one of two vectors is a multiple of the other."""
    return all(a[i] * b[j] == a[j] * b[i] for i, j in itertools.combinations(range(len(a)), 2))


def test_114_an_update_need_not_turn_it():
    assert is_listed_slip("Turned, shifted or left alone", "Figure 1.4")
    unit = sx.Perceptron.of([3, 3], tie="positive", classes=[-1, 1], fit_intercept=False).partial_fit([[1, 1]], [-1])
    assert unit.exact_weights().fractions() == [2, 2]  # the same line through the origin
    assert unit.predict([[1, 1]]).tolist() == [1]  # and the row is wrong still


def test_114_it_turns_unless_the_sample_is_a_multiple_of_the_weights():
    shifted = turned = 0
    for rows, labels in SEPARABLE.values():
        table = sx.steps(chapter().fit(rows, labels), rows, labels, mistakes_only=True)
        before = table.start
        for step in table:
            if any(before[:-1]) and any(step.weights[:-1]):
                stays = parallel(before[:-1], step.weights[:-1])
                assert stays == parallel(before[:-1], rows[step.row])
                shifted, turned = shifted + stays, turned + (not stays)
            before = step.weights
    assert shifted
    assert turned


@separable
def test_114_an_update_turns_the_hyperplane_towards_the_sample(rows, labels):
    """Without a bias, as in the figure: the score of the misclassified sample moves by its squared length."""
    samples = lifted_rows(rows)
    table = sx.steps(chapter(fit_intercept=False).fit(samples, labels), samples, labels, mistakes_only=True)
    assert [step.row for step in table] == [i for _, i in algorithm(rows, labels, 100)[0]]
    before = table.start
    for step in table:
        x, y = samples[step.row], labels[step.row]
        assert y * (dot(step.weights, x) - dot(before, x)) == square(x)
        assert not any(step.weights) or sx.Hyperplane(step.weights).contains([[0] * len(x)]).all()
        before = step.weights


@separable
def test_115_a_sample_that_is_right_leaves_the_weights_alone(rows, labels):
    table = sx.steps(chapter().fit(rows, labels), rows, labels)
    before, right = table.start, 0
    for step in table:
        x, y = lifted_rows(rows)[step.row], labels[step.row]
        assert step.mistake is (sigma(dot(before, x)) != y)
        assert list(step.weights) == (plus(before, x, y) if step.mistake else list(before))
        assert (step.update is None) is not step.mistake
        right += not step.mistake
        before = step.weights
    assert right >= len(rows)
