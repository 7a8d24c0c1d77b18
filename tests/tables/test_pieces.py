"""A table in pieces is the table: rows, columns, classes, notes, places and errors, whatever the pieces."""

import os
import tempfile
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import random_tables
from hypothesis import given
from hypothesis import strategies as st
from piece_data import arrow_tables, json_lines, libsvm_texts, texts
from streams import outcome, require_same, table_blocks

import separatrix as sx
from separatrix.problem.provenance import Choice, Layout, all_gaps

sizes = st.integers(1, 300)

GAPS = all_gaps(())


def compare(source, size, choice=None, **layout):
    choice = choice or {"label": "y"}
    asked = {"skipped": "skip_lines"}
    options = {asked.get(name, name): value for name, value in layout.items() if name != "gaps"}
    data, error = outcome(lambda: sx.read_data(source, **choice, **options))
    require_same_table(source, Layout(**layout), Choice(**choice), size, data, error)
    return data, error


def require_same_table(source, layout, choice, size, data, error):
    """Require a table in pieces to be the data, or to be refused with the same error; if it can be read in pieces."""
    blocks, refused = outcome(lambda: table_blocks(source, layout, choice, size))
    if refused is not None:
        assert (type(refused), str(refused)) == (type(error), str(error))
    elif blocks is not None:
        require_same(blocks, data, error)


def put(folder, content, name="table.csv"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, sizes)
def test_any_table_in_any_file(table, layout, suffix, size):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            label = random_tables.label_of(form, table, options)
            gaps = all_gaps(table.gaps, set(table.gaps) >= set(GAPS))
            data, error = outcome(lambda: sx.read_data(path, label=label, **options, **table.options))  # noqa: B023
            choice, layout_ = Choice(label=label, missing=table.missing), Layout(**options, gaps=gaps)
            require_same_table(path, layout_, choice, size, data, error)


@given(random_tables.tables(), sizes)
def test_tables_in_memory(table, size):
    for _, each in random_tables.tables_in_memory(table):
        choice = Choice(label=table.names[-1], missing=table.missing)
        gaps = all_gaps(table.gaps, set(table.gaps) >= set(GAPS))
        data, error = outcome(lambda: sx.read_data(each, label=table.names[-1], **table.options))  # noqa: B023
        require_same(table_blocks(each, Layout(gaps=gaps), choice, size), data, error)


# ---- What is told by a late piece alone.


