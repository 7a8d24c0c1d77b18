"""A perceptron learns from rows in blocks what it learns from rows in memory, bit for bit, wherever they are cut."""

import signal
from fractions import Fraction

import numpy as np
import pytest
from blocks import Interrupting, assert_same, learnt, noisy_stream, problems_in_blocks, stream
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from strategies import STEPS, TIES, noisy

import separatrix as sx
from separatrix.estimators.family import ALGORITHMS
from separatrix.perceptron.orders import Shuffle
from separatrix.problem.blocks import Setting

PARAMETERS = st.fixed_dictionaries(
    {"max_iter": st.integers(1, 12), "tie": TIES, "fit_intercept": st.booleans(), "average": st.booleans(),
     "record": st.booleans(), "eta0": st.sampled_from([1.0, 0.1, "0.1", Fraction(1, 3), 1e200]),
     "class_weight": st.sampled_from([None, "balanced", "dict"])}
)  # fmt: skip


def weighted(parameters, y):
    if parameters["class_weight"] != "dict":
        return parameters
    return {**parameters, "class_weight": dict(zip(np.unique(y).tolist(), (0.1, 3.0, 1e-5), strict=False))}


@given(problems_in_blocks(), PARAMETERS)
def test_what_is_learnt_is_what_is_learnt_in_memory(drawn, parameters):
    X, y, sizes = drawn
    parameters = weighted(parameters, y)
    assert_same(learnt(sx.Perceptron(**parameters), stream(X, y, sizes)), learnt(sx.Perceptron(**parameters), X, y))


@given(problems_in_blocks(), PARAMETERS, st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_rows_shuffled_in_blocks_are_shuffled_alike_in_memory(drawn, parameters, block_rows, seed):
    X, y, sizes = drawn
    parameters = weighted(parameters, y) | {"order": "shuffle", "block_rows": block_rows, "random_state": seed}
    assert_same(learnt(sx.Perceptron(**parameters), stream(X, y, sizes)), learnt(sx.Perceptron(**parameters), X, y))


@given(
    problems_in_blocks(max_classes=2),
    st.lists(st.sampled_from([0.0, 1.0, -0.5, 1e-300, 1e300, 2.0**60 + 2.0**8]), min_size=6, max_size=6),
)
def test_first_weights(drawn, numbers):
    X, y, sizes = drawn
    first = {"coef_init": (numbers * 2)[: X.shape[1]], "intercept_init": numbers[-1]}
    here, there = (learnt(sx.Perceptron(max_iter=5), *data, **first) for data in ((stream(X, y, sizes),), (X, y)))
    assert_same(here, there)


@given(st.data())
def test_sample_weights_of_the_classes_far_apart(data):
    X, y, sizes = data.draw(problems_in_blocks(max_classes=2))
    low, high = data.draw(st.sampled_from(STEPS)), data.draw(st.sampled_from(STEPS))
    weights = dict(zip(np.unique(y).tolist(), (low, high), strict=True))
    here, there = (
        learnt(sx.Perceptron(max_iter=6, class_weight=weights), *each) for each in ((stream(X, y, sizes),), (X, y))
    )
    assert_same(here, there)


def test_weights_of_more_bits_than_two_floats_hold():
    rng = np.random.RandomState(0)
    X = rng.choice([1.0, -1.0], (40, 3)) * 2.0 ** rng.randint(-150, 150, (40, 3))
    y = rng.randint(0, 2, 40)
    here, there = sx.Perceptron(max_iter=9, average=True), sx.Perceptron(max_iter=9, average=True)
    assert_same(learnt(here, stream(X, y, [7] * 5 + [5])), learnt(there, X, y))


def test_many_rows_and_many_mistakes():
    X, y = noisy(30_000, 7, 0.2)
    here, there = (sx.Perceptron(max_iter=3, average=True, record=True) for _ in range(2))
    assert_same(learnt(here, stream(X, y, [11_111, 0, 9_000, 9_889])), learnt(there, X, y))


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 99))
def test_a_shuffle_visits_each_row_once_block_by_block(n, block_rows, seed):
    drawn = Shuffle.draw(n, block_rows, np.random.RandomState(seed))
    order = drawn.whole()
    assert sorted(order.tolist()) == list(range(n))
    blocks = (order // block_rows).tolist()
    assert [k for t, k in enumerate(blocks) if not t or blocks[t - 1] != k] == drawn.blocks.tolist()


def test_rows_are_shuffled_without_a_number_as_with_the_default_one():
    X, y = noisy(500, 3, 0.1)
    parameters = {"order": "shuffle", "random_state": 5, "max_iter": 4}
    here = learnt(sx.Perceptron(**parameters), stream(X, y, [123, 377]))
    assert_same(here, learnt(sx.Perceptron(**parameters, block_rows=2**18), X, y))


def test_rows_that_do_not_fit_together_are_refused(monkeypatch):
    X, y = noisy(500, 3, 0.1)
    rows = stream(X, y, [123, 377])
    monkeypatch.setattr(type(rows), "most_numbers", 600)
    with pytest.raises(ValueError, match="262,144 rows shuffled together take more memory than there is"):
        sx.Perceptron(order="shuffle").fit(rows)
    with pytest.warns(ConvergenceWarning):
        sx.Perceptron(order="shuffle", block_rows=50, max_iter=2).fit(rows)


# What is refused.


@pytest.mark.parametrize(("order", "reason"), [("random", "a pass for each"), (list(range(60)), "read block by block")])
def test_orders_that_visit_rows_anywhere_are_refused(order, reason):
    with pytest.raises(ValueError, match=reason):
        sx.Perceptron(order=order).fit(noisy_stream(60, 2, 0.1, [60]))


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in ("perceptron", "averaged")])
def test_other_classifiers_say_what_learns_from_a_stream(name):
    rows = noisy_stream(60, 2, 0.1, [60])
    with pytest.raises(TypeError, match=r"does not learn from a stream: .*sx\.Perceptron does"):
        ALGORITHMS[name].make().fit(rows)
    with pytest.raises(TypeError, match="needs all rows in memory"):
        rows.fit(ALGORITHMS[name].make())


