"""The compiled run equals the reference, mistake for mistake, whatever the data, the order and the rule."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted
from reference import perceptron as reference
from strategies import STEPS, TIES, planted, problems

from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron.run import Run
from separatrix.problem.exact_rows import ExactRows
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.problem.rows import measured
from separatrix.problem.scores import exact_signs
from separatrix.support import threads

PASSES = 12


def compiled(X, y, *, sparse=False, order="cyclic", tie="update", eta=1.0, start=None, weights=None, intercept=True,
             random_state=None):  # fmt: skip
    problem = Problem.of(sp.csr_array(X) if sparse else X, y.astype(int), intercept=intercept)
    run = Run(
        problem,
        tie=tie,
        start=None if start is None else Dyadic.from_parts(start),
        steps=weights,
        factor=eta,
        record=True,
    )
    converged = run.learn(order, PASSES, np.random.RandomState(random_state))
    return run.trace.tolist(), run.weights().fractions(), max(1, run.passes), converged


@given(problems(), TIES, st.booleans(), st.booleans())
def test_cyclic(problem, tie, intercept, sparse):
    X, y = problem
    expected = reference(X, y, tie=tie, intercept=intercept, max_iter=PASSES)
    assert compiled(X, y, tie=tie, intercept=intercept, sparse=sparse) == expected


@given(problems(), TIES, st.booleans(), st.sampled_from(["shuffle", "random"]), st.integers(0, 2**32 - 1))
def test_random_orders(problem, tie, sparse, order, seed):
    X, y = problem
    expected = reference(X, y, order=order, tie=tie, max_iter=PASSES, random_state=seed)
    assert compiled(X, y, order=order, tie=tie, sparse=sparse, random_state=seed) == expected


@given(problems(), TIES, st.booleans(), st.randoms(use_true_random=False))
def test_given_order(problem, tie, sparse, random):
    X, y = problem
    order = random.sample(range(len(y)), len(y))
    expected = reference(X, y, order=order, tie=tie, max_iter=PASSES)
    assert compiled(X, y, order=np.array(order), tie=tie, sparse=sparse) == expected


@given(
    problems(),
    st.data(),
    TIES,
    st.sampled_from([1.0, 0.1, 0.5, 3.0, 1e-10, 1e100]),
    st.booleans(),
    st.booleans(),
)
def test_initial_guess_learning_rate_and_weights(problem, data, tie, eta, weighted, sparse):
    X, y = problem
    numbers = st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from([0.0, 1.0, -2.0, 0.1]),
        st.sampled_from(X.ravel().tolist()),
    )
    start = np.array(data.draw(st.lists(numbers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)))
    weights = np.array(data.draw(st.lists(st.sampled_from(STEPS), min_size=len(y), max_size=len(y)))) if weighted else None
    expected = reference(X, y, tie=tie, eta=eta, start=start, weights=weights, max_iter=PASSES)
    assert compiled(X, y, tie=tie, eta=eta, start=start, weights=weights, sparse=sparse) == expected


@given(st.sampled_from([16, 32, 48]), st.integers(0, 2**31 - 1), TIES, st.booleans(), st.sampled_from([1.0, 0.1]))
def test_scores_planted_near_zero(digits, seed, tie, sparse, eta):
    """Exact scores of 1e-16, 1e-32 and 1e-48 of the norms, where a float or two cannot tell the sign."""
    rng = np.random.RandomState(seed)
    X, w = planted(rng.randint(2, 8), rng.randint(5, 12), digits, rng)
    y = np.resize([-1.0, 1.0], len(X))
    start = np.append(w, 0.0)
    expected = reference(X, y, tie=tie, eta=eta, start=start, max_iter=PASSES)
    assert compiled(X, y, tie=tie, eta=eta, start=start, sparse=sparse) == expected


@pytest.mark.parametrize("scale", [1.0, 2.0**-1000, 2.0**900])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_longer_run_with_more_mistakes_than_one_budget(monkeypatch, scale, sparse):
    """Budgets, pauses and settling in between do not change a run."""
    rng = np.random.RandomState(5)
    X = rng.standard_normal((60, 9)) * scale
    y = np.where(rng.random_sample(60) < 0.5, -1.0, 1.0)
    whole = compiled(X, y, sparse=sparse, intercept=False)
    assert len(whole[0]) > 200
    monkeypatch.setattr("separatrix.perceptron.run.MIN_MISTAKES_PER_BUDGET", 7)
    monkeypatch.setattr("separatrix.perceptron.run.MAX_MISTAKES_PER_BUDGET", 7)
    monkeypatch.setattr("separatrix.problem.lifted.BYTES_BEFORE_SCREEN", 1)
    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 100)
    pieces = compiled(X, y, sparse=sparse, intercept=False)
    assert pieces == whole
    assert whole == reference(X, y, intercept=False, max_iter=PASSES)


def test_power_of_two_scaling_scales_the_weights_and_nothing_else():
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((30, 4)), rng.choice([-1.0, 1.0], 30)
    trace, w, *rest = compiled(X, y, intercept=False)
    for k in (-300, -20, 300):
        trace_k, w_k, *rest_k = compiled(np.ldexp(X, k), y, intercept=False)
        assert (trace_k, rest_k) == (trace, rest)
        assert w_k == [v * Fraction(2) ** k for v in w]


def test_learning_rate_scales_the_weights_and_nothing_else():
    rng = np.random.RandomState(1)
    X, y = rng.standard_normal((30, 4)), rng.choice([-1.0, 1.0], 30)
    trace, w, *rest = compiled(X, y)
    trace_eta, w_eta, *rest_eta = compiled(X, y, eta=0.1)
    assert (trace_eta, rest_eta) == (trace, rest)
    assert w_eta == [v * Fraction(0.1) for v in w]


def float_loop(X, y, passes):
    """The perceptron as everybody writes it, in plain floats."""
    Z = y[:, None] * np.hstack([X, np.ones((len(y), 1))])
    w, trace = np.zeros(Z.shape[1]), []
    for _ in range(passes):
        before = len(trace)
        for i, z in enumerate(Z):
            if w @ z <= 0:
                w += z
                trace.append(i)
        if len(trace) == before:
            break
    return trace


def test_where_a_float_has_the_wrong_sign():
    """Thresholded tenths: a plain float loop takes another path, and the exact run is the right one."""
    different = 0
    for seed in range(10):
        rng = np.random.RandomState(seed)
        X = rng.randint(-10, 11, (40, 3)) / 10
        y = np.where(X @ [1, 2, -1] > 0.25, 1.0, -1.0)
        exact = compiled(X, y)
        assert exact == reference(X, y, max_iter=PASSES)
        different += float_loop(X, y, PASSES) != exact[0]
    assert different > 0


def test_where_only_integers_can_tell():
    """Scores of one part in 2**300 beside terms of size 1: beyond any pair of floats."""
    X = np.array([[1.0, 2.0**-300], [1.0, -(2.0**-300)], [1.0, 3 * 2.0**-300]])
    y = np.array([1.0, -1.0, 1.0])
    expected = reference(X, y, intercept=False, max_iter=PASSES)
    assert compiled(X, y, intercept=False) == expected
    assert compiled(X, y, intercept=False, sparse=True) == expected


def test_random_mistakes_that_are_rare():
    """Whole batches of draws without a mistake: the draws go on where they stopped."""
    rng = np.random.RandomState(0)
    X = np.concatenate([1.0 + rng.random_sample(299), [0.001]])[:, None]
    y = np.ones(300)
    for seed in range(6):
        expected = reference(X, y, order="random", start=[1.0, -0.01], max_iter=1, random_state=seed)
        problem = Problem.of(X, y.astype(int), classes=[-1, 1])
        run = Run(problem, start=Dyadic.from_parts(np.array([1.0, -0.01])), record=True)
        assert run.learn("random", 1, np.random.RandomState(seed)) == expected[3]
        assert run.trace.tolist() == expected[0]


@pytest.mark.parametrize("stored", ["shuffled", "zeros", "both"])
def test_csr_as_it_comes(stored):
    """Explicit zeros, columns in any order, 64-bit indices."""
    rng = np.random.RandomState(1)
    for scale in (1.0, 1e-310, 1e306):
        X = rng.choice([0.0, 0.1, -0.7, 1.0], (12, 4)) * scale
        y = np.resize([-1.0, 1.0], 12)
        columns = np.array([rng.permutation(4) if stored != "zeros" else np.arange(4) for _ in range(12)])
        kept = [c if stored != "shuffled" else c[X[i, c] != 0] for i, c in enumerate(columns)]
        data = np.concatenate([X[i, c] for i, c in enumerate(kept)])
        indptr = np.cumsum([0, *map(len, kept)]).astype(np.int64)
        csr = sp.csr_array((data, np.concatenate(kept).astype(np.int64), indptr), shape=X.shape)
        weights = np.resize([1e-300, 1.0, 0.3], 12)
        problem = Problem.of(csr, y.astype(int))
        run = Run(problem, steps=weights, record=True)
        run.learn("cyclic", PASSES, None)
        expected = reference(X, y, weights=weights, max_iter=PASSES)
        assert (run.trace.tolist(), run.weights().fractions()) == expected[:2]


def test_empty_rows_beside_huge_ones():
    X = np.array([[1e306], [-1e306], [0.0]])
    y, start = np.array([1.0, -1.0, 1.0]), np.array([1e300, 1e-150])
    expected = reference(X, y, start=start, max_iter=PASSES)
    assert compiled(X, y, start=start) == expected
    assert compiled(X, y, start=start, sparse=True) == expected


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_of_zeros_leave_weights_of_many_bits_as_they_are(sparse):
    """Their scores are exact in floating point, whatever the weights; the weights are not."""
    X, start = np.zeros((100, 2)), np.array([[0.1, 3.0], [2.0**-60, -(2.0**-70)]])
    y = np.resize([-1.0, 1.0], 100)
    trace, weights, *_ = compiled(X, y, start=start, intercept=False, sparse=sparse)
    assert len(trace) == 100 * PASSES
    assert weights == [Fraction(high) + Fraction(low) for high, low in start.T.tolist()]


def test_ctrl_c_while_settling_loses_nothing(monkeypatch):
    rng = np.random.RandomState(2)
    X, y = rng.standard_normal((20, 3)), rng.choice([-1.0, 1.0], 20)
    run = Run(Problem.of(X, y.astype(int)))
    run.advance(None, 3)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("separatrix.perceptron.run.merge", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run.weights()
    assert run.weights().fractions() == reference(X, y, max_iter=3)[1]


def test_numbers_that_the_processor_flushes_are_refused(monkeypatch):
    monkeypatch.setattr("separatrix.compiled.environment.flushes_subnormals", lambda: True)
    y = np.array([-1.0, 1.0])
    compiled(np.array([[1.0], [2.0]]), y)
    with pytest.raises(FloatingPointError, match=r"flushes subnormal numbers to zero.*the rows hold"):
        compiled(np.array([[1e-310], [2.0]]), y)
    with pytest.raises(FloatingPointError, match="the initial weights hold"):
        compiled(np.array([[1.0], [2.0]]), y, start=np.array([1e-310, 0.0]))
    with pytest.raises(FloatingPointError, match="the steps are"):
        compiled(np.array([[1.0], [2.0]]), y, weights=np.array([1e-310, 1.0]))


@given(problems(max_rows=12), TIES, st.booleans())
def test_loops_shared_among_threads_change_nothing(problem, tie, sparse):
    X, y = problem
    measures = measured(X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "NUMBERS_PER_THREAD", 1)
        patch.setattr(threads.config, "NUMBA_NUM_THREADS", 3)
        expected = reference(X, y, tie=tie, max_iter=PASSES)
        assert compiled(X, y, tie=tie, sparse=sparse) == expected
        shared = measured(X)
        weights = (
            np.array([float(w) for w in expected[1]]) if max(map(abs, expected[1])) < 2**1000 else np.ones(X.shape[1] + 1)
        )
        signs = exact_signs(ExactRows(X), Dyadic.from_parts(weights))
    assert np.array_equal(shared.norms, measures.norms)
    assert (shared.largest, shared.smallest, shared.longest) == (measures.largest, measures.smallest, measures.longest)
    assert np.array_equal(signs, exact_signs(ExactRows(X), Dyadic.from_parts(weights)))


@given(problems(), st.data())
def test_signs_and_magnitude_of_weights_in_any_parts(problem, data):
    """Parts that overlap, cancel or stand beside zeros, of which the first says little of the sum."""
    X, y = problem
    some = Problem.of(X, y.astype(int))
    numbers = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 2.0**-60, 1e100, -1e100, 1e300])
    parts = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=some.d + 1, max_size=some.d + 1))
    ).T
    weights = Dyadic.from_parts(parts)
    exact = [sum(map(Fraction, column), Fraction(0)) for column in parts.T.tolist()]
    scores = [dot(exact, z) for z in lifted(X, y, True)]
    top = weights.magnitude()
    assert Lifted.of(some).signs(weights).tolist() == [(s > 0) - (s < 0) for s in scores]
    assert weights.fractions() == exact
    assert weights.magnitude() == top
    assert all(abs(v) < Fraction(2) ** top for v in exact) or not any(exact)
