"""Separable under a tie rule: by brute force, by runs, and by the theorem that connects the two."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix import checker

TIES = {"update": 0, "positive": 1, "negative": -1}

WEIGHTS = range(-5, 6)
"""Whole weights that are enough for all threshold functions of three inputs, with their intercepts."""


def right(score, label, tie):
    """Whether a score is right for a label."""
    return (score > 0) - (score < 0) == label or (score == 0 and TIES[tie] == label)


def lift(X, intercept):
    return [(*row, 1) if intercept else tuple(row) for row in X]


def scores_in_grid(X, intercept):
    """Return the scores of all rows under all weights in a grid."""
    rows = np.array(lift(X, intercept))
    return np.array(list(itertools.product(WEIGHTS, repeat=rows.shape[1]))) @ rows.T


def solvable(scores, y, tie):
    """Whether some weights have all rows right."""
    signs = np.sign(scores)
    signs[signs == 0] = TIES[tie]
    return bool(np.any(np.all(signs == y, axis=1)))


def halts(X, y, tie, intercept, start, order):
    """Whether a cyclic run comes to a pass without a mistake; else it comes to weights that it began a pass with before."""
    rows = lift(X, intercept)
    w, seen = list(start), set()
    while tuple(w) not in seen:
        seen.add(tuple(w))
        clean = True
        for i in order:
            if not right(sum(a * b for a, b in zip(w, rows[i], strict=True)), y[i], tie):
                clean = False
                w = [a + y[i] * b for a, b in zip(w, rows[i], strict=True)]
        if clean:
            return True
    return False


def functions(inputs, low):
    """All Boolean functions of so many inputs, with labels -1 and 1; the inputs are coded low and 1."""
    X = list(itertools.product((low, 1), repeat=inputs))
    for y in itertools.product((-1, 1), repeat=len(X)):
        yield X, list(y)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("low", [0, -1])
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_all_boolean_functions(inputs, low, intercept):
    rng = np.random.RandomState(inputs)
    scores = scores_in_grid(list(itertools.product((low, 1), repeat=inputs)), intercept)
    for X, y in functions(inputs, low):
        for tie in TIES:
            verdict = sx.decide(X, y, fit_intercept=intercept, tie=tie)
            assert verdict.separable == solvable(scores, y, tie), (X, y, tie)
            assert verdict.strict == sx.decide(X, y, fit_intercept=intercept).status
            assert not verdict.always_halts or verdict.separable
            sx.verify(verdict.certificate, X, y)
            starts = [[0] * (inputs + intercept), rng.randint(-3, 4, inputs + intercept).tolist()]
            orders = [range(len(X)), rng.permutation(len(X)).tolist()]
            ended = [halts(X, y, tie, intercept, list(w), order) for w in starts for order in orders]
            if verdict.always_halts:
                assert all(ended)
            if any(ended):
                assert verdict.separable
            if not verdict.separable:
                assert not any(ended)


def test_solvable_where_the_run_errs_for_ever():
    X, y = [(-1, -2), (2, 0), (-2, 0)], [-1, 1, 1]
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive")
    assert verdict.separable
    assert verdict.strict != "separable"
    assert not verdict.always_halts
    assert not halts(X, y, "positive", False, (0, 0), range(3))
    run = sx.Perceptron(tie="positive", fit_intercept=False, max_iter=50)
    with pytest.warns(sx.ConvergenceWarning if hasattr(sx, "ConvergenceWarning") else Warning):
        run.fit(X, y)


def test_rows_of_zeros_do_no_harm_in_the_class_that_wins():
    verdict = sx.decide([[0], [1]], [-1, 1], fit_intercept=False, tie="negative")
    assert verdict.separable
    assert verdict.always_halts
    assert verdict.strict == "quasi-separable"
    lost = sx.decide([[0], [1]], [-1, 1], fit_intercept=False, tie="positive")
    assert not lost.separable
    assert lost.witness.tolist() == [0]


def test_one_class_is_separable_by_nothing_at_all():
    X, y = [[1], [-1]], [1, 1]
    assert not sx.decide(X, y, fit_intercept=False).separable
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive", positive=1)
    assert verdict.separable
    assert not verdict.coef.any()
    assert not sx.decide(X, y, fit_intercept=False, tie="negative", positive=1).separable


small = st.integers(-2, 2)


@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[small] * d, st.sampled_from([-1, 1])), min_size=1, max_size=7))
)
def test_certificates_under_a_tie_rule(rows):
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    for tie in ("positive", "negative"):
        verdict = sx.decide(X, y, fit_intercept=False, tie=tie)
        document = verdict.certificate.document()
        certificate = checker.parse(json.dumps(document))
        entries = [(label, [(j, float(v)) for j, v in enumerate(row) if v]) for row, label in zip(X, y, strict=True)]
        assert checker.check(certificate, entries).startswith("Proved")
        sx.verify(verdict.certificate, X, y)
        loser = -TIES[tie]
        obstruction = verdict.certificate.obstruction
        if obstruction is not None:
            assert any(label == loser for label in obstruction.labels)
        # What is claimed under the rule must not pass for a claim without it, nor under the other one, unless it is so.
        for other in TIES:
            tampered = {**document, "problem": {**document["problem"], "tie": other}}
            holds = verdict.certificate.claim == "separable" and all(
                right(sum(a * b for a, b in zip(verdict.certificate.separator.weights, x, strict=True)), label, other)
                for x, label in zip(X, y, strict=True)
            )
            if verdict.certificate.claim != "separable":
                holds = other == "update" or any(label == -TIES[other] for label in obstruction.labels)
            try:
                checker.check(checker.parse(json.dumps(tampered)), entries)
                passed = True
            except checker.InvalidCertificate:
                passed = False
            assert passed == holds
            try:
                sx.verify(type(verdict.certificate).from_document(tampered), X, y)
                verified = True
            except sx.InvalidCertificate:
                verified = False
            assert verified == holds
