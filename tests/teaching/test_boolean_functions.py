"""Boolean functions, against brute force and against the verdicts of `decide`."""

import itertools
import json

import numpy as np
import pytest
import reference
from commands import failed, succeeded

import separatrix as sx
from separatrix.teaching.exercises import boolean_functions

CODINGS = pytest.mark.parametrize("coding", ["01", "pm1"])


def inputs(n, coding):
    return list(itertools.product((0, 1) if coding == "01" else (-1, 1), repeat=n))


@CODINGS
@pytest.mark.parametrize(("n", "known"), [(0, 2), (1, 4), (2, 14), (3, 104), (4, 1882)])
def test_the_numbers_of_threshold_functions_are_the_known_ones(n, known, coding):
    functions = boolean_functions(n, coding=coding)
    assert len(functions) == 2 ** (2**n)
    assert sum(each.separable for each in functions) == known
    X = inputs(n, coding)
    for index, each in enumerate(functions):
        assert each.index == index == int(each.table, 2)
        value = dict(zip(X, each.table, strict=True))
        if each.separable:
            outputs = [sum(w * v for w, v in zip(each.weights, x, strict=True)) >= each.threshold for x in X]
            assert "".join(str(int(bit)) for bit in outputs) == each.table
            assert each.witness is None
        else:
            (a, b), (c, d) = each.witness
            assert (value[a], value[b], value[c], value[d]) == ("1", "1", "0", "0")
            assert np.array_equal(np.add(a, b), np.add(c, d))
            assert each.weights is each.threshold is each.mistakes is None


@CODINGS
@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_smaller_weights_do(n, coding):
    X = inputs(n, coding)
    functions = boolean_functions(n, coding=coding)
    smallest: dict[str, int] = {}
    largest = max(each.size for each in functions if each.separable)
    values = range(-largest, largest + 1)
    for *w, threshold in itertools.product(values, repeat=n + 1):
        size = sum(map(abs, w)) + abs(threshold)
        if size > largest:
            continue
        table = "".join(str(int(sum(a * b for a, b in zip(w, x, strict=True)) >= threshold)) for x in X)
        smallest[table] = min(size, smallest.get(table, size))
    assert smallest == {each.table: each.size for each in functions if each.separable}


@CODINGS
@pytest.mark.parametrize("n", [1, 2, 3])
def test_verdicts_and_mistakes_are_those_of_the_reference(n, coding):
    for each in boolean_functions(n, coding=coding):
        X, y = each.data()
        assert [tuple(row) for row in X.astype(int).tolist()] == inputs(n, coding)
        assert "".join(map(str, y.tolist())) == each.table
        signs = [1 if bit else -1 for bit in y]
        if n < 3:
            assert (reference.separability(X, signs, True)[0] == "separable") == each.separable
        if each.separable:
            trace, _, _, halted = reference.perceptron(X, signs)
            assert halted
            assert len(trace) == each.mistakes


def test_verdicts_of_four_inputs_are_those_of_decide():
    functions = boolean_functions(4)
    for index in np.random.RandomState(0).choice(2**16, 60, replace=False):
        assert sx.decide(*functions[index].data()).separable == functions[index].separable
    for each in [each for each in functions if each.separable][::70]:
        X, y = each.data()
        if 0 < y.sum() < 16:
            assert sx.Perceptron(max_iter=10**4).fit(X, y).n_mistakes_ == each.mistakes


def test_in_words():
    functions = boolean_functions(2)
    assert "1 where x1 + x2 >= 2" in functions[1].explain()
    assert "18 mistakes" in functions[1].explain()
    assert "1 at (0, 1) and (1, 0) and 0 at (0, 0) and (1, 1)" in functions[6].explain()
    assert "1 where -x1 - x2 >= -1" in functions[14].explain()
    assert "0 >= 1" in functions[0].explain()


def test_one_function_as_data():
    for function in (6, "0110"):
        X, y = sx.examples.boolean(2, function)
        assert np.array_equal(X, sx.examples.load("xor")[0])
        assert np.array_equal(y, sx.examples.load("xor")[1])
    for given, message in (((0, 1), "n, the number of inputs"), ((2, 16), "numbered from 0 to 2"), ((2, "011"), "4 digits"),
                           ((2, "0112"), "4 digits"), ((2, True), "numbered"), ((2.0, 1), "whole number")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            sx.examples.boolean(*given)
    with pytest.raises(ValueError, match="coding must be one of '01', 'pm1'"):
        sx.examples.boolean(2, 6, coding="+-")
    with pytest.raises(ValueError, match="from 0 to 4"):
        boolean_functions(5)


def test_the_command_lists_them():
    printed = succeeded("boolean-functions", 2)
    assert "14 of 16 are threshold functions." in printed
    found = json.loads(succeeded("boolean-functions", 2, "--coding", "pm1", "--json"))
    assert found["separable"] == 14
    assert [each["separable"] for each in found["functions"]].count(False) == 2
    assert "from 0 to 4" in failed("boolean-functions", 5)
