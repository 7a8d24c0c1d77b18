"""The audit of the convergence theorem, against fractions."""

import math
import os
import re
import time
import tracemalloc
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DOCS
from reference import dot, is_mistake, lifted
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from strategies import planted, problems, rows_of_kind

import separatrix as sx
from separatrix.compiled import trace as kernels
from separatrix.compiled.rows import DenseRows, score
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron import trace as walk
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.separation import maximum_margin
from separatrix.theorem import auditing, statements
from separatrix.theorem.auditing import audit
from separatrix.theorem.one_pass import Shortfall, online_bound, online_pass

THEOREM = DOCS / "theorem.md"
FEW = settings(max_examples=settings().max_examples // 3)
TAME = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "constant", "zeros")


def fitted(X, y, **parameters):
    """A fitted perceptron, whether or not it came to an end."""
    fit = {name: parameters.pop(name) for name in ("coef_init", "intercept_init", "sample_weight") if name in parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", sx.RoundingWarning)
        return sx.Perceptron(**parameters).fit(X, y, **fit)


def weights_along(Z, trace, steps=None, start=None):
    """The exact weights after each mistake, the start first."""
    w = [Fraction(0)] * len(Z[0]) if start is None else list(map(Fraction, start))
    course = [w]
    for i in trace:
        step = Fraction(1) if steps is None else steps[i]
        w = [a + step * b for a, b in zip(w, Z[i], strict=True)]
        course.append(w)
    return course


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


def assert_is_the_truth(book, X, y, trace, intercept):
    """Compare a ledger of a plain run with a computation in fractions."""
    Z = lifted(X, y, intercept)
    course = weights_along(Z, trace)
    R2 = max(dot(z, z) for z in Z)
    assert book.radius_squared == R2
    assert book.mistakes == len(trace)
    assert book.updates.tolist() == np.bincount(trace, minlength=len(Z)).tolist() if trace else not book.updates.any()
    if book.margin is not None:
        star = book.margin.weights.fractions()
        N2, g2 = dot(star, star), book.margin.lo_squared
        assert min(dot(z, star) for z in Z) ** 2 >= g2 * N2
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


@st.composite
def runs(draw):
    """Draw how to run."""
    order = draw(st.sampled_from(["cyclic", "shuffle", "random", "explicit"]))
    return {
        "order": order,
        "tie": draw(st.sampled_from(["update", "positive", "negative"])),
        "max_iter": draw(st.sampled_from([1, 3, 25])),
        "eta0": draw(st.sampled_from([1.0, 0.5, 0.1])),
        "fit_intercept": draw(st.booleans()),
        "random_state": 7,
    }


def with_order(run, n):
    order = np.random.RandomState(3).permutation(n) if run["order"] == "explicit" else run["order"]
    return run | {"order": order}


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
    assert_is_the_truth(book, X, y, perceptron.mistakes_.tolist(), run["fit_intercept"])
    assert book.applies == (book.margin is not None) == sx.decide(X, y, fit_intercept=run["fit_intercept"]).separable
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
    assert_is_the_truth(book, X, y, perceptron.mistakes_.tolist(), run["fit_intercept"])


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


# A corrupted trace, and other data.


@given(problems(kinds=TAME, max_rows=6, max_columns=3), runs(), st.randoms(use_true_random=False))
@FEW
def test_a_reordered_trace_holds_only_if_each_step_is_a_mistake(problem, run, random):
    X, y = problem
    run = with_order(run, len(y))
    perceptron = fitted(X, y, record=True, **run)
    trace = perceptron.mistakes_.tolist()
    random.shuffle(trace)
    perceptron.mistakes_ = np.array(trace, dtype=np.int64)
    book = audit(perceptron, X, y)
    Z = lifted(X, y, run["fit_intercept"])
    course = weights_along(Z, trace)
    wrong = [k for k, i in enumerate(trace, 1) if not is_mistake(dot(course[k - 1], Z[i]), y[i], run["tie"])]
    if wrong:
        assert not book.holds
        assert f"Mistake {wrong[0]:,} of the trace" in book.explain()
        assert f"{len(wrong):,} of {len(trace):,} steps" in book.explain()
    else:
        assert book.holds


@pytest.mark.parametrize("name", ["and", "xor", "iris-setosa"])
@pytest.mark.parametrize("damage", ["row", "shorter", "longer", "beyond", "kind"])
def test_a_corrupted_trace_does_not_hold(name, damage):
    X, y = sx.examples.load(name)
    perceptron = fitted(X, y, record=True, max_iter=20)
    trace = perceptron.mistakes_.copy()
    assert audit(perceptron, X, y).holds
    if damage == "row":
        trace[len(trace) // 2] = (trace[len(trace) // 2] + 1) % len(y)
    elif damage == "shorter":
        trace = trace[:-1]
    elif damage == "longer":
        trace = np.append(trace, trace[0])
    elif damage == "beyond":
        trace[-1] = len(y)
    else:
        trace = trace.astype(float)
    perceptron.mistakes_ = trace
    book = audit(perceptron, X, y)
    assert not book.holds
    assert "The audit fails." in book.explain()


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
def test_other_data_is_refused(record, order):
    X, y = sx.examples.load("iris-setosa")
    perceptron = fitted(X, y, record=record, order=order, random_state=0)
    assert audit(perceptron, X, y).holds
    row = int(fitted(X, y, record=True, order=order, random_state=0).mistakes_[0])
    other = X.copy()
    other[row, 0] = np.nextafter(other[row, 0], 9.0)
    with pytest.raises(ValueError, match=r"they are not the rows it was fitted on|Their digest is not that of the rows"):
        audit(perceptron, other, y)
    with pytest.raises(ValueError, match="cannot be audited on these rows"):
        audit(perceptron, X[::-1], y)
    with pytest.raises(ValueError, match="cannot be audited on these rows"):
        audit(perceptron, X, y, coef_init=np.ones(X.shape[1]))
    with pytest.raises(ValueError, match="has 3 columns"):
        audit(perceptron, X[:, :3], y)


def test_three_classes_are_refused():
    X, y = sx.examples.load("iris-setosa")
    perceptron = fitted(X, y)
    three = y.astype(object)
    three[0] = "third"
    with pytest.raises(ValueError, match="third"):
        audit(perceptron, X, three)


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random", "explicit"])
def test_a_run_without_a_trace_is_repeated(order):
    X, y = sx.examples.load("iris-virginica")
    run = with_order({"order": order, "random_state": 5, "max_iter": 30}, len(y))
    plain, recorded = fitted(X, y, **run), fitted(X, y, record=True, **run)
    assert not hasattr(plain, "mistakes_")
    a, b = audit(plain, X, y), audit(recorded, X, y)
    assert a.mistakes == recorded.n_mistakes_ > 10
    np.testing.assert_array_equal(a.updates, b.updates)
    np.testing.assert_array_equal(a.squared_length, b.squared_length)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(1)])
