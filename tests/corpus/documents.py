"""One agreement in every format that is read, made by the programs that people make such files with."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path

from docx import Document

CLAUSE = (
    "4.1 The Customer shall pay each invoice within thirty (30) days of receipt, without set-off or deduction, unless "
    "the invoice is disputed in good faith under clause 9."
)
LATE = "4.2 Late payments bear interest at 8 % per year above the base rate."
FEES = [["Service", "Monthly fee (EUR)", "Set-up"], ["Route planning", "4,250", "900"],
        ["Depot audit with a longer name", "1,100", "0"], ["Training", "300", "50"]]  # fmt: skip
REVIEW = (
    "Fees are reviewed every year on 1 January. They may rise by no more than the index of consumer prices, as "
    "published for the twelve months before, plus one per cent, and notice of any rise is given by 1 November."
)


def html() -> str:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in FEES)
    return (
        "<html><head><style>nav{display:none}</style></head><body><nav>Home | About</nav>"
        "<h1>Master Services Agreement</h1>"
        f"<h2>4. Payment</h2><p>{CLAUSE}</p><p>{LATE}</p><h2>5. Fees</h2><table border=1>{rows}</table>"
        f"<p>{REVIEW}</p><script>var unread = 'never shown'</script></body></html>"
    )


def markdown() -> str:
    rows = ["| " + " | ".join(row) + " |" for row in FEES]
    rows.insert(1, "|---|---|---|")
    table = "\n".join(rows)
    return f"# Master Services Agreement\n\n## 4. Payment\n\n{CLAUSE}\n\n{LATE}\n\n## 5. Fees\n\n{table}\n\n{REVIEW}\n"


def docx(path: Path) -> None:
    document = Document()
    document.add_heading("Master Services Agreement", 1)
    document.add_heading("4. Payment", 2)
    document.add_paragraph(CLAUSE)
    document.add_paragraph(LATE)
    document.add_heading("5. Fees", 2)
    table = document.add_table(len(FEES), 3)
    for row, cells in zip(table.rows, FEES, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_paragraph(REVIEW)
    document.save(str(path))


def pdf(path: Path, text: str) -> None:
    source = path.with_suffix(".source.html")
    source.write_text(text, "utf-8")
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--no-pdf-header-footer",
        f"--print-to-pdf={path}",
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    source.unlink()


def pdf_of(parts: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """From its objects, the first of which is the root."""
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj %s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(parts) + 1, len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R %s >>\n" % (size, table, size, trailer)
    return data + b"startxref\n%d\n%%%%EOF" % start


def encrypted_pdf() -> bytes:
    """Its password is not the empty one."""
    secret = b"(" + b"k" * 32 + b")"
    encrypt = b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (secret, secret)
    parts = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>", encrypt]
    return pdf_of(parts, b"/Encrypt 3 0 R /ID [(aaaaaaaaaaaaaaaa) (aaaaaaaaaaaaaaaa)]")


def packed_pdf(content: bytes, pages: int = 1) -> bytes:
    """Every page has the same content, which is packed."""
    packed = zlib.compress(content, 9)
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"3 0 R " * pages, pages),
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 600 800] "
            b"/Resources << /Font << /F1 5 0 R >> >> >>",
            b"<< /Length %d /Filter /FlateDecode >> stream\n%s\nendstream" % (len(packed), packed),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def wide_docx(path: Path) -> None:
    """One of its cells says that it spans a hundred million columns; another goes on below."""
    document = Document()
    table = document.add_table(3, 2)
    for number, row in enumerate(table.rows):
        for cell, text in zip(row.cells, ("left", "right"), strict=True):
            cell.text = f"{text} {number}"
    table.cell(0, 1).merge(table.cell(1, 1))
    table.cell(2, 0)._tc.grid_span = 100_000_000
    document.save(str(path))
