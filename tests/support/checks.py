"""What is expected of every classifier of the family, as checks that take a member; `test_contract.py` runs them all.

A `Member` says how a classifier is made and what is promised of it, as the table of the family does. A check that does not
apply to a member is skipped, for the reason that `reason_to_skip` gives.
"""

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import separatrix as sx
from separatrix.estimators import family


@dataclass(frozen=True)
class Member:
    """A classifier of the family."""

    name: str
    make: Callable[[], Any]
    promised: family.Member
    """What the table of the family says of it."""
    multiclass: bool = False
    """Whether it is to learn three classes."""

    @property
    def separable_only(self):
        return self.promised.separable_only

    @property
    def learns(self):
        """Whether what it predicts depends on the rows."""
        return get_tags(self.make()).requires_fit

    def fit(self, X, y, **more):
        """Fit a new one; that perceptrons do not come to rest is nothing to worry about here."""
        return quietly(self.make(), X, y, **more)

    def rows(self):
        """Rows it can learn from: 60 decimals of two classes, or of three; zeros and equal rows included."""
        rng = np.random.RandomState(0)
        d = 1 if not self.learns else 3
        X = rng.randint(-3, 4, (60, d)) / 10
        y = X.sum(axis=1) + (0 if self.separable_only else rng.randint(-2, 3, 60) / 10) > 0.05
        return X, y.astype(int) + (X[:, 0] > 0.15 if self.multiclass else 0)

    def labels(self, y, kind):
        """Labels of another kind, in the same order."""
        names = {"string": ["a", "b", "c"], "integer": [-7, 3, 40], "boolean": [False, True, True],
                 "large": np.array([1, 2**63, 2**63 + 1], np.uint64)}[kind]  # fmt: skip
        return np.asarray(names)[y]


QUICK = {"max_iter": 20, "max_updates": 300, "random_state": 0, "gamma": 0.5}
"""Parameters that make a fit short and repeatable, for all that have them."""

OWN = {
    "perceptron": {"record": True},
    "voted": {"max_iter": 5},
    "bayes": {"distributions": [norm(-1, 1), norm(1, 1)]},
    "bayes of three classes": {"distributions": [norm(-1, 1), norm(1, 1), norm(2, 1)]},
}
"""Further parameters, by name."""


def members():
    """Yield every member of the family, and once more with three classes if it learns so many; and another kernel."""
    for promised in family.FAMILY:
        names = signature(promised.load()).parameters
        quick = {name: value for name, value in QUICK.items() if name in names}
        for name, multiclass in ((promised.name, False), (f"{promised.name} of three classes", True)):
            if promised.multiclass or not multiclass:
                yield Member(name, partial(promised.make, **quick | OWN.get(name, {})), promised, multiclass)
    polynomial = partial(sx.KernelPerceptron, kernel="poly", degree=2, gamma=1.0, max_iter=20)
    yield Member("polynomial", polynomial, family.KINDS["kernel"])


MEMBERS = list(members())


