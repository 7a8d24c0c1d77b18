"""Whether a hyperplane in the feature space of a kernel separates the classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..feature_space.empirical_map import by_products
from ..feature_space.gram_matrix import gram_matrix
from ..feature_space.monomials import has_monomials, polynomial
from ..feature_space.parameters import in_words
from ..feature_space.space import require_feature_space
from ..perceptron.gram import Kernel
from ..problem import duplicates
from ..problem.monomials import written_out
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..proof import claim_checks
from ..proof.certificate import Certificate, Subject
from ..proof.claims import Claim, Obstruction
from ..support.blocks import written
from ..support.clock import Clock
from ..support.counts import counted
from .decision import decide_problem
from .verdict import Status, Verdict

if TYPE_CHECKING:
    from .stability import Stability

_BY_THEOREM = (
    "The radial kernel is strictly positive definite (Micchelli 1986): the images of distinct rows are linearly "
    "independent. So there are weights that give distinct rows any scores one likes."
)


@dataclass(frozen=True, repr=False)
class KernelVerdict(Verdict):
    """A verdict on the images of rows in the feature space of a kernel.

    Its ``problem`` is that of explicit features: the monomials of a polynomial kernel, or products with other rows. Its
    ``certificate`` is about the rows that were given, and names the kernel: ``sx.verify(verdict.certificate, X, y)`` checks
    it, and so does the stand-alone checker. Where features are products with other rows, because there are too many
    monomials or the products were given, it is about these: ``sx.verify(verdict.certificate, verdict.features, y)``. Of the
    radial kernel a theorem is the proof of separability, without a certificate.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with its parameters.
    """

    kernel: Kernel | None = None
    separated: NDArray[np.int64] | None = field(default=None, compare=False)
    """The rows that are separated, where a theorem tells."""
    by_products: bool = False
    """Whether features are products with other rows, and the certificate is about these."""

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane in feature space has every row right; None if unknown."""
        return super().separable if self.separated is None else self.status == Status.SEPARABLE

    @property
    def separated_rows(self) -> NDArray[np.int64] | None:
        """The rows that some weak separator has strictly on its correct side: all, some or none; None if unknown."""
        return super().separated_rows if self.separated is None else self.separated

    def stability(self, tolerance: Any = "digits", **options: Any) -> Stability:
        """Refuse: if numbers of the rows are off, those of their images are in ways that no box describes."""
        raise ValueError("Stability is about the rows themselves, without a kernel: decide without one, then ask for it.")

    def parameters(self) -> dict[str, Any]:
        """Return the kernel's name and parameters."""
        assert self.kernel is not None
        of = {"linear": (), "rbf": ("gamma",), "poly": ("degree", "gamma", "coef0"), "precomputed": ()}[self.kernel.name]
        return {"name": self.kernel.name, **{name: getattr(self.kernel, name) for name in of}}

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write the proof out for a person, in text, Markdown or LaTeX."""
        assert self.kernel is not None
        if self.separated is not None:
            blocks = [f"{counted(self.problem.n, 'row')}, {self._where()}. {self.message}", _BY_THEOREM]
            return written(blocks, format)
        how = "Its features are monomials, each with a positive weight in the inner product, which changes no verdict."
        if self.kernel.name == "linear":
            how = "Its features are the columns themselves."
        elif self.by_products:
            how = "Its features are the products with other rows, K(row j)."
        return f"{written([f'This is {self._where()}. {how}'], format)}\n{super().explain(format)}"

    def _is_of_given_rows(self) -> bool:
        return False

    def _shown(self) -> Certificate | None:
        """Return the certificate with the features of its points."""
        if self.certificate is None or self.certificate.obstruction is None or self.certificate.problem.kernel is None:
            return self.certificate
        points = self.problem.points(list(self.certificate.obstruction.rows))
        obstruction = replace(self.certificate.obstruction, points=points)
        subject = Subject.of(self.problem, self.certificate.problem.tie)
        return replace(self.certificate, problem=subject, obstruction=obstruction)

    def _where(self) -> str:
        assert self.kernel is not None
        return f"in the feature space of the kernel {in_words(self.kernel)}"


def decide_in_feature_space(problem: Problem, kernel: Kernel, clock: Clock, tie: str = "update") -> Verdict:
    """Decide about the images of rows in the feature space of a kernel.

    The features of a polynomial kernel are written out, if they are few; else rows are known by their products.
    """
    if kernel.name == "rbf":
        return _by_theorem(problem, kernel, tie)
    monomials = None
    if kernel.name == "linear":
        explicit = problem
    elif has_monomials(kernel, problem.d):
        monomials = polynomial(kernel)
        explicit = written_out(problem, monomials)
    else:
        gram = gram_matrix(kernel, problem.rows)
        require_feature_space(gram)
        explicit = by_products(problem, gram)
    found = decide_problem(explicit, clock, tie)
    certificate = found.certificate
    if certificate is not None and monomials is not None:
        obstruction = certificate.obstruction
        if obstruction is not None:
            obstruction = replace(obstruction, points=problem.points(list(obstruction.rows)))
        subject = Subject.of(problem, certificate.problem.tie, monomials)
        certificate = replace(certificate, problem=subject, obstruction=obstruction)
        claim_checks.check(certificate, problem)
    by_rows = kernel.name != "linear" and monomials is None
    return KernelVerdict(
        found.status, certificate, found.message, explicit, tie, found.strict, kernel, by_products=by_rows
    )  # fmt: skip


def _by_theorem(problem: Problem, kernel: Kernel, tie: str) -> Verdict:
    """Decide for the radial kernel, in whose feature space distinct rows are independent.

    So only equal rows of both classes are in the way. The certificate that two rows are equal, and of different classes,
    holds in any feature space.
    """
    contrary = duplicates.contradiction(problem)
    if contrary is None:
        message = (
            f"A hyperplane in feature space has all {counted(problem.n, 'row')} strictly on its correct side, as no two "
            "rows of different classes are equal."
        )
        status = Status.SEPARABLE
        return KernelVerdict(status, None, message, problem, tie, status, kernel, np.arange(problem.n))
    points = duplicates.points_of(problem)
    both = np.intersect1d(points[problem.y > 0], points[problem.y < 0])
    free = np.flatnonzero(~np.isin(points, both))
    status = Status.QUASI_SEPARABLE if free.size else Status.OVERLAPPING
    message = (
        f"No hyperplane separates the classes, whatever the kernel: {RowNames(problem).listed(contrary)} are equal, and of "
        f"different classes. One separates the {free.size:,} rows that are not so contradicted."
    )
    obstruction = Obstruction.of(problem, dict.fromkeys(contrary, 1))
    certificate = Certificate(Claim.NOT_SEPARABLE, Subject.of(problem), obstruction=obstruction)
    claim_checks.check(certificate, problem)
    return KernelVerdict(status, certificate, message, problem, tie, status, kernel, free)
