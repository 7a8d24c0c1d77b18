"""Rows in blocks are described as they are in memory: the same facts, in the same words, whatever the blocks and the room."""

import os
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import random_tables
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from late_pieces import libsvm_texts, texts
from strategies import cuts, problems
from streams import outcome, tiny_room
from table_files import write

import separatrix as sx
from separatrix.problem.equal_rows import EqualRows, equal_rows
from separatrix.problem.problem import Problem
from separatrix.problem.provenance import Choice, Layout, all_gaps
from separatrix.problem.reading_rows import read_rows
from separatrix.streaming.block_source import HeldRows
from separatrix.streaming.describing import describe_libsvm, describe_table
from separatrix.streaming.libsvm_blocks import LibsvmBlocks
from separatrix.streaming.stream import Stream
from separatrix.tables.description import describe
from separatrix.tables.different_numbers import DifferentNumbers
from separatrix.tables.libsvm_pieces import LibsvmPieces
from separatrix.tables.opened_pieces import opened_in_pieces

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
    if error is not None or refused is not None:
        assert (type(refused), str(refused)) == (type(error), str(error))
    elif found is not None:
        require_same(found, expected)
    return expected


# ---- Tables.


@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, SIZES, ROOMS)
def test_any_table_in_any_file(table, layout, suffix, size, held):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            gaps = all_gaps(table.gaps, table.options["usual_gaps"])
            choice = Choice(label=random_tables.label_of(form, table, options), missing=table.missing)
            compare(path, Layout(**options, gaps=gaps), choice, size, held)


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
            table = pa.table({name: np.asarray(column) for name, column in zip(read.names, np.asarray(read.rows).T, strict=True)}
                             | {"y": list(map(str, read.y))})  # fmt: skip
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
