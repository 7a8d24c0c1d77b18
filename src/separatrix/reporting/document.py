"""The page: one HTML file that needs nothing else, and allows nothing but its own style and its own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from ..support.counts import counted
from .draft import Draft
from .embedded import Embedded
from .markup import Markup, items, name, number, paragraphs, tag
from .sections.checking import checking_section, contents_section, embed_proofs, embed_scenes
from .sections.classifier import classifier_section
from .sections.columns import columns_section
from .sections.comparison import comparison_section
from .sections.errors import errors_section
from .sections.margin import margin_section
from .sections.several import several_section
from .sections.theorem import theorem_section
from .sections.verdict import facts, headline, verdict_section

MOST_BYTES = 2_000_000
"""A report is smaller than this, whatever the data."""

_ROOM_FOR_MARKUP = 60_000
"""Bytes that are kept for what comes after the files are embedded: links to them, the style, the script."""


def page(draft: Draft, version: str) -> str:
    """Write the page."""
    sections = _sections(draft)
    used = sum(len(each.encode()) for each in sections) + _ROOM_FOR_MARKUP
    embedded = Embedded(room=max(0, MOST_BYTES - used))
    missing = embed_proofs(draft, embedded)
    embed_scenes(draft, embedded)
    sections += [contents_section(draft), checking_section(draft, embedded, missing)]
    title = f"Report on {name(draft.material.origin.title)}"
    style, script = (files(__package__).joinpath(each).read_text(encoding="utf-8") for each in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    return "\n".join([
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="separatrix {version}">',
        '<meta name="referrer" content="no-referrer">',
        tag("title", title),
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#main">Skip to the report</a>',
        _header(draft, title),
        _contents(sections),
        '<main id="main">',
        *sections,
        "</main>",
        _footer(draft, version),
        embedded.elements(),
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ])  # fmt: skip


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _sections(draft: Draft) -> list[Markup]:
    if draft.material.problem is None:
        return [several_section(draft), comparison_section(draft), columns_section(draft)]
    return [
        each(draft)
        for each in (
            verdict_section, classifier_section, margin_section, errors_section, theorem_section, comparison_section,
            columns_section,
        )
    ]  # fmt: skip


def _header(draft: Draft, title: str) -> Markup:
    return tag("header", tag("h1", title), _verdict(draft), _stopped(draft), _facts(draft))


def _verdict(draft: Draft) -> Markup:
    if draft.material.problem is None:
        return paragraphs(f"{len(draft.material.classes):,} classes; nothing is proved of more than two.")
    words, sentence, kind = headline(draft)
    found = draft.answers.verdict
    status = "unknown" if found is None else str(found.status)
    strong = tag("strong", number("status", words, status))
    return tag("div", strong, tag("p", sentence), class_=f"verdict {kind}")


def _stopped(draft: Draft) -> Markup | None:
    if not draft.answers.interrupted and not draft.answers.out_of_time:
        return None
    what = "Ctrl-C" if draft.answers.interrupted else f"The time limit of {draft.limits.seconds:g} s"
    return tag("div", paragraphs(f"{what} ended the work. Not done:"), items(draft.answers.missing), class_="alert")


def _facts(draft: Draft) -> Markup:
    return tag(
        "dl",
        [tag("div", tag("dt", title), tag("dd", number(key, text))) for key, title, text in facts(draft)],
        class_="facts",
    )


def _contents(sections: Sequence[Markup]) -> Markup:
    """List the sections, by the headings that they have."""
    found: list[Any] = []
    for each in sections:
        heading = re.search(r'<h2 id="([\w-]+)-title">(.*?)</h2>', each)
        assert heading is not None
        found.append(tag("li", tag("a", Markup(heading[2]), href=f"#{heading[1]}")))
    return tag("nav", tag("ol", found), aria_label="Contents")


def _footer(draft: Draft, version: str) -> Markup:
    seconds = sum(draft.answers.seconds.values())
    return tag(
        "footer",
        tag("p", f"Made by separatrix {version} in {counted(max(1, round(seconds)), 'second')}. "
                 "This file is complete: it asks nothing of any other place."),
    )  # fmt: skip
