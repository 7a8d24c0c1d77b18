"""Check a proof that a hyperplane separates two classes of rows or none does, how far apart they are, how many rows err.

    python checker.py proof.json data.csv

This file stands alone: it needs Python 3.8 or later with its standard library and nothing else, and knows nothing of how
the proof was found. It answers with exit code 0 and a sentence saying what is proved and of what, 1 and the reason why the
proof is refused, or 2 and what kept it from looking or from answering; Ctrl-C ends it with 130. The format of the proof is
specified in docs/certificate-format.md.

**Definitions.** Row i is a point x_i of d numbers and a label y_i, which is -1 or 1. Its signed, lifted row is
z_i = y_i (x_i, 1) with an intercept, and z_i = y_i x_i without. A hyperplane w has row i on its correct side if z_i.w > 0,
on its wrong side if z_i.w < 0, and goes through it if z_i.w = 0. The numbers are float64: exact rationals whose
denominators are powers of two. The claims are about those rationals, and the arithmetic here is on integers, unrounded.

**Claims.** Each comes with something that proves it to whoever multiplies and adds:

separable
    Some w has z_i.w > 0 for every row. The *separator* is such a w.
not-separable
    No w has. The *obstruction* is a list of rows with multipliers lambda_i > 0 and sum lambda_i z_i = 0. So
    sum lambda_i (z_i.w) = 0 for every w, and the z_i.w cannot all be positive.
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


def stop(*_: object) -> None:
    """End at once, with a message: what Ctrl-C does from the first instant on."""
    try:
        os.write(2, b"Not checked. Stopped.\n")
    finally:
        os._exit(130)


if __name__ == "__main__":
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
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import chain, groupby, starmap
from operator import itemgetter
from reprlib import repr as brief
from typing import Any, Callable, Collection, Iterable, Iterator, List, NoReturn, Sequence, Tuple

FORMAT = "separatrix-certificate/1"
CARRIES = {
    "separable": ("separator",),
    "not-separable": ("obstruction",),
    "quasi-separable": ("separator", "obstruction", "cover"),
    "overlapping": ("obstruction", "cover"),
    "margin-at-least": ("margin", "separator"),
    "margin-at-most": ("margin", "combination"),
    "errors-at-least": ("errors", "packing"),
}
KINDS = ("lifted", "geometric")  # of margins

# Limits, so that a hostile document cannot take for ever.
MOST_BYTES = 256 * 2**20
MOST_LINE = 2**28  # characters of a table's line
MOST_ROWS = 2**63 - 1
MOST_COLUMNS = 2**32 - 2  # the digest writes a column as uint32, and 2**32 - 1 ends a row there
MOST_GAPS = 1_000  # texts that are gaps, and characters in each of them
MOST_GAP_BYTES = 100_000  # of all these texts in UTF-8
MOST_USES = 10**8  # rows in the obstructions of all leaves, as often as leaves use them
MOST_DENOMINATOR = 10**2000 - 1  # of costs, and of the weights of a leaf, when written with a common one
WHOLE = re.compile("0|-?[1-9][0-9]{0,49999}")
POSITIVE = re.compile("[1-9][0-9]{0,49999}")
RATIONAL = re.compile("(0|-?[1-9][0-9]{0,399})(/[1-9][0-9]{0,399})?")  # a float64 has parts of 324 digits at most
SQUARE = re.compile("(0|[1-9][0-9]{0,49999})(/[1-9][0-9]{0,49999})?")
COST = re.compile("(0|[1-9][0-9]{0,399})(/[1-9][0-9]{0,399})?")
WEIGHT = re.compile("[1-9][0-9]{0,1999}(/[1-9][0-9]{0,1999})?")
FORMS = {
    WHOLE: 'a string such as "0" or "-12", a whole number of at most 50,000 digits',
    POSITIVE: 'a string such as "12", a positive whole number of at most 50,000 digits',
    RATIONAL: 'a string such as "2" or "-3/4", a rational number of at most 400 digits in each part',
    SQUARE: 'a string such as "2" or "3/4", a rational number from 0 up of at most 50,000 digits in each part',
    COST: 'a string such as "0" or "3/4", a rational number from 0 up of at most 400 digits in each part',
    WEIGHT: 'a string such as "1" or "3/4", a positive rational number of at most 2,000 digits in each part',
}

SURROGATE = re.compile("[\ud800-\udfff]")
PLACE = re.compile("[1-9][0-9]{0,9}")  # of a column in a table without header
CHOICES: dict[str, tuple[str | bool | None, ...]] = {
    "format": ("csv", "libsvm"),
    "header": (True, False),
    "separator": (",", ";", "\t", "|", " ", ":", None),
    "encoding": ("utf-8", "utf-16", "latin-1", "cp1252"),
    "missing": ("refuse", "drop-rows", "indicator"),
}

Row = Tuple[int, Sequence[Tuple[int, float]]]
"""A label, -1 or 1, and the non-zero entries of the point: (column, value), in the order of the columns."""


class Seen:
    """What was seen of the files that rows come from, and is not in the rows."""

    def __init__(self) -> None:
        self.label: str | None = None
        """The column that holds the labels."""
        self.columns: tuple[str, ...] | None = None
        """The names of all others; None if they have no names."""
        self.rows = 0
        """How many there are, those left out included."""
        self.gaps = 0
        """Cells of the label and the sources that are gaps."""
        self.rows_with_gaps = 0
        self.untold = 0
        """Gaps in sources of which no column says where they have gaps."""
        self.unlisted = 0
        """Cells with a text in sources of categories that have no column for it."""


class Rows(List[Row]):
    """Rows of files."""

    def __init__(self) -> None:
        self.seen = Seen()


class InvalidCertificate(ValueError):  # noqa: N818
    """A certificate that does not prove its claim about the data, and why."""


class DataError(ValueError):
    """Data that cannot be read, and why."""


def refuse(reason: str) -> NoReturn:
    """Refuse the certificate."""
    raise InvalidCertificate(reason) from None


# ---- The proofs: exact arithmetic, then the claims. A certificate here is what `parse` returned.


def times(factor: int, value: float) -> int:
    """Multiply exactly, counting in units of ``2**-1074``, of which every float64 is a whole multiple.

    >>> times(3, 0.5) == 3 * 2**1073
    True
    """
    p, q = value.as_integer_ratio()  # q is a power of two
    return (factor * p) << (1075 - q.bit_length())


def lifted(row: Row, problem: dict[str, Any]) -> Sequence[tuple[int, float]]:
    """Return the entries of (x_i, 1), whose last column is number d, or those of x_i without an intercept."""
    return [*row[1], (problem["dimension"], 1.0)] if problem["intercept"] else row[1]


def score(row: Row, w: Sequence[int], problem: dict[str, Any]) -> int:
    """Return z_i.w."""
    return row[0] * sum(times(w[j], value) for j, value in lifted(row, problem))


def combination(terms: Iterable[tuple[Row, Fraction]], problem: dict[str, Any]) -> dict[int, int]:
    """Add up the z_i times their multipliers, each column for itself."""
    totals: dict[int, int] = defaultdict(int)
    for row, multiplier in terms:
        factor = row[0] * multiplier.numerator
        for j, value in lifted(row, problem):
            totals[j] += times(factor, value)
    return totals


def check_separator(certificate: dict[str, Any], rows: Sequence[Row]) -> list[int]:
    """Check that z_i.w >= 0 for every row and > 0 for at least one. Return the rows with z_i.w = 0."""
    w, zero = _hyperplane(certificate), []
    for i, row in enumerate(rows):
        product = score(row, w, certificate["problem"])
        if product < 0:
            refuse(f"The separator has row {i} on its wrong side.")
        if product == 0:
            zero.append(i)
    if len(zero) == len(rows):
        refuse("The separator goes through every row; at least one must be on its correct side.")
    return zero


def _hyperplane(certificate: dict[str, Any]) -> list[int]:
    separator = certificate["separator"]
    return [weight.numerator for weight in [*separator["weights"], separator["intercept"]]]


def check_obstruction(certificate: dict[str, Any], rows: Sequence[Row]) -> None:
    """Check that the obstruction's rows are rows of the data, and that sum lambda_i z_i = 0."""
    obstruction, problem = certificate["obstruction"], certificate["problem"]
    for i, label, point in zip(obstruction["rows"], obstruction["labels"], obstruction["points"]):
        if label != rows[i][0]:
            refuse(f"The obstruction gives row {i} the label {label}, but in the data it is {rows[i][0]}.")
        entries = dict(rows[i][1])
        for j, number in enumerate(point):
            value = entries.get(j, 0.0)
            if number.as_integer_ratio() != value.as_integer_ratio():  # both in lowest terms
                refuse(f"The obstruction's point of row {i} is not the data's in {_column(j, problem)}, which is {value!r}.")
    terms = zip([rows[i] for i in obstruction["rows"]], obstruction["multipliers"])
    _require_zero(combination(terms, problem), "The obstruction", problem)


