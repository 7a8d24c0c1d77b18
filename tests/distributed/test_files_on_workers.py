"""Files that the workers of a cluster read: what is known of them, what is refused, and what is answered."""

import io
import os
import warnings
from unittest import mock

import numpy as np
import pytest
from changing_files import DAMAGE, FILES, X, y
from table_files import compressed, npz, parquet, write

import separatrix as sx
from separatrix.distributed.cluster import require_alike
from separatrix.problem.batches import BatchedProblem
from separatrix.streaming.stream import Stream

TABLE = "id;job;pay;paid\n" + "".join(
    f"{k};{('cook', 'clerk', 'NA')[k % 3]};{k % 7},25;{'yes' if k % 4 else 'no'}\n" for k in range(900)
)


def both(source, client, **reading):
    """The rows as workers read them, and as this process does."""
    return sx.DaskRows(source, client=client, memory="1MB", **reading), Stream(source, memory="1MB", **reading)


def require_same(there, here):
    """Require all that is known of rows to be the same; blocks may be others."""
    sizes = {"sizes": (), "n": 0, "starts": ()}
    assert vars(there.facts) | sizes == vars(here.facts) | sizes
    assert (there.facts.n, there.names, there.classes) == (here.facts.n, here.names, here.classes)
    assert there.notes() == here.notes()
    assert BatchedProblem.of(there).digest() == BatchedProblem.of(here).digest()
    some = [0, 1, there.facts.n // 2, there.facts.n - 1]
    assert there.locate(some) == here.locate(some)


@pytest.fixture(params=FILES)
def path(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(FILES[request.param])
    return path


def label_of(path):
    return None if path.suffix == ".libsvm" else -1


def test_workers_read_what_a_stream_reads(path, two_workers):
    there, here = both(str(path), two_workers, label=label_of(path))
    assert there.facts.n == len(y)
    assert len(there.facts.sizes) > (0 if path.suffix == ".gz" else 3)
    require_same(there, here)
    assert "6,000 rows" in repr(there)
    found = sx.decide(there)
    assert found.status == sx.decide(X, y).status
    sx.verify(found.certificate, here)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learnt = [sx.Perceptron(max_iter=2).fit(rows) for rows in (there, here)]
    assert learnt[0].exact_weights() == learnt[1].exact_weights()
    assert np.concatenate(list(there.predict(learnt[0]))).tolist() == np.concatenate(list(here.predict(learnt[1]))).tolist()


def test_how_files_are_written_and_what_is_chosen_of_them(two_workers, tmp_path):
    for k in range(3):
        write(tmp_path, f"{k}.csv", TABLE)
    reading = {"label": "paid", "separator": "semicolon", "decimal": ",", "drop": ["id"], "missing": "indicator"}
    there, here = both(str(tmp_path / "*.csv"), two_workers, **reading)
    assert there.names == ["job=clerk", "job=cook", "job is missing", "pay"]
    require_same(there, here)
    one = there.against_rest("no")
    assert (one.facts.classes, one.facts.counts) == ((False, True), (there.facts.counts[1], there.facts.counts[0]))
    assert sx.decide(one).status == sx.decide(there).status
    assert there.in_columns(there.facts.columns[:2], "ignore").facts.d == 2
    paths = [str(tmp_path / f"{k}.csv") for k in (2, 0)]
    require_same(*both(paths, two_workers, label="paid", missing="drop-rows"))


def test_paths_are_those_of_the_client(one_worker, tmp_path, monkeypatch):
    write(tmp_path, "a.csv", TABLE)
    monkeypatch.chdir(tmp_path)
    rows = sx.DaskRows("a.csv", label="paid", client=one_worker, missing="drop-rows")
    assert rows.facts.n == 600
    assert rows.locate([1]) == ["a.csv, line 3"]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_that_changes_between_passes_is_refused(path, damage, two_workers):
    rows = sx.DaskRows(str(path), label=label_of(path), client=two_workers, memory="1MB")
    assert rows.facts.n == len(y)
    damage(path)
    with pytest.raises(sx.FileError, match=r"rows\.\w+.* (changed while it was read|cannot be read any more)"):
        sx.decide(rows)


def test_what_is_wrong_is_told_in_the_words_of_a_stream(two_workers, tmp_path):
    plain = TABLE.replace(",25", ".25")
    for content in (plain + "901;cook;x;no\n", plain.replace("450;cook", "450;cook;5"), plain.replace("yes", "")):
        path = str(write(tmp_path, "a.csv", content))
        there, here = both(path, two_workers, label="paid", missing="indicator")
        with pytest.raises(sx.FileError) as expected:
            here.facts  # noqa: B018
        with pytest.raises(sx.FileError) as found:
            there.facts  # noqa: B018
        assert str(found.value) == str(expected.value)


REFUSED = {
    "a.npz": (npz(X=np.zeros((2, 2)), y=np.arange(2)), "read as a whole, and workers read files piece by piece"),
    "a.parquet.gz": (compressed(parquet(), ".gz"), "is compressed as a whole"),
    "a.csv": ("a,y\n1,2\n1,2,3\n", "a.csv"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(name, one_worker, tmp_path):
    content, message = REFUSED[name]
    path = str(write(tmp_path, name, content))
    with pytest.raises(sx.FileError, match=message):
        sx.DaskRows(path, label="y", client=one_worker).facts  # noqa: B018


def test_what_does_not_go_together_is_refused(one_worker, tmp_path, monkeypatch):
    path = str(write(tmp_path, "a.csv", TABLE))
    with pytest.raises(ValueError, match="files have their labels in a column"):
        sx.DaskRows(path, y=[0, 1], client=one_worker)
    with pytest.raises(TypeError, match="missing says how files are read, but X is no file"):
        sx.DaskRows([], missing="refuse", client=one_worker)
    with pytest.raises(sx.FileError, match="There is no file"):
        sx.DaskRows(path + "x", label="paid", client=one_worker)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    with pytest.raises(sx.FileError, match="standard input can be read only once"):
        sx.DaskRows("-", label="paid", client=one_worker)


@pytest.mark.parametrize(("version", "words"), [("0.0", "has separatrix 0.0"), (None, "has no separatrix")])
def test_workers_with_another_version_are_refused(version, words):
    client = mock.Mock()
    client.run.return_value = {"tcp://127.0.0.1:1": sx.__version__, "tcp://127.0.0.1:2": version}
    with pytest.raises(ValueError, match=f"tcp://127.0.0.1:2 {words}.*, but here it is {sx.__version__}"):
        require_alike(client)


def test_workers_are_alike(one_worker):
    require_alike(one_worker)
    assert os.getpid() not in one_worker.run(os.getpid).values()
