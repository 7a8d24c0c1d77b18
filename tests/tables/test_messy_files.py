"""Tables as people have them: ten files, each messy in its way, go from `describe` to predictions and a report.

All hold the same table. So whatever way it is written, the same rows must come out of it, the same errors, and a proof that
the stand-alone checker accepts. At most one hint is followed: the options that a message names, as it names them.
"""

import csv
import datetime
import io
import json
import re
import shlex
import zipfile
from fractions import Fraction

import pytest
from commands import separatrix, succeeded
from workbooks import Percent, workbook

import separatrix as sx
from separatrix import checker

N = 24
SIZES = [Fraction(15 + 7 * k % 40, 10) for k in range(N)]
SUMS = [Fraction(123456 + 98765 * k % 700_001, 100) for k in range(N)]
RATES = [Fraction(5 + 11 * k % 60, 1000) for k in range(N)]
JOBS = [("cook", "clerk", "judge")[k % 3] for k in range(N)]
LABELS = ["yes" if SIZES[k] * 300 + SUMS[k] > 4000 else "no" for k in range(N)]
NAMES = ["size", "sum", "rate", "job", "paid"]


def decimals(number, mark=".", thousands="", places=2):
    """Write a number with marks."""
    units = int(number * 10**places)
    whole = f"{units // 10**places:,}".replace(",", thousands)
    return f"{whole}{mark}{units % 10**places:0{places}}"


def rows(mark=".", thousands="", rate=lambda text: text):
    return [
        [decimals(SIZES[k], mark), decimals(SUMS[k], mark, thousands), rate(decimals(RATES[k], mark, places=3)), JOBS[k],
         LABELS[k]]
        for k in range(N)
    ]  # fmt: skip


def table(records, separator=",", names=NAMES):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows([names, *records])
    return text.getvalue()


def percent(mark):
    return lambda text: f"{decimals(100 * Fraction(text.replace(mark, '.')), mark, places=1)} %"


