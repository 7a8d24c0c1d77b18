"""Scores of exported models that keep rows: what stands below the line takes the place of that part of `predictor`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from .predictor import COLUMNS, MISSING, UNSEEN, _ratio, _refuse, _Written

OFF: list[Any] = [0, 0, 0]
ON: list[Any] = [1, 1, 1]
MACHINES: list[dict[str, Any]] = []

# ---- Scores by products with rows that are kept.


def _exact_scores(cells: list[Any], decimal: bool) -> list[Fraction]:
    row = list(OFF)
    for name, cell in zip(COLUMNS, cells, strict=True):
        places = COLUMNS[name]
        if cell is None:
            if "gap" in places:
                row[places["gap"]] = ON[places["gap"]]
            elif MISSING != "indicator" or UNSEEN == "refuse":
                _refuse(name, "a missing value, where there was none when the model was learnt")
        elif isinstance(cell, str) and not isinstance(cell, _Written):
            if cell in places.get("words", ()):
                place = places["words"][cell]
                row[place] = ON[place]
            elif UNSEEN == "refuse":
                _refuse(name, f"the category {cell!r} is new")
        elif "number" in places:
            row[places["number"]] = Fraction(*_ratio(name, cell, decimal))
        elif UNSEEN == "refuse":
            _refuse(name, "a number, in a column that was all missing when the model was learnt")
    return [_votes(machine, row) if "votes" in machine else _sum(machine, row) for machine in _KEPT]


def _votes(machine: dict[str, Any], row: list[Any]) -> Fraction:
    """Return the votes for, minus those against, over all votes."""
    products, unit = _products(machine, row)
    steps = [sign * (product + machine["constant"] * unit) for sign, product in zip(machine["signs"], products, strict=True)]
    score, total = 0, machine["votes"][0] * machine["tie"]
    for place, votes in zip(machine["places"], machine["votes"][1:], strict=True):
        score += steps[place]
        total += votes * ((score > 0) - (score < 0) or machine["tie"])
    return Fraction(total, sum(machine["votes"]))


def _sum(machine: dict[str, Any], row: list[Any]) -> Fraction:
    """Return the sum of multiples of the kernel's values."""
    products, unit = _products(machine, row)
    gamma, coef0, total = Fraction(machine["gamma"]) / unit, Fraction(machine["coef0"]), Fraction(machine["intercept"])
    for multiple, product in zip(machine["multiples"], products, strict=True):
        total += Fraction(multiple) * ((gamma * product + coef0) ** machine["degree"] + machine["constant"])
    return total / Fraction(machine["reach"])


def _products(machine: dict[str, Any], row: list[Any]) -> tuple[list[int], int]:
    """Return the products of a row with those that are kept, and the number that they are to be divided by."""
    exact = [Fraction(number) for number in row]
    common = math.lcm(*(number.denominator for number in exact))
    whole = [int(number * common) for number in exact]
    products = [sum(number * whole[place] for place, number in kept.items()) for kept in machine["rows"]]
    return products, common * machine["unit"]


def _in_whole_numbers(machine: dict[str, Any]) -> dict[str, Any]:
    """Return a machine whose rows are counted in one unit."""
    rows = [{place: Fraction(number) for place, number in row.items()} for row in machine["rows"]]
    unit = math.lcm(*(number.denominator for row in rows for number in row.values()))
    return {**machine, "unit": unit, "rows": [{place: int(n * unit) for place, n in row.items()} for row in rows]}


_KEPT = [_in_whole_numbers(machine) for machine in MACHINES]
