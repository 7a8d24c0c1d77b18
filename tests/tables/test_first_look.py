"""What somebody sees who looks at a table of their own for the first time."""

import pandas as pd
import pytest
from commands import failed, succeeded
from table_files import write
from workbooks import workbook

import separatrix as sx
from separatrix import checker


@pytest.mark.parametrize("told", [{}, {"decimal": ","}])
def test_numbers_with_decimal_commas_are_counted_as_numbers(tmp_path, told):
    """In a column that has words as well, whether the decimal comma was told or found."""
    path = write(tmp_path, "a.csv", "a;b;y\n1,5;2,5;0\n2,5;1,0;1\nx;3,5;0\n7;1,1;1\n")
    mixed = sx.describe(path, "y", **told).columns[0]
    assert (mixed.kind, mixed.cells, mixed.words, mixed.values()) == ("mixed", 4, 1, "3 numbers, 1 word")
    path = write(tmp_path, "b.csv", "a;b;y\n1.500;2,5;0\n2.500,5;1,0;1\nx;1.003,5;0\n1.2;1,1;1\n")
    assert sx.describe(path, "y", decimal=",", thousands=".").columns[0].values() == "2 numbers, 2 words"


def test_codes_that_a_sheet_has_as_text_are_told_of(tmp_path):
    rows = [["plz", "y"], ["01067", "no"], ["99423", "yes"], ["04109", "no"]]
    path = write(tmp_path, "a.xlsx", workbook({"S": rows}))
    note = "The column 'plz' has whole numbers that begin with 0, such as 01067, as codes do."
    assert any(each.startswith(note) for each in sx.read_data(path, "y").notes())
    assert "01067 as 1067; if they are categories, say --text plz." in " ".join(
        succeeded("describe", path, "--label", "y").split()
    )
    assert sx.read_data(path, "y", text="plz").names == ["plz=01067", "plz=04109", "plz=99423"]


def test_told_gaps_are_gaps_besides_the_usual_ones(tmp_path):
    """A model that was made with one more text for a missing value takes empty cells of new rows, too."""
    path = write(tmp_path, "a.csv", "a,b,y\n1,-,0\n2,,1\n3,4,0\n4,5,1\n")
    assert sx.read_data(path, "y", gaps=["-"], missing="drop-rows").kept.tolist() == [2, 3]
    assert sx.read_data(path, "y", gaps="-", missing="drop-rows").kept.tolist() == [2, 3]
    model, proof = tmp_path / "model.json", tmp_path / "proof.json"
    told = ("--label", "y", "--gap", "-", "--missing", "indicator")
    succeeded("fit", path, *told, "--model", model)
    new = write(tmp_path, "new.csv", "a,b\n1,-\n2,\n3,NA\n4,x\n")
    assert "line 5, column 'b': 'x' is a word" in failed("predict", model, new)
    assert succeeded("predict", model, new, "--gap", "x")
    succeeded("decide", path, *told, "--certificate", proof)
    assert "'-' is a gap besides the usual texts: the classes are separable" in succeeded("verify", proof, path)


def test_only_the_told_gaps_are_gaps_if_that_is_said(tmp_path):
    path = write(tmp_path, "a.csv", "country,y\nNA,0\n-,1\nDE,1\n")
    data = sx.read_data(path, "y", gaps=["-"], usual_gaps=False, missing="drop-rows")
    assert (data.names, data.kept.tolist()) == (["country=DE", "country=NA"], [0, 2])
    columns = sx.describe(path, "y", usual_gaps=False).columns
    assert columns[0].gaps == 0
    assert "NA (1)" in succeeded("describe", path, "--label", "y", "--no-usual-gaps")
    model = tmp_path / "model.json"
    succeeded("fit", path, "--label", "y", "--gap", "-", "--no-usual-gaps", "--missing", "drop-rows", "--model", model)
    assert succeeded("predict", model, write(tmp_path, "new.csv", "country\nNA\n"))
    table = pd.DataFrame({"country": ["NA", "-", "DE"]})
    encoder = sx.TableEncoder(gaps=["-"], usual_gaps=False, missing="indicator").fit(table)
    assert list(map(str, encoder.columns_)) == ["country=DE", "country=NA", "country is missing"]
    assert sx.TableEncoder(gaps=["-"], missing="indicator").fit_transform(table).tolist() == [[0, 1], [0, 1], [1, 0]]


UNLABELLED = "a,b,y\n1,2,no\n2,,Yes\n3,4,\n4,1,yes\n0,,no\n5,5,?\n"


