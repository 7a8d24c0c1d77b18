"""Rows in blocks: what commands read in place of `Data` where ``--memory`` says that not all rows are to be in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.counts import few_of
from .proofs import ProofFiles, proof_files

if TYPE_CHECKING:
    from ..proof.certificate import Certificate
    from ..streaming.stream import Stream

Memory = Annotated[
    str | None,
    typer.Option(help="Read the rows in blocks, again for each pass, and hold about so much of them: 500MB, 2GiB."),
]

_MAX_CLASSES_SHOWN = 6
"""Classes that are named where one of them must be chosen."""


def stream_of(data: list[str], layout: Layout, choice: Choice, memory: str, *, labelled: bool = True) -> Stream:
    """Open the rows that a command names, to be read in blocks; see that the column of the labels is said."""
    from ..streaming.stream import Stream
    from ..tables.cells import listed

    refuse_standard_input(data)
    stream = Stream.of(data, layout, choice, size_of(memory))
    if labelled and choice.label is None and (names := stream.table_columns) is not None:
        raise FileError(
            f"Which column of {data[0]} holds the classes? Name it with --label. It has: {listed(names)}. The last column "
            "is --label -1."
        )
    if labelled and not stream.facts.classes:
        raise FileError(f"{data[0]} holds no labels: save them beside the rows, as an array named y.")
    return stream


def refuse_standard_input(data: list[str]) -> None:
    """Refuse what can be read only once."""
    if "-" in data:
        raise FileError(
            "Standard input can be read only once, and --memory reads the rows again for each pass. Name a file."
        )


def size_of(memory: str) -> int:
    """Read how much memory there is to be."""
    from ..streaming.memory import bytes_of

    try:
        return bytes_of(memory, "--memory")
    except ValueError as error:
        raise FileError(str(error)) from None


def verified(proof: Certificate, data: list[str], label: str | None, layout: Layout, memory: str) -> tuple[str, str | None]:
    """Check a proof against rows in blocks; say what it proves, and what it is about."""
    from ..proof.verification import about, in_words
    from ..streaming.verifying import stream_of, verify

    stream = stream_of(proof, data, label, layout, size_of(memory))
    zero = verify(proof, stream)
    known = stream.known
    assert known is not None
    return in_words(proof, known, zero), about(proof, known)


def positive_class(stream: Stream, positive: str | None) -> Any:
    """Return the class that is named, as the labels have it; see that it is there, or else that two classes are."""
    if positive is not None:
        return stream.class_called(positive)
    classes = stream.facts.classes
    if len(classes) > 2:
        from ..tables.cells import class_text

        some = few_of(list(map(class_text, classes)), _MAX_CLASSES_SHOWN)
        raise ValueError(f"The label has {len(classes)} classes: {some}. Set one against the rest with --positive.")
    return None


def refuse_in_blocks(memory: str | None, options: Iterable[tuple[str, Any]], blocks: Sequence[str] = ("--memory",)) -> None:
    """Refuse options that take all rows in memory, by their names, where they are given beside those for blocks."""
    given = [name for name, value in options if value not in (None, False)]
    if memory is not None and given:
        raise FileError(
            f"{given[0]} takes all rows in memory, and they are read in blocks: leave {' and '.join(blocks)} out, or "
            f"{given[0]}."
        )


def proof_of_stream(path: Path | None, data: list[str], stream: Stream) -> ProofFiles | None:
    """Return where a proof goes, as `proofs.proof_files` does."""
    if path is None:
        return None
    whole = stream.whole
    return ProofFiles(path, data, {}, data) if whole is None else proof_files(path, data, whole)