def quietly(estimator, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(X, y, **more)


def learnt(estimator):
    """What was learnt, as arrays by their names: all published attributes that are numbers."""
    names = ("coef_", "intercept_", "support_", "dual_coef_", "survivals_", "n_mistakes_", "n_iter_", "n_errors_",
             "weighted_error_", "margin_")  # fmt: skip
    return {name: np.asarray(getattr(estimator, name)) for name in names if getattr(estimator, name, None) is not None}


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


def input_is_not_changed(member):
    X, y = member.rows()
    sparse = sp.csr_array(X)
    before = (X.copy(), y.copy(), sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy())
    for rows in (X, sparse):
        fitted = member.fit(rows, y)
        fitted.predict(rows)
        fitted.decision_function(rows)
    for array, copy in zip((X, y, sparse.data, sparse.indices, sparse.indptr), before, strict=True):
        assert np.array_equal(array, copy)
    X.setflags(write=False)
    member.fit(X, y).predict(X)


def clones_are_independent(member):
    X, y = member.rows()
    original = member.fit(X, y)
    before, predicted = learnt(original), original.predict(X).tolist()
    copy = clone(original)
    assert not hasattr(copy, "n_features_in_")
    quietly(copy, 2.0 * X[:40], y[:40])
    same(learnt(original), before)
    assert original.predict(X).tolist() == predicted
    parameters = original.get_params(deep=False)
    again = type(original)(**parameters)
    assert all(again.get_params(deep=False)[name] is parameters[name] for name in parameters)
    same(learnt(quietly(again.set_params(**parameters), X, y)), before)


def sparse_equals_dense(member):
    """Exact members learn the same bits. Scores are rounded sums, whose signs are exact: these are the same for all."""
    X, y = member.rows()
    rows = sp.csr_array(X)
    dense, sparse = member.fit(X, y), member.fit(rows, y)
    if member.promised.exact:
        same(learnt(sparse), learnt(dense))
    assert sparse.predict(rows).tolist() == dense.predict(X).tolist()
    expected = dense.decision_function(X)
    for scores in (sparse.decision_function(rows), dense.decision_function(rows)):
        assert np.allclose(scores, expected, rtol=1e-8, atol=1e-8)
        assert np.array_equal(np.sign(scores), np.sign(expected))


def weights_are_repetitions(member):
    X, y = member.rows()
    times = np.random.RandomState(1).randint(0, 4, len(y))
    weighted = member.fit(X, y, sample_weight=times)
    repeated = member.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-8, atol=1e-8)
    if hasattr(weighted, "violation_"):
        assert weighted.violation_ == pytest.approx(repeated.violation_, rel=1e-9)


def weights_count_errors(member):
    """Weights of the pocket weigh errors, as if rows were repeated; they do not change the draws."""
    X, y = member.rows()
    times = np.random.RandomState(1).randint(1, 4, len(y))
    fitted = member.fit(X, y, sample_weight=times)
    assert fitted.weighted_error_ == times[fitted.predict(X) != y].sum()
    assert np.sum(np.repeat(fitted.predict(X) != y, times)) == fitted.weighted_error_


def swapped_labels_mirror_the_run(member):
    X, y = member.rows()
    one, other = member.fit(X, y), member.fit(X, 1 - y)
    assert np.array_equal(one.decision_function(X), -other.decision_function(X))
    for name in ("n_mistakes_", "n_iter_", "n_updates_", "mistakes_", "survivals_", "support_", "n_errors_"):
        if hasattr(one, name):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("coef_", "intercept_", "dual_coef_"):
        if hasattr(one, name):
            assert np.array_equal(getattr(one, name), -getattr(other, name)), name


def pickles_are_whole(member):
    X, y = member.rows()
    fitted = member.fit(pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]), y)
    copy = pickle.loads(pickle.dumps(fitted))
    same(learnt(copy), learnt(fitted))
    rows = pd.DataFrame(X, columns=fitted.feature_names_in_)
    assert np.array_equal(copy.decision_function(rows), fitted.decision_function(rows))
    with pytest.raises(ValueError, match="feature names"):
        copy.predict(rows.rename(columns={"c0": "other"}))


def tables_keep_their_names(member):
    X, y = member.rows()
    names = [f"c{j}" for j in range(X.shape[1])]
    expected = member.fit(X, y)
    for table in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        fitted = member.fit(table, y)
        assert fitted.feature_names_in_.tolist() == names
        same(learnt(fitted), learnt(expected))
        assert fitted.predict(table).tolist() == expected.predict(X).tolist()
        renamed = table.rename({"c0": "x"}) if isinstance(table, pl.DataFrame) else table.rename(columns={"c0": "x"})
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(renamed)
    with pytest.raises(ValueError, match="features"):
        expected.predict(np.zeros((2, len(names) + 1)))


def weights_are_routed(member):
    X, y = member.rows()
    weights = np.linspace(0.5, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), member.make().set_fit_request(sample_weight=True)
        )
        routed = quietly(pipeline, X, y, sample_weight=weights)[-1]
    rows = StandardScaler().fit_transform(X)
    same(learnt(routed), learnt(member.fit(rows, y, sample_weight=weights)))
    plain = learnt(member.fit(rows, y))
    assert any(not np.array_equal(plain[name], learnt(routed).get(name)) for name in plain)


