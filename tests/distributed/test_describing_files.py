"""Files that workers read are described as they are in memory."""

import tempfile

import pytest
import random_tables
from clusters import Away, FilesAway
from hypothesis import given
from hypothesis import strategies as st
from piece_data import libsvm_texts, texts
from profiles import quickly
from streams import outcome, table_blocks
from table_files import write

import separatrix as sx
from separatrix.distributed.file_pieces import OnWorkers
from separatrix.problem.provenance import Choice, Layout, all_gaps
from separatrix.streaming.files import TableBlocks
from separatrix.streaming.stream import Stream
from separatrix.tables.description import describe

SIZES, SEEDS = st.integers(1, 300), st.integers(0, 99)

MISSING = st.sampled_from(["refuse", "drop-rows", "indicator"])


def away(source, layout, choice, size, seed):
    """The description of files that are read elsewhere."""
    ask = Away(seed)
    blocks = table_blocks(source, layout, choice, size, OnWorkers(ask))
    more = (lambda each: Stream(FilesAway(each, ask)),) if isinstance(blocks, TableBlocks) else ()
    return blocks.describe(Stream(FilesAway(blocks, ask)), choice.positive, 10**6, *more)


def compare(source, layout, choice, size, seed):
    """Require the same description, or the same error."""
    expected, error = outcome(lambda: describe(source, choice, layout=layout))
    found, refused = outcome(lambda: away(source, layout, choice, size, seed))
    if refused is not None and any(words in str(refused) for words in ("read as a whole", "compressed as a whole")):
        return
    if error is not None or refused is not None:
        assert (type(refused), str(refused)) == (type(error), str(error))
    else:
        assert found.document() == expected.document()
        assert found.explain(width=80) == expected.explain(width=80)


@quickly(20)
@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, SIZES, SEEDS)
def test_any_table_in_any_file(table, layout, suffix, size, seed):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            gaps = all_gaps(table.gaps, table.options["usual_gaps"])
            choice = Choice(label=random_tables.label_of(form, table, options), missing=table.missing)
            compare(path, Layout(**options, gaps=gaps), choice, size, seed)


@quickly(50)
@given(texts(), texts(), SIZES, SEEDS, MISSING, st.sampled_from([None, "y"]), st.booleans())
def test_gaps_words_and_rows_without_labels(first, second, size, seed, missing, label, several):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, "1.csv", first), *([write(folder, "2.csv", second)] if several else [])]
        compare(paths, Layout(separator="comma"), Choice(label=label, missing=missing), size, seed)


@quickly(20)
@given(libsvm_texts(), SIZES, SEEDS)
def test_libsvm_text(texts, size, seed):
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, f"{k}.svm", text) for k, text in enumerate(texts)]
        compare(paths, Layout(format="libsvm"), Choice(), size, seed)


@pytest.mark.parametrize("gaps", ["", "red,,no\n"])
def test_on_a_cluster(two_workers, tmp_path, gaps):
    path = tmp_path / "table.csv"
    path.write_text("colour,size,sold\n" + "red,1.5,no\nblue,2,yes\nred,1.5,yes\ngreen,0.25,no\n" * 1000 + gaps)
    with sx.DaskRows(path, label="sold", client=two_workers, memory="1MB") as rows:
        assert rows.describe("yes").document() == sx.describe(path, label="sold", positive="yes").document()
