"""Rows in blocks are described as they are in memory: the same facts in the same words, whatever the room."""

import errno
import os
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import random_tables
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from piece_data import libsvm_texts, texts
from profiles import quickly
from strategies import cuts, problems
from streams import outcome, tiny_room
from table_files import write

import separatrix as sx
from separatrix.problem.equal_rows import EqualRows, equal_rows
from separatrix.problem.problem import Problem
from separatrix.problem.provenance import Choice, Layout, all_gaps
from separatrix.problem.reading_rows import read_rows
from separatrix.streaming.block_source import HeldRows
from separatrix.streaming.counting_rows import RowCount
from separatrix.streaming.describing import describe_libsvm, describe_rows, describe_table
from separatrix.streaming.libsvm_blocks import LibsvmBlocks
from separatrix.streaming.stream import Stream
from separatrix.tables.column_pass import ColumnPass
from separatrix.tables.description import describe
from separatrix.tables.different_numbers import DifferentNumbers
from separatrix.tables.libsvm_pieces import LibsvmPieces
from separatrix.tables.loose_survey import LooseSurvey
from separatrix.tables.opened_pieces import opened_in_pieces
from separatrix.tables.row_facts import KnownRows

SIZES = st.integers(1, 300)

ROOMS = st.sampled_from([16, 1000, 10**9])
"""Bytes of what is counted: with the smallest, all of it goes to files."""

MISSING = st.sampled_from(["refuse", "drop-rows", "indicator"])


def in_blocks(source, layout, choice, size, held):
    """The description in pieces of about so many bytes; None if it is read as a whole."""
    pieces = opened_in_pieces(source, layout, choice, tiny_room(size))
    if pieces is None:
        return None
    if isinstance(pieces, LibsvmPieces):
        return describe_libsvm(pieces, Stream(LibsvmBlocks(pieces)), choice.positive, held)
    return describe_table(pieces, choice, tiny_room(size), held)


def require_same(found, expected):
    assert found.document() == expected.document()
    assert found.explain(width=80) == expected.explain(width=80)
    assert repr(found) == repr(expected)


def compare(source, layout, choice, size, held=10**9):
    """Require the same description of a table in pieces, or the same error."""
    expected, error = outcome(lambda: describe(source, choice, layout=layout))
    found, refused = outcome(lambda: in_blocks(source, layout, choice, size, held))
    if found is None and refused is None:
        return expected  # it is read as a whole, as there
    if error is not None or refused is not None:
        assert (type(refused), str(refused)) == (type(error), str(error))
    else:
        require_same(found, expected)
    return expected


# ---- Tables.


@quickly(30)
@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, SIZES, ROOMS)
def test_any_table_in_any_file(table, layout, suffix, size, held):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            gaps = all_gaps(table.gaps, table.options["usual_gaps"])
            choice = Choice(label=random_tables.label_of(form, table, options), missing=table.missing)
            compare(path, Layout(**options, gaps=gaps), choice, size, held)


@quickly(50)
@given(random_tables.tables(), SIZES, ROOMS)
def test_tables_in_memory(table, size, held):
    for _, each in random_tables.tables_in_memory(table):
        layout = Layout(gaps=all_gaps(table.gaps, table.options["usual_gaps"]))
        compare(each, layout, Choice(label=table.names[-1], missing=table.missing), size, held)


@given(
    texts(), SIZES, ROOMS, MISSING, st.sampled_from(["utf-8", "utf-16"]), st.sampled_from([None, "y", 1]),
    st.sampled_from([None, "u", "v", "nobody"]),
    st.fixed_dictionaries({}, optional={"ignore_case": st.booleans(), "drop_unlabelled": st.booleans(),
                                        "numbers": st.sampled_from(["float64", "decimal"])}),
)  # fmt: skip
def test_nothing_is_refused_that_is_described_in_memory(text, size, held, missing, encoding, label, positive, layout):
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "table.csv", text.encode(encoding))
        positive = positive if label == "y" else None
        compare(path, Layout(**layout), Choice(label=label, positive=positive, missing=missing), size, held)


