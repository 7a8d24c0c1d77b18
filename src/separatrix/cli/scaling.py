"""The option ``--scale``: rows whose columns are brought to one size, and when to say that they should be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..exceptions import FileError
from ..support.escaping import quoted

if TYPE_CHECKING:
    from ..problem.scaling import Kind, Scaling
    from ..tables.data import Data

_HELP = (
    "Bring columns to one size first: none{}, standard{} (mean 0, standard deviation 1), minmax (from 0 to 1) or maxabs (at "
    "most 1). Sparse rows are divided only."
)

Scale = Annotated[str | None, typer.Option(help=_HELP.format(" (the default)", ""))]

ScaleOfCandidates = Annotated[str | None, typer.Option(help=_HELP.format("", " (the default)"))]

_MANY_TIMES = 1000.0
"""How many times the numbers of a column must be larger than those of another to be told of."""


def read_scale(scale: str | None, default: Kind = "none") -> Kind:
    """Return what --scale was given, or the default; refuse a scaling that there is not."""
    from ..problem.scaling import KINDS

    if scale is not None and scale not in KINDS:
        raise FileError(f"--scale must be one of {', '.join(KINDS)}, got {scale!r}.")
    return default if scale is None else scale


def scaled(rows: Data, scale: Kind) -> tuple[Data, list[str]]:
    """Return data with scaled rows, and what is to be said of it; the data itself, and nothing, if there is no scaling."""
    from ..estimators.scaler import Scaler, scaling_of
    from ..problem.exact_rows import ExactRows

    if scale == "none":
        return rows, []
    scaler = Scaler(scale).fit(rows.rows)
    made = ExactRows(scaler.transform(rows.rows), names=rows.rows.names)
    # What is proved of these rows is not proved of the file.
    return replace(rows, rows=made, table=None, decimals=None), [all_of_scaled_rows(scaling_of(scaler))]


def all_of_scaled_rows(scaling: Scaling) -> str:
    """Say that an answer is about scaled rows."""
    return f"All of this is about scaled rows: {scaling.in_words()}."


def differing(rows: Data) -> str | None:
    """Say that columns differ a thousandfold in size, if they do."""
    from ..problem.scaling import differ_in_size

    found = differ_in_size(rows.rows, _MANY_TIMES)
    if found is None:
        return None
    low, high = found
    return (
        f"Columns differ a thousandfold in size: the largest magnitude of {quoted(rows.names[low])} is "
        f"{_largest(rows, low):.4g}, that of {quoted(rows.names[high])} {_largest(rows, high):.4g}. Large numbers drown "
        "small ones, unless columns are scaled"
    )


def _largest(rows: Data, column: int) -> float:
    from ..problem.rows import column_extremes

    return float(column_extremes(rows.rows.columns([column]).numerators)[0]) / rows.rows.denominator


def in_given_units(result: dict[str, Any], classifier: Any, scaling: Scaling) -> dict[str, Any]:
    """Return weights of scaled columns as those of the columns as they are, rounded once, with the former beside them."""
    from ..estimators.learnt import learnt_by
    from ..exact.rounding import nearest

    known: dict[str, Any] = {
        "scaling": {"kind": scaling.kind, "shift": scaling.shift.tolist(), "scale": scaling.scale.tolist()}
    }
    if "coef" not in result:
        return known
    each = [learnt_by(one) for one in getattr(classifier, "estimators_", [classifier])]
    vectors = []
    for learnt in each:
        weights = learnt.exact().fractions()
        size = len(weights) // learnt.vectors
        vectors += [scaling.in_given_units(weights[k : k + size]) for k in range(0, len(weights), size)]
    numbers = [[nearest(number) for number in vector] for vector in vectors]
    known["scaled"] = {"coef": result["coef"], "intercept": result["intercept"]}
    if not all(math.isfinite(number) for vector in numbers for number in vector):  # a column of next to nothing
        return {**known, "coef": None, "intercept": None}
    coef, intercept = [vector[:-1] for vector in numbers], [vector[-1] for vector in numbers]
    single = len(numbers) == 1
    return {**known, "coef": coef[0] if single else coef, "intercept": intercept[0] if single else intercept}
