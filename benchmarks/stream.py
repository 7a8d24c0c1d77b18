"""Rows that are more than memory holds: how long they take in blocks, and how much memory, beside Arrow and others.

    python benchmarks/stream.py [--gigabytes 6] [--folder DIR] [--memory 500MB] [--repeat 3] [--only NAME ...] [--json FILE]

A Parquet file of float64 numbers and a CSV file of numbers of six digits, 20 columns and a label each, separable. They are
made in the folder unless they are there already, from the last time; without a folder, in a temporary one. Each answer is
had in a process of its own, which begins with the survey; its peak of resident memory is that of all that it does. The rate
of a training pass is beside that of reading the same file through Arrow alone, in turn, from a file that the system has in
memory. The online pass gives batches to ``partial_fit``, whose time counts without reading; River (the extra ``bench``) gets
some of the rows, and its time for one is compared. Ends with 1 if a bar is missed.
"""

import itertools
import os
import tempfile
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import harness
import memory
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
from harness import Line, Outcome
from sklearn.linear_model import Perceptron

import separatrix as sx

D, ROWS, PASSES = 20, 2**20, 3
MOST = 800e6  # bytes
FOR_RIVER = 20_000  # rows

# The files.


def tables(digits=None):
    """Yield tables of separable rows without end."""
    weights = np.random.default_rng(0).standard_normal(D)
    for seed in itertools.count(1):
        X = np.random.default_rng(seed).standard_normal((ROWS, D))
        scores = X @ weights + 0.25
        near = np.abs(scores) < 0.05
        X[near] += np.where(scores[near] < 0, -0.1, 0.1)[:, None] * weights / np.sqrt(weights @ weights)
        if digits is not None:
            X = np.round(X, digits)
        labels = (X @ weights + 0.25 > 0).astype(np.int8)
        yield pa.table({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(D)} | {"y": labels})


def written(path, size, writer, digits=None):
    """Write a file of about some size, unless it is there."""
    if path.exists():
        return path
    made = path.with_suffix(".part")
    each = tables(digits)
    first = next(each)
    with writer(made, first.schema) as file:
        file.write_table(first)
        while made.stat().st_size < size:
            file.write_table(next(each))
    return made.rename(path)


def parquet_writer(path, schema):
    return pq.ParquetWriter(path, schema, compression="none", use_dictionary=False)


def csv_writer(path, schema):
    return pyarrow.csv.CSVWriter(path, schema)


# What is measured.


def opened(path, memory):
    return sx.Stream(path, label="y", memory=memory)


def learner():
    return sx.Perceptron(max_iter=PASSES)


def in_blocks(work, path, proof, size):
    """Survey a file, and do some work with it; return seconds of both, the peak of memory, and what was found."""
    stream = opened(path, size)
    surveyed = harness.timed(lambda: stream.facts).seconds
    took, found = harness.timed(work, stream, proof)
    return surveyed, took, memory.peak(), stream.facts.n, found


def survey(stream, proof):
    return f"{len(stream.facts.sizes):,} blocks"


def decide(stream, proof):
    verdict: Any = sx.decide(stream)
    verdict.certificate.save(proof)
    return f"{verdict.status}, {verdict.passes:.2g} passes"


def fit(stream, proof):
    return f"{learner().fit(stream).n_mistakes_:,} mistakes"


def verify(stream, proof):
    sx.verify(sx.Certificate.load(proof), stream)
    return "holds"


def bounded(work, path, options):
    """Do some work in little memory."""
    path = path()
    proof = path.with_name(f"{path.name}.proof")
    surveyed, took, peak, n, found = harness.apart(in_blocks, work, path, proof, options.memory)
    took = surveyed if work is survey else took
    passes = PASSES if work is fit else 1
    figures = {
        "seconds": took, "survey seconds": None if work is survey else surveyed, "peak MB": peak / 1e6, "found": found,
        "rows": n, "bytes": path.stat().st_size, "GB/s": passes * path.stat().st_size / took / 1e9,
    }  # fmt: skip
    return Outcome(figures, peak < MOST)


def read_batches(path):
    """Read a file through Arrow alone."""
    return sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches())


def scan(path):
    """Read a file through Arrow's scanner."""
    return sum(batch.num_rows for batch in pyarrow.dataset.dataset(path).to_batches())


def one_pass(stream):
    return sx.Perceptron(max_iter=1).fit(stream)


