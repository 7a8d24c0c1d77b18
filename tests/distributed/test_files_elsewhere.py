"""Files that workers read are the table: rows, columns, classes, notes, places and errors, whatever the pieces."""

import os
import tempfile

import pyarrow.parquet as pq
import pytest
import random_tables
from clusters import Away, FilesAway
from hypothesis import given
from hypothesis import strategies as st
from piece_data import arrow_tables, json_lines, libsvm_texts, texts
from streams import outcome, require_same, table_blocks
from table_files import write

import separatrix as sx
from separatrix.distributed.file_pieces import OnWorkers
from separatrix.problem.provenance import Choice, Layout, all_gaps

GAPS = all_gaps(())

SIZES, SEEDS = st.integers(1, 300), st.integers(0, 99)


def files_away(source, layout, choice, size, seed):
    """The blocks of files that are read elsewhere."""
    ask = Away(seed)
    return FilesAway(table_blocks(source, layout, choice, size, OnWorkers(ask)), ask)


def compare(source, size, seed, choice=None, **layout):
    """Require files that are read elsewhere to be the table, or to be refused with the same error."""
    choice = choice or {"label": "y"}
    asked = {"skipped": "skip_lines"}
    options = {asked.get(name, name): value for name, value in layout.items() if name != "gaps"}
    data, error = outcome(lambda: sx.read_data(source, **choice, **options))
    require_same_table(source, Layout(**layout), Choice(**choice), size, seed, data, error)


def require_same_table(source, layout, choice, size, seed, data, error):
    blocks, refused = outcome(lambda: files_away(source, layout, choice, size, seed))
    if refused is None:
        require_same(blocks, data, error)
    elif not any(words in str(refused) for words in ("read as a whole", "compressed as a whole")):
        assert (type(refused), str(refused)) == (type(error), str(error))


@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, SIZES, SEEDS)
def test_any_table_in_any_file(table, layout, suffix, size, seed):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            label = random_tables.label_of(form, table, options)
            gaps = all_gaps(table.gaps, set(table.gaps) >= set(GAPS))
            data, error = outcome(lambda: sx.read_data(path, label=label, **options, **table.options))  # noqa: B023
            choice, layout_ = Choice(label=label, missing=table.missing), Layout(**options, gaps=gaps)
            require_same_table(path, layout_, choice, size, seed, data, error)


@given(
    texts(),
    SIZES,
    SEEDS,
    st.sampled_from(["refuse", "drop-rows", "indicator"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.fixed_dictionaries({}, optional={"ignore_case": st.booleans(), "drop_unlabelled": st.booleans(),
                                        "numbers": st.sampled_from(["float64", "decimal"])}),
)  # fmt: skip
def test_late_pieces_tell_as_much_as_early_ones(text, size, seed, missing, encoding, layout):
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "table.csv", text.encode(encoding))
        compare(path, size, seed, {"label": "y", "missing": missing}, **layout)


@given(texts(), texts(), SIZES, SEEDS, st.sampled_from(["drop-rows", "indicator"]))
def test_files_that_hold_different_things(first, second, size, seed, missing):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, "1.csv", first), write(folder, "2.csv", second)]
        compare(paths, size, seed, {"label": "y", "missing": missing}, separator="comma")


@given(
    st.lists(st.sampled_from(["1,2,u", "# it's \"quoted", "", '"3\n4",5,v', "6,7,v", "#"]), min_size=1, max_size=12),
    SIZES,
    SEEDS,
)
def test_comments_and_skipped_lines_keep_their_lines(lines, size, seed):
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(['a title, "', "another", "a,b,y", *lines, "8,9,u"])
        for encoding in ("utf-8", "utf-16"):
            path = write(folder, "table.csv", text.encode(encoding))
            compare(path, size, seed, {"label": "y", "text": ("a",)}, skipped=2, comment="#")


@given(arrow_tables(), SIZES, SEEDS, st.integers(1, 9))
def test_columns_of_arrow(drawn, size, seed, group):
    table, layout, choice = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.parquet")
        pq.write_table(table, path, row_group_size=group)
        compare(path, size, seed, choice, **layout)


@given(st.lists(libsvm_texts(), min_size=1, max_size=2), SIZES, SEEDS, st.sampled_from(["auto", "decimal", "float64"]))
def test_libsvm_text(texts, size, seed, numbers):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, f"{k}.libsvm", text) for k, text in enumerate(texts)]
        compare(paths, size, seed, {"label": None}, numbers=numbers)


@given(texts(), SIZES, SEEDS, st.sampled_from(["refuse", "drop-rows", "indicator"]))
def test_json_lines(text, size, seed, missing):
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "table.jsonl", "\n".join(json_lines(text)))
        compare(path, size, seed, {"label": "y", "missing": missing})


@pytest.mark.parametrize("rows", [2000, 20_000])
def test_what_the_client_hears_does_not_grow_with_the_rows(tmp_path, rows):
    text = "id,a,b,y\n" + "".join(f"{k},{k % 7}.25,w{k % 3},{'u' if k % 2 else 'v'}\n" for k in range(rows))
    ask = Away()
    blocks = table_blocks(write(tmp_path, "table.csv", text), Layout(), Choice(label="y"), 2**14, OnWorkers(ask))
    assert blocks.facts().n == rows
    assert any("numbers the rows" in note for note in blocks.notes())
    assert ask.largest < 20_000
