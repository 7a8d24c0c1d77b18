"""Checkpoints: a run goes on to the identical result, and whatever does not fit is refused."""

import errno
import json
import os
import warnings
from contextlib import suppress

import numpy as np
import pytest
import soak
from blocks import Interrupting, assert_same, learnt, problems_in_blocks, stream
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from strategies import cuts, noisy

import separatrix as sx
from separatrix.streaming.checkpoints import text_of

PARAMETERS = st.fixed_dictionaries(
    {"average": st.booleans(), "record": st.booleans(), "eta0": st.sampled_from([1.0, "1/3"]),
     "class_weight": st.sampled_from([None, "balanced"])},
    optional={"block_rows": st.integers(1, 9)},
)  # fmt: skip


class Gone(Exception):  # noqa: N818
    """The end of a process."""


def go():
    raise Gone


def fit(rows, perceptron, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rows.fit(perceptron, **options)


def made(parameters, max_iter=4):
    shuffle = {"order": "shuffle", "random_state": 1} if "block_rows" in parameters else {}
    return sx.Perceptron(**parameters, **shuffle, max_iter=max_iter)


@quickly(60)
@given(st.data())
def test_a_run_that_is_broken_off_anywhere_goes_on_to_the_same_result(tmp_path_factory, data):
    X, y, sizes = data.draw(problems_in_blocks(kinds=("gaussian", "mixed", "integers", "halves")))
    parameters = data.draw(PARAMETERS)
    path = tmp_path_factory.mktemp("run") / "run.ckpt"
    expected = learnt(made(parameters), X, y)
    if isinstance(expected, str):
        return
    for _ in range(data.draw(st.integers(1, 3))):
        rows = stream(X, y, data.draw(cuts(len(y))))
        block = data.draw(st.integers(0, len(rows.facts.sizes) - 1))
        rows._source = Interrupting(rows._source, data.draw(st.integers(1, 4)), block, go)
        with suppress(Gone):
            fit(rows, made(parameters), checkpoint=path, every=0.0, resume=path.exists())
    found = fit(stream(X, y, sizes), made(parameters), checkpoint=path, resume=path.exists())
    assert_same(found, expected)
    assert_same(fit(stream(X, y, sizes), made(parameters), checkpoint=path, resume=True), expected)  # it was over


@pytest.fixture
def run(tmp_path):
    """A run that was broken off: its rows and labels, and its checkpoint."""
    X, y = noisy(300, 3, 0.2)
    rows, path = stream(X, y, [100, 100, 100]), tmp_path / "run.ckpt"
    rows._source = Interrupting(rows._source, 3, 1, go)
    with pytest.raises(Gone):
        fit(rows, sx.Perceptron(max_iter=5), checkpoint=path, every=0.0)
    assert json.loads(path.read_text())["position"] == {"passes": 2, "visits": 100}
    return X, y, path


def test_a_checkpoint_that_is_there_is_not_overwritten(run):
    X, y, path = run
    before = path.read_bytes()
    with pytest.raises(sx.FileError, match=r"is there already\. Go on from it: resume=True"):
        fit(stream(X, y, [300]), sx.Perceptron(), checkpoint=path)
    assert path.read_bytes() == before


def test_no_checkpoint_to_resume_from(tmp_path):
    rows = stream([[0.0], [1.0]], [0, 1], [2])
    with pytest.raises(sx.FileError, match="There is no file"):
        rows.fit(sx.Perceptron(), checkpoint=tmp_path / "none.ckpt", resume=True)
    with pytest.raises(sx.FileError, match="There is no folder"):
        rows.fit(sx.Perceptron(), checkpoint=tmp_path / "none" / "none.ckpt")
    with pytest.raises(ValueError, match="every must be"):
        rows.fit(sx.Perceptron(), checkpoint=tmp_path / "none.ckpt", every=-1)


def test_more_passes_may_be_allowed(run):
    X, y, path = run
    found = fit(stream(X, y, [300]), sx.Perceptron(max_iter=9), checkpoint=path, resume=True)
    assert_same(found, learnt(sx.Perceptron(max_iter=9), X, y))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tie": "positive"}, "tie was 'update', and is 'positive'"),
        ({"eta0": "0.5"}, "eta0 was 1.0, and is '0.5'"),
        ({"order": "shuffle"}, "order was 'cyclic', and is 'shuffle'"),
        ({"average": True}, "average was False, and is True"),
    ],
)
def test_other_parameters_are_refused(run, parameters, message):
    X, y, path = run
    with pytest.raises(sx.FileError, match=message):
        fit(stream(X, y, [300]), sx.Perceptron(**parameters), checkpoint=path, resume=True)


