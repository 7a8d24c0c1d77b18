"""Model files of pipelines: a scaler and a classifier, which predict as they did, to the row and to the bit."""

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix as sx
from separatrix.estimators.family import ALGORITHMS
from separatrix.models.model_file import read_model


def rows(classes):
    """Rows that a hyperplane separates if there are two classes, in columns of very different size."""
    rng = np.random.RandomState(3)
    X = rng.randint(-30, 31, (40, 3)) / 10 * [1.0, 1e4, 1e-3] + [0.0, 7e4, 1.0]
    score = (X - X.mean(axis=0)) / X.std(axis=0) @ [1.0, -1.0, 0.5]
    return X, np.digitize(score, [0.0] if classes == 2 else [-0.7, 0.7])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["standard", "minmax", "maxabs"])
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_member_is_saved_and_loaded(tmp_path, name, kind, classes):
    member = ALGORITHMS[name]
    if classes > 2 and not member.multiclass:
        pytest.skip("is of two classes")
    X, y = rows(classes)
    short = {each: 20 for each in ("max_iter", "max_updates") if each in member.options}
    model = make_pipeline(sx.Scaler(kind), member.make(**short)).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    sx.save_model(model, tmp_path / "model.json", label="y")
    loaded = sx.load_model(tmp_path / "model.json")
    assert isinstance(loaded, Pipeline)
    assert loaded[0].kind == kind
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    new = pd.DataFrame(np.vstack([X, -X, X[:1] * 0]), columns=["a", "b", "c"])
    assert np.array_equal(loaded.predict(new), model.predict(new))
    assert np.array_equal(loaded.decision_function(new), model.decision_function(new))
    for name in ("shift_", "scale_"):
        assert getattr(loaded[0], name).tobytes() == getattr(model[0], name).tobytes()


def test_the_document(tmp_path):
    X, y = [[1.0, 0.1], [3.0, 0.1], [5.0, 0.1]], [0, 0, 1]
    model = make_pipeline(sx.Scaler("minmax"), sx.LeastSquaresClassifier()).fit(X, y)
    sx.save_model(model, tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert list(document)[-1] == "scaling"
    assert document["kind"] == "least-squares"
    assert document["scaling"] == {"kind": "minmax", "shift": ["1", str(Fraction(0.1))], "scale": ["4", "1"]}
    read = read_model(tmp_path / "model.json")
    assert isinstance(read.learner, sx.LeastSquaresClassifier)
    assert read.scaling is not None
    assert (read.scaling.kind, read.scaling.scale.tolist()) == ("minmax", [4.0, 1.0])


def test_files_without_scaling_are_as_they_were(tmp_path):
    """A scaler that leaves everything as it is need not be in the file, which older versions read then."""
    X, y = rows(2)
    alone = sx.LeastSquaresClassifier().fit(X, y)
    sx.save_model(alone, tmp_path / "alone.json")
    sx.save_model(make_pipeline(sx.Scaler("none"), sx.LeastSquaresClassifier()).fit(X, y), tmp_path / "none.json")
    assert (tmp_path / "alone.json").read_text() == (tmp_path / "none.json").read_text()
    assert "scaling" not in json.loads((tmp_path / "alone.json").read_text())
    assert isinstance(sx.load_model(tmp_path / "none.json"), sx.LeastSquaresClassifier)


def test_learning_goes_on_in_scaled_rows(tmp_path):
    X, y = rows(2)
    model = make_pipeline(sx.Scaler(), sx.Perceptron(max_iter=50)).fit(X, y)
    sx.save_model(model, tmp_path / "model.json")
    loaded = sx.load_model(tmp_path / "model.json")
    for each in (model, loaded):
        each[1].partial_fit(each[0].transform(X[:5]), 1 - y[:5])
    assert model[1].exact_weights() == loaded[1].exact_weights()


def test_sparse_rows(tmp_path):
    X, y = rows(2)
    model = make_pipeline(sx.Scaler(), sx.LeastSquaresClassifier()).fit(sp.csr_array(X), y)
    sx.save_model(model, tmp_path / "model.json")
    loaded = sx.load_model(tmp_path / "model.json")
    assert not loaded[0].shift_.any()
    assert np.array_equal(loaded.predict(sp.csr_array(X)), model.predict(sp.csr_array(X)))


def test_numbers_at_the_limits(tmp_path):
    X = [[5e-324, 1.7e308, -0.0], [0.0, 1.6e308, 0.0], [5e-324, 1.5e308, 0.0]]
    model = make_pipeline(sx.Scaler(), sx.LeastSquaresClassifier()).fit(X, [0, 1, 1])
    sx.save_model(model, tmp_path / "model.json")
    loaded = sx.load_model(tmp_path / "model.json")
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert all(math.isfinite(score) for score in loaded.decision_function(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            make_pipeline(StandardScaler(), sx.LeastSquaresClassifier()),
            "a pipeline of StandardScaler, LeastSquaresClassifier",
        ),
        (make_pipeline(sx.Scaler(), sx.Scaler(), sx.LeastSquaresClassifier()), "a pipeline of Scaler, Scaler, Least"),
        (sx.Scaler(), "not Scaler"),
    ],
)
def test_other_pipelines_are_refused(tmp_path, model, words):
    model.fit(*rows(2))
    with pytest.raises(TypeError, match=f"or a pipeline of a Scaler and one.*{words}"):
        sx.save_model(model, tmp_path / "model.json")


def test_what_has_learnt_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        sx.save_model(make_pipeline(sx.Scaler(), sx.LeastSquaresClassifier()), tmp_path / "model.json")
