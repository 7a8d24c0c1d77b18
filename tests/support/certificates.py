"""Certificates for tests of the checker: the examples of the specification, more made by hand, and the tables of both."""

import bz2
import copy
import gzip
import hashlib
import json
import lzma
import re
import struct
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from paths import DOCS

from separatrix import checker
from separatrix.checker import DataError, InvalidCertificate, check, digest, parse, read_rows

PAGE = DOCS / "certificate-format.md"


def the_examples():
    page = PAGE.read_text(encoding="utf-8")
    pairs = re.findall(r"```(?:csv|libsvm)\n(.*?)```.*?```json\n(.*?)```", page, re.DOTALL)
    assert len(pairs) == page.count("```json") == page.count("```csv") + page.count("```libsvm")
    return pairs


*ONE_OF_EACH, MIXED, SPARSE, DECIMAL, TIED, KERNEL = the_examples()
EXAMPLES = {json.loads(document)["claim"]: (table, document) for table, document in ONE_OF_EACH}
LABELS = {"separable": "both", "not-separable": "answer", "quasi-separable": "y", "overlapping": "sign"}
LABELS |= {"margin-at-least": "both", "margin-at-most": "both", "errors-at-least": "side"}


def rows_of(points, labels):
    """Rows as the checker takes them, from dense points."""
    return [(y, [(j, float(v)) for j, v in enumerate(x) if v]) for x, y in zip(points, labels, strict=True)]


SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
DATA = {
    "separable": rows_of(SQUARE, [-1, -1, -1, 1]),
    "not-separable": rows_of(SQUARE, [-1, 1, 1, -1]),
    "quasi-separable": rows_of([[-2], [0], [0], [2]], [-1, -1, 1, 1]),
    "overlapping": rows_of([*SQUARE, [0.5, 0.5]], [-1, 1, 1, -1, 1]),
    "margin-at-least": rows_of(SQUARE, [-1, -1, -1, 1]),
    "margin-at-most": rows_of(SQUARE, [-1, -1, -1, 1]),
    "errors-at-least": rows_of([[0], [1], [2], [3], [4], [1]], [1, -1, 1, -1, 1, -1]),
}
CLAIMS = list(DATA)


def document_of(claim):
    return json.loads(EXAMPLES[claim][1])


def verdict(document, rows):
    return check(parse(json.dumps(document)), rows)


def refusal(document, rows):
    with pytest.raises(InvalidCertificate) as caught:
        verdict(document, rows)
    return str(caught.value)


def made(claim, rows, dimension, intercept, **sections):
    problem = {
        "rows": len(rows),
        "dimension": dimension,
        "intercept": intercept,
        "classes": None,
        "columns": None,
        "table": None,
        "digest": digest(rows),
    }
    return {"format": checker.FORMATS[0], "claim": claim, "problem": problem, **sections}


def obstruction_of(rows, dimension, indices, multipliers):
    points = [[str(Fraction(dict(rows[i][1]).get(j, 0.0))) for j in range(dimension)] for i in indices]
    return {
        "rows": list(indices),
        "labels": [rows[i][0] for i in indices],
        "points": points,
        "multipliers": [str(m) for m in multipliers],
    }


def bounded(claim, rows, dimension, intercept, kind, squared, proof):
    """A certificate of a bound of the margin: the proof is a hyperplane, intercept last, or multipliers by row."""
    if claim == "margin-at-least":
        weights = [str(v) for v in proof]
        section = {"separator": {"weights": weights[:dimension], "intercept": weights[dimension] if intercept else "0"}}
    else:
        section = {"combination": {"rows": list(proof), "multipliers": [str(m) for m in proof.values()]}}
    return made(claim, rows, dimension, intercept, margin={"kind": kind, "squared": str(squared)}, **section)


def put(*path):
    """Set what the path leads to, the last of its items, in a document."""

    def change(document):
        *way, last, value = path
        for step in way:
            document = document[step]
        document[last] = value

    return change


def without(*path):
    def change(document):
        *way, last = path
        for step in way:
            document = document[step]
        del document[last]

    return change


SEP, NOT, QUASI, OVER, LEAST, MOST, ERRORS = CLAIMS


numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.integers(-20, 20).map(lambda k: k / 10),
    st.builds(lambda m, e: m * 2.0**e, st.integers(-(2**53), 2**53), st.integers(-1074, 970)),
    st.sampled_from([5e-324, -5e-324, 1.7976931348623157e308, 1 / 3, 0.1, 0.0]),
)


def own_digest(rows):
    """The digest as the specification says it, from dense points."""
    data = b""
    for label, point in rows:
        data += bytes([1 if label == 1 else 255])
        data += b"".join(struct.pack("<Id", j, value) for j, value in enumerate(point) if value)
        data += b"\xff\xff\xff\xff"
    return "sha256:" + hashlib.sha256(data).hexdigest()


def twofold(points, table, columns, classes=("no", "yes")):
    """A certificate about a table with each point twice, as -1 and as 1: then all rows obstruct each other."""
    rows = [(label, [float(value) for value in point]) for point in points for label in (-1, 1)]
    problem = {
        "rows": len(rows),
        "dimension": len(points[0]),
        "intercept": True,
        "classes": list(classes),
        "columns": columns,
        "table": table,
        "digest": own_digest(rows),
    }
    obstruction = {
        "rows": list(range(len(rows))),
        "labels": [label for label, _ in rows],
        "points": [[str(Fraction(value)) for value in point] for _, point in rows],
        "multipliers": ["1"] * len(rows),
    }
    document = {"format": checker.FORMATS[0], "claim": "not-separable", "problem": problem, "obstruction": obstruction}
    return copy.deepcopy(document)  # no two places share a list


def outcome(document, *paths, label=None):
    """What the checker answers, as on the command line."""
    try:
        certificate = parse(json.dumps(document))
        return check(certificate, read_rows(paths, certificate, label))
    except InvalidCertificate as reason:
        return f"Refused. {reason}"
    except DataError as reason:
        return f"Not checked. {reason}"


def is_accepted(document, *paths, label=None):
    said = outcome(document, *paths, label=label)
    assert "\n" not in said
    return said.startswith("Proved for ")


OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def tabled(**changes):
    table = {"format": "csv", "label": "y", "header": True, "separator": ",", "encoding": "utf-8", "gaps": ["NA"]}
    return table | {"missing": "indicator"} | changes


def altered(document, *path):
    document = copy.deepcopy(document)
    put("problem", *path)(document)
    return document


texts = st.sampled_from(
    ["", "NA", "a", "b", " a", " ", " NA  ", 'q"u', "1", "0", "-2.5", "true", "FALSE", "1e400", "x,y", "two\nlines", "é;"]
)


@st.composite
def tables(draw):
    width = draw(st.integers(2, 4))
    header = draw(st.lists(texts, min_size=width, max_size=width, unique=True)) if draw(st.booleans()) else None
    names = header or [str(k + 1) for k in range(width)]
    label, *others = draw(st.permutations(names))
    gaps = draw(st.lists(texts, max_size=3, unique=True))
    missing = draw(st.sampled_from(["refuse", "drop-rows", "indicator"]))
    kinds = {name: draw(st.sampled_from(["number", "category", "gap"])) for name in others}
    columns = []
    for name, kind in kinds.items():
        if kind == "number":
            columns.append({"source": name})
        if kind == "category":
            some = draw(
                st.lists(texts.filter(lambda text: not {text, text.strip(" ")} & set(gaps)), max_size=3, unique=True)
            )
            columns += [{"source": name, "category": text} for text in some]
        if missing == "indicator" and draw(st.booleans()):
            columns.append({"source": name, "gap": True})
    columns = draw(st.permutations(columns)) or None
    numeric = texts.filter(lambda text: text in ("1", "0", "-2.5", "true", "FALSE", *gaps)) | texts
    cell = {name: numeric if columns is None or {"source": name} in columns else texts for name in others}
    cell[label] = st.sampled_from("ab") | st.sampled_from("ab") | texts
    lines = draw(st.lists(st.tuples(*(cell[name] for name in names)), min_size=1, max_size=4))
    table = tabled(
        label=label,
        header=header is not None,
        separator=draw(st.sampled_from(",;\t| :")),
        encoding=draw(st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252"])),
        gaps=gaps,
        missing=missing,
    )
    return names, lines, {"dimension": len(columns or others), "classes": ["a", "b"], "columns": columns, "table": table}
