"""How far numbers may be off: bounds that hold by definition, whatever the rows are, and whose proofs are what they say."""

import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import stability_reference as slow
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from sklearn.datasets import load_breast_cancer, load_iris
from strategies import KINDS, problems

import separatrix as sx
from separatrix.separation import escape, stability
from separatrix.separation.tolerances import read_tolerances
from separatrix.support.clock import OutOfTime
from separatrix.support.interruption import interrupt

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
LITTLE = Fraction(1, 2**30)


def fractions(X):
    return [[Fraction(number) for number in row] for row in np.asarray(X).tolist()]


def of_line(x, y, tolerance, **options):
    """Ask about rows with a single number each."""
    return sx.decide(np.reshape(x, (-1, 1)), y).stability(tolerance, **options)


# Known answers.


def test_two_classes_on_a_line_meet_half_way():
    found = of_line([0, 1, 4, 5], [0, 0, 1, 1], 1)
    assert found.lower == found.upper == Fraction(3, 2)
    assert found.stable is True
    assert found.attained
    assert found.shift == (Fraction(-3, 2),)
    assert found.example.tolist() == [[Fraction(3, 2)], [Fraction(5, 2)], [Fraction(5, 2)], [Fraction(7, 2)]]
    assert found.example_verdict.status == "quasi-separable"


def test_classes_that_overlap_on_a_line_come_apart_at_half_the_overlap():
    found = of_line([0, 3, 1, 5], [0, 0, 1, 1], 1)
    assert found.status == "overlapping"
    assert found.lower == found.upper == 1
    assert found.attained
    assert found.stable is False
    assert found.example_verdict.status == "quasi-separable"
    assert of_line([0, 3, 1, 5], [0, 0, 1, 1], Fraction(99, 100)).stable is True


def test_xor_and_and_change_at_a_quarter():
    for y in ([0, 1, 1, 0], [0, 0, 0, 1]):
        found = sx.decide(SQUARE, y).stability(1)
        assert found.lower == found.upper == Fraction(1, 4)
        assert found.example_verdict.status == "quasi-separable"


def test_contradictions_are_torn_apart_by_any_tolerance():
    found = of_line([1, 1, 2, 2], [0, 1, 0, 1], Fraction(1, 10**9))
    assert found.status == "overlapping"
    assert found.upper > 0  # in one column two pairs cannot be told apart by a hair: classes move, and overlap
    found = of_line([1, 1], [0, 1], Fraction(1, 10**9))
    assert (found.lower, found.upper, found.attained, found.stable) == (0, 0, False, False)
    assert found.example_verdict.status == "separable"


def test_a_column_that_depends_on_others_is_torn_from_them_by_any_tolerance():
    x = np.array([[0, 2, 1, 3]]).T
    X, y = np.hstack([x, 2 * x + 1]), [0, 0, 1, 1]
    found = sx.decide(X, y).stability([0, "1e-30"])
    assert (found.lower, found.upper, found.attained, found.stable) == (0, 0, False, False)
    assert found.example_verdict.status == "separable"
    assert sx.decide(X, y).stability([0, 0]).stable is True


def test_quasi_separable_classes_change_at_once_unless_exact_columns_keep_them_so():
    assert of_line([-2, 0, 0, 2], [0, 0, 1, 1], 1).upper == 0
    X = [[0, 0], [0, 3], [0, 1], [0, 5], [1, 0], [1, 9]]
    y = [0, 0, 1, 1, 1, 1]
    verdict = sx.decide(X, y)
    assert verdict.status == "quasi-separable"
    found = verdict.stability(1, exact=[0])
    assert found.lower == found.upper == 1
    assert not found.attained
    assert found.stable is True
    assert found.example_verdict.status == "separable"
    assert verdict.stability(1).upper == 0


def test_exact_columns_that_separate_alone_leave_nothing_to_change():
    X, y = [[0, 7], [0, 8], [1, 7], [1, 9]], [0, 0, 1, 1]
    verdict = sx.decide(X, y)
    found = verdict.stability({1: 10**6})
    assert (found.lower, found.upper, found.stable, found.shift) == (math.inf, math.inf, True, None)
    assert found.example is found.example_verdict is None
    assert "however far" in found.explain()
    assert verdict.stability(0).stable is True


def test_one_class_stays_separable_with_an_intercept():
    assert of_line([1, 2], [1, 1], 100).lower == math.inf
    found = sx.decide([[1], [2]], [1, 1], fit_intercept=False).stability(1)
    assert found.lower == found.upper == 1
    assert found.example_verdict.separable is False


