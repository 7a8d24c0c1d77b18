"""Random tables: their cells as they are written, what they mean, and every form of file that holds them."""

import hashlib
import re
import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import scipy.sparse as sp
from hypothesis import assume, settings
from hypothesis import strategies as st
from table_files import compressed

import separatrix as sx
from separatrix.problem.digest import digest
from separatrix.problem.provenance import GAPS


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


def halves(n):
    """Cut n rows in two, as for a table in two files."""
    return slice(None, n // 2), slice(n // 2, None)


def resembles_a_number(word):
    """Whether a word may be one like 12 % or $5; any letter that is not of ASCII may be the sign of a unit or currency."""
    return re.search(r"[0-9]", word) is not None and re.search(r"[A-Za-z]", word) is None


def with_a_word(column):
    """Put a word into each file that has none but words like 12 %, which is refused, lest numbers be taken for words."""
    column = list(column)
    for part in halves(len(column)):
        used = [cell for cell in column[part] if cell is not None]
        if used and all(map(resembles_a_number, used)):
            column[column.index(used[0], part.start or 0)] = "red"
    return column


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
        return {"missing": self.missing, "gaps": self.gaps, "usual_gaps": set(self.gaps) >= set(GAPS)}

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
        columns.append(with_a_word(column) if kind == "word" else column)
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
    for k, part in enumerate(halves(len(table.cells[0]))):
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
