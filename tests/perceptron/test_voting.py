"""The voted perceptron: each of its weights votes as often as the visits it survived, by exact signs."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import lifted, votes
from reference import perceptron as reference
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import TIES, batches, planted, problems, rows_of_kind

import separatrix as sx
from separatrix.compiled.signs import UNKNOWN
from separatrix.estimators.learnt import learnt_by
from separatrix.perceptron import voting

pytestmark = pytest.mark.filterwarnings("ignore:The voted perceptron made:sklearn.exceptions.ConvergenceWarning")

PASSES = 5
KINDS = st.sampled_from(["integers", "decimals", "gaussian", "mixed", "huge", "tiny", "subnormal", "zeros", "ulps", "wide"])


@parametrize_with_checks([sx.VotedPerceptron()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def expected_votes(history, X, tie, intercept=True):
    return [votes(history, x, tie) for x in lifted(X, np.ones(len(X)), intercept)]


def assert_votes(voted, X, history, tie, intercept=True):
    expected = expected_votes(history, X, tie, intercept)
    for rows in (X, sp.csr_array(X)):
        assert voted._votes(rows).tolist() == expected
        assert voted.decision_function(rows).tolist() == [v / len(history) for v in expected]
        winners = [1 if v > 0 or (v == 0 and tie == "positive") else -1 for v in expected]
        assert voted.predict(rows).tolist() == winners


@given(problems(), KINDS, st.integers(0, 2**31 - 1), TIES, st.sampled_from(["cyclic", "shuffle", "random"]), st.booleans(),
       st.booleans())  # fmt: skip
def test_votes_are_those_of_the_definition(problem, kind, seed, tie, order, intercept, sparse):
    X, y = problem
    history = []
    trace, last, _, converged = reference(
        X, y, order=order, tie=tie, intercept=intercept, max_iter=PASSES, random_state=seed, history=history
    )
    voted = sx.VotedPerceptron(order=order, tie=tie, fit_intercept=intercept, max_iter=PASSES, random_state=seed)
    voted.fit(sp.csr_array(X) if sparse else X, y)
    assert voted.mistakes_.tolist() == trace
    assert learnt_by(voted).weights.fractions() == last
    assert (voted.halted_, voted.n_mistakes_, voted.n_visits_) == (converged, len(trace), len(history))
    assert voted.survivals_.sum() == len(history)
    strange = rows_of_kind(kind, 4, X.shape[1], np.random.RandomState(seed))[:, : X.shape[1]]
    assert_votes(voted, np.vstack([X, strange]), history, tie, intercept)


@given(problems(), TIES, st.booleans(), st.data())
def test_partial_fit_in_any_batches_is_one_pass(problem, tie, intercept, data):
    X, y = problem
    history = []
    trace, *_ = reference(X, y, tie=tie, intercept=intercept, max_iter=1, history=history)
    voted = sx.VotedPerceptron(tie=tie, fit_intercept=intercept)
    for rows, labels in batches(data, X, y):
        voted = pickle.loads(pickle.dumps(voted.partial_fit(rows, labels, classes=[-1, 1])))
    assert voted.mistakes_.tolist() == trace
    assert_votes(voted, X, history, tie, intercept)


def planted_vote(digits, seed):
    """Weights under which the scores of other rows are nearly 0: a run with one mistake, on the row that is the weights."""
    rows, w = planted(12, 8, digits, np.random.RandomState(seed))
    X, y = np.array([w, -w]), np.array([1.0, -1.0])
    history = []
    reference(X, y, intercept=False, max_iter=1, history=history)
    return sx.VotedPerceptron(fit_intercept=False, max_iter=1).fit(X, y), rows, history


@pytest.mark.parametrize("digits", [16, 32, 48])
def test_scores_planted_near_zero(digits):
    for seed in range(20):
        voted, rows, history = planted_vote(digits, seed)
        assert_votes(voted, rows, history, "update", intercept=False)


def test_weakened_the_bound_of_the_error_lets_a_vote_go_wrong(monkeypatch):
    monkeypatch.setattr("separatrix.perceptron.voting.VOTE_SLACK", 0.0)
    wrong = 0
    for seed in range(20):
        voted, rows, history = planted_vote(16, seed)
        wrong += voted._votes(rows).tolist() != expected_votes(history, rows, "update", intercept=False)
    assert wrong


def test_weakened_the_bound_in_double_precision_lets_a_vote_go_wrong(monkeypatch):
    """Scores that single precision leaves open, computed anew in double precision, which leaves them open, too."""
    wrong = {}
    for slack in (voting.PLAIN_SLACK, 0.0):
        monkeypatch.setattr("separatrix.perceptron.voting.PLAIN_SLACK", slack)
        for seed in range(20):
            voted, rows, history = planted_vote(16, seed)
            expected = expected_votes(history, rows, "update", intercept=False)
            wrong[slack] = wrong.get(slack, 0) + (voted._votes(rows).tolist() != expected)
    assert list(map(bool, wrong.values())) == [False, True]


def test_weakened_the_error_of_scores_in_single_precision_lets_a_vote_go_wrong(monkeypatch):
    """Scores next to 0 of weights in the midst of a segment, and at the beginning of one."""
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((40, 3)), rng.choice([-1.0, 1.0], 40)
    history = []
    reference(X, y, max_iter=PASSES, history=history, intercept=False)
    voted = sx.VotedPerceptron(max_iter=PASSES, fit_intercept=False).fit(X, y)
    rows = []
    for w in history[:: len(history) // 40]:  # at right angles to the weights, as far as doubles go
        w = np.array([float(x) for x in w])
        if w.any():
            rows.append(np.cross(w, rng.standard_normal(3)))
    rows = np.array(rows)
    expected = expected_votes(history, rows, "update", intercept=False)
    assert voted._votes(rows).tolist() == expected
    monkeypatch.setattr("separatrix.perceptron.voting.VOTE_SLACK", 0.0)
    assert voted._votes(rows).tolist() != expected


@pytest.mark.parametrize("forms", list(itertools.product([np.array, sp.csr_array], repeat=2)))
def test_rows_learnt_and_rows_asked_for_may_be_stored_in_different_ways(forms):
    """Five columns, which dense rows fill up to eight, and scores of zero, which all steps leave to the next."""
    rng = np.random.RandomState(3)
    X, y = rng.randint(-3, 4, (40, 5)) / 10, rng.choice([-1.0, 1.0], 40)
    history = []
    reference(X, y, max_iter=PASSES, history=history)
    voted = sx.VotedPerceptron(max_iter=PASSES).fit(forms[0](X), y)
    assert voted._votes(forms[1](X)).tolist() == expected_votes(history, X, "update")


@pytest.mark.parametrize(
    ("form", "name", "bits"), [(np.array, "SINGLE_MANTISSA_BITS", 24), (sp.csr_array, "MANTISSA_BITS", 53)]
)
def test_weakened_the_grid_lets_a_vote_go_wrong(monkeypatch, form, name, bits):
    """Integers beyond 24 and 53 bits, of which one is lost in some order of adding up."""
    wrong = []
    for grid in (bits, 80):
        monkeypatch.setattr(f"separatrix.perceptron.voting.{name}", grid)
        for w in map(np.array, itertools.permutations([2.0**54, 1.0, -(2.0**54)])):
            voted = sx.VotedPerceptron(fit_intercept=False, max_iter=1).fit(form([w, -w]), [1, 0])
            wrong.append(voted._votes(form(np.ones((1, 3)))).tolist() != [2])
    assert not any(wrong[:6])
    assert any(wrong[6:])


@pytest.mark.parametrize("sparse", [False, True])
def test_small_blocks_and_little_room_change_nothing(monkeypatch, sparse):
    """Many blocks, doubts by the dozen, each walk along the trace from its beginning."""
    rng = np.random.RandomState(1)
    X = rng.randint(-10, 11, (40, 3)) / 10
    y = np.where(X @ [1, 2, -1] + rng.standard_normal(40) > 0.25, 1.0, -1.0)
    history = []
    reference(X, y, max_iter=PASSES, history=history)
    voted = sx.VotedPerceptron(max_iter=PASSES).fit(sp.csr_array(X) if sparse else X, y)
    assert_votes(voted, X, history, "update")
    monkeypatch.setattr("separatrix.perceptron.voting.MAX_ROWS_PER_BLOCK", 3)
    monkeypatch.setattr("separatrix.perceptron.voting.MIN_DOUBTS_PER_CALL", 1)
    monkeypatch.setattr("separatrix.perceptron.voting.VOTES_PER_CALL", 1)
    monkeypatch.setattr("separatrix.perceptron.voting.MAX_PENDING_DOUBTS", 2)
    monkeypatch.setattr("separatrix.perceptron.voting.PLAIN_SLACK", 1e14)
    monkeypatch.setattr("separatrix.perceptron.voting.VOTE_SLACK", 1e14)  # doubt nearly everything
    assert_votes(voted, X, history, "update")
    monkeypatch.setattr(
        "separatrix.perceptron.voting.decide", lambda *arguments: arguments[-1].fill(UNKNOWN)
    )  # and ask integers
    monkeypatch.setattr("separatrix.perceptron.voting.MAX_PRODUCTS_PER_BLOCK", 1)
    assert_votes(voted, X, history, "update")


def test_a_long_trace_that_adds_up_rounding_errors():
    """Sums of tenths over thousands of mistakes: rows whose exact score is 0, or next to it, are told apart."""
    X = np.array([[0.1, 0.2], [0.2, 0.1], [0.3, 0.30000000000000004]])
    y = np.array([1.0, -1.0, 1.0])
    history = []
    reference(X, y, max_iter=400, history=history, intercept=False)
    voted = sx.VotedPerceptron(max_iter=400, fit_intercept=False).fit(X, y)
    rows = np.array([[0.1, 0.1], [0.3, 0.3], [0.2, -0.1], [0.1, 0.30000000000000004]])
    assert_votes(voted, rows, history, "update", intercept=False)


@pytest.mark.parametrize("segment", [8, 24, 32, 128])
@pytest.mark.parametrize("columns", [0, 2000])
def test_scores_that_begin_anew_or_go_on_say_the_same(monkeypatch, segment, columns):
    """Single precision with segments of any length, and double precision, over a trace of some hundred mistakes."""
    rng = np.random.RandomState(2)
    X = np.vstack([rng.standard_normal((60, 5)) * 10.0 ** rng.uniform(-3, 3, (60, 1)), np.zeros((1, 5))])
    y = rng.choice([-1.0, 1.0], 61)
    monkeypatch.setattr("separatrix.perceptron.voting.MISTAKES_PER_SEGMENT", segment)
    monkeypatch.setattr("separatrix.perceptron.voting.MAX_START_COLUMNS", columns)
    for intercept in (False, True):
        history = []
        reference(X, y, max_iter=PASSES, history=history, intercept=intercept)
        voted = sx.VotedPerceptron(max_iter=PASSES, fit_intercept=intercept).fit(X, y)
        assert voted.n_mistakes_ > 100
        assert_votes(voted, X, history, "update", intercept)


def test_whole_numbers_that_floats_do_not_hold_are_mostly_decided_by_floats(monkeypatch):
    rng = np.random.RandomState(0)
    X = np.array([[3**40 * int(x) + 1 for x in row] for row in rng.randint(-99, 100, (30, 3))], object)
    y, history, asked = rng.choice([-1.0, 1.0], 30), [], []
    reference(X, y, max_iter=2, history=history)
    voted = sx.VotedPerceptron(max_iter=2).fit(X, y)
    settle = voting._Poll._settle
    monkeypatch.setattr(voting._Poll, "_settle", lambda self, ks, rs: asked.append(ks.size) or settle(self, ks, rs))
    assert voted._votes(X).tolist() == expected_votes(history, X, "update")
    assert sum(asked) < voted.n_mistakes_ * len(X) / 10


def test_without_a_mistake_zero_weights_have_all_votes():
    voted = sx.VotedPerceptron(tie="positive").partial_fit([[1.0], [2.0]], [1, 1], classes=[0, 1])
    assert voted.n_mistakes_ == 0
    assert voted.decision_function([[-5.0]]).tolist() == [1.0]
    assert voted.predict([[-5.0]]).tolist() == [1]


def test_one_vote_each_in_random_order():
    X, y = sx.examples.load("xor")
    voted = sx.VotedPerceptron(order="random", random_state=0).fit(X, y)
    assert voted.survivals_.tolist() == [0] + [1] * voted.n_mistakes_


def test_a_run_that_has_not_come_to_rest_is_told_of():
    X, y = sx.examples.load("xor")
    with pytest.warns(ConvergenceWarning, match=r"40 mistakes in 10 passes.*standardise.*\(max_iter\)"):
        assert not sx.VotedPerceptron().fit(X, y).halted_
    rows, kinds = load_iris(return_X_y=True)
    with pytest.warns(
        ConvergenceWarning, match=r"has not come to a pass without one\. The rows are sorted by class.*shuffle"
    ):
        voted = sx.VotedPerceptron().fit(rows, kinds)
    assert not np.all(voted.halted_)


def test_a_run_that_has_come_to_rest_is_silent(recwarn):
    X, y = sx.examples.load("and")
    assert sx.VotedPerceptron().fit(X, y).halted_
    sx.VotedPerceptron().partial_fit(X, y, classes=[0, 1])
    assert not recwarn.list


def test_only_rows_erred_on_are_kept():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((500, 4))
    y = X[:, 0] > 0.3
    voted = sx.VotedPerceptron().fit(X, y)
    assert learnt_by(voted).erred.shape[0] == len(set(voted.mistakes_.tolist())) < 200
    assert voted.score(X, y) > 0.9


def test_ctrl_c_keeps_what_is_learnt(monkeypatch):
    def interrupt(make_text, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
    X, y = sx.examples.load("breast-cancer")
    voted = sx.VotedPerceptron()
    with monkeypatch.context() as patch:
        patch.setattr("separatrix.support.progress.report", interrupt)
        with pytest.warns(ConvergenceWarning, match="was stopped by Ctrl-C"):
            voted.fit(X, y)
    assert voted.n_mistakes_ > 0
    assert voted.predict(X).shape == y.shape


def test_bad_calls_are_refused():
    X, y = sx.examples.load("and")
    with pytest.raises(ValueError, match="'tie' parameter of VotedPerceptron"):
        sx.VotedPerceptron(tie="coin").fit(X, y)
    with pytest.raises(ValueError, match="VotedPerceptron needs rows of two classes"):
        sx.VotedPerceptron().fit(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="expected two"):
        sx.VotedPerceptron().partial_fit(X, [1, 1, 1, 1], classes=[1])
    with pytest.raises(ValueError, match="fit_intercept has changed"):
        sx.VotedPerceptron().fit(X, y).set_params(fit_intercept=False).partial_fit(X, y)
    with pytest.raises(TypeError, match="expected sx"):
        sx.audit(sx.VotedPerceptron().fit(X, y), X, y)
