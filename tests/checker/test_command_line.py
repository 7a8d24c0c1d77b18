"""The checker on the command line, and as a file that stands alone."""

import json
import shutil
import subprocess
import sys

import pytest
from certificates import CLAIMS, DATA, EXAMPLES, LABELS, document_of, verdict

from separatrix import checker
from separatrix.checker import check, main, parse, read_rows


@pytest.fixture
def files(tmp_path):
    """A folder with the examples."""
    for claim, (table_text, document) in EXAMPLES.items():
        (tmp_path / f"{claim}.csv").write_text(table_text)
        (tmp_path / f"{claim}.json").write_text(document)
    return tmp_path


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_command_line_accepts(files, claim, capsys):
    assert main([str(files / f"{claim}.json"), str(files / f"{claim}.csv"), "--label", LABELS[claim]]) == 0
    shown = capsys.readouterr()
    certificate = parse(EXAMPLES[claim][1])
    rows = read_rows([files / f"{claim}.csv"], certificate, LABELS[claim])
    assert shown.out == check(certificate, rows) + "\n"
    assert shown.out.endswith(verdict(document_of(claim), DATA[claim]).partition(": ")[2] + "\n")  # the same is proved
    assert shown.err == ""


def test_the_command_line_without_a_label(files, capsys):
    """The certificate knows it, or it must be given; it never has two."""
    proof, data = str(files / "separable.json"), files / "separable.csv"
    assert main([proof, str(data)]) == 0
    assert capsys.readouterr().out.startswith("Proved for 4 rows")
    assert main([proof, str(data), "--label", "a"]) == 1
    assert capsys.readouterr().out == "Refused. The certificate has the labels in column 'both', not in 'a'.\n"
    assert main([str(files / "quasi-separable.json"), str(files / "quasi-separable.csv")]) == 2
    assert "name it with --label" in capsys.readouterr().err
    header, *lines = data.read_text().splitlines(keepends=True)
    parts = [files / f"{k}.csv" for k in range(3)]
    for k, part in enumerate(parts):
        part.write_text(header + "".join(lines[k : k + 1] if k < 2 else lines[2:]))
    assert main([proof, *map(str, parts)]) == 0
    assert main([proof, *map(str, parts[::-1])]) == 1


def test_the_command_line_refuses(files, capsys):
    data = files / "separable.csv"
    data.write_text(data.read_text().replace("1,1,1", "1,1,0"))
    assert main([str(files / "separable.json"), str(data), "--label", "both"]) == 1
    shown = capsys.readouterr()
    assert shown.out == "Refused. The data is not the data of the certificate: their digests differ.\n"
    assert shown.err == ""
    (files / "separable.json").write_bytes(b"\xff\xfe")
    assert main([str(files / "separable.json"), str(data), "--label", "both"]) == 1
    assert "Refused. The document is not UTF-8" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("certificate", "data", "label", "message"),
    [
        ("nothing.json", "separable.csv", "both", "nothing.json cannot be read: No such file"),
        ("separable.json", "nothing.csv", "both", "nothing.csv cannot be read: No such file"),
        (".", "separable.csv", "both", "cannot be read"),
        ("separable.json", ".", "both", "cannot be read"),
        ("quasi-separable.json", "separable.csv", "Both", "no column 'Both' for the label"),
        ("quasi-separable.json", "quasi-separable.json", "y", "no column 'y' for the label"),
        ("overlapping.json", "quasi-separable.csv", "x,y", "no column 'x,y' for the label"),
    ],
)
def test_the_command_line_cannot_look(files, certificate, data, label, message, capsys):
    assert main([str(files / certificate), str(files / data), "--label", label]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Not checked. ")
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_not_enough_memory(files, capsys, monkeypatch):
    def hungry(*_):
        raise MemoryError

    monkeypatch.setattr(checker, "read_rows", hungry)
    assert main([str(files / "separable.json"), str(files / "separable.csv"), "--label", "both"]) == 2
    assert capsys.readouterr().err == "Not checked. There is not enough memory.\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.json"], ["a.json", "--label", "y"], ["a.json", "b.csv", "--label"], ["a.json", "b.csv", "--base", "1"]],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_the_file_stands_alone(files):
    """A copy of the file in an empty folder, without site-packages: nothing but the standard library is there."""
    alone = files / "elsewhere" / "checker.py"
    alone.parent.mkdir()
    shutil.copy(checker.__file__, alone)
    arguments = [str(files / "quasi-separable.json"), str(files / "quasi-separable.csv"), "--label", "y"]
    done = run(sys.executable, "-I", "-S", "-W", "error", str(alone), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "quasi-separable" in done.stdout
    done = run(sys.executable, "-I", "-S", "-W", "error", str(alone), *arguments[:-1], "z")
    assert (done.returncode, done.stdout) == (2, "")


def test_as_a_module_and_in_its_place(files):
    arguments = [str(files / "separable.json"), str(files / "separable.csv"), "--label", "both"]
    for command in (["-m", "separatrix.checker"], [checker.__file__]):
        done = run(sys.executable, *command, *arguments)
        assert (done.returncode, done.stderr) == (0, "")


def test_names_that_the_terminal_cannot_show(files):
    document = document_of("separable")
    document["problem"]["columns"][1]["source"] = "Σ größe"
    (files / "odd.json").write_text(json.dumps(document))
    arguments = [str(files / "odd.json"), str(files / "separable.csv"), "--label", "both"]
    done = run(sys.executable, checker.__file__, *arguments, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stderr == ""
    assert r"a column '\u03a3 gr\xf6\xdfe'" in done.stdout
