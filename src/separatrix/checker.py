"""Check a proof that a hyperplane separates two classes of rows or none does, how far apart they are, how many rows err.

    python checker.py proof.json data.csv

This file stands alone: it needs Python 3.8 or later with its standard library and nothing else, and knows nothing of how
the proof was found. It answers with exit code 0 and a sentence saying what is proved and of what, 1 and the reason why the
proof is refused, or 2 and what kept it from looking or from answering; Ctrl-C ends it with 130. The format of the proof is
specified in docs/certificate-format.md.

**Definitions.** Row i is a point x_i of d numbers and a label y_i, which is -1 or 1. Its signed, lifted row is
z_i = y_i (x_i, 1) with an intercept, and z_i = y_i x_i without. A hyperplane w has row i on its correct side if z_i.w > 0,
on its wrong side if z_i.w < 0, and goes through it if z_i.w = 0. The numbers are the decimals that the file has, or the
float64 nearest to each: exact rationals. The claims are about those, and the arithmetic here is on integers, unrounded.

**Ties.** A row that w goes through counts as an error, unless the proof has a *tie rule*: then a score of 0 predicts one of
the classes, the winner. So w separates if z_i.w > 0 for the rows of the loser and z_i.w >= 0 for those of the winner. Only
hyperplanes without an intercept have such rules: with one, it can be moved a little towards the winner.

**Kernels.** The proof may be about the feature space of a polynomial kernel K(x, x') = (gamma x.x' + coef0)^degree, to which
an intercept adds 1. Its features are the products of columns, with repetitions: of ``degree`` of them or, if coef0 is not 0,
of so many at most; none at all make the constant. K is the sum of m(x) m(x') over these products m, each times a weight
c_m > 0. Then x_i stands for the products of row i in all that follows, and hyperplanes give weights to these. In a length
the square of the number of m counts c_m times if it is that of a row, and 1/c_m times if it is that of a hyperplane.

**Claims.** Each comes with something that proves it to whoever multiplies and adds:

separable
    Some w has z_i.w > 0 for every row (or separates under the tie rule). The *separator* is such a w.
not-separable
    No w has. The *obstruction* is a list of rows with multipliers lambda_i > 0 and sum lambda_i z_i = 0. So
    sum lambda_i (z_i.w) = 0 for every w, and the z_i.w cannot all be positive. Under a tie rule one of the rows is of the
    loser: if no z_i.w were negative, and that one positive, the sum would be.
quasi-separable
    No w has, as an obstruction shows, but some w has z_i.w >= 0 for every row and > 0 for at least one. The separator is
    such a w. The *cover* gives every row with z_i.w = 0 a multiplier mu_i > 0 such that sum mu_i z_i = 0 over these rows.
    So every other such w, too, is 0 on these rows: they cannot be separated, and exactly the others can.
overlapping
    No w has z_i.w >= 0 for every row and > 0 for at least one. The cover, now of all rows, shows it: if z_i.w >= 0 for
    every row, then sum mu_i (z_i.w) = 0 is a sum of numbers >= 0, and all of them are 0.
margin-at-least
    Some w has z_i.w > 0 and z_i.w >= sqrt(squared) |w| for every row. The separator is such a w. Here |w| is the length of
    w with its intercept if the margin is of the kind "lifted", without if it is "geometric"; then it must not be 0.
margin-at-most
    No w with |w| > 0 has z_i.w > sqrt(squared) |w| for every row. The *combination* is a list of rows with multipliers
    lambda_i > 0. Let s = sum lambda_i and v = sum lambda_i z_i. If z_i.w >= g |w| for every row, then g s |w| <= v.w, and
    v.w <= ||v|| |w|, so g <= ||v|| / s. Geometric: v is 0 in the intercept, so that v.w knows nothing of that of w.
errors-at-least
    Every w has errors, rows with z_i.w <= 0, of a total cost of at least *least*. Equal rows are one *group*, for they err
    together. The *packing* gives obstructions weights > 0 such that for each group the weights of those that hold one of
    its rows add up to its cost at most. Every w errs in every obstruction; so the weights add up to the cost of its errors
    at most. To prove more, hyperplanes are split, as often as needed, into those that have some group on their correct side
    (it is *kept*, and obstructions may hold it freely: it is not where they err) and those that do not (it is *given up*:
    its cost counts, and no obstruction may hold it). The splits are a tree; each leaf has a packing of its own.

**Rows.** The proof says how they come from the table: which column holds the label, which ones are numbers, which texts
make columns of 0 and 1, which cells are gaps and what becomes of these. The rows are built here from the files, anew, and
compared with the digest in the proof. What the proof has chosen, and the files do not show, is in the sentence.
"""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":

    def stop(*_: object) -> None:  # what Ctrl-C does from the first instant on
        try:
            os.write(2, b"Not checked. Stopped.\n")
        finally:
            os._exit(130)

    signal.signal(signal.SIGINT, stop)
    if sys.version_info < (3, 8):
        os.write(2, b"Not checked. This needs Python 3.8 or later.\n")
        sys.exit(2)

import argparse
import csv
import hashlib
import importlib
import json
import math
import re
import struct
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement
from reprlib import repr as brief
from typing import Any, Callable, Collection, Dict, Iterable, Iterator, List, NoReturn, Sequence, Tuple

__all__ = [
    "CARRIES", "CELL", "FORMATS", "KINDS", "MOST_BYTES", "SURROGATE", "DataError", "InvalidCertificate", "Seen", "check",
    "decimal_in", "digest", "in_words", "is_gap", "main", "number_in", "number_text", "parse", "read_rows", "refuse",
    "require_columns", "require_gaps", "require_table", "sign_of", "subject_in_words", "validate", "whole_number",
]  # fmt: skip

FORMATS = ("separatrix-certificate/1", "separatrix-certificate/2")  # the first: float64, and no tie rule
CARRIES = {
    "separable": ("separator",),
    "not-separable": ("obstruction",),
    "quasi-separable": ("separator", "obstruction", "cover"),
    "overlapping": ("obstruction", "cover"),
    "margin-at-least": ("margin", "separator"),
    "margin-at-most": ("margin", "combination"),
    "errors-at-least": ("errors", "packing"),
}
SEPARATIONS = ("separable", "not-separable", "quasi-separable", "overlapping")  # claims that may have a tie rule
KINDS = ("lifted", "geometric")  # of margins

Document = Dict[str, Any]
Number = Any  # a float; or a decimal, as m and e for m times 10**e, where m is not a multiple of 10; or a Fraction
Row = Tuple[int, Sequence[Tuple[int, Number]]]  # a label, and the entries of a point that are not 0: column, value; in order
Whole = Tuple[int, Sequence[Tuple[int, int]]]  # the same, lifted, times a number that makes all of them whole


class InvalidCertificate(ValueError):  # noqa: N818
    """A certificate that does not prove its claim about the data, and why."""


class DataError(ValueError):
    """Data that cannot be read, and why."""


def refuse(reason: str) -> NoReturn:
    """Refuse the certificate."""
    raise InvalidCertificate(reason) from None


# ---- The proofs. A certificate here is what `parse` returned: it has what its claim carries, and its numbers are exact.


def check(certificate: Document, rows: Sequence[Row]) -> str:
    """Check a certificate, as `parse` returned it, against data. Return a sentence that says what is proved."""
    problem, scores, seen = certificate["problem"], [0] * len(rows), getattr(rows, "seen", None)
    require_same_data(problem, rows)
    require_points(certificate, rows)
    unit, whole = lifted(problem, rows)
    if "separator" in certificate:
        scores = check_separator(certificate, whole)
    zero = [i for i, score in enumerate(scores) if score == 0]
    if "obstruction" in certificate:
        check_obstruction(certificate, whole)
    if "cover" in certificate:
        check_cover(certificate, whole, zero)
    if certificate["claim"] == "margin-at-least":
        check_margin_at_least(certificate, scores, unit)
    if "combination" in certificate:
        check_margin_at_most(certificate, whole, unit)
    if "packing" in certificate:
        check_packing(certificate, whole)
    return in_words(certificate, len(zero), seen)