def check_cover(certificate: dict[str, Any], rows: Sequence[Row], zero: Sequence[int]) -> None:
    """Check that sum mu_i z_i = 0 over the rows in ``zero``, where mu_i = rest for those that the cover does not list."""
    cover, problem = certificate["cover"], certificate["problem"]
    listed, allowed = set(cover["rows"]), set(zero)
    for i in cover["rows"]:
        if i not in allowed:
            refuse(f"The cover lists row {i}, which the separator has on its correct side and does not go through.")
    totals = combination(zip([rows[i] for i in cover["rows"]], cover["multipliers"]), problem)
    for j, total in combination([(rows[i], Fraction(1)) for i in zero if i not in listed], problem).items():
        totals[j] += cover["rest"].numerator * total
    _require_zero(totals, "The cover", problem)


def check_margin_at_least(certificate: dict[str, Any], rows: Sequence[Row]) -> None:
    """Check that z_i.w > 0 and (z_i.w)^2 >= squared |w|^2 for every row: for one with the least z_i.w."""
    margin, w = certificate["margin"], _hyperplane(certificate)
    length = sum(weight * weight for weight in (w if margin["kind"] == "lifted" else w[:-1]))  # |w|^2
    least, i = min((score(row, w, certificate["problem"]), i) for i, row in enumerate(rows))
    if least < 0:
        refuse(f"The separator has row {i} on its wrong side.")
    if least == 0:
        refuse(f"The separator goes through row {i}, which must be on its correct side.")
    if length == 0:
        refuse("The separator's weights are all 0: nothing has a distance from it.")
    squared = margin["squared"]
    if least * least * squared.denominator < (squared.numerator * length) << 2 * 1074:  # least counts units of 2**-1074
        refuse(f"The separator has row {i} on its correct side, but nearer than the margin that is claimed.")


def check_margin_at_most(certificate: dict[str, Any], rows: Sequence[Row]) -> None:
    """Check that ||v||^2 <= squared s^2, where s = sum lambda_i and v = sum lambda_i z_i, and geometric: v is 0 at its end.

    So it is if the multipliers of either class add up to the same, which is s / 2 then: v / (s / 2) is the difference of
    two means, one of either class, and the margin half the distance of the classes.
    """
    margin, problem, multipliers = certificate["margin"], certificate["problem"], certificate["combination"]["multipliers"]
    v = combination(zip([rows[i] for i in certificate["combination"]["rows"]], multipliers), problem)
    if margin["kind"] == "geometric" and v[problem["dimension"]]:  # without an intercept, nothing is there
        refuse("The combination's multipliers do not add up to the same in either class.")
    s, squared = sum(multiplier.numerator for multiplier in multipliers), margin["squared"]
    if sum(total * total for total in v.values()) * squared.denominator > (squared.numerator * s * s) << 2 * 1074:
        refuse("The combination's rows times their multipliers add up to more than the margin that is claimed.")


