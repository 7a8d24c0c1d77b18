"""Whether calls end when they are told to: by their time limit, and by Ctrl-C.

    python benchmarks/limits.py [--only "margin, wide"] [--small] [--presses 10] [--limit 5] [--seed 0] [--json FILE]

Each long call on large (1,000,000 x 50), wide (500 x 20,000) and sparse (1,000,000 x 100,000, ten entries a row) data, warm,
the rows read before. *Limit*: seconds until it is back with ``time_limit=5``, and what it came back with; at most 6.5.
*Ctrl-C*: a signal at ten random moments of its first four seconds each, without a time limit; seconds from the signal until
it is back, with what there is or with KeyboardInterrupt; at most 1. ``--small`` has a hundredth of the rows, or columns.

Each call is made in a process of its own, to which the signals are sent. It is no part of ``make bench``: its bars are
seconds, for a machine that does nothing else, and it takes an hour. Ends with 1 if a bar is missed.
"""

import inspect
import json
import random
import select
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from functools import partial

import data
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome, parser, run

import separatrix as sx

MOST_SECONDS = 6.5
MOST_SECONDS_TO_STOP = 1.0
LONGEST_WAIT = 4.0
"""Seconds after the beginning of a call up to which a signal may come."""

PATIENCE = 300.0
"""Seconds after which a call that does not end is given up."""

# ---- Rows: of each kind some that a hyperplane separates, and some that none does.


