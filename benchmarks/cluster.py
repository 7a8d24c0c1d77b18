"""What rows on a cluster cost: from one worker to two, bytes to and from the client, its memory; and 10^12 rows on paper.

python benchmarks/cluster.py            # 10^6 and 10^7 rows, which workers generate
python benchmarks/cluster.py --rows 8   # up to 10^8
python benchmarks/cluster.py --paper    # the plan for 10^12 rows alone, nothing is run
"""

import argparse
import pickle
import resource
import time
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

COLUMNS = 10
ROWS_PER_BLOCK = 100_000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What it takes to decide rows of float64 in blocks, by counting.

    A decision is a survey and passes that ask the rows: a task for each block, in any order. The digest that a certificate
    names the rows by, made when it is written, is one more pass, from block to block.
    """

    rows: float
    columns: int = COLUMNS
    rows_per_block: float = ROWS_PER_BLOCK
    passes: float = 2.0
    workers: int = 1
    bytes_per_second: float = 1e9  # a worker reads, makes and asks
    hashed_per_second: float = 2.5e8  # bytes of SHA-256, one block after another
    seconds_per_task: float = 2e-3  # of the scheduler

    @property
    def blocks(self) -> int:
        return -int(-self.rows // self.rows_per_block)

    @property
    def tasks(self) -> int:
        """Messages to workers, and as many results."""
        return round((1 + self.passes) * self.blocks)

    @property
    def bytes_per_result(self) -> int:
        """Bytes, at most, that a block tells: of each class 200 rows and 6 for each weight, with number, score and label."""
        return 2 * (200 + 6 * (self.columns + 1)) * 8 * (self.columns + 3) + 4096

    @property
    def bytes_to_client(self) -> float:
        return self.tasks * self.bytes_per_result

    @property
    def bytes_read(self) -> float:
        return (1 + self.passes) * self.rows * self.columns * 8

    @property
    def seconds_asking(self) -> float:
        """Seconds of the survey and the passes: what is longest of work and of the scheduler's."""
        work = self.bytes_read / self.bytes_per_second / self.workers
        return max(work, self.tasks * self.seconds_per_task)

    @property
    def seconds_hashing(self) -> float:
        return self.rows * (12 * self.columns + 5) / self.hashed_per_second

    def __str__(self) -> str:
        return (
            f"{self.rows:.0e} rows on {self.workers:,} workers: {self.blocks:,} blocks, {self.tasks:,} tasks, at most "
            f"{self.bytes_to_client / 1e9:,.3g} GB to the client, {self.bytes_read / 1e12:,.3g} TB read, "
            f"{self.seconds_asking / 3600:,.2g} h; the digest {self.seconds_hashing / 3600:,.2g} h more"
        )


def generated(block, rows, columns=COLUMNS):
    """Rows of a block that a hyperplane separates, the same each time."""
    rng = np.random.default_rng(block)
    X = rng.standard_normal((rows, columns))
    X[:, 0] += np.where(X.sum(axis=1) > 0.0, 0.1, -0.1)
    return X, (X.sum(axis=1) > 0.0).astype(np.int64)


def parts(rows, rows_per_block=ROWS_PER_BLOCK):
    from dask.delayed import delayed

    sizes = [min(rows_per_block, rows - start) for start in range(0, rows, rows_per_block)]
    return [delayed(generated, pure=True)(block, size) for block, size in enumerate(sizes)]


class Counted:
    """Counts the tasks of rows on Dask, and the bytes of what they return to the client."""

    def __init__(self, rows):
        self.rows = rows
        self.tasks = self.bytes = self.largest = 0
        for name in ("map", "fold", "_surveys"):
            setattr(rows, name, partial(self.count, getattr(rows, name)))

    def count(self, method, *given, **options):
        for k, found in method(*given, **options):
            size = len(pickle.dumps(found))
            self.tasks, self.bytes, self.largest = self.tasks + 1, self.bytes + size, max(self.largest, size)
            yield k, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=7, help="up to ten to this power")
    parser.add_argument("--paper", action="store_true")
    chosen = parser.parse_args()
    for workers in (100, 1000, 10_000):
        print(Plan(rows=1e12, rows_per_block=1e7, workers=workers))
    if chosen.paper:
        return

    import separatrix as sx

    for power in range(6, chosen.rows + 1):
        for workers in (1, 2):
            with sx.DaskRows(parts(10**power), workers=workers) as rows:
                counted, begun = Counted(rows), time.monotonic()
                verdict: Any = sx.decide(rows)
                decided, tasks = time.monotonic() - begun, counted.tasks
                begun = time.monotonic()
                with warnings.catch_warnings(action="ignore"):
                    sx.Perceptron(max_iter=1).fit(rows)
                passed = time.monotonic() - begun
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(
                    f"10^{power} rows, {workers} workers: {verdict.status} in {decided:.1f} s, {verdict.passes:.2f} passes, "
                    f"{tasks:,} tasks, {counted.bytes / 1e6:.2f} MB to the client, at most {counted.largest:,} bytes "
                    f"at a time; a pass of the perceptron {passed:.1f} s; client {memory:.0f} MB at most",
                    flush=True,
                )


if __name__ == "__main__":
    main()
