"""A report as Markdown, line by line: its length may grow with the traces, its memory does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from surefoot.core.types import plain
from surefoot.report import blocks
from surefoot.report.blocks import Block, Line, Report, Span

_LINKED = re.compile(r"(:|www)(//|\.)", re.IGNORECASE)  # what readers of Markdown make a link of by themselves
_MARKUP = re.compile(r"([\\`*\[\]|#~]|(?<!\w)_|_(?!\w))")  # an underscore inside a word is none


def lines(report: Report) -> Iterator[str]:
    yield f"# {escape(report.title)}"
    yield from _blocks((*report.summary, *report.body))


def _blocks(parts: Sequence[Block]) -> Iterator[str]:
    before: Block | None = None
    for block in parts:
        if isinstance(block, blocks.Items) and not block.entries:
            continue
        if not (isinstance(block, blocks.Items) and isinstance(before, blocks.Items)):  # two lists are written as one
            yield ""
        yield from _block(block)
        before = block


def _block(block: Block) -> Iterator[str]:
    match block:
        case blocks.Section(show="folded"):
            yield f"<details><summary>{_text(block.title)}</summary>"
            yield from _blocks(block.blocks)
            yield from ("", "</details>")
        case blocks.Section():
            yield f"## {_text(block.title)}"
            yield from _blocks(block.blocks)
        case blocks.Headline():
            yield "\n\n".join(map(_text, block.spoken()))
        case blocks.Paragraph():
            yield _text(block.line)
        case blocks.Quote():
            yield f"> {escape(block.text, blocks.LONGEST_QUOTE)}"
        case blocks.Items():
            yield from (f"- {_text(line)}" for line in (*block.shown("markdown"), block.unshown("markdown")) if line)
        case blocks.Table():
            yield from _table(block)
        case blocks.Cases(limits={"markdown": 0}):
            pass
        case blocks.Bars() | blocks.Cases():
            yield from _table(block.table())
        case blocks.Columns():
            for part in block.parts:
                yield from _blocks(part)


def _table(block: blocks.Table) -> Iterator[str]:
    yield _row(block.heads)
    yield "|---" * len(block.heads) + "|"
    yield from map(_row, block.shown("markdown"))
    if more := block.unshown("markdown"):
        yield from ("", f"{more[:1].upper()}{more[1:]}.")


def _row(cells: Sequence[Line]) -> str:
    return f"| {' | '.join(_text(cell, blocks.LONGEST_CELL) for cell in cells)} |"


def _text(line: Line, longest: int = blocks.LONGEST_LINE) -> str:
    return " ".join(_span(span, longest) for span in blocks.spans(line))


def _span(span: Span, longest: int) -> str:
    if span.style == "code":  # nothing in it is markup, but what ends it, or the cell of a table
        return "`" + plain(span.text, longest).replace("`", "'").replace("|", "\\|") + "`"
    words = escape(span.text, longest)
    return f"**{words}**" if span.style in blocks.STRONG else words


def escape(text: str, longest: int = blocks.LONGEST_LINE) -> str:
    """Text without markup, HTML, links or the end of a table's cell."""
    unlinked = _LINKED.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", plain(text, longest)))
    return unlinked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
