"""Whatever comes in is exactly the number meant, or refused with its place: every type, every container, every format."""

from collections import UserList, deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.exact.float64 import read_float, read_floats
from separatrix.problem.labels import class_array, read_labels
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows

BIG = 2**53 + 1
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


def as_fraction(value):
    """What a finite value means."""
    if isinstance(value, np.floating):
        return Fraction(*value.as_integer_ratio())
    return Fraction(int(value)) if isinstance(value, bool | np.bool_ | np.integer) else Fraction(value)


def numerators_of(rows):
    return [[Fraction(x) for x in row] for row in (rows.numerators if rows.wide is None else rows.wide).tolist()]


def is_float(number):
    """Whether a float64 is exactly this fraction."""
    try:
        return Fraction(float(number)) == number
    except OverflowError:
        return False


def outcome(call):
    """Return what is read, or the words in which it is refused."""
    try:
        return call()
    except ValueError as error:
        return str(error)


integers = st.one_of(
    st.integers(-5, 5),
    st.integers(2**53 - 4, 2**53 + 4),
    st.integers(-(2**64), 2**64),
    st.sampled_from([2**63, 10**30, 10**400]),
)
floats = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.one_of(
    integers,
    floats,
    st.booleans(),
    st.builds(Fraction, integers, st.sampled_from([1, 2, 3, 2**60])),
    st.builds(Decimal, integers).map(lambda d: d.scaleb(-1)),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 2**64 - 1).map(np.uint64),
    st.integers(-128, 127).map(np.int8),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(np.float32),
    st.floats(width=16, allow_nan=False, allow_infinity=False).map(np.float16),
    floats.map(np.longdouble),
    integers.map(lambda n: np.longdouble(1) / np.longdouble(min(abs(n), 2**60) or 1)),
    st.booleans().map(np.bool_),
)
containers = {
    "list": list,
    "tuple": tuple,
    "objects": lambda values: np.array([*values, None], object)[:-1],
    "column of pandas": lambda values: pd.Series(list(values), dtype=object),
}


@pytest.mark.parametrize("container", containers)
@given(st.lists(numbers, min_size=1, max_size=4))
def test_numbers_are_exact_or_refused(container, values):
    meant = [as_fraction(value) for value in values]
    read = outcome(lambda: read_floats(containers[container](values), "X"))
    if isinstance(read, str):
        assert "which float64 cannot hold exactly" in read
        place = int(read.partition(" in row ")[2].partition(",")[0])
        assert place == next(i for i, number in enumerate(meant) if not is_float(number))
    else:
        assert [Fraction(number) for number in read.tolist()] == meant


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=3), st.sampled_from(["list", "objects", "frame"]))
@example([(0, np.longdouble(2.0**1000)), (0, Fraction(0))], "list")
@example([(Fraction(1, 2), 2.0**-900), (2.0**900, 0)], "frame")
def test_rows_are_exact_or_refused(table, kind):
    y = [0, 1, 0][: len(table)]
    if kind == "frame":
        X = pd.DataFrame({name: pd.Series([row[j] for row in table], dtype=object) for j, name in enumerate("ab")})
    else:
        X = table if kind == "list" else np.array([[*row, None] for row in table], object)[:, :-1]
    problem, meant = outcome(lambda: Problem.of(X, y)), [[as_fraction(x) for x in row] for row in table]
    if isinstance(problem, str):
        assert not all(is_float(x) for row in meant for x in row)
        assert "float64 cannot hold" in problem or "common denominator takes more than 1,000 bits" in problem
        assert "in row" in problem
    else:
        assert [[x / problem.rows.denominator for x in row] for row in numerators_of(problem.rows)] == meant


