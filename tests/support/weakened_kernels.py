"""Weaken each bound of the run by kernels in turn, and see whether it goes wrong.

Run with the compiler off (NUMBA_DISABLE_JIT=1), so that the bounds can be changed. Prints, as JSON, whether a run differs
from the reference without and with each weakening.
"""

import json
from fractions import Fraction
from math import isqrt

import numpy as np
from reference import dual_perceptron, polynomial_gram
from weakened import changed

from separatrix.compiled import kernel_run as loops
from separatrix.perceptron import kernel_run, kernels
from separatrix.perceptron.gram import Kernel, Points
from separatrix.perceptron.kernel_run import KernelRun
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows

U = 2.0**-53


def differs(kernel, X, y, order, weights=None):
    X, y, order = np.array(X), np.array(y), np.array(order)
    points = Points(read_rows(X))
    problem = Problem.of(X, y, classes=[-1, 1], intercept=kernel.intercept)
    run = KernelRun(problem, kernel.gram(points, points), steps=weights, record=True)
    run.advance(order, 1)
    if kernel.name == "precomputed":
        K = [[Fraction(v) + kernel.intercept for v in row] for row in X.tolist()]
    else:
        K = polynomial_gram(X, X, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0, intercept=kernel.intercept)
    trace, _, _, _ = dual_perceptron(K, y.astype(float), order=order, weights=weights, max_iter=1)
    return run.trace.tolist() != trace


def given(*first, intercept=False):
    """The products of row 0 with the others, which have none among themselves: each visit to them is a mistake."""
    n = len(first) + 1
    K = np.full((n, n), -1.0 if intercept else 0.0)
    K[0, 1:] = first
    return Kernel("precomputed", 1.0, 0.0, 1, intercept), K


def many_sums():
    """Four thousand updates, each too small to change a score of 1, which together turn its sign."""
    return *given(1.0, -0.99 * 2.0**-54, -(1.0 - 2000 * 2.0**-54)), [1, 1, 1, 1], [1, *[2] * 4000, 3, 0]


def products_and_constants():
    """Values that are rounded by nearly half a unit twice, when 1 is added and when they are multiplied."""
    m, p = 2**26, round(0.505 * 2**26)
    total, product = m + p + 1, round(0.495 * 2**52)
    q = (total + isqrt(total * total - 4 * product)) // 2
    up, down = q * 2.0**-52 + 0.98 * U, m * 2.0**-52 - 0.98 * U
    steps = np.array([1.0, 1.0 + (total - q) * 2.0**-52, 1.0 + p * 2.0**-52, 1.0])
    return *given(up, down, -1.0 + 30 * U, intercept=True), [1, 1, -1, -1], [*[1, 2] * 10, 3, 0], steps


def powers():
    """High powers, wrong by many units, and steps under which the truth and the floats fall on different sides of zero."""
    kernel, rng = Kernel("poly", 0.7, 0.0, 64, False), np.random.RandomState(0)
    while True:
        X = rng.uniform(0.9, 1.1, (3, 1))
        points = Points(read_rows(X))
        floats = kernel.gram(points, points).block(np.array([1, 2]))[:, 0]
        K = polynomial_gram(X, X, degree=64, gamma=0.7, intercept=False)
        exact, rounded = K[0][1] / K[0][2], Fraction(floats[0]) / Fraction(floats[1])
        if abs(exact / rounded - 1) > 40 * Fraction(U):
            return kernel, X, [1, 1, -1], [1, 2, 0], np.array([1.0, 1.0, float((exact + rounded) / 2)])


def large_integers():
    """2**53 + 1 is no float."""
    return *given(2.0**53, 1.0, -(2.0**53)), [1, 1, 1, 1], [1, 2, 3, 0]


def tiny_steps():
    """A step that vanishes beside the largest."""
    return *given(0.0, 1.0), [1, 1, 1], [1, 2, 0], np.array([1.0, 2.0**100, 2.0**-1000])


# What to weaken, under which settings, and the problem that then goes wrong.
BOUNDS = {
    "rounded sums": ([(loops, "SUM_SLACK", 0.0)], [], many_sums),
    "rounded products and constants": (
        [(loops, "STEP_SLACK", 0.0)],
        [(loops, "MISTAKES_PER_REACH", 0)],
        products_and_constants,
    ),
    "rounded matrix": ([(loops, "MATRIX_SLACK", 0.0)], [], powers),
    "bits of the grid": ([(kernels, "MANTISSA_BITS", 80)], [], large_integers),
    "underflow": ([(loops, "TINY", 0.0), (kernel_run, "TINY", 0.0)], [], tiny_steps),
}


def main():
    result = {}
    for name, (weakening, setting, problem) in BOUNDS.items():
        with changed(setting):
            sound = differs(*problem())
            with changed(weakening):
                result[name] = [sound, differs(*problem())]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