@pytest.mark.parametrize("missing", ["indicator", "drop-rows"])
@pytest.mark.parametrize("ignore_case", [False, True])
def test_rows_without_a_label_are_left_out_alone(tmp_path, missing, ignore_case):
    """What is made of the table is what is made of one without those rows, which are counted."""
    path = write(tmp_path, "a.csv", UNLABELLED)
    labelled = write(tmp_path, "b.csv", UNLABELLED.replace("3,4,\n", "\n").replace("5,5,?\n", ""))
    told = {"missing": missing, "ignore_case": ignore_case}
    data, expected = sx.read_data(path, "y", drop_unlabelled=True, **told), sx.read_data(labelled, "y", **told)
    assert data.X.tolist() == expected.X.tolist()
    assert (data.names, data.y.tolist()) == (expected.names, expected.y.tolist())
    assert data.locate([1]) == [each.replace("b.csv", "a.csv") for each in expected.locate([1])]
    assert data.kept.tolist() == ([0, 1, 3, 4] if missing == "indicator" else [0, 3])
    assert (data.given, data.unlabelled) == (6, 2)
    assert "Rows without a label were left out: 2 of 6." in data.notes()
    assert any("2 of 6 rows were left out, as they have missing values" in each for each in data.notes()) == (
        missing == "drop-rows"
    )


def test_rows_without_a_label_are_refused_with_the_way_out(tmp_path):
    path = write(tmp_path, "a.csv", UNLABELLED)
    with pytest.raises(sx.FileError, match=r"line 4: no label \(column 'y'\)\. .* out with drop_unlabelled=True\.$"):
        sx.read_data(path, "y", missing="indicator")
    told = ("--label", "y", "--ignore-case", "--missing", "indicator")
    assert failed("decide", path, *told).endswith("leave rows without a label out with --drop-unlabelled.\n")
    advice = "2 rows without a label: --drop-unlabelled leaves such rows out."
    assert advice in succeeded("describe", path, *told)
    assert "Before it can be decided" not in succeeded("describe", path, *told, "--drop-unlabelled")
    nobody = write(tmp_path, "b.csv", "a,y\n1,\n2,\n")
    assert "has a label, in the column 'y'" in failed("decide", nobody, "--label", "y", "--drop-unlabelled")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_proof_without_rows_that_have_no_label_is_checked(tmp_path, kind):
    """By the library, in the table as it is, and by the stand-alone checker, in one without those rows."""
    records = [line.split(",") for line in UNLABELLED.splitlines()]
    content = UNLABELLED if kind == "csv" else workbook({"S": records})
    path, proof = write(tmp_path, f"a.{kind}", content), tmp_path / "proof.json"
    told = ("--ignore-case", "--drop-unlabelled")
    succeeded("decide", path, "--label", "y", "--missing", "indicator", "--certificate", proof, *told)
    assert "Proved for 4 of 6 rows" in succeeded("verify", proof, path, *told)
    assert "Proved for 4 rows" in succeeded("verify", proof, tmp_path / "proof.csv")
    certificate = checker.parse(proof.read_text())
    rows = checker.read_rows([tmp_path / "proof.csv"], certificate)
    assert len(rows) == 4
    assert "Proved for 4 rows" in checker.check(certificate, rows)
    assert failed("verify", proof, path, "--ignore-case").endswith("rows without a label out with --drop-unlabelled.\n")


@pytest.fixture
def wide(tmp_path):
    """A table whose last column, of 61, is the label."""
    lines = (",".join(str(10**k + j) for j in range(60)) for k in range(3))
    names = ",".join([*(f"c{j}" for j in range(60)), "Versagen"])
    return write(tmp_path, "wide.csv", f"{names}\n" + "".join(f"{line},{k % 2}\n" for k, line in enumerate(lines)))


def test_the_last_column_is_named_in_errors(wide):
    for message in (failed("decide", wide), failed("play", wide), failed("decide", wide, "--label", "nowhere")):
        assert "'c10', …, 'Versagen' (61 in all). The last column is --label -1." in message
    assert failed("decide", wide, "--label", "versage").endswith("(61 in all). Did you mean 'Versagen'?\n")
    with pytest.raises(sx.OtherTable, match=r"The last column is label=-1\.$"):
        sx.read_data(wide, "nowhere")
    assert succeeded("decide", wide, "--label", "-1")


def test_the_last_column_is_described(wide, tmp_path):
    shown = succeeded("describe", wide)
    assert "Versagen" in shown
    assert "more column" not in shown
    wider = write(tmp_path, "wider.csv", "".join(f"{k},{line}" for k, line in enumerate(wide.open())))
    shown = succeeded("describe", wider, "--header")
    names = [line.split()[0] for line in shown.splitlines() if line]
    assert names[names.index("c58") :][:3] == ["c58", "…", "Versagen"]
    assert "… and 1 more column; --json has them all." in shown


