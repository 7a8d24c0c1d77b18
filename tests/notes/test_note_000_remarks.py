"""The remarks at the end of Press's notes, item by item, on rows of one's own."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
import reference
from commands import separatrix, succeeded
from fits import quietly
from hypothesis import given
from hypothesis import strategies as st
from press import ANY, AS_PRESS, DECIMALS, SETS, WHOLE, audited, each, fit, fractions, is_wrong, literally, signed, written
from reference import dot
from scipy.optimize import linprog
from scipy.stats import norm, rv_discrete
from slips import assert_listed
from traces import FEW

import separatrix as sx

XOR = fractions([(-1, -1), (1, 1), (-1, 1), (1, -1)]), [-1, -1, 1, 1]
OVERLAPPING = fractions([(1, 2), (2, 1), (3, 3), (-1, 1), (4, 0)]), [1, 1, -1, -1, 1]


@each
def test_027_classifiers_are_infinitely_many_and_the_algorithm_gives_one(rows, labels):
    found = fit(rows, labels)
    w = found.exact_weights().fractions()[: len(rows[0])]
    best = sx.margin(rows, labels, fit_intercept=False).weights.fractions()
    between = [[a * t + b * (1 - t) for a, b in zip(w, best, strict=True)] for t in (Fraction(k, 1000) for k in range(1000))]
    assert all(sx.count_errors(v, 0, rows, labels, tie="positive").count == 0 for v in (w, *between[::50]))
    slopes = {tuple(a / v[0] for a in v) for v in between if v[0]}
    assert len(slopes) == 1000  # and as many more as there are numbers from 0 to 1
    others = {tuple(fit(rows, labels, order=o).coef_[0]) for o in ([*range(len(rows))][::-1], np.roll(range(len(rows)), 3))}
    assert all(sx.count_errors(v, 0, rows, labels, tie="positive").count == 0 for v in others)


@pytest.mark.parametrize("name", ["decimals", "thirds"])
def test_028_the_maximum_margin_classifier_is_better(name):
    rows, labels = SETS[name]
    Z = np.array(signed(rows, labels), float)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    drawn = (Z @ [np.cos(angles), np.sin(angles)]).min(axis=0).max()
    margin = sx.margin(rows, labels, fit_intercept=False, exact=True)
    assert drawn <= margin.hi + 1e-12
    assert drawn >= margin.lo * (1 - 1e-3)
    squares = []
    for classifier in (sx.MaxMargin(fit_intercept=False).fit(rows, labels), fit(rows, labels)):
        w = classifier.exact_weights().fractions()[:2]
        least = min(dot(w, z) for z in signed(rows, labels))
        squares.append(least * abs(least) / dot(w, w))
    assert float(squares[0]) == pytest.approx(margin.lo**2, rel=1e-8)
    assert squares[1] < squares[0] <= margin.hi_squared


@pytest.mark.parametrize(("near", "far"), [(1, 2), (3, 5)])
def test_029_without_the_label_the_formula_gives_something_else(near, far):
    assert_listed("Press, remark 1", "with-the-label")
    rows, labels = fractions([(near, 1), (far, 1)]), [1, -1]
    angles = np.linspace(0, np.pi, 20_001)
    units = np.column_stack([np.cos(angles), np.sin(angles)])
    sizes = np.abs(units @ np.array(rows, float).T).min(axis=1)
    margin = sx.margin(rows, labels, fit_intercept=False)
    assert sizes.max() > 2 * margin.hi
    best = units[sizes.argmax()]
    assert sx.count_errors(best, 0, rows, labels).count == sx.count_errors(-best, 0, rows, labels).count == 1


def test_030_it_fails_on_exclusive_or(tmp_path):
    rows, labels = XOR
    X, y = sx.examples.load("xor-signs")
    assert (X.tolist(), y.tolist()) == (rows, labels)
    trace, w, _, ended = literally(rows, labels, max_passes=1)
    assert (w, ended) == ([0, 0], False)  # after a pass as before it, and so for ever
    run = quietly(sx.conventions.get("press").perceptron(record=True, max_iter=100), X, y)
    assert run.mistakes_.tolist() == trace * 100
    assert not run.halted_
    for intercept, tie in itertools.product((False, True), ("update", "positive", "negative")):
        assert not sx.decide(X, y, fit_intercept=intercept, tie=tie).separable
    said = separatrix("fit", written(tmp_path / "xor.csv", rows, labels), "--label", "y", *AS_PRESS, "--max-iter", "50")
    assert "It never will" in said.stdout + said.stderr


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("rows", "labels"), [XOR, OVERLAPPING], ids=["xor", "own"])
def test_031_why_it_fails(rows, labels, intercept):
    verdict = sx.decide(rows, labels, fit_intercept=intercept)
    proof, Z = verdict.certificate.obstruction, reference.lifted(np.array(rows), labels, intercept)
    assert all(m > 0 for m in proof.multipliers)
    parts = [[m * cell for cell in Z[i]] for i, m in zip(proof.rows, proof.multipliers, strict=True)]
    assert [sum(column) for column in zip(*parts, strict=True)] == [0] * len(Z[0])
    assert "0 > 0" in verdict.explain()
    run = quietly(sx.Perceptron(fit_intercept=intercept, max_iter=50), rows, labels)
    assert "the run cannot halt" in sx.audit(run, rows, labels).explain()


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("rows", "labels"), [DECIMALS, WHOLE, XOR, OVERLAPPING], ids=["decimals", "whole", "xor", "own"])
def test_032_least_squares(rows, labels, intercept, tmp_path):
    A = [[*row, Fraction(1)] if intercept else row for row in rows]
    normal = [[sum(a[i] * a[j] for a in A) for j in range(len(A[0]))] for i in range(len(A[0]))]
    right = [sum(label * a[i] for label, a in zip(labels, A, strict=True)) for i in range(len(A[0]))]
    [relation] = reference.kernel([[*row, -r] for row, r in zip(normal, right, strict=True)])
    w = relation[:-1]  # the last is 1
    found = sx.LeastSquaresClassifier(fit_intercept=intercept).fit(rows, labels)
    assert [*found.coef_[0], *found.intercept_][: len(w)] == list(map(float, w))
    if (rows, labels) == XOR:
        assert not any(w)
        data = written(tmp_path / "xor.csv", rows, labels)
        said = json.loads(succeeded("fit", data, "--label", "y", "--algorithm", "least-squares", "--json"))
        assert (said["coef"], said["intercept"], said["training_errors"]) == ([0.0, 0.0], 0.0, 2)


@pytest.mark.parametrize(("rows", "labels"), [*SETS.values(), XOR, OVERLAPPING], ids=[*SETS, "xor", "own"])
def test_033_linear_programming(rows, labels):
    machine = sx.LinearProgramClassifier().fit(rows, labels)
    Z = np.array(reference.lifted(np.array(rows), labels, True), float)
    share = np.array([1 / labels.count(label) for label in labels])  # a mean over either class
    n, d = Z.shape
    least = linprog([*[0] * d, *share], -np.hstack([Z, np.eye(n)]), -np.ones(n), bounds=[(None, None)] * d + [(0, None)] * n)
    assert machine.violation_ == pytest.approx(least.fun, abs=1e-9)
    assert machine.separated_ == sx.decide(rows, labels).separable == ((rows, labels) in SETS.values())
    if machine.separated_:
        assert sx.count_errors(machine.coef_[0], machine.intercept_[0], rows, labels).count == 0


@pytest.mark.parametrize(("rows", "labels"), [WHOLE, OVERLAPPING], ids=["whole", "own"])
def test_034_side_by_side(rows, labels, tmp_path):
    data = written(tmp_path / "own.csv", rows, labels)
    said = json.loads(succeeded("compare", data, "--label", "y", "--cv", "0", "--scale", "none", "--json"))
    table = {line["name"]: line for line in said["table"]}
    classifiers = {"least squares": sx.LeastSquaresClassifier(), "linear program": sx.LinearProgramClassifier()}
    for name, classifier in classifiers.items():
        assert table[name]["errors"] == np.count_nonzero(classifier.fit(rows, labels).predict(rows) != labels)
    assert {"perceptron", "pocket", "max margin"} < set(table)
    Z = np.array(reference.lifted(np.array(rows), labels, True), int)
    drawn = np.array(list(itertools.product(range(-4, 5), repeat=Z.shape[1])))
    assert said["lower_bound"] == np.count_nonzero(drawn @ Z.T <= 0, axis=1).min()


def polynomials():
    """A Hilbert space that is none of rows: functions on [0, 1], with the integral of their product."""
    coefficients = [(1, 0, -2), (0, 3, -1), (-1, 1, 1), (2, -3, 0), (-1, 0, 1), (1, -1, 0), (0, 0, 1), (-2, 4, -1)]
    size = range(3)
    K = [
        [sum(Fraction(a[i] * b[j], i + j + 1) for i in size for j in size) for b in coefficients] for a in coefficients
    ]  # fmt: skip
    return K, [1 if a[0] + Fraction(a[1], 2) + Fraction(a[2], 3) > Fraction(1, 10) else -1 for a in coefficients]


def test_035_a_hilbert_space_is_enough():
    K, labels = polynomials()
    rule = {"kernel": "precomputed", "fit_intercept": False}
    run = sx.KernelPerceptron(tie="positive", record=True, **rule).fit(K, labels)
    trace, _, passes, ended = reference.dual_perceptron(K, labels, tie="positive")
    assert sx.decide(K, labels, **rule).separable
    assert ended
    assert (run.mistakes_.tolist(), run.n_iter_) == (trace, passes)
    ledger = sx.audit(run, K, labels)
    assert ledger.holds
    assert ledger.mistakes == len(trace) > 0
    for k in range(1, len(trace) + 1):  # the length, by products alone
        pairs = itertools.product(trace[:k], repeat=2)
        assert ledger.squared_length[k - 1] == pytest.approx(float(sum(labels[i] * labels[j] * K[i][j] for i, j in pairs)))
    assert "Hilbert space" in ledger.explain()


@pytest.mark.parametrize("where", ["functions", "xor"])
def test_036_the_bound_in_feature_space(where):
    if where == "functions":
        (K, labels), rule = polynomials(), {"kernel": "precomputed", "fit_intercept": False}
        rows = K
    else:
        rows, labels = XOR
        rule = {"kernel": "poly", "degree": 2, "gamma": 1.0}
        K = reference.polynomial_gram(np.array(rows, float), np.array(rows, float), degree=2)
    run = sx.KernelPerceptron(**rule).fit(rows, labels)
    ledger, margin = sx.audit(run, rows, labels), sx.margin(rows, labels, exact=True, **rule)
    signs = [[labels[i] * labels[j] * K[i][j] for j in range(len(K))] for i in range(len(K))]
    mix = dict(zip(margin.rows, margin.multipliers, strict=True))
    assert sum(mix.values()) == 1
    assert min(mix.values()) >= 0
    length = sum(a * b * signs[i][j] for i, a in mix.items() for j, b in mix.items())
    least = min(sum(a * signs[i][j] for i, a in mix.items()) for j in range(len(K)))
    assert length == margin.squared == least * least / length  # so that no unit vector has a larger least score
    radius = max(K[i][i] for i in range(len(K)))
    assert ledger.radius_squared == radius
    assert ledger.bound[1] == pytest.approx(float(radius / margin.squared), rel=1e-12)
    assert ledger.mistakes <= radius / margin.squared <= Fraction(run.bound_) * (1 + Fraction(1, 2**40))


@each
def test_037_what_to_expect_of_novel_data(rows, labels):
    if labels.count(1) == 1:  # left out, it leaves one class
        rows, labels = rows * 2, labels * 2
    n, ledger = len(rows), audited(rows, labels)
    wrong = 0
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        w = literally([rows[j] for j in rest], [labels[j] for j in rest])[1]
        wrong += is_wrong(w, rows[i], labels[i])
    bounds = {bound.name: bound.value for bound in ledger.generalization(folds=0).bounds}
    assert bounds["leave-one-out"] == pytest.approx(np.count_nonzero(ledger.updates) / n)
    assert wrong / n <= bounds["leave-one-out"]
    assert all(0 <= value <= 1 for value in bounds.values())
    new = [[cell + Fraction(1, 2) for cell in row] for row in rows]
    estimate = ledger.generalization(X=new, y=labels).estimate
    w = literally(rows, labels)[1]
    share = sum(is_wrong(w, row, label) for row, label in zip(new, labels, strict=True)) / n
    assert estimate == pytest.approx(share)


@given(ANY, st.sampled_from([1, 0.1, "0.1", "1/3", 0.05]))
@FEW
def test_038_perfect_on_the_training_data(problem, eta0):
    X, y = problem
    run = quietly(sx.conventions.get("press").perceptron(max_iter=30, eta0=eta0), X, y)
    assert run.converged_ == literally(fractions(X.tolist()), y.astype(int).tolist(), max_passes=30)[3]
    if run.converged_:
        assert run.predict(X).tolist() == y.tolist()
        assert run.score(X, y) == 1.0


def test_039_the_bayes_classifier_is_the_optimum():
    tables, priors = ([0.1, 0.2, 0.3, 0.4], [0.45, 0.25, 0.15, 0.15]), [0.4, 0.6]  # of the four values of two bits
    bayes = sx.BayesClassifier([rv_discrete(values=(range(4), table)) for table in tables], priors=priors)
    risks = {}
    for rule in itertools.product((0, 1), repeat=4):  # all there are
        risks[rule] = sum(priors[k] * tables[k][cell] for cell, says in enumerate(rule) for k in (0, 1) if k != says)
    best = min(risks, key=risks.__getitem__)
    assert bayes.predict([[cell] for cell in range(4)]).tolist() == list(best)
    assert bayes.risk().value == pytest.approx(risks[best])
    assert sorted(risks.values())[1] > risks[best] + 1e-9


@pytest.mark.parametrize("distance", [1.0, 2.0, 3.5])
def test_039_no_hyperplane_beats_it_where_classes_are_gaussian(distance):
    source = sx.examples.TwoGaussians(distance=distance, dimension=2)
    least = source.bayes.risk().value
    assert least == pytest.approx(norm.cdf(-distance / 2))
    X, y = source.sample(60, random_state=1)
    for classifier in (sx.LeastSquaresClassifier(), sx.LinearProgramClassifier(), sx.Perceptron(max_iter=20)):
        learnt = quietly(classifier, X, y)
        assert source.risk(learnt.coef_, learnt.intercept_) > least
    rng = np.random.RandomState(0)
    assert all(source.risk(rng.standard_normal((1, 2)), rng.standard_normal(1)) >= least for _ in range(200))