def lifted(problem: Document, rows: Sequence[Row]) -> tuple[int, list[Whole]]:
    """Return rows in whole numbers, and the number that they are multiplied by; lifted, the 1 of (x_i, 1) in the last place.

    With a kernel they are made of products of columns.
    """
    unit = 1
    for q in {ratio(value)[1] for _, entries in rows for _, value in entries}:
        unit = unit // math.gcd(unit, q) * q
    power = problem["kernel"]["degree"] if problem["kernel"] else 1
    last = [(width(problem), unit**power)] if has_constant(problem) else []

    def times_unit(value: Number) -> int:
        p, q = ratio(value)
        return p * (unit // q)

    whole = [(label, [(j, times_unit(value)) for j, value in entries]) for label, entries in rows]
    if problem["kernel"]:
        longest = max([unit, *(abs(number) for _, entries in whole for _, number in entries)])
        bits = longest.bit_length() * power
        if bits > MOST_BITS:
            refuse(f"The features of the kernel would have more than {MOST_BITS:,} bits.")
        if bits * width(problem) * len(rows) > MOST_BITS_IN_ALL:
            refuse(f"The features of the kernel would have more than {MOST_BITS_IN_ALL:,} bits in all.")
        places = products(problem)
        whole = [(label, products_of(dict(entries), places, power, unit)) for label, entries in whole]
    return unit**power, [(label, [*entries, *last]) for label, entries in whole]


def products(problem: Document) -> list[tuple[int, ...]]:
    """Return the columns that each feature of the kernel is the product of, but for the constant; the longest first."""
    kernel = problem["kernel"]
    sizes = range(kernel["degree"], 0 if kernel["coef0"] else kernel["degree"] - 1, -1)
    return [places for k in sizes for places in combinations_with_replacement(range(problem["dimension"]), k)]


def products_of(x: dict[int, int], places: Sequence[tuple[int, ...]], power: int, unit: int) -> list[tuple[int, int]]:
    """Multiply entries of a row, which are whole numbers over ``unit``; the products are over ``unit**power``."""
    found = []
    for k, columns in enumerate(places):
        value = unit ** (power - len(columns)) if all(j in x for j in columns) else 0
        for j in columns if value else ():
            value *= x[j]
        found += [(k, value)] if value else []
    return found


def product_weights(problem: Document) -> list[Fraction]:
    """Return the weight c_m of each product in the kernel, and last that of the constant, if there is one."""
    kernel = problem["kernel"]
    p, found = kernel["degree"], []
    for columns in products(problem):
        k, orders = len(columns), math.factorial(len(columns))  # in how many orders its columns can be multiplied
        for j in set(columns):
            orders //= math.factorial(columns.count(j))
        found.append(math.comb(p, k) * orders * kernel["gamma"] ** k * kernel["coef0"] ** (p - k))
    return found + [kernel["coef0"] ** p + problem["intercept"]] * has_constant(problem)


def width(problem: Document) -> int:
    """Return how many columns the rows of the claim have, without the constant."""
    kernel, d = problem["kernel"], problem["dimension"]
    if not kernel:
        return int(d)
    p = kernel["degree"]
    return math.comb(d + p, p) - 1 if kernel["coef0"] else math.comb(d + p - 1, p)


def has_constant(problem: Document) -> bool:
    """Whether rows have a last column of 1: an intercept, or the constant of a kernel."""
    return bool(problem["intercept"] or (problem["kernel"] and problem["kernel"]["coef0"]))


def ratio(value: Number) -> tuple[int, int]:
    """Return numerator and denominator of a number of a row, in lowest terms but for decimals."""
    if isinstance(value, tuple):
        mantissa, power = value
        return (mantissa * 10**power, 1) if power >= 0 else (mantissa, 10**-power)
    p, q = value.as_integer_ratio()
    return p, q


def loses(label: int, tie: str) -> bool:
    """Whether rows of this label are wrong if w goes through them: all, unless a score of 0 predicts their class."""
    return label != {"update": 0, "positive": 1, "negative": -1}[tie]


def check_separator(certificate: Document, rows: Sequence[Whole]) -> list[int]:
    """Check that z_i.w >= 0 for every row and > 0 for at least one, or unless quasi-separable, for all. Return the z_i.w.

    Under a tie rule all that matters are the rows of the loser.
    """
    w = [weight.numerator for weight in (*certificate["separator"]["weights"], certificate["separator"]["intercept"])]
    scores = [label * sum(w[j] * value for j, value in entries) for label, entries in rows]
    tie = certificate["problem"]["tie"]
    for i, score in enumerate(scores):
        if score < 0:
            refuse(f"The separator has row {i} on its wrong side.")
    if not any(scores) and (certificate["claim"] == "quasi-separable" or any(loses(label, tie) for label, _ in rows)):
        refuse("The separator goes through every row; at least one must be on its correct side.")
    if certificate["claim"] == "quasi-separable":
        return scores
    for i, score in enumerate(scores):
        if not score and loses(rows[i][0], tie):
            refuse(f"The separator goes through row {i}, which must be on its correct side.")
    return scores


def combination(part: Document, rows: Sequence[Whole]) -> dict[int, int]:
    """Add up the z_i of the rows that are listed, times their multipliers, each column for itself."""
    totals: dict[int, int] = defaultdict(int)
    for i, multiplier in zip(part["rows"], part["multipliers"]):
        factor = rows[i][0] * multiplier.numerator
        for j, value in rows[i][1]:
            totals[j] += factor * value
    return totals


def require_zero(what: str, totals: dict[int, int], problem: Document) -> None:
    """Refuse rows with multipliers that do not add up to 0."""
    for j, total in sorted(totals.items()):
        if total:
            refuse(f"{what}'s rows times their multipliers do not add up to 0 in {_column(j, problem)}.")


def require_points(certificate: Document, rows: Sequence[Row]) -> None:
    """Refuse an obstruction whose points and labels are not those of its rows."""
    obstruction, problem = certificate.get("obstruction", {}), certificate["problem"]
    for i, label, point in zip(*(obstruction.get(key, ()) for key in ("rows", "labels", "points"))):
        if label != rows[i][0]:
            refuse(f"The obstruction gives row {i} the label {label}, but in the data it is {rows[i][0]}.")
        entries = dict(rows[i][1])
        for j, number in enumerate(point):
            p, q = ratio(entries[j]) if j in entries else (0, 1)
            if number.numerator * q != p * number.denominator:
                shown = repr(p / q) if problem["numbers"] == "float64" else brief(str(Fraction(p, q)))[1:-1]
                name = f" ({_name(problem['columns'][j])})" if problem["columns"] else ""
                refuse(f"The obstruction's point of row {i} is not the data's in column {j}{name}, which is {shown}.")


def check_obstruction(certificate: Document, rows: Sequence[Whole]) -> None:
    """Check that the obstruction has a row of the loser, and that sum lambda_i z_i = 0."""
    obstruction, problem = certificate["obstruction"], certificate["problem"]
    if not any(loses(label, problem["tie"]) for label in obstruction["labels"]):
        refuse("The obstruction has no row of the class that a score of 0 does not predict: all of them may score 0.")
    require_zero("The obstruction", combination(obstruction, rows), problem)


def check_cover(certificate: Document, rows: Sequence[Whole], zero: Sequence[int]) -> None:
    """Check that sum mu_i z_i = 0 over the rows in ``zero``, where mu_i = rest for those that the cover does not list."""
    cover, others, totals = certificate["cover"], set(zero), combination(certificate["cover"], rows)
    for i in cover["rows"]:
        if i not in others:
            refuse(f"The cover lists row {i}, which the separator has on its correct side and does not go through.")
        others.remove(i)
    for j, total in combination({"rows": others, "multipliers": [1] * len(others)}, rows).items():
        totals[j] += cover["rest"].numerator * total  # once for all of them: it may be long
    require_zero("The cover", totals, certificate["problem"])


def check_margin_at_least(certificate: Document, scores: Sequence[int], unit: int) -> None:
    """Check that (z_i.w)^2 >= squared |w|^2 for every row, all z_i.w being > 0: for one with the least z_i.w."""
    separator, margin, least = certificate["separator"], certificate["margin"], min(scores)
    free = margin["kind"] == "geometric" and certificate["problem"]["intercept"]  # the intercept does not count
    w = [weight.numerator**2 for weight in (*separator["weights"], *([] if free else [separator["intercept"]]))]
    if certificate["problem"]["kernel"]:
        w = [number / c for number, c in zip(w, product_weights(certificate["problem"]))]
    length = sum(w)  # |w|^2
    if length == 0:
        refuse("The separator's weights are all 0: nothing has a distance from it.")
    if least * least < margin["squared"] * length * unit * unit:
        nearest = scores.index(least)
        refuse(f"The separator has row {nearest} on its correct side, but nearer than the margin that is claimed.")


def check_margin_at_most(certificate: Document, rows: Sequence[Whole], unit: int) -> None:
    """Check that ||v||^2 <= squared s^2, for s = sum lambda_i and v = sum lambda_i z_i; and geometric, v is 0 at its end."""
    problem, margin, v = certificate["problem"], certificate["margin"], combination(certificate["combination"], rows)
    s = sum(map(int, certificate["combination"]["multipliers"]))
    squares: dict[int, Any] = {j: total * total for j, total in v.items()}
    if margin["kind"] == "geometric" and problem["intercept"] and v[width(problem)]:
        refuse("The combination's multipliers do not add up to the same in either class.")
    if problem["kernel"]:
        weights = product_weights(problem)
        squares = {j: square * weights[j] for j, square in squares.items() if square}
    if sum(squares.values()) > margin["squared"] * (s * unit) ** 2:
        refuse("The combination's rows times their multipliers add up to more than the margin that is claimed.")


def check_packing(certificate: Document, rows: Sequence[Whole]) -> None:
    """Check each obstruction; then walk the tree, and check at each leaf that its hyperplanes err as much as is claimed."""
    errors, packing = certificate["errors"], certificate["packing"]  # whose nodes are one whole tree: see `_require_tree`
    group, cost, grain = groups(rows), [0] * len(rows), 0  # a group goes by its first row
    costs, unit = in_units(errors["costs"] or [Fraction(1)] * len(rows), "errors.costs")
    for g, own in zip(group, costs):
        cost[g] += own
        grain = math.gcd(grain, own)
    for k, obstruction in enumerate(packing["obstructions"]):
        require_zero(f"Obstruction {k} of the packing", combination(obstruction, rows), certificate["problem"])
    held = [{group[i] for i in obstruction["rows"]} for obstruction in packing["obstructions"]]  # groups of each
    kept: dict[int, bool] = {}  # the groups split between the root and this node, in order; False: given up
    given_up = 0  # the cost of those
    for k, node in enumerate(packing["nodes"]):
        where = f"packing.nodes[{k}]"
        if "row" in node:
            g = group[node["row"]]
            if g in kept:
                refuse(f"{where} splits on row {node['row']}, but that or its equal is kept or given up already.")
            kept[g] = True
            continue
        weights, own = in_units(node["weights"], f"{where}.weights")
        load: dict[int, int] = defaultdict(int)
        for obstruction, weight in zip(node["obstructions"], weights):
            for g in held[obstruction]:
                load[g] += weight
        for g, total in load.items():
            if not kept.get(g, True):
                refuse(f"{where} has an obstruction that holds row {g} or its equal, which is given up there.")
            if g not in kept and total * unit > cost[g] * own:
                refuse(f"{where} has obstructions that hold row {g} or its equal, of more weight than its cost.")
        bound = given_up + Fraction(sum(weights) * unit, own)  # each sum of costs is a multiple of their grain
        if (math.ceil(bound / grain) * grain if grain else bound) < errors["least"] * unit:
            refuse(f"{where} proves fewer errors than are claimed.")
        while kept:  # go back to the last split of which one way is left, and take it
            g, first_way = kept.popitem()
            given_up += cost[g] if first_way else -cost[g]
            if first_way:
                kept[g] = False
                break


def groups(rows: Sequence[Whole]) -> list[int]:
    """Return for each row the first one that is equal to it, in label and point."""
    contents, first = [(label, *entries) for label, entries in rows], list(range(len(rows)))
    order = sorted(first, key=contents.__getitem__)  # unlike with a dict, no choice of rows makes this slow
    for i, k in zip(order, order[1:]):
        if contents[i] == contents[k]:
            first[k] = first[i]
    return first


def in_units(numbers: Sequence[Fraction], where: str) -> tuple[list[int], int]:
    """Write numbers with their least common denominator: return the numerators, and the denominator."""
    unit = 1
    for number in numbers:
        unit = unit // math.gcd(unit, number.denominator) * number.denominator
        if unit > MOST_DENOMINATOR:  # adding up many such numbers would take for ever
            refuse(f"{where} must have a common denominator of at most 2,000 digits.")
    return [number.numerator * (unit // number.denominator) for number in numbers], unit


def require_same_data(problem: Document, rows: Sequence[Row]) -> None:
    """Refuse rows that are not those of the certificate."""
    if len(rows) != problem["rows"]:
        refuse(f"The certificate is about {problem['rows']} rows, but the data has {len(rows)}.")
    for i, (label, entries) in enumerate(rows):
        last = -1
        for j, value in entries:
            if not (j > last and is_number(value, problem["numbers"])):
                what = {"float64": "finite non-zero floats", "decimal": "decimals", "rational": "fractions"}[
                    problem["numbers"]
                ]
                raise DataError(f"The entries of row {i} are not {what} in the order of their columns.")
            last = j
        if type(label) is not int or label not in (-1, 1):
            raise DataError(f"The label of row {i} is not the integer -1 or 1.")
        if last >= problem["dimension"]:
            refuse(f"The certificate is about {problem['dimension']} columns, but row {i} has an entry in column {last}.")
    if digest(rows, problem["numbers"]) != problem["digest"]:
        refuse("The data is not the data of the certificate: their digests differ.")


def is_number(value: Any, numbers: str) -> bool:
    """Whether a value is a number other than 0 of the kind that a certificate is about, in its one form."""
    if numbers == "float64":
        return isinstance(value, float) and value != 0.0 and math.isfinite(value)
    if numbers == "rational":
        return isinstance(value, Fraction) and value != 0
    return isinstance(value, tuple) and len(value) == 2 and all(type(part) is int for part in value) and value[0] % 10 != 0


def digest(rows: Iterable[Row], numbers: str = "float64") -> str:
    """Return the fingerprint of the data: of float64 in bytes, of decimals and fractions as text."""
    sha256, entry = hashlib.sha256(), struct.Struct("<Id")
    if numbers != "float64":
        for label, entries in rows:
            words = (f" {j}:{value[0]}e{value[1]}" if numbers == "decimal" else f" {j}:{value}" for j, value in entries)
            sha256.update(f"{'+' if label == 1 else '-'}{''.join(words)}\n".encode())
        return "sha256:" + sha256.hexdigest()
    for label, entries in rows:
        sha256.update(b"\x01" if label == 1 else b"\xff")
        sha256.update(b"".join(entry.pack(j, value) for j, value in entries))
        sha256.update(b"\xff\xff\xff\xff")
    return "sha256:" + sha256.hexdigest()


# ---- The form of documents. Its limits are there lest a hostile one take for ever.

MOST_BYTES = 256 * 2**20  # of a document
MOST_ROWS, MOST_COLUMNS = 2**63 - 1, 2**32 - 2  # the digest writes a column as uint32, and 2**32 - 1 ends a row there
MOST_GAPS, MOST_GAP_BYTES = 1_000, 100_000  # texts that are gaps, and characters in each of them; their bytes in UTF-8
MOST_USES = 10**8  # rows in the obstructions of all leaves, as often as leaves use them
MOST_DENOMINATOR = 10**2000 - 1  # of costs, and of the weights of a leaf, when written with a common one
MOST_LINE = 2**28  # characters of a line of a table
MOST_SKIPPED = 10**6  # lines before the table
MOST_DEGREE, MOST_PRODUCTS = 1_000, 10_000  # of a kernel; its features, which are products of columns
MOST_FACTORS = 3 * 10**7  # multiplied for the features of all rows
MOST_BITS, MOST_BITS_IN_ALL = 20_000, 10**9  # of a feature, or of a weight of the kernel; of all features
MOST_DIGITS = 2_000  # of a decimal, with all its zeros
SURROGATE = re.compile("[\ud800-\udfff]")
TEXTS = {  # of each kind: its pattern, where N is a number from 1 up, of so many digits at most; so many; and what it is
    "text": ("(?s).*", 0, "a string"),
    "gap": (f"(?s).{{0,{MOST_GAPS}}}", 0, f"a string of at most {MOST_GAPS:,} characters"),
    "place": ("[1-9][0-9]{0,9}", 0, 'a place such as "3", as the table has no header'),
    "digest": ("sha256:[0-9a-f]{64}", 0, "'sha256:' and 64 hexadecimal digits in lower case"),
    "whole": ("0|-?N", 50_000, 'a string such as "0" or "-12", a whole number'),
    "positive": ("N", 50_000, 'a string such as "12", a positive whole number'),
    "rational": ("(0|-?N)(/N)?", 400, 'a string such as "2" or "-3/4", a rational number'),  # float64 needs 324 digits
    "square": ("(0|N)(/N)?", 50_000, 'a string such as "2" or "3/4", a rational number from 0 up'),
    "cost": ("(0|N)(/N)?", 400, 'a string such as "0" or "3/4", a rational number from 0 up'),
    "weight": ("N(/N)?", 2_000, 'a string such as "1" or "3/4", a positive rational number'),
}
PATTERNS = {kind: re.compile(text.replace("N", f"[1-9][0-9]{{0,{most - 1}}}")) for kind, (text, most, _) in TEXTS.items()}

# The form of a value is a key of TEXTS, a range of integers, or a tuple of choices; None stands for anything. A dict is that
# of an object; a list is that of a list: the form of its entries, and how many there are, or a list beside it of as many. A
# function is given the value, and the object that it is in, as far as that is read; it returns the form.
KERNEL = {"degree": range(1, MOST_DEGREE + 1), "gamma": "weight", "coef0": "cost"}
PROBLEM = {
    "rows": range(1, MOST_ROWS + 1), "dimension": range(1, MOST_COLUMNS + 1), "intercept": (True, False),
    "tie": ("update", "positive", "negative"), "numbers": ("float64", "decimal", "rational"),
    "classes": lambda value, _: None if value is None else [lambda name, _: "text" if isinstance(name, str) else None, 2],
    "columns": None, "table": None, "digest": "digest",
}  # fmt: skip
LIBSVM = {"format": ("libsvm",), "base": range(2)}
CSV = {
    "format": ("csv", "libsvm"), "header": (True, False), "label": lambda _, table: "text" if table["header"] else "place",
    "separator": (",", ";", "\t", "|", " ", ":", None), "encoding": ("utf-8", "utf-16", "latin-1", "cp1252"),
    "gaps": ["gap", "distinct"], "missing": ("refuse", "drop-rows", "indicator"), "skipped": range(MOST_SKIPPED + 1),
    "comment": ("#", "%", "//", "--", None), "decimal": (".", ","), "thousands": (",", ".", " ", "'", "_", None),
}  # fmt: skip
# What the first version of the format means, which could not say it.
NEW: Document = {"skipped": 0, "comment": None, "decimal": ".", "thousands": None}
SOURCE = {"files": ["text", "any"], "library": "text"}


def sections(n: int, d: int, m: int) -> Document:
    """Return the forms of what claims carry, about n rows of d columns, which make m features."""
    rows, each = [range(n), "distinct, some"], ["positive", "rows"]
    combination = {"rows": rows, "multipliers": each}

    def nodes(_: Any, packing: Document) -> Any:
        leaf = {"obstructions": [range(len(packing["obstructions"])), "distinct"], "weights": ["weight", "obstructions"]}
        return [lambda node, _: {"row": range(n)} if isinstance(node, dict) and "row" in node else leaf, "any"]

    return {
        "separator": {"weights": ["whole", m], "intercept": "whole"},
        "obstruction": {"rows": rows, "labels": [(-1, 1), "rows"], "points": [["rational", d], "rows"], "multipliers": each},
        "cover": {"rows": [range(n), "distinct"], "multipliers": each, "rest": "positive"},
        "margin": {"kind": KINDS, "squared": "square"},
        "combination": combination,
        "errors": {"least": "square", "costs": lambda costs, _: None if costs is None else ["cost", n]},
        "packing": {"obstructions": [combination, "any"], "nodes": nodes},
    }


def read(value: Any, form: Any, where: str, beside: Any = ()) -> Any:
    """Return a value with a `Fraction` for each number in a string; refuse it if it has not the form."""
    form = form(value, beside) if callable(form) else form
    if isinstance(form, range):
        if type(value) is int and value in form:
            return value
        what = f"an integer from {form.start} to {form.stop - 1}"
    elif isinstance(form, str):
        pattern, most, what = TEXTS[form]
        if isinstance(value, str) and PATTERNS[form].fullmatch(value):
            if not most and SURROGATE.search(value):
                refuse(f"{where} must be text, but {brief(value)} holds half of a surrogate pair, which no text does.")
            return Fraction(*map(_integer, value.split("/"))) if most else value
        what += f" of at most {most:,} digits" * bool(most) + " in each part" * ("/" in pattern)
    elif isinstance(form, tuple):
        if any(type(value) is type(choice) and value == choice for choice in form):
            return value
        what = " or ".join(map(json.dumps, form)) if len(form) == 2 else f"one of {json.dumps(form)[1:-1]}"
    elif isinstance(form, list):
        what = "a list"
        if isinstance(value, list):
            entry, many = form
            length = len(beside[many]) if many in beside else many
            if isinstance(length, int) and len(value) != length:
                refuse(f"{where} must have {length} entries, not {len(value)}.")
            if many == "distinct, some" and not value:
                refuse(f"{where} is empty: nothing follows from no rows.")
            entries = [read(item, entry, f"{where}[{k}]") for k, item in enumerate(value)]
            twice = first_repeated(entries) if many in ("distinct", "distinct, some") else None
            if twice is not None:
                refuse(f"{where} has {brief(twice)} twice.")
            return entries
    elif isinstance(form, dict):
        found: Document = {}
        what = "an object"
        if isinstance(value, dict):
            for key in (*form, *value):
                if key not in value:
                    refuse(f"{where} lacks the key {key!r}.")
                if key not in form:
                    refuse(f"{where} must not have the key {brief(key)}.")
            for key in form:
                found[key] = read(value[key], form[key], f"{where}.{key}", found)
            return found
    else:
        return value
    refuse(f"{where} must be {what}, not {brief(value)}.")


def _integer(text: str) -> int:
    """Convert long numbers by halves: Python converts at most 4,300 digits in one go, and in quadratic time."""
    low = len(text) // 2
    if low <= 300:
        return int(text)
    high = _integer(text[:-low]) * 10**low
    return high - _integer(text[-low:]) if text.startswith("-") else high + _integer(text[-low:])


def first_repeated(values: list[Any]) -> Any:
    """Compare neighbours in sorted order: unlike with a set, no choice of values makes this slow."""
    ordered = sorted(values)
    return next((a for a, b in zip(ordered, ordered[1:]) if a == b), None)


def parse(text: bytes | str) -> Document:
    """Read a JSON document and `validate` it."""

    def object_of(pairs: list[tuple[str, Any]]) -> Document:
        twice = first_repeated([key for key, _ in pairs])
        if twice is not None:
            refuse(f"An object of the document has {brief(twice)} twice.")
        return dict(pairs)

    def integer_of(text: str) -> int:
        if len(text) > 20 or not text.lstrip("-").isdigit():
            rule = "outside of strings, only integers of at most 20 digits may be"
            refuse(f"The document holds the number {brief(text)}: {rule}.")
        return int(text)

    if len(text) > MOST_BYTES:
        refuse(f"The document is longer than {MOST_BYTES} bytes.")
    numbers: Document = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), integer_of)
    try:
        text = text if isinstance(text, str) else text.decode("utf-8")
        document = json.loads(text, object_pairs_hook=object_of, **numbers)
    except UnicodeDecodeError as error:
        refuse(f"The document is not UTF-8: byte {error.start} is wrong.")
    except json.JSONDecodeError as error:
        refuse(f"The document is not JSON: {error}.")
    except RecursionError:
        refuse("The document is nested too deeply for a certificate.")
    return validate(document)


def validate(document: Any) -> Document:
    """Check the form of a document, all that needs no data. Return it with a `Fraction` for each number in a string."""
    if not isinstance(document, dict):
        refuse("The document must be an object.")
    if document.get("format") not in FORMATS:
        refuse(f"The format is {brief(document.get('format'))}, but this checker knows {' and '.join(FORMATS)} only.")
    first = document["format"] == FORMATS[0]
    claim = read(document.get("claim"), tuple(CARRIES), "The claim")
    parts = ("format", "claim", "problem", *CARRIES[claim], *(() if first or "source" not in document else ("source",)))
    read(document, dict.fromkeys(parts), f"A certificate of the claim {claim!r}")
    if "source" in parts:
        read(document["source"], SOURCE, "source")
    old = {"tie": "update", "numbers": "float64"} if first else {}
    form = {key: PROBLEM[key] for key in PROBLEM if key not in old}
    if not first and isinstance(document["problem"], dict) and "kernel" in document["problem"]:
        form["kernel"] = KERNEL
    problem = {"kernel": None, **read(document["problem"], form, "problem"), **old}
    if problem["kernel"]:
        _require_short(problem)
    if problem["tie"] != "update" and (has_constant(problem) or claim not in SEPARATIONS):
        refuse(f'problem.tie must be "update" with an intercept, and for the claim {claim!r}.')
    if problem["numbers"] == "rational" and problem["table"] is not None:
        refuse('problem.table must be null, as problem.numbers is "rational": no text holds such numbers.')
    negative, positive = problem["classes"] or (-1, 1)
    if type(positive) not in (str, int, bool) or (negative is not None and type(negative) is not type(positive)):
        refuse("problem.classes must be two strings, two integers or two booleans; the first may be null instead.")
    if not all(-(10**19) < name < 10**20 for name in (negative, positive) if isinstance(name, int)):
        refuse("problem.classes must be integers of at most 20 characters, and one of them has more.")
    if negative == positive:
        refuse(f"problem.classes must differ, but both are {brief(positive)}.")
    problem["table"] = require_table(problem["table"], first=first)
    require_columns(problem["columns"], problem["dimension"], problem["table"] or {})
    forms = sections(problem["rows"], problem["dimension"], width(problem))
    found = {name: read(document[name], forms[name], name) for name in CARRIES[claim]}
    if not has_constant(problem) and "separator" in found and found["separator"]["intercept"]:
        refuse("separator.intercept must be 0, as the problem has no intercept.")
    if "packing" in found:
        in_units(found["errors"]["costs"] or (), "errors.costs")
        _require_tree(found["packing"])
    return {"format": FORMATS[-1], "claim": claim, "problem": problem, **found}


def require_table(table: Any, root: str = "problem.", first: bool = False) -> Any:
    """Check the description of a table, as the first version has it or the second. Return it as the second has it.

    Messages name it with what it is a part of, ``root``.
    """
    if isinstance(table, dict) and table.get("format") == "libsvm":
        return read(table, LIBSVM, f"{root}table")
    if table is None:
        return None
    found = read(table, {key: CSV[key] for key in CSV if not first or key not in NEW}, f"{root}table")
    require_gaps(table["gaps"], f"{root}table.gaps")
    found = {**NEW, **found} if first else found
    marks = [found[key] for key in ("decimal", "thousands") if found[key] is not None]
    if len(set(marks)) < len(marks):
        refuse(f"{root}table.decimal and thousands must differ.")
    return found


def require_gaps(gaps: Any, where: str = "problem.table.gaps") -> None:
    """Check the texts that are gaps."""
    size = sum(len(text.encode("utf-8")) for text in read(gaps, CSV["gaps"], where))
    if len(gaps) > MOST_GAPS or size > MOST_GAP_BYTES:
        limits = f"at most {MOST_GAPS:,} texts and at most {MOST_GAP_BYTES:,} bytes in UTF-8"
        refuse(f"{where} must have {limits}, not {len(gaps):,} and {size:,}.")


def require_columns(columns: Any, dimension: int, table: Document, root: str = "problem.") -> None:
    """Check the description of columns; messages name it with what it is a part of, ``root``."""
    if columns is None:
        return
    if table.get("format") == "libsvm":
        refuse(f"{root}columns must be null, as the columns of LIBSVM text have no names.")
    name, gaps = "text" if table.get("header", True) else "place", set(table.get("gaps", ()))
    for j, column in enumerate(read(columns, [None, dimension], f"{root}columns")):
        where, keys = f"{root}columns[{j}]", column if isinstance(column, dict) else ()
        asked = {"category": "text"} if "category" in keys else {"gap": None} if "gap" in keys else {}
        read(column, {"source": name, **asked}, where)
        if column["source"] == table.get("label"):
            refuse(f"{where}.source must not be {brief(column['source'])}, the label.")
        if column.get("category") in gaps:
            refuse(f"{where}.category must not be {brief(column['category'])}, which is one of {root}table.gaps.")
        if "gap" in column and (column["gap"] is not True or table.get("missing") != "indicator"):
            refuse(f'{where}.gap must be true, and may be there only if {root}table.missing is "indicator".')
    sources(columns)


def sources(columns: Sequence[Document]) -> dict[str, dict[str | bool | None, int]]:
    """Return for each source its columns, by what they ask of a cell: its number (None), if it is a gap (True) or a text."""
    found: dict[str, dict[str | bool | None, int]] = {}
    for j, column in enumerate(columns):
        asked, question = found.setdefault(column["source"], {}), column.get("category", column.get("gap"))
        if question in asked:
            refuse(f"problem.columns has {_name(column)} twice.")
        asked[question] = j
        if None in asked and len(asked) > 1 + (True in asked):
            refuse(f"problem.columns has {brief(column['source'])} both as a number and with categories.")
    return found


def _require_short(problem: Document) -> None:
    """See that the features of a kernel, and their weights, take not for ever."""
    kernel = problem["kernel"]
    if problem["dimension"] > MOST_PRODUCTS or width(problem) > MOST_PRODUCTS:
        refuse(f"problem.kernel must have at most {MOST_PRODUCTS:,} features, products of columns.")
    if problem["rows"] * width(problem) * kernel["degree"] > MOST_FACTORS:
        refuse(f"problem.kernel takes more than {MOST_FACTORS:,} multiplications: there are too many rows, or features.")
    parts = (*kernel["gamma"].as_integer_ratio(), *kernel["coef0"].as_integer_ratio())
    if sum(part.bit_length() for part in parts) * kernel["degree"] > MOST_BITS:
        refuse(f"problem.kernel has weights of more than {MOST_BITS:,} bits.")


def _require_tree(packing: Document) -> None:
    """See that nodes in preorder are a whole tree, and that its leaves take not for ever."""
    missing, uses = 1, 0  # subtrees that must follow
    for k, node in enumerate(packing["nodes"]):
        if not missing:
            refuse(f"packing.nodes[{k}] is one too many: the tree is whole without it.")
        missing += 1 if "row" in node else -1
        in_units(node.get("weights", ()), f"packing.nodes[{k}].weights")
        uses += sum(len(packing["obstructions"][o]["rows"]) for o in node.get("obstructions", ()))
        if uses > MOST_USES:
            refuse(f"The obstructions of the leaves up to packing.nodes[{k}] hold more than {MOST_USES:,} rows in all.")
    if missing:
        refuse(f"packing.nodes ends before the tree is whole: {_counted(missing, 'subtree')} missing.")


# ---- The table: its rows, as the certificate says that they come from it.

CELL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
WORD = re.compile(r"[^ \t\r\n]+")
ENTRY = re.compile(rf"([0-9]{{1,18}}):({CELL.pattern})")
INTEGER = re.compile(r"([+-]?(?:0|[1-9][0-9]{0,19}))(?:\.0*)?")
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # a NUL, or what stands for a byte that cannot be decoded
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
PLAIN: Document = {
    "format": "csv",
    "header": True,
    "separator": ",",
    "encoding": "utf-8",
    "gaps": [],
    "missing": "refuse",
    **NEW,
}


READABLE = {"float64": "a number that float64 can hold", "decimal": f"a decimal of at most {MOST_DIGITS:,} digits"}
READABLE["rational"] = "a fraction, which no text is"


@dataclass
class Seen:
    """What was seen of the files that rows come from, and is not in the rows."""

    label: str | None = None  # the column that holds the labels
    columns: tuple[str, ...] | None = None  # the names of all others; None if they have no names
    rows: int = 0  # how many there are, those left out included
    gaps: int = 0  # cells of the label and the sources that are gaps
    rows_with_gaps: int = 0
    untold: int = 0  # gaps in sources of which no column says where they have gaps
    unlisted: int = 0  # cells with a text in sources of categories that have no column for it


class Rows(List[Row]):
    """Rows of files, and what was seen of these."""

    seen: Seen


def read_rows(paths: Sequence[str | os.PathLike[str]], certificate: Document, label: str | None = None) -> Rows:
    """Read the rows that a certificate is about. If it knows of no table, the column of the labels must be given."""
    problem, files, rows = certificate["problem"], [os.fspath(path) for path in paths], Rows()
    table, rows.seen = problem["table"] or {**PLAIN, "label": label}, Seen()
    if table["format"] == "libsvm":
        if label is not None:
            raise DataError(f"There is no column {brief(label)}: in LIBSVM text, the label is what a line begins with.")
        rows.extend(row for path in files for row in _libsvm_rows(path, problem))
        rows.seen.rows = len(rows)
        return rows
    if table["label"] is None:
        raise DataError("The certificate does not say which column holds the labels: name it with --label.")
    if label not in (None, table["label"]):
        refuse(f"The certificate has the labels in column {brief(table['label'])}, not in {brief(label)}.")
    limit = csv.field_size_limit(2**31 - 1)  # cells may be of any length
    try:
        rows.extend(_csv_rows(files, problem, table, rows.seen))
    finally:
        csv.field_size_limit(limit)
    return rows


def _csv_rows(paths: Sequence[str], problem: Document, table: Document, seen: Seen) -> Iterator[Row]:
    columns, label, gaps, header = problem["columns"] or (), table["label"], set(table["gaps"]), None
    wanted: Document = sources(columns)
    words = {*(column["category"] for column in columns if "category" in column), *(problem["classes"] or ())}
    for path in paths:
        records = _records(path, table)
        names = next(records)[1]
        header = header or names
        if sorted(names) != sorted(header):
            raise DataError(f"{path} has other columns than {paths[0]}.")
        seen.label, seen.columns = label, tuple(name for name in header if name != label)
        wanted = wanted or {name: {None: j} for j, name in enumerate(seen.columns)}
        _require_names(path, names, wanted, problem, label)
        for line, cells in records:
            where, cell = f"{path}, line {line}", dict(zip(names, cells))
            if len(cells) != len(names):
                raise DataError(f"{where}: {_counted(len(cells), 'value')} for {_counted(len(names), 'column')}.")
            missing = [name for name in (label, *wanted) if is_gap(cell[name], gaps, words)]
            seen.rows += 1
            seen.gaps += len(missing)
            seen.rows_with_gaps += bool(missing)
            if missing and (table["missing"] == "refuse" or (table["missing"] == "indicator" and missing[0] == label)):
                gap = f"{where}, column {brief(missing[0])}: {brief(cell[missing[0]])}"
                refuse(f"{gap} is a gap, which the certificate does not allow there.")
            if missing and table["missing"] == "drop-rows":
                continue
            sign = sign_of(cell[label], problem["classes"])
            if not sign:
                refuse(f"{where}, column {brief(label)}: the label {brief(cell[label])} is no class of the certificate.")
            yield sign, _entries(where, cell, set(missing), wanted, seen, problem["numbers"], table)


def _require_names(path: str, header: list[str], wanted: Collection[str], problem: Document, label: str) -> None:
    """Refuse a file that does not have the columns of the certificate, or not each of them once."""
    nameless = "" in (label, *wanted) or problem["columns"] is None  # else columns without a name do not matter
    twice = first_repeated([name for name in header if name or nameless])
    if twice is not None:
        raise DataError(f"{path} has two columns {f'named {brief(twice)}' if twice else 'without a name'}.")
    if label not in header:
        reason = f"{path} has no column {brief(label)} for the label."
        raise DataError(reason) if problem["table"] is None else InvalidCertificate(reason)
    d, names = problem["dimension"], set(header) - {label}
    if problem["columns"] is None and len(names) != d:
        refuse(f"The certificate is about {d} columns, but {path} has {len(names)} besides the label.")
    for name in wanted:
        if name not in names:
            refuse(f"The certificate is about a column {brief(name)}, but {path} has none of that name besides the label.")


def _entries(
    where: str, cell: dict[str, str], missing: set[str], wanted: Document, seen: Seen, numbers: str, table: Document
) -> list[tuple[int, Number]]:
    """Return the entries of a point from the cells of its sources, some of which are missing."""
    entries = []
    for name, asked in wanted.items():
        j, value = asked.get(None), 1.0 if numbers == "float64" else (1, 0)
        if name in missing:
            j = asked.get(True)
            seen.untold += j is None
        elif j is None:
            j = asked.get(cell[name])
            seen.unlisted += j is None and len(asked) > (True in asked)
        else:
            value = value_in(number_text(cell[name], table), numbers)
            if value is None:
                raise DataError(f"{where}, column {brief(name)}: {brief(cell[name])} is not {READABLE[numbers]}.")
        if j is not None and value not in (0.0, (0, 0)):
            entries.append((j, value))
    return sorted(entries)


def _libsvm_rows(path: str, problem: Document) -> Iterator[Row]:
    base, end = problem["table"]["base"], problem["table"]["base"] + problem["dimension"]
    for line, text in enumerate(_lines(path, "utf-8"), 1):
        where, words = f"{path}, line {line}", WORD.findall(text.partition("#")[0])
        if not words:
            continue
        if ":" in words[0]:
            raise DataError(f"{where}: {brief(words[0])} is where the label should be.")
        ranked = words[1:] and words[1].startswith("qid:") and CELL.fullmatch(words[1][4:])
        entries, last = [], -1
        for word in words[2 if ranked else 1 :]:
            entry = ENTRY.fullmatch(word)
            index, value = (int(entry[1]), value_in(entry[2], problem["numbers"])) if entry else (0, None)
            if value is None:
                what = READABLE[problem["numbers"]]
                raise DataError(f"{where}: {brief(word)} is not an index, a colon and {what}.")
            if index <= last:
                raise DataError(f"{where}: the index {index} follows {last}.")
            if not base <= index < end:
                refuse(f"{where}: the index {index} is not from {base} to {end - 1}, the columns of the certificate.")
            last = index
            if value not in (0.0, (0, 0)):
                entries.append((index - base, value))
        label = whole_number(words[0])
        if label is None:
            raise DataError(f"{where}: the label {brief(words[0])} is not a whole number in the range of float64.")
        sign = sign_of(str(label), problem["classes"])
        if not sign:
            refuse(f"{where}: the label {brief(words[0])} is no class of the certificate.")
        yield sign, entries


def sign_of(cell: str, classes: Sequence[Any] | None) -> int:
    """Return the label that a cell stands for, 0 if none."""
    negative, positive = classes or (-1, 1)
    name: Any = cell
    if isinstance(positive, bool):
        name = {"true": True, "1": True, "false": False, "0": False}.get(cell.lower())
    elif isinstance(positive, int):
        match = INTEGER.fullmatch(cell)
        name = int(match[1]) if match else None
    return 1 if name == positive else -1 if negative in (None, name) else 0


def whole_number(word: str) -> int | None:
    """Return the whole number that a label of LIBSVM text is, exactly, however it is written; None if it is none."""
    if not CELL.fullmatch(word) or math.isinf(float(word)):  # lest a short text make a number without end
        return None
    mantissa, power = decimal_in(word)
    return None if power < 0 else mantissa * 10**power


def decimal_in(text: str) -> tuple[int, int]:
    """Return the number that a text is as m and e, for m times 10**e, where m is not a multiple of 10; 0 and 0 for 0."""
    number, _, power = text.lower().partition("e")
    whole, _, fraction = number.lstrip("+-").partition(".")
    digits = (whole + fraction).lstrip("0")
    kept = digits.rstrip("0")
    size = int(power.lstrip("+-").lstrip("0")[:20] or "0")  # more digits make no difference, as no text is that long
    zeros = len(digits) - len(kept) - len(fraction) + (-size if power.startswith("-") else size)
    if not kept:
        return 0, 0
    return (-_integer(kept) if number.startswith("-") else _integer(kept)), zeros


def is_gap(cell: str, gaps: Collection[str], words: Collection[str] = ()) -> bool:
    """Whether a cell is one of the texts that are gaps; blanks around it do not count, unless it is one of the words."""
    return cell in gaps or (cell.strip(" \t") in gaps and cell not in words)


def number_in(cell: str, table: Document = NEW) -> float:
    """Return the number that a cell holds, 1 for true and 0 for false; nan if it holds none, infinity if it is too large."""
    text = number_text(cell, table)
    return float(text) if CELL.fullmatch(text) else math.nan


def number_text(cell: str, table: Document = NEW) -> str:
    """Return a cell without the blanks around it, 1 for true and 0 for false; a number with a point and no other marks."""
    text, mark, thousands = cell.strip(" \t"), table["decimal"], table["thousands"]
    if (mark, thousands) != (".", None):
        groups = rf"[+-]?[0-9]{{1,3}}(?:{re.escape(thousands)}[0-9]{{3}})+|" if thousands else ""
        pattern = rf"({groups}[+-]?[0-9]*)((?:{re.escape(mark)}[0-9]*)?(?:[eE][+-]?[0-9]+)?)"
        parts = re.fullmatch(pattern, text)
        if parts is None:  # not a number, be it one elsewhere
            return {"true": "1", "false": "0"}.get(text.lower(), "?" + text)
        text = (parts[1].replace(thousands, "") if thousands else parts[1]) + parts[2].replace(mark, ".")
    return {"true": "1", "false": "0"}.get(text.lower(), text)


def value_in(text: str, numbers: str) -> Number:
    """Return the number that a text is, as a float or as a decimal; None if it is none, or too large."""
    if not CELL.fullmatch(text):
        return None
    if numbers == "float64":
        return float(text) if math.isfinite(float(text)) else None
    if numbers == "rational":
        return None
    mantissa, power = decimal_in(text)
    return (mantissa, power) if abs(mantissa) < 10**MOST_DIGITS and abs(power) <= MOST_DIGITS else None


def _records(path: str, table: Document) -> Iterator[tuple[int, list[str]]]:
    """Yield the names of the columns, or their places, then the cells of each line that is not empty; with its number."""
    lines, empty = _table_lines(path, table), True
    reader = csv.reader(lines, delimiter=table["separator"] or ",", strict=True)
    words = ((k, WORD.findall(text)) for k, text in enumerate(lines, 1))
    try:
        for line, cells in words if table["separator"] is None else ((reader.line_num, cells) for cells in reader):
            if cells and empty and not table["header"]:
                yield 0, [str(k + 1) for k in range(len(cells))]
            if cells:
                yield line, cells
                empty = False
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: this is not CSV: {error}.") from None
    if empty:
        raise DataError(f"{path} is empty.")


def _table_lines(path: str, table: Document) -> Iterator[str]:
    """Yield the lines of a table; empty ones, which do not count, in place of those skipped and of comments."""
    for k, text in enumerate(_lines(path, table["encoding"])):
        comment = table["comment"] is not None and text.startswith(table["comment"])
        yield "\n" if comment or k < table["skipped"] else text


def _lines(path: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a file, which may be compressed, each with its end."""
    line = 0
    try:
        module = importlib.import_module(COMPRESSED.get(os.path.splitext(path)[1].lower(), "io"))
        codec = "utf-8-sig" if encoding == "utf-8" else encoding  # with or without a byte order mark
        with module.open(path, "rt", encoding=codec, errors="surrogateescape", newline="") as file:
            for line, text in enumerate(iter(lambda: file.readline(MOST_LINE), ""), 1):
                if len(text) == MOST_LINE:  # as of a device, or of a small file that unfolds without an end
                    raise DataError(f"{path}, line {line}: this has {MOST_LINE:,} characters or more, too many for a line.")
                if NO_TEXT.search(text):
                    raise DataError(f"{path}, line {line}: this is not text in {encoding}.")
                yield text
    except (DataError, MemoryError):
        raise
    except Exception as error:  # each kind of compression has errors of its own
        where = f"{path}, after line {line}," if line else path
        raise DataError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


# ---- The sentence: what is proved, and of what.

FEW = 8  # columns that are named
LONG = 200  # characters of a name that are shown
USUAL_GAPS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
SEPARATED = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "single spaces", ":": "colons", None: "blanks"}
PROVED = {
    "separable": "the classes are separable: the given hyperplane has every row on its correct side{but}",
    "not-separable": "the classes are not separable: no hyperplane has every row on its correct side",
    "quasi-separable": "the classes are quasi-separable: the given hyperplane has {others} on its correct side, and any "
    "with no row on its wrong side goes through the other {zero}",
    "overlapping": "the classes overlap: any hyperplane with no row on its wrong side goes through all rows",
    "margin-at-least": "{margin} at least {root}: the given hyperplane has every row that far on its correct side",
    "margin-at-most": "{margin} at most {root}: no hyperplane has every row farther than that on its correct side",
    "errors-at-least": "every hyperplane has {rows} on its wrong side or goes through {them}",
}


def in_words(certificate: Document, zero: int, seen: Seen | None = None) -> str:
    """Say what a valid certificate proves; ``zero`` is how many rows the separator of a quasi-separable one goes through."""
    words = {"zero": _counted(zero, "row"), "others": _counted(certificate["problem"]["rows"] - zero, "row"), "but": ""}
    if zero:
        words["but"] = f", or goes through it where a score of 0 is right, which it does for {words['zero']}"
    claim, margin, errors = certificate["claim"], certificate.get("margin"), certificate.get("errors")
    if margin:
        words.update(margin=f"the margin ({margin['kind']}) is", root=root(margin["squared"], up=claim == "margin-at-most"))
    if errors:
        least, costs = errors["least"], errors["costs"]
        number = root(least * least, up=False)
        if max(least.as_integer_ratio()) < 10**12:
            number = f"{least.numerator:,}" if least.denominator == 1 else str(least)
        words["rows"], words["them"] = f"at least {number} row" + "s" * (least != 1), "it" if least == 1 else "them"
        if costs is not None:
            words.update(rows=f"rows of a total cost of at least {number} (in the costs of the certificate)", them="them")
    return f"Proved for {subject_in_words(certificate['problem'], seen)}: {PROVED[claim].format(**words)}."


def root(squared: Fraction, up: bool) -> str:
    """Write a square root in some twelve digits, rounded down or up."""
    p, q = squared.as_integer_ratio()
    places = 12 - int((p.bit_length() - q.bit_length()) * math.log10(2) / 2)
    p, q = p * 100 ** max(places, 0), q * 100 ** max(-places, 0)
    number = math.isqrt(p // q)
    number += up and number * number * q < p
    while places > 0 and number % 10 == 0:
        number, places = number // 10, places - 1
    return str(Decimal(f"{number}e{-places}"))


def subject_in_words(problem: Document, seen: Seen | None = None) -> str:
    """Say what the claim is about: all that the certificate has chosen, lest it be taken for one about something else."""
    n, columns, (negative, positive) = problem["rows"], problem["columns"], problem["classes"] or (-1, 1)
    seen = seen or Seen()
    winner = {"update": None, "positive": positive, "negative": "any other" if negative is None else negative}[
        problem["tie"]
    ]
    table = {**PLAIN, "label": seen.label, "gaps": USUAL_GAPS, **(problem["table"] or {})}
    label, missing, gaps = table["label"], table["missing"], table["gaps"]
    if set(gaps) == set(USUAL_GAPS) or (missing == "refuse" and not any("category" in column for column in columns or ())):
        gaps = None  # as usual, or they make no difference
    sources = {column["source"] for column in columns or ()}
    unused = [name for name in seen.columns or () if columns and name not in sources]
    named = [negative, positive, label, *(gaps or ()), *(unused if len(unused) <= FEW else ())]
    if problem["dimension"] <= FEW:
        named += [text for column in columns for text in column.values()] if columns else seen.columns or ()
    shown = spelling(name for name in named if isinstance(name, str))
    words = [
        f"{n:,} of {_counted(seen.rows, 'row')}" if seen.rows > n else _counted(n, "row"),
        _columns_in_words(problem, table, seen.columns, unused, shown),
        f"{_counted(seen.unlisted, 'cell')} with a text that has no column taken as 0" if seen.unlisted else "",
        _kernel_in_words(problem["kernel"]) if problem["kernel"] else "",
        "an intercept" if problem["intercept"] else "no intercept",
        f"a score of 0 taken for class {shown(winner)}" if winner is not None else "",
        {"float64": "numbers read as float64", "decimal": "", "rational": "numbers that are fractions"}[problem["numbers"]],
        f"class {shown(positive)} against {'all other labels' if negative is None else shown(negative)}",
        f"labels in column {shown(label)}" if label is not None else "",
        "" if table["header"] else "no header but a row in the first line",
        f"cells separated by {SEPARATED[table['separator']]}" if table["separator"] != "," else "",
        f"text in {table['encoding']}" if table["encoding"] != "utf-8" else "",
        f"{_counted(table['skipped'], 'line')} before it left out" if table["skipped"] else "",
        f"lines that begin with {table['comment']!r} left out" if table["comment"] else "",
        f"{table['decimal']!r} as the decimal mark" if table["decimal"] != "." else "",
        f"{table['thousands']!r} between thousands" if table["thousands"] is not None else "",
        _gaps_in_words(columns, seen, dropped=missing == "drop-rows") if missing != "refuse" else "",
    ]
    if gaps is not None:
        besides = set(gaps) > set(USUAL_GAPS)
        texts = [shown(text) for text in gaps if not (besides and text in USUAL_GAPS)]
        many = f"{_listed(texts)} {'is a gap' if len(texts) == 1 else 'are gaps'}" if texts else "no text is a gap"
        words.append(f"where {many}" + (" besides the usual texts" if besides else " and no other text is" if texts else ""))
    return ", ".join(filter(None, words))


def _columns_in_words(problem: Document, table: Document, header: Any, unused: list[str], shown: Callable[..., str]) -> str:
    d, columns, notes = problem["dimension"], problem["columns"], []
    said = _counted(d, "column")
    if table["format"] == "libsvm":
        first, last = table["base"], table["base"] + d - 1
        return f"{said} of LIBSVM text ({f'index {first}' if d == 1 else f'indices {first} to {last}'})"
    if columns is None:
        notes = [*map(shown, header or ())] if d <= FEW else []
        notes += ["in the order of the file, whatever their names"] if header is not None and table["header"] else []
    elif d <= FEW:
        for column in columns:
            tail = f" = {shown(column['category'])}" if "category" in column else " is missing" if "gap" in column else ""
            notes.append(shown(column["source"]) + tail)
    elif any(len(column) > 1 for column in columns):
        categories, gaps = (sum(kind in column for column in columns) for kind in ("category", "gap"))
        notes.append(f"{d - categories - gaps:,} of numbers, {categories:,} of categories, {gaps:,} of gaps")
    said += f" ({', '.join(notes)})" if notes else ""
    if header is None or columns is None or (d <= FEW and not unused):
        return said
    some = f"{len(header) - len(unused):,} of the {len(header):,}" if unused else f"all {len(header):,}"
    besides = f", without {_listed([*map(shown, unused)])}" if 0 < len(unused) <= FEW else ""
    return f"{said} from {some} that the file has besides the label{besides}"


def _gaps_in_words(columns: Sequence[Document] | None, seen: Seen, dropped: bool) -> str:
    lost, gaps = _counted(seen.rows_with_gaps, "row"), _counted(seen.gaps, "gap")
    if not seen.rows:  # no file was seen
        telling = sum("gap" in column for column in columns or ())
        where = f"{telling:,} of the columns" if telling else "no column"
        return "rows with gaps left out" if dropped else f"gaps taken as 0, {where} telling where"
    if dropped:
        return f"{lost} left out for {gaps}" if seen.rows_with_gaps else "no row left out"
    which = "each" if not seen.untold else "none of them" if seen.untold == seen.gaps else f"all but {seen.untold:,} of them"
    return f"{gaps} in {lost} taken as 0, {which} told of by a column" if seen.gaps else "no gaps"


def spelling(names: Iterable[str]) -> Callable[[Any], str]:
    """Return a way to write names and labels: in ASCII if two of these look alike, and long ones cut, with their digest."""
    some = {name for name in names if len(name) <= LONG}
    pairs = ((a, b) for a in some if not a.isascii() for b in some if a != b)
    quoted = ascii if len(some) > 100 or any(_look_alike(a, b) for a, b in pairs) else repr  # or too many to compare

    def shown(name: Any) -> str:
        if not isinstance(name, str) or len(name) <= LONG:
            return quoted(name)
        digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{quoted(name[:40] + '…' + name[-40:])} ({len(name)} characters, SHA-256 {digits})"

    return shown


def _look_alike(a: str, b: str) -> bool:
    """Whether names may be taken for each other: without accents, they differ in letters of different scripts only."""

    def script(c: str) -> str:  # what a character's name begins with, such as GREEK; ASCII is a script of its own
        return "" if c.isascii() else unicodedata.name(c, "?").partition(" ")[0]

    first, second = ([c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)] for name in (a, b))
    return len(first) == len(second) and all(c == e or script(c) != script(e) for c, e in zip(first, second))


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)


def _kernel_in_words(kernel: Document) -> str:
    factor = "" if kernel["gamma"] == 1 else f"{kernel['gamma']} "
    inner = f"{factor}x.x'" + (f" + {kernel['coef0']}" if kernel["coef0"] else "")
    return f"hyperplanes in the feature space of the kernel ({inner})^{kernel['degree']}"


def _column(j: int, problem: Document) -> str:
    if j == width(problem):
        return "the intercept"
    if problem["kernel"]:
        return f"feature {j} of the kernel"
    return f"column {j}" + (f" ({_name(problem['columns'][j])})" if problem["columns"] else "")


def _name(column: Document) -> str:
    tail = f"={column['category']}" if "category" in column else " is missing" if "gap" in column else ""
    return brief(column["source"] + tail)


# ---- The command line.


def main(arguments: list[str] | None = None) -> int:
    """Check a certificate against a table. Return 0 if it is valid, 1 if not, 2 if there is no telling."""
    purpose = "Check a certificate of linear separability, of its absence, of a margin, or of the least errors."
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("certificate", help="the certificate, a JSON document")
    parser.add_argument("data", nargs="+", help="the table, one file or several, which may be compressed: .gz, .bz2, .xz")
    parser.add_argument("--label", help="the column that holds the labels, needed if the certificate does not name it")
    options = parser.parse_args(arguments)
    code, stream = 0, sys.stdout
    try:
        with open(options.certificate, "rb") as file:
            certificate = parse(file.read(MOST_BYTES + 1))
        answer = check(certificate, read_rows(options.data, certificate, options.label))
    except InvalidCertificate as reason:
        code, answer = 1, f"Refused. {reason}"
    except OSError as error:
        code, stream, answer = 2, sys.stderr, f"Not checked. {options.certificate} cannot be read: {error.strerror}."
    except (DataError, MemoryError) as reason:
        code, stream, answer = 2, sys.stderr, f"Not checked. {str(reason) or 'There is not enough memory.'}"
    except KeyboardInterrupt:
        code, stream, answer = 130, sys.stderr, "Not checked. Stopped."
    if not _said(answer, stream) and stream is sys.stdout:
        _said("The answer cannot be written to standard output, which is closed or full.", sys.stderr)
        return 2
    return code


def _said(answer: str, stream: Any) -> bool:
    """Print a line, whatever names it holds. Tell whether that was possible: the stream may be closed, or its disk full."""
    if stream is None:
        return False
    encoding = stream.encoding or "utf-8"
    answer = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in answer)
    try:
        print(answer.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # or Python tries again at its end, and complains
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
