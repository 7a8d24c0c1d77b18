"""Model files: exact, versioned, and nothing else."""

import json
import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from strategies import problems

import separatrix as sx
from separatrix.models import model_file

LEARNERS: dict[str, Any] = {
    "perceptron": lambda: sx.Perceptron(eta0=0.1, tie="positive", max_iter=20),
    "perceptron with weights": lambda: sx.Perceptron(class_weight="balanced", order="shuffle", random_state=3, max_iter=20),
    "averaged": lambda: sx.Perceptron(average=True, eta0=0.3, fit_intercept=False, max_iter=20),
    "voted": lambda: sx.VotedPerceptron(order="random", random_state=1),
    "voted without intercept": lambda: sx.VotedPerceptron(fit_intercept=False, tie="negative"),
    "pocket": lambda: sx.Pocket(init="zero", max_updates=20, restarts=1, random_state=0, class_weight="balanced"),
    "max-margin": lambda: sx.MaxMargin(),
    "max-margin without intercept": lambda: sx.MaxMargin(fit_intercept=False, tolerance=1e-3),
    "kernel": lambda: sx.KernelPerceptron(kernel="poly", degree=2, gamma=0.5, coef0=1.0, max_iter=20, record=True),
    "kernel rbf": lambda: sx.KernelPerceptron(max_iter=20, fit_intercept=False, class_weight="balanced"),
    "least-squares": lambda: sx.LeastSquaresClassifier(),
    "mixed": lambda: sx.MixedPerceptron(shards=2, max_iter=20),
    "mixed without intercept": lambda: sx.MixedPerceptron(shards=3, fit_intercept=False, tie="negative", max_iter=20),
    "linear-program": lambda: sx.LinearProgramClassifier(fit_intercept=False, class_weight=None),
}
LABELS = {"integers": [-7, 12], "strings": ["n\u00f6", 'yes, "so"'], "booleans": [False, True], "numbers": [-7.0, 12.0]}
NOT_KEPT = {"mistakes_", "certificate_"}  # a trace, unless votes need it, and a proof


def same(one, other):
    """Whether two values are the same, bit for bit."""
    if sp.issparse(one) or sp.issparse(other):
        parts = ("data", "indices", "indptr")
        return type(one) is type(other) and all(same(getattr(one, part), getattr(other, part)) for part in parts)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and (one == other or one != one)


def assert_same(loaded, saved, X):
    assert type(loaded) is type(saved)
    theirs, ours = loaded.get_params(), saved.get_params()
    assert theirs == ours
    kept = {name for name in vars(saved) if name.endswith("_") and not name.startswith("_")}
    if not isinstance(saved, sx.VotedPerceptron):
        kept -= NOT_KEPT
    for name in sorted(kept):
        assert same(getattr(loaded, name), getattr(saved, name)), name
    assert same(loaded.predict(X), saved.predict(X))
    assert same(loaded.decision_function(X), saved.decision_function(X))


def through_a_file(classifier, folder, **more):
    path = folder / "model.json"
    sx.save_model(classifier, path, **more)
    return sx.load_model(path)


