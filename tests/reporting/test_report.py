"""The report without a browser: what it has gathered, what it leaves out, and what becomes of bad input and of Ctrl-C."""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from commands import XOR, failed, separatrix, succeeded, written
from report_data import QUASI, hostile

import separatrix as sx
from separatrix import checker
from separatrix.reporting import answers, draft
from separatrix.reporting.drawing import cleaned
from separatrix.reporting.embedded import in_page
from separatrix.support.progress import listening

THREE = "x,y,kind\n0,0,a\n1,0,a\n4,4,b\n5,4,b\n9,0,c\n9,1,c\n"


class Tags(HTMLParser):
    """The names of all elements and attributes, as a browser would read them."""

    def __init__(self):
        super().__init__()
        self.names, self.attributes = set(), set()

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.attributes.update(name for name, _ in attributes)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """After Ctrl-C pictures have a second: here as long as they take, however busy the machine is."""
    monkeypatch.setattr(answers, "SECONDS_AFTER_CTRL_C", 600.0)


@pytest.fixture(scope="module")
def quasi(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quasi")
    data = written(folder, QUASI)
    said = succeeded("report", data, "--label", "dead", "--cv", "2", "-o", folder / "report.html")
    return data, (folder / "report.html").read_text(encoding="utf-8"), said


def embedded(page):
    found = re.findall(r'<script type="application/json" id="file-([\w-]+)">(.*?)</script>', page, re.DOTALL)
    return {key: json.loads(text) for key, text in found}


def test_the_terminal_says_the_verdict_the_numbers_and_the_path(quasi):
    _, _, said = quasi
    assert said.startswith("quasi-separable: No hyperplane separates all rows")
    assert "Fewest errors of a hyperplane: 1, proved." in said
    assert said.rstrip().endswith("report.html.")


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else(quasi):
    _, page, _ = quasi
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    rules = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert " style=" not in page


def test_the_certificates_in_the_page_prove_what_it_says(quasi):
    data, page, _ = quasi
    found = embedded(page)
    assert found["verdict"]["claim"] == "quasi-separable"
    assert found["errors"]["claim"] == "errors-at-least"
    for key in ("verdict", "errors"):
        certificate = checker.parse(json.dumps(found[key]))
        checker.check(certificate, checker.read_rows([data], certificate))
    assert f"separatrix verify verdict.json {data}" in page


def test_where_rows_are_and_whose_values_are_shown(quasi):
    data, page, _ = quasi
    shown = re.search(r'data-name="rows-shown">([^<]*)<', page)[1]
    rows = {int(each) - 2 for each in re.findall(r"\d+", shown)}
    assert shown.startswith("lines ")
    found = sx.read_data(data, "dead")
    assert rows >= set(sx.decide(found).witness.tolist())
    (wrong,) = re.findall(r'<table id="error-rows">.*?</table>', page, re.DOTALL)
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", wrong[wrong.index("<tbody>") :])
    row = int(cells[0]) - 2
    assert row in rows
    assert cells[-2:] == [f"{each:g}" for each in found.X[row]]


def test_without_rows_no_value_of_a_row_is_left(tmp_path):
    """Numbers that occur nowhere else: none of them is in the file, nor is a point in a picture."""
    secret = [7310.25, 7322.57, 7341.75, 7359.125, 7366.0625, 7379.53]
    pairs = zip(secret, secret[::2] + secret[1::2], "ababab", strict=True)
    data = written(tmp_path, "x,z,kind\n" + "".join(f"{x},{z},{label}\n" for x, z, label in pairs))
    for options, there in (([], True), (["--without-rows"], False)):
        succeeded("report", data, "--label", "kind", "--cv", "0", "-o", tmp_path / "report.html", *options)
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert any(str(value) in page for value in secret) is there
        scenes = [text for key, text in embedded(page).items() if key.startswith("scene-")]
        assert any("points" in scene for scene in scenes) is there
        assert ("verdict" in embedded(page)) is there  # the certificate of a contradiction has the rows in it
        assert ('id="verdict"' in page) is True


@pytest.mark.parametrize(
    "stop", ["the verdict", "the margin", "the convergence theorem", "the fewest errors", "the comparison"]
)
def test_ctrl_c_leaves_a_report_of_what_there_is(stop):
    X, y = sx.examples.load("and")
    parts = ["the verdict", "the margin", "the fewest errors", "a run of the perceptron", "the convergence theorem",
             "the comparison"]  # fmt: skip

    def press(text):
        if str(text).startswith(stop):
            raise KeyboardInterrupt

    with listening(press):
        found = sx.report(X, y)
    assert found.interrupted
    assert found.missing == parts[parts.index(stop) :]
    assert (found.verdict is None) == (stop == "the verdict")
    assert found.comparison is None
    alert = re.search(r'<div class="alert">(.*?)</div>', found.html, re.DOTALL)[1]
    assert all(each in alert for each in found.missing)
    assert "Ctrl-C came first" in found.html


def test_the_command_ends_with_130_after_ctrl_c_and_has_written(tmp_path, monkeypatch):
    data = written(tmp_path, XOR)

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(answers, "compare_entries", stopped)
    done = separatrix("report", data, "--label", "odd", "-o", tmp_path / "report.html")
    assert done.returncode == 130
    assert "Not done: the comparison." in done.stdout
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_without_matplotlib_there_is_one_message(tmp_path, monkeypatch):
    data = written(tmp_path, XOR)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = failed("report", data, "--label", "odd", "-o", tmp_path / "report.html")
    assert said.count("\n") == 1
    assert "pip install 'separatrix[plot]'" in said
    assert not (tmp_path / "report.html").exists()
    with pytest.raises(ImportError, match=r"separatrix\[plot\]"):
        sx.report([[0], [1]], [0, 1])


def test_what_is_refused(tmp_path):
    data = written(tmp_path, XOR)
    assert "would overwrite the data" in failed("report", data, "--label", "odd", "-o", data)
    assert data.read_text(encoding="utf-8") == XOR
    assert "--cv must be at least 2" in failed("report", data, "--label", "odd", "--cv", "1")
    assert "--max-iter must be at least 1" in failed("report", data, "--label", "odd", "--max-iter", "0")
    assert "there is no such folder" in failed("report", data, "--label", "odd", "-o", tmp_path / "no" / "report.html")
    one = written(tmp_path, "x,y\n1,a\n2,a\n", "one.csv")
    assert "All rows are of one class" in failed("report", one, "--label", "y", "-o", tmp_path / "report.html")
    with pytest.raises(TypeError, match="labels"):
        sx.report([[0], [1]])
    with pytest.raises(ValueError, match="cv must be a whole number from 2 up"):
        sx.report([[0], [1]], [0, 1], cv=1)


def test_several_classes_have_a_report_that_says_what_is_possible(tmp_path):
    data = written(tmp_path, THREE)
    said = json.loads(succeeded("report", data, "--label", "kind", "--json", "-o", tmp_path / "report.html"))
    assert said["status"] is None
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "set one against the rest" in page
    assert f"separatrix report {data} --label kind --positive a" in page
    assert 'id="comparison-table"' in page
    one = json.loads(
        succeeded("report", data, "--label", "kind", "--positive", "a", "--json", "--cv", "0", "-o", tmp_path / "one.html")
    )
    assert one["status"] == "separable"
    margin = sx.margin(sx.read_data(data, "kind"), positive="a", kind="geometric")
    assert one["margin"] == [margin.lo, margin.hi]


def test_a_report_in_python_is_a_page_and_shows_itself(tmp_path):
    X, y = sx.examples.load("or")
    found = sx.report(X, y, cv=None, title="<or>")
    assert found.verdict.separable
    assert found.margin == sx.margin(X, y, kind="geometric")
    assert "<title>Report on &lt;or&gt;</title>" in found.html
    found.save(tmp_path / "or.html")
    assert (tmp_path / "or.html").read_text(encoding="utf-8") == found.html
    frame = found._repr_html_()
    assert frame.startswith("<iframe")
    assert "allow-same-origin" not in frame
    assert "<title>" not in frame


def test_hostile_names_are_in_no_tag(tmp_path):
    data = written(tmp_path, hostile())
    succeeded(
        "report", data, "--label", "<i>class</i>", "--cv", "0", "--bound-time-limit", "1", "-o", tmp_path / "report.html"
    )
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    seen = Tags()
    seen.feed(page)
    assert seen.names <= {
        "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "div", "strong", "p", "data", "dl",
        "dt", "dd", "nav", "ol", "ul", "li", "main", "section", "span", "table", "caption", "thead", "tbody", "tr", "th",
        "td", "figure", "figcaption", "svg", "g", "path", "use", "defs", "clippath", "rect", "text", "tspan", "details",
        "summary", "pre", "code", "footer", "script",
    }  # fmt: skip
    assert not [each for each in seen.attributes if each.startswith("on") or each in ("style", "src", "srcdoc")]
    assert page.count("<script") == 1 + len(embedded(page))


def test_many_rows_are_thinned_and_the_page_stays_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=5000) > 0).astype(int)
    found = sx.report(X, y, cv=None, bound_time_limit=0.5, max_iter=20)
    assert len(found.html) < 2_000_000
    assert "800 of 5,000 rows are shown" in found.html
    assert "These are the first 40 of" in found.html
    assert found.html.count("fill-opacity") < 5000


