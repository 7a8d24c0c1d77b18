"""The checker: what proves a claim is accepted, everything else is refused, with the reason."""

import bz2
import copy
import csv
import gzip
import hashlib
import json
import lzma
import math
import re
import shutil
import struct
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from paths import DOCS

from separatrix import checker
from separatrix.checker import DataError, InvalidCertificate, check, digest, main, parse, read_rows, validate

PAGE = DOCS / "certificate-format.md"


def the_examples():
    page = PAGE.read_text(encoding="utf-8")
    pairs = re.findall(r"```(?:csv|libsvm)\n(.*?)```.*?```json\n(.*?)```", page, re.DOTALL)
    assert len(pairs) == page.count("```json") == page.count("```csv") + page.count("```libsvm")
    return pairs


*ONE_OF_EACH, MIXED, SPARSE = the_examples()
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


def test_every_claim_has_an_example():
    assert CLAIMS == list(EXAMPLES) == list(checker.CARRIES)
    assert len(ONE_OF_EACH) == len(CLAIMS)


def document_of(claim):
    return json.loads(EXAMPLES[claim][1])


def verdict(document, rows):
    return check(parse(json.dumps(document)), rows)


def refusal(document, rows):
    with pytest.raises(InvalidCertificate) as caught:
        verdict(document, rows)
    return str(caught.value)


# ---- The examples of the specification


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_examples_of_the_specification(tmp_path, claim):
    table, text = EXAMPLES[claim]
    path = tmp_path / "data.csv"
    path.write_text(table)
    certificate = parse(text)
    rows = read_rows([path], certificate, LABELS[claim])
    assert rows == DATA[claim]
    assert certificate["problem"]["digest"] == digest(rows)
    assert check(certificate, rows).startswith("Proved for ")


def test_what_is_proved_is_said():
    said = {claim: verdict(document_of(claim), DATA[claim]) for claim in CLAIMS}
    assert said["separable"] == (
        "Proved for 4 rows, 2 columns ('a', 'b'), an intercept, class 1 against 0, labels in column 'both': "
        "the classes are separable: the given hyperplane has every row on its correct side."
    )
    assert "against 'no', labels in column 'answer': the classes are not separable: no hyperplane" in said["not-separable"]
    assert "4 rows, 1 column, an intercept" in said["quasi-separable"]
    assert "has 2 rows on its correct side" in said["quasi-separable"]
    assert "goes through the other 2 rows" in said["quasi-separable"]
    assert "class 1 against -1: the classes overlap: any hyperplane" in said["overlapping"]
    assert said["margin-at-least"] == (  # the root of 1/8 is 0.35355339059327376...
        "Proved for 4 rows, 2 columns, an intercept, class 1 against -1: the margin (geometric) is at least 0.353553390593: "
        "the given hyperplane has every row that far on its correct side."
    )
    assert said["margin-at-most"] == (
        "Proved for 4 rows, 2 columns, an intercept, class 1 against -1: the margin (geometric) is at most 0.353553390594: "
        "no hyperplane has every row farther than that on its correct side."
    )
    assert said["errors-at-least"] == (
        "Proved for 6 rows, 1 column, an intercept, class 1 against -1: every hyperplane has at least 2 rows on its wrong "
        "side or goes through them."
    )


def test_every_other_label(tmp_path):
    document = document_of("not-separable")
    document["problem"]["classes"] = [None, "yes"]
    path = tmp_path / "data.csv"
    path.write_text("a,b,answer\n0,0,no\n0,1,yes\n1,0,yes\n1,1,perhaps\n")
    certificate = parse(json.dumps(document))
    assert "class 'yes' against all other labels" in check(certificate, read_rows([path], certificate))


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_example_proves_another_claim_or_other_data(claim):
    for other in CLAIMS:
        if other != claim:
            assert "key" in refusal(document_of(claim) | {"claim": other}, DATA[claim])
        if DATA[other] != DATA[claim]:
            assert re.search("about|digests differ", refusal(document_of(claim), DATA[other]))


# ---- Small certificates made by hand


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
    return {"format": checker.FORMAT, "claim": claim, "problem": problem, **sections}


def obstruction_of(rows, dimension, indices, multipliers):
    points = [[str(Fraction(dict(rows[i][1]).get(j, 0.0))) for j in range(dimension)] for i in indices]
    return {
        "rows": list(indices),
        "labels": [rows[i][0] for i in indices],
        "points": points,
        "multipliers": [str(m) for m in multipliers],
    }


def test_one_row_is_separable():
    rows = rows_of([[0]], [-1])
    assert verdict(made("separable", rows, 1, True, separator={"weights": ["0"], "intercept": "-1"}), rows)
    assert "goes through" in refusal(made("separable", rows, 1, True, separator={"weights": ["5"], "intercept": "0"}), rows)


def test_a_zero_row_without_an_intercept_obstructs_by_itself():
    rows = rows_of([[0, 0], [1, 0]], [1, 1])
    alone = obstruction_of(rows, 2, [0], [7])
    assert verdict(made("not-separable", rows, 2, False, obstruction=alone), rows)
    weak = {"weights": ["1", "0"], "intercept": "0"}
    cover = {"rows": [0], "multipliers": ["3"], "rest": "1"}
    document = made("quasi-separable", rows, 2, False, separator=weak, obstruction=alone, cover=cover)
    assert "goes through the other 1 row." in verdict(document, rows)
    over = made("overlapping", rows, 2, False, obstruction=alone, cover={"rows": [], "multipliers": [], "rest": "1"})
    assert "cover's rows times their multipliers do not add up to 0 in column 0" in refusal(over, rows)


def test_the_intercept_makes_a_difference():
    rows = rows_of([[1], [2]], [-1, 1])
    assert verdict(made("separable", rows, 1, True, separator={"weights": ["2"], "intercept": "-3"}), rows)
    both = obstruction_of(rows, 1, [0, 1], [2, 1])
    assert verdict(made("not-separable", rows, 1, False, obstruction=both), rows)
    assert "in the intercept" in refusal(made("not-separable", rows, 1, True, obstruction=both), rows)


def test_a_tenth_is_the_float_next_to_it():
    rows = rows_of([[0.1], [0.3]], [-1, 1])  # three times 0.1 is 0.3, in decimals
    document = made("not-separable", rows, 1, False, obstruction=obstruction_of(rows, 1, [0, 1], [3, 1]))
    assert "do not add up to 0 in column 0" in refusal(document, rows)
    document["obstruction"]["points"] = [["1/10"], ["3/10"]]
    assert "row 0 is not the data's in column 0, which is 0.1" in refusal(document, rows)


def test_the_last_bit_counts():
    rows = rows_of([[1e300, 1e-300], [1e300, 2e-300]], [-1, 1])
    (p, _), (r, q) = (1e300).as_integer_ratio(), (1e-300).as_integer_ratio()
    through = [-r, p * q]  # row 0 gives 1e300 r - 1e-300 p q = 0
    for off, message in [(0, "goes through row 0"), (1, "row 0 on its wrong side"), (-1, None)]:
        separator = {"weights": [str(through[0]), str(through[1] + off)], "intercept": "0"}
        document = made("separable", rows, 2, False, separator=separator)
        if message is None:
            assert verdict(document, rows)
        else:
            assert message in refusal(document, rows)


def test_the_smallest_and_the_largest_float():
    rows = rows_of([[5e-324], [1.7976931348623157e308]], [1, 1])
    assert verdict(made("separable", rows, 1, False, separator={"weights": ["1"], "intercept": "0"}), rows)
    wrong = rows_of([[-5e-324], [1.0]], [1, 1])
    document = made("separable", wrong, 1, False, separator={"weights": ["1"], "intercept": "0"})
    assert "row 0 on its wrong side" in refusal(document, wrong)
    p, q = (5e-324).as_integer_ratio()
    near = {"weights": [str(q)], "intercept": str(-p)}
    assert "goes through row 0" in refusal(made("separable", rows, 1, True, separator=near), rows)


def test_the_order_of_keys_means_nothing():
    document = document_of("quasi-separable")
    assert verdict(dict(reversed(document.items())), DATA["quasi-separable"])


def test_fractions_need_not_be_in_lowest_terms():
    document = document_of("overlapping")
    document["obstruction"]["points"][2] = ["17/34", "2/4"]
    assert verdict(document, DATA["overlapping"])


def test_multipliers_beyond_the_digits_that_python_converts():
    limit = sys.get_int_max_str_digits()
    for digits in (4_301, 20_000, 49_999):
        document = document_of("overlapping")
        for numbers in (document["obstruction"]["multipliers"], document["cover"]["multipliers"]):
            numbers[:] = [number + "0" * digits for number in numbers]
        document["cover"]["rest"] += "0" * digits
        assert verdict(document, DATA["overlapping"])
        document["cover"]["rest"] = "2" + "0" * (digits - 1) + "1"
        assert "do not add up" in refusal(document, DATA["overlapping"])
    document = document_of("separable")
    document["separator"] = {"weights": ["2" + "0" * 49_999] * 2, "intercept": "-3" + "0" * 49_999}
    assert verdict(document, DATA["separable"])
    assert sys.get_int_max_str_digits() == limit


# ---- Margins


def bounded(claim, rows, dimension, intercept, kind, squared, proof):
    """A certificate of a bound of the margin: the proof is a hyperplane, intercept last, or multipliers by row."""
    if claim == "margin-at-least":
        weights = [str(v) for v in proof]
        section = {"separator": {"weights": weights[:dimension], "intercept": weights[dimension] if intercept else "0"}}
    else:
        section = {"combination": {"rows": list(proof), "multipliers": [str(m) for m in proof.values()]}}
    return made(claim, rows, dimension, intercept, margin={"kind": kind, "squared": str(squared)}, **section)


