"""Pictures of runs: what is drawn, against the scene and against what is the case."""

import math
from dataclasses import replace

import numpy as np
import pytest
from pictures import SIZES, axes, is_plain, labels, require_legible
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx
from separatrix.pictures.scene import Bar, Bars, Chart, Course, Curve, Scene

AND, XOR = sx.examples.load("and"), sx.examples.load("xor")


@pytest.fixture(scope="module")
def ledger():
    return sx.audit(sx.Perceptron().fit(*AND), *AND)


@pytest.fixture(scope="module")
def stopped():
    with pytest.warns(ConvergenceWarning):
        perceptron = sx.Perceptron(max_iter=5).fit(*XOR)
    return sx.audit(perceptron, *XOR)


def course(mistakes, **changes):
    """Return the course of a run that always errs on the same row of length 1: all lines are one."""
    k = np.unique(np.geomspace(1, mistakes, 500).astype(np.int64)) if mistakes else np.zeros(0, np.int64)
    given = {
        "k": k, "alignment": 0.5 * k, "alignment_line": 0.25 * k, "length": np.sqrt(k), "length_line": 2 * np.sqrt(k),
        "cosine": 0.5 * np.sqrt(k) / max(1, mistakes), "cosine_line": 0.1 * np.sqrt(k) / max(1, mistakes), "bound": 64.0,
        "mistakes": mistakes, "converged": True, "letters": ("γ = 0.25", "R = 2"), "meeting": (64.0, 16.0),
    }  # fmt: skip
    return Scene("a run", course=Course(**given | changes))


def numbers(line):
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def drawn_within(display):
    """Require that all that is drawn lies within the limits."""
    (left, right), bounds = display.ax_.get_xlim(), sorted(display.ax_.get_ylim())
    for line in display.ax_.get_lines():
        if line.get_transform() == display.ax_.transData:
            x, y = numbers(line)
            seen = np.isfinite(y)
            assert np.all((left <= x[seen]) & (x[seen] <= right))
            assert np.all((bounds[0] <= y[seen]) & (y[seen] <= bounds[1]))


def test_the_squeeze_of_and(ledger):
    drawn = sx.plot.squeeze(ledger, ax=axes())
    for line, values in ((drawn.alignment_, ledger.alignment), (drawn.length_, np.sqrt(ledger.squared_length))):
        x, y = numbers(line)
        assert x.tolist() == list(range(1, 19))
        assert y == pytest.approx(values)
    (x, low), (same, high) = numbers(drawn.alignment_line_), numbers(drawn.length_line_)
    assert x.tolist() == same.tolist()
    assert low == pytest.approx(x / math.sqrt(17))
    assert high == pytest.approx(np.sqrt(3 * x))
    assert (x[-1], low[-1], high[-1]) == pytest.approx((51, math.sqrt(153), math.sqrt(153))), "they meet at the bound"
    assert set(drawn.bound_.get_xdata()) == {51.0}
    assert labels(drawn.legend_) == [
        "√k R,  R = 1.73205", "‖wₖ‖", "w*·wₖ", "k γ,  γ = 0.242536", "bound R²/γ² = 51",
    ]  # fmt: skip
    assert drawn.notes_ is None
    assert drawn.ax_.get_xscale() == "linear"
    drawn_within(drawn)


def test_the_alignment_of_and(ledger):
    drawn = sx.plot.alignment(ledger, ax=axes())
    assert numbers(drawn.cosine_)[1] == pytest.approx(ledger.cosine)
    x, y = numbers(drawn.line_)
    assert y == pytest.approx(np.sqrt(x / 51))
    assert set(drawn.one_.get_ydata()) == {1.0}
    drawn_within(drawn)


def test_a_perceptron_is_audited_first(ledger):
    perceptron = sx.Perceptron().fit(*AND)
    for function, display in (
        (sx.plot.squeeze, sx.plot.SqueezeDisplay),
        (sx.plot.alignment, sx.plot.AlignmentDisplay),
    ):
        first, second = function(perceptron, *AND, ax=axes()), display.from_estimator(perceptron, *AND, ax=axes())
        assert first.scene == second.scene
        assert first.scene.course == sx.scene(ledger).course


