"""Tables of which a late piece tells something: as text, as LIBSVM, as JSON lines, as columns of Arrow."""

import csv
import io
import json
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

cells = {
    "number": st.sampled_from(["1", "0.5", " -2.25", "1e3", "0", "12345", ".125", "3."]),
    "long": st.sampled_from(["1234567890123.456", "0.1", "1e-7", "9007199254740993", "1e22", "123456789.125"]),
    "endless": st.sampled_from(["1", "1e999", "2.5"]),
    "flag": st.sampled_from(["true", "FALSE", " True", "false"]),
    "word": st.sampled_from(["red", "Red", "blue ", "two\nlines", 'with "quotes"', "a,b", "", "x\r\ny"]),
    "nearly": st.sampled_from(["$5", "7 €", "1,5"]),
    "date": st.sampled_from(["2024-01-31", "2024-02-01", "2023-12-24"]),
    "code": st.sampled_from(["01067", "02", "7"]),
    "percent": st.sampled_from(["12 %", "3.5%", "100 %"]),
    "gap": st.sampled_from(["", "NA", " ? "]),
}


@st.composite
def columns(draw, n):
    """Cells of one kind, or of two: the second one begins in some row, or takes single cells."""
    first, second = draw(st.sampled_from([*cells])), draw(st.sampled_from([*cells]))
    how = draw(st.sampled_from(["one", "one", "after", "now and then"]))
    start = draw(st.integers(0, n))
    chosen = []
    for row in range(n):
        other = (how == "after" and row >= start) or (how == "now and then" and draw(st.integers(0, 5)) == 0)
        chosen.append(draw(cells[second if other else first]))
    return chosen


def written(rows, end, quote_all):
    def quoted(cell):
        needed = quote_all or any(each in cell for each in ',"\r\n')
        return '"' + cell.replace('"', '""') + '"' if needed else cell

    return end.join(",".join(map(quoted, row)) for row in rows)


@st.composite
def texts(draw):
    n = draw(st.integers(1, 14))
    some = [draw(columns(n)) for _ in range(draw(st.integers(1, 3)))]
    label = st.sampled_from(["u", "U ", "v"]) | (st.just("") if draw(st.booleans()) else st.just("u"))
    labels = sorted(draw(st.lists(label, min_size=n, max_size=n)), reverse=draw(st.booleans()))
    rows = [[*"abc"[: len(some)], "y"], *zip(*some, labels, strict=True)]
    text = written(rows, draw(st.sampled_from(["\n", "\r\n", "\r"])), draw(st.booleans()))
    return text + draw(st.sampled_from(["", "\n", "\r\n\r\n"]))


entries = st.lists(st.integers(0, 6), unique=True, max_size=4).map(sorted)
values = st.sampled_from(["0.5", "1", "-2.25", "1e-7", "0", "1234567890123.456", "1e300", "12"])
labels = st.sampled_from(["1", "-1", "+1", "2.0", "9007199254740993"])


@st.composite
def libsvm_texts(draw):
    lines = []
    for _ in range(draw(st.integers(1, 10))):
        row = " ".join([draw(labels), *(f"{j}:{draw(values)}" for j in draw(entries))])
        odd = draw(st.integers(0, 3)) == 0
        lines.append(draw(st.sampled_from([f"{row} # so", "# it", "", "0.5 1:2", "1 2:x"])) if odd else row)
    return draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)


def json_lines(text):
    """A text of CSV as JSON lines."""
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    meant = {"true": True, "": None, "1": 1, "0.5": 0.5, "12345": 12345}
    return [json.dumps({k: meant.get(v, v) for k, v in zip(names, row, strict=True) if v != "NA"}) for row in rows if row]


@st.composite
def arrow_tables(draw):
    """A table of Arrow, how it is read, and what is chosen of it."""
    n, some = draw(st.integers(2, 9)), draw(st.booleans())
    decimals = [Decimal(each) for each in ("0.1", "12", "9007199254740.992", "9007199254740.993", "0.001", "3")]
    kinds = {
        "decimal": (st.sampled_from(decimals), pa.decimal128(20, 3)),
        "wide": (st.sampled_from([Decimal(each) for each in ("1", "0.5", "1e20", "1e-22")]), pa.decimal256(60, 22)),
        "float": (st.sampled_from([0.5, 1.0, 0.1, 1e10, 2.0**-23, float("nan"), float("inf")]), pa.float64()),
        "float32": (st.sampled_from([0.5, 1.0, -2.25]), pa.float32()),
        "integer": (st.integers(-5, 5) | st.sampled_from([2**53 + 1, 2**60]), pa.int64()),
        "small": (st.integers(0, 255), pa.uint8()),
        "flag": (st.booleans(), pa.bool_()),
        "word": (st.sampled_from("abc"), pa.string()),
    }

    def column(kind):
        values, type_ = kinds[kind]
        values = st.none() | values | values if some else values
        return pa.array(draw(st.lists(values, min_size=n, max_size=n)), type_)

    chosen = draw(st.lists(st.sampled_from([*kinds]), min_size=1, max_size=4))
    label = draw(st.sampled_from(["word", "small", "flag"]))
    table = pa.table({**{f"c{k}": column(kind) for k, kind in enumerate(chosen)}, "y": column(label)})
    layout = {
        "numbers": draw(st.sampled_from(["auto", "decimal", "float64"])),
        "drop_unlabelled": draw(st.booleans()),
    }
    choice = {"label": "y", "missing": draw(st.sampled_from(["refuse", "drop-rows", "indicator"]))}
    return table, layout, choice
