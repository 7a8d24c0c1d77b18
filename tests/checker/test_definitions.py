"""The checker against the definitions in fractions, on random problems and tables."""

import csv
import json
import math
import re
from fractions import Fraction
from itertools import combinations

from certificates import bounded, is_accepted, made, numbers, obstruction_of, outcome, own_digest, rows_of, tables, verdict
from hypothesis import assume, event, given
from hypothesis import strategies as st
from profiles import quickly

from separatrix import checker
from separatrix.checker import InvalidCertificate, parse, read_rows

# ---- Properties: the checker against the definitions in fractions


def naive(document, points, labels):
    """Whether a document of the right form proves its claim: the definitions, word for word."""
    problem = document["problem"]
    z = [
        [Fraction(y) * Fraction(v) for v in ([*x, 1] if problem["intercept"] else x)]
        for x, y in zip(points, labels, strict=True)
    ]
    everywhere = list(range(len(z)))

    def product(i, w):
        return sum((a * b for a, b in zip(z[i], w, strict=True)), Fraction(0))

    def cancels(multipliers):
        return all(sum((m * z[i][j] for i, m in multipliers.items()), Fraction(0)) == 0 for j in range(len(z[0])))

    def obstructs(o):
        same = all(
            [Fraction(v) for v in point] == [Fraction(v) for v in points[i]] and label == labels[i]
            for i, label, point in zip(o["rows"], o["labels"], o["points"], strict=True)
        )
        return same and cancels(dict(zip(o["rows"], map(Fraction, o["multipliers"]), strict=True)))

    def covers(c, rows):
        own = dict(zip(c["rows"], map(Fraction, c["multipliers"]), strict=True))
        return own.keys() <= set(rows) and cancels({i: own.get(i, Fraction(c["rest"])) for i in rows})

    if "separator" in document:
        w = [Fraction(v) for v in document["separator"]["weights"]]
        w += [Fraction(document["separator"]["intercept"])] if problem["intercept"] else []
        products = [product(i, w) for i in everywhere]
    if "margin" in document:
        kind, squared = document["margin"]["kind"], Fraction(document["margin"]["squared"])
        counted = len(points[0]) if kind == "geometric" else len(z[0])
        if document["claim"] == "margin-at-least":
            length = sum(v * v for v in w[:counted])
            return length > 0 and all(p > 0 and p * p >= squared * length for p in products)
        m = dict(zip(document["combination"]["rows"], map(Fraction, document["combination"]["multipliers"]), strict=True))
        if kind == "geometric" and problem["intercept"]:  # half the distance between two means
            plus, minus = (sum(c for i, c in m.items() if labels[i] == y) for y in (1, -1))
            v = [sum(c * z[i][j] for i, c in m.items()) for j in range(counted)]
            return plus == minus and sum(a * a for a in v) <= 4 * squared * plus**2
        v = [sum(c * z[i][j] for i, c in m.items()) for j in range(len(z[0]))]
        return sum(a * a for a in v) <= squared * sum(m.values()) ** 2
    if document["claim"] == "separable":
        return all(p > 0 for p in products)
    if document["claim"] == "not-separable":
        return obstructs(document["obstruction"])
    if document["claim"] == "quasi-separable":
        if any(p < 0 for p in products) or all(p == 0 for p in products):
            return False
        return obstructs(document["obstruction"]) and covers(document["cover"], [i for i in everywhere if products[i] == 0])
    return obstructs(document["obstruction"]) and covers(document["cover"], everywhere)


def accepted(document, points, labels):
    try:
        verdict(document, rows_of(points, labels))
        return True
    except InvalidCertificate as error:
        reason = str(error)
    known = r"separator (has|goes)|do not add up|point of row|gives row|cover lists|at most (400|2,000) digits"
    assert re.search(known + "|add up to more|weights are all 0", reason)
    return False


small = st.integers(-3, 3)