def root(squared: Fraction, up: bool) -> str:
    """Write a square root in some twelve digits, rounded down or up.

    >>> root(Fraction(1, 2), False), root(Fraction(1, 2), True), root(Fraction(1, 4), True)
    ('0.707106781186', '0.707106781187', '0.5')
    """
    p, q = squared.as_integer_ratio()
    places = 12 - int((p.bit_length() - q.bit_length()) * math.log10(2) / 2)
    p, q = p * 100 ** max(places, 0), q * 100 ** max(-places, 0)
    number = math.isqrt(p // q)
    number += up and number * number * q < p
    while places > 0 and number % 10 == 0:
        number, places = number // 10, places - 1
    return str(Decimal(f"{number}e{-places}"))


def check_packing(certificate: dict[str, Any], rows: Sequence[Row]) -> None:
    """Check each obstruction; then walk the tree, and check at each leaf that its hyperplanes err as much as is claimed.

    That the nodes are those of one whole tree is known from the form of the document.
    """
    problem, errors, packing = certificate["problem"], certificate["errors"], certificate["packing"]
    group, cost = groups(rows), [0] * len(rows)  # a group goes by its first row
    costs, unit = in_units([Fraction(1)] * len(rows) if errors["costs"] is None else errors["costs"])
    grain = Fraction(reduce(math.gcd, costs, 0), unit)  # every sum of costs is a multiple of it
    for i, g in enumerate(group):
        cost[g] += costs[i]
    held = []  # the groups that each obstruction holds
    for k, obstruction in enumerate(packing["obstructions"]):
        terms = zip([rows[i] for i in obstruction["rows"]], obstruction["multipliers"])
        _require_zero(combination(terms, problem), f"Obstruction {k} of the packing", problem)
        held.append({group[i] for i in obstruction["rows"]})
    path: list[int] = []  # the groups that are split between the root and this node, and which of them are kept
    kept: dict[int, bool] = {}
    given_up = 0  # the cost of the others
    for k, node in enumerate(packing["nodes"]):
        if "row" in node:
            g = group[node["row"]]
            if g in kept:
                refuse(f"packing.nodes[{k}] splits on row {node['row']}, but that or its equal is kept or given up already.")
            path.append(g)
            kept[g] = True
            continue
        weights, own = in_units(node["weights"])
        load: dict[int, int] = defaultdict(int)
        for obstruction, weight in zip(node["obstructions"], weights):
            for g in held[obstruction]:
                load[g] += weight
        for g, total in load.items():
            if g in kept and not kept[g]:
                refuse(f"packing.nodes[{k}] has an obstruction that holds row {g} or its equal, which is given up there.")
            if g not in kept and total * unit > cost[g] * own:
                refuse(f"packing.nodes[{k}] has obstructions that hold row {g} or its equal, of more weight than its cost.")
        bound = Fraction(given_up, unit) + Fraction(sum(weights), own)
        if (math.ceil(bound / grain) * grain if grain else bound) < errors["least"]:
            refuse(f"packing.nodes[{k}] proves fewer errors than are claimed.")
        while path and not kept[path[-1]]:  # both ways are done: go back to where one is left, and take it
            del kept[path[-1]]
            given_up -= cost[path.pop()]
        if path:
            kept[path[-1]] = False
            given_up += cost[path[-1]]


def groups(rows: Sequence[Row]) -> list[int]:
    """Return for each row the first one that is equal to it, in label and point.

    >>> groups([(1, [(0, 0.5)]), (-1, [(0, 0.5)]), (1, [(0, 0.5)])])
    [0, 1, 0]
    """
    first = [0] * len(rows)
    contents = [(label, *entries) for label, entries in rows]
    for _, equal in groupby(sorted(range(len(rows)), key=contents.__getitem__), contents.__getitem__):
        g = next(equal)
        for i in chain([g], equal):
            first[i] = g
    return first


def least_common_multiple(a: int, b: int) -> int:
    """Return the least common multiple of two positive integers."""
    return a // math.gcd(a, b) * b


def in_units(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Write numbers with their least common denominator: return the numerators, and the denominator.

    >>> in_units([Fraction(1, 2), Fraction(2, 3)])
    ([3, 4], 6)
    """
    unit = reduce(least_common_multiple, (number.denominator for number in numbers), 1)
    return [number.numerator * (unit // number.denominator) for number in numbers], unit


def _require_zero(totals: dict[int, int], what: str, problem: dict[str, Any]) -> None:
    for j, total in sorted(totals.items()):
        if total:
            refuse(f"{what}'s rows times their multipliers do not add up to 0 in {_column(j, problem)}.")


def _column(j: int, problem: dict[str, Any]) -> str:
    if j == problem["dimension"]:
        return "the intercept"
    return f"column {j}" + (f" ({_name(problem['columns'][j])})" if problem["columns"] else "")


def _name(column: dict[str, Any]) -> str:
    tail = f"={column['category']}" if "category" in column else " is missing" if "gap" in column else ""
    return brief(column["source"] + tail)


def check(certificate: dict[str, Any], rows: Sequence[Row]) -> str:
    """Check a certificate, as `parse` returned it, against data. Return a sentence that says what is proved."""
    claim, zero = certificate["claim"], 0
    require_same_data(certificate["problem"], rows)
    if claim == "separable":
        through = check_separator(certificate, rows)
        if through:
            refuse(f"The separator goes through row {through[0]}, which must be on its correct side.")
    elif claim == "not-separable":
        check_obstruction(certificate, rows)
    elif claim == "quasi-separable":
        through = check_separator(certificate, rows)
        check_obstruction(certificate, rows)
        check_cover(certificate, rows, through)
        zero = len(through)
    elif claim == "overlapping":
        check_obstruction(certificate, rows)
        check_cover(certificate, rows, range(len(rows)))
    elif claim == "margin-at-least":
        check_margin_at_least(certificate, rows)
    elif claim == "margin-at-most":
        check_margin_at_most(certificate, rows)
    else:
        check_packing(certificate, rows)
    return in_words(certificate, zero, rows.seen if isinstance(rows, Rows) else None)


# ---- The sentence: what is proved, and of what.

FEW = 8  # columns that are named
LONG = 200  # characters of a name that are shown
USUAL_GAPS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
SEPARATED = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "single spaces", ":": "colons", None: "blanks"}


def in_words(certificate: dict[str, Any], zero: int, seen: Seen | None = None) -> str:
    """Say what a valid certificate proves; ``zero`` is how many rows the separator of a quasi-separable one goes through."""
    return f"Proved for {subject_in_words(certificate['problem'], seen)}: {claim_in_words(certificate, zero)}."


def claim_in_words(certificate: dict[str, Any], zero: int) -> str:
    """Say what is claimed."""
    claim, n = certificate["claim"], certificate["problem"]["rows"]
    if claim == "separable":
        return "the classes are separable: the given hyperplane has every row on its correct side"
    if claim == "not-separable":
        return "the classes are not separable: no hyperplane has every row on its correct side"
    if claim == "quasi-separable":
        return (
            f"the classes are quasi-separable: the given hyperplane has {_counted(n - zero, 'row')} on its correct side, "
            f"and any with no row on its wrong side goes through the other {_counted(zero, 'row')}"
        )
    if claim == "overlapping":
        return "the classes overlap: any hyperplane with no row on its wrong side goes through all rows"
    if claim == "margin-at-least":
        return (
            f"the margin ({certificate['margin']['kind']}) is at least {root(certificate['margin']['squared'], up=False)}: "
            "the given hyperplane has every row that far on its correct side"
        )
    if claim == "margin-at-most":
        return (
            f"the margin ({certificate['margin']['kind']}) is at most {root(certificate['margin']['squared'], up=True)}: "
            "no hyperplane has every row farther than that on its correct side"
        )
    return errors_in_words(certificate["errors"]["least"], certificate["errors"]["costs"] is not None)


def errors_in_words(least: Fraction, costs: bool) -> str:
    """Say that there are so many errors at least, or errors of so large a cost; a long number is rounded down."""
    number = str(least) if max(least.as_integer_ratio()) < 10**12 else root(least * least, up=False)
    many = f"rows of a total cost of at least {number} (in the costs of the certificate)"
    if not costs:
        many = f"at least {number} row" + "s" * (least != 1)
    return f"every hyperplane has {many} on its wrong side or goes through {'it' if many.endswith('row') else 'them'}"


def subject_in_words(problem: dict[str, Any], seen: Seen | None = None) -> str:
    """Say what the claim is about: all that the certificate has chosen, lest it be taken for one about something else."""
    columns, table = problem["columns"], problem["table"] or {}
    header = None if seen is None else seen.columns
    label = table.get("label", None if seen is None else seen.label)
    sources = dict.fromkeys(column["source"] for column in columns or ())
    unused = [] if columns is None else [name for name in header or () if name not in sources]
    missing = table.get("missing", "refuse")
    gaps = table.get("gaps", USUAL_GAPS)
    if set(gaps) == set(USUAL_GAPS) or (missing == "refuse" and not any("category" in column for column in columns or ())):
        gaps = None  # as usual, or they make no difference
    negative, positive = problem["classes"] or (-1, 1)
    named = [name for name in (negative, positive, label) if isinstance(name, str)]
    if problem["dimension"] <= FEW:
        named += (header or ()) if columns is None else chain(sources, (column.get("category", "") for column in columns))
    shown = spelling([*named, *(unused if len(unused) <= FEW else ()), *(gaps or ())])

    words = [_counted(problem["rows"], "row"), _columns_in_words(problem, header, unused, shown)]
    if seen is not None and seen.rows > problem["rows"]:
        words[0] = f"{problem['rows']} of {_counted(seen.rows, 'row')}"
    if seen is not None and seen.unlisted:
        words.append(f"{_counted(seen.unlisted, 'cell')} with a text that has no column taken as 0")
    words.append("an intercept" if problem["intercept"] else "no intercept")
    one, other = (shown(name) if isinstance(name, str) else repr(name) for name in (positive, negative))
    words.append(f"class {one} against {'all other labels' if negative is None else other}")
    if label is not None:
        words.append(f"labels in column {shown(label)}")
    words += _layout_in_words(table)
    if missing != "refuse":
        words.append(_gaps_in_words(missing, columns, seen))
    if gaps is not None:
        words.append(_gap_texts_in_words(gaps, shown))
    return ", ".join(words)


def _columns_in_words(
    problem: dict[str, Any], header: Sequence[str] | None, unused: Sequence[str], shown: Callable[[str], str]
) -> str:
    d, columns, table = problem["dimension"], problem["columns"], problem["table"] or {}
    said = _counted(d, "column")
    if table.get("format") == "libsvm":
        first, last = table["base"], table["base"] + d - 1
        return f"{said} of LIBSVM text ({f'index {first}' if d == 1 else f'indices {first} to {last}'})"
    names = [shown(name) for name in (header or ())] if columns is None and d <= FEW else []
    if columns is not None and d <= FEW:
        for column in columns:
            tail = f" = {shown(column['category'])}" if "category" in column else " is missing" if "gap" in column else ""
            names.append(shown(column["source"]) + tail)
    elif columns is not None and any(len(column) > 1 for column in columns):
        counts = {kind: sum(kind in column for column in columns) for kind in ("category", "gap")}
        names.append(f"{d - sum(counts.values())} of numbers, {counts['category']} of categories, {counts['gap']} of gaps")
    if columns is None and header is not None and table.get("header", True):
        names.append("in the order of the file, whatever their names")
    said += f" ({', '.join(names)})" if names else ""
    if header is None or columns is None or (d <= FEW and not unused):
        return said
    some = f"{len(header) - len(unused)} of the {len(header)}" if unused else f"all {len(header)}"
    besides = f", without {_listed(list(map(shown, unused)))}" if 0 < len(unused) <= FEW else ""
    return f"{said} from {some} that the file has besides the label{besides}"


def _layout_in_words(table: dict[str, Any]) -> list[str]:
    """Say how files were read, if it is not the usual way."""
    words = []
    if not table.get("header", True):
        words.append("no header but a row in the first line")
    if table.get("separator", ",") != ",":
        words.append(f"cells separated by {SEPARATED[table['separator']]}")
    if table.get("encoding", "utf-8") != "utf-8":
        words.append(f"text in {table['encoding']}")
    return words


def _gaps_in_words(missing: str, columns: Sequence[dict[str, Any]] | None, seen: Seen | None) -> str:
    """Say what became of gaps."""
    if missing == "drop-rows":
        if seen is None:
            return "rows with gaps left out"
        if not seen.rows_with_gaps:
            return "no row left out"
        return f"{_counted(seen.rows_with_gaps, 'row')} left out for {_counted(seen.gaps, 'gap')}"
    if seen is None:
        telling = sum("gap" in column for column in columns or ())
        return f"gaps taken as 0, {f'{telling} of the columns' if telling else 'no column'} telling where"
    if not seen.gaps:
        return "no gaps"
    told = "each told of by a column"
    if seen.untold:
        told = f"{'none' if seen.untold == seen.gaps else f'all but {seen.untold}'} of them told of by a column"
    return f"{_counted(seen.gaps, 'gap')} in {_counted(seen.rows_with_gaps, 'row')} taken as 0, {told}"


def _gap_texts_in_words(gaps: Sequence[str], shown: Callable[[str], str]) -> str:
    """Say which texts are gaps."""
    besides = set(gaps) > set(USUAL_GAPS)
    texts = [shown(text) for text in gaps if not (besides and text in USUAL_GAPS)]
    many = f"{_listed(texts)} {'is a gap' if len(texts) == 1 else 'are gaps'}" if texts else "no text is a gap"
    return f"where {many}" + (" besides the usual texts" if besides else " and no other text is" if texts else "")


def spelling(names: Iterable[str]) -> Callable[[str], str]:
    r"""Return a way to write names in which no two of these look the same.

    Of long names, the beginning and the end are shown, with the length and a digest. If two names look alike, those are
    written as ASCII that are not.

    >>> print(spelling(["größe", "y"])("größe"), spelling(["größe", "gro\u0308ße"])("größe"))
    'größe' 'gr\xf6\xdfe'
    """
    some = {name for name in names if len(name) <= LONG}
    odd = [name for name in some if not name.isascii()]
    alike = len(some) > 100 or any(_look_alike(a, b) for a in odd for b in some if a != b)  # too many to compare
    quoted = ascii if alike else repr

    def shown(name: str) -> str:
        if len(name) <= LONG:
            return quoted(name)
        digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{quoted(name[:40] + '…' + name[-40:])} ({len(name)} characters, SHA-256 {digits})"

    return shown


def _look_alike(a: str, b: str) -> bool:
    """Whether names may be taken for each other: without accents, they differ in letters of different scripts only."""
    first, second = ([c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)] for name in (a, b))
    return len(first) == len(second) and all(c == e or _script(c) != _script(e) for c, e in zip(first, second))


def _script(character: str) -> str:
    """Return what a character's name begins with, such as GREEK; characters of ASCII are a script of their own."""
    return "" if character.isascii() else unicodedata.name(character, "?").partition(" ")[0]


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


# ---- The data: is it that of the certificate?


def digest(rows: Iterable[Row]) -> str:
    """Return the fingerprint of the data."""
    sha256, entry = hashlib.sha256(), struct.Struct("<Id")
    for label, entries in rows:
        sha256.update(b"\x01" if label == 1 else b"\xff")
        sha256.update(b"".join(starmap(entry.pack, entries)))
        sha256.update(b"\xff\xff\xff\xff")
    return "sha256:" + sha256.hexdigest()


def require_same_data(problem: dict[str, Any], rows: Sequence[Row]) -> None:
    """Refuse rows that are not those of the certificate."""
    if len(rows) != problem["rows"]:
        refuse(f"The certificate is about {problem['rows']} rows, but the data has {len(rows)}.")
    for i, (label, entries) in enumerate(rows):
        last = -1
        for j, value in entries:
            if not (j > last and isinstance(value, float) and value and math.isfinite(value)):
                raise DataError(f"The entries of row {i} are not finite non-zero floats in the order of their columns.")
            last = j
        if type(label) is not int or label not in (-1, 1):
            raise DataError(f"The label of row {i} is not the integer -1 or 1.")
        if last >= problem["dimension"]:
            refuse(f"The certificate is about {problem['dimension']} columns, but row {i} has an entry in column {last}.")
    if digest(rows) != problem["digest"]:
        refuse("The data is not the data of the certificate: their digests differ.")


# ---- The document: has it the form of a certificate?


def parse(text: bytes | str) -> dict[str, Any]:
    """Read a JSON document and `validate` it."""
    if len(text) > MOST_BYTES:
        refuse(f"The document is longer than {MOST_BYTES} bytes.")
    try:
        document = json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=lambda digits: int(digits) if len(digits) <= 20 else _no_number(digits),
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError as error:
        refuse(f"The document is not UTF-8: byte {error.start} is wrong.")
    except json.JSONDecodeError as error:
        refuse(f"The document is not JSON: {error}.")
    except RecursionError:
        refuse("The document is nested too deeply for a certificate.")
    return validate(document)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _require_distinct([key for key, _ in pairs], "An object of the document")
    return dict(pairs)


def _no_number(text: str) -> NoReturn:
    refuse(f"The document holds the number {brief(text)}: outside of strings, only integers of at most 20 digits may be.")


def validate(document: Any) -> dict[str, Any]:
    """Check the form of a document, all that needs no data. Return it with a `Fraction` for each number in a string."""
    if not isinstance(document, dict):
        refuse("The document must be an object.")
    if document.get("format") != FORMAT:
        refuse(f"The format is {brief(document.get('format'))}, but this checker knows {FORMAT!r} only.")
    claim = document.get("claim")
    if not isinstance(claim, str) or claim not in CARRIES:
        refuse(f"The claim is {brief(claim)}; it must be one of {', '.join(map(repr, CARRIES))}.")
    _require_keys(document, f"A certificate of the claim {claim!r}", "format", "claim", "problem", *CARRIES[claim])
    problem = _problem(document["problem"])
    read = {
        "separator": _separator,
        "obstruction": _obstruction,
        "cover": _cover,
        "margin": _margin,
        "combination": _combination,
        "errors": _errors,
        "packing": _packing,
    }
    sections = {name: read[name](document[name], problem) for name in CARRIES[claim]}
    return {"format": FORMAT, "claim": claim, "problem": problem, **sections}


def _problem(value: Any) -> dict[str, Any]:
    _require_keys(value, "problem", "rows", "dimension", "intercept", "classes", "columns", "table", "digest")
    _require_integer(value["rows"], "problem.rows", 1, MOST_ROWS)
    _require_integer(value["dimension"], "problem.dimension", 1, MOST_COLUMNS)
    if not isinstance(value["intercept"], bool):
        refuse(f"problem.intercept must be true or false, not {brief(value['intercept'])}.")
    if value["classes"] is not None:
        negative, positive = _list(value["classes"], "problem.classes", 2)
        if type(positive) not in (str, int, bool) or (negative is not None and type(negative) is not type(positive)):
            refuse("problem.classes must be two strings, two integers or two booleans; the first may be null instead.")
        if negative == positive:
            refuse(f"problem.classes must differ, but both are {brief(positive)}.")
        for k, name in enumerate(value["classes"]):
            if isinstance(name, str):
                _require_string(name, f"problem.classes[{k}]")
            elif name is not None and not -(10**19) < name < 10**20:
                refuse(f"problem.classes[{k}] must be an integer of at most 20 characters, and it has more.")
    require_table(value["table"])
    require_columns(value["columns"], value["dimension"], value["table"] or {})
    if not isinstance(value["digest"], str) or not re.fullmatch("sha256:[0-9a-f]{64}", value["digest"]):
        refuse(f"problem.digest must be 'sha256:' and 64 hexadecimal digits in lower case, not {brief(value['digest'])}.")
    return dict(value)


def require_table(table: Any, root: str = "problem.") -> None:
    """Check the description of a table; messages name it with what it is a part of, ``root``."""
    if isinstance(table, dict) and table.get("format") == "libsvm":
        _require_keys(table, f"{root}table", "format", "base")
        _require_integer(table["base"], f"{root}table.base", 0, 1)
    elif table is not None:
        _require_keys(table, f"{root}table", "format", "label", "header", "separator", "encoding", "gaps", "missing")
        for key, choices in CHOICES.items():
            if not any(type(table[key]) is type(choice) and table[key] == choice for choice in choices):
                refuse(f"{root}table.{key} must be one of {json.dumps(choices)[1:-1]}, not {brief(table[key])}.")
        _require_string(table["label"], f"{root}table.label", place=not table["header"])
        require_gaps(table["gaps"], f"{root}table.gaps")


def require_gaps(gaps: Any, where: str = "problem.table.gaps") -> None:
    """Check the texts that are gaps."""
    if len(_list(gaps, where)) > MOST_GAPS:
        refuse(f"{where} must have at most {MOST_GAPS:,} texts, not {len(gaps):,}.")
    for k, text in enumerate(gaps):
        _require_string(text, f"{where}[{k}]")
        if len(text) > MOST_GAPS:
            refuse(f"{where}[{k}] must have at most {MOST_GAPS:,} characters, not {len(text):,}.")
    if sum(len(text.encode("utf-8")) for text in gaps) > MOST_GAP_BYTES:
        refuse(f"{where} must have at most {MOST_GAP_BYTES:,} bytes in all, in UTF-8, and has more.")
    _require_distinct(gaps, where)


def require_columns(columns: Any, dimension: int, table: dict[str, Any], root: str = "problem.") -> None:
    """Check the description of columns; messages name it with what it is a part of, ``root``."""
    if columns is None:
        return
    if table.get("format") == "libsvm":
        refuse(f"{root}columns must be null, as the columns of LIBSVM text have no names.")
    gaps = set(table.get("gaps", ()))
    for j, column in enumerate(_list(columns, f"{root}columns", dimension)):
        where = f"{root}columns[{j}]"
        kind = [key for key in ("category", "gap") if isinstance(column, dict) and key in column]
        _require_keys(column, where, "source", *kind[:1])
        _require_string(column["source"], f"{where}.source", place=not table.get("header", True))
        if column["source"] == table.get("label"):
            refuse(f"{where}.source must not be {brief(column['source'])}, the label.")
        if "category" in column:
            _require_string(column["category"], f"{where}.category")
            if column["category"] in gaps:
                refuse(f"{where}.category must not be {brief(column['category'])}, which is one of {root}table.gaps.")
        if "gap" in column and (column["gap"] is not True or table.get("missing") != "indicator"):
            refuse(f'{where}.gap must be true, and may be there only if {root}table.missing is "indicator".')
    sources(columns)


def sources(columns: Sequence[dict[str, Any]]) -> dict[str, dict[str | bool | None, int]]:
    """Return for each source the columns that come from it, by what they ask of a cell.

    None stands for the column that takes the cell as a number, True for the one that says whether it is a gap, and a text
    for the one that says whether it is this text.
    """
    found: dict[str, dict[str | bool | None, int]] = {}
    for j, column in enumerate(columns):
        asked = found.setdefault(column["source"], {})
        question = column.get("category", column.get("gap"))
        if question in asked:
            refuse(f"problem.columns has {_name(column)} twice.")
        asked[question] = j
        if None in asked and len(asked) > 1 + (True in asked):
            refuse(f"problem.columns has {brief(column['source'])} both as a number and with categories.")
    return found


def _separator(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "separator", "weights", "intercept")
    weights = _numbers(value["weights"], "separator.weights", problem["dimension"], WHOLE)
    intercept = _number(value["intercept"], "separator.intercept", WHOLE)
    if intercept and not problem["intercept"]:
        refuse("separator.intercept must be 0, as the problem has no intercept.")
    return {"weights": weights, "intercept": intercept}


def _obstruction(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "obstruction", "rows", "labels", "points", "multipliers")
    rows = _indices(value["rows"], "obstruction.rows", problem["rows"])
    if not rows:
        refuse("obstruction.rows is empty: nothing follows from no rows.")
    labels = _list(value["labels"], "obstruction.labels", len(rows))
    for k, label in enumerate(labels):
        if type(label) is not int or label not in (-1, 1):
            refuse(f"obstruction.labels[{k}] must be -1 or 1, not {brief(label)}.")
    points = [
        _numbers(point, f"obstruction.points[{k}]", problem["dimension"], RATIONAL)
        for k, point in enumerate(_list(value["points"], "obstruction.points", len(rows)))
    ]
    multipliers = _numbers(value["multipliers"], "obstruction.multipliers", len(rows), POSITIVE)
    return {"rows": rows, "labels": list(labels), "points": points, "multipliers": multipliers}


def _cover(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "cover", "rows", "multipliers", "rest")
    rows = _indices(value["rows"], "cover.rows", problem["rows"])
    multipliers = _numbers(value["multipliers"], "cover.multipliers", len(rows), POSITIVE)
    return {"rows": rows, "multipliers": multipliers, "rest": _number(value["rest"], "cover.rest", POSITIVE)}


def _margin(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "margin", "kind", "squared")
    if value["kind"] not in KINDS:
        refuse(f"margin.kind must be one of {', '.join(map(repr, KINDS))}, not {brief(value['kind'])}.")
    return {"kind": value["kind"], "squared": _number(value["squared"], "margin.squared", SQUARE)}


def _combination(value: Any, problem: dict[str, Any], where: str = "combination") -> dict[str, Any]:
    _require_keys(value, where, "rows", "multipliers")
    rows = _indices(value["rows"], f"{where}.rows", problem["rows"])
    if not rows:
        refuse(f"{where}.rows is empty: nothing follows from no rows.")
    return {"rows": rows, "multipliers": _numbers(value["multipliers"], f"{where}.multipliers", len(rows), POSITIVE)}


def _errors(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "errors", "least", "costs")
    least, costs = _number(value["least"], "errors.least", SQUARE), value["costs"]
    if costs is not None:
        costs = _numbers(costs, "errors.costs", problem["rows"], COST)
        _require_common_denominator(costs, "errors.costs")
    return {"least": least, "costs": costs}


def _packing(value: Any, problem: dict[str, Any]) -> dict[str, Any]:
    _require_keys(value, "packing", "obstructions", "nodes")
    listed = enumerate(_list(value["obstructions"], "packing.obstructions"))
    pool = [_combination(obstruction, problem, f"packing.obstructions[{k}]") for k, obstruction in listed]
    nodes: list[dict[str, Any]] = []
    missing, uses = 1, 0  # subtrees that must follow
    for k, node in enumerate(_list(value["nodes"], "packing.nodes")):
        where = f"packing.nodes[{k}]"
        if not missing:
            refuse(f"{where} is one too many: the tree is whole without it.")
        if isinstance(node, dict) and "row" in node:
            _require_keys(node, where, "row")
            _require_integer(node["row"], f"{where}.row", 0, problem["rows"] - 1)
            nodes.append(node)
            missing += 1
        else:
            _require_keys(node, where, "obstructions", "weights")
            used = _indices(node["obstructions"], f"{where}.obstructions", len(pool))
            weights = _numbers(node["weights"], f"{where}.weights", len(used), WEIGHT)
            _require_common_denominator(weights, f"{where}.weights")
            nodes.append({"obstructions": used, "weights": weights})
            missing -= 1
            uses += sum(len(pool[o]["rows"]) for o in used)
            if uses > MOST_USES:
                refuse(f"The obstructions of the leaves up to {where} hold more than {MOST_USES:,} rows in all.")
    if missing:
        refuse(f"packing.nodes ends before the tree is whole: {_counted(missing, 'subtree')} missing.")
    return {"obstructions": pool, "nodes": nodes}


def _require_common_denominator(numbers: list[Fraction], where: str) -> None:
    """Refuse denominators that together make a long one: adding up many such numbers would take for ever."""
    unit = 1
    for number in numbers:
        unit = least_common_multiple(unit, number.denominator)
        if unit > MOST_DENOMINATOR:
            refuse(f"{where} must have a common denominator of at most 2,000 digits.")


def _indices(value: Any, where: str, n: int) -> list[int]:
    for k, i in enumerate(_list(value, where)):
        _require_integer(i, f"{where}[{k}]", 0, n - 1)
    _require_distinct(value, where)
    return list(value)


def _numbers(value: Any, where: str, length: int, form: re.Pattern[str]) -> list[Fraction]:
    return [_number(text, f"{where}[{k}]", form) for k, text in enumerate(_list(value, where, length))]


def _number(text: Any, where: str, form: re.Pattern[str]) -> Fraction:
    if not isinstance(text, str) or not form.fullmatch(text):
        refuse(f"{where} must be {FORMS[form]}, not {brief(text)}.")
    p, _, q = text.partition("/")
    return Fraction(_integer(p), _integer(q or "1"))


def _integer(text: str) -> int:
    """Convert long numbers by halves: Python converts at most 4,300 digits in one go, and in quadratic time."""
    if text.startswith("-"):
        return -_integer(text[1:])
    if len(text) <= 600:
        return int(text)
    low = len(text) // 2
    return _integer(text[:-low]) * 10**low + _integer(text[-low:])


def _require_keys(value: Any, where: str, *keys: str) -> None:
    if not isinstance(value, dict):
        refuse(f"{where} must be an object, not {brief(value)}.")
    for key in keys:
        if key not in value:
            refuse(f"{where} lacks the key {key!r}.")
    for key in value:
        if key not in keys:
            refuse(f"{where} must not have the key {brief(key)}.")


def _require_integer(value: Any, where: str, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:  # to Python, True is an int
        refuse(f"{where} must be an integer from {least} to {most}, not {brief(value)}.")


def _require_string(value: Any, where: str, place: bool = False) -> None:
    if not isinstance(value, str):
        refuse(f"{where} must be a string, not {brief(value)}.")
    if SURROGATE.search(value):
        refuse(f"{where} must be text, but {brief(value)} holds half of a surrogate pair, which no text does.")
    if place and not PLACE.fullmatch(value):
        refuse(f'{where} must be a place such as "3", as the table has no header, not {brief(value)}.')


def _require_distinct(values: list[Any], where: str) -> None:
    twice = _first_repeated(values)
    if twice is not None:
        refuse(f"{where} has {brief(twice)} twice.")


def _first_repeated(values: list[Any]) -> Any:
    """Compare neighbours in sorted order: unlike with a set, no choice of values makes this slow."""
    ordered = sorted(values)
    return next((a for a, b in zip(ordered, ordered[1:]) if a == b), None)


def _list(value: Any, where: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        refuse(f"{where} must be a list, not {brief(value)}.")
    if length is not None and len(value) != length:
        refuse(f"{where} must have {length} entries, not {len(value)}.")
    return value


# ---- The table: its rows, as the certificate says that they come from it.

CELL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
BOOLEANS = {"true": "1", "false": "0"}
WORD = re.compile(r"[^ \t\r\n]+")
ENTRY = re.compile(r"([0-9]{1,18}):(.+)")
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # a NUL, or what stands for a byte that cannot be decoded
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
PLAIN = {"format": "csv", "header": True, "separator": ",", "encoding": "utf-8", "gaps": [], "missing": "refuse"}


def read_rows(paths: Sequence[str | os.PathLike[str]], certificate: dict[str, Any], label: str | None = None) -> Rows:
    """Read from files, one after the other, the rows that a certificate is about.

    The label is the column that holds the labels. It must be given if the certificate knows of no table.
    """
    problem, files, rows = certificate["problem"], [os.fspath(path) for path in paths], Rows()
    table: dict[str, Any] = problem["table"] or {**PLAIN, "label": label}
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
        return rows
    finally:
        csv.field_size_limit(limit)


def _csv_rows(paths: Sequence[str], problem: dict[str, Any], table: dict[str, Any], seen: Seen) -> Iterator[Row]:
    wanted = None if problem["columns"] is None else sources(problem["columns"])
    label, gaps, header = table["label"], set(table["gaps"]), None
    words = {column["category"] for column in problem["columns"] or () if "category" in column}
    words.update(name for name in problem["classes"] or () if isinstance(name, str))
    for path in paths:
        records = _records(path, table)
        first = next(records, None)
        if first is None:
            raise DataError(f"{path} is empty.")
        names = first[1]
        if not table["header"]:
            names, records = [str(k + 1) for k in range(len(names))], chain([first], records)
        header = header or names
        wanted = wanted or {name: {None: j} for j, name in enumerate(name for name in header if name != label)}
        seen.label, seen.columns = label, tuple(name for name in header if name != label)
        if sorted(names) != sorted(header):
            raise DataError(f"{path} has other columns than {paths[0]}.")
        pick = itemgetter(*_places(path, names, wanted, problem, label))
        for line, cells in records:
            where = f"{path}, line {line}"
            if len(cells) != len(names):
                raise DataError(f"{where}: {_counted(len(cells), 'value')} for {_counted(len(names), 'column')}.")
            picked = pick(cells)
            seen.rows += 1
            found = [is_gap(cell, gaps, words) for cell in picked]
            if any(found):
                if table["missing"] == "refuse" or (table["missing"] == "indicator" and found[0]):
                    name, cell = next(pair[:2] for pair in zip([label, *wanted], picked, found) if pair[2])
                    refuse(
                        f"{where}, column {brief(name)}: {brief(cell)} is a gap, which the certificate does not allow there."
                    )
                seen.rows_with_gaps += 1
                seen.gaps += sum(found)
                if table["missing"] == "drop-rows":
                    continue
            sign = sign_of(picked[0], problem["classes"]) or _no_class(f"{where}, column {brief(label)}", picked[0])
            yield sign, _entries(where, picked[1:], found[1:], wanted, seen)


def _places(path: str, header: list[str], wanted: Iterable[str], problem: dict[str, Any], label: str) -> list[int]:
    """Return where in a line the label and the sources are."""
    place = {name: k for k, name in enumerate(header)}
    used = {label, *(header if problem["columns"] is None else wanted)}
    name = _first_repeated(
        [name for name in header if name or name in used]
    )  # what has no name and is not used is no matter
    if name is not None:
        raise DataError(f"{path} has two columns {f'named {brief(name)}' if name else 'without a name'}.")
    if label not in place:
        reason = f"{path} has no column {brief(label)} for the label."
        raise DataError(reason) if problem["table"] is None else InvalidCertificate(reason)
    if problem["columns"] is None and len(header) - 1 != problem["dimension"]:
        refuse(
            f"The certificate is about {problem['dimension']} columns, but {path} has {len(header) - 1} besides the label."
        )
    for name in wanted:
        if name not in place or name == label:
            refuse(f"The certificate is about a column {brief(name)}, but {path} has none of that name besides the label.")
    return [place[label], *(place[name] for name in wanted)]


def _entries(
    where: str, cells: Iterable[str], missing: Iterable[bool], wanted: dict[str, Any], seen: Seen
) -> list[tuple[int, float]]:
    """Return the entries of a point from the cells of its sources, and whether they are missing."""
    entries = []
    for (name, asked), cell, gap in zip(wanted.items(), cells, missing):
        j, value = asked.get(None), 1.0
        if gap:
            j = asked.get(True)
            seen.untold += j is None
        elif j is None:
            j = asked.get(cell)
            seen.unlisted += j is None and len(asked) > (True in asked)
        else:
            value = number_in(cell)
            if not math.isfinite(value):
                raise DataError(f"{where}, column {brief(name)}: {brief(cell)} is not a number that float64 can hold.")
        if value and j is not None:
            entries.append((j, value))
    return sorted(entries)


def _libsvm_rows(path: str, problem: dict[str, Any]) -> Iterator[Row]:
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
            value = _decimal(entry[2]) if entry else math.nan
            if not entry or not math.isfinite(value):
                raise DataError(f"{where}: {brief(word)} is not an index, a colon and a number that float64 can hold.")
            index = int(entry[1])
            if index <= last:
                raise DataError(f"{where}: the index {index} follows {last}.")
            if not base <= index < end:
                refuse(f"{where}: the index {index} is not from {base} to {end - 1}, the columns of the certificate.")
            if value:
                entries.append((index - base, value))
            last = index
        label = whole_number(words[0])
        if label is None:
            raise DataError(f"{where}: the label {brief(words[0])} is not a whole number in the range of float64.")
        yield sign_of(str(label), problem["classes"]) or _no_class(where, words[0]), entries


def whole_number(word: str) -> int | None:
    """Return the whole number that a label of LIBSVM text is, exactly, however it is written; None if it is none.

    Numbers beyond the range of float64 are none, lest a short text make a number without end.

    >>> [whole_number(word) for word in ("1", "+1.0", "10e-1", "-0", "01", "9007199254740993", "0.5", "1e999", "x")]
    [1, 1, 1, 0, 1, 9007199254740993, None, None, None]
    """
    if not math.isfinite(_decimal(word)):
        return None
    number, _, power = word.lower().partition("e")
    whole, _, fraction = number.lstrip("+-").partition(".")
    digits = (whole + fraction).strip("0")
    if not digits:
        return 0
    power_digits = power.lstrip("+-").lstrip("0")[:20] or "0"  # more make no difference, as no text is that long
    places = int(power_digits) * (-1 if power.startswith("-") else 1) - len(fraction)
    places += len(whole + fraction) - len((whole + fraction).rstrip("0"))
    if places < 0:
        return None
    return int(digits) * 10**places * (-1 if number.startswith("-") else 1)


def _no_class(where: str, cell: str) -> NoReturn:
    refuse(f"{where}: the label {brief(cell)} is no class of the certificate.")


def is_gap(cell: str, gaps: Collection[str], words: Collection[str] = ()) -> bool:
    """Whether a cell, as it is or without the blanks around it, is one of the texts that stand for a missing value.

    One of the ``words``, which are categories and classes, is a gap only as it is.
    """
    return cell in gaps or (cell.strip(" \t") in gaps and cell not in words)


def number_in(cell: str) -> float:
    """Return the number that a cell holds, 1 for true and 0 for false; nan if it holds none, infinity if it is too large."""
    text = cell.strip(" \t")
    return _decimal(BOOLEANS.get(text.lower(), text))


def _decimal(text: str) -> float:
    """Return the float64 next to a decimal number, infinity if it is too large; nan if the text is none."""
    return float(text) if CELL.fullmatch(text) else math.nan


def _records(path: str, table: dict[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not empty."""
    lines = _lines(path, table["encoding"])
    if table["separator"] is None:
        yield from ((k, cells) for k, cells in enumerate(map(WORD.findall, lines), 1) if cells)
        return
    reader = csv.reader(lines, delimiter=table["separator"], strict=True)
    try:
        yield from ((reader.line_num, cells) for cells in reader if cells)
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: this is not CSV: {error}.") from None


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


def sign_of(cell: str, classes: Sequence[Any] | None) -> int:
    """Return the label that a cell stands for, 0 if none."""
    negative, positive = classes or (-1, 1)
    return 1 if _is(cell, positive) else -1 if negative is None or _is(cell, negative) else 0


def _is(cell: str, name: str | int | bool) -> bool:
    if isinstance(name, bool):
        return cell.lower() in (("true", "1") if name else ("false", "0"))
    if isinstance(name, int):
        whole = re.fullmatch(r"([+-]?(?:0|[1-9][0-9]{0,19}))(?:\.0*)?", cell)
        return whole is not None and int(whole[1]) == name
    return cell == name


# ---- The command line.


def main(arguments: list[str] | None = None) -> int:
    """Check a certificate against a table. Return 0 if it is valid, 1 if not, 2 if there is no telling."""
    parser = argparse.ArgumentParser(
        description="Check a certificate of linear separability, of its absence, of a margin, or of the least errors."
    )
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
