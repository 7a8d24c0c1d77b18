"""How long the perceptron by kernels takes, and how much memory, beside NumPy with the whole Gram matrix, in one run.

    python benchmarks/kernel_perceptron.py [--rows 10000] [--columns 20] [--passes 10] [--repeat 3]

The problem is a noisy sphere inside another, the kernel the radial one. There are two peers, both with the Gram matrix
computed first, in their time: (a) scores each visited row by a product with its row of the matrix, as texts write it;
(b) keeps the scores of all rows, and adds a row of the matrix at each mistake. Each measurement is a process of its own, so
that its peak memory is known. Ends with 1 if the bar is missed: 3 times faster than (a).
"""

import argparse
import multiprocessing
import resource
import statistics
import time
import warnings

import numpy as np

BAR = 3.0


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


METHODS = {"(a) NumPy, products": by_products, "(b) NumPy, scores": by_running_scores, "(c) separatrix": separatrix}


def measure(name, n, d, passes, results):
    """Time, mistakes and peak memory in MB above that of a small problem, which also compiles and loads what is needed."""
    warnings.simplefilter("ignore")
    X, y = spheres(n, d)
    METHODS[name](X[:50], y[:50], 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    mistakes = METHODS[name](X, y, passes)
    seconds = time.perf_counter() - start
    results.put((seconds, mistakes, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024))


def compare(n=10_000, d=20, passes=10, repeat=3):
    """Median time, mistakes and largest memory in MB of each method, by its name; the methods take turns."""
    context = multiprocessing.get_context("spawn")
    found = {name: [] for name in METHODS}
    for _ in range(repeat):
        for name in METHODS:
            results = context.Queue()
            process = context.Process(target=measure, args=(name, n, d, passes, results))
            process.start()
            found[name].append(results.get(timeout=600))
            process.join()
    return {
        name: (statistics.median(t for t, _, _ in runs), runs[0][1], max(m for _, _, m in runs))
        for name, runs in found.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    found = compare(arguments.rows, arguments.columns, arguments.passes, arguments.repeat)
    mine = found["(c) separatrix"][0]
    for name, (seconds, mistakes, memory) in found.items():
        print(f"{name:<22} {seconds:>8.3f} s {memory:>8.0f} MB {mistakes:>8,} mistakes {seconds / mine:>6.2f} times (c)")
    met = mine * BAR <= found["(a) NumPy, products"][0]
    print(f"bar: {BAR:g} times faster than (a): {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
