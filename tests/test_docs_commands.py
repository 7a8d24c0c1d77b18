"""What the docs show of the command line is what it prints, page by page."""

import os
import subprocess
import sys

import pytest
from paths import DOCS
from readme import WIDTH, commands, is_as_shown

PAGES = [page for page in sorted(DOCS.glob("*.md")) if "```console" in page.read_text(encoding="utf-8")]


def test_there_are_such_pages():
    assert {page.name for page in PAGES} >= {"family.md", "online.md", "pocket.md", "steps.md", "teaching.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page(page, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, words in {"separatrix": '-m separatrix "$@"', "python": '"$@"'}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n')
        (programs / name).chmod(0o755)
    places = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    for command, expected in commands(page.read_text(encoding="utf-8")):
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env={**os.environ, **WIDTH, **places}, capture_output=True, text=True,
            timeout=300,
        )  # fmt: skip
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
