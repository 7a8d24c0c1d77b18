"""The time limit of a report is that of the whole: parts share it, and the page says what there was no time for."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from commands import XOR, separatrix, succeeded, written
from sklearn.preprocessing import StandardScaler

import separatrix as sx
from separatrix.reporting import answers, draft
from separatrix.reporting.material import Material, Origin
from separatrix.separation import verdict
from separatrix.support.clock import Clock

PARTS = ["the verdict", "the margin", "the fewest errors", "a run of the perceptron", "the convergence theorem",
         "the comparison"]  # fmt: skip
CALLS = ["sx.decide(X, y)", 'sx.margin(X, y, kind="geometric")', "sx.least_errors(X, y, time_limit=None)",
         "sx.audit(sx.Perceptron().fit(X, y), X, y)", "sx.compare(X, y)"]  # fmt: skip


def text_of(page):
    return page.replace("&quot;", '"').replace("&#34;", '"')


def test_without_time_the_page_says_what_is_missing_and_what_answers_it():
    found = sx.report(*sx.examples.load("and"), time_limit=1e-9)
    assert found.out_of_time
    assert not found.interrupted
    assert found.missing == PARTS
    page = text_of(found.html)
    alert = re.search(r'<div class="alert">(.*?)</div>', page, re.DOTALL)[1]
    assert "The time limit of 1e-09 s ended the work." in alert
    assert all(each in alert for each in PARTS)
    assert all(call in page for call in CALLS)
    assert "Ctrl-C" not in page
    assert repr(found) == "<Report: 4 rows, 2 features, 2 classes; stopped by the time limit>"


def test_with_enough_time_nothing_is_missing():
    X, y = sx.examples.load("iris-virginica")
    found, whole = sx.report(X, y, time_limit=600, cv=None), sx.report(X, y, cv=None)
    assert not found.out_of_time
    assert found.missing == []
    assert "time limit" not in found.html
    assert found.verdict.status == whole.verdict.status
    assert found.disagreement.lower == whole.disagreement.lower == 1
    assert found.ledger.mistakes == whole.ledger.mistakes


def test_each_part_has_a_share_of_what_is_left(monkeypatch):
    given = {}

    def spied(name, clock_of):
        original = getattr(answers, name)

        def call(*args, **kwargs):
            given[name] = clock_of(args, kwargs)
            return original(*args, **kwargs)

        monkeypatch.setattr(answers, name, call)

    spied("decide_problem", lambda args, _: args[1].limit)
    spied("margin_of_problem", lambda _, kwargs: kwargs["clock"].limit)
    spied("least_errors_of_problem", lambda args, _: args[2])
    spied("Perceptron", lambda _, kwargs: kwargs["time_limit"])
    spied("within", lambda args, _: args[0].limit)
    spied("compare_entries", lambda args, _: args[7].limit)
    sx.report(*sx.examples.load("and"), time_limit=100, cv=None)
    assert all(0.0 < limit <= 85.0 for limit in given.values())
    assert given["least_errors_of_problem"] == 10.0  # which is its own limit
    assert len(given) == 6
    sx.report(*sx.examples.load("and"), cv=None)
    assert given.pop("least_errors_of_problem") == 10.0
    assert all(limit is None for limit in given.values())


def test_a_part_that_ends_without_an_answer_is_missing_and_the_others_go_on(monkeypatch):
    def too_long(*_, **__):
        raise TimeoutError

    monkeypatch.setattr(answers, "margin_of_problem", too_long)
    found = sx.report(*sx.examples.load("and"), time_limit=60, cv=None)
    assert found.missing == ["the margin"]
    assert found.verdict.separable
    assert found.comparison is not None
    assert 'sx.margin(X, y, kind="geometric")' in text_of(found.html)


def test_parts_that_would_only_read_the_rows_are_not_begun(monkeypatch):
    monkeypatch.setattr(answers, "_NUMBERS_PER_SECOND", dict.fromkeys(PARTS, 1e9) | {PARTS[3]: 0.1, PARTS[5]: 0.1})
    found = sx.report(*sx.examples.load("xor"), time_limit=60, cv=None)
    assert found.missing == [PARTS[3], PARTS[4], PARTS[5]]
    assert found.disagreement.lower == 1
    assert found.perceptron is None


def test_few_columns_are_not_looked_for_if_that_takes_too_long(monkeypatch):
    """Neither by the report, nor by the explanation that its page has."""
    X = np.array([[0.0, 5.0], [1.0, 3.0], [4.0, 4.0], [5.0, 2.0]])
    assert sx.report(X, [0, 0, 1, 1], time_limit=60, cv=None)._answers.columns == [0]
    monkeypatch.setattr(answers, "_NUMBERS_PER_SECOND_FOR_COLUMNS", 0.1)

    def refused(*_):
        raise AssertionError("columns were looked for")

    monkeypatch.setattr(verdict, "fewest_columns", refused)
    found = sx.report(X, [0, 0, 1, 1], time_limit=60, cv=None)
    assert found.verdict.separable
    assert "separates the same rows" not in found.html


def test_pictures_for_which_there_is_no_time_are_left_out(monkeypatch):
    monkeypatch.setattr(draft, "_NUMBERS_PER_SECOND", 0.1)
    found = sx.report(*sx.examples.load("xor"), time_limit=60, cv=None)
    page = found.html
    assert "There is no picture here: there was no time to draw it." in page
    assert found.missing == ["some of the pictures"]
    assert "some of the pictures" in page
    assert "<svg" in page  # what shows no rows is drawn


def test_the_margin_between_bounds_that_are_apart_is_told(monkeypatch):
    from dataclasses import replace

    original = answers.margin_of_problem
    monkeypatch.setattr(answers, "margin_of_problem", lambda *a, **b: replace(original(*a, **b), interrupted=True))
    found = sx.report(*sx.examples.load("and"), time_limit=60, cv=None)
    assert found.missing == ["the rest of the margin"]
    assert found.margin is not None


def test_the_command_says_it_and_what_answers_it(tmp_path):
    data, page = written(tmp_path, XOR), tmp_path / "report.html"
    said = succeeded("report", data, "--label", "odd", "-o", page, "--time-limit", "1e-9")
    assert "The time limit was too short for all of it. Not done: the verdict, " in " ".join(said.split())
    assert f"separatrix decide {data} --label odd" in page.read_text(encoding="utf-8")
    found = json.loads(succeeded("report", data, "--label", "odd", "-o", page, "--time-limit", "1e-9", "--json"))
    assert found["out_of_time"] is True
    assert found["missing"] == PARTS
    done = separatrix("report", data, "--label", "odd", "-o", page, "--bound-time-limit", "0")
    assert done.returncode == 2
    assert "--bound-time-limit must be a number of seconds above 0, got 0." in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["time_limit", "bound_time_limit"])
def test_what_limits_nothing_is_refused(name):
    with pytest.raises(ValueError, match="must be a positive number of seconds"):
        sx.report(*sx.examples.load("and"), **{name: 0})


def test_a_question_is_asked_again_of_the_same_data(tmp_path):
    X, y = np.arange(6.0).reshape(3, 2), ["a", "b", "c"]
    material = Material.of(X, y, "b", Origin())
    assert material.asked(["decide"], "sx.decide({data})") == "sx.decide(X, y, positive='b')"
    assert material.asked(["audit"], "sx.audit({pair})") == "sx.audit(X, y == 'b')"
    data = sx.read_data(written(tmp_path, XOR), "odd")
    material = Material.of(data, None, None, Origin())
    assert material.asked(["audit"], "sx.audit({pair})") == "sx.audit(data.X, data.y)"
    material = Material.of(data, None, None, Origin(files=("x.csv",), options=("--label", "odd")))
    asked = material.asked(["fit", "--algorithm", "max-margin"], "sx.margin({data})")
    assert asked == "separatrix fit x.csv --label odd --algorithm max-margin"


def test_the_page_has_the_time_that_the_answers_leave():
    found = sx.report(*sx.examples.load("and"), time_limit=100, cv=None)
    assert 15.0 < found._answers.left <= 100.0
    assert sx.report(*sx.examples.load("and"), cv=None)._answers.left is None
    assert Clock(None).left() == float("inf")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_columns_of_many_rows_are_measured_in_blocks(form, monkeypatch):
    X = np.random.default_rng(0).normal(5.0, [1.0, 0.01, 100.0], (40_000, 3))
    sizes = []
    measure = StandardScaler.partial_fit
    monkeypatch.setattr(StandardScaler, "partial_fit", lambda self, rows: sizes.append(rows.shape[0]) or measure(self, rows))
    material = Material.of(form(X), np.arange(40_000) % 2, None, Origin())
    assert np.allclose(material.spreads, X.std(axis=0), rtol=1e-9)
    assert sum(sizes) == 40_000
    assert max(sizes) <= 2**14


def test_errors_that_are_proved_tell_that_there_is_no_margin(monkeypatch):
    """The verdict may take longer than the search for errors, which says the same of margins."""
    monkeypatch.setattr(answers, "_SHARES", answers._SHARES | {"the verdict": 1e-9})
    rng = np.random.default_rng(0)
    found = sx.report(rng.normal(size=(200, 4)), rng.integers(0, 2, 200), time_limit=60, bound_time_limit=2, cv=None)
    assert found.verdict.separable is None
    assert found.disagreement.lower > 0
    assert "There is none: no hyperplane separates the classes" in found.html
    assert "sx.decide(X, y)" in found.html


def test_what_is_proved_of_a_verdict_that_is_not_known_is_shown(monkeypatch):
    """One row of both classes proves that nothing separates them, before it is known whether something nearly does."""
    monkeypatch.setattr(answers, "_SHARES", answers._SHARES | {"the verdict": 1e-9})
    found = sx.report(np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1], time_limit=60, cv=None)
    assert found.verdict.status == "unknown"
    assert found.verdict.separable is False
    assert found.missing == ["the rest of the verdict"]
    assert re.search(r'<div class="verdict no"><strong><data[^>]*>Not separable</data>', found.html)
    assert "sx.decide(X, y)" in found.html
    assert 'id="file-verdict"' in found.html


def test_after_ctrl_c_no_picture_is_begun_that_would_take_long(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(answers, "compare_entries", stopped)
    monkeypatch.setattr(draft, "_NUMBERS_PER_SECOND", 0.1)
    found = sx.report(*sx.examples.load("xor"))
    assert found.interrupted
    assert "There is no picture here: Ctrl-C came first." in found.html
    assert found.missing == ["the comparison", "some of the pictures"]
    assert not found.out_of_time
