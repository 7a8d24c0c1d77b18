"""Files that go away, grow or are cut off while a stream reads them: one clear message, and nothing is lost."""

import warnings

import pytest
from blocks import Interrupting, assert_same, learnt
from changing_files import DAMAGE, FILES, y

import separatrix as sx


@pytest.fixture(params=FILES)
def path(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(FILES[request.param])
    return path


def opened(path):
    label = None if path.suffix == ".libsvm" else -1
    return sx.Stream(str(path), label=label, memory="1MB")


def resumable(rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rows.fit(sx.Perceptron(max_iter=4), **options)


@pytest.mark.parametrize("damage", DAMAGE)
def test_between_passes_it_is_refused(path, damage):
    rows = opened(path)
    assert rows.facts.n == len(y)
    damage(path)
    with pytest.raises(sx.FileError, match=r"rows\.\w+.* (changed while it was read|cannot be read any more)"):
        sx.decide(rows)


@pytest.mark.parametrize("damage", DAMAGE)
def test_within_a_pass_it_is_refused_and_the_run_goes_on_when_the_file_is_back(path, damage, tmp_path):
    rows, kept = opened(path), tmp_path / "run.ckpt"
    assert len(rows.facts.sizes) > 3
    before = learnt(sx.Perceptron(max_iter=4), opened(path))
    content = path.read_bytes()
    rows._source = Interrupting(rows._source, 2, 1, lambda: damage(path))
    with pytest.raises(sx.FileError, match=r"rows\.\w+.* (changed while it was read|cannot be read any more)"):
        resumable(rows, checkpoint=kept, every=0.0)
    path.write_bytes(content)
    after = resumable(opened(path), checkpoint=kept, resume=True)
    assert after.n_iter_ == before.n_iter_ == 4
    assert_same(before, after)
