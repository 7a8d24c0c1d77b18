"""Text cut into spans of whole lines, for as many cores as there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Bytes
from ...compiled import libsvm_lines
from ...compiled.decimals import NEWLINE
from ...support.threads import in_parts


class Span(NamedTuple):
    """Whole lines of a text, and how many colons and newlines are in them: more entries and rows there cannot be."""

    text: Bytes
    start: int
    stop: int
    colons: int
    lines: int


def spans_of(text: Bytes) -> list[Span]:
    """Divide a text among threads. A last line without its newline gets one, in a copy."""
    end = libsvm_lines.last_line(text)
    body = text[:end]
    surveys = in_parts(lambda a, b: libsvm_lines.survey(body, a, b), body.size, body.size)
    spans = [Span(body, *survey) for survey in surveys]
    if end < text.size:
        tail = np.append(text[end:], np.uint8(NEWLINE))
        tail.flags.writeable = False
        spans.append(Span(tail, *libsvm_lines.survey(tail, 0, tail.size)))
    return spans
