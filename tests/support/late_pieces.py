"""Texts of tables whose late rows tell what the first ones do not: kinds of columns, decimals, gaps, indices."""

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
