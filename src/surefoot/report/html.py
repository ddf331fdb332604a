"""A report as one HTML page that needs nothing else: no font, no other file, and one script of ours that filters.

The templates write and draw it. Every text on it is escaped, without characters that steer the display, and isolated,
so that a right-to-left answer cannot rearrange what stands beside it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from unicodedata import category

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from surefoot.report import blocks
from surefoot.report.flow import picture
from surefoot.report.glossary import TERMS
from surefoot.report.trend import charts

_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


class Site(Struct, frozen=True):
    """What is around a page that is served, where links lead somewhere."""

    menu: Mapping[str, str]  # addresses, with what they are called
    here: str = ""  # the address of the menu that the page belongs to
    runs: Mapping[str, str] = {}  # those that can be compared, by key
    compared: tuple[str, str] = ("", "")  # by key


def page(report: blocks.Report, site: Site | None = None) -> str:
    outcome = next((block.outcome for block in report.summary if isinstance(block, blocks.Headline)), "")
    parts = {
        number: blocks.spans(part.title)[0].text
        for number, part in enumerate(report.body, 1)
        if isinstance(part, blocks.Section) and part.show != "folded"
    }
    has_cases = any(isinstance(block, blocks.Cases) for block in _within(report.body))
    found = _templates().get_template("report.html")
    return found.render(
        report=report, outcome=outcome, parts=parts, site=site, policy=policy(site is not None, has_cases),
        script=_script() if has_cases else "",
    )  # fmt: skip


def policy(is_served: bool, has_cases: bool = True) -> str:
    """What a browser may do with a page: run our one script, and on a served page follow its own forms."""
    ours = b64encode(sha256(_script().encode()).digest()).decode()
    allowed = ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'"]
    allowed += [f"script-src 'sha256-{ours}'"] if has_cases else []
    allowed += ["img-src 'self'", "form-action 'self'"] if is_served else ["form-action 'none'"]
    return "; ".join(allowed)


def _within(body: Iterable[blocks.Block]) -> Iterator[blocks.Block]:
    for block in body:
        yield block
        if isinstance(block, blocks.Section):
            yield from _within(block.blocks)


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
    made.globals["STRONG"] = blocks.STRONG
    made.globals["TERMS"] = TERMS
    made.filters |= {
        "picture": picture,
        "charts": charts,
        "visible": visible,
        "spans": blocks.spans,
        "kind": lambda block: type(block).__name__,
    }
    return made


def visible(text: str, longest: int) -> str:
    """Control, direction-changing and unassigned characters become visible; a long text is cut, and says so."""
    lines = text[:longest].replace("\r\n", "\n").replace("\t", " ")
    kept = "".join("\ufffd" if char != "\n" and category(char) in _STEERING else char for char in lines)
    return kept + (f" ... ({len(text) - longest} more characters)" if len(text) > longest else "")
