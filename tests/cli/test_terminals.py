"""What a terminal shows: lines of its width, and help that fits."""

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest
from commands import XOR, separatrix, succeeded, written

from separatrix.cli.app import app, main
from separatrix.cli.help import JOBS


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch, width, *arguments):
    """Run a command on a terminal of some width; return what it shows."""
    monkeypatch.setenv("COLUMNS", str(width))
    output, errors = Terminal(), Terminal()
    with redirect_stdout(output), redirect_stderr(errors), pytest.raises(SystemExit):
        main([str(each) for each in arguments])
    return (re.sub(r"\x1b\[[0-9;]*m", "", each.getvalue()) for each in (output, errors))


def too_long(text, width):
    """Give lines beyond the width that could have been broken: commands to copy are not."""
    return [line for line in text.splitlines() if len(line) > width and not line.strip().startswith("separatrix ")]


COMMANDS = {
    "decide": (), "least-errors": (), "audit": ("--max-iter", "3"), "mistake-bound": (), "fit": ("--algorithm", "pocket"),
    "describe": (),
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", COMMANDS)
def test_output_is_as_wide_as_the_terminal(tmp_path, monkeypatch, command, width):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, XOR)
    shown, told = on_terminal(monkeypatch, width, command, "data.csv", "--label", "odd", *COMMANDS[command])
    assert shown, told
    assert not too_long(shown, width)
    piped = succeeded(command, "data.csv", "--label", "odd", *COMMANDS[command])
    if command in ("decide", "mistake-bound"):  # tables are as they were, and words the same
        assert shown.split() == piped.split()
        assert max(map(len, piped.splitlines())) > width


def test_tables_that_are_too_wide_go_on_below(tmp_path, monkeypatch):
    names = [f"a_long_name_of_column_{j}" for j in range(6)]
    rows = ["1,2,3,4,5,6,yes", "1,2,3,4,5,6,no", "0,0,0,0,0,1,no"]
    data = written(tmp_path, "\n".join([",".join([*names, "y"]), *rows]) + "\n")
    shown, _ = on_terminal(monkeypatch, 70, "decide", data, "--label", "y")
    headers = [line.split() for line in shown.splitlines() if line.strip().startswith("line ")]
    assert len(headers) > 1
    assert [name for header in headers for name in header[1:]] == ["class", *names, "multiplier"]


def test_a_command_to_copy_stays_on_one_line(tmp_path, monkeypatch):
    data = written(tmp_path, XOR)
    shown, _ = on_terminal(monkeypatch, 60, "decide", data, "--label", "odd", "--certificate", tmp_path / "proof.json")
    assert f"\n    separatrix verify {tmp_path / 'proof.json'} {data}\n" in shown


def test_errors_are_wrapped_too(tmp_path, monkeypatch):
    _, told = on_terminal(monkeypatch, 60, "decide", written(tmp_path, XOR), "--label", "odd", "--missing", "drop")
    assert told.startswith("Error: --missing drop is not known; it must be one of")
    assert len(told.splitlines()) > 1
    assert not too_long(told, 60)


def test_styles_for_other_programs_are_left_alone(tmp_path, monkeypatch):
    data = written(tmp_path, XOR)
    for style in ("markdown", "latex"):
        shown, _ = on_terminal(monkeypatch, 60, "decide", data, "--label", "odd", "--style", style)
        assert shown == succeeded("decide", data, "--label", "odd", "--style", style)
    shown, _ = on_terminal(monkeypatch, 60, "decide", data, "--label", "odd", "--json")
    assert json.loads(shown)["witness"] == [0, 1, 2, 3]


def commands():
    return [each.name for each in app.registered_commands]


@pytest.mark.parametrize("command", [None, *commands()])
def test_help_fits_and_leaves_nothing_out(monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    text = succeeded(*([] if command is None else [command]), "--help")
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in re.sub(r"\{?\w+\}?\.\.\.|\[ARGS\]\.\.\.", "", text)
    assert not re.search("<(str|int|float|path|list)", text)


def test_every_command_has_a_job_and_a_sentence():
    text = succeeded("--help")
    assert [line[:-1] for line in text.splitlines() if line[:-1] in JOBS] == list(JOBS)
    listed = [name for names in JOBS.values() for name in names]
    assert len(set(listed)) == len(listed)
    assert set(listed) <= set(commands())
    for name in commands():
        assert re.search(rf"^  {name} +[A-Z]", text, re.MULTILINE), name


def test_options_are_grouped():
    text = succeeded("fit", "--help")
    titles = re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)
    assert titles == ["Arguments", "Data", "Algorithm", "Output", "How the file is written"]
    groups = dict(zip(titles, re.split(r"^[A-Z][a-z ]+:$", text, flags=re.MULTILINE)[1:], strict=True))
    for title, options in {
        "Data": ("--label", "--missing"), "Algorithm": ("--tie", "--algorithm"), "Output": ("--model", "--json"),
        "How the file is written": ("--separator", "--decimal"),
    }.items():  # fmt: skip
        assert all(f"  {option}" in groups[title] for option in options)


def test_labels_with_blanks_are_quoted(tmp_path):
    data = written(tmp_path, "x,y\n1, >50K\n2, <=50K\n")
    assert "' >50K' against ' <=50K'" in succeeded("fit", data, "--label", "y")
    assert "' <=50K', ' >50K'" in separatrix("fit", data, "--label", "y", "--positive", "50").stderr
