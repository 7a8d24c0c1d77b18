"""Run the property tests round after round, with new random problems each time, for so many minutes."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = 2000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    ends = time.monotonic() + 60 * parser.parse_args().minutes
    environment = {**os.environ, "SEPARATRIX_PROFILE": "deep", "SEPARATRIX_EXAMPLES": str(EXAMPLES)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-m", "hypothesis", "tests"]
    rounds = 0
    while (left := ends - time.monotonic()) > 0:
        process = subprocess.Popen(command, env=environment, cwd=ROOT)
        try:
            if process.wait(timeout=left):
                sys.exit(process.returncode)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.terminate()
            process.wait()
            break
        rounds += 1
    print(f"\nNo failure in {rounds} whole rounds of {EXAMPLES:,} problems for each property.")


if __name__ == "__main__":
    main()