def test_without_a_margin_there_is_the_length_alone(stopped):
    drawn = sx.plot.squeeze(stopped, ax=axes())
    assert drawn.alignment_ is drawn.alignment_line_ is drawn.band_ is drawn.bound_ is None
    assert numbers(drawn.length_line_)[1] == pytest.approx(np.sqrt(3 * np.arange(1, 21)))
    assert labels(drawn.legend_) == ["√k R,  R = 1.73205", "‖wₖ‖"]
    assert "No hyperplane separates the classes" in drawn.notes_.get_text()
    cosine = sx.plot.alignment(stopped, ax=axes())
    assert cosine.cosine_ is cosine.line_ is None
    assert "stopped after 20 mistakes" in cosine.notes_.get_text().replace("\n", " ")


def test_no_mistake_and_one():
    drawn = sx.plot.squeeze(course(0, notes=("The run made no mistake.",)), ax=axes())
    assert numbers(drawn.length_)[0].size == 0
    assert drawn.notes_.get_text() == "The bound R²/γ² = 64 is beyond the picture.\nThe run made no mistake."
    assert labels(drawn.legend_) == []
    one = sx.plot.squeeze(course(1), ax=axes())
    assert one.length_.get_marker() not in ("", "None", None), "a single value is seen"
    assert one.bound_ is None
    for empty in (0, 1):
        sx.plot.alignment(course(empty), ax=axes()).figure_.draw_without_rendering()


def test_a_long_run_has_logarithmic_scales_unless_told():
    scene = course(10**6, bound=2e6, meeting=(2e6, 5e5))
    drawn = sx.plot.squeeze(scene, ax=axes())
    assert drawn.ax_.get_xscale() == drawn.ax_.get_yscale() == "log"
    drawn_within(drawn)
    assert sx.plot.squeeze(scene, scale="linear", ax=axes()).ax_.get_xscale() == "linear"
    negative = course(10**6, alignment=-scene.course.alignment, meeting=None)
    assert sx.plot.squeeze(negative, scale="log", ax=axes()).ax_.get_xscale() == "linear", "no logarithm of what is negative"
    with pytest.raises(ValueError, match="scale must be one of 'auto', 'linear', 'log', got 'cubic'"):
        sx.plot.squeeze(scene, scale="cubic", ax=axes())


def test_infinite_numbers_and_bounds():
    length = np.array([1.0, 2.0, math.inf])
    scene = course(3, k=np.arange(1, 4), bound=math.inf, meeting=None, length=length, length_line=2 * length,
                   alignment=length / 2, alignment_line=length / 4, cosine=length / 9, cosine_line=length / 9)  # fmt: skip
    drawn = sx.plot.squeeze(scene, ax=axes())
    text = drawn.notes_.get_text().replace("\n", " ")
    assert "No bound is known" in text
    assert "Numbers beyond float64 are left out." in text
    assert np.isfinite([*drawn.ax_.get_xlim(), *drawn.ax_.get_ylim()]).all()
    drawn.figure_.draw_without_rendering()


def test_the_loss_has_two_panels_or_one(ledger):
    both = sx.plot.loss(ledger)
    assert len(both.axes_) == 2
    assert numbers(both.run_[0])[1].tolist() == sx.scene(ledger).loss.curves[0].value.tolist()
    assert both.run_[0].get_drawstyle() == "steps-post"
    assert numbers(both.row_[0])[1].tolist() == [4, 0, 0]
    assert len(both.row_) == 5
    assert labels(both.legends_[0]).count("slopes -t with 0 ≤ t ≤ 1: subgradients at the kink") == 1
    row = sx.plot.loss(ledger, part="row", ax=axes())
    assert row.run_ == []
    for each in row.row_:
        x, y = numbers(each)
        assert np.all(y <= np.maximum(0, -x) + 1e-12)
    drawn_within(row)
    run = sx.plot.LossDisplay.from_estimator(sx.Perceptron().fit(*AND), *AND, part="run", ax=axes())
    assert numbers(run.run_[0])[1].tolist() == numbers(both.run_[0])[1].tolist()
    with pytest.raises(ValueError, match="There are 1 axes for 2 parts"):
        sx.plot.loss(ledger, ax=axes())
    with pytest.raises(ValueError, match="part must be 'row', 'run' or None"):
        sx.plot.loss(ledger, part="column")
    both.figure_.clear()


