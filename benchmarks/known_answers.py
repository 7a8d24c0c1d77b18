"""Known answers: verdict, time and proof for the data sets whose separability is known.

    python benchmarks/known_answers.py --data DIR [--only NAME ...] [--check]

Prints for each problem the verdict, the seconds that deciding took (the fast verifier included) and "proved" if the
certificate, written to a file and read back, verifies; with --check the stand-alone checker has to agree, which takes
minutes for the largest. Exits with 1 if a verdict or a number of strictly separable rows is not the known one.
"""

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, load_svmlight_file

import separatrix as sx
from separatrix import checker
from separatrix.proof.certificate import Certificate

NOT = ("quasi-separable", "overlapping")


def one_hot(table):
    return pd.get_dummies(table.astype(str)).to_numpy(float)


def built_in():
    iris, kind = load_iris(return_X_y=True)
    cancer, benign = load_breast_cancer(return_X_y=True)
    yield "iris: setosa", iris, kind == 0, "separable", None
    yield "iris: versicolor, virginica", iris[kind > 0], kind[kind > 0], NOT, None
    yield "iris: versicolor", iris, kind == 1, NOT, None
    yield "WDBC", cancer, benign, "separable", None
    yield "WDBC, first 10 features", cancer[:, :10], benign, NOT, None


def files(folder):
    def read(name, **options):
        return pd.read_csv(folder / name, **options)

    for name, status in (("agresti_eight.csv", "separable"), ("agresti_ten.csv", "quasi-separable")):
        table = read(name)
        yield name, table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(), status, None
    table = read("endometrial.csv")
    yield "endometrial.csv", table.drop(columns="HG").to_numpy(float), table["HG"].to_numpy(), "quasi-separable", 13
    table = read("silvapulle1981.csv")
    yield "silvapulle1981.csv", table.drop(columns="y").to_numpy(float), table["y"].to_numpy(), "quasi-separable", None
    table = read("sonar.all-data", header=None)
    yield "sonar", table.iloc[:, :60].to_numpy(float), table[60].to_numpy(), "separable", None
    table = read("agaricus-lepiota.data", header=None)
    yield "mushrooms, one-hot", one_hot(table.iloc[:, 1:]), table[0].to_numpy(), "separable", None
    table = read("house-votes-84.data", header=None)
    yield "votes, one-hot", one_hot(table.iloc[:, 1:]), table[0].to_numpy(), "separable", None
    numbers = table.iloc[:, 1:].replace({"y": "1", "n": "-1", "?": "0"}).astype(float).to_numpy()
    yield "votes, ? = 0", numbers, table[0].to_numpy(), NOT, None
    for name, status in (("monks-3_test.csv", "separable"), ("monks-3_train.csv", NOT)):
        table = read(name, header=None)
        yield name, one_hot(table.iloc[:, :-1]), table.iloc[:, -1].to_numpy(), status, None
    table = read("crx.data", header=None, na_values="?").dropna()
    numeric = table.select_dtypes("number").columns
    text = [c for c in table.columns[:-1] if c not in numeric]
    yield (
        "crx.data, one-hot",
        np.hstack([table[numeric].to_numpy(float), one_hot(table[text])]),
        table[15].to_numpy(),
        NOT,
        None,
    )
    table = read("UCI_Credit_Card.csv")
    yield "UCI_Credit_Card", table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(), NOT, None
    table = read("spambase.data", header=None)
    yield "spambase", table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(), NOT, None
    for name, rows in (("a9a", 87), ("a9a.t", 49), ("w8a", 7739)):
        X, y = load_svmlight_file(str(folder / name), n_features=300 if name == "w8a" else 123)
        yield name, sp.csr_array(X), y.astype(int), "quasi-separable", rows


def boolean_functions():
    """Count the separable functions of 2, 3 and 4 inputs, constant ones left out; the known counts are in OEIS A000609."""
    for k, known in ((2, 12), (3, 102), (4, 1880)):
        X = np.array(list(itertools.product([0.0, 1.0], repeat=k)))
        started = time.perf_counter()
        labels = ([f >> i & 1 for i in range(2**k)] for f in range(1, 2**2**k - 1))
        count = sum(sx.decide(X, y).separable for y in labels)
        yield f"Boolean functions of {k} inputs", count, known, time.perf_counter() - started


def checked(verdict, X, y, with_checker):
    """Whether the certificate proves the verdict when it comes back from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        verdict.certificate.save(path)
        size = path.stat().st_size
        try:
            sx.verify(Certificate.load(path), X, y)
            if with_checker:
                rows = sp.csr_array(verdict.problem.X)
                rows.eliminate_zeros()
                spans = itertools.pairwise(rows.indptr)
                entries = [list(zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist(), strict=True)) for a, b in spans]
                checker.check(
                    checker.parse(path.read_bytes()), list(zip(verdict.problem.y.astype(int).tolist(), entries, strict=True))
                )
        except sx.InvalidCertificate as reason:
            return f"NOT PROVED: {reason}", size
    return "proved", size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the data sets that scikit-learn does not bring")
    parser.add_argument("--only", nargs="*", help="names of the lines to run")
    parser.add_argument("--check", action="store_true", help="let the stand-alone checker check as well")
    parser.add_argument(
        "--functions", action="store_true", help="decide all Boolean functions of up to 4 inputs, in minutes"
    )
    options = parser.parse_args()
    sx.decide([[0.0], [1.0], [2.0]], [0, 1, 0])  # compiles
    right = True
    print(
        f"{'problem':<30} {'rows x features':>16} {'verdict':<16} {'strict':>7} {'seconds':>8} {'witness':>7} {'proof':>9}"
    )
    sources = itertools.chain(built_in(), files(options.data) if options.data else ())
    for name, X, y, known, rows in sources:
        if options.only and name not in options.only:
            continue
        started = time.perf_counter()
        verdict = sx.decide(X, y)
        seconds = time.perf_counter() - started
        proof, size = checked(verdict, X, y, options.check)
        strict = len(verdict.separated_rows)
        fine = (
            verdict.status in ((known,) if isinstance(known, str) else known)
            and rows in (None, strict)
            and proof == "proved"
        )
        right &= fine
        witness = "" if verdict.witness is None else len(verdict.witness)
        print(
            f"{name:<30} {f'{X.shape[0]} x {X.shape[1]}':>16} {verdict.status:<16} {strict:>7} {seconds:>8.3f} {witness:>7} "
            f"{size:>8}B {proof}{'' if fine else f'  MISMATCH: known is {known} {rows or str()}'}", flush=True,
        )  # fmt: skip
    if options.functions:
        for name, count, known, seconds in boolean_functions():
            right &= count == known
            print(
                f"{name:<30} {count} separable{'' if count == known else f'  MISMATCH: known is {known}'} {seconds:>8.1f} s"
            )
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
