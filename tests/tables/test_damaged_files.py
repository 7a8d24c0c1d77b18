"""Damaged files, and such as are not tables: one message that says where, exit code 2, and nothing written."""

import bz2
import gzip
import io
import lzma
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from commands import PATIENCE, separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from random_tables import examples
from table_files import SMALL, arrow_file, arrow_stream, compressed, npy, npz, parquet, write

import separatrix as sx
from separatrix.exceptions import FileError

# ---- Damaged files, and such as are not tables: one message that says where, exit code 2, and nothing written.

GOOD = "a,b,y\n" + "".join(f"{k / 8},{k % 3},{k % 2}\n" for k in range(12))
MANY = 200_000


class Poison:
    """Leaves a trace if anybody unpickles it."""

    def __reduce__(self):
        return os.mkdir, ("poisoned",)


def cut(content):
    return content[: 2 * len(content) // 3]


def changed(content, old, new):
    assert old in content
    return content.replace(old, new)


def many(word, place):
    lines = [f"{k % 7},{k % 5},{k % 2}" for k in range(MANY)]
    lines.insert(place, word)
    return "a,b,y\n" + "\n".join(lines) + "\n"


NOISE = np.random.RandomState(0).bytes(5000)
BAD = {
    # name: (name of the file, what it holds, options, what the message says)
    "parquet cut off": ("t.parquet", cut(parquet()), [], ["t.parquet is not a Parquet file"]),
    "parquet begun": ("t.parquet", parquet()[:3], [], ["t.parquet is not a Parquet file"]),
    "parquet empty": ("t.parquet", b"", [], ["t.parquet is not a Parquet file"]),
    "parquet not UTF-8": (
        "t.parquet", changed(parquet(), b"\1\0\0\0v", b"\1\0\0\0\xff"), [], ["t.parquet is not a Parquet file", "UTF"],
    ),
    "arrow cut off": ("t.arrow", cut(arrow_file()), [], ["t.arrow is not an Arrow or Feather file"]),
    "stream cut off": ("t.arrow", cut(arrow_stream()), [], ["t.arrow is not an Arrow or Feather file"]),
    "arrow empty": ("t.feather", b"", [], ["t.feather is not an Arrow or Feather file"]),
    "arrow out of bounds": (
        "t.arrow",
        changed(arrow_file(), struct.pack("<iii", 0, 1, 2), struct.pack("<iii", 0, 2**30, 2)),
        [],
        ["t.arrow is not an Arrow or Feather file"],
    ),
    "parquet without rows": ("t.parquet", parquet(SMALL.slice(0, 0)), [], ["t.parquet has no rows"]),
    "parquet infinite": (
        "t.parquet", parquet(pa.table({"a": [1.0, np.inf], "y": [0, 1]})), [], ["t.parquet, row 1, column 'a'", "infinite"],
    ),
    "parquet of dates": (
        "t.parquet", parquet(pa.table({"a": pa.array([1, 2], pa.timestamp("s")), "y": [0, 1]})), [],
        ["column 'a'", "timestamp"],
    ),
    "parquet twice": (
        "t.parquet", parquet(pa.table([[1, 2], [1, 2], [0, 1]], names=["a", "a", "y"])), [], ["two columns named 'a'"],
    ),
    "parquet with an index": (
        "t.parquet", parquet(SMALL.append_column("__index_level_0__", SMALL["a"])), [],
        ["Column 4 of t.parquet has no name", "--drop 4"],
    ),
    "npz cut off": ("t.npz", cut(npz(X=[[1.0], [2.0]] * 99, y=[0, 1] * 99)), [], ["t.npz is not a NumPy file"]),
    "npz of noise": ("t.npz", NOISE, [], ["t.npz is not a NumPy file"]),
    "npz pickled": ("t.npz", npz(X=np.array([[Poison()], [1]], object), y=[0, 1]), [], ["t.npz", "Python objects"]),
    "npz pickled labels": ("t.npz", npz(X=[[1], [2]], y=np.array([Poison(), 1], object)), [], ["t.npz", "Python objects"]),
    "npz with nan": ("t.npz", npz(X=[[1.0], [np.nan]], y=[0, 1]), [], ["t.npz", "NaN", "row 1, column 0"]),
    "npz of another length": ("t.npz", npz(X=[[1.0], [2.0]], y=[0, 1, 1]), [], ["t.npz", "[2, 3]"]),
    "npz of complex": ("t.npz", npz(X=[[1j], [2.0]], y=[0, 1]), [], ["t.npz", "omplex"]),
    "npz without labels": ("t.npz", npz(X=[[1.0], [2.0]]), [], ["t.npz holds no labels"]),
    "npz unclear": ("t.npz", npz(A=[[1.0]], B=[[1.0]], y=[0]), [], ["t.npz holds the arrays 'A', 'B'"]),
    "npz sparse and wrong": (
        "t.npz", npz(data=[1.0], indices=[7], indptr=[0, 1, 1], shape=[2, 2], y=[0, 1]), [], ["t.npz is not a NumPy file"],
    ),
    "npy cut off": ("t.npy", cut(npy(np.ones((9, 3)))), ["--label", "3"], ["t.npy is not a NumPy file"]),
    "npy pickled": ("t.npy", npy(np.array([[Poison(), 1]], object)), ["--label", "2"], ["t.npy", "Python objects"]),
    "npy a pickle": ("t.npy", b"\x80\x04\x95\x0b", ["--label", "2"], ["t.npy is a pickle", "never loaded"]),
    "npy of complex": ("t.npy", npy(np.array([[1j, 0], [2, 1]])), ["--label", "2"], ["t.npy holds complex128"]),
    "npy of 3 dimensions": ("t.npy", npy(np.ones((2, 2, 2))), ["--label", "2"], ["t.npy", "3 dimensions"]),
    "npy infinite": ("t.npy", npy(np.array([[1, 0], [np.inf, 1]])), ["--label", "2"], ["t.npy, row 1, column '1'"]),
    "gz cut off": ("t.csv.gz", cut(gzip.compress(GOOD.encode())), [], ["t.csv.gz is compressed (gzip)", "cut off"]),
    "bz2 cut off": ("t.csv.bz2", cut(bz2.compress(GOOD.encode())), [], ["t.csv.bz2 is compressed (bz2)", "cut off"]),
    "xz cut off": ("t.csv.xz", cut(lzma.compress(GOOD.encode())), [], ["t.csv.xz is compressed (xz)", "cut off"]),
    "zst cut off": ("t.csv.zst", cut(compressed(GOOD.encode(), ".zst")), [], ["t.csv.zst is compressed (zstd)", "cut off"]),
    "gz with an error": (
        "t.csv.gz", gzip.compress(GOOD.encode())[:-8] + bytes(8), [], ["t.csv.gz is compressed (gzip)"],
    ),
    "packed twice": ("t.csv.gz", gzip.compress(gzip.compress(GOOD.encode(), mtime=0)), [], ["t.csv.gz"]),
    "noise": ("t.csv", NOISE, [], ["t.csv is not text"]),
    "noise without suffix": ("t", NOISE, [], ["t is not text"]),
    "parquet called csv": ("t.csv", parquet(), [], ["t.csv is not text"]),
    "csv called parquet": ("t.parquet", GOOD, [], ["t.parquet is not a Parquet file"]),
    "csv called arrow": ("t.arrow", GOOD, [], ["t.arrow is not an Arrow or Feather file"]),
    "csv called npz": ("t.npz", GOOD, [], ["t.npz is not a NumPy file"]),
    "csv called npy": ("t.npy", GOOD, [], ["t.npy is not a NumPy file"]),
    "csv called libsvm": ("t.libsvm", GOOD, [], ["t.libsvm, line 1"]),
    "npz called npy": ("t.npy", npz(X=[[1.0]], y=[0]), ["--label", "1"], ["t.npy holds several arrays"]),
    "empty": ("t.csv", "", [], ["t.csv is empty"]),
    "mark only": ("t.csv", b"\xef\xbb\xbf", [], ["t.csv is empty"]),
    "wide mark only": ("t.csv", b"\xff\xfe", [], ["t.csv is empty"]),
    "blank lines only": ("t.csv", "\n\r\n\r\n\n", [], ["t.csv is empty"]),
    "header only": ("t.csv", "a,b,y\n", [], ["t.csv has a header but no rows"]),
    "header and blank lines": ("t.csv", "\na,b,y\n\n\n", [], ["t.csv has a header but no rows"]),
    "no header": ("t.csv", "1.5,2,0\n2,3,1\n", [], ["t.csv looks like a row", "--no-header"]),
    "header of digits": ("t.csv", "1" * 5000 + ",2\n1,0\n2,1\n", ["--label", "2"], ["t.csv looks like a row"]),
    "NUL": ("t.csv", GOOD + "1,\0,1\n", [], ["t.csv is not text: it holds NUL bytes"]),
    "NUL far away": ("t.csv", many("\0,1,1", MANY), [], ["t.csv is not text: it holds NUL bytes"]),
    "wide without mark": ("t.csv", GOOD.encode("utf-16-le"), ["--encoding", "utf-16"], ["t.csv is not text in UTF-16"]),
    "wide cut off": ("t.csv", GOOD.encode("utf-16")[:-1], [], ["t.csv is not text in UTF-16"]),
    "not UTF-8": ("t.csv", GOOD.encode() + b"\xff,1,1\n", [], ["t.csv is not text in UTF-8", "--encoding cp1252"]),
    "not UTF-8 far away": ("t.csv", many("\xff,1,1", MANY).encode("latin-1"), [], ["t.csv is not text in UTF-8"]),
    "short row": ("t.csv", GOOD + "1,2\n", [], ["t.csv, line 14: 2 values for 3 columns"]),
    "long row": ("t.csv", GOOD + "\n\n1,2,0,4\n", [], ["t.csv, line 16: 4 values for 3 columns"]),
    "one value": ("t.csv", "a,b,y\n7\n" + GOOD[6:], [], ["t.csv, line 2: 1 value for 3 columns"]),
    "short row far away": ("t.csv", many("1,2", MANY), [], [f"t.csv, line {MANY + 2}: 2 values for 3 columns"]),
    "long row far away": ("t.csv", many('1,"\n",3,4', MANY), [], [f"t.csv, line {MANY + 3}: 4 values for 3 columns"]),
    "trailing separator": ("t.csv", "a,b,y\n1,2,0,\n1,3,1,\n", [], ["t.csv, line 2: 4 values for 3 columns"]),
    "trailing separators": ("t.csv", "a,b,y,\n1,2,0,\n1,3,1,\n", [], ["Column 4 of", "no name", "--drop 4"]),
    "index": ("t.csv", ",b,y\n1,2,0\n1,3,1\n", [], ["Column 1 of", "no name", "--drop 1"]),
    "two names": ("t.csv", "a,a,y\n1,2,0\n1,3,1\n", ["--header"], ["t.csv has two columns named 'a'"]),
    "too large": ("t.csv", GOOD + "1e400,2,0\n", [], ["t.csv, line 14, column 'a'", "too large"]),
    "infinity": ("t.csv", GOOD + "1,-inf,0\n", [], ["t.csv, line 14, column 'b'", "'-inf' is not a number"]),
    "infinity far away": ("t.csv", many("1,Infinity,0", 150_000), [], ["t.csv, line 150002, column 'b': 'Infinity' is not"]),
    "nan far away": ("t.csv", many("NAN,1,0", 150_000), [], ["t.csv, line 150002, column 'a': 'NAN' is not a number"]),
    "gap far away": ("t.csv", many("1,,0", 150_000), [], ["in 1 of its 200,001 rows", "t.csv, line 150002, column 'b'"]),
    "word far away": ("t.csv", many("1,oops,0", 150_000), [], ["t.csv, line 150002, column 'b': 'oops' is not a number"]),
    "no label": ("t.csv", GOOD + "1,2,\n", [], ["t.csv, line 14", "column 'y'"]),
    "no such column": ("t.csv", GOOD, ["--label", "Z"], ["t.csv has no column 'Z' for the label"]),
    "no such place": ("t.csv", GOOD, ["--label", "0_3"], ["t.csv has no column '0_3' for the label"]),
    "no such column to drop": ("t.csv", GOOD, ["--drop", "9"], ["t.csv has no column '9' to drop"]),
    "no other column": ("t.csv", "y\n0\n1\n", [], ["t.csv has no column to learn from"]),
    "other separator": ("t.csv", GOOD.replace(",", ";") + "1,2,3\n", [], ["--separator semicolon"]),
    "three classes": ("t.csv", "a,y\n1,x\n2,x\n3,z\n4,w\n", [], ["3 classes"]),
    "long line": ("t.csv", GOOD + "1," * 500_000 + "1\n", [], ["t.csv, line 14: 500001 values for 3 columns"]),
    "long cell": ("t.csv", GOOD + "u" * 10**6 + ",1,1\n", [], ["t.csv, line 14, column 'a'", "uuu…uuu"]),
    "long number": ("t.csv", GOOD + "1" * 10**6 + ",1,1\n", [], ["t.csv, line 14, column 'a'", "too large"]),
    "long name": ("t.csv", "a" * 10**6 + ",y\n1,0\nu,1\n", [], ["t.csv, line 3, column 'aaa", "'u' is not a number"]),
    "long quotes": ("t.csv", GOOD + '"' + "u\n" * 500_000, [], ["t.csv, line 500013", "unexpected end of data"]),
    "index twice": ("t.libsvm", "0 1:1 2:2\n1 1:1 1:2\n", [], ["t.libsvm, line 2", "index 1 occurs twice"]),
    "indices descending": ("t.libsvm", "0 1:1 2:2\n\n1 3:1 2:2\n", [], ["t.libsvm, line 3", "2 comes after 3"]),
    "libsvm too large": ("t.libsvm", "0 1:1\n1 1:1e400\n", [], ["t.libsvm, line 2", "too large"]),
    "libsvm infinite": ("t.libsvm", "0 1:1\n1 1:inf\n", [], ["t.libsvm, line 2", "not finite"]),
    "libsvm empty": ("t.libsvm", "# nothing\n", [], ["t.libsvm"]),
    "libsvm NUL": ("t.libsvm", "0 1:1\n1 1:\0\n", [], ["t.libsvm, line 2", "NUL"]),
}  # fmt: skip


def refused(folder, *arguments):
    """Run a command that fails: with one message, and with nothing written."""
    before = sorted(os.listdir(folder))
    done = separatrix(*arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.count("Error: ") == 1
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr) < 1500
    assert sorted(os.listdir(folder)) == before
    return done.stderr


@pytest.mark.parametrize("case", BAD)
def test_damaged_files_are_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, content, options, said = BAD[case]
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    label = [] if "--label" in options or name.endswith((".npz", ".libsvm")) else ["--label", "y"]
    message = refused(tmp_path, "decide", name, *label, *options, "--certificate", "proof.json")
    for each in said:
        assert each in message
    if len(content) < 10**5:
        if case != "three classes":  # which can be learnt, though not decided
            assert refused(tmp_path, "fit", name, *label, *options, "--model", "model.json") == message
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(name).read_bytes()))):
            kind = {"npz": "npz", "npy": "npy", "libsvm": "libsvm", "parquet": "parquet"}.get(name.split(".")[-1])
            kind = "arrow" if name.endswith((".arrow", ".feather")) else kind or "csv"
            refused(tmp_path, "decide", "-", "--format", kind, *label, *options, "--certificate", "proof.json")


