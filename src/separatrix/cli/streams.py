"""Rows in blocks: what commands read in place of `Data` where ``--memory`` says that not all rows are to be in memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.counts import few_of
from .clusters import client_at
from .proofs import ProofFiles, proof_files

if TYPE_CHECKING:
    from ..proof.certificate import Certificate
    from ..streaming.known_rows import KnownRows
    from ..tables.description_text import Description
    from ..tables.reading import Known

Memory = Annotated[
    str | None,
    typer.Option(help="Read the rows in blocks, again for each pass, and hold about so much of them: 500MB, 2GiB."),
]

_USUAL = "1GB"
"""What --memory is if only --checkpoint or --scheduler says that rows are read in blocks."""

_MAX_CLASSES_SHOWN = 6
"""Classes that are named where one of them must be chosen."""


class InBlocks(NamedTuple):
    """How rows are read in blocks: in how much memory, and by whom."""

    memory: str
    scheduler: str | None = None
    options: tuple[str, ...] = ("--memory",)
    """The options that say so."""

    def rows(self, data: list[str], layout: Layout, choice: Choice) -> KnownRows:
        """Open the rows that a command names."""
        memory = self._size(data)
        if self.scheduler is None:
            from ..streaming.stream import Stream

            return Stream.of(data, layout, choice, memory)
        client = client_at(self.scheduler)
        from ..distributed.dask_rows import DaskRows

        return DaskRows.of(data, layout, choice, memory, client)

    def again(self, data: list[str], known: Known) -> KnownRows:
        """Open rows in the columns that a model has learnt from."""
        memory = self._size(data)
        if self.scheduler is None:
            from ..streaming.stream import Stream

            return Stream.again(data, known, memory)
        client = client_at(self.scheduler)
        from ..distributed.dask_rows import DaskRows

        return DaskRows.again(data, known, memory, client)

    def described(self, data: list[str], layout: Layout, choice: Choice) -> Description:
        """Describe what a command names."""
        if self.scheduler is None:
            from ..streaming.describing import describe_files

            return describe_files(data, choice, layout, self._size(data))
        found: Description = self.rows(data, layout, choice).describe(choice.positive)
        return found

    def _size(self, data: list[str]) -> int:
        """Return how much memory there is; refuse what can be read but once."""
        from ..streaming.memory import bytes_of

        if "-" in data:
            raise FileError(
                "Standard input can be read only once, and --memory and --scheduler have the rows read again for each pass. "
                "Name a file."
            )
        try:
            return bytes_of(self.memory, "--memory")
        except ValueError as error:
            raise FileError(str(error)) from None


def in_blocks(memory: str | None, scheduler: str | None, checkpoint: Path | None = None) -> InBlocks | None:
    """Return how rows are read in blocks, if an option says so."""
    values = {"--memory": memory, "--scheduler": scheduler, "--checkpoint": checkpoint}
    given = tuple(name for name, value in values.items() if value is not None)
    return InBlocks(memory or _USUAL, scheduler, given) if given else None


def stream_of(data: list[str], layout: Layout, choice: Choice, blocks: InBlocks) -> KnownRows:
    """Open the labelled rows that a command names, to be read in blocks; see that the column of the labels is said."""
    from ..tables.cells import listed

    stream = blocks.rows(data, layout, choice)
    if choice.label is None and (names := stream.table_columns) is not None:
        raise FileError(
            f"Which column of {data[0]} holds the classes? Name it with --label. It has: {listed(names)}. The last column "
            "is --label -1."
        )
    if not stream.facts.classes:
        raise FileError(f"{data[0]} holds no labels: save them beside the rows, as an array named y.")
    return stream


def verified(
    proof: Certificate, data: list[str], label: str | None, layout: Layout, blocks: InBlocks
) -> tuple[str, str | None]:
    """Check a proof against rows in blocks; say what it proves, and what it is about."""
    from ..proof.verification import about, in_words
    from ..streaming.verifying import rows_for, verify

    stream = rows_for(proof, data, label, layout, blocks.rows)
    zero = verify(proof, stream)
    known = stream.known
    assert known is not None
    return in_words(proof, known, zero), about(proof, known)


def positive_class(stream: KnownRows, positive: str | None) -> Any:
    """Return the class that is named, as the labels have it; see that it is there, or else that two classes are."""
    if positive is not None:
        return stream.class_called(positive)
    classes = stream.facts.classes
    if len(classes) > 2:
        from ..tables.cells import class_text

        some = few_of(list(map(class_text, classes)), _MAX_CLASSES_SHOWN)
        raise ValueError(f"The label has {len(classes)} classes: {some}. Set one against the rest with --positive.")
    return None


def refuse_in_blocks(blocks: InBlocks | None, options: Iterable[tuple[str, Any]]) -> None:
    """Refuse options that take all rows in memory, by their names, where they are given."""
    given = [name for name, value in options if value not in (None, False)]
    if blocks is not None and given:
        raise FileError(
            f"{given[0]} takes all rows in memory, and they are read in blocks: leave {' and '.join(blocks.options)} out, "
            f"or {given[0]}."
        )


def proof_of_stream(path: Path | None, data: list[str], stream: KnownRows) -> ProofFiles | None:
    """Return where a proof goes, as `proofs.proof_files` does."""
    if path is None:
        return None
    whole = stream.whole
    return ProofFiles(path, data, {}, data) if whole is None else proof_files(path, data, whole)
