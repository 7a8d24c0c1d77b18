"""The audit of the convergence theorem, against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from fits import fitted
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted
from sklearn.svm import LinearSVC
from strategies import problems
from traces import FEW, TAME, runs, weights_along, with_order

import separatrix as sx
from separatrix.perceptron import trace as walk
from separatrix.theorem.auditing import audit


def is_near(number, exact, relative=2.0**-50):
    """Whether a float is a fraction up to rounding; infinite or tiny where float64 ends."""
    if math.isinf(number):
        return abs(exact) > Fraction(2) ** 1023
    return abs(Fraction(number) - exact) <= abs(exact) * Fraction(relative) + Fraction(2) ** -1073


def is_near_root(number, square, relative=2.0**-49):
    """The same for the root of a fraction."""
    if math.isinf(number):
        return square > Fraction(2) ** 2045
    lo, hi = (
        max(Fraction(0), Fraction(number) * (1 + sign * Fraction(relative)) + sign * Fraction(2) ** -1073)
        for sign in (-1, 1)
    )
    return lo * lo <= square <= hi * hi


WINNERS = {"positive": 1, "negative": -1}
"""The label that a score of 0 predicts; no row of zeros that has it is ever wrong."""


def assert_is_the_truth(book, X, y, trace, run):
    """Compare a ledger of a plain run with a computation in fractions."""
    intercept, winner = run["fit_intercept"], WINNERS.get(run["tie"])
    Z = lifted(X, y, intercept)
    course = weights_along(Z, trace)
    R2 = max(dot(z, z) for z in Z)
    assert book.radius_squared == R2
    assert book.mistakes == len(trace)
    assert book.updates.tolist() == np.bincount(trace, minlength=len(Z)).tolist() if trace else not book.updates.any()
    if book.margin is not None:
        star = book.margin.weights.fractions()
        N2, g2 = dot(star, star), book.margin.lo_squared
        fallible = [z for z, label in zip(Z, y, strict=True) if any(z) or label != winner]  # others are never wrong
        assert min(dot(z, star) for z in fallible) ** 2 >= g2 * N2
        lo, hi = book.bound
        assert Fraction(lo) <= R2 / book.margin.hi_squared
        assert len(trace) <= R2 / g2
        assert (
            R2 / g2 > Fraction(2) ** 1023
            if math.isinf(hi)
            else R2 / g2 <= Fraction(hi) <= R2 / g2 * (1 + Fraction(1, 2**52))
        )
    for t, k in enumerate(book.k.tolist()):
        w = course[k]
        L2 = dot(w, w)
        value, error = book.squared_length[t], book.squared_length_error[t]
        if math.isfinite(value):
            assert abs(Fraction(value) - L2) <= Fraction(error) + Fraction(2) ** -1073
        else:
            assert Fraction(2) ** 1023 < L2
        assert is_near(book.squared_length_line[t], k * R2)
        assert k * R2 >= L2
        if book.exact[t]:
            assert is_near(book.squared_length[t], L2)
            assert is_near_root(book.margin_ceiling[t], L2 / (k * k))
        if book.margin is None:
            assert math.isnan(book.alignment[t])
            continue
        P = dot(star, w)
        assert P > 0
        if math.isfinite(book.alignment[t]):
            error = Fraction(book.alignment_error[t]) + Fraction(2) ** -1073
            least, most = (max(Fraction(0), Fraction(book.alignment[t]) + sign * error) for sign in (-1, 1))
            assert least * least <= P * P / N2 <= most * most
        if book.exact[t]:
            assert is_near_root(book.alignment[t], P * P / N2)
        assert is_near_root(book.alignment_line[t], k * k * g2)
        assert k * k * g2 <= P * P / N2
        if L2 and book.exact[t]:
            assert is_near_root(book.cosine[t], P * P / (N2 * L2))
        assert is_near_root(book.cosine_line[t], k * g2 / R2, 2.0**-46)


@given(problems(max_rows=7, max_columns=4), runs(), st.booleans())
def test_every_run_holds_and_its_arrays_are_those_of_fractions(problem, run, sparse):
    X, y = problem
    run = with_order(run, len(y))
    rows = sp.csr_array(X) if sparse else X
    try:
        perceptron = fitted(rows, y, record=True, **run)
    except OverflowError:
        return
    book = audit(perceptron, rows, y)
    assert book.holds, book.violations
    assert_is_the_truth(book, X, y, perceptron.mistakes_.tolist(), run)
    winner = WINNERS.get(run["tie"])
    fallible = [i for i in range(len(y)) if run["fit_intercept"] or X[i].any() or y[i] != winner] or range(len(y))
    separable = sx.decide(X[fallible], y[fallible], fit_intercept=run["fit_intercept"]).separable
    assert book.applies == (book.margin is not None) == separable
    for style in ("text", "markdown", "latex"):
        assert f"{perceptron.n_mistakes_:,} mistake" in book.explain(style)


@given(problems(kinds=TAME, max_rows=7, max_columns=4), runs(), st.booleans())
@FEW
def test_between_the_exact_marks_floats_are_within_their_errors(problem, run, roomy):
    X, y = problem
    run = with_order(run, len(y))
    perceptron = fitted(X, y, record=True, **run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "MARKS_PER_SCALE", 10)
        patch.setattr(walk, "MIN_EXACT_MARKS", 0)
        patch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        if not roomy:
            patch.setattr(walk, "ROOM_BITS", -1000)
        book = audit(perceptron, X, y)
    assert book.holds, book.violations
    assert book.exact.all() == (book.mistakes <= 3)
    assert_is_the_truth(book, X, y, perceptron.mistakes_.tolist(), run)


@given(problems(max_rows=6, max_columns=3), runs())
@FEW
def test_integers_alone_say_the_same(problem, run):
    X, y = problem
    try:
        perceptron = fitted(X, y, record=True, **with_order(run, len(y)))
    except OverflowError:
        return
    book = audit(perceptron, X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk._Walker, "of", classmethod(lambda *_: None))
        slow = audit(perceptron, X, y)
    assert slow.exact.all()
    assert slow.violations == book.violations
    at = book.exact
    for name in ("squared_length", "alignment", "cosine", "margin_ceiling"):
        np.testing.assert_array_equal(getattr(slow, name)[at], getattr(book, name)[at])


def test_long_runs_are_thinned():
    marks, exact = walk.marks_of(1_757_361, 1000)
    assert marks[:1000].tolist() == list(range(1, 1001))
    assert marks[-1] == 1_757_361
    assert 1900 < marks.size < 2100
    assert exact.sum() < 100
    assert np.all(exact[np.isin(marks, [1, 2, 1024, 2**20, 1_757_361])])
    assert np.all(np.diff(marks[1000:]) < 0.02 * marks[1000:-1] + 2)
    assert walk.marks_of(1_757_361, 100)[1].sum() == 200 + 14  # and powers of two, from 256, and the last
    assert walk.marks_of(0, 3)[0].size == 0


# Adjusted statements.


@given(problems(kinds=TAME, max_rows=7, max_columns=3), st.booleans(), st.booleans(), st.sampled_from([1.0, 0.25, 0.3, 2.0]))
@FEW
def test_a_start_and_weights_have_their_own_theorem(problem, started, weighted, eta):
    X, y = problem
    rng = np.random.RandomState(1)
    extra = {}
    if started:
        extra |= {"coef_init": rng.standard_normal(X.shape[1]), "intercept_init": 0.5}
    if weighted:
        extra |= {"sample_weight": rng.choice([0.5, 0.1, 3.0], len(y))}
    perceptron = fitted(X, y, record=True, max_iter=20, eta0=eta, **extra)
    book = audit(perceptron, X, y, **extra)
    assert book.holds, book.violations
    if started or weighted:
        assert not book.applies
    Z = lifted(X, y, True)
    c = [Fraction(float(v)) for v in extra.get("sample_weight", np.ones(len(y)))]
    start = [*extra.get("coef_init", np.zeros(X.shape[1])), extra.get("intercept_init", 0.0)]
    trace = perceptron.mistakes_.tolist()
    course = weights_along(Z, trace, [Fraction(eta) * each for each in c], start)
    # From zero the learning rate is left out; with a start, the statements are about the weights as they are.
    R2, unit = max(dot(z, z) for z in Z), Fraction(1 if started else eta)
    assert book.start_squared == dot(course[0], course[0])
    for t, k in enumerate(book.k.tolist()):
        L2 = dot(course[k], course[k]) / unit**2
        Q = sum((Fraction(eta) / unit * c[i]) ** 2 for i in trace[:k])
        assert is_near(book.squared_length[t], L2)
        assert is_near(book.squared_length_line[t], dot(course[0], course[0]) / unit**2 + Q * R2, 2.0**-45)
        if book.margin is not None:
            S = sum(Fraction(eta) / unit * c[i] for i in trace[:k])
            star, g = book.margin.weights.fractions(), book.margin.lo
            size = math.sqrt(dot(star, star))
            assert book.alignment[t] == pytest.approx(float(dot(star, course[k]) / unit) / size, rel=1e-9, abs=1e-12)
            line = float(dot(star, course[0]) / unit) / size + float(S) * g
            assert book.alignment_line[t] == pytest.approx(line, rel=1e-9, abs=1e-12)
            assert book.mistakes <= book.bound[1]
    if started or weighted:
        text = book.explain()
        assert "The theorem does not apply" in text
        if book.margin is not None:
            assert ("did not start from zero" in text) == started
            assert ("multiplied by weights" in text) == weighted


@pytest.mark.parametrize("eta", [0.5, 3.0, 0.1, 1.0, 2.0**-30])
def test_the_units_do_not_depend_on_the_learning_rate(eta):
    X, y, start = [[-1.0], [-1.0], [-2.0]], [-1, -1, 1], [[0.3]]
    perceptron = fitted(X, y, record=True, max_iter=5, eta0=eta, coef_init=start)
    book = audit(perceptron, X, y, coef_init=start)
    weights = perceptron.exact_weights().fractions()
    assert book.start_squared == Fraction(0.3) ** 2
    assert is_near(book.squared_length[-1], dot(weights, weights))


def test_a_bound_beyond_float64_is_infinite():
    """The start is so far from what tiny steps do that the mistakes allowed are more than any float."""
    X, y, start = [[0.0, 0.0], [1.2e-122, 1.1e-19]], [1, -1], [[-0.27, 0.61]]
    book = audit(fitted(X, y, max_iter=3, eta0=1e-300, coef_init=start), X, y, coef_init=start)
    assert book.holds
    assert book.bound[1] == math.inf


def test_class_weights_need_nothing_more():
    X, y = sx.examples.load("iris-virginica")
    book = audit(fitted(X, y, class_weight={"virginica": 2.0, "versicolor": 0.5}, max_iter=10), X, y)
    assert book.holds
    assert not book.steps.plain


def test_rows_of_weight_zero_are_left_out_of_the_audit():
    X, y = [[0.0], [1.0], [5.0], [2.0]], [0, 1, 0, 1]
    weights = [1, 1, 0, 1]
    book = audit(fitted(X, y, sample_weight=weights, record=True), X, y, sample_weight=weights)
    assert book.holds
    assert book.updates.size == 3
    with pytest.raises(ValueError, match="cannot be audited on these rows"):
        audit(fitted(X, y, sample_weight=weights), X, y)
    with pytest.raises(ValueError, match="Their digest is not"):
        audit(fitted(X, y, sample_weight=weights, record=True), X, y)
    with pytest.raises(ValueError, match="fitted on 4 rows; there are 3"):
        audit(fitted(X, y, sample_weight=weights, record=True), X[:3], y[:3])


def test_a_model_file_is_audited_like_the_perceptron_it_holds(tmp_path):
    X, y = sx.examples.load("iris-setosa")
    perceptron = fitted(X, y, eta0=0.1, record=True)
    sx.save_model(perceptron, tmp_path / "model.json")
    book = audit(sx.load_model(tmp_path / "model.json"), X, y)
    assert book.holds
    np.testing.assert_array_equal(book.alignment, audit(perceptron, X, y).alignment)


def test_only_perceptrons_are_audited():
    others = (sx.VotedPerceptron, sx.Pocket, sx.MaxMargin, sx.LeastSquaresClassifier,
              sx.LinearProgramClassifier, LinearSVC)  # fmt: skip
    for kind in others:
        with pytest.raises(TypeError, match=f"about the perceptron; got {kind.__name__}, expected sx.Perceptron"):
            audit(kind(), [[0.0], [1.0]], [0, 1])


def test_no_mistake_at_all():
    X, y = [[1.0], [-1.0]], [1, 0]
    start = {"coef_init": [1.0], "intercept_init": [0.0]}
    book = audit(fitted(X, y, **start), X, y, **start)
    assert (book.mistakes, book.holds, book.k.size) == (0, True, 0)
    assert "There was no mistake" in book.explain()


def test_rows_with_another_digest_are_refused():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 1])
    perceptron = sx.Perceptron(record=True).fit(X, y)
    assert sx.audit(perceptron, X, y).holds
    untouched = next(i for i in range(3) if i not in perceptron.mistakes_)
    X[untouched] *= 1.5  # never erred on, and still right
    assert perceptron.score(X, y) == 1.0
    with pytest.raises(ValueError, match="Their digest is not that of the rows it was fitted on"):
        sx.audit(perceptron, X, y)
