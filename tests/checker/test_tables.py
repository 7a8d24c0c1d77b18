"""The checker on tables: how their cells become rows, as the certificate says."""

import copy
import csv
import gzip
import json
import re
import time

import pytest
from certificates import MIXED, OPENERS, altered, is_accepted, outcome, put, rows_of, tabled, twofold, without

from separatrix import checker
from separatrix.checker import DataError, InvalidCertificate, parse, read_rows, validate

# ---- Tables that the certificate does not know


def table(tmp_path, text, classes=None, columns=None, dimension=1, label="y"):
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    columns = columns and [{"source": name} for name in columns]
    problem = {"dimension": dimension, "numbers": "float64", "classes": classes, "columns": columns, "table": None}
    return read_rows([path], {"problem": problem}, label)


def test_columns_by_name_or_by_place(tmp_path):
    text = "b,y,a\n1,-1,2\n0,+1,-0.0\n\n3,1,4\n"
    assert table(tmp_path, text, dimension=2) == rows_of([[1, 2], [0, 0], [3, 4]], [-1, 1, 1])
    assert table(tmp_path, text, columns=["a", "b"], dimension=2) == rows_of([[2, 1], [0, 0], [4, 3]], [-1, 1, 1])
    assert table(tmp_path, text, columns=["a"]) == rows_of([[2], [0], [4]], [-1, 1, 1])
    assert table(tmp_path, text.replace("3,1,4", '"3","1",4'), columns=["a"]) == rows_of([[2], [0], [4]], [-1, 1, 1])


@pytest.mark.parametrize(
    "text", ["x,y\r\n1,1\r\n", "x,y\r1,1\r", '"x","y"\n1,1', "x,y\n1,1\n\n\n", "\ufeffx,y\n1,1\n", '\ufeff"x",y\n1,1\n']
)
def test_tables_as_programs_write_them(tmp_path, text):
    assert table(tmp_path, text, columns=["x"]) == [(1, [(0, 1.0)])]


@pytest.mark.parametrize(
    "cell", ["2", "+2", "2.", "2.0", "20e-1", ".2e1", "0002", "2E0", "2e+0", "2.00000000000000000000001"]
)
def test_numbers(tmp_path, cell):
    assert table(tmp_path, f"x,y\n{cell},1\n") == [(1, [(0, 2.0)])]


NO_CELLS = [
    "", " ", "2 1", "nan", "inf", "-Infinity", "1_0", "0x1p3", "1e", "e1", ".", "-", "+-1", "1e400", "-1e400", "1.2.3",
    "２", "1;2", "9" * 400, "\u00a01", "1\x0b", "\x0c1",
]  # fmt: skip


@pytest.mark.parametrize("cell", NO_CELLS)
def test_what_is_no_number_in_a_table(tmp_path, cell):
    with pytest.raises(DataError, match=r"data.csv, line 3, column 'x': .* is not a number that float64 can hold"):
        table(tmp_path, f"x,y\n1,1\n{cell},1\n")


def test_a_cell_that_is_nearly_a_number_takes_no_time(tmp_path):
    start = time.process_time()
    with pytest.raises(DataError, match="is not a number"):
        table(tmp_path, f"x,y\n{'1' * 130_000}x,1\n")
    with pytest.raises(InvalidCertificate, match="is no class"):
        table(tmp_path, f"x,y\n1,{'1' * 130_000}\n")
    assert time.process_time() - start < 5


LABELLED = [
    (None, {"1": 1, "+1": 1, "-1": -1, "0": 0, "": 0, "1.0": 1, "1.5": 0, "01": 0, " 1": 0, "true": 0}),
    (["no", "yes"], {"no": -1, "yes": 1, "No": 0, "yes ": 0, "": 0}),
    (["0", "1"], {"0": -1, "1": 1, "+1": 0, "1.0": 0}),
    (["", "x"], {"": -1, "x": 1}),
    ([None, "yes"], {"yes": 1, "no": -1, "YES": -1, "": -1}),
    ([None, 3], {"3": 1, "+3": 1, "3.0": 1, "3.1": -1, "4": -1, "x": -1}),
    ([-2, 10**19], {"-2": -1, "1" + "0" * 19: 1, "2": 0, "--2": 0, "\u0662": 0}),
    ([0, 1], {"0": -1, "-0": -1, "1": 1, "2": 0, "00": 0, "1.": 1, "1e0": 0, "false": 0}),
    ([False, True], {"false": -1, "FALSE": -1, "0": -1, "True": 1, "1": 1, "2": 0, "t": 0}),
    ([True, False], {"false": 1, "true": -1, "1": -1}),
    ([None, True], {"TRUE": 1, "1": 1, "0": -1, "x": -1}),
]


