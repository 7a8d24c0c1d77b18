"""What files may ask for: memory in proportion to their size, whatever they say, and no more of it if they change."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import PATIENCE

import separatrix as sx
from separatrix import checker
from separatrix.checker import InvalidCertificate
from separatrix.cli.app import main
from separatrix.compiled import libsvm_lines
from separatrix.compiled.decimals import NEAREST
from separatrix.exceptions import FileError, ModelError, TableError
from separatrix.problem.provenance import Choice, Column, Layout
from separatrix.proof.certificate import Certificate
from separatrix.support.limits import MAX_DOCUMENT_BYTES, MAX_UNPACKED_BYTES, VARIABLE, most_bytes
from separatrix.tables import binary_files, foreign_errors, sources
from separatrix.tables.encoding import apply, learn
from separatrix.tables.frame import opened_as
from separatrix.tables.text import csv_fast, libsvm, spans

MEGABYTE = 2**20


def code_of(*arguments):
    """Run the command line; return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    return left.value.code


# ---- Files that change.


def large(path, rows=60_000, row="1.5,2,{k}\n"):
    """Write a table that is worth the fast reader."""
    path.write_text("a,b,y\n" + "".join(row.format(k="no" if k % 2 else "yes") for k in range(rows)))
    assert path.stat().st_size > 2**18
    return path


@pytest.mark.parametrize("change", ["cut off", "shorter rows", "longer rows", "no newline", "removed"])
def test_a_file_that_changes_between_counting_and_reading(change, tmp_path, monkeypatch):
    path, counted, done = large(tmp_path / "t.csv"), csv_fast.spans_of, []
    expected = sx.read_data(path, "y")
    size = path.stat().st_size
    contents = {"shorter rows": b"1,2,a\n", "longer rows": b"123456,123456,abcdef\n", "no newline": b"7"}

    def change_it(text):
        spans = counted(text)
        done.append(change)
        if change == "cut off":
            os.truncate(path, 10)
        elif change == "removed":
            path.unlink()
        else:
            with path.open("r+b") as file:
                file.write((contents[change] * size)[:size])
        return spans

    monkeypatch.setattr(csv_fast, "spans_of", change_it)
    data = sx.read_data(path, "y")
    assert done
    assert np.array_equal(data.X, expected.X)
    assert np.array_equal(data.y, expected.y)
    # Where rows were is not known any more, and nothing else is said.
    assert data.locate([0, 3]) == ["row 0", "row 3"]


@pytest.mark.parametrize("rows", [3, 60_000])
def test_a_file_that_changes_after_its_header_was_read_is_refused(rows, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "1,2,no\n" * rows)
    opened = opened_as(path, Layout(), "y")
    path.write_text("b,a,y,z\n" + "1,2,no,3\n" * rows)
    with pytest.raises(FileError, match=r"t\.csv changed while it was read\. Read it again, when nobody writes to it"):
        opened.read([0, 1, 2], [2])


def test_a_file_that_is_cut_off_in_the_middle_of_reading_is_refused(tmp_path, monkeypatch):
    path = large(tmp_path / "t.csv")
    [source] = sources.sources(path)
    stamp = sources.Stamp.of

    def cut(file):
        found = stamp(file)
        os.truncate(path, 100)
        return found

    monkeypatch.setattr(sources.Stamp, "of", cut)
    with pytest.raises(FileError, match="changed while it was read"):
        source.buffer()


def test_no_more_is_written_than_there_is_room_for():
    text = np.frombuffer(b"1 1:1 2:2\n-1 1:3 2:4\n", np.uint8)
    for entries in range(5):
        for rows in range(3):
            data, labels = np.full(4, 7.0), np.full(2, 7.0)
            arrays = data[:entries], np.empty(entries, np.int32), np.empty(rows, int), labels[:rows], np.empty(rows, int)
            wrong = libsvm_lines.parse(text, 0, text.size, NEAREST, *arrays)[5]
            assert wrong == (-1 if entries == 4 and rows == 2 else libsvm_lines.TOO_MANY)
            assert (data[entries:] == 7.0).all()
            assert (labels[rows:] == 7.0).all()


def test_libsvm_text_with_more_than_was_counted_is_refused(monkeypatch):
    counted = spans.spans_of
    monkeypatch.setattr(libsvm, "spans_of", lambda text: [span._replace(colons=1) for span in counted(text)])
    with pytest.raises(libsvm.LibsvmError, match="t changed while it was read"):
        libsvm.parse(b"1 1:1 2:2\n", "t")


