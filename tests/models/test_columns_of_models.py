"""What models know of the columns that they learnt from, and what they take for rows."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import separatrix as sx

TABLE = {"age": [20, 30, 40, 50], "job": ["clerk", "cook", "clerk", "cook"], "paid": ["no", "yes", "yes", "yes"]}


def data_of(table=TABLE):
    return sx.read_data(table, label="paid")


@pytest.mark.parametrize("name", ["perceptron", "voted perceptron", "kernel perceptron", "pocket", "least squares"])
@pytest.mark.parametrize("scale", ["none", "standard"])
def test_classifiers_of_a_comparison_know_their_columns(tmp_path, name, scale):
    data = data_of()
    found = sx.compare(data, cv=None, scale=scale).fitted(name)
    own, given = tmp_path / "own.json", tmp_path / "given.json"
    sx.save_model(found, own)
    sx.save_model(found, given, data=data)
    assert own.read_bytes() == given.read_bytes()
    document = json.loads(own.read_text(encoding="utf-8"))
    assert document["label"] == "paid"
    assert document["columns"][1] == {"source": "job", "category": "clerk"}
    if name != "kernel perceptron":
        assert sx.export_model(found, "python").content == sx.export_model(own, "python").content


def test_one_class_against_the_rest_knows_its_columns(tmp_path):
    data = data_of({**TABLE, "paid": ["no", "yes", "late", "yes"]})
    sx.save_model(sx.compare(data, cv=None, positive="yes").fitted("pocket"), tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert document["classes"] == ["not yes", "yes"]
    assert [each["source"] for each in document["columns"]] == ["age", "job", "job"]


def test_names_of_a_frame_are_kept_until_the_next_fit(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, 5.0]})
    found = sx.compare(frame, [0, 0, 1], [sx.Pocket()], cv=None, scale="none").fitted()
    default = sx.compare(frame, [0, 0, 1], cv=None).fitted("pocket")
    for each in (found, default):
        assert "'a'" in sx.export_model(each, "python").content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        default.predict(frame.to_numpy())  # which has no names, and need not
    found.fit([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0, 1])
    assert "'x3'" in sx.export_model(found, "python").content


def test_a_step_that_makes_other_columns_keeps_them_unknown():
    chosen = make_pipeline(sx.TableEncoder(), sx.Perceptron())
    frame = pd.DataFrame({key: TABLE[key] for key in ("age", "job")})
    found = sx.compare(frame, TABLE["paid"], [chosen], cv=None).fitted()
    assert "'clerk'" in sx.export_model(found, "python").content


@pytest.mark.parametrize("scaled", [False, True])
def test_data_is_taken_for_its_rows(tmp_path, scaled):
    data = data_of()
    model = make_pipeline(sx.Scaler(), sx.Perceptron()) if scaled else sx.Perceptron()
    model.fit(data, data.y)
    assert np.array_equal(model.predict(data), model.predict(data.rows))
    sx.save_model(model, tmp_path / "model.json", data=data)
    loaded = sx.load_model(tmp_path / "model.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the columns are those learnt from
        assert np.array_equal(loaded.predict(data), model.predict(data))
    again = sx.read_data({"job": ["cook"], "age": [60]}, like=data)
    assert loaded.predict(again).tolist() == model.predict(again).tolist()
    other = data_of({"years" if key == "age" else key: column for key, column in TABLE.items()})
    with pytest.raises(ValueError, match=r"columns 'years', .* has learnt from 'age', .* sx.read_data\(table, like=data\)"):
        loaded.predict(other)


def test_other_columns_are_refused_by_a_classifier_of_a_comparison():
    found = sx.compare(data_of(), cv=None, scale="none").fitted("pocket")
    with pytest.raises(ValueError, match="Pocket has learnt from 'age'"):
        found.predict(data_of({"years" if key == "age" else key: column for key, column in TABLE.items()}))
