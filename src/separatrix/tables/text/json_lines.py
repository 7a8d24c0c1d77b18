"""JSON lines: an object in each line, written out as CSV with a column for each key."""

from __future__ import annotations

import codecs
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
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
    with enough_memory(source.name):
        objects = list(objects_in(source.buffer().to_pybytes(), source.name))
        names = dict.fromkeys(name for _, found in objects for name in found)
        require_names(source.name, names, len(objects))
        return written(source, objects, list(names), layout), layout_of_objects(layout)


def layout_of_objects(layout: Layout) -> Layout:
    """Return how JSON lines are written out."""
    return replace(layout_of_transcript(layout), header=True)


def require_names(name: str, names: Collection[str], objects: int) -> None:
    """Refuse a file without objects, or without any key in them."""
    if not objects:
        raise FileError(f"{name} is empty: expected an object of JSON in each line.")
    if not names:
        raise FileError(f"{name} holds objects of JSON without any key: there are no columns.")


def written(
    source: Source,
    objects: Iterable[tuple[int, dict[str, Any]]],
    names: Sequence[str],
    layout: Layout,
    before: int | None = None,
) -> Source:
    """Write objects out as text: with the names above, or as the rows that come after so many lines of the file."""
    how = layout_of_objects(layout)
    transcript = Transcript(how)
    if before is None:
        transcript.write([" ".join(name.splitlines()) for name in names])
    above = 1 if before is None else -before
    for line, found in objects:
        transcript.write([cell_text(found.get(name), how) for name in names], line + above)
    return transcript.source(source, lines_before=above)


class _Twice(ValueError):  # noqa: N818 (it is what it says)
    """A key that an object has twice."""


def objects_in(content: bytes, name: str, before: int | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects, each with the number of its line; of a part of a file, in UTF-8, so many lines come before."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8" if before else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeError:
        raise FileError(
            f"{name} is not text in {'UTF-16' if wide else 'UTF-8'}. Save it in UTF-8, as is usual for JSON."
        ) from None
    decoder = json.JSONDecoder(
        parse_float=Number, parse_int=Number, parse_constant=_constant, object_pairs_hook=_without_repetition
    )
    for line, record in enumerate(text.split("\n"), (before or 0) + 1):
        if not record.strip():
            continue
        place = Place(name, "line", line)
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
