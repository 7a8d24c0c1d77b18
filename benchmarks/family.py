"""The averaged perceptron beside scikit-learn's, and the kernel perceptron beside NumPy's, in one run.

    python benchmarks/family.py --data DIR [--passes 5] [--repeat 9] [--rows 10000]

(a) `Perceptron(average=True)` against ``SGDClassifier(loss="perceptron", average=True)``, with no stopping criterion and the
same number of passes, on a9a and w8a (LIBSVM, sparse, as they are) and spambase (UCI, dense, standardised) of the folder
``--data``. Three comparisons: *shuffled*, SGDClassifier as it is by default, which shuffles the rows, and so does
`Perceptron` (``order="shuffle"``); *shuffled, alike*, SGDClassifier with a constant rate of 1 and no penalty, which makes it
the same algorithm; *in order, alike*, rows as they stand. Fits take turns, so that all see the same machine; times are
medians. Accuracy is by five-fold cross-validation on the same folds, and for a9a on its test set, a9a.t. Bars: not slower;
at least as accurate, within two standard errors of the differences over the folds, or over the test rows.

On sparse rows SGDClassifier learns the intercept a hundred times more slowly (its ``intercept_decay`` is 0.01), which makes
it another algorithm, for better or worse. The line "intercept as a column" has it out of the way: neither learns an
intercept, and the rows have a column of ones. Rows in order have their bar there. Reported without a bar: `Perceptron` by
default, which does not shuffle, beside SGDClassifier by default. (spambase is sorted by class, and w8a not well mixed.)

(b) `KernelPerceptron` with the radial kernel against the same in NumPy with the whole Gram matrix, computed in its time: by
products, each visited row with its row of the matrix, as texts write it; and, without a bar, by running scores, to which a
row of the matrix is added at each mistake, as here. The problem is a noisy sphere inside another. Each measurement is a
process of its own, so that its peak memory is known; how fast the system hands out memory is a large part of it. Bars: 3
times faster than by products, within 200 MB (its cache) and a tenth of the Gram matrix more.

Ends with 1 if a bar is missed.
"""

import argparse
import multiprocessing
import os
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from memory import Growth
from sklearn.base import clone
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import StandardScaler

FASTER = 3.0
missed = []


def bar(text, met):
    print(f"    bar: {text}: {'met' if met else 'MISSED'}", flush=True)
    if not met:
        missed.append(text)


# (a) The averaged perceptron.


def problems(folder):
    """Name, rows, labels, and test rows and labels or None."""
    X, y, T, t = read_libsvm(folder / "a9a", folder / "a9a.t")
    yield "a9a", X, y, (T, t)
    yield "w8a", *read_libsvm(folder / "w8a"), None
    table = np.loadtxt(folder / "spambase.data", delimiter=",")
    yield "spambase", StandardScaler().fit_transform(table[:, :-1]), table[:, -1].astype(int), None


def read_libsvm(*paths):
    features = None
    found = []
    for path in paths:
        X, y = load_svmlight_file(str(path), n_features=features)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        features = X.shape[1]
        found += [X, y.astype(int)]
    return found


ALIKE = {"penalty": None, "learning_rate": "constant", "eta0": 1.0}
MODES = [("shuffled", True, {}), ("shuffled, alike", True, ALIKE), ("in order, alike", False, ALIKE)]


def learners(passes, shuffle, intercept=True, **parameters):
    import separatrix as sx

    order = "shuffle" if shuffle else "cyclic"
    common = {"average": True, "max_iter": passes, "fit_intercept": intercept, "random_state": 0}
    return {
        "averaged": sx.Perceptron(order=order, **common),
        "sgd": SGDClassifier(loss="perceptron", tol=None, shuffle=shuffle, **common, **parameters),
    }


def timed(chosen, X, y, repeat):
    """Median seconds of each, taken in turns; the first turn compiles and is not counted."""
    times = {kind: [] for kind in chosen}
    for _ in range(repeat + 1):
        for kind, learner in chosen.items():
            started = time.perf_counter()
            clone(learner).fit(X, y)
            times[kind].append(time.perf_counter() - started)
    return {kind: statistics.median(each[1:]) for kind, each in times.items()}


def gap(right):
    """Mean difference of accuracy over folds or rows, and its standard error."""
    difference = right["averaged"].astype(float) - right["sgd"]
    return difference.mean(), difference.std(ddof=1) / np.sqrt(difference.size)


