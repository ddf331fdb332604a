"""A report on a terminal, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.core.types import plain
from surefoot.report import blocks
from surefoot.report.blocks import Block, Line, Report

_STYLES = {
    "strong": "bold",
    "quiet": "dim",
    "warning": "yellow",
    "pass": "green",
    "fail": "bold red",
    "incomplete": "bold yellow",
    "undecidable": "yellow",
    "not_applicable": "dim",
    "waived": "magenta",
    "SHIP": "bold green",
    "BLOCK": "bold red",
    "INCONCLUSIVE": "bold yellow",
}
_INDENT = 4


def show(report: Report, console: Console) -> None:
    _blocks(report.body, console)
    if report.body and report.summary:
        console.print()
    _blocks(report.summary[::-1], console)


def _blocks(parts: Sequence[Block], console: Console) -> None:
    for at, block in enumerate(parts):
        opened = isinstance(block, blocks.Section) and block.show == "open"
        if at and (opened or isinstance(block, (blocks.Table, blocks.Bars, blocks.Cases))):
            console.print()
        _block(block, console)


def _block(block: Block, console: Console) -> None:
    match block:
        case blocks.Section(show="open"):
            _write(_text(block.title), console, "strong")
            _blocks(block.blocks, console)
        case blocks.Section(hint=hint) if hint:
            _write(_text(hint), console, "quiet")
        case blocks.Headline():
            for line in block.spoken():
                _write(_text(line), console)
        case blocks.Paragraph():
            _write(_text(block.line), console, block.style)
        case blocks.Quote():
            for line in block.text[: blocks.LONGEST_QUOTE].splitlines():
                _write(Text(plain(line, blocks.LONGEST_QUOTE)), console, indent=_INDENT)
        case blocks.Items():
            for line in (*block.shown("terminal"), block.unshown("terminal")):
                _write(_text(line), console, block.style)
        case blocks.Table():
            _table(block, console)
        case blocks.Cases(limits={"terminal": 0}):
            pass
        case blocks.Bars() | blocks.Cases():
            _table(block.table(), console)
        case blocks.Columns():
            for part in block.parts:
                _blocks(part, console)
        case blocks.Section():
            pass


def _text(line: Line, longest: int = blocks.LONGEST_LINE) -> Text:
    words = ((plain(span.text, longest), _STYLES.get(span.style, "")) for span in blocks.spans(line))
    return Text(" ").join(Text(text, style) for text, style in words)


def _write(text: Text, console: Console, style: str = "", indent: int = 0) -> None:
    """Wrapped between words for a person; in one line for whoever searches the output."""
    if not text.plain:
        return
    for line in text.wrap(console, console.width - indent) if console.is_terminal else [text]:
        line.rstrip()
        console.print(Text(" " * indent).append(line), style=_STYLES.get(style, ""), soft_wrap=True)


def _table(block: blocks.Table, console: Console) -> None:
    """Cells are wrapped for a person, and in one line for whoever searches the output."""
    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for head in block.heads[: len(block.heads) - block.on_paper]:
        made.add_column(Text(plain(head)), overflow="fold")
    for row in block.shown("terminal"):
        made.add_row(*(_text(cell, blocks.LONGEST_CELL) for cell in row[: len(made.columns)]))
    wide = console.options.update(width=console.width if console.is_terminal else 10_000)
    for line in console.render_lines(made, wide, pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        console.print(text, soft_wrap=True)
    _write(Text(block.unshown("terminal")), console, "quiet")