def test_a_random_run_without_seed_needs_its_trace(random_state):
    X, y = sx.examples.load("iris-setosa")
    with pytest.raises(ValueError, match="record=True"):
        audit(fitted(X, y, order="shuffle", random_state=random_state), X, y)
    assert audit(fitted(X, y, order="shuffle", random_state=random_state, record=True), X, y).holds


@pytest.mark.parametrize("record", [False, True])
def test_learning_online_is_audited_over_all_rows(record):
    X, y = sx.examples.load("iris-virginica")
    perceptron = sx.Perceptron(record=record)
    for part in np.array_split(np.arange(len(y)), 3):
        perceptron.partial_fit(X[part], y[part], classes=np.unique(y))
    book = audit(perceptron, X, y)
    assert book.holds
    assert book.mistakes == perceptron.n_mistakes_ > 0


# Statements that are false are found out.


def long_run(**parameters):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((300, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, 1, 0)
    perceptron = fitted(X, y, record=True, max_iter=10_000, **parameters)
    assert perceptron.converged_
    assert perceptron.n_mistakes_ > 100
    return perceptron, X, y


@pytest.mark.parametrize("exactly", [True, False])
def test_a_radius_too_small_breaks_claim_2(monkeypatch, exactly):
    perceptron, X, y = long_run()
    truth = statements.radius_squared
    assert audit(perceptron, X, y).holds
    monkeypatch.setattr(statements, "radius_squared", lambda rows: truth(rows) / 1000)
    if not exactly:
        monkeypatch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        monkeypatch.setattr(statements.Auditor, "_decided", lambda *_: [])
    book = audit(perceptron, X, y)
    assert any("||w_k||^2 is above its line" in text for text in book.violations)
    assert any("decided exactly" in text for text in book.violations) == exactly


@pytest.mark.parametrize("exactly", [True, False])
def test_a_margin_too_large_breaks_claim_1_and_the_bounds(monkeypatch, exactly):
    perceptron, X, y = long_run()
    truth = maximum_margin.margin_of_problem

    def larger(*arguments, **options):
        found = truth(*arguments, **options)
        return replace(found, lo_squared=found.lo_squared * 10**4)

    monkeypatch.setattr(auditing, "margin_of_problem", larger)
    if not exactly:
        monkeypatch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        monkeypatch.setattr(statements.Auditor, "_decided", lambda *_: [])
    text = " ".join(audit(perceptron, X, y).violations)
    assert "w*.w_k is below its line" in text
    for statement in ("gamma is above ||w_k|| / k", "k is above the bound", "cos(w*, w_k) is below its line"):
        assert (statement in text) == exactly


# Every bound of the walk is needed: weakened, it goes wrong; as it stands, it does not.


def followed(X, y, trace, start=None):
    """The walk along a trace from a start, without an intercept."""
    problem = Problem.of(X, y, classes=[-1, 1], intercept=False)
    weights = Dyadic.from_parts(np.zeros(X.shape[1]) if start is None else start)
    return walk.follow(Lifted.of(problem), np.array(trace), walk.UpdateRule(weights, None, 1.0, 0), None)


def test_the_error_of_a_score_is_bounded(monkeypatch):
    tiny = 300  # terms too small for a float sum of 1, which together turn its sign
    X = np.array([[1.0, *[2.0**-54] * tiny, -(1.0 + 40 * 2.0**-52)]])
    monkeypatch.setattr(walk, "walk", kernels.walk.py_func)
    monkeypatch.setattr(kernels, "score", score.dispatch(DenseRows).py_func)  # summed as it stands, as a compiler may
    assert followed(X, [1], [0], np.ones(tiny + 2)).first_wrong == 1
    monkeypatch.setattr(kernels, "WALK_SLACK", 0.0)
    assert followed(X, [1], [0], np.ones(tiny + 2)).first_wrong == 0


def test_there_is_room_for_exact_weights(monkeypatch):
    def wrong():
        count = 0
        for seed in range(40):
            rng = np.random.RandomState(seed)
            X, y = rows_of_kind(["wide", "cancelling"][seed % 2], 6, 5, rng), rng.choice([-1, 1], 6).tolist()
            trace = rng.randint(6, size=12).tolist()
            course = weights_along(lifted(X, y, False), trace)
            count += [w.fractions() for w in followed(X, y, trace).weights] != course[1:]
        return count

    assert wrong() == 0
    monkeypatch.setattr(walk, "ROOM_BITS", 400)
    assert wrong() > 0


def test_signs_of_planted_scores_are_proved():
    """Scores of 1e-16, 1e-32 and 1e-48 of the norms, or exactly 0."""
    for seed in range(60):
        rng = np.random.RandomState(seed)
        X, w = planted(4, 8, [16, 32, 48][seed % 3], rng)
        y = rng.choice([-1, 1], 4).tolist()
        for i in range(4):
            score = dot(list(map(Fraction, w)), lifted(X, y, False)[i])
            assert followed(X, y, [i], w).first_wrong == (not is_mistake(score, y[i], "update"))


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
    others = (sx.VotedPerceptron, sx.Pocket, sx.MaxMargin, sx.KernelPerceptron, sx.LeastSquaresClassifier,
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


# Not separable.


def noisy(n, d, share, seed):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) > 0, 1, 0)
    flipped = rng.random_sample(n) < share
    return X, np.where(flipped, 1 - y, y), rng


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tie", ["update", "positive"])
def test_freund_and_schapire_hold_for_every_direction_and_margin(seed, tie):
    X, y, rng = noisy(80, 3, 0.05 + 0.02 * seed, seed)
    problem = Problem.of(X, y)
    mistakes, directions = online_pass(problem, tie, None)
    trace = sx.Perceptron(tie=tie, max_iter=1, record=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert trace.fit(X, y).n_mistakes_ == mistakes
    shortfall, best = Shortfall(problem), online_bound(problem, mistakes, directions)
    Z = problem.lifted(list(range(80)))
    R = np.linalg.norm(Z, axis=1).max()
    tried = []
    for u in [*directions, *rng.standard_normal((30, 4))]:
        u = u / np.linalg.norm(u)
        for gamma in 10.0 ** rng.uniform(-2, 1.5, 12):
            D = np.linalg.norm(np.maximum(0, gamma - Z @ u))
            exact = ((R + D) / gamma) ** 2
            assert mistakes <= exact
            _, bound = shortfall.at_most(u / gamma)
            assert exact * (1 - 1e-13) <= bound <= exact * (1 + 1e-9)
            tried.append(exact)
    assert mistakes <= best.bound <= min(min(tried), 80) * (1 + 1e-6)
    if best.direction is not None:
        D = np.linalg.norm(np.maximum(0, best.gamma - Z @ best.direction))
        assert np.linalg.norm(best.direction) == pytest.approx(1)
        assert best.deviation == pytest.approx(D, rel=1e-6)
        assert best.bound == pytest.approx(((R + D) / best.gamma) ** 2, rel=1e-6)


def test_the_bound_for_one_pass_says_something_on_nearly_separable_rows():
    X, _, _ = noisy(2000, 2, 0.0, 1)
    far = np.abs(X[:, 0]) > 0.5  # keep clear of the line, then mislabel a few rows
    X, y = X[far] * [1.0, 0.1], (X[far, 0] > 0).astype(int)
    y[:3] = 1 - y[:3]
    book = audit(fitted(X, y, max_iter=5), X, y)
    assert book.margin is None
    assert book.online.holds
    assert book.online.mistakes <= book.online.bound < 0.2 * len(y)
    assert f"One pass made {book.online.mistakes:,}" in book.explain()


@pytest.mark.parametrize("tie", ["update", "positive"])
def test_why_a_run_does_not_halt(tie):
    X, y = sx.examples.load("xor")
    book = audit(fitted(X, y, tie=tie, max_iter=7), X, y)
    assert book.holds
    assert book.bound is None
    text = book.explain()
    assert "z_0 + z_1 + z_2 + z_3 = 0" in text
    assert ("the run cannot halt" in text) == (tie == "update")
    Z = lifted(X, np.where(y == 1, 1, -1), True)
    rows, multipliers = book.obstruction.obstruction.rows, book.obstruction.obstruction.multipliers
    assert all(sum(m * Z[i][j] for i, m in zip(rows, multipliers, strict=True)) == 0 for j in range(3))


def test_a_run_that_halts_on_the_hyperplane_is_told_of():
    X, y = [[1.0], [1.0]], [0, 1]
    perceptron = fitted(X, y, fit_intercept=False, tie="positive", max_iter=50)
    book = audit(perceptron, X, y)
    assert book.margin is None
    assert "may halt with rows on the hyperplane" in book.explain()


# How well it generalises.


def test_leaving_one_out_errs_on_no_more_than_the_rows_erred_on():
    for seed in range(8):
        X, y, _ = noisy(25, 2, 0.0, seed)
        perceptron = fitted(X, y, max_iter=10**6)
        book = audit(perceptron, X, y)
        errors = 0
        for i in range(len(y)):
            kept = np.arange(len(y)) != i
            if len(set(y[kept])) == 2:
                errors += int(fitted(X[kept], y[kept], max_iter=10**6).predict(X[i : i + 1])[0] != y[i])
        loo, _, compression = book.generalization(folds=0).bounds
        assert errors / len(y) <= loo.value == np.count_nonzero(book.updates) / len(y)
        used = np.flatnonzero(book.updates)
        again = fitted(X[used], y[used], max_iter=10**6)  # what compression rests on
        assert again.exact_weights() == perceptron.exact_weights()
        m, n = used.size, len(y)
        exponent = (math.log(math.comb(n, m)) + math.log(n / 0.05)) / (n - m)
        assert compression.value == pytest.approx(1 - math.exp(-exponent))
        assert compression.vacuous == (compression.value >= 0.5)


def test_bounds_say_where_they_do_not_apply():
    X, y = sx.examples.load("iris-virginica")
    halted = audit(fitted(X, y, max_iter=5), X, y).generalization(folds=3)
    loo, online, compression = halted.bounds
    assert loo.value is None
    assert "this one did not" in loo.assumes
    n = len(y)
    mistakes = round((online.value - math.sqrt(math.log(20) / (2 * n))) * n)
    order = np.random.RandomState(0).permutation(n)
    assert mistakes == sx.Perceptron().partial_fit(X[order], y[order], classes=np.unique(y)).n_mistakes_
    assert compression.value > 0
    assert "3-fold cross-validation" in halted.explain("latex")
    shuffled = audit(
        fitted(*sx.examples.load("iris-setosa"), order="shuffle", random_state=0), *sx.examples.load("iris-setosa")
    )
    assert shuffled.generalization(folds=0).bounds[0].value is None
    weights = np.where(y == "virginica", 2.0, 1.0)
    weighted = audit(fitted(X, y, max_iter=5, sample_weight=weights), X, y, sample_weight=weights).generalization()
    assert weighted.bounds[0].value is weighted.bounds[2].value is None


def test_estimates_are_those_of_rows_held_out():
    X, y, _ = noisy(400, 2, 0.0, 3)
    book = audit(fitted(X[:300], y[:300], max_iter=10**6), X[:300], y[:300])
    held = book.generalization(X=X[300:], y=y[300:])
    assert held.estimate == pytest.approx(1 - book.perceptron.score(X[300:], y[300:]))
    assert "held out (100 rows)" in held.explain()
    crossed = book.generalization(delta=0.01)
    assert 0 <= crossed.estimate < 0.1
    assert all(bound.value >= crossed.estimate - 0.05 for bound in crossed.bounds)
    assert crossed.bounds[1].value > book.generalization(delta=0.5).bounds[1].value
    with pytest.raises(ValueError, match="delta"):
        book.generalization(delta=1.0)
    explicit = fitted(X[:300], y[:300], order=np.random.RandomState(0).permutation(300), max_iter=10**6)
    assert 0 <= audit(explicit, X[:300], y[:300]).generalization().estimate < 0.1


def test_sorted_rows_are_cautioned_against():
    X, y, _ = noisy(200, 2, 0.0, 5)
    order = np.argsort(y, kind="stable")
    assert audit(fitted(X, y, max_iter=10**6), X, y).generalization(folds=0).caution == ""
    book = audit(fitted(X[order], y[order], max_iter=10**6), X[order], y[order])
    assert "The labels change only once" in book.generalization(folds=0).explain()


def test_formats():
    X, y = sx.examples.load("and")
    book = audit(fitted(X, y), X, y)
    assert r"\gamma = \sqrt{1/17}" in book.explain("latex")
    assert "`" not in book.explain() + book.explain("latex")
    assert book._repr_markdown_() == book.explain("markdown")
    for explain in (book.explain, book.generalization().explain):
        with pytest.raises(ValueError, match="'text', 'markdown', 'latex'"):
            explain("html")


# Real data, and what the documentation shows of it.


def standardised_cancer():
    X, y = sx.examples.load("breast-cancer")
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def show(name):
    """What the documentation shows, by name."""
    long = name.startswith("breast-cancer")
    X, y = standardised_cancer() if long else sx.examples.load(name)
    book = audit(fitted(X, y, max_iter=1_000_000 if long else 100), X, y)
    return book.generalization().explain() if name.endswith("generalization") else book.explain()


def test_a_long_run_takes_seconds_and_little_memory():
    X, y = standardised_cancer()
    perceptron = fitted(X, y, record=True, max_iter=1_000_000)
    audit(fitted(X[:100], y[:100], record=True, max_iter=5), X[:100], y[:100])  # compiled
    tracemalloc.start()
    started = time.perf_counter()
    book = audit(perceptron, X, y)
    seconds = time.perf_counter() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert book.holds
    assert 1_700_000 < book.mistakes < 1_800_000
    assert book.mistakes <= book.bound[0]
    assert book.squared_length_error.max() < 1e-12 * book.squared_length.max()
    assert np.all(book.alignment_error < 1e-10 * book.alignment)
    assert seconds < 20
    assert peak < 4 * perceptron.mistakes_.nbytes + 20e6  # k * d would be 30 times the trace


def test_the_documentation_shows_real_output():
    text = THEOREM.read_text(encoding="utf-8")
    pattern = re.compile(r"<!-- audit: (.*?) -->\n```text\n(.*?)```\n", re.DOTALL)
    fresh = pattern.sub(lambda found: f"<!-- audit: {found[1]} -->\n```text\n{show(found[1])}```\n", text)
    if os.environ.get("SEPARATRIX_WRITE_DOCS"):
        THEOREM.write_text(fresh, encoding="utf-8")
        text = fresh
    assert {found[1] for found in pattern.finditer(text)} == {"and", "breast-cancer", "xor", "breast-cancer generalization"}
    assert fresh == text


def test_rows_with_another_digest_are_refused():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 1])
    perceptron = sx.Perceptron(record=True).fit(X, y)
    assert sx.audit(perceptron, X, y).holds
    untouched = next(i for i in range(3) if i not in perceptron.mistakes_)
    X[untouched] *= 1.5  # never erred on, and still right
    assert perceptron.score(X, y) == 1.0
    with pytest.raises(ValueError, match="Their digest is not that of the rows it was fitted on"):
        sx.audit(perceptron, X, y)
