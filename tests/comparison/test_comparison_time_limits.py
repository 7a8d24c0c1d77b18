"""A comparison that has so many seconds as a whole."""

import time

import numpy as np
import pytest
from commands import succeeded, written
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import separatrix as sx
from separatrix.comparison import candidate, comparing
from separatrix.separation.margins import undecided
from separatrix.support.clock import Clock
from separatrix.support.remedies import Message, Question, Remedy

X = np.random.default_rng(1).standard_normal((60, 3))
Y = np.arange(60) % 2


def test_the_time_is_handed_down(monkeypatch):
    seen = []
    fit = sx.Perceptron.fit
    monkeypatch.setattr(sx.Perceptron, "fit", lambda self, *given: seen.append(self.time_limit) or fit(self, *given))
    ours, brief = sx.Perceptron(max_iter=3), sx.Perceptron(max_iter=3, time_limit=1e-3)
    chosen = {"ours": ours, "brief": brief, "theirs": LogisticRegression()}
    found = sx.compare(X, Y, chosen, cv=2, time_limit=100, bound_time_limit=1)
    assert all(each.errors is not None for each in found.table)
    assert all(0 < limit <= 100 for limit in seen)
    assert 1e-3 in seen
    assert ours.time_limit is None
    seen.clear()
    sx.compare(X, Y, {"ours": sx.Perceptron(max_iter=3)}, cv=None, bound_time_limit=1)
    assert set(seen) == {None}


def test_what_there_is_no_time_for_is_said(monkeypatch):
    """As if to look at what was learnt took longer than all the time there is."""
    enter = candidate.Candidate.enter

    def slow(self, *given):
        enter(self, *given)
        self.besides = 1000.0

    monkeypatch.setattr(comparing.Candidate, "enter", slow)
    three = [(name, sx.Pocket()) for name in ("first", "second", "third")]
    found = sx.compare(X, Y, three, cv=None, time_limit=20, bound_time_limit=1)
    assert found["first"].errors is not None
    assert found["second"].failure == "not begun, as the time was up"
    assert "second, third: not begun, as the time was up" in str(found)
    assert "failed" not in str(found)
    assert [cells[1] for cells in found.cells()[1]][1:] == ["not begun", "not begun"]


