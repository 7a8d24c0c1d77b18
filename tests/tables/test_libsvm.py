"""LIBSVM text is read as the slow reference reads it: every bit, every error and its line, with any number of threads."""

import os
import random
import struct
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from commands import PATIENCE
from hypothesis import given
from hypothesis import strategies as st
from paths import CHECKED_LOOPS, python_path
from reference import libsvm as reference

from separatrix.compiled import decimals
from separatrix.support import threads
from separatrix.tables.text.libsvm import LibsvmError, parse, rows

CORPUS = b"""\xef\xbb\xbf# a comment with 3:4 in it
1 1:0.5 2:1 7:1e-3
-1 qid:3 3:.25\t4:5.  11:-2E+2   # qid:3
\t
+1.5 0:0 9:123456789012345678901234567890 10:0.000000000000000000000000000012345
-0 qid:000 1:2.4703282292062327208e-324 2:1.7976931348623157e308 2147483646:9007199254740993\r
0
3 5:0.30000000000000004 6:9007199254740993.0000000000000000000000000000001 8:1e-400 12:00000000000000000000000000001\r
-2e0 00000000000000000000000003:0.1234567 4:0.12345678 5:0.123456789 6:12345678.12345678"""

OVERFLOW = 2**1024 - 2**970
"""The smallest number that is rounded to infinity. Its first 19 digits do not tell."""


def bits(numbers):
    return np.asarray(numbers, np.float64).tobytes()


def expected(text):
    """What the reference says, in the form of `outcome`."""
    try:
        table = reference(text)
    except ValueError as error:
        line, words = error.args
        return line, words
    pairs = [[pair for pair in entries if pair[1] != 0] for _, _, entries in table]
    seen = [index for _, _, entries in table for index, _ in entries]
    qids = [qid for _, qid, _ in table]
    return (
        bits([value for row in pairs for _, value in row]),
        [index for row in pairs for index, _ in row],
        [sum(map(len, pairs[:i])) for i in range(len(pairs) + 1)],
        bits([label for label, _, _ in table]),
        qids if max(qids) >= 0 else None,
        min(seen, default=None),
        max(seen, default=None),
    )


def outcome(text, words=None):
    """What the parser says: the parts of the result, or the line and, if it holds them, the words of the message."""
    try:
        found = parse(text, "some.txt")
    except LibsvmError as error:
        message = str(error)
        where = message.removeprefix("some.txt, line ").partition(":")[0]
        return int(where) if where.isdigit() else None, words if words and words in message else message
    assert found.indices.dtype == found.indptr.dtype == np.int32
    qids = None if found.qids is None else found.qids.tolist()
    parts = bits(found.data), found.indices.tolist(), found.indptr.tolist(), bits(found.labels)
    return *parts, qids, found.least, found.most


def check(text):
    """The parser agrees with the reference, in one thread and in three."""
    truth = expected(text)
    words = truth[1] if len(truth) == 2 else None
    assert outcome(text, words) == truth
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "NUMBERS_PER_THREAD", 1)
        patch.setattr(threads.config, "NUMBA_NUM_THREADS", 3)
        assert outcome(text, words) == truth
        assert outcome(text + b"\n", words) == truth


def mutated(text, rng):
    """Delete, insert, replace or repeat some bytes."""
    text = bytearray(text)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, length = rng.randrange(len(text) + 1), rng.choice([1, 1, 1, 2, 9])
        kind = rng.randrange(4)
        if kind == 0:
            del text[at : at + length]
        elif kind == 1:
            text[at:at] = rng.choice(
                [b":", b" ", b"\n", b"0", b"9", b"-", b"e", b".", b"#", b",", b"\0", b"qid:", b"\xff", b"inf"]
            )
        elif kind == 2:
            text[at : at + 1] = rng.choice([b"\t", b"\r", b"\n", b"5", b"+", b"E", rng.randbytes(1)])
        else:
            text[at:at] = text[at : at + 4 * length]
    return bytes(text)


