"""Parts of a scene: frozen records of texts, numbers and arrays that are written as JSON and read back the same."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices

Truths = NDArray[np.bool_]

_DTYPES: dict[Any, Any] = {Floats: np.float64, Indices: np.int64, Truths: np.bool_}
_PLAIN = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class SceneError(ValueError):
    """A document is no scene, or a scene lacks what a picture is to show."""


@dataclass(frozen=True, eq=False)
class Part:
    """A record. Its fields are texts, numbers, arrays, other parts, tuples of these, or None where that is allowed."""

    def document(self) -> dict[str, Any]:
        """Return what JSON can hold; what is None is left out."""
        return {
            each.name: _written(getattr(self, each.name)) for each in fields(self) if getattr(self, each.name) is not None
        }

    @classmethod
    def of_document(cls, document: Any, where: str = "the scene") -> Self:
        """Read it back; what is missing, unknown or of another kind is refused, with its place."""
        if not isinstance(document, Mapping):
            raise SceneError(f"{where} must be an object, got {_called(document)}.")
        kinds = _kinds(cls)
        if unknown := sorted(map(str, set(document) - set(kinds))):
            raise SceneError(f"{where} has {unknown[0]!r}, which no scene of this version has.")
        return cls(**{name: _read(document.get(name), kind, f"{where}.{name}") for name, kind in kinds.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and type(self) is type(other) and self.document() == other.document()

    def __hash__(self) -> int:
        return hash(type(self))


def _kinds(cls: type[Part]) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {each.name: hints[each.name] for each in fields(cls)}


def _written(value: Any) -> Any:
    if isinstance(value, Part):
        return value.document()
    if isinstance(value, np.ndarray):
        return _written(value.tolist())
    if isinstance(value, tuple | list):
        return [_written(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):  # JSON has no such numbers
        return str(value)
    return value


def _read(value: Any, kind: Any, where: str) -> Any:
    """Read a value that must be of a kind: an annotation of a field."""
    if get_origin(kind) in (Union, types.UnionType):
        kinds = [each for each in get_args(kind) if each is not type(None)]
        if value is None and len(kinds) < len(get_args(kind)):
            return None
        return _read(value, kinds[0], where)
    if value is None:
        raise SceneError(f"{where} is missing.")
    if kind in _DTYPES:
        return _array(value, _DTYPES[kind], where)
    if isinstance(kind, type) and issubclass(kind, Part):
        return kind.of_document(value, where)
    if get_origin(kind) is tuple:
        return _tuple(value, get_args(kind), where)
    if kind is float and isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise SceneError(f"{where} must be {_PLAIN[kind]}, got {_called(value)}.")
    return value


def _tuple(value: Any, kinds: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise SceneError(f"{where} must be a list, got {_called(value)}.")
    if kinds[1:] == (Ellipsis,):
        kinds = kinds[:1] * len(value)
    if len(kinds) != len(value):
        raise SceneError(f"{where} must have {len(kinds)} entries, got {len(value)}.")
    return tuple(_read(each, kind, f"{where}[{i}]") for i, (each, kind) in enumerate(zip(value, kinds, strict=True)))


def _array(value: Any, dtype: Any, where: str) -> NDArray[Any]:
    try:
        found = np.asarray(value)
        if found.size and not _fits(found.dtype.kind, dtype):
            raise ValueError
        return found.astype(dtype)
    except (ValueError, TypeError, OverflowError):
        kind = {np.float64: "numbers", np.int64: "whole numbers", np.bool_: "true or false"}[dtype]
        raise SceneError(f"{where} must be a list of {kind}, or lists of the same length.") from None


def _fits(kind: str, dtype: Any) -> bool:
    """Whether numbers may be read as the type; floats may be texts, where JSON has no such numbers."""
    return kind in {np.float64: "fiuU", np.int64: "iu", np.bool_: "b"}[dtype]


def _called(value: Any) -> str:
    return f"{value!r:.60}" if isinstance(value, str | int | float) else type(value).__name__
