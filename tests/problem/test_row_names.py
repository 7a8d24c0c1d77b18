"""Rows are called by the lines of a text, and else by their positions, one way throughout."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.problem.problem import Problem
from separatrix.problem.row_names import RowNames, capitalised


def names_of(data, rows=()):
    return RowNames(data.problem() if isinstance(data, sx.Data) else data, rows)


def test_rows_of_arrays_are_counted_from_0():
    problem = Problem.of(np.arange(20.0)[:, None], np.arange(20) % 2)
    names = names_of(problem)
    assert (names.name(3), names.unit, names.cell(3), names.aside) == ("row 3", "row", "3", ", counted from 0")
    assert names.listed(list(range(14))) == "rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"
    assert (names.listed([5]), names.listed([5, 7])) == ("row 5", "rows 5 and 7")
    assert (names.formula(3).text, names.formula(3).latex) == ("(row 3)", "x_{3}")
    assert capitalised(names.listed([5])) == "Row 5"


def test_rows_that_are_left_out_are_counted():
    problem = Problem.of(np.arange(4.0)[:, None], [0, 1, 0, 1], sample_weight=[0, 1, 1, 2])
    names = names_of(problem)
    assert (names.name(0), names.counting) == ("row 1", "counted from 0, rows left out included")
    assert names.name_of_given(2) == "row 2"
    table = pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [0, 1, 1]})
    names = names_of(sx.read_data(table, label="y", missing="drop-rows"))
    assert (names.name(1), names.are_lines) == ("row 2", False)


@given(st.lists(st.sampled_from(["1,a,0", "2,b,1", ",a,1", "", '"3",b,1', '4,"a\nb",0']), min_size=1, max_size=12))
def test_rows_of_a_text_are_its_lines(tmp_path_factory, records):
    """Whatever stands between the rows; a row that takes two lines is in the one it ends in."""
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    records = ["0,a,1", "0,b,0", *records]
    path.write_text("x,c,y\n" + "".join(f"{each}\n" for each in records))
    expected, line = [], 1
    for record in records:
        line += 1 + record.count("\n")
        if record not in ("", ",a,1"):
            expected.append(line)
    data = sx.read_data(path, label="y", missing="drop-rows")
    names = names_of(data, range(len(data.rows)))
    assert [names.place(i).number for i in range(len(data.rows))] == expected
    assert (names.unit, names.aside) == ("line", "")


def test_long_texts_are_counted_and_not_read_anew(tmp_path):
    plain, odd = tmp_path / "plain.csv", tmp_path / "odd.csv"
    plain.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(3000)))
    odd.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(1500)) + "\n" + "7,1\n" * 1500)
    assert names_of(sx.read_data(plain, label="y")).name(2999) == "line 3001"
    data = sx.read_data(odd, label="y")
    assert [names_of(data).name(i) for i in (1499, 1500, 2999)] == ["line 1501", "line 1503", "line 3002"]


def test_libsvm_text_has_lines_as_well(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("# what it is\n1 1:1\n\n0 1:2 # a comment\n1 1:3\n")
    verdict = sx.decide(sx.read_data(path))
    assert "line 4 (0) lies on the segment between lines 2 and 5 (1)" in verdict.explain()


def test_several_files_are_named(tmp_path):
    for name, text in (("a.csv", "x,y\n0,0\n2,0\n"), ("b.csv", "x,y\n1,1\n5,1\n")):
        (tmp_path / name).write_text(text)
    data = sx.read_data([tmp_path / "a.csv", tmp_path / "b.csv"], label="y")
    names = names_of(data)
    assert re.fullmatch(r"line 3 of .*a\.csv", names.name(1))
    assert re.fullmatch(r"lines 2 and 3 of .*a\.csv and line 2 of .*b\.csv", names.listed([0, 1, 2]))
    assert "of" in names.cell(2)
    text = sx.decide(data).explain()
    assert "Three collinear points: line 2 of" in text
    assert "\\text{line 2 of" in sx.least_errors(data).explain("latex")


def test_names_go_along_with_rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(6)))
    data = sx.read_data(path, label="y")
    some = data.rows[np.array([4, 1])]
    assert RowNames(Problem.of(some, [0, 1])).listed([0, 1]) == "lines 6 and 3"
    assert RowNames(Problem.of(data.rows[2:][1:], [1, 0, 1])).name(0) == "line 5"
    assert RowNames(Problem.of(data.rows[[-1, 0]], [0, 1])).listed([0, 1]) == "lines 7 and 2"
    masked = data.rows[np.arange(6) > 3]
    assert RowNames(Problem.of(masked, [0, 1])).name(0) == "line 6"
    assert pickle.loads(pickle.dumps(some)).origin is None


def test_a_text_that_has_changed_is_not_trusted(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n0,0\n1,1\n2,0\n")
    data = sx.read_data(path, label="y")
    path.unlink()
    assert names_of(data).name(1) in ("row 1", "line 3")


@pytest.mark.parametrize("kernel", ["poly", "rbf", "linear"])
def test_kernels_name_rows_alike(tmp_path, kernel):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,0\n\n1,1\n2,0\n")
    text = sx.decide(sx.read_data(path, label="y"), kernel=kernel).explain()
    assert re.search(r"[Ll]ines 2 and 4", text)
    assert not re.search(r"\brows? \d", text)