def test_texts_are_named_in_the_order_of_all_rows(tmp_path):
    path = write(tmp_path, "table.csv", "a,b,y\nred,,u\nRed,1,u\nred,2,v\n,3,U\n")
    for missing in ("refuse", "indicator"):
        compare(path, Layout(), Choice(label="y", missing=missing), 1)


POOLS = {
    "number": ["1", "2", "0.5", "-0", "0", "1e300", "3"], "few": ["1", "2"], "category": ["a", "b", "c"],
    "flag": ["true", "False"], "mixed": ["1", "2.5", "a", "b"], "constant": ["7"], "word": ["w"], "empty": ["?"],
    "decimal": ["0.1", "0.25", "123456789.125", "0"], "tiny": ["5e-324", "1e-310", "0", "-0.0"],
}  # fmt: skip


@st.composite
def tables_with_relations(draw):
    """Columns of few values, some of them copies of others or made of others, and labels; rows that are equal."""
    n = draw(st.integers(1, 40))
    kinds = draw(st.lists(st.sampled_from(list(POOLS)), min_size=1, max_size=4))
    gap = draw(st.sampled_from([[], [], [""]]))
    columns = [draw(st.lists(st.sampled_from(POOLS[kind] * 6 + gap), min_size=n, max_size=n)) for kind in kinds]
    how = draw(st.sampled_from(["", "copy", "renamed", "sum"]))
    if how == "sum":
        some = [draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)) for _ in range(2)]
        columns += [[str(a) for a in some[0]], [str(a / 4) for a in some[1]]]
        columns.append([str(2 * a - b + 7) for a, b in zip(*some, strict=True)])
    elif how:
        names = {"a": "x", "b": "y"} if how == "renamed" else {}
        columns.append([names.get(cell, cell) for cell in columns[0]])
    names = draw(st.lists(st.sampled_from(["", "name"]), min_size=len(columns), max_size=len(columns)))
    pools = [["0", "1"], ["u", "v", "w"], ["nein", "ja"], ["1"], ["0", "1", "?"]]
    labels = draw(st.lists(st.sampled_from(draw(st.sampled_from(pools))), min_size=n, max_size=n))
    header = [name and f"c{k}" for k, name in enumerate(names)]
    return "\n".join(map(",".join, [[*header, "y"], *zip(*columns, labels, strict=True)])) + "\n"


@given(tables_with_relations(), SIZES, ROOMS, MISSING, st.booleans(), st.sampled_from(["csv", "jsonl", "parquet"]))
def test_equal_columns_and_dependent_ones(text, size, held, missing, labelled, kind):
    choice = Choice(label="y", missing=missing) if labelled else Choice(missing=missing)
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "table.csv", text)
        if kind != "csv":
            read, error = outcome(lambda: sx.read_data(path, "y", missing="indicator"))
            if error is not None or read.columns is None:
                return
            columns = dict(zip(read.names, map(np.ascontiguousarray, np.asarray(read.rows).T), strict=True))
            table = pa.table({**columns, "y": list(map(str, read.y))})
            path = os.path.join(folder, f"table.{kind}")
            if kind == "parquet":
                pq.write_table(table, path, row_group_size=7)
            else:
                table.to_pandas().to_json(path, orient="records", lines=True)
        compare(path, Layout(header=True if kind == "csv" else None), choice, size, held)


@given(texts(), texts(), SIZES, ROOMS, MISSING)
def test_files_that_hold_different_things(first, second, size, held, missing):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, "1.csv", first), write(folder, "2.csv", second)]
        compare(paths, Layout(separator="comma"), Choice(label="y", missing=missing), size, held)


@given(st.lists(libsvm_texts(), min_size=1, max_size=2), SIZES, ROOMS, st.sampled_from(["auto", "float64"]))
def test_libsvm_text(texts, size, held, numbers):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, f"{k}.libsvm", text) for k, text in enumerate(texts)]
        compare(paths, Layout(numbers=numbers), Choice(), size, held)


