"""What a document is made of, whatever its format: headings, paragraphs and tables, in order.

Most formats say where a paragraph ends. Plain text and PDF have lines only, of which `paragraphs` makes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text.citations import ITEM, label_of

_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
_LONGEST_HEADING = 100
_SHORT, _MOST_WORDS = 0.75, 10  # of a line that only names what comes below it: its share of the width, its words
_WIDE = 120  # characters: lines this long are paragraphs, not lines of one


_DIVIDED = "\ufffe"  # where a word was divided; so does the library for PDF say it
_WORD, _PARTS = re.compile(r"\w+"), re.compile(rf"((?:\b\w+)?){_DIVIDED}(\w*)")


class Block(Struct, frozen=True):
    kind: Literal["heading", "text", "table", "unread"]
    text: str
    level: int = 0  # of a heading: 1 is the highest
    page: int | None = None


class Line(Struct, frozen=True):
    """A line of text as it is printed."""

    text: str
    page: int | None = None
    size: float = 0.0  # of its letters; 0 where nothing is known
    is_bold: bool = False
    gap: float = 0.0  # white space above, in heights of a line
    reach: float = 1.0  # how much of the column's width it fills


def heading_level(text: str) -> int:
    """Of a line that reads like a heading, by its label or its capitals; 0 if it does not."""
    label, words = label_of(text), text.split()
    if not 0 < len(words) <= 12 or len(text) > _LONGEST_HEADING or _ENDS.search(text.rstrip(".")) or text[-1] == ",":
        return 0
    rest = text[len(label) :]
    long = [word for word in re.findall(r"[^\W\d_]+", rest) if len(word) > 3]
    is_title = text[-1] != "." and sum(word[0].isupper() for word in long) > len(long) / 2
    if label and (is_title or rest.isupper()):
        return 1 + label.count(".") * label[0].isdigit()
    return int(text.isupper() and sum(map(str.isalpha, text)) > 3)


def paragraphs(lines: Sequence[Line], usual: float = 0.0) -> Iterator[Block]:
    """Headings and paragraphs of printed lines. An empty line ends a paragraph; so do the signs of a new one.

    `usual` is the size of letters in the text of the document.
    """
    is_wide = median([len(line.text) for line in lines if line.text] or [0]) > _WIDE
    found, above = list[Line](), 0  # lines of what is not at its end, and its level
    for place, line in enumerate(lines):
        level = (_level(line, usual) or _section_level(lines, place)) if line.text else 0
        begins = not _goes_on(line, lines[place - 1], usual) if level else is_wide or _begins(line, lines[place - 1])
        if found and (not line.text or level != above or begins):
            yield _block(found, above)
            found = []
        if line.text:
            found.append(line)
            above = level
    if found:
        yield _block(found, above)


def _goes_on(line: Line, before: Line, usual: float) -> bool:
    """Whether a heading goes on here: in letters of one size, close below."""
    is_alike = 0 < line.size == before.size and line.is_bold == before.is_bold and line.page == before.page
    return is_alike and line.gap * usual < 0.4 * line.size and not label_of(line.text)


def _level(line: Line, usual: float) -> int:
    if line.size > 1.15 * usual and len(line.text) <= _LONGEST_HEADING and not line.text.endswith((".", ",", ";")):
        return 1 if line.size > 1.5 * usual else 2
    if line.is_bold and len(line.text) <= _LONGEST_HEADING and line.gap > 0.3 and not _ENDS.search(line.text):
        return heading_level(line.text) or 2
    return heading_level(line.text)


def _section_level(lines: Sequence[Line], place: int) -> int:
    """Of a numbered line of its own above a text, as "5. Limitation of liability". In a list, other numbers follow."""
    line, label = lines[place], label_of(lines[place].text)
    title = line.text[len(label) :].strip(" .:-–§")
    before = lines[place - 1].text if place else ""
    below = next((one.text for one in lines[place + 1 : place + 3] if one.text), "")
    is_short = line.reach < _SHORT and len(line.text.split()) <= _MOST_WORDS and not _ENDS.search(line.text)
    begins = title[:1].isupper() and (not before or bool(_ENDS.search(before)))
    has_text = below[:1].isupper() and not label_of(below) and not ITEM.match(below)
    is_section = label[:1].isdigit() and is_short and begins and has_text
    return 1 + label.count(".") if is_section else 0


def _begins(line: Line, before: Line) -> bool:
    """Whether a paragraph begins here, seen from the line before."""
    ends, is_label = bool(_ENDS.search(before.text)), bool(label_of(line.text))
    is_short = before.reach < (0.85 if is_label else 0.75) and (is_label or (ends and line.text[:1].isupper()))
    return line.gap > 0.6 or bool(ITEM.match(line.text)) or (is_label and ends) or is_short


def _block(lines: Sequence[Line], level: int) -> Block:
    text = re.sub(r"(?<=[^\W\d_])-\n(?=[^\W\d_])", _DIVIDED, "\n".join(line.text for line in lines)).replace("\n", " ")
    return Block("heading" if level else "text", text, level, lines[0].page)


def undivided(blocks: Iterable[Block]) -> list[Block]:
    """A word that was divided at the end of a line is made whole if the document has it elsewhere."""
    every = list(blocks)
    known = {word[0] for block in every for word in _WORD.finditer(block.text.lower())}

    def whole(word: re.Match[str]) -> str:
        return ("" if f"{word[1]}{word[2]}".lower() in known else "-").join(word.groups())

    return [replace(block, text=_PARTS.sub(whole, block.text)) for block in every]


def table(rows: Iterable[Sequence[str]], page: int | None = None) -> Iterator[Block]:
    """Rows of cells, the first of them the header, without those that are empty; no table where none is left."""
    cells = [[" ".join(cell.split()).replace("|", "/") for cell in row] for row in rows]
    width = max((at for row in cells for at, cell in enumerate(row, 1) if cell), default=0)
    lines = [f"| {' | '.join((row + [''] * width)[:width])} |" for row in cells if any(row)]
    if lines:
        yield Block("table", "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]), 0, page)