def test_no_number_may_be_off():
    found = sx.decide(SQUARE, [0, 1, 1, 0]).stability()
    assert (found.stable, found.lower) == (True, math.inf)
    assert "exact" in found.message


def test_iris_and_breast_cancer():
    X, y = load_iris(return_X_y=True)
    decimals = np.array([[Decimal(repr(number)) for number in row] for row in X.tolist()], object)
    found = sx.decide(decimals, y, positive=0).stability()
    assert set(found.tolerances) == {Fraction(1, 20)}
    assert found.lower == found.upper == 11
    found = sx.decide(decimals[y > 0], y[y > 0]).stability()
    assert found.lower == found.upper == Fraction(515, 872)
    assert found.stable is False
    found = sx.decide(*load_breast_cancer(return_X_y=True)).stability()
    assert found.stable is True
    assert 2.936 < found.lower <= found.upper < 2.937


# By definition.

TOLERANCES = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(3, 7), Fraction(1)])
MODERATE = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "constant", "zeros")


def drawn(problem, data, exact_numbers=True):
    """Draw tolerances, and ask; decimals are those that floats stand for, or the floats."""
    X, y = problem
    if exact_numbers and data.draw(st.booleans()):
        X = np.array([[Fraction(repr(number)) for number in row] for row in X.tolist()], object)
    tolerances = [data.draw(TOLERANCES) for _ in range(X.shape[1])]
    intercept = data.draw(st.booleans())
    verdict = sx.decide(X, y, fit_intercept=intercept)
    return fractions(X), verdict.problem.y, tolerances, intercept, verdict.stability(tolerances, time_limit=None)


@quickly(25)
@given(problems(kinds=MODERATE, max_rows=5, max_columns=2), st.data())
def test_bounds_hold_by_definition(problem, data):
    X, y, t, intercept, found = drawn(problem, data)
    assert found.finished
    slow.check_proofs(found, X, y, intercept)
    lower, upper = found.lower, found.upper
    assert 0 <= lower <= upper
    if lower == math.inf:
        return
    assert upper < math.inf
    assert upper - lower <= 1e-6 * upper or upper < 1e-12
    beyond = upper if found.attained else upper + LITTLE
    if found.status == "separable":
        assert slow.all_separable(X, y, t, lower * (1 - LITTLE), intercept)
        assert not slow.all_separable(X, y, t, beyond, intercept)
    else:
        assert slow.statuses_of_moves(X, y, t, lower * (1 - LITTLE), intercept) == {found.status}
        assert slow.statuses_of_moves(X, y, t, beyond, intercept) != {found.status}
    assert found.example_verdict.status != found.status


@quickly(15)
@given(problems(kinds=("integers", "duplicates", "zeros"), max_rows=3, max_columns=2), st.data())
def test_no_table_in_the_box_has_another_verdict(problem, data):
    X, y, t, intercept, found = drawn(problem, data)
    if found.lower < math.inf:
        r = found.lower * (1 - LITTLE)
        assert slow.statuses_of_corners(X, y, t, r, intercept) == {found.status}
        inner = {status for k in (1, 2, 3) for status in slow.statuses_of_moves(X, y, t, r * k / 4, intercept)}
        assert inner == {found.status}


@quickly(25)
@given(problems(max_rows=8, max_columns=4), st.data())
def test_proofs_hold_for_any_numbers(problem, data):
    X, y, _, intercept, found = drawn(problem, data, exact_numbers=False)
    slow.check_proofs(found, X, y, intercept)
    assert found.lower <= found.upper
    assert found.explain()
    assert json.dumps(found.document())


@quickly(15)
@given(problems(kinds=[kind for kind in KINDS if kind != "subnormal"], max_rows=8, max_columns=3), st.integers(-300, 300))
def test_columns_in_other_units_change_nothing(problem, power):
    X, y = problem
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(X, power)
    if not np.isfinite(scaled).all() or not np.array_equal(np.ldexp(scaled, -power), X):
        return
    t = Fraction(1, 8)
    one, other = sx.decide(X, y).stability(t), sx.decide(scaled, y).stability(t * Fraction(2) ** power)
    assert one.lower <= other.upper
    assert other.lower <= one.upper


def test_sparse_rows_have_the_bounds_of_dense_ones():
    X, y = load_iris(return_X_y=True)
    X, y = np.rint(X[y > 0] * 10), y[y > 0]
    dense, sparse = sx.decide(X, y).stability(1), sx.decide(sp.csr_array(X), y).stability(1)
    assert dense.lower == dense.upper == sparse.lower == sparse.upper


