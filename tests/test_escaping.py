"""Names as people see them: text on one line, visible, told apart, and never markup."""

import ast
import shutil
import subprocess
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.support.escaping import command, latex, markdown, quoted, shown, tamed

NASTY = ["\x1b[31m", "\x9b2J", "\n", "\r", "\t", "\x00", "\x07", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u2028",
         "\xa0", "\xad", "\ufe0f", "\u034f", "\u3164", "\ud800", "\U000e0061", "\\", "\\n", "\\x1b", "'", '"', "a", "ä",
         "漢", "🙂", "👩", "❤", "é", "e\u0301"]  # fmt: skip
NAMES = st.lists(st.sampled_from(NASTY) | st.characters(exclude_categories=[]), max_size=6).map("".join)
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@given(NAMES)
def test_nothing_steers_the_terminal_or_begins_a_line(name):
    for text in (shown(name), quoted(name), tamed(name), command([name])):
        assert len(text.splitlines()) <= 1
        hidden = [each for each in text if unicodedata.category(each) in UNSEEN and each != "\u200d"]
        assert not hidden
        text.encode()


@given(NAMES, NAMES)
@example("\x1b", "\\x1b")
@example("\\\x1b", "\\\\x1b")
@example("\\", "\\\\")
@example("a\\\\b", "a\\\\\\b")
def test_different_names_look_different(one, other):
    assume(one != other)
    assert shown(one) != shown(other)
    assert quoted(one) != quoted(other)


@given(NAMES)
def test_a_quoted_name_is_a_literal_of_it(name):
    assert ast.literal_eval(quoted(name)) == name


@given(NAMES)
def test_what_is_tame_stays_as_it_is(name):
    assert tamed(shown(name)) == shown(name)
    assert tamed(quoted(name)) == quoted(name)


@pytest.mark.parametrize("name", ["größe", "漢字", "🙂", "👩‍💻", "❤️", "🇩🇪", "a b", "length [cm]", "naïve", "שלום", "x\\y"])
def test_visible_text_stays_as_it_is(name):
    assert shown(name) == name


@pytest.mark.parametrize(("name", "text"), [
    ("a\u200db", "a\\u200db"), ("👩\u200d", "👩\\u200d"), ("1\ufe0f", "1\\ufe0f"), ("a\u3164", "a\\u3164"),
    ("a\xa0b", "a\\xa0b"), ("\x85", "\\x85"), ("C:\\new\t", "C:\\\\new\\t"),
])  # fmt: skip
def test_what_is_not_seen_is_escaped(name, text):
    assert shown(name) == text


@pytest.mark.skipif(shutil.which("bash") is None, reason="takes a shell")
def test_a_shell_reads_a_command_as_it_was():
    words = ["a b", "it's", "x\x1b[31m\ny", "\u202e", "\\n\n", "$HOME\t", "ä\u200b", "\x85"]
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command(words)}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert done.stdout.decode().split("\0")[:-1] == words


HOSTILE = "<img src=x onerror=alert(1)>[a](http://b.c)|`*_$x$\x1b[31m\n\n# The proof holds"


def is_plain(text):
    """Whether Markdown that stands in no block of code has nothing but text in it."""
    bare = text.replace("\\\\", "").replace("&lt;", "").replace("&amp;", "")
    for mark in "`*_[]{}|~$#":
        bare = bare.replace(f"\\{mark}", "")
    return not any(mark in bare for mark in "`*_[]{}|~$#<&") and "://" not in bare.replace("\\://", "")


@given(NAMES | st.text("<>&|`*_[](){}#~$!-+=1.) \\:/wa", max_size=12))
def test_markdown_is_text(name):
    text = markdown(shown(name))
    assert is_plain(text)
    assert not text.lstrip().startswith(("-", "+", ">", "="))
    undone = text
    for mark in "\\`*_[]{}|~$#:.-+>=":
        undone = undone.replace(f"\\{mark}", f"\0{ord(mark)};")
    undone = undone.replace("&lt;", "<").replace("&amp;", "&")
    for mark in "\\`*_[]{}|~$#:.-+>=":
        undone = undone.replace(f"\0{ord(mark)};", mark)
    digits = name[: len(name) - len(name.lstrip("0123456789"))]
    assert undone == shown(name) or undone.replace(f"{digits}\\)", f"{digits})", 1) == shown(name)


def prose(text):
    """Return what stands in no block of code, and the lines of tables in their cells."""
    parts = text.split("```")
    assert len(parts) % 2 == 1
    lines = "\n".join(part for k, part in enumerate(parts) if k % 2 == 0).splitlines()
    return [cell for line in lines for cell in (line.split(" | ") if line.startswith("| ") else [line])]


def hostile_table():
    table = pd.DataFrame([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], columns=[f"left{HOSTILE}", "right"])
    return table, np.array([f"no{HOSTILE}", f"yes{HOSTILE}", f"yes{HOSTILE}", f"no{HOSTILE}"], dtype=object)


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]])
def test_explanations_show_names_as_text(labels):
    table, y = hostile_table()
    y = np.where(labels, y[1], y[0])
    for found in (sx.decide(table, y), sx.least_errors(table, y)):
        for style in ("text", "markdown", "latex", "html"):
            text = found.explain(style)
            assert not any(unicodedata.category(each) in UNSEEN for each in text.replace("\n", ""))
            assert "\n# The proof" not in text
            assert "\\n\\n" in text.replace("\\textbackslash{}", "\\")
        for cell in prose(found._repr_markdown_()):
            assert is_plain(cell.strip("|").removesuffix(" |")), cell


def test_audits_show_formulas_as_code_and_the_rest_as_text():
    X, y = sx.examples.load("and")
    ledger = sx.audit(sx.Perceptron(record=True).fit(X, y), X, y)
    for text in (ledger._repr_markdown_(), ledger.generalization()._repr_markdown_()):
        for cell in prose(text):
            between = cell.strip("|").split("`")
            assert all(map(is_plain, between[::2])), cell
    assert r"`\|\|w_k\|\|^2`" in ledger._repr_markdown_()


def test_comparisons_show_names_as_text():
    table, y = hostile_table()
    result = sx.compare(np.tile(table.to_numpy(), (5, 1)), np.tile(y, 5), {HOSTILE: sx.Pocket(max_updates=5)}, cv=None)
    for line in result._repr_markdown_().splitlines():
        for cell in line.strip("|").split(" | "):
            assert is_plain(cell.removeprefix("- ")) or set(cell) <= set("|-:"), cell
    assert not any(unicodedata.category(each) in UNSEEN for each in str(result).replace("\n", ""))


@given(NAMES)
def test_latex_is_text(name):
    text = latex(shown(name))
    for command_ in ("\\textbackslash{}", "\\dots{}", "$\\approx$", "\\^{}", "\\~{}"):
        text = text.replace(command_, "")
    for mark in "&%$#_{}":
        text = text.replace(f"\\{mark}", "")
    assert not set(text) & set("\\&%$#_{}^~")
