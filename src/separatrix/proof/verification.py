"""The fast verifier: a certificate checked against arrays, tables or files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from reprlib import repr as brief
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import checker
from ..checker import refuse, sign_of
from ..compiled.environment import checked_arithmetic
from ..exceptions import FileError
from ..problem.batches import Batches
from ..problem.exact_rows import Reading
from ..problem.labels import read_labels
from ..problem.monomials import LongFeatures
from ..problem.problem import Problem
from ..problem.provenance import Column, Layout, NumbersAs, TextTable
from ..problem.reading_rows import read_rows
from ..tables.data import Data
from ..tables.decimals import TooManyDigits
from ..tables.encoding import MissingValues
from ..tables.reading import reread
from .certificate import Certificate, Subject
from .claim_checks import check, compare_subject, refuse_reading, refuse_size, signs_of


@checked_arithmetic
def verify(certificate: Certificate | str | Path, X: Any, y: Any = None) -> None:
    """Check a certificate against the data it speaks of.

    Parameters
    ----------
    certificate : Certificate, or path of a file
        What is claimed, and its proof.
    X : array, sparse matrix, pandas, polars or pyarrow table, path of a file, or Data
        The rows. Where the certificate and a table have names of columns, they are matched by name, and categories and
        missing values are encoded as the certificate says.
    y : array of shape (n,)
        The labels, in the classes that the certificate names. Not given if X has them: a path, or what `read_data` returns.

    Raises
    ------
    InvalidCertificate
        If the data is not that of the certificate, or the proof does not hold; the message says what fails, and where.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certificate = sx.decide(X, y).certificate
    >>> sx.verify(certificate, X, y)
    >>> sx.verify(certificate, X, [0, 1, 1, 1])
    Traceback (most recent call last):
        ...
    separatrix.checker.InvalidCertificate: The data is not that of the certificate: ...
    """
    if isinstance(certificate, str | os.PathLike):
        certificate = Certificate.load(certificate)
    if not isinstance(certificate, Certificate):
        raise TypeError(f"Expected a Certificate, as in verdict.certificate, or a path; got {type(certificate).__name__}.")
    if isinstance(X, Batches):
        X.refuse_besides(y)
        X.verify(certificate)
        return
    if isinstance(X, str | os.PathLike) and y is None:
        try:
            X = data_of(certificate, X)
        except TooManyDigits:
            verify_text(certificate, [X])
            return
    if isinstance(X, Data):
        verify_data(certificate, X)
        return
    if certificate.problem.columns is not None:
        X = _named_columns(X, certificate)
    _verify_signs(certificate, X, signs_of(certificate, read_labels(y)))


def data_of(
    certificate: Certificate,
    source: Any,
    *,
    label: str | int | None = None,
    layout: Layout | None = None,
) -> Data:
    """Read, from files or a table, the rows that a certificate speaks of, as it says."""
    subject = certificate.problem
    named = subject.table.label if isinstance(subject.table, TextTable) else None
    if label is None:
        label = named
    elif named is not None and str(label) != named:
        refuse(f"The certificate is about the label {named!r}, not {label!r}.")
    return _reread(subject, source, label=label, layout=layout, classes=subject.classes or ())


def verify_text(certificate: Certificate, paths: Sequence[str | os.PathLike[str]], label: str | None = None) -> str:
    """Check a certificate against text with the stand-alone checker, which reads decimals of any length.

    Return its sentence. It is slow, and takes only layouts that the certificate tells.
    """
    document = checker.validate(certificate.document())
    try:
        rows = checker.read_rows([os.fspath(path) for path in paths], document, label)
    except checker.DataError as error:
        raise FileError(str(error)) from None
    return checker.check(document, rows)


@checked_arithmetic
def verify_data(certificate: Certificate, data: Data) -> int:
    """Check a certificate against rows with their labels. Return how many of these a weak separator goes through."""
    columns = certificate.problem.columns
    rows = data.rows
    if columns is not None and data.columns is not None and data.columns != columns:
        places = {column: j for j, column in enumerate(data.columns)}
        absent = next((column for column in columns if column not in places), None)
        if absent is not None:
            refuse(f"The data is not that of the certificate: it has no column {brief(str(absent))}.")
        rows = rows.columns([places[column] for column in columns])
    if data.codes is None:
        raise ValueError("The data has no labels: name the column that holds them.")
    codes = np.array([sign_of(text, certificate.problem.classes) for text in data.texts], float)
    if not codes.all():
        text = data.texts[int(np.flatnonzero(codes == 0)[0])]
        refuse(f"The data is not that of the certificate: the label {brief(text)} is no class of it.")
    return _verify_signs(certificate, rows, codes[data.codes])


def about(certificate: Certificate, data: Data) -> str:
    """Say what a certificate is about, in the words of the checker."""
    return checker.subject_in_words(_problem(certificate, data), data.seen)


def in_words(certificate: Certificate, data: Data, zero: int) -> str:
    """Say what a certificate proves that `verify_data` has found valid, in the words of the checker."""
    document: dict[str, Any] = {"claim": str(certificate.claim), "problem": _problem(certificate, data)}
    for section in ("margin", "errors"):
        part = getattr(certificate, section)
        document[section] = None if part is None else vars(part)
    return checker.in_words(document, zero, data.seen)


def _problem(certificate: Certificate, data: Data) -> dict[str, Any]:
    """Return what a document says of a problem, with the table as it was read: options may say more than the document."""
    kernel, table = certificate.problem.kernel, data.table
    document = {**certificate.problem.document(), "kernel": None if kernel is None else vars(kernel)}
    return document if table is None else {**document, "table": table.document()}


def _verify_signs(certificate: Certificate, X: Any, signs: NDArray[np.float64]) -> int:
    subject = certificate.problem
    given = read_rows(X)
    rows = given.read_as(subject.numbers)
    if rows is None:
        refuse_reading(certificate, given.reading, " Give the file, or what read_data returns.")
    refuse_size(certificate, *rows.shape)
    read_labels(signs, len(rows))
    problem = Problem.bare(rows, subject.intercept, signs)
    compare_subject(certificate, problem)
    try:
        return check(certificate, problem)
    except LongFeatures:
        return _check_by_hand(certificate, problem)


def _check_by_hand(certificate: Certificate, problem: Problem) -> int:
    """Check a certificate with the stand-alone checker, which knows features of any length; return as `check` does."""
    document = checker.validate(certificate.document())
    labels, reading = problem.y.astype(int).tolist(), problem.rows.reading
    points = problem.points(list(range(problem.n)))
    rows: list[Any] = [
        (label, [(j, _as_read(value, reading)) for j, value in enumerate(point) if value])
        for label, point in zip(labels, points, strict=True)
    ]
    checker.check(document, rows)
    if certificate.separator is None:
        return problem.n
    return checker.check_separator(document, checker.lifted(document["problem"], rows)[1]).count(0)


def _as_read(value: Fraction, reading: Reading) -> Any:
    """Return a number as the stand-alone checker takes it."""
    if reading == "float64":
        return float(value)
    if reading == "rational":
        return value
    power = 0
    while value.denominator > 1:
        value, power = value * 10, power - 1
    whole = value.numerator
    while whole % 10 == 0:
        whole, power = whole // 10, power + 1
    return whole, power


def _named_columns(X: Any, certificate: Certificate) -> Any:
    """Take the columns of a table by name, as the certificate says; leave alone what is no table."""
    if sp.issparse(X):
        return X
    table = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return X
    columns = certificate.problem.columns or ()
    missing = next((column.source for column in columns if column.source not in table.columns), None)
    if missing is not None:
        refuse(f"The data is not that of the certificate: it has no column {brief(missing)}.")
    if all(column == Column(column.source) for column in columns):
        return table.select([column.source for column in columns]).to_native()
    return _reread(certificate.problem, X).rows


def _reread(subject: Subject, source: Any, **options: Any) -> Data:
    """Read the rows of a certificate. A category that it does not name is in none of its columns; a gap has no value."""
    numbers: NumbersAs = "float64" if subject.numbers == "float64" else "decimal"
    layout = options.pop("layout", None) or Layout()
    if layout.numbers not in ("auto", numbers):
        refuse(f"The certificate is about numbers read as {subject.numbers}, not as {layout.numbers}.")
    layout = replace(layout, numbers=numbers)
    try:
        return reread(
            source, subject.columns, subject.table, subject.dimension, unseen="ignore", layout=layout, **options
        )  # fmt: skip
    except MissingValues as error:
        table, rows, places = error.facts
        refuse(f"{table} has missing values in {rows}, the first in {places} The certificate allows none.")
