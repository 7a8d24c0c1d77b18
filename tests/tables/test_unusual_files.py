"""Spreadsheets, archives and JSON lines: what is read of them, and what is refused."""

import datetime
import io
import json
import struct
import sys
import zipfile
import zlib

import pytest
from commands import separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from table_files import compressed, write
from workbooks import Percent, sheet, workbook

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError

ROWS = [["a", "b", "y"], [0.1, 1, "no"], [2.5, -3, "yes"]]


def refusal(path, label="y", **options):
    with pytest.raises(FileError) as refused:
        sx.read_data(path, label, **options)
    return str(refused.value)


def zip_of(members, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


# ---- Spreadsheets.


def test_what_a_sheet_holds(tmp_path):
    day = datetime.date(2024, 1, 31)
    cells = [["size\nin cm", "share", "day", "fine", "job", None, "y"], [0.1, Percent(0.12), day, True, " cook", None, 1],
             [None] * 7, [1e300, Percent(1), day, False, "x,y", None, 0]]  # fmt: skip
    path = write(tmp_path, "t.xlsx", workbook({"one": cells}))
    data = sx.read_data(path, "y")
    assert data.names == ["size in cm", "share", "day=2024-01-31", "fine", "job= cook", "job=x,y"]
    assert data.X.tolist() == [[0.1, 0.12, 1, 1, 1, 0], [1e300, 1, 1, 0, 0, 1]]
    assert data.rows.reading == "float64"
    assert data.classes == (0, 1)
    assert data.locate([0, 1]) == [f"{path}, line 2", f"{path}, line 4"]  # as the sheet counts its rows
    assert sx.read_data(path, "y", numbers="decimal", drop=[1]).rows.reading == "decimal"
    assert "A sheet of Excel's." in " ".join(succeeded("describe", path).split())


def test_sheets_are_chosen(tmp_path):
    path = write(tmp_path, "t.xlsx", workbook({"first": [["x"], [1]], "empty": [], "Zweites Blatt": ROWS}))
    assert "2 sheets that are not empty: 'first', 'Zweites Blatt'. Say which one, as in sheet='first'" in refusal(path)
    assert "has no sheet 'third'. Its sheets are: 'first', 'empty', 'Zweites Blatt'" in refusal(path, sheet="third")
    assert "'empty' is empty" in refusal(path, sheet=2)
    for sheet_ in ("Zweites Blatt", 3):
        assert sx.read_data(path, "y", sheet=sheet_).shape == (2, 2)
    assert "2 rows" in succeeded("describe", path, "--sheet", "Zweites Blatt")
    assert "none of its sheets" in refusal(write(tmp_path, "e.xlsx", workbook({"e": []})))


def test_marks_in_texts_of_a_sheet_are_told(tmp_path):
    path = write(tmp_path, "t.xlsx", workbook({"s": [["a", "b", "y"], ["1,5", 0.5, 0], ["2,5", 1.5, 1]]}))
    assert "say which marks they have (decimal=',')" in refusal(path)
    assert sx.read_data(path, "y", decimal=",").X.tolist() == [[1.5, 0.5], [2.5, 1.5]]


def test_numbers_that_are_stored_as_text_are_told_of(tmp_path):
    rows = [["code", "a", "b", "job", "y"], ["1067", 1, " 2", "cook", "no"], ["4109", 2, 3.5, "clerk", "yes"]]
    path = write(tmp_path, "t.xlsx", workbook({"s": rows}))
    said = "stores as text are read as numbers, in the column 'code' ('1067'), 'b' (' 2'). If they are codes"
    (note,) = [note for note in sx.read_data(path, "y").notes() if "stores as text" in note]
    assert said in note
    assert "say text='code'" in note
    assert sx.read_data(path, "y", text="code").names[:2] == ["code=1067", "code=4109"]
    assert "--text code" in " ".join(succeeded("describe", path, "--label", "y").split())
    plain = write(tmp_path, "plain.xlsx", workbook({"s": [["a", "job", "y"], [1, "cook", 0], ["", "7 days", 1]]}))
    assert not [note for note in sx.read_data(plain, "y", missing="drop-rows").notes() if "stores as text" in note]
    bare = write(tmp_path, "bare.xlsx", workbook({"s": [["7", 1, "no"], ["8", 2, "yes"]]}))
    assert any("column 1 ('7')" in note for note in sx.read_data(bare, -1, header=False).notes())


def test_a_sheet_is_recognised_whatever_it_is_called(tmp_path):
    content = workbook({"s": ROWS})
    for name in ("t.xlsx", "t.XLSM", "t.csv", "t", "t.zip"):
        assert sx.read_data(write(tmp_path, name, content), "y").shape == (2, 2)
    assert "is a spreadsheet (xlsx), not csv" in refusal(tmp_path / "t.csv", format="csv")
    inside = write(tmp_path, "in.zip", zip_of({"t.xlsx": content}))
    assert sx.read_data(inside, "y").shape == (2, 2)


def test_without_the_package_the_way_to_install_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "pip install 'separatrix[excel]'" in refusal(write(tmp_path, "t.xlsx", workbook({"s": ROWS})))


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=5))
def test_numbers_of_a_sheet_are_those_of_the_text_beside_the_proof(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("sheet")
    rows = [["x", "y"], *([number, k % 2] for k, number in enumerate(numbers))]
    data = sx.read_data(write(folder, "t.xlsx", workbook({"s": rows})), "y")
    assert data.X[:, 0].tolist() == numbers
    ((_, text),) = data.copies()
    copy = sx.read_data(write(folder, "copy.csv", text), "y", numbers="float64")
    assert copy.X[:, 0].tolist() == numbers


BOMB = "0" * 10**7

HOSTILE = {
    "entities": (
        workbook({"s": sheet(ROWS, '<!DOCTYPE x [<!ENTITY a "b">]>')}),
        "declares entities of XML",
    ),
    "external entity": (
        workbook({"s": sheet(ROWS, '<! DOCTYPE x SYSTEM "file:///etc/passwd">')}),
        "declares entities of XML",
    ),
    "wide entities": (
        workbook({"s": ROWS}, {"xl/sharedStrings.xml": '<!DOCTYPE x [<!ENTITY a "b">]><sst/>'.encode("utf-16")}),
        "declares entities of XML",
    ),
    "bomb": (workbook({"s": ROWS}, {"xl/media.xml": BOMB}), "unfolds to more than"),
    "far cell": (
        workbook({"s": sheet(ROWS).replace('r="A1"', 'r="XFD1048576"')}),
        "a sheet of 1,048,576 rows and 16,384 columns",
    ),
    "far row": (workbook({"s": sheet(ROWS).replace('row r="3"', 'row r="900000000"')}), "a sheet of 900,000,000 rows"),
    "cut off": (workbook({"s": ROWS})[:-60], "damaged or cut off"),
    "no XML": (workbook({"s": "<worksheet><sheetData><row"}), ""),
    "another document": (zip_of({"[Content_Types].xml": "", "word/document.xml": ""}), "Save the table in it as an Excel"),
    "open document": (zip_of({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}), "Save the table in it"),
    "old": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Save the table in it as an Excel workbook (.xlsx)"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_spreadsheets_are_refused(tmp_path, monkeypatch, name):
    content, message = HOSTILE[name]
    monkeypatch.setenv("SEPARATRIX_MAX_BYTES", "4M")
    assert message in refusal(write(tmp_path, "t.xlsx", content))


# ---- Archives.


def test_a_table_alone_in_an_archive(tmp_path):
    path, proof = write(tmp_path, "t.zip", zip_of({"../../a/t.tsv": "a\ty\n1\tno\n2\tyes\n", "a/": ""})), tmp_path / "p.json"
    data = sx.read_data(path, "y")
    assert data.X.tolist() == [[1], [2]]  # by tabs, as its name says
    assert data.locate([0]) == [f"{path}, line 2"]
    said = succeeded("decide", path, "--label", "y", "--certificate", proof)
    assert f"check it with: separatrix verify {proof} {tmp_path / 'p.csv'}" in said
    assert (tmp_path / "p.csv").read_text() == "a\ty\n1\tno\n2\tyes\n"
    assert checker.main([str(proof), str(tmp_path / "p.csv")]) == 0
    succeeded("verify", proof, path)
    assert {each.name for each in tmp_path.iterdir()} == {"t.zip", "p.json", "p.csv"}


def test_what_else_is_in_archives(tmp_path):
    several = write(tmp_path, "t.zip", zip_of({"a.csv": "", "b\x1b.csv": ""}))
    assert r"holds 2 files: 'a.csv', 'b\x1b.csv'. Pack one table in it, or unpack it first." in refusal(several)
    assert "holds no file" in refusal(write(tmp_path, "t.zip", zip_of({})))
    assert "packed twice" in refusal(write(tmp_path, "t.zip", zip_of({"t.csv.gz": compressed(b"a,y\n1,0\n", ".gz")})))
    assert "packed twice" in refusal(write(tmp_path, "t.zip", zip_of({"t.zip": zip_of({"t.csv": "a,y\n1,0\n"})})))
    assert "damaged or cut off" in refusal(write(tmp_path, "t.zip", zip_of({"t.csv": "a,y\n1,0\n" * 99})[:-30]))
    locked = bytearray(zip_of({"t.csv": "a,y\n1,0\n"}, zipfile.ZIP_STORED))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(magic) + place] |= 1
    assert "with a password" in refusal(write(tmp_path, "t.zip", bytes(locked)))
    assert "more than 10,000 files" in refusal(write(tmp_path, "t.zip", zip_of({f"{k}": "" for k in range(10_001)})))


def test_archives_that_unfold_to_too_much_are_refused_before_they_do(tmp_path, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_MAX_BYTES", "1M")
    assert "unfolds to more than 1,048,576 bytes" in refusal(write(tmp_path, "t.zip", zip_of({"t.csv": BOMB})))
    # One that says it is small is read that far, and no further.
    lying = bytearray(zip_of({"t.csv": BOMB}))
    size = struct.pack("<I", len(BOMB))
    while size in lying:
        place = lying.index(size)
        lying[place : place + 4] = struct.pack("<I", 100)
    assert "damaged" in refusal(write(tmp_path, "t.zip", bytes(lying)))
    assert zlib.crc32(BOMB.encode()) != zlib.crc32(BOMB[:100].encode())


# ---- JSON lines.


def test_json_lines(tmp_path):
    lines = ['{"a": 0.10, "job": "cook", "ok": true, "y": "no"}', "", '{"y": "yes", "a": 1e2, "job": null}',
             '{"a": -3, "ok": false, "job": "a,\\"b", "y": "no"}']  # fmt: skip
    path, proof = write(tmp_path, "t.jsonl", "\r\n".join(lines)), tmp_path / "p.json"
    assert "missing values in 1 of its 3 rows, the first in" in refusal(path)
    data = sx.read_data(path, "y", missing="indicator")
    assert data.names == ["a", 'job=a,"b', "job=cook", "job is missing", "ok", "ok is missing"]
    assert data.X[:, 0].tolist() == [0.1, 100, -3]
    assert (data.rows.reading, data.rows.denominator) == ("decimal", 10)
    assert data.locate([1]) == [f"{path}, line 3"]
    succeeded("decide", path, "--label", "y", "--missing", "indicator", "--certificate", proof)
    assert checker.main([str(proof), str(tmp_path / "p.csv")]) == 0
    succeeded("verify", proof, path)
    assert sx.read_data(write(tmp_path, "t.json", lines[0] + "\n" + lines[3]), "y").shape == (2, 4)
    assert "JSON lines." in " ".join(succeeded("describe", path).split())


BAD_LINES = {
    "nested": ('{"a": {"b": 1}, "y": 0}', "t.jsonl, line 2, key 'a': an object, which is no value of a table"),
    "a list": ('{"a": [1], "y": 0}', "t.jsonl, line 2, key 'a': a list"),
    "no object": ("[1, 2]", "t.jsonl, line 2: a list, not an object"),
    "no JSON": ('{"a": 1', "t.jsonl, line 2: this is not JSON"),
    "infinite": ('{"a": Infinity, "y": 0}', "t.jsonl, line 2: this is not JSON (Infinity is no number)"),
    "twice": ('{"a": 1, "a": 2, "y": 0}', "t.jsonl, line 2: the key 'a' is there twice"),
    "deep": ('{"a": ' + "[" * 100_000, "t.jsonl, line 2"),
    "word": ('{"a": "x", "y": 0}', "t.jsonl, line 2, column 'a': 'x' is not a number"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines_are_named(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    line, message = BAD_LINES[name]
    write(tmp_path, "t.jsonl", '{"a": 1, "y": 0}\n' + line + "\n")
    assert message in refusal("t.jsonl")


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.integers() | st.decimals(-10, 10, places=3) | st.none(), min_size=1),
        min_size=2, max_size=5,
    )
)  # fmt: skip
def test_json_lines_are_read_as_the_csv_that_they_stand_for(tmp_path_factory, objects):
    folder = tmp_path_factory.mktemp("lines")
    text = "".join(json.dumps({"y": k % 2, **each}, default=lambda n: None if n is None else float(n)) + "\n"
                   for k, each in enumerate(objects))  # fmt: skip
    names = list(dict.fromkeys(["y", *(key for each in objects for key in each)]))
    cells = [[str(k % 2), *("" if each.get(name) is None else json.dumps(each[name], default=float) for name in names[1:])]
             for k, each in enumerate(objects)]  # fmt: skip
    plain = "\n".join(map(",".join, [names, *cells])) + "\n"
    options = {"missing": "indicator", "label": "y"}
    read = sx.read_data(write(folder, "t.jsonl", text), **options)
    expected = sx.read_data(write(folder, "t.csv", plain), **options)
    assert read.names == expected.names
    assert (read.X == expected.X).all()
    assert read.rows.reading == expected.rows.reading


# ---- Text beside proofs.


def test_nothing_is_overwritten_by_the_text_beside_a_proof(tmp_path):
    path, proof = write(tmp_path, "t.xlsx", workbook({"s": ROWS})), tmp_path / "p.json"
    other = write(tmp_path, "p.csv", "mine\n")
    done = separatrix("decide", path, "--label", "y", "--certificate", proof)
    assert done.returncode == 2
    assert "p.csv is there already, with something else in it" in done.stderr
    assert (other.read_text(), proof.exists()) == ("mine\n", False)
    other.unlink()
    for _ in range(2):  # the same again is no other
        succeeded("least-errors", path, "--label", "y", "--certificate", proof)
    document = json.loads(proof.read_text())
    assert document["source"]["files"] == ["p.csv"]
    assert checker.main([str(proof), str(other)]) == 0


def test_several_files_have_several_texts(tmp_path):
    for k in range(2):
        write(tmp_path, f"{k}.xlsx", workbook({"s": [ROWS[0], [k, 2 * k, "no"], [5 + k, 1, "yes"]]}))
    said = json.loads(
        succeeded("decide", tmp_path / "*.xlsx", "--label", "y", "--certificate", tmp_path / "p.json", "--json")
    )
    assert said["certificate_data"] == [str(tmp_path / "p.csv"), str(tmp_path / "p-2.csv")]
    assert checker.main([str(tmp_path / "p.json"), *said["certificate_data"]]) == 0


# ---- Describing, in Python.


def test_everything_is_described_in_python(tmp_path):
    path = write(tmp_path, "t.xlsx", workbook({"s": ROWS}))
    of_file = sx.describe(path, label="y")
    assert of_file.kind == "xlsx"
    assert "the sheet 's'" in of_file.notes[0]
    of_data = sx.describe(sx.read_data(path, "y"))
    of_rows = sx.describe([[0.1, 1], [2.5, -3]], ["no", "yes"])
    of_table = sx.describe({"a": [0.1, 2.5], "b": [1, -3]}, label=["no", "yes"])
    for each in (of_file, of_data, of_rows, of_table):
        assert each.problem.classes == (("no", 1), ("yes", 1))
        assert each.rows == 2
        assert len(repr(each)) < 200
        for style in ("text", "markdown", "html", "latex"):
            assert "yes" in each.explain(style)
        assert each._repr_html_().startswith("<div")
        assert "|" in each._repr_markdown_()
    with pytest.raises(ValueError, match="has its labels with it"):
        sx.describe(sx.read_data(path, "y"), "y")
    with pytest.raises(TypeError, match="no columns by name"):
        sx.describe([[1], [2]], "y")
    with pytest.raises(TypeError, match="name or the position"):
        sx.describe(path, [0, 1])