def test_json_in_a_page_stays_the_same_json():
    document = {"a": "</script><!--&\u2028\u2029<script>", "b": [1.5, None]}
    text = in_page(json.dumps(document, ensure_ascii=False))
    assert json.loads(text) == document
    assert not set("<>&\u2028\u2029") & set(text)


def test_cleaned_svg_has_no_style_and_ids_of_its_own():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><metadata/>'
        '<style>*{x:y}</style><defs><path id="m" d="M 0 0  L 1 1.23456" style="stroke: #b00020"/><clipPath id="c"><rect/>'
        '</clipPath></defs><g id="unused"><g clip-path="url(#c)"><use xlink:href="#m" x="1" style="stroke: #b00020"/></g>'
        '<g clip-path="url(#c)"><use xlink:href="#m" x="2" style="stroke: #b00020"/></g></g>'
        '<text style="font-family: evil; font-size: 9px">a &lt; b</text></svg>'
    )
    found = cleaned(svg, "key", 'says "this"')
    assert found == (
        '<svg viewBox="0 0 9 9" role="img" aria-label="says &quot;this&quot;"><defs><path id="key-1" d="M0 0L1 1.23" />'
        '<clipPath id="key-0"><rect /></clipPath></defs><g clip-path="url(#key-0)" stroke="#b00020">'
        '<use x="1" href="#key-1" /><use x="2" href="#key-1" /></g><text font-size="9px">a &lt; b</text></svg>'
    )


