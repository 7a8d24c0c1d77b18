"""Certificates about the feature space of a polynomial kernel, against its definition in fractions."""

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from certificates import KERNEL, is_accepted, outcome
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import polynomial_gram, separability

import separatrix as sx
from separatrix import checker
from separatrix.checker import InvalidCertificate
from separatrix.problem.monomials import LongFeatures, PolynomialKernel, written_out
from separatrix.problem.problem import Problem
from separatrix.proof import claim_checks, verification
from separatrix.proof.certificate import Certificate

KERNELS = st.builds(
    PolynomialKernel,
    st.integers(1, 3),
    st.fractions(min_value=Fraction(1, 4), max_value=3, max_denominator=4),
    st.fractions(min_value=0, max_value=2, max_denominator=3),
)
"""Kernels with parameters that float64 need not hold: certificates may have any."""


@st.composite
def tables(draw):
    """Draw few rows of tenths, some of them equal, and labels of both classes."""
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 2))
    cells = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda labels: len(set(labels)) == 2))
    return np.array([[Fraction(cell, 10) for cell in row] for row in cells], object), np.array(y)


def entries(X):
    """Rows as the stand-alone checker takes decimals."""
    return [[(j, (int(value * 10), -1)) for j, value in enumerate(row) if value] for row in X]


def both(certificate, X, y):
    """Whether both checkers accept a certificate, in one voice."""
    answers = []
    for accepts in (lambda: sx.verify(certificate, X, y), lambda: alone(certificate, X, y)):
        try:
            accepts()
            answers.append(True)
        except InvalidCertificate:
            answers.append(False)
    assert answers[0] == answers[1]
    return answers[0]


def alone(certificate, X, y):
    checker.check(checker.validate(certificate.document()), list(zip(y.tolist(), entries(X), strict=True)))


@given(tables(), KERNELS, st.booleans())
def test_weighted_products_are_the_kernel(table, kernel, intercept):
    """The definition: K is the sum of c_m m(x) m(x')."""
    X, y = table
    images = written_out(Problem.of(X, y, intercept=intercept), kernel).points(list(range(len(y))))
    d = X.shape[1]
    problem = {"kernel": vars(kernel), "dimension": d, "intercept": intercept}
    *weights, constant = kernel.weights(d, intercept)
    assert checker.product_weights(problem) == weights + [constant] * bool(constant)
    assert checker.products(problem) == [each.places for each in kernel.monomials(d)]
    assert checker.width(problem) == kernel.number(d) == len(weights)
    K = polynomial_gram(X, X, intercept=intercept, **vars(kernel))
    for a, left in enumerate(images):
        for b, right in enumerate(images):
            assert sum(c * m * k for c, m, k in zip(weights, left, right, strict=True)) + constant == K[a][b]


@given(tables(), st.integers(1, 3), st.sampled_from([0.5, 1, 3]), st.sampled_from([0, 1, 0.75]), st.booleans())
def test_verdicts_are_proved_of_the_rows_themselves(table, degree, gamma, coef0, intercept):
    X, y = table
    verdict = sx.decide(X, y, kernel="poly", degree=degree, gamma=gamma, coef0=coef0, fit_intercept=intercept)
    certificate = verdict.certificate
    assert certificate.problem.kernel == PolynomialKernel(degree, Fraction(gamma), Fraction(coef0))
    assert both(certificate, X, y)
    again = Certificate.from_document(certificate.document())
    assert again.document() == certificate.document()
    assert both(again, X, y)
    problem = written_out(Problem.of(X, y, intercept=intercept), certificate.problem.kernel)
    points = np.array(problem.points(list(range(len(y)))), object)
    assert verdict.status == separability(points, y, problem.intercept)[0]


@given(tables(), st.integers(1, 2), st.sampled_from([0.5, 1, 3]), st.sampled_from([0, 1, 0.75]), st.booleans(),
       st.sampled_from(["lifted", "geometric"]))  # fmt: skip