def test_a_column_that_identifies_the_rows_is_told_of_once(tmp_path):
    """All other columns depend on one that is different in every row, whatever they are."""
    rows = [f"k{k},{k * k % 13},{k % 7},{k**3 % 11},{k % 2}\n" for k in range(30)]
    path = write(tmp_path, "a.csv", "id,a,b,c,y\n" + "".join(rows))
    told = "collinear all columns depend on id, which is different in every row. To see what else depends"
    shown = " ".join(succeeded("describe", path, "--label", "y").split())
    assert told in shown
    assert shown.count("depends on") == 1
    assert shown.endswith("on other columns, say --drop id.")
    assert "collinear none" in " ".join(succeeded("describe", path, "--label", "y", "--drop", "id").split())
    found = sx.describe(path, "y").problem
    assert (found.identifying, found.document()["identifying"]) == (("id",), ["id"])
    assert len(found.dependent) == 3
    path.write_text(path.read_text().replace("k29,", "k28,"))
    assert sx.describe(path, "y").problem.identifying == ()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "title", ["Measured in May", "Measured{0} May", "Measured{0} May\n\nroom 3", '"May{0} 3{0} 4{0} 5"']
)
def test_a_title_above_a_table_is_found(tmp_path, separator, title):
    """Also if what separates the cells is in it."""
    records = [["a", "b", "c", "y"], ["1", "2", "x", "no"], ["2", "3", "y", "yes"], ["3", "1", "z", "no"]]
    lines = "".join(f"{separator.join(record)}\n" for record in records)
    above = f"{title.format(separator)}\n"
    data = sx.read_data(write(tmp_path, "a.csv", above + lines), "y")
    expected = sx.read_data(write(tmp_path, "b.csv", lines), "y")
    assert (data.names, data.X.tolist()) == (expected.names, expected.X.tolist())
    number = above.count("\n")
    assert f"the table begins in line {number + 1}, with its names (skip_lines={number})" in data.notes()[0]


def test_a_title_that_is_not_certain_is_refused_with_the_way_out(tmp_path):
    for separator in (",", ";", "|"):
        path = write(tmp_path, "a.csv", "Measured in May\na,y\n1,no\n2,yes\n3,no\n".replace(",", separator))
        assert "from line 2 on there are 2" in (message := failed("decide", path, "--label", "y"))
        assert "If the table begins there, say --skip-lines 1" in message
        assert succeeded("decide", path, "--label", "y", "--skip-lines", "1")
    path = write(tmp_path, "a.csv", "text\nu;v\nw;z\nu;z\n")
    assert "if it has but one column, say --separator comma." in failed("describe", path)
    # names of columns that are one short, as R writes them, are no title, nor are rows of words below names
    for lines in ("job,age,y\nr1,cook,30,no\nr2,clerk,40,yes\n", "job,y\nr1,cook,x,no\nr2,clerk,z,yes\n"):
        assert "line 2: 4 values for" in failed("describe", write(tmp_path, "b.csv", lines))


def test_a_file_of_windows_is_refused_with_the_option_to_type(tmp_path):
    table = "größe;y\n1;nein\n2;jä\n"
    path = write(tmp_path, "a.csv", table.encode("cp1252"))
    assert "It may be in CP1252, the usual one of Windows in Western Europe: say --encoding cp1252, or save" in failed(
        "decide", path, "--label", "y"
    )
    assert succeeded("decide", path, "--label", "y", "--encoding", "cp1252")
    late = write(tmp_path, "b.csv", b"a;y\n" + b"1;no\n" * 20_000 + "2;jä\n".encode("cp1252"))
    assert "say --encoding cp1252," in failed("decide", late, "--label", "y")
    # 0x81 stands for nothing in CP1252
    assert "say --encoding latin-1," in failed("decide", write(tmp_path, "c.csv", b"a;y\n1;\x81\n"), "--label", "y")
    utf8 = write(tmp_path, "d.csv", "a;y\n1;\u0101\n2;no\n")
    message = failed("decide", utf8, "--label", "y", "--encoding", "utf-16")
    assert "--encoding utf-8" in message
    lines = write(tmp_path, "e.jsonl", '{"a": 1, "y": "jä"}\n'.encode("cp1252"))
    assert failed("decide", lines, "--label", "y").endswith("in UTF-8. Save it in UTF-8, as is usual for JSON.\n")


