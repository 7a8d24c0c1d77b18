"""The scaler: by its definition in fractions, on nasty numbers, and by scikit-learn's contract."""

import math
import pickle
import tracemalloc
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from environments import flushing, known, rounding
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import KINDS, rows_of_kind

import separatrix as sx
from separatrix.exact.rounding import nearest_root
from separatrix.problem.moments import ends, means_and_variances
from separatrix.problem.reading_rows import read_rows
from separatrix.problem.scaling import Scaling

SCALINGS = ("standard", "minmax", "maxabs")


class OtherName(sx.Scaler):
    """The same: scikit-learn's checks set parameters of whatever is called Scaler, as one of its own once was."""


@parametrize_with_checks([OtherName(), OtherName("minmax"), OtherName("maxabs"), OtherName("none")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# ---- The definition, slow and obvious.


def mean_and_variance(column):
    mean = sum(column) / len(column)
    return mean, sum((x - mean) ** 2 for x in column) / len(column)


def is_nearest(value, number):
    """Whether a float64 is at least as near to a number as its neighbours are."""
    beside = [math.nextafter(value, side) for side in (-math.inf, math.inf)]
    return all(abs(Fraction(value) - number) <= abs(Fraction(other) - number) for other in beside if math.isfinite(other))


def is_nearest_root(value, square):
    """Whether the square root of a number lies between the middles of a float64 and its neighbours."""
    below, above = ((Fraction(value) + Fraction(math.nextafter(value, side))) / 2 for side in (0.0, math.inf))
    return below**2 <= square <= above**2


def slow_shift_and_scale(column, kind):
    """Say for a shift and a scale of a column whether they are right."""
    low, high = min(column), max(column)
    mean, variance = mean_and_variance(column)
    shift = {"standard": mean, "minmax": low, "maxabs": Fraction(0)}[kind]
    if kind == "standard":
        is_scale = (lambda scale: scale == 1.0) if not variance else lambda scale: is_nearest_root(scale, variance)
    else:
        size = high - low if kind == "minmax" else max(abs(low), abs(high))
        is_scale = (lambda scale: scale == 1.0) if not size else lambda scale: is_nearest(scale, size)
    return lambda value: is_nearest(value, shift), is_scale


@st.composite
def tables(draw):
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    return rows_of_kind(draw(st.sampled_from(KINDS)), draw(st.integers(1, 9)), draw(st.integers(1, 4)), rng)


@given(tables(), st.booleans())
def test_moments_are_exact(X, sparse):
    rows = read_rows(sp.csr_array(X) if sparse else X)
    columns = [[Fraction(x) for x in column] for column in X.T.tolist()]
    means, variances = (each.fractions() for each in means_and_variances(rows))
    assert list(zip(means, variances, strict=True)) == list(map(mean_and_variance, columns))
    assert ends(rows) == (list(map(min, columns)), list(map(max, columns)))


@given(st.integers(0, 2**31 - 1), st.sampled_from([3, 300, 800]))
def test_moments_of_numbers_far_apart(seed, decades):
    """Where one power of two suits all numbers of a column, and where none does."""
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((6, 2)) * 10.0 ** rng.uniform(-min(decades, 300), min(decades, 300), (6, 2))
    means, variances = (each.fractions() for each in means_and_variances(read_rows(X)))
    assert list(zip(means, variances, strict=True)) == [mean_and_variance(list(map(Fraction, c))) for c in X.T.tolist()]


def test_moments_of_many_rows():
    """More rows than are added up at a time."""
    X = np.random.RandomState(0).randint(-(2**52), 2**52, (2100, 1)) * np.ones((1, 1000)) * 2.0**-60
    means, variances = (each.fractions() for each in means_and_variances(read_rows(X)))
    assert (means[7], variances[7]) == mean_and_variance(list(map(Fraction, X[:, 0].tolist())))
    assert len(set(means)) == len(set(variances)) == 1


@given(tables(), st.sampled_from(SCALINGS), st.booleans())
def test_scaling_by_definition(X, kind, sparse):
    given = sp.csr_array(X) if sparse else X
    try:
        scaler = sx.Scaler(kind).fit(given)
    except ValueError:
        assert np.abs(X).max() > 1e306
        return
    for j, column in enumerate(X.T.tolist()):
        is_shift, is_scale = slow_shift_and_scale(list(map(Fraction, column)), kind)
        assert is_scale(scaler.scale_[j])
        assert scaler.shift_[j] == 0.0 if sparse else is_shift(scaler.shift_[j])
    found = scaler.transform(given)
    assert sp.issparse(found) == sparse
    assert np.isfinite(found.data if sparse else found).all()
    shift, scale = scaler.shift_.tolist(), scaler.scale_.tolist()
    expected = [[(x - shift[j]) / scale[j] for j, x in enumerate(row)] for row in X.tolist()]
    assert np.array_equal(found.toarray() if sparse else found, expected)


@given(st.fractions(min_value=0), st.integers(-1100, 1000))
def test_nearest_root(number, power):
    square = number * Fraction(2) ** power
    root = nearest_root(square)
    assert (root == 0.0) == (square == 0)
    assert not square or root == 5e-324 or is_nearest_root(root, square)


def test_the_root_of_a_tie_is_even():
    for low in (1.0, math.nextafter(1.0, 2.0), 5e-324, 1e-323):
        middle = (Fraction(low) + Fraction(math.nextafter(low, math.inf))) / 2
        mantissa = Fraction(nearest_root(middle**2)) / Fraction(math.ulp(low))
        assert mantissa.denominator == 1
        assert mantissa % 2 == 0


# ---- Nasty numbers.


@pytest.mark.parametrize("kind", SCALINGS)
@pytest.mark.parametrize(
    "column",
    [
        [1e300, -1e300, 3e299], [1e-300, 2e-300], [5e-324, 0.0], [5e-324] * 3, [0.0, -0.0], [-0.0], [7.0],
        [1.7e308, 1.6e308], [1.7e308, -1.0], [0.1] * 7, [1.0, 1.0 + 2**-52], [2.0**-1022, 2.0**-1074, 0.0],
        [1e300, 1e-300, 0.0],
    ],
)  # fmt: skip
def test_nasty_columns(column, kind):
    X = np.array(column)[:, None]
    scaler = sx.Scaler(kind).fit(X)
    found = scaler.transform(X)
    assert np.isfinite(found).all()
    assert (scaler.scale_ > 0).all()
    if len(set(column)) == 1 and kind != "maxabs":
        assert scaler.scale_[0] == 1.0
        assert not found.any()
    if kind != "standard":
        assert np.abs(found).max() <= 1.0
    assert np.array_equal(sx.Scaler(kind).fit(np.hstack([X, X])).transform(np.hstack([X, X])), np.hstack([found, found]))


@pytest.mark.parametrize("kind", ["standard", "minmax"])
def test_numbers_too_far_apart_are_refused(kind):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.7e308, -1.7e308, -1.7e308]})
    with pytest.raises(
        ValueError, match=f"column 1 reaches from -1.7e\\+308 to 1.7e\\+308, .* by '{kind}'. Choose 'maxabs'"
    ):
        sx.Scaler(kind).fit(table.to_numpy())
    with pytest.raises(ValueError, match="column 'b' reaches"):
        sx.Scaler(kind).fit(table)
    assert np.array_equal(sx.Scaler("maxabs").fit_transform(table)[:, 1], [1.0, -1.0, -1.0])


