"""The checker on the examples of the specification with one thing changed: it refuses each, with the reason."""

import copy
import json
import re

import pytest
from certificates import (
    CLAIMS,
    DATA,
    ERRORS,
    LEAST,
    MOST,
    NOT,
    OVER,
    QUASI,
    SEP,
    SQUARE,
    document_of,
    made,
    obstruction_of,
    put,
    refusal,
    rows_of,
    verdict,
    without,
)

from separatrix.checker import InvalidCertificate, check, validate

ONE_OF = f"The claim must be one of {json.dumps(CLAIMS)[1:-1]}, not "
CHANGES = [
    # the document
    (SEP, put("format", "separatrix-certificate/3"), "knows separatrix-certificate/1 and separatrix-certificate/2 only"),
    (SEP, put("format", None), "knows separatrix-certificate/1 and separatrix-certificate/2 only"),
    (SEP, put("format", ["separatrix-certificate/1"]), "knows separatrix-certificate/1 and separatrix-certificate/2 only"),
    (SEP, without("format"), "knows separatrix-certificate/1 and separatrix-certificate/2 only"),
    (SEP, put("claim", "perfect"), ONE_OF + "'perfect'"),
    (SEP, put("claim", "Separable"), ONE_OF + "'Separable'"),
    (SEP, put("claim", ["separable"]), ONE_OF + "['separable']"),
    (SEP, put("claim", {}), ONE_OF + "{}"),
    (SEP, put("claim", True), ONE_OF + "True"),
    (SEP, without("claim"), ONE_OF + "None"),
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
    (LEAST, put("margin", "kind", "Lifted"), """margin.kind must be "lifted" or "geometric", not 'Lifted'"""),
    (LEAST, put("margin", "kind", None), 'margin.kind must be "lifted" or "geometric"'),
    (LEAST, put("margin", "kind", ["lifted"]), 'margin.kind must be "lifted" or "geometric"'),
    (LEAST, put("margin", "kind", {}), 'margin.kind must be "lifted" or "geometric"'),
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
            names |= path[1:] == ("table", "skipped") and type(value) is int and value == 3
            weaker = path == ("problem", "intercept") and value is False and claim not in (SEP, LEAST)
            wider = path == ("problem", "dimension") and value == 3 and claim in (MOST, ERRORS)  # more columns, of zeros
            if same or names or weaker or wider:  # rows have no names here, and what obstructs does without an intercept too
                continue
            with pytest.raises(InvalidCertificate) as caught:
                check(validate(document), DATA[claim])
            assert 10 < len(str(caught.value)) < 400
