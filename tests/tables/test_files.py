"""Tables of every kind, read to the same bits; damaged ones, refused with a message that says where."""

import bz2
import contextlib
import csv
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from commands import separatrix, succeeded
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError
from separatrix.problem.digest import digest
from separatrix.problem.provenance import GAPS
from separatrix.tables import csv_layout, csv_reading


def examples(number):
    """Try so many examples, more in the profile that goes deep."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 150))


# ---- Random tables: cells as they are written, and what they mean.

NUMBERS = (
    "1e3", "+.5", "5.", "-0.0", "0", "-.25e-3", "4.9e-324", "-3e-323", "2.2250738585072011e-308", "1e300", "-1e300", "0.1",
    "0.30000000000000004", "+1E+2", "00012.50", "123456789012345678", "9007199254740993", "1e-400", " 7 ", "\t8",
    "179769313486231570814527423731704356798070e267", "2.5e0", "1.7976931348623157e308",
)  # fmt: skip
WORDS = (
    "red", "Red", "a,b", 'say "no"', '"', 'x"y', "two\nlines", "cr\rlf\r\n", " ", " lead", "trail\t", "naïve", "Ünï", "日本",
    "🙂", ";", "|", ":", "#1", "1.2.3", "1_000", "yes", "true story", "-", "e5", "infinite", "'", "\\",
)  # fmt: skip
NAMES = ("a", "b,c", 'd "e"', "naïve", "two\nlines", "x y", "Größe", "f;g", "h|i", "__k__")
SPELLINGS = {True: ("true", "True", "TRUE", "tRuE"), False: ("false", "False", "FALSE")}
OTHER_GAPS = ("missing", "?", "-9")


def stands_for_a_gap(cell, gaps):
    return cell in gaps or cell.strip(" \t") in gaps


def resembles_a_number(word):
    return re.search(r"\d", word) is not None and re.search(r"[^\W\d_]", word) is None


@dataclass(frozen=True)
class Table:
    """Columns of cells as text, None for a gap; the last column holds the labels."""

    names: list[str]
    kinds: list[str]
    cells: list[list[str | None]]
    gaps: tuple[str, ...]
    missing: str

    @property
    def numeric(self):
        return all(kind in ("number", "integer") for kind in self.kinds[:-1]) and self.kinds[-1] == "integer"

    @property
    def whole(self):
        return not any(cell is None for column in self.cells for cell in column)

    @property
    def options(self):
        return {"missing": self.missing, "gaps": self.gaps}

    def values(self, k):
        read = {"number": float, "integer": lambda text: int(float(text)), "flag": lambda text: text.lower() == "true"}
        meaning = read.get(self.kinds[k], str)
        return [None if cell is None else meaning(cell) for cell in self.cells[k]]


def encoded(table):
    """Encode a table slowly: columns, rows, labels, and the numbers of the rows that are kept."""
    *sources, labels = [table.values(k) for k in range(len(table.names))]
    n = len(labels)
    kept = [i for i in range(n) if table.missing != "drop-rows" or all(each[i] is not None for each in [*sources, labels])]
    columns = []
    for name, kind, values in zip(table.names, table.kinds, sources, strict=False):
        here = [values[i] for i in kept]
        if kind == "word":
            for category in sorted({value for value in here if value is not None}):
                columns.append(((name, category, False), [float(value == category) for value in here]))
        elif any(value is not None for value in here):
            columns.append(((name, None, False), [0.0 if value is None else float(value) for value in here]))
        if None in here:
            columns.append(((name, None, True), [float(value is None) for value in here]))
    return [what for what, _ in columns], [list(row) for row in zip(*(v for _, v in columns), strict=True)], kept, labels


def fingerprint(rows, signs):
    """Compute the digest as the format defines it."""
    sha = hashlib.sha256()
    for row, sign in zip(rows, signs, strict=True):
        sha.update(b"\x01" if sign > 0 else b"\xff")
        for j, value in enumerate(row):
            if value != 0.0:
                sha.update(struct.pack("<Id", j, value))
        sha.update(b"\xff\xff\xff\xff")
    return f"sha256:{sha.hexdigest()}"


numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds(lambda m, e: f"{m}e{e}", st.integers(-(10**25), 10**25), st.integers(-345, 280)),
)
integers = st.integers(-(2**53), 2**53).map(str) | st.integers(-3, 3).map(str)
flags = st.sampled_from([spelling for spellings in SPELLINGS.values() for spelling in spellings])
words = st.sampled_from(WORDS) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1, max_size=6
).filter(lambda text: not re.fullmatch(r"\s*([+-]?[0-9.].*|true|false)\s*", text, re.IGNORECASE | re.DOTALL))


@st.composite
def tables(draw, numeric=False, max_rows=9):
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, 4))
    gaps = draw(st.sampled_from([GAPS, OTHER_GAPS]))
    missing = draw(st.sampled_from(["refuse", "refuse", "drop-rows", "indicator"]))
    kinds = draw(st.lists(st.sampled_from(["number", "integer"] if numeric else ["number", "integer", "flag", "word"]),
                          min_size=d, max_size=d))  # fmt: skip
    empty = ["", "NA", "null"] if gaps is OTHER_GAPS else []  # then these are words like any other
    cells = {"number": numbers, "integer": integers, "flag": flags, "word": words | st.sampled_from([*empty, "red"])}
    columns = []
    for kind in kinds:
        each = cells[kind].filter(lambda cell: not stands_for_a_gap(cell, gaps))
        column = draw(st.lists(st.none() | each | each if missing != "refuse" else each, min_size=n, max_size=n))
        for part in (slice(None, n // 2), slice(n // 2, None)):  # the files of `file_forms`
            if kind == "word" and all(cell is None or resembles_a_number(cell) for cell in column[part]):
                column[part.start or 0] = "red"  # such words as 12 % alone are refused, lest numbers be taken for words
        columns.append(column)
    kind = "integer" if numeric else draw(st.sampled_from(["integer", "flag", "word"]))
    pairs = {
        "integer": [("0", "1"), ("-1", "+1"), ("7", "-3.0"), ("2.", "10")],
        "flag": [("true", "FALSE"), ("True", "False"), ("false", "true")],
        "word": [("no", "yes"), ("a,b", 'a"b'), ("ä", "Z"), ("two\nlines", " z"), ("01", "1")],
    }
    pair = draw(st.sampled_from(pairs[kind]))
    label = st.sampled_from(pair)
    labels = [*pair, *draw(st.lists(label | st.none() if missing == "drop-rows" else label, min_size=n - 2, max_size=n - 2))]
    columns.append(draw(st.permutations(labels)))
    names = draw(st.permutations(NAMES))[:d]
    table = Table([*names, draw(st.sampled_from(["the label", "y\n", "Ergebnis"]))], [*kinds, kind], columns, gaps, missing)
    _, _, kept, meant = encoded(table)
    assume(len({meant[i] for i in kept}) == 2)
    return table


@st.composite
def layouts(draw):
    """Ways of writing a table as text."""
    return {
        "separator": draw(st.sampled_from(["comma", "semicolon", "tab", "bar", "space", "colon"])),
        "quoting": draw(st.sampled_from(["needed", "all", "sparing", "mixed"])),
        "end": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "blank": draw(st.lists(st.integers(0, 8), max_size=4)),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "cp1252"])),
        "header": draw(st.sampled_from([True, True, None, False])),
        "last": draw(st.booleans()),
        "gap": draw(st.integers(0, 20)),
    }


PLAIN = {"separator": "comma", "quoting": "needed", "end": "\n", "blank": [], "encoding": "utf-8", "header": None,
         "last": True, "gap": 0}  # fmt: skip
CHARACTERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " ", "colon": ":"}


def as_text(table, layout):
    """Write a table as text; None if the encoding cannot."""
    separator = CHARACTERS[layout["separator"]]
    count = layout["gap"]

    def quoted(cell):
        nonlocal count
        count += 1
        if cell is None:
            cell = " " * (count % 3) + table.gaps[count % len(table.gaps)] + "\t" * (count % 2)
        needed = any(character in cell for character in (separator, "\n", "\r")) or cell.startswith('"')
        style = layout["quoting"]
        if needed or style == "all" or (style == "needed" and '"' in cell) or (style == "mixed" and count % 2):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    rows = zip(*table.cells, strict=True)
    lines = [separator.join(map(quoted, row)) for row in ([] if layout["header"] is False else [table.names])]
    lines += [separator.join(map(quoted, row)) for row in rows]
    for place in layout["blank"]:
        lines.insert(place, "")
    text = layout["end"].join(lines) + (layout["end"] if layout["last"] else "")
    try:
        if layout["encoding"] == "utf-16-be":
            return b"\xfe\xff" + text.encode("utf-16-be")
        return text.encode(layout["encoding"])
    except UnicodeEncodeError:
        return None


def as_arrow(table, categorical=False):
    kinds = {"number": pa.float64(), "integer": pa.int64(), "flag": pa.bool_(), "word": pa.string()}
    columns = [pa.array(table.values(k), kinds[kind]) for k, kind in enumerate(table.kinds)]
    if categorical:
        columns = [column.dictionary_encode() if pa.types.is_string(column.type) else column for column in columns]
    return pa.table(columns, names=table.names)


def as_matrix(table):
    """Rows and labels of a table that is all numbers, NaN for gaps."""
    columns = [[np.nan if value is None else value for value in table.values(k)] for k in range(len(table.names))]
    return np.array(columns[:-1], float).T, np.array(columns[-1])


def as_libsvm(table, base):
    rows = zip(*table.cells, strict=True)
    return "".join(
        f"{label} {' '.join(f'{j + base}:{cell.strip()}' for j, cell in enumerate(cells))}\n" for *cells, label in rows
    )


def compressed(content, suffix):
    packed = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    if suffix in packed:
        return packed[suffix](content)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, {".zst": "zstd", ".lz4": "lz4"}[suffix]) as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def text_options(layout):
    encoding = layout["encoding"]
    said = {"latin-1": "latin-1", "cp1252": "cp1252"}.get(encoding)
    return {"separator": layout["separator"], "header": layout["header"], **({"encoding": said} if said else {})}


def file_forms(table, layout, suffix, folder):
    """Write a table in every way that holds it: yield what it is, the path, and the options to read it with."""

    def put(name, content):
        path = Path(folder, name)
        path.write_bytes(content)
        return str(path)

    plain = as_text(table, PLAIN)
    yield "plain", put("plain.csv", plain), {}
    if (content := as_text(table, layout)) is not None:
        yield "text", put("text.csv", content), text_options(layout)
        yield "packed", put(f"packed.csv{suffix}", compressed(content, suffix)), text_options(layout)
        yield "no suffix", put("data", content), {**text_options(layout), "format": "csv"}
    yield "tsv", put("table.tsv", as_text(table, {**layout, "separator": "tab", "encoding": "utf-8", "header": None})), {}
    half = len(table.cells[0]) // 2
    for k, part in enumerate((slice(None, half), slice(half, None))):
        cut = Table(table.names, table.kinds, [column[part] for column in table.cells], table.gaps, table.missing)
        put(f"part-{k}.csv", as_text(cut, PLAIN))
        pq.write_table(as_arrow(cut, categorical=bool(k)), Path(folder, f"part-{k}.parquet"))
    yield "parts", str(Path(folder, "part-[0-9].csv")), {}
    yield "parquet parts", str(Path(folder, "part-*.parquet")), {}
    arrow = as_arrow(table)
    pq.write_table(arrow, Path(folder, "table.parquet"), row_group_size=2)
    yield "parquet", str(Path(folder, "table.parquet")), {}
    feather.write_feather(as_arrow(table, categorical=True), str(Path(folder, "table.feather")), chunksize=2)
    yield "feather", str(Path(folder, "table.feather")), {}
    with pa.ipc.new_stream(str(Path(folder, "stream.arrow")), arrow.schema) as stream:
        stream.write_table(arrow, max_chunksize=2)
    yield "stream", str(Path(folder, "stream.arrow")), {}
    yield "packed stream", put(f"s.arrow{suffix}", compressed(Path(folder, "stream.arrow").read_bytes(), suffix)), {}
    if table.numeric:
        X, y = as_matrix(table)
        if table.gaps is GAPS:  # the names of columns are their places
            np.save(Path(folder, "array.npy"), np.column_stack([X, y]))
            yield "npy", str(Path(folder, "array.npy")), {}
        if table.whole:
            np.savez(Path(folder, "dense.npz"), X=X, y=y)
            yield "npz", str(Path(folder, "dense.npz")), {}
            sparse = sp.csr_array(X)
            np.savez(Path(folder, "sparse.npz"), data=sparse.data, indices=sparse.indices, indptr=sparse.indptr,
                     shape=sparse.shape, y=y)  # fmt: skip
            yield "sparse npz", str(Path(folder, "sparse.npz")), {}
            for base in (0, 1):
                yield f"libsvm {base}", put(f"base-{base}.libsvm", as_libsvm(table, base).encode()), {}


def tables_in_memory(table):
    arrow = as_arrow(table)
    yield "pyarrow", arrow
    yield "pyarrow categorical", as_arrow(table, categorical=True)
    yield "polars", pl.from_arrow(arrow)
    strings = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "word"]
    yield "polars categorical", pl.from_arrow(arrow).with_columns(pl.col(name).cast(pl.Categorical) for name in strings)
    frame = arrow.to_pandas(types_mapper=pd.ArrowDtype)
    yield "pandas", frame.set_index(pd.Index(range(5, 5 + len(frame)), name="index"))
    yield "dict", {name: table.values(k) for k, name in enumerate(table.names)}


MATRICES = ("npz", "sparse npz", "libsvm 0", "libsvm 1")


class Expected:
    """What any form of a table must give."""

    def __init__(self, table):
        self.columns, rows, self.kept, labels = encoded(table)
        self.X, self.classes = np.array(rows), sorted({labels[i] for i in self.kept})
        self.y = np.array([labels[i] for i in self.kept])
        self.digest = fingerprint(rows, [1 if labels[i] == self.classes[1] else -1 for i in self.kept])
        self.names = table.names
        assert digest(sx.decide(self.X, self.y).problem) == self.digest
        self.status = sx.decide(self.X, self.y).status
        self.run = run(self.X, self.y)

    def meets(self, form, data, header=True):
        if form in MATRICES:
            assert data.columns is None
        else:
            place = {name: str(k + 1) for k, name in enumerate(self.names)}
            named = self.columns if header else [(place[name], *rest) for name, *rest in self.columns]
            assert [tuple(column) for column in data.columns] == named
        X = data.X.toarray() if sp.issparse(data.X) else data.X
        assert X.dtype == np.float64
        assert np.array_equal(X, self.X)
        assert list(data.classes) == self.classes
        assert [type(each) for each in data.classes] == [type(each) for each in self.classes]
        assert data.y.tolist() == self.y.tolist()
        assert (list(range(len(self.kept))) if data.kept is None else data.kept.tolist()) == self.kept
        assert digest(data.problem()) == self.digest
        assert run(data.X, data.y) == self.run


def run(X, y):
    """Run the perceptron: mistakes and weights, bit for bit; or what is said of weights that are too large."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            perceptron = sx.Perceptron(max_iter=5).fit(X, y)
        except OverflowError as reason:
            return str(reason)
    return perceptron.n_mistakes_, perceptron.coef_.tobytes(), perceptron.intercept_.tobytes()


