"""The encoder of tables: by a slow definition, as `read_data` has it from files, and by scikit-learn's contract."""

import csv
import datetime
import pickle
import re
import tempfile
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix as sx
from separatrix.problem.provenance import GAPS, Column

NAN = float("nan")


@parametrize_with_checks([sx.TableEncoder(), sx.TableEncoder(missing="indicator", unseen="ignore")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# ---- The definition, slow and obvious. A table is a dict of lists of None, NaN, bools, numbers and texts.


def is_gap(cell, gaps=GAPS):
    return cell is None or cell != cell or cell in gaps


def slow_columns(table, missing):
    columns = []
    for name, cells in table.items():
        there = [cell for cell in cells if not is_gap(cell)]
        if any(isinstance(cell, str) for cell in there):
            columns += [(name, word, False) for word in sorted(set(there))]
        elif there:
            columns.append((name, None, False))
        if missing == "indicator" and len(there) < len(cells):
            columns.append((name, None, True))
    return columns


def slow_rows(table, columns):
    def entry(cell, category, gap):
        if gap:
            return float(is_gap(cell))
        if is_gap(cell):
            return 0.0
        return float(cell) if category is None else float(cell == category)

    n = len(next(iter(table.values())))
    return [[entry(table[name][i], category, gap) for name, category, gap in columns] for i in range(n)]


def has_gaps(table):
    return any(is_gap(cell) for cells in table.values() for cell in cells)


def has_news(table, columns):
    """Whether a table has a word that is no category, or a gap in a column that tells of none."""
    words = {name for name, category, _ in columns if category is not None}
    return any(
        (name, None, True) not in columns if is_gap(cell) else name in words and (name, cell, False) not in columns
        for name, cells in table.items()
        for cell in cells
    )


WORDS = st.sampled_from(["a", "b", "B", "é", "zz top", "a,b", 'say "x"', "c", "d", "e", "f"])
CELLS = {
    "floats": st.floats(allow_nan=False, allow_infinity=False),
    "whole": st.integers(-(2**53), 2**53),
    "flags": st.booleans(),
    "words": WORDS,
}
GAP = {
    "floats": st.sampled_from([None, NAN]),
    "whole": st.none(),
    "flags": st.none(),
    "words": st.sampled_from([None, "NA"]),
}


@st.composite
def tables(draw, gap=True, count=1):
    """Some tables with the same columns; in the first every column has a value."""
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    if draw(st.booleans()):
        kinds = ["words"]  # enough categories for CSR rows
    found = []
    for k in range(count):
        n = draw(st.integers(1, 12))
        table = {}
        for j, kind in enumerate(kinds):
            cell = st.one_of(CELLS[kind], CELLS[kind], GAP[kind]) if gap else CELLS[kind]
            first = CELLS[kind] if k == 0 else cell
            table[f"c{j} {kind}"] = [draw(first), *draw(st.lists(cell, min_size=n - 1, max_size=n - 1))]
        found.append(table)
    return found


def rows_of(table):
    return [list(row) for row in zip(*table.values(), strict=True)]


def objects(table):
    array = np.empty((len(rows_of(table)), len(table)), dtype=object)
    for j, cells in enumerate(table.values()):
        array[:, j] = cells
    return array


class OnlyArrow:
    """What any library that speaks Arrow's C interface looks like."""

    def __init__(self, table):
        self.table = pa.table(table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def shuffled_index(table):
    frame = pd.DataFrame(table)
    return frame.set_index(np.roll(frame.index, 1) * 3)


NAMED = {
    "pandas": shuffled_index,
    "pandas objects": lambda table: pd.DataFrame(table, dtype=object),
    "polars": lambda table: pl.DataFrame(table, strict=False),
    "pyarrow": pa.table,
    "arrow": OnlyArrow,
    "dict": dict,
}
UNNAMED = {"list": rows_of, "tuple": lambda table: tuple(map(tuple, rows_of(table))), "object array": objects}


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def facts(encoder, X):
    return [tuple(column) for column in encoder.columns_], dense(X).tolist()


@pytest.mark.parametrize("kind", [*NAMED, *UNNAMED])
@given(pair=tables(count=2), missing=st.sampled_from(["refuse", "indicator"]), unseen=st.sampled_from(["refuse", "ignore"]))
def test_rows_are_those_of_the_definition(kind, pair, missing, unseen):
    table, new = pair
    if kind in UNNAMED:
        table, new = ({f"x{j}": cells for j, cells in enumerate(each.values())} for each in pair)
    form = {**NAMED, **UNNAMED}[kind]
    encoder = sx.TableEncoder(missing=missing, unseen=unseen)
    if missing == "refuse" and has_gaps(table):
        with pytest.raises(ValueError, match="X has missing values"):
            encoder.fit(form(table))
        return
    columns = slow_columns(table, missing)
    expected = columns, slow_rows(table, columns)
    X = encoder.fit_transform(form(table))
    assert facts(encoder, X) == expected
    assert sp.issparse(X) == (len(columns) > 4 * len(table))
    assert X.dtype == np.float64
    again = clone(encoder).fit(form(table))
    assert facts(again, again.transform(form(table))) == expected
    if has_gaps(new) and missing == unseen == "refuse":
        with pytest.raises(ValueError, match="X has missing values"):
            encoder.transform(form(new))
    elif unseen == "refuse" and has_news(new, columns):
        with pytest.raises(ValueError, match=r"is new; those learnt are|a missing value, in a column that had none"):
            encoder.transform(form(new))
    else:
        assert dense(encoder.transform(form(new))).tolist() == slow_rows(new, columns)


@pytest.mark.parametrize("words", [1, 9])  # rows that are dense, and CSR
@pytest.mark.parametrize("gap", [NAN, None])
def test_a_gap_is_told_of_before_a_new_category(words, gap):
    """However it is written: NaN among floats is no null of Arrow's."""
    table = pa.table({"word": [f"w{k}" for k in range(words)], "number": np.arange(words) / 2})
    new = pa.table({"word": ["new", "w0"], "number": pa.array([1.0, gap], pa.float64(), from_pandas=False)})
    with pytest.raises(
        ValueError, match=r"X has missing values .* in 1 of its 2 rows, the first in X, row 1, column 'number'"
    ):
        sx.TableEncoder().fit(table).transform(new)


def written(cell):
    if is_gap(cell):
        return "NA"
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


@given(tables(), st.sampled_from(["refuse", "indicator"]))
def test_rows_are_those_of_the_files(one, missing):
    [table] = one
    if missing == "refuse":
        table = {name: [cells[0] if is_gap(cell) else cell for cell in cells] for name, cells in table.items()}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "table.csv", Path(folder) / "table.parquet"]
        with paths[0].open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([list(table), *([written(cell) for cell in row] for row in rows_of(table))])
        pq.write_table(pa.table(table), paths[1])
        for path in paths:
            data = sx.read_data(path, missing=missing)
            for form in (shuffled_index, pl.DataFrame, pa.table):
                encoder = sx.TableEncoder(missing=missing)
                X = encoder.fit_transform(form(table))
                assert encoder.columns_ == data.columns
                assert type(X) is type(data.X)
                assert np.array_equal(dense(X), dense(data.X))
                assert encoder.get_feature_names_out().tolist() == data.names


@pytest.mark.parametrize(
    "choice", [{"drop": ["job", -1]}, {"only": ("age", 2)}, {"text": "age", "drop": "id"}, {"gaps": ["x"]}]
)
def test_columns_are_chosen_as_in_read_data(choice):
    table = {"age": [3, 4, 4], "job": ["x", "?", "NA"], "id": [7, 8, 9]}
    data = sx.read_data(table, missing="indicator", **choice)
    encoder = sx.TableEncoder(missing="indicator", **choice).fit(pl.DataFrame(table))
    assert encoder.columns_ == data.columns
    assert encoder.columns_ != sx.TableEncoder(missing="indicator").fit(table).columns_
    assert np.array_equal(encoder.transform(pd.DataFrame(table)), data.X)
    assert encoder.n_features_in_ == 3
    assert encoder.feature_names_in_.tolist() == ["age", "job", "id"]


# ---- What cells may be.


@pytest.mark.parametrize(
    "words",
    [
        pd.DataFrame({"w": pd.Categorical(["b", None, "a"], categories=["unused", "b", "a"])}),
        pd.DataFrame({"w": pd.Series(["b", pd.NA, "a"], dtype="string")}),
        pl.DataFrame({"w": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"w": pl.Series(["b", None, "a"], dtype=pl.Enum(["unused", "b", "a"]))}),
        pa.table({"w": pa.array(["b", None, "a"]).dictionary_encode()}),
        pa.table({"w": pa.array(["b", None, "a"], pa.large_string())}),
        np.array([["b"], ["?"], ["a"]]),
        np.array([["b"], [pd.NA], ["a"]], dtype=object),
    ],
)
def test_kinds_of_words(words):
    encoder = sx.TableEncoder(missing="indicator").fit(words)
    assert [(column.category, column.gap) for column in encoder.columns_] == [("a", False), ("b", False), (None, True)]
    assert encoder.transform(words).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([[1.0], [NAN], [3.0]]),
        np.array([[1.0], [NAN], [3.0]], np.float16),
        np.array([[1.0], [NAN], [3.0]], np.longdouble),
        np.array([[1.0], [NAN], [3.0]], ">f8"),
        np.array([[1], [None], [3]], dtype=object),
        [[True], ["?"], [3]],
        [[1], [np.float32("nan")], [Fraction(3)]],
        [[Decimal(1)], [Decimal("nan")], [Decimal(3)]],
        [[Decimal(1)], [None], [3.0]],
        pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")}),
        pd.DataFrame({"n": pd.Series([1, "", 3.0], dtype=object)}),
        pd.DataFrame([[1], [None], [3]]),
        pl.DataFrame({"n": [1.0, NAN, 3.0]}),
        pa.table({"n": [Decimal(1), None, Decimal(3)]}),
    ],
)
def test_kinds_of_numbers(numbers):
    encoder = sx.TableEncoder(missing="indicator").fit(numbers)
    assert encoder.transform(numbers).tolist() == [[1, 0], [0, 1], [3, 0]]
    with pytest.raises(
        ValueError, match=r"^X has missing values \(NaN, None or a gap\) in 1 of its 3 rows, the first in X, row 1"
    ):
        sx.TableEncoder().fit(numbers)


