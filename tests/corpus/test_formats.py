"""Documents as people have them: printed tables, office files, and what of them cannot be read."""

from __future__ import annotations

import json
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import surefoot

from . import documents

ROWS = [
    ["Article", "Order no.", "Price (EUR)", "Remarks"],
    ["Handrail of brushed stainless steel, with end caps on both sides and four brackets for walls of plaster",
     "HR 2040", "189.00", "In lengths of two metres"],
    ["Bracket", "BR 11", "7.50", ""],
    ["Delivery", "", "1,249.90", "Free of charge from an order value of 250 euros; below that at the price of the "
     "carrier, whichever is nearest to the place of delivery"],
]  # fmt: skip
PROSE = (
    "Luggage may be left in the lockers for up to 72 hours. After that time the staff open the locker and keep what is "
    "in it at the desk for lost property, where it can be collected against a fee of 12 euros. "
)
STYLES = {
    "ruled": "table{border-collapse:collapse}td{border:1px solid;padding:4px}",
    "lines": "table{border-collapse:collapse}td{border-bottom:1px solid;padding:4px}",
    "none": "td{padding:3px 9px;vertical-align:top}",
}


def added(folder: Path, code: int = 0) -> list[dict[str, Any]]:
    """The passages of what is in a folder."""
    done = surefoot("corpus", "add", folder, "--out", folder.parent / "corpus.jsonl")
    assert done.code == code, done.err
    return [json.loads(line) for line in (folder.parent / "corpus.jsonl").read_text("utf-8").splitlines()]


def rows_in(passages: list[dict[str, Any]]) -> list[list[str]]:
    lines = [line for row in passages for line in row["text"].split("\n")]
    return [line[2:-2].split(" | ") for line in lines if line.startswith("| ") and "---" not in line]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    return made


@pytest.mark.parametrize("style", STYLES)
def test_cells_of_a_printed_table_stay_whole(folder: Path, style: str) -> None:
    cells = "".join(
        "<tr>" + "".join(f"<td{' align=right' * (at == 2)}>{cell}" for at, cell in enumerate(row)) for row in ROWS
    )
    text = (
        f"<style>{STYLES[style]}h1{{width:6em}}</style><h1>Price list of handrails</h1><p>{PROSE}<table>{cells}</table>"
    )
    documents.pdf(folder / "prices.pdf", f"{text}<p>{PROSE}")
    passages = added(folder)
    assert rows_in(passages) == ROWS
    assert {row["doc"] for row in passages} == {"Price list of handrails"}


def test_columns_of_prose_are_no_table_and_running_heads_no_text(folder: Path) -> None:
    edges = "@page{@bottom-center{content:'Page ' counter(page) ' of ' counter(pages)}@top-left{content:'Alder Rail'}}"
    chapters = "".join(f"<h2>{n} Chapter</h2><div style='columns:2'>{f'<p>{PROSE * 3}' * 9}</div>" for n in range(1, 5))
    documents.pdf(folder / "book.pdf", f"<style>{edges}</style><h1>Handbook</h1>{chapters}")
    passages = added(folder)
    text = "\n".join(row["text"] for row in passages)
    assert text.count((PROSE * 3).strip()) == 36 and rows_in(passages) == []
    assert "Alder Rail" not in text and "Page" not in text and max(row["page"] for row in passages) > 2


def test_a_table_over_a_page_break_has_its_header_on_both(folder: Path) -> None:
    rows = [["Date", "Place", "Fine"], *([f"{n} May", f"Depot {n}", f"{n}.50"] for n in range(1, 90))]
    cells = "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows)
    documents.pdf(folder / "long.pdf", f"<h1>Register</h1><style>td{{padding:3px 9px}}</style><table>{cells}</table>")
    passages = added(folder)
    assert [row for row in rows_in(passages) if row != rows[0]] == rows[1:]
    assert {row["text"].split("\n")[1] for row in passages} == {"| Date | Place | Fine |"}
    assert {row["page"] for row in passages} >= {1, 2}


