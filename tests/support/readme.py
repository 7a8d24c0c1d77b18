"""What the README shows of the command line: the commands of its console blocks, each with what it prints."""

import doctest
import re
import shlex

from paths import ROOT

WIDTH = {"COLUMNS": "100"}
"""The environment in which it prints that."""


def steps():
    """Yield the commands, each with what it is to print."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, expected = part.partition("\n")
            yield shlex.split(command), expected


def is_as_shown(expected, printed):
    """Whether a command printed what the README shows; ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