TWO = ([[0], [3]], [-1, 1])
AND = (SQUARE, [-1, -1, -1, 1])
SIMPLEX = ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], [1, 1, -1])
HALVES = ([[0.5, 0], [0, -0.5], [7, 7]], [1, -1, 1])
MARGINS = {  # points and labels, whether with an intercept, kind, the square of the margin, who attains it, who bounds it
    "two points, half way": (TWO, True, "geometric", "9/4", [2, -3], {0: 1, 1: 1}),
    "two points, lifted": (TWO, True, "lifted", "9/13", [2, -3], {0: 11, 1: 2}),
    "one point": (([[3, -4]], [-1]), False, "lifted", "25", [-3, 4], {0: 1}),
    "one point, lifted": (([[3, -4]], [-1]), True, "lifted", "26", [-3, 4, -1], {0: 1}),
    "one point, without an intercept": (([[3, -4]], [-1]), False, "geometric", "25", [-3, 4], {0: 1}),
    "the gate": (AND, True, "geometric", "1/8", [2, 2, -3], {3: 2, 1: 1, 2: 1}),
    "the gate, lifted": (AND, True, "lifted", "1/17", [2, 2, -3], {1: 5, 2: 5, 3: 7}),
    "a simplex": (SIMPLEX, False, "lifted", "1/3", [1, 1, 1], {0: 1, 1: 1, 2: 1}),
    "a simplex, geometric": (SIMPLEX, False, "geometric", "1/3", [1, 1, 1], {0: 1, 1: 1, 2: 1}),
    "halves": (HALVES, False, "lifted", "1/8", [1, 1], {0: 1, 1: 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", MARGINS)
def test_margins_by_hand(name):
    """The exact square of the margin is accepted from either side, and nothing beyond it."""
    (points, labels), intercept, kind, squared, w, multipliers = MARGINS[name]
    rows, d = rows_of(points, labels), len(points[0])
    little = Fraction(1, 10**40)
    for claim, proof, sign, message in [
        ("margin-at-least", w, 1, r"row \d on its correct side, but nearer than the margin"),
        ("margin-at-most", multipliers, -1, "add up to more than the margin"),
    ]:
        for off in (0, -sign * little, -sign * Fraction(squared) / 2):
            document = bounded(claim, rows, d, intercept, kind, Fraction(squared) + off, proof)
            assert f"the margin ({kind}) is {claim[7:].replace('-', ' ')}" in verdict(document, rows)
        for off in (sign * little, sign * Fraction(squared) / 2):
            document = bounded(claim, rows, d, intercept, kind, Fraction(squared) + off, proof)
            assert re.search(message, refusal(document, rows))


def test_a_margin_of_nothing_is_what_separates_or_obstructs():
    """At least 0 is claimed of separable rows only; at most 0 of rows that are not."""
    gate, xor = DATA["separable"], DATA["not-separable"]
    for kind in checker.KINDS:
        assert "is at least 0:" in verdict(bounded("margin-at-least", gate, 2, True, kind, 0, [2, 2, -3]), gate)
        through = bounded("margin-at-least", gate, 2, True, kind, 0, [1, 1, -1])
        assert "goes through row 1, which must be" in refusal(through, gate)
        assert "row 0 on its wrong" in refusal(bounded("margin-at-least", gate, 2, True, kind, 0, [1, 1, 1]), gate)
        assert "is at most 0:" in verdict(bounded("margin-at-most", xor, 2, True, kind, 0, dict.fromkeys(range(4), 1)), xor)
        assert "more than" in refusal(bounded("margin-at-most", xor, 2, True, kind, 0, {0: 1, 1: 2, 2: 2, 3: 3}), xor)


def test_geometric_margins_need_weights_and_both_classes():
    rows = rows_of([[1, 2], [3, 4]], [1, 1])  # of one class: as far away as one likes, but from some hyperplane
    assert verdict(bounded("margin-at-least", rows, 2, True, "geometric", 10**12, [1, 0, 10**6]), rows)
    nowhere = bounded("margin-at-least", rows, 2, True, "geometric", 0, [0, 0, 1])
    assert "weights are all 0" in refusal(nowhere, rows)
    assert verdict(nowhere | {"margin": {"kind": "lifted", "squared": "1"}}, rows)
    for multipliers in ({0: 1}, {0: 1, 1: 1}, {0: 2, 1: 1}):
        claimed = bounded("margin-at-most", rows, 2, True, "geometric", 10**9, multipliers)
        assert "do not add up to the same in either class" in refusal(claimed, rows)
        assert verdict(claimed | {"margin": {"kind": "lifted", "squared": "1000000000"}}, rows)
    both = DATA["separable"]
    assert "the same in either" in refusal(
        bounded("margin-at-most", both, 2, True, "geometric", 9, {1: 5, 2: 5, 3: 9}), both
    )


def test_margins_of_the_smallest_and_the_largest_numbers():
    tiny, huge = 5e-324, 1.7976931348623157e308
    for number in (tiny, huge, 3 * tiny, 0.1):
        rows = rows_of([[number, 0.0], [0.0, number]], [1, 1])
        squared = Fraction(number) ** 2 / 2
        for off, message in [(Fraction(0), None), (squared / 10**50, "nearer")]:
            document = bounded("margin-at-least", rows, 2, False, "lifted", squared + off, [1, 1])
            assert message in refusal(document, rows) if message else verdict(document, rows)
            document = bounded("margin-at-most", rows, 2, False, "lifted", squared - off, {0: 1, 1: 1})
            assert "add up to more" in refusal(document, rows) if message else verdict(document, rows)


def test_the_length_of_a_proof_means_nothing():
    rows, little = DATA["separable"], Fraction(1, 10**30)
    for zeros in ("0", "0" * 400, "0" * 49_999):
        w, multipliers = [f"{v}{zeros}" for v in (2, 2, -3)], {1: f"1{zeros}", 2: f"1{zeros}", 3: f"2{zeros}"}
        for claim, proof, sign in (("margin-at-least", w, 1), ("margin-at-most", multipliers, -1)):
            assert verdict(bounded(claim, rows, 2, True, "geometric", "1/8", proof), rows)
            beyond = Fraction(1, 8) + sign * little
            assert "margin that is claimed" in refusal(bounded(claim, rows, 2, True, "geometric", beyond, proof), rows)


def test_squares_of_fifty_thousand_digits():
    zeros = "0" * 49_998
    same, more, less = f"1{zeros}0/8{zeros}0", f"1{zeros}1/8{zeros}0", f"1{zeros}0/8{zeros}1"
    for claim, holds, fails in (("margin-at-least", less, more), ("margin-at-most", more, less)):
        document = document_of(claim)
        for squared in (same, holds):
            document["margin"]["squared"] = squared
            assert " 0.35355339059" in verdict(document, DATA[claim])
        document["margin"]["squared"] = fails
        assert "margin that is claimed" in refusal(document, DATA[claim])


@given(
    st.builds(Fraction, st.integers(0, 10**40), st.integers(1, 10**40))
    | st.builds(lambda m, e: m * Fraction(10) ** e, st.integers(1, 10**15), st.integers(-3000, 3000))
)
def test_roots_are_rounded_to_the_safe_side(squared):
    low, high = checker.root(squared, up=False), checker.root(squared, up=True)
    assert Fraction(low) ** 2 <= squared <= Fraction(high) ** 2
    assert 10**10 * (Fraction(high) - Fraction(low)) <= Fraction(high)
    assert len(low) < 25
    assert len(high) < 25


def test_roots():
    for squared, low, high in [
        ("0", "0", "0"), ("4", "2", "2"), ("10000", "100", "100"), ("9/4", "1.5", "1.5"), ("1/10000", "0.01", "0.01"),
        ("2", "1.414213562373", "1.414213562374"), ("1/3", "0.577350269189", "0.577350269190"),
    ]:  # fmt: skip
        found = checker.root(Fraction(squared), up=False), checker.root(Fraction(squared), up=True)
        assert tuple(map(Decimal, found)) == (Decimal(low), Decimal(high))
        assert "E" not in "".join(found)
    assert checker.root(Fraction(10) ** -90_000, up=True).startswith("1")
    assert checker.root(Fraction(10) ** -90_000, up=True).endswith("E-45000")
    assert checker.root(Fraction(10) ** 90_000, up=False).endswith("E+45000")


@given(st.integers(-(10**3000), 10**3000) | st.integers(-(10**700), 10**700))
def test_long_numbers_are_read_right(number):
    assert checker._integer(str(number)) == number


# ---- Errors


def packed(rows, dimension, intercept, least, pool, *nodes, costs=None):
    """A certificate of a bound of errors: obstructions are multipliers by row, nodes a row or weights by obstruction."""
    listed = [{"rows": list(each), "multipliers": [str(m) for m in each.values()]} for each in pool]
    written = [
        {"obstructions": list(node), "weights": [str(w) for w in node.values()]} if isinstance(node, dict) else {"row": node}
        for node in nodes
    ]
    errors = {"least": str(least), "costs": None if costs is None else [str(cost) for cost in costs]}
    sections = {"errors": errors, "packing": {"obstructions": listed, "nodes": written}}
    return made("errors-at-least", rows, dimension, intercept, **sections)


LINE = rows_of([[0], [1], [2], [3], [4]], [1, -1, 1, -1, 1])
THREE = [{0: 1, 1: 2, 2: 1}, {2: 1, 3: 2, 4: 1}, {0: 3, 1: 4, 4: 1}]


def test_bounds_of_whole_costs_are_rounded_up():
    halves = dict.fromkeys(range(3), "1/2")
    for costs in (None, [1] * 5, ["2/2"] * 5):
        assert "every hyperplane has" in verdict(packed(LINE, 1, True, 2, THREE, halves, costs=costs), LINE)
        assert "nodes[0] proves fewer" in refusal(packed(LINE, 1, True, "201/100", THREE, halves, costs=costs), LINE)
    just = {**halves, 2: "1/1000000"}
    assert verdict(packed(LINE, 1, True, 2, THREE, just), LINE)
    assert "proves fewer" in refusal(packed(LINE, 1, True, 2, THREE, {0: "1/2", 1: "1/2"}), LINE)  # 1 is 1
    costs = [1, 1, 1, 1, "3/2"]  # not whole
    assert verdict(packed(LINE, 1, True, "3/2", THREE, halves, costs=costs), LINE)
    assert "proves fewer" in refusal(packed(LINE, 1, True, "1501/1000", THREE, halves, costs=costs), LINE)


def test_what_is_said_of_errors():
    one = {0: "1"}
    assert verdict(packed(LINE, 1, True, 1, THREE, one), LINE).endswith(
        ": every hyperplane has at least 1 row on its wrong side or goes through it."
    )
    assert "at least 1/2 rows on" in verdict(packed(LINE, 1, True, "1/2", THREE, one), LINE)
    assert "has at least 0 rows on" in verdict(packed(LINE, 1, True, 0, [], {}), LINE)
    costs = ["7/2"] * 5
    assert verdict(packed(LINE, 1, True, "7/2", THREE, {0: "7/2"}, costs=costs), LINE).endswith(
        ": every hyperplane has rows of a total cost of at least 7/2 (in the costs of the certificate) on its wrong side or "
        "goes through them."
    )
    third = "1" + "0" * 49_998 + "/2" + "9" * 49_998  # a little more than 1/3, and too long to be written
    assert "at least 0.333333333333 rows" in verdict(packed(LINE, 1, True, third, THREE, one), LINE)
    large = [10**15] * 5
    assert "cost of at least 1.0000000000000E+15 (in" in verdict(
        packed(LINE, 1, True, 10**15, THREE, {0: 10**15}, costs=large), LINE
    )


def test_equal_rows_are_one_group():
    """Rows equal in label and point share their costs and their fate; an obstruction counts once for them."""
    rows = rows_of([[1], [1], [1], [1]], [1, -1, 1, 1])
    pairs = [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1, 1: 2}]
    for node in ({0: 1}, {1: 1}, {2: 1}, {0: "1/2", 1: "1/2"}, {0: "1/3", 1: "1/3", 2: "1/3"}):
        assert verdict(packed(rows, 1, True, 1, pairs, node), rows)
    assert "holds row 1 or its equal, of more weight" in refusal(
        packed(rows, 1, True, 1, pairs, {0: 1, 1: 1}), rows
    ).replace("obstructions that hold", "obstruction that holds")
    assert verdict(packed(rows, 1, True, 1, pairs, {2: 1}, costs=["1/2", 1, "1/2", 0]), rows)  # holds rows 0 and 2 at once
    costs = [0, 3, 1, "1/2"]  # together 3/2 against 3
    assert verdict(packed(rows, 1, True, "3/2", pairs, {0: "3/2"}, costs=costs), rows)
    assert "more weight" in refusal(packed(rows, 1, True, "8/5", pairs, {0: "8/5"}, costs=costs), rows)
    assert verdict(packed(rows, 1, True, 1, pairs, 3, {0: 1}, {}), rows)  # row 3 is kept, and so is row 0; 3 are given up
    assert "holds row 0 or its equal, which is given up" in refusal(packed(rows, 1, True, 1, pairs, 3, {0: 1}, {0: 1}), rows)
    for twice in (2, 3, 0):
        again = packed(rows, 1, True, 1, pairs, 3, twice, {0: 1}, {}, {})
        assert f"nodes[1] splits on row {twice}, but that or its equal" in refusal(again, rows)
    # Opposite labels, or other points, are other groups, even if the signed rows are the same without an intercept.
    rows = rows_of([[1], [-1]], [1, -1])
    assert verdict(packed(rows, 1, False, 0, [], 0, 1, {}, {}, {}), rows)


def test_kept_rows_are_not_limited_and_those_given_up_count():
    kept_all = packed(LINE, 1, True, 10**6, THREE, 0, 1, 2, {0: 10**6}, {}, {}, {})
    assert "packing.nodes[4] proves fewer errors" in refusal(kept_all, LINE)  # rows 0 and 1 kept, 2 given up
    kept_all["errors"]["least"] = "1"
    assert verdict(kept_all, LINE)
    assert verdict(packed(LINE, 1, True, 2, THREE, 2, {0: 1, 1: 1}, {2: 1}), LINE)
    assert "nodes[2] has an obstruction that holds row 2" in refusal(
        packed(LINE, 1, True, 1, THREE, 2, {2: 1}, {0: 1, 1: 1}), LINE
    )
    assert "nodes[1] proves fewer" in refusal(packed(LINE, 1, True, 2, THREE, 2, {2: 1}, {2: 1}), LINE)
    # After both ways of a split, its row is open again: on the other way of the split above, it may be split anew.
    assert verdict(packed(LINE, 1, True, 0, THREE, 0, 1, {}, {}, 1, 2, {}, {}, {}), LINE)
    forgotten = packed(LINE, 1, True, 1, THREE, 0, 1, {0: 1}, {}, {0: 1})
    assert "nodes[4] has an obstruction that holds row 0" in refusal(forgotten, LINE)
    limited = packed(LINE, 1, True, 1, THREE, 3, 2, {0: 1, 1: 1}, {}, {0: 1, 2: 1})  # row 2 is kept no longer; row 0 is over
    assert "nodes[4] has obstructions that hold row" in refusal(limited, LINE)


def test_rows_that_cost_nothing():
    free = packed(LINE, 1, True, 1, THREE, {0: 1}, costs=[1, 1, 0, 1, 1])
    assert "hold row 2 or its equal, of more weight than its cost" in refusal(free, LINE)
    assert verdict(packed(LINE, 1, True, 1, THREE, {2: 1}, costs=[1, 1, 0, 1, 1]), LINE)
    split = packed(LINE, 1, True, 1, THREE, 2, {0: 1}, {2: 1}, costs=[1, 1, 0, 1, 1])
    assert verdict(split, LINE)
    split["errors"]["least"] = "2"
    assert "nodes[1] proves fewer" in refusal(split, LINE)
    assert verdict(packed(LINE, 1, True, 0, [], {}, costs=[0] * 5), LINE)


def test_every_obstruction_of_the_pool_is_checked():
    unused = packed(LINE, 1, True, 1, [*THREE, {0: 1, 1: 1}], {0: 1})
    assert "Obstruction 3 of the packing's rows times their multipliers do not add up to 0 in column 0" in refusal(
        unused, LINE
    )
    assert verdict(packed(LINE, 1, True, 1, [*THREE, THREE[0]], {0: "1/2", 3: "1/2"}), LINE)
    zero = rows_of([[0, 0], [1, 0]], [1, -1])  # without an intercept, a row of zeros errs always
    assert verdict(packed(zero, 2, False, 1, [{0: 9}], {0: 1}), zero)


def test_deep_trees():
    """Ten thousand splits below each other, on the given-up side and on the kept one."""
    n = 10_000
    rows = rows_of([[k] for k in range(n)], [1] * n)
    down = [node for k in range(n) for node in (k, {})]
    assert verdict(packed(rows, 1, True, 0, [], *down, {}), rows)
    assert verdict(packed(rows, 1, True, 0, [], *range(n), *[{}] * (n + 1)), rows)
    assert "nodes[1] proves fewer" in refusal(packed(rows, 1, True, 1, [], *down, {}), rows)


# ---- Tampering: each change with the claim whose example it changes, and what the refusal must name


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
CHANGES = [
    # the document
    (SEP, put("format", "separatrix-certificate/2"), "knows 'separatrix-certificate/1' only"),
    (SEP, put("format", None), "knows 'separatrix-certificate/1' only"),
    (SEP, put("format", ["separatrix-certificate/1"]), "knows 'separatrix-certificate/1' only"),
    (SEP, without("format"), "knows 'separatrix-certificate/1' only"),
    (SEP, put("claim", "perfect"), "claim is 'perfect'; it must be one of 'separable', 'not-separable'"),
    (SEP, put("claim", "Separable"), "claim is 'Separable'"),
    (SEP, put("claim", ["separable"]), "claim is ['separable']"),
    (SEP, put("claim", {}), "claim is {}"),
    (SEP, put("claim", True), "claim is True"),
    (SEP, without("claim"), "claim is None"),
    (SEP, without("problem"), "lacks the key 'problem'"),
    (SEP, without("separator"), "lacks the key 'separator'"),
    (NOT, without("obstruction"), "lacks the key 'obstruction'"),
    (QUASI, without("separator"), "lacks the key 'separator'"),
    (QUASI, without("obstruction"), "lacks the key 'obstruction'"),
    (QUASI, without("cover"), "lacks the key 'cover'"),
    (OVER, without("cover"), "lacks the key 'cover'"),
    (OVER, without("obstruction"), "lacks the key 'obstruction'"),
    (SEP, put("obstruction", document_of(NOT)["obstruction"]), "must not have the key 'obstruction'"),
    (SEP, put("complement", []), "must not have the key 'complement'"),
    (SEP, put("Separator", {}), "must not have the key 'Separator'"),
    (NOT, put("cover", document_of(OVER)["cover"]), "must not have the key 'cover'"),
    (OVER, put("separator", document_of(SEP)["separator"]), "must not have the key 'separator'"),
    (OVER, put("claim", NOT), "must not have the key 'cover'"),
    # the problem
    (SEP, put("problem", []), "problem must be an object, not []"),
    (SEP, put("problem", None), "problem must be an object"),
    (SEP, put("problem", "size", 4), "problem must not have the key 'size'"),
    *[(SEP, without("problem", key), f"problem lacks the key '{key}'") for key in document_of(SEP)["problem"]],
    (SEP, put("problem", "rows", 5), "about 5 rows, but the data has 4"),
    (SEP, put("problem", "rows", 0), "problem.rows must be an integer from 1"),
    (SEP, put("problem", "rows", -4), "problem.rows must be an integer from 1"),
    (SEP, put("problem", "rows", True), "problem.rows must be an integer"),
    (SEP, put("problem", "rows", "4"), "problem.rows must be an integer"),
    (SEP, put("problem", "rows", None), "problem.rows must be an integer"),
    (SEP, put("problem", "rows", 2**63), "problem.rows must be an integer"),
    (SEP, put("problem", "dimension", 0), "problem.dimension must be an integer from 1 to 4294967294"),
    (SEP, put("problem", "dimension", 2**32 - 1), "problem.dimension must be an integer"),
    (SEP, put("problem", "dimension", "2"), "problem.dimension must be an integer"),
    (QUASI, put("problem", "dimension", True), "problem.dimension must be an integer"),
    (SEP, put("problem", "dimension", 3), "problem.columns must have 3 entries, not 2"),
    (OVER, put("problem", "dimension", 3), "obstruction.points[0] must have 3 entries, not 2"),
    (SEP, put("problem", "intercept", 1), "problem.intercept must be true or false"),
    (SEP, put("problem", "intercept", "true"), "problem.intercept must be true or false"),
    (SEP, put("problem", "intercept", None), "problem.intercept must be true or false"),
    (SEP, put("problem", "intercept", False), "separator.intercept must be 0"),
    (SEP, put("problem", "classes", [0]), "problem.classes must have 2 entries, not 1"),
    (SEP, put("problem", "classes", [0, 1, 2]), "problem.classes must have 2 entries, not 3"),
    (SEP, put("problem", "classes", "01"), "problem.classes must be a list"),
    (SEP, put("problem", "classes", {"0": 1, "1": 2}), "problem.classes must be a list"),
    (SEP, put("problem", "classes", [0, 0]), "problem.classes must differ, but both are 0"),
    (SEP, put("problem", "classes", ["a", "a"]), "problem.classes must differ"),
    (SEP, put("problem", "classes", [1, True]), "two strings, two integers or two booleans"),
    (SEP, put("problem", "classes", [1, "1"]), "two strings, two integers or two booleans"),
    (SEP, put("problem", "classes", [0, None]), "two strings, two integers or two booleans"),
    (SEP, put("problem", "classes", [None, None]), "two strings, two integers or two booleans"),
    (SEP, put("problem", "classes", [[0], [1]]), "two strings, two integers or two booleans"),
    (SEP, put("problem", "columns", [{"source": "a"}]), "problem.columns must have 2 entries, not 1"),
    (SEP, put("problem", "columns", {"source": "a"}), "problem.columns must be a list"),
    (SEP, put("problem", "columns", ["a", "b"]), "problem.columns[0] must be an object"),
    (SEP, put("problem", "columns", [{"source": "a"}, {}]), "problem.columns[1] lacks the key 'source'"),
    (SEP, put("problem", "columns", 0, "power", 2), "problem.columns[0] must not have the key 'power'"),
    (SEP, put("problem", "columns", 1, "source", 1), "problem.columns[1].source must be a string"),
    (SEP, put("problem", "columns", 1, "source", None), "problem.columns[1].source must be a string"),
    (SEP, put("problem", "columns", 1, "source", "a"), "problem.columns has 'a' twice"),
    (SEP, put("problem", "digest", "sha256:" + "0" * 64), "not the data of the certificate: their digests differ"),
    (SEP, put("problem", "digest", "sha256:" + "0" * 63), "problem.digest must be"),
    (SEP, put("problem", "digest", document_of(SEP)["problem"]["digest"].upper()), "problem.digest must be"),
    (SEP, put("problem", "digest", document_of(SEP)["problem"]["digest"] + "\n"), "problem.digest must be"),
    (SEP, put("problem", "digest", "md5:" + "0" * 32), "problem.digest must be"),
    (SEP, put("problem", "digest", None), "problem.digest must be"),
    # the separator
    (SEP, put("separator", "w"), "separator must be an object"),
    (SEP, put("separator", "bias", "0"), "separator must not have the key 'bias'"),
    (SEP, without("separator", "intercept"), "separator lacks the key 'intercept'"),
    (SEP, without("separator", "weights"), "separator lacks the key 'weights'"),
    (SEP, put("separator", "weights", ["2"]), "separator.weights must have 2 entries, not 1"),
    (SEP, put("separator", "weights", ["2", "2", "-3"]), "separator.weights must have 2 entries, not 3"),
    (SEP, put("separator", "weights", "22"), "separator.weights must be a list"),
    (SEP, put("separator", "weights", ["-2", "-2"]), "The separator has row 3 on its wrong side"),
    (SEP, put("separator", "intercept", "-2"), "The separator goes through row 1"),
    (SEP, put("separator", "intercept", "-4"), "The separator goes through row 3"),
    (SEP, put("separator", "intercept", "3"), "The separator has row 0 on its wrong side"),
    (SEP, put("separator", {"weights": ["0", "0"], "intercept": "0"}), "The separator goes through every row"),
    (QUASI, put("separator", {"weights": ["0"], "intercept": "0"}), "The separator goes through every row"),
    (QUASI, put("separator", {"weights": ["0"], "intercept": "1"}), "The separator has row 0 on its wrong side"),
    (QUASI, put("separator", {"weights": ["-1"], "intercept": "0"}), "The separator has row 0 on its wrong side"),
    (QUASI, put("separator", {"weights": ["2"], "intercept": "1"}), "The separator has row 1 on its wrong side"),
    # the obstruction
    (NOT, put("obstruction", []), "obstruction must be an object"),
    (NOT, put("obstruction", "rest", "1"), "obstruction must not have the key 'rest'"),
    *[
        (NOT, without("obstruction", key), f"obstruction lacks the key '{key}'")
        for key in ("rows", "labels", "points", "multipliers")
    ],
    (
        NOT,
        put("obstruction", {"rows": [], "labels": [], "points": [], "multipliers": []}),
        "obstruction.rows is empty",
    ),
    (NOT, put("obstruction", "rows", [0, 1, 2]), "obstruction.labels must have 3 entries, not 4"),
    (NOT, put("obstruction", "rows", {"0": 0}), "obstruction.rows must be a list"),
    (NOT, put("obstruction", "rows", [0, 1, 2, 2]), "obstruction.rows has 2 twice"),
    (NOT, put("obstruction", "rows", [0, 1, 2, 4]), "obstruction.rows[3] must be an integer from 0 to 3, not 4"),
    (NOT, put("obstruction", "rows", [0, 1, 2, -1]), "obstruction.rows[3] must be an integer from 0 to 3"),
    (NOT, put("obstruction", "rows", [0, True, 2, 3]), "obstruction.rows[1] must be an integer"),
    (NOT, put("obstruction", "rows", [0, "1", 2, 3]), "obstruction.rows[1] must be an integer"),
    (NOT, put("obstruction", "rows", [0, None, 2, 3]), "obstruction.rows[1] must be an integer"),
    (NOT, put("obstruction", "rows", [1, 0, 2, 3]), "The obstruction gives row 1 the label -1, but in the data it is 1"),
    (NOT, put("obstruction", "rows", [3, 1, 2, 0]), "point of row 3 is not the data's in column 0 ('a'), which is 1.0"),
    (NOT, put("obstruction", "labels", [1, -1, -1, 1]), "The obstruction gives row 0 the label 1, but in the data it is -1"),
    (NOT, put("obstruction", "labels", [-1, 1, 1]), "obstruction.labels must have 4 entries, not 3"),
    (NOT, put("obstruction", "labels", 1, True), "obstruction.labels[1] must be -1 or 1, not True"),
    (NOT, put("obstruction", "labels", 0, 0), "obstruction.labels[0] must be -1 or 1, not 0"),
    (NOT, put("obstruction", "labels", 0, "-1"), "obstruction.labels[0] must be -1 or 1, not '-1'"),
    (NOT, put("obstruction", "points", SQUARE), "obstruction.points[0][0] must be a string"),
    (NOT, put("obstruction", "points", 3, 1, "2"), "point of row 3 is not the data's in column 1 ('b'), which is 1.0"),
    (NOT, put("obstruction", "points", 0, 0, "-1"), "point of row 0 is not the data's in column 0 ('a'), which is 0.0"),
    (NOT, put("obstruction", "points", 2, 0, "10000000000000001/10000000000000000"), "which is 1.0"),
    (NOT, put("obstruction", "points", 1, ["0", "1", "0"]), "obstruction.points[1] must have 2 entries, not 3"),
    (NOT, put("obstruction", "points", 1, ["0"]), "obstruction.points[1] must have 2 entries, not 1"),
    (NOT, put("obstruction", "points", 1, "01"), "obstruction.points[1] must be a list, not '01'"),
    (NOT, put("obstruction", "points", [["0", "0"]]), "obstruction.points must have 4 entries, not 1"),
    (NOT, put("obstruction", "multipliers", ["1", "1", "1", "2"]), "obstruction's rows times their multipliers"),
    (NOT, put("obstruction", "multipliers", ["2", "1", "1", "1"]), "do not add up to 0 in the intercept"),
    (NOT, put("obstruction", "multipliers", ["1", "2", "1", "1"]), "do not add up to 0 in column 1 ('b')"),
    (NOT, put("obstruction", "multipliers", ["1", "1", "1"]), "obstruction.multipliers must have 4 entries, not 3"),
    (QUASI, put("obstruction", "multipliers", ["2", "1"]), "obstruction's rows times their multipliers do not add up"),
    (QUASI, put("obstruction", "multipliers", ["2/2", "1"]), "obstruction.multipliers[0] must be a string"),
    (OVER, put("obstruction", "multipliers", 2, "3"), "obstruction's rows times their multipliers do not add up"),
    # the cover
    (OVER, put("cover", None), "cover must be an object"),
    (OVER, put("cover", "labels", []), "cover must not have the key 'labels'"),
    *[(OVER, without("cover", key), f"cover lacks the key '{key}'") for key in ("rows", "multipliers", "rest")],
    (OVER, put("cover", "rest", "1"), "cover's rows times their multipliers do not add up"),
    (OVER, put("cover", "rows", [1, 1]), "cover.rows has 1 twice"),
    (OVER, put("cover", "rows", [1, 5]), "cover.rows[1] must be an integer from 0 to 4"),
    (OVER, put("cover", "rows", [1, -3]), "cover.rows[1] must be an integer"),
    (OVER, put("cover", "rows", [True, 2]), "cover.rows[0] must be an integer"),
    (OVER, put("cover", "rows", None), "cover.rows must be a list"),
    (OVER, put("cover", "rows", [1]), "cover.multipliers must have 1 entries, not 2"),
    (OVER, put("cover", "rows", [1, 3]), "cover's rows times their multipliers do not add up"),
    (OVER, put("cover", {"rows": [], "multipliers": [], "rest": "1"}), "cover's rows times their multipliers do not add up"),
    (OVER, put("cover", "multipliers", ["1", "3"]), "cover's rows times their multipliers do not add up"),
    (QUASI, put("cover", {"rows": [0], "multipliers": ["1"], "rest": "1"}), "The cover lists row 0, which the separator"),
    (QUASI, put("cover", {"rows": [1], "multipliers": ["2"], "rest": "1"}), "do not add up to 0 in the intercept"),
    (QUASI, put("claim", OVER), "must not have the key 'separator'"),
    # margins
    (LEAST, without("margin"), "lacks the key 'margin'"),
    (LEAST, without("separator"), "lacks the key 'separator'"),
    (MOST, without("margin"), "lacks the key 'margin'"),
    (MOST, without("combination"), "lacks the key 'combination'"),
    (LEAST, put("claim", SEP), "must not have the key 'margin'"),
    (LEAST, put("claim", MOST), "lacks the key 'combination'"),
    (MOST, put("claim", LEAST), "lacks the key 'separator'"),
    (LEAST, put("combination", document_of(MOST)["combination"]), "must not have the key 'combination'"),
    (MOST, put("separator", document_of(LEAST)["separator"]), "must not have the key 'separator'"),
    (SEP, put("margin", document_of(LEAST)["margin"]), "must not have the key 'margin'"),
    (LEAST, put("margin", "1/8"), "margin must be an object"),
    (LEAST, without("margin", "kind"), "margin lacks the key 'kind'"),
    (LEAST, without("margin", "squared"), "margin lacks the key 'squared'"),
    (LEAST, put("margin", "root", "1"), "margin must not have the key 'root'"),
    (LEAST, put("margin", "kind", "Lifted"), "margin.kind must be one of 'lifted', 'geometric', not 'Lifted'"),
    (LEAST, put("margin", "kind", None), "margin.kind must be one of"),
    (LEAST, put("margin", "kind", ["lifted"]), "margin.kind must be one of"),
    (LEAST, put("margin", "kind", {}), "margin.kind must be one of"),
    (LEAST, put("margin", "kind", "lifted"), "row 1 on its correct side, but nearer than the margin that is claimed"),
    (LEAST, put("margin", "squared", "2/15"), "row 1 on its correct side, but nearer than the margin that is claimed"),
    (LEAST, put("margin", "squared", "-1/8"), "margin.squared must be a string"),
    (LEAST, put("separator", "weights", 0, "3"), "The separator goes through row 2"),
    (LEAST, put("separator", "weights", ["200", "200"]), "The separator has row 1 on its wrong side"),
    (LEAST, put("separator", "weights", ["20", "21"]), "The separator has row 1 on its wrong side"),
    (LEAST, put("separator", {"weights": ["20", "21"], "intercept": "-30"}), "row 1 on its correct side, but nearer"),
    (LEAST, put("separator", {"weights": ["0", "0"], "intercept": "0"}), "The separator goes through every row"),
    (LEAST, put("separator", {"weights": ["-2", "-2"], "intercept": "3"}), "The separator has row 0 on its wrong side"),
    (MOST, put("margin", "squared", "1/9"), "add up to more than the margin that is claimed"),
    (MOST, put("margin", "squared", "0"), "add up to more than the margin that is claimed"),
    (MOST, put("combination", []), "combination must be an object"),
    (MOST, put("combination", "rest", "1"), "combination must not have the key 'rest'"),
    (MOST, without("combination", "rows"), "combination lacks the key 'rows'"),
    (MOST, without("combination", "multipliers"), "combination lacks the key 'multipliers'"),
    (MOST, put("combination", {"rows": [], "multipliers": []}), "combination.rows is empty"),
    (MOST, put("combination", "rows", [1, 2]), "combination.multipliers must have 2 entries, not 3"),
    (MOST, put("combination", "rows", [1, 2, 2]), "combination.rows has 2 twice"),
    (MOST, put("combination", "rows", [1, 2, 4]), "combination.rows[2] must be an integer from 0 to 3"),
    (MOST, put("combination", "rows", [1, 2, -1]), "combination.rows[2] must be an integer"),
    (MOST, put("combination", "rows", [True, 2, 3]), "combination.rows[0] must be an integer"),
    (MOST, put("combination", "rows", [0, 2, 3]), "add up to more than the margin that is claimed"),
    (MOST, put("combination", "rows", [3, 2, 1]), "do not add up to the same in either class"),
    (MOST, put("combination", "multipliers", ["1", "1", "3"]), "do not add up to the same in either class"),
    (MOST, put("combination", "multipliers", ["1", "3", "4"]), "add up to more than the margin that is claimed"),
    # errors
    (ERRORS, without("errors"), "lacks the key 'errors'"),
    (ERRORS, without("packing"), "lacks the key 'packing'"),
    (ERRORS, put("combination", document_of(MOST)["combination"]), "must not have the key 'combination'"),
    (MOST, put("errors", document_of(ERRORS)["errors"]), "must not have the key 'errors'"),
    (ERRORS, put("errors", "2"), "errors must be an object"),
    (ERRORS, put("errors", "most", "2"), "errors must not have the key 'most'"),
    (ERRORS, without("errors", "least"), "errors lacks the key 'least'"),
    (ERRORS, without("errors", "costs"), "errors lacks the key 'costs'"),
    (ERRORS, put("errors", "least", "3"), "packing.nodes[1] proves fewer errors than are claimed"),
    (ERRORS, put("errors", "least", "2000000001/1000000000"), "packing.nodes[1] proves fewer errors than are claimed"),
    (ERRORS, put("errors", "least", "-1"), "errors.least must be a string"),
    (ERRORS, put("errors", "costs", ["1"] * 5), "errors.costs must have 6 entries, not 5"),
    (ERRORS, put("errors", "costs", "111111"), "errors.costs must be a list"),
    (ERRORS, put("errors", "costs", ["1", "1", "-1", "1", "1", "1"]), "errors.costs[2] must be a string"),
    (ERRORS, put("errors", "costs", ["1", "1", "1", "1/2", "1", "1"]), "nodes[1] has obstructions that hold row 3 or its"),
    (ERRORS, put("errors", "costs", ["1", "1", "1/2", "1", "1", "1"]), "packing.nodes[2] proves fewer errors"),
    (ERRORS, put("errors", "costs", ["1", "0", "1", "1", "1", "1/2"]), "nodes[1] has obstructions that hold row 1 or its"),
    (ERRORS, put("errors", "costs", [f"1/{2**1300 + k}" for k in (0, 1, 3, 7, 9, 15)]), "denominator of at most 2,000"),
    (ERRORS, put("packing", []), "packing must be an object"),
    (ERRORS, put("packing", "weights", []), "packing must not have the key 'weights'"),
    (ERRORS, without("packing", "nodes"), "packing lacks the key 'nodes'"),
    (ERRORS, without("packing", "obstructions"), "packing lacks the key 'obstructions'"),
    (ERRORS, put("packing", "obstructions", {}), "packing.obstructions must be a list"),
    (ERRORS, put("packing", "obstructions", []), "packing.nodes[1].obstructions[0] must be an integer from 0 to -1"),
    (ERRORS, put("packing", "obstructions", 1, []), "packing.obstructions[1] must be an object"),
    (ERRORS, put("packing", "obstructions", 1, "points", []), "packing.obstructions[1] must not have the key 'points'"),
    (ERRORS, put("packing", "obstructions", 2, {"rows": [], "multipliers": []}), "packing.obstructions[2].rows is empty"),
    (ERRORS, put("packing", "obstructions", 0, "rows", [0, 1, 1]), "packing.obstructions[0].rows has 1 twice"),
    (ERRORS, put("packing", "obstructions", 0, "rows", [0, 1, 6]), "obstructions[0].rows[2] must be an integer from 0 to 5"),
    (ERRORS, put("packing", "obstructions", 0, "rows", [0, 1, -4]), "obstructions[0].rows[2] must be an integer"),
    (ERRORS, put("packing", "obstructions", 0, "rows", [0, 1, 3]), "Obstruction 0 of the packing's rows times their"),
    (ERRORS, put("packing", "obstructions", 1, "multipliers", ["1", "2"]), "obstructions[1].multipliers must have 3"),
    (ERRORS, put("packing", "obstructions", 1, "multipliers", ["1", "2", "2"]), "Obstruction 1 of the packing's rows"),
    (ERRORS, put("packing", "obstructions", 2, document_of(ERRORS)["packing"]["obstructions"][0]), "holds row 2 or its"),
    (ERRORS, put("packing", "nodes", {}), "packing.nodes must be a list"),
    (ERRORS, put("packing", "nodes", []), "packing.nodes ends before the tree is whole: 1 subtree missing"),
    (ERRORS, without("packing", "nodes", 0), "packing.nodes[1] is one too many: the tree is whole without it"),
    (ERRORS, without("packing", "nodes", 1), "packing.nodes ends before the tree is whole: 1 subtree missing"),
    (ERRORS, without("packing", "nodes", 2), "packing.nodes ends before the tree is whole: 1 subtree missing"),
    (ERRORS, put("packing", "nodes", 1, {"row": 1}), "packing.nodes ends before the tree is whole: 2 subtrees missing"),
    (ERRORS, put("packing", "nodes", 0, {}), "packing.nodes[0] lacks the key 'obstructions'"),
    (ERRORS, put("packing", "nodes", 0, None), "packing.nodes[0] must be an object"),
    (ERRORS, put("packing", "nodes", 0, "weights", []), "packing.nodes[0] must not have the key 'weights'"),
    (ERRORS, put("packing", "nodes", 0, "row", 6), "packing.nodes[0].row must be an integer from 0 to 5"),
    (ERRORS, put("packing", "nodes", 0, "row", "2"), "packing.nodes[0].row must be an integer"),
    (ERRORS, put("packing", "nodes", 0, "row", True), "packing.nodes[0].row must be an integer"),
    (ERRORS, put("packing", "nodes", 0, "row", 0), "nodes[1] has obstructions that hold row 2 or its equal, of more"),
    (ERRORS, without("packing", "nodes", 1, "weights"), "packing.nodes[1] lacks the key 'weights'"),
    (ERRORS, put("packing", "nodes", 1, "obstructions", [0, 0]), "packing.nodes[1].obstructions has 0 twice"),
    (ERRORS, put("packing", "nodes", 1, "obstructions", [0, 3]), "nodes[1].obstructions[1] must be an integer from 0 to 2"),
    (ERRORS, put("packing", "nodes", 1, "obstructions", [0]), "packing.nodes[1].weights must have 1 entries, not 2"),
    (ERRORS, put("packing", "nodes", 1, "obstructions", [0, 2]), "nodes[1] has obstructions that hold row 0 or its equal"),
    (ERRORS, put("packing", "nodes", 2, "obstructions", [1]), "nodes[2] has an obstruction that holds row 2 or its equal"),
    (ERRORS, put("packing", "nodes", 2, {"obstructions": [], "weights": []}), "packing.nodes[2] proves fewer errors"),
    (ERRORS, put("packing", "nodes", 1, "weights", ["1", "0"]), "packing.nodes[1].weights[1] must be a string"),
    (ERRORS, put("packing", "nodes", 1, "weights", ["1", "1001/1000"]), "nodes[1] has obstructions that hold row 3 or its"),
    (ERRORS, put("packing", "nodes", 1, "weights", ["1/2", "1/2"]), "packing.nodes[1] proves fewer errors"),
    (ERRORS, put("packing", "nodes", 1, "weights", [f"1/{2**5000}", f"1/{3**4000}"]), "nodes[1].weights must have a common"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "change", "message"), CHANGES)
def test_tampering_is_refused(claim, change, message):
    document = document_of(claim)
    change(document)
    assert json.dumps(document) != json.dumps(document_of(claim))
    assert message in refusal(document, DATA[claim])


NO_NUMBERS = [
    1, 2.0, None, True, [], ["1"], {}, "", " 1", "1 ", "1\n", "+1", "--1", "-", "1.0", "1.", "1e3", "1_000", "0x10", "NaN",
    "Infinity", "inf", "١", "１", "²", "1/", "/1", "1/0", "1/-2", "1/+2", "1//2", "1/2/3", "1 / 2", "-0", "00", "01", "-01",
    "1/02", "1١", "1/1１", "\u22121", "1\u00a0", "\x00",
]  # fmt: skip
PLACES = {
    "separator.weights[0]": (SEP, ("separator", "weights", 0)),
    "separator.intercept": (SEP, ("separator", "intercept")),
    "obstruction.points[1][0]": (NOT, ("obstruction", "points", 1, 0)),
    "obstruction.multipliers[2]": (NOT, ("obstruction", "multipliers", 2)),
    "cover.multipliers[0]": (OVER, ("cover", "multipliers", 0)),
    "cover.rest": (OVER, ("cover", "rest")),
    "margin.squared": (LEAST, ("margin", "squared")),
    "combination.multipliers[1]": (MOST, ("combination", "multipliers", 1)),
    "errors.least": (ERRORS, ("errors", "least")),
    "errors.costs[0]": (ERRORS, ("errors", "costs", 0)),
    "packing.obstructions[1].multipliers[0]": (ERRORS, ("packing", "obstructions", 1, "multipliers", 0)),
    "packing.nodes[2].weights[0]": (ERRORS, ("packing", "nodes", 2, "weights", 0)),
}


def with_place(place):
    claim, path = PLACES[place]
    document = document_of(claim)
    if "costs" in place:
        document["errors"]["costs"] = ["1"] * len(DATA[claim])
    return document, path


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_refused(place, text):
    document, path = with_place(place)
    put(*path, text)(document)
    with pytest.raises(InvalidCertificate, match=re.escape(place) + " must be a string such as"):
        validate(document)


@pytest.mark.parametrize("text", ["0", "-1", "-12", "1/2"])
@pytest.mark.parametrize(
    "place",
    [
        "obstruction.multipliers[2]",
        "cover.multipliers[0]",
        "cover.rest",
        "combination.multipliers[1]",
        "packing.obstructions[1].multipliers[0]",
    ],
)
def test_multipliers_are_positive_and_whole(place, text):
    document, path = with_place(place)
    put(*path, text)(document)
    with pytest.raises(InvalidCertificate, match=re.escape(place) + ".*a positive whole number"):
        validate(document)


@pytest.mark.parametrize("place", PLACES)
def test_numbers_have_a_limit(place):
    document, path = with_place(place)
    most = 2000 if "nodes" in place else 400 if "points" in place or "costs" in place else 50_000
    put(*path, "9" * most)(document)
    validate(document)
    put(*path, "9" * (most + 1))(document)
    with pytest.raises(InvalidCertificate, match=re.escape(place) + r".* of at most [0-9,]+ digits.*'9999"):
        validate(document)
    if any(word in place for word in ("points", "squared", "least", "costs", "nodes")):
        put(*path, "1/" + "1" * most)(document)
        validate(document)
        put(*path, "1/" + "1" * (most + 1))(document)
        with pytest.raises(InvalidCertificate, match=f"of at most {most:,} digits in each part"):
            validate(document)


def test_every_float_fits_in_the_limit_of_a_point():
    values = [5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308, 2.0**-1074 * 3]
    rows = rows_of([values, values], [1, -1])
    document = made("not-separable", rows, len(values), True, obstruction=obstruction_of(rows, len(values), [0, 1], [1, 1]))
    assert verdict(document, rows)


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_place_refuses_what_does_not_belong_there(claim):
    """Put a wrong kind of thing in every place of every example: a refusal, never another error."""

    def places(value, path=()):
        yield path
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            yield from places(item, (*path, key))

    strange = [
        3, -1, 0, True, False, 0.5, float("nan"), "", "x", "\ud800", [], [[]], {}, {"rows": 1}, [1, 2, 3, 4, 5, 6], 10**4000,
    ]  # fmt: skip
    for path in places(document_of(claim)):
        for value in [*strange, None]:
            document = document_of(claim)
            if not path:
                document = value
            else:
                put(*path, copy.deepcopy(value))(document)
            same = json.dumps(document) == json.dumps(document_of(claim))
            names = path[1:2] in (("classes",), ("columns",)) and (value is None or isinstance(value, str | int))
            names |= path[1:] == ("table",) and value is None
            names |= path[1:] == ("table", "label") and isinstance(value, str)
            names |= path[1:] == ("table", "separator") and value is None
            weaker = path == ("problem", "intercept") and value is False and claim not in (SEP, LEAST)
            wider = path == ("problem", "dimension") and value == 3 and claim in (MOST, ERRORS)  # more columns, of zeros
            if same or names or weaker or wider:  # rows have no names here, and what obstructs does without an intercept too
                continue
            with pytest.raises(InvalidCertificate) as caught:
                check(validate(document), DATA[claim])
            assert 10 < len(str(caught.value)) < 400


# ---- Documents that are none


TEXTS = {
    "": "not JSON",
    "{": "not JSON",
    "nonsense": "not JSON",
    "\x00": "not JSON",
    "{'format': 1}": "not JSON",
    '{"format": "separatrix-certificate/1",}': "not JSON",
    '{"a": "\n"}': "not JSON",
    '{"a": 01}': "not JSON",
    "[]": "must be an object",
    "null": "must be an object",
    "7": "must be an object",
    '"separatrix-certificate/1"': "must be an object",
    "{}": "The format is None",
    "NaN": "the number 'NaN'",
    '{"a": -Infinity}': "the number '-Infinity'",
    '{"rows": 1.0}': "the number '1.0'",
    '{"rows": 1e2}': "the number '1e2'",
    '{"rows": ' + "9" * 21 + "}": "of at most 20 digits",
    '{"rows": ' + "9" * 5_000 + "}": "of at most 20 digits",
    '{"a": 1, "a": 1}': "has 'a' twice",
    '{"a": {"b": 1, "c": 2, "b": 1}}': "has 'b' twice",
    '{"a": 1, "\\u0061": 2}': "has 'a' twice",
    "[" * 10**6: "nested too deeply",
    '{"a":' * 10**5: "nested too deeply",
    "[" * 500 + "]" * 500: "must be an object",
    '{"format": ' + "[" * 500 + "]" * 500 + "}": "The format is [[[",
}


@pytest.mark.parametrize("text", TEXTS, ids=[text[:20] for text in TEXTS])
@pytest.mark.parametrize("encode", [str, lambda text: text.encode()], ids=["text", "bytes"])
def test_what_is_no_certificate_is_refused(text, encode):
    with pytest.raises(InvalidCertificate) as caught:
        parse(encode(text))
    assert TEXTS[text] in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("claim", CLAIMS)
def test_encodings(claim):
    text = EXAMPLES[claim][1]
    assert parse(text) == parse(text.encode())
    assert "not JSON: Unexpected UTF-8 BOM" in refused(b"\xef\xbb\xbf" + text.encode())
    assert "not UTF-8: byte 0 is wrong" in refused(text.encode("utf-16"))
    assert "not UTF-8" in refused(text.encode().replace(b"separatrix", b"s\xe9paratrix"))


def refused(text):
    with pytest.raises(InvalidCertificate) as caught:
        parse(text)
    return str(caught.value)


@pytest.mark.parametrize("claim", CLAIMS)
def test_truncated_documents_are_refused(claim):
    text = EXAMPLES[claim][1].strip()
    for length in range(len(text)):
        assert "not JSON" in refused(text[:length])


def test_doubled_keys_are_refused_wherever_they_are():
    text = EXAMPLES["quasi-separable"][1]
    for key in set(re.findall(r'"(\w+)":', text)):
        assert f"has '{key}' twice" in refused(re.sub(f'"{key}":', f'"{key}": 0, "{key}":', text, count=1))


def test_large_documents_are_refused(monkeypatch, tmp_path, capsys):
    text = EXAMPLES["separable"][1].encode()
    monkeypatch.setattr(checker, "MOST_BYTES", len(text))
    assert parse(text)
    assert f"longer than {len(text)} bytes" in refused(text + b" ")
    (tmp_path / "proof.json").write_bytes(text + b" " * 1000)
    assert main([str(tmp_path / "proof.json"), str(tmp_path / "data.csv"), "--label", "both"]) == 1
    assert "longer than" in capsys.readouterr().out


def test_hostile_documents_take_no_time():
    """Each would take minutes or for ever if something in its way were quadratic."""
    many = 200_000
    separable, obstructed = document_of("separable"), document_of("not-separable")
    obstructed["problem"] |= {"rows": 2**62, "columns": None}
    coprime = [f"1/{2**64 + 2 * k + 1}" for k in range(50_000)]
    leaf = {"obstructions": [0], "weights": ["1"]}
    wide = {"dimension": many, "columns": [{"source": str(k // 2)} for k in range(many)]}
    same = obstructed["obstruction"] | {"rows": [*(k << 40 for k in range(many)), 0]}
    hostile = [
        json.dumps(separable | {"separator": {"weights": ["9" * 10**7] * 2, "intercept": "1"}}),
        json.dumps(separable | {"separator": {"weights": ["0" * 10**7 + "1"] * 2, "intercept": "1"}}),
        json.dumps(document_of(LEAST) | {"margin": {"kind": "lifted", "squared": "1/" + "9" * 10**7}}),
        json.dumps(separable | {"problem": separable["problem"] | wide}),
        json.dumps(obstructed | {"obstruction": same}),
        '{"a": ' + "9" * 10**7 + "}",
        "{" + ",".join(f'"{k}": 0' for k in range(many)) + ', "0": 0}',
        json.dumps(hostile_packing(["1"], [{"obstructions": list(range(50_000)), "weights": coprime}], 50_000)),
        json.dumps(hostile_packing(coprime, [{"obstructions": [], "weights": []}])),
        json.dumps(hostile_packing(["1"] * 20_000, [*[{"row": 0}] * 9_999, *[leaf] * 10_000])),
    ]
    start = time.perf_counter()
    said = [refused(text) for text in hostile]
    assert time.perf_counter() - start < 20
    parts = ["50,000", "50,000", "50,000", "'0' twice", "has 0 twice", "20 digits", "'0' twice"]
    parts += ["nodes[0].weights must have a common", "errors.costs must have a common", "hold more than 100,000,000 rows"]
    for message, part in zip(said, parts, strict=True):
        assert part in message


def hostile_packing(costs, nodes, obstructions=1):
    """A document with an obstruction of as many rows as there are costs, and more of one row."""
    document = document_of(ERRORS)
    many = {"rows": list(range(len(costs))), "multipliers": ["1"] * len(costs)}
    document["problem"]["rows"] = len(costs)
    document["errors"]["costs"] = costs
    document["packing"] = {"obstructions": [many, *[{"rows": [0], "multipliers": ["1"]}] * obstructions], "nodes": nodes}
    return document


# ---- The digest, and the rows given


def test_the_digest_by_hand():
    half, minus_two = bytes.fromhex("000000000000e03f"), bytes.fromhex("00000000000000c0")
    expected = b"\x01" + b"\x00\x00\x00\x00" + half + b"\xff\xff\xff\xff"  # 1, (0.5, 0)
    expected += b"\xff" + b"\x00\x01\x00\x00" + minus_two + b"\xff\xff\xff\xff"  # -1, -2 in column 256
    expected += b"\xff" + b"\xff\xff\xff\xff"  # -1, all zeros
    assert digest([(1, [(0, 0.5)]), (-1, [(256, -2.0)]), (-1, [])]) == "sha256:" + hashlib.sha256(expected).hexdigest()


def test_rows_out_of_place():
    certificate = parse(EXAMPLES["separable"][1])
    rows = DATA["separable"]
    for row in [(1, [(0, 1.0), (2, 1.0)]), (1, [(10**6, 1.0)])]:
        with pytest.raises(InvalidCertificate, match="about 2 columns, but row 3 has an entry in column"):
            check(certificate, [*rows[:3], row])
    for entries in [
        [(1, 1.0), (0, 1.0)],
        [(0, 1.0), (0, 1.0)],
        [(0, 0.0)],
        [(0, -0.0)],
        [(0, float("nan"))],
        [(0, 1)],
        [(-1, 1.0)],
    ]:
        with pytest.raises(DataError, match="entries of row 3"):
            check(certificate, [*rows[:3], (1, entries)])
    for label in (0, 2, True, 1.0, "1"):
        with pytest.raises(DataError, match="label of row 3"):
            check(certificate, [*rows[:3], (label, rows[3][1])])
    with pytest.raises(InvalidCertificate, match="about 4 rows, but the data has 3"):
        check(certificate, rows[:3])
    with pytest.raises(InvalidCertificate, match="digests differ"):
        check(certificate, rows[::-1])
    with pytest.raises(InvalidCertificate, match="digests differ"):
        check(certificate, [*rows[:3], (-1, rows[3][1])])


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


numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.integers(-20, 20).map(lambda k: k / 10),
    st.builds(lambda m, e: m * 2.0**e, st.integers(-(2**53), 2**53), st.integers(-1074, 970)),
    st.sampled_from([5e-324, -5e-324, 1.7976931348623157e308, 1 / 3, 0.1, 0.0]),
)
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
@settings(max_examples=200, deadline=None)
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
    certificate = {"problem": {"dimension": 2, "classes": None, "columns": None, "table": None}}
    assert read_rows([path], certificate, "y") == rows_of([x for _, x in rows], [y for y, _ in rows])


# ---- Tables that the certificate does not know


def table(tmp_path, text, classes=None, columns=None, dimension=1, label="y"):
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    columns = columns and [{"source": name} for name in columns]
    problem = {"dimension": dimension, "classes": classes, "columns": columns, "table": None}
    return read_rows([path], {"problem": problem}, label)


def test_columns_by_name_or_by_place(tmp_path):
    text = "b,y,a\n1,-1,2\n0,+1,-0.0\n\n3,1,4\n"
    assert table(tmp_path, text, dimension=2) == rows_of([[1, 2], [0, 0], [3, 4]], [-1, 1, 1])
    assert table(tmp_path, text, columns=["a", "b"], dimension=2) == rows_of([[2, 1], [0, 0], [4, 3]], [-1, 1, 1])
    assert table(tmp_path, text, columns=["a"]) == rows_of([[2], [0], [4]], [-1, 1, 1])
    assert table(tmp_path, text.replace("3,1,4", '"3","1",4'), columns=["a"]) == rows_of([[2], [0], [4]], [-1, 1, 1])


@pytest.mark.parametrize(
    "text", ["x,y\r\n1,1\r\n", "x,y\r1,1\r", '"x","y"\n1,1', "x,y\n1,1\n\n\n", "\ufeffx,y\n1,1\n", '\ufeff"x",y\n1,1\n']
)
def test_tables_as_programs_write_them(tmp_path, text):
    assert table(tmp_path, text, columns=["x"]) == [(1, [(0, 1.0)])]


@pytest.mark.parametrize(
    "cell", ["2", "+2", "2.", "2.0", "20e-1", ".2e1", "0002", "2E0", "2e+0", "2.00000000000000000000001"]
)
def test_numbers(tmp_path, cell):
    assert table(tmp_path, f"x,y\n{cell},1\n") == [(1, [(0, 2.0)])]


NO_CELLS = [
    "", " ", "2 1", "nan", "inf", "-Infinity", "1_0", "0x1p3", "1e", "e1", ".", "-", "+-1", "1e400", "-1e400", "1.2.3",
    "２", "1;2", "9" * 400, "\u00a01", "1\x0b", "\x0c1",
]  # fmt: skip


@pytest.mark.parametrize("cell", NO_CELLS)
def test_what_is_no_number_in_a_table(tmp_path, cell):
    with pytest.raises(DataError, match=r"data.csv, line 3, column 'x': .* is not a number that float64 can hold"):
        table(tmp_path, f"x,y\n1,1\n{cell},1\n")


def test_a_cell_that_is_nearly_a_number_takes_no_time(tmp_path):
    start = time.perf_counter()
    with pytest.raises(DataError, match="is not a number"):
        table(tmp_path, f"x,y\n{'1' * 130_000}x,1\n")
    with pytest.raises(InvalidCertificate, match="is no class"):
        table(tmp_path, f"x,y\n1,{'1' * 130_000}\n")
    assert time.perf_counter() - start < 5


LABELLED = [
    (None, {"1": 1, "+1": 1, "-1": -1, "0": 0, "": 0, "1.0": 1, "1.5": 0, "01": 0, " 1": 0, "true": 0}),
    (["no", "yes"], {"no": -1, "yes": 1, "No": 0, "yes ": 0, "": 0}),
    (["0", "1"], {"0": -1, "1": 1, "+1": 0, "1.0": 0}),
    (["", "x"], {"": -1, "x": 1}),
    ([None, "yes"], {"yes": 1, "no": -1, "YES": -1, "": -1}),
    ([None, 3], {"3": 1, "+3": 1, "3.0": 1, "3.1": -1, "4": -1, "x": -1}),
    ([-2, 10**19], {"-2": -1, "1" + "0" * 19: 1, "2": 0, "--2": 0, "\u0662": 0}),
    ([0, 1], {"0": -1, "-0": -1, "1": 1, "2": 0, "00": 0, "1.": 1, "1e0": 0, "false": 0}),
    ([False, True], {"false": -1, "FALSE": -1, "0": -1, "True": 1, "1": 1, "2": 0, "t": 0}),
    ([True, False], {"false": 1, "true": -1, "1": -1}),
    ([None, True], {"TRUE": 1, "1": 1, "0": -1, "x": -1}),
]


@pytest.mark.parametrize(("classes", "cells"), LABELLED)
def test_labels(tmp_path, classes, cells):
    for cell, sign in cells.items():
        text = f"x,y\n1,1\n2,{cell}\n" if classes is None else f"x,y\n2,{cell}\n"
        if sign:
            assert table(tmp_path, text, classes=classes)[-1][0] == sign
        else:
            with pytest.raises(InvalidCertificate, match=r"data.csv, line .*, column 'y': the label .* is no class"):
                table(tmp_path, text, classes=classes)


BROKEN = {
    b"": "data.csv is empty",
    b"\n\n": "data.csv is empty",
    b"\n1,1\n": "two columns named '1'",
    b"x,x,y\n1,1,1\n": "two columns named 'x'",
    b"x,z\n1,1\n": "no column 'y' for the label",
    b"x;y\n1;1\n": "no column 'y' for the label",
    b"x,y\n1\n": "line 2: 1 value for 2 columns",
    b"x,y\n1,1\n1,1,1\n": "line 3: 3 values for 2 columns",
    b"x,y\n \n": "line 2: 1 value for 2 columns",
    b"x,y\n\xff,1\n": "line 2: this is not text in utf-8",
    b"x,y\n1,1\n\n1,\xed\xa0\x80\n": "line 4: this is not text in utf-8",
    b'x,y\n"1,1\n': "line 2: this is not CSV: unexpected end of data",
    b'x,y\n\n"1"2,1\n': "line 3: this is not CSV: ',' expected",
    b"x,y\n" + b"1" * 200_000 + b",1\n": "line 2, column 'x': '1111.* is not a number that float64 can hold",
    b"x,y\n1\x00,1\n": "line 2: this is not text",
    b"x,y\n1,1\n1,\x00\n": "line 3: this is not text",
}


@pytest.mark.parametrize("text", BROKEN, ids=[text[:20].decode("latin-1") for text in BROKEN])
def test_what_is_no_table(tmp_path, text):
    with pytest.raises(DataError, match=BROKEN[text]):
        table(tmp_path, text)


def test_tables_of_other_data(tmp_path):
    with pytest.raises(InvalidCertificate, match=r"about 2 columns, but .* has 1 besides the label"):
        table(tmp_path, "x,y\n1,1\n", dimension=2)
    with pytest.raises(InvalidCertificate, match=r"about a column 'z', but .* has none"):
        table(tmp_path, "x,y\n1,1\n", columns=["z"])
    with pytest.raises(InvalidCertificate, match=r"about a column 'y', but .* has none of that name besides the label"):
        table(tmp_path, "x,y\n1,1\n", columns=["y"])
    assert table(tmp_path, "x,y\n") == []


def test_the_line_is_that_of_the_file(tmp_path):
    with pytest.raises(DataError, match="line 5, column 'x'"):
        table(tmp_path, 'x,"y\nz"\n1,1\n\n,1\n', label="y\nz")


# ---- Tables that the certificate describes


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
    document = {"format": checker.FORMAT, "claim": "not-separable", "problem": problem, "obstruction": obstruction}
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
NAMES = ["farbe", "unused", "n", "y", "b"]
CELLS = [
    ["grün", "? !", "1.5", "no", "TRUE"],
    ["grün", "", " +15e-1", "yes", "true"],
    ["rot", "NA", "NA", "no", "false"],
    ["rot", "1", "NA", "yes", "False"],
    ["NA", "x", "-2e1", "no", "True"],
    ["NA", "y", "-20.", "yes", "1"],
    ["blau", "z", "0", "no", "FALSE"],
    ["blau", "z", "-0.0", "yes", "0"],
]
COLUMNS = [
    {"source": "n"},
    {"source": "farbe", "category": "grün"},
    {"source": "n", "gap": True},
    {"source": "b"},
    {"source": "farbe", "gap": True},
    {"source": "farbe", "category": "rot"},
]
WITH_GAPS = [[1.5, 1, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1], [-20, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0]]


def tabled(**changes):
    table = {"format": "csv", "label": "y", "header": True, "separator": ",", "encoding": "utf-8", "gaps": ["NA"]}
    return table | {"missing": "indicator"} | changes


def without_names(columns):
    return [column | {"source": str(NAMES.index(column["source"]) + 1)} for column in columns]


def written(path, cells, separator=",", encoding="utf-8", names=NAMES):
    """Write a table; its cells need quotes if they hold the separator."""
    lines = [names, *cells] if names else cells
    if separator is None:
        text = "".join(
            " \t" + " \t  ".join(cell.strip().replace(" ", "_") or "-" for cell in line) + "\t \n\n" for line in lines
        )
    else:
        quoted = [[f'"{cell}"' if separator in cell or not cell else cell for cell in line] for line in lines]
        text = "".join(separator.join(line) + "\r\n" for line in quoted)
    with OPENERS.get(path.suffix, open)(path, "wb") as file:
        file.write(text.encode(encoding))
    return path


@pytest.mark.parametrize("packed", OPENERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ":", None])
def test_every_kind_of_file(tmp_path, separator, header, encoding, packed):
    path = written(tmp_path / f"data.csv{packed}", CELLS, separator, encoding, NAMES if header else None)
    table = tabled(separator=separator, encoding=encoding.removesuffix("-sig"), header=header)
    if not header:
        table["label"] = "4"
    document = twofold(WITH_GAPS, table, COLUMNS if header else without_names(COLUMNS))
    assert is_accepted(document, path)
    for other in [",", ";", "\t", "|", " ", ":", None]:
        if other != separator:
            assert not is_accepted(altered(document, "table", "separator", other), path)
    for other in ["utf-8", "utf-16", "latin-1", "cp1252"]:
        read_the_same = {other, table["encoding"]} <= {"latin-1", "cp1252"}
        assert is_accepted(altered(document, "table", "encoding", other), path) == (
            read_the_same or other == table["encoding"]
        )


def altered(document, *path):
    document = copy.deepcopy(document)
    put("problem", *path)(document)
    return document


def test_the_two_western_encodings_differ(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"c,y\n\x80,no\n\x80,yes\n")
    for encoding, sign in [("cp1252", "€"), ("latin-1", "\x80")]:
        columns = [{"source": "c", "category": sign}]
        document = twofold([[1]], tabled(encoding=encoding), columns)
        assert is_accepted(document, path)
        other = "latin-1" if encoding == "cp1252" else "cp1252"
        assert "digests differ" in outcome(altered(document, "table", "encoding", other), path)
        assert "line 2: this is not text in utf-8" in outcome(altered(document, "table", "encoding", "utf-8"), path)
    path.write_bytes(b"c,y\n1,no\n\x81,yes\n")
    assert "line 3: this is not text in cp1252" in outcome(document | altered(document, "table", "encoding", "cp1252"), path)


@pytest.mark.parametrize("header", [True, False])
def test_every_cell_that_is_used_counts(tmp_path, header):
    names = NAMES if header else None
    document = twofold(WITH_GAPS, tabled(header=header, label="y" if header else "4"), COLUMNS)
    if not header:
        document["problem"]["columns"] = without_names(COLUMNS)
    other = {
        "farbe": ["grün", "rot", "NA", "Rot", " rot"],
        "n": ["3", "NA", "true", "0", "0.0"],
        "y": ["no", "yes"],
        "b": ["1", "NA", "0", "FALSE", "2"],
    }
    meaning = {
        "farbe": lambda cell: cell if cell in ("grün", "rot", "NA") else "another",
        "n": lambda cell: "gap" if cell == "NA" else 1.0 if cell == "true" else float(cell),
        "y": lambda cell: cell,
        "b": lambda cell: (
            0.0 if cell == "NA" else {"true": 1.0, "false": 0.0}[cell.lower()] if cell.isalpha() else float(cell)
        ),
        "unused": lambda cell: None,
    }
    seen = 0
    for i, line in enumerate(CELLS):
        for k, name in enumerate(NAMES):
            for cell in other.get(name, ["anything"]):
                path = written(
                    tmp_path / "data.csv", [*CELLS[:i], [*line[:k], cell, *line[k + 1 :]], *CELLS[i + 1 :]], names=names
                )
                same = meaning[name](cell) == meaning[name](line[k])
                assert is_accepted(document, path) == same, (line, name, cell)
                seen += not same
    assert seen > 60
    for changed in [CELLS[:-1], [*CELLS, CELLS[0]], CELLS[::-1], [CELLS[1], CELLS[0], *CELLS[2:]]]:
        assert outcome(document, written(tmp_path / "data.csv", changed, names=names)).startswith("Refused. ")


def test_what_the_document_says_of_a_table_counts(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    assert is_accepted(document, path)
    for change, message in [
        (("columns", 1, "category", "blau"), "digests differ"),
        (("columns", 1, "category", "Grün"), "digests differ"),
        (("columns", 1, "source", "unused"), "digests differ"),
        (("columns", 3, {"source": "b", "category": "TRUE"}), "digests differ"),
        (("columns", 0, {"source": "n", "category": "1.5"}), "digests differ"),
        (("columns", 4, {"source": "unused", "gap": True}), "digests differ"),
        (("columns", 0, "source", "unused"), "line 2, column 'unused': '? !' is not a number"),
        (("columns", 0, "source", "m"), "about a column 'm', but"),
        (("columns", COLUMNS[::-1]), "digests differ"),
        (("classes", ["yes", "no"]), "digests differ"),
        (("classes", ["nein", "ja"]), "line 2, column 'y': the label 'no' is no class"),
        (("table", "label", "unused"), "column 'unused': the label '? !' is no class"),
        (("table", "label", "Y"), "Refused."),
        (("table", "label", "n"), "problem.columns[0].source must not be 'n', the label"),
        (("table", "header", False), "must be a place such as"),
        (("table", "gaps", []), "line 4, column 'n': 'NA' is not a number"),
        (("table", "gaps", ["NA", "blau"]), "digests differ"),
        (("table", "gaps", ["NA", "0"]), "digests differ"),
        (("table", "gaps", ["NA", "no"]), "line 2, column 'y': 'no' is a gap, which the certificate does not allow"),
        (
            ("table", "gaps", ["NA", "rot"]),
            "problem.columns[5].category must not be 'rot', which is one of problem.table.gaps",
        ),
        (("table", "missing", "drop-rows"), "problem.columns[2].gap must be true, and may be there only if"),
        (("table", "missing", "refuse"), "problem.columns[2].gap must be true, and may be there only if"),
        (("table", {"format": "libsvm", "base": 0}), "problem.columns must be null"),
        (("table", None), "problem.columns[2].gap must be true"),
    ]:
        assert message in outcome(altered(document, *change), path), change


def test_the_label_is_given_twice_or_not_at_all(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    assert is_accepted(document, path, label="y")
    assert outcome(document, path, label="b") == "Refused. The certificate has the labels in column 'y', not in 'b'."
    arrays = twofold([[0], [0]], None, [{"source": "c", "category": "a"}])
    path.write_text("c,y\nb,no\nb,yes\n,no\n,yes\n")
    assert is_accepted(arrays, path, label="y")
    assert outcome(arrays, path) == (
        "Not checked. The certificate does not say which column holds the labels: name it with --label."
    )
    path.write_text("c,z\nb,no\n")
    assert outcome(arrays, path, label="y") == f"Not checked. {path} has no column 'y' for the label."
    assert outcome(altered(arrays, "table", tabled()), path) == f"Refused. {path} has no column 'y' for the label."


def test_gaps_are_refused_or_their_rows_left_out(tmp_path):
    columns = [{"source": "n"}, {"source": "farbe", "category": "grün"}, {"source": "b"}]
    path = written(tmp_path / "data.csv", CELLS)
    dropped = twofold([[1.5, 1, 1], [0, 0, 0]], tabled(missing="drop-rows"), columns)
    assert "for 4 of 8 rows, 3 columns" in outcome(dropped, path)
    assert ", 4 rows left out for 4 gaps, where 'NA' is a gap and no other text is: " in outcome(dropped, path)
    refusing = altered(dropped, "table", "missing", "refuse")
    assert outcome(refusing, path) == (
        f"Refused. {path}, line 4, column 'n': 'NA' is a gap, which the certificate does not allow there."
    )
    zero = altered(dropped, "table", "missing", "indicator")
    assert "about 4 rows, but the data has 8" in outcome(zero, path)
    assert is_accepted(twofold([[1.5, 1, 1], [0, 0, 0], [-20, 0, 1], [0, 0, 0]], zero["problem"]["table"], columns), path)
    # gaps in columns that are not used, and in the label
    complete = [line for line in CELLS if "NA" not in (line[0], line[2])]
    written(path, complete)
    for document in (dropped, refusing, zero):
        assert is_accepted(document, path)
    written(path, [*complete, ["grün", "", "x", "NA", "x"]])  # the numbers do not matter where there is a gap
    assert is_accepted(dropped, path)
    for document in (refusing, zero):
        assert "line 6, column 'y': 'NA' is a gap" in outcome(document, path)
    # a gap is a text, all of it and nothing else but blanks
    for cell in (" NA", "NA ", "\t NA\t"):
        written(path, [*complete, ["grün", "", cell, "no", "1"]])
        assert is_accepted(dropped, path)
        for document in (refusing, zero):
            assert not is_accepted(document, path)
    for cell in ("", "na", "N A", "NA.", "\u00a0NA", " na", " "):
        written(path, [*complete, ["grün", "", cell, "no", "1"]])
        assert f"line 6, column 'n': {cell!r} is not a number" in outcome(dropped, path)
        wider = altered(dropped, "table", "gaps", ["NA", cell])
        assert is_accepted(wider, path)


def test_all_columns_are_numbers_if_the_document_lists_none(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y,b\n1,no,TRUE\n1,yes,1\n,no,4\n 3\t,no,false\n3,yes, FALSE \n")
    document = twofold([[1, 1], [3, 0]], tabled(missing="drop-rows", gaps=[""]), None)
    assert is_accepted(document, path)
    headless = altered(altered(document, "table", "header", False), "table", "label", "2")
    assert "line 1, column '2': the label 'y' is no class" in outcome(headless, path)
    path.write_text("\n" + path.read_text().partition("\n")[2])
    assert is_accepted(headless, path)
    assert "has no column '9' for the label" in outcome(altered(headless, "table", "label", "9"), path)
    path.write_text("")
    assert outcome(headless, path) == f"Not checked. {path} is empty."


def test_a_gap_column_may_stand_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n,no\n,yes\nred,no\n1,yes\n")
    assert is_accepted(twofold([[1], [0]], tabled(gaps=[""]), [{"source": "a", "gap": True}]), path)


NO_BOOLEANS = ["yes", "t", "tru", "true.", "1true", "wahr", "ｔrue"]


@pytest.mark.parametrize("cell", NO_BOOLEANS)
def test_what_is_neither_true_nor_a_number(tmp_path, cell):
    with pytest.raises(DataError, match=r"line 2, column 'x': .* is not a number"):
        table(tmp_path, f"x,y\n{cell},1\n")


def test_true_and_false_are_numbers(tmp_path):
    assert table(tmp_path, "x,y\ntrue,1\n FALSE\t,1\ntRuE,-1\n") == rows_of([[1], [0], [1]], [1, 1, -1])


def test_several_files(tmp_path):
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    first = written(tmp_path / "1.csv", CELLS[:3])
    second = written(tmp_path / "2.csv.gz", [line[::-1] for line in CELLS[3:6]], names=NAMES[::-1])
    third = written(tmp_path / "3.csv", CELLS[6:])
    assert is_accepted(document, first, second, third)
    assert "digests differ" in outcome(document, third, second, first)
    assert "about 8 rows, but the data has 6" in outcome(document, first, second)
    other = written(tmp_path / "4.csv", CELLS[3:], names=["farbe", "used", "n", "y", "b"])
    assert outcome(document, first, other) == f"Not checked. {other} has other columns than {first}."
    written(other, [line[:-1] for line in CELLS[3:]], names=NAMES[:-1])
    assert "has other columns than" in outcome(document, first, other)
    other.write_text("")
    assert outcome(document, first, other) == f"Not checked. {other} is empty."
    assert f"{other.parent / '5.csv'} cannot be read: No such file" in outcome(document, first, other.parent / "5.csv")


def test_several_files_without_columns_in_the_document(tmp_path):
    """The order of the first file counts; without a header there is no other."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("a,b,y\n1,2,no\n1,2,yes\n")
    second.write_text("b,y,a\n2,no,1\n2,yes,1\n")
    assert is_accepted(twofold([[1, 2], [1, 2]], tabled(), None), first, second)
    assert is_accepted(twofold([[2, 1], [2, 1]], tabled(), None), second, first)
    first.write_text("1,2,no\n1,2,yes\n")
    headless = twofold([[1, 2], [1, 2]], tabled(header=False, label="3"), None)
    assert is_accepted(headless, first, first)
    second.write_text("1,2,no,\n1,2,yes,\n")
    assert f"{second} has other columns than {first}" in outcome(headless, first, second)


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".GZ"])
def test_damaged_files(tmp_path, packed):
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    path = tmp_path / f"data.csv{packed}"
    with OPENERS[packed.lower()](path, "wb") as file:
        file.write(written(tmp_path / "data.csv", CELLS).read_bytes())
    assert is_accepted(document, path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert outcome(document, path).startswith(f"Not checked. {path}"), length
    for k in range(len(whole)):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 255]) + whole[k + 1 :])
        assert "\n" not in outcome(document, path)  # whatever it is, it is no other exception
    path.write_bytes((tmp_path / "data.csv").read_bytes())
    assert re.search("Not checked. .* cannot be read: ", outcome(document, path))


def test_damage_far_inside_a_file(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"x,y\n" + b"".join(b"%d,1\n" % (k * k) for k in range(50_000)))[:-40_000])
    with pytest.raises(DataError, match=r"data.csv.gz, after line [0-9]{4,}, cannot be read: Compressed file ended"):
        read_rows([path], {"problem": {"dimension": 1, "classes": None, "columns": None, "table": None}}, "y")


def test_texts_that_are_not_in_their_encoding(tmp_path):
    path = tmp_path / "data.csv"
    document = twofold([[1]], tabled(encoding="utf-16"), None)
    for text in (b"x,y\n1,no\n1,yes\n", "x,y\n1,no\n1,yes\n".encode("utf-16-le"), "x,y\n1,no\n".encode("utf-16")[:-1]):
        path.write_bytes(text)
        assert outcome(document, path).startswith(f"Not checked. {path}")
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes("\ufeffx,y\n1,no\n1,yes\n".encode(encoding))
        assert is_accepted(document, path)


@pytest.mark.parametrize("separator", [",", None])
def test_cells_of_any_length(tmp_path, separator):
    long = "x" * 300_000
    cells = [[long, "", "1", label, "1"] for label in ("no", "yes")]
    path = written(tmp_path / "data.csv", cells, separator)
    before = csv.field_size_limit(131_072)
    document = twofold([[1, 1]], tabled(separator=separator), [{"source": "farbe", "category": long}, {"source": "n"}])
    assert is_accepted(document, path)
    assert "digests differ" in outcome(altered(document, "columns", 0, "category", long[1:]), path)
    assert csv.field_size_limit(before) == 131_072  # it is everybody's
    said = outcome(altered(document, "columns", 0, {"source": "farbe"}), path)
    assert "line " in said
    assert len(said) < 300


def test_lines_are_counted_with_empty_ones(tmp_path):
    path = tmp_path / "data.csv"
    for separator, text, line in [
        (None, "\n x y\n\t \n1 no\n\n2 maybe\n", 6),
        (";", "\nx;y\n\n1;no\n\n2;maybe\n", 6),
        (";", 'x;y\r\n1;no\r\n"\r\n1";yes;\r\n', 4),
        (None, "x y\r1 no\r\r2 no 3\r", 4),
    ]:
        path.write_bytes(text.encode())
        assert f"data.csv, line {line}" in outcome(twofold([[1]], tabled(separator=separator), None), path)


def test_without_separator_there_are_no_quotes(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(b'"c" y\n"a no\n "a\tyes  \n')
    assert is_accepted(twofold([[1]], tabled(separator=None), [{"source": '"c"', "category": '"a'}]), path)
    path.write_bytes("c y\na\u00a0b no\na\u00a0b yes\n".encode())  # only spaces and tabs are blanks
    assert is_accepted(twofold([[1]], tabled(separator=None), [{"source": "c", "category": "a\u00a0b"}]), path)


def test_quoted_cells(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b'"c;\n""";y\n"a;b";no\n"a;b";"yes"\n')
    assert is_accepted(twofold([[1]], tabled(separator=";"), [{"source": 'c;\n"', "category": "a;b"}]), path)
    for end in ("\n", "\r\n", "\r"):  # as they are in the file
        path.write_bytes(f'c,y\r\n"a{end}b",no\r\n"a{end}b",yes\r\n'.encode())
        document = twofold([[1]], tabled(), [{"source": "c", "category": f"a{end}b"}])
        assert is_accepted(document, path)
        for other in {"\n", "\r\n", "\r", " "} - {end}:
            assert "digests differ" in outcome(altered(document, "columns", 0, "category", f"a{other}b"), path)


def test_the_mixed_example(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(MIXED[0])
    certificate = parse(MIXED[1])
    points = [[150, 0, 1, 0], [0, 1, 0, 1], [120, 0, 0, 1], [110, 0, 0, 0]]
    assert read_rows([path], certificate) == rows_of(points, [1, -1, 1, -1])
    assert outcome(json.loads(MIXED[1]), path) == (
        "Proved for 4 rows, 4 columns ('weight', 'weight' is missing, 'colour' = 'red', 'colour' = 'green'), 1 cell with a "
        "text that has no column taken as 0, an intercept, class 'yes' against 'no', labels in column 'ripe', cells "
        "separated by semicolons, 1 gap in 1 row taken as 0, each told of by a column, where '' and 'NA' are gaps and no "
        "other text is: "
        "the classes are separable: the given hyperplane has every row on its correct side."
    )


def test_columns_are_named_in_refusals(tmp_path):
    path = written(tmp_path / "data.csv", CELLS)
    document = twofold(WITH_GAPS, tabled(), COLUMNS)
    for j, name in enumerate(["n", "farbe=grün", "n is missing", "b", "farbe is missing", "farbe=rot"]):
        changed = copy.deepcopy(document)
        changed["obstruction"]["points"][3][j] = "7"
        assert f"point of row 3 is not the data's in column {j} ('{name}')" in outcome(changed, path)


TABLE_CHANGES = [
    (put("table", []), "problem.table must be an object, not []"),
    (put("table", "csv"), "problem.table must be an object"),
    (put("table", False), "problem.table must be an object"),
    (put("table", {}), "problem.table lacks the key 'format'"),
    (put("table", "quote", "'"), "problem.table must not have the key 'quote'"),
    (put("table", "base", 1), "problem.table must not have the key 'base'"),
    *[(without("table", key), f"problem.table lacks the key '{key}'") for key in tabled()],
    (put("table", "format", "parquet"), 'problem.table.format must be one of "csv", "libsvm", not \'parquet\''),
    (put("table", "format", ["csv"]), "problem.table.format must be one of"),
    (put("table", "format", "CSV"), "problem.table.format must be one of"),
    (put("table", "label", None), "problem.table.label must be a string"),
    (put("table", "label", 3), "problem.table.label must be a string"),
    (put("table", "header", 1), "problem.table.header must be one of true, false, not 1"),
    (put("table", "header", None), "problem.table.header must be one of"),
    (put("table", "separator", "/"), "problem.table.separator must be one of"),
    (put("table", "separator", ",,"), "problem.table.separator must be one of"),
    (put("table", "separator", ""), "problem.table.separator must be one of"),
    (put("table", "separator", '"'), "problem.table.separator must be one of"),
    (put("table", "separator", False), "problem.table.separator must be one of"),
    (put("table", "encoding", "UTF-8"), "problem.table.encoding must be one of"),
    (put("table", "encoding", "unicode_escape"), "problem.table.encoding must be one of"),
    (put("table", "encoding", "ascii"), "problem.table.encoding must be one of"),
    (put("table", "encoding", None), "problem.table.encoding must be one of"),
    (put("table", "missing", "drop"), 'problem.table.missing must be one of "refuse", "drop-rows", "indicator", not'),
    (put("table", "missing", None), "problem.table.missing must be one of"),
    (put("table", "gaps", "NA"), "problem.table.gaps must be a list"),
    (put("table", "gaps", None), "problem.table.gaps must be a list"),
    (put("table", "gaps", {"NA": 1}), "problem.table.gaps must be a list"),
    (put("table", "gaps", ["", 0]), "problem.table.gaps[1] must be a string"),
    (put("table", "gaps", ["NA", "", "NA"]), "problem.table.gaps has 'NA' twice"),
    (put("columns", 2, "category", None), "problem.columns[2].category must be a string, not None"),
    (put("columns", 2, "category", True), "problem.columns[2].category must be a string"),
    (put("columns", 2, "gap", True), "problem.columns[2] must not have the key 'gap'"),
    (put("columns", 1, "gap", False), "problem.columns[1].gap must be true"),
    (put("columns", 1, "gap", 1), "problem.columns[1].gap must be true"),
    (put("columns", 1, "gap", "true"), "problem.columns[1].gap must be true"),
    (put("columns", 1, "Gap", True), "problem.columns[1] must not have the key 'Gap'"),
    (without("columns", 2, "source"), "problem.columns[2] lacks the key 'source'"),
    (put("columns", 2, "source", 1), "problem.columns[2].source must be a string"),
    (put("columns", 2, "category", "green"), "problem.columns has 'colour=green' twice"),
    (put("columns", 0, {"source": "weight", "gap": True}), "problem.columns has 'weight is missing' twice"),
    (put("columns", 2, {"source": "weight"}), "problem.columns has 'weight' twice"),
    (put("columns", 2, {"source": "colour"}), "problem.columns has 'colour' both as a number and with categories"),
    (put("columns", 3, {"source": "colour"}), "problem.columns has 'colour' both as a number and with categories"),
    (put("columns", 3, "source", "weight"), "problem.columns has 'weight' both as a number and with categories"),
    (put("columns", 2, "category", "NA"), "[2].category must not be 'NA', which is one of problem.table.gaps"),
    (put("columns", 2, "category", ""), "problem.columns[2].category must not be ''"),
    (put("columns", 2, "source", "ripe"), "problem.columns[2].source must not be 'ripe', the label"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), TABLE_CHANGES)
def test_forms_of_tables_and_columns(change, message):
    document = json.loads(MIXED[1])
    validate(document)
    change(document["problem"])
    with pytest.raises(InvalidCertificate) as caught:
        validate(document)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("place", ["y", "", "0", "-1", "+1", "01", "1.0", " 1", "1\n", "１", "1" * 11])
def test_without_header_columns_are_places(place):
    document = twofold([[1]], tabled(header=False, label="2"), [{"source": "1"}])
    validate(document)
    for change in (("table", "label", place), ("columns", 0, "source", place)):
        with pytest.raises(InvalidCertificate, match=r'(label|columns\[0\].source) must be a place such as "3"'):
            validate(altered(document, *change))


def test_hostile_tables_take_no_time():
    many = 100_000
    same = [{"source": "s", "category": str(k)} for k in range(many)]
    gaps = [str(-k) for k in range(checker.MOST_GAPS)]
    start = time.perf_counter()
    for columns, message in [
        ([*same, {"source": "s", "category": "0"}], "problem.columns has 's=0' twice"),
        ([*same, {"source": "s"}], "both as a number and with categories"),
        ([{"source": "s"}, *same], "both as a number and with categories"),
        ([*same, {"source": "s", "category": "-7"}], "must not be '-7', which is one of"),
        ([*same, {"source": "y", "category": "y"}], "must not be 'y', the label"),
    ]:
        document = twofold([[0]], tabled(gaps=["-0", *gaps[1:]]), None)
        document["problem"] |= {"dimension": many + 1, "columns": columns}
        assert message in outcome(document)
    assert "problem.table.gaps has '-3' twice" in outcome(altered(document, "table", "gaps", [*gaps[:-1], "-3"]))
    assert time.perf_counter() - start < 30


def test_the_time_for_a_row_does_not_grow_with_the_categories(tmp_path):
    """A million columns and twenty thousand cells: row times column would take for ever."""
    texts = [f"c{k}" for k in range(250_000)]
    lines = [[texts[(i * 7919 + k) % 250_000] for k in range(4)] for i in range(5_000)]
    path = tmp_path / "data.csv"
    path.write_text("a,b,c,d,y\n" + "".join(",".join([*line, "yes"]) + "\n" for line in lines))
    columns = [{"source": source, "category": text} for source in "abcd" for text in texts]
    problem = {"dimension": len(columns), "classes": ["no", "yes"], "columns": columns, "table": tabled()}
    start = time.perf_counter()
    rows = read_rows([path], {"problem": problem})
    assert time.perf_counter() - start < 20
    assert rows == [(1, [(k * 250_000 + (i * 7919 + k) % 250_000, 1.0) for k in range(4)]) for i in range(5_000)]


# ---- Tables by definition, whatever they are

texts = st.sampled_from(
    ["", "NA", "a", "b", " a", " ", " NA  ", 'q"u', "1", "0", "-2.5", "true", "FALSE", "1e400", "x,y", "two\nlines", "é;"]
)


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


@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@settings(max_examples=400)
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
    document = {"format": checker.FORMAT, "claim": "separable", "problem": whole, "separator": separator}
    certificate = parse(json.dumps(document))
    if expected is None:
        assert re.match("Refused|Not checked", outcome(document, path))
    else:
        assert read_rows([path], certificate) == rows_of([x for _, x in expected], [y for y, _ in expected])
        assert is_accepted(document, path) == (bool(expected) and all(y == 1 for y, _ in expected))


# ---- LIBSVM text


def sparse(points, base=1, classes=(-1, 1)):
    return twofold(points, {"format": "libsvm", "base": base}, None, classes)


def test_the_libsvm_example(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(SPARSE[0])
    assert read_rows([path], parse(SPARSE[1])) == rows_of([[1, 0, 0.5], [2, 0, 1]], [-1, 1])
    assert outcome(json.loads(SPARSE[1]), path).startswith(
        "Proved for 2 rows, 3 columns of LIBSVM text (indices 1 to 3), no intercept, class 1 against -1: "
    )


LIBSVM = """# a comment, then an empty line

-1 qid:7 1:1.5 2:0 3:-2e1 # qid:8 1:2
+1 1:+1.5\t3:-20   2
-1 # no entries
1\t
\t  # nothing
 -1 2:.5
1.0 qid:1 2:5e-1 3:0.0#
"""


@pytest.mark.parametrize("packed", OPENERS)
@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_libsvm_text(tmp_path, base, packed, end):
    text = LIBSVM.replace("   2\n", " \n")
    if base == 0:
        text = re.sub(r"\b([123]):", lambda match: f"{int(match[1]) - 1}:", text)
    path = tmp_path / f"data{packed}"
    with OPENERS[packed](path, "wb") as file:
        file.write(b"\xef\xbb\xbf" + text.replace("\n", end).encode())
    document = sparse([[1.5, 0, -20], [0, 0, 0], [0, 0.5, 0]], base)
    assert is_accepted(document, path)
    assert "Refused. " in outcome(altered(document, "table", "base", 1 - base), path)
    assert outcome(document, path, path).startswith("Refused. The certificate is about 6 rows, but the data has 12")
    assert "Not checked. There is no column 'y'" in outcome(document, path, label="y")
    wider = sparse([[1.5, 0, -20, 0], [0, 0, 0, 0], [0, 0.5, 0, 0]], base)
    assert is_accepted(wider, path)  # the last column is 0 everywhere
    for old, new in [("1.5", "1.25"), (".5", ".25"), ("-1 #", "1 #"), ("5e-1", "6e-1"), ("# nothing", "-1")]:
        with OPENERS[packed](path, "wb") as file:
            file.write(text.replace(old, new, 1).encode())
        assert "Refused. " in outcome(document, path)


NO_LIBSVM = {
    "-1 1:1 2": "Not checked. {}, line 2: '2' is not an index, a colon and a number",
    "-1 1:1 2:": "Not checked. {}, line 2: '2:' is not an index",
    "-1 1:1 :2": "Not checked. {}, line 2: ':2' is not an index",
    "-1 1:1 2: 3": "Not checked. {}, line 2: '2:' is not an index",
    "-1 1:1 2:x": "Not checked. {}, line 2: '2:x' is not an index",
    "-1 1:1 2:nan": "Not checked. {}, line 2: '2:nan' is not an index",
    "-1 1:1 2:1e999": "Not checked. {}, line 2: '2:1e999' is not an index",
    "-1 1:1 2:true": "Not checked. {}, line 2: '2:true' is not an index",
    "-1 1:1 2:1:1": "Not checked. {}, line 2: '2:1:1' is not an index",
    "-1 1:1 -2:1": "Not checked. {}, line 2: '-2:1' is not an index",
    "-1 1:1 ２:1": "Not checked. {}, line 2: '２:1' is not an index",
    "-1 1:1 1e0:1": "Not checked. {}, line 2: '1e0:1' is not an index",
    "-1 1:1 " + "1" * 5_000 + ":1": "Not checked. {}, line 2: '1111",
    "-1 1:1 qid:1": "Not checked. {}, line 2: 'qid:1' is not an index",
    "-1 qid:x 1:1": "Not checked. {}, line 2: 'qid:x' is not an index",
    "-1 qid: 1:1": "Not checked. {}, line 2: 'qid:' is not an index",
    "-1 qid:1 qid:2 1:1": "Not checked. {}, line 2: 'qid:2' is not an index",
    "-1 2:1 1:1": "Not checked. {}, line 2: the index 1 follows 2.",
    "-1 1:1 1:1": "Not checked. {}, line 2: the index 1 follows 1.",
    "-1 1:0 1:1": "Not checked. {}, line 2: the index 1 follows 1.",
    "1:1 2:2": "Not checked. {}, line 2: '1:1' is where the label should be.",
    "qid:1 1:1": "Not checked. {}, line 2: 'qid:1' is where the label should be.",
    "-1 1:\0": "Not checked. {}, line 2: this is not text in utf-8.",
    "-1 0:1 1:1": "Refused. {}, line 2: the index 0 is not from 1 to 2, the columns of the certificate.",
    "-1 0:0 1:1": "Refused. {}, line 2: the index 0 is not from 1 to 2, the columns of the certificate.",
    "-1 1:1 3:1": "Refused. {}, line 2: the index 3 is not from 1 to 2, the columns of the certificate.",
    "-1 1:1 3:0": "Refused. {}, line 2: the index 3 is not from 1 to 2, the columns of the certificate.",
    "2 1:1": "Refused. {}, line 2: the label '2' is no class of the certificate.",
    "-1,1 1:1": "Not checked. {}, line 2: the label '-1,1' is not a whole number",
    "0.5 1:1": "Not checked. {}, line 2: the label '0.5' is not a whole number",
    "1e999 1:1": "Not checked. {}, line 2: the label '1e999' is not a whole number",
    "1e-99999999999999999999999 1:1": "Not checked. {}, line 2: the label '1e-99999",
    "-9999999999999999.5 1:1": "Not checked. {}, line 2: the label '-9999999999999999.5' is not a whole number",
    "x 1:1": "Not checked. {}, line 2: the label 'x' is not a whole number",
}


@pytest.mark.parametrize("line", NO_LIBSVM, ids=[line[:20] for line in NO_LIBSVM])
def test_what_is_no_libsvm_text(tmp_path, line):
    path = tmp_path / "data.svm"
    document = sparse([[1, 0]])
    path.write_text("\n-1 1:1\n+1 1:1\n", encoding="utf-8")
    assert is_accepted(document, path)
    path.write_text(f"\n{line}\n+1 1:1\n", encoding="utf-8")
    said = outcome(document, path)
    assert said.startswith(NO_LIBSVM[line].format(path))
    assert len(said) < 300


def test_forms_of_libsvm_tables():
    document = json.loads(SPARSE[1])
    for change, message in [
        (("table", "base", 2), "problem.table.base must be an integer from 0 to 1, not 2"),
        (("table", "base", -1), "problem.table.base must be an integer"),
        (("table", "base", True), "problem.table.base must be an integer"),
        (("table", "base", None), "problem.table.base must be an integer"),
        (("table", {"format": "libsvm"}), "problem.table lacks the key 'base'"),
        (("table", "label", "y"), "problem.table must not have the key 'label'"),
        (("table", "gaps", []), "problem.table must not have the key 'gaps'"),
        (("columns", [{"source": name} for name in "123"]), "problem.columns must be null, as"),
        (("columns", []), "problem.columns must be null, as"),
    ]:
        assert message in outcome(altered(document, *change))


@given(
    st.lists(st.tuples(st.sampled_from([-1, 1]), st.lists(numbers, min_size=3, max_size=3)), min_size=1, max_size=5),
    st.sampled_from([0, 1]),
    st.data(),
)
def test_floats_survive_libsvm_text(tmp_path_factory, rows, base, data):
    path = tmp_path_factory.mktemp("tables") / "data.svm"
    lines = []
    for label, point in rows:
        words = [str(label), *data.draw(st.sampled_from([[], ["qid:3"]]))]
        words += [f"{j + base}:{value!r}" for j, value in enumerate(point) if value or data.draw(st.booleans())]
        lines.append(
            data.draw(st.sampled_from([" ", "\t", "  "])).join(words) + data.draw(st.sampled_from(["", " # 9:9", "\n"]))
        )
    path.write_text("\n".join(lines))
    problem = {"dimension": 3, "classes": None, "columns": None, "table": {"format": "libsvm", "base": base}}
    assert read_rows([path], {"problem": problem}) == rows_of([x for _, x in rows], [y for y, _ in rows])


# ---- The command line


@pytest.fixture
def files(tmp_path):
    """A folder with the examples."""
    for claim, (table_text, document) in EXAMPLES.items():
        (tmp_path / f"{claim}.csv").write_text(table_text)
        (tmp_path / f"{claim}.json").write_text(document)
    return tmp_path


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_command_line_accepts(files, claim, capsys):
    assert main([str(files / f"{claim}.json"), str(files / f"{claim}.csv"), "--label", LABELS[claim]]) == 0
    shown = capsys.readouterr()
    certificate = parse(EXAMPLES[claim][1])
    rows = read_rows([files / f"{claim}.csv"], certificate, LABELS[claim])
    assert shown.out == check(certificate, rows) + "\n"
    assert shown.out.endswith(verdict(document_of(claim), DATA[claim]).partition(": ")[2] + "\n")  # the same is proved
    assert shown.err == ""


def test_the_command_line_without_a_label(files, capsys):
    """The certificate knows it, or it must be given; it never has two."""
    proof, data = str(files / "separable.json"), files / "separable.csv"
    assert main([proof, str(data)]) == 0
    assert capsys.readouterr().out.startswith("Proved for 4 rows")
    assert main([proof, str(data), "--label", "a"]) == 1
    assert capsys.readouterr().out == "Refused. The certificate has the labels in column 'both', not in 'a'.\n"
    assert main([str(files / "quasi-separable.json"), str(files / "quasi-separable.csv")]) == 2
    assert "name it with --label" in capsys.readouterr().err
    header, *lines = data.read_text().splitlines(keepends=True)
    parts = [files / f"{k}.csv" for k in range(3)]
    for k, part in enumerate(parts):
        part.write_text(header + "".join(lines[k : k + 1] if k < 2 else lines[2:]))
    assert main([proof, *map(str, parts)]) == 0
    assert main([proof, *map(str, parts[::-1])]) == 1


def test_the_command_line_refuses(files, capsys):
    data = files / "separable.csv"
    data.write_text(data.read_text().replace("1,1,1", "1,1,0"))
    assert main([str(files / "separable.json"), str(data), "--label", "both"]) == 1
    shown = capsys.readouterr()
    assert shown.out == "Refused. The data is not the data of the certificate: their digests differ.\n"
    assert shown.err == ""
    (files / "separable.json").write_bytes(b"\xff\xfe")
    assert main([str(files / "separable.json"), str(data), "--label", "both"]) == 1
    assert "Refused. The document is not UTF-8" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("certificate", "data", "label", "message"),
    [
        ("nothing.json", "separable.csv", "both", "nothing.json cannot be read: No such file"),
        ("separable.json", "nothing.csv", "both", "nothing.csv cannot be read: No such file"),
        (".", "separable.csv", "both", "cannot be read"),
        ("separable.json", ".", "both", "cannot be read"),
        ("quasi-separable.json", "separable.csv", "Both", "no column 'Both' for the label"),
        ("quasi-separable.json", "quasi-separable.json", "y", "no column 'y' for the label"),
        ("overlapping.json", "quasi-separable.csv", "x,y", "no column 'x,y' for the label"),
    ],
)
def test_the_command_line_cannot_look(files, certificate, data, label, message, capsys):
    assert main([str(files / certificate), str(files / data), "--label", label]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Not checked. ")
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_not_enough_memory(files, capsys, monkeypatch):
    def hungry(*_):
        raise MemoryError

    monkeypatch.setattr(checker, "read_rows", hungry)
    assert main([str(files / "separable.json"), str(files / "separable.csv"), "--label", "both"]) == 2
    assert capsys.readouterr().err == "Not checked. There is not enough memory.\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.json"], ["a.json", "--label", "y"], ["a.json", "b.csv", "--label"], ["a.json", "b.csv", "--base", "1"]],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_the_file_stands_alone(files):
    """A copy of the file in an empty folder, without site-packages: nothing but the standard library is there."""
    alone = files / "elsewhere" / "checker.py"
    alone.parent.mkdir()
    shutil.copy(checker.__file__, alone)
    arguments = [str(files / "quasi-separable.json"), str(files / "quasi-separable.csv"), "--label", "y"]
    done = run(sys.executable, "-I", "-S", "-W", "error", str(alone), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "quasi-separable" in done.stdout
    done = run(sys.executable, "-I", "-S", "-W", "error", str(alone), *arguments[:-1], "z")
    assert (done.returncode, done.stdout) == (2, "")


def test_as_a_module_and_in_its_place(files):
    arguments = [str(files / "separable.json"), str(files / "separable.csv"), "--label", "both"]
    for command in (["-m", "separatrix.checker"], [checker.__file__]):
        done = run(sys.executable, *command, *arguments)
        assert (done.returncode, done.stderr) == (0, "")


def test_names_that_the_terminal_cannot_show(files):
    document = document_of("separable")
    document["problem"]["columns"][1]["source"] = "Σ größe"
    (files / "odd.json").write_text(json.dumps(document))
    arguments = [str(files / "odd.json"), str(files / "separable.csv"), "--label", "both"]
    done = run(sys.executable, checker.__file__, *arguments, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stderr == ""
    assert r"a column '\u03a3 gr\xf6\xdfe'" in done.stdout
