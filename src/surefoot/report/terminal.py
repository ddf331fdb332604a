"""A report on a terminal, readable at 80 columns.

A table that is too wide first breaks the cells of its last columns in two, an interval below its value, and then writes
the columns that still do not fit below their row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
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
_GAP = "  "
_INDENT = 4
_UNKNOWN = ("", "-")


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
        case blocks.Trend():
            _table(block.numbers, console)
        case blocks.Cases(limits={"terminal": 0}):
            pass
        case blocks.Bars() | blocks.Cases():
            _table(block.table(), console)
        case blocks.Columns():
            for part in block.parts:
                _blocks(part, console)
        case blocks.Section():
            pass


def _text(line: Line, longest: int = blocks.LONGEST_LINE, *, in_two: bool = False) -> Text:
    words = [(plain(span.text, longest), _STYLES.get(span.style, "")) for span in blocks.spans(line)]
    if in_two:
        words = [(text.replace(" (", "\n("), style) for text, style in words]
    return Text("\n" if in_two else " ").join(Text(text, style) for text, style in words)


def _write(text: Text, console: Console, style: str = "", indent: int = 0) -> None:
    """Wrapped between words for a person; in one line for whoever searches the output."""
    if not text.plain:
        return
    for line in text.wrap(console, console.width - indent) if console.is_terminal else [text]:
        line.rstrip()
        console.print(Text(" " * indent).append(line), style=_STYLES.get(style, ""), soft_wrap=True)


def _table(block: blocks.Table, console: Console) -> None:
    heads = block.heads[: len(block.heads) - block.on_paper]
    rows = [row[: len(heads)] for row in block.shown("terminal")]
    whole = [[_text(cell, blocks.LONGEST_CELL) for cell in row] for row in rows]
    split = [[_text(cell, blocks.LONGEST_CELL, in_two=True) for cell in row] for row in rows]
    heading = [Text(plain(head)) for head in heads]
    beside, in_two = _fit(_widths([heading, *whole]), _widths([heading, *split]), console.width)
    lines = [[*one[: beside - in_two], *two[beside - in_two : beside]] for one, two in zip(whole, split, strict=True)]
    widths = _widths([heading[:beside], *lines])
    _print_row(heading[:beside], widths, console, "bold")
    for line, cells in zip(lines, whole, strict=True):
        _print_row(line, widths, console)
        below = [Text(f"{head}: ").append(cell) for head, cell in zip(heads, cells, strict=True)][beside:]
        known = [text for text, cell in zip(below, cells[beside:], strict=True) if cell.plain not in _UNKNOWN]
        together = Text("; ").join(known)
        for text in [together] if together.cell_len <= console.width - _INDENT else known:
            _write(text, console, "quiet", _INDENT)
    _write(Text(block.unshown("terminal")), console, "quiet")


def _fit(whole: Sequence[int], split: Sequence[int], width: int) -> tuple[int, int]:
    """How many columns fit beside each other, and how many of these, the last, with their cells in two."""
    for beside in range(len(whole), 1, -1):
        for in_two in range(beside + 1):
            widths = (*whole[: beside - in_two], *split[beside - in_two : beside])
            if sum(widths) + len(_GAP) * (beside - 1) <= width:
                return beside, in_two
    return 1, 0


def _widths(rows: Sequence[Sequence[Text]]) -> list[int]:
    return [max(max(map(cell_len, cell.plain.split("\n"))) for cell in column) for column in zip(*rows, strict=True)]


def _print_row(cells: Sequence[Text], widths: Sequence[int], console: Console, style: str = "") -> None:
    for parts in zip_longest(*(cell.split("\n", allow_blank=True) for cell in cells), fillvalue=Text()):
        line = Text(_GAP).join(_padded(parts, widths))
        line.rstrip()
        console.print(line, style=style, soft_wrap=True)


def _padded(parts: Sequence[Text], widths: Sequence[int]) -> Iterator[Text]:
    for part, width in zip(parts, widths, strict=True):
        padded = part.copy()
        padded.pad_right(width - cell_len(part.plain))
        yield padded