@st.composite
def separations(draw):
    """Points with labels from a hyperplane, which goes through some of them; the hyperplane, or one a little off."""
    d = draw(st.integers(1, 4))
    intercept = draw(st.booleans())
    points = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=6))
    w = draw(st.lists(small, min_size=d, max_size=d))
    b = draw(small) if intercept else 0
    products = [sum((Fraction(a) * v for a, v in zip(x, w, strict=True)), Fraction(b)) for x in points]
    labels = [1 if p > 0 else -1 if p < 0 else draw(st.sampled_from([-1, 1])) for p in products]
    if draw(st.booleans()):
        w[draw(st.integers(0, d - 1))] += draw(st.sampled_from([-1, 1]))
    scale = draw(st.sampled_from([1, 1, 7, 10**30, 10**700]))
    separator = {"weights": [str(v * scale) for v in w], "intercept": str(b * scale)}
    return made("separable", rows_of(points, labels), d, intercept, separator=separator), points, labels


@given(separations())
def test_separators_by_definition(case):
    document, points, labels = case
    assert accepted(document, points, labels) == naive(document, points, labels)


@st.composite
def obstructions(draw):
    """Points that obstruct each other, with their multipliers; a few more points; a certificate of a drawn claim.

    The first points and multipliers are drawn. What they leave in each column is made up for by points that are its
    parts as floats, and what is left of the intercept by the point 0.
    """
    claim = draw(st.sampled_from(["not-separable", "quasi-separable", "overlapping"]))
    intercept = draw(st.booleans())
    d = draw(st.integers(1, 3))
    points = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=4))
    labels = [draw(st.sampled_from([-1, 1])) for _ in points]
    multipliers = [draw(st.sampled_from([1, 1, 2, 3, 10**20])) for _ in points]
    left = [
        sum((m * y * Fraction(x[j]) for x, y, m in zip(points, labels, multipliers, strict=True)), Fraction(0))
        for j in range(d)
    ]
    assume(all(abs(v) < 2**1023 for v in left))
    while any(left):
        points.append([-float(v) for v in left])
        labels.append(1)
        multipliers.append(1)
        left = [v + Fraction(a) for v, a in zip(left, points[-1], strict=True)]
    balance = sum(m * y for m, y in zip(multipliers, labels, strict=True))
    if balance and intercept:
        points.append([0.0] * d)
        labels.append(-1 if balance > 0 else 1)
        multipliers.append(abs(balance))
    bound = len(points)
    if claim != "overlapping":  # one more column, in which the points so far are 0 and further ones on their correct side
        points = [[*x, 0.0] for x in points]
        d += 1
        for _ in range(draw(st.integers(1, 3))):
            labels.append(draw(st.sampled_from([-1, 1])))
            points.append(draw(st.lists(numbers, min_size=d - 1, max_size=d - 1)))
            points[-1].append(labels[-1] * draw(st.sampled_from([0.1, 5e-324, 3.0])))
    order = draw(st.permutations(range(len(points))))
    points, labels = [points[i] for i in order], [labels[i] for i in order]
    own = {k: multipliers[i] for k, i in enumerate(order) if i < bound}
    rest = draw(st.sampled_from([1, *own.values()]))
    listed = [k for k, m in own.items() if m != rest or draw(st.booleans())]
    rows = rows_of(points, labels)
    sections = {"obstruction": obstruction_of(rows, d, list(own), own.values())}
    if claim != "not-separable":
        sections["cover"] = {"rows": listed, "multipliers": [str(own[k]) for k in listed], "rest": str(rest)}
    if claim == "quasi-separable":
        sections["separator"] = {"weights": ["0"] * (d - 1) + ["1"], "intercept": "0"}
    return made(claim, rows, d, intercept, **sections), points, labels


@given(obstructions())
def test_obstructions_and_covers_are_accepted(case):
    document, points, labels = case
    assert naive(document, points, labels)
    assert accepted(document, points, labels)


