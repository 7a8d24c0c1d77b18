"""The script of `make fuzz` tells the truth: of properties that fail, workers that die and rounds that are cut short."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "fuzz.py"

HEAD = """
import os, signal, time
from hypothesis import HealthCheck, given, settings, strategies as st

usual = settings(max_examples=50, database=None, deadline=None, suppress_health_check=list(HealthCheck))

@usual
@given(st.integers())
def test_right(number):
    assert number == number
"""

ANOTHER = """
@usual
@given(st.integers())
def test_another(number):
    assert number + 1 > number
"""


def fuzz(folder, body, minutes=60):
    (folder / "test_properties.py").write_text(HEAD + body)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [
        sys.executable,
        str(SCRIPT),
        "--minutes",
        str(minutes),
        "--tests",
        str(folder),
        "--rounds",
        "1",
        "--jobs",
        "1",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_without_a_failure_it_counts_the_problems(tmp_path):
    output = fuzz(tmp_path, ANOTHER)
    assert output.returncode == 0, output.stdout + output.stderr
    assert "No failure in 100 problems: 1 whole rounds" in output.stdout


def test_where_nothing_was_tried_it_does_not_say_that_nothing_failed(tmp_path):
    output = fuzz(tmp_path, ANOTHER, minutes=1e-4)
    assert output.returncode == 1
    assert "no time to try a single problem" in output.stdout


def test_the_first_property_that_fails_ends_it(tmp_path):
    body = """
@usual
@given(st.integers())
def test_wrong(number):
    assert number < 1000
"""
    output = fuzz(tmp_path, body)
    assert output.returncode == 1
    assert "number=1000," in output.stdout  # the smallest one
    assert re.search(r"A failure after \d+ problems", output.stdout)
    assert "No failure" not in output.stdout


def test_a_failure_in_a_round_that_is_cut_short_counts(tmp_path):
    """The property has failed, but hypothesis is still busy with making the problem smaller when all is over."""
    body = """
@usual
@given(st.integers())
def test_wrong(number):
    if os.path.exists(__file__ + ".failed"):
        time.sleep(1000)
    open(__file__ + ".failed", "w").close()
    assert number == "the problem"
"""
    script = SCRIPT.read_text().replace("PATIENCE = 120.0", "PATIENCE = 2.0")
    impatient = tmp_path / "fuzz.py"
    impatient.write_text(script.replace("Path(__file__).parent /", f"Path({str(SCRIPT)!r}).parent /"))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_properties.py").write_text(HEAD + body)
    (tmp_path / "tests" / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, str(impatient), "--minutes", "60", "--tests", str(tmp_path / "tests"), "--jobs", "1"]
    output = subprocess.run(command, capture_output=True, text=True, check=False)
    assert output.returncode == 1, output.stdout + output.stderr
    assert 'assert number == "the problem"' in output.stdout
    assert "No failure" not in output.stdout


@pytest.mark.parametrize("death", ["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_worker_that_dies_is_a_failure(tmp_path, death):
    body = f"""
@usual
@given(st.integers())
def test_deadly(number):
    {death}
"""
    output = fuzz(tmp_path, body)
    assert output.returncode == 1
    assert re.search(r"crashed while running .*test_deadly", output.stdout), output.stdout
    assert "No failure" not in output.stdout


def test_what_cannot_be_collected_is_a_failure(tmp_path):
    output = fuzz(tmp_path, "import nothing_of_this_name")
    assert output.returncode == 1
    assert "nothing_of_this_name" in output.stdout
