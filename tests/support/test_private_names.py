"""The private names of other libraries that are used are there, and do what they are used for."""

import numba.core.options
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from separatrix.support.private_names import input_names, output_config, rows_of


def test_rows_of_tables_and_arrays():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert rows_of(frame, [2, 0])["a"].tolist() == [3, 1]
    assert rows_of(np.arange(3), [2, 0]).tolist() == [2, 0]


def test_the_output_that_was_asked_for():
    class Transformer(BaseEstimator):
        pass

    estimator = Transformer()
    assert output_config("transform", estimator)["dense"] == "default"
    estimator._sklearn_output_config = {"transform": "polars"}
    assert output_config("transform", estimator)["dense"] == "polars"


def test_names_of_features():
    estimator = BaseEstimator()
    estimator.feature_names_in_, estimator.n_features_in_ = np.array(["a", "b"], dtype=object), 2
    assert input_names(estimator).tolist() == ["a", "b"]


def test_an_option_of_the_compiler():
    assert "_nrt" in dir(numba.core.options.DefaultOptions)
