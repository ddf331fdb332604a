"""How well documents are read: python benchmarks/documents.py [FOLDER]

Makes 37 documents with Chromium, ReportLab, LibreOffice and the libraries of each format, reads them with `corpus add`
and counts: cells of tables that come out whole and in their place, rows of tables that are none, running heads in
passages, and titles. Prints the worst first. It needs chromium, soffice, and the packages reportlab and python-pptx.
"""

from __future__ import annotations

import html
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

from docx import Document
from docx.enum.section import WD_SECTION
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

import surefoot

Rows = list[list[str]]


class Part(NamedTuple):
    kind: str  # h, p, t, columns (prose in two of them) or side (tables beside each other)
    text: str = ""
    rows: Rows = []  # noqa: RUF012 - never changed
    more: Sequence[Any] = ()
    head: int = 1  # rows of the header


class Made(NamedTuple):
    name: str
    title: str
    parts: list[Part]


PRICES = [
    ["Article", "Order no.", "Price (EUR)", "Remarks"],
    ["Handrail of brushed stainless steel, with end caps on both sides and four brackets for plaster walls", "HR-2040",
     "189.00", "Delivered in lengths of two metres; other lengths on request"],
    ["Bracket", "BR-11", "7.50", ""],
    ["Anti-slip strip for stair treads, self-adhesive, black", "AS-300", "1,249.90", "Roll of 18 metres"],
    ["Delivery", "", "0.00", "Free of charge from an order value of 250 euros; below that we charge 14.90 euros for "
     "each delivery within the country"],
    ["Assembly by our fitters", "", "62.00", "Per hour"],
]  # fmt: skip
TARIFF = [
    ["Weight up to", "Zone 1\nEU countries", "Zone 2\nrest of Europe", "Zone 3\nworldwide"],
    ["500 g", "4.20", "6.90", "11.50"], ["1 kg", "5.80", "8.40", "16.00"], ["2 kg", "8.10", "12.75", "24.30"],
    ["5 kg", "14.00", "21.20", "-"], ["10 kg", "19.90", "33.00", ""],
]  # fmt: skip
SHEET = [
    ["Property", "Value", "Unit", "Test method"],
    ["Operating temperature", "-20 to +55", "°C", "IEC 60068-2-1 and IEC 60068-2-2"],
    ["Protection class", "IP65", "", "IEC 60529"],
    ["Rated current at a supply voltage between 18 and 30 volts of direct current", "2.4", "A", ""],
    ["Weight without mounting kit", "1,340", "g", ""],
    ["Service life", "60,000", "h", "Manufacturer's own test at 40 °C ambient temperature, half of all units still "
     "working"],
]  # fmt: skip
ACTIONS = [
    ["No.", "Action", "Who", "Due"],
    ["1", "Ask three firms for quotes for the repair of the roof over the west stairwell, including scaffolding",
     "Ms Okafor", "14 March"],
    ["2", "Send the owners the minutes", "Mr Lindqvist", "28 February"],
    ["3", "Check whether the insurance of the building pays for the damage that the burst pipe did in the cellar of "
     "number 7", "Ms Okafor\nMr Brandt", ""],
    ["4", "Order salt for the winter", "Caretaker", "1 October"],
]  # fmt: skip
REGISTER = [
    ["Date", "Place", "Finding", "Fine (EUR)"],
    *([f"{n % 28 + 1} {['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'][n % 6]} 2025", f"Depot {n}",
       f"Extinguisher {n * 13} not sealed" if n % 3 else
       f"Escape route {n} was blocked by pallets and by two bicycles that nobody could assign to an owner",
       f"{n * 35:,}" if n % 4 else ""] for n in range(1, 71)),
]  # fmt: skip
OPENING = [["Day", "Hours"], ["Monday", "8 am - 6 pm"], ["Tuesday", "8 am - 1 pm"], ["Saturday", "closed"]]
CONTACTS = [["Desk", "Telephone"], ["Lost property", "4410"], ["Tickets", "4417"], ["Complaints", "4423"]]
QUARTERS = [
    ["Region", "2023", "2023", "2024", "2024"], ["Region", "Units", "Share", "Units", "Share"],
    ["North", "1,204", "31 %", "1,377", "33 %"], ["South", "988", "25 %", "1,002", "24 %"],
    ["Overseas and associated territories", "1,703", "44 %", "1,799", "43 %"],
]  # fmt: skip
PROSE = [
    "The station is open on every day of the year, also on public holidays. Travellers who arrive after the last train "
    "may stay in the waiting room until the first one leaves, provided that they hold a valid ticket and do not "
    "disturb others. Heating is switched on from October to April.",
    "Luggage may be left in the lockers for up to 72 hours. After that time the staff open the locker and keep what is "
    "in it at the desk for lost property, where it can be collected against a fee of 12 euros. Whatever nobody has "
    "asked for within six months is sold at auction.",
    "Dogs are carried free of charge if they fit into a bag. Larger dogs need a ticket at half the fare and must wear "
    "a muzzle on the platform. Guide dogs travel free on all trains and need no muzzle at all.",
    "Whoever travels without a valid ticket pays an increased fare of 60 euros, or twice the ordinary fare if that is "
    "more. It falls to 7 euros where the traveller shows within a week that a personal ticket was valid.",
]  # fmt: skip
CHAPTERS = ["Arrival and departure", "Luggage and lockers", "Animals on board", "Tickets and fares"]


