"""The options and the command on runs step by step."""

import csv
import json

import pytest
from commands import failed, separatrix, succeeded, written

AND = "x1,x2,output\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
THREE = "x,y\n0,a\n1,b\n2,c\n3,c\n"


def table(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def data(tmp_path):
    return written(tmp_path, AND)


@pytest.mark.parametrize(
    ("options", "lines"),
    [((), 36), (("--mistakes-only",), 18), (("--first", 5), 5), (("--algorithm", "averaged"), 36),
     (("--algorithm", "voted"), 36), (("--algorithm", "kernel", "--kernel", "linear"), 36),
     (("--algorithm", "pocket", "--start", "zero"), None), (("--order", "shuffle"), None)],
)  # fmt: skip
def test_steps_are_written(tmp_path, data, options, lines):
    path = tmp_path / "steps.csv"
    said = succeeded("fit", data, "--label", "output", "--steps", path, *options)
    assert f"Steps written to {path}." in said
    rows = table(path)
    assert lines is None or len(rows) == lines
    assert {row["label"] for row in rows} <= {"no", "yes"}
    assert "kernel" in options or "w[x1]" in rows[0]
    result = json.loads(succeeded("fit", data, "--label", "output", "--steps", "-", "--json", *options))
    assert [str(each) for each in result["steps"]["columns"]["row"]] == [row["row"] for row in rows]
    assert result["steps"]["columns"]["score"] == [row["score"] for row in rows]


def test_steps_are_shown_with_the_result(data):
    said = succeeded("fit", data, "--label", "output", "--steps", "-", "--first", 2)
    assert "The first 2 visits of a run of 18 mistakes." in said
    assert "weights are in the order x1, x2, intercept" in said


def test_decimals_and_a_chosen_class(tmp_path):
    data = written(tmp_path, "a,y\n0.1,p\n0.2,q\n0.4,r\n")
    path = tmp_path / "steps.csv"
    succeeded("fit", data, "--label", "y", "--positive", "r", "--eta0", "0.1", "--steps", path)
    rows = table(path)
    assert (rows[0]["w[a]"], rows[0]["b"]) == ("-0.01", "-0.1")
    succeeded("check-run", path, data, "--label", "y", "--positive", "r", "--eta0", "1/10")


def test_more_than_two_classes(tmp_path):
    data, path = written(tmp_path, THREE), tmp_path / "steps.csv"
    succeeded("fit", data, "--label", "y", "--steps", path, "--max-iter", 5)
    assert {"score[a]", "rival", "w[c][x]", "b[b]"} <= set(table(path)[0])


def test_what_is_refused(tmp_path, data):
    path = tmp_path / "steps.csv"
    fit = ("fit", data, "--label", "output")
    assert "--steps is not for --algorithm max-margin" in failed(*fit, "--algorithm", "max-margin", "--steps", path)
    assert "leave --holdout out" in failed(*fit, "--holdout", 0.5, "--steps", path)
    assert "--mistakes-only and --first are about --steps" in failed(*fit, "--first", 3)
    assert "--first must be at least 1" in failed(*fit, "--first", 0, "--steps", path)
    assert "would overwrite the data" in failed(*fit, "--steps", data)
    three = written(tmp_path, THREE, "three.csv")
    assert "choose one with --positive" in failed("fit", three, "--label", "y", "--algorithm", "voted", "--steps", path)
    assert not path.exists()


def test_long_tables_are_refused_in_the_words_of_the_command_line(tmp_path, data, monkeypatch):
    from separatrix.tracing import steps

    monkeypatch.setattr(steps, "MAX_LINES", 10)
    model, path = tmp_path / "m.json", tmp_path / "s.csv"
    said = failed("fit", data, "--label", "output", "--model", model, "--steps", path)
    assert "(--mistakes-only), or the first of them (--first 10)" in said
    assert model.exists()  # what was learnt is kept
    assert not path.exists()


# check-run


@pytest.mark.parametrize("options", [(), ("--tie", "positive"), ("--tie", "negative", "--eta0", "0.5")])
def test_what_fit_writes_is_right(tmp_path, data, options):
    path = tmp_path / "steps.csv"
    succeeded("fit", data, "--label", "output", "--steps", path, *options)
    said = succeeded("check-run", path, data, "--label", "output", *options)
    assert said.startswith("Right: ")
    assert json.loads(succeeded("check-run", path, data, "--label", "output", *options, "--json"))["right"] is True


def test_a_wrong_run(tmp_path, data):
    run = written(tmp_path, "row;w1;w2;b\n0;0;0;-1\n1;0;0;-1\n2;0;0;-1\n3;-1;-1;-2\n", "run.csv")
    done = separatrix("check-run", run, data, "--label", "output")
    assert done.returncode == 1
    assert f"{run}, line 5 (row 3) is the first wrong line" in done.stdout
    assert "the update has the wrong sign" in done.stdout
    done = separatrix("check-run", run, data, "--label", "output", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["right"], found["place"], found["cause"]) == (False, 5, "sign-of-update")
    assert found["expected"] == {"w[x1]": "1", "w[x2]": "1", "b": "0"}


def test_conventions(tmp_path, data):
    run = written(tmp_path, "row,b\n3,1/2\n2,0\n1,-1/2\n", "run.csv")
    check = ("check-run", run, data, "--label", "output", "--eta0", "1/2", "--order", "3,2,1,0", "--all-visits")
    assert separatrix(*check).returncode == 1  # it has not ended
    assert "stops before" in separatrix(*check).stdout
    begun = written(tmp_path, "row,w1,w2,b\n0,1,1,-3/2\n1,1,1,-3/2\n2,1,1,-3/2\n3,1,1,-3/2\n", "begun.csv")
    assert separatrix("check-run", begun, data, "--label", "output", "--start", "1,1,-3/2").returncode == 0
    bare = written(tmp_path, "row,w1,w2\n1,0,0\n2,0,0\n", "bare.csv")
    said = separatrix("check-run", bare, data, "--label", "output", "--no-intercept", "--tie", "negative", "--first-row", 1)
    assert (said.returncode, "no run on these rows ever ends" in said.stdout) == (1, True)  # AND needs a bias


XOR = "x1,x2,output\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"


def test_options_are_named_that_help(tmp_path, data):
    path, xor = tmp_path / "steps.csv", written(tmp_path, XOR, "xor.csv")
    fit = ("--label", "output", "--tie", "positive", "--eta0", "0.1")
    succeeded("fit", xor, *fit, "--max-iter", 7, "--steps", path)
    done = separatrix("check-run", path, xor, *fit)
    assert (done.returncode, "Say after how many passes it stops: --max-iter 7." in done.stdout) == (1, True)
    found = json.loads(separatrix("check-run", path, xor, *fit, "--json").stdout)
    assert (found["cause"], found["hint"]) == ("never-ends", "--max-iter 7")
    assert "it stops after 5 passes, right or not, with --max-iter 5" in separatrix(
        "check-run", path, xor, *fit, "--max-iter", 5
    ).stdout  # fmt: skip
    succeeded("check-run", path, xor, *fit, "--max-iter", 7)
    succeeded("fit", data, "--label", "output", "--steps", path)
    assert "give --first-row 0)" in separatrix("check-run", path, data, "--label", "output", "--first-row", 1).stdout


def test_terms_of_the_proof(tmp_path, data):
    path, check = tmp_path / "steps.csv", ("check-run", tmp_path / "steps.csv", data, "--label", "output")
    succeeded("fit", data, "--label", "output", "--steps", path)
    assert "Not checked, as w* is not given (--star): w*.u." in succeeded(*check)
    assert "||u||^2, w*.u.\n" in succeeded(*check, "--star", "2,2,-3")
    assert separatrix(*check, "--star", "2,2,-4").returncode == 1
    assert "star has 2 numbers, expected 3" in failed(*check, "--star", "2,2")
    header, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, first.replace(",0,1,3", ",-0.5,1,3"), *rest]))
    done = separatrix(*check)
    assert (done.returncode, "it says 2w.u = -0.5; expected is 2w.u = 0" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tie", "odd"), "--tie must be one of"),
        (("--start", "1,2"), "--start has 2 numbers, expected 3"),
        (("--start", "a"), "--start must be numbers"),
        (("--order", "shuffle"), "--order must be numbers"),
        (("--order", "0,1"), "each of the 4 rows once"),
        (("--eta0", "0"), "eta0 must be a positive number"),
        (("--max-iter", "0"), "--max-iter must be at least 1"),
    ],
)
def test_bad_input_of_check_run(tmp_path, data, options, message):
    run = written(tmp_path, "row,b\n0,-1\n", "run.csv")
    assert message in failed("check-run", run, data, "--label", "output", *options)


def test_a_run_that_is_not_there(data):
    assert "Error:" in failed("check-run", "none.csv", data, "--label", "output")
