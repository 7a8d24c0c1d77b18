"""What callers say of a table, in the words that `read_data`, `describe` and rows in blocks have in common."""

from __future__ import annotations

from collections.abc import Iterable

from ..problem.provenance import Choice, Layout, Missing, NumbersAs, all_gaps


def asked(
    label: str | int | None = None,
    *,
    drop: Iterable[str | int] = (),
    only: Iterable[str | int] = (),
    text: Iterable[str | int] = (),
    missing: Missing = "refuse",
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    gaps: str | Iterable[str] = (),
    usual_gaps: bool = True,
    format: str | None = None,  # noqa: A002 (what users call it)
    numbers: NumbersAs = "auto",
    skip_lines: int | None = None,
    comment: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    ignore_case: bool = False,
    drop_unlabelled: bool = False,
) -> tuple[Layout, Choice]:
    """Return what is said of a table in the words of `read_data`: how it is written, and what is chosen of it."""
    layout = Layout(
        header=header, separator=separator, encoding=encoding, gaps=all_gaps(gaps, usual_gaps), format=format,
        numbers=numbers, skipped=skip_lines, comment=comment, decimal=decimal, thousands=thousands,
        sheet=None if sheet is None else str(sheet), ignore_case=ignore_case, drop_unlabelled=drop_unlabelled,
    )  # fmt: skip
    choice = Choice(label=label, drop=_several(drop), only=_several(only), text=_several(text), missing=missing)
    return layout, choice


def _several(columns: Iterable[str | int]) -> tuple[str | int, ...]:
    """Return columns as a tuple, be there but one."""
    return (columns,) if isinstance(columns, str | int) else tuple(columns)
