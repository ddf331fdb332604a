"""JUnit XML for CI systems: red exactly when the gate is red.

Every rule is a test case. A question that is not acceptable fails only if a failed rule is about it; otherwise it
is shown as skipped, with its label, so that a passing gate gives a green build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from markupsafe import escape

from surefoot.core.result import Result
from surefoot.core.types import GOOD, counted, plain
from surefoot.gate.rules import Check
from surefoot.jobs.decision import GateResult
from surefoot.report.blocks import seen
from surefoot.report.comparison import in_words

if TYPE_CHECKING:
    from surefoot.scoring.outcomes import ScoredRow
    from surefoot.scoring.run import Scorecard

_KINDS = {"pass": "", "fail": "failure", "not_applicable": "skipped"}
_UNFINISHED = ("MISSING", "ERROR", "DUPLICATE")
# Which labels pull which metric the wrong way: enough to tell why a question is red.
_LABELS_BEHIND = {
    "precision": ("ANS_NO_HIT", "HALLUCINATION", "PARTIAL_REFUSAL"),
    "over_refusal": ("OVER_REFUSAL",),
    "under_refusal": ("HALLUCINATION", "PARTIAL_REFUSAL"),
    "citation_hit_rate": ("ANS_NO_HIT", "OVER_REFUSAL"),
}


def of(result: Result) -> Iterator[str]:
    """Return the lines of a decision, or of a scored log."""
    return _decision(result) if isinstance(result, GateResult) else _log(result.card, result.rows())  # type: ignore[attr-defined]


def _decision(found: GateResult) -> Iterator[str]:
    """The rules alone, which name the questions behind them."""
    cases = []
    for rule in found.rules:
        words = in_words(rule, found)
        behind = f"; {counted(len(rule.questions), 'question')} behind it: {', '.join(rule.questions[:12])}"
        kind = "skipped" if rule.waiver is not None else _KINDS.get(rule.status, "error")
        cases.append((f"{rule.name}: {rule.rule}", kind, words + (behind if rule.questions else "")))
    yield from _opening(cases, found.incomplete)
    yield "</testsuites>"


def _log(card: Scorecard, rows: Iterable[ScoredRow]) -> Iterator[str]:
    checks = card.decision.checks
    kinds = [_KINDS.get(check.status, "error") for check in checks]
    cases = [(f"{one.rule.name}: {one.rule.text}", kind, _told(one)) for one, kind in zip(checks, kinds, strict=True)]
    yield from _opening(cases, card.decision.incomplete)
    red = {label for check in checks if check.status == "fail" for label in _LABELS_BEHIND.get(check.rule.metric, ())}
    unfinished = {*_UNFINISHED} if any(c.status == "incomplete" for c in checks) else set[str]()
    counts = card.labels
    yield (
        f'<testsuite name="surefoot.questions" tests="{sum(counts.values())}"'
        f' failures="{sum(counts.get(label, 0) for label in red)}"'
        f' errors="{sum(counts.get(label, 0) for label in unfinished)}">'
    )
    for row in rows:
        yield _question_case(row, red, unfinished)
    yield "</testsuite>"
    yield "</testsuites>"


def _opening(cases: Sequence[tuple[str, str, str]], incomplete: Sequence[str]) -> Iterator[str]:
    """The rules: each with its name, what it is to a reader of JUnit ("" where it holds), and what to say of it."""
    every = [*cases, *([("complete", "error", "; ".join(incomplete))] if incomplete else [])]
    kinds = [kind for _, kind, _ in every]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="surefoot">'
    counts = f'tests="{len(kinds)}" failures="{kinds.count("failure")}" errors="{kinds.count("error")}"'
    yield f'<testsuite name="surefoot.gate" {counts}>'
    for name, kind, words in every:
        head = f'<testcase classname="surefoot.gate" name={_quoted(plain(name))}'
        yield f"{head}><{kind} message={_quoted(plain(words, 400))}/></testcase>" if kind else f"{head}/>"
    yield "</testsuite>"


def _told(check: Check) -> str:
    behind = f"; {counted(check.question_count, 'question')} behind it: {', '.join(check.questions[:12])}"
    return f"seen {seen(check.seen)}{behind if check.questions else ''}{'; ' if check.reason else ''}{check.reason}"


def _question_case(row: ScoredRow, red: set[str], unfinished: set[str]) -> str:
    where = f' file={_quoted(plain(row.source))} line="{row.line}"' if row.source else ""
    head = f'<testcase classname="surefoot.questions" name={_quoted(plain(row.qid))}{where}'
    if row.label in GOOD:
        return f"{head}/>"
    kind = "failure" if row.label in red else "error" if row.label in unfinished else "skipped"
    detail = f"{row.label}: {row.reason}" if row.reason else row.label
    return f"{head}><{kind} message={_quoted(plain(detail))}/></testcase>"


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'
