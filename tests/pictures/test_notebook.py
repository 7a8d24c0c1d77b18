"""What notebooks show of answers: their text, escaped, and their picture where one can be drawn."""

import re
import sys
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import sklearn
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import separatrix as sx
from separatrix.pictures.svg import svg
from separatrix.support import notebook

AND, XOR = sx.examples.load("and"), sx.examples.load("xor")
HOSTILE = "<script>alert('$x_1$ & \"y\"')</script>"


@pytest.fixture(scope="module")
def answers():
    perceptron = sx.Perceptron().fit(*AND)
    kernel = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(*XOR)
    standings = (sx.Standing(name="a", errors=1, cv_error=0.1, cv_spread=0.1, hyperplane=True),)
    return {
        "separable": sx.decide(*AND),
        "not separable": sx.decide(*XOR),
        "margin": sx.margin(*AND, kind="geometric"),
        "ledger": sx.audit(perceptron, *AND),
        "kernel ledger": sx.audit(kernel, *XOR),
        "disagreement": sx.least_errors(*XOR),
        "comparison": sx.Comparison(
            table=standings, lower_bound=1, upper_bound=1, certificate=None, rows=4, features=2, classes=(0, 1), folds=2,
            scale="none", interrupted=False, notes=(),
        ),
    }  # fmt: skip


def text_of(answer):
    return answer.to_html() if isinstance(answer, sx.Comparison) else answer.explain("html")


def pictures_in(page):
    return re.findall("<svg.*?</svg>", page, re.DOTALL)


def test_answers_are_shown_with_their_text_and_one_picture(answers):
    before = plt.get_fignums()
    pages = {name: each._repr_html_() for name, each in answers.items()}
    for name, page in pages.items():
        assert text_of(answers[name]).rstrip() in page
        [drawn] = pictures_in(page)
        assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert "<text" in drawn, "text stays text"
        assert "<style" not in drawn, "a style would hold for the whole page"
        assert "<metadata" not in drawn
        assert 'role="img" aria-label="' in drawn
    assert "mistakes, k" in pages["ledger"]
    assert "errors, % of 4 rows" in pages["comparison"]
    assert plt.get_fignums() == before, "a notebook would show the figures once more"


def test_no_name_in_a_picture_is_that_of_another(answers):
    page = "".join(each._repr_html_() for each in answers.values())
    names = Counter(re.findall(r'\bid="([^"]+)"', page))
    assert len(names) > 100
    assert max(names.values()) == 1
    spoken_of = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
    assert spoken_of
    assert spoken_of <= set(names)


def test_the_same_picture_always_has_the_same_text(answers):
    assert answers["ledger"]._repr_html_() == answers["ledger"]._repr_html_()
    figure = Figure()
    assert svg(figure, "a") != svg(figure, "a", "other")
    assert 'id="other-figure_1"' in svg(figure, "a", "other")
    assert "&lt;b&gt;" in svg(figure, "<b>")