# ---- Rows of numbers.


@st.composite
def labels(draw, n):
    """Labels of one class or of several, and perhaps the one that is set against the others."""
    pool = draw(st.sampled_from([[0, 1], ["u", "v", "w"], ["ja", "nein"], [True, False], [7]]))
    y = np.array(draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)))
    return y, draw(st.sampled_from([None, *map(str, sorted(set(y.tolist())))]))


@given(problems(max_rows=14), st.data(), ROOMS)
def test_rows_of_numbers(drawn, data, held):
    X, _ = drawn
    y, positive = data.draw(labels(len(X)))
    given_rows = sp.csr_array(X) if data.draw(st.booleans()) else X
    rows = Stream(HeldRows(given_rows, y, data.draw(cuts(len(X)))))
    require_same(describe_rows(rows, positive, held=held), sx.describe(given_rows, y, positive=positive))


@given(problems(max_rows=14), st.data())
def test_batches_of_a_function(drawn, data):
    X, _ = drawn
    y, positive = data.draw(labels(len(X)))
    ends = np.cumsum([size for size in data.draw(cuts(len(X))) if size])
    parts = list(zip(np.split(X, ends[:-1]), np.split(y, ends[:-1]), strict=True))
    require_same(sx.describe(sx.Stream(lambda: parts), positive=positive), sx.describe(X, y, positive=positive))


def test_fractions_of_any_length():
    rows = [[Fraction(1, 3), Fraction(10**40)], [Fraction(2, 6), Fraction(10**40)], [Fraction(1, 3), Fraction(5)]]
    y = [0, 1, 1]
    X = np.array(rows, object)
    found = Stream(HeldRows(X, y, [1, 2])).describe()
    require_same(found, sx.describe(X, y))
    assert found.problem.contradictory_rows == 1


def test_tables_of_a_function_and_files_read_as_a_whole(tmp_path):
    table = pa.table({"a": [1.0, 2.0, None, 2.0] * 5, "b": ["x", "y", "y", None] * 5, "y": ["ja", "nein", "ja", "ja"] * 5})
    stream = sx.Stream(lambda: [table[:7], table[7:]], "y")
    found, expected = stream.describe().document(), sx.describe(table, "y").document()
    assert found.pop("name") == "the batches"
    assert expected.pop("name") == "the table"
    places = [each["problem"]["contradictions"].pop("example") for each in (found, expected)]
    assert [each.replace("the batches", "the table") for each in places[0]] == places[1]
    assert found == expected
    np.savez(tmp_path / "rows.npz", X=np.arange(12.0).reshape(6, 2), y=[0, 1] * 3)
    path = str(tmp_path / "rows.npz")
    require_same(sx.Stream(path).describe(), sx.describe(path))


def test_the_positive_class_is_handed_on(tmp_path):
    path = write(tmp_path, "table.csv", "a,y\n1,u\n1,v\n1,w\n2,w\n")
    stream = sx.Stream(str(path), "y")
    require_same(sx.describe(stream, positive="w"), sx.describe(str(path), "y", positive="w"))
    assert sx.describe(stream).problem.contradictory_rows == 2
    assert sx.describe(stream, positive="w").problem.contradictory_rows == 1
    with pytest.raises(sx.FileError, match="is not a class of the label"):
        stream.describe(positive="x")
    with pytest.raises(ValueError, match="labels with them"):
        sx.describe(stream, "y")


def test_a_stream_goes_on_after_it_was_described(tmp_path):
    path = write(tmp_path, "table.csv", "a,b,y\n" + "".join(f"{k},{k % 3},{k % 2}\n" for k in range(50)))
    stream = sx.Stream(str(path), "y")
    facts = stream.facts
    first, verdict = stream.describe(), sx.decide(stream)
    require_same(stream.describe(), first)
    assert stream.facts is facts
    assert verdict.status == sx.decide(sx.read_data(str(path), "y")).status


