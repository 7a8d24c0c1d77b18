"""Tables that reports are made of: separable, quasi-separable and overlapping ones, mixed columns, and hostile names."""

import csv
import io
import random

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    '=HYPERLINK("http://evil.example/","x")',
    "\u202egnp.exe",
    "عمود \u2067x\u2069",
    "$x^2$ & \\frac{1}{2} ]]> <!--",
    "javascript:alert(4)",
    "{{ 7*7 }} ${alert(5)} `",
)
LABELS = ("<b onmouseover=alert(6)>no</b>", "=cmd|' /C calc'!A0")
QUASI = "dose,age,dead\n1,30,no\n2,40,no\n2,55,no\n3,35,no\n3,60,yes\n4,45,no\n4,45,yes\n5,50,yes\n6,70,yes\n7,65,yes\n"


def text_of(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def hostile():
    """Names, classes and words that would do harm in a page, a spreadsheet or a formula."""
    rng = random.Random(1)
    rows = [[*HOSTILE, "word", "<i>class</i>"]]
    for i in range(24):
        numbers = [rng.randint(0, 9) + (5 if i % 2 and j < 3 else 0) for j in range(len(HOSTILE))]
        rows.append([*numbers, rng.choice(HOSTILE[:6]), LABELS[i % 2]])
    return text_of(rows)


def wide(columns):
    """Few rows, and columns without end, with the same names and a number each."""
    rng = random.Random(2)
    rows = [[*(f"{HOSTILE[j % len(HOSTILE)]}{j}" for j in range(columns)), "<i>class</i>"]]
    return text_of(rows + [[*rng.choices("0012", k=columns), LABELS[i % 2]] for i in range(4)])


def mixed():
    """Columns of numbers and of words, with gaps, in which the classes overlap; without a header."""
    rng = random.Random(3)
    rows = []
    for i in range(60):
        good = i % 2 == 0
        number = round(rng.gauss(2.0 if good else -2.0, 1.0), 2)
        row = [rng.choice("ab"), number, rng.randint(0, 3), rng.choice(("u", "y", "l")), "+" if good else "-"]
        if i in (7, 20):
            row[i % 3] = "?"
        if i in (4, 9):
            row[1] = -number
        rows.append(row)
    return text_of(rows)