def label_of(form, table, options):
    if form in MATRICES:
        return None
    return len(table.names) if form == "npy" or options.get("header") is False else table.names[-1]


SUFFIXES = st.sampled_from([".gz", ".bz2", ".xz", ".zst", ".lz4"])


def check_every_form(table, layout, suffix):
    expected = Expected(table)
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in file_forms(table, layout, suffix, folder):
            said = {} if form in MATRICES else table.options
            data = sx.read_data(path, label_of(form, table, options), **options, **said)
            expected.meets(form, data, options.get("header") is not False and form != "npy")
            verdict = sx.decide(data)
            assert verdict.status == expected.status
            sx.verify(verdict.certificate, path)
            if "parts" in form:
                continue
            piped = {**options, "separator": "tab"} if form == "tsv" else options
            with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes()))):
                again = sx.read_data("-", label_of(form, table, options), **piped, **said)
            assert digest(again.problem()) == expected.digest
        for form, source in tables_in_memory(table):
            data = sx.read_data(source, table.names[-1], **table.options)
            expected.meets(form, data)
            verdict = sx.decide(data)
            assert verdict.status == expected.status
            sx.verify(verdict.certificate, str(Path(folder, "plain.csv")))


@examples(40)
@given(tables(), layouts(), SUFFIXES)
def test_every_form_of_a_table_gives_the_same_rows(table, layout, suffix):
    check_every_form(table, layout, suffix)