def test_arrays_of_whole_numbers_and_flags():
    for dtype in (np.int8, np.uint64, ">i4", bool):
        assert sx.TableEncoder().fit_transform(np.array([[1, 0], [1, 1]], dtype)).tolist() == [[1, 0], [1, 1]]
    for flags in ([[True], [False]], [[np.True_], [np.False_]]):
        assert sx.TableEncoder(text="x0").fit(flags).get_feature_names_out().tolist() == ["x0=false", "x0=true"]
    for ids in (np.array([[2**60 + 1], [3]]), [[2**60 + 1], [3]]):
        assert sx.TableEncoder(text=1).fit(ids).get_feature_names_out().tolist() == [f"x0={2**60 + 1}", "x0=3"]


@pytest.mark.parametrize(
    "rows",
    [
        np.array([[2**53 + 1]]),
        [[2**53 + 1], [0.5]],
        [[2**53 + 1, 0.5]],
        [[2**70 + 1]],
        [[Fraction(1, 3)]],
        [[np.longdouble(1) / 3], [1.0]],
        [[Decimal("0.1")], [1.0]],
        pd.DataFrame({"n": [2**53 + 1]}),
        pl.DataFrame({"n": [2**53 + 1, None]}),
        pd.DataFrame({"n": [2**53 + 1, True]}, dtype=object),
    ],
)
def test_numbers_that_float64_cannot_hold_are_refused(rows):
    with pytest.raises(ValueError, match="float64 cannot hold exactly"):
        sx.TableEncoder(missing="indicator").fit(rows)


