"""Foreign text as a person reads it: tables are tables, and what Markdown sets in bold or as code is.

Nothing in it can act: links, pictures and HTML stay the text they are, and no character steers the display. Lines stay
as they are, so whoever shows it keeps white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import category

from markupsafe import Markup, escape

_INLINE = re.compile(
    r"^\#{1,6}[ ]+(?P<heading>.*\S)|(?<![\w*`])(?:\*\*(?P<strong>[^\s*](?:[^*\n]*[^\s*])?)\*\*"
    r"|\*(?P<em>[^\s*](?:[^*\n]*[^\s*])?)\*|`(?P<code>[^`\n]+)`)(?![\w*`])",
    re.MULTILINE,
)
_AROUND = {
    "heading": Markup("<strong>{}</strong>"), "strong": Markup("<strong>{}</strong>"), "em": Markup("<em>{}</em>"),
    "code": Markup("<code>{}</code>"),
}  # fmt: skip
_ROWS = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)  # lines between pipes
_LINE = re.compile(r".+")
_CELL = re.compile(r"\|[ \t]*((?:[^|\\\n]|\\.)*?)[ \t]*(?=\|)")
_TABLE = Markup('<div class="wide" role="group" aria-label="Table" tabindex="0"><table>{}</table></div>')
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


class Mark(NamedTuple):
    """A part of a text, and our markup around it, where `{}` stands for the part; without that it is hidden."""

    start: int
    end: int
    around: Markup


Layer = Sequence[Mark]  # in order, and none over another


def rendered(text: str, outer: Layer = (), *inner: Layer) -> Markup:
    """`outer` marks go around what Markdown sets in bold, `inner` ones stand within it."""
    layers, found, at = (outer, list(_inline(text)), *inner), list[Markup](), 0
    for rows in _ROWS.finditer(text) if "```" not in text else ():
        found += [_painted(text, at, rows.start(), layers), _TABLE.format(_table(text, *rows.span(), layers))]
        at = rows.end()
    return Markup("").join([*found, _painted(text, at, len(text), layers)])


def _inline(text: str) -> Iterator[Mark]:
    for found in _INLINE.finditer(text):
        kind = str(found.lastgroup)
        start, end = found.span(kind)
        yield from (Mark(found.start(), start, Markup("")), Mark(start, end, _AROUND[kind]))
        yield Mark(end, found.end(), Markup(""))


def _table(text: str, start: int, end: int, layers: Sequence[Layer]) -> Markup:
    lines, rows = list(_LINE.finditer(text, start, end)), list[Markup]()
    for number, line in enumerate(lines):
        if line.group().strip(" \t|:+-") or number != 1:
            is_head = not number and not lines[1].group().strip(" \t|:+-")
            cells = [
                Markup('<th scope="col">{}</th>' if is_head and cell[1] else "<td>{}</td>").format(
                    _painted(text, *cell.span(1), layers)
                )
                for cell in _CELL.finditer(text, *line.span())
            ]
            rows.append(Markup("<tr>{}</tr>").format(Markup("").join(cells)))
    return Markup("").join(rows)


def _painted(text: str, start: int, end: int, layers: Sequence[Layer]) -> Markup:
    if not layers:
        return escape(text[start:end])
    layer, *rest = layers
    found = list[Markup]()
    for mark in layer:
        first, last = max(mark.start, start), min(mark.end, end)
        if first < last:
            inside = _painted(text, first, last, rest) if mark.around else Markup("")
            found += [_painted(text, start, first, rest), mark.around.format(inside)]
            start = last
    return Markup("").join([*found, _painted(text, start, end, rest)])