def check_mutations(count, seed=0):
    rng = random.Random(seed)
    for _ in range(count):
        start = rng.randrange(len(CORPUS))
        check(mutated(CORPUS if rng.random() < 0.5 else CORPUS[start : start + rng.randrange(60)], rng))


def check_within_bounds(count):
    with pytest.raises(IndexError):  # so that it is known to be noticed: a text without its newline
        decimals.number(np.frombuffer(b"12", np.uint8), 0)
    check_mutations(count, seed=1)


def between(x, y):
    """The decimal number in the middle of two floats, in full."""
    with localcontext(prec=1200):
        middle = (Fraction(x) + Fraction(y)) / 2
        return str(Decimal(middle.numerator) / Decimal(middle.denominator))


def hard_numbers(count, rng):
    """Decimal numbers for which rounding is not plain."""
    for _ in range(count):
        x = abs(struct.unpack("<d", rng.randbytes(8))[0])
        if not x < 1e308:
            continue
        yield repr(x)
        yield f"-{x:.{rng.randrange(14, 24)}e}"
        for digits in (rng.randrange(1, 20), rng.randrange(19, 26)):
            yield f"{rng.randrange(10**digits)}e{rng.randrange(-345, 310)}"
        yield f"{rng.randrange(2**53, 2**64)}E{rng.randrange(-28, 25):+}"
        yield f"{rng.random():.{rng.randrange(1, 25)}f}"
    for power in range(-345, 310):
        for mantissa in ("1", "9.999999999999999999", "0.99999999999999999999999", "1.0000000000000001", "5", "2.5"):
            yield f"{mantissa}e{power}"
    small = 5e-324
    for x in [2.0**k for k in range(-1074, 1023, 7)] + [k * small for k in range(9)] + [2.0**-1022 - small, 2.0**-1022]:
        tie = between(x, float(np.nextafter(x, np.inf)))
        yield from (tie, tie + "0" * 30, tie.replace("E", "0000000000000000000000001E") if "." in tie else tie + ".0001")
    largest = sys.float_info.max
    yield from (
        between(largest, 2**1024),
        repr(largest),
        str(2**1024 - 2**970 - 1),
        str(2**1024 - 2**970),
        "1e309",
        "1" + "0" * 400,
    )
    yield from (
        "0" * 500 + "1." + "0" * 500,
        "." + "0" * 400 + "1e401",
        "0." + "0" * 400,
        "0e99999999999999999999",
        "1e-99999999999999999999",
    )


def check_decimals(digits, text, places):
    """See that the decimals of a number, and its numerator, are what fractions say."""
    mantissa, _, power = digits.lower().partition("e")
    exact = Fraction(digits) if len(power) < 6 else Fraction(mantissa) / 10**30  # such a one would take for ever
    whole = [k for k in range(23) if (exact * 10**k).denominator == 1]
    fits = bool(whole) and abs(exact * 10 ** whole[0]) <= 2**53
    assert (places < decimals.TOO_LONG) == fits, digits
    assert not fits or (exact * 10**places).denominator == 1, digits
    assert decimals.number_as(text, 0, decimals.TRIMMED)[2] == (whole[0] if fits else decimals.TOO_LONG), digits
    end, numerator, odd = decimals.number_as(text, 0, 5)
    five = exact * 10**5
    assert end == len(digits)
    assert (odd == 0) == (five.denominator == 1 and abs(five) <= 2**53), digits
    assert odd or numerator == five, digits