def training(path, options):
    """Compare a training pass with reading."""
    path = path()
    stream = opened(path, options.memory)
    n = stream.facts.n
    one_pass(opened(pq.ParquetFile(path).read_row_group(0), options.memory))  # compiles
    took = harness.in_turn(
        options.repeat,
        {"ours": partial(one_pass, stream), "batches": partial(read_batches, path), "scanner": partial(scan, path)},
    )
    arrow, ours = min(took["batches"].seconds, took["scanner"].seconds), took["ours"].seconds
    figures = {
        "seconds": ours, "Arrow batches seconds": took["batches"].seconds, "Arrow scanner seconds": took["scanner"].seconds,
        "ratio": arrow / ours, "GB/s": 8 * D * n / ours / 1e9, "load": os.getloadavg()[0],
    }  # fmt: skip
    return Outcome(figures, arrow >= 0.7 * ours)


def batches(path):
    """Yield rows and labels, as who learns from batches reads them."""
    for batch in pq.ParquetFile(path).iter_batches(2**16):
        X = np.column_stack([batch.column(j).to_numpy() for j in range(D)])
        yield np.ascontiguousarray(X), batch.column(D).to_numpy()


def online(path, options):
    """Compare ``partial_fit`` with that of scikit-learn, batch by batch in turn."""
    path = path()
    classes = np.array([0, 1])
    X, y = next(batches(path))
    sx.Perceptron().partial_fit(X, y, classes=classes)  # compiles
    ours, theirs = sx.Perceptron(), Perceptron()
    seconds = {ours: 0.0, theirs: 0.0}
    n, reading, began = 0, 0.0, time.perf_counter()
    for k, (X, y) in enumerate(batches(path)):
        reading += time.perf_counter() - began
        n += len(y)
        for each in (ours, theirs) if k % 2 else (theirs, ours):
            seconds[each] += harness.timed(each.partial_fit, X, y, classes=classes).seconds
        began = time.perf_counter()
    figures = {
        "seconds": seconds[ours], "scikit-learn seconds": seconds[theirs], "ratio": seconds[theirs] / seconds[ours],
        "reading seconds": reading, "rows": n, "ns per row": 1e9 * seconds[ours] / n,
    }  # fmt: skip
    return Outcome(figures, seconds[ours] <= seconds[theirs])


def one_by_one(path, options):
    """Compare the time that a row takes with River's."""
    try:
        from river import linear_model
    except ImportError:
        raise SystemExit("River is not there: pip install 'separatrix[bench]'.") from None
    X, y = (part[:FOR_RIVER] for part in next(batches(path())))
    names = [f"x{j}" for j in range(D)]
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    labels = [bool(label) for label in y]

    def theirs():
        model = linear_model.Perceptron()
        for row, label in zip(rows, labels, strict=True):
            model.learn_one(row, label)

    sx.Perceptron().partial_fit(X, y, classes=[0, 1])  # compiles
    took = harness.in_turn(
        options.repeat, {"theirs": theirs, "ours": lambda: sx.Perceptron().partial_fit(X, y, classes=[0, 1])}
    )
    ours, river = took["ours"].seconds, took["theirs"].seconds
    return Outcome({"rows": FOR_RIVER, "seconds": ours, "River seconds": river, "ratio": river / ours})


def lines(folder, options):
    size, name = options.gigabytes * 1e9, f"rows-{options.gigabytes:g}GB"

    @cache
    def parquet():
        return written(folder / f"{name}.parquet", size, parquet_writer)

    @cache
    def text():
        return written(folder / f"{name}.csv", size, csv_writer, digits=6)

    yield Line("Parquet, a training pass", "ratio at least 0.7", lambda: training(parquet, options))
    yield Line("Parquet, online", "ratio at least 1", lambda: online(parquet, options))
    yield Line("Parquet, River", "", lambda: one_by_one(parquet, options))
    for kind, path in (("Parquet", parquet), ("CSV", text)):
        for work in (survey, decide, fit, verify):
            yield Line(f"{kind}, {work.__name__}", f"peak below {MOST / 1e6:.0f} MB", partial(bounded, work, path, options))


def main():
    parser = harness.parser(__doc__, repeat=3)
    parser.add_argument("--gigabytes", type=float, default=6, help="size of each of the two files")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the files are kept; they are made if missing")
    parser.add_argument("--memory", default="500MB", help="memory that the rows in work may take")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        return harness.run(lines(options.folder, options), options)
    with tempfile.TemporaryDirectory() as folder:
        return harness.run(lines(Path(folder), options), options)


if __name__ == "__main__":
    raise SystemExit(main())
