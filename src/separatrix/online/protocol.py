"""The online protocol, round by round: predict, see the outcome, learn from a mistake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..estimators.perceptron import Perceptron
from ..problem.exact_rows import ExactRows
from ..problem.reading_rows import read_rows
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from ..support.escaping import shown


@dataclass(frozen=True)
class Round(Answer):
    """A round of the online protocol.

    Attributes
    ----------
    number : int
        The number of the round, counted from 1 in each call of `play`.
    prediction : label
        The class that was predicted before the outcome was known.
    tie : bool
        Whether the score was exactly zero, or several were the largest, so that the tie rule decided. Under "update" it
        leaves the class open: a mistake is counted whatever the outcome, although a prediction must be shown.
    outcome : label or None
        The class that was revealed; None if it was not.
    mistake : bool
        Whether the weights were changed.
    mistakes : int
        The mistakes of the rounds so far.
    """

    number: int
    prediction: Any
    tie: bool
    outcome: Any
    mistake: bool
    mistakes: int

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what happened; ``format`` as in `Verdict.explain`."""
        came = "The outcome is not known." if self.outcome is None else f"The outcome was {shown(self.outcome)}."
        learnt = "a mistake, from which it learnt" if self.mistake else "no mistake"
        said = (
            f"Round {self.number}: {shown(self.prediction)} was predicted{', by the tie rule' if self.tie else ''}. {came}"
        )
        return written([f"{said} That is {learnt}; {counted(self.mistakes, 'mistake')} so far."], format)


def play(perceptron: Perceptron, stream: Iterable[tuple[Any, Any]], *, classes: Any = None) -> Iterator[Round]:
    """Play the online protocol: receive a row, predict, learn the outcome, update the weights at a mistake.

    Rounds are played when they are asked for, so that the stream may be endless, or depend on the predictions. The
    perceptron learns as by `partial_fit`, row after row; it may have learnt before, and be saved or asked at any time.

    Parameters
    ----------
    perceptron : Perceptron
        The learner. One that has not learnt begins with zero weights, and predicts from the first round on.
    stream : iterable of pairs
        Rows with their outcomes, such as ``zip(X, y)``. A row with the outcome None is predicted, and nothing is learnt.
    classes : labels, optional
        All classes, needed if the perceptron has not learnt. Of two the second in order is positive.

    Yields
    ------
    Round
        What was predicted, what came, and whether it was a mistake.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("or")
    >>> perceptron = sx.Perceptron()
    >>> for each in sx.play(perceptron, zip(X, y), classes=[0, 1]):
    ...     print(each.number, each.prediction, each.outcome, each.mistake)
    1 0 0 True
    2 0 1 True
    3 0 1 True
    4 1 1 False

    The score of the first row was 0, which is a mistake under ``tie="update"`` whatever comes.

    >>> perceptron.exact_weights().strings(), perceptron.n_mistakes_
    (['1', '1', '1'], 3)
    """
    if not isinstance(perceptron, Perceptron):
        raise TypeError(f"The protocol is that of the perceptron; got {type(perceptron).__name__}, expected sx.Perceptron.")
    return _rounds(perceptron, iter(stream), classes)


def _rounds(perceptron: Perceptron, stream: Iterator[tuple[Any, Any]], classes: Any) -> Iterator[Round]:
    number = mistakes = 0
    for pair in stream:
        x, outcome = _pair(pair)
        rows = x if isinstance(x, ExactRows) else read_rows([x])
        if not hasattr(perceptron, "classes_"):
            perceptron.begin(rows.shape[1], classes)
        tie, prediction = bool(perceptron.ties(rows)[0]), perceptron.predict(rows).tolist()[0]
        before, number = perceptron.n_mistakes_, number + 1
        if outcome is not None:
            perceptron.partial_fit(rows, [outcome], classes=classes if number == 1 else None)
        mistake = perceptron.n_mistakes_ > before
        mistakes += mistake
        yield Round(number, prediction, tie, outcome, mistake, mistakes)


def _pair(pair: Any) -> tuple[Any, Any]:
    try:
        x, outcome = pair
    except (TypeError, ValueError):
        raise ValueError("Each round takes a pair, a row and its outcome, as in zip(X, y).") from None
    return x, outcome
