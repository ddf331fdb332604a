"""PDF: the text of each page with the places of its words, of which lines, tables and headings are told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import median
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.corpus.blocks import Block, Line, paragraphs, table
from surefoot.text.citations import item_of, label_of

MOST_PAGES = 20_000
_BOLD = 600  # weight of a font
_CONTENTS = re.compile(r"(?:\. ?){5,}\s*[\divxl]+\s*$")  # a line of a table of contents
_SOFT = "\u00ad"  # where a word may be divided
_MARKS = ".,;:()\"“”'"
_DIVIDED = "\ufffe"  # the hyphen at the end of a line, whose next word the library has joined on
_PAGE_NUMBER = re.compile(r"(?:page )?[-– ]*\d{1,4}(?: ?(?:/|of) ?\d+)?[-– ]*", re.IGNORECASE)
_EDGE = 3  # lines at either end of a page that may be a running head or foot
_WIDE_GAP = 0.9  # white space that only stands between cells, in heights of a line
_TIGHT_GAP = 0.45  # white space that does so in a table, but may also be in a justified line
_GAP = 0.3  # white space that may
_NEW_PAGE = 0.5  # white space above the first line: enough for a heading, too little to begin a paragraph
_COLUMN = 1.0  # how far apart columns begin, at least


class _Word(NamedTuple):
    left: float
    right: float
    text: str


class _Printed(Struct, frozen=True):
    """A line on a page."""

    words: list[_Word]
    top: float
    bottom: float
    size: float
    is_bold: bool
    page: int

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def height(self) -> float:
        return (self.top - self.bottom) or 1.0

    def starts(self, gap: float) -> list[float]:
        """Where words begin behind so much white space, in heights of the line; the first word included."""
        pairs = zip(self.words, self.words[1:], strict=False)
        return [self.words[0].left, *(b.left for a, b in pairs if b.left - a.right > gap * self.height)]

    def is_row(self, gap: float) -> bool:
        """Whether it has several cells. A paragraph that hangs behind its label looks as if it had two."""
        start, cells = f"{self.words[0].text} ", len(self.starts(gap))
        return cells > 2 or (cells == 2 and not (label_of(start) or item_of(start) or re.fullmatch(r"\W ", start)))


def read_pdf(data: bytes) -> Iterator[Block]:
    document = _opened(data)
    try:
        if len(document) > MOST_PAGES:
            raise UsageError(f"the PDF has {len(document):,} pages", f"split it: at most {MOST_PAGES:,} are read")
        pages = [_lines(document, number) for number in range(len(document))]
    finally:
        document.close()
    if not any(pages):
        raise UsageError("the PDF holds no text, only pictures", "run it through text recognition (OCR) first")
    lines = [line for page in _without_running_heads(pages) for line in page]
    yield from _blocks(_undivided(lines or [line for page in pages for line in page]))


def _opened(data: bytes) -> Any:  # noqa: ANN401 - the library has no types
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise UsageError("the PDF is encrypted", "save a copy without a password") from error
        raise UsageError("the PDF is damaged or cut off", "open it in a viewer and save it again") from error


def _lines(document: Any, number: int) -> list[_Printed]:  # noqa: ANN401
    try:
        page = document[number]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return []  # a page that cannot be drawn has no text to cite either
    found, start = [], 0
    for line in text.get_text_range().split("\r\n"):
        printed = None if _CONTENTS.search(line) else _line(text, line, start, number + 1)
        if printed is not None:
            found.append(printed)
        start += len(line) + 2
    text.close()
    page.close()
    return found


def _line(page: Any, text: str, start: int, number: int) -> _Printed | None:  # noqa: ANN401
    places = [(start + match.start(), start + match.end() - 1, match.group()) for match in re.finditer(r"\S+", text)]
    if not places:
        return None
    words = [_Word(page.get_charbox(a)[0], page.get_charbox(b)[2], word.replace(_SOFT, "")) for a, b, word in places]
    first = places[0][0]
    _, bottom, _, top = page.get_charbox(first, loose=True)
    size = float(pypdfium2.raw.FPDFText_GetFontSize(page, first))
    weight = pypdfium2.raw.FPDFText_GetFontWeight(page, first)
    return _Printed(words, top, bottom, size if size > 1 else top - bottom, weight >= _BOLD, number)


def _without_running_heads(pages: Sequence[list[_Printed]]) -> Iterator[list[_Printed]]:
    """What stands at the edge of most pages, but for its numbers, is no part of the text."""
    edges = Counter(key for page in pages for key in {_key(line) for line in (*page[:_EDGE], *page[-_EDGE:])})
    often = {key for key, count in edges.items() if count >= max(3, len(pages) / 2)}
    for page in pages:
        kept = [
            line
            for place, line in enumerate(page)
            if (_EDGE <= place < len(page) - _EDGE or _key(line) not in often) and not _is_page_number(line, page)
        ]
        yield kept


def _key(line: _Printed) -> str:
    return re.sub(r"\d+", "#", line.text)


def _is_page_number(line: _Printed, page: Sequence[_Printed]) -> bool:
    return line in (page[0], page[-1]) and _PAGE_NUMBER.fullmatch(line.text) is not None


def _undivided(lines: Sequence[_Printed]) -> list[_Printed]:
    """A word that was divided at the end of a line is made whole if the document has it elsewhere."""
    known = {word.text.lower().strip(_MARKS) for line in lines for word in line.words}

    def whole(word: _Word) -> _Word:
        joined = word.text.replace(_DIVIDED, "")
        is_one = joined.lower().strip(_MARKS) in known
        return word._replace(text=joined if is_one else word.text.replace(_DIVIDED, "-"))

    return [replace(line, words=[whole(word) for word in line.words]) for line in lines]


def _blocks(lines: Sequence[_Printed]) -> Iterator[Block]:
    """Runs of lines with several cells are tables; what is between them, text."""
    usual = median([line.size for line in lines for _ in line.words])
    prose: list[_Printed] = []
    place = 0
    while place < len(lines):
        rows = _table_at(lines, place)
        if rows:
            yield from paragraphs(_as_text(prose), usual)
            prose = []
            yield table(rows, lines[place].page)
            place += len(rows)
        else:
            prose.append(lines[place])
            place += 1
    yield from paragraphs(_as_text(prose), usual)


def _table_at(lines: Sequence[_Printed], place: int) -> list[list[str]]:
    """The rows of a table that begins here, if one does: lines with wide gaps, whose words begin below each other.

    Where cells are tight, a row, or the header, may have as many narrower gaps instead.
    """
    page = lines[place].page
    run = list(takewhile(lambda line: line.page == page and line.is_row(_TIGHT_GAP), lines[place:]))
    widest = max((len(line.starts(_WIDE_GAP)) for line in run), default=0)
    rows = list(takewhile(lambda line: line.is_row(_WIDE_GAP) or len(line.starts(_TIGHT_GAP)) == widest, run))
    if len(rows) < 3 or sum(line.is_row(_WIDE_GAP) for line in rows) < 2:
        return []
    columns: list[float] = []
    for left in sorted(left for row in rows for left in row.starts(_WIDE_GAP)):
        if not columns or left - columns[-1] > _COLUMN * rows[0].height:
            columns.append(left)
    return _merged([_cells(row, columns) for row in rows])


def _cells(row: _Printed, columns: Sequence[float]) -> list[str]:
    """A word behind a gap goes to the nearest column on its left; the others go with the word before."""
    found, at = [""] * len(columns), 0
    starts = set(row.starts(_GAP))
    for word in row.words:
        if word.left in starts:
            reached = [place for place, left in enumerate(columns) if left <= word.left + _COLUMN * row.height / 2]
            at = max(at, reached[-1] if reached else 0)
        found[at] = f"{found[at]} {word.text}".strip()
    return found


def _merged(rows: list[list[str]]) -> list[list[str]]:
    """Neighbouring columns of which no row fills both are one: a header stands in the middle of its column."""
    at = 0
    while at + 1 < len(rows[0]):
        if any(row[at] and row[at + 1] for row in rows):
            at += 1
        else:
            rows = [[*row[:at], row[at] or row[at + 1], *row[at + 2 :]] for row in rows]
    return rows


def _as_text(lines: Sequence[_Printed]) -> list[Line]:
    if not lines:
        return []
    left, right = min(line.words[0].left for line in lines), max(line.words[-1].right for line in lines)
    width, usual, found = (right - left) or 1.0, median(line.height for line in lines), []
    for before, line in zip([lines[0], *lines], lines, strict=False):
        gap = (before.bottom - line.top) / usual if before.page == line.page else _NEW_PAGE
        reach = (line.words[-1].right - left) / width
        found.append(Line(line.text, line.page, line.size, line.is_bold, gap, reach))
    return found