def prices() -> list[Part]:
    return [Part("p", PROSE[1]), Part("h", "Prices"), Part("t", rows=PRICES), Part("p", PROSE[2])]


def tariff(year: int) -> list[Part]:
    rows = [[cell.replace(".", f".{year % 7}", 1) if n and cell[:1].isdigit() and "." in cell else cell
             for cell in row] for n, row in enumerate(TARIFF)]  # fmt: skip
    return [Part("p", f"Valid from 1 January {year}."), Part("t", rows=rows), Part("p", PROSE[3])]


def sheet() -> list[Part]:
    return [Part("p", PROSE[0]), Part("h", "Technical data"), Part("t", rows=SHEET), Part("p", PROSE[3])]


def minutes() -> list[Part]:
    return [Part("p", "Present were nine of fourteen owners. The chair was taken by Ms Okafor."),
            Part("h", "Resolutions"), Part("p", PROSE[2]), Part("h", "Actions"), Part("t", rows=ACTIONS),
            Part("p", "The meeting ended at 9.40 pm.")]  # fmt: skip


def register() -> list[Part]:
    return [Part("p", PROSE[0]), Part("t", rows=REGISTER), Part("p", PROSE[1])]


def report() -> list[Part]:
    return [Part("p", PROSE[3]), Part("t", rows=QUARTERS, head=2), Part("p", PROSE[2])]


def side() -> list[Part]:
    return [Part("p", PROSE[0]), Part("side", more=[OPENING, CONTACTS]), Part("p", PROSE[1]),
            Part("side", more=[CONTACTS, PROSE[3]]), Part("p", PROSE[2])]  # fmt: skip


def handbook() -> list[Part]:
    parts = []
    for number, name in enumerate(CHAPTERS, 1):
        parts += [Part("chapter", f"{number} {name}")]
        for step in range(3):
            parts += [Part("h", f"{number}.{step + 1} {CHAPTERS[step]}"), Part("columns", more=PROSE * 2)]
    return parts


FURNITURE = ["Page #", "Alder Rail", "Printed on", "cookies", "Accept all"]


# Chromium


STYLES = {
    "ruled": "table{border-collapse:collapse}td,th{border:1px solid #555;padding:4px}",
    "plain": "td,th{padding:2px 9px;text-align:left}",
    "tight": "table{border-spacing:0}td,th{padding:0 14px 0 0;vertical-align:top;text-align:left}",
    "lines": "table{border-collapse:collapse}td,th{border-bottom:1px solid #999;padding:5px 8px;text-align:left}",
    "zebra": "table{border-collapse:collapse}td,th{padding:5px 8px;vertical-align:top}"
    "tr:nth-child(even){background:#eee}",
    "books": "table{border-collapse:collapse}thead{border-top:2px solid;border-bottom:1px solid}"
    "tbody{border-bottom:2px solid}td,th{padding:2px 8px;vertical-align:top}",
}
PAGE = (
    "@page{margin:22mm 18mm;@bottom-center{content:'Page ' counter(page) ' of ' counter(pages);font-size:8pt}"
    "@top-left{content:'Alder Rail  Conditions of carriage';font-size:8pt}@top-right{content:'HEAD';font-size:8pt}}"
)


