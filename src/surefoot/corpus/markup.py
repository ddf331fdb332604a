"""HTML and DOCX: formats that say what is a heading, a paragraph and a table."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.table import Table
from selectolax.lexbor import LexborHTMLParser

from surefoot.core.errors import UsageError
from surefoot.corpus.blocks import Block, heading_level, table

_UNREAD = ["script", "style", "noscript", "template", "svg", "nav", "footer", "iframe", "object", "button", "select"]
_IN_LINE = """
    a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time
    tt u var wbr
"""
_INLINE = frozenset(_IN_LINE.split())
_TAG = re.compile(
    r"<(/?)(?!(?:p|li|dt|dd|td|th|tr|thead|tbody|tfoot|option|optgroup|colgroup|area|base|br|col|embed|hr|img|input|link|"
    r"meta|source|track|wbr|html|head|body)\b)[a-z][^<>]*(?<!/)>",
    re.IGNORECASE,
)
_DEEPEST = 2_000
_MOST_TAGS = 2_000_000
_LARGEST = 64 * 1024 * 1024
_WIDEST = 20  # columns of one cell


def read_html(text: str) -> Iterator[Block]:
    """Text belongs to the nearest element around it that is not part of a line."""
    _check_depth(text)
    parser = LexborHTMLParser(text)
    parser.strip_tags(_UNREAD)
    around: dict[int, Any] = {}  # the nearest such element of each node; None inside a table that was read whole
    words: list[str] = []
    last: Any = None
    for node in parser.body.traverse(include_text=True) if parser.body is not None else ():
        tag, parent = node.tag, node.parent
        mine = around.get(parent.mem_id) if parent is not None else None
        if tag == "-text":
            if mine is not None and last is not None and mine.mem_id != last.mem_id:
                yield from _element(last, words)
                words = []
            if mine is not None:
                words.append(node.text(deep=False))
                last = mine
            continue
        around[node.mem_id] = mine if tag in _INLINE or (mine is None and around) else node
        if tag == "br":
            words.append("\n")
        elif tag == "table" and mine is not None and (rows := _rows(node)):
            if last is not None:
                yield from _element(last, words)
            words, last, around[node.mem_id] = [], None, None
            yield table(rows)
    if last is not None:
        yield from _element(last, words)


def _check_depth(text: str) -> None:
    """The parser's time grows with the square of the depth. Tags that need no closing do not count."""
    depth = 0
    if text.count("<") > _MOST_TAGS:
        raise UsageError(f"it has more than {_MOST_TAGS:,} tags", "split it, or save it as text")
    for match in _TAG.finditer(text):
        depth = max(0, depth - 1) if match[1] else depth + 1
        if depth > _DEEPEST:
            raise UsageError(f"its elements are nested more than {_DEEPEST:,} deep", "save it as plain HTML or text")


def _element(node: Any, words: list[str]) -> Iterator[Block]:  # noqa: ANN401 - the library has no types
    text = "".join(words)
    if node.tag != "pre":
        text = " ".join(text.split())
    if not text.strip():
        return
    if re.fullmatch("h[1-6]", node.tag):
        yield Block("heading", text, int(node.tag[1]))
    else:
        yield Block("text", text.strip("\n"))


def _rows(node: Any) -> list[list[str]]:  # noqa: ANN401
    """Of a table that holds data; one that only arranges a page has a table inside, or a single column."""
    if node.css_first("table table") is not None:
        return []
    rows = [[cell.text(separator=" ") for cell in row.css("th, td")] for row in node.css("tr")]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    return rows if len(rows) > 1 and max(map(len, rows)) > 1 else []


def read_docx(data: bytes) -> Iterator[Block]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > _LARGEST:
            raise UsageError(f"the Word file unpacks to {size:,} bytes", f"at most {_LARGEST:,} are read")
        document = Document(io.BytesIO(data))
    except UsageError:
        raise
    except Exception as error:  # the library raises what its parts raise
        raise UsageError(
            "the Word file cannot be opened", "open it in a word processor and save it as .docx"
        ) from error
    styles: dict[str | None, str] = {}
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            rows = _cells(part)
            if rows and rows[0]:
                yield table(rows)
            continue
        text, style_id = " ".join(part.text.split()), part._p.style  # its name is slow to look up
        if style_id not in styles:
            styles[style_id] = part.style.name if part.style is not None and part.style.name else ""
        style = styles[style_id]
        named = re.fullmatch(r"(?:Heading|Überschrift|Titre)\s*(\d)", style)
        level = int(named[1]) if named else heading_level(text)
        if text:
            is_heading = level or style == "Title"
            yield Block("heading", text, level) if is_heading else Block("text", text)


def _cells(part: Table) -> list[list[str]]:
    """As they are written, row by row; the library takes a file's word for how many columns a cell spans."""
    rows: list[list[str]] = []
    for row in part._tbl.tr_lst:
        cells: list[str] = []
        for cell in row.tc_lst:
            goes_on = cell.vMerge == "continue" and rows and len(cells) < len(rows[-1])
            text = rows[-1][len(cells)] if goes_on else "\n".join(paragraph.text for paragraph in cell.p_lst)
            cells += [text] * min(cell.grid_span, _WIDEST)
        rows.append(cells)
    return rows
