"""How columns are scaled before a classifier sees them, as JSON: the key ``scaling`` of the model file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Floats
from ..estimators.scaler import Scaler, scaling_of
from ..problem.scaling import KINDS, Scaling
from .fields import Section, choice, each, rational, refuse


def write_scaling(scaler: Scaler) -> dict[str, Any]:
    """Return what a fitted scaler has learnt as JSON has it; its numbers exact."""
    scaling = scaling_of(scaler)
    written = {"shift": scaling.shift, "scale": scaling.scale}
    return {
        "kind": scaling.kind,
        **{name: [str(Fraction(float(number))) for number in numbers] for name, numbers in written.items()},
    }


def read_scaling(document: Any, d: int | None) -> Scaling:
    """Return a scaling of so many columns."""
    section = Section(document, "scaling", "kind", "shift", "scale")
    kind: Any = section.get("kind", choice, *(name for name in KINDS if name != "none"))
    shift, scale = (_numbers(document[name], f"scaling.{name}", d) for name in ("shift", "scale"))
    for k, number in enumerate(scale.tolist()):
        if number <= 0.0:
            refuse(f"scaling.scale[{k}]", "above 0", document["scale"][k])
    if kind == "maxabs" and shift.any():
        refuse("scaling.shift", "0 throughout, as the kind is 'maxabs'", document["shift"])
    return Scaling(kind, shift, scale)


def _numbers(value: Any, where: str, d: int | None) -> Floats:
    """Read exact numbers that are float64."""
    found = each(rational, value, where, d)
    for k, number in enumerate(found):
        try:
            held = Fraction(float(number)) == number
        except OverflowError:
            held = False
        if not held:
            refuse(f"{where}[{k}]", "a number that float64 holds", value[k])
    return np.array(found, np.float64)
