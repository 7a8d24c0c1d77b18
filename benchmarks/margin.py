"""How long it takes to find the maximum margin, proved, beside scikit-learn's support vector machines, in one run.

    python benchmarks/margin.py [--data DIR] [--repeat 3] [--only NAME ...]

``DIR`` is a folder with UCI's sonar.all-data. A peer is run with ``C=1e10`` and smaller and smaller tolerance until it
attains the margin that is found here, up to a part in 1,000, or until it has had five minutes, which then count. Its time
is that of the last run. Ends with 1 if a bar is missed.
"""

import argparse
import multiprocessing
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import separatrix as sx

PATIENCE = 300.0
BARS = {"100k x 30": 5.0, "wdbc": 1.0, "sonar": 1.0}


def tall(n=100_000, d=30, margin=0.001):
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((n, d))
    y = np.where(X @ w > 0, 1, -1)
    return X + np.outer(y * margin, w), y


def wdbc():
    cancer = load_breast_cancer()
    return StandardScaler().fit_transform(cancer.data), 2 * cancer.target - 1


def sonar(folder):
    lines = [line.split(",") for line in (folder / "sonar.all-data").read_text().split()]
    X = np.array([[float(cell) for cell in line[:-1]] for line in lines])
    return StandardScaler().fit_transform(X), np.array([1 if line[-1] == "M" else -1 for line in lines])


def attained(X, y, w):
    scores = X @ w
    return (scores[y > 0].min() - scores[y < 0].max()) / 2 / np.linalg.norm(w)


def machines():
    yield "SVC", lambda tol: SVC(kernel="linear", C=1e10, tol=tol, cache_size=1000)
    yield "LinearSVC", lambda tol: LinearSVC(C=1e10, tol=tol, max_iter=10**8, dual="auto", random_state=0)


def train(number, tol, X, y, results):
    warnings.simplefilter("ignore")
    started = time.perf_counter()
    machine = list(machines())[number][1](tol).fit(X, y)
    results.put((time.perf_counter() - started, attained(X, y, machine.coef_[0])))


def peer(number, X, y, wanted, patience):
    """Return the seconds that a peer takes to attain a margin, and the margin; None if it never does within the time."""
    left, found = patience, 0.0
    for tol in (1e-3, 1e-5, 1e-7, 1e-9):
        results = multiprocessing.Queue()
        process = multiprocessing.Process(target=train, args=(number, tol, X, y, results))
        process.start()
        started = time.perf_counter()
        while process.is_alive() and results.empty() and time.perf_counter() - started < left:
            time.sleep(0.01)
        if results.empty():
            process.terminate()
            process.join()
            return patience, found
        seconds, found = results.get()
        process.join()
        if found >= wanted * (1 - 1e-3):
            return seconds, found
        left -= seconds
    return patience, found


def problems(folder):
    yield "100k x 30", tall
    yield "wdbc", wdbc
    if folder:
        yield "sonar", lambda: sonar(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for each peer")
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    sx.margin([[0.0], [1.0]], [0, 1], kind="geometric")  # compiles
    met = True
    for name, make in problems(options.data):
        if options.only and name not in options.only:
            continue
        X, y = make()
        times = []
        for _ in range(options.repeat):
            started = time.perf_counter()
            found = sx.margin(X, y, kind="geometric")
            times.append(time.perf_counter() - started)
        ours = statistics.median(times)
        texts, fine = [], True
        for number, (machine, _) in enumerate(machines()):
            seconds, margin = peer(number, X, y, found.lo, options.patience)
            texts.append(f"{machine} {seconds:.2f} s (margin {margin:.6g}), ratio {seconds / ours:.1f}")
            fine &= seconds >= BARS[name] * ours
        met &= fine
        gap = (found.hi - found.lo) / found.hi
        print(f"{name:<10} {ours:>7.3f} s  margin {found.lo:.9g}, gap {gap:.0e}; {'; '.join(texts)}  "
              f"[ratio at least {BARS[name]:g}: {'met' if fine else 'MISSED'}]", flush=True)  # fmt: skip
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