def test_new_numbers_that_float64_cannot_hold_are_refused():
    scaler = sx.Scaler().fit([[1.0, 0.0], [2.0, 1e-300]])
    with pytest.raises(ValueError, match=r"Row 1, column 1: 1e\+300 cannot be scaled. Minus 5e-301, over 5e-301"):
        scaler.transform([[1.0, 0.0], [3.0, 1e300]])


@known
@pytest.mark.parametrize("column", [[1e-308, 3e-308], [5e-324, 0.0], [1.0, 2.0], [1e-310, 1.0], [3e-308, -2.9e-308]])
@pytest.mark.parametrize("kind", SCALINGS)
def test_flushing_of_subnormal_numbers_is_no_silent_error(column, kind):
    X = np.array(column)[:, None]
    scaler = sx.Scaler(kind).fit(X)
    expected = scaler.transform(X)
    with flushing():
        try:
            again = sx.Scaler(kind).fit(X)
            found = again.transform(X)
        except FloatingPointError:
            again, found = scaler, expected
        with suppress(FloatingPointError):
            assert scaler.transform(X).tobytes() == expected.tobytes()
    assert again.shift_.tobytes() == scaler.shift_.tobytes()
    assert again.scale_.tobytes() == scaler.scale_.tobytes()
    assert found.tobytes() == expected.tobytes()


@known
def test_other_rounding_modes_are_refused():
    with rounding("up"), pytest.raises(FloatingPointError, match="nearest"):
        sx.Scaler().fit([[1.0], [2.0]])


