"""The fast reader of plain tables makes of a text what Arrow and the patient reader make of it, or leaves it to them."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from commands import PATIENCE
from hypothesis import example, given
from hypothesis import strategies as st
from paths import CHECKED_LOOPS, python_path

from separatrix.compiled.csv_cells import CellReading, gather, read_cells
from separatrix.compiled.decimals import NEAREST, TRIMMED
from separatrix.compiled.libsvm_lines import TOO_MANY
from separatrix.exceptions import FileError
from separatrix.problem.provenance import GAPS, Layout
from separatrix.support import threads
from separatrix.tables.sources import Source
from separatrix.tables.text import csv_fast, csv_layout, csv_reading

NEVER = 2**62

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(str),
    st.sampled_from(
        ["0.5", "-1", "+.5", "5.", "1e3", "1E-400", " 7", "8\t", "-0.0", "0.1234567890123456789012345", "2.5e-5"]
    ),
)
words = st.text("abcäß 1.-", min_size=1, max_size=4)
gaps = st.sampled_from(["", "NA", "?", "nan"])


def outcome(content, large, names=("a", "b", "c"), words=(), header=True, decimals=NEAREST):
    """Return what is read: types and cells of the columns, and what their digits are; or the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reading, "_LARGE_BYTES", large)
        try:
            text = csv_layout.look(Source("t.csv", None, pa.py_buffer(content)), Layout(header=header))
            table, digits = csv_reading.read(text, range(len(text.names)), words, decimals)
        except FileError as error:
            return str(error)
        kinds = [str(field.type) for field in table.schema]
        told = digits if decimals == TRIMMED else digits._replace(decimals=0)  # zeros at the end may be counted
        if decimals == TRIMMED:
            return kinds, told._replace(largest=0.0)
        return kinds, [[repr(cell) for cell in column.to_pylist()] for column in table.columns], told


def check(content, **options):
    for decimals in (NEAREST, TRIMMED, 3):
        expected = outcome(content, NEVER, decimals=decimals, **options)
        assert outcome(content, 0, decimals=decimals, **options) == expected
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threads, "NUMBERS_PER_THREAD", 1)
            patch.setattr(threads.config, "NUMBA_NUM_THREADS", 3)
            assert outcome(content, 0, decimals=decimals, **options) == expected


@st.composite
def tables(draw):
    """Lines of numbers, words and gaps, and whether the lot is plain."""
    kinds = draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))
    rows = draw(st.integers(1, 8))
    cells = {"number": numbers | gaps, "word": words | gaps}
    lines = [",".join(f"name{k}" for k in range(len(kinds)))]
    lines += [",".join(draw(cells[kind]) for kind in kinds) for _ in range(rows)]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    for place in draw(st.lists(st.integers(1, 9), max_size=2)):
        lines.insert(place, "")
    return (end.join(lines) + draw(st.sampled_from(["", end]))).encode()


@given(tables())
@example(b"a\n1\n")
@example("\ufeffa,b\n1,x\n".encode())
def test_tables(content):
    check(content)


@given(tables(), st.randoms(use_true_random=False))
def test_tables_with_a_change(content, rng):
    place = rng.randrange(len(content) + 1)
    insert = rng.choice([b"", b",", b'"', b"\n", b"\r", b"\r\n", b" ", b"\0", b"\xff", b"x", b"e", b"inf", b"-"])
    check(content[:place] + insert + content[place + rng.randrange(2) :])


@given(st.binary(max_size=30) | st.text('a,1."\n\r -e', max_size=40).map(str.encode))
def test_any_bytes(content):
    check(b"a,b\n" + content)


def test_plain_tables_are_read_here():
    """Else everything above would compare Arrow with itself."""
    content = b"a,b,c\n" + b"1.5,NA,yes\n-2e3,4,no\n\n" * 50
    found, digits, odd = csv_fast.read(pa.py_buffer(content), 1, 3, ",", {0: False, 1: False, 2: True}, GAPS, NEAREST)
    assert (digits.decimals, digits.largest, odd) == (1, 2000.0, None)
    assert found[0].to_pylist() == [1.5, -2000.0] * 50
    assert found[1].to_pylist() == [None, 4.0] * 50
    assert found[2].to_pylist() == ["yes", "no"] * 50
    for odd in (
        b'1,2,"x"\n',
        b"1,2\n",
        b"1,2,3,4\n",
        b"1,x,3\n",
        b"1,inf,3\n",
        b"1,2,\xff\n",
        b"1,2,\0\n",
        b"1,2,3\r4,5,6\n",
    ):
        assert csv_fast.read(pa.py_buffer(content + odd), 1, 3, ",", {0: False, 1: False, 2: True}, GAPS, NEAREST) is None


def test_no_more_rows_are_written_than_there_is_room_for():
    text, one = np.frombuffer(b"1\n2\n3\n", np.uint8), np.ones(1, np.int64)
    none = np.zeros(0, np.int64)
    for room in range(4):
        numbers = np.full((1, 4), 7.0)
        words = np.zeros((0, 2, room), np.int64)
        reading = CellReading(np.uint8(44), one, one - 1, text, none, False, NEAREST)
        found, *_ = read_cells(text, 0, 6, reading, numbers[:, :room], words)
        assert found == (3 if room == 3 else TOO_MANY)
        assert numbers[0, :room].tolist() == [1.0, 2.0, 3.0][:room]
        assert (numbers[0, room:] == 7.0).all()


def test_a_text_with_more_rows_than_were_counted_is_refused(monkeypatch):
    """As one may be that somebody writes to; what is counted is the beginning only."""
    counted = csv_fast.spans_of
    content = b"a,b\n" + b"1,2\n" * 50

    def fewer(text):
        return [span._replace(lines=span.lines - 1) for span in counted(text)]

    monkeypatch.setattr(csv_fast, "spans_of", fewer)
    assert outcome(content, 0) == "t.csv changed while it was read. Read it again, when nobody writes to it."


def check_within_bounds(count):
    """Read mutations of a table; whatever is wrong with the bounds raises an IndexError under the settings of the test."""
    text = np.frombuffer(b"1\n", np.uint8)
    with pytest.raises(IndexError):  # so the setting works: there is no room for a word
        gather(text, np.array([[0], [1]]), np.zeros(2, np.int64), np.zeros(0, np.uint8))
    rng = random.Random(0)
    corpus = b"1.5,NA,yes\n-2e3, 4,no\n\n12345.678,1e-3,?\r\n,,\n0.5,0.25,a b\n"
    for _ in range(count):
        content = bytearray(corpus)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(content))
            content[place : place + rng.randrange(3)] = rng.choice([b"", b",", b"\n", b"\r", b"e", b"9", b"-", b".", b" "])
        for decimals in (NEAREST, TRIMMED, 3):
            csv_fast.read(pa.py_buffer(bytes(content)), 0, 3, ",", {0: False, 1: False, 2: True}, GAPS, decimals)


@pytest.mark.slow
def test_nothing_is_read_or_written_outside_of_arrays():
    settings = {**os.environ, "PYTHONPATH": python_path(), "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CHECKED_LOOPS)}
    code = "import test_csv_fast; test_csv_fast.check_within_bounds(2000)"
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, env=settings, check=True, timeout=PATIENCE)
