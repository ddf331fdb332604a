"""One agreement in every format that is read, made by the programs that people make such files with."""

from __future__ import annotations

import subprocess
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


def encrypted_pdf() -> bytes:
    """Its password is not the empty one."""
    secret = "(" + "k" * 32 + ")"
    encrypt = f"<< /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -4 >>"
    parts = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>", encrypt]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += f"{number} 0 obj {part} endobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = "trailer << /Size 4 /Root 1 0 R /Encrypt 3 0 R /ID [(aaaaaaaaaaaaaaaa) (aaaaaaaaaaaaaaaa)] >>"
    return data + f"xref\n0 4\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(data)}\n%%EOF".encode()