def test_the_loss_of_more_classes_is_refused():
    X, y = AND[0], [0, 1, 2, 2]
    with pytest.raises(ValueError, match="one of two classes; the perceptron has learnt 3"):
        sx.plot.loss(sx.Perceptron(max_iter=100).fit(X, y), X, y)


def test_the_pocket():
    pocket = sx.Pocket(init="zero", max_updates=60, random_state=0, certify=5).fit(*XOR)
    for drawn in (sx.plot.pocket(pocket, *XOR, ax=axes()), sx.plot.PocketDisplay.from_estimator(pocket, *XOR, ax=axes())):
        hand, kept = drawn.curves_
        table = sx.steps(pocket, *XOR)
        assert numbers(hand)[1].tolist() == [table.start_errors, *(each.errors for each in table)]
        assert numbers(kept)[1][-1] == pocket.n_errors_
        assert {each.get_drawstyle() for each in drawn.curves_} == {"steps-post"}
        assert [set(each.get_ydata()) for each in drawn.levels_] == [{1.0}]
        assert labels(drawn.legend_)[-1] == "no hyperplane makes fewer: 1"
        drawn_within(drawn)


def test_pockets_of_five_classes_are_told_apart():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 5
    drawn = sx.plot.pocket(sx.Pocket(init="zero", max_updates=20, random_state=0).fit(X, y), X, y, ax=axes())
    assert len({(each.get_color(), each.get_linestyle()) for each in drawn.curves_}) == 5
    assert labels(drawn.legend_)[4] == "pocket of 4 against the rest"


def test_the_bounds_over_time():
    found = sx.least_errors(*XOR)
    drawn = sx.plot.bounds(found, ax=axes())
    assert numbers(drawn.upper_)[1].tolist() == [float(each.upper) for each in found.history]
    assert numbers(drawn.lower_)[1].tolist() == [float(each.lower) for each in found.history]
    assert drawn.notes_.get_text() == "Proved and found meet at 1."
    seconds, upper, lower = np.array([0.001, 0.1, 3.0]), np.array([500.0, 7.0, 7.0]), np.array([0.0, 0.0, 5.0])
    curves = (Curve("found", seconds, upper, steps=True), Curve("proved", seconds, lower, steps=True))
    far = sx.plot.bounds(Scene("a search", bounds=Chart(("seconds", "errors"), curves)), ax=axes())
    assert (far.ax_.get_xscale(), far.ax_.get_yscale()) == ("log", "symlog")
    drawn_within(far)


def test_a_game_beside_its_bound():
    X, y = AND
    rounds = list(sx.play(sx.Perceptron(), [*zip(X, y, strict=True)] * 9, classes=[0, 1]))
    drawn = sx.plot.online(rounds, bound=sx.mistake_bound(X, y), ax=axes())
    assert numbers(drawn.mistakes_)[1].tolist() == [0, *np.cumsum([each.mistake for each in rounds])]
    assert [set(each.get_ydata()) for each in drawn.levels_] == [{51.0}]
    drawn_within(drawn)
    far = sx.plot.online(rounds, bound=1e9, ax=axes())
    assert far.levels_ == []
    assert "bound: 1,000,000,000, beyond the picture" in far.notes_.get_text()
    assert far.ax_.get_ylim()[1] < 100
    none = sx.plot.online(rounds, bound=sx.mistake_bound(*XOR), ax=axes())
    assert "There is no bound" in none.notes_.get_text()
    with pytest.raises(TypeError, match="bound must be a number or a MistakeBound, got str"):
        sx.plot.online(rounds, bound="many", ax=axes())
    assert "No round was played" in sx.plot.online([], ax=axes()).notes_.get_text()


