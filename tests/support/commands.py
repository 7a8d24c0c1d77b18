"""The command line, run in this process, which is faster than starting one."""

import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout

import pytest

from separatrix.cli.app import main


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