def chromium(style: str) -> Callable[[Path, Made], None]:
    def make(path: Path, made: Made) -> None:
        chapters = "".join(
            f"@page c{n}{{@top-right{{content:'{name}';font-size:8pt}}}}.c{n}{{page:c{n}}}"
            for n, name in enumerate(CHAPTERS, 1)
        )
        css = f"{STYLES[style]}{PAGE.replace('HEAD', '')}{chapters}body{{font:11pt sans-serif}}h1{{width:9em}}"
        text = web_page(made, css + ".n{text-align:right}.two{columns:2}.side{display:flex;gap:30px}")
        to_pdf(path, text)

    return make


def to_pdf(path: Path, text: str) -> None:
    source = path.with_suffix(".source.html")
    source.write_text(text, "utf-8")
    options = ["--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={path}"]
    subprocess.run(["chromium", *options, str(source)], check=True, stderr=subprocess.DEVNULL)
    source.unlink()


def web_page(made: Made, css: str = "", extra: str = "") -> str:
    out = [f"<h1>{html.escape(made.title)}</h1>"]
    for part in made.parts:
        text = html.escape(part.text)
        if part.kind == "chapter":
            out.append(f"{'</section>' if 'section' in ''.join(out) else ''}<section class=c{text[0]}><h2>{text}</h2>")
        elif part.kind == "h":
            out.append(f"<h3>{text}</h3>")
        elif part.kind == "p":
            out.append(f"<p>{text}</p>")
        elif part.kind == "columns":
            out.append("<div class=two>" + "".join(f"<p>{html.escape(one)}</p>" for one in part.more) + "</div>")
        elif part.kind == "side":
            cells = [web_table(one, 1) if isinstance(one, list) else f"<p>{one}</p>" for one in part.more]
            out.append(f"<div class=side>{''.join(cells)}</div>")
        else:
            out.append(web_table(part.rows, part.head))
    return f"<html><head><meta charset=utf-8><style>{css}</style></head><body>{extra}{''.join(out)}</body></html>"


def web_table(rows: Rows, head: int) -> str:
    lines = []
    for number, row in enumerate(rows):
        cells, tag = [], "th" if number < head else "td"
        for at, cell in enumerate(row):
            wide = down = 1
            if head == 2 and number < 2:
                if (at and row[at - 1] == cell) or (number and rows[0][at] == cell):
                    continue
                wide = next((n for n in range(1, len(row) - at) if row[at + n] != cell), len(row) - at)
                down = 2 if number == 0 and rows[1][at] == cell else 1
            kind = ' class="n"' if cell[:1].isdigit() and at else ""
            text = html.escape(cell).replace("\n", "<br>")
            cells.append(f"<{tag} colspan={wide} rowspan={down}{kind}>{text}</{tag}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead>{''.join(lines[:head])}</thead><tbody>{''.join(lines[head:])}</tbody></table>"


BANNER = (
    '<div id="cookie-banner" style="position:fixed;bottom:0;left:0"><p>We use cookies to improve your visit and to '
    "measure how our site is used.</p><button>Accept all</button> <a>Reject</a></div>"
)


def website(path: Path, made: Made) -> None:
    text = web_page(made, STYLES["lines"] + "body{font:15px sans-serif}h1{width:9em}", BANNER)
    path.write_text(text, "utf-8") if path.suffix == ".html" else to_pdf(path, text)


# ReportLab


def reportlab(style: str) -> Callable[[Path, Made], None]:
    def make(path: Path, made: Made) -> None:
        from reportlab.lib.enums import TA_RIGHT
        from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
        from reportlab.platypus import (
            BaseDocTemplate,
            Frame,
            FrameBreak,
            NextPageTemplate,
            PageTemplate,
            Paragraph,
            Spacer,
            Table,
        )

        styles, chapter = getSampleStyleSheet(), [""]
        small = ParagraphStyle("small", fontSize=9, leading=11)
        right = ParagraphStyle("right", parent=small, alignment=TA_RIGHT)

        def edges(canvas: Any, document: Any) -> None:
            canvas.setFont("Helvetica", 8)
            canvas.drawString(60, 810, f"Alder Rail  {chapter[0]}")
            canvas.drawRightString(535, 30, f"Page {document.page}")

        def cell(text: str, place: int, row: int) -> Any:
            figure = place and row and text[:1].isdigit()
            return Paragraph(html.escape(text).replace("\n", "<br/>"), right if figure else small)

        def drawn(rows: Rows, head: int, width: float) -> Any:
            longest = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
            shares = [min(30, max(9, one)) for one in longest]
            cells = [[cell(one, at, n) for at, one in enumerate(row)] for n, row in enumerate(rows)]
            look: list[Any] = [("VALIGN", (0, 0), (-1, -1), "TOP" if style == "plain" else "MIDDLE")]
            if style == "ruled":
                look.append(("GRID", (0, 0), (-1, -1), 0.5, "black"))
            if style == "books":
                look += [
                    (f"LINE{w}", (0, at), (-1, at), 1, "black")
                    for w, at in (("ABOVE", 0), ("BELOW", head - 1), ("BELOW", -1))
                ]
            if head == 2:
                look += [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0))]
            return Table(cells, [width * one / sum(shares) for one in shares], repeatRows=head, style=look)

        story: list[Any] = [Paragraph(html.escape(made.title).replace(" 20", "<br/>20"), styles["Title"])]
        for part in made.parts:
            if part.kind == "chapter":
                chapter[0] = part.text
                story += [NextPageTemplate("two"), Paragraph(part.text, styles["Heading1"])]
            elif part.kind == "h":
                story.append(Paragraph(part.text, styles["Heading2"]))
            elif part.kind == "columns":
                story += [Paragraph(one, styles["BodyText"]) for one in part.more]
            elif part.kind == "p":
                story.append(Paragraph(part.text, styles["BodyText"]))
            elif part.kind == "side":
                beside = [drawn(one, 1, 215) if isinstance(one, list) else Paragraph(one, small) for one in part.more]
                story.append(Table([beside], [240, 220], style=[("VALIGN", (0, 0), (-1, -1), "TOP")]))
            else:
                story += [Spacer(1, 6), drawn(part.rows, part.head, 470), Spacer(1, 6)]
        document = BaseDocTemplate(str(path))
        one = [Frame(60, 60, 475, 730)]
        two = [Frame(60, 60, 230, 730), Frame(305, 60, 230, 730)]
        document.addPageTemplates([PageTemplate("one", one, edges), PageTemplate("two", two, edges)])
        if any(part.kind == "columns" for part in made.parts):
            story.insert(1, FrameBreak())
        document.build(story)

    return make