# ---- Wide tables.


def test_a_table_of_many_columns_takes_memory_in_proportion(tmp_path):
    """With 6 GiB of address space: columns times the rows that are laid out at a time would be twice that."""
    d = 100_000
    X = np.random.default_rng(0).integers(-9, 10, (3, d))
    path = tmp_path / "wide.csv"
    lines = [",".join([f"c{j}" for j in range(d)] + ["y"])]
    lines += [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), "aba", strict=True)]
    path.write_text("\n".join(lines) + "\n")
    code = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
import numpy as np, separatrix as sx
data = sx.read_data({str(path)!r}, "y")
np.save({str(tmp_path / "X.npy")!r}, data.X)
verdict = sx.decide(data)
weights = np.array([int(weight) for weight in verdict.certificate.separator.weights], object)
scores = data.X.astype(int).astype(object) @ weights + int(verdict.certificate.separator.intercept)
assert verdict.separable and [bool(score > 0) for score in scores] == [False, True, False], scores
assert len(verdict.explain()) < 2000
assert data.names[-1] == "c{d - 1}"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
    assert np.array_equal(np.load(tmp_path / "X.npy"), X)


@pytest.mark.parametrize("columns", [1, 3, 5, 40])
def test_numbers_are_laid_out_alike_whatever_the_shape(columns, monkeypatch):
    """Of few rows and of many, in one chunk and in several, with columns of words between them."""
    from separatrix.tables import design_matrix

    monkeypatch.setattr(design_matrix, "_ROWS_PER_BLOCK", 4)
    values = np.random.default_rng(1).standard_normal((9, columns))
    values[3, 0] = 1e308
    values[4, 0] = 1e308  # a sum that overflows is no sign of a number that is not finite
    table = {f"c{j}": pa.chunked_array([values[:5, j], values[5:, j]]) for j in range(columns)}
    table = pa.table({"first": list("ababababa"), **table, "flag": [True] * 9})
    data = sx.read_data(table)
    assert np.array_equal(data.X[:, 2:-1], values)
    whole = sx.read_data(table.combine_chunks().select([f"c{j}" for j in range(columns)]))
    assert np.array_equal(whole.X, values)
    values[2, -1] = np.nan
    odd = table.set_column(columns, f"c{columns - 1}", [values[:, -1]])
    with pytest.raises(FileError, match=rf"missing values in 1 of its 9 rows.*row 2, column 'c{columns - 1}'"):
        sx.read_data(odd)


@pytest.mark.parametrize("content", [
    "a,b,c,y\n1,x,2.5,no\n3,z,-4,yes\n5,x,0,no\n",
    "a,b,c,y\n1,x,2.5,no\n\n3,z,-4,yes\n5,x,0,no",
    "a,b,c,y\n1,x,2.5,no\n3,?,-4,yes\n5,x,0,\n",
    "a,b,c,y\n1,x,,no\n3,?,-4,yes\n5,x,0,no\n",
])  # fmt: skip
@pytest.mark.parametrize("missing", ["drop-rows", "indicator"])
@pytest.mark.parametrize("threads", [1, 3])
def test_very_many_columns_are_read_as_few_are(content, missing, threads, tmp_path, monkeypatch):
    """Where there are very many, columns are held otherwise: alone, of several files, described, and read again."""
    from separatrix.support import threads as module
    from separatrix.tables.description import describe

    for name in ("s.csv", "t.csv"):
        (tmp_path / name).write_text(content)
    one, two = str(tmp_path / "t.csv"), [str(tmp_path / "s.csv"), str(tmp_path / "t.csv")]
    monkeypatch.setattr("separatrix.tables.text.csv_reading._LARGE_BYTES", 0)
    monkeypatch.setattr(module, "NUMBERS_PER_THREAD", 1)
    monkeypatch.setattr(module.config, "NUMBA_NUM_THREADS", threads)

    def outcomes():
        for path in (one, two):
            for label in ("y", None):
                try:
                    data = sx.read_data(path, label, missing=missing)
                    again = sx.read_data(path, label, like=data)
                    yield data.X.tolist(), data.names, data.classes, data.dropped, again.X.tolist()
                except FileError as error:
                    yield str(error)
                yield describe(path, Choice(label=label, missing=missing)).document()

    few = list(outcomes())
    monkeypatch.setattr(csv_fast, "_MAX_ARROW_COLUMNS", 0)
    assert list(outcomes()) == few