@pytest.fixture(scope="module")
def whole_files():
    flat = pa.table(
        {
            "a": [0.5, None, 2.5] * 9,
            "c": ["u", "vé", None] * 9,
            "k": pa.array(["p", "q", "p"] * 9).dictionary_encode(),
            "f": [True, False, None] * 9,
            "y": ["0", "1", "1"] * 9,
        }
    )
    numbers = np.random.default_rng(0).random((9, 4))
    X = sp.csr_array(np.where(numbers < 0.5, numbers, 0.0))
    sparse = npz(data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=[0, 1, 1] * 3)
    return {"t.parquet": parquet(flat), "t.arrow": arrow_file(flat), "s.arrow": arrow_stream(flat), "t.npz": sparse,
            "t.csv.gz": gzip.compress(GOOD.encode())}  # fmt: skip


@examples(400)
@given(st.data())
def test_a_wrong_byte_is_read_or_refused(whole_files, data):
    """Nothing but a table or a `FileError` comes of it; above all, no crash."""
    name = data.draw(st.sampled_from(sorted(whole_files)))
    content = bytearray(whole_files[name])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.sampled_from([0, 1, 127, 128, 255]))
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, name, bytes(content))
        try:
            read = sx.read_data(path, None if name == "t.npz" else "y", missing="indicator")
        except FileError:
            return
        assert np.isfinite(read.X.data if sp.issparse(read.X) else read.X).all()


