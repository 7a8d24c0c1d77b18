"""What the README shows of the command line is what it prints."""

import doctest
import re
import shlex
import shutil

from commands import separatrix
from paths import ROOT

from separatrix import checker

README = ROOT / "README.md"


def steps():
    """Return the commands of the console blocks, each with what it is to print."""
    for block in re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, expected = part.partition("\n")
            yield shlex.split(command), expected


def test_the_examples(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shutil.copy(checker.__file__, tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    ran = 0
    for (program, *arguments), expected in steps():
        if program == "separatrix":
            done = separatrix(*arguments)
            assert done.returncode == 0, done.stderr
            printed = done.stdout + done.stderr
        else:
            assert (program, arguments[0]) == ("python", "checker.py")
            assert checker.main(arguments[1:]) == 0
            printed = capsys.readouterr().out
        assert doctest.OutputChecker().check_output(expected, printed, flags), printed
        ran += 1
    assert ran == 6