# What is off by how much.


def tolerances_of(X, y=None, tolerance="digits", **options):
    verdict = sx.decide(X, y) if y is not None else sx.decide(X)
    return read_tolerances(verdict.problem, tolerance, **options).columns


def test_half_the_last_digit_is_that_of_the_finest_number_of_a_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c,d,y\n1.5,10,0,u,p\n2.25,20,1,v,q\n3,30,0,w,p\n")
    data = sx.read_data(path, label="y")
    found = dict(zip(data.names, tolerances_of(data), strict=True))
    assert found["a"] == Fraction(1, 200)
    assert found["b"] == Fraction(1, 2)
    assert not any(found[name] for name in ("c", "d=u", "d=v", "d=w"))


@pytest.mark.parametrize(
    ("values", "half"),
    [
        ([0.1, 0.25, 3], Fraction(1, 200)),
        ([0.1 + 0.2, 5, 6], Fraction(1, 2 * 10**17)),
        ([1e300, 2e300, 3e300], Fraction(1, 2)),
        ([1e-30, 1.5e-3, 1], Fraction(1, 2 * 10**30)),
        ([17.0, 12.0, 3.0], Fraction(1, 2)),
    ],
)
def test_a_float_has_the_digits_that_python_prints(values, half):
    assert tolerances_of(np.reshape(values, (-1, 1)), [0, 1, 1]) == (half,)


def test_sparse_columns_have_the_digits_of_dense_ones():
    X = np.array([[1, 0.5, 0, -1], [-1, 0, 2.25, 1], [1, 3, 0, -1]])
    for rows in (X, sp.csr_array(X)):
        assert tolerances_of(rows, [0, 1, 1]) == (0, Fraction(1, 20), Fraction(1, 200), 0)


def test_columns_that_tell_of_gaps_are_exact():
    data = sx.read_data({"a": [1.5, None, 2.5, 4.0], "y": [0, 0, 1, 1]}, label="y", missing="indicator")
    assert dict(zip(data.names, tolerances_of(data), strict=True)) == {"a": Fraction(1, 20), "a is missing": 0}
    assert "missing" in sx.decide(data).stability().explain()


def test_ways_to_say_a_tolerance():
    X, y = [[0, 1], [2, 5], [3, 4]], [0, 1, 1]
    tenth = Fraction(1, 10)
    for given_as in (0.1, "0.1", Decimal("0.1"), "1/10", np.float64(0.1), [0.1, 0.1], {0: 0.1, "x2": "0.1"}):
        assert tolerances_of(X, y, given_as) == (tenth, tenth)
    assert tolerances_of(X, y, 0.1, exact=["x1"]) == (0, tenth)
    assert tolerances_of(X, y, 2, exact=[1]) == (2, 0)
    assert sx.decide(X, y).stability(0.1).bounds is not None
    assert sx.decide(X, y).stability([0.1, 0.2]).bounds is None


@pytest.mark.parametrize("tolerance", [-1, "much", math.nan, math.inf, None, "1/0"])
def test_what_is_no_tolerance_is_refused(tolerance):
    with pytest.raises(ValueError, match="The tolerance must be 'digits' or a number"):
        sx.decide(SQUARE, [0, 0, 0, 1]).stability(tolerance)


def test_other_things_that_are_refused():
    verdict = sx.decide(SQUARE, [0, 0, 0, 1])
    with pytest.raises(ValueError, match="one for each of the 2 columns"):
        verdict.stability([1, 2, 3])
    with pytest.raises(ValueError, match=r"There is no column height.*x1, x2; count them from 0"):
        verdict.stability(1, exact=["height"])
    with pytest.raises(ValueError, match="Fractions have no last digit"):
        sx.decide([[Fraction(1, 3)], [1], [2]], [0, 1, 1]).stability()
    with pytest.raises(ValueError, match="without a kernel"):
        sx.decide(SQUARE, [0, 1, 1, 0], kernel="poly", degree=2).stability()
    with pytest.raises(ValueError, match="tie='update'"):
        sx.decide(SQUARE, [0, 1, 1, 1], fit_intercept=False, tie="negative").stability(1)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(verdict.stability(1))


