"""How to check it all, and what of the data is in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...problem.row_names import RowNames
from ...proof.certificate import Certificate
from ...support.counts import counted
from ...support.escaping import command
from ..draft import Draft
from ..embedded import Embedded, certificate_text
from ..markup import Markup, code, paragraphs, section, table, tag

_MOST_ROWS = 40
"""Rows that are named one by one."""


class Proof(NamedTuple):
    """A certificate, and how it is made again."""

    key: str
    file: str
    claims: str
    certificate: Callable[[], Certificate]
    words: list[str] | None
    """The command that writes it; None if there is none."""
    code: str
    """The same in Python."""
    holds_values: bool


def proofs(draft: Draft) -> list[Proof]:
    """Return all certificates that there are."""
    answers, found = draft.answers, []
    verdict, margin, least = answers.verdict, answers.margin, answers.disagreement
    if verdict is not None and verdict.certificate is not None:
        certificate = verdict.certificate
        found.append(Proof(
            "verdict", "verdict.json", f"the verdict: {certificate.claim}", lambda: certificate, ["decide"],
            "sx.decide(X, y).certificate", certificate.obstruction is not None,
        ))  # fmt: skip
    if margin is not None:
        for key, name, sign in (("at_least", "margin-at-least", "at least"), ("at_most", "margin-at-most", "at most")):
            bound = margin.lo if key == "at_least" else margin.hi
            found.append(Proof(
                name, f"{name}.json", f"the margin is {sign} {bound:.6g}", partial(getattr, margin, key), None,
                f'sx.margin(X, y, kind="geometric").{key}', False,
            ))  # fmt: skip
    if least is not None and least.lower > 0:
        found.append(Proof(
            "errors", "errors.json", f"no hyperplane makes fewer than {counted(int(least.lower), 'error')}",
            lambda: least.certificate, ["least-errors"], "sx.least_errors(X, y).certificate", False,
        ))  # fmt: skip
    return found


def embed_proofs(draft: Draft, embedded: Embedded) -> dict[str, str]:
    """Embed the certificates; return why those are missing that are."""
    missing = {}
    for proof in proofs(draft):
        if draft.without_rows and proof.holds_values:
            missing[proof.key] = "it holds values of rows, which are left out of this report"
            continue
        text = certificate_text(proof.certificate())
        if text is None or not embedded.add(proof.key, proof.file, text):
            missing[proof.key] = "it is too large for this file"
    return missing


def checking_section(draft: Draft, embedded: Embedded, missing: dict[str, str]) -> Markup:
    """Write how every claim is checked by somebody who does not trust this report."""
    title, there = "How to check it", proofs(draft)
    if not there:
        return section("checking", title, paragraphs("Nothing in this report is proved."), _scenes(draft, embedded))
    origin, rows = draft.material.origin, []
    for proof in there:
        found = embedded.link(proof.key) if proof.key in embedded.files else f"not here, as {missing[proof.key]}"
        rows.append([proof.claims, [proof.file, ": ", found]])
    body: list[Any] = [
        paragraphs(
            "Each claim has a certificate, a file that anybody can check against the data without trusting how it was "
            "found. These are embedded in this page; save them first."
        ),
        table("Certificates", ["claim", "file"], rows, key="certificates", words=2),
    ]
    first = there[0].file
    if origin.files:
        body += _on_command_line(draft, there, first, missing)
    body += [
        paragraphs("In Python, with the same rows X and labels y (or what sx.read_data returns):"),
        code("import separatrix as sx", f'sx.verify(sx.Certificate.load("{first}"), X, y)'),
    ]
    lost = [proof for proof in there if proof.key in missing]
    if lost and not origin.files:
        body += [paragraphs("Those that are not here are made by:"), code(*(proof.code for proof in lost))]
    return section("checking", title, *body, _scenes(draft, embedded))


def _on_command_line(draft: Draft, there: Sequence[Proof], first: str, missing: dict[str, str]) -> list[Markup]:
    origin = draft.material.origin
    checks = [command(["separatrix", "verify", proof.file, *origin.files, *origin.kind]) for proof in there]
    alone = [
        "separatrix checker > checker.py",
        command(["python", "checker.py", first, *origin.files]),
    ]
    body = [
        paragraphs("With separatrix:"), code(*checks),
        paragraphs("Without it, by one file of plain Python that needs nothing else (for CSV, TSV and LIBSVM):"),
        code(*alone),
    ]  # fmt: skip
    again = [
        command(["separatrix", *proof.words, *origin.files, *origin.options, "--certificate", proof.file])
        for proof in there
        if proof.key in missing and proof.words is not None
    ]
    if again:
        body += [paragraphs("Certificates that are not here are written by:"), code(*again)]
    return body


def _scenes(draft: Draft, embedded: Embedded) -> Markup | None:
    kept = [key for key in draft.scenes if f"scene-{key}" in embedded.files]
    if not kept:
        return None
    links: Iterable[Any] = [[" ", embedded.link(f"scene-{key}")] for key in kept]
    return paragraphs(["What the pictures are drawn from is here as well, as JSON:", *links, "."])


def embed_scenes(draft: Draft, embedded: Embedded) -> None:
    """Embed what the pictures are drawn from."""
    for key, scene in draft.scenes.items():
        embedded.add(f"scene-{key}", f"scene-{key}.json", scene.to_json())


def contents_section(draft: Draft) -> Markup:
    """Say what of the data is in the file, for whoever passes it on."""
    texts: list[Any] = ["This file has the names of columns, categories and classes, and numbers about all rows together."]
    if draft.without_rows:
        texts.append(
            "No row is written out in it, and none is a point of a picture. Its numbers are computed from rows, and "
            "where few rows decide one of them, as in a column that is 0 in nearly all rows, it can give their values away."
        )
    else:
        texts += _rows_shown(draft)
        texts.append("To leave the values of rows out, make the report with --without-rows (in Python, without_rows=True).")
    return section("contents", "What of the data is in this file", paragraphs(*texts))


def _rows_shown(draft: Draft) -> list[Any]:
    texts: list[Any] = []
    valued, problem = sorted(draft.valued), draft.material.problem
    if valued and problem is not None:  # of more than two classes none are
        some = RowNames(problem, valued[:_MOST_ROWS]).listed(valued, _MOST_ROWS)
        texts.append(["Values of these rows are written in it: ", tag("span", some, data_name="rows-shown"), "."])
    if draft.drawn:
        texts.append(f"{counted(len(draft.drawn), 'row')} of {draft.material.n:,} are points in its pictures.")
    if not texts:
        texts.append("It has no values of single rows.")
    return texts
