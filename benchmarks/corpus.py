"""How fast documents become a corpus, beside plain extraction of their text: python benchmarks/corpus.py [PAGES]

Prints documents, pages, seconds and pages a second of both, the ratio, and the most memory that `corpus add` and its
workers took.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pypdfium2

PAGES_EACH = 100
ADD = """
import resource, sys
from surefoot import add_documents
print(add_documents(sys.argv[1], out=sys.argv[2]).passages)
every = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(*(one.ru_maxrss // 1024 for one in every), sum(one.ru_utime + one.ru_stime for one in every))
"""  # in a process of its own: the browser that prints the documents would count as a worker
CLAUSE = (
    "The Supplier shall deliver the goods of lot {n} to the place named in order {n} within {d} days of receipt, "
    "unless otherwise agreed in writing, and shall bear the costs of carriage up to EUR {c} for each consignment."
)


def document(folder: Path) -> bytes:
    page = "".join(
        f"<h2>{n}. Delivery of lot {n}</h2><p>{n}.1 {CLAUSE.format(n=n, d=n % 60 + 1, c=n * 7)}</p>"
        f"<p>{n}.2 {CLAUSE.format(n=n + 1, d=n % 50 + 1, c=n * 3)}</p>"
        + ("<div style='page-break-after: always'></div>" if n % 8 == 0 else "")
        for n in range(1, 8 * PAGES_EACH + 1)
    )
    source, target = folder / "one.html", folder / "one.pdf"
    source.write_text(f"<html><body>{page}</body></html>", "utf-8")
    options = ["--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
    subprocess.run(["chromium", *options, str(source)], check=True, stderr=subprocess.DEVNULL)
    return target.read_bytes()


def plain(files: list[Path]) -> int:
    pages = 0
    for file in files:
        pdf = pypdfium2.PdfDocument(file)
        for page in pdf:
            page.get_textpage().get_text_range()
            pages += 1
    return pages


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = document(folder)
        documents = folder / "documents"
        documents.mkdir()
        each = len(pypdfium2.PdfDocument(data))
        files = [documents / f"{n:04d}.pdf" for n in range(max(1, wanted // each))]
        for file in files:
            file.write_bytes(data)
        start = time.monotonic()
        pages = plain(files)
        middle = time.monotonic()
        command = [sys.executable, "-c", ADD, str(documents), str(folder / "corpus.jsonl")]
        added = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        end = time.monotonic()
    passages, parent, worker = map(int, added[:3])
    busy = float(added[3])
    first, second = middle - start, end - middle
    print(f"{len(files)} documents, {pages:,} pages, {passages:,} passages")
    print(f"text alone, one core:     {first:6.1f} s, {pages / first:6.0f} pages/s")
    print(
        f"corpus add, all cores:    {second:6.1f} s, {pages / second:6.0f} pages/s, {second / first:.2f} times as long"
    )
    print(f"of processor time:        {busy:6.1f} s, {pages / busy:6.0f} pages/s")
    print(f"most memory: {parent:,} MB, of a worker {worker:,} MB")


if __name__ == "__main__":
    main()
