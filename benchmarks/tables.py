"""The tables of measurements in README.md and docs, made from the files in benchmarks/results.

    python benchmarks/tables.py [--check]

A table stands between two comments, ``<!-- measured: NAME -->`` and ``<!-- end of measured: NAME -->``, and is never typed:
run a benchmark with ``--json benchmarks/results/BENCHMARK.json``, then this script. With --check nothing is written, and it
ends with 1 if a document does not say what was measured last.
"""

import argparse
import json
import math
import re
import sys
import textwrap
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
WIDTH = 125  # characters of a line of prose
DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "least-errors.md")
BLOCK = re.compile(r"<!-- measured: (?P<name>[\w-]+) -->\n.*?<!-- end of measured: (?P=name) -->", re.DOTALL)


@cache
def result(benchmark):
    return json.loads((RESULTS / f"{benchmark}.json").read_text(encoding="utf-8"))


def figures(benchmark, line):
    """Return the figures of a line."""
    for each in result(benchmark)["lines"]:
        if each["name"] == line:
            return each["figures"]
    raise LookupError(f"benchmarks/results/{benchmark}.json has no line {line!r}; run the benchmark without --only")


# ---- How figures are written.


def digits(value, significant=2):
    """Write a positive number with so many significant digits, and never fewer than those before its decimal point."""
    return f"{value:,.{max(0, significant - 1 - math.floor(math.log10(value)))}f}"


def seconds(value, significant=2):
    return f"{digits(value, significant)} s"


def size(count):
    """Write a number of bytes."""
    return f"{digits(count / 1e6)} MB" if count >= 1e6 else f"{max(1, round(count / 1e3)):,} kB"


def table(header, rows):
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [header, ["---"] * len(header), *rows]).replace(
        "|  |", "| |"
    )


def caption(*benchmarks):
    """Say what was measured on what machine with which versions, and when."""
    document = result(benchmarks[0])
    machine, versions = document["machine"], document["versions"]
    busy = any(line["load"] > 1.5 * machine["cores"] for name in benchmarks for line in result(name)["lines"])
    packages = ", ".join(
        f"{name} {versions[name]}" for name in ("separatrix", "Python", "numpy", "numba", "scikit-learn", "highspy")
    )
    scripts = " and ".join(f"`benchmarks/{name}.py`" for name in benchmarks)
    where = f"{machine['processor']} with {machine['cores']} cores{', busy with other work' if busy else ''}"
    return textwrap.fill(f"({scripts}, {document['date']}, {where}; {packages}.)", WIDTH, break_on_hyphens=False)


# ---- The tables.

DECIDED = {
    "100,000 x 30, margin 0.001": "100,000 x 30, margin 0.001",
    "the same, 3 labels flipped": "the same, 3 labels flipped",
    "3,000 x 300, random labels": "3,000 x 300, random labels",
    "WDBC": "breast cancer (WDBC), 569 x 30",
    "sonar": "sonar, 208 x 60",
}
"""Lines of the benchmark, and what the documents call them; so it is with the other dictionaries."""


def verdicts():
    rows = []
    for line, title in DECIDED.items():
        found = figures("decide", line)
        peer = seconds(found["linprog seconds"]) if "linprog seconds" in found else ""
        rows.append([title, found["verdict"], seconds(found["seconds"]), peer])
    w8a = figures("known_answers", "w8a")
    verdict = f"{w8a['verdict']}, {w8a['strictly']:,} rows strictly"
    rows.append([f"w8a, {w8a['rows']:,} x {w8a['features']}, sparse", verdict, seconds(w8a["seconds"]), ""])
    growth = max(figures("decide", f"1,000,000 x 20, {flipped} flipped")["growth"] for flipped in (0, 50))
    return "\n\n".join([
        table(["problem", "verdict", "separatrix, proved", "linprog, on trust"], rows),
        f"Memory grows by {digits(growth)} times the data at most on 1,000,000 x 20.",
        caption("decide", "known_answers"),
    ])  # fmt: skip


def files():
    svm, learnt, decided = (figures("files", line) for line in ("LIBSVM to CSR", "LIBSVM, one pass", "CSV to verdict"))
    rows = [
        [f"LIBSVM text, {svm['bytes'] / 1e6:.0f} MB, to CSR", seconds(svm["seconds"]),
         f"scikit-learn's `load_svmlight_file`: {seconds(svm['scikit-learn seconds'])}"],
        ["the same, read and one online pass of the perceptron", seconds(learnt["seconds"]),
         f"Vowpal Wabbit, read and one pass: {seconds(learnt['Vowpal Wabbit seconds'])}"],
        ["CSV, 1,000,000 x 20, to a proved verdict", seconds(decided["seconds"]),
         f"Arrow, reading alone: {seconds(decided['Arrow seconds'])}"],
    ]  # fmt: skip
    return "\n\n".join([table(["file", "separatrix", "beside it"], rows), caption("files")])


