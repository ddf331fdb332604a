"""Foreign text as a person reads it: its Markdown becomes headings, lists, tables and emphasis.

Nothing in it can act: links, pictures and HTML stay the text they are, and no character steers the display.

Every piece of it knows where it stands in the source, so that words can be marked in it. Where not all words of a text
would be shown, the whole text is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple
from unicodedata import category

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

_LONGEST = 30_000  # characters; longer ones are shown as they are
_INERT = ("reference", "html_block", "code", "html_inline", "autolink", "link", "image", "entity", "escape")
_READER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(list(_INERT))
_BLOCKS = {
    "paragraph": ("<p>", "</p>"), "heading": ('<p class="heading">', "</p>"), "bullet_list": ("<ul>", "</ul>"),
    "ordered_list": ('<ul class="numbered">', "</ul>"), "list_item": ("<li>", "</li>"),
    "blockquote": ("<blockquote>", "</blockquote>"), "tr": ("<tr>", "</tr>"), "th": ('<th scope="col">', "</th>"),
    "td": ("<td>", "</td>"), "thead": ("<thead>", "</thead>"), "tbody": ("<tbody>", "</tbody>"),
    "table": ('<div class="wide" role="group" aria-label="Table" tabindex="0"><table>', "</table></div>"),
}  # fmt: skip
_INLINE = ("strong", "em")
_ROWS = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)  # lines between pipes
_LINE = re.compile(r".+")
_CELL = re.compile(r"\|[ \t]*((?:[^|\\\n]|\\.)*?)[ \t]*(?=\|)")
_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # some scripts cannot be written without them, and they move nothing


class _Characters(dict[int, int]):
    """What each character becomes: itself, or the sign for one that cannot be shown."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        steers = category(char) in _STEERING and char not in "\n\t" + _JOINERS
        self[code] = 0xFFFD if steers else code
        return self[code]


_CHARACTERS = _Characters({0x0D: 0x0A})


def visible(foreign: str) -> str:
    """As long as it was, so that positions stay; control and direction-changing characters become visible."""
    return foreign.replace("\r\n", " \n").translate(_CHARACTERS)


class Piece(NamedTuple):
    """A part of the source that is shown, and the tags around it."""

    start: int
    end: int
    tags: tuple[str, ...] = ()


Paint = Callable[[Sequence[Piece]], Markup]


def rendered(text: str, paint: Paint) -> Markup:
    """`paint` makes markup of the pieces of one paragraph, heading or cell.

    Rows between pipes are a table, whether or not Markdown takes them for one.
    """
    found, at = list[Markup](), 0
    for rows in _ROWS.finditer(text) if "```" not in text else ():
        found += [_prose(text, at, rows.start(), paint) or paint([Piece(at, rows.start())])] * (at < rows.start())
        at = rows.end()
        found.append(_prose(text, rows.start(), at, paint, "<table>") or _table(text, rows.start(), at, paint))
    return Markup("").join([*found, _prose(text, at, len(text), paint) or paint([Piece(at, len(text))])])


def _prose(text: str, start: int, end: int, paint: Paint, wanted: str = "") -> Markup | None:
    """A part of a text by its Markdown; None where not all of its words, or not what is wanted, would be shown."""
    if end - start > _LONGEST:
        return None
    walk = _Walk(
        text[start:end], lambda some: paint([Piece(one.start + start, one.end + start, one.tags) for one in some])
    )
    made = Markup("").join(walk.parts) if walk.read(_READER.parse(walk.text)) else None
    return made if made is not None and wanted in made else None


def _table(text: str, start: int, end: int, paint: Paint) -> Markup:
    rows = [
        [Markup("<td>{}</td>").format(paint([Piece(*cell.span(1))])) for cell in _CELL.finditer(text, *line.span())]
        for line in _LINE.finditer(text, start, end) if line.group().strip(" \t|:+-")
    ]  # fmt: skip
    body = Markup("").join(Markup("<tr>{}</tr>").format(Markup("").join(cells)) for cells in rows)
    return Markup("{}{}{}").format(Markup(_BLOCKS["table"][0]), body, Markup(_BLOCKS["table"][1]))


