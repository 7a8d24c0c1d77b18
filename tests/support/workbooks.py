"""Files of Excel's, as bytes, written by hand: the parts of the format that matter to whoever reads a table."""

import datetime
import io
import zipfile
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
PERCENT, DATE = 1, 2  # places among the styles


class Percent(float):
    """A number that is shown as a percentage."""


def workbook(sheets, extra=None, compression=zipfile.ZIP_DEFLATED):
    """Return a workbook of sheets, each by its name: rows of cells, or the XML of a sheet."""
    names = list(sheets)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(names, 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(
            [*(("worksheet", f"worksheets/sheet{k + 1}.xml") for k in range(len(names))), ("styles", "styles.xml")]
        ),
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="9"/>'
        '<xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for k, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{k}.xml"] = rows if isinstance(rows, str) else sheet(rows)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, text in {**parts, **(extra or {})}.items():
            archive.writestr(name, text)
    return file.getvalue()


def sheet(rows, begin=""):
    """Return the XML of a sheet; None is an empty cell."""
    lines = []
    for i, row in enumerate(rows, 1):
        cells = [_cell(f"{_letters(j)}{i}", value) for j, value in enumerate(row) if value is not None]
        lines.append(f'<row r="{i}">{"".join(cells)}</row>')
    return f'{begin}<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _relations(targets):
    each = [f'<Relationship Id="rId{k}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
            for k, (kind, target) in enumerate(targets, 1)]  # fmt: skip
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(each)}</Relationships>'


def _letters(j):
    return chr(ord("A") + j) if j < 26 else _letters(j // 26 - 1) + chr(ord("A") + j % 26)


def _cell(place, value):
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, Percent):
        return f'<c r="{place}" s="{PERCENT}"><v>{float(value)!r}</v></c>'
    if isinstance(value, datetime.date):
        days = (value - datetime.date(1899, 12, 30)).days
        return f'<c r="{place}" s="{DATE}"><v>{days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