def test_without_rows_neither_the_first_mistake_nor_the_nearest_rows_are_left():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(500, 5)) * 0.3 + np.repeat([[3.0], [-3.0]], 250, axis=0), 4)
    y = np.repeat([1, 0], 250)
    found = sx.report(X, y, without_rows=True, cv=None)
    assert found.ledger.mistakes == 1
    assert found.perceptron.coef_[0].tolist() == X[0].tolist()  # its weights are the row
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", found.html, flags=re.DOTALL)
    assert not [value for value in X[0] if f">{value:.6g}<" in text or f" {value:.6g} " in text]
    assert "nearest to this hyperplane" not in text
    assert "course" not in "".join(embedded(found.html))
    assert "left out: they are sums of rows" in text


def test_ctrl_c_while_it_is_drawn_leaves_pictures_out(monkeypatch):
    X, y = sx.examples.load("xor")
    drawn = []

    def press(*given):
        drawn.append(given)
        if len(drawn) == 2:
            raise KeyboardInterrupt
        return original(*given)

    original = draft.svg_of
    monkeypatch.setattr(draft, "svg_of", press)
    found = sx.report(X, y, cv=None)
    page = found.html
    assert len(drawn) == 2
    assert page.count("<figure>") == 1
    assert page.count("There is no picture here: Ctrl-C came first.") >= 2
    assert found.interrupted
    assert found.missing == ["some of the pictures"]
    assert "some of the pictures" in re.search(r'<div class="alert">(.*?)</div>', page, re.DOTALL)[1]


