"""A report as one HTML page that needs nothing else: no font, no other file, and one script of ours that filters.

The templates write and draw it. Every text on it is escaped, without characters that steer the display, and isolated,
so that a right-to-left answer cannot rearrange what stands beside it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import Result
from surefoot.gate.metrics import METRICS
from surefoot.report import blocks, of, prose

_MOST_CASES, _MOST_ROWS = 100, 50  # a notebook keeps what its cells show


class Site(Struct, frozen=True):
    """What is around a page that is served, where links lead somewhere."""

    tabs: Mapping[str, str]  # addresses, with what they are called
    here: str = ""  # the address of the tab that the page belongs to
    runs: Mapping[str, str] = {}  # those that can be compared, with what they are called
    compared: tuple[str, str] = ("", "")


def page(report: blocks.Report, site: Site | None = None) -> str:
    outcome = next((block.outcome for block in report.summary if isinstance(block, blocks.Headline)), "")
    parts = {
        number: blocks.spans(part.title)[0].text
        for number, part in enumerate(report.body, 1)
        if isinstance(part, blocks.Section) and part.show != "folded"
    }
    found = _templates().get_template("report.html")
    return found.render(
        report=report, outcome=outcome, parts=parts, site=site, policy=policy(site is not None), script=_script()
    )


def policy(is_served: bool) -> str:
    """What a browser may do with a page: run our one script, and on a served page follow its own forms."""
    ours = b64encode(sha256(_script().encode()).digest()).decode()
    allowed = ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", f"script-src 'sha256-{ours}'"]
    allowed += ["img-src 'self'", "form-action 'self'"] if is_served else ["form-action 'none'"]
    return "; ".join(allowed)


_TERMS = {name: f"Of {metric.unit}: {metric.share}." for name, metric in METRICS.items() if metric.share} | blocks.TERMS


@cache
def _script() -> str:
    """The one script; by its hash the policy lets it run and no other."""
    return (files("surefoot.report") / "templates" / "report.js").read_text("utf-8")


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("surefoot.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    made.globals |= {"STRONG": blocks.STRONG, "ORDER": blocks.ORDER, "TERMS": _TERMS}
    made.filters |= {
        "visible": cut, "quoted": quoted, "terms": _terms, "spans": blocks.spans,
        "commands": lambda words: Markup(re.sub("`(surefoot [^`]+)`", r"<code>\1</code>", str(escape(words)))),
        "kind": lambda block: type(block).__name__,
    }  # fmt: skip
    return made


def cut(text: str, longest: int) -> str:
    """Harmless; what is too long is cut, and says so."""
    kept = prose.visible(text[:longest]).replace("\t", " ")
    return kept + (f" ... ({len(text) - longest} more characters)" if len(text) > longest else "")


def _terms(page: str) -> list[tuple[str, str]]:
    """The words on a page that have a meaning of their own here."""
    text = re.sub("<[^>]*>", " ", page).lower()
    return [(name, meaning) for name, meaning in _TERMS.items() if re.search(rf"\b{name}\b", text)]


def quoted(quote: blocks.Quote) -> Markup:
    """The words that decide are marked."""
    around = Markup('<mark class="{}">{}</mark>').format(quote.style, Markup("{}"))
    return prose.rendered(cut(quote.text, blocks.LONGEST_QUOTE), [prose.Mark(quote.start, quote.end, around)])


def show(result: Result) -> str:
    """In a notebook: the page of a result, or else its rows, or else every field."""
    try:
        return cell(of(result))
    except (UsageError, Incomplete):  # it has no page
        fields = ({"field": name, "value": value} for name, value in result.to_json().items())
        return cell(listing(type(result).__name__, result.table() or list(fields)))


def cell(report: blocks.Report) -> str:
    """The page, with the first of its answers, in the cell of a notebook.

    It is in a frame: styles, ids and scripts of the page and of the notebook cannot reach each other, and the sandbox
    of the frame has no access to the notebook. Markup of ours among the notebook's own would take on its styles.
    """
    short = replace(report, body=tuple(map(_shortened, report.body)))
    height = 40 if any(isinstance(block, blocks.Section) for block in report.body) else 20
    frame = Markup('<iframe title="{}" sandbox="allow-scripts" style="{}" srcdoc="{}"></iframe>')
    style = f"width: 100%; height: {height}rem; border: 0; resize: vertical"
    return str(frame.format(cut(report.title, 300), style, page(short)))


def listing(title: str, rows: Sequence[Mapping[str, Any]]) -> blocks.Report:
    """Rows as they are, where there is no report: None is empty, and what is not a text is shown as JSON has it."""
    heads, more = list(dict.fromkeys(name for row in rows for name in row)), "more, all of them in to_frame()"
    values = [[row.get(name) for name in heads] for row in rows]
    cells = [["" if one is None else one if isinstance(one, str) else msgspec.json.encode(one).decode() for one in row]
             for row in values]  # fmt: skip
    return blocks.Report(title, (), (blocks.Table(heads, cells, limits={"page": _MOST_ROWS}, more=more),))


def _shortened(block: blocks.Block) -> blocks.Block:
    if isinstance(block, blocks.Section):
        return replace(block, blocks=tuple(map(_shortened, block.blocks)))
    return replace(block, limits={**block.limits, "page": _MOST_CASES}) if isinstance(block, blocks.Cases) else block
