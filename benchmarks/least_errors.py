"""The fewest errors of any hyperplane: bounds, times and proofs, on data sets with known answers and on larger ones.

    python benchmarks/least_errors.py [--data DIR] [--time-limit 60] [--only NAME ...] [--check]

``DIR`` is a folder with cryotherapy.csv, voicepath_data.csv, caesarian.csv, UCI's haberman.data, german.data-numeric,
australian.dat and spambase.data, and heart_scale of LIBSVM's collection. Prints for each problem both bounds, their gap, the
seconds, how many obstructions and how many leaves the proof has, its size as a file, and the seconds that it takes to read
it back and verify it; with --check the stand-alone checker has to agree. The last problem is watched for its memory. Ends
with 1 if a bar is missed.
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris

import separatrix as sx
from separatrix import checker
from separatrix.proof.certificate import Certificate
from separatrix.proof.claims import Leaf

TABLES = {
    "cryotherapy.csv": (4, 4), "voicepath_data.csv": (19, 19), "caesarian.csv": (18, 18), "haberman.data": (65, 66),
    "german.data-numeric": None, "australian.dat": None, "spambase.data": None, "heart_scale": None,
}  # fmt: skip
"""The least that the lower bound has to be, and the most that the upper one may be."""

MEMORY = """
import sys, time
sys.path.insert(0, {folder!r})
from least_errors import flipped
from memory import Growth
import separatrix as sx
X, y = flipped(200, 50)
sx.least_errors(X, y, time_limit=5)  # compiles
X, y = flipped({n}, {d})
started = time.perf_counter()
with Growth() as memory:
    found = sx.least_errors(X, y, time_limit={limit})
print(found.lower, found.upper, time.perf_counter() - started, memory.bytes / X.nbytes)
"""
"""A process of its own, whose memory is measured."""


def flipped(n, d, share=0.05):
    """Normal rows, labelled by a hyperplane, but for a share of labels that are flipped."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    return X, np.where((X @ w > 0.0) ^ (rng.random(n) < share), 1, -1)


def problems(folder):
    iris, kind = load_iris(return_X_y=True)
    yield "iris: versicolor, virginica", (iris[kind > 0], kind[kind > 0]), (1, 1)
    for name, bars in TABLES.items() if folder else ():
        options = {} if name == "heart_scale" else {"label": -1, "header": False}
        if name in ("german.data-numeric", "australian.dat"):
            options["separator"] = "blanks"
        yield name, (sx.read_data(folder / name, **options),), bars


def proved(found, rows, with_checker):
    """Verify a certificate that was written to a file; return its size and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        found.certificate.save(path)
        started = time.perf_counter()
        sx.verify(Certificate.load(path), *rows)
        seconds = time.perf_counter() - started
        if with_checker:
            X = sp.csr_array(found.problem.X)
            X.eliminate_zeros()
            spans = itertools.pairwise(X.indptr)
            entries = [list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in spans]
            labelled = list(zip(found.problem.y.astype(int).tolist(), entries, strict=True))
            checker.check(checker.parse(path.read_bytes()), labelled)
        return path.stat().st_size, seconds


def larger(n, d, limit):
    code = MEMORY.format(folder=str(Path(__file__).parent), n=n, d=d, limit=limit)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lower, upper, seconds, growth = done.stdout.split()
    print(f"{f'{n:,} x {d}, 5 % flipped':<28} at least {lower}, at most {upper}, {float(seconds):.1f} s of {limit:g} s; "
          f"memory grew by {float(growth):.2f} times the data")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each problem")
    parser.add_argument("--only", nargs="*", help="names of the problems to run; 'larger' is the last")
    parser.add_argument("--check", action="store_true", help="let the stand-alone checker check as well")
    options = parser.parse_args()
    sx.least_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # compiles
    sx.least_errors(sp.csr_array(np.eye(3)), [0, 1, 1])
    met = True
    print(f"{'problem':<28} {'rows x features':>15} {'lower':>6} {'upper':>6} {'gap':>5} {'seconds':>8} "
          f"{'obstructions':>12} {'leaves':>6} {'proof':>11} {'verified in':>11}")  # fmt: skip
    for name, rows, bars in problems(options.data):
        if options.only and name not in options.only:
            continue
        started = time.perf_counter()
        found = sx.least_errors(*rows, time_limit=options.time_limit)
        seconds = time.perf_counter() - started
        size, verifying = proved(found, rows, options.check)
        packing = found.certificate.packing
        leaves = sum(isinstance(node, Leaf) for node in packing.nodes)
        verdict = ""
        if bars is not None:
            fine = found.lower >= bars[0] and found.upper <= bars[1]
            met &= fine
            verdict = f"  [at least {bars[0]}, at most {bars[1]}: {'met' if fine else 'MISSED'}]"
        print(f"{name:<28} {f'{found.problem.n} x {found.problem.d}':>15} {found.lower:>6} {found.upper:>6} "
              f"{found.upper - found.lower:>5} {seconds:>8.2f} {len(packing.obstructions):>12} {leaves:>6} {size:>10,}B "
              f"{verifying:>9.3f} s{verdict}", flush=True)  # fmt: skip
    if not options.only or "larger" in options.only:
        larger(100_000, 50, min(options.time_limit, 30.0))
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
