"""How fast the pocket algorithm is, how few errors it comes to, and what it takes in memory, in one run.

    python benchmarks/pocket.py [--data DIR] [--updates 10000] [--only speed errors memory]

*Speed*: updates per second on 100,000 x 50 rows, standard normal, 5 % of the labels flipped, beside the textbook: for each
update one product of matrix and vector in NumPy, and a count.

*Errors*, reported without a bar: training rows misclassified on a9a, spambase, german.data-numeric and crx (in the folder
``--data``), standardised, beside scikit-learn's Perceptron, averaged perceptron (SGDClassifier), LinearSVC and
LogisticRegression, all with their defaults except for enough iterations. The pocket has the time of the slowest of them,
from zero weights, without and with ``average``.

*Memory*: the peak of a process that fits the rows of the first part, relative to the rows.

Ends with 1 if a bar, of speed or memory, is missed.
"""

import argparse
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from memory import Growth
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import separatrix as sx

PATIENCE = 30  # seconds for least_errors, besides the time of the slowest peer
LEAST_SPEEDUP = 10.0
MOST_MEMORY = 3.0


def noisy(n=100_000, d=50, flipped=0.05):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) > 0, 1, -1)
    y[rng.random_sample(n) < flipped] *= -1
    return X, y


def textbook(X, y, updates, rng):
    """The pocket as everybody writes it."""
    Z = y[:, None] * np.hstack([X, np.ones((len(y), 1))])
    w = np.zeros(Z.shape[1])
    wrong = np.flatnonzero(Z @ w <= 0)
    best = wrong.size
    for _ in range(updates):
        w += Z[rng.choice(wrong)]
        wrong = np.flatnonzero(Z @ w <= 0)
        best = min(best, wrong.size)
    return best


def timed(work, *arguments):
    started = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - started, result


def compare_speed(updates):
    X, y = noisy()
    sx.Pocket(max_updates=40, random_state=0).fit(X, y)  # compiles
    ratios = []
    for repeat in range(3):
        plain, _ = timed(textbook, X, y, updates // 50, np.random.RandomState(repeat))
        exact, pocket = timed(sx.Pocket(max_updates=updates, random_state=repeat).fit, X, y)
        plain, exact = updates // 50 / plain, pocket.n_updates_ / exact
        ratios.append(exact / plain)
        print(
            f"  textbook {plain:>8,.0f} updates/s   pocket {exact:>8,.0f} updates/s   ratio {exact / plain:>6.1f}",
            flush=True,
        )
    ratio = sorted(ratios)[1]
    met = ratio >= LEAST_SPEEDUP
    print(f"  median ratio {ratio:.1f}, bar {LEAST_SPEEDUP:g}: {'met' if met else 'MISSED'}")
    return met


def tables(folder, names):
    text = {"label": -1, "header": False, "missing": "drop-rows"}
    for name, options in {
        "a9a": {"format": "libsvm"}, "spambase.data": text, "german.data-numeric": text | {"separator": "blanks"},
        "crx.data": text,
    }.items():  # fmt: skip
        if not names or name in names:
            data = sx.read_data(folder / name, **options)
            X = data.X.toarray() if sp.issparse(data.X) else data.X
            yield name, StandardScaler().fit_transform(X), np.asarray(data.y)


def compare_errors(folder, names):
    peers = {
        "Perceptron": Perceptron(max_iter=10_000),
        "averaged": SGDClassifier(loss="perceptron", average=True, max_iter=10_000),
        "LinearSVC": LinearSVC(max_iter=1_000_000),
        "LogisticRegression": LogisticRegression(max_iter=100_000),
    }
    for name, X, y in tables(folder, names):
        print(f"  {name}: {X.shape[0]:,} x {X.shape[1]}", flush=True)
        sx.Pocket(max_updates=101, average=True).fit(X, y)  # compiles
        errors, slowest = {}, 0.0
        for peer, model in peers.items():
            seconds, model = timed(model.set_params(random_state=0).fit, X, y)
            errors[peer] = int(np.count_nonzero(model.predict(X) != y))
            slowest = max(slowest, seconds)
            print(f"    {peer:<24} {errors[peer]:>6,} errors {seconds:>8.2f}s")
        for average in (False, True):
            pocket = sx.Pocket(max_updates=10**12, time_limit=slowest, average=average, random_state=0)
            seconds, _ = timed(pocket.fit, X, y)
            lost = [f"{peer} by {pocket.n_errors_ - few:,}" for peer, few in errors.items() if pocket.n_errors_ > few]
            verdict = "no more than any" if not lost else "LOSES to " + ", ".join(lost)
            title = "Pocket, average" if average else "Pocket"
            print(f"    {title:<24} {pocket.n_errors_:>6,} errors {seconds:>8.2f}s {pocket.n_updates_:>10,} updates: "
                  f"{verdict}", flush=True)  # fmt: skip
        for limit in (slowest, PATIENCE):
            seconds, found = timed(partial(sx.least_errors, X, y, time_limit=limit))
            print(f"    {'least_errors':<24} {found.upper:>6,} errors {seconds:>8.2f}s; proved: at least {found.lower:,}",
                  flush=True)  # fmt: skip


def measure_memory():
    """Print the peak of this process in a fit, above what it held before, relative to the rows."""
    sx.Pocket(max_updates=101, average=True).fit(*noisy(6000))  # compiles, for rows read in single precision as well
    X, y = noisy()
    with Growth() as memory:
        sx.Pocket(max_updates=200, average=True).fit(X, y)
    print(memory.bytes / X.nbytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with a9a, spambase.data, german.data-numeric and crx.data")
    parser.add_argument("--updates", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", help="speed, errors (or names of data sets), memory")
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.peak:
        measure_memory()
        return 0
    only = set(arguments.only or ())
    met = True
    if not only or "speed" in only:
        print("Speed, 100,000 x 50 with 5 % of the labels flipped:")
        met &= compare_speed(arguments.updates)
    names = only - {"speed", "errors", "memory"}
    if arguments.data and (not only or "errors" in only or names):
        print("Training errors, given the time of the slowest peer:")
        compare_errors(arguments.data, names)
    if not only or "memory" in only:
        sx.Pocket(max_updates=101, average=True).fit(*noisy(6000))  # compiles, lest the other process does
        output = subprocess.run([sys.executable, __file__, "--peak"], capture_output=True, text=True, check=True)
        ratio = 1 + float(output.stdout)
        met &= ratio < MOST_MEMORY
        print(f"Memory: rows and all the fit takes, {ratio:.2f} times the rows, bar {MOST_MEMORY:g}: "
              f"{'met' if ratio < MOST_MEMORY else 'MISSED'}")  # fmt: skip
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
