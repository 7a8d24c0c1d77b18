"""Every public result says what it is: in a line, in words, and in a notebook."""

import enum
import inspect
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer

import separatrix as sx
from separatrix.estimators.family import ALGORITHMS

X, Y = load_breast_cancer(return_X_y=True)
AND, OUTPUTS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]

MOST_CHARACTERS = 400
"""A few lines of a terminal."""


def perceptron():
    return sx.Perceptron(record=True).fit(AND, OUTPUTS)


def kernel_perceptron():
    return sx.KernelPerceptron(kernel="poly", record=True).fit(AND, OUTPUTS)


def run_check():
    run = {"row": [0, 1, 2, 3], "mistake": ["yes", "no", "no", "yes"]}
    return sx.check_run(run, AND, OUTPUTS)


MAKERS = {
    "Certificate": lambda: sx.decide(X, Y).certificate,
    "Comparison": lambda: sx.compare(np.array(AND * 3), OUTPUTS * 3, cv=None, bound_time_limit=1),
    "Data": lambda: sx.read_data({**{f"column {j}": X[:, j] for j in range(30)}, "y": Y}, label="y"),
    "Description": lambda: sx.describe({**{f"column {j}": X[:, j] for j in range(30)}, "y": Y}, label="y"),
    "Descent": lambda: sx.descend_on_loss(X[:30], Y[:30], steps=3),
    "Disagreement": lambda: sx.least_errors(AND, [0, 1, 1, 0]),
    "ErrorCount": lambda: sx.count_errors(X[0], 0, X, Y),
    "Export": lambda: sx.export_model(perceptron(), "sql"),
    "ExportCheck": lambda: sx.export_model(perceptron(), "sql").check(AND),
    "Hyperplane": lambda: sx.Hyperplane(X[0], "0.5"),
    "KernelLedger": lambda: sx.audit(kernel_perceptron(), AND, OUTPUTS),
    "KernelMargin": lambda: sx.margin(AND, OUTPUTS, kernel="poly"),
    "KernelVerdict": lambda: sx.decide(AND, OUTPUTS, kernel="poly"),
    "Ledger": lambda: sx.audit(perceptron(), AND, OUTPUTS),
    "Margin": lambda: sx.margin(X, Y),
    "MixingLedger": lambda: sx.MixedPerceptron(shards=2).fit(AND, OUTPUTS).audit(AND, OUTPUTS),
    "MistakeBound": lambda: sx.mistake_bound(AND, OUTPUTS),
    "Report": lambda: sx.report(np.array(AND * 3), OUTPUTS * 3, cv=None),
    "Round": lambda: next(iter(sx.play(sx.Perceptron(), [([1.0], "yes")], classes=["no", "yes"]))),
    "RunCheck": run_check,
    "Scene": lambda: sx.scene(sx.decide(X, Y)),
    "Stability": lambda: sx.decide(AND, OUTPUTS).stability("0.1"),
    "Standing": lambda: made("Comparison").table[0],
    "Step": lambda: sx.steps(sx.Perceptron(max_iter=1).fit(X[:30], Y[:30]), X[:30], Y[:30])[0],
    "StepTable": lambda: sx.steps(perceptron(), AND, OUTPUTS),
    "Subdifferential": lambda: sx.perceptron_subdifferential(np.zeros(30), 0, X, Y),
    "Verdict": lambda: sx.decide(X, Y),
}


@cache
def made(name):
    return MAKERS[name]()


NO_RESULTS = {"DaskRows", "Progress", "Stream"}
"""What is asked, and what calls tell of while they are at work."""


def is_result(name):
    kind = getattr(sx, name)
    return (
        name not in NO_RESULTS and inspect.isclass(kind) and not issubclass(kind, BaseEstimator | BaseException | enum.Enum)
    )


def test_there_is_one_of_each():
    """A new public result needs a line above, and what the next test asks of it."""
    assert {name for name in sx.__all__ if is_result(name)} == set(MAKERS)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_result_says_what_it_is(name):
    result = made(name)
    assert type(result) is getattr(sx, name)
    assert len(repr(result)) <= MOST_CHARACTERS
    assert "\n" not in repr(result)
    assert name in repr(result)
    explained = result.explain()
    assert explained.strip().endswith((".", ">", "0", ")", "|", "-")) or "\n" in explained.strip()
    for shown in (result._repr_markdown_(), result._repr_html_()):
        assert isinstance(shown, str)
        assert shown.strip()
    assert result._repr_html_().lstrip().startswith("<")


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "html"])
@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"Comparison", "Report"}))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_is_explained_in_every_format(name, style):
    assert made(name).explain(style).strip()


@pytest.mark.parametrize("member", ALGORITHMS.values(), ids=lambda member: member.name)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_classifier_that_has_learnt_much_is_still_short(member):
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((20, 500)), np.arange(20) % 2
    classifier = clone(member.make()).fit(rows, labels)
    assert len(repr(classifier)) <= MOST_CHARACTERS


@pytest.mark.parametrize("name", ["Comparison", "Description"])
def test_a_result_that_is_a_table_prints_as_one(name):
    result = made(name)
    assert str(result) == result.explain().rstrip("\n")


def test_errors_and_warnings_are_public():
    """All that users can meet, and that is the library's own, is found as ``sx.NAME``."""
    import separatrix.exceptions as own

    for name, kind in vars(own).items():
        if inspect.isclass(kind) and issubclass(kind, Exception):
            assert getattr(sx, name) is kind
            assert issubclass(kind, ValueError | UserWarning)
    for kind in (sx.FileError, sx.OtherTable, sx.MissingValues, sx.MixedColumns, sx.TooManyDigits):
        assert issubclass(kind, sx.TableError)
