"""A certificate checked against rows in blocks: the checks of `proof.claim_checks`, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..checker import refuse
from ..problem.batches import BatchedProblem, Batches
from ..problem.blocks import Block, Setting
from ..problem.provenance import Layout, NumbersAs, TextTable
from ..proof.certificate import Certificate
from ..proof.claim_checks import check, compare_subject, refuse_label, refuse_reading, refuse_size, sign_of_label
from ..support.escaping import brief
from ..tables.reading import Known
from .stream import Stream


def verify(certificate: Certificate, batches: Batches) -> int:
    """Check a certificate against rows in blocks; return how many of these a weak separator goes through.

    Raises
    ------
    InvalidCertificate
        If the data is not that of the certificate, or the proof does not hold.
    """
    subject = certificate.problem
    if subject.kernel is not None:
        refuse(
            "The certificate is about the feature space of a kernel, which takes rows that are in memory: give them as an "
            "array."
        )
    batches = batches.as_certificate_says(subject)
    if batches.facts.reading != subject.numbers:
        refuse_reading(certificate, batches.facts.reading)
    refuse_size(certificate, batches.facts.n, batches.facts.d)
    problem = BatchedProblem(batches=batches, setting=_setting(certificate, batches))
    compare_subject(certificate, problem)
    return check(certificate, problem)


def stream_of(certificate: Certificate, data: Sequence[str], label: str | int | None, layout: Layout, memory: int) -> Stream:
    """Open the files that a certificate speaks of, as it says, to be read in blocks."""
    subject = certificate.problem
    text = subject.table if isinstance(subject.table, TextTable) else None
    if text is not None:
        if label is not None and str(label) != text.label:
            refuse(f"The certificate is about the label {brief(text.label)}, not {brief(str(label))}.")
        label, layout = text.label, layout.or_else(text)
    numbers: NumbersAs = "float64" if subject.numbers == "float64" else "decimal"
    if layout.numbers not in ("auto", numbers):
        refuse(f"The certificate is about numbers read as {subject.numbers}, not as {layout.numbers}.")
    layout = replace(layout, numbers=numbers)
    choice = Known(subject.columns, subject.table, subject.dimension, label).choice
    stream = Stream.of(list(data), layout, choice, memory)
    named = stream.table_columns
    absent = next(
        (name for name in (*choice.only, label) if named is not None and name is not None and name not in named), None
    )
    if absent is not None:
        refuse(f"The data is not that of the certificate: it has no column {brief(str(absent))}.")
    return stream


def _setting(certificate: Certificate, batches: Batches) -> Setting:
    """Code the classes of the rows as the certificate does."""
    classes, facts = certificate.problem.classes, batches.facts
    signs = [sign_of_label(label, classes) for label in facts.classes]
    for code, (label, sign) in enumerate(zip(facts.classes, signs, strict=True)):
        if not sign:
            row = min(found for _, found in batches.map(_first_of, code) if found is not None)
            refuse_label(certificate, row, label)
    both = (-1, 1) if classes is None else classes
    return Setting(
        facts=facts, classes=both, signs=tuple(map(float, signs)), intercept=certificate.problem.intercept
    )  # fmt: skip


def _first_of(block: Block, start: int, code: int) -> int | None:
    """Return the first row of a block that has a label."""
    found = np.flatnonzero(block.codes == code)
    return start + int(found[0]) if found.size else None
