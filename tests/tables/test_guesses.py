"""What is found out of how a text is written: it is right, or nothing is found."""

import json
from fractions import Fraction

import pytest
from commands import separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from table_files import write

import separatrix as sx
from separatrix import checker
from separatrix.checker import number_text
from separatrix.exceptions import FileError
from separatrix.tables.text.csv_guesses import marks_in
from separatrix.tables.text.titles import place_of_names

MARKS = [(".", None), (",", None), (".", ","), (",", "."), (".", "'"), (",", "'"), (".", " "), (",", " "), (".", "_")]


@st.composite
def decimals(draw, marks):
    """Return a number, and a text that it is written as with these marks."""
    decimal, thousands = marks
    units, places = draw(st.integers(0, 10 ** draw(st.integers(1, 9)))), draw(st.integers(0, 4))
    whole, fraction = divmod(units, 10**places)
    text = f"{whole:,}".replace(",", thousands) if thousands and draw(st.booleans()) else str(whole)
    sign = draw(st.sampled_from(["", "-", "+"]))
    text = f"{sign}{text}{f'{decimal}{fraction:0{places}}' if places else ''}"
    return Fraction(units, 10**places) * (-1 if sign == "-" else 1), text


@given(st.data())
def test_marks_are_read_as_they_are_written(data):
    marks = data.draw(st.sampled_from(MARKS))
    number, text = data.draw(decimals(marks))
    read = number_text(f" {text}", {"decimal": marks[0], "thousands": marks[1]})
    assert checker.CELL.fullmatch(read)
    assert Fraction(read) == number


@given(st.data())
def test_marks_that_are_found_are_those_that_were_written(data):
    marks = data.draw(st.sampled_from(MARKS[:-1]))
    columns = data.draw(st.lists(st.lists(decimals(marks), min_size=1, max_size=4), min_size=1, max_size=3))
    found = marks_in([[text for _, text in column] for column in columns])
    if found is not None:
        decimal, thousands, example = found
        texts = [text for column in columns for _, text in column]
        assert example in texts
        for number, text in (pair for column in columns for pair in column):
            read = number_text(text, {"decimal": decimal, "thousands": thousands})
            assert not checker.CELL.fullmatch(read) or Fraction(read) == number


def test_three_digits_after_a_decimal_comma_are_no_thousands(tmp_path):
    """Where nothing stands between thousands, a comma is the decimal mark and nothing else."""
    path, proof = write(tmp_path, "t.csv", "a;y\n0,005;no\n1,234;yes\n12,5;yes\n"), tmp_path / "proof.json"
    for options in ({}, {"decimal": ",", "separator": "semicolon"}):
        data = sx.read_data(path, "y", **options)
        assert data.X[:, 0].tolist() == [0.005, 1.234, 12.5]
        sx.decide(data).certificate.save(proof)
        assert checker.main([str(proof), str(path)]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "a;b;y\n1,234;1;no\n2,345;2;yes\n",  # thousands, or decimals
        "a;b;y\n12,5;0.5;no\n13,5;1.5;yes\n",  # both
        "a;b;y\n12,5;1.234;no\n13,5;2.345;yes\n",  # 1.234 may be either
        "a,b,y\n1.234.567,1,no\n2.345.678,2,yes\n",  # or an address
        "a,b,y\n12 %,1,no\n13,2,yes\n",
        "1,2;3,4\n5,6;7,8\n",
    ],
)
def test_what_may_be_meant_otherwise_is_refused(tmp_path, text):
    with pytest.raises(FileError, match=r"say|Say"):
        sx.read_data(write(tmp_path, "t.csv", text), -1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_a_line_that_names_the_separator(tmp_path, separator, encoding):
    names = separator.join(["größe", "b", "y"])
    path = tmp_path / "t.csv"
    path.write_bytes(
        f"sep={separator}\r\n{names}\r\n1{separator}2{separator}no\r\n2{separator}2{separator}yes\r\n".encode(encoding)
    )
    data = sx.read_data(path, "y", encoding="cp1252" if encoding == "cp1252" else None)
    assert data.names == ["größe", "b"]
    assert data.locate([1]) == [f"{path}, line 4"]
    assert "by its first line" in data.notes()[0]
    proof = tmp_path / "proof.json"
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0


def test_lines_above_the_table(tmp_path):
    path, proof = (
        write(tmp_path, "t.csv", 'Customers, May\n"made by ""us"""\n\na;b;y\n1;5;no\n2;7;yes\n'),
        tmp_path / "p.json",
    )
    data = sx.read_data(path, "y")
    assert data.X.tolist() == [[1, 5], [2, 7]]
    assert data.locate([0]) == [f"{path}, line 5"]
    assert "begins in line 4" in data.notes()[0]
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0
    # Two columns are too few to tell a title from names.
    with pytest.raises(FileError, match="If the table begins there, say skip_lines=2"):
        sx.read_data(write(tmp_path, "t.csv", "May\n\na,y\n1,no\n2,yes\n"), "y")
    assert sx.read_data(tmp_path / "t.csv", "y", skip_lines=2).X.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    "records",
    [
        [["", "b", "y"], ["u", "v", "w"]],  # an index without a name
        [["a", "b", "c", "d"], ["1", "2", "3", "4"]],
        [["5", "", ""], ["1", "2", "3"], ["4", "5", "6"]],  # a row with gaps
        [["a", "b"], ["u", "v"]],
        [["a"], ["u"]],
        [],
    ],
)
def test_names_in_the_first_record_are_left_there(records):
    assert place_of_names(records) == 0