@given(obstructions(), st.data())
def test_tampered_obstructions_and_covers_by_definition(case, data):
    """One number changed: whether it still is a proof, the definitions say."""
    document, points, labels = case
    o, c = document["obstruction"], document.get("cover", {"rows": []})
    k = data.draw(st.integers(0, len(o["rows"]) - 1))
    j = data.draw(st.integers(0, len(points[0]) - 1))
    kinds = ["multiplier", "label", "point", "row", "drop"] + (["rest"] if "rest" in c else [])
    kinds += ["cover", "uncover"] if c["rows"] else []
    kinds += ["weights"] if "separator" in document else []
    kind = data.draw(st.sampled_from(kinds))
    if kind == "multiplier":
        o["multipliers"][k] = str(int(o["multipliers"][k]) + 1)
    elif kind == "label":
        o["labels"][k] *= -1
    elif kind == "point":
        off = data.draw(st.sampled_from([Fraction(1), Fraction(1, 2**1074)]))
        o["points"][k][j] = str(Fraction(o["points"][k][j]) + off)
    elif kind == "row":
        i = data.draw(st.integers(0, len(points) - 1))
        assume(i not in o["rows"])
        o["rows"][k] = i
    elif kind == "drop":
        assume(len(o["rows"]) > 1)
        for entries in o.values():
            del entries[k]
    elif kind == "rest":
        c["rest"] = str(int(c["rest"]) + data.draw(st.sampled_from([1, 10**30])))
    elif kind == "cover":
        m = data.draw(st.integers(0, len(c["rows"]) - 1))
        c["multipliers"][m] = str(int(c["multipliers"][m]) + 1)
    elif kind == "uncover":
        m = data.draw(st.integers(0, len(c["rows"]) - 1))
        del c["rows"][m], c["multipliers"][m]
    else:
        weights = document["separator"]["weights"]
        weights[j] = str(int(weights[j]) + data.draw(st.sampled_from([-1, 1])))
    assert accepted(document, points, labels) == naive(document, points, labels)


@given(obstructions(), separations())
def test_what_is_obstructed_has_no_separator(case, other):
    """No hyperplane is accepted as a separator of rows with an obstruction: the two proofs exclude each other."""
    document, points, labels = case
    weights = [*other[0]["separator"]["weights"], "1", "-1", "1"][: len(points[0])]
    intercept = other[0]["separator"]["intercept"] if document["problem"]["intercept"] else "0"
    claimed = {"claim": "separable", "separator": {"weights": weights, "intercept": intercept}}
    assert not accepted({key: document[key] for key in ("format", "problem")} | claimed, points, labels)


@given(separations(), st.sampled_from(checker.KINDS), st.sampled_from([-1, 0, 1]), st.data())
def test_bounds_from_below_by_definition(case, kind, off, data):
    """The margin that a hyperplane has, and a little more or less, or that of another row."""
    document, points, labels = case
    w = [Fraction(v) for v in (*document["separator"]["weights"], document["separator"]["intercept"])]
    length = sum(v * v for v in (w if kind == "lifted" else w[:-1])) or 1
    products = [
        y * sum(Fraction(a) * v for a, v in zip([*x, 1], w, strict=True)) for x, y in zip(points, labels, strict=True)
    ]
    nearest = data.draw(st.sampled_from([min(products), *products]))
    squared = nearest**2 / length
    squared += off * squared / data.draw(st.sampled_from([2, 10**9, 10**60]))
    parts = len(str(squared.numerator)), len(str(squared.denominator))
    document |= {"claim": "margin-at-least", "margin": {"kind": kind, "squared": str(squared)}}
    proves = naive(document, points, labels)
    event(f"{off}: {proves}, {max(parts) > 400}")
    assert accepted(document, points, labels) == proves