def validated(chosen, X, y):
    """Whether ours is as accurate over the folds, and the figures in words."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    accuracy = {kind: cross_val_score(each, X, y, cv=folds) for kind, each in chosen.items()}
    mean, error = gap(accuracy)
    words = (
        f"accuracy {accuracy['averaged'].mean():.4f} and {accuracy['sgd'].mean():.4f}, difference {mean:+.4f} ± {error:.4f}"
    )
    return mean >= -2.0 * error, words


def averaged(folder, passes, repeat):
    print(f"(a) Averaged perceptron and SGDClassifier, {passes} passes, medians of {repeat}; load {os.getloadavg()[0]:.1f}")
    accurate = "at least as accurate, within two standard errors"
    for name, X, y, test in problems(folder):
        for mode, shuffle, parameters in MODES:
            what = f"{name}, {mode}"
            chosen = learners(passes, shuffle, **parameters)
            seconds = timed(chosen, X, y, repeat)
            ratio = seconds["sgd"] / seconds["averaged"]
            fine, words = validated(chosen, X, y)
            print(f"  {what:<26} {1e3 * seconds['averaged']:6.1f} ms and {1e3 * seconds['sgd']:6.1f} ms, {ratio:.2f} times "
                  f"as fast; {words}; load {os.getloadavg()[0]:.1f}")  # fmt: skip
            bar(f"{what}: not slower", ratio >= 1.0)
            if sp.issparse(X) and not shuffle:
                ones = sp.csr_array(sp.hstack([X, np.ones((X.shape[0], 1))]))
                fine, words = validated(learners(passes, shuffle, intercept=False, **parameters), ones, y)
                what += ", intercept as a column"
                print(f"    intercept as a column: {words}")
            bar(f"{what}: {accurate}", fine)
            if test is not None and shuffle:
                T, t = test
                mean, error = gap({kind: clone(each).fit(X, y).predict(T) == t for kind, each in chosen.items()})
                print(f"    test set: difference {mean:+.4f} ± {error:.4f}")
                bar(f"{what}, test set: {accurate}", mean >= -2.0 * error)
        default = {"averaged": learners(passes, False)["averaged"], "sgd": learners(passes, True)["sgd"]}
        print(f"    by default, ours in order and theirs shuffled: {validated(default, X, y)[1]}")


# (b) The kernel perceptron.


def spheres(n, d, noise=0.1):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    radius = np.linalg.norm(X, axis=1)
    return X, np.where(radius + noise * rng.standard_normal(n) > np.median(radius), 1, -1)


def gram(X):
    gamma = 1 / (X.shape[1] * X.var())
    squares = (X * X).sum(axis=1)
    K = X @ X.T
    K *= 2 * gamma
    K -= gamma * squares
    K -= gamma * squares[:, None]
    np.minimum(K, 0, out=K)
    np.exp(K, out=K)
    K += 1
    return K


def by_products(X, y, passes):
    K, alpha, mistakes = gram(X), np.zeros(len(y)), 0
    for _ in range(passes):
        for i, label in enumerate(y):
            if label * (K[i] @ alpha) <= 0:
                alpha[i] += label
                mistakes += 1
    return mistakes


def by_running_scores(X, y, passes):
    K, scores, mistakes = gram(X), np.zeros(len(y)), 0
    for _ in range(passes):
        for i, label in enumerate(y):
            if label * scores[i] <= 0:
                scores += label * K[i]
                mistakes += 1
    return mistakes


def separatrix(X, y, passes):
    import separatrix as sx

    return sx.KernelPerceptron(max_iter=passes).fit(X, y).n_mistakes_


METHODS = {"NumPy, by products": by_products, "NumPy, by scores": by_running_scores, "separatrix": separatrix}


def measure(name, n, d, passes, results):
    """Time, mistakes and peak memory in MB above that of a small problem, which also compiles and loads what is needed."""
    warnings.simplefilter("ignore")
    X, y = spheres(n, d)
    METHODS[name](X[:50], y[:50], 1)
    start = time.perf_counter()
    with Growth() as memory:
        mistakes = METHODS[name](X, y, passes)
    results.put((time.perf_counter() - start, mistakes, memory.bytes / 2**20))


def kernel(n, d=20, passes=10, repeat=3):
    print(f"(b) Kernel perceptron, {n:,} rows of {d} features, {passes} passes, medians of {repeat}; "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    context = multiprocessing.get_context("spawn")
    runs = {name: [] for name in METHODS}
    for _ in range(repeat):
        for name in METHODS:
            results = context.Queue()
            process = context.Process(target=measure, args=(name, n, d, passes, results))
            process.start()
            runs[name].append(results.get(timeout=600))
            process.join()
    seconds = {name: statistics.median(t for t, _, _ in each) for name, each in runs.items()}
    memory = {name: max(m for _, _, m in each) for name, each in runs.items()}
    for name, each in runs.items():
        print(f"  {name:<20} {seconds[name]:>8.3f} s {memory[name]:>8.0f} MB {each[0][1]:>8,} mistakes "
              f"{seconds[name] / seconds['separatrix']:>6.2f} times separatrix")  # fmt: skip
    peer = "NumPy, by products"
    bar(f"{FASTER:g} times faster than {peer}", FASTER * seconds["separatrix"] <= seconds[peer])
    bar("bounded memory", memory["separatrix"] <= 200 + 0.1 * 8 * n * n / 2**20)
    print(f"  load {os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with a9a, a9a.t, w8a and spambase.data; without it, only (b)")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--rows", type=int, default=10_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.data is not None:
        averaged(arguments.data, arguments.passes, arguments.repeat)
    kernel(arguments.rows)
    print("All bars met." if not missed else f"{len(missed)} bars MISSED: {'; '.join(missed)}.")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
