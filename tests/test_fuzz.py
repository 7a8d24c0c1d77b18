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

SLOW = """
@usual
@given(st.integers())
def test_slow(number):
    time.sleep(0.05)
"""


def fuzz(folder, body, *, seconds):
    (folder / "test_properties.py").write_text(HEAD + body)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, str(SCRIPT), "--minutes", str(seconds / 60), "--tests", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_without_a_failure_it_counts_the_problems(tmp_path):
    output = fuzz(tmp_path, SLOW, seconds=12)
    assert output.returncode == 0, output.stdout + output.stderr
    tried, rounds = map(int, re.search(r"No failure in (\d+) problems: (\d+) whole rounds", output.stdout).groups())
    assert tried >= 100 * rounds
    assert tried > 0


def test_the_first_property_that_fails_ends_it(tmp_path):
    body = """
@usual
@given(st.integers())
def test_wrong(number):
    assert number < 1000
"""
    output = fuzz(tmp_path, body, seconds=100)
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
    impatient.write_text(script.replace("Path(__file__).parent)", f"Path({str(SCRIPT)!r}).parent)"))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_properties.py").write_text(HEAD + body)
    (tmp_path / "tests" / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, str(impatient), "--minutes", "1", "--tests", str(tmp_path / "tests")]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
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
    output = fuzz(tmp_path, body, seconds=100)
    assert output.returncode == 1
    assert re.search(r"crashed while running .*test_deadly", output.stdout), output.stdout
    assert "No failure" not in output.stdout


def test_what_cannot_be_collected_is_a_failure(tmp_path):
    output = fuzz(tmp_path, "import nothing_of_this_name", seconds=100)
    assert output.returncode == 1
    assert "nothing_of_this_name" in output.stdout
