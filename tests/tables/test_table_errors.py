"""Errors speak of files only where there are files."""

import pandas as pd
import pytest

import separatrix as sx

TABLE = pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: sx.read_data(TABLE, label="y", missing="drop"),
        lambda: sx.read_data(TABLE, label="y", drop="x"),
        lambda: sx.read_data({"x": [object()], "y": [1]}, label="y"),
        lambda: sx.read_data(TABLE, label="y", like=sx.read_data(TABLE, label="y"), drop="x"),
        lambda: sx.read_data(TABLE, label="y", unseen="perhaps"),
        lambda: sx.TableEncoder(drop=["x", "y"]).fit(TABLE),
    ],
    ids=["choice", "nothing left", "objects", "like", "unseen", "encoder"],
)
def test_a_table_in_memory_is_no_file(call):
    with pytest.raises(sx.TableError) as caught:
        call()
    assert type(caught.value) is sx.TableError
    assert "file" not in str(caught.value).lower()


def test_a_file_is_one(tmp_path):
    with pytest.raises(sx.FileError, match="There is no file"):
        sx.read_data(tmp_path / "nothing.csv", label="y")
    (tmp_path / "rows.csv").write_text("x,y\n1,0\n2,1\n")
    with pytest.raises(sx.FileError, match="no column to learn from"):
        sx.read_data(tmp_path / "rows.csv", label="y", drop="x")
