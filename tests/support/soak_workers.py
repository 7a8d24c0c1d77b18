"""Kill workers of a cluster at random moments, time and again, and see that all answers stay those of memory.

The rows are those of two files, which workers read. A line for each kill, and for each round of answers; the first
difference ends it, with the exit code 1.
"""

import argparse
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, GROUP, WORKERS = 6_000, 300, 2

SECONDS_BETWEEN = (0.05, 3.0)
"""Between two kills, at least and at most; killed workers are started anew in the meantime."""


def write(folder):
    """Write two tables, one whose classes are separable and one with a label that is wrong; return them with their rows."""
    rng = np.random.RandomState(0)
    X = np.round(rng.standard_normal((ROWS, 3)), 2)
    side = X @ [1.0, -2.0, 0.5] + 0.25
    X, side = X[np.abs(side) > 0.5], side[np.abs(side) > 0.5]
    written = {}
    for name in ("separable", "noisy"):
        y = (side > 0).astype(int)
        if name == "noisy":
            y[np.argmax(side)] = 0
        path = str(Path(folder, f"{name}.parquet"))
        table = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y})
        pq.write_table(table, path, row_group_size=GROUP)
        written[name] = path, X, y
    return written


def answers(separable, noisy):
    """Return what is the same however rows are divided: runs, verdicts, exact margins, audits, fewest errors."""
    import separatrix as sx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sx.Perceptron(max_iter=30, record=True).fit(*separable)
        other = sx.Perceptron(max_iter=3).fit(*noisy)
        audit = sx.audit(fitted, *separable)
        verdict, few = sx.decide(*noisy), sx.least_errors(*noisy, time_limit=60)
        return {
            "weights": fitted.exact_weights().strings(), "trace": fitted.mistakes_.tolist(),
            "weights of noise": other.exact_weights().strings(), "mistakes": int(other.n_mistakes_),
            "lengths": audit.squared_length.tolist(), "radius": audit.radius_squared, "holds": audit.holds,
            "verdict": str(verdict.status), "separated": verdict.separated_rows.tolist(),
            "margin": sx.margin(*separable, exact=True).squared, "errors": (few.lower, few.upper),
            "given up": few.rows_given_up.tolist(),
        }  # fmt: skip


class Killer:
    """Kills a worker now and then, until there were so many kills."""

    def __init__(self, client, kills, tell, seed=None):
        self._client, self._tell, self._chance = client, tell, random.Random(seed)
        self.left, self.done = kills, 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def _go_on(self):
        began = time.monotonic()
        while self.left and not self._ended.wait(self._chance.uniform(*SECONDS_BETWEEN)):
            try:
                process = self._chance.choice(sorted(self._client.run(os.getpid, on_error="ignore").values()))
                os.kill(process, signal.SIGKILL)
            except (IndexError, OSError, ValueError):  # there is none just now
                continue
            self.left, self.done = self.left - 1, self.done + 1
            self._tell(f"{self.done:3}: a worker killed {time.monotonic() - began:.1f} s after the start")

    def end(self):
        """Kill no more."""
        self._ended.set()
        self._thread.join()


def soak(kills, tell=print, seed=None):
    """Answer in rounds until so many workers were killed; return how many rounds had another answer than memory."""
    import separatrix as sx
    from separatrix.distributed.cluster import local_client

    with tempfile.TemporaryDirectory() as folder:
        tables = write(folder)
        expected = answers(*((X, y) for _, X, y in tables.values()))
        client, cluster = local_client(WORKERS)
        killer = Killer(client, kills, tell, seed)
        try:
            rounds = 0
            while killer.left or not rounds:
                rows = [
                    (sx.DaskRows(path, label="y", client=client, memory="1MB", numbers="float64"),)
                    for path, _, _ in tables.values()
                ]
                found = answers(*rows)
                rounds += 1
                odd = [name for name, value in expected.items() if found[name] != value]
                tell(f"round {rounds}: {'the same' if not odd else 'ANOTHER RESULT: ' + ', '.join(odd)}")
                if odd:
                    return 1
            return 0
        finally:
            killer.end()
            client.close()
            cluster.close()


def main():
    """Soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    if soak(given.kills, lambda line: print(line, flush=True), given.seed):
        raise SystemExit(1)
    print(f"{given.kills} workers killed, and the same answers each time.")


if __name__ == "__main__":
    main()