def test_integers_beside_floats_are_not_rounded():
    """NumPy makes float64 of them before anybody can look."""
    for X in (
        np.array([[np.int64(2**53)], [np.int64(BIG)]], object),
        [[2**53], [BIG], [0.5]],
        [[2**63], [2**63 + 1], [-1]],
        [[np.uint64(2**63 + 1)], [np.int64(-1)]],
        [np.array([BIG]), np.array([0.5])],
        [[np.array(BIG)], [0.5]],
        deque([[BIG], [0.5]]),
        UserList([[2**63 + 1], [-1]]),
        np.array([[np.array(BIG), None], [0.5, None]], object)[:, :1],
        pd.DataFrame({"x": pd.Series([BIG, 0.5], dtype=object)}),
    ):
        meant = [as_fraction(row[0] if not isinstance(row[0], np.ndarray) else row[0][()]) for row in np.asarray(X, object)]
        assert [row[0] / read_rows(X).denominator for row in numerators_of(read_rows(X))] == meant


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("x", [Decimal("0.5"), Decimal("0.1")]),
        pl.Series("x", [2**53, BIG], dtype=pl.Int64),
        pl.Series("x", [2**53, BIG], dtype=pl.UInt64),
        pl.Series("x", [1, 2**70 + 1], dtype=pl.Int128),
        pd.Series([2**53, BIG], name="x", dtype="Int64"),
        pd.Series([2**53, BIG], name="x", dtype="UInt64"),
        pd.Series([2**53, BIG], name="x", dtype=pd.ArrowDtype(pa.int64())),
        pd.Series([Decimal("0.5"), Decimal("0.1")], name="x", dtype=pd.ArrowDtype(pa.decimal128(38, 2))),
        pd.Series([Decimal("0.5"), Decimal("0.1")], name="x"),
        pd.Series(pd.arrays.SparseArray([0, BIG]), name="x"),
        pd.Series([0, np.longdouble(1) / 3], name="x", dtype=np.longdouble),
    ],
    ids=lambda column: f"{type(column).__module__.partition('.')[0]} {column.dtype}",
)
def test_columns_of_tables_are_exact(column):
    frame = column.to_frame()
    for table in (frame, frame[:1]):
        rows = read_rows(table)
        assert [row[0] / rows.denominator for row in numerators_of(rows)] == [
            as_fraction(value) for value in column.to_list()[: len(table)]
        ]


def test_every_other_number_comes_through_the_same_door():
    X, y = [[0.0], [1.0]], [0, 1]
    third, inexact = Fraction(1, 3), "float64 cannot hold exactly"
    for wrong in (third, BIG, 10**400, Decimal("0.1"), np.longdouble(1) / 3):
        with pytest.raises(ValueError, match=f"sample_weight holds .* in row 1, which {inexact}"):
            sx.Perceptron().fit(X, y, sample_weight=[1, wrong])
        with pytest.raises(ValueError, match=rf"class_weight\[1\] is .*, which {inexact}"):
            sx.Perceptron(class_weight={0: 1, 1: wrong}).fit(X, y)
        for name in ("gamma", "coef0"):
            with pytest.raises(ValueError, match=f"{inexact}|must be"):
                sx.KernelPerceptron(kernel="poly", **{name: wrong}).fit(X, y)
    assert sx.perceptron_loss([third], "-0.5", X, y) == pytest.approx(1 / 6, rel=1e-15)
    for wrong, message in ((10**400, "range of float64"), (np.longdouble(1) / 3, inexact)):
        with pytest.raises(ValueError, match=message):
            sx.perceptron_loss([wrong], 0.0, X, y)
    assert sx.Perceptron(eta0=Fraction(1, 4)).fit(X, y).exact_weights() == sx.Perceptron(eta0=0.25).fit(X, y).exact_weights()
    assert read_float(np.int8(3), "eta0") == 3.0


def test_columns_of_types_that_numpy_does_not_have():
    X, y = [[0.0], [1.0]], [0, 1]
    for dtype in (pl.Int128, pl.UInt128):
        assert sx.decide(X, pl.Series([1, 2], dtype=dtype)).separable
        weights = pl.Series([1, 2], dtype=dtype)
        assert (
            sx.Perceptron().fit(X, y, sample_weight=weights).coef_ == sx.Perceptron().fit(X, y, sample_weight=[1, 2]).coef_
        )
        with pytest.raises(ValueError, match=r"sample_weight holds 1180591620717411303425 in row 1"):
            sx.Perceptron().fit(X, y, sample_weight=pl.Series([1, 2**70 + 1], dtype=dtype))


def test_masked_rows_in_a_list_are_refused():
    with pytest.raises(ValueError, match=r"contains NaN: 1 masked entry"):
        sx.decide([np.ma.array([1.0], mask=[1]), np.ma.array([2.0], mask=[0])], [0, 1])


def test_weights_that_would_vanish_are_refused():
    with pytest.raises(ValueError, match=r"weight of row 1, 1e-200, times that of its class 1, 1e-200, is 0.0"):
        sx.Perceptron(class_weight={1: 1e-200}).fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 1e-200])
    with pytest.raises(ValueError, match=r"weight of row 0, 1e\+200, times .* is inf"):
        sx.Perceptron(class_weight={0: 1e200}).fit([[0.0], [1.0]], [0, 1], sample_weight=[1e200, 1])


# Sparse rows: one rule for entries at the same place, in every format and type.


