"""What there is to report of a fit: facts, as JSON has them, and sentences for a person."""

from __future__ import annotations

import math
from typing import Any

from ..support.counts import counted
from ..support.escaping import shown

COMMON = ("kernel", "gamma")
"""Facts that are the same for all copies of an estimator."""

_MAX_CLASSES = 10
"""Classes up to which all of them are named."""


def facts(classifier: Any, attributes: dict[str, str]) -> dict[str, Any]:
    """Return facts of a fitted classifier, by the attributes that have them; of copies lists, with that of each class."""
    if hasattr(classifier, "estimators_"):
        each = [facts(copy, attributes) for copy in classifier.estimators_]
        return {key: each[0][key] if key in COMMON else [found[key] for found in each] for key in attributes}
    return {key: _plain(name, getattr(classifier, name)) for key, name in attributes.items()}


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it: a single hyperplane without a list around it, nothing for what is not finite."""
    if name in ("coef_", "intercept_") and len(value) == 1:
        value = value[0]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple):
        return [_plain("", each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Sentences. Each is told of a result, which has the facts, the classes, and the time that it took.


def of_perceptron(result: dict[str, Any], seconds: str) -> str:
    """Say how a run went."""
    verb = "made its last mistake, and then went through all rows without one" if result["halted"] else "was still erring"
    work = f"{counted(result['mistakes'], 'mistake')} in {counted(result['passes'], 'pass')}"
    return f"The perceptron {verb}: {work}, {seconds}."


def of_averaged(result: dict[str, Any], seconds: str) -> str:
    """Say how a run went whose weights are averaged."""
    return f"{of_perceptron(result, seconds)} The weights are their mean over all visits."


def of_votes(result: dict[str, Any], seconds: str) -> str:
    """Say how a run went whose weights vote."""
    if isinstance(result["mistakes"], list):
        how = "All weights they went through vote, each with the visits it survived; the largest share of votes wins."
        return _of_each_perceptron(result, seconds, how)
    votes = f"All weights it went through vote, each with the visits it survived: {result['visits']:,} votes."
    return f"{of_perceptron(result, seconds)} {votes}"


def of_pocket(result: dict[str, Any], seconds: str) -> str:
    """Say what is in the pocket."""
    if isinstance(result["updates"], list):
        lines = _of_each(result, ("updates", "errors"))
        return f"Each class has a pocket, with the best weights that set it against the rest, {seconds}:\n{lines}"
    return (
        f"The pocket holds the best weights of {counted(result['updates'], 'update')}: "
        f"{counted(result['errors'], 'error')}, {seconds}."
    )


def of_margin(result: dict[str, Any], seconds: str) -> str:
    """Say how wide the margin is."""
    low, high = result["margin"]
    bounds = f"{low:.6g}" if high is None or f"{low:.6g}" == f"{high:.6g}" else f"between {low:.6g} and {high:.6g}"
    held = f"Rows that hold the hyperplane in its place: {len(result['support']):,}."
    return f"The largest margin is {bounds}, as a distance of rows from the hyperplane, {seconds}. {held}"


def of_least_squares(_: dict[str, Any], seconds: str) -> str:
    """Say what least squares are not."""
    return f"The least squares of the labels -1 and 1, {seconds}. They need not separate what is separable."


def of_program(result: dict[str, Any], seconds: str) -> str:
    """Say whether the hyperplane of the least violation separates."""
    separated = result["separated"]
    if isinstance(separated, list):
        apart = [each for each, alone in zip(result["classes"], separated, strict=True) if alone]
        these = some(apart, _MAX_CLASSES) or "none"
        return f"The least violation, {seconds}. Classes that a hyperplane separates from the rest: {these}."
    if separated:
        return f"The hyperplane separates the classes, which is proved, {seconds}."
    return (
        f"The hyperplane does not separate the classes; its violation, {result['violation']:.6g}, is the least, {seconds}."
    )


def of_kernel(result: dict[str, Any], seconds: str) -> str:
    """Say how a run by kernels went."""
    kernel = f"kernel {result['kernel']}" + ("" if result["kernel"] == "linear" else f", gamma {result['gamma']:.4g}")
    if isinstance(result["mistakes"], list):
        how = f"They are known by the rows they erred on ({kernel}); the largest score wins."
        return _of_each_perceptron(result, seconds, how)
    text = f"{of_perceptron(result, seconds)} It is known by the {counted(len(result['support']), 'row')} it erred on "
    text += f"({kernel})."
    if result["most_mistakes"] is not None:
        text += (
            " By the margin of its own weights in feature space, no order of visits leads to more than "
            f"{counted(math.floor(result['most_mistakes']), 'mistake')}."
        )
    return text


# More than two classes, each against the rest.


def _of_each_perceptron(result: dict[str, Any], seconds: str, how: str) -> str:
    lines = _of_each(result, ("mistakes", "passes", "halted", "visits", "support", "most_mistakes"))
    return f"Each class has a perceptron that sets it against the rest, {seconds}:\n{lines}\n{how}"


def _of_each(result: dict[str, Any], keys: tuple[str, ...]) -> str:
    keys = tuple(key for key in keys if key in result)
    found = [dict(zip(keys, values, strict=True)) for values in zip(*(result[key] for key in keys), strict=True)]
    return listed(result["classes"], list(map(_in_short, found)))


def _in_short(found: dict[str, Any]) -> str:
    """Say how learning went for one class.

    >>> _in_short({"mistakes": 7, "passes": 10, "halted": False, "visits": 1500})
    '7 mistakes in 10 passes, still erring; 1,500 votes'
    >>> _in_short({"mistakes": 7, "passes": 3, "halted": True, "support": [0, 4], "most_mistakes": 9.5})
    '7 mistakes on 2 rows in 3 passes, the last without one; in no order more than 9'
    """
    if "updates" in found:
        return f"{counted(found['errors'], 'error')} after {counted(found['updates'], 'update')}"
    rows = f" on {counted(len(found['support']), 'row')}" if "support" in found else ""
    text = f"{counted(found['mistakes'], 'mistake')}{rows} in {counted(found['passes'], 'pass')}, "
    text += "the last without one" if found["halted"] else "still erring"
    if "visits" in found:
        text += f"; {counted(found['visits'], 'vote')}"
    if found.get("most_mistakes") is not None:
        text += f"; in no order more than {math.floor(found['most_mistakes']):,}"
    return text


def some(classes: list[Any], most: int) -> str:
    """Name classes, if they are not too many.

    >>> some(["aster", "rose", "tulip"], 3), some([1, 2, 3], 2)
    ('aster, rose, tulip', '1, 2, …')
    """
    return ", ".join(map(shown, classes[:most])) + (", …" if len(classes) > most else "")


def listed(classes: list[Any], texts: list[str]) -> str:
    """Write what there is to say of each class on a line, if they are not too many."""
    lines = [f"  {shown(label)}: {text}" for label, text in zip(classes, texts, strict=True)]
    if len(lines) > _MAX_CLASSES:
        lines[_MAX_CLASSES:] = [f"  … and {counted(len(classes) - _MAX_CLASSES, 'more class')}"]
    return "\n".join(lines)
