"""Every error and warning of the library that is its own."""

from __future__ import annotations

from typing import Any


class CacheWarning(UserWarning):
    """There is no folder to keep compiled loops in, so that every process compiles them anew; results are the same."""


class RoundingWarning(UserWarning):
    """Rounding exact weights to float64 changes what they say of a training row."""


class SeparationWarning(UserWarning):
    """The classes are separable or quasi-separable, so that a logistic regression has no maximum-likelihood estimate."""


class Parted:
    """An error whose arguments are the parts of its message, texts and remedies; see `support.remedies`.

    As a text it speaks to users of Python. The command line words the parts for its own users.
    """

    args: tuple[Any, ...]

    @property
    def parts(self) -> tuple[Any, ...]:
        """The texts and remedies of the message, in order."""
        return self.args

    def __str__(self) -> str:
        return "".join(map(str, self.args))


class TableError(Parted, ValueError):
    """A table, or what is chosen of it, cannot be taken for what it should be, and why."""


class FileError(TableError):
    """A file cannot be read for what it should be, and why."""


class LongTable(Parted, ValueError):  # noqa: N818 (it is what it says)
    """A table would have too many lines, and what to ask for instead."""


class OtherTable(FileError):  # noqa: N818 (it is what it says)
    """A table is not like the one that was learnt from: it lacks columns, or has values that were not there."""


class NoExercise(Parted, ValueError):  # noqa: N818 (it is what it says)
    """There is no exercise as asked for, or none was found.

    Attributes
    ----------
    proved : bool
        Whether none can exist; else none was found in the time.
    """

    def __init__(self, *parts: Any, proved: bool = False) -> None:
        super().__init__(*parts)
        self.proved = proved


class ModelError(ValueError):
    """A file is not a model that this version of the library can read, and why."""
