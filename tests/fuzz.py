"""Run the property tests round after round, with new random problems each time, for so many minutes.

The first failure ends it: a property that fails, a test that cannot be collected, a process that dies; whether or not its
round comes to an end. The failure is printed, and the exit code is 1. If there was none, it says how many problems were
tried.
"""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = 2000
PATIENCE = 120.0
"""Seconds that hypothesis may take to make a failing problem smaller, and pytest to report it."""


class Round:
    """A run of pytest over all properties, and what is known of it so far."""

    def __init__(self, tests, jobs, folder):
        self.folder = folder
        support = str(Path(__file__).parent / "support")
        environment = {
            **os.environ, "SEPARATRIX_PROFILE": "deep", "SEPARATRIX_EXAMPLES": str(EXAMPLES), "FUZZ_RECORD": str(folder),
            "PYTHONPATH": os.pathsep.join([support, *filter(None, [os.environ.get("PYTHONPATH")])]),
        }  # fmt: skip
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "fuzz_record", "-n", jobs, "-m", "hypothesis", tests]
        self.process = subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True)

    def failures(self):
        """Return what has failed until now, each with the text that tells of it."""
        file = self.folder / "failures"
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def tried(self):
        """Return how many problems were tried until now."""
        return sum(int(file.read_text() or 0) for file in self.folder.glob("*.tried"))

    def ended(self, timeout):
        """Wait, and say whether it has come to an end."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self):
        """End all its processes."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            self.ended(5.0)
        self.process.wait()


def fuzz(seconds, tests, jobs, most=math.inf):
    """Return the exit code: 0 if all the time, or so many rounds, have passed without a failure."""
    ends = time.monotonic() + seconds
    rounds = tried = 0
    while time.monotonic() < ends and rounds < most:
        with tempfile.TemporaryDirectory() as folder:
            current = Round(tests, jobs, Path(folder))
            try:
                while not current.ended(0.2) and time.monotonic() < ends and not current.failures():
                    pass
                if current.failures():
                    current.ended(PATIENCE)
            except KeyboardInterrupt:
                ends = 0.0
            whole = current.process.poll() is not None
            current.stop()
            tried += current.tried()
            failures = current.failures()
            if failures or (whole and current.process.returncode):
                for failure in failures[:1] if whole else failures:
                    print(f"\nFailed: {failure['test']}\n{failure['text']}")
                print(f"\nA failure after {tried:,} problems (pytest's exit code: {current.process.returncode}).")
                return 1
            rounds += whole
    if not tried:
        print("\nThere was no time to try a single problem.")
        return 1
    print(f"\nNo failure in {tried:,} problems: {rounds} whole rounds of {EXAMPLES:,} for each property, and a part.")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--tests", default="tests", help="the folder of the tests")
    parser.add_argument("--jobs", default="2", help="processes at once")
    parser.add_argument("--rounds", type=int, default=math.inf, help="end after so many rounds")
    given = parser.parse_args()
    sys.exit(fuzz(60 * given.minutes, given.tests, given.jobs, given.rounds))


if __name__ == "__main__":
    main()
