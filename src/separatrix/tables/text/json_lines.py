"""JSON lines: an object in each line, written out as CSV with a column for each key."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...exceptions import FileError
from ...problem.provenance import Layout, Place
from ...support.escaping import brief
from ...support.limits import enough_memory
from ..sources import Source
from .transcript import Number, Transcript, cell_text, layout_of_transcript


def as_text(source: Source, layout: Layout) -> tuple[Source, Layout]:
    """Write JSON lines out as text, their numbers as they are; return also how. A key that a line lacks is a gap."""
    written = replace(layout_of_transcript(layout), header=True)
    with enough_memory(source.name):
        names: dict[str, None] = {}
        objects = []
        for line, found in _objects(source):
            names.update(dict.fromkeys(found))
            objects.append((line, found))
        if not objects:
            raise FileError(f"{source.name} is empty: expected an object of JSON in each line.")
        if not names:
            raise FileError(f"{source.name} holds objects of JSON without any key: there are no columns.")
        transcript = Transcript(written)
        transcript.write([" ".join(name.splitlines()) for name in names])
        for line, found in objects:
            transcript.write([cell_text(found.get(name), written) for name in names], line + 1)
    return transcript.source(source, lines_before=1), written


class _Twice(ValueError):  # noqa: N818 (it is what it says)
    """A key that an object has twice."""


def _objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects, each with the number of its line."""
    content = source.buffer().to_pybytes()
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeError:
        encoding = "UTF-16" if wide else "UTF-8"
        raise FileError(f"{source.name} is not text in {encoding}. Save it in UTF-8, as is usual for JSON.") from None
    decoder = json.JSONDecoder(
        parse_float=Number, parse_int=Number, parse_constant=_constant, object_pairs_hook=_without_repetition
    )
    for line, record in enumerate(text.split("\n"), 1):
        if not record.strip():
            continue
        place = Place(source.name, "line", line)
        try:
            found = decoder.decode(record.strip())
        except _Twice as error:
            raise FileError(f"{place}: the key {brief(str(error))} is there twice.") from None
        except RecursionError:
            raise FileError(f"{place}: values within values without an end. {_FORM}") from None
        except ValueError as error:
            reason = getattr(error, "msg", None) or str(error)
            raise FileError(f"{place}: this is not JSON ({reason}). {_FORM}") from None
        if not isinstance(found, dict):
            what = "a list" if isinstance(found, list) else "a value"
            raise FileError(f"{place}: {what}, not an object of JSON. {_FORM}")
        for key, value in found.items():
            if isinstance(value, dict | list):
                what = "an object" if isinstance(value, dict) else "a list"
                raise FileError(f"{place}, key {brief(key)}: {what}, which is no value of a table. {_FORM}")
        yield line, found


_FORM = 'Each line is one flat object, as in {"age": 31, "job": "cook", "paid": true}.'


def _constant(text: str) -> Number:
    if text != "NaN":
        raise ValueError(f"{text} is no number")
    return Number(text)  # which stands for a missing value


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice(next(key for k, (key, _) in enumerate(pairs) if key in dict(pairs[:k])))
    return found
