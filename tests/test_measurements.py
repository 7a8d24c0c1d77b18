"""The tables of README.md and docs are those that the benchmarks have measured last."""

import json
import re
import subprocess
import sys

from paths import ROOT


def test_the_tables_are_what_was_measured():
    done = subprocess.run([sys.executable, ROOT / "benchmarks" / "tables.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_benchmark_has_its_results():
    """All of them: no line was chosen with --only."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    benchmarks = set(" ".join(re.findall(r"^(?:LARGE_)?BENCHMARKS := (.*)$", makefile, re.MULTILINE)).split())
    scripts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")}
    assert {name for name, text in scripts.items() if "harness.run(" in text} == benchmarks
    results = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "benchmarks" / "results").glob("*.json")]
    assert {result["benchmark"] for result in results} == benchmarks
    for result in results:
        assert result["options"].get("only") is None
        assert {"processor", "cores"} <= result["machine"].keys()
        assert {"separatrix", "Python", "numpy", "numba", "scikit-learn", "highspy"} <= result["versions"].keys()