def test_files_that_cannot_be_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("good.csv").write_text(GOOD)
    Path("other.csv").write_text(GOOD.replace("a,b", "a,c"))
    Path("good.parquet").write_bytes(parquet())
    Path("locked.csv").write_text(GOOD)
    Path("loop.csv").symlink_to("loop.csv")
    out = ("--label", "y", "--certificate", "proof.json")
    assert "There is no file none.csv" in refused(tmp_path, "decide", "none.csv", *out)
    assert "No file matches *.txt" in refused(tmp_path, "decide", "*.txt", *out)
    assert "folder is a folder" in refused(tmp_path, "decide", "folder", *out)
    assert "loop.csv cannot be read" in refused(tmp_path, "decide", "loop.csv", *out)
    assert "other.csv does not have the columns of good.csv" in refused(tmp_path, "decide", "good.csv", "other.csv", *out)
    assert "name files of one kind" in refused(tmp_path, "decide", "good.csv", "good.parquet", *out)
    assert "format 'ods' is not known" in refused(tmp_path, "decide", "good.csv", "--format", "ods", *out)
    assert "good.csv is not a spreadsheet" in refused(tmp_path, "decide", "good.csv", "--format", "xlsx", *out)
    with mock.patch.object(Path, "open", side_effect=PermissionError(13, "Permission denied")):
        assert "locked.csv cannot be read: Permission denied." in refused(tmp_path, "decide", "locked.csv", *out)
    assert "folder cannot be written" in refused(tmp_path, "decide", "good.csv", "--label", "y", "--certificate", "folder")
    assert "would overwrite the data" in refused(tmp_path, "fit", "good.csv", "--label", "y", "--model", "./good.csv")