@given(st.data(), st.booleans(), st.sampled_from(checker.KINDS), st.sampled_from([-1, 0, 1]))
def test_bounds_from_above_by_definition(data, intercept, kind, off):
    d, n = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 5))
    points = data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    listed = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    multipliers = {i: data.draw(st.sampled_from([1, 2, 3, 7, 10**30])) for i in listed}
    sums = {y: sum(m for i, m in multipliers.items() if labels[i] == y) for y in (-1, 1)}
    if all(sums.values()) and data.draw(st.integers(0, 3)):
        multipliers = {i: m * sums[-labels[i]] for i, m in multipliers.items()}  # the same in either class
    z = [[Fraction(y) * Fraction(v) for v in ([*x, 1] if intercept else x)] for x, y in zip(points, labels, strict=True)]
    v = [sum(m * z[i][j] for i, m in multipliers.items()) for j in range(len(z[0]))]
    squared = sum(a * a for a in v) / sum(multipliers.values()) ** 2
    squared += off * squared / data.draw(st.sampled_from([2, 10**9, 10**60]))
    document = bounded("margin-at-most", rows_of(points, labels), d, intercept, kind, squared, multipliers)
    proves = naive(document, points, labels)
    event(f"{kind} {intercept} {off}: {proves}")
    assert accepted(document, points, labels) == proves


def solved(matrix, right):
    """Solve a square system in fractions; None if it is singular."""
    rows, n = [[*row, b] for row, b in zip(matrix, right, strict=True)], len(matrix)
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def nearest_to_zero(points):
    """The shortest vector of a convex hull: that of least length among the nearest of all small faces.

    Returns the square of its length and the multipliers of points.
    """

    def dot(a, b):
        return sum(Fraction(v) * Fraction(u) for v, u in zip(a, b, strict=True))

    best = None
    for size in range(1, len(points[0]) + 2):
        for face in combinations(range(len(points)), size):
            matrix = [[*(dot(points[i], points[j]) for j in face), Fraction(1)] for i in face]
            found = solved([*matrix, [Fraction(1)] * size + [Fraction(0)]], [Fraction(0)] * size + [Fraction(1)])
            if found is not None and all(m > 0 for m in found[:-1]):
                multipliers = dict(zip(face, found[:-1], strict=True))
                v = [sum(m * Fraction(points[i][j]) for i, m in multipliers.items()) for j in range(len(points[0]))]
                if best is None or dot(v, v) < best[0]:
                    best = dot(v, v), multipliers, v
    return best