# Word, and what LibreOffice makes of it


def word(style: str | None) -> Callable[[Path, Made], None]:
    def make(path: Path, made: Made) -> None:
        document = Document()
        document.sections[0].header.paragraphs[0].text = "Alder Rail\tConditions"
        foot = document.sections[0].footer.paragraphs[0]
        foot.add_run("Page ")
        field(foot, "PAGE")
        document.add_heading(made.title, 0)
        for part in made.parts:
            if part.kind in ("h", "chapter"):
                document.add_heading(part.text, 1 if part.kind == "chapter" else 2)
            elif part.kind == "columns":
                for count in (2, 1):
                    if count == 2:
                        section = document.add_section(WD_SECTION.CONTINUOUS)
                        for one in part.more:
                            document.add_paragraph(one)
                    else:
                        section = document.add_section(WD_SECTION.CONTINUOUS)
                    columns = section._sectPr.xpath("./w:cols")[0]
                    columns.set(qn("w:num"), str(count))
            elif part.kind == "p":
                document.add_paragraph(part.text)
            else:
                for rows in [part.rows] if part.rows else [one for one in part.more if isinstance(one, list)]:
                    table = document.add_table(len(rows), len(rows[0]), style)
                    for line, cells in zip(table.rows, rows, strict=True):
                        for place, text in zip(line.cells, cells, strict=True):
                            place.text = text
                    for line in table.rows[: part.head]:
                        line._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
        document.save(str(path if path.suffix == ".docx" else path.with_suffix(".made.docx")))
        if path.suffix != ".docx":
            convert(path.with_suffix(".made.docx"), path)

    return make


def field(paragraph: Any, code: str) -> None:
    for kind in ("begin", code, "end"):
        run = paragraph.add_run()
        element = OxmlElement("w:instrText" if kind == code else "w:fldChar")
        if kind == code:
            element.text = code
        else:
            element.set(qn("w:fldCharType"), kind)
        run._r.append(element)


