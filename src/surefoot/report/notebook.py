"""A report in a cell of a notebook.

It is the page in a frame: styles, ids and scripts of the page and of the notebook cannot reach each other, and the
sandbox of the frame has no access to the notebook. Markup of ours among the notebook's own would take on its styles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import Result
from surefoot.report import html, of
from surefoot.report.blocks import Block, Cases, Report, Section, Table

_MOST_CASES = 100  # a notebook keeps what its cells show
_MOST_ROWS = 50
_ALL = "more, all of them in to_frame()"


def show(result: Result) -> str:
    """The page of a result, or else its rows, or else every field."""
    try:
        return cell(of(result))
    except (UsageError, Incomplete):  # it has no page
        fields = ({"field": name, "value": value} for name, value in result.to_json().items())
        return cell(listing(type(result).__name__, result.table() or list(fields)))


def cell(report: Report) -> str:
    """The page, with the first of its answers."""
    short = replace(report, body=tuple(map(_shortened, report.body)))
    tall = any(isinstance(block, Section) for block in report.body)
    title, page = escape(html.cut(report.title, 300)), escape(html.page(short))
    style = f"width: 100%; height: {40 if tall else 20}rem; border: 0; resize: vertical"
    return f'<iframe title="{title}" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


def listing(title: str, rows: Sequence[Mapping[str, Any]]) -> Report:
    """Rows as they are, where there is no report."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_words(row.get(name)) for name in heads] for row in rows]
    return Report(title, (), (Table(heads, cells, limits={"page": _MOST_ROWS}, more=_ALL),))


def _shortened(block: Block) -> Block:
    if isinstance(block, Section):
        return replace(block, blocks=tuple(map(_shortened, block.blocks)))
    return replace(block, limits={**block.limits, "page": _MOST_CASES}) if isinstance(block, Cases) else block


def _words(value: object) -> str:
    """None is empty; what is not a text is shown as JSON has it."""
    return "" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()