@given(
    texts(),
    sizes,
    st.sampled_from(["refuse", "drop-rows", "indicator"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.fixed_dictionaries({}, optional={"ignore_case": st.booleans(), "drop_unlabelled": st.booleans(),
                                        "numbers": st.sampled_from(["float64", "decimal"])}),
)  # fmt: skip
def test_late_pieces_tell_as_much_as_early_ones(text, size, missing, encoding, layout):
    with tempfile.TemporaryDirectory() as folder:
        path = put(folder, text.encode(encoding))
        compare(path, size, {"label": "y", "missing": missing}, **layout)


@given(texts(), texts(), sizes, st.sampled_from(["drop-rows", "indicator"]))
def test_files_that_hold_different_things(first, second, size, missing):
    with tempfile.TemporaryDirectory() as folder:
        paths = [put(folder, first, "1.csv"), put(folder, second, "2.csv")]
        compare(paths, size, {"label": "y", "missing": missing}, separator="comma")


@given(
    st.lists(st.sampled_from(["1,2,u", "# it's \"quoted", "", '"3\n4",5,v', "6,7,v", "#"]), min_size=1, max_size=12), sizes
)
def test_comments_and_skipped_lines_keep_their_lines(lines, size):
    with tempfile.TemporaryDirectory() as folder:
        for end in ("\n", "\r\n"):
            text = end.join(['a title, "', "another", "a,b,y", *lines, "8,9,u"])
            choice = {"label": "y", "text": ("a",)}
            compare(put(folder, text), size, choice, skipped=2, comment="#")
            compare(put(folder, text.encode("utf-16")), size, choice, skipped=2, comment="#")


@pytest.mark.parametrize("size", [1, 40, 10**6])
def test_marks_in_numbers_and_other_blanks(tmp_path, size):
    rows = "".join(f"{k} 000,5;{k} %;x{k % 3};{'u' if k % 2 else 'v'}\n" for k in range(1, 30))
    data, _ = compare(put(tmp_path, "a;b;c;y\n" + rows.replace("7 000", "7\u202f000")), size)
    assert data.X[0, 0] == 1000.5


@pytest.mark.parametrize("size", [1, 30, 10**6])
def test_rows_without_a_header_and_other_separators(tmp_path, size):
    content = "".join(f"{k}  {k * 0.25}\t{'u' if k % 2 else 'v'}\n" for k in range(20))
    compare(put(tmp_path, content), size, {"label": 3}, separator="blanks", header=False)
    compare(put(tmp_path, content.replace("  ", "\t"), "table.tsv"), size, {"label": -1, "text": (1,)}, header=False)


def test_sparse_rows(tmp_path):
    content = "a,b,y\n" + "".join(f"w{k},{k % 3},{'u' if k % 2 else 'v'}\n" for k in range(40))
    data, _ = compare(put(tmp_path, content), 50)
    assert not isinstance(data.X, np.ndarray)


@given(arrow_tables(), sizes, st.integers(1, 9))
def test_columns_of_arrow(drawn, size, group):
    table, layout, choice = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.parquet")
        pq.write_table(table, path, row_group_size=group)
        compare(path, size, choice, **layout)


@pytest.mark.parametrize("numbers", ["auto", "decimal", "float64"])
@pytest.mark.parametrize("missing", ["refuse", "drop-rows"])
def test_infinite_numbers_beside_decimals(tmp_path, numbers, missing):
    decimals = pa.array([Decimal("0.1")] * 5, pa.decimal128(20, 3))
    for floats in ([0.5, 0.5, 0.5, float("inf"), 0.1], [0.5, None, float("inf"), 0.25, 1.0]):
        table = pa.table({"a": floats, "b": decimals, "y": list("uvuvu")})
        pq.write_table(table, tmp_path / "table.parquet", row_group_size=2)
        for size in (1, 10**6):
            compare(str(tmp_path / "table.parquet"), size, {"label": "y", "missing": missing}, numbers=numbers)


@pytest.mark.parametrize(
    ("first", "second"),
    [(pa.int32(), pa.float64()), (pa.int64(), pa.float32()), (pa.decimal128(9, 2), pa.float64()), (pa.int8(), pa.string()),
     (pa.null(), pa.float32()), (pa.bool_(), pa.int8())],
)  # fmt: skip
def test_files_of_different_types(tmp_path, first, second):
    paths = []
    for k, kind in enumerate((first, second)):
        values = [None] * 4 if pa.types.is_null(kind) else pa.array(np.array([0, 1, 1, 0], np.int16)).cast(kind)
        pq.write_table(pa.table({"a": pa.array(values, kind), "y": ["u", "v", "u", "v"]}), tmp_path / f"{k}.parquet")
        paths.append(str(tmp_path / f"{k}.parquet"))
    compare(paths, 20, {"label": "y", "missing": "indicator"})


# ---- LIBSVM text.


@given(st.lists(libsvm_texts(), min_size=1, max_size=2), sizes, st.sampled_from(["auto", "decimal", "float64"]))
def test_libsvm_text(texts, size, numbers):
    with tempfile.TemporaryDirectory() as folder:
        paths = [put(folder, text, f"{k}.libsvm") for k, text in enumerate(texts)]
        compare(paths, size, {"label": None}, numbers=numbers)


# ---- JSON lines.


@given(
    texts(), sizes, st.sampled_from(["refuse", "drop-rows", "indicator"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
)
def test_json_lines(text, size, missing, encoding):
    lines = json_lines(text)
    with tempfile.TemporaryDirectory() as folder:
        path = put(folder, "\n".join([*lines[:3], "", *lines[3:]]).encode(encoding), "table.jsonl")
        compare(path, size, {"label": "y", "missing": missing})


# ---- Many rows, so that the fast reader is at work and a record goes over the ends of blocks.


@pytest.mark.parametrize("size", [2**14, 2**17, 2**19])
def test_large_plain_tables(tmp_path, size):
    rng = np.random.default_rng(3)
    n = 30_000
    X = np.round(rng.standard_normal((n, 4)), 4)
    cell = np.where(rng.random(n) < 0.01, "NA", X[:, 0].astype(str))
    lines = [
        f"{k},{a},{b},{'red' if c > 0 else 'blue'},{int(d > 0)}\n"
        for k, (a, (_, b, c, d)) in enumerate(zip(cell, X, strict=True))
    ]
    path = put(tmp_path, "id,a,b,c,y\n" + "".join(lines))
    for missing in ("drop-rows", "indicator", "refuse"):
        compare(path, size, {"label": "y", "missing": missing})


def test_a_record_longer_than_pieces_and_one_without_an_end(tmp_path):
    long = "x" * 5000 + "\n" + "y" * 5000
    content = f'a,y\n1,u\n"{long}",v\n3,u\n'
    compare(put(tmp_path, content), 10, {"label": "y", "text": ("a",)})
    compare(put(tmp_path, 'a,y\n1,u\n"2,v\n3,u\n4,v\n'), 4)
    path = put(tmp_path, 'a,y\n1,u\n"2,v\n' + "3,u\n" * 10**6)
    blocks = table_blocks(path, Layout(), Choice(label="y"), 100)
    with pytest.raises(sx.FileError, match=r"line 3: a record that begins here does not end within .* double quote"):
        blocks.facts()


def test_more_categories_than_there_is_room_for(tmp_path):
    path = put(tmp_path, "a,y\n" + "".join(f"word {k},u\n" for k in range(20_000)))
    with pytest.raises(sx.FileError, match=r"The column 'a' has .* different texts in the first .* Leave it out"):
        table_blocks(path, Layout(), Choice(label="y"), 2**14).facts()
