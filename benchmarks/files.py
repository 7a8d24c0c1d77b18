"""How long it takes to read text files, and to learn from them, beside scikit-learn, Vowpal Wabbit and Arrow, in one run.

    python benchmarks/files.py [--megabytes 300] [--repeat 3] [--only NUMBER ...]

Medians, all in turn, from a file that the system has in memory to the result. The LIBSVM file is like RCV1: 47,236
columns, some 80 entries in a row, values of four to six digits. Vowpal Wabbit (the extra ``bench``) gets the same numbers in
its own format, for one pass with hinge loss. The CSV file has 1,000,000 rows of 20 numbers of six digits, separable, and
Arrow only reads it. Ends with 1 if a bar is missed.
"""

import argparse
import itertools
import operator
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from sklearn.datasets import load_svmlight_file

import separatrix as sx

COLUMNS, WORDS, BLOCK = 47_236, 90, 2000


def write(folder, size):
    """Write rows in LIBSVM's format and in Vowpal Wabbit's; return both files, the first of them of the given size."""
    rng = np.random.default_rng(0)
    frequency = np.cumsum(1 / np.arange(1, COLUMNS + 1) ** 0.9)
    weights = rng.standard_normal(COLUMNS)
    names = np.array([f" {j}:" for j in range(1, COLUMNS + 1)], object)
    values = np.array([f"{0.001 + 0.3 * rng.random():.{digits}f}" for digits in (4, 5, 6) for _ in range(50_000)], object)
    numbers = values.astype(float)
    paths = folder / "rows.svm", folder / "rows.vw"
    with open(paths[0], "w") as svm, open(paths[1], "w") as vw:
        while svm.tell() < size:
            words = np.searchsorted(frequency / frequency[-1], rng.random((BLOCK, WORDS))).clip(max=COLUMNS - 1)
            for row in map(np.unique, words):
                chosen = rng.integers(values.size, size=row.size)
                label = 1 if numbers[chosen] @ weights[row] + 0.05 * rng.standard_normal() > 0 else -1
                entries = "".join(map(operator.add, names[row].tolist(), values[chosen].tolist()))
                svm.write(f"{label}{entries}\n")
                vw.write(f"{label} |{entries}\n")
    return paths


def write_table(folder, n=1_000_000, d=20):
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((n, d)), 6)
    scores = X @ rng.standard_normal(d)
    kept = np.abs(scores) > 0.01 * np.abs(scores).mean()
    table = pa.table({f"x{j}": X[kept, j] for j in range(d)} | {"y": np.where(scores[kept] > 0, "yes", "no")})
    path = folder / "rows.csv"
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none"))
    return path


def learn(path):
    data = sx.read_data(path)
    return sx.Perceptron().partial_fit(data.X, data.y, classes=[-1, 1])


def vowpal_wabbit(path):
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        raise SystemExit("Vowpal Wabbit is not there: pip install 'separatrix[bench]'.") from None
    workspace = Workspace(f"--data {path} --loss_function hinge --quiet")  # which reads and learns
    workspace.finish()
    return workspace


def lines(svm, vw, repeat):
    size = svm.stat().st_size

    def reading():
        data, (theirs, their_labels) = sx.read_data(svm), load_svmlight_file(svm)
        same = (theirs != data.X).nnz == 0 and np.array_equal(data.y, their_labels)
        peer, ours = medians(repeat, lambda: load_svmlight_file(svm), lambda: sx.read_data(svm))
        text = f"scikit-learn {peer:.2f} s, ratio {peer / ours:.1f}; {size / ours / 1e9:.2f} GB/s; {data.shape[0]:,} rows"
        return ours, text + ("" if same else ", NOT THE SAME"), same and peer >= 10 * ours

    def learning():
        learn(svm)  # compiles
        peer, ours = medians(repeat, lambda: vowpal_wabbit(vw), lambda: learn(svm))
        return ours, f"Vowpal Wabbit {peer:.2f} s, ratio {peer / ours:.1f}", ours <= peer

    def deciding():
        path = write_table(svm.parent)
        verdict = sx.decide(sx.read_data(path, label="y"))  # compiles
        peer, ours = medians(
            2 * repeat + 1, lambda: pyarrow.csv.read_csv(path), lambda: sx.decide(sx.read_data(path, label="y"))
        )
        return (
            ours,
            f"Arrow {peer:.2f} s, ratio {ours / peer:.2f}; {verdict.status}",
            bool(verdict.separable and ours <= 1.5 * peer),
        )

    yield "LIBSVM to CSR", "ratio at least 10", reading
    yield "LIBSVM, one pass", "ratio at least 1", learning
    yield "CSV to verdict", "ratio at most 1.5", deciding


def medians(repeat, *works):
    times = [[timed(work) for work in works] for _ in range(repeat)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="numbers of the lines to run, from 1")
    options = parser.parse_args()
    met = True
    with tempfile.TemporaryDirectory() as folder:
        svm, vw = write(Path(folder), options.megabytes * 1e6)
        for number, (name, bar, run) in zip(itertools.count(1), lines(svm, vw, options.repeat), strict=False):
            if options.only and str(number) not in options.only:
                continue
            seconds, text, fine = run()
            met &= fine
            print(f"{number} {name:<18} {seconds:>7.3f} s  {text}  [{bar}: {'met' if fine else 'MISSED'}]", flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
