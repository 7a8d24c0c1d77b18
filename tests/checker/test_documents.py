"""The checker on documents that are none, on hostile ones, and on rows that are not of the form that it takes."""

import hashlib
import json
import re
import time

import pytest
from certificates import CLAIMS, DATA, ERRORS, EXAMPLES, LEAST, document_of

from separatrix import checker
from separatrix.checker import DataError, InvalidCertificate, check, digest, main, parse

# ---- Documents that are none


TEXTS = {
    "": "not JSON",
    "{": "not JSON",
    "nonsense": "not JSON",
    "\x00": "not JSON",
    "{'format': 1}": "not JSON",
    '{"format": "separatrix-certificate/1",}': "not JSON",
    '{"a": "\n"}': "not JSON",
    '{"a": 01}': "not JSON",
    "[]": "must be an object",
    "null": "must be an object",
    "7": "must be an object",
    '"separatrix-certificate/1"': "must be an object",
    "{}": "The format is None",
    "NaN": "the number 'NaN'",
    '{"a": -Infinity}': "the number '-Infinity'",
    '{"rows": 1.0}': "the number '1.0'",
    '{"rows": 1e2}': "the number '1e2'",
    '{"rows": ' + "9" * 21 + "}": "of at most 20 digits",
    '{"rows": ' + "9" * 5_000 + "}": "of at most 20 digits",
    '{"a": 1, "a": 1}': "has 'a' twice",
    '{"a": {"b": 1, "c": 2, "b": 1}}': "has 'b' twice",
    '{"a": 1, "\\u0061": 2}': "has 'a' twice",
    "[" * 10**6: "nested too deeply",
    '{"a":' * 10**5: "nested too deeply",
    "[" * 500 + "]" * 500: "must be an object",
    '{"format": ' + "[" * 500 + "]" * 500 + "}": "The format is [[[",
}


@pytest.mark.parametrize("text", TEXTS, ids=[text[:20] for text in TEXTS])
@pytest.mark.parametrize("encode", [str, lambda text: text.encode()], ids=["text", "bytes"])
def test_what_is_no_certificate_is_refused(text, encode):
    with pytest.raises(InvalidCertificate) as caught:
        parse(encode(text))
    assert TEXTS[text] in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("claim", CLAIMS)
def test_encodings(claim):
    text = EXAMPLES[claim][1]
    assert parse(text) == parse(text.encode())
    assert "not JSON: Unexpected UTF-8 BOM" in refused(b"\xef\xbb\xbf" + text.encode())
    assert "not UTF-8: byte 0 is wrong" in refused(text.encode("utf-16"))
    assert "not UTF-8" in refused(text.encode().replace(b"separatrix", b"s\xe9paratrix"))


def refused(text):
    with pytest.raises(InvalidCertificate) as caught:
        parse(text)
    return str(caught.value)


@pytest.mark.parametrize("claim", CLAIMS)
def test_truncated_documents_are_refused(claim):
    text = EXAMPLES[claim][1].strip()
    for length in range(len(text)):
        assert "not JSON" in refused(text[:length])


def test_doubled_keys_are_refused_wherever_they_are():
    text = EXAMPLES["quasi-separable"][1]
    for key in set(re.findall(r'"(\w+)":', text)):
        assert f"has '{key}' twice" in refused(re.sub(f'"{key}":', f'"{key}": 0, "{key}":', text, count=1))


def test_large_documents_are_refused(monkeypatch, tmp_path, capsys):
    text = EXAMPLES["separable"][1].encode()
    monkeypatch.setattr(checker, "MOST_BYTES", len(text))
    assert parse(text)
    assert f"longer than {len(text)} bytes" in refused(text + b" ")
    (tmp_path / "proof.json").write_bytes(text + b" " * 1000)
    assert main([str(tmp_path / "proof.json"), str(tmp_path / "data.csv"), "--label", "both"]) == 1
    assert "longer than" in capsys.readouterr().out


