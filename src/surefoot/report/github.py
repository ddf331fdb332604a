"""A decision for GitHub: annotations on the check, and a summary short enough for a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surefoot.core.words import names, plain
from surefoot.gate.decide import Comparison
from surefoot.gate.rules import Check
from surefoot.gate.trust import in_words
from surefoot.report.blocks import Headline, Items, Line, Report, Span
from surefoot.report.comparison import broken_rules, bucket_bars, in_one_line, in_one_sentence

_LEVELS = {"SHIP": "notice", "BLOCK": "error", "INCONCLUSIVE": "warning"}
_MOST = 10  # annotations of a kind that GitHub shows of one step
_LONGEST = 500
_NAMED = 6  # questions
_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


def commands(comparison: Comparison, more: Sequence[str] = ()) -> Iterator[str]:
    """The decision, and each rule that does not hold; GitHub reads them from what a step prints."""
    outcome = comparison.decision.outcome
    yield _annotation(_LEVELS[outcome], f"surefoot: {outcome}", _decided(comparison, more))
    for check in broken_rules(comparison)[: _MOST - 1]:
        level = "error" if check.status == "fail" and check.waiver is None else "warning"
        yield _annotation(level, f"surefoot: {check.rule.name}", in_one_line(check).text)


def _annotation(level: str, title: str, message: str) -> str:
    head = plain(title).translate(_ESCAPES).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={head}::{plain(message, _LONGEST).translate(_ESCAPES)}"


def summary(comparison: Comparison, more: Sequence[str] = ()) -> Report:
    """Ten lines or fewer: the decision, the buckets of both versions, the answers behind it, what to do, the trust."""
    steps: list[Line] = [(Span("next:", "strong"), step) for step in comparison.next_steps[:1]]
    trust: Line = (Span("trust:", "strong"), in_words(comparison.trust))
    return Report(
        "Surefoot",
        (Headline(comparison.decision.outcome, (_decided(comparison, more),)),),
        (
            bucket_bars(comparison),
            Items([*_behind(comparison.decision.checks), *steps, trust]),
        ),
    )


def _decided(comparison: Comparison, more: Sequence[str]) -> str:
    return " ".join((in_one_sentence(comparison), *(f"{one[:1].upper()}{one[1:]}." for one in more)))


def _behind(checks: Sequence[Check]) -> Iterator[Line]:
    """The questions behind the first rule that failed."""
    for check in checks:
        if check.status == "fail" and check.waiver is None and check.questions:
            told = names(check.questions, check.question_count, _NAMED)
            yield Span(f"{check.rule.name}:", "strong"), told
            return
