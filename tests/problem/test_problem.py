"""What a problem takes, what it refuses and in which words."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from separatrix.problem.labels import class_array
from separatrix.problem.problem import Problem

X = [[0.0, 1.0], [1.0, 0.5], [2.0, 3.0]]
Y = [0, 1, 1]


def refused(rows=X, labels=Y, error=ValueError, **options):
    with pytest.raises(error) as caught:
        Problem.of(rows, labels, **options)
    return str(caught.value)


def test_float64_is_not_copied():
    array = np.array(X)
    assert Problem.of(array, Y).X is array
    csr = sp.csr_array(array)
    rows = Problem.of(csr, Y).X
    assert np.shares_memory(rows.data, csr.data)
    assert not np.shares_memory(rows.indices, csr.indices)  # they must stay what was checked


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64, np.uint64, bool, object])
def test_other_numbers_are_widened_exactly(dtype):
    array = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    problem = Problem.of(array, Y)
    assert problem.X.dtype == np.float64
    assert problem.X.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def test_float32_is_widened_not_reread():
    assert Problem.of(np.array([[0.1]] * 2, np.float32), [0, 1]).X[0, 0] == float(np.float32(0.1)) != 0.1


def test_layouts():
    array = np.arange(12.0).reshape(3, 4)
    for other in (np.asfortranarray(array), array.astype(">f8"), np.repeat(array, 2, axis=1)[:, ::2], array.tolist()):
        rows = Problem.of(other, Y).X
        assert rows.flags.c_contiguous
        assert np.array_equal(rows, array)


def test_sparse_formats_and_duplicates():
    dense = np.array([[0.0, 1.5], [2.0, 0.0], [0.0, 0.0]])
    for make in (sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array):
        assert np.array_equal(Problem.of(make(dense), Y).X.toarray(), dense)
    twice = sp.csr_array((np.array([1.0, 0.5, 2.0]), np.array([1, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 2))
    assert np.array_equal(Problem.of(twice, Y).X.toarray(), dense)
    assert twice.nnz == 3  # the user's is as it was
    integers = sp.csr_array(np.array([[2**53 + 1]] * 2))
    assert "float64 cannot hold" in refused(integers, [0, 1])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_keep_their_names(make):
    problem = Problem.of(make({"age": [31, 42, 53], "income": [1.5, 2.5, 3.5], "owner": [True, False, True]}), Y)
    assert problem.names == ["age", "income", "owner"]
    assert problem.X.tolist() == [[31.0, 1.5, 1.0], [42.0, 2.5, 0.0], [53.0, 3.5, 1.0]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_name_the_column_at_fault(make):
    assert "Column 'job' of X holds String" in refused(make({"age": [1, 2, 3], "job": ["a", "b", "c"]}))
    assert Problem.of(make({"age": [1, 2, 2**53 + 1]}), Y).row(2)[1][0] == 2**53 + 1
    assert "column 'age'" in refused(make({"age": [1.0, None, 3.0]}))
    assert "row 2, column 'b'" in refused(make({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, np.inf]}))


def test_sparse_columns_of_pandas_are_numbers():
    dense = pd.DataFrame({"a": [0.0, 1.5, 0.0], "b": [True, False, False], "c": [0, 0, 7]})
    sparse = dense.astype({"a": pd.SparseDtype(float, 0.0), "b": pd.SparseDtype(bool), "c": pd.SparseDtype(int)})
    problem = Problem.of(sparse, Y)
    assert problem.X.tolist() == dense.to_numpy(float).tolist()
    assert problem.names == ["a", "b", "c"]
    assert "1 missing in column 'a', the first in row 1" in refused(
        pd.DataFrame({"a": pd.Series([1.0, np.nan, 2.0], dtype=pd.SparseDtype(float))})
    )


def test_other_columns_are_named_for_what_they_hold():
    assert "3 missing in column 'a'" in refused(pl.DataFrame({"a": [None, None, None]}))
    months = pd.DataFrame({"a": pd.period_range("2020-01", periods=3, freq="M")})
    assert "column 'a', holds Period" in refused(months, error=TypeError)


@pytest.mark.parametrize("table", [pd.DataFrame([[1, 2]] * 3, columns=["a", "a"]), pa.table([[1, 2, 3]] * 2, ["a", "a"])])
def test_columns_of_the_same_name_are_refused(table):
    assert "X has columns of the same name. Rename them" in refused(table)


def test_masked_entries_are_missing():
    masked = np.ma.masked_array(np.array(X), mask=np.zeros(np.shape(X)))
    assert Problem.of(masked, Y).X.tolist() == X
    masked[1, 0] = np.ma.masked
    assert "X contains NaN: 1 masked entry" in refused(masked)
    assert "y contains NaN: 2 masked entries" in refused(labels=np.ma.masked_array(Y, [False, True, True]))
    assert "sample_weight contains NaN" in refused(sample_weight=np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]))


def test_a_lazy_table_is_refused():
    assert "collect()" in refused(pl.LazyFrame({"a": [1, 2, 3]}), error=TypeError)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([[0.0, np.nan], [1, 2], [3, 4]], ValueError, "Input X contains NaN: 1 entry, the first in row 0, column 1"),
        (
            [[0.0, 1], [1, -np.inf], [np.inf, 4]],
            ValueError,
            "Input X contains infinity: 2 entries, the first in row 1, column 1",
        ),
        (sp.csr_array([[0.0, 1], [0, np.nan], [3, 4]]), ValueError, "NaN: 1 entry, the first in row 1, column 1"),
        (
            np.array([[10**400], [1], [2]], object),
            ValueError,
            "in row 0, column 0, which over a common denominator takes more than 1,000 bits",
        ),
        (np.array([[Fraction(1, 3**700)], [1], [2]], object), ValueError, "common denominator takes more than 1,000 bits"),
        ([[1j], [1], [2]], ValueError, "Complex data not supported"),
        ([["a"], ["b"], ["c"]], ValueError, "not numbers"),
        (np.array([["1.5"], [1], [2]], object), ValueError, "holds the text '1.5'"),
        (np.array([["2020-01-01"]] * 3, "datetime64[D]"), ValueError, "not numbers"),
        ([1.0, 2.0, 3.0], ValueError, "Expected 2D array, got 1D array instead"),
        (3.0, ValueError, "Expected 2D array, got scalar"),
        (np.zeros((3, 2, 2)), ValueError, "dim 3"),
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        (np.array([[{}], [1], [2]], object), TypeError, "argument must be"),
    ],
)
def test_rows_refused(rows, error, message):
    assert message in refused(rows, error=error)


def test_exact_objects_are_taken():
    rows = Problem.of(np.array([[Decimal("0.5")], [2**60], [True]], object), Y).rows
    assert rows.nearest().ravel().tolist() == [0.5, 2.0**60, 1.0]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([False, True, True], (False, True)),
        ([-1, 1, 1], (-1, 1)),
        (["no", "yes", "yes"], ("no", "yes")),
        ([2.0, 5.0, 5.0], (2.0, 5.0)),
        (np.array(["no", "yes", "yes"], object), ("no", "yes")),
        (pd.Series(["no", "yes", "yes"], dtype="category"), ("no", "yes")),
        (pl.Series(["no", "yes", "yes"]), ("no", "yes")),
        (pa.chunked_array([["no"], ["yes", "yes"]]), ("no", "yes")),
    ],
)
def test_labels_taken(labels, classes):
    problem = Problem.of(X, labels)
    assert problem.classes == classes
    assert problem.y.tolist() == [-1.0, 1.0, 1.0]


def test_a_single_class_is_positive():
    problem = Problem.of(X, ["a"] * 3)
    assert problem.classes == ("a",)
    assert problem.y.tolist() == [1.0] * 3


def test_a_positive_class_stands_against_all_others():
    problem = Problem.of(X, ["a", "b", "c"], positive="b")
    assert problem.y.tolist() == [-1.0, 1.0, -1.0]
    assert problem.classes == ("not b", "b")
    assert Problem.of(X, [0, 1, 1], positive=0).classes == (1, 0)
    assert "positive='d' is not a class" in refused(labels=["a", "b", "c"], positive="d")


@pytest.mark.parametrize("large", [[1, 2**63], [2**63, 2**63 + 1], [-1, 2**63 + 1], [2**70, 2**70 + 1]])
def test_whole_numbers_of_any_size_are_labels(large):
    """NumPy makes floats of a list with numbers on both sides of 2**63, and so the same of different labels."""
    assert Problem.of(X, [large[0], large[1], large[1]]).classes == tuple(large)
    assert class_array(large).tolist() == large
    assert Problem.of(X, [large[0]] * 3, classes=large).y.tolist() == [-1.0] * 3


def test_classes_in_the_order_given():
    assert Problem.of(X, ["b", "b", "a"], classes=["b", "a"]).y.tolist() == [-1.0, -1.0, 1.0]
    assert "which is not among classes" in refused(labels=["a", "b", "c"], classes=["a", "b"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 2], "Only binary classification is supported"),
        ([0.5, 1.0, 1.0], "Unknown label type: continuous"),
        ([0.0, 1.0, np.nan], "Input y contains NaN, first in row 2"),
        (np.array(["a", None, "b"], object), "Input y contains NaN, first in row 1"),
        (np.array(["a", 1, "b"], object), "mixes kinds"),
        ([0, 1], "inconsistent numbers of samples: [3, 2]"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        ([1j, 2, 3], "Complex data not supported"),
        (None, "the target y is None"),
    ],
)
def test_labels_refused(labels, message):
    assert message in refused(labels=labels)


def test_a_column_of_labels_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning):
        assert Problem.of(X, [[0], [1], [1]]).y.tolist() == [-1.0, 1.0, 1.0]


def test_weights():
    assert Problem.of(X, Y, sample_weight=[1, 1, 1]).weights is None
    assert Problem.of(X, Y, sample_weight=2.0).weights.tolist() == [2.0] * 3
    problem = Problem.of(X, Y, sample_weight=[0.5, 0.0, 2.0])
    assert problem.weights.tolist() == [0.5, 2.0]
    assert problem.kept.tolist() == [0, 2]
    assert problem.X.tolist() == [X[0], X[2]]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "expected (3,)"),
        ([[1], [2], [3]], "1D"),
        ([1, -1, 1], "Negative values in sample_weight, first in row 1"),
        ([1, np.nan, 1], "NaN in sample_weight"),
        ([1, np.inf, 1], "infinity in sample_weight"),
        (["a", "b", "c"], "sample_weight holds"),
        ([0, 0, 0], "zero for every row"),
    ],
)
def test_weights_refused(weights, message):
    assert message in refused(sample_weight=weights)


def test_measures_bound_the_rows():
    rng = np.random.RandomState(0)
    rows = rng.standard_normal((50, 7)) * 10.0 ** rng.randint(-20, 20, (50, 7))
    rows[3] = 0.0
    for each in (rows, sp.csr_array(rows)):
        measures = Problem.of(each, [0] * 25 + [1] * 25).measures
        assert measures.largest == np.abs(rows).max()
        assert measures.smallest == np.abs(rows[rows != 0]).min()
        exact = np.linalg.norm(rows.astype(np.longdouble), axis=1)
        assert np.all(measures.norms >= exact)
        assert np.all(measures.norms <= exact * (1 + 1e-12) + 1e-150)
    assert Problem.of(np.zeros((2, 2)), [0, 1]).measures.smallest == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float64])
def test_a_sparse_matrix_is_left_as_it_was(dtype):
    for columns in ([1, 0, 0, 1, 1, 0], [1, 1, 0, 1, 1, 0]):
        given = sp.csr_matrix((np.arange(1, 7).astype(dtype), columns, [0, 2, 4, 6]), shape=(3, 2))
        before = given.data.copy(), given.indices.copy(), given.toarray()
        rows = Problem.of(given, Y).X
        assert np.array_equal(given.data, before[0])
        assert np.array_equal(given.indices, before[1])
        assert np.array_equal(rows.toarray(), before[2])
