"""Files that workers read are the table: rows, columns, classes, notes, places and errors, whatever the pieces."""

import tempfile

import random_tables
from clusters import Away, FilesAway
from hypothesis import given
from hypothesis import strategies as st
from streams import outcome, require_same, table_blocks

import separatrix as sx
from separatrix.distributed.file_pieces import OnWorkers
from separatrix.problem.provenance import Choice, Layout, all_gaps

GAPS = all_gaps(())


def files_away(source, layout, choice, size, seed):
    """The blocks of files that are read elsewhere."""
    ask = Away(seed)
    blocks = table_blocks(source, layout, choice, size, OnWorkers(ask))
    return FilesAway(blocks, ask)


@given(random_tables.tables(), random_tables.layouts(), random_tables.SUFFIXES, st.integers(1, 300), st.integers(0, 99))
def test_any_table_in_any_file(table, layout, suffix, size, seed):
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in random_tables.file_forms(table, layout, suffix, folder):
            label = random_tables.label_of(form, table, options)
            gaps = all_gaps(table.gaps, set(table.gaps) >= set(GAPS))
            data, error = outcome(lambda: sx.read_data(path, label=label, **options, **table.options))  # noqa: B023
            choice, layout_ = Choice(label=label, missing=table.missing), Layout(**options, gaps=gaps)
            blocks, refused = outcome(lambda: files_away(path, layout_, choice, size, seed))  # noqa: B023
            if refused is None:
                require_same(blocks, data, error)
            elif not any(words in str(refused) for words in ("read as a whole", "compressed as a whole")):
                assert (type(refused), str(refused)) == (type(error), str(error))