def office(path: Path, parts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, text)


def test_office_files(folder: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("striprtf")
    slide = "<p:sld xmlns:p='p' xmlns:a='a'>{}</p:sld>"
    title = "<p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sp>"
    cells = "".join(
        "<a:tr>" + "".join(f"<a:tc><a:p><a:t>{c}</a:t></a:p></a:tc>" for c in row) + "</a:tr>" for row in ROWS
    )
    office(folder / "a.pptx", {
        "ppt/slides/slide1.xml": slide.format(title.format("Prices shown")),
        "ppt/slides/slide2.xml": slide.format(title.format("Rails") + f"<a:tbl>{cells}</a:tbl>"),
    })  # fmt: skip
    cells = "".join("<t:table-row>" + "".join(f"<t:table-cell><t:p>{c}</t:p></t:table-cell>" for c in row)
                    + "</t:table-row>" for row in ROWS)  # fmt: skip
    body = f"<t:h t:outline-level='1'>Prices written</t:h><t:p>{PROSE}</t:p><t:table>{cells}</t:table>"
    office(folder / "b.odt", {"content.xml": f"<o:d xmlns:o='o' xmlns:t='t'><o:body>{body}</o:body></o:d>"})
    wide = body.replace("</t:table-row>", "<t:table-cell t:number-columns-repeated='1000'/></t:table-row>")
    office(folder / "f.ods", {"content.xml": f"<o:d xmlns:o='o' xmlns:t='t'><o:body>{wide}</o:body></o:d>"})
    book = openpyxl.Workbook()
    for row in [
        ["Prices counted"],
        [],
        ROWS[0],
        *([*row[:2], float(row[2].replace(",", "")), *row[3:]] for row in ROWS[1:]),
    ]:
        book.active.append(row)
    for cell in book.active["C"]:
        cell.number_format = "#,##0.00"
    book.save(folder / "c.xlsx")
    rows = "".join("\\trowd " + "".join(f"\\intbl {c}\\cell " for c in row) + "\\row\n" for row in ROWS)
    heading = "{\\stylesheet{\\s1\\b Heading 1;}}\\pard\\plain \\s1 Prices typed\\par\\pard "
    (folder / "d.rtf").write_text(f"{{\\rtf1\\ansi {heading}{PROSE}\\par\n{rows}}}")
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Prices sent", "desk@alder.example"
    mail.set_content(PROSE)
    mail.add_attachment((folder / "b.odt").read_bytes(), "application", "x", filename="b.odt")
    (folder / "e.eml").write_bytes(bytes(mail))
    passages = added(folder)
    for name, title in zip("abcdef", ("shown", "written", "", "typed", "sent", "written"), strict=True):
        mine = [row for row in passages if row["file"].startswith(name)]
        assert rows_in(mine) == ROWS, name
        assert not title or {row["doc"].partition(" (")[0] for row in mine} == {f"Prices {title}"}
    assert [row["page"] for row in passages if row["file"] == "a.pptx"] == [2]


def test_what_cannot_be_read_is_named_and_the_rest_is_kept(folder: Path) -> None:
    picture = (
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 "
    )
    page = b"<< /Type /Page /Parent 2 0 R /Contents %d 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> "
    texts = b"BT /F1 12 Tf 72 700 Td (The fee is 40 euros.) Tj ET", b"q 500 0 0 700 50 50 cm /I Do Q"
    streams = [b"<< /Length %d >> stream\n%s\nendstream" % (len(text), text) for text in texts]
    (folder / "scan.pdf").write_bytes(documents.pdf_of([
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
        page % 6 + b">> >>", page % 7 + b"/XObject << /I 8 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", *streams, picture + b">> stream\n0\nendstream",
    ]))  # fmt: skip
    for name in ("locked.xlsx", "old.doc", "old.xls", "old.ppt"):
        (folder / name).write_bytes(b"\xd0\xcf\x11\xe0" * 9)
    (folder / "cut.pptx").write_bytes(b"PK nothing")
    office(folder / "broken.odt", {"content.xml": "<never closed"})
    mail = EmailMessage()
    mail["Subject"] = "Plan"
    mail.set_content("The plan is attached.")
    mail.add_attachment(b"0", "application", "x", filename="plan.dwg")
    (folder / "a.eml").write_bytes(bytes(mail))
    for _ in range(2):  # a gap is named again
        done = surefoot("corpus", "add", folder, "--out", folder.parent / "corpus.jsonl", "--json")
        assert done.code == 4
        problems = {row["name"]: row["problem"] for row in done.json["documents"]}
        assert "page 2 holds no text, only pictures" in problems["scan.pdf"]
        assert "the attachment plan.dwg was not read" in problems["a.eml"]
        assert "encrypted" in problems["locked.xlsx"] and "OCR" in done.err
        assert all("of Office 97" in problems[f"old.{suffix}"] for suffix in ("doc", "xls", "ppt"))
        assert all("damaged" in problems[name] for name in ("cut.pptx", "broken.odt"))
        assert [row["status"] for row in done.json["documents"] if row["name"] in ("a.eml", "scan.pdf")] != [
            "changed"
        ] * 2
    kept = [json.loads(line)["text"] for line in (folder.parent / "corpus.jsonl").read_text().splitlines()]
    assert any("The fee is 40 euros." in text for text in kept) and any(
        "The plan is attached." in text for text in kept
    )


def test_documents_of_one_title_are_told_apart(folder: Path) -> None:
    for year in (2024, 2025):
        (folder / f"tariff-{year}.md").write_text(f"# Tariff\n\nA letter of {year} is 4.{year % 10}0 euros.\n")
    assert {row["doc"] for row in added(folder)} == {"Tariff (tariff-2024.md)", "Tariff (tariff-2025.md)"}
    (folder / "tariff-2025.md").unlink()
    surefoot("corpus", "remove", folder.parent / "corpus.jsonl", "tariff-2025.md")
    assert {row["doc"] for row in added(folder)} == {"Tariff"}


def test_a_question_about_cookies_is_no_passage(folder: Path) -> None:
    question = "<p>We use cookies to improve your visit.</p><p>Accept all</p><p>Settings</p>"
    banner = f"<div id='Cookie-bar'><div role=dialog>{question}</div></div>"
    (folder / "a.html").write_text(f"<body>{banner}<h1>Lockers</h1><p>{PROSE}</p></body>")
    (folder / "b.html").write_text("<h1>Cookie policy</h1><p>We use cookies to keep you signed in for 30 days.</p>")
    text = "\n".join(row["text"] for row in added(folder))
    assert "improve your visit" not in text and "Accept" not in text and "30 days" in text


def test_a_line_that_a_page_repeats_is_no_running_head(folder: Path) -> None:
    shown = b" ".join(b"1 0 0 1 72 %d Tm (%s) Tj" % (top, text) for top, text in (
        (700, b"Rooms are paid for in advance."), (500, b"Keys are kept at the desk."),
        (300, b"Rooms are paid for in advance."),
    ))  # fmt: skip
    (folder / "a.pdf").write_bytes(documents.packed_pdf(b"BT /F1 12 Tf " + shown + b" ET"))
    assert "".join(row["text"] for row in added(folder)).count("paid for in advance") == 2


def test_a_workbook_is_called_by_its_title_or_its_title_cell(folder: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    for name, said in (("property", "Prices of 2025"), ("cell", ""), ("none", "")):
        book = openpyxl.Workbook()
        book.properties.title = said
        sheet = book.worksheets[0]
        for row in ([["Tower tariff 2025"], []] if name == "cell" else []) + ROWS:
            sheet.append(row)
        book.save(folder / f"{name}.xlsx")
    passages = added(folder)
    assert {row["file"]: row["doc"] for row in passages} == {
        "property.xlsx": "Prices of 2025", "cell.xlsx": "Tower tariff 2025", "none.xlsx": "none",
    }  # fmt: skip
    assert rows_in([row for row in passages if row["file"] == "cell.xlsx"]) == ROWS