def zipped(text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../folder/data.csv", text)
        archive.writestr("__MACOSX/._data.csv", b"\0\1")
    return file.getvalue()


def sheet(above=()):
    cells = [
        [float(SIZES[k]), float(SUMS[k]), Percent(RATES[k]), JOBS[k], LABELS[k]] for k in range(N)
    ]  # fmt: skip
    return [*above, NAMES, *cells]


def with_column(cells):
    return [[cell, *row] for cell, row in zip(cells, rows(), strict=True)]


SPELLINGS = {"yes": ["yes", "Yes ", "YES"], "no": ["no", "No", " no"]}

DAYS = [(datetime.date(2024, 1, 1) + datetime.timedelta(days=3 * k)).strftime("%d.%m.%Y") for k in range(N)]

GERMAN = [[*row[:3], "köchin", row[4]] if k == 5 else row for k, row in enumerate(rows(",", "."))]
TITLED = sheet([["Customers of May"], [], ["made on", datetime.date(2024, 5, 31)], []])

MESSY = {
    "german.csv": table(GERMAN, ";").encode("cp1252"),
    "title.xlsx": workbook({"May": TITLED, "notes": []}),
    "packed.zip": zipped(table(rows())),
    "wide.txt": table(rows(","), "\t").encode("utf-16"),
    "percent.csv": table(rows(",", "", percent(",")), ";").encode(),
    "dates.csv": table(with_column(DAYS), names=["day", *NAMES]).encode(),
    "ids.csv": table(with_column([f"{k:05}" for k in range(N)]), names=["id", *NAMES]).encode(),
    "commas.csv": ("sep=;\r\n" + table(rows(","), ";")).encode("utf-8-sig"),
    "thousands.csv": table(rows(".", ",")).encode(),
    "case.csv": table([[*row[:-1], SPELLINGS[row[-1]][k % 3]] for k, row in enumerate(rows())]).encode(),
    "lines.jsonl": "".join(
        json.dumps(dict(zip(NAMES, [*map(float, (SIZES[k], SUMS[k], RATES[k])), JOBS[k], LABELS[k]], strict=True))) + "\n"
        for k in range(N)
    ).encode(),
}  # fmt: skip

HINTS = {"german.csv": ["--encoding", "cp1252"], "case.csv": ["--ignore-case"]}
"""What a message must propose, where one is needed."""

ADVICE = {"dates.csv": ["--drop", "day"], "ids.csv": ["--drop", "id"]}
"""What a note must propose, where the table can be used without."""

SAID = {
    "german.csv": ["separated by semicolons", "decimal commas and points between thousands"],
    "title.xlsx": ["the sheet 'May'", "begin in row 5 of the sheet, below 'Customers of May', 'made on', '2024-05-31'"],
    "wide.txt": ["separated by tabs", "decimal commas"],
    "percent.csv": ["12 % is read as 0.12, in 'rate'"],
    "dates.csv": ["'day' holds dates, such as '01.01.2024'"],
    "ids.csv": ["'id' has whole numbers that begin with 0, such as 00000", "'id' numbers the rows"],
    "commas.csv": ["by its first line", "decimal commas"],
    "thousands.csv": ["commas between thousands"],
    "case.csv": [],
}


def proposed(message, options):
    """Return the options, as a message names them: they must be there verbatim."""
    text = " ".join(options)
    assert any(text in each for each in (message, message.replace("'", ""))), message
    return options


@pytest.mark.parametrize("name", MESSY)
def test_the_whole_way(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(MESSY[name])
    found, options = ["--label", "paid"], []
    described = separatrix("describe", name, *found)
    decided = separatrix("decide", name, *found)
    if name in HINTS:
        assert decided.returncode == 2
        options = proposed(decided.stderr, HINTS[name])
        described = separatrix("describe", name, *found, *options)
    else:
        assert decided.returncode == 0, decided.stderr
    assert described.returncode == 0, described.stderr
    told = " ".join(described.stdout.split("column ")[0].split())
    for each in SAID.get(name, []):
        assert each in " ".join(described.stdout.split())
        assert each.split(" such ")[0] in told or name in ("dates.csv", "ids.csv")
    if name in ADVICE:
        options = proposed(described.stdout, ADVICE[name])
    result = json.loads(succeeded("decide", name, *found, *options, "--certificate", "proof.json", "--json"))
    assert result["rows"] == N

    assert checker.main(["proof.json", *result["certificate_data"]]) == 0
    succeeded("verify", "proof.json", *result["certificate_data"])
    readable = name.endswith((".csv", ".txt")) and name not in ("percent.csv", "case.csv")
    assert result["certificate_data"] == ([name] if readable else ["proof.csv"])
    assert ("proof.csv" in json.dumps(json.loads((tmp_path / "proof.json").read_text()).get("source"))) != readable

    data = sx.read_data(name, "paid", **python_options(options))
    plain = tmp_path / "plain.csv"
    plain.write_text(table(rows()))
    expected = sx.read_data(plain, "paid", numbers="float64" if name == "title.xlsx" else "auto")
    if name == "german.csv":
        assert data.names[-1] == "job=köchin"
    else:
        assert data.names == expected.names
        assert (data.X == expected.X).all()
        assert data.rows.reading == expected.rows.reading
    assert data.y.tolist() == LABELS

    succeeded("fit", name, *found, *options, "--algorithm", "least-squares", "--model", "model.json")
    again = [each for each in options if each not in ("--drop", "day", "id")] if name == "case.csv" else []
    scored = json.loads(succeeded("score", "model.json", name, *again, "--json"))
    predicted = list(csv.reader(io.StringIO(succeeded("predict", "model.json", name))))
    assert len(predicted) == N + 1
    wrong = sum(line[0] != label for line, label in zip(predicted[1:], LABELS, strict=True))
    assert wrong == scored["errors"]

    quick = () if name == "title.xlsx" else ("--seconds", "0.01", "--max-iter", "5", "--without-rows")
    succeeded("report", name, *found, *options, "--output", "report.html", "--cv", "0", *quick)
    assert (tmp_path / "report.html").stat().st_size > 10_000


def python_options(options):
    """Return options of the command line as parameters."""
    if not options:
        return {}
    name = options[0].removeprefix("--").replace("-", "_")
    return {name: [options[1]] if name == "drop" else options[1] if len(options) > 1 else True}


def test_there_are_ten():
    assert len(MESSY) >= 10
    assert all(re.fullmatch(r"[a-z]+\.[a-z]+", name) for name in MESSY)
    assert shlex.split(" ".join(HINTS["case.csv"])) == HINTS["case.csv"]
