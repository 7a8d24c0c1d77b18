"""Explanations in four styles: what is a formula in each, and what is text."""

import re
from fractions import Fraction

import pytest

from separatrix.support.blocks import Formulas, Grid, said, written
from separatrix.support.formulas import AT_MOST, dot, feature, formula, indexed, linear_combination, norm, number, square_of

LENGTH = square_of(norm(indexed("w", "k")))
BLOCKS = [
    said("Since {} for all {}, 50 % of it.", formula(LENGTH, AT_MOST, "9"), indexed("z", "i")),
    Formulas([formula(dot("w", indexed("z", "i")), ">", "0")]),
    Grid(["what", said("{}", LENGTH)], [["a|b", "1"]]),
    "a_1 {} `b`",
]


def test_text():
    assert written(BLOCKS, "text") == (
        "Since ||w_k||^2 <= 9 for all z_i, 50 % of it.\n\n    w.z_i > 0\n\n"
        "    what  ||w_k||^2\n    ----  ---------\n     a|b          1\n\na_1 {} `b`\n"
    )


def test_markdown():
    assert written(BLOCKS, "markdown") == (
        "Since `||w_k||^2 <= 9` for all `z_i`, 50 % of it.\n\n```text\nw.z_i > 0\n```\n\n"
        "| what | `\\|\\|w_k\\|\\|^2` |\n| ---: | ---: |\n| a\\|b | 1 |\n\na\\_1 \\{\\} \\`b\\`\n"
    )


def test_latex():
    assert written(BLOCKS, "latex") == (
        "Since $\\|w_{k}\\|^2 \\le 9$ for all $z_{i}$, 50 \\% of it.\n\n"
        "\\begin{align*}\n& w \\cdot z_{i} > 0\n\\end{align*}\n\n"
        "\\begin{tabular}{rr}\nwhat & $\\|w_{k}\\|^2$ \\\\ \\hline\na|b & 1 \\\\\n\\end{tabular}\n\na\\_1 \\{\\} `b`\n"
    )


def test_html():
    length = '<span class="formula">||w_k||^2</span>'
    assert written(BLOCKS, "html") == (
        '<p>Since <span class="formula">||w_k||^2 &lt;= 9</span> for all '
        '<span class="formula">z_i</span>, 50 % of it.</p>\n\n'
        '<div class="formulas">\n<div><span class="formula">w.z_i &gt; 0</span></div>\n</div>\n\n'
        f'<table>\n<thead><tr><th scope="col">what</th><th scope="col">{length}</th></tr></thead>\n'
        "<tbody>\n<tr><td>a|b</td><td>1</td></tr>\n</tbody>\n</table>\n\n<p>a_1 {} `b`</p>\n"
    )


def test_html_has_no_markup_but_its_own():
    hostile = "<script>alert('1')</script> & \"x\" \x1b \u202e"
    grid = Grid([hostile], [[hostile]])
    page = written([hostile, said("{}", feature(hostile)), Formulas([feature(hostile)]), grid], "html")
    assert set(re.findall("<[^>]*>", page)) == {
        *("<p>", "</p>", '<span class="formula">', "</span>", '<div class="formulas">', "<div>", "</div>", "<table>"),
        *("<thead>", "<tr>", "</tr>", '<th scope="col">', "</th>", "</thead>", "<tbody>", "<td>", "</td>", "</tbody>"),
        "</table>",
    }
    assert page.count(r"&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt; &amp; &quot;x&quot; \x1b \u202e") == 5


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match=r"format='rtf' is not known. Choose one of: 'text', 'markdown', 'latex', 'html'."):
        written(["a"], "rtf")
    with pytest.raises(ValueError, match="longer"):
        said("{} and {}", LENGTH)


def test_linear_combinations():
    terms = [(Fraction(-1, 2), feature("a b")), (Fraction(0), feature("c")), (Fraction(1), feature("d")), (Fraction(-3), "")]
    found = linear_combination(terms, 8)
    assert found.text == "-0.5*[a b] + d - 3"
    assert found.latex == r"-0.5\cdot \text{a b} + \text{d} - 3"
    assert linear_combination(terms, 1).text == "-0.5*[a b] + …"
    assert linear_combination([], 8).text == "0"
    assert number(3**200).latex == r"2.65614\cdot 10^{95}"
