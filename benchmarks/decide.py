"""How long a verdict with its proof takes, against a linear program in floating point on the whole problem.

    python benchmarks/decide.py [--data DIR] [--repeat 3] [--only NAME ...]

Medians; the ratio is to scipy's linprog in the same run, on max t, y (w.x + b) >= t, |w_j| <= 1. Times of ours include
the certificate and its verification. Ends with 1 if a bar is missed.
"""

import argparse
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer

import separatrix as sx
from separatrix import checker

MEMORY = """
import sys, separatrix as sx
sys.path.insert(0, {folder!r})
from decide import with_margin
from memory import Growth
for flipped in (0, 5):
    sx.decide(*with_margin(200_000, 20, 0.001, flipped))  # compiles
X, y = with_margin(1_000_000, 20, 0.001, flipped={flipped})
with Growth() as memory:
    verdict = sx.decide(X, y)
print(verdict.status, memory.bytes / X.nbytes)
"""
"""A process of its own, whose memory is measured."""


def with_margin(n, d, margin, flipped=0):
    """Normal rows, pushed apart from a hyperplane until their distance from it is at least the margin."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = np.empty((n, d))
    y = np.empty(n, np.int8)
    for start in range(0, n, 10_000):
        some = X[start : start + 10_000]
        rng.standard_normal(out=some)
        scores = some @ w
        side = np.where(scores > 0, 1.0, -1.0)
        some += np.outer(side * np.maximum(0.0, margin - np.abs(scores)), w)
        y[start : start + 10_000] = side
    y[rng.choice(n, flipped, replace=False)] *= -1
    return X, y


def program(X, y):
    """The whole problem as one linear program: t > 0 says separable, as far as floats can tell."""
    Z = y[:, None] * np.column_stack([X, np.ones(len(X))])
    D = Z.shape[1]
    found = linprog(
        np.append(np.zeros(D), -1.0), A_ub=np.column_stack([-Z, np.ones(len(Z))]), b_ub=np.zeros(len(Z)),
        bounds=[(-1, 1)] * D + [(None, None)], method="highs",
    )  # fmt: skip
    return found.x[-1] > 1e-9


def timed(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def median(work, repeat):
    runs = [timed(work) for _ in range(repeat)]
    return statistics.median(seconds for seconds, _ in runs), runs[0][1]


def against_linprog(X, y, repeat):
    mine, verdict = median(lambda: sx.decide(X, y), repeat)
    theirs, separable = median(lambda: program(X, y.astype(float)), repeat)
    note = "" if separable == verdict.separable else ", linprog says otherwise"
    return mine, f"{verdict.status}; linprog {theirs:.2f} s, ratio {theirs / mine:.0f}{note}", theirs / mine


def lines(folder, repeat):
    sx.decide(*with_margin(100_000, 10, 0.01))  # compiles
    for name, flipped in (("100,000 x 30, margin 0.001", 0), ("the same, 3 labels flipped", 3)):

        def run(flipped=flipped):
            seconds, text, ratio = against_linprog(*with_margin(100_000, 30, 0.001, flipped), repeat)
            return seconds, text, ratio >= 20

        yield name, "ratio at least 20", run
    yield "WDBC", "below 0.1 s", lambda: below(0.1, *load_breast_cancer(return_X_y=True), repeat)
    if folder:
        table = np.genfromtxt(folder / "sonar.all-data", delimiter=",", dtype=str)
        yield "sonar", "below 0.1 s", lambda: below(0.1, table[:, :60].astype(float), table[:, 60], repeat)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 300)), rng.integers(0, 2, 3000)
    yield "3,000 x 300, random labels", "below 15 s", lambda: below(15.0, X, y, 1)
    for flipped in (0, 50):
        yield f"1,000,000 x 20, {flipped} flipped", "memory below 2 x data", lambda flipped=flipped: memory(flipped)
    yield "verify, 3,200 x 1,000", "below half the perceptron's time", lambda: verification(repeat)


def below(bar, X, y, repeat):
    seconds, verdict = median(lambda: sx.decide(X, y), repeat)
    return seconds, str(verdict.status), seconds < bar


def memory(flipped):
    code = MEMORY.format(folder=str(Path(__file__).parent), flipped=flipped)
    seconds, done = timed(lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True))
    status, growth = done.stdout.split()
    return seconds, f"{status}; memory grew by {float(growth):.2f} times the data", float(growth) < 2


def verification(repeat):
    rng = np.random.RandomState(0)
    X = rng.randint(-100, 100, (3200, 1000)) / 100
    y = np.where(X @ rng.standard_normal(1000) > 0, 1, -1)
    learning, perceptron = median(lambda: sx.Perceptron(max_iter=10**6).fit(X, y), repeat)
    proof = sx.decide(X, y).certificate
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        proof.save(path)
        loaded = type(proof).load(path)
        seconds, _ = median(lambda: sx.verify(proof, X, y), repeat)
        from_file, _ = median(lambda: sx.verify(loaded, X, y), repeat)
        table = Path(folder) / "data.csv"
        header = ",".join([*(f"x{j}" for j in range(1000)), "y"])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt=["%.17g"] * 1000 + ["%d"])
        small, code = timed(lambda: checker.main([str(path), str(table), "--label", "y"]))
    text = (
        f"perceptron {learning:.3f} s ({perceptron.n_iter_} passes); {from_file:.3f} s with the digest of a file; "
        f"stand-alone checker {small:.1f} s"
    )
    return seconds, text, seconds < learning / 2 and code == 0 and small < 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with sonar.all-data")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="numbers of the lines to run, from 1")
    options = parser.parse_args()
    met = True
    for number, (name, bar, run) in zip(itertools.count(1), lines(options.data, options.repeat), strict=False):
        if options.only and str(number) not in options.only:
            continue
        seconds, text, fine = run()
        met &= fine
        print(f"{number} {name:<28} {seconds:>8.3f} s  {text}  [{bar}: {'met' if fine else 'MISSED'}]", flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
