"""Where a command may write to: pipes and terminals, in this process, and processes of its own."""

import csv
import io
import os
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout

import pytest
from commands import PATIENCE

from separatrix.cli.app import main

pty = pytest.importorskip("pty", reason="takes a system with pseudo-terminals")
posix = pytest.mark.skipif(os.name != "posix", reason="of POSIX")


class Pipe(io.TextIOWrapper):
    """Standard output or error that is a pipe to a program."""

    def __init__(self, encoding="utf-8"):
        self.written = io.BytesIO()
        super().__init__(self.written, encoding=encoding, newline="\n")

    def read_all(self):
        self.flush()
        return self.written.getvalue()


class Terminal(io.TextIOWrapper):
    """Standard output or error that is a terminal, read while it is written to."""

    def __init__(self):
        self.master, slave = pty.openpty()
        self.seen = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        super().__init__(io.FileIO(slave, "w"), encoding="utf-8", newline="\n", line_buffering=True)
        self.reader.start()

    def _read(self):
        try:
            while more := os.read(self.master, 65536):
                self.seen += more
        except OSError:  # the other end is closed
            pass

    def read_all(self):
        self.close()
        self.reader.join()
        os.close(self.master)
        return self.seen


def run(*arguments, place=Pipe, **options):
    """Run a command in this process; return its exit code and the bytes on both its outputs."""
    outputs = place(**options), place(**options)
    with redirect_stdout(outputs[0]), redirect_stderr(outputs[1]), pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return left.value.code or 0, *(each.read_all() for each in outputs)


def started(*arguments, **options):
    """Start a process of its own."""
    command = [sys.executable, "-m", "separatrix", *map(str, arguments)]
    return subprocess.Popen(command, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def ended(*arguments, **options):
    process = started(*arguments, **options)
    output, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, output, errors


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path