def test_infinity_is_refused_with_its_place():
    with pytest.raises(ValueError, match="X, row 1, column 'x1': an infinite number"):
        sx.TableEncoder().fit([[1, 2.0], [3, np.inf]])


def test_a_column_that_mixes_text_and_numbers_is_refused():
    message = r"Column '{}' of X mixes text and numbers: 'b' in row 2, 7 in row 1\. Make all.*gaps"
    mixed = [[1, None], [2, 7], [3, "b"]]
    for rows in (mixed, np.array(mixed, dtype=object)):
        with pytest.raises(ValueError, match=message.format("x1")):
            sx.TableEncoder(missing="indicator").fit(rows)
    with pytest.raises(ValueError, match=message.format("k")):
        sx.TableEncoder(missing="indicator").fit(pd.DataFrame(mixed, columns=["i", "k"]))
    assert sx.TableEncoder(missing="indicator", gaps=["b"]).fit_transform(mixed).tolist() == [
        [1, 0, 1],
        [2, 7, 0],
        [3, 0, 1],
    ]


def test_numbers_that_numpy_made_texts_are_refused():
    array = np.array([[20, "clerk"], [30.5, "cook"], [NAN, "clerk"]])
    with pytest.raises(ValueError, match=r"all those in column 'x0' are numbers, such as '20'.*dtype=object.*text='x0'"):
        sx.TableEncoder(missing="indicator").fit(array)
    with pytest.raises(ValueError, match="column 'x1' are numbers, such as 'False'"):
        sx.TableEncoder().fit(np.array([["a", True], ["b", False]]))
    encoder = sx.TableEncoder(missing="indicator", text="x0").fit(array)
    assert encoder.get_feature_names_out().tolist() == ["x0=20", "x0=30.5", "x0 is missing", "x1=clerk", "x1=cook"]
    sizes = sx.TableEncoder().fit(np.array([["1"], ["XL"]]))
    assert sizes.transform(np.array([["1"]])).tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[{"a": 1}], [2]], TypeError, r"\{'a': 1\} in row 0, column 'x0': argument must be a string or a number"),
        ([["\ud800"]], ValueError, "Column 'x0' of X holds text that is not valid Unicode"),
        ([[1j]], TypeError, "argument must be a string or a number"),
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (np.array([[b"a"]]), ValueError, "not numbers"),
        ([[datetime.date(2020, 1, 1)]], ValueError, r"neither numbers nor words. Leave it out \(drop\).*\(text\)"),
        (sp.csr_array(np.eye(2)), TypeError, "Sparse data was passed"),
        (pl.DataFrame({"a": [1]}).lazy(), TypeError, r"lazy table: call \.collect\(\)"),
        (pl.Series([1, 2]), ValueError, "Expected 2D array, got 1D array instead: X is a single column"),
        (pd.Series([1, 2]), ValueError, "Expected 2D array"),
        (["table.csv"], ValueError, "Expected 2D array, got 1D"),
        ("table.csv", ValueError, "scalar array.*separatrix.read_data"),
        ([[1, 2], [3]], ValueError, "Expected 2D array, got 1D.*a cell for each column"),
        (np.zeros((2, 2, 2)), ValueError, "got 3D array"),
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\) \(shape=\(0, 2\)\)"),
        (pl.DataFrame({"a": []}), ValueError, r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pd.DataFrame(), ValueError, r"0 feature\(s\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "columns of the same name"),
        (pa.table([[1], [2]], names=["a", "a"]), ValueError, "columns of the same name"),
        (pd.DataFrame({"": [1], "a": [2]}), ValueError, "Column 1 of X has no name.*leave it out with drop=1"),
        ({"a": [1, "x"]}, ValueError, "X cannot be read as a table"),
        (np.ma.masked_array([[1.0]], [[True]]), ValueError, "X contains NaN: 1 masked entry"),
    ],
)
def test_what_is_no_table_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        sx.TableEncoder().fit(X)