HOSTILE = "a $x_1$ <b>" + "W" * 90
BARS = Bars(
    (
        Bar("one", 7, 0.1, 0.02, None), Bar(HOSTILE, None, None, None, "ValueError: $too$ <i>bad</i> for words"),
        Bar("free", 3, 0.2, 0.3, None, bounded=False), Bar("margin", None, None, None, "not separable"),
    ),
    200, 5.0, 4,
)  # fmt: skip


def test_classifiers_side_by_side():
    drawn = sx.plot.comparison(Scene("four", comparison=BARS), ax=axes((9, 6)))
    assert [each.get_width() for each in drawn.bars_] == [3.5, 0.0, 1.5, 0.0]
    mean, caps, _ = drawn.crossed_
    assert mean.get_xdata().tolist() == [10.0, 20.0]
    left, right = (each.get_xdata().tolist() for each in caps)
    assert left == pytest.approx([8, 0]), "no share of errors is below 0"
    assert right == pytest.approx([12, 50])
    for k, place in ((0, mean.get_ydata()[0]), (2, mean.get_ydata()[1])):
        bar = drawn.bars_[k]
        assert k - 0.5 < bar.get_y() < bar.get_y() + bar.get_height() < place < k + 0.5, "one is below the other"
    assert set(drawn.bound_.get_xdata()) == {2.5}
    assert [text.get_text() for text in drawn.counts_] == ["7 errors", "failed", "3 errors", "not separable"]
    names = [text.get_text() for text in drawn.ax_.get_yticklabels()]
    assert (names[0], names[2]) == ("one", "free *")
    assert "…" in names[1]
    assert all(map(is_plain, [*drawn.ax_.get_yticklabels(), *drawn.counts_, drawn.notes_]))
    notes = drawn.notes_.get_text().replace("\n", " ")
    assert "ValueError: $too$ <i>bad</i> for words" in notes
    assert "* not a hyperplane in these features" in notes
    top, bottom = drawn.ax_.get_ylim()[::-1]
    assert top < 0 < 3 < bottom, "the first is at the top"


def test_a_comparison_without_bound_folds_or_classifiers():
    bare = replace(BARS, lower_bound=None, folds=0, bars=(Bar("a", 0, None, None, None), Bar("b", 2, None, None, None)))
    drawn = sx.plot.comparison(Scene("two", comparison=bare), ax=axes())
    assert drawn.bound_ is drawn.crossed_ is None
    sx.plot.comparison(Scene("none", comparison=replace(bare, bars=())), ax=axes()).figure_.draw_without_rendering()
    drawn = sx.plot.comparison(Scene("many", comparison=replace(bare, bars=bare.bars * 15)))
    assert drawn.figure_.get_size_inches()[1] > 12, "a figure of its own is as high as it needs"
    drawn.figure_.clear()


@pytest.mark.parametrize("size", SIZES)
def test_words_are_beside_the_data_in_figures_of_any_size(ledger, stopped, size):
    for draw in (
        lambda ax: sx.plot.squeeze(ledger, ax=ax),
        lambda ax: sx.plot.squeeze(stopped, ax=ax),
        lambda ax: sx.plot.alignment(ledger, ax=ax),
        lambda ax: sx.plot.squeeze(course(10**6), ax=ax),
        lambda ax: sx.plot.loss(ledger, part="row", ax=ax),
        lambda ax: sx.plot.loss(ledger, part="run", ax=ax),
        lambda ax: sx.plot.online([], ax=ax),
    ):
        require_legible(draw(axes(size)))


def test_each_picture_says_what_a_scene_lacks():
    empty = Scene("nothing")
    for name, part in (("squeeze", "course"), ("alignment", "course"), ("pocket", "pocket"), ("bounds", "bounds"),
                       ("online", "online"), ("comparison", "comparison"), ("loss", "kink")):  # fmt: skip
        with pytest.raises(sx.SceneError, match=f"The picture '{name}' shows {part}, and the scene 'nothing' has none"):
            getattr(sx.plot, name)(empty)
