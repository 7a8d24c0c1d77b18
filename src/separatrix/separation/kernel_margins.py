"""The maximum margin in the feature space of a kernel, from products of rows alone.

A convex combination ``v = sum lambda_i z_i`` of signed images bounds the margin from above by its length, and from below by
its least score over its length. Both are sums of products ``K(x_i, x_j)``: whole numbers, exact or with a proved error. So
one combination proves both bounds, and no feature is ever written down.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ..compiled.environment import checked_arithmetic
from ..exact.linear_algebra import independent, solve
from ..exact.rounding import root
from ..feature_space.gram_matrix import gram_matrix
from ..feature_space.monomials import has_monomials, polynomial
from ..feature_space.parameters import in_words
from ..feature_space.space import coordinates, is_inner_product, require_feature_space
from ..perceptron.gram import Kernel
from ..problem.exact_rows import ExactRows
from ..problem.monomials import LongFeatures, written_out
from ..problem.problem import Problem
from ..problem.row_names import MAX_ROWS_SHOWN, RowNames
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Combination, MarginBound, Separator, whole
from ..support.answer import Answer
from ..support.blas import one_thread
from ..support.blocks import Sentence, written
from ..support.clock import STOPS, Clock, OutOfTime
from ..support.formulas import number
from ..support.interruption import is_kept, stoppable
from .kernel_decision import decide_in_feature_space
from .margin_bounds import MarginBounds
from .margins import KINDS_OF_MARGIN, undecided
from .verdict import NotSeparable
from .wolfe import Hulls

_PRECISIONS = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Bits of the values of the radial kernel, one after the other, until they tell the margin from 0 closely enough."""

_STEPS = 1000
"""Steps, and ten more for each row, after which a search for multipliers is given up: too few bits may let it go astray."""

_SPARE_BITS = 32
"""Bits of multipliers beyond those of the tolerance, where they are rounded."""


@dataclass(frozen=True, kw_only=True)
class KernelMargin(Answer):
    """A margin in the feature space of a kernel, between proved bounds.

    Attributes
    ----------
    kind : {"lifted", "geometric"}
        Whether the constant feature of the intercept counts in lengths, as in the theorem, or not, as in the classifier.
    lo, hi : float
        Bounds of the margin, rounded outwards.
    lo_squared, hi_squared : Fraction
        Exact bounds of its square.
    rows, multipliers : tuple
        The convex combination of signed images that proves both: its length is not below the margin, and no score of a row
        under it, over its length, is below ``lo``. Multipliers add up to 1, in either class if geometric.
    intercept : Fraction
        What is to be added to scores under the combination; 0 if lifted, where it is one of the features.
    reach : Fraction
        The least score of a row, with the intercept.
    kernel : Kernel
        The kernel, with its parameters.
    interrupted : bool
        Whether time ran out before the bounds were as close as was asked for. They are proved all the same.
    """

    kind: str
    lo: float
    hi: float
    lo_squared: Fraction = field(repr=False)
    hi_squared: Fraction = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    multipliers: tuple[Fraction, ...] = field(repr=False)
    intercept: Fraction = field(repr=False)
    reach: Fraction = field(repr=False)
    kernel: Kernel
    problem: Problem = field(repr=False, compare=False)
    interrupted: bool = False
    _subject: Subject = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        monomials = polynomial(self.kernel) if self.kernel.name == "poly" and self.kernel.coef0 >= 0 else None
        subject = Subject.of(self.problem, kernel=monomials)  # at once: the rows may be changed later
        object.__setattr__(self, "_subject", subject)

    @property
    def squared(self) -> Fraction | None:
        """The square of the margin, if it is known exactly."""
        return self.lo_squared if self.lo_squared == self.hi_squared else None

    @property
    def support(self) -> NDArray[np.int64]:
        """The rows of the combination: those nearest to the hyperplane."""
        return np.array(sorted(self.rows), np.int64)

    def __repr__(self) -> str:
        low, high = f"{self.lo:.6g}", f"{self.hi:.6g}"
        size = low if low == high else f"{low} to {high}"
        return f"<KernelMargin: {self.kind}, {size}, in the feature space of the kernel {in_words(self.kernel)}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how wide the margin is, and which rows prove it; ``format`` as in `Verdict.explain`."""
        support = self.support.tolist()
        names = RowNames(self.problem, support[:MAX_ROWS_SHOWN])
        size = ("between ", number(self.lo), " and ", number(self.hi))
        where = f"in the feature space of the kernel {in_words(self.kernel)}"
        return written(
            [
                Sentence((f"The {self.kind} margin {where} lies ", *size, ". Both bounds are proved.")),
                f"They are proved by a convex combination of the images of {names.listed(support)}{names.aside}.",
            ],
            format,
        )

    @property
    @checked_arithmetic
    def at_least(self) -> Certificate | None:
        """The proof that the margin is at least ``lo``; None if the kernel's features are not monomials, or too many."""
        if not has_monomials(self.kernel, self.problem.d):
            return None
        monomials = polynomial(self.kernel)
        support = list(self.rows)
        some = Problem.bare(self.problem.rows[support], self.problem.intercept)
        try:
            images, sides = written_out(some, monomials).points(list(range(some.n))), self.problem.y[support]
        except LongFeatures:
            return None
        factors = [multiplier * int(side) for multiplier, side in zip(self.multipliers, sides, strict=True)]
        *weights, constant = monomials.weights(self.problem.d, self.problem.intercept)
        columns = zip(*images, strict=True)
        numbers = [c * sum(map(mul, factors, column)) for c, column in zip(weights, columns, strict=True)]
        free = self.kind == "geometric" and self.problem.intercept
        *coef, intercept = whole([*numbers, self.intercept if free else constant * sum(factors)])
        separator = Separator(tuple(map(Fraction, coef)), Fraction(intercept))
        bound = MarginBound(self.kind, self.lo_squared)
        return Certificate(Claim.MARGIN_AT_LEAST, self._subject, separator, margin=bound)

    @property
    @checked_arithmetic
    def at_most(self) -> Certificate | None:
        """The proof that the margin is at most ``hi``; None if the kernel's features are not monomials, or too many."""
        if not has_monomials(self.kernel, self.problem.d):
            return None
        combination = Combination(self.rows, tuple(map(Fraction, whole(self.multipliers))))
        bound = MarginBound(self.kind, self.hi_squared)
        return Certificate(Claim.MARGIN_AT_MOST, self._subject, margin=bound, combination=combination)


