"""A decision for GitHub: annotations on the check, and a summary short enough for a comment."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.core.words import plain
from surefoot.report.blocks import Headline, Items, Line, Report, Span
from surefoot.report.comparison import in_words, rule_line, sentences, unseen
from surefoot.services.decision import GateResult

_LEVELS = {"SHIP": "notice", "BLOCK": "error", "INCONCLUSIVE": "warning"}
_MOST = 10  # annotations of a kind that GitHub shows of one step
_LONGEST = 500
_LINES = 10
_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


def commands(found: GateResult) -> Iterator[str]:
    """The decision, and each rule that does not hold; GitHub reads them from what a step prints."""
    yield _annotation(_LEVELS[found.outcome], f"surefoot: {found.outcome}", " ".join(sentences(found)))
    broken = [rule for rule in found.rules if rule.status not in ("pass", "not_applicable")]
    for rule in broken[: _MOST - 1]:
        level = "error" if rule.status == "fail" and rule.waiver is None else "warning"
        yield _annotation(level, f"surefoot: {rule.name}", in_words(rule, found))


def _annotation(level: str, title: str, message: str) -> str:
    head = plain(title).translate(_ESCAPES).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={head}::{plain(message, _LONGEST).translate(_ESCAPES)}"


def summary(found: GateResult) -> Report:
    """The first ten lines of the decision's page."""
    steps = [(Span("next:", "strong"), step) for step in found.next[:1]]
    decisive = sorted(found.rules, key=lambda rule: rule.status in ("pass", "not_applicable"))
    rules = [rule_line(rule, found) for rule in decisive if rule.status != "not_applicable"]
    shown: list[Line] = [*rules[: _LINES - 3], *([unseen(found)] if found.differing else []), *steps]
    return Report("Surefoot", (Headline(found.outcome, (" ".join(sentences(found)),)),), (Items(shown),))
