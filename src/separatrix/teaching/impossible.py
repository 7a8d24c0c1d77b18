"""Why an exercise cannot exist: what the convergence theorem and the arithmetic of whole numbers exclude.

Each reason is a theorem, so that whatever is refused here does not exist; what is let pass need not exist either.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..exact.squares import has_primitive_vector, is_sum_of_squares, random_vector
from ..support.counts import counted
from ..support.remedies import Message, Remedy
from .request import Request


def why_impossible(request: Request) -> str | None:
    """Say why no data can be as asked for; None if nothing is known against it."""
    return next(_reasons(request), None)


def _reasons(request: Request) -> Iterator[str]:
    points = (2 * request.largest + 1) ** request.dimension
    if request.rows is not None and request.rows > points:
        yield f"With coordinates of at most {request.largest} there are {points} points, fewer than {request.rows} rows."
    yield from _radius(request)
    yield from _margin(request)
    yield from _mistakes(request)


def _radius(request: Request) -> Iterator[str]:
    """Use that the square of the radius is that of a whole vector, whose last entry is 1 if there is an intercept."""
    square, d = request.radius_squared, request.dimension
    if square is None:
        return
    if square.denominator != 1:
        yield f"R^2 = {square} is not whole, but rows of whole numbers have lengths whose squares are whole."
        return
    rest, minus = int(square) - request.intercept, " - 1" if request.intercept else ""
    because = ", because the row (x, 1) has the constant 1" if request.intercept else ""
    if rest < 0 or not is_sum_of_squares(rest, d):
        yield f"R^2{minus} = {rest} is not a sum of {counted(d, 'square')} of whole numbers, as it must be{because}."
    elif random_vector(rest, d, np.random.RandomState(0), request.largest) is None:
        yield (
            f"R^2{minus} = {rest} is not a sum of {counted(d, 'square')} of whole numbers up to {request.largest}, the "
            f"largest coordinate allowed{because}."
        )
    elif rest == 0:
        yield "Then all rows would be 0, and the classes not separable."


def _margin(request: Request) -> Iterator[str]:
    """Use that the nearest point of a hull of whole points has rational coordinates, and is not farther than the points."""
    square = request.margin_squared
    if square is None:
        return
    parts, normals = request.parts, request.normals
    if normals is not None and not has_primitive_vector(normals[0] * normals[2], parts):
        yield (
            f"gamma^2 = {square} cannot be attained: {'twice gamma' if request.by_class else 'gamma'} is c / ||w|| for the "
            f"whole normal w, without a common divisor, and the whole offset c of planes through whole points. Then ||w||^2 "
            f"is {normals[0] * normals[2]} times a square, and no such w with {counted(parts, 'entry')} has that length."
        )
    # It is the determinant of a Gram matrix over that of the differences of its rows; see `_mistakes`.
    below = (square * (4 if request.by_class else 1)).denominator
    if below > (4 * request.most_squared) ** (parts - 1):
        yield Message(
            f"gamma^2 has the denominator {square.denominator}, and rows as short as these have none so large. If the "
            "margin is a root, give its square, as in ",
            *(Remedy("margin_squared", "1/2"), "."),
        )
    ceiling = request.most_squared - request.intercept  # with an intercept, halfway between the classes is in the hull
    if square > ceiling:
        yield f"gamma^2 = {square} is too large: the rows are so short that it is at most {ceiling}."


def _mistakes(request: Request) -> Iterator[str]:
    """Use the theorem, with the margin asked for or the least one that whole numbers of this size can have."""
    longest, square, k = request.most_squared, request.margin_squared, request.mistakes
    R = f"R^2 = {longest}" if request.radius_squared is not None else f"R^2, here at most {longest},"
    if square is not None and not request.by_class:
        if k * square > longest:
            yield (
                f"{counted(k, 'mistake')} cannot be made: the convergence theorem allows at most R^2 / gamma^2, and {R} "
                f"divided by gamma^2 = {square} is {longest / square}."
            )
        return
    if square is not None:
        # A unit normal has an offset of at most ||x||, so that the lifted margin is at least gamma / R.
        if k * square > longest**2:
            yield (
                f"{counted(k, 'mistake')} cannot be made: the lifted margin is at least the geometric one divided by R, so "
                f"that the convergence theorem allows at most R^4 / gamma^2 = {longest**2 / square}."
            )
        return
    # gamma^2 is the determinant of a Gram matrix over the squared volume spanned by differences of rows.
    most = longest * (4 * longest) ** (request.width - 1)
    if k > most:
        yield (
            f"{counted(k, 'mistake')} cannot be made: on whole rows of this length gamma^2 is at least "
            f"1/{(4 * longest) ** (request.width - 1)}, so that the convergence theorem allows at most {most}."
        )