def test_a_verdict_that_is_not_known_has_no_stability():
    rng = np.random.default_rng(0)
    verdict = sx.decide(rng.standard_normal((3000, 200)), rng.integers(0, 2, 3000), time_limit=1e-6)
    assert verdict.status == "unknown"
    with pytest.raises(ValueError, match="not known"):
        verdict.stability()


# What is returned when the search is cut short.


def overlapping(n=60, d=4):
    rng = np.random.default_rng(1)
    X = rng.integers(-20, 20, (n, d))
    return X, (X[:, 0] + rng.integers(-15, 15, n) > 0).astype(int)


@pytest.mark.parametrize("visits", [0, 1, 5, 12, 16])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OutOfTime])
def test_what_is_proved_by_then_is_returned(monkeypatch, visits, stop):
    X, y = overlapping()
    interrupt.forget()
    left = [visits]
    ask = escape.LeastScore.along

    def counting(self, signs):
        left[0] -= 1
        if left[0] < 0:
            raise stop
        return ask(self, signs)

    monkeypatch.setattr(escape.LeastScore, "along", counting)
    found = sx.decide(X, y).stability(1)
    assert not found.finished
    assert found.upper < math.inf
    assert found.lower > 0 or visits < 12
    slow_proofs = fractions(X), found.problem.y, True
    monkeypatch.undo()
    whole = sx.decide(X, y).stability(1)
    assert found.lower <= whole.lower == whole.upper <= found.upper
    assert whole.finished
    if found.lower:
        monkeypatch.setattr(slow, "free_rows", lambda _: [])  # all rows are tied, and brute force takes long
        slow.check_proofs(found, *slow_proofs)


def test_a_time_limit_returns_bounds():
    X, y = overlapping()
    found = sx.decide(X, y).stability(1, time_limit=1e-9)
    assert (found.stable, found.lower, found.finished) == (None, 0, False)
    for text in (repr(found), found.message, found.explain()):
        assert text.count("The search was stopped before its end: with more time the bounds may come closer.") == 1
    X = np.vstack([X + 100, -X - 100])
    found = sx.decide(X, [0] * 60 + [1] * 60).stability(1, time_limit=1e-9)
    assert found.lower <= found.upper
    with pytest.raises(ValueError, match="time_limit"):
        sx.decide(X, [0] * 60 + [1] * 60).stability(1, time_limit=-1)


def test_an_answer_is_kept(monkeypatch):
    X, y = overlapping()
    verdict = sx.decide(X, y)
    brief = verdict.stability(1, time_limit=1e-9)
    assert verdict.stability(1, time_limit=1e-9) is brief
    whole = verdict.stability(1)
    assert whole.finished
    monkeypatch.setattr(stability, "_of_others", None)
    assert (
        verdict.stability(1)
        is verdict.stability(Fraction(1), time_limit=1e-9)
        is verdict.stability(1, time_limit=None)
        is whole
    )
    for other in ({"tolerance": 2}, {"tolerance": 1, "exact": [0]}, {}):
        with pytest.raises(TypeError):
            verdict.stability(**other)


def test_what_ctrl_c_ended_is_searched_for_anew(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    verdict = sx.decide(*overlapping())
    interrupt.forget()
    monkeypatch.setattr(escape.LeastScore, "along", stopped)
    assert not verdict.stability(1).finished
    monkeypatch.undo()
    interrupt.forget()
    assert verdict.stability(1).finished


# Words.


def test_what_it_says():
    found = of_line([0, 1, 4, 5], [0, 0, 1, 1], 1)
    assert repr(found) == (
        "<Stability: The verdict is stable: the classes stay separable if every number is off by up to 1. "
        "It begins to change at 1.5.>"
    )
    text = found.explain()
    assert "all rows of class 1 are moved" in text
    assert "-1.5" in text
    assert found._repr_markdown_() == found.explain("markdown")
    assert "<p>" in found._repr_html_()
    assert "tabular" in found.explain("latex")
    assert found.document() == {
        "status": "separable", "stable": True, "lower": "3/2", "upper": "3/2", "attained": True, "tolerance": "1",
        "tolerances": {"0": "1"}, "shift": ["-3/2"], "finished": True, "message": found.message,
    }  # fmt: skip
    assert pickle.loads(pickle.dumps(found)) == found


def test_names_from_strangers_are_written_tamely():
    data = sx.read_data({"a\x1b[31m|b": [0.5, 1.0, 4.0], "y": ["<b>", "<b>", "x"]}, label="y")
    found = sx.decide(data).stability(1)
    assert "\x1b" not in found.explain()
    assert "<b>" not in found.explain("html")