def test_margins_are_proved_of_the_rows_themselves(table, degree, gamma, coef0, intercept, kind):
    X, y = table
    options = {"kernel": "poly", "degree": degree, "gamma": gamma, "coef0": coef0}
    verdict = sx.decide(X, y, fit_intercept=intercept, **options)
    if not verdict.separable:
        with pytest.raises(sx.NotSeparable) as refusal:
            sx.margin(X, y, kind=kind, fit_intercept=intercept, exact=True, **options)
        assert both(refusal.value.certificate, X, y)
        return
    found = sx.margin(X, y, kind=kind, fit_intercept=intercept, exact=True, **options)
    for certificate, larger in ((found.at_least, False), (found.at_most, True)):
        assert both(certificate, X, y)
        document = certificate.document()
        for factor in (Fraction(9, 10), Fraction(999_999, 10**6), Fraction(1_000_001, 10**6), Fraction(2)):
            document["margin"]["squared"] = str(certificate.margin.squared * factor)
            assert both(Certificate.from_document(document), X, y) == ((factor > 1) == larger)


@given(tables(), st.data())
def test_what_is_changed_is_refused_unless_it_is_true(table, data):
    """A separator under another kernel is one if, and only if, its products say so."""
    X, y = table
    verdict = sx.decide(X, y, kernel="poly", degree=2, gamma=1.0, coef0=data.draw(st.sampled_from([0.0, 1.0])))
    assume(verdict.separable)
    document = verdict.certificate.document()
    weights = document["separator"]["weights"]
    k = data.draw(st.integers(0, len(weights) - 1))
    weights[k] = str(int(weights[k]) + data.draw(st.integers(-3, 3)))
    problem = written_out(Problem.of(X, y), verdict.certificate.problem.kernel)
    w = [*map(int, weights), int(document["separator"]["intercept"])]
    scores = [
        label * sum(a * b for a, b in zip(w, [*point, 1], strict=True))
        for point, label in zip(problem.points(list(range(len(y)))), y.tolist(), strict=True)
    ]
    assert both(Certificate.from_document(document), X, y) == all(score > 0 for score in scores)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ({"degree": 0, "gamma": "1", "coef0": "0"}, "problem.kernel.degree must be an integer from 1 to 1000"),
        ({"degree": 2, "gamma": "0", "coef0": "0"}, "problem.kernel.gamma must be"),
        ({"degree": 2, "gamma": "1", "coef0": "-1"}, "problem.kernel.coef0 must be"),
        ({"degree": 2, "gamma": "1"}, "problem.kernel lacks the key 'coef0'"),
        (None, "problem.kernel must be an object"),
        ({"degree": 200, "gamma": "1", "coef0": "1"}, "at most 10,000 features"),
        ({"degree": 100, "gamma": f"1/{2**300}", "coef0": "1"}, "weights of more than 20,000 bits"),
        ({"degree": 1, "gamma": "1", "coef0": "0"}, "separator.weights must have 2 entries, not 3"),
        ({"degree": 2, "gamma": "1", "coef0": "1"}, "separator.weights must have 5 entries, not 3"),
        ({"degree": 2, "gamma": "2", "coef0": "0"}, None),  # a larger gamma, a larger margin
        ({"degree": 2, "gamma": "1/2", "coef0": "0"}, "nearer than the margin that is claimed"),
    ],
)
def test_kernels_of_documents(kernel, reason, tmp_path):
    table, text = KERNEL
    path = tmp_path / "xor.csv"
    path.write_text(table)
    document = json.loads(text)
    assert is_accepted(document, path)
    document["problem"]["kernel"] = kernel
    if reason is None:
        assert is_accepted(document, path)
        return
    assert reason in outcome(document, path)


def test_a_kernel_is_new_in_the_second_version():
    document = json.loads(KERNEL[1])
    first = copy.deepcopy(document)
    first["format"] = checker.FORMATS[0]
    for key in ("tie", "numbers"):
        del first["problem"][key]
    for key in ("skipped", "comment", "decimal", "thousands"):
        del first["problem"]["table"][key]
    with pytest.raises(InvalidCertificate, match="problem must not have the key 'kernel'"):
        checker.validate(first)
    del first["problem"]["kernel"]
    first["separator"]["weights"] = ["2", "-4"]
    checker.validate(first)