def test_blanks_around_labels_and_names(tmp_path):
    """As in tables whose values are separated by a comma and a blank."""
    text = "age, job, income\n" + "".join(f"{20 + k}, {job}, {income}\n" for k, (job, income) in enumerate(
        [("cook", "<=50K"), ("clerk", ">50K")] * 4))  # fmt: skip
    path = write(tmp_path, "adult.csv", text)
    said = succeeded("decide", path, "--label", "income", "--positive", ">50K")
    assert "' >50K' against ' <=50K'" in said
    assert separatrix("decide", path, "--label", "income", "--positive", "50K").stderr.endswith(
        "is not a class of the label, which has: ' <=50K', ' >50K'.\n"
    )


def test_labels_that_differ_by_case_alone(tmp_path):
    path, model, proof = (
        write(tmp_path, "t.csv", "a,y\n1,ja\n2,Ja \n5,nein\n6,NEIN\n"),
        tmp_path / "m.json",
        tmp_path / "p.json",
    )
    assert "take such as one with --ignore-case" in separatrix("decide", path, "--label", "y").stderr
    chosen = ("--label", "y", "--ignore-case")
    succeeded("decide", path, *chosen, "--certificate", proof)
    assert (tmp_path / "p.csv").read_text() == "a,y\n1,ja\n2,ja\n5,nein\n6,nein\n"
    assert checker.main([str(proof), str(tmp_path / "p.csv")]) == 0
    succeeded("verify", proof, path, "--ignore-case")
    succeeded("fit", path, *chosen, "--model", model)
    for more in ((), ("--ignore-case",), ("--memory", "1M")):
        assert "0 errors in 4 rows" in succeeded("score", model, path, *more)
        said = succeeded("predict", model, path, *more).split()[1:]
        assert [line.split(",")[0] for line in said] == ["ja", "ja", "nein", "nein"]
    data = sx.read_data(path, "y", ignore_case=True)
    assert sx.read_data(path, "y", like=data).classes == ("ja", "nein")
    document = json.loads(model.read_text())
    assert document["ignore_case"] is True
    del document["ignore_case"]  # as older versions wrote it
    model.write_text(json.dumps(document))
    assert "neither" in separatrix("score", model, path).stderr
    assert "0 errors in 4 rows" in succeeded("score", model, path, "--ignore-case")
    model.write_text(json.dumps({**document, "ignore_case": False}))
    assert "ignore_case must be true, if it is there" in separatrix("score", model, path).stderr
    with pytest.raises(ValueError, match=r"ignore_case=True"):
        sx.decide(sx.read_data(path, "y"))
    assert sx.decide(sx.read_data({"a": [1, 2], "y": ["no", "No "]}, "y", ignore_case=False)).separable
    assert sx.read_data({"a": [1, 2, 3], "y": ["no", "No ", "yes"]}, "y", ignore_case=True).classes == ("no", "yes")


