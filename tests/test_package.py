"""The package as a whole: lazy imports, public names, examples."""

import importlib.metadata
import subprocess
import sys
from importlib.util import resolve_name

import numpy as np
import pytest

import separatrix as sx
from separatrix.estimators.family import KINDS


def test_import_is_light():
    code = "import sys, separatrix; print([m for m in ('numba', 'sklearn', 'numpy', 'pyarrow') if m in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_help_needs_no_heavy_import():
    code = (
        "import sys\nfrom separatrix.cli.app import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('numba', 'sklearn', 'numpy', 'pyarrow') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip().endswith("[]")


HEAVY = {"flint", "highspy", "narwhals", "pyarrow"}
NEEDED = {
    "LinearProgramClassifier": {"flint", "highspy"},
    "MaxMargin": {"flint", "highspy", "pyarrow"},
    "MixedPerceptron": {"flint", "highspy", "pyarrow"},
}
LOADED = """
import sys
sys.modules["pandas"] = None  # which scikit-learn would load if it is there, and pyarrow with it
import sklearn.utils.multiclass, sklearn.utils.validation
before = set(sys.modules)
import separatrix
assert separatrix.{name}
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize("member", KINDS.values(), ids=lambda member: member.name)
def test_a_classifier_loads_what_it_needs(member):
    output = subprocess.run(
        [sys.executable, "-c", LOADED.format(name=member.class_name)], capture_output=True, text=True, check=True
    )
    loaded = set(output.stdout.split())
    module = member.estimator.rpartition(".")[0]
    assert resolve_name(module if module.startswith(".") else f".{module}", "separatrix.estimators") in loaded
    assert loaded & HEAVY == NEEDED.get(member.class_name, set())


def test_public_names_resolve_always_to_the_same_object():
    for name in sx.__all__:
        assert getattr(sx, name) is getattr(sx, name)
    assert set(sx.__all__) <= set(dir(sx))
    with pytest.raises(AttributeError, match="attribute spam"):
        _ = sx.spam  # type: ignore[attr-defined]


def test_version():
    assert importlib.metadata.version("separatrix") == sx.__version__


@pytest.mark.parametrize("name", sx.examples.names())
def test_every_example_is_whole(name):
    example = sx.examples.get(name)
    assert example.X.shape == (len(example.y), len(example.features))
    assert example.X.dtype == np.float64
    assert len(set(example.y.tolist())) == 2
    assert example.story.endswith(".")
    assert "\n" not in example.story


def test_examples_are_the_same_every_time():
    for seed in (0, 1):
        assert np.array_equal(sx.examples.credit(seed=seed)[0], sx.examples.credit(seed=seed)[0])
    assert not np.array_equal(sx.examples.credit(seed=0)[0], sx.examples.credit(seed=1)[0])


def test_credit_without_noise_is_separable_and_with_noise_hardly():
    for seed in range(3):
        assert sx.Perceptron(max_iter=20_000).fit(*sx.examples.credit(seed=seed)).converged_
    _, y = sx.examples.credit()
    _, noisy = sx.examples.credit(noise=15.0)
    assert 0 < (y != noisy).sum() < 60


def test_an_unknown_example_names_those_there_are():
    with pytest.raises(ValueError, match=r"There is no example 'spam'.*xor"):
        sx.examples.load("spam")