@st.composite
def entries(draw):
    """Entries of a 2 x 3 matrix, some at the same place, in some type."""
    dtype = np.dtype(draw(st.sampled_from(["f8", "f4", "i1", "u1", "i4", "i8", "u8", "?", "g"])))
    if dtype.kind == "f":
        value = st.sampled_from([0.5, 1.0, -1.0, 1e8, -1e8, 0.1, 3.0, 2.0**60, 1e38, -0.0])
    elif dtype.kind == "b":
        value = st.booleans()
    else:
        value = st.sampled_from([0, 1, 5, 100, 127, *([2**53, 2**53 + 1] if dtype.itemsize == 8 else [])])
    count = draw(st.integers(0, 6))
    data = np.array(draw(st.lists(value, min_size=count, max_size=count)), dtype)
    rows = np.array(draw(st.lists(st.integers(0, 1), min_size=count, max_size=count)), np.int32)
    columns = np.array(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)), np.int32)
    return data, rows, columns


def in_format(name, data, rows, columns):
    """Give entries in a format that keeps those at the same place apart; None if it cannot."""
    order = np.argsort(rows, kind="stable")
    if name == "csr":
        return sp.csr_array((data[order], columns[order], np.searchsorted(rows[order], [0, 1, 2])), shape=(2, 3))
    if name == "csc":
        order = np.argsort(columns, kind="stable")
        return sp.csc_array((data[order], rows[order], np.searchsorted(columns[order], [0, 1, 2, 3])), shape=(2, 3))
    if name == "bsr":
        return sp.bsr_array(
            (data[order].reshape(-1, 1, 1), columns[order], np.searchsorted(rows[order], [0, 1, 2])), shape=(2, 3)
        )
    coo = sp.coo_array((data, (rows, columns)), shape=(2, 3))
    if name == "coo":
        return coo
    if len(set(zip(rows.tolist(), columns.tolist(), strict=True))) < len(data) or data.dtype.char == "g":
        return None
    return coo.asformat(name)