STREAMS = {"decide": "decided and proved", "fit": "three passes of the perceptron", "verify": "verified"}


def streams():
    rows = []
    for kind in ("Parquet", "CSV"):
        for work, title in STREAMS.items():
            line = figures("stream", f"{kind}, {work}")
            took = [seconds(line[name]) for name in ("survey seconds", "seconds")]
            name = f"{kind}, {line['bytes'] / 1e9:.1f} GB, {line['rows']:,} x 20"
            rows.append([name, title, *took, size(1e6 * line["peak MB"])])
    training, online, river = (figures("stream", f"Parquet, {name}") for name in ("a training pass", "online", "River"))
    return "\n\n".join([
        table(["file", "what is done", "survey", "after it", "memory at its peak"], rows),
        f"A training pass over the Parquet file takes {seconds(training['seconds'])}; Arrow, which only reads it, "
        f"{seconds(training['Arrow scanner seconds'])} by its scanner and {seconds(training['Arrow batches seconds'])} by "
        f"batches.\nAn online pass, without the time for reading, takes {seconds(online['seconds'])}; scikit-learn's "
        f"`partial_fit` on the same batches {seconds(online['scikit-learn seconds'])}.\nRow by row, River's `learn_one` "
        f"takes {digits(river['ratio'])} times as long.",
        caption("stream"),
    ])  # fmt: skip


def clusters():
    rows = []
    for power in (6, 7, 8):
        one, two = (figures("cluster", f"10^{power} rows, {workers}") for workers in ("one worker", "two workers"))
        rows.append([f"10^{power}", seconds(one["seconds"]), seconds(two["seconds"]), seconds(two["perceptron seconds"]),
                     size(1e6 * two["MB to the client"]), size(1e6 * two["client MB"])])  # fmt: skip
    header = ["rows x 10", "decided, one worker", "two workers", "a pass of the perceptron", "sent to the client",
              "memory of the client"]  # fmt: skip
    return "\n\n".join([table(header, rows), caption("cluster")])


RUNS = {
    "WDBC": "breast cancer (WDBC), standardised, 569 x 30",
    "sonar": "sonar, 208 x 60",
    "200,000 x 100": "200,000 x 100, margin 0.002",
    "3,200 x 1,000": "3,200 x 1,000, hundredths",
    "CSR 200,000 x 47,236": "CSR 200,000 x 47,236, 13.5 million non-zeros, 5 passes",
    "haberman": "haberman, 306 x 3, 10,000 passes",
    "opposite duplicates": "pairs of equal rows with opposite labels, 1,000 passes",
}


def runs():
    rows = []
    for line, title in RUNS.items():
        found = figures("perceptron", line)
        times = (seconds(found[name], 3) for name in ("scikit-learn seconds", "plain seconds", "seconds"))
        rows.append([title, f"{found['passes']:,}", f"{found['mistakes']:,}", *times])
    header = ["problem", "passes", "mistakes", "scikit-learn", "plain float loop", "separatrix, exact"]
    return "\n\n".join([table(header, rows), caption("perceptron")])


ERRORS = {
    "iris: versicolor, virginica": "iris, versicolor and virginica", "cryotherapy.csv": "cryotherapy",
    "voicepath_data.csv": "voicepath", "caesarian.csv": "caesarian", "haberman.data": "haberman",
    "heart_scale": "heart_scale", "australian.dat": "australian", "german.data-numeric": "german",
    "spambase.data": "spambase", "larger: 5 % of labels flipped": "5 % of labels flipped",
}  # fmt: skip


def least_errors():
    rows = []
    for line, title in ERRORS.items():
        found = figures("least_errors", line)
        proof = (
            [f"{found['obstructions']:,}", size(found["proof bytes"]), seconds(found["verify seconds"])]
            if "proof bytes" in found
            else ["", "", ""]
        )
        shape = f"{found['rows']:,} x {found['features']}"
        rows.append([title, shape, f"{found['lower']:,}", f"{found['upper']:,}", digits(found["seconds"]), *proof])
    header = ["data", "rows x features", "no fewer than", "found", "seconds", "obstructions", "proof", "verified in"]
    growth = digits(figures("least_errors", "larger: 5 % of labels flipped")["growth"])
    return "\n\n".join([
        table(header, rows), f"Memory grew by {growth} times the data in the last line.", caption("least_errors"),
    ])  # fmt: skip


