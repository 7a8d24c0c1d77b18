"""The averaged perceptron: its weights are the mean over visits, exactly, however the run is made."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted, mean
from reference import perceptron as reference
from strategies import STEPS, TIES, batches, planted, problems

import separatrix as sx
from separatrix.exact.dyadic import Dyadic, Quotient

PASSES = 7


def averaged(X, y, *, start=None, weights=None, **parameters):
    perceptron = sx.Perceptron(average=True, max_iter=PASSES, record=True, **parameters)
    coef, intercept = (None, None) if start is None else (start[: X.shape[1]], start[X.shape[1] :])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return perceptron.fit(X, y, coef, intercept, weights)


@given(
    problems(), st.data(), TIES, st.sampled_from(["cyclic", "shuffle", "random", "given"]), st.sampled_from([1.0, 0.1, 0.5]),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
def test_the_mean_is_that_of_the_definition(problem, data, tie, order, eta, weighted, guessed, sparse):
    X, y = problem
    n, D = len(y), X.shape[1] + 1
    seed = data.draw(st.integers(0, 2**32 - 1))
    order = data.draw(st.permutations(range(n))) if order == "given" else order
    weights = np.array(data.draw(st.lists(st.sampled_from(STEPS), min_size=n, max_size=n))) if weighted else None
    numbers = st.one_of(st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-300]), st.sampled_from(X.ravel().tolist()))
    start = data.draw(st.lists(numbers, min_size=D, max_size=D)) if guessed else None
    history = []
    trace, last, _, converged = reference(
        X,
        y,
        order=order,
        tie=tie,
        eta=eta,
        start=start,
        weights=weights,
        max_iter=PASSES,
        random_state=seed,
        history=history,
    )
    expected = mean(history) if history else last
    try:
        perceptron = averaged(
            sp.csr_array(X) if sparse else X,
            y,
            order=order,
            tie=tie,
            eta0=eta,
            random_state=seed,
            start=start,
            weights=weights,
        )
    except OverflowError:
        with pytest.raises(OverflowError):
            [float(v) for v in expected]
        return
    assert perceptron.exact_weights().fractions() == expected
    assert perceptron.last_weights().fractions() == last
    assert [*perceptron.coef_[0], *perceptron.intercept_] == [float(v) for v in expected]
    assert perceptron.mistakes_.tolist() == trace
    assert perceptron.halted_ == converged
    right = [(dot(expected, z) > 0) == (label > 0) or (not dot(expected, z) and label == (1 if tie == "positive" else -1))
             for z, label in zip(lifted(X, np.ones(n), True), y, strict=True)]  # fmt: skip
    assert perceptron.converged_ == (converged and all(right))


def test_a_run_without_a_visit_predicts_by_its_first_weights():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    found = sx.Perceptron(average=True, order="random", random_state=0).fit(X, y, coef_init=[[1.0]], intercept_init=[0.0])
    assert found.n_mistakes_ == 0
    assert found.converged_
    assert found.predict(X).tolist() == y.tolist()


@given(problems(), TIES, st.sampled_from([1.0, 0.1]), st.booleans(), st.data())
def test_partial_fit_in_any_batches_has_the_mean_of_one_pass(problem, tie, eta, intercept, data):
    X, y = problem
    history = []
    trace, last, _, _ = reference(X, y, tie=tie, eta=eta, intercept=intercept, max_iter=1, history=history)
    online = sx.Perceptron(average=True, tie=tie, eta0=eta, fit_intercept=intercept, record=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows, labels in batches(data, X, y):
            try:
                online.partial_fit(rows, labels, classes=[-1, 1])
            except OverflowError:
                return
            online = pickle.loads(pickle.dumps(online))
    assert online.mistakes_.tolist() == trace
    assert online.exact_weights().fractions() == mean(history)
    assert online.last_weights().fractions() == last


def test_partial_fit_goes_on_after_fit_and_with_another_learning_rate():
    X, y = np.array([[1.0, 0.3], [0.7, -2.0], [1.5, 1.1]]), np.array([1.0, -1.0, 1.0])
    history = []
    w = list(reference(X, y, eta=0.1, max_iter=PASSES, history=history)[1])
    online = averaged(X, y, eta0=0.1).set_params(eta0=0.7).partial_fit(X, -y)
    for z in lifted(X, -y, True):
        if dot(w, z) <= 0:
            w = [a + Fraction(0.7) * b for a, b in zip(w, z, strict=True)]
        history.append(w)
    assert online.exact_weights().fractions() == mean(history)


@pytest.mark.parametrize("order", ["cyclic", "random"])
@pytest.mark.parametrize("scale", [1.0, 1e-300])
def test_so_many_visits_that_their_numbers_overflow(monkeypatch, order, scale):
    """Numbered from 1 again after a few visits, the kernels paused and the slow road forced, nothing changes."""
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((12, 3)) * [1.0, scale, 1.0], np.resize([-1.0, 1.0], 12)
    history = []
    reference(X, y, order=order, random_state=0, max_iter=PASSES, history=history)
    assert averaged(X, y, order=order, random_state=0).exact_weights().fractions() == mean(history)
    monkeypatch.setattr("separatrix.perceptron.averaging.MAX_VISIT_NUMBER", 5)
    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 30)
    assert averaged(X, y, order=order, random_state=0).exact_weights().fractions() == mean(history)
    monkeypatch.setattr("separatrix.perceptron.run.Run._prepare", lambda run: False)
    assert averaged(X, y, order=order, random_state=0).exact_weights().fractions() == mean(history)


def test_sums_of_visit_numbers_have_room():
    """Up to the span, the largest possible sum of numbers, and the multiple made of it, fit in 64 bits."""
    from separatrix.perceptron import averaging, run

    most = averaging.MAX_VISIT_NUMBER + run.NUMBERS_PER_CALL // 2
    assert most * (most + 1) < 2**63


def test_multiples_of_more_than_31_bits():
    X, y = np.array([[1.0], [0.1], [-0.3]]), np.array([1, 1, 0])
    from separatrix.problem.problem import Problem
    from separatrix.problem.sums import total

    for multiples in (np.array([2**61 + 5, 0, 2**31]), np.array([2**200 + 1, 3, 2**31 - 1], dtype=object)):
        expected = [
            sum(int(m) * z[j] for m, z in zip(multiples, lifted(X, [1, 1, -1], True), strict=True)) for j in range(2)
        ]
        assert total(Problem.of(X, y), multiples).fractions() == expected


def test_a_quotient_is_correctly_rounded():
    rng = np.random.RandomState(0)
    for exponent in (-1130, -1074, -40, 0, 900):
        numbers = [int(n) << int(s) for n, s in zip(rng.randint(-(2**62), 2**62, 30), rng.randint(0, 60, 30), strict=True)]
        for divisor in (1, 3, 7**20, 2**60 + 1):
            quotient = Quotient(Dyadic(numbers, exponent), divisor)
            expected = [float(Fraction(n) * Fraction(2) ** exponent / divisor) for n in numbers]
            assert quotient.round().tolist() == expected
            assert quotient.fractions() == [Fraction(n) * Fraction(2) ** exponent / divisor for n in numbers]
    assert Quotient(Dyadic([2, 4], 0), 2) == Dyadic([1, 2], 0)
    assert repr(Quotient(Dyadic([1, 4], 0), 2)) == "Quotient(['1/2', '2'])"
    with pytest.raises(OverflowError):
        Quotient(Dyadic([3], 1100), 2).round()


def test_rounding_the_mean_that_spoils_a_training_row_is_told():
    """Scores of 1e-16 of the norms, which rounding the mean changes the sign of."""
    told = 0
    for seed in range(40):
        X, w = planted(6, 6, 16, np.random.RandomState(seed))
        y = np.resize([0, 1], 6)
        perceptron = sx.Perceptron(average=True, fit_intercept=False, max_iter=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            perceptron.fit(X, y, coef_init=w, sample_weight=np.full(6, 1e-30))
        exact = perceptron.exact_weights().fractions()
        rounded = [Fraction(v) for v in perceptron.coef_[0]]
        rows = lifted(X, np.ones(6), False)
        changed = sum((dot(exact, z) > 0) != (dot(rounded, z) > 0) for z in rows)
        messages = [str(c.message) for c in caught if c.category is sx.RoundingWarning]
        assert len(messages) == bool(changed)
        assert not changed or f" {changed} training" in messages[0]
        told += bool(changed)
    assert told > 5


def test_predictions_are_those_of_the_stored_mean():
    X, y = sx.examples.load("iris-virginica")
    perceptron = averaged(X - X.mean(axis=0), y, order="shuffle", random_state=0)
    X = X - X.mean(axis=0)
    assert np.array_equal(perceptron.decision_function(X) > 0, perceptron.predict(X) == perceptron.classes_[1])
    assert perceptron.score(X, y) > 0.9


def test_from_a_guess_without_mistakes_in_random_order_the_mean_is_the_guess():
    perceptron = sx.Perceptron(average=True, order="random", random_state=0).fit([[1.0], [-1.0]], [1, 0], coef_init=[3.0])
    assert perceptron.n_mistakes_ == 0
    assert perceptron.exact_weights().strings() == ["3", "0"]


def test_what_an_averaged_perceptron_refuses():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron(average=True).fit(X, y)
    with pytest.raises(ValueError, match="average has changed since the last call"):
        perceptron.set_params(average=False).partial_fit(X, y)
    with pytest.raises(ValueError, match="average has changed since the last call"):
        sx.Perceptron().fit(X, y).set_params(average=True).partial_fit(X, y)
    with pytest.raises(ValueError, match="'average' parameter of Perceptron must be True or False"):
        sx.Perceptron(average="yes").fit(X, y)
    perceptron = sx.Perceptron(average=True).fit(X, y)
    ledger = sx.audit(perceptron, X, y)  # the theorem is about the run
    assert ledger.holds
    with pytest.raises(ValueError, match="average=False"):
        ledger.generalization()
