"""What the README and the docs show of the command line: the commands of console blocks, each with what it prints."""

import doctest
import re
import shlex

from paths import ROOT

WIDTH = {"COLUMNS": "100"}
"""The environment in which it prints that."""

_TIME = re.compile(r"<?\b[0-9.,]+ m?s\b")


def commands(text):
    """Yield the commands of a page, each with what it is to print."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def steps():
    """Yield the commands of the README, in words, each with what it is to print."""
    for command, expected in commands((ROOT / "README.md").read_text(encoding="utf-8")):
        yield shlex.split(command), expected


def is_as_shown(expected, printed):
    """Whether a command printed what a page shows; ``...`` stands for anything, and times may differ."""
    expected, printed = (_TIME.sub("(time)", text) for text in (expected, printed))
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
