"""Text that two readers could take for two things: the library's and the stand-alone checker's agree, or one refuses."""

import csv
import io
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from random_tables import examples, numbers, stands_for_a_gap, words

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError
from separatrix.problem.provenance import GAPS
from separatrix.tables.text import csv_layout, csv_reading

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
        X = problem.X.toarray() if sp.issparse(problem.X) else problem.X
        unit = problem.rows.denominator
        fast = [
            (int(sign), [(j, Fraction(value) / unit) for j, value in enumerate(row) if value])
            for sign, row in zip(problem.y.tolist(), X.tolist(), strict=True)
        ]
        subject = {
            "rows": problem.n,
            "dimension": problem.d,
            "numbers": problem.rows.reading,
            "classes": (None, data.classes[0]),
            "columns": [column.document() for column in data.columns],
            "table": data.table.document(),
        }
        try:
            found = checker.read_rows([path], {"problem": subject})
            slow = [(sign, [(j, Fraction(*checker.ratio(value))) for j, value in entries]) for sign, entries in found]
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
        fast, slow = both_ways(table.encode(encoding), block, text=["a"], encoding=encoding, usual_gaps=False)
        assert fast == slow
        assert [tuple(entries) for _, entries in fast] == [((0, 1.0),), *[((1, 1.0),)] * 9]