def test_hostile_documents_take_no_time():
    """Each would take minutes or for ever if something in its way were quadratic."""
    many = 200_000
    separable, obstructed = document_of("separable"), document_of("not-separable")
    obstructed["problem"] |= {"rows": 2**62, "columns": None}
    coprime = [f"1/{2**64 + 2 * k + 1}" for k in range(50_000)]
    leaf = {"obstructions": [0], "weights": ["1"]}
    wide = {"dimension": many, "columns": [{"source": str(k // 2)} for k in range(many)]}
    same = obstructed["obstruction"] | {"rows": [*(k << 40 for k in range(many)), 0]}
    hostile = [
        json.dumps(separable | {"separator": {"weights": ["9" * 10**7] * 2, "intercept": "1"}}),
        json.dumps(separable | {"separator": {"weights": ["0" * 10**7 + "1"] * 2, "intercept": "1"}}),
        json.dumps(document_of(LEAST) | {"margin": {"kind": "lifted", "squared": "1/" + "9" * 10**7}}),
        json.dumps(separable | {"problem": separable["problem"] | wide}),
        json.dumps(obstructed | {"obstruction": same}),
        '{"a": ' + "9" * 10**7 + "}",
        "{" + ",".join(f'"{k}": 0' for k in range(many)) + ', "0": 0}',
        json.dumps(hostile_packing(["1"], [{"obstructions": list(range(50_000)), "weights": coprime}], 50_000)),
        json.dumps(hostile_packing(coprime, [{"obstructions": [], "weights": []}])),
        json.dumps(hostile_packing(["1"] * 20_000, [*[{"row": 0}] * 9_999, *[leaf] * 10_000])),
    ]
    start = time.process_time()
    said = [refused(text) for text in hostile]
    assert time.process_time() - start < 20
    parts = ["50,000", "50,000", "50,000", "'0' twice", "has 0 twice", "20 digits", "'0' twice"]
    parts += ["nodes[0].weights must have a common", "errors.costs must have a common", "hold more than 100,000,000 rows"]
    for message, part in zip(said, parts, strict=True):
        assert part in message


def hostile_packing(costs, nodes, obstructions=1):
    """A document with an obstruction of as many rows as there are costs, and more of one row."""
    document = document_of(ERRORS)
    many = {"rows": list(range(len(costs))), "multipliers": ["1"] * len(costs)}
    document["problem"]["rows"] = len(costs)
    document["errors"]["costs"] = costs
    document["packing"] = {"obstructions": [many, *[{"rows": [0], "multipliers": ["1"]}] * obstructions], "nodes": nodes}
    return document


# ---- The digest, and the rows given


def test_the_digest_by_hand():
    half, minus_two = bytes.fromhex("000000000000e03f"), bytes.fromhex("00000000000000c0")
    expected = b"\x01" + b"\x00\x00\x00\x00" + half + b"\xff\xff\xff\xff"  # 1, (0.5, 0)
    expected += b"\xff" + b"\x00\x01\x00\x00" + minus_two + b"\xff\xff\xff\xff"  # -1, -2 in column 256
    expected += b"\xff" + b"\xff\xff\xff\xff"  # -1, all zeros
    assert digest([(1, [(0, 0.5)]), (-1, [(256, -2.0)]), (-1, [])]) == "sha256:" + hashlib.sha256(expected).hexdigest()


def test_rows_out_of_place():
    certificate = parse(EXAMPLES["separable"][1])
    rows = DATA["separable"]
    for row in [(1, [(0, 1.0), (2, 1.0)]), (1, [(10**6, 1.0)])]:
        with pytest.raises(InvalidCertificate, match="about 2 columns, but row 3 has an entry in column"):
            check(certificate, [*rows[:3], row])
    for entries in [
        [(1, 1.0), (0, 1.0)],
        [(0, 1.0), (0, 1.0)],
        [(0, 0.0)],
        [(0, -0.0)],
        [(0, float("nan"))],
        [(0, 1)],
        [(-1, 1.0)],
    ]:
        with pytest.raises(DataError, match="entries of row 3"):
            check(certificate, [*rows[:3], (1, entries)])
    for label in (0, 2, True, 1.0, "1"):
        with pytest.raises(DataError, match="label of row 3"):
            check(certificate, [*rows[:3], (label, rows[3][1])])
    with pytest.raises(InvalidCertificate, match="about 4 rows, but the data has 3"):
        check(certificate, rows[:3])
    with pytest.raises(InvalidCertificate, match="digests differ"):
        check(certificate, rows[::-1])
    with pytest.raises(InvalidCertificate, match="digests differ"):
        check(certificate, [*rows[:3], (-1, rows[3][1])])
