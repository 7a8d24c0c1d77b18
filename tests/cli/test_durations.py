"""Lengths of time, as they are typed."""

import math

import pytest
import typer
from commands import XOR, failed, succeeded, written

from separatrix.cli.durations import seconds


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("30", 30), ("30s", 30), ("30 SEC", 30), ("0.5min", 30), (".5 m", 30), ("2h", 7200), ("250ms", 0.25), ("1e2", 100),
     ("inf", math.inf), (" 7 ", 7), ("-3", -3), (10.0, 10)],
)  # fmt: skip
def test_units(typed, meant):
    assert seconds(typed) == meant


@pytest.mark.parametrize("typed", ["", "s", "30x", "soon", "1:30", "1min30s", "30 s s", "1_0", "٣"])
def test_what_is_no_length_of_time(typed):
    with pytest.raises(typer.BadParameter, match="Give a number of seconds, such as 30, or 90s, 5min, 2h"):
        seconds(typed)


@pytest.mark.parametrize("command", ["decide", "least-errors", "compare", "fit"])
def test_the_option(tmp_path, command):
    options = (command, written(tmp_path, XOR), "--label", "odd", "--time-limit")
    told = " ".join(failed(*options, "30x").split())
    assert "Invalid value for '--time-limit': '30x' is not a length of time. Give a number of seconds, such as 30" in told
    assert "--time-limit must be a number of seconds above 0, got 0." in failed(*options, "0s")
    assert succeeded(*options, "2min")
