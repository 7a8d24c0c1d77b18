"""The fewest errors of any hyperplane: bounds, times and proofs, on data sets with known answers and on larger ones.

    python benchmarks/least_errors.py [--data DIR] [--time-limit 60] [--only NAME ...] [--check] [--json FILE]

``DIR`` holds cryotherapy.csv, voicepath_data.csv, caesarian.csv, UCI's haberman.data, german.data-numeric, australian.dat
and spambase.data, and heart_scale of LIBSVM's collection. Gives for each problem both bounds, their gap, the seconds, how
many obstructions and how many leaves the proof has, its size as a file, and the seconds that it takes to read it back and
verify it; with --check the stand-alone checker has to agree. The last problem is watched for its memory. Ends with 1 if a
bar is missed.
"""

from functools import partial

import data
import harness
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome
from memory import Growth
from proofs import read_back

import separatrix as sx
from separatrix.proof.claims import Leaf

TABLES = {
    "cryotherapy.csv": (4, 4), "voicepath_data.csv": (19, 19), "caesarian.csv": (18, 18), "haberman.data": (65, 66),
    "heart_scale": None, "australian.dat": None, "german.data-numeric": None, "spambase.data": None,
}  # fmt: skip
"""The least that the lower bound has to be, and the most that the upper one may be."""

LARGER = 100_000, 50
LARGER_SECONDS = 30.0  # at most


def bounded(make, bounds, options):
    rows = make()
    seconds, found = harness.timed(sx.least_errors, *rows, time_limit=options.time_limit)
    size, verifying = read_back(found, rows, options.check)
    packing = found.certificate.packing
    figures = {
        "rows": found.problem.n, "features": found.problem.d, "lower": found.lower, "upper": found.upper,
        "gap": found.upper - found.lower, "seconds": seconds, "obstructions": len(packing.obstructions),
        "leaves": sum(isinstance(node, Leaf) for node in packing.nodes), "proof bytes": size, "verify seconds": verifying,
    }  # fmt: skip
    return Outcome(figures, bounds is None or (found.lower >= bounds[0] and found.upper <= bounds[1]))


def growth(n, d, limit):
    """Return both bounds, the seconds, and by how many times the data the process grows while they are found."""
    sx.least_errors(*data.flipped(200, 50), time_limit=5)  # compiles
    X, y = data.flipped(n, d)
    with Growth() as memory:
        seconds, found = harness.timed(sx.least_errors, X, y, time_limit=limit)
    return found.lower, found.upper, seconds, memory.bytes / X.nbytes


def larger(limit):
    n, d = LARGER
    lower, upper, seconds, grown = harness.apart(growth, n, d, limit)
    return Outcome({
        "rows": n, "features": d, "lower": lower, "upper": upper, "gap": upper - lower, "seconds": seconds, "growth": grown,
    })  # fmt: skip


def lines(options):
    def line(name, make, bounds):
        bar = "" if bounds is None else f"at least {bounds[0]}, at most {bounds[1]}"
        return Line(name, bar, partial(bounded, make, bounds, options))

    yield line("iris: versicolor, virginica", data.versicolor_and_virginica, (1, 1))
    for name, bounds in TABLES.items() if options.data else ():
        yield line(name, lambda name=name: (data.table(options.data, name),), bounds)
    yield Line("larger: 5 % of labels flipped", "", partial(larger, min(options.time_limit, LARGER_SECONDS)))


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each problem")
    parser.add_argument("--check", action="store_true", help="let the stand-alone checker check as well")
    options = parser.parse_args()
    sx.least_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # compiles
    sx.least_errors(sp.csr_array(np.eye(3)), [0, 1, 1])
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