def learnt(make, *data, **more):
    """Fit, or return None if that is not possible with such data."""
    try:
        return make().fit(*data, **more)
    except (OverflowError, sx.NotSeparable):
        return None
    except ValueError as error:
        if "out of range" in str(error):  # the scale of rows near the limits of float64
            return None
        raise


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LEARNERS)
@quickly(25)
@given(problem=problems(max_rows=6, max_columns=3), labels=st.sampled_from(sorted(LABELS)), sparse=st.booleans())
def test_what_is_saved_is_loaded(folder, name, problem, labels, sparse):
    X, signs = problem
    y = np.array(LABELS[labels])[(signs > 0).astype(int)]
    rows = sp.csr_array(X) if sparse else X
    classifier = learnt(LEARNERS[name], rows, y)
    if classifier is None:
        return
    loaded = through_a_file(classifier, folder)
    new = np.vstack([X, -X, X[:1] + 1.0, np.zeros_like(X[:1])])
    assert_same(loaded, classifier, new)
    assert_same(loaded, classifier, sp.csr_array(new))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make",
    [
        lambda: sx.Perceptron(eta0=0.1, tie="positive"),
        lambda: sx.Perceptron(average=True, eta0=0.7),
        lambda: sx.VotedPerceptron(),
    ],
)
@quickly(30)
@given(problem=problems(max_rows=6, max_columns=3), more=problems(max_rows=6, max_columns=3), sparse=st.booleans())
def test_learning_goes_on_where_it_stopped(folder, make, problem, more, sparse):
    X, y = problem
    try:
        classifier = make().partial_fit(sp.csr_array(X) if sparse else X, y, classes=[-1, 1])
        loaded = through_a_file(classifier, folder)
        rows = np.resize(more[0], (more[0].shape[0], X.shape[1]))
        classifier.partial_fit(rows, more[1])
    except OverflowError:
        return
    loaded.partial_fit(rows, more[1])
    assert_same(loaded, classifier, np.vstack([X, rows]))
    if isinstance(classifier, sx.Perceptron):
        assert loaded.exact_weights() == classifier.exact_weights()
        assert loaded.last_weights() == classifier.last_weights()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: sx.Perceptron(eta0=0.1, max_iter=30),
        lambda: sx.Perceptron(average=True, fit_intercept=False, tie="negative", max_iter=30),
        lambda: sx.LeastSquaresClassifier(class_weight={"a": 1.0, "b": 2.0, "c": 0.5}),
        lambda: sx.LinearProgramClassifier(),
        lambda: sx.MixedPerceptron(shards=3, max_iter=30),
    ],
)
def test_more_than_two_classes(tmp_path, make, sparse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) * [1.0, 1e-3, 1e3]
    rows = sp.csr_array(X) if sparse else X
    y = np.array(["a", "b", "c"])[rng.integers(3, size=40)]
    classifier = make().fit(rows, y)
    loaded = through_a_file(classifier, tmp_path)
    assert loaded.classes_.tolist() == ["a", "b", "c"]
    assert_same(loaded, classifier, X)
    if isinstance(classifier, sx.Perceptron):
        assert_same(loaded.partial_fit(rows[:9], y[:9]), classifier.partial_fit(rows[:9], y[:9]), X)
        assert loaded.exact_weights() == classifier.exact_weights()


def test_a_precomputed_kernel_keeps_places(tmp_path):
    X, y = sx.examples.load("xor")
    products = (X @ X.T + 1.0) ** 2
    classifier = sx.KernelPerceptron(kernel="precomputed").fit(products, y)
    loaded = through_a_file(classifier, tmp_path)
    assert_same(loaded, classifier, products[[0, 3]] + 0.25)
    assert not hasattr(loaded, "support_vectors_")
    assert json.loads((tmp_path / "model.json").read_text())["features"] == 4


def test_a_kernel_is_that_of_the_fit_whatever_was_set_since(tmp_path):
    X, y = sx.examples.load("xor")
    classifier = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y).set_params(degree=5, fit_intercept=False)
    assert_same(through_a_file(classifier, tmp_path), classifier, X + 0.5)


def test_the_pocket_keeps_its_bound_but_not_the_proof(tmp_path):
    X, y = sx.examples.load("xor")
    pocket = sx.Pocket(max_updates=50, certify=5.0, random_state=0).fit(X, y, sample_weight=[1.0, 1.0, 1.0, 0.5])
    assert pocket.lower_bound_ is not None
    loaded = through_a_file(pocket, tmp_path)
    assert loaded.certificate_ is None
    assert loaded.lower_bound_ == pocket.lower_bound_
    assert loaded.history_[0].updates == 0
    assert_same(loaded, pocket, X)


