"""A certificate checked against rows in blocks: the checks of `proof.claim_checks`, block by block."""

from __future__ import annotations

import numpy as np

from ..checker import refuse
from ..problem.batches import BatchedProblem, Batches, Block, Setting
from ..proof.certificate import Certificate
from ..proof.claim_checks import check, compare_subject, refuse_label, refuse_reading, refuse_size, sign_of_label


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