@pytest.mark.parametrize(("classes", "cells"), LABELLED)
def test_labels(tmp_path, classes, cells):
    for cell, sign in cells.items():
        text = f"x,y\n1,1\n2,{cell}\n" if classes is None else f"x,y\n2,{cell}\n"
        if sign:
            assert table(tmp_path, text, classes=classes)[-1][0] == sign
        else:
            with pytest.raises(InvalidCertificate, match=r"data.csv, line .*, column 'y': the label .* is no class"):
                table(tmp_path, text, classes=classes)


BROKEN = {
    b"": "data.csv is empty",
    b"\n\n": "data.csv is empty",
    b"\n1,1\n": "two columns named '1'",
    b"x,x,y\n1,1,1\n": "two columns named 'x'",
    b"x,z\n1,1\n": "no column 'y' for the label",
    b"x;y\n1;1\n": "no column 'y' for the label",
    b"x,y\n1\n": "line 2: 1 value for 2 columns",
    b"x,y\n1,1\n1,1,1\n": "line 3: 3 values for 2 columns",
    b"x,y\n \n": "line 2: 1 value for 2 columns",
    b"x,y\n\xff,1\n": "line 2: this is not text in utf-8",
    b"x,y\n1,1\n\n1,\xed\xa0\x80\n": "line 4: this is not text in utf-8",
    b'x,y\n"1,1\n': "line 2: this is not CSV: unexpected end of data",
    b'x,y\n\n"1"2,1\n': "line 3: this is not CSV: ',' expected",
    b"x,y\n" + b"1" * 200_000 + b",1\n": "line 2, column 'x': '1111.* is not a number that float64 can hold",
    b"x,y\n1\x00,1\n": "line 2: this is not text",
    b"x,y\n1,1\n1,\x00\n": "line 3: this is not text",
}


@pytest.mark.parametrize("text", BROKEN, ids=[text[:20].decode("latin-1") for text in BROKEN])
def test_what_is_no_table(tmp_path, text):
    with pytest.raises(DataError, match=BROKEN[text]):
        table(tmp_path, text)


def test_tables_of_other_data(tmp_path):
    with pytest.raises(InvalidCertificate, match=r"about 2 columns, but .* has 1 besides the label"):
        table(tmp_path, "x,y\n1,1\n", dimension=2)
    with pytest.raises(InvalidCertificate, match=r"about a column 'z', but .* has none"):
        table(tmp_path, "x,y\n1,1\n", columns=["z"])
    with pytest.raises(InvalidCertificate, match=r"about a column 'y', but .* has none of that name besides the label"):
        table(tmp_path, "x,y\n1,1\n", columns=["y"])
    assert table(tmp_path, "x,y\n") == []


def test_the_line_is_that_of_the_file(tmp_path):
    with pytest.raises(DataError, match="line 5, column 'x'"):
        table(tmp_path, 'x,"y\nz"\n1,1\n\n,1\n', label="y\nz")


# ---- Tables that the certificate describes


NAMES = ["farbe", "unused", "n", "y", "b"]
CELLS = [
    ["grün", "? !", "1.5", "no", "TRUE"],
    ["grün", "", " +15e-1", "yes", "true"],
    ["rot", "NA", "NA", "no", "false"],
    ["rot", "1", "NA", "yes", "False"],
    ["NA", "x", "-2e1", "no", "True"],
    ["NA", "y", "-20.", "yes", "1"],
    ["blau", "z", "0", "no", "FALSE"],
    ["blau", "z", "-0.0", "yes", "0"],
]
COLUMNS = [
    {"source": "n"},
    {"source": "farbe", "category": "grün"},
    {"source": "n", "gap": True},
    {"source": "b"},
    {"source": "farbe", "gap": True},
    {"source": "farbe", "category": "rot"},
]
WITH_GAPS = [[1.5, 1, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1], [-20, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0]]


