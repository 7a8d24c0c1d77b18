"""The command line, run in this process, which is faster than starting one, and small tables for it."""

import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout

import pytest

from separatrix.cli.app import main

PATIENCE = 300  # seconds that a process may take, however busy the machine is
XOR = "left,right,odd\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
LINE = {
    "separable": "x,y\n1,0\n2,0\n3,1\n",
    "quasi-separable": "x,y\n1,0\n2,0\n2,1\n3,1\n",
    "overlapping": "x,y\n1,0\n2,1\n3,0\n",
}


def separatrix(*arguments):
    """Run a command; return what it printed, and its exit code."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors), pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return subprocess.CompletedProcess(arguments, left.value.code or 0, output.getvalue(), errors.getvalue())


def succeeded(*arguments):
    done = separatrix(*arguments)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def failed(*arguments, code=2):
    done = separatrix(*arguments)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path