@pytest.mark.parametrize("missing", ["matplotlib.figure", "separatrix.pictures.notebook"])
def test_without_matplotlib_the_text_is_shown(answers, missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    for each in answers.values():
        page = each._repr_html_()
        assert text_of(each).rstrip() in page
        assert "<svg" not in page
        assert "<figure" not in page


def test_a_picture_that_fails_breaks_nothing(answers, monkeypatch):
    def fail(answer):
        raise RuntimeError("no")

    with_picture = answers["ledger"]._repr_html_()
    monkeypatch.setattr("separatrix.pictures.notebook._chosen", fail)
    page = answers["ledger"]._repr_html_()
    assert text_of(answers["ledger"]).rstrip() in page
    assert len(page) < len(with_picture)
    assert notebook.picture_of("no answer at all") is None


def test_many_rows_are_not_drawn_unasked(answers, monkeypatch):
    monkeypatch.setattr("separatrix.pictures.notebook._MOST_NUMBERS", 7)
    assert "<svg" not in answers["separable"]._repr_html_()
    assert "<svg" in answers["ledger"]._repr_html_()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_names_are_escaped_in_texts_and_pictures():
    X = pd.DataFrame(np.array(AND[0], float), columns=[HOSTILE, "b"])
    y = np.array([HOSTILE, "other"])[np.array(AND[1])]
    perceptron = sx.Perceptron().fit(X, y)
    comparison = sx.Comparison(
        table=(sx.Standing(name=HOSTILE, failure=HOSTILE),), lower_bound=None, upper_bound=None, certificate=None, rows=4,
        features=2, classes=(HOSTILE, "b"), folds=0, scale="none", interrupted=False, notes=(HOSTILE,),
    )  # fmt: skip
    for answer in (sx.decide(X, y), sx.margin(X, y), sx.audit(perceptron, X, y), comparison, perceptron):
        tags = Tags()
        page = answer._repr_html_()
        tags.feed(page.split('<div class="separatrix">')[1])
        assert "script" not in tags.found
        assert ("&lt;script&gt;" in page) != isinstance(answer, sx.Ledger), "an audit names no column and no class"


def test_the_diagram_of_an_estimator_stays_and_the_rule_is_added():
    perceptron = sx.Perceptron()
    assert "separatrix" not in perceptron._repr_html_().replace("separatrix.", "")
    plain = perceptron._repr_html_()
    assert "sk-top-container" in plain
    perceptron.fit(*AND)
    for page in (perceptron._repr_html_(), perceptron._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in page
        assert 'Predicts 1 where <span class="formula">3*x1 + 2*x2 &gt; 4</span>.' in page
    [drawn] = pictures_in(page.split('<div class="separatrix">')[1])
    texts = [each.text for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert {"x1", "x2", "constant 1", "3", "2", "-4", "yes: 1", "no: 0"} <= set(texts)
    assert perceptron._repr_mimebundle_()["text/plain"] == repr(perceptron)
    with sklearn.config_context(display="text"):
        assert not hasattr(perceptron, "_repr_html_")
        assert "text/html" not in perceptron._repr_mimebundle_()


def test_estimators_without_a_short_rule_have_the_diagram_alone():
    X, y = AND
    several = sx.Perceptron(max_iter=100).fit(X, [0, 1, 2, 2])
    kernel = sx.KernelPerceptron(kernel="rbf").fit(X, y)
    for each in (several, kernel, sx.Perceptron.of([0, 0], threshold=1)):
        assert 'class="separatrix"' not in each._repr_html_()
        assert "sk-top-container" in each._repr_html_()
    spoiled = sx.Perceptron().fit(X, y)
    spoiled.coef_ = "nothing"
    assert "sk-top-container" in spoiled._repr_html_()


def test_a_margin_in_words():
    exact = sx.margin(*AND, exact=True)
    assert exact.explain().startswith(
        "The lifted margin, in which the intercept counts in the length of the weights, is sqrt(1/17), about 0.2425"
    )
    assert exact._repr_markdown_() == exact.explain("markdown")
    near = sx.margin(*AND).explain()
    assert "is between 0.2425" in near
    assert "at least the first number, and none have all right by more than the second" in near


def test_a_comparison_as_html():
    found = sx.Comparison(
        table=(sx.Standing(name="a|b", errors=1, hyperplane=False), sx.Standing(name="c", failure="too bad, really")),
        lower_bound=1, upper_bound=1, certificate=None, rows=4, features=2, classes=(0, 1), folds=0, scale="none",
        interrupted=True, notes=(),
    )  # fmt: skip
    page = found.to_html()
    assert '<th scope="col">classifier</th><th scope="col">errors</th>' in page
    assert "<td>a|b *</td><td>1 (25.0 %)</td>" in page
    assert "<p>c: too bad, really</p>" in page
    assert page.index("No hyperplane makes fewer than 1 error") < page.index("<table>") < page.index("Stopped by Ctrl-C")