def test_numbers_are_rounded_as_float_does():
    left = count = 0
    for digits in hard_numbers(60_000, random.Random(0)):
        text = np.frombuffer(digits.encode() + b" \n", np.uint8)
        end, value, places = decimals.number(text, 0)
        assert end == len(digits)
        count += 1
        if count % 20 == 0:
            check_decimals(digits, text, places)
        if np.isnan(value):
            left += 1
            whole = sum(character.isdigit() for character in digits.lower().partition("e")[0].lstrip("0."))
            assert whole > 19, digits
        else:
            assert bits(value) == bits(float(digits)), digits
    assert count > 300_000
    assert left < count / 100


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(
    st.sampled_from(["0", "1", "-1", "0.5", "+.5", "5.", "-0.0", "1e300", "1e-300", "0.0423", "1E+2", "007.50", "1e-400"]),
    FLOATS.map(repr),
    st.builds("{:.{}e}".format, FLOATS, st.integers(0, 30)),
    st.builds("{:.{}f}".format, st.floats(-1e6, 1e6), st.integers(0, 30)),
    st.builds("{}e{}".format, st.integers(-(10**25), 10**25), st.integers(-350, 280)),
    st.builds("{}.{}".format, st.integers(0, 10**10), st.text("0123456789", max_size=30)),
    st.floats(0, 1e308).map(lambda x: between(x, float(np.nextafter(x, np.inf)))),
    st.floats(0, 1e-305).map(lambda x: between(x, float(np.nextafter(x, np.inf)))),
)
BLANKS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t "])


@st.composite
def lines(draw):
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.sampled_from(["", " ", "\t", "# 1 2:3", " # nothing: here", "#"]))
    parts = [draw(NUMBERS)]
    if draw(st.booleans()):
        parts.append(f"qid:{draw(st.integers(0, 10**18 - 1))}")
    largest = draw(st.sampled_from([9, 1000, 10**8, 2**31 - 2]))
    for index in sorted(draw(st.sets(st.integers(0, largest), max_size=6))):
        parts.append(f"{'0' * draw(st.sampled_from([0, 0, 0, 1, 25]))}{index}:{draw(NUMBERS)}")
    text = parts[0] + "".join(draw(BLANKS) + part for part in parts[1:])
    return draw(st.sampled_from(["", "", " "])) + text + draw(st.sampled_from(["", "", " ", "#", " # 1:2 \0"]))


@given(st.lists(st.tuples(lines(), st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r"])), max_size=8), st.booleans())
def test_valid_text(parts, ended):
    text = "".join(line + end for line, end in parts)
    check((text if ended else text.rstrip("\n")).encode())


@given(st.lists(lines(), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_mutations_of_valid_text(parts, rng):
    check(mutated("\n".join(parts).encode(), rng))


@given(st.one_of(st.binary(max_size=40), st.text("0123456789:.e-+ \n#", max_size=40).map(str.encode)))
def test_any_bytes(text):
    check(text)


def test_mutations_of_a_corpus():
    check(CORPUS)
    check_mutations(1500)


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "count"), [("NUMBA_BOUNDSCHECK", 2000), ("NUMBA_DISABLE_JIT", 300)])
def test_nothing_is_read_or_written_outside_of_arrays(setting, count):
    code = f"import numpy; numpy.seterr(over='ignore'); import test_libsvm; test_libsvm.check_within_bounds({count})"
    settings = {**os.environ, "PYTHONPATH": python_path(), setting: "1", "NUMBA_CACHE_DIR": str(CHECKED_LOOPS)}
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, env=settings, check=True, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "some.txt is empty"),
        (b"\n# nothing\n", "some.txt has only blank lines and comments"),
        (b"1 1:2\ncat 1:2", "line 2: the label 'cat' is not a number"),
        (b"1,2 1:2", "line 1: '1,2' are several labels"),
        (b"1:2 3:4", "line 1: there is no label before '1:2'"),
        (b"1 3 4:5", "line 1: '3' is not an index:value pair"),
        (b"1 x:5", "line 1: the index 'x' of 'x:5' is not a whole number"),
        (b"1 -3:5", "line 1: the index '-3' is negative"),
        (b"1 2147483647:5", "line 1: the index '2147483647' is too large: at most 2147483646"),
        (b"1 3:5 3:6", "line 1: the index 3 occurs twice"),
        (b"1 3:5 2:6", "line 1: the index 2 comes after 3"),
        (b"1 3:5e", "line 1: the value '5e' of index 3 is not a number"),
        (b"1 3:-Inf", "line 1: the value '-Inf' of index 3 is not finite"),
        (b"1 3:1e309", "line 1: the value '1e309' of index 3 is too large for float64"),
        (b"1 3:4 qid:1", "line 1: 'qid:1' is not in its place"),
        (b"1 qid:-1", "line 1: 'qid:-1' is not qid: and a whole number"),
        ("1 3:4".encode("utf-16-le"), "line 1: there is a NUL byte"),
        (b"1 1:%d.5 x" % OVERFLOW, "'… (311 characters) of index 1 is too large for float64"),
        (b"1 1:%d.5 x" % (OVERFLOW - 1), "line 1: 'x' is not an index:value pair"),
        (b"%d.5 x" % OVERFLOW, "line 1: the label '17976931348623158079372897140530341507"),
    ],
)
def test_errors_say_what_and_where(text, words):
    with pytest.raises(LibsvmError, match=r"^some\.txt") as caught:
        parse(text, "some.txt")
    assert words in str(caught.value)
    check(text)


