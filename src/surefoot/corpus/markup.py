"""HTML and what office programs write: formats that say what is a heading, a paragraph and a table."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from itertools import accumulate, groupby
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.files import library
from surefoot.corpus.blocks import Block, heading_level, table

_UNREAD = ["script", "style", "noscript", "template", "svg", "nav", "footer", "iframe", "object", "button", "select"]
_IN_LINE = """
    a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time
    tt u var wbr
"""
_INLINE = frozenset(_IN_LINE.split())
_ASIDE = "dialog, [role=dialog], [role=navigation], div:is([id*=cookie i], [class*=cookie i]):not(:has(h1))"
_TAG = re.compile(r"<(/?)(?:div|span|font|b|i|a|em|strong|u|ul|ol|dl|table|center|blockquote)\b[^<>]*>", re.IGNORECASE)
_DEEPEST = 2_000
_MOST_TAGS = 2_000_000
_LARGEST = 64 * 1024 * 1024
_WIDEST = 20  # columns of one cell
_HEADING = re.compile(r"(?:heading|überschrift|titre)\s*(\d)|title", re.IGNORECASE)
_TITLE = re.compile(r"[^\W\d_].{1,98}[^\W_]\)?")  # of a sheet
_PART = re.compile(r"word/document\.xml|(?:word/)?styles\.xml|content\.xml|ppt/slides/slide\d+\.xml")
_PARAGRAPHS, _TABLES = frozenset({"p", "h"}), frozenset({"tbl", "table"})
_WORDS, _SPACES = ("t", "p", "h", "span", "a"), ("tab", "br", "cr", "s", "line-break")
_UNSAID = ("del", "moveFrom", "instrText", "Fallback", "tracked-changes", "annotation", "table-of-content")


def read_html(text: str) -> Iterator[Block]:
    """Text belongs to the nearest element around it that is not part of a line."""
    depth = max(accumulate(-1 if tag[1] else 1 for tag in _TAG.finditer(text)), default=0)
    if depth > _DEEPEST or text.count("<") > _MOST_TAGS:  # the parser's time grows with the square of the depth
        what = f"it has more than {_MOST_TAGS:,} tags, or they are nested more than {_DEEPEST:,} deep"
        raise UsageError(what, "split it, or save it as text")
    parser = library("selectolax.lexbor", "documents").LexborHTMLParser(text)
    parser.strip_tags(_UNREAD)
    while aside := parser.css_first(_ASIDE):
        aside.decompose()
    for _, group in groupby(_texts(parser.body) if parser.body else (), lambda one: one[0].mem_id):
        nodes, texts = zip(*group, strict=True)
        tag, text = nodes[0].tag, "".join(texts)
        text = text.strip("\n") if tag in ("pre", "table") else " ".join(text.split())
        level = int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
        if text.strip():
            yield Block("heading" if level else "table" if tag == "table" else "text", text, level)


def _texts(body: Any) -> Iterator[tuple[Any, str]]:  # noqa: ANN401 - the library has no types
    """Pieces of text, each with its element; a table of data is one piece."""
    around: dict[int, Any] = {body.parent.mem_id: body}  # None inside a table that was read whole
    for node in body.traverse(include_text=True):
        above = around[node.parent.mem_id]
        if above is not None and node.tag in ("-text", "br"):
            yield above, "\n" if node.tag == "br" else node.text(deep=False)
        tables = [*table(_rows(node))] if above is not None and node.tag == "table" else []
        yield from ((node, one.text) for one in tables)
        around[node.mem_id] = None if tables else above if node.tag in _INLINE or above is None else node


def _rows(node: Any) -> list[list[str]]:  # noqa: ANN401
    """Of a table that holds data; one that only arranges a page has a table inside, or a single column."""
    if node.css_first("table table") is not None:
        return []
    rows = [[cell.text(separator=" ") for cell in row.css("th, td")] for row in node.css("tr")]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    return rows if len(rows) > 1 and max(map(len, rows)) > 1 else []


def read_office(data: bytes) -> Iterator[Block]:
    """DOCX, PPTX and ODT: packed XML, whose elements have much the same names. A slide is a page."""
    with _unpacked(data) as parts:
        trees = {name: ElementTree.fromstring(parts.read(name)) for name in parts.namelist() if _PART.fullmatch(name)}
        styles = {style: level for tree in trees.values() for style, level in _styles(tree)}
        slides = sorted((name for name in trees if "slide" in name), key=lambda name: (len(name), name))
        for number, name in enumerate(slides or [name for name in trees if "style" not in name], 1):
            page = number if slides else None
            for node, is_title in _parts(trees[name], _PARAGRAPHS | _TABLES):
                if _tag(node) in _TABLES:
                    yield from table(_cells(node), page)
                elif text := " ".join(_text(node).split()):
                    named = node.find("{*}pPr/{*}pStyle")
                    style = _value(node if named is None else named, "style-name", "val")
                    outline = _value(node, "outline-level") or styles.get(style, str(heading_level(text) or ""))
                    level = ("1" if number == 1 else "2") if is_title else outline
                    yield Block("heading", text, int(level), page) if level else Block("text", text, 0, page)


@contextmanager
def _unpacked(data: bytes) -> Iterator[zipfile.ZipFile]:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UsageError("it is encrypted, or of Office 97", "save a copy without a password, in a format of today")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if (size := sum(part.file_size for part in parts.infolist())) > _LARGEST:
                raise UsageError(f"it unpacks to {size:,} bytes", f"at most {_LARGEST:,} are read")
            yield parts
    except SurefootError:
        raise
    except Exception as error:  # the libraries raise what their parts raise
        raise UsageError("it is damaged or cut off", "open it in an office program and save it again") from error


def _tag(node: Element) -> str:
    return node.tag.rpartition("}")[2]


def _value(node: Element | None, *names: str) -> str:
    """Of the first attribute with such a name."""
    values = node.attrib.items() if node is not None else ()
    return next((value for name, value in values if name.rpartition("}")[2] in names), "")


def _styles(tree: Element) -> Iterator[tuple[str, str]]:
    """The styles of headings and titles, and their levels."""
    for node in tree.iterfind(".//{*}style"):
        shown = _value(node.find("{*}name"), "val"), _value(node, "name"), _value(node, "parent-style-name")
        if named := next(filter(None, map(_HEADING.fullmatch, shown)), None):
            yield _value(node, "styleId") or shown[1], named[1] or "0"


def _parts(node: Element, tags: Container[str], is_title: bool = False) -> Iterator[tuple[Element, bool]]:
    """The nearest elements inside with such a tag, and whether they are in the title of a slide."""
    for child in node:
        role = _value(child.find("{*}nvSpPr/{*}nvPr/{*}ph"), "type")
        if _tag(child) in tags:
            yield child, is_title
        elif _tag(child) not in _UNSAID and role not in ("ftr", "sldNum", "dt"):
            yield from _parts(child, tags, is_title or role in ("title", "ctrTitle"))


def _text(node: Element) -> str:
    if _tag(node) in _UNSAID:
        return ""
    own = " " if _tag(node) in _SPACES else node.text or "" if _tag(node) in _WORDS else ""
    return own + "".join(_text(child) + (child.tail or "") for child in node)


def _cells(node: Element) -> list[list[str]]:
    """A cell that spans several places is in each of them; a file's word for how many is not taken."""
    rows: list[list[str]] = []
    for row, _ in _parts(node, ("tr", "table-row")):
        cells, left = list[str](), 0  # how far the last cell spans
        for cell, _ in _parts(row, ("tc", "table-cell", "covered-table-cell")):
            text = " ".join(_text(part) for part, _ in _parts(cell, _PARAGRAPHS))
            merged = cell.find("{*}tcPr/{*}vMerge")
            is_below = merged is not None and _value(merged, "val") != "restart"
            if left:
                text, left = cells[-1], left - 1
            elif is_below or _value(cell, "vMerge") or _tag(cell) == "covered-table-cell":
                text = rows[-1][len(cells)] if rows and len(cells) < len(rows[-1]) else ""
            left = left or int(_value(cell, "gridSpan", "number-columns-spanned") or 1) - 1
            times = _value(cell.find("{*}tcPr/{*}gridSpan"), "val") or _value(cell, "number-columns-repeated")
            cells += [text] * min(int(times or 1), _WIDEST)
        rows.append(cells)
    return rows