def test_what_is_proved_is_written_as_all_else_is(tmp_path):
    """With commas between thousands, and marks in quotation marks."""
    table = "# May\na;y\n" + "".join(f"{k}.000,5;{int(k > 500)}\n" for k in range(1, 1000)) + "0,5;0\n0,5;0\n"
    path, proof = write(tmp_path, "a.csv", table), tmp_path / "proof.json"
    succeeded("decide", path, "--label", "y", "--comment", "#", "--certificate", proof)
    for said in (succeeded("verify", proof, path), checker.check(*parsed(proof, path))):
        assert said.startswith("Proved for 1,001 rows, ")
        assert "lines that begin with '#' left out, ',' as the decimal mark, '.' between thousands" in said


def parsed(proof, path):
    certificate = checker.parse(proof.read_text())
    return certificate, checker.read_rows([path], certificate)


@pytest.mark.parametrize(("classes", "said"), [("ja nein", True), ("+ -", True), ("Ja NEIN", True), ("no yes", False)])
def test_the_positive_class_is_told_where_it_denies_the_other(tmp_path, classes, said):
    first, second = classes.split()
    path = write(tmp_path, "a.csv", f"a,y\n1,{first}\n2,{second}\n3,{first}\n")
    note = f"The positive class is '{second}', the second in sorted order; to have '{first}' instead, say "
    for command in ("describe", "decide", "fit"):
        shown = " ".join(succeeded(command, path, "--label", "y").split())
        assert (f"{note}--positive {first}." in shown) == said
        assert "The positive class is" not in succeeded(command, path, "--label", "y", "--positive", first)
    assert (f"{note}positive='{first}'." in sx.describe(path, "y").notes) == said
    assert (f"{note}positive='{first}'." in sx.describe(sx.read_data(path, "y")).notes) == said
    if said:
        assert f"'{first}' against '{second}'" in succeeded("decide", path, "--label", "y", "--positive", first)


@pytest.mark.parametrize(
    ("blank", "encoding"),
    [*((blank, encoding) for blank in "\u00a0\u2009\u202f" for encoding in ("utf-8", "utf-16")), ("\u00a0", "cp1252")],
)
def test_other_blanks_between_thousands_are_read_as_blanks_are(tmp_path, blank, encoding):
    """Told, or found where a decimal mark leaves no doubt; words keep theirs; both checkers read the numbers."""
    table = "a;b;c;y\n1_234,5;12_%;u_123;no\n12_000_000,25;3,5_%;v;yes\n7;1_000_%;v;no\n-1 000;0_%;v;no\n"
    told = {"encoding": "cp1252"} if encoding == "cp1252" else {}
    path = write(tmp_path, "a.csv", table.replace("_", blank).encode(encoding))
    expected = [[1234.5, 0.12, 1, 0], [12000000.25, 0.035, 0, 1], [7, 10, 0, 1], [-1000, 0, 0, 1]]
    for more in ({}, {"decimal": ",", "thousands": " "}):
        data = sx.read_data(path, "y", **told, **more)
        assert (data.names, data.X.tolist()) == (["a", "b", f"c=u{blank}123", "c=v"], expected)
    proof = tmp_path / "proof.json"
    options = [word for key, value in told.items() for word in (f"--{key}", value)]
    succeeded("decide", path, "--label", "y", *options, "--certificate", proof)
    assert "Proved for 4 rows" in succeeded("verify", proof, path)
    assert "Proved for 4 rows" in checker.check(*parsed(proof, tmp_path / "proof.csv"))


def test_numbers_that_cannot_be_read_are_refused_with_the_way_out(tmp_path):
    told = [
        ("1\u00a0234", "or say which marks they have (--thousands ' ')"),
        ("5 €", "has a sign of currency: write it as '5', without €. If"),
        ("$5", "has a sign of currency: write it as '5', without $. If"),
        ("1.234,50 €", "write it as '1.234,50', without €, and say --decimal , and --thousands .. If"),
    ]
    for cell, way in told:
        path = write(tmp_path, "a.csv", f"a;y\n3;no\n{cell};yes\n4;no\n")
        assert way in failed("decide", path, "--label", "y")
        assert way in " ".join(succeeded("describe", path, "--label", "y").split())
    assert sx.read_data(write(tmp_path, "b.csv", "a;y\n3;no\n1\u00a0234;yes\n"), "y", thousands=" ").X.tolist() == [
        [3],
        [1234],
    ]
    late = "a,y\n" + "1,no\n" * 30_000 + "1\u00a0234,yes\n"
    assert sx.read_data(write(tmp_path, "c.csv", late), "y", thousands=" ").X[-1].tolist() == [1234]
