"""A report as one HTML page that needs nothing else: no script, no font, no other file.

The templates write and draw it. Every text on it is escaped, without characters that steer the display, and isolated,
so that a right-to-left answer cannot rearrange what stands beside it.
"""

from __future__ import annotations

from functools import cache
from unicodedata import category

from jinja2 import Environment, PackageLoader, StrictUndefined

from surefoot.report import blocks

_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


def page(report: blocks.Report) -> str:
    outcome = next((block.outcome for block in report.summary if isinstance(block, blocks.Headline)), "")
    return _templates().get_template("report.html").render(report=report, outcome=outcome)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("surefoot.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    made.globals["STRONG"] = blocks.STRONG
    made.filters |= {"visible": visible, "spans": blocks.spans, "kind": lambda block: type(block).__name__}
    return made


def visible(text: str, longest: int) -> str:
    """Control, direction-changing and unassigned characters become visible; a long text is cut, and says so."""
    lines = text[:longest].replace("\r\n", "\n").replace("\t", " ")
    kept = "".join("\ufffd" if char != "\n" and category(char) in _STEERING else char for char in lines)
    return kept + (f" ... ({len(text) - longest} more characters)" if len(text) > longest else "")