@pytest.mark.parametrize("name", FORMATS)
@given(entries())
def test_sparse_entries_at_one_place_are_added_exactly(name, given_entries):
    data, rows, columns = given_entries
    X = in_format(name, data, rows, columns)
    assume(X is not None)
    before = [array.copy() for array in vars(X).values() if isinstance(array, np.ndarray)]
    meant = [[Fraction(0)] * 3 for _ in range(2)]
    for value, i, j in zip(data, rows, columns, strict=True):
        meant[i][j] += as_fraction(value)
    held = all(is_float(as_fraction(value)) for value in data) and all(is_float(x) for row in meant for x in row)
    problem = outcome(lambda: Problem.of(X, [0, 1]))
    assert isinstance(problem, str) != held
    if held:
        assert [[Fraction(x) for x in row] for row in problem.X.toarray().tolist()] == meant
        assert sp.csr_array((problem.X.data, problem.X.indices, problem.X.indptr), shape=(2, 3)).has_canonical_format
    else:
        assert "loat64 cannot hold" in problem
    after = [array for array in vars(X).values() if isinstance(array, np.ndarray)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_a_stale_flag_of_canonical_format_is_not_believed():
    X = sp.csr_array(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert X.has_canonical_format
    X.indices[:] = [0, 0, 1, 0]
    assert Problem.of(X, [0, 1]).X.toarray().tolist() == [[3.0, 0.0], [4.0, 3.0]]


def test_a_sum_that_needs_more_than_floats_on_the_way():
    """1e16 + 1 - 1e16 is 1, whatever the order."""
    X = sp.coo_array(([1e16, 1.0, -1e16, 1.0], ([0, 0, 0, 1], [0, 0, 0, 0])), shape=(2, 1))
    assert Problem.of(X, [0, 1]).X.toarray().tolist() == [[1.0], [1.0]]
    with pytest.raises(ValueError, match=r"X holds 2 entries in row 0, column 0: 1e\+308, 1e\+308. Float64 cannot hold"):
        Problem.of(sp.coo_array(([1e308, 1e308], ([0, 0], [0, 0])), shape=(2, 1)), [0, 1])


def broken():
    """Sparse arrays that point outside of themselves: scipy takes them."""
    yield "index too high", sp.csr_array(([1.0, 2.0, 3.0], [0, 7, 1], [0, 1, 2, 3]), shape=(3, 2))
    for place in (10**8, -(10**8), -1, 2):
        csr = sp.csr_array(np.ones((3, 2)))
        csr.indices[3] = place
        yield f"index {place}", csr
        csc = sp.csc_array(np.ones((3, 2)))
        csc.indices[3] = place + (place > 0)
        yield f"row {place}", csc
        bsr = sp.bsr_array(np.ones((4, 4)), blocksize=(2, 2))
        bsr.indices[1] = place
        yield f"block {place}", bsr
        coo = sp.coo_array(np.ones((3, 2)))
        coo.coords[1][2] = place
        yield f"coordinate {place}", coo
    for ends in ([0, 4, 2, 6], [0, 2, 4, 10**9], [1, 2, 4, 6], [0, -5, 4, 6], [-3, 2, 4, 6]):
        csr = sp.csr_array(np.ones((3, 2)))
        csr.indptr[:] = ends
        yield f"indptr {ends}", csr
    csr = sp.csr_array(np.ones((3, 2)))
    csr.indptr = csr.indptr[:-1]
    yield "short indptr", csr
    csr = sp.csr_array(np.ones((3, 2)))
    csr.data = csr.data[:-2]
    yield "short data", csr


@pytest.mark.parametrize(("what", "X"), list(broken()), ids=lambda value: value if isinstance(value, str) else "")
def test_broken_sparse_rows_are_refused(what, X):
    """Kernels would read and write memory that is not theirs."""
    y = [0, 1, 0, 1][: X.shape[0]]
    fitted = sx.Perceptron().fit(np.eye(X.shape[1]), range(X.shape[1])) if X.shape[1] == 2 else None
    for call in (
        lambda: sx.decide(X, y),
        lambda: sx.Perceptron().fit(X, y),
        lambda: sx.Pocket().fit(X, y),
        lambda: sx.KernelPerceptron().fit(X, y),
        lambda: sx.VotedPerceptron().fit(X, y),
        lambda: sx.least_errors(X, y, time_limit=1),
        lambda: sx.margin(X, y),
        *([lambda: fitted.predict(X)] if fitted else []),
    ):
        with pytest.raises(ValueError, match="X is a broken sparse array"):
            call()


def test_indices_changed_later_reach_nothing():
    """What was checked is what the kernels see."""
    X = sp.csr_array(np.eye(3))
    problem = Problem.of(X, [0, 1, 0])
    X.indices[:], X.indptr[:] = 10**8, 10**8
    assert problem.X.toarray().tolist() == np.eye(3).tolist()


# Labels: no two of them become one.


labels = st.one_of(
    st.lists(st.one_of(st.integers(-3, 3), st.integers(2**53 - 2, 2**53 + 2), st.integers(-(2**65), 2**65)), min_size=1),
    st.lists(st.text(st.sampled_from("aB\0 \n1ä"), max_size=3), min_size=1),
    st.lists(st.booleans(), min_size=1),
    st.lists(st.integers(2**53 - 2, 2**53 + 2).map(np.int64), min_size=1),
    st.lists(st.one_of(st.integers(2**63, 2**64 - 1).map(np.uint64), st.integers(-3, -1).map(np.int64)), min_size=1),
)


@given(labels, st.sampled_from([list, tuple, deque, UserList, lambda values: np.array([*values, None], object)[:-1]]))
def test_labels_stay_apart(values, container):
    read = read_labels(container(values))
    assert read.tolist() == [value.item() if isinstance(value, np.generic) else value for value in values]
    classes = sorted(set(read.tolist()))
    assert class_array(tuple(classes)).tolist() == classes


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@given(labels)
def test_labels_in_a_column_stay_apart(values):
    meant = [value.item() if isinstance(value, np.generic) else value for value in values]
    assert read_labels([[value] for value in values]).tolist() == meant


def test_labels_that_end_with_nul_stay_apart():
    X, y = [[0.0], [1.0], [0.0], [1.0]], ["a\0", "a", "a\0", "a"]
    assert sx.decide(X, y).separable
    perceptron = sx.Perceptron().fit(X, y)
    assert perceptron.classes_.tolist() == ["a", "a\0"]
    assert perceptron.predict(X).tolist() == y


def test_integers_beside_floats_among_labels_are_not_rounded():
    with pytest.raises(ValueError, match="y mixes kinds of labels"):
        sx.decide([[0.0], [1.0], [2.0]], [BIG, 2.0**53, 1.0])


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", pd.NA, "b"], dtype=object),
        pd.Series(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Categorical(["a", None, "b"]),
        pl.Series(["a", None, "b"]),
        ["a", pd.NA, "b"],
    ],
    ids=lambda y: f"{type(y).__module__.partition('.')[0]} {getattr(y, 'dtype', '')}",
)
def test_missing_labels_are_told(y):
    with pytest.raises(ValueError, match=r"Input y contains NaN, first in row 1: every row needs a label|y mixes texts"):
        sx.decide([[0.0], [1.0], [2.0]], y)