def test_sparse_columns_of_pandas_are_like_others():
    dense = pd.DataFrame({"a": [0.0, 1.5, 0.0], "b": [True, False, False], "c": ["u", "v", "u"]})
    sparse = dense.astype({"a": pd.SparseDtype(float, 0.0), "b": pd.SparseDtype(bool)})
    encoder = sx.TableEncoder().fit(dense)
    assert sx.TableEncoder().fit(sparse).columns_ == encoder.columns_
    assert np.array_equal(encoder.transform(sparse), encoder.transform(dense))


# ---- New tables.

TABLE = {"age": [20, 30, 40], "job": ["clerk", "cook", "clerk"], "note": ["p", "q", "r"]}


def test_columns_are_matched_by_name():
    encoder = sx.TableEncoder(drop="note").fit(pd.DataFrame(TABLE))
    new = {"job": ["cook", "clerk"], "more": [1, 2], "age": [1, 2]}
    for form in NAMED.values():
        assert encoder.transform(form(new)).tolist() == [[1, 0, 1], [2, 1, 0]]


def test_columns_without_names_are_matched_by_their_order():
    encoder = sx.TableEncoder(drop="note").fit(pl.DataFrame(TABLE))
    with pytest.warns(
        UserWarning, match="X does not have valid feature names, but TableEncoder was fitted with feature names"
    ):
        assert encoder.transform([[1, "cook", "new"]]).tolist() == [[1, 0, 1]]
    with pytest.raises(ValueError, match="X has 2 features, but TableEncoder is expecting 3 features as input"):
        encoder.transform([[1, "cook"]])
    encoder = sx.TableEncoder(drop=3).fit(rows_of(TABLE))
    assert not hasattr(encoder, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but TableEncoder was fitted without"):
        assert encoder.transform(pd.DataFrame({"b": [1], "a": ["cook"], "c": ["new"]})).tolist() == [[1, 0, 1]]


@pytest.mark.parametrize(
    ("missing", "new", "message"),
    [
        ("refuse", {"age": [1], "job": ["baker"]},
         r"^X, row 0, column 'job': the category 'baker' is new; those learnt are 'clerk', 'cook'\. Say unseen='ignore' to"),
        ("refuse", {"age": [1]}, r"^X lacks the column 'job'\. It has: 'age'\."),
        ("refuse", {"age": [1.0, NAN], "job": ["cook", "cook"]},
         r"^X has missing values \(NaN, None or a gap\) in 1 of its 2 rows, the first in X, row 1, column 'age'\. By "
         r"column: 'age' 1\. There were none when it was learnt\. Say unseen='ignore' to count them as 0\."),
        ("indicator", {"age": [1, 2], "job": ["cook", None]},
         r"^X, row 1, column 'job': a missing value, in a column that had none when it was learnt\. Say unseen='ignore'"),
        ("refuse", {"age": ["old"], "job": ["cook"]}, r"^X, row 0, column 'age': 'old' is a word, in a column"),
    ],
)  # fmt: skip
def test_tables_unlike_the_one_learnt_are_refused(missing, new, message):
    encoder = sx.TableEncoder(drop="note", missing=missing).fit(TABLE)
    for form in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.raises(ValueError, match=message) as caught:
            encoder.transform(form(new))
        assert "--" not in str(caught.value)


def test_a_column_of_gaps_only_has_a_column_that_tells():
    for nothing in ([None, None], [NAN, NAN]):
        for form in (pd.DataFrame, pl.DataFrame, pa.table):
            encoder = sx.TableEncoder(missing="indicator").fit(form({"a": nothing, "b": [1, 2]}))
            assert encoder.columns_ == (Column("a", gap=True), Column("b"))
            assert encoder.transform(form({"a": [NAN, NAN], "b": [3, 4]})).tolist() == [[1, 3], [1, 4]]
            number = form({"a": [NAN, 5.0], "b": [3, 4]})
            with pytest.raises(ValueError, match=r"row 1, column 'a': a number, in a column that was all missing"):
                encoder.transform(number)
            assert encoder.set_params(unseen="ignore").transform(number).tolist() == [[1, 3], [0, 4]]


def test_a_failed_fit_leaves_what_was_learnt():
    encoder = sx.TableEncoder().fit(pd.DataFrame(TABLE))
    before = facts(encoder, encoder.transform(TABLE))
    for bad in ([[1, None, 2]], np.array([["1", "2"]]), [[1, "a"], ["b", 2]]):
        with pytest.raises(ValueError, match=r"missing|texts|mixes"):
            encoder.fit(bad)
    assert facts(encoder, encoder.transform(TABLE)) == before
    assert encoder.feature_names_in_.tolist() == list(TABLE)
    encoder.fit([[1], [2]])
    assert not hasattr(encoder, "feature_names_in_")
    assert encoder.n_features_in_ == 1


def test_the_input_is_not_changed():
    frame, array = shuffled_index({"a": [1, None], "w": ["x", "?"]}), np.array([[1.0, NAN], [2.0, 3.0]])
    copies = frame.copy(), array.copy()
    for X in (frame, array):
        X = sx.TableEncoder(missing="indicator").fit_transform(X)
        X[:] = 7
    pd.testing.assert_frame_equal(frame, copies[0])
    assert np.array_equal(array, copies[1], equal_nan=True)
    single = np.array([[1.0], [2.0]])
    sx.TableEncoder().fit_transform(single)[:] = 7
    assert single.tolist() == [[1], [2]]


# ---- Parameters, names and output.


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"missing": "drop-rows"}, "cannot be 'drop-rows': a transformer must return every row. Leave rows .* before"),
        ({"missing": "mean"}, "'missing' parameter of TableEncoder must be 'refuse' or 'indicator'. Got 'mean'"),
        ({"missing": None}, "'missing' parameter"),
        ({"unseen": "error"}, "'unseen' parameter of TableEncoder must be 'refuse' or 'ignore'. Got 'error'"),
        ({"gaps": "NA"}, "'gaps' parameter of TableEncoder must be a list of texts"),
        ({"gaps": [None]}, "'gaps' parameter"),
        ({"drop": 1.5}, "'drop' parameter of TableEncoder must be a list of columns"),
        ({"only": [1.5]}, "'only' parameter"),
        ({"text": True}, "'text' parameter"),
        ({"text": None}, "'text' parameter"),
        ({"drop": "age", "only": "job"}, "not both"),
        ({"drop": "jobs"}, "X has no column 'jobs' to drop.*Did you mean 'job'"),
        ({"only": 4}, "X has no column 4 to use"),
        ({"text": ["Age"]}, "X has no column 'Age' of categories"),
        ({"drop": [1, 2, -1]}, "no column to learn from"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.TableEncoder(**parameters).fit(TABLE)
    assert "--" not in message


def test_parameters_are_checked_again_when_rows_are_made():
    encoder = sx.TableEncoder().fit(TABLE)
    with pytest.raises(ValueError, match="'unseen' parameter"):
        encoder.set_params(unseen="ignored").transform(TABLE)
    assert encoder.set_params(unseen="ignore").transform({**TABLE, "job": ["baker"] * 3})[:, 1:3].tolist() == [[0, 0]] * 3


def test_names():
    table = {"age": [20, None], "job": ["clerk", "?"]}
    names = ["age", "age is missing", "job=clerk", "job is missing"]
    encoder = sx.TableEncoder(missing="indicator").fit(pd.DataFrame(table))
    assert encoder.get_feature_names_out().tolist() == names
    assert encoder.get_feature_names_out(["age", "job"]).tolist() == names
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["job", "age"])
    encoder = sx.TableEncoder(missing="indicator").fit(rows_of(table))
    assert encoder.get_feature_names_out().tolist() == ["x0", "x0 is missing", "x1=clerk", "x1 is missing"]
    assert encoder.get_feature_names_out(["age", "job"]).tolist() == names
    with pytest.raises(ValueError, match="input_features should have length equal"):
        encoder.get_feature_names_out(["age"])
    for unfitted in (sx.TableEncoder().get_feature_names_out, lambda: sx.TableEncoder().transform(table)):
        with pytest.raises(NotFittedError):
            unfitted()


