"""Rows on a cluster: what a second worker brings, how much goes to and from the client, and how much memory that takes.

    python benchmarks/distributed.py [--millions 4] [--repeat 1] [--only NAME ...] [--json FILE]

Rows of 20 columns are made on the workers, anew for each pass, each part from a seed of its own; they are separable. The
workers are processes of this machine that listen to it alone, with one thread each. The client is a process of its own in
which the scheduler is as well: its memory is that of both, and bytes are all that come to either of them and go from them.
Ends with 1 if a bar is missed.
"""

import os
import socket
import struct
import sys
from functools import partial
from pathlib import Path

import harness
import memory
import numpy as np
from harness import Line, Outcome

import separatrix as sx

sys.path.sort(key=lambda folder: Path(folder) == Path(__file__).parent)  # Dask's package has the name of this file
from separatrix.distributed.cluster import local_client

D, PART = 20, 2**18
FEW, MANY = 10**6, 10**8
MOST_GROWTH = 100e6  # bytes
RECEIVED = 128  # where Linux has the bytes that a connection has brought, in what it tells of it


def part(seed, n):
    """Return separable rows and their labels."""
    weights = np.linspace(-1.0, 1.0, D)
    X = 2.0 * np.random.default_rng(seed).random((n, D)) - 1.0
    scores = X @ weights + 0.25
    near = np.abs(scores) < 0.05
    X[near] += np.where(scores[near] < 0, -0.1, 0.1)[:, None] * weights / np.sqrt(weights @ weights)
    return X, (X @ weights + 0.25 > 0).astype(np.int64)


def parts(n):
    from dask import delayed

    made = delayed(part, pure=True)
    return [made(start // PART, min(PART, n - start)) for start in range(0, n, PART)]


def decide(rows):
    return str(sx.decide(rows).status)


def serial_pass(rows):
    return f"{sx.Perceptron(max_iter=1).fit(rows).n_mistakes_:,} mistakes"


def on_workers(work, workers, n, repeat):
    """Do some work; return the seconds of the survey and of the work, bytes moved, the peak of memory, and what is found."""
    client, cluster = local_client(workers)
    with cluster, client:
        work(sx.DaskRows(parts(PART * workers), client=client))  # compiles
        before = bytes_received()
        rows = sx.DaskRows(parts(n), client=client)
        surveyed = harness.timed(lambda: rows.facts).seconds
        took = harness.in_turn(repeat, {"work": partial(work, rows)})["work"]
        return surveyed, took.seconds, (bytes_received() - before) / (repeat + 1), memory.peak(), took.result


def bytes_received():
    """Return how many bytes have come through all connections that this process has."""
    total = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as connection:
                told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        except OSError:  # it is no such connection
            continue
        total += struct.unpack_from("Q", told, RECEIVED)[0]
    return total


def scaling(work, options):
    """Compare one worker with two."""
    n = int(1e6 * options.millions)
    (one_surveyed, one, _, _, first), (two_surveyed, two, moved, _, second) = (
        harness.apart(on_workers, work, workers, n, options.repeat) for workers in (1, 2)
    )
    figures = {
        "found": first, "rows": n, "one worker seconds": one, "two workers seconds": two, "scaling": one / two,
        "survey scaling": one_surveyed / two_surveyed, "bytes": int(moved), "load": os.getloadavg()[0],
    }  # fmt: skip
    return Outcome(figures, first == second)


def memory_of_client(options):
    """Compare the client's memory for some rows and for a hundred times as many."""
    (_, few_took, few_moved, few, _), (_, took, moved, many, found) = (
        harness.apart(on_workers, decide, 2, n, 1) for n in (FEW, MANY)
    )
    figures = {
        "found": found, "seconds": took, "few seconds": few_took,
        "MB for 10^6 rows": few / 1e6, "MB for 10^8 rows": many / 1e6,
        "bytes for 10^6 rows": int(few_moved), "bytes for 10^8 rows": int(moved), "bytes of rows": 8 * D * MANY,
    }  # fmt: skip
    return Outcome(figures, many - few < MOST_GROWTH)


def lines(options):
    yield Line("decide", "the same on both", partial(scaling, decide, options))
    yield Line("a serial pass", "the same on both", partial(scaling, serial_pass, options))
    yield Line("memory of the client", f"grows by less than {MOST_GROWTH / 1e6:.0f} MB", partial(memory_of_client, options))


def main():
    parser = harness.parser(__doc__, repeat=1)
    parser.add_argument("--millions", type=float, default=4, help="rows of which one worker is compared with two")
    options = parser.parse_args()
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