def read_workbook(data: bytes) -> Iterator[Block]:
    """Each sheet. Rows of one cell above a table are text; the first of all is the title, if the workbook has none."""
    with _unpacked(data):
        book = library("openpyxl", "office").load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        title = " ".join((book.properties.title or "").split())
        yield from [Block("heading", title, 1)] if title else []
        for place, sheet in enumerate(book):
            groups = groupby(([_shown(cell) for cell in row] for row in sheet.iter_rows()), any)
            filled = (list(group) for is_filled, group in groups if is_filled)
            top = next(filled, [])
            said = " ".join("".join(top[0]).split()) if top and sum(map(bool, top[0])) == 1 else ""
            if not (place or title) and _TITLE.fullmatch(said):
                yield Block("heading", said, 1)
                top = top[1:]
            yield Block("heading", sheet.title, 3)
            for rows in (top, *filled):
                while rows and sum(map(bool, rows[0])) < 2:
                    yield Block("text", "".join(rows.pop(0)))
                yield from table(rows)


def _shown(cell: Any) -> str:  # noqa: ANN401
    """As its format shows it, as far as that is money, a share or a date."""
    value, form = cell.value, re.search(r"0(?:\.(0+))?(%)?", str(cell.number_format))
    if isinstance(value, float | int) and form:
        return f"{value:{',' * ('#,#' in form.string)}.{len(form[1] or '')}{'%' if form[2] else 'f'}}"
    return "" if value is None else str(value).removesuffix(" 00:00:00")
