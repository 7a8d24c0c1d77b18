"""Files that a page carries: certificates and scenes as JSON, in elements that no browser runs, to be saved again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from ..checker import InvalidCertificate, validate
from ..proof.certificate import Certificate
from .markup import Markup, tag

_MOST_ROWS, _MOST_COLUMNS = 50_000, 20_000
"""A certificate with a number for each of more rows, or columns, is not even written: it would not fit in."""


@dataclass
class Embedded:
    """The files of a page, as many as there is room for."""

    room: int
    """Letters that are left."""
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By their keys: what a file is called, and its text."""

    def add(self, key: str, file: str, text: str) -> bool:
        """Embed a file if there is room for it."""
        safe = in_page(text)
        if len(safe) > self.room:
            return False
        self.room -= len(safe)
        self.files[key] = (file, safe)
        return True

    def link(self, key: str) -> Markup:
        """Return what saves a file; a script makes it work, and shows it."""
        file, text = self.files[key]
        label = f"save {file} ({len(text) / 1000:,.0f} kB)"
        return tag("a", label, href="#", download=file, data_file=f"file-{key}", hidden=True, class_="download")

    def elements(self) -> Markup:
        """Return what holds the files."""
        return Markup(
            "\n".join(
                f'<script type="application/json" id="file-{key}">{text}</script>' for key, (_, text) in self.files.items()
            )
        )


def in_page(text: str) -> str:
    r"""Write JSON so that no page can take any of it for its own markup; it stays the same JSON.

    >>> in_page('{"a": "</script><!--&"}')
    '{"a": "\\u003c/script\\u003e\\u003c!--\\u0026"}'
    """
    for each in "<>&\u2028\u2029":
        text = text.replace(each, f"\\u{ord(each):04x}")
    return text


def certificate_text(certificate: Certificate) -> str | None:
    """Return a certificate as JSON; None if it is too large for a page, or cannot be written at all."""
    subject = certificate.problem
    if subject.dimension > _MOST_COLUMNS or (certificate.cover is not None and subject.rows > _MOST_ROWS):
        return None
    document = certificate.document()
    try:
        validate(document)
    except InvalidCertificate:  # such as a class with a name that no file holds
        return None
    return json.dumps(document)