MIXTURES = {
    "normal": ([stats.norm(-1, 2), stats.norm(loc=3.5, scale=0.1)], [[0.0], [3.0], [3.6]]),
    "several variables": (
        [stats.multivariate_normal([0.1, 0.2], [[2.0, 0.3], [0.3, 1.0]]), stats.multivariate_normal([1.0, 0.0]),
         stats.multivariate_normal([0.0, 1.0], [[1.0, 1.0], [1.0, 1.0]], allow_singular=True)],
        [[0.0, 0.0], [1.0, 2.0], [1.1, 2.1]],
    ),
    "binomial": ([stats.binom(10, 0.3), stats.bernoulli(0.2), stats.nbinom(3, p=0.1)], [[0], [1], [7], [11]]),
    "others": ([stats.poisson(2), stats.geom(0.1, loc=-1), stats.randint(0, 4)], [[0], [3], [9]]),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXTURES)
@pytest.mark.parametrize("fitted", [False, True])
def test_bayes(tmp_path, name, fitted):
    distributions, X = MIXTURES[name]
    count = len(distributions)
    classes = [f"class {k}" for k in reversed(range(count))]
    classifier = sx.BayesClassifier(distributions, priors=[0.5, 0.5] if count == 2 else [0.2, 0.3, 0.5], classes=classes)
    if fitted:
        classifier.fit(X, [classes[0]] * len(X))
    loaded = through_a_file(classifier, tmp_path)
    for method in ("predict", "decision_function", "predict_proba"):
        assert same(getattr(loaded, method)(X), getattr(classifier, method)(X))
    assert ("classes_" in vars(loaded)) is hasattr(loaded, "n_features_in_") is fitted
    assert loaded.risk(n_samples=100) == classifier.risk(n_samples=100)


REFUSED = {
    "a function": (lambda: sx.BayesClassifier([lambda X: X[:, 0], stats.norm()]), "frozen distributions"),
    "another family": (lambda: sx.BayesClassifier([stats.cauchy(), stats.norm()]), "frozen distributions"),
    "a list of values": (
        lambda: sx.BayesClassifier([stats.rv_discrete(values=([1, 2], [0.5, 0.5])), stats.poisson(1)]),
        "frozen distributions",
    ),
    "arrays": (lambda: sx.BayesClassifier([stats.norm([0.0, 1.0], 1.0), stats.norm()]), "numbers as parameters"),
    "a covariance that is no matrix": (
        lambda: sx.BayesClassifier([
            stats.multivariate_normal([0.0, 0.0], stats.Covariance.from_diagonal([1.0, 2.0])),
            stats.multivariate_normal([0.0, 0.0]),
        ]),
        "not given by its matrix",
    ),
    "a kernel of one's own": (
        lambda: sx.KernelPerceptron(kernel=lambda a, b: a @ b.T).fit([[0.0], [1.0]], [0, 1]), "holds no functions"
    ),
    "a kernel of one's own, once": (
        lambda: sx.KernelPerceptron(kernel=lambda a, b: a @ b.T).fit([[0.0], [1.0]], [0, 1]).set_params(kernel="rbf"),
        "holds no functions",
    ),
    "an endless time": (lambda: sx.Pocket(time_limit=math.inf).fit([[0.0], [1.0]], [0, 1]), "time_limit is inf"),
    "another library's": (lambda: pd.DataFrame(), "not DataFrame"),
    "an encoder": (lambda: sx.TableEncoder(), "not TableEncoder"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_file_holds_is_refused(tmp_path, name):
    make, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        sx.save_model(make(), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_what_has_learnt_nothing_is_refused(tmp_path):
    for kind in (sx.Perceptron, sx.VotedPerceptron, sx.Pocket, sx.MaxMargin, sx.KernelPerceptron, sx.LeastSquaresClassifier):
        with pytest.raises(ValueError, match="not fitted"):
            sx.save_model(kind(), tmp_path / "model.json")
    with pytest.raises(TypeError, match="name of a column"):
        sx.save_model(sx.Perceptron().fit([[0], [1]], [0, 1]), tmp_path / "model.json", label=3)


@pytest.fixture
def saved(tmp_path):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.5, 2.0]})
    perceptron = sx.Perceptron(class_weight={"no": 2.0, "yes": 1.0}, random_state=np.random.RandomState(0))
    path = tmp_path / "model.json"
    sx.save_model(perceptron.fit(frame, ["no", "no", "yes"]), path, label="answer")
    return path