def other_row(X, y):
    X = X.copy()
    X[7, 1] = np.nextafter(X[7, 1], 9.0)
    return X, y


def other_label(X, y):
    y = y.copy()
    y[7] = 1 - y[7]
    return X, y


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (other_row, "a run on other data: the digest of the 300 rows"),
        (other_label, "a run on other data"),
        (lambda X, y: (X[:-1], y[:-1]), "another number of rows: rows was 300, and is 299"),
        (lambda X, y: (X[:, :2], y), "another number of features"),
        (lambda X, y: (X, np.array(["a", "b"])[y]), "other classes"),
    ],
)
def test_other_data_is_refused(run, changed, message):
    X, y, path = run
    (rows, labels), before = changed(X, y), path.read_bytes()
    with pytest.raises(sx.FileError, match=message):
        fit(stream(rows, labels, [100, len(labels) - 100]), sx.Perceptron(), checkpoint=path, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("classes", [2, 3])
def test_other_labels_of_several_classes_are_refused(tmp_path, classes):
    X, y = np.arange(12.0)[:, None], np.arange(12) % classes
    path = tmp_path / "run.ckpt"
    fit(stream(X, y, [12]), sx.Perceptron(max_iter=2), checkpoint=path)
    y[[3, 4]] = y[[4, 3]]
    with pytest.raises(sx.FileError, match="other data"):
        fit(stream(X, y, [12]), sx.Perceptron(max_iter=2), checkpoint=path, resume=True)


def test_other_first_weights_are_refused(run):
    X, y, path = run
    with pytest.raises(sx.FileError, match="other first weights"):
        fit(stream(X, y, [300]), sx.Perceptron(), checkpoint=path, resume=True, coef_init=[1, 0, 0])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused(run, share):
    X, y, path = run
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(sx.FileError, match=r"is damaged|is not a checkpoint"):
        fit(stream(X, y, [300]), sx.Perceptron(), checkpoint=path, resume=True)


def test_a_file_in_which_a_character_is_another_is_refused(run):
    X, y, path = run
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(sx.FileError, match=r"is damaged|is not a checkpoint"):
            fit(stream(X, y, [300]), sx.Perceptron(), checkpoint=path, resume=True)


@pytest.mark.parametrize("text", ['{"format": "separatrix-model/2"}', "[1]", "x,y\n1,2\n", "\ud800"])
def test_another_file_is_refused(run, text):
    X, y, path = run
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(sx.FileError, match="is not a checkpoint"):
        fit(stream(X, y, [300]), sx.Perceptron(), checkpoint=path, resume=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("weights", ["1"]), ("weights", ["1/3", "0", "0", "0"]), ("position", {"passes": -1, "visits": 0}),
        ("position", {"passes": 0, "visits": 301}), ("seen", {"rows": 5, "digest": ""}), ("trace", [1]),
        ("parameters", None), ("more", 1), ("sum", ["0"] * 4),
    ],
)  # fmt: skip
def test_a_document_that_is_none_is_refused_although_its_digest_is_right(run, key, value):
    X, y, path = run
    content = json.loads(path.read_text())
    del content["check"]
    path.write_text(text_of({**content, key: value}))
    with pytest.raises(sx.FileError):
        fit(stream(X, y, [300]), sx.Perceptron(max_iter=5), checkpoint=path, resume=True)


def test_a_full_disk_leaves_the_last_checkpoint_and_what_is_learnt(run, monkeypatch):
    X, y, path = run
    before, written = path.read_bytes(), []

    def full(handle):
        written.append(handle)
        if len(written) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    perceptron = sx.Perceptron(max_iter=5)
    with pytest.raises(sx.FileError, match=r"No space left on device.* The last one .* is whole"):
        fit(stream(X, y, [100] * 3), perceptron, checkpoint=path, every=0.0, resume=True)
    monkeypatch.undo()
    assert perceptron.n_mistakes_ > 0
    assert len(list(path.parent.iterdir())) == 1
    assert path.read_bytes() != before or len(written) == 1
    found = fit(stream(X, y, [300]), sx.Perceptron(max_iter=5), checkpoint=path, resume=True)
    assert_same(found, learnt(sx.Perceptron(max_iter=5), X, y))


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_to_the_same_result(tmp_path):
    trials = [soak.Trial(name, tmp_path / name) for name in soak.PARAMETERS]
    for trial in trials:
        trial.folder.mkdir()
    lines = []
    assert soak.soak(trials, 3, lines.append) == 0, lines
    assert len(lines) == 3
