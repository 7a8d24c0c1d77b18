"""Rows on Spark are the rows, and so are their partitions as batches of Arrow, without Spark."""

import os
import pickle
import shutil
import sys

import cloudpickle
import numpy as np
import pyarrow as pa
import pytest

import separatrix as sx
from separatrix.distributed.spark import SparkRows, called
from separatrix.distributed.survey import survey, together
from separatrix.distributed.tasks import OnBlock, OnRows
from separatrix.problem.batches import BatchedProblem
from separatrix.problem.digest import digest
from separatrix.problem.problem import Problem


def table(n=60):
    rng = np.random.RandomState(0)
    X = rng.randint(-9, 10, (n, 3)).astype(float)
    y = np.where(X @ [1, 2, 3] > 0.5, "yes", "no")
    return X, y, pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "label": y})


def size_of(block, start):
    return start, len(block.codes)


def test_partitions_are_batches_of_arrow():
    _, y, rows = table()
    message = cloudpickle.dumps((OnRows(survey, "label"), ()))
    parts = [rows[:20].to_batches(10), rows[20:].to_batches(), []]
    found = []
    for part, batches in enumerate(parts):
        batch = called(message, part, 0, batches)
        assert batch["part"].to_pylist() == [part]
        found.append((part, pickle.loads(batch["found"][0].as_py())))
    facts, kept = together(found)
    assert kept == [0, 1]
    assert (facts.sizes, facts.classes, facts.counts) == (
        (20, 40),
        ("no", "yes"),
        tuple(np.unique(y, return_counts=True)[1]),
    )
    batch = called(cloudpickle.dumps((OnBlock(size_of, facts, "label"), ())), 1, 20, parts[1])
    assert pickle.loads(batch["found"][0].as_py()) == (20, 40)


@pytest.fixture(scope="module")
def session():
    """A Spark of this process and two threads, which listens to this machine alone."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark takes Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # of the processes that Spark starts
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.memory", "512m").config("spark.log.level", "OFF")
    found = builder.config("spark.sql.files.maxPartitionBytes", "1k").getOrCreate()
    yield found
    found.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_answers_on_spark_are_those_of_memory(session, tmp_path):
    import pyarrow.parquet as pq

    X, y, rows = table()
    for k in range(3):
        pq.write_table(rows[20 * k : 20 * (k + 1)], tmp_path / f"{k}.parquet")
    frame = session.read.parquet(*[str(tmp_path / f"{k}.parquet") for k in range(3)])
    spark = SparkRows(frame, "label")
    assert len(spark.facts.sizes) > 1
    taken = BatchedProblem.of(spark).take(range(60))
    assert sorted(map(tuple, taken.X.tolist())) == sorted(map(tuple, X.tolist()))
    X, y = taken.X, np.where(taken.y > 0, "yes", "no")  # Spark may take the files in another order
    assert BatchedProblem.of(spark).digest() == digest(Problem.of(X, y))
    same = pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "label": y})
    assert sx.describe(spark).document() == sx.describe(same, "label").document()
    verdict = sx.decide(spark)
    assert verdict.status == sx.decide(X, y).status
    sx.verify(verdict.certificate, X, y)
    learnt = sx.Perceptron(max_iter=1).fit(X, y)
    assert sx.Perceptron(max_iter=1).fit(spark).exact_weights() == learnt.exact_weights()
    assert spark.score(learnt) == learnt.score(X, y)
    assert np.concatenate(list(spark.predict(learnt))).tolist() == learnt.predict(X).tolist()


def test_a_frame_without_the_column_is_refused(session):
    with pytest.raises(ValueError, match="There is no column 'y': the frame has 'a'"):
        SparkRows(session.createDataFrame([(1.0,)], "a double"), "y")
