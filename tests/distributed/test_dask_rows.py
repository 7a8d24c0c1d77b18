"""Rows on Dask are the rows: what is known of them, what is computed with them, and the answers, whoever computes them."""

import os
import signal
import threading
import time
from decimal import Decimal
from typing import Any
from unittest import mock

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import Shuffled, in_parts, running
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from strategies import cuts, problems

import separatrix as sx
from separatrix.distributed import submission
from separatrix.distributed.submission import Submission
from separatrix.problem.batches import BatchedProblem
from separatrix.problem.digest import digest
from separatrix.problem.problem import Problem
from separatrix.streaming.stream import HeldRows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WORKERS = ["one_worker", "two_workers"]


def separable(n=400, d=4, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randint(-9, 10, (n, d)).astype(float)
    return X, np.where(X @ np.arange(1, d + 1) > 2.5, "yes", "no")


def of_each(problem, start):
    return start, problem.n, float(problem.X.sum())


def appended(problem, start, before):
    return [*before, start]


# What is known of the rows.


def known(facts):
    """The facts, but for empty blocks and for what a table knows besides."""
    return {**vars(facts), "sizes": tuple(size for size in facts.sizes if size), "columns": None, "n": facts.n} | {
        "starts": 0
    }


GIVEN = {
    "array": lambda X, y: (da.from_array(X, chunks=(60, 2)), da.from_array(y, chunks=100)),
    "array, labels here": lambda X, y: (da.from_array(X, chunks=(60, -1)), y.tolist()),
    "sizes unknown": lambda X, y: (unknown(X), unknown(y)),
    "sizes unknown, labels here": lambda X, y: (unknown(X), y),
}


def unknown(array, size=60):
    """An array whose chunks are of unknown sizes, the second of them empty."""
    padded = da.from_array(np.concatenate([array[:size], array[:size], array[size:]]), chunks=(size, *array.shape[1:]))
    kept = np.arange(len(padded)) // size != 1
    return padded[da.from_array(kept, chunks=size)]


@pytest.mark.parametrize("form", GIVEN)
def test_what_is_known_of_an_array(form, one_worker):
    X, y = separable(150)
    rows = sx.DaskRows(*GIVEN[form](X, y), client=one_worker)
    assert known(rows.facts) == known(HeldRows(X, y, rows.facts.sizes).facts())
    assert rows.facts.sizes == (60, 60, 30)
    problem = BatchedProblem.of(rows)
    assert problem.digest() == digest(Problem.of(X, y))
    assert sorted(found for _, found in problem.map(of_each)) == [
        (start, len(X[start : start + 60]), X[start : start + 60].sum()) for start in (0, 60, 120)
    ]
    *_, (k, starts) = problem.fold(appended, [])
    assert (k, starts) == (2, [0, 60, 120])


def test_a_table_has_names(one_worker):
    X, y = separable(100)
    table = pd.DataFrame(X, columns=list("abcd")).assign(label=y)
    rows = sx.DaskRows(dd.from_pandas(table, npartitions=3), label="label", client=one_worker)
    assert [str(column) for column in rows.facts.columns] == list("abcd")
    assert BatchedProblem.of(rows).digest() == digest(Problem.of(X, y))


@pytest.mark.parametrize("mixed", [False, True])
def test_decimals_of_any_length_get_one_denominator(mixed, one_worker):
    X = np.array([[Decimal("0.5")], [Decimal("0.125")], [Decimal(3)], [Decimal("-7.25")]], object)
    y = np.array([0, 1, 0, 1])
    parts = [dask.delayed((X[:1], y[:1])), dask.delayed((X[1:2], y[1:2]))]
    parts += [dask.delayed((X[2:].astype(float) if mixed else X[2:], y[2:]))]
    rows, whole = sx.DaskRows(parts, client=one_worker), HeldRows(X, y, (1, 1, 2)).facts()
    assert (rows.facts.reading, rows.facts.denominator) == (whole.reading, whole.denominator) == ("decimal", 1000)
    assert (rows.facts.largest, rows.facts.smallest) == (whole.largest, whole.smallest)
    assert BatchedProblem.of(rows).digest() == digest(Problem.of(X, y))


def test_some_parts_may_be_sparse(one_worker):
    X, y = separable(90)
    parts = [dask.delayed((X[:50], y[:50])), dask.delayed((sp.csr_array(X[50:]), y[50:]))]
    rows = sx.DaskRows(parts, client=one_worker)
    assert rows.facts.sparse
    assert BatchedProblem.of(rows).digest() == digest(Problem.of(X, y))


# Answers.


@quickly(6)
@given(drawn=problems(max_rows=14), data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_answers_are_those_of_memory(workers, request, drawn, data):
    X, y = drawn
    y = y.astype(int)
    rows = in_parts(sp.csr_array(X) if data.draw(st.booleans()) else X, y, data.draw(cuts(len(X))),
                    request.getfixturevalue(workers))  # fmt: skip
    expected, found = sx.decide(X, y), sx.decide(rows)
    assert found.status == expected.status
    assert found.separated_rows.tolist() == expected.separated_rows.tolist()
    sx.verify(found.certificate, X, y)
    learnt = [sx.Perceptron(max_iter=5, record=True).fit(*given) for given in ((X, y), (rows,))]
    assert learnt[0].exact_weights() == learnt[1].exact_weights()
    assert learnt[0].mistakes_.tolist() == learnt[1].mistakes_.tolist()
    assert np.concatenate(list(rows.predict(learnt[0]))).tolist() == learnt[0].predict(X).tolist()
    assert rows.score(learnt[0]) == learnt[0].score(X, y)


@quickly(6)
@given(drawn=problems(max_rows=14), data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_descriptions_are_those_of_memory(workers, request, drawn, data):
    X, y = drawn
    y = y.astype(int)
    X = sp.csr_array(X) if data.draw(st.booleans()) else X
    rows = in_parts(X, y, data.draw(cuts(len(y))), request.getfixturevalue(workers))
    positive = data.draw(st.sampled_from([None, "1"]))
    found, expected = sx.describe(rows, positive=positive), sx.describe(X, y, positive=positive)
    assert found.document() == expected.document()
    assert found.explain(width=80) == expected.explain(width=80)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_table_is_described_as_it_is_in_memory(place, two_workers):
    X, y = separable(120, 2)
    table = pd.DataFrame({"a": X[:, 0], "id": np.arange(120.0), "b": X[:, 1], "copy": X[:, 0]})
    table.insert(place, "label", np.where(y == "yes", "ja", "nein"))
    contradictory = table.drop(columns="id").assign(label=["ja", "nein", "ja"] * 40, a=table["a"] // 5, b=1.0)
    for each, notes in ((table, 2), (contradictory, 1)):
        rows = sx.DaskRows(dd.from_pandas(each, npartitions=3), label="label", client=two_workers)
        found, expected = rows.describe(), sx.describe(each, "label")
        assert found.document() == expected.document()
        assert found.explain(width=80) == expected.explain(width=80)
        assert len(found.notes) == notes


@given(problems(max_rows=14), st.integers(0, 99), st.data())
def test_the_order_of_arrival_changes_nothing(drawn, seed, data):
    X, y = drawn
    y = y.astype(int)
    rows = Shuffled(X, y, data.draw(cuts(len(X))), seed)
    assert rows.describe().document() == sx.describe(X, y).document()
    expected, found = sx.decide(X, y), sx.decide(rows)
    assert found.status == expected.status
    assert found.separated_rows.tolist() == expected.separated_rows.tolist()
    sx.verify(found.certificate, X, y)
    learnt = sx.Perceptron(max_iter=3).fit(X, y)
    assert np.concatenate(list(rows.predict(learnt))).tolist() == learnt.predict(X).tolist()
    assert rows.score(learnt) == learnt.score(X, y)


# Workers that die, tasks that fail, and what is in flight.


def slow(problem, start):
    time.sleep(0.05)
    return start, problem.n


def very_slow(problem, start):
    time.sleep(1)
    return start


def slowly(problem, start, before):
    time.sleep(0.05)
    return [*before, start]


@pytest.fixture(scope="module")
def workers_to_kill():
    """A client of two processes of its own."""
    yield from running(2)


@pytest.mark.parametrize("way", ["map", "fold"])
def test_a_worker_that_is_killed_three_times_changes_nothing(way, workers_to_kill):
    X, y = separable(600)
    problem = BatchedProblem.of(in_parts(X, y, [15] * 40, workers_to_kill))
    found = []
    passed = problem.map(slow) if way == "map" else problem.fold(slowly, [])
    for count, (k, result) in enumerate(passed):
        found.append((k, result))
        if count in (4, 14, 24):
            os.kill(next(iter(workers_to_kill.run(os.getpid).values())), signal.SIGKILL)
    if way == "map":
        assert sorted(found) == [(k, (15 * k, 15)) for k in range(40)]
    else:
        assert found == [(k, list(range(0, 15 * k + 1, 15))) for k in range(40)]


def wrong(problem, start):
    if start == 30:
        raise KeyError("nothing like it")
    return start


def test_an_error_is_raised_as_itself(two_workers):
    X, y = separable(60)
    problem = BatchedProblem.of(in_parts(X, y, [30, 30], two_workers))
    with pytest.raises(KeyError, match="nothing like it") as raised:
        list(problem.map(wrong))
    assert raised.value.__notes__ == ["This was in part 1 of the rows, counted from 0."]
    assert len(raised.traceback) < 10


def test_rows_that_are_no_numbers_are_refused_with_their_part(one_worker):
    X, y = separable(60)
    X[45, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN: 1 entry, the first in row 15") as raised:
        in_parts(X, y, [30, 30], one_worker).facts  # noqa: B018
    assert "part 1" in raised.value.__notes__[0]


def unreadable(name):
    """A part that can be read at the second attempt only."""
    if not os.path.exists(name):
        open(name, "w").close()
        raise OSError("try again")
    return separable(60)


def test_what_may_do_better_the_next_time_is_tried_again(one_worker, tmp_path):
    rows = sx.DaskRows([dask.delayed(unreadable)(str(tmp_path / "seen"))], client=one_worker)
    assert rows.facts.n == 60
    with pytest.raises(OSError, match="try again"):
        sx.DaskRows([dask.delayed(unreadable)(str(tmp_path / "new"))], client=one_worker, retries=0).facts  # noqa: B018


def test_few_results_are_in_flight(two_workers):
    X, y = separable(1000)
    rows = in_parts(X, y, [5] * 200, two_workers)
    chosen = rows._chosen(None)
    with Submission.of(two_workers, 3, rows._on_block(lambda block, start: start)) as call:
        most = 0
        count = 0
        for _ in call.each(chosen):
            count += 1
            most = max(most, len(call.sent))
            assert len(two_workers.futures) <= call.most + 5
        assert count == 200
        assert 2 <= most <= call.most == 8


def test_what_is_no_longer_wanted_is_cancelled(two_workers):
    X, y = separable(600)
    problem = BatchedProblem.of(in_parts(X, y, [15] * 40, two_workers))
    passed: Any = problem.map(slow)
    before = set(two_workers.futures)
    next(passed)
    sent = set(two_workers.futures) - before
    assert sent
    passed.close()
    end = time.monotonic() + 20
    while time.monotonic() < end and sent & set(two_workers.futures):
        time.sleep(0.05)
    assert not sent & set(two_workers.futures)


def test_ctrl_c_is_heard_while_workers_are_busy(one_worker):
    X, y = separable(600)
    problem = BatchedProblem.of(in_parts(X, y, [15] * 40, one_worker))
    problem.facts  # noqa: B018 (so that it is known, and all that is left is slow)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        list(problem.map(very_slow))


def test_a_cluster_without_workers_is_given_up():
    X, y = separable(60)
    with (
        LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address=None, scheduler_kwargs={"dashboard_address": "127.0.0.1:0"}
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        mock.patch.object(submission, "SECONDS_WITHOUT_WORKERS", 0.5),
        pytest.raises(ConnectionError, match=r"no workers for 0\.5 s"),
    ):
        in_parts(X, y, [30, 30], client).facts  # noqa: B018


# What is refused.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda X, y: (X, y), "X must be a dask.array, a dask.dataframe, or a list"),
        (lambda X, y: (da.from_array(X), None), "y to be passed"),
        (lambda X, y: (da.from_array(X), y[1:]), "X has 20 rows, y has 19 labels"),
        (lambda X, y: (unknown(X, 5), unknown(y, 10)), "5 chunks of rows and y 3, of unknown sizes"),
        (lambda X, y: ([dask.delayed((X, y))], y), "each part is a pair of rows and labels already"),
        (lambda X, y: (dd.from_pandas(pd.DataFrame(X), npartitions=2), None), "A table needs label"),
    ],
)
def test_what_is_no_rows_is_refused(given, message, one_worker):
    with pytest.raises((TypeError, ValueError), match=message):
        sx.DaskRows(*given(*separable(20)), client=one_worker)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (lambda X, y: [(X, y), (X[:, 1:], y)], "Part 1 has 3 columns, but part 0 has 4"),
        (lambda X, y: [(X, y), (X, np.arange(20) % 2)], "y mixes texts and numbers"),
        (lambda X, y: [(X, y[1:])], "X has 20 rows, y has 19 labels"),
        (lambda X, y: [(X[:0], y[:0])], "There are no rows"),
        (lambda X, y: [3], "Each part must be a pair of rows and labels, got int"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(parts, message, one_worker):
    with pytest.raises((TypeError, ValueError), match=message):
        sx.DaskRows(list(map(dask.delayed, parts(*separable(20)))), client=one_worker).facts  # noqa: B018
