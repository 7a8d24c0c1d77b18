"""The line that learns a classifier of a comparison with ``separatrix fit``, and makes the errors of the table."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ..estimators.family import ALGORITHMS, Member
from ..problem.provenance import Choice, Layout
from ..support.escaping import command
from .algorithms import named
from .options import words_of_choice, words_of_layout

MODEL = "model.json"
"""Where the line writes the model to."""


def fit_lines(
    data: list[str], choice: Choice, layout: Layout, scale: str, candidates: dict[str, Any]
) -> dict[str, str]:  # fmt: skip
    """Return a line for each candidate, by its title in the comparison."""
    where = [*data, *words_of_choice(choice), *words_of_layout(layout)]
    by_title = {member.title: member for member in ALGORITHMS.values()}
    scaled = [] if scale == "none" else ["--scale", scale]
    return {
        title: command(
            ["separatrix", "fit", *where, *options_of(by_title[title], estimator), *scaled, "--model", MODEL]
        )
        for title, estimator in candidates.items()
    }  # fmt: skip


def options_of(member: Member, estimator: Any) -> list[str]:
    """Return the options of ``fit`` that make such a classifier, where it is not made so by default.

    >>> from separatrix import Perceptron
    >>> options_of(ALGORITHMS["averaged"], Perceptron(average=True, max_iter=10, order="shuffle", random_state=0))
    ['--algorithm', 'averaged', '--order', 'shuffle', '--max-iter', '10']
    """
    usual = {name: each.default for name, each in signature(member.load()).parameters.items()}
    if "seed" in (member.options or {}):
        usual["random_state"] = 0
    words = ["--algorithm", member.name]
    for option, parameter in (member.options or {}).items():
        value = getattr(estimator, parameter)
        if value != usual[parameter]:
            words += [named(option), "none" if value is None else str(value)]
    return words
