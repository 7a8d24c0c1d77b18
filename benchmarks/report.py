"""How long a report takes, beside the same answers asked for one after another.

    python benchmarks/report.py [--repeat 3] [--only NAME ...] [--json FILE]

Beside it are decide, a run of the perceptron, its audit, the geometric margin where there is one, and compare; the report
adds the search for the fewest errors, which takes 10 seconds at most where classes overlap, pictures, and the page. Ends
with 1 if a bar is missed.
"""

from functools import partial

import data
import harness
import numpy as np
from harness import Line, Outcome

import separatrix as sx

MOST = 3.0


def one_by_one(X, y):
    verdict = sx.decide(X, y)
    sx.audit(sx.Perceptron(record=True).fit(X, y), X, y)
    if verdict.separable:
        sx.margin(X, y, kind="geometric")
    return sx.compare(X, y)


def reported(X, y):
    made = sx.report(X, y)
    return made, made.html


def compare(make, options):
    X, y = make()
    works = {"report": partial(reported, X, y), "answers": partial(one_by_one, X, y)}
    measured = harness.in_turn(options.repeat, works)
    (ours, (made, page)), (beside, _) = measured["report"], measured["answers"]
    figures = {
        "seconds": ours, "answers seconds": beside, "ratio": ours / beside, "gathering seconds": sum(made.seconds.values()),
        "bytes": len(page.encode()), "verdict": str(made.verdict.status),
    }  # fmt: skip
    return Outcome(figures, ours <= MOST * beside and figures["bytes"] < 2_000_000)


def with_flips(make, count):
    X, y = make()
    return X, np.where(np.arange(len(y)) < count, -y, y)


def lines(options):
    def line(name, make):
        return Line(name, f"ratio at most {MOST:g}, below 2 MB", partial(compare, make, options))

    apart = partial(data.shifted_apart, 100_000, 30, 0.001)
    yield line("100,000 x 30", apart)
    yield line("100,000 x 30, 50 labels flipped", partial(with_flips, apart, 50))
    yield line("WDBC", data.wdbc)


def main():
    options = harness.parser(__doc__, repeat=3).parse_args()
    sx.report([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).html  # noqa: B018 (compiles, and loads what draws)
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
