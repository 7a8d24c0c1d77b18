"""Reports of progress: what they carry, who hears them, and what is shown of them."""

import io
import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx
from separatrix.support import display, progress
from separatrix.support.progress import listening, part, report

X, Y = sx.examples.load("breast-cancer")


@pytest.fixture
def clock(monkeypatch):
    """Let time stand still; it is set forward by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_rate_and_time_left_follow_from_counts(clock):
    heard = []
    with listening(heard.append):
        for done in (10, 20, 50):
            report(lambda: "at work", done, 110, "rows")
            clock[0] += 5.0
        report(lambda: "at other work", 1, 2, "parts")
    first, second, third, other = heard
    assert (first.rate, first.left, first.seconds) == (None, None, 0.0)
    assert (second.rate, second.left, second.seconds) == (2.0, 45.0, 5.0)
    assert (third.rate, third.left, third.seconds) == (4.0, 15.0, 10.0)
    assert (other.rate, other.left) == (None, None)  # another count begins anew


def test_stages_are_nested_and_lend_their_counts():
    heard = []
    with listening(heard.append), part("fold 1 of 2", 0, 2, "folds"):
        report(lambda: "learning")
        with part("pass"):
            report(lambda: "on its way", 3, 9, "rows")
    assert [str(each) for each in heard] == [
        "fold 1 of 2", "fold 1 of 2: learning", "fold 1 of 2: pass", "fold 1 of 2: pass: on its way",
    ]  # fmt: skip
    assert [(each.done, each.total, each.unit) for each in heard] == [
        (0, 2, "folds"), (0, 2, "folds"), (0, 2, "folds"), (3, 9, "rows"),
    ]  # fmt: skip
    assert heard[-1].stage == ("fold 1 of 2", "pass")


def test_no_text_is_made_for_nobody():
    report(lambda: pytest.fail("made"), 1, 2, "rows")
    with listening(lambda _: pytest.fail("heard")), progress.unheard():
        report(lambda: pytest.fail("made"))


@pytest.mark.parametrize("verbose", ["yes", None, 1.5])
def test_what_verbose_may_be(verbose):
    with pytest.raises(ValueError, match="verbose must be True, False, or a function"):
        sx.decide(X, Y, verbose=verbose)
    with pytest.raises(ValueError, match="verbose must be"):
        sx.Perceptron(verbose=verbose).fit(X, Y)


def quiet(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sx.compare(*given, **options)


def test_only_the_outermost_call_tells():
    inner, outer = [], []
    learner = sx.Perceptron(max_iter=5, verbose=inner.append)
    quiet(X, Y, [learner], cv=None, bound_time_limit=1, verbose=outer.append)
    assert not inner
    assert any(each.stage == ("Perceptron",) for each in outer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X, Y)
    assert inner


def test_one_display_for_all(monkeypatch):
    opened = []

    class Place:
        def __init__(self, *_):
            opened.append(self)

        def show(self, line):
            pass

        def close(self):
            pass

    monkeypatch.setattr(display, "_place", Place)
    quiet(X, Y, [sx.Perceptron(max_iter=5, verbose=True)], cv=None, bound_time_limit=1, verbose=True)
    assert len(opened) == 1


@pytest.mark.parametrize(
    "estimator",
    [sx.Perceptron(max_iter=5), sx.VotedPerceptron(), sx.KernelPerceptron(max_iter=3),
     sx.Pocket(max_updates=9, random_state=0), sx.MaxMargin(), sx.LinearProgramClassifier(), sx.LeastSquaresClassifier()],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_it_changes_nothing_and_is_not_written(estimator, tmp_path):
    rows, labels = sx.examples.load("and")
    heard = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = clone(estimator).fit(rows, labels)
        told = clone(estimator).set_params(verbose=heard.append).fit(rows, labels)
    assert all(isinstance(each, sx.Progress) for each in heard)
    assert np.array_equal(plain.decision_function(rows), told.decision_function(rows))
    for name, each in (("plain", plain), ("told", told)):
        sx.save_model(each, tmp_path / name)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "told").read_bytes()
    assert "verbose" not in json.loads((tmp_path / "told").read_text())["parameters"]
    assert sx.load_model(tmp_path / "told").verbose is False


@pytest.mark.parametrize(
    "estimator", [sx.Perceptron(), sx.Perceptron(order="shuffle"), sx.VotedPerceptron(), sx.KernelPerceptron()],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_runs_stop_when_their_time_is_up(estimator):
    rows = np.random.default_rng(0).standard_normal((200, 3))
    limited = clone(estimator).set_params(max_iter=10**9, time_limit=0.05, random_state=0)
    if isinstance(limited, sx.KernelPerceptron):
        rows = np.round(rows)  # so that rows of both classes are equal, and it has no end
    with pytest.warns(ConvergenceWarning, match="was stopped by its time limit after"):
        limited.fit(rows, np.arange(200) % 2)
    assert limited.n_mistakes_ > 0
    assert not limited.halted_
    with pytest.raises(ValueError, match="'time_limit' parameter"):
        limited.set_params(time_limit=0).fit(rows, np.arange(200) % 2)


def test_a_log_has_a_line_now_and_then(monkeypatch):
    log, now = io.StringIO(), [0.0]
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(display.time, "monotonic", lambda: now[0])
    place = display._Log()
    for k in range(30):
        now[0] = float(k + 1)
        place.show(f"line {k}")
    assert log.getvalue().splitlines() == ["line 0", "line 5", "line 15"]


def test_a_notebook_has_one_output_that_is_empty_in_the_end(monkeypatch):
    import sys
    from types import ModuleType, SimpleNamespace

    outputs = []
    handle = SimpleNamespace(update=lambda bundle, raw: outputs.append(bundle["text/plain"]))

    def show(bundle, raw, display_id):
        outputs.append(bundle["text/plain"])
        return handle

    module = ModuleType("IPython.display")
    module.display = show  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    place = display._Notebook()
    place.show("first")
    place.show("second")
    place.close()
    assert outputs == ["first", "second", ""]
