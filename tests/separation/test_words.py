"""What explanations and warnings of verdicts say."""

import re

import pytest

import separatrix as sx

ROWS = [[0, 5, 1], [1, 3, 2], [2, 5, 1], [3, 1, 1]]


def test_python_names_the_columns_that_suffice_as_the_command_line_does():
    assert "\n\nThe column x1 alone separates the same rows.\n" in sx.decide(ROWS, [0, 0, 1, 1]).explain()
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [3, 3, 3, 4], "y": [0, 0, 0, 1]}
    verdict = sx.decide(sx.read_data(table, label="y"))
    assert re.search("The columns? (c|a, b) alone", verdict.explain())
    assert "alone" not in sx.decide([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).explain()
    assert "alone" not in sx.decide([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).explain()


def test_columns_are_looked_for_once(monkeypatch):
    from separatrix.separation import verdict as module

    calls = []

    def slow(*_):
        calls.append(1)
        raise module.OutOfTime

    monkeypatch.setattr(module, "fewest_columns", slow)
    verdict = sx.decide(ROWS, [0, 0, 1, 1])
    assert "alone" not in verdict.explain() + verdict.explain("html")
    assert len(calls) == 1


def test_of_quasi_separation_only_some_coefficients_are_infinite():
    with pytest.warns(sx.SeparationWarning, match="as its coefficients grow without end"):
        sx.check_separation(ROWS, [0, 0, 1, 1])
    with pytest.warns(sx.SeparationWarning, match="as some of its coefficients grow without end"):
        sx.check_separation([[0, 1], [0, 2], [1, 3], [0, 0]], [0, 1, 1, 1])


def test_warnings_of_stopped_runs_name_the_call_that_answers():
    labels = [0, 1, 1, 0]
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    for classifier, y in (
        (sx.Perceptron(max_iter=2), labels),
        (sx.KernelPerceptron(kernel="linear", max_iter=2), labels),
        (sx.Perceptron(max_iter=2), [0, 1, 2, 0]),
    ):
        with pytest.warns(UserWarning, match=r"sx\.decide"):
            classifier.fit(xor, y)
