"""Run the property tests over and over, with new random problems each time, for so many minutes."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    minutes = parser.parse_args().minutes
    ends = time.monotonic() + 60 * minutes
    environment = {**os.environ, "SEPARATRIX_PROFILE": "deep"}
    rounds = 0
    while time.monotonic() < ends:
        left = max(1, int(ends - time.monotonic()))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-k", "given or test_run or test_estimator",
                   str(Path(__file__).parent)]  # fmt: skip
        try:
            code = subprocess.run(
                command, env=environment, timeout=left, cwd=Path(__file__).parents[1], check=False
            ).returncode
        except subprocess.TimeoutExpired:
            break
        if code:
            sys.exit(code)
        rounds += 1
    print(f"No failure in {minutes:g} minutes ({rounds} whole rounds).")


if __name__ == "__main__":
    main()