def large(separable, share):
    return data.pushed_apart(1_000_000 // share, 50, 0.1) if separable else data.flipped(1_000_000 // share, 50)


def wide(separable, share):
    if separable:
        return data.random_labels(500, 20_000 // share)
    X, y = data.random_labels(500, 20_000 // share)
    X[1], y[1] = X[0], -y[0]  # a row of both classes
    return X, y


def sparse(separable, share):
    n, d, entries = 1_000_000 // share, 100_000 // share, 10
    rng = np.random.default_rng(0)
    starts = np.arange(0, n * entries + 1, entries, dtype=np.int32)
    columns = np.sort(rng.integers(0, d, (n, entries), dtype=np.int32), axis=1)
    X = sp.csr_array((rng.standard_normal(n * entries), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    wrong = rng.random(n) < (0.0 if separable else 0.05)
    return X, np.where((X @ rng.standard_normal(d) > 0) ^ wrong, 1, -1)


ROWS = {"large": large, "wide": wide, "sparse": sparse}

# ---- Calls: how each is made of rows, labels and options, and whether it is about separable rows.


def fitted(kind, **parameters):
    def fit(X, y, **options):
        return kind(**parameters, **options).fit(X, y)

    fit.takes = inspect.signature(kind).parameters  # type: ignore[attr-defined]
    return fit


CALLS = {
    "decide": (sx.decide, False),
    "margin": (sx.margin, True),
    "mistake_bound": (sx.mistake_bound, True),
    "least_errors": (sx.least_errors, False),
    "compare": (sx.compare, False),
    "report": (sx.report, False),
    "Perceptron": (fitted(sx.Perceptron, max_iter=1_000_000), False),
    "VotedPerceptron": (fitted(sx.VotedPerceptron, max_iter=1_000_000), False),
    "Pocket": (fitted(sx.Pocket, max_updates=2**40), False),
    "KernelPerceptron": (fitted(sx.KernelPerceptron, max_iter=1_000_000), False),
    "MaxMargin": (fitted(sx.MaxMargin), True),
    "LinearProgramClassifier": (fitted(sx.LinearProgramClassifier), False),
    "LeastSquaresClassifier": (fitted(sx.LeastSquaresClassifier), False),
}


def options_of(call, limit):
    takes = getattr(call, "takes", None) or inspect.signature(call).parameters
    return {"time_limit": limit} if "time_limit" in takes else {}


def in_short(found):
    """Say what came back: the few numbers of it that tell how far it came."""
    names = (
        "status",
        "lo",
        "hi",
        "most_mistakes",
        "lower",
        "upper",
        "n_mistakes_",
        "n_errors_",
        "margin_bounds_",
        "missing",
    )
    known = {name: getattr(found, name) for name in names if getattr(found, name, None) is not None}
    if hasattr(found, "table"):
        known["rows"] = len(found.table)
    return f"{type(found).__name__} " + ", ".join(f"{name} {value}" for name, value in known.items())


# ---- In the child: one call, again and again. It is deaf to Ctrl-C but for the call itself.


def child(name, rows, share, limit, rounds):
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    call, separable = CALLS[name]
    with suppress(Exception):
        call(*ROWS[rows](separable, 500), **options_of(call, 5.0))  # compiles, or loads, what is compiled
    X, y = ROWS[rows](separable, share)
    for _ in range(rounds):
        options = options_of(call, limit) if limit else options_of(call, None)
        say({"begun": time.monotonic()})
        outcome = "nothing"
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            outcome = in_short(call(X, y, **options))
        except KeyboardInterrupt:
            outcome = "KeyboardInterrupt"
        except Exception as error:
            outcome = f"{type(error).__name__}: {str(error)[:60]}"
        ended = time.monotonic()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        say({"ended": ended, "outcome": outcome})
        time.sleep(2.1)  # two signals within two seconds would be another matter


def say(what):
    print(json.dumps(what), flush=True)


# ---- In the parent.


class Child:
    """A process that makes calls."""

    def __init__(self, *arguments):
        command = [sys.executable, __file__, "--child", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def heard(self, seconds=PATIENCE):
        """Return what it says next; None if it says nothing for so long, or is no more."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None


def limited(name, rows, share, limit):
    with Child(name, rows, share, limit, 1) as call:
        begun = call.heard()
        ended = begun and call.heard()
    if not ended:
        return Outcome({"outcome": f"not back after {PATIENCE:.0f} s"}, False)
    seconds = ended["ended"] - begun["begun"]
    return Outcome({"seconds": seconds, "outcome": ended["outcome"]}, seconds <= limit + MOST_SECONDS - 5.0)


def pressed(name, rows, share, presses, seed):
    """Send a signal at random moments of so many calls; one that is over before does not count."""
    rng, waits, outcomes = random.Random(seed), [], {}
    with Child(name, rows, share, 0, presses) as call:
        for _ in range(presses):
            if call.heard() is None:
                return Outcome({"outcome": "did not begin"}, False)
            early = call.heard(rng.uniform(0.0, LONGEST_WAIT))
            sent = time.monotonic()
            if early is None:
                call.process.send_signal(signal.SIGINT)
                ended = call.heard()
                if ended is None:
                    return Outcome({"outcome": f"not back {PATIENCE:.0f} s after the signal"}, False)
                waits.append(ended["ended"] - sent)
            outcome = (early or ended)["outcome"].partition(" ")[0] if early is None else "over before"
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    told = ", ".join(f"{count} x {outcome}" for outcome, count in outcomes.items())
    if not waits:
        return Outcome({"outcome": told})
    return Outcome({"longest seconds": max(waits), "outcome": told}, max(waits) <= MOST_SECONDS_TO_STOP)


def lines(options):
    share = 100 if options.small else 1
    for name in CALLS:
        for rows in ROWS:
            call, _ = CALLS[name]
            if options_of(call, options.limit):
                work = partial(limited, name, rows, share, options.limit)
                yield Line(f"{name}, {rows}, limit", f"<= {options.limit + MOST_SECONDS - 5:g} s", work)
            work = partial(pressed, name, rows, share, options.presses, options.seed)
            yield Line(f"{name}, {rows}, Ctrl-C", f"<= {MOST_SECONDS_TO_STOP:g} s", work)


def main():
    if sys.argv[1:2] == ["--child"]:
        name, rows, *numbers = sys.argv[2:]
        child(name, rows, int(numbers[0]), float(numbers[1]), int(numbers[2]))
        return 0
    made = parser(__doc__)
    made.add_argument("--small", action="store_true", help="a hundredth of the rows, or columns")
    made.add_argument("--presses", type=int, default=10, help="signals for each call")
    made.add_argument("--limit", type=float, default=5.0, help="the time limit in seconds")
    made.add_argument("--seed", type=int, default=0, help="of the moments at which signals come")
    options = made.parse_args()
    return run(lines(options), options)


if __name__ == "__main__":
    sys.exit(main())
