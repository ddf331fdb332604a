"""JUnit XML for CI systems: red exactly when the gate is red.

Every rule is a test case. A question that is not acceptable fails only if a failed rule is about it; otherwise it
is shown as skipped, with its label, so that a passing gate gives a green build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from surefoot.gate.rules import Check
from surefoot.outcomes import ACCEPTABLE, ScoredRow
from surefoot.report.words import plain, seen
from surefoot.scorecard import Scorecard

_UNFINISHED = ("MISSING", "ERROR", "DUPLICATE")
# Which labels pull which metric the wrong way: enough to tell why a question is red.
_LABELS_BEHIND = {
    "precision": ("ANS_NO_HIT", "HALLUCINATION", "PARTIAL_REFUSAL"),
    "over_refusal": ("OVER_REFUSAL",),
    "under_refusal": ("HALLUCINATION", "PARTIAL_REFUSAL"),
    "citation_hit_rate": ("ANS_NO_HIT", "OVER_REFUSAL"),
}


def render(card: Scorecard, rows: Iterable[ScoredRow]) -> Iterator[str]:
    checks = card.decision.checks
    failed = sum(check.status == "fail" for check in checks)
    errors = sum(check.status in ("incomplete", "undecidable") for check in checks)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="surefoot">'
    yield f'<testsuite name="surefoot.gate" tests="{len(checks)}" failures="{failed}" errors="{errors}">'
    yield from map(_rule_case, checks)
    yield "</testsuite>"
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


def _rule_case(check: Check) -> str:
    name = quoteattr(plain(f"{check.rule.name}: {check.rule.text}"))
    head = f'<testcase classname="surefoot.gate" name={name}'
    behind = (
        f"; {check.question_count} questions behind it: {', '.join(check.questions[:12])}" if check.questions else ""
    )
    message = quoteattr(plain(f"seen {seen(check.seen)}{behind}{'; ' if check.reason else ''}{check.reason}", 400))
    if check.status == "pass":
        return f"{head}/>"
    kind = {"fail": "failure", "not_applicable": "skipped"}.get(check.status, "error")
    return f"{head}><{kind} message={message}/></testcase>"


def _question_case(row: ScoredRow, red: set[str], unfinished: set[str]) -> str:
    where = f' file={quoteattr(plain(row.source))} line="{row.line}"' if row.source else ""
    head = f'<testcase classname="surefoot.questions" name={quoteattr(plain(row.qid))}{where}'
    if row.label in ACCEPTABLE:
        return f"{head}/>"
    kind = "failure" if row.label in red else "error" if row.label in unfinished else "skipped"
    detail = f"{row.label}: {row.reason}" if row.reason else row.label
    return f"{head}><{kind} message={quoteattr(plain(detail))}/></testcase>"
