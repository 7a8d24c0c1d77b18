"""Model files of the perceptron by parameter mixing."""

import json

import numpy as np
import pytest
from commands import succeeded
from sklearn.exceptions import ConvergenceWarning
from strategies import noisy

import separatrix as sx
from separatrix.streaming.stream import HeldRows, Stream

X, Y = noisy(60, 3, 0.0)


def saved(mixed, folder, **more):
    sx.save_model(mixed, folder / "model.json", **more)
    return json.loads((folder / "model.json").read_text())


@pytest.mark.parametrize("shards", [1, 3, np.arange(60) % 7, "blocks"])
def test_what_is_loaded_is_audited_like_what_was_saved(shards, tmp_path):
    data = (Stream(HeldRows(X, Y, [25, 35])),) if isinstance(shards, str) else (X, Y)
    mixed = sx.MixedPerceptron(shards=shards).fit(*data)
    document = saved(mixed, tmp_path)
    assert (document["kind"], document["state"]["shards"]) == ("mixed", list(mixed.shards_))
    loaded = sx.load_model(tmp_path / "model.json")
    assert np.array_equal(loaded.shards, shards)
    assert loaded.exact_weights().strings() == mixed.exact_weights().strings()
    assert loaded.weighted_mistakes_ == mixed.weighted_mistakes_
    found, expected = loaded.audit(*data), mixed.audit(*data)
    assert found.holds
    assert found.explain() == expected.explain()
    assert found.squared_length == expected.squared_length
    assert saved(loaded, tmp_path) == document


def test_weights_that_somebody_has_set_are_kept(tmp_path):
    mixed = sx.MixedPerceptron(shards=3).fit(X, Y)
    mixed.coef_ = np.array([[0.1, 2.0, -3.0]])
    saved(mixed, tmp_path)
    loaded = sx.load_model(tmp_path / "model.json")
    assert loaded.coef_.tolist() == mixed.coef_.tolist()
    assert not loaded.converged_
    assert loaded.predict(X).tolist() == mixed.predict(X).tolist()


def test_the_command_line_predicts_with_it_and_exports_it(credit, tmp_path):
    data = sx.read_data(credit, label="approved")
    mixed = sx.MixedPerceptron(shards=2).fit(data.rows, data.y)
    saved(mixed, tmp_path, data=data)
    assert "0 errors in 200 rows" in succeeded("score", tmp_path / "model.json", credit)
    plain, blocks = (succeeded("predict", tmp_path / "model.json", credit, *more) for more in ((), ("--memory", "1MB")))
    assert plain == blocks
    succeeded("export", tmp_path / "model.json", "--to", "python", "--output", tmp_path / "model.py", "--check", credit)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("weights", [["1", "2"]], "must have 4 entries"),
        ("shards", [], "list of the rows of each shard"),
        ("shards", [0, 60], "a whole number from 1"),
        ("mistakes", [], "must have entries"),
        ("mistakes", [[1, 61]], "more mistakes in an epoch"),
        ("mistakes", [[1]], "must have 2 entries"),
        ("squared", ["-1"], "no numbers below 0"),
        ("squared", [], "must have 1 entries"),
        ("converged", True, "must be false"),
    ],
)
def test_what_does_not_fit_is_refused(key, value, words, tmp_path):
    with pytest.warns(ConvergenceWarning):
        mixed = sx.MixedPerceptron(shards=2, max_iter=1).fit(X, Y)
    document = saved(mixed, tmp_path)
    document["state"][key] = value
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(sx.ModelError, match=words):
        sx.load_model(tmp_path / "model.json")
    for shards in (0, "rows", [1.5]):
        document["parameters"]["shards"] = shards
        (tmp_path / "model.json").write_text(json.dumps(document))
        with pytest.raises(sx.ModelError, match="shards"):
            sx.load_model(tmp_path / "model.json")
