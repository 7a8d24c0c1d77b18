"""The warning of a run that was stopped says whether it would halt, and is right."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from commands import XOR, succeeded, written
from hypothesis import given
from hypothesis import strategies as st
from reference import perceptron, separability
from sklearn.exceptions import ConvergenceWarning
from strategies import problems
from traces import TAME

import separatrix as sx
from separatrix.estimators.shared import prospects
from separatrix.estimators.shared.asking import unasked


def warning_of(X, y, fit=None, **parameters):
    """What a fit warns of; None if nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sx.Perceptron(**parameters).fit(X, y, **(fit or {}))
    told = [str(each.message) for each in caught if issubclass(each.category, ConvergenceWarning)]
    return told[0] if told else None


@given(problems(kinds=TAME, max_rows=6, max_columns=3), st.booleans(), st.sampled_from(["update", "positive", "negative"]))
def test_it_is_true(problem, intercept, tie):
    X, y = problem
    told = warning_of(X, y, max_iter=1, fit_intercept=intercept, tie=tie)
    trace, _, _, ended = perceptron(X, y, tie=tie, intercept=intercept, max_iter=400)
    status, _ = separability(X, y, intercept)
    if told is None:
        return
    assert "It never will" not in told or not ended
    if tie == "update" or intercept:
        assert ("It never will" in told) == (status != "separable")
    if "so that it will" in told:
        found = re.search(r"after ([0-9,]+) mistakes? at most", told)
        if found:  # classes may be so near that floating point proposes no margin
            said = int(found[1].replace(",", ""))
            assert len(trace) <= said
            assert said + 1 >= sx.mistake_bound(X, y, fit_intercept=intercept, tie=tie).bound[0]
    else:
        assert status != "separable"


def test_where_it_cannot_be_told_it_says_so(monkeypatch):
    X, y = sx.examples.load("credit")
    assert "after 106,556 mistakes at most" in warning_of(X, y, max_iter=2)
    started = warning_of(X, y, max_iter=2, fit={"coef_init": np.ones(10)})
    assert "so that it will: allow more passes (max_iter)" in started
    weighted = warning_of(X, y, max_iter=2, fit={"sample_weight": np.linspace(1, 2, len(y))})
    assert "so that it will: allow" in weighted
    halting = warning_of([[-1, -2], [2, 0], [-2, 0]], [-1, 1, 1], fit_intercept=False, tie="positive", max_iter=9)
    assert "Whether it will is not known" in halting
    assert "no vectors of weights" in warning_of(X, np.arange(len(y)) % 3, max_iter=2)
    for limits in ({"_MAX_NUMBERS": 0}, {"_SECONDS_FOR_FEW": 1e-9}, {"_FEW_NUMBERS": 0, "_SECONDS": 1e-9}):
        with monkeypatch.context() as patch:
            for name, value in limits.items():
                patch.setattr(prospects, name, value)
            told = warning_of(*sx.examples.load("credit-noisy"), max_iter=2)
        assert "Either no hyperplane separates the classes" in told
        assert "sx.decide says which, with a proof" in told


def test_the_command_line_names_commands(tmp_path):
    text = succeeded("fit", written(tmp_path, XOR), "--label", "odd", "--max-iter", "3")
    assert "It never will: no hyperplane separates the classes (separatrix decide has the proof)." in text
    assert "separatrix least-errors finds one" in text
    assert "sx." not in text


def test_nothing_else_changes(monkeypatch):
    X, y = sx.examples.load("credit-noisy")
    state = np.random.get_state()[1].copy()
    with pytest.warns(ConvergenceWarning):
        told = sx.Perceptron(max_iter=5, record=True, order="shuffle", random_state=0).fit(X, y)
    assert np.array_equal(np.random.get_state()[1], state)

    def never(*_):
        raise AssertionError("nobody listens")

    monkeypatch.setattr(prospects, "decide_problem", never)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        silent = sx.Perceptron(max_iter=5, record=True, order="shuffle", random_state=0).fit(X, y)
    assert np.array_equal(told.mistakes_, silent.mistakes_)
    assert told.exact_weights() == silent.exact_weights()
    with unasked(), pytest.warns(ConvergenceWarning, match="says which"):
        sx.Perceptron(max_iter=5).fit(X, y)