@pytest.fixture(scope="module")
def forty():
    """Rows of 40 classes."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((6000, 8))
    return rows, np.clip((20 + 8 * rows[:, 0] + 3 * rng.standard_normal(6000)).astype(int), 0, 39)


def test_classes_that_are_learnt_one_after_another_share_the_time(forty, monkeypatch):
    seen = []
    fit = sx.Pocket._training
    monkeypatch.setattr(sx.Pocket, "_training", lambda self, *given: seen.append(self.time_limit) or fit(self, *given))
    pocket = sx.Pocket(max_updates=10, time_limit=30.0)
    found = sx.compare(*forty, {"pocket": pocket}, cv=None, time_limit=300, scale="none")
    assert found["pocket"].failure is None
    assert max(seen) == 30.0  # its own, of which the last ones could have more
    assert seen[3] < 10.0  # the first of all classes, after those that warm up
    assert {each.time_limit for each in found.fitted("pocket").estimators_} == {30.0}


def test_many_classes_do_not_make_it_overrun(forty):
    sx.compare(*forty, [sx.Pocket()], cv=None, time_limit=1)  # loops are loaded
    begun = time.monotonic()
    found = sx.compare(*forty, [("pocket", sx.Pocket()), ("program", sx.LinearProgramClassifier())], cv=None, time_limit=1)
    assert time.monotonic() - begun < 4.0
    assert found["pocket"].failure == "not finished, as the time was up before it had learnt all classes"
    assert "not finished" in found.cells()[1][0]


def test_blocks_are_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"all rows in memory.*with sx\.read_data.*sx\.least_errors"):
        sx.compare(sx.Stream((X, Y)))


def test_data_without_its_labels_is_refused_with_the_way_out():
    data = sx.read_data({"a": [1, 2, 3, 4], "y": [0, 0, 1, 1]}, label="y")
    with pytest.raises(ValueError, match=r"requires y to be passed.*fit\(data\.rows, data\.y\)"):
        sx.Perceptron().fit(data)
    assert sx.Perceptron(max_iter=100).fit(data.rows, data.y).score(data.rows, data.y) == 1.0


def test_without_a_limit_many_classes_are_learnt(forty):
    found = sx.compare(*forty, {"pocket": sx.Pocket(max_updates=1, init="zero")}, cv=None)
    assert found["pocket"].failure is None
    assert {each.time_limit for each in found.fitted("pocket").steps[-1][1].estimators_} == {None}


def test_folds_are_left_out_where_time_is_short(monkeypatch):
    learn = candidate.Candidate._learn

    def slow(self, *given):
        learn(self, *given)
        self.besides = 1000.0

    monkeypatch.setattr(candidate.Candidate, "_learn", slow)
    found = sx.compare(X, Y, [("first", sx.Pocket())], cv=3, time_limit=20, bound_time_limit=1)
    assert found["first"].cv_error is None
    assert any("0 of 3 folds" in note for note in found["first"].notes)


def test_the_bound_is_left_out_where_it_would_take_all_of_it(monkeypatch):
    monkeypatch.setattr(comparing, "_NUMBERS_OF_BOUND_PER_SECOND", 1)
    found = sx.compare(X, Y, [sx.Pocket()], cv=None, time_limit=20)
    assert found.lower_bound is None
    assert any("No bound on errors" in note for note in found.notes)


@pytest.mark.parametrize("limit", [0, -1, "1"])
def test_what_limits_nothing_is_refused(limit):
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        sx.compare(X, Y, [sx.Pocket()], time_limit=limit)
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        sx.compare(X, Y, [sx.Pocket()], bound_time_limit=limit)


class _Over(Clock):
    """A clock whose time is up at once, if it has a limit."""

    def left(self):
        return super().left() if self.limit is None else 0.0


def test_a_program_that_was_stopped_says_so_in_one_sentence(monkeypatch):
    monkeypatch.setattr("separatrix.estimators.linear_program.Clock", _Over)
    found = sx.compare(X, Y, [("program", sx.LinearProgramClassifier())], cv=None, time_limit=20, bound_time_limit=1)
    (note,) = found["program"].notes
    best = "the hyperplane is the best of those tried, and others may violate less."
    assert note.strip() == f"Time was up before the linear program was solved: {best}"
    with pytest.warns(
        ConvergenceWarning, match="Raise time_limit. Whether a hyperplane separates the rows is not known: sx"
    ):
        sx.LinearProgramClassifier(time_limit=20).fit(X, Y)


def test_a_margin_that_was_stopped_says_so_in_one_sentence(monkeypatch):
    def stopped(_):
        raise undecided(Clock(0.014771))

    monkeypatch.setattr("separatrix.estimators.max_margin.MarginSearch.run", stopped)
    apart = X + 10 * Y[:, None]
    found = sx.compare(apart, Y, [("margin", sx.MaxMargin())], cv=None, time_limit=20, bound_time_limit=1)
    assert found.upper_bound == 0
    assert found["margin"].failure == "its time was up before it had found a hyperplane that separates the classes."
    assert repr(found["margin"]).count(".") == 0
    assert "margin: its time was up before" in str(found)
    assert "TimeoutError" not in str(found)


def test_notes_are_worded_for_the_command_line(tmp_path, monkeypatch):
    def brief(warning, _):
        return Message("Raise ", Remedy("time_limit"), ", ", Question("decide"), " answers.")

    monkeypatch.setattr(candidate, "_brief", brief)
    lines = [f"{a:.3f},{b:.3f},{label}" for (a, b, _), label in zip(X, Y, strict=True)]
    table = written(tmp_path, "\n".join(["a,b,class", *lines]) + "\n")
    text = " ".join(succeeded("compare", table, "--label", "class", "--bound-time-limit", "0.1", "--cv", "0").split())
    assert "Raise --time-limit, separatrix decide answers." in text
    assert "sx." not in text