def inside_tags(piece: Piece, inside: Iterable[Markup]) -> Markup:
    """The tags of a piece around what is made of it."""
    found = Markup("").join(inside)
    for tag in reversed(piece.tags):
        found = Markup("<{0}>{1}</{0}>").format(Markup(tag), found)
    return found


def plain_markdown(text: str) -> Markup:
    """Without marks."""
    return rendered(
        text, lambda pieces: Markup("").join(inside_tags(p, [escape(text[p.start : p.end])]) for p in pieces)
    )


def _pieces(found: Sequence[tuple[str, int, int]], literal: set[int]) -> Iterator[Piece]:
    tags: tuple[str, ...] = ()
    for at, (kind, start, end) in enumerate(found):
        name, _, side = kind.rpartition("_")
        if name not in _INLINE or at in literal:
            yield Piece(start, end, (*tags, "code") if kind == "code_inline" else tags)
        else:
            tags = (*tags, name) if side == "open" else tags[:-1]


class _Walk:
    """Goes through the tokens and finds each of their texts in the source, one behind the other."""

    def __init__(self, text: str, paint: Paint) -> None:
        self.text, self.paint = text, paint
        self.parts: list[Markup] = []
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]  # where each line begins
        self._at = 0  # all before it is shown, or is not to be shown

    def read(self, tokens: Iterable[Token]) -> bool:
        """False when words of the source would be lost."""
        return all(self._read(token) for token in tokens) and not self._has_words(len(self.text))

    def _read(self, token: Token) -> bool:
        if token.type == "inline":
            return self._inline(token)
        if token.type == "fence":
            return self._fence(token)
        name, _, side = token.type.rpartition("_")
        if token.type == "th_close" and not self.parts[-1]:  # a header that says nothing is none
            self.parts[-2:] = [Markup("<td></td>")]
        elif name in _BLOCKS and not token.hidden:
            self.parts.append(Markup(_BLOCKS[name][side == "close"]))
        if token.type == "list_item_open" and token.info:
            number = self._find(token.info + token.markup, len(self.text))
            self.parts.append(escape(f"{token.info}{token.markup} "))
            return number is not None
        return True

    def _inline(self, token: Token) -> bool:
        end = self._lines[token.map[1]] if token.map else len(self.text)
        found: list[tuple[str, int, int]] = []  # tokens, and where they begin and end
        for child in token.children or ():
            words = "\n" if child.type in ("softbreak", "hardbreak") else child.content or child.markup
            if not words:
                continue
            start = self._find(words, end)
            if start is None:
                return False
            found.append((child.type, start, self._at))
        self.parts.append(self.paint(list(_pieces(found, self._within_words(found)))))
        return True

    def _within_words(self, found: Sequence[tuple[str, int, int]]) -> set[int]:
        """Signs of emphasis that are none: in 2*3*4 they are part of what is said."""
        opened: list[int] = []
        inside: set[int] = set()
        for at, (kind, _, end) in enumerate(found):
            if kind.endswith("_open"):
                opened.append(at)
            elif kind.endswith("_close"):
                first = opened.pop()
                before, after = self.text[: found[first][1]][-1:], self.text[end : end + 1]
                inside |= {first, at} if before.isalnum() or after.isalnum() else set()
        return inside

    def _fence(self, token: Token) -> bool:
        first, last = token.map or (0, 0)
        start, end = max(self._at, self._lines[first]), min(self._lines[last], len(self.text))
        rows = self.text[start:end].split("\n")
        if not token.info.strip():  # nothing but the fence
            start += len(rows[0]) + 1
        if rows[-1] == "":
            end -= 1
            rows.pop()
        if len(rows) > 1 and not rows[-1].strip(" >`~"):
            end -= len(rows[-1]) + 1
        self.parts.append(Markup("<pre>{}</pre>").format(self.paint([Piece(start, max(start, end))])))
        self._at = max(self._at, end)
        return True

    def _find(self, words: str, end: int) -> int | None:
        """Where some words stand next; None where others would be passed over."""
        start = self.text.find(words, self._at, end)
        if start < 0 or self._has_words(start):
            return None
        self._at = start + len(words)
        return start

    def _has_words(self, end: int) -> bool:
        return any(map(str.isalnum, self.text[self._at : end]))