class KernelMarginBounds(MarginBounds):
    """Bounds of the margin, by products; what differs from the bounds for explicit rows."""

    def __init__(self, problem: Problem, kernel: Kernel, kind: str, bits: int, clock: Clock | None = None) -> None:
        self.problem, self.kind, self.kernel = problem, kind, kernel
        self.clock = Clock() if clock is None else clock
        self._hulls: Hulls | None = None
        self.two = kind == "geometric" and kernel.intercept
        self.own = replace(kernel, intercept=False) if self.two else kernel
        self.gram = gram_matrix(self.own, problem.rows, bits)
        self.signs = [int(label) for label in problem.y]
        self.sides = [problem.y > 0, problem.y < 0] if self.two else [np.ones(problem.n, bool)]

    def proposed(self, tolerance: float, clock: Clock | None = None) -> dict[int, int]:
        """Return the multipliers that floating point proposes."""
        features = coordinates(self.problem, self.own)
        if features is None:  # out of range: begin anywhere
            return self._any()
        explicit = Problem.bare(ExactRows(np.ascontiguousarray(features)), self.two, self.problem.y)
        self._hulls = Hulls(explicit, self.two)
        return self.whole(self._hulls.nearest(tolerance, self.clock if clock is None else clock))

    def known(self) -> KernelMargin | None:
        """Return what is proved by the combinations that floating point has come to; None if none of them separates."""
        known = [] if self._hulls is None else [self.whole(proposal) for proposal in self._hulls.proposals()]
        found = [margin for margin in map(self.proved, known) if margin is not None]
        return max(found, key=lambda margin: margin.lo_squared / margin.hi_squared, default=None)

    def _any(self) -> dict[int, int]:
        return {int(np.flatnonzero(side)[0]): 1 for side in self.sides}

    def _signed(self, numbers: dict[int, int]) -> list[int]:
        """Return the scores of all signed images under a combination of some."""
        scores = self.gram.scores({i: self.signs[i] * n for i, n in numbers.items()})
        return [sign * score for sign, score in zip(self.signs, scores, strict=True)]

    def proved(self, numbers: dict[int, int], bits: int | None = None) -> KernelMargin | None:  # type: ignore[override]
        """Return what multipliers prove; None if their combination is not known to separate the classes."""
        scores, divisor = self._signed(numbers), self.gram.divisor
        slack, everything = self.gram.slack(numbers), sum(numbers.values())
        total = sum(n for i, n in numbers.items() if self._group(i) == 0)
        square = sum(n * scores[i] for i, n in numbers.items()) + slack * everything
        if square <= 0:
            return None
        least = [min(score for score, mine in zip(scores, side, strict=True) if mine) - slack for side in self.sides]
        reach, intercept = Fraction(least[0]), Fraction(0)
        if self.two:
            reach, intercept = Fraction(least[0] + least[1], 2), Fraction(least[1] - least[0], 2)
        if reach <= 0:
            return None
        lo_squared = reach * reach / (square * divisor)
        hi_squared = Fraction(square, divisor * total * total) / (4 if self.two else 1)
        return KernelMargin(
            kind=self.kind,
            lo=root(lo_squared, up=False),
            hi=root(hi_squared, up=True),
            lo_squared=lo_squared,
            hi_squared=hi_squared,
            rows=tuple(numbers),
            multipliers=tuple(Fraction(n, total) for n in numbers.values()),
            intercept=intercept / (total * divisor),
            reach=reach / (total * divisor),
            kernel=self.kernel,
            problem=self.problem,
        )

    def _lowest(self, now: dict[int, int]) -> list[tuple[Fraction, int]]:
        scores, found = self._signed(now), []
        for group, side in enumerate(self.sides):
            score, i = min((scores[i], i) for i in np.flatnonzero(side).tolist())
            found.append((Fraction(score - scores[next(k for k in now if self._group(k) == group)]), i))
        return found

    def _products(self, rows: list[int]) -> list[list[int]]:
        """Return the products of some signed images with each other."""
        return [[self.signs[i] * self.signs[j] * self.gram.column(j)[i] for j in rows] for i in rows]

    def _same_group(self, rows: list[int]) -> list[list[int]]:
        return [[int(self._group(i) == self._group(j)) for j in rows] for i in rows]

    def _independent(self, numbers: dict[int, int]) -> dict[int, int]:
        """Keep multipliers of affinely independent images: their products, with those of their groups, tell which."""
        rows = sorted(numbers, key=lambda i: -numbers[i])
        pairs = zip(self._products(rows), self._same_group(rows), strict=True)
        kept = independent([[a + b * self.gram.divisor for a, b in zip(*pair, strict=True)] for pair in pairs])
        return self._balanced({rows[k]: numbers[rows[k]] for k in kept})

    def _shortest(self, rows: list[int]) -> dict[int, int]:
        """Return the multipliers, of any sign, of the shortest affine combination of independent images."""
        groups = range(len(self.sides))
        sides = [[int(self._group(i) == group) for group in groups] for i in rows]
        matrix = [[*products, *side] for products, side in zip(self._products(rows), sides, strict=True)]
        matrix += [[*(side[group] for side in sides), *(0 for _ in groups)] for group in groups]
        solution, _ = solve(matrix, [*(0 for _ in rows), *(1 for _ in groups)])
        return dict(zip(rows, solution[: len(rows)], strict=True))


