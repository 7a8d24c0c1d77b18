"""What is known of rows in blocks, wherever they are: names, classes, the table that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checker import refuse
from ..problem.provenance import Column, Provenance
from ..proof.certificate import Subject
from ..support.escaping import brief
from ..tables.cells import class_called
from ..tables.data import Data
from ..tables.learnt import Learnt
from .answers import Answering


class KnownRows(Answering):
    """Rows in blocks, which may come from a table."""

    @property
    def known(self) -> Data | Learnt | None:
        """What there is to know of the table that the rows come from, if they come from one."""
        return None

    @property
    def whole(self) -> Data | None:
        """The rows as they were read, where they could only be read as a whole."""
        return None

    @property
    def table_columns(self) -> tuple[str, ...] | None:
        """What the columns of the table are called that the rows come from, if it is read in pieces; that takes no pass."""
        return None

    def in_columns(self, columns: tuple[Column, ...] | None, unseen: str) -> KnownRows:
        """Return the rows of a table in columns that were learnt before; ``unseen`` as in `read_data`."""
        return self

    def against_rest(self, label: Any) -> KnownRows:
        """Return the same rows, labelled by whether they are of a class: True or False."""
        raise NotImplementedError

    def locate(self, rows: Sequence[int]) -> list[str]:
        """Say where rows are in the files they come from."""
        return list(map(str, self.places(rows)))

    def as_certificate_says(self, subject: Subject) -> KnownRows:
        """Return the rows in the columns that a certificate names, where they come from a table and are in others."""
        columns, named = subject.columns or (), self.table_columns
        absent = next((each.source for each in columns if named is not None and each.source not in named), None)
        if absent is not None:
            refuse(f"The data is not that of the certificate: it has no column {brief(absent)}.")
        return self.in_columns(subject.columns, "ignore")

    @property
    def classes(self) -> tuple[Any, ...]:
        """The distinct labels, sorted."""
        return self.facts.classes

    @property
    def provenance(self) -> Provenance:
        """How the columns come from the table."""
        if self.whole is not None:
            return self.whole.provenance
        known = self.known
        as_float64 = known is not None and known.table is not None and known.decimals is None
        folded = known is not None and known.ignore_case
        return Provenance(self.facts.columns, self.facts.table, "float64" if as_float64 else "auto", folded)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        columns = self.facts.columns
        return [f"x{j + 1}" for j in range(self.facts.d)] if columns is None else list(map(str, columns))

    def notes(self) -> list[str]:
        """Return what whoever uses the rows should know of them."""
        return [] if self.known is None else self.known.notes()

    def class_called(self, text: str) -> Any:
        """Return the class that a text names, as `Data.class_called` does."""
        classes, known = self.facts.classes, self.known
        return class_called(text, classes, tuple(map(str, classes)) if known is None else known.texts)
