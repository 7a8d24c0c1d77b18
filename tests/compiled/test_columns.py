"""Columns laid out as rows: every number goes to its place, whatever the shape."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.compiled.columns import lay_out
from separatrix.tables.learnt import row_major


@given(st.integers(0, 150), st.integers(1, 13), st.integers(0, 3))
def test_numbers_go_to_their_places(n, d, offset):
    numbers = np.arange(float(d * (n + offset))).reshape(d, n + offset)
    columns = numbers[:, offset:]
    around = np.full((n + 2, d), -1.0)
    lay_out(np.array([columns.ctypes.data + j * numbers.strides[0] for j in range(d)]), around[1:-1])
    assert (around[1:-1] == columns.T).all()
    assert (around[[0, -1]] == -1.0).all()


@given(st.data())
def test_columns_in_chunks_of_any_length_and_type(data):
    n, kinds = data.draw(st.integers(1, 80)), [pa.float64(), pa.float32(), pa.int8(), pa.uint64()]
    columns = []
    for j in range(data.draw(st.integers(1, 9))):
        ends = sorted({0, n, *data.draw(st.lists(st.integers(0, n), max_size=4))})
        values = np.arange(n) + j
        chunks = [pa.array(values[start:stop]) for start, stop in itertools.pairwise(ends)]
        columns.append(pa.chunked_array(chunks).cast(data.draw(st.sampled_from(kinds))))
    table = pa.table(columns, [f"x{j}" for j in range(len(columns))])
    rows = row_major(table, len(columns))
    assert rows.flags.c_contiguous
    assert (rows == np.add.outer(np.arange(n), np.arange(len(columns)))).all()


def test_numbers_that_are_no_usual_ones_stay_what_they_are():
    odd = np.array([-0.0, 5e-324, np.inf, -np.inf, np.nan, 1e308, 0.1, -1e-310])
    rows = row_major(pa.table({f"x{j}": np.roll(odd, j) for j in range(6)}), 6)
    assert rows.tobytes() == np.column_stack([np.roll(odd, j) for j in range(6)]).tobytes()


@pytest.mark.parametrize("d", [4, 5])
def test_no_row_is_no_row(d):
    lay_out(np.zeros(d, np.int64), np.empty((0, d)))


def test_without_the_compiler_too():
    program = """
import numpy as np
from separatrix.compiled.columns import lay_out
columns, rows = np.arange(54.0).reshape(6, 9), np.empty((9, 6))
lay_out(np.array([each.ctypes.data for each in columns]), rows)
assert (rows == columns.T).all()
"""
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