def test_the_document(saved):
    document = json.loads(saved.read_text())
    assert document["format"] == "separatrix-model/2"
    assert document["library"] == sx.__version__
    assert document["columns"] == [{"source": "a"}, {"source": "b"}]
    assert document["table"] is None
    assert document["classes"] == ["no", "yes"]
    assert document["features"] == 2
    assert document["label"] == "answer"
    assert document["parameters"]["random_state"] is None
    assert len(document["state"]["weights"][0]) == 3
    loaded = sx.load_model(saved)
    assert loaded.class_weight == {"no": 2.0, "yes": 1.0}
    assert loaded.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize("name", [*LEARNERS, "bayes"])
def test_names_of_features_are_kept(tmp_path, name):
    frame = pd.DataFrame({"\u00e4": [-1.0, 0.0, 2.0], "b": [1.0, -0.5, 2.0]})
    make = LEARNERS.get(name, lambda: sx.BayesClassifier([stats.multivariate_normal([k, 0]) for k in (0, 1)]))
    classifier = make().fit(frame, [False, False, True])
    loaded = through_a_file(classifier, tmp_path)
    assert loaded.feature_names_in_.tolist() == ["\u00e4", "b"]
    assert same(loaded.decision_function(frame), classifier.decision_function(frame))


CHANGES = {
    "another version": (lambda d: d.update(format="separatrix-model/3"), "knows 'separatrix-model/1' and .*/2' only"),
    "no version": (lambda d: d.pop("format"), "knows 'separatrix-model/1' and 'separatrix-model/2' only"),
    "another kind": (lambda d: d.update(kind="forest"), "its kind is 'forest', and only 'perceptron', 'voted'"),
    "a kind that is none": (lambda d: d.update(kind=["voted"]), "kind must be a text"),
    "a key too many": (lambda d: d.update(extra=1), "it has 'extra' besides"),
    "a key too few": (lambda d: d.pop("state"), "'state' missing"),
    "one class": (lambda d: d.update(classes=["a"]), "two or more labels"),
    "more classes than weights": (lambda d: d.update(classes=["a", "b", "c"]), r"state.weights must have 3 entries, not 1"),
    "equal classes": (lambda d: d.update(classes=["a", "a"]), "differ"),
    "classes of two kinds": (lambda d: d.update(classes=["a", 1]), "all strings"),
    "classes that are huge": (lambda d: d.update(classes=[1, 2**64]), "64 bits"),
    "names too many": (lambda d: d["columns"].append({"source": "c"}), "must have 2 entries, not 3"),
    "names that are numbers": (lambda d: d.update(columns=[{"source": 1}, {"source": 2}]), "must be a string"),
    "no weights": (lambda d: d["state"].update(weights=[[]]), "must have 3 entries, not 0"),
    "weights as numbers": (lambda d: d["state"].update(weights=[[1, 2, 3]]), "as a text"),
    "weights as code": (lambda d: d["state"].update(weights=[["1", "2", "__import__('os')"]]), "quotient of integers"),
    "a division by zero": (lambda d: d["state"].update(weights=[["1", "2", "1/0"]]), "cannot be read"),
    "a huge weight": (lambda d: d["state"].update(weights=[["1", "2", "1" + "0" * 400]]), "too large"),
    "an endless weight": (lambda d: d["state"].update(weights=[["1", "2", "1" * 5000]]), "cannot be read"),
    "a mean without weights": (lambda d: d["state"].update(sum=[["1", "2"]]), "as many entries"),
    "negative counts": (lambda d: d["state"].update(passes=-1), "state.passes must be a whole number from 0, not -1"),
    "a count that is true": (lambda d: d["state"].update(passes=True), "state.passes"),
    "a strange state": (lambda d: d.update(state=[]), "state must be an object"),
    "an unknown parameter": (lambda d: d["parameters"].update(depth=3), "it has 'depth' besides"),
    "a wrong parameter": (lambda d: d["parameters"].update(tie="coin"), "parameters.tie must be one of 'update'"),
    "an order that is none": (lambda d: d["parameters"].update(order=[0, 0]), "a permutation"),
    "a weight below zero": (lambda d: d["parameters"].update(class_weight=[["no", -1]]), "at least 0"),
    "a label that is none": (lambda d: d.update(label=3), "label must be null or a name"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_known_is_refused(saved, change):
    alter, message = CHANGES[change]
    document = json.loads(saved.read_text())
    alter(document)
    saved.write_text(json.dumps(document))
    with pytest.raises(sx.ModelError, match=message):
        sx.load_model(saved)


# Every key and every value of a document of every kind, changed.


def tamperable():
    """Yield a classifier of each kind, with as many of its parts in use as possible."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6, 2)).round(2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    two = np.where(X @ [1.0, 2.0] > 0.1, "yes", "no")
    weights = {"yes": 2.0, "no": 1.0}
    yield "perceptron", lambda: sx.Perceptron(class_weight=weights, order=list(range(6)), random_state=1).fit(frame, two)
    yield "three classes", lambda: sx.Perceptron(average=True, max_iter=3).fit(frame, [0, 1, 2, 0, 1, 2])
    for name in ("voted", "pocket", "max-margin", "kernel", "least-squares"):
        yield name, lambda name=name: LEARNERS[name]().fit(frame, two)
    yield "kernel, sparse", lambda: sx.KernelPerceptron(kernel="linear").fit(sp.csr_array(X), two)
    yield "kernel, precomputed", lambda: sx.KernelPerceptron(kernel="precomputed").fit(X @ X.T, two)
    yield "voted, sparse", lambda: sx.VotedPerceptron().fit(sp.csr_array(X), two)
    yield "scaled", lambda: make_pipeline(sx.Scaler("minmax"), sx.LeastSquaresClassifier()).fit(frame, two)
    yield "linear program", lambda: sx.LinearProgramClassifier().fit(frame, [0, 1, 2, 0, 1, 2])
    for name in ("normal", "several variables", "others"):
        yield f"bayes, {name}", lambda name=name: sx.BayesClassifier(MIXTURES[name][0])


def places(node, path=()):
    """Yield the way to each value of a document; of long lists, to some of their entries only."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], (*path, key))
    elif isinstance(node, list):
        for k in sorted({0, len(node) - 1} & set(range(len(node)))):
            yield from places(node[k], (*path, k))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def changed(document, path, value):
    if not path:
        return value
    document = json.loads(json.dumps(document))
    at(document, path[:-1])[path[-1]] = value
    return document


JUNK = (None, True, -1, 3, 2**70, 0.5, 1e308, "x", "1/3", "-1", [], [[]], ["1"], {})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "make"), list(tamperable()))
def test_every_key_and_value_is_checked(tmp_path, name, make):
    path = tmp_path / "model.json"
    sx.save_model(make(), path)
    document = json.loads(path.read_text())

    def refused(tampered):
        with pytest.raises(sx.ModelError, match=r" must |cannot|knows|known|is no |lacks|has "):
            model_file._read(tampered)

    model_file._read(document)
    for place in places(document):
        node = at(document, place)
        refused(changed(document, place, {"__reduce__": "os.system"}))
        if isinstance(node, dict):
            refused(changed(document, place, {**node, "more": 1}))
            optional = {"loc", "scale"} if "family" in node else {"scaling"} if not place else set()
            for key in node.keys() - optional:
                refused(changed(document, place, {each: node[each] for each in node if each != key}))
        for junk in JUNK:
            try:
                loaded = model_file._read(changed(document, place, junk)).classifier
            except sx.ModelError:
                continue
            # It makes sense, and so the model works.
            width = getattr(loaded, "n_features_in_", 2 if name == "bayes, several variables" else 1)
            try:
                assert loaded.predict(np.zeros((1, width))).shape == (1,)
            except ValueError as error:
                if "gives NaN" not in str(error):  # a density out of the range of floats, which is said
                    raise


