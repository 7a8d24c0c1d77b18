"""How long it takes to read text files, and to learn from them, beside scikit-learn, Vowpal Wabbit and Arrow, in one run.

    python benchmarks/files.py [--megabytes 300] [--repeat 3] [--only NAME ...] [--json FILE]

Medians, all in turn, from a file that the system has in memory to the result. The LIBSVM file is like RCV1: 47,236
columns, some 80 entries in a row, values of four to six digits. Vowpal Wabbit (the extra ``bench``) gets the same numbers in
its own format, for one pass with hinge loss. The CSV file has 1,000,000 rows of 20 numbers of six digits, separable, and
Arrow only reads it. Decimals are compared with float64, in reading and in learning. Ends with 1 if a bar is missed.
"""

import operator
import tempfile
import warnings
from functools import cache
from pathlib import Path

import harness
import numpy as np
import pyarrow as pa
import pyarrow.csv
from harness import Line, Outcome
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
    return sx.Perceptron().partial_fit(data.rows, data.y, classes=[-1, 1])


def vowpal_wabbit(path):
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        raise SystemExit("Vowpal Wabbit is not there: pip install 'separatrix[bench]'.") from None
    workspace = Workspace(f"--data {path} --loss_function hinge --quiet")  # which reads and learns
    workspace.finish()
    return workspace


def reading(paths, repeat):
    svm, _ = paths()
    rows, (theirs, their_labels) = sx.read_data(svm), load_svmlight_file(svm)
    same = (theirs != rows.X).nnz == 0 and np.array_equal(rows.y, their_labels)
    took = harness.in_turn(repeat, {"theirs": lambda: load_svmlight_file(svm), "ours": lambda: sx.read_data(svm)})
    ours, peer = took["ours"].seconds, took["theirs"].seconds
    size = svm.stat().st_size
    figures = {
        "seconds": ours, "scikit-learn seconds": peer, "ratio": peer / ours, "GB/s": size / ours / 1e9,
        "rows": rows.shape[0], "bytes": size, "same": "yes" if same else "NO",
    }  # fmt: skip
    return Outcome(figures, same and peer >= 10 * ours)


def learning(paths, repeat):
    svm, vw = paths()
    learn(svm)  # compiles
    took = harness.in_turn(repeat, {"theirs": lambda: vowpal_wabbit(vw), "ours": lambda: learn(svm)})
    ours, peer = took["ours"].seconds, took["theirs"].seconds
    return Outcome({"seconds": ours, "Vowpal Wabbit seconds": peer, "ratio": peer / ours}, ours <= peer)


def reading_decimals(read, repeat):
    """Compare reading numbers as decimals with reading them as float64."""
    took = harness.in_turn(
        repeat, {numbers: lambda numbers=numbers: read(numbers=numbers) for numbers in ("decimal", "float64")}
    )
    decimals, floats = took["decimal"].seconds, took["float64"].seconds
    figures = {"seconds": decimals, "float64 seconds": floats, "ratio": decimals / floats}
    return Outcome(figures, decimals <= 1.3 * floats)


def running_decimals(path, repeat):
    """Compare ten passes of the perceptron over decimals with ten over the float64 numbers next to them."""
    data = sx.read_data(path(), label="y", numbers="decimal")
    works = {
        name: lambda rows=rows: quietly(sx.Perceptron(max_iter=10).fit, rows, data.y)
        for name, rows in (("decimals", data.rows), ("floats", data.X))
    }
    for work in works.values():  # compiles
        work()
    took = harness.in_turn(2 * repeat + 1, works)
    decimals, floats = took["decimals"].seconds, took["floats"].seconds
    visits = [took[name].result.n_iter_ for name in works]
    figures = {"seconds": decimals, "float64 seconds": floats, "ratio": decimals / floats, "passes": visits[0]}
    return Outcome(figures, decimals <= 1.1 * floats and visits[0] == visits[1])


def quietly(work, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work(*arguments)


def deciding(path, repeat):
    path = path()
    sx.decide(sx.read_data(path, label="y"))  # compiles
    took = harness.in_turn(
        2 * repeat + 1,
        {"theirs": lambda: pyarrow.csv.read_csv(path), "ours": lambda: sx.decide(sx.read_data(path, label="y"))},
    )
    (ours, verdict), (peer, _) = took["ours"], took["theirs"]
    figures = {"verdict": str(verdict.status), "seconds": ours, "Arrow seconds": peer, "ratio": ours / peer}
    return Outcome(figures, bool(verdict.separable) and ours <= 1.5 * peer)


def lines(folder, options):
    @cache
    def paths():
        return write(folder, options.megabytes * 1e6)

    @cache
    def table():
        return write_table(folder)

    def read_table(numbers):
        return sx.read_data(table(), label="y", numbers=numbers)

    def read_rows(numbers):
        return sx.read_data(paths()[0], numbers=numbers)

    yield Line("LIBSVM to CSR", "ratio at least 10", lambda: reading(paths, options.repeat))
    yield Line("LIBSVM, one pass", "ratio at least 1", lambda: learning(paths, options.repeat))
    yield Line("CSV to verdict", "ratio at most 1.5", lambda: deciding(table, options.repeat))
    yield Line("LIBSVM as decimals", "ratio at most 1.3", lambda: reading_decimals(read_rows, 2 * options.repeat + 1))
    yield Line("CSV as decimals", "ratio at most 1.3", lambda: reading_decimals(read_table, 2 * options.repeat + 1))
    yield Line("ten passes over decimals", "ratio at most 1.1", lambda: running_decimals(table, options.repeat))


def main():
    parser = harness.parser(__doc__, repeat=3)
    parser.add_argument("--megabytes", type=float, default=300, help="size of the LIBSVM file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return harness.run(lines(Path(folder), options), options)


if __name__ == "__main__":
    raise SystemExit(main())
