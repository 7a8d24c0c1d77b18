"""Names from files and from users, as a person may see them.

A column, a class or a file may be called anything: what steers a terminal, turns the direction of writing, begins a line of
its own or is not seen at all is escaped here as Python escapes it, so that a name is text on one line wherever it is shown,
and different names are shown differently. Letters of all scripts and emoji stay what they are.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable
from html import escape

_UNSEEN = frozenset(
    map(
        chr,
        [
            0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
            *range(0xE0100, 0xE01F0),
        ],
    )
)  # fmt: skip
"""Characters that count as printable, but show nothing: joiners, fillers and selectors of variants."""

_MAX_QUOTED_CHARACTERS = 100
"""Characters of a text that are quoted in full."""

_LOOKS_ESCAPED = re.compile(r"\\[\\nrtxuU]")


def shown(name: object) -> str:
    r"""Return a name as a person may see it, on one line; different names never look the same.

    Backslashes are doubled where the name could be taken for one that is escaped. A name that nobody would see the ends
    of, as it is empty or has blanks there, stands between quotes, and so does one that could be taken for such a name.

    >>> print(shown("größe [µm] 漢 🙂"), shown("a\x1b[2J\nb"), shown("C:\\data"), shown("C:\\new"))
    größe [µm] 漢 🙂 a\x1b[2J\nb C:\data C:\\new
    >>> print(shown(" >50K"), shown("in between"), shown(""), shown("'s-Gravenhage"))
    ' >50K' in between '' "'s-Gravenhage"
    """
    text = str(name)
    if not text or " " in (text[0], text[-1]) or text[0] in "'\"":
        return quoted(text)
    tame = tamed(text)
    return tame if tame == text and not _LOOKS_ESCAPED.search(text) else tamed(text.replace("\\", "\\\\"))


def quoted(name: str) -> str:
    r"""Return a name between quotes, as Python writes it.

    >>> print(quoted("no"), quoted("it's"), quoted("a\tb"))
    'no' "it's" 'a\tb'
    """
    quote = '"' if "'" in name and '"' not in name else "'"
    inside = tamed(name.replace("\\", "\\\\"))
    return quote + inside.replace(quote, f"\\{quote}") + quote


def brief(text: str) -> str:
    """Quote a text from a table; of a long one, the beginning and the end.

    >>> brief("no"), len(brief("no" * 10**6))
    ("'no'", 103)
    """
    half = _MAX_QUOTED_CHARACTERS // 2
    return quoted(text if len(text) <= _MAX_QUOTED_CHARACTERS else f"{text[:half]}…{text[-half:]}")


def tamed(text: str) -> str:
    """Escape what a person cannot see in a text of one line, names and all, and leave backslashes as they are.

    What is tame stays the same, so that a text in which names are escaped already can be given.
    """
    if text.isprintable() and _UNSEEN.isdisjoint(text):
        return text
    pieces, before = [], ""
    for each, after in zip(text, [*text[1:], ""], strict=True):
        visible = _visible(before, each, after)
        pieces.append(each if visible else each.encode("unicode_escape").decode("ascii"))
        before = each if visible else ""
    return "".join(pieces)


def _visible(before: str, each: str, after: str) -> bool:
    """Whether a character is seen, between one that is and the next."""
    if each == "\ufe0f":  # what makes an emoji of a sign
        return _is_picture(before)
    if each == "\u200d":  # what makes one emoji of two
        return (before == "\ufe0f" or _is_picture(before)) and _is_picture(after)
    return each.isprintable() and each not in _UNSEEN


def _is_picture(character: str) -> bool:
    return character > "\x7f" and unicodedata.category(character) in ("So", "Sk") and character not in _UNSEEN


def command(words: Iterable[str]) -> str:
    r"""Write a command that a shell reads as these words.

    >>> print(command(["separatrix", "fit", "my data.csv", "--label", "a\nb"]))
    separatrix fit 'my data.csv' --label $'a\x0ab'
    """
    return " ".join(shlex.quote(word) if tamed(word) == word else f"$'{''.join(map(_in_shell, word))}'" for word in words)


def _in_shell(character: str) -> str:
    code = ord(character)
    if character in "\\'":
        return f"\\{character}"
    if tamed(character) == character:
        return character
    if code < 0x80 or 0xDC80 <= code < 0xDD00:  # the latter: a byte of a file's name that is no text
        return f"\\x{code & 0xFF:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def markdown(text: str) -> str:
    r"""Return a text so that Markdown shows it as it is.

    >>> print(markdown("<b>a_1|b</b> $x$"), markdown("1. [see](http://a.b)"))
    &lt;b>a\_1\|b&lt;/b> \$x\$ 1\. \[see\](http\://a.b)
    """
    text = re.sub(r"[\\`*_\[\]{}|~$#]|:(?=//)|(?<=www)\.", r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;"))
    return re.sub(r"^(\s*)([-+>=]|[0-9]+(?=[.)]))", lambda begun: f"{begun[1]}{_kept(begun[2])}", text)


def _kept(beginning: str) -> str:
    """Keep a text from being taken for a quotation or a list because of what it begins with."""
    return f"{beginning}\\" if beginning.isdigit() else f"\\{beginning}"


def html(text: str) -> str:
    """Return a text so that HTML shows it as it is, between tags and in attributes.

    >>> print(html("<b> & 'c'"))
    &lt;b&gt; &amp; &#x27;c&#x27;
    """
    return escape(text, quote=True)


def latex(text: str) -> str:
    r"""Return a text so that LaTeX shows it as it is.

    >>> print(latex("50 % of a_1"))
    50 \% of a\_1
    """
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", **{each: f"\\{each}" for each in "&%$#_{}"}}
    return "".join(special.get(each, each) for each in text).replace("≈", r"$\approx$").replace("…", r"\dots{}")
