"""The bound on what float64 makes of a score: by definition, in fractions, whatever the order of the sum."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly

import separatrix as sx
from separatrix.exporting.rule import rule_of
from separatrix.exporting.score_bound import OF_TEXT, bound_for, exact_scores, seen_by
from separatrix.models.model_file import Model
from separatrix.problem.reading_rows import read_rows

NUMBERS = st.one_of(
    st.floats(-1e6, 1e6),
    st.sampled_from([0.1, -0.1, 0.3, 1e300, -1e300, 1e-300, 5e-324, -0.0, 2.0**-1074, 1.0, 3.0, 2.0**53, 1e16]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def rule_for(weights, intercept=0, classes=(0, 1)):
    return rule_of(Model(sx.Perceptron.of(weights, intercept, classes=list(classes)), None), "refuse")


def sums(terms):
    """Return the sums of a few terms in float64, in every order and pairing."""
    if len(terms) == 1:
        return {terms[0]}
    found = set()
    for size in range(1, len(terms) // 2 + 1):
        for chosen in itertools.combinations(range(len(terms)), size):
            left = [terms[k] for k in chosen]
            right = [terms[k] for k in range(len(terms)) if k not in chosen]
            found |= {a + b for a in sums(left) for b in sums(right)}
    return found


@quickly(150)
@given(
    row=st.lists(NUMBERS, min_size=1, max_size=3),
    weights=st.lists(NUMBERS.map(Fraction) | st.fractions(max_denominator=99), min_size=3, max_size=3),
    intercept=NUMBERS,
    ulps=st.lists(st.integers(-8, 8), min_size=7, max_size=7),
)
def test_no_order_exceeds_it(row, weights, intercept, ulps):
    """Terms added in any order, of factors that were misread by some units in the last place, are within the bound."""
    weights = weights[: len(row)]
    rule, rows = rule_for(weights, intercept), read_rows([row])
    [exact] = exact_scores(rule, rows, 0)
    for of_text in (False, True):
        bound = bound_for(rule, rows, of_text=of_text)
        [[error]] = bound.errors(seen_by(rule, rows, of_text=of_text)).tolist()

        def read(number, k, off=of_text):
            nearest = float(number)
            return nearest + ulps[k] * math.ulp(nearest) / 2 if off and nearest != int(nearest) else nearest

        factors = [(read(w, k), read(x, k + 3)) for k, (w, x) in enumerate(zip(weights, row, strict=True))]
        terms = [w * x for w, x in factors] + [read(intercept, 6)]
        if math.isinf(error):
            continue
        for found in sums(terms):
            assert abs(Fraction(found) - exact) <= Fraction(error)


def test_reading_is_bounded_by_eight_units():
    assert 8 * Fraction(math.ulp(1.0)) == OF_TEXT


def test_whole_numbers_are_exact():
    """Where all numbers are whole and sums below 2**53, float64 is exact, and a tie is a tie."""
    rule = rule_for([3, -5, 0], 1)
    rows = read_rows([[5, 3, 0.1], [3, 2, 7], [2.0**52, 0, 0], [0.5, 0, 0]])
    errors = bound_for(rule, rows, of_text=True).errors(seen_by(rule, rows, of_text=True))[:, 0]
    assert errors[:2].tolist() == [0.0, 0.0]  # a column of weight 0 does not count
    assert (errors[2:] > 0.0).all()


@pytest.mark.parametrize("to", ["sql", "onnx"])
def test_near_ties_are_listed(to):
    """Rows that float64 has wrong are among those listed; rows further away are not."""
    model = sx.Perceptron.of(["0.1", "0.2", "-0.3"], classes=["no", "yes"])
    X = [[1, 1, 1], [3, 3, 3], [7, 7, 7], [1, 1, 1 - 1e-12], [1, 1, 1 + 1e-9], [5, 5, 5], [1, 0, 0]]
    check = sx.export_model(model, to).check(X)
    assert set(check.near_ties) == {0, 1, 2, 5}
    assert set(check.differing) <= set(check.near_ties)
    assert check.differing  # 0.1 + 0.2 is above 0.3 in float64
    assert check.proved == 3
    assert "rows 0, 1, 2 and 5, counted from 0" in check.explain()
    assert "3 of 7 rows" in check.explain()


@pytest.mark.parametrize("to", ["sql", "onnx"])
def test_near_ties_of_several_classes(to):
    model = sx.Perceptron.of([["0.1", "0.2"], ["0.3", "0"], ["0", "0"]], classes=[1, 2, 3])
    X = [[1, 1], [1, 1 - 1e-9], [1, 1 + 1e-9], [-1, -1], [0, 0]]
    check = sx.export_model(model, to).check(X)
    assert check.near_ties == (0, 4)
    assert set(check.differing) <= {0}


def test_decimals_are_rounded(tmp_path):
    """Rows of decimals are exact for the model, and the nearest float64 for a database: the bound covers that."""
    (tmp_path / "t.csv").write_text("a,b,c,y\n0.1,0.2,0.3,0\n0.1,0.2,0.31,1\n")
    data = sx.read_data(tmp_path / "t.csv", label="y")
    model = sx.Perceptron.of([1, 1, -1], classes=[0, 1])
    for to in ("sql", "onnx"):
        check = sx.export_model(model, to, data=data).check(data)
        assert check.near_ties == (0,)
        assert check.document()["near_tie_places"] == ["line 2"]
    assert sx.export_model(model, "python", data=data).check(data).near_ties == ()


@quickly(30)
@given(data=st.data())
def test_scaled_numbers_in_sql(data):
    """What a database makes of a scaled number, shift and scale misread, is within the bound of its score."""
    from sklearn.pipeline import make_pipeline

    column = data.draw(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=4))
    X = np.array(column)[:, None]
    scaler = sx.Scaler(data.draw(st.sampled_from(["standard", "minmax", "maxabs"])))
    try:
        pipeline = make_pipeline(scaler, sx.LeastSquaresClassifier()).fit(X, [0, 1, *[0] * (len(X) - 2)])
    except ValueError:
        return
    rule, rows = rule_of(Model(pipeline, None), "refuse"), read_rows(X)
    seen = seen_by(rule, rows, of_text=True)
    assert np.array_equal(seen.exact.numerators, scaler.transform(X))
    off = [data.draw(st.integers(-8, 8)) for _ in range(3)]
    shift, scale = (
        number + ulps * math.ulp(number) / 2 for number, ulps in zip(rule.sources[0].scaling, off[:2], strict=True)
    )
    errors = bound_for(rule, rows, of_text=True).errors(seen)[:, 0]
    for i, x in enumerate(column):
        if math.isinf(errors[i]):
            continue
        z = (x + off[2] * math.ulp(x) / 2 - shift) / scale
        found = float(rule.weights[0][0]) * z + float(rule.intercepts[0])
        [exact] = exact_scores(rule, seen.exact, i)
        assert abs(Fraction(found) - exact) <= Fraction(errors[i])


def test_a_subnormal_weight_that_is_misread_counts_by_the_size_of_its_cell():
    rule, rows = rule_for([Fraction(5e-324)], 0), read_rows([[1e300]])
    [[error]] = bound_for(rule, rows, of_text=True).errors(seen_by(rule, rows, of_text=True)).tolist()
    assert error >= 8 * 5e-324 * 1e300