def test_what_the_verdict_proves_the_errors_have_without_time():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 6)), rng.integers(0, 2, 3000)
    found = sx.report(X, y, bound_time_limit=1e-9, cv=None, max_iter=2).disagreement
    assert found.lower >= 1
    sx.verify(found.certificate, X, y)


def test_numbers_beyond_float64_have_a_report(tmp_path):
    huge = written(tmp_path, "a,b,y\n1e300,-1e300,0\n-1e300,1e300,1\n5e-324,1e300,0\n1,2,1\n-1e300,-1e300,1\n", "huge.csv")
    tiny = written(tmp_path, "a,y\n5e-324,1\n0,0\n-5e-324,0\n", "tiny.csv")
    for data in (huge, tiny):
        said = succeeded("report", data, "--label", "y", "--cv", "0", "-o", tmp_path / "report.html", "--json")
        json.loads(said, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert not re.search(r">-?inf<|>nan<", page.split("<details>")[0])  # in which an audit has rounded up squares
    assert "Margin: 0, proved" not in succeeded("report", tiny, "--label", "y", "--cv", "0", "-o", tmp_path / "r.html")


def test_names_are_escaped_once(tmp_path):
    data = written(tmp_path, "\u202eabc,y\n1,no\u202e\n2,yes\n3,no\u202e\n", "rtl.csv")
    succeeded("report", data, "--label", "y", "--cv", "0", "-o", tmp_path / "report.html")
    assert "\\\\u202e" not in (tmp_path / "report.html").read_text(encoding="utf-8").split("<script")[0]


def test_the_report_says_which_rows_the_run_is_about():
    X, y = [[1, 9000], [2, 7000], [3, 8000], [4, 1000]], ["a", "a", "b", "b"]
    plain = sx.report(X, y, cv=None)
    assert plain.scaler is None
    assert plain.html.count("The run is on the rows as they are.") == 2
    assert "Each has learnt from features of mean 0 and variance 1." in plain.html
    scaled = sx.report(X, y, cv=None, scale="minmax")
    assert scaled.html.count("The run is on scaled rows: each column minus its smallest number, divided by its range.") == 2
    assert "Each has learnt from features that reach from 0 to 1." in scaled.html
    assert scaled.scaler.kind == "minmax"
    rows = scaled.scaler.transform(X)
    assert scaled.ledger.mistakes == sx.Perceptron().fit(rows, y).n_mistakes_ != plain.ledger.mistakes
    weight = scaled.perceptron.coef_[0, 1] / 8000
    assert f"{weight:.6g}" in scaled.html
    assert scaled.margin.lo == plain.margin.lo  # of the rows as they are
    with pytest.raises(ValueError, match="scale must be one of"):
        sx.report(X, y, scale="unit")


def test_the_command_scales(tmp_path):
    data = written(tmp_path, THREE)
    said = json.loads(
        succeeded("report", data, "--label", "kind", "--cv", "0", "-o", tmp_path / "r.html", "--scale", "maxabs", "--json")
    )
    assert said["scale"] == "maxabs"
    assert "The run is on scaled rows: each column divided by its largest magnitude." in (tmp_path / "r.html").read_text()
