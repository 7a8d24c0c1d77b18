"""The checker on certificates made by hand: what proves a claim is accepted, and a little less is not."""

import json
import re
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from certificates import (
    CLAIMS,
    DATA,
    EXAMPLES,
    LABELS,
    ONE_OF_EACH,
    SQUARE,
    bounded,
    document_of,
    made,
    obstruction_of,
    refusal,
    rows_of,
    verdict,
)
from hypothesis import given
from hypothesis import strategies as st

from separatrix import checker
from separatrix.checker import check, digest, parse, read_rows


def test_every_claim_has_an_example():
    assert CLAIMS == list(EXAMPLES) == list(checker.CARRIES)
    assert len(ONE_OF_EACH) == len(CLAIMS)


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
        "Proved for 4 rows, 2 columns ('a', 'b'), an intercept, "
        "numbers read as float64, class 1 against 0, labels in column 'both': "
        "the classes are separable: the given hyperplane has every row on its correct side."
    )
    assert "against 'no', labels in column 'answer': the classes are not separable: no hyperplane" in said["not-separable"]
    assert "4 rows, 1 column, an intercept" in said["quasi-separable"]
    assert "has 2 rows on its correct side" in said["quasi-separable"]
    assert "goes through the other 2 rows" in said["quasi-separable"]
    assert "class 1 against -1: the classes overlap: any hyperplane" in said["overlapping"]
    assert said["margin-at-least"] == (  # the root of 1/8 is 0.35355339059327376...
        "Proved for 4 rows, 2 columns, an intercept, "
        "numbers read as float64, class 1 against -1: the margin (geometric) is at least 0.353553390593: "
        "the given hyperplane has every row that far on its correct side."
    )
    assert said["margin-at-most"] == (
        "Proved for 4 rows, 2 columns, an intercept, "
        "numbers read as float64, class 1 against -1: the margin (geometric) is at most 0.353553390594: "
        "no hyperplane has every row farther than that on its correct side."
    )
    assert said["errors-at-least"] == (
        "Proved for 6 rows, 1 column, an intercept, "
        "numbers read as float64, class 1 against -1: every hyperplane has at least 2 rows on its wrong "
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


# ---- Its arithmetic


def test_equal_rows_are_groups():
    assert checker.groups([(1, [(0, 0.5)]), (-1, [(0, 0.5)]), (1, [(0, 0.5)])]) == [0, 1, 0]


def test_numbers_in_common_units():
    assert checker.in_units([Fraction(1, 2), Fraction(2, 3)], "costs") == ([3, 4], 6)


# ---- Small certificates made by hand


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