def test_decimals_are_measured_exactly():
    """The mean of 0.1, 0.2 and 0.3 is 0.2, and not what their float64 neighbours have for a mean."""
    texts = [["0.1", "1e-400"], ["0.2", "2e-400"], ["0.3", "3e-400"]]
    rows = [[Decimal(text) for text in row] for row in texts[:3]]
    X = [[row[0]] for row in rows]
    assert sx.Scaler().fit(X).shift_[0] == 0.2
    tiny = Scaling.of(read_rows([[row[1] * 10**390] for row in rows]), "standard")
    assert is_nearest_root(tiny.scale[0], Fraction(2, 3) * Fraction(10) ** -20)
    third = sx.Scaler("minmax").fit([[Fraction(1, 3)], [Fraction(4, 3)]])
    assert (third.shift_[0], third.scale_[0]) == (1 / 3, 1.0)


# ---- Beside scikit-learn, and in pipelines.


@pytest.mark.parametrize(
    ("kind", "theirs"), [("standard", StandardScaler()), ("minmax", MinMaxScaler()), ("maxabs", MaxAbsScaler())]
)
def test_as_scikit_learn_but_for_rounding(kind, theirs):
    X = np.random.RandomState(0).standard_normal((50, 4)) * [1, 1e3, 1e-3, 0] + [0, 5, 0, 7]
    np.testing.assert_allclose(sx.Scaler(kind).fit_transform(X), clone(theirs).fit_transform(X), rtol=1e-9, atol=1e-12)


def test_sparse_rows_become_dense_where_shifts_were_learnt():
    X = np.array([[1.0, 0.0], [3.0, 4.0]])
    scaler = sx.Scaler("minmax").fit(X)
    assert np.array_equal(scaler.transform(sp.csr_array(X)), scaler.transform(X))


def test_names_and_frames():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 4.0]}, index=["x", "y"])
    scaler = sx.Scaler("maxabs").set_output(transform="pandas").fit(table)
    assert scaler.get_feature_names_out().tolist() == ["a", "b"]
    pd.testing.assert_frame_equal(scaler.transform(table), table / [2.0, 4.0])
    with pytest.raises(ValueError, match="feature names"):
        scaler.transform(table[["b", "a"]])
    assert not hasattr(scaler.fit(table.to_numpy()), "feature_names_in_")


def test_pipelines_learn_from_scaled_rows():
    X, y = sx.examples.load("iris-virginica")
    model = make_pipeline(sx.Scaler(), sx.Pocket(max_updates=99, random_state=0)).fit(X, y)
    alone = sx.Pocket(max_updates=99, random_state=0).fit(sx.Scaler().fit_transform(X), y)
    assert np.array_equal(model[-1].coef_, alone.coef_)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", ["", "Standard", None, 1])
def test_other_kinds_are_refused(kind):
    with pytest.raises(ValueError, match="'kind' parameter of Scaler must be one of 'none', 'standard', 'minmax', 'maxabs'"):
        sx.Scaler(kind).fit([[1.0]])


@given(tables(), st.sampled_from(SCALINGS), st.booleans(), st.integers(0, 10**6))
def test_weights_in_given_units(X, kind, intercept, seed):
    """In exact arithmetic the weights of scaled columns give scaled rows the scores that theirs give the given ones."""
    try:
        scaling = Scaling.of(read_rows(X), kind)
    except ValueError:
        return
    rng = np.random.RandomState(seed)
    weights = [Fraction(int(number), 7) for number in rng.randint(-9, 10, X.shape[1] + intercept)]
    *coef, threshold = scaling.in_given_units(weights)
    shift, scale = (list(map(Fraction, each.tolist())) for each in (scaling.shift, scaling.scale))
    for row in X.tolist():
        scaled = [(Fraction(x) - a) / b for x, a, b in zip(row, shift, scale, strict=True)] + [1] * intercept
        score = sum(w * x for w, x in zip(weights, scaled, strict=True))
        assert score == sum(w * Fraction(x) for w, x in zip(coef, row, strict=True)) + threshold


@pytest.mark.parametrize("order", ["C", "F"])
def test_many_rows_are_scaled_some_at_a_time(order):
    """The same numbers, and nothing else of their size in memory: it would take seconds in which Ctrl-C is not heard."""
    X = np.asarray(np.random.default_rng(0).normal(3.0, 2.0, (200_000, 10)), order=order)
    rows = read_rows(X)
    scaling = Scaling.of(rows, "standard")
    tracemalloc.start()
    try:
        found = scaling.applied(rows)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.array_equal(found, (X - scaling.shift) / scaling.scale)
    assert most < 1.5 * X.nbytes