@pytest.mark.parametrize("words", [["a", "b", "a", "b"], list("abcdefg")])
def test_output_as_data_frames(words):
    table = {"word": words}
    names, plain = [f"word={word}" for word in sorted(set(words))], sx.TableEncoder().fit_transform(table)
    assert sp.issparse(plain) == (len(names) > 4)
    frame = shuffled_index(table)
    encoder = sx.TableEncoder().set_output(transform="pandas")
    for X in (encoder.fit_transform(frame), encoder.fit(frame).transform(frame)):
        pd.testing.assert_frame_equal(X, pd.DataFrame(dense(plain), columns=names, index=frame.index))
    encoder = sx.TableEncoder().set_output(transform="polars")
    for X in (encoder.fit_transform(frame), encoder.fit(pa.table(table)).transform(pa.table(table))):
        assert X.equals(pl.DataFrame(dense(plain), schema=names))
    X = encoder.set_output(transform="default").transform(frame)
    assert type(X) is type(plain)


# ---- Pipelines.


def people():
    """Sixty people whose class their job tells; one job, and one gap, occur once only."""
    jobs = ["clerk", "cook", "nurse"] * 20
    jobs[7], jobs[11] = "mayor", "?"
    table = {"age": [20 + 7 * i % 30 for i in range(60)], "job": jobs, "senior": [i % 4 == 0 for i in range(60)]}
    return table, np.array(["yes" if i % 3 == 1 else "no" for i in range(60)])


