"""How long exact runs take, beside scikit-learn's Perceptron and a plain floating-point loop, in one run.

    python benchmarks/perceptron.py [--data DIR] [--repeat 5] [--only NAME ...]

Each line gives the medians of so many fits, taken in turn so that all three see the same machine:

(a) ``sklearn.linear_model.Perceptron(shuffle=False, tol=None)`` for the same number of passes,
(b) a plain float loop compiled by numba, without any validation, on arrays that are ready for it,
(c) ``separatrix.Perceptron.fit``, everything included.

Time to convergence, except where a number of passes is given. ``--data`` names a folder with ``sonar.all-data`` and
``haberman.data`` (UCI); without it these two lines are left out.
"""

import argparse
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.preprocessing import StandardScaler, normalize

import separatrix as sx

# What (c) may take: times (b), and the speed-up over (a).
BARS = {
    "wdbc": (1.2, 4.0), "sonar": (1.2, 4.0), "200k x 100": (1.2, 2.0), "3200 x 1000": (1.2, None),
    "csr 200k x 47k": (1.2, 1 / 1.15), "haberman": (3.0, None), "opposite duplicates": (15.0, None),
}  # fmt: skip


@njit(fastmath={"reassoc", "contract", "nsz", "arcp"})
def plain_dense(X, y, passes):
    n, d = X.shape
    w, b, mistakes = np.zeros(d), 0.0, 0
    for done in range(passes):
        before = mistakes
        for i in range(n):
            s = b
            for j in range(d):
                s += w[j] * X[i, j]
            if y[i] * s <= 0.0:
                for j in range(d):
                    w[j] += y[i] * X[i, j]
                b += y[i]
                mistakes += 1
        if mistakes == before:
            return mistakes, done + 1
    return mistakes, passes


@njit  # no fast-math: it would make this loop three times slower
def plain_csr(data, indices, indptr, y, d, passes):
    w, b, mistakes = np.zeros(d), 0.0, 0
    for done in range(passes):
        before = mistakes
        for i in range(y.shape[0]):
            s = b
            for t in range(indptr[i], indptr[i + 1]):
                s += w[indices[t]] * data[t]
            if y[i] * s <= 0.0:
                for t in range(indptr[i], indptr[i + 1]):
                    w[indices[t]] += y[i] * data[t]
                b += y[i]
                mistakes += 1
        if mistakes == before:
            return mistakes, done + 1
    return mistakes, passes


def wdbc():
    data = load_breast_cancer()
    return StandardScaler().fit_transform(data.data), np.where(data.target == 1, 1.0, -1.0), None


def sonar(folder):
    lines = [line.split(",") for line in (folder / "sonar.all-data").read_text().split()]
    return (
        np.array([[float(v) for v in r[:-1]] for r in lines]),
        np.array([1.0 if r[-1] == "M" else -1.0 for r in lines]),
        None,
    )


def haberman(folder):
    table = np.loadtxt(folder / "haberman.data", delimiter=",")
    return np.ascontiguousarray(table[:, :-1]), np.where(table[:, -1] == 2, 1.0, -1.0), 10_000


def with_margin(n=200_000, d=100, margin=0.002):
    rng = np.random.RandomState(0)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((2 * n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X = np.ascontiguousarray(X[np.abs(X @ w) > margin][:n])
    return X, np.sign(X @ w), None


def hundredths(n=3200, d=1000):
    rng = np.random.RandomState(0)
    X = rng.randint(-100, 101, (n, d)) / 100
    return X, np.sign(X @ rng.standard_normal(d)), None


def opposite_duplicates(n=1000, d=10):
    """Pairs of equal rows with opposite labels: the weights return to zero, where everything ties."""
    X = np.repeat(np.random.RandomState(0).randint(-1000, 1000, (n, d)) / 100, 2, axis=0)
    return X, np.tile([1.0, -1.0], n), 1000


def text_like(n=200_000, d=47_236, words=75):
    rng = np.random.RandomState(0)
    frequency = 1 / np.arange(1, d + 1) ** 0.9
    columns = np.searchsorted(np.cumsum(frequency / frequency.sum()), rng.random_sample((n, words))).clip(max=d - 1)
    columns.sort(axis=1)
    entries = rng.random_sample((n, words)) + 0.1
    X = sp.csr_array(
        (entries.ravel(), columns.ravel().astype(np.int32), np.arange(0, n * words + 1, words, dtype=np.int32)), shape=(n, d)
    )
    X.sum_duplicates()
    X = sp.csr_array(normalize(X))
    y = np.sign(X @ rng.standard_normal(d) + 0.05 * rng.standard_normal(n))
    return X, np.where(y == 0, 1.0, y), 5


def problems(folder):
    yield "wdbc", wdbc
    if folder:
        yield "sonar", lambda: sonar(folder)
    yield "200k x 100", with_margin
    yield "3200 x 1000", hundredths
    yield "csr 200k x 47k", text_like
    if folder:
        yield "haberman", lambda: haberman(folder)
    yield "opposite duplicates", opposite_duplicates


def timed(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def compare(X, y, passes, repeat):
    """Return medians for (a), (b), (c), and mistakes and passes of (b) and (c)."""
    most = passes or 10_000_000
    labels = y.astype(int)

    def plain():
        if sp.issparse(X):
            return plain_csr(X.data, X.indices, X.indptr, y, X.shape[1], most)
        return plain_dense(X, y, most)

    def exact():
        return sx.Perceptron(max_iter=most).fit(X, labels)

    _, (_, done) = timed(plain)  # compiles, and tells how many passes there are
    sx.Perceptron(max_iter=2).fit(X[:50], labels[:50] if len(set(labels[:50])) > 1 else [0] * 25 + [1] * 25)
    if sp.issparse(X) and X.indices.dtype == np.int32:
        exact()

    def sklearn():
        return SklearnPerceptron(shuffle=False, tol=None, max_iter=done).fit(X, labels)

    times = {"a": [], "b": [], "c": []}
    for _ in range(repeat):
        for name, work in (("a", sklearn), ("b", plain), ("c", exact)):
            seconds, result = timed(work)
            times[name].append(seconds)
            if name == "b":
                counts = result
            elif name == "c":
                exact_counts = result.n_mistakes_, result.n_iter_
    return [statistics.median(times[name]) for name in "abc"], counts, exact_counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with sonar.all-data and haberman.data")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="names of the lines to run")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'problem':<20} {'passes':>8} {'mistakes':>10} {'(a) sklearn':>12} {'(b) plain':>10} {'(c) exact':>10} "
          f"{'c/b':>6} {'a/c':>6}  bar")  # fmt: skip
    met = True
    for name, make in problems(arguments.data):
        if arguments.only and name not in arguments.only:
            continue
        (a, b, c), counts, exact_counts = compare(*make(), arguments.repeat)
        most, least = BARS[name]
        fine = c <= most * b and (least is None or a >= least * c)
        met &= fine
        bar = f"c/b <= {most:g}" + (f", a/c >= {least:.2f}" if least else "")
        note = "" if counts == exact_counts else f"  (plain floats: {counts[0]:,} mistakes)"
        print(f"{name:<20} {exact_counts[1]:>8,} {exact_counts[0]:>10,} {a:>11.4f}s {b:>9.4f}s {c:>9.4f}s "
              f"{c / b:>6.2f} {a / c:>6.2f}  {bar}: {'met' if fine else 'MISSED'}{note}", flush=True)  # fmt: skip
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