LIMITED = """
import resource, signal, sys
from separatrix.cli.app import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
for name in ("new.txt", "old.txt"):
    try:
        main([*sys.argv[1:], name])
    except SystemExit as left:
        assert left.code == 2, left.code
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize(
    "command",
    [
        ("decide", "good.csv", "--label", "y", "--certificate"),
        ("fit", "good.csv", "--label", "y", "--model"),
        ("predict", "model.json", "good.csv", "--output"),
        ("examples", "credit", "--output"),
    ],
    ids=lambda command: command[0],
)
def test_output_that_is_cut_off_leaves_nothing(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    succeeded("fit", "good.csv", "--label", "y", "--model", "model.json")
    succeeded(*command, "new.txt")  # compiles and caches what it takes, too
    assert Path("new.txt").stat().st_size > 50
    Path("new.txt").unlink()
    Path("old.txt").write_text("old")
    before = sorted(os.listdir())
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    told = [f"Error: {name} cannot be written: File too large." for name in ("new.txt", "old.txt")]
    assert done.stderr.splitlines() == told
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(os.listdir()) == before
    assert Path("old.txt").read_text() == "old"


def test_output_through_links_and_pipes(tmp_path, monkeypatch):
    """A link stays one, and what is no file is written to, never replaced by a file."""
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    Path("target.json").write_text("old")
    Path("link.json").symlink_to("target.json")
    os.mkfifo("pipe")
    before = sorted(os.listdir())
    succeeded("decide", "good.csv", "--label", "y", "--certificate", "link.json")
    assert Path("link.json").is_symlink()
    succeeded("verify", "target.json", "good.csv")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        succeeded("decide", "good.csv", "--label", "y", "--certificate", "pipe")
        assert os.read(reader, 10**6) == Path("target.json").read_bytes()
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()
    assert sorted(os.listdir()) == before
    name = "n" * 250
    succeeded("decide", "good.csv", "--label", "y", "--certificate", name)
    assert Path(name).read_bytes() == Path("target.json").read_bytes()


def test_a_closed_standard_input(tmp_path):
    with mock.patch.object(sys, "stdin", None):
        assert "standard input is closed" in refused(tmp_path, "decide", "-", "--label", "y")
