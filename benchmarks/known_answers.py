"""Known answers: verdict, time and proof for the data sets whose separability is known.

    python benchmarks/known_answers.py [--data DIR] [--only NAME ...] [--check] [--functions] [--json FILE]

Gives for each problem the verdict, how many rows can be strictly separated, the seconds that deciding took (the fast
verifier included), and the size of the proof. Its bar is the known verdict, and a certificate that verifies after it was
written to a file and read back; with --check the stand-alone checker has to agree, which takes minutes for the largest.
``DIR`` holds the data sets that scikit-learn does not bring.
"""

import itertools
from functools import partial

import data
import harness
import numpy as np
from harness import Line, Outcome
from proofs import read_back

import separatrix as sx

NOT = "quasi-separable or overlapping"
SEPARABLE_FUNCTIONS = {2: 12, 3: 102, 4: 1880}
"""Boolean functions of so many inputs that are separable, the two constant ones left out (OEIS A000609)."""


def decided(make, known, strictly, with_checker):
    X, y = make()
    seconds, verdict = harness.timed(sx.decide, X, y)
    strict = len(verdict.separated_rows)
    figures = {
        "rows": X.shape[0], "features": X.shape[1], "verdict": str(verdict.status), "strictly": strict, "seconds": seconds,
        "witness": None if verdict.witness is None else len(verdict.witness),
    }  # fmt: skip
    try:
        figures["proof bytes"], _ = read_back(verdict, (X, y), with_checker)
    except sx.InvalidCertificate as reason:
        figures["NOT PROVED"] = str(reason)
    fine = str(verdict.status) in known.split(" or ") and strictly in (None, strict) and "NOT PROVED" not in figures
    return Outcome(figures, fine)


def boolean_functions(k, known):
    """Decide every function of k inputs that is not constant."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=k)))
    labels = ([f >> i & 1 for i in range(2**k)] for f in range(1, 2**2**k - 1))
    seconds, count = harness.timed(lambda: sum(sx.decide(X, y).separable for y in labels))
    return Outcome({"separable": count, "seconds": seconds}, count == known)


def problems(folder):
    """Yield the name of each problem, how it is made, the known verdict, and the rows strictly separable, if known."""
    iris = data.iris()
    yield "iris: setosa", lambda: (iris[0], iris[1] == 0), "separable", None
    yield "iris: versicolor, virginica", data.versicolor_and_virginica, NOT, None
    yield "iris: versicolor", lambda: (iris[0], iris[1] == 1), NOT, None
    yield "WDBC", data.wdbc, "separable", None
    yield "WDBC, first 10 features", lambda: (data.wdbc()[0][:, :10], data.wdbc()[1]), NOT, None
    if not folder:
        return

    def read(name):
        return partial(data.rows, folder, name)

    yield "agresti_eight.csv", read("agresti_eight.csv"), "separable", None
    yield "agresti_ten.csv", read("agresti_ten.csv"), "quasi-separable", None
    yield "endometrial.csv", read("endometrial.csv"), "quasi-separable", 13
    yield "silvapulle1981.csv", read("silvapulle1981.csv"), "quasi-separable", None
    yield "sonar", read("sonar.all-data"), "separable", None
    yield "mushrooms, one-hot", partial(data.one_hot, folder, "agaricus-lepiota.data", 0), "separable", None
    yield "votes, one-hot", partial(data.one_hot, folder, "house-votes-84.data", 0), "separable", None
    yield "votes, ? = 0", partial(data.votes_as_numbers, folder), NOT, None
    yield "monks-3_test.csv", partial(data.one_hot, folder, "monks-3_test.csv", -1), "separable", None
    yield "monks-3_train.csv", partial(data.one_hot, folder, "monks-3_train.csv", -1), NOT, None
    yield "crx.data, one-hot", read("crx.data"), NOT, None
    yield "UCI_Credit_Card", read("UCI_Credit_Card.csv"), NOT, None
    yield "spambase", read("spambase.data"), NOT, None
    yield "a9a", lambda: data.libsvm(folder, "a9a"), "quasi-separable", 87
    yield "a9a.t", lambda: data.libsvm(folder, "a9a", "a9a.t")[2:], "quasi-separable", 49
    yield "w8a", lambda: data.libsvm(folder, "w8a"), "quasi-separable", 7739


def lines(options):
    for name, make, known, strictly in problems(options.data):
        bar = known + (f", {strictly:,} rows strictly" if strictly else "")
        yield Line(name, bar, partial(decided, make, known, strictly, options.check))
    for k, known in SEPARABLE_FUNCTIONS.items() if options.functions else ():
        yield Line(f"Boolean functions of {k} inputs", f"{known:,} separable", partial(boolean_functions, k, known))


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--check", action="store_true", help="let the stand-alone checker check as well")
    parser.add_argument(
        "--functions", action="store_true", help="decide all Boolean functions of up to 4 inputs, in minutes"
    )
    options = parser.parse_args()
    sx.decide([[0.0], [1.0], [2.0]], [0, 1, 0])  # compiles
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
