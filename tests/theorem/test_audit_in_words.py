"""What an audit tells: of rows that are not separable, of new rows, and of real data in the documentation."""

import math
import os
import re
import time
import tracemalloc
import warnings

import numpy as np
import pytest
from fits import fitted
from paths import DOCS
from reference import lifted
from strategies import noisy

import separatrix as sx
from separatrix.problem.problem import Problem
from separatrix.theorem.auditing import audit
from separatrix.theorem.one_pass import Shortfall, online_bound, online_pass

THEOREM = DOCS / "theorem.md"


# Not separable.


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tie", ["update", "positive"])
def test_freund_and_schapire_hold_for_every_direction_and_margin(seed, tie):
    X, y = noisy(80, 3, 0.05 + 0.02 * seed, seed)
    rng = np.random.RandomState(seed + 100)
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
    X, _ = noisy(2000, 2, 0.0, 1)
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
    assert "the run cannot halt" in text  # with an intercept, whatever a score of 0 predicts
    assert ("whatever a score of 0 predicts" in text) == (tie != "update")
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
        X, y = noisy(25, 2, 0.0, seed)
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
    X, y = noisy(400, 2, 0.0, 3)
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
    X, y = noisy(200, 2, 0.0, 5)
    order = np.argsort(y, kind="stable")
    assert audit(fitted(X, y, max_iter=10**6), X, y).generalization(folds=0).caution == ""
    book = audit(fitted(X[order], y[order], max_iter=10**6), X[order], y[order])
    assert "The labels change only once" in book.generalization(folds=0).explain()


def test_one_mistake_is_one_mistake():
    X, y = [[1.0], [-1.0]], [1, -1]
    ledger = audit(sx.Perceptron(fit_intercept=False).fit(X, y), X, y)
    assert repr(ledger) == "<Ledger: 1 mistake, at most 1 allowed; holds>"
    kernel = sx.KernelPerceptron(kernel="linear", fit_intercept=False).fit(X, y)
    assert repr(audit(kernel, X, y)) == "<KernelLedger: 1 mistake, at most 1 allowed; holds>"
    assert "m = 1 row erred on, k = 1 mistake and n = 2 rows" in ledger.generalization(folds=0).explain()


def test_formats():
    X, y = sx.examples.load("and")
    book = audit(fitted(X, y), X, y)
    assert r"\gamma = \sqrt{1/17}" in book.explain("latex")
    assert "`" not in book.explain() + book.explain("latex")
    assert book._repr_markdown_() == book.explain("markdown")
    for explain in (book.explain, book.generalization().explain):
        with pytest.raises(ValueError, match="'text', 'markdown', 'latex', 'html'"):
            explain("rtf")


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


@pytest.mark.slow
def test_a_long_run_takes_seconds_and_little_memory():
    X, y = standardised_cancer()
    perceptron = fitted(X, y, record=True, max_iter=1_000_000)
    audit(fitted(X[:100], y[:100], record=True, max_iter=5), X[:100], y[:100])  # compiled
    tracemalloc.start()
    started = time.process_time()  # of this process, whatever else the machine does
    book = audit(perceptron, X, y)
    seconds = time.process_time() - started
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
