"""PDF: the text of each page with the places of its words and rules, of which lines, tables and headings are told.

Lines keep the order in which they were printed: row by row in a table, column by column in columns of prose. That is
how the two are told apart.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from ctypes import c_int
from functools import reduce
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.core.files import library
from surefoot.corpus.blocks import Block, Line, paragraphs, table
from surefoot.text.citations import item_of, label_of

pypdfium2, raw = library("pypdfium2", "documents"), library("pypdfium2.raw", "documents")
MOST_PAGES = 20_000
_BOLD = 600  # weight of a font
_CONTENTS = re.compile(r"(?:\. ?){5,}\s*[\divxl]+\s*$")  # a line of a table of contents
_SOFT = "\u00ad"  # where a word may be divided
_PAGE_NUMBER = re.compile(r"(?:page )?[-– ]*\d{1,4}(?: ?(?:/|of) ?\d+)?[-– ]*", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_RECOGNISE = "run it through text recognition (OCR) first"
_EDGE = 3  # lines at either end of a page that may be a running head or foot
_APART = 0.8  # white space between these and the text, in heights of a line
_WIDE_GAP = 0.9  # white space that only stands between cells
_TIGHT_GAP = 0.45  # white space that does so in a table, but may also be in a justified line
_GAP = 0.3  # white space that may
_CLOSE, _SLACK = 0.2, 0.15  # white space between the lines of a cell, and by how much it differs
_FAR = 4.5  # white space that no table has between its rows
_TALLEST = 25  # lines of a cell
_NEW_PAGE = 0.5  # white space above the first line: enough for a heading, too little to begin a paragraph
_COLUMN = 40  # points between columns of prose, at least
_THIN, _NEAR = 2.5, 3.0  # points: what is no wider is a rule; rules that are no farther apart meet
_MOST_RULES = 1_500  # on a page; drawings with more are no tables


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        return (self.top - self.bottom) or 1.0

    def around(self, other: _Box) -> _Box:
        return _Box(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))

    def across(self, other: _Box) -> float:
        """How far the two stand above each other; below 0 where one is on the left."""
        return min(self.right, other.right) - max(self.left, other.left)

    def beside(self, other: _Box) -> float:
        """How far the two stand beside each other; below 0 where one is above."""
        return min(self.top, other.top) - max(self.bottom, other.bottom)

    def meets(self, other: _Box, by: float) -> bool:
        return self.across(other) > -by and self.beside(other) > -by


class _Word(NamedTuple):
    box: _Box
    text: str


class _Printed(Struct, frozen=True):
    """A line on a page, a piece of one, or a table between rules."""

    words: list[_Word]
    size: float
    is_bold: bool
    page: int
    rows: list[list[str]] = []

    @property
    def box(self) -> _Box:
        return self.words[0].box._replace(right=self.words[-1].box.right)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    def pieces(self, gap: float) -> list[_Printed]:
        """Cut where so much white space is, in heights of the line, or where words stand higher or lower."""
        cuts, height = [0], self.box.height
        for at, (one, other) in enumerate(pairwise(word.box for word in self.words), 1):
            offset = min(abs(one.top - other.top), abs(one.bottom - other.bottom))
            if other.left - one.right > gap * height or offset > height / 4:
                cuts.append(at)
        return [replace(self, words=self.words[a:b]) for a, b in pairwise([*cuts, len(self.words)])]


class _Row(Struct):
    """What stands beside each other, and the lines that begin in it."""

    pieces: list[_Printed]
    box: _Box
    lines: list[_Printed]

    def add(self, box: _Box, pieces: Sequence[_Printed], lines: Sequence[_Printed]) -> None:
        self.box, self.pieces, self.lines = self.box.around(box), [*self.pieces, *pieces], [*self.lines, *lines]

    def cells(self, gap: float = _WIDE_GAP) -> list[_Box]:
        found = list[_Box]()
        for box in sorted(part.box for piece in self.pieces for part in piece.pieces(gap)):
            above = found.pop() if found and box.left < found[-1].right else box
            found.append(above.around(box))
        return found

    def is_row(self, gap: float) -> bool:
        """Whether it has several cells. A paragraph that hangs behind its label looks as if it had two."""
        start, cells = f"{self.pieces[0].words[0].text} ", len(self.cells(gap))
        return cells > 2 or (cells == 2 and not (label_of(start) or item_of(start) or re.fullmatch(r"\W ", start)))


class _Page(NamedTuple):
    lines: list[_Printed]
    rules: list[_Box]
    height: float
    is_picture: bool


def read_pdf(data: bytes) -> Iterator[Block]:
    with closing(_opened(data)) as document:
        if len(document) > MOST_PAGES:
            raise UsageError(f"the PDF has {len(document):,} pages", f"split it: at most {MOST_PAGES:,} are read")
        pages = [_page(document, number) for number in range(len(document))]
    if not any(page.lines for page in pages):
        raise UsageError("the PDF holds no text, only pictures", _RECOGNISE)
    for number, page in enumerate(pages, 1):
        if page.is_picture:
            yield Block("unread", f"page {number} holds no text, only pictures ({_RECOGNISE})", 0, number)
    usual = median([line.size for page in pages for line in page.lines for _ in line.words])
    pages = [page._replace(lines=_with_tables(page)) for page in pages]
    kept = list(_without_running_heads(pages, usual))
    yield from _blocks(kept if any(kept) else [page.lines for page in pages], usual)


def _opened(data: bytes) -> Any:  # noqa: ANN401 - the library has no types
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise UsageError("the PDF is encrypted", "save a copy without a password") from error
        raise UsageError("the PDF is damaged or cut off", "open it in a viewer and save it again") from error


def _page(document: Any, number: int) -> _Page:  # noqa: ANN401
    try:
        page = document[number]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return _Page([], [], 0, is_picture=True)
    found, start = [], 0
    for line in text.get_text_range().split("\r\n"):
        if line.strip() and not _CONTENTS.search(line):
            found.append(_line(text, line, start, number + 1))
        start += len(line) + 2
    text.close()
    is_picture = not found and any(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE]))
    rules, height = list(_rules(page)), page.get_height()
    page.close()
    return _Page(found, rules if len(rules) <= _MOST_RULES else [], height, is_picture)


def _line(page: Any, text: str, start: int, number: int) -> _Printed:  # noqa: ANN401
    words = []
    for match in re.finditer(r"\S+", text):
        first, last, word = start + match.start(), start + match.end() - 1, match.group()
        left, bottom, _, top = page.get_charbox(first, loose=True)
        right = max(left, page.get_charbox(last)[2])  # the rest of a divided word stands in the next line
        words.append(_Word(_Box(left, bottom, right, top), word.replace(_SOFT, "")))
    first = start + len(text) - len(text.lstrip())
    size, is_bold = float(raw.FPDFText_GetFontSize(page, first)), raw.FPDFText_GetFontWeight(page, first) >= _BOLD
    return _Printed(words, size if size > 1 else words[0].box.height, is_bold, number)


def _rules(page: Any) -> Iterator[_Box]:  # noqa: ANN401
    """The places of rules; of a box that was drawn, its sides."""
    fill, stroke = c_int(), c_int()
    for part in page.get_objects([raw.FPDF_PAGEOBJ_PATH]):
        box = _Box(*part.get_bounds())
        if min(box.right - box.left, box.top - box.bottom) < _THIN:
            yield box
        elif raw.FPDFPath_GetDrawMode(part, fill, stroke) and stroke.value:
            yield from (box._replace(right=box.left), box._replace(left=box.right))
            yield from (box._replace(top=box.bottom), box._replace(bottom=box.top))


class _Grid:
    """Rules that meet, and the rows and columns that they make."""

    def __init__(self, box: _Box, rules: Sequence[_Box], lines: Sequence[_Printed]) -> None:
        self.box = box
        self.flat = [rule for rule in rules if rule.right - rule.left > rule.top - rule.bottom]
        self.upright = [rule for rule in rules if rule.right - rule.left <= rule.top - rule.bottom]
        self.x = _levels([box.left, box.right, *(rule.left for rule in self.upright)])
        self.y = _levels([-box.top, -box.bottom, *(-rule.top for rule in self.flat)])
        pieces = [part.words for line in lines for part in line.pieces(_WIDE_GAP)]
        ends = [(self.at(words[0].box), self.at(words[-1].box)) for words in pieces]
        self.own = {one for one, other in ends if one == other}  # places with a text that stands in no other

    def at(self, word: _Box) -> tuple[int, int]:
        """The row and column in which the middle of the word is."""
        row = bisect(self.y, -(word.bottom + word.top) / 2) - 1
        column = bisect(self.x, (word.left + word.right) / 2) - 1
        return row, column

    def cell(self, row: int, column: int) -> tuple[int, int]:
        """Where the cell begins: it goes on where no rule is between, and no other text on its left."""
        x, y = self.x[column], -self.y[row]
        across, up = (x + self.x[column + 1]) / 2, (y - self.y[row + 1]) / 2
        is_open = not {(row, column - 1), (row, column)} <= self.own
        if column and is_open and not any(one.meets(_Box(x, up, x, up), _NEAR) for one in self.upright):
            return self.cell(row, column - 1)
        if row and not any(one.meets(_Box(across, y, across, y), _NEAR) for one in self.flat):
            return self.cell(row - 1, column)
        return row, column

    def put_into(self, lines: list[_Printed]) -> list[_Printed]:
        """The lines with one table in the place of what stands between the rules."""
        found, texts, place = list[_Printed](), dict[tuple[int, int], str](), 0
        rows, columns = range(len(self.y) - 1), range(len(self.x) - 1)
        for line in lines:
            outside = []
            for word in line.words:
                row, column = (-1, -1) if line.rows else self.at(word.box)
                if row in rows and column in columns:
                    cell = self.cell(row, column)
                    texts[cell], place = f"{texts.get(cell, '')} {word.text}".strip(), place or len(found) + 1
                else:
                    outside.append(word)
            found += [replace(line, words=outside)] if outside else []
        if any(len({cell[side] for cell in texts}) < 2 for side in (0, 1)):
            return lines  # it is a frame
        cells = [[texts.get(self.cell(row, column), "") for column in columns] for row in rows]
        words = [_Word(self.box, " ".join(texts.values()))]
        found.insert(place - 1, replace(lines[0], words=words, rows=[row for row in cells if any(row)]))
        return found


def _levels(places: list[float]) -> list[float]:
    """The places that are not near the one before."""
    ordered = sorted(places)
    return [ordered[0], *(b for a, b in pairwise(ordered) if b - a > _NEAR)]


def _with_tables(page: _Page) -> list[_Printed]:
    """The lines of a page, with what stands between rules that cross as one table."""
    groups: list[tuple[_Box, list[_Box]]] = []
    for rule in page.rules:
        near = [group for group in groups if group[0].meets(rule, _NEAR)]
        box = reduce(_Box.around, (group[0] for group in near), rule)
        joined = box, [rule, *(one for group in near for one in group[1])]
        groups = [*(one for one in groups if one not in near), joined]
    many = [group for group in groups if len(group[1]) > 2]
    return reduce(lambda lines, group: _Grid(group[0], group[1], lines).put_into(lines), many, page.lines)


def _without_running_heads(pages: Sequence[_Page], usual: float) -> Iterator[list[_Printed]]:
    """Lines that stand apart at the edge of a page go if other pages have them too, but for numbers.

    So does small print in the margin of a single page, unless it is a sentence.
    """
    edges = [_edges(page.lines) for page in pages]
    words = Counter(text for found in edges for text in {_NUMBER.sub("#", line.text) for line in found})
    for page, found in zip(pages, edges, strict=True):
        heads = []
        for line in found:
            is_marginal = abs(line.box.top / page.height - 0.5) > 0.43 and line.size < 0.9 * usual
            runs = words[_NUMBER.sub("#", line.text)] >= max(2, len(pages) / 2) or _PAGE_NUMBER.fullmatch(line.text)
            heads += [line.box] if runs or (is_marginal and line.text[-1] != ".") else []
        yield [line for line in page.lines if line.box not in heads]


def _edges(page: list[_Printed]) -> list[_Printed]:
    """The first and last lines of a page that stand apart from the text, or may be no rows of a table."""
    ordered, found = sorted(page, key=lambda line: -line.box.top), list[_Printed]()
    for lines in (ordered[: _EDGE + 1], ordered[: -_EDGE - 2 : -1]):
        gaps = [-a.box.beside(b.box) / a.box.height for a, b in pairwise(lines)]
        alone = sum(len(line.pieces(_WIDE_GAP)) < 2 for line in lines[:1])
        found += lines[: max((at for at, gap in enumerate(gaps, 1) if gap > _APART), default=alone)]
    return found


def _blocks(pages: Sequence[list[_Printed]], usual: float) -> Iterator[Block]:
    """Tables, and the text between them. A table that goes on on the next page has its header there too."""
    prose, before = list[_Printed](), list[list[str]]()  # the text, or the table, that nothing stands below yet
    at = 0  # the page of that table
    for page in pages:
        rows, place = _rows(page), 0
        while place < len(rows):
            line = rows[place].pieces[0]
            cells, count = (line.rows, 1) if line.rows else _table_at(rows, place)
            if place == 0 and before and cells and len(before[0]) == len(cells[0]):
                cells = cells if before[0] == cells[0] else [before[0], *cells]
                if not cells[1][0] and all(a or not b for a, b in zip(before[-1], cells[1], strict=True)):
                    before[-1] = _both(before[-1], cells.pop(1))
            yield from table(before, at)
            if cells:
                yield from paragraphs(_as_text(prose), usual)
            prose = [] if cells else prose + rows[place].lines
            before, at, place = cells, line.page, place + count
    yield from table(before, at)
    yield from paragraphs(_as_text(prose), usual)


def _rows(lines: Sequence[_Printed]) -> list[_Row]:
    """Lines and pieces of lines beside each other. A cell of several lines is printed before the one on its right."""
    rows, start = list[_Row](), 0  # of what goes on downwards
    for line in lines:
        for number, piece in enumerate([line] if line.rows else line.pieces(_WIDE_GAP)):
            box, at = piece.box, len(rows)
            while at > start and box.top > rows[at - 1].box.bottom + box.height / 4:
                at -= 1
            if at < len(rows) and _goes_on(box, rows[at:]):
                for row in rows[at + 1 :]:
                    rows[at].add(row.box, row.pieces, row.lines)
                del rows[at + 1 :]
            else:
                start, at = len(rows) if at < len(rows) or line.rows else start, len(rows)
                rows.append(_Row([], box, []))
            rows[at].add(box, [piece], [] if number else [line])
    return rows


def _goes_on(box: _Box, rows: Sequence[_Row]) -> bool:
    """Whether it goes on beside these rows, all but one of which are lines of a cell."""
    is_cell = len(rows) <= _TALLEST and sum(len(row.cells()) > 1 for row in rows) < 2 and not rows[0].pieces[0].rows
    return is_cell and not any(box.meets(piece.box, -1) for piece in rows[0].pieces)


def _table_at(rows: Sequence[_Row], place: int) -> tuple[list[list[str]], int]:
    """The cells of a table that begins here, if one does, and how many of the rows it takes.

    Cells of most of its rows stand below each other. Narrow gaps make one where there are many.
    """
    for gap in (_WIDE_GAP, _TIGHT_GAP):
        run = _run(rows[place:], gap)
        cells = [row.cells(gap) for row in run]
        columns = reduce(_widened, cells, list[_Box]())
        fit = sum(all(sum(cell.across(one) > 0 for one in columns) == 1 for cell in row) for row in cells)
        is_sure = (len(columns) > 2 and (len(run) > 3 or gap == _WIDE_GAP)) or (len(run) > 2 and gap == _WIDE_GAP)
        if sum(len(row) > 1 for row in cells) > 1 and fit > 0.6 * len(run) and is_sure:
            return _joined([_cells(row, columns) for row in run], run), len(run)
    return [], 1


def _run(rows: Sequence[_Row], gap: float) -> list[_Row]:
    """Rows with gaps, with narrower ones if they are as many, and of one cell between or, close, below them."""
    run, spaces, columns, count = list[_Row](), list[float](), list[_Box](), 0
    for row in rows:
        space, tight = _space(run[-1], row) if run else 0.0, row.is_row(_TIGHT_GAP) and len(row.cells(_TIGHT_GAP))
        is_row = tight and (row.is_row(gap) or tight == len(columns))
        is_alike = bool(run) and row.pieces[0].size == run[0].pieces[0].size and space < max(_APART, *spaces) * 1.2
        is_lone = is_alike and sum(row.box.across(column) > 0 for column in columns) == 1
        if row.pieces[0].rows or not -1 < space < _FAR or not (is_row or is_lone):
            break
        run.append(row)
        spaces.append(space)
        columns = _widened(columns, row.cells(gap))
        if is_row or (row.box.left > columns[0].right and space < min(spaces[1:]) + _SLACK):
            count = len(run)
    return run[:count]


def _space(one: _Row, other: _Row) -> float:
    return (one.box.bottom - other.box.top) / other.pieces[0].box.height


def _widened(columns: list[_Box], cells: list[_Box]) -> list[_Box]:
    """Where the columns reach from and to, by another row that has all of them, or more."""
    wider = [one.around(other) for one, other in zip(columns, cells, strict=False)]
    is_clear = all(one.right <= other.left for one, other in pairwise(wider))
    return cells if len(cells) > len(columns) else wider if len(cells) == len(columns) and is_clear else columns


def _cells(row: _Row, columns: Sequence[_Box]) -> list[str]:
    """Words go to the column that they stand in; a cell that stands in several is in each."""
    found = [""] * len(columns)
    for piece in row.pieces:
        parts = piece.pieces(_GAP) if sum(piece.box.across(column) > 0 for column in columns) > 1 else [piece]
        for part in parts:
            reach = [part.box.across(column) for column in columns]
            for at, by in enumerate(reach):
                if by == max(reach) or (by > 0 and len(parts) == 1):
                    found[at] = f"{found[at]} {part.text}".strip()
    return found


def _joined(cells: list[list[str]], run: Sequence[_Row]) -> list[list[str]]:
    """A row of one cell close to the row above or below is a line of that row's cell."""
    found, spaces = [cells[0]], [_space(one, other) for one, other in pairwise(run)]
    for at, (one, space) in enumerate(zip(cells[1:], spaces, strict=True)):
        lower, upper = ([place for place, cell in enumerate(row) if cell] for row in (one, found[-1]))
        goes_on = space < max(_CLOSE, min(spaces) + _SLACK) and len(lower) == 1 and (lower[0] > 0 or not found[-1][0])
        begins = space < _CLOSE and len(upper) == 1 and one[upper[0]] and (at < 1 or spaces[at - 1] > _CLOSE)
        found[-1:] = [_both(found[-1], one)] if goes_on or begins else [found[-1], one]
    return found


def _both(above: list[str], below: list[str]) -> list[str]:
    return [f"{one} {other}".strip() for one, other in zip(above, below, strict=True)]


def _as_text(lines: Sequence[_Printed]) -> list[Line]:
    columns: dict[tuple[int, int], _Box] = {}  # what begins at about the same place of a page
    for line in lines:
        column = line.page, round(line.box.left / _COLUMN)
        columns[column] = columns.get(column, line.box).around(line.box)
    usual, found = median([line.box.height for line in lines] or [1.0]), []
    for before, line in zip([*lines[:1], *lines], lines, strict=False):
        gap = (before.box.bottom - line.box.top) / usual if before.page == line.page else _NEW_PAGE
        left, _, right, _ = columns[line.page, round(line.box.left / _COLUMN)]
        reach = (line.box.right - left) / (right - left or 1)
        found.append(Line(line.text, line.page, line.size, line.is_bold, gap, reach))
    return found