@pytest.mark.parametrize("form", [shuffled_index, pl.DataFrame, objects])
def test_cross_validation(form):
    table, y = people()
    X, folds = form(table), KFold(5)
    scores = []
    model = make_pipeline(sx.TableEncoder(missing="indicator", unseen="ignore"), sx.Perceptron(max_iter=50))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, test in folds.split(y):
            parts = [{name: [cells[i] for i in rows] for name, cells in table.items()} for rows in (train, test)]
            columns = slow_columns(parts[0], "indicator")
            perceptron = sx.Perceptron(max_iter=50).fit(slow_rows(parts[0], columns), y[train])
            scores.append(perceptron.score(slow_rows(parts[1], columns), y[test]))
        assert cross_val_score(model, X, y, cv=folds, error_score="raise").tolist() == scores
        assert min(scores) < 1
        model.set_params(tableencoder__unseen="refuse")
        with pytest.raises(ValueError, match=r"'(mayor|\?)' is new|had none when it was learnt"):
            cross_val_score(model, X, y, cv=folds, error_score="raise")


def test_pipelines_are_cloned_and_pickled():
    table, y = people()
    frame = pd.DataFrame(table)
    model = make_pipeline(sx.TableEncoder(drop=["age"], missing="indicator"), sx.Perceptron())
    model = clone(model).fit(frame, y == "yes")
    other = pickle.loads(pickle.dumps(model))
    assert other[0].columns_ == model[0].columns_
    assert other[0].get_params() == {
        "drop": ["age"],
        "only": (),
        "text": (),
        "missing": "indicator",
        "unseen": "refuse",
        "gaps": (),
        "usual_gaps": True,
    }
    assert other.predict(frame).tolist() == (y == "yes").tolist()
    assert model[:-1].get_feature_names_out().tolist() == [
        "job=clerk", "job=cook", "job=mayor", "job=nurse", "job is missing", "senior",
    ]  # fmt: skip
    named = make_pipeline(sx.TableEncoder(missing="indicator").set_output(transform="pandas"), sx.Perceptron(max_iter=1))
    with pytest.warns(ConvergenceWarning):
        named.fit(frame, y)
    assert named[-1].feature_names_in_.tolist() == named[0].get_feature_names_out().tolist()


def test_decide_takes_the_rows():
    table, y = people()
    verdict = sx.decide(sx.TableEncoder(missing="indicator").fit_transform(table), y)
    assert verdict.status == sx.decide(sx.read_data({**table, "y": y}, "y", missing="indicator")).status
    assert re.fullmatch("separable", verdict.status.value)
