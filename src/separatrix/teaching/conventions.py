"""Texts on the perceptron, and what each of them means by it: ties, bias, start, order, learning rate, end.

>>> from separatrix import conventions
>>> conventions.names()
['press', 'online', 'bloch', 'chapter', 'liang', 'novikoff', 'scikit-learn']
>>> conventions.get("bloch").perceptron()
Perceptron(tie='negative')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..estimators.perceptron import Perceptron
from ..tables.data import rows_and_labels
from .parting import Parting, parted

__all__ = ["Convention", "Parting", "compare", "get", "names", "table"]


@dataclass(frozen=True, kw_only=True)
class Convention:
    """What a text means by the perceptron learning algorithm.

    Attributes
    ----------
    name : str
        What it is called here.
    text : str
        The author and the title.
    tie : str
        What a score of exactly zero says, in words.
    bias, start, order, rate, end : str
        Whether there is a bias; the first weights; the order of visits; the learning rate; when the run ends.
    open : tuple of str
        Which of these the text leaves open, so that ``parameters`` has chosen.
    parameters : dict
        The parameters of `Perceptron` that do as the text says; where it leaves something open, the default.
    """

    name: str
    text: str
    tie: str
    bias: str
    start: str
    order: str
    rate: str
    end: str
    open: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)

    def perceptron(self, **parameters: Any) -> Perceptron:
        """Return a perceptron that does as the text says, with other parameters where they are given."""
        return Perceptron(**{**self.parameters, **parameters})


_ONE, _ZERO, _CLEAN = "1", "zero", "a pass without a mistake"

_TEXTS = (
    Convention(
        name="press",
        text="Press, AI Notes (note 000)",
        tie="+1",
        bias="none",
        start=_ZERO,
        order="as the rows stand",
        rate=_ONE,
        end=_CLEAN,
        parameters={"tie": "positive", "fit_intercept": False},
    ),
    Convention(
        name="online",
        text="The Perceptron Algorithm (note 001)",
        tie="neither label: a mistake",
        bias="none",
        start=_ZERO,
        order="as the rows come",
        rate=_ONE,
        end="after one pass",
        open=("tie",),
        parameters={"tie": "update", "fit_intercept": False, "max_iter": 1},
    ),
    Convention(
        name="bloch",
        text="Bloch, Perceptron Learning Algorithm (note 002)",
        tie="-1",
        bias="the weight of x0 = 1, in front",
        start="any guess",
        order="any",
        rate=_ONE,
        end="not said",
        open=("start", "order", "end"),
        parameters={"tie": "negative"},
    ),
    Convention(
        name="chapter",
        text="Chapter 1, Perceptron (note 003)",
        tie="+1",
        bias="the weight of a 1 at the end",
        start=_ZERO,
        order="as the rows stand",
        rate="any",
        end="after T passes",
        open=("rate", "end"),
        parameters={"tie": "positive"},
    ),
    Convention(
        name="liang",
        text="Liang, Perceptron Learning Algorithm (note 004)",
        tie="-1: no more than the threshold",
        bias="minus a threshold, the weight of x0 = 1",
        start="zero, in the proof",
        order="the next mistake, round and round",
        rate=_ONE,
        end="a cycle without a mistake",
        open=("start",),
        parameters={"tie": "negative"},
    ),
    Convention(
        name="novikoff",
        text="Novikoff, On convergence proofs on perceptrons (1962)",
        tie="a mistake",
        bias="none: rows are signed, and may end with a 1",
        start="any",
        order="any in which each row comes again and again",
        rate=_ONE,
        end="not said",
        open=("start", "order", "end"),
        parameters={"tie": "update", "fit_intercept": False},
    ),
    Convention(
        name="scikit-learn",
        text="sklearn.linear_model.Perceptron",
        tie="a mistake; predict says -1",
        bias="a weight of its own",
        start=_ZERO,
        order="a new permutation for each pass",
        rate="eta0, which is 1",
        end="when the loss has not improved for some passes",
        parameters={"tie": "update", "order": "shuffle", "random_state": 0},
    ),
)

_BY_NAME = {each.name: each for each in _TEXTS}


def names() -> list[str]:
    """Return the names of the conventions."""
    return list(_BY_NAME)


def get(name: str | Convention) -> Convention:
    """Return a convention by its name.

    >>> get("press").tie, get("press").perceptron(max_iter=50)
    ('+1', Perceptron(fit_intercept=False, max_iter=50, tie='positive'))
    """
    if isinstance(name, Convention):
        return name
    if name not in _BY_NAME:
        raise ValueError(f"There is no convention {name!r}. The conventions are: {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]


def table() -> str:
    """Return all conventions as a table in Markdown; what a text leaves open is in brackets."""
    columns = ("tie", "bias", "start", "order", "rate", "end")
    heads = ("name", "text", "a score of 0 is", "bias", "start", "order", "rate", "end")

    def cell(each: Convention, column: str) -> str:
        value: str = getattr(each, column)
        return f"({value})" if column in each.open else value

    rows = [[f"`{each.name}`", each.text, *(cell(each, column) for column in columns)] for each in _TEXTS]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)) + "\n"


def compare(first: str | Convention, second: str | Convention, X: Any, y: Any = None, **parameters: Any) -> Parting:
    """Run two conventions on the same rows: where they part, why, and whether it matters in the end.

    Parameters
    ----------
    first, second : str or Convention
        The two, by name.
    X, y
        Rows and labels, of two classes; in place of both it may be `Data`.
    **parameters
        Parameters of `Perceptron` that both are to have, such as ``max_iter``.

    Returns
    -------
    Parting
        The first visit at which they part, and both runs.

    Examples
    --------
    >>> import separatrix as sx
    >>> print(sx.conventions.compare("bloch", "chapter", *sx.examples.load("and")).explain())
    Both visit row 0 first, of the class 0. bloch has the score 0 there and leaves the weights as they are; chapter has the
    score 0 and corrects them. The scores are the same: it is the tie rule that makes the difference.
    <BLANKLINE>
    bloch makes 10 mistakes and ends with 2*x1 + x2 > 2. chapter makes 11 mistakes and ends with 2*x1 + x2 >= 3. They predict
    the same class for every row: it makes no difference in the end to these rows, though the weights differ.
    <BLANKLINE>
    """
    one, other = get(first), get(second)
    X, y = rows_and_labels(X, y)
    return parted((one.name, one.perceptron(**parameters)), (other.name, other.perceptron(**parameters)), X, y)
