"""What the docs show of the command line is what it prints, page by page."""

import os
import shlex
import subprocess
import sys

import pytest
from commands import separatrix
from paths import DOCS
from readme import WIDTH, commands, is_as_shown

SHELL = set("|&;<>$`*?(){}[]~#!\\\n")  # what a shell would read otherwise than as words
PAGES = [page for page in sorted(DOCS.glob("*.md")) if "```console" in page.read_text(encoding="utf-8")]


def test_there_are_such_pages():
    assert {page.name for page in PAGES} >= {"family.md", "online.md", "pocket.md", "steps.md", "teaching.md"}


def by_a_shell(command, folder):
    """Run a line as a shell does, with programs that are called what a reader has."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, words in {"separatrix": '-m separatrix "$@"', "python": '"$@"'}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n')
        (programs / name).chmod(0o755)
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page(page, tmp_path, monkeypatch):
    """A command that needs nothing of a shell is run in this process, where all is loaded already."""
    monkeypatch.chdir(tmp_path)
    for name, value in {**WIDTH, "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    for command, expected in commands(page.read_text(encoding="utf-8")):
        alone = command.startswith("separatrix ") and not SHELL & set(command)
        done = separatrix(*shlex.split(command)[1:]) if alone else by_a_shell(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        printed = done.stdout + done.stderr
        assert is_as_shown(expected, printed), (command, printed)


def test_no_command_stands_in_a_block_that_is_not_run():
    """Lines of code that begin with a command are in console blocks, where they are tried."""
    for page in sorted(DOCS.glob("*.md")):
        lines, language = page.read_text(encoding="utf-8").splitlines(), None
        for line in lines:
            if line.startswith("```"):
                language = line[3:] if language is None else None
            elif language is not None and language != "console":
                assert not line.startswith(("separatrix ", "$ ")), (page.name, line)
