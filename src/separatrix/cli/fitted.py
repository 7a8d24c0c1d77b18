"""What ``fit`` has found: for JSON, in words, and what there is to do about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..estimators.reports import some
from ..problem.provenance import Choice, Layout
from ..support.counts import counted, percent
from ..support.escaping import command, shown, tamed
from ..support.interruption import is_kept
from .algorithms import drawn, told
from .algorithms import findings as facts_of
from .kernels import allowed_by_kernel
from .lessons import Lesson
from .options import words_of_choice, words_of_layout
from .pages import Page
from .scaling import in_given_units
from .terminal import progress
from .wording import MAX_CLASSES_SHOWN

_FEW_ROWS = 2_000
"""Rows of which the errors are counted at once, whatever has learnt."""


def findings(lesson: Lesson, seconds: float, interrupted: bool = False) -> dict[str, Any]:
    """Return what was learnt, with its errors, for JSON: None where Ctrl-C left no time to count them."""
    from ..problem.majority import Majority

    classifier, tested = lesson.classifier, lesson.tested
    hurried = interrupted and lesson.way.quadratic and len(lesson.kept) > _FEW_ROWS
    result: dict[str, Any] = {
        "algorithm": lesson.algorithm, "rows": len(lesson.kept), "features": lesson.rows.names,
        **facts_of(lesson.algorithm, classifier),
        "training_errors": None if hurried else _errors(classifier, lesson.X, lesson.y), "seconds": round(seconds, 6),
        "classes": lesson.classes, "majority": Majority.of(lesson.y, lesson.classes).document(),
    }  # fmt: skip
    if lesson.scaling is not None:
        result |= in_given_units(result, classifier, lesson.scaling)
    if len(tested) and not hurried:
        wrong = _errors(classifier, lesson.rows_kept_back(), lesson.labels[tested])
        accuracy = None if wrong is None else 1 - wrong / len(tested)
        result["holdout"] = {"rows": len(tested), "errors": wrong, "accuracy": accuracy}
    return result


def _errors(classifier: Any, X: Any, y: Any) -> int | None:
    """Count the rows that are predicted wrong; None if Ctrl-C came."""
    with progress("counting the errors", "Ctrl-C leaves that out"):
        try:
            return int((classifier.predict(X) != y).sum())
        except KeyboardInterrupt as reason:
            is_kept(reason)
            return None


def hold_against_theorem(lesson: Lesson, result: dict[str, Any], notes: list[str]) -> None:
    """Add what the convergence theorem allows, or why it does not apply."""
    if lesson.algorithm == "kernel":
        found, applies = allowed_by_kernel(lesson.classifier, lesson.X, lesson.y), True
    else:
        found = _allowed(lesson.X, lesson.y, lesson.intercept, str(lesson.parameters.get("tie") or "update"))
        applies = found is not None
    if found is not None:
        result["theorem"] = found
    elif not applies:
        notes.append(
            f"Some rows lie on the hyperplane itself, where --tie {lesson.parameters.get('tie')} decides: none has every "
            "row strictly on its correct side, so that there is no margin, and the convergence theorem does not apply."
        )


def _allowed(X: Any, y: Any, intercept: bool, tie: str) -> dict[str, Any] | None:
    """Return what the convergence theorem is about, radius and margin, and the most mistakes; None if it does not apply."""
    from ..problem.problem import Problem
    from ..theorem.mistake_bound import bound_of_problem

    found = bound_of_problem(Problem.of(X, y, intercept=intercept), tie, exact=False)
    if found.margin is None:
        return None
    return {
        "radius": found.radius, "margin": [found.margin.lo, found.margin.hi], "most_mistakes": found.most_mistakes,
    }  # fmt: skip


def advice(
    result: dict[str, Any], lesson: Lesson, data: list[str], choice: Choice, layout: Layout, intercept: bool
) -> list[str]:
    """Say what there is to do about errors."""
    classes, found = result["classes"], []
    if result["algorithm"] == "pocket" and result["training_errors"]:
        errors = result["errors"]
        worst = str(classes[errors.index(max(errors))]) if isinstance(errors, list) else choice.positive
        which = "" if worst is None else f", {shown(worst)} against the rest,"
        words = [*words_of_choice(replace(choice, positive=worst)), *words_of_layout(layout)]
        words += [] if intercept else ["--no-intercept"]
        proof = command(["separatrix", "least-errors", *data, *words])
        found.append(f"How many errors no hyperplane avoids{which} is proved by: {proof}")
    if result["algorithm"] in ("kernel", "voted") and len(classes) > 2 and not all(result["halted"]):
        erring = [each for each, rested in zip(classes, result["halted"], strict=True) if not rested]
        why = (
            "Either no hyperplane in the feature space of this kernel sets such a class apart from the rest, or it takes "
            "more passes (--max-iter), or a kernel with more features: a higher --degree, a larger --gamma."
            if result["algorithm"] == "kernel"
            else "Their votes may be poor where rows are sorted by class or columns differ in size: try --order shuffle, "
            "--scale standard, or more passes (--max-iter)."
            if lesson.scaling is None
            else "Their votes may be poor where rows are sorted by class: try --order shuffle, or more passes (--max-iter)."
        )
        found.append(f"Still erring: {some(erring, MAX_CLASSES_SHOWN)}. {why}")
    return found


def show_fit(result: dict[str, Any], lesson: Lesson) -> None:
    """Say what was found to a person."""
    from ..problem.majority import Majority

    out = Page()
    classes = result["classes"]
    if len(classes) == 2:
        about = f"{shown(classes[1])} against {shown(classes[0])}"
    else:
        about = f"{counted(len(classes), 'class')}, {some(classes, MAX_CLASSES_SHOWN)}"
    out.print(f"{counted(result['rows'], 'row')}, {counted(len(result['features']), 'feature')}: {about}.")
    if lesson.scaling is not None:
        out.print(f"Columns are scaled first: {lesson.scaling.in_words()}. What follows is about scaled rows{_but(result)}.")
    out.print(told(result))
    if "theorem" in result:
        theorem, lifted = result["theorem"], " lifted by a 1" if lesson.intercept else ""
        by_kernel = result["algorithm"] == "kernel"
        # The bound above it, if there is one, is by a smaller margin.
        which = ", by the largest margin and not by that of the weights learnt" if by_kernel else ""
        out.print(
            f"The convergence theorem allows {counted(theorem['most_mistakes'], 'mistake')}{which}: rows{lifted} have the "
            f"radius {theorem['radius']:.4g} and the margin {theorem['margin'][0]:.4g}"
            f"{', in feature space' if by_kernel else ''}."
        )
    drawing = drawn(result, ">=" if lesson.parameters.get("tie") == "positive" else ">")
    if drawing is not None:
        out.print(f"\n{drawing}\n")
    wrong = result["training_errors"]
    counted_errors = (
        "Training errors: not counted." if wrong is None else f"Training errors: {wrong:,} of {result['rows']:,}."
    )
    out.print(f"{counted_errors} {Majority.of(lesson.y, classes).in_words()}")
    held = result.get("holdout")
    if held is not None and held["errors"] is not None:
        out.print(
            f"Rows kept back: {counted(held['errors'], 'error')} in {held['rows']:,}, "
            f"{percent(held['rows'] - held['errors'], held['rows'])} right."
        )
    for what, key in (("Model", "model"), ("Steps", "steps_file")):
        if result.get(key):
            out.print(f"{what} written to {shown(result[key])}.")
    for note in result["notes"]:
        out.print(tamed(f"Note: {note}"))


def _but(result: dict[str, Any]) -> str:
    return ", but for the weights, which are those of the columns as they are" if "coef" in result else ""