class KernelMarginSearch:
    """The search for the margin in the feature space of a kernel; what it knows when it is stopped is `known`."""

    def __init__(
        self,
        problem: Problem,
        kernel: Kernel,
        kind: str,
        *,
        exact: bool = False,
        tolerance: float = 1e-9,
        clock: Clock | None = None,
    ) -> None:
        if kind not in KINDS_OF_MARGIN:
            raise ValueError(f"kind must be one of {', '.join(KINDS_OF_MARGIN)}, got {kind!r}.")
        if kind == "geometric" and kernel.intercept and len(set(problem.y.tolist())) < 2:
            raise ValueError("The geometric margin is the distance of two classes, but all rows are of one.")
        if exact and kernel.name == "rbf":
            raise ValueError(
                "The margin in the feature space of the radial kernel is no rational number, nor is its square: it is known "
                "between bounds only, as close as tolerance says."
            )
        self.problem, self.kernel, self.kind, self.exact, self.tolerance = problem, kernel, kind, exact, tolerance
        self.clock = Clock() if clock is None else clock
        self.bounds = KernelMarginBounds(problem, kernel, kind, _PRECISIONS[0], self.clock)
        self._found: KernelMargin | None = None

    @one_thread
    @stoppable
    def run(self) -> KernelMargin:
        """Find the margin; when time runs out, or on Ctrl-C, what is proved by then."""
        try:
            return self._complete()
        except STOPS as reason:
            interrupted, found = is_kept(reason), self.known()
            if found is None and interrupted:
                raise
            if found is None:
                raise undecided(self.clock) from None
            return found

    def known(self) -> KernelMargin | None:
        """Return the bounds that are proved by now; None if no combination that separates is known yet."""
        found = self._found or self.bounds.known()
        return None if found is None else replace(found, interrupted=not self._reached(found))

    def _reached(self, found: KernelMargin) -> bool:
        return found.squared is not None or (not self.exact and _close(found, self.tolerance))

    def _complete(self) -> KernelMargin:
        require_feature_space(self.bounds.gram)
        self.clock.check()
        proposed = self.bounds.proposed(self.tolerance / 16)
        self._found = self.bounds.proved(proposed)
        if self._found is not None and self._reached(self._found):
            return self._found
        if self._found is None:
            self._require_separable()
        if self.kernel.name != "rbf":
            result = self.bounds.exact(proposed)
            assert isinstance(result, KernelMargin)
            return result
        return self._narrowed(proposed)

    def _require_separable(self) -> None:
        verdict = decide_in_feature_space(self.problem, self.kernel, self.clock)
        if verdict.separable:
            return
        if verdict.certificate is None:
            raise OutOfTime
        raise NotSeparable(
            f"There is no margin in the feature space of the kernel {in_words(self.kernel)}. {verdict.message}",
            verdict.certificate,
        )

    def _narrowed(self, proposed: dict[int, int]) -> KernelMargin:
        """Return the margin of the radial kernel, its values taken in more and more bits until the bounds are close."""
        for bits in _PRECISIONS:
            self.clock.check()
            bounds = KernelMarginBounds(self.problem, self.kernel, self.kind, bits, self.clock)
            try:  # as if the values were exact; what comes out is only proposed
                numbers = bounds.optimal(proposed, _STEPS + 10 * self.problem.n)
            except ZeroDivisionError:  # a system without a solution: too few bits
                continue
            found = None if numbers is None else bounds.proved(_rounded(bounds, numbers, bits))
            if found is not None and _close(found, self.tolerance):
                return found
        raise ValueError(
            "The margin in feature space is so small that its bounds are not found within reason: some rows of different "
            "classes are nearly equal, or gamma is too small for them. Raise gamma, or standardise the features."
        )