def weights_without_meaning_are_refused(member):
    X, y = member.rows()
    with pytest.raises(TypeError, match="sample_weight"):
        member.make().fit(X, y, sample_weight=np.ones(len(y)))


def labels_of_any_kind(member):
    X, y = member.rows()
    kinds = ["string", "integer", "large"] + ([] if member.multiclass else ["boolean"])
    scores = []
    for kind in kinds:
        labels = member.labels(y, kind)
        fitted = member.fit(X, labels)
        assert fitted.classes_.tolist() == sorted(set(labels.tolist()))
        assert fitted.predict(X).dtype.kind == labels.dtype.kind
        assert set(fitted.predict(X).tolist()) <= set(labels.tolist())
        scores.append(fitted.decision_function(X))
        listed = member.fit(X, labels.tolist())
        assert listed.predict(X).tolist() == fitted.predict(X).tolist()
    assert all(np.array_equal(each, scores[0]) for each in scores)


def one_class_is_refused(member):
    X, y = member.rows()
    with pytest.raises(ValueError, match="class"):
        member.make().fit(X, np.zeros_like(y))


def a_refused_fit_changes_nothing(member):
    """Neither what was learnt before nor, the first time, that nothing was."""
    X, y = member.rows()
    other = np.hstack([X, X])[:, : X.shape[1] + 1] if member.learns else X
    refused = [
        ({}, other, np.zeros_like(y), "class"),
        ({}, other, y[:-1], "inconsistent numbers of samples"),
        ({}, np.full_like(other, np.nan), y, "NaN"),
    ]
    wrong = {"fit_intercept": "yes", "order": [0, 1], "random_state": "text", "max_iter": 0, "gamma": -1.0}
    messages = {"order": "permutation", "random_state": "seed"}
    for name in wrong.keys() & member.make().get_params():
        refused.append(({name: wrong[name]}, other, y, messages.get(name, f"'{name}' parameter")))
    if member.separable_only:
        refused.append(({}, other, np.arange(len(y)) % 2, "no margin"))
    for parameters, rows, labels, message in refused:
        fitted = member.fit(X, y)
        before = vars(fitted).copy()
        with pytest.raises(ValueError, match=message):
            fitted.set_params(**parameters).fit(rows, labels)
        assert all(vars(fitted)[name] is before[name] for name in before if name not in parameters)
        assert vars(fitted).keys() == before.keys()
        new = member.make().set_params(**parameters)
        with pytest.raises(ValueError, match=message):
            new.fit(rows, labels)
        assert vars(new).keys() == vars(member.make()).keys()


def model_files_are_whole(member, folder):
    """A model read from its file predicts the same."""
    X, y = member.rows()
    fitted = member.fit(X, member.labels(y, "string"))
    path = folder / "model.json"
    sx.save_model(fitted, path)
    loaded = sx.load_model(path)
    assert type(loaded) is type(fitted)
    assert loaded.get_params().keys() == fitted.get_params().keys()
    assert loaded.predict(X).tolist() == fitted.predict(X).tolist()
    assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))


def reason_to_skip(check, member):
    """Return why a check does not apply to a member, or None if it does."""
    promised = member.promised
    if check is weights_are_repetitions and promised.weights != "repetitions":
        return "its weights are no repetitions"
    if check is weights_count_errors and (promised.weights != "errors" or member.multiclass):
        return "its weights do not weigh the errors of one hyperplane"
    if check is weights_are_routed and promised.weights is None:
        return "it takes no weights"
    if check is weights_without_meaning_are_refused and promised.weights is not None:
        return "its weights have a meaning"
    if check is swapped_labels_mirror_the_run and (not promised.mirrors or member.multiclass):
        return "it has no run of two classes to mirror"
    return None


CHECKS = [
    input_is_not_changed, clones_are_independent, sparse_equals_dense, weights_are_repetitions, weights_count_errors,
    swapped_labels_mirror_the_run, pickles_are_whole, tables_keep_their_names, weights_are_routed,
    weights_without_meaning_are_refused, labels_of_any_kind, one_class_is_refused, a_refused_fit_changes_nothing,
]  # fmt: skip
