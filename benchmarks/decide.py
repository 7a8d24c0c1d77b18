"""How long a verdict with its proof takes, against a linear program in floating point on the whole problem.

    python benchmarks/decide.py [--data DIR] [--repeat 3] [--only NAME ...] [--json FILE]

Medians, in turn with scipy's linprog on max t, y (w.x + b) >= t, |w_j| <= 1, where a ratio is given. Times of ours include
the certificate and its verification. ``DIR`` holds ``sonar.all-data`` (UCI). Ends with 1 if a bar is missed.
"""

import io
import tempfile
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import data
import harness
import numpy as np
from harness import Line, Outcome
from memory import Growth
from scipy.optimize import linprog

import separatrix as sx
from separatrix import checker


def program(X, y):
    """The whole problem as one linear program: t > 0 says separable, as far as floats can tell."""
    Z = y[:, None] * np.column_stack([X, np.ones(len(X))])
    D = Z.shape[1]
    found = linprog(
        np.append(np.zeros(D), -1.0), A_ub=np.column_stack([-Z, np.ones(len(Z))]), b_ub=np.zeros(len(Z)),
        bounds=[(-1, 1)] * D + [(None, None)], method="highs",
    )  # fmt: skip
    return found.x[-1] > 1e-9


def against_linprog(flipped, least, repeat):
    X, y = data.pushed_apart(100_000, 30, 0.001, flipped)
    sx.decide(X, y)  # compiles
    took = harness.in_turn(repeat, {"ours": lambda: sx.decide(X, y), "theirs": lambda: program(X, y.astype(float))})
    verdict, ratio = took["ours"].result, took["theirs"].seconds / took["ours"].seconds
    figures = {
        "verdict": str(verdict.status), "seconds": took["ours"].seconds, "linprog seconds": took["theirs"].seconds,
        "ratio": ratio,
    }  # fmt: skip
    if took["theirs"].result != verdict.separable:
        figures["linprog"] = "says otherwise"
    return Outcome(figures, ratio >= least)


def below(most, make, repeat):
    X, y = make()
    took = harness.in_turn(repeat, {"ours": lambda: sx.decide(X, y)})["ours"]
    return Outcome({"verdict": str(took.result.status), "seconds": took.seconds}, took.seconds < most)


def growth(flipped):
    """Return the verdict, and by how many times the data the process grows while it is found."""
    for some in (0, 5):
        sx.decide(*data.pushed_apart(200_000, 20, 0.001, some))  # compiles
    X, y = data.pushed_apart(1_000_000, 20, 0.001, flipped)
    with Growth() as memory:
        seconds, verdict = harness.timed(sx.decide, X, y)
    return str(verdict.status), seconds, memory.bytes / X.nbytes


def memory(flipped, most):
    status, seconds, grown = harness.apart(growth, flipped)
    return Outcome({"verdict": status, "seconds": seconds, "growth": grown}, grown < most)


def verification(repeat):
    X, y = data.hundredths(3200, 1000)
    verdict = sx.decide(X, y)
    proof = verdict.certificate
    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder, "proof.json"), Path(folder, "data.csv")
        proof.save(path)
        loaded = type(proof).load(path)
        took = harness.in_turn(repeat, {
            "perceptron": lambda: sx.Perceptron(max_iter=10**6).fit(X, y),
            "verify": lambda: sx.verify(proof, X, y),
            "from a file": lambda: sx.verify(loaded, X, y),
        })  # fmt: skip
        header = ",".join([*(f"x{j}" for j in range(1000)), "y"])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt=["%.17g"] * 1000 + ["%d"])
        with redirect_stdout(io.StringIO()):
            alone, code = harness.timed(checker.main, [str(path), str(table), "--label", "y"])
    seconds, learning = took["verify"].seconds, took["perceptron"].seconds
    figures = {
        "verdict": str(verdict.status), "seconds": seconds, "perceptron seconds": learning,
        "passes": took["perceptron"].result.n_iter_, "from a file seconds": took["from a file"].seconds,
        "stand-alone checker seconds": alone,
    }  # fmt: skip
    return Outcome(figures, seconds < learning / 2 and code == 0 and alone < 60)


def lines(options):
    repeat = options.repeat
    for name, flipped in (("100,000 x 30, margin 0.001", 0), ("the same, 3 labels flipped", 3)):
        yield Line(name, "ratio at least 20", partial(against_linprog, flipped, 20, repeat))
    yield Line("WDBC", "below 0.1 s", partial(below, 0.1, data.wdbc, repeat))
    if options.data:
        yield Line("sonar", "below 0.1 s", partial(below, 0.1, lambda: data.rows(options.data, "sonar.all-data"), repeat))
    yield Line("3,000 x 300, random labels", "below 15 s", partial(below, 15.0, lambda: data.random_labels(3000, 300), 1))
    for flipped in (0, 50):
        yield Line(f"1,000,000 x 20, {flipped} flipped", "memory below 2 x data", partial(memory, flipped, 2.0))
    bar = "below half the perceptron's time, the checker below 60 s"
    yield Line("verify, 3,200 x 1,000", bar, partial(verification, repeat))


def main():
    options = harness.parser(__doc__, repeat=3).parse_args()
    sx.decide(*data.pushed_apart(100_000, 10, 0.01))  # compiles
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