def margin_in_feature_space(
    problem: Problem, kernel: Kernel, kind: str, *, exact: bool = False, tolerance: float = 1e-9, clock: Clock | None = None
) -> KernelMargin:
    """Find the margin of a problem in the feature space of a kernel."""
    return KernelMarginSearch(problem, kernel, kind, exact=exact, tolerance=tolerance, clock=clock).run()


@one_thread
def margin_at_once(problem: Problem, kernel: Kernel, kind: str, tolerance: float) -> KernelMargin | None:
    """Return the margin that floating point proposes, proved; None if its bounds are not close enough."""
    if not is_inner_product(kernel):
        return None
    bounds = KernelMarginBounds(problem, kernel, kind, _PRECISIONS[0])
    found = bounds.proved(bounds.proposed(tolerance / 16))
    return found if found is not None and _close(found, tolerance) else None


def _close(found: KernelMargin, tolerance: float) -> bool:
    return found.hi_squared <= (1 + Fraction(tolerance)) ** 2 * found.lo_squared


def _rounded(bounds: KernelMarginBounds, numbers: dict[int, int], bits: int) -> dict[int, int]:
    """Round multipliers, which exact systems of equations make long, relative to the largest."""
    top = max(numbers.values()).bit_length() - bits - _SPARE_BITS
    if top <= 0:
        return numbers
    return bounds._balanced({i: n >> top for i, n in numbers.items() if n >> top})