def without_names(columns):
    return [column | {"source": str(NAMES.index(column["source"]) + 1)} for column in columns]


def written(path, cells, separator=",", encoding="utf-8", names=NAMES):
    """Write a table; its cells need quotes if they hold the separator."""
    lines = [names, *cells] if names else cells
    if separator is None:
        text = "".join(
            " \t" + " \t  ".join(cell.strip().replace(" ", "_") or "-" for cell in line) + "\t \n\n" for line in lines
        )
    else:
        quoted = [[f'"{cell}"' if separator in cell or not cell else cell for cell in line] for line in lines]
        text = "".join(separator.join(line) + "\r\n" for line in quoted)
    with OPENERS.get(path.suffix, open)(path, "wb") as file:
        file.write(text.encode(encoding))
    return path


@pytest.mark.parametrize("packed", OPENERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ":", None])
def test_every_kind_of_file(tmp_path, separator, header, encoding, packed):
    path = written(tmp_path / f"data.csv{packed}", CELLS, separator, encoding, NAMES if header else None)
    table = tabled(separator=separator, encoding=encoding.removesuffix("-sig"), header=header)
    if not header:
        table["label"] = "4"
    document = twofold(WITH_GAPS, table, COLUMNS if header else without_names(COLUMNS))
    assert is_accepted(document, path)
    for other in [",", ";", "\t", "|", " ", ":", None]:
        if other != separator:
            assert not is_accepted(altered(document, "table", "separator", other), path)
    for other in ["utf-8", "utf-16", "latin-1", "cp1252"]:
        read_the_same = {other, table["encoding"]} <= {"latin-1", "cp1252"}
        assert is_accepted(altered(document, "table", "encoding", other), path) == (
            read_the_same or other == table["encoding"]
        )


def test_the_two_western_encodings_differ(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"c,y\n\x80,no\n\x80,yes\n")
    for encoding, sign in [("cp1252", "€"), ("latin-1", "\x80")]:
        columns = [{"source": "c", "category": sign}]
        document = twofold([[1]], tabled(encoding=encoding), columns)
        assert is_accepted(document, path)
        other = "latin-1" if encoding == "cp1252" else "cp1252"
        assert "digests differ" in outcome(altered(document, "table", "encoding", other), path)
        assert "line 2: this is not text in utf-8" in outcome(altered(document, "table", "encoding", "utf-8"), path)
    path.write_bytes(b"c,y\n1,no\n\x81,yes\n")
    assert "line 3: this is not text in cp1252" in outcome(document | altered(document, "table", "encoding", "cp1252"), path)


@pytest.mark.parametrize("header", [True, False])
def test_every_cell_that_is_used_counts(tmp_path, header):
    names = NAMES if header else None
    document = twofold(WITH_GAPS, tabled(header=header, label="y" if header else "4"), COLUMNS)
    if not header:
        document["problem"]["columns"] = without_names(COLUMNS)
    other = {
        "farbe": ["grün", "rot", "NA", "Rot", " rot"],
        "n": ["3", "NA", "true", "0", "0.0"],
        "y": ["no", "yes"],
        "b": ["1", "NA", "0", "FALSE", "2"],
    }
    meaning = {
        "farbe": lambda cell: cell if cell in ("grün", "rot", "NA") else "another",
        "n": lambda cell: "gap" if cell == "NA" else 1.0 if cell == "true" else float(cell),
        "y": lambda cell: cell,
        "b": lambda cell: (
            0.0 if cell == "NA" else {"true": 1.0, "false": 0.0}[cell.lower()] if cell.isalpha() else float(cell)
        ),
        "unused": lambda cell: None,
    }
    seen = 0
    for i, line in enumerate(CELLS):
        for k, name in enumerate(NAMES):
            for cell in other.get(name, ["anything"]):
                path = written(
                    tmp_path / "data.csv", [*CELLS[:i], [*line[:k], cell, *line[k + 1 :]], *CELLS[i + 1 :]], names=names
                )
                same = meaning[name](cell) == meaning[name](line[k])
                assert is_accepted(document, path) == same, (line, name, cell)
                seen += not same
    assert seen > 60
    for changed in [CELLS[:-1], [*CELLS, CELLS[0]], CELLS[::-1], [CELLS[1], CELLS[0], *CELLS[2:]]]:
        assert outcome(document, written(tmp_path / "data.csv", changed, names=names)).startswith("Refused. ")


