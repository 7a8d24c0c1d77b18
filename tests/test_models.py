"""Model files: exact, versioned, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies import problems

import separatrix as sx


@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
@given(problems(max_rows=5, max_columns=3))
def test_what_is_saved_is_loaded(tmp_path_factory, problem):
    path = tmp_path_factory.mktemp("models") / "model.json"
    X, y = problem
    try:
        perceptron = sx.Perceptron(eta0=0.1, tie="positive").partial_fit(X, y, classes=[-1, 1])
    except OverflowError:
        return
    sx.save_model(perceptron, path)
    loaded = sx.load_model(path)
    assert loaded.exact_weights() == perceptron.exact_weights()
    assert loaded.coef_.tobytes() == perceptron.coef_.tobytes()
    assert loaded.get_params() == perceptron.get_params()
    assert loaded.predict(X).tolist() == perceptron.predict(X).tolist()
    try:
        goes_on = perceptron.partial_fit(X, y)
    except OverflowError:
        return
    assert loaded.partial_fit(X, y).exact_weights() == goes_on.exact_weights()


@pytest.fixture
def saved(tmp_path):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.5, 2.0]})
    perceptron = sx.Perceptron(class_weight={"no": 2.0, "yes": 1.0}, random_state=np.random.RandomState(0))
    path = tmp_path / "model.json"
    sx.save_model(perceptron.fit(frame, ["no", "no", "yes"]), path, label="answer")
    return path


def test_the_document(saved):
    document = json.loads(saved.read_text())
    assert document["format"] == "separatrix-model/1"
    assert document["library"] == sx.__version__
    assert document["columns"] == [{"source": "a"}, {"source": "b"}]
    assert document["table"] is None
    assert document["classes"] == ["no", "yes"]
    assert document["label"] == "answer"
    assert document["parameters"]["random_state"] is None
    assert len(document["weights"]) == 3
    loaded = sx.load_model(saved)
    assert loaded.class_weight == {"no": 2.0, "yes": 1.0}
    assert loaded.feature_names_in_.tolist() == ["a", "b"]


CHANGES = {
    "another version": (lambda d: d.update(format="separatrix-model/2"), "knows 'separatrix-model/1' only"),
    "no version": (lambda d: d.pop("format"), "knows 'separatrix-model/1' only"),
    "another kind": (lambda d: d.update(kind="forest"), "only 'perceptron' is known"),
    "a key too many": (lambda d: d.update(extra=1), "its keys are not"),
    "a key too few": (lambda d: d.pop("run"), "its keys are not"),
    "three classes": (lambda d: d.update(classes=["a", "b", "c"]), "two labels"),
    "equal classes": (lambda d: d.update(classes=["a", "a"]), "differ"),
    "classes of two kinds": (lambda d: d.update(classes=["a", 1]), "one kind"),
    "names too many": (lambda d: d["columns"].append({"source": "c"}), "must have 2 entries, not 3"),
    "names that are numbers": (lambda d: d.update(columns=[{"source": 1}, {"source": 2}]), "must be a string"),
    "no weights": (lambda d: d.update(weights=[]), "no weights"),
    "weights as numbers": (lambda d: d.update(weights=[1, 2, 3]), "list of texts"),
    "weights as code": (lambda d: d.update(weights=["1", "2", "__import__('os')"]), "quotients of integers"),
    "a third": (lambda d: d.update(weights=["1", "2", "1/3"]), "power of two"),
    "a division by zero": (lambda d: d.update(weights=["1", "2", "1/0"]), "cannot be read"),
    "a huge weight": (lambda d: d.update(weights=["1", "2", "1" + "0" * 400]), "too large"),
    "an endless weight": (lambda d: d.update(weights=["1", "2", "1" * 5000]), "cannot be read"),
    "negative counts": (lambda d: d["run"].update(passes=-1), "whole numbers"),
    "a strange run": (lambda d: d.update(run=[]), "'run' must have the keys"),
    "an unknown parameter": (lambda d: d["parameters"].update(depth=3), "its parameters are not"),
    "a wrong parameter": (lambda d: d["parameters"].update(tie="coin"), "'tie' parameter"),
    "a label that is none": (lambda d: d.update(label=3), "'label'"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_known_is_refused(saved, change):
    alter, message = CHANGES[change]
    document = json.loads(saved.read_text())
    alter(document)
    saved.write_text(json.dumps(document))
    with pytest.raises(sx.ModelError, match=message):
        sx.load_model(saved)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", "[" * 100_000, "\x00\xff"])
def test_what_is_not_a_model_is_refused(tmp_path, text):
    path = tmp_path / "model.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(sx.ModelError, match="not a model"):
        sx.load_model(path)


def test_no_file(tmp_path):
    with pytest.raises(sx.ModelError, match="There is no file"):
        sx.load_model(tmp_path / "nothing.json")


def test_an_old_file_survives_a_failed_write(saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ValueError, match="No space left"):
        sx.save_model(sx.load_model(saved), saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