@examples(30)
@given(tables(numeric=True), layouts(), SUFFIXES)
def test_every_form_of_a_matrix_gives_the_same_rows(table, layout, suffix):
    check_every_form(table, layout, suffix)


@examples(30)
@given(tables(numeric=True).filter(lambda table: table.whole), st.sampled_from([" ", "  ", "\t", " \t "]), st.booleans())
def test_blanks_as_separators(table, blanks, header):
    names = [f"n{k}" for k in range(len(table.names) - 1)] + ["label"]
    rows = [*([names] if header else []), *zip(*table.cells, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.txt")
        path.write_text("".join(f"{blanks[1:]}{blanks.join(row)}{blanks}\n \n" for row in rows))
        data = sx.read_data(path, -1, separator="blanks", header=header, **table.options)
        expected = Expected(table)
        assert digest(data.problem()) == expected.digest
        certificate = Path(folder, "proof.json")
        sx.decide(data).certificate.save(certificate)
        assert checker.main([str(certificate), str(path)]) == 0


# ---- The command line.


def as_words(options):
    words = []
    for name, value in options.items():
        if name == "header":
            words += [] if value is None else ["--header" if value else "--no-header"]
        elif name == "gaps":
            words += [word for gap in value if value != GAPS for word in ("--gap", gap)]
        else:
            words += [f"--{name}", value]
    return words


def check_on_the_command_line(table, layout, suffix):
    expected = Expected(table)
    with tempfile.TemporaryDirectory() as folder:
        proof, model = Path(folder, "proof.json"), Path(folder, "model.json")
        for form, path, options in file_forms(table, layout, suffix, folder):
            reading = as_words(options)
            label = label_of(form, table, options)
            choosing = [] if form in MATRICES else [*as_words(table.options), "--label", label]
            decided = json.loads(succeeded("decide", path, "--json", "--certificate", proof, *reading, *choosing))
            assert (decided["status"], decided["rows"]) == (str(expected.status), len(expected.y))
            assert decided["classes"] == expected.classes
            learnt = ["--model", model] if form == "plain" else []
            done = separatrix("fit", path, "--json", "--max-iter", 5, *reading, *choosing, *learnt)
            fitted = json.loads(done.stdout)
            if isinstance(expected.run, str):
                assert (done.returncode, fitted["error"]) == (2, expected.run)
            else:
                weights = np.array([fitted["coef"]]), np.array([fitted["intercept"]])
                assert (fitted["mistakes"], *(each.tobytes() for each in weights)) == expected.run
                if form not in (*MATRICES, "npy") and options.get("header") is not False:
                    check_predictions(model, path, form, layout, reading, Path(folder, "plain.csv"))
            assert json.loads(proof.read_text())["problem"]["digest"] == expected.digest
            succeeded("verify", proof, path)
            # The stand-alone checker takes the certificate with the table as it is described: another text, or LIBSVM.
            subject = json.loads(proof.read_text())["problem"]["table"]
            if form == "npy":
                continue  # its columns are called by their places
            alone = ["--label", table.names[-1]] if subject is None else []
            own = form in ("text", "tsv", "libsvm 0", "libsvm 1") or (form == "packed" and suffix not in (".zst", ".lz4"))
            if not own and form in ("packed", "no suffix"):
                continue
            given = path if own else Path(folder, "plain.csv")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                assert checker.main([str(proof), str(given), *alone]) == 0, said.getvalue()


def check_predictions(model, path, form, layout, reading, plain):
    """See that a model learnt from one form predicts the same from another, once told how that is written."""
    told = [*reading, *(["--separator", "tab"] if form == "tsv" else [])]
    if layout["encoding"].startswith("utf-16") and form in ("text", "packed", "no suffix"):
        told += ["--encoding", "utf-16"]
    assert succeeded("predict", model, path, *told) == succeeded("predict", model, plain)
    assert succeeded("score", model, path, "--json", *told) == succeeded("score", model, plain, "--json")


@examples(6)
@given(tables(), layouts(), SUFFIXES)
def test_every_form_of_a_table_on_the_command_line(table, layout, suffix):
    check_on_the_command_line(table, layout, suffix)


@examples(4)
@given(tables(numeric=True).filter(lambda table: table.whole), layouts(), SUFFIXES)
def test_every_form_of_a_matrix_on_the_command_line(table, layout, suffix):
    check_on_the_command_line(table, layout, suffix)


def test_the_checker_alone_accepts_what_comes_from_another_format(tmp_path):
    cells = [["1e3", " -0.0", "+.5", "5."], ["a,b", 'say "no"', "two\nlines", None], ["TRUE", "false", None, "true"],
             ["no", "yes", "no", "no"]]  # fmt: skip
    table = Table(["x", "c,c", "flag", "the label"], ["number", "word", "flag", "word"], cells, GAPS, "indicator")
    write(tmp_path, "t.csv", as_text(table, PLAIN))
    pq.write_table(as_arrow(table), tmp_path / "t.parquet")
    proof = tmp_path / "proof.json"
    succeeded("decide", tmp_path / "t.parquet", "--label", "the label", "--missing", "indicator", "--certificate", proof)
    command = [sys.executable, "-I", checker.__file__, str(proof)]
    done = subprocess.run([*command, str(tmp_path / "t.csv")], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 rows, 7 columns" in done.stdout
    cells[0][2] = ".25"
    write(tmp_path, "t.csv", as_text(table, PLAIN))
    done = subprocess.run([*command, str(tmp_path / "t.csv")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "digests differ" in done.stdout


# ---- Text that two readers could take for two things: the library's and the stand-alone checker's agree, or one refuses.


def both_ways(content, block=2**20, head=2**18, **options):
    """Read a text with either reader: rows as (sign, entries), or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        try:
            with mock.patch.object(csv_reading, "_BLOCK_BYTES", block), mock.patch.object(csv_layout, "_HEAD_BYTES", head):
                data = sx.read_data(path, "y", missing="indicator", **options)
            problem = data.problem(positive=data.classes[0])
        except FileError as reason:
            return str(reason), None
        X = data.X.toarray() if sp.issparse(data.X) else data.X
        fast = [
            (int(sign), [(j, value) for j, value in enumerate(row) if value])
            for sign, row in zip(problem.y.tolist(), X.tolist(), strict=True)
        ]
        subject = {
            "rows": problem.n,
            "dimension": problem.d,
            "classes": (None, data.classes[0]),
            "columns": [column.document() for column in data.columns],
            "table": data.table.document(),
        }
        try:
            slow = [(sign, list(entries)) for sign, entries in checker.read_rows([path], {"problem": subject})]
        except (checker.DataError, checker.InvalidCertificate) as reason:
            slow = str(reason)
        return fast, slow


pieces = st.sampled_from(
    [
        ",",
        ",",
        "\n",
        "\n",
        "\r",
        "\r\n",
        '"',
        '"',
        '""',
        " ",
        "\t",
        "a",
        "1",
        "2.5",
        "NA",
        "?",
        "true",
        "é",
        "nan",
        "inf",
        "-",
        "1e400",
    ]
)


@examples(600)
@given(
    st.lists(pieces, max_size=30).map("".join),
    st.sampled_from(["a,y", '"a",y', '"a\nb",y', "a,y,", "\na,y", "y"]),
    st.sampled_from([5, 16, 2**20]),
    st.sampled_from([8, 2**18]),
    st.booleans(),
)
@example('"u\n', "a,y", 2**20, 2**18, False)
@example('"u,1\nv,0\n"w,1\n', "a,y", 2**20, 2**18, False)
@example("1,0\n2,1\nnan(7),1\n", "a,y", 2**20, 8, False)
def test_both_readers_agree_or_one_refuses(body, header, block, head, words):
    fast, slow = both_ways(f"{header}\n{body}".encode(), block, head, text=["a"] if words and "a," in header else [])
    assert isinstance(fast, str) or isinstance(slow, str) or fast == slow


@examples(200)
@given(
    st.lists(st.tuples(words | numbers | st.just(""), words | st.sampled_from("01")), min_size=1, max_size=12),
    st.sampled_from([5, 16, 40, 2**20]),
    st.sampled_from([8, 30, 2**18]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_both_readers_agree_on_proper_text(rows, block, head, end):
    output = io.StringIO()
    csv.writer(output, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("a", "y"), *rows])
    fast, slow = both_ways(output.getvalue().encode(), block, head, text=["a"])
    if any(stands_for_a_gap(label, GAPS) for _, label in rows):
        assert "no label" in fast
    else:
        assert not isinstance(fast, str), fast
        assert fast == slow
        cells = {"" if stands_for_a_gap(cell, GAPS) else cell for cell, _ in rows}
        assert len({tuple(entries) for _, entries in fast}) == len(cells)
        assert Counter(sign for sign, _ in fast)[1] >= 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('1,0\n2,"1\n3,0\n', "line 4: unexpected end of data"),
        ('"2"z,1\n3,0\n', "line 2: ',' expected after"),
        ('"u,1\nv,0\n"w,1\n', "line 4: ',' expected after"),
        ('u"v,0\n"w,1\nx",0\n"z,1', "line 5: unexpected end of data"),
    ],
)
def test_quotes_without_an_end_are_refused(body, said):
    for block in (5, 2**20):
        reason, _ = both_ways(f"a,y\n{body}".encode(), block)
        assert said in reason


def test_quotes_amid_a_cell_are_characters():
    fast, slow = both_ways(b'a,y\n5"x,0\n2",1\nx""y,0\n')
    assert fast == slow == [(1, [(1, 1.0)]), (-1, [(0, 1.0)]), (1, [(2, 1.0)])]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("shift", range(6))
def test_cells_with_the_end_of_a_line_at_the_border_of_a_block(encoding, shift):
    """Blocks end with the carriage return of a cell, or next to it, for some shift."""
    table = f"a,y\n{'u' * shift},0\n" + '"x\r\ny",1\n' * 9
    for block in (*range(12, 40), 2**20):
        fast, slow = both_ways(table.encode(encoding), block, text=["a"], encoding=encoding, gaps=())
        assert fast == slow
        assert [tuple(entries) for _, entries in fast] == [((0, 1.0),), *[((1, 1.0),)] * 9]


# ---- What is easily mistaken.


@pytest.mark.parametrize("large", [0, 2**62])
@pytest.mark.parametrize("missing", ["drop-rows", "indicator"])
def test_gaps_may_have_blanks_around_them(large, missing, tmp_path, monkeypatch):
    """As in files whose fields are separated by a comma and a blank; read fast or patiently, and by the checker."""
    monkeypatch.setattr(csv_reading, "_LARGE_BYTES", large)
    path = write(tmp_path, "t.csv", "age, job, pay, y\n39, cook, 1, a\n ?, ?, 2, b\n50,\t?\t, , b\n28, clerk, NA , a\n")
    data = sx.read_data(path, " y", missing=missing, text=[])
    if missing == "drop-rows":
        assert data.kept.tolist() == [0]
        assert data.names == ["age", " job= cook", " pay"]
    else:
        assert [name for name in data.names if "=" in name] == [" job= clerk", " job= cook"]
        gaps = {name: data.X[:, j].tolist() for j, name in enumerate(data.names) if name.endswith(" is missing")}
        assert gaps == {"age is missing": [0, 1, 0, 0], " job is missing": [0, 1, 1, 0], " pay is missing": [0, 0, 1, 1]}
        proof = tmp_path / "proof.json"
        sx.decide(data).certificate.save(proof)
        assert checker.main([str(proof), str(path)]) == 0
        sx.verify(proof, path)
    exactly = sx.read_data(path, " y", gaps=[" ?"], missing="drop-rows", only=["age", " job"])
    assert exactly.kept.tolist() == [0, 2, 3]  # what is listed with a blank has that blank


def test_gaps_in_tables_may_have_blanks_around_them():
    table = {"job": ["cook", " ?", "NA\t", "  ", None], "y": [0, 1, 0, 1, 0]}
    for source in (pa.table(table), pd.DataFrame(table), pl.DataFrame(table)):
        assert sx.read_data(source, "y", missing="drop-rows").kept.tolist() == [0]
        encoder = sx.TableEncoder(drop=["y"], missing="indicator")
        encoder.fit(source)
        assert encoder.get_feature_names_out().tolist() == ["job=cook", "job is missing"]


@pytest.mark.parametrize("large", [0, 2**62])
def test_numbers_may_stand_for_gaps_in_tables_of_every_size(large, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_reading, "_LARGE_BYTES", large)
    path = write(tmp_path, "t.csv", "a,y\n1,no\n-9,yes\n -9 ,no\n-9.0,yes\n0.5,no\n-99,yes\n")
    data = sx.read_data(path, "y", gaps=["-9", "0.5"], missing="drop-rows")
    assert data.X[:, 0].tolist() == [1, -9, -99]
    proof = tmp_path / "proof.json"
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_commas_that_do_not_separate_are_noticed(encoding, tmp_path):
    def said(text, **options):
        path = tmp_path / "t.txt"
        path.write_bytes(text.encode(encoding))
        with pytest.raises(FileError) as refusal:
            sx.read_data(path, -1, encoding=encoding, **options)
        return str(refusal.value)

    rows = "1,5\t0\tno\n2,5\t0\tyes\n"
    hint = "write them with decimal points"
    for header, options in {"a\tb\ty\n": {}, "size, cm\tb\ty\n": {}, "": {"header": False}}.items():
        message = said(header + rows, **options)
        assert "seems to be separated by tabs, not commas: say separator='tab'." in message
        assert hint in message
        message = said(header + rows, separator="tab", **options)
        assert "'1,5' looks like a number" in message
    message = said("a;b;y\n1,5;2;no\n")
    assert "separated by semicolons" in message
    assert hint in message
    message = said("a;b, and c;y\n1;2;no\n3;4;yes\n")
    assert "separated by semicolons" in message
    assert hint not in message


def test_other_separators_within_cells_are_characters(tmp_path):
    path = write(tmp_path, "t.csv", "a,b;c,y\n1,x;y,no\n2,x,yes\n")
    assert sx.read_data(path, "y").names == ["a", "b;c=x", "b;c=x;y"]
    path = write(tmp_path, "t.csv", "1,x;y,no\n2,x;z,yes\n")
    assert sx.read_data(path, 3, header=False).names == ["1", "2=x;y", "2=x;z"]
    path = write(tmp_path, "t.csv", "1,2;3,4\n5,6;7,8\n")
    with pytest.raises(FileError, match="seems to be separated by semicolons"):
        sx.read_data(path, 1, header=False)
    assert sx.read_data(path, 1, header=False, separator="comma").shape == (2, 3)


def test_two_columns_of_one_name_are_not_taken_for_a_row(tmp_path):
    path = write(tmp_path, "t.csv", "size,size,y\n1,2,no\n3,4,yes\n")
    with pytest.raises(FileError) as refusal:
        sx.read_data(path, "y")
    assert "has two columns named 'size'. Rename one of them, or say header=False if it has no header" in str(refusal.value)
    assert "looks like a row" not in str(refusal.value)


def write(folder, name, content):
    path = Path(folder, name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_names_of_columns(tmp_path):
    for first, rows in {
        '"two\nlines"': 3, '"two\r\nlines"': 3, "²": 3, "BZh9": 3, "1A": 3, '"1"""': 3, "\ufeffmark": 3, "__index__": 3,
    }.items():  # fmt: skip
        data = sx.read_data(write(tmp_path, "t.csv", f"{first},y\n1,0\n2,1\n3,0\n"), "y")
        assert data.names == [next(csv.reader(io.StringIO(first, newline="")))[0].removeprefix("\ufeff")]
        assert data.X.tolist() == [[1.0], [2.0], [3.0]][:rows]
    data = sx.read_data(write(tmp_path, "t.csv", "²,³\n1,0\n2,1\n"), "³")
    assert data.names == ["²"]


def test_booleans_may_have_blanks_around_them(tmp_path):
    data = sx.read_data(write(tmp_path, "t.csv", "a, b,y\n true,1,0\nFalse\t,2,1\n"), "y")
    assert data.names == ["a", " b"]
    assert data.X.tolist() == [[1.0, 1.0], [0.0, 2.0]]


def test_an_index_of_pandas_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "y": [0, 1, 1]})
    for index in (
        pd.Index(["u", "v", "w"]),
        pd.Index([3, 1, 2], name="id"),
        pd.MultiIndex.from_tuples([(1, 2), (3, 4), (5, 6)]),
    ):
        data = sx.read_data(frame.set_index(index), "y")
        assert data.names == ["a"]
        assert data.X.tolist() == [[1.0], [2.0], [4.0]]
    path = tmp_path / "t.parquet"
    frame.set_index(pd.Index([3, 1, 2])).to_parquet(path)
    with pytest.raises(FileError, match=r"Column 3 of .* has no name"):
        sx.read_data(path, "y")
    assert sx.read_data(path, "y", drop=[3]).names == ["a"]


def test_labels_that_are_nan_are_gaps():
    for table in (pl.DataFrame({"a": [1, 2, 3], "y": [0.0, np.nan, 1.0]}), {"a": [1, 2, 3], "y": [0.0, np.nan, 1.0]}):
        data = sx.read_data(table, "y", missing="drop-rows", gaps=["none"])
        assert data.classes == (0, 1)
        assert data.kept.tolist() == [0, 2]
        with pytest.raises(FileError, match="row 1: no label"):
            sx.read_data(table, "y", gaps=["none"])


def test_numpy_files_of_other_types(tmp_path):
    rows = [[1.5, -2.0, 0.0], [0.25, 4.0, 1.0]]
    for kind in (">f8", "<f4", "f2", ">f4", "f8"):
        path = write(tmp_path, "t.npy", npy(np.array(rows, kind, order="F")))
        data = sx.read_data(path, "3")
        assert data.X.tolist() == [row[:2] for row in rows]
        assert data.classes == (0, 1)
    named = np.array([(1.5, "u", True, 0), (2.5, "v", False, 1)], [("a", ">f8"), ("c", "U3"), ("f", "?"), ("y", "<i2")])
    data = sx.read_data(write(tmp_path, "t.npy", npy(named)), "y")
    assert data.names == ["a", "c=u", "c=v", "f"]
    assert data.X.tolist() == [[1.5, 1.0, 0.0, 1.0], [2.5, 0.0, 1.0, 0.0]]


def test_labels_in_npz_may_be_one_column(tmp_path):
    data = sx.read_data(write(tmp_path, "t.npz", npz(X=[[1.0], [2.0]], y=[[0], [1]])))
    assert data.y.tolist() == [0, 1]


def test_columns_of_gaps_in_one_of_several_files(tmp_path):
    """A file whose column is empty goes with one where it has numbers, words or booleans; others must be alike."""
    names, expected = ["a", "a is missing"], [[0.0, 1.0], [1.0, 0.0]]
    for cell, name in (("1", "a"), ("u", "a=u"), ("true", "a")):
        for order in (1, -1):
            parts = [write(tmp_path, f"{k}.csv", f"a,y\n{each},{k}\n") for k, each in enumerate(["", cell])][::order]
            data = sx.read_data(parts, "y", missing="indicator")
            assert data.names == [name, *names[1:]]
            assert data.X.tolist() == expected[::order]
    for cells, said in (
        (("1", "u"), "numbers in .*, but words in"),
        (("true", "2"), "true and false in .*, but numbers in"),
        (("", "u", "3"), "words in .*1.csv, but numbers in .*2.csv"),
    ):
        parts = [write(tmp_path, f"{k}.csv", f"a,y\n{each},{k}\n") for k, each in enumerate(cells)]
        with pytest.raises(FileError, match=said):
            sx.read_data(parts, "y", missing="indicator")
        assert len(sx.read_data(parts, "y", missing="indicator", text=["a"]).y) == len(cells)


def test_several_arrow_files(tmp_path):
    one = write(tmp_path, "1.parquet", parquet(pa.table({"a": pa.array(["u", "v"]).dictionary_encode(), "y": [0, 1]})))
    other = write(tmp_path, "2.parquet", parquet(pa.table({"a": pa.array(["w"], pa.large_string()), "y": [1.0]})))
    data = sx.read_data([one, other], "y")
    assert data.names == ["a=u", "a=v", "a=w"]
    assert data.X.tolist() == np.eye(3).tolist()
    assert data.classes == (0, 1)
    assert data.locate([1, 2]) == [f"{one}, row 1", f"{other}, row 0"]
    exact = [
        write(tmp_path, f"{k}.parquet", parquet(pa.table({"a": [a], "y": [k]}))) for k, a in enumerate([2**53 + 1, 0.5])
    ]
    with pytest.raises(FileError, match="9007199254740993"):  # never rounded in silence
        sx.read_data(exact, "y")


# ---- Damaged files, and such as are not tables: one message that says where, exit code 2, and nothing written.

GOOD = "a,b,y\n" + "".join(f"{k / 8},{k % 3},{k % 2}\n" for k in range(12))
MANY = 200_000
SMALL = pa.table({"a": [0.5, 1.5, 2.5] * 40, "c": ["u", "v", "u"] * 40, "y": [0, 1, 1] * 40})


def parquet(table=SMALL):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def arrow_file(table=SMALL):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue().to_pybytes()


def arrow_stream(table=SMALL):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def npz(**arrays):
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def npy(array):
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


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
    "not UTF-8": ("t.csv", GOOD.encode() + b"\xff,1,1\n", [], ["t.csv is not text in UTF-8", "latin-1"]),
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
    "infinity far away": ("t.csv", many("1,Infinity,0", 150_000), [], ["t.csv, line 150002, column 'b'", "infinite"]),
    "nan far away": ("t.csv", many("NAN,1,0", 150_000), [], ["t.csv, line 150002, column 'a': 'NAN' is not a number"]),
    "gap far away": ("t.csv", many("1,,0", 150_000), [], ["in 1 of its 200,001 rows", "t.csv, line 150002, column 'b'"]),
    "word far away": ("t.csv", many("1,oops,0", 150_000), [], ["t.csv, line 150002, column 'b': 'oops' is not a number"]),
    "no label": ("t.csv", GOOD + "1,2,\n", [], ["t.csv, line 14", "column 'y'"]),
    "no such column": ("t.csv", GOOD, ["--label", "Z"], ["t.csv has no column 'Z' for the label"]),
    "no such place": ("t.csv", GOOD, ["--label", "0_3"], ["t.csv has no column '0_3' for the label"]),
    "no such column to drop": ("t.csv", GOOD, ["--drop", "9"], ["t.csv has no column '9' to drop"]),
    "no other column": ("t.csv", "y\n0\n1\n", [], ["t.csv has no column to learn from"]),
    "other separator": ("t.csv", GOOD.replace(",", ";"), [], ["--separator semicolon"]),
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
    X = sp.random_array((9, 4), density=0.5, format="csr", rng=np.random.default_rng(0))
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
    assert "format 'xlsx' is not known" in refused(tmp_path, "decide", "good.csv", "--format", "xlsx", *out)
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
        print(left.code)
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
        [sys.executable, "-c", LIMITED, *command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr.splitlines() == [f"Error: {each}.txt cannot be written: File too large." for each in ("new", "old")]
    assert done.stdout.split() == ["2", "2"]
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


# ---- Odds and ends.


def test_nan_and_null_together_leave_their_rows_out():
    data = sx.read_data(pa.table({"a": [1.0, float("nan"), 2.0, 3.0], "b": ["x", "gone", "z", None]}), missing="drop-rows")
    assert data.names == ["a", "b=x", "b=z"]
    assert data.X.tolist() == [[1.0, 1.0, 0.0], [2.0, 0.0, 1.0]]
    assert data.kept.tolist() == [0, 2]


def test_a_number_may_stand_for_a_gap_in_every_format(tmp_path):
    table = pa.table({"age": [20, -9, 40, 35], "size": [1.5, 2.5, -9.0, 0.5], "y": [0, 1, 0, 1]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("age,size,y\n20,1.5,0\n-9,2.5,1\n40,-9,0\n35,0.5,1\n")
    sources = [table, tmp_path / "t.parquet", tmp_path / "t.csv"]
    read = [sx.read_data(source, "y", gaps=["-9"], missing="indicator") for source in sources]
    expected = [[20, 0, 1.5, 0], [0, 1, 2.5, 0], [40, 0, 0, 1], [35, 0, 0.5, 0]]
    for data in read:
        assert data.names == ["age", "age is missing", "size", "size is missing"]
        assert data.X.tolist() == expected
    proof = tmp_path / "proof.json"
    sx.decide(read[1]).certificate.save(proof)
    assert checker.main([str(proof), str(tmp_path / "t.csv")]) == 0


def test_what_a_pattern_names_is_not_overwritten(tmp_path):
    for name in ("p1.csv", "p2.csv"):
        (tmp_path / name).write_text("a,y\n1,0\n2,1\n")
    done = separatrix("decide", tmp_path / "p*.csv", "--label", "y", "--certificate", tmp_path / "p2.csv")
    assert done.returncode == 2
    assert "would overwrite the data" in done.stderr
    assert (tmp_path / "p2.csv").read_text() == "a,y\n1,0\n2,1\n"


def test_columns_without_a_name_may_be_left_out(tmp_path):
    data, proof = tmp_path / "t.csv", tmp_path / "proof.json"
    data.write_text(",a,,y\n0,1,5,0\n1,2,5,1\n")
    succeeded("decide", data, "--label", "y", "--drop", "1", "--drop", "3", "--certificate", proof)
    succeeded("verify", proof, data)
    assert checker.main([str(proof), str(data)]) == 0


def test_the_limit_of_the_csv_module_is_left_alone(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,0\n2,1\n")
    before = csv.field_size_limit()
    sx.read_data(tmp_path / "t.csv", "y")
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("cells", [("1,5", "2,0"), ("1.234,56", "7,10"), ("12 %", "5%"), ("$5", "$7.50"), ("3", "2,5")])
def test_what_looks_like_a_number_is_not_taken_for_a_category(tmp_path, cells):
    data = tmp_path / "t.csv"
    data.write_text(f"a;y\n{cells[0]};0\n{cells[1]};1\n")
    done = separatrix("decide", data, "--separator", "semicolon", "--label", "y")
    assert done.returncode == 2
    assert "column 'a'" in done.stderr
    assert "looks like a number" in done.stderr
    assert sx.read_data(data, "y", separator="semicolon", text=["a"]).names == [f"a={cell}" for cell in sorted(cells)]


def test_rows_to_predict_are_read_in_the_columns_that_were_learnt(tmp_path):
    data = sx.read_data({"age": [1, 2, 3], "job": ["cook", "clerk", "cook"], "y": [0, 1, 1]}, "y")
    new = {"job": ["clerk", "cook"], "age": [5, 6]}
    assert sx.read_data(new, like=data).X.tolist() == [[5, 1, 0], [6, 0, 1]]
    for odd in ({"age": [5], "job": ["smith"]}, {"age": [None], "job": ["cook"]}, {"age": [5], "job": [None]}):
        with pytest.raises(FileError, match="unseen='ignore'"):
            sx.read_data(odd, like=data)
        assert sx.read_data(odd, like=data, unseen="ignore").X.tolist()[0] == [
            odd["age"][0] or 0, 0, int(odd["job"][0] == "cook")
        ]  # fmt: skip


def test_choices_that_would_be_ignored_are_refused(tmp_path):
    data = sx.read_data({"a": [1, 2], "y": [0, 1]}, "y")
    for choice in ({"drop": ["a"]}, {"only": ["a"]}, {"text": ["a"]}, {"missing": "drop-rows"}):
        with pytest.raises(FileError, match="are those of like"):
            sx.read_data({"a": [1]}, like=data, **choice)
    rows = tmp_path / "t.libsvm"
    rows.write_text("1 1:2\n-1 1:3\n")
    for option in (["--drop", "1"], ["--missing", "indicator"]):
        assert "are for tables" in separatrix("decide", rows, *option).stderr


def test_a_model_is_no_proof(tmp_path):
    data, model = tmp_path / "t.csv", tmp_path / "model.json"
    data.write_text("a,y\n1,0\n2,1\n")
    succeeded("fit", data, "--label", "y", "--model", model)
    done = separatrix("verify", model, data)
    assert done.returncode == 2
    assert "is a model, not a certificate" in done.stderr
    done = separatrix("score", model, model)
    assert done.returncode == 2
    assert "model.json is a model of separatrix, not a table." in done.stderr


def test_hints_for_the_newcomer(tmp_path):
    blanks = tmp_path / "blanks.txt"
    blanks.write_text("1  2 3\n4  5 6\n")
    assert "say --separator blanks" in separatrix("describe", blanks, "--no-header").stderr
    archive = tmp_path / "t.csv.zip"
    archive.write_bytes(b"PK\x03\x04 and so on")
    assert "is a zip archive" in separatrix("describe", archive).stderr
    rows = tmp_path / "t.libsvm"
    rows.write_text("1 1:2\n-1 1:3\n")
    assert "leave --label out" in separatrix("decide", rows, "--label", "y").stderr
    with pytest.raises(TypeError, match="Read it with read_data"):
        sx.decide("data.csv", [0, 1])
    with pytest.raises(ValueError, match="mixes texts and numbers"):
        sx.decide([[1.0], [2.0]], [0, "1"])
    assert (
        repr(sx.read_data({"a": [1, None], "y": [0, 1]}, "y", missing="drop-rows"))
        == "<Data: 1 of 2 rows, 1 columns, classes 0>"
    )
    table = pd.DataFrame({0: [1.0, 2.0], 1: [0, 1]})
    assert sx.read_data(table, label=1).names == ["0"]
    text = tmp_path / "t.csv"
    text.write_bytes("größe,y\n1,True\n2,False\n".encode("latin-1"))
    assert sx.read_data(text, "y", encoding="Latin1").table.encoding == "latin-1"
    assert separatrix("decide", text, "--label", "y", "--encoding", "latin1", "--positive", "true").returncode == 0


def test_a_gap_is_not_taken_for_zero_by_a_verifier(tmp_path):
    """The rows would be the same, and yet the proof is about a table without gaps: both checkers refuse."""
    data, proof = tmp_path / "t.csv", tmp_path / "proof.json"
    data.write_text("a,b,y\n0,1,0\n2,3,1\n")
    succeeded("decide", data, "--label", "y", "--certificate", proof)
    data.write_text("a,b,y\n,1,0\n2,3,1\n")
    assert separatrix("verify", proof, data).returncode == 1
    assert checker.main([str(proof), str(data)]) == 1
