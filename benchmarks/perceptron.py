"""How fast exact runs of the perceptron are, against scikit-learn and a plain compiled loop.

    python benchmarks/perceptron.py [--data DIR] [--repeat 5] [--only NAME ...] [--json FILE]

Each line gives the medians of so many fits, taken in turn so that all three see the same machine:

(a) ``sklearn.linear_model.Perceptron(shuffle=False, tol=None)`` for the same number of passes,
(b) a plain float loop compiled by numba, without any validation, on arrays that are ready for it,
(c) ``separatrix.Perceptron.fit``, everything included.

Time to convergence, except where a number of passes is given. ``DIR`` holds ``sonar.all-data`` and ``haberman.data`` (UCI).
"""

from functools import partial

import data
import harness
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome
from numba import njit
from sklearn.linear_model import Perceptron as SklearnPerceptron

import separatrix as sx

UNTIL_CONVERGENCE = 10_000_000  # passes


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


def compare(make, passes, most, least, repeat):
    """Compare all three; (c) may take ``most`` times as long as (b), and (a) has to take ``least`` times as long as (c)."""
    X, y = make()
    floats = y.astype(float)

    def plain():
        if sp.issparse(X):
            return plain_csr(X.data, X.indices, X.indptr, floats, X.shape[1], passes)
        return plain_dense(X, floats, passes)

    def exact():
        return sx.Perceptron(max_iter=passes).fit(X, y)

    plain_mistakes, done = plain()  # compiles, and tells how many passes there are
    sx.Perceptron(max_iter=2).fit(X[:50], y[:50] if len(set(y[:50].tolist())) > 1 else [0] * 25 + [1] * 25)
    if sp.issparse(X):
        exact()

    def sklearn():
        return SklearnPerceptron(shuffle=False, tol=None, max_iter=done).fit(X, y)

    took = harness.in_turn(repeat, {"a": sklearn, "b": plain, "c": exact})
    a, b, c = (took[name].seconds for name in "abc")
    perceptron = took["c"].result
    figures = {
        "passes": perceptron.n_iter_, "mistakes": perceptron.n_mistakes_, "scikit-learn seconds": a, "plain seconds": b,
        "seconds": c, "to plain": c / b, "scikit-learn to it": a / c,
    }  # fmt: skip
    if (plain_mistakes, done) != (perceptron.n_mistakes_, perceptron.n_iter_):
        figures["mistakes of plain floats"] = plain_mistakes
    return Outcome(figures, c <= most * b and (least is None or a >= least * c))


def lines(options):
    def line(name, make, *, most, least=None, passes=UNTIL_CONVERGENCE):
        bar = f"at most {most:g} times plain" + (f", scikit-learn at least {least:.2g} times it" if least else "")
        return Line(name, bar, partial(compare, make, passes, most, least, options.repeat))

    yield line("WDBC", lambda: data.standardised(*data.wdbc()), most=1.2, least=4.0)
    if options.data:
        yield line("sonar", lambda: data.rows(options.data, "sonar.all-data"), most=1.2, least=4.0)
    yield line("200,000 x 100", lambda: data.on_the_sphere(200_000, 100, 0.002), most=1.2, least=2.0)
    yield line("3,200 x 1,000", lambda: data.hundredths(3200, 1000), most=1.2)
    yield line("CSR 200,000 x 47,236", lambda: data.text_like(200_000), most=1.2, least=1 / 1.15, passes=5)
    if options.data:
        yield line("haberman", lambda: data.rows(options.data, "haberman.data"), most=3.0, passes=10_000)
    yield line("opposite duplicates", lambda: data.opposite_duplicates(1000, 10), most=15.0, passes=1000)


def main():
    options = harness.parser(__doc__, repeat=5).parse_args()
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