def test_too_many_rows_for_a_kernel():
    document = json.loads(KERNEL[1])
    document["problem"] |= {"rows": 10**8, "kernel": {"degree": 2, "gamma": "1", "coef0": "0"}}
    with pytest.raises(InvalidCertificate, match="more than 30,000,000 multiplications"):
        checker.validate(document)


def test_numbers_too_long_for_a_kernel():
    kernel = {"degree": 20, "gamma": Fraction(1), "coef0": Fraction(0)}
    problem = {"rows": 2, "dimension": 1, "intercept": True, "kernel": kernel}
    with pytest.raises(InvalidCertificate, match="more than 20,000 bits"):
        checker.lifted(problem, [(-1, [(0, 1e300)]), (1, [(0, 1e-300)])])


def test_a_tie_rule_needs_a_kernel_without_a_constant():
    X, y = np.array([[0, 0], [Fraction(1, 10)] * 2], object), np.array([-1, 1])
    plain = sx.decide(X, y, kernel="poly", degree=2, gamma=1.0, fit_intercept=False, tie="negative")
    assert plain.separable
    assert plain.certificate.problem.tie == "negative"
    assert both(plain.certificate, X, y)
    lifted = sx.decide(X, y, kernel="poly", degree=2, gamma=1.0, coef0=1.0, fit_intercept=False, tie="negative")
    assert lifted.certificate.problem.tie == "update"
    document = lifted.certificate.document()
    document["problem"]["tie"] = "negative"
    with pytest.raises(InvalidCertificate, match=r"problem\.tie must be"):
        checker.validate(document)


# ---- Long features, and many of them.


def test_features_too_long_for_the_fast_verifier_are_checked_all_the_same():
    """Rows of float64 with 253 features each, more than 100,000 long numbers: the stand-alone checker takes over."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((400, 22))
    y = np.where((X**2).sum(axis=1) > 22, 1, -1)
    found = sx.margin(X, y, kernel="poly", degree=2, gamma=1.0)
    for certificate in (found.at_least, found.at_most):
        sx.verify(certificate, X, y)
    document = found.at_most.document()
    document["margin"]["squared"] = str(found.at_most.margin.squared / 2)
    with pytest.raises(InvalidCertificate, match="more than the margin that is claimed"):
        sx.verify(Certificate.from_document(document), X, y)


def test_separators_of_long_features_tell_the_rows_that_they_go_through():
    X, y = np.array([[1.0 + 2.0**-40], [1.0 + 2.0**-40], [3.0 + 2.0**-40]]), np.array([-1, 1, 1])
    verdict = sx.decide(X, y, kernel="poly", degree=12, gamma=1.0)
    assert verdict.status == "quasi-separable"
    problem = Problem.of(X, y)
    assert claim_checks.check(verdict.certificate, problem) == verification._check_by_hand(verdict.certificate, problem) == 2


def test_features_that_are_too_long_are_refused_before_they_are_multiplied():
    rows = [[1.1e300, 3.7e-300], [2.2e300, 1.1e-300], [1.3e300, 0.7e-300]]
    with pytest.raises(LongFeatures, match="more than 1,000 bits"):
        written_out(Problem.of(rows * 30, [-1, 1, 1] * 30), PolynomialKernel(1000, Fraction(1), Fraction(0)))
    with pytest.raises(ValueError, match="more than 1,000 bits"):
        sx.decide(rows, [-1, 1, 1], kernel="poly", degree=299, gamma=1.0)


def test_many_long_features_are_refused_by_the_stand_alone_checker():
    kernel = {"degree": 2, "gamma": Fraction(1), "coef0": Fraction(0)}
    problem = {"rows": 100, "dimension": 139, "intercept": True, "kernel": kernel}
    rows = [(1, [(j, (1, -1900)) for j in range(139)])] * 100
    with pytest.raises(InvalidCertificate, match="more than 1,000,000,000 bits in all"):
        checker.lifted(problem, rows)