# ---- What there is no room for.


def test_many_rows_go_to_files(tmp_path):
    """With many parts, each of which has rows that are equal."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 100, (20_000, 2)) / 8
    y = rng.integers(0, 3, len(X))
    rows = Stream(HeldRows(X, y, [1000] * 20))
    known = KnownRows.of_facts(rows.facts, ["x1", "x2"], ["0", "1", "2"], None)
    count = RowCount(rows, known, None, 2**14, numbers=True)
    assert count.spilled > 50
    require_same(describe_rows(rows, held=2**14), sx.describe(X, y))
    table = pa.table({"a": X[:, 0] + rng.random(len(X)), "b": X[:, 1], "y": y})
    path = str(tmp_path / "table.parquet")
    pq.write_table(table, path)
    pieces = opened_in_pieces(path, Layout(), Choice(label="y"), tiny_room(2**14))
    survey = LooseSurvey(pieces, Choice(label="y"), 10**6)
    assert ColumnPass(survey, 2**14).spilled > 10
    compare(path, Layout(), Choice(label="y"), 2**14, 2**14)


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = Stream(HeldRows(np.arange(3000.0).reshape(-1, 1), np.arange(3000) % 2, [1000] * 3))
    describe_rows(rows, held=2**10)
    assert not list(tmp_path.iterdir())

    def stopped(*_: object) -> None:
        assert list(tmp_path.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(EqualRows, "found", stopped)
    with pytest.raises(KeyboardInterrupt):
        describe_rows(rows, held=2**10)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_of(monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "open", full)
    rows = Stream(HeldRows(np.arange(3000.0).reshape(-1, 1), np.arange(3000) % 2, [1000] * 3))
    with pytest.raises(OSError, match="No space left on device, for temporary files, which TMPDIR names"):
        describe_rows(rows, held=2**10)


@pytest.mark.parametrize("exceptions", [0, 1])
def test_a_single_row_decides_whether_columns_depend_on_others(exceptions):
    """One that chance does not draw: it is looked for among all rows."""
    X = np.random.default_rng(2).integers(-9, 10, (20_000, 3)).astype(float)
    X[:, 2] = (3 * X[:, 0] - X[:, 1]) / 4 + 2
    X[13_500, 2] += exceptions
    y = np.arange(len(X)) % 2
    found = describe_rows(Stream(HeldRows(X, y, [1000] * 20)))
    require_same(found, sx.describe(X, y))
    said = found.problem.dependent
    assert [str(each) for each in said] == ([] if exceptions else ["x3 equals 2 + 3/4 x1 - 1/4 x2"])


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0, 2.0, 5e-324, 1e300])), max_size=60), ROOMS)
def test_different_numbers(pairs, held):
    with DifferentNumbers(held, len(pairs)) as seen:
        for column, value in pairs:
            seen.add(column, np.array([value]))
        assert seen.counts() == {j: len({b for a, b in pairs if a == j}) for j in {a for a, _ in pairs}}


@given(problems(max_rows=14), st.data())
def test_equal_rows_whatever_their_form(drawn, data):
    """Dense or sparse, with zeros that are stored: rows have the same digest only if they are equal."""
    X, _ = drawn
    sparse = sp.csr_array(X)
    sparse.data[np.abs(sparse.data) < 1e-300] = 0.0
    dense = sparse.toarray()
    codes = np.zeros(len(X), np.int64)
    told = []
    for given_rows in (dense, sparse):
        with EqualRows(data.draw(ROOMS), len(X)) as equal:
            problem = Problem.bare(read_rows(given_rows), True)
            told.append(equal_rows(problem, 0, codes, b"salt"))
            equal.add(told[-1])
            assert equal.found().points == len({tuple(row) for row in dense.tolist()})
    assert np.array_equal(np.sort(told[0]["high"]), np.sort(told[1]["high"]))
