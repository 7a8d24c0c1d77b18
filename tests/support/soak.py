"""Kill runs with checkpoints at random moments, time and again, and see that each goes on to the same result.

A line for each kill; the first difference ends it, with the exit code 1. What is run, and what of it is killed, is said by
`Trial`.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PARAMETERS = {
    "cyclic": {"record": True},
    "averaged": {"average": True, "eta0": "0.1", "class_weight": "balanced"},
    "shuffled": {"order": "shuffle", "block_rows": 700, "random_state": 3, "record": True},
}
"""The runs that are killed, by their names."""

ROWS, COLUMNS, BLOCK, PASSES = 20_000, 5, 1_000, 4


def run(name, checkpoint, result):
    """Learn, with a checkpoint after each block, and write what was learnt: what a process does until it is killed."""
    import warnings

    import numpy as np

    import separatrix as sx
    from separatrix.streaming.stream import HeldRows, Stream

    warnings.simplefilter("ignore")
    rng = np.random.RandomState(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    y = X @ rng.standard_normal(COLUMNS) + 0.5 * rng.standard_normal(ROWS) > 0
    rows = Stream(HeldRows(X, y, [BLOCK] * (ROWS // BLOCK)))
    perceptron = sx.Perceptron(max_iter=PASSES, **PARAMETERS[name])
    if checkpoint is None:
        perceptron.fit(rows)
    else:
        rows.fit(perceptron, checkpoint=checkpoint, every=0.0, resume=Path(checkpoint).exists())
    found = {
        "weights": perceptron.exact_weights().strings(), "last": perceptron.last_weights().strings(),
        "mistakes": int(perceptron.n_mistakes_), "passes": int(perceptron.n_iter_),
        "trace": getattr(perceptron, "mistakes_", np.empty(0, np.int64)).tolist(),
    }  # fmt: skip
    Path(result).write_text(json.dumps(found))


@dataclass
class Trial:
    """A run that is killed with SIGKILL, and goes on; what starts it, and what of it is killed, others may say."""

    name: str
    folder: Path

    def command(self, checkpoint):
        """Return what to start."""
        return [sys.executable, __file__, "--run", self.name, str(checkpoint), str(self.folder / "result.json")]

    def start(self, checkpoint):
        """Start it."""
        return subprocess.Popen(self.command(checkpoint), stdout=subprocess.DEVNULL)

    def whole(self):
        """Return what it comes to without a kill, and the seconds from its first checkpoint to its end."""
        checkpoint, begun = self.folder / "whole.ckpt", []
        found = self.finished(checkpoint, lambda process: begun.append(self.begun(process, checkpoint)))
        return found, time.monotonic() - begun[0]

    def begun(self, process, checkpoint):
        """Wait for the first checkpoint, or for the end, and return when that was."""
        while process.poll() is None and not checkpoint.exists():
            time.sleep(0.005)
        return time.monotonic()

    def finished(self, checkpoint, meanwhile=lambda process: None):
        """Run it to its end, and return its result."""
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        process = self.start(checkpoint)
        meanwhile(process)
        if process.wait(600):
            raise SystemExit(f"{self.name}: a run ended with the exit code {process.returncode}.")
        return json.loads(result.read_text())

    def killed(self, checkpoint, seconds, from_start):
        """Run it for so many seconds, from its start or its first checkpoint, kill it, and say where it stood."""
        process = self.start(checkpoint)
        if not from_start:
            self.begun(process, checkpoint)
        try:
            process.wait(seconds)
            return "it was over"
        except subprocess.TimeoutExpired:
            self.kill(process)
        return standing(checkpoint)

    def kill(self, process):
        """Kill it, as nothing can be heard of."""
        process.kill()
        process.wait()


def standing(checkpoint):
    """Say where a checkpoint stands."""
    if not checkpoint.exists():
        return "before its first checkpoint"
    there = json.loads(checkpoint.read_text())
    return f"in pass {there['position']['passes'] + 1} after {there['position']['visits']:,} rows"


def soak(trials, kills, tell=print, seed=None):
    """Do so many kills, spread over the trials; return how many results differ."""
    chance, differing = random.Random(seed), 0
    known = {}
    for number in range(1, kills + 1):
        trial = trials[number % len(trials)]
        if trial.name not in known:
            known[trial.name] = trial.whole()
        expected, seconds = known[trial.name]
        checkpoint = trial.folder / f"{number}.ckpt"
        from_start, after = number % 5 == 0, chance.uniform(0.0, seconds)
        where = trial.killed(checkpoint, after, from_start)
        same = trial.finished(checkpoint) == expected
        differing += not same
        left = [each.name for each in trial.folder.iterdir() if each.name.startswith(".")]
        for each in left:
            (trial.folder / each).unlink()
        moment = f"{after:.2f} s after its {'start' if from_start else 'first checkpoint'}"
        tell(f"{number:3}: {trial.name} killed {moment}, {where}; resumed: {'the same' if same else 'ANOTHER RESULT'}")
        if not same:
            break
    return differing


def main():
    """Soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--run", nargs=3, metavar=("NAME", "CHECKPOINT", "RESULT"), help="what a trial starts")
    given = parser.parse_args()
    if given.run:
        name, checkpoint, result = given.run
        run(name, None if checkpoint == "-" else checkpoint, result)
        return
    with tempfile.TemporaryDirectory() as folder:
        trials = [Trial(name, Path(folder, name)) for name in PARAMETERS]
        for trial in trials:
            os.mkdir(trial.folder)
        if soak(trials, given.kills, lambda line: print(line, flush=True), given.seed):
            raise SystemExit(1)
    print(f"{given.kills} kills, and the same result each time.")


if __name__ == "__main__":
    main()