def test_what_the_document_says_of_a_table_counts(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    assert is_accepted(document, path)
    for change, message in [
        (("columns", 1, "category", "blau"), "digests differ"),
        (("columns", 1, "category", "Grün"), "digests differ"),
        (("columns", 1, "source", "unused"), "digests differ"),
        (("columns", 3, {"source": "b", "category": "TRUE"}), "digests differ"),
        (("columns", 0, {"source": "n", "category": "1.5"}), "digests differ"),
        (("columns", 4, {"source": "unused", "gap": True}), "digests differ"),
        (("columns", 0, "source", "unused"), "line 2, column 'unused': '? !' is not a number"),
        (("columns", 0, "source", "m"), "about a column 'm', but"),
        (("columns", COLUMNS[::-1]), "digests differ"),
        (("classes", ["yes", "no"]), "digests differ"),
        (("classes", ["nein", "ja"]), "line 2, column 'y': the label 'no' is no class"),
        (("table", "label", "unused"), "column 'unused': the label '? !' is no class"),
        (("table", "label", "Y"), "Refused."),
        (("table", "label", "n"), "problem.columns[0].source must not be 'n', the label"),
        (("table", "header", False), "must be a place such as"),
        (("table", "gaps", []), "line 4, column 'n': 'NA' is not a number"),
        (("table", "gaps", ["NA", "blau"]), "digests differ"),
        (("table", "gaps", ["NA", "0"]), "digests differ"),
        (("table", "gaps", ["NA", "no"]), "line 2, column 'y': 'no' is a gap, which the certificate does not allow"),
        (
            ("table", "gaps", ["NA", "rot"]),
            "problem.columns[5].category must not be 'rot', which is one of problem.table.gaps",
        ),
        (("table", "missing", "drop-rows"), "problem.columns[2].gap must be true, and may be there only if"),
        (("table", "missing", "refuse"), "problem.columns[2].gap must be true, and may be there only if"),
        (("table", {"format": "libsvm", "base": 0}), "problem.columns must be null"),
        (("table", None), "problem.columns[2].gap must be true"),
    ]:
        assert message in outcome(altered(document, *change), path), change


def test_the_label_is_given_twice_or_not_at_all(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    assert is_accepted(document, path, label="y")
    assert outcome(document, path, label="b") == "Refused. The certificate has the labels in column 'y', not in 'b'."
    arrays = twofold([[0], [0]], None, [{"source": "c", "category": "a"}])
    path.write_text("c,y\nb,no\nb,yes\n,no\n,yes\n")
    assert is_accepted(arrays, path, label="y")
    assert outcome(arrays, path) == (
        "Not checked. The certificate does not say which column holds the labels: name it with --label."
    )
    path.write_text("c,z\nb,no\n")
    assert outcome(arrays, path, label="y") == f"Not checked. {path} has no column 'y' for the label."
    assert outcome(altered(arrays, "table", tabled()), path) == f"Refused. {path} has no column 'y' for the label."


def test_gaps_are_refused_or_their_rows_left_out(tmp_path):
    columns = [{"source": "n"}, {"source": "farbe", "category": "grün"}, {"source": "b"}]
    path = written(tmp_path / "data.csv", CELLS)
    dropped = twofold([[1.5, 1, 1], [0, 0, 0]], tabled(missing="drop-rows"), columns)
    assert "for 4 of 8 rows, 3 columns" in outcome(dropped, path)
    assert ", 4 rows left out for 4 gaps, where 'NA' is a gap and no other text is: " in outcome(dropped, path)
    refusing = altered(dropped, "table", "missing", "refuse")
    assert outcome(refusing, path) == (
        f"Refused. {path}, line 4, column 'n': 'NA' is a gap, which the certificate does not allow there."
    )
    zero = altered(dropped, "table", "missing", "indicator")
    assert "about 4 rows, but the data has 8" in outcome(zero, path)
    assert is_accepted(twofold([[1.5, 1, 1], [0, 0, 0], [-20, 0, 1], [0, 0, 0]], zero["problem"]["table"], columns), path)
    # gaps in columns that are not used, and in the label
    complete = [line for line in CELLS if "NA" not in (line[0], line[2])]
    written(path, complete)
    for document in (dropped, refusing, zero):
        assert is_accepted(document, path)
    written(path, [*complete, ["grün", "", "x", "NA", "x"]])  # the numbers do not matter where there is a gap
    assert is_accepted(dropped, path)
    for document in (refusing, zero):
        assert "line 6, column 'y': 'NA' is a gap" in outcome(document, path)
    # a gap is a text, all of it and nothing else but blanks
    for cell in (" NA", "NA ", "\t NA\t"):
        written(path, [*complete, ["grün", "", cell, "no", "1"]])
        assert is_accepted(dropped, path)
        for document in (refusing, zero):
            assert not is_accepted(document, path)
    for cell in ("", "na", "N A", "NA.", "\u00a0NA", " na", " "):
        written(path, [*complete, ["grün", "", cell, "no", "1"]])
        assert f"line 6, column 'n': {cell!r} is not a number" in outcome(dropped, path)
        wider = altered(dropped, "table", "gaps", ["NA", cell])
        assert is_accepted(wider, path)


def test_all_columns_are_numbers_if_the_document_lists_none(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y,b\n1,no,TRUE\n1,yes,1\n,no,4\n 3\t,no,false\n3,yes, FALSE \n")
    document = twofold([[1, 1], [3, 0]], tabled(missing="drop-rows", gaps=[""]), None)
    assert is_accepted(document, path)
    headless = altered(altered(document, "table", "header", False), "table", "label", "2")
    assert "line 1, column '2': the label 'y' is no class" in outcome(headless, path)
    path.write_text("\n" + path.read_text().partition("\n")[2])
    assert is_accepted(headless, path)
    assert "has no column '9' for the label" in outcome(altered(headless, "table", "label", "9"), path)
    path.write_text("")
    assert outcome(headless, path) == f"Not checked. {path} is empty."


def test_a_gap_column_may_stand_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n,no\n,yes\nred,no\n1,yes\n")
    assert is_accepted(twofold([[1], [0]], tabled(gaps=[""]), [{"source": "a", "gap": True}]), path)


NO_BOOLEANS = ["yes", "t", "tru", "true.", "1true", "wahr", "ｔrue"]


@pytest.mark.parametrize("cell", NO_BOOLEANS)
def test_what_is_neither_true_nor_a_number(tmp_path, cell):
    with pytest.raises(DataError, match=r"line 2, column 'x': .* is not a number"):
        table(tmp_path, f"x,y\n{cell},1\n")


def test_true_and_false_are_numbers(tmp_path):
    assert table(tmp_path, "x,y\ntrue,1\n FALSE\t,1\ntRuE,-1\n") == rows_of([[1], [0], [1]], [1, 1, -1])


def test_several_files(tmp_path):
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    first = written(tmp_path / "1.csv", CELLS[:3])
    second = written(tmp_path / "2.csv.gz", [line[::-1] for line in CELLS[3:6]], names=NAMES[::-1])
    third = written(tmp_path / "3.csv", CELLS[6:])
    assert is_accepted(document, first, second, third)
    assert "digests differ" in outcome(document, third, second, first)
    assert "about 8 rows, but the data has 6" in outcome(document, first, second)
    other = written(tmp_path / "4.csv", CELLS[3:], names=["farbe", "used", "n", "y", "b"])
    assert outcome(document, first, other) == f"Not checked. {other} has other columns than {first}."
    written(other, [line[:-1] for line in CELLS[3:]], names=NAMES[:-1])
    assert "has other columns than" in outcome(document, first, other)
    other.write_text("")
    assert outcome(document, first, other) == f"Not checked. {other} is empty."
    assert f"{other.parent / '5.csv'} cannot be read: No such file" in outcome(document, first, other.parent / "5.csv")


def test_several_files_without_columns_in_the_document(tmp_path):
    """The order of the first file counts; without a header there is no other."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("a,b,y\n1,2,no\n1,2,yes\n")
    second.write_text("b,y,a\n2,no,1\n2,yes,1\n")
    assert is_accepted(twofold([[1, 2], [1, 2]], tabled(), None), first, second)
    assert is_accepted(twofold([[2, 1], [2, 1]], tabled(), None), second, first)
    first.write_text("1,2,no\n1,2,yes\n")
    headless = twofold([[1, 2], [1, 2]], tabled(header=False, label="3"), None)
    assert is_accepted(headless, first, first)
    second.write_text("1,2,no,\n1,2,yes,\n")
    assert f"{second} has other columns than {first}" in outcome(headless, first, second)


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".GZ"])
def test_damaged_files(tmp_path, packed):
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    path = tmp_path / f"data.csv{packed}"
    with OPENERS[packed.lower()](path, "wb") as file:
        file.write(written(tmp_path / "data.csv", CELLS).read_bytes())
    assert is_accepted(document, path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert outcome(document, path).startswith(f"Not checked. {path}"), length
    for k in range(len(whole)):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 255]) + whole[k + 1 :])
        assert "\n" not in outcome(document, path)  # whatever it is, it is no other exception
    path.write_bytes((tmp_path / "data.csv").read_bytes())
    assert re.search("Not checked. .* cannot be read: ", outcome(document, path))


def test_damage_far_inside_a_file(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"x,y\n" + b"".join(b"%d,1\n" % (k * k) for k in range(50_000)))[:-40_000])
    problem = {"dimension": 1, "numbers": "float64", "classes": None, "columns": None, "table": None}
    with pytest.raises(DataError, match=r"data.csv.gz, after line [0-9]{4,}, cannot be read: Compressed file ended"):
        read_rows([path], {"problem": problem}, "y")


def test_texts_that_are_not_in_their_encoding(tmp_path):
    path = tmp_path / "data.csv"
    document = twofold([[1]], tabled(encoding="utf-16"), None)
    for text in (b"x,y\n1,no\n1,yes\n", "x,y\n1,no\n1,yes\n".encode("utf-16-le"), "x,y\n1,no\n".encode("utf-16")[:-1]):
        path.write_bytes(text)
        assert outcome(document, path).startswith(f"Not checked. {path}")
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes("\ufeffx,y\n1,no\n1,yes\n".encode(encoding))
        assert is_accepted(document, path)


@pytest.mark.parametrize("separator", [",", None])
def test_cells_of_any_length(tmp_path, separator):
    long = "x" * 300_000
    cells = [[long, "", "1", label, "1"] for label in ("no", "yes")]
    path = written(tmp_path / "data.csv", cells, separator)
    before = csv.field_size_limit(131_072)
    document = twofold([[1, 1]], tabled(separator=separator), [{"source": "farbe", "category": long}, {"source": "n"}])
    assert is_accepted(document, path)
    assert "digests differ" in outcome(altered(document, "columns", 0, "category", long[1:]), path)
    assert csv.field_size_limit(before) == 131_072  # it is everybody's
    said = outcome(altered(document, "columns", 0, {"source": "farbe"}), path)
    assert "line " in said
    assert len(said) < 300


def test_lines_are_counted_with_empty_ones(tmp_path):
    path = tmp_path / "data.csv"
    for separator, text, line in [
        (None, "\n x y\n\t \n1 no\n\n2 maybe\n", 6),
        (";", "\nx;y\n\n1;no\n\n2;maybe\n", 6),
        (";", 'x;y\r\n1;no\r\n"\r\n1";yes;\r\n', 4),
        (None, "x y\r1 no\r\r2 no 3\r", 4),
    ]:
        path.write_bytes(text.encode())
        assert f"data.csv, line {line}" in outcome(twofold([[1]], tabled(separator=separator), None), path)


def test_without_separator_there_are_no_quotes(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(b'"c" y\n"a no\n "a\tyes  \n')
    assert is_accepted(twofold([[1]], tabled(separator=None), [{"source": '"c"', "category": '"a'}]), path)
    path.write_bytes("c y\na\u00a0b no\na\u00a0b yes\n".encode())  # only spaces and tabs are blanks
    assert is_accepted(twofold([[1]], tabled(separator=None), [{"source": "c", "category": "a\u00a0b"}]), path)


def test_quoted_cells(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b'"c;\n""";y\n"a;b";no\n"a;b";"yes"\n')
    assert is_accepted(twofold([[1]], tabled(separator=";"), [{"source": 'c;\n"', "category": "a;b"}]), path)
    for end in ("\n", "\r\n", "\r"):  # as they are in the file
        path.write_bytes(f'c,y\r\n"a{end}b",no\r\n"a{end}b",yes\r\n'.encode())
        document = twofold([[1]], tabled(), [{"source": "c", "category": f"a{end}b"}])
        assert is_accepted(document, path)
        for other in {"\n", "\r\n", "\r", " "} - {end}:
            assert "digests differ" in outcome(altered(document, "columns", 0, "category", f"a{other}b"), path)


def test_the_mixed_example(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(MIXED[0])
    certificate = parse(MIXED[1])
    points = [[150, 0, 1, 0], [0, 1, 0, 1], [120, 0, 0, 1], [110, 0, 0, 0]]
    assert read_rows([path], certificate) == rows_of(points, [1, -1, 1, -1])
    assert outcome(json.loads(MIXED[1]), path) == (
        "Proved for 4 rows, 4 columns ('weight', 'weight' is missing, 'colour' = 'red', 'colour' = 'green'), 1 cell with a "
        "text that has no column taken as 0, an intercept, "
        "numbers read as float64, class 'yes' against 'no', labels in column 'ripe', cells "
        "separated by semicolons, 1 gap in 1 row taken as 0, each told of by a column, where '' and 'NA' are gaps and no "
        "other text is: "
        "the classes are separable: the given hyperplane has every row on its correct side."
    )


def test_columns_are_named_in_refusals(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    for j, name in enumerate(["n", "farbe=grün", "n is missing", "b", "farbe is missing", "farbe=rot"]):
        changed = copy.deepcopy(document)
        changed["obstruction"]["points"][3][j] = "7"
        assert f"point of row 3 is not the data's in column {j} ('{name}')" in outcome(changed, path)


TABLE_CHANGES = [
    (put("table", []), "problem.table must be an object, not []"),
    (put("table", "csv"), "problem.table must be an object"),
    (put("table", False), "problem.table must be an object"),
    (put("table", {}), "problem.table lacks the key 'format'"),
    (put("table", "quote", "'"), "problem.table must not have the key 'quote'"),
    (put("table", "base", 1), "problem.table must not have the key 'base'"),
    *[(without("table", key), f"problem.table lacks the key '{key}'") for key in tabled()],
    (put("table", "format", "parquet"), 'problem.table.format must be "csv" or "libsvm", not \'parquet\''),
    (put("table", "format", ["csv"]), 'problem.table.format must be "csv" or "libsvm"'),
    (put("table", "format", "CSV"), 'problem.table.format must be "csv" or "libsvm"'),
    (put("table", "label", None), "problem.table.label must be a string"),
    (put("table", "label", 3), "problem.table.label must be a string"),
    (put("table", "header", 1), "problem.table.header must be true or false, not 1"),
    (put("table", "header", None), "problem.table.header must be true or false"),
    (put("table", "separator", "/"), "problem.table.separator must be one of"),
    (put("table", "separator", ",,"), "problem.table.separator must be one of"),
    (put("table", "separator", ""), "problem.table.separator must be one of"),
    (put("table", "separator", '"'), "problem.table.separator must be one of"),
    (put("table", "separator", False), "problem.table.separator must be one of"),
    (put("table", "encoding", "UTF-8"), "problem.table.encoding must be one of"),
    (put("table", "encoding", "unicode_escape"), "problem.table.encoding must be one of"),
    (put("table", "encoding", "ascii"), "problem.table.encoding must be one of"),
    (put("table", "encoding", None), "problem.table.encoding must be one of"),
    (put("table", "missing", "drop"), 'problem.table.missing must be one of "refuse", "drop-rows", "indicator", not'),
    (put("table", "missing", None), "problem.table.missing must be one of"),
    (put("table", "gaps", "NA"), "problem.table.gaps must be a list"),
    (put("table", "gaps", None), "problem.table.gaps must be a list"),
    (put("table", "gaps", {"NA": 1}), "problem.table.gaps must be a list"),
    (put("table", "gaps", ["", 0]), "problem.table.gaps[1] must be a string"),
    (put("table", "gaps", ["NA", "", "NA"]), "problem.table.gaps has 'NA' twice"),
    (put("columns", 2, "category", None), "problem.columns[2].category must be a string, not None"),
    (put("columns", 2, "category", True), "problem.columns[2].category must be a string"),
    (put("columns", 2, "gap", True), "problem.columns[2] must not have the key 'gap'"),
    (put("columns", 1, "gap", False), "problem.columns[1].gap must be true"),
    (put("columns", 1, "gap", 1), "problem.columns[1].gap must be true"),
    (put("columns", 1, "gap", "true"), "problem.columns[1].gap must be true"),
    (put("columns", 1, "Gap", True), "problem.columns[1] must not have the key 'Gap'"),
    (without("columns", 2, "source"), "problem.columns[2] lacks the key 'source'"),
    (put("columns", 2, "source", 1), "problem.columns[2].source must be a string"),
    (put("columns", 2, "category", "green"), "problem.columns has 'colour=green' twice"),
    (put("columns", 0, {"source": "weight", "gap": True}), "problem.columns has 'weight is missing' twice"),
    (put("columns", 2, {"source": "weight"}), "problem.columns has 'weight' twice"),
    (put("columns", 2, {"source": "colour"}), "problem.columns has 'colour' both as a number and with categories"),
    (put("columns", 3, {"source": "colour"}), "problem.columns has 'colour' both as a number and with categories"),
    (put("columns", 3, "source", "weight"), "problem.columns has 'weight' both as a number and with categories"),
    (put("columns", 2, "category", "NA"), "[2].category must not be 'NA', which is one of problem.table.gaps"),
    (put("columns", 2, "category", ""), "problem.columns[2].category must not be ''"),
    (put("columns", 2, "source", "ripe"), "problem.columns[2].source must not be 'ripe', the label"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), TABLE_CHANGES)
def test_forms_of_tables_and_columns(change, message):
    document = json.loads(MIXED[1])
    validate(document)
    change(document["problem"])
    with pytest.raises(InvalidCertificate) as caught:
        validate(document)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("place", ["y", "", "0", "-1", "+1", "01", "1.0", " 1", "1\n", "１", "1" * 11])
def test_without_header_columns_are_places(place):
    document = twofold([[1]], tabled(header=False, label="2"), [{"source": "1"}])
    validate(document)
    for change in (("table", "label", place), ("columns", 0, "source", place)):
        with pytest.raises(InvalidCertificate, match=r'(label|columns\[0\].source) must be a place such as "3"'):
            validate(altered(document, *change))


def test_hostile_tables_take_no_time():
    many = 100_000
    same = [{"source": "s", "category": str(k)} for k in range(many)]
    gaps = [str(-k) for k in range(checker.MOST_GAPS)]
    start = time.process_time()
    for columns, message in [
        ([*same, {"source": "s", "category": "0"}], "problem.columns has 's=0' twice"),
        ([*same, {"source": "s"}], "both as a number and with categories"),
        ([{"source": "s"}, *same], "both as a number and with categories"),
        ([*same, {"source": "s", "category": "-7"}], "must not be '-7', which is one of"),
        ([*same, {"source": "y", "category": "y"}], "must not be 'y', the label"),
    ]:
        document = twofold([[0]], tabled(gaps=["-0", *gaps[1:]]), None)
        document["problem"] |= {"dimension": many + 1, "columns": columns}
        assert message in outcome(document)
    assert "problem.table.gaps has '-3' twice" in outcome(altered(document, "table", "gaps", [*gaps[:-1], "-3"]))
    assert time.process_time() - start < 30


def test_the_time_for_a_row_does_not_grow_with_the_categories(tmp_path):
    """A million columns and twenty thousand cells: row times column would take for ever."""
    texts = [f"c{k}" for k in range(250_000)]
    lines = [[texts[(i * 7919 + k) % 250_000] for k in range(4)] for i in range(5_000)]
    path = tmp_path / "data.csv"
    path.write_text("a,b,c,d,y\n" + "".join(",".join([*line, "yes"]) + "\n" for line in lines))
    columns = [{"source": source, "category": text} for source in "abcd" for text in texts]
    problem = {
        "dimension": len(columns),
        "classes": ["no", "yes"],
        "columns": columns,
        "table": tabled() | checker.NEW,
        "numbers": "float64",
    }
    start = time.process_time()
    rows = read_rows([path], {"problem": problem})
    assert time.process_time() - start < 20
    assert rows == [(1, [(k * 250_000 + (i * 7919 + k) % 250_000, 1.0) for k in range(4)]) for i in range(5_000)]
