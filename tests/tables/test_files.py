"""What is easily mistaken in tables: gaps, separators, names, types of labels, and several files."""

import csv
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import separatrix, succeeded
from table_files import npy, npz, parquet, write

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError, TableError
from separatrix.tables.text import csv_reading

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
    exactly = sx.read_data(path, " y", gaps=[" ?"], usual_gaps=False, missing="drop-rows", only=["age", " job"])
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
    def read(text, **options):
        path = tmp_path / "t.txt"
        path.write_bytes(text.encode(encoding))
        return sx.read_data(path, -1, encoding=encoding, **options)

    rows = "1,5\t0\tno\n2,5\t0\tyes\n"
    for header, options in {"a\tb\ty\n": {}, "size, cm\tb\ty\n": {}, "": {"header": False}}.items():
        data = read(header + rows, **options)
        assert data.X.tolist() == [[1.5, 0.0], [2.5, 0.0]]
        assert (
            "separated by tabs (separator='tab'); its numbers have decimal commas, as '2,5' (decimal=',')" in data.notes()[0]
        )
        told = read(header + rows, separator="tab", decimal=",", **options)
        assert told.X.tolist() == data.X.tolist()
        assert told.notes() == []
    assert read("a;b;y\n1,5;2;no\n").X.tolist() == [[1.5, 2]]
    data = read("a;b, and c;y\n1;2;no\n3;4;yes\n")
    assert data.names == ["a", "b, and c"]
    assert "decimal" not in data.notes()[0]


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
        data = sx.read_data(table, "y", missing="drop-rows", usual_gaps=False)
        assert data.classes == (0, 1)
        assert data.kept.tolist() == [0, 2]
        with pytest.raises(TableError, match="row 1: no label"):
            sx.read_data(table, "y", usual_gaps=False)


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


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (("1,234", "2,345"), "looks like a number"),
        (("1.234.567", "7.654.321"), "looks like a number"),
        (("$5", "$7.50"), "looks like a number"),
        (("12 %", "5"), "has a percent sign, which other values of the column lack"),
    ],
)
def test_what_looks_like_a_number_is_not_taken_for_a_category(tmp_path, cells, said):
    data = tmp_path / "t.csv"
    data.write_text(f"a;y\n{cells[0]};0\n{cells[1]};1\n")
    done = separatrix("decide", data, "--separator", "semicolon", "--label", "y")
    assert done.returncode == 2
    assert "column 'a'" in done.stderr
    assert said in " ".join(done.stderr.split())
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
        with pytest.raises(TableError, match="are those of like"):
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
