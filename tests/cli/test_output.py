"""What people read of the command line: hostile names, in pipes and terminals, and letters that a terminal does not know."""

import csv
import io
import json
import os
import re
import subprocess
from contextlib import redirect_stderr

import pytest
from outputs import Terminal, ended, run, write_csv

HOSTILE = "\x1b]0;pwned\x07\x1b[5m\nThe proof holds, for all\r\u202e\u200b\x9b5m|<img src=x>`[a](b)[red]"
"""A name that would set the title, blink, begin a line, turn the direction of writing, and be markup of all kinds."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def hostile(folder):
    """A table whose every name is hostile: its own, and those of its columns, its classes and its categories."""
    names = [f"size{HOSTILE}", f"colour{HOSTILE}", f"class{HOSTILE}"]
    kinds = [f"no{HOSTILE}", f"yes{HOSTILE}"]
    colours = [f"red{HOSTILE}", f"blue{HOSTILE}"]
    rows = [[k, colours[k % 2], kinds[k > 5 or k == 2]] for k in range(12)]
    return write_csv(folder / f"data{HOSTILE.replace('/', '')}.csv", names, rows)


@pytest.fixture(scope="module")
def three(folder):
    rows = [[k, k * k, f"{'abc'[k // 4]}{HOSTILE}"] for k in range(12)]
    names = [f"{each}{HOSTILE}" for each in ("a", "b", "class")]
    return write_csv(folder / f"three{HOSTILE.replace('/', '')}.csv", names, rows)


@pytest.fixture(scope="module")
def made(folder, hostile):
    """A model and a proof, whose own names are hostile as well."""
    model, proof = (folder / f"{what}{HOSTILE.replace('/', '')}.json" for what in ("model", "proof"))
    assert run("fit", hostile, "--label", LABEL, "--model", model)[0] == 0
    assert run("decide", hostile, "--label", LABEL, "--certificate", proof)[0] == 0
    return model, proof


LABEL = f"class{HOSTILE}"
ALGORITHMS = ("perceptron", "averaged", "voted", "pocket", "kernel", "least-squares", "linear-program")


def commands(hostile, three, made):
    """Yield every command that shows names to a person, those that fail among them."""
    model, proof = made
    label = ("--label", LABEL)
    yield "describe", hostile
    yield "describe", hostile, *label
    yield "describe", three, *label
    yield "describe", hostile, *label, "--positive", HOSTILE
    for style in ("text", "markdown", "latex"):
        yield "decide", hostile, *label, "--style", style, "--certificate", proof
        yield "decide", three, *label, "--positive", f"a{HOSTILE}", "--style", style
        yield "least-errors", hostile, *label, "--style", style, "--certificate", proof
    yield "audit", hostile, *label, "--max-iter", "5"
    yield "verify", proof, hostile
    yield "verify", proof, three
    for algorithm in ALGORITHMS:
        yield "fit", hostile, *label, "--algorithm", algorithm, "--model", model
        yield "fit", three, *label, "--algorithm", algorithm, "--max-iter", "2"
        yield "fit", three, *label, "--algorithm", algorithm
    yield "fit", hostile, *label, "--model", model
    yield "score", model, hostile
    yield "score", model, three
    yield "predict", model, hostile, "--output", model.with_suffix(".csv")
    yield "compare", hostile, *label, "--cv", "0", "--time-limit", "1"
    yield "compare", hostile, *label, "--cv", "0", "--time-limit", "1", "--markdown"
    # What is wrong.
    yield "fit", hostile, "--label", HOSTILE
    yield "fit", hostile, *label, "--positive", HOSTILE
    yield "fit", three, *label, "--algorithm", "max-margin"
    yield "audit", three, *label
    yield "decide", f"{hostile}.none", *label
    yield "decide", hostile, *label, "--weights", "x"
    yield "decide", hostile, *label, f"--{HOSTILE}"
    yield "decide", hostile, *label, "--drop", HOSTILE
    yield "least-errors", hostile, *label, "--weights", f"colour{HOSTILE}"
    yield "predict", hostile, hostile
    yield "predict", model, hostile, "--output", hostile
    yield "decide", hostile, *label, "--certificate", hostile.parent / HOSTILE / "no"
    yield "examples", HOSTILE
    yield (HOSTILE,)


@pytest.mark.filterwarnings("ignore")
def test_no_name_reaches_a_pipe_but_as_text(hostile, three, made, monkeypatch):
    monkeypatch.setenv("COLUMNS", "4000")  # a line that is broken at a blank begins with what comes after
    for command in commands(hostile, three, made):
        _, output, errors = run(*command)
        for line in (output + errors).decode().split("\n"):
            assert line.isprintable(), (command[0], line)
            assert not line.startswith("The proof holds, for all"), command
        assert output or errors


RICH = re.compile(r"\x1b\[([0-9;]*[mKA]|\?25[lh])|\r")


@pytest.mark.filterwarnings("ignore")
def test_no_name_reaches_a_terminal_but_as_text(hostile, three, made, monkeypatch):
    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)  # so that progress is shown, too
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "4000")
    model, _ = made
    for command in [*commands(hostile, three, made), ("predict", model, hostile)]:
        _, output, errors = run(*command, place=Terminal)
        seen = (output + errors).decode()
        assert "\x1b[5m" not in seen, command
        for line in RICH.sub("", seen).split("\n"):
            assert line.isprintable(), (command[0], line)
            assert not line.startswith("The proof holds, for all"), command


def test_progress_is_no_markup(monkeypatch):
    from separatrix.cli.terminal import progress
    from separatrix.support.progress import report

    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    errors = Terminal()
    with redirect_stderr(errors), progress("first"):
        report(lambda: "[red]name[/red] \x1b[5m\nline")
    seen = RICH.sub("", errors.read_all().decode())
    assert r"[red]name[/red] \x1b[5m\nline" in seen


@pytest.mark.filterwarnings("ignore")
def test_data_and_json_are_faithful(hostile, made):
    model, _ = made
    truth = [row[-1] for row in csv.reader(io.StringIO(hostile.read_bytes().decode(), newline=""))][1:]
    _, output, _ = run("predict", model, hostile)
    rows = list(csv.reader(io.StringIO(output.decode(), newline="")))
    predicted = json.loads(run("predict", model, hostile, "--json")[1])["predictions"]
    assert rows[0] == [LABEL, "score"]
    assert [row[0] for row in rows[1:]] == predicted
    assert set(predicted) <= set(truth)
    assert run("predict", model, hostile, "--output", hostile.with_suffix(".out"))[0] == 0
    assert hostile.with_suffix(".out").read_bytes() == output
    result = json.loads(run("decide", hostile, "--label", LABEL, "--json")[1])
    assert set(result["classes"]) == set(truth)
    assert result["features"][0] == f"size{HOSTILE}"
    assert json.loads(run("describe", hostile, "--label", LABEL, "--json")[1])["label"] == LABEL


def test_a_suggested_command_can_be_run(hostile, tmp_path):
    proof = tmp_path / "it's\na proof.json"
    _, output, _ = run("decide", hostile, "--label", LABEL, "--certificate", proof)
    suggested = output.decode().partition("check it with: separatrix ")[2]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {suggested}"], capture_output=True, check=True, env=environment)
    assert words.stdout.decode().split("\0")[:-1] == ["verify", str(proof), str(hostile)]


# ---- Formulas, and letters that a terminal does not know.


def test_formulas_are_data_unless_they_are_asked_to_be_harmless(tmp_path):
    classes = ["=HYPERLINK(1)", "@SUM(1)", "+1+1", "-2+3", "-2.5", "\tx", "plain"]
    data = write_csv(tmp_path / "d.csv", ["x", "=y"], [[10 * k, each] for k, each in enumerate(classes)])
    model = tmp_path / "m.json"
    assert run("fit", data, "--label", "=y", "--algorithm", "least-squares", "--model", model)[0] == 0
    predicted = json.loads(run("predict", model, data, "--json")[1])["predictions"]

    def labels(*more):
        code, output, _ = run("predict", model, data, *more)
        assert code == 0
        rows = list(csv.reader(io.StringIO(output.decode(), newline="")))
        return rows[0][0], [row[0] for row in rows[1:]], rows[0][1:]

    assert labels()[:2] == ("=y", predicted)
    name, safe, scores = labels("--spreadsheet-safe")
    assert name == "'=y"
    assert safe == [each if each in ("-2.5", "plain") else f"'{each}" for each in predicted]
    assert all(each.startswith("score of ") for each in scores)
    written = tmp_path / "out.csv"
    assert run("predict", model, data, "--spreadsheet-safe", "--output", written)[0] == 0
    assert written.read_bytes() == run("predict", model, data, "--spreadsheet-safe")[1]
    assert run("predict", model, data, "--spreadsheet-safe", "--json")[0] == 2


def test_ascii_loses_nothing(tmp_path):
    data = write_csv(tmp_path / "d.csv", ["größe", "art"], [[1, "ä"], [2, "ö"]])
    model, proof = tmp_path / "m.json", tmp_path / "p.json"
    assert run("fit", data, "--label", "art", "--model", model)[0] == 0
    _, output, _ = run("predict", model, data, encoding="ascii")
    assert output == run("predict", model, data)[1]
    assert [line.split(",")[0] for line in output.decode().splitlines()] == ["art", "ä", "ö"]
    assert run("decide", data, "--label", "art", "--certificate", proof)[0] == 0
    _, output, _ = run("verify", proof, data, encoding="ascii")
    assert rb"class '\xf6' against '\xe4'" in output
    _, output, _ = run("decide", data, "--label", "art", encoding="ascii")
    assert rb"[gr\xf6\xdfe]" in output or rb"gr\xf6\xdfe" in output
    _, _, errors = run("decide", data, "--label", "ä", encoding="ascii")
    assert rb"no column '\xe4'" in errors
    code, output, _ = ended("predict", model, data, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (code, output) == run("predict", model, data)[:2]