class Counted(str):
    """A name that counts how often it is compared."""

    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_columns_are_not_compared_each_with_all_others():
    d = 300
    names = [f"c{j}" for j in range(d)]
    table = pa.table({name: [1.0, 2.0] for name in names} | {"y": ["a", "b"]})
    frame = opened_as(table, Layout(), "y")
    frame = frame._replace(names=tuple(map(Counted, frame.names)))
    Counted.comparisons = 0
    data = learn(frame, Choice(label="y", only=tuple(names[: d // 2]) + tuple(range(d // 2 + 1, d + 1))))
    again = apply(frame, tuple(Column(name) for name in names), "refuse", label="y")
    assert data.shape == again.shape == (2, d)
    assert Counted.comparisons < 30 * d  # of 90,000 pairs


# ---- Tiny files that ask for much.


def npy(shape, kind, content=b""):
    """Return an .npy file whose header says anything."""
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def archive(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def sparse(columns):
    two = np.array([0, 1])
    return archive(data=np.ones(2), indices=two, indptr=np.arange(3), shape=np.array([2, columns]), format=b"csr", y=two)


HOSTILE = {
    "empty.npy": (npy((0, 2**40), "<f8"), "shape (0, 1099511627776) and type float64, in which there is nothing"),
    "bytes.npy": (npy((2**30, 2**30), "|V0"), "in which there is nothing"),
    "texts.npy": (npy((3, 2**40), "<U0"), "in which there is nothing"),
    "short.npy": (npy((2**20, 2**20), "<f8", b"\0" * 80), "takes 8,796,093,022,208 bytes, and 80 are there"),
    "nul.npy": (b"\0" * 1000, "nul.npy is not a NumPy file that can be read: it does not begin as one"),
    "nul.npz": (b"\0" * 1000, "nul.npz is not a NumPy file that can be read: it does not begin as one"),
    "nul.csv": (b"\0" * 1000, "holds NUL bytes"),
    "far.svm": (b"1 1:1\n-1 100000000:1\n", "has 100,000,000 columns for 2 entries. Number those anew"),
    "last.svm": (b"1 1:1\n-1 2147483646:1\n", "has 2,147,483,646 columns for 2 entries"),
    "wide.npz": (sparse(2**60), "has 1,152,921,504,606,846,976 columns for 2 entries"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_tiny_files_that_ask_for_much_are_refused(name, tmp_path, capsys):
    content, said = HOSTILE[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as refusal:
        sx.read_data(path, None if name.endswith((".svm", ".npz")) else 1)
    assert said in str(refusal.value)
    assert code_of("describe", path) == 2
    assert said in capsys.readouterr().err


def test_many_columns_are_fine_where_they_are_in_proportion(tmp_path, monkeypatch):
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\n-1 1000:1\n")
    monkeypatch.setenv(VARIABLE, "1M")
    assert sx.read_data(path).shape == (2, 1000)
    path.write_text("1 1:1\n-1 2000:1\n")
    with pytest.raises(FileError, match=rf"2,000 columns for 2 entries.*1,048,576 bytes, the limit.*set {VARIABLE}"):
        sx.read_data(path)
    monkeypatch.setenv(VARIABLE, "2m")
    assert sx.read_data(path).shape == (2, 2000)
    monkeypatch.setenv(VARIABLE, "1M")
    path.write_text("1 " + " ".join(f"{j}:1" for j in range(1, 2001)) + "\n-1 1:2\n")
    assert sx.read_data(path).shape == (2, 2000)


# ---- What unfolds, and what does not end.

TABLE = b"a,y\n" + b"1,no\n2,yes\n" * 300_000
PACKED = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
    "zst": lambda content: pa.compress(content, "zstd", asbytes=True), "lz4": lambda content: _lz4(content),
}  # fmt: skip


def _lz4(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("kind", PACKED)
def test_what_unfolds_to_more_than_the_limit_is_refused(kind, tmp_path, monkeypatch, capsys):
    path = tmp_path / f"t.csv.{kind}"
    path.write_bytes(PACKED[kind](TABLE))
    monkeypatch.setenv(VARIABLE, "2M")
    name = {"gz": "gzip", "zst": "zstd"}.get(kind, kind)
    said = f"is compressed ({name}), and unfolds to more than 2,097,152 bytes, the limit. If that is meant, raise it: set "
    said += VARIABLE
    with pytest.raises(FileError) as refusal:
        sx.read_data(path, "y")
    assert said in str(refusal.value)
    assert code_of("decide", path, "--label", "y") == 2
    assert said in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, "4M")
    assert sx.read_data(path, "y").shape == (600_000, 1)


def test_archives_and_parquet_files_that_unfold_to_more_than_the_limit(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((2**17, 2)), y=np.zeros(2**17))
    pq.write_table(pa.table({"a": np.zeros(2**20), "y": np.zeros(2**20)}), tmp_path / "t.parquet", compression="zstd")
    monkeypatch.setenv(VARIABLE, "1M")
    with pytest.raises(FileError, match=rf"t\.npz is an archive that unfolds to more than 1,048,576 bytes.*{VARIABLE}"):
        sx.read_data(tmp_path / "t.npz")
    with pytest.raises(FileError, match=rf"t\.parquet, of .* bytes, unfolds to 2,097,152 cells, more than .*{VARIABLE}"):
        sx.read_data(tmp_path / "t.parquet", "y")
    monkeypatch.setenv(VARIABLE, "100M")
    assert sx.read_data(tmp_path / "t.npz").shape == (2**17, 2)
    assert sx.read_data(tmp_path / "t.parquet", "y").shape == (2**20, 1)


def test_files_of_any_size_are_read_whatever_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE)
    monkeypatch.setenv(VARIABLE, "1K")
    assert sx.read_data(path, "y").shape == (600_000, 1)


class Endless:
    """A stream that remembers how much was read of it."""

    def __init__(self):
        self.read_so_far = 0

    def read(self, size=-1):
        assert size >= 0, "it has no end"
        self.read_so_far += size
        return b"1" * size


def test_streams_are_read_up_to_the_limit(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "3M")
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless))
    with pytest.raises(FileError, match=rf"standard input goes on for more than 3,145,728 bytes, the limit.*{VARIABLE}"):
        sx.read_data("-", 1)
    assert endless.read_so_far <= 5 * MEGABYTE
    assert code_of("decide", "-", "--label", "1") == 2
    assert capsys.readouterr().err.count("\n") <= 2


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
def test_devices_without_an_end(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv(VARIABLE, "3M")
    monkeypatch.setattr(checker, "MOST_BYTES", 2 * MEGABYTE)
    with pytest.raises(FileError, match="/dev/zero goes on for more than 3,145,728 bytes"):
        sx.read_data("/dev/zero", 1)
    with pytest.raises(InvalidCertificate, match="longer than 2097152 bytes"):
        Certificate.load("/dev/zero")
    with pytest.raises(ModelError, match="it has more than 3,145,728 bytes"):
        sx.load_model("/dev/zero")
    table = tmp_path / "t.csv"
    table.write_text("a,y\n1,0\n2,1\n")
    assert code_of("decide", "/dev/zero", "--label", "1") == 2
    assert code_of("predict", "/dev/zero", table) == 2
    assert code_of("verify", "/dev/zero", table) == 1
    assert "longer than" in capsys.readouterr().out


@pytest.mark.parametrize("most", [0, 5, 4096, 2**21])
def test_documents_are_read_up_to_one_byte_beyond_their_limit(most, tmp_path):
    path = tmp_path / "d.json"
    path.write_bytes(bytes(range(256)) * 16)
    assert sources.read_document(path, most) == path.read_bytes()[: most + 1]
    if os.path.exists("/dev/zero"):
        assert sources.read_document("/dev/zero", most) == b"\0" * (most + 1)


def test_the_variable(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert 0 < most_bytes() <= MAX_UNPACKED_BYTES
    assert 0 < most_bytes(MAX_DOCUMENT_BYTES) <= MAX_DOCUMENT_BYTES
    for text, number in {"1": 1, " 20 ": 20, "3k": 3 * 2**10, "3M": 3 * 2**20, "3G": 3 * 2**30, "3T": 3 * 2**40}.items():
        monkeypatch.setenv(VARIABLE, text)
        assert most_bytes() == most_bytes(MAX_DOCUMENT_BYTES) == number
    monkeypatch.setenv(VARIABLE, "")
    assert most_bytes() > 1
    for text in ("0", "-1", "much", "1.5G", "1GB", "nan"):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(ValueError, match=rf"{VARIABLE} must be a number of bytes, as 8000000000 or 8G, not '{text}'"):
            most_bytes()


# ---- Memory that ends.


def test_memory_that_ends_gives_one_message(tmp_path, monkeypatch, capsys):
    table = tmp_path / "t.csv"
    table.write_text("a,y\n1,no\n2,yes\n")
    packed = tmp_path / "p.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=np.arange(2))
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": [0, 1]}), tmp_path / "t.parquet")
    proof = tmp_path / "proof.json"
    sx.decide(sx.read_data(table, "y")).certificate.save(proof)

    def fail(*_, **__):
        raise MemoryError

    def refused(*arguments):
        assert code_of(*arguments) == 2
        error = capsys.readouterr().err
        assert "Traceback" not in error
        assert "There is not enough memory to read " in error
        return error

    with monkeypatch.context() as patch:
        patch.setattr(sources, "_drained", lambda stream, name, what="": stream.read(1) and fail())
        assert code_of("verify", proof, packed) == 2
        assert "There is not enough memory" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", fail)
        assert "t.npz" in refused("decide", tmp_path / "t.npz")
    with monkeypatch.context() as patch:
        patch.setattr(binary_files, "_read_parquet", fail)
        assert "t.parquet" in refused("decide", tmp_path / "t.parquet", "--label", "y")
    with monkeypatch.context() as patch:
        patch.setattr(csv_fast, "read", fail)
        patch.setattr("separatrix.tables.text.csv_reading._LARGE_BYTES", 0)
        assert "t.csv" in refused("decide", table, "--label", "y")
        assert "t.csv" in refused("verify", proof, table)
        assert "t.csv" in refused("describe", table)
        with pytest.raises(MemoryError, match=r"There is not enough memory to read .*t\.csv\."):
            sx.read_data(table, "y")


def test_memory_that_ends_in_earnest(tmp_path):
    """A bomb below the limit, in a process that may not grow as large as what it unfolds to."""
    path = tmp_path / "bomb.csv.bz2"
    path.write_bytes(bz2.compress(b"a,y\n") + bz2.compress(b"1,2\n" * 2**18) * 2**11)  # 2 GiB
    code = f"""
import resource
import separatrix.cli.app, separatrix.tables.reading
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
separatrix.cli.app.main(["decide", {str(path)!r}, "--label", "y"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert "There is not enough memory to read" in done.stderr
    assert "Traceback" not in done.stderr


def test_errors_without_a_text_are_named():
    assert foreign_errors.reason_of(MemoryError()) == "MemoryError"
    assert foreign_errors.reason_of(ValueError("\n")) == ""
    assert foreign_errors.reason_of(ValueError("It is so.\nAnd so.")) == "It is so"


# ---- What is no table.


def test_files_of_other_programs_are_named(tmp_path):
    def said(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FileError) as refusal:
            sx.read_data(path, 1, **options)
        return str(refusal.value)

    def zipped(*names):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as folder:
            for name in names:
                folder.writestr(name, "application/vnd.oasis.opendocument.spreadsheet")
        return file.getvalue()

    sheet = zipped("[Content_Types].xml", "xl/workbook.xml")
    for name in ("t.xlsx", "t.csv", "t"):
        assert "is not a spreadsheet that can be read" in said(name, sheet)
    assert "is a spreadsheet (xlsx), not csv" in said("t.xlsx", sheet, format="csv")
    other = "is a document of an office program that cannot be read. Save the table in it as an Excel workbook"
    assert other in said("t.ods", zipped("mimetype", "content.xml"))
    assert other in said("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        for name in ("t.pkl", "t.csv", "t.npy"):
            message = said(name, pickle.dumps({"a": [1, 2]}, protocol))
            assert "is a pickle, which could execute anything and is never loaded" in message
            assert "encoding" not in message
    assert "holds Python objects" in said("t.npz", archive_of_objects())


def archive_of_objects():
    file = io.BytesIO()
    np.savez(file, X=np.array([{}], object))
    return file.getvalue()


# ---- Numbers in binary files.


@pytest.mark.parametrize("suffix", ["table", "parquet", "arrow"])
def test_decimals_are_exact_or_refused_with_their_place(suffix, tmp_path):
    def read(values, kind, **options):
        table = pa.table({"a": pa.array(values, kind), "y": [0, 1, 0][: len(values)]})
        path = tmp_path / f"t.{suffix}"
        if suffix == "table":
            path = table
        elif suffix == "parquet":
            pq.write_table(table, path)
        else:
            with pa.ipc.new_file(path, table.schema) as file:
                file.write_table(table)
        return sx.read_data(path, "y", **options)

    for kind in (pa.decimal128(30, 4), pa.decimal256(60, 4)):
        exact = [Decimal("0.5"), Decimal("-1234.0625"), Decimal(2) ** 60]
        assert read(exact, kind).X[:, 0].tolist() == [0.5, -1234.0625, 2.0**60]
        assert read([None, *exact[:2]], kind, missing="drop-rows").X[:, 0].tolist() == [0.5, -1234.0625]
        for odd in ("0.1", "9007199254740992", "-0.0001"):
            data = read([Decimal("0.5") if "." in odd else Decimal(1), None, Decimal(odd)], kind, missing="drop-rows")
            assert data.rows.reading == "decimal"
            assert Fraction(data.rows.numerators[1, 0]) / data.rows.denominator == Fraction(odd)
        for odd in ("9007199254740993", "900719925474099.3001"):
            values = [Decimal("0.5"), None, Decimal(odd)]
            data = read(values, kind, missing="drop-rows")
            assert data.rows.reading == "float64"
            assert data.X[:, 0].tolist() == [0.5, float(odd)]
            assert "row 2, column 'a'" in data.notes()[0]
            with pytest.raises(FileError, match="does not fit as a decimal"):
                read(values, kind, missing="drop-rows", numbers="decimal")
            assert read(values, kind, missing="drop-rows", numbers="float64").X[:, 0].tolist() == [0.5, float(odd)]
    assert read(
        [Decimal("0.10"), Decimal("-9.00"), Decimal("0.10")],
        pa.decimal128(9, 2),
        text="a",
        gaps=["-9.00"],
        missing="drop-rows",
    ).names == ["a=0.10"]
    gap = read([Decimal("0.50"), Decimal("-9.00"), Decimal("1.00")], pa.decimal128(9, 2), gaps=["-9"], missing="drop-rows")
    assert gap.X[:, 0].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_integers_are_exact_or_refused_with_their_place(kind, tmp_path):
    exact = np.array([[2**53, 1], [2**60, 2], [7, 3]], kind)
    odd = np.array([[2**53, 1], [2**53 + 1, 2], [7, 3]], kind)
    for values, fine in ((exact, True), (odd, False)):
        np.save(tmp_path / "t.npy", values)
        table = pa.table({"1": values[:, 0], "2": values[:, 1]})
        pq.write_table(table, tmp_path / "t.parquet")
        for source in (table, tmp_path / "t.npy", tmp_path / "t.parquet"):
            if fine:
                assert sx.read_data(source, "2").X[:, 0].tolist() == values[:, 0].tolist()
                continue
            with pytest.raises(TableError, match=r"row 1, column '1': 9007199254740993, which float64 cannot hold exactly"):
                sx.read_data(source, "2")
            # a gap is exactly the number that stands for it, not one that is rounded to it
            with pytest.raises(TableError, match="9007199254740993"):
                sx.read_data(source, "2", gaps=["9007199254740992"], missing="drop-rows")
            assert sx.read_data(source, "2", gaps=["9007199254740993"], missing="drop-rows").kept.tolist() == [0, 2]


def test_gaps_that_are_no_numbers_of_a_kind_are_none(tmp_path):
    """Numbers of any size and of any length, among them such as would take for ever to write out."""
    gaps = ["1e999999999", "1e-999999999", "300", "-1", "1.5", "0" * 900 + "7", "7e3"]
    table = pa.table({"a": pa.array([1, 255, 44], pa.uint8()), "b": [1.5, 5.0, 7000.0], "y": [0, 1, 0]})
    data = sx.read_data(table, "y", gaps=gaps, missing="indicator")
    assert data.names == ["a", "b", "b is missing"]
    assert data.X.tolist() == [[1, 0, 1], [255, 5, 0], [44, 0, 1]]


def test_whole_numbers_in_text_are_read_to_the_nearest_float(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n9007199254740993,0\n9007199254740995,1\n")
    assert sx.read_data(path, "y").X[:, 0].tolist() == [2.0**53, 2.0**53 + 4]
    proof = tmp_path / "proof.json"
    sx.decide(sx.read_data(path, "y")).certificate.save(proof)
    assert json.loads(proof.read_text())["claim"] == "separable"
    assert checker.main([str(proof), str(path)]) == 0