def swap(values):
    values[0], values[-1] = values[-1], values[0]


SENSELESS = {
    "classes out of order": ("three classes", lambda d: swap(d["classes"]), "classes must be in ascending order"),
    "a vector too many": ("three classes", lambda d: d["state"]["weights"].append(["1"]), "weights must have 3 entries"),
    "times that fall": ("voted", lambda d: swap(d["state"]["times"]), "state.times must ascend"),
    "a time before the first": ("voted", lambda d: d["state"]["times"].__setitem__(0, 0), "begin at 1"),
    "a time after the last": ("voted", lambda d: d["state"].update(visits=1), "state.times"),
    "a row that is not there": ("voted", lambda d: d["state"]["places"].__setitem__(0, 99), "state.places"),
    "a sign of zero": ("voted", lambda d: d["state"]["signs"].__setitem__(0, 0), "state.signs"),
    "a sign that is true": ("voted", lambda d: d["state"]["signs"].__setitem__(0, True), "state.signs"),
    "a history out of order": ("pocket", lambda d: swap(d["state"]["history"]), "order of their updates"),
    "no history": ("pocket", lambda d: d["state"].update(history=[]), "must have entries"),
    "updates after the last": ("pocket", lambda d: d["state"].update(updates=0), "order of their updates"),
    "bounds that cross": ("max-margin", lambda d: swap(d["state"]["margin_bounds"]), "two numbers in order"),
    "support out of order": ("max-margin", lambda d: swap(d["state"]["support"]), "state.support must ascend"),
    "multipliers too few": ("max-margin", lambda d: d["state"]["dual_coef"].pop(), "state.dual_coef must have"),
    "a weight too few": ("max-margin", lambda d: d["state"].update(weights=["1"]), "weights must have 3 entries, not 1"),
    "rows too few": ("kernel", lambda d: d["state"]["support_rows"]["dense"].pop(), "as many as state.support"),
    "no rows": ("kernel", lambda d: d["state"].update(support_rows=None), "state.support_rows must be an object"),
    "columns out of order": ("kernel, sparse", lambda d: swap(d["state"]["support_rows"]["indices"]), "indices must ascend"),
    "columns out of range": (
        "kernel, sparse", lambda d: d["state"]["support_rows"]["indices"].__setitem__(1, 2), r"indices\[1\] must be"
    ),
    "rows that do not end": (
        "kernel, sparse", lambda d: d["state"]["support_rows"]["indptr"].__setitem__(-1, 1), "indptr must rise"
    ),
    "support that is not there": (
        "kernel, precomputed", lambda d: d["state"]["support"].__setitem__(-1, 6), "from 0 to 5, not 6"
    ),
    "rows of products": ("kernel, precomputed", lambda d: d["state"].update(support_rows={"dense": []}), "must be null"),
    "a violation below zero": ("linear program", lambda d: d["state"]["violation"].__setitem__(0, -1.0), "below 0"),
    "a scale below zero": (
        "bayes, normal", lambda d: d["parameters"]["distributions"][1].update(scale=-1), "parameters in their range"
    ),
    "no covariance": (
        "bayes, several variables",
        lambda d: d["parameters"]["distributions"][0].update(cov=[[1.0, 2.0], [2.0, 1.0]]),
        "no distribution",
    ),
    "priors of more than 1": ("bayes, normal", lambda d: d["parameters"].update(priors=[0.5, 0.6]), "add up to 1"),
    "a scale of zero": ("scaled", lambda d: d["scaling"]["scale"].__setitem__(1, "0"), r"scale\[1\] must be above 0"),
    "a scale too many": ("scaled", lambda d: d["scaling"]["scale"].append("1"), "scaling.scale must have 2 entries, not 3"),
    "a shift that is no float64": (
        "scaled", lambda d: d["scaling"]["shift"].__setitem__(0, "1/10"), r"shift\[0\] must be a number that float64 holds"
    ),
    "a scale beyond float64": ("scaled", lambda d: d["scaling"]["scale"].__setitem__(0, str(10**400)), "float64 holds"),
    "a shift of none": ("scaled", lambda d: d["scaling"].update(kind="maxabs"), "0 throughout"),
    "no scaling at all": ("scaled", lambda d: d["scaling"].update(kind="none"), "scaling.kind must be one of 'standard'"),
    "a scaled model of the first version": ("scaled", lambda d: [d.pop("numbers"), d.update(format="separatrix-model/1")],
                                            "must not have the key 'scaling'"),
    "classes of nothing": ("bayes, normal", lambda d: d.update(classes=[0, 1, 2]), "one for each of the distributions"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SENSELESS)
def test_what_makes_no_sense_is_refused(tmp_path, name):
    kind, alter, message = SENSELESS[name]
    path = tmp_path / "model.json"
    sx.save_model(dict(tamperable())[kind](), path)
    document = json.loads(path.read_text())
    alter(document)
    path.write_text(json.dumps(document))
    with pytest.raises(sx.ModelError, match=message):
        sx.load_model(path)


@pytest.mark.parametrize("text", ['{"format": NaN}', '{"format": 1, "format": 1}', '{"format": Infinity}'])
def test_what_is_not_quite_json_is_refused(tmp_path, text):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(sx.ModelError, match="it is not JSON"):
        sx.load_model(path)


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


@pytest.mark.parametrize(
    "classifier",
    [sx.Pocket(max_updates=200, random_state=0), sx.VotedPerceptron(max_iter=2), sx.KernelPerceptron(max_iter=2)],
    ids=lambda classifier: type(classifier).__name__,
)
def test_copies_for_more_than_two_classes(classifier, tmp_path):
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((40, 3)), rng.choice(["a", "b", "c"], 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(X, y)
    sx.save_model(classifier, tmp_path / "model.json")
    loaded = sx.load_model(tmp_path / "model.json")
    assert np.array_equal(loaded.predict(X), classifier.predict(X))
    assert np.array_equal(loaded.decision_function(X), classifier.decision_function(X))
    for name in classifier._per_class:
        assert np.array_equal(getattr(loaded, name), getattr(classifier, name))
    document = json.loads((tmp_path / "model.json").read_text())
    document["state"]["copies"].pop()
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(sx.ModelError, match=r"state\.copies"):
        sx.load_model(tmp_path / "model.json")


LABEL_TYPES = {
    "numpy bools": np.array([False, True]),
    **{kind: np.array([0, np.iinfo(kind).max], kind) for kind in ("int8", "uint8", "int32", "uint32", "uint64")},
    "int64": np.array([-(2**63), 2**63 - 1]),
    "minus zero": [-0.0, 1.0],
    "large floats": [1.0, 1e20],
    "empty": ["", "x"],
    "odd": ["new\nline", "tab\t, \"quoted\" 'text'"],
    "NUL inside": ["a\0b", "ab"],
    "long": ["x" * 100_000, "y"],
}


@pytest.mark.parametrize("kind", LABEL_TYPES)
def test_labels_of_every_type_are_saved_and_loaded(tmp_path, kind):
    pair, path = LABEL_TYPES[kind], tmp_path / "model.json"
    y = pair[[0, 1, 0]] if isinstance(pair, np.ndarray) else [pair[0], pair[1], pair[0]]
    X = [[0.0], [2.0], [1.0]]
    classifier = sx.Perceptron().fit(X, y)
    sx.save_model(classifier, path)
    loaded = sx.load_model(path)
    assert loaded.classes_.tolist() == classifier.classes_.tolist() == list(pair)
    assert loaded.predict(X).tolist() == classifier.predict(X).tolist() == list(y)


@pytest.mark.parametrize("pair", [[0, 10**30], [-1, 2**63], ["\ud800", "x"]], ids=["long", "65 bits", "half a pair"])
def test_labels_that_no_file_holds(tmp_path, pair):
    path = tmp_path / "model.json"
    path.write_text("something else")
    with pytest.raises(TypeError, match="cannot be written to a file: classes must be a list of"):
        sx.save_model(sx.Perceptron().fit([[0.0], [1.0]], pair), path)
    assert path.read_text() == "something else"


def test_names_that_no_file_holds(tmp_path):
    path = tmp_path / "model.json"
    with pytest.raises(TypeError, match="half of a surrogate pair"):
        sx.save_model(sx.Perceptron().fit([[0.0], [1.0]], [0, 1]), path, label="\ud800")
    assert not path.exists()


def test_a_class_may_end_with_nul(tmp_path):
    path = tmp_path / "model.json"
    sx.save_model(sx.Perceptron().fit([[0.0], [1.0]], ["a", "b"]), path)
    document = json.loads(path.read_text()) | {"classes": ["a\0", "b"]}
    path.write_text(json.dumps(document))
    assert sx.load_model(path).classes_.tolist() == ["a\0", "b"]


def test_models_without_end(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_MAX_BYTES", str(2**20))
    with pytest.raises(model_file.ModelError, match="too large"):
        sx.load_model("/dev/zero")


def test_classes_with_the_name_of_all_others(tmp_path):
    """A class called after all others is a class, unless the data had others; files say so where the name does not."""
    path = tmp_path / "model.json"
    perceptron = sx.Perceptron().fit([[1.0], [-1.0]], ["z", "not z"])
    sx.save_model(perceptron, path)
    document = json.loads(path.read_text())
    assert (document["classes"], document["others"]) == (["not z", "z"], False)
    assert model_file.read_model(path).others is False
    assert sx.load_model(path).predict([[2.0], [-2.0]]).tolist() == ["z", "not z"]
    for others in (True, None, 0):
        path.write_text(json.dumps({**document, "others": others}))
        with pytest.raises(sx.ModelError, match="others must be false"):
            sx.load_model(path)
    path.write_text(json.dumps({**document, "classes": ["a", "z"]}))
    with pytest.raises(sx.ModelError, match="others must be false, and there only if"):
        sx.load_model(path)
    del document["others"]  # as the first version has written it
    path.write_text(json.dumps(document))
    assert model_file.read_model(path).others is True
    data = sx.read_data({"x": [1.0, -1.0, -2.0], "y": ["z", "a", "b"]}, "y")
    sx.save_model(perceptron, path, data=data)
    assert "others" not in json.loads(path.read_text())
    assert model_file.read_model(path).others is True
    loaded = sx.load_model(path)
    for again in (loaded, loaded.partial_fit(pd.DataFrame({"x": [0.5]}), ["not z"])):
        sx.save_model(again, path)
        assert model_file.read_model(path).others is True
    sx.save_model(loaded.fit([[1.0], [-1.0]], ["z", "not z"]), path)
    assert model_file.read_model(path).others is False


def test_rows_that_are_shuffled_together_are_written_only_if_their_number_was_given(tmp_path):
    X, y = sx.examples.load("and")
    given = {None: sx.Perceptron(order="shuffle"), 2: sx.Perceptron(order="shuffle", block_rows=2)}
    for block_rows, perceptron in given.items():
        sx.save_model(perceptron.fit(X, y), tmp_path / "model.json")
        written = json.loads((tmp_path / "model.json").read_text())["parameters"]
        assert written.get("block_rows") == block_rows
        assert sx.load_model(tmp_path / "model.json").block_rows == block_rows
        assert ("block_rows" in written) == (block_rows is not None)