@given(st.data(), st.booleans(), st.sampled_from(checker.KINDS))
@quickly(200)
def test_no_bound_excludes_the_margin(data, intercept, kind):
    """Against the margin by brute force: it is accepted from both sides, and nothing accepted contradicts it."""
    d = data.draw(st.integers(1, 2))
    coordinates = st.lists(st.integers(-8, 8).map(lambda k: k / 2), min_size=d, max_size=d)
    points = data.draw(st.lists(coordinates, min_size=2, max_size=5, unique_by=tuple))
    n = len(points)
    labels = [1, -1, *data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    rows = rows_of(points, labels)
    pairs = [(i, k) for i in range(n) for k in range(n) if labels[i] > labels[k]]
    if kind == "geometric" and intercept:  # half the shortest difference of two points of the hulls
        differences = [[a - b for a, b in zip(points[i], points[k], strict=True)] for i, k in pairs]
        squared, found, v = nearest_to_zero(differences)
        squared /= 4
        multipliers = dict.fromkeys(range(n), Fraction(0))
        for pair, m in found.items():
            for i in pairs[pair]:
                multipliers[i] += m
        middle = sum(m * Fraction(a) * u for i, m in multipliers.items() for a, u in zip(points[i], v, strict=True)) / 2
        w = [*v, -middle]
    else:
        z = [[y * a for a in ([*x, 1.0] if intercept else x)] for x, y in zip(points, labels, strict=True)]
        squared, multipliers, w = nearest_to_zero(z)
    scale = math.lcm(*(m.denominator for m in multipliers.values()), *(v.denominator for v in w))
    most = {i: int(m * scale) for i, m in multipliers.items() if m}
    least = [int(v * scale) for v in w]
    event(f"{kind}, {'separable' if squared else 'not separable'}")
    for claim, proof, beyond in (
        ("margin-at-most", most, Fraction(99, 100)),
        ("margin-at-least", least, Fraction(101, 100)),
    ):
        document = bounded(claim, rows, d, intercept, kind, squared, proof)
        assert accepted(document, points, labels) == (claim == "margin-at-most" or squared > 0)
        # Whatever the proof, the bound beyond the margin is refused.
        if claim == "margin-at-least":
            other = [v + data.draw(small) for v in least]
            for w in (least, other, [data.draw(small) for _ in least]):
                assert not accepted(bounded(claim, rows, d, intercept, kind, squared * beyond, w), points, labels)
        elif squared:
            other = {i: m + data.draw(st.integers(0, 2)) for i, m in most.items()}
            for m in (most, other, {i: data.draw(st.integers(1, 3)) for i in range(n)}):
                assert not accepted(bounded(claim, rows, d, intercept, kind, squared * beyond, m), points, labels)


@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.lists(numbers, min_size=2, max_size=2)), max_size=5))
def test_floats_survive_a_table(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    lines = [f"{x[0]!r},{y},{x[1]!r}" for y, x in rows]
    path.write_text("\n".join(["a,y,b", *lines]))
    certificate = {"problem": {"dimension": 2, "classes": None, "columns": None, "table": None, "numbers": "float64"}}
    assert read_rows([path], certificate, "y") == rows_of([x for _, x in rows], [y for y, _ in rows])


# ---- Tables by definition, whatever they are


def by_definition(header, lines, problem):
    """The rows of a table, column for column; None if there is no telling or a refusal."""
    table = problem["table"]
    columns = problem["columns"] or [{"source": name} for name in header if name != table["label"]]
    rows = []
    for cells in lines:
        cell = dict(zip(header, cells, strict=True))
        gap = {name for name in header if {cell[name], cell[name].strip(" \t")} & set(table["gaps"])}
        label = cell[table["label"]]
        if table["missing"] == "drop-rows" and gap & {table["label"], *(column["source"] for column in columns)}:
            continue
        if table["missing"] == "refuse" and gap & {column["source"] for column in columns}:
            return None
        if table["label"] in gap or label not in ("a", "b"):
            return None
        point = []
        for column in columns:
            text = cell[column["source"]]
            if "gap" in column:
                point.append(1.0 if column["source"] in gap else 0.0)
            elif "category" in column:
                point.append(1.0 if text == column["category"] and column["source"] not in gap else 0.0)
            elif column["source"] in gap:
                point.append(0.0)
            else:
                numbers = {"1": 1.0, "0": 0.0, "-2.5": -2.5, "true": 1.0, "FALSE": 0.0}
                if text not in numbers:
                    return None
                point.append(numbers[text])
        rows.append((1 if label == "b" else -1, point))
    return rows


@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@quickly(400)
def test_tables_by_definition(tmp_path_factory, case, quoting):
    names, lines, problem = case
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    with open(path, "w", encoding=problem["table"]["encoding"], newline="") as file:
        writer = csv.writer(file, delimiter=problem["table"]["separator"], quoting=quoting)
        writer.writerows([names] * problem["table"]["header"] + [*lines])
    expected = by_definition(names, lines, problem)
    event("no rows" if not expected else "rows")
    separator = {"weights": ["0"] * problem["dimension"], "intercept": "1"}
    digested = own_digest(expected or [])
    whole = {"rows": max(1, len(expected or [])), "intercept": True, "digest": digested} | problem
    document = {"format": checker.FORMATS[0], "claim": "separable", "problem": whole, "separator": separator}
    certificate = parse(json.dumps(document))
    if expected is None:
        assert re.match("Refused|Not checked", outcome(document, path))
    else:
        assert read_rows([path], certificate) == rows_of([x for _, x in expected], [y for y, _ in expected])
        assert is_accepted(document, path) == (bool(expected) and all(y == 1 for y, _ in expected))