def margins():
    patience = f"{digits(result('margin')['options']['patience'])} s"
    rows = []
    for line, title in {"100,000 x 30": "100,000 x 30", "WDBC": DECIDED["WDBC"], "sonar": DECIDED["sonar"]}.items():
        found = figures("margin", line)
        theirs = []
        for peer in ("SVC", "LinearSVC"):
            short = 100 * (1 - found[f"{peer} margin"] / found["margin"])
            time = found[f"{peer} seconds"]
            spent = f"stopped after {patience}" if time >= result("margin")["options"]["patience"] else seconds(time)
            theirs.append(f"{spent}, {f'{digits(short)} % short' if short < 100 else 'does not separate'}")
        rows.append([title, f"{found['margin']:.6g}", seconds(found["seconds"]), *theirs])
    header = ["data", "maximum margin", "separatrix, proved", "`SVC(C=1e10)`", "`LinearSVC(C=1e10)`"]
    return "\n\n".join([table(header, rows), caption("margin")])


def known():
    rows = []
    for line in result("known_answers")["lines"]:
        found = line["figures"]
        verdict = found["verdict"]
        if verdict == "quasi-separable":
            verdict += f", {found['strictly']:,} rows strictly"
        shape = f"{found['rows']:,} x {found['features']}"
        rows.append(
            [line["name"], shape, verdict, found["witness"] or "", size(found["proof bytes"]), seconds(found["seconds"])]
        )
    header = ["data", "rows x features", "verdict", "rows of the witness", "proof", "decided in"]
    return "\n\n".join([table(header, rows), caption("known_answers")])


POCKETS = {
    "errors: a9a": "a9a", "errors: spambase.data": "spambase", "errors: german.data-numeric": "german",
    "errors: crx.data": "crx", "errors: w8a": "w8a", "errors: 1,000,000 x 50": "normal, 5 % flipped",
    "errors: sparse 1,000,000 x 100,000": "sparse, 5 % flipped",
}  # fmt: skip
MEMBERS = {
    "perceptron": "perceptron", "averaged": "averaged", "least squares": "least squares",
    "linear program": "linear program", "LogisticRegression": "`LogisticRegression`", "LinearSVC": "`LinearSVC`",
}  # fmt: skip


def pockets():
    rows = []
    measured = {line["name"] for line in result("pocket")["lines"]}
    for line, title in POCKETS.items():
        if line not in measured:  # with --only, or without the folder of data
            continue
        found = figures("pocket", line)
        there = [name for name in MEMBERS if f"{name} errors" in found]
        slowest = max(there, key=lambda name: found[f"{name} seconds"])
        each = [f"{found[f'{name} errors']:,}" if name in there else "" for name in MEMBERS]
        mine = [f"{found[f'{name} against {slowest} errors']:,}" for name in ("Pocket", "least_errors")]
        rows.append([title, f"{found['rows']:,} x {found['features']:,}", *each, *mine])
    speed = figures("pocket", "speed")
    return "\n\n".join([
        table(["data", "rows x features", *MEMBERS.values(), "`Pocket`", "`least_errors`"], rows),
        f"`Pocket` does {digits(speed['ratio'])} times as many updates a second as a textbook's loop in NumPy.",
        caption("pocket"),
    ])  # fmt: skip


AVERAGED = {"a9a, shuffled": "a9a", "w8a, shuffled": "w8a", "spambase, shuffled": "spambase"}


def family():
    rows = []
    for line, title in AVERAGED.items():
        time, folds = figures("family", f"{line}: speed"), figures("family", f"{line}: folds")
        rows.append([title, f"{1e3 * time['seconds']:.1f} ms", f"{1e3 * time['SGD seconds']:.1f} ms",
                     *(f"{100 * folds[name]:.2f} %" for name in ("accuracy", "SGD accuracy"))])  # fmt: skip
    header = ["data", "separatrix, exact", "`SGDClassifier`", "accuracy, separatrix", "accuracy, `SGDClassifier`"]
    return "\n\n".join([table(header, rows), caption("family")])


TABLES = {
    "verdicts": verdicts, "known": known, "margins": margins, "files": files, "runs": runs, "least-errors": least_errors,
    "pockets": pockets, "family": family, "streams": streams, "clusters": clusters,
}  # fmt: skip


def filled(text):
    """Return a document with its tables made anew."""

    def made(block):
        name = block["name"]
        return f"<!-- measured: {name} -->\n\n{TABLES[name]()}\n\n<!-- end of measured: {name} -->"

    return BLOCK.sub(made, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a table is not up to date")
    options = parser.parse_args()
    old = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            old.append(path.relative_to(ROOT).as_posix())
            if not options.check:
                path.write_text(filled(text), encoding="utf-8")
    if options.check and old:
        sys.exit(f"Not what benchmarks/results says: {', '.join(old)}. Run python benchmarks/tables.py.")


if __name__ == "__main__":
    main()