def test_floats_that_are_not_as_they_should_be_do_not_stop_it(monkeypatch):
    def refused(*_):
        raise FloatingPointError

    monkeypatch.setattr(prospects, "decide_problem", refused)
    assert "Either no hyperplane" in warning_of(*sx.examples.load("xor"), max_iter=3)


def told(estimator, X, y):
    with pytest.warns(ConvergenceWarning) as caught:
        estimator.fit(X, y)
    return " ".join(str(each.message) for each in caught)


@pytest.mark.parametrize("make", [sx.Perceptron, sx.VotedPerceptron, partial(sx.KernelPerceptron, kernel="linear")])
def test_rows_sorted_by_class_are_told_of(make):
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((60, 2)), np.repeat(["a", "b"], 30)
    hint = (
        "The rows are sorted by class, and visited in this order a whole class comes before the next: shuffle them (order="
    )
    assert hint in told(make(max_iter=2), X, y)
    assert hint in told(make(max_iter=2), X, np.repeat(["a", "b", "c"], 20))
    assert hint not in told(make(max_iter=2, order="shuffle", random_state=0), X, y)
    assert hint not in told(make(max_iter=2), X, np.resize(["a", "b"], 60))
    assert hint not in told(make(max_iter=2), X[20:40], y[20:40])  # too few to tell


def test_rows_sorted_by_class_are_told_of_on_the_command_line(tmp_path):
    rng = np.random.RandomState(0)
    lines = [
        f"{a:.3f},{b:.3f},{kind}" for (a, b), kind in zip(rng.standard_normal((60, 2)), "n" * 30 + "p" * 30, strict=True)
    ]
    table = tmp_path / "sorted.csv"
    table.write_text("\n".join(["a,b,kind", *lines]) + "\n", encoding="utf-8")
    text = " ".join(succeeded("fit", table, "--label", "kind", "--algorithm", "voted").split())
    assert "Note: " in text
    assert "The rows are sorted by class" in text
    assert "shuffle them (--order shuffle)" in text


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("make", [sx.Perceptron, sx.VotedPerceptron])
def test_nobody_is_told_to_standardise_what_is_standardised(make, sparse):
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((60, 3)), np.resize(["a", "b"], 60)
    raw = X * [1.0, 30.0, 1.0]
    if sparse:
        X, raw = X * (X > 0), raw * (X > 0)
    scaled = sx.Scaler("standard").fit_transform(X)
    for labels in (y, np.resize(["a", "b", "c"], 60)):
        for rows in (scaled, np.column_stack([scaled, np.full(60, 7.0)])):
            given = sp.csr_array(rows) if sparse else rows
            with unasked():
                assert "standardise" not in told(make(max_iter=2), given, labels)
        given = sp.csr_array(raw) if sparse else raw
        with unasked():
            assert "standardise" in told(make(max_iter=2), given, labels)
            assert sparse or "standardise" in told(make(max_iter=2), scaled + np.array([5.0, 0.0, 0.0]), labels)


def test_the_command_line_does_not_advise_to_scale_scaled_rows(tmp_path):
    rng = np.random.RandomState(0)
    for classes in ("ab", "abc"):
        lines = [
            f"{a:.3f},{100 * b:.1f},{classes[i % len(classes)]}" for i, (a, b) in enumerate(rng.standard_normal((60, 2)))
        ]
        table = written(tmp_path, "\n".join(["a,b,kind", *lines]) + "\n")
        for algorithm in ("perceptron", "voted"):
            options = ("fit", table, "--label", "kind", "--algorithm", algorithm, "--max-iter", "2", "--order", "shuffle")
            advised = re.compile("standardise|--scale standard")
            assert not advised.search(succeeded(*options, "--scale", "standard"))
            if algorithm == "voted" or len(classes) > 2:
                assert advised.search(succeeded(*options))
