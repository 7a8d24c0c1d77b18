"""What the README shows of the command line is what it prints."""

import shutil

from commands import separatrix
from readme import WIDTH, is_as_shown, steps

from separatrix import checker


def test_the_examples(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in WIDTH.items():
        monkeypatch.setenv(name, value)
    shutil.copy(checker.__file__, tmp_path)
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
        assert is_as_shown(expected, printed), printed
        ran += 1
    assert ran == 6
