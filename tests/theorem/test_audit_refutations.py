"""An audit finds out what is false: corrupted traces, other data, false statements, and bounds that are weakened."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from fits import fitted
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, is_mistake, lifted
from strategies import planted, problems, rows_of_kind
from traces import FEW, TAME, runs, weights_along, with_order

import separatrix as sx
from separatrix.compiled import trace as kernels
from separatrix.compiled.rows import DenseRows, score
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron import trace as walk
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.separation import maximum_margin
from separatrix.theorem import alignments, lengths, mistake_bound
from separatrix.theorem.auditing import audit

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
    truth = lengths.radius_squared
    assert audit(perceptron, X, y).holds
    monkeypatch.setattr(lengths, "radius_squared", lambda rows: truth(rows) / 1000)
    if not exactly:
        monkeypatch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        monkeypatch.setattr(lengths.Lengths, "decided", lambda _: {})
        monkeypatch.setattr(alignments.Alignments, "decided", lambda _: {})
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

    monkeypatch.setattr(mistake_bound, "margin_of_problem", larger)
    if not exactly:
        monkeypatch.setattr(walk, "WEIGHTS_OF_EXACT_MARKS", 0)
        monkeypatch.setattr(lengths.Lengths, "decided", lambda _: {})
        monkeypatch.setattr(alignments.Alignments, "decided", lambda _: {})
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
