"""Every quantity of the proof, the best w* or one that is given: by definition, in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from fits import fitted
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted
from strategies import problems
from traces import FEW, TAME, runs, weights_along, with_order

import separatrix as sx
from separatrix.perceptron import trace as walk
from separatrix.theorem.auditing import audit


def is_close(number, square, relative=2.0**-46):
    """Whether a float is the root of a fraction up to rounding."""
    lo, hi = (Fraction(number) * (1 + sign * Fraction(relative)) for sign in (-1, 1))
    return lo * lo <= square <= hi * hi


def signed_cosine_square(star, w):
    """The square of a cosine with its sign, up to the length of star; None for weights 0."""
    P, L2 = dot(star, w), dot(w, w)
    return None if not L2 else P * abs(P) / L2


def falls(star, course, marks):
    """Steps between neighbouring marks, and those in which the cosine falls."""
    pairs = [(signed_cosine_square(star, course[k]), signed_cosine_square(star, course[k + 1]))
             for k in marks if k + 1 in marks]  # fmt: skip
    pairs = [(a, b) for a, b in pairs if a is not None and b is not None]
    return len(pairs), sum(b < a for a, b in pairs)


def assert_holds_with(held, star, course, marks, R2, gamma2, mistakes):
    """What a ledger says of one w*."""
    N2 = dot(star, star)
    assert (held.cosine_steps, held.cosine_falls) == falls(star, course, set(marks))
    if not mistakes:
        assert held.growth is None
        return
    first, last = course[1], course[-1]
    alignment, squared = dot(star, last) / dot(star, first), dot(last, last) / dot(first, first)
    assert is_close(held.growth.alignment, alignment**2)
    assert is_close(held.growth.length, squared)
    assert is_close(held.growth.cosine, alignment**2 / squared)
    run_bound = R2 * dot(star, last) ** 2 / (N2 * dot(last, last) * gamma2)
    assert mistakes <= run_bound <= R2 / gamma2
    assert run_bound <= Fraction(held.run_bound) <= run_bound * (1 + Fraction(2) ** -51)


@given(problems(kinds=TAME, max_rows=7, max_columns=3), runs(), st.booleans(), st.randoms(use_true_random=False))
def test_every_quantity_is_that_of_its_definition(problem, run, thinned, random):
    X, y = problem
    run = with_order(run, len(y))
    perceptron = fitted(X, y, record=True, **run)
    intercept, winner = run["fit_intercept"], {"positive": 1, "negative": -1}.get(run["tie"])
    Z, trace = lifted(X, y, intercept), perceptron.mistakes_.tolist()
    fallible = [i for i, z in enumerate(Z) if any(z) or y[i] != winner] or range(len(Z))
    course = weights_along(Z, trace)
    verdict = sx.decide([Z[i] for i in fallible], [1] * len(fallible), fit_intercept=False)  # they are signed, and lifted
    star = None
    if verdict.separable:  # some separator, a little changed if it may be, in texts
        star = verdict.certificate.separator.exact(False).fractions()
        other = [v + Fraction(random.randint(-9, 9), 100) * max(map(abs, star)) for v in star]
        star = other if all(dot(Z[i], other) > 0 for i in fallible) else star
    with pytest.MonkeyPatch.context() as patch:
        if thinned:
            patch.setattr(walk, "MARKS_PER_SCALE", 10)
            patch.setattr(walk, "MIN_EXACT_MARKS", 0)
            patch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        book = audit(perceptron, X, y, star=star)
    assert book.holds, book.violations
    scores = [dot(course[k], Z[i]) for k, i in enumerate(trace)]
    assert book.zero_scores == scores.count(0)
    R2, rows = max(dot(z, z) for z in Z), Fraction(0)
    sums = []
    for i in trace:
        rows += dot(Z[i], Z[i])
        sums.append(rows)
    for t, k in enumerate(book.k.tolist()):
        L2 = dot(course[k], course[k])
        assert is_close(math.sqrt(book.squared_rows[t]), sums[k - 1])
        assert L2 <= sums[k - 1] <= k * R2
        assert book.weights(k).fractions() == course[k]
    assert book.weights(0).fractions() == course[0]
    marks = book.k.tolist()
    if star is None:
        assert (book.star, book.run_bound, book.growth, book.cosine_steps) == (None, None, None, 0)
        return
    assert_holds_with(book, book.margin.weights.fractions(), course, marks, R2, book.margin.lo_squared, len(trace))
    N2, least = dot(star, star), min(dot(Z[i], star) for i in fallible)
    assert book.star.margin_squared == least * least / N2 <= book.margin.hi_squared
    assert dot(Z[book.star.row], star) == least
    assert_holds_with(book.star, star, course, marks, R2, least * least / N2, len(trace))
    assert Fraction(book.star.bound) >= R2 * N2 / least**2 >= len(trace)
    for t, k in enumerate(marks):
        P = dot(star, course[k])
        assert k * k * least**2 <= P * P
        assert is_close(book.star.alignment_line[t], k * k * least**2 / N2)
        error = Fraction(book.star.alignment_error[t])
        lo, hi = (max(Fraction(0), Fraction(book.star.alignment[t]) + sign * error) for sign in (-1, 1))
        assert lo * lo <= P * P / N2 <= hi * hi
        if book.exact[t]:
            assert is_close(book.star.cosine[t], P * P / (N2 * dot(course[k], course[k])))
        assert is_close(book.star.cosine_line[t], k * least**2 / N2 / R2)


@given(problems(kinds=TAME, max_rows=6, max_columns=3), st.booleans(), st.lists(st.integers(-3, 3), min_size=4, max_size=9))
@FEW
def test_a_star_with_a_row_wrong_is_refused_with_the_row(problem, intercept, numbers):
    X, y = problem
    perceptron = fitted(X, y, max_iter=2, fit_intercept=intercept)
    star = (numbers * 3)[: X.shape[1] + intercept]
    scores = [dot(list(map(Fraction, star)), z) for z in lifted(X, y, intercept)]
    if min(scores) > 0:
        assert audit(perceptron, X, y, star=star).star.row == scores.index(min(scores))
        return
    with pytest.raises(ValueError, match="star does not separate the classes") as refused:
        audit(perceptron, X, y, star=star)
    assert f"row {scores.index(min(scores))} wrong" in str(refused.value)
    with pytest.raises(ValueError, match="star does not separate"):
        sx.mistake_bound(X, y, fit_intercept=intercept, star=star)


def test_a_star_may_be_decimals_and_must_have_its_size():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron().fit(X, y)
    own = audit(perceptron, X, y, star=["0.1", "0.1", "-0.15"]).star
    assert own.weights.fractions() == [Fraction(1, 10), Fraction(1, 10), Fraction(-3, 20)]
    assert own.margin_squared == Fraction(1, 17)
    with pytest.raises(ValueError, match="2 numbers, expected 3: one for each feature, and the intercept last"):
        audit(perceptron, X, y, star=[1, 1])
    with pytest.raises(ValueError, match=r"row 0 wrong.* is 0, and must be above 0"):
        audit(perceptron, X, y, star=[0, 0, 0])
    with pytest.raises(ValueError, match="star is 'a'"):
        audit(perceptron, X, y, star=["a", "1", "1"])
    for k in (-1, 19, 2.0):
        with pytest.raises(ValueError, match="from 0 to 18"):
            audit(perceptron, X, y).weights(k)


def test_the_numbers_of_and():
    X, y = sx.examples.load("and")
    book = audit(sx.Perceptron().fit(X, y), X, y, star=[3, 2, -4])
    assert (book.zero_scores, book.cosine_steps, book.cosine_falls) == (13, 17, 8)
    assert book.run_bound == pytest.approx(50.07, abs=0.005)
    assert [round(factor, 2) for factor in book.growth] == [7.33, 5.39, 1.36]
    assert book.squared_rows[-1] == 41
    assert book.star.bound == 87
    text = book.explain()
    for words in (
        "exactly 0 at 13 of them",
        "7.33 times as large: 5.39 by the length of w_k, times 1.36 by the cosine. The cosine fell in 8 of the 17 steps",
        "R^2 cos(w*, w_k)^2 / gamma^2 is 50.069",
        "Cauchy-Schwarz",
        "more than 87 mistakes are impossible; with the best one, more than 51",
    ):
        assert words in text
    assert r"\sum \|z_{i}\|^2" in book.explain("latex")


def test_a_start_and_weights_have_their_sharper_line_and_weights():
    X, y = sx.examples.load("and")
    start = {"coef_init": [1.0, 1.0], "intercept_init": 0.5}
    perceptron = fitted(X, y, record=True, eta0=0.25, sample_weight=[1, 2, 3, 4], **start)
    book = audit(perceptron, X, y, sample_weight=[1, 2, 3, 4], star=[1, 1, "-1.5"], **start)
    Z, steps = lifted(X, np.where(y == 1, 1, -1), True), [Fraction(c, 4) for c in (1, 2, 3, 4)]
    course = weights_along(Z, perceptron.mistakes_, steps, [1, 1, Fraction(1, 2)])
    total = Fraction(9, 4)
    for t, k in enumerate(book.k.tolist()):
        i = perceptron.mistakes_[t]
        total += steps[i] ** 2 * dot(Z[i], Z[i])
        assert book.squared_rows[t] == total >= dot(course[k], course[k])
        assert book.weights(k).fractions() == course[k]
    assert book.holds
    assert book.run_bound is book.star.run_bound is None
    assert "w_0 plus a sum of k rows, each times its step c" in book.explain()


def test_false_stars_and_lines_are_found_out(monkeypatch):
    from separatrix.theorem import lengths, stars

    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron().fit(X, y)
    truth = stars.least_scores
    monkeypatch.setattr(stars, "least_scores", lambda *given: [(score * 100, i) for score, i in truth(*given)])
    found = audit(perceptron, X, y, star=[3, 2, -4]).violations
    assert any(text.startswith("With the w* given: after 1 mistakes w*.w_k is below") for text in found)
    monkeypatch.undo()
    square = lengths.squared_length
    monkeypatch.setattr(lengths, "squared_length", lambda *row: square(*row) / 4)
    assert any("above the sum of the ||z_i||^2" in text for text in audit(perceptron, X, y).violations)
    monkeypatch.setattr(lengths, "squared_length", lambda *row: square(*row) * 4)
    assert any("the sum of the ||z_i||^2 is above" in text for text in audit(perceptron, X, y).violations)


# What is said of runs of other kinds.


def test_rounds_are_called_rounds():
    X, y = sx.examples.load("iris-setosa")
    online = sx.Perceptron()
    for x, label in zip(X, y, strict=True):
        online.partial_fit([x], [label], classes=np.unique(y))
    book = audit(online, X, y)
    assert book.rounds == 150
    assert "2 mistakes in 150 rounds: it was shown each row once." in book.explain()
    parts = sx.Perceptron(record=True)
    for part in np.array_split(np.arange(150), 4):
        parts.partial_fit(X[part], y[part], classes=np.unique(y))
    assert audit(parts, X, y).rounds == 150
    assert audit(sx.Perceptron().fit(X, y), X, y).rounds is None
    twice = np.r_[0:150, 0:150]
    again = sx.Perceptron().partial_fit(X[twice], y[twice], classes=np.unique(y))
    assert audit(again, X[twice], y[twice]).rounds == 300
    X, y = sx.examples.load("xor")
    drawn = audit(fitted(X, y, max_iter=1, order="random", random_state=0), X, y)  # as many updates as rows
    assert drawn.mistakes == 4
    assert drawn.updates.max() > 1
    assert "4 mistakes in 1 pass and was stopped" in drawn.explain()


def test_a_run_that_ended_is_not_told_why_it_does_not_end():
    X, y = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1, 1, 0]
    book = audit(fitted(X, y, fit_intercept=False, tie="positive"), X, y)
    assert book.converged
    assert book.margin is None
    text = book.explain()
    assert "does not end" not in text
    assert "Why a run need not end, though this one did" in text


def test_bounds_of_probabilities_are_at_most_1():
    for name in ("iris-virginica", "xor"):
        X, y = sx.examples.load(name)
        promise = audit(fitted(X, y, max_iter=3), X, y).generalization(delta=1e-9)
        assert all(bound.value is None or 0 <= bound.value <= 1 for bound in promise.bounds)
    assert [bound.value for bound in promise.bounds if bound.name != "leave-one-out"] == [1, 1]
    assert "vacuous" in promise.explain()
