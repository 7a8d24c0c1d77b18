"""Certificates and models of earlier versions stay readable, hold, and predict what they did.

``tests/archive/VERSION`` has what that version wrote; ``tests/archive/make.py`` made it. A test that fails here is a broken
promise to everybody who has kept such files: the code is to be changed, never the archive.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import succeeded

import separatrix as sx
from separatrix import checker

ARCHIVE = Path(__file__).parent / "archive"
CONTENTS = {path.parent: json.loads(path.read_text(encoding="utf-8")) for path in sorted(ARCHIVE.glob("*/contents.json"))}
ROUNDING = 2.0**-44
"""What scores may differ by, relative to the largest: sums are added in another order elsewhere, `exp` is another one."""


def listed(section):
    """Return what the archives hold, as parameters of a test."""
    return [
        pytest.param(folder, name, about, id=f"{folder.name}-{name}")
        for folder, contents in CONTENTS.items()
        for name, about in contents[section].items()
    ]


def in_data(folder, names):
    return [folder / "data" / name for name in names]


def document(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("folder", "name", "about"), listed("certificates"))
def test_a_certificate_holds_for_both_checkers(folder, name, about, capsys, tmp_path):
    path = folder / "certificates" / f"{name}.json"
    certificate = sx.Certificate.load(path)
    assert certificate.claim == about["claim"]
    certificate.save(tmp_path / "again.json")
    again, before = document(tmp_path / "again.json"), document(path)
    if before["format"] == "separatrix-certificate/1":
        before["format"] = "separatrix-certificate/2"
        before["problem"] |= {"tie": "update", "numbers": "float64"}  # which it could not say
        if before["problem"]["table"] is not None and before["problem"]["table"]["format"] == "csv":
            before["problem"]["table"] |= checker.NEW
    assert again == before
    assert checker.main([*map(str, [tmp_path / "again.json", *in_data(folder, about["as_text"])]), *_label(about)]) == 0
    capsys.readouterr()
    said = succeeded("verify", path, *in_data(folder, about["data"]))
    assert said.startswith("Proved for ")
    assert checker.main([*map(str, [path, *in_data(folder, about["as_text"])]), *_label(about)]) == 0
    if about["as_text"] == about["data"]:
        assert capsys.readouterr().out == said


def _label(about):
    return [] if about["label"] is None else ["--label", about["label"]]


@pytest.mark.parametrize(("folder", "name", "about"), listed("models"))
def test_a_model_predicts_what_it_did(folder, name, about, tmp_path):
    path = folder / "models" / f"{name}.json"
    expected = document(folder / "predictions" / f"{name}.json")
    if "arrays" in about:
        with np.load(folder / "data" / about["arrays"]) as arrays:
            X = arrays["X"]
        model = sx.load_model(path)
        scores = model.decision_function(X)
        predicted = {"predictions": model.predict(X).tolist(), "scores": np.where(np.isfinite(scores), scores, np.nan)}
    else:
        predicted = json.loads(succeeded("predict", path, *in_data(folder, about["data"]), "--json"))
    scores, before = (np.array(each.pop("scores"), float) for each in (predicted, expected))  # None is NaN
    assert predicted == expected
    assert np.array_equal(np.sign(scores), np.sign(before), equal_nan=True)
    assert np.array_equal(np.isnan(scores), np.isnan(before))
    assert np.nanmax(np.abs(scores - before)) <= ROUNDING * np.nanmax(np.abs(before))


@pytest.mark.parametrize(("folder", "name", "about"), listed("models"))
def test_a_model_is_written_again_as_it_was(folder, name, about, tmp_path):
    before = document(folder / "models" / f"{name}.json")
    model = sx.load_model(folder / "models" / f"{name}.json")
    sx.save_model(model, tmp_path / "again.json")
    again = document(tmp_path / "again.json")
    # Which version it was, and what `save_model` is told of a table.
    not_kept = {"library", "label", "columns", "table", "numbers"}
    if before["format"] == "separatrix-model/1":  # its state is written otherwise; that it predicts the same is told above
        not_kept |= {"format", "state"}
        loaded = sx.load_model(tmp_path / "again.json")
        for attribute in ("coef_", "intercept_", "n_iter_", "n_mistakes_", "survivals_", "dual_coef_", "violation_"):
            assert np.array_equal(getattr(loaded, attribute, None), getattr(model, attribute, None))
    assert {key: again[key] for key in again if key not in not_kept} == {
        key: before[key] for key in before if key not in not_kept
    }
    sx.save_model(sx.load_model(tmp_path / "again.json"), tmp_path / "third.json")
    assert document(tmp_path / "third.json") == again


@pytest.mark.parametrize("folder", CONTENTS, ids=lambda folder: folder.name)
def test_an_archive_is_whole_and_small(folder):
    contents = CONTENTS[folder]
    for section in ("certificates", "models"):
        assert {path.stem for path in (folder / section).iterdir()} == set(contents[section])
    assert {path.stem for path in (folder / "predictions").iterdir()} == set(contents["models"])
    used = {name for about in contents["certificates"].values() for name in (*about["data"], *about["as_text"])}
    used |= {name for about in contents["models"].values() for name in about.get("data", [about.get("arrays")])}
    assert {path.name for path in (folder / "data").iterdir()} == used
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2**20


def test_the_first_archive_has_every_claim_and_every_kind():
    contents = CONTENTS[ARCHIVE / "0.1.0"]
    assert {about["claim"] for about in contents["certificates"].values()} == {
        "separable", "not-separable", "quasi-separable", "overlapping",
        "margin-at-least", "margin-at-most", "errors-at-least",
    }  # fmt: skip
    assert {about["kind"] for about in contents["models"].values()} == {
        "perceptron", "voted", "pocket", "max-margin", "kernel", "least-squares", "linear-program", "bayes",
    }  # fmt: skip