def test_codes_dates_and_numbers_of_rows_are_told_of(tmp_path):
    rows = "".join(f"{k + 1:05},2024-01-{k + 1:02},{k},{k % 5},{k % 2}\n" for k in range(20))
    path = write(tmp_path, "t.csv", "plz,day,id,x,y\n" + rows)
    notes = sx.read_data(path, "y").notes()
    assert [note.split("'")[1] for note in notes] == ["plz", "plz", "id", "day"]
    assert "00001 as 1; if they are categories, say text='plz'" in notes[0]
    assert sx.read_data(path, "y", drop=["id", "day"], text=["plz"]).notes()[0].startswith("The column 'plz' has 20 categ")
    assert sx.read_data(path, "y", drop=["id", "day", "plz"]).notes() == []
    # Far from the beginning, too.
    large = "a,plz,y\n" + "123456,99999,0\n" * 20_000 + "123456,01067,1\n" * 2000
    assert "01067" in sx.read_data(write(tmp_path, "large.csv", large), "y").notes()[0]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (["12 EUR", "7 EUR", "1.300,50 EUR"], "EUR"),
        (["$3", "$ 4.50", "$5"], "$"),
        (["USD 3", "USD 4", "USD 5"], "USD"),
        (["5 kg", "6kg", "-7.5 kg"], "kg"),
        (["5 kg", "6 lb", "7 kg"], None),
        (["A1", "A2", "A3"], None),
        (["18-24 years", "25-34 years", "35-44 years"], None),
        (["5 kg", "6 kg", "unknown"], None),
        (["1 yes", "2 yes"], None),
    ],
)
def test_numbers_with_a_unit_are_told_of(cells, unit):
    table = {"price": cells * 4, "x": list(range(4 * len(cells))), "y": [0, 1] * (2 * len(cells))}
    told = [str(note) for note in sx.read_data(table, "y", drop="x").notes() if "holds numbers with" in str(note)]
    assert [f"numbers with '{unit}', such as '" in note for note in told] == ([] if unit is None else [True])
    assert all("drop='price'" in note for note in told)


def test_a_model_is_applied_to_the_same_table_in_another_file(tmp_path):
    """What a file looks like is found out anew, if the model was learnt from a plain one; else it is as there."""
    plain = write(tmp_path, "plain.csv", "a,b,y\n1.5,2,no\n2.5,3,yes\n")
    german = write(tmp_path, "german.csv", "a;b;y\n1,5;2;no\n2,5;3;yes\n")
    lines = write(tmp_path, "t.jsonl", '{"b": 2, "a": 1.5, "y": "no"}\n{"a": 2.5, "b": 3, "y": "yes"}\n')
    for learnt in (plain, german, lines):
        model = tmp_path / "model.json"
        succeeded("fit", learnt, "--label", "y", "--model", model)
        said = {succeeded("predict", model, file) for file in (plain, lines, learnt)}
        assert len(said) == 1
    succeeded("fit", plain, "--label", "y", "--model", tmp_path / "model.json")
    done = separatrix("predict", tmp_path / "model.json", german)
    assert done.stdout == said.pop()
    assert "decimal commas" in done.stderr


def test_leading_zeros_are_found_below_a_title(tmp_path):
    """In a text that is looked at here and there, title and header are no rows."""
    path = tmp_path / "codes.csv"
    rows = "".join(f"{i},{80000 + i if i < 3000 else 1067:05},{'yes' if i % 2 else 'no'}\n" for i in range(4000))
    for title in ("", "Applications of the year\n\n"):
        path.write_text(f"{title}id,code,y\n{rows}")
        assert any("'code' has whole numbers that begin with 0" in str(note) for note in sx.read_data(path, "y").notes())