def test_what_has_no_place_beside_a_stream():
    rows = stream([[0.0], [1.0]], [0, 1], [1, 1])
    with pytest.raises(ValueError, match="do not give y as well"):
        sx.Perceptron().fit(rows, [0, 1])
    with pytest.raises(ValueError, match="class_weight"):
        sx.Perceptron().fit(rows, sample_weight=[1, 2])
    with pytest.raises(ValueError, match=r"weight of the class 0 is 0\.0"):
        sx.Perceptron(class_weight={0: 0.0}).fit(rows)
    with pytest.raises(ValueError, match="only one class"):
        sx.Perceptron().fit(stream([[0.0], [1.0]], [1, 1], [1, 1]))
    with pytest.raises(TypeError, match="X is a stream"):
        sx.Scaler().fit(rows)
    with pytest.raises(ValueError, match="order='shuffle'"):
        sx.Perceptron(block_rows=3).fit(rows)
    with pytest.raises(ValueError, match="nothing to resume"):
        rows.fit(sx.Perceptron(), resume=True)


def test_a_fit_that_is_refused_changes_nothing():
    perceptron = sx.Perceptron().fit([[0.0], [1.0]], [0, 1])
    before = perceptron._learnt
    with pytest.raises(ValueError, match="only one class"):
        perceptron.fit(stream([[0.0], [1.0]], [1, 1], [1, 1]))
    assert perceptron._learnt is before


# How it ends.


def test_ctrl_c_keeps_what_is_learnt_by_then():
    X, y = noisy(90, 3, 0.3)
    rows = stream(X, y, [30, 30, 30])
    rows._source = Interrupting(rows._source, 2, 1, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.warns(ConvergenceWarning, match=r"was stopped by Ctrl-C after .* in 1 pass\."):
        perceptron = sx.Perceptron(record=True).fit(rows)
    once = learnt(sx.Perceptron(max_iter=1, record=True), X, y)
    *coef, intercept = once.last_weights().fractions()
    again = learnt(sx.Perceptron(max_iter=1, record=True), X[:30], y[:30], coef_init=coef, intercept_init=intercept)
    assert perceptron.last_weights() == again.last_weights()
    assert perceptron.mistakes_.tolist() == [*once.mistakes_.tolist(), *again.mistakes_.tolist()]


def test_a_file_that_goes_away_leaves_what_is_learnt_by_then():
    X, y = noisy(90, 3, 0.3)
    rows = stream(X, y, [30, 30, 30])

    def vanish():
        raise sx.FileError("It is gone.")

    rows._source, perceptron = Interrupting(rows._source, 2, 0, vanish), sx.Perceptron()
    with pytest.raises(sx.FileError, match="gone"):
        perceptron.fit(rows)
    assert perceptron.last_weights() == learnt(sx.Perceptron(max_iter=1), X, y).last_weights()


def test_the_time_limit_ends_it():
    rows = noisy_stream(9000, 3, 0.3, [3000, 3000, 3000])
    with pytest.warns(ConvergenceWarning, match="was stopped by its time limit"):
        perceptron = sx.Perceptron(max_iter=10**9, time_limit=0.2).fit(rows)
    assert perceptron.n_mistakes_ > 0
    assert not perceptron.converged_


def test_progress_tells_passes_and_rows():
    heard = []
    with pytest.warns(ConvergenceWarning, match="has not come to a pass without one"):
        sx.Perceptron(max_iter=3, verbose=heard.append).fit(noisy_stream(90, 3, 0.3, [30, 30, 30]))
    told = [each for each in heard if each.unit == "passes"]
    assert [each.done for each in told if each.done == int(each.done)] == [1.0, 2.0, 3.0]
    assert all(each.total == 3 for each in told)
    assert "of 90 rows" in str(told[0])


def test_the_digest_is_made_only_for_what_needs_it():
    rows = noisy_stream(90, 3, 0.0, [30, 60])
    assert sx.Perceptron().fit(rows)._learnt.digest is None
    assert sx.Perceptron(record=True).fit(rows)._learnt.digest == rows.digest(Setting.of(rows.facts))