def convert(source: Path, target: Path) -> None:
    command = ["soffice", "--headless", "--convert-to", target.suffix[1:], "--outdir", str(target.parent), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    source.with_suffix(target.suffix).rename(target)
    source.unlink()


def slides(path: Path, made: Made) -> None:
    from pptx import Presentation
    from pptx.util import Inches

    shown = Presentation()
    first = shown.slides.add_slide(shown.slide_layouts[0])
    first.shapes.title.text = made.title
    for part in made.parts:
        slide = shown.slides.add_slide(shown.slide_layouts[5])
        slide.shapes.title.text = part.text[:40] if part.kind in ("h", "chapter") else "Continued"
        if part.kind == "p":
            slide.shapes.add_textbox(0, Inches(2), Inches(9), Inches(3)).text_frame.text = part.text
        if part.kind == "t":
            size = (len(part.rows), len(part.rows[0]))
            table = slide.shapes.add_table(*size, 0, Inches(2), Inches(9), Inches(4)).table
            for at, row in enumerate(part.rows):
                for place, cell in enumerate(row):
                    table.cell(at, place).text = cell
    shown.save(str(path))


def workbook(path: Path, made: Made) -> None:
    from openpyxl import Workbook  # type: ignore[import-untyped]

    book = Workbook()
    for number, part in enumerate(part for part in made.parts if part.rows):
        page = book.active if not number else book.create_sheet()
        assert page is not None
        page.title = f"{made.title} {number}"[:30]
        page.append([made.title])
        page.append([])
        for row in part.rows:
            page.append(row)
    book.save(path if path.suffix == ".xlsx" else path.with_suffix(".made.xlsx"))
    if path.suffix != ".xlsx":
        convert(path.with_suffix(".made.xlsx"), path)


def mail(path: Path, made: Made) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = made.title, "desk@alder.example", "all@alder.example"
    message["Date"] = "Tue, 04 Mar 2025 10:00:00 +0000"
    message.set_content("Please see the HTML part.")
    message.add_alternative(web_page(made), subtype="html")
    path.write_bytes(bytes(message))


DOCUMENTS: dict[str, tuple[Callable[[Path, Made], None], str, Callable[[], list[Part]]]] = {
    **{f"chromium-prices-{style}.pdf": (chromium(style), "Price list of handrails and fittings for stairs 2025", prices)
       for style in STYLES},
    "chromium-tariff-2024.pdf": (chromium("plain"), "Tariff for parcels", lambda: tariff(2024)),
    "chromium-tariff-2025.pdf": (chromium("plain"), "Tariff for parcels", lambda: tariff(2025)),
    "chromium-sheet.pdf": (chromium("zebra"), "Data sheet of the signal lamp SL 40", sheet),
    "chromium-sheet-plain.pdf": (chromium("plain"), "Data sheet of the signal lamp SL 41", sheet),
    "chromium-minutes.pdf": (chromium("lines"), "Minutes of the meeting of owners on 11 February 2025", minutes),
    "chromium-register.pdf": (chromium("plain"), "Register of inspections", register),
    "chromium-report.pdf": (chromium("books"), "Sales by region and year", report),
    "chromium-report-ruled.pdf": (chromium("ruled"), "Sales by region", report),
    "chromium-side.pdf": (chromium("plain"), "Opening hours and telephone numbers of the station", side),
    "chromium-handbook.pdf": (chromium("plain"), "Handbook for travellers with luggage and dogs", handbook),
    "chromium-website.pdf": (website, "Actions after the meeting", minutes),
    "website.html": (website, "Actions after the last meeting", minutes),
    "reportlab-prices-ruled.pdf": (reportlab("ruled"), "Price list of handrails and fittings 2025", prices),
    "reportlab-prices-plain.pdf": (reportlab("plain"), "Price list of handrails and fittings 2024", prices),
    "reportlab-tariff.pdf": (reportlab("plain"), "Tariff for letters", lambda: tariff(2025)),
    "reportlab-sheet.pdf": (reportlab("books"), "Data sheet of the lamp SL 42", sheet),
    "reportlab-report.pdf": (reportlab("ruled"), "Sales by region since 2023", report),
    "reportlab-register.pdf": (reportlab("plain"), "Register of fire inspections", register),
    "reportlab-side.pdf": (reportlab("plain"), "Hours and numbers", side),
    "reportlab-handbook.pdf": (reportlab("plain"), "Handbook for all travellers", handbook),
    "office-prices.pdf": (word("Table Grid"), "Price list of rails", prices),
    "office-minutes-plain.pdf": (word(None), "Minutes of the board", minutes),
    "office-register.pdf": (word("Table Grid"), "Register of inspections of depots", register),
    "office-handbook.pdf": (word(None), "Handbook of the station", handbook),
    "office-tariff-sheet.pdf": (workbook, "Parcel tariff", lambda: tariff(2024)),
    "prices.docx": (word("Table Grid"), "Price list of stairs", prices),
    "prices.odt": (word("Table Grid"), "Price list of steps", prices),
    "minutes.rtf": (word("Table Grid"), "Minutes of the council", minutes),
    "prices.pptx": (slides, "Price list of ramps", prices),
    "prices.xlsx": (workbook, "Price list", lambda: [*prices(), *sheet()]),
    "minutes.eml": (mail, "Minutes of the staff", minutes),
}  # fmt: skip


def tables_of(parts: Sequence[Part]) -> list[Rows]:
    found = []
    for part in parts:
        found += [part.rows] if part.rows else []
        found += [one for one in part.more if isinstance(one, list)] if part.kind == "side" else []
    return found


def plain(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "/")


def compared(made: Made, passages: Sequence[dict[str, Any]]) -> tuple[int, int, int, list[str]]:
    """Cells right, cells, rows of tables that are none, and what else is wrong."""
    lines = [line for row in passages for line in row["text"].split("\n")]
    read = [
        [cell.strip() for cell in line[1:-1].split(" | ")]
        for line in lines
        if line.startswith("| ") and "| --- |" not in line
    ]
    truth = [[plain(cell) for cell in row] for rows in tables_of(made.parts) for row in rows]
    right = total = 0
    matched = set()
    for row in truth:
        total += len(row)
        best, at = 0, -1
        for number, found in enumerate(read):
            same = sum(a == b for a, b in zip(row, found, strict=False)) if len(found) == len(row) else 0
            if same > best or (same == best and at < 0 and same):
                best, at = same, number
        right += best
        matched |= {n for n, one in enumerate(read) if at >= 0 and one == read[at]}
    extra = sum(1 for n, one in enumerate(read) if n not in matched and made.title not in one)
    titles = {row["doc"].partition(" (")[0] for row in passages}
    wrong = [] if titles == {made.title} else [f"title {titles}"]
    everything = "\n".join(lines).replace("1 ", "# ").replace("2 ", "# ")
    wrong += [f"{one!r} is in it" for one in FURNITURE if one in everything]
    joined = " ".join(" ".join(lines).split())
    texts = [part.text for part in made.parts if part.kind == "p"]
    texts += [one for part in made.parts for one in part.more if isinstance(one, str)]
    lost = sum(plain(one) not in joined for one in texts)
    wrong += [f"{lost} of {len(texts)} paragraphs broken"] if lost else []
    return right, total, extra, wrong


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else name)
        (folder / "documents").mkdir(parents=True, exist_ok=True)
        for file, (make, title, parts) in DOCUMENTS.items():
            path = folder / "documents" / file
            if not path.exists():
                make(path, Made(file, title, parts()))
        corpus = folder / "corpus.jsonl"
        corpus.unlink(missing_ok=True)
        added = surefoot.add_documents(folder / "documents", out=corpus)
        rows = defaultdict(list)
        for line in corpus.read_text("utf-8").splitlines():
            rows[json.loads(line)["file"]].append(json.loads(line))
    results = []
    for file, (_, title, parts) in DOCUMENTS.items():
        results.append((file, *compared(Made(file, title, parts()), rows[file])))
    for file, right, total, extra, wrong in sorted(results, key=lambda one: (one[1] / max(1, one[2]), -one[3])):
        print(f"{file:34} {right:5} of {total:5} cells, {extra:3} rows that are none  {'; '.join(wrong)}")
    every: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, right, total, _, _ in results:
        for group in (file.split("-")[0] if "-" in file else file.rpartition(".")[2], "all"):
            every[group][0] += right
            every[group][1] += total
    for group, (right, total) in sorted(every.items(), key=lambda one: one[1][0] / one[1][1]):
        print(f"{group:10} {right} of {total} cells right, {right / total:.1%}")
    print(f"{len(results)} documents, {added.unread} unread")


if __name__ == "__main__":
    main()
