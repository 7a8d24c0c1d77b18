"""Make an archive of certificates and models with the version of separatrix that is installed.

    python tests/archive/make.py tests/archive/VERSION

It is run once for a version, by that version, and never again: what it has written must stay readable as it is. All data
comes from the built-in examples. ``contents.json`` says which files belong together; tests/test_archive.py reads it.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
import warnings
from contextlib import redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy import stats

import separatrix as sx

LABEL = ["--label", "approved"]


def written(table, separator=",", header=True):
    """Write a table as CSV; what is missing is empty."""
    out = io.StringIO()
    lines = csv.writer(out, delimiter=separator, lineterminator="\n")
    if header:
        lines.writerow(table.column_names)
    lines.writerows(row.values() for row in table.to_pylist())
    return out.getvalue().encode()


def libsvm(X, y, base):
    """Write rows as LIBSVM text."""
    pairs = [" ".join(f"{j + base}:{float(row[j])!r}" for j in np.flatnonzero(row).tolist()) for row in X]
    return "".join(f"{label} {pair}\n" for label, pair in zip(y, pairs, strict=True)).encode()


def make_data():
    """Write the tables that the certificates and models speak of."""
    Path("data").mkdir()
    credit, noisy = sx.examples.credit_table(), sx.examples.credit_table(noise=15.0)
    gaps = sx.examples.credit_table(noise=15.0, gaps=0.04)
    few = noisy.slice(0, 80)
    kinds = ("salaried", "self-employed", "student")
    three = credit.filter([each.as_py() in kinds for each in credit["employment"]]).slice(0, 80)
    files = {
        "credit.csv": written(credit),
        "credit-few.csv": written(credit.slice(0, 80)),
        "noisy.csv": written(noisy),
        "noisy-few.csv": written(few),
        "noisy-first.csv": written(noisy.slice(0, 120)),
        "noisy-second.csv": written(noisy.slice(120).select(noisy.column_names[::-1])),
        "noisy.csv.gz": gzip.compress(written(noisy), mtime=0),
        "noisy.csv.bz2": bz2.compress(written(noisy)),
        "noisy.csv.xz": lzma.compress(written(noisy)),
        "gaps.csv": written(gaps),
        "gaps-few.csv": written(gaps.slice(0, 80)),
        "three.csv": written(three),
        "german.csv": written(few, ";").decode().replace("self-employed", "selbständig").encode("latin-1"),
        "tabs.txt": written(few, "\t", header=False).decode().encode("utf-16"),
        "blanks.txt": written(few.drop_columns(["employment"])).decode().replace(",", "  ").encode(),
    }
    for name in ("and", "xor", "collinear"):
        files[f"{name}.csv"] = written(sx.examples.get(name).table)
    X, y = sx.examples.credit(noise=15.0)
    X, y = X[:80], np.where(np.array(y)[:80] == "yes", 1, -1)
    files["noisy.libsvm"], files["noisy-0.libsvm"] = libsvm(X, y, 1), libsvm(X, y, 0)
    names = [f"x{j}" for j in range(X.shape[1])]
    table = "\n".join(",".join(map(repr, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True))
    files["arrays.csv"] = f"{','.join(names)},y\n{table}\n".encode()
    for name, content in files.items():
        Path("data", name).write_bytes(content)
    np.savez_compressed("data/arrays.npz", X=X, y=y)
    rows = sp.csr_array(X)
    np.savez_compressed(
        "data/sparse.npz", data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape, format=b"csr", y=y
    )
    np.savez_compressed("data/gram.npz", X=X @ X.T, y=y)
    pq.write_table(few, "data/noisy.parquet")
    X, y = sx.examples.two_gaussians(40, dimension=3, random_state=0)
    np.savez_compressed("data/gaussians.npz", X=X, y=y)
    np.savez_compressed("data/counts.npz", X=np.arange(12.0)[:, None], y=np.arange(12) % 2)


# Each certificate of the command line: the command, its options, the data; and, if the stand-alone checker reads no such
# files, a table with the same rows, and the column of the label if the certificate does not name it.
COMMANDS = {
    "separable-words": ("decide", LABEL, ["credit.csv"]),
    "separable-without-intercept": ("decide", [*LABEL, "--no-intercept"], ["credit.csv"]),
    "separable-one-against-rest": ("decide", ["--label", "employment", "--positive", "student"], ["three.csv"]),
    "quasi-words": ("decide", LABEL, ["noisy.csv"]),
    "quasi-several-files": ("decide", LABEL, ["noisy-first.csv", "noisy-second.csv"]),
    "quasi-gzip": ("decide", LABEL, ["noisy.csv.gz"]),
    "quasi-bzip2": ("decide", LABEL, ["noisy.csv.bz2"]),
    "quasi-xz": ("decide", LABEL, ["noisy.csv.xz"]),
    "gaps-drop-rows": ("decide", [*LABEL, "--missing", "drop-rows"], ["gaps.csv"]),
    "gaps-indicator": ("decide", [*LABEL, "--missing", "indicator"], ["gaps.csv"]),
    "gaps-other-texts": (
        "decide", [*LABEL, "--gap", "", "--gap", "student", "--missing", "indicator"], ["gaps-few.csv"],
    ),
    "overlapping-numbers": ("decide", [*LABEL, "--drop", "employment"], ["noisy.csv"]),
    "codes-as-words": ("decide", [*LABEL, "--only", "late_payments", "--text", "late_payments"], ["noisy.csv"]),
    "overlapping-xor": ("decide", ["--label", "output"], ["xor.csv"]),
    "overlapping-collinear": ("decide", ["--label", "class"], ["collinear.csv"]),
    "semicolons-latin-1": ("decide", [*LABEL, "--separator", "semicolon", "--encoding", "latin-1"], ["german.csv"]),
    "tabs-utf-16-no-header": (
        "decide", ["--label", "7", "--no-header", "--separator", "tab", "--encoding", "utf-16"], ["tabs.txt"],
    ),
    "blanks": ("decide", [*LABEL, "--separator", "blanks"], ["blanks.txt"]),
    "libsvm": ("decide", [], ["noisy.libsvm"]),
    "libsvm-from-0": ("decide", [], ["noisy-0.libsvm"]),
    "arrays": ("decide", [], ["arrays.npz"], ["arrays.csv"], "y"),
    "sparse-arrays": ("decide", [], ["sparse.npz"], ["arrays.csv"], "y"),
    "parquet": ("decide", LABEL, ["noisy.parquet"], ["noisy-few.csv"]),
    "errors-words": ("least-errors", [*LABEL, "--time-limit", "inf"], ["noisy-few.csv"]),
    "errors-gaps": ("least-errors", [*LABEL, "--missing", "drop-rows", "--time-limit", "inf"], ["gaps.csv"]),
    "errors-costs": (
        "least-errors", [*LABEL, "--weights", "cards_held", "--time-limit", "inf"], ["noisy-few.csv"],
    ),
    "errors-libsvm": ("least-errors", ["--time-limit", "inf"], ["noisy.libsvm"]),
    "errors-arrays": ("least-errors", ["--time-limit", "inf"], ["arrays.npz"], ["arrays.csv"], "y"),
}  # fmt: skip

# Each model of the command line: the options of fit, and the data.
FITS = {
    "perceptron": ([*LABEL], ["credit.csv"]),
    "perceptron-one-against-rest": (["--label", "employment", "--positive", "student"], ["three.csv"]),
    "perceptron-indicator": ([*LABEL, "--missing", "indicator", "--max-iter", "50"], ["gaps.csv"]),
    "perceptron-drop-rows": ([*LABEL, "--missing", "drop-rows", "--max-iter", "50"], ["gaps.csv"]),
    "perceptron-tie-shuffle": ([*LABEL, "--tie", "positive", "--order", "shuffle", "--eta0", "0.1"], ["credit.csv"]),
    "perceptron-libsvm": (["--max-iter", "50"], ["noisy.libsvm"]),
    "perceptron-german": (
        [*LABEL, "--separator", "semicolon", "--encoding", "latin-1", "--max-iter", "50"], ["german.csv"],
    ),
    "averaged": ([*LABEL, "--algorithm", "averaged", "--max-iter", "20"], ["noisy.csv"]),
    "voted": ([*LABEL, "--algorithm", "voted", "--max-iter", "3"], ["noisy-few.csv"]),
    "voted-random": ([*LABEL, "--algorithm", "voted", "--order", "random", "--max-iter", "2"], ["noisy-few.csv"]),
    "voted-libsvm": (["--algorithm", "voted", "--max-iter", "2"], ["noisy.libsvm"]),
    "pocket": ([*LABEL, "--algorithm", "pocket", "--max-updates", "500"], ["noisy.csv"]),
    "pocket-balanced": (
        [*LABEL, "--algorithm", "pocket", "--max-updates", "200", "--class-weight", "balanced", "--restarts", "1"],
        ["noisy-few.csv"],
    ),
    "max-margin": ([*LABEL, "--algorithm", "max-margin"], ["credit.csv"]),
    "kernel-poly": (
        [*LABEL, "--algorithm", "kernel", "--kernel", "poly", "--degree", "2", "--coef0", "1", "--gamma", "0.5"],
        ["noisy-few.csv"],
    ),
    "kernel-rbf": ([*LABEL, "--algorithm", "kernel", "--kernel", "rbf", "--gamma", "0.01"], ["noisy-few.csv"]),
    "kernel-rbf-libsvm": (["--algorithm", "kernel", "--max-iter", "20"], ["noisy.libsvm"]),
    "kernel-linear": ([*LABEL, "--algorithm", "kernel", "--kernel", "linear"], ["credit-few.csv"]),
    "least-squares": ([*LABEL, "--algorithm", "least-squares"], ["noisy.csv"]),
    "linear-program": ([*LABEL, "--algorithm", "linear-program"], ["noisy.csv"]),
    "linear-program-separable": ([*LABEL, "--algorithm", "linear-program"], ["credit.csv"]),
    **{
        f"three-{name}": (["--label", "employment", "--algorithm", name, *more], ["three.csv"])
        for name, more in {
            "perceptron": ["--max-iter", "50"], "averaged": ["--max-iter", "10"], "voted": ["--max-iter", "2"],
            "pocket": ["--max-updates", "200"], "kernel": ["--max-iter", "20"], "least-squares": [], "linear-program": [],
        }.items()
    },
}  # fmt: skip


def run(*arguments):
    """Run a command in this process, whatever its entry is called; return what it prints as JSON."""
    (entry,) = (each for each in entry_points(group="console_scripts") if each.name == "separatrix")
    out, sys.argv = io.StringIO(), ["separatrix", *map(str, arguments), "--json"]
    try:
        with redirect_stdout(out):
            entry.load()()
    except SystemExit as left:
        if left.code:
            raise
    return json.loads(out.getvalue())


def paths(names):
    return [Path("data", name) for name in names]


def arrays(name):
    with np.load(Path("data", name)) as file:
        return file["X"], file["y"]


def margins():
    """Yield the certificates that Python alone makes: bounds of margins, and that there is none."""
    for kind in ("lifted", "geometric"):
        for name, label in (("and", "output"), ("credit-few", "approved")):
            margin = sx.margin(sx.read_data(f"data/{name}.csv", label=label), kind=kind)
            yield f"margin-at-least-{kind}-{name}", margin.at_least, [f"{name}.csv"]
            yield f"margin-at-most-{kind}-{name}", margin.at_most, [f"{name}.csv"]
    for name, label in (("noisy-few", "approved"), ("xor", "output")):
        data = sx.read_data(f"data/{name}.csv", label=label, drop=["employment"] if label == "approved" else [])
        try:
            sx.decide(data).require_separable()
        except sx.NotSeparable as error:
            yield f"not-separable-{name}", error.certificate, [f"{name}.csv"]


def make_certificates():
    """Write the certificates; return what belongs to each."""
    Path("certificates").mkdir()
    contents = {}
    for name, (command, options, data, *other) in COMMANDS.items():
        run(command, *paths(data), *options, "--certificate", f"certificates/{name}.json")
        contents[name] = {"data": data, "as_text": other[0] if other else data, "label": other[1] if other[1:] else None}
    for name, certificate, data in margins():
        certificate.save(f"certificates/{name}.json")
        contents[name] = {"data": data, "as_text": data, "label": None}
    for name, about in contents.items():
        about["claim"] = json.loads(Path(f"certificates/{name}.json").read_text())["claim"]
    return contents


def of_python():
    """Yield the models that Python alone makes."""
    X, y = arrays("arrays.npz")
    for kind, labels in {"booleans": y > 0, "numbers": 2.0 * y, "words": np.where(y > 0, "ja, ü", "nein")}.items():
        yield f"labels-{kind}", sx.Perceptron(max_iter=20).fit(X, labels), "arrays.npz"
    yield "without-intercept", sx.Perceptron(max_iter=20, fit_intercept=False).fit(X, y), "arrays.npz"
    order = np.random.default_rng(0).permutation(len(y))
    yield "order-given", sx.Perceptron(order=order, class_weight={-1: 0.5, 1: 2.0}, max_iter=20).fit(X, y), "arrays.npz"
    yield "initial-guess", sx.Perceptron(max_iter=20).fit(X, y, coef_init=X[0] / 3, intercept_init=0.1), "arrays.npz"
    yield "online", sx.Perceptron(average=True).partial_fit(X, y, classes=[-1, 1]), "arrays.npz"
    yield "online-voted", sx.VotedPerceptron().partial_fit(X, y, classes=[-1, 1]), "arrays.npz"
    yield "mixed", sx.MixedPerceptron(shards=3, max_iter=20).fit(X, y), "arrays.npz"
    yield "pocket-proved", sx.Pocket(max_updates=300, certify=30, random_state=0).fit(X, y), "arrays.npz"
    gram, _ = arrays("gram.npz")
    yield "kernel-precomputed", sx.KernelPerceptron(kernel="precomputed", max_iter=20).fit(gram, y), "gram.npz"
    yield "kernel-poly-exact", sx.KernelPerceptron(kernel="poly", degree=3, gamma=0.25, max_iter=20).fit(X, y), "arrays.npz"
    X, y = arrays("gaussians.npz")
    normal = stats.multivariate_normal
    bayes = sx.BayesClassifier(
        [normal(np.zeros(3), np.eye(3)), normal([2.0, 0.0, 0.0], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])],
        priors=[0.25, 0.75],
    )
    yield "bayes-gaussians", bayes.fit(X, y), "gaussians.npz"
    counts = {
        "binom": stats.binom(10, 0.25), "nbinom": stats.nbinom(3, 0.5), "geom": stats.geom(0.25, loc=-1),
        "poisson": stats.poisson(2.5), "randint": stats.randint(0, 12), "bernoulli": stats.bernoulli(0.5),
    }  # fmt: skip
    yield "bayes-counts", sx.BayesClassifier(list(counts.values()), classes=list(counts)), "counts.npz"
    yield "bayes-norm", sx.BayesClassifier([stats.norm(-1, 1), stats.norm(1, 2), stats.norm(loc=5)]), "counts.npz"


def make_models():
    """Write the models, and what each of them predicts; return what belongs to each."""
    Path("models").mkdir()
    Path("predictions").mkdir()
    contents = {}
    for name, (options, data) in FITS.items():
        run("fit", *paths(data), *options, "--model", f"models/{name}.json")
        contents[name] = {"data": data}
        predicted = run("predict", f"models/{name}.json", *paths(data))
        Path(f"predictions/{name}.json").write_text(json.dumps(predicted) + "\n")
    for name, classifier, data in of_python():
        sx.save_model(classifier, f"models/{name}.json")
        contents[name] = {"arrays": data}
        X, _ = arrays(data)
        scores = classifier.decision_function(X)
        scores = np.where(np.isfinite(scores), scores, None).tolist()  # as the command predict writes them
        predicted = {"predictions": classifier.predict(X).tolist(), "scores": scores}
        Path(f"predictions/{name}.json").write_text(json.dumps(predicted) + "\n")
    for name, about in contents.items():
        about["kind"] = json.loads(Path(f"models/{name}.json").read_text())["kind"]
    return contents


def main():
    """Make all of it in the folder that is named."""
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir()  # an archive is never made again
    os.chdir(folder)
    warnings.simplefilter("ignore")  # of runs that were still erring
    make_data()
    contents = {"library": sx.__version__, "certificates": make_certificates(), "models": make_models()}
    Path("contents.json").write_text(json.dumps(contents, indent=1) + "\n")


if __name__ == "__main__":
    main()