def test_the_first_of_many_errors_is_reported_whatever_the_threads(monkeypatch):
    monkeypatch.setattr(threads, "NUMBERS_PER_THREAD", 1)
    text = b"1 1:2 3:4\n" * 1000 + b"1 3:4 2:1\n" + b"1 1:2\n" * 1000 + b"x\n" * 1000
    for count in (1, 2, 3, 7):
        monkeypatch.setattr(threads.config, "NUMBA_NUM_THREADS", count)
        with pytest.raises(LibsvmError, match="line 1001: the index 2 comes after 3"):
            parse(text, "some.txt")


def test_long_lines_and_long_numbers():
    entries = b" ".join(b"%d:%d" % (j, j % 10) for j in range(1, 200_000))
    check(b"1 " + entries + b"\n-1 " + entries)
    check(b"1 1:0." + b"1" * 10**6 + b" 2:" + b"0" * 10**6 + b"1 3:" + b"1" * 300 + b"." + b"0" * 10**6 + b"1")
    check(b"1 1:" + b"1" * 10**6 + b" #" + b"x" * 10**6)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda text: np.frombuffer(text, np.uint8).copy()])
def test_any_buffer(kind):
    assert parse(kind(b"1 1:2\n"), "some.txt").data.tolist() == [2.0]


def test_rows():
    text = b"1 1:2 3:4\n0\n-1 2:-0.5 5:0\n"
    X, base = rows(parse(text, "some.txt"))
    assert base == 1
    assert isinstance(X, sp.csr_array)
    assert X.has_canonical_format
    assert X.toarray().tolist() == [[2, 0, 4, 0, 0], [0] * 5, [0, -0.5, 0, 0, 0]]
    X, base = rows(parse(text, "some.txt"), base=0, columns=8)
    assert (base, X.shape, X.indices.tolist()) == (0, (3, 8), [1, 3, 2])
    X, base = rows(parse(b"1 0:1 4:1", "some.txt"))
    assert (base, X.shape) == (0, (1, 5))
    assert rows(parse(b"1\n2\n", "some.txt"))[0].shape == (2, 0)
    with pytest.raises(LibsvmError, match=r"some.txt has the index 5, but 4 columns, numbered from 1, were asked for"):
        rows(parse(text, "some.txt"), columns=4)
    with pytest.raises(LibsvmError, match=r"some.txt has the index 0, but indices were said to begin with 1"):
        rows(parse(b"1 0:1", "some.txt"), base=1)
    with pytest.raises(ValueError, match="base must be 0, 1 or None"):
        rows(parse(text, "some.txt"), base=2)
