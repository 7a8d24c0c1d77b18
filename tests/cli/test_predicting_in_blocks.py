"""Predicted in blocks, a table has the predictions that it has in memory, byte for byte, and as many errors."""

import json
import random
from unittest import mock

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from commands import failed, separatrix, succeeded, written
from hypothesis import given
from hypothesis import strategies as st
from random_tables import examples
from workbooks import sheet, workbook

from separatrix.tables.opened_pieces import Room

WORDS = ["red", "=1+1", "@blue", "-3 items", "naïve", 'say "no"', "two, words", " NA"]
MEMORY = ("--memory", "1MB")


def in_small_blocks(size):
    """Have blocks of a few rows."""
    return mock.patch.object(Room, "piece", size)


def both(*arguments, size=256):
    """Run a command on rows in memory and in blocks; require the same output and messages, and return what was printed.

    What is refused is refused before anything is written; of several reasons another may be named.
    """
    plain = separatrix(*arguments)
    with in_small_blocks(size):
        blocks = separatrix(*arguments, *MEMORY)
    if plain.returncode:
        assert blocks.returncode == plain.returncode
        assert blocks.stdout.startswith('{"error": ') == plain.stdout.startswith('{"error": ') == bool(blocks.stdout)
        return plain.stdout
    assert (blocks.returncode, blocks.stdout, blocks.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    return plain.stdout


def table(rng, n, gaps, classes):
    """Columns of numbers and words, some cells of them missing, and a label."""
    words = rng.sample(WORDS, 4)
    columns = {
        "size": [rng.choice([rng.uniform(-9, 9), rng.randint(-9, 9), 1e-3 * rng.randint(1, 99)]) for _ in range(n)],
        "weight": [rng.gauss(0, 1) for _ in range(n)],
        "count": [rng.randint(0, 5) for _ in range(n)],
        "colour": [rng.choice(words) for _ in range(n)],
    }
    labels = [classes[int(abs(columns["size"][i] + columns["count"][i])) % len(classes)] for i in range(n)]
    labels[: len(classes)] = classes
    for column in columns.values():
        for i in range(n):
            if rng.random() < gaps:
                column[i] = None
    return pa.table({**columns, "kind": labels})


def save(found, path):
    pq.write_table(found, path) if path.suffix == ".parquet" else pc.write_csv(found, path)
    return path


@st.composite
def tables_and_models(draw):
    return {
        "seed": draw(st.integers(0, 2**32)),
        "gaps": draw(st.sampled_from([0.0, 0.02, 0.3, 0.9])),
        "missing": draw(st.sampled_from(["refuse", "drop-rows", "indicator"])),
        "classes": draw(st.sampled_from([["no", "yes"], ["=a", "b", "c"], [0, 1], [1, 2, 5, 7]])),
        "algorithm": draw(st.sampled_from(["perceptron", "averaged", "voted", "pocket", "least-squares"])),
        "ending": draw(st.sampled_from([".csv", ".parquet"])),
        "numbers": draw(st.sampled_from([(), ("--numbers", "float64")])),
        "scale": draw(st.sampled_from([(), ("--scale", "standard")])),
        "size": draw(st.sampled_from([64, 256, 4096])),
    }


@examples(25)
@given(tables_and_models(), st.booleans())
def test_predictions_are_those_of_memory(tmp_path_factory, drawn, ignore):
    folder, rng = tmp_path_factory.mktemp("tables"), random.Random(drawn["seed"])
    whole = 0.0 if drawn["missing"] == "refuse" else drawn["gaps"] / 2
    learnt = save(table(rng, 40, whole, drawn["classes"]), folder / f"learnt{drawn['ending']}")
    model = folder / "model.json"
    fit = separatrix(
        "fit", learnt, "--label", "kind", "--missing", drawn["missing"], "--algorithm", drawn["algorithm"],
        *drawn["numbers"], *drawn["scale"], "--model", model,
        *(("--max-updates", "50") if drawn["algorithm"] == "pocket" else ()),
    )  # fmt: skip
    if fit.returncode:
        return  # such as no row without a gap
    new = save(table(rng, 60, drawn["gaps"], drawn["classes"]), folder / f"new{drawn['ending']}")
    unseen = ("--unseen", "ignore") if ignore else ()
    document = both("predict", model, new, *unseen, "--json", size=drawn["size"])
    found = json.loads(document)
    if "error" not in found:
        assert document == json.dumps(found, indent=1) + "\n"
        assert len(found["predictions"]) == len(found["scores"]) == 60
    both("predict", model, new, *unseen, "--spreadsheet-safe", size=drawn["size"])
    both("score", model, new, *unseen, size=drawn["size"])
    contents = []
    for more in ((), MEMORY):
        with in_small_blocks(drawn["size"]):
            done = separatrix("predict", model, new, *unseen, "-o", folder / "out.csv", *more)
        contents.append((done.stderr, (folder / "out.csv").read_bytes() if not done.returncode else None))
    assert contents[0][1] == contents[1][1]
    if contents[0][1] is not None:
        assert contents[0] == contents[1]


@pytest.fixture
def model(tmp_path):
    data = written(tmp_path, "a,job,y\n1,cook,no\n2,clerk,yes\n,cook,no\n3,clerk,yes\n", "learnt.csv")
    succeeded("fit", data, "--label", "y", "--missing", "drop-rows", "--model", tmp_path / "model.json")
    return tmp_path / "model.json"


def test_rows_with_missing_values_have_no_prediction_wherever_they_are(model, tmp_path):
    gap, row = ",cook,no\n", "2,clerk,yes\n"
    for lines in ([gap, row], [row, gap], [gap] * 50 + [row, gap, row] + [gap] * 50, [row] * 30 + [gap] * 70 + [row] * 30):
        data = written(tmp_path, "a,job,y\n" + "".join(lines), "new.csv")
        out = both("predict", model, data, size=32)
        assert out.splitlines()[1:] == ["," if line == gap else out.splitlines()[1 + lines.index(row)] for line in lines]
        both("predict", model, data, "--json", size=32)
        assert f"{lines.count(gap)} row" in both("score", model, data, size=32)
    assert "none is left" in failed("predict", model, written(tmp_path, "a,job,y\n" + 9 * gap, "new.csv"), *MEMORY)


def test_files_that_are_read_as_a_whole_come_in_the_columns_of_the_model(model, tmp_path):
    lines = (["job", "a", "y"], ["clerk", 2, "yes"], ["clerk", None, "no"], ["clerk", 9, "yes"])
    (tmp_path / "new.xlsx").write_bytes(workbook({"jobs": sheet(lines)}))
    assert len(both("predict", model, tmp_path / "new.xlsx").splitlines()) == 4
    both("score", model, tmp_path / "new.xlsx")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,y\n1,no\n", "lacks the column"),
        ("a,job\n1,baker\n", "baker"),
        ("a,job\n", "no rows"),
        ("a,a,job\n1,2,cook\n", "two columns named"),
    ],
)
def test_other_tables_are_refused_alike(model, tmp_path, content, words):
    data = written(tmp_path, content, "new.csv")
    plain, blocks = (failed("predict", model, data, *more) for more in ((), MEMORY))
    assert plain == blocks
    assert words in plain
    assert failed("score", model, data) == failed("score", model, data, *MEMORY)


def test_missing_values_that_were_not_there_when_it_was_learnt(credit, tmp_path):
    succeeded("fit", credit, "--label", "approved", "--model", tmp_path / "model.json")
    lines = credit.read_text().splitlines()
    lines[3] = "," + lines[3].partition(",")[2]
    data = written(tmp_path, "\n".join(lines), "new.csv")
    plain, blocks = (failed("predict", tmp_path / "model.json", data, *more) for more in ((), MEMORY))
    assert plain == blocks
    assert "--unseen ignore" in plain
    both("predict", tmp_path / "model.json", data, "--unseen", "ignore", size=4096)


def test_notes_are_those_of_memory(model, tmp_path):
    data = written(tmp_path, "sep=;\na;job\n2,5;clerk\n3;cook\n", "new.csv")
    both("predict", model, data)
    plain, blocks = (separatrix("predict", model, data, *more) for more in ((), MEMORY))
    assert plain.stderr == blocks.stderr
    assert "Note: " in plain.stderr
